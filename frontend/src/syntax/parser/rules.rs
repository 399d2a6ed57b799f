//! `rule jvp`, `rule vjp`, `rule partial`.

use super::*;
use crate::syntax::suggest;
use adc_ir::RuleKind;

/// The words behind `rule`.
const KINDS: [&str; 3] = ["jvp", "vjp", "partial"];

impl Parser<'_> {
    pub(super) fn rule(&mut self) -> Read<ItemKind> {
        self.bump();
        let kind = match self.word() {
            "jvp" => RuleKind::Jvp,
            "vjp" => RuleKind::Vjp,
            "partial" => RuleKind::Partial,
            word if self.peek_at(1) == Tok::Name && suggest::nearest(word, KINDS).is_some() => {
                let near = suggest::nearest(word, KINDS).unwrap_or("vjp");
                self.misspelt(format!("no rule is called `{word}`"), self.span(), near);
                match near {
                    "jvp" => RuleKind::Jvp,
                    "vjp" => RuleKind::Vjp,
                    _ => RuleKind::Partial,
                }
            }
            _ => {
                let d = self.expected_error("`jvp`, `vjp` or `partial`", "a `rule`");
                let help = match self.peek_at(1) {
                    Tok::LParen => format!("write the kind: `rule vjp {0}(x; g) {{ … }}`, `rule jvp {0}(x; dx) {{ … }}`", self.word()),
                    _ => "a rule is `rule vjp f(x; g) { … }` (times the cotangent `g`), `rule jvp f(x; dx) { … }` (times the tangent) or `rule partial f(x) { d x: …; }`".to_string(),
                };
                return Err(self.report(d.help(help)));
            }
        };
        self.bump();
        let target = self.real_name("the name of a function", "a `rule`")?;
        let (params, linear) = self.rule_params(kind, &target)?;
        if self.at(Tok::Arrow) {
            self.typed_rule("a rule with a result type", &target, "leave it out");
            self.bump();
            self.ty("a rule")?;
        }
        let body = match kind {
            RuleKind::Jvp | RuleKind::Vjp => RuleBody::Block(self.block("the body of a rule")?),
            RuleKind::Partial => RuleBody::Partials(self.partials()?),
        };
        Ok(ItemKind::Rule(Rule { kind, target, params, linear, body }))
    }

    /// `(x, y; g)`
    fn rule_params(&mut self, kind: RuleKind, target: &Name) -> Read<(Vec<Name>, Vec<Name>)> {
        let whole = format!("the parameters of a rule of `{}`", target.text);
        if !self.at(Tok::LParen) {
            return Err(self.expected("`(`", &whole));
        }
        let open = self.open(Tok::RParen);
        let mut params = Vec::new();
        let mut close = Tok::RParen;
        loop {
            if self.at(Tok::RParen) || self.at(Tok::Semi) {
                break;
            }
            params.push(self.rule_param(target, &whole)?);
            if !self.eat(Tok::Comma) && !matches!(self.peek(), Tok::RParen | Tok::Semi) {
                let what = if kind == RuleKind::Partial { "`,` or `)`" } else { "`,`, `;` or `)`" };
                return Err(self.unclosed(open, what, &whole));
            }
        }
        let semi = self.span();
        let mut linear = Vec::new();
        if self.eat(Tok::Semi) {
            close = Tok::Semi;
            linear = self.list(open, &whole, |p| p.rule_param(target, &whole))?.0;
        } else {
            self.bump();
        }
        match (kind, close) {
            (RuleKind::Partial, Tok::Semi) => {
                let d = Diagnostic::error(Code::Misplaced, "a `rule partial` with tangents")
                    .label(semi, "its lines give derivatives, not products with tangents")
                    .help(format!("write `rule partial {}(z) {{ d z: …; }}`", target.text));
                self.errors.push(d);
            }
            (RuleKind::Jvp | RuleKind::Vjp, Tok::RParen) => {
                let (what, help) =
                    if kind == RuleKind::Jvp { ("tangents", "dx") } else { ("cotangents", "g") };
                let d = Diagnostic::error(Code::Expected, format!("expected `;` and the {what}, found `)`"))
                    .label(semi, format!("the {what} follow the parameters"))
                    .help(format!(
                        "write `rule {} {}(x; {help}) {{ … }}`",
                        if kind == RuleKind::Jvp { "jvp" } else { "vjp" },
                        target.text
                    ));
                self.errors.push(d);
            }
            _ => {}
        }
        Ok((params, linear))
    }

    /// Types in a rule, said once.
    fn typed_rule(&mut self, message: &str, target: &Name, help: &str) {
        if self.once.insert("types in a rule") {
            let label = format!("the types are those of `{}`", target.text);
            self.say(Code::Misplaced, message, self.span(), label, help);
        }
    }

    fn rule_param(&mut self, target: &Name, whole: &str) -> Read<Name> {
        let name = self.name("a name", whole)?;
        if self.at(Tok::Colon) {
            self.typed_rule(
                "a type in the head of a rule",
                target,
                "write names alone, and no result: `rule vjp f(x; g) { … }`",
            );
            self.bump();
            self.ty(whole)?;
        }
        Ok(name)
    }

    /// `{ d z: e; dconj z: e; }`
    fn partials(&mut self) -> Read<Vec<Partial>> {
        let whole = "the body of a `rule partial`";
        self.expect(Tok::LBrace, "`{`", whole)?;
        let open = self.prev_span();
        let mut partials = Vec::new();
        loop {
            if self.eat(Tok::RBrace) {
                return Ok(partials);
            }
            if self.at(Tok::Eof) || self.starts_item() {
                self.say(
                    Code::Unclosed,
                    format!("expected `}}`, found {}", self.found()),
                    open,
                    "this block is not closed",
                    "add the missing `}`",
                );
                return Ok(partials);
            }
            let start = self.pos;
            match self.partial(whole) {
                Ok(partial) => partials.push(partial),
                Err(Reported) => self.skip_to_stmt(start),
            }
            if self.pos == start {
                self.bump();
            }
        }
    }

    fn partial(&mut self, whole: &str) -> Read<Partial> {
        let start = self.span();
        let conj = match (self.word(), self.peek_at(1)) {
            ("d", Tok::Name) => false,
            ("dconj", Tok::Name) => true,
            (word, next) => {
                let help = match word.strip_prefix('d') {
                    Some(x) if !x.is_empty() && matches!(next, Tok::Colon | Tok::Assign) => format!("write `d {x}: …;`, with a blank"),
                    _ => "write `d x: …;` for each parameter, of a complex one also `dconj x: …;`; a line's value may be a block, `{ let a = …; a*a }`".to_string(),
                };
                return Err(self.say(
                    Code::Expected,
                    format!("expected `d` or `dconj`, found {}", self.found()),
                    start,
                    "each line gives the derivative by one parameter",
                    help,
                ));
            }
        };
        self.bump();
        let param = self.name("the name of a parameter", whole)?;
        if self.at(Tok::Assign) {
            self.say(
                Code::Expected,
                "expected `:`, found `=`",
                self.span(),
                "in a line of a `rule partial`",
                format!("write `d {}: …;`", param.text),
            );
            self.bump();
        } else {
            self.expect(Tok::Colon, "`:`", whole)?;
        }
        let value = self.expr()?;
        let span = start.to(value.span);
        if matches!(self.word(), "d" | "dconj") && self.peek_at(1) == Tok::Name {
            self.say(
                Code::Expected,
                format!("expected `;`, found {}", self.found()),
                self.span(),
                "the next line starts here",
                "end each line with `;`",
            );
        } else if !self.at(Tok::RBrace) {
            self.semi("a line of a `rule partial`")?;
        }
        Ok(Partial { conj, param, value, span })
    }
}

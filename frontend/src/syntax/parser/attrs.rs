//! Attributes: one table says which there are, what stands in their parentheses and where they go.

use super::*;
use crate::syntax::suggest;

/// Where an attribute stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Fn,
    Param,
    Rule,
    Loop,
    Let,
    /// Where none belongs.
    Other,
}

/// Name, place, place in words, how it is written.
#[rustfmt::skip]
const TABLE: &[(&str, Place, &str, &str)] = &[
    ("allow", Place::Other, "a function, rule, parameter, `let`, `var` or loop", "#[allow(unused_variable)]"),
    ("inline", Place::Fn, "a function", "#[inline]"),
    ("fp", Place::Fn, "a function", "#[fp(strict)]`, `#[fp(default)]` or `#[fp(fast)]"),
    ("nodiff", Place::Param, "a parameter", "#[nodiff]"),
    ("check", Place::Rule, "a rule", "#[check(trust)]` or `#[check(first_order)]"),
    ("linear", Place::Param, "a parameter of an `extern fn`", "#[linear]"),
    ("nonlinear", Place::Rule, "a `vjp` rule", "#[nonlinear]"),
    ("checkpoint", Place::Loop, "a loop", "#[checkpoint(sqrt)]`, `#[checkpoint(revolve, 10)]`, `#[checkpoint(all)]` or `#[checkpoint(none)]"),
];

/// The attributes: name, where it belongs, how it is written.
pub fn attributes() -> impl Iterator<Item = (&'static str, &'static str, String)> {
    TABLE.iter().map(|(name, _, place, forms)| (*name, *place, forms.replace('`', "")))
}

impl Parser<'_> {
    /// All attributes that stand here, reported if they are none of the language.
    pub(super) fn attrs(&mut self) -> Read<Vec<Attr>> {
        let mut attrs = Vec::new();
        while self.at(Tok::Hash) {
            attrs.extend(self.attr()?);
        }
        Ok(attrs)
    }

    /// Those that may stand at `place`; the others are reported.
    pub(super) fn placed(&mut self, attrs: Vec<Attr>, place: Place) -> Vec<Attr> {
        let fits = |a: &Attr| match a.kind {
            AttrKind::Allow(_) => place != Place::Other,
            _ => row(&a.kind).1 == place,
        };
        let (right, wrong): (Vec<_>, Vec<_>) = attrs.into_iter().partition(fits);
        for attr in wrong {
            let (name, _, belongs, _) = row(&attr.kind);
            let d = Diagnostic::error(Code::BadAttribute, format!("`#[{name}]` does not belong here"))
                .label(attr.span, format!("goes on {belongs}"))
                .help(format!("put it right before {belongs}, or remove it"));
            self.errors.push(d);
        }
        right
    }

    fn attr(&mut self) -> Read<Option<Attr>> {
        let start = self.bump();
        let whole = "an attribute";
        self.eat(Tok::Not);
        if !self.at(Tok::LBracket) {
            let help = match self.word() {
                "include" | "import" => "leave it out: built-in functions are always there; items of another adc file come with `use \"other.dsl\";`".to_string(),
                "define" => {
                    let (name, value) = (self.word_at(1), self.text_of(self.span_at(2)));
                    format!("write `const {name}: f64 = {value};`")
                }
                _ => "comments start with `//`; attributes are written `#[inline]`".to_string(),
            };
            let d =
                Diagnostic::error(Code::NotInLanguage, "`#` starts no comment").label(start, "only `#[…]`");
            return Err(self.report(d.help(help)));
        }
        let open = self.open(Tok::RBracket);
        let name = self.real_name("the name of an attribute", whole)?;
        let mut args = Vec::new();
        if self.at(Tok::LParen) {
            let open = self.open(Tok::RParen);
            args = self.nest(|p| p.list(open, whole, Self::expr))?.0;
        }
        let span = start.to(self.close(open, "`]`", whole)?);
        let Some((_, _, _, written)) = TABLE.iter().find(|r| r.0 == name.text) else {
            let names: Vec<_> = TABLE.iter().map(|r| r.0).collect();
            let d = Diagnostic::error(Code::BadAttribute, format!("unknown attribute `{}`", name.text));
            self.errors.push(match suggest::nearest(&name.text, names.iter().copied()) {
                Some(near) => d.meant(name.span, near).help(format!("write `{near}`")),
                None => d
                    .label(name.span, "no attribute of this name")
                    .help(format!("there are `{}`", names.join("`, `"))),
            });
            return Ok(None);
        };
        if name.text == "allow"
            && let Some(d) = unknown_lint(&args)
        {
            self.errors.push(d);
            return Ok(None);
        }
        let kind = attr_kind(&name.text, args);
        if kind.is_none() {
            let d = Diagnostic::error(Code::BadAttribute, format!("`#[{}]` with wrong arguments", name.text))
                .label(span, "cannot be read")
                .help(format!("write `{written}`"));
            self.errors.push(d);
        }
        Ok(kind.map(|kind| Attr { kind, span }))
    }
}

fn row(kind: &AttrKind) -> (&'static str, Place, &'static str, &'static str) {
    TABLE[match kind {
        AttrKind::Allow(_) => 0,
        AttrKind::Inline => 1,
        AttrKind::Fp(_) => 2,
        AttrKind::Nodiff => 3,
        AttrKind::Check(_) => 4,
        AttrKind::Linear => 5,
        AttrKind::Nonlinear => 6,
        AttrKind::Checkpoint(_) => 7,
    }]
}

/// The error about a name in `#[allow(…)]` that is no lint's.
fn unknown_lint(args: &[Expr]) -> Option<Diagnostic> {
    let names: Vec<&str> = Lint::ALL.iter().map(|l| l.text()).collect();
    args.iter().find_map(|e| match &e.kind {
        ExprKind::Name(n) if Lint::from_text(&n.text).is_none() => {
            let d = Diagnostic::error(Code::BadAttribute, format!("no lint called `{}`", n.text));
            let d = match suggest::nearest(&n.text, names.iter().copied()) {
                Some(near) => d.meant(n.span, near),
                None => d.label(n.span, "unknown"),
            };
            Some(d.help(format!("the lints are `{}`", names.join("`, `"))))
        }
        _ => None,
    })
}

/// The attribute of a name with its arguments, if they fit.
fn attr_kind(name: &str, mut args: Vec<Expr>) -> Option<AttrKind> {
    let last = args.pop();
    let word = |e: &Expr| match &e.kind {
        ExprKind::Name(n) => n.text.clone(),
        _ => String::new(),
    };
    let words: Vec<String> = args.iter().chain(&last).map(word).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    Some(match (name, &words[..]) {
        ("allow", [_, ..]) => {
            AttrKind::Allow(words.iter().map(|w| Lint::from_text(w)).collect::<Option<_>>()?)
        }
        ("inline", []) => AttrKind::Inline,
        ("nodiff", []) => AttrKind::Nodiff,
        ("linear", []) => AttrKind::Linear,
        ("nonlinear", []) => AttrKind::Nonlinear,
        ("check", ["trust"]) => AttrKind::Check(RuleCheck::Trust),
        ("check", ["first_order"]) => AttrKind::Check(RuleCheck::FirstOrder),
        ("fp", ["strict"]) => AttrKind::Fp(FpMode::Strict),
        ("fp", ["default"]) => AttrKind::Fp(FpMode::Default),
        ("fp", ["fast"]) => AttrKind::Fp(FpMode::Fast),
        ("checkpoint", ["sqrt"]) => AttrKind::Checkpoint(Checkpoint::Sqrt),
        ("checkpoint", ["all"]) => AttrKind::Checkpoint(Checkpoint::All),
        ("checkpoint", ["none"]) => AttrKind::Checkpoint(Checkpoint::None),
        ("checkpoint", ["revolve", _]) => AttrKind::Checkpoint(Checkpoint::Revolve(last?)),
        _ => return None,
    })
}

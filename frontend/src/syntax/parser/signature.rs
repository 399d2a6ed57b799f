//! What a function shows: name, dimensions, parameters with their domains, results.

use super::*;
use crate::words;

impl Parser<'_> {
    /// `NAME[dims](params) -> result`, behind `fn`.
    pub(super) fn signature(&mut self, start: Span) -> Read<Signature> {
        let name = self.real_name("the name of a function", "a function")?;
        let dims = self.dim_params(&name)?;
        if !self.at(Tok::LParen) {
            let d = self.expected_error("`(`", &format!("the declaration of `{}`", name.text));
            return Err(self.report(d.help("a function is declared `fn f(x: f64) -> f64 { … }`")));
        }
        let params = self.params(&name)?;
        self.untyped(&params);
        let results = self.results(&name)?;
        Ok(Signature { name, dims, params, results, span: self.since(start) })
    }

    /// `[N, D]`
    fn dim_params(&mut self, of: &Name) -> Read<Vec<Name>> {
        if self.at(Tok::Lt) {
            self.say(
                Code::NotInLanguage,
                "dimensions in angle brackets",
                self.span(),
                "there are no type parameters",
                format!("dimensions go in square brackets: `fn {}[N](x: f64[N]) -> …`", of.text),
            );
            while !matches!(self.peek(), Tok::LParen | Tok::LBrace | Tok::Eof) {
                self.bump();
            }
            // The types are the missing ones.
            return Err(Reported);
        }
        if !self.at(Tok::LBracket) {
            return Ok(Vec::new());
        }
        let open = self.open(Tok::RBracket);
        let whole = format!("the dimensions of `{}`", of.text);
        let (dims, close) = self.list(open, &whole, |p| {
            let name = p.real_name("the name of a dimension", &whole)?;
            if matches!(p.peek(), Tok::Colon | Tok::Assign) {
                let d =
                    Diagnostic::error(Code::Expected, format!("expected `,` or `]`, found {}", p.found()))
                        .label(p.span(), "a dimension has a name and nothing else")
                        .help(format!("write `[{}]`; dimensions are `i64`", name.text));
                return Err(p.report(d));
            }
            Ok(name)
        })?;
        if dims.is_empty() {
            self.say(
                Code::EmptyList,
                "brackets without dimensions",
                open.span.to(close),
                "nothing inside",
                "leave them out",
            );
        }
        Ok(dims)
    }

    /// `(x: f64, …)`. One that cannot be read costs the others nothing.
    fn params(&mut self, of: &Name) -> Read<Vec<Param>> {
        let open = self.open(Tok::RParen);
        let whole = format!("the parameters of `{}`", of.text);
        let mut params = Vec::new();
        loop {
            if self.eat(Tok::RParen) {
                return Ok(params);
            }
            let param = self.param(&whole);
            let read = param.is_ok();
            params.extend(param);
            if read && (self.eat(Tok::Comma) || self.at(Tok::RParen)) {
                continue;
            }
            if read {
                let d = self.no_comma(open, &whole);
                self.report(d);
            }
            if !self.skip_to_param() {
                // The head goes on with its `->` or `{`, or is lost.
                return if matches!(self.peek(), Tok::Arrow | Tok::LBrace) {
                    Ok(params)
                } else {
                    Err(Reported)
                };
            }
        }
    }

    fn no_comma(&mut self, open: Open, whole: &str) -> Diagnostic {
        if self.at(Tok::Assign) {
            return Diagnostic::error(Code::NotInLanguage, "a parameter with a default value")
                .label(self.span(), "callers give every argument")
                .help("leave it out; a `const` can hold the usual value");
        }
        Diagnostic::error(Code::Expected, format!("expected `,` or `)`, found {}", self.found()))
            .label(self.span(), format!("in {whole}"))
            .also(open.span, "opened here")
            .help("parameters are written `x: f64, y: f64[N]`")
    }

    /// Skips to the next parameter or behind the last one. Brackets are not counted: those of half-open
    /// intervals do not match.
    fn skip_to_param(&mut self) -> bool {
        loop {
            match self.peek() {
                Tok::Arrow if self.arrow_inside() => self.bump(),
                Tok::Semi if self.inside_brackets() => self.bump(),
                Tok::Eof | Tok::LBrace | Tok::RBrace | Tok::Semi | Tok::Arrow => return false,
                Tok::Comma
                    if self.peek_at(1) == Tok::Hash
                        || (self.peek_at(1) == Tok::Name && self.peek_at(2) == Tok::Colon) =>
                {
                    self.bump();
                    return true;
                }
                Tok::RParen
                    if matches!(self.peek_at(1), Tok::Arrow | Tok::LBrace | Tok::Colon | Tok::FatArrow) =>
                {
                    return true;
                }
                _ if self.first_on_line() && self.starts_item() => return false,
                _ => self.bump(),
            };
        }
    }

    /// Whether an `->` belongs to a parameter's type: the parameters still end before the body starts.
    fn arrow_inside(&self) -> bool {
        let rest = &self.tokens[self.pos.min(self.tokens.len() - 1)..];
        let mut head =
            rest.windows(2).skip(1).take_while(|w| !matches!(w[0].kind, Tok::LBrace | Tok::Semi | Tok::Fn));
        head.any(|w| w[0].kind == Tok::RParen && matches!(w[1].kind, Tok::Arrow | Tok::LBrace))
    }

    /// `x: f64 in (0, 1]`
    fn param(&mut self, whole: &str) -> Read<Param> {
        let attrs = self.attrs()?;
        let attrs = self.placed(attrs, attrs::Place::Param);
        let start = self.span();
        if self.at_type_word() {
            return Ok(self.typed_in_front(start, attrs));
        }
        if self.at_type_with_bounds() {
            return Err(self.say(
                Code::NotInLanguage,
                "a type in front of a name",
                start,
                "the name comes first, bounds are a domain",
                "write `sigma: f64 in (0, INF)`",
            ));
        }
        if matches!(self.word(), "mut" | "const" | "inout" | "ref") && self.peek_at(1) == Tok::Name {
            self.say(
                Code::NotInLanguage,
                format!("`{}` before a parameter", self.word()),
                start,
                "parameters are never assigned",
                format!("leave it out; copy it with `var y = {};` to assign it", self.word_at(1)),
            );
            self.bump();
        }
        let name = self.name("the name of a parameter", whole)?;
        if matches!(self.peek(), Tok::Comma | Tok::RParen | Tok::In) {
            // Said of all such parameters together.
            let ty = Type { kind: TypeKind::Error, span: name.span };
            return Ok(Param { span: name.span, name, ty, domain: None, attrs });
        }
        if self.at(Tok::ColonColon) {
            let ty = if self.peek_at(1) == Tok::Name { self.word_at(1) } else { "f64" };
            let ty = words::type_name(ty);
            self.say(
                Code::NotInLanguage,
                "`::` in front of a type",
                self.span(),
                "a type follows one `:`",
                format!("write `{}: {ty}`", name.text),
            );
            self.bump();
            let span = self.ty(whole)?.span;
            let ty = Type { kind: TypeKind::Error, span };
            return Ok(Param { span: self.since(start), name, ty, domain: None, attrs });
        }
        self.expect(Tok::Colon, "`:` and a type", whole)?;
        let ty = self.ty(whole)?;
        if matches!(self.peek(), Tok::Gt | Tok::Ge | Tok::Lt | Tok::Le) {
            return Err(self.say(
                Code::NotInLanguage,
                "a comparison behind a type",
                self.span(),
                "bounds are a domain",
                format!("write `{}: f64 in (0, INF)`, with round brackets for open ends", name.text),
            ));
        }
        if self.at(Tok::Arrow) && self.arrow_inside() {
            return Err(self.say(
                Code::Expected,
                "expected `,` or `)`, found `->`",
                self.span(),
                format!("in {whole}"),
                "a function type is written `fn(f64) -> f64`",
            ));
        }
        let domain = if self.eat(Tok::In) { Some(self.domain()?) } else { None };
        Ok(Param { span: self.since(start), name, ty, domain, attrs })
    }

    /// `double x`, reported.
    fn typed_in_front(&mut self, start: Span, attrs: Vec<Attr>) -> Param {
        let ty = self.word();
        let ty = words::type_name(ty);
        if self.once.insert("type in front") {
            self.say(
                Code::NotInLanguage,
                "a type in front of a name",
                start.to(self.span_at(1)),
                "the name comes first",
                format!("write `{}: {ty}`", self.word_at(1)),
            );
        }
        self.bump();
        let name = self.any_name();
        let ty = Type { kind: TypeKind::Error, span: name.span };
        Param { span: self.since(start), name, ty, domain: None, attrs }
    }

    /// `real<lower=0> sigma`
    fn at_type_with_bounds(&self) -> bool {
        words::scalar(self.word()).is_some() && self.peek_at(1) == Tok::Lt
    }

    /// Reports the parameters without a type, in one message.
    fn untyped(&mut self, params: &[Param]) {
        let untyped = |p: &&Param| {
            matches!(p.ty.kind, TypeKind::Error) && p.ty.span == p.name.span && p.span == p.name.span
        };
        let names: Vec<&Name> = params.iter().filter(untyped).map(|p| &p.name).collect();
        let [first, rest @ ..] = &names[..] else { return };
        let quoted: Vec<String> = names.iter().map(|n| format!("`{}`", n.text)).collect();
        let typed: Vec<String> = names.iter().map(|n| format!("{}: f64", n.text)).collect();
        let message = match quoted.len() {
            1 => format!("parameter {} has no type", quoted[0]),
            _ => format!("parameters {} have no types", quoted.join(", ")),
        };
        let d = Diagnostic::error(Code::Expected, message).label(first.span, "no type");
        let d = rest.iter().fold(d, |d, n| d.also(n.span, "no type"));
        let d = d.help(format!("write `{}`; an array is `{}: f64[N]`", typed.join(", "), first.text));
        self.errors.push(d);
    }

    /// `(0, 1]`, `disk(2)`
    pub(super) fn domain(&mut self) -> Read<Domain> {
        let start = self.span();
        let lo_closed = match self.peek() {
            Tok::LBracket => true,
            Tok::LParen => false,
            Tok::Name => {
                let name = self.any_name();
                if !self.at(Tok::LParen) {
                    return Err(self.expected("`(`", "a domain like `disk(2)`"));
                }
                let open = self.open(Tok::RParen);
                let (args, close) = self.nest(|p| p.list(open, "a domain", Self::expr))?;
                return Ok(Domain { kind: DomainKind::Call { name, args }, span: start.to(close) });
            }
            _ => {
                let d = self.expected_error("an interval", "a domain");
                self.report(d.help("for example `in [0, 1]`, `in (0, INF)`, `in disk(2)`"));
                if self.at(Tok::LBrace) {
                    self.skip_braces();
                }
                return Err(Reported);
            }
        };
        self.bump();
        let (lo, hi) = self.nest(|p| {
            let lo = p.expr()?;
            if p.at(Tok::DotDot) {
                let d = Diagnostic::error(Code::Expected, "expected `,`, found `..`")
                    .label(p.span(), "in an interval")
                    .help("write `[a, b]`, with round brackets for open ends");
                p.report(d);
                p.bump();
            } else {
                p.expect(Tok::Comma, "`,` and the upper end", "an interval")?;
            }
            Ok((lo, p.expr()?))
        })?;
        let hi_closed = match self.peek() {
            Tok::RBracket => true,
            Tok::RParen => false,
            _ => return Err(self.expected("an operator, `]` or `)`", "an interval")),
        };
        let span = start.to(self.bump());
        Ok(Domain { kind: DomainKind::Interval { lo, hi, lo_closed, hi_closed }, span })
    }

    /// `-> type`, `-> (a: type, b: type)`
    fn results(&mut self, of: &Name) -> Read<Results> {
        match self.peek() {
            Tok::Arrow => {
                self.bump();
            }
            Tok::Colon | Tok::FatArrow => {
                self.say(
                    Code::Expected,
                    format!("expected `->`, found {}", self.found()),
                    self.span(),
                    "the result type follows an arrow",
                    "write `-> f64`",
                );
                self.bump();
            }
            Tok::LBrace | Tok::Semi => {
                let end = self.prev_span();
                self.say(
                    Code::Expected,
                    format!("expected `->`, found {}", self.found()),
                    end,
                    format!("`{}` has no result type", of.text),
                    "write `-> f64` behind the parameters, or `-> (f64, f64)`",
                );
                let ty = Type { kind: TypeKind::Error, span: end };
                return Ok(Results { items: vec![ResultItem { name: None, ty, span: end }], span: end });
            }
            _ => {
                return Err(
                    self.expected("`->` and the result type", &format!("the declaration of `{}`", of.text))
                );
            }
        }
        let whole = format!("the result of `{}`", of.text);
        if !self.at(Tok::LParen) {
            let ty = self.ty(&whole)?;
            let span = ty.span;
            return Ok(Results { items: vec![ResultItem { name: None, ty, span }], span });
        }
        self.nest(|p| {
            let open = p.open(Tok::RParen);
            let (items, close) = p.list(open, &whole, |p| p.result_item(&whole))?;
            let span = open.span.to(close);
            if items.is_empty() {
                let d = Diagnostic::error(Code::EmptyList, "a function without a result")
                    .label(span, "nothing inside")
                    .help("a function gives at least one value: `-> f64`");
                p.report(d);
                let ty = Type { kind: TypeKind::Error, span };
                return Ok(Results { items: vec![ResultItem { name: None, ty, span }], span });
            }
            Ok(Results { items, span })
        })
    }

    fn result_item(&mut self, whole: &str) -> Read<ResultItem> {
        let start = self.span();
        let named = self.at(Tok::Name) && self.peek_at(1) == Tok::Colon;
        let name = if named { Some(self.name("the name of a result", whole)?) } else { None };
        if named {
            self.bump();
        }
        let ty = self.ty(whole)?;
        Ok(ResultItem { name, span: start.to(ty.span), ty })
    }
}

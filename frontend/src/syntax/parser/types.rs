//! Types.

use super::*;

impl Parser<'_> {
    /// A type; `whole` says whose.
    pub(super) fn ty(&mut self, whole: &str) -> Read<Type> {
        let start = self.span();
        match self.peek() {
            Tok::Name => self.named_type(),
            Tok::LParen => self.nest(|p| p.tuple_type(whole)),
            Tok::Fn => self.nest(|p| p.fn_type(whole)),
            Tok::Amp => {
                let d = Diagnostic::error(Code::NotInLanguage, "there are no references")
                    .label(start, "a reference")
                    .help("leave out the `&`: arrays are values, and copied only where it matters");
                self.report(d);
                self.bump();
                self.eat_word("mut");
                self.nest(|p| p.ty(whole))
            }
            Tok::LBracket => {
                let d = Diagnostic::error(Code::NotInLanguage, "an array type with its brackets in front")
                    .label(start, "not a type")
                    .help("write `f64[N]`, `f64[N, 3]`");
                Err(self.report(d))
            }
            _ => {
                let d = Diagnostic::error(Code::Expected, format!("expected a type, found {}", self.found()))
                    .label(start, format!("in {whole}"))
                    .help("the types are `bool i64 f32 f64 c64 c128`, arrays of them, `f64[N]`, and `fn(f64) -> f64` for parameters");
                Err(self.report(d))
            }
        }
    }

    /// `f64` or `f64[N, 3]`
    fn named_type(&mut self) -> Read<Type> {
        let elem = self.name("a type", "a type")?;
        let start = elem.span;
        if self.at(Tok::Lt) {
            let d = Diagnostic::error(Code::NotInLanguage, "a type with `<`")
                .label(self.span(), "there are no generic types")
                .help("an array type is written `f64[N]`");
            return Err(self.report(d));
        }
        if !self.at(Tok::LBracket) {
            return Ok(Type { span: start, kind: TypeKind::Scalar(elem) });
        }
        self.nest(|p| {
            let open = p.open(Tok::RBracket);
            if matches!(p.peek(), Tok::RBracket | Tok::Colon | Tok::Comma) {
                return Err(p.no_sizes(&elem));
            }
            let (dims, close) = p.list(open, "the sizes of the array", |p| {
                if p.word() == "_" { Err(p.no_sizes(&elem)) } else { p.expr() }
            })?;
            if p.at(Tok::LBracket) {
                let d = Diagnostic::error(Code::NotInLanguage, "an array of arrays")
                    .label(p.span(), "second pair of brackets")
                    .help(format!("write all sizes in one: `{}[N, M]`", elem.text));
                return Err(p.report(d));
            }
            Ok(Type { kind: TypeKind::Array { elem, dims }, span: start.to(close) })
        })
    }

    fn no_sizes(&mut self, elem: &Name) -> Reported {
        let d = Diagnostic::error(Code::Expected, format!("expected a size, found {}", self.found()))
            .label(self.span(), "an array type names its sizes")
            .help(format!("declare a dimension: `fn f[N](x: {}[N]) -> …`", elem.text));
        self.report(d)
    }

    /// `(t1, t2)`; one type in parentheses is that type.
    fn tuple_type(&mut self, whole: &str) -> Read<Type> {
        let open = self.open(Tok::RParen);
        let (mut types, close) = self.list(open, "the tuple type", |p| p.ty(whole))?;
        let span = open.span.to(close);
        match types.len() {
            0 => {
                let d = Diagnostic::error(Code::EmptyList, "a tuple type without parts")
                    .label(span, "nothing inside")
                    .help("every value is something; a tuple has at least two parts");
                self.report(d);
                Ok(Type { kind: TypeKind::Error, span })
            }
            1 => Ok(types.pop().map_or(Type { kind: TypeKind::Error, span }, |t| Type { span, ..t })),
            _ => Ok(Type { kind: TypeKind::Tuple(types), span }),
        }
    }

    /// `fn(t1, t2) -> t`
    fn fn_type(&mut self, whole: &str) -> Read<Type> {
        let start = self.bump();
        if !self.at(Tok::LParen) {
            return Err(self.expected("`(`", "a function type"));
        }
        let open = self.open(Tok::RParen);
        let (params, _) = self.list(open, "the function type", |p| p.ty(whole))?;
        self.expect(Tok::Arrow, "`->` and the result type", "a function type")?;
        let result = Box::new(self.ty(whole)?);
        let span = start.to(result.span);
        Ok(Type { kind: TypeKind::Fn { params, result }, span })
    }
}

//! Types.

use super::*;
use crate::words;

impl Parser<'_> {
    /// A type; `whole` says whose.
    pub(super) fn ty(&mut self, whole: &str) -> Read<Type> {
        let start = self.span();
        match self.peek() {
            Tok::Name => self.named_type(),
            Tok::LParen => self.nest(|p| p.tuple_type(whole)),
            Tok::Fn => self.nest(|p| p.fn_type(whole)),
            Tok::Amp => {
                self.say(Code::NotInLanguage, "there are no references", start, "a reference", "leave out the `&`: arrays are values, `f64[N]`, and copied only where it matters");
                self.bump();
                self.eat_word("mut");
                if self.at(Tok::LBracket) {
                    return Ok(self.skip_type(start));
                }
                self.nest(|p| p.ty(whole))
            }
            Tok::Star => {
                self.say(Code::NotInLanguage, "there are no pointers", start, "a pointer", "leave out the `*`: an array is `f64[N]`, with the size among the dimensions of the function, `fn f[N](…)`");
                self.bump();
                self.nest(|p| p.ty(whole))
            }
            Tok::LBracket => {
                self.say(Code::NotInLanguage, "an array type with its brackets in front", start, "not a type", "write `f64[N]`, `f64[N, 3]`");
                Ok(self.skip_type(start))
            }
            _ => {
                Err(self.say(Code::Expected, format!("expected a type, found {}", self.found()), start, format!("in {whole}"), "the types are `bool i64 f32 f64 c64 c128`, arrays of them, `f64[N]`, and `fn(f64) -> f64` for parameters"))
            }
        }
    }

    /// Skips the brackets that a type of another language has here.
    fn skip_type(&mut self, start: Span) -> Type {
        let mut open = 0;
        while !matches!(self.peek(), Tok::Eof | Tok::Arrow) {
            match self.peek() {
                Tok::LBracket | Tok::Lt | Tok::LBrace => open += 1,
                Tok::RBracket | Tok::Gt | Tok::RBrace => open -= 1,
                _ => {}
            }
            self.bump();
            if open == 0 {
                break;
            }
        }
        Type { kind: TypeKind::Error, span: self.since(start) }
    }

    /// `f64` or `f64[N, 3]`
    fn named_type(&mut self) -> Read<Type> {
        let mut elem = self.name("a type", "a type")?;
        let start = elem.span;
        while self.at(Tok::Dot) && self.peek_at(1) == Tok::Name {
            // `np.float64`: what is said of the last name is enough.
            self.bump();
            let text = self.word().to_string();
            elem = Name { text, span: start.to(self.bump()) };
        }
        let generic = self.at(Tok::Lt) || (self.at(Tok::LBrace) && words::is_array_type(&elem.text));
        if generic {
            let bounds = matches!(self.word_at(1), "lower" | "upper" | "offset");
            let (label, help) = match bounds {
                true => (
                    "bounds are a domain",
                    "write `sigma: f64 in (0, INF)`, with round brackets for open ends",
                ),
                false => {
                    ("there are no generic types", "an array type is written `f64[N]`, a matrix `f64[N, M]`")
                }
            };
            self.say(Code::NotInLanguage, format!("a type with {}", self.found()), self.span(), label, help);
            return Ok(self.skip_type(start));
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
            let ty = Type { kind: TypeKind::Array { elem, dims }, span: start.to(close) };
            if let TypeKind::Array { elem, .. } = &ty.kind
                && words::is_array_type(&elem.text)
                && words::scalar(p.word()).is_some()
            {
                // `array[3] real`
                p.bump();
            }
            Ok(ty)
        })
    }

    fn no_sizes(&mut self, elem: &Name) -> Reported {
        self.say(
            Code::Expected,
            format!("expected a size, found {}", self.found()),
            self.span(),
            "an array type names its sizes",
            format!("declare a dimension: `fn f[N](x: {}[N]) -> …`", elem.text),
        )
    }

    /// `(t1, t2)`; one type in parentheses is that type.
    fn tuple_type(&mut self, whole: &str) -> Read<Type> {
        let open = self.open(Tok::RParen);
        let (mut types, close) = self.list(open, "the tuple type", |p| p.ty(whole))?;
        let span = open.span.to(close);
        match types.len() {
            0 => {
                self.say(
                    Code::EmptyList,
                    "a tuple type without parts",
                    span,
                    "nothing inside",
                    "there is no empty tuple; a tuple has at least two parts",
                );
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
            let d = self.expected_error("`(`", "a function type");
            return Err(self.report(d.help("write its parameters and result: `fn(f64) -> f64`")));
        }
        let open = self.open(Tok::RParen);
        let (params, _) = self.list(open, "the function type", |p| p.ty(whole))?;
        self.expect(Tok::Arrow, "`->` and the result type", "a function type")?;
        let result = Box::new(self.ty(whole)?);
        let span = start.to(result.span);
        Ok(Type { kind: TypeKind::Fn { params, result }, span })
    }
}

//! Types with their sizes. A size may name values that are not read yet, so names stay names here.

use super::{NameAt, Parser};
use crate::codes::Code;
use crate::diag::{Diagnostic, Span};
use crate::dims::Dim;
use crate::module::*;
use crate::text::lexer::Tok;
use crate::types::Scalar;

/// A type as it stands.
pub(super) struct TypeText {
    elem: Scalar,
    sizes: Vec<DimText>,
}

/// A sum of products.
pub(super) struct DimText {
    terms: Vec<(i64, Vec<NameAt>)>,
    place: Span,
}

impl TypeText {
    pub(super) fn resolve(
        &self,
        value: impl Fn(&NameAt) -> Result<Value, Diagnostic>,
    ) -> Result<ValueData, Diagnostic> {
        let sizes: Result<_, Diagnostic> = self.sizes.iter().map(|d| d.resolve(&value)).collect();
        Ok(ValueData::array(self.elem, sizes?))
    }
}

impl DimText {
    pub(super) fn resolve(
        &self,
        value: impl Fn(&NameAt) -> Result<Value, Diagnostic>,
    ) -> Result<Dim, Diagnostic> {
        let mut sum = Some(Dim::constant(0));
        for (c, names) in &self.terms {
            let mut product = Some(Dim::constant(*c));
            for at in names {
                let v = Dim::var(value(at)?);
                product = product.and_then(|p| p.mul(&v));
            }
            sum = sum.zip(product).and_then(|(s, p)| s.add(&p));
        }
        sum.ok_or_else(|| {
            Diagnostic::error(Code::IrSyntax, "a size that is too large a polynomial")
                .label(self.place, "out of bounds")
        })
    }
}

impl Parser<'_> {
    /// `f64`, `f64[N, 2*N-1]`
    pub(super) fn ty(&mut self) -> Result<TypeText, Diagnostic> {
        let elem = self.word("a type", Scalar::from_name)?;
        let sizes = if self.eat("[") { self.list("]", Self::size)? } else { Vec::new() };
        Ok(TypeText { elem, sizes })
    }

    /// `2*N*N-M+1`
    pub(super) fn size(&mut self) -> Result<DimText, Diagnostic> {
        let start = self.tokens[self.at].1;
        let mut terms = Vec::new();
        loop {
            let negative = match self.eat("-") {
                true => true,
                false if terms.is_empty() || self.eat("+") => false,
                false => break,
            };
            terms.push(self.term(negative)?);
        }
        Ok(DimText { terms, place: start.to(self.tokens[self.at - 1].1) })
    }

    fn term(&mut self, negative: bool) -> Result<(i64, Vec<NameAt>), Diagnostic> {
        let mut coefficient = if negative { -1i64 } else { 1 };
        let mut names = Vec::new();
        loop {
            match self.peek() {
                Tok::Number(digits) => {
                    // As `i128`, so that the smallest `i64` is its digits with a sign before them.
                    let n: Option<i128> = digits.parse().ok();
                    let product = n.and_then(|n| n.checked_mul(coefficient as i128));
                    match product.and_then(|n| i64::try_from(n).ok()) {
                        Some(n) => coefficient = n,
                        None => return self.fail("an integer"),
                    }
                    self.at += 1;
                }
                Tok::Name(_) | Tok::Str(_) => names.push(self.name()?),
                Tok::Punct(_) | Tok::End => return self.fail("a size"),
            }
            if !self.eat("*") {
                return Ok((coefficient, names));
            }
        }
    }
}

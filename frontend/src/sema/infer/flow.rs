//! Values that flow into places of a type: annotations, assignments, arguments, results, branches.

use super::errors::{Demand, Operand};
use super::{Deferred, Infer};
use crate::sema::dims;
use crate::sema::hir::*;
use crate::sema::types::{Class, CxId, Num, Ty};
use adc_ir::{Op, Span};

impl<'a> Infer<'_, 'a> {
    /// Makes the value of `e` fit a place of type `to`, or reports the innermost expression that does not.
    /// Says whether it fits.
    pub(super) fn flow(&mut self, e: &Expr<'a>, to: &Ty, demand: Demand<'a>) -> bool {
        let normal = (self.types.syms.facts() > 0).then(|| self.normal(to));
        let to = normal.as_ref().unwrap_or(to);
        match (&e.kind, to) {
            (ExprKind::Tuple(es), Ty::Tuple(ts)) if es.len() == ts.len() => {
                es.iter().zip(ts).fold(true, |ok, (e, t)| self.flow(e, t, demand) && ok)
            }
            (ExprKind::Block(b), _) => match &b.value {
                Some(value) => self.flow(value, to, demand),
                None => self.flow_leaf(e, to, demand),
            },
            // The branches agree already, so the first mismatch stands for all.
            (ExprKind::If { branches, otherwise: Some(last) }, _) => {
                let blocks = branches.iter().map(|(_, b)| b).chain([last]);
                let values: Option<Vec<&Expr>> = blocks.map(|b| b.value.as_deref()).collect();
                match values {
                    Some(values) => values.into_iter().all(|v| self.flow(v, to, demand)),
                    None => self.flow_leaf(e, to, demand),
                }
            }
            _ => self.flow_leaf(e, to, demand),
        }
    }

    fn flow_leaf(&mut self, e: &Expr<'a>, to: &Ty, demand: Demand<'a>) -> bool {
        let value = self.operand(e);
        let fits = self.fit(&value, &e.ty, to, demand);
        if !fits {
            self.mismatch(&value, to, demand);
        }
        fits
    }

    fn fit(&mut self, value: &Operand<'a>, from: &Ty, to: &Ty, demand: Demand<'a>) -> bool {
        match (from, to) {
            (Ty::Bool, Ty::Bool) => true,
            (Ty::Error, t) | (t, Ty::Error) => {
                self.types.taint(t);
                true
            }
            (Ty::Tuple(a), Ty::Tuple(b)) if a.len() == b.len() => {
                a.iter().zip(b).all(|(a, b)| self.fit(value, a, b, demand))
            }
            (Ty::Array(a, s), Ty::Array(b, t)) if dims::same_shape(s, t) => match (&**a, &**b) {
                (Ty::Num(a), Ty::Num(b)) => self.fit_num(value, *a, *b, to, demand),
                (a, b) => self.fit(value, a, b, demand),
            },
            (Ty::Num(a), Ty::Num(b)) => self.fit_num(value, *a, *b, to, demand),
            _ => false,
        }
    }

    /// A number, or each of an array, into a place of type `place`.
    fn fit_num(&mut self, value: &Operand<'a>, a: Num, b: Num, place: &Ty, demand: Demand<'a>) -> bool {
        if self.types.unify(a.class, b.class, value.span, value.span).is_err() {
            return false;
        }
        match self.types.flow(a.cx, b.cx) {
            None => true,
            Some((CxId::COMPLEX, CxId::REAL)) => false,
            Some((from, to)) => {
                let (value, place) = (value.clone(), place.clone());
                self.deferred.push(Deferred::Flow { from, to, value, place, demand });
                true
            }
        }
    }

    /// The type both sides of an `if` or `select` have: numbers of one class, complex if one is. `None` if
    /// there is none.
    pub(super) fn join(&mut self, a: (&Ty, Span), b: (&Ty, Span)) -> Option<Ty> {
        Some(match (a.0, b.0) {
            (Ty::Error, t) | (t, Ty::Error) => {
                self.types.taint(t);
                Ty::Error
            }
            (Ty::Unit, Ty::Unit) => Ty::Unit,
            (Ty::Bool, Ty::Bool) => Ty::Bool,
            (Ty::Num(x), Ty::Num(y)) => {
                self.types.unify(x.class, y.class, a.1, b.1).ok()?;
                Ty::Num(Num { class: x.class, cx: self.types.either(x.cx, y.cx) })
            }
            (Ty::Array(x, s), Ty::Array(y, t)) if dims::same_shape(s, t) => {
                // What is known of a size is worth more than what is not.
                let pick = |(a, b): (&adc_ir::Dim, &adc_ir::Dim)| {
                    if dims::is_unknown(a) { b.clone() } else { a.clone() }
                };
                let shape = s.iter().zip(t).map(pick).collect();
                Ty::array(self.join((x, a.1), (y, b.1))?, shape)
            }
            (Ty::Tuple(xs), Ty::Tuple(ys)) if xs.len() == ys.len() => {
                let parts: Option<Vec<Ty>> =
                    xs.iter().zip(ys).map(|(x, y)| self.join((x, a.1), (y, b.1))).collect();
                Ty::Tuple(parts?)
            }
            _ => return None,
        })
    }

    /// The operand as a number (of an array: its elements), or a report that `what` takes something else. An error type
    /// says nothing.
    pub(super) fn number(&mut self, e: &Expr<'a>, what: &'a str, takes: &str) -> Option<Num> {
        match e.ty.elem() {
            Ty::Num(n) => Some(*n),
            Ty::Error => None,
            Ty::Unit | Ty::Bool | Ty::Array(..) | Ty::Tuple(_) | Ty::Fn(_) => {
                let value = self.operand(e);
                self.not_taken(&value, what, takes);
                None
            }
        }
    }

    /// A number whose class is narrowed to `class`.
    pub(super) fn number_of(
        &mut self,
        e: &Expr<'a>,
        class: Class,
        what: &'a str,
        takes: &str,
    ) -> Option<Num> {
        let n = self.number(e, what, takes)?;
        if self.types.narrow(n.class, class, e.span).is_err() {
            let value = self.operand(e);
            self.not_taken(&value, what, takes);
            return None;
        }
        Some(n)
    }

    /// The numbers of all operands; if one is not, the others have met something that was reported.
    pub(super) fn all_or_taint(&mut self, args: &[Expr<'a>], numbers: Vec<Option<Num>>) -> Option<Vec<Num>> {
        if numbers.iter().any(Option::is_none) {
            args.iter().for_each(|a| self.types.taint(&a.ty));
        }
        numbers.into_iter().collect()
    }

    /// Demands that a number is real.
    pub(super) fn real_only(&mut self, n: Num, e: &Expr<'a>, what: &'a str, takes: &str) {
        let value = self.operand(e);
        match n.cx {
            CxId::COMPLEX => self.not_taken(&value, what, takes),
            CxId::REAL | CxId::OPEN => {}
            from => self.deferred.push(Deferred::RealOnly { from, value, what }),
        }
    }

    /// Makes two operands one class.
    pub(super) fn agree(&mut self, op: &str, a: (&Expr<'a>, Num), b: (&Expr<'a>, Num), span: Span) -> bool {
        let fine = self.types.unify(a.1.class, b.1.class, a.0.span, b.0.span).is_ok();
        if !fine {
            let (x, y) = (self.operand(a.0), self.operand(b.0));
            self.clash(op, &x, &y, span);
        }
        fine
    }

    /// An expression of an op.
    pub(super) fn prim_expr(op: Op, name: &'static str, args: Vec<Expr<'a>>, ty: Ty, span: Span) -> Expr<'a> {
        Expr { kind: ExprKind::Prim { op, name, args }, ty, span }
    }
}

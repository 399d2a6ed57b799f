//! Branches and the variables they assign.

use super::{Lower, MAX_REGIONS, Slot};
use crate::sema::hir::*;
use crate::sema::types::Ty;
use adc_ir::{Const, Diagnostic, Region, Span, Value, ValueData, Values};
use std::collections::BTreeMap;

/// A closed region, and the outer variables it assigned.
pub(super) struct Closed {
    /// It yields the value only.
    pub region: Region,
    /// With what they held at its end.
    pub assigned: BTreeMap<LocalId, Values>,
}

impl<'l, 'a> Lower<'l, 'a> {
    /// An `if` of two branches; the values both yield.
    pub(super) fn branches(
        &mut self,
        cond: Value,
        span: Span,
        then: impl FnOnce(&mut Self) -> Result<Values, Diagnostic>,
        other: impl FnOnce(&mut Self) -> Result<Values, Diagnostic>,
    ) -> Result<Values, Diagnostic> {
        let mut then = self.region(Vec::new(), span, |l, _| then(l))?;
        let mut other = self.region(Vec::new(), span, |l, _| other(l))?;
        let width = then.region.yields.len();
        let mut changed: Vec<LocalId> = then.assigned.keys().chain(other.assigned.keys()).copied().collect();
        changed.sort_unstable();
        changed.dedup();
        for id in &changed {
            let Slot::Values(before) = &self.env[id.0].slot else {
                unreachable!("assigned before it is bound")
            };
            for b in [&mut then, &mut other] {
                b.region.yields.extend(b.assigned.get(id).unwrap_or(before));
            }
        }
        self.builder.set_span(span);
        let results = self.builder.if_(cond, then.region, other.region);
        let mut rest = &results[width..];
        for id in changed {
            let Slot::Values(before) = &self.env[id.0].slot else { unreachable!("checked above") };
            let (mine, others) = rest.split_at(before.len());
            self.assign(id, Values::from_slice(mine));
            rest = others;
        }
        Ok(Values::from_slice(&results[..width]))
    }

    /// Lowers a region, which yields what `f` says, and takes its assignments back.
    pub(super) fn region(
        &mut self,
        params: Vec<ValueData>,
        span: Span,
        f: impl FnOnce(&mut Self, &[Value]) -> Result<Values, Diagnostic>,
    ) -> Result<Closed, Diagnostic> {
        if self.level >= MAX_REGIONS {
            return Err(Self::too_deep(span));
        }
        let mark = self.journal.len();
        let params = self.builder.open_with(params);
        self.level += 1;
        let yields = f(self, &params)?;
        self.level -= 1;
        let region = self.builder.close(yields.to_vec());
        let mut assigned = BTreeMap::new();
        while self.journal.len() > mark {
            let (id, before) = self.journal.pop().expect("longer than the mark");
            let now = std::mem::replace(&mut self.env[id.0].slot, before);
            // What the branch declared itself ends with it. The latest assignment is popped first.
            if self.env[id.0].level <= self.level
                && let Slot::Values(now) = now
            {
                assigned.entry(id).or_insert(now);
            }
        }
        Ok(Closed { region, assigned })
    }

    pub(super) fn assign(&mut self, id: LocalId, values: Values) {
        let before = std::mem::replace(&mut self.env[id.0].slot, Slot::Values(values));
        self.journal.push((id, before));
    }

    /// `if … else if … else …` from the branch `at` on; `ty` is the type of its value.
    pub(super) fn if_chain(
        &mut self,
        branches: &'l [(Expr<'a>, Block<'a>)],
        otherwise: Option<&'l Block<'a>>,
        ty: &'l Ty,
        span: Span,
    ) -> Result<Values, Diagnostic> {
        let Some(((cond, block), rest)) = branches.split_first() else {
            return match otherwise {
                Some(block) => self.block_as(block, ty),
                None => Ok(Values::new()),
            };
        };
        let c = self.expr(cond)?[0];
        self.branches(c, span, |l| l.block_as(block, ty), |l| l.if_chain(rest, otherwise, ty, span))
    }

    /// `a && b`, `a || b`: `b` is evaluated only if it decides.
    pub(super) fn lazy(
        &mut self,
        and: bool,
        a: &'l Expr<'a>,
        b: &'l Expr<'a>,
        span: Span,
    ) -> Result<Values, Diagnostic> {
        let c = self.expr(a)?[0];
        let decided = |l: &mut Self| {
            l.builder.set_span(span);
            Ok(Values::from_slice(&[l.constant(Const::Bool(!and))]))
        };
        if and {
            self.branches(c, span, |l| l.expr(b), decided)
        } else {
            self.branches(c, span, decided, |l| l.expr(b))
        }
    }

    /// A block whose value has type `ty`; with [`Ty::Unit`] its value is dropped.
    pub(super) fn block_as(&mut self, b: &'l Block<'a>, ty: &Ty) -> Result<Values, Diagnostic> {
        for s in &b.stmts {
            self.stmt(s)?;
        }
        match &b.value {
            Some(v) if matches!(ty, Ty::Unit) => {
                self.expr(v)?;
                Ok(Values::new())
            }
            Some(v) => self.expr_as(v, ty),
            None => Ok(Values::new()),
        }
    }

    fn stmt(&mut self, s: &'l Stmt<'a>) -> Result<(), Diagnostic> {
        match s {
            Stmt::Bind(pat, e) => {
                let values = self.expr_as(e, &self.pattern_type(pat))?;
                self.bind(pat, &values);
            }
            Stmt::Assign(id, e) => {
                let body = self.body;
                let values = self.expr_as(e, &body.locals[id.0].ty)?;
                self.assign(*id, values);
            }
            Stmt::AssignAt(a) => self.assign_at(a)?,
            Stmt::For(l) => self.for_loop(l)?,
            Stmt::While(l) => self.while_loop(l)?,
            Stmt::Expr(e) => {
                self.expr(e)?;
            }
            Stmt::Assert(cond, text) => {
                let c = self.expr(cond)?[0];
                self.builder.set_span(cond.span);
                self.builder.assert(adc_ir::Guard::Assert(text.clone()), c);
            }
        }
        Ok(())
    }

    fn pattern_type(&self, pat: &Pat) -> Ty {
        match pat {
            Pat::Local(id) => self.body.locals[id.0].ty.clone(),
            Pat::Wild(ty) => ty.clone(),
            Pat::Tuple(ps) => Ty::Tuple(ps.iter().map(|p| self.pattern_type(p)).collect()),
        }
    }

    /// Binds the pattern's variables; the number of values taken.
    fn bind(&mut self, pat: &Pat, values: &[Value]) -> usize {
        match pat {
            Pat::Local(id) => {
                let width = self.width(&self.body.locals[id.0].ty);
                self.set(*id, Slot::Values(Values::from_slice(&values[..width])));
                width
            }
            Pat::Wild(ty) => self.width(ty),
            Pat::Tuple(ps) => ps.iter().fold(0, |at, p| at + self.bind(p, &values[at..])),
        }
    }
}

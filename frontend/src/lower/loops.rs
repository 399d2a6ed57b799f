//! `for` and `while`: what a loop assigns is carried.

use super::{Lower, Slot};
use crate::sema::hir::*;
use crate::sema::visit;
use adc_ir::{Diagnostic, Loop, Scalar, Value, ValueData, Values};

impl<'l, 'a> Lower<'l, 'a> {
    pub(super) fn for_loop(&mut self, l: &'l For<'a>) -> Result<(), Diagnostic> {
        let For { var, range, body, checkpoint, span } = l;
        let (var, checkpoint, span) = (*var, *checkpoint, *span);
        let ends = self.ends(range, span)?;
        let carried = visit::assigned(body);
        let init = self.held(&carried);
        let mut params = vec![ValueData::scalar(Scalar::I64)];
        params.extend(init.iter().map(|v| self.builder.data(*v).clone()));
        let region = self.region(params, span, |l, params| {
            l.set(var, Slot::Values(Values::from_slice(&params[..1])));
            l.hold(&carried, &params[1..]);
            l.iteration(body)?;
            Ok(l.held(&carried))
        })?;
        self.builder.set_span(span);
        let l = Loop { checkpoint, ..Loop::default() };
        let results = self.builder.for_of(l, ends, &init, region.region);
        self.hold(&carried, &results);
        Ok(())
    }

    pub(super) fn while_loop(&mut self, l: &'l While<'a>) -> Result<(), Diagnostic> {
        let While { cond, body, checkpoint, span } = l;
        let (checkpoint, span) = (*checkpoint, *span);
        let carried = visit::assigned(body);
        let init = self.held(&carried);
        let params: Vec<ValueData> = init.iter().map(|v| self.builder.data(*v).clone()).collect();
        let test = self.region(params.clone(), span, |l, params| {
            l.hold(&carried, params);
            l.expr(cond)
        })?;
        let iteration = self.region(params, span, |l, params| {
            l.hold(&carried, params);
            l.iteration(body)?;
            Ok(l.held(&carried))
        })?;
        self.builder.set_span(span);
        let l = Loop { checkpoint, ..Loop::default() };
        let results = self.builder.while_of(l, &init, test.region, iteration.region);
        self.hold(&carried, &results);
        Ok(())
    }

    /// The body once.
    fn iteration(&mut self, body: &'l Block<'a>) -> Result<(), Diagnostic> {
        self.block_as(body, &crate::sema::types::Ty::Unit)?;
        Ok(())
    }

    /// What variables hold, one after the other.
    fn held(&self, ids: &[LocalId]) -> Values {
        let mut out = Values::new();
        for id in ids {
            match &self.env[id.0].slot {
                Slot::Values(vs) => out.extend(vs.iter().copied()),
                Slot::Unset | Slot::Fn(_) => unreachable!("assigned before it is bound"),
            }
        }
        out
    }

    /// Assigns variables, each as many values as it holds.
    fn hold(&mut self, ids: &[LocalId], values: &[Value]) {
        let mut rest = values;
        for id in ids {
            let width = match &self.env[id.0].slot {
                Slot::Values(vs) => vs.len(),
                Slot::Unset | Slot::Fn(_) => unreachable!("assigned before it is bound"),
            };
            let (mine, others) = rest.split_at(width);
            self.assign(*id, Values::from_slice(mine));
            rest = others;
        }
    }
}

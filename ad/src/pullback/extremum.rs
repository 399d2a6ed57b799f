//! The reverse of `max` and `min`: the terms that attain the extremum share its cotangent. Either all terms are compared with it once
//! more, or the forward sweep keeps the indices of the last one and of the first, and only these terms are reversed: see `plan/terms.rs`.

use super::Pullback;
use super::contributions::Contribution;
use crate::activity::body_of;
use crate::emit::Ex;
use crate::linear::{Lin, Mask};
use adc_ir::{Const, Inst, Kind, Loop, Op, ReduceOp, Region, Scalar, Value};

impl<'a> Pullback<'a> {
    pub(super) fn extremum(&mut self, inst: &'a Inst, bar: Option<Contribution>) {
        match self.sw.plan.exits(inst).and_then(|e| e.attaining) {
            Some(found) => self.attaining_terms(inst, found, bar),
            None => self.all_terms(inst, bar),
        }
    }

    /// From the first term that attains it to the last. If there is only one nothing else runs, and nothing is compared but where a term
    /// is long, or has extrema in it: code that reverses a term twice would double with each of these.
    fn attaining_terms(&mut self, inst: &'a Inst, found: [Value; 2], bar: Option<Contribution>) {
        let result = inst.results[0];
        let bar = self.dense(result, bar);
        let (body, place) = (body_of(inst), self.sw.plan.region(inst, 0));
        let [last, first] = found.map(|v| self.sw.value(v));
        if !is_short(body) {
            return self.tied(inst, [first, last], bar);
        }
        let alone = self.sw.em.b.op(Op::Eq, &[last, first]);
        self.open_branch(Some(place));
        self.term(inst, first);
        self.add(body.yields[0], Contribution::value(bar));
        self.region(body);
        self.sw.em.begin(inst.span);
        let one_term = self.close_branch();
        self.open_branch(None);
        self.tied(inst, [first, last], bar);
        let several = self.close_branch();
        self.sw.em.begin(inst.span);
        self.join(alone, vec![one_term, several], &Mask::new());
    }

    /// All terms between two that attain it, where that may be more than one.
    fn tied(&mut self, inst: &'a Inst, [first, last]: [Value; 2], bar: Value) {
        let result = inst.results[0];
        let (body, place) = (body_of(inst), self.sw.plan.region(inst, 0));
        let extremum = self.sw.value(result);
        let one = self.sw.int(1);
        let end = self.sw.em.b.op(Op::Add, &[last, one]);
        let range = [first, end, self.sw.value(inst.args[2])];
        // Of those that are NaN it is not known yet.
        let ties = self.ties(inst, range, |_, t| t, extremum);
        let share = self.sw.em.b.op(Op::Div, &[bar, ties]);

        let (i, _) = self.open_loop(None, false, Vec::new());
        let attains = self.compared(inst, i, extremum);
        self.open_branch(Some(place));
        self.add(body.yields[0], Contribution::value(share));
        self.region(body);
        self.sw.em.begin(inst.span);
        let there = self.close_branch();
        self.open_branch(None);
        let elsewhere = self.close_branch();
        self.sw.em.begin(inst.span);
        self.join(attains, vec![there, elsewhere], &Mask::new());
        self.close_loop(range, Vec::new());
    }

    /// How many terms attain an extremum, as a number of its type. `index`: that of an iteration of `range`.
    fn ties(
        &mut self,
        inst: &'a Inst,
        range: [Value; 3],
        index: impl FnOnce(&mut Self, Value) -> Value,
        extremum: Value,
    ) -> Value {
        let [zero, one] =
            [0.0, 1.0].map(|x| self.sw.em.constant(Const::real(x, self.ty(inst.results[0]).scalar())));
        let t = self.sw.open(vec![Scalar::I64.into()]);
        let i = index(self, t[0]);
        let attains = self.compared(inst, i, extremum);
        let hit = self.sw.em.b.op(Op::Select, &[attains, one, zero]);
        let region = self.sw.close(vec![hit]);
        let l = Loop { sums: 1, ..Loop::default() };
        self.sw.em.b.for_of(l, range, &[], region)[0]
    }

    /// All terms, once to count those that attain it.
    fn all_terms(&mut self, inst: &'a Inst, bar: Option<Contribution>) {
        let result = inst.results[0];
        let bar = self.dense(result, bar);
        let extremum = self.sw.value(result);
        let n = self.sw.iterations(inst);
        let range = [self.sw.int(0), n, self.sw.int(1)];
        let ties = self.ties(inst, range, |p, t| p.sw.index(inst, t), extremum);
        let share = self.sw.em.b.op(Op::Div, &[bar, ties]);

        let (t, _) = self.open_loop(Some(self.sw.plan.region(inst, 0)), true, Vec::new());
        let i = self.sw.index(inst, t);
        let attains = self.compared(inst, i, extremum);
        let share = self.sw.em.masked(Lin::always(Ex::Val(share)), &[(attains, true)]);
        if let Some(share) = share {
            self.add(body_of(inst).yields[0], Contribution::All(share));
        }
        self.region(body_of(inst));
        self.sw.em.begin(inst.span);
        self.close_loop(range, Vec::new());
    }

    /// Computes a term once more, and whether it attains the extremum.
    fn compared(&mut self, inst: &'a Inst, i: Value, extremum: Value) -> Value {
        let y = self.term(inst, i);
        self.attains(y, extremum)
    }

    /// Computes a term once more.
    fn term(&mut self, inst: &'a Inst, i: Value) -> Value {
        let body = body_of(inst);
        self.sw.define(&body.params, &[i]);
        self.sw.copy(body, Some(self.sw.plan.region(inst, 0)));
        self.sw.em.begin(inst.span);
        self.sw.value(body.yields[0])
    }

    /// Equal, or NaN: then the extremum is so, too.
    fn attains(&mut self, y: Value, extremum: Value) -> Value {
        let b = &mut self.sw.em.b;
        let same = b.op(Op::Eq, &[y, extremum]);
        let nan = b.op(Op::IsNan, &[y]);
        b.op(Op::Or, &[same, nan])
    }
}

/// Whether code that reverses a region twice is not much longer.
fn is_short(r: &Region) -> bool {
    /// Instructions, at most.
    const SHORT: usize = 200;
    fn size(r: &Region) -> Option<usize> {
        r.insts.iter().try_fold(0, |n, i| match i.kind {
            Kind::Reduce(ReduceOp::Max | ReduceOp::Min) => None,
            _ => i.regions.iter().try_fold(n + 1, |n, r| Some(n + size(r)?)),
        })
    }
    size(r).is_some_and(|n| n <= SHORT)
}

//! The reverse of `max` and `min`: the terms that attain the extremum share its cotangent. The forward sweep keeps how many
//! attain it and the index of the first, and only these terms are reversed.

use super::Pullback;
use super::contributions::Contribution;
use crate::activity::body_of;
use crate::linear::Mask;
use adc_ir::{Const, Inst, Loop, Op, Scalar, Value};

impl<'a> Pullback<'a> {
    pub(super) fn extremum(&mut self, inst: &'a Inst, bar: Option<Contribution>) {
        if self.ty(inst.results[0]).is_array() {
            self.extrema(inst, bar)
        } else {
            self.one_extremum(inst, bar)
        }
    }

    /// From the first term that attains it; if it is the only one nothing else runs.
    fn one_extremum(&mut self, inst: &'a Inst, bar: Option<Contribution>) {
        let result = inst.results[0];
        let bar = self.dense(result, bar);
        let place = self.sw.plan.region(inst, 0);
        let found = self.sw.plan.exits(inst).and_then(|e| e.attaining).expect("the plan has it kept");
        let [count, first] = found.map(|v| self.sw.value(v));
        let extremum = self.sw.value(result);
        let [hi, step] = [1, 2].map(|k| self.sw.value(inst.args[k]));
        let one = self.sw.int(1);
        let to_real = if self.ty(result).scalar() == Scalar::F32 { Op::ToF32 } else { Op::ToF64 };
        let b = &mut self.sw.em.b;
        let ties = b.op(to_real, &[count]);
        let share = b.op(Op::Div, &[bar, ties]);
        let next = b.op(Op::Add, &[first, one]);
        let alone = self.sw.em.b.op(Op::Eq, &[count, one]);
        let number = self.sw.em.b.op(Op::Eq, &[extremum, extremum]);
        let alone = self.sw.em.b.op(Op::And, &[alone, number]);
        let end = self.sw.em.b.op(Op::Select, &[alone, next, hi]);
        let body = body_of(inst);
        let (i, _) = self.open_loop(None, false, Vec::new());
        self.sw.define(&body.params, &[i]);
        self.sw.copy(body, Some(place));
        self.sw.em.begin(inst.span);
        let y = self.sw.value(body.yields[0]);
        let attains = self.attains(y, extremum);
        self.open_branch(Some(place));
        self.add(body.yields[0], Contribution::value(share));
        self.region(body);
        self.sw.em.begin(inst.span);
        let there = self.close_branch();
        self.open_branch(None);
        let elsewhere = self.close_branch();
        self.sw.em.begin(inst.span);
        self.join(attains, vec![there, elsewhere], &Mask::new());
        self.close_loop([first, end, step], Vec::new());
    }

    /// Equal, or both NaN.
    fn attains(&mut self, y: Value, extremum: Value) -> Value {
        let b = &mut self.sw.em.b;
        let same = b.op(Op::Eq, &[y, extremum]);
        let (a, c) = (b.op(Op::IsNan, &[y]), b.op(Op::IsNan, &[extremum]));
        let both = b.op(Op::And, &[a, c]);
        b.op(Op::Or, &[same, both])
    }

    /// Element by element, of arrays.
    fn extrema(&mut self, inst: &'a Inst, bar: Option<Contribution>) {
        let result = inst.results[0];
        let bar = self.dense(result, bar);
        let place = self.sw.plan.region(inst, 0);
        let extremum = self.sw.value(result);
        let data = self.sw.em.b.data(extremum).clone();
        let elem = data.ty.scalar();
        let n = self.sw.iterations(inst);
        let range = [self.sw.int(0), n, self.sw.int(1)];
        let body = body_of(inst);
        let [zero, one] = [0.0, 1.0].map(|x| self.sw.em.constant(Const::real(x, elem)));

        let t = self.sw.open(vec![Scalar::I64.into()]);
        let i = self.sw.index(inst, t[0]);
        self.sw.define(&body.params, &[i]);
        self.sw.copy(body, Some(place));
        self.sw.em.begin(inst.span);
        let y = self.sw.value(body.yields[0]);
        let hits = self.chosen(&data, y, extremum, |_, _| (one, zero));
        let region = self.sw.close(vec![hits]);
        let l = Loop { sums: 1, ..Loop::default() };
        let ties = self.sw.em.b.for_of(l, range, &[], region)[0];
        let share = self.sw.em.each(Op::Div, &[bar, ties]);

        let (t, _) = self.open_loop(Some(place), true, Vec::new());
        let i = self.sw.index(inst, t);
        self.sw.define(&body.params, &[i]);
        self.sw.copy(body, Some(place));
        self.sw.em.begin(inst.span);
        let y = self.sw.value(body.yields[0]);
        let seed = self.chosen(&data, y, extremum, |em, i| (em.at(share, i), zero));
        self.add(body.yields[0], Contribution::value(seed));
        self.region(body);
        self.sw.em.begin(inst.span);
        self.close_loop(range, Vec::new());
    }

    /// Element by element the one value where `y` attains the extremum, the other elsewhere.
    fn chosen(
        &mut self,
        data: &adc_ir::ValueData,
        y: Value,
        extremum: Value,
        sides: impl FnOnce(&mut crate::emit::Emitter, &[Value]) -> (Value, Value),
    ) -> Value {
        let index = self.sw.em.open_with(vec![Scalar::I64.into(); data.shape.len()]);
        let (a, b) = (self.sw.em.at(y, &index), self.sw.em.at(extremum, &index));
        let attains = self.attains(a, b);
        let (yes, no) = sides(&mut self.sw.em, &index);
        let element = self.sw.em.b.op(Op::Select, &[attains, yes, no]);
        let body = self.sw.em.close(vec![element]);
        self.sw.em.b.build_of(&data.shape, body)
    }
}

//! Comparisons that bounds settle become literals: `sqrt(x² + 1) = 0` is false, whatever x is. Branches and selections that only one side is
//! ever taken of go with them, as soon as canonical form is made. The derivative of a power, for one, asks about a base of 0. So does the
//! smaller or larger of two integers, if bounds say which it is.

use crate::facts::Known;
use crate::loops::scan;
use adc_ir::ranges::Ranges;
use adc_ir::{Const, Func, Inst, Kind, Op, Region, Scalar, Type, Value, ValueData, Values};

/// Returns whether there was any.
pub(crate) fn function(f: &mut Func) -> bool {
    // Most functions have no comparison.
    if !f.values.iter().any(|d| d.ty.scalar() == Scalar::Bool) {
        return false;
    }
    let ranges = Ranges::of(f);
    let mut any = false;
    scan::edit(f, |body, f| {
        let known = Known::of(f, &ranges);
        let mut settle = Settle { known, ranges: &ranges, values: &f.values, any: false };
        settle.region(body);
        any = settle.any;
    });
    any
}

struct Settle<'a> {
    known: Known<'a>,
    ranges: &'a Ranges,
    values: &'a [ValueData],
    any: bool,
}

impl Settle<'_> {
    fn region(&mut self, r: &mut Region) {
        let mark = self.known.mark();
        for inst in &mut r.insts {
            for k in 0..inst.regions.len() {
                let mark = self.known.mark();
                self.known.enter(inst, k, self.values);
                self.region(&mut inst.regions[k]);
                self.known.forget(mark);
            }
            if let Some(truth) = self.known.decided(inst, self.values) {
                (inst.kind, inst.args) = (Kind::Const(Const::Bool(truth)), Values::new());
                self.any = true;
            }
            if let Some(one) = self.extreme(inst).filter(|v| inst.args.iter().any(|a| a != v)) {
                inst.args = [one; 2].into_iter().collect();
                self.any = true;
            }
            self.known.learn(inst, self.values);
            if let Kind::Assert(_) = inst.kind {
                self.known.assume(inst.args[0], true, self.values);
            }
        }
        self.known.forget(mark);
    }

    /// Which of two integers the smaller or larger one is.
    fn extreme(&self, inst: &Inst) -> Option<Value> {
        let Kind::Op(op @ (Op::Min | Op::Max)) = inst.kind else { return None };
        let (a, b) = (inst.args[0], inst.args[1]);
        if self.values[inst.results[0].0 as usize].ty != Type::I64 {
            return None;
        }
        let [(a0, a1), (b0, b1)] = [a, b].map(|v| self.ranges.get(v));
        let (first, second) = match op {
            Op::Min => (a1 <= b0, b1 <= a0),
            _ => (a0 >= b1, b0 >= a1),
        };
        if first { Some(a) } else { second.then_some(b) }
    }
}

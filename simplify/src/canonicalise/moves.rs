//! Arrays that are rearrangements or parts of others: what is moved twice is moved once, what comes to where it was is not
//! moved at all.
//!
//! A part of a part is one of the whole only where both are known to be inside; else the run-time error of one of them
//! would be lost.

use super::Canon;
use adc_ir::{Const, Dim, Inst, Kind, Value, Values};

impl Canon<'_> {
    /// The array that an instruction gives, if it is there already. Otherwise the instruction may be another one afterwards,
    /// which gives the same.
    pub(super) fn moved(&mut self, inst: &mut Inst) -> Option<Value> {
        let x = *inst.args.first()?;
        match &inst.kind {
            Kind::Transpose => self.made_as(x, &Kind::Transpose).map(|of| of[0]),
            Kind::Reshape => {
                let mut from = x;
                while let Some(of) = self.made_as(from, &Kind::Reshape) {
                    from = of[0];
                }
                inst.args[0] = from;
                (self.sizes(from) == self.sizes(inst.results[0])).then_some(from)
            }
            Kind::Slice => self.part(inst),
            Kind::Pack => self.whole(&inst.args),
            _ => None,
        }
    }

    /// The array that a `build` copies element by element, or row by row, unless either is written to.
    pub(super) fn copied(&self, inst: &Inst) -> Option<Value> {
        let Kind::Build { .. } = inst.kind else { return None };
        let (body, r) = (&inst.regions[0], inst.results[0]);
        let mut reads = body.insts.iter().filter(|i| i.kind == Kind::Index);
        let read = reads.find(|i| i.results[..] == body.yields[..])?;
        let x = read.args[0];
        let all = read.args[1..] == body.params[..] && self.sizes(x) == self.sizes(r);
        let outside = self.facts[x.0 as usize].depth <= self.depth;
        (all && outside && !self.written.contains(&x) && !self.written.contains(&r)).then_some(x)
    }

    fn part(&mut self, inst: &mut Inst) -> Option<Value> {
        let (x, start) = (inst.args[0], self.int(inst.args[1])?);
        let [all, len] = [x, inst.results[0]].map(|v| self.sizes(v)[0].clone());
        if start == 0 && all == len {
            return Some(x);
        }
        let len = len.as_const()?;
        if start < 0 || start.checked_add(len)? > all.as_const()? {
            return None;
        }
        if let Some(elements) = self.made_as(x, &Kind::Pack) {
            let part: Values = elements.get(start as usize..(start + len) as usize)?.into();
            if !part.is_empty() {
                inst.kind = Kind::Pack;
                inst.args = part;
                return self.whole(&inst.args);
            }
        }
        let of = self.made_as(x, &Kind::Slice)?;
        let (from, first) = (of[0], self.int(of[1])?);
        let whole = self.sizes(from)[0].as_const()?;
        if first < 0 || first.checked_add(all.as_const()?)? > whole {
            return None;
        }
        inst.args[0] = from;
        inst.args[1] = self.constant(Const::I64(first + start), None, inst.span);
        None
    }

    /// The array whose elements these are, all of them and in their order.
    fn whole(&self, elements: &[Value]) -> Option<Value> {
        let x = self.made_as(elements[0], &Kind::Index)?[0];
        let all = self.sizes(x)[0].as_const() == Some(elements.len() as i64);
        let is_element = |(k, v): (usize, &Value)| {
            let of = self.made_as(*v, &Kind::Index);
            of.is_some_and(|of| of[0] == x && of.len() == 2 && self.int(of[1]) == Some(k as i64))
        };
        (all && elements.iter().enumerate().all(is_element)).then_some(x)
    }

    /// The element of the array that was reshaped, if all indices are known, and inside.
    pub(super) fn reshaped(
        &mut self,
        x: Value,
        of: Value,
        index: &[Value],
        span: adc_ir::Span,
    ) -> Option<Vec<Value>> {
        let numbers = |v: Value| self.sizes(v).iter().map(Dim::as_const).collect::<Option<Vec<i64>>>();
        let (shape, source) = (numbers(x)?, numbers(of)?);
        if index.len() != shape.len() {
            return None;
        }
        let mut at = 0;
        for (n, i) in shape.iter().zip(index) {
            let i = self.int(*i).filter(|i| (0..*n).contains(i))?;
            at = at * n + i;
        }
        let mut found = Vec::new();
        for n in source.iter().rev() {
            found.push(at % n);
            at /= n;
        }
        found.reverse();
        Some(found.into_iter().map(|i| self.constant(Const::I64(i), None, span)).collect())
    }

    /// The operands of the instruction of a kind that made an array.
    fn made_as(&self, x: Value, by: &Kind) -> Option<&Values> {
        self.made.get(&x).filter(|(kind, _)| kind == by).map(|(_, args)| args)
    }

    /// The sizes of a value as they are here.
    fn sizes(&self, v: Value) -> Vec<Dim> {
        self.values[v.0 as usize].shape.iter().map(|d| d.rename(|v| self.resolve(v))).collect()
    }
}

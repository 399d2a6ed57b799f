//! A sum of slices that a loop makes is computed element by element.
//!
//! The derivative of what reads `x[i]` and `x[i + 1]` adds two arrays to zeros, one of them a place further on. They need not be made: an
//! element of the sum is that of the one, if there is one, plus its neighbour of the other. What is cheap is computed there, and again if
//! something else needs it. All bits are kept.

use super::{neighbours, scan};
use adc_ir::dims::Known;
use adc_ir::{Const, Func, Inst, Kind, Loop, Op, Region, Scalar, Span, Value, ValueData};
use rustc_hash::FxHashMap;

/// Elements, at least.
const FEWEST: i64 = 32;
/// What the elements of all slices take at most, in cycles of latency. An estimate of what they save: arrays that are not stored and read.
const ALL: u32 = 64;

/// Returns whether there was any.
pub(crate) fn function(f: &mut Func) -> bool {
    let known = Known::of(f);
    let mut uses = vec![0; f.values.len()];
    let Some(body) = f.region() else { return false };
    body.count_uses(&mut uses);
    let mut any = false;
    scan::edit(f, |body, f| any = Slices { f, known: &known, uses: &uses }.region(body));
    any
}

struct Slices<'a> {
    f: &'a mut Func,
    known: &'a Known,
    uses: &'a [u32],
}

/// What a loop makes for the elements from `from` to `to`.
struct Slice {
    body: Region,
    from: i64,
    to: i64,
    span: Span,
}

impl Slices<'_> {
    fn region(&mut self, r: &mut Region) -> bool {
        let mut any = false;
        for inst in &mut r.insts {
            inst.regions.iter_mut().for_each(|r| any |= self.region(r));
        }
        let sums: Vec<(usize, Vec<Slice>)> = {
            let all = r.insts.iter().enumerate();
            let made: FxHashMap<Value, usize> =
                all.clone().flat_map(|(k, i)| i.results.iter().map(move |v| (*v, k))).collect();
            all.filter_map(|(k, _)| Some((k, self.sum(&r.insts, k, &made)?))).collect()
        };
        for (k, slices) in sums {
            let inst = self.element_by_element(&r.insts[k], slices);
            r.insts[k] = inst;
            any = true;
        }
        any
    }

    /// The slices that an array is the sum of, if it is one of zeros otherwise, in their order.
    fn sum(&self, insts: &[Inst], last: usize, made: &FxHashMap<Value, usize>) -> Option<Vec<Slice>> {
        let (mut slices, mut inst, mut cost) = (Vec::new(), &insts[last], 0);
        let size = self.size(*inst.results.first()?)?;
        while inst.kind == Kind::AddSlice {
            let &[array, part, offset] = &inst.args[..] else { return None };
            if self.uses.get(part.0 as usize) != Some(&1) || self.uses.get(array.0 as usize) != Some(&1) {
                return None;
            }
            let maker = *made.get(&part)?;
            let (body, price) = self.element(&insts[maker], part)?;
            // What it reads is read later, so it must not have been updated in place.
            let mut read = Vec::new();
            let is_array = |v: Value| self.f.ty(v).is_array();
            body.insts
                .iter()
                .for_each(|i| scan::uses(i, self.f, &mut |v| read.extend(is_array(v).then_some(v))));
            if insts[maker..last].iter().any(|i| scan::consumed(i, &read)) {
                return None;
            }
            let from = self.known.number(offset)?;
            let to = from.checked_add(self.size(part)?)?;
            if from < 0 || to > size {
                return None;
            }
            cost += price;
            slices.push(Slice { body, from, to, span: inst.span });
            inst = &insts[*made.get(&array)?];
        }
        let zeros = inst.kind == Kind::Fill && {
            let Kind::Const(c) = insts[*made.get(&inst.args[0])?].kind else { return None };
            c.bits() == Const::zero(c.scalar()).bits()
        };
        slices.reverse();
        let some = slices.iter().any(|s| (s.from, s.to) != (0, size));
        (zeros && some && cost <= ALL && size >= FEWEST).then_some(slices)
    }

    /// The number of elements of an array of numbers with one axis.
    fn size(&self, v: Value) -> Option<i64> {
        let real = self.f.ty(v).is_array() && self.f.ty(v).scalar() == Scalar::F64;
        let [n] = &self.f.shape(v)[..] else { return None };
        self.known.resolve(n).as_const().filter(|_| real)
    }

    /// How a loop makes an element of an array, and what that takes; its iterations are 0, 1, ….
    fn element(&self, inst: &Inst, array: Value) -> Option<(Region, u32)> {
        let number = |v: Value| self.known.number(v);
        let k = inst.results.iter().position(|r| *r == array)?;
        match inst.kind {
            Kind::Build { rank: 1 } => {}
            Kind::For(Loop { collects, .. }) => {
                let collected = k >= inst.results.len() - collects as usize;
                let counts = (number(inst.args[0]), number(inst.args[2])) == (Some(0), Some(1));
                (collected && counts).then_some(())?;
            }
            _ => return None,
        }
        neighbours::slice(&inst.regions[0], inst.regions[0].yields[k], self.f)
    }

    /// The sum as a loop over its elements.
    fn element_by_element(&mut self, inst: &Inst, slices: Vec<Slice>) -> Inst {
        let (r, span) = (inst.results[0], inst.span);
        let size = self.size(r).expect("it was found");
        let number = ValueData::from(self.f.ty(r).scalar());
        let truth = ValueData::from(Scalar::Bool);
        let index = self.f.fresh(ValueData::from(Scalar::I64));
        let mut out = Vec::new();
        let mut sum = scan::constant(self.f, Const::F64(0.0), span, &mut out);
        for Slice { body, from, to, span } in slices {
            let mut limits = Vec::new();
            for (op, limit, matters) in [(Op::Ge, from, from > 0), (Op::Lt, to, to < size)] {
                if matters {
                    let limit = scan::constant(self.f, Const::I64(limit), span, &mut out);
                    let args = [index, limit];
                    limits.push(scan::emit(self.f, Kind::Op(op), &args, truth.clone(), span, &mut out));
                }
            }
            let inside = match limits[..] {
                [] => None,
                [one] => Some(one),
                _ => Some(scan::emit(self.f, Kind::Op(Op::And), &limits, truth.clone(), span, &mut out)),
            };
            let mut insts = Vec::new();
            let mut at = index;
            if from > 0 {
                let back = scan::constant(self.f, Const::I64(from), span, &mut insts);
                let data = ValueData::from(Scalar::I64);
                at = scan::emit(self.f, Kind::Op(Op::Sub), &[index, back], data, span, &mut insts);
            }
            let (copy, yields) = scan::copy(&body, self.f, &[at]);
            insts.extend(copy);
            let args = [sum, yields[0]];
            let new = scan::emit(self.f, Kind::Op(Op::Add), &args, number.clone(), span, &mut insts);
            let Some(inside) = inside else {
                out.append(&mut insts);
                sum = new;
                continue;
            };
            let region = |insts, v| Region { params: Vec::new(), insts, yields: vec![v] };
            let regions = vec![region(insts, new), region(Vec::new(), sum)];
            sum = self.f.fresh(number.clone());
            out.push(Inst { regions, ..Inst::simple(Kind::If, &[inside], sum, span) });
        }
        let body = Region { params: vec![index], insts: out, yields: vec![sum] };
        Inst { regions: vec![body], ..Inst::simple(Kind::Build { rank: 1 }, &[], r, span) }
    }
}

//! What a loop adds to an array of zeros that is then added to another array, it adds to that array.
//!
//! The reverse of what is called several times in a loop has several such arrays, one for each call's cotangent of a parameter. Two additions
//! to one element become one. Sums have another order than before: not in strict functions, and not where bits decide.

use super::scan;
use crate::decisions::Deciding;
use adc_ir::{Const, Func, Inst, Kind, Op, Region, Value};
use rustc_hash::{FxHashMap, FxHashSet};

/// Returns whether there was any.
pub(crate) fn function(f: &mut Func, deciding: &Deciding) -> bool {
    let mut any = false;
    scan::edit(f, |body, f| {
        let mut a = Accumulators { f, deciding, zeros: FxHashSet::default(), uses: Vec::new(), any: false };
        a.region(body);
        a.additions(body);
        any = a.any;
    });
    any
}

struct Accumulators<'a> {
    f: &'a mut Func,
    deciding: &'a Deciding,
    /// Literals that are 0, and arrays of them.
    zeros: FxHashSet<Value>,
    /// By value: how often the region uses it that is looked at.
    uses: Vec<u32>,
    any: bool,
}

/// A carry of a loop, by its place among them, that begins with zeros and is added to an array.
struct Found {
    /// The instruction that adds it.
    sum: usize,
    /// The loop.
    at: usize,
    carry: usize,
    /// The carry of the loop that it is added to, if that is one.
    to: Option<usize>,
}

impl Accumulators<'_> {
    fn region(&mut self, r: &mut Region) {
        for inst in &mut r.insts {
            self.note(inst);
            inst.regions.iter_mut().for_each(|r| self.region(r));
        }
        while let Some(found) = self.find(r) {
            self.apply(r, &found);
            self.any = true;
        }
    }

    fn note(&mut self, inst: &Inst) {
        let zero = match inst.kind {
            Kind::Const(c) => c.bits() == Const::zero(c.scalar()).bits(),
            Kind::Fill => self.zeros.contains(&inst.args[0]),
            _ => false,
        };
        if zero {
            self.zeros.insert(inst.results[0]);
        }
    }

    fn find(&mut self, r: &Region) -> Option<Found> {
        let sums = r.insts.iter().enumerate().filter(|(_, i)| i.kind == Kind::AddSlice);
        sums.clone().next()?;
        self.uses = vec![0; self.f.values.len()];
        r.count_uses(&mut self.uses);
        let all = r.insts.iter().enumerate();
        let made: FxHashMap<Value, usize> =
            all.flat_map(|(k, i)| i.results.iter().map(move |v| (*v, k))).collect();
        sums.clone().find_map(|(sum, inst)| {
            let &[array, part, offset] = &inst.args[..] else { return None };
            let whole = self.zeros.contains(&offset) && self.f.shape(array) == self.f.shape(part);
            let once = self.uses[array.0 as usize] == 1 && self.uses[part.0 as usize] == 1;
            let free = self.f.ty(part).scalar().is_float() && !self.deciding.get(inst.results[0]);
            if !(whole && once && free) {
                return None;
            }
            let at = *made.get(&part)?;
            let inst = &r.insts[at];
            let carry = accumulator(inst, part)?;
            if !self.zeros.contains(&inst.args[3 + carry]) || !self.is_added_to(inst, carry) {
                return None;
            }
            let to = match made.get(&array) {
                Some(k) if *k == at => {
                    let to = accumulator(inst, array)?;
                    self.is_added_to(inst, to).then_some(Some(to))?
                }
                Some(k) => (*k < at).then_some(None)?,
                None => None,
            };
            Some(Found { sum, at, carry, to })
        })
    }

    /// Whether iterations do nothing with a carry but add to it.
    fn is_added_to(&self, inst: &Inst, carry: usize) -> bool {
        let body = &inst.regions[0];
        self.end(body, body.params[1 + carry], false) == Some(body.yields[carry])
    }

    /// What becomes of an array that a region only adds to, step by step, so that nothing reads it between. In a branch, the array is
    /// `shared` with the other one, and the uses of both are counted where it comes from.
    fn end(&self, r: &Region, array: Value, shared: bool) -> Option<Value> {
        let mut now = array;
        let miscounted =
            |now: Value, times: u32| !(shared && now == array) && self.uses[now.0 as usize] != times;
        for inst in &r.insts {
            let mut used = false;
            scan::uses(inst, self.f, &mut |v| used |= v == now);
            if used {
                // Once in each branch.
                if miscounted(now, if inst.kind == Kind::If { 2 } else { 1 }) {
                    return None;
                }
                now = self.step(inst, now)?;
            }
        }
        let last = !miscounted(now, 1);
        (last && r.yields.iter().filter(|v| **v == now).count() == 1).then_some(now)
    }

    /// What an instruction makes of an array that it only adds to.
    fn step(&self, inst: &Inst, array: Value) -> Option<Value> {
        match inst.kind {
            Kind::AddAt | Kind::AddSlice => {
                let own = inst.args[0] == array && !inst.args[1..].contains(&array);
                own.then_some(inst.results[0])
            }
            Kind::If => {
                let ends = [0, 1].map(|k| self.place(&inst.regions[k], array));
                (ends[0] == ends[1]).then_some(inst.results[ends[0]?])
            }
            Kind::For(_) => {
                let k = inst.args.iter().position(|v| *v == array)?.checked_sub(3)?;
                self.is_added_to(inst, k).then_some(inst.results[k])
            }
            _ => None,
        }
    }

    /// The place among what a region yields that an array has which it only adds to.
    fn place(&self, r: &Region, array: Value) -> Option<usize> {
        let end = self.end(r, array, true)?;
        r.yields.iter().position(|v| *v == end)
    }

    fn apply(&mut self, r: &mut Region, found: &Found) {
        let sum = r.insts.remove(found.sum);
        let inst = &mut r.insts[found.at];
        let carry = match found.to {
            Some(to) => {
                let body = &mut inst.regions[0];
                let arrays = [to, found.carry].map(|k| body.params[1 + k]);
                body.yields[to] = self.join(body, arrays, arrays[0]);
                let result = inst.results[to];
                remove(inst, found.carry);
                result
            }
            None => {
                inst.args[3 + found.carry] = sum.args[0];
                inst.results[found.carry]
            }
        };
        scan::rename(r, self.f, &[(sum.results[0], carry)].into_iter().collect());
    }

    /// Adds to one array what a region adds to two; what becomes of `sum`, which stands for both.
    fn join(&self, r: &mut Region, arrays: [Value; 2], mut sum: Value) -> Value {
        let mut now = arrays;
        for inst in &mut r.insts {
            let mut used = [false; 2];
            scan::uses(inst, self.f, &mut |v| (0..2).for_each(|k| used[k] |= v == now[k]));
            let own: Vec<usize> = (0..2).filter(|k| used[*k]).collect();
            let Some(first) = own.first().copied() else { continue };
            let next = |k: usize| self.step(inst, now[k]).expect("both are only added to");
            let ends: Vec<Value> = own.iter().map(|k| next(*k)).collect();
            let places: Vec<usize> = (ends.iter())
                .map(|end| inst.results.iter().position(|v| v == end).expect("a result"))
                .collect();
            match inst.kind {
                Kind::If => {
                    for region in &mut inst.regions {
                        region.yields[places[0]] = self.join(region, now, sum);
                    }
                }
                Kind::For(_) => {
                    let body = &mut inst.regions[0];
                    // Of an array that the loop knows nothing of nothing becomes.
                    let mut inner = now;
                    own.iter().zip(&places).for_each(|(k, place)| inner[*k] = body.params[1 + place]);
                    body.yields[places[0]] = self.join(body, inner, inner[first]);
                    inst.args[3 + places[0]] = sum;
                }
                _ => inst.args[0] = sum,
            }
            own.iter().zip(&ends).for_each(|(k, end)| now[*k] = *end);
            sum = ends[0];
            if let Some(place) = places.get(1) {
                remove(inst, *place);
            }
        }
        sum
    }

    /// Two additions to one element, one behind the other, become one.
    fn additions(&mut self, r: &mut Region) {
        r.insts.iter_mut().flat_map(|i| &mut i.regions).for_each(|r| self.additions(r));
        if r.insts.iter().filter(|i| i.kind == Kind::AddAt).count() < 2 {
            return;
        }
        self.uses = vec![0; self.f.values.len()];
        r.count_uses(&mut self.uses);
        let mut out: Vec<Inst> = Vec::with_capacity(r.insts.len());
        for mut inst in std::mem::take(&mut r.insts) {
            let ty = inst.args.get(1).map(|v| self.f.ty(*v));
            let scalar = ty.filter(|ty| inst.kind == Kind::AddAt && !ty.is_array() && ty.scalar().is_float());
            let same = |i: &Inst| {
                i.kind == Kind::AddAt && i.results[0] == inst.args[0] && i.args[2..] == inst.args[2..]
            };
            let before = scalar.and_then(|_| out.iter().rposition(same));
            if let (Some(k), Some(ty)) = (before, scalar)
                && self.uses.get(inst.args[0].0 as usize) == Some(&1)
                && !self.deciding.get(inst.results[0])
            {
                let first = out.remove(k);
                let args = [first.args[1], inst.args[1]];
                inst.args[0] = first.args[0];
                inst.args[1] = scan::emit(self.f, Kind::Op(Op::Add), &args, ty.into(), inst.span, &mut out);
                self.any = true;
            }
            out.push(inst);
        }
        r.insts = out;
    }
}

/// The place among the carries of a `for` of what gives one of its results.
fn accumulator(inst: &Inst, result: Value) -> Option<usize> {
    let Kind::For(_) = inst.kind else { return None };
    let k = inst.results.iter().position(|v| *v == result)?;
    (3 + k < inst.args.len()).then_some(k)
}

/// Without the carry of a `for`, or the result of an `if`, of this place.
fn remove(inst: &mut Inst, place: usize) {
    inst.results.remove(place);
    for r in &mut inst.regions {
        r.yields.remove(place);
    }
    if let Kind::For(_) = inst.kind {
        inst.args.remove(3 + place);
        inst.regions[0].params.remove(1 + place);
    }
}

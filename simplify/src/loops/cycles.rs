//! Arrays that the iterations of a loop only add to get eight copies, of which every eighth iteration adds to the same one, and that are
//! added up behind the loop. So iterations with sequential loops inside, which no inner loop can give lanes, run in lanes themselves.
//!
//! Sums are taken in another order, so this rounds differently: not in strict functions, and not what decides. No copy has more terms
//! than the array had.

use super::scan;
use crate::decisions::Deciding;
use adc_ir::dims::Known;
use adc_ir::{
    Const, Dim, Func, Inst, Kind, Loop, Op, ReduceOp, Region, Scalar, Span, Type, Value, ValueData,
};
use rustc_hash::FxHashSet;

/// Copies of an array.
const COPIES: i64 = 8;
/// Elements of an array, at most: its copies stay near the processor.
const ELEMENTS: i64 = 4096;
/// Iterations, at least, if they are known: fewer do not pay for the copies.
const FEWEST: i64 = 32;
/// Iterations of a loop inside that had better run in lanes itself, at least.
const LANES: i64 = 32;
/// The same where the copies of all arrays do not fit in the first-level cache (measured where that has 48 KB).
const FEW: i64 = 8;
/// Elements of all arrays, at most, whose copies fit.
const NEAR: i64 = 640;
/// The same before rows are padded ([`super::transposed`]), which makes those of 17 numbers or more up to 1.41 times as long.
const NEAR_BEFORE: i64 = 450;
/// Loops inside one another.
const DEPTH: usize = 2;

/// Returns whether there was any.
pub(crate) fn function(f: &mut Func, deciding: &Deciding) -> bool {
    let known = Known::of(f);
    let mut any = false;
    scan::edit(f, |body, f| {
        let mut c = Cycler { f, known: &known, deciding, any: false };
        c.region(body);
        any = c.any;
    });
    any
}

/// Whether arrays that a loop carries will get copies; then other passes leave the loop its lanes.
pub(super) fn applies(f: &Func, known: &Known, deciding: &Deciding, inst: &Inst) -> bool {
    let sums = Survey { f, known, deciding, near: NEAR_BEFORE }.sums(inst);
    sums.is_some_and(|sums| !sums.is_empty())
}

struct Cycler<'a> {
    f: &'a mut Func,
    known: &'a Known,
    deciding: &'a Deciding,
    any: bool,
}

struct Survey<'a> {
    f: &'a Func,
    known: &'a Known,
    deciding: &'a Deciding,
    /// How many elements are near the processor.
    near: i64,
}

/// What is known of a loop while its body is looked at.
struct Look {
    /// What depends on the iteration.
    late: FxHashSet<Value>,
    /// Arrays that are added to, by the place of the carry.
    sums: Vec<(Value, usize)>,
    /// Carries that iterations add to at places of their own.
    own: FxHashSet<usize>,
    /// Carries that all iterations add to at the same places.
    shared: FxHashSet<usize>,
    index: Value,
    /// Whether there are loops inside, whether one of them is sequential, and the most iterations of one that could run in lanes.
    loops: bool,
    sequential: bool,
    lanes: i64,
}

impl Cycler<'_> {
    fn region(&mut self, r: &mut Region) {
        let mut out = Vec::with_capacity(r.insts.len());
        for mut inst in std::mem::take(&mut r.insts) {
            let mut behind = Vec::new();
            let survey = Survey { f: self.f, known: self.known, deciding: self.deciding, near: NEAR };
            let sums = survey.sums(&inst).unwrap_or_default();
            if sums.is_empty() {
                inst.regions.iter_mut().for_each(|r| self.region(r));
            } else {
                self.any = true;
                self.copies(&mut inst, &sums, &mut out, &mut behind);
            }
            out.push(inst);
            out.extend(behind);
        }
        r.insts = out;
    }
}

impl Survey<'_> {
    /// The carries of a loop that all iterations add to, if these can run in lanes once each lane has its own.
    fn sums(&self, inst: &Inst) -> Option<Vec<usize>> {
        let Kind::For(_) = inst.kind else { return None };
        let [lo, hi, step] = [0, 1, 2].map(|k| self.known.number(inst.args[k]));
        let many = hi.is_none_or(|n| n >= FEWEST);
        if (lo, step) != (Some(0), Some(1)) || !many {
            return None;
        }
        let body = &inst.regions[0];
        let carried = &body.params[1..];
        if !carried.iter().all(|v| self.f.ty(*v).is_array() && self.f.ty(*v).scalar() == Scalar::F64) {
            return None;
        }
        let mut look = Look {
            late: [body.params[0]].into_iter().collect(),
            sums: carried.iter().enumerate().map(|(k, v)| (*v, k)).collect(),
            own: FxHashSet::default(),
            shared: FxHashSet::default(),
            index: body.params[0],
            loops: false,
            sequential: false,
            lanes: 0,
        };
        self.look(body, &mut look, 0)?;
        let elements = |k: &usize| {
            let sizes = self.f.shape(carried[*k]).iter().map(|d| self.known.resolve(d).as_const());
            let elements = sizes.map(|n| n.filter(|n| *n > 0)).try_fold(1i64, |n, d| n.checked_mul(d?));
            elements.filter(|n| *n <= ELEMENTS)
        };
        let mut shared: Vec<usize> = look.shared.iter().copied().collect();
        shared.sort_unstable();
        let both = shared.iter().any(|k| look.own.contains(k));
        let decides = |k: &usize| self.deciding.get(carried[*k]) || self.deciding.get(inst.results[*k]);
        let all = shared.iter().map(elements).sum::<Option<i64>>()?;
        let fewest = if all <= self.near { LANES } else { FEW };
        let worth = look.sequential || look.lanes < fewest;
        (worth && !both && !shared.iter().any(decides)).then_some(shared)
    }

    /// Looks at a region of a loop; `None` if it cannot run in lanes.
    fn look(&self, r: &Region, look: &mut Look, depth: usize) -> Option<()> {
        for inst in &r.insts {
            let late = inst.args.iter().any(|v| look.late.contains(v));
            let place = |look: &Look, v: Value| look.sums.iter().find(|(s, _)| *s == v).map(|(_, k)| *k);
            let summed = inst.args.iter().filter(|v| place(look, **v).is_some()).count();
            match &inst.kind {
                Kind::Const(_) | Kind::Assert(_) | Kind::Pack if summed == 0 => {}
                Kind::Op(op) if summed == 0 => {
                    let integer = [Op::Add, Op::Sub, Op::Mul].contains(op);
                    match self.f.ty(inst.results[0]) {
                        Type::F64 | Type::BOOL => {}
                        Type::I64 if integer => {}
                        _ => return None,
                    }
                }
                Kind::Index if summed == 0 && self.f.ty(inst.results[0]) == Type::F64 => {}
                Kind::AddAt if summed == 1 && self.f.ty(inst.args[1]) == Type::F64 => {
                    let k = place(look, inst.args[0])?;
                    let index = &inst.args[2..];
                    if !index.iter().any(|v| look.late.contains(v)) {
                        look.shared.insert(k);
                    } else if depth == 0 && index.contains(&look.index) {
                        look.own.insert(k);
                    } else {
                        return None;
                    }
                    look.sums.push((inst.results[0], k));
                }
                Kind::If if summed == 0 => {
                    for r in &inst.regions {
                        self.look(r, look, depth)?;
                    }
                    for (k, y) in inst.results.iter().enumerate() {
                        let from = [0, 1].map(|r| place(look, inst.regions[r].yields[k]));
                        match from {
                            [None, None] => {}
                            [Some(a), Some(b)] if a == b => look.sums.push((*y, a)),
                            _ => return None,
                        }
                    }
                }
                Kind::For(l) => self.look_at_for(inst, *l, look, depth)?,
                Kind::Reduce(op) if summed == 0 => {
                    let plain = [ReduceOp::Sum, ReduceOp::Prod, ReduceOp::Max, ReduceOp::Min].contains(op);
                    if !plain || self.f.ty(inst.results[0]) != Type::F64 {
                        return None;
                    }
                    self.look_inside(inst, false, look, depth)?;
                }
                Kind::Build { rank: 1 } if summed == 0 => self.look_inside(inst, false, look, depth)?,
                _ => return None,
            }
            if late || !inst.regions.is_empty() {
                look.late.extend(&inst.results);
            }
        }
        // A sum leaves a region where it came in.
        Some(())
    }

    fn look_at_for(&self, inst: &Inst, l: Loop, look: &mut Look, depth: usize) -> Option<()> {
        let body = &inst.regions[0];
        let mut sequential = false;
        for (k, init) in inst.args[3..].iter().enumerate() {
            if let Some((_, carry)) = look.sums.iter().find(|(v, _)| v == init) {
                let carry = *carry;
                look.sums.extend([(body.params[1 + k], carry), (inst.results[k], carry)]);
            } else if self.f.ty(*init) == Type::F64 {
                look.late.insert(body.params[1 + k]);
                sequential = true;
            } else {
                return None;
            }
        }
        let gathered = &body.yields[inst.args.len() - 3..];
        if l.checkpoint.is_some() || gathered.iter().any(|v| self.f.ty(*v) != Type::F64) {
            return None;
        }
        self.look_inside(inst, sequential, look, depth)?;
        for (k, init) in inst.args[3..].iter().enumerate() {
            let place = |v: Value| look.sums.iter().find(|(s, _)| *s == v).map(|(_, k)| *k);
            if place(*init) != place(body.yields[k]) {
                return None;
            }
        }
        Some(())
    }

    fn look_inside(&self, inst: &Inst, sequential: bool, look: &mut Look, depth: usize) -> Option<()> {
        let bounds = if matches!(inst.kind, Kind::Build { .. }) { &[][..] } else { &inst.args[..3] };
        if depth == DEPTH || bounds.iter().any(|v| look.late.contains(v)) {
            return None;
        }
        let turns = match bounds {
            [lo, hi, _] => {
                self.known.number(*hi).zip(self.known.number(*lo)).map(|(hi, lo)| hi.saturating_sub(lo))
            }
            _ => self.known.resolve(&self.f.shape(inst.results[0])[0]).as_const(),
        };
        look.loops = true;
        look.sequential |= sequential;
        if !sequential {
            look.lanes = look.lanes.max(turns.unwrap_or(i64::MAX));
        }
        self.look(&inst.regions[0], look, depth + 1)
    }
}

impl Cycler<'_> {
    /// Gives arrays a copy for each place in a cycle of iterations.
    fn copies(&mut self, inst: &mut Inst, sums: &[usize], before: &mut Vec<Inst>, behind: &mut Vec<Inst>) {
        let span = inst.span;
        let body = &mut inst.regions[0];
        let mut head = Vec::new();
        let copies = scan::constant(self.f, Const::I64(COPIES), span, &mut head);
        let index = body.params[0];
        let remainder = Kind::Op(Op::Mod);
        let at = scan::emit(self.f, remainder, &[index, copies], Scalar::I64.into(), span, &mut head);
        for k in sums {
            self.add_axis(body, body.params[1 + k], at);
        }
        body.insts.splice(0..0, head);
        let zero = scan::constant(self.f, Const::F64(0.0), span, before);
        for k in sums {
            let (init, result) = (inst.args[3 + k], inst.results[*k]);
            let data = self.f.data(init).clone();
            let wide = ValueData::array(Scalar::F64, [&data.shape[..], &[Dim::constant(COPIES)]].concat());
            inst.args[3 + k] = scan::emit(self.f, Kind::Fill, &[zero], wide.clone(), span, before);
            let copied = self.f.fresh(wide);
            inst.results[*k] = copied;
            behind.push(self.added_up(init, copied, result, &data, span));
        }
    }

    /// Gives an array, and what becomes of it in a region, one more axis; all additions are at this place of it.
    fn add_axis(&mut self, r: &mut Region, array: Value, at: Value) {
        let mut of: FxHashSet<Value> = [array].into_iter().collect();
        self.widen(array);
        self.add_axis_in(r, &mut of, at);
    }

    fn add_axis_in(&mut self, r: &mut Region, of: &mut FxHashSet<Value>, at: Value) {
        for inst in &mut r.insts {
            match inst.kind {
                Kind::AddAt if of.contains(&inst.args[0]) => {
                    inst.args.push(at);
                    self.widen(inst.results[0]);
                    of.insert(inst.results[0]);
                }
                Kind::For(_) => {
                    for k in 0..inst.args.len() - 3 {
                        if of.contains(&inst.args[3 + k]) {
                            let (param, result) = (inst.regions[0].params[1 + k], inst.results[k]);
                            of.extend([param, result]);
                            self.widen(param);
                            self.widen(result);
                        }
                    }
                    self.add_axis_in(&mut inst.regions[0], of, at);
                }
                _ => {
                    inst.regions.iter_mut().for_each(|r| self.add_axis_in(r, of, at));
                    if inst.kind == Kind::If {
                        for (k, y) in inst.results.iter().enumerate() {
                            if of.contains(&inst.regions[0].yields[k]) {
                                self.widen(*y);
                                of.insert(*y);
                            }
                        }
                    }
                }
            }
        }
    }

    fn widen(&mut self, v: Value) {
        let data = self.f.data(v).outer(&[]);
        let shape = [&data.shape[..], &[Dim::constant(COPIES)]].concat();
        self.f.values[v.0 as usize] = ValueData::array(Scalar::F64, shape);
    }

    /// What an array was, plus the sum of copies.
    fn added_up(&mut self, init: Value, copies: Value, result: Value, data: &ValueData, span: Span) -> Inst {
        let index: Vec<Value> = data.shape.iter().map(|_| self.fresh_index()).collect();
        let mut insts = Vec::new();
        let number = || ValueData::scalar(Scalar::F64);
        let mut terms = Vec::new();
        for copy in 0..COPIES {
            let l = scan::constant(self.f, Const::I64(copy), span, &mut insts);
            let of = [&[copies][..], &index, &[l]].concat();
            terms.push(scan::emit(self.f, Kind::Index, &of, number(), span, &mut insts));
        }
        let sum = scan::sum(self.f, terms, Scalar::F64.into(), span, &mut insts);
        let of = [&[init][..], &index].concat();
        let first = scan::emit(self.f, Kind::Index, &of, number(), span, &mut insts);
        let all = scan::emit(self.f, Kind::Op(Op::Add), &[first, sum], number(), span, &mut insts);
        let yields = vec![all];
        let rank = index.len() as u8;
        let region = Region { params: index, insts, yields };
        Inst { regions: vec![region], ..Inst::simple(Kind::Build { rank }, &[], result, span) }
    }

    fn fresh_index(&mut self) -> Value {
        self.f.fresh(ValueData::scalar(Scalar::I64))
    }
}

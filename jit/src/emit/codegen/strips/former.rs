//! Which strip a loop has.

use super::arrays::{List, Own};
use super::gathers::Gathers;
use super::writes::{Write, Written};
use super::{Base, Formed, Guard, Innermost, Slot};
use crate::emit::codegen::Emit;
use crate::emit::codegen::sizes::Extent;
use crate::lower::strips::{
    Access, Cc, LEVELS, Lane, M, MaskOp, RedOp, SOp, Step, Stream, StripBuilder, Turns, V,
};
use adc_ir::{Const, Dim, Inst, Kind, Op, Region, Type, Value, kinds};
use adc_runtime::lanes::Lanes as _;
use rustc_hash::{FxHashMap, FxHashSet};

/// Largest strip, in operations; what is longer is bound by its arithmetic and compiles slowly.
const LONGEST: usize = 3000;
/// Instructions of a branch that is hardly ever taken, at least, for which it is left to scalar code.
const ASIDE: usize = 8;
/// Elements of a row that is stored, at most.
const ROW: i64 = 64;

/// Integers up to here are doubles exactly.
pub(in crate::emit::codegen) const SMALL: i64 = 1 << 53;

/// What is known of a loop while its strip is formed.
pub(super) struct Former<'a, 'e, 'b> {
    pub(super) emit: &'a Emit<'e, 'b>,
    pub(super) of: &'a Innermost<'a>,
    pub(super) inside: FxHashSet<Value>,
    /// What makes each value of the body.
    pub(super) made: FxHashMap<Value, &'a Inst>,
    /// What scalar code does ahead of the strip and behind it.
    pub(super) gathers: Gathers,
    pub(super) integers: FxHashMap<Value, &'a Inst>,
    pub(super) b: StripBuilder,
    pub(super) lanes: FxHashMap<Value, Lane>,
    pub(super) bases: Vec<Base>,
    pub(super) slots: Vec<Slot>,
    pub(super) same: FxHashMap<Value, Value>,
    /// Conditions on the index, as they are in the iterations of `main`.
    pub(super) known: FxHashMap<Value, bool>,
    pub(super) main: (i64, Option<i64>),
    /// Truth values that are nearly always the same, as they are then.
    pub(super) usual: FxHashMap<Value, bool>,
    /// Small arrays made in the body.
    pub(super) packs: FxHashMap<Value, &'a [Value]>,
    pub(super) lists: FxHashMap<Value, List>,
    /// Where the instruction that is formed is run.
    pub(super) path: Option<M>,
    pub(super) exits: Vec<M>,
    pub(super) writes: Vec<Write>,
    /// Whether loops inside run in lanes: then what is written is written at once.
    pub(super) at_once: bool,
    /// Whether branches with loops are left to scalar code.
    pub(super) leaves_loops: bool,
    /// Whether loops inside add up in memory what they otherwise do in registers.
    pub(super) sums_in_memory: bool,
    /// Whether another branch is, because it has no lanes.
    pub(super) leaves_branch: bool,
    /// By index of a loop inside: where it begins, and how it grows with the turns of loops.
    pub(super) begins: FxHashMap<Value, (i64, [i64; LEVELS])>,
    /// The turns of loops that are open, and of all nests.
    pub(super) nest: Vec<Turns>,
    pub(super) nests: Vec<Vec<Turns>>,
    /// Arrays that each lane has for itself, and their elements in all.
    pub(super) owned: FxHashMap<Value, Own>,
    pub(super) own_elements: i64,
    pub(super) own_streams: FxHashMap<Stream, u16>,
    /// How the loop that begins combines what it yields.
    pub(super) combining: Option<Op>,
    /// Whether the loop at hand could run in lanes itself, and whether that is better.
    pub(super) inner_lanes: bool,
    pub(super) inner_is_better: bool,
    /// Whether regions are formed several times.
    pub(super) copies: bool,
    /// Remainders, as they are in the iterations of `main`.
    pub(super) wrapped: FxHashMap<Value, Affine>,
    /// What is the same in all iterations and is assumed; integers that may overflow, and indices that may be outside.
    pub(super) guards: Vec<Guard>,
    pub(super) guarded: FxHashSet<Value>,
    pub(super) inside_axis: FxHashSet<(Value, Dim)>,
    /// Whether conditions may be assumed.
    pub(super) guarding: bool,
    /// Places in a cycle.
    pub(super) cycles: FxHashSet<Value>,
    /// Integers of the body in terms of others, and the first one that is so.
    pub(super) dims: FxHashMap<Value, Dim>,
    pub(super) named: FxHashMap<Dim, Value>,
    pub(super) cycle_streams: Vec<(Stream, u16)>,
    /// Bases of arrays from outside that are read.
    pub(super) read: FxHashMap<Value, u8>,
    /// Elements of carried arrays that are written, and bases of such arrays.
    pub(super) written: Vec<Written>,
    pub(super) shared: FxHashMap<Value, u8>,
}

/// An integer of the body: its growth per iteration, and per turn of loops inside, and its value in the first one if that is a number.
#[derive(Clone, Copy)]
pub(super) struct Affine {
    pub growth: i64,
    pub turns: [i64; LEVELS],
    pub start: Option<i64>,
}

impl Affine {
    /// One that does not change.
    fn fixed(start: Option<i64>) -> Affine {
        Affine { growth: 0, turns: [0; LEVELS], start }
    }

    pub(super) fn is_fixed(&self) -> bool {
        self.growth == 0 && self.turns == [0; LEVELS]
    }

    fn with(self, other: Affine, f: fn(i64, i64) -> Option<i64>) -> Option<Affine> {
        let [outer, inner] = [0, 1].map(|k| f(self.turns[k], other.turns[k]));
        let start = self.start.zip(other.start).and_then(|(a, b)| f(a, b));
        Some(Affine { growth: f(self.growth, other.growth)?, turns: [outer?, inner?], start })
    }
}

/// Where elements of an array are: the distance from one iteration to the next, and that of the first from the array's, if they are
/// numbers.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub step: Option<i64>,
    pub first: Option<i64>,
    pub turns: [i32; LEVELS],
}

/// Whether there is a loop anywhere in a region.
pub(super) fn has_loops(r: &Region) -> bool {
    super::all_insts(r).iter().any(|i| i.kind.is_loop())
}

impl<'a, 'e, 'b> Former<'a, 'e, 'b> {
    /// `all`: the number of iterations, if it is known.
    pub fn new(emit: &'a Emit<'e, 'b>, of: &'a Innermost<'a>, all: Option<i64>) -> Former<'a, 'e, 'b> {
        Former {
            emit,
            of,
            inside: FxHashSet::default(),
            made: FxHashMap::default(),
            gathers: Gathers::default(),
            integers: FxHashMap::default(),
            b: StripBuilder::new(),
            lanes: FxHashMap::default(),
            bases: Vec::new(),
            slots: Vec::new(),
            same: FxHashMap::default(),
            known: FxHashMap::default(),
            main: (0, all),
            usual: FxHashMap::default(),
            packs: FxHashMap::default(),
            lists: FxHashMap::default(),
            path: None,
            exits: Vec::new(),
            writes: Vec::new(),
            at_once: false,
            leaves_loops: false,
            sums_in_memory: false,
            leaves_branch: false,
            begins: FxHashMap::default(),
            nest: Vec::new(),
            nests: Vec::new(),
            owned: FxHashMap::default(),
            own_elements: 0,
            own_streams: FxHashMap::default(),
            combining: None,
            inner_lanes: false,
            inner_is_better: false,
            copies: false,
            wrapped: FxHashMap::default(),
            guards: Vec::new(),
            guarded: FxHashSet::default(),
            inside_axis: FxHashSet::default(),
            guarding: false,
            cycles: FxHashSet::default(),
            dims: FxHashMap::default(),
            named: FxHashMap::default(),
            cycle_streams: Vec::new(),
            read: FxHashMap::default(),
            written: Vec::new(),
            shared: FxHashMap::default(),
        }
    }

    /// Leaves iterations that take a branch with a loop to scalar code: it cannot be tried whether such a branch has lanes, because what
    /// loops did cannot be taken back.
    pub fn leaving_loops(self) -> Self {
        Former { leaves_loops: true, ..self }
    }

    /// Keeps partial sums of loops inside in memory.
    pub fn summing_in_memory(self) -> Self {
        Former { sums_in_memory: true, ..self }
    }

    /// Assumes what is the same in all iterations: that a row of a grid lies inside.
    pub fn guarding(self) -> Self {
        Former { guarding: true, ..self }
    }

    /// Whether a region is left to scalar code for its loops.
    fn is_left(&self, r: &Region) -> bool {
        self.leaves_loops && has_loops(r)
    }

    /// The strip, if the loop has one.
    pub fn form(mut self) -> Option<Formed> {
        for inst in super::all_insts(self.of.region) {
            self.made.extend(inst.results.iter().map(|v| (*v, inst)));
            self.inside.extend(inst.results.iter().chain(inst.regions.iter().flat_map(|r| &r.params)));
        }
        // Loops are in the body itself, or in branches that may be left.
        self.at_once = match self.leaves_loops {
            true => self.of.region.insts.iter().any(|i| i.kind.is_loop()),
            false => has_loops(self.of.region),
        };
        self.inside.insert(self.of.index);
        self.region(self.of.region)?;
        // Nobody knows how often a branch is taken: what is gathered for iterations that are left is gathered in vain.
        if self.inner_is_better || (self.leaves_branch && !self.gathers.is_empty()) {
            return None;
        }
        for (param, y) in self.of.carried {
            if self.resolved(*y) != *param {
                return None;
            }
        }
        if let Some(any) = self.exits.clone().into_iter().reduce(|a, b| self.b.or(a, b)) {
            self.b.op(SOp::Exit(any.0));
        }
        for (k, v) in self.of.stores.iter().enumerate() {
            let mut elements = Vec::new();
            self.elements(*v, &mut elements)?;
            let step = match elements.len() {
                1 => Step::Unit,
                n => Step::Const(i32::try_from(n).ok()?),
            };
            let base = self.base(Base::Store(k))?;
            for (at, x) in elements.into_iter().enumerate() {
                let s = self.b.stream(Stream::new(base, i32::try_from(at).ok()?, step, Access::W));
                self.b.op(SOp::Store(s, x));
            }
        }
        let writes = std::mem::take(&mut self.writes);
        self.emit_writes(writes);
        for (k, (op, v)) in self.of.reds.iter().enumerate() {
            let mut parts = Vec::new();
            match self.ty(*v) {
                Type::I64 => {
                    let Lane::Number(x) = self.double(*v)? else { return None };
                    parts.push(x);
                }
                _ => self.elements(*v, &mut parts)?,
            }
            for (part, x) in parts.into_iter().enumerate() {
                let out = match op {
                    RedOp::Sum => self.base(Base::Partials(k, part))? as u16,
                    RedOp::Max => self.slot(Slot::Initial(f64::NEG_INFINITY)),
                    RedOp::Min => self.slot(Slot::Initial(f64::INFINITY)),
                };
                self.b.reduce(*op, x, out);
            }
        }
        let strip = self.b.finish().ok()?;
        let wrapped = self.wrapped.iter().filter_map(|(v, a)| Some((*v, a.start?)));
        let begins = self.begins.iter().map(|(v, (lo, _))| (*v, *lo)).chain(wrapped).collect();
        let all = |end: &i64| matches!(self.of.iterations, Extent::Number(n) if n == *end);
        let formed = Formed {
            strip,
            bases: self.bases,
            slots: self.slots,
            same: self.same,
            main: (self.main.0, self.main.1.filter(|end| !all(end))),
            begins,
            guards: self.guards,
            nests: self.nests,
            gathers: self.gathers,
        };
        let extremes = self.of.reds.iter().any(|(op, _)| *op != RedOp::Sum);
        let fits = formed.strip.ops.len() <= LONGEST && (formed.is_whole() || !extremes);
        fits.then_some(formed)
    }

    pub(super) fn ty(&self, v: Value) -> Type {
        self.emit.plan.func.ty(v)
    }

    pub(super) fn region(&mut self, r: &'a Region) -> Option<()> {
        for inst in &r.insts {
            if self.b.len() > 4 * LONGEST {
                return None;
            }
            self.inst(inst)?;
        }
        Some(())
    }

    fn inst(&mut self, inst: &'a Inst) -> Option<()> {
        match &inst.kind {
            Kind::Const(_) => Some(()),
            Kind::Op(op) => {
                let y = inst.results[0];
                match self.ty(y) {
                    Type::F64 | Type::C128 | Type::BOOL => {
                        // It may have been formed before.
                        self.known.remove(&y);
                        if let Some(known) = self.truth_of(*op, inst) {
                            self.known.insert(y, known);
                            return Some(());
                        }
                        if let Some(usual) = self.usually(*op, inst) {
                            self.usual.insert(y, usual);
                        }
                        let lane = self.op(*op, inst)?;
                        self.lanes.insert(y, lane);
                    }
                    // Asked for when it is an index.
                    Type::I64 => {
                        self.integers.insert(y, inst);
                        if let (Op::Select, Some(yes)) = (op, self.truth(inst.args[0])) {
                            return self.is_same(y, inst.args[if yes { 1 } else { 2 }]);
                        }
                        if let Some(one) = self.extremum_of(*op, inst) {
                            return self.is_same(y, one);
                        }
                        if self.is_cycle(*op, inst) {
                            self.cycles.insert(y);
                        } else if let Some(wrapped) = self.remainder(*op, inst) {
                            self.wrapped.insert(y, wrapped);
                        } else if self.may_overflow(*op, inst) {
                            self.guards.push(Guard::Fits(*op, inst.args[0], inst.args[1]));
                            self.guarded.insert(y);
                        } else if self.affine(y).is_none() {
                            match self.small(*op, inst) {
                                Some(lane) => drop(self.lanes.insert(y, lane)),
                                None => self.computed_ahead(y)?,
                            }
                        } else {
                            self.name(y, self.combined(*op, inst));
                        }
                    }
                    _ => return None,
                }
                Some(())
            }
            Kind::Index => {
                let y = inst.results[0];
                let array = self.resolved(inst.args[0]);
                if let Some(element) = self.element_of_pack(array, &inst.args[1..]) {
                    return self.is_same(y, element);
                }
                if self.is_small(array) {
                    let lane = self.element_of_small(array, &inst.args[1..])?;
                    self.lanes.insert(y, lane);
                    return Some(());
                }
                match self.ty(y) {
                    // Asked for when it is an index, or as a double.
                    Type::I64 => return self.computed_ahead(y),
                    Type::BOOL => {
                        let lane = self.gathered(y)?;
                        self.lanes.insert(y, lane);
                        return Some(());
                    }
                    _ => {}
                }
                let parts = self.parts(y)?;
                if self.inside.contains(&array) {
                    return None;
                }
                if self.of.carried.iter().any(|(param, _)| *param == array) {
                    let lane = self.carried_element(array, &inst.args[1..])?;
                    self.lanes.insert(y, lane);
                    return Some(());
                }
                if self.is_data(&inst.args[1..]) {
                    let lane = self.gathered(y)?;
                    self.lanes.insert(y, lane);
                    return Some(());
                }
                let (place, indices) = self.place(array, &inst.args[1..])?;
                // Parts of complex numbers are side by side.
                let times = |n: i64| n.checked_mul(parts).and_then(|n| i32::try_from(n).ok());
                let step = match place.step {
                    Some(1) if parts == 1 => Step::Unit,
                    Some(d) => Step::Const(times(d)?),
                    None => {
                        let growth = indices.iter().map(|a| a.growth).collect();
                        Step::Scal(self.slot(Slot::Stride(array, growth)))
                    }
                };
                let turns = [times(place.turns[0] as i64)?, times(place.turns[1] as i64)?];
                let (base, off) = match place.first.and_then(times) {
                    Some(off) => (self.base_of_read(array)?, off),
                    // What is the first is asked for once.
                    None if self.copies => return None,
                    None => (self.base(Base::Element(array, inst.args[1..].to_vec()))?, 0),
                };
                let strided = !matches!(place.step, Some(0 | 1));
                self.inner_is_better |= self.inner_lanes && strided;
                let mut load = |part: i32| {
                    let stream = Stream::new(base, off.checked_add(part)?, step, Access::R);
                    let s = self.b.stream(Stream { turns, ..stream });
                    Some(self.b.op(SOp::Load(s)))
                };
                let lane = match parts {
                    1 => Lane::Number(load(0)?),
                    _ => Lane::Complex([load(0)?, load(1)?]),
                };
                self.lanes.insert(y, lane);
                Some(())
            }
            Kind::Pack => {
                self.packs.insert(inst.results[0], &inst.args);
                Some(())
            }
            Kind::Fill => self.fill(inst),
            Kind::AddAt | Kind::Update => self.write(inst),
            Kind::If => self.branch(inst),
            Kind::For(_) | Kind::Reduce(_) | Kind::Build { .. } => self.inner(inst),
            Kind::Assert(_) => {
                if self.truth(inst.args[0]) != Some(true) {
                    let Lane::Mask(ok) = self.lane(inst.args[0])? else { return None };
                    let bad = self.b.not(ok);
                    self.exit(bad);
                }
                Some(())
            }
            Kind::Size(size) => {
                let y = inst.results[0];
                self.integers.insert(y, inst);
                self.affine(y)?;
                self.name(y, size.substitute(|v| self.dim(v)));
                Some(())
            }
            Kind::Call(_)
            | Kind::Slice
            | Kind::UpdateSlice
            | Kind::AddSlice
            | Kind::While(_)
            | Kind::Reshape
            | Kind::Transpose
            | kinds!(Matrix) => None,
        }
    }

    /// An integer in terms of others.
    fn dim(&self, v: Value) -> Dim {
        let v = self.resolved(v);
        match self.emit.plan.consts[v.0 as usize] {
            Some(Const::I64(n)) => n.into(),
            _ => self.dims.get(&v).cloned().unwrap_or_else(|| Dim::var(v)),
        }
    }

    /// The result of an op of integers, in terms of others.
    fn combined(&self, op: Op, inst: &Inst) -> Option<Dim> {
        let &[a, b] = &inst.args[..] else { return None };
        let (a, b) = (self.dim(a), self.dim(b));
        match op {
            Op::Add => a.add(&b),
            Op::Sub => a.sub(&b),
            Op::Mul => a.mul(&b),
            _ => None,
        }
    }

    /// Takes note of an integer: one that is there already is the same, so that it can be seen which elements are.
    fn name(&mut self, y: Value, dim: Option<Dim>) {
        let Some(dim) = dim.filter(|d| d.as_const().is_none()) else { return };
        let first = dim.as_var().or_else(|| self.named.get(&dim).copied());
        match first {
            Some(v) if v != y => drop(self.same.insert(y, v)),
            _ => {
                self.named.insert(dim.clone(), y);
                self.dims.insert(y, dim);
            }
        }
    }

    /// A condition on the index, if it holds in all iterations of the strip, or in none; which these are is decided here.
    fn truth_of(&mut self, op: Op, inst: &Inst) -> Option<bool> {
        let a = *inst.args.first()?;
        let b = inst.args.get(1).copied();
        match (op, b) {
            (Op::Not, None) => self.truth(a).map(|a| !a),
            (Op::And, Some(b)) => match (self.truth(a), self.truth(b)) {
                (Some(false), _) | (_, Some(false)) => Some(false),
                (Some(true), Some(true)) => Some(true),
                _ => None,
            },
            (Op::Or, Some(b)) => match (self.truth(a), self.truth(b)) {
                (Some(true), _) | (_, Some(true)) => Some(true),
                (Some(false), Some(false)) => Some(false),
                _ => None,
            },
            (Op::Lt | Op::Le | Op::Gt | Op::Ge | Op::Eq | Op::Ne, Some(b)) if self.ty(a) == Type::I64 => {
                let affine = [self.affine(a)?, self.affine(b)?];
                self.compared(op, affine).or_else(|| {
                    let fixed = self.guarding && affine.iter().all(Affine::is_fixed);
                    let usual = op != Op::Eq;
                    fixed.then(|| self.guards.push(Guard::Compares(op, a, b, usual))).map(|()| usual)
                })
            }
            _ => None,
        }
    }

    /// What a truth value nearly always is: numbers are finite. NaN may stand for what is missing, and be anywhere.
    fn usually(&self, op: Op, inst: &Inst) -> Option<bool> {
        let usual = |k: usize| self.usual.get(&inst.args[k]).copied();
        match op {
            Op::IsInf => Some(false),
            Op::Not => usual(0).map(|a| !a),
            Op::And if usual(0) == Some(false) || usual(1) == Some(false) => Some(false),
            Op::And if usual(0) == Some(true) => usual(1),
            Op::Or if usual(0) == Some(true) || usual(1) == Some(true) => Some(true),
            Op::Or if usual(0) == Some(false) => usual(1),
            _ => None,
        }
    }

    /// Whether a branch is hardly ever taken and so long that it is better left to scalar code. A strip with extremes leaves nothing, and
    /// one leaves nothing from within its loops.
    fn is_rare(&self, cond: Value, side: usize, r: &Region) -> bool {
        let sums_only = self.of.reds.iter().all(|(op, _)| *op == RedOp::Sum);
        self.usual.get(&cond) == Some(&(side == 1))
            && super::all_insts(r).len() >= ASIDE
            && sums_only
            && !self.at_once
    }

    /// How `start + growth t` compares to 0 in most iterations; the others are left out.
    fn decide(&mut self, op: Op, start: i128, growth: i128) -> bool {
        let (from, to) = (self.main.0 as i128, self.main.1.map_or(i64::MAX as i128, i128::from));
        let holds = |t: i128| {
            let order = (start + growth * t).cmp(&0);
            match op {
                Op::Lt => order.is_lt(),
                Op::Le => order.is_le(),
                Op::Gt => order.is_gt(),
                Op::Ge => order.is_ge(),
                Op::Eq => order.is_eq(),
                _ => order.is_ne(),
            }
        };
        // It changes its sign, or is 0, between these two.
        let (below, above) = match growth {
            0 => (from, from),
            g => {
                let root = (-start).div_euclid(g);
                let exact = start + g * root == 0;
                if exact { (root, root + 1) } else { (root + 1, root + 1) }
            }
        };
        let (below, above) = (below.clamp(from, to), above.clamp(from, to));
        let mut parts: Vec<(i128, i128)> = Vec::with_capacity(3);
        for (start, end) in [(from, below), (below, above), (above, to)] {
            match parts.last_mut() {
                Some(last) if start < end && holds(last.0) == holds(start) => last.1 = end,
                _ if start < end => parts.push((start, end)),
                _ => {}
            }
        }
        let most = parts.into_iter().max_by_key(|(from, to)| to - from).unwrap_or((from, to));
        self.keep_to(most);
        holds(most.0)
    }

    /// How integers compare in most iterations, if it is known.
    fn compared(&mut self, op: Op, [a, b]: [Affine; 2]) -> Option<bool> {
        if a.turns != b.turns {
            return None;
        }
        let start = a.start? as i128 - b.start? as i128;
        let growth = a.growth as i128 - b.growth as i128;
        Some(self.decide(op, start, growth))
    }

    /// Which of two integers is the smaller one, or the larger, in most iterations.
    fn extremum_of(&mut self, op: Op, inst: &Inst) -> Option<Value> {
        let better = match op {
            Op::Min => Op::Le,
            Op::Max => Op::Ge,
            _ => return None,
        };
        let [a, b] = [0, 1].map(|k| inst.args[k]);
        let both = [self.affine(a)?, self.affine(b)?];
        let first = self.compared(better, both)?;
        Some(if first { a } else { b })
    }

    /// Leaves out all iterations but these.
    fn keep_to(&mut self, (from, to): (i128, i128)) {
        let open = self.main.1.is_none() && to == i64::MAX as i128;
        self.main = (from as i64, (!open).then_some(to as i64));
    }

    /// A remainder that is less than its dividend by the same number in most iterations, the others being left out: an index that wraps
    /// around.
    fn remainder(&mut self, op: Op, inst: &Inst) -> Option<Affine> {
        let &[a, n] = &inst.args[..] else { return None };
        let n = self.affine(n).filter(|n| op == Op::Mod && n.is_fixed())?.start.filter(|n| *n > 0)?;
        let a = self.affine(a).filter(|a| a.turns == [0; LEVELS] && (1..=n / 2).contains(&a.growth))?;
        let (start, growth) = (a.start? as i128, a.growth as i128);
        let (from, to) = (self.main.0 as i128, self.main.1? as i128);
        // The first iteration whose quotient is not below q.
        let first = |q: i128| -> i128 { -(start - q * n as i128).div_euclid(growth) };
        let quotient = |t: i128| (start + growth * t).div_euclid(n as i128);
        let (least, last) = (quotient(from), quotient((to - 1).max(from)));
        // If it wraps around many times, no more than a few stretches are looked at.
        let all = (least..=last).take(3).map(|q| (q, first(q).max(from), first(q + 1).min(to)));
        let (q, from, to) = all.max_by_key(|(_, from, to)| to - from)?;
        let start = i64::try_from(a.start? as i128 - q * n as i128).ok()?;
        self.keep_to((from, to));
        Some(Affine { start: Some(start), ..a })
    }

    /// A truth value that is the same in all iterations of the strip.
    pub(super) fn truth(&self, v: Value) -> Option<bool> {
        match self.emit.plan.consts[v.0 as usize] {
            Some(Const::Bool(yes)) => Some(yes),
            _ => self.known.get(&v).copied(),
        }
    }

    /// Leaves iterations to scalar code where a mask holds.
    pub(super) fn exit(&mut self, bad: M) {
        let bad = self.on_path(bad);
        self.exits.push(bad);
    }

    /// Where a mask holds and the instruction is run.
    fn on_path(&mut self, mask: M) -> M {
        match self.path {
            Some(path) => M(self.b.op(SOp::Mask(MaskOp::And, path.0, mask.0))),
            None => mask,
        }
    }

    /// An `if`: one branch where the condition is known, else both, and an exit in place of one that is no straight line of doubles.
    fn branch(&mut self, inst: &'a Inst) -> Option<()> {
        let cond = inst.args[0];
        if self.guarding && self.truth(cond).is_none() && !self.inside.contains(&cond) {
            self.guards.push(Guard::Holds(cond));
            self.known.insert(cond, true);
        }
        if let Some(yes) = self.truth(inst.args[0]) {
            let r = &inst.regions[!yes as usize];
            if self.is_left(r) {
                return None;
            }
            self.region(r)?;
            return inst.results.iter().zip(&r.yields).try_for_each(|(y, v)| self.is_same(*y, *v));
        }
        let Lane::Mask(cond) = self.lane(inst.args[0])? else { return None };
        let outside = self.path;
        let conds = [cond, self.b.not(cond)];
        let mut formed = [false; 2];
        // Arrays of the lanes' own as they were, and behind each branch.
        let arrays = self.owned.clone();
        let mut behind = [FxHashMap::default(), FxHashMap::default()];
        for (k, r) in inst.regions.iter().enumerate() {
            let before = (self.exits.len(), self.writes.len(), self.main, self.gathers.mark());
            self.owned = arrays.clone();
            self.path = Some(self.on_path(conds[k]));
            let goes = !self.is_left(r) && !self.is_rare(inst.args[0], k, r);
            formed[k] = goes && self.region(r).is_some();
            self.leaves_branch |= goes && !formed[k];
            self.path = outside;
            behind[k] = std::mem::take(&mut self.owned);
            if !formed[k] {
                // What loops did cannot be taken back.
                if self.at_once {
                    return None;
                }
                self.exits.truncate(before.0);
                self.writes.truncate(before.1);
                self.main = before.2;
                self.gathers.forget(before.3);
            }
        }
        // What was changed in one of them is not what it was.
        self.owned = arrays;
        self.owned
            .retain(|v, _| behind.iter().zip(formed).all(|(own, formed)| !formed || own.contains_key(v)));
        let [a, b] = [0, 1].map(|k| &inst.regions[k].yields);
        match formed {
            [false, false] => None,
            [true, true] => {
                for (k, y) in inst.results.iter().enumerate() {
                    let integer = self.ty(*y) == Type::I64;
                    if self.ty(*y).is_array() || integer {
                        let [a, b] = [a[k], b[k]].map(|v| self.resolved(v));
                        if a == b {
                            self.is_same(*y, a)?;
                            continue;
                        } else if !integer {
                            let own = [behind[0].get(&a).cloned(), behind[1].get(&b).cloned()];
                            self.joined(*y, cond, [a, b], own)?;
                            continue;
                        }
                    }
                    let of = if integer { Former::double } else { Former::lane };
                    let (a, b) = (of(self, a[k])?, of(self, b[k])?);
                    let lane = self.b.apply(Op::Select, &[Lane::Mask(cond), a, b])?;
                    self.lanes.insert(*y, lane);
                }
                Some(())
            }
            [first, _] => {
                self.owned.extend(std::mem::take(&mut behind[!first as usize]));
                self.exit(conds[first as usize]);
                let yields = if first { a } else { b };
                inst.results.iter().zip(yields).try_for_each(|(y, v)| self.is_same(*y, *v))
            }
        }
    }

    /// Takes note that a value of the body is another one.
    pub(super) fn is_same(&mut self, y: Value, v: Value) -> Option<()> {
        if self.ty(y).is_array() || self.ty(y) == Type::I64 {
            let v = self.resolved(v);
            self.same.insert(y, v);
        } else if let Some(known) = self.truth(v) {
            self.known.insert(y, known);
        } else {
            let lane = self.lane(v)?;
            self.known.remove(&y);
            self.lanes.insert(y, lane);
        }
        Some(())
    }

    /// An integer or array, or the one it is the same as.
    pub(super) fn resolved(&self, v: Value) -> Value {
        self.same.get(&v).copied().unwrap_or(v)
    }

    /// The numbers a value consists of.
    pub(super) fn elements(&mut self, v: Value, list: &mut Vec<V>) -> Option<()> {
        if !self.ty(v).is_array() {
            match self.lane(v)? {
                Lane::Number(x) => list.push(x),
                Lane::Complex(parts) => list.extend(parts),
                Lane::Mask(_) => return None,
            }
            return Some(());
        }
        let v = self.resolved(v);
        if let Some(list_of) = self.lists.get(&v) {
            list.extend(&list_of.elements);
            return Some(());
        }
        if let Some(own) = self.owned.get(&v) {
            let (array, elements) = (own.array, own.shape.iter().product::<i64>());
            if elements > ROW {
                return None;
            }
            for off in 0..elements as i32 {
                let s = self.place_of_own(array, off, [0; LEVELS]);
                list.push(self.b.op(SOp::Load(s)));
            }
            return Some(());
        }
        let parts = *self.packs.get(&v)?;
        parts.iter().try_for_each(|v| self.elements(*v, list))
    }

    /// The element of a small array made in the body.
    fn element_of_pack(&self, array: Value, index: &[Value]) -> Option<Value> {
        let mut v = array;
        for i in index {
            let Some(Const::I64(i)) = self.emit.plan.consts[i.0 as usize] else { return None };
            v = self.resolved(*self.packs.get(&v)?.get(usize::try_from(i).ok()?)?);
        }
        Some(v)
    }

    /// Whether integer arithmetic is the same in all iterations, and may overflow: then that is found out before.
    fn may_overflow(&self, op: Op, inst: &Inst) -> bool {
        let &[a, b] = &inst.args[..] else { return false };
        let fixed = |v: Value| self.affine(v).is_some_and(|a| a.is_fixed());
        [Op::Add, Op::Sub, Op::Mul].contains(&op)
            && fixed(a)
            && fixed(b)
            && !self.emit.plan.bounds.is_exact(op, inst)
    }

    fn op(&mut self, op: Op, inst: &Inst) -> Option<Lane> {
        if op == Op::ToF64 && self.ty(inst.args[0]) == Type::I64 {
            return self.double(inst.args[0]);
        }
        if op == Op::Powi {
            let Lane::Number(x) = self.lane(inst.args[0])? else { return None };
            let Some(Const::I64(n)) = self.emit.plan.consts[inst.args[1].0 as usize] else { return None };
            return self.b.power(x, n).map(Lane::Number);
        }
        if op == Op::Select
            && let Some(yes) = self.truth(inst.args[0])
        {
            return self.lane(inst.args[if yes { 1 } else { 2 }]);
        }
        let integers = matches!(op, Op::Lt | Op::Le | Op::Gt | Op::Ge | Op::Eq | Op::Ne);
        let lane = |f: &mut Self, v: Value| match f.ty(v) {
            Type::I64 if integers => f.double(v),
            _ => f.lane(v),
        };
        let operands = inst.args.iter().map(|v| lane(self, *v)).collect::<Option<Vec<Lane>>>()?;
        let of_usual = match (op, &operands[..]) {
            (Op::Sign, [Lane::Complex(z)]) => Some(self.b.direction(*z)),
            _ => self.fraction(op, &operands).map(|(a, b)| self.b.quotient(a, b)),
        };
        if let Some((y, usual)) = of_usual {
            let unusual = self.b.not(usual);
            self.exit(unusual);
            return Some(Lane::Complex(y));
        }
        self.b.apply(op, &operands)
    }

    /// Dividend and divisor, if that is complex.
    fn fraction(&mut self, op: Op, x: &[Lane]) -> Option<([V; 2], [V; 2])> {
        let (zero, one) = (self.b.num(0.0), self.b.num(1.0));
        match (op, x) {
            (Op::Div, [Lane::Complex(a), Lane::Complex(b)]) => Some((*a, *b)),
            (Op::Div, [Lane::Number(a), Lane::Complex(b)]) => Some(([*a, zero], *b)),
            (Op::Recip, [Lane::Complex(b)]) => Some(([one, zero], *b)),
            _ => None,
        }
    }

    /// A double, complex number or truth value.
    pub(super) fn lane(&mut self, v: Value) -> Option<Lane> {
        if let Some(lane) = self.lanes.get(&v) {
            return Some(*lane);
        }
        let lane = match (self.emit.plan.consts[v.0 as usize], self.ty(v)) {
            (Some(Const::F64(x)), _) => Lane::Number(self.b.num(x)),
            (Some(Const::C128(z)), _) => Lane::Complex([z.re, z.im].map(|x| self.b.num(x))),
            (None, Type::C128) if !self.inside.contains(&v) => Lane::Complex([0, 1].map(|part| {
                let slot = self.slot(Slot::Part(v, part));
                self.b.op(SOp::Scal(slot))
            })),
            (None, Type::F64) if !self.inside.contains(&v) => {
                let slot = self.slot(Slot::Outside(v));
                Lane::Number(self.b.op(SOp::Scal(slot)))
            }
            (None, Type::BOOL) if !self.inside.contains(&v) => {
                let slot = self.slot(Slot::Outside(v));
                let (x, zero) = (self.b.op(SOp::Scal(slot)), self.b.num(0.0));
                Lane::Mask(M(self.b.op(SOp::Cmp(Cc::Ne, x, zero))))
            }
            (_, Type::BOOL) => {
                let yes = self.truth(v)?;
                let (a, b) = (self.b.num(0.0), self.b.num(if yes { 0.0 } else { 1.0 }));
                Lane::Mask(self.b.eq(a, b))
            }
            _ => return None,
        };
        self.lanes.insert(v, lane);
        Some(lane)
    }

    /// The result of integer arithmetic that each lane has its own of, as a double, where that is exact.
    fn small(&mut self, op: Op, inst: &Inst) -> Option<Lane> {
        if op == Op::ToI64 && self.emit.plan.bounds.is_whole(inst.args[0]) {
            return self.lane(inst.args[0]);
        }
        let fits = |v: Value| {
            let (lo, hi) = self.emit.plan.bounds.range(v);
            -SMALL <= lo && hi <= SMALL
        };
        let positive = |v: Value| self.emit.plan.bounds.range(v).0 >= 0;
        let (whole, numbers) = match op {
            Op::Select => (Some(self.lane(inst.args[0])?), &inst.args[1..]),
            // None of them gives −0.
            Op::Add | Op::Sub => (None, &inst.args[..]),
            Op::Mul if positive(inst.args[0]) && positive(inst.args[1]) => (None, &inst.args[..]),
            _ => return None,
        };
        if !fits(inst.results[0]) || !numbers.iter().all(|v| fits(*v)) {
            return None;
        }
        let mut operands: Vec<Lane> = whole.into_iter().collect();
        for v in numbers {
            operands.push(self.double(*v)?);
        }
        self.b.apply(op, &operands)
    }

    /// An integer as a double, where that is exact.
    pub(super) fn double(&mut self, v: Value) -> Option<Lane> {
        if let Some(lane) = self.lanes.get(&self.resolved(v)) {
            return Some(*lane);
        }
        let v = self.resolved(v);
        let Some(a) = self.affine(v) else {
            let lane = self.gathered(v)?;
            self.lanes.insert(v, lane);
            return Some(lane);
        };
        if a.is_fixed() {
            return Some(Lane::Number(match a.start {
                Some(n) if n.unsigned_abs() <= 1 << 53 => self.b.num(n as f64),
                _ => {
                    let slot = self.slot(Slot::Integer(v));
                    self.b.op(SOp::Scal(slot))
                }
            }));
        }
        let start = a.start?;
        let far = [a.growth, a.turns[0], a.turns[1]].iter().any(|g| g.unsigned_abs() > 1 << 20);
        if start.unsigned_abs() > 1 << 40 || far {
            return None;
        }
        let mut sum = None;
        let growths = [(SOp::Index, a.growth), (SOp::Turn(0), a.turns[0]), (SOp::Turn(1), a.turns[1])];
        for (op, growth) in growths.into_iter().filter(|(_, g)| *g != 0) {
            let mut x = self.b.op(op);
            if growth != 1 {
                let growth = self.b.num(growth as f64);
                x = self.b.mul(x, growth);
            }
            sum = Some(sum.map_or(x, |sum| self.b.add(sum, x)));
        }
        let mut x = sum?;
        if start != 0 {
            let start = self.b.num(start as f64);
            x = self.b.add(x, start);
        }
        Some(Lane::Number(x))
    }

    /// `None` if it does not grow by the same in every iteration, or may overflow.
    pub(super) fn affine(&self, v: Value) -> Option<Affine> {
        let v = self.resolved(v);
        let number = |e: Extent| match e {
            Extent::Number(n) => Some(n),
            Extent::Value(_) => None,
        };
        if let Some((lo, turns)) = self.begins.get(&v) {
            return Some(Affine { growth: 0, turns: *turns, start: Some(*lo) });
        }
        if v == self.of.index {
            let growth = number(self.of.step)?;
            return Some(Affine { growth, turns: [0; LEVELS], start: number(self.of.lo) });
        }
        if let Some(wrapped) = self.wrapped.get(&v) {
            return Some(*wrapped);
        }
        if let Some(Const::I64(n)) = self.emit.plan.consts[v.0 as usize] {
            return Some(Affine::fixed(Some(n)));
        }
        if !self.inside.contains(&v) || self.guarded.contains(&v) {
            return Some(Affine::fixed(self.emit.plan.bounds.number(v)));
        }
        let inst = self.integers.get(&v)?;
        let op = match &inst.kind {
            Kind::Op(op) => *op,
            Kind::Size(size) => return self.affine_size(size),
            _ => return None,
        };
        if matches!(op, Op::Min | Op::Max | Op::Mod) {
            let [a, b] = [self.affine(inst.args[0])?, self.affine(inst.args[1])?];
            let known = op != Op::Mod || b.start.is_some_and(|n| n > 0);
            return (known && a.is_fixed() && b.is_fixed()).then_some(Affine::fixed(None));
        }
        if !matches!(op, Op::Add | Op::Sub | Op::Mul) {
            return None;
        }
        if !self.emit.plan.bounds.is_exact(op, inst) {
            return None;
        }
        let (a, b) = (self.affine(inst.args[0])?, self.affine(inst.args[1])?);
        match op {
            Op::Add => a.with(b, i64::checked_add),
            Op::Sub => a.with(b, i64::checked_sub),
            _ => {
                let (k, x) = match (a, b) {
                    (k @ Affine { start: Some(_), .. }, x) if k.is_fixed() => (k, x),
                    (x, k @ Affine { start: Some(_), .. }) if k.is_fixed() => (k, x),
                    (a, b) if a.is_fixed() && b.is_fixed() => return Some(Affine::fixed(None)),
                    _ => return None,
                };
                let times = |n: i64| n.checked_mul(k.start?);
                let turns = [times(x.turns[0])?, times(x.turns[1])?];
                Some(Affine { growth: times(x.growth)?, turns, start: x.start.and_then(times) })
            }
        }
    }

    /// The same of a size, if none of its terms and sums of terms overflows.
    fn affine_size(&self, size: &Dim) -> Option<Affine> {
        let mut total = 0i64;
        for (factors, times) in size.terms() {
            let term = factors.iter().try_fold(times, |product, v| {
                let (least, most) = self.emit.plan.bounds.range(*v);
                product.checked_abs()?.checked_mul(least.checked_abs()?.max(most.checked_abs()?))
            });
            total = total.checked_add(term?.checked_abs()?)?;
        }
        let mut sum = Affine::fixed(Some(0));
        for (factors, times) in size.terms() {
            let term = match factors {
                [] => Affine::fixed(Some(times)),
                [one] => {
                    let by = Affine { growth: times, turns: [times; LEVELS], start: Some(times) };
                    self.affine(*one)?.with(by, i64::checked_mul)?
                }
                several if several.iter().all(|v| self.affine(*v).is_some_and(|a| a.is_fixed())) => {
                    Affine::fixed(None)
                }
                _ => return None,
            };
            sum = sum.with(term, i64::checked_add)?;
        }
        Some(sum)
    }

    /// Whether an index is within an axis in all iterations of the strip.
    pub(super) fn is_index(&self, v: Value, size: &Dim) -> bool {
        let bounds = &self.emit.plan.bounds;
        if bounds.is_index(v, size) || self.inside_axis.contains(&(v, size.clone())) {
            return true;
        }
        let ends = self.affine(v).filter(|a| a.turns == [0; LEVELS]).and_then(|a| {
            let at = |t: i64| (a.start? as i128).checked_add(a.growth as i128 * t as i128);
            let last = match (a.growth, self.main.1) {
                (0, _) => Some(at(0)?),
                (_, Some(to)) => Some(at(to - 1)?),
                (_, None) => None,
            };
            Some((a.growth, at(self.main.0)?, last))
        });
        let Some((growth, first, last)) = ends else { return false };
        let least = if growth >= 0 { Some(first) } else { last };
        let most = if growth <= 0 { Some(first) } else { last };
        let below = size.as_const().is_some_and(|n| most.is_some_and(|most| most < n as i128));
        least.is_some_and(|n| n >= 0) && (below || bounds.is_below(v, size))
    }

    /// Where the elements of an array from outside are, and how each index grows.
    pub(super) fn place(&mut self, array: Value, index: &[Value]) -> Option<(Place, Vec<Affine>)> {
        let plan = self.emit.plan;
        let shape = plan.memory.shape(array);
        for (v, size) in index.iter().zip(shape).filter(|_| self.guarding) {
            let v = self.resolved(*v);
            let growth = self.affine(v).filter(|a| a.turns == [0; LEVELS]).map(|a| a.growth);
            if let Some(growth) = growth.filter(|_| !self.is_index(v, size)) {
                self.guards.push(Guard::Inside(v, growth, size.clone()));
                self.inside_axis.insert((v, size.clone()));
            }
        }
        self.place_in(index, shape)
    }

    /// The same of an array of this shape.
    pub(super) fn place_in(&self, index: &[Value], shape: &[Dim]) -> Option<(Place, Vec<Affine>)> {
        let plan = self.emit.plan;
        if index.len() != shape.len() {
            return None;
        }
        let mut indices = Vec::with_capacity(index.len());
        for (v, size) in index.iter().zip(shape) {
            let v = self.resolved(*v);
            let number = match plan.consts[v.0 as usize] {
                Some(Const::I64(n)) => Some(n),
                _ => plan.bounds.number(v),
            };
            let inside = match (number, size.as_const()) {
                (Some(i), Some(n)) => (0..n).contains(&i),
                _ => self.is_index(v, size),
            };
            if !inside {
                return None;
            }
            indices.push(self.affine(v)?);
        }
        let (mut step, mut first, mut row) = (Some(0i64), Some(0i64), Some(1i64));
        let mut turns = [0; LEVELS];
        for (a, size) in indices.iter().zip(shape).rev() {
            let part = |x: i64| x.checked_mul(row?);
            step = match a.growth {
                0 => step,
                g => step.and_then(|s| s.checked_add(part(g)?)),
            };
            for (sum, by) in turns.iter_mut().zip(a.turns).filter(|(_, by)| *by != 0) {
                *sum = i32::try_from((*sum as i64).checked_add(part(by)?)?).ok()?;
            }
            first = match a.start {
                Some(0) => first,
                start => first.and_then(|f| f.checked_add(part(start?)?)),
            };
            row = row.zip(size.as_const()).and_then(|(r, n)| r.checked_mul(n));
        }
        Some((Place { step, first, turns }, indices))
    }

    pub(super) fn slot(&mut self, slot: Slot) -> u16 {
        self.slots.push(slot);
        self.b.slot()
    }

    /// The base of an array from outside that is read.
    pub(super) fn base_of_read(&mut self, array: Value) -> Option<u8> {
        let base = match self.read.get(&array) {
            Some(base) => *base,
            None => self.base(Base::Array(array))?,
        };
        self.read.insert(array, base);
        Some(base)
    }

    pub(super) fn base(&mut self, base: Base) -> Option<u8> {
        let number = u8::try_from(self.bases.len()).ok()?;
        self.bases.push(base);
        Some(number)
    }
}

//! Loops inside the loop that runs in lanes: all lanes make the same turns.

use super::Slot;
use super::former::{Former, Own};
use crate::emit::codegen::sizes::Extent;
use crate::lower::strips::{Access, LEVELS, Lane, PARTIALS, SOp, Step, Stream, Turns, V};
use adc_ir::{Const, Inst, Kind, Loop, Op, ReduceOp, Type, Value};
use adc_runtime::lanes::Lanes as _;

/// Elements of an array of the lanes' own, at most.
const LARGEST: i64 = 512;
/// Turns of a loop that had better run in lanes itself, at least, if its elements are neighbours in memory.
const LANES: i64 = 8;

/// A loop inside.
struct Inner<'a> {
    inst: &'a Inst,
    turns: Turns,
    lo: i64,
    step: i64,
    /// What it carries, as it begins: numbers, by the place among all carries.
    carried: Vec<(usize, V)>,
    /// Its parameters of carries.
    params: &'a [Value],
    /// Places of the sums and of collected arrays among what it yields.
    sums: std::ops::Range<usize>,
    collects: Vec<(usize, Own)>,
}

/// What goes from turn to turn.
struct Passed {
    carried: Vec<V>,
    /// By sum: its partial sums.
    partials: Vec<Vec<V>>,
}

impl<'a> Former<'a, '_, '_> {
    /// A loop whose turns are the same in all lanes.
    pub(super) fn inner(&mut self, inst: &'a Inst) -> Option<()> {
        if self.b.level() == LEVELS {
            return None;
        }
        match &inst.kind {
            Kind::For(l) => self.inner_for(inst, *l),
            Kind::Reduce(op) => self.inner_reduce(inst, *op),
            Kind::Build { rank: 1 } => self.inner_build(inst),
            _ => None,
        }
    }

    /// Turns, lo and step of a loop over a range.
    fn range(&mut self, inst: &Inst) -> Option<(Turns, i64, i64)> {
        let number = |v: Value| match self.emit.plan.consts[v.0 as usize] {
            Some(Const::I64(n)) => Some(n),
            _ => self.emit.plan.bounds.number(v),
        };
        let [lo, hi, step] = [0, 1, 2].map(|k| inst.args[k]);
        let (first, by) = (number(lo)?, number(step).filter(|n| *n >= 1)?);
        let turns = match number(hi) {
            Some(hi) => {
                let n = (hi as i128 - first as i128).max(0).div_euclid(by as i128)
                    + ((hi as i128 - first as i128).max(0) % by as i128 != 0) as i128;
                Turns::Const(u32::try_from(n).ok().filter(|n| *n < 1 << 30)?)
            }
            None if !self.inside.contains(&hi) => Turns::Scal(self.slot(Slot::Turns(first, hi, by))),
            None => return None,
        };
        Some((turns, first, by))
    }

    fn inner_for(&mut self, inst: &'a Inst, l: Loop) -> Option<()> {
        let (turns, lo, step) = self.range(inst)?;
        let carries = inst.args.len() - 3;
        let mut carried = Vec::new();
        let params = &inst.regions[0].params[1..];
        for (k, (param, init)) in params.iter().zip(&inst.args[3..]).enumerate() {
            if self.ty(*init).is_array() {
                self.is_same(*param, *init)?;
            } else if self.ty(*init) == Type::F64 {
                let Lane::Number(x) = self.lane(*init)? else { return None };
                carried.push((k, x));
            } else {
                return None;
            }
        }
        let sums = carries..carries + l.sums as usize;
        let mut collects = Vec::new();
        for (k, y) in inst.results.iter().enumerate().skip(sums.end) {
            collects.push((k, self.own(*y)?));
        }
        let inner = Inner { inst, turns, lo, step, carried, params, sums: sums.clone(), collects };
        let passed = self.turn(&inner)?;
        for (k, init) in inst.args[3..].iter().enumerate() {
            if !self.ty(*init).is_array() {
                continue;
            }
            if self.resolved(inst.regions[0].yields[k]) != self.resolved(*init) {
                return None;
            }
            self.is_same(inst.results[k], *init)?;
        }
        for ((k, _), v) in inner.carried.iter().zip(&passed.carried) {
            self.lanes.insert(inst.results[*k], Lane::Number(*v));
        }
        for (k, partials) in sums.zip(passed.partials) {
            let y = self.added(partials);
            self.lanes.insert(inst.results[k], Lane::Number(y));
        }
        for (k, own) in inner.collects {
            self.owned.insert(inst.results[k], own);
        }
        Some(())
    }

    fn inner_reduce(&mut self, inst: &'a Inst, op: ReduceOp) -> Option<()> {
        let (turns, lo, step) = self.range(inst)?;
        if self.ty(inst.results[0]) != Type::F64 {
            return None;
        }
        let sum = op == ReduceOp::Sum;
        let (start, with) = match op {
            ReduceOp::Sum => (0.0, Op::Add),
            ReduceOp::Prod => (1.0, Op::Mul),
            ReduceOp::Max => (f64::NEG_INFINITY, Op::Max),
            ReduceOp::Min => (f64::INFINITY, Op::Min),
            ReduceOp::Any | ReduceOp::All | ReduceOp::ArgMax | ReduceOp::ArgMin => return None,
        };
        if op.needs_element() && !matches!(turns, Turns::Const(1..)) {
            return None;
        }
        let start = self.b.num(start);
        let carried = if sum { Vec::new() } else { vec![(0, start)] };
        let inner = Inner {
            inst,
            turns,
            lo,
            step,
            carried,
            params: &[],
            sums: 0..sum as usize,
            collects: Vec::new(),
        };
        self.combining = (!sum).then_some(with);
        let passed = self.turn(&inner);
        let mut passed = passed?;
        let y = match passed.partials.pop() {
            Some(partials) => self.added(partials),
            None => passed.carried[0],
        };
        self.lanes.insert(inst.results[0], Lane::Number(y));
        Some(())
    }

    fn inner_build(&mut self, inst: &'a Inst) -> Option<()> {
        let own = self.own(inst.results[0])?;
        let turns = Turns::Const(u32::try_from(*own.shape.first()?).ok()?);
        let collects = vec![(0, own)];
        let (carried, params) = (Vec::new(), &[][..]);
        let mut inner = Inner { inst, turns, lo: 0, step: 1, carried, params, sums: 0..0, collects };
        self.turn(&inner)?;
        let (_, own) = inner.collects.pop()?;
        self.owned.insert(inst.results[0], own);
        Some(())
    }

    /// A new array of each lane's own, like this value.
    fn own(&mut self, like: Value) -> Option<Own> {
        if self.ty(like).scalar() != Type::F64.scalar() {
            return None;
        }
        let shape = self.emit.plan.memory.shape(like);
        let shape: Vec<i64> = shape.iter().map(|d| d.as_const()).collect::<Option<_>>()?;
        let elements = shape.iter().try_fold(1i64, |n, d| n.checked_mul(*d))?;
        self.own_elements += elements;
        if !(1..=LARGEST).contains(&elements) || self.own_elements > LARGEST {
            return None;
        }
        Some(Own { array: self.b.own(elements as u32)?, shape })
    }

    /// The fixed tree over partial sums.
    fn added(&mut self, mut parts: Vec<V>) -> V {
        while parts.len() > 1 {
            let half = parts.len() / 2;
            for j in 0..half {
                parts[j] = self.b.add(parts[j], parts[j + half]);
            }
            parts.truncate(half);
        }
        parts[0]
    }

    /// All turns. Where there are sums, as many turns become one as there are partial sums.
    fn turn(&mut self, of: &Inner<'a>) -> Option<Passed> {
        let combining = self.combining.take();
        let zero = self.b.num(0.0);
        let group = if of.sums.is_empty() { 1 } else { PARTIALS as u32 };
        let mut passed = Passed {
            carried: of.carried.iter().map(|(_, v)| *v).collect(),
            partials: of.sums.clone().map(|_| vec![zero; PARTIALS]).collect(),
        };
        // Such a loop could run in lanes itself.
        let lanes = of.carried.is_empty() || combining.is_some();
        let many = !matches!(of.turns, Turns::Const(n) if (n as i64) < LANES);
        let before = (self.exits.len(), std::mem::replace(&mut self.inner_lanes, lanes && many));
        if let (Turns::Const(n), Extent::Number(all)) = (of.turns, self.of.iterations) {
            self.inner_is_better |= lanes && many && n as i64 > all;
        }
        let copies = self.copies;
        let (groups, rest) = match of.turns {
            Turns::Const(n) => (Turns::Const(n / group), n % group),
            Turns::Scal(slot) if group == 1 => (Turns::Scal(slot), 0),
            Turns::Scal(_) => return None,
        };
        self.copies |= group > 1;
        let index = of.inst.regions[0].params[0];
        let mut first = of.lo;
        match groups {
            Turns::Const(0) => {}
            Turns::Const(1) if group > 1 => {
                for c in 0..group {
                    self.begins.insert(index, (None, first + c as i64 * of.step, 0));
                    self.one_turn(of, combining, &mut passed, c as usize, c as i64, None)?;
                }
                first += group as i64 * of.step;
            }
            turns => {
                let level = self.b.level();
                self.nest.push(turns);
                self.nests.push(self.nest.clone());
                let known = self.lanes.clone();
                let start: Vec<V> =
                    passed.carried.iter().chain(passed.partials.iter().flatten()).copied().collect();
                let inside = self.b.begin(turns, &start);
                let (carried, partials) = inside.split_at(passed.carried.len());
                passed.carried.copy_from_slice(carried);
                for (sum, partials) in passed.partials.iter_mut().zip(partials.chunks(PARTIALS)) {
                    sum.copy_from_slice(partials);
                }
                for c in 0..group {
                    let lo = first + c as i64 * of.step;
                    self.begins.insert(index, (Some(level), lo, group as i64 * of.step));
                    self.one_turn(of, combining, &mut passed, c as usize, c as i64, Some((level, group)))?;
                }
                let next = passed.carried.iter().chain(passed.partials.iter().flatten()).copied();
                let next: Vec<(V, V)> = inside.iter().copied().zip(next).collect();
                let last = self.b.end(&next);
                // What a loop computes is not to be had outside.
                self.lanes = known;
                let (carried, partials) = last.split_at(passed.carried.len());
                passed.carried.copy_from_slice(carried);
                for (sum, partials) in passed.partials.iter_mut().zip(partials.chunks(PARTIALS)) {
                    sum.copy_from_slice(partials);
                }
                self.nest.pop();
                if let Turns::Const(n) = turns {
                    first += n as i64 * group as i64 * of.step;
                }
            }
        }
        let done = (first - of.lo) / of.step;
        for c in 0..rest as i64 {
            self.begins.insert(index, (None, first + c * of.step, 0));
            self.one_turn(of, combining, &mut passed, c as usize, done + c, None)?;
        }
        self.copies = copies;
        self.inner_lanes = before.1;
        // Exits come before everything that is stored, and do not come from turns.
        (self.exits.len() == before.0).then_some(passed)
    }

    /// One turn: the `c`th of its group. `row`: which row of collected arrays it is, in the first turn of a loop at that level whose
    /// turns are as many rows apart.
    fn one_turn(
        &mut self,
        of: &Inner<'a>,
        combining: Option<Op>,
        passed: &mut Passed,
        c: usize,
        row: i64,
        turning: Option<(usize, u32)>,
    ) -> Option<()> {
        let region = &of.inst.regions[0];
        if combining.is_none() {
            for ((k, _), v) in of.carried.iter().zip(&passed.carried) {
                self.lanes.insert(of.params[*k], Lane::Number(*v));
            }
        }
        self.region(region)?;
        let number = |f: &mut Self, v: Value| match f.lane(v)? {
            Lane::Number(x) => Some(x),
            Lane::Mask(_) => None,
        };
        match combining {
            Some(op) => {
                let x = number(self, region.yields[0])?;
                let so_far = Lane::Number(passed.carried[0]);
                let Lane::Number(y) = self.b.apply(op, &[so_far, Lane::Number(x)])? else { return None };
                passed.carried[0] = y;
            }
            None => {
                let next: Option<Vec<V>> =
                    of.carried.iter().map(|(k, _)| number(self, region.yields[*k])).collect();
                passed.carried = next?;
            }
        }
        for (sum, k) in passed.partials.iter_mut().zip(of.sums.clone()) {
            let x = number(self, region.yields[k])?;
            sum[c % PARTIALS] = self.b.add(sum[c % PARTIALS], x);
        }
        for (k, own) in &of.collects {
            let mut elements = Vec::new();
            self.elements(region.yields[*k], &mut elements)?;
            let size = elements.len() as i64;
            if size * own.shape[0] != own.shape.iter().product::<i64>() {
                return None;
            }
            for (at, x) in elements.into_iter().enumerate() {
                let mut turns = [0; LEVELS];
                if let Some((level, group)) = turning {
                    turns[level] = i32::try_from(group as i64 * size).ok()?;
                }
                let off = i32::try_from(row * size + at as i64).ok()?;
                let access = Access::RW;
                let s = self.b.stream(Stream { turns, ..Stream::new(own.array, off, Step::Own, access) });
                self.b.op(SOp::Store(s, x));
            }
        }
        Some(())
    }

    /// An element of an array of the lanes' own.
    pub(super) fn element_of_own(&mut self, own: &Own, index: &[Value]) -> Option<Lane> {
        if index.len() != own.shape.len() {
            return None;
        }
        let (mut off, mut turns, mut row) = (0i64, [0i64; LEVELS], 1i64);
        for (v, size) in index.iter().zip(&own.shape).rev() {
            let v = self.resolved(*v);
            if !self.is_index(v, &(*size).into()) {
                return None;
            }
            let a = self.affine(v)?;
            if a.growth != 0 {
                return None;
            }
            off += a.start? * row;
            for (sum, by) in turns.iter_mut().zip(a.turns) {
                *sum += by * row;
            }
            row *= size;
        }
        let turns = [i32::try_from(turns[0]).ok()?, i32::try_from(turns[1]).ok()?];
        let off = i32::try_from(off).ok()?;
        let s = self.b.stream(Stream { turns, ..Stream::new(own.array, off, Step::Own, Access::RW) });
        Some(Lane::Number(self.b.op(SOp::Load(s))))
    }
}

//! Loops inside the loop that runs in lanes: all lanes make the same turns.

use super::Slot;
use super::arrays::Own;
use super::former::Former;
use crate::emit::codegen::sizes::Extent;
use crate::lower::strips::{LEVELS, Lane, PARTIALS, SOp, Turns, V};
use adc_ir::{Const, Inst, Kind, Loop, Op, ReduceOp, Region, Type, Value};
use adc_runtime::lanes::Lanes as _;

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
    /// Arrays that each lane changes for itself, likewise.
    arrays: Vec<(usize, Own)>,
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
    pub(super) fn range(&mut self, inst: &Inst) -> Option<(Turns, i64, i64)> {
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
        let (mut carried, mut arrays) = (Vec::new(), Vec::new());
        let params = &inst.regions[0].params[1..];
        for (k, (param, init)) in params.iter().zip(&inst.args[3..]).enumerate() {
            if self.ty(*init).is_array() {
                match self.changing(*init)? {
                    Some(own) => arrays.push((k, own)),
                    None => self.is_same(*param, *init)?,
                }
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
            collects.push((k, self.own_like(*y)?));
        }
        let inner = Inner { inst, turns, lo, step, carried, params, arrays, sums: sums.clone(), collects };
        let passed = self.turn(&inner)?;
        for (k, init) in inst.args[3..].iter().enumerate() {
            if !self.ty(*init).is_array() || inner.arrays.iter().any(|(at, _)| *at == k) {
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
        for (k, own) in inner.collects.into_iter().chain(inner.arrays) {
            self.owned.insert(inst.results[k], own);
        }
        Some(())
    }

    /// An array that a loop carries and the lanes have for themselves: its memory, as it is at the beginning. `Some(None)` if it is one
    /// from outside.
    fn changing(&mut self, init: Value) -> Option<Option<Own>> {
        let init = self.resolved(init);
        if let Some(own) = self.owned.remove(&init) {
            return (own.level == self.b.level()).then_some(Some(own));
        }
        if !self.is_small(init) {
            return Some(None);
        }
        let list = self.list(init)?;
        self.in_memory(list).map(Some)
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
            arrays: Vec::new(),
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
        let own = self.own_like(inst.results[0])?;
        let turns = Turns::Const(u32::try_from(*own.shape.first()?).ok()?);
        let collects = vec![(0, own)];
        let (carried, params) = (Vec::new(), &[][..]);
        let arrays = Vec::new();
        let mut inner = Inner { inst, turns, lo: 0, step: 1, carried, params, arrays, sums: 0..0, collects };
        self.turn(&inner)?;
        let (_, own) = inner.collects.pop()?;
        self.owned.insert(inst.results[0], own);
        Some(())
    }

    /// A new array of each lane's own, like this value.
    fn own_like(&mut self, like: Value) -> Option<Own> {
        let shape = self.sizes(like)?;
        self.own(shape)
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
        let lanes = (of.carried.is_empty() && of.arrays.is_empty()) || combining.is_some();
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
        if let Turns::Const(n) = of.turns
            && (is_long(of, n) || (self.sums_in_memory && n >= 2 * group && is_plain(of)))
        {
            // What is the first is asked for once.
            self.copies |= n > PARTIALS as u32 && n % PARTIALS as u32 > 0;
            let passed = self.turn_in_memory(of, n);
            (self.inner_lanes, self.copies) = (before.1, copies);
            return passed.filter(|_| self.exits.len() == before.0);
        }
        self.copies |= group > 1;
        let index = of.inst.regions[0].params[0];
        let mut first = of.lo;
        match groups {
            Turns::Const(0) => {}
            Turns::Const(1) if group > 1 => {
                for c in 0..group {
                    self.begins.insert(index, (first + c as i64 * of.step, [0; LEVELS]));
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
                    self.begins.insert(index, (lo, along(level, group as i64 * of.step)));
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
            self.begins.insert(index, (first + c * of.step, [0; LEVELS]));
            self.one_turn(of, combining, &mut passed, c as usize, done + c, None)?;
        }
        self.copies = copies;
        self.inner_lanes = before.1;
        // Exits come before everything that is stored, and do not come from turns.
        (self.exits.len() == before.0).then_some(passed)
    }

    /// All turns of a loop with sums whose body is long: it is formed once, with the partial sums in memory, and once more for turns that are
    /// no whole group.
    fn turn_in_memory(&mut self, of: &Inner<'a>, n: u32) -> Option<Passed> {
        const GROUP: u32 = PARTIALS as u32;
        let (groups, rest) = (n / GROUP, n % GROUP);
        let needed = 1 + usize::from(groups > 1) + depth(&of.inst.regions[0]);
        if self.b.level() + needed > LEVELS {
            return None;
        }
        let partials: Vec<u8> =
            of.sums.clone().map(|_| Some(self.own(vec![GROUP as i64])?.array)).collect::<Option<_>>()?;
        let zero = self.b.num(0.0);
        self.repeated(GROUP, false, |f, level| {
            for p in &partials {
                let s = f.place_of_own(*p, 0, along(level, 1));
                f.b.op(SOp::Store(s, zero));
            }
            Some(())
        })?;
        let group = |f: &mut Self, turns: u32, around: Option<usize>, lo: i64| {
            f.repeated(turns, true, |f, level| {
                let mut by = along(level, of.step);
                if let Some(around) = around {
                    by[around] = GROUP as i64 * of.step;
                }
                f.begins.insert(of.inst.regions[0].params[0], (lo, by));
                let mut passed = Passed { carried: Vec::new(), partials: Vec::new() };
                f.one_turn(of, None, &mut passed, 0, 0, None)?;
                for (p, k) in partials.iter().zip(of.sums.clone()) {
                    let Lane::Number(x) = f.lane(of.inst.regions[0].yields[k])? else { return None };
                    let s = f.place_of_own(*p, 0, along(level, 1));
                    f.add_to_own(s, x);
                }
                Some(())
            })
        };
        match groups {
            0 => {}
            1 => group(self, GROUP, None, of.lo)?,
            _ => self.repeated(groups, false, |f, around| group(f, GROUP, Some(around), of.lo))?,
        }
        if rest > 0 {
            group(self, rest, None, of.lo + groups as i64 * GROUP as i64 * of.step)?;
        }
        // The fixed tree.
        let mut half = GROUP / 2;
        while half > 0 {
            self.repeated(half, false, |f, level| {
                for p in &partials {
                    let [to, from] = [0, half].map(|off| f.place_of_own(*p, off as i32, along(level, 1)));
                    let x = f.b.op(SOp::Load(from));
                    f.add_to_own(to, x);
                }
                Some(())
            })?;
            half /= 2;
        }
        let sum = |p: &u8| {
            let s = self.place_of_own(*p, 0, [0; LEVELS]);
            vec![self.b.op(SOp::Load(s))]
        };
        Some(Passed { carried: Vec::new(), partials: partials.iter().map(sum).collect() })
    }

    /// A loop that carries no numbers; `body` is formed at its level. `counted`: whether its turns are turns of the program.
    pub(super) fn repeated(
        &mut self,
        n: u32,
        counted: bool,
        body: impl FnOnce(&mut Self, usize) -> Option<()>,
    ) -> Option<()> {
        let level = self.b.level();
        self.nest.push(Turns::Const(n));
        if counted {
            self.nests.push(self.nest.clone());
        }
        let known = self.lanes.clone();
        self.b.begin(Turns::Const(n), &[]);
        let formed = body(self, level);
        self.b.end(&[]);
        self.lanes = known;
        self.nest.pop();
        formed
    }

    /// Adds to an element of the lanes' own.
    fn add_to_own(&mut self, s: u16, x: V) {
        let old = self.b.op(SOp::Load(s));
        let new = self.b.add(old, x);
        self.b.op(SOp::Store(s, new));
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
        for (k, own) in &of.arrays {
            let own = Own { level: self.b.level(), ..own.clone() };
            self.owned.insert(of.params[*k], own);
        }
        self.region(region)?;
        for (k, own) in &of.arrays {
            let last = self.resolved(region.yields[*k]);
            if self.owned.remove(&last).is_none_or(|last| last.array != own.array) {
                return None;
            }
        }
        let number = |f: &mut Self, v: Value| match f.lane(v)? {
            Lane::Number(x) => Some(x),
            Lane::Complex(_) | Lane::Mask(_) => None,
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
                let s = self.place_of_own(own.array, off, turns);
                self.b.op(SOp::Store(s, x));
            }
        }
        Some(())
    }
}

/// Whether copies of a body for each partial sum would be longer than sums in memory are slow.
fn is_long(of: &Inner, n: u32) -> bool {
    /// Instructions of all copies.
    const COPIED: usize = 400;
    let copies = (n as usize).min(PARTIALS) + n as usize % PARTIALS;
    let size = super::all_insts(&of.inst.regions[0]).len();
    is_plain(of) && copies * size > COPIED
}

/// Whether a loop makes nothing but sums.
fn is_plain(of: &Inner) -> bool {
    !of.sums.is_empty() && of.carried.is_empty() && of.collects.is_empty()
}

/// How deep loops are nested.
fn depth(r: &Region) -> usize {
    let nested = |i: &Inst| {
        let inner = i.regions.iter().map(depth).max().unwrap_or(0);
        inner + usize::from(i.kind.is_loop())
    };
    r.insts.iter().map(nested).max().unwrap_or(0)
}

/// What grows by so much with the turns of one loop.
pub(super) fn along<T: Default + Copy>(level: usize, by: T) -> [T; LEVELS] {
    let mut turns = [T::default(); LEVELS];
    turns[level] = by;
    turns
}

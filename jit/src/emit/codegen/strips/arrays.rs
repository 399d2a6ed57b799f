//! Small arrays that iterations make for themselves: as the list of their elements where all that is done with them is known, else in
//! memory that each lane has for itself.
//!
//! A write to such an array changes it in place. The array before it is then not to be had any more: who asks for it has no strip.

use super::former::Former;
use super::inner::along;
use crate::lower::strips::{Access, Cc, LEVELS, Lane, M, SOp, Step, Stream, V};
use adc_ir::{Const, Inst, Kind, Type, Value};
use adc_runtime::lanes::Lanes as _;

/// Elements of arrays of the lanes' own, at most, of one that is a list, and of one of which the data say which element it is.
pub(super) const LARGEST: i64 = 512;
const LIST: i64 = 64;
const CHOICE: i64 = 16;

/// An array that each lane has for itself.
#[derive(Clone)]
pub(super) struct Own {
    pub array: u8,
    pub shape: Vec<i64>,
    /// The loops inside that were open where it was made.
    pub level: usize,
}

/// An array as the list of its elements.
#[derive(Clone)]
pub(super) struct List {
    pub shape: Vec<i64>,
    pub elements: Vec<V>,
}

impl<'a> Former<'a, '_, '_> {
    /// The sizes of an array of doubles.
    pub(super) fn sizes(&self, v: Value) -> Option<Vec<i64>> {
        let doubles = self.ty(v).scalar() == Type::F64.scalar();
        let shape = self.emit.plan.memory.shape(v);
        shape.iter().map(|d| d.as_const()).collect::<Option<_>>().filter(|_| doubles)
    }

    /// A new array of each lane's own.
    pub(super) fn own(&mut self, shape: Vec<i64>) -> Option<Own> {
        let elements = shape.iter().try_fold(1i64, |n, d| n.checked_mul(*d))?;
        self.own_elements += elements;
        if !(1..=LARGEST).contains(&elements) || self.own_elements > LARGEST {
            return None;
        }
        Some(Own { array: self.b.own(elements as u32)?, shape, level: self.b.level() })
    }

    /// An array of one number.
    pub(super) fn fill(&mut self, inst: &Inst) -> Option<()> {
        let y = inst.results[0];
        let shape = self.sizes(y)?;
        let n = shape.iter().try_fold(1i64, |n, d| n.checked_mul(*d))?;
        if self.ty(inst.args[0]) != Type::F64 || !(1..=LIST).contains(&n) {
            return None;
        }
        let Lane::Number(x) = self.lane(inst.args[0])? else { return None };
        self.lists.insert(y, List { shape, elements: vec![x; n as usize] });
        Some(())
    }

    /// An array as a list, if it is one or made of such.
    pub(super) fn list(&mut self, v: Value) -> Option<List> {
        let v = self.resolved(v);
        if let Some(list) = self.lists.get(&v) {
            return Some(list.clone());
        }
        let parts = *self.packs.get(&v)?;
        let shape = self.sizes(v).filter(|s| s.iter().product::<i64>() <= LIST)?;
        let mut elements = Vec::new();
        for part in parts {
            match self.ty(*part).is_array() {
                true => elements.extend(self.list(*part)?.elements),
                false => {
                    let Lane::Number(x) = self.lane(*part)? else { return None };
                    elements.push(x);
                }
            }
        }
        Some(List { shape, elements })
    }

    /// A list in memory.
    pub(super) fn in_memory(&mut self, list: List) -> Option<Own> {
        let own = self.own(list.shape)?;
        for (k, x) in list.elements.into_iter().enumerate() {
            let s = self.place_of_own(own.array, k as i32, [0; LEVELS]);
            self.b.op(SOp::Store(s, x));
        }
        Some(own)
    }

    /// The stream of an element of the lanes' own.
    pub(super) fn place_of_own(&mut self, array: u8, off: i32, turns: [i32; LEVELS]) -> u16 {
        let stream = Stream { turns, ..Stream::new(array, off, Step::Own, Access::RW) };
        if let Some(s) = self.own_streams.get(&stream) {
            return *s;
        }
        let s = self.b.stream(stream);
        self.own_streams.insert(stream, s);
        s
    }

    /// Where an element is, if that does not depend on turns.
    fn number_of_place(&self, index: &[Value], shape: &[i64]) -> Option<usize> {
        let mut at = 0;
        if index.len() != shape.len() {
            return None;
        }
        for (v, size) in index.iter().zip(shape) {
            let v = self.resolved(*v);
            let i = match self.emit.plan.consts[v.0 as usize] {
                Some(Const::I64(i)) => i,
                _ => self.affine(v).filter(|a| a.is_fixed())?.start?,
            };
            if !(0..*size).contains(&i) {
                return None;
            }
            at = at * size + i;
        }
        usize::try_from(at).ok()
    }

    /// By place along an axis of so many: whether it is the one that the data say. Iterations for which none is are left to scalar code.
    pub(super) fn chosen(&mut self, index: Value, n: i64) -> Option<Vec<M>> {
        if !(1..=CHOICE).contains(&n) || self.at_once {
            return None;
        }
        let Lane::Number(i) = self.double(index)? else { return None };
        let [zero, size] = [0, n].map(|k| self.b.num(k as f64));
        let below = M(self.b.op(SOp::Cmp(Cc::Lt, i, zero)));
        let beyond = M(self.b.op(SOp::Cmp(Cc::Le, size, i)));
        let outside = self.b.or(below, beyond);
        self.exit(outside);
        let places = (0..n).map(|k| {
            let k = self.b.num(k as f64);
            self.b.eq(i, k)
        });
        Some(places.collect())
    }

    /// Additions to all elements of a small row of a carried array, of which the data say which one it is; the others get −0, which
    /// changes nothing. Where the loop writes to elements of the row by their numbers, too.
    pub(super) fn chosen_of_row(
        &mut self,
        array: Value,
        index: &[Value],
        x: V,
        inst: &Inst,
    ) -> Option<Vec<(u16, V)>> {
        let (last, row) = index.split_last()?;
        let n = self.emit.plan.memory.shape(array).last()?.as_const().filter(|n| *n <= CHOICE)?;
        let by_number = |i: &&Inst| {
            let writes = matches!(i.kind, Kind::AddAt | Kind::Update) && i.args.len() == inst.args.len();
            writes
                && i.args[2..].split_last().is_some_and(|(last, before)| {
                    before == &inst.args[2..][..row.len()] && self.emit.plan.consts[last.0 as usize].is_some()
                })
        };
        if inst.kind != Kind::AddAt || self.is_data(row) || !self.made.values().any(by_number) {
            return None;
        }
        let numbers: Vec<Value> = (0..n).map(|k| self.constant(k)).collect::<Option<_>>()?;
        let masks = self.chosen(*last, n)?;
        let nothing = self.b.num(-0.0);
        let mut adds = Vec::new();
        for (k, mask) in numbers.into_iter().zip(masks) {
            let [s] = self.written(array, [row, &[k]].concat(), true)?[..] else { return None };
            adds.push((s, self.b.select(mask, x, nothing)));
        }
        Some(adds)
    }

    /// A value that is a number.
    fn constant(&self, k: i64) -> Option<Value> {
        let at = self.emit.plan.consts.iter().position(|c| *c == Some(Const::I64(k)))?;
        Some(Value(at as u32))
    }

    /// Whether an array is one that the lanes have for themselves.
    pub(super) fn is_small(&self, array: Value) -> bool {
        self.owned.contains_key(&array) || self.lists.contains_key(&array) || self.packs.contains_key(&array)
    }

    /// An element of such an array.
    pub(super) fn element_of_small(&mut self, array: Value, index: &[Value]) -> Option<Lane> {
        let own = match self.owned.get(&array) {
            Some(own) => own.clone(),
            None => {
                let list = self.list(array)?;
                if let Some(at) = self.number_of_place(index, &list.shape) {
                    return Some(Lane::Number(list.elements[at]));
                }
                if let ([i], [n]) = (index, &list.shape[..])
                    && self.is_data(index)
                {
                    let masks = self.chosen(*i, *n)?;
                    let elements = masks.into_iter().zip(list.elements);
                    let one = elements.fold(None, |one: Option<V>, (mask, x)| {
                        Some(one.map_or(x, |one| self.b.select(mask, x, one)))
                    });
                    return one.map(Lane::Number);
                }
                self.in_memory(list)?
            }
        };
        let (off, turns) = self.place_in_own(&own, index)?;
        let s = self.place_of_own(own.array, off, turns);
        Some(Lane::Number(self.b.op(SOp::Load(s))))
    }

    /// Where an element of an array of the lanes' own is.
    fn place_in_own(&self, own: &Own, index: &[Value]) -> Option<(i32, [i32; LEVELS])> {
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
        Some((i32::try_from(off).ok()?, turns))
    }

    /// A write to an array that the lanes have for themselves.
    pub(super) fn change(&mut self, array: Value, inst: &Inst) -> Option<()> {
        let (index, y) = (&inst.args[2..], inst.results[0]);
        let Lane::Number(value) = self.lane(inst.args[1])? else { return None };
        let changed = |f: &mut Self, old: V| {
            let new = if inst.kind == Kind::AddAt { f.b.add(old, value) } else { value };
            f.path.map_or(new, |m| f.b.select(m, new, old))
        };
        let own = match self.owned.remove(&array) {
            // What a loop around has made is to be the same in every turn.
            Some(own) if own.level == self.b.level() => own,
            Some(_) => return None,
            None => {
                let mut list = self.list(array)?;
                if let Some(at) = self.number_of_place(index, &list.shape) {
                    list.elements[at] = changed(self, list.elements[at]);
                    self.lists.insert(y, list);
                    return Some(());
                }
                if let ([i], [n]) = (index, &list.shape[..])
                    && self.is_data(index)
                {
                    let masks = self.chosen(*i, *n)?;
                    for (mask, x) in masks.into_iter().zip(&mut list.elements) {
                        let new = changed(self, *x);
                        *x = self.b.select(mask, new, *x);
                    }
                    self.lists.insert(y, list);
                    return Some(());
                }
                self.in_memory(list)?
            }
        };
        let (off, turns) = self.place_in_own(&own, index)?;
        let s = self.place_of_own(own.array, off, turns);
        let old = self.b.op(SOp::Load(s));
        let new = changed(self, old);
        self.b.op(SOp::Store(s, new));
        self.owned.insert(y, own);
        Some(())
    }

    /// A new array of the elements of one of two, each that of the first where the condition holds.
    fn either_of(&mut self, cond: M, [a, b]: [&Own; 2]) -> Option<Own> {
        let own = self.own(a.shape.clone())?;
        if a.shape != b.shape || self.b.level() == LEVELS {
            return None;
        }
        let elements = u32::try_from(a.shape.iter().product::<i64>()).ok()?;
        self.repeated(elements, false, |f, level| {
            let [x, y, to] = [a, b, &own].map(|own| f.place_of_own(own.array, 0, along(level, 1)));
            let [x, y] = [x, y].map(|s| f.b.op(SOp::Load(s)));
            let one = f.b.select(cond, x, y);
            f.b.op(SOp::Store(to, one));
            Some(())
        })?;
        Some(own)
    }

    /// What two branches make of an array: where the condition holds, the first.
    pub(super) fn joined(
        &mut self,
        y: Value,
        cond: M,
        [a, b]: [Value; 2],
        [first, second]: [Option<Own>; 2],
    ) -> Option<()> {
        if let (Some(a), Some(b)) = (&first, &second) {
            let own = match a.array == b.array {
                // Each has changed it where it was run.
                true => a.clone(),
                false => self.either_of(cond, [a, b])?,
            };
            self.owned.insert(y, own);
            return Some(());
        }
        let (a, b) = (self.list(a)?, self.list(b)?);
        let both = a.elements.iter().zip(&b.elements);
        let elements = both.map(|(a, b)| self.b.select(cond, *a, *b)).collect();
        self.lists.insert(y, List { shape: a.shape, elements });
        Some(())
    }
}

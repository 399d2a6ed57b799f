//! Small arrays that iterations make for themselves: as the list of their elements where all that is done with them is known, else in
//! memory that each lane has for itself.
//!
//! A write to such an array changes it in place. The array before it is then not to be had any more: who asks for it has no strip.

use super::former::Former;
use crate::lower::strips::{Access, LEVELS, Lane, M, SOp, Step, Stream, V};
use adc_ir::{Const, Inst, Kind, Type, Value};
use adc_runtime::lanes::Lanes as _;

/// Elements of arrays of the lanes' own, at most, and of one that is a list.
pub(super) const LARGEST: i64 = 512;
const LIST: i64 = 64;

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

    /// What two branches make of an array: where the condition holds, the first.
    pub(super) fn joined(
        &mut self,
        y: Value,
        cond: M,
        [a, b]: [Value; 2],
        [first, second]: [Option<Own>; 2],
    ) -> Option<()> {
        if let (Some(a), Some(b)) = (&first, &second) {
            // Each has changed it where it was run.
            let own = a.clone();
            return (a.array == b.array).then(|| drop(self.owned.insert(y, own)));
        }
        let (a, b) = (self.list(a)?, self.list(b)?);
        let both = a.elements.iter().zip(&b.elements);
        let elements = both.map(|(a, b)| self.b.select(cond, *a, *b)).collect();
        self.lists.insert(y, List { shape: a.shape, elements });
        Some(())
    }
}

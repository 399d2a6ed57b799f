//! What iterations write to arrays that their loop carries: elements that no other iteration writes, places of cycles, and neighbours that
//! are only added to.

use super::former::{Affine, Former, Place};
use super::{Base, Guard};
use crate::lower::strips::{Access, CYCLE, LEVELS, Lane, M, SOp, Step, Stream, V};
use adc_ir::{Inst, Kind, Op, Scalar, Value};
use adc_runtime::lanes::Lanes as _;

/// A write to a carried array, where the mask holds.
#[derive(Clone, Copy)]
pub(super) struct Write {
    stream: u16,
    /// Whether it is added to a cycle.
    cycle: bool,
    add: bool,
    value: V,
    path: Option<M>,
}

/// An element of a carried array that is written, and its streams: one, or one for each part of a complex number.
pub(super) struct Written {
    array: Value,
    index: Vec<Value>,
    place: Place,
    indices: Vec<Affine>,
    streams: Vec<u16>,
    /// Whether nothing else is done with it than adding.
    added: bool,
    /// Whether it is in a loop inside.
    inside: bool,
}

/// Whether iterations write to elements that others write to somewhere else.
enum Meets {
    Never,
    /// Each to its own, the same in both places.
    Always,
    Perhaps,
}

impl Written {
    /// How much farther on it is than another element of the same row, if both go from element to element.
    fn beyond(&self, other: &Written) -> Option<i64> {
        let ((last, before), (_, others)) = (self.index.split_last()?, other.index.split_last()?);
        let (a, b) = (self.indices.last()?, other.indices.last()?);
        let row = before == others && self.place.step == Some(1) && other.place.step == Some(1);
        let distance = a.start?.checked_sub(b.start?);
        distance.filter(|_| row && a.growth == 1 && b.growth == 1 && Some(last) != other.index.last())
    }

    /// Indices that are the same in all iterations, and by which they may differ.
    fn differs_by(&self, other: &Written) -> Option<(Value, Value)> {
        let both = self.index.iter().zip(&other.index).zip(self.indices.iter().zip(&other.indices));
        let fixed = |(a, b): &(&Affine, &Affine)| a.is_fixed() && b.is_fixed();
        both.filter(|((a, b), at)| a != b && fixed(at)).map(|((a, b), _)| (*a, *b)).next()
    }

    /// Whether iterations of an axis of its own, which no loop inside moves along, have the same place on it as those of another element:
    /// then no iteration has an element of another one.
    fn shares_axis(&self, other: &Written) -> bool {
        let along = |a: &Affine| a.growth != 0 && a.turns == [0; LEVELS];
        let same = |k: usize, a: &Affine, b: &Affine| {
            a.growth == b.growth
                && (self.index[k] == other.index[k] || (a.start.is_some() && a.start == b.start))
        };
        let both = self.indices.iter().zip(&other.indices).enumerate();
        both.into_iter().any(|(k, (a, b))| along(a) && along(b) && same(k, a, b))
    }

    /// In so many iterations, if that is known.
    fn meets(&self, other: &Written, iterations: Option<i64>) -> Meets {
        let fixed = |a: &Affine| a.start.filter(|_| a.is_fixed());
        let differ = |(a, b): (&Affine, &Affine)| fixed(a).zip(fixed(b)).is_some_and(|(a, b)| a != b);
        if self.array != other.array || self.indices.iter().zip(&other.indices).any(differ) {
            return Meets::Never;
        }
        let Some(step) = self.place.step.filter(|_| self.place.step == other.place.step) else {
            return Meets::Perhaps;
        };
        let far = iterations.and_then(|n| step.unsigned_abs().checked_mul(n.unsigned_abs()));
        match (self.place.first, other.place.first) {
            _ if self.index == other.index => Meets::Always,
            (Some(a), Some(b)) if a == b => Meets::Always,
            (Some(a), Some(b)) if a.abs_diff(b) < step.unsigned_abs() => Meets::Never,
            // What the one has last comes before what the other has first.
            (Some(a), Some(b)) if far.is_some_and(|far| a.abs_diff(b) >= far) => Meets::Never,
            _ => Meets::Perhaps,
        }
    }
}

impl Former<'_, '_, '_> {
    /// A write to an element of a carried array that no other iteration writes, or an addition to one that shares its place in a cycle
    /// with every eighth.
    pub(super) fn write(&mut self, inst: &Inst) -> Option<()> {
        let (array, index) = (self.resolved(inst.args[0]), &inst.args[2..]);
        self.parts(inst.args[1])?;
        if self.is_small(array) {
            return self.change(array, inst);
        }
        if !self.of.carried.iter().any(|(param, _)| *param == array) {
            return None;
        }
        let mut values = Vec::new();
        self.elements(inst.args[1], &mut values)?;
        let index: Vec<Value> = index.iter().map(|v| self.resolved(*v)).collect();
        let (add, path) = (inst.kind == Kind::AddAt, self.path);
        let one = |stream, cycle, value| Write { stream, cycle, add, value, path };
        let in_cycle = self.cycle(array, &index, add);
        let writes: Vec<Write> = match (in_cycle, &values[..]) {
            (None, _) if self.is_data(&index) => {
                let in_row = match values[..] {
                    [x] => self.chosen_of_row(array, &index, x, inst),
                    _ => None,
                };
                match in_row {
                    Some(adds) => adds.into_iter().map(|(s, x)| one(s, false, x)).collect(),
                    None => {
                        let column =
                            |(stream, value)| Write { stream, cycle: false, add: false, value, path: None };
                        self.scattered(array, index, values, inst)?.into_iter().map(column).collect()
                    }
                }
            }
            (Some(stream), [value]) => vec![one(stream, true, *value)],
            (Some(_), _) => return None,
            (None, values) => {
                let streams = self.written(array, index, add)?;
                streams.into_iter().zip(values).map(|(s, x)| one(s, false, *x)).collect()
            }
        };
        if self.at_once {
            self.emit_writes(writes);
        } else {
            self.writes.extend(writes);
        }
        self.same.insert(inst.results[0], array);
        Some(())
    }

    /// An element of a carried array that no other iteration writes: what was there, or what this one has written.
    pub(super) fn carried_element(&mut self, array: Value, index: &[Value]) -> Option<Lane> {
        let index: Vec<Value> = index.iter().map(|v| self.resolved(*v)).collect();
        match self.written(array, index, false)?[..] {
            [re, im] => Some(Lane::Complex([self.now(re)?, self.now(im)?])),
            [s] => self.now(s).map(Lane::Number),
            _ => None,
        }
    }

    /// What a stream's element is after the writes so far.
    fn now(&mut self, stream: u16) -> Option<V> {
        let mut now = None;
        for k in 0..self.writes.len() {
            let Write { stream: other, cycle, add, value, path } = self.writes[k];
            if other != stream {
                continue;
            }
            if cycle || (path.is_some() && path != self.path) {
                return None;
            }
            now = Some(match add {
                true => {
                    let old = now.unwrap_or_else(|| self.b.op(SOp::Load(stream)));
                    self.b.add(old, value)
                }
                false => value,
            });
        }
        Some(now.unwrap_or_else(|| self.b.op(SOp::Load(stream))))
    }

    /// An element that is written several times goes to memory once.
    pub(super) fn emit_writes(&mut self, writes: Vec<Write>) {
        let mut elements: Vec<(u16, V)> = Vec::new();
        let (mut meeting, writes): (Vec<Write>, Vec<Write>) =
            writes.into_iter().partition(|w| !w.cycle && self.b.stream_of(w.stream).added);
        for Write { stream, cycle, add, value, path } in writes {
            if cycle {
                // Adding −0 changes nothing.
                let nothing = self.b.num(-0.0);
                let value = path.map_or(value, |m| self.b.select(m, value, nothing));
                self.b.op(SOp::AddTo(stream, value));
                continue;
            }
            let known = elements.iter().position(|(s, _)| *s == stream);
            let old = (add || path.is_some())
                .then(|| known.map_or_else(|| self.b.op(SOp::Load(stream)), |k| elements[k].1));
            let mut new = value;
            if let Some(old) = old {
                new = if add { self.b.add(old, value) } else { value };
                new = path.map_or(new, |m| self.b.select(m, new, old));
            }
            match known {
                Some(k) => elements[k].1 = new,
                None => elements.push((stream, new)),
            }
        }
        for (stream, x) in elements {
            self.b.op(SOp::Store(stream, x));
        }
        // What comes to one element is in the order of iterations.
        meeting.sort_by_key(|w| {
            (self.b.stream_of(w.stream).base, std::cmp::Reverse(self.b.stream_of(w.stream).off))
        });
        for all in meeting.chunk_by(|a, b| a.stream == b.stream) {
            let stream = all[0].stream;
            let mut now = self.b.op(SOp::Load(stream));
            for Write { value, path, .. } in all {
                let sum = self.b.add(now, *value);
                now = path.map_or(sum, |m| self.b.select(m, sum, now));
            }
            self.b.op(SOp::Store(stream, now));
        }
    }

    /// Whether an integer is the place of an iteration in a cycle.
    pub(super) fn is_cycle(&self, op: Op, inst: &Inst) -> bool {
        let &[a, b] = &inst.args[..] else { return false };
        let place = self.affine(a).is_some_and(|a| {
            a.growth == 1 && a.turns == [0; LEVELS] && a.start.is_some_and(|n| n % CYCLE as i64 == 0)
        });
        let length = self.affine(b).is_some_and(|b| b.is_fixed() && b.start == Some(CYCLE as i64));
        op == Op::Mod && place && length
    }

    /// The stream of places in cycles, of which the indices but the last say which cycle.
    fn cycle(&mut self, array: Value, index: &[Value], add: bool) -> Option<u16> {
        let (last, which) = index.split_last()?;
        let shape = self.emit.plan.memory.shape(array);
        let elsewhere = self.written.iter().any(|w| w.array == array) || self.gathers.scatters_to(array);
        if !add || elsewhere || !self.cycles.contains(last) || shape.last()?.as_const() != Some(CYCLE as i64)
        {
            return None;
        }
        let (place, _) = self.place_in(which, &shape[..shape.len() - 1])?;
        let times = |n: i64| n.checked_mul(CYCLE as i64).and_then(|n| i32::try_from(n).ok());
        let turns = [times(place.turns[0] as i64)?, times(place.turns[1] as i64)?];
        let off = times(place.first?).filter(|_| place.step == Some(0))?;
        let base = self.base_of_read(array)?;
        let new = Stream { turns, ..Stream::new(base, off, Step::Cycle, Access::RW) };
        if let Some((_, s)) = self.cycle_streams.iter().find(|(s, _)| *s == new) {
            return Some(*s);
        }
        let s = self.b.stream(new);
        self.cycle_streams.push((new, s));
        Some(s)
    }

    /// Whether nothing is done with a carried array but what scalar code does.
    pub(super) fn is_only_scattered(&self, array: Value) -> bool {
        !self.written.iter().any(|w| w.array == array) && !self.read.contains_key(&array)
    }

    /// The doubles of an element: one, or the two parts of a complex number.
    pub(super) fn parts(&self, element: Value) -> Option<i64> {
        match self.ty(element).scalar() {
            Scalar::F64 => Some(1),
            Scalar::C128 => Some(2),
            Scalar::Bool | Scalar::I64 | Scalar::F32 | Scalar::C64 => None,
        }
    }

    /// The streams of elements that no other iteration writes; or `added`: to which others only add, too.
    pub(super) fn written(&mut self, array: Value, index: Vec<Value>, added: bool) -> Option<Vec<u16>> {
        let parts = self.parts(array)?;
        let (place, indices) = self.place(array, &index)?;
        let step = place.step.filter(|d| *d != 0)?;
        // What is carried is read by additions to cycles only.
        let is_read = self.read.contains_key(&array) || self.gathers.scatters_to(array);
        if is_read {
            return None;
        }
        let inside = self.b.level() > 0;
        let mut new = Written { array, index, place, indices, streams: Vec::new(), added, inside };
        if inside || self.written.iter().any(|w| w.array == array && w.inside) {
            return self.written_inside(new, step);
        }
        let (mut known, mut near) = (None, None);
        let iterations = self.main.1.map(|to| to - self.main.0);
        for (k, other) in self.written.iter().enumerate() {
            match new.meets(other, iterations) {
                Meets::Never => {}
                Meets::Always => known = Some(k),
                Meets::Perhaps => match (new.differs_by(other), new.beyond(other)) {
                    (Some((a, b)), _) if self.guarding => {
                        self.guards.push(Guard::Compares(Op::Ne, a, b, true))
                    }
                    (None, Some(distance)) if added && other.added && !self.at_once && parts == 1 => {
                        near = Some((other.streams[0], distance));
                    }
                    _ => return None,
                },
            }
        }
        if let Some(k) = known {
            let known = &mut self.written[k];
            known.added &= added;
            let meets = self.b.stream_of(known.streams[0]).added;
            return (known.added || !meets).then(|| known.streams.clone());
        }
        if let Some((other, distance)) = near {
            let Stream { base, off, .. } = *self.b.stream_of(other);
            let off = i32::try_from(distance).ok().and_then(|d| off.checked_add(d))?;
            let stream = Stream { apart: true, ..Stream::new(base, off, Step::Unit, Access::RW) };
            let s = self.b.stream(stream);
            self.b.meeting(&[s, other]);
            new.streams.push(s);
            self.written.push(new);
            return Some(vec![s]);
        }
        let times = |n: i64| n.checked_mul(parts).and_then(|n| i32::try_from(n).ok());
        let step = if (step, parts) == (1, 1) { Step::Unit } else { Step::Const(times(step)?) };
        // Streams of one array that never meet share its pointer.
        let (base, off) = match new.place.first.and_then(times) {
            Some(off) => {
                let base = match self.shared.get(&array) {
                    Some(base) => *base,
                    None => self.base(Base::Array(array))?,
                };
                self.shared.insert(array, base);
                (base, off)
            }
            None => (self.base(Base::Element(array, new.index.clone()))?, 0),
        };
        let stream = |part: i32| {
            let stream = Stream::new(base, off.checked_add(part)?, step, Access::RW);
            Some(Stream { apart: true, ..stream })
        };
        let streams = (0..parts as i32).map(stream).collect::<Option<Vec<_>>>()?;
        let streams: Vec<u16> = streams.into_iter().map(|s| self.b.stream(s)).collect();
        self.written.push(Written { streams: streams.clone(), ..new });
        Some(streams)
    }

    /// The stream of elements that a loop inside moves through, or that are of an array through which one does: each iteration stays in
    /// a column of its own, say, and does what it does there in its order.
    fn written_inside(&mut self, new: Written, step: i64) -> Option<Vec<u16>> {
        let others: Vec<&Written> = self.written.iter().filter(|w| w.array == new.array).collect();
        let alone = new.shares_axis(&new) && others.iter().all(|w| w.shares_axis(&new));
        let streams: Vec<u16> = others.iter().flat_map(|w| &w.streams).copied().collect();
        let meeting = streams.iter().any(|s| self.b.stream_of(*s).added);
        if !alone || meeting || !self.at_once || self.parts(new.array)? != 1 {
            return None;
        }
        let off = new.place.first.and_then(|n| i32::try_from(n).ok())?;
        let base = match self.shared.get(&new.array) {
            Some(base) => *base,
            None if !streams.is_empty() => return None,
            None => self.base(Base::Array(new.array))?,
        };
        let step = if step == 1 { Step::Unit } else { Step::Const(i32::try_from(step).ok()?) };
        let stream =
            Stream { turns: new.place.turns, apart: true, ..Stream::new(base, off, step, Access::RW) };
        let known = streams.into_iter().find(|s| *self.b.stream_of(*s) == stream);
        let s = known.unwrap_or_else(|| self.b.stream(stream));
        self.shared.insert(new.array, base);
        self.written.push(Written { streams: vec![s], ..new });
        Some(vec![s])
    }
}

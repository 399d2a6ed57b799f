//! Cotangents of values by scope: contributions that keep their structure, and the one value they add up to.

use super::Pullback;
use crate::emit::Ex;
use crate::linear::Lin;
use adc_ir::{Builder, Const, Dim, Op, Scalar, Value};
use rustc_hash::FxHashMap;

/// A condition with the truth it must have.
pub(super) type Guard = (Value, bool);

/// Where an index is one into its array, and can be computed. What does not run may use any other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Valid {
    /// Wherever what it is made of exists.
    Always,
    /// Where the code runs that contributes.
    Here,
    If(Guard),
}

impl Valid {
    /// What an index is that two contributions share; `None` if one may be there without the other.
    fn shared(self, other: Valid) -> Option<Valid> {
        match (self, other) {
            (Valid::Always, _) | (_, Valid::Always) => Some(Valid::Always),
            (Valid::Here, _) | (_, Valid::Here) => Some(Valid::Here),
            (Valid::If(a), Valid::If(b)) => (a == b).then_some(self),
        }
    }
}

/// An index along one axis, with its value where that is computed already.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub(super) dim: Dim,
    value: Option<Value>,
}

impl Place {
    pub(super) fn of(dim: &Dim) -> Place {
        Place { dim: dim.clone(), value: None }
    }
}

/// A contribution to the cotangent of a value.
#[derive(Clone, Debug)]
pub(super) enum Contribution {
    /// To all of it.
    All(Lin),
    /// To one element or sub-array of an array.
    At { index: Vec<Place>, lin: Lin, valid: Valid },
    /// To a part along one axis from `start` on, of the sub-array at an index if there is one, which is not read if the part is
    /// empty.
    Part { index: Vec<Place>, start: Value, part: Value, valid: Valid },
}

impl Contribution {
    pub(super) fn value(x: Value) -> Contribution {
        Contribution::All(Lin::always(Ex::Val(x)))
    }
}

/// Whether and how the code of a scope runs.
#[derive(Clone, Copy, Debug)]
pub(super) enum Runs {
    /// The function's body.
    Once,
    Branch,
    /// In every iteration of a loop over `t`. `gathers`: the loop counts 0, 1, … and carries nothing of its own, so that what a
    /// iteration contributes may be summed up or collected.
    Each {
        t: Value,
        gathers: bool,
    },
}

/// The adjoint of an array from outside that is passed through a region.
#[derive(Clone, Copy, Debug)]
pub(super) struct Accumulator {
    /// What the region begins with.
    pub(super) start: Value,
    pub(super) now: Value,
}

pub(super) struct Scope {
    /// The region of the primal it is the reverse of.
    pub(super) place: Option<usize>,
    pub(super) runs: Runs,
    /// Values of the function being written from this one on came after its region was opened.
    pub(super) first: u32,
    pub(super) bars: FxHashMap<Value, Vec<Contribution>>,
    pub(super) accumulators: FxHashMap<Value, Accumulator>,
}

impl Scope {
    pub(super) fn new(place: Option<usize>, runs: Runs, first: u32) -> Scope {
        Scope { place, runs, first, bars: FxHashMap::default(), accumulators: FxHashMap::default() }
    }
}

/// Contributions to elements of one index.
pub(super) struct Element {
    pub(super) index: Vec<Place>,
    pub(super) lins: Vec<Lin>,
    pub(super) valid: Valid,
}

impl<'a> Pullback<'a> {
    pub(super) fn add(&mut self, v: Value, bar: Contribution) {
        if self.is_active(v) {
            self.scope().bars.entry(v).or_default().push(bar);
        }
    }

    pub(super) fn scope(&mut self) -> &mut Scope {
        self.scopes.last_mut().expect("a scope is open")
    }

    /// The number of the next value of the function being written.
    pub(super) fn next_value(&self) -> u32 {
        self.sw.em.b.func().values.len() as u32
    }

    /// The cotangent of a value whose uses have all been reversed.
    pub(super) fn take(&mut self, v: Value) -> Option<Contribution> {
        let mut bars = self.scope().bars.remove(&v)?;
        if !self.ty(v).is_array() {
            return self.scalar_sum(bars).map(Contribution::All);
        }
        if bars.len() == 1 {
            return bars.pop();
        }
        let sum = self.combined(v, bars);
        Some(Contribution::value(sum))
    }

    /// The sum of contributions to a scalar.
    pub(super) fn scalar_sum(&mut self, bars: Vec<Contribution>) -> Option<Lin> {
        let lins = bars.into_iter().map(|bar| match bar {
            Contribution::All(lin) => lin,
            Contribution::At { .. } | Contribution::Part { .. } => unreachable!("a scalar has no parts"),
        });
        let lins = lins.collect();
        self.sw.em.sum(lins)
    }

    /// A cotangent as a value.
    pub(super) fn dense(&mut self, v: Value, bar: Option<Contribution>) -> Value {
        match bar {
            Some(Contribution::All(lin)) => self.dense_lin(v, &lin),
            bar => {
                let data = self.sw.data(v);
                let Some(bar) = bar else { return self.sw.em.zero(&data) };
                let zero = self.sw.em.zero(&data);
                self.plus(zero, bar)
            }
        }
    }

    fn dense_lin(&mut self, v: Value, lin: &Lin) -> Value {
        let x = self.sw.em.resolved(lin, &[]);
        let ty = self.ty(v);
        self.sw.em.promoted(x, ty)
    }

    /// The sum of contributions to an array.
    pub(super) fn combined(&mut self, v: Value, bars: Vec<Contribution>) -> Value {
        let mut lins = Vec::new();
        let mut rest = Vec::new();
        for bar in bars {
            match bar {
                Contribution::All(lin) => lins.push(lin),
                bar => rest.push(bar),
            }
        }
        let sum = if lins.len() > 2 && lins.iter().all(|l| l.mask.is_empty()) {
            // In one pass.
            let arrays: Vec<Value> = lins.iter().map(|l| self.sw.em.value(l.x)).collect();
            let data = self.sw.data(v);
            self.sw.em.map(&data, |em, index| {
                let mut terms = arrays.iter().map(|a| em.b.index(*a, index)).collect::<Vec<_>>().into_iter();
                let first = terms.next().expect("there are several");
                terms.fold(first, |sum, x| em.b.op(Op::Add, &[sum, x]))
            })
        } else {
            let sum = self.sw.em.sum(lins).map(Contribution::All);
            self.dense(v, sum)
        };
        self.plus_all(sum, rest)
    }

    /// `to` with contributions added, in place where nobody else needs it.
    pub(super) fn plus_all(&mut self, mut to: Value, bars: Vec<Contribution>) -> Value {
        let (elements, rest) = self.elements(bars);
        for bar in rest {
            to = self.plus(to, bar);
        }
        for e in elements {
            if let Some(lin) = self.sw.em.sum(e.lins) {
                to = self.plus(to, Contribution::At { index: e.index, lin, valid: e.valid });
            }
        }
        to
    }

    fn plus(&mut self, to: Value, bar: Contribution) -> Value {
        let em = &mut self.sw.em;
        match bar {
            Contribution::All(lin) => {
                let x = em.resolved(&lin, &[]);
                let x = em.value(x);
                let start = em.constant(Const::I64(0));
                em.b.add_slice(to, x, start)
            }
            Contribution::At { index, mut lin, valid } => {
                let Valid::If(guard) = valid else { return em.plus_at(to, &lin, &index) };
                lin.mask.retain(|c| *c != guard);
                em.open();
                let sum = em.plus_at(to, &lin, &index);
                let with = em.close(vec![sum]);
                em.open();
                let without = em.close(vec![to]);
                let (then, other) = if guard.1 { (with, without) } else { (without, with) };
                em.b.if_(guard.0, then, other)[0]
            }
            Contribution::Part { index, start, part, .. } if index.is_empty() => {
                em.b.add_slice(to, part, start)
            }
            Contribution::Part { index, start, part, .. } => {
                let n = em.b.data(part).shape[0].clone();
                let range = em.b.range(&n);
                let body = |b: &mut Builder, t: Value, carry: &[Value]| {
                    let at = b.op(Op::Add, &[start, t]);
                    let x = b.index(part, &[t]);
                    let mut index = values(b, &index);
                    index.push(at);
                    vec![b.add_at(carry[0], x, &index)]
                };
                em.b.for_(range, &[to], body)[0]
            }
        }
    }

    /// Contributions to elements, those of one index together, and the others.
    pub(super) fn elements(&mut self, bars: Vec<Contribution>) -> (Vec<Element>, Vec<Contribution>) {
        let mut elements: Vec<Element> = Vec::new();
        let mut rest = Vec::new();
        let mut place: FxHashMap<Vec<Dim>, usize> = FxHashMap::default();
        for bar in bars {
            let Contribution::At { index, lin, valid } = bar else {
                rest.push(bar);
                continue;
            };
            let dims: Vec<Dim> = index.iter().map(|i| i.dim.clone()).collect();
            let known = place.get(&dims).and_then(|k| Some((*k, elements[*k].valid.shared(valid)?)));
            match known {
                Some((k, valid)) => {
                    let e = &mut elements[k];
                    e.valid = valid;
                    e.lins.push(lin);
                }
                None => {
                    place.insert(dims, elements.len());
                    elements.push(Element { index, lins: vec![lin], valid });
                }
            }
        }
        (elements, rest)
    }

    /// Whether the innermost scope is the reverse of the region that defines a value.
    pub(super) fn is_local(&self, v: Value) -> bool {
        let scope = self.scopes.last().expect("a scope is open");
        scope.place == Some(self.sw.plan.place(v))
    }

    /// The adjoint of an array so far, to be added to. [`Self::accumulated`] takes it back.
    pub(super) fn accumulator(&mut self, v: Value) -> Value {
        let scope = self.scope();
        let whole = |bars: &Vec<Contribution>| bars.iter().any(|b| matches!(b, Contribution::All(_)));
        // What comes to all of it in a branch is something to add to, too.
        let begun = matches!(scope.runs, Runs::Branch) && scope.bars.get(&v).is_some_and(whole);
        if self.is_local(v) || (begun && !self.scope().accumulators.contains_key(&v)) {
            let bars = self.scope().bars.remove(&v).unwrap_or_default();
            return self.combined(v, bars);
        }
        if let Some(known) = self.scope().accumulators.get(&v) {
            return known.now;
        }
        // Of a loop it becomes a parameter, in a branch it stands for what is outside.
        let data = self.sw.data(v);
        let start = self.sw.em.b.fresh(data);
        self.scope().accumulators.insert(v, Accumulator { start, now: start });
        start
    }

    pub(super) fn accumulated(&mut self, v: Value, now: Value) {
        match self.scope().accumulators.get_mut(&v) {
            Some(accumulator) => accumulator.now = now,
            None => self.add(v, Contribution::value(now)),
        }
    }

    /// The adjoint of an array so far with these contributions, in a scope that only passes it through.
    pub(super) fn accumulate(&mut self, v: Value, bars: Vec<Contribution>) {
        if !bars.is_empty() {
            let now = self.accumulator(v);
            let now = self.plus_all(now, bars);
            self.accumulated(v, now);
        }
    }

    /// The values that have contributions here, in their order.
    pub(super) fn outer(&mut self) -> Vec<(Value, Vec<Contribution>)> {
        let mut left: Vec<(Value, Vec<Contribution>)> = self.scope().bars.drain().collect();
        left.sort_by_key(|(v, _)| *v);
        left
    }

    /// Values as an index.
    pub(super) fn places(&mut self, index: &[Value]) -> Vec<Place> {
        index.iter().map(|v| Place { dim: self.sw.em.b.dim_of(*v), value: Some(*v) }).collect()
    }
}

/// An index as values.
fn values(b: &mut Builder, index: &[Place]) -> Vec<Value> {
    index.iter().map(|i| i.value.unwrap_or_else(|| b.size(&i.dim))).collect()
}

impl crate::emit::Emitter {
    /// An array with something added to one of its elements or sub-arrays.
    fn plus_at(&mut self, to: Value, lin: &Lin, index: &[Place]) -> Value {
        let x = self.resolved(lin, &[]);
        let x = self.element_of(to, x);
        let index = values(&mut self.b, index);
        self.b.add_at(to, x, &index)
    }

    /// A contribution in the element type of an array, or as its sub-array is.
    fn element_of(&mut self, array: Value, x: Ex) -> Value {
        let elem: Scalar = self.b.ty(array).scalar();
        if self.data(x).ty.is_array() { self.value(x) } else { self.promoted(x, elem.into()) }
    }
}

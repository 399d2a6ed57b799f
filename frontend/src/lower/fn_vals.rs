//! Function values: which function, and what it was given already. What an instance depends on of them is a key.

use crate::sema::hir::{BuiltinFn, FnIx};
use adc_ir::{Dim, Operator, Value, ValueData};

/// What is behind a function value, or the key of one (`F`).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Target<F> {
    /// A function of the program, with the sizes of its dimensions and of the quotients in its parameters.
    Item(FnIx, Vec<Dim>),
    /// A built-in with operands and a result of these types.
    Builtin(BuiltinFn, Vec<ValueData>, ValueData),
    /// A derivative, with respect to open parameters by position. Its parameters are those, then the seeds.
    Derived(Operator, Box<F>, Vec<usize>),
}

/// A function value while a body is lowered.
#[derive(Clone, Debug)]
pub(super) struct FnVal {
    /// Which function.
    pub target: Target<FnVal>,
    /// One per parameter of the target.
    pub slots: Vec<FnSlot>,
}

/// What was given for a parameter.
#[derive(Clone, Debug)]
pub(super) enum FnSlot {
    /// To come with the call.
    Hole,
    /// A value, `None` while its parameter in an instance is not made yet.
    Value(Option<Value>, ValueData),
    /// A function.
    Fn(FnVal),
}

/// A function value without its run-time part: what an instance depends on. Sizes are canonical ([`Canon`]).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct FnKey {
    /// Which function.
    pub target: Target<FnKey>,
    /// One per parameter of the target.
    pub slots: Vec<SlotKey>,
}

/// [`FnSlot`] without values.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum SlotKey {
    /// To come with the call.
    Hole,
    /// A value of this type.
    Value(ValueData),
    /// A function.
    Fn(FnKey),
}

/// Variables of sizes numbered in the order in which they come up, so that those who ask for the same instance have the
/// same key. The numbers are the dimensions of the instance.
#[derive(Default)]
pub(super) struct Canon(pub Vec<Value>);

impl Canon {
    /// A size over the numbers.
    pub fn dim(&mut self, d: &Dim) -> Dim {
        for v in d.vars() {
            if !self.0.contains(&v) {
                self.0.push(v);
            }
        }
        d.rename(|v| Value(self.0.iter().position(|w| *w == v).map_or(0, |i| i as u32)))
    }

    /// A type over the numbers.
    pub fn data(&mut self, d: &ValueData) -> ValueData {
        ValueData { ty: d.ty, shape: d.shape.iter().map(|d| self.dim(d)).collect() }
    }
}

/// A canonical type where `dims` are the values of the numbers.
pub(super) fn at(d: &ValueData, dims: &[Value]) -> ValueData {
    ValueData { ty: d.ty, shape: d.shape.iter().map(|d| dim_at(d, dims)).collect() }
}

/// A canonical size where `dims` are the values of the numbers.
pub(super) fn dim_at(d: &Dim, dims: &[Value]) -> Dim {
    d.rename(|v| dims[v.0 as usize])
}

impl FnVal {
    /// The function value an instance's parameter stands for, in an instance whose dimensions are `dims`;
    /// [`Self::fill`] makes the parameters for what it was given.
    pub fn holes(key: &FnKey, dims: &[Value]) -> FnVal {
        let slot = |s: &SlotKey| match s {
            SlotKey::Hole => FnSlot::Hole,
            SlotKey::Value(data) => FnSlot::Value(None, at(data, dims)),
            SlotKey::Fn(f) => FnSlot::Fn(FnVal::holes(f, dims)),
        };
        let target = match &key.target {
            Target::Item(ix, sizes) => Target::Item(*ix, sizes.iter().map(|d| dim_at(d, dims)).collect()),
            Target::Builtin(f, params, result) => {
                Target::Builtin(*f, params.iter().map(|p| at(p, dims)).collect(), at(result, dims))
            }
            Target::Derived(op, of, wrt) => {
                Target::Derived(*op, Box::new(FnVal::holes(of, dims)), wrt.clone())
            }
        };
        FnVal { target, slots: key.slots.iter().map(slot).collect() }
    }

    /// Gives every value that is not there yet a parameter, in order.
    pub fn fill(&mut self, param: &mut dyn FnMut(ValueData) -> Value) {
        if let Target::Derived(_, of, _) = &mut self.target {
            of.fill(param);
        }
        for s in &mut self.slots {
            match s {
                FnSlot::Value(v @ None, data) => *v = Some(param(data.clone())),
                FnSlot::Fn(f) => f.fill(param),
                FnSlot::Hole | FnSlot::Value(..) => {}
            }
        }
    }

    /// What instances depend on.
    pub fn key(&self, canon: &mut Canon) -> FnKey {
        let target = match &self.target {
            Target::Item(ix, sizes) => Target::Item(*ix, sizes.iter().map(|d| canon.dim(d)).collect()),
            Target::Builtin(f, params, result) => {
                let params = params.iter().map(|p| canon.data(p)).collect();
                Target::Builtin(*f, params, canon.data(result))
            }
            Target::Derived(op, of, wrt) => Target::Derived(*op, Box::new(of.key(canon)), wrt.clone()),
        };
        let slots = self.slots.iter().map(|s| match s {
            FnSlot::Hole => SlotKey::Hole,
            FnSlot::Value(_, data) => SlotKey::Value(canon.data(data)),
            FnSlot::Fn(f) => SlotKey::Fn(f.key(canon)),
        });
        FnKey { target, slots: slots.collect() }
    }

    /// The values it was given, in the order of [`Self::fill`].
    pub fn values(&self, out: &mut Vec<Value>) {
        if let Target::Derived(_, of, _) = &self.target {
            of.values(out);
        }
        for s in &self.slots {
            match s {
                FnSlot::Hole => {}
                FnSlot::Value(v, _) => out.extend(*v),
                FnSlot::Fn(f) => f.values(out),
            }
        }
    }

    /// Positions of what is open.
    pub fn holes_at(&self) -> Vec<usize> {
        (0..self.slots.len()).filter(|&i| matches!(self.slots[i], FnSlot::Hole)).collect()
    }

    /// The functions it was given.
    pub fn fns(&self) -> impl Iterator<Item = &FnVal> {
        self.slots.iter().filter_map(|s| match s {
            FnSlot::Fn(f) => Some(f),
            FnSlot::Hole | FnSlot::Value(..) => None,
        })
    }

    /// Whether the function behind it takes what is open, then what it was given, as it is.
    pub fn is_plain(&self) -> bool {
        let given = self.slots.iter().position(|s| matches!(s, FnSlot::Value(..)));
        match &self.target {
            Target::Item(..) => {
                given.is_none_or(|at| self.slots[at..].iter().all(|s| matches!(s, FnSlot::Value(..))))
                    && (given.is_none() || self.fns().next().is_none())
            }
            Target::Builtin(..) => false,
            Target::Derived(op, of, _) => {
                let mut captured = Vec::new();
                of.values(&mut captured);
                self.slots.iter().all(|s| matches!(s, FnSlot::Hole))
                    && (!op.takes_seeds() || captured.is_empty())
            }
        }
    }
}

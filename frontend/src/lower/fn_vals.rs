//! Function values: which function, and what it was given already. What an instance depends on of them is a key.

use crate::sema::hir::FnIx;
use adc_ir::{Op, Operator, Scalar, Type, Value};

/// What is behind a function value, or the key of one (`F`).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Target<F> {
    /// A function of the program.
    Item(FnIx),
    /// A built-in with operands of these types.
    Op(Op, Vec<Scalar>),
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
    Value(Option<Value>, Type),
    /// A function.
    Fn(FnVal),
}

/// A function value without its run-time part: what an instance depends on.
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
    Value(Type),
    /// A function.
    Fn(FnKey),
}

impl FnVal {
    /// The function value an instance's parameter stands for; [`Self::fill`] makes the parameters for what it
    /// was given.
    pub fn holes(key: &FnKey) -> FnVal {
        let slot = |s: &SlotKey| match s {
            SlotKey::Hole => FnSlot::Hole,
            SlotKey::Value(ty) => FnSlot::Value(None, *ty),
            SlotKey::Fn(f) => FnSlot::Fn(FnVal::holes(f)),
        };
        let target = match &key.target {
            Target::Item(ix) => Target::Item(*ix),
            Target::Op(op, types) => Target::Op(*op, types.clone()),
            Target::Derived(op, of, wrt) => Target::Derived(*op, Box::new(FnVal::holes(of)), wrt.clone()),
        };
        FnVal { target, slots: key.slots.iter().map(slot).collect() }
    }

    /// Gives every value that is not there yet a parameter, in order.
    pub fn fill(&mut self, param: &mut dyn FnMut(Type) -> Value) {
        if let Target::Derived(_, of, _) = &mut self.target {
            of.fill(param);
        }
        for s in &mut self.slots {
            match s {
                FnSlot::Value(v @ None, ty) => *v = Some(param(*ty)),
                FnSlot::Fn(f) => f.fill(param),
                FnSlot::Hole | FnSlot::Value(..) => {}
            }
        }
    }

    /// What instances depend on.
    pub fn key(&self) -> FnKey {
        let slot = |s: &FnSlot| match s {
            FnSlot::Hole => SlotKey::Hole,
            FnSlot::Value(_, ty) => SlotKey::Value(*ty),
            FnSlot::Fn(f) => SlotKey::Fn(f.key()),
        };
        let target = match &self.target {
            Target::Item(ix) => Target::Item(*ix),
            Target::Op(op, types) => Target::Op(*op, types.clone()),
            Target::Derived(op, of, wrt) => Target::Derived(*op, Box::new(of.key()), wrt.clone()),
        };
        FnKey { target, slots: self.slots.iter().map(slot).collect() }
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
}

impl FnKey {
    /// Whether the function of the program behind it is called with what is open, then what was given, as it is.
    pub fn is_plain(&self) -> bool {
        match &self.target {
            Target::Item(_) => {
                let given = self.slots.iter().position(|s| matches!(s, SlotKey::Value(_)));
                given.is_none_or(|at| self.slots[at..].iter().all(|s| matches!(s, SlotKey::Value(_))))
                    && (given.is_none() || !self.slots.iter().any(|s| matches!(s, SlotKey::Fn(_))))
            }
            Target::Op(..) => false,
            Target::Derived(op, of, _) => {
                self.slots.iter().all(|s| matches!(s, SlotKey::Hole))
                    && (!op.takes_seeds() || of.gives() == 0)
            }
        }
    }

    /// The number of values it was given.
    fn gives(&self) -> usize {
        let of = match &self.target {
            Target::Derived(_, of, _) => of.gives(),
            Target::Item(_) | Target::Op(..) => 0,
        };
        let slot = |s: &SlotKey| match s {
            SlotKey::Hole => 0,
            SlotKey::Value(_) => 1,
            SlotKey::Fn(f) => f.gives(),
        };
        of + self.slots.iter().map(slot).sum::<usize>()
    }
}

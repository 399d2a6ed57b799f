//! What a run may use.

use super::Val;
use super::cost::Cost;
use crate::ops::Op;
use crate::trap::Trap;
use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// What a run may use; beyond, it ends with an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Iterations: every `for`, `reduce` and `build` counts its number of iterations at entry, a `while` each iteration.
    pub fuel: u64,
    /// Bytes of the arrays alive at one time, as compiled code would store them, and of the calls that have not
    /// returned.
    pub bytes: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { fuel: 1 << 32, bytes: 1 << 30 }
    }
}

/// What a run has used.
#[derive(Debug)]
pub(super) struct Meter {
    fuel: u64,
    bytes: Arc<AtomicU64>,
    limit: u64,
    cost: Cell<Cost>,
    steps: u64,
}

impl Meter {
    pub(super) fn new(limits: Limits) -> Meter {
        Meter {
            fuel: limits.fuel,
            bytes: Arc::default(),
            limit: limits.bytes,
            cost: Cell::default(),
            steps: 0,
        }
    }

    /// Takes fuel for a number of iterations.
    pub(super) fn burn(&mut self, iterations: u64) -> Result<(), Trap> {
        self.fuel = self.fuel.checked_sub(iterations).ok_or(Trap::OutOfFuel)?;
        Ok(())
    }

    /// What was done so far.
    pub(super) fn cost(&self) -> Cost {
        Cost { steps: self.steps, ..self.cost.get() }
    }

    /// Counts an instruction.
    pub(super) fn step(&mut self) {
        self.steps += 1;
    }

    /// Counts an op.
    pub(super) fn op<R>(&self, op: Op, args: &[&Val<R>]) {
        self.note(|c| c.op(op, args));
    }

    /// Counts what `add` adds.
    pub(super) fn note(&self, add: impl FnOnce(&mut Cost)) {
        let mut cost = self.cost.get();
        add(&mut cost);
        self.cost.set(cost);
    }

    /// Takes memory until the charge is dropped.
    pub(super) fn charge(&self, bytes: u64) -> Result<Charge, Trap> {
        self.note(|c| c.bytes += bytes);
        let used = self.bytes.load(Ordering::Relaxed);
        match used.checked_add(bytes) {
            Some(total) if total <= self.limit => {
                self.bytes.store(total, Ordering::Relaxed);
                Ok(Charge { meter: Some(self.bytes.clone()), bytes })
            }
            _ => Err(Trap::OutOfMemory),
        }
    }
}

/// Memory taken from a run's limit; gives it back when dropped.
#[derive(Debug)]
pub(super) struct Charge {
    meter: Option<Arc<AtomicU64>>,
    bytes: u64,
}

impl Charge {
    /// Takes over what another charge of the same run holds.
    pub(super) fn absorb(&mut self, mut other: Charge) {
        self.bytes += std::mem::take(&mut other.bytes);
    }

    /// Memory of the caller.
    pub(super) fn none() -> Charge {
        Charge { meter: None, bytes: 0 }
    }
}

/// A copy made outside a run is the caller's.
impl Clone for Charge {
    fn clone(&self) -> Charge {
        Charge::none()
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        if let Some(meter) = &self.meter {
            meter.fetch_sub(self.bytes, Ordering::Relaxed);
        }
    }
}

//! What loops gather: sums and collected arrays.

use super::array::{Maker, push};
use super::limits::{Charge, Meter};
use super::val::{ArrayVal, Sizes, Val};
use crate::kind::PARTIALS;
use crate::num::{Elementary, Real};
use crate::ops::Op;
use crate::trap::Trap;
use crate::types::Scalar;
use std::sync::Arc;

/// A sum that is being added up.
pub(super) enum Sum<R> {
    /// One after the other: integers and arrays.
    Running(Val<R>),
    /// The partial sums that have begun, and in how many iterations.
    Partial(Vec<Val<R>>, u64),
}

impl<R: Real> Sum<R> {
    /// A sum of nothing so far: `zero`, of scalars that are integers or not, or of arrays.
    pub(super) fn new(zero: Val<R>) -> Sum<R> {
        match zero {
            Val::Real(_) | Val::Complex(_) => Sum::Partial(Vec::new(), 0),
            Val::Bool(_) | Val::I64(_) | Val::Array(_) => Sum::Running(zero),
        }
    }

    /// Takes the term of the next iteration in.
    pub(super) fn add(&mut self, maker: &Maker<'_, R>, y: &Val<R>) -> Result<(), Trap> {
        match self {
            Sum::Running(acc) => maker.accumulate(Op::Add, acc, y),
            Sum::Partial(partial, iterations) => {
                let k = (*iterations % PARTIALS as u64) as usize;
                *iterations += 1;
                if k == partial.len() {
                    partial.push(maker.literal(0.0));
                }
                maker.accumulate(Op::Add, &mut partial[k], y)
            }
        }
    }

    /// The sum.
    pub(super) fn finish(self, maker: &Maker<'_, R>) -> Result<Val<R>, Trap> {
        match self {
            Sum::Running(acc) => Ok(acc),
            Sum::Partial(mut partial, _) => {
                partial.resize(PARTIALS, maker.literal(0.0));
                let mut half = PARTIALS / 2;
                while half > 0 {
                    for j in 0..half {
                        partial[j] = maker.op(Op::Add, &[&partial[j], &partial[j + half]])?;
                    }
                    half /= 2;
                }
                Ok(partial.swap_remove(0))
            }
        }
    }
}

/// The array of what the iterations of a loop yield.
pub(super) struct Collected<R> {
    /// Sizes of one element.
    inner: Sizes,
    data: Vec<Val<R>>,
    charge: Charge,
    /// Whether memory was taken for all of it.
    paid: bool,
}

/// What a loop gathers beside its carries.
pub(super) struct Gather<R> {
    /// With their element types.
    sums: Vec<(Sum<R>, Scalar)>,
    collects: Vec<(Collected<R>, Scalar)>,
    iterations: usize,
}

impl<R: Real> Gather<R> {
    /// Nothing so far; `zeros` are what the sums begin with.
    pub(super) fn new(zeros: Vec<(Val<R>, Scalar)>) -> Gather<R> {
        let sums = zeros.into_iter().map(|(zero, elem)| (Sum::new(zero), elem)).collect();
        Gather { sums, collects: Vec::new(), iterations: 0 }
    }

    /// One more collected array, of `iterations` elements if that is known.
    pub(super) fn collect(
        &mut self,
        maker: &Maker<'_, R>,
        inner: Sizes,
        iterations: Option<usize>,
    ) -> Result<(), Trap> {
        let sizes: Sizes = std::iter::once(iterations.unwrap_or(0)).chain(inner.iter().copied()).collect();
        let (count, charge) = maker.reserve(&sizes)?;
        let collected =
            Collected { inner, data: Vec::with_capacity(count), charge, paid: iterations.is_some() };
        self.collects.push((collected, maker.elem));
        Ok(())
    }

    /// Takes in what an iteration yielded behind its carries.
    pub(super) fn iteration(
        &mut self,
        meter: &Meter,
        math: &dyn Elementary<R>,
        mut yields: impl Iterator<Item = Val<R>>,
    ) -> Result<(), Trap> {
        self.iterations += 1;
        for (sum, elem) in &mut self.sums {
            let term = yields.next().expect("a term of each sum");
            sum.add(&Maker { math, meter, elem: *elem }, &term)?;
        }
        for (collected, elem) in &mut self.collects {
            if !collected.paid {
                let (_, charge) = Maker { math, meter, elem: *elem }.reserve(&collected.inner)?;
                collected.charge.absorb(charge);
            }
            push(&mut collected.data, yields.next().expect("an element of each array"));
        }
        Ok(())
    }

    /// The number of iterations that were gathered.
    pub(super) fn iterations(&self) -> usize {
        self.iterations
    }

    /// Whether there are arrays.
    pub(super) fn collects(&self) -> bool {
        !self.collects.is_empty()
    }

    /// The sums, then the arrays.
    pub(super) fn finish(self, meter: &Meter, math: &dyn Elementary<R>) -> Result<Vec<Val<R>>, Trap> {
        let mut out = Vec::new();
        for (sum, elem) in self.sums {
            out.push(sum.finish(&Maker { math, meter, elem })?);
        }
        for (c, _) in self.collects {
            let shape = std::iter::once(self.iterations).chain(c.inner.iter().copied()).collect();
            out.push(Val::Array(Arc::new(ArrayVal { shape, data: c.data, _charge: c.charge })));
        }
        Ok(out)
    }
}

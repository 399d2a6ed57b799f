//! Array kinds without regions.

use super::limits::Meter;
use super::val::{ArrayVal, Sizes};
use super::{Val, eval, linalg};
use crate::module::*;
use crate::num::{Elementary, Real};
use crate::ops::Op;
use crate::trap::Trap;
use crate::types::Scalar;
use smallvec::SmallVec;
use std::sync::Arc;

/// Operands, moved out of the frame where nobody needs them afterwards.
pub(super) type Args<R> = SmallVec<[Val<R>; 4]>;

/// What the kinds need to make an array.
pub(super) struct Maker<'a, R: Real> {
    pub(super) math: &'a dyn Elementary<R>,
    pub(super) meter: &'a Meter,
    /// The element type of the result.
    pub(super) elem: Scalar,
}

impl<R: Real> Maker<'_, R> {
    /// An array of these sizes, its elements pushed by `fill`, which is told how many, once there is memory for them.
    pub(super) fn array(
        &self,
        shape: Sizes,
        fill: impl FnOnce(&mut Vec<Val<R>>, usize) -> Result<(), Trap>,
    ) -> Result<Val<R>, Trap> {
        let (count, charge) = self.reserve(&shape)?;
        let mut data = Vec::with_capacity(count);
        fill(&mut data, count)?;
        assert_eq!(data.len(), count, "elements of an array {shape:?}");
        Ok(Val::Array(Arc::new(ArrayVal { shape, data, _charge: charge })))
    }

    /// The number of elements of a shape, and memory for them.
    pub(super) fn reserve(&self, shape: &[usize]) -> Result<(usize, super::limits::Charge), Trap> {
        let count = shape.iter().try_fold(1usize, |n, s| n.checked_mul(*s));
        // A size of 0 makes any other one harmless.
        let count = if shape.contains(&0) { Some(0) } else { count };
        let bytes = count.and_then(|n| (n as u64).checked_mul(self.elem.bytes() as u64));
        let (Some(count), Some(bytes)) = (count, bytes) else { return Err(Trap::OutOfMemory) };
        Ok((count, self.meter.charge(bytes)?))
    }

    /// The array to write into: itself if it is the only one, else a copy.
    fn unique<'v>(&self, a: &'v mut Arc<ArrayVal<R>>) -> Result<&'v mut ArrayVal<R>, Trap> {
        if Arc::get_mut(a).is_none() {
            let (_, charge) = self.reserve(&a.shape)?;
            *a = Arc::new(ArrayVal { shape: a.shape.clone(), data: a.data.clone(), _charge: charge });
        }
        Ok(Arc::get_mut(a).expect("it is the only one now"))
    }

    /// An op of the table on elements.
    pub(super) fn op(&self, op: Op, args: &[&Val<R>]) -> Result<Val<R>, Trap> {
        self.meter.op(op, args);
        eval(self.math, op, args, self.elem)
    }

    /// A literal of the element type.
    pub(super) fn literal(&self, x: f64) -> Val<R> {
        Val::from_const(Const::real(x, self.elem))
    }

    /// `acc = op(acc, y)` elementwise.
    pub(super) fn accumulate(&self, op: Op, acc: &mut Val<R>, y: &Val<R>) -> Result<(), Trap> {
        match (acc, y) {
            (Val::Array(acc), Val::Array(y)) => {
                let acc = self.unique(acc)?;
                for (a, b) in acc.data.iter_mut().zip(&y.data) {
                    *a = self.op(op, &[a, b])?;
                }
            }
            (acc, y) => *acc = self.op(op, &[acc, y])?,
        }
        Ok(())
    }

    /// An instruction of an array kind. `shape` is the result's, for kinds that have it from there.
    pub(super) fn apply(&self, kind: &Kind, mut args: Args<R>, shape: Sizes) -> Result<Val<R>, Trap> {
        match kind {
            Kind::Fill => self.array(shape, |data, count| {
                match &args[0] {
                    Val::Array(a) if a.data.is_empty() => {}
                    Val::Array(a) => (0..count / a.data.len()).for_each(|_| data.extend_from_slice(&a.data)),
                    v => data.resize(count, v.clone()),
                }
                Ok(())
            }),
            Kind::Pack => {
                let mut shape: Sizes = args[..1].iter().map(|_| args.len()).collect();
                if let Val::Array(a) = &args[0] {
                    shape.extend_from_slice(&a.shape);
                }
                self.array(shape, |data, _| {
                    for v in args {
                        push(data, v);
                    }
                    Ok(())
                })
            }
            Kind::Index => {
                let a = args[0].as_array();
                let (at, inner) = locate(&a.shape, &args[1..])?;
                if inner.is_empty() {
                    self.meter.note(|c| c.bytes += self.elem.bytes() as u64);
                    return Ok(a.data[at].clone());
                }
                let len: usize = inner.iter().product();
                self.array(inner.into(), |data, _| {
                    data.extend_from_slice(&a.data[at..at + len]);
                    Ok(())
                })
            }
            Kind::Update => {
                let (mut a, value) = (take(&mut args[0]), take(&mut args[1]));
                let target = array_mut(&mut a);
                let (at, inner) = locate(&target.shape, &args[2..])?;
                self.meter.note(|c| c.bytes += (self.elem.bytes() * inner.iter().product::<usize>()) as u64);
                write(self.unique(target)?, at, value);
                Ok(a)
            }
            Kind::Slice => {
                let a = args[0].as_array();
                let at = locate_slice(&a.shape, args[1].i64(), shape[0])?;
                let len: usize = shape.iter().product();
                self.array(shape, |data, _| {
                    data.extend_from_slice(&a.data[at..at + len]);
                    Ok(())
                })
            }
            Kind::UpdateSlice => {
                let (mut a, part) = (take(&mut args[0]), take(&mut args[1]));
                let target = array_mut(&mut a);
                let at = locate_slice(&target.shape, args[2].i64(), part.as_array().shape[0])?;
                write(self.unique(target)?, at, part);
                Ok(a)
            }
            Kind::AddAt | Kind::AddSlice => {
                let (mut a, value) = (take(&mut args[0]), take(&mut args[1]));
                let target = array_mut(&mut a);
                let at = match kind {
                    Kind::AddAt => locate(&target.shape, &args[2..])?.0,
                    _ => locate_slice(&target.shape, args[2].i64(), value.as_array().shape[0])?,
                };
                let part =
                    if let Val::Array(a) = &value { &a.data[..] } else { std::slice::from_ref(&value) };
                for (a, b) in self.unique(target)?.data[at..].iter_mut().zip(part) {
                    *a = self.op(Op::Add, &[a, b])?;
                }
                Ok(a)
            }
            Kind::Reshape => {
                let mut a = take(&mut args[0]);
                let target = array_mut(&mut a);
                self.unique(target)?.shape = shape;
                Ok(a)
            }
            Kind::MatMul => linalg::matmul(self, args[0].as_array(), args[1].as_array()),
            Kind::Transpose => {
                let a = args[0].as_array();
                let (n, m) = (a.shape[0], a.shape[1]);
                self.array([m, n][..].into(), |data, _| {
                    data.extend((0..m).flat_map(|j| (0..n).map(move |i| a.data[i * m + j].clone())));
                    Ok(())
                })
            }
            Kind::Linalg(op) => linalg::apply(self, *op, &args),
            _ => unreachable!("{kind:?} is no array kind"),
        }
    }
}

/// Appends a scalar or the elements of an array.
pub(super) fn push<R: Real>(data: &mut Vec<Val<R>>, v: Val<R>) {
    match v {
        Val::Array(a) => data.extend_from_slice(&a.data),
        v => data.push(v),
    }
}

/// Writes a scalar or the elements of an array from position `at` on.
fn write<R: Real>(into: &mut ArrayVal<R>, at: usize, v: Val<R>) {
    match v {
        Val::Array(a) => into.data[at..at + a.data.len()].clone_from_slice(&a.data),
        v => into.data[at] = v,
    }
}

fn take<R>(v: &mut Val<R>) -> Val<R> {
    std::mem::replace(v, Val::Bool(false))
}

fn array_mut<R: Real>(v: &mut Val<R>) -> &mut Arc<ArrayVal<R>> {
    match v {
        Val::Array(a) => a,
        _ => panic!("an array operand that is none"),
    }
}

/// The position of the first element behind these indices, and the sizes behind them.
fn locate<'s, R: Real>(shape: &'s [usize], index: &[Val<R>]) -> Result<(usize, &'s [usize]), Trap> {
    let mut at = 0usize;
    for (i, size) in index.iter().zip(shape) {
        let index = i.i64();
        match usize::try_from(index) {
            Ok(i) if i < *size => at = at * size + i,
            _ => return Err(Trap::IndexOutOfRange { index, size: *size as i64 }),
        }
    }
    let inner = &shape[index.len()..];
    Ok((at * inner.iter().product::<usize>(), inner))
}

/// The position of the first element of a part along the first axis.
fn locate_slice(shape: &[usize], start: i64, len: usize) -> Result<usize, Trap> {
    let size = shape[0];
    match usize::try_from(start) {
        Ok(first) if first <= size && len <= size - first => Ok(first * shape[1..].iter().product::<usize>()),
        Ok(first) if first < size => {
            Err(Trap::IndexOutOfRange { index: (first + len) as i64 - 1, size: size as i64 })
        }
        _ => Err(Trap::IndexOutOfRange { index: start, size: size as i64 }),
    }
}

//! Which complex number a derivative is.

use crate::value::Value;
use adc_ir::{Buffer, Const, Datum};

/// Which complex number stands for the derivative of a real L with respect to z = x + iy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Convention {
    /// ∂L/∂x + i ∂L/∂y, the direction of steepest ascent (PyTorch, TensorFlow, ChainRules).
    #[default]
    Adc,
    /// ∂L/∂x − i ∂L/∂y (JAX). Conjugates complex cotangents, those given and those returned.
    Jax,
}

impl Convention {
    /// Converts a cotangent between adc's convention and this one.
    pub fn cotangent(self, c: Const) -> Const {
        match self {
            Convention::Jax if c.scalar().is_complex() => Const::from_c128(c.to_c128().conj(), c.scalar()),
            Convention::Adc | Convention::Jax => c,
        }
    }

    /// As [`Self::cotangent`], for every entry.
    pub fn cotangents(self, v: Value) -> Value<'static> {
        match (self, v.into_datum()) {
            (Convention::Adc, v) => v.into(),
            (Convention::Jax, Datum::Scalar(c)) => self.cotangent(c).into(),
            (Convention::Jax, Datum::Array(mut a)) => {
                match &mut a.data {
                    Buffer::C64(data) => data.iter_mut().for_each(|z| *z = z.conj()),
                    Buffer::C128(data) => data.iter_mut().for_each(|z| *z = z.conj()),
                    Buffer::Bool(_) | Buffer::I64(_) | Buffer::F32(_) | Buffer::F64(_) => {}
                }
                Value::Array(a)
            }
        }
    }
}

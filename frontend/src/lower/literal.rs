//! Literals and the conversions that cost nothing at run time.

use super::Lower;
use crate::sema::hir::*;
use adc_ir::{Const, Op, Scalar, Value};
use num_complex::{Complex32, Complex64};

impl Lower<'_, '_> {
    /// The literal an expression is, as a value of type `ty`; constants and signs included.
    pub(super) fn literal(&self, e: &Expr, ty: Scalar) -> Option<Const> {
        match &e.kind {
            ExprKind::Int(n) => Some(integer(*n, ty)),
            ExprKind::Real(x) => Some(Const::real(*x, ty)),
            ExprKind::Imag(y) => Some(Const::from_c128(Complex64::new(0.0, *y), ty)),
            ExprKind::Bool(b) => Some(Const::Bool(*b)),
            ExprKind::Named(n) => Some(Const::real(n.value(ty.is_single()), ty)),
            ExprKind::Const(ix, _) => real_to(self.ctx.items.consts[ix.0].value.as_ref()?.scalar()?, ty),
            // The sign belongs to the literal, not to the place: `-2` in a complex place is (-2, +0).
            ExprKind::Prim { op: Op::Neg, args, .. } if args[0].ty.shape().is_empty() => {
                let own = self.scalar(&args[0].ty);
                real_to(negated(self.literal(&args[0], own)?)?, ty)
            }
            _ => None,
        }
    }

    /// Emits a literal and remembers it.
    pub(super) fn constant(&mut self, c: Const) -> Value {
        let v = self.builder.constant(c);
        self.consts.insert(v, c);
        v
    }

    /// A real value where a complex one is wanted.
    pub(super) fn coerce(&mut self, v: Value, to: Scalar) -> Value {
        let from = self.builder.ty(v).scalar();
        if from == to {
            return v;
        }
        debug_assert_eq!(from.complex(), Some(to), "only real to complex is silent");
        if self.builder.ty(v).is_array() {
            return self.map(&[v], |l, x| l.coerce(x[0], to));
        }
        if let Some(c) = self.consts.get(&v).and_then(|c| real_to(*c, to)) {
            return self.constant(c);
        }
        let zero = self.constant(Const::zero(from));
        self.builder.op(Op::Complex, &[v, zero])
    }

    /// `f64(x)` and the like, of one value.
    pub(super) fn convert(&mut self, v: Value, to: Scalar) -> Value {
        let from = self.builder.ty(v).scalar();
        if from == to {
            return v;
        }
        if let Some(c) = self.consts.get(&v).and_then(|c| converted(*c, to)) {
            return self.constant(c);
        }
        match to {
            Scalar::F64 => self.builder.op(Op::ToF64, &[v]),
            Scalar::F32 => self.builder.op(Op::ToF32, &[v]),
            Scalar::I64 => self.builder.op(Op::ToI64, &[v]),
            Scalar::C64 | Scalar::C128 if from.is_complex() => self.builder.op(Op::ToC, &[v]),
            Scalar::C64 | Scalar::C128 => {
                let part = self.convert(v, to.real());
                self.coerce(part, to)
            }
            Scalar::Bool => v,
        }
    }
}

fn integer(n: i64, ty: Scalar) -> Const {
    match ty {
        Scalar::I64 => Const::I64(n),
        Scalar::F32 => Const::F32(n as f32),
        Scalar::C64 => Const::C64(Complex32::new(n as f32, 0.0)),
        Scalar::Bool | Scalar::F64 | Scalar::C128 => Const::real(n as f64, ty),
    }
}

/// A constant where its own type or the complex one of its precision is wanted.
fn real_to(c: Const, ty: Scalar) -> Option<Const> {
    if c.scalar() == ty {
        Some(c)
    } else {
        (c.scalar().complex() == Some(ty)).then(|| Const::from_c128(c.to_c128(), ty))
    }
}

/// `-c`
fn negated(c: Const) -> Option<Const> {
    match c {
        Const::Bool(_) => None,
        Const::I64(n) => n.checked_neg().map(Const::I64),
        Const::F32(x) => Some(Const::F32(-x)),
        Const::F64(x) => Some(Const::F64(-x)),
        Const::C64(z) => Some(Const::C64(-z)),
        Const::C128(z) => Some(Const::C128(-z)),
    }
}

/// A converted literal; `None` where conversion is left to run time.
fn converted(c: Const, to: Scalar) -> Option<Const> {
    match (c, to) {
        (Const::I64(n), Scalar::F64 | Scalar::F32) => Some(integer(n, to)),
        (Const::F64(x), Scalar::F32) => Some(Const::F32(x as f32)),
        (Const::F32(x), Scalar::F64) => Some(Const::F64(x as f64)),
        _ => None,
    }
}

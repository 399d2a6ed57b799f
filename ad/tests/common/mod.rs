//! Running programs over high-precision numbers, where a derivative program and a difference quotient agree to
//! dozens of digits or not at all.
#![allow(dead_code, reason = "each test file uses a part of it")]

use adc_ir::interp::{Interp, NoExterns, Val};
use adc_ir::testing::Rng;
use adc_ir::{Func, FuncId, Module, Type};
use adc_precise::{Big, BigMath};
use num_complex::Complex;

/// A value of a program.
pub type V = Val<Big>;

/// Calls a function that does not fail.
pub fn call(m: &Module, f: FuncId, args: &[V]) -> Vec<V> {
    let run = Interp::new(m, &BigMath, &NoExterns).call(f, args);
    run.unwrap_or_else(|e| panic!("`{}`: {e}", m.func(f).name))
}

/// A random number of a real or complex type.
pub fn random(rng: &mut Rng, ty: Type) -> V {
    let mut part = || Big::from(rng.real(-1.0, 1.0));
    if ty.scalar().is_complex() { Val::Complex(Complex::new(part(), part())) } else { Val::Real(part()) }
}

/// Types of the parameters at `positions`.
pub fn param_types(func: &Func, positions: &[usize]) -> Vec<Type> {
    positions.iter().map(|&i| func.param_ty(i)).collect()
}

/// Types of the results at `positions`.
pub fn result_types(func: &Func, positions: &[usize]) -> Vec<Type> {
    positions.iter().map(|&i| func.results[i].ty).collect()
}

/// Real and imaginary parts.
fn parts(v: &V) -> [Big; 2] {
    match v {
        Val::Real(x) => [*x, Big::ZERO],
        Val::Complex(z) => [z.re, z.im],
        Val::Bool(_) | Val::I64(_) | Val::Array(_) => panic!("{v:?} has no derivative"),
    }
}

/// Σ Re(conj(a)·b)
pub fn inner(a: &[V], b: &[V]) -> Big {
    a.iter().zip(b).fold(Big::ZERO, |sum, (a, b)| {
        let ([ar, ai], [br, bi]) = (parts(a), parts(b));
        sum + ar * br + ai * bi
    })
}

/// a + s·b, componentwise.
pub fn plus(a: &V, s: Big, b: &V) -> V {
    match (a, b) {
        (Val::Real(x), Val::Real(y)) => Val::Real(*x + s * *y),
        (Val::Complex(z), Val::Complex(w)) => Val::Complex(Complex::new(z.re + s * w.re, z.im + s * w.im)),
        _ => panic!("{a:?} and {b:?} are of two types"),
    }
}

/// Largest distance of two lists of values, relative to 1 + their size.
pub fn distance(a: &[V], b: &[V]) -> f64 {
    assert_eq!(a.len(), b.len());
    let one = |a: &V, b: &V| {
        let ([ar, ai], [br, bi]) = (parts(a), parts(b));
        let size = 1.0 + ar.to_f64().abs().max(ai.to_f64().abs());
        let d = (ar - br).to_f64().abs().max((ai - bi).to_f64().abs()) / size;
        if d.is_nan() { f64::INFINITY } else { d }
    };
    a.iter().zip(b).map(|(a, b)| one(a, b)).fold(0.0, f64::max)
}

/// The derivative of the results at `outputs` along `directions` of the parameters `wrt`, by a central difference
/// whose error is of the order of 2⁻²⁰⁰.
pub fn difference(
    m: &Module,
    f: FuncId,
    args: &[V],
    wrt: &[usize],
    directions: &[V],
    outputs: &[usize],
) -> Vec<V> {
    let h = Big::exp2i(-100);
    let at = |s: Big| {
        let mut moved = args.to_vec();
        for (&i, d) in wrt.iter().zip(directions) {
            moved[i] = plus(&moved[i], s, d);
        }
        call(m, f, &moved)
    };
    let (right, left) = (at(h), at(-h));
    let scale = Big::exp2i(99);
    let quotient = |&o: &usize| match (&right[o], &left[o]) {
        (Val::Real(x), Val::Real(y)) => Val::Real((*x - *y) * scale),
        (Val::Complex(z), Val::Complex(w)) => {
            Val::Complex(Complex::new((z.re - w.re) * scale, (z.im - w.im) * scale))
        }
        _ => panic!("not differentiable"),
    };
    outputs.iter().map(quotient).collect()
}

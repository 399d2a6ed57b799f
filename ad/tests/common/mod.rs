//! Running programs over high-precision numbers, where a derivative program and a difference quotient agree to
//! dozens of digits or not at all.
#![allow(dead_code, reason = "each test file uses a part of it")]

pub mod sample;

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
    let zero = Big::ZERO;
    let like =
        if ty.scalar().is_complex() { Val::Complex(Complex::new(zero, zero)) } else { Val::Real(zero) };
    random_like(rng, &like)
}

/// Types of the parameters at `positions`.
pub fn param_types(func: &Func, positions: &[usize]) -> Vec<Type> {
    positions.iter().map(|&i| func.param_ty(i)).collect()
}

/// Types of the results at `positions`.
pub fn result_types(func: &Func, positions: &[usize]) -> Vec<Type> {
    positions.iter().map(|&i| func.results[i].ty).collect()
}

/// Random numbers in the shape of a real or complex value.
pub fn random_like(rng: &mut Rng, like: &V) -> V {
    let mut part = || Big::from(rng.real(-1.0, 1.0));
    match like {
        Val::Real(_) => Val::Real(part()),
        Val::Complex(_) => Val::Complex(Complex::new(part(), part())),
        Val::Array(a) => {
            let elements = a.data().iter().map(|e| random_like(rng, e)).collect();
            Val::array(a.shape(), elements)
        }
        Val::Bool(_) | Val::I64(_) => panic!("{like:?} has no derivative"),
    }
}

/// A value in another precision.
pub fn big(v: &Val<f64>) -> V {
    match v {
        Val::Array(a) => Val::array(a.shape(), a.data().iter().map(big).collect()),
        Val::Bool(b) => Val::Bool(*b),
        Val::I64(n) => Val::I64(*n),
        Val::Real(x) => Val::Real(Big::from(*x)),
        Val::Complex(z) => Val::Complex(Complex::new(Big::from(z.re), Big::from(z.im))),
    }
}

/// Real and imaginary parts of every element.
pub fn parts(v: &V) -> Vec<[Big; 2]> {
    match v {
        Val::Real(x) => vec![[*x, Big::ZERO]],
        Val::Complex(z) => vec![[z.re, z.im]],
        Val::Array(a) => a.data().iter().flat_map(parts).collect(),
        Val::Bool(_) | Val::I64(_) => panic!("{v:?} has no derivative"),
    }
}

/// Every digit of values, NaN included.
pub fn shown(values: &[V]) -> String {
    let one = |v: &V| match v {
        Val::Array(a) => format!("{:?} {:?}", a.shape(), a.data()),
        v => format!("{v:?}"),
    };
    values.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// Parts of two lists of values side by side.
fn pairs(a: &[V], b: &[V]) -> Vec<([Big; 2], [Big; 2])> {
    assert_eq!(a.len(), b.len());
    let (a, b): (Vec<_>, Vec<_>) = (a.iter().flat_map(parts).collect(), b.iter().flat_map(parts).collect());
    assert_eq!(a.len(), b.len());
    a.into_iter().zip(b).collect()
}

/// Whether no element is NaN or infinite.
pub fn is_finite(values: &[V]) -> bool {
    values.iter().flat_map(parts).all(|[re, im]| re.is_finite() && im.is_finite())
}

/// Σ Re(conj(a)·b)
pub fn inner(a: &[V], b: &[V]) -> Big {
    pairs(a, b).into_iter().fold(Big::ZERO, |sum, ([ar, ai], [br, bi])| sum + ar * br + ai * bi)
}

/// a + s·b, componentwise.
pub fn plus(a: &V, s: Big, b: &V) -> V {
    match (a, b) {
        (Val::Real(x), Val::Real(y)) => Val::Real(*x + s * *y),
        (Val::Complex(z), Val::Complex(w)) => Val::Complex(Complex::new(z.re + s * w.re, z.im + s * w.im)),
        (Val::Array(x), Val::Array(y)) => {
            let elements = x.data().iter().zip(y.data()).map(|(x, y)| plus(x, s, y)).collect();
            Val::array(x.shape(), elements)
        }
        _ => panic!("{a:?} and {b:?} are of two types"),
    }
}

/// Largest distance of two lists of values, relative to 1 + their size.
pub fn distance(a: &[V], b: &[V]) -> f64 {
    let one = |([ar, ai], [br, bi]): ([Big; 2], [Big; 2])| {
        let size = 1.0 + ar.to_f64().abs().max(ai.to_f64().abs());
        let d = (ar - br).to_f64().abs().max((ai - bi).to_f64().abs()) / size;
        if d.is_nan() { f64::INFINITY } else { d }
    };
    pairs(a, b).into_iter().map(one).fold(0.0, f64::max)
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
    let quotient = |&o: &usize| {
        let difference = plus(&right[o], -Big::from(1.0), &left[o]);
        plus(&difference, scale - Big::from(1.0), &difference)
    };
    outputs.iter().map(quotient).collect()
}

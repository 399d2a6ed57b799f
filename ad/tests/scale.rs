//! Large programs: the passes are linear in their size and use no stack for it.

use crate::common;

use adc_ad::{jvp, linearize, vjp};
use adc_ir::{Builder, FuncId, Module, Op, Scalar, Span};
use adc_precise::Big;
use common::{V, call};

/// Work of a derivative program over that of its primal, in instructions, for the ops used here.
const MAX_RATIO: usize = 8;

fn differentiated(m: &mut Module, f: FuncId) {
    let before = m.funcs.len();
    let size: usize = m.funcs.iter().map(|f| f.inst_count()).sum();
    jvp(m, f, &[0]).unwrap();
    vjp(m, f, &[0], &[0], true).unwrap();
    linearize(m, f, &[0], &[0]).unwrap();
    let derived: usize = m.funcs[before..].iter().map(|f| f.inst_count()).sum();
    assert!(derived <= 3 * MAX_RATIO * size, "{derived} instructions from {size}");
}

#[test]
fn a_hundred_thousand_ops_in_one_line() {
    let mut m = Module::default();
    let mut b = Builder::new("f", Span::NONE);
    let x = b.param("x", Scalar::F64);
    let (mut y, mut z) = (x, x);
    for i in 0..100_000 {
        let next = match i % 4 {
            0 => b.op(Op::Sin, &[y]),
            1 => b.op(Op::Mul, &[y, z]),
            2 => b.op(Op::Add, &[y, x]),
            _ => b.op(Op::Max, &[y, z]),
        };
        (z, y) = (y, next);
    }
    let f = m.add(b.finish(vec![("out".into(), y)]));
    differentiated(&mut m, f);
}

#[test]
fn one_value_used_a_hundred_thousand_times() {
    let mut m = Module::default();
    let mut b = Builder::new("f", Span::NONE);
    let x = b.param("x", Scalar::F64);
    let zero = b.num(0.0, Scalar::F64);
    let root = b.op(Op::Sqrt, &[x]);
    let mut y = root;
    for i in 0..20_000 {
        let k = b.num(f64::from(i), Scalar::F64);
        let c = b.op(Op::Lt, &[k, y]);
        let s = b.op(Op::Select, &[c, root, zero]);
        y = b.op(Op::Add, &[y, s]);
    }
    let f = m.add(b.finish(vec![("out".into(), y)]));
    differentiated(&mut m, f);
}

#[test]
fn a_chain_of_selections() {
    let mut m = Module::default();
    let mut b = Builder::new("f", Span::NONE);
    let x = b.param("x", Scalar::F64);
    let zero = b.num(0.0, Scalar::F64);
    let mut y = x;
    for _ in 0..20_000 {
        let c = b.op(Op::Lt, &[zero, y]);
        y = b.op(Op::Select, &[c, y, zero]);
        y = b.op(Op::Sin, &[y]);
    }
    let f = m.add(b.finish(vec![("out".into(), y)]));
    differentiated(&mut m, f);
}

#[test]
fn a_chain_of_calls() {
    let mut m = Module::default();
    let mut last = None;
    for i in 0..1_000 {
        let mut b = Builder::new(format!("f{i}"), Span::NONE);
        let x = b.param("x", Scalar::F64);
        let y = match last {
            Some(f) => b.call_of(&m, f, &[x])[0],
            None => x,
        };
        let y = b.op(Op::Sin, &[y]);
        last = Some(m.add(b.finish(vec![("out".into(), y)])));
    }
    differentiated(&mut m, last.unwrap());
}

/// Functions that each call the one before them twice: what their callees keep for the reverse sweep adds up, and
/// may not double with each level.
#[test]
fn calls_that_double() {
    let doubling = |levels: usize| {
        let mut m = Module::default();
        let mut last = None;
        for i in 0..levels {
            let mut b = Builder::new(format!("f{i}"), Span::NONE);
            let x = b.param("x", Scalar::F64);
            let y = match last {
                Some(f) => {
                    let (half, one) = (b.num(0.5, Scalar::F64), b.num(1.0, Scalar::F64));
                    let (near, far) = (b.op(Op::Mul, &[x, half]), b.op(Op::Add, &[x, one]));
                    let (y, z) = (b.call_of(&m, f, &[near])[0], b.call_of(&m, f, &[far])[0]);
                    let product = b.op(Op::Mul, &[y, z]);
                    b.op(Op::Mul, &[product, half])
                }
                None => b.op(Op::Add, &[x, x]),
            };
            last = Some(m.add(b.finish(vec![("out".into(), y)])));
        }
        (m, last.unwrap())
    };
    let (mut m, f) = doubling(60);
    differentiated(&mut m, f);
    let largest = m.funcs.iter().map(|f| f.values.len()).max().unwrap();
    assert!(largest < 10_000, "a function of {largest} values");

    let (mut m, f) = doubling(12);
    let (forward, reverse) = (jvp(&mut m, f, &[0]).unwrap(), vjp(&mut m, f, &[0], &[0], false).unwrap());
    let (x, one) = (V::Real(Big::from(0.75)), V::Real(Big::from(1.0)));
    let tangent = call(&m, forward, &[x.clone(), one.clone()]).remove(1);
    let cotangent = call(&m, reverse, &[x, one]).remove(0);
    let (V::Real(tangent), V::Real(cotangent)) = (tangent, cotangent) else { panic!("of two types") };
    assert!((tangent - cotangent).abs() < tangent.abs() * Big::from(1e-60));
}

#[test]
fn nested_branches() {
    let mut m = Module::default();
    let mut b = Builder::new("f", Span::NONE);
    let x = b.param("x", Scalar::F64);
    let zero = b.num(0.0, Scalar::F64);
    const DEPTH: usize = 500;
    let mut outer = Vec::new();
    let mut y = x;
    for _ in 0..DEPTH {
        let y2 = b.op(Op::Sin, &[y]);
        let c = b.op(Op::Lt, &[zero, y2]);
        b.open();
        outer.push((c, y));
        y = y2;
    }
    for (c, before) in outer.into_iter().rev() {
        let y2 = b.op(Op::Cos, &[y]);
        let then = b.close(vec![y2]);
        b.open();
        let other = b.close(vec![before]);
        y = b.if_(c, then, other)[0];
    }
    let f = m.add(b.finish(vec![("out".into(), y)]));
    differentiated(&mut m, f);
}

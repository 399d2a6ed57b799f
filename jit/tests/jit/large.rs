//! Programs far larger than a native function may be: they are cut, compile in linear time, and run right.

use crate::jit::{compile_cut, compile_with, interpret, same};
use adc_ir::interp::NoExterns;
use adc_ir::testing::Rng;
use adc_ir::{Builder, Const, FuncId, Module, Op, Scalar, Span, Value};
use adc_jit::{Compiled, Effort, Options};
use std::time::Instant;

/// A line of `n` real operations on values chosen by `pick(i, rng)` among the `i` values so far. The way
/// derivative programs look, `reverse` makes a second half that meets the values of the first in reverse order.
fn line(n: usize, pick: impl Fn(usize, &mut Rng) -> usize, reverse: bool) -> Module {
    let mut rng = Rng::new(n as u64);
    let mut b = Builder::new("line", Span::NONE);
    let mut values: Vec<Value> = (0..8).map(|i| b.param(format!("x{i}"), Scalar::F64)).collect();
    let half = b.num(0.5, Scalar::F64);
    let forward = if reverse { n / 3 } else { n / 2 };
    for i in 0..forward {
        let (x, y) = (values[pick(values.len(), &mut rng)], *values.last().expect("there are parameters"));
        // Convex combinations keep the values moderate.
        let sum = b.op(if i % 7 == 0 { Op::Sub } else { Op::Add }, &[y, x]);
        values.push(if i % 50 == 0 { b.op(Op::Sin, &[sum]) } else { b.op(Op::Mul, &[sum, half]) });
    }
    let mut bar = *values.last().expect("there are parameters");
    if reverse {
        for v in values.iter().rev() {
            let step = b.op(Op::Mul, &[bar, *v]);
            bar = b.op(Op::Add, &[step, half]);
        }
    }
    let y = *values.last().expect("there are parameters");
    let mut m = Module::default();
    m.add(b.finish(vec![("y".into(), y), ("bar".into(), bar)]));
    m
}

fn arguments(m: &Module) -> Vec<Const> {
    let mut rng = Rng::new(1);
    (0..m.funcs[0].params.len()).map(|_| Const::F64(rng.real(-1.0, 1.0))).collect()
}

fn compile_and_compare(m: &Module) -> Compiled {
    let f = FuncId(m.funcs.len() as u32 - 1);
    let start = Instant::now();
    let compiled = compile_cut(m, f, Options::default().unit_ops);
    let time = start.elapsed();
    let ops = m.func(f).inst_count();
    println!(
        "{ops} ops: {time:?}, {:.1} µs per op, {:?}",
        time.as_secs_f64() * 1e6 / ops as f64,
        compiled.stats()
    );
    let args = arguments(m);
    let expected = interpret(m, f, &args, &NoExterns);
    assert!(expected.is_ok());
    assert!(same(&expected, &compiled.call(&args)));
    compiled
}

/// Native functions, frame and stack of a program of `n` ops, and of one twice as long.
fn check_linear(make: impl Fn(usize) -> Module, n: usize) {
    let (once, twice) = (compile_and_compare(&make(n)).stats(), compile_and_compare(&make(2 * n)).stats());
    let linear = |a: usize, b: usize| b <= 2 * a + a / 10 + 64;
    assert!(once.native_functions > n / 1000, "{once:?}");
    assert!(linear(once.native_functions, twice.native_functions), "{once:?} {twice:?}");
    assert!(linear(once.frame_bytes, twice.frame_bytes), "{once:?} {twice:?}");
    assert!(linear(once.code_bytes, twice.code_bytes), "{once:?} {twice:?}");
    assert!(once.frame_bytes <= 8 * n && twice.stack_bytes < 32 << 10, "{twice:?}");
}

#[test]
fn chain() {
    check_linear(|n| line(n, |len, _| len - 2, false), 50_000);
}

#[test]
#[cfg_attr(not(target_arch = "x86_64"), ignore = "expects the code of x86-64")]
fn operands_from_anywhere() {
    check_linear(|n| line(n, |len, rng| rng.below(len), false), 50_000);
}

#[test]
#[cfg_attr(not(target_arch = "x86_64"), ignore = "expects the code of x86-64")]
fn gradient_shape() {
    check_linear(|n| line(n, |len, rng| rng.below(len), true), 100_000);
}

/// Units with thousands of live values compile in linear time without effort. Prints what each costs; the bits are
/// the interpreter's.
#[test]
fn quick_code_of_long_units() {
    type Pick = fn(usize, &mut Rng) -> usize;
    let shapes: [(&str, Pick, bool); 3] = [
        ("chain", |len, _| len - 2, false),
        ("far", |len, rng| rng.below(len), false),
        ("gradient", |len, rng| rng.below(len), true),
    ];
    for (name, pick, reverse) in shapes {
        let m = line(3000, pick, reverse);
        let (f, args) = (FuncId(0), arguments(&m));
        let expected = interpret(&m, f, &args, &NoExterns);
        for (effort, unit_ops) in [(Effort::Full, 500), (Effort::Quick, 500), (Effort::Quick, 10_000)] {
            // The second time it knows the machine and has memory.
            let (mut best, mut compiled) = (f64::INFINITY, None);
            for _ in 0..5 {
                let start = Instant::now();
                compiled = Some(compile_with(&m, f, unit_ops, effort));
                best = best.min(start.elapsed().as_secs_f64());
            }
            let compiled = compiled.expect("it was compiled");
            let insts = compiled.stats().clif_insts;
            println!(
                "{name}, {effort:?}, {unit_ops} ops a unit: {:.2} ms, {:.2} µs for each of {insts} CLIF instructions",
                best * 1e3,
                best * 1e6 / insts as f64
            );
            assert!(same(&expected, &compiled.call(&args)), "{name}, {effort:?}");
        }
    }
}

/// `if`s nested `depth` deep, each arm with a long body of its own before and after the inner one.
fn nest(b: &mut Builder, x: Value, y: Value, depth: usize, body: usize) -> Value {
    let mut v = x;
    let longer = |b: &mut Builder, mut v: Value| {
        for i in 0..body {
            let s = b.op(Op::Add, &[v, if i % 2 == 0 { x } else { y }]);
            v = b.op(Op::Sin, &[s]);
        }
        v
    };
    v = longer(b, v);
    if depth > 0 {
        let cond = b.op(Op::Lt, &[v, y]);
        b.open();
        let inner = nest(b, v, y, depth - 1, body);
        let then = b.close(vec![inner, v]);
        b.open();
        let inner = nest(b, y, v, depth - 1, body / 2);
        let other = b.close(vec![inner, y]);
        let results = b.if_(cond, then, other);
        v = b.op(Op::Sub, &[results[0], results[1]]);
    }
    longer(b, v)
}

#[test]
fn nested_branches_with_long_bodies() {
    let mut b = Builder::new("nested", Span::NONE);
    let (x, y) = (b.param("x", Scalar::F64), b.param("y", Scalar::F64));
    let v = nest(&mut b, x, y, 6, 300);
    let mut m = Module::default();
    m.add(b.finish(vec![("out".into(), v)]));
    let compiled = compile_cut(&m, FuncId(0), 100);
    assert!(compiled.stats().native_functions > 100);
    let mut rng = Rng::new(3);
    for _ in 0..50 {
        let args = [Const::F64(rng.real(-1.0, 1.0)), Const::F64(rng.real(-1.0, 1.0))];
        assert!(same(&interpret(&m, FuncId(0), &args, &NoExterns), &compiled.call(&args)));
    }
}

/// More parameters and results than fit into a unit, passed through a call.
/// A loop with a long body, inside one whose body is not long, with an array among the carries.
#[test]
fn long_loop_bodies() {
    let mut body = String::new();
    let mut last = "v11".to_string();
    for i in 0..20_000 {
        // Operands from anywhere in the body.
        let far = if i < 10 { "x".to_string() } else { format!("v{}", 100 + i * 7919 % i) };
        body += &format!("v{} = {} {last}, {far}\n", 100 + i, if i % 3 == 0 { "sub" } else { "mul" });
        last = format!("v{}", 100 + i);
    }
    let m = crate::jit::parse(&format!(
        "fn f(x: f64, n: i64) -> f64 {{
           v0 = i64 0 v1 = i64 1 v2 = i64 5 v3 = f64 0.25
           v4: f64[5] = fill x
           v5, v6, v7 = for v0, n, v1, v4, x sums 1 (v8, v9, v10) {{
             v12, v13 = for v0, v2, v1, v9, v3 (v14, v15, v11) {{
               {body}
               v16 = tanh {last}
               v17 = add_at v15, v16, v14
               yield v17, v16
             }}
             v18 = mul v10, v3
             v19 = index v12, v1
             yield v12, v18, v19
           }}
           v20 = index v5, v0
           v21 = add v20, v7
           v22 = add v21, v6
           return v22
         }}"
    ));
    let compiled = compile_cut(&m, FuncId(0), Options::default().unit_ops);
    assert!(compiled.stats().native_functions > 20, "{:?}", compiled.stats());
    let args = [Const::F64(0.7), Const::I64(3)];
    assert!(same(&interpret(&m, FuncId(0), &args, &NoExterns), &compiled.call(&args)));
}

#[test]
fn many_parameters_and_results() {
    let n = 5000;
    let mut m = Module::default();
    let mut b = Builder::new("swap", Span::NONE);
    let params: Vec<Value> = (0..n).map(|i| b.param(format!("x{i}"), Scalar::F64)).collect();
    let results = params.iter().rev().enumerate().map(|(i, v)| (format!("y{i}"), *v)).collect();
    let swap = m.add(b.finish(results));
    let mut b = Builder::new("twice", Span::NONE);
    let params: Vec<Value> = (0..n).map(|i| b.param(format!("x{i}"), Scalar::F64)).collect();
    let tys: Vec<_> = params.iter().map(|v| b.ty(*v)).collect();
    let negated: Vec<Value> = params.iter().map(|v| b.op(Op::Neg, &[*v])).collect();
    let once = b.call(swap, &negated, &tys);
    let twice = b.call(swap, &once, &tys);
    let results = once.iter().chain(&twice).enumerate().map(|(i, v)| (format!("y{i}"), *v)).collect();
    let f = m.add(b.finish(results));
    let compiled = compile_cut(&m, f, Options::default().unit_ops);
    let args: Vec<Const> = (0..n).map(|i| Const::F64(i as f64)).collect();
    assert!(same(&interpret(&m, f, &args, &NoExterns), &compiled.call(&args)));
}

/// Nesting about as deep as the verifier allows: drivers run drivers.
#[test]
fn deep_nesting() {
    let depth = 500;
    let mut b = Builder::new("deep", Span::NONE);
    let (x, y) = (b.param("x", Scalar::F64), b.param("y", Scalar::F64));
    fn level(b: &mut Builder, x: Value, y: Value, depth: usize) -> Value {
        let sum = b.op(Op::Sub, &[x, y]);
        if depth == 0 {
            return sum;
        }
        let cond = b.op(Op::Lt, &[sum, x]);
        b.open();
        let inner = level(b, sum, y, depth - 1);
        let then = b.close(vec![inner]);
        b.open();
        let other = b.op(Op::Neg, &[sum]);
        let other = b.close(vec![other]);
        let z = b.if_(cond, then, other)[0];
        b.op(Op::Add, &[z, sum])
    }
    let out = level(&mut b, x, y, depth);
    let mut m = Module::default();
    m.add(b.finish(vec![("out".into(), out)]));
    let compiled = compile_cut(&m, FuncId(0), 20);
    println!("{:?}", compiled.stats());
    for y in [0.5, -0.5, 0.0] {
        let args = [Const::F64(1.0), Const::F64(y)];
        assert!(same(&interpret(&m, FuncId(0), &args, &NoExterns), &compiled.call(&args)));
    }
}

//! Products in another order: the same numbers where every order is exact, within the rounding of both where it is not,
//! and never more operations.

use adc_ir::interp::{Interp, NoExterns, Val};
use adc_ir::specialise::specialise;
use adc_ir::testing::{Knobs, Rng, StdMath, array_inputs, module};
use adc_ir::verify::assert_valid;
use adc_ir::{
    Builder, Dim, Func, FuncId, Inst, Kind, Module, Op, PARTIALS, ReduceOp, Region, Scalar, Span, Value,
    ValueData,
};
use adc_simplify::{OptLevel, contractions, run};

const SEEDS: std::ops::Range<u64> = 0..1500;
const STEPS: usize = 12;
/// More than are in a product of such a program, one in each factor and in each sum.
const ROUNDINGS: f64 = 1000.0;
const TURNS: i64 = 2;
/// Operations that may be spent on an element of a transposed matrix that is not made.
const MOVE: usize = 4;
/// Above it a sum of products of integers need not be exact.
const EXACT: f64 = 1e15;

/// Random products of matrices and vectors, transposed ones, traces, and products in loops. Returns what is left over.
fn program(rng: &mut Rng, elem: Scalar) -> Module {
    let mut b = Builder::new("f", Span::NONE);
    let open = rng.one_in(2);
    let sizes: Vec<Dim> = match open {
        true => ["N", "M"].map(|n| Dim::var(b.dim(n))).to_vec(),
        false => [2, 3, 5].map(Dim::constant).to_vec(),
    };
    let mut values: Vec<Value> = Vec::new();
    for k in 0..4 {
        let rank = if k == 0 || (k == 1 && rng.one_in(2)) { 1 } else { 2 };
        let shape = (0..rank).map(|_| sizes[rng.below(sizes.len())].clone()).collect();
        let elem = if rng.one_in(4) { elem.real() } else { elem };
        values.push(b.param(format!("x{k}"), ValueData::array(elem, shape)));
    }
    let mut used = vec![false; 4];
    let mut scalars = Vec::new();
    for _ in 0..STEPS {
        // Late ones, and those that nobody needs yet, are taken more often, so that there are chains.
        let pick = |rng: &mut Rng| {
            let late = |rng: &mut Rng| rng.below(values.len()).max(rng.below(values.len()));
            let tries: Vec<usize> = (0..4).map(|_| late(rng)).collect();
            tries.iter().copied().find(|i| !used[*i]).unwrap_or(tries[0])
        };
        let (x, y) = (pick(rng), pick(rng));
        let (a, c) = (values[x], values[y]);
        let shape = |v: Value| b.data(v).shape.clone();
        let (s, t) = (shape(a), shape(c));
        let v = match rng.below(6) {
            0 if s.len() == 2 => b.transpose(a),
            1 if s.len() == 2 && s[0] == s[1] => {
                let range = b.range(&s[0]);
                scalars.push(b.reduce(ReduceOp::Sum, range, |b, i| b.index(a, &[i, i])));
                used[x] = true;
                continue;
            }
            2 if s.len() == 2 && s[0] == s[1] && t.len() == 1 && t[0] == s[0] => {
                if b.ty(a).scalar() != b.ty(c).scalar() {
                    continue;
                }
                let range = b.range(&Dim::constant(TURNS));
                let iteration = b.transpose(a);
                b.for_(range, &[c], |b, _, v| {
                    let w = b.matmul(iteration, v[0]);
                    let w = b.matmul(w, a);
                    vec![w]
                })[0]
            }
            3 if s.len() == 1 && t.len() == 1 => b.build(&[s[0].clone(), t[0].clone()], |b, i| {
                let (x, y) = (b.index(a, &i[..1]), b.index(c, &i[1..]));
                b.op(Op::Mul, &[x, y])
            }),
            _ if s[s.len() - 1] == t[0] => b.matmul(a, c),
            _ => continue,
        };
        used[x] = true;
        used[y] = true;
        match b.data(v).shape.is_empty() {
            true => scalars.push(v),
            false => {
                values.push(v);
                used.push(false);
            }
        }
    }
    let rest = values.iter().zip(&used).filter(|(_, u)| !**u).map(|(v, _)| *v);
    let results = rest.chain(scalars).enumerate().map(|(i, v)| (format!("y{i}"), v)).collect();
    let mut m = Module::default();
    m.add(b.finish(results));
    m
}

fn call(m: &Module, dims: &[i64], args: &[Val<f64>]) -> (Vec<Vec<[f64; 2]>>, u64) {
    let (out, cost) = Interp::new(m, &StdMath, &NoExterns).count(FuncId(0), dims, args).expect("it runs");
    (out.iter().map(parts).collect(), cost.work())
}

fn parts(v: &Val<f64>) -> Vec<[f64; 2]> {
    match v {
        Val::Array(a) => a.data().iter().flat_map(parts).collect(),
        Val::Complex(z) => vec![[z.re, z.im]],
        Val::Real(x) => vec![[*x, 0.0]],
        Val::I64(_) | Val::Bool(_) => unreachable!("products are of floats"),
    }
}

/// |re| + |im| of every number.
fn size(v: &Val<f64>) -> Val<f64> {
    match v {
        Val::Array(a) => Val::array(a.shape(), a.data().iter().map(size).collect()),
        Val::Complex(z) => Val::Complex(num_complex::Complex::new(z.re.abs() + z.im.abs(), 0.0)),
        Val::Real(x) => Val::Real(x.abs()),
        Val::I64(_) | Val::Bool(_) => unreachable!("products are of floats"),
    }
}

/// Elements that a run moves from matrices to transposed ones.
fn transposed(m: &Module, dims: &[i64]) -> usize {
    fn region(r: &Region, f: &Func, dims: &[i64]) -> usize {
        let size =
            |d: &Dim| d.eval(|v| dims[f.entry_position(v).expect("a dimension")]).expect("small") as usize;
        let one = |i: &Inst| match i.kind {
            Kind::Transpose => f.shape(i.results[0]).iter().map(size).product::<usize>(),
            _ => i.regions.iter().map(|r| TURNS as usize * region(r, f, dims)).sum(),
        };
        r.insts.iter().map(one).sum()
    }
    let f = m.func(FuncId(0));
    region(f.region().expect("it has a body"), f, dims)
}

/// Arguments made of numbers.
fn arguments(m: &Module, dims: &[i64], mut number: impl FnMut() -> f64) -> Vec<Val<f64>> {
    let f = m.func(FuncId(0));
    let size = |d: &Dim| d.eval(|v| dims[f.entry_position(v).expect("a dimension")]).expect("small") as usize;
    let one = |v: Value| {
        let sizes: Vec<usize> = f.shape(v).iter().map(size).collect();
        let complex = f.ty(v).scalar().is_complex();
        let element = |_| match complex {
            true => Val::Complex(num_complex::Complex::new(number(), number())),
            false => Val::Real(number()),
        };
        Val::array(&sizes, (0..sizes.iter().product()).map(element).collect())
    };
    f.params.iter().map(|p| p.value).map(one).collect()
}

#[test]
fn every_order_gives_the_same() {
    let (mut less, mut total) = (0, [0, 0]);
    for seed in SEEDS {
        let mut rng = Rng::new(seed);
        let elem = if rng.one_in(3) { Scalar::C128 } else { Scalar::F64 };
        let before = program(&mut rng, elem);
        assert_valid(&before, "the program");
        let mut after = before.clone();
        run(&mut after, &[FuncId(0)], OptLevel::O1);
        let canonical = after.clone();
        contractions(&mut after, &[FuncId(0)]);
        assert_valid(&after, "contractions");
        run(&mut after, &[FuncId(0)], OptLevel::O1);
        let dims: Vec<i64> = before.func(FuncId(0)).dims.iter().map(|_| 1 + rng.below(5) as i64).collect();
        let place = || format!("seed {seed}\n{canonical}\nbecame\n{after}");

        let integers = arguments(&before, &dims, || rng.below(5) as f64 - 2.0);
        let (a, (b, after_work)) = (call(&before, &dims, &integers).0, call(&after, &dims, &integers));
        let sizes: Vec<Val<f64>> = integers.iter().map(size).collect();
        let largest = call(&before, &dims, &sizes).0.into_iter().flatten().flatten().fold(0.0, f64::max);
        if largest < EXACT {
            // −0 is 0: a sum of products begins with +0, a single product has the sign of its factors.
            assert_eq!(a, b, "{}", place());
        }
        let work = call(&canonical, &dims, &integers).1;
        // A few more may be the price of matrices that need not be transposed any more, and of the partial sums of traces.
        let traced =
            after.to_string().matches("reduce").count() > canonical.to_string().matches("reduce").count();
        let partial = if traced { 5 * PARTIALS * STEPS } else { 0 };
        let slack = (partial + MOVE * transposed(&canonical, &dims)) as u64;
        assert!(after_work <= work + slack, "{after_work} instead of {work} operations: {}", place());
        less += (after_work < work) as usize;
        total = [total[0] + work, total[1] + after_work];

        // The same program of sizes of numbers bounds what rounding does.
        let numbers = arguments(&before, &dims, || rng.real(-1.0, 1.0));
        let sizes: Vec<Val<f64>> = numbers.iter().map(size).collect();
        let [a, b, bound] = [(&before, &numbers), (&after, &numbers), (&before, &sizes)]
            .map(|(m, args)| call(m, &dims, args).0);
        for ((a, b), bound) in a.iter().flatten().zip(b.iter().flatten()).zip(bound.iter().flatten()) {
            let error = (a[0] - b[0]).abs().max((a[1] - b[1]).abs());
            assert!(error <= ROUNDINGS * f64::EPSILON * bound[0], "{a:?} and {b:?}: {}", place());
        }
    }
    println!("{less} of {} programs do less: {total:?}", SEEDS.end);
    // A generator that makes nothing to reorder would prove nothing.
    assert!(less * 5 > SEEDS.end as usize, "{less}");
}

/// Of programs of all kinds: what is made is valid, and runs where the original does.
#[test]
fn any_program_stays_valid() {
    for seed in 0..300 {
        let m = module(seed, &Knobs::arrays());
        let f = FuncId(m.funcs.len() as u32 - 1);
        let (dims, args) = array_inputs(&mut Rng::new(seed), m.func(f), false);
        let mut instance = m.clone();
        let of_numbers = specialise(&mut instance, f, &dims).expect("small dimensions");
        for (from, entry, dims) in [(&m, f, dims.as_slice()), (&instance, of_numbers, &[])] {
            let mut after = from.clone();
            run(&mut after, &[entry], OptLevel::O1);
            contractions(&mut after, &[entry]);
            assert_valid(&after, "contractions");
            let runs = |m: &Module| {
                let out = Interp::new(m, &StdMath, &NoExterns).call_with_dims(entry, dims, &args);
                out.map(|_| ())
            };
            if runs(from).is_ok() {
                assert_eq!(runs(&after), Ok(()), "seed {seed}\n{from}\nbecame\n{after}");
            }
        }
    }
}

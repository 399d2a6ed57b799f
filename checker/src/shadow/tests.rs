//! Shadows against programs over 384-bit numbers.

mod batches;
mod decisions;
mod natives;
mod ops;
mod programs;
mod reference;
mod special;

use super::{Shadow, Shadows};
use crate::promote;
use adc_ir::interp::{ExternCalls, Interp, NoExterns, Val};
use adc_ir::testing::Rng;
use adc_ir::verify::assert_valid;
use adc_ir::*;
use adc_jit::{Compiled, Externs, Options, RuntimeMath, Workspace};
use adc_precise::Big;
use natives::{BigNatives, halves, sum};
use reference::{Both, BothMath, TIES, map, numbers};

/// Relative error of a pair.
const ACCURACY: f64 = 1e-26;
/// The allowed error of a pair relative to that of p, whose operands had errors, too.
const BETTER: f64 = 1e-12;
/// A relative error of p beyond which the function is too ill-conditioned to compare.
const WORTHLESS: f64 = 1e-3;
/// Error of a difference of ordinary numbers.
const CANCELLED: f64 = 1e-29;
/// What remains of ordinary numbers that cancel in 384 bits.
const SMALLEST: f64 = 1e-100;

/// A function and its shadow.
struct Case {
    m: Module,
    f: FuncId,
    shadow: Shadow,
    /// The shadow, compiled, with the natives of adc-jit; only for functions without dimensions.
    code: Option<Compiled>,
    /// Relative error allowed.
    accuracy: f64,
    /// The part of p's error that is allowed besides: p's error measures the condition of the function.
    better: f64,
}

/// A point: the arguments of p, and the numbers that the pairs represent.
struct Point {
    dims: Vec<i64>,
    args: Vec<Val<Both>>,
    /// Relative distance of p's arguments from these numbers, besides rounding.
    far: f64,
}

impl Point {
    /// The arguments with numbers by `x` beside them; infinities and NaN stay the same.
    fn new(dims: Vec<i64>, args: &[Val<f64>], far: f64, x: &mut impl FnMut(f64) -> Big) -> Point {
        let both = &mut |p: &f64| Both { p: *p, x: if p.is_finite() { x(*p) } else { Big::from(*p) } };
        Point { dims, args: args.iter().map(|v| map(v, both)).collect(), far }
    }

    /// The arguments with numbers beside them that round to them: replayed decisions are mostly those of the numbers.
    fn near(rng: &mut Rng, dims: Vec<i64>, args: &[Val<f64>]) -> Point {
        Point::new(dims, args, 1.0, &mut |p| Big::from(p) + Big::from(p * rng.real(-1e-17, 1e-17)))
    }

    /// The arguments with numbers at a distance beside them.
    fn away(rng: &mut Rng, dims: Vec<i64>, args: &[Val<f64>]) -> Point {
        let far = 2f64.powi(-20);
        Point::new(dims, args, far / 1e-16, &mut |p| {
            let moved = p + far * rng.real(-1.0, 1.0);
            Big::from(moved) + Big::from(moved * rng.real(-1e-17, 1e-17))
        })
    }
}

impl Case {
    fn new(mut m: Module, f: FuncId) -> Case {
        let f = promote::run(&mut m, f);
        let shadow = Shadows::default().run(&mut m, f).unwrap_or_else(|d| panic!("{d:?}"));
        assert_valid(&m, "shadow");
        let code = m.func(f).dims.is_empty().then(|| {
            let code = adc_jit::compile(&m, &[shadow.func], &Externs::new(), &Options::default());
            code.unwrap_or_else(|d| panic!("{d:?}\n{m}")).pop().expect("one function")
        });
        Case { m, f, shadow, code, accuracy: ACCURACY, better: BETTER }
    }

    /// The last function.
    fn last(m: Module) -> Case {
        let f = FuncId(m.funcs.len() as u32 - 1);
        Case::new(m, f)
    }

    fn call<R: Real>(
        &self,
        f: FuncId,
        math: &dyn Elementary<R>,
        externs: &dyn ExternCalls<R>,
        dims: &[i64],
        args: &[Val<R>],
    ) -> Result<Vec<Val<R>>, RuntimeError> {
        Interp::new(&self.m, math, externs).call_with_dims(f, dims, args)
    }

    /// Compares the shadow at a point, interpreted and compiled. The count of compared numbers; `None` if the program ends
    /// in an error. `wild`: infinities are common in between.
    fn check(&self, point: &Point, wild: bool, note: &str) -> Option<usize> {
        let ps: Vec<Val<f64>> = point.args.iter().map(|v| map(v, &mut |x: &Both| x.p)).collect();
        let plain = self.call(self.f, &RuntimeMath, &BigNatives, &point.dims, &ps);
        TIES.set(0);
        let exact = self.call(self.f, &BothMath, &NoExterns, &point.dims, &point.args);
        let (Ok(plain), Ok(exact)) = (plain, exact) else { return None };
        if TIES.take() > 0 {
            return Some(0);
        }
        let args = self.arguments(point);
        let interpreted = self.call(self.shadow.func, &RuntimeMath, &BigNatives, &point.dims, &args);
        let mut runs = vec![("interpreted", interpreted)];
        if let Some(code) = &self.code {
            let data: Vec<Datum> =
                args.iter().zip(code.inputs()).map(|(v, ty)| Datum::from_val(v, ty.scalar())).collect();
            let results = code.call_data(&mut Workspace::new(), &data);
            runs.push(("compiled", results.map(|r| r.iter().map(Datum::to_val).collect())));
        }
        let mut compared = 0;
        for (how, got) in runs {
            let note = format!("{note}, {how}");
            let got = got.unwrap_or_else(|e| panic!("{note}: {e}\n{}", self.m));
            compared += self.compare(point, &got, &plain, &exact, wild, &note);
        }
        Some(compared)
    }

    /// Compares the results of a shadow with those of the f64 program and the exact ones. `wild` is as in [`Self::check`].
    fn compare(
        &self,
        point: &Point,
        got: &[Val<f64>],
        plain: &[Val<f64>],
        exact: &[Val<Both>],
        wild: bool,
        note: &str,
    ) -> usize {
        let func = self.m.func(self.f);
        let (p, pairs) = got.split_at(func.results.len());
        let same = |a: &f64, b: &f64| a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan());
        for (a, b) in p.iter().zip(plain) {
            let (a, b) = (numbers(a), numbers(b));
            assert!(a.iter().zip(&b).all(|(a, b)| same(a, b)), "{note}: {a:?}, not {b:?}\n{}", self.m);
        }
        let mut compared = 0;
        for (pair, k) in pairs.chunks(2).zip(func.differentiable_results()) {
            let (hi, lo) = (numbers(&pair[0]), numbers(&pair[1]));
            // The accuracy of a complex number is that of its modulus.
            let parts = if func.results[k].ty.scalar().is_complex() { 2 } else { 1 };
            let wanted = numbers(&exact[k]);
            for ((want, h), l) in wanted.chunks(parts).zip(hi.chunks(parts)).zip(lo.chunks(parts)) {
                let finite = want.iter().all(|w| w.p.is_finite() && w.x.is_finite());
                if !finite {
                    continue;
                }
                let norm = |f: &dyn Fn(usize) -> Big| {
                    (0..parts).map(|k| f(k).square()).fold(Big::ZERO, |a, b| a + b).sqrt().to_f64()
                };
                let error = norm(&|k| sum(h[k], l[k]) - want[k].x);
                let size = norm(&|k| want[k].x);
                let rounding = norm(&|k| Big::from(want[k].p) - want[k].x);
                // After a singular matrix, or at the end of the range of doubles, p is meaningless.
                if wild && rounding > WORTHLESS * size {
                    continue;
                }
                // At a distance, p does not show the condition.
                let slack = if point.far > 1.0 { CANCELLED } else { SMALLEST };
                assert!(
                    error <= self.accuracy * size + self.better / point.far * rounding + slack,
                    "{note}, result {k}: {h:?} + {l:?} instead of {want:?}, {error:e} off\n{}",
                    self.m
                );
                let normal = l.iter().zip(h).all(|(l, h)| h + l == *h);
                assert!(normal, "{note}: {h:?} + {l:?} is not normalised");
                compared += 1;
            }
        }
        compared
    }

    /// The arguments of a shadow.
    fn arguments(&self, point: &Point) -> Vec<Val<f64>> {
        let func = self.m.func(self.f);
        let mut args: Vec<Val<f64>> = point.args.iter().map(|v| map(v, &mut |x: &Both| x.p)).collect();
        for (p, v) in func.params.iter().zip(&point.args) {
            if func.ty(p.value).is_differentiable() {
                let split = |x: &Both| if x.p.is_finite() { halves(x.x) } else { (x.p, 0.0) };
                args.extend([map(v, &mut |x: &Both| split(x).0), map(v, &mut |x: &Both| split(x).1)]);
            }
        }
        args
    }
}

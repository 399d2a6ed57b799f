//! How much of the difference between two programs with one formula is explained by rounding.

use crate::backends::{INTERPRETED, interpreted};
use crate::coordinates::Part;
use crate::exact::Exact;
use crate::oracle::Toolchain;
use crate::random::{Purpose, Stream, number_of};
use crate::running::{Running, Steps};
use crate::slots::{Slot, round_otherwise};
use adc_ir::*;
use num_complex::Complex64;
use std::cell::LazyCell;

/// How many times further from the exact value than the raw program optimised code may be.
const WORSE: f64 = 16.0;
/// Number of neighbours of a point at which the rounding of the raw program is measured.
const NEIGHBOURS: u64 = 6;

/// The values of a program's formulas in double-double, and the distance of the raw program from them: here, and at
/// arguments that differ in their last places, since terms may cancel exactly by chance. The running bound of the raw program's
/// rounding says what its terms may lose where they cancel at all of these arguments.
pub(crate) struct Truth {
    exact: Vec<Datum>,
    rounding: Vec<Vec<f64>>,
    running: Option<Running>,
}

impl Truth {
    /// The value of an entry of a result, and how far from it optimised code may be: any distance where nothing is known of the raw
    /// program's rounding, because it divides by nothing but rounding.
    fn entry(&self, k: usize, i: usize) -> (Complex64, f64) {
        let bound = |part| {
            let running = self.running.as_ref()?;
            Some(running.at(&Slot { at: k, entry: i, part }).total())
        };
        let bound: f64 = Part::of(self.exact[k].ty()).iter().filter_map(|p| bound(*p)).sum();
        (self.exact[k].get(i).to_c128(), (WORSE * self.rounding[k][i]).max(bound))
    }

    /// For a program and its form in double-double. `own` is the result of the raw one. `None` if the other fails.
    pub(crate) fn find(
        program: FuncId,
        exact: &mut Exact,
        tools: &mut Toolchain,
        args: &[Datum],
        own: &[Datum],
    ) -> Option<Truth> {
        let mut exactly = |tools: &mut Toolchain, args: &[Datum]| {
            exact.run(tools, args, &[]).then(|| exact.results(tools.module.func(program)))
        };
        let exact = exactly(tools, args)?;
        let mut rounding: Vec<Vec<f64>> = exact.iter().map(|x| vec![0.0; x.len()]).collect();
        let mut raise = |exact: &[Datum], raw: &[Datum]| {
            for ((worst, e), r) in rounding.iter_mut().zip(exact).zip(raw) {
                for (i, worst) in worst.iter_mut().enumerate().filter(|_| e.elem().is_float()) {
                    let error = (e.get(i).to_c128() - r.get(i).to_c128()).norm();
                    *worst = if error.is_finite() { worst.max(error) } else { *worst };
                }
            }
        };
        raise(&exact, own);
        for draw in 0..NEIGHBOURS {
            let moved = neighbour(args, draw);
            let Some(raw) = raw(tools, program, &moved) else { continue };
            if let Some(exact) = exactly(tools, &moved) {
                raise(&exact, &raw);
            }
        }
        let context = (&*tools.module, &tools.engine.externs);
        Some(Truth { exact, rounding, running: Running::of(context, program, &Steps::default(), args) })
    }
}

/// The arguments, every float changed by a few units in its last place.
fn neighbour(args: &[Datum], draw: u64) -> Vec<Datum> {
    let mut moved = args.to_vec();
    let mut s = Stream::new(number_of(args), Purpose::Rounding, [draw, 0, 0]);
    for x in moved.iter_mut().filter(|x| x.elem().is_float()) {
        (0..x.len()).for_each(|entry| round_otherwise(x, entry, &mut s));
    }
    moved
}

/// The result of the program as differentiation made it: interpreted, or, if that takes too long, compiled with low effort.
pub(crate) fn raw(tools: &mut Toolchain, program: FuncId, args: &[Datum]) -> Option<Vec<Datum>> {
    let short = tools.engine.longest() <= INTERPRETED;
    if let Some((_, result)) =
        short.then(|| interpreted("", tools.module, program, tools.engine, args)).flatten()
    {
        return result.ok();
    }
    let mut code = tools.engine.compile_quickly(tools.module, &[program]).ok()?.pop()?;
    tools.engine.aside(|e| code.call(e, args)).ok()
}

/// The first result, and its entry, that differs from the raw program's by more than rounding. `truth` is computed if they
/// are not close.
pub(crate) fn beyond(
    raw: &[Datum],
    own: &[Datum],
    truth: impl FnOnce() -> Option<Truth>,
) -> Option<(usize, usize)> {
    let truth = LazyCell::new(truth);
    raw.iter().zip(own).enumerate().find_map(|(k, (x, y))| {
        let strayed = strays(x, y, |i| Some(truth.as_ref()?.entry(k, i)));
        Some((k, strayed?))
    })
}

/// The first entry of a result that differs from the raw program's by more than rounding. `truth` is the value of the
/// formula in double-double and how far from it the result may be, if known.
fn strays(
    raw: &Datum,
    own: &Datum,
    mut truth: impl FnMut(usize) -> Option<(Complex64, f64)>,
) -> Option<usize> {
    let (close, last) =
        if raw.elem().is_single() { (1e-4, f32::EPSILON as f64) } else { (1e-12, f64::EPSILON) };
    let number = |d: &Datum, i: usize| d.get(i).to_c128();
    let size = (0..raw.len()).map(|i| number(raw, i).norm()).filter(|x| x.is_finite()).fold(0.0, f64::max);
    (0..raw.len()).find(|&i| {
        if !raw.elem().is_float() {
            return !raw.get(i).same(own.get(i));
        }
        let (p, q) = (number(raw, i), number(own, i));
        let agree = !p.is_finite() || (p - q).norm() <= close * size;
        // Where nothing is known, the formula may have no value in double-double.
        let near = |(e, allowed): (Complex64, f64)| {
            allowed == f64::INFINITY || (q - e).norm() <= allowed + 64.0 * last * size
        };
        !(agree || truth(i).is_some_and(near))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_and_what_is_more() {
        let real = |x: f64| Datum::Scalar(Const::F64(x));
        let of = |raw: f64, own: f64, exact: Option<f64>| {
            strays(&real(raw), &real(own), |_| {
                exact.map(|x| (Complex64::new(x, 0.0), WORSE * (raw - x).abs()))
            })
        };
        assert_eq!(of(1.0, 1.0 + 1e-14, None), None);
        assert_eq!(of(1.0, 1.0 + 1e-10, None), Some(0));
        // A formula that loses digits loses different ones when it is written in another way.
        assert_eq!(of(1.0, 1.0 + 1e-10, Some(1.0 + 2e-11)), None);
        assert_eq!(of(1.0, 1.0 + 1e-10, Some(1.0 + 1e-12)), Some(0));
        assert_eq!((of(1.0, f64::NAN, Some(1.0)), of(1.0, f64::INFINITY, Some(1.0))), (Some(0), Some(0)));
        assert_eq!(of(f64::NAN, 1.0, None), None, "what was no number may become one");
        let truth = |b: bool| Datum::Scalar(Const::Bool(b));
        assert_eq!(strays(&truth(true), &truth(false), |_| Some((Complex64::ZERO, 0.0))), Some(0));
        // 0 by chance, while a neighbour has the rounding of its terms.
        let terms = |own: f64| strays(&real(0.0), &real(own), |_| Some((Complex64::ZERO, WORSE * 2.0e-16)));
        assert_eq!((terms(2e-16), terms(1e-13)), (None, Some(0)));
        assert_eq!(strays(&truth(true), &truth(true), |_| None), None);
        // A quotient of nothing but rounding.
        let unknown = |own: f64| {
            strays(&real(0.0), &real(own), |_| Some((Complex64::new(f64::NAN, 0.0), f64::INFINITY)))
        };
        assert_eq!(unknown(1.0), None);
    }
}

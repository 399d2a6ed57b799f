//! Every program in every form it is run in, against the reference interpreter: all of them give the same bits.

use crate::cells::{first_difference, round_otherwise};
use crate::coordinates::{index_text, indices};
use crate::exact::Exact;
use crate::oracle::Shop;
use crate::random::{Purpose, Stream, number_of};
use crate::runner::{Engine, Runner};
use crate::unit::Unit;
use adc_ir::interp::{Interp, Limits, Val};
use adc_ir::*;
use adc_jit::{Effort, Options, RuntimeMath};
use num_complex::Complex64;

/// In which forms programs are compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Backends {
    /// In none.
    None,
    /// Interpreted, compiled as differentiation made them, optimised.
    #[default]
    Default,
    /// Also without vector units, compiled in haste, with checkpoints instead of stored values, and on several threads.
    All,
}

/// One program in its forms. Second derivatives are not compiled raw: they are the largest programs,
/// and the interpreter runs them raw.
#[derive(Clone)]
pub(crate) struct Backend {
    pub program: FuncId,
    pub unit: usize,
    /// As differentiation made it, or with the bits of that at every level.
    pub forms: Vec<(&'static str, Runner)>,
    /// Optimised.
    pub optimised: Vec<(&'static str, Runner)>,
    /// In double-double, where that was needed.
    pub exact: Option<Option<Exact>>,
}

/// What the optimised program is called.
pub(crate) const OPTIMISED: &str = "optimised compiled code";

/// What runs a program as differentiation made it.
const INTERPRETER: &str = "the reference interpreter";
/// The same for the optimised program.
const OPTIMISED_INTERPRETED: &str = "the optimised program";

/// The forms of [`Backends::All`] beyond the default ones: how they are compiled.
pub(crate) fn further() -> [(&'static str, Options); 2] {
    let (mut scalar, mut quick) = (Options::default(), Options::default());
    scalar.strips = None;
    quick.effort = Effort::Quick;
    [("code without vector units", scalar), ("code compiled in haste", quick)]
}

/// What the form with checkpoints is called.
pub(crate) const CHECKPOINTED: &str = "the program with checkpoints";

/// Iterations of loops in a program that the interpreter still runs to compare it with compiled code.
const INTERPRETED: u64 = 1 << 18;
/// How much further from the exact value than the raw program optimised code may be.
const WORSE: f64 = 16.0;
/// Points beside one at which its rounding is looked at.
const NEIGHBOURS: u64 = 6;
/// Threads on which a program runs at the same time.
const THREADS: usize = 3;

/// The first disagreement at a point that was accepted. `arguments` of a unit's programs: none if it is not run there.
/// `optimised` is the module of optimised code where that does not keep bits: its forms then have bits of their own, within
/// rounding of the others'. Programs of more than [`INTERPRETED`] iterations are not interpreted, but their forms compared
/// with each other.
pub(crate) fn compare(
    shop: &mut Shop,
    optimised: Option<&Module>,
    backends: &mut [Backend],
    threads: bool,
    arguments: impl Fn(&Backend) -> Option<Vec<Datum>>,
) -> Option<Diagnostic> {
    for b in backends {
        let Some(args) = arguments(b) else { continue };
        let raw = interpreted(INTERPRETER, shop.module, b.program, shop.engine, &args);
        let found = match optimised {
            None => {
                let forms = b.forms.iter_mut().chain(&mut b.optimised);
                same_bits(shop.module.func(b.program), raw, forms, shop.engine, &args).err()
            }
            Some(module) => {
                let func = shop.module.func(b.program);
                let of_module = interpreted(OPTIMISED_INTERPRETED, module, b.program, shop.engine, &args);
                let raw = same_bits(func, raw, b.forms.iter_mut(), shop.engine, &args);
                let own = same_bits(func, of_module, b.optimised.iter_mut(), shop.engine, &args);
                match (raw, own) {
                    (Ok(Some(raw)), Ok(Some(own))) => within_rounding(b, shop, &args, &raw, &own),
                    (Err(d), _) | (_, Err(d)) => Some(d),
                    (Ok(_), Ok(_)) => None,
                }
            }
        };
        let found = found.or_else(|| match threads {
            true => on_threads(shop.module.func(b.program), &b.optimised.last()?.1, shop.engine, &args),
            false => None,
        });
        if found.is_some() {
            return found;
        }
    }
    None
}

/// What a run of a program gave, and what ran it.
type Run = (&'static str, Result<Vec<Datum>, RuntimeError>);

/// By interpretation, unless that takes too long; `what` it is called.
fn interpreted(
    what: &'static str,
    module: &Module,
    program: FuncId,
    engine: &Engine,
    args: &[Datum],
) -> Option<Run> {
    let mut interp = Interp::new(module, &RuntimeMath, &engine.externs);
    interp.limits = Limits { fuel: INTERPRETED, ..Limits::default() };
    let vals: Vec<Val<f64>> = args.iter().map(Datum::to_val).collect();
    let result = interp.call(program, &vals).map(|values| {
        let results = values.iter().zip(&module.func(program).results);
        results.map(|(v, r)| Datum::from_val(v, r.ty.scalar())).collect::<Vec<_>>()
    });
    match result {
        Err(e) if e.trap == Trap::OutOfFuel => None,
        result => Some((what, result)),
    }
}

/// What all forms agree on with `reference`, or with the first of them.
fn same_bits<'a>(
    func: &Func,
    mut reference: Option<Run>,
    forms: impl Iterator<Item = &'a mut (&'static str, Runner)>,
    engine: &mut Engine,
    args: &[Datum],
) -> Result<Option<Run>, Diagnostic> {
    for (what, code) in forms {
        let got = code.call(engine, args);
        match &reference {
            Some((other, want)) => {
                if let Some(text) = difference(func, &got, want) {
                    return Err(disagreement(func, what, other, text));
                }
            }
            None => reference = Some((what, got)),
        }
    }
    Ok(reference)
}

/// Several threads that run one program at the same time, against a run by itself.
fn on_threads(func: &Func, code: &Runner, engine: &mut Engine, args: &[Datum]) -> Option<Diagnostic> {
    let want = code.clone().call(engine, args);
    let runs: Vec<_> = std::thread::scope(|s| {
        let run = || {
            let (mut code, mut engine) = (code.clone(), engine.clone());
            s.spawn(move || code.call(&mut engine, args))
        };
        let list: Vec<_> = (0..THREADS).map(|_| run()).collect();
        list.into_iter().map(|t| t.join().expect("compiled code does not panic")).collect()
    });
    let text = runs.iter().find_map(|got| difference(func, got, &want))?;
    Some(disagreement(func, "one of several threads", "one by itself", text))
}

/// Optimised code that rounds differently: what is finite stays finite, what is no float stays what it is, and every result is
/// close to that of the raw program, or else no further from that of the same formula in double-double.
fn within_rounding(
    b: &mut Backend,
    shop: &mut Shop,
    args: &[Datum],
    (other, raw): &Run,
    (what, own): &Run,
) -> Option<Diagnostic> {
    let (Ok(raw), Ok(own)) = (raw, own) else {
        return difference(shop.module.func(b.program), own, raw)
            .map(|text| disagreement(shop.module.func(b.program), what, other, text));
    };
    let mut exact: Option<Option<Truth>> = None;
    for (k, (x, y)) in raw.iter().zip(own).enumerate() {
        let strayed = strays(x, y, |i| {
            let all = exact.get_or_insert_with(|| Truth::find(b, shop, args, raw)).as_ref()?;
            Some((all.exact[k].get(i).to_c128(), all.rounding[k][i]))
        });
        if let Some(i) = strayed {
            let func = shop.module.func(b.program);
            let entry = index_text(&indices(x.shape(), i));
            let name = &func.results[k].name;
            let text = format!("`{name}{entry}` is {:?} in one and {:?} in the other", y.get(i), x.get(i));
            return Some(disagreement(func, what, other, text));
        }
    }
    None
}

/// What a program's formulas give in double-double, and how far rounding takes the raw program from it: here, and at arguments
/// that are others in their last places, since terms may cancel exactly by chance.
struct Truth {
    exact: Vec<Datum>,
    rounding: Vec<Vec<f64>>,
}

impl Truth {
    fn find(b: &mut Backend, shop: &mut Shop, args: &[Datum], raw: &[Datum]) -> Option<Truth> {
        let program = b.exact.get_or_insert_with(|| Exact::new(shop, b.program)).as_mut()?;
        let mut exactly = |shop: &mut Shop, args: &[Datum]| {
            program.run(shop, args, &[]).then(|| program.results(shop.module.func(b.program)))
        };
        let exact = exactly(shop, args)?;
        let mut rounding: Vec<Vec<f64>> = exact.iter().map(|x| vec![0.0; x.len()]).collect();
        let mut raise = |exact: &[Datum], raw: &[Datum]| {
            for ((worst, e), r) in rounding.iter_mut().zip(exact).zip(raw) {
                for (i, worst) in worst.iter_mut().enumerate().filter(|_| e.elem().is_float()) {
                    let error = (e.get(i).to_c128() - r.get(i).to_c128()).norm();
                    *worst = if error.is_finite() { worst.max(error) } else { *worst };
                }
            }
        };
        raise(&exact, raw);
        for turn in 0..NEIGHBOURS {
            let moved = neighbour(args, turn);
            let Some((_, Ok(raw))) = interpreted(INTERPRETER, shop.module, b.program, shop.engine, &moved)
            else {
                continue;
            };
            if let Some(exact) = exactly(shop, &moved) {
                raise(&exact, &raw);
            }
        }
        Some(Truth { exact, rounding })
    }
}

/// The arguments, every float off by a few units in its last place.
fn neighbour(args: &[Datum], turn: u64) -> Vec<Datum> {
    let mut moved = args.to_vec();
    let mut s = Stream::new(number_of(args), Purpose::Rounding, [turn, 0, 0]);
    for x in moved.iter_mut().filter(|x| x.elem().is_float()) {
        (0..x.len()).for_each(|entry| round_otherwise(x, entry, &mut s));
    }
    moved
}

/// The first entry of a result that is further from the raw program's than rounding takes it; `truth` is what the formula gives
/// in double-double and how far the raw program is from that, if these are known.
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
        let near = |(e, rounding): (Complex64, f64)| (q - e).norm() <= WORSE * rounding + 64.0 * last * size;
        !(agree || truth(i).is_some_and(near))
    })
}

fn disagreement(func: &Func, what: &str, other: &str, text: String) -> Diagnostic {
    Diagnostic::error(Code::BackendsDisagree, format!("{what} and {other} disagree on `{}`", func.name))
        .label(crate::settings::header(func), "of this function")
        .note(text)
        .help("this is a bug in adc, not in the model: please report it")
}

/// How two runs of one program differ; both failing is agreement only with the same error.
fn difference(
    func: &Func,
    got: &Result<Vec<Datum>, RuntimeError>,
    want: &Result<Vec<Datum>, RuntimeError>,
) -> Option<String> {
    match (got, want) {
        (Ok(a), Ok(b)) => {
            let mut differences = a.iter().zip(b).enumerate();
            let (k, i) = differences.find_map(|(k, (x, y))| Some((k, first_difference(x, y)?)))?;
            let entry = index_text(&indices(a[k].shape(), i));
            let name = &func.results[k].name;
            Some(format!("`{name}{entry}` is {:?} in one and {:?} in the other", a[k].get(i), b[k].get(i)))
        }
        // An optimised program may leave out a failing op whose value it does not need.
        (_, Err(_)) => None,
        (Err(e), Ok(_)) => Some(format!("one ends with the run-time error: {e}")),
    }
}

impl Unit {
    /// The arguments of one of its programs at the current point, given those of the function and the cotangents of the second
    /// order; `seed` is that of the check.
    pub(crate) fn at_point(
        &self,
        program: FuncId,
        inputs: &[Datum],
        cotangents: &[Datum],
        seed: u64,
    ) -> Option<Vec<Datum>> {
        match self.order {
            crate::report::Order::First => Some(self.arguments(program, inputs, Some(seed))),
            crate::report::Order::Second if cotangents.is_empty() => None,
            crate::report::Order::Second => {
                Some(self.arguments(program, &[inputs, cotangents].concat(), Some(seed)))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_and_what_is_more() {
        let real = |x: f64| Datum::Scalar(Const::F64(x));
        let of = |raw: f64, own: f64, exact: Option<f64>| {
            strays(&real(raw), &real(own), |_| exact.map(|x| (Complex64::new(x, 0.0), (raw - x).abs())))
        };
        assert_eq!(of(1.0, 1.0 + 1e-14, None), None);
        assert_eq!(of(1.0, 1.0 + 1e-10, None), Some(0));
        // A formula that loses digits loses others when it is written otherwise.
        assert_eq!(of(1.0, 1.0 + 1e-10, Some(1.0 + 2e-11)), None);
        assert_eq!(of(1.0, 1.0 + 1e-10, Some(1.0 + 1e-12)), Some(0));
        assert_eq!((of(1.0, f64::NAN, Some(1.0)), of(1.0, f64::INFINITY, Some(1.0))), (Some(0), Some(0)));
        assert_eq!(of(f64::NAN, 1.0, None), None, "what was no number may become one");
        let truth = |b: bool| Datum::Scalar(Const::Bool(b));
        assert_eq!(strays(&truth(true), &truth(false), |_| Some((Complex64::ZERO, 0.0))), Some(0));
        // 0 by chance, where a neighbour is off by the rounding of its terms.
        let terms = |own: f64| strays(&real(0.0), &real(own), |_| Some((Complex64::ZERO, 2.0e-16)));
        assert_eq!((terms(2e-16), terms(1e-13)), (None, Some(0)));
        assert_eq!(strays(&truth(true), &truth(true), |_| None), None);
    }
}

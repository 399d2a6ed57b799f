//! Every program in every form it is run in, against the reference interpreter: all of them give the same bits.

use crate::cells::first_difference;
use crate::coordinates::{index_text, indices};
use crate::runner::{Engine, Runner};
use crate::unit::Unit;
use adc_ir::interp::{Interp, Limits, Val};
use adc_ir::*;
use adc_jit::{Effort, Options, RuntimeMath};

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
    pub forms: Vec<(&'static str, Runner)>,
}

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
/// Threads on which a program runs at the same time.
const THREADS: usize = 3;

/// The first disagreement at a point that was accepted. `arguments` of a unit's programs: none if it is not run there.
/// Programs of more than [`INTERPRETED`] iterations are not interpreted, but their forms compared with each other.
pub(crate) fn compare(
    module: &Module,
    backends: &mut [Backend],
    engine: &mut Engine,
    threads: bool,
    arguments: impl Fn(&Backend) -> Option<Vec<Datum>>,
) -> Option<Diagnostic> {
    for b in backends {
        let Some(args) = arguments(b) else { continue };
        let func = module.func(b.program);
        let interpreted = {
            let mut interp = Interp::new(module, &RuntimeMath, &engine.externs);
            interp.limits = Limits { fuel: INTERPRETED, ..Limits::default() };
            let vals: Vec<Val<f64>> = args.iter().map(Datum::to_val).collect();
            interp.call(b.program, &vals).map(|values| {
                let results = values.iter().zip(&func.results);
                results.map(|(v, r)| Datum::from_val(v, r.ty.scalar())).collect::<Vec<_>>()
            })
        };
        let mut reference = match interpreted {
            Err(e) if e.trap == Trap::OutOfFuel => None,
            result => Some(("the reference interpreter", result)),
        };
        for (what, code) in &mut b.forms {
            let got = code.call(engine, &args);
            let Some((other, want)) = &reference else {
                reference = Some((what, got));
                continue;
            };
            if let Some(text) = difference(func, &got, want) {
                return Some(disagreement(func, what, other, text));
            }
        }
        if let (true, Some((what, code))) = (threads, b.forms.last()) {
            let want = reference.as_ref().map(|(_, want)| want);
            let runs: Vec<_> = std::thread::scope(|s| {
                let run = || {
                    let (mut code, mut engine, args) = (code.clone(), engine.clone(), args.clone());
                    s.spawn(move || code.call(&mut engine, &args))
                };
                let list: Vec<_> = (0..THREADS).map(|_| run()).collect();
                list.into_iter().map(|t| t.join().expect("compiled code does not panic")).collect()
            });
            for got in &runs {
                if let Some(text) = want.and_then(|want| difference(func, got, want)) {
                    return Some(disagreement(func, "one of several threads", what, text));
                }
            }
        }
    }
    None
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
    /// order.
    pub(crate) fn at_point(
        &self,
        program: FuncId,
        inputs: &[Datum],
        cotangents: &[Datum],
    ) -> Option<Vec<Datum>> {
        match self.order {
            crate::report::Order::First => Some(self.arguments(program, inputs)),
            crate::report::Order::Second if cotangents.is_empty() => None,
            crate::report::Order::Second => Some(self.arguments(program, &[inputs, cotangents].concat())),
        }
    }
}

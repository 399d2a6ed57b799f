//! The instructions of a program that may be wrong, and the values that reach them.

use super::copy::Subject;
use super::outline::{Operands, Window, outline};
use crate::report::Iteration;
use adc_ir::interp::{ArrayVal, Interp, Limits, Location, Val, Watch};
use adc_ir::*;
use adc_jit::{Externs, RuntimeMath};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;

/// Iterations of loops, and calls, of one traced run.
const FUEL: u64 = 1 << 18;
/// Number of instructions that are traced.
const MAX_PLACES: usize = 2048;
/// Number of different arguments of one instruction that are recorded.
const MAX_CALLS: usize = 24;

/// An instruction that may be wrong by itself.
#[derive(Clone, Debug)]
pub(super) struct Suspect {
    pub window: Window,
    pub calls: Vec<Reached>,
    /// Its outlined function, in [`Observed::module`].
    pub func: FuncId,
}

/// Arguments that reach an instruction.
#[derive(Clone, Debug)]
pub(super) struct Reached {
    pub args: Vec<Datum>,
    pub iterations: Vec<Iteration>,
}

/// A traced run.
pub(super) struct Observed {
    /// The module with the suspects as functions.
    pub module: Module,
    pub suspects: Vec<Suspect>,
}

/// The instructions of the functions that `f` runs. Those in regions come before the instruction they belong to, those of a
/// callee before the call.
pub(super) fn places(m: &Module, f: FuncId) -> Vec<Window> {
    struct Walk<'m> {
        m: &'m Module,
        seen: FxHashSet<FuncId>,
        out: Vec<Window>,
    }
    impl Walk<'_> {
        fn function(&mut self, f: FuncId) {
            let func = self.m.func(f);
            let body = func.region().filter(|_| func.rules.is_empty());
            if let Some(body) = body.filter(|_| self.seen.insert(f)) {
                self.region(f, body, &mut Vec::new());
            }
        }

        fn region(&mut self, f: FuncId, r: &Region, path: &mut Vec<(usize, usize)>) {
            for (i, inst) in r.insts.iter().enumerate() {
                if let Kind::Call(g) = inst.kind {
                    self.function(g);
                }
                for (k, inner) in inst.regions.iter().enumerate() {
                    path.push((i, k));
                    self.region(f, inner, path);
                    path.pop();
                }
                if self.out.len() < MAX_PLACES && !matches!(inst.kind, Kind::Const(_) | Kind::Assert(_)) {
                    self.out.push(Window::one(f, path, i));
                }
            }
        }
    }
    let mut walk = Walk { m, seen: FxHashSet::default(), out: Vec::new() };
    walk.function(f);
    walk.out
}

/// Runs the function at a point, with these instructions as functions of their own.
pub(super) fn observe(
    s: &Subject,
    what: Vec<(Window, Operands)>,
    inputs: &[Datum],
    externs: &Externs,
    inactive: &dyn Fn(FuncId) -> FxHashSet<Value>,
) -> Observed {
    let mut module = s.module.clone();
    let mut suspects = Vec::new();
    let mut known: FxHashMap<FuncId, FxHashSet<Value>> = FxHashMap::default();
    for (window, operands) in what {
        let inactive = known.entry(window.func).or_insert_with(|| inactive(window.func));
        if let Some(func) = outline(&mut module, &window, operands, inactive) {
            suspects.push(Suspect { window, calls: Vec::new(), func });
        }
    }
    debug_assert!(verify::verify(&module).is_ok(), "{:?}", verify::verify(&module));
    let at = suspects.iter().enumerate().map(|(k, s)| (s.func, k)).collect();
    let calls = vec![Vec::new(); suspects.len()];
    let observer = Observer { module: &module, at, calls: RefCell::new(calls), left: RefCell::new(FUEL) };
    let mut interp = Interp::new(&module, &RuntimeMath, externs);
    interp.limits = Limits { fuel: FUEL, ..Limits::default() };
    interp.watch = Some(&observer);
    let args: Vec<Val<f64>> = inputs.iter().map(Datum::to_val).collect();
    // The point was accepted, so the run succeeds or exceeds its budget. In both cases what was recorded is valid.
    let _ = interp.call(s.func, &args);
    let calls = observer.calls.into_inner();
    for (suspect, calls) in suspects.iter_mut().zip(calls) {
        suspect.calls = calls;
    }
    suspects.retain(|s| !s.calls.is_empty());
    Observed { module, suspects }
}

struct Observer<'m> {
    module: &'m Module,
    at: FxHashMap<FuncId, usize>,
    calls: RefCell<Vec<Vec<Reached>>>,
    left: RefCell<u64>,
}

impl Watch<f64> for Observer<'_> {
    fn op(&self, _: Location<'_>, _: Op, _: &[&Val<f64>], _: &Val<f64>) {}

    fn extremum(&self, _: Location<'_>, _: ReduceOp, _: &[Val<f64>]) {}

    fn linalg(&self, _: Location<'_>, _: LinalgOp, _: &ArrayVal<f64>) {}

    fn wants_calls(&self) -> bool {
        true
    }

    fn call(&self, callee: FuncId, args: &[Val<f64>], iterations: &[Iteration]) -> Result<(), Trap> {
        let mut left = self.left.borrow_mut();
        *left = left.checked_sub(1).ok_or(Trap::OutOfFuel)?;
        let Some(k) = self.at.get(&callee) else { return Ok(()) };
        let calls = &mut self.calls.borrow_mut()[*k];
        if calls.len() < MAX_CALLS {
            let func = self.module.func(callee);
            let data = args.iter().enumerate().map(|(i, v)| Datum::from_val(v, func.param_ty(i).scalar()));
            let args: Vec<Datum> = data.collect();
            if !calls.iter().any(|c: &Reached| c.args == args) {
                calls.push(Reached { args, iterations: iterations.to_vec() });
            }
        }
        Ok(())
    }
}

/// The values of a function that do not depend on the parameters at `wrt`.
pub(super) fn independent(m: &Module, f: FuncId, wrt: &[usize]) -> FxHashSet<Value> {
    fn region(func: &Func, r: &Region, active: &mut FxHashSet<Value>, inherited: bool) {
        if inherited {
            active.extend(r.params.iter().copied());
        }
        for inst in &r.insts {
            let mut used = Vec::new();
            super::outline::free_values(
                func,
                std::slice::from_ref(inst),
                &mut FxHashSet::default(),
                &mut used,
            );
            let depends = used.iter().any(|v| active.contains(v));
            inst.regions.iter().for_each(|r| region(func, r, active, depends));
            if depends {
                active.extend(inst.results.iter().copied());
            }
        }
    }
    let func = m.func(f);
    let mut active: FxHashSet<Value> = wrt.iter().map(|i| func.params[*i].value).collect();
    func.region().into_iter().for_each(|r| region(func, r, &mut active, false));
    (0..func.values.len() as u32).map(Value).filter(|v| !active.contains(v)).collect()
}

//! The reference interpreter: what a program means, over any [`Real`].
//!
//! Compiled code agrees with it bit for bit (NaN = NaN) over `f64` and the runtime's elementary
//! functions; over a more precise number type it gives the reference values that derivatives are tested with.
//!
//! Invariants:
//! * The module passed [`crate::verify`]; anything else may panic.
//! * Calls and nested regions live on an explicit stack, so neither long call chains nor deep nesting
//!   overflow the host's.
//! * Instructions run in order; the first failing one ends the run. Every iteration of a loop runs, one after the other;
//!   sums are added up as [`ReduceOp::Sum`] says.
//! * A run ends within its [`Limits`], whatever the program.
//! * Declared parameter domains are the business of the host side for an entry call; internal calls are guarded
//!   by [`Kind::Assert`] in the IR itself.

mod array;
mod cost;
mod eigen;
mod eval;
mod fold;
mod frame;
mod gather;
mod limits;
mod linalg;
mod loops;
mod moves;
mod svd;
mod val;
mod watch;

pub use cost::Cost;
pub use eval::eval;
pub use fold::fold;
pub use limits::Limits;
pub use val::{ArrayVal, Sizes, Val};
pub use watch::{Iteration, Location, Watch};

use crate::bind::bind_dims;
use crate::module::*;
use crate::num::{Elementary, Real};
use crate::trap::{RuntimeError, Trap};
use crate::types::{Scalar, Type};
use array::Maker;
use frame::{Frame, Role};
use limits::Meter;
use moves::Moves;
use smallvec::SmallVec;
use std::cell::OnceCell;

/// What a native function has to give.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResultType {
    /// The type.
    pub ty: Type,
    /// The sizes of an array.
    pub shape: Sizes,
}

/// Native functions, called by the symbol of [`Body::Extern`].
pub trait ExternCalls<R> {
    /// Calls `name` with its dimensions, then its arguments; `results` are what it must give. `Err` is the status it
    /// returned.
    fn call(&self, name: &str, args: &[Val<R>], results: &[ResultType]) -> Result<Vec<Val<R>>, i32>;
}

/// No native functions: every call fails with status −1.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoExterns;

impl<R> ExternCalls<R> for NoExterns {
    fn call(&self, _: &str, _: &[Val<R>], _: &[ResultType]) -> Result<Vec<Val<R>>, i32> {
        Err(-1)
    }
}

/// A module with what running it takes.
pub struct Interp<'a, R: Real> {
    /// The functions.
    pub module: &'a Module,
    /// Elementary functions of the number type.
    pub math: &'a dyn Elementary<R>,
    /// Native functions.
    pub externs: &'a dyn ExternCalls<R>,
    /// What a call may use.
    pub limits: Limits,
    /// Who looks on.
    pub watch: Option<&'a dyn Watch<R>>,
}

impl<'a, R: Real> Interp<'a, R> {
    /// An interpreter with the default limits that nobody watches.
    pub fn new(
        module: &'a Module,
        math: &'a dyn Elementary<R>,
        externs: &'a dyn ExternCalls<R>,
    ) -> Interp<'a, R> {
        Interp { module, math, externs, limits: Limits::default(), watch: None }
    }

    /// Calls a function with arguments of its parameters' types; its dimensions follow from their sizes.
    ///
    /// # Panics
    /// If the arguments do not fit ([`bind_dims`] says why), or the module does not pass the verifier.
    pub fn call(&self, f: FuncId, args: &[Val<R>]) -> Result<Vec<Val<R>>, RuntimeError> {
        let func = self.module.func(f);
        assert_eq!(args.len(), func.params.len(), "`{}` takes {} arguments", func.name, func.params.len());
        let dims = bind_dims(func, args).unwrap_or_else(|e| panic!("`{}`: {e}", func.name));
        self.call_with_dims(f, &dims, args)
    }

    /// Calls a function with its dimensions and arguments that have the sizes they say.
    ///
    /// # Panics
    /// If the number of one of them is wrong, or the module does not pass the verifier.
    pub fn call_with_dims(
        &self,
        f: FuncId,
        dims: &[i64],
        args: &[Val<R>],
    ) -> Result<Vec<Val<R>>, RuntimeError> {
        self.count(f, dims, args).map(|(results, _)| results)
    }

    /// As [`Self::call_with_dims`], with what it took.
    ///
    /// # Panics
    /// As [`Self::call_with_dims`].
    pub fn count(
        &self,
        f: FuncId,
        dims: &[i64],
        args: &[Val<R>],
    ) -> Result<(Vec<Val<R>>, Cost), RuntimeError> {
        let moves: Vec<OnceCell<Option<Moves>>> =
            (0..self.module.funcs.len()).map(|_| OnceCell::new()).collect();
        self.call_moving(f, dims, args, &moves)
    }

    /// A call that moves what `moves` says, which is filled in where it does not.
    fn call_moving(
        &self,
        f: FuncId,
        dims: &[i64],
        args: &[Val<R>],
        moves: &[OnceCell<Option<Moves>>],
    ) -> Result<(Vec<Val<R>>, Cost), RuntimeError> {
        let func = self.module.func(f);
        assert_eq!(dims.len(), func.dims.len(), "`{}` takes {} dimensions", func.name, func.dims.len());
        assert_eq!(args.len(), func.params.len(), "`{}` takes {} arguments", func.name, func.params.len());
        let args: Vec<Val<R>> = dims.iter().map(|n| Val::I64(*n)).chain(args.iter().cloned()).collect();
        let fail = |trap| RuntimeError { trap, span: func.span };
        let mut run = Run {
            module: self.module,
            math: self.math,
            externs: self.externs,
            watch: self.watch,
            meter: Meter::new(self.limits),
            moves,
        };
        let results = match &func.body {
            Body::Extern(symbol) => run.call_extern(func, symbol, &args).map_err(fail)?,
            Body::Derived(_) => panic!("`{}` is a derivative that was not written", func.name),
            Body::Region(body) => {
                let entry = run.frame(f, body, args.into_iter()).map_err(fail)?;
                run.all(entry)?
            }
        };
        Ok((results, run.meter.cost()))
    }
}

/// One entry call being run.
struct Run<'r, R: Real> {
    module: &'r Module,
    math: &'r dyn Elementary<R>,
    externs: &'r dyn ExternCalls<R>,
    watch: Option<&'r dyn Watch<R>>,
    meter: Meter,
    /// By function: what it moves, once it was called.
    moves: &'r [OnceCell<Option<Moves>>],
}

/// What running one instruction asks of the stack of calls.
enum Step<'r, R> {
    Next,
    Enter(Frame<'r, R>),
    Return(Vec<Val<R>>),
}

impl<'r, R: Real> Run<'r, R> {
    fn all(&mut self, entry: Frame<'r, R>) -> Result<Vec<Val<R>>, RuntimeError> {
        let mut stack = vec![entry];
        loop {
            if let Some(watch) = self.watch.filter(|w| w.wants_calls()) {
                tell(watch, &stack)?;
            }
            let steps = self.watch.filter(|w| w.wants_steps());
            let ending = steps.and_then(|w| announce(w, &stack));
            let frame = stack.last_mut().expect("the entry's frame is popped last");
            let inst = frame.next();
            let step = match inst {
                Some(inst) => self.step(frame, inst),
                None => self.close(frame),
            };
            // What fails at the end of a region is the instruction it belongs to.
            let span =
                |frame: &Frame<'r, R>| inst.or_else(|| frame.next()).map_or(frame.func.span, |i| i.span);
            let at = span(frame);
            if let Some(watch) = steps.filter(|w| w.asks()) {
                let iterations = ending.unwrap_or_else(|| running(&stack));
                watch.iterations(&iterations).map_err(|trap| RuntimeError { trap, span: at })?;
            }
            match step {
                Ok(Step::Next) => {}
                Ok(Step::Enter(callee)) => stack.push(callee),
                Ok(Step::Return(values)) => {
                    stack.pop();
                    match stack.last_mut() {
                        Some(caller) => caller.deliver(values),
                        None => return Ok(values),
                    }
                }
                Err(trap) => return Err(RuntimeError { trap, span: at }),
            }
        }
    }

    /// Runs one instruction, or begins to if it calls or has regions.
    fn step(&mut self, frame: &mut Frame<'r, R>, inst: &'r Inst) -> Result<Step<'r, R>, Trap> {
        self.meter.step();
        match &inst.kind {
            Kind::Const(c) => frame.deliver_one(Val::from_const(*c)),
            Kind::Op(op) => {
                let y = {
                    let args: SmallVec<[&Val<R>; 3]> = inst.args.iter().map(|v| frame.get(*v)).collect();
                    let ty = frame.func.ty(inst.results[0]).scalar();
                    self.meter.op(*op, &args);
                    let y = eval(self.math, *op, &args, ty)?;
                    if let Some(watch) = self.watch {
                        watch.op(Location { func: frame.func, inst }, *op, &args, &y);
                    }
                    y
                };
                frame.deliver_one(y);
            }
            Kind::Call(f) => {
                let callee = self.module.func(*f);
                let args = frame.operands(inst);
                match &callee.body {
                    Body::Region(body) => return Ok(Step::Enter(self.frame(*f, body, args.into_iter())?)),
                    Body::Extern(symbol) => frame.deliver(self.call_extern(callee, symbol, &args)?),
                    Body::Derived(_) => panic!("`{}` is a derivative that was not written", callee.name),
                }
            }
            Kind::If => {
                let taken = if frame.get(inst.args[0]).bool() { 0 } else { 1 };
                frame.enter(inst, taken, Vec::new(), Role::Once);
            }
            Kind::Assert(guard) => {
                if !frame.get(inst.args[0]).bool() {
                    return Err(match &**guard {
                        Guard::Assert(text) => Trap::Assert(text.clone()),
                        Guard::Domain(text) => Trap::Domain(text.clone()),
                    });
                }
                frame.deliver(Vec::new());
            }
            Kind::Size(dim) => {
                let n = dim.eval(|v| frame.get(v).i64()).ok_or(Trap::IntegerOverflow)?;
                frame.deliver_one(Val::I64(n));
            }
            kinds!(Loop) => self.enter(frame, inst)?,
            kinds!(Array) => {
                let result = inst.results[0];
                let shape = if inst.kind.has_own_shape() { frame.sizes(result)? } else { Sizes::new() };
                let args = frame.operands(inst);
                if let (Some(watch), Kind::Linalg(op)) = (self.watch, &inst.kind) {
                    watch.linalg(Location { func: frame.func, inst }, *op, args[0].as_array());
                }
                let y = self.maker(frame.func.ty(result).scalar()).apply(&inst.kind, args, shape)?;
                frame.deliver_one(y);
            }
        }
        Ok(Step::Next)
    }

    fn maker(&self, elem: Scalar) -> Maker<'_, R> {
        Maker { math: self.math, meter: &self.meter, elem }
    }

    /// A call that begins; `args` are dimensions and arguments.
    fn frame(
        &self,
        f: FuncId,
        body: &'r Region,
        args: impl Iterator<Item = Val<R>>,
    ) -> Result<Frame<'r, R>, Trap> {
        let func = self.module.func(f);
        let charge = self.meter.charge((func.values.len() * size_of::<Option<Val<R>>>()) as u64)?;
        let moves = self.moves[f.0 as usize].get_or_init(|| Moves::of(func)).as_ref();
        Ok(Frame::new(func, body, moves, args, charge))
    }

    fn call_extern(&self, func: &Func, symbol: &str, args: &[Val<R>]) -> Result<Vec<Val<R>>, Trap> {
        let value = |v: Value| {
            args[func.entry_position(v).expect("an extern function's sizes are made of its operands")].i64()
        };
        let result = |r: &ResultDecl| -> Result<ResultType, Trap> {
            Ok(ResultType { ty: r.ty, shape: frame::sizes(&r.shape, value)? })
        };
        let results: Vec<ResultType> = func.results.iter().map(result).collect::<Result<_, _>>()?;
        for r in &results {
            self.maker(r.ty.scalar()).reserve(&r.shape)?;
        }
        let failed = |status| Trap::Extern { name: symbol.to_string(), status };
        self.externs.call(symbol, args, &results).map_err(failed)
    }
}

/// The loops that are running, outermost first.
fn running<R: Real>(stack: &[Frame<'_, R>]) -> Vec<Iteration> {
    stack.iter().flat_map(Frame::iterations).collect()
}

/// Tells of the step that is next. At the end of a region, behind which the loop is in another iteration, the loops that are running.
fn announce<R: Real>(watch: &dyn Watch<R>, stack: &[Frame<'_, R>]) -> Option<Vec<Iteration>> {
    let frame = stack.last().expect("the entry's frame is popped last");
    if let Some(inst) = frame.current() {
        watch.step(Location { func: frame.func, inst });
    }
    frame.next().is_none().then(|| running(stack))
}

/// Tells of the call that is next.
fn tell<R: Real>(watch: &dyn Watch<R>, stack: &[Frame<'_, R>]) -> Result<(), RuntimeError> {
    let frame = stack.last().expect("the entry's frame is popped last");
    let Some(inst) = frame.next() else { return Ok(()) };
    let Kind::Call(callee) = &inst.kind else { return Ok(()) };
    let args: Vec<Val<R>> = inst.args.iter().map(|v| frame.get(*v).clone()).collect();
    watch.call(*callee, &args, &running(stack)).map_err(|trap| RuntimeError { trap, span: inst.span })
}

#[cfg(all(test, feature = "testing"))]
mod tests {
    use super::*;
    use crate::testing::{Knobs, Rng, StdMath, array_inputs, module};

    #[test]
    fn updates_in_place_are_not_visible() {
        for seed in 0..300 {
            let m = module(seed, &Knobs { traps: true, ..Knobs::arrays() });
            let f = FuncId(m.funcs.len() as u32 - 1);
            let (dims, args) = array_inputs(&mut Rng::new(seed), m.func(f), false);
            let interp = Interp::new(&m, &StdMath, &NoExterns);
            let copying: Vec<OnceCell<Option<Moves>>> =
                m.funcs.iter().map(|_| OnceCell::from(None)).collect();
            let show = |r: Result<Vec<Val<f64>>, RuntimeError>| format!("{r:?}");
            let moved = show(interp.call_with_dims(f, &dims, &args));
            assert_eq!(
                moved,
                show(interp.call_moving(f, &dims, &args, &copying).map(|r| r.0)),
                "seed {seed}\n{m}"
            );
        }
    }
}

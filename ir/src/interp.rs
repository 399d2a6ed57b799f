//! The reference interpreter: what a program means, over any [`Real`].
//!
//! Compiled code agrees with it bit for bit (NaN = NaN) over `f64` and the runtime's elementary
//! functions; over a more precise number type it gives the reference values that derivatives are tested with.
//!
//! Invariants:
//! * The module passed [`crate::verify`]; anything else may panic.
//! * Calls and nested regions live on an explicit stack, so neither long call chains nor deep nesting
//!   overflow the host's.
//! * Instructions run in order, each region at most once per visit; the first failing one ends the run.
//! * Declared parameter domains are the business of the host side for an entry call; internal calls are guarded
//!   by [`Kind::Assert`] in the IR itself.

mod eval;
mod fold;
mod val;

pub use eval::eval;
pub use fold::fold;
pub use val::Val;

use crate::module::*;
use crate::num::{Elementary, Real};
use crate::trap::{RuntimeError, Trap};
use crate::types::Type;
use smallvec::SmallVec;

/// Native functions, called by the symbol of [`Body::Extern`].
pub trait ExternCalls<R> {
    /// Calls `name`; `results` are the types of the values it must give. `Err` is the status it returned.
    fn call(&self, name: &str, args: &[Val<R>], results: &[Type]) -> Result<Vec<Val<R>>, i32>;
}

/// No native functions: every call fails with status −1.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoExterns;

impl<R> ExternCalls<R> for NoExterns {
    fn call(&self, _: &str, _: &[Val<R>], _: &[Type]) -> Result<Vec<Val<R>>, i32> {
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
}

impl<'a, R: Real> Interp<'a, R> {
    /// Calls a function with arguments of its parameters' types.
    ///
    /// # Panics
    /// If the number of arguments is wrong, or the module does not pass the verifier.
    pub fn call(&self, f: FuncId, args: &[Val<R>]) -> Result<Vec<Val<R>>, RuntimeError> {
        let func = self.module.func(f);
        assert_eq!(args.len(), func.params.len(), "`{}` takes {} arguments", func.name, func.params.len());
        let mut stack = match &func.body {
            Body::Region(body) => vec![Frame::new(func, body, args.iter().cloned())],
            Body::Extern(symbol) => {
                let types: Vec<Type> = func.results.iter().map(|r| r.ty).collect();
                let failed = |status| RuntimeError { trap: extern_trap(symbol, status), span: func.span };
                return self.externs.call(symbol, args, &types).map_err(failed);
            }
        };
        loop {
            match self.step(stack.last_mut().expect("the entry's frame is popped last"))? {
                Step::Next => {}
                Step::Enter(frame) => stack.push(frame),
                Step::Return(values) => {
                    stack.pop();
                    match stack.last_mut() {
                        Some(caller) => caller.deliver(values),
                        None => return Ok(values),
                    }
                }
            }
        }
    }

    /// Runs one instruction of the innermost region, or closes the region.
    fn step(&self, frame: &mut Frame<'a, R>) -> Result<Step<'a, R>, RuntimeError> {
        let at = frame.open.last().expect("a frame has an open region until it returns");
        let Some(inst) = at.region.insts.get(at.next) else {
            let yields = at.region.yields.iter().map(|v| frame.get(*v).clone()).collect();
            frame.open.pop();
            if frame.open.is_empty() {
                return Ok(Step::Return(yields));
            }
            frame.deliver(yields);
            return Ok(Step::Next);
        };
        let fail = |trap| RuntimeError { trap, span: inst.span };
        match &inst.kind {
            Kind::Const(c) => frame.deliver_one(Val::from_const(*c)),
            Kind::Op(op) => {
                let y = {
                    let args: SmallVec<[&Val<R>; 3]> = inst.args.iter().map(|v| frame.get(*v)).collect();
                    let ty = frame.func.ty(inst.results[0]).scalar();
                    eval(self.math, *op, &args, ty).map_err(fail)?
                };
                frame.deliver_one(y);
            }
            Kind::Call(callee) => {
                let callee = self.module.func(*callee);
                let args = inst.args.iter().map(|v| frame.get(*v).clone());
                match &callee.body {
                    Body::Region(body) => return Ok(Step::Enter(Frame::new(callee, body, args))),
                    Body::Extern(symbol) => {
                        let args: Vec<Val<R>> = args.collect();
                        let types: Vec<Type> = callee.results.iter().map(|r| r.ty).collect();
                        let out = self.externs.call(symbol, &args, &types);
                        frame.deliver(out.map_err(|status| fail(extern_trap(symbol, status)))?);
                    }
                }
            }
            Kind::If => {
                let taken = if frame.get(inst.args[0]).bool() { 0 } else { 1 };
                frame.open.push(Open { region: &inst.regions[taken], next: 0 });
            }
            Kind::Assert(guard) => {
                if !frame.get(inst.args[0]).bool() {
                    return Err(fail(match guard {
                        Guard::Assert(text) => Trap::Assert(text.clone()),
                        Guard::Domain(text) => Trap::Domain(text.clone()),
                    }));
                }
                frame.deliver(Vec::new());
            }
        }
        Ok(Step::Next)
    }
}

fn extern_trap(symbol: &str, status: i32) -> Trap {
    Trap::Extern { name: symbol.to_string(), status }
}

/// What running one instruction asks of the stack of calls.
enum Step<'a, R> {
    Next,
    Enter(Frame<'a, R>),
    Return(Vec<Val<R>>),
}

/// A call that has not returned.
struct Frame<'a, R> {
    func: &'a Func,
    /// By [`Value`]; `None` until defined.
    values: Vec<Option<Val<R>>>,
    /// The body and the nested regions being run, innermost last. An instruction with an open region, or
    /// with a call above this frame, is the one at `next`.
    open: Vec<Open<'a>>,
}

struct Open<'a> {
    region: &'a Region,
    next: usize,
}

impl<'a, R: Real> Frame<'a, R> {
    fn new(func: &'a Func, body: &'a Region, args: impl Iterator<Item = Val<R>>) -> Frame<'a, R> {
        let mut values = vec![None; func.values.len()];
        for (param, arg) in func.params.iter().zip(args) {
            values[param.value.0 as usize] = Some(arg);
        }
        Frame { func, values, open: vec![Open { region: body, next: 0 }] }
    }

    fn get(&self, v: Value) -> &Val<R> {
        match &self.values[v.0 as usize] {
            Some(val) => val,
            None => panic!("v{} of `{}` is used before it is defined", v.0, self.func.name),
        }
    }

    /// Ends the current instruction with its results.
    fn deliver(&mut self, results: Vec<Val<R>>) {
        let at = self.open.last_mut().expect("a region is open");
        let inst = &at.region.insts[at.next];
        assert_eq!(inst.results.len(), results.len(), "wrong number of results in `{}`", self.func.name);
        for (v, val) in inst.results.iter().zip(results) {
            self.values[v.0 as usize] = Some(val);
        }
        at.next += 1;
    }

    /// [`Self::deliver`] of one result, without a list.
    fn deliver_one(&mut self, result: Val<R>) {
        let at = self.open.last_mut().expect("a region is open");
        self.values[at.region.insts[at.next].results[0].0 as usize] = Some(result);
        at.next += 1;
    }
}

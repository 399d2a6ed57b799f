//! Rust functions and closures behind `extern fn`s.
//!
//! Compiled code puts a call's dimensions, arguments and the addresses of its results into cells, as for a function of the IR,
//! and calls [`enter`], which makes slices of them for the closure.

use crate::call::{Port, Slice, SliceMut, ports};
use crate::cells::{cells_of, decode};
use adc_ir::{Const, Func, Scalar, Trap, Type, Value};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// What a closure is called with: dimensions, arguments, results (zeros until it writes them). A scalar is a slice of one element.
pub(crate) type Body = dyn Fn(&[i64], &[Slice<'_>], &mut [SliceMut<'_>]) -> Result<(), i32> + Send + Sync;

/// A closure with the types that it takes and gives.
pub(crate) struct Closure {
    pub params: Vec<Type>,
    pub results: Vec<Type>,
    pub body: Box<Body>,
}

impl Closure {
    /// Whether a declaration has these parameters and results.
    pub fn fits(&self, func: &Func) -> bool {
        let params = func.params.iter().map(|p| func.ty(p.value));
        params.eq(self.params.iter().copied())
            && func.results.iter().map(|r| r.ty).eq(self.results.iter().copied())
    }
}

impl fmt::Display for Closure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |types: &[Type]| types.iter().map(Type::to_string).collect::<Vec<_>>().join(", ");
        match &self.results[..] {
            [ty] => write!(f, "({}) -> {ty}", list(&self.params)),
            results => write!(f, "({}) -> ({})", list(&self.params), list(results)),
        }
    }
}

/// A closure as compiled code calls it: with the sizes of one declaration.
pub(crate) struct Bound {
    closure: Arc<Closure>,
    /// Dimensions first.
    inputs: Vec<Port>,
    outputs: Vec<Port>,
    dims: usize,
}

impl Bound {
    /// For a declaration that the closure fits.
    pub fn new(closure: Arc<Closure>, func: &Func) -> Bound {
        let (inputs, outputs) = ports(func);
        Bound { closure, inputs, outputs, dims: func.dims.len() }
    }

    /// Makes slices of the cells and calls the closure.
    ///
    /// # Safety
    /// As [`enter`].
    unsafe fn call(&self, cells: *const u64) -> Result<(), i32> {
        let count: usize = self.inputs.iter().map(|p| cells_of(p.ty)).sum::<usize>() + self.outputs.len();
        // SAFETY: there are so many cells.
        let cells = unsafe { std::slice::from_raw_parts(cells, count) };
        let (mut at, mut scalars, mut addresses) = (0, Vec::new(), Vec::new());
        for port in &self.inputs {
            match port.ty.is_array() {
                true => addresses.push(cells[at]),
                false => scalars.push(decode(port.ty, &cells[at..])),
            }
            at += cells_of(port.ty);
        }
        let dims: Vec<i64> = scalars[..self.dims].iter().map(integer).collect();
        // Sizes are made of dimensions, and of integer parameters at most.
        let number = |v: Value| {
            let before = &self.inputs[..v.0 as usize];
            integer(&scalars[before.iter().filter(|p| !p.ty.is_array()).count()])
        };
        let elements = |port: &Port| -> usize {
            let size = |d: &adc_ir::Dim| d.eval(number).and_then(|n| usize::try_from(n).ok()).unwrap_or(0);
            port.shape.iter().map(size).product()
        };
        let (mut scalar, mut address) = (scalars[self.dims..].iter(), addresses.into_iter());
        let args: Vec<Slice<'_>> = (self.inputs[self.dims..].iter())
            .map(|port| match port.ty.is_array() {
                false => Slice::from(scalar.next().expect("it was decoded above")),
                true => {
                    let at = address.next().expect("it was read above");
                    // SAFETY: compiled code passes the address of an array of the declared type and sizes, which nothing
                    // writes during the call; its truth values are 0 and 1.
                    unsafe { Slice::at(at, port.ty.scalar(), elements(port)) }
                }
            })
            .collect();
        let mut results: Vec<SliceMut<'_>> = (self.outputs.iter().zip(&cells[at..]))
            .map(|(port, at)| {
                // SAFETY: compiled code passes the address of memory for a result of the declared type and sizes, which
                // is no part of an argument or of another result; `zeroed_at` writes it before it is read.
                unsafe { SliceMut::zeroed_at(*at, port.ty.scalar(), elements(port)) }
            })
            .collect();
        (self.closure.body)(&dims, &args, &mut results)
    }
}

fn integer(c: &Const) -> i64 {
    match c {
        Const::I64(n) => *n,
        Const::Bool(_) | Const::F32(_) | Const::F64(_) | Const::C64(_) | Const::C128(_) => {
            unreachable!("sizes are integers")
        }
    }
}

/// What compiled code calls. A panic ends here: there is nothing to unwind in frames of generated code.
///
/// # Safety
/// `bound` is what the code was compiled with. At `cells` there are the cells of its dimensions and arguments and the addresses of
/// its results; each address in them is of as many elements as the declaration says, aligned.
pub(crate) unsafe extern "C" fn enter(bound: *const Bound, cells: *const u64) -> i32 {
    // SAFETY: the caller's promise; the code's memory keeps what it was compiled with.
    let bound = unsafe { &*bound };
    // The closure is not used any differently after a panic: what it shares with others is its author's business, as with
    // any panic in a thread.
    // SAFETY: the caller's promise.
    match catch_unwind(AssertUnwindSafe(|| unsafe { bound.call(cells) })) {
        Ok(Ok(())) => 0,
        // 0 would be success.
        Ok(Err(0)) => Trap::UNNAMED,
        Ok(Err(status)) => status,
        Err(payload) => {
            // It may panic itself when it is dropped.
            std::mem::forget(payload);
            Trap::PANICKED
        }
    }
}

/// The type of N real parameters, or N complex ones.
pub(crate) fn repeated<const N: usize>(ty: Scalar) -> Vec<Type> {
    vec![Type::Scalar(ty); N]
}

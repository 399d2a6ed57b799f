//! Compiled functions as values, and the memory they work in.

mod data;
mod reals;
mod registers;
mod slots;

pub use data::{Arg, Out, Slice, SliceMut};
pub(crate) use data::{Port, ports};
pub use registers::MOST_REGISTERS;
pub use slots::Slots;

use crate::cancel::Cancel;
use crate::cells::{cells_of, decode, encode};
use crate::context::{Entry, Shell};
use crate::emit::owner::CodeMemory;
use crate::lower::memory::LINE;
use adc_ir::interp::Limits;
use adc_ir::{Const, RuntimeError, Span, Trap, Type};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Memory that compiled functions work in. One is enough for any number of functions, one call at a time; it
/// grows to the largest frame it meets and is reused, so that calls allocate nothing in the steady state.
#[derive(Debug, Default)]
pub struct Workspace {
    shell: Arc<Shell>,
    frames: Vec<Line>,
    limits: Limits,
    cancel: Option<Cancel>,
    /// Cells of the call that runs.
    inputs: Vec<u64>,
    outputs: Vec<u64>,
    /// Addresses of scalar results, with their cells; before the call, arguments and lengths that are still to be checked.
    scalars: Vec<(usize, usize)>,
}

/// Memory as arrays are aligned.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug)]
struct Line([u64; 8]);

const _: () = assert!(size_of::<Line>() == LINE as usize);

impl Workspace {
    /// An empty one with the default limits.
    pub fn new() -> Workspace {
        Workspace::default()
    }

    /// An empty one whose calls may use so much.
    pub fn with_limits(limits: Limits) -> Workspace {
        Workspace { limits, ..Workspace::default() }
    }

    /// Bytes it holds: as many as the largest calls so far needed.
    pub fn bytes(&self) -> u64 {
        // SAFETY: nothing runs in the workspace meanwhile, and other threads do not touch the heap.
        let heap = unsafe { &(*self.shell.context.get()).heap };
        self.frames.len() as u64 * LINE + heap.held()
    }

    /// Iterations that the loops of the last call took.
    pub fn iterations(&self) -> u64 {
        self.limits.fuel.saturating_sub(self.shell.fuel().load(Ordering::Relaxed))
    }

    /// What a call may use.
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// Changes what calls may use.
    pub fn set_limits(&mut self, limits: Limits) {
        self.limits = limits;
    }

    /// Calls end, as for want of fuel, once this is cancelled.
    pub fn set_cancel(&mut self, cancel: Option<Cancel>) {
        if let Some(before) = &self.cancel {
            before.forget(&self.shell);
        }
        if let Some(cancel) = &cancel {
            cancel.watch(&self.shell);
        }
        self.cancel = cancel;
    }
}

/// How much code there is. Counts are the same on every machine of one kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stats {
    /// IR instructions of the function and of everything it calls.
    pub ir_ops: usize,
    /// Cranelift instructions they became.
    pub clif_insts: usize,
    /// Native functions they were cut into.
    pub native_functions: usize,
    /// Bytes of machine code and constants.
    pub code_bytes: usize,
    /// Bytes of workspace one call needs.
    pub frame_bytes: usize,
    /// Bytes of native stack one call needs, the runtime's functions not included.
    pub stack_bytes: usize,
    /// Loops, or parts of loops, that run in lanes.
    pub lane_loops: usize,
}

/// A function as native code. Cloning is cheap; the code is freed with the last clone (of any function compiled
/// together with it).
#[derive(Clone)]
pub struct Compiled {
    entry: Entry,
    /// As [`registers`] calls it.
    registers: Option<*const u8>,
    /// Whether it neither counts iterations nor takes memory, so that no call has to provide for that.
    light: bool,
    input_cells: usize,
    output_cells: usize,
    frame_lines: usize,
    has_arrays: bool,
    shared: Arc<Shared>,
}

/// The parts of a [`Compiled`] that no call needs unless it fails or has arrays.
struct Shared {
    name: String,
    span: Span,
    inputs: Vec<Port>,
    outputs: Vec<Port>,
    input_types: Vec<Type>,
    output_types: Vec<Type>,
    /// Of a function of doubles and arrays of doubles.
    reals: Option<(Vec<reals::Room>, Vec<reals::Room>)>,
    errors: Arc<Vec<RuntimeError>>,
    stats: Stats,
    /// Keeps `entry` callable.
    _code: Arc<CodeMemory>,
}

/// Where code begins.
pub(crate) struct Entries {
    pub cells: Entry,
    pub registers: Option<*const u8>,
    pub light: bool,
}

/// What is called and how.
pub(crate) struct Signature {
    pub name: String,
    pub span: Span,
    pub inputs: Vec<Port>,
    pub outputs: Vec<Port>,
}

impl Compiled {
    /// # Safety
    /// `entries.cells` must be a function of `code`, generated for this signature, that uses at most `stats.frame_bytes`
    /// of its frame and returns 0 or an index of `errors` plus one. `entries.registers` must be the like, if there is one, of doubles,
    /// at most [`MOST_REGISTERS`], which it takes as arguments behind those of an [`Entry`], and not from cells. `entries.light` must hold
    /// only if none of them uses fuel or heap of the context.
    pub(crate) unsafe fn new(
        entries: Entries,
        signature: Signature,
        errors: Arc<Vec<RuntimeError>>,
        stats: Stats,
        code: Arc<CodeMemory>,
    ) -> Compiled {
        let Signature { name, span, inputs, outputs } = signature;
        let count = |ports: &[Port]| ports.iter().map(|p| cells_of(p.ty)).sum();
        let types = |ports: &[Port]| ports.iter().map(|p| p.ty).collect();
        let (input_types, output_types) = (types(&inputs), types(&outputs));
        let Entries { cells: entry, registers, light } = entries;
        let reals = reals::rooms(&inputs).zip(reals::rooms(&outputs));
        Compiled {
            entry,
            registers,
            light,
            input_cells: count(&inputs),
            output_cells: count(&outputs),
            frame_lines: stats.frame_bytes.div_ceil(size_of::<Line>()),
            has_arrays: inputs.iter().chain(&outputs).any(|p| p.ty.is_array()),
            shared: Arc::new(Shared {
                name,
                span,
                inputs,
                outputs,
                input_types,
                output_types,
                reals,
                errors,
                stats,
                _code: code,
            }),
        }
    }

    /// The function's name in the module it was compiled from.
    pub fn name(&self) -> &str {
        &self.shared.name
    }

    /// Types of the arguments.
    pub fn inputs(&self) -> &[Type] {
        &self.shared.input_types
    }

    /// Types of the results.
    pub fn outputs(&self) -> &[Type] {
        &self.shared.output_types
    }

    /// Sizes of argument `i`; none of a scalar, `None` if they depend on other arguments.
    ///
    /// # Panics
    /// If there is no such argument.
    pub fn input_sizes(&self, i: usize) -> Option<&[usize]> {
        self.shared.inputs[i].fixed.as_ref().map(|(sizes, _)| sizes.as_slice())
    }

    /// Sizes of result `i`; none of a scalar, `None` if only the run tells them.
    ///
    /// # Panics
    /// If there is no such result.
    pub fn output_sizes(&self, i: usize) -> Option<&[usize]> {
        self.shared.outputs[i].fixed.as_ref().map(|(sizes, _)| sizes.as_slice())
    }

    /// Cells of all arguments.
    pub fn input_cells(&self) -> usize {
        self.input_cells
    }

    /// Cells of all results.
    pub fn output_cells(&self) -> usize {
        self.output_cells
    }

    /// How much code and memory it takes.
    pub fn stats(&self) -> Stats {
        self.shared.stats
    }

    /// Whether it neither counts iterations nor takes memory: then its work does not depend on arguments but for branches.
    pub fn is_light(&self) -> bool {
        self.light
    }

    /// Calls a function of scalars. Declared domains of its parameters are the caller's to check.
    ///
    /// # Panics
    /// If the arguments are not of the types [`Self::inputs`], or a result is an array: API misuse.
    pub fn call(&self, args: &[Const]) -> Result<Vec<Const>, RuntimeError> {
        let types: Vec<Type> = args.iter().map(|c| Type::Scalar(c.scalar())).collect();
        assert_eq!(types, self.inputs(), "arguments of `{}`", self.name());
        let mut inputs = Vec::with_capacity(self.input_cells);
        args.iter().for_each(|c| encode(*c, &mut inputs));
        let mut outputs = vec![0; self.output_cells];
        self.call_cells(&mut Workspace::new(), &inputs, &mut outputs)?;
        let mut at = 0;
        let result = |ty: &Type| {
            at += cells_of(*ty);
            decode(*ty, &outputs[at - cells_of(*ty)..])
        };
        Ok(self.outputs().iter().map(result).collect())
    }

    /// Calls a function of scalars on cells. Allocates only if the workspace has to grow. After an error the contents of
    /// `outputs` mean nothing.
    ///
    /// # Panics
    /// If the numbers of cells are not [`Self::input_cells`] and [`Self::output_cells`], or the function has array
    /// arguments or results: API misuse.
    #[inline]
    pub fn call_cells(
        &self,
        workspace: &mut Workspace,
        inputs: &[u64],
        outputs: &mut [u64],
    ) -> Result<(), RuntimeError> {
        assert_eq!(inputs.len(), self.input_cells, "number of argument cells");
        assert_eq!(outputs.len(), self.output_cells, "number of result cells");
        assert!(!self.has_arrays, "a function with arrays is not called on cells");
        // SAFETY: there are as many cells as the function has, and none of them is an address.
        unsafe { self.run(workspace, inputs.as_ptr(), outputs.as_mut_ptr()) }
    }

    /// Calls a function of `f64` scalars once for each row of `inputs`, which has the arguments of all calls one after the other;
    /// `outputs` takes the results likewise. The error is that of the first row that fails, with the row's number; the rows before
    /// have their results.
    ///
    /// # Panics
    /// If arguments or results are anything but `f64` scalars, or if there are not as many rows of results as of arguments: API
    /// misuse.
    pub fn call_rows(
        &self,
        workspace: &mut Workspace,
        inputs: &[f64],
        outputs: &mut [f64],
    ) -> Result<(), (usize, RuntimeError)> {
        let real = |types: &[Type]| types.iter().all(|t| *t == Type::F64);
        assert!(real(self.inputs()) && real(self.outputs()), "`{}` is no function of reals", self.name());
        // Without arguments there are as many rows as results have room for.
        let rows = inputs.len().checked_div(self.input_cells);
        let rows = rows.or(outputs.len().checked_div(self.output_cells)).unwrap_or(0);
        assert_eq!(inputs.len(), rows * self.input_cells, "numbers of all arguments");
        assert_eq!(outputs.len(), rows * self.output_cells, "numbers of all results");
        let (from, to) = (inputs.as_ptr().cast::<u64>(), outputs.as_mut_ptr().cast::<u64>());
        let place = |row: usize| {
            // SAFETY: the slices have cells for so many rows, by the assertions.
            unsafe { (from.add(row * self.input_cells), to.add(row * self.output_cells)) }
        };
        if self.light && workspace.cancel.is_none() {
            if !self.has_frame(workspace) {
                self.prepare(workspace).map_err(|e| (0, e))?;
            }
            for row in 0..rows {
                let (inputs, outputs) = place(row);
                // SAFETY: there are cells, of which one of an `f64` is the number itself, and a frame; no call needs anything else.
                let status = unsafe { self.enter(workspace, inputs, outputs) };
                if status != 0 {
                    return Err((row, self.error(status, workspace)));
                }
            }
            return Ok(());
        }
        for row in 0..rows {
            let (inputs, outputs) = place(row);
            // SAFETY: as above.
            unsafe { self.run(workspace, inputs, outputs) }.map_err(|e| (row, e))?;
        }
        Ok(())
    }

    /// Calls the function on addresses and cells.
    ///
    /// # Safety
    /// There are as many cells as the function has, those of arrays hold addresses of as many elements as the
    /// sizes say, and nobody else uses the results' meanwhile.
    #[inline]
    unsafe fn run(
        &self,
        workspace: &mut Workspace,
        inputs: *const u64,
        outputs: *mut u64,
    ) -> Result<(), RuntimeError> {
        if !self.has_frame(workspace) {
            self.prepare(workspace)?;
        }
        workspace.shell.fuel().store(workspace.limits.fuel, Ordering::Relaxed);
        if !self.light || workspace.cancel.is_some() {
            self.begin(workspace)?;
        }
        // SAFETY: the frame is there; the rest is the caller's promise.
        let status = unsafe { self.enter(workspace, inputs, outputs) };
        if workspace.cancel.is_some() {
            workspace.shell.running.store(false, Ordering::SeqCst);
        }
        if status == 0 { Ok(()) } else { Err(self.error(status, workspace)) }
    }

    /// Whether the workspace has the memory that the function needs, and may have it.
    #[inline]
    fn has_frame(&self, workspace: &Workspace) -> bool {
        let bytes = self.frame_lines as u64 * LINE;
        workspace.frames.len() >= self.frame_lines && bytes <= workspace.limits.bytes
    }

    /// Runs the code; its status.
    ///
    /// # Safety
    /// As [`Self::run`]; the workspace has a frame.
    #[inline]
    unsafe fn enter(&self, workspace: &mut Workspace, inputs: *const u64, outputs: *mut u64) -> i32 {
        let frames = workspace.frames.as_mut_ptr().cast::<u64>();
        // SAFETY: `new`'s promise: `entry` is alive (`shared` owns its code), reads the argument cells and what their
        // addresses are of, writes the result cells and what their addresses are of, and `frame_bytes` of the frame;
        // the rest is the caller's promise.
        unsafe { (self.entry)(workspace.shell.context.get(), inputs, outputs, frames) }
    }

    /// Calls a function of scalars on cells as [`Self::call_cells`] does; whether that succeeded. If not, nothing is known of `outputs`,
    /// and `call_cells` says why. Less is asked of a call that way, so it takes less time; a function with loops always fails.
    ///
    /// # Panics
    /// As [`Self::call_cells`].
    #[inline]
    pub fn try_cells(&self, workspace: &mut Workspace, inputs: &[u64], outputs: &mut [u64]) -> bool {
        let fits = inputs.len() == self.input_cells && outputs.len() == self.output_cells;
        assert!(fits && !self.has_arrays, "cells of a function of scalars");
        // SAFETY: there are as many cells as the function has, and none of them is an address.
        unsafe { self.quick(workspace, inputs.as_ptr(), outputs.as_mut_ptr()) == Some(0) }
    }

    /// The status of a call of which nothing has to be known before; `None` if that is not so, and nothing ran.
    ///
    /// # Safety
    /// As [`Self::run`].
    #[inline]
    unsafe fn quick(&self, workspace: &mut Workspace, inputs: *const u64, outputs: *mut u64) -> Option<i32> {
        if !self.light || !self.has_frame(workspace) || workspace.cancel.is_some() {
            return None;
        }
        // It takes no iterations.
        workspace.shell.fuel().store(workspace.limits.fuel, Ordering::Relaxed);
        // SAFETY: the frame is there; the rest is the caller's promise.
        Some(unsafe { self.enter(workspace, inputs, outputs) })
    }

    /// Gives the workspace as much memory as the function needs.
    #[cold]
    fn prepare(&self, workspace: &mut Workspace) -> Result<(), RuntimeError> {
        if self.frame_lines as u64 * LINE > workspace.limits.bytes {
            return Err(RuntimeError { trap: Trap::OutOfMemory, span: self.shared.span });
        }
        workspace.frames.resize(self.frame_lines, Line([0; 8]));
        Ok(())
    }

    /// Gives a run its heap, and tells those who may cancel that it begins.
    #[inline]
    fn begin(&self, workspace: &Workspace) -> Result<(), RuntimeError> {
        // SAFETY: nothing runs in the workspace yet, and other threads do not touch the heap.
        let heap = unsafe { &mut (*workspace.shell.context.get()).heap };
        heap.reset();
        heap.limit = workspace.limits.bytes - self.frame_lines as u64 * LINE;
        match &workspace.cancel {
            Some(cancel) => self.announce(workspace, cancel),
            None => Ok(()),
        }
    }

    #[cold]
    fn announce(&self, workspace: &Workspace, cancel: &Cancel) -> Result<(), RuntimeError> {
        workspace.shell.running.store(true, Ordering::SeqCst);
        // Asked behind that: whoever cancels later sees that it runs, and takes the fuel.
        if cancel.is_cancelled() {
            workspace.shell.running.store(false, Ordering::SeqCst);
            return Err(RuntimeError { trap: Trap::OutOfFuel, span: self.shared.span });
        }
        Ok(())
    }

    #[cold]
    fn error(&self, status: i32, workspace: &Workspace) -> RuntimeError {
        let mut error = self.shared.errors[status as usize - 1].clone();
        let context = workspace.shell.context.get();
        // SAFETY: the run is over, and other threads do not touch these.
        let ([a, b], extern_status) = unsafe { ((*context).numbers, (*context).extern_status) };
        match &mut error.trap {
            Trap::Extern { status, .. } => *status = extern_status,
            Trap::IndexOutOfRange { index, size } => (*index, *size) = (a, b),
            Trap::BadStep(n) | Trap::NegativeSize(n) if *n == 0 => *n = a,
            Trap::BadStep(_)
            | Trap::NegativeSize(_)
            | Trap::IntegerOverflow
            | Trap::DivisionByZero
            | Trap::BadConversion
            | Trap::Domain(_)
            | Trap::Assert(_)
            | Trap::EmptyReduction
            | Trap::Singular
            | Trap::OutOfFuel
            | Trap::OutOfMemory => {}
        }
        error
    }
}

impl fmt::Debug for Compiled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Compiled").field("name", &self.name()).field("stats", &self.stats()).finish()
    }
}

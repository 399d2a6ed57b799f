//! Compiled functions: native code behind checked, typed calls.

use crate::error::{Error, UsageError};
use crate::function::{Function, Port};
use crate::render::Diagnostics;
use adc_frontend::Program;
use adc_ir::{Const, ParamDomain, RuntimeError, Span, Trap, Type};
use adc_jit::{Externs, Stats, Workspace};
use adc_simplify::OptLevel;
use std::fmt;
use std::sync::Arc;

/// How a function is compiled.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Options {
    /// How much the program is simplified first. Never changes a verdict.
    pub opt: OptLevel,
    /// Native code for the model's extern functions.
    pub externs: Externs,
}

impl Options {
    /// These options with `externs` bound.
    ///
    /// ```
    /// unsafe extern "C" fn double(x: f64, out: *mut f64) -> i32 {
    ///     // SAFETY: adc passes a place for each result.
    ///     unsafe { *out = 2.0 * x };
    ///     0
    /// }
    /// let mut externs = adc::Externs::new();
    /// // SAFETY: the signature is that of the declaration; the function is pure and does not unwind.
    /// unsafe { externs.insert("double", double as *const ()) };
    /// let source = "extern fn double(x: f64) -> f64; fn f(x: f64) -> f64 { double(x) + 1 }";
    /// let f = adc::Model::parse("f.dsl", source)?.function("f")?;
    /// let f = f.compile(&adc::Options::default().with_externs(externs))?;
    /// assert_eq!(f.call(&[3.0.into()])?, [7.0.into()]);
    /// # Ok::<(), adc::Error>(())
    /// ```
    pub fn with_externs(mut self, externs: Externs) -> Options {
        self.externs = externs;
        self
    }

    /// These options at another optimisation level.
    pub fn with_opt(mut self, opt: OptLevel) -> Options {
        self.opt = opt;
        self
    }
}

/// Rows of a batch that are worth a thread of their own.
const BATCH_SHARE: usize = 256;

/// A compiled function. It owns its code, which is freed when the last clone goes, and can be called from
/// several threads at once.
#[derive(Clone)]
pub struct Compiled {
    program: Arc<Program>,
    code: adc_jit::Compiled,
    inputs: Arc<[Input]>,
    outputs: Arc<[Port]>,
}

impl fmt::Debug for Compiled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.code.fmt(f)
    }
}

struct Input {
    port: Port,
    domain: Option<ParamDomain>,
    span: Span,
}

impl Compiled {
    pub(crate) fn new(f: &Function, options: &Options) -> Result<Compiled, Error> {
        let mut module = (*f.module).clone();
        adc_simplify::run(&mut module, &[f.id], options.opt);
        let mut code = adc_jit::compile(&module, &[f.id], &options.externs, &adc_jit::Options::default())
            .map_err(|d| f.diagnostic(d))?;
        let ir = f.ir();
        let inputs = f.inputs().into_iter().zip(&ir.params);
        Ok(Compiled {
            program: f.program.clone(),
            code: code.pop().expect("one entry was asked for"),
            inputs: inputs.map(|(port, p)| Input { port, domain: p.domain, span: p.span }).collect(),
            outputs: f.outputs().into(),
        })
    }

    /// The inputs, in order.
    pub fn inputs(&self) -> Vec<Port> {
        self.inputs.iter().map(|i| i.port.clone()).collect()
    }

    /// The outputs, in order.
    pub fn outputs(&self) -> &[Port] {
        &self.outputs
    }

    /// Counts of the compiled code.
    pub fn stats(&self) -> Stats {
        self.code.stats()
    }

    /// Calls the function.
    ///
    /// # Errors
    /// A wrong number or type of inputs; an argument outside its declared domain and the other run-time
    /// errors of the language.
    ///
    /// ```
    /// let model = adc::Model::parse("f.dsl", "fn f(x: f64 in (0, INF)) -> f64 { log(x) }")?;
    /// let f = model.function("f")?.compile(&adc::Options::default())?;
    /// assert_eq!(f.call(&[1.0.into()])?, [0.0.into()]);
    /// assert!(matches!(f.call(&[(-1.0).into()]), Err(adc::Error::Runtime { .. })));
    /// assert!(matches!(f.call(&[]), Err(adc::Error::Usage(_))));
    /// # Ok::<(), adc::Error>(())
    /// ```
    pub fn call(&self, inputs: &[Const]) -> Result<Vec<Const>, Error> {
        self.check(inputs)?;
        self.code.call(inputs).map_err(|e| self.failed(e))
    }

    /// The hot path: a binding of the function to memory it may use, whose calls allocate nothing.
    ///
    /// ```
    /// let model = adc::Model::parse("f.dsl", "fn f(x: f64) -> f64 { x*x }")?;
    /// let f = model.function("f")?.value_and_grad(&[])?.compile(&adc::Options::default())?;
    /// let mut workspace = adc::Workspace::default();
    /// let mut bound = f.bind(&mut workspace);
    /// let mut out = [adc::Value::F64(0.0); 2];
    /// for i in 0..10 {
    ///     bound.call_into(&[f64::from(i).into()], &mut out)?;
    ///     assert_eq!(out[1], (2.0 * f64::from(i)).into());
    /// }
    /// # Ok::<(), adc::Error>(())
    /// ```
    pub fn bind<'a>(&'a self, workspace: &'a mut Workspace) -> Bound<'a> {
        let inputs = vec![0; self.code.input_cells()];
        let outputs = vec![0; self.code.output_cells()];
        Bound { compiled: self, workspace, inputs, outputs }
    }

    /// Calls the function once for each row of `inputs`, which holds the inputs of all calls one after the other,
    /// on all cores; `outputs` takes the results likewise.
    ///
    /// # Errors
    /// As [`Self::call`], that of the first row that fails; a number of values that makes no whole rows.
    ///
    /// ```
    /// let model = adc::Model::parse("f.dsl", "fn f(x: f64, y: f64) -> f64 { x*y }")?;
    /// let f = model.function("f")?.compile(&adc::Options::default())?;
    /// let mut out = [adc::Value::F64(0.0); 3];
    /// f.batch(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0].map(adc::Value::F64), &mut out)?;
    /// assert_eq!(out, [2.0, 12.0, 30.0].map(adc::Value::F64));
    /// # Ok::<(), adc::Error>(())
    /// ```
    pub fn batch(&self, inputs: &[Const], outputs: &mut [Const]) -> Result<(), Error> {
        let (n, m) = (self.inputs.len(), self.outputs.len());
        // A function without inputs has as many rows as there is room for outputs.
        let rows = inputs.len().checked_div(n).or(outputs.len().checked_div(m)).unwrap_or(0);
        for (width, found) in [(n, inputs.len()), (m, outputs.len())] {
            if width * rows != found {
                return Err(UsageError::Arity { expected: width * rows, found }.into());
            }
        }
        let threads =
            std::thread::available_parallelism().map_or(1, |n| n.get()).min(rows / BATCH_SHARE).max(1);
        let share = rows.div_ceil(threads);
        let run = |first: usize, outputs: &mut [Const]| {
            let mut workspace = Workspace::default();
            let mut bound = self.bind(&mut workspace);
            let count = outputs.len().checked_div(m).unwrap_or(share.min(rows - first));
            (0..count).try_for_each(|i| {
                let row = first + i;
                bound.call_into(&inputs[row * n..(row + 1) * n], &mut outputs[i * m..(i + 1) * m])
            })
        };
        if threads == 1 {
            return run(0, outputs);
        }
        std::thread::scope(|scope| {
            let run = &run;
            let mut rest = outputs;
            let mut parts = Vec::new();
            for first in (0..rows).step_by(share) {
                let (part, others) = rest.split_at_mut((share * m).min(rest.len()));
                rest = others;
                parts.push(scope.spawn(move || run(first, part)));
            }
            // In order, so that the first row's error is the one reported.
            parts
                .into_iter()
                .try_for_each(|p| p.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
        })
    }

    fn check(&self, inputs: &[Const]) -> Result<(), Error> {
        let expected = self.inputs.iter().map(|i| (i.port.name.as_str(), i.port.ty, i.domain, i.span));
        checked(expected, inputs)?.map_or(Ok(()), |e| Err(self.failed(e)))
    }

    fn failed(&self, error: RuntimeError) -> Error {
        let diagnostics = Diagnostics::new(&self.program.files, error.diagnostic());
        Error::Runtime { error, diagnostics }
    }
}

/// As [`Compiled::call`] checks its arguments, for a function that is not compiled.
pub(crate) fn check_inputs(f: &Function, inputs: &[Const]) -> Result<(), Error> {
    let ir = f.ir();
    let expected = ir.params.iter().map(|p| (p.name.as_str(), ir.ty(p.value), p.domain, p.span));
    checked(expected, inputs)?.map_or(Ok(()), |e| Err(f.failed(e)))
}

/// The first argument outside its declared domain; an error if number or types are wrong.
fn checked<'a>(
    expected: impl ExactSizeIterator<Item = (&'a str, Type, Option<ParamDomain>, Span)>,
    inputs: &[Const],
) -> Result<Option<RuntimeError>, UsageError> {
    if inputs.len() != expected.len() {
        return Err(UsageError::Arity { expected: expected.len(), found: inputs.len() });
    }
    for (value, (name, ty, domain, span)) in inputs.iter().zip(expected) {
        let found = Type::Scalar(value.scalar());
        if found != ty {
            return Err(UsageError::ValueType { name: name.to_string(), expected: ty, found });
        }
        if let Some(domain) = domain
            && !domain.contains(value.to_c128())
        {
            return Ok(Some(RuntimeError {
                trap: Trap::Domain(format!("`{name}` must lie in {domain}")),
                span,
            }));
        }
    }
    Ok(None)
}

/// A compiled function bound to a workspace.
#[derive(Debug)]
pub struct Bound<'a> {
    compiled: &'a Compiled,
    workspace: &'a mut Workspace,
    inputs: Vec<u64>,
    outputs: Vec<u64>,
}

impl Bound<'_> {
    /// Calls the function; `outputs` takes the results. Allocates nothing unless the call fails.
    ///
    /// # Errors
    /// As [`Compiled::call`].
    pub fn call_into(&mut self, inputs: &[Const], outputs: &mut [Const]) -> Result<(), Error> {
        let taken = self.take_reals(inputs);
        if !taken {
            self.compiled.check(inputs)?;
        }
        if outputs.len() != self.compiled.outputs.len() {
            let (expected, found) = (self.compiled.outputs.len(), outputs.len());
            return Err(UsageError::Arity { expected, found }.into());
        }
        if !taken {
            self.inputs.clear();
            inputs.iter().for_each(|c| adc_jit::encode(*c, &mut self.inputs));
        }
        self.compiled
            .code
            .call_cells(self.workspace, &self.inputs, &mut self.outputs)
            .map_err(|e| self.compiled.failed(e))?;
        let mut at = 0;
        for (out, port) in outputs.iter_mut().zip(self.compiled.outputs.iter()) {
            *out = adc_jit::decode(port.ty, &self.outputs[at..]);
            at += adc_jit::cells_of(port.ty);
        }
        Ok(())
    }

    /// Takes the inputs in one pass if all are double-precision numbers inside their domains; otherwise says that it
    /// did not, and the general way finds out why.
    fn take_reals(&mut self, inputs: &[Const]) -> bool {
        let expected = &*self.compiled.inputs;
        if inputs.len() != expected.len() || inputs.len() != self.inputs.len() {
            return false;
        }
        inputs.iter().zip(expected).zip(&mut self.inputs).all(|((value, input), cell)| match value {
            Const::F64(x)
                if input.port.ty == Type::F64 && input.domain.is_none_or(|d| d.contains((*x).into())) =>
            {
                *cell = x.to_bits();
                true
            }
            _ => false,
        })
    }
}

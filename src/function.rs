//! Functions of a model and the derivative programs made from them.

use crate::compiled::{Compiled, Options};
use crate::convention::Convention;
use crate::error::{Error, UsageError};
use crate::linearize::Linearization;
use crate::port::{Port, ports, position};
use crate::render::Diagnostics;
use crate::value::Value;
use crate::wrt::Wrt;
use adc_ad::{Policy, expand_for};
use adc_frontend::{Program, SourceFile};
use adc_ir::interp::{Interp, Limits, Val};
use adc_ir::specialise::specialise;
use adc_ir::{Builder, Code, Datum, Diagnostic, FuncId, Module, Op, RuntimeError, Span, Trap};
use adc_jit::{Cancel, RuntimeMath};
use std::fmt;
use std::sync::Arc;

/// A function: of the model, or a derivative program made from one. Immutable and cheap to clone.
#[derive(Clone)]
pub struct Function {
    pub(crate) program: Arc<Program>,
    pub(crate) module: Arc<Module>,
    pub(crate) id: FuncId,
    pub(crate) convention: Convention,
    name: Arc<str>,
    ports: Arc<Ports>,
    /// What it was made from, for dimensions that become known later.
    origin: (Arc<Module>, FuncId),
    /// How it was made from that.
    steps: Vec<Step>,
    /// The dimensions that were given, by position.
    given: Vec<Option<i64>>,
    /// How the steps store what they need.
    policy: Policy,
}

/// What it takes and gives.
struct Ports {
    inputs: Vec<Port>,
    outputs: Vec<Port>,
}

impl Ports {
    fn of(f: &adc_ir::Func) -> Arc<Ports> {
        let (inputs, outputs) = ports(f);
        Arc::new(Ports { inputs, outputs })
    }
}

/// A pass that makes a program from a function.
type Step = Arc<dyn Fn(&mut Module, FuncId, Policy) -> Result<FuncId, Diagnostic> + Send + Sync>;

impl fmt::Debug for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Function").field("name", &self.name()).field("given", &self.given).finish()
    }
}

impl Function {
    pub(crate) fn new(program: Arc<Program>, module: Arc<Module>, id: FuncId) -> Function {
        let given = vec![None; module.func(id).dims.len()];
        let (origin, steps, convention) = ((module.clone(), id), Vec::new(), Convention::default());
        let (name, ports) = (plain(&module.func(id).name), Ports::of(module.func(id)));
        let policy = Policy::default();
        Function { program, module, id, convention, name, ports, origin, steps, given, policy }
    }

    /// The function with another program.
    fn with_program(&self, module: Arc<Module>, id: FuncId) -> Function {
        let (name, ports) = (plain(&module.func(id).name), Ports::of(module.func(id)));
        Function { module, id, name, ports, ..self.clone() }
    }

    /// The name: as in the source, with a suffix for derivative programs (`loss.vjp`).
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The dimensions, in order, with their numbers where [`Self::with_dims`] gave some. None are left when all are given.
    pub fn dims(&self) -> Vec<(String, Option<i64>)> {
        // A quotient of other dimensions follows from them.
        let own = self.ir().dims.iter().zip(&self.given).filter(|(d, _)| d.quotient.is_none());
        own.map(|(d, n)| (d.name.clone(), *n)).collect()
    }

    /// The function for these numbers in place of dimensions; the others follow from the arguments of a call.
    ///
    /// # Errors
    /// Unknown names; arrays that are too large with these numbers.
    ///
    /// ```
    /// let model = adc::Model::parse("f.dsl", "fn f[N](k: f64) -> f64 { k*f64(N) }")?;
    /// let f = model.function("f")?.with_dims([("N", 40)])?.compile(&adc::Options::default())?;
    /// assert_eq!(f.call(&[0.5.into()])?, [20.0.into()]);
    /// # Ok::<(), adc::Error>(())
    /// ```
    pub fn with_dims<'n>(&self, dims: impl IntoIterator<Item = (&'n str, i64)>) -> Result<Function, Error> {
        let mut given = self.given.clone();
        for (name, n) in dims {
            let known = &self.ir().dims;
            let own = |d: &adc_ir::DimParam| d.name == name && d.quotient.is_none();
            let Some(i) = known.iter().position(own) else {
                return Err(UsageError::UnknownDimension {
                    function: self.name().to_string(),
                    name: name.to_string(),
                    known: self.dims().into_iter().map(|(name, _)| name).collect(),
                }
                .into());
            };
            given[i] = Some(n);
        }
        // Without arguments: complete if every dimension was given, or is a quotient of such.
        match adc_ir::bind_sizes(self.ir(), &given, &[], |_| None) {
            Ok(dims) if !dims.is_empty() => self.at_dims(&dims),
            _ => Ok(Function { given, ..self.clone() }),
        }
    }

    /// The function for these dimensions.
    pub(crate) fn at_dims(&self, dims: &[i64]) -> Result<Function, Error> {
        self.made(dims, Policy::default())
    }

    /// The function for these dimensions in the variant that needs the least memory, if it is a derivative.
    pub(crate) fn small(&self, dims: &[i64]) -> Option<Result<Function, Error>> {
        (!self.steps.is_empty()).then(|| self.made(dims, Policy::SMALL))
    }

    /// Makes the function again from its origin.
    fn made(&self, dims: &[i64], policy: Policy) -> Result<Function, Error> {
        let mut module = (*self.origin.0).clone();
        let refused = |d| self.diagnostic(d);
        let mut id = specialise(&mut module, self.origin.1, dims).map_err(refused)?;
        let mut origin = None;
        if !self.steps.is_empty() {
            expand_for(&mut module, id).map_err(refused)?;
            origin = Some((Arc::new(module.clone()), id));
        }
        for step in &self.steps {
            id = step(&mut module, id, policy).map_err(refused)?;
        }
        let module = Arc::new(module);
        let origin = origin.unwrap_or_else(|| (module.clone(), id));
        Ok(Function { origin, given: Vec::new(), policy, ..self.with_program(module, id) })
    }

    /// The dimensions given so far, by position.
    pub(crate) fn given(&self) -> &[Option<i64>] {
        &self.given
    }

    /// The inputs, in order.
    pub fn inputs(&self) -> &[Port] {
        &self.ports.inputs
    }

    /// The outputs, in order.
    pub fn outputs(&self) -> &[Port] {
        &self.ports.outputs
    }

    /// What the `///` lines above it say.
    ///
    /// ```
    /// let model = adc::Model::parse("f.dsl", "/// Area of a circle.\nfn f(r: f64) -> f64 { PI*r^2 }")?;
    /// assert_eq!(model.function("f")?.doc(), "Area of a circle.");
    /// # Ok::<(), adc::Error>(())
    /// ```
    pub fn doc(&self) -> String {
        let span = self.ir().span;
        let Some(file) = self.files().get(span.file.0 as usize) else { return String::new() };
        let before = file.text.get(..span.start as usize).unwrap_or_default();
        // Attributes stand between the two.
        let lines = before.lines().rev().skip_while(|l| !l.trim_start().starts_with("///"));
        let between = before.lines().rev().take_while(|l| !l.trim_start().starts_with("///"));
        let attributes = |l: &str| l.trim().is_empty() || l.trim_start().starts_with('#');
        if !between.clone().all(attributes) {
            return String::new();
        }
        let docs = lines.map_while(|l| l.trim_start().strip_prefix("///"));
        let mut docs: Vec<&str> = docs.map(|l| l.strip_prefix(' ').unwrap_or(l)).collect();
        docs.reverse();
        docs.join("\n").trim().to_string()
    }

    /// The function's IR.
    pub fn ir(&self) -> &adc_ir::Func {
        self.module.func(self.id)
    }

    /// The module the IR lives in.
    pub fn module(&self) -> &Module {
        &self.module
    }

    /// Derivative programs made from here on use this convention for complex cotangents.
    ///
    /// ```
    /// let model = adc::Model::parse("f.dsl", "fn f(z: c128) -> f64 { abs2(z) }")?;
    /// let f = model.function("f")?.with_convention(adc::Convention::Jax).grad(adc::Wrt::All)?.compile(&adc::Options::default())?;
    /// let z = adc::C128::new(3.0, 4.0);
    /// assert_eq!(f.call(&[z.into()])?, [(2.0 * z).conj().into()]);
    /// # Ok::<(), adc::Error>(())
    /// ```
    pub fn with_convention(mut self, convention: Convention) -> Function {
        self.convention = convention;
        self
    }

    /// The reverse-mode program: inputs of the function, then a cotangent for each differentiable result;
    /// outputs of the function, then a cotangent for each of `wrt`. [`Self::with_outputs`] comes before it where
    /// only some results are to be differentiated.
    ///
    /// # Errors
    /// Unknown names, or none; discrete parameters; extern functions without a rule.
    ///
    /// ```
    /// let model = adc::Model::parse("f.dsl", "fn f(x: f64, y: f64) -> f64 { x * sin(y) }")?;
    /// let vjp = model.function("f")?.vjp("x")?.compile(&adc::Options::default())?;
    /// let out = vjp.call(&[1.5.into(), 0.25.into(), 1.0.into()])?;
    /// assert_eq!(out, [(1.5 * 0.25f64.sin()).into(), 0.25f64.sin().into()]);
    /// # Ok::<(), adc::Error>(())
    /// ```
    pub fn vjp(&self, wrt: impl Into<Wrt>) -> Result<Function, Error> {
        self.vjp_of(&wrt.into(), self.ir().differentiable_results())
    }

    /// [`Self::vjp`] with cotangents for these results only, by position.
    pub(crate) fn vjp_of(&self, wrt: &Wrt, outputs: Vec<usize>) -> Result<Function, Error> {
        let wrt = self.params(wrt)?;
        let (inputs, results) = (self.ir().params.len(), self.ir().results.len());
        let (given, active) = (outputs.len(), wrt.len());
        let derived =
            self.derive(move |m, f, policy| adc_ad::vjp_with(m, f, &wrt, &outputs, true, policy))?;
        derived.conjugated(inputs..inputs + given, results..results + active)
    }

    /// The forward-mode program: inputs of the function, then a tangent for each of `wrt`; outputs of the
    /// function, then a tangent for each differentiable result.
    ///
    /// # Errors
    /// As [`Self::vjp`].
    ///
    /// ```
    /// let model = adc::Model::parse("f.dsl", "fn f(x: f64, y: f64) -> f64 { x*y }")?;
    /// let jvp = model.function("f")?.jvp(adc::Wrt::All)?.compile(&adc::Options::default())?;
    /// let out = jvp.call(&[2.0, 3.0, 1.0, 10.0].map(adc::Value::F64))?;
    /// assert_eq!(out, [6.0, 23.0].map(adc::Value::F64));
    /// # Ok::<(), adc::Error>(())
    /// ```
    pub fn jvp(&self, wrt: impl Into<Wrt>) -> Result<Function, Error> {
        let wrt = self.params(&wrt.into())?;
        self.derive(move |m, f, _| adc_ad::jvp(m, f, &wrt))
    }

    /// The gradient of the single real result, one output for each of `wrt`.
    ///
    /// # Errors
    /// As [`Self::vjp`], and if there is not exactly one real result.
    ///
    /// ```
    /// let model = adc::Model::parse("f.dsl", "fn f(x: f64, y: f64) -> f64 { x^2*y }")?;
    /// let grad = model.function("f")?.grad("y")?.compile(&adc::Options::default())?;
    /// assert_eq!(grad.call(&[3.0.into(), 2.0.into()])?, [9.0.into()]);
    /// # Ok::<(), adc::Error>(())
    /// ```
    pub fn grad(&self, wrt: impl Into<Wrt>) -> Result<Function, Error> {
        let (wrt, output) = (self.params(&wrt.into())?, self.single_result()?);
        let n = wrt.len();
        self.derive(move |m, f, policy| adc_ad::grad_with(m, f, &wrt, output, false, policy))?
            .conjugated(0..0, 0..n)
    }

    /// The outputs of the function, then the gradient of its single real result.
    ///
    /// # Errors
    /// As [`Self::grad`].
    ///
    /// ```
    /// let model = adc::Model::parse("f.dsl", "fn f(z: c128) -> f64 { abs2(z) }")?;
    /// let f = model.function("f")?.value_and_grad(adc::Wrt::All)?.compile(&adc::Options::default())?;
    /// let z = adc::C128::new(3.0, 4.0);
    /// assert_eq!(f.call(&[z.into()])?, [25.0.into(), adc::C128::new(6.0, 8.0).into()]);
    /// # Ok::<(), adc::Error>(())
    /// ```
    pub fn value_and_grad(&self, wrt: impl Into<Wrt>) -> Result<Function, Error> {
        let (wrt, output) = (self.params(&wrt.into())?, self.single_result()?);
        let (n, active) = (self.ir().results.len(), wrt.len());
        let derived = self.derive(move |m, f, policy| adc_ad::grad_with(m, f, &wrt, output, true, policy))?;
        derived.conjugated(0..0, n..n + active)
    }

    /// The derivative of the gradient along a direction: inputs of the function, then a direction for each of
    /// `wrt`; one output for each of `wrt`.
    ///
    /// # Errors
    /// As [`Self::grad`].
    ///
    /// ```
    /// let model = adc::Model::parse("f.dsl", "fn f(x: f64, y: f64) -> f64 { x^2*y }")?;
    /// let hvp = model.function("f")?.hvp(adc::Wrt::All)?.compile(&adc::Options::default())?;
    /// let out = hvp.call(&[3.0, 2.0, 1.0, 0.0].map(adc::Value::F64))?;
    /// assert_eq!(out, [4.0, 6.0].map(adc::Value::F64));
    /// # Ok::<(), adc::Error>(())
    /// ```
    pub fn hvp(&self, wrt: impl Into<Wrt>) -> Result<Function, Error> {
        let (wrt, output) = (self.params(&wrt.into())?, self.single_result()?);
        let n = wrt.len();
        self.derive(move |m, f, _| adc_ad::hvp(m, f, &wrt, output))?.conjugated(0..0, 0..n)
    }

    /// The outputs of the function, then for each differentiable result and each of `wrt` ∂f/∂x (real
    /// parameter) or W = ∂f/∂z and CW = ∂f/∂z* (complex parameter).
    ///
    /// # Errors
    /// As [`Self::vjp`].
    ///
    /// ```
    /// let model = adc::Model::parse("f.dsl", "fn f(z: c128, a: f64) -> c128 { a*conj(z) }")?;
    /// let jacobian = model.function("f")?.jacobian(adc::Wrt::All)?.compile(&adc::Options::default())?;
    /// let out = jacobian.call(&[adc::C128::new(1.0, 2.0).into(), 3.0.into()])?;
    /// let c = |re: f64, im: f64| adc::Value::C128(adc::C128::new(re, im));
    /// // The value, W and CW along z, the derivative along a.
    /// assert_eq!(out, [c(3.0, -6.0), c(0.0, 0.0), c(3.0, 0.0), c(1.0, -2.0)]);
    /// # Ok::<(), adc::Error>(())
    /// ```
    pub fn jacobian(&self, wrt: impl Into<Wrt>) -> Result<Function, Error> {
        let (wrt, outputs) = (self.params(&wrt.into())?, self.ir().differentiable_results());
        self.derive(move |m, f, _| adc_ad::jacobian(m, f, &wrt, &outputs))
    }

    /// The outputs of the function, then the second derivatives of its single real result, row by row.
    ///
    /// # Errors
    /// As [`Self::grad`]; complex parameters have no Hessian, only [`Self::hvp`].
    ///
    /// ```
    /// let model = adc::Model::parse("f.dsl", "fn f(x: f64, y: f64) -> f64 { x^2*y }")?;
    /// let hessian = model.function("f")?.hessian(adc::Wrt::All)?.compile(&adc::Options::default())?;
    /// let out = hessian.call(&[3.0.into(), 2.0.into()])?;
    /// assert_eq!(out, [18.0, 4.0, 6.0, 6.0, 0.0].map(adc::Value::F64));
    /// # Ok::<(), adc::Error>(())
    /// ```
    pub fn hessian(&self, wrt: impl Into<Wrt>) -> Result<Function, Error> {
        let (wrt, output) = (self.params(&wrt.into())?, self.single_result()?);
        self.derive(move |m, f, _| adc_ad::hessian(m, f, &wrt, output))
    }

    /// Simplifies and compiles the function to native code.
    ///
    /// # Errors
    /// Extern functions that `options` does not bind, or binds to functions of other types than are declared.
    ///
    /// ```
    /// let model = adc::Model::parse("f.dsl", "fn f(x: f64) -> f64 { x + 1 }")?;
    /// let f = model.function("f")?.compile(&adc::Options::default().with_opt(adc::OptLevel::O1))?;
    /// assert_eq!(f.call(&[2.0.into()])?, [3.0.into()]);
    /// # Ok::<(), adc::Error>(())
    /// ```
    pub fn compile(&self, options: &Options) -> Result<Compiled, Error> {
        Compiled::new(self, options)
    }

    /// Evaluates the function at `inputs` and keeps what its derivatives need: the linearisation can be applied any
    /// number of times, from any thread. Compiles its programs; [`Linearization::at`] uses them at other points.
    ///
    /// # Errors
    /// As [`Self::vjp`] and [`Compiled::call`].
    ///
    /// ```
    /// let model = adc::Model::parse("f.dsl", "fn f(x: f64) -> f64 { exp(2*x) }")?;
    /// let (y, linear) = model.function("f")?.linearize(&[0.0.into()])?;
    /// assert_eq!(y, [1.0.into()]);
    /// assert_eq!(linear.vjp(&[3.0.into()])?, [6.0.into()]);
    /// assert_eq!(linear.jvp(&[0.5.into()])?, [1.0.into()]);
    /// # Ok::<(), adc::Error>(())
    /// ```
    pub fn linearize(&self, inputs: &[Value]) -> Result<(Vec<Value<'static>>, Linearization), Error> {
        self.linearize_with(&Options::default(), inputs)
    }

    /// As [`Self::linearize`], with compile options (for models with extern functions).
    ///
    /// # Errors
    /// As [`Self::linearize`].
    pub fn linearize_with(
        &self,
        options: &Options,
        inputs: &[Value],
    ) -> Result<(Vec<Value<'static>>, Linearization), Error> {
        self.linearize_until(options, inputs, None)
    }

    /// As [`Self::linearize_with`], until it is cancelled.
    ///
    /// # Errors
    /// As [`Self::linearize`].
    pub fn linearize_until(
        &self,
        options: &Options,
        inputs: &[Value],
        cancel: Option<&Cancel>,
    ) -> Result<(Vec<Value<'static>>, Linearization), Error> {
        Linearization::new(self, inputs, options, cancel)
    }

    /// Evaluates the program that [`Self::compile`] compiles with these options in the reference interpreter. At
    /// [`adc_simplify::OptLevel::O0`] that is what the function means.
    ///
    /// # Errors
    /// As [`Compiled::call`].
    ///
    /// ```
    /// let model = adc::Model::parse("f.dsl", "fn f(x: f64) -> f64 { exp(sin(x)) }")?;
    /// let (f, options) = (model.function("f")?, adc::Options::default());
    /// // The interpreter and compiled code agree to the bit.
    /// assert_eq!(f.interpret(&options, &[0.3.into()])?, f.compile(&options)?.call(&[0.3.into()])?);
    /// # Ok::<(), adc::Error>(())
    /// ```
    pub fn interpret(&self, options: &Options, inputs: &[Value]) -> Result<Vec<Value<'static>>, Error> {
        let dims = crate::call::check_inputs(self, inputs)?;
        if !dims.is_empty() {
            return self.at_dims(&dims)?.interpret(options, inputs);
        }
        let (module, id) = self.simplified(options)?;
        let externs = options.externs.bind(&module, &[id]).map_err(|d| self.diagnostic(d))?;
        let mut interp = Interp::new(&module, &RuntimeMath, &externs);
        interp.limits = options.limits;
        let args: Vec<Val<f64>> = inputs.iter().map(|v| v.to_datum().to_val()).collect();
        let values = interp.call(id, &args);
        let values = values.map_err(|e| self.failed_within(e, &options.limits, None))?;
        let results = values.iter().zip(&self.ir().results);
        Ok(results.map(|(v, r)| Datum::from_val(v, r.ty.scalar()).into()).collect())
    }

    /// The first operation of a run that gives NaN or an infinity although all its operands are finite, as a message;
    /// `None` if there is none. The interpreter finds it, which runs the iterations of loops in order.
    ///
    /// # Errors
    /// As [`Self::interpret`], if the run ends before there is one.
    ///
    /// ```
    /// let model = adc::Model::parse("f.dsl", "fn f(x: f64) -> f64 { 1/(1 + exp(-x)) }")?;
    /// let f = model.function("f")?;
    /// let options = adc::Options::default();
    /// assert!(f.first_nonfinite(&options, &[1.0.into()])?.is_none());
    /// let found = f.first_nonfinite(&options, &[(-800.0).into()])?.expect("e^800 overflows");
    /// assert!(found.to_string().contains("exp(800) = inf"));
    /// # Ok::<(), adc::Error>(())
    /// ```
    pub fn first_nonfinite(&self, options: &Options, inputs: &[Value]) -> Result<Option<Diagnostics>, Error> {
        let dims = crate::call::check_inputs(self, inputs)?;
        if !dims.is_empty() {
            return self.at_dims(&dims)?.first_nonfinite(options, inputs);
        }
        let module = self.expanded()?;
        let externs = options.externs.bind(&module, &[self.id]).map_err(|d| self.diagnostic(d))?;
        let inputs: Vec<Datum> = inputs.iter().map(Value::to_datum).collect();
        let found = adc_checker::first_nonfinite(&module, &externs, self.id, &inputs, options.limits);
        let found = found.map_err(|e| self.failed_within(e, &options.limits, None))?;
        Ok(found.map(|b| Diagnostics::new(self.files(), adc_checker::nonfinite_diagnostic(&b))))
    }

    /// The function with these results only, in this order: for operators that want a single one, or where the others are not to
    /// be differentiated.
    ///
    /// # Errors
    /// If there is no result of such a name, or one is named twice.
    ///
    /// ```
    /// let model = adc::Model::parse("f.dsl", "fn f(x: f64) -> (p: f64, q: f64) { (x^2, x^3) }")?;
    /// let f = model.function("f")?;
    /// let grad = f.with_outputs(["q"])?.grad(adc::Wrt::All)?.compile(&adc::Options::default())?;
    /// assert_eq!(grad.call(&[2.0.into()])?, [12.0.into()]);
    /// let swapped = f.with_outputs(["q", "p"])?.compile(&adc::Options::default())?;
    /// assert_eq!(swapped.call(&[2.0.into()])?, [8.0.into(), 4.0.into()]);
    /// # Ok::<(), adc::Error>(())
    /// ```
    pub fn with_outputs<'n>(&self, names: impl IntoIterator<Item = &'n str>) -> Result<Function, Error> {
        let names: Vec<&str> = names.into_iter().collect();
        let keep = names.iter().map(|name| self.result(name)).collect::<Result<Vec<_>, _>>()?;
        if let Some(k) = (1..keep.len()).find(|&k| keep[..k].contains(&keep[k])) {
            return Err(UsageError::Twice(names[k].into()).into());
        }
        let (path, names) = (names.join("."), names.into_iter().map(String::from).collect::<Vec<_>>());
        self.derive(move |module, f, _| {
            let inner = module.func(f).clone();
            let (mut b, params) = Builder::like(&inner, module.fresh_name(&format!("{}.{path}", inner.name)));
            let values = b.call_of(module, f, &params);
            let results = names.iter().cloned().zip(keep.iter().map(|k| values[*k]));
            Ok(module.add(b.finish(results.collect())))
        })
    }

    /// The function of a block of rows: if this one is a sum over the rows of `rows`, plus what depends on no row, its values and
    /// gradients over all blocks add up to this one's. It has two more parameters: `rows_total`, the number of rows in all, and
    /// `rows_first`, which is true for exactly one block.
    ///
    /// # Errors
    /// Unknown names; a function that is no such sum, with the place that stands in the way.
    ///
    /// ```
    /// let source = "fn f[N](x: f64[N], a: f64) -> f64 { sum((x[i] - a)^2 for i)/f64(N) + a^2 }";
    /// let f = adc::Model::parse("f.dsl", source)?.function("f")?;
    /// let block = f.by_rows(["x"])?.value_and_grad("a")?.compile(&adc::Options::default())?;
    /// let first = block.call(&[vec![1.0, 2.0].into(), 0.5.into(), 3.into(), true.into()])?;
    /// let second = block.call(&[vec![4.0].into(), 0.5.into(), 3.into(), false.into()])?;
    /// assert_eq!((&first[0], &second[0]), (&(2.5/3.0 + 0.25).into(), &(12.25/3.0).into()));
    /// assert!(adc::Model::parse("g.dsl", "fn g[N](x: f64[N]) -> f64 { max(x) }")?.function("g")?.by_rows(["x"]).is_err());
    /// # Ok::<(), adc::Error>(())
    /// ```
    pub fn by_rows<'n>(&self, rows: impl IntoIterator<Item = &'n str>) -> Result<Function, Error> {
        let rows = rows.into_iter().map(|name| self.param(name)).collect::<Result<Vec<_>, _>>()?;
        let mut module = self.expanded()?;
        adc_simplify::inline(&mut module, usize::MAX);
        let mut block = adc_ir::rows::by_rows(module.func(self.id), &rows).map_err(|d| self.diagnostic(d))?;
        block.name = module.fresh_name(&format!("{}.rows", block.name));
        let id = module.add(block);
        let given = [&self.given[..], &[]].concat();
        Ok(Function { given, ..self.with_module(module, id) })
    }

    /// Positions of the parameters.
    pub(crate) fn params(&self, wrt: &Wrt) -> Result<Vec<usize>, UsageError> {
        let names = match wrt {
            Wrt::All => return Ok(self.ir().differentiable_params()),
            Wrt::Names(names) => names,
        };
        if names.is_empty() {
            return Err(UsageError::NoParameter(self.name().to_string()));
        }
        names.iter().map(|name| self.param(name)).collect()
    }

    /// Position of a parameter.
    pub(crate) fn param(&self, name: &str) -> Result<usize, UsageError> {
        position(self.inputs(), name).ok_or_else(|| UsageError::UnknownParameter {
            function: self.name().to_string(),
            name: name.to_string(),
            known: self.inputs().iter().map(|p| p.name.clone()).collect(),
        })
    }

    /// Position of a result.
    pub(crate) fn result(&self, name: &str) -> Result<usize, UsageError> {
        position(self.outputs(), name).ok_or_else(|| UsageError::UnknownResult {
            function: self.name().to_string(),
            name: name.to_string(),
            known: self.outputs().iter().map(|p| p.name.clone()).collect(),
        })
    }

    /// The part of the source that a message marks: from `fn` to the last parameter.
    pub(crate) fn header(&self) -> Span {
        let f = self.ir();
        match f.params.last() {
            Some(last) if last.span.file == f.span.file && last.span.end > f.span.start => {
                Span { end: last.span.end, ..f.span }
            }
            _ => f.span,
        }
    }

    pub(crate) fn files(&self) -> &[SourceFile] {
        &self.program.files
    }

    pub(crate) fn diagnostic(&self, d: Diagnostic) -> Error {
        Error::Diagnostics(Diagnostics::new(self.files(), d))
    }

    pub(crate) fn failed(&self, error: RuntimeError) -> Error {
        let diagnostics = Diagnostics::new(self.files(), error.diagnostic());
        Error::Runtime { error, diagnostics }
    }

    /// As [`Self::failed`], of a run within `limits`; `need` is how many bytes it needs, if that is known.
    pub(crate) fn failed_within(&self, error: RuntimeError, limits: &Limits, need: Option<u64>) -> Error {
        let help = match &error.trap {
            Trap::OutOfFuel => format!(
                "the loop may never end; if it does end, raise the limit, {} iterations, with --fuel (`Options::with_fuel`)",
                limits.fuel
            ),
            Trap::OutOfMemory => {
                let needs = need.map(|n| format!(", this call needs {}", bytes(n))).unwrap_or_default();
                format!(
                    "the limit is {}{needs}: raise it with --memory-limit (`Options::with_memory_limit`)",
                    bytes(limits.bytes)
                )
            }
            _ => return self.failed(error),
        };
        let mut d = error.diagnostic();
        d.help = vec![help];
        Error::Runtime { error, diagnostics: Diagnostics::new(self.files(), d) }
    }

    /// The function with another module as its origin.
    pub(crate) fn with_module(&self, module: Module, id: FuncId) -> Function {
        let module = Arc::new(module);
        Function { origin: (module.clone(), id), steps: Vec::new(), ..self.with_program(module, id) }
    }

    /// The function with its module, ready to be compiled with these options. Their level says whether a derivative is that of the
    /// simplified function ([`adc_simplify::OptLevel::prepares`]).
    pub(crate) fn at_level(&self, options: &Options) -> Result<(Module, FuncId), Error> {
        let (origin, mut id) = (&self.origin.0, self.origin.1);
        let refused = |d| self.diagnostic(d);
        let mut module;
        let limit = |m: &mut Module| options.fp.into_iter().for_each(|mode| m.limit_fp(mode));
        if !options.opt.prepares() || self.steps.is_empty() {
            (module, id) = (self.expanded()?, self.id);
            limit(&mut module);
        } else {
            module = (**origin).clone();
            expand_for(&mut module, id).map_err(refused)?;
            limit(&mut module);
            adc_simplify::prepare(&mut module, &[id]);
            for step in &self.steps {
                id = step(&mut module, id, self.policy).map_err(refused)?;
            }
        }
        if module.func(id).dims.is_empty() {
            // The functions that it calls may have dimensions, for which it gives numbers.
            id = specialise(&mut module, id, &[]).map_err(refused)?;
        }
        Ok((module, id))
    }

    /// The program that is compiled with these options.
    pub(crate) fn simplified(&self, options: &Options) -> Result<(Module, FuncId), Error> {
        let (mut module, id) = self.at_level(options)?;
        adc_simplify::run(&mut module, &[id], options.opt);
        Ok((module, id))
    }

    /// The module of the function, ready for passes that do not know derivative operators.
    pub(crate) fn expanded(&self) -> Result<Module, Error> {
        let mut module = (*self.module).clone();
        expand_for(&mut module, self.id).map_err(|d| self.diagnostic(d))?;
        Ok(module)
    }

    /// Refuses a function that calls extern functions which `options` do not bind, or bind to others than are declared. What the
    /// optimiser removes needs none.
    pub(crate) fn check_externs(&self, options: &Options) -> Result<(), Error> {
        let bound = |module: &Module, id: FuncId| options.externs.check(module, &module.reachable(id));
        // What cannot be made for dimensions without numbers is looked at when they are known.
        match self.expanded() {
            Ok(module) if bound(&module, self.id).is_err() => {}
            Ok(_) | Err(_) => return Ok(()),
        }
        match self.simplified(options) {
            Ok((module, id)) => bound(&module, id).map_err(|d| self.diagnostic(d)),
            Err(_) => Ok(()),
        }
    }

    pub(crate) fn derive(
        &self,
        pass: impl Fn(&mut Module, FuncId, Policy) -> Result<FuncId, Diagnostic> + Send + Sync + 'static,
    ) -> Result<Function, Error> {
        let mut module = self.expanded()?;
        let id = pass(&mut module, self.id, Policy::default()).map_err(|d| match self.dims().first() {
            Some((dim, _)) if d.code == Code::Recursion => self.diagnostic(d.help(format!(
                "or those of the whole program: `--dims {dim}=3`; in the library, `with_dims([(\"{dim}\", 3)])`"
            ))),
            _ => self.diagnostic(d),
        })?;
        let mut steps = self.steps.clone();
        steps.push(Arc::new(pass));
        Ok(Function { steps, ..self.with_program(Arc::new(module), id) })
    }

    /// The one result that can carry a gradient.
    fn single_result(&self) -> Result<usize, Error> {
        let f = self.ir();
        match f.differentiable_results()[..] {
            [one] => Ok(one),
            [] => Err(self.diagnostic(
                Diagnostic::error(
                    Code::NoOutput,
                    format!("`{}` has no result to differentiate", self.name()),
                )
                .label(self.header(), "declared here")
                .help("return a real or complex number"),
            )),
            _ => Err(self.diagnostic(
                Diagnostic::error(
                    Code::NeedsScalar,
                    format!("`{}` has several results, but a gradient needs one", self.name()),
                )
                .label(self.header(), "declared here")
                .help("use `vjp` with a cotangent for each result, or `jacobian`"),
            )),
        }
    }

    /// Under the JAX convention: the same program with the complex cotangents at these positions conjugated.
    fn conjugated(
        self,
        inputs: std::ops::Range<usize>,
        outputs: std::ops::Range<usize>,
    ) -> Result<Function, Error> {
        if self.convention == Convention::Adc {
            return Ok(self);
        }
        self.derive(move |module, f, _| {
            let inner = module.func(f).clone();
            let (mut b, params) = Builder::like(&inner, module.fresh_name(&format!("{}.jax", inner.name)));
            let args: Vec<_> = (params.iter().enumerate())
                .map(|(i, v)| if inputs.contains(&i) { conjugate(&mut b, *v) } else { *v })
                .collect();
            let results = b.call_of(module, f, &args);
            let results = (results.iter().enumerate())
                .map(|(i, v)| {
                    let v = if outputs.contains(&i) { conjugate(&mut b, *v) } else { *v };
                    (inner.results[i].name.clone(), v)
                })
                .collect();
            Ok(module.add(b.finish(results)))
        })
    }
}

/// The conjugate of a number or of every entry of an array.
fn conjugate(b: &mut Builder, v: adc_ir::Value) -> adc_ir::Value {
    b.op(Op::Conj, &[v])
}

/// A function's name without the numbers of its dimensions: `f[N=3].vjp` is `f.vjp`.
fn plain(name: &str) -> Arc<str> {
    let mut depth = 0;
    let outside = |c: &char| {
        depth += i32::from(*c == '[');
        let inside = depth > 0;
        depth -= i32::from(*c == ']');
        !inside
    };
    name.chars().filter(outside).collect::<String>().into()
}

/// A number of bytes in the largest unit that leaves a short number.
fn bytes(n: u64) -> String {
    const UNITS: [(u32, &str); 3] = [(30, "GiB"), (20, "MiB"), (10, "KiB")];
    match UNITS.iter().find(|(shift, _)| n >> shift > 0) {
        Some((shift, unit)) => {
            let tenths = (n as f64 / (1u64 << shift) as f64 * 10.0).ceil() / 10.0;
            format!("{tenths} {unit}")
        }
        None => format!("{n} bytes"),
    }
}

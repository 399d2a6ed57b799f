//! Functions of a model and the derivative programs made from them.

use crate::compiled::{Compiled, Options};
use crate::error::{Error, UsageError};
use crate::linearize::Pullback;
use crate::render::Diagnostics;
use adc_frontend::{Program, SourceFile};
use adc_ir::interp::{Interp, Val};
use adc_ir::{Builder, Const, Diagnostic, FuncId, Module, Op, RuntimeError, Span, Type};
use adc_jit::RuntimeMath;
use std::sync::Arc;

/// Which complex number stands for the derivative of a real L with respect to z = x + iy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Convention {
    /// ∂L/∂x + i ∂L/∂y, the direction of steepest ascent (PyTorch, TensorFlow, ChainRules).
    #[default]
    Adc,
    /// ∂L/∂x − i ∂L/∂y (JAX). Conjugates complex cotangents, those given and those returned.
    Jax,
}

impl Convention {
    /// A cotangent of adc's in this convention, or one of this convention in adc's.
    pub fn cotangent(self, c: Const) -> Const {
        match self {
            Convention::Jax if c.scalar().is_complex() => Const::from_c128(c.to_c128().conj(), c.scalar()),
            Convention::Adc | Convention::Jax => c,
        }
    }
}

/// A function: of the model, or a derivative program made from one. Immutable and cheap to clone.
#[derive(Clone, Debug)]
pub struct Function {
    pub(crate) program: Arc<Program>,
    pub(crate) module: Arc<Module>,
    pub(crate) id: FuncId,
    pub(crate) convention: Convention,
}

/// A named, typed input or output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Port {
    /// Its name in the source; `x_dot`, `x_bar` for tangents and cotangents.
    pub name: String,
    /// Its type.
    pub ty: Type,
}

impl Function {
    pub(crate) fn new(program: Arc<Program>, module: Arc<Module>, id: FuncId) -> Function {
        Function { program, module, id, convention: Convention::default() }
    }

    /// The name: as in the source, with a suffix for derivative programs (`loss.vjp`).
    pub fn name(&self) -> &str {
        &self.ir().name
    }

    /// The inputs, in order.
    pub fn inputs(&self) -> Vec<Port> {
        let f = self.ir();
        f.params.iter().map(|p| Port { name: p.name.clone(), ty: f.ty(p.value) }).collect()
    }

    /// The outputs, in order.
    pub fn outputs(&self) -> Vec<Port> {
        self.ir().results.iter().map(|r| Port { name: r.name.clone(), ty: r.ty }).collect()
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
    /// let f = model.function("f")?.with_convention(adc::Convention::Jax).grad(&[])?.compile(&adc::Options::default())?;
    /// let z = adc::C128::new(3.0, 4.0);
    /// assert_eq!(f.call(&[z.into()])?, [(2.0 * z).conj().into()]);
    /// # Ok::<(), adc::Error>(())
    /// ```
    pub fn with_convention(mut self, convention: Convention) -> Function {
        self.convention = convention;
        self
    }

    /// The reverse-mode program: inputs of the function, then a cotangent for each differentiable result;
    /// outputs of the function, then a cotangent for each of `wrt` (parameter names; none: every
    /// differentiable parameter).
    ///
    /// # Errors
    /// Unknown names; discrete parameters; extern functions without a rule.
    ///
    /// ```
    /// let model = adc::Model::parse("f.dsl", "fn f(x: f64, y: f64) -> f64 { x * sin(y) }")?;
    /// let vjp = model.function("f")?.vjp(&["x"])?.compile(&adc::Options::default())?;
    /// let out = vjp.call(&[1.5.into(), 0.25.into(), 1.0.into()])?;
    /// assert_eq!(out, [(1.5 * 0.25f64.sin()).into(), 0.25f64.sin().into()]);
    /// # Ok::<(), adc::Error>(())
    /// ```
    pub fn vjp(&self, wrt: &[&str]) -> Result<Function, Error> {
        self.vjp_of(wrt, &[])
    }

    /// As [`Self::vjp`] for some of the results only (names; none: every differentiable one). The others need
    /// no cotangent, and what only they depend on is not differentiated.
    ///
    /// # Errors
    /// As [`Self::vjp`].
    ///
    /// ```
    /// let model = adc::Model::parse("f.dsl", "fn f(x: f64, y: f64) -> (p: f64, q: f64) { (x*y, x/y) }")?;
    /// let vjp = model.function("f")?.vjp_of(&[], &["p"])?.compile(&adc::Options::default())?;
    /// let out = vjp.call(&[6.0.into(), 2.0.into(), 1.0.into()])?;
    /// assert_eq!(out, [12.0, 3.0, 2.0, 6.0].map(adc::Value::F64));
    /// # Ok::<(), adc::Error>(())
    /// ```
    pub fn vjp_of(&self, wrt: &[&str], outputs: &[&str]) -> Result<Function, Error> {
        let (wrt, outputs) = (self.params(wrt)?, self.results(outputs)?);
        let (inputs, results) = (self.ir().params.len(), self.ir().results.len());
        let derived = self.derive(|m| adc_ad::vjp(m, self.id, &wrt, &outputs, true))?;
        derived.conjugated(inputs..inputs + outputs.len(), results..results + wrt.len())
    }

    /// The forward-mode program: inputs of the function, then a tangent for each of `wrt`; outputs of the
    /// function, then a tangent for each differentiable result.
    ///
    /// # Errors
    /// As [`Self::vjp`].
    ///
    /// ```
    /// let model = adc::Model::parse("f.dsl", "fn f(x: f64, y: f64) -> f64 { x*y }")?;
    /// let jvp = model.function("f")?.jvp(&[])?.compile(&adc::Options::default())?;
    /// let out = jvp.call(&[2.0, 3.0, 1.0, 10.0].map(adc::Value::F64))?;
    /// assert_eq!(out, [6.0, 23.0].map(adc::Value::F64));
    /// # Ok::<(), adc::Error>(())
    /// ```
    pub fn jvp(&self, wrt: &[&str]) -> Result<Function, Error> {
        let wrt = self.params(wrt)?;
        self.derive(|m| adc_ad::jvp(m, self.id, &wrt))
    }

    /// The gradient of the single real result, one output for each of `wrt`.
    ///
    /// # Errors
    /// As [`Self::vjp`], and if there is not exactly one real result.
    ///
    /// ```
    /// let model = adc::Model::parse("f.dsl", "fn f(x: f64, y: f64) -> f64 { x^2*y }")?;
    /// let grad = model.function("f")?.grad(&["y"])?.compile(&adc::Options::default())?;
    /// assert_eq!(grad.call(&[3.0.into(), 2.0.into()])?, [9.0.into()]);
    /// # Ok::<(), adc::Error>(())
    /// ```
    pub fn grad(&self, wrt: &[&str]) -> Result<Function, Error> {
        let (wrt, output) = (self.params(wrt)?, self.single_result()?);
        self.derive(|m| adc_ad::grad(m, self.id, &wrt, output, false))?.conjugated(0..0, 0..wrt.len())
    }

    /// The outputs of the function, then the gradient of its single real result.
    ///
    /// # Errors
    /// As [`Self::grad`].
    ///
    /// ```
    /// let model = adc::Model::parse("f.dsl", "fn f(z: c128) -> f64 { abs2(z) }")?;
    /// let f = model.function("f")?.value_and_grad(&[])?.compile(&adc::Options::default())?;
    /// let z = adc::C128::new(3.0, 4.0);
    /// assert_eq!(f.call(&[z.into()])?, [25.0.into(), adc::C128::new(6.0, 8.0).into()]);
    /// # Ok::<(), adc::Error>(())
    /// ```
    pub fn value_and_grad(&self, wrt: &[&str]) -> Result<Function, Error> {
        let (wrt, output) = (self.params(wrt)?, self.single_result()?);
        let n = self.ir().results.len();
        self.derive(|m| adc_ad::grad(m, self.id, &wrt, output, true))?.conjugated(0..0, n..n + wrt.len())
    }

    /// The derivative of the gradient along a direction: inputs of the function, then a direction for each of
    /// `wrt`; one output for each of `wrt`.
    ///
    /// # Errors
    /// As [`Self::grad`].
    ///
    /// ```
    /// let model = adc::Model::parse("f.dsl", "fn f(x: f64, y: f64) -> f64 { x^2*y }")?;
    /// let hvp = model.function("f")?.hvp(&[])?.compile(&adc::Options::default())?;
    /// let out = hvp.call(&[3.0, 2.0, 1.0, 0.0].map(adc::Value::F64))?;
    /// assert_eq!(out, [4.0, 6.0].map(adc::Value::F64));
    /// # Ok::<(), adc::Error>(())
    /// ```
    pub fn hvp(&self, wrt: &[&str]) -> Result<Function, Error> {
        let (wrt, output) = (self.params(wrt)?, self.single_result()?);
        self.derive(|m| adc_ad::hvp(m, self.id, &wrt, output))?.conjugated(0..0, 0..wrt.len())
    }

    /// The outputs of the function, then for each differentiable result and each of `wrt` ∂f/∂x (real
    /// parameter) or W = ∂f/∂z and CW = ∂f/∂z* (complex parameter).
    ///
    /// # Errors
    /// As [`Self::vjp`].
    ///
    /// ```
    /// let model = adc::Model::parse("f.dsl", "fn f(z: c128, a: f64) -> c128 { a*conj(z) }")?;
    /// let jacobian = model.function("f")?.jacobian(&[])?.compile(&adc::Options::default())?;
    /// let out = jacobian.call(&[adc::C128::new(1.0, 2.0).into(), 3.0.into()])?;
    /// let c = |re: f64, im: f64| adc::Value::C128(adc::C128::new(re, im));
    /// // The value, W and CW along z, the derivative along a.
    /// assert_eq!(out, [c(3.0, -6.0), c(0.0, 0.0), c(3.0, 0.0), c(1.0, -2.0)]);
    /// # Ok::<(), adc::Error>(())
    /// ```
    pub fn jacobian(&self, wrt: &[&str]) -> Result<Function, Error> {
        let (wrt, outputs) = (self.params(wrt)?, self.results(&[])?);
        self.derive(|m| adc_ad::jacobian(m, self.id, &wrt, &outputs))
    }

    /// The outputs of the function, then the second derivatives of its single real result, row by row.
    ///
    /// # Errors
    /// As [`Self::grad`]; complex parameters have no Hessian, only [`Self::hvp`].
    ///
    /// ```
    /// let model = adc::Model::parse("f.dsl", "fn f(x: f64, y: f64) -> f64 { x^2*y }")?;
    /// let hessian = model.function("f")?.hessian(&[])?.compile(&adc::Options::default())?;
    /// let out = hessian.call(&[3.0.into(), 2.0.into()])?;
    /// assert_eq!(out, [18.0, 4.0, 6.0, 6.0, 0.0].map(adc::Value::F64));
    /// # Ok::<(), adc::Error>(())
    /// ```
    pub fn hessian(&self, wrt: &[&str]) -> Result<Function, Error> {
        let (wrt, output) = (self.params(wrt)?, self.single_result()?);
        self.derive(|m| adc_ad::hessian(m, self.id, &wrt, output))
    }

    /// Simplifies and compiles the function to native code.
    ///
    /// # Errors
    /// Extern functions that `options` does not bind.
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

    /// Evaluates the function at `inputs` and keeps what its derivatives need: the pullback can be applied any
    /// number of times, from any thread. Compiles its programs each time: for many points, compile [`Self::vjp`] once.
    ///
    /// # Errors
    /// As [`Self::vjp`] and [`Compiled::call`].
    ///
    /// ```
    /// let model = adc::Model::parse("f.dsl", "fn f(x: f64) -> f64 { exp(2*x) }")?;
    /// let (y, pullback) = model.function("f")?.linearize(&[0.0.into()])?;
    /// assert_eq!(y, [1.0.into()]);
    /// assert_eq!(pullback.vjp(&[3.0.into()])?, [6.0.into()]);
    /// assert_eq!(pullback.jvp(&[0.5.into()])?, [1.0.into()]);
    /// # Ok::<(), adc::Error>(())
    /// ```
    pub fn linearize(&self, inputs: &[Const]) -> Result<(Vec<Const>, Pullback), Error> {
        self.linearize_with(&Options::default(), inputs)
    }

    /// As [`Self::linearize`], with compile options (for models with extern functions).
    ///
    /// # Errors
    /// As [`Self::linearize`].
    pub fn linearize_with(
        &self,
        options: &Options,
        inputs: &[Const],
    ) -> Result<(Vec<Const>, Pullback), Error> {
        Pullback::at(self, inputs, options)
    }

    /// Evaluates the function in the reference interpreter.
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
    pub fn interpret(&self, options: &Options, inputs: &[Const]) -> Result<Vec<Const>, Error> {
        crate::compiled::check_inputs(self, inputs)?;
        let externs = options.externs.bind(&self.module, &[self.id]).map_err(|d| self.diagnostic(d))?;
        let interp = Interp::new(&self.module, &RuntimeMath, &externs);
        let args: Vec<Val<f64>> = inputs.iter().map(|c| Val::from_const(*c)).collect();
        let values = interp.call(self.id, &args).map_err(|e| self.failed(e))?;
        Ok(values.iter().zip(&self.ir().results).map(|(v, r)| v.to_const(r.ty.scalar())).collect())
    }

    /// The function with this result only, for operators that want a single one.
    ///
    /// # Errors
    /// If there is no result of that name.
    ///
    /// ```
    /// let model = adc::Model::parse("f.dsl", "fn f(x: f64) -> (p: f64, q: f64) { (x^2, x^3) }")?;
    /// let grad = model.function("f")?.with_output("q")?.grad(&[])?.compile(&adc::Options::default())?;
    /// assert_eq!(grad.call(&[2.0.into()])?, [12.0.into()]);
    /// # Ok::<(), adc::Error>(())
    /// ```
    pub fn with_output(&self, name: &str) -> Result<Function, Error> {
        let keep = self.results(&[name])?[0];
        let mut module = (*self.module).clone();
        let (mut b, params) = Builder::like(self.ir(), module.fresh_name(&format!("{}.{name}", self.name())));
        let values = b.call_of(&module, self.id, &params);
        let id = module.add(b.finish(vec![(name.to_string(), values[keep])]));
        Ok(self.with_module(module, id))
    }

    /// Positions of the parameters named; every differentiable one if none is.
    pub(crate) fn params(&self, names: &[&str]) -> Result<Vec<usize>, UsageError> {
        let f = self.ir();
        if names.is_empty() {
            return Ok(f.differentiable_params());
        }
        let find = |name: &&str| {
            f.params.iter().position(|p| p.name == **name).ok_or_else(|| UsageError::UnknownParameter {
                function: f.name.clone(),
                name: name.to_string(),
                known: f.params.iter().map(|p| p.name.clone()).collect(),
            })
        };
        names.iter().map(find).collect()
    }

    /// Positions of the results named; every differentiable one if none is.
    pub(crate) fn results(&self, names: &[&str]) -> Result<Vec<usize>, UsageError> {
        let f = self.ir();
        if names.is_empty() {
            return Ok(f.differentiable_results());
        }
        let find = |name: &&str| {
            f.results.iter().position(|r| r.name == **name).ok_or_else(|| UsageError::UnknownResult {
                function: f.name.clone(),
                name: name.to_string(),
                known: f.results.iter().map(|r| r.name.clone()).collect(),
            })
        };
        names.iter().map(find).collect()
    }

    /// What a message about the function marks: from `fn` to the last parameter.
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

    pub(crate) fn with_module(&self, module: Module, id: FuncId) -> Function {
        Function { module: Arc::new(module), id, ..self.clone() }
    }

    pub(crate) fn derive(
        &self,
        pass: impl FnOnce(&mut Module) -> Result<FuncId, Diagnostic>,
    ) -> Result<Function, Error> {
        let mut module = (*self.module).clone();
        let id = pass(&mut module).map_err(|d| self.diagnostic(d))?;
        Ok(self.with_module(module, id))
    }

    /// The one result that can carry a gradient.
    fn single_result(&self) -> Result<usize, Error> {
        let f = self.ir();
        match f.differentiable_results()[..] {
            [one] => Ok(one),
            [] => Err(self.diagnostic(
                Diagnostic::error(
                    adc_ir::Code::NoOutput,
                    format!("`{}` has no result to differentiate", f.name),
                )
                .label(self.header(), "declared here")
                .help("return a real or complex number"),
            )),
            _ => Err(self.diagnostic(
                Diagnostic::error(
                    adc_ir::Code::NeedsScalar,
                    format!("`{}` has several results, and a gradient is of one", f.name),
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
        let mut module = (*self.module).clone();
        let inner = module.func(self.id).clone();
        let (mut b, params) = Builder::like(&inner, module.fresh_name(&format!("{}.jax", inner.name)));
        let conjugate = |b: &mut Builder, chosen: bool, v| if chosen { b.op(Op::Conj, &[v]) } else { v };
        let args: Vec<_> =
            params.into_iter().enumerate().map(|(i, v)| conjugate(&mut b, inputs.contains(&i), v)).collect();
        let results = b.call_of(&module, self.id, &args);
        let results = (0..results.len())
            .map(|i| (inner.results[i].name.clone(), conjugate(&mut b, outputs.contains(&i), results[i])))
            .collect();
        let id = module.add(b.finish(results));
        Ok(self.with_module(module, id))
    }
}

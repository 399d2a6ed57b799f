//! Numerical derivatives: the checker's difference programs, by themselves.

use crate::compiled::Options;
use crate::error::Error;
use crate::function::Function;
use crate::value::Value;
use crate::wrt::Wrt;
use adc_checker::{Context, Fd};
use adc_ir::{Code, Const, Datum, Diagnostic, Mode};

impl Function {
    /// The numerical gradient of a real result with respect to one parameter, in that parameter's type: a
    /// complex one gives ∂L/∂x + i ∂L/∂y (conjugated under [`crate::Convention::Jax`]).
    ///
    /// # Errors
    /// Unknown names; a result that is not real; run-time errors of the evaluation.
    ///
    /// ```
    /// let model = adc::Model::parse("f.dsl", "fn f(x: f64, y: f64) -> f64 { x*y }")?;
    /// let f = model.function("f")?;
    /// let d = f.numerical_gradient(&[2.0.into(), 3.0.into()], "x", "out", adc::Fd::Central { delta: 0.005 })?;
    /// assert!(matches!(d, adc::Value::F64(d) if (d - 3.0).abs() < 1e-9));
    /// # Ok::<(), adc::Error>(())
    /// ```
    pub fn numerical_gradient(
        &self,
        inputs: &[Value],
        wrt: &str,
        output: &str,
        fd: Fd,
    ) -> Result<Value<'static>, Error> {
        self.numerical_gradient_with(&Options::default(), inputs, wrt, output, fd)
    }

    /// As [`Self::numerical_gradient`], with compile options (for models with extern functions). Their limits are those of each
    /// evaluation of the function.
    ///
    /// # Errors
    /// As [`Self::numerical_gradient`].
    pub fn numerical_gradient_with(
        &self,
        options: &Options,
        inputs: &[Value],
        wrt: &str,
        output: &str,
        fd: Fd,
    ) -> Result<Value<'static>, Error> {
        let dims = crate::call::check_inputs(self, inputs)?;
        if !dims.is_empty() {
            return self.at_dims(&dims)?.numerical_gradient_with(options, inputs, wrt, output, fd);
        }
        let (wrt, result) = (self.param(wrt)?, self.result(output)?);
        let port = &self.outputs()[result];
        if port.ty.is_array() || !port.ty.scalar().is_real() {
            let message = format!(
                "the numerical gradient of `{}` needs a real scalar result, but `{}` is {}",
                self.name(),
                port.name,
                port.describe()
            );
            let help = if port.ty.is_array() {
                "sum its entries"
            } else {
                "differentiate `re(…)` and `im(…)` of it"
            };
            return Err(self.diagnostic(
                Diagnostic::error(Code::NeedsScalar, message)
                    .label(self.ir().span, "declared here")
                    .help(help),
            ));
        }
        let module = self.expanded()?;
        let ctx = Context { fp: options.fp, ..Context::new(&module, &options.externs, options.opt) };
        let data: Vec<Datum> = inputs.iter().map(Value::to_datum).collect();
        let (function, entry) = ((self.id, &[][..]), (wrt, result));
        let gradient = adc_checker::numerical_gradient(&ctx, function, &data, entry, fd, options.limits)
            .map_err(|d| self.diagnostic(d))?;
        let (wide, elem) = (&gradient[0], self.ir().param_ty(wrt).scalar());
        let mut gradient = Datum::zeros(elem, wide.shape());
        (0..wide.len()).for_each(|i| gradient.set(i, Const::from_c128(wide.get(i).to_c128(), elem)));
        Ok(self.convention.cotangents(gradient.into()))
    }

    /// The difference program that fixed steps compare with in `mode`: quotients (f(x + t·u) − f(x + s·u)) / (t − s), with
    /// the offsets t and s among its parameters.
    ///
    /// # Errors
    /// As [`Function::vjp`].
    ///
    /// ```
    /// let model = adc::Model::parse("f.dsl", "fn f(x: f64) -> f64 { x^2 }")?;
    /// let slow = model.function("f")?.difference_program(adc::ir::Mode::Slow, adc::Wrt::All)?;
    /// assert_eq!(slow.inputs()[0].name, "x");
    /// # Ok::<(), adc::Error>(())
    /// ```
    pub fn difference_program(&self, mode: Mode, wrt: impl Into<Wrt>) -> Result<Function, Error> {
        let (wrt, outputs) = (self.params(&wrt.into())?, self.ir().differentiable_results());
        self.derive(move |m, f, _| adc_checker::fd_program(m, f, mode, &wrt, &outputs))
    }
}

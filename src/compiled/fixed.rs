//! Calls for solvers and optimisers: arguments and results stay in memory of the call, so that nothing is copied or compared.

use super::{Compiled, Instance};
use crate::call;
use crate::error::{Error, UsageError};
use crate::port::Port;
use crate::value::{Element, Value, copy, element};
use adc_ir::RuntimeError;
use adc_jit::{Slice, Slots, Workspace};
use std::fmt;
use std::sync::Arc;

/// A compiled function with its arguments and results, whose types and sizes were compared when it was made.
///
/// Arguments are written and results are read in place; a scalar is a slice of one element.
pub struct Fixed {
    compiled: Compiled,
    /// What the code is of, until a call runs out of memory and the variant that stores little takes its place.
    instance: Option<Arc<Instance>>,
    slots: Slots,
    workspace: Workspace,
    /// Whether arguments have domains, which every call looks at.
    bounded: bool,
}

impl fmt::Debug for Fixed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fixed").field("compiled", &self.compiled).finish_non_exhaustive()
    }
}

/// There is no number `i`, or it is of another type.
#[cold]
fn misuse<T: Element>(ports: &[Port], i: usize) -> UsageError {
    match ports.get(i) {
        None => UsageError::Arity { expected: ports.len(), found: i + 1 },
        Some(port) => UsageError::ValueType {
            name: port.name.clone(),
            expected: port.describe(),
            found: T::SCALAR.to_string(),
        },
    }
}

impl Compiled {
    /// The function for arguments of the types and sizes of these, with a copy of them to begin with.
    ///
    /// # Errors
    /// As [`Self::call`]; a result whose size is known only after a call.
    ///
    /// ```
    /// let model = adc::Model::parse("f.dsl", "fn f[N](x: f64[N], k: f64) -> f64 { k*sum(x^2) }")?;
    /// let f = model.function("f")?.value_and_grad("x")?.compile(&adc::Options::default())?;
    /// let mut f = f.fixed(&[[1.0, 2.0].into(), 0.5.into()])?;
    /// // Steepest descent.
    /// let mut x = [1.0, 2.0];
    /// for _ in 0..100 {
    ///     f.input_mut(0)?.copy_from_slice(&x);
    ///     f.call()?;
    ///     let slope: &[f64] = f.output(1)?;
    ///     x = [x[0] - 0.5 * slope[0], x[1] - 0.5 * slope[1]];
    /// }
    /// assert_eq!(f.output::<f64>(0)?.len(), 1);
    /// assert!(f.output::<f64>(0)?[0] < 1e-20);
    /// # Ok::<(), adc::Error>(())
    /// ```
    pub fn fixed(&self, inputs: &[Value]) -> Result<Fixed, Error> {
        let instance = self.instance(inputs)?;
        self.within_limits(&instance)?;
        let Some(mut slots) = Slots::new(&instance.code) else {
            let late = (0..self.outputs().len()).find(|i| instance.code.output_sizes(*i).is_none());
            let name = late.map_or_else(String::new, |i| self.outputs()[i].name.clone());
            return Err(UsageError::Ragged(name).into());
        };
        for (i, v) in inputs.iter().enumerate() {
            let number = v.scalar();
            let elements = number.as_ref().map(Slice::from).or_else(|| v.elements());
            copy(&mut slots.input_mut(i), elements.expect("a value is a number or an array"));
        }
        let workspace = Workspace::with_limits(self.shared.options.limits);
        let bounded = self.shared.inputs.iter().any(|i| i.domain.is_some());
        Ok(Fixed { compiled: self.clone(), instance: Some(instance), slots, workspace, bounded })
    }
}

impl Fixed {
    /// Argument `i`, row by row.
    ///
    /// # Errors
    /// No argument `i`, or elements of another type.
    #[inline]
    pub fn input_mut<T: Element>(&mut self, i: usize) -> Result<&mut [T], UsageError> {
        let found =
            (i < self.compiled.inputs().len()).then(|| T::of_slice_mut(self.slots.input_mut(i))).flatten();
        found.ok_or_else(|| misuse::<T>(self.compiled.inputs(), i))
    }

    /// Result `i` of the last call, row by row; zeros before the first one. After a call that failed it means nothing.
    ///
    /// # Errors
    /// No result `i`, or elements of another type.
    #[inline]
    pub fn output<T: Element>(&self, i: usize) -> Result<&[T], UsageError> {
        let found = (i < self.compiled.outputs().len()).then(|| T::of_slice(self.slots.output(i))).flatten();
        found.ok_or_else(|| misuse::<T>(self.compiled.outputs(), i))
    }

    /// Calls the function on the arguments as they are. Allocates nothing after the first call.
    ///
    /// # Errors
    /// An argument outside its declared domain and the other run-time errors of the language.
    #[inline]
    pub fn call(&mut self) -> Result<(), Error> {
        if self.bounded {
            self.inside()?;
        }
        match self.slots.call(&mut self.workspace) {
            Ok(()) => Ok(()),
            Err(e) => self.failed(e),
        }
    }

    /// Compares the arguments with their domains.
    fn inside(&self) -> Result<(), Error> {
        for (i, input) in self.compiled.shared.inputs.iter().enumerate() {
            let Some(domain) = input.domain else { continue };
            let inside = match self.slots.input(i) {
                Slice::F64(x) => x.iter().all(|x| domain.contains((*x).into())),
                x => (0..x.len()).all(|k| domain.contains(element(x, k).to_c128())),
            };
            if !inside {
                call::check_inputs(&self.compiled.shared.function, &self.values())?;
            }
        }
        Ok(())
    }

    /// The arguments.
    fn values(&self) -> Vec<Value<'_>> {
        let shape = |i: usize| self.slots.code().input_sizes(i).expect("it is known");
        let inputs = 0..self.compiled.inputs().len();
        inputs.map(|i| Value::of_elements(shape(i), self.slots.input(i))).collect()
    }

    /// A derivative that ran out of memory runs in the variant that stores as little as possible, from now on.
    #[cold]
    fn failed(&mut self, error: RuntimeError) -> Result<(), Error> {
        let small = self.compiled.smaller(self.instance.take(), error)?;
        let mut slots = Slots::new(&small.code).expect("its results have the same sizes");
        for i in 0..self.compiled.inputs().len() {
            copy(&mut slots.input_mut(i), self.slots.input(i));
        }
        self.slots = slots;
        self.slots.call(&mut self.workspace).map_err(|e| self.compiled.failed(e))
    }
}

//! The hot path: a compiled function bound to the memory it works in.

use super::{Compiled, Instance, same};
use crate::call;
use crate::error::{Error, UsageError};
use crate::output::OutputRef;
use crate::value::{Value, describe};
use adc_ir::{Array, Buffer, Const, Scalar, Trap, Type};
use adc_jit::{Cancel, Out, Workspace};
use smallvec::SmallVec;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// A compiled function bound to a workspace.
pub struct Bound<'a> {
    compiled: &'a Compiled,
    workspace: &'a mut Workspace,
    memo: Memo,
}

/// What one call leaves to the next.
#[derive(Default)]
struct Memo {
    /// The code for the sizes of the last call.
    instance: Option<Arc<Instance>>,
    /// A slot for each scalar result.
    numbers: Vec<Const>,
    /// The slots of a function of scalars.
    inputs: Vec<u64>,
    outputs: Vec<u64>,
    /// Whether its inputs are doubles without domains.
    reals: bool,
    /// Whether it is a function of scalars whose results are doubles.
    real_results: bool,
}

impl Memo {
    fn new(compiled: &Compiled) -> Memo {
        let (inputs, outputs) = match compiled.scalar_code() {
            Some(code) => (vec![0; code.input_cells()], vec![0; code.output_cells()]),
            None => Default::default(),
        };
        let (instance, numbers) = (compiled.shared.fixed.clone(), compiled.numbers());
        let reals = compiled.shared.scalar
            && compiled.shared.inputs.iter().all(|i| i.ty == Type::F64 && i.domain.is_none());
        let real_results = compiled.shared.scalar && compiled.outputs().iter().all(|o| o.ty == Type::F64);
        Memo { instance, numbers, inputs, outputs, reals, real_results }
    }
}

/// A compiled function with memory of its own: [`Bound`] for programs that keep it between calls.
pub struct Caller {
    compiled: Compiled,
    workspace: Workspace,
    memo: Memo,
}

impl fmt::Debug for Caller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Caller").field("compiled", &self.compiled).finish_non_exhaustive()
    }
}

impl Compiled {
    /// The function with memory that its calls work in.
    ///
    /// ```
    /// let model = adc::Model::parse("f.dsl", "fn f[N](x: f64[N]) -> f64 { sum(x^2) }")?;
    /// let mut f = model.function("f")?.value_and_grad("x")?.compile(&adc::Options::default())?.caller();
    /// let x = [1.0, 2.0];
    /// // The sizes of results are known before they are computed.
    /// assert_eq!(f.output_shapes(&[(&x).into()])?, Some(vec![&[][..], &[2]]));
    /// let (mut value, mut slope) = (0.0, [0.0; 2]);
    /// f.call_to(&[(&x).into()], &mut [(&mut value).into(), (&mut slope).into()])?;
    /// assert_eq!((value, slope), (5.0, [2.0, 4.0]));
    /// # Ok::<(), adc::Error>(())
    /// ```
    pub fn caller(&self) -> Caller {
        let workspace = Workspace::with_limits(self.shared.options.limits);
        Caller { compiled: self.clone(), workspace, memo: Memo::new(self) }
    }
}

impl Caller {
    /// Calls end once this is cancelled.
    pub fn set_cancel(&mut self, cancel: Option<Cancel>) {
        self.workspace.set_cancel(cancel);
    }

    /// As [`Bound::call_into`].
    ///
    /// # Errors
    /// As [`Compiled::call`].
    pub fn call_into(&mut self, inputs: &[Value], outputs: &mut [Value<'static>]) -> Result<(), Error> {
        self.bound(|bound| bound.call_into(inputs, outputs))
    }

    /// As [`Bound::call_to`].
    ///
    /// # Errors
    /// As [`Bound::call_to`].
    pub fn call_to(&mut self, inputs: &[Value], outputs: &mut [OutputRef]) -> Result<(), Error> {
        self.bound(|bound| bound.call_to(inputs, outputs))
    }

    /// Whether the code of the last call is that for these inputs.
    pub fn is_ready(&self, inputs: &[Value]) -> bool {
        self.memo.instance.as_ref().is_some_and(|i| self.compiled.shared.fits(i, inputs))
    }

    /// The sizes of the results for these inputs; `None` if only the call tells them.
    ///
    /// # Errors
    /// Inputs that do not fit; what is wrong with the program for their sizes.
    pub fn output_shapes(&mut self, inputs: &[Value]) -> Result<Option<Vec<&[usize]>>, Error> {
        let instance = self.bound(|bound| bound.instance(inputs))?;
        let code = &self.memo.instance.insert(instance).code;
        Ok((0..code.outputs().len()).map(|i| code.output_sizes(i)).collect())
    }

    fn bound<R>(&mut self, call: impl FnOnce(&mut Bound) -> R) -> R {
        let memo = std::mem::take(&mut self.memo);
        let mut bound = Bound { compiled: &self.compiled, workspace: &mut self.workspace, memo };
        let done = call(&mut bound);
        self.memo = bound.memo;
        done
    }
}

/// Whether all inputs are inside their domains.
fn inside(compiled: &Compiled, inputs: &[&[f64]]) -> bool {
    let mut bounded = inputs.iter().zip(&compiled.shared.inputs).filter_map(|(x, i)| Some((x, i.domain?)));
    bounded.all(|(x, domain)| domain.contains_all(x.iter().copied()))
}

/// The elements of a result of these sizes, or the one number, if it is `f64`.
fn elements<'v>(out: &'v mut Value<'static>, sizes: &[usize]) -> Option<&'v mut [f64]> {
    match out {
        Value::F64(number) if sizes.is_empty() => Some(std::slice::from_mut(number)),
        Value::Array(Array { shape, data: Buffer::F64(elements) }) if same(shape, sizes) => Some(elements),
        _ => None,
    }
}

impl fmt::Debug for Bound<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Bound").field("compiled", self.compiled).finish()
    }
}

impl<'a> Bound<'a> {
    pub(super) fn new(compiled: &'a Compiled, workspace: &'a mut Workspace) -> Bound<'a> {
        workspace.set_limits(compiled.shared.options.limits);
        Bound { compiled, workspace, memo: Memo::new(compiled) }
    }

    /// Calls the function; `outputs` takes the results. Allocates nothing unless the call fails, or an array has to change its
    /// size.
    ///
    /// # Errors
    /// As [`Compiled::call`].
    pub fn call_into(&mut self, inputs: &[Value], outputs: &mut [Value<'static>]) -> Result<(), Error> {
        if self.memo.real_results
            && outputs.len() == self.memo.outputs.len()
            && self.take_doubles(inputs)
            && let Some(code) = self.compiled.scalar_code()
            && code.try_cells(self.workspace, &self.memo.inputs, &mut self.memo.outputs)
        {
            self.give_doubles(outputs);
            return Ok(());
        }
        let shared = &*self.compiled.shared;
        let Some(code) = self.compiled.scalar_code().filter(|_| !self.frugal()) else {
            if let Some(done) = self.call_arrays(inputs, outputs) {
                return done;
            }
            self.room(outputs.len())?;
            return self.run(inputs, outputs);
        };
        let taken = self.take_reals(inputs);
        if !taken {
            call::check_inputs(&shared.function, inputs)?;
        }
        self.room(outputs.len())?;
        if !taken {
            self.memo.inputs.clear();
            inputs.iter().filter_map(Value::scalar).for_each(|c| adc_jit::encode(c, &mut self.memo.inputs));
        }
        match code.call_cells(self.workspace, &self.memo.inputs, &mut self.memo.outputs) {
            Ok(()) => {}
            // The general path handles that.
            Err(e) if e.trap == Trap::OutOfMemory => return self.run(inputs, outputs),
            Err(e) => return Err(self.compiled.failed(e)),
        }
        let mut at = 0;
        for (out, port) in outputs.iter_mut().zip(self.compiled.outputs()) {
            *out = adc_jit::decode(port.ty, &self.memo.outputs[at..]).into();
            at += adc_jit::cells_of(port.ty);
        }
        Ok(())
    }

    /// Calls a function of doubles and arrays of doubles for the sizes of the last call, if the results have room already. Otherwise
    /// returns `None`, and the general path finds the reason.
    fn call_arrays(&mut self, inputs: &[Value], outputs: &mut [Value<'static>]) -> Option<Result<(), Error>> {
        let instance = self.memo.instance.as_ref()?;
        let compiled = self.compiled;
        if instance.frugal.load(Ordering::Relaxed)
            || instance.bytes > compiled.shared.options.limits.bytes
            || !compiled.shared.fits(instance, inputs)
        {
            return None;
        }
        let code = &instance.code;
        let reals = inputs.iter().map(Value::reals);
        match code
            .call_reals_in(self.workspace, reals, outputs, |k, out| elements(out, code.output_sizes(k)?))?
        {
            Ok(()) => Some(Ok(())),
            Err(e) if e.trap == Trap::OutOfMemory => None,
            Err(e) => Some(Err(compiled.failed(e))),
        }
    }

    /// As [`Self::call_into`], into numbers and arrays of the host program.
    ///
    /// # Errors
    /// As [`Compiled::call`]; locations of another type or shape than the results.
    pub fn call_to(&mut self, inputs: &[Value], outputs: &mut [OutputRef]) -> Result<(), Error> {
        self.room(outputs.len())?;
        let instance = self.instance(inputs)?;
        let done = self.call_instance_to(&instance, inputs, outputs);
        self.memo.instance = Some(instance);
        done
    }

    /// As [`Self::call_into`], for functions of `f64` scalars and arrays only, which are read and written where they are: row by row, a
    /// scalar as a slice of one element. The cheapest call on slices. The sizes of arrays with more than one axis are those
    /// of the last call, if the function does not fix them.
    ///
    /// # Errors
    /// As [`Compiled::call`]; arguments or results of another type or number of elements.
    ///
    /// ```
    /// let model = adc::Model::parse("f.dsl", "fn f[N](t: f64, y: f64[N]) -> f64[N] { [t*sin(y[i]) for i in 0..N] }")?;
    /// let f = model.function("f")?.compile(&adc::Options::default())?;
    /// let (mut workspace, mut slope) = (adc::Workspace::default(), [0.0; 2]);
    /// let mut f = f.bind(&mut workspace);
    /// f.call_reals(&[&[2.0], &[0.0, 0.5]], &mut [&mut slope])?;
    /// assert_eq!(slope, [0.0, 2.0 * 0.5f64.sin()]);
    /// # Ok::<(), adc::Error>(())
    /// ```
    pub fn call_reals(&mut self, inputs: &[&[f64]], outputs: &mut [&mut [f64]]) -> Result<(), Error> {
        if let Some(instance) = &self.memo.instance
            && !instance.frugal.load(Ordering::Relaxed)
            && inside(self.compiled, inputs)
        {
            match instance.code.call_reals(self.workspace, inputs, outputs) {
                Some(Ok(())) => return Ok(()),
                // The general way handles that.
                Some(Err(e)) if e.trap == Trap::OutOfMemory => {}
                Some(Err(e)) => return Err(self.compiled.failed(e)),
                None => {}
            }
        }
        self.call_values(inputs, outputs)
    }

    /// [`Self::call_reals`] by way of values.
    fn call_values(&mut self, inputs: &[&[f64]], outputs: &mut [&mut [f64]]) -> Result<(), Error> {
        let ports = self.compiled.inputs();
        if inputs.len() != ports.len() {
            return Err(UsageError::Arity { expected: ports.len(), found: inputs.len() }.into());
        }
        let known = self.memo.instance.as_ref().and_then(|i| i.shapes.clone());
        let mut values: Vec<Value> = Vec::with_capacity(inputs.len());
        for (i, (x, port)) in inputs.iter().zip(ports).enumerate() {
            let sizes = known.as_ref().map(|all| all[i].clone()).or_else(|| port.sizes());
            values.push(match (port.ty.rank(), sizes) {
                (0, _) if x.len() == 1 => x[0].into(),
                (0 | 1, _) => (*x).into(),
                (_, Some(sizes)) if sizes.iter().product::<usize>() == x.len() => {
                    Value::of_elements(&sizes, (*x).into())
                }
                // A matrix whose sizes nobody told yet, among others.
                _ => {
                    let (name, expected) = (port.name.clone(), port.describe());
                    let found = describe(Scalar::F64, &[x.len()]);
                    return Err(UsageError::ValueType { name, expected, found }.into());
                }
            });
        }
        let results = self.compiled.outputs();
        self.room(outputs.len())?;
        let places = outputs.iter_mut().zip(results);
        let mut places: Vec<OutputRef> = places
            .map(|(y, port)| match (port.ty.rank(), &mut **y) {
                (0, [y]) => y.into(),
                (_, y) => y.into(),
            })
            .collect();
        self.call_to(&values, &mut places)
    }

    fn call_instance_to(
        &mut self,
        instance: &Instance,
        inputs: &[Value],
        outputs: &mut [OutputRef],
    ) -> Result<(), Error> {
        let (code, ports) = (&instance.code, self.compiled.outputs());
        if instance.late {
            let found = self.compiled.call(inputs)?;
            let all = outputs.iter_mut().zip(found).zip(ports);
            return Ok(all.into_iter().try_for_each(|((place, value), port)| place.take(value, port))?);
        }
        let sizes = |i: usize| code.output_sizes(i).expect("it is known");
        if !instance.frugal.load(Ordering::Relaxed) {
            let mut places: SmallVec<[Out; 4]> = SmallVec::new();
            let all = outputs.iter_mut().zip(&mut self.memo.numbers).zip(ports).enumerate();
            for (i, ((place, number), port)) in all {
                places.push(place.room(number, port, sizes(i))?);
            }
            match code.call_into(self.workspace, inputs.iter().map(Value::arg), places) {
                Ok(()) => {
                    self.settle(outputs);
                    return Ok(());
                }
                // The general path handles that.
                Err(e) if e.trap == Trap::OutOfMemory => {}
                Err(e) => return Err(self.compiled.failed(e)),
            }
        }
        for (i, ((place, number), port)) in
            outputs.iter_mut().zip(&mut self.memo.numbers).zip(ports).enumerate()
        {
            place.room(number, port, sizes(i))?;
        }
        let (workspace, numbers) = (&mut *self.workspace, &mut self.memo.numbers);
        self.compiled.within_memory(instance, |instance| {
            let places = outputs.iter_mut().zip(&mut *numbers).zip(ports).enumerate();
            let places = places.map(|(i, ((place, number), port))| {
                place.room(number, port, sizes(i)).expect("it was checked")
            });
            instance.code.call_into(workspace, inputs.iter().map(Value::arg), places)
        })?;
        self.settle(outputs);
        Ok(())
    }

    /// Gives results that are numbers to their places.
    fn settle(&self, outputs: &mut [OutputRef]) {
        for ((place, number), port) in outputs.iter_mut().zip(&self.memo.numbers).zip(self.compiled.outputs())
        {
            if !port.ty.is_array() {
                place.settle(*number);
            }
        }
    }

    /// As [`Compiled::call`], with the memory here.
    fn run(&mut self, inputs: &[Value], outputs: &mut [Value<'static>]) -> Result<(), Error> {
        let instance = self.instance(inputs)?;
        let done = self.compiled.run(&instance, self.workspace, inputs, outputs, &mut self.memo.numbers);
        self.memo.instance = Some(instance);
        done
    }

    /// The code for these inputs: that of the last call, if it fits. It is taken out, and put back behind the call: counting
    /// another owner takes as long as a small function.
    fn instance(&mut self, inputs: &[Value]) -> Result<Arc<Instance>, Error> {
        match self.memo.instance.take() {
            Some(last) if self.compiled.shared.fits(&last, inputs) => Ok(last),
            last => {
                let found = self.compiled.instance(inputs);
                // What is wrong with the inputs says nothing against the code.
                if found.is_err() {
                    self.memo.instance = last;
                }
                found
            }
        }
    }

    /// Whether calls are known to run out of memory unless they store less.
    fn frugal(&self) -> bool {
        self.memo.instance.as_ref().is_some_and(|i| i.frugal.load(Ordering::Relaxed))
    }

    fn room(&self, found: usize) -> Result<(), UsageError> {
        let expected = self.compiled.outputs().len();
        if found == expected { Ok(()) } else { Err(UsageError::Arity { expected, found }) }
    }

    /// Takes the inputs, if all may be any double, and are doubles.
    #[inline]
    fn take_doubles(&mut self, inputs: &[Value]) -> bool {
        self.memo.reals
            && inputs.len() == self.memo.inputs.len()
            && inputs.iter().zip(&mut self.memo.inputs).all(|(value, cell)| match value {
                Value::F64(x) => {
                    *cell = x.to_bits();
                    true
                }
                _ => false,
            })
    }

    /// Gives results that are doubles.
    #[inline]
    fn give_doubles(&self, outputs: &mut [Value<'static>]) {
        for (out, cell) in outputs.iter_mut().zip(&self.memo.outputs) {
            match out {
                // Nothing to be freed.
                Value::F64(x) => *x = f64::from_bits(*cell),
                other => *other = Value::F64(f64::from_bits(*cell)),
            }
        }
    }

    /// Takes the inputs in one pass if all are double-precision numbers inside their domains. Otherwise returns `false`,
    /// and the general path finds the reason.
    fn take_reals(&mut self, inputs: &[Value]) -> bool {
        let expected = &*self.compiled.shared.inputs;
        if inputs.len() != expected.len() || inputs.len() != self.memo.inputs.len() {
            return false;
        }
        inputs.iter().zip(expected).zip(&mut self.memo.inputs).all(|((value, input), cell)| match value {
            Value::F64(x)
                if input.ty == Type::F64 && input.domain.is_none_or(|d| d.contains((*x).into())) =>
            {
                *cell = x.to_bits();
                true
            }
            _ => false,
        })
    }
}

//! Functions of scalars as Rust sees them: numbers in, numbers out.

use super::Compiled;
use crate::call;
use crate::error::{Error, UsageError};
use crate::value::{Element, Value};
use adc_ir::{Const, ParamDomain, RuntimeError, Scalar, Trap, Type};
use adc_jit::{Cells, Workspace, cells_of, decode, encode};
use std::fmt;
use std::marker::PhantomData;

/// Numbers of Rust that stand for the scalar arguments or results of a function: one number, an array of them, or a tuple.
pub trait Numbers: Copy + sealed::Sealed {
    /// Their types.
    #[doc(hidden)]
    fn types() -> Vec<Scalar>;
    /// Writes their cells, and returns how many there are.
    #[doc(hidden)]
    fn write(self, cells: &mut [u64]) -> usize;
    /// Reads them from their cells, and returns how many there are.
    #[doc(hidden)]
    fn read(cells: &[u64]) -> (Self, usize);
    /// As values.
    #[doc(hidden)]
    fn values(self, out: &mut Vec<Value<'static>>);
}

mod sealed {
    pub trait Sealed {}
}

impl<T: Element> sealed::Sealed for T {}
impl<T: Element> Numbers for T {
    fn types() -> Vec<Scalar> {
        vec![T::SCALAR]
    }

    #[inline]
    fn write(self, cells: &mut [u64]) -> usize {
        Cells::write(self, cells);
        T::COUNT
    }

    #[inline]
    fn read(cells: &[u64]) -> (T, usize) {
        (Cells::read(cells), T::COUNT)
    }

    fn values(self, out: &mut Vec<Value<'static>>) {
        out.push(self.value());
    }
}

impl<T: Element, const N: usize> sealed::Sealed for [T; N] {}
impl<T: Element, const N: usize> Numbers for [T; N] {
    fn types() -> Vec<Scalar> {
        vec![T::SCALAR; N]
    }

    #[inline]
    fn write(self, cells: &mut [u64]) -> usize {
        // Asked once, so that no number is.
        let cells = &mut cells[..N * T::COUNT];
        for (i, x) in self.into_iter().enumerate() {
            Cells::write(x, &mut cells[i * T::COUNT..(i + 1) * T::COUNT]);
        }
        cells.len()
    }

    #[inline]
    fn read(cells: &[u64]) -> ([T; N], usize) {
        let cells = &cells[..N * T::COUNT];
        (std::array::from_fn(|i| Cells::read(&cells[i * T::COUNT..])), cells.len())
    }

    fn values(self, out: &mut Vec<Value<'static>>) {
        out.extend(self.into_iter().map(Element::value));
    }
}

macro_rules! tuples {
    ($($($name:ident)+;)+) => {$(
        impl<$($name: Element),+> sealed::Sealed for ($($name,)+) {}
        impl<$($name: Element),+> Numbers for ($($name,)+) {
            fn types() -> Vec<Scalar> {
                vec![$($name::SCALAR),+]
            }

            #[inline]
            #[allow(non_snake_case)]
            fn write(self, cells: &mut [u64]) -> usize {
                let ($($name,)+) = self;
                let mut at = 0;
                $(
                    Cells::write($name, &mut cells[at..]);
                    at += $name::COUNT;
                )+
                at
            }

            #[inline]
            #[allow(non_snake_case)]
            fn read(cells: &[u64]) -> (Self, usize) {
                let mut at = 0;
                $(
                    let $name = Cells::read(&cells[at..]);
                    at += $name::COUNT;
                )+
                (($($name,)+), at)
            }

            #[allow(non_snake_case)]
            fn values(self, out: &mut Vec<Value<'static>>) {
                let ($($name,)+) = self;
                $($name.values(out);)+
            }
        }
    )+};
}

tuples! {
    A;
    A B;
    A B C;
    A B C D;
    A B C D E;
    A B C D E F;
    A B C D E F G;
    A B C D E F G H;
}

/// A compiled function of scalars with the memory it works in, called with Rust's own numbers; types were compared when it was made.
pub struct Direct<A, R> {
    compiled: Compiled,
    code: adc_jit::Compiled,
    workspace: Workspace,
    inputs: Vec<u64>,
    outputs: Vec<u64>,
    /// Arguments with domains: their first cell.
    domains: Vec<(usize, Type, ParamDomain)>,
    numbers: PhantomData<fn(A) -> R>,
}

impl<A, R> fmt::Debug for Direct<A, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Direct").field("compiled", &self.compiled).finish_non_exhaustive()
    }
}

impl Compiled {
    /// The function as one of Rust's numbers: `A` are the arguments, `R` the results, each one number, an array of numbers of one
    /// type, or a tuple.
    ///
    /// # Errors
    /// Arguments or results that are not these, or that are arrays ([`Self::fixed`] is for those).
    ///
    /// ```
    /// let model = adc::Model::parse("f.dsl", "fn f(x: f64, k: f64) -> f64 { k*x^2 }")?;
    /// let mut f = model.function("f")?.compile(&adc::Options::default())?.direct::<(f64, f64), f64>()?;
    /// assert_eq!(f.call((3.0, 0.5))?, 4.5);
    /// let gradient = model.function("f")?.value_and_grad(adc::Wrt::All)?.compile(&adc::Options::default())?;
    /// let mut gradient = gradient.direct::<[f64; 2], [f64; 3]>()?;
    /// assert_eq!(gradient.call([3.0, 0.5])?, [4.5, 3.0, 9.0]);
    /// # Ok::<(), adc::Error>(())
    /// ```
    pub fn direct<A: Numbers, R: Numbers>(&self) -> Result<Direct<A, R>, Error> {
        let code = self.code_of_scalars(&A::types(), &R::types())?;
        let (mut domains, mut at) = (Vec::new(), 0);
        for input in &self.shared.inputs {
            domains.extend(input.domain.map(|d| (at, input.ty, d)));
            at += cells_of(input.ty);
        }
        Ok(Direct {
            compiled: self.clone(),
            workspace: Workspace::with_limits(self.shared.options.limits),
            inputs: vec![0; code.input_cells()],
            outputs: vec![0; code.output_cells()],
            domains,
            code,
            numbers: PhantomData,
        })
    }

    /// The code, if arguments and results are scalars of these types.
    fn code_of_scalars(&self, arguments: &[Scalar], results: &[Scalar]) -> Result<adc_jit::Compiled, Error> {
        for (ports, found) in [(self.inputs(), arguments), (self.outputs(), results)] {
            if ports.len() != found.len() {
                return Err(UsageError::Arity { expected: ports.len(), found: found.len() }.into());
            }
            if let Some((port, ty)) = ports.iter().zip(found).find(|(p, ty)| p.ty != Type::Scalar(**ty)) {
                let (name, expected, found) = (port.name.clone(), port.describe(), ty.to_string());
                return Err(UsageError::ValueType { name, expected, found }.into());
            }
        }
        let zeros: Vec<Value> = arguments.iter().map(|ty| Const::zero(*ty).into()).collect();
        let dims = call::dims(&self.shared.function, &zeros)?;
        Ok(self.instance_at(dims)?.code.clone())
    }

    /// Calls a function of `f64` scalars once for each row of `inputs`, which has the arguments of all calls one after the other, on
    /// all cores; `outputs` takes the results likewise.
    ///
    /// # Errors
    /// As [`Self::batch`]; arguments or results of another type.
    ///
    /// ```
    /// let model = adc::Model::parse("f.dsl", "fn f(x: f64, y: f64) -> f64 { x*y }")?;
    /// let f = model.function("f")?.compile(&adc::Options::default())?;
    /// let mut out = [0.0; 3];
    /// f.batch_reals(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], &mut out)?;
    /// assert_eq!(out, [2.0, 12.0, 30.0]);
    /// # Ok::<(), adc::Error>(())
    /// ```
    pub fn batch_reals(&self, inputs: &[f64], outputs: &mut [f64]) -> Result<(), Error> {
        let (n, m) = (self.inputs().len(), self.outputs().len());
        let code = self.code_of_scalars(&vec![Scalar::F64; n], &vec![Scalar::F64; m])?;
        let rows = inputs.len().checked_div(n).unwrap_or(0);
        for (width, found) in [(n, inputs.len()), (m, outputs.len())] {
            if width * rows != found {
                return Err(UsageError::Arity { expected: width * rows, found }.into());
            }
        }
        let expected = &self.shared.inputs;
        let bounded = expected.iter().any(|i| i.domain.is_some());
        let outside = |row: &[f64]| {
            let mut pairs = row.iter().zip(expected);
            pairs.any(|(x, i)| i.domain.is_some_and(|d| !d.contains((*x).into())))
        };
        self.by_rows((inputs, n), (outputs, m), rows, &|inputs: &[f64], outputs: &mut [f64], rows| {
            let mut workspace = Workspace::with_limits(self.shared.options.limits);
            let bad = if bounded { inputs.chunks(n.max(1)).position(outside) } else { None };
            let good = bad.unwrap_or(rows);
            let done = code.call_rows(&mut workspace, &inputs[..good * n], &mut outputs[..good * m]);
            let at = match done {
                Ok(()) if good == rows => return Ok(()),
                Ok(()) => good,
                Err((row, _)) => row,
            };
            // The general path says what is wrong, or needs less memory.
            let values: Vec<Value> = inputs[at * n..].iter().map(|x| Value::F64(*x)).collect();
            let mut results = vec![Value::F64(0.0); (rows - at) * m];
            self.batch(&values, &mut results)?;
            for (to, from) in outputs[at * m..].iter_mut().zip(results) {
                *to = from.try_into()?;
            }
            Ok(())
        })
    }
}

impl<A: Numbers, R: Numbers> Direct<A, R> {
    /// Calls the function. Allocates nothing after the first call.
    ///
    /// # Errors
    /// An argument outside its declared domain and the other run-time errors of the language.
    #[inline]
    pub fn call(&mut self, arguments: A) -> Result<R, Error> {
        arguments.write(&mut self.inputs);
        if !self.domains.is_empty() && !self.inside() {
            return self.general(arguments);
        }
        match self.code.call_cells(&mut self.workspace, &self.inputs, &mut self.outputs) {
            Ok(()) => Ok(R::read(&self.outputs).0),
            Err(e) => self.failed(arguments, e),
        }
    }

    /// Whether the arguments are in their domains.
    fn inside(&self) -> bool {
        let inside =
            |(at, ty, d): &(usize, Type, ParamDomain)| d.contains(decode(*ty, &self.inputs[*at..]).to_c128());
        self.domains.iter().all(inside)
    }

    #[cold]
    fn failed(&mut self, arguments: A, error: RuntimeError) -> Result<R, Error> {
        match error.trap {
            Trap::OutOfMemory => self.general(arguments),
            _ => Err(self.compiled.failed(error)),
        }
    }

    /// As [`Compiled::call`].
    fn general(&mut self, arguments: A) -> Result<R, Error> {
        let mut values = Vec::new();
        arguments.values(&mut values);
        let mut outputs = vec![Value::Bool(false); self.compiled.outputs().len()];
        self.compiled.bind(&mut self.workspace).call_into(&values, &mut outputs)?;
        self.outputs.clear();
        outputs.iter().filter_map(Value::scalar).for_each(|c| encode(c, &mut self.outputs));
        Ok(R::read(&self.outputs).0)
    }
}

//! Functions of scalars as Rust sees them: numbers in, numbers out.

use super::{Compiled, Instance};
use crate::call;
use crate::error::{Error, UsageError};
use crate::value::{Element, Value};
use adc_ir::{Const, ParamDomain, RuntimeError, Scalar, Type};
use adc_jit::{Cells, MOST_REGISTERS, Workspace, cells_of, decode};
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

/// Numbers of Rust that stand for the scalar arguments or results of a function: one number, an array of them, or a tuple.
pub trait Numbers: Copy + sealed::Sealed {
    /// How many cells they take.
    #[doc(hidden)]
    const COUNT: usize;
    /// Their types.
    #[doc(hidden)]
    fn types() -> Vec<Scalar>;
    /// Writes their cells.
    #[doc(hidden)]
    fn write(self, cells: &mut [u64]);
    /// Reads them from their cells.
    #[doc(hidden)]
    fn read(cells: &[u64]) -> Self;
    /// As values.
    #[doc(hidden)]
    fn values(self, out: &mut Vec<Value<'static>>);
}

mod sealed {
    pub trait Sealed {}
}

impl<T: Element> sealed::Sealed for T {}
impl<T: Element> Numbers for T {
    const COUNT: usize = T::COUNT;

    fn types() -> Vec<Scalar> {
        vec![T::SCALAR]
    }

    #[inline]
    fn write(self, cells: &mut [u64]) {
        Cells::write(self, cells);
    }

    #[inline]
    fn read(cells: &[u64]) -> T {
        Cells::read(cells)
    }

    fn values(self, out: &mut Vec<Value<'static>>) {
        out.push(self.value());
    }
}

impl<T: Element, const N: usize> sealed::Sealed for [T; N] {}
impl<T: Element, const N: usize> Numbers for [T; N] {
    const COUNT: usize = N * T::COUNT;

    fn types() -> Vec<Scalar> {
        vec![T::SCALAR; N]
    }

    #[inline]
    fn write(self, cells: &mut [u64]) {
        // One bounds check for all of them.
        let cells = &mut cells[..N * T::COUNT];
        for (i, x) in self.into_iter().enumerate() {
            Cells::write(x, &mut cells[i * T::COUNT..(i + 1) * T::COUNT]);
        }
    }

    #[inline]
    fn read(cells: &[u64]) -> [T; N] {
        let cells = &cells[..N * T::COUNT];
        std::array::from_fn(|i| Cells::read(&cells[i * T::COUNT..]))
    }

    fn values(self, out: &mut Vec<Value<'static>>) {
        out.extend(self.into_iter().map(Element::value));
    }
}

macro_rules! tuples {
    ($($($name:ident)+;)+) => {$(
        impl<$($name: Element),+> sealed::Sealed for ($($name,)+) {}
        impl<$($name: Element),+> Numbers for ($($name,)+) {
            const COUNT: usize = 0 $(+ $name::COUNT)+;

            fn types() -> Vec<Scalar> {
                vec![$($name::SCALAR),+]
            }

            #[inline]
            #[allow(non_snake_case)]
            fn write(self, cells: &mut [u64]) {
                let ($($name,)+) = self;
                $(
                    let ($name, cells) = ($name, cells.split_at_mut($name::COUNT));
                    Cells::write($name, cells.0);
                    let cells = cells.1;
                )+
                debug_assert!(cells.is_empty(), "types were compared");
            }

            #[inline]
            #[allow(non_snake_case)]
            fn read(cells: &[u64]) -> Self {
                $(
                    let (own, cells) = cells.split_at($name::COUNT);
                    let $name = Cells::read(own);
                )+
                debug_assert!(cells.is_empty(), "types were compared");
                ($($name,)+)
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
    /// The code that takes doubles in registers, if there is such code.
    registers: Option<adc_jit::Compiled>,
    /// What the code is of, until a call runs out of memory and the variant that stores little takes its place.
    instance: Option<Arc<Instance>>,
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
        let instance = self.instance_of_scalars(&A::types(), &R::types())?;
        let code = instance.code.clone();
        let (mut domains, mut at) = (Vec::new(), 0);
        for input in &self.shared.inputs {
            domains.extend(input.domain.map(|d| (at, input.ty, d)));
            at += cells_of(input.ty);
        }
        // Doubles only, and few: then a cell is a double.
        let registers = match A::COUNT <= MOST_REGISTERS {
            true => self.registers(&instance),
            false => None,
        };
        Ok(Direct {
            registers,
            compiled: self.clone(),
            workspace: Workspace::with_limits(self.shared.options.limits),
            inputs: vec![0; code.input_cells()],
            outputs: vec![0; code.output_cells()],
            domains,
            code,
            instance: Some(instance),
            numbers: PhantomData,
        })
    }

    /// The code, if arguments and results are scalars of these types.
    pub(super) fn instance_of_scalars(
        &self,
        arguments: &[Scalar],
        results: &[Scalar],
    ) -> Result<Arc<Instance>, Error> {
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
        self.instance_at(call::dims(&self.shared.function, &zeros)?)
    }
}

impl<A: Numbers, R: Numbers> Direct<A, R> {
    /// Calls the function. Allocates nothing after the first call.
    ///
    /// # Errors
    /// An argument outside its declared domain and the other run-time errors of the language.
    #[inline]
    pub fn call(&mut self, arguments: A) -> Result<R, Error> {
        if let Some(code) = &self.registers
            && (self.domains.is_empty() || inside_all(&self.domains, arguments))
        {
            let mut cells = [0; MOST_REGISTERS];
            arguments.write(&mut cells[..A::COUNT]);
            let numbers = cells.map(f64::from_bits);
            if code.call_registers(&mut self.workspace, &numbers[..A::COUNT], &mut self.outputs) {
                return Ok(R::read(&self.outputs));
            }
        }
        self.call_cells(arguments)
    }

    /// By way of memory, with everything that may go wrong.
    #[inline(never)]
    fn call_cells(&mut self, arguments: A) -> Result<R, Error> {
        arguments.write(&mut self.inputs);
        if !inside(&self.domains, &self.inputs) {
            return Err(self.outside(arguments));
        }
        match self.code.call_cells(&mut self.workspace, &self.inputs, &mut self.outputs) {
            Ok(()) => Ok(R::read(&self.outputs)),
            Err(e) => self.failed(e),
        }
    }

    /// Which argument is outside of its domain.
    #[cold]
    fn outside(&self, arguments: A) -> Error {
        let mut values = Vec::new();
        arguments.values(&mut values);
        let found = call::check_inputs(&self.compiled.shared.function, &values);
        found.expect_err("an argument is outside of its domain")
    }

    /// A derivative that ran out of memory runs in the variant that stores as little as possible, from now on.
    #[cold]
    fn failed(&mut self, error: RuntimeError) -> Result<R, Error> {
        self.code = self.compiled.smaller(self.instance.take(), error)?.code.clone();
        let done = self.code.call_cells(&mut self.workspace, &self.inputs, &mut self.outputs);
        done.map_err(|e| self.compiled.failed(e))?;
        Ok(R::read(&self.outputs))
    }
}

/// Whether doubles are in their domains.
#[inline(never)]
fn inside_all<A: Numbers>(domains: &[(usize, Type, ParamDomain)], arguments: A) -> bool {
    let mut cells = [0; MOST_REGISTERS];
    arguments.write(&mut cells[..A::COUNT]);
    inside(domains, &cells)
}

/// Whether arguments are in their domains.
fn inside(domains: &[(usize, Type, ParamDomain)], cells: &[u64]) -> bool {
    domains.iter().all(|(at, ty, d)| d.contains(decode(*ty, &cells[*at..]).to_c128()))
}

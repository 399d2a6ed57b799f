//! Calls with arrays: what they take and give, checked before anything runs.

use super::{Compiled, Workspace};
use crate::cells::{cells_of, decode, encode};
use adc_ir::datum::{Array, Buffer, Datum};
use adc_ir::{Const, Dim, Func, RuntimeError, Scalar, Shape, Type, Value};
use num_complex::{Complex32, Complex64};

/// What a parameter or result is.
#[derive(Debug)]
pub(crate) struct Port {
    pub(crate) ty: Type,
    /// Sizes, made of inputs and outputs: variable k is input k, or, from their number on, an output.
    pub(crate) shape: Shape,
    /// Sizes and number of elements, if they are numbers.
    pub(super) fixed: Option<(Vec<usize>, usize)>,
}

#[cfg(feature = "object")]
impl Port {
    /// The sizes, if they are numbers; none of a scalar.
    pub(crate) fn fixed_sizes(&self) -> Option<&[usize]> {
        self.fixed.as_ref().map(|(sizes, _)| sizes.as_slice())
    }
}

/// The parameters (dimensions first) and results of a function.
pub(crate) fn ports(func: &Func) -> (Vec<Port>, Vec<Port>) {
    let entries = func.dims.len() + func.params.len();
    let port = |ty: Type, shape: &[Dim]| {
        let number = |v: Value| {
            let yields = func.region().into_iter().flat_map(|r| &r.yields);
            let result = || yields.clone().position(|y| *y == v).map(|k| entries + k);
            let k = func.entry_position(v).or_else(result).expect("sizes are made of what a call knows");
            Value(k as u32)
        };
        let shape: Shape = shape.iter().map(|d| d.rename(number)).collect();
        let sizes: Option<Vec<usize>> =
            shape.iter().map(|d| d.as_const().map(|n| usize::try_from(n).unwrap_or(0))).collect();
        let fixed = sizes.map(|s| {
            let count = s.iter().product();
            (s, count)
        });
        Port { ty, shape, fixed }
    };
    let dims = func.dims.iter().map(|_| port(Type::I64, &[]));
    let params = func.params.iter().map(|p| port(func.ty(p.value), func.shape(p.value)));
    (dims.chain(params).collect(), func.results.iter().map(|r| port(r.ty, &r.shape)).collect())
}

macro_rules! slices {
    ($($(#[$doc:meta])* $variant:ident $rust:ty,)*) => {
        /// The elements of an array, row-major.
        #[derive(Clone, Copy, Debug)]
        pub enum Slice<'a> { $($(#[$doc])* $variant(&'a [$rust]),)* }

        /// Where the elements of an array go, row-major.
        #[derive(Debug)]
        pub enum SliceMut<'a> { $($(#[$doc])* $variant(&'a mut [$rust]),)* }

        impl Slice<'_> {
            /// The type of the elements.
            pub fn elem(&self) -> Scalar {
                match self { $(Slice::$variant(_) => Scalar::$variant,)* }
            }

            /// The number of elements.
            pub fn len(&self) -> usize {
                match self { $(Slice::$variant(x) => x.len(),)* }
            }

            /// Whether there are none.
            pub fn is_empty(&self) -> bool {
                self.len() == 0
            }

            fn address(&self) -> u64 {
                match self { $(Slice::$variant(x) => x.as_ptr().expose_provenance() as u64,)* }
            }
        }

        impl SliceMut<'_> {
            /// The type of the elements.
            pub fn elem(&self) -> Scalar {
                match self { $(SliceMut::$variant(_) => Scalar::$variant,)* }
            }

            /// The number of elements.
            pub fn len(&self) -> usize {
                match self { $(SliceMut::$variant(x) => x.len(),)* }
            }

            /// Whether there are none.
            pub fn is_empty(&self) -> bool {
                self.len() == 0
            }

            fn address(&mut self) -> u64 {
                match self { $(SliceMut::$variant(x) => x.as_mut_ptr().expose_provenance() as u64,)* }
            }
        }

        impl<'a> Slice<'a> {
            /// The elements at an address.
            ///
            /// # Safety
            /// There are so many elements of that type there, aligned, and nothing writes them while the slice lives.
            #[inline]
            pub(crate) unsafe fn at(address: u64, elem: Scalar, len: usize) -> Slice<'a> {
                let at = std::ptr::with_exposed_provenance::<u8>(address as usize);
                match elem { $(Scalar::$variant => Slice::$variant(match len {
                    0 => &[],
                    // SAFETY: the caller's promise.
                    _ => unsafe { std::slice::from_raw_parts(at.cast::<$rust>(), len) },
                }),)* }
            }
        }

        impl<'a> SliceMut<'a> {
            /// The elements at an address.
            ///
            /// # Safety
            /// There are so many elements of that type there, aligned, which nothing else uses while the slice lives.
            #[inline]
            pub(crate) unsafe fn at(address: u64, elem: Scalar, len: usize) -> SliceMut<'a> {
                let at = std::ptr::with_exposed_provenance_mut::<u8>(address as usize);
                match elem { $(Scalar::$variant => SliceMut::$variant(match len {
                    0 => &mut [],
                    // SAFETY: the caller's promise.
                    _ => unsafe { std::slice::from_raw_parts_mut(at.cast::<$rust>(), len) },
                }),)* }
            }

            /// The elements at an address, all of them 0.
            ///
            /// # Safety
            /// There is memory for so many elements of that type there, aligned, which nothing else uses while the slice lives.
            pub(crate) unsafe fn zeroed_at(address: u64, elem: Scalar, len: usize) -> SliceMut<'a> {
                if len > 0 {
                    let at = std::ptr::with_exposed_provenance_mut::<u8>(address as usize);
                    // SAFETY: the caller's promise.
                    unsafe { at.write_bytes(0, len * elem.bytes()) };
                }
                // SAFETY: the caller's promise; zeros are a number, or false, of every type.
                unsafe { SliceMut::at(address, elem, len) }
            }
        }

        impl<'a> From<&'a Const> for Slice<'a> {
            fn from(c: &'a Const) -> Slice<'a> {
                match c { $(Const::$variant(x) => Slice::$variant(std::slice::from_ref(x)),)* }
            }
        }

        impl<'a> From<&'a Buffer> for Slice<'a> {
            fn from(b: &'a Buffer) -> Slice<'a> {
                match b { $(Buffer::$variant(x) => Slice::$variant(x),)* }
            }
        }

        impl<'a> From<&'a mut Buffer> for SliceMut<'a> {
            fn from(b: &'a mut Buffer) -> SliceMut<'a> {
                match b { $(Buffer::$variant(x) => SliceMut::$variant(x),)* }
            }
        }

        $(impl<'a> From<&'a [$rust]> for Slice<'a> {
            fn from(x: &'a [$rust]) -> Slice<'a> { Slice::$variant(x) }
        }

        impl<'a> From<&'a mut [$rust]> for SliceMut<'a> {
            fn from(x: &'a mut [$rust]) -> SliceMut<'a> { SliceMut::$variant(x) }
        })*

        /// The elements at an address.
        ///
        /// # Safety
        /// There are so many elements of that type there.
        unsafe fn elements_at(address: u64, elem: Scalar, len: usize) -> Buffer {
            let at = std::ptr::with_exposed_provenance::<u8>(address as usize);
            // SAFETY: the caller's promise; of no elements nothing is read.
            match elem { $(Scalar::$variant => {
                let x = match len {
                    0 => &[],
                    // SAFETY: as above.
                    _ => unsafe { std::slice::from_raw_parts(at.cast::<$rust>(), len) },
                };
                Buffer::$variant(x.to_vec())
            })* }
        }
    };
}

slices! {
    /// `bool`
    Bool bool,
    /// `i64`
    I64 i64,
    /// `f32`
    F32 f32,
    /// `f64`
    F64 f64,
    /// `c64`
    C64 Complex32,
    /// `c128`
    C128 Complex64,
}

/// An argument of a call.
#[derive(Clone, Copy, Debug)]
pub enum Arg<'a> {
    /// A scalar.
    Scalar(Const),
    /// An array.
    Array(Slice<'a>),
}

/// Where a result of a call goes.
#[derive(Debug)]
pub enum Out<'a> {
    /// A scalar.
    Scalar(&'a mut Const),
    /// An array of a size that is known before the call.
    Array(SliceMut<'a>),
}

impl<'a> From<&'a Datum> for Arg<'a> {
    fn from(d: &'a Datum) -> Arg<'a> {
        match d {
            Datum::Scalar(c) => Arg::Scalar(*c),
            Datum::Array(a) => Arg::Array((&a.data).into()),
        }
    }
}

impl<'a> From<&'a mut Datum> for Out<'a> {
    fn from(d: &'a mut Datum) -> Out<'a> {
        match d {
            Datum::Scalar(c) => Out::Scalar(c),
            Datum::Array(a) => Out::Array((&mut a.data).into()),
        }
    }
}
impl Compiled {
    /// Calls the function. Declared domains of its parameters are the caller's to check.
    ///
    /// # Panics
    /// If the arguments are not of the types and sizes it takes: API misuse.
    pub fn call_data(&self, workspace: &mut Workspace, args: &[Datum]) -> Result<Vec<Datum>, RuntimeError> {
        self.take_args(workspace, args.iter().map(Arg::from));
        for (i, (d, port)) in args.iter().zip(&self.shared.inputs).enumerate() {
            if let Some((sizes, _)) = &port.fixed {
                assert_eq!(d.shape(), sizes, "sizes of argument {i} of `{}`", self.name());
            }
        }
        let mut results: Vec<Datum> = Vec::with_capacity(self.shared.outputs.len());
        workspace.outputs.clear();
        for port in &self.shared.outputs {
            // What has no fixed size comes later.
            let mut d = match &port.fixed {
                Some((sizes, _)) => Datum::zeros(port.ty.scalar(), sizes),
                None => Datum::Scalar(Const::zero(port.ty.scalar())),
            };
            let address = match &mut d {
                Datum::Array(a) => SliceMut::from(&mut a.data).address(),
                Datum::Scalar(_) => 0,
            };
            results.push(d);
            workspace.outputs.push(address);
            workspace.outputs.extend((1..cells_of(port.ty)).map(|_| 0));
        }
        self.run_own_cells(workspace)?;
        let mut at = 0;
        for (port, result) in self.shared.outputs.iter().zip(&mut results) {
            match (&port.fixed, port.ty.is_array()) {
                (Some(_), true) => {}
                (_, false) => *result = Datum::Scalar(decode(port.ty, &workspace.outputs[at..])),
                (None, true) => {
                    let shape = self.sizes(&port.shape, workspace);
                    let len = shape.iter().product();
                    // SAFETY: the callee made an array of these sizes and wrote its address; it stays until the next call.
                    let data = unsafe { elements_at(workspace.outputs[at], port.ty.scalar(), len) };
                    *result = Datum::Array(Array { shape, data });
                }
            }
            at += cells_of(port.ty);
        }
        Ok(results)
    }

    /// Calls the function on slices: arrays are read and written where they are. Allocates only if the workspace has to
    /// grow. After an error the contents of results mean nothing.
    ///
    /// # Panics
    /// If arguments or results are not of the types and lengths that the function has, or a result's size is not known
    /// before the call ([`Self::call_data`] returns such): API misuse.
    pub fn call_into<'a>(
        &self,
        workspace: &mut Workspace,
        args: impl IntoIterator<Item = Arg<'a>>,
        outs: impl IntoIterator<Item = Out<'a>>,
    ) -> Result<(), RuntimeError> {
        self.take_args(workspace, args.into_iter());
        workspace.outputs.clear();
        workspace.scalars.clear();
        let mut ports = self.shared.outputs.iter().enumerate();
        for out in outs {
            let (i, port) = ports.next().unwrap_or_else(|| panic!("too many results of `{}`", self.name()));
            let cell = workspace.outputs.len();
            match (out, &port.fixed) {
                (Out::Scalar(c), _) if !port.ty.is_array() => {
                    *c = Const::zero(port.ty.scalar());
                    let address = std::ptr::from_mut(c).expose_provenance();
                    workspace.scalars.push((address, cell));
                    workspace.outputs.extend((0..cells_of(port.ty)).map(|_| 0));
                }
                (Out::Array(mut s), Some((sizes, count))) if port.ty.is_array() => {
                    let found = (s.elem(), s.len());
                    assert_eq!(
                        found,
                        (port.ty.scalar(), *count),
                        "result {i} of `{}` has sizes {sizes:?}",
                        self.name()
                    );
                    workspace.outputs.push(s.address());
                }
                (Out::Array(_), None) => panic!("the size of result {i} of `{}` is not known", self.name()),
                (Out::Scalar(_), _) => panic!("result {i} of `{}` is an array", self.name()),
                (Out::Array(_), Some(_)) => panic!("result {i} of `{}` is a scalar", self.name()),
            }
        }
        assert!(ports.next().is_none(), "too few results of `{}`", self.name());
        self.run_own_cells(workspace)?;
        for (address, cell) in &workspace.scalars {
            let c = std::ptr::with_exposed_provenance_mut::<Const>(*address);
            // SAFETY: it is a place that the caller lent to this call, and holds a number of the result's type.
            unsafe { *c = decode((*c).scalar().into(), &workspace.outputs[*cell..]) };
        }
        Ok(())
    }

    /// Calls the code of an extern function, whose sizes the caller knows: arguments (dimensions first) into results.
    pub(crate) fn call_extern(&self, args: &[Datum], results: &mut [Datum]) -> Result<(), RuntimeError> {
        let workspace = &mut Workspace::new();
        for d in args {
            match d {
                Datum::Scalar(c) => encode(*c, &mut workspace.inputs),
                Datum::Array(a) => workspace.inputs.push(Slice::from(&a.data).address()),
            }
        }
        let mut truths: Vec<Vec<u8>> = Vec::new();
        for d in results.iter_mut() {
            match d {
                Datum::Scalar(c) => workspace.outputs.extend((0..cells_of(c.scalar().into())).map(|_| 0)),
                // Native code may say true with any number.
                Datum::Array(Array { data: Buffer::Bool(x), .. }) => {
                    truths.push(vec![0u8; x.len()]);
                    let bytes = truths.last_mut().expect("it was just added");
                    workspace.outputs.push(bytes.as_mut_ptr().expose_provenance() as u64);
                }
                Datum::Array(a) => workspace.outputs.push(SliceMut::from(&mut a.data).address()),
            }
        }
        self.run_own_cells(workspace)?;
        let (mut at, mut truths) = (0, truths.into_iter());
        for d in results {
            match d {
                Datum::Scalar(c) => *c = decode(c.scalar().into(), &workspace.outputs[at..]),
                Datum::Array(Array { data: Buffer::Bool(x), .. }) => {
                    *x = truths.next().expect("one for each").into_iter().map(|b| b != 0).collect();
                }
                Datum::Array(_) => {}
            }
            at += cells_of(d.ty());
        }
        Ok(())
    }

    /// Runs on the workspace's own cells, which were filled from slices of the right sizes.
    fn run_own_cells(&self, workspace: &mut Workspace) -> Result<(), RuntimeError> {
        debug_assert_eq!(workspace.inputs.len(), self.input_cells);
        debug_assert_eq!(workspace.outputs.len(), self.output_cells);
        let (inputs, outputs) = (workspace.inputs.as_ptr(), workspace.outputs.as_mut_ptr());
        // SAFETY: the cells are complete; the addresses among them are of slices that the callers of this function have
        // borrowed and checked; the cells stay where they are while the call runs.
        unsafe { self.run(workspace, inputs, outputs) }
    }

    /// Fills the argument cells.
    fn take_args<'a>(&self, workspace: &mut Workspace, args: impl Iterator<Item = Arg<'a>>) {
        workspace.inputs.clear();
        let mut ports = self.shared.inputs.iter().enumerate();
        // Lengths of those whose sizes depend on other arguments.
        workspace.scalars.clear();
        for arg in args {
            let (i, port) = ports.next().unwrap_or_else(|| panic!("too many arguments of `{}`", self.name()));
            match arg {
                Arg::Scalar(c) => {
                    assert_eq!(Type::Scalar(c.scalar()), port.ty, "argument {i} of `{}`", self.name());
                    encode(c, &mut workspace.inputs);
                }
                Arg::Array(s) => {
                    assert!(
                        port.ty.is_array() && s.elem() == port.ty.scalar(),
                        "argument {i} of `{}` is of type {}",
                        self.name(),
                        port.ty
                    );
                    match &port.fixed {
                        Some((sizes, count)) => {
                            assert_eq!(
                                s.len(),
                                *count,
                                "argument {i} of `{}` has sizes {sizes:?}",
                                self.name()
                            );
                        }
                        None => workspace.scalars.push((i, s.len())),
                    }
                    workspace.inputs.push(s.address());
                }
            }
        }
        assert!(ports.next().is_none(), "too few arguments of `{}`", self.name());
        for k in 0..workspace.scalars.len() {
            let (i, len) = workspace.scalars[k];
            let sizes = self.sizes(&self.shared.inputs[i].shape, workspace);
            let count: usize = sizes.iter().product();
            assert_eq!(len, count, "argument {i} of `{}` has sizes {sizes:?}", self.name());
        }
    }

    /// Sizes made of numbers among the workspace's cells.
    fn sizes(&self, shape: &[Dim], workspace: &Workspace) -> Vec<usize> {
        let number = |v: Value| {
            let k = v.0 as usize;
            let inputs = &self.shared.inputs;
            let cell = |ports: &[Port]| ports.iter().map(|p| cells_of(p.ty)).sum::<usize>();
            match k.checked_sub(inputs.len()) {
                None => workspace.inputs[cell(&inputs[..k])] as i64,
                Some(k) => workspace.outputs[cell(&self.shared.outputs[..k])] as i64,
            }
        };
        shape.iter().map(|d| d.eval(number).and_then(|n| usize::try_from(n).ok()).unwrap_or(0)).collect()
    }
}

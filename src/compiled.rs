//! Compiled functions: native code behind checked, typed calls.
//!
//! A call finds the dimensions in the shapes of its arguments. For each set of numbers the function is specialised, simplified and
//! compiled once, and kept. If a derivative runs out of memory, it is made once more under `adc_ad::Policy::SMALL`, and later
//! calls use that variant.

mod batch;
mod blocks;
mod bound;
mod direct;
mod fixed;

use blocks::Blocks;
pub use bound::{Bound, Caller};
pub use direct::{Direct, Numbers};
pub use fixed::Fixed;

use crate::call;
use crate::error::{Error, UsageError};
use crate::function::Function;
use crate::output::room;
use crate::port::Port;
use crate::value::Value;
use adc_ir::interp::Limits;
use adc_ir::{Const, Datum, FpMode, ParamDomain, RuntimeError, Trap, Type};
use adc_jit::{Externs, Stats, Workspace};
use adc_simplify::OptLevel;
use std::collections::BTreeMap;
use std::fmt;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock, RwLock};

/// How a function is compiled.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Options {
    /// How much the program is simplified first. Never changes a verdict.
    pub opt: OptLevel,
    /// How functions that do not say so may be rounded; none allows more than this. Without it, functions are as they say, or else
    /// [`FpMode::Default`].
    pub fp: Option<FpMode>,
    /// Native code for the model's extern functions.
    pub externs: Externs,
    /// What one call may use: iterations of loops, and bytes of arrays. A derivative that would store more than these bytes
    /// stores less and computes more.
    pub limits: Limits,
    /// Threads that a call of many rows may use; all cores if nothing is said. Results are the same with any number.
    pub threads: Option<NonZeroUsize>,
}

impl Options {
    /// These options with `externs` bound.
    ///
    /// ```
    /// let mut externs = adc::Externs::new();
    /// externs.define_real("double", |[x]| 2.0 * x);
    /// let source = "extern fn double(x: f64) -> f64; fn f(x: f64) -> f64 { double(x) + 1 }";
    /// let f = adc::Model::parse("f.dsl", source)?.function("f")?;
    /// let f = f.compile(&adc::Options::default().with_externs(externs.clone()))?;
    /// assert_eq!(f.call(&[3.0.into()])?, [7.0.into()]);
    ///
    /// // Arrays and several types, with a hand-written rule that is checked like any other.
    /// use adc::{Scalar, Slice, SliceMut, Type};
    /// let vector = Type::Array(Scalar::F64, 1);
    /// externs.define("scale", &[vector, Type::F64], &[vector], |_dims, args, results| {
    ///     let ([Slice::F64(x), Slice::F64(k)], [SliceMut::F64(y)]) = (args, results) else { unreachable!() };
    ///     y.iter_mut().zip(*x).for_each(|(y, x)| *y = k[0] * x);
    ///     Ok(())
    /// });
    /// let source = "extern fn scale[N](x: f64[N], k: f64) -> f64[N];
    ///     rule vjp scale(x, k; g) { (k*g, sum(g*x)) }
    ///     fn f(x: f64[3], k: f64) -> f64 { sum(scale(x, k)^2) }
    ///     check f { x in [-1, 1]; k in [1, 2]; }";
    /// let model = adc::Model::parse("scale.dsl", source)?;
    /// assert!(adc::check(&model, &adc::CheckOptions::default().with_externs(externs)).passed());
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

    /// These options with another floating-point mode: of functions that have no `#[fp(…)]`, and the most that any function allows.
    ///
    /// ```
    /// // Products are added in one rounding where the mode allows that.
    /// let f = adc::Model::parse("f.dsl", "fn f(x: f64, y: f64) -> f64 { x*y + 1 }")?.function("f")?;
    /// let at = [1.0 + 1e-9, 1.0 - 1e-9].map(adc::Value::F64);
    /// let strict = adc::Options::default().with_fp(adc::FpMode::Strict);
    /// let raw = adc::Options::default().with_opt(adc::OptLevel::O0);
    /// assert_eq!(f.compile(&strict)?.call(&at)?, f.interpret(&raw, &at)?);
    /// # Ok::<(), adc::Error>(())
    /// ```
    pub fn with_fp(mut self, mode: FpMode) -> Options {
        self.fp = Some(mode);
        self
    }

    /// These options with calls of many rows on so many threads at most: 1 in a program that shares out the cores itself.
    ///
    /// ```
    /// let f = adc::Model::parse("f.dsl", "fn f(x: f64) -> f64 { x^2 }")?.function("f")?;
    /// let f = f.compile(&adc::Options::default().with_threads(1))?;
    /// assert_eq!(f.call_many(&[vec![1.0, 2.0].into()])?, [vec![1.0, 4.0].into()]);
    /// # Ok::<(), adc::Error>(())
    /// ```
    pub fn with_threads(mut self, threads: usize) -> Options {
        self.threads = NonZeroUsize::new(threads);
        self
    }

    /// These options with another limit of iterations of loops.
    pub fn with_fuel(mut self, iterations: u64) -> Options {
        self.limits.fuel = iterations;
        self
    }

    /// These options with another limit of memory.
    pub fn with_memory_limit(mut self, bytes: u64) -> Options {
        self.limits.bytes = bytes;
        self
    }
}

/// A compiled function. It owns its code, which is freed when the last clone goes, and can be called from
/// several threads at once.
///
/// A function with dimensions is compiled for each set of numbers it is called with, once.
#[derive(Clone)]
pub struct Compiled {
    shared: Arc<Shared>,
}

struct Shared {
    function: Function,
    options: Options,
    inputs: Vec<Input>,
    /// Whether every input and output is a scalar.
    scalar: bool,
    /// The code of a function without dimensions.
    fixed: Option<Arc<Instance>>,
    /// The code for each set of dimensions so far.
    instances: RwLock<BTreeMap<Vec<i64>, Arc<Instance>>>,
}

struct Input {
    ty: Type,
    domain: Option<ParamDomain>,
}

/// Code for one set of dimensions.
struct Instance {
    code: adc_jit::Compiled,
    /// The sizes of the inputs, if they are numbers.
    shapes: Option<Vec<Vec<usize>>>,
    /// Whether the size of a result is known only after the call.
    late: bool,
    /// Bytes of all results whose size is known before.
    bytes: u64,
    dims: Vec<i64>,
    /// The variant that stores as little as possible.
    small: OnceLock<Arc<Instance>>,
    /// Whether a call ran out of memory, and later ones need not try.
    frugal: AtomicBool,
    /// The code that takes its arguments in registers, if somebody asked for it and there is such code.
    registers: OnceLock<Option<adc_jit::Compiled>>,
    /// The code for many rows at once, likewise.
    blocks: Blocks,
}

impl fmt::Debug for Compiled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Compiled")
            .field("name", &self.shared.function.name())
            .field("stats", &self.stats())
            .finish()
    }
}

impl Instance {
    fn new(function: &Function, dims: &[i64], options: &Options) -> Result<Instance, Error> {
        let code = Instance::code(function, options, &adc_jit::Options::default())?;
        let size = |d: &adc_ir::Dim| usize::try_from(d.as_const()?).ok();
        let ir = function.ir();
        let shapes = ir.params.iter().map(|p| ir.shape(p.value).iter().map(size).collect()).collect();
        let late = (0..code.outputs().len()).any(|i| code.output_sizes(i).is_none());
        let bytes = (0..code.outputs().len())
            .filter_map(|i| {
                let sizes = code.output_sizes(i)?;
                let elem = code.outputs()[i].scalar().bytes();
                Some(sizes.iter().fold(elem as u64, |n, s| n.saturating_mul(*s as u64)))
            })
            .fold(0, u64::saturating_add);
        let (small, frugal, registers, blocks) = Default::default();
        let dims = dims.to_vec();
        Ok(Instance { code, shapes, late, bytes, dims, small, frugal, registers, blocks })
    }

    fn code(
        function: &Function,
        options: &Options,
        how: &adc_jit::Options,
    ) -> Result<adc_jit::Compiled, Error> {
        let (module, id) = function.simplified(options)?;
        let code = adc_jit::compile(&module, &[id], &options.externs, how);
        Ok(code.map_err(|d| function.diagnostic(d))?.pop().expect("one entry was asked for"))
    }
}

/// Whether sizes are the same, one after the other: `memcmp` loads vectors, which wait for all that the last call stored.
fn same(a: &[usize], b: &[usize]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a == b)
}

impl Shared {
    /// Whether the inputs fit the instance; if not, [`call::check_inputs`] tells why, or finds another instance.
    fn fits(&self, instance: &Instance, inputs: &[Value]) -> bool {
        let Some(shapes) = &instance.shapes else { return false };
        inputs.len() == self.inputs.len()
            && inputs.iter().zip(&self.inputs).zip(shapes).all(|((v, input), shape)| {
                v.elem() == input.ty.scalar()
                    && same(v.shape(), shape)
                    && input.domain.is_none_or(|d| call::inside(d, v))
            })
    }
}

impl Compiled {
    pub(crate) fn new(f: &Function, options: &Options) -> Result<Compiled, Error> {
        let ir = f.ir();
        let fixed = match ir.dims.len() {
            0 => Some(Arc::new(Instance::new(f, &[], options)?)),
            _ => {
                f.check_externs(options)?;
                None
            }
        };
        let inputs = ir.params.iter().map(|p| Input { ty: ir.ty(p.value), domain: p.domain }).collect();
        let scalar = f.inputs().iter().chain(f.outputs()).all(|p| !p.ty.is_array()) && fixed.is_some();
        let (function, options) = (f.clone(), options.clone());
        let shared = Shared { function, options, inputs, scalar, fixed, instances: RwLock::default() };
        Ok(Compiled { shared: Arc::new(shared) })
    }

    /// The inputs, in order.
    pub fn inputs(&self) -> &[Port] {
        self.shared.function.inputs()
    }

    /// The outputs, in order.
    pub fn outputs(&self) -> &[Port] {
        self.shared.function.outputs()
    }

    /// Counts of the compiled code: for a function with dimensions, of all code made for it so far; and of its code for many rows at once.
    pub fn stats(&self) -> Stats {
        let instances = self.shared.instances.read().unwrap_or_else(|e| e.into_inner());
        let mut sum = Stats::default();
        for instance in self.shared.fixed.iter().chain(instances.values()) {
            for s in std::iter::once(instance.code.stats()).chain(instance.blocks.stats()) {
                sum.ir_ops += s.ir_ops;
                sum.clif_insts += s.clif_insts;
                sum.native_functions += s.native_functions;
                sum.code_bytes += s.code_bytes;
                sum.frame_bytes = sum.frame_bytes.max(s.frame_bytes);
                sum.stack_bytes = sum.stack_bytes.max(s.stack_bytes);
                sum.lane_loops += s.lane_loops;
            }
        }
        sum
    }

    /// Calls the function.
    ///
    /// # Errors
    /// A wrong number, type or size of inputs; an argument outside its declared domain and the other run-time
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
    pub fn call(&self, inputs: &[Value]) -> Result<Vec<Value<'static>>, Error> {
        let instance = self.instance(inputs)?;
        let mut outputs = vec![Value::Bool(false); self.outputs().len()];
        let mut workspace = Workspace::with_limits(self.shared.options.limits);
        let mut numbers = self.numbers();
        self.run(&instance, &mut workspace, inputs, &mut outputs, &mut numbers)?;
        Ok(outputs)
    }

    /// Calls the function with inputs by name, in any order: parameters, and in derivative programs the seeds, called `x_dot` and
    /// `out_bar` after parameter `x` and result `out`.
    ///
    /// # Errors
    /// As [`Self::call`]; names that the function does not have, that are missing, or given twice.
    ///
    /// ```
    /// let model = adc::Model::parse("f.dsl", "fn f(x: f64, k: f64) -> f64 { k*x^2 }")?;
    /// let f = model.function("f")?.vjp("x")?.compile(&adc::Options::default())?;
    /// let out = f.call_named([("out_bar", 1.0.into()), ("k", 0.5.into()), ("x", 3.0.into())])?;
    /// assert_eq!(out, [4.5.into(), 3.0.into()]);
    /// let missing = f.call_named([("k", 0.5.into()), ("x", 3.0.into())]).unwrap_err();
    /// assert_eq!(missing.to_string(), "no value was given for `out_bar`");
    /// # Ok::<(), adc::Error>(())
    /// ```
    pub fn call_named<'n, 'v>(
        &self,
        inputs: impl IntoIterator<Item = (&'n str, Value<'v>)>,
    ) -> Result<Vec<Value<'static>>, Error> {
        let f = &self.shared.function;
        let mut found: Vec<Option<Value>> = vec![None; self.inputs().len()];
        for (name, value) in inputs {
            if found[f.param(name)?].replace(value).is_some() {
                return Err(UsageError::Twice(name.into()).into());
            }
        }
        let missing = found.iter().zip(self.inputs()).filter(|(v, _)| v.is_none());
        let names: Vec<String> = missing.map(|(_, port)| port.name.clone()).collect();
        if !names.is_empty() {
            return Err(UsageError::Missing(names).into());
        }
        self.call(&found.into_iter().flatten().collect::<Vec<_>>())
    }

    /// A slot for each scalar result.
    fn numbers(&self) -> Vec<Const> {
        self.outputs().iter().map(|o| Const::zero(o.ty.scalar())).collect()
    }

    /// Runs the code on inputs that fit it.
    fn run(
        &self,
        instance: &Instance,
        workspace: &mut Workspace,
        inputs: &[Value],
        outputs: &mut [Value<'static>],
        numbers: &mut [Const],
    ) -> Result<(), Error> {
        self.within_limits(instance)?;
        self.within_memory(instance, |instance| {
            let code = &instance.code;
            if instance.late {
                let args: Vec<Datum> = inputs.iter().map(Value::to_datum).collect();
                let found = code.call_data(workspace, &args)?;
                outputs.iter_mut().zip(found).for_each(|(out, d)| *out = d.into());
                return Ok(());
            }
            let places = outputs.iter_mut().zip(&mut *numbers).zip(self.outputs()).enumerate();
            let places = places.map(|(i, ((out, number), port))| {
                room(out, number, port.ty.scalar(), code.output_sizes(i).expect("it is known"))
            });
            code.call_into(workspace, inputs.iter().map(Value::arg), places)?;
            for ((out, number), port) in outputs.iter_mut().zip(&*numbers).zip(self.outputs()) {
                if !port.ty.is_array() {
                    *out = (*number).into();
                }
            }
            Ok(())
        })
    }

    /// Refuses results that take more memory than a call may have.
    fn within_limits(&self, instance: &Instance) -> Result<(), Error> {
        let limits = &self.shared.options.limits;
        if instance.bytes <= limits.bytes {
            return Ok(());
        }
        let error = RuntimeError { trap: Trap::OutOfMemory, span: self.shared.function.header() };
        Err(self.shared.function.failed_within(error, limits, Some(instance.bytes)))
    }

    /// Runs the code. If a derivative runs out of memory, it runs the variant that stores as little as possible, whose
    /// results have the same bits.
    fn within_memory(
        &self,
        instance: &Instance,
        mut run: impl FnMut(&Instance) -> Result<(), RuntimeError>,
    ) -> Result<(), Error> {
        if !instance.frugal.load(Ordering::Relaxed) {
            match run(instance) {
                Err(e) if e.trap == Trap::OutOfMemory => match self.small(instance) {
                    Some(small) => {
                        small?;
                        instance.frugal.store(true, Ordering::Relaxed);
                    }
                    None => return Err(self.failed(e)),
                },
                result => return result.map_err(|e| self.failed(e)),
            }
        }
        let small = self.small(instance).expect("it was made when memory ran out")?;
        run(&small).map_err(|e| self.failed(e))
    }

    /// The variant to go on with after this error, if the code ran out of memory and has one; else the error.
    fn smaller(&self, instance: Option<Arc<Instance>>, error: RuntimeError) -> Result<Arc<Instance>, Error> {
        let small = match (instance, &error.trap) {
            (Some(instance), Trap::OutOfMemory) => self.small(&instance),
            _ => None,
        };
        small.unwrap_or_else(|| Err(self.failed(error)))
    }

    /// The variant of the code that needs little memory; `None` if the function is no derivative.
    fn small(&self, instance: &Instance) -> Option<Result<Arc<Instance>, Error>> {
        if let Some(made) = instance.small.get() {
            return Some(Ok(made.clone()));
        }
        let function = self.shared.function.small(&instance.dims)?;
        let made = function.and_then(|f| Instance::new(&f, &instance.dims, &self.shared.options));
        Some(made.map(|made| instance.small.get_or_init(|| Arc::new(made)).clone()))
    }

    /// The code of a function of scalars that takes its arguments in registers, if there is such code; it is made when it is asked
    /// for first.
    fn registers(&self, instance: &Instance) -> Option<adc_jit::Compiled> {
        let make = || {
            let mut how = adc_jit::Options::default();
            how.registers = true;
            let function = match instance.dims.len() {
                0 => self.shared.function.clone(),
                _ => self.shared.function.at_dims(&instance.dims).ok()?,
            };
            let code = Instance::code(&function, &self.shared.options, &how).ok()?;
            code.has_registers().then_some(code)
        };
        instance.registers.get_or_init(make).clone()
    }

    /// Checks the inputs and finds the code for their sizes.
    fn instance(&self, inputs: &[Value]) -> Result<Arc<Instance>, Error> {
        self.instance_at(call::check_inputs(&self.shared.function, inputs)?)
    }

    fn instance_at(&self, dims: Vec<i64>) -> Result<Arc<Instance>, Error> {
        if let Some(fixed) = &self.shared.fixed {
            return Ok(fixed.clone());
        }
        let instances = self.shared.instances.read().unwrap_or_else(|e| e.into_inner());
        if let Some(found) = instances.get(&dims) {
            return Ok(found.clone());
        }
        drop(instances);
        // Two threads may compile the same code at the same time; the code of the first one is kept.
        let function = self.shared.function.at_dims(&dims)?;
        let made = Arc::new(Instance::new(&function, &dims, &self.shared.options)?);
        let mut instances = self.shared.instances.write().unwrap_or_else(|e| e.into_inner());
        Ok(instances.entry(dims).or_insert(made).clone())
    }

    /// The hot path: a binding of the function to memory it may use, whose calls allocate nothing.
    ///
    /// ```
    /// let model = adc::Model::parse("f.dsl", "fn f(x: f64) -> f64 { x*x }")?;
    /// let f = model.function("f")?.value_and_grad(adc::Wrt::All)?.compile(&adc::Options::default())?;
    /// let mut workspace = adc::Workspace::default();
    /// let mut bound = f.bind(&mut workspace);
    /// let mut out = vec![adc::Value::F64(0.0); 2];
    /// for i in 0..10 {
    ///     bound.call_into(&[f64::from(i).into()], &mut out)?;
    ///     assert_eq!(out[1], (2.0 * f64::from(i)).into());
    /// }
    /// # Ok::<(), adc::Error>(())
    /// ```
    pub fn bind<'a>(&'a self, workspace: &'a mut Workspace) -> Bound<'a> {
        Bound::new(self, workspace)
    }

    /// The code of a function of scalars only.
    fn scalar_code(&self) -> Option<&adc_jit::Compiled> {
        self.shared.fixed.as_ref().filter(|_| self.shared.scalar).map(|i| &i.code)
    }

    fn failed(&self, error: RuntimeError) -> Error {
        self.shared.function.failed_within(error, &self.shared.options.limits, None)
    }
}

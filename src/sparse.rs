//! Sparse Jacobians and Hessians: the pattern from the program, the numbers from a few products.

use crate::compiled::{Caller, Compiled, Options};
use crate::coo::Coo;
use crate::error::{Error, UsageError};
use crate::function::Function;
use crate::output::OutputRef;
use crate::port::Port;
use crate::value::Value;
use crate::wrt::Wrt;
use adc_ad::colouring::{self, Colouring};
use adc_ad::{Pattern, sparsity};
use adc_ir::{Code, Const, Datum, Diagnostic, Scalar};
use adc_jit::{Cancel, Slice};
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// A program for a sparse Jacobian or Hessian. The pattern and its colouring are found at the first call, and again when sizes or
/// integer inputs change; a call runs one product for each colour.
pub struct Sparse {
    function: Function,
    options: Options,
    hessian: bool,
    wrt: Vec<usize>,
    /// The program whose derivative is sought: the function itself, or its gradient.
    traced: Function,
    known: Mutex<Option<Arc<Plan>>>,
}

impl fmt::Debug for Sparse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sparse").field("function", &self.function.name()).finish_non_exhaustive()
    }
}

/// What is known for some sizes and integer inputs.
struct Plan {
    /// Sizes of the inputs, and the discrete ones.
    key: Vec<Value<'static>>,
    shapes: Vec<Vec<usize>>,
    pattern: Pattern,
    program: Compiled,
    colouring: Colouring,
    /// For each colour, a seed for each parameter or result.
    seeds: Vec<Vec<Value<'static>>>,
    found: Found,
    /// How many results of the program come before its products: those of the function.
    first: usize,
    blocks: Vec<BlockPlan>,
    /// The function itself, for its values.
    primal: Compiled,
    /// Memory of calls that have ended.
    scratch: Mutex<Vec<Scratch>>,
}

/// Where the entries are found.
enum Found {
    /// In the products as one array, each of them with results of these sizes.
    Flat { sizes: Vec<usize>, places: Vec<u32> },
    /// For each entry the colour in whose product it is found, and where there.
    Each(Vec<(u32, u32)>),
}

/// Memory of a call.
struct Scratch {
    caller: Caller,
    primal: Caller,
    /// Products one after the other, or as they come.
    flat: Vec<f64>,
    each: Vec<Vec<Value<'static>>>,
}

/// How the numbers are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// By tangents, a colour of columns each.
    Forward,
    /// By cotangents, a colour of rows each.
    Reverse,
    /// By products with the Hessian.
    Products,
}

struct BlockPlan {
    names: [String; 2],
    shape: [usize; 2],
    row: Arc<Vec<u32>>,
    col: Arc<Vec<u32>>,
    starts: Arc<Vec<u32>>,
    /// Which entries of the whole matrix these are; `None`: all.
    entries: Option<Vec<u32>>,
}

impl Function {
    /// The Jacobian as sparse matrices, one for each real result and parameter of `wrt`.
    ///
    /// # Errors
    /// As [`Self::vjp`]; complex parameters or results.
    ///
    /// ```
    /// let source = "fn f[N](u: f64[N]) -> f64[N] { [u[i]^2 + (if i > 0 { u[i - 1] } else { 0.0 }) for i] }";
    /// let f = adc::Model::parse("f.dsl", source)?.function("f")?;
    /// let jacobian = f.sparse_jacobian(adc::Wrt::All, &adc::Options::default())?;
    /// let (_, blocks) = jacobian.call(&[vec![1.0, 2.0, 3.0].into()])?;
    /// assert_eq!((&*blocks[0].row, &*blocks[0].col), (&vec![0, 1, 1, 2, 2], &vec![0, 0, 1, 1, 2]));
    /// assert_eq!(blocks[0].value, [2.0, 1.0, 4.0, 1.0, 6.0]);
    /// assert_eq!(jacobian.colours(), 2);
    /// # Ok::<(), adc::Error>(())
    /// ```
    pub fn sparse_jacobian(&self, wrt: impl Into<Wrt>, options: &Options) -> Result<Sparse, Error> {
        let wrt = self.in_order(&wrt.into())?;
        self.jvp(self.names(&wrt))?;
        Sparse::new(self, self.clone(), wrt, false, options)
    }

    /// The second derivatives of the single real result as sparse matrices, one for each pair of parameters of `wrt`.
    ///
    /// # Errors
    /// As [`Self::hessian`].
    ///
    /// ```
    /// let f = adc::Model::parse("f.dsl", "fn f[N](x: f64[N]) -> f64 { sum(x[i]*x[i + 1] for i in 0..N-1) }")?.function("f")?;
    /// let hessian = f.sparse_hessian("x", &adc::Options::default())?;
    /// let (_, blocks) = hessian.call(&[vec![1.0, 2.0, 3.0].into()])?;
    /// assert_eq!((&*blocks[0].row, &*blocks[0].col), (&vec![0, 1, 1, 2], &vec![1, 0, 2, 1]));
    /// assert_eq!(blocks[0].value, [1.0; 4]);
    /// # Ok::<(), adc::Error>(())
    /// ```
    pub fn sparse_hessian(&self, wrt: impl Into<Wrt>, options: &Options) -> Result<Sparse, Error> {
        let wrt = self.in_order(&wrt.into())?;
        let gradient = self.grad(self.names(&wrt))?;
        Sparse::new(self, gradient, wrt, true, options)
    }

    /// Positions of parameters, ascending.
    fn in_order(&self, wrt: &Wrt) -> Result<Vec<usize>, Error> {
        let mut wrt = self.params(wrt)?;
        wrt.sort_unstable();
        match wrt.windows(2).find(|w| w[0] == w[1]) {
            Some(twice) => Err(UsageError::Twice(self.inputs()[twice[0]].name.clone()).into()),
            None => Ok(wrt),
        }
    }

    fn names(&self, wrt: &[usize]) -> Wrt {
        Wrt::of(wrt.iter().map(|i| self.inputs()[*i].name.clone()))
    }
}

impl Sparse {
    fn new(
        f: &Function,
        traced: Function,
        wrt: Vec<usize>,
        hessian: bool,
        options: &Options,
    ) -> Result<Sparse, Error> {
        let results = f.ir().differentiable_results().into_iter().map(|i| &f.outputs()[i]);
        let complex = |p: &&Port| p.ty.scalar().is_complex();
        if let Some(port) = wrt.iter().map(|i| &f.inputs()[*i]).chain(results).find(complex) {
            let message =
                format!("`{}` is {}, but sparse derivatives are of real numbers", port.name, port.describe());
            let d = Diagnostic::error(Code::BadUsage, message).label(f.header(), "declared here");
            return Err(
                f.diagnostic(d.help("ask for the dense matrix, or take real and imaginary parts apart"))
            );
        }
        Ok(Sparse {
            function: f.clone(),
            options: options.clone(),
            hessian,
            wrt,
            traced,
            known: Mutex::default(),
        })
    }

    /// Values of the function, and the blocks of the matrix: result by result, or parameter by parameter, each by all parameters.
    ///
    /// # Errors
    /// As [`Compiled::call`]; a program whose pattern cannot be seen.
    pub fn call(&self, inputs: &[Value]) -> Result<(Vec<Value<'static>>, Vec<Coo>), Error> {
        self.call_until(inputs, None)
    }

    /// As [`Self::call`], until it is cancelled.
    ///
    /// # Errors
    /// As [`Self::call`].
    pub fn call_until(
        &self,
        inputs: &[Value],
        cancel: Option<&Cancel>,
    ) -> Result<(Vec<Value<'static>>, Vec<Coo>), Error> {
        let plan = self.plan(inputs)?;
        plan.with_scratch(cancel, |scratch| {
            let all = plan.entries(scratch, inputs)?;
            Ok((plan.values(scratch, inputs)?, plan.matrices(all)))
        })
    }

    /// The blocks of the matrix alone, until it is cancelled.
    ///
    /// # Errors
    /// As [`Self::call`].
    pub fn blocks_until(&self, inputs: &[Value], cancel: Option<&Cancel>) -> Result<Vec<Coo>, Error> {
        let plan = self.plan(inputs)?;
        plan.with_scratch(cancel, |scratch| Ok(plan.matrices(plan.entries(scratch, inputs)?)))
    }

    /// Number of products that a call runs, 0 before the first one.
    pub fn colours(&self) -> usize {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).as_ref().map_or(0, |p| p.colouring.count)
    }

    fn plan(&self, inputs: &[Value]) -> Result<Arc<Plan>, Error> {
        let discrete = |v: &&Value| !v.ty().is_differentiable();
        let fits = |plan: &&Arc<Plan>| {
            plan.shapes.len() == inputs.len()
                && plan.shapes.iter().zip(inputs).all(|(s, v)| s == v.shape())
                && plan.key.iter().eq(inputs.iter().filter(discrete))
        };
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(plan) = known.as_ref().filter(fits) {
            return Ok(plan.clone());
        }
        let key = inputs.iter().filter(discrete).map(|v| v.clone().into_owned()).collect();
        let plan = Arc::new(self.made(inputs, key)?);
        *self.known.lock().unwrap_or_else(PoisonError::into_inner) = Some(plan.clone());
        Ok(plan)
    }

    fn made(&self, inputs: &[Value], key: Vec<Value<'static>>) -> Result<Plan, Error> {
        let dims = crate::call::check_inputs(&self.function, inputs)?;
        let at = |f: &Function| if dims.is_empty() { Ok(f.clone()) } else { f.at_dims(&dims) };
        let (f, traced) = (at(&self.function)?, at(&self.traced)?);
        let results =
            if self.hessian { (0..self.wrt.len()).collect() } else { f.ir().differentiable_results() };
        // The pattern needs sizes and integers only.
        let data: Vec<Datum> = inputs.iter().map(Value::to_datum).collect();
        let module = traced.expanded()?;
        let pattern =
            sparsity(&module, traced.id, &self.wrt, &results, &data).map_err(|d| f.diagnostic(d))?;
        let wrt_names = f.names(&self.wrt);
        let sizes = |ports: &[Port], which: &[usize]| -> Result<Vec<(String, Vec<usize>, Scalar)>, Error> {
            let one = |i: &usize| {
                let port = &ports[*i];
                let sizes = port.sizes().ok_or_else(|| UsageError::Ragged(port.name.clone()))?;
                Ok((port.name.clone(), sizes, port.ty.scalar()))
            };
            which.iter().map(one).collect()
        };
        let columns = sizes(f.inputs(), &self.wrt)?;
        let rows = if self.hessian { columns.clone() } else { sizes(f.outputs(), &results)? };
        let (pattern, colouring, way) = match self.hessian {
            true => {
                let pattern = pattern.symmetrised();
                let colouring = colouring::symmetric(&pattern);
                (pattern, colouring, Way::Products)
            }
            false => {
                let (by_column, by_row) =
                    (colouring::columns(&pattern), colouring::columns(&pattern.transposed()));
                // A cotangent takes a forward and a reverse sweep.
                match 2 * by_row.count < by_column.count {
                    true => (pattern, by_row, Way::Reverse),
                    false => (pattern, by_column, Way::Forward),
                }
            }
        };
        let mut program = match way {
            Way::Forward => f.jvp(wrt_names)?,
            Way::Reverse => f.vjp(wrt_names)?,
            Way::Products => f.hvp(wrt_names)?,
        };
        let mut first = if way == Way::Products { 0 } else { f.outputs().len() };
        // Several products have the values of the function only once.
        let names: Vec<String> = program.outputs().iter().map(|p| p.name.clone()).collect();
        let distinct = (1..names.len()).all(|k| !names[..k].contains(&names[k]));
        if colouring.count > 1 && first > 0 && distinct {
            program = program.with_outputs(names[first..].iter().map(String::as_str))?;
            first = 0;
        }
        let (seeded, made) = if way == Way::Reverse { (&rows, &columns) } else { (&columns, &rows) };
        let seeds = (0..colouring.count as u32).map(|c| seeds(seeded, &colouring.colours, c)).collect();
        let found = found(&pattern, &colouring, way);
        let found = if first == 0 { flat(found, made, colouring.count) } else { Found::Each(found) };
        let blocks = blocks(&pattern, &rows, &columns);
        let (program, primal) = (program.compile(&self.options)?, f.compile(&self.options)?);
        let shapes = inputs.iter().map(|v| v.shape().to_vec()).collect();
        Ok(Plan {
            key,
            shapes,
            pattern,
            program,
            colouring,
            seeds,
            found,
            first,
            blocks,
            primal,
            scratch: Mutex::default(),
        })
    }

    /// Number of entries of the whole matrix that can be different from zero, 0 before the first call.
    pub fn entries(&self) -> usize {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.as_ref().map_or(0, |p| p.pattern.entries.len())
    }
}

impl Plan {
    fn scratch(&self) -> Scratch {
        let count = self.colouring.count;
        let (flat, each) = match &self.found {
            Found::Flat { sizes, .. } => (vec![0.0; count * sizes.iter().sum::<usize>()], Vec::new()),
            Found::Each(_) => {
                (Vec::new(), vec![vec![Value::Bool(false); self.program.outputs().len()]; count])
            }
        };
        Scratch { caller: self.program.caller(), primal: self.primal.caller(), flat, each }
    }

    /// Runs with memory that is kept for the next call.
    fn with_scratch<R>(
        &self,
        cancel: Option<&Cancel>,
        run: impl FnOnce(&mut Scratch) -> Result<R, Error>,
    ) -> Result<R, Error> {
        let kept = self.scratch.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut scratch = kept.unwrap_or_else(|| self.scratch());
        scratch.cancel(cancel);
        let done = run(&mut scratch);
        scratch.cancel(None);
        self.scratch.lock().unwrap_or_else(PoisonError::into_inner).push(scratch);
        done
    }

    /// The matrices of these entries.
    fn matrices(&self, all: Vec<f64>) -> Vec<Coo> {
        let block = |b: &BlockPlan, all: Option<Vec<f64>>, numbers: &[f64]| Coo {
            row_name: b.names[0].clone(),
            column_name: b.names[1].clone(),
            shape: b.shape,
            row: b.row.clone(),
            col: b.col.clone(),
            starts: b.starts.clone(),
            value: match (all, &b.entries) {
                (_, Some(entries)) => entries.iter().map(|k| numbers[*k as usize]).collect(),
                (Some(all), None) => all,
                (None, None) => numbers.to_vec(),
            },
        };
        match &self.blocks[..] {
            [one] => vec![block(one, Some(all), &[])],
            many => many.iter().map(|b| block(b, None, &all)).collect(),
        }
    }

    /// The entries of the whole matrix.
    fn entries(&self, s: &mut Scratch, inputs: &[Value]) -> Result<Vec<f64>, Error> {
        Ok(match &self.found {
            Found::Flat { sizes, places } => {
                let mut rest = &mut s.flat[..];
                for seeds in &self.seeds {
                    let mut outputs = Vec::with_capacity(sizes.len());
                    for n in sizes {
                        let (out, behind) = rest.split_at_mut(*n);
                        outputs.push(OutputRef::from(out));
                        rest = behind;
                    }
                    s.caller.call_to(&given(inputs, seeds), &mut outputs)?;
                }
                places.iter().map(|k| s.flat[*k as usize]).collect()
            }
            Found::Each(places) => {
                for (seeds, outputs) in self.seeds.iter().zip(&mut s.each) {
                    s.caller.call_into(&given(inputs, seeds), outputs)?;
                }
                // One product after the other, each as one array.
                let products: Vec<Product> = s.each.iter().map(|o| Product::of(&o[self.first..])).collect();
                let products: Vec<&[f64]> = products.iter().map(Product::numbers).collect();
                places.iter().map(|(colour, at)| products[*colour as usize][*at as usize]).collect()
            }
        })
    }

    /// Values of the function, behind [`Self::entries`].
    fn values(&self, s: &mut Scratch, inputs: &[Value]) -> Result<Vec<Value<'static>>, Error> {
        match s.each.first() {
            Some(outputs) if self.first > 0 => Ok(outputs[..self.first].to_vec()),
            Some(_) | None => {
                let mut values = vec![Value::Bool(false); self.primal.outputs().len()];
                s.primal.call_into(inputs, &mut values)?;
                Ok(values)
            }
        }
    }
}

impl Scratch {
    fn cancel(&mut self, cancel: Option<&Cancel>) {
        self.caller.set_cancel(cancel.cloned());
        self.primal.set_cancel(cancel.cloned());
    }
}

/// Inputs and seeds.
fn given<'a>(inputs: &'a [Value], seeds: &'a [Value<'static>]) -> Vec<Value<'a>> {
    inputs.iter().chain(seeds).map(Value::borrowed).collect()
}

/// The places of entries in products of these results as one array, if they are arrays of doubles.
fn flat(found: Vec<(u32, u32)>, made: &[(String, Vec<usize>, Scalar)], count: usize) -> Found {
    let arrays = made.iter().all(|(_, shape, elem)| *elem == Scalar::F64 && !shape.is_empty());
    let sizes: Vec<usize> = made.iter().map(|(_, shape, _)| shape.iter().product()).collect();
    let width: usize = sizes.iter().sum();
    match arrays && count.saturating_mul(width) <= u32::MAX as usize {
        true => {
            let places = found.into_iter().map(|(colour, at)| colour * width as u32 + at).collect();
            Found::Flat { sizes, places }
        }
        false => Found::Each(found),
    }
}

/// A product as one array: the program's own, or a copy of several.
enum Product<'a> {
    Own(&'a [f64]),
    Copy(Vec<f64>),
}

impl Product<'_> {
    fn of<'a>(outputs: &'a [Value<'static>]) -> Product<'a> {
        if let [one] = outputs
            && let Some(Slice::F64(numbers)) = one.elements()
        {
            return Product::Own(numbers);
        }
        Product::Copy(outputs.iter().flat_map(Value::consts).map(|c| c.to_c128().re).collect())
    }

    fn numbers(&self) -> &[f64] {
        match self {
            Product::Own(numbers) => numbers,
            Product::Copy(numbers) => numbers,
        }
    }
}

/// For each port an array that is 1 where an element has the colour.
fn seeds(ports: &[(String, Vec<usize>, Scalar)], colours: &[u32], colour: u32) -> Vec<Value<'static>> {
    let mut first = 0;
    let one = |(_, shape, elem): &(String, Vec<usize>, Scalar)| {
        let mut seed = Datum::zeros(*elem, shape);
        for k in 0..seed.len() {
            if colours[first + k] == colour {
                seed.set(k, Const::real(1.0, *elem));
            }
        }
        first += seed.len();
        Value::from(seed)
    };
    ports.iter().map(one).collect()
}

/// Where each entry is found.
fn found(pattern: &Pattern, colouring: &Colouring, way: Way) -> Vec<(u32, u32)> {
    let colours = &colouring.colours;
    let alone = if way == Way::Products { colouring::recovery(pattern, colouring) } else { Vec::new() };
    let mut found = Vec::with_capacity(pattern.entries.len());
    for i in 0..pattern.rows() {
        for j in pattern.row(i) {
            let (row, column) = (i as u32, *j);
            let forward = match way {
                Way::Forward => true,
                Way::Reverse => false,
                Way::Products => alone[found.len()],
            };
            found.push(match forward {
                true => (colours[column as usize], row),
                false => (colours[i], column),
            });
        }
    }
    found
}

/// The matrix by results and parameters.
fn blocks(
    pattern: &Pattern,
    rows: &[(String, Vec<usize>, Scalar)],
    columns: &[(String, Vec<usize>, Scalar)],
) -> Vec<BlockPlan> {
    let single = rows.len() == 1 && columns.len() == 1;
    let mut blocks = Vec::new();
    let mut top = 0;
    for (row_name, row_shape, _) in rows {
        let height: usize = row_shape.iter().product();
        let mut left = 0;
        for (column_name, column_shape, _) in columns {
            let width: usize = column_shape.iter().product();
            let (mut row, mut col, mut entries) = (Vec::new(), Vec::new(), Vec::new());
            let mut starts = vec![0];
            for i in top..top + height {
                for k in pattern.starts[i]..pattern.starts[i + 1] {
                    let j = pattern.entries[k] as usize;
                    if (left..left + width).contains(&j) {
                        row.push((i - top) as u32);
                        col.push((j - left) as u32);
                        entries.push(k as u32);
                    }
                }
                starts.push(col.len() as u32);
            }
            let entries = (!single).then_some(entries);
            let names = [row_name.clone(), column_name.clone()];
            blocks.push(BlockPlan {
                names,
                shape: [height, width],
                row: Arc::new(row),
                col: Arc::new(col),
                starts: Arc::new(starts),
                entries,
            });
            left += width;
        }
        top += height;
    }
    blocks
}

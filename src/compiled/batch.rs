//! Many calls at once: rows of inputs, on all cores, and in lanes where enough rows make that worth its compilation.

use super::blocks::{BLOCK, Rows};
use super::{Compiled, Instance};
use crate::call;
use crate::error::{Error, UsageError};
use crate::output::stacked;
use crate::value::{Element, Value};
use adc_ir::Scalar;
use adc_ir::batch::Layout;
use adc_jit::{Cancel, Workspace};

/// Operations that are worth a thread of their own: it takes some 20 µs to start.
const THREAD: usize = 1 << 16;

/// Rows that are worth a thread.
fn worth_a_thread(code: &adc_jit::Compiled) -> usize {
    match code.is_light() {
        true => THREAD.div_ceil(code.stats().ir_ops.max(1)),
        false => 1,
    }
}

/// The arguments of one of many calls.
fn row<'v>(inputs: &'v [Value], over: &[bool], i: usize) -> impl Iterator<Item = Value<'v>> {
    inputs.iter().zip(over).map(move |(v, over)| if *over { v.row(i) } else { v.borrowed() })
}

impl Compiled {
    /// Calls the function once for each row of `inputs`, which holds the inputs of all calls one after the other,
    /// on all cores; `outputs` takes the results likewise.
    ///
    /// # Errors
    /// As [`Self::call`], that of the first row that fails; a number of values that makes no whole rows.
    ///
    /// ```
    /// let model = adc::Model::parse("f.dsl", "fn f(x: f64, y: f64) -> f64 { x*y }")?;
    /// let f = model.function("f")?.compile(&adc::Options::default())?;
    /// let mut out = vec![adc::Value::F64(0.0); 3];
    /// f.batch(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0].map(adc::Value::F64), &mut out)?;
    /// assert_eq!(out, [2.0, 12.0, 30.0].map(adc::Value::F64));
    /// # Ok::<(), adc::Error>(())
    /// ```
    pub fn batch(&self, inputs: &[Value], outputs: &mut [Value<'static>]) -> Result<(), Error> {
        if let Some(done) = self.batch_as_reals(inputs, outputs) {
            return done;
        }
        self.batch_until(inputs, outputs, None)
    }

    /// [`Self::batch`] by way of [`Self::batch_reals`], where that can take the rows and has code for blocks of them.
    fn batch_as_reals(&self, inputs: &[Value], outputs: &mut [Value<'static>]) -> Option<Result<(), Error>> {
        let real = |v: &Value| if let Value::F64(x) = v { Some(*x) } else { None };
        let instance = self.shared.fixed.as_ref().filter(|_| self.shared.scalar)?;
        let rows = self.rows(inputs.len(), outputs.len()).ok()?;
        let block = self.blocks(instance, &Layout::Rows, rows)?;
        let reals: Vec<f64> = inputs.iter().map(real).collect::<Option<_>>()?;
        let mut results = vec![0.0; outputs.len()];
        let done = self.rows_of_reals(instance, Some(&block), rows, (&reals, &mut results));
        outputs.iter_mut().zip(results).for_each(|(to, x)| *to = x.into());
        Some(done)
    }

    /// As [`Self::batch`], until it is cancelled.
    fn batch_until(
        &self,
        inputs: &[Value],
        outputs: &mut [Value<'static>],
        cancel: Option<&Cancel>,
    ) -> Result<(), Error> {
        let (n, m) = (self.shared.inputs.len(), self.outputs().len());
        let rows = self.rows(inputs.len(), outputs.len())?;
        let share = self.shared.fixed.as_ref().map_or(1, |i| worth_a_thread(&i.code));
        self.by_rows(
            (inputs, n),
            (outputs, m),
            (rows, share),
            &|inputs: &[Value], outputs: &mut [Value<'static>], rows| {
                let mut workspace = Workspace::default();
                workspace.set_cancel(cancel.cloned());
                let mut bound = self.bind(&mut workspace);
                (0..rows).try_for_each(|i| {
                    bound.call_into(&inputs[i * n..(i + 1) * n], &mut outputs[i * m..(i + 1) * m])
                })
            },
        )
    }

    /// The number of calls that so many inputs and outputs are for.
    fn rows(&self, inputs: usize, outputs: usize) -> Result<usize, UsageError> {
        let (n, m) = (self.shared.inputs.len(), self.outputs().len());
        // A function without inputs has as many rows as the outputs can hold.
        let rows = inputs.checked_div(n).or(outputs.checked_div(m)).unwrap_or(0);
        match [(n, inputs), (m, outputs)].into_iter().find(|(width, found)| width * rows != *found) {
            Some((width, found)) => Err(UsageError::Arity { expected: width * rows, found }),
            None => Ok(rows),
        }
    }

    /// Runs parts of `rows` rows, so many inputs and outputs wide, on all cores, at least `least` on each.
    fn by_rows<T: Sync, U: Send>(
        &self,
        (inputs, n): (&[T], usize),
        (outputs, m): (&mut [U], usize),
        (rows, least): (usize, usize),
        run: &(impl Fn(&[T], &mut [U], usize) -> Result<(), Error> + Sync),
    ) -> Result<(), Error> {
        let share = self.share(rows, least);
        std::thread::scope(|scope| {
            let (mut inputs, mut outputs, mut left) = (inputs, outputs, rows);
            let mut parts = Vec::new();
            while left > share {
                let (from, more) = inputs.split_at(share * n);
                let (to, rest) = outputs.split_at_mut(share * m);
                (inputs, outputs, left) = (more, rest, left - share);
                parts.push(scope.spawn(move || run(from, to, share)));
            }
            let last = run(inputs, outputs, left);
            // In order, so that the first row's error is the one reported.
            parts
                .into_iter()
                .try_for_each(|p| p.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
                .and(last)
        })
    }

    /// Threads at most.
    fn threads(&self) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, |n| n.get());
        self.shared.options.threads.map_or_else(cores, |n| n.get())
    }

    /// The rows of each thread, if one has `least` of them or more: whole blocks, as long as there are several.
    fn share(&self, rows: usize, least: usize) -> usize {
        // Asking for the number of cores takes as long as a hundred rows.
        let threads = match rows / least {
            0 | 1 => return rows,
            parts => self.threads().min(parts),
        };
        match rows.div_ceil(threads) {
            share if share < BLOCK => share,
            share => share.next_multiple_of(BLOCK),
        }
    }

    /// Calls the function for every entry along a leading axis that each input has besides its own axes, on all cores; the
    /// results have it, too.
    ///
    /// # Errors
    /// As [`Self::call`]; inputs without that axis, or with other numbers of entries along it.
    ///
    /// ```
    /// use ndarray::array;
    /// let model = adc::Model::parse("f.dsl", "fn f[N](x: f64[N], k: f64) -> f64 { k*sum(x) }")?;
    /// let f = model.function("f")?.compile(&adc::Options::default())?;
    /// let out = f.call_many(&[array![[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]].into(), array![1.0, 10.0, 100.0].into()])?;
    /// assert_eq!(out, [vec![3.0, 70.0, 1100.0].into()]);
    /// # Ok::<(), adc::Error>(())
    /// ```
    pub fn call_many(&self, inputs: &[Value]) -> Result<Vec<Value<'static>>, Error> {
        self.call_many_over(inputs, &vec![true; inputs.len()], None)
    }

    /// As [`Self::call_many`], where only the inputs marked in `over` have that axis, and the others are the same in all calls;
    /// until it is cancelled.
    ///
    /// # Errors
    /// As [`Self::call_many`].
    ///
    /// ```
    /// let model = adc::Model::parse("f.dsl", "fn f(x: f64, k: f64) -> f64 { k*x }")?;
    /// let f = model.function("f")?.compile(&adc::Options::default())?;
    /// let out = f.call_many_over(&[vec![1.0, 2.0].into(), 10.0.into()], &[true, false], None)?;
    /// assert_eq!(out, [vec![10.0, 20.0].into()]);
    /// # Ok::<(), adc::Error>(())
    /// ```
    pub fn call_many_over(
        &self,
        inputs: &[Value],
        over: &[bool],
        cancel: Option<&Cancel>,
    ) -> Result<Vec<Value<'static>>, Error> {
        let expected = self.shared.inputs.len();
        if let Some(found) = [inputs.len(), over.len()].into_iter().find(|n| *n != expected) {
            return Err(UsageError::Arity { expected, found }.into());
        }
        let moving = || inputs.iter().zip(self.inputs()).zip(over).filter(|(_, over)| **over);
        let rows = moving().next().and_then(|((v, _), _)| v.shape().first().copied()).unwrap_or(0);
        for ((v, port), _) in moving() {
            if v.shape().first() != Some(&rows) {
                let (name, found) = (port.name.clone(), v.describe());
                return Err(UsageError::Rows { name, rows, found }.into());
            }
        }
        if let Some(results) = self.in_blocks(inputs, over, rows, cancel) {
            return Ok(results);
        }
        let calls: Vec<Value> = (0..rows).flat_map(|i| row(inputs, over, i)).collect();
        let width = self.outputs().len();
        let mut results = vec![Value::Bool(false); rows * width];
        self.batch_until(&calls, &mut results, cancel)?;
        let column = |k: usize| results.iter().skip(k).step_by(width).collect::<Vec<_>>();
        (0..width)
            .map(|k| {
                let port = &self.outputs()[k];
                stacked(port, &column(k)).ok_or_else(|| UsageError::Ragged(port.name.clone()).into())
            })
            .collect()
    }

    /// [`Self::call_many_over`] in blocks of rows, on arrays where they are; `None` if there is no such code, or if anything fails: single
    /// calls say what.
    fn in_blocks(
        &self,
        inputs: &[Value],
        over: &[bool],
        rows: usize,
        cancel: Option<&Cancel>,
    ) -> Option<Vec<Value<'static>>> {
        if rows < BLOCK {
            return None;
        }
        let first: Vec<Value> = row(inputs, over, 0).collect();
        let instance = self.instance(&first).ok()?;
        self.within_limits(&instance).ok()?;
        let code = self.blocks(&instance, &Layout::Columns(over.to_vec()), rows)?;
        let mut bounded = inputs.iter().zip(&self.shared.inputs).filter_map(|(v, i)| Some((v, i.domain?)));
        if !bounded.all(|(v, domain)| call::inside(domain, v)) {
            return None;
        }
        let single: Vec<Vec<f64>> =
            inputs.iter().map(|v| if let Value::F64(x) = v { vec![*x] } else { Vec::new() }).collect();
        let columns = inputs.iter().zip(&single).map(|(v, one)| match v.elements() {
            Some(elements) => f64::of_slice(elements),
            None => Some(&one[..]),
        });
        let columns: Vec<&[f64]> = columns.collect::<Option<_>>()?;
        let sizes = (0..self.outputs().len()).map(|k| Some(instance.code.output_sizes(k)?.to_vec()));
        let sizes: Vec<Vec<usize>> = sizes.collect::<Option<_>>()?;
        let count = |sizes: &Vec<usize>| rows * sizes.iter().product::<usize>();
        let mut results: Vec<Vec<f64>> = sizes.iter().map(|s| vec![0.0; count(s)]).collect();
        let mut rest = Rows {
            count: rows,
            inputs: columns.into_iter().zip(over.iter().copied()).collect(),
            outputs: results.iter_mut().map(|y| &mut y[..]).collect(),
        };
        let run = |rows: Rows| {
            let mut workspace = Workspace::with_limits(self.shared.options.limits);
            workspace.set_cancel(cancel.cloned());
            let whole = rows.count / BLOCK * BLOCK;
            let (blocks, others) = rows.split_at(whole);
            blocks.run(&code, &mut workspace, BLOCK) && others.run(&instance.code, &mut workspace, 1)
        };
        let share = self.share(rows, worth_a_thread(&instance.code));
        let done = std::thread::scope(|scope| {
            let mut parts = Vec::new();
            while rest.count > share {
                let (part, others) = rest.split_at(share);
                rest = others;
                parts.push(scope.spawn(|| run(part)));
            }
            let last = run(rest);
            // All of them end before an error is told.
            let done =
                parts.into_iter().map(|p| p.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
            done.fold(last, |all, one| all && one)
        });
        let shape = |sizes: Vec<usize>| [&[rows][..], &sizes].concat();
        let values = sizes.into_iter().zip(results).map(|(s, y)| Value::array(&shape(s), y).ok());
        done.then(|| values.collect()).flatten()
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
        let instance = self.instance_of_scalars(&vec![Scalar::F64; n], &vec![Scalar::F64; m])?;
        let rows = self.rows(inputs.len(), outputs.len())?;
        let block = self.blocks(&instance, &Layout::Rows, rows);
        self.rows_of_reals(&instance, block.as_ref(), rows, (inputs, outputs))
    }

    /// So many rows of reals, in blocks if there is code for them.
    fn rows_of_reals(
        &self,
        instance: &Instance,
        block: Option<&adc_jit::Compiled>,
        rows: usize,
        (inputs, outputs): (&[f64], &mut [f64]),
    ) -> Result<(), Error> {
        let (n, m) = (self.inputs().len(), self.outputs().len());
        let expected = &self.shared.inputs;
        let bounded = expected.iter().any(|i| i.domain.is_some());
        let outside = |row: &[f64]| {
            let mut pairs = row.iter().zip(expected);
            pairs.any(|(x, i)| i.domain.is_some_and(|d| !d.contains((*x).into())))
        };
        let share = worth_a_thread(&instance.code);
        self.by_rows(
            (inputs, n),
            (outputs, m),
            (rows, share),
            &|inputs: &[f64], outputs: &mut [f64], rows| {
                let mut workspace = Workspace::with_limits(self.shared.options.limits);
                let bad = if bounded { inputs.chunks(n.max(1)).position(outside) } else { None };
                let good = bad.unwrap_or(rows);
                let whole = good / BLOCK * BLOCK;
                let in_blocks = block.is_some_and(|code| {
                    let (inputs, outputs) =
                        (vec![(&inputs[..whole * n], true)], vec![&mut outputs[..whole * m]]);
                    Rows { count: whole, inputs, outputs }.run(code, &mut workspace, BLOCK)
                });
                let whole = if in_blocks { whole } else { 0 };
                let (from, to) = (&inputs[whole * n..good * n], &mut outputs[whole * m..good * m]);
                let at = match instance.code.call_rows(&mut workspace, from, to) {
                    Ok(()) if good == rows => return Ok(()),
                    Ok(()) => good,
                    Err((row, _)) => whole + row,
                };
                // The general path says what is wrong, or needs less memory.
                let values: Vec<Value> = inputs[at * n..].iter().map(|x| Value::F64(*x)).collect();
                let mut results = vec![Value::F64(0.0); (rows - at) * m];
                self.batch_until(&values, &mut results, None)?;
                for (to, from) in outputs[at * m..].iter_mut().zip(results) {
                    *to = from.try_into()?;
                }
                Ok(())
            },
        )
    }
}

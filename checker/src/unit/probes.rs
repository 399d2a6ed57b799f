//! Fast mode: what is compared along random directions.

use super::classic::moves;
use super::{ProbeData, Stretch, Unit};
use crate::cells::{clear, get, load, load_doubles, read, set, write};
use crate::compare::Comparison;
use crate::coordinates::{Block, Part};
use crate::random::{Purpose, Stream};
use crate::runner::Engine;
use crate::settings::Limits;
use adc_ir::*;
use num_complex::Complex64;

impl Unit {
    /// Fills [`Self::probes`]: the VJP, and where `forward` the JVP, against differences along the directions
    /// that seed and point number give.
    pub(crate) fn run_probes(
        &mut self,
        engine: &mut Engine,
        inputs: &[Datum],
        limits: &Limits,
        stream: (u64, u64),
        forward: bool,
    ) -> Result<(), RuntimeError> {
        self.draw_directions(stream);
        let sum = |unit: &Unit, imaginary: bool| -> f64 {
            let parts = unit.columns.iter().zip(&unit.directions);
            parts.filter(|(c, _)| (c.part == Part::Im) == imaginary).map(|(_, u)| u).sum()
        };
        let sums = (sum(self, false), sum(self, true));
        let movable = self
            .columns
            .iter()
            .zip(&self.directions)
            .all(|(c, u)| *u == 0.0 || moves(get(&inputs[c.index], c.entry, c.part), limits.eps * u));
        let fast = self.fast.as_mut().expect("prepared with the fast difference program");
        load_doubles(&mut fast.inputs, inputs);
        for (k, columns) in self.column_blocks.iter().enumerate() {
            let u = &mut fast.inputs[inputs.len() + k];
            (0..columns.len).for_each(|i| set(u, i, Part::Whole, self.directions[columns.at(i)]));
        }
        *fast.inputs.last_mut().expect("it takes `eps`") = Datum::Scalar(Const::F64(limits.eps));
        let evaluated = movable && fast.run(engine).is_ok();
        self.probes.clear();
        self.probe_vjp(engine, inputs, limits, stream, sums, evaluated)?;
        if forward {
            self.probe_jvp(engine, inputs, limits, sums, evaluated)?;
        }
        Ok(())
    }

    /// Entry `j` of the quotients of row block `k` along u_r, or i·u_i.
    fn quotient(&self, evaluated: bool, k: usize, j: usize, imaginary: bool) -> f64 {
        let fast = self.fast.as_ref().expect("prepared with the fast difference program");
        let complex = self.columns.iter().any(|c| c.part == Part::Im);
        match (evaluated, imaginary && !complex) {
            (false, _) => f64::NAN,
            (true, true) => 0.0,
            (true, false) => {
                get(&fast.outputs[k + if imaginary { self.row_blocks.len() } else { 0 }], j, Part::Whole)
            }
        }
    }

    /// For every part of every output, vᵀJ along u: v is 1 for a scalar, else of unit length as u is.
    fn probe_vjp(
        &mut self,
        engine: &mut Engine,
        inputs: &[Datum],
        limits: &Limits,
        stream: (u64, u64),
        (sum_r, sum_i): (f64, f64),
        evaluated: bool,
    ) -> Result<(), RuntimeError> {
        let Some(mut vjp) = self.vjp.take() else { return Ok(()) };
        load(&mut vjp.inputs, inputs);
        let mut done = Ok(());
        for (k, rows) in self.row_blocks.clone().into_iter().enumerate() {
            let Block { index, part } = rows.block;
            let v = self.weights(rows, stream);
            vjp.inputs[inputs.len()..].iter_mut().for_each(clear);
            for (j, v) in v.iter().enumerate() {
                write(&mut vjp.inputs, &self.cotangents[rows.at(j)], *v);
            }
            done = vjp.run(engine);
            if done.is_err() {
                break;
            }
            let mut s = Complex64::new(0.0, 0.0);
            for ((place, c), u) in self.gradients.iter().zip(&self.columns).zip(&self.directions) {
                let g = read(&vjp.outputs, place) * u;
                if c.part == Part::Im { s.im += g } else { s.re += g }
            }
            let along = |imaginary: bool| -> f64 {
                let terms = v.iter().enumerate();
                terms.map(|(j, v)| v * self.quotient(evaluated, k, j, imaginary)).sum()
            };
            let n = Complex64::new(along(false), along(true));
            let scale = (sum_r + sum_i) * v.iter().sum::<f64>();
            let comparison = limits.compare(s, n, scale);
            let (mode, entry) = (Mode::Fast, None);
            self.probes.push(ProbeData {
                output: index,
                entry,
                part,
                mode,
                derivative: s,
                fd: n,
                comparison,
            });
        }
        self.vjp = Some(vjp);
        done
    }

    /// J·u along both directions, entry by entry; of an array output the worst entry is kept.
    fn probe_jvp(
        &mut self,
        engine: &mut Engine,
        inputs: &[Datum],
        limits: &Limits,
        (sum_r, sum_i): (f64, f64),
        evaluated: bool,
    ) -> Result<(), RuntimeError> {
        let Some(jvp) = &mut self.jvp else { return Ok(()) };
        load(&mut jvp.inputs, inputs);
        let complex = self.columns.iter().any(|c| c.part == Part::Im);
        for (imaginary, sum) in [(false, sum_r), (true, sum_i)] {
            if imaginary && !complex {
                continue;
            }
            let jvp = self.jvp.as_mut().expect("as above");
            jvp.inputs[inputs.len()..].iter_mut().for_each(clear);
            for (place, u) in self.tangents.iter().zip(&self.directions) {
                if (place.part == Part::Im) == imaginary {
                    write(&mut jvp.inputs, place, *u);
                }
            }
            jvp.run(engine)?;
            for (x, place) in self.along.iter_mut().zip(&self.dots) {
                *x = read(&jvp.outputs, place);
            }
            let mut k = 0;
            while k < self.row_blocks.len() {
                let rows = self.row_blocks[k];
                let pair = rows.block.part == Part::Re;
                let mut worst: Option<ProbeData> = None;
                for j in 0..rows.len {
                    let number =
                        |f: &dyn Fn(usize) -> f64| Complex64::new(f(0), if pair { f(1) } else { 0.0 });
                    let derivative = number(&|part| self.along[rows.at(j) + part]);
                    let fd = number(&|part| self.quotient(evaluated, k + part, j, imaginary));
                    let comparison = limits.compare(derivative, fd, sum);
                    let part = if imaginary { Part::Im } else { Part::Re };
                    let array = !self.result_shapes[rows.block.index].is_empty();
                    let (output, entry, mode) = (rows.block.index, array.then_some(j), Mode::Forward);
                    let probe = ProbeData { output, entry, part, mode, derivative, fd, comparison };
                    if worst.is_none_or(|w| worse(&comparison, &w.comparison)) {
                        worst = Some(probe);
                    }
                }
                self.probes.extend(worst);
                k += if pair { 2 } else { 1 };
            }
        }
        Ok(())
    }

    /// What the entries of an output are multiplied with in fast mode.
    fn weights(&self, rows: Stretch, (seed, point): (u64, u64)) -> Vec<f64> {
        let mut v = vec![1.0; rows.len];
        if !self.result_shapes[rows.block.index].is_empty() && rows.len > 0 {
            let which = 2 + 2 * rows.block.index as u64 + (rows.block.part == Part::Im) as u64;
            Stream::new(seed, Purpose::Direction, [point, which, self.order as u64]).unit_vector(&mut v);
        }
        v
    }

    /// u_r over real inputs and real parts, u_i over imaginary parts, each of unit length.
    pub(super) fn draw_directions(&mut self, (seed, point): (u64, u64)) {
        for (which, imaginary) in [(0, false), (1, true)] {
            let count = self.columns.iter().filter(|c| (c.part == Part::Im) == imaginary).count();
            if count == 0 {
                continue;
            }
            let mut u = [0.0; 64];
            let mut long;
            let u: &mut [f64] = match count <= u.len() {
                true => &mut u[..count],
                false => {
                    long = vec![0.0; count];
                    &mut long
                }
            };
            Stream::new(seed, Purpose::Direction, [point, which, self.order as u64]).unit_vector(u);
            let mut next = u.iter();
            for (c, d) in self.columns.iter().zip(&mut self.directions) {
                if (c.part == Part::Im) == imaginary {
                    *d = *next.next().expect("as many as counted");
                }
            }
        }
    }
}

/// Whether `a` says more than `b`.
pub(super) fn worse(a: &Comparison, b: &Comparison) -> bool {
    let ratio = |c: &Comparison| if c.ratio.is_nan() { 0.0 } else { c.ratio };
    (a.status, ratio(a)) > (b.status, ratio(b))
}

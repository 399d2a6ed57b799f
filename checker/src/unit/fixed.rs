//! Fixed steps and tolerances: derivatives against difference quotients of one step, as `torch.autograd.gradcheck` compares
//! them.

use super::identities::IdentityData;
use super::{EntryData, ProbeData, Unit};
use crate::compare::Comparison;
use crate::coordinates::{Block, Part, Stretch};
use crate::oracle::Toolchain;
use crate::random::{Purpose, Stream};
use crate::report::IdentityKind;
use crate::runner::Engine;
use crate::settings::Limits;
use crate::slots::{clear, get, load, read, write};
use crate::verdict::Verdict;
use adc_ir::*;
use num_complex::Complex64;

/// A random direction of fast mode: for a real input, or for the real or the imaginary parts of a complex one.
struct Direction {
    /// Position of the parameter.
    input: usize,
    /// Which part of it.
    part: Part,
    /// The displaced columns, with components that are uniform on [0, 1) and together of unit length.
    moves: Vec<(usize, f64)>,
    /// Their sum.
    sum: f64,
    /// The difference quotients along it, by row.
    slopes: Vec<f64>,
}

impl Unit {
    /// Fills [`Self::entries`]: compares the whole Jacobian by VJP, and by JVP if there is that program, with differences.
    pub(crate) fn compare_entries(
        &mut self,
        engine: &mut Engine,
        inputs: &[Datum],
        limits: &Limits,
    ) -> Result<(), RuntimeError> {
        self.make_entries();
        self.run_vjp(inputs, engine)?;
        self.run_jvp(inputs, engine)?;
        let n = self.columns.len();
        let entries = &mut self.entries;
        let fixed = self.fixed.as_mut().expect("prepared with fixed steps");
        // Columns that end in an error have no quotient, and are counted.
        let _ = fixed.run(engine, inputs, limits.eps, |row, column, x| entries[row * n + column].fd = x);
        for (column, c) in self.columns.iter().enumerate() {
            if !moves(get(&inputs[c.index], c.entry, c.part), limits.eps) {
                (0..self.rows.len()).for_each(|row| self.entries[row * n + column].fd = f64::NAN);
            }
        }
        self.compare_pairs(limits);
        Ok(())
    }

    /// By VJP, the two parts of a complex input belong to one number; by JVP, those of a complex output.
    fn compare_pairs(&mut self, limits: &Limits) {
        let n = self.columns.len();
        self.entries.iter_mut().for_each(|e| e.comparison = None);
        if self.vjp.is_some() {
            for row in 0..self.rows.len() {
                let mut column = 0;
                while column < n {
                    let first = row * n + column;
                    let second = (self.columns[column].part == Part::Re).then_some(first + 1);
                    compare_pair(&mut self.entries, first, second, limits, |e| e.vjp);
                    column += if second.is_some() { 2 } else { 1 };
                }
            }
        }
        if self.jvp.is_some() {
            for column in 0..n {
                let mut row = 0;
                while row < self.rows.len() {
                    let first = row * n + column;
                    let second = (self.rows[row].part == Part::Re).then_some(first + n);
                    compare_pair(&mut self.entries, first, second, limits, |e| e.jvp);
                    row += if second.is_some() { 2 } else { 1 };
                }
            }
        }
    }

    /// Fills [`Self::probes`]: the VJP, and if `forward` the JVP, against differences along the directions that seed and
    /// point number determine, for each input separately.
    pub(crate) fn compare_directions(
        &mut self,
        engine: &mut Engine,
        inputs: &[Datum],
        limits: &Limits,
        stream: (u64, u64),
        forward: bool,
    ) -> Result<(), RuntimeError> {
        let mut directions = self.fast_directions(stream);
        let fixed = self.fixed.as_mut().expect("prepared with fixed steps");
        for d in &mut directions {
            let x = |column: usize| {
                let c = self.columns[column];
                get(&inputs[c.index], c.entry, c.part)
            };
            if d.moves.iter().all(|(column, u)| *u == 0.0 || moves(x(*column), limits.eps * u)) {
                let offsets = fixed.offsets(inputs, &d.moves, limits.eps);
                // After an error they are NaN, and are counted.
                let _ = fixed.run_along(engine, inputs, &d.moves, offsets);
                d.slopes.copy_from_slice(&fixed.slopes);
            }
        }
        self.probes.clear();
        self.probe_vjp(engine, inputs, limits, stream, &directions)?;
        match forward {
            true => self.probe_jvp(engine, inputs, limits, &directions),
            false => Ok(()),
        }
    }

    /// The directions of fast mode, those of one input side by side.
    fn fast_directions(&self, (seed, point): (u64, u64)) -> Vec<Direction> {
        let mut directions: Vec<Direction> = Vec::new();
        for block in self.column_blocks.iter().filter(|b| b.len > 0) {
            let Block { index: input, part } = block.block;
            let name = [point, 4 * input as u64 + (part == Part::Im) as u64, self.order as u64];
            let mut u = vec![0.0; block.len];
            Stream::new(seed, Purpose::Direction, name).unit_vector(&mut u);
            let moves = u.iter().enumerate().map(|(i, u)| (block.at(i), *u)).collect();
            let slopes = vec![f64::NAN; self.rows.len()];
            directions.push(Direction { input, part, moves, sum: u.iter().sum(), slopes });
        }
        directions
    }

    /// For every part of every output and every input, vᵀJ along u: v is 1 for a scalar, else of unit length as u is. For a
    /// complex input it is re(g)·u_r + i·im(g)·u_i, where g is the VJP.
    fn probe_vjp(
        &mut self,
        engine: &mut Engine,
        inputs: &[Datum],
        limits: &Limits,
        stream: (u64, u64),
        directions: &[Direction],
    ) -> Result<(), RuntimeError> {
        let Some(mut vjp) = self.vjp.take() else { return Ok(()) };
        load(&mut vjp.inputs, inputs);
        let mut done = Ok(());
        for rows in self.row_blocks.clone() {
            let v = self.weights(rows, stream);
            vjp.inputs[inputs.len()..].iter_mut().for_each(clear);
            for (j, v) in v.iter().enumerate() {
                write(&mut vjp.inputs, &self.cotangents[rows.at(j)], *v);
            }
            done = vjp.run(engine);
            if done.is_err() {
                break;
            }
            for of_input in directions.chunk_by(|a, b| a.input == b.input) {
                let (mut s, mut n, mut sum) = (Complex64::ZERO, Complex64::ZERO, 0.0);
                for d in of_input {
                    let gradient =
                        |(column, u): &(usize, f64)| read(&vjp.outputs, &self.gradients[*column]) * u;
                    let (s, n) = match d.part {
                        Part::Im => (&mut s.im, &mut n.im),
                        Part::Whole | Part::Re => (&mut s.re, &mut n.re),
                    };
                    *s = d.moves.iter().map(gradient).sum();
                    *n = v.iter().enumerate().map(|(j, v)| v * d.slopes[rows.at(j)]).sum();
                    sum += d.sum;
                }
                self.probes.push(ProbeData {
                    input: Some(of_input[0].input),
                    output: rows.block.index,
                    entry: None,
                    part: rows.block.part,
                    mode: Mode::Fast,
                    derivative: s,
                    fd: n,
                    comparison: limits.compare(s, n, sum * v.iter().sum::<f64>()),
                });
            }
        }
        self.vjp = Some(vjp);
        done
    }

    /// J·u along every direction, entry by entry; for an array output the worst entry is kept.
    fn probe_jvp(
        &mut self,
        engine: &mut Engine,
        inputs: &[Datum],
        limits: &Limits,
        directions: &[Direction],
    ) -> Result<(), RuntimeError> {
        let Some(jvp) = &mut self.jvp else { return Ok(()) };
        load(&mut jvp.inputs, inputs);
        for d in directions {
            jvp.inputs[inputs.len()..].iter_mut().for_each(clear);
            d.moves.iter().for_each(|(column, u)| write(&mut jvp.inputs, &self.tangents[*column], *u));
            jvp.run(engine)?;
            let along: Vec<f64> = self.dots.iter().map(|place| read(&jvp.outputs, place)).collect();
            for rows in self.row_blocks.iter().filter(|rows| rows.block.part != Part::Im) {
                let pair = rows.block.part == Part::Re;
                let mut worst: Option<ProbeData> = None;
                for j in 0..rows.len {
                    let number = |x: &[f64]| {
                        let row = rows.at(j);
                        Complex64::new(x[row], if pair { x[row + 1] } else { 0.0 })
                    };
                    let (derivative, fd) = (number(&along), number(&d.slopes));
                    let comparison = limits.compare(derivative, fd, d.sum);
                    let array = !self.result_shapes[rows.block.index].is_empty();
                    if worst.is_none_or(|w| worse(&comparison, &w.comparison)) {
                        worst = Some(ProbeData {
                            input: Some(d.input),
                            output: rows.block.index,
                            entry: array.then_some(j),
                            part: d.part,
                            mode: Mode::Forward,
                            derivative,
                            fd,
                            comparison,
                        });
                    }
                }
                self.probes.extend(worst);
            }
        }
        Ok(())
    }

    /// The factors of the entries of an output in fast mode.
    fn weights(&self, rows: Stretch, (seed, point): (u64, u64)) -> Vec<f64> {
        let mut v = vec![1.0; rows.len];
        if !self.result_shapes[rows.block.index].is_empty() && rows.len > 0 {
            let which = 4 * rows.block.index as u64 + 2 + (rows.block.part == Part::Im) as u64;
            Stream::new(seed, Purpose::Direction, [point, which, self.order as u64]).unit_vector(&mut v);
        }
        v
    }

    /// Checks that the VJP program gives exactly 0 for a cotangent of zeros, and the same bits when it is run again.
    pub(crate) fn zero_and_again(
        &mut self,
        inputs: &[Datum],
        (seed, number): (u64, u64),
        tools: &mut Toolchain,
    ) -> Result<(), RuntimeError> {
        if self.vjp.is_none() {
            return Ok(());
        }
        let mut s = Stream::new(seed, Purpose::Weights, [number, 0, self.order as u64]);
        let v: Vec<f64> = self.rows.iter().map(|_| s.short()).collect();
        let of_zero = self.seeded(&vec![0.0; v.len()], true, inputs, tools.engine)?;
        let first = self.seeded(&v, true, inputs, tools.engine)?;
        let again = self.seeded(&v, true, inputs, tools.engine)?;
        self.same_bits(&first, &again);
        // Derivatives that are not finite are reported by entries.
        if first.iter().all(|x| x.is_finite()) {
            let worst = of_zero.into_iter().find(|x| *x != 0.0).unwrap_or(0.0);
            let status = if worst == 0.0 { Verdict::Ok } else { Verdict::Inconsistent };
            let (kind, sides) = (IdentityKind::ZeroVjp, (worst, 0.0));
            self.identities.push(IdentityData { kind, sides, tol: 0.0, status });
        }
        Ok(())
    }
}

fn compare_pair(
    entries: &mut [EntryData],
    first: usize,
    second: Option<usize>,
    limits: &Limits,
    derivative: fn(&EntryData) -> f64,
) {
    let number = |f: &dyn Fn(&EntryData) -> f64| {
        Complex64::new(f(&entries[first]), second.map_or(0.0, |s| f(&entries[s])))
    };
    let a = number(&|e| derivative(e));
    let n = number(&|e| e.fd);
    let new = limits.compare(a, n, 1.0);
    for i in [Some(first), second].into_iter().flatten() {
        let entry = &mut entries[i];
        entry.comparison = Some(match entry.comparison {
            Some(old) if (old.status, old.ratio) > (new.status, new.ratio) => {
                Comparison { testable: old.testable && new.testable, ..old }
            }
            Some(old) => Comparison { testable: old.testable && new.testable, ..new },
            None => new,
        });
    }
}

/// Whether a step of `h` changes `x` at all.
fn moves(x: f64, h: f64) -> bool {
    x + h != x || x - h != x
}

/// Whether `a` is more informative than `b`.
pub(super) fn worse(a: &Comparison, b: &Comparison) -> bool {
    let ratio = |c: &Comparison| if c.ratio.is_nan() { 0.0 } else { c.ratio };
    (a.status, ratio(a)) > (b.status, ratio(b))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prepare::Prepared;
    use crate::report::Order;
    use crate::settings::{Context, Settings, Tolerance};
    use adc_ir::text::parse_module;
    use adc_jit::Externs;
    use adc_simplify::OptLevel;

    /// Errors in the derivatives with respect to two inputs that cancel along one direction over both of them. Each of the
    /// directions is what seed and point give if one is drawn over all inputs.
    #[test]
    fn errors_of_two_inputs_do_not_cancel() {
        for number in 0..8 {
            let mut u = [0.0; 2];
            Stream::new(1, Purpose::Direction, [number, 0, Order::First as u64]).unit_vector(&mut u);
            let off = [0.1 * u[1], -0.1 * u[0]];
            assert!((off[0] * u[0] + off[1] * u[1]).abs() < 1e-15 && off.iter().all(|e| e.abs() > 1e-3));
            let text = format!(
                "#[rule(vjp, f.rule.vjp)] fn f(x: f64, y: f64) -> f64 {{ v0 = mul x, y return v0 }}
                 fn f.rule.vjp(x: f64, y: f64, out: f64, g: f64) -> (x_bar: f64, y_bar: f64) {{
                   v0 = f64 {:e} v1 = f64 {:e} v2 = add y, v0 v3 = add x, v1
                   v4 = mul v2, g v5 = mul v3, g return v4, v5 }}",
                off[0], off[1]
            );
            let (m, externs) = (&parse_module(&text).expect("it is IR"), &Externs::new());
            let block = CheckBlock::default_for(m.find("f").expect("it is there"), 2, Span::NONE);
            let settings = Settings {
                backends: crate::Backends::None,
                tolerance: Tolerance::Classic,
                modes: Some(vec![Mode::Fast]),
                seed: Some(1),
                ..Settings::default()
            };
            let ctx = &Context::new(m, externs, OptLevel::O1);
            let mut prepared = Prepared::new(ctx, &block, &settings).expect("it is prepared");
            prepared
                .run_point(&[1.5, -0.5].map(|x| Const::F64(x).into()), number)
                .expect("no run-time error");
            let found = prepared.units[0].probes.iter().map(|p| (p.input, p.comparison.status));
            let wrong = [(Some(0), Verdict::Wrong), (Some(1), Verdict::Wrong)];
            assert_eq!(found.collect::<Vec<_>>(), wrong, "along {u:?}");
        }
    }
}

//! Fast mode under automatic tolerances (CHECKER B §2.6): J·u as a whole vector along directions of ±1, and the identities
//! that need no differences.

use super::{ProbeData, Unit};
use crate::cells::{clear, load, read, write};
use crate::compare::Comparison;
use crate::coordinates::Part;
use crate::exact::Exact;
use crate::judge;
use crate::oracle::{self, Estimate, Rung, Shape, Shop};
use crate::random::{Purpose, Stream};
use crate::verdict::Verdict;
use adc_ir::*;
use num_complex::Complex64;

/// Pairs of rungs of a ladder along a direction.
const PAIRS: i32 = 12;

impl Unit {
    /// Fills [`Self::probes`]: the JVP against the oracle along `count` directions. A single wrong entry is seen at its
    /// full size in one of them, any wrong row with probability ½ in each.
    pub(crate) fn judge_directions(
        &mut self,
        inputs: &[Datum],
        (seed, number): (u64, u64),
        count: u64,
        shop: &mut Shop,
    ) -> Result<(), RuntimeError> {
        self.probes.clear();
        let mut auto = self.automatic.take().expect("prepared with the oracle");
        let mut done = Ok(());
        for probe in 0..count {
            let u = self.rademacher((seed, number, probe));
            done = self.along(&mut auto, inputs, &u, (seed, number), shop);
            if done.is_err() {
                break;
            }
        }
        self.automatic = Some(auto);
        done
    }

    /// By column ±1; of a complex number either the real or the imaginary part.
    pub(super) fn rademacher(&self, (seed, number, probe): (u64, u64, u64)) -> Vec<f64> {
        let mut s = Stream::new(seed, Purpose::Probe, [number, probe, self.order as u64]);
        let mut u = vec![0.0; self.columns.len()];
        let mut column = 0;
        while column < u.len() {
            let draw = s.below(4);
            let sign = if draw % 2 == 0 { 1.0 } else { -1.0 };
            let complex = self.columns[column].part == Part::Re;
            u[column + (complex && draw >= 2) as usize] = sign;
            column += if complex { 2 } else { 1 };
        }
        u
    }

    /// J·u by JVP, into [`Self::along`].
    fn run_along(&mut self, inputs: &[Datum], u: &[f64], shop: &mut Shop) -> Result<(), RuntimeError> {
        let jvp = self.jvp.as_mut().expect("probes have the JVP program");
        load(&mut jvp.inputs, inputs);
        jvp.inputs[inputs.len()..].iter_mut().for_each(clear);
        for (place, u) in self.tangents.iter().zip(u) {
            write(&mut jvp.inputs, place, *u);
        }
        jvp.run(shop.engine)?;
        for (x, place) in self.along.iter_mut().zip(&self.dots) {
            *x = read(&jvp.outputs, place);
        }
        Ok(())
    }

    fn along(
        &mut self,
        auto: &mut super::Automatic,
        inputs: &[Datum],
        u: &[f64],
        (seed, number): (u64, u64),
        shop: &mut Shop,
    ) -> Result<(), RuntimeError> {
        let (scale, u, aside) = self.within_domains(inputs, u);
        let u = &u;
        self.run_along(inputs, u, shop)?;
        let derivative = self.along.clone();
        let h = scale * oracle::STEP;
        let estimates: Vec<Option<Estimate>> = if !auto.oracle.holes.is_empty() {
            // Steps have to be wide: ladders alone. What is known of the centre is wanted all the same.
            auto.oracle.run_along(shop, inputs, true, u, &[0.0; 4]);
            vec![None; self.rows.len()]
        } else if aside {
            auto.oracle.run_along(shop, inputs, true, u, &[h, 2.0 * h, h / 4.0, h / 2.0]);
            let aside = |row: usize| {
                let (s, noise) = (auto.oracle.table.slopes(0, row), 2.0 * auto.oracle.noise(row));
                oracle::two_steps_aside([s[0], s[1]], [s[2], s[3]], h / 4.0, noise)
            };
            (0..self.rows.len()).map(aside).collect()
        } else {
            auto.oracle.run_along(shop, inputs, true, u, &[h, -h, h / 4.0, -h / 4.0]);
            let central = |row: usize| {
                let [wide, close] = self.rungs(auto, row, h);
                oracle::two_steps(&wide, &close)
            };
            (0..self.rows.len()).map(central).collect()
        };
        let epsilon = auto.precision.epsilon;
        let sharp = judge::SHARP * epsilon / f64::EPSILON;
        let small = |auto: &super::Automatic, row: usize| match auto.oracle.holes.is_empty() {
            true => judge::SHARP * auto.oracle.table.size(row) / scale,
            false => 0.0,
        };
        let mut results: Vec<Option<(f64, Comparison)>> = vec![None; self.rows.len()];
        let mut open = Vec::new();
        for (row, g) in derivative.iter().enumerate() {
            if !g.is_finite() {
                let value = estimates[row].map_or(f64::NAN, |e: Estimate| e.value);
                results[row] = Some((value, judge::ruled(&[*g], value, Verdict::NonFinite)));
                continue;
            }
            let rounding = judge::ULPS * epsilon * self.modulus_along(&derivative, row);
            let c = estimates[row].map(|e| (e.value, judge::compare(&[*g], &e, rounding, small(auto, row))));
            match c {
                Some((_, c)) if c.status == Verdict::Ok && c.resolution <= sharp => {
                    results[row] = c_some(&estimates, row, c)
                }
                _ => open.push(row),
            }
        }
        if !open.is_empty() {
            let spread = self.spread_along(inputs, u, &derivative, (seed, number), shop);
            open.retain(|&row| {
                let Some(e) = estimates[row] else { return true };
                let least = judge::ULPS * epsilon * self.modulus_along(&derivative, row);
                let c =
                    judge::compare(&[derivative[row]], &e, least.max(10.0 * spread[row]), small(auto, row));
                let done = c.status == Verdict::Ok && c.resolution <= sharp;
                results[row] = Some((e.value, c));
                !done
            });
        }
        if !open.is_empty() {
            self.resolve_along(
                auto,
                inputs,
                u,
                &derivative,
                (scale, &estimates),
                &open,
                &mut results,
                (seed, number),
                shop,
            );
        }
        self.keep_worst(&derivative, &results);
        Ok(())
    }

    /// The scale of a direction, the smallest of the inputs that move; the direction, pointing into the declared domains; and
    /// whether that leaves one side of it only.
    fn within_domains(&self, inputs: &[Datum], u: &[f64]) -> (f64, Vec<f64>, bool) {
        let mut scale = f64::INFINITY;
        for (c, _) in self.columns.iter().zip(u).filter(|(_, u)| **u != 0.0) {
            scale = scale.min(oracle::scale(inputs[c.index].get(c.entry).to_c128().norm()));
        }
        let scale = if scale.is_finite() { scale } else { 1.0 };
        let h = scale * oracle::STEP;
        let (mut u, mut aside) = (u.to_vec(), false);
        for (c, u) in self.columns.iter().zip(&mut u) {
            let (Some(domain), true) = (self.domains[c.index], *u != 0.0) else { continue };
            let z = inputs[c.index].get(c.entry).to_c128();
            let inside = |t: f64| {
                domain.contains(match c.part {
                    Part::Whole | Part::Re => Complex64::new(z.re + t, z.im),
                    Part::Im => Complex64::new(z.re, z.im + t),
                })
            };
            let (up, down) = (inside(4.0 * h), inside(-4.0 * h));
            if !(up && down) {
                aside = true;
                *u = if up {
                    1.0
                } else if down {
                    -1.0
                } else {
                    0.0
                };
            }
        }
        (scale, u, aside)
    }

    fn rungs(&self, auto: &super::Automatic, row: usize, h: f64) -> [Rung; 2] {
        let (s, noise) = (auto.oracle.table.slopes(0, row), 2.0 * auto.oracle.noise(row));
        [Rung { h, right: s[0], left: s[1], noise }, Rung { h: h / 4.0, right: s[2], left: s[3], noise }]
    }

    /// The magnitude of an entry of J·u: of the complex number it is a part of.
    fn modulus_along(&self, along: &[f64], row: usize) -> f64 {
        match self.rows[row].part {
            Part::Whole => along[row].abs(),
            Part::Re => along[row].hypot(along[row + 1]),
            Part::Im => along[row].hypot(along[row - 1]),
        }
    }

    fn spread_along(
        &mut self,
        inputs: &[Datum],
        u: &[f64],
        derivative: &[f64],
        (seed, number): (u64, u64),
        shop: &mut Shop,
    ) -> Vec<f64> {
        let mut spread = vec![0.0f64; derivative.len()];
        for turn in 0..3 {
            let moved = self.perturbed(inputs, (seed, number, turn));
            if self.run_along(&moved, u, shop).is_ok() {
                for ((s, d), x) in spread.iter_mut().zip(derivative).zip(&self.along) {
                    let apart = (x - d).abs();
                    *s = if apart.is_finite() { s.max(apart) } else { *s };
                }
            }
        }
        spread
    }

    /// The rows that are left, by the JVP in double-double and by a ladder.
    #[cold]
    #[allow(clippy::too_many_arguments)]
    fn resolve_along(
        &mut self,
        auto: &mut super::Automatic,
        inputs: &[Datum],
        u: &[f64],
        derivative: &[f64],
        (scale, estimates): (f64, &[Option<Estimate>]),
        open: &[usize],
        results: &mut [Option<(f64, Comparison)>],
        (seed, number): (u64, u64),
        shop: &mut Shop,
    ) {
        let p = auto.precision;
        let program = self.programs.jvp.expect("probes have the JVP program");
        let seeds: Vec<_> = self.tangents.iter().copied().zip(u.iter().copied()).collect();
        let made = auto.exact[1].get_or_insert_with(|| Exact::new(shop, program));
        let mut values = |inputs: &[Datum], shop: &mut Shop| -> Vec<Option<f64>> {
            let Some(exact) = made else { return vec![None; open.len()] };
            if !exact.run(shop, inputs, &seeds) {
                return vec![None; open.len()];
            }
            open.iter().map(|&row| Some(exact.read(&self.dots[row])).filter(|x| x.is_finite())).collect()
        };
        let exact = values(inputs, shop);
        let moved = self.perturbed(inputs, (seed, number, 0));
        let conditioned: Vec<f64> = (exact.iter().zip(values(&moved, shop)))
            .map(|(a, b)| a.zip(b).map_or(0.0, |(a, b)| (a - b).abs()))
            .collect();
        let sizes: Vec<f64> = (0..self.rows.len()).map(|row| auto.oracle.table.size(row)).collect();
        let small = |row: usize| judge::SHARP * sizes[row] / scale;
        let right = |x: Option<f64>, e: &Estimate| {
            x.is_some_and(|x| (x - e.value).abs() <= e.bound() + 2.0 * f64::EPSILON * x.abs())
        };
        let mut ladder: Option<[Vec<Shape>; 2]> = None;
        for (k, &row) in open.iter().enumerate() {
            let g = derivative[row];
            let least = judge::ULPS * p.epsilon * self.modulus_along(derivative, row);
            let mut e = estimates[row];
            // A vague difference agrees with everything: the ladder may know better.
            let sharp = |e: &Estimate| e.bound() <= judge::SHARP * e.value.abs().max(small(row));
            if !e.is_some_and(|e| sharp(&e) && right(exact[k], &e)) {
                let shapes = ladder.get_or_insert_with(|| {
                    [1.0, 0.618].map(|part| self.ladder_along(auto, inputs, u, scale * part, shop))
                });
                match (shapes[0][row], shapes[1][row]) {
                    (Shape::Smooth(first), Shape::Smooth(second)) => {
                        let apart = 2.0 * (first.value - second.value).abs();
                        let bound = first.bound().max(second.bound());
                        if (first.value - second.value).abs() <= 2.0 * bound + apart {
                            e = Some(first);
                        }
                    }
                    // What a kink, an edge or a jump along a direction means, entries have to say.
                    (Shape::Kink { left, right }, _) => {
                        let c = judge::at_kink(&[g], (&left, &right), p);
                        results[row] = Some((0.5 * left.value + 0.5 * right.value, c));
                        continue;
                    }
                    (Shape::Jump { .. }, _) => {
                        results[row] = Some((f64::NAN, judge::ruled(&[g], f64::NAN, Verdict::Discontinuous)));
                        continue;
                    }
                    (Shape::Edge(_), _) => {
                        results[row] = Some((f64::NAN, judge::ruled(&[g], f64::NAN, Verdict::OutOfDomain)));
                        continue;
                    }
                    _ => {}
                }
            }
            let Some(e) = e else {
                results[row] = Some((f64::NAN, judge::ruled(&[g], f64::NAN, Verdict::Unchecked)));
                continue;
            };
            let c = match exact[k].filter(|x| right(Some(*x), &e)) {
                Some(x) => {
                    let error = (g - x).abs();
                    let mut c = judge::compare(&[g], &e, least.max(2.0 * error), f64::INFINITY);
                    let noise = 16.0 * (p.epsilon / f64::EPSILON) * auto.oracle.table.gap(row) / scale;
                    if c.status == Verdict::Ok {
                        c.status = judge::rounding(error, x, || 32.0 * conditioned[k] + noise, p);
                    }
                    c
                }
                None => judge::compare(&[g], &e, least, 0.0),
            };
            results[row] = Some((e.value, c));
        }
    }

    fn ladder_along(
        &mut self,
        auto: &mut super::Automatic,
        inputs: &[Datum],
        u: &[f64],
        scale: f64,
        shop: &mut Shop,
    ) -> Vec<Shape> {
        let mut rungs: Vec<Vec<Rung>> = vec![Vec::new(); self.rows.len()];
        for pair in 0..PAIRS {
            let h = scale * 0.125 * 16f64.powi(-pair);
            auto.oracle.run_along(shop, inputs, true, u, &[h, -h, h / 4.0, -h / 4.0]);
            for (row, list) in rungs.iter_mut().enumerate() {
                list.extend(self.rungs(auto, row, h));
            }
        }
        rungs.iter().map(|r| oracle::shape(r)).collect()
    }

    /// Of an array output the entry that says most.
    fn keep_worst(&mut self, derivative: &[f64], results: &[Option<(f64, Comparison)>]) {
        for rows in self.row_blocks.clone() {
            let mut worst: Option<ProbeData> = None;
            for j in 0..rows.len {
                let row = rows.at(j);
                let Some((fd, comparison)) = results[row] else { continue };
                let array = !self.result_shapes[rows.block.index].is_empty();
                let probe = ProbeData {
                    output: rows.block.index,
                    entry: array.then_some(j),
                    part: rows.block.part,
                    mode: Mode::Forward,
                    derivative: derivative[row].into(),
                    fd: fd.into(),
                    comparison,
                };
                if worst.is_none_or(|w| super::probes::worse(&comparison, &w.comparison)) {
                    worst = Some(probe);
                }
            }
            self.probes.extend(worst);
        }
    }
}

fn c_some(estimates: &[Option<Estimate>], row: usize, c: Comparison) -> Option<(f64, Comparison)> {
    estimates[row].map(|e| (e.value, c))
}

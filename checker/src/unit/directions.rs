//! Fast mode under automatic tolerances: J·u as a whole vector along directions of ±1, by JVP.

use super::automatic::{At, Automatic, Derivative, Judged};
use super::displacement::Displacement;
use super::narrow::Miss;
use super::{ProbeData, Unit};
use crate::coordinates::Part;
use crate::oracle::Toolchain;
use crate::random::{Purpose, Stream};
use crate::runner::Engine;
use crate::slots::{clear, load, read, write};
use crate::verdict::Severity;
use adc_ir::*;

impl Unit {
    /// Fills [`Self::probes`]: the JVP against the oracle along `count` directions. A single wrong entry shows at its full
    /// size in one of them, any wrong row with probability ½ in each.
    pub(crate) fn judge_directions(
        &mut self,
        at: At,
        count: u64,
        tools: &mut Toolchain,
    ) -> Result<(), RuntimeError> {
        self.probes.clear();
        (self.missed, self.vague) = (None, false);
        let mut auto = self.automatic.take().expect("prepared with the oracle");
        let mut done = Ok(());
        for probe in 0..count {
            // One failure is reported, however many directions show it.
            if self.missed.is_some() {
                break;
            }
            match self.probe(&mut auto, at, probe, tools) {
                Ok(judged) => {
                    self.keep_worst(probe, &judged);
                    auto.judged = judged;
                }
                Err(error) => {
                    done = Err(error);
                    break;
                }
            }
        }
        self.automatic = Some(auto);
        done
    }

    /// By column ±1; for a complex number either in the real or in the imaginary part.
    pub(super) fn rademacher(&self, at: At, probe: u64) -> Vec<f64> {
        let mut s = Stream::new(at.seed, Purpose::Probe, [at.number, probe, self.order as u64]);
        let mut u = vec![0.0; self.columns.len()];
        let mut column = 0;
        while column < u.len() {
            let draw = s.below(4);
            let sign = if draw.is_multiple_of(2) { 1.0 } else { -1.0 };
            let complex = self.columns[column].part == Part::Re;
            u[column + (complex && draw >= 2) as usize] = sign;
            column += if complex { 2 } else { 1 };
        }
        u
    }

    /// One probe along the usual direction. If that is inconclusive because inputs are much smaller than their assumed
    /// scale, along one with their own scales.
    fn probe(
        &mut self,
        auto: &mut Automatic,
        at: At,
        probe: u64,
        tools: &mut Toolchain,
    ) -> Result<Vec<Judged>, RuntimeError> {
        let signs = self.rademacher(at, probe);
        let coarse = auto.oracle.is_coarse();
        let usual = self.along(at, &signs, false, coarse);
        let mut judged = self.judge_along(auto, at, &usual, tools)?;
        let open = |list: &[Judged]| {
            let is_open = |j: &&Judged| j.ruling().comparison.status.info().severity >= Severity::Unsure;
            list.iter().filter(is_open).count()
        };
        if open(&judged) > 0 {
            let own = self.along(at, &signs, true, coarse);
            if own.scale < usual.scale {
                let along = self.along.clone();
                let other = self.judge_along(auto, at, &own, tools)?;
                match open(&other) < open(&judged) {
                    true => judged = other,
                    false => self.along = along,
                }
            }
        }
        Ok(judged)
    }

    /// J·u by JVP, into [`Self::along`].
    pub(super) fn run_along(
        &mut self,
        inputs: &[Datum],
        components: &[(usize, f64)],
        engine: &mut Engine,
    ) -> Result<(), RuntimeError> {
        let jvp = self.jvp.as_mut().expect("probes have the JVP program");
        load(&mut jvp.inputs, inputs);
        jvp.inputs[inputs.len()..].iter_mut().for_each(clear);
        for (column, u) in components {
            write(&mut jvp.inputs, &self.tangents[*column], *u);
        }
        jvp.run(engine)?;
        for (x, place) in self.along.iter_mut().zip(&self.dots) {
            *x = read(&jvp.outputs, place);
        }
        Ok(())
    }

    /// J·u along the displacement of [`Self::along`].
    fn judge_along(
        &mut self,
        auto: &mut Automatic,
        at: At,
        d: &Displacement,
        tools: &mut Toolchain,
    ) -> Result<Vec<Judged>, RuntimeError> {
        let components = self.components(&d.moved);
        let judged =
            self.judge(auto, at, std::slice::from_ref(d), None, tools, &mut |unit, inputs, engine| {
                unit.run_along(inputs, &components, engine)?;
                Ok((0..unit.rows.len()).map(|row| unit.derivative_along(row)).collect())
            })?;
        // Runs at other inputs have overwritten it.
        for j in &judged {
            self.along[j.row] = j.by[1].expect("by JVP");
        }
        Ok(judged)
    }

    fn derivative_along(&self, row: usize) -> Derivative {
        let modulus = match self.rows[row].part {
            Part::Whole => self.along[row].abs(),
            Part::Re => self.along[row].hypot(self.along[row + 1]),
            Part::Im => self.along[row].hypot(self.along[row - 1]),
        };
        Derivative { by: [None, Some(self.along[row])], modulus }
    }

    /// If every entry of the Jacobian is known and none is open, an inconclusive direction is dropped.
    pub(crate) fn drop_vague_directions(&mut self) {
        let known =
            |e: &super::EntryData| e.comparison.is_some_and(|c| c.status.info().severity < Severity::Unsure);
        if self.vague && !self.entries.is_empty() && self.entries.iter().all(known) {
            self.probes.retain(|p| p.comparison.status.info().severity != Severity::Unsure);
        }
    }

    /// For an array output, keeps the most informative entry; and the row that fails by most.
    fn keep_worst(&mut self, probe: u64, judged: &[Judged]) {
        for j in judged {
            let c = j.ruling().comparison;
            if c.status.failing() && self.missed.is_none_or(|m| c.ratio > m.ratio) {
                self.missed = Some(Miss { probe, row: j.row, ratio: c.ratio });
            }
            self.vague |= c.status.info().severity == Severity::Unsure;
        }
        for rows in self.row_blocks.clone() {
            let mut worst: Option<ProbeData> = None;
            for j in 0..rows.len {
                let row = rows.at(j);
                let ruling = judged[row].ruling();
                let array = !self.result_shapes[rows.block.index].is_empty();
                let probe = ProbeData {
                    input: None,
                    output: rows.block.index,
                    entry: array.then_some(j),
                    part: rows.block.part,
                    mode: Mode::Forward,
                    derivative: self.along[row].into(),
                    fd: ruling.value.into(),
                    comparison: ruling.comparison,
                };
                if worst.is_none_or(|w| super::fixed::worse(&ruling.comparison, &w.comparison)) {
                    worst = Some(probe);
                }
            }
            self.probes.extend(worst);
        }
    }
}

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
        let done = self.probe(&mut auto, at, count, tools);
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

    /// Probes along the usual directions, up to the first that fails: one failure is reported, however many show it. Each that is
    /// inconclusive because inputs are much smaller than their assumed scale is repeated with their own scales.
    fn probe(
        &mut self,
        auto: &mut Automatic,
        at: At,
        count: u64,
        tools: &mut Toolchain,
    ) -> Result<(), RuntimeError> {
        let (coarse, scales) = (auto.oracle.is_coarse(), self.scales(at, false));
        let signs: Vec<Vec<f64>> = (0..count).map(|probe| self.rademacher(at, probe)).collect();
        let usual: Vec<Displacement> = signs.iter().map(|u| self.along(at, u, &scales, coarse)).collect();
        let unsure = |list: &[Judged]| {
            let unsure = |j: &&Judged| j.ruling().comparison.status.info().severity >= Severity::Unsure;
            list.iter().filter(unsure).count()
        };
        let mut probe = 0;
        while probe < usual.len() {
            let all = self.judge_along(auto, at, &usual[probe..], tools)?;
            if all.is_empty() {
                break;
            }
            for judged in all.chunks(self.rows.len()) {
                // Left out behind one that fails along its usual direction, and may not along its own.
                if judged.iter().any(Judged::is_open) {
                    break;
                }
                let mut better = None;
                if unsure(judged) > 0 {
                    let own = self.along(at, &signs[probe], &self.scales(at, true), coarse);
                    if own.scale < usual[probe].scale {
                        let other = self.judge_along(auto, at, std::slice::from_ref(&own), tools)?;
                        better = Some(other).filter(|other| unsure(other) < unsure(judged));
                    }
                }
                self.keep_worst(probe as u64, better.as_deref().unwrap_or(judged));
                probe += 1;
                if self.missed.is_some() {
                    return Ok(());
                }
            }
            auto.judged = all;
        }
        Ok(())
    }

    /// J·u by JVP, into [`Self::along`].
    pub(super) fn run_along(
        &mut self,
        inputs: &[Datum],
        components: &[(usize, f64)],
        engine: &mut Engine,
    ) -> Result<(), RuntimeError> {
        self.load_along(inputs);
        self.next_along(components, engine)
    }

    /// The inputs of the runs by [`Self::next_along`].
    fn load_along(&mut self, inputs: &[Datum]) {
        load(&mut self.jvp.as_mut().expect("probes have the JVP program").inputs, inputs);
    }

    /// As [`Self::run_along`], at the inputs that are loaded.
    fn next_along(&mut self, components: &[(usize, f64)], engine: &mut Engine) -> Result<(), RuntimeError> {
        let jvp = self.jvp.as_mut().expect("probes have the JVP program");
        jvp.inputs[self.param_types.len()..].iter_mut().for_each(clear);
        for (column, u) in components {
            write(&mut jvp.inputs, &self.tangents[*column], *u);
        }
        jvp.run(engine)?;
        for (x, place) in self.along.iter_mut().zip(&self.dots) {
            *x = read(&jvp.outputs, place);
        }
        Ok(())
    }

    /// J·u along displacements, by these and by row.
    fn judge_along(
        &mut self,
        auto: &mut Automatic,
        at: At,
        list: &[Displacement],
        tools: &mut Toolchain,
    ) -> Result<Vec<Judged>, RuntimeError> {
        let components: Vec<Vec<(usize, f64)>> = list.iter().map(|d| self.components(&d.moved)).collect();
        self.judge(auto, at, list, None, tools, &mut |unit, inputs, wanted, engine| {
            let rows = unit.rows.len();
            let mut found = Vec::with_capacity(components.len() * rows);
            unit.load_along(inputs);
            for (components, wanted) in components.iter().zip(wanted) {
                if *wanted {
                    unit.next_along(components, engine)?;
                    found.extend((0..rows).map(|row| unit.derivative_along(row)));
                } else {
                    found.resize(found.len() + rows, Derivative::default());
                }
            }
            Ok(found)
        })
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
                    derivative: judged[row].by[1].expect("by JVP").into(),
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

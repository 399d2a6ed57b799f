//! What is displaced together, and by how much. A derivative is taken along a displacement of one coordinate of the inputs
//! (an entry of the Jacobian) or of many (a direction).

use super::Unit;
use super::automatic::At;
use crate::coordinates::Part;
use crate::oracle::{self, Moved, STEP};
use adc_ir::*;
use num_complex::Complex64;

/// Inputs whose scales differ by more than this factor are not displaced by the same step: it would be negligible for one
/// of them, or too large for the other.
const SAME_STEP: f64 = (1u64 << 20) as f64;
/// The largest component of a direction.
const LONGEST: f64 = 1e300;
/// A coordinate that is 0 does not tell the scale of the function: besides the usual one, these powers of two of it are
/// tried.
const DEEP: [i32; 4] = [-60, -120, -240, -480];
/// A declared range below this part of the magnitude is narrow: then it is the scale of the input.
const NARROW: f64 = 1.0 / 1024.0;
/// The scale is at least this part of the magnitude.
const NARROWEST: f64 = 1.0 / (1u64 << 20) as f64;

/// Coordinates that are displaced together, with the scales of their steps.
#[derive(Clone, Debug)]
pub(super) struct Displacement {
    pub moved: Moved,
    /// The scale of the usual steps, a power of two.
    pub scale: f64,
    /// Other scales at which the derivative may be known better, the smallest first.
    pub others: Vec<f64>,
    /// The primary offsets; 0 where there is no space, or the oracle is too coarse for them.
    pub offsets: [f64; 4],
    /// Whether they are one-sided.
    pub aside: bool,
}

impl Unit {
    /// Every column separately.
    pub(super) fn each_column(&self, at: At, coarse: bool) -> Vec<Displacement> {
        (0..self.columns.len()).map(|column| self.along_column(at, column, coarse)).collect()
    }

    fn along_column(&self, at: At, column: usize, coarse: bool) -> Displacement {
        let c = self.columns[column];
        let z = self.number(at.inputs, column);
        let (size, scale) = (z.norm(), self.usual_scale(column, z));
        let mut others = vec![oracle::own_scale(size), oracle::scale(size)];
        if size == 0.0 {
            others.extend(DEEP.map(|k| scale * 2f64.powi(k)));
        }
        others.retain(|s| *s != scale && *s > 0.0);
        others.sort_by(f64::total_cmp);
        others.dedup();
        // If the oracle is as coarse as doubles, steps have to be wide.
        let placed = match coarse {
            true => None,
            false => oracle::offsets(self.domains[c.index], c.part, z, scale * STEP),
        };
        Displacement {
            moved: Moved::Column(column),
            scale,
            others,
            offsets: placed.map_or([0.0; 4], |o| o.at),
            aside: placed.is_some_and(|o| o.aside),
        }
    }

    /// The scales over which coordinates vary, by column: the usual ones, or their `own` magnitudes.
    pub(super) fn scales(&self, at: At, own: bool) -> Vec<f64> {
        let scale_of = |column: usize| {
            let z = self.number(at.inputs, column);
            if own { oracle::own_scale(z.norm()) } else { self.usual_scale(column, z) }
        };
        (0..self.columns.len()).map(scale_of).collect()
    }

    /// A direction with these signs by column, pointing into the declared domains; each component is a power of two.
    /// `scales` are those of the columns.
    pub(super) fn along(&self, at: At, signs: &[f64], scales: &[f64], coarse: bool) -> Displacement {
        let number = |column: usize| self.number(at.inputs, column);
        let moved = || scales.iter().enumerate().filter(|(k, _)| signs[*k] != 0.0);
        let scale = moved().map(|(_, own)| *own).fold(f64::INFINITY, f64::min);
        let scale = if scale.is_finite() { scale } else { 1.0 };
        let (mut u, mut aside) = (signs.to_vec(), false);
        for (k, own) in moved() {
            let c = self.columns[k];
            let length = (own / scale / SAME_STEP).clamp(1.0, LONGEST);
            u[k] *= length;
            let farthest = 2.0 * length * scale * STEP;
            if self.domains[c.index].is_none() && farthest != 0.0 {
                continue;
            }
            let room = |sign: f64| self.inside(c.index, c.part, number(k), sign * farthest) != 0.0;
            let (up, down) = (room(1.0), room(-1.0));
            if !(up && down) {
                aside = true;
                u[k] = length * (f64::from(up as i8) - f64::from(down as i8));
            }
        }
        let h = scale * STEP;
        let offsets = match (coarse, aside) {
            (true, _) => [0.0; 4],
            (false, true) => [h, 2.0 * h, h / 4.0, h / 2.0],
            (false, false) => [h, -h, h / 4.0, -h / 4.0],
        };
        Displacement { moved: Moved::Along(u), scale, others: Vec::new(), offsets, aside }
    }

    /// The scale over which a coordinate varies: its own magnitude, but no less than a part of the magnitude of its
    /// declared range, and no more than the width of the range.
    fn usual_scale(&self, column: usize, z: Complex64) -> f64 {
        let range = self.ranges[self.columns[column].index];
        let least = range.magnitude / 1024.0;
        let size = if z.norm().is_finite() { z.norm().max(least) } else { range.magnitude };
        let narrow = range.width > 0.0 && range.width < size * NARROW;
        oracle::own_scale(if narrow { range.width.max(z.norm() * NARROWEST) } else { size })
    }

    /// The number that a column displaces.
    pub(super) fn number(&self, inputs: &[Datum], column: usize) -> Complex64 {
        let c = self.columns[column];
        inputs[c.index].get(c.entry).to_c128()
    }

    /// The displaced columns of a displacement, with the component of each.
    pub(super) fn components(&self, moved: &Moved) -> Vec<(usize, f64)> {
        match moved {
            Moved::Column(column) => vec![(*column, 1.0)],
            Moved::Along(u) => u.iter().copied().enumerate().filter(|(_, u)| *u != 0.0).collect(),
        }
    }

    /// The offset of a displacement if it stays in all declared domains with a margin, else 0.
    pub(super) fn within(&self, inputs: &[Datum], moved: &Moved, t: f64) -> f64 {
        let stays = |(column, u): (usize, f64)| {
            let c = self.columns[column];
            self.inside(c.index, c.part, self.number(inputs, column), t * u) != 0.0
        };
        if self.components(moved).into_iter().all(stays) { t } else { 0.0 }
    }

    /// The offset along a part of an input if it stays in the declared domain with a margin, else 0.
    fn inside(&self, index: usize, part: Part, z: Complex64, t: f64) -> f64 {
        let moved = match part {
            Part::Whole | Part::Re => Complex64::new(z.re + 2.0 * t, z.im),
            Part::Im => Complex64::new(z.re, z.im + 2.0 * t),
        };
        if self.domains[index].is_none_or(|d| d.contains(moved)) { t } else { 0.0 }
    }
}

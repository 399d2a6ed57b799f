//! How much is compared at which points.
//!
//! Of a small model it is everything at every point. But differences of a whole Jacobian run the function several times for
//! every column, so that their work grows as the square of a model's size, and interpreting a program takes a hundred times as
//! long as running it. So these have budgets of counted work for a whole check, and what is beyond is left to the first points:
//! at the others a Jacobian is compared along directions, where a wrong entry shows at its full size, and one that misses is
//! looked at entry by entry as everywhere. What is counted is counted at the first point that counts itself.

use crate::points::Origin;
use crate::settings::Request;
use crate::unit::Unit;

/// Work (see [`adc_ir::interp::Cost::work`]) of the function in the differences of the Jacobians of all points: about a second.
const ENTRIES: u64 = 1 << 26;
/// The same in differences along directions, for each order.
const DIRECTIONS: u64 = 1 << 26;
/// Steps of the interpreter in all its runs of one program.
const STEPS: u64 = 1 << 22;
/// How often a function runs for the difference of one column, or along one direction.
const RUNS: u64 = 4;
/// Directions at a point where no entries are compared.
pub(crate) const PROBES: u64 = 4;
/// Work of an iteration, of programs of which only iterations are known.
const ITERATION: u64 = 8;

/// What a run of a program took at the first point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Weight {
    /// Its counted work.
    pub work: u64,
    /// Steps of the interpreter; `None`: it has too many iterations to be interpreted.
    pub steps: Option<u64>,
}

impl Weight {
    /// Of a program that is not interpreted.
    pub(crate) fn of_iterations(iterations: u64) -> Weight {
        Weight { work: iterations.saturating_mul(ITERATION), steps: None }
    }

    /// Whether the interpreter runs the program at the point of this number.
    pub(crate) fn is_interpreted(&self, number: usize) -> bool {
        let before = |steps: u64| steps.saturating_mul(number as u64);
        self.steps.is_some_and(|steps| number == 0 || before(steps).saturating_add(steps) <= STEPS)
    }
}

/// How much of a check is compared at which of its points, which are numbered from 0.
#[derive(Clone, Debug)]
pub(crate) struct Extent {
    /// So many points have their Jacobians compared entry by entry.
    pub entries: usize,
    /// By unit: directions at each of the others.
    pub probes: Vec<u64>,
}

impl Extent {
    /// Of units with the weights of their functions; `None`: these are not known.
    pub(crate) fn new(request: &Request, units: &[(&Unit, Option<Weight>)]) -> Extent {
        let points = (request.points + request.special).max(1) as u64;
        let work =
            |unit: &Unit, w: Weight| RUNS.saturating_mul(w.work).saturating_mul(unit.columns.len() as u64);
        let entries = units.iter().filter(|(u, _)| u.by_entry);
        let whole: u64 = entries.filter_map(|(u, w)| Some(work(u, (*w)?))).fold(0, u64::saturating_add);
        let probes = |(_, w): &(&Unit, Option<Weight>)| {
            let along = w.map_or(0, |w| RUNS.saturating_mul(w.work).saturating_mul(points));
            DIRECTIONS.checked_div(along).map_or(PROBES, |n| n.clamp(1, PROBES))
        };
        Extent {
            entries: ENTRIES.checked_div(whole).map_or(usize::MAX, |n| n.max(1) as usize),
            probes: units.iter().map(probes).collect(),
        }
    }
}

/// The number of a point of a check, from which follows what is compared at it; 0 has everything.
pub(crate) fn number(request: &Request, origin: Origin) -> usize {
    match origin {
        Origin::Given(_) => 0,
        Origin::Drawn(k) | Origin::Edge(k) => k,
        Origin::Special(k) => request.points + k,
        Origin::Searched(k) => request.points + request.special + k,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_interpreted_until_the_budget_is_used_up() {
        let points = |steps| {
            let w = Weight { work: 1, steps };
            (0..1 << 24).take_while(|number| w.is_interpreted(*number)).count()
        };
        assert_eq!(points(Some(STEPS / 4)), 4);
        assert_eq!(points(Some(STEPS / 4 + 1)), 3);
        assert_eq!(points(Some(2 * STEPS)), 1, "at the first point it is interpreted anyway");
        assert_eq!(points(None), 0);
        assert_eq!(points(Some(0)), 1 << 24);
    }
}

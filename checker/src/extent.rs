//! How much is compared at which points.
//!
//! A small model is compared completely at every point. But differences of a whole Jacobian run the function several times
//! for every column, so that their work grows as the square of a model's size, and interpreting a program takes a hundred
//! times as long as running it. So a check has budgets of counted work for both, and only the first points get what exceeds
//! them. At the others a Jacobian is compared along directions, where a wrong entry shows at its full size, and a direction
//! that fails is examined entry by entry as everywhere. Work is counted at the first point that counts.

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
/// Directions at a point where entries are not compared.
pub(crate) const PROBES: u64 = 4;
/// Work of an iteration, for programs of which only the iterations are known.
const ITERATION: u64 = 8;

/// The cost of a run of a program at the first point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Weight {
    /// Its counted work.
    pub work: u64,
    /// Steps of the interpreter; `None` if it takes too many iterations to be interpreted.
    pub steps: Option<u64>,
}

impl Weight {
    /// The cost of a program that is not interpreted.
    pub(crate) fn of_iterations(iterations: u64) -> Weight {
        Weight { work: iterations.saturating_mul(ITERATION), steps: None }
    }

    /// Whether the program is interpreted at the point of this number.
    pub(crate) fn is_interpreted(&self, number: usize) -> bool {
        let before = |steps: u64| steps.saturating_mul(number as u64);
        self.steps.is_some_and(|steps| number == 0 || before(steps).saturating_add(steps) <= STEPS)
    }
}

/// How much of a check is compared at which of its points, which are numbered from 0.
#[derive(Clone, Debug)]
pub(crate) struct Extent {
    /// Number of points whose Jacobians are compared entry by entry.
    pub entries: usize,
    /// For each unit, the number of directions at each of the other points.
    pub probes: Vec<u64>,
}

impl Extent {
    /// From the units with the costs of their functions; `None` if unknown.
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

/// The number of a point of a check, which determines what is compared at it. At number 0 everything is compared.
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

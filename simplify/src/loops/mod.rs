//! Passes over loops: what one loop makes and the next one reads never becomes an array, loops over the same range
//! become one, and what does not change in a loop leaves it.
//!
//! The order matters. `elements` makes additions of reads, sums and writes of elements; `conditional` brings what a branch adds or writes behind it; `element_sums` adds up first what a loop adds to one element; `collect` collects what it writes to one element after the other; `sums` makes sums of terms of what loops only add to, and sums of elements of those of small arrays; `unroll` writes small loops of known length out; `scalars` splits small carried arrays into their elements, `rows` carried matrices into their rows;
//! `inline_build` computes an element where it is read; `units` finds sums of which one term is left; `fission` takes out of a loop what
//! can run in lanes; `merge` joins loops over one range; `carries` joins what they carry twice; `hoist` moves what does not change out of loops, `tables` what does not change in
//! a loop out of the one around it; `branches` joins `if`s on one condition; `arms` moves what both branches of an `if` compute in front
//! of it. `slices` computes sums of slices element by element; `borders` collects what is added to neighbours; `taps` collects arrays that differ in a factor once; `row_sums` takes sums over several rows at once; `accumulators` adds to one array what is added to several; `terms` adds up what a loop collects to be added to one part of an array; `recurrences` takes out of a loop that carries numbers what can run in lanes; `interchange` puts a short loop that adds to neighbours around the long one that it is in; `keep` stores what a later loop would compute again; `late` multiplies last what a carry enters, so that `partials` can compute in a loop, and store, what its reverse multiplies cotangents by; `cycles` gives arrays that iterations add to copies, so that outer loops
//! run in lanes; `gathered` adds to a sum of arrays what an inner loop would collect for it; `maps` applies a linear map once, to sums; `functions` takes out of a loop a function that only a sum waits for; `jam` takes several iterations together whose inner loops become one, and whose `if`s do (`together`); `common_factors` adds up first what they multiply by the same; `parts` adds to a part of an array what a loop would collect for it; `waiting` multiplies last what a loop waits for; `versions` asks before a loop whether all iterations take the usual branch; `transposed` turns matrices that inner loops read by columns; `beside` brings
//! the two products of a matrix with vectors together. Before differentiation, `hoist` moves arrays and loops, with
//! the numbers that they need, `inline_build` computes the elements that extrema read, and `extrema` brings a maximum into the branch that
//! alone differentiates it.
//!
//! `hoist` and `arms` move an operation that can fail only to where it is certain to execute, and never ahead of another that can
//! fail. `merge`, `jam`, `interchange` and `inline_build` do not keep the order of failures. The second of two merged loops may fail before a later
//! iteration of the first, or before an assertion between them; an inlined element fails where it is read. A run that would have
//! succeeded still does.
//!
//! A value read in two loops may be updated in place between them; a pass that brings a read behind such an update would
//! turn it into a copy, so it looks for that first ([`scan::consumed`]).

mod accumulators;
mod arms;
mod beside;
mod borders;
mod branches;
mod carries;
mod collect;
mod common_factors;
mod conditional;
mod cycles;
mod element_sums;
mod elements;
mod extrema;
mod factors;
mod fission;
mod functions;
mod gathered;
mod hoist;
mod inline_build;
mod interchange;
mod jam;
mod keep;
mod late;
mod maps;
pub(crate) mod merge;
mod neighbours;
mod numbers;
mod partials;
mod parts;
mod places;
mod recurrences;
mod row_sums;
mod rows;
mod scalars;
pub(crate) mod scan;
mod seeds;
mod slices;
mod sums;
mod tables;
mod taps;
mod terms;
mod together;
pub(crate) mod total;
mod transposed;
mod units;
mod unroll;
mod versions;
mod waiting;
mod widened;

pub(crate) use accumulators::function as accumulators;
pub(crate) use arms::function as arms;
pub(crate) use beside::function as beside;
pub(crate) use borders::function as borders;
pub(crate) use branches::function as branches;
pub(crate) use carries::function as carries;
pub(crate) use collect::function as collect;
pub(crate) use common_factors::function as common_factors;
pub(crate) use conditional::function as conditional;
pub(crate) use cycles::function as cycles;
pub(crate) use element_sums::function as element_sums;
pub(crate) use elements::function as elements;
pub(crate) use extrema::function as extrema;
pub(crate) use factors::{join, split};
pub(crate) use fission::function as fission;
pub(crate) use functions::function as functions;
pub(crate) use gathered::function as gathered;
pub(crate) use hoist::{arrays as hoist_arrays, function as hoist};
pub(crate) use inline_build::{function as inline_build, in_extrema as inline_in_extrema};
pub(crate) use interchange::function as interchange;
pub(crate) use jam::function as jam;
pub(crate) use keep::function as keep;
pub(crate) use late::function as late;
pub(crate) use maps::function as maps;
pub(crate) use merge::function as merge;
pub(crate) use partials::function as partials;
pub(crate) use parts::function as parts;
pub(crate) use recurrences::function as recurrences;
pub(crate) use row_sums::function as row_sums;
pub(crate) use rows::function as rows;
pub(crate) use scalars::function as scalars;
pub(crate) use seeds::function as seeds;
pub(crate) use slices::function as slices;
pub(crate) use sums::function as sums;
pub(crate) use tables::function as tables;
pub(crate) use taps::function as taps;
pub(crate) use terms::function as terms;
pub(crate) use transposed::function as transposed;
pub(crate) use units::function as units;
pub(crate) use unroll::function as unroll;
pub(crate) use versions::function as versions;
pub(crate) use waiting::function as waiting;

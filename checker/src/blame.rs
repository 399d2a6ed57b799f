//! The cause of a failure, found by experiment.
//!
//! An instruction, with its regions, becomes a function of its own in a copy of the program (`outline.rs`). A traced run
//! records the values that reach it (`trace.rs`). A check of that function says whether its derivative is right there
//! (`numeric.rs`), and a rule made of differences replaces its derivative in that of the whole program (`trial.rs`). Blamed
//! is the first instruction in order of execution that is wrong by itself and whose replacement repairs the entry
//! (`search.rs`). If there is none, bisection finds the smallest sequence of instructions that does (`windows.rs`).
//!
//! If the raw derivative is right, bisection over all rewrites and passes finds the one without which the result is right
//! (`stage.rs`, `optimiser.rs`). All searches are bounded by counts.

mod copy;
mod frozen;
mod mistake;
mod numeric;
pub(crate) mod optimiser;
mod outline;
mod search;
mod stage;
mod trace;
mod trial;
mod windows;

use crate::prepare::Prepared;
use crate::report::{Blame, Entry, Mistake, Stage};
use crate::settings::Context;
use crate::verdict::Verdict;
use adc_ir::*;
use adc_simplify::OptLevel;
use numeric::Isolated;
use outline::Window;
use search::{Culprit, Search};
use trial::Target;

/// Number of experiments with the whole derivative.
const MAX_TRIALS: usize = 48;

/// What other entries of one check were blamed on, which is tried first. It also limits the number of searches.
#[derive(Default)]
pub(crate) struct Known {
    culprits: Vec<(FuncId, Vec<Window>)>,
    searches: usize,
}

/// Number of searches in one check.
const MAX_SEARCHES: usize = 8;

impl Known {
    fn again(&self, f: FuncId, search: &mut Search) -> Option<Culprit> {
        let mut same = self.culprits.iter().filter(|(g, _)| *g == f);
        same.find_map(|(_, windows)| search.single(windows.clone()))
    }

    fn anew(&mut self, search: &mut Search) -> Option<Culprit> {
        if self.searches == MAX_SEARCHES {
            return None;
        }
        self.searches += 1;
        let (m, f) = (&search.subject.module, search.subject.func);
        let found = search.single(trace::places(m, f)).or_else(|| search.several())?;
        if !found.windows.is_empty() {
            self.culprits.push((f, found.windows.clone()));
        }
        Some(found)
    }
}

/// What is to blame for a wrong entry. `inputs`: the function's, and the cotangents of the second order. `wanted`: which
/// verdicts make an op by itself suspicious.
pub(crate) fn find(
    ctx: &Context,
    prepared: &Prepared,
    e: &Entry,
    inputs: Vec<Datum>,
    wanted: &dyn Fn(Verdict) -> bool,
    known: &mut Known,
) -> Option<Blame> {
    let unit = prepared.units.iter().find(|u| u.order == e.order)?;
    let target = Target::new(ctx.passes, prepared, unit, e, inputs)?;
    let subject = copy::subject(&prepared.module, unit.programs.func);
    let mut stages = Vec::new();
    let raw = target.value(&subject, OptLevel::O0, target.externs)?;
    stages.push((Stage::Ad, raw));
    let mut stage = Stage::Ad;
    if target.is_right(raw) {
        let simplified = target.simplified(&subject, ctx.opt, target.passes);
        stages.extend(simplified.map(|x| (Stage::Simplify, x)));
        stages.push((Stage::Jit, target.wrong));
        let right = simplified.is_some_and(|x| target.is_right(x));
        stage = if right { Stage::Jit } else { Stage::Simplify };
        // Both may round as they like within the bound: no rewrite is to blame for a formula that loses digits.
        let context = (&prepared.module, prepared.externs());
        let bound = unit.entry_rounding(context, &target.inputs, e.place, usize::from(!target.reverse));
        let bound = bound.filter(|b| b.is_finite());
        if let (Stage::Simplify, Some(x), Some(bound)) = (stage, simplified, bound)
            && (x - raw).abs() <= 2.0 * bound
        {
            return None;
        }
    }
    let (op, rewrite, mistake, counterfactual) = match stage {
        Stage::Ad => {
            let request = &prepared.request;
            let mut search =
                Search { ctx, subject: &subject, target: &target, request, wanted, trials: MAX_TRIALS };
            let found = known.again(subject.func, &mut search).or_else(|| known.anew(&mut search))?;
            (Some(found.op), None, found.mistake, Some(found.counterfactual))
        }
        Stage::Simplify => match stage::find(ctx, &subject, &target) {
            Some((rewrite, c)) => (None, Some(rewrite), None, Some(c)),
            None => (None, None, None, None),
        },
        Stage::Jit => (None, None, None, None),
    };
    Some(Blame { entry: e.clone(), stage, stages, op, rewrite, mistake, counterfactual })
}

/// The likely mistake of a function's rule by itself; `prepared` is a check of every entry.
pub(crate) fn mistake_of(
    ctx: &Context,
    func: &Func,
    prepared: &Prepared,
    inputs: &[Datum],
) -> Option<Mistake> {
    let mut isolated = Isolated::of(prepared.clone())?;
    let names: Vec<String> = func.params.iter().map(|p| p.name.clone()).collect();
    let body = prepared.request.func;
    mistake::find(
        ctx,
        &prepared.module,
        &prepared.request,
        &mut isolated,
        &[inputs.to_vec()],
        &names,
        (body, body),
    )
}

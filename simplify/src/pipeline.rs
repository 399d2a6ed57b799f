//! The passes in their order, as data, and the one driver that runs them: it leaves passes out, verifies what they made, and
//! collects what they say about themselves.

use crate::canonicalise::{self, Choice};
use crate::decisions::{Deciding, Decisions};
use crate::egraph::{self, Effort, Rewrites};
use crate::explain::Explanation;
use crate::rules::Rule;
use crate::{
    OptLevel, accumulate, arrays, comparisons, contract, inline, invariants, loops, multiples, reciprocals,
};
use adc_ir::dce::Asserting;
use adc_ir::verify::assert_valid;
use adc_ir::{FpMode, Func, FuncId, Inst, Kind, Module, Op, ReduceOp, Region, Span};

/// How programs are simplified. What is left out costs nothing else: a program simplified without something computes the same, at
/// a higher cost.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options<'a> {
    /// How much is done.
    pub level: OptLevel,
    /// What is left out: passes ([`PASSES`]), identities of an op (`identities of mul`), rewrites of the e-graph pass.
    pub without: &'a [&'a str],
    /// A rewrite in the place of one of [`crate::rules::all`], by the place of that.
    pub rewrite: Option<(usize, &'static Rule)>,
    /// Whether to say what was done.
    pub explain: bool,
}

/// What was done, if [`Options::explain`] asks for it.
#[derive(Clone, Debug, Default)]
pub struct Done {
    /// The rewrites of the e-graph pass that the result shows, in order.
    pub rewrites: Vec<Explanation>,
    /// Which identities were used, with the expressions they were used on, each once.
    pub identities: Vec<(String, Span)>,
}

/// What can be left out: passes and parts of passes, with what they do.
pub const PASSES: [(&str, &str); 55] = [
    ("canonicalise", "hash-consing, constants, exact identities, dead code"),
    ("identities", "exact identities of scalar ops"),
    ("twins", "what is computed already is not computed again"),
    ("inline", "calls of small functions become their bodies"),
    ("products", "sums of products that are elements of a product of matrices become that product"),
    ("contractions", "products of matrices in another order"),
    ("extrema", "a maximum is differentiated in the branch that asks for it only"),
    ("factors", "solutions with one matrix share its factors"),
    ("elements", "a sum that is written where its first term was read is an addition to an element"),
    ("conditional", "what a branch adds or writes is added or written behind it"),
    ("element_sums", "what a loop adds to one element of an array becomes a sum of terms"),
    ("collect", "what a loop writes to one element after the other it collects"),
    ("sums", "what a loop only adds to becomes a sum of terms"),
    ("unroll", "small loops are written out"),
    ("scalars", "small arrays become their elements"),
    ("rows", "matrices that loops carry, and use by rows, become their rows"),
    ("inline_build", "an element is computed where it is read"),
    ("units", "a sum of terms that vanish but for one is that one"),
    ("seeds", "elements of unit vectors are read from one array"),
    ("fission", "what can run in lanes leaves a loop that cannot"),
    ("merge", "loops over one range become one"),
    ("carries", "what a loop carries twice is carried once"),
    ("slices", "a sum of slices that loops make is computed element by element"),
    ("borders", "what a loop adds to neighbours of its element it collects, with room at both ends"),
    ("taps", "arrays that differ in a factor only are collected once, and added up element by element"),
    ("row_sums", "many sums over the elements of a matrix are taken over several rows at once"),
    ("accumulators", "what a loop adds to several arrays that become one, it adds to one"),
    ("terms", "what a loop collects to be added to one part of an array is added up in the loop"),
    ("late", "of three factors, what a carry enters comes last"),
    ("partials", "a loop stores what its reverse would compute from what it stored"),
    ("recurrences", "what can run in lanes leaves a loop that carries numbers"),
    ("keep", "what a later loop would compute again is kept"),
    ("gathered", "an array that is collected to be added up is added to element by element"),
    (
        "versions",
        "a loop asks before whether all iterations take the usual branch, and has no other one then",
    ),
    ("interchange", "a short loop that adds to neighbours goes around the long one that it is in"),
    ("jam", "iterations whose inner loops become one are taken together"),
    ("common_factors", "what iterations taken together multiply by the same numbers is added up before"),
    ("functions", "what only a sum waits for leaves a loop that does not run in lanes"),
    (
        "parts",
        "an array that is collected to be added to a part of another one is added to it element by element",
    ),
    ("transposed", "matrices that loops read by columns are transposed before"),
    ("cycles", "arrays that iterations add to get a copy for each lane"),
    ("beside", "a matrix times a vector, and a vector times the matrix, are computed in one pass"),
    ("hoist", "what does not change leaves its loop"),
    ("tables", "what an inner loop computes always alike is computed before the outer one"),
    ("comparisons", "what bounds settle is not compared"),
    ("branches", "`if`s on one condition become one"),
    ("arms", "what both branches of an `if` compute is computed before"),
    ("egraph", "rewrites of the e-graph pass"),
    ("reciprocals", "divisions by one number become products with its reciprocal"),
    ("multiples", "literal factors of factors become one, and products of twice something twice products"),
    ("maps", "a linear map that a loop does not change is applied once, to sums"),
    ("fma", "a product that is only added to something becomes an `fma`"),
    ("invariants", "factors that a loop does not change are multiplied before it"),
    ("accumulate", "a product that is only added to an element of an array becomes an `fma`"),
    ("waiting", "of three factors, what a loop waits for comes last"),
];

/// Passes of [`PASSES`] that round otherwise than the program that they are given.
pub const ROUNDING: [&str; 24] = [
    "products",
    "contractions",
    "element_sums",
    "sums",
    "units",
    "borders",
    "row_sums",
    "interchange",
    "accumulators",
    "terms",
    "late",
    "recurrences",
    "jam",
    "common_factors",
    "functions",
    "cycles",
    "egraph",
    "reciprocals",
    "multiples",
    "maps",
    "fma",
    "invariants",
    "waiting",
    "accumulate",
];

/// One pass where it stands in the pipeline.
struct Step {
    /// A name of [`PASSES`].
    name: &'static str,
    /// The first level that has it.
    from: OptLevel,
    /// Changes the functions that the list is true for; says whether it may have changed any from canonical form.
    run: fn(&mut Module, &[bool], &mut Run) -> bool,
    /// Whether canonical form comes behind it, if it or one before has changed anything.
    tidied: bool,
}

/// Steps that are done so many times.
struct Stage {
    times: usize,
    steps: &'static [Step],
}

const fn step(
    name: &'static str,
    from: OptLevel,
    run: fn(&mut Module, &[bool], &mut Run) -> bool,
    tidied: bool,
) -> Step {
    Step { name, from, run, tidied }
}

/// Callees of up to this many instructions are inlined.
pub const INLINE_LIMIT: usize = 24;
/// Callees of up to this many instructions are inlined once their small loops are written out.
const WRITTEN_OUT_LIMIT: usize = 160;
/// How often the passes over loops run: merged loops show equal values to the canonicaliser, which shows more.
const LOOP_ROUNDS: usize = 3;

/// What becomes of programs that are to be run. Level 2 has no e-graph pass because code is hardly faster with it, for a quarter more
/// compile time: `benches/README.md` has the figures. It would have to save 5 %.
#[rustfmt::skip]
const PIPELINE: &[Stage] = &[
    Stage { times: 1, steps: &[
        // First small, so that the size of callees is the size of what is really computed.
        step("canonicalise", OptLevel::O1, canonical, false),
        step("inline", OptLevel::O1, |m, which, _| inlined(m, which, INLINE_LIMIT), true),
        step("elements", OptLevel::O1, |m, which, _| any(m, which, loops::elements), true),
        step("conditional", OptLevel::O1, |m, which, _| any(m, which, loops::conditional), true),
        step("collect", OptLevel::O1, |m, which, _| any(m, which, loops::collect), true),
        step("contractions", OptLevel::O2, ordered, true),
        // Before equal values are shared and leave loops.
        step("factors", OptLevel::O1, |m, which, _| any(m, which, loops::split), true),
    ] },
    Stage { times: LOOP_ROUNDS, steps: &[
        step("element_sums", OptLevel::O2, to_elements, true),
        step("sums", OptLevel::O2, summed, false),
        step("products", OptLevel::O2, multiplied, true),
        step("unroll", OptLevel::O2, |m, which, _| all(m, which, |f| loops::unroll(f, true)), false),
        step("scalars", OptLevel::O2, |m, which, _| all(m, which, loops::scalars), false),
        step("rows", OptLevel::O2, |m, which, _| all(m, which, loops::rows), false),
        step("inline_build", OptLevel::O2, |m, which, _| asserting(m, which, loops::inline_build), false),
        step("units", OptLevel::O2, single_terms, false),
        step("fission", OptLevel::O2, |m, which, _| all(m, which, loops::fission), false),
        step("merge", OptLevel::O2, |m, which, _| asserting(m, which, loops::merge), false),
        step("carries", OptLevel::O2, |m, which, _| any(m, which, loops::carries), true),
        step("hoist", OptLevel::O2, |m, which, _| all(m, which, loops::hoist), false),
        step("tables", OptLevel::O2, |m, which, _| all(m, which, loops::tables), false),
        step("comparisons", OptLevel::O2, |m, which, _| any(m, which, comparisons::function), true),
        step("branches", OptLevel::O2, |m, which, _| asserting(m, which, loops::branches), false),
        step("arms", OptLevel::O2, |m, which, _| all(m, which, loops::arms), true),
        step("inline", OptLevel::O2, |m, which, _| inlined(m, which, WRITTEN_OUT_LIMIT), true),
    ] },
    Stage { times: 1, steps: &[
        // Behind `units`, which knows their form.
        step("seeds", OptLevel::O2, |m, which, _| all(m, which, loops::seeds), false),
        // Of loops that are what they will be.
        step("slices", OptLevel::O2, |m, which, _| any(m, which, loops::slices), true),
        // Which make more slices.
        step("borders", OptLevel::O2, bordered, true),
        // Of slices that are too dear to be computed again.
        step("taps", OptLevel::O2, |m, which, _| any(m, which, loops::taps), true),
        // Of what is left of the loops.
        step("row_sums", OptLevel::O2, over_rows, true),
        step("late", OptLevel::O2, delayed, true),
        // Of the loops that are left, which run in the order of a forward and of a reverse sweep.
        step("partials", OptLevel::O2, |m, which, _| asserting(m, which, loops::partials), true),
        // Which are loops of their own only now.
        step("merge", OptLevel::O2, |m, which, _| asserting(m, which, loops::merge), false),
        step("carries", OptLevel::O2, |m, which, _| any(m, which, loops::carries), false),
        step("branches", OptLevel::O2, |m, which, _| asserting(m, which, loops::branches), true),
        // Of whole arrays, which slices may be.
        step("accumulators", OptLevel::O2, added, true),
        step("terms", OptLevel::O2, added_up, true),
        // Of loops that cannot become one.
        step("keep", OptLevel::O2, |m, which, _| all(m, which, loops::keep), true),
        step("recurrences", OptLevel::O2, distributed, true),
        // Those that are not shared.
        step("factors", OptLevel::O1, |m, which, _| any(m, which, loops::join), true),
        step("egraph", OptLevel::O3, rewritten, true),
        // Of what is left.
        step("reciprocals", OptLevel::O2, inverted, true),
        step("multiples", OptLevel::O2, scaled, true),
        // Of what is multiplied by one number only.
        step("maps", OptLevel::O2, mapped, true),
        step("fma", OptLevel::O2, contracted, true),
        // Of which that says whether they are exact.
        step("invariants", OptLevel::O2, joined, true),
        // Which shows what loops wait for.
        step("waiting", OptLevel::O2, reordered, true),
        step("gathered", OptLevel::O2, |m, which, _| any(m, which, loops::gathered), true),
        // Of loops that carry what they add to.
        step("versions", OptLevel::O2, |m, which, _| any(m, which, loops::versions), true),
        step("interchange", OptLevel::O2, interchanged, true),
        // Of bodies that are as small as they will be.
        step("jam", OptLevel::O2, jammed, true),
        step("common_factors", OptLevel::O2, shared, true),
        // Of loops whose iterations are as many as they will be.
        step("functions", OptLevel::O2, left, true),
        step("parts", OptLevel::O2, |m, which, _| any(m, which, loops::parts), true),
        // Canonical form reads a matrix, not its transpose.
        step("transposed", OptLevel::O2, |m, which, _| all(m, which, loops::transposed), false),
        // Whose copies are next to each other, and stay so.
        step("cycles", OptLevel::O2, cycled, false),
        step("beside", OptLevel::O2, |m, which, _| all(m, which, loops::beside), false),
        // The last one, for those before look for additions; canonical form would undo `transposed`.
        step("accumulate", OptLevel::O2, accumulated, false),
    ] },
];

/// What becomes of functions that are to be differentiated, so that derivatives are made of straight lines where there is little to
/// do, and of nothing that is computed once more for each iteration. What else is computed in loops over arrays stays as it is: where its
/// values are stored is for the derivative to say.
#[rustfmt::skip]
const PREPARATION: &[Stage] = &[
    Stage { times: 1, steps: &[
        step("canonicalise", OptLevel::O0, canonical, false),
        step("elements", OptLevel::O0, |m, which, _| any(m, which, loops::elements), true),
        step("conditional", OptLevel::O0, |m, which, _| any(m, which, loops::conditional), true),
        step("collect", OptLevel::O0, |m, which, _| any(m, which, loops::collect), true),
        step("inline", OptLevel::O0, |m, which, _| inlined(m, which, INLINE_LIMIT), false),
        step("element_sums", OptLevel::O0, to_elements, true),
        step("sums", OptLevel::O0, summed, false),
        step("inline_build", OptLevel::O0, |m, which, _| asserting(m, which, loops::inline_in_extrema), false),
        step("unroll", OptLevel::O0, |m, which, _| all(m, which, |f| loops::unroll(f, false)), false),
        step("scalars", OptLevel::O0, |m, which, _| all(m, which, loops::scalars), false),
        step("rows", OptLevel::O0, |m, which, _| all(m, which, loops::rows), true),
        // What a loop computes again and again, its derivative would, too.
        step("hoist", OptLevel::O0, |m, which, _| all(m, which, loops::hoist_arrays), true),
    ] },
    Stage { times: LOOP_ROUNDS - 1, steps: &[
        step("inline", OptLevel::O0, |m, which, _| inlined(m, which, WRITTEN_OUT_LIMIT), false),
        step("element_sums", OptLevel::O0, to_elements, true),
        step("sums", OptLevel::O0, summed, false),
        step("unroll", OptLevel::O0, |m, which, _| all(m, which, |f| loops::unroll(f, false)), false),
        step("scalars", OptLevel::O0, |m, which, _| all(m, which, loops::scalars), false),
        step("rows", OptLevel::O0, |m, which, _| all(m, which, loops::rows), true),
    ] },
    Stage { times: 1, steps: &[
        // Of functions that are written out only now.
        step("hoist", OptLevel::O0, |m, which, _| all(m, which, loops::hoist_arrays), true),
        step("products", OptLevel::O0, multiplied, true),
        step("contractions", OptLevel::O0, ordered, true),
        // Behind the last canonical form, in which a value is computed once.
        step("extrema", OptLevel::O0, |m, which, _| asserting(m, which, loops::extrema), false),
    ] },
];

/// [`crate::run`] as these options say.
pub fn run_with(m: &mut Module, roots: &[FuncId], options: &Options) -> Done {
    drive(PIPELINE, m, roots, options)
}

/// [`crate::prepare`] with something left out; the level is of no account.
pub fn prepare_with(m: &mut Module, roots: &[FuncId], options: &Options) -> Done {
    drive(PREPARATION, m, roots, options)
}

/// What the steps of one run share.
struct Run {
    effort: Effort,
    rewrites: Rewrites,
    choice: Choice,
    /// Of the e-graph pass, if they are wanted.
    explanations: Option<Vec<Explanation>>,
}

fn drive(stages: &[Stage], m: &mut Module, roots: &[FuncId], options: &Options) -> Done {
    // By `FuncId`.
    let mut reached = vec![false; m.funcs.len()];
    m.reachable_from(roots).into_iter().for_each(|f| reached[f.0 as usize] = true);
    let is_out = |name: &str| options.without.contains(&name);
    narrow(m, &reached);
    let mut run = Run {
        effort: Effort::Large,
        rewrites: Rewrites::new(options),
        choice: Choice {
            duplicates: !is_out("twins"),
            without: Op::ALL
                .iter()
                .copied()
                .filter(|op| is_out("identities") || is_out(&identities_of(*op)))
                .collect(),
            apart: canonicalise::apart(m),
            used: options.explain.then(Vec::new),
        },
        explanations: options.explain.then(Vec::new),
    };
    // Since the last canonical form.
    let mut changed = false;
    for stage in stages {
        for step in (0..stage.times).flat_map(|_| stage.steps) {
            if options.level >= step.from && !is_out(step.name) {
                changed |= (step.run)(m, &reached, &mut run);
            }
            if !step.tidied || !changed {
                continue;
            }
            check(m, step.name);
            if !is_out("canonicalise") {
                canonical(m, &reached, &mut run);
                check(m, "canonicalise");
            }
            changed = false;
        }
    }
    let mut identities: Vec<(String, Span)> = Vec::new();
    for (op, span) in run.choice.used.unwrap_or_default() {
        let new = (identities_of(op), span);
        if !identities.contains(&new) {
            identities.push(new);
        }
    }
    Done { rewrites: run.explanations.unwrap_or_default(), identities }
}

/// What a function calls has no more permission than itself.
fn narrow(m: &mut Module, reached: &[bool]) {
    let order = m.callees_first();
    let mut again = true;
    // Once, and once more to see that; functions with dimensions may call each other in a circle.
    while std::mem::take(&mut again) {
        for f in order.iter().rev().filter(|f| reached[f.0 as usize]) {
            let mode = m.func(*f).mode();
            for callee in m.func(*f).callees() {
                let callee = &mut m.funcs[callee.0 as usize];
                if callee.mode() > mode {
                    (callee.fp, again) = (Some(mode), true);
                }
            }
        }
    }
}

/// The name of the identities of an op.
fn identities_of(op: Op) -> String {
    format!("identities of {}", op.name())
}

fn canonical(m: &mut Module, which: &[bool], run: &mut Run) -> bool {
    canonicalise::functions(m, which, &mut run.choice);
    false
}

fn rewritten(m: &mut Module, which: &[bool], run: &mut Run) -> bool {
    egraph::pass(m, which, run.effort, &run.rewrites, run.explanations.as_mut());
    true
}

fn summed(m: &mut Module, which: &[bool], _: &mut Run) -> bool {
    let has = |i: &Inst| matches!(i.kind, Kind::For(l) if l.sums > 0 || i.args.len() > 3);
    undecided(m, which, has, loops::sums)
}

fn multiplied(m: &mut Module, which: &[bool], _: &mut Run) -> bool {
    undecided(m, which, |i| i.kind == Kind::Reduce(ReduceOp::Sum), arrays::products)
}

fn to_elements(m: &mut Module, which: &[bool], _: &mut Run) -> bool {
    undecided(m, which, carries, loops::element_sums)
}

fn distributed(m: &mut Module, which: &[bool], _: &mut Run) -> bool {
    undecided(m, which, carries, loops::recurrences)
}

fn added_up(m: &mut Module, which: &[bool], _: &mut Run) -> bool {
    undecided(m, which, |i| i.kind == Kind::AddSlice, loops::terms)
}

fn bordered(m: &mut Module, which: &[bool], _: &mut Run) -> bool {
    undecided(m, which, carries, loops::borders)
}

fn over_rows(m: &mut Module, which: &[bool], _: &mut Run) -> bool {
    undecided(m, which, |i| matches!(i.kind, Kind::For(_)), loops::row_sums)
}

fn added(m: &mut Module, which: &[bool], _: &mut Run) -> bool {
    let has = |i: &Inst| matches!(i.kind, Kind::AddSlice | Kind::AddAt);
    undecided(m, which, has, loops::accumulators)
}

fn cycled(m: &mut Module, which: &[bool], _: &mut Run) -> bool {
    undecided(m, which, carries, loops::cycles)
}

fn interchanged(m: &mut Module, which: &[bool], _: &mut Run) -> bool {
    undecided(m, which, carries, loops::interchange)
}

fn jammed(m: &mut Module, which: &[bool], _: &mut Run) -> bool {
    let asserting = Asserting::of(m);
    undecided(m, which, carries, |f, deciding| loops::jam(f, deciding, &asserting))
}

fn shared(m: &mut Module, which: &[bool], _: &mut Run) -> bool {
    undecided(m, which, |i| i.kind == Kind::AddAt, loops::common_factors)
}

fn left(m: &mut Module, which: &[bool], _: &mut Run) -> bool {
    undecided(m, which, carries, loops::functions)
}

fn inverted(m: &mut Module, which: &[bool], _: &mut Run) -> bool {
    let is_div = |i: &Inst| i.kind == Kind::Op(Op::Div);
    // Elsewhere no rounding may become larger.
    undecided(m, which, is_div, |f, deciding| f.mode() == FpMode::Fast && reciprocals::function(f, deciding))
}

fn scaled(m: &mut Module, which: &[bool], _: &mut Run) -> bool {
    undecided(m, which, |i| matches!(i.kind, Kind::Op(Op::Mul | Op::Neg)), multiples::function)
}

fn mapped(m: &mut Module, which: &[bool], _: &mut Run) -> bool {
    let is_loop = |i: &Inst| matches!(i.kind, Kind::For(_));
    // Elsewhere no rounding may become larger.
    undecided(m, which, is_loop, |f, deciding| f.mode() == FpMode::Fast && loops::maps(f, deciding))
}

fn joined(m: &mut Module, which: &[bool], _: &mut Run) -> bool {
    undecided(m, which, |i| i.kind.is_loop(), invariants::function)
}

fn accumulated(m: &mut Module, which: &[bool], _: &mut Run) -> bool {
    undecided(m, which, |i| i.kind == Kind::AddAt, accumulate::function)
}

fn reordered(m: &mut Module, which: &[bool], _: &mut Run) -> bool {
    undecided(m, which, |i| i.kind.first_carry().is_some_and(|k| i.args.len() > k), loops::waiting)
}

fn delayed(m: &mut Module, which: &[bool], _: &mut Run) -> bool {
    undecided(m, which, carries, loops::late)
}

fn single_terms(m: &mut Module, which: &[bool], _: &mut Run) -> bool {
    undecided(m, which, |i| i.kind == Kind::Update, loops::units)
}

fn carries(inst: &Inst) -> bool {
    matches!(inst.kind, Kind::For(_)) && inst.args.len() > 3
}

/// Changes how functions round that have such instructions and are not strict, but for what decides. Whether one of them was changed.
fn undecided(
    m: &mut Module,
    which: &[bool],
    has: fn(&Inst) -> bool,
    change: impl Fn(&mut Func, &Deciding) -> bool,
) -> bool {
    fn any(r: &Region, has: fn(&Inst) -> bool) -> bool {
        r.insts.iter().any(|i| has(i) || i.regions.iter().any(|r| any(r, has)))
    }
    let own = |f: &Func| f.mode() != FpMode::Strict && f.region().is_some_and(|r| any(r, has));
    if !m.funcs.iter().zip(which).any(|(f, w)| *w && own(f)) {
        return false;
    }
    let decisions = Decisions::of(m);
    let all = m.funcs.iter_mut().enumerate();
    let list = all.filter(|(i, f)| which[*i] && f.mode() != FpMode::Strict);
    list.fold(false, |any, (i, f)| change(f, decisions.within(FuncId(i as u32))) | any)
}

fn contracted(m: &mut Module, which: &[bool], run: &mut Run) -> bool {
    let decisions = Decisions::of(m);
    contract::functions(m, which, &decisions, run.explanations.as_mut())
}

fn inlined(m: &mut Module, which: &[bool], limit: usize) -> bool {
    inline::inline_into(m, which, limit);
    true
}

fn ordered(m: &mut Module, which: &[bool], _: &mut Run) -> bool {
    arrays::functions(m, which);
    true
}

fn all(m: &mut Module, which: &[bool], change: impl Fn(&mut Func)) -> bool {
    m.funcs.iter_mut().zip(which).filter(|(_, w)| **w).for_each(|(f, _)| change(f));
    true
}

/// Whether one of them was changed.
fn any(m: &mut Module, which: &[bool], change: fn(&mut Func) -> bool) -> bool {
    let chosen = m.funcs.iter_mut().zip(which).filter(|(_, w)| **w);
    chosen.fold(false, |any, (f, _)| change(f) | any)
}

fn asserting(m: &mut Module, which: &[bool], change: fn(&mut Func, &Asserting)) -> bool {
    let asserting = Asserting::of(m);
    all(m, which, |f| change(f, &asserting))
}

fn check(m: &Module, stage: &str) {
    if cfg!(debug_assertions) {
        assert_valid(m, stage);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_step_can_be_left_out_by_a_name_of_the_list() {
        for step in PIPELINE.iter().chain(PREPARATION).flat_map(|s| s.steps) {
            assert!(PASSES.iter().any(|(name, _)| *name == step.name), "{}", step.name);
        }
    }
}

//! The plan of a reverse sweep: which primal values it needs, which of them the forward sweep has to carry out
//! of branches, loops or the function, and which are computed again.
//!
//! The reverse sweep of a region begins with a part of its forward sweep: what is *live* there is computed again. What
//! it needs besides has left the region's forward sweep as an *exit*: through a slot of an `if`, or as an element of
//! an array that a loop collects. An exit is a value of the region around, which may need it in the same two ways.

mod cut;
mod dependent;
mod reads;
mod rerun;
mod survey;
mod terms;
mod through;

use crate::session::{Prepared, Session};
use crate::storage::{Blocks, Policy};
use adc_ir::{Const, Dim, Func, Inst, Known, Type, Value};
use rustc_hash::{FxHashMap, FxHashSet};

pub(crate) use through::added_to;

/// A further result of the forward `if`: a value of the first branch or of the second or one of each.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Slot {
    /// The result.
    pub(crate) value: Value,
    pub(crate) sides: [Option<Value>; 2],
}

/// What leaves the regions of one instruction for the reverse sweep.
#[derive(Clone, Debug, Default)]
pub(crate) struct Exits {
    /// Values of branches that are a result of the `if` anyway.
    pub(crate) yielded: Vec<(Value, Value)>,
    pub(crate) slots: Vec<Slot>,
    /// Values of a loop's body, each with the array of what it was in every iteration; one of those that the loop gives anyway,
    pub(crate) given: Vec<(Value, Value)>,
    /// or a further one.
    pub(crate) collected: Vec<(Value, Value)>,
    /// The number of iterations of a `while`.
    pub(crate) count: Option<Value>,
    /// The indices of the last term of a `max` or `min` that attains it, and of the first, where the reverse goes through these alone.
    pub(crate) attaining: Option<[Value; 2]>,
    /// Instead of what is collected.
    pub(crate) blocks: Option<Blocked>,
}

/// A loop of which the iterations between two snapshots of its carries run again before they are reversed.
#[derive(Clone, Debug)]
pub(crate) struct Blocked {
    pub(crate) blocks: Blocks,
    /// Positions of carries, each with the array of what it was at the beginning of every block.
    pub(crate) snapshots: Vec<(usize, Value)>,
    /// What the iterations of a block give to their reverse.
    pub(crate) stored: Vec<Value>,
    /// What is live when they run again, as the number of a region.
    pub(crate) live: usize,
}

/// The value and the number that a polynomial is the sum of, if it is one of these.
pub(crate) fn shifted(d: &Dim) -> Option<(Value, i64)> {
    let mut terms = d.terms();
    match (terms.next()?, terms.next(), terms.next()) {
        (([v], 1), None, None) => Some((*v, 0)),
        (([v], 1), Some(([], c)), None) => Some((*v, c)),
        _ => None,
    }
}

/// How the iterations of a loop are counted.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Bounds {
    pub(crate) lo: Dim,
    pub(crate) hi: Dim,
    pub(crate) step: Option<i64>,
    /// Whether i = 0, 1, … below `hi`, which is not negative.
    pub(crate) plain: bool,
}

/// The plan for one function. Beside the function's values it speaks of those that forward calls of callees
/// keep for their pullbacks, and of exits, numbered behind them.
pub(crate) struct Plan {
    own_values: usize,
    /// Types of the values behind the function's own, and the values in their sizes.
    further: Vec<(Type, Vec<Value>)>,
    /// What is known of the function's integers.
    pub(crate) known: Known,
    /// By the first result of the call: the values its forward function keeps.
    pub(crate) kept: FxHashMap<Value, Vec<Value>>,
    /// By the first result of an instruction with regions.
    pub(crate) exits: FxHashMap<Value, Exits>,
    /// By the first result of an instruction and the region's position in it: the number of the region.
    places: FxHashMap<(Value, usize), usize>,
    /// By value: the region it is defined in.
    place: Vec<usize>,
    /// By region: what its reverse sweep computes again, in it and in those inside.
    live: Vec<FxHashSet<Value>>,
    /// By the first result: loops whose number of iterations is computed at the beginning of the function, so that arrays of
    /// that size can leave the loops around them.
    pub(crate) counted_early: Vec<(Value, Bounds)>,
    /// What the sweep needs from memory, in order of definition.
    pub(crate) stored: Vec<Value>,
    /// The function's literals.
    pub(crate) literal: Vec<Option<Const>>,
    pub(crate) policy: Policy,
}

/// Which primal values a reverse sweep in the function itself still sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    /// Those outside every branch: forward and reverse sweep are one function.
    Joint,
    /// None: the reverse sweep is another function.
    Apart,
}

/// The function's body among the regions.
pub(crate) const BODY: usize = 0;

impl Plan {
    pub(crate) fn new(session: &Session, prepared: &Prepared, scope: Scope) -> Plan {
        survey::run(session, prepared, scope)
    }

    fn empty(func: &Func, policy: Policy) -> Plan {
        Plan {
            own_values: func.values.len(),
            further: Vec::new(),
            known: Known::of(func),
            kept: FxHashMap::default(),
            exits: FxHashMap::default(),
            places: FxHashMap::default(),
            place: vec![BODY; func.values.len()],
            live: Vec::new(),
            counted_early: Vec::new(),
            stored: Vec::new(),
            literal: vec![None; func.values.len()],
            policy,
        }
    }

    /// The number of values the plan speaks of.
    pub(crate) fn count(&self) -> usize {
        self.own_values + self.further.len()
    }

    pub(crate) fn ty(&self, func: &Func, v: Value) -> Type {
        match (v.0 as usize).checked_sub(self.own_values) {
            None => func.ty(v),
            Some(k) => self.further[k].0,
        }
    }

    /// The values that the sizes of a value are made of.
    pub(crate) fn sizes(&self, func: &Func, v: Value) -> Vec<Value> {
        match (v.0 as usize).checked_sub(self.own_values) {
            None => func.shape(v).iter().flat_map(|d| self.vars(d)).collect(),
            Some(k) => self.further[k].1.clone(),
        }
    }

    /// The values that a size is made of as far as it is known.
    fn vars(&self, d: &Dim) -> Vec<Value> {
        self.known.resolve(d).vars().collect()
    }

    /// A literal of the function.
    pub(crate) fn literal(&self, v: Value) -> Option<Const> {
        self.literal.get(v.0 as usize).copied().flatten()
    }

    pub(crate) fn exits(&self, inst: &Inst) -> Option<&Exits> {
        inst.results.first().and_then(|v| self.exits.get(v))
    }

    /// The number of a region of an instruction.
    pub(crate) fn region(&self, inst: &Inst, side: usize) -> usize {
        self.places[&(inst.results[0], side)]
    }

    /// The region a value is defined in.
    pub(crate) fn place(&self, v: Value) -> usize {
        self.place[v.0 as usize]
    }

    /// Whether the reverse sweep of a region computes a value again.
    pub(crate) fn is_live(&self, place: usize, v: Value) -> bool {
        self.live[place].contains(&v)
    }

    /// Whether it computes anything again.
    pub(crate) fn has_live(&self, place: usize) -> bool {
        !self.live[place].is_empty()
    }

    /// The bounds of a loop over an index.
    pub(crate) fn bounds(&self, func: &Func, inst: &Inst) -> Bounds {
        let [lo, hi, step] = [0, 1, 2].map(|k| self.known.dim(inst.args[k]));
        let step = step.as_const();
        let collects = inst.kind.as_loop().is_some_and(|l| l.collects > 0);
        let sizes = func.dims.iter().map(|d| d.value);
        let sizes: FxHashSet<Value> = sizes.collect();
        let not_negative = hi.terms().all(|(m, c)| c >= 0 && m.iter().all(|v| sizes.contains(v)));
        let plain = lo.as_const() == Some(0) && step == Some(1) && (collects || not_negative);
        Bounds { lo, hi, step, plain }
    }

    /// Whether a value is one of the function's own.
    pub(crate) fn is_own(&self, v: Value) -> bool {
        (v.0 as usize) < self.own_values
    }

    /// The blocks of a loop's iterations.
    pub(crate) fn blocks(&self, inst: &Inst) -> Blocks {
        match inst.kind.as_loop() {
            Some(l) if crate::activity::carries(inst) > 0 => {
                // The iterations of a `while` that collects are not cut in blocks.
                let collects = l.collects > 0 && inst.regions.len() == 2;
                if collects { Blocks::Single } else { self.policy.blocks(l) }
            }
            _ => Blocks::Single,
        }
    }
}

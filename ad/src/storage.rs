//! What the reverse sweep does for a primal value that it needs in a scope where it no longer exists: take it
//! from memory, or compute it once more. Every part of reverse mode asks here.

use adc_ir::{Checkpoint, Inst, Kind, Loop, Op, Region, kinds, ops};

/// How a primal value reaches the reverse sweep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Keep {
    /// As a residual of the region that computes it.
    Store,
    /// By the same instruction in the reverse sweep, whose operands are then needed there.
    Recompute,
}

/// A function that would hand more values than this to its pullback hands over none, and the pullback runs it
/// again. Calls add up what their callees keep, so without a limit a chain of functions that each call the one before
/// them twice would keep exponentially many values; with it, each run costs one more for every
/// log2(`MOST_KEPT`) levels of such a chain.
pub(crate) const MOST_KEPT: usize = 512;

/// What reverse mode stores of loops that say nothing themselves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Policy {
    /// For every loop with carries that has no attribute of its own.
    pub checkpoint: Store,
}

/// How much a loop stores.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Store {
    /// What the reverse sweep needs of every iteration.
    #[default]
    All,
    /// The carries of about √n of n iterations; what lies between them is computed again.
    Sqrt,
}

impl Policy {
    /// Everything in as little memory as there is a way for: what a host asks for when the limit is exceeded.
    pub const SMALL: Policy = Policy { checkpoint: Store::Sqrt };

    /// What the names of programs made under it end in.
    pub(crate) fn suffix(self) -> &'static str {
        match self.checkpoint {
            Store::All => "",
            Store::Sqrt => ".sqrt",
        }
    }

    /// How many iterations one snapshot serves.
    pub(crate) fn blocks(self, l: Loop) -> Blocks {
        match (l.checkpoint, self.checkpoint) {
            (Some(Checkpoint::All), _) | (None, Store::All) => Blocks::Single,
            (Some(Checkpoint::Sqrt), _) | (None, Store::Sqrt) => Blocks::Sqrt,
            (Some(Checkpoint::Revolve(k)), _) => Blocks::Count(k),
            (Some(Checkpoint::None), _) => Blocks::Initial,
        }
    }
}

/// The iterations of a loop between two snapshots of its carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Blocks {
    /// One: there are no snapshots, but what each iteration needs.
    Single,
    /// About √n of n.
    Sqrt,
    /// n divided by so many snapshots: `revolve` as blocks of one length, for now.
    Count(u32),
    /// All of them up to the one that is reversed, each time: nothing is stored but the initial carries, and n iterations take
    /// n²/2. (Of a `while`, whose iterations are not counted before, snapshots are made as ever.)
    Initial,
}

/// Iterations of a `while` between two snapshots: their number is not known at entry.
pub(crate) const WHILE_BLOCK: i64 = 64;

/// Where a value is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Site {
    /// In the function's body, of which the reverse sweep is another function.
    Body,
    /// In a branch that runs at most once.
    Branch,
    /// In a loop, or in a branch in one, from nothing that is carried.
    Free,
    /// In a loop from what is carried.
    Carried,
}

/// What is known of a value that the reverse sweep needs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Question<'a> {
    pub(crate) site: Site,
    pub(crate) inst: &'a Inst,
    pub(crate) array: bool,
    /// Whether it is what a loop or branch gives anyway, so that storing it costs nothing.
    pub(crate) given: bool,
    /// Whether all that it is computed from is in the reverse sweep anyway, or can be computed there.
    pub(crate) at_hand: bool,
    /// Whether there can be an array of it: its sizes exist outside.
    pub(crate) storable: bool,
}

/// Decides. In the function's body and in branches everything is stored but literals and what costs no more than a load:
/// exact rearrangements of one operand, which take no more room than their result. In loops what no carry enters is
/// computed again, and what is cheap where its operands are there. Comparisons of what is carried are stored: a
/// decision is taken once.
pub(crate) fn keep(q: &Question) -> Keep {
    let cost = cost(q.inst);
    let recompute = match q.site {
        _ if !q.storable => true,
        _ if q.given => false,
        Site::Body => cost == Cost::Free && !q.array,
        Site::Branch => cost == Cost::Free || (q.array && q.at_hand && cost < Cost::Expensive),
        Site::Free => q.array || cost < Cost::Expensive || matches!(q.inst.kind, Kind::Op(_)),
        Site::Carried => cost == Cost::Free || (q.at_hand && cost == Cost::Cheap),
    };
    if recompute { Keep::Recompute } else { Keep::Store }
}

/// Whether computing it again takes much more than a load.
pub(crate) fn is_expensive(inst: &Inst) -> bool {
    cost(inst) == Cost::Expensive
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Cost {
    Free,
    Cheap,
    Expensive,
}

/// What computing an instruction again takes, beside loading its result.
fn cost(inst: &Inst) -> Cost {
    match &inst.kind {
        Kind::Const(_) => Cost::Free,
        Kind::Op(op) if [Op::Neg, Op::Conj, Op::StopGradient].contains(op) => Cost::Free,
        Kind::Op(ops!(Test)) => Cost::Expensive,
        Kind::Op(op) if is_cheap(*op) => Cost::Cheap,
        Kind::Op(_) => Cost::Expensive,
        Kind::Size(_) | kinds!(Read | Form) => Cost::Cheap,
        Kind::Build { .. } => cost_of(&inst.regions[0]),
        kinds!(Write) => Cost::Cheap,
        Kind::Call(_)
        | Kind::If
        | Kind::Assert(_)
        | Kind::Reduce(_)
        | Kind::For(_)
        | Kind::While(_)
        | kinds!(Matrix) => Cost::Expensive,
    }
}

fn cost_of(region: &Region) -> Cost {
    region.insts.iter().map(|i| cost(i).max(Cost::Cheap)).max().unwrap_or(Cost::Cheap)
}

/// What computing an operation again takes, in cycles.
pub(crate) fn cycles(inst: &Inst) -> u32 {
    match inst.kind {
        Kind::Op(op) => op.info().cycles,
        _ => u32::MAX,
    }
}

/// Whether an op takes about as long as loading its result: then it is not worth a residual of its own.
pub(crate) fn is_cheap(op: Op) -> bool {
    /// In cycles: that of `min` and `max`.
    const LOAD: u32 = 8;
    op.info().cycles <= LOAD
}

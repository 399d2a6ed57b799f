//! A call that has not returned.

use super::array::Args;
use super::gather::{Gather, Sum};
use super::limits::Charge;
use super::moves::Moves;
use super::val::{Sizes, Val};
use super::watch::Iteration;
use crate::dims::Dim;
use crate::module::*;
use crate::num::Real;
use crate::trap::Trap;

pub(super) struct Frame<'r, R> {
    pub(super) func: &'r Func,
    /// By [`Value`]; `None` until defined, and again where an array was moved away.
    values: Vec<Option<Val<R>>>,
    /// The body and the nested regions being run, innermost last. An instruction with an open region, or
    /// with a call above this frame, is the one at `next`.
    pub(super) open: Vec<Open<'r, R>>,
    _charge: Charge,
}

pub(super) struct Open<'r, R> {
    region: &'r Region,
    moves: Option<&'r Moves>,
    next: usize,
    pub(super) role: Role<R>,
}

/// What happens at the end of a region.
pub(super) enum Role<R> {
    /// The enclosing instruction (or the call) ends with what it yields: a body or a branch.
    Once,
    /// An element is there.
    Build { shape: Sizes, index: Vec<i64>, data: Vec<Val<R>>, charge: Charge },
    /// A term of a sum is there.
    Sum { i: i64, step: i64, left: u64, acc: Sum<R> },
    /// A term is there. `best`: the index at which `acc` was attained. `terms`: those so far, if somebody wants to see them.
    Reduce { op: ReduceOp, i: i64, step: i64, left: u64, acc: Option<Val<R>>, best: i64, terms: Vec<Val<R>> },
    /// An iteration ends; so many are left.
    For { i: i64, step: i64, left: u64, gather: Option<Box<Gather<R>>> },
    /// The condition of a `while` is there for these carries.
    Condition { iteration: i64, carries: Vec<Val<R>>, gather: Option<Box<Gather<R>>> },
    /// An iteration of a `while` ends.
    Iteration { iteration: i64, gather: Option<Box<Gather<R>>> },
}

impl<R> Role<R> {
    /// Where the loop is; `None` if it is none.
    fn indices(&self) -> Option<Vec<i64>> {
        match self {
            Role::Once => None,
            Role::Build { index, .. } => Some(index.clone()),
            Role::Sum { i, .. } | Role::Reduce { i, .. } | Role::For { i, .. } => Some(vec![*i]),
            Role::Condition { iteration, .. } | Role::Iteration { iteration, .. } => Some(vec![*iteration]),
        }
    }
}

impl<'r, R: Real> Frame<'r, R> {
    pub(super) fn new(
        func: &'r Func,
        body: &'r Region,
        moves: Option<&'r Moves>,
        args: impl Iterator<Item = Val<R>>,
        charge: Charge,
    ) -> Frame<'r, R> {
        let mut values = vec![None; func.values.len()];
        let entry = func.dims.iter().map(|d| d.value).chain(func.params.iter().map(|p| p.value));
        for (v, arg) in entry.zip(args) {
            values[v.0 as usize] = Some(arg);
        }
        let open = vec![Open { region: body, moves, next: 0, role: Role::Once }];
        Frame { func, values, open, _charge: charge }
    }

    fn at(&self) -> &Open<'r, R> {
        self.open.last().expect("a frame has an open region until it returns")
    }

    /// The instruction to run in the innermost region; `None` at its end, and when the frame has returned.
    pub(super) fn next(&self) -> Option<&'r Inst> {
        let at = self.open.last()?;
        at.region.insts.get(at.next)
    }

    /// The instruction to run, or at the end of a region the one that it belongs to.
    pub(super) fn current(&self) -> Option<&'r Inst> {
        self.next().or_else(|| {
            let around = self.open.iter().rev().nth(1)?;
            around.region.insts.get(around.next)
        })
    }

    /// The loops that are running in it, outermost first.
    pub(super) fn iterations(&self) -> impl Iterator<Item = Iteration> + '_ {
        // The instruction that a region belongs to is the one that the region around it stands at.
        self.open.windows(2).filter_map(|w| {
            let span = w[0].region.insts.get(w[0].next)?.span;
            w[1].role.indices().map(|indices| Iteration { span, indices })
        })
    }

    pub(super) fn get(&self, v: Value) -> &Val<R> {
        match &self.values[v.0 as usize] {
            Some(val) => val,
            None => panic!("v{} of `{}` is used before it is defined", v.0, self.func.name),
        }
    }

    fn take(&mut self, v: Value, moved: bool) -> Val<R> {
        if moved {
            let val = self.values[v.0 as usize].take();
            return val.unwrap_or_else(|| panic!("v{} of `{}` was moved away", v.0, self.func.name));
        }
        self.get(v).clone()
    }

    /// The operands of the current instruction, moved where it is their last use.
    pub(super) fn operands(&mut self, inst: &Inst) -> Args<R> {
        let at = self.at();
        let moves = at.moves.map(|m| &m.insts[at.next]);
        let moved = |i: usize| moves.is_some_and(|m| m.arg(i));
        inst.args.iter().enumerate().map(|(i, v)| self.take(*v, moved(i))).collect()
    }

    /// The sizes of a value from those of its shape.
    pub(super) fn sizes(&self, v: Value) -> Result<Sizes, Trap> {
        sizes(self.func.shape(v), |v| self.get(v).i64())
    }

    /// Opens a region of the current instruction.
    pub(super) fn enter(&mut self, inst: &'r Inst, i: usize, params: Vec<Val<R>>, role: Role<R>) {
        let at = self.at();
        let moves = at.moves.map(|m| &m.insts[at.next].regions[i]);
        let region = &inst.regions[i];
        self.open.push(Open { region, moves, next: 0, role });
        self.set(&region.params, params);
    }

    /// Closes the innermost region and gives what it yields.
    pub(super) fn leave(&mut self) -> (Vec<Val<R>>, Role<R>) {
        let Open { region, moves, role, .. } = self.open.pop().expect("a region is open");
        let moved = |i: usize| moves.is_some_and(|m| m.yields(i));
        (region.yields.iter().enumerate().map(|(i, v)| self.take(*v, moved(i))).collect(), role)
    }

    /// Forgets the parameters of a region, which would keep arrays from being updated in place.
    pub(super) fn forget_params(&mut self, region: &Region) {
        region.params.iter().for_each(|v| self.values[v.0 as usize] = None);
    }

    /// Ends the current instruction with its results.
    pub(super) fn deliver(&mut self, results: Vec<Val<R>>) {
        let inst = self.next().expect("an instruction waits for its results");
        assert_eq!(inst.results.len(), results.len(), "wrong number of results in `{}`", self.func.name);
        self.set(&inst.results, results);
        self.open.last_mut().expect("a region is open").next += 1;
    }

    /// [`Self::deliver`] of one result, without a list.
    pub(super) fn deliver_one(&mut self, result: Val<R>) {
        let at = self.open.last_mut().expect("a region is open");
        self.values[at.region.insts[at.next].results[0].0 as usize] = Some(result);
        at.next += 1;
    }

    fn set(&mut self, values: &[Value], with: Vec<Val<R>>) {
        for (v, val) in values.iter().zip(with) {
            self.values[v.0 as usize] = Some(val);
        }
    }
}

/// The numbers of a shape.
pub(super) fn sizes(shape: &[Dim], value: impl Fn(Value) -> i64) -> Result<Sizes, Trap> {
    let size = |d: &Dim| {
        let n = d.eval(&value).ok_or(Trap::IntegerOverflow)?;
        usize::try_from(n).map_err(|_| Trap::NegativeSize(n))
    };
    shape.iter().map(size).collect()
}

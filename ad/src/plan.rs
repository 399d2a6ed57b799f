//! The plan of a reverse sweep: which primal values it needs, which of them the forward sweep has to carry out
//! of the branches of an `if` or of the function, and which are computed again.

use crate::calls::read_params;
use crate::rules::rule;
use crate::session::{ActiveCall, Prepared, Session, Treatment};
use crate::storage::{Keep, Storage};
use adc_ir::{Const, Func, Inst, Kind, Op, Region, Type, Value};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::collections::VecDeque;

/// Where a pullback takes a residual of a call from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// The argument at a position.
    Arg(usize),
    /// The result at a position.
    Result(usize),
    /// The n-th of the values that the forward function returns behind its results.
    Kept(usize),
}

impl Source {
    /// The name of the pullback's parameter: from it the source is known again when the pullback is used.
    pub(crate) fn name(self) -> String {
        match self {
            Source::Arg(i) => format!("arg.{i}"),
            Source::Result(i) => format!("result.{i}"),
            Source::Kept(i) => format!("kept.{i}"),
        }
    }

    fn from_name(name: &str) -> Option<Source> {
        let (kind, i) = name.split_once('.')?;
        let i = i.parse().ok()?;
        let all = [Source::Arg(i), Source::Result(i), Source::Kept(i)];
        all.into_iter().find(|source| source.name().starts_with(kind))
    }

    /// The residuals of a pullback with `cotangents` cotangents.
    pub(crate) fn of(pullback: &Func, cotangents: usize) -> Vec<Source> {
        let residuals = pullback.params.len() - cotangents;
        let name = |p: &adc_ir::Param| Source::from_name(&p.name).expect("a pullback names its residuals");
        pullback.params[..residuals].iter().map(name).collect()
    }
}

/// A result of the forward `if` by which values leave its branches: one of the first branch or of the second or
/// one of each.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Slot {
    pub(crate) ty: Type,
    pub(crate) sides: [Option<Value>; 2],
}

/// What leaves the branches of one forward `if`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Exits {
    /// Values that are a result of the `if` anyway, with its position.
    pub(crate) yielded: Vec<(Value, usize)>,
    /// Further results.
    pub(crate) slots: Vec<Slot>,
}

/// The plan for one function. Beside the function's values it speaks of those that forward calls of callees
/// keep for their pullbacks, numbered behind them.
pub(crate) struct Plan {
    /// Types of the values behind the function's own.
    kept_types: Vec<Type>,
    own_values: usize,
    /// By the first result of the call: the values its forward function keeps.
    pub(crate) kept: FxHashMap<Value, Vec<Value>>,
    /// By the first result of the `if`.
    pub(crate) exits: FxHashMap<Value, Exits>,
    /// What the sweep needs from memory, in order of definition.
    pub(crate) stored: Vec<Value>,
    /// The instructions of what it computes again.
    pub(crate) again: FxHashMap<Value, (Op, Value)>,
    /// The function's literals.
    pub(crate) literal: Vec<Option<Const>>,
}

/// Which primal values a reverse sweep in the function itself still sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    /// Those outside every branch: forward and reverse sweep are one function.
    Joint,
    /// None: the reverse sweep is another function.
    Apart,
}

impl Plan {
    pub(crate) fn new(session: &Session, prepared: &Prepared, scope: Scope, storage: &dyn Storage) -> Plan {
        let func = &prepared.func;
        let body = func.region().expect("a function with a body");
        let mut plan = Plan {
            kept_types: Vec::new(),
            own_values: func.values.len(),
            kept: FxHashMap::default(),
            exits: FxHashMap::default(),
            stored: Vec::new(),
            again: FxHashMap::default(),
            literal: vec![None; func.values.len()],
        };
        let mut survey = Survey::new(func);
        for p in &func.params {
            survey.define(p.value, 0, None);
        }
        survey.region(session, prepared, &mut plan, body, 0);
        survey.decide(&mut plan, scope, storage);
        survey.carry(func, &mut plan);
        plan
    }

    /// The number of values the plan speaks of.
    pub(crate) fn count(&self) -> usize {
        self.own_values + self.kept_types.len()
    }

    pub(crate) fn ty(&self, func: &Func, v: Value) -> Type {
        match (v.0 as usize).checked_sub(self.own_values) {
            None => func.ty(v),
            Some(k) => self.kept_types[k],
        }
    }
}

/// A branch of an `if`.
struct Branch {
    /// The first result of the `if`.
    of: Value,
    side: usize,
    /// The region the `if` stands in.
    parent: usize,
}

/// One walk over a function: where values are defined and which of them the reverse sweep reads.
struct Survey<'a> {
    /// Index 0 is the body.
    regions: Vec<Option<Branch>>,
    order: Vec<Value>,
    place: Vec<usize>,
    definition: Vec<Option<&'a Inst>>,
    needed: Vec<bool>,
    /// By first result.
    ifs: FxHashMap<Value, &'a Inst>,
}

impl<'a> Survey<'a> {
    fn new(func: &Func) -> Survey<'a> {
        let n = func.values.len();
        Survey {
            regions: vec![None],
            order: Vec::new(),
            place: vec![0; n],
            definition: vec![None; n],
            needed: vec![false; n],
            ifs: FxHashMap::default(),
        }
    }

    fn define(&mut self, v: Value, region: usize, inst: Option<&'a Inst>) {
        let i = v.0 as usize;
        if i >= self.place.len() {
            self.place.resize(i + 1, 0);
            self.definition.resize(i + 1, None);
            self.needed.resize(i + 1, false);
        }
        self.order.push(v);
        self.place[i] = region;
        self.definition[i] = inst;
    }

    fn region(
        &mut self,
        session: &Session,
        prepared: &'a Prepared,
        plan: &mut Plan,
        region: &'a Region,
        place: usize,
    ) {
        for inst in &region.insts {
            for (side, nested) in inst.regions.iter().enumerate() {
                if let Some(&of) = inst.results.first() {
                    self.ifs.insert(of, inst);
                    self.regions.push(Some(Branch { of, side, parent: place }));
                    let place = self.regions.len() - 1;
                    self.region(session, prepared, plan, nested, place);
                }
            }
            inst.results.iter().for_each(|r| self.define(*r, place, Some(inst)));
            if let Kind::Const(c) = inst.kind {
                plan.literal[inst.results[0].0 as usize] = Some(c);
            }
            if inst.results.iter().any(|r| prepared.activity.is_active(*r)) {
                self.reads(session, prepared, plan, inst, place);
            }
        }
    }

    /// Marks what reversing an active instruction reads.
    fn reads(
        &mut self,
        session: &Session,
        prepared: &'a Prepared,
        plan: &mut Plan,
        inst: &'a Inst,
        place: usize,
    ) {
        let mut need = |v: Value| self.needed[v.0 as usize] = true;
        match &inst.kind {
            Kind::Const(_) | Kind::Assert(_) => {}
            Kind::If => need(inst.args[0]),
            Kind::Op(op) => {
                let types: SmallVec<[Type; 3]> = inst.args.iter().map(|a| prepared.func.ty(*a)).collect();
                let row = rule(*op, &types);
                for (i, arg) in inst.args.iter().enumerate() {
                    if !prepared.activity.is_active(*arg) {
                        continue;
                    }
                    let reads = row.partial(i).reads();
                    inst.args
                        .iter()
                        .zip(reads.operands)
                        .filter(|(_, read)| *read)
                        .for_each(|(a, _)| need(*a));
                    if reads.result {
                        need(inst.results[0]);
                    }
                }
            }
            Kind::Call(_) => {
                let call = &prepared.calls[&inst.results[0]];
                self.call_reads(session, plan, inst, call, place);
            }
            kind => kind.refused(),
        }
    }

    fn call_reads(
        &mut self,
        session: &Session,
        plan: &mut Plan,
        inst: &'a Inst,
        call: &ActiveCall,
        place: usize,
    ) {
        let rule = match &call.treatment {
            Treatment::Derived(program) => {
                let funcs = session.existing(program).expect("made before its callers");
                let (fwd, bwd) = (session.m.func(funcs[0]), session.m.func(funcs[1]));
                let mut kept = Vec::new();
                for result in &fwd.results[inst.results.len()..] {
                    let v = Value(plan.count() as u32);
                    plan.kept_types.push(result.ty);
                    self.define(v, place, Some(inst));
                    kept.push(v);
                }
                for source in Source::of(bwd, call.outputs.len()) {
                    let v = match source {
                        Source::Arg(i) => inst.args[i],
                        Source::Result(i) => inst.results[i],
                        Source::Kept(i) => kept[i],
                    };
                    self.needed[v.0 as usize] = true;
                }
                plan.kept.insert(inst.results[0], kept);
                return;
            }
            Treatment::Linear(rule) => session.rule_func(rule),
            Treatment::Partial { func, .. } => *func,
        };
        let read = read_params(session.m.func(rule));
        for (v, read) in inst.args.iter().chain(&inst.results).zip(read) {
            self.needed[v.0 as usize] |= read;
        }
    }

    /// Takes what is to be computed again from what is needed, and adds its operands. Later values first, so that
    /// operands are decided on after their users.
    fn decide(&mut self, plan: &mut Plan, scope: Scope, storage: &dyn Storage) {
        for &v in self.order.iter().rev() {
            let i = v.0 as usize;
            if !self.needed[i] || (scope == Scope::Joint && self.place[i] == 0) {
                continue;
            }
            let Some(inst) = self.definition[i] else { continue };
            if storage.keep(inst) == Keep::Store {
                continue;
            }
            match &inst.kind {
                Kind::Const(_) => self.needed[i] = false,
                Kind::Op(op) if inst.args.len() == 1 => {
                    self.needed[i] = false;
                    self.needed[inst.args[0].0 as usize] = true;
                    plan.again.insert(v, (*op, inst.args[0]));
                }
                // Only literals and unary ops are computed again so far.
                Kind::Op(_) | Kind::Call(_) | Kind::If | Kind::Assert(_) => {}
                kind => kind.refused(),
            }
        }
    }

    /// Makes slots in every `if` that a stored value has to pass on its way out.
    fn carry(&self, func: &Func, plan: &mut Plan) {
        let mut passing: FxHashMap<Value, [Vec<Value>; 2]> = FxHashMap::default();
        for &v in self.order.iter().filter(|v| self.needed[v.0 as usize]) {
            plan.stored.push(v);
            let mut at = self.place[v.0 as usize];
            while let Some(branch) = &self.regions[at] {
                passing.entry(branch.of).or_default()[branch.side].push(v);
                at = branch.parent;
            }
        }
        for (of, sides) in passing {
            let exits = paired(sides, &self.ifs[&of].regions, |v| plan.ty(func, v));
            plan.exits.insert(of, exits);
        }
    }
}

/// Slots for the values of both branches. Only one branch runs, so a slot serves one value of each of a type.
fn paired(sides: [Vec<Value>; 2], regions: &[Region], ty: impl Fn(Value) -> Type) -> Exits {
    let mut exits = Exits::default();
    let mut free: FxHashMap<Type, VecDeque<usize>> = FxHashMap::default();
    for (side, values) in sides.into_iter().enumerate() {
        let yields: FxHashMap<Value, usize> =
            regions[side].yields.iter().enumerate().rev().map(|(k, v)| (*v, k)).collect();
        for v in values {
            if let Some(k) = yields.get(&v) {
                exits.yielded.push((v, *k));
                continue;
            }
            let ty = ty(v);
            match (side, free.entry(ty).or_default()) {
                (0, free) => {
                    free.push_back(exits.slots.len());
                    exits.slots.push(Slot { ty, sides: [Some(v), None] });
                }
                (_, free) => match free.pop_front() {
                    Some(i) => exits.slots[i].sides[1] = Some(v),
                    None => exits.slots.push(Slot { ty, sides: [None, Some(v)] }),
                },
            }
        }
    }
    exits
}

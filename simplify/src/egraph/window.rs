//! One window: its instructions become an e-graph, and the cheapest program found becomes instructions.

use super::extract::{Choice, Classes, extract};
use super::language::{Data, Graph, Head, Known, Node, Origin, commutes, constant};
use super::{Walk, is_float_op, matching, resolve};
use crate::explain::Explanation;
use crate::{contract, cost, rules};
use adc_ir::{FpMode, Inst, Kind, Op, Span, Value, Values};
use egg::Id;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// No class, no node.
const NONE: u32 = u32::MAX;

/// What is to be written for the ops of a window.
struct Program<'a> {
    c: &'a Classes,
    choice: &'a Choice,
    /// By class: the value that it is, once that is known.
    value: Vec<Option<Value>>,
    /// By class: the instruction of the window behind which it can be computed, plus one.
    ready: Vec<u32>,
}

impl Walk<'_> {
    /// Appends what becomes of the pending instructions.
    pub(super) fn window(&mut self, mut insts: Vec<Inst>, out: &mut Vec<Inst>) {
        for inst in &mut insts {
            for v in &mut inst.args {
                *v = resolve(&self.replaced, *v);
            }
        }
        if let Some(entry) = self.alone {
            out.extend(self.apply_alone(entry, insts));
            return;
        }
        let ops = insts.iter().filter(|i| is_float_op(i, &self.values).is_some()).count();
        let rewritten = if ops > 0 { self.rewrite(&insts, ops) } else { None };
        out.extend(rewritten.unwrap_or(insts));
    }

    fn rewrite(&mut self, insts: &[Inst], ops: usize) -> Option<Vec<Inst>> {
        let mut input = Input::read(self, insts);
        input.graph.analysis.steps = self.explain.is_some().then(Vec::new);
        let limits = self.limits;
        matching::saturate(&mut input.graph, self.rewrites, self.mode, limits, ops, self.small);
        let graph = &input.graph;
        if graph.analysis.conflict {
            return None;
        }
        let c = Classes::of(graph);
        let class = |id: Id| c.index[&graph.find(id)];
        // The input's node of each class: that of its first instruction.
        let mut first = vec![NONE; c.ids.len()];
        let mut fixed = vec![NONE; c.ids.len()];
        let mut given = vec![None; c.ids.len()];
        for (k, inst) in insts.iter().enumerate() {
            let Some(id) = input.ids[k] else { continue };
            let n = class(id) as usize;
            let args: SmallVec<[Id; 3]> = input.args[k].iter().map(|a| graph.find(*a)).collect();
            let Kind::Op(op) = inst.kind else { continue };
            // Operands of sums and products are in some order.
            let equal = |a: &[Id]| *a == args[..] || (commutes(op) && a == [args[1], args[0]]);
            let same = |o: &Node| o.head == Head::Op(op) && equal(&o.args);
            let place = c.nodes[n].iter().position(same).expect("nodes are not lost") as u32;
            if first[n] == NONE {
                first[n] = place;
                given[n] = Some(k as u32);
            }
            if self.deciding.get(inst.results[0]) {
                fixed[n] = place;
                given[n] = Some(k as u32);
            }
        }
        // Leaves and literals come before every instruction, and cost nothing.
        for (n, nodes) in c.nodes.iter().enumerate() {
            let free = nodes.iter().position(|o| matches!(o.head, Head::Const(..)));
            let free = free.or_else(|| nodes.iter().position(|o| matches!(o.head, Head::Leaf(_))));
            if let (Some(place), NONE) = (free, fixed[n]) {
                first[n] = place as u32;
            } else if fixed[n] != NONE {
                first[n] = fixed[n];
            }
        }
        let mut roots: Vec<u32> = Vec::new();
        for (k, inst) in insts.iter().enumerate() {
            let Some(id) = input.ids[k] else { continue };
            let n = class(id);
            let outside = self.uses[inst.results[0].0 as usize] > input.uses[k];
            if (outside || fixed[n as usize] != NONE) && !roots.contains(&n) {
                roots.push(n);
            }
        }
        // What contraction will save is part of the price.
        let outside: Vec<Value> = (insts.iter().enumerate())
            .filter(|(k, inst)| inst.results.iter().any(|r| self.uses[r.0 as usize] > input.uses[*k]))
            .flat_map(|(_, inst)| inst.results.iter().copied())
            .collect();
        let before = self.cost(insts, &input);
        let saved = self.contracted(insts, &outside);
        for choice in &extract(&c, &roots, &first, &fixed, limits.moves) {
            if choice.cost >= before {
                return None;
            }
            let Some(program) = Program::new(&c, choice, &input, &roots, insts.len()) else { continue };
            let explained = self.explain.as_ref().map(Vec::len);
            let written = self.write(program, insts, &input, &given);
            let cost = choice.cost.saturating_sub(self.contracted(&written, &outside));
            if cost < before.saturating_sub(saved) {
                return Some(written);
            }
            // Everything is what it was.
            insts.iter().flat_map(|i| &i.results).for_each(|r| self.replaced[r.0 as usize] = *r);
            if let (Some(found), Some(len)) = (&mut self.explain, explained) {
                found.truncate(len);
            }
        }
        None
    }

    /// What the ops of a window cost that something outside needs.
    fn cost(&self, insts: &[Inst], input: &Input) -> u64 {
        let mut needed: FxHashSet<Value> = FxHashSet::default();
        let mut pairs: FxHashMap<(u8, Value), u8> = FxHashMap::default();
        let mut cost = 0;
        for (k, inst) in insts.iter().enumerate().rev() {
            let (Kind::Op(op), Some(_)) = (&inst.kind, input.ids[k]) else { continue };
            let r = inst.results[0];
            let outside = self.uses[r.0 as usize] > input.uses[k] || self.deciding.get(r);
            if !outside && !needed.contains(&r) {
                continue;
            }
            needed.extend(inst.args.iter().copied());
            let ty = |v: &Value| self.values[v.0 as usize].ty.scalar();
            let complex = inst.args.iter().filter(|v| ty(v).is_complex()).count();
            match cost::half(*op).filter(|_| ty(&inst.args[0]).is_real()) {
                Some((pair, half)) => {
                    let halves = pairs.entry((pair, inst.args[0])).or_default();
                    let before = cost::of_halves(pair, *halves);
                    *halves |= half;
                    cost += cost::of_halves(pair, *halves) - before;
                }
                None => cost += cost::of(*op, complex, ty(&r)),
            }
        }
        cost
    }

    /// What contraction takes off the cost of instructions; `outside` are the results of the window that something else uses.
    fn contracted(&self, insts: &[Inst], outside: &[Value]) -> u64 {
        if self.mode == FpMode::Strict || !self.rewrites.fma {
            return 0;
        }
        let mut uses: FxHashMap<Value, u32> = FxHashMap::default();
        for v in outside {
            *uses.entry(resolve(&self.replaced, *v)).or_default() += 2;
        }
        let mut products: FxHashSet<Value> = FxHashSet::default();
        let mut negated: FxHashSet<Value> = FxHashSet::default();
        for inst in insts {
            inst.args.iter().for_each(|v| *uses.entry(*v).or_default() += 1);
            if matches!(inst.kind, Kind::Op(Op::Mul | Op::Square))
                && contract::fits(&self.values, self.deciding, inst)
            {
                products.insert(inst.results[0]);
            }
            if inst.kind == Kind::Op(Op::Neg) && products.contains(&inst.args[0]) {
                negated.insert(inst.results[0]);
            }
        }
        let mut saved = 0;
        for inst in insts {
            let sum = inst.kind == Kind::Op(Op::Add) || inst.kind == Kind::Op(Op::Sub);
            let alone = !inst.args.iter().any(|v| negated.contains(v));
            if !sum || !alone || !contract::fits(&self.values, self.deciding, inst) {
                continue;
            }
            let mut factors = inst.args.iter().filter(|v| products.contains(v));
            if let (Some(p), None) = (factors.next(), factors.next()) {
                saved += (uses[p] == 1) as u64 * contract::SAVED;
            }
        }
        saved
    }

    /// The instructions of a program, in the order of the input.
    fn write(&mut self, mut p: Program, insts: &[Inst], input: &Input, given: &[Option<u32>]) -> Vec<Inst> {
        let graph = &input.graph;
        let class = |id: Id| p.c.index[&graph.find(id)] as usize;
        let needed = p.needed(insts, input, self);
        let mut members: Vec<SmallVec<[Value; 2]>> = vec![SmallVec::new(); p.c.ids.len()];
        for (k, inst) in insts.iter().enumerate() {
            if let Some(id) = input.ids[k] {
                members[class(id)].push(inst.results[0]);
            }
        }
        let mut out = Vec::with_capacity(insts.len());
        for (k, inst) in insts.iter().enumerate() {
            match input.ids[k] {
                Some(id) => {
                    let n = class(id);
                    if needed[n] && p.value[n].is_none() && p.ready[n] <= k as u32 {
                        self.emit(&mut p, n, insts, input, given, &members, &mut out);
                    }
                }
                None => {
                    for n in input.before[k].iter().map(|id| class(*id)).collect::<Vec<_>>() {
                        self.emit(&mut p, n, insts, input, given, &members, &mut out);
                    }
                    out.push(inst.clone());
                }
            }
        }
        for n in (0..needed.len()).filter(|n| needed[*n]) {
            self.emit(&mut p, n, insts, input, given, &members, &mut out);
        }
        self.report(&p, &needed, insts, input);
        out
    }

    /// Writes the instructions of a class that are not there yet.
    #[allow(clippy::too_many_arguments)]
    fn emit(
        &mut self,
        p: &mut Program,
        class: usize,
        insts: &[Inst],
        input: &Input,
        given: &[Option<u32>],
        members: &[SmallVec<[Value; 2]>],
        out: &mut Vec<Inst>,
    ) {
        if p.value[class].is_some() {
            return;
        }
        let place = p.choice.node[class] as usize;
        let node = &p.c.nodes[class][place];
        let source = insts.get(node.origin.source as usize);
        let span = source.map_or(Span::NONE, |i| i.span);
        let data = &input.graph[p.c.ids[class]].data;
        let own = given[class].map(|k| insts[k as usize].results[0]);
        let value = match node.head {
            Head::Leaf(i) => input.leaves[i as usize],
            Head::Const(ty, a, b) => {
                let c = constant(ty, a, b);
                match input.literals.get(&c.bits()) {
                    Some(v) => *v,
                    None => self.emit_inst(Kind::Const(c), Values::new(), None, data, span, out),
                }
            }
            Head::Op(op) => {
                let args: SmallVec<[u32; 3]> = p.c.args[class][place].clone();
                for a in &args {
                    self.emit(p, *a as usize, insts, input, given, members, out);
                }
                let args = args.iter().map(|a| p.value[*a as usize].expect("operands come first")).collect();
                self.emit_inst(Kind::Op(op), args, own, data, span, out)
            }
        };
        p.value[class] = Some(value);
        for v in &members[class] {
            self.replaced[v.0 as usize] = value;
        }
    }

    pub(super) fn emit_inst(
        &mut self,
        kind: Kind,
        args: Values,
        result: Option<Value>,
        data: &Data,
        span: Span,
        out: &mut Vec<Inst>,
    ) -> Value {
        let v = result.unwrap_or_else(|| {
            let v = Value(self.values.len() as u32);
            self.values.push(data.ty.into());
            self.known.add(data.facts());
            self.consts.push(None);
            self.replaced.push(v);
            self.uses.push(0);
            v
        });
        out.push(Inst { kind, args, results: Values::from_slice(&[v]), regions: Vec::new(), span });
        v
    }

    /// Notes the applications of rules that led to what is computed, in order: those that made a node which was chosen, those that
    /// found an instruction to be something else, and before each those that made what it matched.
    fn report(&mut self, p: &Program, needed: &[bool], insts: &[Inst], input: &Input) {
        let known = &input.graph.analysis;
        let (Some(out), Some(steps)) = (&mut self.explain, &known.steps) else { return };
        let chosen = |n: usize| &p.c.nodes[n][p.choice.node[n] as usize];
        let mut todo: Vec<u32> =
            (0..needed.len()).filter(|n| needed[*n]).map(|n| chosen(n).origin.step).collect();
        for (root, step) in &known.merges {
            let n = p.c.index[&input.graph.find(*root)] as usize;
            let Some(replaced) = steps[*step as usize].replaced.filter(|_| needed[n]) else { continue };
            let node = chosen(n);
            let stays = matches!(node.head, Head::Op(_)) && node.origin.source == replaced;
            if !stays {
                todo.push(*step);
            }
        }
        let mut used = vec![false; steps.len()];
        while let Some(step) = todo.pop() {
            if step != Origin::INPUT && !std::mem::replace(&mut used[step as usize], true) {
                todo.extend_from_slice(&steps[step as usize].premises);
            }
        }
        for (step, _) in steps.iter().zip(used).filter(|(_, used)| *used) {
            let rule = &rules::all()[step.rule as usize];
            let facts = rule.guards.iter().map(|g| g.to_string()).collect();
            let span = insts.get(step.source as usize).map_or(Span::NONE, |i| i.span);
            out.push(Explanation { func: self.func, rule: rule.name, facts, span, count: 1 });
        }
    }
}

/// A window as an e-graph.
pub(super) struct Input {
    pub graph: Graph,
    /// By instruction: its class, if it is an op.
    pub ids: Vec<Option<Id>>,
    /// By instruction: its operands as they were added.
    pub args: Vec<SmallVec<[Id; 3]>>,
    /// By instruction: how often ops of the window use it.
    uses: Vec<u32>,
    /// By instruction that is no op: the classes that must be there before it.
    before: Vec<Vec<Id>>,
    /// The value of each leaf.
    leaves: Vec<Value>,
    /// By leaf: the instruction of the window that gives it, plus one; 0 if it comes from before.
    available: Vec<u32>,
    /// Values of literals that are there when the window begins.
    literals: FxHashMap<(adc_ir::Scalar, u64, u64), Value>,
}

impl Input {
    pub fn read(walk: &Walk, insts: &[Inst]) -> Input {
        let mut i = Input {
            graph: Graph::new(Known::default()),
            ids: Vec::with_capacity(insts.len()),
            args: Vec::with_capacity(insts.len()),
            uses: vec![0; insts.len()],
            before: Vec::with_capacity(insts.len()),
            leaves: Vec::new(),
            available: Vec::new(),
            literals: FxHashMap::default(),
        };
        // By value: its class; the instruction of the window that gives it; its class if that is an op.
        let mut classes: FxHashMap<Value, Id> = FxHashMap::default();
        let mut made: FxHashMap<Value, u32> = FxHashMap::default();
        let mut ops: FxHashMap<Value, Id> = FxHashMap::default();
        for (k, inst) in insts.iter().enumerate() {
            made.extend(inst.results.iter().map(|r| (*r, k as u32)));
            let mut ids = SmallVec::new();
            let mut before = Vec::new();
            match is_float_op(inst, &walk.values) {
                Some(op) => {
                    for v in &inst.args {
                        if let Some(at) = made.get(v) {
                            i.uses[*at as usize] += 1;
                        }
                        ids.push(match classes.get(v) {
                            Some(id) => *id,
                            None => {
                                let id = i.leaf(walk, *v, made.get(v).map_or(0, |at| at + 1), k as u32);
                                classes.insert(*v, id);
                                id
                            }
                        });
                    }
                    let origin = Origin { step: Origin::INPUT, source: k as u32 };
                    let id = i.graph.add(Node::op(op, ids.clone(), origin));
                    let r = inst.results[0];
                    if walk.deciding.get(r) {
                        let data = Data { pinned: Some(k as u32), ..i.graph[id].data };
                        i.graph.set_analysis_data(id, data);
                    }
                    classes.insert(r, id);
                    ops.insert(r, id);
                    i.ids.push(Some(id));
                }
                None => {
                    let mut need = |v: &Value| before.extend(ops.get(v).copied());
                    inst.args.iter().for_each(&mut need);
                    each_use(inst, &mut need);
                    i.ids.push(None);
                }
            }
            i.args.push(ids);
            i.before.push(before);
        }
        i.graph.rebuild();
        i
    }

    fn leaf(&mut self, walk: &Walk, v: Value, available: u32, source: u32) -> Id {
        if let Some(c) = walk.consts[v.0 as usize] {
            let origin = Origin { step: Origin::INPUT, source };
            // Those made inside the window may come too late.
            if available == 0 {
                self.literals.insert(c.bits(), v);
            }
            return self.graph.add(Node::constant(c, origin));
        }
        let index = self.leaves.len() as u32;
        let ty = walk.values[v.0 as usize].ty.scalar();
        self.leaves.push(v);
        self.available.push(available);
        self.graph.analysis.leaves.push((ty, walk.known.get(v)));
        self.graph.add(Node::leaf(index, source))
    }
}

/// Calls `f` with every value that nested regions use.
fn each_use(inst: &Inst, f: &mut dyn FnMut(&Value)) {
    for r in &inst.regions {
        for i in &r.insts {
            i.args.iter().for_each(&mut *f);
            each_use(i, f);
        }
        r.yields.iter().for_each(&mut *f);
    }
}

impl Program<'_> {
    /// `None` if a value would depend on itself, or come too late for an instruction that needs it.
    fn new<'a>(
        c: &'a Classes,
        choice: &'a Choice,
        input: &Input,
        roots: &[u32],
        insts: usize,
    ) -> Option<Program<'a>> {
        let mut p = Program { c, choice, value: vec![None; c.ids.len()], ready: vec![NONE; c.ids.len()] };
        // 0 not seen, 1 being looked at, 2 done.
        let mut state = vec![0u8; c.ids.len()];
        for r in roots {
            p.order(*r as usize, input, &mut state)?;
        }
        for k in 0..insts {
            for id in &input.before[k] {
                let n = c.index[&input.graph.find(*id)] as usize;
                p.order(n, input, &mut state)?;
                if p.ready[n] > k as u32 {
                    return None;
                }
            }
        }
        Some(p)
    }

    /// Finds out when a class can be computed.
    fn order(&mut self, class: usize, input: &Input, state: &mut [u8]) -> Option<u32> {
        match state[class] {
            2 => return Some(self.ready[class]),
            1 => return None,
            _ => state[class] = 1,
        }
        let place = self.choice.node[class] as usize;
        let mut ready = match self.c.nodes[class][place].head {
            Head::Leaf(i) => input.available[i as usize],
            Head::Const(..) | Head::Op(_) => 0,
        };
        for a in &self.c.args[class][place] {
            ready = ready.max(self.order(*a as usize, input, state)?);
        }
        self.ready[class] = ready;
        state[class] = 2;
        Some(ready)
    }

    /// By class: whether something outside the window's ops needs it, or it is computed on the way.
    fn needed(&self, insts: &[Inst], input: &Input, walk: &Walk) -> Vec<bool> {
        let mut needed = vec![false; self.c.ids.len()];
        let mut todo: Vec<usize> = Vec::new();
        for (k, inst) in insts.iter().enumerate() {
            if let Some(id) = input.ids[k] {
                let r = inst.results[0];
                if walk.uses[r.0 as usize] > input.uses[k] || walk.deciding.get(r) {
                    todo.push(self.c.index[&input.graph.find(id)] as usize);
                }
            }
        }
        while let Some(n) = todo.pop() {
            if !std::mem::replace(&mut needed[n], true) {
                let place = self.choice.node[n] as usize;
                todo.extend(self.c.args[n][place].iter().map(|a| *a as usize));
            }
        }
        needed
    }
}

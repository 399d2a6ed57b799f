//! Native functions of whole arrays in place of calls in loops: of eight numbers at once they take little longer than of two.
//!
//! A loop that calls such a function in every iteration, of numbers that no other iteration computes, becomes several (loop
//! fission). The first one collects the operands, the function is called once, and the next loop reads its results. Functions
//! of functions take a loop for each round. What a loop computes and a later one needs is stored in an array, unless it is as
//! quickly read or counted again. Nothing else is computed, so the results keep their bits; the last loop has all carries and
//! sums, in the same order.
//!
//! Left alone are calls in branches, which might not be wanted, and in loops whose length is no number, or too small or large.

use super::natives::{Native, declared};
use adc_ir::dims::Known;
use adc_ir::*;
use rustc_hash::{FxHashMap, FxHashSet};

/// Iterations, at least: a function of arrays takes as long for one number as for eight.
pub(super) const FEWEST: i64 = 4;
/// Numbers that one loop stores, at most: 2 MiB, which a cache holds.
pub(super) const MOST: i64 = 1 << 18;
/// Rounds of calls, at most. Each adds the iterations of a loop, which a run may have a bounded number of.
const ROUNDS: usize = 4;

/// Splits the loops of `f`, as far as that is worth it.
pub(super) fn run(m: &mut Module, f: FuncId, asserting: &dce::Asserting) {
    if !m.func(f).callees().iter().any(|g| of_arrays(m, *g).is_some()) {
        return;
    }
    let mut func = m.func(f).clone();
    let known = Known::of(&func);
    let Body::Region(body) = &mut func.body else { return };
    let mut body = std::mem::take(body);
    let mut batches = Batches { m, asserting, f: func, known };
    batches.region(&mut body);
    let mut func = batches.f;
    func.body = Body::Region(body);
    m.funcs[f.0 as usize] = func;
}

/// The symbol of the function of arrays for a native function of one number, if there is one.
pub(super) fn of_arrays(m: &Module, f: FuncId) -> Option<String> {
    match &m.func(f).body {
        Body::Extern(symbol) => adc_jit::of_arrays(symbol),
        Body::Region(_) | Body::Derived(_) => None,
    }
}

struct Batches<'a> {
    m: &'a mut Module,
    asserting: &'a dce::Asserting,
    f: Func,
    known: Known,
}

/// What becomes of a loop. The loops are numbered; the last one takes its place.
struct Plan {
    /// By instruction of the body: its loop.
    loops: Vec<usize>,
    /// By instruction: whether it is a call that comes after its loop.
    called: Vec<bool>,
    /// By loop but the last: the calls that come after it.
    calls: Vec<Vec<usize>>,
    /// By loop: what is read from arrays, and the instructions that are done again.
    reads: Vec<Vec<Value>>,
    again: Vec<Vec<usize>>,
    /// By loop but the last: what it stores beside the operands of calls.
    stored: Vec<Vec<Value>>,
}

impl Batches<'_> {
    fn region(&mut self, r: &mut Region) {
        let mut out = Vec::with_capacity(r.insts.len());
        for mut inst in std::mem::take(&mut r.insts) {
            inst.regions.iter_mut().for_each(|r| self.region(r));
            match self.plan(&inst) {
                Some(plan) => self.split(&inst, &plan, &mut out),
                None => out.push(inst),
            }
        }
        r.insts = out;
    }

    fn plan(&self, inst: &Inst) -> Option<Plan> {
        if !matches!(inst.kind, Kind::For(_)) {
            return None;
        }
        let [lo, hi, step] = [0, 1, 2].map(|k| self.known.dim(inst.args[k]).as_const());
        let count = hi.filter(|n| (lo, step) == (Some(0), Some(1)) && (FEWEST..=MOST).contains(n))?;
        let body = &inst.regions[0];
        let calls = self.rounds(body);
        if calls.is_empty() {
            return None;
        }
        let last = calls.len();
        let (mut loops, mut called) = (vec![last; body.insts.len()], vec![false; body.insts.len()]);
        for (k, calls) in calls.iter().enumerate() {
            calls.iter().for_each(|at| (loops[*at], called[*at]) = (k, true));
        }
        // Everything is computed as late as it can be.
        let mut needed: FxHashMap<Value, usize> = FxHashMap::default();
        for (at, inst) in body.insts.iter().enumerate().rev() {
            if !called[at] {
                let users = inst.results.iter().filter_map(|v| needed.get(v));
                loops[at] = users.fold(last, |first, k| first.min(*k));
            }
            uses(inst, &self.f, &mut |v| {
                let first = needed.entry(v).or_insert(last);
                *first = loops[at].min(*first);
            });
        }
        let plan = self.crossing(
            body,
            Plan {
                loops,
                called,
                calls,
                reads: vec![Vec::new(); last + 1],
                again: vec![Vec::new(); last + 1],
                stored: vec![Vec::new(); last],
            },
        )?;
        let stored = plan.stored.iter().map(Vec::len).sum::<usize>()
            + 4 * plan.calls.iter().map(Vec::len).sum::<usize>();
        (count.saturating_mul(stored as i64) <= MOST).then_some(plan)
    }

    /// The calls whose operands depend on no other iteration, by how many of them come before in the same iteration.
    fn rounds(&self, body: &Region) -> Vec<Vec<usize>> {
        let mut calls: Vec<Vec<usize>> = Vec::new();
        let mut late: FxHashSet<Value> = body.params[1..].iter().copied().collect();
        let mut round: FxHashMap<Value, usize> = FxHashMap::default();
        round.insert(body.params[0], 0);
        for (at, inst) in body.insts.iter().enumerate() {
            let (mut is_late, mut own, mut changes) = (self.asserts(inst), 0, false);
            uses(inst, &self.f, &mut |v| {
                is_late |= late.contains(&v);
                own = own.max(round.get(&v).copied().unwrap_or(0));
                changes |= round.contains_key(&v);
            });
            if is_late {
                late.extend(&inst.results);
                continue;
            }
            let array = matches!(inst.kind, Kind::Call(g) if of_arrays(self.m, g).is_some());
            if array && changes && own < ROUNDS {
                if own == calls.len() {
                    calls.push(Vec::new());
                }
                calls[own].push(at);
                own += 1;
            }
            // A constant changes in no iteration.
            if changes {
                round.extend(inst.results.iter().map(|v| (*v, own)));
            }
        }
        calls
    }

    /// Whether the instruction may end in a failed assertion: then it stays behind those before it.
    fn asserts(&self, inst: &Inst) -> bool {
        match inst.kind {
            Kind::Assert(_) => true,
            // Native functions hold none; those of arrays are newer than what is known of the others.
            Kind::Call(g) => self.m.func(g).region().is_some() && self.asserting.func(g),
            _ => inst.regions.iter().flat_map(|r| &r.insts).any(|i| self.asserts(i)),
        }
    }

    /// Finds what loops need of earlier ones; `None` if that is an array.
    fn crossing(&self, body: &Region, mut plan: Plan) -> Option<Plan> {
        let last = plan.calls.len();
        let by: FxHashMap<Value, usize> = body
            .insts
            .iter()
            .enumerate()
            .flat_map(|(at, i)| i.results.iter().map(move |v| (*v, at)))
            .collect();
        for k in 0..=last {
            let mut wanted: Vec<Value> = if k == last { body.yields.clone() } else { Vec::new() };
            for (inst, _) in body.insts.iter().zip(&plan.loops).filter(|(_, l)| **l == k) {
                uses(inst, &self.f, &mut |v| wanted.push(v));
            }
            let mut seen: FxHashSet<Value> = FxHashSet::default();
            while let Some(v) = wanted.pop() {
                let Some(&at) = by.get(&v).filter(|_| seen.insert(v)) else { continue };
                let (inst, called) = (&body.insts[at], plan.called[at]);
                if plan.loops[at] == k && !called {
                    continue;
                }
                if !called && self.is_cheap(inst, &by) {
                    plan.again[k].push(at);
                    uses(inst, &self.f, &mut |v| wanted.push(v));
                    continue;
                }
                if self.f.ty(v).is_array() {
                    return None;
                }
                plan.reads[k].push(v);
                if !called && !plan.stored[plan.loops[at]].contains(&v) {
                    plan.stored[plan.loops[at]].push(v);
                }
            }
            plan.again[k].sort_unstable();
            plan.again[k].dedup();
            plan.reads[k].sort_unstable();
        }
        Some(plan)
    }

    /// Whether doing it again costs about what reading it costs: literals, integers, and numbers of an array from outside.
    fn is_cheap(&self, inst: &Inst, by: &FxHashMap<Value, usize>) -> bool {
        let integers = |list: &[Value]| list.iter().all(|v| self.f.ty(*v) == Type::I64);
        match inst.kind {
            Kind::Const(_) | Kind::Size(_) => true,
            Kind::Op(_) => integers(&inst.results) && integers(&inst.args),
            Kind::Index => !self.f.ty(inst.results[0]).is_array() && !by.contains_key(&inst.args[0]),
            Kind::Call(_)
            | Kind::If
            | Kind::Assert(_)
            | Kind::Slice
            | kinds!(Write | Form | Matrix | Loop) => false,
        }
    }

    fn split(&mut self, inst: &Inst, plan: &Plan, out: &mut Vec<Inst>) {
        let (body, last) = (&inst.regions[0], plan.calls.len());
        let size = self.known.dim(inst.args[1]);
        let range = &inst.args[..3];
        // The arrays of what is read.
        let mut arrays: FxHashMap<Value, Value> = FxHashMap::default();
        for k in 0..=last {
            let mut copier = Copier::new(&|v| v);
            let f = &mut self.f;
            let params: Vec<Value> = match k == last {
                true => body
                    .params
                    .iter()
                    .map(|v| {
                        let data = copier.data(f.data(*v));
                        let new = f.fresh(data);
                        copier.name(*v, new);
                        new
                    })
                    .collect(),
                false => {
                    let i = f.fresh(Scalar::I64.into());
                    copier.name(body.params[0], i);
                    vec![i]
                }
            };
            let mut insts = Vec::new();
            for v in &plan.reads[k] {
                let read = f.fresh(f.data(*v).clone());
                insts.push(Inst::simple(Kind::Index, &[arrays[v], params[0]], read, inst.span));
                copier.name(*v, read);
            }
            for (at, inst) in body.insts.iter().enumerate() {
                if (plan.loops[at] == k && !plan.called[at]) || plan.again[k].binary_search(&at).is_ok() {
                    insts.push(copier.inst(inst, &mut |names, v| {
                        let data = names.data(f.data(v));
                        f.fresh(data)
                    }));
                }
            }
            if k == last {
                let yields = body.yields.iter().map(|v| copier.get(*v)).collect();
                let regions = vec![Region { params, insts, yields }];
                out.push(Inst { regions, ..inst.clone() });
                return;
            }
            let operands = plan.calls[k].iter().flat_map(|at| body.insts[*at].args.iter());
            let collected: Vec<Value> = operands.chain(&plan.stored[k]).copied().collect();
            let yields: Vec<Value> = collected.iter().map(|v| copier.get(*v)).collect();
            let array =
                |f: &mut Func, v: Value| f.fresh(ValueData::array(f.ty(v).scalar(), vec![size.clone()]));
            let results: Vec<Value> = collected.iter().map(|v| array(f, *v)).collect();
            let (operands, stored) = results.split_at(collected.len() - plan.stored[k].len());
            arrays.extend(plan.stored[k].iter().copied().zip(stored.iter().copied()));
            out.push(Inst {
                kind: Kind::For(Loop::collecting(collected.len())),
                args: range.into(),
                results: results.as_slice().into(),
                regions: vec![Region { params, insts, yields }],
                span: inst.span,
            });
            for (at, operands) in plan.calls[k].iter().zip(operands.chunks(2)) {
                let call = &body.insts[*at];
                let results: Values = call.results.iter().map(|v| array(&mut self.f, *v)).collect();
                arrays.extend(call.results.iter().copied().zip(results.iter().copied()));
                let Kind::Call(g) = call.kind else { unreachable!("only calls are collected") };
                let kind = Kind::Call(self.declared(g));
                let args = [range[1], operands[0], operands[1]].as_slice().into();
                out.push(Inst { kind, args, results, regions: Vec::new(), span: call.span });
            }
        }
    }

    /// The function of arrays for one of numbers.
    fn declared(&mut self, g: FuncId) -> FuncId {
        let symbol = of_arrays(self.m, g).expect("only such functions are called");
        let item = |name: &str| (name.to_string(), Scalar::F64, vec![0]);
        let params = vec![item("x.hi"), item("x.lo")];
        let results = [(Scalar::F64, vec![0]), (Scalar::F64, vec![0])];
        declared(self.m, Native { symbol: &symbol, dims: &["N"], params, results })
    }
}

/// Calls `see` with every value the instruction or something nested in it uses, sizes included.
fn uses(inst: &Inst, f: &Func, see: &mut impl FnMut(Value)) {
    inst.uses(f).for_each(&mut *see);
    for r in &inst.regions {
        r.params.iter().flat_map(|v| f.shape(*v)).flat_map(Dim::vars).for_each(&mut *see);
        r.insts.iter().for_each(|i| uses(i, f, see));
        r.yields.iter().copied().for_each(&mut *see);
    }
}

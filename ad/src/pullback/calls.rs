//! The reverse of calls: by the callee's pullback, or by its hand-written rule.

use super::Pullback;
use super::contributions::Contribution;
use crate::calls::{arguments, frozen, partial_rule, read_params};
use crate::emit::{Emitter, Ex};
use crate::linear::Lin;
use crate::session::{ActiveCall, LinearRule, Treatment};
use adc_ir::{Func, FuncId, Inst, Role, Value, ValueData};

type Bars = smallvec::SmallVec<[Option<Contribution>; 1]>;

impl<'a> Pullback<'a> {
    pub(super) fn call(&mut self, callee: FuncId, inst: &'a Inst, bars: Bars) {
        let session = self.sw.session;
        let prepared = self.sw.prepared;
        let call = &prepared.calls[&inst.results[0]];
        match &call.treatment {
            Treatment::Derived(program) => {
                let bwd = session.existing(program).expect("made before its callers")[1];
                let args = arguments(session.m.func(callee), inst);
                let kept = &self.sw.plan.kept[&inst.results[0]];
                let mut given = self.sw.values(&inst.args[..inst.args.len() - args.len()]);
                for role in session.m.func(bwd).params.iter().filter_map(|p| p.role) {
                    given.push(self.sw.value(match role {
                        Role::Arg(i) => args[i],
                        Role::Result(i) => inst.results[i],
                        Role::Kept(i) => kept[i],
                    }));
                }
                let active: Vec<Value> = call.outputs.iter().map(|&r| inst.results[r]).collect();
                let active_bars: Vec<Option<Contribution>> =
                    call.outputs.iter().map(|&r| bars[r].clone()).collect();
                let (seeds, mask) = self.seeds(active_bars, &active);
                given.extend(seeds);
                let found = self.sw.em.b.call_of(session.m, bwd, &given);
                for (&i, bar) in call.wrt.iter().zip(found) {
                    self.add(args[i], Contribution::All(Lin { x: Ex::Val(bar), mask: mask.clone() }));
                }
            }
            Treatment::Itself => unreachable!("in forward mode only"),
            Treatment::Linear(rule) => self.linear_rule(callee, rule, call, inst, bars),
            Treatment::Partial { func: rule, holomorphic } => {
                let callee = session.m.func(callee);
                let args = self.rule_args(callee, *rule, inst);
                let found = self.sw.em.b.call_of(session.m, *rule, &args);
                let operands = arguments(callee, inst);
                if callee.results[0].ty.is_array() {
                    return self.map_rule(callee, operands, call, inst, holomorphic, &found, bars);
                }
                let Some(Contribution::All(bar)) = &bars[0] else { return };
                for p in partial_rule(callee, holomorphic, &found) {
                    let operand = self.ty(operands[p.param]);
                    if call.wrt.contains(&p.param)
                        && let Some(term) = self.sw.em.pull_back(&p.partial, &p.operands, operand, bar)
                    {
                        self.add(operands[p.param], Contribution::All(term));
                    }
                }
            }
        }
    }

    /// The partials of a map, element by element; those along a scalar are summed up.
    #[expect(clippy::too_many_arguments, reason = "what a call and its rule are made of")]
    fn map_rule(
        &mut self,
        callee: &Func,
        operands: &[Value],
        call: &ActiveCall,
        inst: &Inst,
        holomorphic: &[bool],
        found: &[Value],
        bars: Bars,
    ) {
        let (seeds, mask) = self.seeds(bars.to_vec(), &inst.results);
        let shape = self.sw.em.b.data(seeds[0]).shape.clone();
        for &i in &call.wrt {
            let elem = ValueData::scalar(self.ty(operands[i]).scalar());
            let mut element = |em: &mut Emitter, index: &[Value]| {
                let partials: Vec<Value> = found.iter().map(|v| em.at(*v, index)).collect();
                let bar = Lin::always(Ex::Val(em.at(seeds[0], index)));
                let mut terms = Vec::new();
                for p in partial_rule(callee, holomorphic, &partials) {
                    if p.param == i {
                        terms.extend(em.pull_back(&p.partial, &p.operands, elem.ty, &bar));
                    }
                }
                let sum = em.sum(terms);
                em.dense(sum.as_ref(), &elem)
            };
            let em = &mut self.sw.em;
            let x = match self.sw.prepared.func.ty(operands[i]).is_array() {
                true => em.map(&elem.outer(&shape), |em, index| element(em, index)),
                false => em.sum_over(&shape, &mut Vec::new(), &mut element),
            };
            self.add(operands[i], Contribution::All(Lin { x: Ex::Val(x), mask: mask.clone() }));
        }
    }

    fn linear_rule(&mut self, callee: FuncId, rule: &LinearRule, call: &ActiveCall, inst: &Inst, bars: Bars) {
        let session = self.sw.session;
        let rule = session.rule_func(rule);
        let callee = session.m.func(callee);
        let mut args = self.rule_args(callee, rule, inst);
        let results: Vec<usize> = callee.differentiable_results();
        let values: Vec<Value> = results.iter().map(|&r| inst.results[r]).collect();
        let result_bars: Vec<Option<Contribution>> = results.iter().map(|&r| bars[r].clone()).collect();
        let (seeds, mask) = self.seeds(result_bars, &values);
        args.extend(seeds);
        let found = self.sw.em.b.call_of(session.m, rule, &args);
        let operands = arguments(callee, inst);
        for (i, bar) in callee.differentiable_params().into_iter().zip(found) {
            if call.wrt.contains(&i) {
                self.add(operands[i], Contribution::All(Lin { x: Ex::Val(bar), mask: mask.clone() }));
            }
        }
    }

    /// Operands and results of a call as a rule takes them; zeros for those it does not read.
    fn rule_args(&mut self, callee: &Func, rule: FuncId, inst: &Inst) -> Vec<Value> {
        let read = read_params(self.sw.session.m.func(rule));
        let mut given = Vec::new();
        for (v, read) in inst.args.iter().chain(&inst.results).zip(read) {
            given.push(match read {
                true => self.sw.value(*v),
                false => {
                    let data = self.sw.data(*v);
                    self.sw.em.zero(&data)
                }
            });
        }
        let (args, results) = given.split_at(inst.args.len());
        [&frozen(&mut self.sw.em, callee, args)[..], results].concat()
    }

    /// Cotangents for a callee, zeros where there are none, and the mask they share.
    fn seeds(&mut self, bars: Vec<Option<Contribution>>, of: &[Value]) -> (Vec<Value>, crate::linear::Mask) {
        let (found, mask) = self.dense_list(bars, of);
        let mut seeds = Vec::new();
        for (x, v) in found.into_iter().zip(of) {
            seeds.push(match x {
                Some(x) => x,
                None => {
                    let data = self.sw.data(*v);
                    self.sw.em.zero(&data)
                }
            });
        }
        (seeds, mask)
    }
}

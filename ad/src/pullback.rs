//! The reverse sweep: instructions in reverse order, each taking the cotangents of its results and adding to
//! those of its operands. A region becomes a region: what the plan says is computed again, then its reverse.

mod arrays;
mod blocks;
mod branches;
mod calls;
mod contributions;
mod extremum;
mod linalg;
mod loops;

use crate::emit::{Emitter, Ex, Operands};
use crate::linear::Lin;
use crate::plan::BODY;
use crate::sweep::Sweep;
use adc_ir::ranges::Ranges;
use adc_ir::{Const, Inst, Kind, Op, ReduceOp, Region, Type, Value, kinds};
use contributions::{Contribution, Runs, Scope};
use smallvec::SmallVec;

pub(crate) struct Pullback<'a> {
    sw: Sweep<'a>,
    /// Of the primal's integers.
    ranges: Ranges,
    /// The innermost scope last.
    scopes: Vec<Scope>,
}

impl<'a> Pullback<'a> {
    pub(crate) fn new(sw: Sweep<'a>) -> Pullback<'a> {
        let ranges = Ranges::of(sw.func());
        Pullback { sw, ranges, scopes: vec![Scope::new(Some(BODY), Runs::Once, 0)] }
    }

    /// Reverses the function's body; the emitter and the named cotangents of the parameters of interest.
    pub(crate) fn run(mut self, seeds: Vec<(Value, Lin)>) -> (Emitter, Vec<(String, Value)>) {
        let prepared = self.sw.prepared;
        let func = &prepared.func;
        for (v, bar) in seeds {
            self.add(v, Contribution::All(bar));
        }
        self.reversed(func.region().expect("a function with a body"), BODY);
        let mut results = Vec::new();
        for &i in &prepared.wrt {
            let p = &func.params[i];
            self.sw.em.begin(p.span);
            let bar = self.take(p.value);
            let bar = self.dense(p.value, bar);
            results.push((format!("{}_bar", p.name), bar));
        }
        (self.sw.em, results)
    }

    fn is_active(&self, v: Value) -> bool {
        self.sw.prepared.activity.is_active(v)
    }

    fn ty(&self, v: Value) -> Type {
        self.sw.func().ty(v)
    }

    fn operand(&mut self, v: Value) -> Ex {
        match self.sw.plan.literal(v) {
            Some(c) => Ex::Const(c),
            None => Ex::Val(self.sw.value(v)),
        }
    }

    /// The reverse sweep of a region, in the region of this function that is open for it.
    fn reversed(&mut self, region: &'a Region, place: usize) {
        if self.sw.plan.has_live(place) {
            self.sw.copy(region, Some(place));
        }
        self.region(region);
    }

    fn region(&mut self, region: &'a Region) {
        for inst in region.insts.iter().rev() {
            if inst.results.iter().any(|r| self.is_active(*r)) {
                self.sw.em.begin(inst.span);
                self.inst(inst);
            }
        }
    }

    fn inst(&mut self, inst: &'a Inst) {
        let mut bars: SmallVec<[Option<Contribution>; 1]> =
            inst.results.iter().map(|r| self.take(*r)).collect();
        if bars.iter().all(Option::is_none) {
            return;
        }
        match &inst.kind {
            Kind::Op(op) => {
                if let Some(Contribution::All(bar)) = &bars[0] {
                    self.op(*op, inst, bar);
                }
            }
            Kind::Call(callee) => self.call(*callee, inst, bars),
            Kind::If => self.branches(inst, bars),
            Kind::Build { rank } => self.build(inst, *rank as usize, bars.remove(0)),
            Kind::Reduce(op) => {
                let bar = bars.remove(0);
                match op {
                    ReduceOp::Sum => self.sum(inst, bar),
                    ReduceOp::Max | ReduceOp::Min => self.extremum(inst, bar),
                    ReduceOp::Prod => unreachable!("a product is differentiated as a loop"),
                    ReduceOp::Any | ReduceOp::All | ReduceOp::ArgMax | ReduceOp::ArgMin => {}
                }
            }
            Kind::For(l) => self.for_(inst, *l, bars),
            Kind::While(l) => self.while_(inst, *l, bars),
            // No derivative.
            Kind::Const(_) | Kind::Assert(_) | Kind::Size(_) => {}
            kinds!(Read | Write | Form) => {
                if let Some(bar) = bars.remove(0) {
                    self.array(inst, bar);
                }
            }
            Kind::MatMul => {
                let bar = bars.remove(0);
                self.matmul(inst, bar);
            }
            Kind::Linalg(op) => {
                let bar = bars.remove(0);
                self.linalg(*op, inst, bar);
            }
        }
    }

    fn op(&mut self, op: Op, inst: &Inst, bar: &Lin) {
        let func = self.sw.func();
        let types: SmallVec<[Type; 3]> = inst.args.iter().map(|a| func.ty(*a)).collect();
        let row = self.sw.session.rules.row(op, &types);
        let active: SmallVec<[usize; 3]> = (0..inst.args.len())
            .filter(|&i| self.is_active(inst.args[i]) && !row.partial(i).is_zero())
            .collect();
        let mut reads = crate::formula::Reads::default();
        for &i in &active {
            let r = row.partial(i).reads();
            r.operands.iter().zip(&mut reads.operands).for_each(|(r, all)| *all |= r);
            reads.result |= r.result;
        }
        // What no formula reads may not exist here.
        const UNREAD: Ex = Ex::Const(Const::Bool(false));
        let x = inst.args.iter().zip(reads.operands);
        let x = x.map(|(a, read)| if read { self.operand(*a) } else { UNREAD }).collect();
        let y = reads.result.then(|| self.operand(inst.results[0]));
        let on = Operands { x, y, real: func.ty(inst.results[0]).scalar().real() };
        for i in active {
            if let Some(term) = self.sw.em.pull_back(row.partial(i), &on, types[i], bar) {
                self.add(inst.args[i], Contribution::All(term));
            }
        }
    }
}

//! Which primal values reversing an instruction reads.

use super::survey::{Def, Survey};
use super::{Bounds, shifted};
use crate::activity::body_of;
use crate::calls::{arguments, read_params};
use crate::session::Treatment;
use adc_ir::{Dim, Func, Inst, Kind, LinalgOp, Op, ReduceOp, Role, Type, Value, kinds};
use smallvec::SmallVec;

impl<'a> Survey<'a> {
    /// Marks what reversing an active instruction reads, beside what its regions do.
    pub(super) fn reads(&mut self, inst: &'a Inst) {
        let func = self.func();
        let active = |k: usize| self.prepared.activity.is_active(inst.args[k]);
        let mut need: SmallVec<[Value; 8]> = SmallVec::new();
        match &inst.kind {
            Kind::Const(_)
            | Kind::Assert(_)
            | Kind::Size(_)
            | Kind::Build { .. }
            | Kind::While(_)
            | kinds!(Form) => {}
            Kind::If => need.push(inst.args[0]),
            Kind::Op(op) => self.op_reads(*op, inst, &mut need),
            Kind::Call(_) => self.call_reads(inst, &mut need),
            Kind::Index => need.extend_from_slice(&inst.args[1..]),
            Kind::Update | Kind::AddAt => need.extend_from_slice(&inst.args[2..]),
            Kind::Slice => need.push(inst.args[1]),
            Kind::UpdateSlice | Kind::AddSlice => need.push(inst.args[2]),
            Kind::Reduce(op) => {
                need.extend_from_slice(&inst.args[..3]);
                if matches!(op, ReduceOp::Max | ReduceOp::Min) {
                    need.push(inst.results[0]);
                    need.push(body_of(inst).yields[0]);
                }
            }
            Kind::For(_) => need.extend_from_slice(&inst.args[..3]),
            Kind::MatMul => {
                if active(0) {
                    need.push(inst.args[1]);
                }
                if active(1) {
                    need.push(inst.args[0]);
                }
            }
            Kind::Linalg(op) => match op {
                LinalgOp::Solve | LinalgOp::SolveAdjoint => {
                    need.push(inst.args[0]);
                    if active(0) {
                        need.push(inst.results[0]);
                    }
                }
                LinalgOp::Cholesky | LinalgOp::Inv => need.push(inst.results[0]),
                LinalgOp::SvdValues
                | LinalgOp::Det
                | LinalgOp::LogDet
                | LinalgOp::EighVectors
                | LinalgOp::QrQ
                | LinalgOp::SvdVectors => need.extend([inst.args[0], inst.results[0]]),
                LinalgOp::EighValues => need.push(inst.args[0]),
                LinalgOp::Lu | LinalgOp::LuSolve | LinalgOp::LuSolveAdjoint => {
                    unreachable!("made of what is differentiated already")
                }
            },
        }
        need.into_iter().for_each(|v| self.need(v));
        for v in inst.args.iter().chain(&inst.results) {
            let ty = func.ty(*v);
            if ty.is_array() && ty.is_differentiable() {
                self.need_sizes(*v);
            }
        }
    }

    fn op_reads(&self, op: Op, inst: &Inst, need: &mut SmallVec<[Value; 8]>) {
        let types: SmallVec<[Type; 3]> = inst.args.iter().map(|a| self.func().ty(*a)).collect();
        let row = self.session.rules.row(op, &types);
        for (i, arg) in inst.args.iter().enumerate() {
            if !self.prepared.activity.is_active(*arg) {
                continue;
            }
            let reads = row.partial(i).reads();
            need.extend(inst.args.iter().zip(reads.operands).filter(|(_, read)| *read).map(|(a, _)| *a));
            if reads.result {
                need.push(inst.results[0]);
            }
        }
    }

    fn call_reads(&mut self, inst: &'a Inst, need: &mut SmallVec<[Value; 8]>) {
        let (session, prepared) = (self.session, self.prepared);
        let call = &prepared.calls[&inst.results[0]];
        let rule = match &call.treatment {
            Treatment::Derived(program) => {
                let funcs = session.existing(program).expect("made before its callers");
                let bwd = session.m.func(funcs[1]);
                need.extend_from_slice(&inst.args[..bwd.dims.len()]);
                let args = arguments(bwd, inst);
                for role in bwd.params.iter().filter_map(|p| p.role) {
                    need.push(match role {
                        Role::Arg(i) => args[i],
                        Role::Result(i) => inst.results[i],
                        Role::Kept(i) => self.plan.kept[&inst.results[0]][i],
                    });
                }
                return;
            }
            Treatment::Itself => unreachable!("in forward mode only"),
            Treatment::Linear(rule) => session.rule_func(rule),
            Treatment::Partial { func, .. } => *func,
        };
        let read = read_params(session.m.func(rule));
        for (v, read) in inst.args.iter().chain(&inst.results).zip(read) {
            if read {
                need.push(*v);
            } else {
                // A zero stands for it.
                self.need_sizes(*v);
            }
        }
    }

    /// The values that the forward function of a call keeps for its pullback.
    pub(super) fn kept(&mut self, inst: &'a Inst, place: usize) {
        let Some(call) = inst.results.first().and_then(|v| self.prepared.calls.get(v)) else { return };
        let Treatment::Derived(program) = &call.treatment else { return };
        let fwd = self.session.existing(program).expect("made before its callers")[0];
        let fwd: &Func = self.session.m.func(fwd);
        let own = inst.results.len();
        let first = self.plan.count() as u32;
        let kept: Vec<Value> = (first..).map(Value).take(fwd.results.len() - own).collect();
        let yields = &fwd.region().expect("a generated function has a body").yields;
        let here = |v: Value| match fwd.entry_position(v) {
            Some(i) => inst.args[i],
            None => {
                let i = yields.iter().position(|y| *y == v).expect("sizes of results are made of results");
                inst.results.iter().chain(&kept).copied().nth(i).expect("one value per result")
            }
        };
        for result in &fwd.results[own..] {
            let sizes = result.shape.iter().flat_map(Dim::vars).map(here);
            let sizes = sizes.flat_map(|v| self.plan.known.dim(v).vars().collect::<Vec<_>>()).collect();
            self.further(result.ty, sizes, place, Def::By(inst));
        }
        self.plan.kept.insert(inst.results[0], kept);
    }

    /// The bounds of a loop over an index if arrays of as many elements as it has iterations can leave other loops: what they
    /// are made of, or `None`.
    pub(super) fn extent(&mut self, inst: &Inst) -> Option<Vec<Value>> {
        let bounds: Bounds = self.plan.bounds(self.func(), inst);
        let vars: Vec<Value> = bounds.lo.vars().chain(bounds.hi.vars()).collect();
        if bounds.plain {
            return Some(vars);
        }
        let func = self.func();
        let early = bounds.step.is_some() && vars.iter().all(|v| func.entry_position(*v).is_some());
        // Where the loop does not run its bounds may be any.
        let total = |d: &Dim| {
            let dims = |v: Value| func.dims.iter().any(|d| d.value == v);
            d.as_const().is_some() || shifted(d).is_some() || d.vars().all(dims)
        };
        if !early || !total(&bounds.lo) || !total(&bounds.hi) {
            return None;
        }
        vars.iter().for_each(|v| self.need(*v));
        let first = inst.results[0];
        if self.plan.counted_early.iter().all(|(v, _)| *v != first) {
            self.plan.counted_early.push((first, bounds));
        }
        Some(vars)
    }
}

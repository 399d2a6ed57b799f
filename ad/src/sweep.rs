//! Copies of the primal: the forward sweep, and the parts of it that run again at the beginning of a region's reverse
//! sweep. Values that the plan says leave a region do so here.

mod loops;

use crate::emit::Emitter;
use crate::plan::{Plan, shifted};
use crate::session::{Prepared, Session, Treatment};
use adc_ir::{Const, Dim, Func, Inst, Kind, Op, Region, Scalar, Shape, Type, Value, ValueData, kinds};
use rustc_hash::FxHashMap;

/// A function being written that copies parts of a primal.
pub(crate) struct Sweep<'a> {
    pub(crate) session: &'a Session<'a>,
    pub(crate) prepared: &'a Prepared,
    pub(crate) plan: &'a Plan,
    pub(crate) em: Emitter,
    /// Per primal value: the value that stands for it here.
    available: Vec<Option<Value>>,
    /// What each open region made available, to be forgotten with it.
    made: Vec<Vec<Value>>,
    /// The number of iterations of loops where it is computed early.
    counts: FxHashMap<Value, Value>,
}

/// What is copied: everything, or what is live in the reverse sweep of a region.
pub(crate) type Part = Option<usize>;

impl<'a> Sweep<'a> {
    /// The dimensions of the function that `em` writes stand for those of the primal.
    pub(crate) fn new(
        session: &'a Session<'a>,
        prepared: &'a Prepared,
        plan: &'a Plan,
        em: Emitter,
    ) -> Sweep<'a> {
        let available = vec![None; plan.count()];
        let made = vec![Vec::new()];
        let mut sweep = Sweep { session, prepared, plan, em, available, made, counts: FxHashMap::default() };
        let dims: Vec<Value> = sweep.em.b.func().dims.iter().map(|d| d.value).collect();
        let own: Vec<Value> = prepared.func.dims.iter().map(|d| d.value).collect();
        sweep.define(&own, &dims);
        sweep
    }

    /// Computes early what is to be; the parameters are there.
    pub(crate) fn begin(&mut self) {
        let plan = self.plan;
        for (first, bounds) in &plan.counted_early {
            let step = bounds.step.expect("a literal");
            let [lo, mut hi] = [&bounds.lo, &bounds.hi].map(|d| {
                let d = self.dim(d);
                self.saturated(&d).unwrap_or_else(|| self.em.b.size(&d))
            });
            if self.em.b.dim_of(lo).as_const().is_none_or(|lo| lo < 0) {
                // As far as the difference is a number.
                let [zero, most] = [0, i64::MAX].map(|n| self.int(n));
                let below = self.em.b.op(Op::Min, &[lo, zero]);
                let most = self.em.b.op(Op::Add, &[below, most]);
                hi = self.em.b.op(Op::Min, &[hi, most]);
            }
            let step = self.int(step);
            let n = self.iterations_of(lo, hi, step);
            self.counts.insert(*first, n);
        }
    }

    pub(crate) fn func(&self) -> &'a Func {
        &self.prepared.func
    }

    /// A primal value.
    pub(crate) fn value(&mut self, v: Value) -> Value {
        if let Some(known) = self.available[v.0 as usize] {
            return known;
        }
        match self.plan.literal(v) {
            Some(c) => self.em.constant(c),
            None => panic!("%{} of `{}` is not there: the plan is wrong", v.0, self.func().name),
        }
    }

    pub(crate) fn values(&mut self, list: &[Value]) -> Vec<Value> {
        list.iter().map(|v| self.value(*v)).collect()
    }

    pub(crate) fn define(&mut self, primal: &[Value], values: &[Value]) {
        for (v, value) in primal.iter().zip(values) {
            self.available[v.0 as usize] = Some(*value);
            self.made.last_mut().expect("the body is open").push(*v);
        }
    }

    /// Opens a region.
    pub(crate) fn open(&mut self, params: Vec<ValueData>) -> Vec<Value> {
        self.made.push(Vec::new());
        self.em.open_with(params)
    }

    pub(crate) fn close(&mut self, yields: Vec<Value>) -> Region {
        for v in self.made.pop().expect("a region is open") {
            self.available[v.0 as usize] = None;
        }
        self.em.close(yields)
    }

    pub(crate) fn int(&mut self, n: i64) -> Value {
        self.em.constant(Const::I64(n))
    }

    /// The value of a number, of a value, or of a sum of both, which ends where integers do: for code that also runs where the
    /// function does not compute it.
    pub(crate) fn saturated(&mut self, d: &Dim) -> Option<Value> {
        if let Some(n) = d.as_const() {
            return Some(self.int(n));
        }
        let (v, c) = shifted(d)?;
        if c == 0 {
            return Some(v);
        }
        let (op, end) = if c > 0 { (Op::Min, i64::MAX - c) } else { (Op::Max, i64::MIN - c) };
        let [end, c] = [end, c].map(|n| self.int(n));
        let v = self.em.b.op(op, &[v, end]);
        Some(self.em.b.op(Op::Add, &[v, c]))
    }

    /// A size of the primal.
    pub(crate) fn dim(&mut self, d: &Dim) -> Dim {
        let d = self.plan.known.resolve(d);
        let here: FxHashMap<Value, Dim> = d
            .vars()
            .map(|v| {
                let value = self.value(v);
                (v, self.em.b.dim_of(value))
            })
            .collect();
        d.substitute(|v| here[&v].clone()).unwrap_or_else(|| {
            // Beyond the bounds of polynomials: its own value is the variable.
            let renamed = d.rename(|v| self.available[v.0 as usize].expect("mapped above"));
            Dim::var(self.em.b.size(&renamed))
        })
    }

    pub(crate) fn shape(&mut self, v: Value) -> Shape {
        let func = self.func();
        func.shape(v).iter().map(|d| self.dim(d)).collect()
    }

    /// Type and sizes of a primal value.
    pub(crate) fn data(&mut self, v: Value) -> ValueData {
        let ty = self.func().ty(v);
        ValueData { ty, shape: self.shape(v) }
    }

    /// The instructions of a region.
    pub(crate) fn copy(&mut self, region: &'a Region, part: Part) {
        for inst in &region.insts {
            self.em.begin(inst.span);
            self.inst(inst, part);
        }
    }

    fn is_live(&self, part: Part, v: Value) -> bool {
        part.is_none_or(|place| self.plan.is_live(place, v))
    }

    fn anything_live(&self, part: Part, inst: &Inst) -> bool {
        let Some(place) = part else { return true };
        let live = |v: &Value| self.plan.is_live(place, *v);
        let Some(first) = inst.results.first() else { return false };
        let kept = self.plan.kept.get(first).is_some_and(|kept| kept.iter().any(live));
        kept || inst.results.iter().any(live)
            || self.plan.exits(inst).is_some_and(|e| {
                e.slots.iter().any(|s| live(&s.value))
                    || e.collected.iter().any(|(_, v)| live(v))
                    || e.blocks.iter().flat_map(|b| &b.snapshots).any(|(_, v)| live(v))
                    || e.count.iter().chain(e.attaining.iter().flatten()).any(live)
            })
    }

    fn inst(&mut self, inst: &'a Inst, part: Part) {
        if !self.anything_live(part, inst) {
            return;
        }
        match &inst.kind {
            Kind::Const(c) => {
                if part.is_none() {
                    let value = self.em.constant(*c);
                    self.define(&inst.results, &[value]);
                }
            }
            Kind::Op(op) => {
                let args = self.values(&inst.args);
                let value = self.em.b.op(*op, &args);
                self.define(&inst.results, &[value]);
            }
            Kind::Assert(guard) => {
                let cond = self.value(inst.args[0]);
                self.em.b.assert((**guard).clone(), cond);
            }
            Kind::Size(dim) => {
                let dim = self.dim(dim);
                let value = self.em.b.size(&dim);
                self.define(&inst.results, &[value]);
            }
            kinds!(Array) => {
                let args = self.values(&inst.args);
                let value = match inst.kind.has_own_shape() {
                    true => {
                        let data = self.data(inst.results[0]);
                        self.em.b.emit(inst.kind.clone(), &args, vec![data], Vec::new())[0]
                    }
                    false => self.em.b.infer(inst.kind.clone(), &args, Vec::new())[0],
                };
                self.define(&inst.results, &[value]);
            }
            Kind::Call(_) => self.call(inst, part),
            Kind::If => self.branches(inst, part),
            Kind::Build { rank } => {
                let shape = self.shape(inst.results[0]);
                let index = self.open(vec![Scalar::I64.into(); *rank as usize]);
                let body = self.iteration(&inst.regions[0], &index, part);
                self.em.begin(inst.span);
                let value = self.em.b.build_of(&shape[..*rank as usize], body);
                self.define(&inst.results, &[value]);
            }
            Kind::Reduce(op) => {
                let attaining = self.plan.exits(inst).and_then(|e| e.attaining);
                match attaining.filter(|found| found.iter().any(|v| self.is_live(part, *v))) {
                    Some(found) => self.extremum(*op, inst, found, part),
                    None => {
                        let args = self.values(&inst.args);
                        let index = self.open(vec![Scalar::I64.into()]);
                        let body = self.iteration(&inst.regions[0], &index, part);
                        self.em.begin(inst.span);
                        let value = self.em.b.infer(inst.kind.clone(), &args, vec![body])[0];
                        self.define(&inst.results, &[value]);
                    }
                }
            }
            Kind::For(l) => self.for_(inst, *l, part),
            Kind::While(l) => self.while_(inst, *l, part),
        }
    }

    /// The region that was just opened, with what it yields and nothing else.
    fn iteration(&mut self, region: &'a Region, params: &[Value], part: Part) -> Region {
        self.define(&region.params, params);
        self.copy(region, part);
        let yields = self.values(&region.yields);
        self.close(yields)
    }

    fn call(&mut self, inst: &'a Inst, part: Part) {
        let Kind::Call(callee) = inst.kind else { unreachable!("it is a call") };
        let args = self.values(&inst.args);
        let first = inst.results.first();
        let plan = self.plan;
        let kept = first.and_then(|v| plan.kept.get(v));
        // What keeps nothing is the callee itself: where it runs again, both calls are the same.
        let kept = kept.filter(|kept| {
            !kept.is_empty() && (part.is_none() || kept.iter().any(|v| self.is_live(part, *v)))
        });
        let callee = match first.and_then(|v| self.prepared.calls.get(v)).map(|c| &c.treatment) {
            Some(Treatment::Derived(program)) if kept.is_some() => {
                self.session.existing(program).expect("made before its callers")[0]
            }
            Some(
                Treatment::Derived(_) | Treatment::Itself | Treatment::Linear(_) | Treatment::Partial { .. },
            )
            | None => callee,
        };
        let values = self.em.b.call_of(self.session.m, callee, &args);
        self.define(&inst.results, &values);
        if let Some(kept) = kept {
            self.define(kept, &values[inst.results.len()..]);
        }
    }

    fn branches(&mut self, inst: &'a Inst, part: Part) {
        let cond = self.value(inst.args[0]);
        let plan = self.plan;
        let kept: Vec<usize> =
            (0..inst.results.len()).filter(|k| self.is_live(part, inst.results[*k])).collect();
        let slots = plan.exits(inst).map_or(&[][..], |e| &e.slots);
        let slots: Vec<_> = slots.iter().filter(|s| self.is_live(part, s.value)).collect();
        let mut regions = Vec::new();
        let mut missing = Vec::new();
        for (side, region) in inst.regions.iter().enumerate() {
            self.open(Vec::new());
            self.copy(region, part);
            self.em.begin(inst.span);
            let mut yields: Vec<Value> = kept.iter().map(|k| self.value(region.yields[*k])).collect();
            for slot in &slots {
                yields.push(match slot.sides[side] {
                    Some(v) => self.value(v),
                    None => match plan.ty(self.func(), slot.value) {
                        Type::Scalar(s) => self.em.constant(Const::zero(s)),
                        Type::Array(..) => {
                            missing.push((side, yields.len()));
                            Value(u32::MAX)
                        }
                    },
                });
            }
            regions.push(self.close(yields));
        }
        // An array that one branch has: the other one has zeros.
        for (side, k) in missing {
            let like = regions[1 - side].yields[k];
            let data = self.em.visible(like);
            let zero = self.em.zero_in(&mut regions[side].insts, &data);
            regions[side].yields[k] = zero;
        }
        let other = regions.pop().expect("an `if` has two regions");
        let then = regions.pop().expect("an `if` has two regions");
        let values = self.em.b.if_(cond, then, other);
        let results: Vec<Value> = kept.iter().map(|k| inst.results[*k]).collect();
        let exits: Vec<Value> = slots.iter().map(|s| s.value).collect();
        self.define(&[results, exits].concat(), &values);
    }
}

impl Emitter {
    /// Type of a value, and its sizes in values that are visible wherever they are known.
    pub(crate) fn visible(&self, v: Value) -> ValueData {
        let data = self.b.data(v);
        let resolved = |d: &Dim| d.substitute(|u| self.b.dim_of(u)).unwrap_or_else(|| d.clone());
        ValueData { ty: data.ty, shape: data.shape.iter().map(resolved).collect() }
    }
}

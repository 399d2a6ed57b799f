//! Shadows of bodies, instruction by instruction.

use super::ops::{Row, row};
use super::pair::Arith;
use super::{Pair, Shadowed, Shadows, marks};
use crate::entry::{Entry, fresh_param};
use adc_ir::*;

/// Writes the shadow of `f` as `version`; returns its opaque calls.
pub(super) fn build(
    shadows: &mut Shadows,
    m: &mut Module,
    f: FuncId,
    version: FuncId,
) -> (Func, Vec<(String, Span)>) {
    let func = with_region(m.func(f), f);
    let mut b = Builder::new(m.func(version).name.clone(), func.span);
    let entry = Entry::declare(&mut b, &func, |ty| ty);
    let mut shadowed = vec![None; func.values.len()];
    for (d, p) in func.dims.iter().zip(&entry.dims) {
        shadowed[d.value.0 as usize] = Some(Shadowed { p: *p, pair: None });
    }
    for (param, p) in func.params.iter().zip(&entry.params) {
        let pair = func.ty(param.value).is_differentiable().then(|| {
            let data = entry.data(&func, param.value, |ty| ty);
            let mut part = |suffix: &str| {
                let name = fresh_param(&b, format!("{}.{suffix}", param.name));
                b.param(name, data.clone())
            };
            let (hi, lo) = (part("hi"), part("lo"));
            Pair { hi, lo: Some(lo) }
        });
        shadowed[param.value.0 as usize] = Some(Shadowed { p: *p, pair });
    }
    let exact = marks::exact(&func);
    let a = Arith::new(b);
    let mut h = Twins { shadows, m, func: &func, a, exact, shadowed, holes: Vec::new() };
    let region = func.region().expect("it was given one");
    h.region(region);
    let mut outs: Vec<(String, Value)> =
        func.results.iter().zip(&region.yields).map(|(r, v)| (r.name.clone(), h.p(*v))).collect();
    for (r, v) in func.results.iter().zip(&region.yields) {
        if r.ty.is_differentiable() {
            let (hi, lo) = h.full(*v);
            outs.extend([(format!("{}.hi", r.name), hi), (format!("{}.lo", r.name), lo)]);
        }
    }
    let Twins { a, holes, .. } = h;
    (a.b.finish(outs), holes)
}

/// The function; for a native one, a function that calls it.
fn with_region(func: &Func, f: FuncId) -> Func {
    let mut func = func.clone();
    match func.body {
        Body::Region(_) => return func,
        Body::Extern(_) => {}
        Body::Derived(_) => panic!("`{}` is a derivative that was not written", func.name),
    }
    let args = func.dims.iter().map(|d| d.value).chain(func.params.iter().map(|p| p.value)).collect();
    let first = func.values.len() as u32;
    func.values.extend(func.results.iter().map(ResultDecl::data));
    let yields: Vec<Value> = (first..func.values.len() as u32).map(Value).collect();
    let (kind, results) = (Kind::Call(f), Values::from_slice(&yields));
    let call = Inst { kind, args, results, regions: Vec::new(), span: func.span };
    func.body = Body::Region(Region { params: Vec::new(), insts: vec![call], yields });
    func
}

/// Builds one shadow.
pub(super) struct Twins<'a> {
    pub shadows: &'a mut Shadows,
    pub m: &'a mut Module,
    pub func: &'a Func,
    pub a: Arith,
    /// [`marks::exact`]
    exact: Vec<bool>,
    /// By value of the function.
    shadowed: Vec<Option<Shadowed>>,
    pub holes: Vec<(String, Span)>,
}

impl Twins<'_> {
    pub(super) fn shadowed(&self, v: Value) -> Shadowed {
        self.shadowed[v.0 as usize].expect("defined before its use")
    }

    pub(super) fn p(&self, v: Value) -> Value {
        self.shadowed(v).p
    }

    pub(super) fn all_p(&self, values: &[Value]) -> Vec<Value> {
        values.iter().map(|v| self.p(*v)).collect()
    }

    /// The pair; for values that are no floats, p.
    pub(super) fn pair(&self, v: Value) -> Pair {
        self.shadowed(v).pair()
    }

    /// Whether a value has a pair of its own.
    pub(super) fn has_pair(&self, v: Value) -> bool {
        !self.exact[v.0 as usize]
    }

    /// hi and lo as values.
    pub(super) fn full(&mut self, v: Value) -> (Value, Value) {
        let pair = self.pair(v);
        self.materialised(pair)
    }

    pub(super) fn materialised(&mut self, x: Pair) -> (Value, Value) {
        let data = self.a.b.data(x.hi).clone();
        let lo = match x.lo {
            Some(lo) => lo,
            None => self.filled(0.0, &data),
        };
        (x.hi, lo)
    }

    /// A constant of such a type; for an array, in every element.
    pub(super) fn filled(&mut self, x: f64, data: &ValueData) -> Value {
        let x = self.a.b.num(x, data.ty.scalar());
        if data.shape.is_empty() { x } else { self.a.b.fill(x, &data.shape) }
    }

    pub(super) fn define(&mut self, v: Value, p: Value) {
        self.shadowed[v.0 as usize] = Some(Shadowed { p, pair: None });
    }

    pub(super) fn set_pair(&mut self, v: Value, pair: Pair) {
        self.shadowed[v.0 as usize] = Some(Shadowed { p: self.p(v), pair: Some(pair) });
    }

    pub(super) fn dim(&self, d: &Dim) -> Dim {
        d.rename(|v| self.p(v))
    }

    /// Type and sizes of a value, the same for p and its pair.
    pub(super) fn data(&self, v: Value) -> ValueData {
        let data = self.func.data(v);
        ValueData { ty: data.ty, shape: data.shape.iter().map(|d| self.dim(d)).collect() }
    }

    pub(super) fn region(&mut self, region: &Region) {
        for inst in &region.insts {
            self.a.b.set_span(inst.span);
            if inst.results.iter().any(|v| self.has_pair(*v)) {
                self.inst(inst);
            } else {
                self.copy(inst);
            }
        }
    }

    /// An instruction with a result that has a pair.
    fn inst(&mut self, inst: &Inst) {
        match &inst.kind {
            Kind::Op(op) => self.op(*op, inst),
            Kind::Call(g) => match self.m.func(*g).region() {
                Some(_) => self.call(*g, inst),
                None => self.hole(*g, inst),
            },
            Kind::If => self.branch(inst),
            Kind::Update | Kind::UpdateSlice | kinds!(Read | Form) => self.moved(inst),
            Kind::AddAt => self.add_at(inst),
            Kind::AddSlice => self.add_slice(inst),
            Kind::MatMul => self.matmul(inst),
            Kind::Linalg(op) => self.linalg(*op, inst),
            Kind::Build { rank } => self.build(inst, *rank as usize),
            Kind::Reduce(op) => self.reduce(inst, *op),
            Kind::For(l) => self.for_loop(inst, *l),
            Kind::While(l) => self.while_loop(inst, *l),
            Kind::Const(_) | Kind::Size(_) | Kind::Assert(_) => {
                unreachable!("{:?} gives nothing that has a pair", inst.kind)
            }
        }
    }

    /// The instruction itself, on the p side, with its regions.
    pub(super) fn copy(&mut self, inst: &Inst) {
        let kind = match &inst.kind {
            Kind::Size(d) => Kind::Size(Box::new(self.dim(d))),
            other => other.clone(),
        };
        let args: Values = inst.args.iter().map(|v| self.p(*v)).collect();
        let mut regions = Vec::new();
        for r in &inst.regions {
            let params = r.params.iter().map(|v| self.data(*v)).collect();
            let params = self.a.b.open_with(params);
            r.params.iter().zip(params).for_each(|(v, p)| self.define(*v, p));
            regions.push(self.copied(r));
        }
        self.a.b.set_span(inst.span);
        // A result may be the size of later ones.
        let mut results = Values::new();
        for v in &inst.results {
            let data = self.data(*v);
            let p = self.a.b.fresh(data);
            self.define(*v, p);
            results.push(p);
        }
        if let Kind::Const(c) = kind {
            self.a.literals.insert(results[0], c);
        }
        self.a.b.push(Inst { kind, args, results, regions, span: inst.span });
    }

    /// The p side of the region that was opened for `r`.
    pub(super) fn copied(&mut self, r: &Region) -> Region {
        for inst in &r.insts {
            self.a.b.set_span(inst.span);
            self.copy(inst);
        }
        let yields = self.all_p(&r.yields);
        self.a.b.close(yields)
    }

    fn op(&mut self, op: Op, inst: &Inst) {
        self.copy(inst);
        let v = inst.results[0];
        let x: Vec<Shadowed> = inst.args.iter().map(|v| self.shadowed(*v)).collect();
        let types: Vec<Scalar> = inst.args.iter().map(|v| self.func.ty(*v).scalar()).collect();
        let p = self.p(v);
        let pair = match row(op, &types) {
            Row::Moves(form) | Row::Rounds(form) => form(&mut self.a, p, &x),
            Row::Native => self.native_op(op, &x, self.func.ty(v).scalar()),
            Row::Primal => unreachable!("`{op}` gives nothing that has a pair"),
        };
        self.set_pair(v, pair);
    }

    /// A call of the callee's shadow.
    fn call(&mut self, g: FuncId, inst: &Inst) {
        let mut args = self.all_p(&inst.args);
        let dims = self.m.func(g).dims.len();
        for v in &inst.args[dims..] {
            if self.func.ty(*v).is_differentiable() {
                let (hi, lo) = self.full(*v);
                args.extend([hi, lo]);
            }
        }
        let version = self.shadows.version(self.m, g);
        let floats: Vec<Value> =
            inst.results.iter().copied().filter(|v| self.func.ty(*v).is_differentiable()).collect();
        self.emit(
            inst,
            Kind::Call(version),
            &args,
            &[Slots::P(&inst.results), Slots::Pairs(&floats)],
            Vec::new(),
        );
    }

    /// Both branches yield their values on the p side, then the pairs.
    fn branch(&mut self, inst: &Inst) {
        let paired = self.paired(&inst.results);
        let mut regions = Vec::new();
        for r in &inst.regions {
            self.a.b.open();
            self.region(r);
            let mut yields = self.all_p(&r.yields);
            yields.extend(self.fulls(&r.yields, &paired));
            regions.push(self.a.b.close(yields));
        }
        self.a.b.set_span(inst.span);
        let cond = self.p(inst.args[0]);
        let pairs: Vec<Value> = paired.iter().map(|k| inst.results[*k]).collect();
        self.emit(inst, Kind::If, &[cond], &[Slots::P(&inst.results), Slots::Pairs(&pairs)], regions);
    }

    /// Positions of the values that have pairs.
    pub(super) fn paired(&self, values: &[Value]) -> Vec<usize> {
        (0..values.len()).filter(|k| self.has_pair(values[*k])).collect()
    }

    /// hi and lo of the values at `positions`, one after the other.
    pub(super) fn fulls(&mut self, values: &[Value], positions: &[usize]) -> Vec<Value> {
        let mut out = Vec::new();
        for k in positions {
            let (hi, lo) = self.full(values[*k]);
            out.extend([hi, lo]);
        }
        out
    }

    /// Appends an instruction with results in this order, and defines them.
    pub(super) fn emit(
        &mut self,
        inst: &Inst,
        kind: Kind,
        args: &[Value],
        order: &[Slots<'_>],
        regions: Vec<Region>,
    ) {
        let (mut results, mut pairs) = (Values::new(), Vec::new());
        for slots in order {
            let (Slots::P(values) | Slots::Pairs(values)) = slots;
            for v in *values {
                let data = self.data(*v);
                let first = self.a.b.fresh(data.clone());
                results.push(first);
                match slots {
                    Slots::P(_) => self.define(*v, first),
                    Slots::Pairs(_) => {
                        let lo = self.a.b.fresh(data);
                        results.push(lo);
                        pairs.push((*v, Pair { hi: first, lo: Some(lo) }));
                    }
                }
            }
        }
        // The pair of a sum comes before its p.
        pairs.into_iter().for_each(|(v, pair)| self.set_pair(v, pair));
        self.a.b.push(Inst { kind, args: args.into(), results, regions, span: inst.span });
    }
}

/// Consecutive results of an instruction.
pub(super) enum Slots<'a> {
    /// On the p side.
    P(&'a [Value]),
    /// hi and lo of each.
    Pairs(&'a [Value]),
}

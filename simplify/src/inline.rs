//! Inlining: calls are replaced by the callee's instructions, which keep their spans.
//!
//! Inlined are callees that are small, called once in the whole module, or `#[inline]`. Never inlined are extern functions
//! and functions with a hand-written derivative, whose body must not be differentiated. An argument for a `#[nodiff]` parameter
//! passes through `stop_gradient`, so that derivatives do not find their way around the attribute.
//!
//! Callees are done before their callers. Bounds on size and nesting keep chains of calls of calls from exploding.

use adc_ir::{Body, FuncId, Inst, Kind, Module, Op, Region, Span, Type, Value, ValueData, Values};

/// No callee that is only small or called once goes into a function beyond this many instructions.
const LARGE: usize = 4_000;
/// No callee at all goes into a function beyond this many instructions.
const HUGE: usize = 10_000;
/// Regions are not nested deeper than this by inlining.
const DEEP: usize = 200;

/// Inlines callees of up to `limit` instructions, and those called once or marked `#[inline]`, everywhere.
pub fn inline(m: &mut Module, limit: usize) {
    let all = vec![true; m.funcs.len()];
    functions(m, &all, limit);
}

/// [`inline`] into those functions that `which` is true for.
pub(crate) fn functions(m: &mut Module, which: &[bool], limit: usize) {
    let mut calls = vec![0usize; m.funcs.len()];
    for f in &m.funcs {
        f.region().into_iter().for_each(|r| count_calls(r, &mut calls));
    }
    let mut sizes: Vec<Size> = m.funcs.iter().map(|f| Size::of(f.region())).collect();
    for caller in m.callees_first() {
        let i = caller.0 as usize;
        let Body::Region(body) = &mut m.funcs[i].body else { continue };
        if !which[i] {
            continue;
        }
        let body = std::mem::take(body);
        let values = std::mem::take(&mut m.funcs[i].values);
        let replaced = (0..values.len() as u32).map(Value).collect();
        let size = sizes[i].insts;
        let mut into = Inliner { m, calls: &calls, sizes: &sizes, limit, values, replaced, size, depth: 0 };
        let body = into.region(body);
        let values = into.values;
        m.funcs[i].body = Body::Region(body);
        m.funcs[i].values = values;
        sizes[i] = Size::of(m.funcs[i].region());
    }
}

fn count_calls(r: &Region, calls: &mut [usize]) {
    for inst in &r.insts {
        match inst.kind {
            Kind::Call(f) => calls[f.0 as usize] += 1,
            Kind::Const(_) | Kind::Op(_) | Kind::If | Kind::Assert(_) => {}
        }
        inst.regions.iter().for_each(|r| count_calls(r, calls));
    }
}

/// Instructions and nesting of a function.
#[derive(Clone, Copy)]
struct Size {
    insts: usize,
    depth: usize,
}

impl Size {
    fn of(r: Option<&Region>) -> Size {
        let mut size = Size { insts: 0, depth: 0 };
        for inst in r.into_iter().flat_map(|r| &r.insts) {
            size.insts += 1;
            for nested in &inst.regions {
                let inner = Size::of(Some(nested));
                size.insts += inner.insts;
                size.depth = size.depth.max(inner.depth + 1);
            }
        }
        size
    }
}

/// The walk over one caller.
struct Inliner<'a> {
    m: &'a Module,
    calls: &'a [usize],
    sizes: &'a [Size],
    limit: usize,
    values: Vec<ValueData>,
    /// What stands for a value of the caller.
    replaced: Vec<Value>,
    /// Instructions of the caller so far.
    size: usize,
    depth: usize,
}

impl Inliner<'_> {
    fn region(&mut self, r: Region) -> Region {
        let mut insts = Vec::with_capacity(r.insts.len());
        for mut inst in r.insts {
            inst.args.iter_mut().for_each(|v| *v = self.replaced[v.0 as usize]);
            self.depth += 1;
            inst.regions = inst.regions.into_iter().map(|r| self.region(r)).collect();
            self.depth -= 1;
            match inst.kind {
                Kind::Call(f) if self.wanted(f) => {
                    self.size += self.sizes[f.0 as usize].insts;
                    let yields = self.body(f, &inst.args, inst.span, &mut insts);
                    for (r, v) in inst.results.iter().zip(yields) {
                        self.replaced[r.0 as usize] = v;
                    }
                }
                Kind::Call(_) | Kind::Const(_) | Kind::Op(_) | Kind::If | Kind::Assert(_) => insts.push(inst),
            }
        }
        let yields = r.yields.iter().map(|v| self.replaced[v.0 as usize]).collect();
        Region { params: r.params, insts, yields }
    }

    fn wanted(&self, f: FuncId) -> bool {
        let (func, size) = (self.m.func(f), self.sizes[f.0 as usize]);
        let allowed = func.region().is_some() && func.rules.is_empty() && self.depth + size.depth <= DEEP;
        let after = self.size + size.insts;
        let small = size.insts <= self.limit || self.calls[f.0 as usize] == 1;
        allowed && ((func.inline && after <= HUGE) || (small && after <= LARGE))
    }

    /// Appends the callee's instructions; returns what it returns.
    fn body(&mut self, f: FuncId, args: &[Value], span: Span, insts: &mut Vec<Inst>) -> Vec<Value> {
        let callee = self.m.func(f);
        let mut copy = Copy { from: &callee.values, map: vec![None; callee.values.len()] };
        for (i, (p, arg)) in callee.params.iter().zip(args).enumerate() {
            let ty = callee.param_ty(i);
            let hidden = p.nodiff && ty.is_differentiable();
            copy.map[p.value.0 as usize] = Some(if hidden { self.stop(*arg, ty, span, insts) } else { *arg });
        }
        let body = callee.region().expect("extern functions are not inlined");
        insts.extend(body.insts.iter().map(|i| copy.inst(i, self)));
        body.yields.iter().map(|v| copy.used(*v)).collect()
    }

    fn stop(&mut self, x: Value, ty: Type, span: Span, insts: &mut Vec<Inst>) -> Value {
        let v = self.fresh(ty);
        insts.push(Inst {
            kind: Kind::Op(Op::StopGradient),
            args: Values::from_slice(&[x]),
            results: Values::from_slice(&[v]),
            regions: Vec::new(),
            span,
        });
        v
    }

    fn fresh(&mut self, ty: Type) -> Value {
        let v = Value(self.values.len() as u32);
        self.values.push(ValueData { ty });
        self.replaced.push(v);
        v
    }
}

/// The callee's instructions with values of the caller.
struct Copy<'a> {
    from: &'a [ValueData],
    map: Vec<Option<Value>>,
}

impl Copy<'_> {
    fn used(&self, v: Value) -> Value {
        self.map[v.0 as usize].expect("values are defined before they are used")
    }

    fn defined(&mut self, v: Value, into: &mut Inliner) -> Value {
        let new = into.fresh(self.from[v.0 as usize].ty);
        self.map[v.0 as usize] = Some(new);
        new
    }

    fn inst(&mut self, inst: &Inst, into: &mut Inliner) -> Inst {
        let args = inst.args.iter().map(|v| self.used(*v)).collect();
        let regions = inst.regions.iter().map(|r| self.region(r, into)).collect();
        let results = inst.results.iter().map(|v| self.defined(*v, into)).collect();
        Inst { kind: inst.kind.clone(), args, results, regions, span: inst.span }
    }

    fn region(&mut self, r: &Region, into: &mut Inliner) -> Region {
        let params = r.params.iter().map(|v| self.defined(*v, into)).collect();
        let insts = r.insts.iter().map(|i| self.inst(i, into)).collect();
        Region { params, insts, yields: r.yields.iter().map(|v| self.used(*v)).collect() }
    }
}

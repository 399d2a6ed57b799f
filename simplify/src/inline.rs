//! Inlining: calls are replaced by the callee's instructions, which keep their spans.
//!
//! Inlined are callees that are small, called once in the whole module, or `#[inline]`. Never inlined are extern functions,
//! functions with a hand-written derivative, whose body must not be differentiated, functions with a `#[nodiff]` array, and
//! those that call themselves (over dimensions: their instances do not). A rule that holds something still goes into rules only:
//! differences have to tell it from what a function holds still. A callee whose floating-point mode is stricter than its
//! caller's stays a call. An argument for a `#[nodiff]` parameter
//! passes through `stop_gradient`, so that derivatives do not find their way around the attribute.
//!
//! Callees are done before their callers. Bounds on size and nesting keep chains of calls of calls from exploding.

use adc_ir::{
    Body, Copier, FpMode, Func, FuncId, Inst, Kind, Module, Op, Region, RuleCheck, Span, Type, Value,
    ValueData, Values,
};

/// No callee that is only small or called once goes into a function beyond this many instructions.
const LARGE: usize = 4_000;
/// No callee at all goes into a function beyond this many instructions.
const HUGE: usize = 10_000;
/// Regions are not nested deeper than this by inlining.
const DEEP: usize = 200;

/// Inlines callees of up to `limit` instructions, and those called once or marked `#[inline]`, everywhere.
pub fn inline(m: &mut Module, limit: usize) {
    let all = vec![true; m.funcs.len()];
    inline_into(m, &all, limit);
}

/// [`inline`] into those functions that `which` is true for.
pub fn inline_into(m: &mut Module, which: &[bool], limit: usize) {
    let mut calls = vec![0usize; m.funcs.len()];
    for f in &m.funcs {
        f.region().into_iter().for_each(|r| count_calls(r, &mut calls));
    }
    let mut sizes: Vec<Size> = m.funcs.iter().map(|f| Size::of(f.region())).collect();
    let recursive: Vec<bool> = m.iter().map(|(f, func)| calls_itself(m, f, func)).collect();
    for caller in m.callees_first() {
        let i = caller.0 as usize;
        let Body::Region(body) = &mut m.funcs[i].body else { continue };
        if !which[i] {
            continue;
        }
        let body = std::mem::take(body);
        let values = std::mem::take(&mut m.funcs[i].values);
        let replaced = (0..values.len() as u32).map(Value).collect();
        let (size, fp, of_rule) = (sizes[i].insts, m.funcs[i].mode(), m.funcs[i].of_rule.is_some());
        let (calls, sizes_now, recursive) = (&calls, &sizes, &recursive);
        let mut into = Inliner {
            m,
            calls,
            sizes: sizes_now,
            recursive,
            limit,
            fp,
            of_rule,
            values,
            replaced,
            size,
            depth: 0,
        };
        let body = into.region(body);
        let Inliner { mut values, replaced, .. } = into;
        let f = &mut m.funcs[i];
        let shapes =
            values.iter_mut().map(|d| &mut d.shape).chain(f.results.iter_mut().map(|r| &mut r.shape));
        shapes.flatten().for_each(|dim| *dim = dim.rename(|v| replaced[v.0 as usize]));
        f.body = Body::Region(body);
        f.values = values;
        sizes[i] = Size::of(m.funcs[i].region());
    }
}

fn count_calls(r: &Region, calls: &mut [usize]) {
    for inst in &r.insts {
        if let Kind::Call(f) = inst.kind {
            calls[f.0 as usize] += 1;
        }
        inst.regions.iter().for_each(|r| count_calls(r, calls));
    }
}

fn calls_itself(m: &Module, f: FuncId, func: &Func) -> bool {
    // Only functions with dimensions may.
    !func.dims.is_empty() && func.callees().iter().any(|g| m.reachable(*g).contains(&f))
}

/// Whether derivatives of a rule do without some of what its value depends on, and a check asks for it, or leaves them out.
fn holds_still(m: &Module, f: FuncId) -> bool {
    fn region(m: &Module, r: &Region) -> bool {
        r.insts.iter().any(|inst| {
            let here = match inst.kind {
                Kind::Op(op) => op == Op::StopGradient,
                Kind::Call(g) => m.func(g).params.iter().any(|p| p.nodiff),
                _ => false,
            };
            here || inst.regions.iter().any(|r| region(m, r))
        })
    }
    let still = |g: FuncId| m.func(g).region().is_some_and(|r| region(m, r));
    match m.func(f).of_rule {
        Some(RuleCheck::Every) => m.reachable(f).into_iter().any(still),
        Some(RuleCheck::FirstOrder) => true,
        Some(RuleCheck::Trust | RuleCheck::Nonlinear) | None => false,
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
    recursive: &'a [bool],
    limit: usize,
    fp: FpMode,
    of_rule: bool,
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
            if let Kind::Size(dim) = &mut inst.kind {
                **dim = dim.rename(|v| self.replaced[v.0 as usize]);
            }
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
                _ => insts.push(inst),
            }
        }
        let yields = r.yields.iter().map(|v| self.replaced[v.0 as usize]).collect();
        Region { params: r.params, insts, yields }
    }

    fn wanted(&self, f: FuncId) -> bool {
        let (func, size) = (self.m.func(f), self.sizes[f.0 as usize]);
        let hidden_array = func.params.iter().any(|p| p.nodiff && func.ty(p.value).is_array());
        // The callee's permission is not the caller's to widen.
        let plain =
            func.mode() >= self.fp && func.rules.is_empty() && !hidden_array && !self.recursive[f.0 as usize];
        let apart = !self.of_rule && holds_still(self.m, f);
        let allowed = func.region().is_some() && plain && !apart && self.depth + size.depth <= DEEP;
        let after = self.size + size.insts;
        let small = size.insts <= self.limit || self.calls[f.0 as usize] == 1;
        allowed && ((func.inline && after <= HUGE) || (small && after <= LARGE))
    }

    /// Appends the callee's instructions; returns what it returns.
    fn body(&mut self, f: FuncId, args: &[Value], span: Span, insts: &mut Vec<Inst>) -> Vec<Value> {
        let module = self.m;
        let callee = module.func(f);
        let outside = |v: Value| panic!("%{} of `{}` is used before it is defined", v.0, callee.name);
        let mut copier = Copier::new(&outside);
        let (dims, args) = args.split_at(callee.dims.len());
        for (d, arg) in callee.dims.iter().zip(dims) {
            copier.name(d.value, *arg);
        }
        for (i, (p, arg)) in callee.params.iter().zip(args).enumerate() {
            let ty = callee.param_ty(i);
            let hidden = p.nodiff && ty.is_differentiable();
            copier.name(p.value, if hidden { self.stop(*arg, ty, span, insts) } else { *arg });
        }
        let body = callee.region().expect("extern functions are not inlined");
        let body = copier.body(body, &mut |names, v| self.fresh(names.data(callee.data(v))));
        insts.extend(body.insts);
        body.yields
    }

    fn stop(&mut self, x: Value, ty: Type, span: Span, insts: &mut Vec<Inst>) -> Value {
        let v = self.fresh(ty.into());
        insts.push(Inst {
            kind: Kind::Op(Op::StopGradient),
            args: Values::from_slice(&[x]),
            results: Values::from_slice(&[v]),
            regions: Vec::new(),
            span,
        });
        v
    }

    fn fresh(&mut self, data: ValueData) -> Value {
        let v = Value(self.values.len() as u32);
        self.values.push(data);
        self.replaced.push(v);
        v
    }
}

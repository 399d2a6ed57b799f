//! Typed tree to IR.
//!
//! Functions become IR functions one to one, but those with function-typed parameters once for each
//! combination of functions they are given ([`calls`]). Constants are literals by now. `&&`, `||` and `if`
//! become `if` regions; a variable assigned in a branch is a further result of the `if`.
//!
//! Invariant: only a program without errors comes here, so error types and nodes do not occur.

mod arrays;
mod branch;
mod calls;
mod expr;
mod guard;
mod literal;
mod rules;
mod work;

use crate::sema::ctx::Ctx;
use crate::sema::hir::*;
use crate::sema::items::FnItem;
use crate::sema::rules::CheckedRule;
use crate::sema::types::Ty;
use crate::syntax::ast;
use adc_ir::{
    Body as IrBody, Builder, Code, Const, Diagnostic, Func, FuncId, Module, ResultDecl, Span, Type, Value,
    Values,
};
use calls::{FnVal, Instances, Key};
use rustc_hash::{FxHashMap, FxHashSet};
pub use work::MAX_WORK;

/// Deepest nesting of regions; an `else if` chain nests once per branch.
pub const MAX_REGIONS: usize = 250;

/// Most instructions of all functions together.
pub const MAX_INSTS: usize = 4_000_000;

/// Most functions that come from specialising to function arguments.
pub const MAX_INSTANCES: usize = 10_000;

/// A module and where its functions went.
pub struct Lowered {
    /// Every function, its rules, specialisations.
    pub module: Module,
    /// By [`FnIx`]; `None` for functions that are compiled per use.
    pub ids: Vec<Option<FuncId>>,
}

/// Lowers a program without errors.
pub fn program<'a>(
    ctx: &Ctx<'a>,
    bodies: &[Option<Body<'a>>],
    rules: &[CheckedRule<'a>],
) -> Result<Lowered, Diagnostic> {
    let mut instances = Instances::new(ctx);
    let fns = 0..ctx.items.fns.len();
    let ids: Vec<Option<FuncId>> =
        fns.map(|i| (!ctx.items.fns[i].is_generic()).then(|| instances.get(Key::plain(FnIx(i))))).collect();
    let mut funcs: FxHashMap<FuncId, Func> = FxHashMap::default();
    let mut attached = Vec::new();
    for r in rules {
        let id = instances.reserve(format!("{}.rule.{}", ctx.items.func(r.target).name, r.rule.kind.name()));
        funcs.insert(id, rules::lower(ctx, &mut instances, id, r)?);
        attached.push((r, id));
    }
    let own = instances.len();
    let mut insts: usize = funcs.values().map(Func::inst_count).sum();
    while let Some((id, key)) = instances.next() {
        let item = ctx.items.func(key.f);
        let func = match &bodies[key.f.0] {
            Some(body) => function(ctx, &mut instances, id, &key, item, body)?,
            None => external(item, instances.name(id)),
        };
        insts += func.inst_count();
        if insts > MAX_INSTS || instances.len() - own > MAX_INSTANCES {
            let what = format!(
                "the program expands to more than {MAX_INSTS} instructions or {MAX_INSTANCES} specialised functions"
            );
            return Err(Diagnostic::error(Code::TooMuchCode, what)
                .label(item.sig.span, "while compiling this function")
                .help("functions with function-typed parameters are compiled once per use"));
        }
        funcs.insert(id, func);
    }
    let mut module = Module::default();
    for id in (0..instances.len() as u32).map(FuncId) {
        module.funcs.push(funcs.remove(&id).expect("every reserved function was lowered"));
    }
    for (r, func) in attached {
        let target = ids[r.target.0].expect("rules of generic functions are refused");
        let (trusted, holomorphic) = (r.trusted, r.holomorphic.clone());
        let rule = adc_ir::Rule { kind: r.rule.kind, func, trusted, holomorphic, span: r.span };
        module.funcs[target.0 as usize].rules.push(rule);
    }
    work::check(&module)?;
    Ok(Lowered { module, ids })
}

/// A constant expression as a function without parameters.
pub fn constant(ctx: &Ctx, body: &Body, span: Span) -> Result<Func, Diagnostic> {
    let mut instances = Instances::new(ctx);
    let mut lower = Lower::new(ctx, &mut instances, body, Builder::new("constant", span));
    let value = lower.values()?[0];
    Ok(lower.builder.finish(vec![("value".into(), value)]))
}

fn function<'a>(
    ctx: &Ctx<'a>,
    instances: &mut Instances<'a>,
    id: FuncId,
    key: &Key,
    item: &FnItem<'a>,
    body: &Body<'a>,
) -> Result<Func, Diagnostic> {
    let builder = Builder::new(instances.name(id), item.item.span);
    let mut lower = Lower::new(ctx, instances, body, builder);
    let mut fns = key.fns.iter();
    for (i, p) in item.params.iter().enumerate() {
        if let Some(ty) = p.ty.declared() {
            let v = lower.param(p.name, Type::Scalar(ty), p.span);
            let last = lower.builder.last_param();
            (last.nodiff, last.domain) = (p.nodiff, p.domain);
            lower.set(LocalId(i), Slot::Values(Values::from_slice(&[v])));
        } else {
            let f = fns.next().expect("an instance has a function for each such parameter");
            lower.set(LocalId(i), Slot::Fn(FnVal::holes(f)));
        }
    }
    // What partially applied functions were given comes in as further parameters.
    for (i, p) in item.params.iter().enumerate() {
        if let Slot::Fn(mut f) = lower.env[i].slot.clone() {
            f.fill(&mut |ty| lower.param(p.name, ty, p.span));
            lower.set(LocalId(i), Slot::Fn(f));
        }
    }
    let values = lower.values()?;
    let results = item.results.iter().map(|(n, _)| n.clone()).zip(values).collect();
    let mut func = lower.builder.finish(results);
    func.inline = item.item.attrs.iter().any(|a| a.kind == ast::AttrKind::Inline);
    Ok(func)
}

fn external(item: &FnItem, name: &str) -> Func {
    let mut builder = Builder::new(name, item.item.span);
    for p in &item.params {
        builder.set_span(p.span);
        builder.param(p.name, p.ty.declared().expect("extern parameters are scalars"));
        let last = builder.last_param();
        (last.nodiff, last.domain) = (p.nodiff, p.domain);
    }
    let mut func = builder.finish(Vec::new());
    func.body = IrBody::Extern(item.name.to_string());
    let result = |(name, ty): &(String, Ty)| {
        ResultDecl::new(name.as_str(), ty.declared().expect("results are scalars"))
    };
    func.results = item.results.iter().map(result).collect();
    func
}

/// What a variable holds.
#[derive(Clone, Debug)]
enum Slot {
    Unset,
    /// Scalars, or the parts of a tuple in order.
    Values(Values),
    Fn(FnVal),
}

#[derive(Clone, Debug)]
struct Var {
    slot: Slot,
    /// The number of open branches where it was declared.
    level: usize,
}

/// Lowers one body.
struct Lower<'l, 'a> {
    ctx: &'l Ctx<'a>,
    instances: &'l mut Instances<'a>,
    body: &'l Body<'a>,
    builder: Builder,
    /// By [`LocalId`].
    env: Vec<Var>,
    /// Assignments since the function began that open branches may have to take back: the variable and what it
    /// held before.
    journal: Vec<(LocalId, Slot)>,
    /// Open branches.
    level: usize,
    /// Literals by value.
    consts: FxHashMap<Value, Const>,
    /// Names of the parameters.
    names: FxHashSet<String>,
}

impl<'l, 'a> Lower<'l, 'a> {
    fn new(ctx: &'l Ctx<'a>, instances: &'l mut Instances<'a>, body: &'l Body<'a>, builder: Builder) -> Self {
        let env = vec![Var { slot: Slot::Unset, level: 0 }; body.locals.len()];
        let (journal, consts) = (Vec::new(), FxHashMap::default());
        let names = builder.func().params.iter().map(|p| p.name.clone()).collect();
        Lower { ctx, instances, body, builder, env, journal, level: 0, consts, names }
    }

    /// A parameter; a name that is taken gets a suffix.
    fn param(&mut self, name: &str, ty: Type, span: Span) -> Value {
        let mut unique = name.to_string();
        let mut i = 2;
        while !self.names.insert(unique.clone()) {
            unique = format!("{name}.{i}");
            i += 1;
        }
        let before = self.builder.set_span(span);
        let v = self.builder.param(unique, ty);
        self.builder.set_span(before);
        v
    }

    fn set(&mut self, id: LocalId, slot: Slot) {
        self.env[id.0] = Var { slot, level: self.level };
    }

    /// The body's values, one after the other.
    fn values(&mut self) -> Result<Values, Diagnostic> {
        let body = self.body;
        let mut out = Values::new();
        for (e, ty) in &body.values {
            out.extend(self.expr_as(e, ty)?);
        }
        Ok(out)
    }

    /// The number of scalars a type consists of.
    fn width(&self, ty: &Ty) -> usize {
        self.body.types.flatten(ty).len()
    }
}

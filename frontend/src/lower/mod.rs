//! Typed tree to IR.
//!
//! Functions become IR functions one to one, but those with function-typed parameters once for each
//! combination of functions they are given ([`calls`]). Constants are literals by now. `&&`, `||` and `if`
//! become `if` regions; a variable assigned in a branch is a further result of the `if`, one assigned in a loop is carried.
//! Elementwise operations are `build`s.
//!
//! Invariant: only a program without errors comes here, so error types and nodes do not occur.

mod array_fns;
mod arrays;
mod branch;
mod calls;
mod expr;
mod fn_vals;
mod gens;
mod guard;
mod index;
mod literal;
mod loops;
mod rules;
mod sizes;
mod work;

use crate::sema::ctx::Ctx;
use crate::sema::dims::Syms;
use crate::sema::hir::*;
use crate::sema::items::FnItem;
use crate::sema::types::{Ty, Types};
use crate::syntax::ast;
use adc_ir::{
    Body as IrBody, Builder, Code, Const, Derived, Diagnostic, FpMode, Func, FuncId, Module, ResultDecl,
    Span, Value, ValueData, Values,
};
use calls::{Generic, Given, Instances, Key};
use fn_vals::{FnKey, FnVal, Target, dim_at};
pub use gens::MAX_COPIES;
use rustc_hash::{FxHashMap, FxHashSet};
use sizes::Symbols;
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
    let mut derivatives = FxHashMap::default();
    let mut asked = Span::NONE;
    while let Some((id, key)) = instances.next() {
        let func = match key {
            Key::Item(ix, generic) => {
                let item = ctx.items.func(ix);
                asked = item.sig.span;
                match &bodies[ix.0] {
                    Some(body) => function(ctx, &mut instances, id, generic, item, body)?,
                    None => external(item, instances.name(id)),
                }
            }
            Key::Wrapper(f, dims) => wrapper(ctx, &mut instances, id, &f, dims),
            Key::Derived(operator, of, wrt) => {
                let of = instances.get(*of);
                derivatives.insert(id, Derived { operator, of, wrt });
                continue;
            }
        };
        insts += func.inst_count();
        if insts > MAX_INSTS || instances.len() - own > MAX_INSTANCES {
            let what = format!(
                "the program expands to more than {MAX_INSTS} instructions or {MAX_INSTANCES} specialised functions"
            );
            return Err(Diagnostic::error(Code::TooMuchCode, what)
                .label(asked, "while compiling this function")
                .help("functions with function-typed parameters are compiled once per use"));
        }
        funcs.insert(id, func);
    }
    let mut module = Module::default();
    let blank = |id| Builder::new(instances.name(id), Span::NONE).finish(Vec::new());
    for id in (0..instances.len() as u32).map(FuncId) {
        module.funcs.push(funcs.remove(&id).unwrap_or_else(|| blank(id)));
    }
    declare(&mut module, derivatives)?;
    for (r, func) in attached {
        let target = ids[r.target.0].expect("rules of generic functions are refused");
        let (check, holomorphic) = (r.check, r.holomorphic.clone());
        module.attach(target, adc_ir::Rule { kind: r.rule.kind, func, check, holomorphic, span: r.span });
    }
    adc_ir::specialise::check_sizes(&module)?;
    work::check(&module)?;
    Ok(Lowered { module, ids })
}

/// A constant expression as a function without parameters.
pub fn constant(ctx: &Ctx, body: &Body, span: Span) -> Result<Func, Diagnostic> {
    let mut instances = Instances::new(ctx);
    let mut lower = Lower::new(ctx, &mut instances, body, Builder::new("constant", span));
    lower.prologue(span);
    let value = lower.values()?[0];
    Ok(lower.builder.finish(vec![("value".into(), value)]))
}

fn function<'a>(
    ctx: &Ctx<'a>,
    instances: &mut Instances<'a>,
    id: FuncId,
    generic: Option<Generic>,
    item: &FnItem<'a>,
    body: &Body<'a>,
) -> Result<Func, Diagnostic> {
    let builder = Builder::new(instances.name(id), item.item.span);
    let mut lower = Lower::new(ctx, instances, body, builder);
    let mut entry = Vec::new();
    let mut fns = Vec::new().into_iter();
    match generic {
        None => lower.symbols = Symbols::declare(&mut lower.builder, item),
        Some(g) => {
            entry = dimensions(&mut lower.builder, g.count);
            let dims = g.dims.iter().map(|d| dim_at(d, &entry)).collect();
            lower.symbols = Symbols::given(item, dims);
            fns = g.fns.into_iter();
        }
    }
    let first = item.dims.len();
    for (i, p) in item.params.iter().enumerate() {
        let local = LocalId(first + i);
        if let Some(data) = lower.symbols.declared(&p.ty) {
            let v = lower.param(p.name, data, p.span);
            let last = lower.builder.last_param();
            (last.nodiff, last.domain) = (p.nodiff, p.domain);
            lower.set(local, Slot::Values(Values::from_slice(&[v])));
        } else {
            let f = fns.next().expect("an instance has a function for each such parameter");
            lower.set(local, Slot::Fn(FnVal::holes(&f, &entry)));
        }
    }
    // What partially applied functions were given comes in as further parameters.
    for (i, p) in item.params.iter().enumerate() {
        let local = LocalId(first + i);
        if let Slot::Fn(mut f) = lower.env[local.0].slot.clone() {
            f.fill(&mut |data| lower.param(p.name, data, p.span));
            lower.set(local, Slot::Fn(f));
        }
    }
    lower.prologue(item.sig.span);
    let values = lower.values()?;
    let results = item.results.iter().map(|(n, _)| n.clone()).zip(values).collect();
    let mut func = lower.builder.finish(results);
    func.inline = item.item.attrs.iter().any(|a| a.kind == ast::AttrKind::Inline);
    func.fp = fp_mode(item);
    Ok(func)
}

/// The floating-point mode that a function is declared with, if it is.
fn fp_mode(item: &FnItem) -> Option<FpMode> {
    let mode = |a: &ast::Attr| match a.kind {
        ast::AttrKind::Fp(mode) => Some(mode),
        _ => None,
    };
    item.item.attrs.iter().find_map(mode)
}

/// The signatures of derivatives; what one is of may be a derivative itself.
fn declare(module: &mut Module, mut derivatives: FxHashMap<FuncId, Derived>) -> Result<(), Diagnostic> {
    let mut todo: Vec<FuncId> = derivatives.keys().copied().collect();
    todo.sort_unstable();
    while let Some(&id) = todo.last() {
        match derivatives.get(&id) {
            Some(d) if derivatives.contains_key(&d.of) => todo.push(d.of),
            Some(_) => {
                let derived = derivatives.remove(&id).expect("just found");
                let (name, span) = (module.func(id).name.clone(), module.func(derived.of).span);
                let Some(func) = derived.declare(module, name, span) else {
                    let what = "a derivative of a function whose results have sizes that it computes";
                    return Err(Diagnostic::error(Code::NotADimension, what)
                        .label(span, "this function")
                        .help("make the size a dimension of the function"));
                };
                module.funcs[id.0 as usize] = func;
            }
            None => {
                todo.pop();
            }
        }
    }
    Ok(())
}

/// The dimensions of an instance.
fn dimensions(builder: &mut Builder, count: usize) -> Vec<Value> {
    (0..count).map(|i| builder.dim(format!("D{i}"))).collect()
}

/// A function value as a function: what is open, then what it was given.
fn wrapper<'a>(ctx: &Ctx<'a>, instances: &mut Instances<'a>, id: FuncId, key: &FnKey, dims: usize) -> Func {
    let mut builder = Builder::new(instances.name(id), Span::NONE);
    let entry = dimensions(&mut builder, dims);
    let mut f = FnVal::holes(key, &entry);
    let span = span_of(ctx, &f);
    let body = Body {
        types: Types::new(Syms::default()),
        locals: Vec::new(),
        dims: Vec::new(),
        values: Vec::new(),
        mentions: Vec::new(),
    };
    let mut lower = Lower::new(ctx, instances, &body, builder);
    let mut given = Vec::new();
    for (i, data) in lower.open_data(&f).into_iter().enumerate() {
        let data = data.expect("functions were given already");
        let v = lower.param(&format!("x{i}"), data, span);
        lower.builder.last_param().nodiff = is_nodiff(ctx, &f, i);
        given.push(Given::Value(v, span));
    }
    let mut given_at = 0;
    f.fill(&mut |data| {
        given_at += 1;
        lower.param(&format!("p{}", given_at - 1), data, span)
    });
    let results = lower.result_data(&f);
    let values = lower.apply(f, given, results, span);
    let many = values.len() > 1;
    let name = |i: usize| if many { format!("out.{i}") } else { "out".to_string() };
    let mut func = lower.builder.finish(values.into_iter().enumerate().map(|(i, v)| (name(i), v)).collect());
    (func.inline, func.span) = (true, span);
    func
}

/// Whether what is open at this position is `#[nodiff]`.
fn is_nodiff(ctx: &Ctx, f: &FnVal, open: usize) -> bool {
    match (&f.target, f.holes_at().get(open)) {
        (Target::Item(ix, _), Some(&i)) => ctx.items.func(*ix).params[i].nodiff,
        (Target::Derived(_, of, _), Some(&i)) => is_nodiff(ctx, of, i),
        _ => false,
    }
}

/// The function of the program behind a function value.
fn span_of(ctx: &Ctx, f: &FnVal) -> Span {
    match &f.target {
        Target::Item(ix, _) => ctx.items.func(*ix).item.span,
        Target::Builtin(..) => Span::NONE,
        Target::Derived(_, of, _) => span_of(ctx, of),
    }
}

fn external(item: &FnItem, name: &str) -> Func {
    let mut builder = Builder::new(name, item.item.span);
    let symbols = Symbols::declare(&mut builder, item);
    for p in &item.params {
        builder.set_span(p.span);
        builder.param(p.name, symbols.declared(&p.ty).expect("extern parameters are values"));
        let last = builder.last_param();
        (last.nodiff, last.linear, last.domain) = (p.nodiff, p.linear, p.domain);
    }
    let mut func = builder.finish(Vec::new());
    func.body = IrBody::Extern(item.name.to_string());
    let result = |(name, ty): &(String, Ty)| {
        ResultDecl::new(name.as_str(), symbols.declared(ty).expect("results are values"))
    };
    func.results = item.results.iter().map(result).collect();
    func
}

/// What a variable holds.
#[derive(Clone, Debug)]
enum Slot {
    Unset,
    /// A scalar or array, or the parts of a tuple in order.
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
    /// How often what is lowered now is lowered in all.
    copies: usize,
    /// Literals by value.
    consts: FxHashMap<Value, Const>,
    /// Names of the parameters.
    names: FxHashSet<String>,
    /// What sizes are made of.
    symbols: Symbols,
    /// Constants that are arrays.
    tables: FxHashMap<ConstIx, Value>,
}

impl<'l, 'a> Lower<'l, 'a> {
    fn new(ctx: &'l Ctx<'a>, instances: &'l mut Instances<'a>, body: &'l Body<'a>, builder: Builder) -> Self {
        let env = vec![Var { slot: Slot::Unset, level: 0 }; body.locals.len()];
        let (journal, consts) = (Vec::new(), FxHashMap::default());
        let names = builder.func().params.iter().map(|p| p.name.clone()).collect();
        let (symbols, tables) = (Symbols::default(), FxHashMap::default());
        Lower {
            ctx,
            instances,
            body,
            builder,
            env,
            journal,
            level: 0,
            copies: 1,
            consts,
            names,
            symbols,
            tables,
        }
    }

    /// A parameter; a name that is taken gets a suffix.
    fn param(&mut self, name: &str, data: impl Into<ValueData>, span: Span) -> Value {
        let mut unique = name.to_string();
        let mut i = 2;
        while !self.names.insert(unique.clone()) {
            unique = format!("{name}.{i}");
            i += 1;
        }
        let before = self.builder.set_span(span);
        let v = self.builder.param(unique, data);
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

    /// The number of values a type consists of.
    fn width(&self, ty: &Ty) -> usize {
        self.body.types.flatten(ty).len()
    }
}

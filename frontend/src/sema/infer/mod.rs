//! Names and types of one body: source tree to [`hir`](super::hir).
//!
//! One pass over the tree builds the typed tree and unifies; what cannot be judged before everything
//! is known (`/` between what may still become real, exponents, real places that something complex
//! flows into) is put off to the end. See [`types`](super::types) for why the order does not matter.

mod array_fns;
mod array_rows;
mod arrays;
mod axis;
mod bind;
mod call;
mod derive;
mod errors;
mod expr;
mod facts;
mod flow;
mod fn_refs;
mod gens;
mod loops;
mod ops;
mod ragged;
mod shapes;
mod stmt;

use super::ctx::Ctx;
use super::dim_exprs::{self, Found};
use super::dims::Syms;
use super::hir::*;
use super::items::FnItem;
use super::types::{Class, CxId, Num, Ty, Types};
use crate::syntax::ast;
use adc_ir::{Dim, Span};
pub use errors::Demand;
use errors::Operand;
use ragged::Ragged;
use rustc_hash::FxHashMap;

/// What a body belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner<'a> {
    /// A function.
    Fn(FnIx),
    /// A rule of this kind of a function.
    Rule(&'static str, FnIx),
    /// A constant expression; the words say which.
    Constant(&'a str),
}

/// The state of inferring one body.
pub struct Infer<'c, 'a> {
    ctx: &'c Ctx<'a>,
    owner: Owner<'a>,
    types: Types,
    locals: Vec<Local<'a>>,
    scope: Scope<'a>,
    mentions: Vec<Mention>,
    powers: Vec<Power<'a>>,
    deferred: Vec<Deferred<'a>>,
    dims: Vec<LocalId>,
    bare: Vec<Bare>,
    fence: Option<Fence>,
    /// Assertions about sizes that are no facts, because they are not at the start of their block.
    late: Vec<Late>,
    /// Where a slice may have any size: the argument of a reduction. Gets what was found there.
    ragged: Option<Vec<Ragged<'a>>>,
}

/// An assertion about sizes that comes too late in its block.
struct Late {
    /// The sizes that it says are 0.
    zero: Vec<Dim>,
    /// Its condition.
    span: Span,
}

/// A generator without a range, while its expression is looked at.
struct Bare {
    var: LocalId,
    /// Variables from here on are declared inside its expression: their sizes do not count.
    inside: usize,
    /// The size found, and where.
    size: Option<(Dim, Span)>,
}

/// What may not assign the variables outside.
#[derive(Clone, Copy)]
struct Fence {
    /// Variables before this one are outside.
    inside: usize,
    /// What it is.
    what: &'static str,
}

/// The visible variables.
#[derive(Default)]
struct Scope<'a> {
    /// In order of declaration.
    names: Vec<&'a str>,
    /// By name, the innermost last.
    ids: FxHashMap<&'a str, Vec<LocalId>>,
}

impl<'a> Scope<'a> {
    fn push(&mut self, name: &'a str, id: LocalId) {
        self.names.push(name);
        self.ids.entry(name).or_default().push(id);
    }

    fn find(&self, name: &str) -> Option<LocalId> {
        self.ids.get(name)?.last().copied()
    }

    fn len(&self) -> usize {
        self.names.len()
    }

    /// Ends the visibility of all but the first `len` variables.
    fn truncate(&mut self, len: usize) {
        for name in self.names.drain(len..) {
            self.ids.get_mut(name).and_then(Vec::pop);
        }
    }

    /// Names of variables, for suggestions.
    fn names(&self) -> impl Iterator<Item = &'a str> {
        self.names.iter().copied()
    }
}

/// `a^b` with an exponent of undecided type.
struct Power<'a> {
    base: Operand<'a>,
    exponent: Operand<'a>,
    base_num: Num,
    exponent_num: Num,
    span: Span,
}

/// What is judged when everything is known.
enum Deferred<'a> {
    /// `/`: the class must not end as an integer.
    Division { num: Num, left: Operand<'a>, right: Operand<'a>, span: Span },
    /// `x^-2`: the base must not end as an integer.
    NegativePower { num: Num, base: Operand<'a>, exponent: i64, span: Span },
    /// Something flows into a place that is real.
    Flow { from: CxId, to: CxId, value: Operand<'a>, place: Ty, demand: Demand<'a> },
    /// An operand that must be real.
    RealOnly { from: CxId, value: Operand<'a>, what: &'a str },
}

impl<'c, 'a> Infer<'c, 'a> {
    fn new(ctx: &'c Ctx<'a>, owner: Owner<'a>, syms: Syms) -> Self {
        Infer {
            ctx,
            owner,
            types: Types::new(syms),
            dims: Vec::new(),
            bare: Vec::new(),
            fence: None,
            late: Vec::new(),
            ragged: None,
            locals: Vec::new(),
            scope: Scope::default(),
            mentions: Vec::new(),
            powers: Vec::new(),
            deferred: Vec::new(),
        }
    }

    /// A function's body.
    pub fn function(ctx: &'c Ctx<'a>, ix: FnIx, block: &'a ast::Block) -> Body<'a> {
        let item = ctx.items.func(ix);
        let mut infer = Infer::new(ctx, Owner::Fn(ix), item.syms.clone());
        infer.bind_dims(item);
        infer.bind_params(item, item.sig.params.iter().map(|p| &p.name));
        let value = infer.body(block);
        let result = item.result_ty();
        infer.flow(&value, &result, Demand::Returned(ix));
        infer.finish(vec![(value, result)])
    }

    /// A constant expression; `words` say what it is for.
    pub fn constant(
        ctx: &'c Ctx<'a>,
        e: &'a ast::Expr,
        ty: &Ty,
        words: &'a str,
        declared: Option<Span>,
    ) -> Body<'a> {
        let mut infer = Infer::new(ctx, Owner::Constant(words), Syms::default());
        let value = infer.expr(e);
        infer.flow(&value, ty, Demand::Constant(words, declared));
        infer.finish(vec![(value, ty.clone())])
    }

    /// A constant expression of any shape, with elements of type `elem`.
    pub fn constant_of(ctx: &'c Ctx<'a>, e: &'a ast::Expr, elem: &Ty, words: &'a str) -> Body<'a> {
        let mut infer = Infer::new(ctx, Owner::Constant(words), Syms::default());
        let value = infer.expr(e);
        let ty = Ty::array(elem.clone(), value.ty.shape().to_vec());
        infer.flow(&value, &ty, Demand::Constant(words, None));
        infer.finish(vec![(value, ty)])
    }

    /// The body of `rule jvp` or `rule vjp`; `linear` are the types of the tangents or cotangents.
    pub fn rule(
        ctx: &'c Ctx<'a>,
        rule: &'a ast::Rule,
        ix: FnIx,
        block: &'a ast::Block,
        linear: Vec<Ty>,
        result: Ty,
    ) -> Body<'a> {
        let mut infer = Infer::rule_start(ctx, rule, ix);
        for (name, ty) in rule.linear.iter().zip(linear) {
            infer.declare(name, ty, LocalKind::Param, None);
        }
        let value = infer.body(block);
        infer.flow(&value, &result, Demand::Rule(rule.kind.name(), ix));
        infer.finish(vec![(value, result)])
    }

    /// The body of `rule partial`: one value per slot.
    pub fn partials(
        ctx: &'c Ctx<'a>,
        rule: &'a ast::Rule,
        ix: FnIx,
        slots: &[(&'a ast::Partial, Ty)],
    ) -> Body<'a> {
        let mut infer = Infer::rule_start(ctx, rule, ix);
        let mut values = Vec::new();
        for (partial, ty) in slots {
            let value = infer.expr(&partial.value);
            infer.flow(&value, ty, Demand::Partial(&partial.param.text));
            values.push((value, ty.clone()));
        }
        infer.finish(values)
    }

    /// The function's dimensions, which come before everything else.
    fn bind_dims(&mut self, item: &FnItem<'a>) {
        for (i, name) in item.dims.iter().enumerate() {
            let id = self.declare(name, Types::fixed(adc_ir::Scalar::I64), LocalKind::Dim, None);
            self.locals[id.0].dim = Some(Dim::var(adc_ir::Value(i as u32)));
            self.dims.push(id);
        }
    }

    /// A rule's parameters and `out`, which a parameter of that name hides.
    fn rule_start(ctx: &'c Ctx<'a>, rule: &'a ast::Rule, ix: FnIx) -> Self {
        let item = ctx.items.func(ix);
        let mut infer = Infer::new(ctx, Owner::Rule(rule.kind.name(), ix), item.syms.clone());
        infer.bind_dims(item);
        let out = infer.local("out", item.result_ty(), LocalKind::Param, item.sig.results.span, None);
        infer.scope.push("out", out);
        infer.bind_params(item, rule.params.iter());
        infer
    }

    fn bind_params(&mut self, item: &FnItem<'a>, names: impl Iterator<Item = &'a ast::Name>) {
        for (name, p) in names.zip(&item.params) {
            self.declare(name, p.ty.clone(), LocalKind::Param, Some(p.ty_span));
        }
    }

    fn local(
        &mut self,
        name: &'a str,
        ty: Ty,
        kind: LocalKind,
        span: Span,
        declared: Option<Span>,
    ) -> LocalId {
        self.locals.push(Local { name, ty, kind, span, declared, dim: None, sized_once: None });
        LocalId(self.locals.len() - 1)
    }

    /// A new variable, visible from here to the end of the block.
    fn declare(&mut self, name: &'a ast::Name, ty: Ty, kind: LocalKind, declared: Option<Span>) -> LocalId {
        let id = self.local(&name.text, ty, kind, name.span, declared);
        if name.text != "_" {
            self.scope.push(&name.text, id);
        }
        id
    }

    fn find_local(&self, name: &str) -> Option<LocalId> {
        self.scope.find(name)
    }

    /// What a name stands for in a size.
    fn find_dim(&self, name: &str) -> Found {
        let Some(id) = self.find_local(name) else { return Found::Nothing };
        let local = &self.locals[id.0];
        if let Some(dim) = &local.dim {
            return Found::Dim(dim.clone());
        }
        match &local.ty {
            Ty::Error => Found::Error,
            _ if local.kind == LocalKind::Var => Found::Var,
            Ty::Num(n) if !self.types.class_of(n.class).is_float() => Found::Local(id),
            _ => Found::Other,
        }
    }

    /// Reads an expression as a size; reports nothing.
    fn read_dim(&mut self, e: &'a ast::Expr) -> Result<Dim, dim_exprs::Bad<'a>> {
        let mut syms = std::mem::take(&mut self.types.syms);
        let dim = dim_exprs::read(self.ctx, &mut syms, e, &|name| self.find_dim(name));
        self.types.syms = syms;
        dim
    }

    /// Reads an expression as the size of an array, or reports why it is none.
    fn size(&mut self, e: &'a ast::Expr, what: &str) -> Dim {
        let mut syms = std::mem::take(&mut self.types.syms);
        let dim = dim_exprs::size(self.ctx, &mut syms, e, &|name| self.find_dim(name), what);
        self.types.syms = syms;
        dim
    }

    /// Notes that the body names a function: it calls it, or takes it as a `value`.
    fn mention(&mut self, f: FnIx, span: Span, value: bool) {
        if !self.mentions.iter().any(|m| m.f == f && m.value == value) {
            self.mentions.push(Mention { f, span, value });
        }
    }

    /// Decides what is still open and judges what was put off.
    fn finish(mut self, values: Vec<(Expr<'a>, Ty)>) -> Body<'a> {
        if let Some((e, _)) = values.first() {
            self.sizes_in_bounds(e.span);
        }
        self.settle_powers();
        self.types.solve();
        let deferred = std::mem::take(&mut self.deferred);
        for d in deferred {
            self.judge(d);
        }
        Body { types: self.types, locals: self.locals, dims: self.dims, values, mentions: self.mentions }
    }

    /// Exponents that turned out real make their base real; each may decide others, so this goes on until
    /// nothing changes. Those left over are integers.
    fn settle_powers(&mut self) {
        let mut waiting = std::mem::take(&mut self.powers);
        loop {
            let before = waiting.len();
            waiting = waiting
                .into_iter()
                .filter_map(|p| {
                    if !self.types.class_of(p.exponent_num.class).is_float() {
                        return Some(p);
                    }
                    self.unify_power(&p);
                    None
                })
                .collect();
            if waiting.len() == before {
                break;
            }
        }
        for p in waiting {
            // An open class meets an integer: this cannot fail.
            let _ = self.types.narrow(p.exponent_num.class, Class::Int, p.span);
        }
    }

    fn judge(&mut self, d: Deferred<'a>) {
        match d {
            Deferred::Division { num, left, right, span } => {
                if self.types.is_integer(num.class) {
                    self.integer_division(&left, &right, span);
                }
            }
            Deferred::NegativePower { num, base, exponent, span } => {
                if self.types.is_integer(num.class) {
                    self.negative_power(&base, exponent, span);
                }
            }
            Deferred::Flow { from, to, value, place, demand } => {
                if self.types.is_complex(from) && !self.types.is_complex(to) {
                    self.mismatch(&value, &place, demand);
                }
            }
            Deferred::RealOnly { from, value, what } => {
                if self.types.is_complex(from) {
                    self.not_taken(&value, what, "real numbers");
                }
            }
        }
    }
}

//! Calls of functions: the callee's dimensions are bound by explicit ones and by the sizes of arguments.

use super::errors::Demand;
use super::fn_refs::DimGiven;
use super::{Infer, Owner};
use crate::sema::decl::plural;
use crate::sema::dim_exprs;
use crate::sema::dims::{self, Sym, Syms};
use crate::sema::hir::*;
use crate::sema::types::Ty;
use crate::syntax::ast;
use crate::syntax::suggest::nearest;
use adc_ir::{Code, Diagnostic, Dim, Span, Value};

/// The dimensions of a callee, as far as they are bound, each with what says so.
pub(super) struct Bound {
    pub sizes: Vec<Option<Dim>>,
    because: Vec<Option<Span>>,
}

impl Bound {
    fn set(&mut self, i: usize, size: Dim, because: Span) {
        if self.sizes[i].as_ref().is_none_or(dims::is_unknown) {
            self.sizes[i] = Some(size);
            self.because[i] = Some(because);
        }
    }
}

impl Ty {
    /// A type of a callee in the caller's sizes; a size that cannot be told is unknown.
    pub(super) fn import(&self, syms: &mut Syms, from: &Syms, bound: &[Option<Dim>]) -> Ty {
        match self {
            Ty::Array(elem, shape) => {
                let sizes = shape.iter().map(|d| syms.import(from, d, bound).unwrap_or_else(dims::unknown));
                Ty::Array(elem.clone(), sizes.collect())
            }
            Ty::Tuple(ts) => Ty::Tuple(ts.iter().map(|t| t.import(syms, from, bound)).collect()),
            Ty::Fn(f) => {
                let params = f.params.iter().map(|t| t.import(syms, from, bound)).collect();
                Ty::Fn(crate::sema::types::FnTy { params, result: f.result.import(syms, from, bound) }.into())
            }
            Ty::Error | Ty::Unit | Ty::Bool | Ty::Num(_) => self.clone(),
        }
    }
}

impl Ty {
    /// Every size in it.
    fn sizes<'t>(&'t self, out: &mut Vec<&'t Dim>) {
        match self {
            Ty::Array(_, shape) => out.extend(shape),
            Ty::Tuple(ts) => ts.iter().for_each(|t| t.sizes(out)),
            Ty::Fn(f) => f.params.iter().chain([&f.result]).for_each(|t| t.sizes(out)),
            Ty::Error | Ty::Unit | Ty::Bool | Ty::Num(_) => {}
        }
    }
}

impl<'a> Infer<'_, 'a> {
    pub(super) fn call_item(
        &mut self,
        ix: FnIx,
        dim_args: &'a [ast::DimArg],
        args: &'a [ast::Expr],
        span: Span,
    ) -> Expr<'a> {
        let ctx = self.ctx;
        let item = ctx.items.func(ix);
        self.mention(ix, span, false);
        if !self.calls_allowed(item.name, span) || item.broken {
            return self.failed(args, span);
        }
        let dim_args: Vec<DimGiven> = dim_args.iter().map(|d| (d.name.as_ref(), &d.value)).collect();
        let mut bound = self.explicit(ix, &dim_args);
        if !self.arity(item.name, item.params.len(), args, span, Some(item.sig.span)) {
            self.failed(args, span);
            bound.sizes.iter_mut().for_each(|d| *d = Some(d.take().unwrap_or_else(dims::unknown)));
            let ty = item.result_ty().import(&mut self.types.syms, &item.syms, &bound.sizes);
            return Expr { kind: ExprKind::Error, ty, span };
        }
        let before = ctx.errors();
        let values: Vec<Option<Expr>> = (item.params.iter().zip(args))
            .map(|(p, a)| (!matches!(p.ty, Ty::Fn(_))).then(|| self.expr(a)))
            .collect();
        for (p, v) in item.params.iter().zip(&values) {
            if let Some(v) = v {
                self.bind_sizes(&p.ty, v, &item.syms, &mut bound);
            }
        }
        if let Some(i) = (0..values.len()).find(|&i| self.maps(&item.params[i].ty, &values[i])) {
            self.no_map(ix, i, args);
            return Expr::error(span);
        }
        let mut given = Vec::new();
        for ((i, p), (v, a)) in item.params.iter().enumerate().zip(values.into_iter().zip(args)) {
            given.push(match v {
                Some(v) => {
                    self.array_argument(&v, ix, i, &bound);
                    Arg::Value(v)
                }
                None => {
                    let want = p.ty.import(&mut self.types.syms, &item.syms, &bound.sizes);
                    self.argument(a, &want, Demand::Argument(ix, i))
                }
            });
        }
        if ctx.errors() == before {
            self.unbound(ix, &bound, span);
        }
        let dims = self.all_dims(ix, bound);
        let own = (0..item.dims.len()).all(|i| dims[i] == Dim::var(Value(i as u32)));
        if self.owner == Owner::Fn(ix) && own && !item.dims.is_empty() {
            let message = format!("`{}` calls itself with the same dimensions", item.name);
            ctx.report(
                Diagnostic::error(Code::Recursion, message)
                    .label(span, "never ends")
                    .also(item.sig.name.span, "the function")
                    .help(format!("make a dimension smaller: `{}[{} - 1](…)`", item.name, item.dims[0].text)),
            );
        }
        let all: Vec<Option<Dim>> = dims.iter().cloned().map(Some).collect();
        let ty = item.result_ty().import(&mut self.types.syms, &item.syms, &all);
        self.sizes_in_bounds(span);
        let call = Call { f: ix, name: item.name, dims, args: given };
        Expr { kind: ExprKind::Call(Box::new(call)), ty, span }
    }

    /// Whether an array is given for a number of the same kind.
    fn maps(&self, to: &Ty, given: &Option<Expr<'a>>) -> bool {
        let Some(v) = given else { return false };
        let scalar = matches!(to, Ty::Num(_) | Ty::Bool) && !v.ty.shape().is_empty();
        scalar && matches!((to, v.ty.elem()), (Ty::Num(_), Ty::Num(_)) | (Ty::Bool, Ty::Bool))
    }

    /// A user's function of a number, called with an array.
    fn no_map(&mut self, ix: FnIx, i: usize, args: &'a [ast::Expr]) {
        let item = self.ctx.items.func(ix);
        let e = self.expr(&args[i]);
        let v = self.operand(&e);
        let (p, names) = (&item.params[i], ["i", "j", "k", "l", "m", "n", "p", "q"]);
        let index = names[..e.ty.shape().len().min(8)].join(", ");
        let parts: Vec<String> = (args.iter().enumerate())
            .map(|(k, a)| match (self.ctx.quote(a.span, "x"), k == i) {
                (x, true) => format!("{x}[{index}]"),
                (x, false) => x,
            })
            .collect();
        let message = format!(
            "{}, but parameter `{}` of `{}` is {}",
            self.describe(&v),
            p.name,
            item.name,
            self.ctx.text(p.ty_span)
        );
        self.ctx.report(
            Diagnostic::error(Code::ShapeMismatch, message)
                .label(v.span, self.types.show(&v.ty))
                .also(p.ty_span, "declared here")
                .help(format!(
                    "`{0}` takes one number at a time: write `[{0}({1}) for {index}]`",
                    item.name,
                    parts.join(", ")
                )),
        );
    }

    /// Reports sizes of callees that have no value for the caller's sizes.
    pub(super) fn sizes_in_bounds(&mut self, span: Span) {
        if self.types.syms.take_failed() {
            let d = dim_exprs::report(self.ctx, dim_exprs::Bad::Large(span), span, "the size of an array");
            d.into_iter().for_each(|d| {
                self.ctx.report(d.note("or a size in the signature of the called function divides by 0"));
            });
        }
    }

    /// Reports a size in a signature that leaves the bounds for these dimensions.
    pub(super) fn large_sizes(&mut self, ix: FnIx, dims: &[Option<Dim>], span: Span) {
        let item = self.ctx.items.func(ix);
        let mut sizes = Vec::new();
        let types = item.params.iter().map(|p| &p.ty).chain(item.results.iter().map(|(_, t)| t));
        types.for_each(|t| t.sizes(&mut sizes));
        let large = sizes.into_iter().find(|d| self.types.syms.import(&item.syms, d, dims).is_none());
        if let Some(d) = large {
            let size = item.syms.show(d);
            let message = format!("the size `{size}` of `{}` is too large here", item.name);
            self.ctx.report(
                Diagnostic::error(Code::NotADimension, message)
                    .label(span, "its normal form has too many terms, or too large numbers")
                    .also(item.sig.span, "declared here")
                    .help("make a part of it a dimension of its own"),
            );
        }
    }

    /// The dimensions of a call, then the quotients in its signature.
    pub(super) fn all_dims(&mut self, ix: FnIx, bound: Bound) -> Vec<Dim> {
        let item = self.ctx.items.func(ix);
        let mut dims: Vec<Dim> = bound.sizes.into_iter().map(|d| d.unwrap_or_else(dims::unknown)).collect();
        let all: Vec<Option<Dim>> = dims.iter().cloned().map(Some).collect();
        for q in item.quotients() {
            let size = self.types.syms.import(&item.syms, &Dim::var(q), &all);
            dims.push(size.unwrap_or_else(dims::unknown));
        }
        dims
    }

    /// `f[3]`, `f[N = 3]`: the dimensions given.
    pub(super) fn explicit(&mut self, ix: FnIx, given: &[DimGiven<'a>]) -> Bound {
        let item = self.ctx.items.func(ix);
        let n = item.dims.len();
        let mut bound = Bound { sizes: vec![None; n], because: vec![None; n] };
        for (position, (name, value)) in given.iter().copied().enumerate() {
            let size = self.size(value, "a dimension");
            let i = match name {
                Some(name) => item.dims.iter().position(|x| x.text == name.text),
                None => Some(position).filter(|i| *i < n),
            };
            let Some(i) = i else {
                self.no_such_dim(ix, (name, value), given.len());
                break;
            };
            if bound.sizes[i].is_some() {
                let name = name.map_or(value.span, |n| n.span);
                let message = format!("dimension `{}` of `{}` is given twice", item.dims[i].text, item.name);
                self.ctx
                    .report(Diagnostic::error(Code::DuplicateName, message).label(name, "the second one"));
            }
            bound.set(i, size, value.span);
        }
        bound
    }

    fn no_such_dim(&mut self, ix: FnIx, (name, value): DimGiven<'a>, given: usize) {
        let item = self.ctx.items.func(ix);
        let names: Vec<&str> = item.dims.iter().map(|n| n.text.as_str()).collect();
        let (message, span, label) = match name {
            Some(name) => (
                format!("`{}` has no dimension `{}`", item.name, name.text),
                name.span,
                match nearest(&name.text, names.iter().copied()) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => "unknown".into(),
                },
            ),
            None => (
                format!(
                    "`{}` has {} dimension{}, but {given} given",
                    item.name,
                    names.len(),
                    plural(names.len())
                ),
                value.span,
                "one too many".into(),
            ),
        };
        let d = Diagnostic::error(Code::WrongArity, message)
            .label(span, label)
            .also(item.sig.span, "declared here");
        self.ctx.report(if names.is_empty() {
            d.help("call it without brackets")
        } else {
            d.help(format!("its dimensions are {}", names.join(", ")))
        });
    }

    /// `f[3](x)` of something without dimensions.
    pub(super) fn no_dims(&mut self, text: &str, span: Span) {
        self.ctx.report(
            Diagnostic::error(Code::WrongArity, format!("`{text}` has no dimensions"))
                .label(span, "dimensions")
                .help("only functions declared with `fn f[N](…)` take them"),
        );
    }

    /// Learns dimensions from an argument whose parameter has them as bare sizes.
    pub(super) fn bind_sizes(&mut self, want: &Ty, v: &Expr<'a>, syms: &Syms, bound: &mut Bound) {
        if want.shape().len() != v.ty.shape().len() {
            return;
        }
        for (d, size) in want.shape().iter().zip(v.ty.shape()) {
            if let Some(var) = d.as_var()
                && let Some(Sym::Name(_)) = syms.get(var)
            {
                bound.set(var.0 as usize, size.clone(), v.span);
            }
        }
    }

    /// An argument in its place; sizes that do not fit are named with what says so.
    fn array_argument(&mut self, v: &Expr<'a>, ix: FnIx, i: usize, bound: &Bound) {
        let item = self.ctx.items.func(ix);
        let p = &item.params[i];
        let to = p.ty.import(&mut self.types.syms, &item.syms, &bound.sizes);
        let demand = Demand::Argument(ix, i);
        if to.shape().is_empty()
            || v.ty.shape().len() != to.shape().len()
            || dims::same_shape(v.ty.shape(), to.shape())
        {
            self.flow(v, &to, demand);
            return;
        }
        // Elements first: another type is the larger mistake.
        let elements = Ty::array(to.elem().clone(), v.ty.shape().to_vec());
        if !self.flow(v, &elements, demand) {
            return;
        }
        let pairs = p.ty.shape().iter().zip(to.shape().iter().zip(v.ty.shape())).enumerate();
        for (axis, (declared, (want, got))) in pairs {
            if dims::same(want, got) {
                continue;
            }
            let (want, got) = (self.types.syms.show(want), self.types.syms.show(got));
            let declared_as = item.syms.show(declared);
            let is = if declared_as == want { String::new() } else { format!(" = {want}") };
            let message = format!(
                "axis {axis} of `{}` is `{declared_as}`{is} in this call of `{}`, but {got} here",
                p.name, item.name
            );
            let mut d = Diagnostic::error(Code::ShapeMismatch, message)
                .label(v.span, self.types.show(&v.ty))
                .also(p.ty_span, "declared here");
            for var in declared.vars() {
                let because = bound.because.get(var.0 as usize).copied().flatten();
                if let (Some(at), Some(Sym::Name(n)), Some(Some(size))) =
                    (because, item.syms.get(var), bound.sizes.get(var.0 as usize))
                    && at != v.span
                {
                    d = d.also(at, format!("makes `{n}` {}", self.types.syms.show(size)));
                }
            }
            let operand = self.operand(v);
            return self.ctx.report(d.help(self.shape_help(&operand, &to)));
        }
    }

    /// Reports dimensions that nothing says.
    pub(super) fn unbound(&mut self, ix: FnIx, bound: &Bound, span: Span) {
        let item = self.ctx.items.func(ix);
        for (name, size) in item.dims.iter().zip(&bound.sizes) {
            if size.is_none() {
                let help = format!("give it: `{}[{} = …](…)`", item.name, name.text);
                self.ctx.report(
                    Diagnostic::error(
                        Code::UnboundDimension,
                        format!("dimension `{}` of `{}` follows from no argument", name.text, item.name),
                    )
                    .label(span, format!("`{}` is not known here", name.text))
                    .also(name.span, "no parameter has it as a bare size")
                    .help(help),
                );
            }
        }
    }
}

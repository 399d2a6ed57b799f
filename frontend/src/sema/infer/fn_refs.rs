//! Functions that are referred to: as arguments, and under derivative operators. Names, built-ins, functions with some
//! arguments given; derivatives are in [`derive`](super::derive).

use super::Infer;
use super::errors::Demand;
use crate::sema::builtins::{Builtin, Means};
use crate::sema::decl::plural;
use crate::sema::dims;
use crate::sema::hir::*;
use crate::sema::items::ItemRef;
use crate::sema::types::{Class, FnTy, Ty};
use crate::syntax::ast;
use adc_ir::{Code, Diagnostic, Dim, Op, Scalar, Sig, Span, Type};

/// A dimension given in brackets.
pub(super) type DimGiven<'a> = (Option<&'a ast::Name>, &'a ast::Expr);

/// A function that is referred to, with what it shows to callers.
pub(super) struct FnSig<'a> {
    /// Which one.
    pub f: FnRef<'a>,
    /// As messages call it.
    pub name: String,
    /// What is open, in order.
    pub params: Vec<FnParam<'a>>,
    /// How many of the last parameters stand behind the `;` of a call.
    pub seeds: usize,
    /// A value or a tuple.
    pub result: Ty,
    /// Where it is declared.
    pub place: Option<Span>,
}

/// A parameter of such a function.
#[derive(Clone)]
pub(super) struct FnParam<'a> {
    /// Its name; parameters of function parameters have none.
    pub name: Option<&'a str>,
    /// Its type.
    pub ty: Ty,
    /// `#[nodiff]`
    pub nodiff: bool,
    /// Which parameter of which function it is, if it is one.
    pub of: Option<(FnIx, usize)>,
}

impl FnParam<'_> {
    /// One without a name.
    pub fn plain(ty: Ty) -> Self {
        FnParam { name: None, ty, nodiff: false, of: None }
    }
}

/// What is known of a function before it is looked at: built-ins take the types of their operands, and dimensions follow
/// from sizes.
#[derive(Clone)]
pub(super) struct Hint<'h> {
    /// By open parameter, as far as known: its type, and where that is said.
    pub given: Vec<Option<(Ty, Span)>>,
    /// The number of parameters, tangents and cotangents left out.
    pub plain: usize,
    /// The type somebody wants.
    pub want: Option<&'h FnTy>,
}

impl<'h> Hint<'h> {
    /// Of a function that should have this type.
    pub fn wanted(want: &'h FnTy, span: Span) -> Self {
        let given: Vec<_> = want.params.iter().map(|ty| Some((ty.clone(), span))).collect();
        Hint { plain: given.len(), given, want: Some(want) }
    }

    /// The operands known to be there.
    fn operands<'a>(&self) -> Vec<Expr<'a>> {
        let operand = |(ty, span): &(Ty, Span)| Expr { kind: ExprKind::Error, ty: ty.clone(), span: *span };
        self.given.iter().map_while(|g| g.as_ref().map(operand)).collect()
    }
}

impl<'a> Infer<'_, 'a> {
    /// An argument for a parameter of function type.
    pub(super) fn fn_argument(&mut self, a: &'a ast::Expr, want: &FnTy) -> FnRef<'a> {
        let Some(sig) = self.fn_sig(a, &Hint::wanted(want, a.span)) else { return FnRef::Error };
        let got = FnTy { params: sig.params.into_iter().map(|p| p.ty).collect(), result: sig.result };
        if !self.same_fn(&got, want) {
            self.fn_mismatch(&self.ctx.quote(a.span, &sig.name), &got, want, a.span);
            return FnRef::Error;
        }
        sig.f
    }

    /// Whether an expression stands for a function rather than a value.
    pub(super) fn is_function(&self, e: &ast::Expr) -> bool {
        let named = |name: &str| match self.find_local(name) {
            Some(id) => matches!(self.locals[id.0].ty, Ty::Fn(_)),
            None => match self.ctx.items.find(name) {
                Some(item) => matches!(item, ItemRef::Fn(_)),
                None => Builtin::find(name).is_some(),
            },
        };
        match &e.kind {
            ast::ExprKind::Name(n) => named(&n.text),
            ast::ExprKind::Derivative { .. } | ast::ExprKind::WithDims { .. } => true,
            ast::ExprKind::Index { base, .. } => {
                matches!(&base.kind, ast::ExprKind::Name(n) if named(&n.text))
            }
            ast::ExprKind::Call { args, seeds, .. } => {
                args.iter().chain(seeds).any(|a| matches!(a.kind, ast::ExprKind::Hole))
            }
            _ => false,
        }
    }

    /// The function an expression is. `None`: reported.
    pub(super) fn fn_sig(&mut self, e: &'a ast::Expr, hint: &Hint) -> Option<FnSig<'a>> {
        match &e.kind {
            ast::ExprKind::Name(name) => self.fn_name(name, &[], hint, e.span),
            ast::ExprKind::Call { callee, dims, args, seeds } => {
                self.partial(callee, dims, (args, seeds), hint, e.span)
            }
            ast::ExprKind::Derivative { op, op_span, func, wrt } => {
                self.derivative(*op, *op_span, func, wrt, hint, e.span)
            }
            ast::ExprKind::WithDims { func, dims } => {
                let dims: Vec<DimGiven> = dims.iter().map(|d| (d.name.as_ref(), &d.value)).collect();
                self.fn_name(func, &dims, hint, e.span)
            }
            ast::ExprKind::Index { base, indices } => {
                let ast::ExprKind::Name(name) = &base.kind else {
                    self.want_function(e.span, hint);
                    return None;
                };
                let mut dims: Vec<DimGiven> = Vec::new();
                for i in indices {
                    let ast::Index::At(size) = i else {
                        self.want_function(e.span, hint);
                        return None;
                    };
                    dims.push((None, size));
                }
                self.fn_name(name, &dims, hint, e.span)
            }
            ast::ExprKind::Error => None,
            _ => {
                self.want_function(e.span, hint);
                None
            }
        }
    }

    fn want_function(&mut self, span: Span, hint: &Hint) {
        let want = match hint.want {
            Some(f) => format!("a {}", self.types.show_fn(f)),
            None => "a function".into(),
        };
        self.ctx.report(
            Diagnostic::error(Code::TypeMismatch, format!("expected {want}"))
                .label(span, "not a function")
                .help("give the name of a function, or one with arguments left open: `f(_, p)`"),
        );
    }

    fn fn_name(
        &mut self,
        name: &'a ast::Name,
        dims: &[DimGiven<'a>],
        hint: &Hint,
        span: Span,
    ) -> Option<FnSig<'a>> {
        let text = name.text.as_str();
        let item = self.ctx.items.find(text);
        let is_item = self.find_local(text).is_none() && matches!(item, Some(ItemRef::Fn(_)));
        if let (false, [first, ..]) = (is_item, dims) {
            self.no_dims(text, first.1.span.to(dims[dims.len() - 1].1.span));
            return None;
        }
        if let Some(id) = self.find_local(text) {
            let local = &self.locals[id.0];
            return match &local.ty {
                Ty::Fn(f) => Some(FnSig {
                    f: FnRef::Local(id),
                    name: text.into(),
                    params: f.params.iter().cloned().map(FnParam::plain).collect(),
                    seeds: 0,
                    result: f.result.clone(),
                    place: local.declared,
                }),
                Ty::Error => None,
                _ => {
                    self.want_function(name.span, hint);
                    None
                }
            };
        }
        match item {
            Some(ItemRef::Fn(ix)) => {
                self.mention(ix, name.span, true);
                return self.item_sig(ix, dims, hint, span);
            }
            Some(ItemRef::Const(_)) => {
                self.want_function(name.span, hint);
                return None;
            }
            None => {}
        }
        match Builtin::find(text) {
            Some(b) => self.builtin(b, hint, name.span),
            None => {
                self.unknown_function(text, name.span);
                None
            }
        }
    }

    /// A function of the program; its dimensions follow from those given and from the sizes of what it is called with.
    fn item_sig(&mut self, ix: FnIx, dims: &[DimGiven<'a>], hint: &Hint, span: Span) -> Option<FnSig<'a>> {
        let item = self.ctx.items.func(ix);
        if item.broken {
            return None;
        }
        let before = self.ctx.errors();
        let mut bound = self.explicit(ix, dims);
        for (p, g) in item.params.iter().zip(&hint.given) {
            if let Some((ty, span)) = g {
                let operand = Expr { kind: ExprKind::Error, ty: ty.clone(), span: *span };
                self.bind_sizes(&p.ty, &operand, &item.syms, &mut bound);
            }
        }
        self.unbound(ix, &bound, span);
        if self.ctx.errors() > before {
            return None;
        }
        if !bound.sizes.iter().flatten().any(dims::is_unknown) {
            self.large_sizes(ix, &bound.sizes, span);
        }
        let dims = self.all_dims(ix, bound);
        if self.ctx.errors() > before {
            return None;
        }
        let sizes: Vec<Option<Dim>> = dims.iter().cloned().map(Some).collect();
        let params = item.params.iter().enumerate().map(|(i, p)| FnParam {
            name: Some(p.name),
            ty: p.ty.import(&mut self.types.syms, &item.syms, &sizes),
            nodiff: p.nodiff,
            of: Some((ix, i)),
        });
        Some(FnSig {
            params: params.collect(),
            name: item.name.into(),
            seeds: 0,
            result: item.result_ty().import(&mut self.types.syms, &item.syms, &sizes),
            place: Some(item.sig.span),
            f: FnRef::Item(ix, dims),
        })
    }

    /// A built-in with operands of the types hinted at.
    fn builtin(&mut self, b: &'static Builtin, hint: &Hint, span: Span) -> Option<FnSig<'a>> {
        let mut operands = hint.operands();
        if operands.iter().any(|o| o.ty.is_error()) {
            return None;
        }
        let array = operands.first().is_some_and(|o| !o.ty.shape().is_empty());
        let f = match b.means {
            Means::Op(op) => BuiltinFn::Op(op),
            Means::Power => BuiltinFn::Op(Op::Pow),
            Means::OpOrReduction(_, reduce) if array && hint.plain == 1 => BuiltinFn::Reduce(reduce),
            Means::OpOrReduction(op, _) => BuiltinFn::Op(op),
            Means::Reduction(reduce) => BuiltinFn::Reduce(reduce),
            Means::Array(f) => BuiltinFn::Array(f),
        };
        let arity = match f {
            BuiltinFn::Op(op) => op.arity(),
            BuiltinFn::Reduce(_) => 1,
            BuiltinFn::Array(f) => match f.arity() {
                Some(n) if !f.takes_sizes() => n,
                None if !f.takes_sizes() => hint.plain.max(1),
                _ => {
                    self.ctx.report(
                        Diagnostic::error(
                            Code::TypeMismatch,
                            format!("`{}` takes sizes, which are not values", b.name),
                        )
                        .label(span, "cannot be used as a function here")
                        .help(format!("write a function that calls `{}`", b.name)),
                    );
                    return None;
                }
            },
        };
        let fits = operands.len() >= arity && hint.want.is_none_or(|w| w.params.len() >= arity);
        let wanted = |operands: &[Expr]| match f {
            BuiltinFn::Op(op) => {
                let elems: Option<Vec<Type>> =
                    operands.iter().map(|o| o.ty.declared_elem().map(Type::Scalar)).collect();
                elems.and_then(|e| op.result_type(&e)).is_some()
            }
            BuiltinFn::Reduce(_) | BuiltinFn::Array(_) => true,
        };
        if let Some(want) = hint.want
            && !(fits && wanted(&operands[..arity]))
        {
            let want = self.types.show_fn(want);
            self.ctx.report(
                Diagnostic::error(Code::TypeMismatch, format!("`{}` is not a {want}", b.name))
                    .label(span, "does not fit")
                    .help(format!("write a function of that type that calls `{}`", b.name)),
            );
            return None;
        }
        if !fits {
            let given = super::call::are(operands.len());
            let message = format!("`{}` takes {arity} argument{}, but {given} given", b.name, plural(arity));
            self.ctx.report(Diagnostic::error(Code::WrongArity, message).label(span, "this function"));
            return None;
        }
        operands.truncate(arity);
        let params: Vec<Ty> = operands.iter().map(|o| o.ty.clone()).collect();
        // What is open is differentiated, so it is real.
        let discrete = matches!(f, BuiltinFn::Op(op) if op.info().sig == Sig::IntReal);
        for o in operands.iter().skip(usize::from(discrete)) {
            if let Some(n) = o.ty.num()
                && matches!(self.types.class_of(n.class), Class::Open | Class::Any)
            {
                let _ = self.types.narrow(n.class, Class::Float, span);
            }
        }
        let result = match f {
            BuiltinFn::Op(op) => match self.prim(op, b.name, b.name, operands, span).ty {
                Ty::Error => return None,
                ty => ty,
            },
            BuiltinFn::Reduce(op) => self.reduce_all_type(op, &operands[0], span)?,
            BuiltinFn::Array(f) => self.array_row_type(f, b.name, &operands, span)?,
        };
        Some(FnSig {
            f: FnRef::Builtin(f, params.clone(), result.clone()),
            name: b.name.into(),
            params: params.into_iter().map(FnParam::plain).collect(),
            seeds: 0,
            result,
            place: None,
        })
    }

    fn fn_mismatch(&mut self, name: &str, got: &FnTy, want: &FnTy, span: Span) {
        let want = self.types.show_fn(want);
        let message = format!("expected a {want}, but `{name}` is {}", self.types.show_fn(got));
        self.ctx.report(
            Diagnostic::error(Code::TypeMismatch, message)
                .label(span, "does not fit")
                .help("parameters and result must be of exactly these types"),
        );
    }

    /// `f(_, p)`
    fn partial(
        &mut self,
        callee: &'a ast::Expr,
        dims: &'a [ast::DimArg],
        (args, seeds): (&'a [ast::Expr], &'a [ast::Expr]),
        hint: &Hint,
        span: Span,
    ) -> Option<FnSig<'a>> {
        let args: Vec<&'a ast::Expr> = args.iter().chain(seeds).collect();
        let is_hole = |a: &ast::Expr| matches!(a.kind, ast::ExprKind::Hole);
        if !args.iter().any(|a| is_hole(a)) {
            self.want_function(span, hint);
            return None;
        }
        if let ast::ExprKind::Name(name) = &callee.kind {
            let own = self.find_local(&name.text).is_some() || self.ctx.items.find(&name.text).is_some();
            if !own && Builtin::find(&name.text).is_some() {
                self.ctx.report(
                    Diagnostic::error(Code::TypeMismatch, "a built-in cannot be applied partially")
                        .label(span, "here")
                        .help(format!("write a function that calls `{}`", name.text)),
                );
                return None;
            }
        }
        let mut open = hint.given.iter();
        let mut values: Vec<Option<Expr>> = Vec::new();
        let mut known = Vec::new();
        for &a in &args {
            if is_hole(a) {
                known.push(open.next().cloned().flatten());
                values.push(None);
            } else if self.is_function(a) {
                known.push(None);
                values.push(None);
            } else {
                let v = self.expr(a);
                known.push(Some((v.ty.clone(), v.span)));
                values.push(Some(v));
            }
        }
        let inner = Hint { given: known, plain: args.len() - seeds.len(), want: hint.want };
        let sig = match &callee.kind {
            ast::ExprKind::Name(name) => {
                let dims: Vec<DimGiven> = dims.iter().map(|d| (d.name.as_ref(), &d.value)).collect();
                self.fn_name(name, &dims, &inner, span)?
            }
            _ => self.fn_sig(callee, &inner)?,
        };
        if sig.params.len() != args.len() {
            self.wrong_count(&sig.name, sig.params.len(), args.len(), span, sig.place);
            return None;
        }
        let mut open = Vec::new();
        let mut given = Vec::new();
        for ((a, v), p) in args.into_iter().zip(values).zip(&sig.params) {
            if is_hole(a) {
                open.push(p.clone());
                given.push(None);
            } else {
                given.push(Some(self.given(a, v, p, callee)));
            }
        }
        let f = FnRef::Partial(Box::new(sig.f), given);
        Some(FnSig { f, params: open, seeds: 0, ..sig })
    }

    /// An argument for a parameter; `value` is what it is, if it was looked at already.
    pub(super) fn given(
        &mut self,
        a: &'a ast::Expr,
        value: Option<Expr<'a>>,
        p: &FnParam<'a>,
        callee: &'a ast::Expr,
    ) -> Arg<'a> {
        let demand = match (p.of, &callee.kind) {
            (Some((ix, i)), _) => Demand::Argument(ix, i),
            (None, ast::ExprKind::Name(n)) => Demand::ArgumentOf(&n.text),
            (None, ast::ExprKind::Derivative { op, .. }) => Demand::ArgumentOf(op.text()),
            (None, _) => Demand::ArgumentOf("this function"),
        };
        match (value, &p.ty) {
            (Some(v), Ty::Fn(want)) => {
                let hint = Hint::wanted(want, v.span);
                if !matches!(v.ty, Ty::Error) {
                    self.want_function(v.span, &hint);
                }
                Arg::Fn(FnRef::Error)
            }
            (Some(v), ty) => {
                self.flow(&v, ty, demand);
                Arg::Value(v)
            }
            (None, ty) => self.argument(a, ty, demand),
        }
    }

    /// Whether two function types are the same.
    fn same_fn(&self, a: &FnTy, b: &FnTy) -> bool {
        a.params.len() == b.params.len()
            && a.params.iter().zip(&b.params).all(|(a, b)| self.same(a, b))
            && self.same(&a.result, &b.result)
    }

    fn same(&self, a: &Ty, b: &Ty) -> bool {
        match (a, b) {
            (Ty::Error, _) | (_, Ty::Error) => true,
            (Ty::Tuple(a), Ty::Tuple(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| self.same(a, b))
            }
            (Ty::Fn(a), Ty::Fn(b)) => self.same_fn(a, b),
            _ => {
                let elem = |t: &Ty| match t.elem() {
                    Ty::Bool => Some(Scalar::Bool),
                    Ty::Num(n) => Some(self.types.scalar(*n)),
                    Ty::Error | Ty::Unit | Ty::Array(..) | Ty::Tuple(_) | Ty::Fn(_) => None,
                };
                let elems = a.is_error() || b.is_error() || (elem(a).is_some() && elem(a) == elem(b));
                elems && dims::same_shape(a.shape(), b.shape())
            }
        }
    }
}

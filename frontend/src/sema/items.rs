//! The items of a program: one name space of functions and constants over all files, rules by function,
//! the main file's blocks.

use super::dims::{Sym, Syms};
use super::hir::{ConstIx, FnIx};
use super::types::Ty;
use crate::syntax::ast;
use adc_ir::{Const, FileId, ParamDomain, Scalar, Span, Value};
use rustc_hash::FxHashMap;

/// What a name stands for.
#[derive(Clone, Copy, Debug)]
pub enum ItemRef {
    /// A function.
    Fn(FnIx),
    /// A constant.
    Const(ConstIx),
}

/// A function.
pub struct FnItem<'a> {
    /// Its name.
    pub name: &'a str,
    /// What it shows to callers.
    pub sig: &'a ast::Signature,
    /// `None` for extern functions.
    pub body: Option<&'a ast::Block>,
    /// The whole item.
    pub item: &'a ast::Item,
    /// Its dimensions.
    pub dims: Vec<&'a ast::Name>,
    /// What the sizes of its parameters and results are made of: its dimensions first.
    pub syms: Syms,
    /// Parameters with their types.
    pub params: Vec<ParamItem<'a>>,
    /// Result names and types, at least one.
    pub results: Vec<(String, Ty)>,
    /// Its signature has been reported: calls of it say nothing more, its body is not looked at.
    pub broken: bool,
}

/// A parameter.
pub struct ParamItem<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its declared type.
    pub ty: Ty,
    /// Name, type and domain in the source.
    pub span: Span,
    /// Its type in the source.
    pub ty_span: Span,
    /// Its declared domain.
    pub domain: Option<ParamDomain>,
    /// `#[nodiff]`
    pub nodiff: bool,
    /// `#[linear]`
    pub linear: bool,
}

/// A constant.
pub struct ConstItem<'a> {
    /// Its source.
    pub decl: &'a ast::Const,
    /// Its type.
    pub ty: Ty,
    /// Its value, once known.
    pub value: Option<Constant>,
}

/// The value of a constant.
#[derive(Clone, Debug)]
pub struct Constant {
    /// The sizes of an array.
    pub shape: Vec<usize>,
    /// Its elements in row-major order; of a scalar the one.
    pub data: Vec<Const>,
}

impl Constant {
    /// The value of a scalar.
    pub fn scalar(&self) -> Option<Const> {
        if self.shape.is_empty() { self.data.first().copied() } else { None }
    }
}

/// A hand-written derivative.
pub struct RuleItem<'a> {
    /// Its source.
    pub rule: &'a ast::Rule,
    /// The whole item.
    pub item: &'a ast::Item,
    /// The function it belongs to.
    pub target: FnIx,
}

/// All items.
#[derive(Default)]
pub struct Items<'a> {
    /// Functions, the main file's first, in source order.
    pub fns: Vec<FnItem<'a>>,
    /// Constants.
    pub consts: Vec<ConstItem<'a>>,
    /// Rules, at most one of a kind per function.
    pub rules: Vec<RuleItem<'a>>,
    /// `check` blocks of the main file.
    pub checks: Vec<(&'a ast::Check, Span)>,
    /// `bench` blocks of the main file.
    pub benches: Vec<(&'a ast::Check, Span)>,
    /// What each name stands for, and where it is defined.
    pub names: FxHashMap<&'a str, (ItemRef, Span)>,
}

impl<'a> Items<'a> {
    /// What a name stands for in every file.
    pub fn find(&self, name: &str) -> Option<ItemRef> {
        self.names.get(name).map(|(r, _)| *r)
    }

    /// A function.
    pub fn func(&self, ix: FnIx) -> &FnItem<'a> {
        &self.fns[ix.0]
    }

    /// Names of functions, for suggestions.
    pub fn fn_names(&self) -> impl Iterator<Item = &'a str> {
        self.fns.iter().map(|f| f.name)
    }

    /// Names of constants, for suggestions.
    pub fn const_names(&self) -> impl Iterator<Item = &'a str> {
        self.consts.iter().map(|c| c.decl.name.text.as_str())
    }

    /// Whether the function is one of the main file's.
    pub fn in_main(&self, ix: FnIx) -> bool {
        self.func(ix).item.span.file == FileId(0)
    }
}

impl FnItem<'_> {
    /// The type of a call: the result's, or a tuple.
    pub fn result_ty(&self) -> Ty {
        tuple_or_plain(self.results.iter().map(|(_, t)| t.clone()).collect())
    }

    /// Positions of the parameters that carry derivatives.
    pub fn differentiable(&self) -> Vec<usize> {
        let carries = |p: &ParamItem| !p.nodiff && p.ty.declared_elem().is_some_and(Scalar::is_float);
        (0..self.params.len()).filter(|&i| carries(&self.params[i])).collect()
    }

    /// The quotients in the sizes of its parameters and results, and in those: further dimensions of the function in the
    /// IR, in order.
    pub fn quotients(&self) -> Vec<Value> {
        let used = self.syms.iter().zip(0..).filter(|((s, used), _)| *used && matches!(s, Sym::Div(..)));
        used.map(|(_, i)| Value(i)).collect()
    }

    /// Whether one of its parameters is a function, so that it is compiled once per use.
    pub fn is_generic(&self) -> bool {
        self.params.iter().any(|p| matches!(p.ty, Ty::Fn(_)))
    }
}

/// One value plainly, several as a tuple.
pub fn tuple_or_plain(mut tys: Vec<Ty>) -> Ty {
    if tys.len() == 1 { tys.remove(0) } else { Ty::Tuple(tys) }
}

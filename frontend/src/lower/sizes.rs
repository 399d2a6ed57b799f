//! Dimensions and sizes: from symbols of the front end to values of the IR function.

use super::{Lower, Slot};
use crate::sema::dims::Sym;
use crate::sema::hir::*;
use crate::sema::items::{Constant, FnItem};
use crate::sema::types::Ty;
use crate::sema::visit;
use adc_ir::{Builder, Const, Dim, Op, Scalar, Span, Value, ValueData, Values};
use rustc_hash::FxHashMap;

/// The values of the symbols that a signature's sizes are made of.
#[derive(Default)]
pub(super) struct Symbols(FxHashMap<Value, Dim>);

impl Symbols {
    /// Gives a function its dimensions: those declared, then one for each quotient in its signature.
    pub fn declare(builder: &mut Builder, item: &FnItem) -> Symbols {
        let mut symbols = Symbols::default();
        for (i, d) in item.dims.iter().enumerate() {
            builder.set_span(d.span);
            let v = builder.dim(d.text.as_str());
            symbols.0.insert(Value(i as u32), Dim::var(v));
        }
        builder.set_span(item.sig.span);
        for q in item.quotients() {
            let Some(Sym::Div(a, b)) = item.syms.get(q) else { unreachable!("a quotient") };
            let position = |d: &Dim| {
                let at = |v: Value| {
                    builder.func().dims.iter().position(|d| Some(d.value) == symbols.0[&v].as_var())
                };
                d.rename(|v| Value(at(v).expect("symbols come after those in them") as u32))
            };
            let quotient = (position(a), position(b));
            let v = builder.quotient(item.syms.show(&Dim::var(q)), quotient);
            symbols.0.insert(q, Dim::var(v));
        }
        symbols
    }

    /// The same where `dims` are the dimensions declared and the quotients.
    pub fn given(item: &FnItem, dims: Vec<Dim>) -> Symbols {
        let declared = (0..item.dims.len() as u32).map(Value);
        Symbols(declared.chain(item.quotients()).zip(dims).collect())
    }

    /// A size.
    pub fn dim(&self, d: &Dim) -> Dim {
        let size = |v: Value| self.0.get(&v).expect("every symbol of a size has a value").clone();
        d.substitute(size).expect("within the bounds, as in the caller's words")
    }

    /// A declared type.
    pub fn declared(&self, ty: &Ty) -> Option<ValueData> {
        Some(ValueData::array(ty.declared_elem()?, ty.shape().iter().map(|d| self.dim(d)).collect()))
    }
}

impl<'l, 'a> Lower<'l, 'a> {
    /// Makes what all of the body may use: its dimensions' variables, quotients in its sizes, arrays that are
    /// constants. Its parameters are there.
    pub(super) fn prologue(&mut self, span: Span) {
        let body = self.body;
        for (i, id) in body.dims.iter().enumerate() {
            let size = self.symbols.0[&Value(i as u32)].clone();
            let v = self.builder.size(&size);
            self.set(*id, Slot::Values(Values::from_slice(&[v])));
        }
        self.builder.set_span(span);
        for (i, (sym, used)) in body.types.syms.iter().enumerate() {
            let symbol = Value(i as u32);
            if let Sym::Div(a, b) = sym
                && used
                && !self.symbols.0.contains_key(&symbol)
            {
                let (a, b) = (self.symbols.dim(a), self.symbols.dim(b));
                let (a, b) = (self.builder.size(&a), self.builder.size(&b));
                let quotient = self.quotient(a, b);
                self.symbols.0.insert(symbol, Dim::var(quotient));
            }
        }
        let mut seen = Vec::new();
        for (e, _) in &body.values {
            visit::expr(e, &mut |n| {
                if let visit::Node::Expr(Expr { kind: ExprKind::Const(ix, _), .. }) = n {
                    seen.push(*ix);
                }
            });
        }
        let ctx = self.ctx;
        for ix in seen {
            let item = &ctx.items.consts[ix.0];
            if let Some(c) = &item.value
                && !c.shape.is_empty()
                && !self.tables.contains_key(&ix)
            {
                self.builder.set_span(item.decl.value.span);
                let v = table(&mut self.builder, c);
                self.tables.insert(ix, v);
            }
        }
    }

    /// `div(a, b)`, which is -1, the size of no array, where `b` is 0: it is computed before its guards.
    fn quotient(&mut self, a: Value, b: Value) -> Value {
        if self.builder.dim_of(b).as_const().is_some() {
            return self.builder.op(Op::Idiv, &[a, b]);
        }
        let zero = self.builder.constant(Const::I64(0));
        let none = self.builder.op(Op::Eq, &[b, zero]);
        let no_size = |b: &mut Builder| vec![b.constant(Const::I64(-1))];
        self.builder.if_else(none, no_size, |l| vec![l.op(Op::Idiv, &[a, b])])[0]
    }

    /// A size of the body.
    pub(super) fn dim(&self, d: &Dim) -> Dim {
        self.symbols.dim(d)
    }

    /// Sizes of the body.
    pub(super) fn dims(&self, ds: &[Dim]) -> Vec<Dim> {
        ds.iter().map(|d| self.symbols.dim(d)).collect()
    }

    /// The values a type consists of.
    pub(super) fn data(&self, ty: &Ty) -> Vec<ValueData> {
        let parts = self.body.types.flatten(ty).into_iter();
        parts.map(|f| ValueData::array(f.elem, self.dims(&f.shape))).collect()
    }
}

/// A constant array as instructions.
fn table(b: &mut Builder, c: &Constant) -> Value {
    let dims: Vec<Dim> = c.shape.iter().map(|n| Dim::constant(*n as i64)).collect();
    match c.data.first() {
        Some(first) if c.data.iter().all(|x| x == first) => {
            let v = b.constant(*first);
            b.fill(v, &dims)
        }
        None => {
            let v = b.constant(Const::zero(Scalar::F64));
            b.fill(v, &dims)
        }
        Some(_) => {
            let mut level: Vec<Value> = c.data.iter().map(|x| b.constant(*x)).collect();
            for n in c.shape.iter().rev() {
                level = level.chunks(*n).map(|part| b.pack(part)).collect();
            }
            level[0]
        }
    }
}

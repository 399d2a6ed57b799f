//! Facts about sizes: what assertions at the start of a block say, for the rest of that block.

use super::{Infer, Late};
use crate::sema::dim_exprs;
use crate::sema::dims;
use crate::sema::hir::*;
use crate::sema::types::Ty;
use crate::syntax::ast;
use adc_ir::Dim;

impl<'a> Infer<'_, 'a> {
    /// The body of a function or rule; its facts hold for its value, too.
    pub(super) fn body(&mut self, b: &'a ast::Block) -> Expr<'a> {
        self.learn_start(b);
        self.block_expr(b)
    }

    /// Learns what the assertions at the start of a block say.
    fn learn_start(&mut self, b: &'a ast::Block) {
        for s in &b.stmts {
            let ast::StmtKind::Assert { cond, .. } = &s.kind else { break };
            for zero in self.facts_of(cond) {
                self.types.syms.learn(&zero);
            }
        }
    }

    /// Notes an assertion about sizes behind the start of its block, for messages.
    pub(super) fn note_late(&mut self, cond: &'a ast::Expr) {
        let zero = self.facts_of(cond);
        if !zero.is_empty() {
            self.late.push(Late { zero, span: cond.span });
        }
    }

    fn facts_of(&mut self, cond: &'a ast::Expr) -> Vec<Dim> {
        let mut syms = std::mem::take(&mut self.types.syms);
        let facts = dim_exprs::facts(self.ctx, &mut syms, cond, &|name| self.find_dim(name));
        self.types.syms = syms;
        facts
    }

    /// A type with its sizes as the facts make them.
    #[inline(never)]
    pub(super) fn normal(&self, ty: &Ty) -> Ty {
        match ty {
            Ty::Array(elem, shape) => {
                Ty::Array(elem.clone(), shape.iter().map(|d| self.types.syms.normal(d)).collect())
            }
            Ty::Tuple(ts) => Ty::Tuple(ts.iter().map(|t| self.normal(t)).collect()),
            Ty::Error | Ty::Unit | Ty::Bool | Ty::Num(_) | Ty::Fn(_) => ty.clone(),
        }
    }

    /// What would make two sizes the same: an assertion that comes too late, or one that is not there.
    pub(super) fn missing_fact(&self, a: &Dim, b: &Dim) -> Option<String> {
        let same = |zero: &[Dim]| {
            let mut syms = self.types.syms.clone();
            zero.iter().for_each(|z| syms.learn(z));
            dims::same(&syms.normal(a), &syms.normal(b))
        };
        let first = "to be a fact about sizes, an `assert` is at the start of a block";
        if let Some(late) = self.late.iter().find(|l| same(&l.zero)) {
            return Some(format!("{first}: move `assert {};` there", self.ctx.quote(late.span, "…")));
        }
        let mut quotients = a.vars().chain(b.vars()).filter_map(|v| self.types.syms.quotient(v));
        quotients.find_map(|(q, c, n)| {
            let zero = c.sub(&n.mul(&q)?)?;
            let (c, n) = (self.types.syms.show(c), self.types.syms.show(n));
            same(&[zero]).then(|| {
                format!(
                    "if they are the same, say so at the start of the block: `assert mod({c}, {n}) == 0;`"
                )
            })
        })
    }

    /// What is done in a block, whose facts end with it.
    pub(super) fn with_facts<T>(&mut self, b: &'a ast::Block, f: impl FnOnce(&mut Self) -> T) -> T {
        let facts = self.types.syms.facts();
        self.learn_start(b);
        let out = f(self);
        self.types.syms.forget(facts);
        out
    }
}

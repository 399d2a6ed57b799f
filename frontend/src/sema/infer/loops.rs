//! `for` and `while`.

use super::{Fence, Infer};
use crate::sema::consts;
use crate::sema::hir::*;
use crate::sema::types::Types;
use crate::syntax::ast;
use adc_ir::{Checkpoint, Code, Const, Diagnostic, Scalar, Span};

impl<'a> Infer<'_, 'a> {
    pub(super) fn for_loop(
        &mut self,
        var: &'a ast::Name,
        range: &'a ast::Range,
        body: &'a ast::Block,
        attrs: &'a [ast::Attr],
        span: Span,
    ) -> Stmt<'a> {
        let range = self.range(range);
        let visible = self.scope.len();
        let var = self.declare(var, Types::fixed(Scalar::I64), LocalKind::Index, None);
        let body = self.block_stmt(body);
        self.scope.truncate(visible);
        Stmt::For(Box::new(For { var, range, body, checkpoint: self.checkpoint(attrs), span }))
    }

    pub(super) fn while_loop(
        &mut self,
        cond: &'a ast::Expr,
        body: &'a ast::Block,
        attrs: &'a [ast::Attr],
        span: Span,
    ) -> Stmt<'a> {
        let what = "the condition of a `while`";
        let outside = self.fence.replace(Fence { inside: self.locals.len(), what });
        let cond = self.condition(cond, "`while`");
        self.fence = outside;
        let body = self.block_stmt(body);
        Stmt::While(Box::new(While { cond, body, checkpoint: self.checkpoint(attrs), span }))
    }

    fn checkpoint(&mut self, attrs: &'a [ast::Attr]) -> Option<Checkpoint> {
        let of = attrs.iter().find_map(|a| match &a.kind {
            ast::AttrKind::Checkpoint(c) => Some(c),
            _ => None,
        })?;
        Some(match of {
            ast::Checkpoint::Sqrt => Checkpoint::Sqrt,
            ast::Checkpoint::All => Checkpoint::All,
            ast::Checkpoint::None => Checkpoint::None,
            ast::Checkpoint::Revolve(k) => {
                let n = consts::number(self.ctx, k, &Types::fixed(Scalar::I64), "the number of checkpoints")?;
                match n {
                    Const::I64(n) if (1..=u32::MAX as i64).contains(&n) => Checkpoint::Revolve(n as u32),
                    _ => {
                        self.ctx.report(
                            Diagnostic::error(
                                Code::BadAttribute,
                                "the number of checkpoints must be at least 1",
                            )
                            .label(k.span, "out of range")
                            .help("`#[checkpoint(revolve, 10)]` stores 10 states"),
                        );
                        return None;
                    }
                }
            }
        })
    }
}

//! Blocks and statements.

use super::Printer;
use crate::syntax::Tok;
use crate::syntax::ast::*;

impl<'a> Printer<'a> {
    /// A block in a group of its own.
    pub(super) fn body(&mut self, block: &Block) {
        let broken = self.is_broken(block);
        self.out.begin();
        self.block(block, broken);
        self.out.end();
    }

    /// Whether a block is on several lines in any case: it has several entries, or a line of the source ends behind
    /// its brace.
    pub(super) fn is_broken(&self, block: &Block) -> bool {
        let entries = block.stmts.len() + usize::from(block.value.is_some());
        let at = self.tokens.partition_point(|t| t.start < block.span.start);
        let next = self.tokens.get(at + 1).map_or(0, |t| t.start);
        let newline = self.slice(self.tokens[at].end, next).contains('\n');
        entries > 1 || (entries == 1 && newline)
    }

    /// A block whose lines are those of the group around it.
    fn block(&mut self, block: &Block, broken: bool) {
        if broken {
            self.out.force();
        }
        self.tok();
        self.semis();
        self.out.indent();
        let stmts = block.stmts.iter().map(Entry::Stmt);
        let mut empty = true;
        for entry in stmts.chain(block.value.as_deref().map(Entry::Value)) {
            if empty && !broken {
                self.out.line()
            } else {
                self.out.hard()
            }
            self.blank = !empty || self.comments.any(self.pos);
            match entry {
                Entry::Stmt(stmt) => self.stmt(stmt),
                Entry::Value(value) => self.expr(value),
            }
            self.semis();
            empty = false;
        }
        self.end_of_block(empty);
    }

    fn stmt(&mut self, stmt: &Stmt) {
        while self.at(Tok::Hash) {
            self.attr(&stmt.attrs);
            self.out.hard();
        }
        match &stmt.kind {
            StmtKind::Let { pattern, ty, value } => {
                self.word();
                self.pattern(pattern);
                self.initial(ty.as_ref(), value);
            }
            StmtKind::Var { name: _, ty, value } => {
                self.word();
                self.tok();
                self.initial(ty.as_ref(), value);
            }
            StmtKind::Assign { target, op: _, value } => {
                self.tok();
                if !target.indices.is_empty() {
                    self.indices(&target.indices);
                }
                self.out.space();
                self.word();
                self.expr(value);
            }
            StmtKind::For { var: _, range, body } => {
                (0..3).for_each(|_| self.word());
                self.range(range);
                self.out.space();
                self.body(body);
            }
            StmtKind::While { cond, body } => {
                self.word();
                self.expr(cond);
                self.out.space();
                self.body(body);
            }
            StmtKind::If(chain) => self.if_chain(chain),
            StmtKind::Assert { cond, text } => {
                self.word();
                self.expr(cond);
                if text.is_some() {
                    self.word();
                    self.tok();
                }
            }
            StmtKind::Block(block) => self.body(block),
            StmtKind::Expr(e) => self.expr(e),
        }
    }

    /// `: type = value`
    fn initial(&mut self, ty: Option<&Type>, value: &Expr) {
        if let Some(ty) = ty {
            self.word();
            self.ty(ty);
        }
        self.out.space();
        self.word();
        self.expr(value);
    }

    fn pattern(&mut self, pattern: &Pattern) {
        match &pattern.kind {
            PatternKind::Name(_) | PatternKind::Wild => self.tok(),
            PatternKind::Tuple(parts) => {
                let mut parts = parts.iter();
                self.list(|p| parts.next().into_iter().for_each(|part| p.pattern(part)));
            }
        }
    }

    /// The branches of an `if` are all on one line, or all broken.
    pub(super) fn if_chain(&mut self, chain: &If) {
        let mut blocks = chain.branches.iter().map(|(_, b)| b).chain(&chain.otherwise);
        let broken = blocks.any(|b| self.is_broken(b));
        self.out.begin();
        for (i, (cond, block)) in chain.branches.iter().enumerate() {
            if i > 0 {
                self.out.space();
                self.word();
            }
            self.word();
            self.expr(cond);
            self.out.space();
            self.block(block, broken);
        }
        if let Some(block) = &chain.otherwise {
            self.out.space();
            self.word();
            self.block(block, broken);
        }
        self.out.end();
    }

    /// `lo..hi step s`
    pub(super) fn range(&mut self, range: &Range) {
        self.expr(&range.lo);
        if self.pos > 0 && self.text[..self.tokens[self.pos - 1].end as usize].ends_with('.') {
            // `2. ..n`
            self.out.space();
        }
        self.tok();
        self.expr(&range.hi);
        if let Some(step) = &range.step {
            self.out.space();
            self.word();
            self.expr(step);
        }
    }
}

enum Entry<'a> {
    Stmt(&'a Stmt),
    Value(&'a Expr),
}

//! Blocks and statements.

use super::Infer;
use super::errors::Demand;
use crate::sema::decl::{self, TypeScope};
use crate::sema::dims;
use crate::sema::hir::*;
use crate::sema::items::ItemRef;
use crate::sema::types::Ty;
use crate::syntax::ast::{self, AssignOp};
use crate::syntax::suggest::nearest;
use adc_ir::{Code, Diagnostic, Dim, Op, Span};

impl<'a> Infer<'_, 'a> {
    /// A block; its variables and facts end with it.
    pub(super) fn block(&mut self, b: &'a ast::Block) -> Block<'a> {
        self.with_facts(b, |infer| infer.block_of(b))
    }

    fn block_of(&mut self, b: &'a ast::Block) -> Block<'a> {
        let visible = self.scope.len();
        let mut stmts = Vec::new();
        let mut dropped = Vec::new();
        let mut start = true;
        for (i, s) in b.stmts.iter().enumerate() {
            let last = i + 1 == b.stmts.len() && b.value.is_none();
            match &s.kind {
                ast::StmtKind::Assert { cond, .. } if !start => self.note_late(cond),
                ast::StmtKind::Assert { .. } => {}
                _ => start = false,
            }
            match &s.kind {
                // Whether that is a mistake about `;` or about statements depends on what the block is for.
                ast::StmtKind::Expr(e) if last => {
                    let e = self.expr(e);
                    match e.ty {
                        Ty::Error => stmts.push(Stmt::Expr(e)),
                        _ => dropped.push(e.span),
                    }
                }
                ast::StmtKind::If(i) if last && i.otherwise.is_some() => {
                    stmts.push(self.if_stmt(i, &mut dropped));
                }
                _ => stmts.extend(self.stmt(s)),
            }
        }
        let value = b.value.as_ref().map(|v| Box::new(self.expr(v)));
        self.scope.truncate(visible);
        // A block whose end could not be read has an unknown value, not none.
        let broken = matches!(stmts.last(), Some(Stmt::Expr(Expr { ty: Ty::Error, .. })));
        let ty = match &value {
            Some(v) => v.ty.clone(),
            None if broken => Ty::Error,
            None => Ty::Unit,
        };
        Block { stmts, value, ty, span: b.span, dropped }
    }

    /// A block whose value nobody wants.
    pub(super) fn block_stmt(&mut self, b: &'a ast::Block) -> Block<'a> {
        let block = self.block(b);
        for at in &block.dropped {
            self.does_nothing(*at);
        }
        block
    }

    fn stmt(&mut self, s: &'a ast::Stmt) -> Option<Stmt<'a>> {
        match &s.kind {
            ast::StmtKind::Let { pattern, ty, value } => Some(self.bind(pattern, ty.as_ref(), value)),
            ast::StmtKind::Var { name, ty, value } => Some(self.var(name, ty.as_ref(), value)),
            ast::StmtKind::Assign { target, op, value } => self.assign(target, *op, value, s.span),
            ast::StmtKind::If(i) => {
                let mut dropped = Vec::new();
                let stmt = self.if_stmt(i, &mut dropped);
                for at in dropped {
                    self.does_nothing(at);
                }
                Some(stmt)
            }
            ast::StmtKind::Block(b) => {
                let block = self.block_stmt(b);
                let kind = ExprKind::Block(Box::new(block));
                Some(Stmt::Expr(Expr { kind, ty: Ty::Unit, span: b.span }))
            }
            ast::StmtKind::Assert { cond, text } => {
                let c = self.condition(cond, "`assert`");
                let text = match text {
                    Some(t) => t.text.clone(),
                    None => self.ctx.quote(cond.span, "the condition is false"),
                };
                Some(Stmt::Assert(c, text))
            }
            ast::StmtKind::For { var, range, body } => {
                Some(self.for_loop(var, range, body, &s.attrs, s.span))
            }
            ast::StmtKind::While { cond, body } => Some(self.while_loop(cond, body, &s.attrs, s.span)),
            ast::StmtKind::Expr(e) => {
                let e = self.expr(e);
                if !matches!(e.ty, Ty::Error) {
                    self.does_nothing(e.span);
                }
                None
            }
        }
    }

    /// An `if` without a value; `dropped` gets what could be its branches' values.
    fn if_stmt(&mut self, i: &'a ast::If, dropped: &mut Vec<Span>) -> Stmt<'a> {
        let mut branches = Vec::new();
        for (cond, block) in &i.branches {
            branches.push((self.condition(cond, "`if`"), self.block(block)));
        }
        let otherwise = i.otherwise.as_ref().map(|b| self.block(b));
        for b in branches.iter().map(|(_, b)| b).chain(&otherwise) {
            dropped.extend(&b.dropped);
        }
        Stmt::Expr(Expr { kind: ExprKind::If { branches, otherwise }, ty: Ty::Unit, span: i.span })
    }

    fn does_nothing(&mut self, span: Span) {
        self.ctx.report(
            Diagnostic::error(Code::NotInLanguage, "an expression is not a statement")
                .label(span, "its value is not used")
                .help("bind it with `let`, assign it to a `var`, or remove it"),
        );
    }

    fn bind(
        &mut self,
        pattern: &'a ast::Pattern,
        ty: Option<&'a ast::Type>,
        source: &'a ast::Expr,
    ) -> Stmt<'a> {
        let value = self.expr(source);
        let place = match ty {
            Some(t) => self.declared(t),
            None => self.bindable(&value),
        };
        let before = self.locals.len();
        let dim = match (&pattern.kind, &place) {
            (ast::PatternKind::Name(_), Ty::Num(_)) => self.constant_dim(source),
            _ => None,
        };
        let pat = self.pattern(pattern, &place, ty.map(|t| t.span));
        if let Pat::Local(id) = pat {
            self.locals[id.0].sized_once = self.sized_once(&value);
        }
        if ty.is_some() {
            // The first variable stands for the declaration.
            if before < self.locals.len() {
                self.flow(&value, &place, Demand::Declared(LocalId(before)));
            } else {
                self.flow(&value, &place, Demand::Constant("the declared type", None));
            }
        }
        if let Some(dim) = dim
            && let Some(n) = place.num()
            && !self.types.class_of(n.class).is_float()
        {
            self.locals[before].dim = Some(dim);
        }
        Stmt::Bind(pat, value)
    }

    /// The dimension expression that the value of a `let` is.
    fn constant_dim(&mut self, e: &'a ast::Expr) -> Option<Dim> {
        let dim = self.read_dim(e).ok()?;
        (self.types.syms.run_time(&dim).is_none() && !dims::is_unknown(&dim)).then_some(dim)
    }

    fn declared(&mut self, t: &'a ast::Type) -> Ty {
        let mut syms = std::mem::take(&mut self.types.syms);
        let find = |name: &str| self.find_dim(name);
        let ty = decl::resolve(self.ctx, t, &mut TypeScope { syms: &mut syms, find: &find });
        self.types.syms = syms;
        match ty {
            Ty::Fn(_) => {
                self.ctx.report(
                    Diagnostic::error(Code::TypeMismatch, "a variable cannot be a function")
                        .label(t.span, "here")
                        .help("functions are named items, or parameters of type `fn(…) -> …`"),
                );
                Ty::Error
            }
            ty => ty,
        }
    }

    /// The type of a variable without a declared type.
    fn bindable(&mut self, value: &Expr<'a>) -> Ty {
        if matches!(value.ty, Ty::Unit) {
            let v = self.operand(value);
            self.not_taken(&v, "=", "values");
            return Ty::Error;
        }
        value.ty.clone()
    }

    fn pattern(&mut self, p: &'a ast::Pattern, ty: &Ty, declared: Option<Span>) -> Pat {
        match (&p.kind, ty) {
            (ast::PatternKind::Name(name), _) => {
                Pat::Local(self.declare(name, ty.clone(), LocalKind::Let, declared))
            }
            (ast::PatternKind::Wild, _) => Pat::Wild(ty.clone()),
            (ast::PatternKind::Tuple(ps), Ty::Tuple(ts)) if ps.len() == ts.len() => {
                Pat::Tuple(ps.iter().zip(ts).map(|(p, t)| self.pattern(p, t, declared)).collect())
            }
            (ast::PatternKind::Tuple(ps), _) => {
                if !matches!(ty, Ty::Error) {
                    let shown = self.types.show(ty);
                    self.ctx.report(
                        Diagnostic::error(Code::TypeMismatch, format!("{} names for {shown}", ps.len()))
                            .label(p.span, "does not match the value")
                            .help(match ty {
                                Ty::Tuple(ts) => format!("the value has {} parts", ts.len()),
                                _ => "the value is not a tuple".into(),
                            }),
                    );
                }
                Pat::Tuple(ps.iter().map(|p| self.pattern(p, &Ty::Error, declared)).collect())
            }
        }
    }

    fn var(&mut self, name: &'a ast::Name, ty: Option<&'a ast::Type>, value: &'a ast::Expr) -> Stmt<'a> {
        let value = self.expr(value);
        let place = match ty {
            Some(t) => self.declared(t),
            None => {
                let ty = self.bindable(&value);
                self.types.slot(&ty)
            }
        };
        let id = self.declare(name, place.clone(), LocalKind::Var, ty.map(|t| t.span));
        self.locals[id.0].sized_once = self.sized_once(&value);
        if ty.is_some() {
            self.flow(&value, &place, Demand::Declared(id));
        }
        Stmt::Bind(Pat::Local(id), value)
    }

    fn assign(
        &mut self,
        target: &'a ast::Place,
        op: AssignOp,
        value: &'a ast::Expr,
        span: Span,
    ) -> Option<Stmt<'a>> {
        let name = &target.name;
        let id = self.assignable(name);
        let combine = match op {
            AssignOp::Set => None,
            AssignOp::Add => Some((Op::Add, "+")),
            AssignOp::Sub => Some((Op::Sub, "-")),
            AssignOp::Mul => Some((Op::Mul, "*")),
            AssignOp::Div => Some((Op::Div, "/")),
        };
        if !target.indices.is_empty() {
            return self.assign_at(id, target, combine, value, span);
        }
        let right = self.expr(value);
        let Some((op, what)) = combine else { return self.store(id?, right) };
        let id = id?;
        let whole = self.locals[id.0].ty.clone();
        // Every entry of an array may be combined with one number.
        let ty = if right.ty.shape().is_empty() { whole.elem().clone() } else { whole.clone() };
        // The result fits the variable exactly if the right side does, and it is the right side that is at fault
        // if not.
        if !self.flow(&right, &ty, Demand::Assigned(id)) {
            return None;
        }
        let left = Expr { kind: ExprKind::Local(id), ty: whole, span: target.span };
        Some(Stmt::Assign(id, self.prim(op, "", what, vec![left, right], span)))
    }

    fn store(&mut self, id: LocalId, value: Expr<'a>) -> Option<Stmt<'a>> {
        let to = self.locals[id.0].ty.clone();
        self.flow(&value, &to, Demand::Assigned(id));
        Some(Stmt::Assign(id, value))
    }

    /// The variable of a name, if it can be assigned.
    fn assignable(&mut self, name: &'a ast::Name) -> Option<LocalId> {
        let text = name.text.as_str();
        if let Some(id) = self.find_local(text) {
            let local = &self.locals[id.0];
            let d = Diagnostic::error(Code::NotAVariable, format!("`{text}` cannot be assigned"));
            let d = match local.kind {
                LocalKind::Var => match self.fence {
                    Some(f) if id.0 < f.inside => d
                        .label(name.span, format!("inside {}", f.what))
                        .also(local.span, "declared outside")
                        .help("use a `for` loop, or a reduction such as `sum(… for i in a..b)`"),
                    _ => return Some(id),
                },
                LocalKind::Dim => d
                    .label(name.span, "assigned here")
                    .also(local.span, "a dimension")
                    .help(format!("copy it to a variable of another name: `var k = {text};`")),
                LocalKind::Index => d
                    .label(name.span, "assigned here")
                    .also(local.span, "a loop variable")
                    .help(format!("copy it to a variable of another name: `var k = {text};`")),
                LocalKind::Let => d.label(name.span, "assigned here").also(local.span, "a `let`").help(
                    format!("declare it with `var {text} = …;`, or shadow it with a new `let {text} = …;`"),
                ),
                LocalKind::Param => d
                    .label(name.span, "assigned here")
                    .also(local.span, "a parameter")
                    .help(format!("copy it to a variable first: `var {text} = {text};`")),
            };
            self.ctx.report(d);
            return None;
        }
        let d = match self.ctx.items.find(text) {
            Some(ItemRef::Const(_)) => {
                Diagnostic::error(Code::NotAVariable, format!("`{text}` cannot be assigned"))
                    .label(name.span, "a constant")
            }
            Some(ItemRef::Fn(_)) => {
                Diagnostic::error(Code::NotAVariable, format!("`{text}` cannot be assigned"))
                    .label(name.span, "a function")
            }
            None => {
                let d = Diagnostic::error(Code::UnknownName, format!("no variable called `{text}`"));
                match nearest(text, self.scope.names()) {
                    Some(near) => d.meant(name.span, near),
                    None => d
                        .label(name.span, "not defined here")
                        .help(format!("declare it: `var {text} = …;` (or `let` if it never changes)")),
                }
            }
        };
        self.ctx.report(d);
        None
    }
}

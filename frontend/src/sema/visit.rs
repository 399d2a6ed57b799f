//! Walks over typed trees.

use super::hir::*;

/// Something met on a walk.
#[derive(Clone, Copy)]
pub enum Node<'e, 'a> {
    /// An expression, before what is in it.
    Expr(&'e Expr<'a>),
    /// A statement, before what is in it.
    Stmt(&'e Stmt<'a>),
}

/// Calls `f` on an expression and everything in it, what partially applied functions are given included.
pub fn expr<'e, 'a>(e: &'e Expr<'a>, f: &mut dyn FnMut(Node<'e, 'a>)) {
    f(Node::Expr(e));
    match &e.kind {
        ExprKind::Error
        | ExprKind::Int(_)
        | ExprKind::Real(_)
        | ExprKind::Imag(_)
        | ExprKind::Bool(_)
        | ExprKind::Named(_)
        | ExprKind::Const(..)
        | ExprKind::Local(_)
        | ExprKind::Size(_) => {}
        ExprKind::Prim { args, .. }
        | ExprKind::Convert(_, args)
        | ExprKind::Tuple(args)
        | ExprKind::Array(args)
        | ExprKind::ArrayFn(_, args) => args.iter().for_each(|a| expr(a, f)),
        ExprKind::BoolOrder { args, .. }
        | ExprKind::Power(args)
        | ExprKind::Lazy { args, .. }
        | ExprKind::MatMul(args) => {
            expr(&args.0, f);
            expr(&args.1, f);
        }
        ExprKind::PowerInt(x, _)
        | ExprKind::ReduceAll(_, x)
        | ExprKind::Adjoint(x)
        | ExprKind::Along(_, x, _) => expr(x, f),
        ExprKind::Call(c) => values(&c.args, f),
        ExprKind::CallLocal(_, _, args) => values(args, f),
        ExprKind::CallFn(of, _, args) => {
            function(of, f);
            values(args, f);
        }
        ExprKind::If { branches, otherwise } => {
            for (c, b) in branches {
                expr(c, f);
                block(b, f);
            }
            otherwise.iter().for_each(|b| block(b, f));
        }
        ExprKind::Block(b) => block(b, f),
        ExprKind::Index(x, at) => {
            expr(x, f);
            positions(at, f);
        }
        ExprKind::Build { gens, body } | ExprKind::Reduce { gens, body, .. } => {
            gens.iter().filter_map(|g| g.range.as_ref()).for_each(|r| range(r, f));
            expr(body, f);
        }
    }
}

/// Calls `f` on everything in a block.
pub fn block<'e, 'a>(b: &'e Block<'a>, f: &mut dyn FnMut(Node<'e, 'a>)) {
    for s in &b.stmts {
        f(Node::Stmt(s));
        match s {
            Stmt::Bind(_, e) | Stmt::Assign(_, e) | Stmt::Expr(e) | Stmt::Assert(e, _) => expr(e, f),
            Stmt::AssignAt(a) => {
                positions(&a.at, f);
                expr(&a.value, f);
            }
            Stmt::For(l) => {
                range(&l.range, f);
                block(&l.body, f);
            }
            Stmt::While(l) => {
                expr(&l.cond, f);
                block(&l.body, f);
            }
        }
    }
    b.value.iter().for_each(|e| expr(e, f));
}

/// Calls `f` on everything in a range.
pub fn range<'e, 'a>(r: &'e Range<'a>, f: &mut dyn FnMut(Node<'e, 'a>)) {
    expr(&r.lo, f);
    expr(&r.hi, f);
    r.step.iter().for_each(|e| expr(e, f));
}

fn values<'e, 'a>(args: &'e [Arg<'a>], f: &mut dyn FnMut(Node<'e, 'a>)) {
    for a in args {
        match a {
            Arg::Value(e) => expr(e, f),
            Arg::Fn(of) => function(of, f),
        }
    }
}

fn function<'e, 'a>(of: &'e FnRef<'a>, f: &mut dyn FnMut(Node<'e, 'a>)) {
    match of {
        FnRef::Error | FnRef::Item(..) | FnRef::Builtin(..) | FnRef::Local(_) => {}
        FnRef::Derived(_, of, _) => function(of, f),
        FnRef::Partial(of, given) => {
            function(of, f);
            for a in given.iter().flatten() {
                match a {
                    Arg::Value(e) => expr(e, f),
                    Arg::Fn(of) => function(of, f),
                }
            }
        }
    }
}

fn positions<'e, 'a>(at: &'e [At<'a>], f: &mut dyn FnMut(Node<'e, 'a>)) {
    for a in at {
        match a {
            At::At(e) => expr(e, f),
            At::Slice { lo, .. } => lo.iter().for_each(|e| expr(e, f)),
        }
    }
}

/// The variables a block assigns that are declared outside of it, in order.
pub fn assigned(b: &Block) -> Vec<LocalId> {
    fn declared(p: &Pat, out: &mut Vec<LocalId>) {
        match p {
            Pat::Local(id) => out.push(*id),
            Pat::Wild(_) => {}
            Pat::Tuple(ps) => ps.iter().for_each(|p| declared(p, out)),
        }
    }
    let (mut assigned, mut own) = (Vec::new(), Vec::new());
    block(b, &mut |n| match n {
        Node::Stmt(Stmt::Assign(id, _)) => assigned.push(*id),
        Node::Stmt(Stmt::AssignAt(a)) => assigned.push(a.var),
        Node::Stmt(Stmt::Bind(p, _)) => declared(p, &mut own),
        Node::Stmt(Stmt::For(_) | Stmt::While(_) | Stmt::Expr(_) | Stmt::Assert(..)) | Node::Expr(_) => {}
    });
    assigned.sort_unstable();
    assigned.dedup();
    own.sort_unstable();
    assigned.retain(|id| own.binary_search(id).is_err());
    assigned
}

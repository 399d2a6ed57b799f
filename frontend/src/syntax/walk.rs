//! Visiting the expressions inside a node.

use super::ast::*;

/// Calls `f` on every expression directly inside `kind`: not on what is inside those, but on all
/// expressions of the statements of a block or `if` in it.
pub fn parts(kind: &ExprKind, f: &mut dyn FnMut(&Expr)) {
    match kind {
        ExprKind::Int(_)
        | ExprKind::Real(_)
        | ExprKind::Imag(_)
        | ExprKind::Bool(_)
        | ExprKind::Name(_)
        | ExprKind::Hole
        | ExprKind::Error => {}
        ExprKind::Unary { operand, .. } => f(operand),
        ExprKind::Binary { lhs, rhs, .. } => {
            f(lhs);
            f(rhs);
        }
        ExprKind::Transpose(e) => f(e),
        ExprKind::Index { base, indices } => {
            f(base);
            indices.iter().for_each(|i| index(i, f));
        }
        ExprKind::WithDims { func: _, dims } => dims.iter().for_each(|d| f(&d.value)),
        ExprKind::Call { callee, dims, args, seeds } => {
            f(callee);
            dims.iter().for_each(|d| f(&d.value));
            args.iter().chain(seeds).for_each(f);
        }
        ExprKind::Along { call, axis } => {
            f(call);
            f(axis);
        }
        ExprKind::Derivative { func, .. } => f(func),
        ExprKind::Reduction { body, generators, .. } | ExprKind::Comprehension { body, generators } => {
            f(body);
            generators.iter().filter_map(|g| g.range.as_ref()).for_each(|r| range(r, f));
        }
        ExprKind::Array(es) | ExprKind::Tuple(es) => es.iter().for_each(f),
        ExprKind::If(i) => branches(i, f),
        ExprKind::Block(b) => block(b, f),
    }
}

/// Calls `f` on every expression directly inside the statements of `b`, nested blocks included, in order.
pub fn block(b: &Block, f: &mut dyn FnMut(&Expr)) {
    for s in &b.stmts {
        match &s.kind {
            StmtKind::Let { pattern: _, ty, value } | StmtKind::Var { name: _, ty, value } => {
                ty.iter().for_each(|t| type_sizes(t, f));
                f(value);
            }
            StmtKind::Assign { target, op: _, value } => {
                target.indices.iter().for_each(|i| index(i, f));
                f(value);
            }
            StmtKind::For { var: _, range: r, body } => {
                range(r, f);
                block(body, f);
            }
            StmtKind::While { cond, body } => {
                f(cond);
                block(body, f);
            }
            StmtKind::If(i) => branches(i, f),
            StmtKind::Assert { cond, text: _ } => f(cond),
            StmtKind::Block(b) => block(b, f),
            StmtKind::Expr(e) => f(e),
        }
    }
    b.value.iter().for_each(|e| f(e));
}

/// Calls `f` on every size in `t`.
pub fn type_sizes(t: &Type, f: &mut dyn FnMut(&Expr)) {
    match &t.kind {
        TypeKind::Scalar(_) | TypeKind::Error => {}
        TypeKind::Array { elem: _, dims } => dims.iter().for_each(f),
        TypeKind::Tuple(ts) => ts.iter().for_each(|t| type_sizes(t, f)),
        TypeKind::Fn { params, result } => {
            params.iter().for_each(|t| type_sizes(t, f));
            type_sizes(result, f);
        }
    }
}

fn branches(i: &If, f: &mut dyn FnMut(&Expr)) {
    for (c, b) in &i.branches {
        f(c);
        block(b, f);
    }
    i.otherwise.iter().for_each(|b| block(b, f));
}

fn index(i: &Index, f: &mut dyn FnMut(&Expr)) {
    match i {
        Index::At(e) => f(e),
        Index::Slice { lo, hi, span: _ } => lo.iter().chain(hi).for_each(f),
    }
}

fn range(r: &Range, f: &mut dyn FnMut(&Expr)) {
    f(&r.lo);
    f(&r.hi);
    r.step.iter().for_each(f);
}

/// Calls `f` on every statement of `b` and of the blocks in it.
pub fn statements<'a>(b: &'a Block, f: &mut dyn FnMut(&'a Stmt)) {
    fn in_expr<'a>(e: &'a Expr, f: &mut dyn FnMut(&'a Stmt)) {
        match &e.kind {
            ExprKind::If(i) => in_if(i, f),
            ExprKind::Block(b) => statements(b, f),
            _ => {}
        }
    }
    fn in_if<'a>(i: &'a If, f: &mut dyn FnMut(&'a Stmt)) {
        i.branches.iter().map(|(_, b)| b).chain(&i.otherwise).for_each(|b| statements(b, f));
    }
    for s in &b.stmts {
        f(s);
        match &s.kind {
            StmtKind::For { body, .. } | StmtKind::While { body, .. } | StmtKind::Block(body) => {
                statements(body, f);
            }
            StmtKind::If(i) => in_if(i, f),
            StmtKind::Let { value, .. } | StmtKind::Var { value, .. } | StmtKind::Assign { value, .. } => {
                in_expr(value, f);
            }
            StmtKind::Assert { .. } => {}
            StmtKind::Expr(e) => in_expr(e, f),
        }
    }
    b.value.iter().for_each(|e| in_expr(e, f));
}

//! What the grammar has and this version does not compile: one error for each construct.

use crate::syntax::ast;
use adc_ir::{Code, Diagnostic, Span};

/// "`what` not compiled yet", `what` ending in its verb.
pub fn not_yet(what: &str, span: Span) -> Diagnostic {
    Diagnostic::error(Code::ArraysLater, format!("{what} not compiled yet"))
        .label(span, "reads well, but has no meaning in this version")
        .help("this version compiles scalar programs; arrays, loops and derivatives inside models come next")
}

/// The first part of a signature that needs arrays or dimensions.
pub fn in_signature(sig: &ast::Signature) -> Option<Diagnostic> {
    if let (Some(first), Some(last)) = (sig.dims.first(), sig.dims.last()) {
        return Some(not_yet("dimensions are", first.span.to(last.span)));
    }
    let types = sig.params.iter().map(|p| &p.ty).chain(sig.results.items.iter().map(|r| &r.ty));
    types.filter_map(array_in).next().map(|t| not_yet("array types are", t.span))
}

/// An array type inside `t`.
fn array_in(t: &ast::Type) -> Option<&ast::Type> {
    match &t.kind {
        ast::TypeKind::Scalar(_) | ast::TypeKind::Error => None,
        ast::TypeKind::Array { .. } => Some(t),
        ast::TypeKind::Tuple(ts) => ts.iter().find_map(array_in),
        ast::TypeKind::Fn { params, result } => params.iter().find_map(array_in).or_else(|| array_in(result)),
    }
}

/// The variables a skipped block assigns, wherever they are declared: nothing is known of them after it.
pub fn assigned<'a>(b: &'a ast::Block, out: &mut Vec<&'a str>) {
    for s in &b.stmts {
        match &s.kind {
            ast::StmtKind::Assign { target, .. } => out.push(&target.name.text),
            ast::StmtKind::For { body, .. } | ast::StmtKind::While { body, .. } => assigned(body, out),
            ast::StmtKind::Block(body) => assigned(body, out),
            ast::StmtKind::If(i) => {
                i.branches.iter().for_each(|(_, b)| assigned(b, out));
                i.otherwise.iter().for_each(|b| assigned(b, out));
            }
            ast::StmtKind::Let { .. }
            | ast::StmtKind::Var { .. }
            | ast::StmtKind::Assert { .. }
            | ast::StmtKind::Expr(_) => {}
        }
    }
}

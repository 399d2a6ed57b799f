//! The syntax tree as text: one line per node, indented, each with its span as `line:column-line:column`
//! (columns count characters, the end is exclusive). For `adc emit --emit=ast` and tests.

use super::ast::*;
use super::position::Positions;
use adc_ir::{RuleKind, Span};
use std::fmt::Write;

/// The tree of `file`, whose source is `text`.
pub fn dump(file: &File, text: &str) -> String {
    let mut d = Dump { out: String::new(), positions: Positions::new(text), depth: 0 };
    file.language.iter().for_each(|span| d.line("language", *span));
    file.items.iter().for_each(|i| d.item(i));
    d.out
}

struct Dump<'a> {
    out: String,
    positions: Positions<'a>,
    depth: usize,
}

impl Dump<'_> {
    fn line(&mut self, what: &str, span: Span) {
        let range = self.positions.range(span);
        let _ = writeln!(self.out, "{:indent$}{what}  {range}", "", indent = 2 * self.depth);
    }

    /// A node with what is inside it.
    fn node(&mut self, what: &str, span: Span, inside: impl FnOnce(&mut Self)) {
        self.line(what, span);
        self.depth += 1;
        inside(self);
        self.depth -= 1;
    }

    fn item(&mut self, item: &Item) {
        if !item.doc.is_empty() {
            for line in item.doc.lines() {
                let _ = writeln!(self.out, "/// {line}");
            }
        }
        item.attrs.iter().for_each(|a| self.attr(a));
        match &item.kind {
            ItemKind::Fn(sig, body) => self.node(&format!("fn {}", sig.name.text), item.span, |d| {
                d.signature(sig);
                d.block("body", body);
            }),
            ItemKind::ExternFn(sig) => {
                self.node(&format!("extern fn {}", sig.name.text), item.span, |d| d.signature(sig));
            }
            ItemKind::Const(c) => self.node(&format!("const {}", c.name.text), item.span, |d| {
                d.ty(&c.ty);
                d.expr(&c.value);
            }),
            ItemKind::Rule(r) => {
                let kind = match r.kind {
                    RuleKind::Jvp => "jvp",
                    RuleKind::Vjp => "vjp",
                    RuleKind::Partial => "partial",
                };
                self.node(&format!("rule {kind} {}", r.target.text), item.span, |d| d.rule(r));
            }
            ItemKind::Check(c) => self.check("check", c, item.span),
            ItemKind::Bench(c) => self.check("bench", c, item.span),
            ItemKind::Use(path) => self.line(&format!("use {:?}", path.text), item.span),
        }
    }

    fn attr(&mut self, attr: &Attr) {
        let text = match &attr.kind {
            AttrKind::Allow(lints) => {
                let names: Vec<&str> = lints.iter().map(|l| l.text()).collect();
                return self.line(&format!("#[allow({})]", names.join(", ")), attr.span);
            }
            AttrKind::Inline => "inline",
            AttrKind::Nodiff => "nodiff",
            AttrKind::Linear => "linear",
            AttrKind::Nonlinear => "nonlinear",
            AttrKind::Check(check) => {
                return self.line(&format!("#[check({})]", check.word().unwrap_or_default()), attr.span);
            }
            AttrKind::Fp(FpMode::Strict) => "fp(strict)",
            AttrKind::Fp(FpMode::Default) => "fp(default)",
            AttrKind::Fp(FpMode::Fast) => "fp(fast)",
            AttrKind::Checkpoint(Checkpoint::Sqrt) => "checkpoint(sqrt)",
            AttrKind::Checkpoint(Checkpoint::All) => "checkpoint(all)",
            AttrKind::Checkpoint(Checkpoint::None) => "checkpoint(none)",
            AttrKind::Checkpoint(Checkpoint::Revolve(k)) => {
                return self.node("#[checkpoint(revolve)]", attr.span, |d| d.expr(k));
            }
        };
        self.line(&format!("#[{text}]"), attr.span);
    }

    fn signature(&mut self, sig: &Signature) {
        for n in &sig.dims {
            self.line(&format!("dim {}", n.text), n.span);
        }
        for p in &sig.params {
            self.node(&format!("param {}", p.name.text), p.span, |d| {
                p.attrs.iter().for_each(|a| d.attr(a));
                d.ty(&p.ty);
                p.domain.iter().for_each(|x| d.domain(x));
            });
        }
        for r in &sig.results.items {
            let name = r.name.as_ref().map_or(String::new(), |n| format!(" {}", n.text));
            self.node(&format!("result{name}"), r.span, |d| d.ty(&r.ty));
        }
    }

    fn domain(&mut self, domain: &Domain) {
        match &domain.kind {
            DomainKind::Interval { lo, hi, lo_closed, hi_closed } => {
                let what = match (lo_closed, hi_closed) {
                    (true, true) => "in [lo, hi]",
                    (true, false) => "in [lo, hi)",
                    (false, true) => "in (lo, hi]",
                    (false, false) => "in (lo, hi)",
                };
                self.node(what, domain.span, |d| {
                    d.expr(lo);
                    d.expr(hi);
                });
            }
            DomainKind::Call { name, args } => {
                self.node(&format!("in {}", name.text), domain.span, |d| d.exprs(args));
            }
        }
    }

    fn rule(&mut self, r: &Rule) {
        for n in &r.params {
            self.line(&format!("param {}", n.text), n.span);
        }
        for n in &r.linear {
            self.line(&format!("linear {}", n.text), n.span);
        }
        match &r.body {
            RuleBody::Block(b) => self.block("body", b),
            RuleBody::Partials(ps) => {
                for p in ps {
                    let word = if p.conj { "dconj" } else { "d" };
                    self.node(&format!("{word} {}", p.param.text), p.span, |d| d.expr(&p.value));
                }
            }
        }
    }

    fn ty(&mut self, ty: &Type) {
        match &ty.kind {
            TypeKind::Scalar(n) => self.line(&format!("type {}", n.text), ty.span),
            TypeKind::Array { elem, dims } => {
                self.node(&format!("type {}[]", elem.text), ty.span, |d| d.exprs(dims));
            }
            TypeKind::Tuple(ts) => self.node("type tuple", ty.span, |d| ts.iter().for_each(|t| d.ty(t))),
            TypeKind::Fn { params, result } => self.node("type fn", ty.span, |d| {
                params.iter().for_each(|t| d.ty(t));
                d.node("->", result.span, |d| d.ty(result));
            }),
            TypeKind::Error => self.line("type error", ty.span),
        }
    }

    fn block(&mut self, what: &str, b: &Block) {
        self.node(what, b.span, |d| {
            b.stmts.iter().for_each(|s| d.stmt(s));
            b.value.iter().for_each(|v| d.node("value", v.span, |d| d.expr(v)));
        });
    }

    fn stmt(&mut self, s: &Stmt) {
        s.attrs.iter().for_each(|a| self.attr(a));
        match &s.kind {
            StmtKind::Let { pattern, ty, value } => self.node("let", s.span, |d| {
                d.pattern(pattern);
                ty.iter().for_each(|t| d.ty(t));
                d.expr(value);
            }),
            StmtKind::Var { name, ty, value } => self.node(&format!("var {}", name.text), s.span, |d| {
                ty.iter().for_each(|t| d.ty(t));
                d.expr(value);
            }),
            StmtKind::Assign { target, op, value } => self.node(op.text(), s.span, |d| {
                d.node(&format!("place {}", target.name.text), target.span, |d| d.indices(&target.indices));
                d.expr(value);
            }),
            StmtKind::For { var, range, body } => self.node(&format!("for {}", var.text), s.span, |d| {
                d.range(range);
                d.block("body", body);
            }),
            StmtKind::While { cond, body } => self.node("while", s.span, |d| {
                d.expr(cond);
                d.block("body", body);
            }),
            StmtKind::If(i) => self.node("if statement", s.span, |d| d.branches(i)),
            StmtKind::Assert { cond, text } => {
                let text = text.as_ref().map_or(String::new(), |t| format!(" {:?}", t.text));
                self.node(&format!("assert{text}"), s.span, |d| d.expr(cond));
            }
            StmtKind::Block(b) => self.block("block statement", b),
            StmtKind::Expr(e) => self.node("expression statement", s.span, |d| d.expr(e)),
        }
    }

    fn pattern(&mut self, p: &Pattern) {
        match &p.kind {
            PatternKind::Name(n) => self.line(&format!("name {}", n.text), p.span),
            PatternKind::Wild => self.line("_", p.span),
            PatternKind::Tuple(ps) => self.node("tuple", p.span, |d| ps.iter().for_each(|p| d.pattern(p))),
        }
    }

    fn range(&mut self, r: &Range) {
        self.node("..", r.span, |d| {
            d.expr(&r.lo);
            d.expr(&r.hi);
            r.step.iter().for_each(|s| d.node("step", s.span, |d| d.expr(s)));
        });
    }

    fn branches(&mut self, i: &If) {
        for (cond, block) in &i.branches {
            self.expr(cond);
            self.block("then", block);
        }
        i.otherwise.iter().for_each(|b| self.block("else", b));
    }

    fn indices(&mut self, indices: &[Index]) {
        for i in indices {
            match i {
                Index::At(e) => self.expr(e),
                Index::Slice { lo, hi, span } => self.node("slice", *span, |d| {
                    lo.iter().for_each(|e| d.node("from", e.span, |d| d.expr(e)));
                    hi.iter().for_each(|e| d.node("to", e.span, |d| d.expr(e)));
                }),
            }
        }
    }

    fn dims(&mut self, dims: &[DimArg]) {
        for a in dims {
            let name = a.name.as_ref().map_or(String::new(), |n| format!(" {} =", n.text));
            let span = a.name.as_ref().map_or(a.value.span, |n| n.span.to(a.value.span));
            self.node(&format!("dim{name}"), span, |d| d.expr(&a.value));
        }
    }

    fn generators(&mut self, generators: &[Generator]) {
        for g in generators {
            self.node(&format!("for {}", g.var.text), g.span, |d| g.range.iter().for_each(|r| d.range(r)));
        }
    }

    fn exprs(&mut self, es: &[Expr]) {
        es.iter().for_each(|e| self.expr(e));
    }

    fn expr(&mut self, e: &Expr) {
        let span = e.span;
        match &e.kind {
            ExprKind::Int(n) => self.line(&format!("int {n}"), span),
            ExprKind::Real(x) => self.line(&format!("real {x:?}"), span),
            ExprKind::Imag(x) => self.line(&format!("imaginary {x:?}"), span),
            ExprKind::Bool(b) => self.line(&format!("{b}"), span),
            ExprKind::Name(n) => self.line(&format!("name {}", n.text), span),
            ExprKind::Unary { op, operand, .. } => {
                self.node(&format!("prefix {}", op.text()), span, |d| d.expr(operand));
            }
            ExprKind::Binary { op, lhs, rhs, .. } => self.node(op.text(), span, |d| {
                d.expr(lhs);
                d.expr(rhs);
            }),
            ExprKind::Transpose(e) => self.node("'", span, |d| d.expr(e)),
            ExprKind::Index { base, indices } => self.node("index", span, |d| {
                d.expr(base);
                d.indices(indices);
            }),
            ExprKind::WithDims { func, dims } => {
                self.node(&format!("function {}", func.text), span, |d| d.dims(dims));
            }
            ExprKind::Call { callee, dims, args, seeds } => self.node("call", span, |d| {
                d.expr(callee);
                d.dims(dims);
                d.exprs(args);
                seeds.iter().for_each(|s| d.node("seed", s.span, |d| d.expr(s)));
            }),
            ExprKind::Along { call, axis } => self.node("along", span, |d| {
                d.expr(call);
                d.expr(axis);
            }),
            ExprKind::Derivative { op, func, wrt, .. } => self.node(op.text(), span, |d| {
                d.expr(func);
                for w in wrt {
                    match w {
                        Wrt::Name(n) => d.line(&format!("wrt {}", n.text), n.span),
                        Wrt::Position(i, span) => d.line(&format!("wrt {i}"), *span),
                    }
                }
            }),
            ExprKind::Reduction { op, body, generators, .. } => {
                self.node(&format!("reduction {}", op.text()), span, |d| {
                    d.expr(body);
                    d.generators(generators);
                });
            }
            ExprKind::Comprehension { body, generators } => self.node("comprehension", span, |d| {
                d.expr(body);
                d.generators(generators);
            }),
            ExprKind::Array(es) => self.node("array", span, |d| d.exprs(es)),
            ExprKind::Tuple(es) => self.node("tuple", span, |d| d.exprs(es)),
            ExprKind::If(i) => self.node("if", span, |d| d.branches(i)),
            ExprKind::Block(b) => self.block("block", b),
            ExprKind::Hole => self.line("_", span),
            ExprKind::Error => self.line("error", span),
        }
    }

    fn check(&mut self, word: &str, c: &Check, span: Span) {
        self.node(&format!("{word} {}", c.target.text), span, |d| {
            d.dims(&c.dims);
            c.lines.iter().for_each(|l| d.check_line(l));
        });
    }

    fn check_line(&mut self, line: &CheckLine) {
        let names = |ns: &[Name]| ns.iter().map(|n| n.text.as_str()).collect::<Vec<_>>().join(", ");
        let span = line.span;
        match &line.kind {
            CheckLineKind::Sample { param, dist, args } => {
                self.node(&format!("{} ~ {}", param.text, dist.text), span, |d| d.exprs(args));
            }
            CheckLineKind::In { param, domain } => self.node(&param.text, span, |d| d.domain(domain)),
            CheckLineKind::Fixed { param, value } => {
                self.node(&format!("{} =", param.text), span, |d| d.expr(value));
            }
            CheckLineKind::Load { param, path } => {
                self.line(&format!("{} = load {:?}", param.text, path.text), span);
            }
            CheckLineKind::Wrt(ns) => self.line(&format!("wrt {}", names(ns)), span),
            CheckLineKind::Nodiff(ns) => self.line(&format!("nodiff {}", names(ns)), span),
            CheckLineKind::Outputs(ns) => self.line(&format!("outputs {}", names(ns)), span),
            CheckLineKind::Modes(ns) => self.line(&format!("modes {}", names(ns)), span),
            CheckLineKind::Setting { setting, value, .. } => {
                self.node(setting.text(), span, |d| d.expr(value));
            }
            CheckLineKind::Edge => self.line("edge", span),
            CheckLineKind::Expect(n) => self.line(&format!("expect {}", n.text), span),
        }
    }
}

//! Variables and parameters that nothing reads, and variables that hide others: names as the scopes of the source tree have
//! them, since dimensions and sizes read a variable, too.

use super::functions::whole_lines;
use crate::sema::ctx::Ctx;
use crate::sema::items::ItemRef;
use crate::syntax::ast::*;
use crate::syntax::walk;
use adc_ir::{Certainty, Code, Diagnostic, Edit, Span};
use rustc_hash::FxHashSet;

/// Warnings about the functions and rules of the main file.
pub fn lints(ctx: &Ctx, main: &File) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let mut values = FxHashSet::default();
    let mut unread: Vec<(&Signature, Vec<&Param>)> = Vec::new();
    for item in &main.items {
        let mut names = Names { bound: Vec::new(), scope: Vec::new(), values: &mut values };
        match &item.kind {
            ItemKind::Fn(sig, body) if !sig.name.text.contains('.') => {
                sig.dims.iter().for_each(|n| names.bind(n, Kind::Param, None));
                sig.params.iter().for_each(|p| names.bind(&p.name, Kind::Param, None));
                names.block(body);
                let is_read =
                    |name: &Name| names.bound.iter().any(|b| b.name.span == name.span && b.is_read());
                let idle: Vec<&Param> =
                    sig.params.iter().filter(|p| !is_read(&p.name) && !sets_a_dimension(sig, p)).collect();
                unread.push((sig, idle));
            }
            ItemKind::Rule(rule) => {
                rule.params.iter().chain(&rule.linear).for_each(|n| names.bind(n, Kind::Param, None));
                match &rule.body {
                    RuleBody::Block(body) => names.block(body),
                    RuleBody::Partials(partials) => partials.iter().for_each(|p| names.expr(&p.value)),
                }
            }
            ItemKind::Check(block) | ItemKind::Bench(block) => {
                for line in &block.lines {
                    if let CheckLineKind::Fixed { value, .. } = &line.kind {
                        names.expr(value);
                    }
                }
            }
            ItemKind::Fn(..) | ItemKind::ExternFn(_) | ItemKind::Const(_) | ItemKind::Use(_) => {}
        }
        let bound = names.bound;
        for b in &bound {
            found.extend(b.unused(ctx));
            found.extend(b.shadowing(ctx, &bound));
        }
    }
    for (sig, params) in unread {
        // A function that is passed as an argument has the type that is asked for.
        if !values.contains(&sig.name.text) {
            found
                .extend(params.into_iter().filter(|p| is_reported(&p.name)).map(|p| parameter(main, sig, p)));
        }
    }
    found
}

/// Whether a name asks to be used.
fn is_reported(name: &Name) -> bool {
    !name.text.starts_with('_')
}

/// Whether a call takes a dimension from this parameter that no other one gives.
fn sets_a_dimension(sig: &Signature, p: &Param) -> bool {
    fn bare(t: &Type) -> Vec<&str> {
        match &t.kind {
            TypeKind::Array { dims, .. } => {
                let names = dims.iter().filter_map(|d| match &d.kind {
                    ExprKind::Name(n) => Some(n.text.as_str()),
                    _ => None,
                });
                names.collect()
            }
            TypeKind::Scalar(_) | TypeKind::Tuple(_) | TypeKind::Fn { .. } | TypeKind::Error => Vec::new(),
        }
    }
    let others = || sig.params.iter().filter(|o| o.name.span != p.name.span);
    bare(&p.ty)
        .iter()
        .any(|dim| sig.dims.iter().any(|d| d.text == *dim) && !others().any(|o| bare(&o.ty).contains(dim)))
}

fn parameter(main: &File, sig: &Signature, p: &Param) -> Diagnostic {
    let name = &p.name.text;
    let mut edits = vec![p.name.span];
    // Blocks name it, too.
    for item in &main.items {
        if let ItemKind::Check(block) | ItemKind::Bench(block) = &item.kind
            && block.target.text == sig.name.text
        {
            for line in &block.lines {
                let names: Vec<&Name> = match &line.kind {
                    CheckLineKind::Sample { param, .. }
                    | CheckLineKind::In { param, .. }
                    | CheckLineKind::Fixed { param, .. }
                    | CheckLineKind::Load { param, .. } => vec![param],
                    CheckLineKind::Wrt(names) | CheckLineKind::Nodiff(names) => names.iter().collect(),
                    CheckLineKind::Outputs(_)
                    | CheckLineKind::Modes(_)
                    | CheckLineKind::Setting { .. }
                    | CheckLineKind::Edge
                    | CheckLineKind::Expect(_) => Vec::new(),
                };
                edits.extend(names.into_iter().filter(|n| n.text == *name).map(|n| n.span));
            }
        }
    }
    let edits = edits.into_iter().map(|span| Edit { span, text: format!("_{name}") }).collect();
    Diagnostic::warning(Code::UnusedParameter, format!("nothing reads the parameter `{name}`"))
        .label(p.name.span, format!("`{}` does not depend on it", sig.name.text))
        .help(format!("remove it, or call it `_{name}`"))
        .suggest(format!("call it `_{name}`"), edits, Certainty::Likely)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Param,
    Let,
    Var,
    Index,
}

/// A variable of a body.
struct Bound<'a> {
    name: &'a Name,
    kind: Kind,
    /// Its statement and value, if it is declared by one and is all of its pattern.
    from: Option<(Span, &'a Expr)>,
    /// Whether it is a part of a tuple.
    part: bool,
    reads: Vec<Span>,
    writes: Vec<Span>,
    /// The variable that it hides.
    hides: Option<Span>,
}

impl Bound<'_> {
    fn is_read(&self) -> bool {
        !self.reads.is_empty()
    }

    fn unused(&self, ctx: &Ctx) -> Option<Diagnostic> {
        let declared = matches!(self.kind, Kind::Let | Kind::Var);
        if !declared || self.is_read() || !is_reported(self.name) {
            return None;
        }
        let (name, span) = (&self.name.text, self.name.span);
        let d = Diagnostic::warning(Code::UnusedVariable, format!("nothing reads `{name}`"));
        if !self.writes.is_empty() {
            let d = d.label(span, "only assigned").help("remove it with its assignments");
            return Some(self.writes.iter().fold(d, |d, w| d.also(*w, "assigned here")));
        }
        let d = d.label(span, "never used");
        Some(match self.from {
            // What a called function asserts is still checked.
            Some((stmt, value)) if !calls(ctx, value) => {
                d.help(format!("remove it, or call it `_{name}`")).suggest(
                    format!("remove `{name}`"),
                    vec![Edit { span: whole_lines(ctx, with_semicolon(ctx, stmt)), text: String::new() }],
                    Certainty::Certain,
                )
            }
            Some(_) | None if self.kind == Kind::Var => d.help("remove it"),
            Some(_) | None => {
                let help =
                    if self.part { "write `_` for a part that is not used" } else { "write `let _ = …;`" };
                d.help(help).replace(span, "_", Certainty::Certain)
            }
        })
    }

    fn shadowing(&self, ctx: &Ctx, all: &[Bound]) -> Option<Diagnostic> {
        let name = &self.name.text;
        let hidden = match (self.hides, ctx.items.find(name), self.kind) {
            (Some(span), _, _) => span,
            (None, Some(ItemRef::Const(c)), Kind::Let | Kind::Var | Kind::Index) => {
                ctx.items.consts[c.0].decl.name.span
            }
            _ => return None,
        };
        let taken = |n: &str| all.iter().any(|b| b.name.text == n) || ctx.items.find(n).is_some();
        let fresh = (2..).map(|k| format!("{name}{k}")).find(|n| !taken(n) && !is_word(n))?;
        let places = [&[self.name.span], &self.reads[..], &self.writes[..]].concat();
        let edits = places.into_iter().map(|span| Edit { span, text: fresh.clone() }).collect();
        Some(
            Diagnostic::warning(Code::Shadowing, format!("`{name}` hides another `{name}`"))
                .label(self.name.span, "from here on the name means this")
                .also(hidden, "hidden")
                .help("give one of them another name")
                .suggest(format!("rename it to `{fresh}`"), edits, Certainty::Likely),
        )
    }
}

/// Whether a name is one of the language's.
fn is_word(name: &str) -> bool {
    crate::sema::builtins::Builtin::find(name).is_some() || adc_ir::Scalar::from_name(name).is_some()
}

/// Whether an expression calls anything but built-ins, or asserts something: to remove it might hide a failure.
fn calls(ctx: &Ctx, e: &Expr) -> bool {
    let own = match &e.kind {
        ExprKind::Call { callee, .. } => match &callee.kind {
            ExprKind::Name(n) => ctx.items.find(&n.text).is_some() || !is_word(&n.text),
            _ => true,
        },
        ExprKind::Block(_) | ExprKind::If(_) => true,
        _ => false,
    };
    let mut any = own;
    walk::parts(&e.kind, &mut |e| any |= calls(ctx, e));
    any
}

/// A statement with its `;`.
fn with_semicolon(ctx: &Ctx, stmt: Span) -> Span {
    let rest = ctx.sources.get(stmt.file.0 as usize).map_or("", |f| &f.text[stmt.end as usize..]);
    let blank = rest.len() - rest.trim_start().len();
    let end = if rest[blank..].starts_with(';') { stmt.end + blank as u32 + 1 } else { stmt.end };
    Span { end, ..stmt }
}

/// The scopes of one body.
struct Names<'c, 'a> {
    /// Every variable so far.
    bound: Vec<Bound<'a>>,
    /// The visible ones.
    scope: Vec<usize>,
    /// Functions that are values somewhere: their types are not their own choice.
    values: &'c mut FxHashSet<String>,
}

impl<'a> Names<'_, 'a> {
    fn find(&self, name: &str) -> Option<usize> {
        self.scope.iter().rev().copied().find(|i| self.bound[*i].name.text == name)
    }

    fn bind(&mut self, name: &'a Name, kind: Kind, from: Option<(Span, &'a Expr)>) {
        if name.text == "_" {
            return;
        }
        // `let x = x/2;` goes on with the same thing.
        let goes_on = from.is_some_and(|(_, value)| mentions(value, &name.text));
        let hides = self.find(&name.text).filter(|_| !goes_on).map(|i| self.bound[i].name.span);
        let (reads, writes) = (Vec::new(), Vec::new());
        self.scope.push(self.bound.len());
        self.bound.push(Bound { name, kind, from, part: false, reads, writes, hides });
    }

    fn read(&mut self, name: &Name) -> bool {
        let found = self.find(&name.text);
        if let Some(i) = found {
            self.bound[i].reads.push(name.span);
        }
        found.is_some()
    }

    fn block(&mut self, b: &'a Block) {
        let outer = self.scope.len();
        b.stmts.iter().for_each(|s| self.stmt(s));
        b.value.iter().for_each(|e| self.expr(e));
        self.scope.truncate(outer);
    }

    fn stmt(&mut self, s: &'a Stmt) {
        match &s.kind {
            StmtKind::Let { pattern, ty, value } => {
                ty.iter().for_each(|t| self.sizes(t));
                self.expr(value);
                self.pattern(pattern, s.span, value, false);
            }
            StmtKind::Var { name, ty, value } => {
                ty.iter().for_each(|t| self.sizes(t));
                self.expr(value);
                self.bind(name, Kind::Var, Some((s.span, value)));
            }
            StmtKind::Assign { target, op: _, value } => {
                target.indices.iter().for_each(|i| self.index(i));
                self.expr(value);
                if let Some(i) = self.find(&target.name.text) {
                    self.bound[i].writes.push(target.name.span);
                }
            }
            StmtKind::For { var, range, body } => {
                self.range(range);
                let outer = self.scope.len();
                self.bind(var, Kind::Index, None);
                self.block(body);
                self.scope.truncate(outer);
            }
            StmtKind::While { cond, body } => {
                self.expr(cond);
                self.block(body);
            }
            StmtKind::If(i) => self.branches(i),
            StmtKind::Assert { cond, text: _ } => self.expr(cond),
            StmtKind::Block(b) => self.block(b),
            StmtKind::Expr(e) => self.expr(e),
        }
    }

    fn pattern(&mut self, p: &'a Pattern, stmt: Span, value: &'a Expr, part: bool) {
        match &p.kind {
            PatternKind::Name(n) => {
                self.bind(n, Kind::Let, Some((stmt, value)));
                if part && let Some(b) = self.bound.last_mut().filter(|b| b.name.span == n.span) {
                    (b.part, b.from) = (true, None);
                }
            }
            PatternKind::Wild => {}
            PatternKind::Tuple(ps) => ps.iter().for_each(|p| self.pattern(p, stmt, value, true)),
        }
    }

    fn branches(&mut self, i: &'a If) {
        for (c, b) in &i.branches {
            self.expr(c);
            self.block(b);
        }
        i.otherwise.iter().for_each(|b| self.block(b));
    }

    fn range(&mut self, r: &'a Range) {
        self.expr(&r.lo);
        self.expr(&r.hi);
        r.step.iter().for_each(|e| self.expr(e));
    }

    fn index(&mut self, i: &'a Index) {
        match i {
            Index::At(e) => self.expr(e),
            Index::Slice { lo, hi, span: _ } => lo.iter().chain(hi).for_each(|e| self.expr(e)),
        }
    }

    fn sizes(&mut self, t: &'a Type) {
        match &t.kind {
            TypeKind::Scalar(_) | TypeKind::Error => {}
            TypeKind::Array { elem: _, dims } => dims.iter().for_each(|e| self.expr(e)),
            TypeKind::Tuple(ts) => ts.iter().for_each(|t| self.sizes(t)),
            TypeKind::Fn { params, result } => {
                params.iter().for_each(|t| self.sizes(t));
                self.sizes(result);
            }
        }
    }

    fn generators(&mut self, gens: &'a [Generator], body: &'a Expr) {
        let outer = self.scope.len();
        for g in gens {
            g.range.iter().for_each(|r| self.range(r));
            self.bind(&g.var, Kind::Index, None);
        }
        self.expr(body);
        self.scope.truncate(outer);
    }

    fn expr(&mut self, e: &'a Expr) {
        match &e.kind {
            ExprKind::Int(_)
            | ExprKind::Real(_)
            | ExprKind::Imag(_)
            | ExprKind::Bool(_)
            | ExprKind::Hole
            | ExprKind::Error => {}
            ExprKind::Name(n) => {
                if !self.read(n) {
                    self.values.insert(n.text.clone());
                }
            }
            ExprKind::Unary { operand, .. } => self.expr(operand),
            ExprKind::Binary { lhs, rhs, .. } => {
                self.expr(lhs);
                self.expr(rhs);
            }
            ExprKind::Transpose(x) => self.expr(x),
            ExprKind::Index { base, indices } => {
                self.expr(base);
                indices.iter().for_each(|i| self.index(i));
            }
            ExprKind::WithDims { func, dims } => {
                if !self.read(func) {
                    self.values.insert(func.text.clone());
                }
                dims.iter().for_each(|d| self.expr(&d.value));
            }
            ExprKind::Call { callee, dims, args, seeds } => {
                match &callee.kind {
                    // With open arguments it is a value.
                    ExprKind::Name(n) if !args.iter().any(|a| matches!(a.kind, ExprKind::Hole)) => {
                        self.read(n);
                    }
                    _ => self.expr(callee),
                }
                dims.iter().for_each(|d| self.expr(&d.value));
                args.iter().chain(seeds).for_each(|a| self.expr(a));
            }
            ExprKind::Along { call, axis } => {
                self.expr(call);
                self.expr(axis);
            }
            ExprKind::Derivative { func, .. } => match &func.kind {
                ExprKind::Name(n) => {
                    self.read(n);
                }
                _ => self.expr(func),
            },
            ExprKind::Reduction { body, generators, .. } | ExprKind::Comprehension { body, generators } => {
                self.generators(generators, body);
            }
            ExprKind::Array(es) | ExprKind::Tuple(es) => es.iter().for_each(|e| self.expr(e)),
            ExprKind::If(i) => self.branches(i),
            ExprKind::Block(b) => self.block(b),
        }
    }
}

/// Whether an expression names this variable.
fn mentions(e: &Expr, name: &str) -> bool {
    let mut any = matches!(&e.kind, ExprKind::Name(n) if n.text == name);
    walk::parts(&e.kind, &mut |e| any = any || mentions(e, name));
    any
}

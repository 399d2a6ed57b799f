//! What the names of a program stand for, from its trees alone: definitions, uses, and where each name can be seen. For
//! editors, so it works on what could be read of a file with errors. Types are not known here.

use crate::sema::builtins::{Builtin, named};
use crate::syntax::ast::*;
use adc_ir::{FileId, Scalar, Span};
use rustc_hash::FxHashMap;

/// A definition, an index into [`Symbols::defs`].
pub type DefId = usize;

/// What was defined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DefKind {
    /// A function.
    Fn,
    /// An extern function.
    ExternFn,
    /// A constant.
    Const,
    /// A dimension of a function.
    Dim,
    /// A parameter of a function.
    Param,
    /// A parameter of a rule, a tangent or a cotangent.
    RuleParam,
    /// A named result of a function.
    Result,
    /// `let`
    Let,
    /// `var`
    Var,
    /// The variable of a loop or a generator.
    Index,
}

impl DefKind {
    /// Whether every file of the program sees it.
    pub fn is_item(self) -> bool {
        matches!(self, DefKind::Fn | DefKind::ExternFn | DefKind::Const)
    }
}

/// A definition.
#[derive(Clone, Debug)]
pub struct Def {
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: DefKind,
    /// Its name in the source.
    pub span: Span,
    /// All of it: of an item the item, of a parameter its type and domain too.
    pub whole: Span,
    /// Where it can be named without more words; of items, everywhere in the program.
    pub visible: Span,
    /// The function that a dimension, parameter or result belongs to.
    pub of: Option<DefId>,
    /// Whether it has a type in the source.
    pub typed: bool,
}

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// A definition.
    Def(DefId),
    /// A built-in function.
    Builtin,
    /// `PI` and the like.
    Named,
    /// A type, also as a conversion.
    Type,
    /// `out` in a rule.
    Out,
    /// Nothing that is known.
    Unknown,
}

/// A name where it is used.
#[derive(Clone, Copy, Debug)]
pub struct Use {
    /// Where.
    pub span: Span,
    /// What it stands for.
    pub target: Target,
    /// Whether it is called.
    pub called: bool,
}

/// The names of a program.
#[derive(Clone, Debug, Default)]
pub struct Symbols {
    /// In the order in which they are met.
    pub defs: Vec<Def>,
    /// Every use, without the definitions themselves.
    pub uses: Vec<Use>,
}

impl Symbols {
    /// The names of the files of a program.
    pub fn of(trees: &[File]) -> Symbols {
        let mut r = Resolver::default();
        trees.iter().flat_map(|t| &t.items).for_each(|i| r.collect(i));
        trees.iter().flat_map(|t| &t.items).for_each(|i| r.item(i));
        r.symbols
    }

    /// What stands at a byte: a definition or a use of one.
    pub fn def_at(&self, file: FileId, at: u32) -> Option<DefId> {
        let here = |s: Span| s.file == file && s.start <= at && at <= s.end;
        let used = self.uses.iter().filter(|u| here(u.span)).find_map(|u| match u.target {
            Target::Def(def) => Some(def),
            Target::Builtin | Target::Named | Target::Type | Target::Out | Target::Unknown => None,
        });
        used.or_else(|| self.defs.iter().position(|d| here(d.span)))
    }

    /// The use at a byte.
    pub fn use_at(&self, file: FileId, at: u32) -> Option<&Use> {
        self.uses.iter().find(|u| u.span.file == file && u.span.start <= at && at <= u.span.end)
    }

    /// Where a definition is used, itself not included.
    pub fn uses_of(&self, def: DefId) -> impl Iterator<Item = Span> + '_ {
        self.uses.iter().filter(move |u| u.target == Target::Def(def)).map(|u| u.span)
    }

    /// The definitions that can be named at a byte, of several with one name the innermost.
    pub fn visible(&self, file: FileId, at: u32) -> Vec<DefId> {
        let sees = |d: &Def| {
            d.kind.is_item() || (d.visible.file == file && d.visible.start <= at && at <= d.visible.end)
        };
        let mut found: FxHashMap<&str, DefId> = FxHashMap::default();
        for (i, d) in self.defs.iter().enumerate().filter(|(_, d)| sees(d)) {
            let outer = found.get(d.name.as_str()).map(|o| &self.defs[*o]);
            if outer.is_none_or(|o| o.kind.is_item() || !d.kind.is_item()) {
                found.insert(&d.name, i);
            }
        }
        let mut all: Vec<DefId> = found.into_values().collect();
        all.sort_unstable();
        all
    }

    /// The item of a name.
    pub fn item(&self, name: &str) -> Option<DefId> {
        self.defs.iter().position(|d| d.kind.is_item() && d.name == name)
    }

    /// The dimensions, parameters or results of a function.
    pub fn members(&self, function: DefId, kind: DefKind) -> impl Iterator<Item = (DefId, &Def)> {
        let of = move |d: &Def| d.of == Some(function) && d.kind == kind;
        self.defs.iter().enumerate().filter(move |(_, d)| of(d))
    }
}

#[derive(Default)]
struct Resolver<'a> {
    symbols: Symbols,
    items: FxHashMap<&'a str, DefId>,
    /// Functions by where their names stand, also the second one of a name.
    functions: FxHashMap<Span, DefId>,
    heads: FxHashMap<DefId, &'a Signature>,
    /// Variables that can be seen, the innermost last.
    scope: Vec<(&'a str, DefId)>,
    in_rule: bool,
}

impl<'a> Resolver<'a> {
    /// Enters an item with what belongs to it.
    fn collect(&mut self, item: &'a Item) {
        match &item.kind {
            ItemKind::Fn(sig, body) => {
                let id = self.function(sig, DefKind::Fn, item);
                self.signature(sig, id, item.span.to(body.span));
            }
            ItemKind::ExternFn(sig) => {
                let id = self.function(sig, DefKind::ExternFn, item);
                self.signature(sig, id, item.span);
            }
            ItemKind::Const(c) => {
                let id = self.def(&c.name, DefKind::Const, item.span, item.span, None, true);
                self.items.entry(&c.name.text).or_insert(id);
            }
            ItemKind::Rule(_) | ItemKind::Check(_) | ItemKind::Bench(_) | ItemKind::Use(_) => {}
        }
    }

    fn function(&mut self, sig: &'a Signature, kind: DefKind, item: &Item) -> DefId {
        let id = self.def(&sig.name, kind, item.span, item.span, None, true);
        self.items.entry(&sig.name.text).or_insert(id);
        self.functions.insert(sig.name.span, id);
        self.heads.insert(id, sig);
        id
    }

    fn signature(&mut self, sig: &'a Signature, id: DefId, visible: Span) {
        for n in &sig.dims {
            self.def(n, DefKind::Dim, n.span, visible, Some(id), true);
        }
        for p in &sig.params {
            self.def(&p.name, DefKind::Param, p.span, visible, Some(id), true);
        }
        for r in &sig.results.items {
            if let Some(n) = &r.name {
                self.def(n, DefKind::Result, r.span, n.span, Some(id), true);
            }
        }
    }

    fn def(
        &mut self,
        name: &Name,
        kind: DefKind,
        whole: Span,
        visible: Span,
        of: Option<DefId>,
        typed: bool,
    ) -> DefId {
        let name_text = name.text.clone();
        self.symbols.defs.push(Def { name: name_text, kind, span: name.span, whole, visible, of, typed });
        self.symbols.defs.len() - 1
    }

    /// A variable that is visible from `from` to the end of `block`.
    fn local(&mut self, name: &'a Name, kind: DefKind, visible: Span, typed: bool) {
        if name.text != "_" {
            let id = self.def(name, kind, name.span, visible, None, typed);
            self.scope.push((&name.text, id));
        }
    }

    fn used(&mut self, span: Span, target: Target, called: bool) {
        self.symbols.uses.push(Use { span, target, called });
    }

    fn name(&mut self, name: &Name, called: bool) {
        if name.text != "_" {
            self.used(name.span, self.resolve(&name.text), called);
        }
    }

    fn resolve(&self, text: &str) -> Target {
        if let Some((_, id)) = self.scope.iter().rev().find(|(n, _)| *n == text) {
            return Target::Def(*id);
        }
        if let Some(id) = self.items.get(text) {
            return Target::Def(*id);
        }
        match text {
            "out" if self.in_rule => Target::Out,
            _ if Scalar::from_name(text).is_some() => Target::Type,
            _ if named(text).is_some() => Target::Named,
            _ if Builtin::find(text).is_some() || ReduceOp::from_text(text).is_some() => Target::Builtin,
            _ => Target::Unknown,
        }
    }

    /// A name of something that belongs to a function.
    fn member(&mut self, name: &Name, function: Option<DefId>, kind: DefKind) {
        let found = function.and_then(|f| self.symbols.members(f, kind).find(|(_, d)| d.name == name.text));
        let target = found.map_or(Target::Unknown, |(id, _)| Target::Def(id));
        self.used(name.span, target, false);
    }

    fn item(&mut self, item: &'a Item) {
        self.scope.clear();
        self.in_rule = false;
        match &item.kind {
            ItemKind::Fn(sig, body) => {
                self.head(sig);
                self.block(body);
            }
            ItemKind::ExternFn(sig) => self.head(sig),
            ItemKind::Const(c) => {
                self.ty(&c.ty);
                self.expr(&c.value);
            }
            ItemKind::Rule(rule) => self.rule(rule, item.span),
            ItemKind::Check(check) | ItemKind::Bench(check) => self.check(check),
            ItemKind::Use(_) => {}
        }
    }

    /// The types of a signature; its dimensions and parameters can be seen from here on.
    fn head(&mut self, sig: &'a Signature) {
        let id = self.functions.get(&sig.name.span).copied();
        self.show_members(id, DefKind::Dim, sig.dims.iter());
        for p in &sig.params {
            self.ty(&p.ty);
            p.domain.iter().for_each(|d| self.domain(d));
        }
        sig.results.items.iter().for_each(|r| self.ty(&r.ty));
        self.show_members(id, DefKind::Param, sig.params.iter().map(|p| &p.name));
    }

    fn show_members(
        &mut self,
        function: Option<DefId>,
        kind: DefKind,
        names: impl Iterator<Item = &'a Name>,
    ) {
        for name in names {
            let of = function.and_then(|f| self.symbols.members(f, kind).find(|(_, d)| d.span == name.span));
            self.scope.extend(of.map(|(id, _)| (name.text.as_str(), id)));
        }
    }

    /// The function an item belongs to.
    fn target(&mut self, name: &Name) -> Option<DefId> {
        let id = self.items.get(name.text.as_str()).copied();
        self.used(name.span, id.map_or(Target::Unknown, Target::Def), false);
        id
    }

    /// The dimensions of a function.
    fn show_dims(&mut self, function: Option<DefId>) {
        if let Some(sig) = function.and_then(|f| self.heads.get(&f).copied()) {
            self.show_members(function, DefKind::Dim, sig.dims.iter());
        }
    }

    fn rule(&mut self, rule: &'a Rule, whole: Span) {
        let target = self.target(&rule.target);
        self.in_rule = true;
        self.show_dims(target);
        for name in rule.params.iter().chain(&rule.linear) {
            self.local(name, DefKind::RuleParam, whole, true);
        }
        match &rule.body {
            RuleBody::Block(block) => self.block(block),
            RuleBody::Partials(partials) => {
                for p in partials {
                    self.name(&p.param, false);
                    self.expr(&p.value);
                }
            }
        }
    }

    fn check(&mut self, check: &'a Check) {
        let target = self.target(&check.target);
        self.dim_args(&check.dims, target);
        self.show_dims(target);
        for line in &check.lines {
            match &line.kind {
                CheckLineKind::Sample { param, dist: _, args } => {
                    self.member(param, target, DefKind::Param);
                    args.iter().for_each(|e| self.expr(e));
                }
                CheckLineKind::In { param, domain } => {
                    self.member(param, target, DefKind::Param);
                    self.domain(domain);
                }
                CheckLineKind::Fixed { param, value } => {
                    self.member(param, target, DefKind::Param);
                    self.expr(value);
                }
                CheckLineKind::Load { param, path: _ } => self.member(param, target, DefKind::Param),
                CheckLineKind::Wrt(names) | CheckLineKind::Nodiff(names) => {
                    names.iter().for_each(|n| self.member(n, target, DefKind::Param));
                }
                CheckLineKind::Outputs(names) => {
                    let named = names.iter().filter(|n| !n.text.starts_with("out"));
                    named.for_each(|n| self.member(n, target, DefKind::Result));
                }
                CheckLineKind::Setting { value, .. } => self.expr(value),
                CheckLineKind::Modes(_) | CheckLineKind::Edge | CheckLineKind::Expect(_) => {}
            }
        }
    }

    fn domain(&mut self, domain: &'a Domain) {
        match &domain.kind {
            DomainKind::Interval { lo, hi, .. } => {
                self.expr(lo);
                self.expr(hi);
            }
            DomainKind::Call { args, .. } => args.iter().for_each(|e| self.expr(e)),
        }
    }

    fn ty(&mut self, ty: &'a Type) {
        match &ty.kind {
            TypeKind::Scalar(name) => self.used(name.span, Target::Type, false),
            TypeKind::Array { elem, dims } => {
                self.used(elem.span, Target::Type, false);
                dims.iter().for_each(|e| self.expr(e));
            }
            TypeKind::Tuple(parts) => parts.iter().for_each(|t| self.ty(t)),
            TypeKind::Fn { params, result } => {
                params.iter().for_each(|t| self.ty(t));
                self.ty(result);
            }
            TypeKind::Error => {}
        }
    }

    fn block(&mut self, block: &'a Block) {
        let outside = self.scope.len();
        for stmt in &block.stmts {
            let visible = Span { start: stmt.span.end, ..block.span };
            match &stmt.kind {
                StmtKind::Let { pattern, ty, value } => {
                    ty.iter().for_each(|t| self.ty(t));
                    self.expr(value);
                    self.pattern(pattern, visible, ty.is_some());
                }
                StmtKind::Var { name, ty, value } => {
                    ty.iter().for_each(|t| self.ty(t));
                    self.expr(value);
                    self.local(name, DefKind::Var, visible, ty.is_some());
                }
                StmtKind::Assign { target, op: _, value } => {
                    self.name(&target.name, false);
                    target.indices.iter().for_each(|i| self.index(i));
                    self.expr(value);
                }
                StmtKind::For { var, range, body } => {
                    self.range(range);
                    let before = self.scope.len();
                    self.local(var, DefKind::Index, body.span, false);
                    self.block(body);
                    self.scope.truncate(before);
                }
                StmtKind::While { cond, body } => {
                    self.expr(cond);
                    self.block(body);
                }
                StmtKind::If(chain) => self.if_chain(chain),
                StmtKind::Assert { cond, text: _ } => self.expr(cond),
                StmtKind::Block(block) => self.block(block),
                StmtKind::Expr(e) => self.expr(e),
            }
        }
        block.value.iter().for_each(|e| self.expr(e));
        self.scope.truncate(outside);
    }

    fn pattern(&mut self, pattern: &'a Pattern, visible: Span, typed: bool) {
        match &pattern.kind {
            PatternKind::Name(name) => self.local(name, DefKind::Let, visible, typed),
            PatternKind::Wild => {}
            PatternKind::Tuple(parts) => parts.iter().for_each(|p| self.pattern(p, visible, typed)),
        }
    }

    fn if_chain(&mut self, chain: &'a If) {
        for (cond, block) in &chain.branches {
            self.expr(cond);
            self.block(block);
        }
        chain.otherwise.iter().for_each(|b| self.block(b));
    }

    fn range(&mut self, range: &'a Range) {
        self.expr(&range.lo);
        self.expr(&range.hi);
        range.step.iter().for_each(|e| self.expr(e));
    }

    fn index(&mut self, index: &'a Index) {
        match index {
            Index::At(e) => self.expr(e),
            Index::Slice { lo, hi, .. } => lo.iter().chain(hi).for_each(|e| self.expr(e)),
        }
    }

    fn dim_args(&mut self, dims: &'a [DimArg], function: Option<DefId>) {
        for dim in dims {
            if let Some(name) = &dim.name {
                self.member(name, function, DefKind::Dim);
            }
            self.expr(&dim.value);
        }
    }

    fn expr(&mut self, e: &'a Expr) {
        match &e.kind {
            ExprKind::Int(_)
            | ExprKind::Real(_)
            | ExprKind::Imag(_)
            | ExprKind::Bool(_)
            | ExprKind::Hole
            | ExprKind::Error => {}
            ExprKind::Name(name) => self.name(name, false),
            ExprKind::Unary { operand, .. } => self.expr(operand),
            ExprKind::Binary { lhs, rhs, .. } => {
                self.expr(lhs);
                self.expr(rhs);
            }
            ExprKind::Transpose(operand) => self.expr(operand),
            ExprKind::Index { base, indices } => {
                self.expr(base);
                indices.iter().for_each(|i| self.index(i));
            }
            ExprKind::WithDims { func, dims } => {
                self.name(func, false);
                let function = self.items.get(func.text.as_str()).copied();
                self.dim_args(dims, function);
            }
            ExprKind::Call { callee, dims, args, seeds } => {
                match &callee.kind {
                    ExprKind::Name(name) => self.name(name, true),
                    _ => self.expr(callee),
                }
                let function = self.function_of(callee);
                self.dim_args(dims, function);
                args.iter().chain(seeds).for_each(|e| self.expr(e));
            }
            ExprKind::Along { call, axis } => {
                self.expr(call);
                self.expr(axis);
            }
            ExprKind::Derivative { func, wrt, .. } => {
                self.expr(func);
                let function = self.function_of(func);
                for w in wrt {
                    match w {
                        Wrt::Name(name) => self.member(name, function, DefKind::Param),
                        Wrt::Position(..) => {}
                    }
                }
            }
            ExprKind::Reduction { op_span, body, generators, .. } => {
                self.used(*op_span, Target::Builtin, true);
                self.generators(body, generators, e.span);
            }
            ExprKind::Comprehension { body, generators } => self.generators(body, generators, e.span),
            ExprKind::Array(parts) | ExprKind::Tuple(parts) => parts.iter().for_each(|e| self.expr(e)),
            ExprKind::If(chain) => self.if_chain(chain),
            ExprKind::Block(block) => self.block(block),
        }
    }

    fn generators(&mut self, body: &'a Expr, generators: &'a [Generator], whole: Span) {
        let outside = self.scope.len();
        for g in generators {
            g.range.iter().for_each(|r| self.range(r));
            self.local(&g.var, DefKind::Index, whole, false);
        }
        self.expr(body);
        self.scope.truncate(outside);
    }

    /// The function that an expression names, through derivatives and partial applications.
    fn function_of(&self, e: &Expr) -> Option<DefId> {
        let name = match &e.kind {
            ExprKind::Name(name) | ExprKind::WithDims { func: name, .. } => name,
            ExprKind::Index { base: inner, .. }
            | ExprKind::Derivative { func: inner, .. }
            | ExprKind::Call { callee: inner, .. } => return self.function_of(inner),
            _ => return None,
        };
        match self.resolve(&name.text) {
            Target::Def(id) if self.symbols.defs[id].kind.is_item() => Some(id),
            _ => None,
        }
    }
}

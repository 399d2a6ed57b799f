//! Items, signatures, types, blocks of lines.

use super::Printer;
use crate::syntax::Tok;
use crate::syntax::ast::*;

impl<'a> Printer<'a> {
    /// The whole file.
    pub(super) fn file(&mut self, file: &File) {
        if file.language.is_some() {
            self.blank = true;
            self.word();
            self.tok();
            self.semis();
        }
        for item in &file.items {
            self.out.hard();
            self.blank = true;
            while self.start() < item.span.start && !self.at(Tok::Eof) {
                if self.at(Tok::Hash) {
                    self.attr(&item.attrs)
                } else {
                    self.tok()
                }
                self.out.hard();
            }
            self.item(item);
            self.semis();
        }
        self.out.hard();
        self.semis();
        self.leading();
        self.out.hard();
    }

    /// Semicolons that end what was printed, also too many of them.
    pub(super) fn semis(&mut self) {
        while self.at(Tok::Semi) {
            self.tok();
        }
    }

    /// `#[…]`
    pub(super) fn attr(&mut self, attrs: &[Attr]) {
        let at = self.start();
        let Some(attr) = attrs.iter().find(|a| a.span.start == at) else { return self.tok() };
        if let AttrKind::Checkpoint(Checkpoint::Revolve(states)) = &attr.kind {
            self.raw(states.span.start);
            self.expr(states);
        }
        self.raw(attr.span.end);
    }

    fn item(&mut self, item: &Item) {
        match &item.kind {
            ItemKind::Fn(signature, body) => {
                self.signature(signature);
                self.out.space();
                self.body(body);
            }
            ItemKind::ExternFn(signature) => {
                self.word();
                self.signature(signature);
            }
            ItemKind::Const(c) => {
                self.word();
                self.tok();
                self.word();
                self.ty(&c.ty);
                self.out.space();
                self.word();
                self.expr(&c.value);
            }
            ItemKind::Rule(rule) => self.rule(rule),
            ItemKind::Check(check) | ItemKind::Bench(check) => self.check(check),
            ItemKind::Use(_) => {
                self.word();
                self.tok();
            }
        }
    }

    /// From `fn` to the result.
    fn signature(&mut self, signature: &Signature) {
        self.word();
        self.tok();
        if self.at(Tok::LBracket) {
            self.list(Self::tok);
        }
        let mut params = signature.params.iter();
        self.list(|p| {
            if let Some(param) = params.next() {
                p.param(param);
            }
        });
        self.out.space();
        self.word();
        if !self.at(Tok::LParen) {
            return signature.results.items.iter().for_each(|r| self.ty(&r.ty));
        }
        self.unbroken(signature.results.items.iter(), |p, result| {
            if result.name.is_some() {
                p.tok();
                p.word();
            }
            p.ty(&result.ty);
        });
    }

    fn param(&mut self, param: &Param) {
        while self.at(Tok::Hash) {
            self.attr(&param.attrs);
            self.out.space();
        }
        self.tok();
        self.word();
        self.ty(&param.ty);
        if let Some(domain) = &param.domain {
            self.out.space();
            self.word();
            self.domain(domain);
        }
    }

    fn domain(&mut self, domain: &Domain) {
        match &domain.kind {
            DomainKind::Interval { lo, hi, .. } => {
                self.tok();
                self.expr(lo);
                self.word();
                self.expr(hi);
                self.leading();
                self.tok();
            }
            DomainKind::Call { args, .. } => {
                self.tok();
                self.exprs(args);
            }
        }
    }

    pub(super) fn ty(&mut self, ty: &Type) {
        let first = match &ty.kind {
            TypeKind::Tuple(parts) => parts.first().map_or(0, |t| t.span.start),
            _ => u32::MAX,
        };
        let own = usize::from(matches!(ty.kind, TypeKind::Tuple(_)));
        let tokens = self.tokens[self.pos..].iter();
        let parens = tokens.take_while(|t| t.kind == Tok::LParen && t.start < first).count() - own;
        (0..parens).for_each(|_| self.tok());
        match &ty.kind {
            TypeKind::Scalar(_) => self.tok(),
            TypeKind::Array { dims, .. } => {
                self.tok();
                self.unbroken(dims.iter(), Self::expr);
            }
            TypeKind::Tuple(parts) => self.unbroken(parts.iter(), Self::ty),
            TypeKind::Fn { params, result } => {
                self.tok();
                self.unbroken(params.iter(), Self::ty);
                self.out.space();
                self.word();
                self.ty(result);
            }
            TypeKind::Error => self.raw(ty.span.end),
        }
        (0..parens).for_each(|_| {
            self.comma();
            self.tok();
        });
    }

    /// A list in brackets that stays on its line, as those of types do: parameters are broken instead.
    fn unbroken<'t, T: 't>(&mut self, entries: impl Iterator<Item = &'t T>, entry: impl Fn(&mut Self, &T)) {
        self.tok();
        for e in entries {
            entry(self, e);
            if self.comma() {
                self.out.space();
            }
        }
        self.leading();
        self.tok();
    }

    fn rule(&mut self, rule: &Rule) {
        (0..2).for_each(|_| self.word());
        self.tok();
        self.out.begin();
        self.open();
        while !self.closes() && !self.at(Tok::Semi) {
            self.tok();
            if !self.comma() {
                break;
            }
            self.out.line();
        }
        if self.at(Tok::Semi) {
            self.tok();
            self.out.line();
            while !self.closes() {
                self.tok();
                if !self.comma() {
                    break;
                }
                self.out.line();
            }
        }
        self.close(false);
        self.out.end();
        self.out.space();
        match &rule.body {
            RuleBody::Block(block) => self.body(block),
            RuleBody::Partials(partials) => {
                let spans: Vec<_> = partials.iter().map(|p| p.span.end).collect();
                self.lines(&spans, |p, i| {
                    p.word();
                    p.tok();
                    p.word();
                    p.expr(&partials[i].value);
                });
            }
        }
    }

    fn check(&mut self, check: &Check) {
        self.word();
        self.tok();
        if !check.dims.is_empty() || self.at(Tok::LBracket) {
            self.dim_args(&check.dims);
        }
        self.out.space();
        let spans: Vec<_> = check.lines.iter().map(|l| l.span.end).collect();
        self.lines(&spans, |p, i| p.check_line(&check.lines[i]));
    }

    fn check_line(&mut self, line: &CheckLine) {
        match &line.kind {
            CheckLineKind::Sample { args, .. } => {
                self.word();
                self.word();
                self.tok();
                self.exprs(args);
            }
            CheckLineKind::In { domain, .. } => {
                self.word();
                self.word();
                self.domain(domain);
            }
            CheckLineKind::Fixed { value, .. } => {
                self.word();
                self.word();
                self.expr(value);
            }
            CheckLineKind::Setting { value, .. } => {
                self.word();
                self.expr(value);
            }
            CheckLineKind::Wrt(_)
            | CheckLineKind::Nodiff(_)
            | CheckLineKind::Outputs(_)
            | CheckLineKind::Modes(_)
            | CheckLineKind::Expect(_) => {
                self.word();
                self.raw(line.span.end);
            }
            CheckLineKind::Load { .. } | CheckLineKind::Edge => self.raw(line.span.end),
        }
    }

    /// Lines in braces. What the source has on one line stays there while it fits; `ends`: where each ends.
    fn lines(&mut self, ends: &[u32], mut line: impl FnMut(&mut Self, usize)) {
        self.out.begin();
        self.tok();
        self.semis();
        self.out.indent();
        if !ends.is_empty() {
            if self.breaks_before() { self.out.hard() } else { self.out.line() }
        }
        let mut filled = None;
        for i in 0..ends.len() {
            line(self, i);
            match self.at(Tok::Semi) {
                true => self.semis(),
                false => self.out.before_comments(";"),
            }
            filled.take().into_iter().for_each(|at| self.out.filled(at));
            if i + 1 == ends.len() {
                break;
            }
            if self.breaks_before() {
                self.out.hard();
                self.blank = true;
            } else {
                filled = Some(self.out.fill());
            }
        }
        self.end_of_block(ends.is_empty());
        self.out.end();
    }

    /// The brace that closes a block.
    pub(super) fn end_of_block(&mut self, empty: bool) {
        if empty && self.comments.any(self.pos) {
            self.out.hard();
        }
        self.leading();
        self.out.dedent();
        if !empty || self.comments.end() > self.tokens[self.pos - 1].end {
            self.out.line();
        }
        self.tok();
    }

    /// Whether a line ends before the next token.
    pub(super) fn breaks_before(&self) -> bool {
        let end = self.pos.checked_sub(1).map_or(0, |i| self.tokens[i].end);
        self.slice(end.min(self.start()), self.start()).contains('\n')
    }
}

//! Expressions. `+`, `-`, `@`, comparisons and `&& ||` have blanks around them; `*`, `/` and `^` have none, but those that
//! take a product with `@` as their left operand: `2*X @ w`, `X @ w * 2`.

use super::Printer;
use crate::syntax::Tok;
use crate::syntax::ast::*;

impl<'a> Printer<'a> {
    pub(super) fn expr(&mut self, e: &Expr) {
        let parens = self.parens(e);
        for _ in 0..parens {
            self.out.begin();
            self.open();
        }
        self.bare(e);
        for _ in 0..parens {
            self.close(false);
            self.out.end();
        }
    }

    /// The number of parentheses around an expression.
    fn parens(&self, e: &Expr) -> usize {
        let own = usize::from(matches!(e.kind, ExprKind::Tuple(_)));
        let first = first_part(&e.kind).map_or(u32::MAX, |part| part.span.start);
        let tokens = self.tokens[self.pos..].iter();
        let open = tokens.take_while(|t| t.kind == Tok::LParen && t.start < first).count();
        open.saturating_sub(own)
    }

    fn bare(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::Int(i) => {
                // `-9223372036854775808` is two tokens.
                if *i < 0 {
                    self.tok();
                }
                self.tok();
            }
            ExprKind::Real(_)
            | ExprKind::Imag(_)
            | ExprKind::Bool(_)
            | ExprKind::Name(_)
            | ExprKind::Hole
            | ExprKind::Error => self.tok(),
            ExprKind::Unary { operand, .. } => {
                self.tok();
                self.expr(operand);
            }
            ExprKind::Binary { op: BinaryOp::Pow, lhs, rhs, .. } => {
                self.expr(lhs);
                self.tok();
                self.expr(rhs);
            }
            ExprKind::Binary { op, lhs, rhs, .. } => self.chain(*op, lhs, rhs),
            ExprKind::Transpose(operand) => {
                self.expr(operand);
                self.tok();
            }
            ExprKind::Index { base, indices } => {
                self.expr(base);
                self.indices(indices);
            }
            ExprKind::WithDims { dims, .. } => {
                self.tok();
                self.dim_args(dims);
            }
            ExprKind::Call { callee, dims, args, seeds } => self.call(callee, dims, args, seeds, None),
            ExprKind::Along { call, axis } => match &call.kind {
                ExprKind::Call { callee, dims, args, seeds } => {
                    self.call(callee, dims, args, seeds, Some(axis));
                }
                _ => self.raw(e.span.end),
            },
            ExprKind::Derivative { func, .. } => self.derivative(func),
            ExprKind::Reduction { body, generators, .. } => {
                self.tok();
                self.comprehension(body, generators);
            }
            ExprKind::Comprehension { body, generators } => self.comprehension(body, generators),
            ExprKind::Array(elements) => self.array(elements),
            ExprKind::Tuple(parts) => self.exprs(parts),
            ExprKind::If(chain) => self.if_chain(chain),
            ExprKind::Block(block) => self.body(block),
        }
    }

    /// Expressions in brackets.
    pub(super) fn exprs(&mut self, exprs: &[Expr]) {
        let mut exprs = exprs.iter();
        self.list(|p| exprs.next().into_iter().for_each(|e| p.expr(e)));
    }

    /// Operators of one precedence: one group, broken before each of them.
    fn chain(&mut self, op: BinaryOp, lhs: &Expr, rhs: &Expr) {
        let mut operands = vec![(op, rhs)];
        let mut first = lhs;
        while let ExprKind::Binary { op: before, lhs, rhs, .. } = &first.kind
            && before.precedence() == op.precedence()
            && lhs.span.start == first.span.start
        {
            operands.push((*before, rhs));
            first = lhs;
        }
        // The first operand may be on several lines, and the others behind its bracket.
        self.expr(first);
        self.out.indent();
        self.out.begin();
        let mut spaced = !matches!(op, BinaryOp::Mul | BinaryOp::Div | BinaryOp::MatMul);
        for (op, operand) in operands.into_iter().rev() {
            spaced |= op == BinaryOp::MatMul;
            if spaced {
                self.out.line();
                self.word();
            } else {
                self.out.soft();
                self.tok();
                self.out.if_broken(" ");
            }
            self.expr(operand);
        }
        self.out.end();
        self.out.dedent();
    }

    pub(super) fn indices(&mut self, indices: &[Index]) {
        let mut indices = indices.iter();
        self.list(|p| match indices.next() {
            Some(Index::At(e)) => p.expr(e),
            Some(Index::Slice { lo, hi, .. }) => {
                lo.iter().for_each(|e| p.expr(e));
                p.tok();
                hi.iter().for_each(|e| p.expr(e));
            }
            None => {}
        });
    }

    pub(super) fn dim_args(&mut self, dims: &[DimArg]) {
        let mut dims = dims.iter();
        self.list(|p| {
            let Some(dim) = dims.next() else { return };
            if dim.name.is_some() {
                p.word();
                p.word();
            }
            p.expr(&dim.value);
        });
    }

    fn call(&mut self, callee: &Expr, dims: &[DimArg], args: &[Expr], seeds: &[Expr], axis: Option<&Expr>) {
        self.expr(callee);
        if !dims.is_empty() {
            self.dim_args(dims);
        }
        let (mut args, mut axis) = (args.iter(), axis);
        self.out.begin();
        self.open();
        while !self.closes() && !self.at(Tok::Semi) {
            let named = self.peek_at(1) == Tok::Assign;
            if let Some(axis) = if named { axis.take() } else { None } {
                self.word();
                self.word();
                self.expr(axis);
            } else if let Some(arg) = args.next() {
                self.expr(arg);
            }
            if !self.comma() {
                break;
            }
            self.out.line();
        }
        if self.at(Tok::Semi) {
            self.tok();
            self.out.line();
            for seed in seeds {
                self.expr(seed);
                if self.comma() {
                    self.out.line();
                }
            }
        }
        self.close(true);
        self.out.end();
    }

    /// `grad(f, wrt = (x, y))`
    fn derivative(&mut self, func: &Expr) {
        self.tok();
        self.out.begin();
        self.open();
        self.expr(func);
        if self.comma() {
            self.out.line();
            (0..2).for_each(|_| self.word());
            if self.at(Tok::LParen) {
                self.list(Self::tok)
            } else {
                self.tok()
            }
            self.comma();
        }
        self.close(false);
        self.out.end();
    }

    /// `(e for i in a..b)` or `[e for i in a..b]`
    fn comprehension(&mut self, body: &Expr, generators: &[Generator]) {
        let block = match &body.kind {
            ExprKind::Block(block) => block.span.start == body.span.start && self.is_broken(block),
            _ => false,
        };
        if block {
            // `sum({ … } for i)`: the block's braces are on the lines of the brackets.
            self.tok();
            self.expr(body);
            self.out.space();
            self.generators(generators);
            self.leading();
            self.tok();
            return;
        }
        self.out.begin();
        self.open();
        self.expr(body);
        self.out.line();
        self.generators(generators);
        self.close(false);
        self.out.end();
    }

    /// `for i in a..b, j`
    fn generators(&mut self, generators: &[Generator]) {
        self.out.begin();
        self.word();
        self.out.indent();
        for generator in generators {
            self.tok();
            if let Some(range) = &generator.range {
                self.out.space();
                self.word();
                self.range(range);
            }
            if self.comma() {
                self.out.line();
            }
        }
        self.out.dedent();
        self.out.end();
    }

    /// Numbers are filled into lines; rows that the source has on several lines stay on several.
    fn array(&mut self, elements: &[Expr]) {
        let plain = elements.iter().all(is_number);
        let rows = elements.iter().all(|e| matches!(e.kind, ExprKind::Array(_)));
        let (first, last) = (elements.first(), elements.last());
        let span = (first.map_or(0, |e| e.span.start), last.map_or(0, |e| e.span.start));
        self.out.begin();
        if rows && self.slice(span.0, span.1).contains('\n') {
            self.out.force();
        }
        self.open();
        let mut filled = None;
        for e in elements {
            self.expr(e);
            let more = self.comma();
            filled.take().into_iter().for_each(|at| self.out.filled(at));
            match (more, plain) {
                (false, _) => {}
                (true, true) => filled = Some(self.out.fill()),
                (true, false) => self.out.line(),
            }
        }
        self.close(true);
        self.out.end();
    }
}

/// The part that an expression starts with, if it is not a token of its own.
fn first_part(kind: &ExprKind) -> Option<&Expr> {
    match kind {
        ExprKind::Binary { lhs: part, .. }
        | ExprKind::Transpose(part)
        | ExprKind::Index { base: part, .. }
        | ExprKind::Call { callee: part, .. } => Some(part),
        ExprKind::Along { call, .. } => first_part(&call.kind),
        ExprKind::Tuple(parts) => parts.first(),
        _ => None,
    }
}

fn is_number(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Int(_) | ExprKind::Real(_) | ExprKind::Imag(_) => true,
        ExprKind::Unary { operand, .. } => is_number(operand),
        _ => false,
    }
}

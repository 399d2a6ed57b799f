//! What follows an expression: indices, calls, `'`; and the derivative operators.

use super::*;

/// What stands in square brackets behind an expression.
enum Bracketed {
    Index(Index),
    Dim(DimArg),
}

impl Parser<'_> {
    /// An atom with indices, calls and transposes.
    pub(super) fn postfix(&mut self) -> Read<Expr> {
        let mut e = self.atom()?;
        loop {
            e = match self.peek() {
                Tok::Quote => {
                    let span = e.span.to(self.bump());
                    self.node(ExprKind::Transpose(Box::new(e)), span)?
                }
                Tok::LBracket => self.nest(|p| p.bracket(e))?,
                Tok::LParen => self.nest(|p| p.call(e, Vec::new()))?,
                Tok::Dot => {
                    let d = self.foreign_operator();
                    return Err(d.map_or(Reported, |d| self.report(d)));
                }
                _ => return Ok(e),
            }
        }
    }

    /// `x[i, a:b]`, `f[3](…)`, `f[N = 3]`.
    fn bracket(&mut self, base: Expr) -> Read<Expr> {
        let open = self.open(Tok::RBracket);
        if self.at(Tok::RBracket) {
            let span = base.span.to(self.bump());
            let d = Diagnostic::error(Code::EmptyList, "an index without positions")
                .label(span, "nothing between the brackets")
                .help("write `x[i]`, or `x` for the whole array");
            self.report(d);
            return Ok(Expr::error(span));
        }
        let (parts, close) = self.list(open, "the index", Self::bracketed)?;
        let span = base.span.to(close);
        let has_dims = parts.iter().any(|p| matches!(p, Bracketed::Dim(_)));
        let call = self.at(Tok::LParen);
        let ExprKind::Name(name) = &base.kind else {
            if has_dims {
                return Err(self.dims_of_no_name(span));
            }
            return self.node(ExprKind::Index { base: Box::new(base), indices: indices(parts) }, span);
        };
        if !call && !has_dims {
            return self.node(ExprKind::Index { base: Box::new(base), indices: indices(parts) }, span);
        }
        let name = name.clone();
        let mut dims = Vec::new();
        for part in parts {
            match part {
                Bracketed::Dim(d) => dims.push(d),
                Bracketed::Index(Index::At(value)) => dims.push(DimArg { name: None, value }),
                Bracketed::Index(Index::Slice { span, .. }) => {
                    let d = Diagnostic::error(Code::Misplaced, "a slice among dimensions")
                        .label(span, format!("dimensions of `{}` are numbers", name.text))
                        .help(format!(
                            "write `{0}[3](…)` or `{0}[N = 3](…)`; an array cannot be called",
                            name.text
                        ));
                    self.report(d);
                }
            }
        }
        if call { self.call(base, dims) } else { self.node(ExprKind::WithDims { func: name, dims }, span) }
    }

    fn dims_of_no_name(&mut self, span: Span) -> Reported {
        let d = Diagnostic::error(Code::Misplaced, "dimensions of something that is not a function's name")
            .label(span, "only a function has dimensions")
            .help("compare with `==`; dimensions are given as in `f[N = 3](x)`");
        self.report(d)
    }

    fn bracketed(&mut self) -> Read<Bracketed> {
        if self.at(Tok::Name) && self.peek_at(1) == Tok::Assign {
            return Ok(Bracketed::Dim(self.dim_arg()?));
        }
        let start = self.span();
        let lo = if self.at(Tok::Colon) { None } else { Some(self.expr()?) };
        if matches!(self.peek(), Tok::DotDot | Tok::DotDotEq) {
            let d = Diagnostic::error(Code::NotInLanguage, "a range as an index")
                .label(start.to(self.span()), "slices are not written so")
                .help("write `x[a:b]`");
            self.report(d);
        } else if !self.at(Tok::Colon) {
            // Without a `:` there was an expression.
            return Ok(Bracketed::Index(Index::At(lo.unwrap_or_else(|| Expr::error(start)))));
        }
        self.bump();
        let ends = |k: Tok| matches!(k, Tok::Comma | Tok::RBracket | Tok::Colon);
        let hi = if ends(self.peek()) { None } else { Some(self.expr()?) };
        if self.at(Tok::Colon) {
            let d = Diagnostic::error(Code::NotInLanguage, "a slice with a stride")
                .label(self.since(start).to(self.span()), "more than `a:b`")
                .help("write `[x[2*i] for i in 0..n]`");
            return Err(self.report(d));
        }
        let span = self.since(start);
        Ok(Bracketed::Index(Index::Slice { lo, hi, span }))
    }

    /// `3` or `N = 3`
    pub(super) fn dim_arg(&mut self) -> Read<DimArg> {
        let named = self.at(Tok::Name) && self.peek_at(1) == Tok::Assign;
        let name = if named { Some(self.name("a dimension", "the dimensions")?) } else { None };
        if named {
            self.bump();
        }
        Ok(DimArg { name, value: self.expr()? })
    }

    /// `(x, y)`, `(x; dx)` or `(e for i in a..b)` behind `callee`.
    fn call(&mut self, callee: Expr, dims: Vec<DimArg>) -> Read<Expr> {
        let open = self.open(Tok::RParen);
        let whole = format!("the arguments of `{}`", shown(self.text_of(callee.span)));
        let mut args = Vec::new();
        let mut seeds = Vec::new();
        loop {
            if self.at(Tok::RParen) {
                break;
            }
            args.push(self.argument()?);
            match self.peek() {
                Tok::Comma => {
                    self.bump();
                }
                Tok::For => return self.reduction(callee, dims, args, open),
                Tok::Semi if matches!(callee.kind, ExprKind::Derivative { .. }) => break,
                Tok::RParen => break,
                _ => return Err(self.unclosed(open, "an operator, `,` or `)`", &whole)),
            }
        }
        if self.at(Tok::Semi) && !args.is_empty() {
            self.check_seeds(&callee);
            self.bump();
            let what = "the tangents or cotangents";
            seeds = self.list(open, what, Self::expr)?.0;
        } else {
            self.close(open, "an argument or `)`", &whole)?;
        }
        let span = self.since(callee.span);
        self.node(ExprKind::Call { callee: Box::new(callee), dims, args, seeds }, span)
    }

    fn argument(&mut self) -> Read<Expr> {
        let span = self.span();
        let ends = matches!(self.peek_at(1), Tok::Comma | Tok::RParen | Tok::Semi);
        if self.word() == "_" && ends {
            self.bump();
            return self.node(ExprKind::Hole, span);
        }
        if self.at(Tok::Name) && self.peek_at(1) == Tok::Assign {
            let d = Diagnostic::error(Code::NotInLanguage, "an argument with a name")
                .label(span.to(self.span_at(1)), "arguments have no names")
                .help("give the arguments in the order of the parameters");
            self.report(d);
            self.bump();
            self.bump();
        }
        self.expr()
    }

    fn check_seeds(&mut self, callee: &Expr) {
        let ExprKind::Derivative { op, op_span, .. } = &callee.kind else { return };
        if !op.takes_seeds() {
            let d = Diagnostic::error(Code::Misplaced, format!("`{}` takes no tangents", op.text()))
                .label(self.span(), "nothing belongs behind a `;` here")
                .also(*op_span, "this operator")
                .help("`jvp` and `hvp` take tangents, `vjp` takes cotangents");
            self.report(d);
        }
    }

    /// `sum(e for i in a..b)`, read up to the `for`.
    fn reduction(&mut self, callee: Expr, dims: Vec<DimArg>, mut args: Vec<Expr>, open: Open) -> Read<Expr> {
        let op = match &callee.kind {
            ExprKind::Name(n) if dims.is_empty() => ReduceOp::from_text(&n.text),
            _ => None,
        };
        let first = self.span();
        if args.len() != 1 {
            let d = Diagnostic::error(Code::Misplaced, "a generator beside other arguments")
                .label(first, "a generator is the only argument")
                .also(callee.span, "of this call")
                .help(format!(
                    "write `{0}(e for i in 0..n)`, or give an array: `[e for i in 0..n]`",
                    shown(self.text_of(callee.span))
                ));
            self.report(d);
        } else if op.is_none() {
            let name = shown(self.text_of(callee.span));
            let words: Vec<_> = ReduceOp::ALL.iter().map(|op| op.text()).collect();
            let d = Diagnostic::error(Code::Misplaced, format!("`{name}` takes no generator"))
                .label(first, "makes no array by itself")
                .help(format!(
                    "give an array, `{name}([e for i in 0..n])`; generators belong to `{}`",
                    words.join(" ")
                ));
            self.report(d);
        }
        let generators = self.generators(open, "the generator")?;
        let span = callee.span.to(self.bump());
        let body = args.pop();
        match (op, body, args.is_empty()) {
            (Some(op), Some(body), true) => {
                let kind = ExprKind::Reduction { op, op_span: callee.span, body: Box::new(body), generators };
                self.node(kind, span)
            }
            _ => Ok(Expr::error(span)),
        }
    }

    /// `grad(f, wrt = (x, y))`
    pub(super) fn derivative(&mut self, op: DerivOp) -> Read<Expr> {
        let op_span = self.bump();
        if !self.at(Tok::LParen) {
            let d =
                Diagnostic::error(Code::ReservedName, format!("`{}` is a derivative operator", op.text()))
                    .label(op_span, "stands alone")
                    .help(format!(
                        "write `{}(f)(x)` with a function `f`; the name cannot be used otherwise",
                        op.text()
                    ));
            return Err(self.report(d));
        }
        let open = self.open(Tok::RParen);
        let whole = format!("`{}(f, wrt = …)`", op.text());
        let func = Box::new(self.argument()?);
        let mut wrt = Vec::new();
        if self.eat(Tok::Comma) && !self.at(Tok::RParen) {
            if self.word() == "wrt" && self.peek_at(1) == Tok::Assign {
                self.bump();
                self.bump();
                wrt = self.wrt_list(&whole)?;
                self.eat(Tok::Comma);
            } else {
                return Err(self.no_wrt(op, &func));
            }
        }
        self.close(open, "`, wrt = …` or `)`", &whole)?;
        let span = self.since(op_span);
        self.node(ExprKind::Derivative { op, op_span, func, wrt }, span)
    }

    fn no_wrt(&mut self, op: DerivOp, func: &Expr) -> Reported {
        let f = shown(self.text_of(func.span));
        let found = shown(self.text_of(self.span()));
        let what = if self.at(Tok::Name) { found } else { "x".to_string() };
        let d = Diagnostic::error(Code::Expected, format!("expected `wrt = …`, found {}", self.found()))
            .label(self.span(), format!("`{}` has a function and `wrt` in its first brackets", op.text()))
            .help(format!(
                "write `{0}({f}, wrt = {what})(…)`; the point follows in brackets of its own: `{0}({f})(x)`",
                op.text()
            ));
        self.report(d)
    }

    fn wrt_list(&mut self, whole: &str) -> Read<Vec<Wrt>> {
        if !matches!(self.peek(), Tok::LParen | Tok::LBracket) {
            return Ok(vec![self.wrt(whole)?]);
        }
        if self.at(Tok::LBracket) {
            let d = Diagnostic::error(Code::Expected, "expected `(`, found `[`")
                .label(self.span(), "several parameters stand in parentheses")
                .help("write `wrt = (x, y)`");
            self.report(d);
        }
        let close = if self.at(Tok::LParen) { Tok::RParen } else { Tok::RBracket };
        let open = self.open(close);
        let (list, close) = self.list(open, whole, |p| p.wrt(whole))?;
        if list.is_empty() {
            let d = Diagnostic::error(Code::EmptyList, "`wrt` without parameters")
                .label(open.span.to(close), "nothing to differentiate with respect to")
                .help("name parameters, or leave out `wrt`: then it is every differentiable one");
            self.report(d);
        }
        Ok(list)
    }

    fn wrt(&mut self, whole: &str) -> Read<Wrt> {
        if let Tok::Number(_) = self.peek() {
            let span = self.span();
            if let Ok(n) = self.text_of(span).replace('_', "").parse() {
                self.bump();
                return Ok(Wrt::Position(n, span));
            }
        }
        Ok(Wrt::Name(self.real_name("the name or position of a parameter", whole)?))
    }
}

fn indices(parts: Vec<Bracketed>) -> Vec<Index> {
    let index = |p| match p {
        Bracketed::Index(i) => Some(i),
        Bracketed::Dim(_) => None,
    };
    parts.into_iter().filter_map(index).collect()
}

//! What follows an expression: indices, calls, `'`; and the derivative operators.

use super::*;
use crate::words;

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
                Tok::LBracket | Tok::LParen => self.bracketed_postfix(e)?,
                Tok::Dot => self.foreign_member(e)?,
                _ => return Ok(e),
            }
        }
    }

    fn bracketed_postfix(&mut self, e: Expr) -> Read<Expr> {
        self.enter()?;
        let e = if self.at(Tok::LParen) { self.call(e, Vec::new()) } else { self.bracket(e) };
        self.depth -= 1;
        e
    }

    /// `x[i, a:b]`, `f[3](…)`, `f[N = 3]`.
    fn bracket(&mut self, base: Expr) -> Read<Expr> {
        let open = self.open(Tok::RBracket);
        if self.eat(Tok::RBracket) {
            return Ok(self.empty_index(&base));
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
        let dims = self.dim_args(&name, parts);
        if call { self.call(base, dims) } else { self.node(ExprKind::WithDims { func: name, dims }, span) }
    }

    fn empty_index(&mut self, base: &Expr) -> Expr {
        let span = self.since(base.span);
        self.say(
            Code::EmptyList,
            "an index without positions",
            span,
            "nothing between the brackets",
            "write `x[i]`, or `x` for the whole array",
        );
        Expr::error(span)
    }

    /// What stands in the brackets behind the function `name`.
    fn dim_args(&mut self, name: &Name, parts: Vec<Bracketed>) -> Vec<DimArg> {
        let mut dims = Vec::new();
        for part in parts {
            match part {
                Bracketed::Dim(d) => dims.push(d),
                Bracketed::Index(Index::At(value)) => dims.push(DimArg { name: None, value }),
                Bracketed::Index(Index::Slice { span, .. }) => {
                    self.say(
                        Code::Misplaced,
                        "a slice among dimensions",
                        span,
                        format!("dimensions of `{}` are numbers", name.text),
                        format!("write `{0}[3](…)` or `{0}[N = 3](…)`; an array cannot be called", name.text),
                    );
                }
            }
        }
        dims
    }

    fn dims_of_no_name(&mut self, span: Span) -> Reported {
        self.say(
            Code::Misplaced,
            "dimensions of something that is not a function's name",
            span,
            "only a function has dimensions",
            "compare with `==`; dimensions are given as in `f[N = 3](x)`",
        )
    }

    fn bracketed(&mut self) -> Read<Bracketed> {
        if self.at(Tok::Name) && self.peek_at(1) == Tok::Assign {
            return Ok(Bracketed::Dim(self.dim_arg()?));
        }
        let start = self.span();
        if self.at(Tok::ColonColon) {
            return Err(self.no_stride(start));
        }
        let lo = if self.at(Tok::Colon) { None } else { Some(self.expr()?) };
        if self.at(Tok::ColonColon) {
            return Err(self.no_stride(start));
        }
        if matches!(self.peek(), Tok::DotDot | Tok::DotDotEq) {
            self.say(
                Code::NotInLanguage,
                "a range as an index",
                start.to(self.span()),
                "slices are not written with `..`",
                "write `x[a:b]`",
            );
        } else if !self.at(Tok::Colon) {
            // Without a `:` there was an expression.
            return Ok(Bracketed::Index(Index::At(lo.unwrap_or_else(|| Expr::error(start)))));
        }
        self.bump();
        let ends = |k: Tok| matches!(k, Tok::Comma | Tok::RBracket | Tok::Colon);
        let hi = if ends(self.peek()) { None } else { Some(self.expr()?) };
        if self.at(Tok::Colon) {
            return Err(self.no_stride(start));
        }
        let span = self.since(start);
        Ok(Bracketed::Index(Index::Slice { lo, hi, span }))
    }

    fn no_stride(&mut self, start: Span) -> Reported {
        self.say(
            Code::NotInLanguage,
            "a slice with a stride",
            self.since(start).to(self.span()),
            "more than `a:b`",
            "write `[x[2*i] for i in 0..n]`",
        )
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
        let (mut args, mut axis) = (Vec::new(), None);
        while !self.at(Tok::RParen) {
            if self.word() == "axis" && self.peek_at(1) == Tok::Assign && axis.is_none() {
                self.bump();
                self.bump();
                axis = Some(self.expr()?);
            } else {
                args.push(self.argument(args.len())?);
            }
            if self.eat(Tok::Comma) {
                continue;
            }
            match self.peek() {
                Tok::RParen => break,
                Tok::For => return self.reduction(callee, dims, args, open),
                Tok::Semi if is_derivative(&callee) || self.inside_brackets() => break,
                _ => return Err(self.unclosed_call(open, &callee)),
            }
        }
        let seeds = if self.at(Tok::Semi) { self.seeds(&callee, open)? } else { Vec::new() };
        self.eat(Tok::RParen);
        let span = self.since(callee.span);
        let call = self.node(ExprKind::Call { callee: Box::new(callee), dims, args, seeds }, span)?;
        match axis {
            Some(axis) => self.node(ExprKind::Along { call: Box::new(call), axis: Box::new(axis) }, span),
            None => Ok(call),
        }
    }

    /// The tangents or cotangents behind a `;`, up to the closing parenthesis.
    fn seeds(&mut self, callee: &Expr, open: Open) -> Read<Vec<Expr>> {
        self.check_seeds(callee);
        self.bump();
        let mut seeds = Vec::new();
        while !self.at(Tok::RParen) {
            seeds.push(self.expr()?);
            if !self.eat(Tok::Comma) && !self.at(Tok::RParen) {
                return Err(self.unclosed_call(open, callee));
            }
        }
        Ok(if is_derivative(callee) { seeds } else { Vec::new() })
    }

    fn unclosed_call(&mut self, open: Open, callee: &Expr) -> Reported {
        let whole = format!("the arguments of `{}`", shown(self.text_of(callee.span)));
        self.unclosed(open, "an operator, `,` or `)`", &whole)
    }

    fn argument(&mut self, args: usize) -> Read<Expr> {
        if self.word() == "_" && matches!(self.peek_at(1), Tok::Comma | Tok::RParen | Tok::Semi) {
            let span = self.bump();
            return self.node(ExprKind::Hole, span);
        }
        if self.at(Tok::Name) && self.peek_at(1) == Tok::Assign {
            self.no_argument_names(args);
        }
        self.expr()
    }

    /// Takes the `x =` of an argument with a name.
    fn no_argument_names(&mut self, before: usize) {
        let known = words::argument(self.word());
        // Those of one call are one mistake.
        if before == 0 || self.once.insert("named argument") {
            self.say(
                Code::NotInLanguage,
                "an argument with a name",
                self.span().to(self.span_at(1)),
                "arguments have no names",
                known.unwrap_or("give the arguments in the order of the parameters"),
            );
        }
        self.bump();
        self.bump();
    }

    fn check_seeds(&mut self, callee: &Expr) {
        let ExprKind::Derivative { op, op_span, .. } = &callee.kind else {
            let d = Diagnostic::error(Code::Misplaced, "`;` among arguments")
                .label(self.span(), "only a derivative takes tangents or cotangents")
                .also(callee.span, "not a derivative")
                .help("separate arguments by `,`; tangents belong in `jvp(f)(x; dx)`");
            self.report(d);
            return;
        };
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
            self.say(
                Code::Misplaced,
                format!("`{name}` takes no generator"),
                first,
                "makes no array by itself",
                format!(
                    "give an array, `{name}([e for i in 0..n])`; generators belong to `{}`",
                    words.join(" ")
                ),
            );
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
            return Err(self.say(
                Code::ReservedName,
                format!("`{}` is a derivative operator", op.text()),
                op_span,
                "not followed by `(f)`",
                format!("write `{}(f)(x)` with a function `f`; the name cannot be used otherwise", op.text()),
            ));
        }
        let open = self.open(Tok::RParen);
        let whole = format!("`{}(f, wrt = …)`", op.text());
        let func = Box::new(self.argument(0)?);
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
        let named = self.at(Tok::Name) && self.peek_at(1) == Tok::Assign;
        let what = match self.peek() {
            // `argnums = 1`
            Tok::Name if named => shown(self.text_of(self.span_at(2))),
            Tok::Name => found,
            _ => "x".to_string(),
        };
        let seeds = if op.takes_seeds() { "x; v" } else { "x" };
        self.say(
            Code::Expected,
            format!("expected `wrt = …`, found {}", self.found()),
            self.span(),
            format!("`{}` has a function and `wrt` in its first brackets", op.text()),
            format!(
                "write `{0}({f}, wrt = {what})(…)`; the point follows in brackets of its own: `{0}({f})({seeds})`",
                op.text()
            ),
        )
    }

    fn wrt_list(&mut self, whole: &str) -> Read<Vec<Wrt>> {
        if !matches!(self.peek(), Tok::LParen | Tok::LBracket) {
            return Ok(vec![self.wrt(whole)?]);
        }
        if self.at(Tok::LBracket) {
            self.say(
                Code::Expected,
                "expected `(`, found `[`",
                self.span(),
                "several parameters need parentheses",
                "write `wrt = (x, y)`",
            );
        }
        let close = if self.at(Tok::LParen) { Tok::RParen } else { Tok::RBracket };
        let open = self.open(close);
        let (list, close) = self.list(open, whole, |p| p.wrt(whole))?;
        if list.is_empty() {
            self.say(
                Code::EmptyList,
                "`wrt` without parameters",
                open.span.to(close),
                "nothing to differentiate with respect to",
                "name parameters, or leave out `wrt`: then it is every differentiable one",
            );
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
        if let Tok::Str(_) = self.peek() {
            let name = self.text_of(self.span()).trim_matches('"');
            return Err(self.say(
                Code::Expected,
                format!("expected the name of a parameter, found {}", self.found()),
                self.span(),
                "a string",
                format!("write `wrt = {name}`"),
            ));
        }
        Ok(Wrt::Name(self.real_name("the name or position of a parameter", whole)?))
    }
}

fn is_derivative(callee: &Expr) -> bool {
    matches!(callee.kind, ExprKind::Derivative { .. })
}

fn indices(parts: Vec<Bracketed>) -> Vec<Index> {
    let index = |p| match p {
        Bracketed::Index(i) => Some(i),
        Bracketed::Dim(_) => None,
    };
    parts.into_iter().filter_map(index).collect()
}

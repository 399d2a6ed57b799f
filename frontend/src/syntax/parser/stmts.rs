//! Statements.

use super::foreign::ForeignStmt;
use super::*;
use crate::syntax::suggest;

/// Words that start a statement.
const WORDS: &[&str] = &["let", "var", "for", "while", "if", "assert"];

/// What a place in a block holds.
pub(super) enum Entry {
    Stmt(Box<Stmt>),
    Value(Expr),
    /// Nothing that is left in the tree.
    Nothing,
}

impl Parser<'_> {
    /// The next place of a block.
    pub(super) fn entry(&mut self) -> Read<Entry> {
        match self.peek() {
            Tok::Hash => self.with_attrs(),
            Tok::Let => self.let_stmt(false),
            Tok::Var => self.let_stmt(true),
            Tok::For => self.loop_stmt(),
            Tok::While => self.loop_stmt(),
            Tok::If => self.if_stmt(),
            Tok::Assert => self.assert_stmt(),
            Tok::Semi => {
                self.bump();
                Ok(Entry::Nothing)
            }
            Tok::Const | Tok::Extern | Tok::Use => Err(self.item_keyword()),
            Tok::Else => self.else_stmt(),
            Tok::Name => self.name_stmt(),
            Tok::LBrace => self.block_stmt(),
            _ => self.expr_stmt(),
        }
    }

    /// A loop with its attributes; in front of anything else they are reported.
    fn with_attrs(&mut self) -> Read<Entry> {
        let attrs = self.attrs()?;
        let place = match self.peek() {
            Tok::For | Tok::While => attrs::Place::Loop,
            Tok::Let | Tok::Var => attrs::Place::Let,
            _ => attrs::Place::Other,
        };
        let attrs = self.placed(attrs, place);
        let mut entry = self.entry()?;
        if let Entry::Stmt(stmt) = &mut entry {
            stmt.attrs = attrs;
        }
        Ok(entry)
    }

    fn loop_stmt(&mut self) -> Read<Entry> {
        let start = self.span();
        let (kind, what) = if self.at(Tok::For) {
            (self.for_stmt()?, "a `for` loop")
        } else {
            (self.while_stmt()?, "a `while` loop")
        };
        let span = self.since(start);
        self.after_brace(what)?;
        Ok(Entry::Stmt(Box::new(Stmt { kind: *kind, attrs: Vec::new(), span })))
    }

    fn if_stmt(&mut self) -> Read<Entry> {
        let chain = self.if_chain()?;
        self.after_brace("an `if`")?;
        let span = chain.span;
        Ok(Entry::Stmt(Box::new(Stmt { kind: StmtKind::If(chain), attrs: Vec::new(), span })))
    }

    /// A block at the start of a statement: without a value it is one, else an expression starts with it.
    fn block_stmt(&mut self) -> Read<Entry> {
        let block = Box::new(self.block("a block")?);
        let span = block.span;
        if block.value.is_none() {
            let kind = StmtKind::Block(*block);
            return Ok(Entry::Stmt(Box::new(Stmt { kind, attrs: Vec::new(), span })));
        }
        let atom = self.node(ExprKind::Block(block), span)?;
        self.first_operand = Some(atom);
        self.expr_stmt()
    }

    fn else_stmt(&mut self) -> Read<Entry> {
        if self.once.contains("braces") {
            // The branch before had no braces, which has been said.
            self.bump();
            return Err(Reported);
        }
        self.say(
            Code::Misplaced,
            "an `else` without its `if`",
            self.span(),
            "no `if` ends right before this",
            "`else` follows the `}` of the `if`, without a `;` between them",
        );
        self.bump();
        if self.at(Tok::If) {
            self.if_chain()?;
        } else {
            self.block("an `else` branch")?;
        }
        Ok(Entry::Nothing)
    }

    /// No operator follows the `}` of a statement.
    fn after_brace(&mut self, what: &str) -> Read<()> {
        let operator = exprs::infix(self.peek()).is_some_and(|op| op != BinaryOp::Sub)
            || matches!(self.peek(), Tok::Caret | Tok::StarStar | Tok::Quote | Tok::Dot | Tok::Question);
        if !operator {
            return Ok(());
        }
        Err(self.say(
            Code::Expected,
            format!("expected a statement, found {}", self.found()),
            self.span(),
            format!("{what} at the start of a statement ends with its `}}`"),
            "put the `if` in parentheses to go on with its value: `(if c { a } else { b }) + 1`",
        ))
    }

    fn item_keyword(&mut self) -> Reported {
        let word = self.text_of(self.span());
        self.say(
            Code::Misplaced,
            format!("`{word}` inside a function"),
            self.span(),
            "allowed only outside of functions",
            if word == "const" { "write `let`, or move it out" } else { "move it out of the function" },
        )
    }

    /// `let pattern: type = e;`, `var x: type = e;`
    fn let_stmt(&mut self, var: bool) -> Read<Entry> {
        let start = self.bump();
        let mut var = var;
        if self.word() == "mut" && matches!(self.peek_at(1), Tok::Name | Tok::LParen) {
            self.say(
                Code::NotInLanguage,
                "`mut` is not a keyword",
                start.to(self.span()),
                "declares nothing that can be assigned",
                format!("write `var {} = …;`", self.word_at(1)),
            );
            self.bump();
            var = true;
        }
        let whole = if var { "a `var`" } else { "a `let`" };
        let pattern = self.pattern(whole)?;
        self.no_let_head(&pattern, whole)?;
        let ty = if self.eat(Tok::Colon) { Some(self.ty(whole)?) } else { None };
        let value = match self.initial(whole) {
            Ok(value) => value,
            Err(Reported) => {
                // The name stays known, so that its uses give no further errors.
                let at = self.pos;
                self.skip_to_stmt(at);
                Expr::error(start)
            }
        };
        let span = start.to(if matches!(value.kind, ExprKind::Error) { pattern.span } else { value.span });
        let kind = if var {
            let name = self.var_name(pattern);
            StmtKind::Var { name, ty, value }
        } else {
            StmtKind::Let { pattern, ty, value }
        };
        Ok(Entry::Stmt(Box::new(Stmt { kind, attrs: Vec::new(), span })))
    }

    /// `= e;` of a declaration.
    fn initial(&mut self, whole: &str) -> Read<Expr> {
        match self.peek() {
            Tok::Assign => {}
            Tok::EqEq | Tok::ColonEq => {
                self.say(
                    Code::Expected,
                    format!("expected `=`, found {}", self.found()),
                    self.span(),
                    format!("{whole} has a single `=`"),
                    "write `let x = e;`",
                );
            }
            Tok::Semi => {
                return Err(self.say(
                    Code::Expected,
                    "expected `=`, found `;`",
                    self.span(),
                    format!("{whole} has a value from the start"),
                    "write `var x = 0.0;`, for an array `var x = zeros(N);`",
                ));
            }
            _ => return Err(self.expected("`=`", whole)),
        }
        self.bump();
        let value = self.expr()?;
        self.semi(whole)?;
        Ok(value)
    }

    /// Heads of declarations that adc has not.
    fn no_let_head(&mut self, pattern: &Pattern, whole: &str) -> Read<()> {
        let PatternKind::Name(name) = &pattern.kind else { return Ok(()) };
        let (label, help) = match self.peek() {
            Tok::Comma => ("several names need parentheses", "write `let (a, b) = e;`".to_string()),
            Tok::LBracket => (
                "a whole array is declared at once",
                format!("write `var {0} = zeros(N);`, then `{0}[i] = …;`", name.text),
            ),
            Tok::LParen => (
                "functions are items",
                format!("write `fn {}(x: f64) -> f64 {{ … }}` outside of functions", name.text),
            ),
            _ => return Ok(()),
        };
        Err(self.say(
            Code::Expected,
            format!("expected `:` or `=`, found {}", self.found()),
            self.span(),
            format!("in {whole}: {label}"),
            help,
        ))
    }

    fn var_name(&mut self, pattern: Pattern) -> Name {
        if let PatternKind::Name(name) = pattern.kind {
            return name;
        }
        let d = Diagnostic::error(Code::Expected, "expected one name behind `var`")
            .label(pattern.span, "not a name")
            .help("take the tuple apart with `let (a, b) = e;`, then `var x = a;`");
        self.errors.push(d);
        Name { text: "_".to_string(), span: pattern.span }
    }

    fn pattern(&mut self, whole: &str) -> Read<Pattern> {
        if self.at(Tok::LParen) {
            return self.nest(|p| {
                let open = p.open(Tok::RParen);
                let (mut parts, close) = p.list(open, "the pattern", |p| p.pattern(whole))?;
                let span = open.span.to(close);
                if parts.len() > 1 {
                    return Ok(Pattern { kind: PatternKind::Tuple(parts), span });
                }
                let d = Diagnostic::error(Code::EmptyList, "a pattern with fewer than two parts")
                    .label(span, "takes nothing apart")
                    .help("write `let a = e;`");
                p.report(d);
                Ok(parts.pop().unwrap_or(Pattern { kind: PatternKind::Wild, span }))
            });
        }
        let name = self.name("a name", whole)?;
        let span = name.span;
        let kind = if name.text == "_" { PatternKind::Wild } else { PatternKind::Name(name) };
        Ok(Pattern { kind, span })
    }

    /// `assert c, "text";`
    fn assert_stmt(&mut self) -> Read<Entry> {
        let start = self.bump();
        if self.at(Tok::Not) && self.span().start == start.end {
            return Err(self.say(
                Code::NotInLanguage,
                "`assert!` is not a statement",
                start.to(self.span()),
                "there are no macros",
                "write `assert c, \"text\";`",
            ));
        }
        if self.at(Tok::LParen)
            && let Some(text) = self.text_in_parens()
        {
            return Err(self.say(
                Code::NotInLanguage,
                "an `assert` with parentheses",
                start.to(self.span()),
                "a statement, not a function",
                format!("write `assert c, {text};`"),
            ));
        }
        let cond = self.condition("an `assert`")?;
        let text = if self.eat(Tok::Comma) { Some(self.string("a string", "an `assert`")?) } else { None };
        let span = self.since(start);
        self.semi("an `assert`")?;
        Ok(Entry::Stmt(Box::new(Stmt { kind: StmtKind::Assert { cond, text }, attrs: Vec::new(), span })))
    }

    /// The string of `(c, "text")`.
    fn text_in_parens(&self) -> Option<&str> {
        let n = (1..64)
            .take_while(|&n| !matches!(self.peek_at(n), Tok::Semi | Tok::Eof | Tok::LBrace | Tok::RBrace))
            .find(|&n| self.peek_at(n) == Tok::Comma && matches!(self.peek_at(n + 1), Tok::Str(_)))?;
        (self.peek_at(n + 2) == Tok::RParen).then(|| self.text_of(self.span_at(n + 1)))
    }

    /// A statement that starts with a name: an assignment, a value, or something misspelt.
    fn name_stmt(&mut self) -> Read<Entry> {
        match self.foreign_stmt() {
            Some(ForeignStmt::Return) => return self.return_stmt(),
            Some(ForeignStmt::ElseIf) => {
                self.eat_else_if();
                self.pos -= 1;
                self.if_chain()?;
                return Ok(Entry::Nothing);
            }
            Some(ForeignStmt::Let(var)) => return self.let_stmt(var),
            Some(ForeignStmt::Unknown) => return Err(Reported),
            None => {}
        }
        let two = !self.token_at(1).first_on_line && matches!(self.peek_at(1), Tok::Name | Tok::Number(_));
        if two && let Some(word) = suggest::nearest(self.word(), WORDS.iter().copied()) {
            let message = format!("no statement starts with `{}`", self.word());
            self.misspelt(message, self.span(), word);
            return self.as_keyword(word);
        }
        self.expr_stmt()
    }

    /// Reads on as if the next token were the keyword `word`.
    fn as_keyword(&mut self, word: &str) -> Read<Entry> {
        let start = self.span();
        let kind = match word {
            "let" => return self.let_stmt(false),
            "var" => return self.let_stmt(true),
            "assert" => return self.assert_stmt(),
            "for" => *self.for_stmt()?,
            "while" => *self.while_stmt()?,
            _ => StmtKind::If(self.if_chain()?),
        };
        Ok(Entry::Stmt(Box::new(Stmt { kind, attrs: Vec::new(), span: self.since(start) })))
    }

    /// `return e;`, which is `e` at the end of the block.
    fn return_stmt(&mut self) -> Read<Entry> {
        let place = self.pos;
        let start = self.bump();
        let value = if matches!(self.peek(), Tok::Semi | Tok::RBrace) { None } else { self.expr().ok() };
        let span = value.as_ref().map_or(start, |e| start.to(e.span));
        let last = self.at(Tok::RBrace) || (self.at(Tok::Semi) && self.peek_at(1) == Tok::RBrace);
        let help = if last && self.depth == 1 {
            "the last expression of a block, without `;`, is its value: leave out `return` and the `;`"
        } else {
            "a function ends at its end: write `if c { a } else { b }` and put the rest into the branches"
        };
        let d = Diagnostic::error(Code::NotInLanguage, "`return` is not a statement")
            .label(span, "there is no `return`")
            .help(help);
        if self.last_error.is_none_or(|last| last < place) {
            self.errors.push(d);
        }
        self.eat(Tok::Semi);
        Ok(value.map_or(Entry::Nothing, Entry::Value))
    }

    /// An assignment, or an expression with or without `;`.
    fn expr_stmt(&mut self) -> Read<Entry> {
        let e = self.expr()?;
        let op = match self.peek() {
            Tok::Assign | Tok::ColonEq => AssignOp::Set,
            Tok::AddAssign => AssignOp::Add,
            Tok::SubAssign => AssignOp::Sub,
            Tok::MulAssign => AssignOp::Mul,
            Tok::DivAssign => AssignOp::Div,
            Tok::RBrace | Tok::Eof => return Ok(Entry::Value(e)),
            _ if self.first_on_line() && self.starts_item() => return Ok(Entry::Value(e)),
            Tok::Semi => {
                self.bump();
                return Ok(Entry::Stmt(Box::new(Stmt {
                    span: e.span,
                    kind: StmtKind::Expr(e),
                    attrs: Vec::new(),
                })));
            }
            _ => return self.end_of_expr(e),
        };
        if self.at(Tok::ColonEq) {
            self.say(
                Code::NotInLanguage,
                "`:=` is not an assignment",
                self.span(),
                "from another language",
                "write `let x = e;` for a new name, `x = e;` for a `var`",
            );
        }
        self.bump();
        let target = self.place(e)?;
        let value = self.expr()?;
        let span = target.span.to(value.span);
        if matches!(
            self.peek(),
            Tok::Assign | Tok::AddAssign | Tok::SubAssign | Tok::MulAssign | Tok::DivAssign
        ) {
            return Err(self.say(
                Code::NotInLanguage,
                "an assignment has no value",
                self.span(),
                "a second assignment",
                "write one statement for each variable",
            ));
        }
        self.semi("the assignment")?;
        Ok(Entry::Stmt(Box::new(Stmt {
            kind: StmtKind::Assign { target, op, value },
            attrs: Vec::new(),
            span,
        })))
    }

    /// What follows an expression statement and belongs to no statement.
    fn end_of_expr(&mut self, e: Expr) -> Read<Entry> {
        if let ExprKind::Name(name) = &e.kind {
            let known = suggest::nearest(&name.text, ["let", "var", "while", "assert"]);
            if let (Some(word), false) = (known, self.first_on_line()) {
                let message = format!("no statement starts with `{}`", name.text);
                return Err(self.misspelt(message, e.span, word));
            }
        }
        self.semi("the expression")?;
        let span = e.span;
        Ok(Entry::Stmt(Box::new(Stmt { kind: StmtKind::Expr(e), attrs: Vec::new(), span })))
    }

    /// The left side of an assignment.
    fn place(&mut self, e: Expr) -> Read<Place> {
        let span = e.span;
        let (label, help) = match e.kind {
            ExprKind::Name(name) => return Ok(Place { name, indices: Vec::new(), span }),
            ExprKind::Index { base, indices } => match base.kind {
                ExprKind::Name(name) => return Ok(Place { name, indices, span }),
                ExprKind::Index { .. } => ("indices of an index", "write all in one: `x[i, j] = e;`"),
                _ => ("not an element of a variable", "give the array a name with `var` first"),
            },
            ExprKind::Tuple(_) => ("a tuple", "write one assignment for each, or `let (a, b) = e;`"),
            ExprKind::Call { .. } => {
                ("a call", "elements are written `x[i]`; a function is declared `fn f(x: f64) -> f64 { … }`")
            }
            _ => ("not a variable", "the left side is `x`, `x[i, j]` or `x[a:b]`"),
        };
        Err(self.say(Code::NotAVariable, "this cannot be assigned", span, label, help))
    }
}

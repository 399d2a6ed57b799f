//! What people write who come from other languages, and how adc says it. The words are ordinary names, so each
//! is taken for what it is elsewhere only where a name makes no sense, or if the file never declares it. Names of
//! functions, values and types are in the table of [`crate::words`].

use super::*;
use crate::sema::builtins::Builtin;
use crate::words::{self, Instead};

/// Infix words and tokens: precedence of the operator meant, and the help line. A line that says no more than "write" with an
/// operator is a suggestion, too.
#[rustfmt::skip]
const INFIX_WORDS: &[(&str, u8, &str)] = &[
    ("and", 2, "write `&&`"),
    ("or", 1, "write `||`"),
    ("xor", 3, "for booleans `a != b` is exclusive or"),
    ("mod", 5, "write `mod(a, b)`"),
    ("rem", 5, "write `mod(a, b)`"),
    ("div", 5, "write `div(a, b)`"),
    ("is", 3, "write `==`; every variable has a number, so there is no `None`"),
    ("eq", 3, "write `==`"),
];

#[rustfmt::skip]
const INFIX_TOKENS: &[(Tok, u8, &str)] = &[
    (Tok::Percent, 5, "write `mod(a, b)`"),
    (Tok::Amp, 2, "write `&&`; integers have no bit operations, the last bit of `n` is `mod(n, 2)`"),
    (Tok::Pipe, 1, "of booleans write `||`; integers have no bit operations; a density `p(y | m)` is written out: `-0.5*((y - m)/s)^2 - log(s)`"),
    (Tok::EqEqEq, 3, "write `==` or `!=`"),
];

/// Words at the start of a statement: what follows them there, and the help line.
#[rustfmt::skip]
const STMT_WORDS: &[(&str, &str)] = &[
    ("break", "there is no `break`: put the condition into `while c { … }`"),
    ("continue", "there is no `continue`: put the rest of the body into `if c { … }`"),
    ("print", "nothing is printed from a model: make the value a result of the function"),
    ("println", "nothing is printed from a model: make the value a result of the function"),
    ("printf", "nothing is printed from a model: make the value a result of the function"),
    ("disp", "nothing is printed from a model: make the value a result of the function"),
    ("display", "nothing is printed from a model: make the value a result of the function"),
    ("fprintf", "nothing is printed from a model: make the value a result of the function"),
    ("reject", "write `assert c, \"text\";`, with the condition that must hold"),
    ("call", "a function is called for its value: `let y = f(x);`"),
    ("begin", "a block is `{ … }`"),
    ("del", "leave it out: a name ends with its block"),
    ("loop", "write `while true { … }` with the condition to go on in place of `true`"),
    ("do", "write `for i in 0..n { … }` or `while c { … }`"),
    ("repeat", "write `while c { … }` or `for i in 0..n { … }`"),
    ("until", "write `while !c { … }`"),
    ("unless", "write `if !c { … }`"),
    ("switch", "write `if … { … } else if … { … } else { … }`"),
    ("match", "write `if … { … } else if … { … } else { … }`"),
    ("case", "write `if … { … } else if … { … } else { … }`"),
    ("try", "there are no exceptions; `assert c, \"text\";` ends a run"),
    ("throw", "write `assert c, \"text\";`"),
    ("raise", "write `assert c, \"text\";`, with the condition that must hold"),
    ("yield", "a function gives its value once, at its end"),
    ("end", "blocks end with `}`"),
    ("endif", "blocks end with `}`"),
    ("pass", "an empty block is `{}`"),
    ("global", "a function sees its parameters and the constants of the file only"),
    ("import", "write `use \"file.dsl\";` outside of functions"),
    ("def", "functions do not nest: move it out, `fn name(x: f64) -> f64 { … }`"),
    ("func", "functions do not nest: move it out, `fn name(x: f64) -> f64 { … }`"),
    ("function", "functions do not nest: move it out, `fn name(x: f64) -> f64 { … }`"),
];

/// Words for declarations of variables: whether they can be assigned later.
#[rustfmt::skip]
const LET_WORDS: &[(&str, bool)] = &[
    ("val", false), ("auto", false), ("final", false), ("static", false), ("local", false), ("define", false),
    ("set", false), ("mut", true),
];

/// Words for "otherwise, if".
const ELSE_IF: &[&str] = &["elif", "elseif", "elsif"];

/// Names of scalar types, here and elsewhere, in front of a declared name.
#[rustfmt::skip]
const TYPE_WORDS: &[&str] = &[
    "bool", "i64", "f32", "f64", "c64", "c128", "int", "long", "float", "double", "real", "complex", "number",
];

impl Parser<'_> {
    fn foreign(&self, message: String, span: Span, help: impl Into<String>) -> Diagnostic {
        Diagnostic::error(Code::NotInLanguage, message).label(span, "not part of the language").help(help)
    }

    /// Whether `word` may be a name of the file's own: it declares it somewhere, or uses another file.
    fn declares(&mut self, word: &'static str) -> bool {
        if let Some(&known) = self.own_words.get(word) {
            return known;
        }
        // Inside a pattern or a head every name is declared, elsewhere one with a `:` behind it.
        let (mut head, mut known) = (false, self.tokens.iter().any(|t| t.kind == Tok::Use));
        for pair in self.tokens.windows(2) {
            let text = self.slice(pair[0].start as usize, pair[0].end as usize);
            match pair[0].kind {
                Tok::Let | Tok::Var | Tok::For | Tok::Fn | Tok::Const => head = true,
                Tok::Assign | Tok::LBrace | Tok::Semi | Tok::In => head = false,
                Tok::Name if text == "rule" => head = true,
                Tok::Name => known |= text == word && (head || pair[1].kind == Tok::Colon),
                _ => {}
            }
        }
        self.own_words.insert(word, known);
        known
    }

    /// Whether the token `n` from here can start an operand but not continue an expression.
    fn operand_at(&self, n: usize) -> bool {
        let kind = self.peek_at(n);
        matches!(
            kind,
            Tok::Name | Tok::Number(_) | Tok::True | Tok::False | Tok::Str(_) | Tok::If | Tok::LBrace
        )
    }

    /// The row of an infix word of another language, if one is next.
    pub(super) fn operator_word(&self) -> Option<&'static (&'static str, u8, &'static str)> {
        let row = INFIX_WORDS.iter().find(|row| row.0 == self.word())?;
        let operand = self.operand_at(1) || matches!(self.peek_at(1), Tok::Minus | Tok::Not | Tok::LParen);
        (operand && !(self.first_on_line() && self.peek_at(1) == Tok::LParen)).then_some(row)
    }

    /// Reports an infix operator of another language, if one is next, and gives its precedence.
    pub(super) fn foreign_infix(&mut self) -> Option<u8> {
        let comment = self.at(Tok::Percent)
            && self.peek_at(1) == Tok::Name
            && matches!(self.peek_at(2), Tok::Name)
            && !self.token_at(2).first_on_line;
        if comment {
            return None;
        }
        let joined = match (self.peek(), self.peek_at(1), self.peek_at(2)) {
            (Tok::Pipe, Tok::Gt, _) if self.touch(0) => Some((1, "`|>` is not an operator", "write `f(x)`")),
            (Tok::Percent, Tok::Star, Tok::Percent) => {
                Some((2, "`%*%` is not an operator", "the product of matrices and vectors is `A @ x`"))
            }
            _ => None,
        };
        if let Some((more, message, help)) = joined {
            let d = self.foreign(message.to_string(), self.span().to(self.span_at(more)), help);
            self.report(d);
            (0..more).for_each(|_| {
                self.bump();
            });
            return Some(5);
        }
        let token = INFIX_TOKENS.iter().find(|row| self.at(row.0)).map(|row| (row.1, row.2));
        let (precedence, help) = token.or_else(|| self.operator_word().map(|row| (row.1, row.2)))?;
        let span = self.span();
        let d = self.foreign(format!("`{}` is not an operator", self.text_of(span)), span, help);
        let operator = help.strip_prefix("write `").and_then(|h| h.strip_suffix('`'));
        let operator = operator.filter(|op| !op.contains(['(', '`']));
        self.report(match operator {
            Some(op) => d.replace(span, op, Certainty::Certain),
            None => d,
        });
        Some(precedence)
    }

    /// Whether `not` stands here as an operator.
    pub(super) fn at_foreign_not(&mut self) -> bool {
        self.word() == "not"
            && (self.operand_at(1) || self.peek_at(1) == Tok::LParen)
            && !self.declares("not")
    }

    /// What a token that cannot follow an expression means elsewhere.
    pub(super) fn foreign_operator(&mut self) -> Option<Diagnostic> {
        let span = self.span();
        let text = shown(self.text_of(span));
        let no = |help: &str| Some(self.foreign(format!("`{text}` has no meaning here"), span, help));
        match self.peek() {
            Tok::Question => no("write `if c { a } else { b }`"),
            Tok::FatArrow => no("the result type of a function is written `-> f64`; there are no closures"),
            Tok::Arrow => no(
                "there are no closures: declare `fn g(t: f64) -> f64 { … }` and give its name; elsewhere `->` belongs before a result type",
            ),
            Tok::ColonColon if self.peek_at(1) == Tok::Name => Some(self.foreign(
                format!("`{text}` has no meaning here"),
                span,
                format!("there are no modules: write `{}(x)`", self.word_at(1)),
            )),
            Tok::ColonColon => no("slices have no stride: write `[x[2*i] for i in 0..n]`"),
            Tok::ColonEq => no("write `let x = e;` in a statement before, `x = e;` for a `var`"),
            Tok::OtherAssign => no("the assignments are `= += -= *= /=`; write `k = mod(k, 2);`, `x = x^2;`"),
            Tok::DotDotEq => no("ranges are half-open: `a..b + 1`"),
            Tok::Dot => Some(self.foreign_dot(span)),
            Tok::Assign => {
                no("`=` belongs in `let`, `var` and assignments, one for each name; compare with `==`")
            }
            Tok::In => no("there is no test of membership: write `n == 1 || n == 2`"),
            Tok::Tilde if self.peek_at(1) == Tok::Assign => no("write `!=`"),
            Tok::Tilde => no(
                "there are no distributions in a function: add the log density, `lp += -0.5*((y - mu)/s)^2 - log(s);`, and return `lp`",
            ),
            Tok::Percent => no("comments start with `//`"),
            Tok::Not if self.prev_span().end == span.start && self.pos > 0 => {
                let help = match words::function(self.text_of(self.prev_span())) {
                    Some(Instead::Write(help)) => help,
                    _ => "there are no macros, and names have no `!`: write `f(x)`",
                };
                no(help)
            }
            Tok::Name if self.word() == "as" => no("write `f64(n)`, `i64(x)` to convert"),
            Tok::Name if self.after_cast() => no("write `f64(n)`, `i64(x)` to convert"),
            Tok::If if !self.first_on_line() => no("write `if c { a } else { b }`, the condition first"),
            Tok::For if !self.first_on_line() => no(
                "a generator is the only argument of a reduction, `sum(e for i in 0..n)`, or makes an array, `[e for i in 0..n]`",
            ),
            Tok::Name if self.word() == "then" => no("write `if c { a } else { b }`"),
            Tok::Name if self.word() == "where" => {
                no("put a `let` before the expression; there are no type parameters")
            }
            _ => None,
        }
    }

    /// Whether `(double)` stands right before this.
    fn after_cast(&self) -> bool {
        let back = |n: usize| self.pos.checked_sub(n).map(|i| self.tokens[i]);
        let (Some(open), Some(ty), Some(close)) = (back(3), back(2), back(1)) else { return false };
        let word = self.slice(ty.start as usize, ty.end as usize);
        (open.kind, ty.kind, close.kind) == (Tok::LParen, Tok::Name, Tok::RParen)
            && TYPE_WORDS.contains(&word)
    }

    /// A point that is no part of a number.
    fn foreign_dot(&self, span: Span) -> Diagnostic {
        let next = self.token_at(1);
        let number = self.pos > 0 && matches!(self.tokens[self.pos - 1].kind, Tok::Number(_));
        let after = self.text_of(self.span_at(1));
        let no = |help: String| self.foreign("`.` has no meaning here".to_string(), span, help);
        match next.kind {
            Tok::Number(_) => {
                no("parts of a tuple get names: `let (a, b) = t;`; a real is written `0.5`".into())
            }
            Tok::Name if number && self.prev_span().end == span.start => {
                no(format!("a digit must follow the point: `{}.0{after}`", self.text_of(self.prev_span())))
            }
            Tok::Quote => no("the transpose is `A'`".into()),
            Tok::LParen => {
                no("functions and operators map over arrays as they are: leave the point out".into())
            }
            _ => no(format!("operators map over arrays as they are: write `{after}`")),
        }
    }

    /// What stands behind an operand and its point: `x.sum()`, `np.sin(x)`, `A.T`, `x.^2`. It is reported, and the rest of
    /// the expression is read.
    pub(super) fn foreign_member(&mut self, e: Expr) -> Read<Expr> {
        let number = matches!(self.tokens[self.pos - 1].kind, Tok::Number(_));
        let said = match &e.kind {
            ExprKind::Error => true,
            ExprKind::Index { base, .. } => matches!(base.kind, ExprKind::Error),
            _ => false,
        };
        if said && self.peek_at(1) == Tok::Name {
            // `x.sin().pow(2)`: one message for the whole chain.
            self.bump();
            self.bump();
            if self.at(Tok::LParen) {
                self.skip_parens();
            }
            return Ok(Expr::error(self.since(e.span)));
        }
        if self.peek_at(1) != Tok::Name || (number && self.prev_span().end == self.span().start) {
            let d = self.foreign_dot(self.span());
            self.report(d);
            self.bump();
            if let Tok::Number(_) = self.peek() {
                return Ok(Expr::error(e.span.to(self.bump())));
            }
            return if number { Err(Reported) } else { Ok(e) };
        }
        if let Some(op) = comparison_word(self.word_at(1))
            && self.peek_at(2) == Tok::Dot
        {
            let d = self.foreign(
                format!("`.{}.` is not an operator", self.word_at(1)),
                self.span(),
                format!("write `{op}`"),
            );
            return Err(self.report(d));
        }
        let mut n = 1;
        while self.peek_at(n + 1) == Tok::Dot && self.peek_at(n + 2) == Tok::Name {
            n += 2;
        }
        let whole = e.span.to(self.span_at(n));
        let receiver = shown(self.slice(e.span.start as usize, self.span_at(n - 1).start as usize).trim());
        let (last, call) = (self.word_at(n), self.peek_at(n + 1) == Tok::LParen);
        let module = matches!(&e.kind, ExprKind::Name(name) if words::is_module(&name.text)) || n > 1 && call;
        let (message, label, help) = self.member(&receiver, last, module, self.arguments_at(n + 1));
        let d = Diagnostic::error(Code::NotInLanguage, message).label(whole, label).help(help);
        self.report(d);
        (0..=n).for_each(|_| {
            self.bump();
        });
        if self.at(Tok::LParen) {
            self.skip_parens();
        }
        Ok(Expr::error(self.since(e.span)))
    }

    /// The text of the arguments in the parentheses that open at the `n`-th token from here, if it is short.
    fn arguments_at(&self, n: usize) -> Option<&str> {
        let mut depth = 0;
        for k in n.. {
            match self.peek_at(k) {
                Tok::LParen => depth += 1,
                Tok::RParen => depth -= 1,
                Tok::Eof => return None,
                _ => {}
            }
            if depth == 0 {
                let (from, to) = (self.span_at(n).end as usize, self.span_at(k).start as usize);
                let text = self.text.get(from..to)?.trim();
                return (k > n && text.len() <= 40 && !text.contains('\n')).then_some(text);
            }
        }
        None
    }

    fn skip_parens(&mut self) {
        let mut depth = 0;
        while !self.at(Tok::Eof) {
            match self.peek() {
                Tok::LParen => depth += 1,
                Tok::RParen => depth -= 1,
                _ => {}
            }
            self.bump();
            if depth == 0 {
                return;
            }
        }
    }

    /// Message, label and help line for `receiver.word` or, with the text of arguments, `receiver.word(…)`.
    fn member(
        &self,
        receiver: &str,
        word: &str,
        module: bool,
        args: Option<&str>,
    ) -> (String, String, String) {
        let label = "not part of the language".to_string();
        let Some(args) = args.or((self.peek_at(2) == Tok::LParen).then_some("…")) else {
            let message = format!("there are no {}: `.{word}`", if module { "modules" } else { "fields" });
            let help = match (words::field(word), words::value(word)) {
                (Some(Instead::Name(f)), _) if !module => format!("write `{f}({receiver})`"),
                (Some(Instead::Write(help)), _) if !module => help.to_string(),
                (_, Some(Instead::Name(v))) => format!("write `{v}`"),
                (_, Some(Instead::Write(help))) => help.to_string(),
                _ if matches!(word, "T" | "H" | "mT" | "mH") => format!("the transpose is `{receiver}'`"),
                _ if crate::sema::builtins::named(word).is_some() || Builtin::find(word).is_some() => {
                    format!("write `{word}`")
                }
                _ => "every value has a name of its own: a part is `x[i]`, functions are called `f(x)`"
                    .to_string(),
            };
            return (message, label, help);
        };
        let message = format!("there are no {}: `.{word}(…)`", if module { "modules" } else { "methods" });
        let named = (args.split(',').filter_map(|a| a.split_once('=')))
            .filter(|(n, _)| n.trim() != "axis")
            .find_map(|(n, _)| words::argument(n.trim()));
        let all = match (module, args) {
            (true, _) => args.to_string(),
            (false, "") => receiver.to_string(),
            (false, _) => format!("{receiver}, {args}"),
        };
        let known = |n: &str| Builtin::find(n).is_some() || DerivOp::from_text(n).is_some();
        let help = match words::function(word) {
            _ if named.is_some() => named.unwrap_or_default().to_string(),
            _ if word == "dot" => match module {
                true => format!("write `dot({args})` for vectors, `A @ x` for matrices"),
                false => format!("write `{receiver} @ {args}`"),
            },
            _ if word == "astype" || word == "to" => {
                format!("write `f64({receiver})`, `i64({receiver})` or `c128({receiver})`")
            }
            _ if known(word) => format!("write `{word}({all})`"),
            Some(Instead::Name(f)) => format!("write `{f}({all})`"),
            Some(Instead::Write(help)) => help.to_string(),
            None => "functions are called `f(x)`; `adc explain --list` shows the built-in ones".to_string(),
        };
        (message, label, help)
    }

    /// A statement of another language. Gives what can be made of it.
    pub(super) fn foreign_stmt(&mut self) -> Option<ForeignStmt> {
        let word = self.word();
        let next = self.peek_at(1);
        if word.is_empty() || matches!(next, Tok::Assign | Tok::AddAssign | Tok::SubAssign) {
            return None;
        }
        let two = self.operand_at(1) && !self.token_at(1).first_on_line;
        if ELSE_IF.contains(&word) && two {
            return Some(ForeignStmt::ElseIf);
        }
        if word == "return" && (two || !self.declares("return")) {
            return Some(ForeignStmt::Return);
        }
        if let Some(&(word, help)) = STMT_WORDS.iter().find(|row| row.0 == word) {
            let block = matches!(next, Tok::LBrace);
            let alone = matches!(next, Tok::Semi | Tok::RBrace | Tok::LParen | Tok::Colon)
                || self.token_at(1).first_on_line;
            if two || block || (alone && !self.declares(word)) {
                let span = self.span();
                if word == "end" && self.once.contains("braces") {
                    // The block it ends had no braces, which has been said.
                    self.bump();
                    return Some(ForeignStmt::Unknown);
                }
                let d = self.foreign(format!("`{word}` is not a statement"), span, help);
                self.report(d);
                return Some(ForeignStmt::Unknown);
            }
        }
        if words::is_array_type(word) && next == Tok::LBracket {
            return self.array_in_front();
        }
        if self.peek_at(1) == Tok::Lt && self.peek_at(2) == Tok::Minus && self.touch(1) {
            let help = format!("write `let {word} = …;` for a new name, `{word} = …;` for a `var`");
            let d = self.foreign(
                "`<-` is not an assignment".to_string(),
                self.span_at(1).to(self.span_at(2)),
                help,
            );
            self.report(d);
            return Some(ForeignStmt::Unknown);
        }
        if let Some(names) = self.names_in_front() {
            let names = names.join(", ");
            let help = format!(
                "write `let ({names}) = …;` for new names; variables are assigned one by one, new values first: `let (a, b) = …;`"
            );
            let d = self.foreign("several names in front of `=`".to_string(), self.span_at(1), help);
            self.report(d);
            return Some(ForeignStmt::Unknown);
        }
        if !(two && next == Tok::Name) {
            return None;
        }
        if let Some(&(word, var)) = LET_WORDS.iter().find(|row| row.0 == word) {
            let keyword = if var { "var" } else { "let" };
            let span = self.span();
            let d = self.foreign(
                format!("`{word}` declares nothing"),
                span,
                format!("write `{keyword} {} = …;`", self.word_at(1)),
            );
            let d = d.replace(span, keyword, Certainty::Likely);
            self.report(d);
            return Some(ForeignStmt::Let(var));
        }
        if TYPE_WORDS.contains(&word) {
            return Some(self.type_in_front(word));
        }
        None
    }

    /// Whether the `n`-th token from here and the next one have nothing between them.
    fn touch(&self, n: usize) -> bool {
        self.token_at(n).end == self.token_at(n + 1).start
    }

    /// `a, b =` at the start of a statement: the names.
    fn names_in_front(&self) -> Option<Vec<&str>> {
        let mut n = 0;
        while self.peek_at(n) == Tok::Name && self.peek_at(n + 1) == Tok::Comma {
            n += 2;
        }
        let names = n > 0 && self.peek_at(n) == Tok::Name && self.peek_at(n + 1) == Tok::Assign;
        names.then(|| (0..=n).step_by(2).map(|k| self.word_at(k)).collect())
    }

    /// `double y = e;`, `double y;`, `double v[3];`
    fn type_in_front(&mut self, word: &str) -> ForeignStmt {
        let (span, name) = (self.span().to(self.span_at(1)), self.word_at(1));
        let ty = words::type_name(word);
        let zero = if ty == "i64" { "0" } else { "0.0" };
        let (help, on) = match self.peek_at(2) {
            Tok::LBracket => (format!("write `var {name} = zeros(N);`, then `{name}[i] = …;`"), false),
            Tok::Semi | Tok::Comma => {
                (format!("write `var {name} = {zero};`: a variable has a value from the start"), false)
            }
            _ => (format!("write `let {name}: {ty} = …;`, or `var` if it is assigned later"), true),
        };
        let d = self.foreign("a type in front of a name".to_string(), span, help);
        self.report(d);
        if on { ForeignStmt::Let(false) } else { ForeignStmt::Unknown }
    }

    /// `vector[3] v;`
    fn array_in_front(&mut self) -> Option<ForeignStmt> {
        let mut n = 1;
        while !matches!(self.peek_at(n), Tok::RBracket | Tok::Semi | Tok::Eof) {
            n += 1;
        }
        let named = self.peek_at(n) == Tok::RBracket && self.peek_at(n + 1) == Tok::Name;
        if !named {
            return None;
        }
        let sizes = self.slice(self.span_at(1).end as usize, self.span_at(n).start as usize);
        // `array[3] real v`
        let name = if self.peek_at(n + 2) == Tok::Name { self.word_at(n + 2) } else { self.word_at(n + 1) };
        let sizes = shown(sizes);
        let help = format!("write `var {name} = zeros({sizes});`, then `{name}[i] = …;`");
        let d =
            self.foreign("a type in front of a name".to_string(), self.span().to(self.span_at(n + 1)), help);
        self.report(d);
        Some(ForeignStmt::Unknown)
    }

    /// What a word that starts no item means elsewhere, as the keyword to go on with.
    pub(super) fn foreign_item(&mut self) -> Option<ForeignItem> {
        let word = self.word();
        if self.block_of_stan() {
            return Some(ForeignItem::Unknown);
        }
        let (message, help, item) = match word {
            "function" | "func" | "fun" | "def" | "define" | "proc" | "procedure" | "subroutine" => {
                return Some(ForeignItem::Fn);
            }
            _ if self.typed_function() => return Some(ForeignItem::Fn),
            "pub" | "public" | "private" | "export" | "inline" | "static" | "async" | "local" => (
                format!("`{word}` starts no item"),
                "leave it out: items are `fn f(x: f64) -> f64 { … }` and `const K: f64 = …;`, and other files can use all of them",
                ForeignItem::Modifier,
            ),
            "import" | "include" | "from" | "using" | "require" | "mod" | "module" | "package" | "load" => (
                format!("`{word}` starts no item"),
                "leave it out for built-in functions, they are always there; items of another adc file come with `use \"other.dsl\";`",
                ForeignItem::Unknown,
            ),
            "struct" | "class" | "type" | "enum" | "impl" | "trait" | "interface" | "record" | "data" => (
                format!("`{word}` starts no item"),
                "there are no user-defined types: the types are `bool i64 f32 f64 c64 c128` and arrays of them",
                ForeignItem::Unknown,
            ),
            "test" => (
                "`test` starts no item".to_string(),
                "`check f { … }` compares derivatives of `f` with finite differences",
                ForeignItem::Unknown,
            ),
            "template" => (
                "`template` starts no item".to_string(),
                "there are no type parameters: write a function for numbers, `fn f(x: f64) -> f64 { … }`",
                ForeignItem::Unknown,
            ),
            "end" if !self.errors.is_empty() => {
                // What it ends has been reported.
                self.bump();
                return Some(ForeignItem::Unknown);
            }
            _ => return None,
        };
        let d = self.foreign(message, self.span(), help);
        self.report(d);
        Some(item)
    }

    /// `double f(`
    fn typed_function(&self) -> bool {
        let word = self.word();
        (TYPE_WORDS.contains(&word) || word == "void")
            && self.peek_at(1) == Tok::Name
            && self.peek_at(2) == Tok::LParen
    }

    /// A block of a Stan program, said once.
    fn block_of_stan(&mut self) -> bool {
        let block = match self.word() {
            "data" | "parameters" | "model" | "functions" => self.peek_at(1) == Tok::LBrace,
            "transformed" | "generated" => self.peek_at(1) == Tok::Name,
            _ => false,
        };
        if !block {
            return false;
        }
        if self.once.insert("stan") {
            let message = format!("`{}` starts no item", self.word());
            let help = "a model is a function of its data and parameters that returns the log density: \
                        `fn log_density[N](y: f64[N], mu: f64) -> f64 { sum(-0.5*(y[i] - mu)^2 for i) }`";
            let d = self.foreign(message, self.span(), help);
            self.report(d);
        }
        while !matches!(self.peek(), Tok::LBrace | Tok::Eof) {
            self.bump();
        }
        self.skip_braces();
        true
    }

    /// A function as other languages write one, from its keyword or type on: one message with its head in adc, and
    /// nothing about what is inside. If the head has an arrow it is nearly adc's, and is read on.
    pub(super) fn foreign_function(&mut self) -> Read<ItemKind> {
        let column_one = |t: Token| {
            t.first_on_line && (t.start == 0 || self.text.as_bytes()[t.start as usize - 1] == b'\n')
        };
        let head = (0..).map(|n| (n, self.token_at(n))).take_while(|(n, t)| {
            !matches!(t.kind, Tok::LBrace | Tok::Eof | Tok::Semi) && (*n == 0 || !column_one(*t))
        });
        let arrow = head.map(|(_, t)| t.kind).any(|t| t == Tok::Arrow);
        let span = self.span();
        let word = self.word();
        if arrow {
            let d = self.foreign(
                format!("`{word}` starts no item"),
                span,
                "functions are written `fn name(x: f64) -> f64 { … }`",
            );
            self.report(d);
            return self.function();
        }
        let help =
            format!("write `{}`; the last expression of the body, without `;`, is its value", self.head());
        let d = self.foreign(format!("`{word}` starts no item"), span, help);
        self.report(d);
        self.skip_function();
        Err(Reported)
    }

    /// The head of a function of another language as one of adc: `fn f(x: f64, y: f64) -> f64 { … }`.
    pub(super) fn head(&self) -> String {
        let mut n = 0;
        while !matches!(self.peek_at(n), Tok::LParen | Tok::Eof | Tok::LBrace) {
            n += 1;
        }
        let name = if n > 0 && self.peek_at(n - 1) == Tok::Name { self.word_at(n - 1) } else { "f" };
        let name = if matches!(name, "function" | "def") { "f" } else { name };
        let mut params = Vec::new();
        let (mut last, mut typed, mut depth) = ("", false, 0);
        if self.peek_at(n) == Tok::LParen {
            for k in n + 1.. {
                match self.peek_at(k) {
                    Tok::Eof | Tok::LBrace => break,
                    Tok::LParen | Tok::LBracket | Tok::Lt => depth += 1,
                    Tok::RBracket | Tok::Gt => depth -= 1,
                    Tok::RParen if depth > 0 => depth -= 1,
                    t @ (Tok::Comma | Tok::RParen) if depth == 0 => {
                        if !last.is_empty() {
                            params.push(format!("{last}: f64"));
                        }
                        (last, typed) = ("", false);
                        if t == Tok::RParen {
                            break;
                        }
                    }
                    Tok::Colon | Tok::ColonColon | Tok::Assign => typed = true,
                    Tok::Name if !typed && depth == 0 => last = self.word_at(k),
                    _ => {}
                }
            }
        }
        format!("fn {name}({}) -> f64 {{ … }}", params.join(", "))
    }

    /// Skips a function of another language: its braces, or all lines up to the next one that is not indented.
    fn skip_function(&mut self) {
        let mut seen = false;
        while !self.at(Tok::Eof) {
            if self.at(Tok::LBrace) {
                return self.skip_braces();
            }
            if seen && self.first_on_line() && self.at_column_one() {
                if self.word() == "end" {
                    self.bump();
                }
                return;
            }
            seen = true;
            self.bump();
        }
    }

    /// The name of a scalar type, in front of a name.
    pub(super) fn at_type_word(&self) -> bool {
        TYPE_WORDS.contains(&self.word()) && self.peek_at(1) == Tok::Name
    }

    /// Takes `elif` and the like, reported.
    pub(super) fn eat_else_if(&mut self) -> bool {
        let found = ELSE_IF.contains(&self.word()) && self.operand_at(1);
        if found {
            let span = self.span();
            let d = self.foreign(format!("`{}` is not a keyword", self.word()), span, "write `else if`");
            let d = d.replace(span, "else if", Certainty::Certain);
            self.report(d);
            self.bump();
        }
        found
    }
}

/// Comparisons of Fortran.
fn comparison_word(word: &str) -> Option<&'static str> {
    Some(match word {
        "gt" => ">",
        "ge" => ">=",
        "lt" => "<",
        "le" => "<=",
        "eq" => "==",
        "ne" => "!=",
        "and" => "&&",
        "or" => "||",
        _ => return None,
    })
}

/// What a statement of another language comes to.
pub(super) enum ForeignStmt {
    /// `return e`
    Return,
    /// `elif`, with no `if` before it.
    ElseIf,
    /// A declaration, of a variable if `true`. The word is the next token.
    Let(bool),
    /// Nothing; it has been reported.
    Unknown,
}

/// What an item of another language comes to.
pub(super) enum ForeignItem {
    /// A function; the word is the next token.
    Fn,
    /// A word to leave out.
    Modifier,
    /// Nothing.
    Unknown,
}

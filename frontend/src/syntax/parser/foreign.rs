//! What people write who come from other languages, and how adc says it. The words are ordinary names, so each
//! is taken for what it is elsewhere only where a name makes no sense, or if the file never declares it.

use super::*;

/// Infix words and tokens: precedence of the operator meant, and the help line.
#[rustfmt::skip]
const INFIX_WORDS: &[(&str, u8, &str)] = &[
    ("and", 2, "write `&&`"),
    ("or", 1, "write `||`"),
    ("xor", 3, "for booleans `a != b` is exclusive or"),
    ("mod", 5, "write `mod(a, b)`"),
    ("rem", 5, "write `mod(a, b)`"),
    ("div", 5, "write `div(a, b)`"),
    ("is", 3, "write `==`"),
    ("eq", 3, "write `==`"),
];

#[rustfmt::skip]
const INFIX_TOKENS: &[(Tok, u8, &str)] = &[
    (Tok::Percent, 5, "write `mod(a, b)`"),
    (Tok::Amp, 2, "write `&&`; integers have no bit operations"),
    (Tok::Pipe, 1, "write `||`; integers have no bit operations"),
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
    ("loop", "write `while true { … }` with the condition to go on in place of `true`"),
    ("do", "write `while c { … }`"),
    ("repeat", "write `while c { … }` or `for i in 0..n { … }`"),
    ("until", "write `while !c { … }`"),
    ("unless", "write `if !c { … }`"),
    ("switch", "write `if … { … } else if … { … } else { … }`"),
    ("match", "write `if … { … } else if … { … } else { … }`"),
    ("case", "write `if … { … } else if … { … } else { … }`"),
    ("try", "there are no exceptions; `assert c, \"text\";` ends a run"),
    ("throw", "write `assert c, \"text\";`"),
    ("raise", "write `assert c, \"text\";`"),
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
        let token = INFIX_TOKENS.iter().find(|row| self.at(row.0)).map(|row| (row.1, row.2));
        let (precedence, help) = token.or_else(|| self.operator_word().map(|row| (row.1, row.2)))?;
        let span = self.span();
        let d = self.foreign(format!("`{}` is not an operator", self.text_of(span)), span, help);
        self.report(d);
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
            Tok::Arrow => no("`->` belongs before a result type: `fn f(x: f64) -> f64`"),
            Tok::ColonColon => no("slices have no stride: write `[x[2*i] for i in 0..n]`"),
            Tok::ColonEq => no("write `let x = e;` for a new name, `x = e;` for a `var`"),
            Tok::OtherAssign => no("the assignments are `= += -= *= /=`; write `x = x^2;`"),
            Tok::DotDotEq => no("ranges are half-open: `a..b + 1`"),
            Tok::Dot => Some(self.foreign_dot(span)),
            Tok::Assign => no("`=` belongs in `let`, `var` and assignments; compare with `==`"),
            Tok::If if !self.first_on_line() => no("write `if c { a } else { b }`, the condition first"),
            Tok::For if !self.first_on_line() => no(
                "a generator is the only argument of a reduction, `sum(e for i in 0..n)`, or makes an array, `[e for i in 0..n]`",
            ),
            Tok::Name if self.word() == "then" => no("write `if c { a } else { b }`"),
            Tok::Name if self.word() == "where" => no("put a `let` before the expression"),
            _ => None,
        }
    }

    fn foreign_dot(&self, span: Span) -> Diagnostic {
        let next = self.token_at(1);
        let number = self.pos > 0 && matches!(self.tokens[self.pos - 1].kind, Tok::Number(_));
        let after = self.text_of(self.span_at(1));
        let message = "`.` has no meaning here".to_string();
        match next.kind {
            Tok::Number(_) => self.foreign(
                message,
                span,
                "parts of a tuple get names: `let (a, b) = t;`; a real is written `0.5`",
            ),
            Tok::Name if number && self.prev_span().end == span.start => {
                let help =
                    format!("a digit must follow the point: `{}.0{after}`", self.text_of(self.prev_span()));
                self.foreign(message, span, help)
            }
            Tok::Name if after == "T" => self.foreign(message, span, "the transpose is `A'`"),
            Tok::Name if matches!(after, "shape" | "len" | "length" | "size") => self.foreign(
                message,
                span,
                "sizes are dimensions: `fn f[N](x: f64[N])` makes `N` a name in the body",
            ),
            Tok::Name if self.peek_at(2) == Tok::LParen => {
                self.foreign(message, span, format!("there are no methods: write `{after}(x)`"))
            }
            Tok::Name => {
                self.foreign(message, span, "there are no fields and no modules; functions are called `f(x)`")
            }
            _ => self.foreign(message, span, "operators map over arrays as they are: leave the point out"),
        }
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
                let d = self.foreign(format!("`{word}` is not a statement"), span, help);
                self.report(d);
                return Some(ForeignStmt::Unknown);
            }
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
            self.report(d);
            return Some(ForeignStmt::Let(var));
        }
        if TYPE_WORDS.contains(&word) {
            let span = self.span();
            let help =
                format!("write `let {}: {word} = …;`, or `var` if it is assigned later", self.word_at(1));
            let d = self.foreign("a type in front of a name".to_string(), span.to(self.span_at(1)), help);
            self.report(d);
            return Some(ForeignStmt::Let(false));
        }
        None
    }

    /// What a word that starts no item means elsewhere, as the keyword to go on with.
    pub(super) fn foreign_item(&mut self) -> Option<ForeignItem> {
        let word = self.word();
        let (message, help, item) = match word {
            "function" | "func" | "fun" | "def" | "define" | "proc" | "procedure" | "subroutine" => (
                format!("`{word}` starts no item"),
                "functions are written `fn name(x: f64) -> f64 { … }`",
                ForeignItem::Fn,
            ),
            "pub" | "public" | "private" | "export" | "inline" | "static" | "async" | "local" => (
                format!("`{word}` starts no item"),
                "leave it out: every item of a file can be used from others (inlining is `#[inline]`)",
                ForeignItem::Modifier,
            ),
            "import" | "include" | "from" | "using" | "require" | "mod" | "module" | "package" | "load" => (
                format!("`{word}` starts no item"),
                "items of another file come with `use \"other.dsl\";`",
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
            _ => return None,
        };
        let d = self.foreign(message, self.span(), help);
        self.report(d);
        Some(item)
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
            self.report(d);
            self.bump();
        }
        found
    }
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

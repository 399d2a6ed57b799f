//! `check` and `bench` blocks. Their words are ordinary names elsewhere, and also inside, where they name a
//! parameter: `points = 3;`.

use super::*;
use crate::syntax::suggest;
use crate::words;

/// The words that start a line of a block.
#[rustfmt::skip]
pub const WORDS: &[&str] = &[
    "wrt", "nodiff", "outputs", "modes", "points", "seed", "edge", "eps", "atol", "rtol", "fuel", "memory_limit",
    "max_ratio", "expect",
];

impl Parser<'_> {
    /// `check NAME[dims] { … }`, `bench NAME[dims] { … }`
    pub(super) fn check(&mut self, word: &str) -> Read<Check> {
        self.bump();
        let whole = format!("a `{word}` block");
        if self.at(Tok::LBrace) {
            let d = self.expected_error("the name of a function", &whole);
            return Err(self.report(d.help(format!("write `{word} f {{ … }}`"))));
        }
        let target = self.real_name("the name of a function", &whole)?;
        let mut dims = Vec::new();
        if self.at(Tok::LBracket) {
            let open = self.open(Tok::RBracket);
            dims = self.nest(|p| p.list(open, "the dimensions", Self::dim_arg))?.0;
        }
        if !self.at(Tok::LBrace) {
            let d = self.expected_error("`{`", &whole);
            let f = &target.text;
            let help = match self.peek() {
                Tok::LParen if self.peek_at(1) == Tok::Name && self.peek_at(2) == Tok::Assign => {
                    format!(
                        "dimensions are in square brackets, `{word} {f}[N = 5] {{ … }}`, values in the block: `x = 2.0;`"
                    )
                }
                Tok::LParen => format!("values are in the block: `{word} {f} {{ x = 2.0; }}`"),
                Tok::Comma => format!("write a block for each function: `{word} {f} {{ … }}`"),
                _ => format!("write `{word} {f} {{ … }}`; an empty block takes every default"),
            };
            return Err(self.report(d.help(help)));
        }
        let open = self.bump();
        let mut lines = Vec::new();
        loop {
            if self.eat(Tok::RBrace) {
                return Ok(Check { target, dims, lines });
            }
            if self.at(Tok::Eof) || (self.starts_item() && self.first_on_line()) {
                self.say(
                    Code::Unclosed,
                    format!("expected `}}`, found {}", self.found()),
                    open,
                    "this block is not closed",
                    "add the missing `}`",
                );
                return Ok(Check { target, dims, lines });
            }
            let start = self.pos;
            if !self.eat(Tok::Semi) {
                match self.check_line(&whole) {
                    Ok(line) => lines.push(line),
                    Err(Reported) => self.skip_to_stmt(start),
                }
            }
            if self.pos == start {
                self.bump();
            }
        }
    }

    fn check_line(&mut self, whole: &str) -> Read<CheckLine> {
        let start = self.span();
        let kind = self.check_line_kind(whole)?;
        let span = self.since(start);
        if !self.at(Tok::RBrace) {
            self.check_end()?;
        }
        Ok(CheckLine { kind, span })
    }

    /// The `;` of a line; a `,` in its place is reported and read as one.
    fn check_end(&mut self) -> Read<()> {
        if self.at(Tok::Comma) {
            self.say(
                Code::Expected,
                "expected `;`, found `,`",
                self.span(),
                "lines of a block end with `;`",
                "write `;`",
            );
            self.bump();
            return Ok(());
        }
        self.semi("a line of the block")
    }

    fn check_line_kind(&mut self, whole: &str) -> Read<CheckLineKind> {
        match self.peek_at(1) {
            Tok::Tilde if self.at(Tok::Name) => return self.sample(),
            Tok::In if self.at(Tok::Name) => {
                let param = self.any_name();
                self.bump();
                return Ok(CheckLineKind::In { param, domain: self.domain()? });
            }
            Tok::Assign if self.at(Tok::Name) => return self.fixed(),
            _ => {}
        }
        let word = self.word();
        match word {
            "wrt" => Ok(CheckLineKind::Wrt(self.names("the name of a parameter", "`wrt`")?)),
            "nodiff" => Ok(CheckLineKind::Nodiff(self.names("the name of a parameter", "`nodiff`")?)),
            "outputs" => Ok(CheckLineKind::Outputs(self.names("the name of a result", "`outputs`")?)),
            "modes" => Ok(CheckLineKind::Modes(self.names("a mode", "`modes`")?)),
            "edge" => {
                self.bump();
                Ok(CheckLineKind::Edge)
            }
            "expect" => {
                self.bump();
                if !self.at(Tok::Name) {
                    let d = self.expected_error("a verdict", "`expect`");
                    return Err(self.report(d.help("for example `expect fail;` or `expect kink;`")));
                }
                Ok(CheckLineKind::Expect(self.any_name()))
            }
            _ => match Setting::from_text(word) {
                Some(setting) => {
                    let name = self.any_name();
                    if self.at(Tok::Colon) {
                        let value = self.text_of(self.span_at(1));
                        return Err(self.say(
                            Code::Expected,
                            "expected a value, found `:`",
                            self.span(),
                            "nothing stands between the word and its value",
                            format!("write `{} {value};`", name.text),
                        ));
                    }
                    Ok(CheckLineKind::Setting { setting, name, value: self.expr()? })
                }
                None => Err(self.no_check_line(whole)),
            },
        }
    }

    /// `x ~ normal(0, 1)`
    fn sample(&mut self) -> Read<CheckLineKind> {
        let param = self.any_name();
        self.bump();
        if !self.at(Tok::Name) {
            let d = self.expected_error("a distribution", "a `~` line");
            return Err(self.report(d.help("for example `x ~ normal(0, 1);`, `x ~ uniform(-1, 1);`")));
        }
        let dist = self.any_name();
        if !self.at(Tok::LParen) {
            return Err(self.expected("`(`", &format!("the distribution `{}`", dist.text)));
        }
        let open = self.open(Tok::RParen);
        let whole = format!("the arguments of `{}`", dist.text);
        let args = self.nest(|p| p.list(open, &whole, Self::expr))?.0;
        Ok(CheckLineKind::Sample { param, dist, args })
    }

    /// `x = 0.1`, `x = load("x.npy")`
    fn fixed(&mut self) -> Read<CheckLineKind> {
        let param = self.any_name();
        self.bump();
        let load =
            self.word() == "load" && self.peek_at(1) == Tok::LParen && matches!(self.peek_at(2), Tok::Str(_));
        if !load {
            return Ok(CheckLineKind::Fixed { param, value: self.expr()? });
        }
        self.bump();
        let open = self.open(Tok::RParen);
        let path = self.string("the path of a file", "`load`")?;
        self.close(open, "`)`", "`load`")?;
        Ok(CheckLineKind::Load { param, path })
    }

    /// The names behind a word, at least one; a dotted name like `out.1` is one name.
    fn names(&mut self, what: &str, whole: &str) -> Read<Vec<Name>> {
        self.bump();
        let mut names = Vec::new();
        loop {
            if !self.at(Tok::Name) {
                return Err(self.expected(what, whole));
            }
            let mut name = self.any_name();
            while self.at(Tok::Dot) && self.peek_at(1) == Tok::Number(super::super::lexer::Number::Int) {
                self.bump();
                let span = name.span.to(self.bump());
                name = Name { text: self.text_of(span).to_string(), span };
            }
            if self.at(Tok::Dot) {
                let d = self.no_result_number(&name);
                return Err(self.report(d));
            }
            names.push(name);
            if !self.eat(Tok::Comma) {
                return Ok(names);
            }
        }
    }

    fn no_result_number(&self, name: &Name) -> Diagnostic {
        Diagnostic::error(Code::Expected, "expected a number behind `.`")
            .label(name.span.to(self.span()), "names a part of something")
            .help("results without names are `out`, or `out.0`, `out.1`")
    }

    /// Why no line starts here.
    fn no_check_line(&mut self, whole: &str) -> Reported {
        let d =
            Diagnostic::error(Code::Expected, format!("expected a line of {whole}, found {}", self.found()));
        if let (Tok::Name, Some(op)) = (self.peek(), bound(self.peek_at(1))) {
            let (x, end) = (self.word(), self.text_of(self.span_at(2)));
            let d = d.label(self.span(), "a bound is an interval");
            return self.report(d.help(match op {
                true => {
                    format!("write `{x} in ({end}, 10];`, with finite bounds, or `{x} ~ lognormal(0, 1);`")
                }
                false => format!("write `{x} in [-10, {end});`, with finite bounds"),
            }));
        }
        let near = words::line(self.word()).or_else(|| suggest::nearest(self.word(), WORDS.iter().copied()));
        let d = match near {
            Some(near) => d.meant(self.span(), near).help(format!("write `{near}`")),
            None if self.at(Tok::Name) => d
                .label(self.span(), "neither a word of the block nor a parameter with `~`, `in` or `=`")
                .help(format!("parameters are given as `x ~ normal(0, 1);`, `x in [0, 1];`, `x = 0.5;`; the words are {}", WORDS.join(", "))),
            None => d
                .label(self.span(), "no line starts with this")
                .help(format!("lines start with a parameter or one of {}", WORDS.join(", "))),
        };
        self.report(d)
    }
}

/// Whether a comparison is a lower bound.
fn bound(kind: Tok) -> Option<bool> {
    match kind {
        Tok::Gt | Tok::Ge => Some(true),
        Tok::Lt | Tok::Le => Some(false),
        _ => None,
    }
}

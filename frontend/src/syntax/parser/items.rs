//! Items of a file.

use super::foreign::ForeignItem;
use super::*;
use crate::syntax::suggest;

/// Words that start an item, and some that mean `fn` elsewhere.
const WORDS: &[&str] = &["const", "extern", "use", "rule", "check", "bench", "function", "func"];

/// The version of the language.
pub const VERSION: &str = "1";

impl Parser<'_> {
    /// `language 1;`, which stands before everything else.
    pub(super) fn language(&mut self) -> Option<Span> {
        if !self.at_language() {
            return None;
        }
        let start = self.bump();
        let number = self.bump();
        let version = self.text_of(number);
        if version != VERSION {
            let message = format!("this adc does not know version {} of the language", shown(version));
            let help = format!("a newer adc may know it; this one reads `language {VERSION};`");
            self.say(Code::UnknownVersion, message, number, "unknown", help);
        }
        let _ = self.semi("the version of the language");
        Some(self.since(start))
    }

    fn at_language(&self) -> bool {
        self.word() == "language" && matches!(self.peek_at(1), Tok::Number(_))
    }

    /// All items up to the end of the file.
    pub(super) fn items(&mut self) -> Vec<Item> {
        let mut items = Vec::new();
        while !self.at(Tok::Eof) {
            let start = self.pos;
            match self.item() {
                Ok(item) => items.extend(item),
                Err(Reported) => self.skip_to_item(start),
            }
            items.append(&mut self.nested_items);
            if self.pos == start {
                self.bump();
            }
        }
        items
    }

    /// An item with its documentation and attributes; nothing for a stray `;`.
    pub(super) fn item(&mut self) -> Read<Option<Item>> {
        let doc = self.doc();
        let attrs = self.attrs()?;
        let doc = if doc.is_empty() { self.doc() } else { doc };
        if self.at(Tok::Semi) && attrs.is_empty() {
            self.bump();
            return Ok(None);
        }
        while self.at_modifier() {
            self.bump();
            if self.at(Tok::Const) && self.peek_at(1) == Tok::Name && self.peek_at(2) == Tok::Name {
                // `static const double K`: one message is enough.
                return Err(Reported);
            }
        }
        let start = self.span();
        let place = match (self.peek(), self.word()) {
            (Tok::Fn, _) => attrs::Place::Fn,
            (_, "rule") => attrs::Place::Rule,
            _ => attrs::Place::Other,
        };
        let attrs = self.placed(attrs, place);
        let kind = self.item_kind()?;
        Ok(Some(Item { kind, doc, attrs, span: self.since(start) }))
    }

    /// The `///` lines before the next token.
    fn doc(&self) -> String {
        let first = self.docs.partition_point(|d| d.0 < self.pos);
        let lines = self.docs[first..].iter().take_while(|d| d.0 == self.pos);
        lines.map(|d| d.1.as_str()).collect::<Vec<_>>().join("\n")
    }

    fn at_modifier(&mut self) -> bool {
        let follows = matches!(self.peek_at(1), Tok::Fn | Tok::Const | Tok::Extern | Tok::Name);
        let word = self.word();
        let modifier =
            matches!(word, "pub" | "public" | "private" | "export" | "inline" | "static" | "async" | "local");
        follows && modifier && matches!(self.foreign_item(), Some(ForeignItem::Modifier))
    }

    fn item_kind(&mut self) -> Read<ItemKind> {
        match self.peek() {
            Tok::Fn => self.function(),
            Tok::Extern => self.extern_fn(),
            Tok::Const => self.constant(),
            Tok::Use => self.use_file(),
            Tok::Name => match self.word() {
                "rule" => self.rule(),
                "check" => Ok(ItemKind::Check(self.check("check")?)),
                "bench" => Ok(ItemKind::Bench(self.check("bench")?)),
                _ => self.unknown_item(),
            },
            Tok::RBrace => Err(self.say(
                Code::Unclosed,
                "a `}` that closes nothing",
                self.span(),
                "no block is open here",
                "remove it, or look for a `}` too many before it",
            )),
            Tok::Let | Tok::Var => {
                let word = self.text_of(self.span());
                Err(self.say(
                    Code::Misplaced,
                    format!("`{word}` outside of functions"),
                    self.span(),
                    "a statement",
                    format!(
                        "write `const {}: f64 = …;`",
                        if self.peek_at(1) == Tok::Name { self.word_at(1) } else { "X" }
                    ),
                ))
            }
            Tok::For | Tok::While | Tok::If | Tok::Assert => Err(self.say(
                Code::Misplaced,
                "a statement outside of functions",
                self.span(),
                "only items belong here",
                "move it into a function: `fn f(x: f64) -> f64 { … }`",
            )),
            _ => Err(self.no_item()),
        }
    }

    fn no_item(&mut self) -> Reported {
        let foreign = match self.peek() {
            Tok::At => Some((
                "`@` starts no item",
                "there are no decorators and macros: leave it out; attributes are `#[inline]`",
            )),
            Tok::Percent => Some(("`%` starts no comment", "comments start with `//`")),
            _ => None,
        };
        if let Some((message, help)) = foreign {
            return self.say(Code::NotInLanguage, message, self.span(), "not part of the language", help);
        }
        self.say(
            Code::Expected,
            format!("expected an item, found {}", self.found()),
            self.span(),
            "no item starts with this",
            "items start with `fn`, `extern fn`, `const`, `rule`, `check`, `bench` or `use`",
        )
    }

    /// A word that starts no item: of another language, misspelt, or a definition in the manner of mathematics.
    fn unknown_item(&mut self) -> Read<ItemKind> {
        if self.at_language() {
            return Err(self.say(
                Code::Misplaced,
                "the version of the language is not at the start",
                self.span().to(self.span_at(1)),
                "belongs before every item",
                "move it to the first line of the file",
            ));
        }
        match self.foreign_item() {
            Some(ForeignItem::Fn) => return self.foreign_function(),
            Some(_) => return Err(Reported),
            None => {}
        }
        let word = self.word();
        let next = self.peek_at(1);
        let arrow = next == Tok::Lt && self.peek_at(2) == Tok::Minus;
        if next == Tok::LParen || next == Tok::Assign || arrow {
            let function = self.word_at(if arrow { 3 } else { 2 }) == "function";
            let help = if next == Tok::LParen {
                format!("write `{}`", self.head())
            } else if function {
                format!("write `fn {word}(x: f64) -> f64 {{ … }}`")
            } else {
                format!("write `const {word}: f64 = …;`")
            };
            return Err(self.say(
                Code::Expected,
                format!("expected an item, found `{}`", shown(word)),
                self.span(),
                "a definition starts with a keyword",
                help,
            ));
        }
        let named = matches!(next, Tok::Name | Tok::Str(_) | Tok::Fn);
        let near = if word.len() == 2 && word.contains(['f', 'n']) {
            Some("fn")
        } else {
            suggest::nearest(word, WORDS.iter().copied())
        };
        let Some(near) = near.filter(|_| named) else { return Err(self.no_item()) };
        let meant = if matches!(near, "function" | "func") { "fn" } else { near };
        self.misspelt(format!("no item starts with `{}`", shown(word)), self.span(), meant);
        match meant {
            "fn" => self.function(),
            "extern" => self.extern_fn(),
            "const" => self.constant(),
            "use" => self.use_file(),
            "rule" => self.rule(),
            "check" => Ok(ItemKind::Check(self.check("check")?)),
            _ => Ok(ItemKind::Bench(self.check("bench")?)),
        }
    }

    pub(super) fn function(&mut self) -> Read<ItemKind> {
        let start = self.bump();
        let signature = self.signature(start)?;
        match self.peek() {
            Tok::LBrace => {}
            Tok::Semi => {
                self.say(
                    Code::Expected,
                    "expected `{`, found `;`",
                    self.span(),
                    format!("`{}` has no body", signature.name.text),
                    "write `{ … }`; a function in native code is declared with `extern fn`",
                );
                self.bump();
                return Ok(ItemKind::ExternFn(signature));
            }
            Tok::Assign | Tok::FatArrow => return Err(self.body_with_equals(&signature.name)),
            Tok::In => {
                return Err(self.say(
                    Code::Misplaced,
                    "a domain behind a result",
                    self.span(),
                    "only parameters have domains",
                    "use `assert c, \"text\";` in the body",
                ));
            }
            _ => return Err(self.expected("`{`", &format!("the declaration of `{}`", signature.name.text))),
        }
        let body = self.block("the body of a function")?;
        Ok(ItemKind::Fn(signature, body))
    }

    fn body_with_equals(&mut self, name: &Name) -> Reported {
        self.say(
            Code::Expected,
            format!("expected `{{`, found {}", self.found()),
            self.span(),
            format!("the body of `{}` is a block", name.text),
            "write it in braces, without `=` and `;`: `{ x^2 }`",
        )
    }

    fn extern_fn(&mut self) -> Read<ItemKind> {
        let start = self.bump();
        if matches!(self.peek(), Tok::Str(_)) {
            self.say(
                Code::NotInLanguage,
                "an `extern` with a calling convention",
                self.span(),
                "there is only one convention",
                "write `extern fn f(x: f64) -> f64;`",
            );
            self.bump();
        }
        self.expect(Tok::Fn, "`fn`", "an `extern fn`")?;
        let signature = self.signature(start)?;
        if self.at(Tok::LBrace) {
            self.say(
                Code::Misplaced,
                "an `extern fn` with a body",
                self.span(),
                "native code is its body",
                "end it with `;`, or drop `extern`",
            );
            self.skip_braces();
            return Ok(ItemKind::ExternFn(signature));
        }
        self.semi("an `extern fn`")?;
        Ok(ItemKind::ExternFn(signature))
    }

    fn constant(&mut self) -> Read<ItemKind> {
        self.bump();
        if self.at_type_word() {
            let (ty, name) = (self.word(), self.word_at(1));
            let ty = crate::words::type_name(ty);
            return Err(self.say(
                Code::NotInLanguage,
                "a type in front of a name",
                self.span().to(self.span_at(1)),
                "the name comes first",
                format!("write `const {name}: {ty} = …;`"),
            ));
        }
        let whole = "a `const`";
        let name = self.real_name("the name of a constant", whole)?;
        let closure = self.at(Tok::Assign)
            && (self.word_at(1) == "lambda"
                || (1..40)
                    .take_while(|&n| !matches!(self.peek_at(n), Tok::Semi | Tok::Eof))
                    .any(|n| self.peek_at(n) == Tok::FatArrow));
        if closure {
            return Err(self.say(
                Code::NotInLanguage,
                "there are no closures",
                name.span,
                "a function is an item of its own",
                format!("write `fn {}(x: f64) -> f64 {{ … }}`", name.text),
            ));
        }
        if self.at(Tok::Assign) {
            self.say(
                Code::Expected,
                "expected `:`, found `=`",
                name.span,
                "this constant has no type",
                format!("write `const {}: f64 = …;`", name.text),
            );
        }
        let ty = if self.at(Tok::Assign) {
            Type { kind: TypeKind::Error, span: name.span }
        } else {
            self.expect(Tok::Colon, "`:` and a type", whole)?;
            self.ty(whole)?
        };
        self.expect(Tok::Assign, "`=`", whole)?;
        let value = self.expr()?;
        self.semi(whole)?;
        Ok(ItemKind::Const(Const { name, ty, value }))
    }

    fn use_file(&mut self) -> Read<ItemKind> {
        self.bump();
        if !matches!(self.peek(), Tok::Str(_)) {
            return Err(self.say(
                Code::Expected,
                format!("expected a string, found {}", self.found()),
                self.span(),
                "`use` takes the path of a file",
                "write `use \"other.dsl\";`, relative to this file",
            ));
        }
        let path = self.string("the path of a file", "a `use`")?;
        self.semi("a `use`")?;
        Ok(ItemKind::Use(path))
    }
}

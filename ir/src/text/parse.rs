//! Reads IR text back.
//!
//! The reader only resolves names; whether the program makes sense is the verifier's business, so that its
//! tests can be written as text. Values are numbered in order of definition.

mod body;
mod sizes;

use self::body::BodyReader;
use self::sizes::TypeText;
use super::lexer::{Tok, is_value, lex};
use super::print::default_result;
use crate::codes::Code;
use crate::diag::{Diagnostic, FileId, Span};
use crate::fp::FpMode;
use crate::module::*;
use crate::origin::{Origin, Role};
use crate::types::Scalar;
use num_complex::Complex;
use rustc_hash::FxHashMap;
use std::str::FromStr;

/// Reads a module. Spans of the diagnostic are places in `text`, as file 0.
pub fn parse_module(text: &str) -> Result<Module, Diagnostic> {
    let mut p = Parser { tokens: lex(text)?, at: 0, funcs: FxHashMap::default() };
    let mut module = Module::default();
    let mut pending = Vec::new();
    while p.peek() != &Tok::End {
        let header = p.header()?;
        p.funcs.entry(header.func.name.clone()).or_insert(FuncId(module.funcs.len() as u32));
        module.funcs.push(header.func.clone());
        pending.push(header);
    }
    // Every signature is known now, so that bodies may call functions further down.
    for (i, header) in pending.into_iter().enumerate() {
        for (callee, rule) in header.rules {
            module.attach(FuncId(i as u32), Rule { func: p.func(&callee)?, ..rule });
        }
        if let (Body::Derived(d), Some(of)) = (&mut module.funcs[i].body, &header.of) {
            d.of = p.func(of)?;
        }
        if let Some(start) = header.body {
            p.at = start;
            BodyReader::read(&mut p, &mut module, i, &header.results)?;
        }
    }
    for func in module.funcs.iter_mut().filter(|f| f.origin.is_none()) {
        func.origin = Origin::from_name(&func.name, |name| p.funcs.get(name).copied());
    }
    Ok(module)
}

/// Everything before a body.
struct Header {
    func: Func,
    /// Rules with the names of their functions.
    rules: Vec<(NameAt, Rule)>,
    /// The types of the results, whose sizes may be values of the body.
    results: Vec<TypeText>,
    /// Where the body starts.
    body: Option<usize>,
    /// What a derived function is derived of.
    of: Option<NameAt>,
}

/// A name that is looked up later.
struct NameAt {
    name: String,
    /// Whether it is that of a numbered value, `v12` (not as a string).
    numbered: bool,
    place: Span,
}

struct Parser<'t> {
    tokens: Vec<(Tok<'t>, Span)>,
    at: usize,
    funcs: FxHashMap<String, FuncId>,
}

impl<'t> Parser<'t> {
    fn peek(&self) -> &Tok<'t> {
        &self.tokens[self.at].0
    }

    fn next(&mut self) -> Tok<'t> {
        let tok = self.tokens[self.at].0.clone();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        tok
    }

    fn fail<T>(&self, expected: &str) -> Result<T, Diagnostic> {
        let (tok, span) = &self.tokens[self.at];
        let found = match tok {
            Tok::Name(s) | Tok::Number(s) => format!("`{s}`"),
            Tok::Str(_) => "a string".into(),
            Tok::Punct(p) => format!("`{p}`"),
            Tok::End => "the end".into(),
        };
        Err(Diagnostic::error(Code::IrSyntax, format!("expected {expected}, found {found}"))
            .label(*span, format!("expected {expected}")))
    }

    fn eat(&mut self, p: &str) -> bool {
        let found =
            matches!(self.peek(), Tok::Punct(q) if *q == p) || matches!(self.peek(), Tok::Name(n) if *n == p);
        self.at += found as usize;
        found
    }

    fn expect(&mut self, p: &str) -> Result<(), Diagnostic> {
        if self.eat(p) { Ok(()) } else { self.fail(&format!("`{p}`")) }
    }

    /// Items up to the closing token, commas between them.
    fn list<T>(
        &mut self,
        close: &str,
        mut item: impl FnMut(&mut Self) -> Result<T, Diagnostic>,
    ) -> Result<Vec<T>, Diagnostic> {
        let mut out = Vec::new();
        while !self.eat(close) {
            if !out.is_empty() {
                self.expect(",")?;
            }
            out.push(item(self)?);
        }
        Ok(out)
    }

    /// A name, plain or as a string.
    fn name(&mut self) -> Result<NameAt, Diagnostic> {
        let place = self.tokens[self.at].1;
        let (name, numbered) = match self.peek() {
            Tok::Name(s) => (s.to_string(), is_value(s)),
            Tok::Str(s) => (s.clone(), false),
            Tok::Number(_) | Tok::Punct(_) | Tok::End => return self.fail("a name"),
        };
        self.at += 1;
        Ok(NameAt { name, numbered, place })
    }

    fn string(&mut self) -> Result<String, Diagnostic> {
        match self.peek() {
            Tok::Str(_) => Ok(self.name()?.name),
            Tok::Name(_) | Tok::Number(_) | Tok::Punct(_) | Tok::End => self.fail("a string"),
        }
    }

    fn word<T>(&mut self, what: &str, f: impl Fn(&str) -> Option<T>) -> Result<T, Diagnostic> {
        let found = match self.peek() {
            Tok::Name(s) => f(s),
            Tok::Str(_) | Tok::Number(_) | Tok::Punct(_) | Tok::End => None,
        };
        match found {
            Some(x) => {
                self.at += 1;
                Ok(x)
            }
            None => self.fail(what),
        }
    }

    fn bool(&mut self) -> Result<bool, Diagnostic> {
        self.word("`true` or `false`", |s| s.parse().ok())
    }

    /// A number with its sign, as `T` reads it.
    fn number<T: FromStr>(&mut self, what: &str) -> Result<T, Diagnostic> {
        let start = self.at;
        let sign = if self.eat("-") { "-" } else { "" };
        let digits = match self.next() {
            Tok::Number(s) | Tok::Name(s) => s,
            Tok::Str(_) | Tok::Punct(_) | Tok::End => "",
        };
        match format!("{sign}{digits}").parse() {
            Ok(x) => Ok(x),
            Err(_) => {
                self.at = start;
                self.fail(what)
            }
        }
    }

    /// `nan(0x…)` as bits, if that is what comes.
    fn payload(&mut self) -> Result<Option<u64>, Diagnostic> {
        if !(matches!(self.peek(), Tok::Name("nan")) && matches!(self.tokens[self.at + 1].0, Tok::Punct("(")))
        {
            return Ok(None);
        }
        self.at += 2;
        let bits = match self.peek() {
            Tok::Number(s) => s.strip_prefix("0x").and_then(|s| u64::from_str_radix(s, 16).ok()),
            Tok::Name(_) | Tok::Str(_) | Tok::Punct(_) | Tok::End => None,
        };
        let Some(bits) = bits else { return self.fail("the bits of a NaN in hexadecimal") };
        self.at += 1;
        self.expect(")")?;
        Ok(Some(bits))
    }

    fn double(&mut self) -> Result<f64, Diagnostic> {
        Ok(match self.payload()? {
            Some(bits) => f64::from_bits(bits),
            None => self.number("a number")?,
        })
    }

    fn single(&mut self) -> Result<f32, Diagnostic> {
        Ok(match self.payload()? {
            Some(bits) => f32::from_bits(bits as u32),
            None => self.number("a number")?,
        })
    }

    fn literal(&mut self, ty: Scalar) -> Result<Const, Diagnostic> {
        Ok(match ty {
            Scalar::Bool => Const::Bool(self.bool()?),
            Scalar::I64 => Const::I64(self.number("an integer")?),
            Scalar::F32 => Const::F32(self.single()?),
            Scalar::F64 => Const::F64(self.double()?),
            Scalar::C64 => {
                let (re, im) = self.pair(Self::single)?;
                Const::C64(Complex::new(re, im))
            }
            Scalar::C128 => {
                let (re, im) = self.pair(Self::double)?;
                Const::C128(Complex::new(re, im))
            }
        })
    }

    fn pair<T>(&mut self, item: impl Fn(&mut Self) -> Result<T, Diagnostic>) -> Result<(T, T), Diagnostic> {
        self.expect("(")?;
        let a = item(self)?;
        self.expect(",")?;
        let b = item(self)?;
        self.expect(")")?;
        Ok((a, b))
    }

    /// `@file:start..end`, if it is there.
    fn span(&mut self) -> Result<Span, Diagnostic> {
        if !self.eat("@") {
            return Ok(Span::NONE);
        }
        let file = FileId(self.number("a file number")?);
        self.expect(":")?;
        let start = self.number("a start")?;
        self.expect("..")?;
        let end = self.number("an end")?;
        Ok(Span { file, start, end })
    }

    fn func(&self, at: &NameAt) -> Result<FuncId, Diagnostic> {
        self.funcs.get(&at.name).copied().ok_or_else(|| {
            Diagnostic::error(Code::IrSyntax, format!("no function is called `{}`", at.name))
                .label(at.place, "not a function of this module")
        })
    }

    /// Everything before a body, which is skipped.
    fn header(&mut self) -> Result<Header, Diagnostic> {
        let mut rules = Vec::new();
        let (mut inline, mut fp, mut of_rule) = (false, None, None);
        while self.eat("#") {
            self.expect("[")?;
            if self.eat("inline") {
                inline = true;
            } else if self.eat("fp") {
                self.expect("(")?;
                let found = FpMode::all().find(|m| self.eat(m.name()));
                if found.is_none() {
                    self.fail("`strict`, `default` or `fast`")?;
                }
                fp = found;
                self.expect(")")?;
            } else if self.eat("of_rule") {
                of_rule = Some(RuleCheck::default());
                if self.eat("(") {
                    of_rule = self.rule_check();
                    if of_rule.is_none() {
                        self.fail("`first_order`, `trust` or `nonlinear`")?;
                    }
                    self.expect(")")?;
                }
            } else {
                self.expect("rule")?;
                rules.push(self.rule()?);
            }
            self.expect("]")?;
        }
        let symbol = if self.eat("extern") { Some(self.string()?) } else { None };
        let (derived, of) = if self.eat("derived") {
            self.derived().map(|(d, of)| (Some(d), Some(of)))?
        } else {
            (None, None)
        };
        self.expect("fn")?;
        let name = self.name()?.name;
        let mut before = Vec::new();
        let dims = if self.eat("[") { self.list("]", |p| p.dim(&mut before))? } else { Vec::new() };
        let mut values = vec![ValueData::scalar(Scalar::I64); dims.len()];
        self.expect("(")?;
        let mut types = Vec::new();
        let params = self.list(")", |p| {
            let (param, ty) = p.param(dims.len() + types.len())?;
            types.push(ty);
            Ok(param)
        })?;
        let mut names = FxHashMap::default();
        names.extend(dims.iter().map(|d| (d.name.clone(), d.value)));
        names.extend(params.iter().map(|p| (p.name.clone(), p.value)));
        let entry = |at: &NameAt| names.get(&at.name).copied().filter(|_| !at.numbered);
        for ty in &types {
            values.push(ty.resolve(|at| entry(at).ok_or_else(|| undefined(at)))?);
        }
        self.expect("->")?;
        let (names, types) = self.results()?;
        // A size that is a value of the body is found when the body is read.
        let later = Value(u32::MAX);
        let mut results = Vec::new();
        for (name, ty) in names.into_iter().zip(&types) {
            results.push(ResultDecl::new(
                name,
                ty.resolve(|at| match entry(at) {
                    None if !at.numbered => Err(undefined(at)),
                    found => Ok(found.unwrap_or(later)),
                })?,
            ));
        }
        let span = self.span()?;
        let (body, start) = match (symbol, derived) {
            (Some(symbol), _) => (Body::Extern(symbol), None),
            (None, Some(derived)) => (Body::Derived(derived), None),
            (None, None) => {
                self.expect("{")?;
                let start = self.at;
                self.skip_body()?;
                (Body::Region(Region::default()), Some(start))
            }
        };
        let later = Vec::new();
        let func = Func {
            name,
            dims,
            params,
            results,
            body,
            values,
            rules: later,
            origin: None,
            of_rule,
            inline,
            fp,
            span,
        };
        Ok(Header { func, rules, results: types, body: start, of })
    }

    /// `grad(f, 0, 1)`
    fn derived(&mut self) -> Result<(Derived, NameAt), Diagnostic> {
        let operator = self.word("a derivative operator", Operator::from_name)?;
        self.expect("(")?;
        let of = self.name()?;
        let mut wrt = Vec::new();
        while self.eat(",") {
            wrt.push(self.count()? as usize);
        }
        self.expect(")")?;
        Ok((Derived { operator, of: FuncId(0), wrt }, of))
    }

    /// A number that is not negative.
    fn count(&mut self) -> Result<u32, Diagnostic> {
        let Tok::Number(text) = self.peek() else { return self.fail("a number") };
        let Ok(n) = text.parse() else { return self.fail("a number") };
        self.at += 1;
        Ok(n)
    }

    fn dim(&mut self, before: &mut Vec<DimParam>) -> Result<DimParam, Diagnostic> {
        let name = self.name()?.name;
        let quotient = if self.eat("=") {
            self.expect("div")?;
            self.expect("(")?;
            let (a, _, b) = (self.size()?, self.expect(",")?, self.size()?);
            self.expect(")")?;
            let position = |n: &NameAt| match before.iter().position(|d| d.name == n.name) {
                Some(i) => Ok(Value(i as u32)),
                None => Err(Diagnostic::error(
                    Code::IrSyntax,
                    format!("no dimension `{}` before this one", n.name),
                )
                .label(n.place, "unknown")),
            };
            Some((a.resolve(position)?, b.resolve(position)?))
        } else {
            None
        };
        let dim = DimParam { value: Value(before.len() as u32), name, quotient, span: self.span()? };
        before.push(dim.clone());
        Ok(dim)
    }

    fn skip_body(&mut self) -> Result<(), Diagnostic> {
        let mut depth = 1;
        while depth > 0 {
            match self.next() {
                Tok::Punct("{") => depth += 1,
                Tok::Punct("}") => depth -= 1,
                Tok::End => return self.fail("`}`"),
                Tok::Name(_) | Tok::Number(_) | Tok::Str(_) | Tok::Punct(_) => {}
            }
        }
        Ok(())
    }

    fn rule(&mut self) -> Result<(NameAt, Rule), Diagnostic> {
        self.expect("(")?;
        let kind = self.word("`jvp`, `vjp` or `partial`", RuleKind::from_name)?;
        self.expect(",")?;
        let callee = self.name()?;
        let mut rule = Rule {
            kind,
            func: FuncId(0),
            check: RuleCheck::default(),
            holomorphic: Vec::new(),
            span: Span::NONE,
        };
        while self.eat(",") {
            if let Some(check) = self.rule_check() {
                rule.check = check;
            } else {
                self.expect("holomorphic")?;
                self.expect("(")?;
                rule.holomorphic = self.list(")", Self::bool)?;
            }
        }
        self.expect(")")?;
        rule.span = self.span()?;
        Ok((callee, rule))
    }

    /// What a check makes of a rule, unless it is the default.
    fn rule_check(&mut self) -> Option<RuleCheck> {
        RuleCheck::WORDS.iter().find(|(word, _)| self.eat(word)).map(|(_, check)| *check)
    }

    fn param(&mut self, index: usize) -> Result<(Param, TypeText), Diagnostic> {
        let (mut nodiff, mut linear) = (false, false);
        if self.eat("#") {
            self.expect("[")?;
            linear = self.eat("linear");
            nodiff = !linear;
            if nodiff {
                self.expect("nodiff")?;
            }
            self.expect("]")?;
        }
        let name = self.name()?.name;
        self.expect(":")?;
        let ty = self.ty()?;
        let domain = if self.eat("in") { Some(self.domain()?) } else { None };
        let span = self.span()?;
        let role = Role::from_name(&name);
        Ok((Param { value: Value(index as u32), name, role, nodiff, linear, domain, span }, ty))
    }

    fn domain(&mut self) -> Result<ParamDomain, Diagnostic> {
        if self.eat("disk") {
            self.expect("(")?;
            let r1 = self.double()?;
            self.expect(")")?;
            return Ok(ParamDomain::Annulus { r0: 0.0, r1 });
        }
        if self.eat("annulus") {
            let (r0, r1) = self.pair(Self::double)?;
            return Ok(ParamDomain::Annulus { r0, r1 });
        }
        let lo_closed = self.eat("[");
        if !lo_closed {
            self.expect("(")?;
        }
        let lo = self.double()?;
        self.expect(",")?;
        let hi = self.double()?;
        let hi_closed = self.eat("]");
        if !hi_closed {
            self.expect(")")?;
        }
        Ok(ParamDomain::Interval { lo, hi, lo_closed, hi_closed })
    }

    /// The names and types of the results.
    fn results(&mut self) -> Result<(Vec<String>, Vec<TypeText>), Diagnostic> {
        if !self.eat("(") {
            return Ok((vec![default_result(0, 1)], vec![self.ty()?]));
        }
        let named = self.list(")", |p| {
            let has_name = matches!(p.tokens.get(p.at + 1), Some((Tok::Punct(":"), _)));
            let name = if has_name { Some(p.name()?.name) } else { None };
            if has_name {
                p.expect(":")?;
            }
            Ok((name, p.ty()?))
        })?;
        let count = named.len();
        let name = |(i, (name, ty)): (usize, (Option<String>, TypeText))| {
            (name.unwrap_or_else(|| default_result(i, count)), ty)
        };
        Ok(named.into_iter().enumerate().map(name).unzip())
    }
}

fn undefined(at: &NameAt) -> Diagnostic {
    Diagnostic::error(Code::IrSyntax, format!("no value is called `{}` so far", at.name))
        .label(at.place, "not defined before")
}

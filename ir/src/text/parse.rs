//! Reads IR text back.
//!
//! The reader only resolves names; whether the program makes sense is the verifier's business, so that its
//! tests can be written as text. Values are numbered in order of definition.

use super::lexer::{Tok, is_value, lex, place};
use super::print::default_result;
use crate::codes::Code;
use crate::diag::{Diagnostic, FileId, Span};
use crate::module::*;
use crate::ops::Op;
use crate::types::{Scalar, Type};
use crate::verify::MAX_DEPTH;
use num_complex::Complex;
use rustc_hash::FxHashMap;
use std::str::FromStr;

/// Reads a module. Spans of the diagnostic are places in `text`, as file 0.
pub fn parse_module(text: &str) -> Result<Module, Diagnostic> {
    let mut p = Parser { tokens: lex(text)?, at: 0, funcs: FxHashMap::default() };
    let mut module = Module::default();
    let mut pending = Vec::new();
    while p.peek() != &Tok::End {
        let (func, rules, body) = p.header()?;
        p.funcs.entry(func.name.clone()).or_insert(FuncId(module.funcs.len() as u32));
        module.funcs.push(func);
        pending.push((rules, body));
    }
    // Every signature is known now, so that bodies may call functions further down.
    for (i, (rules, body)) in pending.into_iter().enumerate() {
        module.funcs[i].rules = rules
            .into_iter()
            .map(|(callee, rule)| Ok(Rule { func: p.func(&callee)?, ..rule }))
            .collect::<Result<_, Diagnostic>>()?;
        if let Some(start) = body {
            p.at = start;
            let (region, values) = BodyReader::read(&mut p, &module, i)?;
            module.funcs[i].body = Body::Region(region);
            module.funcs[i].values = values;
        }
    }
    Ok(module)
}

/// A name that is looked up once every function is known.
struct NameAt {
    name: String,
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
        let name = match self.peek() {
            Tok::Name(s) => s.to_string(),
            Tok::Str(s) => s.clone(),
            Tok::Number(_) | Tok::Punct(_) | Tok::End => return self.fail("a name"),
        };
        self.at += 1;
        Ok(NameAt { name, place })
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

    fn ty(&mut self) -> Result<Type, Diagnostic> {
        self.word("a type", Scalar::from_name).map(Type::Scalar)
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

    /// Everything before a body: the function, its rules with the names of their functions, and where the body
    /// starts. The body is skipped.
    #[allow(clippy::type_complexity)]
    fn header(&mut self) -> Result<(Func, Vec<(NameAt, Rule)>, Option<usize>), Diagnostic> {
        let mut rules = Vec::new();
        let mut inline = false;
        while self.eat("#") {
            self.expect("[")?;
            if self.eat("inline") {
                inline = true;
            } else {
                self.expect("rule")?;
                rules.push(self.rule()?);
            }
            self.expect("]")?;
        }
        let symbol = if self.eat("extern") { Some(self.string()?) } else { None };
        self.expect("fn")?;
        let name = self.name()?.name;
        self.expect("(")?;
        let mut values = Vec::new();
        let params = self.list(")", |p| {
            let (param, ty) = p.param(values.len())?;
            values.push(ValueData { ty });
            Ok(param)
        })?;
        self.expect("->")?;
        let results = self.results()?;
        let span = self.span()?;
        let (body, start) = match symbol {
            Some(symbol) => (Body::Extern(symbol), None),
            None => {
                self.expect("{")?;
                let start = self.at;
                self.skip_body()?;
                (Body::Region(Region::default()), Some(start))
            }
        };
        Ok((Func { name, params, results, body, values, rules: Vec::new(), inline, span }, rules, start))
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
        let mut rule =
            Rule { kind, func: FuncId(0), trusted: false, holomorphic: Vec::new(), span: Span::NONE };
        while self.eat(",") {
            if self.eat("trusted") {
                rule.trusted = true;
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

    fn param(&mut self, index: usize) -> Result<(Param, Type), Diagnostic> {
        let nodiff = self.eat("#");
        if nodiff {
            self.expect("[")?;
            self.expect("nodiff")?;
            self.expect("]")?;
        }
        let name = self.name()?.name;
        self.expect(":")?;
        let ty = self.ty()?;
        let domain = if self.eat("in") { Some(self.domain()?) } else { None };
        let span = self.span()?;
        Ok((Param { value: Value(index as u32), name, nodiff, domain, span }, ty))
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

    fn results(&mut self) -> Result<Vec<ResultDecl>, Diagnostic> {
        if !self.eat("(") {
            return Ok(vec![ResultDecl { name: default_result(0, 1), ty: self.ty()? }]);
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
        let decl = |(i, (name, ty)): (usize, (Option<String>, Type))| ResultDecl {
            name: name.unwrap_or_else(|| default_result(i, count)),
            ty,
        };
        Ok(named.into_iter().enumerate().map(decl).collect())
    }
}

/// The body of one function being read.
struct BodyReader<'p, 't, 'm> {
    p: &'p mut Parser<'t>,
    module: &'m Module,
    params: FxHashMap<String, Value>,
    /// Numbered values, by name. A parameter called `v0` stands as a string and is none of them.
    numbered: FxHashMap<String, Value>,
    values: Vec<ValueData>,
}

impl BodyReader<'_, '_, '_> {
    /// The region behind an opening brace, and the types of the function's values.
    fn read(p: &mut Parser, module: &Module, func: usize) -> Result<(Region, Vec<ValueData>), Diagnostic> {
        let f = &module.funcs[func];
        let params = f.params.iter().map(|p| (p.name.clone(), p.value)).collect();
        let numbered = FxHashMap::default();
        let mut body = BodyReader { p, module, params, numbered, values: f.values.clone() };
        let region = body.region("return", 0)?;
        Ok((region, body.values))
    }

    fn region(&mut self, end: &str, depth: usize) -> Result<Region, Diagnostic> {
        if depth > MAX_DEPTH {
            let span = self.p.tokens[self.p.at].1;
            return Err(Diagnostic::error(Code::TooDeep, format!("regions nest deeper than {MAX_DEPTH}"))
                .label(span, "one level too deep"));
        }
        let mut r = Region::default();
        loop {
            if self.p.eat(end) {
                if !matches!(self.p.peek(), Tok::Punct("}")) {
                    r.yields = self.operands()?;
                }
                self.p.expect("}")?;
                return Ok(r);
            }
            if end == "yield" && self.p.eat("}") {
                return Ok(r);
            }
            let inst = self.inst(depth)?;
            r.insts.push(inst);
        }
    }

    fn operands(&mut self) -> Result<Vec<Value>, Diagnostic> {
        let mut out = vec![self.operand()?];
        while self.p.eat(",") {
            out.push(self.operand()?);
        }
        Ok(out)
    }

    fn operand(&mut self) -> Result<Value, Diagnostic> {
        let numbered = matches!(self.p.peek(), Tok::Name(s) if is_value(s));
        let at = self.p.name()?;
        let names = if numbered { &self.numbered } else { &self.params };
        names.get(&at.name).copied().ok_or_else(|| {
            Diagnostic::error(Code::IrSyntax, format!("no value is called `{}` so far", at.name))
                .label(at.place, "not defined before")
        })
    }

    fn inst(&mut self, depth: usize) -> Result<Inst, Diagnostic> {
        let start = self.p.tokens[self.p.at].1.start as usize;
        let results = self.results()?;
        let mut inst = Inst {
            kind: Kind::If,
            args: Values::new(),
            results: Values::new(),
            regions: Vec::new(),
            span: Span::NONE,
        };
        let mut tys = Vec::new();
        if self.p.eat("if") {
            inst.args.push(self.operand()?);
            inst.span = self.p.span()?;
            self.p.expect("{")?;
            inst.regions.push(self.region("yield", depth + 1)?);
            if self.p.eat("else") {
                self.p.expect("{")?;
                inst.regions.push(self.region("yield", depth + 1)?);
            }
            tys = inst.regions[0].yields.iter().map(|v| self.values[v.0 as usize].ty).collect();
        } else {
            (inst.kind, inst.args) = self.operation(&mut tys)?;
            inst.span = self.p.span()?;
        }
        let end = self.p.tokens[self.p.at - 1].1.end as usize;
        for (i, (name, annotation)) in results.into_iter().enumerate() {
            let Some(ty) = annotation.or(tys.get(i).copied()) else {
                return Err(Diagnostic::error(
                    Code::IrSyntax,
                    format!("the type of `{name}` cannot be told"),
                )
                .label(place(start, end), format!("write `{name}: type = …`")));
            };
            inst.results.push(self.define(name, ty));
        }
        Ok(inst)
    }

    /// `v0, v1: f64 =`, if the instruction has results.
    fn results(&mut self) -> Result<Vec<(String, Option<Type>)>, Diagnostic> {
        let mut out = Vec::new();
        while matches!(self.p.peek(), Tok::Name(s) if is_value(s)) {
            let name = self.p.name()?.name;
            let ty = if self.p.eat(":") { Some(self.p.ty()?) } else { None };
            out.push((name, ty));
            if !self.p.eat(",") {
                self.p.expect("=")?;
                break;
            }
        }
        Ok(out)
    }

    /// An instruction without regions, and the types of its results as far as they can be told.
    fn operation(&mut self, tys: &mut Vec<Type>) -> Result<(Kind, Values), Diagnostic> {
        if self.p.eat("call") {
            let at = self.p.name()?;
            let callee = self.p.func(&at)?;
            self.p.expect("(")?;
            let mut args = Values::new();
            while !self.p.eat(")") {
                if !args.is_empty() {
                    self.p.expect(",")?;
                }
                args.push(self.operand()?);
            }
            tys.extend(self.module.func(callee).results.iter().map(|r| r.ty));
            return Ok((Kind::Call(callee), args));
        }
        for (word, guard) in [
            ("assert", Guard::Assert as fn(String) -> Guard),
            ("assert_domain", Guard::Domain as fn(String) -> Guard),
        ] {
            if self.p.eat(word) {
                let cond = self.operand()?;
                self.p.expect(",")?;
                return Ok((Kind::Assert(guard(self.p.string()?)), Values::from_slice(&[cond])));
            }
        }
        if let Tok::Name(word) = self.p.peek()
            && let Some(ty) = Scalar::from_name(word)
        {
            self.p.at += 1;
            tys.push(ty.into());
            return Ok((Kind::Const(self.p.literal(ty)?), Values::new()));
        }
        let op = self.p.word("an instruction", Op::from_name)?;
        let args = Values::from_vec(self.operands()?);
        let operand_tys: Vec<Type> = args.iter().map(|v| self.values[v.0 as usize].ty).collect();
        tys.extend(op.result_type(&operand_tys));
        Ok((Kind::Op(op), args))
    }

    /// The value of a name; a name defined before stays the same value, which the verifier reports.
    fn define(&mut self, name: String, ty: Type) -> Value {
        let next = Value(self.values.len() as u32);
        let value = *self.numbered.entry(name).or_insert(next);
        if value == next {
            self.values.push(ValueData { ty });
        }
        value
    }
}

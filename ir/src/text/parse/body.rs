//! Bodies of functions.

use super::sizes::TypeText;
use super::{NameAt, Parser, undefined};
use crate::codes::Code;
use crate::diag::Diagnostic;
use crate::dims::Known;
use crate::module::*;
use crate::ops::Op;
use crate::shape::{Cx, region_params};
use crate::text::lexer::{Tok, is_value, place};
use crate::types::Scalar;
use crate::verify::MAX_DEPTH;
use rustc_hash::FxHashMap;

/// The body of one function being read.
pub(super) struct BodyReader<'p, 't, 'm> {
    p: &'p mut Parser<'t>,
    module: &'m Module,
    /// Dimensions and parameters.
    entry: FxHashMap<String, Value>,
    /// Numbered values, by name. A parameter called `v0` stands as a string and is none of them.
    numbered: FxHashMap<String, Value>,
    values: Vec<ValueData>,
    known: Known,
}

/// A name that is being defined, with its type where that stands behind it.
type Defined = (String, Option<TypeText>);

impl BodyReader<'_, '_, '_> {
    /// Reads the region behind an opening brace into function `func` of the module, with the types of its values and,
    /// where they are sized by them, of its results.
    pub(super) fn read(
        p: &mut Parser,
        module: &mut Module,
        func: usize,
        results: &[TypeText],
    ) -> Result<(), Diagnostic> {
        let f = &module.funcs[func];
        let dims = f.dims.iter().map(|d| (d.name.clone(), d.value));
        let entry = dims.chain(f.params.iter().map(|p| (p.name.clone(), p.value))).collect();
        let (numbered, known) = (FxHashMap::default(), Known::default());
        let mut body = BodyReader { p, module, entry, numbered, values: f.values.clone(), known };
        let region = body.region("return", 0)?;
        let shapes: Result<Vec<ValueData>, _> =
            results.iter().map(|ty| ty.resolve(|at| body.value(at))).collect();
        let (values, shapes) = (body.values, shapes?);
        let f = &mut module.funcs[func];
        (f.body, f.values) = (Body::Region(region), values);
        for (r, data) in f.results.iter_mut().zip(shapes) {
            r.shape = data.shape;
        }
        Ok(())
    }

    /// The instructions behind an opening brace.
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
        let at = self.p.name()?;
        self.value(&at)
    }

    fn value(&self, at: &NameAt) -> Result<Value, Diagnostic> {
        let names = if at.numbered { &self.numbered } else { &self.entry };
        names.get(&at.name).copied().ok_or_else(|| undefined(at))
    }

    fn inst(&mut self, depth: usize) -> Result<Inst, Diagnostic> {
        let start = self.p.tokens[self.p.at].1.start as usize;
        let results = self.results()?;
        let (kind, args) = self.operation()?;
        let span = self.p.span()?;
        let mut inst = Inst { kind, args, results: Values::new(), regions: Vec::new(), span };
        self.regions(&mut inst, depth)?;
        let end = self.p.tokens[self.p.at - 1].1.end as usize;
        let cx = Cx { module: self.module, values: &self.values, known: &self.known };
        let inferred = cx.infer(&inst.kind, &inst.args, &inst.regions).unwrap_or_default();
        inst.results = self.define(results, &inferred, start, end)?.into();
        self.known.note(&inst, &self.values);
        Ok(inst)
    }

    /// `v0, v1: f64 =`, if the instruction has results.
    fn results(&mut self) -> Result<Vec<Defined>, Diagnostic> {
        let mut out = Vec::new();
        while matches!(self.p.peek(), Tok::Name(s) if is_value(s)) {
            out.push(self.defined()?);
            if !self.p.eat(",") {
                self.p.expect("=")?;
                break;
            }
        }
        Ok(out)
    }

    fn defined(&mut self) -> Result<Defined, Diagnostic> {
        if !matches!(self.p.peek(), Tok::Name(s) if is_value(s)) {
            return self.p.fail("a numbered value");
        }
        let name = self.p.name()?.name;
        let ty = if self.p.eat(":") { Some(self.p.ty()?) } else { None };
        Ok((name, ty))
    }

    /// What the instruction does, with its operands.
    fn operation(&mut self) -> Result<(Kind, Values), Diagnostic> {
        if self.p.eat("call") {
            return self.call();
        }
        for (word, guard) in [
            ("assert", Guard::Assert as fn(String) -> Guard),
            ("assert_domain", Guard::Domain as fn(String) -> Guard),
        ] {
            if self.p.eat(word) {
                let cond = self.operand()?;
                self.p.expect(",")?;
                return Ok((Kind::Assert(Box::new(guard(self.p.string()?))), Values::from_slice(&[cond])));
            }
        }
        if let Tok::Name(word) = self.p.peek()
            && let Some(ty) = Scalar::from_name(word)
        {
            self.p.at += 1;
            return Ok((Kind::Const(self.p.literal(ty)?), Values::new()));
        }
        if self.p.eat("size") {
            let size = self.p.size()?;
            return Ok((Kind::Size(Box::new(size.resolve(|at| self.value(at))?)), Values::new()));
        }
        let mut kind = if self.p.eat("reduce") {
            Kind::Reduce(self.p.word("a reduction", ReduceOp::from_name)?)
        } else {
            self.p.word("an instruction", kind_of_word)?
        };
        let none = match self.p.peek() {
            Tok::Punct("(" | "{" | "@") => true,
            Tok::Name(word) => GATHERS.contains(word),
            Tok::Punct(_) | Tok::Number(_) | Tok::Str(_) | Tok::End => false,
        };
        let args = if kind.regions() > 0 && none { Vec::new() } else { self.operands()? };
        if let Kind::For(l) | Kind::While(l) = &mut kind {
            self.gathers(l)?;
        }
        Ok((kind, args.into()))
    }

    /// What a loop gives beside its carries.
    fn gathers(&mut self, l: &mut Loop) -> Result<(), Diagnostic> {
        if self.p.eat(GATHERS[0]) {
            l.sums = self.p.count()?;
        }
        if self.p.eat(GATHERS[1]) {
            l.collects = self.p.count()?;
        }
        if self.p.eat(GATHERS[2]) {
            l.checkpoint = Some(if self.p.eat("all") {
                Checkpoint::All
            } else if self.p.eat("none") {
                Checkpoint::None
            } else if self.p.eat("sqrt") {
                Checkpoint::Sqrt
            } else {
                self.p.expect("revolve")?;
                Checkpoint::Revolve(self.p.count()?)
            });
        }
        Ok(())
    }

    /// `g[N, v3](x)`
    fn call(&mut self) -> Result<(Kind, Values), Diagnostic> {
        let at = self.p.name()?;
        let callee = self.p.func(&at)?;
        let mut args = Values::new();
        if self.p.eat("[") {
            self.arguments("]", &mut args)?;
        }
        self.p.expect("(")?;
        self.arguments(")", &mut args)?;
        Ok((Kind::Call(callee), args))
    }

    fn arguments(&mut self, close: &str, args: &mut Values) -> Result<(), Diagnostic> {
        let before = args.len();
        while !self.p.eat(close) {
            if args.len() > before {
                self.p.expect(",")?;
            }
            args.push(self.operand()?);
        }
        Ok(())
    }

    /// The regions of an instruction that has some.
    fn regions(&mut self, inst: &mut Inst, depth: usize) -> Result<(), Diagnostic> {
        let args: Vec<&ValueData> = inst.args.iter().map(|v| &self.values[v.0 as usize]).collect();
        let params = region_params(&inst.kind, &args);
        for i in 0..inst.kind.regions() {
            // A missing second region is for the verifier to say.
            let word = if matches!(inst.kind, Kind::While(_)) { "do" } else { "else" };
            if i > 0 && !self.p.eat(word) {
                break;
            }
            let start = self.p.tokens[self.p.at].1;
            let names = if self.p.eat("(") {
                let mut names = Vec::new();
                while !self.p.eat(")") {
                    if !names.is_empty() {
                        self.p.expect(",")?;
                    }
                    names.push(self.defined()?);
                }
                names
            } else {
                Vec::new()
            };
            let end = self.p.tokens[self.p.at - 1].1;
            self.p.expect("{")?;
            let params = self.define(names, &params, start.start as usize, end.end as usize)?;
            if let Kind::Build { rank } = &mut inst.kind {
                *rank = params.len().min(u8::MAX as usize) as u8;
            }
            inst.regions.push(Region { params, ..self.region("yield", depth + 1)? });
        }
        Ok(())
    }

    /// The values of names; one that is defined before stays the same value, which the verifier reports. `start..end`
    /// is the text to point at where a type is missing.
    fn define(
        &mut self,
        names: Vec<Defined>,
        inferred: &[ValueData],
        start: usize,
        end: usize,
    ) -> Result<Vec<Value>, Diagnostic> {
        let mut values = Vec::new();
        let mut typed = Vec::new();
        for (i, (name, annotation)) in names.into_iter().enumerate() {
            let inferred = inferred.get(i).cloned();
            if annotation.is_none() && inferred.is_none() {
                return Err(Diagnostic::error(
                    Code::IrSyntax,
                    format!("the type of `{name}` cannot be inferred"),
                )
                .label(place(start, end), format!("write `{name}: type = …`")));
            }
            let next = Value(self.values.len() as u32);
            let value = *self.numbered.entry(name).or_insert(next);
            if value == next {
                self.values.push(Scalar::I64.into());
                typed.push((value, annotation, inferred));
            }
            values.push(value);
        }
        // A size may be another one of these values.
        for (value, annotation, inferred) in typed {
            self.values[value.0 as usize] = match annotation {
                Some(ty) => ty.resolve(|at| self.value(at))?,
                None => inferred.expect("checked above"),
            };
        }
        Ok(values)
    }
}

/// The words behind the operands of a loop.
const GATHERS: [&str; 3] = ["sums", "collects", "checkpoint"];

/// The kinds that are one word before their operands. How many indices a `build` has, its region says.
fn kind_of_word(word: &str) -> Option<Kind> {
    match word {
        "if" => Some(Kind::If),
        "build" => Some(Kind::Build { rank: u8::MAX }),
        "for" => Some(Kind::For(Loop::default())),
        "while" => Some(Kind::While(Loop::default())),
        _ => {
            let plain = Kind::PLAIN.iter().find(|(name, _)| *name == word);
            plain.map(|(_, kind)| kind.clone()).or_else(|| Op::from_name(word).map(Kind::Op))
        }
    }
}

//! Prints modules and functions.

use crate::diag::Span;
use crate::module::*;
use std::borrow::Cow;
use std::fmt::{self, Write};

/// What is printed beside the program itself.
#[derive(Clone, Copy, Debug, Default)]
pub struct PrintOptions<'a> {
    /// Spans, as a suffix that parses back.
    pub spans: bool,
    /// Name and text of the source files, by [`crate::FileId`]. If there are any, a comment beside each
    /// instruction says its line, column and source text.
    pub sources: &'a [(&'a str, &'a str)],
}

/// A module without spans: the form that [`super::parse_module`] reads.
pub fn print_module(m: &Module) -> String {
    print_module_with(m, &PrintOptions::default())
}

/// A module with what the options ask for.
pub fn print_module_with(m: &Module, opts: &PrintOptions) -> String {
    let funcs: Vec<String> = m.funcs.iter().map(|f| print_func(m, f, opts)).collect();
    funcs.join("\n")
}

/// A function of a module (which names its callees), with a newline at the end.
pub fn print_func(m: &Module, func: &Func, opts: &PrintOptions) -> String {
    let names = Names::new(m, func);
    let mut p = Printer {
        names: &names,
        opts,
        sources: opts.sources.iter().map(Source::new).collect(),
        lines: Vec::new(),
    };
    p.header();
    if let Some(body) = func.region() {
        p.region(body, 1, "return");
        p.line(0, "}".into(), Span::NONE);
    }
    p.join()
}

impl fmt::Display for Module {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&print_module(self))
    }
}

/// What the values of a function are called in text.
pub(crate) struct Names<'a> {
    module: &'a Module,
    func: &'a Func,
    values: Vec<ValueName>,
}

#[derive(Clone, Copy, PartialEq)]
enum ValueName {
    Param(usize),
    Number(u32),
    /// Nothing defines it: the function is malformed.
    Undefined,
}

impl<'a> Names<'a> {
    pub(crate) fn new(module: &'a Module, func: &'a Func) -> Names<'a> {
        let mut values = vec![ValueName::Undefined; func.values.len()];
        let mut number = 0;
        for (i, v) in func.definitions().into_iter().enumerate() {
            match values.get_mut(v.0 as usize) {
                Some(name @ ValueName::Undefined) if i < func.params.len() => *name = ValueName::Param(i),
                Some(name @ ValueName::Undefined) => {
                    *name = ValueName::Number(number);
                    number += 1;
                }
                Some(_) | None => {}
            }
        }
        Names { module, func, values }
    }

    pub(crate) fn value(&self, v: Value) -> Cow<'a, str> {
        match self.values.get(v.0 as usize) {
            Some(ValueName::Param(i)) => name(&self.func.params[*i].name),
            Some(ValueName::Number(n)) => Cow::Owned(format!("v{n}")),
            Some(ValueName::Undefined) | None => Cow::Owned(format!("undefined.{}", v.0)),
        }
    }

    fn list(&self, values: &[Value]) -> String {
        let mut out = String::new();
        for (i, v) in values.iter().enumerate() {
            out.push_str(if i > 0 { ", " } else { "" });
            out.push_str(&self.value(*v));
        }
        out
    }

    fn callee(&self, f: FuncId) -> Cow<'a, str> {
        match self.module.funcs.get(f.0 as usize) {
            Some(f) => name(&f.name),
            None => Cow::Owned(format!("undefined.{}", f.0)),
        }
    }

    /// An instruction without its regions.
    pub(crate) fn inst(&self, inst: &Inst) -> String {
        let mut out = String::new();
        let inferred = self.inferred(inst);
        for (i, v) in inst.results.iter().enumerate() {
            out.push_str(if i > 0 { ", " } else { "" });
            out.push_str(&self.value(*v));
            let ty = self.func.values.get(v.0 as usize).map(|d| d.ty);
            if let Some(ty) = ty.filter(|ty| inferred.get(i) != Some(ty)) {
                write!(out, ": {ty}").expect("writing to a string");
            }
        }
        out.push_str(if inst.results.is_empty() { "" } else { " = " });
        let args = self.list(&inst.args);
        match &inst.kind {
            Kind::Const(c) => write!(out, "{} {}", c.scalar(), Literal(*c)),
            Kind::Op(op) => write!(out, "{op} {args}"),
            Kind::Call(f) => write!(out, "call {}({args})", self.callee(*f)),
            Kind::If => write!(out, "if {args}"),
            Kind::Assert(Guard::Assert(text)) => write!(out, "assert {args}, {}", quoted(text)),
            Kind::Assert(Guard::Domain(text)) => write!(out, "assert_domain {args}, {}", quoted(text)),
        }
        .expect("writing to a string");
        out
    }

    /// The result types a reader can tell without being told.
    fn inferred(&self, inst: &Inst) -> Vec<crate::Type> {
        let tys = |values: &[Value]| -> Option<Vec<crate::Type>> {
            values.iter().map(|v| Some(self.func.values.get(v.0 as usize)?.ty)).collect()
        };
        let found = match &inst.kind {
            Kind::Const(c) => Some(vec![c.scalar().into()]),
            Kind::Op(op) => tys(&inst.args).and_then(|args| Some(vec![op.result_type(&args)?])),
            Kind::Call(f) => {
                self.module.funcs.get(f.0 as usize).map(|f| f.results.iter().map(|r| r.ty).collect())
            }
            Kind::If => inst.regions.first().and_then(|r| tys(&r.yields)),
            Kind::Assert(_) => None,
        };
        found.unwrap_or_default()
    }
}

struct Printer<'a> {
    names: &'a Names<'a>,
    opts: &'a PrintOptions<'a>,
    sources: Vec<Source<'a>>,
    /// Text and comment of each line.
    lines: Vec<(String, String)>,
}

impl Printer<'_> {
    fn header(&mut self) {
        let f = self.names.func;
        if f.inline {
            self.line(0, "#[inline]".into(), Span::NONE);
        }
        for rule in &f.rules {
            let mut text = format!("#[rule({}, {}", rule.kind.name(), self.names.callee(rule.func));
            text.push_str(if rule.trusted { ", trusted" } else { "" });
            if !rule.holomorphic.is_empty() {
                let flags: Vec<String> = rule.holomorphic.iter().map(bool::to_string).collect();
                text += &format!(", holomorphic({})", flags.join(", "));
            }
            text.push(')');
            self.suffix(&mut text, rule.span);
            text.push(']');
            self.line(0, text, Span::NONE);
        }
        let mut text = match &f.body {
            Body::Region(_) => String::new(),
            Body::Extern(symbol) => format!("extern {} ", quoted(symbol)),
        };
        text += &format!("fn {}(", name(&f.name));
        for (i, p) in f.params.iter().enumerate() {
            text.push_str(if i > 0 { ", " } else { "" });
            text.push_str(if p.nodiff { "#[nodiff] " } else { "" });
            // The verifier prints malformed functions too.
            let ty = f.values.get(p.value.0 as usize).map_or("?".into(), |d| d.ty.to_string());
            text += &format!("{}: {ty}", name(&p.name));
            if let Some(domain) = p.domain {
                text += &format!(" in {domain}");
            }
            self.suffix(&mut text, p.span);
        }
        text += &format!(") -> {}", results(f));
        self.suffix(&mut text, f.span);
        text.push_str(if f.region().is_some() { " {" } else { "" });
        self.line(0, text, Span::NONE);
    }

    fn region(&mut self, r: &Region, depth: usize, end: &str) {
        for inst in &r.insts {
            let mut text = self.names.inst(inst);
            self.suffix(&mut text, inst.span);
            text.push_str(if inst.regions.is_empty() { "" } else { " {" });
            self.line(depth, text, inst.span);
            for (i, nested) in inst.regions.iter().enumerate() {
                if i > 0 {
                    self.line(depth, "} else {".into(), Span::NONE);
                }
                self.region(nested, depth + 1, "yield");
            }
            if !inst.regions.is_empty() {
                self.line(depth, "}".into(), Span::NONE);
            }
        }
        if end == "return" || !r.yields.is_empty() {
            let text = format!("{end} {}", self.names.list(&r.yields));
            self.line(depth, text.trim_end().to_string(), Span::NONE);
        }
    }

    fn suffix(&self, text: &mut String, span: Span) {
        if self.opts.spans && !span.is_none() {
            *text += &format!(" @{}:{}..{}", span.file.0, span.start, span.end);
        }
    }

    fn line(&mut self, depth: usize, text: String, span: Span) {
        let comment =
            self.sources.get(span.file.0 as usize).and_then(|s| s.comment(span)).unwrap_or_default();
        self.lines.push((format!("{:1$}{text}", "", depth * 2), comment));
    }

    /// The lines, their comments in one column.
    fn join(self) -> String {
        const WIDEST: usize = 48;
        let width = |text: &String| text.chars().count();
        let commented = self.lines.iter().filter(|(_, c)| !c.is_empty());
        let column = commented.map(|(text, _)| width(text)).max().unwrap_or(0).min(WIDEST);
        let mut out = String::new();
        for (text, comment) in &self.lines {
            out += text;
            if !comment.is_empty() {
                out += &format!("{:1$} ; {comment}", "", column.saturating_sub(width(text)));
            }
            out.push('\n');
        }
        out
    }
}

/// A source file with the starts of its lines.
struct Source<'a> {
    text: &'a str,
    lines: Vec<usize>,
}

impl<'a> Source<'a> {
    fn new((_, text): &(&'a str, &'a str)) -> Source<'a> {
        let ends = text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(i, _)| i + 1);
        Source { text, lines: std::iter::once(0).chain(ends).collect() }
    }

    /// `line:column  text`, if the span lies in the file.
    fn comment(&self, span: Span) -> Option<String> {
        const LONGEST: usize = 40;
        let start = span.start as usize;
        let marked = self.text.get(start..span.end as usize)?;
        let line = self.lines.partition_point(|s| *s <= start);
        let column = self.text[self.lines[line - 1]..start].chars().count() + 1;
        let words = marked.split_whitespace().collect::<Vec<_>>().join(" ");
        let short: String = words.chars().take(LONGEST).collect();
        let more = if short.len() < words.len() { "…" } else { "" };
        Some(format!("{line}:{column}  {short}{more}"))
    }
}

/// The default name of a result.
pub(super) fn default_result(i: usize, count: usize) -> String {
    if count == 1 { "out".into() } else { format!("out.{i}") }
}

fn results(f: &Func) -> String {
    let count = f.results.len();
    let all: Vec<String> = f
        .results
        .iter()
        .enumerate()
        .map(|(i, r)| match r.name == default_result(i, count) {
            true => r.ty.to_string(),
            false => format!("{}: {}", name(&r.name), r.ty),
        })
        .collect();
    match all.as_slice() {
        [one] if !one.contains(' ') => one.clone(),
        _ => format!("({})", all.join(", ")),
    }
}

/// A name as it stands in text: itself if it is plain, else a string.
fn name(s: &str) -> Cow<'_, str> {
    let starts_plain = s.starts_with(|c: char| c.is_alphabetic() || c == '_');
    let plain = starts_plain && s.chars().all(super::lexer::is_name_char) && !super::lexer::is_value(s);
    if plain { Cow::Borrowed(s) } else { Cow::Owned(quoted(s)) }
}

/// A string literal.
fn quoted(s: &str) -> String {
    let mut out = String::from("\"");
    for c in s.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            c if c.is_control() => out += &format!("\\u{{{:x}}}", c as u32),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// A literal without its type.
struct Literal(Const);

impl fmt::Display for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Const::Bool(b) => write!(f, "{b}"),
            Const::I64(n) => write!(f, "{n}"),
            Const::F32(x) => f.write_str(&single(x)),
            Const::F64(x) => f.write_str(&double(x)),
            Const::C64(z) => write!(f, "({}, {})", single(z.re), single(z.im)),
            Const::C128(z) => write!(f, "({}, {})", double(z.re), double(z.im)),
        }
    }
}

fn double(x: f64) -> String {
    match x {
        x if x.to_bits() == f64::NAN.to_bits() => "nan".into(),
        x if x.is_nan() => format!("nan({:#x})", x.to_bits()),
        x => format!("{x:?}"),
    }
}

fn single(x: f32) -> String {
    match x {
        x if x.to_bits() == f32::NAN.to_bits() => "nan".into(),
        x if x.is_nan() => format!("nan({:#x})", x.to_bits()),
        x => format!("{x:?}"),
    }
}

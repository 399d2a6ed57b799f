//! Prints modules and functions.

use crate::diag::Span;
use crate::dims::{Dim, Known};
use crate::module::*;
use crate::shape::{Cx, region_params};
use std::borrow::Cow;
use std::fmt;

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
    /// Every defined value, in order of definition.
    order: Vec<Value>,
    /// By value: its place in `order`.
    rank: Vec<u32>,
    known: Known,
}

#[derive(Clone, Copy, PartialEq)]
enum ValueName {
    Dim(usize),
    Param(usize),
    Number(u32),
    /// Nothing defines it: the function is malformed.
    Undefined,
}

impl<'a> Names<'a> {
    pub(crate) fn new(module: &'a Module, func: &'a Func) -> Names<'a> {
        let mut values = vec![ValueName::Undefined; func.values.len()];
        let order = func.definitions();
        let (dims, params) = (func.dims.len(), func.params.len());
        let mut rank = vec![u32::MAX; func.values.len()];
        let mut number = 0;
        for (i, v) in order.iter().enumerate() {
            let Some(name @ ValueName::Undefined) = values.get_mut(v.0 as usize) else { continue };
            rank[v.0 as usize] = i as u32;
            *name = match i {
                _ if i < dims => ValueName::Dim(i),
                _ if i < dims + params => ValueName::Param(i - dims),
                _ => ValueName::Number(number),
            };
            number += (i >= dims + params) as u32;
        }
        // Only sizes ask what is known of integers.
        let known = if func.has_arrays() { Known::of(func) } else { Known::default() };
        Names { module, func, values, order, rank, known }
    }

    pub(crate) fn value(&self, v: Value) -> Cow<'a, str> {
        match self.values.get(v.0 as usize) {
            Some(ValueName::Dim(i)) => name(&self.func.dims[*i].name),
            Some(ValueName::Param(i)) => name(&self.func.params[*i].name),
            Some(ValueName::Number(n)) => Cow::Owned(format!("v{n}")),
            Some(ValueName::Undefined) | None => Cow::Owned(format!("undefined.{}", v.0)),
        }
    }

    /// A size. Its terms stand in order of definition, whatever the internal numbers are.
    pub(crate) fn dim(&self, dim: &Dim) -> String {
        let defined = |v: Value| self.rank.get(v.0 as usize).is_some_and(|r| *r != u32::MAX);
        if !dim.vars().all(defined) {
            return dim.display(|v| self.value(v));
        }
        let ranked = dim.rename(|v| Value(self.rank[v.0 as usize]));
        ranked.display(|v| self.value(self.order[v.0 as usize]))
    }

    /// A type with its sizes: `f64[N, 2*N-1]`.
    pub(crate) fn data(&self, d: &ValueData) -> String {
        if d.shape.len() != d.ty.rank() || !d.ty.is_array() {
            return d.ty.to_string();
        }
        let sizes: Vec<String> = d.shape.iter().map(|d| self.dim(d)).collect();
        format!("{}[{}]", d.ty.scalar(), sizes.join(", "))
    }

    /// Names with the types that a reader cannot tell.
    fn typed(&self, values: &[Value], inferred: &[ValueData]) -> String {
        let mut out = String::new();
        for (i, v) in values.iter().enumerate() {
            out.push_str(if i > 0 { ", " } else { "" });
            out.push_str(&self.value(*v));
            let data = self.func.values.get(v.0 as usize);
            if let Some(data) = data.filter(|d| inferred.get(i) != Some(d)) {
                out += &format!(": {}", self.data(data));
            }
        }
        out
    }

    fn list(&self, values: &[Value]) -> String {
        let mut out = String::new();
        for (i, v) in values.iter().enumerate() {
            out.push_str(if i > 0 { ", " } else { "" });
            out.push_str(&self.value(*v));
        }
        out
    }

    /// Whether a rule says what a check makes of this function, which is its body.
    fn is_attached(&self) -> bool {
        let own = |r: &Rule| {
            let body = self.module.funcs.get(r.func.0 as usize);
            body.is_some_and(|f| f.name == self.func.name) && Some(r.check) == self.func.of_rule
        };
        self.module.funcs.iter().flat_map(|f| &f.rules).any(own)
    }

    fn callee(&self, f: FuncId) -> Cow<'a, str> {
        match self.module.funcs.get(f.0 as usize) {
            Some(f) => name(&f.name),
            None => Cow::Owned(format!("undefined.{}", f.0)),
        }
    }

    /// An instruction without its regions.
    pub(crate) fn inst(&self, inst: &Inst) -> String {
        let inferred = self.cx().infer(&inst.kind, &inst.args, &inst.regions).unwrap_or_default();
        let mut out = self.typed(&inst.results, &inferred);
        out.push_str(if inst.results.is_empty() { "" } else { " = " });
        let args = self.list(&inst.args);
        let words = match &inst.kind {
            Kind::Const(c) => format!("{} {}", c.scalar(), Literal(*c)),
            Kind::Op(op) => format!("{op} {args}"),
            Kind::Call(f) => {
                let dims = self.module.funcs.get(f.0 as usize).map_or(0, |f| f.dims.len());
                let (dims, args) = inst.args.split_at(dims.min(inst.args.len()));
                let dims = if dims.is_empty() { String::new() } else { format!("[{}]", self.list(dims)) };
                format!("call {}{dims}({})", self.callee(*f), self.list(args))
            }
            Kind::If => format!("if {args}"),
            Kind::Assert(guard) => match &**guard {
                Guard::Assert(text) => format!("assert {args}, {}", quoted(text)),
                Guard::Domain(text) => format!("assert_domain {args}, {}", quoted(text)),
            },
            Kind::Size(dim) => format!("size {}", self.dim(dim)),
            Kind::Build { .. } => "build".into(),
            Kind::Reduce(op) => format!("reduce {op} {args}"),
            Kind::For(l) => format!("for {args}{}", gathers(l)),
            Kind::While(l) if args.is_empty() => format!("while{}", gathers(l)),
            Kind::While(l) => format!("while {args}{}", gathers(l)),
            kind => {
                let plain = Kind::PLAIN.iter().find(|(_, k)| k == kind).expect("the other kinds are above");
                format!("{} {args}", plain.0)
            }
        };
        out + &words
    }

    /// The parameters of a region of an instruction, with a space behind them; nothing if there are none.
    fn params(&self, inst: &Inst, region: &Region) -> String {
        if region.params.is_empty() {
            return String::new();
        }
        let args = self.cx().data(&inst.args).unwrap_or_default();
        format!("({}) ", self.typed(&region.params, &region_params(&inst.kind, &args)))
    }

    fn cx(&self) -> Cx<'_> {
        Cx { module: self.module, values: &self.func.values, known: &self.known }
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
        if let Some(mode) = f.fp {
            self.line(0, format!("#[fp({mode})]"), Span::NONE);
        }
        // That of a rule itself is known by the function that has the rule.
        let of_rule = f.of_rule.filter(|_| !self.names.is_attached());
        if let Some(check) = of_rule {
            let word = check.word().map_or(String::new(), |w| format!("({w})"));
            self.line(0, format!("#[of_rule{word}]"), Span::NONE);
        }
        for rule in &f.rules {
            let mut text = format!("#[rule({}, {}", rule.kind.name(), self.names.callee(rule.func));
            text.extend(rule.check.word().map(|w| format!(", {w}")));
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
            Body::Derived(d) => {
                let wrt: Vec<String> = d.wrt.iter().map(|i| format!(", {i}")).collect();
                format!("derived {}({}{}) ", d.operator.name(), self.names.callee(d.of), wrt.concat())
            }
        };
        text += &format!("fn {}", name(&f.name));
        for (i, d) in f.dims.iter().enumerate() {
            text.push_str(if i > 0 { ", " } else { "[" });
            text.push_str(&name(&d.name));
            if let Some((a, b)) = &d.quotient {
                let at = |v: Value| f.dims.get(v.0 as usize).map_or("?".into(), |d| name(&d.name));
                text += &format!(" = div({}, {})", a.display(at), b.display(at));
            }
            self.suffix(&mut text, d.span);
        }
        text.push_str(if f.dims.is_empty() { "(" } else { "](" });
        for (i, p) in f.params.iter().enumerate() {
            text.push_str(if i > 0 { ", " } else { "" });
            text.push_str(if p.nodiff { "#[nodiff] " } else { "" });
            text.push_str(if p.linear { "#[linear] " } else { "" });
            // The verifier prints malformed functions too.
            let ty = f.values.get(p.value.0 as usize).map_or("?".into(), |d| self.names.data(d));
            text += &format!("{}: {ty}", name(&p.name));
            if let Some(domain) = p.domain {
                text += &format!(" in {domain}");
            }
            self.suffix(&mut text, p.span);
        }
        text += &format!(") -> {}", self.results());
        self.suffix(&mut text, f.span);
        text.push_str(if f.region().is_some() { " {" } else { "" });
        self.line(0, text, Span::NONE);
    }

    fn region(&mut self, r: &Region, depth: usize, end: &str) {
        for inst in &r.insts {
            let mut text = self.names.inst(inst);
            self.suffix(&mut text, inst.span);
            if let Some(first) = inst.regions.first() {
                text += &format!(" {}{{", self.names.params(inst, first));
            }
            self.line(depth, text, inst.span);
            for (i, nested) in inst.regions.iter().enumerate() {
                if i > 0 {
                    let word = if matches!(inst.kind, Kind::While(_)) { "do" } else { "else" };
                    let params = self.names.params(inst, nested);
                    self.line(depth, format!("}} {word} {params}{{"), Span::NONE);
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

    /// The declared results; one with the default name stands alone.
    fn results(&self) -> String {
        let results = &self.names.func.results;
        let default = |i: usize| results[i].name == default_result(i, results.len());
        let one = |(i, r): (usize, &ResultDecl)| match default(i) {
            true => self.names.data(&r.data()),
            false => format!("{}: {}", name(&r.name), self.names.data(&r.data())),
        };
        let all: Vec<String> = results.iter().enumerate().map(one).collect();
        if results.len() == 1 && default(0) { all.concat() } else { format!("({})", all.join(", ")) }
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

/// What a loop gives beside its carries: ` sums 1 collects 2 checkpoint sqrt`.
fn gathers(l: &Loop) -> String {
    let mut out = String::new();
    for (word, n) in [("sums", l.sums), ("collects", l.collects)] {
        if n > 0 {
            out += &format!(" {word} {n}");
        }
    }
    match l.checkpoint {
        None => {}
        Some(Checkpoint::All) => out += " checkpoint all",
        Some(Checkpoint::None) => out += " checkpoint none",
        Some(Checkpoint::Sqrt) => out += " checkpoint sqrt",
        Some(Checkpoint::Revolve(k)) => out += &format!(" checkpoint revolve {k}"),
    }
    out
}

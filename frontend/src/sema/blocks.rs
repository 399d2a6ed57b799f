//! `check` and `bench` blocks: what they ask for, as data.

use super::collect::unknown_function;
use super::consts;
use super::ctx::Ctx;
use super::decl::{self, plural};
use super::hir::FnIx;
use super::items::{FnItem, ItemRef};
use super::types::{Ty, Types};
use crate::syntax::ast::{self, CheckLineKind, Setting};
use crate::syntax::suggest::nearest;
use crate::words;
use adc_ir::{
    BenchBlock, CheckBlock, Code, Const, Diagnostic, Distribution, Expect, FuncId, Mode, ParamDomain, Scalar,
    Span,
};

/// A check may ask for this many points.
const MAX_POINTS: i64 = 1_000_000;

/// Every `check` block of the main file that makes sense.
pub fn checks(ctx: &Ctx) -> Vec<(FnIx, CheckBlock)> {
    let blocks = ctx.items.checks.clone();
    let whole = blocks.into_iter().filter(|(_, span)| !ctx.damaged(*span));
    whole.filter_map(|(c, span)| Reader::new(ctx, c, "check")?.check(c, span)).collect()
}

/// Every `bench` block of the main file that makes sense.
pub fn benches(ctx: &Ctx) -> Vec<(FnIx, BenchBlock)> {
    let blocks = ctx.items.benches.clone();
    let whole = blocks.into_iter().filter(|(_, span)| !ctx.damaged(*span));
    whole.filter_map(|(b, span)| Reader::new(ctx, b, "bench")?.bench(b, span)).collect()
}

/// The function a block is about.
pub(super) struct Reader<'c, 'a> {
    pub ctx: &'c Ctx<'a>,
    ix: FnIx,
    pub f: &'c FnItem<'a>,
}

impl<'c, 'a> Reader<'c, 'a> {
    fn new(ctx: &'c Ctx<'a>, block: &'a ast::Check, word: &'static str) -> Option<Self> {
        let ix = match ctx.items.find(&block.target.text) {
            Some(ItemRef::Fn(ix)) => ix,
            Some(ItemRef::Const(_)) => {
                let d = Diagnostic::error(Code::BadCheck, format!("`{}` is a constant", block.target.text));
                ctx.report(d.label(block.target.span, format!("a `{word}` block is about a function")));
                return None;
            }
            None => {
                ctx.report(unknown_function(ctx, &block.target));
                return None;
            }
        };
        let f = ctx.items.func(ix);
        if f.broken {
            return None;
        }
        if f.is_generic() {
            // With names for all of them it would be a function of its own by now.
            let message = format!("`{}` takes a function, which this block does not name", f.name);
            let lines: Vec<String> = (f.params.iter().filter(|p| matches!(p.ty, Ty::Fn(_))))
                .map(|p| format!("`{} = sin;`", p.name))
                .collect();
            ctx.report(
                Diagnostic::error(Code::BadCheck, message)
                    .label(block.target.span, "takes a function")
                    .also(f.sig.span, "declared here")
                    .help(format!(
                        "give the name of a function or built-in, nothing more: {}; or write a function that calls `{}`, and a \
                         `{word}` block for that",
                        lines.join(" "),
                        f.name
                    )),
            );
            return None;
        }
        Some(Reader { ctx, ix, f })
    }

    pub(super) fn bad(&self, message: String, span: Span, label: &str, help: &str) {
        let d = Diagnostic::error(Code::BadCheck, message).label(span, label);
        self.ctx.report(if help.is_empty() { d } else { d.help(help) });
    }

    /// An unknown word, with the nearest one there is.
    pub(super) fn unknown(&self, message: String, span: Span, near: Option<&str>, help: &str) {
        let d = Diagnostic::error(Code::BadCheck, message);
        let d = match near {
            Some(near) => d.meant(span, near),
            None => d.label(span, "unknown"),
        };
        self.ctx.report(if help.is_empty() { d } else { d.help(help) });
    }

    fn check(self, block: &'a ast::Check, span: Span) -> Option<(FnIx, CheckBlock)> {
        // The id is put in when the function has one.
        let mut out = CheckBlock::default_for(FuncId(0), self.f.params.len(), span);
        let before = self.ctx.errors();
        out.dims = self.dims(&block.dims);
        for line in &block.lines {
            self.check_line(line, &mut out);
        }
        let both = out.wrt.iter().flatten().find(|i| out.nodiff.contains(i));
        if let Some(&i) = both {
            let message = format!("`{}` is in `wrt` and in `nodiff`", self.f.params[i].name);
            self.bad(message, block.target.span, "in this block", "keep it in one of them");
        }
        (self.ctx.errors() == before).then_some((self.ix, out))
    }

    fn check_line(&self, line: &'a ast::CheckLine, out: &mut CheckBlock) {
        match &line.kind {
            CheckLineKind::Sample { .. }
            | CheckLineKind::In { .. }
            | CheckLineKind::Fixed { .. }
            | CheckLineKind::Load { .. } => self.param_line(line, &out.dims, &mut out.params),
            CheckLineKind::Wrt(names) => self.once(out.wrt.replace(self.params(names, true)), line),
            CheckLineKind::Nodiff(names) => out.nodiff.extend(self.params(names, false)),
            CheckLineKind::Outputs(names) => self.once(out.outputs.replace(self.outputs(names)), line),
            CheckLineKind::Modes(names) => {
                let modes = names.iter().filter_map(|n| self.word(n, "mode", Mode::ALL)).collect();
                self.once(out.modes.replace(modes), line);
            }
            CheckLineKind::Expect(name) => {
                if let Some(e) = self.word(name, "verdict", Expect::ALL) {
                    self.once(out.expect.replace(e), line);
                }
            }
            CheckLineKind::Edge => out.edge = true,
            CheckLineKind::Setting { setting, name, value } => match setting {
                Setting::Points => {
                    if let Some(n) = self.count(value, "points", 1, MAX_POINTS) {
                        self.once(out.points.replace(n as usize), line);
                    }
                }
                Setting::Seed => {
                    if let Some(n) = self.count(value, "seed", 0, i64::MAX) {
                        self.once(out.seed.replace(n), line);
                    }
                }
                Setting::Eps => self.tolerance(value, "eps", false, line, &mut out.eps),
                Setting::Atol => self.tolerance(value, "atol", true, line, &mut out.atol),
                Setting::Rtol => self.tolerance(value, "rtol", true, line, &mut out.rtol),
                Setting::Fuel => {
                    if let Some(n) = self.count(value, "fuel", 0, i64::MAX) {
                        self.once(out.fuel.replace(n), line);
                    }
                }
                Setting::MemoryLimit => {
                    if let Some(n) = self.count(value, "memory_limit", 0, i64::MAX) {
                        self.once(out.memory_limit.replace(n), line);
                    }
                }
                Setting::MaxRatio => self.bad(
                    "`max_ratio` is for `bench` blocks".into(),
                    name.span,
                    "not in a `check` block",
                    "",
                ),
            },
        }
    }

    fn bench(self, block: &'a ast::Check, span: Span) -> Option<(FnIx, BenchBlock)> {
        let params = vec![None; self.f.params.len()];
        let mut out = BenchBlock {
            func: FuncId(0),
            dims: Vec::new(),
            params,
            wrt: None,
            nodiff: Vec::new(),
            modes: Vec::new(),
            max_ratio: None,
            span,
        };
        let before = self.ctx.errors();
        out.dims = self.dims(&block.dims);
        for line in &block.lines {
            match &line.kind {
                CheckLineKind::Sample { .. }
                | CheckLineKind::In { .. }
                | CheckLineKind::Fixed { .. }
                | CheckLineKind::Load { .. } => self.param_line(line, &out.dims, &mut out.params),
                CheckLineKind::Modes(names) => {
                    let known = [("primal", "primal"), ("jvp", "jvp"), ("vjp", "vjp")];
                    let modes = names.iter().filter_map(|n| self.word(n, "mode", &known));
                    out.modes.extend(modes.map(String::from));
                }
                CheckLineKind::Setting { setting: Setting::MaxRatio, value, .. } => {
                    self.tolerance(value, "max_ratio", false, line, &mut out.max_ratio);
                }
                CheckLineKind::Wrt(names) => self.once(out.wrt.replace(self.params(names, true)), line),
                CheckLineKind::Nodiff(names) => out.nodiff.extend(self.params(names, false)),
                CheckLineKind::Outputs(_)
                | CheckLineKind::Expect(_)
                | CheckLineKind::Edge
                | CheckLineKind::Setting { .. } => self.bad(
                    "this line is for `check` blocks".into(),
                    line.span,
                    "not in a `bench` block",
                    "a `bench` block has parameter lines, `wrt`, `nodiff`, `modes` and `max_ratio`",
                ),
            }
        }
        if out.modes.is_empty() {
            out.modes = ["primal", "jvp", "vjp"].map(String::from).into();
        }
        (self.ctx.errors() == before).then_some((self.ix, out))
    }

    /// Refuses a line that was there before.
    fn once<T>(&self, before: Option<T>, line: &ast::CheckLine) {
        if before.is_some() {
            self.bad("this line is there twice".into(), line.span, "the second one", "keep one of them");
        }
    }

    fn word<T: Copy>(&self, name: &ast::Name, what: &str, known: &[(T, &'static str)]) -> Option<T> {
        let found = known.iter().find(|(_, n)| *n == name.text).map(|(v, _)| *v);
        if found.is_none() {
            let words: Vec<&str> = known.iter().map(|(_, n)| *n).collect();
            let near = nearest(&name.text, words.iter().copied());
            let help = format!("one of {}", words.join(", "));
            self.unknown(format!("no {what} called `{}`", name.text), name.span, near, &help);
        }
        found
    }

    fn param(&self, name: &ast::Name) -> Option<usize> {
        let found = self.f.params.iter().position(|p| p.name == name.text);
        if found.is_none() {
            let text = &name.text;
            let value = self.value_behind(name);
            let word = Setting::from_text(text).map(|_| text.as_str()).or_else(|| words::line(text));
            let names: Vec<&str> = self.f.params.iter().map(|p| p.name).collect();
            let (label, help) = match (word, nearest(text, names.iter().copied())) {
                _ if self.f.dims.iter().any(|d| d.text == *text) => {
                    let help = format!("write `check {}[{text} = {value}] {{ … }}`", self.f.name);
                    ("a dimension", help)
                }
                (_, Some(near)) => {
                    let message = format!("`{}` has no parameter `{text}`", self.f.name);
                    self.unknown(message, name.span, Some(near), "");
                    return None;
                }
                (Some(word), None) => {
                    ("a word of the block", format!("write `{word} {value};`, without `=`"))
                }
                _ if matches!(text.as_str(), "wrt" | "nodiff" | "modes" | "outputs" | "expect") => {
                    ("a word of the block", format!("write `{text} {value};`, without `=`"))
                }
                (None, None) if names.is_empty() => ("unknown", "it has no parameters".into()),
                (None, None) => ("unknown", format!("its parameters are {}", names.join(", "))),
            };
            self.bad(format!("`{}` has no parameter `{text}`", self.f.name), name.span, label, &help);
        }
        found
    }

    /// The text between `=` and the end of a line.
    fn value_behind(&self, name: &ast::Name) -> &'a str {
        let rest = Span { end: u32::MAX, start: name.span.end, ..name.span };
        let file = self.ctx.sources.get(rest.file.0 as usize);
        let text = file.and_then(|f| f.text.get(rest.start as usize..)).unwrap_or("");
        let value =
            text.trim_start().strip_prefix('=').unwrap_or("").split([';', '\n', '}']).next().unwrap_or("");
        if value.trim().is_empty() { "…" } else { value.trim() }
    }

    fn params(&self, names: &[ast::Name], differentiable: bool) -> Vec<usize> {
        let mut out = Vec::new();
        for n in names {
            let Some(i) = self.param(n) else { continue };
            if differentiable && !self.f.differentiable().contains(&i) {
                let p = &self.f.params[i];
                let why = match p.ty.declared_elem() {
                    Some(s) if !s.is_float() => format!("`{}` is {s}", p.name),
                    _ => format!("`{}` is `#[nodiff]`", p.name),
                };
                self.ctx.report(
                    Diagnostic::error(Code::NotDifferentiable, format!("{why} and carries no derivative"))
                        .label(n.span, "cannot be in `wrt`")
                        .also(p.span, "declared here")
                        .help(format!("leave `{}` out of `wrt`", p.name)),
                );
            } else if !out.contains(&i) {
                out.push(i);
            }
        }
        out
    }

    fn outputs(&self, names: &[ast::Name]) -> Vec<usize> {
        let mut out = Vec::new();
        for n in names {
            let Some(i) = self.f.results.iter().position(|(r, _)| *r == n.text) else {
                let known: Vec<&str> = self.f.results.iter().map(|(r, _)| r.as_str()).collect();
                let help = format!("its results are {}", known.join(", "));
                let message = format!("`{}` has no result `{}`", self.f.name, n.text);
                self.bad(message, n.span, "unknown", &help);
                continue;
            };
            if !self.f.results[i].1.declared_elem().is_some_and(Scalar::is_float) {
                self.ctx.report(
                    Diagnostic::error(Code::NotDifferentiable, format!("`{}` carries no derivative", n.text))
                        .label(n.span, "an integer or boolean result"),
                );
            } else if !out.contains(&i) {
                out.push(i);
            }
        }
        out
    }

    fn count(&self, value: &'a ast::Expr, what: &'a str, least: i64, most: i64) -> Option<u64> {
        match consts::number(self.ctx, value, &Types::fixed(Scalar::I64), what)? {
            Const::I64(n) if (least..=most).contains(&n) => Some(n as u64),
            Const::I64(n) if n > most => {
                self.bad(format!("`{what}` may be at most {most}"), value.span, "too large", "");
                None
            }
            _ => {
                self.bad(format!("`{what}` must be at least {least}"), value.span, "too small", "");
                None
            }
        }
    }

    fn tolerance(
        &self,
        value: &'a ast::Expr,
        what: &'a str,
        zero: bool,
        line: &ast::CheckLine,
        out: &mut Option<f64>,
    ) {
        let Some(x) = consts::number(self.ctx, value, &Types::fixed(Scalar::F64), what) else { return };
        let x = x.to_c128().re;
        if x.is_finite() && (x > 0.0 || (zero && x == 0.0)) {
            self.once(out.replace(x), line);
        } else {
            self.bad(format!("`{what}` must be positive"), value.span, "not a positive number", "");
        }
    }

    fn param_line(&self, line: &'a ast::CheckLine, dims: &[Option<i64>], out: &mut [Option<Distribution>]) {
        let (name, dist) = match &line.kind {
            CheckLineKind::Sample { param, dist, args } => {
                let Some(i) = self.param(param) else { return };
                (i, self.distribution(i, dist, args, dims, line.span))
            }
            CheckLineKind::In { param, domain } => {
                let Some(i) = self.param(param) else { return };
                (i, self.uniform(i, domain))
            }
            CheckLineKind::Fixed { param, value } => {
                let Some(i) = self.param(param) else { return };
                if let ast::ExprKind::Call { callee, .. } = &value.kind
                    && let ast::ExprKind::Name(n) = &callee.kind
                    && DISTRIBUTIONS.iter().any(|d| d.name == n.text)
                {
                    let help = format!("write `{} ~ {};`", param.text, self.ctx.text(value.span));
                    self.bad(
                        format!("`{}` is a distribution, not a value", n.text),
                        value.span,
                        "`=` is for values",
                        &help,
                    );
                    return;
                }
                (i, self.fixed(i, value, dims))
            }
            CheckLineKind::Load { param, path } => {
                let Some(i) = self.param(param) else { return };
                (i, self.load(i, path, dims))
            }
            CheckLineKind::Wrt(_)
            | CheckLineKind::Nodiff(_)
            | CheckLineKind::Outputs(_)
            | CheckLineKind::Modes(_)
            | CheckLineKind::Setting { .. }
            | CheckLineKind::Edge
            | CheckLineKind::Expect(_) => return,
        };
        if let Some(d) = dist {
            self.once(out[name].replace(d), line);
        }
    }

    fn constant(&self, i: usize, value: &'a ast::Expr) -> Option<Const> {
        let p = &self.f.params[i];
        consts::number(self.ctx, value, p.ty.elem(), p.name)
    }

    /// `x in [a, b]`
    fn uniform(&self, i: usize, domain: &'a ast::Domain) -> Option<Distribution> {
        let p = &self.f.params[i];
        let of = p.ty.declared_elem()?;
        match decl::domain(self.ctx, domain, p.ty.elem(), p.name)? {
            ParamDomain::Interval { lo, hi, .. } if !(lo.is_finite() && hi.is_finite()) => {
                self.unbounded(domain.span);
                None
            }
            ParamDomain::Interval { lo, hi, lo_closed, hi_closed } if of == Scalar::I64 => {
                let ends = super::domains::integer_ends(lo, hi, lo_closed, hi_closed);
                if ends.0 > ends.1 {
                    self.bad(format!("no integer for `{}`", p.name), domain.span, "holds no integer", "");
                    return None;
                }
                Some(Distribution::Int(ends.0, ends.1))
            }
            ParamDomain::Interval { lo, hi, .. } => Some(Distribution::Uniform(lo, hi)),
            ParamDomain::Annulus { r1, .. } if !r1.is_finite() => {
                self.unbounded(domain.span);
                None
            }
            ParamDomain::Annulus { r0: 0.0, r1 } => Some(Distribution::Disk(r1)),
            ParamDomain::Annulus { r0, r1 } => Some(Distribution::Annulus(r0, r1)),
        }
    }

    fn unbounded(&self, span: Span) {
        let help = "give finite bounds, or a distribution: `~ normal(0, 1)`";
        self.bad("a uniform distribution needs finite bounds".into(), span, "unbounded", help);
    }

    /// `x ~ normal(0, 1)`
    fn distribution(
        &self,
        i: usize,
        dist: &'a ast::Name,
        args: &'a [ast::Expr],
        dims: &[Option<i64>],
        span: Span,
    ) -> Option<Distribution> {
        let p = &self.f.params[i];
        let of = p.ty.declared_elem()?;
        let Some(row) = DISTRIBUTIONS.iter().find(|d| d.name == dist.text) else {
            let names = DISTRIBUTIONS.map(|d| d.name);
            let near = words::distribution(&dist.text).or_else(|| nearest(&dist.text, names));
            let help = format!("one of {}", names.join(", "));
            self.unknown(format!("no distribution called `{}`", dist.text), dist.span, near, &help);
            return None;
        };
        if !(row.of)(of) {
            let help = match of {
                Scalar::Bool => "use `choice(true, false)`",
                Scalar::I64 => "use `int(a, b)` or `choice(…)`",
                Scalar::F32 | Scalar::F64 => "use `normal`, `uniform`, `lognormal`, `choice` or `near`",
                Scalar::C64 | Scalar::C128 => "use `normal`, `disk`, `annulus`, `choice` or `near`",
            };
            self.bad(format!("`{}` is {of} and cannot be {}", p.name, row.name), span, "wrong type", help);
            return None;
        }
        let fits = row.args.map_or(!args.is_empty(), |n| n == args.len());
        if !fits {
            let want = row.args.map_or("at least 1".to_string(), |n| n.to_string());
            let plural = plural(row.args.unwrap_or(1));
            let help = format!("write `{} ~ {};`", p.name, row.form);
            self.bad(format!("`{}` takes {want} argument{plural}", row.name), span, "here", &help);
            return None;
        }
        let real = Types::fixed(of.real());
        let num = |k: usize, ty: &Ty| consts::number(self.ctx, &args[k], ty, dist.text.as_str());
        let pair = || Some((num(0, &real)?.to_c128().re, num(1, &real)?.to_c128().re));
        let check = |ok: bool, help: &str, d: Distribution| {
            if !ok {
                self.bad(format!("`{}` has no such values", row.name), span, "out of range", help);
            }
            ok.then_some(d)
        };
        let finite = |a: f64, b: f64| a.is_finite() && b.is_finite();
        match row.name {
            "normal" => {
                let (m, s) = pair()?;
                check(finite(m, s) && s >= 0.0, "a mean and a deviation", Distribution::Normal(m, s))
            }
            "uniform" => {
                let (a, b) = pair()?;
                check(finite(a, b) && a <= b, "the smaller bound first", Distribution::Uniform(a, b))
            }
            "lognormal" => {
                let (m, s) = pair()?;
                check(finite(m, s) && s >= 0.0, "a mean and a deviation", Distribution::Lognormal(m, s))
            }
            "int" => {
                let int = Types::fixed(Scalar::I64);
                let (Const::I64(a), Const::I64(b)) = (num(0, &int)?, num(1, &int)?) else { return None };
                check(a <= b, "the smaller bound first", Distribution::Int(a, b))
            }
            "choice" => {
                let all: Option<Vec<Const>> = args.iter().map(|a| self.constant(i, a)).collect();
                all.map(Distribution::Choice)
            }
            "disk" => {
                let r = num(0, &real)?.to_c128().re;
                check(finite(r, 0.0) && r >= 0.0, "radii are not negative", Distribution::Disk(r))
            }
            "annulus" => {
                let (a, b) = pair()?;
                let ok = finite(a, b) && 0.0 <= a && a <= b;
                check(ok, "radii are not negative, the smaller one first", Distribution::Annulus(a, b))
            }
            _ => {
                let (x0, r) = (self.fixed(i, &args[0], dims)?, num(1, &real)?.to_c128().re);
                let near = match x0 {
                    Distribution::Array(a) => Distribution::NearArray(a, r),
                    Distribution::Fixed(c) => Distribution::Near(c, r),
                    other => other,
                };
                check(finite(r, 0.0) && r >= 0.0, "a centre and a radius", near)
            }
        }
    }
}

/// The distributions: name and an example.
pub fn distributions() -> impl Iterator<Item = (&'static str, &'static str)> {
    DISTRIBUTIONS.iter().map(|row| (row.name, row.form))
}

/// A distribution's name, its number of arguments (`None`: one or more), and which types have it.
struct DistRow {
    name: &'static str,
    /// An example.
    form: &'static str,
    args: Option<usize>,
    of: fn(Scalar) -> bool,
}

const DISTRIBUTIONS: [DistRow; 8] = [
    DistRow { name: "normal", form: "normal(0, 1)", args: Some(2), of: Scalar::is_float },
    DistRow { name: "uniform", form: "uniform(-1, 1)", args: Some(2), of: Scalar::is_real },
    DistRow { name: "lognormal", form: "lognormal(0, 1)", args: Some(2), of: Scalar::is_real },
    DistRow { name: "int", form: "int(0, 3)", args: Some(2), of: |s| s == Scalar::I64 },
    DistRow { name: "choice", form: "choice(1, 2)", args: None, of: |_| true },
    DistRow { name: "disk", form: "disk(2)", args: Some(1), of: Scalar::is_complex },
    DistRow { name: "annulus", form: "annulus(1, 2)", args: Some(2), of: Scalar::is_complex },
    DistRow { name: "near", form: "near(1, 0.1)", args: Some(2), of: Scalar::is_float },
];

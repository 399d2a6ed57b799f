//! Checks one function but for its rules.

use super::{MAX_DEPTH, VerifyError, about};
use crate::dims::{Dim, Known};
use crate::module::*;
use crate::shape::{Cx, Problem, region_params};
use crate::text::Names;
use crate::types::{MAX_RANK, Scalar, Type};
use rustc_hash::FxHashSet;

/// Every error of the function's signature and body.
pub(super) fn check(module: &Module, func: &Func) -> Vec<VerifyError> {
    let state = vec![State::Undefined; func.values.len()];
    let mut c = Checker { module, func, state, known: Known::default(), errors: Vec::new() };
    c.signature();
    if let Some(body) = func.region() {
        c.region(body, 0);
        let results: Vec<ValueData> = func.results.iter().map(ResultDecl::data).collect();
        c.yields(None, &body.yields, &results, "the body");
    }
    c.result_sizes();
    let Checker { errors, .. } = c;
    if errors.is_empty() {
        return Vec::new();
    }
    let names = Names::new(module, func);
    let place = |Found { inst, value, message }: Found| {
        let message = match value {
            Some(v) => format!("`{}` {message}", names.value(v)),
            None => message,
        };
        match inst {
            None => about(func, message),
            Some(i) => VerifyError { func: func.name.clone(), inst: names.inst(i), message, span: i.span },
        }
    };
    errors.into_iter().map(place).collect()
}

/// How far the walk is with a value.
#[derive(Clone, Copy, PartialEq)]
enum State {
    Undefined,
    Visible,
    /// Its region is closed.
    OutOfScope,
}

/// An error before it is put into words: values get their names only once there is something to report.
struct Found<'a> {
    /// The instruction; `None`: the function itself.
    inst: Option<&'a Inst>,
    /// The subject of the message, if it is a value.
    value: Option<Value>,
    message: String,
}

struct Checker<'a> {
    module: &'a Module,
    func: &'a Func,
    state: Vec<State>,
    known: Known,
    errors: Vec<Found<'a>>,
}

impl<'a> Checker<'a> {
    fn error(&mut self, inst: Option<&'a Inst>, message: impl Into<String>) {
        self.errors.push(Found { inst, value: None, message: message.into() });
    }

    fn value_error(&mut self, inst: Option<&'a Inst>, value: Value, message: &str) {
        self.errors.push(Found { inst, value: Some(value), message: message.into() });
    }

    fn signature(&mut self) {
        let func = self.func;
        let mut names = FxHashSet::default();
        for d in &func.dims {
            if !names.insert(d.name.as_str()) {
                self.error(None, format!("two dimensions are called `{}`", d.name));
            }
            self.define(None, d.value);
            if self.data(d.value).is_some_and(|d| d.ty != Type::I64) {
                self.error(None, format!("dimension `{}` is no i64", d.name));
            }
        }
        for p in &func.params {
            if !names.insert(p.name.as_str()) {
                self.error(None, format!("two parameters are called `{}`", p.name));
            }
            self.define(None, p.value);
            if p.linear && !self.may_be_linear(p) {
                self.error(None, format!("parameter `{}` cannot be `#[linear]`", p.name));
            }
            if let (Some(domain), Some(ty)) = (p.domain, self.data(p.value).map(|d| d.ty)) {
                let (fits, ordered) = match domain {
                    ParamDomain::Interval { lo, hi, .. } => {
                        (ty.scalar().is_real() || ty.scalar() == Scalar::I64, lo <= hi)
                    }
                    ParamDomain::Annulus { r0, r1 } => (ty.scalar().is_complex(), 0.0 <= r0 && r0 <= r1),
                };
                if !fits || !ordered {
                    self.error(None, format!("parameter `{}: {ty}` cannot lie in `{domain}`", p.name));
                }
            }
        }
        func.params.iter().for_each(|p| self.sizes(None, p.value));
    }

    /// Whether `#[linear]` makes sense: every tangent may be passed, and is returned. Of an extern function it may have become the
    /// attribute of one that calls it with numbers for its dimensions.
    fn may_be_linear(&self, p: &Param) -> bool {
        let carries = self.data(p.value).is_some_and(|d| d.ty.is_differentiable());
        let results = self.func.results.iter().all(|r| r.ty.is_differentiable());
        carries && results && !p.nodiff && p.domain.is_none()
    }

    /// The sizes of the results: what a caller can tell from its operands and the other results.
    fn result_sizes(&mut self) {
        let yields: &[Value] = self.func.region().map_or(&[], |r| &r.yields);
        for r in &self.func.results {
            let known = |v: Value| self.func.entry_position(v).is_some() || yields.contains(&v);
            let vars_known = r.shape.iter().flat_map(Dim::vars).all(known);
            if r.shape.len() != r.ty.rank() || !is_rank(r.ty) {
                self.error(None, format!("result `{}: {}` has {} sizes", r.name, r.ty, r.shape.len()));
            } else if !vars_known {
                self.error(None, format!("the size of result `{}` is neither given nor returned", r.name));
            }
        }
    }

    fn data(&self, v: Value) -> Option<&'a ValueData> {
        self.func.values.get(v.0 as usize)
    }

    fn cx(&self) -> Cx<'_> {
        Cx { module: self.module, values: &self.func.values, known: &self.known }
    }

    /// Types as text.
    fn list<'b>(&self, data: impl IntoIterator<Item = &'b ValueData>) -> String {
        let names = Names::new(self.module, self.func);
        data.into_iter().map(|d| names.data(d)).collect::<Vec<_>>().join(", ")
    }

    fn define(&mut self, inst: Option<&'a Inst>, v: Value) {
        match self.state.get(v.0 as usize) {
            Some(State::Undefined) => self.state[v.0 as usize] = State::Visible,
            Some(State::Visible | State::OutOfScope) => self.value_error(inst, v, "is defined a second time"),
            None => self.value_error(inst, v, "is not in the table of values"),
        }
    }

    /// The sizes of a value that is being defined: as many as its type has axes, made of visible integers.
    fn sizes(&mut self, inst: Option<&'a Inst>, v: Value) {
        let Some(data) = self.data(v) else { return };
        if data.shape.len() != data.ty.rank() || !is_rank(data.ty) {
            self.value_error(inst, v, &format!("of type {} has {} sizes", data.ty, data.shape.len()));
        }
        for var in data.shape.iter().flat_map(Dim::vars) {
            if self.state.get(var.0 as usize) != Some(&State::Visible) {
                self.value_error(inst, v, "has a size that is not defined where it is");
            } else if self.data(var).is_some_and(|d| d.ty != Type::I64) {
                self.value_error(inst, v, "has a size that is no i64");
            }
        }
    }

    /// What used values are, or `None` after reporting what is wrong with them.
    fn used(&mut self, inst: Option<&'a Inst>, values: &[Value]) -> Option<Vec<&'a ValueData>> {
        let before = self.errors.len();
        for v in values {
            match self.state.get(v.0 as usize) {
                Some(State::Visible) => {}
                Some(State::OutOfScope) => {
                    self.error(inst, "uses a value outside the region that defines it")
                }
                Some(State::Undefined) | None => self.error(inst, "uses a value that is not defined before"),
            }
        }
        if self.errors.len() > before { None } else { values.iter().map(|v| self.data(*v)).collect() }
    }

    /// Walks a region; its values are out of scope afterwards, its yields are the caller's business before that.
    fn region(&mut self, r: &'a Region, depth: usize) {
        if depth > MAX_DEPTH {
            return self.error(None, format!("regions nest deeper than {MAX_DEPTH}"));
        }
        for inst in &r.insts {
            self.inst(inst, depth);
        }
    }

    fn inst(&mut self, inst: &'a Inst, depth: usize) {
        let before = self.errors.len();
        let args = self.used(Some(inst), &inst.args);
        if let Kind::Size(dim) = &inst.kind {
            let vars: Vec<Value> = dim.vars().collect();
            let found = self.used(Some(inst), &vars);
            if found.is_some_and(|f| f.iter().any(|d| d.ty != Type::I64)) {
                self.error(Some(inst), "is made of values that are no i64");
            }
        }
        if self.errors.len() == before {
            self.results(inst);
        }
        self.regions(inst, args, depth);
        for v in &inst.results {
            self.define(Some(inst), *v);
        }
        inst.results.iter().for_each(|v| self.sizes(Some(inst), *v));
        self.known.note(inst, &self.func.values);
    }

    /// The types of operands and results, as far as the regions do not say them.
    fn results(&mut self, inst: &'a Inst) {
        let Some(declared) = inst.results.iter().map(|v| self.data(*v).cloned()).collect::<Option<Vec<_>>>()
        else {
            return; // Reported where they are defined.
        };
        let args: Vec<&ValueData> = inst.args.iter().filter_map(|v| self.data(*v)).collect();
        let cx = self.cx();
        let found = cx.results(&inst.kind, &inst.args, &inst.results, Some(&declared));
        let message = match found {
            Ok(Some(want)) if want.len() != declared.len() => {
                format!("gives {} results, but {} are named", want.len(), declared.len())
            }
            Ok(Some(want)) => match want.iter().zip(&declared).find(|(want, got)| !cx.same(want, got)) {
                Some((want, got)) => {
                    format!("gives a value of type {}, not {}", self.list([want]), self.list([got]))
                }
                None => return,
            },
            Ok(None) if inst.regions.is_empty() => {
                format!("gives {} results, but {} are named", 1, declared.len())
            }
            Ok(None) => return,
            Err(Problem::Takes(want)) => format!("takes ({}), found ({})", self.list(&want), self.list(args)),
            Err(Problem::Refused) => format!("`{}` does not take ({})", word(&inst.kind), self.list(args)),
            Err(Problem::Gives) => {
                let (word, args) = (word(&inst.kind), self.list(args));
                format!("`{word}` of ({args}) does not give ({})", self.list(&declared))
            }
            Err(Problem::Text(text)) => text.into(),
        };
        self.error(Some(inst), message);
    }

    /// The nested regions: as many as the kind has, with its parameters, yielding what it wants.
    fn regions(&mut self, inst: &'a Inst, args: Option<Vec<&'a ValueData>>, depth: usize) {
        let wanted = inst.kind.regions();
        if inst.regions.len() != wanted {
            let found = inst.regions.len();
            self.error(Some(inst), format!("has {found} regions, not {wanted}"));
        }
        let results: Option<Vec<&ValueData>> = inst.results.iter().map(|v| self.data(*v)).collect();
        let params = args.map(|args| region_params(&inst.kind, &args));
        for (i, r) in inst.regions.iter().enumerate() {
            r.params.iter().for_each(|v| self.define(Some(inst), *v));
            r.params.iter().for_each(|v| self.sizes(Some(inst), *v));
            if let Some(params) = &params {
                self.parameters(inst, r, params);
            }
            self.region(r, depth + 1);
            if let Some(results) = &results {
                self.nested_yields(inst, i, r, results);
            }
            self.close(r);
        }
    }

    fn parameters(&mut self, inst: &'a Inst, r: &Region, wanted: &[ValueData]) {
        let Some(found) = r.params.iter().map(|v| self.data(*v)).collect::<Option<Vec<_>>>() else { return };
        let same = found.len() == wanted.len() && found.iter().zip(wanted).all(|(a, b)| self.cx().same(a, b));
        if !same {
            let (found, wanted) = (self.list(found), self.list(wanted));
            self.error(Some(inst), format!("a region has parameters ({found}), not ({wanted})"));
        }
    }

    /// What region `i` of an instruction with these results yields.
    fn nested_yields(&mut self, inst: &'a Inst, i: usize, r: &'a Region, results: &[&ValueData]) {
        let all = || results.iter().copied().cloned().collect::<Vec<_>>();
        let one = if let [one] = results { Some(*one) } else { None };
        match &inst.kind {
            Kind::While(_) if i == 0 => {
                self.yields(Some(inst), &r.yields, &[Type::BOOL.into()], "the condition")
            }
            Kind::If => self.yields(Some(inst), &r.yields, &all(), "a region"),
            Kind::For(l) | Kind::While(l) => {
                let first = inst.kind.first_carry().unwrap_or(0);
                let carries = inst.args.len().saturating_sub(first).min(results.len());
                let (sums, collects) = (l.sums as usize, l.collects as usize);
                // A `while` that collects gives the number of iterations first.
                let iterations = (matches!(inst.kind, Kind::While(_)) && collects > 0) as usize;
                let gathered = results.iter().skip(carries + iterations).copied();
                let gathered =
                    gathered.enumerate().map(|(k, d)| if k < sums { d.clone() } else { d.inner(1) });
                let wanted: Vec<ValueData> =
                    results[..carries].iter().copied().cloned().chain(gathered).collect();
                self.yields(Some(inst), &r.yields, &wanted, "a region");
            }
            Kind::Build { rank } => match one {
                Some(d) if (1..=d.ty.rank()).contains(&(*rank as usize)) => {
                    self.yields(Some(inst), &r.yields, &[d.inner(*rank as usize)], "a region")
                }
                _ => self.error(
                    Some(inst),
                    format!("does not give one array of at least {} axes", (*rank).max(1)),
                ),
            },
            Kind::Reduce(op) => {
                let Some(found) = self.used(Some(inst), &r.yields) else { return };
                let fits = match (found.as_slice(), one) {
                    ([y], Some(d)) => {
                        op.result_type(y.ty) == Some(d.ty) && (!d.ty.is_array() || self.cx().same(y, d))
                    }
                    _ => false,
                };
                if !fits {
                    let (found, results) = (self.list(found), self.list(all().iter()));
                    self.error(Some(inst), format!("`{op}` of ({found}) does not give ({results})"));
                }
            }
            // No region belongs there, which is reported.
            _ => {}
        }
    }

    fn yields(&mut self, inst: Option<&'a Inst>, yields: &[Value], wanted: &[ValueData], what: &str) {
        let Some(found) = self.used(inst, yields) else { return };
        let same = found.len() == wanted.len() && found.iter().zip(wanted).all(|(a, b)| self.cx().same(a, b));
        if !same {
            let (found, wanted) = (self.list(found), self.list(wanted));
            self.error(inst, format!("{what} yields ({found}), not ({wanted})"));
        }
    }

    /// Takes a region's own values out of scope (those of regions inside it are already).
    fn close(&mut self, r: &Region) {
        for v in r.params.iter().chain(r.insts.iter().flat_map(|i| &i.results)) {
            if let Some(state) = self.state.get_mut(v.0 as usize) {
                *state = State::OutOfScope;
            }
        }
    }
}

fn is_rank(ty: Type) -> bool {
    match ty {
        Type::Scalar(_) => true,
        Type::Array(_, rank) => (1..=MAX_RANK).contains(&(rank as usize)),
    }
}

/// What an instruction is called in messages.
fn word(kind: &Kind) -> String {
    match kind {
        Kind::Op(op) => op.to_string(),
        _ => Kind::PLAIN.iter().find(|(_, k)| k == kind).map_or("it", |(word, _)| word).into(),
    }
}

//! Functions by themselves: their derivative by rule and by differences at given arguments, and rules made of the
//! differences.

use crate::observe::point_report;
use crate::points::Origin;
use crate::prepare::Prepared;
use crate::report::Entry;
use crate::rules;
use crate::settings::{Context, Request};
use crate::slots::{get, set};
use crate::verdict::Verdict;
use adc_ir::interp::{ExternCalls, Interp, Limits, ResultType, Val};
use adc_ir::*;
use adc_jit::{Externs, RuntimeMath};
use std::cell::{Cell, RefCell};

/// Calls of one function whose Jacobians are kept. One more call ends the experiment.
const MAX_CALLS: usize = 1 << 11;

/// Limit of the counted work (see [`interp::Cost::work`]) of a function in the differences of one Jacobian, and of the
/// iterations in which it is counted.
const WORK: u64 = 1 << 26;
const ITERATIONS: u64 = 1 << 18;
/// How often the function runs for the difference of one column.
const RUNS: u64 = 4;

/// A function checked by itself.
pub(super) struct Isolated {
    prepared: Prepared,
    /// Whether a Jacobian is affordable, once that is known.
    affordable: Option<bool>,
}

/// A Jacobian in real coordinates, row by row.
#[derive(Clone, Debug)]
pub(super) struct Jacobian {
    pub rule: Vec<f64>,
    pub fd: Vec<f64>,
}

impl Isolated {
    pub(super) fn new(ctx: &Context, m: &Module, g: FuncId, request: &Request) -> Option<Isolated> {
        let ctx = &Context { module: m, ..*ctx };
        Isolated::of(rules::prepare(ctx, (g, &[]), request)?)
    }

    /// `None` unless whole Jacobians are compared.
    pub(super) fn of(prepared: Prepared) -> Option<Isolated> {
        prepared.units.first().filter(|u| u.by_entry)?;
        Some(Isolated { prepared, affordable: None })
    }

    /// Instructions of all programs of the check.
    pub(super) fn instructions(&self) -> usize {
        self.prepared.instructions()
    }

    /// Whether a Jacobian at such arguments is affordable.
    fn is_affordable(&mut self, args: &[Datum]) -> bool {
        let prepared = &self.prepared;
        *self.affordable.get_or_insert_with(|| {
            let args: Vec<Val<f64>> = args.iter().map(Datum::to_val).collect();
            let limits = Limits { fuel: ITERATIONS, ..Limits::default() };
            let interp = Interp { limits, ..Interp::new(&prepared.module, &RuntimeMath, prepared.externs()) };
            let cost = interp.count(prepared.request.func, &[], &args).map(|(_, cost)| cost.work());
            let columns = prepared.units[0].columns.len() as u64;
            cost.is_ok_and(|work| RUNS.saturating_mul(work).saturating_mul(columns) <= WORK)
        })
    }

    /// The worst entry with such a verdict.
    pub(super) fn worst(&mut self, args: &[Datum], wanted: &dyn Fn(Verdict) -> bool) -> Option<Entry> {
        if !self.is_affordable(args) {
            return None;
        }
        self.prepared.run_point(args, 0).ok()?;
        let report = point_report(&self.prepared, Origin::Given(0), args, Vec::new());
        let wrong = report.entries.into_iter().filter(|e| wanted(e.status));
        wrong.max_by(|a, b| a.ratio.total_cmp(&b.ratio))
    }

    /// Rule and differences at these arguments, after [`Self::run`].
    pub(super) fn jacobian(&mut self, args: &[Datum]) -> Option<Jacobian> {
        if !self.is_affordable(args) {
            return None;
        }
        self.prepared.run_point(args, 0).ok()?;
        let unit = self.prepared.units.first()?;
        let mut out = Jacobian { rule: Vec::new(), fd: Vec::new() };
        for e in &unit.entries {
            // Of the two modes, the one with the larger error.
            let off = |x: f64| if x.is_nan() { -1.0 } else { (x - e.fd).abs() };
            let own = if off(e.jvp) > off(e.vjp) { e.jvp } else { e.vjp };
            let status = e.comparison.map_or(Verdict::Unchecked, |c| c.status);
            let known = match status {
                Verdict::Unchecked | Verdict::OutOfDomain | Verdict::Unsure | Verdict::Kink => None,
                _ => Some(e.fd).filter(|x| x.is_finite()),
            };
            // At a kink any subgradient is right. Where differences have no value, the derivative is left as it is.
            let fd = known.or(match (status, e.slopes) {
                (Verdict::BadKink, Some((l, r))) => Some(0.5 * l + 0.5 * r),
                _ => Some(own).filter(|x| x.is_finite()),
            });
            out.rule.push(own);
            out.fd.push(fd?);
        }
        Some(out)
    }

    pub(super) fn unit(&self) -> &crate::unit::Unit {
        &self.prepared.units[0]
    }

    pub(super) fn func(&self) -> &Func {
        self.prepared.func()
    }

    /// The real coordinates of arguments (results) that carry derivatives.
    pub(super) fn columns(&self, args: &[Datum]) -> Vec<f64> {
        self.unit().columns.iter().map(|c| get(&args[c.index], c.entry, c.part)).collect()
    }

    pub(super) fn value(&mut self, args: &[Datum]) -> Option<Vec<f64>> {
        let results = self.prepared.value(args).ok()?;
        Some(self.unit().rows.iter().map(|r| get(&results[r.index], r.entry, r.part)).collect())
    }
}

/// What the worst number of an entry is, by rule.
pub(super) fn rule_value(e: &Entry) -> f64 {
    e.wrong_one()
}

/// Native functions that return derivatives by differences.
pub(super) struct Numeric<'a> {
    natives: &'a Externs,
    functions: Vec<Differenced>,
    gave_up: Cell<bool>,
}

struct Differenced {
    symbol: String,
    isolated: RefCell<Isolated>,
    known: RefCell<Vec<(Vec<Datum>, Option<Jacobian>)>>,
}

impl<'a> Numeric<'a> {
    pub(super) fn new(natives: &'a Externs) -> Numeric<'a> {
        Numeric { natives, functions: Vec::new(), gave_up: Cell::new(false) }
    }

    /// Whether a derivative could not be given.
    pub(super) fn gave_up(&self) -> bool {
        self.gave_up.get()
    }

    /// Gives a function both rules, ẏ = J u and x̄ = Jᵀ v, in real coordinates.
    pub(super) fn add(&mut self, ctx: &Context, m: &mut Module, g: FuncId, request: &Request) -> Option<()> {
        let isolated = RefCell::new(Isolated::new(ctx, m, g, request)?);
        let symbol = format!("differences {}", g.0);
        let func = m.func(g).clone();
        let (wrt, outputs) = (func.differentiable_params(), func.differentiable_results());
        let datas =
            |list: &[usize], of: &dyn Fn(usize) -> ValueData| list.iter().map(|i| of(*i)).collect::<Vec<_>>();
        let inputs = datas(&wrt, &|i| func.data(func.params[i].value).clone());
        let results = datas(&outputs, &|k| func.results[k].data());
        for (kind, given, wanted) in [(RuleKind::Jvp, &inputs, &results), (RuleKind::Vjp, &results, &inputs)]
        {
            let (mut b, _) = Builder::like(&func, m.fresh_name(&format!("{} by {}", func.name, kind.name())));
            func.results.iter().for_each(|r| {
                b.param(r.name.clone(), r.data());
            });
            given.iter().enumerate().for_each(|(k, d)| {
                b.param(format!("u{k}"), d.clone());
            });
            let mut rule = b.finish(Vec::new());
            rule.results =
                wanted.iter().enumerate().map(|(k, d)| ResultDecl::new(format!("w{k}"), d.clone())).collect();
            rule.params.iter_mut().for_each(|p| p.nodiff = false);
            rule.body = Body::Extern(format!("{symbol} {}", kind.name()));
            let id = m.add(rule);
            let (check, holomorphic, span) = (RuleCheck::default(), Vec::new(), func.span);
            m.attach(g, Rule { kind, func: id, check, holomorphic, span });
        }
        self.functions.push(Differenced { symbol, isolated, known: RefCell::default() });
        Some(())
    }
}

impl Differenced {
    fn apply(&self, reverse: bool, args: &[Val<f64>], results: &[ResultType]) -> Option<Vec<Val<f64>>> {
        let mut isolated = self.isolated.borrow_mut();
        let func = isolated.func();
        let (n, of) = (func.params.len(), func.results.len());
        let data = |k: usize, v: &Val<f64>| Datum::from_val(v, func.param_ty(k).scalar());
        let point: Vec<Datum> = args[..n].iter().enumerate().map(|(k, v)| data(k, v)).collect();
        let (wrt, outputs) = (func.differentiable_params(), func.differentiable_results());
        let (from, to) = if reverse { (&outputs, &wrt) } else { (&wrt, &outputs) };
        let elem = |k: usize| if reverse { func.results[k].ty.scalar() } else { func.param_ty(k).scalar() };
        let given: Vec<Datum> =
            args[n + of..].iter().zip(from).map(|(v, k)| Datum::from_val(v, elem(*k))).collect();
        let mut known = self.known.borrow_mut();
        if !known.iter().any(|(x, _)| *x == point) {
            if known.len() >= MAX_CALLS {
                return None;
            }
            let j = isolated.jacobian(&point);
            known.push((point.clone(), j));
        }
        let j = known.iter().find(|(x, _)| *x == point)?.1.as_ref()?;
        let unit = isolated.unit();
        let mut out: Vec<Datum> = results.iter().map(|r| Datum::zeros(r.ty.scalar(), &r.shape)).collect();
        let (rows, columns) = (&unit.rows, &unit.columns);
        let (inner, outer) = if reverse { (rows, columns) } else { (columns, rows) };
        for (b, c) in outer.iter().enumerate() {
            let mut sum = 0.0;
            for (a, d) in inner.iter().enumerate() {
                let (row, column) = if reverse { (a, b) } else { (b, a) };
                let at = from.iter().position(|k| *k == d.index)?;
                let u = get(&given[at], d.entry, d.part);
                // A partial that is not asked for does not count, whatever its value.
                if u != 0.0 {
                    sum += j.fd[row * columns.len() + column] * u;
                }
            }
            let at = to.iter().position(|k| *k == c.index)?;
            set(&mut out[at], c.entry, c.part, sum);
        }
        Some(out.iter().map(Datum::to_val).collect())
    }
}

impl ExternCalls<f64> for Numeric<'_> {
    fn call(&self, name: &str, args: &[Val<f64>], results: &[ResultType]) -> Result<Vec<Val<f64>>, i32> {
        let mine =
            self.functions.iter().find_map(|f| Some((f, name.strip_prefix(&f.symbol)?.strip_prefix(' ')?)));
        let Some((function, kind)) = mine else { return self.natives.call(name, args, results) };
        let given = function.apply(kind == RuleKind::Vjp.name(), args, results);
        given.ok_or_else(|| {
            self.gave_up.set(true);
            -1
        })
    }
}

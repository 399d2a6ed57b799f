//! From the numbers of compiled programs to report data.

use crate::compare::Comparison;
use crate::coordinates::{Part, indices, sizes};
use crate::dims;
use crate::points::Origin;
use crate::prepare::Prepared;
use crate::report::*;
use crate::settings::{Context, DEFAULT_SEED, Limits, Settings, Tolerance};
use crate::unit::{ProbeData, Unit};
use crate::verdict::Verdict;
use adc_ir::*;
use num_complex::Complex64;

/// A report without results.
pub(crate) fn empty_report(ctx: &Context, block: &CheckBlock, settings: &Settings) -> Report {
    let func = ctx.module.func(block.func);
    let named = |name: &String, data: &ValueData| Named {
        name: name.clone(),
        ty: data.ty,
        shape: sizes(data).unwrap_or_default(),
        declared: Vec::new(),
    };
    let reached: Vec<&Func> =
        ctx.module.reachable(block.func).into_iter().map(|g| ctx.module.func(g)).collect();
    let with = |check: RuleCheck| -> Vec<String> {
        let have = reached.iter().filter(|g| g.rules.iter().any(|r| r.check == check));
        have.map(|g| g.name.clone()).collect()
    };
    Report {
        func: block.func,
        name: func.name.clone(),
        dims: Vec::new(),
        sets: Vec::new(),
        further: false,
        assumed: None,
        open_dims: Vec::new(),
        inputs: func.params.iter().map(|p| named(&p.name, func.data(p.value))).collect(),
        outputs: func.results.iter().map(|r| named(&r.name, &r.data())).collect(),
        status: Status::Error,
        interrupted: false,
        expected: block.expect,
        modes: Vec::new(),
        limits: Limits { eps: 0.0, atol: 0.0, rtol: 0.0, form: settings.tolerance },
        seed: settings.seed.or(block.seed).unwrap_or(DEFAULT_SEED),
        counts: Counts::default(),
        worst: None,
        small: None,
        points: Vec::new(),
        curves: Vec::new(),
        worst_ratio: 0.0,
        worst_entry: String::new(),
        means: Vec::new(),
        compared_at: ComparedAt::default(),
        holes: Vec::new(),
        sites: Vec::new(),
        trusted: with(RuleCheck::Trust),
        nonlinear: with(RuleCheck::Nonlinear),
        linear: Vec::new(),
        first_order: Vec::new(),
        blame: None,
        root: None,
        forward_skipped: None,
        reverse_skipped: None,
        gradgrad_skipped: None,
        rejected_by: None,
        given_up_by: None,
        diagnostics: Vec::new(),
    }
}

/// Parameters and results with the sizes that a check will have, as far as they follow from its dimensions.
pub fn signature(ctx: &Context, block: &CheckBlock, settings: &Settings) -> (Vec<Named>, Vec<Named>) {
    let func = ctx.module.func(block.func);
    let dims = dims::choose(func, block, settings).unwrap_or_default();
    let named = |name: &String, data: &ValueData| {
        let size = |d: &Dim| dims::size(func, d, &dims).and_then(|n| usize::try_from(n).ok());
        let shape = data.shape.iter().map(size).collect::<Option<_>>().unwrap_or_default();
        Named { name: name.clone(), ty: data.ty, shape, declared: Vec::new() }
    };
    let inputs = func.params.iter().map(|p| named(&p.name, func.data(p.value))).collect();
    (inputs, func.results.iter().map(|r| named(&r.name, &r.data())).collect())
}

/// Whether `a` is more informative about what is wrong than `b`.
pub(crate) fn worse(a: &Entry, b: &Entry) -> bool {
    let own = |e: &Entry| {
        let derivative = e.vjp.or(e.jvp).unwrap_or(0.0);
        e.fd.map_or(f64::INFINITY, |fd| (derivative - fd).abs())
    };
    (a.status, a.ratio, own(a)) > (b.status, b.ratio, own(b))
}

/// The current point of `prepared` as data.
pub(crate) fn point_report(
    prepared: &Prepared,
    origin: Origin,
    inputs: &[Datum],
    value: Vec<Datum>,
) -> PointReport {
    let mut point = PointReport::bare(origin, inputs, value);
    let automatic = prepared.request.limits.form == Tolerance::Automatic;
    for unit in &prepared.units {
        let n = unit.columns.len();
        if unit.order == Order::Second {
            point.cotangents = prepared.cotangents.clone();
        }
        let compared: Vec<(usize, Comparison)> = unit.compared().collect();
        point.entries_omitted += compared.len().saturating_sub(MAX_LISTED);
        for i in telling(compared) {
            point.entries.push(entry(prepared, unit, i / n, i % n));
        }
        let func = prepared.module.func(unit.programs.func);
        let probes = telling(unit.probes.iter().map(|p| p.comparison).enumerate().collect());
        point.probes.extend(probes.into_iter().map(|i| &unit.probes[i]).map(|p| Probe {
            order: unit.order,
            mode: if automatic { Mode::Fast } else { p.mode },
            direction: direction(p, automatic),
            input: p.input.map(|i| func.params[i].name.clone()),
            output: func.results[p.output].name.clone(),
            output_index: p.entry.map_or(Vec::new(), |e| indices(&unit.result_shapes[p.output], e)),
            part: p.part,
            derivative: p.derivative,
            fd: p.fd,
            abs_err: p.comparison.abs_err,
            tol: p.comparison.tol,
            ratio: p.comparison.ratio,
            status: p.comparison.status,
            est: Some(p.comparison.est).filter(|x| x.is_finite()),
            resolution: Some(p.comparison.resolution).filter(|x| x.is_finite()),
        }));
        point.identities.extend(unit.identities.iter().map(|i| Identity {
            order: unit.order,
            kind: i.kind,
            sides: i.sides,
            tol: i.tol,
            status: i.status,
        }));
        if unit.order == Order::First {
            point.wirtinger = wirtinger(prepared, unit);
        }
    }
    point
}

/// The direction of a probe.
fn direction(p: &ProbeData, automatic: bool) -> Direction {
    match (p.mode, p.part) {
        _ if automatic => Direction::Signs,
        (Mode::Forward, Part::Im) => Direction::PositiveImaginary,
        (Mode::Forward, Part::Whole | Part::Re) => Direction::PositiveReal,
        (Mode::Slow | Mode::Fast | Mode::Gradgrad, _) => Direction::Positive,
    }
}

/// If there are too many comparisons, the most informative ones, in order.
fn telling(mut list: Vec<(usize, Comparison)>) -> Vec<usize> {
    if list.len() > MAX_LISTED {
        let rank = |c: &Comparison| (c.status, if c.ratio.is_nan() { 0.0 } else { c.ratio });
        list.select_nth_unstable_by(MAX_LISTED - 1, |(i, a), (j, b)| {
            let (a, b) = (rank(a), rank(b));
            b.0.cmp(&a.0).then(b.1.total_cmp(&a.1)).then(i.cmp(j))
        });
        list.truncate(MAX_LISTED);
        list.sort_unstable_by_key(|(i, _)| *i);
    }
    list.into_iter().map(|(i, _)| i).collect()
}

/// One entry at the current point.
pub(crate) fn entry(prepared: &Prepared, unit: &Unit, row: usize, column: usize) -> Entry {
    let func = prepared.module.func(unit.programs.func);
    let (r, c) = (unit.rows[row], unit.columns[column]);
    let data = unit.entry(row * unit.columns.len() + column);
    let comparison = data.comparison;
    Entry {
        order: unit.order,
        output: func.results[r.index].name.clone(),
        output_index: indices(&unit.result_shapes[r.index], r.entry),
        output_part: r.part,
        input: func.params[c.index].name.clone(),
        input_index: indices(&unit.param_shapes[c.index], c.entry),
        input_part: c.part,
        place: (row, column),
        parameter: c.index,
        result: r.index,
        vjp: unit.vjp.as_ref().map(|_| data.vjp),
        jvp: unit.jvp.as_ref().map(|_| data.jvp),
        fd: data.fd.is_finite().then_some(data.fd),
        abs_err: comparison.map_or(f64::NAN, |c| c.abs_err),
        tol: comparison.map_or(f64::NAN, |c| c.tol),
        ratio: comparison.map_or(f64::NAN, |c| c.ratio),
        status: comparison.map_or(Verdict::Unchecked, |c| c.status),
        testable: comparison.is_none_or(|c| c.testable),
        est: comparison.map(|c| c.est).filter(|x| x.is_finite()),
        resolution: comparison.map(|c| c.resolution).filter(|x| x.is_finite()),
        slopes: data.slopes,
        exact: data.exact,
    }
}

/// 2W = ∂f/∂x − i ∂f/∂y and 2CW = ∂f/∂x + i ∂f/∂y of the complex pairs, from the derivative that is available.
fn wirtinger(prepared: &Prepared, unit: &Unit) -> Vec<Wirtinger> {
    let func = prepared.module.func(unit.programs.func);
    let n = unit.columns.len();
    let number = |row: usize, column: usize| {
        let part = |row: usize| {
            let e = unit.entries[row * n + column];
            if e.vjp.is_nan() { e.jvp } else { e.vjp }
        };
        Complex64::new(part(row), part(row + 1))
    };
    let mut out = Vec::new();
    if unit.entries.iter().all(|e| e.comparison.is_none()) {
        return out;
    }
    for row in (0..unit.rows.len()).filter(|&r| unit.rows[r].part == Part::Re) {
        for column in (0..n).filter(|&c| unit.columns[c].part == Part::Re) {
            if out.len() == MAX_LISTED {
                return out;
            }
            let (fx, fy) = (number(row, column), number(row, column + 1));
            let i = Complex64::i();
            let (w, cw) = ((fx - i * fy) * 0.5, (fx + i * fy) * 0.5);
            let (l, r, c) = (&prepared.request.limits, unit.rows[row], unit.columns[column]);
            // CW consists of four entries; each may be wrong by its tolerance.
            let entries = [(row, column), (row, column + 1), (row + 1, column), (row + 1, column + 1)];
            let tol = |(row, column): (usize, usize)| {
                unit.entries[row * n + column].comparison.map_or(0.0, |c| c.tol)
            };
            let limit = match l.form {
                Tolerance::Automatic => entries.into_iter().map(tol).filter(|x| x.is_finite()).sum(),
                Tolerance::Classic | Tolerance::Relative { .. } => l.atol + l.rtol * w.norm(),
            };
            out.push(Wirtinger {
                output: func.results[r.index].name.clone(),
                output_index: indices(&unit.result_shapes[r.index], r.entry),
                input: func.params[c.index].name.clone(),
                input_index: indices(&unit.param_shapes[c.index], c.entry),
                w,
                cw,
                holomorphic: cw.norm() <= limit,
            });
        }
    }
    out
}

/// The name of the entry or direction with the largest ratio; of two parts of one number, the one with the larger error of
/// its own.
pub(crate) fn worst_entry(point: &PointReport, with_output: bool) -> String {
    let mut best: Option<&Entry> = None;
    for e in point.entries.iter().filter(|e| e.status != Verdict::Unchecked) {
        if best.is_none_or(|b| worse(e, b)) {
            best = Some(e);
        }
    }
    let probe = point.probes.iter().filter(|p| !p.ratio.is_nan()).max_by(|a, b| a.ratio.total_cmp(&b.ratio));
    match (best, probe) {
        (Some(e), Some(p)) if p.ratio > e.ratio => p.title(),
        (Some(e), _) => e.name(with_output || e.order == Order::Second),
        (None, Some(p)) => p.title(),
        (None, None) => String::new(),
    }
}

//! A matrix that goes round in a loop becomes its rows, if the loop reads and writes it at known rows only: as the state of a system that
//! is kept in one matrix. What is done to one row then has nothing to do with the others.

use super::scan;
use adc_ir::dims::{Known, elements};
use adc_ir::{Const, Func, Inst, Kind, Region, Span, Value, ValueData};
use rustc_hash::{FxHashMap, FxHashSet};

/// Rows of a matrix that is split, at most.
const ROWS: i64 = 16;

pub(crate) fn function(f: &mut Func) {
    let known = Known::of(f);
    scan::edit(f, |body, f| region(body, f, &known));
}

fn region(r: &mut Region, f: &mut Func, known: &Known) {
    let mut out = Vec::with_capacity(r.insts.len());
    for mut inst in std::mem::take(&mut r.insts) {
        let mut behind = Vec::new();
        if let Kind::For(_) = inst.kind {
            for k in (0..inst.args.len() - 3).rev() {
                let data = f.data(inst.args[3 + k]).clone();
                let Some(n) = rows(&data, known) else { continue };
                if !pays(&inst, &data, known) || !fits(&inst, k, n, f, known) {
                    continue;
                }
                let span = inst.span;
                let matrix = inst.args[3 + k];
                let init: Vec<Value> = (0..n).map(|i| row(matrix, i, &data, f, span, &mut out)).collect();
                let result = inst.results[k];
                let mut split = Split { f, known, rows: FxHashMap::default(), names: FxHashMap::default() };
                split.carry(&mut inst, &[(k, init)]);
                let rows = split.rows.remove(&result).expect("it was split");
                let names = split.names;
                inst.regions.iter_mut().for_each(|r| scan::rename(r, f, &names));
                behind.push(Inst::simple(Kind::Pack, &rows, result, span));
            }
        }
        inst.regions.iter_mut().for_each(|r| region(r, f, known));
        out.push(inst);
        out.append(&mut behind);
    }
    r.insts = out;
}

/// The number of rows of a matrix that may be split.
fn rows(data: &ValueData, known: &Known) -> Option<i64> {
    let n = known.resolve(data.shape.first()?).as_const()?;
    (data.shape.len() > 1 && (1..=ROWS).contains(&n)).then_some(n)
}

/// Whether a loop does enough with a matrix for its rows to be copied before and behind it: where loops inside use rows, if no number says
/// otherwise; else one must say so.
fn pays(inst: &Inst, data: &ValueData, known: &Known) -> bool {
    let nested = scan::has_loop(&inst.regions[0]);
    let [lo, hi, step] = [0, 1, 2].map(|k| known.number(inst.args[k]));
    let size = elements(&data.shape).and_then(|n| known.resolve(&n).as_const());
    match (lo, hi, step, size) {
        (Some(lo), Some(hi), Some(step @ 1..), _) if nested => {
            hi.saturating_sub(lo) / step >= 2 * known.resolve(&data.shape[0]).as_const().unwrap_or(0)
        }
        (Some(lo), Some(hi), Some(step @ 1..), Some(size)) => hi.saturating_sub(lo) / step >= 2 * size,
        _ => nested,
    }
}

/// A row of a matrix.
fn row(matrix: Value, i: i64, data: &ValueData, f: &mut Func, span: Span, out: &mut Vec<Inst>) -> Value {
    let i = scan::constant(f, Const::I64(i), span, out);
    scan::emit(f, Kind::Index, &[matrix, i], data.inner(1), span, out)
}

/// Whether a loop reads and writes a carried matrix of so many rows at known rows only.
fn fits(inst: &Inst, k: usize, n: i64, f: &Func, known: &Known) -> bool {
    let body = &inst.regions[0];
    let mut versions = FxHashSet::from_iter([body.params[1 + k]]);
    within(body, n, f, known, &mut versions, &[k])
}

/// Whether a region does with versions of a matrix of so many rows, some of which are known, nothing else than to read and write
/// known rows, and to yield a version in these places only.
fn within(
    r: &Region,
    n: i64,
    f: &Func,
    known: &Known,
    versions: &mut FxHashSet<Value>,
    places: &[usize],
) -> bool {
    let at = |v: Option<&Value>| v.and_then(|v| known.number(*v)).is_some_and(|i| (0..n).contains(&i));
    for inst in &r.insts {
        let args = &inst.args;
        let whole = |from: usize| args[from..].iter().any(|v| versions.contains(v));
        match inst.kind {
            Kind::Index if versions.contains(&args[0]) => {
                if !at(args.get(1)) {
                    return false;
                }
            }
            Kind::Update | Kind::AddAt if versions.contains(&args[0]) => {
                if whole(1) || !at(args.get(2)) {
                    return false;
                }
                versions.insert(inst.results[0]);
            }
            Kind::For(_) if whole(3) => {
                let places = carried(inst, |v| versions.contains(&v));
                let body = &inst.regions[0];
                versions.extend(places.iter().map(|k| body.params[1 + k]));
                if !within(body, n, f, known, versions, &places) {
                    return false;
                }
                versions.extend(places.iter().map(|k| inst.results[*k]));
            }
            _ => {
                let mut used = false;
                inst.uses(f).for_each(|v| used |= versions.contains(&v));
                if used || !inst.regions.iter().all(|r| within(r, n, f, known, versions, &[])) {
                    return false;
                }
            }
        }
    }
    r.yields.iter().enumerate().all(|(k, v)| versions.contains(v) == places.contains(&k))
}

/// The places of the carries of a loop that begin with such values.
fn carried(inst: &Inst, is: impl Fn(Value) -> bool) -> Vec<usize> {
    (3..inst.args.len()).filter(|k| is(inst.args[*k])).map(|k| k - 3).collect()
}

/// Splits one matrix.
struct Split<'a> {
    f: &'a mut Func,
    known: &'a Known,
    /// By version of the matrix: its rows.
    rows: FxHashMap<Value, Vec<Value>>,
    /// Rows that were read, by the name that they were read by.
    names: FxHashMap<Value, Value>,
}

impl Split<'_> {
    /// Carries these rows in the places of matrices.
    fn carry(&mut self, inst: &mut Inst, places: &[(usize, Vec<Value>)]) {
        let body = &mut inst.regions[0];
        for (k, init) in places.iter().rev() {
            let rows = self.fresh(init);
            self.rows.insert(body.params[1 + k], rows.clone());
            body.params.splice(1 + k..=1 + k, rows);
            inst.args = scan::splice(&inst.args, 3 + k, init);
        }
        self.region(body);
        for (k, init) in places.iter().rev() {
            let next = self.rows[&body.yields[*k]].clone();
            body.yields.splice(k..=k, next);
            let rows = self.fresh(init);
            let matrix = inst.results[*k];
            inst.results = scan::splice(&inst.results, *k, &rows);
            self.rows.insert(matrix, rows);
        }
    }

    fn fresh(&mut self, like: &[Value]) -> Vec<Value> {
        like.iter().map(|v| self.f.fresh(self.f.data(*v).clone())).collect()
    }

    fn region(&mut self, r: &mut Region) {
        let mut out = Vec::with_capacity(r.insts.len());
        for mut inst in std::mem::take(&mut r.insts) {
            match inst.kind {
                Kind::Index if self.rows.contains_key(&inst.args[0]) => self.read(inst, &mut out),
                Kind::Update | Kind::AddAt if self.rows.contains_key(&inst.args[0]) => {
                    self.write(inst, &mut out);
                }
                _ => {
                    let places = match inst.kind {
                        Kind::For(_) => carried(&inst, |v| self.rows.contains_key(&v)),
                        _ => Vec::new(),
                    };
                    if places.is_empty() {
                        inst.regions.iter_mut().for_each(|r| self.region(r));
                    } else {
                        let rows = |k: usize| (k, self.rows[&inst.args[3 + k]].clone());
                        let places: Vec<_> = places.into_iter().map(rows).collect();
                        self.carry(&mut inst, &places);
                    }
                    out.push(inst);
                }
            }
        }
        r.insts = out;
    }

    fn place(&self, v: Value) -> usize {
        self.known.number(v).expect("the row is known") as usize
    }

    fn read(&mut self, mut inst: Inst, out: &mut Vec<Inst>) {
        let row = self.rows[&inst.args[0]][self.place(inst.args[1])];
        if inst.args.len() == 2 {
            self.names.insert(inst.results[0], row);
            return;
        }
        inst.args = scan::splice(&inst.args[1..], 0, &[row]);
        out.push(inst);
    }

    fn write(&mut self, inst: Inst, out: &mut Vec<Inst>) {
        let [matrix, value, at] = [0, 1, 2].map(|k| inst.args[k]);
        let mut rows = self.rows[&matrix].clone();
        let row = &mut rows[self.place(at)];
        let data = self.f.data(*row).clone();
        *row = match (&inst.kind, &inst.args[3..]) {
            (Kind::Update, []) => self.names.get(&value).copied().unwrap_or(value),
            (_, []) => {
                let zero = scan::constant(self.f, Const::I64(0), inst.span, out);
                scan::emit(self.f, Kind::AddSlice, &[*row, value, zero], data, inst.span, out)
            }
            (_, rest) => {
                let args = [&[*row, value], rest].concat();
                scan::emit(self.f, inst.kind.clone(), &args, data, inst.span, out)
            }
        };
        self.rows.insert(inst.results[0], rows);
    }
}

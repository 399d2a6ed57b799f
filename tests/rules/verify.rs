//! Runs the derivative programs of a function at points and compares them with differences of the primal.

use crate::rules::jet::{self, Estimate, Jet, Measured, PERTURBATION};
use crate::rules::programs::{Entry, Programs};
use adc_ir::interp::{Interp, NoExterns, Val};
use adc_ir::{Const, FuncId, Module, Scalar};
use adc_jit::{Compiled, Externs, RuntimeMath};
use adc_precise::{Big, BigMath};
use num_complex::Complex;
use std::collections::BTreeMap;

/// The tolerance is this many ε, times 1 + κ.
const EPSILONS: f64 = 8.0;
/// Condition numbers above this are counted.
const LARGE: f64 = 100.0;

/// Arguments of a function, and where its derivatives are measured: the same place, but beside the cut for
/// a point on it.
#[derive(Clone, Debug)]
pub struct Point {
    /// For the programs.
    pub args: Vec<Const>,
    /// For the differences.
    pub reference: Vec<Val<Big>>,
    /// How far, relative to numbers of ordinary size, `reference` is from `args`.
    distance: Big,
}

impl Point {
    /// Measured where it is.
    pub fn at(args: Vec<Const>) -> Point {
        Point { reference: args.iter().map(|c| Val::from_const(*c)).collect(), args, distance: Big::ZERO }
    }

    /// Measured at 2⁻⁸⁰ of its sign in place of every zero part, for points on a branch cut.
    pub fn on_cut(args: Vec<Const>) -> Point {
        let distance = Big::exp2i(-80);
        let side = |x: Big| if x.is_zero() { distance.copysign(x) } else { x };
        let beside = |c: &Const| match Val::from_const(*c) {
            Val::Complex(z) => Val::Complex(Complex::new(side(z.re), side(z.im))),
            v => v,
        };
        Point { reference: args.iter().map(beside).collect(), args, distance }
    }
}

/// A function with points.
pub struct Case {
    /// For messages.
    pub name: String,
    /// Its derivatives.
    pub programs: Programs,
    /// Where.
    pub points: Vec<Point>,
    /// Whether the function is more than one op. The terms of its derivatives may cancel in a way that no perturbation
    /// of its inputs shows, and no rule is to blame: its first derivatives are compared as the whole numbers they
    /// are (D, or the pair W and CW; not ∂f/∂x and ∂f/∂y each by itself), second ones beside the size that
    /// their terms have, |f'|/|x| and |f|/|x|².
    pub composition: bool,
}

/// What came out.
#[derive(Default)]
pub struct Report {
    /// Points at which derivatives were measured.
    pub points: usize,
    /// Derivatives compared.
    pub entries: usize,
    /// Points with a condition number above [`LARGE`].
    pub ill_conditioned: usize,
    /// Points at which some error exceeds 8ε(1 + 100), so that the large κ was needed.
    pub needed: usize,
    /// Derivatives that over- or underflow.
    pub out_of_range: usize,
    /// Largest error as a multiple of the tolerance, with its place.
    pub worst: (f64, String),
    /// Everything that is wrong.
    pub failures: Vec<String>,
}

impl Report {
    /// Adds the counts of another report.
    pub fn add(&mut self, o: Report) {
        self.points += o.points;
        self.entries += o.entries;
        self.ill_conditioned += o.ill_conditioned;
        self.needed += o.needed;
        self.out_of_range += o.out_of_range;
        self.failures.extend(o.failures);
        if o.worst.0 > self.worst.0 {
            self.worst = o.worst;
        }
    }
}

/// A module and its compiled derivative programs.
pub struct Verifier<'a> {
    module: &'a Module,
    compiled: BTreeMap<FuncId, Compiled>,
}

impl<'a> Verifier<'a> {
    /// Compiles what the cases call.
    pub fn new(module: &'a Module, cases: &[Case]) -> Verifier<'a> {
        let entries: Vec<FuncId> = cases.iter().flat_map(|c| c.programs.entries()).collect();
        let compiled = adc_jit::compile(module, &entries, &Externs::default(), &Default::default())
            .unwrap_or_else(|d| panic!("code generation: {}", d.message));
        Verifier { module, compiled: entries.into_iter().zip(compiled).collect() }
    }

    /// Checks every point of a case.
    pub fn check(&self, case: &Case) -> Report {
        let mut report = Report::default();
        for point in &case.points {
            let place = || format!("{} at {:?}", case.name, point.args);
            match self.measure(&case.programs, point) {
                Ok(measured) => self.check_point(case, point, &measured, &mut report),
                Err(why) => report.failures.push(format!("{}: cannot be measured: {why}", place())),
            }
        }
        report
    }

    /// The jet of the primal over [`Big`].
    fn measure(&self, p: &Programs, point: &Point) -> Result<Measured, String> {
        let interp = Interp::new(self.module, &BigMath, &NoExterns);
        let func = self.module.func(p.f);
        let outputs = func.differentiable_results();
        let (mut x, mut sizes) = (Vec::new(), Vec::new());
        for &w in &p.wrt {
            let coordinates = parts(&point.reference[w]);
            let size = coordinates.iter().fold(Big::ZERO, |s, c| s.hypot(*c));
            sizes.extend(coordinates.iter().map(|_| size));
            x.extend(coordinates);
        }
        let f = |x: &[Big]| {
            let mut args = point.reference.clone();
            let mut rest = x.iter();
            let mut next = || *rest.next().expect("as many coordinates as the parameters have");
            for &w in &p.wrt {
                args[w] = match args[w] {
                    Val::Real(_) => Val::Real(next()),
                    Val::Complex(_) => Val::Complex(Complex::new(next(), next())),
                    Val::Bool(_) | Val::I64(_) | Val::Array(_) => unreachable!("not differentiable"),
                };
            }
            let results = interp.call(p.f, &args).ok()?;
            let y: Vec<Big> = outputs.iter().flat_map(|&r| parts(&results[r])).collect();
            y.iter().all(|v| v.is_finite()).then_some(y)
        };
        jet::measure(&f, &x, &sizes)
    }

    fn check_point(&self, case: &Case, point: &Point, measured: &Measured, report: &mut Report) {
        let reference = Interp::new(self.module, &RuntimeMath, &NoExterns);
        let (mut largest, mut needed) = (0f64, false);
        report.points += 1;
        for call in &case.programs.calls {
            let place = || {
                let [x, seeds] =
                    [&point.args, &call.extra].map(|v| v.iter().map(show).collect::<Vec<_>>().join(", "));
                format!("{}({x}), {} along {seeds}", case.name, call.mode)
            };
            let args: Vec<Const> = point.args.iter().chain(&call.extra).copied().collect();
            let func = self.module.func(call.func);
            let vals: Vec<Val<f64>> = args.iter().map(|c| Val::from_const(*c)).collect();
            let (interpreted, compiled) =
                match (reference.call(call.func, &vals), self.compiled[&call.func].call(&args)) {
                    (Ok(a), Ok(b)) => (a, b),
                    (a, b) => {
                        report.failures.push(format!("{}: {:?}, {:?}", place(), a.err(), b.err()));
                        continue;
                    }
                };
            let results = func.results.iter().zip(interpreted).zip(compiled).zip(&call.results);
            for (((decl, interpreted), compiled), expected) in results {
                let ty = decl.ty.scalar();
                let got = interpreted.to_const(ty);
                if !got.same(compiled) {
                    report.failures.push(format!(
                        "{}: `{}` interpreted {}, compiled {}",
                        place(),
                        decl.name,
                        show(&got),
                        show(&compiled)
                    ));
                }
                let Some(expected) = expected else { continue };
                match compare(got, expected, measured, point, case) {
                    Compared::OutOfRange => report.out_of_range += 1,
                    Compared::Error { ratio, kappa, without_kappa, want } => {
                        report.entries += 1;
                        largest = largest.max(kappa);
                        needed |= ratio <= 1.0 && without_kappa > 1.0 + LARGE;
                        let text = || {
                            format!(
                                "{}: `{}` = {} for {want}, κ = {kappa:.2e}",
                                place(),
                                decl.name,
                                show(&got)
                            )
                        };
                        if ratio > report.worst.0 {
                            report.worst = (ratio, text());
                        }
                        if ratio.is_nan() || ratio > 1.0 {
                            report.failures.push(format!("{:.3e} × tolerance, {}", ratio, text()));
                        }
                    }
                }
            }
        }
        report.ill_conditioned += usize::from(largest > LARGE);
        report.needed += usize::from(needed);
    }
}

enum Compared {
    /// The exact derivative is too large or too small for the type.
    OutOfRange,
    Error {
        /// Error over 8ε(1 + κ).
        ratio: f64,
        /// The derivative's condition number.
        kappa: f64,
        /// Error over 8ε.
        without_kappa: f64,
        /// The exact derivative.
        want: String,
    },
}

/// One number that a program returned against the jet's entries for its parts.
fn compare(got: Const, expected: &[Entry], measured: &Measured, point: &Point, case: &Case) -> Compared {
    let estimates: Vec<_> = expected.iter().map(|e| pick(&measured.jet, e)).collect();
    let magnitude = norm(estimates.iter().map(|e| e.value));
    // Beside a cut derivatives are those on it to about the distance (times a third derivative, at most 2⁴ here).
    let beside = point.distance.scale2(4) * measured.jet.largest();
    let unknown = norm(estimates.iter().map(|e| e.error)) + beside;
    let (epsilon, lowest, highest) = range(got.scalar());
    // `unknown` is far below a rounding error of the derivative unless the derivative is zero.
    let exponent = if magnitude <= unknown { None } else { magnitude.exponent() };
    let z = got.to_c128();
    let overflows = |e: Option<i64>| e.is_some_and(|e| e > highest);
    // A program that sums the terms of several derivatives overflows with any of them.
    let lost = !z.is_finite() && overflows(measured.jet.largest().exponent());
    if lost || overflows(exponent) || exponent.is_some_and(|e| e < lowest) {
        return Compared::OutOfRange;
    }
    let parts = [Big::from(z.re), Big::from(z.im)];
    let error = norm(estimates.iter().zip(parts).map(|(e, g)| e.value - g));
    let want = estimates.iter().map(|e| format!("{:.20}", e.value)).collect::<Vec<_>>().join(" + i ");
    let whole: Vec<Entry> = if case.composition {
        let mut all: Vec<Entry> = expected.iter().flat_map(|e| case.programs.whole(*e)).collect();
        all.dedup();
        all
    } else {
        expected.to_vec()
    };
    let scale = norm(whole.iter().map(|e| pick(&measured.jet, e).value));
    let change = measured.perturbed.iter().fold(Big::ZERO, |sum, jet| {
        let moved = whole.iter().map(|e| pick(jet, e).value - pick(&measured.jet, e).value);
        sum + norm(moved).scale2(-PERTURBATION)
    });
    let terms = if case.composition { size_of_terms(expected[0], measured) } else { Big::ZERO };
    let scale = scale + terms;
    if exponent.is_none() && terms.is_zero() {
        // Zero, as far as can be told: then the program says so, too.
        let ratio = if parts.iter().all(|p| p.is_zero()) { 0.0 } else { f64::INFINITY };
        return Compared::Error { ratio, kappa: 0.0, without_kappa: 0.0, want };
    }
    let unit = Big::from(EPSILONS * epsilon);
    let over = |tolerance: Big| (error / (tolerance + unknown)).to_f64();
    Compared::Error {
        ratio: if error.is_finite() { over(unit * (scale + change)) } else { f64::NAN },
        kappa: (change / scale).to_f64(),
        without_kappa: over(unit * scale),
        want,
    }
}

/// |f'|/|x| + |f|/|x|² for a second derivative, 0 for a first.
fn size_of_terms(entry: Entry, measured: &Measured) -> Big {
    match entry {
        Entry::First(..) => Big::ZERO,
        Entry::Second(j, l, _) => {
            let (a, b) = (measured.sizes[j], measured.sizes[l]);
            let slope = (0..measured.sizes.len()).flat_map(|j| measured.jet.gradient(j)).map(|e| e.value);
            norm(slope) * (a.recip() + b.recip()).scale2(-1) + measured.value / (a * b)
        }
    }
}

fn pick(jet: &Jet, entry: &Entry) -> Estimate {
    match *entry {
        Entry::First(j, k) => jet.first(j, k),
        Entry::Second(j, l, k) => jet.second(j, l, k),
    }
}

fn norm(parts: impl Iterator<Item = Big>) -> Big {
    parts.fold(Big::ZERO, Big::hypot)
}

/// ε and the exponents between which numbers of a type are normal, with room for a few roundings.
fn range(ty: Scalar) -> (f64, i64, i64) {
    if ty.is_single() { (f32::EPSILON as f64, -123, 127) } else { (f64::EPSILON, -1018, 1023) }
}

fn parts(v: &Val<Big>) -> Vec<Big> {
    match v {
        Val::Real(x) => vec![*x],
        Val::Complex(z) => vec![z.re, z.im],
        Val::Bool(_) | Val::I64(_) => Vec::new(),
        Val::Array(a) => a.data().iter().flat_map(parts).collect(),
    }
}

fn show(c: &Const) -> String {
    let z = c.to_c128();
    if c.scalar().is_complex() { format!("{:?}{:+?}i", z.re, z.im) } else { format!("{:?}", z.re) }
}

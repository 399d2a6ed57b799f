//! Where a search begins: guesses for all parameters at once, and numbers of the source.

use super::domains::{Candidate, Domain, is_square};
use super::search::Choice;
use adc_ir::{Const, FuncId, Module, Region, Scalar};
use num_complex::Complex64;

/// How many numbers of the source are made into intervals.
const LITERALS: usize = 8;
/// The rank of candidates that are made from them.
const RANK: u32 = 9;

/// Choices for all parameters at once, least assumed first: for each parameter, given by type and shape, a position in its
/// list.
pub(super) fn guesses(params: &[(Scalar, Vec<usize>)], lists: &[Vec<Candidate>]) -> Vec<Choice> {
    let kinds: Vec<Kind> = params.iter().map(|(ty, shape)| Kind::of(*ty, shape)).collect();
    let of = |kind: Kind, list: Vec<Option<Domain>>| match kinds.contains(&kind) {
        true => list,
        false => vec![None],
    };
    let some = |list: &[Domain]| list.iter().cloned().map(Some).collect::<Vec<_>>();
    // Integers that are an index of every axis; the search widens that.
    let axes = lists.iter().flatten().filter_map(|(_, d)| match d {
        Domain::Integers(1, n) => Some(*n),
        _ => None,
    });
    let smallest = axes.min();
    let mut integers = vec![Domain::Default, Domain::AtLeast(1)];
    let mut counts = vec![None];
    if let Some(n) = smallest {
        integers.extend([Domain::Integers(0, n - 1), Domain::Integers(1, n)]);
        counts.extend([Some(Domain::Count(n)), Some(Domain::Count(n - 1))]);
    }
    integers.extend([Domain::AtLeast(2), Domain::Some("powers of two", &[2, 4, 8])]);
    let interval = Domain::Interval;
    let reals = [
        Domain::Default,
        Domain::Positive,
        interval(0.0, 1.0),
        interval(-1.0, 1.0),
        interval(1.0, 10.0),
        interval(0.0, 0.1),
    ];
    let upper = Domain::Around(Complex64::new(0.0, 2.0), 1.0);
    let complexes = [Domain::Default, Domain::Disk(1.0), upper];
    let reals = if kinds.iter().any(|k| k.is_real()) { &reals[..] } else { &reals[..1] };
    let discrete = kinds.iter().any(|k| matches!(k, Kind::Integer | Kind::Integers));
    let integers = if discrete { &integers[..] } else { &integers[..1] };
    let mut out: Vec<Choice> = Vec::new();
    for matrix in of(Kind::Matrix, vec![None, Some(Domain::Definite)]) {
        for vector in of(Kind::Vector, vec![None, Some(Domain::Increasing)]) {
            for complex in of(Kind::Complex, some(&complexes)) {
                for count in of(Kind::Integers, counts.clone()) {
                    for integer in integers {
                        for real in reals {
                            let domain = |kind: &Kind| match kind {
                                Kind::Real => Some(real.clone()),
                                Kind::Vector => vector.clone().or(Some(real.clone())),
                                Kind::Matrix => matrix.clone().or(Some(real.clone())),
                                Kind::Integer => Some(integer.clone()),
                                Kind::Integers => count.clone().or(Some(integer.clone())),
                                Kind::Complex => complex.clone(),
                                Kind::Truth => None,
                            };
                            let choice: Choice = (kinds.iter().zip(lists))
                                .map(|(kind, list)| {
                                    domain(kind).and_then(|d| position(list, &d)).unwrap_or(0)
                                })
                                .collect();
                            if !out.contains(&choice) {
                                out.push(choice);
                            }
                        }
                    }
                }
            }
        }
    }
    out
}

/// The kinds of parameters that guesses distinguish.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Real,
    Vector,
    Matrix,
    Integer,
    Integers,
    Complex,
    Truth,
}

impl Kind {
    fn of(ty: Scalar, shape: &[usize]) -> Kind {
        match ty {
            Scalar::Bool => Kind::Truth,
            Scalar::I64 if shape.is_empty() => Kind::Integer,
            Scalar::I64 => Kind::Integers,
            Scalar::F32 | Scalar::F64 | Scalar::C64 | Scalar::C128 if is_square(shape) => Kind::Matrix,
            Scalar::C64 | Scalar::C128 => Kind::Complex,
            Scalar::F32 | Scalar::F64 if shape.is_empty() => Kind::Real,
            Scalar::F32 | Scalar::F64 => Kind::Vector,
        }
    }

    fn is_real(self) -> bool {
        matches!(self, Kind::Real | Kind::Vector | Kind::Matrix)
    }
}

fn position(list: &[Candidate], d: &Domain) -> Option<usize> {
    list.iter().position(|(_, c)| c == d)
}

/// Candidates made from the numbers that a program contains: intervals between two neighbours, from one to its double and
/// from its half, integers from one on. `assert T > 273.15 && T < 373.15`, `year >= 1900`.
pub(super) fn of_literals(m: &Module, f: FuncId, ty: Scalar) -> Vec<Candidate> {
    let mut numbers: Vec<f64> = Vec::new();
    for region in m.reachable(f).iter().filter_map(|g| m.func(*g).region()) {
        literals(region, ty == Scalar::I64, &mut numbers);
    }
    // The largest numbers say most about a scale.
    numbers.sort_by(|a, b| b.abs().total_cmp(&a.abs()).then(b.total_cmp(a)));
    numbers.dedup();
    numbers.truncate(LITERALS);
    numbers.sort_by(f64::total_cmp);
    let interval = |a: f64, b: f64| (RANK, Domain::Interval(a.min(b), a.max(b)));
    match ty {
        Scalar::Bool | Scalar::C64 | Scalar::C128 => Vec::new(),
        Scalar::I64 => {
            let from = |n: &f64| [*n as i64, *n as i64 + 1].map(|n| (RANK, Domain::AtLeast(n)));
            numbers.iter().flat_map(from).collect()
        }
        Scalar::F32 | Scalar::F64 => {
            let between = numbers.windows(2).map(|w| interval(w[0], w[1]));
            let around = numbers.iter().flat_map(|c| [interval(*c, 2.0 * c), interval(0.5 * c, *c)]);
            between.chain(around).collect()
        }
    }
}

/// Literals that may tell a scale: neither small integers nor numbers between 0.1 and 2.
fn literals(region: &Region, integers: bool, out: &mut Vec<f64>) {
    for inst in &region.insts {
        if let adc_ir::Kind::Const(c) = inst.kind {
            let telling = match c {
                Const::I64(n) => integers && (5..1_000_000).contains(&n),
                Const::F64(x) => !integers && x.is_finite() && x != 0.0 && !(0.1..=2.0).contains(&x.abs()),
                Const::Bool(_) | Const::F32(_) | Const::C64(_) | Const::C128(_) => false,
            };
            out.extend(telling.then_some(c.to_c128().re));
        }
        inst.regions.iter().for_each(|r| literals(r, integers, out));
    }
}

//! The domains that a parameter may be assumed to have, and how a `check` block states them.

use adc_ir::datum::{Array, Buffer, Datum};
use adc_ir::{Const, Distribution, Scalar};
use num_complex::Complex64;
use std::fmt;

/// How far entries of an array are drawn from its centre: increasing arrays stay increasing.
const AROUND: f64 = 0.3;
/// The same for matrices near the identity, which stay positive definite up to 9 rows, and are likely to up to 60.
const NEAR_IDENTITY: f64 = 0.1;
/// For integers without an upper bound, how many after the first are drawn.
const MORE: i64 = 3;

/// What values a parameter takes. Bounds are part of it, so that it means the same whatever the sizes are.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Domain {
    /// What is drawn for a parameter without a line in the block.
    Default,
    /// Real numbers above 0.
    Positive,
    /// Real numbers between two.
    Interval(f64, f64),
    /// Increasing positive numbers along the last axis.
    Increasing,
    /// Square matrices near the identity.
    Definite,
    /// Integers from this one on: the first few.
    AtLeast(i64),
    /// Integers from one to another.
    Integers(i64, i64),
    /// Some integers; the word says which.
    Some(&'static str, &'static [i64]),
    /// 0, 1, 2, … along the last axis, at most this one.
    Count(i64),
    /// One truth value.
    Truth(bool),
    /// Complex numbers of a modulus up to this.
    Disk(f64),
    /// Complex numbers of a modulus between two.
    Annulus(f64, f64),
    /// Complex numbers around one.
    Around(Complex64, f64),
}

/// A candidate and its rank: the smaller, the less is assumed.
pub(super) type Candidate = (u32, Domain);

/// The candidates for a parameter of this type and shape, least assumed first. `sizes` are those of all axes of arrays,
/// ascending; integers may take their bounds from them.
pub(super) fn candidates(ty: Scalar, shape: &[usize], sizes: &[usize]) -> Vec<Candidate> {
    use Domain::*;
    let mut list = vec![(0, Default)];
    match ty {
        Scalar::Bool => list.extend([(1, Truth(true)), (1, Truth(false))]),
        Scalar::I64 => {
            list.push((1, AtLeast(1)));
            for n in sizes.iter().rev().map(|n| *n as i64).filter(|n| *n > 1) {
                list.extend([(2, Integers(0, n - 1)), (3, Integers(1, n))]);
            }
            list.extend([
                (4, AtLeast(2)),
                (4, Integers(0, 1)),
                (5, Some("odd", &[1, 3, 5])),
                (5, Some("even", &[2, 4, 6])),
                (5, Some("powers of two", &[1, 2, 4, 8])),
                (6, Some("powers of two", &[2, 4, 8])),
                (6, AtLeast(5)),
                (7, AtLeast(10)),
            ]);
            if !shape.is_empty() {
                list.extend(sizes.iter().rev().map(|n| (6, Count(*n as i64))));
                list.extend(sizes.iter().rev().map(|n| (6, Count(*n as i64 - 1))));
            }
        }
        Scalar::F32 | Scalar::F64 => {
            list.extend([(1, Positive), (2, Interval(-1.0, 1.0)), (3, Interval(0.0, 1.0))]);
            list.extend([(3, Interval(1.0, 10.0)), (4, Interval(-1.0, 0.0))]);
            if shape.last().is_some_and(|n| *n > 1) {
                list.push((4, Increasing));
            }
            if is_square(shape) {
                list.push((4, Definite));
            }
            list.extend([
                (5, Interval(1.0, 2.0)),
                (5, Interval(2.0, 3.0)),
                (6, Interval(0.0, 0.1)),
                (6, Interval(-0.1, 0.1)),
                (6, Interval(10.0, 100.0)),
                (6, Interval(-10.0, -1.0)),
                (7, Interval(100.0, 1000.0)),
                (7, Interval(-100.0, -10.0)),
                (8, Interval(1e3, 1e4)),
                (8, Interval(0.001, 0.01)),
            ]);
        }
        Scalar::C64 | Scalar::C128 => {
            let at = |re, im| Around(Complex64::new(re, im), 1.0);
            list.extend([(2, Disk(1.0)), (3, Annulus(1.0, 2.0)), (3, at(2.0, 0.0)), (3, at(0.0, 2.0))]);
            if is_square(shape) {
                list.push((4, Definite));
            }
            list.extend([(5, Disk(0.1)), (5, at(-2.0, 0.0)), (5, at(0.0, -2.0))]);
        }
    }
    list.sort_by_key(|(rank, _)| *rank);
    list
}

/// Whether the last two axes are those of square matrices of more than one row.
pub(super) fn is_square(shape: &[usize]) -> bool {
    matches!(shape, [.., n, m] if n == m && *n > 1)
}

impl Domain {
    /// The line of a block that states it; none for the default.
    pub(super) fn line(&self, ty: Scalar, shape: &[usize]) -> Option<Distribution> {
        Some(match self {
            Domain::Default => return None,
            Domain::Positive => Distribution::Lognormal(0.0, 1.0),
            Domain::Interval(a, b) => Distribution::Uniform(*a, *b),
            Domain::Increasing => Distribution::NearArray(centre(ty, shape, increasing), AROUND),
            Domain::Definite => Distribution::NearArray(centre(ty, shape, identity), NEAR_IDENTITY),
            Domain::AtLeast(a) => Distribution::Int(*a, *a + MORE),
            Domain::Integers(a, b) => Distribution::Int(*a, *b),
            Domain::Some(_, list) => Distribution::Choice(list.iter().map(|n| Const::I64(*n)).collect()),
            Domain::Count(most) => {
                Distribution::Array(centre(ty, shape, |i| (last(i) as i64).min(*most) as f64))
            }
            Domain::Truth(b) => Distribution::Fixed(Const::Bool(*b)),
            Domain::Disk(r) => Distribution::Disk(*r),
            Domain::Annulus(a, b) => Distribution::Annulus(*a, *b),
            Domain::Around(z, r) => Distribution::Near(Const::from_c128(*z, ty), *r),
        })
    }

    /// How a report says it of parameters that have it: `S, K > 0`.
    pub(super) fn words(&self) -> String {
        match self {
            Domain::Default => String::new(),
            Domain::Positive => "> 0".into(),
            Domain::Interval(a, b) => format!("in [{a}, {b}]"),
            Domain::Increasing => "increasing".into(),
            Domain::Definite => "near the identity".into(),
            Domain::AtLeast(a) => format!(">= {a}"),
            Domain::Integers(a, b) => format!("in [{a}, {b}]"),
            Domain::Some(word, _) => (*word).into(),
            Domain::Count(_) => "counting".into(),
            Domain::Truth(b) => format!("= {b}"),
            Domain::Disk(r) => format!("in disk({r})"),
            Domain::Annulus(a, b) => format!("in annulus({a}, {b})"),
            Domain::Around(z, r) => format!("near({}, {r})", complex(*z)),
        }
    }

    /// What a line of a block states about a parameter of this shape, after its name; none for the default.
    pub(super) fn source(&self, ty: Scalar, shape: &[usize]) -> Option<String> {
        let numbers = |list: &[i64]| list.iter().map(i64::to_string).collect::<Vec<_>>().join(", ");
        Some(match self {
            Domain::Default => return None,
            Domain::Positive => "~ lognormal(0, 1)".into(),
            Domain::Interval(a, b) => format!("in [{a}, {b}]"),
            Domain::AtLeast(a) => format!("~ int({a}, {})", a + MORE),
            Domain::Integers(a, b) => format!("~ int({a}, {b})"),
            Domain::Some(_, list) => format!("~ choice({})", numbers(list)),
            Domain::Truth(b) => format!("= {b}"),
            Domain::Disk(r) => format!("in disk({r})"),
            Domain::Annulus(a, b) => format!("in annulus({a}, {b})"),
            Domain::Around(z, r) => format!("~ near({}, {r})", complex(*z)),
            Domain::Definite if shape.len() == 2 => format!("~ near(eye({}), {NEAR_IDENTITY})", shape[0]),
            Domain::Definite => format!("~ near({}, {NEAR_IDENTITY})", Literal(&centre(ty, shape, identity))),
            Domain::Increasing => format!("~ near({}, {AROUND})", Literal(&centre(ty, shape, increasing))),
            Domain::Count(_) => match self.line(ty, shape) {
                Some(Distribution::Array(a)) => format!("= {}", Literal(&a)),
                _ => return None,
            },
        })
    }

    /// The line of the default, for blocks that state everything.
    pub(super) fn default_source(ty: Scalar) -> &'static str {
        match ty {
            Scalar::Bool => "~ choice(true, false)",
            Scalar::I64 => "~ int(0, 3)",
            Scalar::F32 | Scalar::F64 | Scalar::C64 | Scalar::C128 => "~ normal(0, 1)",
        }
    }
}

/// An array made from the indices of its entries.
fn centre(ty: Scalar, shape: &[usize], of: impl Fn(&[usize]) -> f64) -> Datum {
    let len = shape.iter().product();
    let mut data = Buffer::zeros(ty, len);
    for k in 0..len {
        data.set(k, Const::real(of(&crate::coordinates::indices(shape, k)), ty));
    }
    Datum::Array(Array { shape: shape.to_vec(), data })
}

fn last(index: &[usize]) -> usize {
    index.last().copied().unwrap_or(0)
}

/// Positive, too: 1, 2, 3, …
fn increasing(index: &[usize]) -> f64 {
    (last(index) + 1) as f64
}

fn identity(index: &[usize]) -> f64 {
    match index {
        [.., i, j] if i == j => 1.0,
        _ => 0.0,
    }
}

fn complex(z: Complex64) -> String {
    match (z.re, z.im) {
        (re, 0.0) => format!("{re}"),
        (0.0, im) => format!("{im}i"),
        (re, im) => format!("{re}{im:+}i"),
    }
}

/// An array as written in a block: nested lists.
struct Literal<'a>(&'a Datum);

impl fmt::Display for Literal<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fn list(f: &mut fmt::Formatter<'_>, d: &Datum, axis: usize, from: usize) -> fmt::Result {
            let shape = d.shape();
            if axis == shape.len() {
                return match d.get(from) {
                    Const::I64(n) => write!(f, "{n}"),
                    c => write!(f, "{:?}", c.to_c128().re),
                };
            }
            let step: usize = shape[axis + 1..].iter().product();
            f.write_str("[")?;
            for k in 0..shape[axis] {
                if k > 0 {
                    f.write_str(", ")?;
                }
                list(f, d, axis + 1, from + k * step)?;
            }
            f.write_str("]")
        }
        list(f, self.0, 0, 0)
    }
}

//! Every form at special arguments: its high part is the result of the op in doubles, and its low part is 0 if that is
//! infinite or NaN.
//!
//! The table is [`Op::ALL`]: an op whose form is missing, or different, is named. Accuracy at ordinary arguments is the
//! subject of [`super::ops`]; here it is checked as far as the end of the range leaves digits.

use super::natives::sum;
use super::ops::operands;
use super::reference::{Both, BothMath, map, numbers};
use super::{ACCURACY, BETTER, WORTHLESS};
use crate::promote;
use crate::shadow::Shadows;
use crate::shadow::ops::{QUOTIENT, Row, row};
use crate::underflow::is_lossy;
use adc_ir::interp::{Interp, NoExterns, Val};
use adc_ir::text::parse_module;
use adc_ir::verify::assert_valid;
use adc_ir::*;
use adc_jit::{Compiled, Externs, Options, RuntimeMath, Workspace};
use adc_precise::Big;
use num_complex::Complex;
use std::collections::BTreeMap;
use std::fmt::Write;

const INF: f64 = f64::INFINITY;
/// 2⁻⁹⁶⁹: below it the low part of a pair is not a normal number.
const PAIR: f64 = f64::MIN_POSITIVE * (1u64 << 53) as f64;

/// Critical magnitudes: for all numbers, their squares and roots, sums and products of pairs, exponentials and powers,
/// functions with poles at integers, and the reduction of angles.
const MAGNITUDES: [f64; 33] = [
    0.0,
    5e-324,
    1e-310,
    f64::MIN_POSITIVE,
    1e-300,
    PAIR,
    1e-200,
    1.4e-154,
    1e-100,
    1e-17,
    0.25,
    0.5,
    0.75,
    1.0,
    1.5,
    2.0,
    3.0,
    36.75,
    170.625,
    171.7,
    709.78,
    709.79,
    745.13,
    745.14,
    1023.5,
    1024.0,
    1e9,
    1e17,
    1.35e154,
    1e200,
    1e300,
    f64::MAX,
    INF,
];
/// A selection of them, for functions of more numbers.
const SOME: [f64; 13] =
    [0.0, 5e-324, 1e-300, PAIR, 1e-160, 0.5, 1.0, 3.0, 745.14, 1e160, 1e300, f64::MAX, INF];
const FEW: [f64; 6] = [0.0, 5e-324, 1.5, 1e160, f64::MAX, INF];

/// Both signs of them, and NaN.
fn signed(magnitudes: &[f64]) -> Vec<f64> {
    magnitudes.iter().flat_map(|x| [*x, -x]).chain([f64::NAN]).collect()
}

/// The values for operands of these types.
fn arguments(op: Option<Op>, types: &[Scalar]) -> Vec<Vec<Val<f64>>> {
    let parts: usize = types
        .iter()
        .map(|t| match t {
            Scalar::C128 => 2,
            Scalar::F64 => 1,
            _ => 0,
        })
        .sum();
    let real = match parts {
        0..=2 => signed(&MAGNITUDES),
        3 => signed(&SOME),
        _ => signed(&FEW),
    };
    let integers: &[i64] = match op {
        Some(Op::Powi) => &[0, 1, -1, 2, -2, 3, 7, -65, 64, 1023, -1075, i64::MAX, i64::MIN],
        _ => &[0, 1, 2, 5, 40],
    };
    let of = |ty: Scalar| -> Vec<Val<f64>> {
        match ty {
            Scalar::Bool => vec![Val::Bool(false), Val::Bool(true)],
            Scalar::I64 => integers.iter().map(|n| Val::I64(*n)).collect(),
            Scalar::C128 => {
                let both =
                    |re: &f64| real.iter().map(|im| Val::Complex(Complex::new(*re, *im))).collect::<Vec<_>>();
                real.iter().flat_map(both).collect()
            }
            Scalar::F32 | Scalar::F64 | Scalar::C64 => real.iter().map(|x| Val::Real(*x)).collect(),
        }
    };
    let mut lists = vec![Vec::new()];
    for ty in types {
        let values = of(*ty);
        let longer = |l: &Vec<Val<f64>>| {
            values.iter().map(|v| [&l[..], std::slice::from_ref(v)].concat()).collect::<Vec<_>>()
        };
        lists = lists.iter().flat_map(longer).collect();
    }
    lists
}

/// A low part for a high one: none, or part of its last place, to either side.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Low {
    None,
    Above,
    Below,
}

impl Low {
    fn of(self, hi: f64) -> f64 {
        let part = 0.3 * f64::EPSILON * hi;
        match self {
            _ if !hi.is_finite() || (hi + part) != hi => 0.0,
            Low::None => 0.0,
            Low::Above => part,
            Low::Below => -0.5 * part,
        }
    }
}

/// A function whose shadow is checked.
struct Form {
    m: Module,
    f: FuncId,
    code: Compiled,
}

impl Form {
    fn new(mut m: Module, f: FuncId) -> Result<Form, String> {
        let f = promote::run(&mut m, f);
        let shadow = Shadows::default().run(&mut m, f).map_err(|d| d.message)?;
        assert_valid(&m, "shadow");
        if let Some((name, _)) = shadow.holes.first() {
            return Err(format!("has no double-double form: {name}"));
        }
        let code = adc_jit::compile(&m, &[shadow.func], &Externs::new(), &Options::default());
        let code = code.map_err(|d| format!("does not compile: {d:?}"))?.pop().expect("one function");
        Ok(Form { m, f, code })
    }

    /// The result in doubles, and the pair; `None` if the function of doubles ends in an error.
    fn run(&self, args: &[Val<f64>], low: Low) -> Option<(Vec<f64>, Vec<f64>, Vec<f64>)> {
        let p = Interp::new(&self.m, &RuntimeMath, &NoExterns).call(self.f, args).ok()?;
        let mut all = args.to_vec();
        for v in args.iter().filter(|v| !matches!(v, Val::Bool(_) | Val::I64(_))) {
            all.extend([v.clone(), map(v, &mut |x: &f64| low.of(*x))]);
        }
        let inputs = all.iter().zip(self.code.inputs());
        let data: Vec<Datum> = inputs.map(|(v, ty)| Datum::from_val(v, ty.scalar())).collect();
        let got =
            self.code.call_data(&mut Workspace::new(), &data).expect("the function of doubles does not fail");
        let got: Vec<Val<f64>> = got.iter().map(Datum::to_val).collect();
        Some((numbers(&p[0]), numbers(&got[1]), numbers(&got[2])))
    }

    /// The number that the result of pairs represents, by part, if known.
    fn exactly(&self, args: &[Val<f64>], low: Low) -> Option<Vec<Big>> {
        if !args.iter().flat_map(numbers).all(f64::is_finite) {
            return None;
        }
        let both = |v: &Val<f64>| map(v, &mut |p: &f64| Both { p: *p, x: sum(*p, low.of(*p)) });
        let args: Vec<Val<Both>> = args.iter().map(both).collect();
        let exact = Interp::new(&self.m, &BothMath, &NoExterns).call(self.f, &args).ok()?;
        let exact: Vec<Big> = numbers(&exact[0]).iter().map(|x| x.x).collect();
        exact.iter().all(|x| x.is_finite()).then_some(exact)
    }
}

/// Maximum error of functions of doubles, in units of the last place.
const UNITS: f64 = 1024.0;
/// The same for pairs where a number is so small that it has no low part.
const UNITS_OF_SMALL: f64 = 16.0;
/// Loss by underflow, in between or at the end, as a multiple of the smallest number.
const UNDERFLOW: f64 = 1024.0 * 5e-324;

/// Whether a number may be the value at an infinite operand: an exact one, another operand, or an angle.
fn is_limit(x: &[f64], low: Low, y: Big) -> bool {
    let pi = Big::ZERO.atan2(-Big::ONE);
    let logs = [Big::ONE, Big::from(2.0).ln(), Big::from(10.0).ln()];
    let angles = (1..=4).flat_map(|k| logs.map(|log| pi.mul_int(k).scale2(-2) / log));
    let exact = [0.0, 0.5, 1.0, 2.0].map(Big::from).into_iter().chain([Big::from(0.5).sqrt()]);
    let operands = x.iter().filter(|x| x.is_finite()).map(|x| sum(*x, low.of(*x)).abs());
    angles.chain(exact).chain(operands).any(|z| ((y.abs() - z).to_f64()).abs() <= ACCURACY * z.to_f64())
}

/// What is known about a form besides its kind of result.
#[derive(Clone, Copy)]
struct Known {
    /// At an infinite operand a finite result is one of few numbers: not for arithmetic on the parts of complex numbers.
    limits: bool,
    /// The high part is near the result in doubles.
    near: bool,
    /// Pairs are accurate wherever doubles are.
    accurate: fn(&[f64]) -> bool,
}

impl Known {
    /// For arithmetic, part by part.
    const BY_PARTS: Known = Known { limits: false, near: true, accurate: |_| true };
    /// For linear algebra, whose condition may be of any size.
    const LITTLE: Known = Known { limits: false, near: false, accurate: |_| false };

    fn of(op: Op, types: &[Scalar]) -> Known {
        let complex = types.iter().any(|t| t.is_complex());
        // Beside -inf, `logaddexp` is the other operand, its angle reduced.
        let by_parts =
            complex && (matches!(op, Op::Pow | Op::Logaddexp) || !matches!(row(op, types), Row::Native));
        let accurate: fn(&[f64]) -> bool = match op {
            // Tests of adc-runtime measure what these lose near their zeros.
            Op::Lgamma | Op::Digamma | Op::Polygamma | Op::DSinc => |_| false,
            Op::Mod => |x| (x[0] / x[1]).abs() < QUOTIENT,
            _ => |_| true,
        };
        Known { limits: !by_parts, near: true, accurate }
    }
}

/// What is wrong with a pair beside the parts `p`.
fn deviation(
    known: Known,
    x: &[f64],
    [p, hi, lo]: [&[f64]; 3],
    low: Low,
    exact: Option<&[Big]>,
) -> Option<String> {
    for ((p, hi), lo) in p.iter().zip(hi).zip(lo) {
        if !hi.is_finite() && *lo != 0.0 {
            return Some("lo is not 0 beside what is not finite".to_string());
        }
        // Low parts that are subnormal may be rounded to half a unit of the last place.
        if hi.is_finite() && hi + lo != *hi && hi + 0.75 * lo != *hi && lo.abs() > 5e-324 {
            return Some("it is not normalised".to_string());
        }
        if known.limits
            && x.iter().any(|x| x.is_infinite())
            && p.is_finite()
            && !is_limit(x, low, sum(*hi, *lo))
        {
            return Some("beside an infinity it is no limit".to_string());
        }
        let same = hi == p || (hi.is_nan() && p.is_nan());
        // In linear algebra, rounding may decide whether something is 0.
        let other = known.near || !hi.is_finite() || x.iter().any(|x| !x.is_finite());
        if low == Low::None && !p.is_finite() && !same && other {
            return Some("hi is another one".to_string());
        }
        if low == Low::None && p.is_finite() && !hi.is_finite() {
            return Some("hi is not finite".to_string());
        }
        if low == Low::None
            && known.near
            && *p == 0.0
            && *hi == 0.0
            && p.is_sign_negative() != hi.is_sign_negative()
        {
            return Some("the sign of 0 is another one".to_string());
        }
    }
    if !p.iter().chain(hi).all(|x| x.is_finite()) {
        return None;
    }
    let size = |x: &[f64]| x.iter().fold(0.0, |n: f64, x| n.hypot(*x));
    match exact {
        // Nothing is known more accurately for huge numbers, where 384 bits cancel.
        None if low == Low::None => {
            let off: Vec<f64> = p.iter().zip(hi).map(|(p, hi)| p / 4.0 - hi / 4.0).collect();
            let far = known.near
                && size(p) > 0.0
                && 4.0 * size(&off) > UNITS * f64::EPSILON * size(p).min(f64::MAX) + UNDERFLOW;
            far.then(|| "hi is far off".to_string())
        }
        None => None,
        Some(exact) => {
            let pair = hi.iter().zip(lo).zip(exact).map(|((h, l), x)| (sum(*h, *l) - *x).to_f64());
            let off: Vec<f64> = pair.collect();
            let rounding: Vec<f64> =
                p.iter().zip(exact).map(|(p, x)| (Big::from(*p) - *x).to_f64()).collect();
            // Beyond the range, or too ill-conditioned.
            let beyond = exact.iter().any(|x| x.to_f64().is_infinite());
            if beyond || size(&rounding) > WORTHLESS * size(p).max(PAIR) {
                return None;
            }
            let product = x.iter().any(|x| x.abs() > f64::MAX / 2.0);
            let small = product || size(p) < PAIR || x.iter().any(|x| is_lossy(*x));
            let (units, better) =
                if small { (UNITS_OF_SMALL * f64::EPSILON, 2.0) } else { (ACCURACY, BETTER) };
            let allowed = units * size(p) + better * size(&rounding) + UNDERFLOW;
            let far = size(&off) > allowed;
            far.then(|| format!("the pair is {:e} off, {allowed:e} allowed", size(&off)))
        }
    }
}

/// Deviations, by function and kind: how often, and the first example.
#[derive(Default)]
struct Deviations {
    found: BTreeMap<(String, String), (usize, String)>,
    compared: usize,
}

impl Deviations {
    fn add(&mut self, name: &str, kind: String, example: impl FnOnce() -> String) {
        let kind = kind.split(':').next().unwrap_or_default().to_string();
        let entry = self.found.entry((name.to_string(), kind)).or_insert_with(|| (0, example()));
        entry.0 += 1;
    }

    /// Checks a form at all arguments of a list.
    fn check(&mut self, name: &str, form: &Form, known: Known, all: &[Vec<Val<f64>>]) {
        for args in all {
            let x: Vec<f64> = args.iter().flat_map(numbers).collect();
            for low in [Low::None, Low::Above, Low::Below] {
                let Some((p, hi, lo)) = form.run(args, low) else { continue };
                self.compared += 1;
                let finite = p.iter().chain(&hi).all(|x| x.is_finite());
                let exact = if finite && (known.accurate)(&x) { form.exactly(args, low) } else { None };
                if let Some(kind) = deviation(known, &x, [&p, &hi, &lo], low, exact.as_deref()) {
                    let kind = kind.split(" is ").next().map_or(kind.clone(), |k| match k {
                        "the pair" => "the pair is off".to_string(),
                        _ => kind.clone(),
                    });
                    self.add(name, kind, || format!("{args:?} {low:?}: {hi:?} + {lo:?}, doubles give {p:?}"));
                }
            }
        }
    }

    fn report(&self) {
        let mut text = String::new();
        for ((name, kind), (count, example)) in &self.found {
            writeln!(text, "{name}: {kind}, {count} times, first {example}").expect("a string takes all");
        }
        assert!(text.is_empty(), "{} forms deviate\n{text}", self.found.len());
    }
}

#[test]
fn every_form_is_that_of_doubles_at_special_arguments() {
    let mut found = Deviations::default();
    for op in Op::ALL {
        for types in operands(*op) {
            let mut b = Builder::new("f", Span::NONE);
            let x: Vec<Value> = types.iter().enumerate().map(|(i, t)| b.param(format!("x{i}"), *t)).collect();
            let y = b.op(*op, &x);
            let mut m = Module::default();
            let f = m.add(b.finish(vec![("y".into(), y)]));
            let name = format!("{op} {types:?}");
            match Form::new(m, f) {
                Ok(form) => found.check(&name, &form, Known::of(*op, &types), &arguments(Some(*op), &types)),
                Err(why) => found.add(&name, why, String::new),
            }
        }
    }
    println!("{} pairs compared", found.compared);
    found.report();
}

/// Forms that are no ops, and ops with literal operands: functions of numbers `T`, in IR text.
const FORMS: [(&str, &str); 17] = [
    ("half", "(a: T) -> T { v0 = f64 0.5 v1 = mul v0, a return v1 }"),
    ("twice", "(a: T) -> T { v0 = f64 2.0 v1 = mul a, v0 return v1 }"),
    ("over a half", "(a: T) -> T { v0 = f64 0.5 v1 = div a, v0 return v1 }"),
    ("over two", "(a: T) -> T { v0 = f64 2.0 v1 = div a, v0 return v1 }"),
    ("first power", "(a: T) -> T { v0 = i64 1 v1 = powi a, v0 return v1 }"),
    ("second power", "(a: T) -> T { v0 = i64 2 v1 = powi a, v0 return v1 }"),
    ("third power", "(a: T) -> T { v0 = i64 3 v1 = powi a, v0 return v1 }"),
    ("difference from itself", "(a: T) -> T { v0 = sub a, a return v0 }"),
    ("plus infinity", "(a: T) -> T { v0 = f64 inf v1 = add a, v0 return v1 }"),
    ("times infinity", "(a: T) -> T { v0 = f64 inf v1 = mul a, v0 return v1 }"),
    ("over infinity", "(a: T) -> T { v0 = f64 -inf v1 = div a, v0 return v1 }"),
    (
        "sum",
        "(a: T, b: T) -> T { v0 = pack a, b v4 = reduce sum START (v5) { v6 = index v0, v5 yield v6 } return v4 }",
    ),
    (
        "product",
        "(a: T, b: T) -> T { v0 = pack a, b v4 = reduce prod START (v5) { v6 = index v0, v5 yield v6 } return v4 }",
    ),
    (
        "sum of a loop",
        "(a: T, b: T) -> T { v0 = pack a, b v4 = for START sums 1 (v5) { v6 = index v0, v5 yield v6 } return v4 }",
    ),
    (
        "add_at",
        "(a: T, b: T) -> T { v0 = pack a, b v1 = i64 0 v2 = add_at v0, b, v1 v3 = index v2, v1 return v3 }",
    ),
    (
        "maximum",
        "(a: R, b: R) -> R { v0 = pack a, b v4 = reduce max START (v5) { v6 = index v0, v5 yield v6 } return v4 }",
    ),
    (
        "minimum",
        "(a: R, b: R) -> R { v0 = pack a, b v4 = reduce min START (v5) { v6 = index v0, v5 yield v6 } return v4 }",
    ),
];

#[test]
fn every_form_without_an_op_is_that_of_doubles() {
    let mut found = Deviations::default();
    for (name, text) in FORMS {
        for ty in [Scalar::F64, Scalar::C128] {
            if ty.is_complex() && !text.contains("T)") {
                continue;
            }
            let range = "v1 = i64 0 v2 = i64 2 v3 = i64 1";
            let text = text.replace(": T", &format!(": {ty}")).replace("-> T", &format!("-> {ty}"));
            let text = text.replace(": R", ": f64").replace("-> R", "-> f64");
            let text = match text.contains("START") {
                true => text.replace("{ v0", &format!("{{ {range} v0")).replace("START", "v1, v2, v3"),
                false => text,
            };
            let m = parse_module(&format!("fn f{text}")).unwrap_or_else(|d| panic!("{name}: {d:?}\n{text}"));
            let f = m.find("f").expect("it is there");
            let types = vec![ty; m.func(f).params.len()];
            let name = format!("{name} {types:?}");
            match Form::new(m, f) {
                Ok(form) => found.check(&name, &form, Known::BY_PARTS, &arguments(None, &types)),
                Err(why) => found.add(&name, why, String::new),
            }
        }
    }
    println!("{} pairs compared", found.compared);
    found.report();
}

/// Elements of matrices of real and of complex numbers.
const ELEMENTS: [f64; 9] = [0.0, -0.0, 1.5, -3.0, 1e-160, 1e160, f64::MAX, -INF, INF];
const COMPLEX_ELEMENTS: [(f64, f64); 7] =
    [(0.0, -0.0), (1.5, 0.0), (-0.5, 2.0), (1e160, 3.0), (INF, 0.0), (1.0, -INF), (f64::NAN, 1.0)];

/// The result for a 2 × 2 matrix of numbers `elem`, or one with (1, −2) on the right-hand side: the product of both, and
/// linear algebra. `None`: a product.
fn linear(op: Option<LinalgOp>, elem: Scalar) -> Module {
    let mut b = Builder::new("f", Span::NONE);
    let x: Vec<Value> = ["a", "b", "c", "d"].map(|name| b.param(name, elem)).to_vec();
    let two = Dim::constant(2);
    let matrix = b.pack(&x);
    let matrix = b.reshape(matrix, vec![two.clone(), two]);
    let [one, minus] = [1.0, -2.0].map(|x| b.num(x, elem));
    let side = b.pack(&[one, minus]);
    let y = match op {
        None => b.matmul(matrix, side),
        Some(op @ (LinalgOp::Solve | LinalgOp::SolveAdjoint)) => b.linalg(op, &[matrix, side]),
        // A matrix is used in place of its factors until something is solved.
        Some(op @ (LinalgOp::LuSolve | LinalgOp::LuSolveAdjoint)) => {
            let factors = b.linalg(LinalgOp::Lu, &[matrix]);
            b.linalg(op, &[factors, side])
        }
        Some(LinalgOp::Lu) => {
            let factors = b.linalg(LinalgOp::Lu, &[matrix]);
            b.linalg(LinalgOp::LuSolve, &[factors, side])
        }
        Some(
            op @ (LinalgOp::Cholesky
            | LinalgOp::Inv
            | LinalgOp::Det
            | LinalgOp::LogDet
            | LinalgOp::EighValues
            | LinalgOp::EighVectors
            | LinalgOp::QrQ
            | LinalgOp::SvdValues
            | LinalgOp::SvdVectors),
        ) => b.linalg(op, &[matrix]),
    };
    let last = b.constant(Const::I64(1));
    let rank = b.data(y).shape.len();
    let y = if rank == 0 { y } else { b.index(y, &vec![last; rank]) };
    let mut m = Module::default();
    m.add(b.finish(vec![("y".into(), y)]));
    m
}

#[test]
fn matrices_are_those_of_doubles() {
    let mut found = Deviations::default();
    for op in LinalgOp::ALL.iter().map(|(op, _)| Some(*op)).chain([None]) {
        for elem in [Scalar::F64, Scalar::C128] {
            let m = linear(op, elem);
            let name = format!("{} {elem}", op.map_or("matmul", LinalgOp::name));
            let numbers: Vec<Val<f64>> = match elem {
                Scalar::F64 => ELEMENTS.map(Val::Real).to_vec(),
                _ => COMPLEX_ELEMENTS.map(|(re, im)| Val::Complex(Complex::new(re, im))).to_vec(),
            };
            let mut all = vec![Vec::new()];
            for _ in 0..4 {
                let longer = |l: &Vec<Val<f64>>| {
                    numbers.iter().map(|v| [&l[..], std::slice::from_ref(v)].concat()).collect::<Vec<_>>()
                };
                all = all.iter().flat_map(longer).collect();
            }
            match Form::new(m, FuncId(0)) {
                Ok(form) => found.check(&name, &form, Known::LITTLE, &all),
                Err(why) => found.add(&name, why, String::new),
            }
        }
    }
    println!("{} pairs compared", found.compared);
    found.report();
}

//! Every function against true values: `reference.tsv`, written by `gen_reference.py`, whose head describes the
//! format. Run with `--nocapture` for the table of worst errors, and with `ADC_REFERENCE=<file>` for a larger
//! set of points than the one kept here.

use adc_runtime::{complex, real};
use num_complex::Complex64;
use std::collections::BTreeMap;

/// A function under test. Its name in the table is `real.…` or `complex.…`.
enum Function {
    Real1(fn(f64) -> f64),
    Real2(fn(f64, f64) -> f64),
    IntReal(fn(i64, f64) -> f64),
    Complex1(fn(Complex64) -> Complex64),
    Complex2(fn(Complex64, Complex64) -> Complex64),
    IntComplex(fn(i64, Complex64) -> Complex64),
    ToReal(fn(Complex64) -> f64),
}
use Function::*;

/// What a bound, in units of ε = 2⁻⁵², applies to.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Measure {
    /// Relative error of each component.
    Each,
    /// Relative error of each component, divided by 1 + its condition number.
    Conditioned,
    /// Relative error of the complex number.
    Norm,
}
use Measure::*;

const INF: f64 = f64::INFINITY;

#[rustfmt::skip]
const BOUNDS: &[(&str, Function, Measure, f64)] = &[
    ("real.pow",          Real2(real::pow),                       Each, 1.5),
    ("real.exp",          Real1(real::exp),                       Each, 1.5),
    ("real.expm1",        Real1(real::expm1),                     Each, 1.5),
    ("real.exp2",         Real1(real::exp2),                      Each, 1.5),
    ("real.log",          Real1(real::log),                       Each, 1.5),
    ("real.log2",         Real1(real::log2),                      Each, 1.5),
    ("real.log10",        Real1(real::log10),                     Each, 1.5),
    ("real.log1p",        Real1(real::log1p),                     Each, 1.5),
    ("real.cbrt",         Real1(real::cbrt),                      Each, 1.0),
    ("real.sin",          Real1(real::sin),                       Each, 1.5),
    ("real.cos",          Real1(real::cos),                       Each, 1.5),
    ("real.tan",          Real1(real::tan),                       Each, 1.5),
    ("real.asin",         Real1(real::asin),                      Each, 1.5),
    ("real.acos",         Real1(real::acos),                      Each, 1.5),
    ("real.atan",         Real1(real::atan),                      Each, 1.5),
    ("real.sinh",         Real1(real::sinh),                      Each, 2.0),
    ("real.cosh",         Real1(real::cosh),                      Each, 2.0),
    ("real.tanh",         Real1(real::tanh),                      Each, 2.0),
    ("real.asinh",        Real1(real::asinh),                     Each, 2.0),
    ("real.acosh",        Real1(real::acosh),                     Each, 2.0),
    ("real.atanh",        Real1(real::atanh),                     Each, 2.0),
    ("real.sinc",         Real1(real::sinc),                      Each, 2.0),
    ("real.sigmoid",      Real1(real::sigmoid),                   Each, 2.0),
    ("real.softplus",     Real1(real::softplus),                  Each, 2.0),
    ("real.log_sigmoid",  Real1(real::log_sigmoid),               Each, 2.0),
    ("real.logaddexp",    Real2(real::logaddexp),                 Conditioned, 1.0),
    ("real.erf",          Real1(real::erf),                       Each, 1.5),
    ("real.erfc",         Real1(real::erfc),                      Each, 2.0),
    ("real.gamma",        Real1(real::gamma),                     Each, 3.0),
    ("real.j0",           Real1(real::j0),                        Conditioned, 2.0),
    ("real.j1",           Real1(real::j1),                        Conditioned, 2.0),
    ("real.y0",           Real1(real::y0),                        Conditioned, 2.0),
    ("real.y1",           Real1(real::y1),                        Conditioned, 2.0),
    ("real.jn",           IntReal(real::jn),                      Conditioned, 2.0),
    ("real.yn",           IntReal(real::yn),                      Conditioned, 2.0),
    ("real.lgamma",       Real1(real::lgamma),                    Conditioned, 2.0),
    ("real.digamma",      Real1(real::digamma),                   Each, 2.5),
    ("real.digamma.negative", Real1(real::digamma),               Conditioned, 2.0),
    ("real.hypot",        Real2(real::hypot),                     Each, 1.5),
    ("real.atan2",        Real2(real::atan2),                     Each, 1.5),
    ("real.sech2",        Real1(real::sech2),                     Each, 3.0),
    ("real.dsigmoid",     Real1(real::dsigmoid),                  Each, 2.0),
    ("real.floor_mod",    Real2(real::floor_mod),                 Each, 1.0),
    ("real.powi",         IntReal(|n, x| real::powi(x, n)),       Conditioned, 1.0),
    ("real.polygamma",    IntReal(real::polygamma),               Conditioned, 2.0),
    ("real.polygamma.negative", IntReal(real::polygamma),         Conditioned, 2.0),
    ("real.dsinc",        IntReal(real::dsinc),                   Conditioned, 2.0),
    ("complex.div",       Complex2(complex::div),                 Each, 2.0),
    ("complex.pow",       Complex2(complex::pow),                 Conditioned, 2.0),
    ("complex.recip",     Complex1(complex::recip),               Each, 2.0),
    ("complex.exp",       Complex1(complex::exp),                 Each, 2.0),
    ("complex.expm1",     Complex1(complex::expm1),               Norm, 2.0),
    ("complex.exp2",      Complex1(complex::exp2),                Conditioned, 2.0),
    ("complex.log",       Complex1(complex::log),                 Each, 2.0),
    ("complex.log2",      Complex1(complex::log2),                Each, 2.0),
    ("complex.log10",     Complex1(complex::log10),               Each, 2.0),
    ("complex.log1p",     Complex1(complex::log1p),               Each, 2.0),
    ("complex.sqrt",      Complex1(complex::sqrt),                Each, 2.0),
    ("complex.sin",       Complex1(complex::sin),                 Each, 2.0),
    ("complex.cos",       Complex1(complex::cos),                 Each, 2.0),
    ("complex.tan",       Complex1(complex::tan),                 Each, 4.0),
    ("complex.asin",      Complex1(complex::asin),                Each, 4.0),
    ("complex.acos",      Complex1(complex::acos),                Each, 4.0),
    ("complex.atan",      Complex1(complex::atan),                Each, 2.0),
    ("complex.sinh",      Complex1(complex::sinh),                Each, 2.0),
    ("complex.cosh",      Complex1(complex::cosh),                Each, 2.0),
    ("complex.tanh",      Complex1(complex::tanh),                Each, 4.0),
    ("complex.asinh",     Complex1(complex::asinh),               Each, 4.0),
    ("complex.acosh",     Complex1(complex::acosh),               Each, 4.0),
    ("complex.atanh",     Complex1(complex::atanh),               Each, 2.0),
    ("complex.sinc",      Complex1(complex::sinc),                Conditioned, 4.0),
    ("complex.dsinc",     IntComplex(complex::dsinc),             Conditioned, 4.0),
    ("complex.logaddexp", Complex2(complex::logaddexp),           Conditioned, 2.0),
    ("complex.sigmoid",   Complex1(complex::sigmoid),             Norm, 3.0),
    ("complex.sign",      Complex1(complex::sign),                Each, 1.5),
    ("complex.sech2",     Complex1(complex::sech2),               Norm, 4.0),
    ("complex.dsigmoid",  Complex1(complex::dsigmoid),            Norm, 4.0),
    ("complex.cis",       Complex1(complex::cis),                 Each, 2.0),
    ("complex.powi",      IntComplex(|n, z| complex::powi(z, n)), Conditioned, 2.0),
    ("complex.abs",       ToReal(complex::abs),                   Each, 1.5),
    ("complex.arg",       ToReal(complex::arg),                   Each, 1.5),
];

#[test]
fn errors_are_within_the_bounds() {
    let text = match std::env::var("ADC_REFERENCE") {
        Ok(path) => std::fs::read_to_string(path).expect("ADC_REFERENCE names a readable file"),
        Err(_) => include_str!("reference.tsv").to_string(),
    };
    let sections = sections(&text);
    let mut failures = Vec::new();
    println!(
        "{:25}{:>8}{:>12}{:>14}{:>10}   worst by the measure tested",
        "", "points", "each", "conditioned", "norm"
    );
    for (name, function, measure, bound) in BOUNDS {
        let lines = sections.get(name).map_or(&[][..], |lines| lines);
        if lines.is_empty() {
            failures.push(format!("{name}: no reference values"));
            continue;
        }
        let mut worst = [(0.0, ""); 3];
        for line in lines {
            for (worst, error) in worst.iter_mut().zip(errors(function, line)) {
                if error > worst.0 {
                    *worst = (error, line);
                }
            }
        }
        let [each, conditioned, norm] = worst;
        let (error, line) = [each, conditioned, norm][*measure as usize];
        println!(
            "{name:25}{:>8}{:>12}{:>14}{:>10}   {}",
            lines.len(),
            show(each.0),
            show(conditioned.0),
            show(norm.0),
            line
        );
        if error > *bound {
            failures.push(format!("{name}: error {error:.2} ε ({measure:?}), bound {bound}, at {line}"));
        }
    }
    for name in sections.keys() {
        if !BOUNDS.iter().any(|row| row.0 == *name) {
            failures.push(format!("{name}: reference values of an unknown function"));
        }
    }
    assert!(failures.is_empty(), "\n{}\n", failures.join("\n"));
}

fn show(error: f64) -> String {
    if error < 1e4 { format!("{error:.2}") } else { format!("{error:.1e}") }
}

/// The lines of each function.
fn sections(text: &str) -> BTreeMap<&str, Vec<&str>> {
    let mut sections: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let mut name = "";
    for line in text.lines().filter(|l| !l.starts_with('#')) {
        if line.contains('\t') {
            sections.entry(name).or_default().push(line);
        } else {
            name = line;
        }
    }
    sections
}

/// The error of one line by each [`Measure`], in units of ε.
fn errors(function: &Function, line: &str) -> [f64; 3] {
    let fields: Vec<&str> = line.split('\t').collect();
    let x = |i: usize| Number::parse(fields[i]).to_f64();
    let z = |i: usize| Complex64::new(x(i), x(i + 1));
    let n = || x(0) as i64;
    let parts = |z: Complex64| vec![z.re, z.im];
    let (operands, got) = match function {
        Real1(f) => (1, vec![f(x(0))]),
        Real2(f) => (2, vec![f(x(0), x(1))]),
        IntReal(f) => (2, vec![f(n(), x(1))]),
        Complex1(f) => (2, parts(f(z(0)))),
        Complex2(f) => (4, parts(f(z(0), z(2)))),
        IntComplex(f) => (3, parts(f(n(), z(1)))),
        ToReal(f) => (2, vec![f(z(0))]),
    };
    let count = got.len();
    assert_eq!(fields.len(), operands + 2 * count, "malformed line {line}");
    let mut result = [0f64; 3];
    let truth: Vec<Number> = fields[operands..operands + count].iter().map(|t| Number::parse(t)).collect();
    let size = truth.iter().map(|t| t.to_f64().abs()).fold(0.0, f64::max);
    for (i, (got, truth)) in got.iter().zip(&truth).enumerate() {
        let kappa: f64 = fields[operands + count + i].parse().expect("a condition number");
        let each = truth.relative_error(*got);
        let norm = if each == 0.0 { 0.0 } else { each * (truth.to_f64().abs() / size) };
        for (worst, error) in result.iter_mut().zip([each, each / (1.0 + kappa), norm]) {
            *worst = if error.is_nan() { INF } else { worst.max(error) };
        }
    }
    result
}

/// `mantissa 2^exponent`
struct Number {
    mantissa: i64,
    exponent: i32,
    negative_zero: bool,
}

impl Number {
    fn parse(text: &str) -> Number {
        let (mantissa, exponent) = text.split_once('p').unwrap_or((text, "0"));
        Number {
            mantissa: i64::from_str_radix(mantissa, 16).expect("a hexadecimal mantissa"),
            exponent: exponent.parse().expect("a decimal exponent"),
            negative_zero: text == "-0",
        }
    }

    /// The nearest double; the number itself if it is one.
    fn to_f64(&self) -> f64 {
        if self.negative_zero { -0.0 } else { libm::scalbn(self.mantissa as f64, self.exponent) }
    }

    /// `|got − self| / (ε |self|)`, one unit of the smallest subnormal being allowed for.
    fn relative_error(&self, got: f64) -> f64 {
        if self.mantissa == 0 {
            return if got.abs() <= f64::from_bits(1) { 0.0 } else { INF };
        }
        // In units of 2^exponent, where the integer mantissa and its distance to `got` are nearly exact.
        let got = scaled(got, -self.exponent);
        let high = self.mantissa as f64;
        let low = (self.mantissa as i128 - high as i128) as f64;
        let quantum = scaled(f64::from_bits(1), -self.exponent);
        (((got - high) - low).abs() - quantum).max(0.0) / high.abs() / f64::EPSILON
    }
}

/// `x 2^e`, in steps that a subnormal or huge intermediate does not disturb.
fn scaled(x: f64, e: i32) -> f64 {
    let half = e / 2;
    libm::scalbn(libm::scalbn(x, half), e - half)
}

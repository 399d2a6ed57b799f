//! Where functions are checked: the sampled points.

use crate::coordinates::sizes;
use crate::quasi::Uniforms;
use crate::random::{Purpose, Stream};
use adc_ir::{Const, Datum, Distribution, Elementary, Func, Op, ParamDomain, Scalar};
use adc_jit::RuntimeMath;
use num_complex::Complex64;

/// How often a value that misses the declared domain of its parameter is drawn again.
const REDRAWS: u64 = 256;

/// Where a point comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Drawn from the distributions; the number is its draw, from 0.
    Drawn(usize),
    /// A special point of `edge`.
    Edge(usize),
    /// A special point besides the drawn ones.
    Special(usize),
    /// Found by a search for the worst case; the number is how many points the search had evaluated before.
    Searched(usize),
    /// Given by the caller.
    Given(usize),
}

/// How each parameter of a function gets its values.
pub(crate) struct Sampler<'a> {
    pub func: &'a Func,
    /// The sizes of each parameter; empty for a scalar.
    pub shapes: Vec<Vec<usize>>,
    pub sources: Vec<Source>,
    /// By parameter, the coordinate of the sequence for its first entry.
    first: Vec<usize>,
    pub seed: u64,
}

/// Where a parameter's values come from.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Source {
    /// A line of the block, or a default that is one.
    Line(Distribution),
    /// The end plus (`true`) or minus a lognormal: half-infinite domains.
    Beyond(f64, bool),
}

/// The range over which a parameter varies, in its own units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Range {
    /// The magnitude of its usual values.
    pub magnitude: f64,
    /// The distance between them; 0 if unknown.
    pub width: f64,
}

impl Default for Range {
    /// The range of values from `normal(0, 1)`.
    fn default() -> Range {
        Range { magnitude: 1.0, width: 0.0 }
    }
}

/// The ranges of a function's parameters, from the lines of a check block, by parameter, or from the declared domains.
pub(crate) fn ranges(func: &Func, chosen: &[Option<Distribution>]) -> Vec<Range> {
    (0..func.params.len())
        .map(|i| {
            let source = match chosen.get(i).cloned().flatten() {
                Some(line) => Source::Line(line),
                None => default_source(func.param_ty(i).scalar(), func.params[i].domain),
            };
            range_of(&source)
        })
        .collect()
}

fn range_of(source: &Source) -> Range {
    let size = |c: &Const| c.to_c128().norm();
    let largest = |a: &Datum| a.elements().map(|c| size(&c)).fold(0.0, f64::max);
    let (magnitude, width) = match source {
        Source::Beyond(end, _) => (end.abs().max(1.0), 0.0),
        Source::Line(d) => match d {
            Distribution::Normal(mean, deviation) => (mean.abs().max(*deviation), 8.0 * deviation),
            Distribution::Uniform(a, b) => (a.abs().max(b.abs()), b - a),
            Distribution::Lognormal(m, deviation) => (RuntimeMath.real(Op::Exp, &[m + deviation]), 0.0),
            Distribution::Int(a, b) => ((*a as f64).abs().max((*b as f64).abs()), 0.0),
            Distribution::Choice(values) => (values.iter().map(size).fold(0.0, f64::max), 0.0),
            Distribution::Disk(r) | Distribution::Annulus(_, r) => (*r, 2.0 * r),
            Distribution::Near(x, r) => (size(x).max(*r), 2.0 * r),
            Distribution::NearArray(a, r) => (largest(a).max(*r), 2.0 * r),
            Distribution::Fixed(c) => (size(c), 0.0),
            Distribution::Array(a) => (largest(a), 0.0),
        },
    };
    match magnitude.is_finite() && magnitude > 0.0 {
        true => Range { magnitude, width: if width.is_finite() { width.max(0.0) } else { 0.0 } },
        false => Range::default(),
    }
}

impl<'a> Sampler<'a> {
    /// `chosen` contains the lines of the check block, by parameter.
    pub(crate) fn new(func: &'a Func, chosen: &[Option<Distribution>], seed: u64) -> Sampler<'a> {
        let source = |i: usize| match chosen.get(i).cloned().flatten() {
            Some(line) => Source::Line(line),
            None => default_source(func.param_ty(i).scalar(), func.params[i].domain),
        };
        let shape = |i: usize| sizes(func.data(func.params[i].value)).expect("checked by the request");
        let n = func.params.len();
        let mut sampler = Sampler {
            func,
            shapes: (0..n).map(shape).collect(),
            sources: (0..n).map(source).collect(),
            first: Vec::new(),
            seed,
        };
        let mut first = 0usize;
        for i in 0..n {
            sampler.first.push(first);
            let entries = if sampler.fixed(i) { 0 } else { sampler.shapes[i].iter().product() };
            first = first.saturating_add(width(sampler.ty(i)).saturating_mul(entries));
        }
        sampler
    }

    /// Whether every draw gives the same point.
    pub(crate) fn constant(&self) -> bool {
        (0..self.sources.len()).all(|i| self.fixed(i))
    }

    pub(crate) fn fixed(&self, i: usize) -> bool {
        matches!(self.sources[i], Source::Line(Distribution::Fixed(_) | Distribution::Array(_)))
    }

    /// The point number `draw`.
    pub(crate) fn draw(&self, draw: usize) -> Vec<Datum> {
        (0..self.func.params.len()).map(|i| self.value(draw, i)).collect()
    }

    fn value(&self, draw: usize, i: usize) -> Datum {
        if let Source::Line(Distribution::Array(a)) = &self.sources[i] {
            return convert_array(a, self.ty(i));
        }
        let shape = &self.shapes[i];
        let source = &self.sources[i];
        if shape.is_empty() {
            return Datum::Scalar(self.entry(draw, (i, 0), 0, source));
        }
        let mut out = Datum::zeros(self.ty(i), shape);
        for k in 0..out.len() {
            // The stream number of a scalar includes the attempt.
            let stream = (k as u64 + 1) * REDRAWS;
            out.set(
                k,
                match source {
                    Source::Line(Distribution::NearArray(centre, r)) => {
                        let near = Source::Line(Distribution::Near(centre.get(k), *r));
                        self.entry(draw, (i, k), stream, &near)
                    }
                    source => self.entry(draw, (i, k), stream, source),
                },
            );
        }
        out
    }

    pub(crate) fn ty(&self, i: usize) -> Scalar {
        self.func.param_ty(i).scalar()
    }

    pub(crate) fn inside(&self, i: usize, c: Const) -> bool {
        self.func.params[i].domain.is_none_or(|d| d.contains(c.to_c128()))
    }

    fn entry(&self, draw: usize, (i, k): (usize, usize), stream: u64, source: &Source) -> Const {
        let ty = self.ty(i);
        let coordinate = self.first[i].saturating_add(k * width(ty));
        let mut value = Const::zero(ty);
        for attempt in 0..REDRAWS {
            let s = Stream::new(self.seed, Purpose::Point, [draw as u64, i as u64, stream + attempt]);
            let mut s = match attempt {
                0 => Uniforms::quasi(self.seed, draw, coordinate, s),
                _ => Uniforms::hashed(s),
            };
            let exact = match source {
                Source::Line(d) => sample(d, ty, &mut s),
                Source::Beyond(end, above) => {
                    let t = RuntimeMath.real(Op::Exp, &[s.normal()]);
                    Const::real(if *above { end + t } else { end - t }, ty)
                }
            };
            let short = shorten(source, exact);
            value = if self.inside(i, short) { short } else { exact };
            if self.inside(i, value) {
                break;
            }
        }
        value
    }
}

/// How many coordinates of the sequence a value needs.
fn width(ty: Scalar) -> usize {
    ty.coordinates().max(1)
}

/// The source without a line in the block: the declared domain, else the default of the type.
fn default_source(ty: Scalar, domain: Option<ParamDomain>) -> Source {
    Source::Line(match (ty, domain) {
        (Scalar::Bool, _) => Distribution::Choice(vec![Const::Bool(true), Const::Bool(false)]),
        (Scalar::I64, Some(ParamDomain::Interval { lo, hi, lo_closed, hi_closed })) => {
            let lowest = if lo_closed { lo.ceil() } else { (lo + 1.0).floor() } as i64;
            let highest = if hi_closed { hi.floor() } else { (hi - 1.0).ceil() } as i64;
            match (lo.is_finite(), hi.is_finite()) {
                (true, true) => Distribution::Int(lowest, highest),
                (true, false) => Distribution::Int(lowest, lowest.saturating_add(3)),
                (false, true) => Distribution::Int(highest.saturating_sub(3), highest),
                (false, false) => Distribution::Int(0, 3),
            }
        }
        (Scalar::I64, _) => Distribution::Int(0, 3),
        (_, Some(ParamDomain::Interval { lo, hi, .. })) => match (lo.is_finite(), hi.is_finite()) {
            (true, true) => Distribution::Uniform(lo, hi),
            (true, false) => return Source::Beyond(lo, true),
            (false, true) => return Source::Beyond(hi, false),
            (false, false) => Distribution::Normal(0.0, 1.0),
        },
        (_, Some(ParamDomain::Annulus { r0, r1 })) if r1.is_finite() => Distribution::Annulus(r0, r1),
        _ => Distribution::Normal(0.0, 1.0),
    })
}

/// One value of type `ty`.
fn sample(d: &Distribution, ty: Scalar, s: &mut Uniforms) -> Const {
    let real = |x: f64| Const::real(if ty == Scalar::I64 { x.round() } else { x }, ty);
    match d {
        Distribution::Normal(mean, deviation) => match ty.is_complex() {
            true => {
                let (re, im) = s.normal_pair();
                Const::from_c128(Complex64::new(mean + deviation * re, deviation * im), ty)
            }
            false => real(mean + deviation * s.normal()),
        },
        Distribution::Uniform(a, b) => {
            // Away from the ends: open ones are not part of the interval, and a difference needs space.
            let t = 1e-6 + s.uniform() * (1.0 - 2e-6);
            real(a * (1.0 - t) + b * t)
        }
        Distribution::Lognormal(m, deviation) => {
            real(RuntimeMath.real(Op::Exp, &[m + deviation * s.normal()]))
        }
        Distribution::Int(a, b) => {
            let n = b.wrapping_sub(*a).max(0) as u64;
            let k = if n == u64::MAX { 0 } else { s.below(n + 1) };
            convert(Const::I64(a.wrapping_add(k as i64)), ty)
        }
        Distribution::Choice(values) => match values.is_empty() {
            true => Const::zero(ty),
            false => convert(values[s.below(values.len() as u64) as usize], ty),
        },
        Distribution::Disk(r) => Const::from_c128(ring(0.0, *r, s), ty),
        Distribution::Annulus(r0, r1) => Const::from_c128(ring(*r0, *r1, s), ty),
        Distribution::Near(x0, r) => match ty.is_complex() {
            true => Const::from_c128(x0.to_c128() + ring(0.0, *r, s), ty),
            false => real(x0.to_c128().re + r * (2.0 * s.uniform() - 1.0)),
        },
        Distribution::Fixed(c) => convert(*c, ty),
        Distribution::Array(_) | Distribution::NearArray(..) => {
            unreachable!("an array is taken as a whole")
        }
    }
}

/// Uniform on r0 ≤ |z| ≤ r1.
fn ring(r0: f64, r1: f64, s: &mut Uniforms) -> Complex64 {
    let r = (r0 * r0 + (r1 * r1 - r0 * r0) * s.uniform()).sqrt();
    let angle = std::f64::consts::TAU * s.uniform();
    Complex64::new(r * RuntimeMath.real(Op::Cos, &[angle]), r * RuntimeMath.real(Op::Sin, &[angle]))
}

/// A literal of the block as a value of the parameter's type.
fn convert(c: Const, ty: Scalar) -> Const {
    if c.scalar() == ty { c } else { Const::from_c128(c.to_c128(), ty) }
}

/// An array of the block as a value of the parameter's element type.
fn convert_array(a: &Datum, ty: Scalar) -> Datum {
    if a.elem() == ty {
        return a.clone();
    }
    let mut out = Datum::zeros(ty, a.shape());
    (0..a.len()).for_each(|k| out.set(k, convert(a.get(k), ty)));
    out
}

/// The nearest number with six significant digits.
pub(crate) fn six_digits(x: f64) -> f64 {
    six_digits_by_number(x).unwrap_or_else(|| format!("{x:.5e}").parse().expect("Rust reads what it writes"))
}

/// [`six_digits`] by one division where that is exact enough to know the digits.
fn six_digits_by_number(x: f64) -> Option<f64> {
    /// Powers of ten that are numbers.
    const EXACT: i32 = 22;
    /// The scaled number has an error of one rounding; nearer to a half than this its last digit is not sure.
    const TIE: f64 = 1e-6;
    let size = x.abs();
    if size == 0.0 || !(1e-12..1e15).contains(&size) {
        return (size == 0.0).then_some(x);
    }
    // The exponent, or one that is wrong by one next to a power of ten.
    let exponent = size.log10().floor() as i32;
    let places = 5 - exponent;
    debug_assert!(places.abs() <= EXACT);
    let power = 10f64.powi(places.abs());
    let scaled = if places >= 0 { size * power } else { size / power };
    let digits = scaled.round();
    if !(100_000.0..=1_000_000.0).contains(&digits) || (scaled - scaled.floor() - 0.5).abs() < TIE {
        return None;
    }
    let short = if places >= 0 { digits / power } else { digits * power };
    Some(short.copysign(x))
}

/// The value with six significant digits, so that points can be read and typed, unless that is outside the distribution.
fn shorten(source: &Source, exact: Const) -> Const {
    if !exact.scalar().is_float() {
        return exact;
    }
    let z = exact.to_c128();
    let short = Complex64::new(six_digits(z.re), six_digits(z.im));
    let Source::Line(d) = source else { return Const::from_c128(short, exact.scalar()) };
    let keep = match d {
        Distribution::Normal(..) | Distribution::Lognormal(..) => true,
        Distribution::Uniform(a, b) => *a < short.re && short.re < *b,
        Distribution::Disk(r) => short.norm() < *r,
        Distribution::Annulus(r0, r1) => *r0 < short.norm() && short.norm() < *r1,
        Distribution::Near(x0, r) => (short - x0.to_c128()).norm() < *r,
        Distribution::Int(..)
        | Distribution::Choice(_)
        | Distribution::Fixed(_)
        | Distribution::Array(_)
        | Distribution::NearArray(..) => false,
    };
    if keep { Const::from_c128(short, exact.scalar()) } else { exact }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use adc_ir::{Builder, Span};

    pub(crate) fn func(params: &[(Scalar, Option<ParamDomain>)]) -> Func {
        let mut b = Builder::new("f", Span::NONE);
        for (i, (ty, domain)) in params.iter().enumerate() {
            b.param(format!("p{i}"), *ty);
            b.last_param().domain = *domain;
        }
        b.finish(Vec::new())
    }

    #[test]
    fn six_digits_are_those_of_the_decimal_form() {
        let mut s = Stream::new(7, Purpose::Point, [0, 0, 0]);
        let mut quick = 0;
        for k in 0..20_000 {
            let mantissa = match k % 4 {
                0 => 9.999995 + 1e-6 * (s.uniform() - 0.5),
                1 => (1e6 * s.uniform()).floor() / 1e5,
                2 => ((1e6 * s.uniform()).floor() + 0.5) / 1e5,
                _ => 1.0 + 9.0 * s.uniform(),
            };
            let x = mantissa * 10f64.powi(k % 60 - 30);
            for x in [x, -x] {
                let expected: f64 = format!("{x:.5e}").parse().unwrap();
                assert_eq!(six_digits(x).to_bits(), expected.to_bits(), "{x:e}");
                quick += u32::from(six_digits_by_number(x).is_some());
            }
        }
        assert!(quick > 8_000, "{quick}");
        let powers = (-30..30).map(|k| 10f64.powi(k)).flat_map(|x| [x, x.next_up(), x.next_down()]);
        for x in powers.chain([0.0, -0.0, 5e-324, f64::MAX]) {
            let expected: f64 = format!("{x:.5e}").parse().unwrap();
            assert_eq!(six_digits(x).to_bits(), expected.to_bits(), "{x:e}");
        }
    }

    pub(crate) fn interval(lo: f64, hi: f64) -> Option<ParamDomain> {
        Some(ParamDomain::Interval { lo, hi, lo_closed: false, hi_closed: true })
    }

    /// Type, declared domain, line of the block, the condition that every value satisfies.
    type Case = (Scalar, Option<ParamDomain>, Option<Distribution>, fn(Complex64) -> bool);

    #[test]
    fn values_lie_in_their_distributions_and_domains() {
        let f64_ = Scalar::F64;
        let cases: [Case; 12] = [
            (f64_, None, None, |z| z.re.abs() < 6.0),
            (f64_, interval(0.0, 1e-9), None, |z| z.re > 0.0 && z.re <= 1e-9),
            (f64_, interval(2.0, f64::INFINITY), None, |z| z.re > 2.0),
            (f64_, interval(f64::NEG_INFINITY, -2.0), None, |z| z.re <= -2.0),
            (f64_, interval(0.0, f64::INFINITY), Some(Distribution::Normal(0.0, 1.0)), |z| z.re > 0.0),
            (Scalar::F32, None, Some(Distribution::Uniform(3.0, 4.0)), |z| (3.0..=4.0).contains(&z.re)),
            (Scalar::I64, None, None, |z| [0.0, 1.0, 2.0, 3.0].contains(&z.re)),
            (Scalar::I64, interval(1.0, 3.0), None, |z| [2.0, 3.0].contains(&z.re)),
            (Scalar::Bool, None, None, |z| z.re == 0.0 || z.re == 1.0),
            (Scalar::C128, None, Some(Distribution::Annulus(1.0, 2.0)), |z| (1.0..=2.0).contains(&z.norm())),
            (Scalar::C64, Some(ParamDomain::Annulus { r0: 0.0, r1: 0.5 }), None, |z| z.norm() <= 0.5),
            (f64_, None, Some(Distribution::Fixed(Const::F64(0.123456789))), |z| z.re == 0.123456789),
        ];
        for (k, (ty, domain, line, test)) in cases.into_iter().enumerate() {
            let f = func(&[(ty, domain)]);
            let sampler = Sampler::new(&f, &[line], 1);
            for draw in 0..200 {
                let c = sampler.draw(draw)[0].get(0);
                assert_eq!(c.scalar(), ty, "case {k}");
                assert!(test(c.to_c128()), "case {k}: {c:?}");
            }
        }
    }

    #[test]
    fn points_depend_on_the_seed_and_their_number_only() {
        let f = func(&[(Scalar::F64, None), (Scalar::C128, None)]);
        let points = |seed| (0..4).map(|k| Sampler::new(&f, &[], seed).draw(k)).collect::<Vec<_>>();
        assert_eq!(points(1), points(1));
        assert_ne!(points(1), points(2));
        assert_ne!(points(1)[0], points(1)[1]);
    }
}

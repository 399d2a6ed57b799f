//! Special points: values at which programs behave differently.
//!
//! `edge` asks for all of [`Sampler::edges`]. Besides the drawn points, any check evaluates a few of [`Sampler::special`],
//! which stay within the scales of the drawn ones if the block gives some.

use crate::points::{Sampler, Source};
use crate::random::{Purpose, Stream};
use adc_ir::{Const, Datum, Distribution, ParamDomain, Scalar};
use num_complex::Complex64;

/// So many standard deviations from its mean count as the scale of a normal distribution.
const WIDE: f64 = 6.0;
/// A lower bound of the spread of values.
const SMALLEST_SPREAD: f64 = 1.0 / 1024.0;
/// Large, and with its inverse small, so that terms of different size meet, but products neither overflow nor vanish.
const LARGE: f64 = 1e8;
const SMALL: f64 = 1e-8;
/// The smallest positive number.
const SUBNORMAL: f64 = 5e-324;
/// The relative distance of a bound's neighbour; in single precision.
const NEAR: f64 = 1.0 / (1 << 24) as f64;
const NEAR_SINGLE: f64 = 1.0 / (1 << 12) as f64;
/// The maximum number of candidates for special points.
const CANDIDATES: usize = 4096;

/// How a special point differs from a drawn one.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Change {
    /// All real inputs are equal: aliases.
    AllEqual,
    /// Everything is 0.
    AllZero,
    /// Two scalars of one type are equal.
    Equal(usize, usize),
    /// All entries of an array are equal.
    Constant(usize),
    /// Two entries of an array are equal: the first and another one.
    Twice(usize, usize),
    /// A parameter, or one entry of it, has this value.
    Value(usize, usize, Const),
}

impl Sampler<'_> {
    /// The special points of `edge`: each parameter in turn at ±0 and at the bounds of its domain, the others drawn (for an
    /// array first every entry, then the first one alone, then ties: two entries, then all); all at 0; all real ones equal
    /// (ties).
    pub(crate) fn edges(&self) -> Vec<Vec<Datum>> {
        let mut points = Vec::new();
        let n = self.func.params.len();
        let base = |k: usize| self.draw(usize::MAX / 2 + k);
        let free = |i: usize| !self.fixed(i);
        let every = |x: &mut Datum, c: Const| (0..x.len()).for_each(|k| x.set(k, c));
        for i in (0..n).filter(|&i| free(i)) {
            for c in special(self.ty(i), self.func.params[i].domain) {
                let mut point = base(points.len());
                every(&mut point[i], c);
                points.push(point);
                let mut point = base(points.len());
                if point[i].len() > 1 {
                    point[i].set(0, c);
                    points.push(point);
                }
            }
            for some in [true, false] {
                let mut point = base(points.len());
                let x = &mut point[i];
                if x.len() > if some { 2 } else { 1 } {
                    let (first, last) = (x.get(0), x.len() - 1);
                    if some {
                        x.set(last, first)
                    } else {
                        every(x, first)
                    }
                    points.push(point);
                }
            }
        }
        let zero = |i: usize| Some(Const::zero(self.ty(i))).filter(|c| self.inside(i, *c));
        let real = |i: usize| free(i) && self.ty(i).is_real();
        for tie in [false, true] {
            let mut point = base(points.len());
            let first = (0..n).find(|&i| real(i) && !point[i].is_empty()).map(|i| point[i].get(0).to_c128());
            for i in (0..n).filter(|&i| free(i)) {
                let c = match tie {
                    true => first.filter(|_| real(i)).map(|x| Const::from_c128(x, self.ty(i))),
                    false => zero(i),
                };
                if let Some(c) = c.filter(|c| self.inside(i, *c)) {
                    every(&mut point[i], c);
                }
            }
            points.push(point);
        }
        points.dedup();
        points
    }

    /// Special points besides the drawn ones, the most useful first: aliases and zero, then alternately the special values
    /// of all parameters in one coordinate each.
    pub(crate) fn special(&self) -> Vec<Vec<Datum>> {
        let changes = self.changes();
        let mut points: Vec<Vec<Datum>> = Vec::new();
        for (k, change) in changes.iter().enumerate() {
            let mut point = self.draw(usize::MAX / 4 + k);
            if self.apply(*change, &mut point) && !points.contains(&point) {
                points.push(point);
            }
        }
        points
    }

    /// In the order of evaluation.
    fn changes(&self) -> Vec<Change> {
        let n = self.func.params.len();
        let free: Vec<usize> = (0..n).filter(|&i| !self.fixed(i) && self.size(i) > 0).collect();
        let float = |i: &usize| self.ty(*i).is_float();
        let real: Vec<usize> = free.iter().copied().filter(|i| float(i) && self.ty(*i).is_real()).collect();
        let mut first = Vec::new();
        if real.iter().map(|i| self.size(*i)).sum::<usize>() > 1 {
            first.push(Change::AllEqual);
        }
        first.push(Change::AllZero);
        let mut rest = Vec::new();
        let scalars: Vec<usize> = free.iter().copied().filter(|i| float(i) && self.size(*i) == 1).collect();
        for pair in scalars.windows(2).filter(|p| scalars.len() > 2 && self.ty(p[0]) == self.ty(p[1])) {
            rest.push(Change::Equal(pair[0], pair[1]));
        }
        for &i in free.iter().filter(|i| self.size(**i) > 2) {
            rest.push(Change::Constant(i));
            rest.push(Change::Twice(i, self.some_entry(i, 0)));
        }
        let values: Vec<Vec<Const>> = free.iter().map(|&i| self.values(i)).collect();
        for round in 0..values.iter().map(Vec::len).max().unwrap_or(0) {
            for (&i, list) in free.iter().zip(&values) {
                if let Some(c) = list.get(round).filter(|_| rest.len() < CANDIDATES) {
                    rest.push(Change::Value(i, self.some_entry(i, round as u64), *c));
                }
            }
        }
        // Steps near the golden section distribute few points evenly over parameters and values; the seed selects the first
        // one.
        let m = rest.len();
        let mut step = (m as f64 * 0.618) as usize;
        while m > 0 && gcd(step, m) != 1 {
            step += 1;
        }
        let begin = Stream::new(self.seed, Purpose::Special, [0, 0, 0]).below(m.max(1) as u64) as usize;
        first.extend((0..m).map(|k| rest[(begin + k * step) % m]));
        first
    }

    /// Changes the point. Whether it can have this change.
    fn apply(&self, change: Change, point: &mut [Datum]) -> bool {
        let free = |i: &usize| !self.fixed(*i) && self.ty(*i).is_float();
        let all: Vec<usize> = (0..point.len()).filter(free).collect();
        match change {
            Change::Value(i, k, c) => self.put(point, i, k, c),
            Change::AllZero => {
                let mut some = false;
                for i in all {
                    (0..self.size(i)).for_each(|k| some |= self.put(point, i, k, Const::zero(self.ty(i))));
                }
                some
            }
            Change::AllEqual => {
                let mut real =
                    all.into_iter().filter(|i| self.ty(*i).is_real() && self.size(*i) > 0).peekable();
                let Some(&one) = real.peek() else { return false };
                let x = point[one].get(0).to_c128();
                let mut equal = 0;
                for i in real {
                    let c = Const::from_c128(x, self.ty(i));
                    let fits = self.admits(i, c);
                    for k in (0..point[i].len()).filter(|_| fits) {
                        point[i].set(k, c);
                        equal += 1;
                    }
                }
                equal > 1
            }
            Change::Equal(i, j) => {
                let c = point[i].get(0);
                self.put(point, j, 0, c)
            }
            Change::Constant(i) => {
                let c = point[i].get(0);
                (0..self.size(i)).for_each(|k| _ = self.put(point, i, k, c));
                true
            }
            Change::Twice(i, k) => {
                let c = point[i].get(0);
                self.put(point, i, k, c)
            }
        }
    }

    /// Sets an entry if the parameter may have that value.
    fn put(&self, point: &mut [Datum], i: usize, k: usize, c: Const) -> bool {
        let fits = self.admits(i, c);
        if fits {
            point[i].set(k, c);
        }
        fits
    }

    fn size(&self, i: usize) -> usize {
        self.shapes[i].iter().product()
    }

    /// An entry of a parameter, a different one each time; not the first one if there are others.
    fn some_entry(&self, i: usize, round: u64) -> usize {
        match self.size(i) {
            0 | 1 => 0,
            n => {
                1 + Stream::new(self.seed, Purpose::Special, [1, i as u64, round]).below(n as u64 - 1)
                    as usize
            }
        }
    }

    /// The special values a parameter may have, the most useful first.
    fn values(&self, i: usize) -> Vec<Const> {
        let ty = self.ty(i);
        let mut list: Vec<Complex64> = Vec::new();
        let mut real = |x: f64| list.push(Complex64::new(x, 0.0));
        [0.0, 1.0, -1.0].into_iter().for_each(&mut real);
        let mut ends = Vec::new();
        match self.func.params[i].domain {
            Some(ParamDomain::Interval { lo, hi, .. }) => ends.extend([(lo, true), (hi, false)]),
            Some(ParamDomain::Annulus { r0, r1 }) => ends.extend([(r0, true), (r1, false)]),
            None => {}
        }
        match &self.sources[i] {
            Source::Line(Distribution::Uniform(a, b)) => ends.extend([(*a, true), (*b, false)]),
            Source::Line(Distribution::Annulus(a, b)) => ends.extend([(*a, true), (*b, false)]),
            Source::Line(Distribution::Disk(r)) => ends.push((*r, false)),
            Source::Line(Distribution::Int(a, b)) => ends.extend([(*a as f64, true), (*b as f64, false)]),
            _ => {}
        }
        for (end, low) in ends.into_iter().filter(|(end, _)| end.is_finite()) {
            real(end);
            real(beside(end, ty, low));
        }
        real(-0.0);
        [LARGE, SMALL, -LARGE, SUBNORMAL, -SMALL].into_iter().for_each(&mut real);
        if ty.is_complex() {
            // The imaginary axis, and an ulp beside cuts, away from their ends.
            let other = [(0.0, 1.0), (-2.0, SUBNORMAL), (-2.0, -SUBNORMAL), (-2.0, -0.0), (0.0, -1.0)];
            list.splice(1..1, other.map(|(re, im)| Complex64::new(re, im)));
            list.extend(
                [(2.0, SUBNORMAL), (2.0, -SUBNORMAL), (-0.0, -0.0)].map(|(a, b)| Complex64::new(a, b)),
            );
        }
        let mut out: Vec<Const> = Vec::new();
        for z in list {
            let c = Const::from_c128(z, ty);
            // `-0.0 == 0.0`, but the bits differ.
            let bits = |c: &Const| [c.to_c128().re, c.to_c128().im].map(f64::to_bits);
            if ty != Scalar::Bool && self.admits(i, c) && out.iter().all(|d| bits(d) != bits(&c)) {
                out.push(c);
            }
        }
        out
    }

    /// The spread of a parameter's values near one of them.
    pub(crate) fn spread(&self, i: usize, near: f64) -> f64 {
        let own = near.abs().max(SMALLEST_SPREAD);
        match &self.sources[i] {
            Source::Beyond(end, _) => (near - end).abs().max(SMALLEST_SPREAD),
            Source::Line(d) => match d {
                Distribution::Normal(_, deviation) => deviation.abs(),
                Distribution::Uniform(a, b) => (b - a).abs(),
                Distribution::Disk(r) | Distribution::Annulus(_, r) | Distribution::Near(_, r) => r.abs(),
                Distribution::Lognormal(_, deviation) => own * deviation.abs(),
                Distribution::Int(..)
                | Distribution::Choice(_)
                | Distribution::NearArray(..)
                | Distribution::Fixed(_)
                | Distribution::Array(_) => own,
            },
        }
    }

    /// As [`Self::admits`], and, without stated bounds, within what the parameter's distribution is likely to give.
    pub(crate) fn reaches(&self, i: usize, c: Const) -> bool {
        let likely = match &self.sources[i] {
            // exp of six standard deviations.
            Source::Beyond(end, _) => (1.0 / 403.0..=403.0).contains(&(c.to_c128().re - end).abs()),
            Source::Line(Distribution::Normal(mean, deviation)) => {
                (c.to_c128() - mean).norm() <= WIDE * deviation.abs()
            }
            Source::Line(_) => true,
        };
        likely && self.admits(i, c)
    }

    /// Whether a value lies in the declared domain of a parameter and on the scale that the block gives it.
    pub(crate) fn admits(&self, i: usize, c: Const) -> bool {
        let z = c.to_c128();
        let near = |mean: f64, deviation: f64| (z - mean).norm() <= WIDE * deviation.abs();
        z.is_finite()
            && self.inside(i, c)
            && match &self.sources[i] {
                Source::Beyond(..) => true,
                Source::Line(d) => match d {
                    // The default for parameters without bounds, or a line that equals it.
                    Distribution::Normal(0.0, 1.0) => true,
                    Distribution::Normal(mean, deviation) => near(*mean, *deviation),
                    Distribution::Lognormal(m, deviation) => {
                        z.re > 0.0 && (z.re.ln() - m).abs() <= WIDE * deviation.abs()
                    }
                    Distribution::Uniform(a, b) => (*a..=*b).contains(&z.re),
                    Distribution::Int(a, b) => (*a as f64..=*b as f64).contains(&z.re),
                    Distribution::Disk(r) => z.norm() <= *r,
                    Distribution::Annulus(r0, r1) => (*r0..=*r1).contains(&z.norm()),
                    Distribution::Near(x0, r) => (z - x0.to_c128()).norm() <= *r,
                    Distribution::Choice(list) => list.iter().any(|x| x.to_c128() == z),
                    // Each entry has a range of its own.
                    Distribution::NearArray(..) | Distribution::Fixed(_) | Distribution::Array(_) => false,
                },
            }
    }
}

/// A number near an end of an interval, inside. The nearest one would be useless: it leaves no space for differences.
fn beside(end: f64, ty: Scalar, low: bool) -> f64 {
    let near = if ty.is_single() { NEAR_SINGLE } else { NEAR } * end.abs().max(1.0);
    if low { end + near } else { end - near }
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// The special values of a parameter that lie in its domain.
fn special(ty: Scalar, domain: Option<ParamDomain>) -> Vec<Const> {
    let mut values = Vec::new();
    match ty {
        Scalar::Bool => {}
        Scalar::I64 => values.push(Complex64::new(0.0, 0.0)),
        Scalar::F32 | Scalar::F64 => values.extend([0.0, -0.0].map(|x| Complex64::new(x, 0.0))),
        Scalar::C64 | Scalar::C128 => {
            values.extend(
                [(0.0, 0.0), (-0.0, -0.0), (1.0, 0.0), (-1.0, 0.0), (-1.0, -0.0), (0.0, 1.0)]
                    .map(|(a, b)| Complex64::new(a, b)),
            );
        }
    }
    match domain {
        None => {}
        Some(ParamDomain::Interval { lo, hi, .. }) => {
            values.extend([lo, hi].map(|x| Complex64::new(x, 0.0)));
        }
        Some(ParamDomain::Annulus { r0, r1 }) => {
            values.extend([r0, r1].map(|x| Complex64::new(x, 0.0)));
        }
    }
    let inside = |z: &Complex64| z.re.is_finite() && domain.is_none_or(|d| d.contains(*z));
    let mut out: Vec<Const> = Vec::new();
    for z in values.into_iter().filter(inside) {
        let c = Const::from_c128(z, ty);
        if !out.contains(&c) {
            out.push(c);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::points::tests::{func, interval};

    #[test]
    fn edge_points() {
        let f = func(&[(Scalar::F64, interval(0.0, 1.0)), (Scalar::F64, None)]);
        let points = Sampler::new(&f, &[], 1).edges();
        let has = |test: &dyn Fn(f64, f64) -> bool| {
            points.iter().any(|p| test(p[0].get(0).to_c128().re, p[1].get(0).to_c128().re))
        };
        assert!(has(&|x, _| x == 1.0), "the closed bound");
        assert!(!has(&|x, _| x == 0.0), "the open bound lies outside");
        assert!(
            has(&|_, y| y == 0.0 && y.is_sign_negative()) && has(&|_, y| y == 0.0 && !y.is_sign_negative())
        );
        assert!(has(&|x, y| x == y), "ties");
    }

    #[test]
    fn special_points_stay_in_domains_and_scales() {
        let (f64_, inf) = (Scalar::F64, f64::INFINITY);
        let f = func(&[(f64_, interval(0.0, inf)), (f64_, None), (Scalar::C128, None), (Scalar::I64, None)]);
        let lines = [None, Some(Distribution::Uniform(2.0, 3.0)), None, None];
        let sampler = Sampler::new(&f, &lines, 1);
        let points = sampler.special();
        assert_eq!(points, Sampler::new(&f, &lines, 1).special());
        let at = |p: &Vec<Datum>, i: usize| p[i].get(0).to_c128();
        for p in &points {
            assert!(at(p, 0).re > 0.0 && (2.0..=3.0).contains(&at(p, 1).re), "{p:?}");
            assert!((0.0..=3.0).contains(&at(p, 3).re), "{p:?}");
        }
        let has = |i: usize, z: Complex64| points.iter().any(|p| at(p, i) == z);
        let all = [
            (0, (1.0, 0.0)),
            (0, (LARGE, 0.0)),
            (0, (SMALL, 0.0)),
            (0, (SUBNORMAL, 0.0)),
            (1, (2.0, 0.0)),
            (1, (3.0 - 3.0 * NEAR, 0.0)),
            (2, (-2.0, SUBNORMAL)),
            (2, (-2.0, -SUBNORMAL)),
            (2, (0.0, 1.0)),
            (3, (0.0, 0.0)),
            (3, (3.0, 0.0)),
        ];
        for (i, (re, im)) in all {
            assert!(has(i, Complex64::new(re, im)), "parameter {i} at {re}+{im}i");
        }
    }

    #[test]
    fn aliases_and_zero_come_first() {
        let f = func(&[(Scalar::F64, None), (Scalar::F64, None), (Scalar::F64, None)]);
        let points = Sampler::new(&f, &[], 1).special();
        let number = |p: &Vec<Datum>, i: usize| p[i].get(0).to_c128().re;
        assert!((1..3).all(|i| number(&points[0], i) == number(&points[0], 0)));
        assert!((0..3).all(|i| number(&points[1], i) == 0.0));
        let pairs = |p: &&Vec<Datum>| number(p, 0) == number(p, 1) && number(p, 1) != number(p, 2);
        assert!(points.iter().any(|p| pairs(&p)));
        // No choice, no special points.
        let fixed = [Some(Distribution::Fixed(Const::F64(0.5))), None, None];
        assert!(Sampler::new(&f, &fixed, 1).special().iter().all(|p| number(p, 0) == 0.5));
        let fixed = vec![fixed[0].clone(); 3];
        assert!(Sampler::new(&f, &fixed, 1).special().is_empty());
    }
}

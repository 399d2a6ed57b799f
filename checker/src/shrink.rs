//! A failing point made small: the same failure at a point that is easy to read.
//!
//! Fewer parameters to differentiate, smaller dimensions, arrays with fewer nonzero entries, and numbers with few digits,
//! as long as an entry of the same parameter and order fails with the same verdict. The original failure is kept: a point
//! in general position says more about the mistake, a small one shows it at a glance.

use crate::coordinates::{indices, sizes};
use crate::evaluate::outside;
use crate::observe::{point_report, worse};
use crate::points::{Origin, Sampler};
use crate::prepare::Prepared;
use crate::random::number_of;
use crate::report::{Entry, Order, Small};
use crate::settings::{Context, Settings};
use crate::verdict::Verdict;
use adc_ir::*;
use num_complex::Complex64;

/// A Jacobian of this many entries makes a point count twice.
const ENTRIES: usize = 256;

/// Instructions of the programs of other checks, together.
const INSTRUCTIONS: usize = 1 << 14;

/// This many points that do not end use up the whole budget.
const ENDLESS: usize = 8;

/// What has to stay the same.
struct Failure {
    order: Order,
    status: Verdict,
    parameter: usize,
}

struct Shrinker<'a> {
    failure: Failure,
    prepared: Prepared,
    settings: Settings,
    inputs: Vec<Datum>,
    entry: Entry,
    /// Points tried; those with large Jacobians count several times.
    evaluations: usize,
    budget: usize,
    /// Instructions of other checks so far.
    instructions: usize,
    ctx: &'a Context<'a>,
    block: &'a CheckBlock,
}

/// The failure of an entry at a smaller point, with at most `budget` points tried; `None` if there is none.
pub(crate) fn shrink(
    ctx: &Context,
    block: &CheckBlock,
    settings: &Settings,
    prepared: &Prepared,
    (entry, inputs): (&Entry, &[Datum]),
    budget: usize,
) -> Option<Small> {
    let failure = Failure { order: entry.order, status: entry.status, parameter: entry.parameter };
    let mut settings = settings.clone();
    settings.dims = prepared.dims.iter().map(|n| Some(*n)).collect();
    let (inputs, entry) = (inputs.to_vec(), entry.clone());
    let (prepared, evaluations) = (prepared.clone(), 0);
    let mut s = Shrinker {
        failure,
        prepared,
        settings,
        inputs,
        entry,
        evaluations,
        budget,
        instructions: 0,
        ctx,
        block,
    };
    let func = ctx.module.func(block.func);
    let wrt = s.fewer_parameters();
    let dims = s.smaller_dimensions(func);
    let values = s.simpler_values();
    let name = |i: usize| func.params[i].name.clone();
    let changed = func.dims.iter().zip(&s.prepared.dims).filter(|(d, _)| d.quotient.is_none());
    (wrt || dims || values).then(|| Small {
        inputs: s.inputs,
        dims: if dims { changed.map(|(d, n)| (d.name.clone(), *n)).collect() } else { Vec::new() },
        wrt: wrt.then(|| vec![name(s.failure.parameter)]),
        entry: s.entry,
    })
}

impl Shrinker<'_> {
    /// The entry with the same failure at a point, if there is one.
    fn fails(&mut self, other: Option<&mut Prepared>, inputs: &[Datum]) -> Option<Entry> {
        if self.evaluations >= self.budget {
            return None;
        }
        let prepared = other.unwrap_or(&mut self.prepared);
        let entries: usize = prepared.units.iter().map(|u| u.entries.len()).sum();
        self.evaluations += 1 + entries / ENTRIES;
        let func = prepared.func();
        let fits = func.params.iter().zip(inputs).all(|(p, x)| {
            x.ty() == func.ty(p.value) && sizes(func.data(p.value)).is_some_and(|s| s == x.shape())
        });
        if !fits || outside(func, inputs).is_some() {
            return None;
        }
        let value = match prepared.value(inputs) {
            Err(e) if e.trap == Trap::OutOfFuel => {
                // No point costs more. If one does not end, others may not, either.
                self.evaluations += self.budget.div_ceil(ENDLESS);
                return None;
            }
            value => value.ok()?,
        };
        if !value.iter().all(crate::slots::finite) {
            return None;
        }
        prepared.run_point(inputs, number_of(inputs)).ok()?;
        let f = &self.failure;
        let same = |e: &Entry| (e.order, e.status, e.parameter) == (f.order, f.status, f.parameter);
        let point = point_report(prepared, Origin::Given(0), inputs, value);
        let mut found: Option<Entry> = None;
        for e in point.entries.into_iter().filter(same) {
            if found.as_ref().is_none_or(|best| worse(&e, best)) {
                found = Some(e);
            }
        }
        found
    }

    /// Accepts a point if it fails. Changed values stay in the domains of the block: outside, other things may be wrong.
    fn accept(&mut self, inputs: Vec<Datum>) -> bool {
        let sampler = Sampler::new(self.prepared.func(), &self.block.params, self.prepared.request.seed);
        let stays = |(i, (x, before)): (usize, (&Datum, &Datum))| {
            (0..x.len()).all(|k| x.get(k).same(before.get(k)) || sampler.admits(i, x.get(k)))
        };
        if !inputs.iter().zip(&self.inputs).enumerate().all(stays) {
            return false;
        }
        match self.fails(None, &inputs) {
            Some(entry) => {
                (self.inputs, self.entry) = (inputs, entry);
                true
            }
            None => false,
        }
    }

    /// The same with another check.
    fn accept_check(&mut self, settings: Settings, inputs: Vec<Datum>) -> bool {
        // The other check is about as large as this one.
        self.instructions += self.prepared.instructions();
        if self.instructions > INSTRUCTIONS {
            return false;
        }
        let at = Settings { at: vec![inputs.clone()], ..settings.clone() };
        let Ok(mut prepared) = Prepared::new(self.ctx, self.block, &at) else { return false };
        prepared.engine.limits = self.prepared.engine.limits;
        match self.fails(Some(&mut prepared), &inputs) {
            Some(entry) => {
                (self.inputs, self.entry, self.prepared, self.settings) = (inputs, entry, prepared, settings);
                true
            }
            None => false,
        }
    }

    /// Differentiates with respect to one parameter only. (A second derivative has parameters of another function.)
    fn fewer_parameters(&mut self) -> bool {
        let several = self.prepared.request.wrt.len() > 1;
        if !several || self.failure.order == Order::Second {
            return false;
        }
        let settings = Settings { wrt: Some(vec![self.failure.parameter]), ..self.settings.clone() };
        self.accept_check(settings, self.inputs.clone())
    }

    fn smaller_dimensions(&mut self, func: &Func) -> bool {
        let mut some = false;
        for d in (0..func.dims.len()).filter(|d| func.dims[*d].quotient.is_none()) {
            for n in 1..self.prepared.dims[d].min(3) {
                let mut settings = self.settings.clone();
                settings.dims[d] = Some(n);
                let Some(inputs) = self.cut(&settings) else { continue };
                if self.accept_check(settings, inputs) {
                    some = true;
                    break;
                }
            }
        }
        some
    }

    /// The first entries of every array, as many as these dimensions require.
    fn cut(&self, settings: &Settings) -> Option<Vec<Datum>> {
        let func = self.ctx.module.func(self.block.func);
        let dims = settings.dims.iter().copied().collect::<Option<Vec<i64>>>()?;
        let dims = crate::dims::with_quotients(func, dims);
        let part = |(p, x): (&Param, &Datum)| {
            let size = |d: &Dim| crate::dims::size(func, d, &dims).and_then(|n| usize::try_from(n).ok());
            let shape: Vec<usize> = func.shape(p.value).iter().map(size).collect::<Option<_>>()?;
            if shape.is_empty() {
                return Some(x.clone());
            }
            let fits = shape.len() == x.shape().len() && shape.iter().zip(x.shape()).all(|(n, m)| n <= m);
            let mut out = fits.then(|| Datum::zeros(x.elem(), &shape))?;
            for k in 0..out.len() {
                let place = indices(&shape, k);
                let from = place.iter().zip(x.shape()).fold(0, |at, (i, n)| at * n + i);
                out.set(k, x.get(from));
            }
            Some(out)
        };
        func.params.iter().zip(&self.inputs).map(part).collect()
    }

    /// Simpler numbers: whole parameters first, then parts of arrays, then single numbers, until nothing helps.
    fn simpler_values(&mut self) -> bool {
        let mut some = false;
        loop {
            let mut changed = false;
            for i in 0..self.inputs.len() {
                changed |= self.simpler_parts(i);
                changed |= self.simpler_numbers(i);
            }
            some |= changed;
            if !changed || self.evaluations >= self.budget {
                return some;
            }
        }
    }

    /// Sets parts of an array to one number: all of it, halves, quarters.
    fn simpler_parts(&mut self, i: usize) -> bool {
        let (n, ty) = (self.inputs[i].len(), self.inputs[i].elem());
        let mut some = false;
        let mut length = n;
        while length > 1 {
            for first in (0..n).step_by(length) {
                for x in [0.0, 1.0] {
                    let mut inputs = self.inputs.clone();
                    let c = Const::from_c128(Complex64::new(x, 0.0), ty);
                    (first..(first + length).min(n)).for_each(|k| inputs[i].set(k, c));
                    let simpler = effort_of(&inputs[i]) < effort_of(&self.inputs[i]);
                    if simpler && self.accept(inputs) {
                        some = true;
                        break;
                    }
                }
            }
            length /= 2;
        }
        some
    }

    fn simpler_numbers(&mut self, i: usize) -> bool {
        let mut some = false;
        for k in 0..self.inputs[i].len() {
            for c in simpler(self.inputs[i].get(k)) {
                let mut inputs = self.inputs.clone();
                inputs[i].set(k, c);
                if self.accept(inputs) {
                    some = true;
                    break;
                }
            }
        }
        some
    }
}

/// Simpler numbers than this one, the simplest first.
fn simpler(c: Const) -> Vec<Const> {
    let ty = c.scalar();
    let z = c.to_c128();
    let reals = |x: f64| {
        let digits = |n: usize| format!("{x:.n$e}").parse::<f64>().unwrap_or(x);
        [0.0, 1.0, -1.0, 2.0, x.round(), (2.0 * x).round() / 2.0, digits(0), digits(1), digits(2)]
    };
    let mut list: Vec<Complex64> = match ty {
        Scalar::Bool => vec![Complex64::ZERO],
        Scalar::I64 => [0.0, 1.0, 2.0, 3.0].map(|x| Complex64::new(x, 0.0)).to_vec(),
        Scalar::F32 | Scalar::F64 => reals(z.re).map(|x| Complex64::new(x, 0.0)).to_vec(),
        Scalar::C64 | Scalar::C128 => {
            let both = reals(z.re).into_iter().zip(reals(z.im)).map(|(a, b)| Complex64::new(a, b));
            let parts = [(0.0, z.im), (z.re, 0.0), (1.0, z.im), (z.re, 1.0)];
            let units = [(1.0, 0.0), (0.0, 1.0), (-1.0, 0.0)];
            let more = units.into_iter().chain(parts).map(|(a, b)| Complex64::new(a, b));
            both.chain(more).collect()
        }
    };
    list.retain(|x| x.is_finite() && effort(*x) < effort(z));
    list.sort_by_key(|x| effort(*x));
    list.dedup();
    list.into_iter().map(|x| Const::from_c128(x, ty)).collect()
}

/// How hard a number is to read: 0 costs nothing, others their digits.
fn effort(z: Complex64) -> usize {
    let real = |x: f64| match x {
        0.0 => x.is_sign_negative() as usize,
        x => {
            let text = format!("{:e}", x.abs());
            let (digits, exponent) = text.split_once('e').expect("Rust writes an exponent");
            let digits = 2 * digits.chars().filter(char::is_ascii_digit).count();
            let exponent = exponent.parse::<i32>().map_or(9, |n| n.unsigned_abs().div_ceil(3) as usize);
            digits + exponent + (x < 0.0) as usize + 2 * (x.abs() != 1.0) as usize
        }
    };
    real(z.re) + real(z.im)
}

fn effort_of(x: &Datum) -> usize {
    x.elements().map(|c| effort(c.to_c128())).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn simple_numbers_are_few_digits() {
        let order = [0.0, 1.0, -1.0, 2.0, -2.0, -12.0, 3.253, 0.123456];
        for pair in order.windows(2) {
            let [a, b] = [pair[0], pair[1]].map(|x| effort(Complex64::new(x, 0.0)));
            assert!(a < b, "{} {a}, {} {b}", pair[0], pair[1]);
        }
        let list = simpler(Const::F64(-1.23456));
        let numbers: Vec<f64> = list.iter().map(|c| c.to_c128().re).collect();
        assert_eq!(numbers[..2], [0.0, 1.0]);
        assert!(numbers.contains(&-1.2) && numbers.contains(&-1.0) && !numbers.contains(&-1.23456));
        assert!(simpler(Const::F64(0.0)).is_empty());
        assert_eq!(simpler(Const::Bool(true)), [Const::Bool(false)]);
        let list = simpler(Const::C128(Complex64::new(0.31425, -2.7283)));
        assert!(list.contains(&Const::C128(Complex64::new(0.0, 1.0))));
    }
}

//! The likely mistake: how a wrong Jacobian is related to the right one, at several values.
//!
//! One table of mistakes, each with a predicate on the wrong blocks (a result by a parameter) of all samples. The first
//! that fits all of them is reported; nothing if none does.

use super::frozen;
use super::numeric::Isolated;
use crate::coordinates::{Coordinate, Part};
use crate::report::{Mistake, MistakeKind};
use crate::settings::{Context, Request};
use adc_ir::*;
use num_complex::Complex64;

/// Number of values at which rule and differences are compared.
const SAMPLES: usize = 6;
/// Two numbers are equal if they differ by no more than this part of the error.
const SAME: f64 = 1e-3;
/// A block is wrong if its relative error exceeds this.
const WRONG: f64 = 1e-10;
const WRONG_SINGLE: f64 = 1e-3;

/// The derivative of one result by one parameter at one point: by rule and by differences.
#[derive(Clone, Debug)]
pub(super) struct Block {
    pub param: usize,
    pub result: usize,
    /// Real coordinates of results and parameters.
    pub rows: usize,
    pub columns: usize,
    /// Whether these are the parts of complex numbers.
    pub complex: (bool, bool),
    /// Sizes of result and parameter, one after the other.
    pub shape: Vec<usize>,
    pub rule: Vec<f64>,
    pub fd: Vec<f64>,
}

impl Block {
    /// The largest error.
    fn error(&self) -> f64 {
        self.rule.iter().zip(&self.fd).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
    }

    fn size(&self) -> f64 {
        self.fd.iter().chain(&self.rule).map(|x| x.abs()).fold(0.0, f64::max)
    }

    /// Whether the rule gives these numbers.
    fn is(&self, numbers: impl Iterator<Item = f64>) -> bool {
        let tol = SAME * self.error();
        self.rule.iter().zip(numbers).all(|(a, b)| (a - b).abs() <= tol)
    }

    fn has(&self, numbers: &[f64]) -> bool {
        self.is(numbers.iter().copied())
    }

    /// The pairs (W, CW) by rule and by differences of every number of the result by every one of the parameter. For a real
    /// result or parameter, ∂/∂z or f' alone, and 0.
    fn pairs(&self) -> Vec<[(Complex64, Complex64); 2]> {
        let (rs, cs) = (1 + usize::from(self.complex.0), 1 + usize::from(self.complex.1));
        let mut out = Vec::new();
        for row in (0..self.rows).step_by(rs) {
            for column in (0..self.columns).step_by(cs) {
                let pair = |m: &[f64]| {
                    let at = |r: usize, c: usize| m[(row + r) * self.columns + column + c];
                    let number = |c: usize| Complex64::new(at(0, c), if rs == 2 { at(1, c) } else { 0.0 });
                    let i = Complex64::i();
                    match (rs, cs) {
                        (_, 1) => (number(0), Complex64::ZERO),
                        (1, _) => (Complex64::ZERO, number(0) + i * number(1)),
                        _ => (0.5 * (number(0) - i * number(1)), 0.5 * (number(0) + i * number(1))),
                    }
                };
                out.push([pair(&self.rule), pair(&self.fd)]);
            }
        }
        out
    }

    fn pairs_are(&self, of: impl Fn((Complex64, Complex64)) -> (Complex64, Complex64)) -> bool {
        let tol = SAME * self.error();
        self.pairs().into_iter().all(|[(w, cw), fd]| {
            let (v, cv) = of(fd);
            (w - v).norm() <= tol && (cw - cv).norm() <= tol
        })
    }
}

/// A point at which both are known.
#[derive(Clone, Debug)]
pub(super) struct Sample {
    pub blocks: Vec<Block>,
    /// Magnitudes of scalar operands and results, by name.
    pub numbers: Vec<(String, f64)>,
    pub single: bool,
}

impl Sample {
    fn wrong(&self) -> Vec<&Block> {
        let part = if self.single { WRONG_SINGLE } else { WRONG };
        self.blocks.iter().filter(|b| b.error() > part * b.size()).collect()
    }
}

/// The mistake that explains all samples. `names`: those of the parameters. `frozen`: the derivatives at the samples with
/// one use of a value excluded, each with a description; computed only if nothing else fits.
pub(super) fn guess(
    samples: &[Sample],
    names: &[String],
    frozen: impl FnOnce() -> Vec<(String, Vec<Sample>)>,
) -> Option<Mistake> {
    let wrong: Vec<(&Sample, Vec<&Block>)> =
        samples.iter().map(|s| (s, s.wrong())).filter(|(_, b)| !b.is_empty()).collect();
    let blocks: Vec<&Block> = wrong.iter().flat_map(|(_, b)| b.iter().copied()).collect();
    if blocks.is_empty() || blocks.iter().any(|b| b.rule.iter().any(|x| !x.is_finite())) {
        return None;
    }
    let numbers: usize =
        blocks.iter().map(|b| b.fd.iter().filter(|x| x.abs() > WRONG * b.size()).count()).sum();
    let of = |kind, text: String| Some(Mistake { kind, text });
    if let Some(text) = dropped(&blocks, names) {
        return of(MistakeKind::DroppedTerm, text);
    }
    // A single number is a multiple of any other.
    let telling = 2 <= numbers;
    let factor = constant(&blocks).filter(|_| telling);
    if factor.is_some_and(|c| (c + 1.0).abs() <= SAME) {
        return of(MistakeKind::Sign, "its sign is wrong".into());
    }
    if let Some(c) = factor {
        return of(MistakeKind::Factor, factor_text(c));
    }
    if let Some(text) = conjugated(&blocks) {
        return of(MistakeKind::Conj, text);
    }
    if let Some(text) = transposed(&blocks) {
        return of(MistakeKind::Transposed, text);
    }
    if let Some(text) = exchanged(&wrong, names) {
        return of(MistakeKind::Swapped, text);
    }
    if let Some(text) = power(&wrong) {
        return of(MistakeKind::Power, text);
    }
    frozen().into_iter().find_map(|(text, without)| term(samples, &without, &text))
}

/// A term that is missing, or multiplied by a number: the error is a multiple of the term's contribution.
fn term(samples: &[Sample], without: &[Sample], text: &str) -> Option<Mistake> {
    if samples.len() != without.len() {
        return None;
    }
    let pairs = || samples.iter().zip(without).flat_map(|(s, v)| s.blocks.iter().zip(&v.blocks));
    let (mut over, mut under) = (0.0, 0.0);
    for (b, v) in pairs() {
        let size = b.size().max(f64::MIN_POSITIVE);
        for ((r, f), g) in b.rule.iter().zip(&b.fd).zip(&v.fd) {
            (over, under) = (over + (r - f) / size * ((g - f) / size), under + ((g - f) / size).powi(2));
        }
    }
    let part = over / under;
    let fits = pairs().all(|(b, v)| {
        let tol = (SAME * b.error()).max(WRONG * b.size());
        let numbers = b.rule.iter().zip(&b.fd).zip(&v.fd);
        numbers.into_iter().all(|((r, f), g)| (r - f - part * (g - f)).abs() <= tol)
    });
    if !part.is_finite() || !fits {
        return None;
    }
    let near = |x: f64| (part - x).abs() <= SAME;
    let (kind, text) = if near(1.0) {
        (MistakeKind::DroppedTerm, format!("a term is missing: {text}"))
    } else if near(2.0) {
        (MistakeKind::Sign, "the sign of one of its terms is wrong".to_string())
    } else {
        (MistakeKind::Factor, format!("one of its terms: {}", factor_text(1.0 - part)))
    };
    Some(Mistake { kind, text })
}

/// The whole block is 0, or ∂/∂z or ∂/∂z* is.
fn dropped(blocks: &[&Block], names: &[String]) -> Option<String> {
    let zero = |x: Complex64, b: &Block| x.norm() <= SAME * b.error();
    if blocks.iter().all(|b| b.is(std::iter::repeat(0.0))) {
        let mut params: Vec<usize> = blocks.iter().map(|b| b.param).collect();
        params.sort_unstable();
        params.dedup();
        let names: Vec<String> = params.iter().map(|p| format!("`{}`", names[*p])).collect();
        let by = crate::text::enumeration(&names);
        return Some(format!("a term is missing: it is 0 with respect to {by}"));
    }
    let both = |b: &Block| b.complex == (true, true);
    let without = |keep: fn((Complex64, Complex64)) -> (Complex64, Complex64)| {
        blocks.iter().all(|b| both(b) && b.pairs_are(keep))
    };
    let somewhere = |part: fn(&(Complex64, Complex64)) -> Complex64| {
        blocks.iter().any(|b| b.pairs().iter().any(|[_, fd]| !zero(part(fd), b)))
    };
    if without(|(_, cw)| (Complex64::ZERO, cw)) && somewhere(|p| p.0) {
        return Some("a term is missing: ∂/∂z is 0".into());
    }
    if without(|(w, _)| (w, Complex64::ZERO)) && somewhere(|p| p.1) {
        return Some("a term is missing: ∂/∂z* is 0, as if it were holomorphic".into());
    }
    None
}

/// The number that the whole block is multiplied by.
fn constant(blocks: &[&Block]) -> Option<f64> {
    let (mut rf, mut ff) = (0.0, 0.0);
    for b in blocks {
        let size = b.size();
        for (r, f) in b.rule.iter().zip(&b.fd) {
            (rf, ff) = (rf + r / size * (f / size), ff + (f / size) * (f / size));
        }
    }
    let c = rf / ff;
    blocks.iter().all(|b| b.is(b.fd.iter().map(|f| c * f))).then_some(c)
}

fn factor_text(c: f64) -> String {
    let near = |x: f64| (c - x).abs() <= SAME * x.abs().min(1.0);
    if near(2.0) {
        "an extra factor of 2".into()
    } else if near(0.5) {
        "a factor of 2 is missing: it is half of what it should be".into()
    } else {
        let c = format!("{c:.9e}").parse::<f64>().unwrap_or(c);
        format!("it is {c} times what it should be")
    }
}

/// A conjugate too many, or one too few.
fn conjugated(blocks: &[&Block]) -> Option<String> {
    type Pair = (Complex64, Complex64);
    type Form = (fn(Pair) -> Pair, &'static str);
    const FORMS: [Form; 3] = [
        (
            |(w, cw)| (w.conj(), cw.conj()),
            "a `conj` is missing or superfluous: it is the conjugate of what it should be",
        ),
        (
            |(w, cw)| (cw, w),
            "∂/∂z and ∂/∂z* are exchanged: a `conj` of the tangent is missing or superfluous",
        ),
        (|(w, cw)| (cw.conj(), w.conj()), "a `conj` of the whole tangent is missing or superfluous"),
    ];
    let complex = blocks.iter().all(|b| b.complex.0 || b.complex.1);
    let form = FORMS.iter().filter(|_| complex).find(|(of, _)| blocks.iter().all(|b| b.pairs_are(of)));
    form.map(|(_, text)| (*text).to_string())
}

/// Indices of results and parameters exchanged.
fn transposed(blocks: &[&Block]) -> Option<String> {
    let rank = blocks.iter().map(|b| b.shape.len()).max()?;
    let mut swaps: Vec<Vec<(usize, usize)>> = Vec::new();
    for a in 0..rank {
        for b in a + 1..rank {
            swaps.push(vec![(a, b)]);
        }
    }
    if rank == 4 {
        swaps.push(vec![(0, 2), (1, 3)]);
    }
    let fits = |b: &Block, swap: &[(usize, usize)]| {
        let square = swap.iter().all(|(i, j)| *j < b.shape.len() && b.shape[*i] == b.shape[*j]);
        square && [false, true].into_iter().any(|conj| permuted(b, swap, conj).is_some_and(|n| b.has(&n)))
    };
    let found = swaps.iter().any(|s| blocks.iter().all(|b| b.shape.len() >= 2 && fits(b, s)));
    found.then(|| "it is transposed: rows and columns are exchanged".to_string())
}

/// The differences with axes exchanged, of complex numbers with the conjugate.
fn permuted(b: &Block, swap: &[(usize, usize)], conj: bool) -> Option<Vec<f64>> {
    if conj && b.complex != (true, true) {
        return None;
    }
    let (rs, cs) = (1 + usize::from(b.complex.0), 1 + usize::from(b.complex.1));
    let inputs = b.columns / cs;
    let mut out = vec![0.0; b.fd.len()];
    for row in 0..b.rows / rs {
        for column in 0..inputs {
            let mut index = crate::coordinates::indices(&b.shape, row * inputs + column);
            swap.iter().for_each(|(i, j)| index.swap(*i, *j));
            let from = index.iter().zip(&b.shape).fold(0, |at, (i, n)| at * n + i);
            let (from_row, from_column) = (from / inputs, from % inputs);
            for r in 0..rs {
                for c in 0..cs {
                    let (r2, c2) = if conj { (c, r) } else { (r, c) };
                    out[(row * rs + r) * b.columns + column * cs + c] =
                        b.fd[(from_row * rs + r2) * b.columns + from_column * cs + c2];
                }
            }
        }
    }
    Some(out)
}

/// The derivative of one operand is given to another one, or columns of one are permuted.
fn exchanged(wrong: &[(&Sample, Vec<&Block>)], names: &[String]) -> Option<String> {
    let n = names.len();
    for a in 0..n {
        for b in a + 1..n {
            let exchanged = wrong.iter().all(|(s, list)| {
                let other = |block: &Block| {
                    let p = if block.param == a { b } else { a };
                    s.blocks.iter().find(|o| (o.result, o.param) == (block.result, p))
                };
                let fits = |block: &&Block| {
                    let other = other(block).filter(|o| o.fd.len() == block.fd.len());
                    other.is_some_and(|o| block.has(&o.fd) && o.is(block.fd.iter().copied()))
                };
                list.iter().all(|block| (block.param == a || block.param == b) && fits(block))
            });
            if exchanged {
                return Some(format!(
                    "the derivatives with respect to `{}` and `{}` are exchanged",
                    names[a], names[b]
                ));
            }
        }
    }
    let permuted = |b: &Block| {
        let sorted = |m: &[f64]| {
            let mut list = m.to_vec();
            list.sort_by(f64::total_cmp);
            list
        };
        let tol = SAME * b.error();
        let same =
            |(r, f): (&[f64], &[f64])| sorted(r).iter().zip(sorted(f)).all(|(x, y)| (x - y).abs() <= tol);
        b.columns > 1 && b.rule.chunks(b.columns).zip(b.fd.chunks(b.columns)).all(same)
    };
    let moved = wrong.iter().flat_map(|(_, b)| b).all(|b| permuted(b));
    moved.then(|| "elements are exchanged: the derivative of one goes to another".to_string())
}

/// Powers of operands and results that are tried.
const POWERS: [f64; 12] = [1.0, -1.0, 2.0, -2.0, 3.0, -3.0, 4.0, -4.0, 0.5, -0.5, 1.5, -1.5];

/// The ratio is c·x^k.
fn power(wrong: &[(&Sample, Vec<&Block>)]) -> Option<String> {
    let mut ratios = Vec::new();
    for (s, blocks) in wrong {
        let [b] = blocks[..] else { return None };
        // A single number, or several with one ratio.
        let (at, f) = b.fd.iter().enumerate().max_by(|a, b| a.1.abs().total_cmp(&b.1.abs()))?;
        let ratio = b.rule[at] / f;
        let same = b.is(b.fd.iter().map(|f| ratio * f));
        let modulus = {
            let [(w, cw), (v, cv)] = *b.pairs().first()?;
            if v.norm() >= cv.norm() { w.norm() / v.norm() } else { cw.norm() / cv.norm() }
        };
        match (same, b.fd.len() <= 4) {
            (true, _) => ratios.push((s, ratio)),
            (false, true) if b.complex.0 || b.complex.1 => ratios.push((s, modulus)),
            _ => return None,
        }
    }
    if ratios.len() < 3 || ratios.iter().any(|(_, r)| !r.is_finite() || *r == 0.0) {
        return None;
    }
    let count = ratios[0].0.numbers.len();
    for k in POWERS {
        for which in 0..count {
            let base = |s: &Sample| s.numbers.get(which).map_or(f64::NAN, |n| n.1);
            let c: Vec<f64> = ratios.iter().map(|(s, r)| r / base(s).powf(k)).collect();
            let spread = |list: &[f64]| {
                let (lo, hi) =
                    list.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(*x), h.max(*x)));
                (hi - lo) / hi.abs().max(lo.abs())
            };
            let bases: Vec<f64> = ratios.iter().map(|(s, _)| base(s)).collect();
            if spread(&bases) > 1e-2 && spread(&c) <= 1e-6 {
                let name = &ratios[0].0.numbers[which].0;
                let factor = match k.abs() {
                    1.0 => name.clone(),
                    k => format!("{name}^{k}"),
                };
                let how = if k > 0.0 {
                    format!("an extra factor `{factor}`")
                } else {
                    format!("a factor `{factor}` is missing")
                };
                return Some(format!("the power of `{name}` is wrong: {how}"));
            }
        }
    }
    None
}

/// The values that reach it, and some near them.
pub(super) fn points(reached: &[Vec<Datum>]) -> Vec<Vec<Datum>> {
    let mut points: Vec<Vec<Datum>> = reached.iter().take(SAMPLES / 2).cloned().collect();
    let own = points.len().max(1);
    for draw in 0..SAMPLES.saturating_sub(points.len()) {
        if let Some(base) = reached.get(draw % own) {
            points.push(near(base, draw));
        }
    }
    points
}

/// Every number changed by some per cent, the same way each time.
fn near(x: &[Datum], draw: usize) -> Vec<Datum> {
    let mut state = 0x9e37_79b9_7f4a_7c15u64.wrapping_mul(draw as u64 + 1);
    let mut part = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        1.0 + 0.2 * ((state >> 11) as f64 / (1u64 << 53) as f64 - 0.5)
    };
    let mut out = x.to_vec();
    for d in out.iter_mut().filter(|d| d.elem().is_float()) {
        for i in 0..d.len() {
            let z = d.get(i).to_c128();
            let z = Complex64::new(z.re * part(), z.im * part());
            d.set(i, Const::from_c128(z, d.elem()));
        }
    }
    out
}

/// Rule and differences at a point.
pub(super) fn sample(isolated: &mut Isolated, x: &[Datum], names: &[String]) -> Option<Sample> {
    let j = isolated.jacobian(x)?;
    let values = isolated.value(x)?;
    let unit = isolated.unit();
    let groups = |list: &[Coordinate]| {
        let mut out: Vec<(usize, usize, usize, bool)> = Vec::new();
        for (k, c) in list.iter().enumerate() {
            match out.last_mut() {
                Some(last) if last.0 == c.index => last.2 = k + 1,
                _ => out.push((c.index, k, k + 1, c.part != Part::Whole)),
            }
        }
        out
    };
    let n = unit.columns.len();
    let mut blocks = Vec::new();
    for (result, r0, r1, rc) in groups(&unit.rows) {
        for (param, c0, c1, cc) in groups(&unit.columns) {
            let cut = |m: &[f64]| (r0..r1).flat_map(|r| m[r * n + c0..r * n + c1].to_vec()).collect();
            blocks.push(Block {
                param,
                result,
                rows: r1 - r0,
                columns: c1 - c0,
                complex: (rc, cc),
                shape: [&unit.result_shapes[result][..], &unit.param_shapes[param]].concat(),
                rule: cut(&j.rule),
                fd: cut(&j.fd),
            });
        }
    }
    let modulus = |coordinates: &[Coordinate], index: usize, numbers: &[f64]| {
        let own = coordinates.iter().zip(numbers).filter(|(c, _)| c.index == index);
        own.map(|(_, x)| x * x).sum::<f64>().sqrt()
    };
    let operands = isolated.columns(x);
    let mut numbers = Vec::new();
    for (k, shape) in unit.param_shapes.iter().enumerate().filter(|(_, s)| s.is_empty()) {
        let _ = shape;
        numbers.push((names.get(k).cloned().unwrap_or_default(), modulus(&unit.columns, k, &operands)));
    }
    for (k, _) in unit.result_shapes.iter().enumerate().filter(|(_, s)| s.is_empty()) {
        numbers.push(("out".to_string(), modulus(&unit.rows, k, &values)));
    }
    Some(Sample { blocks, numbers, single: unit.single() })
}

/// The likely mistake of a function by itself. `reached`: arguments it is called with. `body`: the function whose terms it
/// may have forgotten. `func`: the function itself.
pub(super) fn find(
    ctx: &Context,
    m: &Module,
    request: &Request,
    isolated: &mut Isolated,
    reached: &[Vec<Datum>],
    names: &[String],
    (func, body): (FuncId, FuncId),
) -> Option<Mistake> {
    let known: Vec<(Vec<Datum>, Sample)> =
        points(reached).into_iter().filter_map(|x| sample(isolated, &x, names).map(|s| (x, s))).collect();
    let (points, samples): (Vec<Vec<Datum>>, Vec<Sample>) = known.into_iter().unzip();
    let own = isolated.func().clone();
    let frozen = || {
        let mut m = m.clone();
        let mut out = Vec::new();
        for variant in frozen::variants(&mut m, body) {
            // The caller of the function with the rule, with literals for some of its arguments, calls the variant instead.
            let variant = match body == func {
                true => variant,
                false => frozen::caller(&mut m, &own, (body, variant)),
            };
            let Some(mut isolated) = Isolated::new(ctx, &m, variant, request) else { continue };
            let samples = points.iter().filter_map(|x| sample(&mut isolated, x, names)).collect();
            out.push(("one use of an operand is left out".to_string(), samples));
        }
        out
    };
    guess(&samples, names, frozen)
}

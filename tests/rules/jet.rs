//! First and second derivatives by central differences of the primal over [`Big`].
//!
//! Steps are 2⁻⁹⁰ and 2⁻⁹¹ of a length scale; the two quotients are extrapolated (Richardson); their
//! difference and the rounding errors of the primal bound the error. What scale suits a function is found by trying: for each derivative the
//! candidate with the smallest relative error bound wins.

use adc_precise::{BITS, Big};

/// Step of the differences, as an exponent of 2, for length scale 1.
const STEP: i64 = -90;
/// The primal's values are good to this relative error, as an exponent of 2.
const ROUNDING: i64 = 12 - BITS;
/// A derivative counts as known if its relative error is below 2^this: "at least 100-bit arithmetic".
const KNOWN: i64 = -100;
/// A derivative this small against |f| / (length scale)^order is zero but for rounding.
const VANISHING: i64 = -150;
/// Relative perturbation of the inputs that condition numbers are measured with, as an exponent of 2.
pub const PERTURBATION: i64 = -50;

/// A function of real coordinates; `None` where it has no finite value.
pub type Function<'a> = dyn Fn(&[Big]) -> Option<Vec<Big>> + 'a;

/// A derivative and a bound of its error.
#[derive(Clone, Copy, Debug)]
pub struct Estimate {
    /// The extrapolated difference quotient.
    pub value: Big,
    /// Bound of its absolute error.
    pub error: Big,
}

/// All derivatives up to second order at a point.
#[derive(Clone, Debug)]
pub struct Jet {
    coordinates: usize,
    /// By [`block`]: one estimate for each output.
    blocks: Vec<Vec<Estimate>>,
}

impl Jet {
    /// ∂f_k/∂x_j
    pub fn first(&self, j: usize, k: usize) -> Estimate {
        self.blocks[j][k]
    }

    /// ∂f_k/∂x_j for all k
    pub fn gradient(&self, j: usize) -> &[Estimate] {
        &self.blocks[j]
    }

    /// The largest magnitude of a derivative.
    pub fn largest(&self) -> Big {
        let max = |m: Big, e: &Estimate| if e.value.abs() > m { e.value.abs() } else { m };
        self.blocks.iter().flatten().fold(Big::ZERO, max)
    }

    /// ∂²f_k/∂x_j∂x_l
    pub fn second(&self, j: usize, l: usize, k: usize) -> Estimate {
        self.blocks[block(self.coordinates, j, l)][k]
    }
}

/// The first derivatives come first, then the second ones, `l ≤ j`.
fn block(coordinates: usize, j: usize, l: usize) -> usize {
    let (j, l) = (j.max(l), j.min(l));
    coordinates + j * (j + 1) / 2 + l
}

/// The coordinates of the block that a derivative is taken along.
fn directions(coordinates: usize) -> Vec<Vec<usize>> {
    let second = (0..coordinates).flat_map(|j| (0..=j).map(move |l| vec![j, l]));
    (0..coordinates).map(|j| vec![j]).chain(second).collect()
}

/// The values and the jet at a point together with the jets at the points where one coordinate is larger by the relative
/// amount [`PERTURBATION`].
pub struct Measured {
    /// Magnitude of the function's values.
    pub value: Big,
    /// Magnitude of the number that each coordinate belongs to; 1 for zero.
    pub sizes: Vec<Big>,
    /// Derivatives at the point.
    pub jet: Jet,
    /// One for each coordinate that is not zero.
    pub perturbed: Vec<Jet>,
}

/// Differentiates `f` at `x`; `sizes[j]` is the magnitude of the number that coordinate `j` belongs to.
/// `Err` says why there is no answer.
pub fn measure(f: &Function, x: &[Big], sizes: &[Big]) -> Result<Measured, String> {
    let values = f(x).ok_or("the function is not finite")?;
    let largest = values.iter().filter_map(|v| v.exponent()).max();
    let directions = directions(x.len());
    let mut scales: Vec<Vec<Big>> = Vec::new();
    let mut jets: Vec<Jet> = Vec::new();
    let mut best = vec![0; directions.len()];
    let mut known = false;
    for scale in candidates(x, sizes) {
        let Some(jet) = jet_with(f, x, &scale) else { continue };
        jets.push(jet);
        scales.push(scale);
        let new = jets.len() - 1;
        known = true;
        for (b, along) in directions.iter().enumerate() {
            let quality = |c: usize| Quality::of(&jets[c].blocks[b]);
            if quality(new).relative() < quality(best[b]).relative() {
                best[b] = new;
            }
            // A scale far from 1 says little about what is negligible.
            let length = |j: &usize| scales[new][*j].exponent().unwrap_or(0);
            let moderate = along.iter().all(|j| length(j).abs() <= 60);
            if moderate
                && quality(best[b]).relative() > KNOWN
                && quality(new).vanishes(largest, along, &scales[new])
            {
                best[b] = new;
                continue;
            }
            known &= quality(best[b]).relative() <= KNOWN;
        }
        if known {
            break;
        }
    }
    if jets.is_empty() {
        return Err("no length scale gives finite differences".into());
    }
    if !known {
        for (b, along) in directions.iter().enumerate() {
            let vanishes = |c: &usize| Quality::of(&jets[*c].blocks[b]).vanishes(largest, along, &scales[*c]);
            if Quality::of(&jets[best[b]].blocks[b]).relative() > KNOWN {
                let Some(c) = (0..jets.len()).find(vanishes) else {
                    return Err(format!("along {along:?}: {:?}", jets[best[b]].blocks[b]));
                };
                best[b] = c;
            }
        }
    }
    let choose = |jets: &[Jet]| Jet {
        coordinates: x.len(),
        blocks: best.iter().enumerate().map(|(b, &c)| jets[c].blocks[b].clone()).collect(),
    };
    let jet = choose(&jets);
    let mut perturbed = Vec::new();
    for l in (0..x.len()).filter(|&l| !x[l].is_zero()) {
        let mut near = x.to_vec();
        near[l] = near[l] + near[l].scale2(PERTURBATION);
        let jets: Option<Vec<Jet>> = scales.iter().map(|s| jet_with(f, &near, s)).collect();
        perturbed.push(choose(&jets.ok_or("not finite beside the point")?));
    }
    let sizes = sizes.iter().map(|s| if s.is_zero() { Big::ONE } else { *s }).collect();
    Ok(Measured { value: values.into_iter().fold(Big::ZERO, Big::hypot), sizes, jet, perturbed })
}

/// Exponents of the largest value and the largest error bound in a block.
struct Quality {
    value: Option<i64>,
    error: Option<i64>,
}

impl Quality {
    fn of(block: &[Estimate]) -> Quality {
        Quality {
            value: block.iter().filter_map(|e| e.value.exponent()).max(),
            error: block.iter().filter_map(|e| e.error.exponent()).max(),
        }
    }

    /// The relative error; a zero known exactly is best of all.
    fn relative(&self) -> i64 {
        match (self.value, self.error) {
            (_, None) => i64::MIN,
            (None, Some(_)) => i64::MAX,
            (Some(v), Some(e)) => e - v,
        }
    }

    /// Whether values and errors are zero but for rounding, `|f|` being near `2^largest`.
    fn vanishes(&self, largest: Option<i64>, along: &[usize], scale: &[Big]) -> bool {
        let Some(top) = self.value.max(self.error) else { return true };
        let power: i64 = along.iter().map(|&j| scale[j].exponent().unwrap_or(0)).sum();
        largest.is_none_or(|f| top + power - f <= VANISHING)
    }
}

/// Length scales to try, most likely first.
fn candidates(x: &[Big], sizes: &[Big]) -> Vec<Vec<Big>> {
    let one = Big::ONE;
    let round = |v: Big| v.exponent().map_or(one, Big::exp2i);
    let min = |a: Big, b: Big| if a < b { a } else { b };
    let each = |g: &dyn Fn(Big, Big) -> Big| -> Vec<Big> {
        x.iter().zip(sizes).map(|(c, s)| if s.is_zero() { one } else { round(g(*c, *s)) }).collect()
    };
    vec![
        each(&|_, s| min(s, one)),
        each(&|_, s| s),
        each(&|_, _| one),
        each(&|c, s| if c.is_zero() { s } else { c.abs() }),
        each(&|_, s| min(s, s.recip())),
        each(&|_, s| min(s, one).scale2(-40)),
    ]
}

/// The jet by differences with one length scale per coordinate; `None` if a value is not finite or a step
/// is lost beside its coordinate.
fn jet_with(f: &Function, x: &[Big], scale: &[Big]) -> Option<Jet> {
    let coarse = quotients(f, x, scale, STEP)?;
    let fine = quotients(f, x, scale, STEP - 1)?;
    let size = f(x)?.iter().fold(Big::ZERO, |s, v| s.hypot(*v));
    let estimate = |coarse: &Big, fine: &Big, along: &[usize]| {
        let gap = *fine - *coarse;
        let area = along.iter().fold(Big::ONE, |a, j| a * scale[*j].scale2(STEP - 1));
        Estimate { value: *fine + gap.div_int(3), error: gap.abs() + size.scale2(ROUNDING) / area }
    };
    let blocks = directions(x.len())
        .iter()
        .zip(coarse.iter().zip(&fine))
        .map(|(along, (c, f))| c.iter().zip(f).map(|(c, f)| estimate(c, f, along)).collect())
        .collect();
    Some(Jet { coordinates: x.len(), blocks })
}

/// Difference quotients, by block.
fn quotients(f: &Function, x: &[Big], scale: &[Big], step: i64) -> Option<Vec<Vec<Big>>> {
    let steps: Vec<Big> = scale.iter().map(|s| s.scale2(step)).collect();
    let lost = |x: &Big, h: &Big| x.exponent().is_some_and(|e| e - h.exponent().unwrap_or(0) > BITS - 8);
    if x.iter().zip(&steps).any(|(x, h)| lost(x, h)) {
        return None;
    }
    let at = |moves: &[(usize, bool)]| {
        let mut p = x.to_vec();
        for &(j, up) in moves {
            p[j] = if up { p[j] + steps[j] } else { p[j] - steps[j] };
        }
        f(&p)
    };
    let middle = at(&[])?;
    let outputs = 0..middle.len();
    let ends: Option<Vec<_>> = (0..x.len()).map(|j| Some((at(&[(j, true)])?, at(&[(j, false)])?))).collect();
    let ends = ends?;
    let mut blocks: Vec<Vec<Big>> = Vec::new();
    for ((up, down), h) in ends.iter().zip(&steps) {
        blocks.push(outputs.clone().map(|k| (up[k] - down[k]) / h.scale2(1)).collect());
    }
    for (j, (up, down)) in ends.iter().enumerate() {
        let h = steps[j];
        for (l, step) in steps.iter().enumerate().take(j) {
            let corner = |a, b| at(&[(j, a), (l, b)]);
            let (pp, pm) = (corner(true, true)?, corner(true, false)?);
            let (mp, mm) = (corner(false, true)?, corner(false, false)?);
            let area = (h * *step).scale2(2);
            blocks.push(outputs.clone().map(|k| (pp[k] - pm[k] - mp[k] + mm[k]) / area).collect());
        }
        blocks.push(outputs.clone().map(|k| (up[k] - middle[k].scale2(1) + down[k]) / (h * h)).collect());
    }
    Some(blocks)
}

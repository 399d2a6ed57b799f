//! From secant slopes at several steps to the derivative, with an estimate of its error: Richardson extrapolation (Ridders
//! 1982). Where there is no derivative, the slopes tell why.

/// Ratio of successive steps.
pub(super) const RATIO: f64 = 4.0;
/// Columns of a tableau beyond the differences themselves.
const COLUMNS: usize = 5;
/// A derivative below this part of the steepest slope is negligible.
const NOTHING: f64 = 1e-9;
/// Levels of a tableau that are wide.
const WIDE: usize = 4;
/// One-sided slopes are inconclusive if their error exceeds this part of the steepest one.
const SIDES: f64 = 1e-2;
/// Steps at which truncation is negligible compared with noise, as a part of the widest.
const SMALL_STEPS: f64 = 1.0 / (1u64 << 10) as f64;
/// The relative rounding of a slope.
pub(super) const SLOPE_ROUNDING: f64 = 4.0 * f64::EPSILON / 2.0;

/// The slopes at one step h to both sides, and the uncertainty of their values.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StepSlopes {
    pub h: f64,
    /// `(f(x + h) − f(x)) / h`
    pub right: f64,
    /// `(f(x) − f(x − h)) / h`
    pub left: f64,
    /// Noise of the values that are differenced, absolute.
    pub noise: f64,
}

/// A derivative from differences.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Estimate {
    pub value: f64,
    /// Estimate of the truncation error: the distance of neighbours in the tableau.
    pub spread: f64,
    /// The largest error that noise of the function's values can cause.
    pub noise: f64,
    /// The largest slope over the wide steps: the derivative may be small compared with it.
    pub steepest: f64,
}

impl Estimate {
    /// A difference beyond this bound is an error: 10·E + 2·R.
    pub(crate) fn bound(&self) -> f64 {
        10.0 * self.spread + 2.0 * self.noise
    }

    /// How uncertain it is, relative to the value, or to the slopes beside which the value is negligible.
    pub(crate) fn coarseness(&self) -> f64 {
        let size = self.value.abs().max(NOTHING * self.steepest);
        if self.bound() == 0.0 { 0.0 } else { self.bound() / size }
    }

    /// The estimated error.
    pub(crate) fn error(&self) -> f64 {
        self.spread + self.noise
    }
}

/// What slopes at many steps tell about a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Shape {
    /// There is a derivative.
    Smooth(Estimate),
    /// The one-sided slopes differ.
    Kink { left: Estimate, right: Estimate },
    /// The values at the sides do not approach that at the point. The slope on the one side on which they do, if there is
    /// one.
    Jump { aside: Option<Estimate> },
    /// There are values on one side only. The slope there, if it has a limit.
    Edge(Option<Estimate>),
    /// There is no value except at the point.
    Alone,
    /// None of these.
    Unresolved,
}

impl StepSlopes {
    fn central(&self) -> f64 {
        0.5 * self.right + 0.5 * self.left
    }

    /// The uncertainty of a slope.
    fn slope_noise(&self) -> f64 {
        self.noise / self.h + SLOPE_ROUNDING * self.right.abs().max(self.left.abs())
    }
}

/// Raises the noise of a step sequence to what its slopes show: the values of native code, for example, may have single
/// precision only. Slopes at small steps, where truncation is negligible, differ by noise.
pub(crate) fn measure_noise(sequence_slopes: &mut [StepSlopes]) {
    let Some(widest) = sequence_slopes.first().map(|r| r.h) else { return };
    let small: Vec<&StepSlopes> =
        sequence_slopes.iter().filter(|r| r.h <= widest * SMALL_STEPS && r.central().is_finite()).collect();
    // Extrapolated once, so that truncation is of order h⁴.
    let square = RATIO * RATIO;
    let better: Vec<(f64, f64)> = (small.windows(2))
        .map(|w| (w[1].h, (square * w[1].central() - w[0].central()) / (square - 1.0)))
        .collect();
    let apart = better.windows(2).map(|w| (w[1].1 - w[0].1).abs() * w[1].0);
    let seen = apart.filter(|x| x.is_finite()).fold(0.0, f64::max);
    sequence_slopes.iter_mut().for_each(|r| r.noise = r.noise.max(seen));
}

/// The derivative from two steps, the second a quarter of the first. `None` if the slopes are not those of a smooth
/// function: not finite, or the one-sided ones differ by an amount that does not shrink with the step, or by so much that
/// the derivative is negligible compared with it: central differences are blind to even terms.
pub(crate) fn two_steps(wide: &StepSlopes, close: &StepSlopes) -> Option<Estimate> {
    let (d1, d2) = (wide.central(), close.central());
    let value = d2 + (d2 - d1) / (RATIO * RATIO - 1.0);
    let noise = close.slope_noise();
    let finite = value.is_finite() && noise.is_finite();
    let (apart, closer) = ((wide.right - wide.left).abs(), (close.right - close.left).abs());
    // For a smooth function the second is a quarter of the first.
    let smooth = (closer - apart / RATIO).abs() <= apart / 16.0 + 16.0 * noise;
    let even = apart > 64.0 * noise && value.abs() <= apart;
    (finite && smooth && !even).then_some(Estimate { value, spread: (d2 - d1).abs(), noise, steepest: 0.0 })
}

/// As [`two_steps`], from slopes at h and 2h to one side, then at a quarter of these, if the other side is outside a
/// declared domain. `side` is the sign of the offsets.
pub(crate) fn two_steps_aside(wide: [f64; 2], close: [f64; 2], h: f64, noise: f64) -> Option<Estimate> {
    let (d1, d2) = (2.0 * wide[0] - wide[1], 2.0 * close[0] - close[1]);
    let value = d2 + (d2 - d1) / (RATIO * RATIO - 1.0);
    let noise = 3.0 * (noise / h + SLOPE_ROUNDING * close[0].abs().max(close[1].abs()));
    (value.is_finite() && noise.is_finite()).then_some(Estimate {
        value,
        spread: (d2 - d1).abs(),
        noise,
        steepest: 0.0,
    })
}

/// The shape at a point, from a step sequence: the widest first, each a quarter of the one before.
pub(crate) fn shape(sequence_slopes: &[StepSlopes]) -> Shape {
    let side = |slope: fn(&StepSlopes) -> f64| -> Vec<Option<(f64, f64)>> {
        sequence_slopes
            .iter()
            .map(|r| Some((slope(r), r.slope_noise())).filter(|(s, n)| s.is_finite() && n.is_finite()))
            .collect()
    };
    let (right, left) = (side(|r| r.right), side(|r| r.left));
    if right.iter().chain(&left).all(Option::is_none) {
        return Shape::Alone;
    }
    let open = |slopes: &[Option<(f64, f64)>]| slopes.iter().rev().take(4).all(|s| s.is_none());
    let has = |slopes: &[Option<(f64, f64)>]| slopes.iter().rev().take(4).any(|s| s.is_some());
    if open(&right) && has(&left) {
        return Shape::Edge(tableau(&left, 1).filter(|_| settles(&left)));
    }
    if open(&left) && has(&right) {
        return Shape::Edge(tableau(&right, 1).filter(|_| settles(&right)));
    }
    match jumps(sequence_slopes) {
        (false, false) => {}
        (true, true) => return Shape::Jump { aside: None },
        (true, false) => return Shape::Jump { aside: tableau(&right, 1) },
        (false, true) => return Shape::Jump { aside: tableau(&left, 1) },
    }
    if steepens(sequence_slopes) {
        return Shape::Unresolved;
    }
    // Of a function that does not change at all, no even part is left, and there is nothing to resolve.
    let is_still = |slope: f64| slope == 0.0 || !slope.is_finite();
    let still = sequence_slopes.iter().all(|r| is_still(r.left) && is_still(r.right));
    // One-sided tableaus first: a central one is blind to a symmetric kink.
    let sides = (tableau(&left, 1), tableau(&right, 1));
    let both: Vec<_> = (sequence_slopes.iter())
        .map(|r| Some((r.central(), r.slope_noise())).filter(|(s, n)| s.is_finite() && n.is_finite()))
        .collect();
    match (sides, tableau(&both, 2)) {
        ((Some(left), Some(right)), central) => {
            let apart = (right.value - left.value).abs();
            let known = left.bound() + right.bound();
            let vague = !still && known > SIDES * left.steepest.max(right.steepest);
            match central {
                // If neither side has a visible limit, the even part of the function may look like a derivative of 0.
                Some(e) if vague => Shape::Smooth(Estimate { spread: e.spread.max(known / 10.0), ..e }),
                _ if apart > known && !vague => Shape::Kink { left, right },
                Some(e) => Shape::Smooth(e),
                None => Shape::Unresolved,
            }
        }
        (_, Some(e)) if e.bound() < 1e-3 * e.value.abs() => Shape::Smooth(e),
        _ => Shape::Unresolved,
    }
}

/// The best entry of a Richardson tableau whose first column has an error series in powers of `h^power`. Levels that could
/// not be evaluated interrupt it. It has to be consistent with every finer level (else the smooth far side of a pole or
/// kink would win).
fn tableau(levels: &[Option<(f64, f64)>], power: i32) -> Option<Estimate> {
    let factor = RATIO.powi(power);
    let mut best: Vec<Estimate> = Vec::new();
    let mut row: Vec<(f64, f64)> = Vec::new();
    for (k, level) in levels.iter().enumerate() {
        let Some((d, noise)) = *level else {
            row.clear();
            continue;
        };
        let mut next = vec![(d, noise)];
        for j in 1..=row.len().min(COLUMNS) {
            let weight = factor.powi(j as i32);
            let ((t, r), (above, r_above)) = (next[j - 1], row[j - 1]);
            let value = t + (t - above) / (weight - 1.0);
            let noise = (weight * r + r_above) / (weight - 1.0);
            let spread = (value - t).abs().max((value - above).abs());
            let e = Estimate { value, spread, noise, steepest: 0.0 };
            if value.is_finite() && spread.is_finite() && consistent(&e, &levels[k + 1..], d) {
                best.push(e);
            }
            next.push((value, noise));
        }
        row = next;
    }
    best.sort_by(|a, b| a.error().total_cmp(&b.error()));
    let first = *best.first()?;
    // Good candidates have to agree, too.
    let near = best.iter().take(4).map(|e| e.value);
    let (low, high) = near.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
    let others = best.iter().take(4).map(Estimate::error).fold(0.0, f64::max);
    let wide = levels.iter().flatten().take(WIDE).map(|(slope, _)| slope.abs());
    let steepest = wide.fold(0.0, f64::max);
    Some(Estimate { spread: first.spread.max((high - low).min(others)), steepest, ..first })
}

/// |T − D| ≤ 10·(R + |D − D'| + E + R_T) for every finer difference D, D' being the one before.
fn consistent(e: &Estimate, finer: &[Option<(f64, f64)>], mut before: f64) -> bool {
    for (d, noise) in finer.iter().flatten() {
        if (e.value - d).abs() > 10.0 * (noise + (d - before).abs() + e.error()) {
            return false;
        }
        before = *d;
    }
    true
}

/// Whether the values to the left and to the right do not approach that at the point, at several of the finest steps at
/// which noise is negligible.
fn jumps(sequence_slopes: &[StepSlopes]) -> (bool, bool) {
    const STEPS: usize = 6;
    let clear: Vec<&StepSlopes> =
        sequence_slopes.iter().filter(|r| r.right.is_finite() && r.left.is_finite()).collect();
    let Some(last) = clear.len().checked_sub(STEPS) else { return (false, false) };
    let (first, last) = (clear[last], clear[clear.len() - 1]);
    let constant = |rise: fn(&StepSlopes) -> f64| {
        let (a, b) = (rise(first), rise(last));
        b.abs() > 1e3 * last.noise && (a - b).abs() < 1e-2 * b.abs()
    };
    (constant(|r| r.left * r.h), constant(|r| r.right * r.h))
}

/// Whether slopes grow without limit, as those of a root at 0: at several of the finest steps, beyond their noise.
fn steepens(sequence_slopes: &[StepSlopes]) -> bool {
    const STEPS: usize = 6;
    let clear: Vec<&StepSlopes> =
        sequence_slopes.iter().filter(|r| r.right.is_finite() && r.left.is_finite()).collect();
    let Some(last) = clear.len().checked_sub(STEPS) else { return false };
    let grows = |slope: fn(&StepSlopes) -> f64| {
        let known = clear[last..].iter().all(|r| slope(r).abs() > 1e3 * r.slope_noise());
        known && clear[last..].windows(2).all(|w| slope(w[1]).abs() > 1.2 * slope(w[0]).abs())
    };
    grows(|r| r.right) || grows(|r| r.left)
}

/// Whether the slopes to one side may have a limit: not if they change by no less from step to step, as those of `x*log(x)` at 0 do,
/// at several of the finest steps at which changes are beyond noise.
fn settles(levels: &[Option<(f64, f64)>]) -> bool {
    const STEPS: usize = 6;
    let clear: Vec<(f64, f64)> = levels.iter().flatten().copied().collect();
    let changes: Vec<f64> = (clear.windows(2))
        .map(|w| ((w[1].0 - w[0].0).abs(), w[1].1))
        .take_while(|(change, noise)| *change > 1e3 * noise)
        .map(|(change, _)| change)
        .collect();
    let Some(last) = changes.len().checked_sub(STEPS) else { return true };
    !changes[last..].windows(2).all(|w| w[1] > 0.9 * w[0])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A sequence of exact slopes, with noise of the given size.
    fn sequence(f: impl Fn(f64) -> f64, at_zero: f64, noise: f64) -> Vec<StepSlopes> {
        (0..40)
            .map(|k| {
                let h = 0.125 * RATIO.powi(-k);
                let right = (f(h) - at_zero) / h;
                let left = (at_zero - f(-h)) / h;
                StepSlopes { h, right, left, noise }
            })
            .collect()
    }

    #[test]
    fn shapes() {
        // Functions whose values near 0 are exact enough in doubles: f(0) = 0.
        let smooth = sequence(|t| t.sin(), 0.0, 1e-300);
        let Shape::Smooth(e) = shape(&smooth) else { panic!("{:?}", shape(&smooth)) };
        assert!((e.value - 1.0).abs() <= e.bound() && e.bound() < 1e-13, "{e:?}");
        let kink = sequence(|t| if t > 0.0 { t.sin() } else { 3.0 * t }, 0.0, 1e-300);
        let Shape::Kink { left, right } = shape(&kink) else { panic!("{:?}", shape(&kink)) };
        assert!((left.value - 3.0).abs() < 1e-9 && (right.value - 1.0).abs() < 1e-9);
        let even = sequence(f64::abs, 0.0, 1e-300);
        assert!(matches!(shape(&even), Shape::Kink { .. }), "a symmetric kink");
        let step = sequence(|t| if t > 0.0 { 1.0 } else { 0.0 }, 0.0, 1e-30);
        let Shape::Jump { aside: Some(e) } = shape(&step) else { panic!("{:?}", shape(&step)) };
        assert_eq!(e.value, 0.0, "the slope on the left");
        let spike = sequence(|t| if t == 0.0 { 1.0 } else { 0.0 }, 1.0, 1e-30);
        assert_eq!(shape(&spike), Shape::Jump { aside: None });
        let edge = sequence(|t| if t < 0.0 { f64::NAN } else { t.exp_m1() }, 0.0, 1e-300);
        let Shape::Edge(Some(e)) = shape(&edge) else { panic!("{:?}", shape(&edge)) };
        assert!((e.value - 1.0).abs() <= e.bound(), "{e:?}");
        let endless = sequence(|t| if t > 0.0 { t * t.ln() } else { f64::NAN }, 0.0, 1e-300);
        assert_eq!(shape(&endless), Shape::Edge(None));
        assert_eq!(shape(&sequence(|_| f64::NAN, 0.0, 1e-300)), Shape::Alone);
        let wild = sequence(|t| t * (1.0 / t).sin(), 0.0, 1e-300);
        match shape(&wild) {
            Shape::Smooth(e) => assert!(e.bound() > 0.1, "{e:?}"),
            other => assert_eq!(other, Shape::Unresolved),
        }
        let root = sequence(|t| t.signum() * t.abs().sqrt(), 0.0, 1e-300);
        assert_eq!(shape(&root), Shape::Unresolved);
    }

    #[test]
    fn a_pole_nearby_does_not_win() {
        // 1/(t + 1e-6) − 1e6: the derivative at 0 is −1e12; wide steps see the other side of the pole.
        let f = |t: f64| -t / ((t + 1e-6) * 1e-6);
        let sequence_slopes = sequence(f, 0.0, 1e-20);
        let Shape::Smooth(e) = shape(&sequence_slopes) else { panic!("{:?}", shape(&sequence_slopes)) };
        assert!((e.value + 1e12).abs() <= e.bound() && e.bound() < 1.0, "{e:?}");
    }

    #[test]
    fn noise_is_part_of_the_bound() {
        let mut sign = 1.0;
        let sequence_slopes: Vec<StepSlopes> = (0..20)
            .map(|k| {
                let h = 0.125 * RATIO.powi(-k);
                sign = -sign;
                let wrong = sign * 1e-10 / h;
                StepSlopes { h, right: h.sin() / h + wrong, left: h.sin() / h + wrong, noise: 2e-10 }
            })
            .collect();
        let Shape::Smooth(e) = shape(&sequence_slopes) else { panic!("{:?}", shape(&sequence_slopes)) };
        assert!((e.value - 1.0).abs() <= e.bound() && e.bound() < 1e-5, "{e:?}");
    }

    #[test]
    fn two_steps_of_smooth_functions_and_kinks() {
        let step_slopes =
            |f: fn(f64) -> f64, h: f64| StepSlopes { h, right: f(h) / h, left: -f(-h) / h, noise: 1e-32 };
        let h = 2.0_f64.powi(-40);
        let pair = |f: fn(f64) -> f64| two_steps(&step_slopes(f, h), &step_slopes(f, h / RATIO));
        let e = pair(|t| t + t * t).expect("smooth");
        assert!((e.value - 1.0).abs() <= e.bound() && e.bound() < 1e-14, "{e:?}");
        assert_eq!(pair(f64::abs), None);
        assert_eq!(pair(|t| t * (1.0 / t).sin()), None, "slopes without a limit");
        assert_eq!(pair(|t| t * t), None, "nothing beside the curvature: for a sequence to say");
        assert_eq!(pair(|t| if t > 0.0 { t } else { 2.0 * t }), None);
        assert_eq!(pair(|t| if t > 0.0 { 1.0 } else { 0.0 }), None);
    }
}

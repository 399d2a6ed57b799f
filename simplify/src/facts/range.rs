//! Bounds and properties of real numbers, and arithmetic on them.

/// Relative error that elementary functions may have at most, generously.
pub(super) const SLACK: f64 = 1e-13;

/// Bounds that guards ask for, so that widened ones stop there.
const STEPS: [f64; 19] = [
    f64::NEG_INFINITY,
    -f64::MAX,
    -8.9e307,
    -3.2e150,
    -(f32::MAX as f64),
    -1.7e38,
    -1000.0,
    -3.0,
    -1.0,
    0.0,
    1.0,
    3.0,
    1000.0,
    1.7e38,
    f32::MAX as f64,
    3.2e150,
    8.9e307,
    f64::MAX,
    f64::INFINITY,
];

/// What is known of a real number, or of a part of a complex one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// Smallest value, maybe −∞.
    pub lo: f64,
    /// Largest value, maybe ∞.
    pub hi: f64,
    /// Whether it may be NaN.
    pub nan: bool,
    /// Whether it may be 0, if that is between the bounds.
    pub zero: bool,
    /// Whether it may be −0.
    pub minus_zero: bool,
    /// Whether it is an integer or infinite.
    pub integer: bool,
}

impl Range {
    /// Nothing is known.
    pub const ANY: Range = Range {
        lo: f64::NEG_INFINITY,
        hi: f64::INFINITY,
        nan: true,
        zero: true,
        minus_zero: true,
        integer: false,
    };
    /// Exactly +0.
    pub(super) const ZERO: Range =
        Range { lo: 0.0, hi: 0.0, nan: false, zero: true, minus_zero: false, integer: true };

    /// A number between these bounds, if it is one.
    pub(super) fn between(lo: f64, hi: f64, nan: bool) -> Range {
        let zero = lo <= 0.0 && hi >= 0.0;
        Range { lo, hi, nan, zero, minus_zero: zero, integer: false }
    }

    pub(super) fn exactly(x: f64) -> Range {
        if x.is_nan() {
            // No number at all.
            return Range { lo: f64::NEG_INFINITY, hi: f64::INFINITY, ..Range::ANY };
        }
        let zero = x == 0.0;
        let minus_zero = zero && x.is_sign_negative();
        Range { lo: x, hi: x, nan: false, zero, minus_zero, integer: x.fract() == 0.0 || x.is_infinite() }
    }

    /// Whether a number is as described.
    pub fn contains(&self, x: f64) -> bool {
        if x.is_nan() {
            return self.nan;
        }
        let zero = x != 0.0 || (self.zero && (self.minus_zero || x.is_sign_positive()));
        zero && self.lo <= x && x <= self.hi && (!self.integer || x.is_infinite() || x.fract() == 0.0)
    }

    /// Neither infinite nor NaN.
    pub fn finite(&self) -> bool {
        !self.nan && self.bounded()
    }

    /// Not infinite.
    pub(super) fn bounded(&self) -> bool {
        self.lo > f64::NEG_INFINITY && self.hi < f64::INFINITY
    }

    /// Not 0 (NaN is not).
    pub fn nonzero(&self) -> bool {
        !self.may_be_zero()
    }

    pub(super) fn may_be_zero(&self) -> bool {
        self.zero && self.lo <= 0.0 && self.hi >= 0.0
    }

    pub(super) fn may_be_minus_zero(&self) -> bool {
        self.minus_zero && self.may_be_zero()
    }

    /// ≥ 0 or NaN.
    pub fn nonnegative(&self) -> bool {
        self.lo >= 0.0
    }

    /// Never −0.
    pub fn not_minus_zero(&self) -> bool {
        !self.may_be_minus_zero()
    }

    /// The bound of |x|; NaN left out.
    pub fn magnitude(&self) -> f64 {
        self.lo.abs().max(self.hi.abs())
    }

    /// |x| is at least this; NaN left out.
    pub fn at_least(&self) -> f64 {
        if self.lo > 0.0 {
            self.lo
        } else if self.hi < 0.0 {
            -self.hi
        } else {
            0.0
        }
    }

    /// The sign bit is known to be clear (NaN left out).
    pub(super) fn plus(&self) -> bool {
        self.nonnegative() && self.not_minus_zero()
    }

    /// What holds of both.
    pub(super) fn join(&self, o: &Range) -> Range {
        Range {
            lo: self.lo.min(o.lo),
            hi: self.hi.max(o.hi),
            nan: self.nan || o.nan,
            zero: self.may_be_zero() || o.may_be_zero(),
            minus_zero: self.may_be_minus_zero() || o.may_be_minus_zero(),
            integer: self.integer && o.integer,
        }
    }

    /// [`Range::join`], bounds that move being moved on to one of [`STEPS`]: so that facts which depend on each other settle.
    pub(super) fn widen(&self, o: &Range) -> Range {
        let lo = |x: f64| STEPS.iter().rev().copied().find(|s| *s <= x).unwrap_or(f64::NEG_INFINITY);
        let hi = |x: f64| STEPS.iter().copied().find(|s| *s >= x).unwrap_or(f64::INFINITY);
        Range {
            lo: if o.lo < self.lo { lo(o.lo) } else { self.lo },
            hi: if o.hi > self.hi { hi(o.hi) } else { self.hi },
            ..self.join(o)
        }
    }

    /// Whether what decides about domains and guards is known of the other, too, if it is of this one.
    pub(super) fn implied_by(&self, o: &Range) -> bool {
        (self.nan || !o.nan)
            && (!self.bounded() || o.bounded())
            && (self.may_be_zero() || !o.may_be_zero())
            && (self.may_be_minus_zero() || !o.may_be_minus_zero())
            && (!self.nonnegative() || o.nonnegative())
            && (self.hi > 0.0 || o.hi <= 0.0)
            && (self.lo < -1.0 || o.lo >= -1.0)
            && (self.lo < 1.0 || o.lo >= 1.0)
            && (self.hi > 1.0 || o.hi <= 1.0)
    }

    /// Both bounds moved outwards by the error of a function; signs stay.
    pub(super) fn widened(self) -> Range {
        let out = |x: f64, up: f64| if x == 0.0 || x.is_infinite() { x } else { x + up * SLACK * x.abs() };
        Range { lo: out(self.lo, -1.0), hi: out(self.hi, 1.0), ..self }
    }

    /// Of a result in single precision: bounds rounded outwards.
    pub(super) fn single(self) -> Range {
        let (lo, hi) = (self.lo as f32, self.hi as f32);
        let underflows = self.at_least() < f32::MIN_POSITIVE as f64;
        Range {
            lo: (if lo as f64 > self.lo { lo.next_down() } else { lo }) as f64,
            hi: (if (hi as f64) < self.hi { hi.next_up() } else { hi }) as f64,
            zero: self.zero || underflows,
            minus_zero: self.minus_zero || (underflows && !self.plus()),
            ..self
        }
    }

    pub(super) fn neg(self) -> Range {
        // +0 becomes −0.
        Range { lo: -self.hi, hi: -self.lo, minus_zero: self.may_be_zero(), ..self }
    }

    pub(super) fn add(self, o: Range) -> Range {
        let opposite = |a: &Range, b: &Range| a.hi == f64::INFINITY && b.lo == f64::NEG_INFINITY;
        let nan = self.nan || o.nan || opposite(&self, &o) || opposite(&o, &self);
        // ∞ − ∞ as a bound stands for no number.
        let bound = |x: f64, or: f64| if x.is_nan() { or } else { x };
        let mut sum = Range::between(
            bound(self.lo + o.lo, f64::NEG_INFINITY),
            bound(self.hi + o.hi, f64::INFINITY),
            nan,
        );
        sum.minus_zero = self.may_be_minus_zero() && o.may_be_minus_zero();
        // 0 only as 0 + 0 if neither has the other sign.
        if (self.lo >= 0.0 && o.lo >= 0.0) || (self.hi <= 0.0 && o.hi <= 0.0) {
            sum.zero = self.may_be_zero() && o.may_be_zero();
        }
        sum.integer = self.integer && o.integer;
        sum
    }

    pub(super) fn mul(self, o: Range) -> Range {
        let infinite = |a: &Range| !a.bounded();
        let nan =
            self.nan || o.nan || (infinite(&self) && o.may_be_zero()) || (infinite(&o) && self.may_be_zero());
        let product = |a: f64, b: f64| if a == 0.0 || b == 0.0 { 0.0 } else { a * b };
        let ends =
            [product(self.lo, o.lo), product(self.lo, o.hi), product(self.hi, o.lo), product(self.hi, o.hi)];
        let (lo, hi) =
            ends.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), e| (l.min(*e), h.max(*e)));
        let zero = self.may_be_zero() || o.may_be_zero() || self.at_least() * o.at_least() == 0.0;
        let minus_zero = zero && !(self.plus() && o.plus());
        Range { lo, hi, nan, zero, minus_zero, integer: self.integer && o.integer }
    }

    pub(super) fn recip(self) -> Range {
        let zero = !self.bounded() || self.magnitude() > 4e307;
        let minus_zero = zero && !self.plus();
        let (lo, hi) = match self {
            r if r.lo > 0.0 || (r.plus() && r.lo == 0.0) => (1.0 / r.hi, 1.0 / r.lo.abs()),
            r if r.hi < 0.0 => (1.0 / r.hi, 1.0 / r.lo),
            _ => (f64::NEG_INFINITY, f64::INFINITY),
        };
        Range { lo, hi, nan: self.nan, zero, minus_zero, integer: false }
    }

    pub(super) fn div(self, o: Range) -> Range {
        let nan =
            self.nan || o.nan || (self.may_be_zero() && o.may_be_zero()) || (!self.bounded() && !o.bounded());
        // Underflow to 0.
        let zero = self.may_be_zero()
            || self.at_least() / o.magnitude() == 0.0
            || self.at_least() == 0.0
            || !o.bounded();
        let minus_zero = zero && !(self.plus() && o.plus());
        let quotient = |a: f64, b: f64| if a == 0.0 || b.is_infinite() { 0.0 } else { a / b };
        let (lo, hi) = if o.at_least() > 0.0 {
            let ends = [
                quotient(self.lo, o.lo),
                quotient(self.lo, o.hi),
                quotient(self.hi, o.lo),
                quotient(self.hi, o.hi),
            ];
            ends.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), e| (l.min(*e), h.max(*e)))
        } else if self.nonnegative() && o.plus() {
            (0.0, f64::INFINITY)
        } else {
            (f64::NEG_INFINITY, f64::INFINITY)
        };
        Range { lo, hi, nan, zero, minus_zero, integer: false }
    }

    pub(super) fn square(self) -> Range {
        let (least, most) = (self.at_least(), self.magnitude());
        let zero = self.may_be_zero() || least * least == 0.0;
        Range {
            lo: least * least,
            hi: most * most,
            nan: self.nan,
            zero,
            minus_zero: false,
            integer: self.integer,
        }
    }

    pub(super) fn abs(self) -> Range {
        Range { lo: self.at_least(), hi: self.magnitude(), minus_zero: false, ..self }
    }

    pub(super) fn sqrt(self) -> Range {
        let nan = self.nan || self.lo < 0.0;
        Range { lo: self.lo.max(0.0).sqrt(), hi: self.hi.max(0.0).sqrt(), nan, integer: false, ..self }
    }

    /// An increasing function that is total.
    pub(super) fn increasing(self, f: impl Fn(f64) -> f64, from: f64, to: f64) -> Range {
        let bounds = Range::between(f(self.lo), f(self.hi), self.nan).widened();
        let (lo, hi) = (bounds.lo.clamp(from, to), bounds.hi.clamp(from, to));
        let zero = lo <= 0.0 && hi >= 0.0;
        Range { lo, hi, zero, minus_zero: zero, ..bounds }
    }

    /// An increasing function that is odd, has one zero, and does not underflow elsewhere.
    pub(super) fn odd(self, f: impl Fn(f64) -> f64, from: f64, to: f64) -> Range {
        let range = self.increasing(f, from, to);
        Range { zero: self.may_be_zero(), minus_zero: self.may_be_minus_zero(), ..range }
    }

    pub(super) fn logarithm(self, log: impl Fn(f64) -> f64, from: f64) -> Range {
        let below = self.lo < from;
        let inside = Range { lo: self.lo.max(from), hi: self.hi.max(from), ..self };
        let range = inside.increasing(log, f64::NEG_INFINITY, f64::INFINITY);
        Range { nan: self.nan || below, ..range }
    }

    /// Between −1 and 1 for finite operands, NaN for infinite ones.
    pub(super) fn wave(self) -> Range {
        Range::between(-1.0 - SLACK, 1.0 + SLACK, self.nan || !self.bounded())
    }

    pub(super) fn rounded(self, f: impl Fn(f64) -> f64) -> Range {
        Range { integer: true, ..Range::between(f(self.lo), f(self.hi), self.nan) }
    }
}

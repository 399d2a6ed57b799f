//! What is known of a number: between which bounds it lies, whether it may be NaN, infinite, zero or −0, whether it is an
//! integer. Facts are proofs: of what is not known, everything is possible.
//!
//! They come from literals, from what ops can give ([`Facts::of`]), from declared domains, from conditions that hold here
//! ([`Facts::where_compared`]), and from the bounds of loops. Bounds are of the value as computed, in its precision: rounding is
//! monotone, so `+ − × ÷ √` of bounds are bounds; bounds of other functions are widened by [`SLACK`].

use adc_ir::{Const, Op, ParamDomain, Scalar};

/// Relative error that elementary functions may have at most, generously.
const SLACK: f64 = 1e-13;

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
    const ZERO: Range = Range { lo: 0.0, hi: 0.0, nan: false, zero: true, minus_zero: false, integer: true };

    /// A number between these bounds, if it is one.
    fn between(lo: f64, hi: f64, nan: bool) -> Range {
        let zero = lo <= 0.0 && hi >= 0.0;
        Range { lo, hi, nan, zero, minus_zero: zero, integer: false }
    }

    fn exactly(x: f64) -> Range {
        if x.is_nan() {
            // No number at all.
            return Range { lo: f64::NEG_INFINITY, hi: f64::INFINITY, ..Range::ANY };
        }
        let zero = x == 0.0;
        let minus_zero = zero && x.is_sign_negative();
        Range { lo: x, hi: x, nan: false, zero, minus_zero, integer: x.fract() == 0.0 || x.is_infinite() }
    }

    /// Neither infinite nor NaN.
    pub fn finite(&self) -> bool {
        !self.nan && self.bounded()
    }

    /// Not infinite.
    fn bounded(&self) -> bool {
        self.lo > f64::NEG_INFINITY && self.hi < f64::INFINITY
    }

    /// Not 0 (NaN is not).
    pub fn nonzero(&self) -> bool {
        !self.may_be_zero()
    }

    fn may_be_zero(&self) -> bool {
        self.zero && self.lo <= 0.0 && self.hi >= 0.0
    }

    fn may_be_minus_zero(&self) -> bool {
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
    fn plus(&self) -> bool {
        self.nonnegative() && self.not_minus_zero()
    }

    /// What holds of both.
    fn join(&self, o: &Range) -> Range {
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
    fn widen(&self, o: &Range) -> Range {
        let lo = |x: f64| STEPS.iter().rev().copied().find(|s| *s <= x).unwrap_or(f64::NEG_INFINITY);
        let hi = |x: f64| STEPS.iter().copied().find(|s| *s >= x).unwrap_or(f64::INFINITY);
        Range {
            lo: if o.lo < self.lo { lo(o.lo) } else { self.lo },
            hi: if o.hi > self.hi { hi(o.hi) } else { self.hi },
            ..self.join(o)
        }
    }

    /// Whether what decides about domains and guards is known of the other, too, if it is of this one.
    fn implied_by(&self, o: &Range) -> bool {
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
    fn widened(self) -> Range {
        let out = |x: f64, up: f64| if x == 0.0 || x.is_infinite() { x } else { x + up * SLACK * x.abs() };
        Range { lo: out(self.lo, -1.0), hi: out(self.hi, 1.0), ..self }
    }

    /// Of a result in single precision: bounds rounded outwards.
    fn single(self) -> Range {
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

    fn neg(self) -> Range {
        // +0 becomes −0.
        Range { lo: -self.hi, hi: -self.lo, minus_zero: self.may_be_zero(), ..self }
    }

    fn add(self, o: Range) -> Range {
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

    fn mul(self, o: Range) -> Range {
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

    fn recip(self) -> Range {
        let zero = !self.bounded() || self.magnitude() > 4e307;
        let minus_zero = zero && !self.plus();
        let (lo, hi) = match self {
            r if r.lo > 0.0 || (r.plus() && r.lo == 0.0) => (1.0 / r.hi, 1.0 / r.lo.abs()),
            r if r.hi < 0.0 => (1.0 / r.hi, 1.0 / r.lo),
            _ => (f64::NEG_INFINITY, f64::INFINITY),
        };
        Range { lo, hi, nan: self.nan, zero, minus_zero, integer: false }
    }

    fn div(self, o: Range) -> Range {
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

    fn square(self) -> Range {
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

    fn abs(self) -> Range {
        Range { lo: self.at_least(), hi: self.magnitude(), minus_zero: false, ..self }
    }

    fn sqrt(self) -> Range {
        let nan = self.nan || self.lo < 0.0;
        Range { lo: self.lo.max(0.0).sqrt(), hi: self.hi.max(0.0).sqrt(), nan, integer: false, ..self }
    }

    /// An increasing function that is total.
    fn increasing(self, f: impl Fn(f64) -> f64, from: f64, to: f64) -> Range {
        let bounds = Range::between(f(self.lo), f(self.hi), self.nan).widened();
        let (lo, hi) = (bounds.lo.clamp(from, to), bounds.hi.clamp(from, to));
        let zero = lo <= 0.0 && hi >= 0.0;
        Range { lo, hi, zero, minus_zero: zero, ..bounds }
    }

    /// An increasing function that is odd, has one zero, and does not underflow elsewhere.
    fn odd(self, f: impl Fn(f64) -> f64, from: f64, to: f64) -> Range {
        let range = self.increasing(f, from, to);
        Range { zero: self.may_be_zero(), minus_zero: self.may_be_minus_zero(), ..range }
    }

    fn logarithm(self, log: impl Fn(f64) -> f64, from: f64) -> Range {
        let below = self.lo < from;
        let inside = Range { lo: self.lo.max(from), hi: self.hi.max(from), ..self };
        let range = inside.increasing(log, f64::NEG_INFINITY, f64::INFINITY);
        Range { nan: self.nan || below, ..range }
    }

    /// Between −1 and 1 for finite operands, NaN for infinite ones.
    fn wave(self) -> Range {
        Range::between(-1.0 - SLACK, 1.0 + SLACK, self.nan || !self.bounded())
    }

    fn rounded(self, f: impl Fn(f64) -> f64) -> Range {
        Range { integer: true, ..Range::between(f(self.lo), f(self.hi), self.nan) }
    }
}

/// What is known of a value: of a real or integer one in the first part, of a complex one in both. Of booleans nothing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Facts {
    /// The number or its real part.
    pub re: Range,
    /// The imaginary part; +0 of what is real.
    pub im: Range,
}

impl Facts {
    /// Nothing is known of a value of this type but the type.
    pub fn any(ty: Scalar) -> Facts {
        match ty {
            Scalar::Bool => Facts::real(Range::ANY),
            Scalar::I64 => Facts::real(Range {
                nan: false,
                minus_zero: false,
                integer: true,
                ..Range::between(-9.3e18, 9.3e18, false)
            }),
            Scalar::F32 | Scalar::F64 => Facts::real(Range::ANY),
            Scalar::C64 | Scalar::C128 => Facts { re: Range::ANY, im: Range::ANY },
        }
    }

    /// A real number.
    pub fn real(re: Range) -> Facts {
        Facts { re, im: Range::ZERO }
    }

    /// A literal.
    pub fn literal(c: Const) -> Facts {
        let z = c.to_c128();
        match c {
            Const::Bool(_) => Facts::any(Scalar::Bool),
            // Rounded to a double.
            Const::I64(n) if n.unsigned_abs() > 1 << 53 => Facts::any(Scalar::I64),
            Const::I64(_) | Const::F32(_) | Const::F64(_) | Const::C64(_) | Const::C128(_) => {
                Facts { re: Range::exactly(z.re), im: Range::exactly(z.im) }
            }
        }
    }

    /// An integer between these bounds.
    pub fn integer(lo: i64, hi: i64) -> Facts {
        // Large ones are rounded, outwards or not.
        let out = |n: i64, up: f64| n as f64 + if n.unsigned_abs() > 1 << 53 { up * 4096.0 } else { 0.0 };
        let range = Range::between(out(lo, -1.0), out(hi, 1.0), false);
        Facts::real(Range { minus_zero: false, integer: true, ..range })
    }

    /// A parameter with a declared domain.
    pub fn declared(domain: ParamDomain, ty: Scalar) -> Facts {
        match domain {
            ParamDomain::Interval { lo, hi, lo_closed, hi_closed } => {
                let mut range = Range::between(lo, hi, false);
                let open_at_0 = (lo == 0.0 && !lo_closed) || (hi == 0.0 && !hi_closed);
                range.zero &= !open_at_0;
                range.integer = ty == Scalar::I64;
                range.minus_zero &= ty != Scalar::I64;
                // An open end at infinity leaves it out.
                let most = if ty.is_single() { f32::MAX as f64 } else { f64::MAX };
                if hi == f64::INFINITY && !hi_closed {
                    range.hi = most;
                }
                if lo == f64::NEG_INFINITY && !lo_closed {
                    range.lo = -most;
                }
                Facts::real(range)
            }
            ParamDomain::Annulus { r1, .. } => {
                let part = Range::between(-r1, r1, false).widened();
                Facts { re: part, im: part }
            }
        }
    }

    /// What is known of a value that is one of the two.
    pub fn join(&self, o: &Facts) -> Facts {
        Facts { re: self.re.join(&o.re), im: self.im.join(&o.im) }
    }

    /// [`Facts::join`] of facts that may depend on each other: repeated, it comes to an end.
    pub fn widen(&self, o: &Facts) -> Facts {
        Facts { re: self.re.widen(&o.re), im: self.im.widen(&o.im) }
    }

    /// Whether what decides about domains and guards is known of the other value, too, if it is of this one.
    pub fn implied_by(&self, o: &Facts) -> bool {
        self.re.implied_by(&o.re) && self.im.implied_by(&o.im)
    }

    /// The value of a real or integer literal, if it is one and not 0.
    pub fn point(&self) -> Option<f64> {
        (self.re.lo == self.re.hi && !self.re.nan && self.re.lo != 0.0).then_some(self.re.lo)
    }

    /// What is known of a real number x of which `x < y`, `x ≤ y`, `x > y`, `x ≥ y` or `x = y` is known to be `truth`, besides
    /// what was known before. `op` is the comparison.
    pub fn where_compared(&self, op: Op, y: &Facts, truth: bool) -> Facts {
        let mut x = self.re;
        let y = y.re;
        let holds = match op {
            _ if truth => op,
            // Of what compares false with something that may be NaN nothing follows. An x that may be NaN has bounds
            // nevertheless: NaN is left out of them.
            _ if y.nan => return *self,
            Op::Lt => Op::Ge,
            Op::Le => Op::Gt,
            Op::Gt => Op::Le,
            Op::Ge => Op::Lt,
            _ => return *self,
        };
        match holds {
            Op::Lt | Op::Le => {
                x.hi = x.hi.min(y.hi);
                if holds == Op::Lt && y.hi <= 0.0 {
                    x.zero = false;
                }
                if holds == Op::Lt && x.hi == f64::INFINITY {
                    x.hi = f64::MAX;
                }
            }
            Op::Gt | Op::Ge => {
                x.lo = x.lo.max(y.lo);
                if holds == Op::Gt && y.lo >= 0.0 {
                    x.zero = false;
                }
                if holds == Op::Gt && x.lo == f64::NEG_INFINITY {
                    x.lo = -f64::MAX;
                }
            }
            Op::Eq => {
                (x.lo, x.hi) = (x.lo.max(y.lo), x.hi.min(y.hi));
                x.zero &= y.may_be_zero();
            }
            _ => return *self,
        }
        x.nan &= !truth;
        // No run comes by.
        if x.lo > x.hi { *self } else { Facts { re: x, im: self.im } }
    }

    /// What is known of a number that is known to be finite.
    pub fn where_finite(&self, ty: Scalar) -> Facts {
        let most = if ty.is_single() { f32::MAX as f64 } else { f64::MAX };
        let part = |r: Range| Range { lo: r.lo.max(-most), hi: r.hi.min(most), nan: false, ..r };
        Facts { re: part(self.re), im: part(self.im) }
    }

    /// What is known of a real number that is known not to be 0.
    pub fn where_nonzero(&self) -> Facts {
        Facts { re: Range { zero: false, ..self.re }, im: self.im }
    }

    /// What an op gives, from what is known of its operands; `ty` is the type of the result.
    pub fn of(op: Op, args: &[Facts], ty: Scalar) -> Facts {
        if matches!(ty, Scalar::Bool) {
            return Facts::any(ty);
        }
        let out = transfer(op, args, ty);
        if ty.is_single() { Facts { re: out.re.single(), im: out.im.single() } } else { out }
    }
}

/// [`Facts::of`] before rounding to single precision.
#[rustfmt::skip]
fn transfer(op: Op, args: &[Facts], ty: Scalar) -> Facts {
    const PI: f64 = std::f64::consts::PI;
    let any = Facts::any(ty);
    let x = args[0].re;
    let y = args.get(1).map_or(x, |f| f.re);
    // Of complex results only what is componentwise.
    if ty.is_complex() {
        let (u, v) = (args[0], *args.get(1).unwrap_or(&args[0]));
        return match op {
            Op::Neg => Facts { re: u.re.neg(), im: u.im.neg() },
            Op::Conj => Facts { re: u.re, im: u.im.neg() },
            Op::Complex => Facts { re: x, im: y },
            // A real operand has the imaginary part +0, which may change the sign of a zero only.
            Op::Add => Facts { re: u.re.add(v.re), im: Range { minus_zero: true, ..u.im.add(v.im) } },
            Op::Sub => Facts { re: u.re.add(v.re.neg()), im: Range { minus_zero: true, ..u.im.add(v.im.neg()) } },
            Op::StopGradient | Op::ToC => u,
            Op::Select => v.join(&args[2]),
            Op::Cis => Facts { re: x.wave(), im: x.wave() },
            _ => any,
        };
    }
    let operand_is_complex = args[0].im != Range::ZERO;
    let range = match op {
        // Integers: within their bounds, or an error at run time.
        Op::Neg => x.neg(),
        Op::Add => x.add(y),
        Op::Sub => x.add(y.neg()),
        Op::Mul => x.mul(y),
        Op::Div => x.div(y),
        Op::Recip => x.recip(),
        Op::Square => x.square(),
        Op::Fma => x.mul(y).add(args[2].re),
        Op::Sqrt => x.sqrt(),
        Op::Exp => Range { zero: x.lo < -700.0, minus_zero: false, ..x.increasing(f64::exp, 0.0, f64::INFINITY) },
        Op::Exp2 => Range { zero: x.lo < -1000.0, minus_zero: false, ..x.increasing(f64::exp2, 0.0, f64::INFINITY) },
        Op::Expm1 => x.odd(f64::exp_m1, -1.0, f64::INFINITY),
        Op::Log => x.logarithm(f64::ln, 0.0),
        Op::Log2 => x.logarithm(f64::log2, 0.0),
        Op::Log10 => x.logarithm(f64::log10, 0.0),
        Op::Log1p => x.logarithm(f64::ln_1p, -1.0),
        Op::Cbrt => x.odd(f64::cbrt, f64::NEG_INFINITY, f64::INFINITY),
        Op::Sin | Op::Cos => x.wave(),
        Op::Asin | Op::Atan => Range::between(-PI / 2.0, PI / 2.0, x.nan || (op == Op::Asin && x.magnitude() > 1.0)).widened(),
        Op::Acos => Range::between(0.0, PI, x.nan || x.magnitude() > 1.0).widened(),
        Op::Sinh => x.odd(f64::sinh, f64::NEG_INFINITY, f64::INFINITY),
        Op::Cosh => Range { zero: false, ..Range::between(1.0 - SLACK, f64::INFINITY, x.nan) },
        Op::Tanh => x.odd(f64::tanh, -1.0 - SLACK, 1.0 + SLACK),
        Op::Asinh => x.odd(f64::asinh, f64::NEG_INFINITY, f64::INFINITY),
        Op::Acosh => Range::between(0.0, f64::INFINITY, x.nan || x.lo < 1.0),
        Op::Atanh => Range { nan: x.nan || x.magnitude() > 1.0, ..Range::ANY },
        Op::Sinc => Range::between(-0.3, 1.0 + SLACK, true),
        Op::Sigmoid => Range { zero: x.lo < -700.0, minus_zero: false, ..Range::between(0.0, 1.0 + SLACK, x.nan) },
        Op::Softplus => Range { zero: x.lo < -700.0, minus_zero: false, ..Range::between(0.0, f64::INFINITY, x.nan) },
        Op::LogSigmoid => Range { nan: x.nan, hi: 0.0, ..Range::ANY },
        Op::Erf => Range::between(-1.0 - SLACK, 1.0 + SLACK, x.nan),
        Op::Erfc => Range::between(0.0, 2.0 + SLACK, x.nan),
        Op::Sech2 => Range { minus_zero: false, ..Range::between(0.0, 1.0 + SLACK, x.nan) },
        Op::DSigmoid => Range { minus_zero: false, ..Range::between(0.0, 0.25 + SLACK, x.nan) },
        Op::Hypot => Range { minus_zero: false, zero: x.may_be_zero() && y.may_be_zero(), ..Range::between(0.0, f64::INFINITY, x.nan || y.nan) },
        Op::Atan2 => Range::between(-PI, PI, x.nan || y.nan).widened(),
        Op::Arg => Range::between(-PI, PI, true).widened(),
        Op::Copysign => { let m = x.magnitude(); Range { integer: x.integer, zero: x.may_be_zero(), ..Range::between(-m, m, x.nan) } }
        // The sign of zeros of different signs is the machine's.
        Op::Min => Range { lo: x.lo.min(y.lo), hi: x.hi.min(y.hi), ..x.join(&y) },
        Op::Max => Range { lo: x.lo.max(y.lo), hi: x.hi.max(y.hi), ..x.join(&y) },
        Op::Clamp => { let z = args[2].re; x.join(&y).join(&z) }
        Op::Floor => x.rounded(f64::floor),
        Op::Ceil => x.rounded(f64::ceil),
        Op::Round => x.rounded(f64::round_ties_even),
        Op::Trunc => x.rounded(f64::trunc),
        Op::Abs if operand_is_complex => Range { minus_zero: false, ..Range::between(0.0, f64::INFINITY, true) },
        Op::Abs => x.abs(),
        Op::Abs2 if operand_is_complex => x.square().add(args[0].im.square()),
        Op::Abs2 => x.square(),
        Op::Sign => Range { integer: true, zero: x.may_be_zero(), minus_zero: x.may_be_minus_zero(), ..Range::between(if x.lo < 0.0 { -1.0 } else { 0.0 }, if x.hi > 0.0 { 1.0 } else { 0.0 }, x.nan) },
        Op::Conj | Op::Re | Op::StopGradient => x,
        Op::Im => args[0].im,
        Op::ToF64 | Op::ToF32 => x,
        Op::ToI64 => Range { nan: false, minus_zero: false, ..x.rounded(f64::trunc) },
        Op::Select => return args[1].join(&args[2]),
        Op::Powi if ty == Scalar::I64 => any.re,
        Op::Powi if y.lo == y.hi && y.lo % 2.0 == 0.0 => Range { minus_zero: false, ..Range::between(0.0, f64::INFINITY, true) },
        Op::Powi | Op::Pow if x.plus() => Range { minus_zero: false, ..Range::between(0.0, f64::INFINITY, true) },
        Op::Powi | Op::Pow => Range::ANY,
        Op::Idiv | Op::Mod => any.re,
        Op::Tan | Op::Logaddexp | Op::Lgamma | Op::Digamma | Op::Polygamma | Op::DSinc => Range::ANY,
        Op::ToC | Op::Cis | Op::Complex => any.re,
        Op::IsNan | Op::IsFinite | Op::IsInf | Op::Lt | Op::Le | Op::Gt | Op::Ge | Op::Eq | Op::Ne | Op::And | Op::Or
        | Op::Not => any.re,
    };
    let mut range = range;
    if ty == Scalar::I64 {
        // Bounds of integers are doubles: those near 2⁶³ may be rounded.
        range = Range { nan: false, minus_zero: false, integer: true, ..range.widened() };
    }
    if range.lo.is_nan() || range.hi.is_nan() || range.lo > range.hi {
        return any;
    }
    Facts::real(range)
}

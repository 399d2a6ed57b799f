//! Functions of whole arrays: the functions of [`crate::dd`], of one number after the other. Of those that models have most, four to sixteen
//! numbers at once on machines that can, with the same bits; lanes that need another branch than most are computed by themselves.

use super::arith::Dd;

/// The names of the functions that compute several numbers at once, on machines that can.
pub const IN_LANES: &[&str] =
    &["exp", "expm1", "sin", "cos", "sinh", "cosh", "tanh", "sech2", "sigmoid", "dsigmoid", "log", "log1p"];

/// A function of many double-doubles: high and low halves, where to write those of the results, and the function of
/// one, which serves where the other does not. The machine has to have the instructions.
type Many = unsafe fn([&[f64]; 2], [&mut [f64]; 2], fn(Dd) -> Dd);

/// The function with this name, of several numbers at once, if there is one and the machine can.
pub(crate) fn many(name: &str) -> Option<Many> {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::is_x86_feature_detected;
        let has_512 = is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512dq");
        let has_256 = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
        if has_512 || has_256 {
            let [by_512, by_256] = registers::function(name)?;
            return Some(if has_512 { by_512 } else { by_256 });
        }
    }
    let _ = name;
    None
}

/// Writes what `f` gives for each number, whose halves are any doubles that stand for their sum; by `many` where that is there.
/// All slices have one length.
pub(crate) fn each(f: fn(Dd) -> Dd, many: Option<Many>, x: [&[f64]; 2], to: [&mut [f64]; 2]) {
    match many.filter(|_| x[0].len() > 1) {
        // SAFETY: the machine has the instructions, or there would be no function.
        Some(many) => unsafe { many(x, to, f) },
        None => {
            let [to_hi, to_lo] = to;
            for (((hi, lo), to_hi), to_lo) in x[0].iter().zip(x[1]).zip(to_hi).zip(to_lo) {
                Dd { hi: *to_hi, lo: *to_lo } = f(Dd::new(*hi, *lo));
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod registers {
    use super::super::circular::small_sin_cos;
    use super::super::exp_log::{
        COUNTS, LEAST, MODERATE, MOST, TINY, moderate_exp, moderate_expm1, moderate_log, moderate_log1p,
    };
    use super::super::hyperbolic::{ONE_SIDED, moderate_sinh_cosh, sech2_of, tanh_of};
    use super::super::logistic::{dsigmoid_of, sigmoid_of};
    use super::super::reduction::{NEAR, QUARTERS, turns, without};
    use super::super::wide::{One256, One512, Real, Two512, Whole, Wide};
    use super::{Dd, Many};
    use crate::dd::wide::LANES;

    /// Several numbers in registers.
    trait Block: Real {
        /// How many.
        const LEN: usize;
        /// The first numbers of a list, and zeros if there are not so many.
        ///
        /// # Safety
        /// The machine has the type's instructions.
        unsafe fn load(x: &[f64]) -> Self;
        /// As many as there is room for.
        fn store(self, to: &mut [f64]);
        /// A bit for each number.
        fn bits(m: Self::Mask) -> u32;
    }

    impl Block for One256 {
        const LEN: usize = LANES / 2;
        #[inline(always)]
        unsafe fn load(x: &[f64]) -> One256 {
            // SAFETY: the caller's promise.
            unsafe { One256::load(x) }
        }
        #[inline(always)]
        fn store(self, to: &mut [f64]) {
            self.store(to);
        }
        #[inline(always)]
        fn bits(m: Self::Mask) -> u32 {
            m.bits()
        }
    }

    impl Block for One512 {
        const LEN: usize = LANES;
        #[inline(always)]
        unsafe fn load(x: &[f64]) -> One512 {
            // SAFETY: the caller's promise.
            unsafe { One512::load_some(x) }
        }
        #[inline(always)]
        fn store(self, to: &mut [f64]) {
            self.store_some(to);
        }
        #[inline(always)]
        fn bits(m: u8) -> u32 {
            m.into()
        }
    }

    impl Block for Two512 {
        const LEN: usize = 2 * LANES;
        #[inline(always)]
        unsafe fn load(x: &[f64]) -> Two512 {
            let (first, second) = x.split_at(LANES.min(x.len()));
            // SAFETY: the caller's promise.
            unsafe { Two512([One512::load_some(first), One512::load_some(second)]) }
        }
        #[inline(always)]
        fn store(self, to: &mut [f64]) {
            let (first, second) = to.split_at_mut(LANES.min(to.len()));
            self.0[0].store_some(first);
            self.0[1].store_some(second);
        }
        #[inline(always)]
        fn bits(m: Self::Mask) -> u32 {
            u32::from(m.0[0]) | u32::from(m.0[1]) << LANES
        }
    }

    /// Results, and where they are those of the function.
    type Found<R> = (Dd<R>, <R as Real>::Mask);

    /// So far below 0, `1 + x` is no small number.
    const ROOM: f64 = 0.99;

    /// Lanes whose size is at least as much, and less than that.
    #[inline(always)]
    fn between<R: Real>(x: R, least: f64, most: f64) -> R::Mask {
        let size = x.magnitude();
        size.below(x.num(most)) & !size.below(x.num(least))
    }

    /// Smaller results may be ones of which errors of products underflow. The sign of such an error, if it is 0, is not the same everywhere:
    /// the compiler takes the error of a square to be +0 then.
    const SMALL: f64 = 1e-250;
    /// Up to this size of `x`, the square of `e^-|x|` is large enough, too.
    const SQUARES: f64 = 280.0;

    /// Where a result is that of the function: as asked for, and not where an operand is no finite double-double, or the result is
    /// small, infinite or NaN, because functions do something else there.
    #[inline(always)]
    fn served<R: Real>(x: Dd<R>, y: Dd<R>, asked: R::Mask) -> R::Mask {
        let (small, infinity) = (x.hi.num(SMALL), x.hi.num(f64::INFINITY));
        let normal = (x.hi + x.lo).same(x.hi) & x.hi.magnitude().below(infinity);
        let size = (y.hi + y.lo).magnitude();
        asked & normal & size.below(infinity) & small.below(size)
    }

    #[inline(always)]
    fn exponential<R: Real>(x: Dd<R>) -> Found<R> {
        (moderate_exp(-x.abs()), between(x.hi, 0.0, SQUARES))
    }

    /// Sine and cosine, or the other way round, with the lanes for which they are.
    #[inline(always)]
    fn sin_cos<R: Real>(x: Dd<R>, next: i32) -> Found<R> {
        let n = turns(x);
        let inside = !x.hi.num(std::f64::consts::FRAC_PI_4).below(x.hi.magnitude());
        let r = without(n, x);
        let far = x.hi.num(NEAR).below(r.hi.magnitude()) & n.magnitude().below(x.hi.num(QUARTERS));
        let r = Dd::pick(inside, x, r);
        let quarters = R::pick(inside, x.hi.num(0.0), n).whole();
        let (s, c) = small_sin_cos(r);
        let quarters = quarters + quarters.num(next);
        let y = Dd::pick(R::odd(quarters), c, s).flip(R::sign(quarters, 1));
        (y, !x.hi.magnitude().below(x.hi.num(TINY)) & (inside | far))
    }

    macro_rules! functions {
        ($($name:ident($x:ident) = $body:expr;)*) => {
            $(mod $name {
                use super::*;

                /// The numbers from `at` on that a block holds.
                ///
                /// # Safety
                /// As of [`Block::load`].
                #[inline(always)]
                unsafe fn some<R: Block>(
                    at: usize,
                    [hi, lo]: [&[f64]; 2],
                    [to_hi, to_lo]: [&mut [f64]; 2],
                    f: fn(Dd) -> Dd,
                ) {
                    // SAFETY: the caller's promise.
                    let $x = unsafe { Dd { hi: R::load(&hi[at..]), lo: R::load(&lo[at..]) } };
                    let (y, asked): Found<R> = $body;
                    let served = R::bits(served($x, y, asked));
                    y.hi.store(&mut to_hi[at..]);
                    y.lo.store(&mut to_lo[at..]);
                    if served != (1 << R::LEN) - 1 {
                        for l in (at..hi.len().min(at + R::LEN)).filter(|l| served >> (l - at) & 1 == 0) {
                            Dd { hi: to_hi[l], lo: to_lo[l] } = f(Dd::new(hi[l], lo[l]));
                        }
                    }
                }

                /// All of them, by large blocks, and the last ones by a small one.
                ///
                /// # Safety
                /// As of [`Block::load`].
                #[inline(always)]
                unsafe fn all<L: Block, S: Block>(
                    [hi, lo]: [&[f64]; 2],
                    [to_hi, to_lo]: [&mut [f64]; 2],
                    f: fn(Dd) -> Dd,
                ) {
                    assert!(lo.len() == hi.len() && to_hi.len() == hi.len() && to_lo.len() == hi.len());
                    let mut at = 0;
                    while at < hi.len() {
                        let large = hi.len() - at > S::LEN;
                        // SAFETY: the caller's promise.
                        unsafe {
                            match large {
                                true => some::<L>(at, [hi, lo], [to_hi, to_lo], f),
                                false => some::<S>(at, [hi, lo], [to_hi, to_lo], f),
                            }
                        }
                        at += if large { L::LEN } else { S::LEN };
                    }
                }

                #[target_feature(enable = "avx512f,avx512dq")]
                pub fn by_512(x: [&[f64]; 2], to: [&mut [f64]; 2], f: fn(Dd) -> Dd) {
                    // SAFETY: this function is compiled for the instructions.
                    unsafe { all::<Two512, One512>(x, to, f) }
                }

                #[target_feature(enable = "avx2,fma")]
                pub fn by_256(x: [&[f64]; 2], to: [&mut [f64]; 2], f: fn(Dd) -> Dd) {
                    // SAFETY: as above.
                    unsafe { all::<One256, One256>(x, to, f) }
                }
            }
            )*

            /// The functions with this name, by registers of 512 and of 256 bits.
            pub fn function(name: &str) -> Option<[Many; 2]> {
                match name {
                    $(stringify!($name) => Some([$name::by_512, $name::by_256]),)*
                    _ => None,
                }
            }

            /// Their names.
            #[cfg(test)]
            pub const NAMES: &[&str] = &[$(stringify!($name)),*];
        };
    }

    functions! {
        exp(x) = (moderate_exp(x), between(x.hi, 0.0, MODERATE));
        expm1(x) = (moderate_expm1(x), between(x.hi, TINY, COUNTS));
        sin(x) = sin_cos(x, 0);
        cos(x) = sin_cos(x, 1);
        sinh(x) = (moderate_sinh_cosh(x).0, between(x.hi, TINY, ONE_SIDED));
        cosh(x) = (moderate_sinh_cosh(x).1, between(x.hi, TINY, ONE_SIDED));
        tanh(x) = (tanh_of(x, moderate_expm1(-x.abs().twice())), between(x.hi, TINY, COUNTS / 2.0));
        sech2(x) = {
            let (e, asked) = exponential(x);
            (sech2_of(e), asked)
        };
        sigmoid(x) = {
            let (e, asked) = exponential(x);
            (sigmoid_of(x, e), asked)
        };
        dsigmoid(x) = {
            let (e, asked) = exponential(x);
            (dsigmoid_of(e), asked)
        };
        log(x) = (moderate_log(x), x.hi.num(0.0).below(x.hi) & between(x.hi, LEAST, MOST));
        log1p(x) = (moderate_log1p(x), x.hi.num(-ROOM).below(x.hi) & between(x.hi, TINY, MOST));
    }
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;
    use crate::dd;

    fn scalar(name: &str) -> fn(Dd) -> Dd {
        match name {
            "exp" => dd::exp,
            "expm1" => dd::expm1,
            "sin" => dd::sin,
            "cos" => dd::cos,
            "sinh" => dd::sinh,
            "cosh" => dd::cosh,
            "tanh" => dd::tanh,
            "sech2" => dd::sech2,
            "sigmoid" => dd::sigmoid,
            "dsigmoid" => dd::dsigmoid,
            "log" => dd::log,
            "log1p" => dd::log1p,
            _ => panic!("no test of {name}"),
        }
    }

    /// Special, boundary and random numbers, also two doubles that are no double-double.
    fn points() -> Vec<[f64; 2]> {
        let special = [0.0, f64::INFINITY, f64::NAN, f64::MAX, 1e-310, 5e-324, 1e-290, 1e-33, 1e-35, 1e300];
        let quarter = std::f64::consts::FRAC_PI_4;
        let bounds = [
            1e-34,
            0.5,
            40.0,
            50.0,
            100.0,
            700.0,
            745.2,
            709.8,
            10_000.0,
            1.0,
            2.0,
            quarter,
            2.0 * quarter,
            3.0 * quarter,
            4.0 * quarter,
            1_048_576.0 * quarter,
            2_097_152.0 * quarter,
            1e22,
        ];
        let mut all: Vec<[f64; 2]> = Vec::new();
        for x in special.into_iter().chain(bounds) {
            for x in [x, x.next_up(), x.next_down(), x * 0.999, x * 1.001] {
                let ulp = x * f64::EPSILON;
                all.extend([0.0, 0.4, -0.4, 0.5, 0.01, 30.0].map(|lo| [x, lo * ulp]));
            }
        }
        // Near multiples of the angles of the table, and of the steps of the powers.
        all.extend((1..2000).map(|i| [i as f64 / 256.0, 1e-19]));
        all.extend((1..2000).map(|i| [i as f64 * std::f64::consts::LN_2 / 64.0, -1e-19]));
        let mut state = 1u64;
        let mut random = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 11) as f64 / (1u64 << 53) as f64
        };
        for _ in 0..20_000 {
            let size = 2f64.powf(random() * 24.0 - 12.0);
            let x = size * (1.0 + random());
            all.push([x, x * f64::EPSILON * (random() - 0.5)]);
        }
        all.iter().flat_map(|[hi, lo]| [[*hi, *lo], [-hi, -lo]]).collect()
    }

    fn never(x: Dd) -> Dd {
        panic!("{x:?} is not served")
    }

    /// Also that ordinary numbers are served.
    #[test]
    fn several_at_once_have_the_bits_of_one() {
        let points = points();
        assert_eq!(registers::NAMES, IN_LANES);
        for name in registers::NAMES {
            let f = scalar(name);
            let Some(many) = many(name) else { return };
            // As they come, and mixed.
            for step in [1, 977] {
                let at = |i: usize| points[i * step % points.len()];
                let x = [0, 1].map(|k| (0..points.len()).map(|i| at(i)[k]).collect::<Vec<f64>>());
                let [mut hi, mut lo] = [(); 2].map(|()| vec![0.0; points.len()]);
                each(f, Some(many), [&x[0], &x[1]], [&mut hi, &mut lo]);
                for i in 0..points.len() {
                    let want = f(Dd::new(x[0][i], x[1][i]));
                    let bits = |x: f64| if x.is_nan() { f64::NAN.to_bits() } else { x.to_bits() };
                    let (got, want) = ([hi[i], lo[i]].map(bits), [want.hi, want.lo].map(bits));
                    assert_eq!(got, want, "{name} of {:?}", at(i));
                }
            }
            // Ordinary numbers are served without the function of one.
            let sign = if *name == "log" { 1.0 } else { -1.0 };
            let x = [0.3, 0.7, 1.1, 0.6 * sign, 2.0, 3.0, 5.0, 12.0, 0.9];
            let x = [x, x].concat();
            for n in 2..=x.len() {
                let [mut hi, mut lo] = [(); 2].map(|()| vec![0.0; n]);
                each(never, Some(many), [&x[..n], &vec![1e-20; n]], [&mut hi, &mut lo]);
                for i in 0..n {
                    let want = f(Dd::new(x[i], 1e-20));
                    assert_eq!([hi[i], lo[i]], [want.hi, want.lo], "{name} of {}", x[i]);
                }
            }
        }
    }
}

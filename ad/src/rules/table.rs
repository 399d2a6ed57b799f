//! The table itself. A new op is a new arm; its partials, one per operand, are functions of the operands
//! (`X`, or `A`, `B`, `C`) and the result `Y`.

use super::Partial::{Convert, D, Grad, Holo, Pair, Rank1, Zero};
use super::{Partial, Row, Shape, rows};
use crate::formula::Formula;
use crate::formula::notation::*;
use adc_ir::{Op, ops};
use std::f64::consts::{FRAC_2_SQRT_PI, LN_2, LN_10};

const ONE: Formula = num(1.0);

/// The derivatives of `op` for operands of that complexness.
pub(super) fn row(op: Op, shape: Shape) -> Row {
    let complex = shape.complex(0);
    // An op that is complex differentiable along operand `i`: the same formula for real and complex operands.
    let analytic = |i: usize, f: Formula| if shape.complex(i) { Holo(f) } else { D(f) };
    let partials: Vec<Partial> = match op {
        // Arithmetic.
        Op::Neg => vec![analytic(0, -ONE)],
        Op::Add => vec![analytic(0, ONE), analytic(1, ONE)],
        Op::Sub => vec![analytic(0, ONE), analytic(1, -ONE)],
        Op::Mul => vec![analytic(0, B), analytic(1, A)],
        Op::Div => vec![analytic(0, recip(B)), analytic(1, -(Y * recip(B)))],
        // The quotient floor(a/b) is recovered from the remainder, which is exact where a/b rounds up to an integer.
        Op::Mod => vec![D(rows::where_defined(Y)), D(-round((A - Y) / B))],
        Op::Powi => rows::powi(shape),
        Op::Pow => rows::pow(shape),
        Op::Recip => vec![analytic(0, -(Y * Y))],
        Op::Square => vec![analytic(0, 2.0 * X)],
        Op::Fma => vec![D(B), D(A), D(ONE)],

        // Exponentials and logarithms.
        Op::Exp => vec![analytic(0, Y)],
        Op::Expm1 => vec![analytic(0, exp(X))],
        Op::Exp2 => vec![analytic(0, LN_2 * Y)],
        Op::Log => vec![analytic(0, recip(X))],
        Op::Log2 => vec![analytic(0, (1.0 / LN_2) * recip(X))],
        Op::Log10 => vec![analytic(0, (1.0 / LN_10) * recip(X))],
        Op::Log1p => vec![analytic(0, recip(1.0 + X))],
        Op::Sqrt if complex => vec![Holo(recip(2.0 * Y))],
        // sqrt(-0) is -0, and adding 0 makes the derivative +inf there too.
        Op::Sqrt => vec![D(recip(2.0 * Y + 0.0))],
        Op::Cbrt => vec![D(recip(3.0 * square(Y)))],

        // Circular and hyperbolic functions.
        Op::Sin => vec![analytic(0, cos(X))],
        Op::Cos => vec![analytic(0, -sin(X))],
        // Far from the real axis tan z tends to ±i, and 1 + y² would cancel.
        Op::Tan if complex => vec![Holo(sech2(I * X))],
        Op::Tan => vec![D(1.0 + square(Y))],
        Op::Asin => vec![analytic(0, recip(rows::sqrt_1m(X, complex)))],
        Op::Acos => vec![analytic(0, -recip(rows::sqrt_1m(X, complex)))],
        Op::Atan if complex => vec![Holo(rows::square_of(recip(rows::sqrt_1m(I * X, true))))],
        Op::Atan => vec![D(recip(1.0 + square(X)))],
        Op::Sinh => vec![analytic(0, cosh(X))],
        Op::Cosh => vec![analytic(0, sinh(X))],
        // 1 - y² of a computed tanh loses every digit from x = 18 on.
        Op::Tanh => vec![analytic(0, sech2(X))],
        Op::Asinh if complex => vec![Holo(recip(rows::sqrt_1m(I * X, true)))],
        Op::Asinh => vec![D(recip(hypot(1.0, X)))],
        Op::Acosh if complex => vec![Holo(rows::acosh_complex())],
        Op::Acosh => vec![D(recip(sqrt(X - 1.0) * sqrt(X + 1.0)))],
        Op::Atanh if complex => vec![Holo(rows::square_of(recip(rows::sqrt_1m(X, true))))],
        Op::Atanh => vec![D(recip(rows::one_minus_square(X)))],
        Op::Sinc => vec![analytic(0, dsinc(int(1), X))],

        // Statistics and special functions.
        Op::Sigmoid => vec![analytic(0, dsigmoid(X))],
        Op::Softplus => vec![D(sigmoid(X))],
        Op::LogSigmoid => vec![D(sigmoid(-X))],
        Op::Logaddexp => vec![analytic(0, sigmoid(A - B)), analytic(1, sigmoid(B - A))],
        Op::Erf => vec![D(FRAC_2_SQRT_PI * exp(-square(X)))],
        Op::Erfc => vec![D(-FRAC_2_SQRT_PI * exp(-square(X)))],
        Op::Gamma => vec![D(Y * digamma(X))],
        Op::Lgamma => vec![D(digamma(X))],
        Op::Digamma => vec![D(polygamma(int(1), X))],
        Op::Polygamma => vec![Zero, D(polygamma(rows::after(A), B))],

        // By orders beside its own: J₀ − J₁/x, which is J₁′ too, has a derivative that cancels near 0.
        Op::J0 => vec![D(-j1(X))],
        Op::J1 => vec![D(0.5 * (j0(X) - jn(int(2), X)))],
        Op::Y0 => vec![D(-y1(X))],
        Op::Y1 => vec![D(0.5 * (y0(X) - yn(int(2), X)))],

        // Two real operands.
        Op::Hypot => rows::hypot_row(),
        Op::Atan2 => rows::atan2(),
        Op::Copysign => rows::copysign_row(),

        // Order.
        Op::Min => rows::min_max(gt),
        Op::Max => rows::min_max(lt),
        Op::Clamp => rows::clamp(),
        Op::Floor | Op::Ceil | Op::Round | Op::Trunc => vec![Zero],
        Op::Abs if complex => vec![Grad(sign(X))],
        Op::Abs => {
            let up = D(select(isnan(X), rows::NAN, ONE));
            vec![Partial::mask(eq(X, 0.0), Zero, Partial::mask(lt(X, 0.0), D(-ONE), up))]
        }
        Op::Sign if complex => rows::sign_complex(),
        Op::Sign => vec![Zero],

        // Complex numbers.
        Op::Abs2 if complex => vec![Grad(X * 2.0)],
        Op::Abs2 => vec![D(2.0 * X)],
        Op::Conj if complex => vec![Pair { w: num(0.0), cw: ONE }],
        Op::Conj => vec![D(ONE)],
        Op::Re if complex => vec![Grad(ONE)],
        Op::Re => vec![D(ONE)],
        Op::Im if complex => vec![Grad(I)],
        Op::Im => vec![Zero],
        Op::Arg if complex => rows::arg(),
        Op::Arg => vec![Zero],
        Op::Cis => vec![analytic(0, I * Y)],
        Op::Complex => vec![D(ONE), D(I)],

        // Tests and integers.
        ops!(Test) | ops!(Barrier) | Op::And | Op::Or | Op::Not | Op::Idiv | Op::ToI64 => {
            return Row::Discrete;
        }

        Op::Select => {
            vec![Zero, Partial::mask(A, analytic(1, ONE), Zero), Partial::mask(A, Zero, analytic(2, ONE))]
        }

        // Conversions.
        Op::ToF64 | Op::ToF32 | Op::ToC => vec![Convert],

        // Derivatives of derivatives.
        Op::Sech2 => vec![analytic(0, -2.0 * tanh(X) * Y)],
        // 1 - 2 sigmoid(x) cancels near 0.
        Op::DSigmoid => vec![analytic(0, -(tanh(0.5 * X) * Y))],
        Op::DSinc => vec![Zero, analytic(1, dsinc(rows::after(A), B))],
        Op::Jn => vec![Zero, D(rows::beside(jn, A, B))],
        Op::Yn => vec![Zero, D(rows::beside(yn, A, B))],
    };
    debug_assert!(partials.iter().all(|p| !matches!(p, Rank1 { .. }) || complex));
    Row::Partials(partials)
}

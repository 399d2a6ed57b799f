//! The table from ops to functions.

use crate::big::Big;
use crate::complex::{self, CBig};
use adc_ir::{Elementary, Op};

/// The elementary functions over [`Big`].
#[derive(Clone, Copy, Debug, Default)]
pub struct BigMath;

impl Elementary<Big> for BigMath {
    fn real(&self, op: Op, x: &[Big]) -> Big {
        let a = x[0];
        match op {
            Op::Pow => a.pow(x[1]),
            Op::Exp => a.exp(),
            Op::Expm1 => a.exp_m1(),
            Op::Exp2 => a.exp2(),
            Op::Log => a.ln(),
            Op::Log2 => a.log2(),
            Op::Log10 => a.log10(),
            Op::Log1p => a.ln_1p(),
            Op::Cbrt => a.cbrt(),
            Op::Sin => a.sin(),
            Op::Cos => a.cos(),
            Op::Tan => a.tan(),
            Op::Asin => a.asin(),
            Op::Acos => a.acos(),
            Op::Atan => a.atan(),
            Op::Sinh => a.sinh(),
            Op::Cosh => a.cosh(),
            Op::Tanh => a.tanh(),
            Op::Asinh => a.asinh(),
            Op::Acosh => a.acosh(),
            Op::Atanh => a.atanh(),
            Op::Sinc => a.sinc_derivative(0),
            Op::Sigmoid => a.sigmoid(),
            Op::Softplus => a.softplus(),
            Op::LogSigmoid => -(-a).softplus(),
            Op::Logaddexp => a.logaddexp(x[1]),
            Op::Erf => a.erf(),
            Op::Erfc => a.erfc(),
            Op::Gamma => a.gamma(),
            Op::Lgamma => a.lgamma(),
            Op::Digamma => a.digamma(),
            Op::J0 => a.jn(0),
            Op::J1 => a.jn(1),
            Op::Y0 => a.yn(0),
            Op::Y1 => a.yn(1),
            Op::Hypot => a.hypot(x[1]),
            Op::Atan2 => a.atan2(x[1]),
            Op::Sech2 => a.sech2(),
            Op::DSigmoid => a.dsigmoid(),
            Op::Mod => a.modulo(x[1]),
            Op::Arg => Big::ZERO.atan2(a),
            other => panic!("add `{other}` of reals here, if it is not the interpreter's own"),
        }
    }

    fn real_int(&self, op: Op, n: i64, x: &Big) -> Big {
        match op {
            Op::Powi => x.powi(n),
            Op::Polygamma => u64::try_from(n).map_or(Big::NAN, |n| x.polygamma(n)),
            Op::DSinc => u64::try_from(n).map_or(Big::NAN, |n| x.sinc_derivative(n)),
            Op::Jn => x.jn(n),
            Op::Yn => x.yn(n),
            other => panic!("add `{other}` of an integer and a real here"),
        }
    }

    fn complex(&self, op: Op, z: &[CBig]) -> CBig {
        let a = z[0];
        match op {
            Op::Div => a * complex::recip(z[1]),
            Op::Pow => complex::pow(a, z[1]),
            Op::Recip => complex::recip(a),
            Op::Exp => complex::exp(a),
            Op::Expm1 => complex::exp_m1(a),
            Op::Exp2 => complex::exp2(a),
            Op::Log => complex::log(a),
            Op::Log2 => complex::log2(a),
            Op::Log10 => complex::log10(a),
            Op::Log1p => complex::log_1p(a),
            Op::Sqrt => complex::sqrt(a),
            Op::Sin => complex::sin(a),
            Op::Cos => complex::cos(a),
            Op::Tan => complex::tan(a),
            Op::Asin => complex::asin(a),
            Op::Acos => complex::acos(a),
            Op::Atan => complex::atan(a),
            Op::Sinh => complex::sinh(a),
            Op::Cosh => complex::cosh(a),
            Op::Tanh => complex::tanh(a),
            Op::Asinh => complex::asinh(a),
            Op::Acosh => complex::acosh(a),
            Op::Atanh => complex::atanh(a),
            Op::Sinc => complex::sinc_derivative(a, 0),
            Op::Sigmoid => complex::sigmoid(a),
            Op::Logaddexp => complex::logaddexp(a, z[1]),
            Op::Sign => complex::sign(a),
            Op::Sech2 => complex::sech2(a),
            Op::DSigmoid => complex::dsigmoid(a),
            Op::Cis => complex::cis(a),
            other => panic!("add `{other}` of complex numbers here, if it is not the interpreter's own"),
        }
    }

    fn complex_int(&self, op: Op, n: i64, z: &CBig) -> CBig {
        match op {
            Op::Powi => complex::powi(*z, n),
            Op::DSinc => {
                u64::try_from(n).map_or(CBig::new(Big::NAN, Big::NAN), |n| complex::sinc_derivative(*z, n))
            }
            other => panic!("add `{other}` of an integer and a complex number here"),
        }
    }

    fn complex_to_real(&self, op: Op, z: &CBig) -> Big {
        match op {
            Op::Abs => complex::abs(*z),
            Op::Arg => complex::arg(*z),
            other => panic!("`{other}` is not a real function of a complex number"),
        }
    }
}

//! The functions as C functions, for compiled code to call by address, and the one list of them: a row that lacks the function in
//! [`crate::real`], [`crate::complex`] or their double-double forms in [`crate::dd`] does not compile.
//!
//! Real: `fn(f64, …) -> f64`, or `-> Pair` for functions that compute two at once. Complex: the parts of every operand, then where to write the two parts of the
//! result; complex to real returns the number. An integer operand comes first, whatever its place in the op.

pub mod dd;
pub mod quad;

use crate::real::Pair;

/// A function by its C signature.
#[derive(Clone, Copy, Debug)]
pub enum Native {
    /// `x -> y`
    R1(extern "C" fn(f64) -> f64),
    /// `a, b -> y`
    R2(extern "C" fn(f64, f64) -> f64),
    /// `x -> y, z`, two functions at once
    Both(extern "C" fn(f64) -> Pair),
    /// `n, x -> y`
    Int(extern "C" fn(i64, f64) -> f64),
    /// `re, im, out`
    C1(unsafe extern "C" fn(f64, f64, *mut f64)),
    /// `re, im, re, im, out`
    C2(unsafe extern "C" fn(f64, f64, f64, f64, *mut f64)),
    /// `n, re, im, out`
    IntC(unsafe extern "C" fn(i64, f64, f64, *mut f64)),
    /// `re, im -> y`
    ToReal(extern "C" fn(f64, f64) -> f64),
    /// `a, n, out`, returns 0 unless the power leaves `i64`.
    IntPower(unsafe extern "C" fn(i64, i64, *mut i64) -> i32),
}

/// A row of [`real::ROWS`] or [`complex::ROWS`].
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The op that it computes.
    pub name: &'static str,
    /// What generated code imports the function as.
    pub symbol: &'static str,
    /// The function.
    pub native: Native,
}

impl Row {
    /// The same function in its form for this machine's instructions, which computes the same to the bit without asking what the
    /// machine has.
    pub fn direct(self) -> Row {
        let Some(at) = self.symbol.strip_prefix("adc_").and_then(crate::real::direct) else {
            return self;
        };
        // SAFETY: the machine has the instructions that the function of this name was compiled for, and it has this signature: a call of
        // the function of the same name is what `native` is.
        let native = unsafe {
            match self.native {
                Native::R1(_) => Native::R1(std::mem::transmute::<*const (), extern "C" fn(f64) -> f64>(at)),
                Native::R2(_) => {
                    Native::R2(std::mem::transmute::<*const (), extern "C" fn(f64, f64) -> f64>(at))
                }
                Native::Both(_) => {
                    Native::Both(std::mem::transmute::<*const (), extern "C" fn(f64) -> Pair>(at))
                }
                other @ (Native::Int(_)
                | Native::C1(_)
                | Native::C2(_)
                | Native::IntC(_)
                | Native::ToReal(_)
                | Native::IntPower(_)) => other,
            }
        };
        Row { native, ..self }
    }
}

/// The list: `$make` gets the functions that have a double and a double-double form, by their operands.
macro_rules! functions {
    ($make:ident) => {
        $make! {
            // x
            [exp expm1 exp2 log log2 log10 log1p cbrt sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh sinc
             sigmoid softplus log_sigmoid erf erfc gamma lgamma digamma j0 j1 y0 y1 sech2 dsigmoid]
            // a, b
            [pow hypot atan2 logaddexp]
            // n, x
            [polygamma dsinc jn yn]
            // z
            [recip exp expm1 exp2 log log2 log10 log1p sqrt sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh sinc
             sigmoid sign sech2 dsigmoid]
            // z, w
            [div pow logaddexp]
            // n, z
            [dsinc]
            // z, to a real number
            [abs arg]
        }
    };
}
pub(crate) use functions;

/// C functions of real operands; the functions of [`crate::real`].
pub mod real {
    use super::{Native, Row};
    use crate::real::Pair;

    macro_rules! wrap {
        ($([$($symbol:tt)*] $name:ident($($x:ident: $t:ty),*) -> $result:ty = $call:expr;)*) => {
            $(#[doc = concat!("See [`crate::real::", stringify!($name), "`].")]
            #[cfg_attr(feature = "object", unsafe(export_name = concat!($($symbol)*)))]
            pub extern "C" fn $name($($x: $t),*) -> $result {
                $call
            })*
        };
    }
    macro_rules! real {
        ([$($one:ident)*] [$($two:ident)*] [$($int:ident)*] $($complex:tt)*) => {
            wrap! {
                $(["adc_", stringify!($one)] $one(x: f64) -> f64 = crate::real::$one(x);)*
                $(["adc_", stringify!($two)] $two(a: f64, b: f64) -> f64 = crate::real::$two(a, b);)*
                $(["adc_", stringify!($int)] $int(n: i64, x: f64) -> f64 = crate::real::$int(n, x);)*
            }

            /// Every one that an op of real operands calls.
            pub const ROWS: &[Row] = &[
                $(Row { name: stringify!($one), symbol: concat!("adc_", stringify!($one)), native: Native::R1($one) },)*
                $(Row { name: stringify!($two), symbol: concat!("adc_", stringify!($two)), native: Native::R2($two) },)*
                $(Row { name: stringify!($int), symbol: concat!("adc_", stringify!($int)), native: Native::Int($int) },)*
                // Their double-double forms are a few operations, or have other operands.
                Row { name: "mod", symbol: "adc_mod", native: Native::R2(floor_mod) },
                Row { name: "arg", symbol: "adc_arg", native: Native::R1(arg) },
                Row { name: "powi", symbol: "adc_powi", native: Native::Int(powi) },
            ];
        };
    }
    functions!(real);
    wrap! {
        ["adc_sincos"] sincos(x: f64) -> Pair = crate::real::sincos(x);
        ["adc_tanh_sech2"] tanh_sech2(x: f64) -> Pair = crate::real::tanh_sech2(x);
        ["adc_sigmoid_dsigmoid"] sigmoid_dsigmoid(x: f64) -> Pair = crate::real::sigmoid_dsigmoid(x);
        ["adc_mod"] floor_mod(a: f64, b: f64) -> f64 = crate::real::floor_mod(a, b);
        ["adc_arg"] arg(x: f64) -> f64 = crate::real::arg(x);
        ["adc_powi"] powi(n: i64, x: f64) -> f64 = crate::real::powi(x, n);
    }

    /// a·b + c rounded once, for machines without such an instruction.
    pub extern "C" fn fma(a: f64, b: f64, c: f64) -> f64 {
        a.mul_add(b, c)
    }

    /// The same in single precision.
    pub extern "C" fn fmaf(a: f32, b: f32, c: f32) -> f32 {
        a.mul_add(b, c)
    }
}

/// C functions of complex operands; the functions of [`crate::complex`].
pub mod complex {
    use super::{Native, Row};
    use num_complex::Complex64;

    macro_rules! wrap {
        ($([$($symbol:tt)*] $name:ident($($x:ident: $t:ty),*) = $call:expr;)*) => {
            $(#[doc = concat!("See [`crate::complex::", stringify!($name), "`].")]
            ///
            /// # Safety
            /// `out` must point to two writable, aligned doubles.
            #[cfg_attr(feature = "object", unsafe(export_name = concat!($($symbol)*)))]
            pub unsafe extern "C" fn $name($($x: $t,)* out: *mut f64) {
                // SAFETY: the caller's promise is `store`'s.
                unsafe { store(out, $call) }
            })*
        };
    }
    macro_rules! complex {
        ($real1:tt $real2:tt $real_int:tt [$($one:ident)*] [$($two:ident)*] [$($int:ident)*] [$($real:ident)*]) => {
            wrap! {
                $(["adc_c", stringify!($int)] $int(n: i64, re: f64, im: f64) = crate::complex::$int(n, Complex64::new(re, im));)*
                $(["adc_c", stringify!($one)] $one(re: f64, im: f64) = crate::complex::$one(Complex64::new(re, im));)*
                $(["adc_c", stringify!($two)] $two(a_re: f64, a_im: f64, b_re: f64, b_im: f64) =
                    crate::complex::$two(Complex64::new(a_re, a_im), Complex64::new(b_re, b_im));)*
            }
            $(#[doc = concat!("See [`crate::complex::", stringify!($real), "`].")]
            #[cfg_attr(feature = "object", unsafe(export_name = concat!("adc_c", stringify!($real))))]
            pub extern "C" fn $real(re: f64, im: f64) -> f64 {
                crate::complex::$real(Complex64::new(re, im))
            })*

            /// Every one that an op with a complex operand or result calls.
            pub const ROWS: &[Row] = &[
                $(Row { name: stringify!($one), symbol: concat!("adc_c", stringify!($one)), native: Native::C1($one) },)*
                $(Row { name: stringify!($two), symbol: concat!("adc_c", stringify!($two)), native: Native::C2($two) },)*
                $(Row { name: stringify!($int), symbol: concat!("adc_c", stringify!($int)), native: Native::IntC($int) },)*
                $(Row { name: stringify!($real), symbol: concat!("adc_c", stringify!($real)), native: Native::ToReal($real) },)*
                // Their double-double forms have other operands.
                Row { name: "cis", symbol: "adc_cis", native: Native::C1(cis) },
                Row { name: "powi", symbol: "adc_cpowi", native: Native::IntC(powi) },
            ];
        };
    }
    functions!(complex);
    wrap! {
        ["adc_cis"] cis(re: f64, im: f64) = crate::complex::cis(Complex64::new(re, im));
        ["adc_cpowi"] powi(n: i64, re: f64, im: f64) = crate::complex::powi(Complex64::new(re, im), n);
    }

    /// Writes both parts of `z`.
    ///
    /// # Safety
    /// `out` must point to two writable, aligned doubles.
    unsafe fn store(out: *mut f64, z: Complex64) {
        // SAFETY: by the caller's promise both places are writable and aligned.
        unsafe {
            out.write(z.re);
            out.add(1).write(z.im);
        }
    }
}

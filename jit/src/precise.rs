//! The native functions of double-doubles ([`adc_runtime::abi::dd`]), which a module may declare as `extern fn`s without
//! anybody registering them. Their names have a dot, so no model declares one.

use adc_runtime::abi::dd;

macro_rules! table {
    ($($name:ident)*) => {
        /// The address behind a symbol: `dd.` and the name of the function.
        pub(crate) fn address_of(symbol: &str) -> Option<*const u8> {
            match symbol.strip_prefix("dd.")? {
                $(stringify!($name) => Some(dd::$name as *const u8),)*
                _ => None,
            }
        }
    };
}

table! {
    exp expm1 exp2 log log2 log10 log1p cbrt sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh
    sinc dsinc erf erfc lgamma digamma polygamma sigmoid softplus log_sigmoid sech2 dsigmoid logaddexp hypot atan2 pow powi cis
    cexp cexpm1 clog clog2 clog10 clog1p csqrt csin ccos ctan casin cacos catan csinh ccosh ctanh casinh cacosh catanh
    csigmoid csech2 cdsigmoid crecip csign cdiv cpow cpowi cabs carg
    matmul solve inv cholesky det logdet cmatmul csolve cinv ccholesky cdet clogdet
}

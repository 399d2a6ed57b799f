//! Exponentials and logarithms: the C library's, through the standard library.

/// `e^x`
pub fn exp(x: f64) -> f64 {
    x.exp()
}

/// `e^x - 1`
pub fn expm1(x: f64) -> f64 {
    x.exp_m1()
}

/// `2^x`
pub fn exp2(x: f64) -> f64 {
    x.exp2()
}

/// `ln x`
pub fn log(x: f64) -> f64 {
    x.ln()
}

/// `ln x / ln 2`
pub fn log2(x: f64) -> f64 {
    x.log2()
}

/// `ln x / ln 10`
pub fn log10(x: f64) -> f64 {
    x.log10()
}

/// `ln(1 + x)`
pub fn log1p(x: f64) -> f64 {
    x.ln_1p()
}

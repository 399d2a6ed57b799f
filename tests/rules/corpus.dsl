// 108 functions whose derivatives a compiler for derivatives should have right. The declared domains are
// where the test takes its random points; `corpus.rs` adds special ones.

// real to real ----------------------------------------------------------------
fn f001_exp(x: f64 in [-3, 3]) -> f64 { exp(x) }
fn f002_expm1(x: f64 in [-3, 3]) -> f64 { expm1(x) }
fn f003_exp2(x: f64 in [-3, 3]) -> f64 { 2^x }
fn f004_log(x: f64 in (0, 5]) -> f64 { log(x) }
fn f005_log1p(x: f64 in (-1, 5]) -> f64 { log1p(x) }
fn f006_sqrt(x: f64 in (0, 5]) -> f64 { sqrt(x) }
fn f007_rsqrt(x: f64 in (0, 5]) -> f64 { 1/sqrt(x) }
fn f008_cbrt(x: f64 in [-3, 3]) -> f64 { cbrt(x) }
fn f009_recip(x: f64 in [-3, 3]) -> f64 { 1/x }
fn f010_sin(x: f64 in [-10, 10]) -> f64 { sin(x) }
fn f011_cos(x: f64 in [-10, 10]) -> f64 { cos(x) }
fn f012_tan(x: f64 in [-1.4, 1.4]) -> f64 { tan(x) }
fn f013_asin(x: f64 in (-1, 1)) -> f64 { asin(x) }
fn f014_acos(x: f64 in (-1, 1)) -> f64 { acos(x) }
fn f015_atan(x: f64 in [-10, 10]) -> f64 { atan(x) }
fn f016_sinh(x: f64 in [-5, 5]) -> f64 { sinh(x) }
fn f017_cosh(x: f64 in [-5, 5]) -> f64 { cosh(x) }
fn f018_tanh(x: f64 in [-5, 5]) -> f64 { tanh(x) }
fn f019_asinh(x: f64 in [-10, 10]) -> f64 { asinh(x) }
fn f020_acosh(x: f64 in (1, 6]) -> f64 { acosh(x) }
fn f021_atanh(x: f64 in (-1, 1)) -> f64 { atanh(x) }
fn f022_sigmoid(x: f64 in [-5, 5]) -> f64 { sigmoid(x) }
fn f023_softplus(x: f64 in [-5, 5]) -> f64 { softplus(x) }
fn f024_erf(x: f64 in [-3, 3]) -> f64 { erf(x) }
fn f025_gelu(x: f64 in [-3, 3]) -> f64 { 0.5*x*erfc(-x/sqrt(2)) }
fn f026_lgamma(x: f64 in (0, 6]) -> f64 { lgamma(x) }
// Near 0 the derivative of the quotient cancels, whatever the rules: `sinc` is for that.
fn f027_sin_over_x(x: f64 in [0.5, 10]) -> f64 { sin(x)/x }
fn f028_x_to_x(x: f64 in (0, 4]) -> f64 { x^x }
fn f029_power(x: f64 in (0, 5]) -> f64 { x^2.5 }
fn f030_abs(x: f64 in [-3, 3]) -> f64 { abs(x) }
fn f031_relu(x: f64 in [-3, 3]) -> f64 { if x > 0 { x } else { 0 } }
fn f032_log_cosh(x: f64 in [-5, 5]) -> f64 { log(cosh(x)) }

// several reals to one --------------------------------------------------------
fn f033_product(a: f64 in [-3, 3], b: f64 in [-3, 3]) -> f64 { a*b }
fn f034_quotient(a: f64 in [-3, 3], b: f64 in [-3, 3]) -> f64 { a/b }
fn f035_pow(a: f64 in (0, 5], b: f64 in [-3, 3]) -> f64 { a^b }
fn f036_hypot(a: f64 in [-3, 3], b: f64 in [-3, 3]) -> f64 { hypot(a, b) }
fn f037_atan2(a: f64 in [-3, 3], b: f64 in [-3, 3]) -> f64 { atan2(a, b) }
fn f038_logaddexp(a: f64 in [-5, 5], b: f64 in [-5, 5]) -> f64 { logaddexp(a, b) }
fn f039_max(a: f64 in [-3, 3], b: f64 in [-3, 3]) -> f64 { max(a, b) }
fn f040_norm(a: f64 in [-3, 3], b: f64 in [-3, 3], c: f64 in [-3, 3]) -> f64 {
    sqrt(a^2 + b^2 + c^2)
}
fn f041_logsumexp(a: f64 in [-3, 3], b: f64 in [-3, 3], c: f64 in [-3, 3]) -> f64 {
    logaddexp(logaddexp(a, b), c)
}
fn f042_rosenbrock(a: f64 in [-3, 3], b: f64 in [-3, 3]) -> f64 { (1 - a)^2 + 100*(b - a^2)^2 }
fn f043_product_of_three(a: f64 in [-3, 3], b: f64 in [-3, 3], c: f64 in [-3, 3]) -> f64 { a*b*c }
fn f044_det2(a: f64 in [-3, 3], b: f64 in [-3, 3], c: f64 in [-3, 3], d: f64 in [-3, 3]) -> f64 {
    a*d - b*c
}

// holomorphic -----------------------------------------------------------------
fn f045_exp(z: c128 in disk(3)) -> c128 { exp(z) }
fn f046_log(z: c128 in disk(3)) -> c128 { log(z) }
fn f047_log1p(z: c128 in disk(3)) -> c128 { log1p(z) }
fn f048_log10(z: c128 in disk(3)) -> c128 { log10(z) }
fn f049_sqrt(z: c128 in disk(3)) -> c128 { sqrt(z) }
fn f050_rsqrt(z: c128 in disk(3)) -> c128 { 1/sqrt(z) }
fn f051_recip(z: c128 in disk(3)) -> c128 { 1/z }
fn f052_square(z: c128 in disk(3)) -> c128 { z^2 }
fn f053_cube(z: c128 in disk(3)) -> c128 { z^3 }
fn f054_to_the_i(z: c128 in disk(3)) -> c128 { z^1i }
fn f055_power(z: c128 in disk(3)) -> c128 { z^2.5 }
fn f056_z_to_z(z: c128 in disk(3)) -> c128 { z^z }
fn f057_sin(z: c128 in disk(3)) -> c128 { sin(z) }
fn f058_cos(z: c128 in disk(3)) -> c128 { cos(z) }
fn f059_tan(z: c128 in disk(3)) -> c128 { tan(z) }
fn f060_sinh(z: c128 in disk(3)) -> c128 { sinh(z) }
fn f061_cosh(z: c128 in disk(3)) -> c128 { cosh(z) }
fn f062_tanh(z: c128 in disk(3)) -> c128 { tanh(z) }
fn f063_asin(z: c128 in disk(3)) -> c128 { asin(z) }
fn f064_acos(z: c128 in disk(3)) -> c128 { acos(z) }
fn f065_atan(z: c128 in disk(3)) -> c128 { atan(z) }
fn f066_asinh(z: c128 in disk(3)) -> c128 { asinh(z) }
fn f067_acosh(z: c128 in disk(3)) -> c128 { acosh(z) }
fn f068_atanh(z: c128 in disk(3)) -> c128 { atanh(z) }
fn f069_sigmoid(z: c128 in disk(3)) -> c128 { sigmoid(z) }
fn f070_moebius(z: c128 in disk(2)) -> c128 { (z - 1)/(z + 3) }

// complex to complex, not holomorphic -----------------------------------------
fn f071_conj(z: c128 in disk(3)) -> c128 { conj(z) }
fn f072_sign(z: c128 in disk(3)) -> c128 { sign(z) }
fn f073_z_zbar2(z: c128 in disk(3)) -> c128 { z*conj(z)^2 }
fn f074_abs_times(z: c128 in disk(3)) -> c128 { abs(z)*z }
fn f075_cardioid(z: c128 in disk(3)) -> c128 { 0.5*(1 + cos(arg(z)))*z }
fn f076_mod_relu(z: c128 in disk(3)) -> c128 {
    let s = abs(z);
    if s > 0.5 { (s - 0.5)*z/s } else { 0 }
}
fn f077_exp_conj(z: c128 in disk(3)) -> c128 { exp(conj(z)) }
fn f078_z_log_abs(z: c128 in disk(3)) -> c128 { z*log(abs(z)) }
fn f079_c_relu(z: c128 in disk(3)) -> c128 { c128(max(re(z), 0), max(im(z), 0)) }
fn f080_soft_sign(z: c128 in disk(3)) -> c128 { z/(1 + abs(z)) }

// complex to real -------------------------------------------------------------
fn f081_abs(z: c128 in disk(3)) -> f64 { abs(z) }
fn f082_abs2(z: c128 in disk(3)) -> f64 { abs2(z) }
fn f083_re(z: c128 in disk(3)) -> f64 { re(z) }
fn f084_im(z: c128 in disk(3)) -> f64 { im(z) }
fn f085_arg(z: c128 in disk(3)) -> f64 { arg(z) }
fn f086_log_abs(z: c128 in disk(3)) -> f64 { log(abs(z)) }
fn f087_re_exp(z: c128 in disk(3)) -> f64 { re(exp(z)) }
fn f088_im_log(z: c128 in disk(3)) -> f64 { im(log(z)) }
fn f089_abs4(z: c128 in disk(3)) -> f64 { abs(z)^4 }
fn f090_taxicab(z: c128 in disk(3)) -> f64 { abs(re(z)) + abs(im(z)) }
fn f091_abs_sin(z: c128 in disk(3)) -> f64 { abs(sin(z)) }
fn f092_log1p_abs2(z: c128 in disk(3)) -> f64 { log1p(abs2(z)) }

// real to complex -------------------------------------------------------------
fn f093_exp_ix(x: f64 in [-3, 3]) -> c128 { exp(1i*x) }
fn f094_chirp(x: f64 in [-2, 2]) -> c128 { x*exp(1i*x^2) }
fn f095_sqrt_minus(x: f64 in (0, 3]) -> c128 { sqrt(c128(-x)) }
fn f096_complex_power(x: f64 in (0, 3]) -> c128 { x^(1 + 2i) }
fn f097_curve(x: f64 in [-3, 3]) -> c128 { c128(sin(x), x^3) }
fn f098_pole(x: f64 in [-3, 3]) -> c128 { 1/(x + 1i) }

// two complex numbers ---------------------------------------------------------
fn f099_product(z: c128 in disk(3), w: c128 in disk(3)) -> c128 { z*w }
fn f100_quotient(z: c128 in disk(3), w: c128 in disk(3)) -> c128 { z/w }
fn f101_power(z: c128 in disk(3), w: c128 in disk(2)) -> c128 { z^w }
fn f102_conj_product(z: c128 in disk(3), w: c128 in disk(3)) -> c128 { conj(z)*w }
fn f103_distance2(z: c128 in disk(3), w: c128 in disk(3)) -> f64 { abs2(z - w) }
fn f104_mixture(z: c128 in disk(3), w: c128 in disk(3)) -> c128 { z*conj(w) + abs(z)*w }

// special functions, and complex ones of them ---------------------------------
fn f105_gamma(x: f64 in (0, 6]) -> f64 { gamma(x) }
fn f106_bessel(x: f64 in (0, 12]) -> f64 { j0(x)*y0(x) + j1(x)*y1(x) }
fn f107_logaddexp(z: c128 in disk(2), w: c128 in disk(2)) -> c128 { logaddexp(z, w) }
fn f108_waves(z: c128 in disk(2)) -> c128 { sinc(z)*exp2(z) }

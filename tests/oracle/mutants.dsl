// Rules with one mistake each. A check has to find each of them at every point drawn from the lines of its block, or from the
// declared domain; the ones that hide at some points are drawn where they do not.

// W and CW ----------------------------------------------------------------------
fn m01_conj_missing(z: c128 in disk(3)) -> f64 { abs2(z) }
rule partial m01_conj_missing(z) { dconj z: conj(z); }

fn m02_twice(z: c128 in disk(3)) -> f64 { abs(z) }
rule partial m02_twice(z) { dconj z: z/abs(z); }

fn m03_half(z: c128 in disk(3)) -> f64 { re(z) }
rule partial m03_half(z) { dconj z: 0.25; }

fn m04_sign_of_im(z: c128 in disk(3)) -> f64 { im(z) }
rule partial m04_sign_of_im(z) { dconj z: -0.5i; }

fn m05_conj_as_identity(z: c128 in disk(3)) -> c128 { conj(z) }
rule partial m05_conj_as_identity(z) { d z: 1; }

fn m06_sign_as_constant(z: c128 in disk(3)) -> c128 { sign(z) }
rule partial m06_sign_as_constant(z) { d z: 0; }

fn m07_no_conjugate_part(z: c128 in disk(3)) -> c128 { sign(z) }
rule partial m07_no_conjugate_part(z) { d z: 1/(2*abs(z)); }

fn m08_sign_of_arg(z: c128 in disk(3)) -> f64 { arg(z) }
rule partial m08_sign_of_arg(z) { dconj z: -0.5i*z/abs2(z); }

fn m09_one_modulus_short(z: c128 in disk(3)) -> f64 { arg(z) }
rule partial m09_one_modulus_short(z) { dconj z: 0.5i*z/abs(z); }

fn m10_other_branch(z: c128) -> c128 { sqrt(z) }
rule partial m10_other_branch(z) { d z: if im(z) < 0 { -1/(2*sqrt(z)) } else { 1/(2*sqrt(z)) }; }
check m10_other_branch { z ~ near(-1i, 0.9); }

fn m11_conj_of_w(z: c128 in disk(3)) -> c128 { log(z) }
rule partial m11_conj_of_w(z) { d z: 1/conj(z); }

fn m12_one_root_for_two(z: c128) -> c128 { acosh(z) }
rule partial m12_one_root_for_two(z) { d z: 1/sqrt(z^2 - 1); }
check m12_one_root_for_two { z ~ near(-1.5 + 1i, 0.9); }

fn m13_exponent_kept(z: c128 in disk(3)) -> c128 { z^2.5 }
rule partial m13_exponent_kept(z) { d z: 2.5*z^2.5; }

fn m14_term_dropped(z: c128 in disk(3)) -> c128 { z^z }
rule partial m14_term_dropped(z) { d z: z^z; }

fn m15_one_percent_of_im(z: c128 in disk(3)) -> c128 { exp(z) }
rule partial m15_one_percent_of_im(z) { d z: c128(re(exp(z)), 1.01*im(exp(z))); }

fn m16_relative_1e_4(z: c128 in disk(3)) -> c128 { sin(z) }
rule partial m16_relative_1e_4(z) { d z: cos(z)*(1 + 1e-4); }

fn m17_relative_1e_8(z: c128 in disk(3)) -> c128 { sin(z) }
rule partial m17_relative_1e_8(z) { d z: cos(z)*(1 + 1e-8); }

fn m18_sign_of_a_square(z: c128 in disk(3)) -> c128 { tan(z) }
rule partial m18_sign_of_a_square(z) { d z: 1 - tan(z)^2; }

fn m19_half_a_product_rule(z: c128 in disk(3)) -> c128 { z*sin(z) }
rule partial m19_half_a_product_rule(z) { d z: sin(z); }

fn m20_real_part_only(z: c128 in disk(3)) -> c128 { z^2 }
rule partial m20_real_part_only(z) { d z: 2*re(z); }

fn m21_added_1e_6(z: c128 in disk(3)) -> c128 { exp(z) }
rule partial m21_added_1e_6(z) { d z: exp(z) + 1e-6; }

fn m22_far_out(z: c128) -> c128 { cos(z) }
rule partial m22_far_out(z) { d z: if abs(z) > 1.8 { -1.001*sin(z) } else { -sin(z) }; }
check m22_far_out { z ~ annulus(1.81, 3); }

fn m23_constant_missing(z: c128 in disk(3)) -> c128 { log10(z) }
rule partial m23_constant_missing(z) { d z: 1/z; }

fn m24_small_but_not_zero(x: f64 in [-3, 3]) -> f64 { 1e-7*sin(x) }
rule partial m24_small_but_not_zero(x) { d x: 0; }

// programs ----------------------------------------------------------------------
fn m26_not_accumulated[N](x: f64[N]) -> f64 { sum(x[i]*x[i + 1] for i in 0..N - 1) }
rule vjp m26_not_accumulated(x; g) {
    var x_bar = zeros(N);
    for i in 0..N - 1 {
        x_bar[i] = g*x[i + 1]; // should be +=
        x_bar[i + 1] = g*x[i];
    }
    x_bar
}

fn m27_transposed[N](A: f64[N, N], x: f64[N]) -> f64[N] { A @ x }
rule vjp m27_transposed(A, x; g) { (outer(g, x), A @ g) }
/// A is nearly symmetric.
fn m27_nearly_symmetric[N](a: f64[N, N], x: f64[N]) -> f64[N] {
    m27_transposed([a[i, j] + a[j, i] + 1e-8*f64(i) for i, j], x)
}
check m27_nearly_symmetric[N = 3] { wrt x; }

fn m28_forward_only(x: f64 in [-3, 3], y: f64 in [-3, 3]) -> f64 { x*sin(y) }
rule vjp m28_forward_only(x, y; g) { (g*sin(y), g*x*cos(y)) }
rule jvp m28_forward_only(x, y; dx, dy) { dx*sin(y) + 1.00000001*x*cos(y)*dy }

fn m28_reverse_only(x: f64 in [-3, 3], y: f64 in [-3, 3]) -> f64 { x*sin(y) }
rule vjp m28_reverse_only(x, y; g) { (g*sin(y), 1.00000001*g*x*cos(y)) }
rule jvp m28_reverse_only(x, y; dx, dy) { dx*sin(y) + x*cos(y)*dy }

fn m29_at_equal_inputs(a: f64, b: f64) -> f64 { a*b }
rule partial m29_at_equal_inputs(a, b) { d a: if a == b { 2*b } else { b }; d b: a; }
fn m29_aliased(x: f64 in [-3, 3]) -> f64 { m29_at_equal_inputs(x, x) }

fn m30_real_part_of_the_product(x: f64 in [-3, 3]) -> c128 { x*exp(1i*x) }
rule vjp m30_real_part_of_the_product(x; g) { re(g*(1 + 1i*x)*exp(1i*x)) } // conj(g) is meant

fn m30_modulus_for_real_part(x: f64 in [0.2, 3]) -> c128 { x^(1 + 2i) }
rule partial m30_modulus_for_real_part(x) { d x: abs((1 + 2i)*x^2i); }

fn m32_root_of_a_square(z: c128) -> c128 { sqrt(z^2) }
rule partial m32_root_of_a_square(z) { d z: 1; }
check m32_root_of_a_square { z ~ near(-1 + 0.5i, 0.9); }

fn m32_power_of_a_power(z: c128) -> c128 { (z^2)^0.75 }
rule partial m32_power_of_a_power(z) { d z: 1.5*z^0.5; }
check m32_power_of_a_power { z ~ near(-1 + 0.5i, 0.9); }

fn m32_square_of_the_modulus(z: c128 in disk(3)) -> c128 { c128(abs2(z)) }
rule partial m32_square_of_the_modulus(z) { d z: 2*z; }

fn m33_other_side(x: f64 in [-3, 3]) -> f64 { if x > 0.5 { sin(x) } else { x^2 } }
rule partial m33_other_side(x) { d x: if x > 0.5 { 2*x } else { cos(x) }; }

// The sum over a row is right.
fn m35_cancelling_pair[N](x: f64[N]) -> f64[N] { [sin(x[i])*x[0] for i] }
rule jvp m35_cancelling_pair(x; dx) {
    var d = [cos(x[i])*dx[i]*x[0] + sin(x[i])*dx[0] for i];
    d[1] += 1e-8*dx[1] - 1e-8*dx[2];
    d
}

// A large error beside a larger one that is right.
fn vector_one_entry[N](x: f64[N]) -> f64[N] { [exp(x[i])*x[mod(i + 1, N)] for i] }
rule jvp vector_one_entry(x; dx) {
    var d = [exp(x[i])*x[mod(i + 1, N)]*dx[i] + exp(x[i])*dx[mod(i + 1, N)] for i];
    d[2] += 1e-8*exp(x[2])*dx[mod(3, N)];
    d
}

// second order ------------------------------------------------------------------
// The first derivative is right. That of its derivative is off by one part in 1e8, or misses a conj.
fn off_cos(x: f64) -> f64 { cos(x) }
rule partial off_cos(x) { d x: -1.00000001*sin(x); }
fn second_sin(x: f64 in [-3, 3]) -> f64 { sin(x) }
rule jvp second_sin(x; dx) { off_cos(x)*dx }

fn off_square(x: f64) -> f64 { x^2 }
rule partial off_square(x) { d x: 2.00000002*x; }
fn second_cube(x: f64 in [-3, 3]) -> f64 { x^3 }
rule vjp second_cube(x; g) { 3*off_square(x)*g }

fn off_exp(z: c128) -> c128 { exp(z) }
rule partial off_exp(z) { d z: 1.00000001*exp(z); }
fn second_exp(z: c128 in disk(3)) -> c128 { exp(z) }
rule jvp second_exp(z; dz) { off_exp(z)*dz }

fn off_double(z: c128) -> c128 { 2*z }
rule vjp off_double(z; g) { 2*conj(g) }
fn m31_second_square(z: c128 in disk(3)) -> c128 { z^2 }
rule jvp m31_second_square(z; dz) { off_double(z)*dz }

fn off_product(a: f64, b: f64) -> f64 { a*b }
rule partial off_product(a, b) { d a: b; d b: 1.00000001*a; }
fn second_quadratic[N](x: f64[N]) -> f64 { sum(x[i]^2*x[mod(i + 1, N)] for i) }
rule vjp second_quadratic(x; g) {
    var x_bar = zeros(N);
    for i in 0..N {
        x_bar[i] += 2*g*off_product(x[i], x[mod(i + 1, N)]);
        x_bar[mod(i + 1, N)] += g*x[i]^2;
    }
    x_bar
}

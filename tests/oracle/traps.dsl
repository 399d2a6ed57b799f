// Derivatives that are right, where a checker with fixed steps and tolerances says they are not. Functions whose name ends in
// `_sharp` have to be resolved to 1e-9 as well.

fn t01_offset_sharp(z: c128) -> c128 { 1e8 + exp(z) }
check t01_offset_sharp { z ~ disk(2); }

fn t01_far_offset_sharp(x: f64) -> f64 { 1e12 + exp(x)*sin(x) }
check t01_far_offset_sharp { x in [-2, 2]; }

fn t02_large_sharp(x: f64) -> f64 { 1e12*sin(x) }
check t02_large_sharp { x in [-3, 3]; }

fn t03_small_sharp(x: f64) -> f64 { 1e-12*sin(x) }
check t03_small_sharp { x in [-3, 3]; }

fn t04_root_near_0_sharp(z: c128) -> c128 { sqrt(z) }
check t04_root_near_0_sharp { z ~ annulus(5e-9, 1e-8); }

fn t05_log_near_0_sharp(z: c128) -> c128 { log(z) }
check t05_log_near_0_sharp { z ~ annulus(5e-8, 1e-7); }

fn t06_log_beside_the_cut_sharp(z: c128) -> c128 { log(z) }
check t06_log_beside_the_cut_sharp { z ~ near(-1 + 1e-7i, 9e-8); }
check t06_log_beside_the_cut_sharp { z = -1 - 1e-12i; }
check t06_log_beside_the_cut_sharp { z = -2.5 + 1e-300i; }

fn t06_roots_beside_the_cut_sharp(z: c128) -> c128 { sqrt(z) + z^0.3 + acosh(z/2) + asin(3*z) }
check t06_roots_beside_the_cut_sharp { z ~ near(-0.7 + 1e-9i, 9e-10); }
check t06_roots_beside_the_cut_sharp { z = -0.7 - 1e-14i; }

fn t06_arg_beside_the_cut_sharp(z: c128) -> f64 { arg(z) }
check t06_arg_beside_the_cut_sharp { z ~ near(-1 - 1e-11i, 9e-12); }

fn t07_abs_near_0_sharp(z: c128) -> f64 { abs(z) }
check t07_abs_near_0_sharp { z ~ annulus(1e-7, 5e-7); }
check t07_abs_near_0_sharp { z ~ annulus(1e-13, 1e-12); }

fn t08_fast_sharp(x: f64) -> f64 { sin(1e5*x) }
check t08_fast_sharp { x in [-3, 3]; }

fn t09_cancelling(z: c128) -> c128 { (1 - cos(z))/z^2 }
check t09_cancelling { z ~ annulus(5e-4, 1e-3); }
check t09_cancelling { z ~ annulus(5e-6, 1e-5); }

fn t10_scaled_sharp(z: c128) -> c128 { z/1e8 }
check t10_scaled_sharp { z ~ near(1e8, 1e7); }

fn t11_large_exp_sharp(z: c128) -> c128 { exp(40 + z) }
check t11_large_exp_sharp { z ~ disk(2); }

fn t12_zero(x: f64, z: c128) -> (a: f64, b: c128, c: f64) { (0*x, z - z, x^2 - x*x) }

fn t13b_atanh_near_1_sharp(x: f64) -> f64 { atanh(x) }
check t13b_atanh_near_1_sharp { x = 0.999999999; }
check t13b_atanh_near_1_sharp { x = -0.9999999; }

fn t14_pole_sharp(z: c128) -> c128 { 1/z }
check t14_pole_sharp { z ~ annulus(5e-7, 1e-6); }
check t14_pole_sharp { z ~ annulus(5e-101, 1e-100); }

fn t15_log_of_a_large_modulus_sharp(z: c128) -> f64 { log(abs(z)) }
check t15_log_of_a_large_modulus_sharp { z ~ annulus(5e149, 1e150); }

// scales ------------------------------------------------------------------------
fn scale_up_sharp(x: f64) -> f64 { 1e150*sin(x) }
check scale_up_sharp { x in [-3, 3]; }

fn scale_down_sharp(x: f64) -> f64 { 1e-150*sin(x) }
check scale_down_sharp { x in [-3, 3]; }

fn scale_of_inputs_sharp(x: f64, y: f64) -> f64 { sin(x/1e150)*exp(1e150*y) }
check scale_of_inputs_sharp { x in [5e149, 1e150]; y in [5e-151, 1e-150]; }

fn scale_of_one_input_sharp(x: f64, y: f64) -> f64 { (x/1e10)^3*y }
check scale_of_one_input_sharp { x in [5e9, 1e10]; y in [1e-10, 2e-10]; }

fn scale_of_squares_sharp(x: f64) -> f64 { x^2/1e200 }
check scale_of_squares_sharp { x in [1e149, 1e150]; }

fn scale_below_normal(x: f64) -> f64 { 1e-310*sin(x) }
check scale_below_normal { x in [-3, 3]; }

fn scale_of_an_input_below_normal(x: f64) -> (a: f64, b: f64, c: f64) { (exp(x), x^2, 3*x) }
check scale_of_an_input_below_normal { x in [1e-310, 2e-310]; }
check scale_of_an_input_below_normal { x = 5e-324; }

fn scale_overflow_on_the_way(x: f64) -> f64 { 1/(1 + exp(exp(x))) }
check scale_overflow_on_the_way { x in [4, 5.8]; }

fn scale_of_a_norm_sharp(x: f64[3]) -> f64 { norm(x) }
check scale_of_a_norm_sharp { x in [1e180, 2e180]; }
check scale_of_a_norm_sharp { x in [1e-190, 2e-190]; }

// saturation --------------------------------------------------------------------
fn saturated_tanh_sharp(x: f64) -> f64 { tanh(x) }
check saturated_tanh_sharp { x in [18, 22]; }
check saturated_tanh_sharp { x in [-300, -100]; }

fn saturated_sigmoid_sharp(x: f64) -> f64 { sigmoid(x) }
check saturated_sigmoid_sharp { x in [37, 40]; }
check saturated_sigmoid_sharp { x in [-690, -650]; }

fn saturated_below_normal(x: f64) -> f64 { sigmoid(x) }
check saturated_below_normal { x in [-745, -700]; }

fn saturated_erf_sharp(x: f64) -> f64 { erf(x) }
check saturated_erf_sharp { x in [6, 6.5]; }

fn saturated_erfc_sharp(x: f64) -> f64 { erfc(x) }
check saturated_erfc_sharp { x in [6, 26]; }

fn saturated_gelu_sharp(x: f64) -> f64 { 0.5*x*erfc(-x/sqrt(2)) }
check saturated_gelu_sharp { x in [-9, -8]; }

fn saturated_expm1_sharp(x: f64) -> f64 { expm1(x) }
check saturated_expm1_sharp { x in [-44, -36]; }

fn saturated_softplus_sharp(x: f64, y: f64) -> f64 { softplus(x) + logaddexp(x, y) }
check saturated_softplus_sharp { x in [-800, -30]; y in [700, 800]; }

fn saturated_log_cosh(x: f64) -> f64 { log(cosh(x)) }
check saturated_log_cosh { x in [300, 700]; }

fn saturated_atan_sharp(x: f64) -> f64 { atan(x) }
check saturated_atan_sharp { x in [1e15, 1e16]; }

// single precision --------------------------------------------------------------
fn single_real(x: f32, y: f32) -> f32 { sin(x)*exp(y) + x^3/(1 + y^2) }
check single_real { x in [-3, 3]; y in [-3, 3]; }

fn single_complex(z: c64) -> c64 { exp(z)*sqrt(z) + conj(z)^2 }
check single_complex { z ~ disk(3); }

fn single_sum[N](x: f32[N]) -> f32 { sum(exp(x[i])*x[mod(i + 1, N)] for i) }
check single_sum[N = 5] { x in [-2, 2]; }

// kinks, jumps, cuts and edges exactly at the point ------------------------------
fn exactly_relu(x: f64) -> f64 { if x > 0 { x } else { 0 } }
check exactly_relu { x = 0; }
check exactly_relu { x = -0.0; }

fn exactly_max(x: f64, y: f64) -> f64 { max(x, y)*x }
check exactly_max { x = 1.5; y = 1.5; }

fn exactly_max_of_three(x: f64[3]) -> f64 { max(x) }
check exactly_max_of_three { x = [1.0, 1.0, 1.0]; }

fn exactly_abs(x: f64, z: c128) -> f64 { abs(x) + abs(z) }
check exactly_abs { x = 0; z = 0; }

fn exactly_two_relus(x: f64) -> f64 { max(x, 0) - max(-x, 0) }
check exactly_two_relus { x = 0; }

fn exactly_clamped(x: f64) -> f64 { clamp(x, -1, 1)^2 }
check exactly_clamped { x = 1; }
check exactly_clamped { x = -1; }

fn near_relu_sharp(x: f64) -> f64 { if x > 0 { exp(x) } else { 1 + 0.5*x } }
check near_relu_sharp { x = 1e-14; }
check near_relu_sharp { x = -1e-20; }

fn near_max_sharp(x: f64, y: f64) -> f64 { max(2*x, y)*x }
check near_max_sharp { x = 0.5; y = 1.0000000000000002; }

fn steps_between_sharp(x: f64) -> f64 { floor(x)*x + round(3*x) + x^2*sign(x) }
check steps_between_sharp { x in [-3, 3]; }
check steps_between_sharp { x = 1.0000000000001; }

fn cut_above(z: c128) -> c128 { sqrt(z)*log(z) }
check cut_above { z = -1 + 0i; }
check cut_above { z = c128(-2, -0.0); }

fn cut_of_a_real_input(x: f64) -> c128 { sqrt(c128(x, 0)) + log(c128(x)) }
check cut_of_a_real_input { x in [-3, -1]; }

fn cut_along_the_imaginary_part(x: f64) -> f64 { arg(c128(-1, x)) }
check cut_along_the_imaginary_part { x = 0; }
check cut_along_the_imaginary_part { x = -0.0; }

fn edge_of_the_domain_sharp(x: f64 in [0, 1], y: f64 in [-1, 1]) -> f64 { x*(2 - x)*exp(y) }
check edge_of_the_domain_sharp { x = 0; y = 1; }
check edge_of_the_domain_sharp { x = 1; y = -1; }

fn edge_of_a_disk_sharp(z: c128 in disk(1)) -> c128 { z^2/(z - 2) }
check edge_of_a_disk_sharp { z = 1; }
check edge_of_a_disk_sharp { z = -1i; }

fn edge_of_a_root(x: f64 in [0, INF)) -> f64 { x*sqrt(x) }
check edge_of_a_root { x in [0, 1e-12]; }

// programs ----------------------------------------------------------------------
fn cancels_1e16_sharp(x: f64, y: f64) -> f64 { (1e16 + x*y) - 1e16 + sin(x) }
check cancels_1e16_sharp { x in [-3, 3]; y in [-3, 3]; }

fn cancels_products_sharp(x: f64, y: f64) -> f64 { (x + 1e16*y) - 1e16*y }
check cancels_products_sharp { x in [-3, 3]; y in [-3, 3]; }

/// Newton's method that stops early: the value is off by up to 1e-9, and jumps where a turn is added.
fn solver_noise_sharp(a: f64) -> f64 {
    var x = a;
    while abs(x^2 - a) > 1e-5*a { x = (x + a/x)/2; }
    x
}
check solver_noise_sharp { a in [0.5, 50]; }

/// A fixed point that is approached slowly.
fn slow_solver_sharp(a: f64) -> f64 {
    var x = a;
    while abs(cos(x) + a - x) > 1e-9 { x = 0.5*(x + cos(x) + a); }
    x
}
check slow_solver_sharp { a in [0.1, 2]; }

fn sorted[N](v: f64[N]) -> f64[N] {
    var x = v;
    for i in 0..N {
        for j in 0..N - 1 - i {
            if x[j] > x[j + 1] {
                let t = x[j];
                x[j] = x[j + 1];
                x[j + 1] = t;
            }
        }
    }
    x
}
fn weighted_order[N](v: f64[N]) -> f64 {
    let x = sorted(v);
    sum(f64(i + 1)*x[i]^2 for i)
}
check weighted_order[N = 4] { v in [-1, 1]; }
check weighted_order { v = [0.3, 0.7, 0.7, 0.1]; }
check weighted_order { v = [0.3, 0.7, 0.7000000000000001, 0.1]; }

fn chaotic(x: f64) -> f64 {
    var y = x;
    for _ in 0..40 { y = 3.9*y*(1 - y); }
    y
}
check chaotic { x in [0.1, 0.9]; }

fn ill_conditioned[N](b: f64[N], t: f64) -> f64[N] {
    solve([1/f64(i + j + 1) + t*f64(i)*f64(j) for i in 0..N, j in 0..N], b)
}
check ill_conditioned[N = 6] { b in [-1, 1]; t in [0, 1e-6]; }

fn held_still(x: f64, w: f64) -> f64 { x^2*stop_gradient(exp(w*x)) }
check held_still { x in [0.5, 1.5]; w in [0.2, 1]; }

// Derivatives that are 0 by identity: what is computed is the rounding of the terms that cancel.
fn identity_circle(x: f64) -> f64 { sin(x)^2 + cos(x)^2 }
check identity_circle { x ~ normal(0, 1); }

fn identity_probabilities(x: f64[3]) -> f64 { sum(softmax(x)) }
check identity_probabilities { x ~ normal(0, 1); }

fn identity_length(x: f64[3]) -> f64 { norm(x/norm(x)) }
check identity_length { x ~ normal(0, 1); }

fn identity_quotient(x: f64, y: f64) -> f64 { x*y/x }
check identity_quotient { x ~ normal(0, 1); y ~ normal(0, 1); }

fn identity_inverse(A: f64[2, 2]) -> f64[2, 2] { inv(A) @ A }
check identity_inverse { A ~ normal(0, 1); }

fn identity_shares(a: f64, b: f64) -> f64 { a/(a + b) + b/(a + b) }
check identity_shares { a in [0.1, 3]; b in [0.1, 3]; }

fn identity_rotation(t: f64) -> f64 { det([[cos(t), -sin(t)], [sin(t), cos(t)]]) }
check identity_rotation { t ~ normal(0, 1); }

fn identity_hermitian(A: f64[2, 2], z: c128[2]) -> f64 {
    let H = A + A';
    im(dot(z, H @ z))
}
check identity_hermitian { A ~ normal(0, 1); z ~ normal(0, 1); }

fn quadratic_form(A: c128[2, 2], z: c128[2]) -> f64 { re(dot(z, A @ z)) }
check quadratic_form { A ~ normal(0, 1); z ~ normal(0, 1); }

// Inputs far below 1, as SI units have them.
fn scale_of_atoms(y: f64) -> f64 { sin(y*1e30) }
check scale_of_atoms { y in [1e-31, 3e-30]; }

fn scale_of_action(energy: f64, t: f64) -> f64 { cos(energy*t/1.054571817e-34) }
check scale_of_action { energy in [1e-21, 1e-20]; t in [1e-14, 1e-13]; }



// --- jvp and vjp with their own names, and out
fn logistic(t: f64) -> f64 { 1 / (1 + exp(-t)) }
rule jvp logistic(u; du) { du*out*(1 - out) }
rule vjp logistic(t; g) { g*out*(1 - out) }

//> #[rule(jvp, logistic.rule.jvp)]
//> #[rule(vjp, logistic.rule.vjp)]
//> fn logistic(t: f64) -> f64 {
//>   v0 = f64 1.0
//>   v1 = f64 1.0
//>   v2 = neg t
//>   v3 = exp v2
//>   v4 = add v1, v3
//>   v5 = div v0, v4
//>   return v5
//> }
//>
//> fn logistic.rule.jvp(u: f64, out: f64, du: f64) -> (out_dot: f64) {
//>   v0 = mul du, out
//>   v1 = f64 1.0
//>   v2 = sub v1, out
//>   v3 = mul v0, v2
//>   return v3
//> }
//>
//> fn logistic.rule.vjp(t: f64, out: f64, g: f64) -> (t_bar: f64) {
//>   v0 = mul g, out
//>   v1 = f64 1.0
//>   v2 = sub v1, out
//>   v3 = mul v0, v2
//>   return v3
//> }

// --- trusted, several parameters, one of them an integer, one nodiff
fn f(x: f64, n: i64, y: f64, #[nodiff] w: f64) -> f64 { x*y^n*w }
rule jvp f(x, n, y, w; dx, dy) { dx*y^n*w + dy*x*f64(n)*y^(n - 1)*w }
#[check(trust)] rule vjp f(a, k, b, _; g) { (g, g*out) }

//> #[rule(jvp, f.rule.jvp)]
//> #[rule(vjp, f.rule.vjp, trust)]
//> fn f(x: f64, n: i64, y: f64, #[nodiff] w: f64) -> f64 {
//>   v0 = powi y, n
//>   v1 = mul x, v0
//>   v2 = mul v1, w
//>   return v2
//> }
//>
//> fn f.rule.jvp(x: f64, n: i64, y: f64, #[nodiff] w: f64, out: f64, dx: f64, dy: f64) -> (out_dot: f64) {
//>   v0 = powi y, n
//>   v1 = mul dx, v0
//>   v2 = mul v1, w
//>   v3 = mul dy, x
//>   v4 = to_f64 n
//>   v5 = mul v3, v4
//>   v6 = i64 1
//>   v7 = sub n, v6
//>   v8 = powi y, v7
//>   v9 = mul v5, v8
//>   v10 = mul v9, w
//>   v11 = add v2, v10
//>   return v11
//> }
//>
//> fn f.rule.vjp(a: f64, k: i64, b: f64, #[nodiff] w: f64, out: f64, g: f64) -> (x_bar: f64, y_bar: f64) {
//>   v0 = mul g, out
//>   return g, v0
//> }

// --- tuple results make out and g tuples
fn f(x: f64, z: c128) -> (f64, c128) { (x*abs2(z), x*z) }
rule vjp f(x, z; g) { let (p, q) = out; let (a, b) = g; (a*p + re(conj(q)*b), b*x + 2*a*x*z) }
rule jvp f(x, z; dx, dz) { (dx*abs2(z), dx*z + x*dz) }

//> #[rule(vjp, f.rule.vjp)]
//> #[rule(jvp, f.rule.jvp)]
//> fn f(x: f64, z: c128) -> (f64, c128) {
//>   v0 = abs2 z
//>   v1 = mul x, v0
//>   v2 = mul x, z
//>   return v1, v2
//> }
//>
//> fn f.rule.vjp(x: f64, z: c128, out.0: f64, out.1: c128, g.0: f64, g.1: c128) -> (x_bar: f64, z_bar: c128) {
//>   v0 = mul g.0, out.0
//>   v1 = conj out.1
//>   v2 = mul v1, g.1
//>   v3 = re v2
//>   v4 = add v0, v3
//>   v5 = mul g.1, x
//>   v6 = f64 2.0
//>   v7 = mul v6, g.0
//>   v8 = mul v7, x
//>   v9 = mul v8, z
//>   v10 = add v5, v9
//>   return v4, v10
//> }
//>
//> fn f.rule.jvp(x: f64, z: c128, out.0: f64, out.1: c128, dx: f64, dz: c128) -> (out.0_dot: f64, out.1_dot: c128) {
//>   v0 = abs2 z
//>   v1 = mul dx, v0
//>   v2 = mul dx, z
//>   v3 = mul x, dz
//>   v4 = add v2, v3
//>   return v1, v4
//> }

// --- partials: holomorphic, real result from one half, both halves, real parameter
fn h(z: c128, a: f64) -> c128 { a*z*z }
rule partial h(w, b) { d w: 2*b*w; d b: w*w; }
fn r(z: c128) -> f64 { abs2(z) }
rule partial r(z) { dconj z: z; }
fn c(z: c128) -> c128 { conj(z) }
rule partial c(z) { d z: 0; dconj z: 1; }

//> #[rule(partial, h.rule.partial, holomorphic(true, false))]
//> fn h(z: c128, a: f64) -> c128 {
//>   v0 = mul a, z
//>   v1 = mul v0, z
//>   return v1
//> }
//>
//> #[rule(partial, r.rule.partial, holomorphic(false))]
//> fn r(z: c128) -> f64 {
//>   v0 = abs2 z
//>   return v0
//> }
//>
//> #[rule(partial, c.rule.partial, holomorphic(false))]
//> fn c(z: c128) -> c128 {
//>   v0 = conj z
//>   return v0
//> }
//>
//> fn h.rule.partial(w: c128, b: f64, out: c128) -> (d_z: c128, d_a: c128) {
//>   v0 = f64 2.0
//>   v1 = mul v0, b
//>   v2 = mul v1, w
//>   v3 = mul w, w
//>   return v2, v3
//> }
//>
//> fn r.rule.partial(z: c128, out: f64) -> (d_z: c128, dconj_z: c128) {
//>   v0 = conj z
//>   return v0, z
//> }
//>
//> fn c.rule.partial(z: c128, out: c128) -> (d_z: c128, dconj_z: c128) {
//>   v0 = c128 (0.0, 0.0)
//>   v1 = c128 (1.0, 0.0)
//>   return v0, v1
//> }

// --- a rule may call its function and hide out
fn f(out: f64) -> f64 { exp(out) }
rule jvp f(out; d) { f(out)*d }

//> #[rule(jvp, f.rule.jvp)]
//> fn f(out: f64) -> f64 {
//>   v0 = exp out
//>   return v0
//> }
//>
//> fn f.rule.jvp(out: f64, out.2: f64, d: f64) -> (out_dot: f64) {
//>   v0 = call f(out)
//>   v1 = mul v0, d
//>   return v1
//> }

// --- of an extern function
extern fn k(x: f64) -> f64;
rule vjp k(x; g) { g*k(x) }

//> #[rule(vjp, k.rule.vjp)]
//> extern "k" fn k(x: f64) -> f64
//>
//> fn k.rule.vjp(x: f64, out: f64, g: f64) -> (x_bar: f64) {
//>   v0 = call k(x)
//>   v1 = mul g, v0
//>   return v1
//> }

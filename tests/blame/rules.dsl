//# beer_lambert: factor
fn absorbed(i0: f64, k: f64, d: f64) -> f64 { i0*(1 - exp(-k*d)) }
rule vjp absorbed(i0, k, d; g) { (g*(1 - exp(-k*d)), 2*g*i0*d*exp(-k*d), g*i0*k*exp(-k*d)) } // <-
fn two_layers(i0: f64, k: f64) -> f64 { absorbed(i0, k, 0.4) + absorbed(0.6*i0, k, 1.1) }
check two_layers { i0 in [1, 3]; k in [0.5, 1.5]; points 3; }

//# arrhenius: sign
fn rate(a: f64, ea: f64, temp: f64) -> f64 { a*exp(-ea/temp) }
rule partial rate(a, ea, temp) { d a: out/a; d ea: out/temp; d temp: out*ea/temp^2; } // <-
fn yield_(ea: f64, temp: f64) -> f64 { log1p(rate(3.5, ea, temp)) }
check yield_ { ea in [1, 2]; temp in [1, 3]; points 3; }

//# logit_likelihood: dropped_term
fn nll(score: f64, label: f64) -> f64 { softplus(score) - label*score }
rule vjp nll(score, label; g) { (g*sigmoid(score), -g*score) } // <-
fn risk(w: f64, b: f64) -> f64 { nll(w*0.7 + b, 1.0) + nll(b - 1.3*w, 0.0) + nll(2.1*w + b, 1.0) }
check risk { w in [-1, 1]; b in [-0.5, 0.5]; points 3; }

//# phasor_product: conj
fn mix(z: c128, w: c128) -> c128 { z*w }
rule vjp mix(z, w; g) { (g*conj(w), g*z) } // <-
fn power_factor(v: c128, i: c128) -> f64 { re(mix(v, conj(i))) + 0.3*im(mix(v, i)) }
check power_factor { v ~ near(1 + 1i, 0.4); i ~ near(2 - 1i, 0.4); points 3; }

//# impedance: conj
fn parallel(z: c128, w: c128) -> c128 { z*w/(z + w) }
rule partial parallel(z, w) { d z: conj(w^2/(z + w)^2); d w: z^2/(z + w)^2; } // <-
fn loss(z: c128, w: c128) -> f64 { abs2(parallel(z, w)) }
check loss { z ~ near(1 + 2i, 0.4); w ~ near(2 - 1i, 0.4); points 3; }

//# intensity: dropped_term
fn saturated(z: c128) -> c128 { z/(1 + abs2(z)) }
rule partial saturated(z) { d z: 1/(1 + abs2(z))^2; dconj z: 0i; } // <-
fn gain(z: c128) -> f64 { re(saturated(2*z)) - im(saturated(z)) }
check gain { z ~ near(0.5 + 0.5i, 0.3); points 3; }

//# kinetic: factor
fn kinetic(m: f64, v: f64) -> f64 { 0.5*m*v^2 }
rule jvp kinetic(m, v; dm, dv) { 0.5*v^2*dm + 0.5*m*v*dv } // <-
fn total(v: f64, w: f64) -> f64 { kinetic(2.0, v) + kinetic(1.5, v - w) }
check total { v in [1, 2]; w in [0, 0.5]; points 3; }

//# gravity: power
fn attraction(m: f64, r: f64) -> f64 { m/r^2 }
rule vjp attraction(m, r; g) { (g/r^2, -2*g*m/r^2) } // <-
fn tide(r: f64) -> f64 { attraction(5.0, r) - attraction(5.0, r + 0.4) }
check tide { r in [1, 3]; points 3; }

//# hill: swapped
fn hill(x: f64, k: f64) -> f64 { x^2/(x^2 + k^2) }
rule vjp hill(x, k; g) { (-2*g*x^2*k/(x^2 + k^2)^2, 2*g*x*k^2/(x^2 + k^2)^2) } // <-
fn response(x: f64, k: f64) -> f64 { hill(x, k) + 0.5*hill(2*x, k + 0.1) }
check response { x in [0.5, 2]; k in [0.6, 1.5]; points 3; }

//# rotation: transposed
fn turn(m: f64[3, 3], x: f64[3]) -> f64[3] { m @ x }
rule vjp turn(m, x; g) { ([g[i]*x[j] for i in 0..3, j in 0..3], m @ g) } // <-
fn misfit(m: f64[3, 3], x: f64[3]) -> f64 { sum(turn(m, x)^2) }
check misfit { m ~ normal(0, 1); x ~ normal(0, 1); points 3; }

//# ideal_gas: factor
fn pressure(n: f64, t: f64, v: f64) -> f64 { 8.314*n*t/v }
rule partial pressure(n, t, v) { d n: 8.314*t/v; d t: 8.3*n/v; d v: -out/v; } // <-
fn work(t: f64, v: f64) -> f64 { pressure(1.0, t, v)*v*0.1 + pressure(2.0, t, 2*v) }
check work { t in [1, 3]; v in [1, 2]; points 3; }

//# pendulum_loop: sign
fn torque(q: f64) -> f64 { -sin(q) }
rule vjp torque(q; g) { g*cos(q) } // <-
fn swing(q0: f64, p0: f64) -> f64 {
    var q = q0;
    var p = p0;
    for k in 0..5 {
        p += 0.1*torque(q);
        q += 0.1*p;
    }
    q
}
check swing { q0 in [0.5, 1]; p0 in [-0.5, 0.5]; points 3; }

//# spectrum_comprehension: factor
fn planck_like(nu: f64, t: f64) -> f64 { nu^3/(exp(nu/t) - 1) }
rule vjp planck_like(nu, t; g) { // <-
    let e = exp(nu/t);
    (g*(3*nu^2/(e - 1) - nu^3*e/t/(e - 1)^2), 2*g*nu^4*e/(t^2*(e - 1)^2))
}
fn radiance(nu: f64[4], t: f64) -> f64 { sum([planck_like(nu[i], t) for i in 0..4]) }
check radiance { nu in [0.5, 2]; t in [0.7, 1.5]; points 3; }

//# matrix_trace: transposed
fn energy(a: f64[3, 3]) -> f64 { sum([a[i, j]*a[j, i] for i in 0..3, j in 0..3]) }
rule vjp energy(a; g) { 2*g*a } // <-
fn potential(a: f64[3, 3], s: f64) -> f64 { energy(s*a) }
check potential { a ~ normal(0, 1); s in [0.5, 1.5]; points 3; }

//# van_genuchten: dropped_term
fn content(h: f64, n: f64) -> f64 { 1/(1 + h^n) }
rule vjp content(h, n; g) { (-g*n*h^(n - 1)*out^2, 0.0) } // <-
fn storage(h: f64, n: f64) -> f64 { content(h, n) - content(2*h, n) }
check storage { h in [0.5, 2]; n in [1.5, 3]; points 3; }

//# gaussian_beam: power
fn width(w: f64, z: f64) -> f64 { w*sqrt(1 + z^2/w^4) }
rule partial width(w, z) { d w: (1 - z^2/w^4)/sqrt(1 + z^2/w^4); d z: z/(w^2*sqrt(1 + z^2/w^4)); } // <-
fn spot(w: f64, z: f64) -> f64 { width(w, z)^2 + width(w, 2*z) }
check spot { w in [0.8, 1.5]; z in [0.3, 1]; points 3; }

//# product_rule: dropped_term
fn damped(t: f64, k: f64) -> f64 { exp(-k*t)*cos(3*t) }
rule vjp damped(t, k; g) { (-3*g*exp(-k*t)*sin(3*t), -g*t*exp(-k*t)*cos(3*t)) } // <-
fn signal(t: f64, k: f64) -> f64 { damped(t, k) + 0.2*damped(2*t, k) }
check signal { t in [0.3, 1]; k in [0.5, 1]; points 3; }

//# quaternion_norm: sign
fn axis(x: f64[3], i: i64) -> f64 { x[i]/sqrt(sum(x^2)) }
rule jvp axis(x, i; dx) { dx[i]/sqrt(sum(x^2)) + x[i]*sum(x*dx)/sqrt(sum(x^2))^3 } // <-
fn tilt(x: f64[3]) -> f64 { axis(x, 0)*axis(x, 2) }
check tilt { x in [0.5, 2]; points 3; }

//# demodulated: conj
fn envelope(z: c128) -> f64 { abs2(z) }
rule vjp envelope(z; g) { 2*g*conj(z) } // <-
fn level(z: c128[3]) -> f64 { sum([envelope(z[i] - 0.2*z[0]) for i in 0..3]) }
check level { z ~ near(1 + 1i, 0.5); points 3; }

//# carrier: sign
fn tone(phi: f64) -> c128 { cis(phi) }
rule vjp tone(phi; g) { -re(conj(1i*out)*g) } // <-
fn beat(phi: f64, a: f64) -> f64 { abs2(tone(phi) + a*tone(2*phi)) }
check beat { phi in [0.2, 1]; a in [0.5, 1]; points 3; }

//# weighted_mean: factor
fn residual(x: f64[4], m: f64) -> f64 { sum((x - m)^2)/4 }
rule vjp residual(x, m; g) { (g*(x - m)/4, -2*g*sum(x - m)/4) } // <-
fn spread(x: f64[4]) -> f64 { residual(x, 0.3) }
check spread { x in [-1, 1]; points 3; }

//# elo: factor
fn expected(d: f64) -> f64 { 1/(1 + exp2(-d)) }
rule vjp expected(d; g) { g*out*(1 - out) } // <-
fn season(a: f64, b: f64) -> f64 { expected(a - b) + expected(a + 0.3) + expected(b) }
check season { a in [0, 1]; b in [0, 1]; points 3; }

//# lens: swapped
fn focal(p: f64, q: f64) -> f64 { p*q/(p + q) }
rule partial focal(p, q) { d p: p^2/(p + q)^2; d q: q^2/(p + q)^2; } // <-
fn telescope(p: f64, q: f64) -> f64 { focal(p, q) + focal(0.5*p, q + 1) }
check telescope { p in [1, 2]; q in [2, 4]; points 3; }

//# shifted_filter: swapped
fn smooth(x: f64[4]) -> f64 { 0.1*x[0]^2 + 0.2*x[1]^2 + 0.3*x[2]^2 + 0.4*x[3]^2 }
rule vjp smooth(x; g) { [0.8*g*x[3], 0.6*g*x[2], 0.4*g*x[1], 0.2*g*x[0]] } // <-
fn filtered(x: f64[4], s: f64) -> f64 { smooth(s*x) }
check filtered { x in [0.5, 2]; s in [0.5, 1.5]; points 3; }

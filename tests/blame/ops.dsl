//# neuron: sign, by tanh/r/x/negated
fn neuron(w: f64, b: f64) -> f64 {
    let h = w*0.8 + b;
    tanh(h) // <-
}
check neuron { w in [-1, 1]; b in [-1, 1]; points 3; }

//# pendulum_energy: sign, by cos/r/x/negated
fn energy(q: f64, p: f64) -> f64 {
    let kinetic = 0.5*p^2;
    let potential = 1 - cos(q); // <-
    kinetic + potential
}
check energy { q in [0.3, 1]; p in [-1, 1]; points 3; }

//# free_energy: factor, by exp/r/x/twice
fn free_energy(e: f64[3], beta: f64) -> f64 {
    let z = sum([exp(-beta*e[i]) for i in 0..3]); // <-
    -log(z)/beta
}
check free_energy { e in [0, 1]; beta in [0.5, 2]; points 3; }

//# log_return: factor, by log/r/x/half
fn growth(s0: f64, s1: f64) -> f64 {
    let r = log(s1/s0); // <-
    r^2
}
check growth { s0 in [1, 2]; s1 in [2, 3]; points 3; }

//# standing_wave: dropped_term, by sin/r/x/dropped
fn amplitude(x: f64, t: f64) -> f64 {
    let space = sin(2*x); // <-
    let time = cos(3*t);
    space*time
}
check amplitude { x in [0.3, 1]; t in [0.1, 0.5]; points 3; }

//# distance: factor, by sqrt/r/x/twice
fn distance(x: f64, y: f64) -> f64 {
    let d2 = x*x + y*y;
    let d = sqrt(d2); // <-
    exp(-d)
}
check distance { x in [0.5, 2]; y in [0.5, 2]; points 3; }

//# bearing: sign, by atan/r/x/negated
fn bearing(dx: f64, dy: f64) -> f64 {
    let slope = dy/dx;
    atan(slope) // <-
        + 0.1*dx
}
check bearing { dx in [1, 2]; dy in [0.5, 1]; points 3; }

//# filter_gain: conj, by exp/c/x/conj
fn gain(s: c128, a: f64) -> f64 {
    let delay = exp(-a*s); // <-
    abs2(1 + 0.5*delay)
}
check gain { s ~ near(0.3 + 1i, 0.3); a in [0.5, 1]; points 3; }

//# reflection: conj, by log/c/x/conj
fn phase(z: c128) -> f64 {
    let gamma = (z - 1)/(z + 1);
    im(log(gamma)) // <-
}
check phase { z ~ near(2 + 1i, 0.4); points 3; }

//# rabi: factor, by square/r/x/half
fn detuning(omega: f64, delta: f64) -> f64 {
    let drive = sin(omega);
    let r = square(drive); // <-
    r + delta
}
check detuning { omega in [0.5, 1]; delta in [0, 1]; points 3; }

//# relaxation: sign, by exp/r/x/negated
fn relaxed(x0: f64, k: f64) -> f64 {
    var x = x0;
    for t in 0..6 {
        let decay = exp(-0.1*k*x); // <-
        x = x*decay + 0.05;
    }
    x
}
check relaxed { x0 in [0.5, 1]; k in [0.5, 1.5]; points 3; }

//# fringe: sign, by sin/r/x/negated
fn fringe(d: f64[5], k: f64) -> f64 {
    sum([sin(k*d[i])*0.2 for i in 0..5]) // <-
}
check fringe { d in [0.2, 1]; k in [0.5, 1.5]; points 3; }

//# gamma_density: factor, by lgamma/r/x/half
fn logpdf(x: f64, a: f64) -> f64 {
    let norm = lgamma(a); // <-
    (a - 1)*log(x) - x - norm
}
check logpdf { x in [0.5, 2]; a in [1.5, 3]; points 3; }

//# spin: dropped_term, by addend-dropped
fn spin(theta: f64) -> f64 {
    let up = cos(theta); // <-
    up*sin(2*theta)
}
check spin { theta in [0.3, 1]; points 3; }

//# rotated_stress: transposed, by product-exchanged
fn traction(m: f64[3, 3], n: f64[3]) -> f64 {
    let t = m @ n; // <-
    sum([t[i]^3 for i in 0..3])
}
check traction { m ~ normal(0, 1); n ~ normal(0, 1); points 3; }

//# covariance: transposed, by transpose-dropped
fn evidence(a: f64[3, 3]) -> f64 {
    let b = a + 4*eye(3);
    logdet(b) // <-
}
check evidence { a ~ normal(0, 1); points 3; }

//# equilibrium: sign, by negation-dropped
fn compliance(k: f64[3, 3], f: f64[3]) -> f64 {
    let u = solve(k + 4*eye(3), f); // <-
    dot(f, u)
}
check compliance { k ~ normal(0, 1); f ~ normal(0, 1); points 3; }

//# horner: *, by loop-forwards
fn horner(c: f64[40], x: f64) -> f64 {
    var y = 0.0;
    for i in 0..40 { y = y*x + sin(c[i]); } // <-
    y
}
check horner { c in [0.5, 1]; x in [0.5, 1]; points 3; }

//# logistic_map: dropped_term, by loop-short
fn orbit(x0: f64, r: f64) -> f64 {
    var x = x0;
    for i in 0..40 { x = r*x*(1 - x); } // <-
    x
}
check orbit { x0 in [0.2, 0.4]; r in [1.5, 2.5]; points 3; }

//# mean_field: factor, by term-doubled
fn magnet(h: f64[30]) -> f64 {
    let m = sum([tanh(h[i]) for i in 0..30]); // <-
    m^2
}
check magnet { h in [-1, 1]; points 3; }

//# threshold: *, by branches-exchanged
fn rectified(x: f64, y: f64) -> f64 {
    let s = x*y;
    let r = if s > 0.2 { sin(s) } else { s^3 + exp(s)*y }; // <-
    r*x
}
check rectified { x in [0.5, 1]; y in [0.5, 1]; points 3; }

//# receiver: swapped, by index-first
fn receiver(x: f64[40], s: f64) -> f64 {
    let peak = x[17]; // <-
    peak^2*s
}
check receiver { x in [0.5, 2]; s in [0.5, 1]; points 3; }

//# quantum_phase: sign, by sin/c/x/negated
fn interference(z: c128) -> f64 {
    let psi = sin(z); // <-
    abs2(psi + 0.5)
}
check interference { z ~ near(0.7 + 0.3i, 0.3); points 3; }

//# cooling: power, by sqrt/r/x/factor
fn cooling(t: f64, k: f64) -> f64 {
    let front = sqrt(k*t); // <-
    erf(front)
}
check cooling { t in [0.5, 2]; k in [0.5, 1]; points 3; }

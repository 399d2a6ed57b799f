// Formulas of physics and chemistry.

// Antoine equation: vapour pressure.
fn antoine(T: f64, A: f64, B: f64, C: f64) -> f64 { 10^(A - B/(C + T)) }

// Larger root of a quadratic.
fn quadratic_root(a: f64, b: f64, c: f64) -> f64 {
    let disc = b^2 - 4*a*c;
    assert disc >= 0, "complex roots";
    (-b + sqrt(disc))/(2*a)
}

fn quadratic_nan(a: f64, b: f64, c: f64) -> f64 { (-b - sqrt(b^2 - 4*a*c))/(2*a) }

// Orbit: period and true anomaly.
fn kepler(a: f64, e: f64, M: f64, mu: f64) -> (period: f64, anomaly: f64) {
    var E = M;
    for k in 0..8 { E = E - (E - e*sin(E) - M)/(1 - e*cos(E)); }
    (2*PI*sqrt(a^3/mu), 2*atan2(sqrt(1 + e)*sin(E/2), sqrt(1 - e)*cos(E/2)))
}

// Rabi oscillation of an atom in a field of n photons, on resonance.
fn rabi(g: f64, t: f64, n: i64) -> f64 {
    let omega = sqrt(4*g^2*f64(n));
    sin(omega*t/2)^2
}

fn lorentz_factor(v: f64) -> f64 { 1/sqrt(1 - v^2) }

fn rapidity(v: f64) -> f64 { acosh(1/sqrt(1 - v^2)) }

fn reduced_mass_energy(m1: f64, m2: f64, p: f64) -> f64 {
    let mu = m1*m2/(m1 + m2);
    sqrt(mu)*p^2/(2*mu) + log(m1/m2)
}

fn nernst(c_in: f64, c_out: f64, T: f64, z: f64) -> f64 {
    8.314*T/(z*96485.0)*log(c_out/c_in)
}

fn debye_huckel(I: f64, z: f64, a: f64) -> f64 { -0.509*z^2*sqrt(I)/(1 + a*sqrt(I)) }

fn snell(n1: f64, n2: f64, theta: f64) -> f64 {
    assert n1 > 0 && n2 > 0, "indices of refraction";
    asin(n1*sin(theta)/n2)
}

fn van_der_waals(V: f64, T: f64, a: f64, b: f64) -> f64 {
    assert V > b, "the volume exceeds that of the molecules";
    8.314*T*log(V - b) + a/V
}

// Sutherland's viscosity, for temperatures in kelvin.
fn sutherland(T: f64) -> f64 {
    assert T > 100.0, "in kelvin";
    1.458e-6*T^1.5/(T + 110.4)
}

fn iterated_log(x: f64) -> f64 { log(log(x)) }

fn ellipse_arc(a: f64, b: f64) -> f64 {
    assert a >= b && b > 0, "a is the larger axis";
    let e2 = 1 - (b/a)^2;
    PI*(3*(a + b) - sqrt((3*a + b)*(a + 3*b))) + sqrt(e2)
}

fn gamma_ratio(x: f64, y: f64) -> f64 { exp(lgamma(x) - lgamma(y))*digamma(x) }

fn blackbody(nu: f64, T: f64) -> f64 { log(nu^3/(exp(nu/T) - 1)) }

fn yukawa[N](r: f64[N], q: f64[N], kappa: f64) -> f64 {
    sum(q[i]*exp(-kappa*r[i])/sqrt(r[i]) for i)
}

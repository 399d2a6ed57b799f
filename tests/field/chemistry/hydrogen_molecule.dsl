// Hartree-Fock energy of H2 in a minimal basis of three Gaussians per atom (STO-3G), in hartree; lengths in bohr.

/// Sum of (-t)^k/(k! (2 k + n)).
fn series(t: f64, n: i64 in [1, 3]) -> f64 {
    var total = 0.0;
    var term = 1.0;
    for k in 0..22 {
        total += term/f64(2*k + n);
        term *= -t/f64(k + 1);
    }
    total
}

/// Boys' function F0, by its series for small arguments; its derivative is -F1.
fn boys(t: f64 in [0, INF)) -> f64 {
    if t < 1 { series(t, 1) } else { 0.5*sqrt(PI/t)*erf(sqrt(t)) }
}
rule partial boys(t) { d t: if t < 1 { -series(t, 3) } else { 0.5*(exp(-t) - out)/t }; }

/// Overlap of two contracted functions of exponents a at a distance d.
fn overlap(a: f64[3] in (0, INF), c: f64[3], d: f64) -> f64 {
    sum(c[i]*c[j]*(PI/(a[i] + a[j]))^1.5*exp(-a[i]*a[j]/(a[i] + a[j])*d^2) for i in 0..3, j in 0..3)
}

/// Core Hamiltonian between such functions at xa, xb, with nuclei at 0 and r.
fn core(a: f64[3] in (0, INF), c: f64[3], xa: f64, xb: f64, r: f64) -> f64 {
    sum({
        let p = a[i] + a[j];
        let m = a[i]*a[j]/p*(xa - xb)^2;
        let x = (a[i]*xa + a[j]*xb)/p;
        let kinetic = a[i]*a[j]/p*(3 - 2*m)*(PI/p)^1.5;
        c[i]*c[j]*exp(-m)*(kinetic - 2*PI/p*(boys(p*x^2) + boys(p*(x - r)^2)))
    } for i in 0..3, j in 0..3)
}

fn repulsion(a: f64[3] in (0, INF), c: f64[3], x: f64[4]) -> f64 {
    sum({
        let p = a[i] + a[j];
        let q = a[k] + a[l];
        let w = c[i]*c[j]*c[k]*c[l]*exp(-a[i]*a[j]/p*(x[0] - x[1])^2 - a[k]*a[l]/q*(x[2] - x[3])^2);
        let d = (a[i]*x[0] + a[j]*x[1])/p - (a[k]*x[2] + a[l]*x[3])/q;
        2*PI^2.5*w/(p*q*sqrt(p + q))*boys(p*q/(p + q)*d^2)
    } for i in 0..3, j in 0..3, k in 0..3, l in 0..3)
}

/// Energy at distance r; zeta scales the orbitals.
fn hartree_fock(r: f64 in (0, INF), zeta: f64 in [0.5, 2]) -> f64 {
    let a = zeta^2*[2.227660584, 0.405771156, 0.109818040];
    let c = [0.154328967, 0.535328142, 0.444634542]*(2*a/PI)^0.75;
    let s = overlap(a, c, 0) + overlap(a, c, r);
    let two = repulsion(a, c, [0, 0, 0, 0])
        + repulsion(a, c, [0, 0, r, r])
        + 2*repulsion(a, c, [0, r, 0, r])
        + 4*repulsion(a, c, [0, 0, 0, r]);
    2*(core(a, c, 0, 0, r) + core(a, c, 0, r, r))/s + two/(2*s^2) + 1/r
}

check hartree_fock { r in [0.8, 4]; zeta in [1, 1.4]; }

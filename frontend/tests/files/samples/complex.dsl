// Complex numbers: mixed arithmetic, Wirtinger rules, domains.

fn mobius(z: c128 in disk(0.9), a: c128 in disk(0.9)) -> c128 {
    (z - a)/(1 - conj(a)*z)
}

fn energy(z: c128, a: f64) -> f64 {
    let w = exp(a*z) + 2.5i*z - (1 + 1i)*conj(z);
    abs2(w) + re(w)*im(w) + arg(w)^2
}

fn polar(z: c128 in annulus(0.5, 2)) -> (r: f64, t: f64) { (abs(z), arg(z)) }

fn real_part(z: c128) -> f64 { re(z^3 - 1) + abs(sqrt(z)) }

fn cube(z: c128) -> c128 { z^3 }
rule partial cube(z) { d z: 3*z^2; }
rule jvp cube(z; dz) { 3*z^2*dz }

fn norm2(z: c128, a: f64) -> f64 { a*abs2(z) }
rule partial norm2(z, a) {
    d z: a*conj(z);
    d a: { let r = re(z); let i = im(z); r*r + i*i };
}
rule vjp norm2(z, a; g) { (2*g*a*z, g*abs2(z)) }

fn skew(z: c128, w: c128) -> c128 { z*conj(w) }
#[check(trust)]
rule partial skew(z, w) { d z: conj(w); dconj z: 0; d w: 0; dconj w: z }

fn split(z: c128) -> (f64, c128) { (re(z), cis(im(z))) }
rule jvp split(z; dz) { let (_, c) = out; (re(dz), 1i*im(dz)*c) }
rule vjp split(z; g) { let (g0, g1) = g; let (_, c) = out; g0 + 1i*re(conj(1i*c)*g1) }

check mobius { z ~ disk(0.8); a ~ annulus(0.1, 0.7); }
check polar { z ~ near(1 + 1i, 0.3); }
check energy { z ~ normal(0, 1); a = 0.7; wrt z; }

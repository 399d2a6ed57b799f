// Supernova cosmology: chi squared of distance moduli for a curved universe of matter and a cosmological constant.

const C: f64 = 299792.458; // km/s

/// H0/H at redshift z.
fn slowness(z: f64 in [0, 5], om: f64 in [0, 1], ol: f64 in [0, 1]) -> f64 {
    1/sqrt(om*(1 + z)^3 + (1 - om - ol)*(1 + z)^2 + ol)
}

fn simpson(f: fn(f64) -> f64, b: f64) -> f64 {
    let h = b/64;
    h/3*(f(0) + f(b) + sum(f64(2 + 2*mod(i, 2))*f(h*f64(i)) for i in 1..64))
}

/// sinh(sqrt(k) chi)/sqrt(k), or with the sine for negative k.
fn transverse(chi: f64, k: f64) -> f64 {
    let s = k*chi^2;
    if abs(s) < 1e-3 {
        chi*(1 + s/6 + s^2/120 + s^3/5040 + s^4/362880)
    } else if s > 0 {
        sinh(sqrt(k)*chi)/sqrt(k)
    } else {
        sin(sqrt(-k)*chi)/sqrt(-k)
    }
}

fn modulus(z: f64 in (0, 5], h0: f64 in (0, INF), om: f64 in [0, 1], ol: f64 in [0, 1]) -> f64 {
    let chi = simpson(slowness(_, om, ol), z);
    25 + 5*log10((1 + z)*C/h0*transverse(chi, 1 - om - ol))
}

fn chi_square[N](
    z: f64[N] in (0, 5],
    m: f64[N],
    sigma: f64[N] in (0, INF),
    h0: f64 in (0, INF),
    om: f64 in [0, 1],
    ol: f64 in [0, 1],
) -> f64 {
    sum(((modulus(z[i], h0, om, ol) - m[i])/sigma[i])^2 for i)
}

check chi_square[N = 6] {
    z in [0.05, 1.5]; m in [36, 45]; sigma in [0.1, 0.3]; h0 in [65, 75]; om in [0.2, 0.4];
    ol in [0.5, 0.8];
}

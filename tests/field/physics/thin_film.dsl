// Reflectance, transmittance and absorptance of a stack of thin films in s-polarised light, by characteristic matrices.
// Indices are n - ik; thicknesses are in wavelengths; light comes from air at the angle theta.

fn thin_film[L](
    n: c128[L],
    d: f64[L],
    ns: f64 in [1, 4],
    theta: f64,
) -> (reflected: f64, transmitted: f64, absorbed: f64) {
    let c0 = cos(theta);
    let s0 = sin(theta);
    let etas = sqrt(ns^2 - s0^2);
    var b = c128(1, 0);
    var c = c128(etas, 0);
    for k in 0..L {
        let j = L - 1 - k; // from the substrate outwards
        let eta = sqrt(n[j]^2 - s0^2);
        let delta = 2*PI*d[j]*eta;
        let next = cos(delta)*b + 1i*sin(delta)/eta*c;
        c = 1i*eta*sin(delta)*b + cos(delta)*c;
        b = next;
    }
    let r = (c0*b - c)/(c0*b + c);
    let t = 4*c0*etas/abs2(c0*b + c);
    (abs2(r), t, 1 - abs2(r) - t)
}

check thin_film[L = 4] {
    n ~ near(2 - 0.2i, 0.5); d in [0.05, 0.4]; ns in [1.4, 1.6]; theta in [0, 1.2];
}

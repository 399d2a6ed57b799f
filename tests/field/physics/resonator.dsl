// The Gaussian mode of an optical resonator: two flat mirrors with a thin lens between them, by ray transfer matrices.

fn way(l: f64) -> f64[2, 2] { [[1, l], [0, 1]] }

fn lens(f: f64) -> f64[2, 2] { [[1, 0], [-1/f, 1]] }

/// Radius of a beam of complex parameter q.
fn spot(q: c128, wavelength: f64 in (0, INF)) -> f64 { sqrt(wavelength/(PI*abs(im(1/q)))) }

/// Radii at the first mirror and at the lens, and what rounding leaves of det M = 1.
fn mode(
    l1: f64 in (0, 0.5),
    l2: f64 in (0, 0.5),
    f: f64 in [0.5, 1],
    wavelength: f64 in (0, INF),
) -> (waist: f64, at_lens: f64, defect: f64) {
    let M = way(l1) @ lens(f) @ way(2*l2) @ lens(f) @ way(l1);
    let half = 0.5*(M[0, 0] + M[1, 1]);
    let curvature = (M[1, 1] - M[0, 0])/(2*M[0, 1]);
    let q = 1/c128(curvature, -sqrt(1 - half^2)/abs(M[0, 1]));
    (spot(q, wavelength), spot(q + l1, wavelength), det(M) - 1)
}

check mode { l1 in [0.2, 0.45]; l2 in [0.2, 0.45]; f in [0.5, 0.7]; wavelength = 1.064e-6; }

// Ultraviolet spectrum as a sum of Gaussian bands: amplitudes by least squares, so that only places and widths are fitted.

/// Wavelengths in nm, absorbances, and K bands with centres and logarithms of widths.
fn projected[N, K](
    wavelength: f64[N],
    absorbance: f64[N],
    centre: f64[K],
    log_width: f64[K],
) -> (misfit: f64, area: f64[K], balance: f64[K]) {
    let w = exp(log_width);
    let Phi = [exp(-0.5*((wavelength[i] - centre[k])/w[k])^2) for i, k];
    let a = solve(Phi' @ Phi + 1e-4*eye(K), Phi' @ absorbance);
    let r = absorbance - Phi @ a;
    // The last result is Phi' r - 1e-4 a, which least squares makes 0.
    (
        dot(r, r),
        a*w*sqrt(2*PI),
        Phi' @ r - 1e-4*a,
    )
}

check projected[N = 9, K = 2] {
    wavelength ~ near([220.0, 235.0, 250.0, 265.0, 280.0, 295.0, 310.0, 325.0, 340.0], 3);
    absorbance in [0, 1.5];
    centre ~ near([250.0, 300.0], 5);
    log_width in [2.5, 3.5];
}

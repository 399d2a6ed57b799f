// Deblurring of an image with total variation: the energy before and after three steps of descent.

/// The binomial kernel 1 2 1 in both directions; borders are repeated.
fn blurred[H, W](u: f64[H, W]) -> f64[H, W] {
    let rows = [
        0.25*u[max(i - 1, 0), j] + 0.5*u[i, j] + 0.25*u[min(i + 1, H - 1), j]
        for i in 0..H, j in 0..W
    ];
    [
        0.25*rows[i, max(j - 1, 0)] + 0.5*rows[i, j] + 0.25*rows[i, min(j + 1, W - 1)]
        for i in 0..H, j in 0..W
    ]
}

fn energy[H, W](u: f64[H, W], f: f64[H, W], lambda: f64) -> f64 {
    let variation = sum({
        let dx = u[min(i + 1, H - 1), j] - u[i, j];
        let dy = u[i, min(j + 1, W - 1)] - u[i, j];
        sqrt(dx^2 + dy^2 + 0.01)
    } for i in 0..H, j in 0..W);
    0.5*sum((blurred(u) - f)^2) + lambda*variation
}

fn descent[H, W](f: f64[H, W], lambda: f64, rate: f64) -> (before: f64, after: f64) {
    var u = f;
    for _ in 0..3 { u -= rate*grad(energy, wrt = u)(u, f, lambda); }
    (energy(f, f, lambda), energy(u, f, lambda))
}

check descent[H = 5, W = 4] { f in [0, 1]; lambda in [0.01, 0.2]; rate in [0.05, 0.3]; }

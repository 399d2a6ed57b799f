// The ultrasensitive switch of Goldbeter and Koshland: modified part of a protein, and its response coefficient.

/// Kinase and phosphatase rates u, v; saturation constants j, k.
fn switched(u: f64 in (0, INF), v: f64 in (0, INF), j: f64 in (0, INF), k: f64 in (0, INF)) -> f64 {
    let b = v - u + v*j + u*k;
    let root = sqrt(b^2 - 4*(v - u)*u*k);
    if b > 0 { 2*u*k/(b + root) } else { 0.5*(b - root)/(v - u) } // whichever does not cancel
}

/// The part, d ln w/d ln u, and what the steady state u (1 - w)/(j + 1 - w) = v w/(k + w) leaves over.
fn response(
    u: f64 in (0, INF),
    v: f64 in (0, INF),
    j: f64 in (0, INF),
    k: f64 in (0, INF),
) -> (w: f64, coefficient: f64, defect: f64) {
    let (w, dw) = value_and_grad(switched, wrt = u)(u, v, j, k);
    (w, u*dw/w, u*(1 - w)/(j + 1 - w) - v*w/(k + w))
}

check response { u in [0.5, 1.5]; v in [0.6, 1.6]; j in [0.05, 0.5]; k in [0.05, 0.5]; }

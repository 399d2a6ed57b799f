// One wrong entry of a million.
fn m25_one_entry(#[nodiff] A: f64[1000, 1000], x: f64[1000]) -> f64[1000] { A @ x }
rule jvp m25_one_entry(A, x; dx) {
    var y = A @ dx;
    y[417] += 1e-6*A[417, 802]*dx[802];
    y
}
check m25_one_entry { A in [0.5, 1.5]; x in [0.5, 1.5]; points 1; modes fast; }

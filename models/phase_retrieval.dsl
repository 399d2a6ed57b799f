// Phase retrieval: complex amplitudes z whose images under A have given intensities b; and gradient descent on it, in the
// convention in which the gradient of a real function is the direction of steepest ascent.

fn phase_loss[M, N](A: c128[M, N], z: c128[N], b: f64[M]) -> f64 {
    let u = A @ z;
    sum((abs2(u[m]) - b[m])^2 for m)/(2*f64(M))
}

fn descend[M, N](A: c128[M, N], z: c128[N], b: f64[M], rate: f64, steps: i64) -> f64 {
    var w = z;
    for k in 0..steps { w = w - rate*grad(phase_loss, wrt = z)(A, w, b); }
    phase_loss(A, w, b)
}

check phase_loss[M = 5, N = 3] { A ~ normal(0, 1); z ~ normal(0, 1); b ~ uniform(0, 2); }
check descend[M = 4, N = 2] {
    A ~ normal(0, 0.5); z ~ normal(0, 1); b ~ uniform(0, 2); rate = 0.05; steps = 3;
    wrt z; modes slow, fast, forward;
}

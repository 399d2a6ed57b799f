// Logistic regression, a hand-written rule with a mistake in it, phase retrieval.
// logistic regression -------------------------------------------------------
fn soft(t: f64) -> f64 { if t > 0 { t + log1p(exp(-t)) } else { log1p(exp(t)) } }

fn nll[N, D](X: f64[N, D], y: f64[N], w: f64[D], lam: f64) -> f64 {
    let z = X @ w;
    sum(soft(z[i]) - y[i]*z[i] for i) / f64(N) + 0.5*lam*sum(w[j]^2 for j)
}

check nll[N = 40, D = 5] {
    X ~ normal(0, 1);  y ~ choice(0.0, 1.0);  w ~ normal(0, 1);  lam = 0.1;
    wrt w, lam;
}

// a hand-written derivative, and a mistake in it ------------------------------
fn logistic(t: f64) -> f64 { 1 / (1 + exp(-t)) }
rule vjp logistic(t; g) { 2*g*out*(1 - out) }          // wrong: factor 2

fn energy[N](x: f64[N]) -> f64 { sum(logistic(x[i])^2 for i) }
check energy[N = 6] { x ~ normal(0, 2); }

// complex ---------------------------------------------------------------------
fn phase_loss[M, N](A: c128[M, N], z: c128[N], b: f64[M]) -> f64 {
    let u = A @ z;
    sum((abs2(u[m]) - b[m])^2 for m) / (2*f64(M))
}

// A portfolio with given shares of risk (budgets): cyclic coordinate descent on x'Sx/2 - b'log x, each step the positive root
// of a quadratic. At the end the risk contributions are the budgets.

fn risk_parity[N, K](
    B: f64[N, K],
    log_specific: f64[N],
    logits: f64[N],
) -> (weights: f64[N], contributions: f64[N]) {
    let S = B @ B' + diag(exp(2*log_specific));
    let budget = softmax(logits);
    var x = [1/sqrt(S[i, i]) for i];
    for _ in 0..150 {
        for i in 0..N {
            let c = S[i] @ x - S[i, i]*x[i];
            x[i] = (sqrt(c^2 + 4*S[i, i]*budget[i]) - c)/(2*S[i, i]);
        }
    }
    let w = x/sum(x);
    let marginal = S @ w;
    (w, w*marginal/dot(w, marginal))
}

check risk_parity[N = 5, K = 2] {
    B ~ normal(0, 0.2); log_specific in [-2.5, -1.5]; logits ~ normal(0, 0.5);
}

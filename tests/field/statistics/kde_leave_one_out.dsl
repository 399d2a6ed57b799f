// Bandwidth choice for a kernel density estimate: the leave-one-out log-likelihood, each point masked from its own sum.

fn loo[N](x: f64[N], log_h: f64) -> f64 {
    let h = exp(log_h);
    let norm_const = log(f64(N - 1)) + log_h + 0.5*log(2*PI);
    let each = [
        logsumexp([if i == j { -INF } else { -0.5*((x[i] - x[j])/h)^2 } for j]) - norm_const
        for i
    ];
    mean(each)
}

check loo[N = 10] { x ~ normal(0, 2); log_h in [-1, 1]; }

// The positive-part James-Stein estimator that shrinks batting averages towards their common mean (Efron and Morris),
// with Stein's unbiased estimate of its risk.

fn james_stein[N](x: f64[N], log_sigma: f64) -> (estimate: f64[N], risk: f64) {
    let s2 = exp(2*log_sigma);
    let centre = mean(x);
    let r = x - centre;
    let spread = sum(r^2);
    let p = f64(N - 3);
    let shrink = p*s2/spread;
    let estimate = centre + max(1 - shrink, 0)*r;
    let risk = if shrink < 1 { f64(N)*s2 - p^2*s2^2/spread } else { spread - f64(N - 2)*s2 };
    (estimate, risk)
}

check james_stein[N = 9] { x ~ normal(0.27, 0.1); log_sigma in [-3.5, -2]; outputs estimate; }
check james_stein[N = 6] { x ~ normal(0, 3); log_sigma in [-0.5, 0.2]; }

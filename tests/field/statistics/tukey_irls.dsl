// Robust regression with Tukey's biweight: twenty rounds of iteratively reweighted least squares with a known scale.

fn biweight(u: f64) -> f64 { if abs(u) < 1 { (1 - u^2)^2 } else { 0 } }

fn tukey[N, P](X: f64[N, P], y: f64[N], scale: f64 in (0, INF), ridge: f64 in (0, INF)) -> f64[P] {
    var beta = solve(X' @ X + ridge*eye(P), X' @ y);
    for _ in 0..20 {
        let r = y - X @ beta;
        let w = [biweight(r[i]/(4.685*scale)) for i];
        let XtW = [X[i, p]*w[i] for p, i];
        beta = solve(XtW @ X + ridge*eye(P), XtW @ y);
    }
    beta
}

check tukey[N = 10, P = 2] {
    X ~ normal(0, 1); y ~ normal(0, 2); scale in [0.7, 1.2]; ridge = 0.05;
}

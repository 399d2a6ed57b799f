// Recursive least squares with forgetting: the taps after all samples, and the error before each update.

fn rls[N, L](
    x: f64[N],
    y: f64[N],
    w0: f64[L],
    forgetting: f64 in [0.8, 1],
) -> (w: f64[L], error: f64) {
    var w = w0;
    var P = 10*eye(L);
    var error = 0.0;
    for n in 0..N {
        let u = [(if n >= k { x[n - k] } else { 0.0 }) for k in 0..L];
        let Pu = P @ u;
        let g = Pu/(forgetting + dot(u, Pu));
        let e = y[n] - dot(w, u);
        w += e*g;
        P = (P - outer(g, Pu))/forgetting;
        error += e^2;
    }
    (w, error)
}

check rls[N = 12, L = 3] {
    x ~ normal(0, 1); y ~ normal(0, 1); w0 ~ normal(0, 0.1); forgetting in [0.9, 1];
}

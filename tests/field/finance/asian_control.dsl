// An arithmetic Asian call by simulation with the geometric Asian call, which has a closed form, as control variate.

fn cdf(x: f64) -> f64 { 0.5*erfc(-x/sqrt(2)) }

fn geometric_call(s: f64, k: f64, r: f64, vol: f64, t: f64, n: f64) -> f64 {
    let dt = t/n;
    let m = log(s) + (r - 0.5*vol^2)*dt*(n + 1)/2;
    let sd = vol*sqrt(dt*(n + 1)*(2*n + 1)/(6*n));
    let d = (m - log(k))/sd;
    exp(-r*t)*(exp(m + 0.5*sd^2)*cdf(d + sd) - k*cdf(d))
}

fn asian_call[M, N](
    #[nodiff] z: f64[M, N],
    s: f64 in (0, INF),
    k: f64 in (0, INF),
    r: f64,
    vol: f64 in (0, INF),
    t: f64 in (0, INF),
) -> f64 {
    let dt = t/f64(N);
    let difference = mean({
        let x = log(s) + cumsum((r - 0.5*vol^2)*dt + vol*sqrt(dt)*z[m]);
        let arithmetic = mean(exp(x));
        let geometric = exp(mean(x));
        max(arithmetic - k, 0) - max(geometric - k, 0)
    } for m);
    geometric_call(s, k, r, vol, t, f64(N)) + exp(-r*t)*difference
}

check asian_call[M = 10, N = 8] {
    z ~ normal(0, 1); s in [90, 110]; k in [90, 110]; r in [0, 0.05]; vol in [0.15, 0.5];
    t in [0.5, 2];
}

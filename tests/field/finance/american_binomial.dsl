// An American put on the tree of Cox, Ross and Rubinstein with N steps; at each node the larger of holding and exercising.

fn american_put[N](
    spot: f64 in (0, INF),
    strike: f64 in (0, INF),
    rate: f64,
    vol: f64 in (0, INF),
    maturity: f64 in (0, INF),
) -> f64 {
    let dt = maturity/f64(N);
    let up = exp(vol*sqrt(dt));
    let p = (exp(rate*dt) - 1/up)/(up - 1/up);
    let discount = exp(-rate*dt);
    var v = [max(strike - spot*up^(2*j - N), 0) for j in 0..N + 1];
    for m in 1..N + 1 {
        let n = N - m;
        for j in 0..n + 1 {
            let hold = discount*(p*v[j + 1] + (1 - p)*v[j]);
            v[j] = max(hold, strike - spot*up^(2*j - n));
        }
    }
    v[0]
}

check american_put[N = 12] {
    spot in [80, 120]; strike in [80, 120]; rate in [0.01, 0.08]; vol in [0.15, 0.5];
    maturity in [0.25, 2];
}

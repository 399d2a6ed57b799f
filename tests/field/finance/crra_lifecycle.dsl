// Consumption and saving over a life: expected discounted utility with constant relative risk aversion over scenarios of stock
// returns, for given propensities to consume and shares of stocks. The last period consumes what is left.

fn utility(c: f64, #[nodiff] gamma: f64) -> f64 {
    if gamma == 1 { log(c) } else { expm1((1 - gamma)*log(c))/(1 - gamma) }
}

fn lifecycle[S, T](
    R: f64[S, T] in (0, INF),
    wealth: f64 in (0, INF),
    income: f64[T] in [0, INF),
    propensity: f64[T],
    share: f64[T],
    riskless: f64 in (0, INF),
    patience: f64 in (0, 1),
    #[nodiff] gamma: f64,
) -> (value: f64, certain: f64) {
    let value = mean({
        var w = wealth;
        var u = 0;
        for t in 0..T {
            w += income[t];
            let c = if t == T - 1 { w } else { w*sigmoid(propensity[t]) };
            u += patience^t*utility(c, gamma);
            w = (w - c)*(riskless + sigmoid(share[t])*(R[s, t] - riskless));
        }
        u
    } for s in 0..S);
    let weights = sum(patience^t for t in 0..T);
    let level = value/weights;
    (value, if gamma == 1 { exp(level) } else { exp(log1p((1 - gamma)*level)/(1 - gamma)) })
}

check lifecycle[S = 5, T = 6] {
    R in [0.8, 1.3];
    wealth in [0.5, 5];
    income in [0.5, 1.5];
    propensity ~ normal(0, 1);
    share ~ normal(0, 1);
    riskless = 1.02;
    patience in [0.9, 0.99];
    gamma ~ choice(1.0, 2.0, 4.0);
}

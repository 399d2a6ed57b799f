// Merton's structural credit model: value and volatility of a firm's assets from those of its equity, by Newton's method in two
// unknowns; then distance to default, its probability, and the credit spread.

fn cdf(x: f64) -> f64 { 0.5*erfc(-x/sqrt(2)) }

fn newton[N](f: fn(f64[N]) -> f64[N], start: f64[N]) -> f64[N] {
    var x = start;
    for _ in 0..25 { x -= solve(jacobian(f, wrt = 0)(x), f(x)); }
    x
}

/// Relative errors of equity value and equity volatility at x = (log assets, log asset volatility).
fn mismatch(x: f64[2], equity: f64, equity_vol: f64, debt: f64, r: f64, t: f64) -> f64[2] {
    let assets = exp(x[0]);
    let w = exp(x[1])*sqrt(t);
    let d1 = (x[0] - log(debt) + r*t)/w + 0.5*w;
    let call = assets*cdf(d1) - debt*exp(-r*t)*cdf(d1 - w);
    [call/equity - 1, cdf(d1)*exp(x[1])*assets/(equity*equity_vol) - 1]
}

fn merton_credit(
    equity: f64 in (0, INF),
    equity_vol: f64 in (0, INF),
    debt: f64 in (0, INF),
    r: f64,
    t: f64 in (0, INF),
) -> (distance: f64, probability: f64, spread: f64) {
    let start = [log(equity + debt), log(equity_vol*equity/(equity + debt))];
    let x = newton(mismatch(_, equity, equity_vol, debt, r, t), start);
    let w = exp(x[1])*sqrt(t);
    let distance = (x[0] - log(debt) + r*t)/w - 0.5*w;
    let bond = exp(x[0]) - equity;
    (distance, cdf(-distance), -log(bond/debt)/t - r)
}

check merton_credit {
    equity in [2, 8]; equity_vol in [0.3, 0.6]; debt in [5, 10]; r in [0.01, 0.05]; t in [1, 3];
}

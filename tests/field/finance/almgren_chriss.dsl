// Optimal liquidation (Almgren and Chriss): the trajectory of holdings is a hyperbolic sine, expected cost and variance of the
// shortfall follow. Parameters have their usual, small, magnitudes.

fn liquidation[N](
    shares: f64,
    sigma: f64 in (0, INF),
    eta: f64 in (0, INF),
    gamma: f64,
    half_spread: f64,
    aversion: f64 in (0, INF),
    tau: f64 in (0, INF),
) -> (cost: f64, variance: f64, holding: f64[N + 1]) {
    let impact = eta - 0.5*gamma*tau;
    let kappa = 2/tau*asinh(0.5*tau*sigma*sqrt(aversion/impact));
    let horizon = tau*f64(N);
    let x = [shares*sinh(kappa*(horizon - tau*f64(j)))/sinh(kappa*horizon) for j in 0..N + 1];
    let sold = [x[j] - x[j + 1] for j in 0..N];
    let cost = 0.5*gamma*shares^2 + half_spread*sum(sold) + impact/tau*sum(sold^2);
    (cost, sigma^2*tau*sum(x[1:]^2), x)
}

check liquidation[N = 8] {
    shares = 1e6;
    sigma in [0.5, 1.2];
    eta in [2e-6, 3e-6];
    gamma in [2e-7, 3e-7];
    half_spread = 0.0625;
    aversion in [5e-7, 4e-6];
    tau in [0.5, 1];
}

// A basket call by Monte Carlo in single precision, as on graphics cards: given normal draws, assets correlated through the
// Cholesky factor of an equicorrelation matrix.

fn basket_call[M, N](
    #[nodiff] z: f32[M, N],
    spot: f32[N],
    vol: f32[N],
    weight: f32[N],
    strike: f32,
    rate: f32,
    rho: f32 in [0, 1),
    t: f32 in (0, INF),
) -> f32 {
    let L = cholesky((1 - rho)*eye(N) + fill(rho, N, N));
    let payoff = [{
        let w = L @ z[m];
        let end = spot*exp((rate - 0.5*vol^2)*t + sqrt(t)*vol*w);
        max(dot(weight, end) - strike, 0)
    } for m];
    exp(-rate*t)*mean(payoff)
}

check basket_call[M = 12, N = 4] {
    z ~ normal(0, 1);
    spot in [80, 120];
    vol in [0.1, 0.4];
    weight in [0.2, 0.3];
    strike in [95, 105];
    rate = 0.02;
    rho in [0.1, 0.8];
    t in [0.5, 2];
}

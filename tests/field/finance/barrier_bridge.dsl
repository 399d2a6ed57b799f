// A down-and-out call on simulated paths; between two dates the path survives with the probability that a Brownian bridge
// stays above the barrier, which makes the payoff continuous.

fn bridge_survival(x: f64, y: f64, variance: f64) -> f64 {
    if x > 0 && y > 0 { -expm1(-2*x*y/variance) } else { 0 }
}

fn down_and_out[M, N](
    #[nodiff] z: f64[M, N],
    s: f64,
    k: f64,
    barrier: f64,
    r: f64,
    vol: f64,
    t: f64,
) -> f64 {
    let dt = t/f64(N);
    let total = sum({
        var x = log(s/barrier);
        var alive = 1.0;
        for n in 0..N {
            let y = x + (r - 0.5*vol^2)*dt + vol*sqrt(dt)*z[m, n];
            alive *= bridge_survival(x, y, vol^2*dt);
            x = y;
        }
        alive*max(barrier*exp(x) - k, 0)
    } for m in 0..M);
    exp(-r*t)*total/f64(M)
}

check down_and_out[M = 8, N = 6] {
    z ~ normal(0, 1);
    s in [95, 110];
    k in [90, 105];
    barrier in [70, 88];
    r in [0, 0.05];
    vol in [0.15, 0.4];
    t in [0.5, 1.5];
}

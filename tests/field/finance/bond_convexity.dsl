// Duration, convexity and key-rate durations of a stream of cash flows, as derivatives of its present value with respect to a
// parallel shift and to the zero rates. Key-rate durations add up to the duration.

fn present_value[N](shift: f64, zero: f64[N], cash: f64[N], t: f64[N]) -> f64 {
    sum(cash[i]*exp(-(zero[i] + shift)*t[i]) for i)
}

fn bond_risk[N](
    zero: f64[N],
    cash: f64[N],
    t: f64[N],
) -> (duration: f64, convexity: f64, key: f64[N], gap: f64) {
    let (p, dp) = value_and_grad(present_value, wrt = shift)(0.0, zero, cash, t);
    let d2p = hessian(present_value, wrt = shift)(0.0, zero, cash, t);
    let key = -grad(present_value, wrt = zero)(0.0, zero, cash, t)/p;
    (-dp/p, d2p/p, key, sum(key) + dp/p)
}

check bond_risk[N = 8] { zero in [0.01, 0.06]; cash in [2, 100]; t in [0.5, 12]; }

// A diagonal state-space layer (S4D): complex modes with decay and frequency, discretised by zero-order hold, run over a signal.

fn ssm[T, N](
    u: f64[T],
    log_decay: f64[N],
    frequency: f64[N],
    B: c128[N],
    C: c128[N],
    skip: f64,
    log_dt: f64,
) -> f64[T] {
    let dt = exp(log_dt);
    let mode = [c128(-exp(log_decay[n]), frequency[n]) for n];
    let A = exp(dt*mode);
    let input = expm1(dt*mode)/mode*B;
    var state: c128[N] = zeros(N);
    var y = zeros(T);
    for t in 0..T {
        state = A*state + u[t]*input;
        y[t] = 2*re(C @ state) + skip*u[t];
    }
    y
}

check ssm[T = 12, N = 3] {
    u ~ normal(0, 1);
    log_decay in [-2, 0];
    frequency in [0, 6];
    B ~ normal(0, 1);
    C ~ normal(0, 1);
    skip ~ normal(0, 1);
    log_dt in [-3, -1];
}

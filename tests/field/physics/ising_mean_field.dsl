// Mean-field magnetisations of Ising spins with couplings J in fields h, iterated until they agree with themselves.

fn mean_field[N](J: f64[N, N], h: f64[N], beta: f64 in (0, INF)) -> (m: f64[N], free: f64) {
    let S = 0.5*(J + J');
    var m = tanh(beta*h);
    var change = 1.0;
    var turns = 0;
    while change > 1e-12 && turns < 400 {
        let next = 0.5*m + 0.5*tanh(beta*(h + S @ m));
        change = max(abs(next - m));
        m = next;
        turns += 1;
    }
    // Free energy: energy counted twice, less the logarithm of 2 cosh of each local field.
    let x = beta*(h + S @ m);
    (m, 0.5*dot(m, S @ m) - sum(logaddexp(x, -x))/beta)
}

check mean_field[N = 5] { J in [-0.4, 0.4]; h ~ normal(0, 1); beta in [0.3, 1.2]; }

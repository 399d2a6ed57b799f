// A modern Hopfield network (Ramsauer et al.): iterate the update until the state rests, and the energy at the end.

fn energy[M, D](state: f64[D], X: f64[M, D], beta: f64) -> f64 {
    0.5*dot(state, state) - logsumexp(beta*X @ state)/beta
}

fn retrieve[M, D](
    X: f64[M, D],
    cue: f64[D],
    beta: f64 in (0, INF),
) -> (state: f64[D], energy: f64) {
    var state = cue;
    var change = 1.0;
    var turns = 0;
    while change > 1e-12 && turns < 2000 {
        let next = softmax(beta*X @ state) @ X;
        change = norm(next - state);
        state = next;
        turns += 1;
    }
    (state, energy(state, X, beta))
}

check retrieve[M = 5, D = 4] { X ~ normal(0, 1.5); cue ~ normal(0, 1); beta in [1, 4]; }

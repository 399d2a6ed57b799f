// An Ising ring with bonds and fields of its own at each site, by transfer matrices: free energy, magnetisations, energy.

/// Log of the partition function. The matrix is rescaled on the way; the scale itself need not be differentiated.
fn log_z[N](J: f64[N], h: f64[N], beta: f64) -> f64 {
    var T = eye(2);
    var scale = 0;
    for i in 0..N {
        let a = beta*J[i];
        let b = beta*h[i];
        let W = T @ [[exp(a + b), exp(b - a)], [exp(-a - b), exp(a - b)]];
        let top = stop_gradient(max(W));
        T = W/top;
        scale += log(top);
    }
    scale + log(trace(T))
}

fn thermodynamics[N](
    J: f64[N],
    h: f64[N],
    beta: f64 in (0, INF),
) -> (free: f64, m: f64[N], energy: f64) {
    let (gh, gb) = grad(log_z, wrt = (h, beta))(J, h, beta);
    (-log_z(J, h, beta)/beta, gh/beta, -gb)
}

check thermodynamics[N = 6] { J ~ normal(0, 1); h ~ normal(0, 0.5); beta in [0.2, 2]; }

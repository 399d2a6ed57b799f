// The Rosenbrock function of N variables.

fn rosenbrock[N](x: f64[N]) -> f64 {
    sum(100*(x[i + 1] - x[i]^2)^2 + (1 - x[i])^2 for i in 0..N - 1)
}

check rosenbrock[N = 6] { x in [-1.5, 1.5]; }
bench rosenbrock[N = 1000] { x = load("data/rosenbrock_x.npy"); modes primal, vjp; max_ratio 5; }

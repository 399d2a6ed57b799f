// GradBench lse: the logarithm of a sum of exponentials, shifted by the largest. Its gradient is the softmax.

fn lse[N](x: f64[N]) -> f64 {
    let a = max(x);
    a + log(sum(exp(x[i] - a) for i))
}

check lse[N = 7] { x ~ normal(0, 2); }
bench lse[N = 2500] { x = load("data/lse_2500_x.npy"); modes primal, vjp; max_ratio 5; }

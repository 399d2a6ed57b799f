fn rosenbrock[N](x: f64[N]) -> f64 {
    sum(100*(x[i + 1] - x[i]^2)^2 + (1 - x[i])^2 for i in 0..N - 1)
}
check rosenbrock {}

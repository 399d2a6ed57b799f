fn drawdown[N](r: f64[N]) -> f64 {
    max(
        prod(1 + r[j] for j in 0..i + 1)/max(prod(1 + r[j] for j in 0..k + 1) for k in 0..i + 1)
        for i in 0..N
    )
}
check drawdown[N = 5] { r in [-0.2, 0.3]; }

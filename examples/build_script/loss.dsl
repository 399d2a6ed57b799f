// How far a line through points is from the values there.

fn loss[N](a: f64[2], x: f64[N], y: f64[N]) -> f64 {
    assert a[1] > 0, "the line rises";
    sum((a[0] + a[1]*x[i] - y[i])^2 for i)
}

check loss[N = 4] { a = [0.5, 1.5]; x ~ normal(0, 1); y ~ normal(0, 1); }

fn g[N](x: f64, v: f64[N], k: i64 in [7, 9], n: i64 in [0, 0]) -> f64 {
    var s = x;
    for i in 0..n { s = s*v[k] + sin(s); }
    s
}

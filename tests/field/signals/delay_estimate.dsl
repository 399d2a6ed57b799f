// Delay between two microphones: the peak of the circular cross-correlation, refined by a parabola through its neighbours.

fn locate[N](x: f64[N], y: f64[N]) -> (delay: f64, height: f64) {
    let r = [sum(x[n]*y[mod(n + l, N)] for n) for l in 0..N];
    let k = argmax(r[l] for l);
    let before = r[mod(k - 1, N)];
    let after = r[mod(k + 1, N)];
    let p = 0.5*(before - after)/(before - 2*r[k] + after);
    (f64(k) + p, r[k] - 0.25*(before - after)*p)
}

check locate[N = 8] { x ~ normal(0, 1); y ~ normal(0, 1); }

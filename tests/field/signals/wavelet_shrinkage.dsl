// Denoising by one level of Daubechies' wavelet D4 on a periodic signal: details are shrunk, energies compared.

/// Soft threshold.
fn shrink(x: f64, t: f64 in (0, INF)) -> f64 { sign(x)*max(abs(x) - t, 0) }
rule partial shrink(x, t) { d x: f64(abs(x) > t); d t: -sign(x)*f64(abs(x) > t); }

fn denoise[N](x: f64[2*N], t: f64 in (0, INF)) -> (y: f64[2*N], parseval: f64) {
    let r = sqrt(3);
    let c = [1 + r, 3 + r, 3 - r, 1 - r]/(4*sqrt(2));
    let g = [c[3], -c[2], c[1], -c[0]];
    let low = [sum(c[k]*x[mod(2*i + k, 2*N)] for k) for i in 0..N];
    let high = [sum(g[k]*x[mod(2*i + k, 2*N)] for k) for i in 0..N];
    var y = zeros(2*N);
    for i in 0..N {
        let detail = shrink(high[i], t);
        for k in 0..4 { y[mod(2*i + k, 2*N)] += c[k]*low[i] + g[k]*detail; }
    }
    (y, dot(x, x) - dot(low, low) - dot(high, high))
}

check denoise[N = 5] { x ~ normal(0, 1); t in [0.1, 1]; }

// Distance of two frames of sound by their real cepstra, low quefrencies weighted; the loudness of a frame is left out.

fn cepstrum[N](x: f64[N]) -> f64[N] {
    let lg = [{
        let s = sum(x[n]*cis(-2*PI*f64(k*n)/f64(N)) for n);
        0.5*log(abs2(s) + 1e-6)
    } for k in 0..N];
    [mean(lg[k]*cos(2*PI*f64(k*q)/f64(N)) for k in 0..N) for q in 0..N]
}

fn distance[N](x: f64[N], y: f64[N], decay: f64) -> f64 {
    let c = cepstrum(x) - cepstrum(y);
    sqrt(sum((exp(-decay*f64(q))*c[q])^2 for q in 1..N) + 1e-12)
}

check distance[N = 8] { x ~ normal(0, 1); y ~ normal(0, 1); decay in [0.1, 0.5]; }

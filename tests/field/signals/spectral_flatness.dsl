// Spectral flatness of a real frame in single precision, in decibels. It does not change with the loudness.

fn flatness[N](x: f32[N], volume: f32 in [0.5, 2]) -> f32 {
    let p = [{
        let a = sum(volume*x[n]*cos(2*PI*f32(k*n)/f32(N)) for n);
        let b = sum(volume*x[n]*sin(2*PI*f32(k*n)/f32(N)) for n);
        a^2 + b^2
    } for k in 0..div(N, 2) + 1];
    10*(mean(log10(p)) - log10(mean(p)))
}

check flatness[N = 11] { x ~ normal(0, 1); }

// Windows, filters and transforms.

fn valid_convolution[M, N](h: f64[M], x: f64[N]) -> f64[N - M + 1] {
    [sum(h[k]*x[i + M - 1 - k] for k in 0..M) for i in 0..N - M + 1]
}

fn full_convolution[M, N](h: f64[M], x: f64[N]) -> f64[M + N - 1] {
    var y = zeros(M + N - 1);
    for i in 0..M { for j in 0..N { y[i + j] += h[i]*x[j]; } }
    y
}

fn second_difference[N](x: f64[N]) -> f64 {
    sum((x[i - 2] - 2*x[i - 1] + x[i])^2 for i in 2..N)
}

fn five_point[N](x: f64[N]) -> f64[N - 4] {
    [(x[i] - 8*x[i + 1] + 8*x[i + 3] - x[i + 4])/12 for i in 0..N - 4]
}

fn hann[N](x: f64[N]) -> f64 {
    sum(x[n]*0.5*(1 - cos(2*PI*f64(n)/f64(N - 1))) for n in 0..N)
}

fn kaiser_window[N](x: f64[N], beta: f64) -> f64 {
    sum(x[n]*exp(beta*sqrt(1 - (2*f64(n)/f64(N - 1) - 1)^2)) for n in 0..N)
}

// Recursive FFT: transforms of the even and the odd samples.
fn fft[N](x: c128[N]) -> c128[N] {
    if N == 1 {
        x
    } else {
        assert mod(N, 2) == 0, "a power of two";
        let h = div(N, 2);
        let even = fft([x[2*k] for k in 0..div(N, 2)]);
        let odd = fft([x[2*k + 1] for k in 0..div(N, 2)]);
        [even[mod(k, h)] + cis(-2*PI*f64(k)/f64(N))*odd[mod(k, h)] for k in 0..N]
    }
}

// The same without an assertion: a wrong size goes past the end.
fn dit[N](x: c128[N]) -> c128[N] {
    if N == 1 {
        x
    } else {
        let even = dit([x[2*k] for k in 0..div(N, 2)]);
        let odd = dit([x[2*k + 1] for k in 0..div(N, 2)]);
        [
            if k < div(N, 2) {
                even[k] + cis(-2*PI*f64(k)/f64(N))*odd[k]
            } else {
                even[k - div(N, 2)] + cis(-2*PI*f64(k)/f64(N))*odd[k - div(N, 2)]
            }
            for k in 0..N
        ]
    }
}

fn haar[N](x: f64[N]) -> f64 {
    assert mod(N, 2) == 0, "an even number of samples";
    sum((x[2*i] - x[2*i + 1])^2 for i in 0..div(N, 2))
}

fn delay[N](x: f64[N], lag: i64) -> f64 {
    sum(x[i]*x[i - lag] for i in lag..N)/f64(N - lag)
}

fn spectral_flatness[N](P: f64[N]) -> f64 { exp(mean(log(P)))/mean(P) }

fn decibel(p: f64, ref: f64) -> f64 { 10*log10(p/ref) }

fn downsample[N](x: f64[N], step_: i64) -> f64 {
    sum(x[i]^2 for i in 0..N step step_)
}

fn butterworth_gain(w: f64, wc: f64, order: i64) -> f64 {
    assert order >= 1, "order";
    1/sqrt(1 + (w/wc)^(2*order))
}

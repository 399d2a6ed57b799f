// A stack of gated causal convolutions with two taps and dilations 1, 2, 4, … (WaveNet) on a single channel; each layer is
// added to its input and to the output.

fn layer[T](h: f64[T], tap: f64[2, 2], bias: f64[2], dilation: i64) -> f64[T] {
    let past = [if t >= dilation { h[t - dilation] } else { 0.0 } for t in 0..T];
    tanh(tap[0, 0]*past + tap[0, 1]*h + bias[0])*sigmoid(tap[1, 0]*past + tap[1, 1]*h + bias[1])
}

fn wavenet[T, L](x: f64[T], taps: f64[L, 2, 2], biases: f64[L, 2], skip: f64[L]) -> f64[T] {
    var h = x;
    var out = zeros(T);
    for l in 0..L {
        let g = layer(h, taps[l], biases[l], 2^l);
        h += g;
        out += skip[l]*g;
    }
    out
}

check wavenet[T = 12, L = 3] {
    x ~ normal(0, 1); taps ~ normal(0, 0.7); biases ~ normal(0, 0.2); skip ~ normal(0, 1);
}

// One OFDM symbol through a multipath channel with a carrier offset, equalised with one tap a carrier: error vector power.

fn transmit[N](symbols: c128[N]) -> c128[N] {
    [sum(symbols[k]*cis(2*PI*f64(k*n)/f64(N)) for k)/f64(N) for n in 0..N]
}

/// The cyclic prefix makes the convolution with the channel circular.
fn receive[N, L](
    symbols: c128[N],
    channel: c128[L],
    offset: f64,
) -> (equalised: c128[N], evm: f64) {
    let t = transmit(symbols);
    let r = [cis(2*PI*offset*f64(n)/f64(N))*sum(channel[l]*t[mod(n - l, N)] for l) for n in 0..N];
    let Y = [sum(r[n]*cis(-2*PI*f64(k*n)/f64(N)) for n) for k in 0..N];
    let H = [sum(channel[l]*cis(-2*PI*f64(k*l)/f64(N)) for l) for k in 0..N];
    let e = Y/H;
    (e, mean(abs2(e - symbols)))
}

check receive[N = 8, L = 3] {
    symbols ~ annulus(0.9, 1.1); channel ~ near([1 + 0i, 0.3 + 0.2i, -0.1i], 0.1);
    offset in [-0.1, 0.1];
}
// Without an offset the symbols come back as they were, whatever the channel.
check receive[N = 8, L = 3] {
    symbols ~ disk(1); channel ~ near([1 + 0i, 0.3i, 0.1 + 0i], 0.1); offset = 0;
    wrt symbols, channel;
}

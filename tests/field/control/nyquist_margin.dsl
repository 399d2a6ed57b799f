// Stability margin of a loop with dead time: the smallest distance of its Nyquist curve from -1 on sixty frequencies, sharp
// and smoothed.

fn open_loop(w: f64, k: f64, zero: f64, damping: f64, delay: f64) -> c128 {
    let s = c128(0, w);
    k*(s + zero)/(s*(s^2 + 2*damping*s + 1))*cis(-w*delay)
}

fn margin(k: f64, zero: f64, damping: f64, delay: f64) -> (sharp: f64, smooth: f64) {
    let distance = [{
        let w = 10^(3*f64(i)/59 - 2);
        abs(1 + open_loop(w, k, zero, damping, delay))
    } for i in 0..60];
    (min(distance), -logsumexp(-50*distance)/50)
}

check margin { k in [0.1, 0.5]; zero in [0.5, 2]; damping in [0.4, 1]; delay in [0, 0.5]; }

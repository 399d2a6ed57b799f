// A two-level atom in a Gaussian pulse, in the rotating frame: excitation by 200 exact short steps, which keep the norm.

fn pulse(peak: f64, width: f64, detuning: f64) -> (excited: f64, total: f64) {
    let h = 0.05;
    var g = c128(1, 0);
    var e = c128(0, 0);
    for k in 0..200 {
        let t = h*(f64(k) + 0.5) - 5;
        let rabi = peak*exp(-(t/width)^2);
        let rate = hypot(rabi, detuning);
        let c = cos(0.5*h*rate);
        let s = 0.5*h*sinc(h*rate/(2*PI)); // sin(h rate/2)/rate
        let next = c*g - 1i*s*(rabi*e - detuning*g);
        e = c*e - 1i*s*(rabi*g + detuning*e);
        g = next;
    }
    (abs2(e), abs2(g) + abs2(e))
}

check pulse { peak in [0.5, 3]; width in [0.8, 2]; detuning in [-1, 1]; }

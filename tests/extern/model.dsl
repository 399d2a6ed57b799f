// Extern functions with hand-written derivatives.
extern fn tank(inflow: f64, rate: f64, volume: f64) -> f64;
rule vjp tank(inflow, rate, volume; g) {
    let d = 1 + rate*volume;
    (g/d, -g*out*volume/d, -g*out*rate/d)
}

/// Three tanks in a row.
fn cascade(inflow: f64, rate: f64, volume: f64) -> f64 {
    let first = tank(inflow, rate, volume);
    let second = tank(first, rate, volume);
    tank(second, rate, 2*volume)
}

extern fn rotate(z: c128, phi: f64) -> (turned: c128, length: f64);
rule jvp rotate(z, phi; dz, dphi) {
    let (turned, length) = out;
    (dz*cis(phi) + 1i*turned*dphi, re(conj(z)*dz)/length)
}

fn aligned(z: c128, phi: f64) -> f64 {
    let (turned, length) = rotate(z, phi);
    re(turned)*length
}

extern fn scaled_power(n: i64, scaled: bool, x: f64) -> f64;
rule partial scaled_power(n, scaled, x) { d x: f64(n)*out/x; }

fn powers(x: f64) -> f64 { scaled_power(3, false, x) + scaled_power(2, true, x) }

check tank {
    inflow in [1, 5]; rate in [0.5, 1]; volume in [0.5, 2]; modes slow, fast, forward, gradgrad;
}
check cascade {
    inflow in [5, 9]; rate in [0.3, 0.6]; volume in [0.5, 1]; modes slow, fast, forward;
}
check aligned { z ~ near(1 + 1i, 0.3); phi in [0.1, 0.3]; modes slow, fast, forward; }
check powers { x in [0.5, 2]; modes slow, fast, forward, gradgrad; }

// A digital phase-locked loop on complex samples in single precision: the phase it follows and the frequency it finds.

/// Phase detector: the part of x in quadrature with the local oscillator.
fn detector(x: c64, phi: f32) -> f32 { im(x*cis(-phi)) }
rule vjp detector(x, phi; g) { (g*1i*cis(phi), -g*re(x*cis(-phi))) }

fn follow[N](x: c64[N], kp: f32, ki: f32) -> (phase: f32[N], frequency: f32) {
    var phase = zeros(N);
    var phi = 0.0;
    var frequency = 0.0;
    for n in 0..N {
        let e = detector(x[n], phi);
        frequency += ki*e;
        phi += frequency + kp*e;
        phase[n] = phi;
    }
    (phase, frequency)
}

check follow[N = 10] { x ~ annulus(0.5, 1.5); kp in [0.1, 0.5]; ki in [0.01, 0.1]; }

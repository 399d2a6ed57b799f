// Design of a low-pass filter: the windowed sinc, and how far its amplitude response is from the ideal one.

/// Taps with cut-off fc (cycles per sample), of unit gain at frequency 0.
fn taps[N](window: f64[N], fc: f64) -> f64[N] {
    let centre = 0.5*f64(N - 1);
    let h = [2*fc*sinc(2*fc*(f64(n) - centre))*window[n] for n];
    h/sum(h)
}

/// Real amplitude of symmetric taps at the frequency f.
fn amplitude[N](h: f64[N], f: f64) -> f64 {
    sum(h[n]*cos(2*PI*f*(f64(n) - 0.5*f64(N - 1))) for n)
}

fn design_error[N](window: f64[N] in (0, 1], fc: f64 in (0, 0.5)) -> (pass: f64, stop: f64) {
    let h = taps(window, fc);
    (
        mean((amplitude(h, 0.1*f64(k)/20) - 1)^2 for k in 0..20),
        max(abs(amplitude(h, 0.3 + 0.01*f64(k))) for k in 0..20),
    )
}

check design_error[N = 9] { window in [0.2, 1]; fc in [0.12, 0.28]; }

// Franck-Condon factors: overlaps of a displaced and squeezed ground state with the levels of a harmonic oscillator.

/// The first N eigenfunctions at x, by the recurrence of normalised Hermite functions.
fn levels[N](x: f64) -> f64[N] {
    var psi = zeros(N);
    var a = 0.0;
    var b = exp(-0.5*x^2)/PI^0.25;
    for n in 0..N {
        psi[n] = b;
        let next = sqrt(2/f64(n + 1))*x*b - sqrt(f64(n)/f64(n + 1))*a;
        a = b;
        b = next;
    }
    psi
}

/// Ground state of an oscillator of relative frequency s.
fn ground(x: f64, s: f64 in (0, INF)) -> f64 { (s/PI)^0.25*exp(-0.5*s*x^2) }

/// Probabilities of the first N levels, by the trapezoidal rule on [-10, 10], and what is left for the others.
fn factors[N](d: f64, s: f64 in (0, INF)) -> (p: f64[N], rest: f64) {
    let overlap = 0.1
        * sum({
            let x = 0.1*f64(k) - 10;
            ground(x - d, s)*levels[N](x)
        } for k in 0..201);
    let p = overlap^2;
    (p, 1 - sum(p))
}

check factors[N = 6] { d in [-2, 2]; s in [0.5, 2]; }

// Linear prediction by the autocorrelation method: Levinson's recursion, reflection coefficients, and the spectral envelope.

/// Prediction polynomial (leading 1) and reflection coefficients from P correlations, and the power that is left.
fn levinson[P](r: f64[P]) -> (a: f64[P], k: f64[P], left: f64) {
    var a = zeros(P);
    var k = zeros(P);
    var left = r[0];
    a[0] = 1;
    for m in 1..P {
        let c = -sum(a[j]*r[m - j] for j in 0..m)/left;
        var b = a;
        for j in 1..m { b[j] = a[j] + c*a[m - j]; }
        b[m] = c;
        a = b;
        k[m] = c;
        left *= 1 - c^2;
    }
    (a, k, left)
}

/// Order 4; a little noise keeps the recursion regular.
fn envelope[N](x: f64[N], omega: f64) -> (k: f64[5], decibels: f64) {
    let r = [sum(x[n]*x[n - l] for n in l..N) for l in 0..5];
    let (a, k, left) = levinson(r + [0.01, 0, 0, 0, 0]);
    let A = sum(a[j]*cis(-omega*f64(j)) for j);
    (k, 10*log10(left/abs2(A)))
}

check envelope[N = 10] { x ~ normal(0, 1); omega in [0.1, 3]; }

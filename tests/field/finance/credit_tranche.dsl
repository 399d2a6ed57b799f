// Expected loss of a tranche of N loans in the one-factor Gaussian copula: given the factor, defaults are independent and their
// number is built up name by name; the factor is integrated on a grid.

fn cdf(x: f64) -> f64 { 0.5*erfc(-x/sqrt(2)) }

fn tranche[N](
    threshold: f64[N],
    loading: f64[N],
    severity: f64,
    attach: f64,
    detach: f64,
) -> (expected: f64, total: f64) {
    let a = 0.98*tanh(loading);
    let step_size = 0.25;
    var expected = 0;
    var total = 0;
    for q in 0..41 {
        let y = step_size*f64(q) - 5;
        let weight = step_size*exp(-0.5*y^2)/sqrt(2*PI);
        var count = zeros(N + 1);
        count[0] = 1;
        for i in 0..N {
            let p = cdf((threshold[i] - a[i]*y)/sqrt(1 - a[i]^2));
            let before = count;
            for k in 0..i + 1 { count[k] = before[k]*(1 - p); }
            for k in 0..i + 1 { count[k + 1] += before[k]*p; }
        }
        for k in 0..N + 1 {
            let loss = severity*f64(k)/f64(N);
            expected += weight*count[k]*clamp(loss - attach, 0, detach - attach);
            total += weight*count[k];
        }
    }
    (expected/(detach - attach), total)
}

check tranche[N = 8] {
    threshold in [-2.5, -1]; loading in [0.1, 0.8]; severity in [0.5, 0.7]; attach = 0.1;
    detach = 0.3;
}

// Bubble temperature of an ideal mixture: Antoine's equation and Newton's method, with the vapour that forms.

/// Vapour pressure in kPa at t degrees Celsius.
fn antoine(t: f64, a: f64, b: f64, c: f64) -> f64 { 10^(a - b/(c + t)) }

fn pressure[N](t: f64, x: f64[N], a: f64[N], b: f64[N], c: f64[N]) -> f64 {
    sum(x[i]*antoine(t, a[i], b[i], c[i]) for i)
}

/// Temperature, composition of the vapour, and relative volatility of the first component to the last.
fn bubble[N](
    feed: f64[N] in (0, INF),
    p: f64 in [50, 200],
    a: f64[N] in [5.9, 6.3],
    b: f64[N] in [1100, 1500],
    c: f64[N] in [200, 230],
) -> (t: f64, y: f64[N], volatility: f64) {
    let x = feed/sum(feed);
    var t = 80.0;
    var change = 1.0;
    var turns = 0;
    while abs(change) > 1e-10 && turns < 50 {
        let (total, slope) = value_and_grad(pressure, wrt = t)(t, x, a, b, c);
        change = log(total/p)*total/slope; // Newton's step for log p
        t -= change;
        turns += 1;
    }
    let y = [x[i]*antoine(t, a[i], b[i], c[i])/p for i];
    (t, y, y[0]*x[N - 1]/(x[0]*y[N - 1]))
}

check bubble[N = 3] {
    feed in [0.2, 1]; p in [90, 110]; a in [5.95, 6.2]; b in [1150, 1400]; c in [205, 225];
}

// Titration of a triprotic acid with strong base: pH along the curve by Newton's method on the charge balance, and a fit.

/// Mean charge of the acid at the hydrogen activity h.
fn charge(h: f64, pk: f64[3]) -> f64 {
    let k = cumprod(exp(-log(10)*pk));
    let terms = [h^3, k[0]*h^2, k[1]*h, k[2]];
    -sum(f64(i)*terms[i] for i)/sum(terms)
}

/// Positive minus negative charge at a pH; the acid is ca, the base cb (mol/L).
fn imbalance(ph: f64, ca: f64, cb: f64, pk: f64[3]) -> f64 {
    let h = 10^(-ph);
    h + cb - 1e-14/h + ca*charge(h, pk)
}

fn acidity(ca: f64, cb: f64, pk: f64[3]) -> f64 {
    var ph = 7.0;
    var change = 1.0;
    var turns = 0;
    while abs(change) > 1e-11 && turns < 100 {
        let (f, df) = value_and_grad(imbalance, wrt = ph)(ph, ca, cb, pk);
        change = clamp(f/df, -0.5, 0.5);
        ph -= change;
        turns += 1;
    }
    ph
}

/// Mean squared misfit; the acid has concentration ca in 20 mL, the base 0.1 mol/L is added by volumes (mL).
fn misfit[N](
    volume: f64[N] in [0, 60],
    measured: f64[N],
    ca: f64 in [0.01, 1],
    pk: f64[3] in [1, 13],
) -> f64 {
    mean(
        (acidity(20*ca/(20 + volume[i]), 0.1*volume[i]/(20 + volume[i]), pk) - measured[i])^2
        for i
    )
}

check misfit[N = 5] {
    volume in [2, 50]; measured in [2, 12]; ca in [0.05, 0.15]; pk ~ near([2.15, 7.2, 12.3], 0.1);
}

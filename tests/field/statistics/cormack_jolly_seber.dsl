// Capture-recapture of marked animals (Cormack-Jolly-Seber): survival phi[t] from occasion t to t + 1, recapture
// p[t] at occasion t + 1; chi[t] is the probability of never being seen after t.

fn cormack[N, T](seen: bool[N, T], logit_phi: f64[T - 1], logit_p: f64[T - 1]) -> f64 {
    let phi = sigmoid(logit_phi);
    let p = sigmoid(logit_p);
    var chi = ones(T);
    for s in 0..T - 1 {
        let t = T - 2 - s;
        chi[t] = 1 - phi[t] + phi[t]*(1 - p[t])*chi[t + 1];
    }
    var ll = 0;
    for i in 0..N {
        var first = T;
        var last = 0;
        for t in 0..T {
            if seen[i, t] {
                first = min(first, t);
                last = t;
            }
        }
        if first < T {
            for t in first..last {
                ll += log(phi[t]);
                if seen[i, t + 1] { ll += log(p[t]); } else { ll += log1p(-p[t]); }
            }
            ll += log(chi[last]);
        }
    }
    -ll
}

check cormack[N = 8, T = 6] {
    seen ~ choice(true, false, false); logit_phi ~ normal(1, 0.5); logit_p ~ normal(0, 0.5);
}

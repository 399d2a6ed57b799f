// Discount factors from par swap rates with annual payments, one after the other; then a swap that starts in a year. The par
// rates that the factors give back are those that went in.

fn bootstrap[N](par: f64[N]) -> f64[N] {
    var discount = zeros(N);
    var annuity = 0;
    for n in 0..N {
        discount[n] = (1 - par[n]*annuity)/(1 + par[n]);
        annuity += discount[n];
    }
    discount
}

fn forward_swap[N](
    par: f64[N],
    fixed: f64,
    notional: f64,
) -> (rate: f64, value: f64, repriced: f64[N]) {
    let p = bootstrap(par);
    let annuity = sum(p[1:]);
    let rate = (p[0] - p[N - 1])/annuity;
    let total = cumsum(p);
    (rate, notional*(rate - fixed)*annuity, [(1 - p[i])/total[i] for i])
}

check forward_swap[N = 9] { par in [0.01, 0.05]; fixed in [0.01, 0.05]; notional = 1e8; }

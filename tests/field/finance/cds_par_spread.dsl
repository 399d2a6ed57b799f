// A credit default swap with a piecewise constant hazard rate: par spread with accrual on default, and the upfront payment of
// a contract with a running coupon.

fn cds[N](
    log_hazard: f64[N],
    zero: f64[N],
    recovery: f64 in [0, 1],
    coupon: f64,
) -> (spread: f64, upfront: f64) {
    let survival = concat([1.0], exp(-cumsum(exp(log_hazard))));
    var premium = 0;
    var protection = 0;
    for n in 0..N {
        let years = f64(n + 1);
        let discount = exp(-zero[n]*years);
        let half_year = exp(-zero[n]*(years - 0.5));
        let dying = survival[n] - survival[n + 1];
        premium += discount*survival[n + 1] + 0.5*half_year*dying;
        protection += (1 - recovery)*half_year*dying;
    }
    (protection/premium, protection - coupon*premium)
}

check cds[N = 7] {
    log_hazard in [-5, -2.5]; zero in [0.01, 0.05]; recovery in [0.2, 0.6]; coupon = 0.01;
}

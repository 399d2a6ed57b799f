// A pool of thirty-year mortgages that prepay at a multiple of the PSA curve: value of the 360 monthly cash flows at a given
// rate, and average life of the principal, which does not depend on the size of the pool.

const MONTHS: i64 = 360;

fn pool(
    balance: f64,
    coupon: f64 in (0, 1),
    psa: f64,
    rate: f64 in (0, 1),
) -> (value: f64, average_life: f64) {
    let c = coupon/12;
    var left = balance;
    var value = 0;
    var years = 0;
    for m in 0..MONTHS {
        let interest = c*left;
        let payment = interest/(-expm1(-f64(MONTHS - m)*log1p(c)));
        let scheduled = payment - interest;
        let cpr = 0.06*psa*f64(min(m + 1, 30))/30;
        let smm = -expm1(log1p(-cpr)/12);
        let prepaid = smm*(left - scheduled);
        value += (payment + prepaid)*exp(-f64(m + 1)*log1p(rate/12));
        years += (scheduled + prepaid)*f64(m + 1)/12;
        left -= scheduled + prepaid;
    }
    (value, years/balance)
}

check pool { balance in [1e6, 5e6]; coupon in [0.03, 0.07]; psa in [0.5, 4]; rate in [0.02, 0.08]; }

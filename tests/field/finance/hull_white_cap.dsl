// A cap in the Hull-White model: each caplet is a put on a zero-coupon bond, priced from the initial zero curve.

fn cdf(x: f64) -> f64 { 0.5*erfc(-x/sqrt(2)) }

fn caplet(p1: f64, p2: f64, t1: f64, accrual: f64, strike: f64, a: f64, sigma: f64) -> f64 {
    let b = -expm1(-a*accrual)/a;
    let s = sigma*b*sqrt(-expm1(-2*a*t1)/(2*a));
    let x = 1/(1 + strike*accrual);
    let h = log(p2/(p1*x))/s + 0.5*s;
    (x*p1*cdf(s - h) - p2*cdf(-h))/x
}

fn cap[N](
    zero: f64[N],
    strike: f64,
    accrual: f64 in (0, INF),
    a: f64 in (0, INF),
    sigma: f64 in (0, INF),
) -> f64 {
    let p = [exp(-zero[i]*accrual*f64(i + 1)) for i];
    sum(caplet(p[i - 1], p[i], accrual*f64(i), accrual, strike, a, sigma) for i in 1..N)
}

check cap[N = 8] {
    zero in [0.025, 0.03]; strike in [0.02, 0.04]; accrual = 0.5; a in [0.03, 0.3];
    sigma in [0.006, 0.02];
}

// The yield of a bond with annual coupons from its price. The logarithm of the price is almost linear in the continuous yield,
// so Newton's method on it comes from everywhere.

fn price(x: f64, coupon: f64, years: i64) -> f64 {
    sum(coupon*exp(-x*f64(j)) for j in 1..years + 1) + 100*exp(-x*f64(years))
}

fn bond_yield(quote: f64 in (0, INF), coupon: f64 in [0, INF), years: i64 in [1, 50]) -> f64 {
    var x = 0.04;
    var p = price(x, coupon, years);
    while abs(p - quote) > 1e-11*quote {
        x -= log(p/quote)*p/grad(price, wrt = x)(x, coupon, years);
        p = price(x, coupon, years);
    }
    expm1(x)
}

check bond_yield { quote in [80, 120]; coupon in [1, 8]; years ~ int(2, 30); }

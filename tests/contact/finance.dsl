// Prices, yields and risk, as someone in finance writes them down first.

fn norm_cdf(x: f64) -> f64 { 0.5*erfc(-x/sqrt(2.0)) }

fn call_price(S: f64, K: f64, r: f64, sigma: f64, T: f64) -> f64 {
    let d1 = (log(S/K) + (r + 0.5*sigma^2)*T)/(sigma*sqrt(T));
    let d2 = d1 - sigma*sqrt(T);
    S*norm_cdf(d1) - K*exp(-r*T)*norm_cdf(d2)
}

fn basket[N](S: f64[N], K: f64, vol: f64[N], T: f64) -> f64 {
    sum({
        let d = log(S[i]/K)/(vol[i]*sqrt(T)) + 0.5*vol[i]*sqrt(T);
        S[i]*norm_cdf(d) - K*norm_cdf(d - vol[i]*sqrt(T))
    } for i in 0..N)/f64(N)
}

// Present value of a bond that pays n coupons.
fn bond(face: f64, coupon: f64, y: f64, n: i64) -> f64 {
    assert n > 0, "a bond has payments";
    var pv = face/(1 + y)^n;
    for k in 1..n + 1 { pv += coupon/(1 + y)^k; }
    pv
}

// Sharpe ratio of a portfolio.
fn sharpe[N](w: f64[N], mu: f64[N], cov: f64[N, N], rf: f64) -> f64 {
    (dot(w, mu) - rf)/sqrt(dot(w, cov @ w))
}

// Log utility of a bet with probability p of winning b to 1.
fn kelly(p: f64, b: f64, f: f64) -> f64 {
    p*log(1 + b*f) + (1 - p)*log(1 - f)
}

// Nelson-Siegel yield curve.
fn nelson_siegel(t: f64, b0: f64, b1: f64, b2: f64, tau: f64) -> f64 {
    assert tau > 0 && t > 0, "maturity and decay are positive";
    let x = t/tau;
    let s = (1 - exp(-x))/x;
    b0 + b1*s + b2*(s - exp(-x))
}

// CRRA utility of consumption.
fn crra[T](c: f64[T], beta: f64, gamma: f64) -> f64 {
    sum(beta^f64(t)*c[t]^(1 - gamma)/(1 - gamma) for t in 0..T)
}

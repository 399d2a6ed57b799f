// The largest Lyapunov exponent of the Lorenz system over two units of time, by a tangent that is kept at length 1.

fn slope(s: f64[3], sigma: f64, rho: f64, beta: f64) -> f64[3] {
    [sigma*(s[1] - s[0]), s[0]*(rho - s[2]) - s[1], s[0]*s[1] - beta*s[2]]
}

fn advance(s: f64[3], sigma: f64, rho: f64, beta: f64) -> f64[3] {
    let h = 0.01;
    let k1 = slope(s, sigma, rho, beta);
    let k2 = slope(s + 0.5*h*k1, sigma, rho, beta);
    let k3 = slope(s + 0.5*h*k2, sigma, rho, beta);
    let k4 = slope(s + h*k3, sigma, rho, beta);
    s + h/6*(k1 + 2*k2 + 2*k3 + k4)
}

fn exponent(s0: f64[3], sigma: f64, rho: f64, beta: f64) -> f64 {
    var s = s0;
    var v = [1.0, 0.0, 0.0];
    var total = 0;
    for _ in 0..200 {
        let (next, dv) = value_and_jvp(advance, wrt = s)(s, sigma, rho, beta; v);
        let size = norm(dv);
        total += log(size);
        v = dv/size;
        s = next;
    }
    0.5*total
}

check exponent {
    s0 ~ near([1.0, 2.0, 20.0], 1); sigma in [9, 11]; rho in [26, 30]; beta in [2.5, 2.8];
}

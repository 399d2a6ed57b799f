// The Lomb-Scargle periodogram of samples at uneven times: power at a frequency, unmoved by a shift of the clock.

fn power[N](t: f64[N], y: f64[N], omega: f64) -> f64 {
    let c = y - mean(y);
    let tau = 0.5/omega*atan2(sum(sin(2*omega*t)), sum(cos(2*omega*t)));
    let a = cos(omega*(t - tau));
    let b = sin(omega*(t - tau));
    0.5*(dot(c, a)^2/dot(a, a) + dot(c, b)^2/dot(b, b))
}

fn periodogram[N](t: f64[N], y: f64[N], omega: f64 in (0, INF), clock: f64) -> f64 {
    power(t + clock, y, omega)/mean((y - mean(y))^2)
}

check periodogram[N = 8] { t in [0, 10]; y ~ normal(0, 1); omega in [0.5, 3]; clock in [-1, 1]; }

// One change point in a series of yearly counts (coal mining disasters): Poisson rates before and after, the year of the
// change summed out. Also the posterior mean of that year.

fn changepoint[T](y: i64[T], log_before: f64, log_after: f64) -> (log_lik: f64, when: f64) {
    let total = concat([0.0], cumsum(f64(y)));
    let ll = [{
        let n = f64(t + 1);
        let early = total[t + 1]*log_before - n*exp(log_before);
        let late = (total[T] - total[t + 1])*log_after - (f64(T) - n)*exp(log_after);
        early + late
    } for t in 0..T - 1];
    let constant = sum(lgamma(f64(y[t]) + 1) for t);
    let posterior = softmax(ll);
    (logsumexp(ll) - log(f64(T - 1)) - constant, sum(posterior[t]*f64(t + 1) for t))
}

check changepoint[T = 12] { y ~ int(0, 6); log_before in [0.5, 1.5]; log_after in [-1, 0.5]; }

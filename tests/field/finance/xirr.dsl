// The internal rate of return of an outlay followed by payments on irregular days: in logarithms the present value is almost
// linear in the continuous rate, and Newton's method ends after a few turns.

fn xirr[N](outlay: f64 in (0, INF), payment: f64[N] in (0, INF), day: f64[N] in (0, INF)) -> f64 {
    let t = day/365;
    let log_payment = log(payment);
    var x = 0;
    var change = 1.0;
    while abs(change) > 1e-12 {
        let a = log_payment - x*t;
        change = (logsumexp(a) - log(outlay))/dot(softmax(a), t);
        x += change;
    }
    expm1(x)
}

check xirr[N = 6] { outlay in [80, 120]; payment in [10, 40]; day in [90, 1500]; }

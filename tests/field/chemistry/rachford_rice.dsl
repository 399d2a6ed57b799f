// Isothermal flash after Rachford and Rice: the vapour fraction by Newton's method, both phases, and their closure.

fn flash[N](
    feed: f64[N] in (0, INF),
    K: f64[N] in (0, INF),
) -> (vapour: f64, x: f64[N], closure: f64) {
    let z = feed/sum(feed);
    var v = 0.5;
    var change = 1.0;
    var turns = 0;
    while abs(change) > 1e-13 && turns < 40 {
        let t = (K - 1)/(1 + v*(K - 1));
        change = dot(z, t)/dot(z, t^2);
        v += change;
        turns += 1;
    }
    let x = z/(1 + v*(K - 1));
    (v, x, sum(x) - dot(K, x))
}

check flash[N = 4] { feed in [0.5, 1.5]; K ~ near([4.0, 1.5, 0.7, 0.2], 0.1); }

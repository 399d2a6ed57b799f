// Plackett-Luce model of rankings: each row of `order` lists items from best to worst, each choice is a softmax over the
// items that are left. The tail sums are built from the back. Adding a constant to all scores changes nothing.

fn plackett_luce[R, K, M](order: i64[R, K], score: f64[M], prior: f64) -> f64 {
    var ll = 0;
    for r in 0..R {
        var tail = -INF;
        for k in 0..K {
            let s = score[order[r, K - 1 - k]];
            tail = logaddexp(tail, s);
            ll += s - tail;
        }
    }
    ll - 0.5*prior*sum((score - mean(score))^2)
}

check plackett_luce[M = 5] {
    order = [[2, 0, 3], [0, 2, 4], [3, 1, 2], [4, 0, 1]];
    score ~ normal(0, 1.5);
    prior = 0.1;
}
check plackett_luce[R = 5, K = 4, M = 6] { order ~ int(0, 5); score ~ normal(0, 1); prior = 0; }

// Dirichlet-multinomial likelihood of count vectors, as for word counts of documents or reads of a gene's alleles.
// The gradient with respect to a category that was never seen is 0 in its own term.

fn dirichlet_multinomial[N, K](counts: i64[N, K], log_alpha: f64[K]) -> f64 {
    let alpha = exp(log_alpha);
    let total = sum(alpha);
    var ll = 0;
    for i in 0..N {
        let n = f64(sum(counts[i]));
        ll += lgamma(total) - lgamma(n + total) + lgamma(n + 1);
        for k in 0..K {
            let c = f64(counts[i, k]);
            ll += lgamma(c + alpha[k]) - lgamma(alpha[k]) - lgamma(c + 1);
        }
    }
    ll
}

check dirichlet_multinomial[N = 6, K = 4] { counts ~ int(0, 7); log_alpha in [-1, 2]; }

// Soft k-means: twenty-five rounds of responsibilities and weighted means from given centres, differentiated with respect to
// the data and the stiffness; the free energy at the end.

fn responsibilities[N, D, K](x: f64[N, D], c: f64[K, D], beta: f64) -> f64[N, K] {
    [softmax([-beta*sum((x[i] - c[k])^2) for k]) for i]
}

fn soft_kmeans[N, D, K](
    x: f64[N, D],
    start: f64[K, D],
    log_beta: f64,
) -> (energy: f64, centre: f64[K, D]) {
    let beta = exp(log_beta);
    var c = start;
    for _ in 0..25 {
        let R = responsibilities(x, c, beta);
        c = [sum(R[i, k]*x[i] for i)/sum(R[i, k] for i) for k];
    }
    let energy = -sum(logsumexp([-beta*sum((x[i] - c[k])^2) for k]) for i)/beta;
    (energy, c)
}

check soft_kmeans[N = 8, D = 2, K = 3] {
    x ~ normal(0, 1.5); start ~ normal(0, 1); log_beta in [-1, 0.5];
}

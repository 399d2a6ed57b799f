// GradBench kmeans: the cost of a clustering, and the Newton step of its centroids.

fn cost[N, K, D](points: f64[N, D], centroids: f64[K, D]) -> f64 {
    sum(min(sum((points[i, c] - centroids[k, c])^2 for c) for k in 0..K) for i in 0..N)
}

/// Gradient over the diagonal of the Hessian: how far each centroid is from the mean of its points.
fn direction[N, K, D](points: f64[N, D], centroids: f64[K, D]) -> f64[K, D] {
    let g = grad(cost, wrt = centroids)(points, centroids);
    let h = hvp(cost, wrt = centroids)(points, centroids; ones(K, D));
    [g[k, c]/h[k, c] for k, c]
}

check cost[N = 9, K = 3, D = 2] { points ~ uniform(0, 1); centroids ~ uniform(0, 1); }
// Every centroid has points here: the step of one without is 0/0.
check direction[N = 4, K = 2, D = 2] {
    points = [[0.1, 0.2], [0.3, 0.1], [0.9, 0.7], [0.8, 0.9]];
    centroids ~ near([[0.2, 0.2], [0.8, 0.8]], 0.1);
    wrt centroids; modes fast, forward;
}
bench cost[N = 1000, K = 10, D = 8] {
    points = load("data/kmeans_1000_8_points.npy"); centroids ~ uniform(0, 1);
    wrt centroids; modes primal, vjp; max_ratio 5;
}

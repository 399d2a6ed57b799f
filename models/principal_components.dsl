// Principal components: the directions in which data varies most, and how much.

fn centred[N, D](X: f64[N, D]) -> f64[N, D] {
    let centre = sum(X[n] for n)/f64(N);
    [X[n, i] - centre[i] for n, i]
}

fn covariance[N, D](X: f64[N, D]) -> f64[D, D] {
    let Y = centred(X);
    Y' @ Y / f64(N - 1)
}

/// The parts of the variance, the largest first.
fn explained[N, D](X: f64[N, D]) -> f64[D] {
    let w = flip(eigvalsh(covariance(X)));
    w/sum(w)
}

/// The standard deviations along the directions, from the data itself, which keeps the digits of small ones.
fn deviations[N, D](X: f64[D + N, D]) -> f64[D] { svdvals(centred(X))/sqrt(f64(D + N - 1)) }

/// The direction of the largest variance.
fn first_component[N, D](X: f64[N, D]) -> f64[D] {
    let (_, V) = eigh(covariance(X));
    V[:, D - 1]
}

/// The data along it, whose sign is that of the direction.
fn scores[N, D](X: f64[D + N, D]) -> f64[D + N] {
    let (U, s, _) = svd(centred(X));
    s[0]*U[:, 0]
}

/// A line through the data by least squares: offset and slope.
fn line[N](x: f64[N + 2], y: f64[N + 2]) -> f64[2] {
    let (Q, R) = qr([if j == 0 { 1.0 } else { x[n] } for n, j in 0..2]);
    solve(R, Q' @ y)
}

/// The mean without the two smallest and the two largest.
fn trimmed[N](x: f64[N + 4]) -> f64 { mean(sort(x)[2:N + 2]) }

check explained[N = 8, D = 3] { X ~ normal(0, 1); }
check deviations[N = 5, D = 3] { X ~ normal(0, 1); }
check scores[N = 4, D = 2] { X ~ normal(0, 1); }
check line[N = 4] { x ~ normal(0, 1); y ~ normal(0, 1); modes slow, forward, gradgrad; }
check first_component[N = 8, D = 3] { X ~ normal(0, 1); modes slow, forward, gradgrad; }
check trimmed[N = 3] { x ~ normal(0, 1); }

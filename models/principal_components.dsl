// Principal components: the directions in which data varies most, and how much.

fn centred[N, D](X: f64[N, D]) -> f64[N, D] {
    let centre = sum(X[n] for n)/f64(N);
    [X[n, i] - centre[i] for n, i]
}

fn covariance[N, D](X: f64[N, D]) -> f64[D, D] {
    let Y = centred(X);
    Y' @ Y/f64(N - 1)
}

/// The parts of the variance, the largest first.
fn explained[N, D](X: f64[N, D]) -> f64[D] {
    let w = flip(eigvalsh(covariance(X)));
    w/sum(w)
}

/// The direction of the largest variance.
fn first_component[N, D](X: f64[N, D]) -> f64[D] {
    let (w, V) = eigh(covariance(X));
    V[:, D - 1]
}

/// The mean without the two smallest and the two largest.
fn trimmed[N](x: f64[N + 4]) -> f64 { mean(sort(x)[2:N + 2]) }

check explained[N = 8, D = 3] { X ~ normal(0, 1); }
check first_component[N = 8, D = 3] { X ~ normal(0, 1); modes slow, forward, gradgrad; }
check trimmed[N = 3] { x ~ normal(0, 1); }

// NRTL activity coefficients of a mixture by the closed formula, compared with the derivative of the excess energy, which is
// the same.

/// Total excess Gibbs energy over R T of n moles.
fn excess[N](n: f64[N] in (0, INF), tau: f64[N, N], alpha: f64) -> f64 {
    let G = exp(-alpha*tau);
    sum(n[i]*sum(tau[j, i]*G[j, i]*n[j] for j)/sum(G[k, i]*n[k] for k) for i)
}

/// Logarithms of the activity coefficients, and by how much the derivative differs.
fn activity[N](
    n: f64[N] in (0, INF),
    tau0: f64[N, N],
    alpha: f64,
) -> (lg: f64[N], difference: f64[N]) {
    let tau = [(if i == j { 0.0 } else { tau0[i, j] }) for i in 0..N, j in 0..N];
    let G = exp(-alpha*tau);
    let x = n/sum(n);
    let low = [sum(G[k, j]*x[k] for k) for j in 0..N];
    let ratio = [sum(tau[m, j]*G[m, j]*x[m] for m)/low[j] for j in 0..N];
    let lg = [ratio[i] + sum(x[j]*G[i, j]/low[j]*(tau[i, j] - ratio[j]) for j) for i in 0..N];
    (lg, lg - grad(excess, wrt = n)(n, tau, alpha))
}

check activity[N = 3] { n in [0.5, 2]; tau0 ~ normal(0, 1); alpha in [0.2, 0.4]; }

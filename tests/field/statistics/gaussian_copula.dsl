// Gaussian copula with a one-factor correlation matrix R = a a' + diag(1 - a^2). The normal quantile is Acklam's rational
// approximation, polished by two Halley steps, and has its derivative by hand.

const A: f64[6] = [
    -39.69683028665376, 220.9460984245205, -275.9285104469687, 138.3577518672690,
    -30.66479806614716, 2.506628277459239,
];
const B: f64[6] = [
    -54.47609879822406, 161.5858368580409, -155.6989798598866, 66.80131188771972,
    -13.28068155288572, 1.0,
];
const C: f64[6] = [
    -0.007784894002430293, -0.3223964580411365, -2.400758277161838, -2.549732539343734,
    4.374664141464968, 2.938163982698783,
];
const D: f64[5] = [
    0.007784695709041462, 0.3224671290700398, 2.445134137142996, 3.754408661907416, 1.0,
];

fn horner[K](c: f64[K], x: f64) -> f64 {
    var s = 0;
    for k in 0..K { s = s*x + c[k]; }
    s
}

fn quantile(p: f64 in (0, 1)) -> f64 {
    var x = 0;
    if p < 0.02425 {
        let q = sqrt(-2*log(p));
        x = horner(C, q)/horner(D, q);
    } else if p > 0.97575 {
        let q = sqrt(-2*log1p(-p));
        x = -horner(C, q)/horner(D, q);
    } else {
        let q = p - 0.5;
        x = q*horner(A, q^2)/horner(B, q^2);
    }
    for _ in 0..2 {
        let u = (0.5*erfc(-x/sqrt(2)) - p)*sqrt(2*PI)*exp(0.5*x^2);
        x -= u/(1 + 0.5*x*u);
    }
    x
}
rule partial quantile(p) { d p: sqrt(2*PI)*exp(0.5*out^2); }

fn gaussian_copula[N, M](u: f64[N, M] in (0, 1), loading: f64[M]) -> f64 {
    let a = 0.95*tanh(loading);
    let R = [if i == j { 1.0 } else { a[i]*a[j] } for i, j];
    let L = cholesky(R);
    let Z = [quantile(u[n, m]) for n, m];
    let W = solve(L, Z');
    0.5*(sum(Z^2) - sum(W^2)) - f64(N)*sum(log(L[m, m]) for m)
}

check gaussian_copula[N = 6, M = 3] { u in [0.005, 0.995]; loading ~ normal(0, 1); }

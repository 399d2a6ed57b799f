// The logarithm of the determinant of a matrix of 100 by 100 parameters.

fn size[N](A: f64[N, N]) -> f64 { logdet(A) }

check size[N = 100] { A ~ normal(0, 1); }

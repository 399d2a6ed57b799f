// A matrix of rank one has the determinant 0, and so a derivative that is 0: rounding errors are all there is.

fn volume[N](a: f64[N], b: f64[N]) -> f64 { det(outer(a, b)) }

// Shape analysis of planar landmarks as complex vectors: the full Procrustes distance of two shapes and the best
// similarity of the first onto the second. The distance does not change when a shape is moved, turned or scaled.

fn centred[N](z: c128[N]) -> c128[N] { z - mean(z) }

fn procrustes[N](z: c128[N], w: c128[N]) -> (distance: f64, fit: c128[N]) {
    let a = centred(z);
    let b = centred(w);
    let overlap = dot(a, b);
    let turn = overlap/norm(a)^2;
    (1 - abs2(overlap)/(norm(a)*norm(b))^2, mean(w) + turn*a)
}

check procrustes[N = 6] { z ~ normal(0, 1); w ~ normal(0, 1); }

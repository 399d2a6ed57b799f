// Energy of a cluster of silicon atoms by the Stillinger-Weber potential, in its reduced units.

const A: f64 = 7.049556277;
const B: f64 = 0.6022245584;
const CUT: f64 = 1.8;

fn bond(r: f64) -> f64 {
    if r < CUT { A*(B*r^-4 - 1)*exp(1/(r - CUT)) } else { 0 }
}

fn screen(r: f64) -> f64 {
    if r < CUT { exp(1.2/(r - CUT)) } else { 0 }
}

/// Energy of the angle at the atom between the bonds a and b; 0 at the tetrahedral angle.
fn bend(a: f64[3], b: f64[3]) -> f64 {
    let ra = norm(a);
    let rb = norm(b);
    21*screen(ra)*screen(rb)*(dot(a, b)/(ra*rb) + 1/3)^2
}

fn energy[N](x: f64[N, 3]) -> f64 {
    let two = sum(bond(norm(x[i] - x[j])) for i in 0..N, j in 0..i);
    let three = sum(
        (if i == j || i == k { 0.0 } else { bend(x[j] - x[i], x[k] - x[i]) })
        for i in 0..N, j in 0..N, k in 0..j
    );
    two + three
}

check energy[N = 5] {
    x ~ near(
        [[0.0, 0.0, 0.0], [0.6, 0.6, 0.6], [-0.6, -0.6, 0.6], [-0.6, 0.6, -0.6], [0.6, -0.6, -0.6]],
        0.1,
    );
}

/// x'' = -k x - c x', from (1, 0), by 100 steps of the midpoint rule: the energy at the end.
fn energy(k: f64, c: f64) -> f64 {
    let h = 0.05;
    var x = 1.0;
    var v = 0.0;
    for _ in 0..100 {
        let xm = x + 0.5*h*v;
        let vm = v + 0.5*h*(-k*x - c*v);
        x += h*vm;
        v += h*(-k*xm - c*vm);
    }
    0.5*(k*x^2 + v^2)
}
check energy { k in [0.5, 2]; c in [0, 0.5]; }

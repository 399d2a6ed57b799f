// Predators and prey by 1000 steps of Runge-Kutta; the derivative by the four rates and where it begins.

fn lotka(p: f64[4], y0: f64[2], steps: i64) -> f64 {
    let dt = 0.01;
    let (a, b, c, d) = (p[0], p[1], p[2], p[3]);
    var x = y0[0];
    var y = y0[1];
    for i in 0..steps {
        let (k1, l1) = (x*(a - b*y), y*(c*x - d));
        let (x2, y2) = (x + 0.5*dt*k1, y + 0.5*dt*l1);
        let (k2, l2) = (x2*(a - b*y2), y2*(c*x2 - d));
        let (x3, y3) = (x + 0.5*dt*k2, y + 0.5*dt*l2);
        let (k3, l3) = (x3*(a - b*y3), y3*(c*x3 - d));
        let (x4, y4) = (x + dt*k3, y + dt*l3);
        let (k4, l4) = (x4*(a - b*y4), y4*(c*x4 - d));
        x += dt/6*(k1 + 2*(k2 + k3) + k4);
        y += dt/6*(l1 + 2*(l2 + l3) + l4);
    }
    x^2 + y^2
}

check lotka { p ~ near([1.1, 0.4, 0.1, 0.4], 0.05); y0 ~ near([10.0, 5.0], 0.5); steps = 20; }
bench lotka {
    p = load("data/lotka_param.npy"); y0 = load("data/lotka_y0.npy"); steps = 1000;
    modes primal, vjp; max_ratio 5;
}

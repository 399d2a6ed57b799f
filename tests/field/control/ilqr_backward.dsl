// One backward pass of iterative LQR for a torque-driven pendulum: feedforward, feedback and the improvement they promise.

fn dynamics(x: f64[2], u: f64, damping: f64) -> f64[2] {
    let h = 0.05;
    let w = x[1] + h*(9.81*sin(x[0]) - damping*x[1] + u);
    [x[0] + h*w, w]
}

fn backward[H](
    us: f64[H],
    x0: f64[2],
    damping: f64,
    weight: f64 in (0, INF),
) -> (k: f64[H], K: f64[H, 2], gain: f64) {
    var xs = zeros(H + 1, 2);
    xs[0] = x0;
    for t in 0..H { xs[t + 1] = dynamics(xs[t], us[t], damping); }
    var Vx = 10*xs[H];
    var Vxx = 10*eye(2);
    var k = zeros(H);
    var K = zeros(H, 2);
    var gain = 0.0;
    for back in 0..H {
        let t = H - 1 - back;
        let fx = jacobian(dynamics, wrt = x)(xs[t], us[t], damping);
        let fu = jacobian(dynamics, wrt = u)(xs[t], us[t], damping);
        let Qx = 0.1*xs[t] + fx' @ Vx;
        let Qu = weight*us[t] + dot(fu, Vx);
        let Qxx = 0.1*eye(2) + fx' @ Vxx @ fx;
        let Quu = weight + dot(fu, Vxx @ fu);
        let Qux = fx' @ (Vxx @ fu);
        k[t] = -Qu/Quu;
        K[t] = -Qux/Quu;
        gain += 0.5*Qu^2/Quu;
        Vx = Qx - Qux*(Qu/Quu);
        Vxx = Qxx - outer(Qux, Qux)/Quu;
    }
    (k, K, gain)
}

check backward[H = 8] {
    us ~ normal(0, 1); x0 ~ normal(0, 1); damping in [0.05, 0.3]; weight in [0.05, 0.5];
}

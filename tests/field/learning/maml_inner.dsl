// Model-agnostic meta-learning on small regression tasks: three gradient steps on the support set of a task, then the loss on
// its query set, as a function of the initial weights and of the inner learning rate.

fn task_loss[N, H](w: f64[H], v: f64[H], x: f64[N], y: f64[N]) -> f64 {
    mean((sum(v[h]*tanh(w[h]*x[i]) for h) - y[i])^2 for i)
}

fn adapted_loss[N, H](
    w: f64[H],
    v: f64[H],
    xs: f64[N],
    ys: f64[N],
    xq: f64[N],
    yq: f64[N],
    rate: f64,
) -> f64 {
    var w1 = w;
    var v1 = v;
    for _ in 0..3 {
        let (gw, gv) = grad(task_loss, wrt = (w, v))(w1, v1, xs, ys);
        w1 -= rate*gw;
        v1 -= rate*gv;
    }
    task_loss(w1, v1, xq, yq)
}

fn maml[K, N, H](w: f64[H], v: f64[H], x: f64[2, K, N], y: f64[2, K, N], log_rate: f64) -> f64 {
    mean(adapted_loss(w, v, x[0, k], y[0, k], x[1, k], y[1, k], exp(log_rate)) for k)
}

check maml[K = 3, N = 5, H = 4] {
    w ~ normal(0, 1);
    v ~ normal(0, 0.5);
    x in [-2, 2];
    y in [-1, 1];
    log_rate in [-4, -2];
    wrt w, v, log_rate;
}

// The same in other words: what should take the same time. `adc bench benches/words.dsl`

// Elements that are written, and an array by its elements.
fn written[N](x: f64[N]) -> f64 {
    var y = zeros(N);
    for i in 0..N { y[i] = x[i]^2/(1 + x[i]^2); }
    sum(y[i]^2 for i)
}
fn array[N](x: f64[N]) -> f64 {
    let y = [x[i]^2/(1 + x[i]^2) for i];
    sum(y[i]^2 for i)
}

// Terms on a condition.
fn left_out[N](x: f64[N]) -> f64 {
    var s = 0;
    for i in 0..N { if x[i] < 1 { s += (1 - x[i])^2; } }
    s
}
fn chosen[N](x: f64[N]) -> f64 { sum(if x[i] < 1 { (1 - x[i])^2 } else { 0 } for i) }

// What is counted.
fn mean_counted[N](x: f64[N]) -> f64 {
    var s = 0.0;
    var n = 0;
    for i in 0..N {
        if x[i] < 1 {
            s += x[i]^2;
            n += 1;
        }
    }
    s/f64(n + 1)
}
fn mean_chosen[N](x: f64[N]) -> f64 {
    let n = sum(if x[i] < 1 { 1 } else { 0 } for i);
    sum(if x[i] < 1 { x[i]^2 } else { 0 } for i)/f64(n + 1)
}

// A recurrent network: by indices, and by a matrix.
fn network_sums[N](W: f64[N, N], h0: f64[N]) -> f64 {
    var h = h0;
    for t in 0..20 { h = [tanh(sum(W[i, j]*h[j] for j)) for i in 0..N]; }
    sum(h)
}
fn network[N](W: f64[N, N], h0: f64[N]) -> f64 {
    var h = h0;
    for t in 0..20 {
        let z = W @ h;
        h = [tanh(z[i]) for i];
    }
    sum(h)
}

// The inside of a grid, in time.
fn stepped[N](u0: f64[N]) -> f64 {
    var u = u0;
    for t in 0..20 {
        var v = u;
        for i in 1..N - 1 { v[i] = u[i] + 0.1*(u[i - 1] - 2*u[i] + u[i + 1]); }
        u = v;
    }
    sum(u^2)
}
fn steps[N](u0: f64[N]) -> f64 {
    var u = u0;
    for t in 0..20 {
        u = [
            if i > 0 && i < N - 1 { u[i] + 0.1*(u[i - 1] - 2*u[i] + u[i + 1]) } else { u[i] }
            for i in 0..N
        ];
    }
    sum(u^2)
}

// A product of matrices: three loops, sums, and the operator.
fn product_loops[N](A: f64[N, N], B: f64[N, N]) -> f64[N, N] {
    var C = zeros(N, N);
    for i in 0..N { for j in 0..N { for k in 0..N { C[i, j] += A[i, k]*B[k, j]; } } }
    C
}
fn product_sums[N](A: f64[N, N], B: f64[N, N]) -> f64[N, N] {
    [sum(A[i, k]*B[k, j] for k) for i, j]
}
fn product[N](A: f64[N, N], B: f64[N, N]) -> f64[N, N] { A @ B }

// A layer for many samples, by indices and by matrices.
fn layer_sums[B, I, H](x: f64[B, I], W: f64[H, I], b: f64[H]) -> f64 {
    sum(tanh(sum(W[k, i]*x[n, i] for i) + b[k])^2 for n in 0..B, k in 0..H)
}
fn layer[B, I, H](x: f64[B, I], W: f64[H, I], b: f64[H]) -> f64 {
    let z = x @ W';
    sum(tanh(z[n, k] + b[k])^2 for n in 0..B, k in 0..H)
}

bench written[N = 1000] { x ~ normal(0, 1); modes primal, vjp; }
bench array[N = 1000] { x ~ normal(0, 1); modes primal, vjp; }
bench left_out[N = 1000] { x ~ normal(0, 1); modes primal, vjp; }
bench chosen[N = 1000] { x ~ normal(0, 1); modes primal, vjp; }
bench mean_counted[N = 1000] { x ~ normal(0, 1); modes primal, vjp; }
bench mean_chosen[N = 1000] { x ~ normal(0, 1); modes primal, vjp; }
bench network_sums[N = 32] { W ~ normal(0, 0.2); h0 ~ normal(0, 1); modes primal, vjp; }
bench network[N = 32] { W ~ normal(0, 0.2); h0 ~ normal(0, 1); modes primal, vjp; }
bench stepped[N = 200] { u0 ~ normal(0, 1); modes primal, vjp; }
bench steps[N = 200] { u0 ~ normal(0, 1); modes primal, vjp; }
bench product_loops[N = 64] { A ~ normal(0, 1); B ~ normal(0, 1); modes primal, vjp; }
bench product_sums[N = 64] { A ~ normal(0, 1); B ~ normal(0, 1); modes primal, vjp; }
bench product[N = 64] { A ~ normal(0, 1); B ~ normal(0, 1); modes primal, vjp; }
bench layer_sums[B = 100, I = 20, H = 40] {
    x ~ normal(0, 1); W ~ normal(0, 1); b ~ normal(0, 1); modes primal, vjp;
}
bench layer[B = 100, I = 20, H = 40] {
    x ~ normal(0, 1); W ~ normal(0, 1); b ~ normal(0, 1); modes primal, vjp;
}

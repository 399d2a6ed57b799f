// Compliance of a plane truss, a strip of triangles: each node is tied to the next two, the first two rest on stiff springs.

/// Positions of N nodes, cross sections of the 2 N - 3 bars (Young's modulus 1), and loads on the nodes.
fn compliance[N](x: f64[N, 2], area: f64[2*N - 3] in (0, INF), load: f64[N, 2]) -> f64 {
    var K = zeros(2*N, 2*N);
    for s in 0..4 { K[s, s] = 100; }
    for i in 0..N {
        for gap in 1..3 {
            let j = i + gap;
            if j < N {
                let bar = i + (gap - 1)*(N - 1);
                let dx = x[j, 0] - x[i, 0];
                let dy = x[j, 1] - x[i, 1];
                let length = hypot(dx, dy);
                let e = [dx/length, dy/length];
                for a in 0..2 {
                    for b in 0..2 {
                        let k = area[bar]/length*e[a]*e[b];
                        K[2*i + a, 2*i + b] += k;
                        K[2*j + a, 2*j + b] += k;
                        K[2*i + a, 2*j + b] -= k;
                        K[2*j + a, 2*i + b] -= k;
                    }
                }
            }
        }
    }
    let f = reshape(load, 2*N);
    dot(f, solve(K, f))
}

check compliance[N = 5] {
    x ~ near([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0], [2.0, 0.0]], 0.1);
    area in [0.5, 2];
    load ~ normal(0, 0.1);
}

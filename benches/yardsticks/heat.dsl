// The heat equation on a rod of 100 cells, 1000 explicit steps.

fn heat[N](u0: f64[N], conductivity: f64, steps: i64) -> f64 {
    var u = u0;
    for k in 0..steps {
        u = [
            u[i]
                + conductivity
                    * (
                        (if i > 0 { u[i - 1] } else { 0.0 })
                            - 2*u[i]
                            + (if i < N - 1 { u[i + 1] } else { 0.0 })
                    )
            for i in 0..N
        ];
    }
    sum(u[i]^2 for i)
}

check heat[N = 100] { u0 ~ normal(0, 1); conductivity in [0.1, 0.4]; steps = 1000; }

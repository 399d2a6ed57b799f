// Cox's partial likelihood for proportional hazards, with Breslow's treatment of ties and a ridge penalty.
// Who is not at risk any more is masked with -INF.

fn cox[N, P](
    #[nodiff] time: f64[N],
    event: bool[N],
    X: f64[N, P],
    beta: f64[P],
    ridge: f64,
) -> f64 {
    let eta = X @ beta;
    let ll = sum(
        if event[i] {
            eta[i] - logsumexp([if time[j] >= time[i] { eta[j] } else { -INF } for j])
        } else {
            0.0
        }
        for i
    );
    0.5*ridge*sum(beta^2) - ll
}

check cox[N = 9, P = 3] {
    time in [0, 12];
    event ~ choice(true, false);
    X ~ normal(0, 1);
    beta ~ normal(0, 0.7);
    ridge = 0.1;
}

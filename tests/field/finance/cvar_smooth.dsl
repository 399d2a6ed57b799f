// Portfolio choice by conditional value at risk (Rockafellar and Uryasev) with a smoothed hinge: weights are a softmax, the
// threshold is a variable of its own; costs of trading away from the present weights.

fn cvar_objective[S, N](
    R: f64[S, N],
    logits: f64[N],
    threshold: f64,
    present: f64[N],
    confidence: f64 in (0, 1),
    aversion: f64,
    cost: f64,
) -> (objective: f64, cvar: f64) {
    let w = softmax(logits);
    let loss = -(R @ w);
    let h = 0.005;
    let cvar = threshold + mean(h*softplus((loss - threshold)/h))/(1 - confidence);
    let trade = w - present;
    let trading = cost*sum(sqrt(trade^2 + 1e-8));
    (mean(loss) + aversion*cvar + trading, cvar)
}

check cvar_objective[S = 12, N = 4] {
    R ~ normal(0.01, 0.05);
    logits ~ normal(0, 0.5);
    threshold in [0, 0.08];
    present in [0.1, 0.4];
    confidence = 0.9;
    aversion in [0.5, 2];
    cost = 0.002;
}

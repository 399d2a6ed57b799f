// The symmetric contrastive loss of two views (CLIP, SimCLR): row i of A belongs to row i of B, all other rows are negatives.

fn unit[D](x: f64[D]) -> f64[D] { x/norm(x) }

fn info_nce[N, D](A: f64[N, D], B: f64[N, D], log_scale: f64) -> (loss: f64, alignment: f64) {
    let a = [unit(A[i]) for i];
    let b = [unit(B[i]) for i];
    let S = a @ b';
    let logits = exp(log_scale)*S;
    let columns = logits';
    let loss = mean(0.5*(logsumexp(logits[i]) + logsumexp(columns[i])) - logits[i, i] for i);
    (loss, trace(S)/f64(N))
}

check info_nce[N = 6, D = 4] { A ~ normal(0, 1); B ~ normal(0, 1); log_scale in [0, 2.5]; }

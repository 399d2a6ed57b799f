// A Bermudan put by regression (Longstaff and Schwartz) on given normal draws: continuation values are quadratics in moneyness,
// fitted on the paths in the money; the decision takes them, the cash flow is what is paid.

fn bermudan_put[M, N](
    #[nodiff] z: f64[M, N],
    spot: f64,
    strike: f64,
    rate: f64,
    vol: f64,
    maturity: f64,
) -> f64 {
    let dt = maturity/f64(N);
    let S = [spot*exp(cumsum((rate - 0.5*vol^2)*dt + vol*sqrt(dt)*z[m])) for m];
    let discount = exp(-rate*dt);
    var cash = [max(strike - S[m, N - 1], 0) for m in 0..M];
    for j in 1..N {
        let n = N - 1 - j;
        cash *= discount;
        let x = [S[m, n]/strike - 1 for m in 0..M];
        let A = [if x[m] < 0 { x[m]^p } else { 0.0 } for m in 0..M, p in 0..3];
        let c = solve(A' @ A + 1e-4*eye(3), A' @ cash);
        let hold = A @ c;
        cash = [
            if x[m] < 0 && strike - S[m, n] > hold[m] { strike - S[m, n] } else { cash[m] }
            for m
        ];
    }
    discount*mean(cash)
}

check bermudan_put[M = 12, N = 5] {
    z ~ normal(0, 1);
    spot in [90, 105];
    strike = 100;
    rate in [0.01, 0.06];
    vol in [0.2, 0.4];
    maturity in [0.5, 1.5];
}

// Elo ratings run through a list of games: each game moves both ratings by k times the surprise. The loss is the mean
// log loss of the predictions made before each game, a function of k and of the advantage of the home side.

fn expected(home: f64, away: f64, advantage: f64) -> f64 {
    sigmoid((home + advantage - away)*log(10)/400)
}

fn elo[G, M](
    home: i64[G],
    away: i64[G],
    #[nodiff] result: f64[G],
    start: f64[M],
    k: f64,
    advantage: f64,
) -> (loss: f64, rating: f64[M]) {
    var rating = start;
    var loss = 0;
    for g in 0..G {
        let p = expected(rating[home[g]], rating[away[g]], advantage);
        loss -= result[g]*log(p) + (1 - result[g])*log1p(-p);
        let move_by = k*(result[g] - p);
        rating[home[g]] += move_by;
        rating[away[g]] -= move_by;
    }
    (loss/f64(G), rating)
}

check elo[G = 12, M = 4] {
    home ~ int(0, 3);
    away ~ int(0, 3);
    result ~ choice(0.0, 0.5, 1.0);
    start ~ normal(1500, 100);
    k in [10, 40];
    advantage in [0, 100];
}

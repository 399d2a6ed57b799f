// Points of non-differentiability: the conventions of the language.

// K1
fn absolute1(x: f64) -> f64 { grad(abs)(x) }
//= absolute1(0) = 0

// K2: the same value twice shares: the partials add up to 1.
fn twice(x: f64) -> f64 { max(x, x) }
fn twice1(x: f64) -> f64 { grad(twice)(x) }
fn pair1(x: f64, y: f64) -> (f64, f64) { grad(larger)(x, y) }
fn larger(x: f64, y: f64) -> f64 { max(x, y) }
//= twice1(3) = 1
//= pair1(3, 3) = 0.5; 0.5

// K3, K4: ties in a reduction share evenly.
fn largest[N](x: f64[N]) -> f64 { max(x) }
fn largest1(x: f64[3]) -> f64[3] { grad(largest)(x) }
fn smallest1(x: f64[4]) -> f64[4] { grad(smallest)(x) }
fn smallest[N](x: f64[N]) -> f64 { min(x[i]^2 for i) }
fn of_one(x: f64) -> f64 { max([x, x]) }
fn of_one1(x: f64) -> f64 { grad(of_one)(x) }
fn tangent(x: f64[3], d: f64[3]) -> f64 { jvp(largest)(x; d) }
//= largest1([2, 2, 1]) = [0.5, 0.5, 0]
//= largest1([0, 5, 1]) = [0, 1, 0]
//= smallest1([3, -1, 1, 2]) = [0, -1, 1, 0]
//= of_one1(7) = 1
//= tangent([2, 2, 1], [1, 3, 9]) = 2

// K5: four spellings of a ramp, each with its own value at 0.
fn ramp_a(x: f64) -> f64 { max(x, 0) }
fn ramp_b(x: f64) -> f64 { max(0, x) }
fn ramp_c(x: f64) -> f64 { clamp(x, 0, INF) }
fn ramp_d(x: f64) -> f64 { if x > 0 { x } else { 0 } }
fn ramps1(x: f64) -> (f64, f64, f64, f64) {
    (grad(ramp_a)(x), grad(ramp_b)(x), grad(ramp_c)(x), grad(ramp_d)(x))
}
//= ramps1(0) = 0.5; 0.5; 0.5; 0
//= ramps1(1) = 1; 1; 1; 1
//= ramps1(-1) = 0; 0; 0; 0

// K6: the norm knows its own point.
fn length1(x: f64[2]) -> f64[2] { grad(length)(x) }
fn length[N](x: f64[N]) -> f64 { norm(x) }
fn by_hand[N](x: f64[N]) -> f64 { sqrt(sum(x[i]^2 for i)) }
fn by_hand1(x: f64[2]) -> f64[2] { grad(by_hand)(x) }
//= length1([0, 0]) = [0, 0]
//= length1([3, 4]) = [0.6, 0.8]
//= by_hand1([0, 0]) = [nan, nan]

// K7, K8
fn side(x: f64, y: f64) -> f64 { hypot(x, y) }
fn side1(x: f64, y: f64) -> (f64, f64) { grad(side)(x, y) }
fn bearing(x: f64, y: f64) -> f64 { atan2(x, y) }
fn bearing1(x: f64, y: f64) -> (f64, f64) { grad(bearing)(x, y) }
//= side1(0, 0) = 0; 0
//= bearing1(0, 0) = 0; 0

// K9, K10
fn steps(x: f64) -> f64 { sign(x) + floor(x) + round(x) }
fn steps1(x: f64) -> f64 { grad(steps)(x) }
fn remainder(x: f64) -> f64 { mod(x, 2) }
fn remainder1(x: f64) -> f64 { grad(remainder)(x) }
//= steps1(0) = 0
//= steps1(1) = 0
//= remainder1(4) = 1

// K11, K12: an index carries no derivative, what it points at does.
fn at_largest[N](x: f64[N], y: f64[N]) -> f64 { y[argmax(x[i] for i)] }
fn at_largest1(x: f64[3], y: f64[3]) -> (f64[3], f64[3]) { grad(at_largest)(x, y) }
fn median(x: f64[3]) -> f64 {
    var r = x[0];
    for i in 0..3 {
        let below = sum(if x[j] < x[i] || (x[j] == x[i] && j < i) { 1 } else { 0 } for j in 0..3);
        if below == 1 { r = x[i]; }
    }
    r
}
fn median1(x: f64[3]) -> f64[3] { grad(median)(x) }
//= at_largest1([1, 9, 2], [4, 5, 6]) = [0, 0, 0]; [0, 1, 0]
//= median1([3, 1, 2]) = [0, 0, 1]

// K13: a point as near to one centre as to the other pulls both, half as much each.
fn nearest[K](p: f64, c: f64[K]) -> f64 { min((p - c[k])^2 for k) }
fn nearest1(p: f64, c: f64[2]) -> f64[2] { grad(nearest, wrt = c)(p, c) }
//= nearest1(0, [-1, 1]) = [-1, 1]

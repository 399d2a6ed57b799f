// Branches that are not taken leave no trace, in no derivative of any order. (Collected from the trackers of other systems.)

// B1: the branch not taken is singular.
fn root(x: f64) -> f64 { if x > 0 { sqrt(x) } else { 0 } }
fn root1(x: f64) -> f64 { grad(root)(x) }
fn root2(x: f64) -> f64 { grad(root1)(x) }
//= root1(-3) = 0
//= root1(0) = 0
//= root1(4) = 0.25
//= root2(-3) = 0
//= root2(0) = 0
//= root2(4) = -0.03125

// B2: the other branch overflows, in single precision.
fn overflow(a: f32) -> f32 { if a <= 0 { exp(a) } else { 1 + a } }
fn overflow1(a: f32) -> f32 { grad(overflow)(a) }
//= overflow1(100) = 1

// B3
fn tower(a: f64) -> f64 { if a < 15 { a } else { 10^exp(a) } }
fn tower1(a: f64) -> f64 { grad(tower)(a) }
//= tower1(10) = 1

// B4
fn reflected(x: f64) -> f64 { if x >= 0 { x } else { sqrt(-x) } }
fn reflected1(x: f64) -> f64 { grad(reflected)(x) }
//= reflected1(1) = 1

// B5: B1 element by element, and every order of it.
fn roots(x: f64[3]) -> f64 { sum(if x[i] > 0 { sqrt(x[i]) } else { 0 } for i) }
fn roots1(x: f64[3]) -> f64[3] { grad(roots)(x) }
fn roots2(x: f64[3]) -> f64[3] { hess_diag(roots)(x) }
fn long_roots(x: f64[40]) -> f64[40] { grad(sum_of_roots)(x) }
fn sum_of_roots[N](x: f64[N]) -> f64 { sum(root(x[i] - 1) for i) }
//= roots1([-1, 0, 4]) = [0, 0, 0.25]
//= roots2([-1, 0, 4]) = [0, 0, -0.03125]
//= long_roots([0,1,5,0,1,5,0,1,5,0,1,5,0,1,5,0,1,5,0,1,5,0,1,5,0,1,5,0,1,5,0,1,5,0,1,5,0,1,5,0]) = [0,0,0.25,0,0,0.25,0,0,0.25,0,0,0.25,0,0,0.25,0,0,0.25,0,0,0.25,0,0,0.25,0,0,0.25,0,0,0.25,0,0,0.25,0,0,0.25,0,0,0.25,0]

// B6
fn angle(x: f64) -> f64 { if x > 0.5 { atan2(x, x) } else { 0 } }
fn angle1(x: f64) -> f64 { grad(angle)(x) }
//= angle1(0) = 0

// B7: an infinity is kept out by a test.
fn guarded(x: f64) -> f64 {
    let a = INF;
    var y = x^2;
    if !isinf(a) { y += a*y; }
    y
}
fn guarded1(x: f64) -> f64 { grad(guarded)(x) }
//= guarded1(0) = 0

// B8
fn ratio(x: f64, c: f64) -> f64 { if c > 1 { x/c } else { 0 } }
fn ratio1(x: f64, c: f64) -> (f64, f64) { grad(ratio)(x, c) }
//= ratio1(1, 1) = 0; 0

// B9: both inner branches are singular where the outer one is not taken.
fn nested(x: f64) -> f64 { if x > 1 { if x > 2 { log(x - 2) } else { sqrt(x - 1) } } else { x } }
fn nested1(x: f64) -> f64 { grad(nested)(x) }
fn nested2(x: f64) -> f64 { grad(nested1)(x) }
//= nested1(1) = 1
//= nested2(1) = 0
//= nested1(3) = 1

// B10: where the rule gives 0·∞ and where the power knows better.
fn product(x: f64) -> f64 { x^1.5 }
fn product1(x: f64) -> f64 { grad(product)(x) }
//= product1(0) = 0

// B11
fn constant_branch(x: f64) -> f64 { if x >= 0 { x } else { 0 } }
fn constant_branch1(x: f64) -> f64 { grad(constant_branch)(x) }
//= constant_branch1(2) = 1
//= constant_branch1(-2) = 0

// B12: in a loop with a carried value.
fn carried(x: f64) -> f64 {
    var s = x;
    for i in 0..3 { s = if s > 1 { sqrt(s - 1) } else { 2*s }; }
    s
}
fn carried1(x: f64) -> f64 { grad(carried)(x) }
//= carried(0.4) = 0.7745966692414834
//= carried1(0.4) = 2.581988897471611

// B13: what a condition looks at has no influence by that.
fn switched(x: f64, y: f64) -> f64 { if x*y > 1 { x } else { y } }
fn switched1(x: f64, y: f64) -> (f64, f64) { grad(switched)(x, y) }
//= switched1(2, 3) = 1; 0
//= switched1(2, 0.1) = 0; 1

// B14: at the bounds half of the slope is inside.
fn bounded(x: f64) -> f64 { min(max(x, -1), 1) }
fn bounded1(x: f64) -> f64 { grad(bounded)(x) }
//= bounded1(0) = 1
//= bounded1(2) = 0
//= bounded1(1) = 0.5
//= bounded1(-1) = 0.5

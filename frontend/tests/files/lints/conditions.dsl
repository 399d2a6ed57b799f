

// --- always
const DEBUG: bool = false;
fn f[N](x: f64, v: f64[N], n: i64) -> f64 {
    let a = if true { x } else { 2*x };
    let b = if 1 > 2 { x } else { 3*x };
    let c = if n == n { x } else { 4*x };
    let d = if x < x { x } else { 5*x };
    let e = if x > 0 && true { x } else { 0.0 };
    let g = if x > 0 || !false { x } else { 0.0 };
    let h = if x > 0 { x } else if false { 2*x } else { 3*x };
    let k = select(1 < 2, x, 2*x);
    assert 1 <= 2, "of course";
    while false { assert true; }
    if DEBUG { assert x > 0; }
    if N > 3 { assert x > 0; }
    a + b + c + d + e + g + h + k
}

//> warning[ADC1005]: this condition is always true
//>   ^ 4:16-4:20 `true`: always true
//>   = help: remove it with the side that never runs, or write the condition that is meant
//>   ! keep the side that runs: 4:13-4:39 `if true { x } else { 2*x }` -> `{ x }`
//> warning[ADC1005]: this condition is always false
//>   ^ 5:16-5:21 `1 > 2`: always false
//>   = help: remove it with the side that never runs, or write the condition that is meant
//>   ! keep the side that runs: 5:13-5:40 `if 1 > 2 { x } else { 3*x }` -> `{ 3*x }`
//> warning[ADC1005]: this condition is always true
//>   ^ 6:16-6:22 `n == n`: always true
//>   = help: remove it with the side that never runs, or write the condition that is meant
//>   ! keep the side that runs: 6:13-6:41 `if n == n { x } else { 4*x }` -> `{ x }`
//> warning[ADC1005]: this condition is always false
//>   ^ 7:16-7:21 `x < x`: always false
//>   = help: remove it with the side that never runs, or write the condition that is meant
//>   ! keep the side that runs: 7:13-7:40 `if x < x { x } else { 5*x }` -> `{ 5*x }`
//> warning[ADC1005]: this side of `&&` is always true
//>   ^ 8:25-8:29 `true`: always true
//>   = help: leave it out
//>   ! write `x > 0`: 8:16-8:29 `x > 0 && true` -> `x > 0`
//> warning[ADC1005]: this condition is always true
//>   ^ 9:16-9:31 `x > 0 || !false`: always true
//>   = help: remove it with the side that never runs, or write the condition that is meant
//>   ! keep the side that runs: 9:13-9:50 `if x > 0 || !false { x } else { 0.0 }` -> `{ x }`
//> warning[ADC1005]: this condition is always false
//>   ^ 10:36-10:41 `false`: always false
//>   = help: remove it with the side that never runs, or write the condition that is meant
//> warning[ADC1005]: this condition is always true
//>   ^ 11:20-11:25 `1 < 2`: always true
//>   = help: remove it with the side that never runs, or write the condition that is meant
//> warning[ADC1005]: this condition is always true
//>   ^ 12:12-12:18 `1 <= 2`: always true
//>   = help: remove it with the side that never runs, or write the condition that is meant
//> warning[ADC1005]: this condition is always false
//>   ^ 13:11-13:16 `false`: always false
//>   = help: remove it with the side that never runs, or write the condition that is meant
//> warning[ADC1005]: this condition is always true
//>   ^ 13:26-13:30 `true`: always true
//>   = help: remove it with the side that never runs, or write the condition that is meant

// --- exact comparisons
fn f(x: f64, y: f64, z: c128, n: i64, b: bool) -> f64 {
    var s = 0.0;
    if x == y { s += 1; }
    if x != 0.1 { s += 2; }
    if x == 1 { s += 3; }
    if z == 1i { s += 4; }
    if x == y - 1 { s += 5; }
    if x + y != x { s += 6; }
    if x == x { s += 7; }
    if x != x { s += 8; }
    if x == NAN { s += 9; }
    s
}

//> warning[ADC1002]: nothing reads the parameter `n`
//>   ^ 2:31-2:32 `n`: `f` does not depend on it
//>   = help: remove it, or call it `_n`
//>   ? call it `_n`: 2:31-2:32 `n` -> `_n`
//> warning[ADC1002]: nothing reads the parameter `b`
//>   ^ 2:39-2:40 `b`: `f` does not depend on it
//>   = help: remove it, or call it `_b`
//>   ? call it `_b`: 2:39-2:40 `b` -> `_b`
//> warning[ADC1006]: `==` of numbers that are rounded
//>   ^ 4:8-4:14 `x == y`: exact; where it holds, the derivative is that of one branch at one point
//>   = help: compare with a tolerance, `abs(x - y) <= 1e-9`; labels and counts are better `i64`
//>   ? write `abs(x - y) <= 1e-9`: 4:8-4:14 `x == y` -> `abs(x - y) <= 1e-9`
//> warning[ADC1006]: `!=` of numbers that are rounded
//>   ^ 5:8-5:16 `x != 0.1`: exact; where it holds, the derivative is that of one branch at one point
//>   = help: compare with a tolerance, `abs(x - 0.1) > 1e-9`; labels and counts are better `i64`
//>   ? write `abs(x - 0.1) > 1e-9`: 5:8-5:16 `x != 0.1` -> `abs(x - 0.1) > 1e-9`
//> warning[ADC1006]: `==` of numbers that are rounded
//>   ^ 6:8-6:14 `x == 1`: exact; where it holds, the derivative is that of one branch at one point
//>   = help: compare with a tolerance, `abs(x - 1) <= 1e-9`; labels and counts are better `i64`
//>   ? write `abs(x - 1) <= 1e-9`: 6:8-6:14 `x == 1` -> `abs(x - 1) <= 1e-9`
//> warning[ADC1006]: `==` of numbers that are rounded
//>   ^ 7:8-7:15 `z == 1i`: exact; where it holds, the derivative is that of one branch at one point
//>   = help: compare with a tolerance, `abs(z - 1i) <= 1e-9`; labels and counts are better `i64`
//>   ? write `abs(z - 1i) <= 1e-9`: 7:8-7:15 `z == 1i` -> `abs(z - 1i) <= 1e-9`
//> warning[ADC1006]: `==` of numbers that are rounded
//>   ^ 8:8-8:18 `x == y - 1`: exact; where it holds, the derivative is that of one branch at one point
//>   = help: compare with a tolerance, `abs(x - y - 1) <= 1e-9`; labels and counts are better `i64`
//>   ? write `abs(x - (y - 1)) <= 1e-9`: 8:8-8:18 `x == y - 1` -> `abs(x - (y - 1)) <= 1e-9`
//> warning[ADC1006]: `!=` of numbers that are rounded
//>   ^ 9:8-9:18 `x + y != x`: exact; where it holds, the derivative is that of one branch at one point
//>   = help: compare with a tolerance, `abs(x + y - x) > 1e-9`; labels and counts are better `i64`
//>   ? write `abs(x + y - x) > 1e-9`: 9:8-9:18 `x + y != x` -> `abs(x + y - x) > 1e-9`
//> warning[ADC1006]: a number compared with itself
//>   ^ 10:8-10:14 `x == x`: false only if it is NaN
//>   = help: `!isnan(x)` says so
//>   ! write `!isnan(x)`: 10:8-10:14 `x == x` -> `!isnan(x)`
//> warning[ADC1006]: a number compared with itself
//>   ^ 11:8-11:14 `x != x`: true only if it is NaN
//>   = help: `isnan(x)` says so
//>   ! write `isnan(x)`: 11:8-11:14 `x != x` -> `isnan(x)`
//> warning[ADC1006]: a comparison with NaN is always false
//>   ^ 12:13-12:16 `NAN`: NaN equals nothing, not even itself
//>   = help: write `isnan(x)`
//>   ? write `isnan(x)`: 12:8-12:16 `x == NAN` -> `isnan(x)`

// --- exact, and meant so
fn f[N](x: f64, v: f64[N], n: i64, b: bool) -> f64 {
    var s = 0.0;
    if x == 0 { s += 1; }
    if x == -INF || INF == x { s += 2; }
    if floor(x) == x { s += 3; }
    if n == 3 && b == true { s += 4; }
    if v[0] == max(v) { s += 5; }
    s
}


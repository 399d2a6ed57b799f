

// --- open and closed ends
fn g(x: f64 in (0, 1]) -> f64 { log(x) }
fn f(x: f64) -> f64 { g(2*x) + g(0.5) + g(x) }

//> fn g(x: f64 in (0, 1]) -> f64 {
//>   v0 = log x
//>   return v0
//> }
//>
//> fn f(x: f64) -> f64 {
//>   v0 = f64 2.0
//>   v1 = mul v0, x
//>   v2 = f64 0.0
//>   v3 = f64 1.0
//>   v4 = gt v1, v2
//>   v5 = le v1, v3
//>   v6 = and v4, v5
//>   assert_domain v6, "`x` of `g` must lie in (0, 1]"
//>   v7 = call g(v1)
//>   v8 = f64 0.5
//>   v9 = call g(v8)
//>   v10 = add v7, v9
//>   v11 = f64 0.0
//>   v12 = f64 1.0
//>   v13 = gt x, v11
//>   v14 = le x, v12
//>   v15 = and v13, v14
//>   assert_domain v15, "`x` of `g` must lie in (0, 1]"
//>   v16 = call g(x)
//>   v17 = add v10, v16
//>   return v17
//> }

// --- infinite ends, a literal outside
fn g(x: f64 in [0, INF)) -> f64 { sqrt(x) }
fn f() -> f64 { g(-1) }

//> fn g(x: f64 in [0, INF)) -> f64 {
//>   v0 = sqrt x
//>   return v0
//> }
//>
//> fn f() -> f64 {
//>   v0 = f64 -1.0
//>   v1 = f64 0.0
//>   v2 = f64 inf
//>   v3 = ge v0, v1
//>   v4 = lt v0, v2
//>   v5 = and v3, v4
//>   assert_domain v5, "`x` of `g` must lie in [0, INF)"
//>   v6 = call g(v0)
//>   return v6
//> }

// --- integers
fn g(n: i64 in (0, 2.5]) -> i64 { n }
fn f(n: i64) -> i64 { g(n) }

//> fn g(n: i64 in (0, 2.5]) -> i64 {
//>   return n
//> }
//>
//> fn f(n: i64) -> i64 {
//>   v0 = i64 1
//>   v1 = i64 2
//>   v2 = ge n, v0
//>   v3 = le n, v1
//>   v4 = and v2, v3
//>   assert_domain v4, "`n` of `g` must lie in (0, 2.5]"
//>   v5 = call g(n)
//>   return v5
//> }

// --- single precision bounds are rounded
fn g(x: f32 in [0, 0.1]) -> f32 { x }
fn f(x: f32) -> f32 { g(x) }

//> fn g(x: f32 in [0, 0.10000000149011612]) -> f32 {
//>   return x
//> }
//>
//> fn f(x: f32) -> f32 {
//>   v0 = f32 0.0
//>   v1 = f32 0.1
//>   v2 = ge x, v0
//>   v3 = le x, v1
//>   v4 = and v2, v3
//>   assert_domain v4, "`x` of `g` must lie in [0, 0.10000000149011612]"
//>   v5 = call g(x)
//>   return v5
//> }

// --- disk and annulus, bounds from constants
const R: f64 = 2*PI;
fn g(z: c128 in disk(R), w: c64 in annulus(1, 2)) -> f64 { abs(z) }
fn f(z: c128, w: c64) -> f64 { g(z, w) }

//> fn g(z: c128 in disk(6.283185307179586), w: c64 in annulus(1, 2)) -> f64 {
//>   v0 = abs z
//>   return v0
//> }
//>
//> fn f(z: c128, w: c64) -> f64 {
//>   v0 = abs z
//>   v1 = f64 6.283185307179586
//>   v2 = le v0, v1
//>   assert_domain v2, "`z` of `g` must lie in disk(6.283185307179586)"
//>   v3 = to_c w
//>   v4 = abs v3
//>   v5 = f64 1.0
//>   v6 = f64 2.0
//>   v7 = ge v4, v5
//>   v8 = le v4, v6
//>   v9 = and v7, v8
//>   assert_domain v9, "`w` of `g` must lie in annulus(1, 2)"
//>   v10 = call g(z, w)
//>   return v10
//> }

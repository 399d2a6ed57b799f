

// --- a literal takes the type of what it meets
fn f(x: f64) -> f64 { 2*x + 1/2*x }

//> fn f(x: f64) -> f64 {
//>   v0 = f64 2.0
//>   v1 = mul v0, x
//>   v2 = f64 1.0
//>   v3 = f64 2.0
//>   v4 = div v2, v3
//>   v5 = mul v4, x
//>   v6 = add v1, v5
//>   return v6
//> }

// --- single precision
fn f(x: f32) -> f32 { 0.1*x + PI + EPS }

//> fn f(x: f32) -> f32 {
//>   v0 = f32 0.1
//>   v1 = mul v0, x
//>   v2 = f32 3.1415927
//>   v3 = add v1, v2
//>   v4 = f32 1.1920929e-7
//>   v5 = add v3, v4
//>   return v5
//> }

// --- an open let is one type, real beside a complex operand
fn f(x: f64, z: c128) -> c128 { let a = 2; a*x + a*z }

//> fn f(x: f64, z: c128) -> c128 {
//>   v0 = f64 2.0
//>   v1 = mul v0, x
//>   v2 = mul v0, z
//>   v3 = add v1, v2
//>   return v3
//> }

// --- the other order of visiting
fn f(x: f64, z: c128) -> c128 { let a = 2; a*z + a*x }

//> fn f(x: f64, z: c128) -> c128 {
//>   v0 = f64 2.0
//>   v1 = mul v0, z
//>   v2 = mul v0, x
//>   v3 = add v1, v2
//>   return v3
//> }

// --- fixed by an annotation further down
fn f() -> f32 { let a = 2; let b = a + 1; let c: f32 = b; c }

//> fn f() -> f32 {
//>   v0 = f32 2.0
//>   v1 = f32 1.0
//>   v2 = add v0, v1
//>   return v2
//> }

// --- fixed by an argument and by a result
fn g(x: f32) -> f32 { x }
fn f() -> f32 { let a = 3; let b = g(a); a }

//> fn g(x: f32) -> f32 {
//>   return x
//> }
//>
//> fn f() -> f32 {
//>   v0 = f32 3.0
//>   v1 = call g(v0)
//>   return v0
//> }

// --- a var that starts open becomes real
fn f(x: f64) -> f64 { var s = 0; s += x; s }

//> fn f(x: f64) -> f64 {
//>   v0 = f64 0.0
//>   v1 = add v0, x
//>   return v1
//> }

// --- a var that starts open becomes complex, its first value too
fn f(x: f64, z: c128) -> c128 { var s = 0; s += x; s += z; s }

//> fn f(x: f64, z: c128) -> c128 {
//>   v0 = c128 (0.0, 0.0)
//>   v1 = add v0, x
//>   v2 = add v1, z
//>   return v2
//> }

// --- what stays open
fn f() -> (f64, i64, bool) {
    let i = 3; let r = 1.5; let z = 2i;
    (abs(z) + r, i, z == 2i)
}

//> fn f() -> (f64, i64, bool) {
//>   v0 = i64 3
//>   v1 = f64 1.5
//>   v2 = c128 (0.0, 2.0)
//>   v3 = abs v2
//>   v4 = add v3, v1
//>   v5 = c128 (0.0, 2.0)
//>   v6 = eq v2, v5
//>   return v4, v0, v6
//> }

// --- negative literals, the smallest integer
fn f(x: f64) -> (f64, i64) { (-2*x, -9223372036854775808) }

//> fn f(x: f64) -> (f64, i64) {
//>   v0 = f64 -2.0
//>   v1 = mul v0, x
//>   v2 = i64 -9223372036854775808
//>   return v1, v2
//> }

// --- an argument of a conversion unifies with nothing
fn f(x: f64) -> f64 { let n = 3; f64(n)*x }

//> fn f(x: f64) -> f64 {
//>   v0 = i64 3
//>   v1 = f64 3.0
//>   v2 = mul v1, x
//>   return v2
//> }

// --- named constants take the precision of their context
fn f(x: f32, y: f64) -> (bool, bool) { (x < INF, y < E) }

//> fn f(x: f32, y: f64) -> (bool, bool) {
//>   v0 = f32 inf
//>   v1 = lt x, v0
//>   v2 = f64 2.718281828459045
//>   v3 = lt y, v2
//>   return v1, v3
//> }

// --- max, select and comparisons unify their sides
fn f(x: f32, n: i64) -> (f32, i64, f32) { (max(x, 0), clamp(n, 0, 10), select(x > 1, x, 2)) }

//> fn f(x: f32, n: i64) -> (f32, i64, f32) {
//>   v0 = f32 0.0
//>   v1 = max x, v0
//>   v2 = i64 0
//>   v3 = i64 10
//>   v4 = clamp n, v2, v3
//>   v5 = f32 1.0
//>   v6 = gt x, v5
//>   v7 = f32 2.0
//>   v8 = select v6, x, v7
//>   return v1, v4, v8
//> }

// --- a literal operand beside a complex one stays real
fn f(z: c64) -> c64 { 2*z + 1.5 }

//> fn f(z: c64) -> c64 {
//>   v0 = f32 2.0
//>   v1 = mul v0, z
//>   v2 = f32 1.5
//>   v3 = add v1, v2
//>   return v3
//> }

// --- branches join
fn f(x: f64, z: c128) -> c128 { if x > 0 { 0 } else { z } }

//> fn f(x: f64, z: c128) -> c128 {
//>   v0 = f64 0.0
//>   v1 = gt x, v0
//>   v3 = if v1 {
//>     v2 = c128 (0.0, 0.0)
//>     yield v2
//>   } else {
//>     yield z
//>   }
//>   return v3
//> }

// --- a conversion chain decides through tuples
fn f(x: f32) -> f32 { let (a, b) = (1, 2); let (c, d) = if x > 0 { (a, b) } else { (b, a) }; c*x + f32(d) }

//> fn f(x: f32) -> f32 {
//>   v0 = f32 1.0
//>   v1 = f32 2.0
//>   v2 = f32 0.0
//>   v3 = gt x, v2
//>   v4, v5 = if v3 {
//>     yield v0, v1
//>   } else {
//>     yield v1, v0
//>   }
//>   v6 = mul v4, x
//>   v7 = add v6, v5
//>   return v7
//> }

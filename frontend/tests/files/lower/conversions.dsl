

// --- between the real types
fn f(x: f64, y: f32, n: i64, b: bool) -> (f64, f32, i64, i64, f64, f64, f32) {
    (f64(y), f32(x), i64(x), i64(b), f64(b), f64(n), f32(n))
}

//> fn f(x: f64, y: f32, n: i64, b: bool) -> (f64, f32, i64, i64, f64, f64, f32) {
//>   v0 = to_f64 y
//>   v1 = to_f32 x
//>   v2 = to_i64 x
//>   v3 = to_i64 b
//>   v4 = to_f64 b
//>   v5 = to_f64 n
//>   v6 = to_f32 n
//>   return v0, v1, v2, v3, v4, v5, v6
//> }

// --- of literals
fn f() -> (f64, f32, f64, i64) { (f64(2), f32(0.1), f64(-3), i64(2.7)) }

//> fn f() -> (f64, f32, f64, i64) {
//>   v0 = i64 2
//>   v1 = f64 2.0
//>   v2 = f64 0.1
//>   v3 = f32 0.1
//>   v4 = i64 -3
//>   v5 = f64 -3.0
//>   v6 = f64 2.7
//>   v7 = to_i64 v6
//>   return v1, v3, v5, v7
//> }

// --- to the same type
fn f(x: f64, n: i64) -> (f64, i64) { (f64(x), i64(n)) }

//> fn f(x: f64, n: i64) -> (f64, i64) {
//>   return x, n
//> }

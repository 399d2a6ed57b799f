

// --- mixed arithmetic is not promoted
fn f(x: f64, z: c128) -> c128 { x + z - x*z/x }

//> fn f(x: f64, z: c128) -> c128 {
//>   v0 = add x, z
//>   v1 = mul x, z
//>   v2 = div v1, x
//>   v3 = sub v0, v2
//>   return v3
//> }

// --- a real value where a complex one is demanded
fn g(z: c128) -> c128 { z }
fn f(x: f64) -> c128 { let z: c128 = x; var w: c128 = 1; w = x; g(x) + z + w }

//> fn g(z: c128) -> c128 {
//>   return z
//> }
//>
//> fn f(x: f64) -> c128 {
//>   v0 = f64 0.0
//>   v1 = complex x, v0
//>   v2 = c128 (1.0, 0.0)
//>   v3 = f64 0.0
//>   v4 = complex x, v3
//>   v5 = f64 0.0
//>   v6 = complex x, v5
//>   v7 = call g(v6)
//>   v8 = add v7, v1
//>   v9 = add v8, v4
//>   return v9
//> }

// --- the result of an if becomes complex
fn f(x: f64, z: c128) -> c128 { if x > 0 { x } else { z } }

//> fn f(x: f64, z: c128) -> c128 {
//>   v0 = f64 0.0
//>   v1 = gt x, v0
//>   v4 = if v1 {
//>     v2 = f64 0.0
//>     v3 = complex x, v2
//>     yield v3
//>   } else {
//>     yield z
//>   }
//>   return v4
//> }

// --- comparison of real and complex
fn f(x: f64, z: c128) -> bool { z == x && z != 1 }

//> fn f(x: f64, z: c128) -> bool {
//>   v0 = f64 0.0
//>   v1 = complex x, v0
//>   v2 = eq z, v1
//>   v6 = if v2 {
//>     v3 = c128 (1.0, 0.0)
//>     v4 = ne z, v3
//>     yield v4
//>   } else {
//>     v5 = bool false
//>     yield v5
//>   }
//>   return v6
//> }

// --- select of real and complex
fn f(x: f64, z: c128) -> c128 { select(x > 0, x, z) }

//> fn f(x: f64, z: c128) -> c128 {
//>   v0 = f64 0.0
//>   v1 = gt x, v0
//>   v2 = f64 0.0
//>   v3 = complex x, v2
//>   v4 = select v1, v3, z
//>   return v4
//> }

// --- parts
fn f(z: c64, x: f32) -> (f32, f32, c64, f32, c64) { (re(z) + im(z), abs(z) + abs2(z), conj(z), arg(z), cis(x)) }

//> fn f(z: c64, x: f32) -> (f32, f32, c64, f32, c64) {
//>   v0 = re z
//>   v1 = im z
//>   v2 = add v0, v1
//>   v3 = abs z
//>   v4 = abs2 z
//>   v5 = add v3, v4
//>   v6 = conj z
//>   v7 = arg z
//>   v8 = cis x
//>   return v2, v5, v6, v7, v8
//> }

// --- parts of reals
fn f(x: f64) -> (f64, f64, f64, f64) { (re(x), im(x), conj(x), arg(x)) }

//> fn f(x: f64) -> (f64, f64, f64, f64) {
//>   v0 = re x
//>   v1 = im x
//>   v2 = conj x
//>   v3 = arg x
//>   return v0, v1, v2, v3
//> }

// --- conversions
fn f(x: f64, y: f32, n: i64, b: bool, z: c64) -> (c128, c128, c128, c128, c64, c128) {
    (c128(x, y), c128(n), c128(z), c128(b), c64(x), c128(1, 2))
}

//> fn f(x: f64, y: f32, n: i64, b: bool, z: c64) -> (c128, c128, c128, c128, c64, c128) {
//>   v0 = to_f64 y
//>   v1 = complex x, v0
//>   v2 = to_f64 n
//>   v3 = f64 0.0
//>   v4 = complex v2, v3
//>   v5 = to_c z
//>   v6 = to_f64 b
//>   v7 = f64 0.0
//>   v8 = complex v6, v7
//>   v9 = to_f32 x
//>   v10 = f32 0.0
//>   v11 = complex v9, v10
//>   v12 = i64 1
//>   v13 = i64 2
//>   v14 = f64 1.0
//>   v15 = f64 2.0
//>   v16 = c128 (1.0, 2.0)
//>   return v1, v4, v5, v8, v11, v16
//> }

// --- signs of zero in literals
fn f(z: c128) -> (c128, c128, c128) { (-2, -2i, z + (-0.0)) }

//> fn f(z: c128) -> (c128, c128, c128) {
//>   v0 = f64 -2.0
//>   v1 = c128 (-0.0, -2.0)
//>   v2 = f64 -0.0
//>   v3 = add z, v2
//>   v4 = c128 (-2.0, 0.0)
//>   return v4, v1, v3
//> }

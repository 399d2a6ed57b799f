

// --- integer literals are integer powers
fn f(x: f64) -> f64 { x^2 + x^3 + x^-1 + x^-2 + x^1 + x^0 }

//> fn f(x: f64) -> f64 {
//>   v0 = square x
//>   v1 = i64 3
//>   v2 = powi x, v1
//>   v3 = add v0, v2
//>   v4 = recip x
//>   v5 = add v3, v4
//>   v6 = i64 -2
//>   v7 = powi x, v6
//>   v8 = add v5, v7
//>   v9 = i64 1
//>   v10 = powi x, v9
//>   v11 = add v8, v10
//>   v12 = i64 0
//>   v13 = powi x, v12
//>   v14 = add v11, v13
//>   return v14
//> }

// --- so are real literals of integral value
fn f(x: f64) -> f64 { x^2.0 + pow(x, 2) + pow(x, -3.0) }

//> fn f(x: f64) -> f64 {
//>   v0 = square x
//>   v1 = square x
//>   v2 = add v0, v1
//>   v3 = i64 -3
//>   v4 = powi x, v3
//>   v5 = add v2, v4
//>   return v5
//> }

// --- other exponents are pow
fn f(x: f64, y: f64) -> f64 { x^y + x^0.5 + x^(1/2.0) }

//> fn f(x: f64, y: f64) -> f64 {
//>   v0 = pow x, y
//>   v1 = f64 0.5
//>   v2 = pow x, v1
//>   v3 = add v0, v2
//>   v4 = f64 1.0
//>   v5 = f64 2.0
//>   v6 = div v4, v5
//>   v7 = pow x, v6
//>   v8 = add v3, v7
//>   return v8
//> }

// --- an i64 exponent is an integer power
fn f(x: f64, z: c128, n: i64) -> c128 { x^n + z^n + z^2 + z^-1 }

//> fn f(x: f64, z: c128, n: i64) -> c128 {
//>   v0 = powi x, n
//>   v1 = powi z, n
//>   v2 = add v0, v1
//>   v3 = square z
//>   v4 = add v2, v3
//>   v5 = recip z
//>   v6 = add v4, v5
//>   return v6
//> }

// --- an open base takes its exponent's type
fn f(a: f32, z: c128) -> (f32, c128) { (10^exp(a) + 2^a, 2^z) }

//> fn f(a: f32, z: c128) -> (f32, c128) {
//>   v0 = f32 10.0
//>   v1 = exp a
//>   v2 = pow v0, v1
//>   v3 = f32 2.0
//>   v4 = pow v3, a
//>   v5 = add v2, v4
//>   v6 = f64 2.0
//>   v7 = pow v6, z
//>   return v5, v7
//> }

// --- and is not touched by an integer exponent
fn f(x: f64, n: i64) -> (f64, i64) { (2^n*x, 2^n + n^2) }

//> fn f(x: f64, n: i64) -> (f64, i64) {
//>   v0 = f64 2.0
//>   v1 = powi v0, n
//>   v2 = mul v1, x
//>   v3 = i64 2
//>   v4 = powi v3, n
//>   v5 = i64 2
//>   v6 = powi n, v5
//>   v7 = add v4, v6
//>   return v2, v7
//> }

// --- an exponent that is decided later
fn f(x: f64) -> (f64, f64) { let p = 3; let q = 3; (x^p, q*x + x^q) }

//> fn f(x: f64) -> (f64, f64) {
//>   v0 = i64 3
//>   v1 = f64 3.0
//>   v2 = i64 3
//>   v3 = powi x, v2
//>   v4 = mul v1, x
//>   v5 = pow x, v1
//>   v6 = add v4, v5
//>   return v3, v6
//> }

// --- exponents do not unify with their base
fn f(x: f32, z: c128, y: f64) -> (f32, c128) { (x^2, z^y) }

//> fn f(x: f32, z: c128, y: f64) -> (f32, c128) {
//>   v0 = square x
//>   v1 = pow z, y
//>   return v0, v1
//> }

// --- precedence: the sign is outside, to the right it is inside
fn f(x: f64) -> f64 { -x^2 + 2^x^2 + x^-x }

//> fn f(x: f64) -> f64 {
//>   v0 = square x
//>   v1 = neg v0
//>   v2 = f64 2.0
//>   v3 = square x
//>   v4 = pow v2, v3
//>   v5 = add v1, v4
//>   v6 = neg x
//>   v7 = pow x, v6
//>   v8 = add v5, v7
//>   return v8
//> }

// --- an open base with a negative exponent that a real operand decides
fn f(x: f64) -> f64 { 2^-1 * x }

//> fn f(x: f64) -> f64 {
//>   v0 = f64 2.0
//>   v1 = recip v0
//>   v2 = mul v1, x
//>   return v2
//> }

// --- an integer constant as exponent
const K: i64 = 2;
fn f(x: f64) -> f64 { x^K }

//> fn f(x: f64) -> f64 {
//>   v0 = i64 2
//>   v1 = square x
//>   return v1
//> }

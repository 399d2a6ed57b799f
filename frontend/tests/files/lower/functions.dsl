

// --- several results, named and not
fn two(x: f64) -> (f64, f64) { (x, 2*x) }
fn named(x: f64) -> (loss: f64, n: i64) { (x, 1) }
fn one(x: f64) -> (loss: f64) { x }
fn f(x: f64) -> f64 { let (a, b) = two(x); let (l, _) = named(a); let t = two(b); let (c, d) = t; l + c*d + one(x) }

//> fn two(x: f64) -> (f64, f64) {
//>   v0 = f64 2.0
//>   v1 = mul v0, x
//>   return x, v1
//> }
//>
//> fn named(x: f64) -> (loss: f64, n: i64) {
//>   v0 = i64 1
//>   return x, v0
//> }
//>
//> fn one(x: f64) -> (loss: f64) {
//>   return x
//> }
//>
//> fn f(x: f64) -> f64 {
//>   v0, v1 = call two(x)
//>   v2, v3 = call named(v0)
//>   v4, v5 = call two(v1)
//>   v6 = mul v4, v5
//>   v7 = add v2, v6
//>   v8 = call one(x)
//>   v9 = add v7, v8
//>   return v9
//> }

// --- nested patterns
fn two(x: f64) -> (f64, f64) { (x, 2*x) }
fn f(x: f64) -> f64 { let ((a, b), (_, c)) = (two(x), two(2*x)); a + b + c }

//> fn two(x: f64) -> (f64, f64) {
//>   v0 = f64 2.0
//>   v1 = mul v0, x
//>   return x, v1
//> }
//>
//> fn f(x: f64) -> f64 {
//>   v0, v1 = call two(x)
//>   v2 = f64 2.0
//>   v3 = mul v2, x
//>   v4, v5 = call two(v3)
//>   v6 = add v0, v1
//>   v7 = add v6, v5
//>   return v7
//> }

// --- a function may stand behind its use; attributes
fn f(x: f64) -> f64 { g(x) + g(1) }
#[inline] #[fp(strict)] fn g(#[nodiff] x: f64) -> f64 { x }

//> fn f(x: f64) -> f64 {
//>   v0 = call g(x)
//>   v1 = f64 1.0
//>   v2 = call g(v1)
//>   v3 = add v0, v2
//>   return v3
//> }
//>
//> #[inline]
//> #[fp(strict)]
//> fn g(#[nodiff] x: f64) -> f64 {
//>   return x
//> }

// --- shadowing of built-ins
fn exp(x: f64) -> f64 { 1 + x }
const PI: f64 = 3.0;
fn f(x: f64) -> f64 { exp(x) + PI }

//> note[ADC0215]: `exp` shadows the built-in of that name
//>   ^ 2:4-2:7 `exp`: this one is used from here on
//> note[ADC0215]: `PI` shadows the built-in of that name
//>   ^ 3:7-3:9 `PI`: this one is used from here on
//> fn exp(x: f64) -> f64 {
//>   v0 = f64 1.0
//>   v1 = add v0, x
//>   return v1
//> }
//>
//> fn f(x: f64) -> f64 {
//>   v0 = call exp(x)
//>   v1 = f64 3.0
//>   v2 = add v0, v1
//>   return v2
//> }

// --- let shadows; a parameter too
fn f(x: f64) -> f64 { let x = x + 1; let x = x*x; let sin = x; sin }

//> fn f(x: f64) -> f64 {
//>   v0 = f64 1.0
//>   v1 = add x, v0
//>   v2 = mul v1, v1
//>   return v2
//> }

// --- unused parameter
fn f(_: f64, x: f64, _: i64) -> f64 { x }
fn g(x: f64) -> f64 { f(1, x, 2) }

//> fn f(_: f64, x: f64, _.2: i64) -> f64 {
//>   return x
//> }
//>
//> fn g(x: f64) -> f64 {
//>   v0 = f64 1.0
//>   v1 = i64 2
//>   v2 = call f(v0, x, v1)
//>   return v2
//> }

// --- extern functions
extern fn kernel(x: f64, n: i64, z: c128) -> (value: f64, w: c64);
fn f(x: f64) -> f64 { let (v, w) = kernel(x, 2, x); v + f64(abs(w)) }

//> extern "kernel" fn kernel(x: f64, n: i64, z: c128) -> (value: f64, w: c64)
//>
//> fn f(x: f64) -> f64 {
//>   v0 = i64 2
//>   v1 = f64 0.0
//>   v2 = complex x, v1
//>   v3, v4 = call kernel(x, v0, v2)
//>   v5 = abs v4
//>   v6 = to_f64 v5
//>   v7 = add v3, v6
//>   return v7
//> }



// --- functions, built-ins, one per combination
fn apply(f: fn(f64) -> f64, x: f64) -> f64 { f(f(x)) }
fn sq(x: f64) -> f64 { x*x }
fn f(x: f64) -> f64 { apply(sq, x) + apply(sin, x) + apply(sq, 2) }

//> fn sq(x: f64) -> f64 {
//>   v0 = mul x, x
//>   return v0
//> }
//>
//> fn f(x: f64) -> f64 {
//>   v0 = call apply.sq(x)
//>   v1 = call apply.sin(x)
//>   v2 = add v0, v1
//>   v3 = f64 2.0
//>   v4 = call apply.sq(v3)
//>   v5 = add v2, v4
//>   return v5
//> }
//>
//> fn apply.sq(x: f64) -> f64 {
//>   v0 = call sq(x)
//>   v1 = call sq(v0)
//>   return v1
//> }
//>
//> fn apply.sin(x: f64) -> f64 {
//>   v0 = sin x
//>   v1 = sin v0
//>   return v1
//> }

// --- partial application, passed on
fn twice(f: fn(f64) -> f64, x: f64) -> f64 { f(f(x)) }
fn thrice(g: fn(f64) -> f64, x: f64) -> f64 { twice(g, g(x)) }
fn res(x: f64 in [0, 9], p: f64) -> f64 { x - p }
fn f(x: f64, p: f64) -> f64 { thrice(res(_, p), x) + twice(res(2*p, _), x) }

//> fn res(x: f64 in [0, 9], p: f64) -> f64 {
//>   v0 = sub x, p
//>   return v0
//> }
//>
//> fn f(x: f64, p: f64) -> f64 {
//>   v0 = call thrice.res(x, p)
//>   v1 = f64 2.0
//>   v2 = mul v1, p
//>   v3 = call twice.res(x, v2)
//>   v4 = add v0, v3
//>   return v4
//> }
//>
//> fn thrice.res(x: f64, g: f64) -> f64 {
//>   v0 = f64 0.0
//>   v1 = f64 9.0
//>   v2 = ge x, v0
//>   v3 = le x, v1
//>   v4 = and v2, v3
//>   assert_domain v4, "`x` of `res` must lie in [0, 9]"
//>   v5 = call res(x, g)
//>   v6 = call twice.res.2(v5, g)
//>   return v6
//> }
//>
//> fn twice.res(x: f64, f: f64) -> f64 {
//>   v0 = f64 0.0
//>   v1 = f64 9.0
//>   v2 = ge f, v0
//>   v3 = le f, v1
//>   v4 = and v2, v3
//>   assert_domain v4, "`x` of `res` must lie in [0, 9]"
//>   v5 = call res(f, x)
//>   v6 = f64 0.0
//>   v7 = f64 9.0
//>   v8 = ge f, v6
//>   v9 = le f, v7
//>   v10 = and v8, v9
//>   assert_domain v10, "`x` of `res` must lie in [0, 9]"
//>   v11 = call res(f, v5)
//>   return v11
//> }
//>
//> fn twice.res.2(x: f64, f: f64) -> f64 {
//>   v0 = f64 0.0
//>   v1 = f64 9.0
//>   v2 = ge x, v0
//>   v3 = le x, v1
//>   v4 = and v2, v3
//>   assert_domain v4, "`x` of `res` must lie in [0, 9]"
//>   v5 = call res(x, f)
//>   v6 = f64 0.0
//>   v7 = f64 9.0
//>   v8 = ge v5, v6
//>   v9 = le v5, v7
//>   v10 = and v8, v9
//>   assert_domain v10, "`x` of `res` must lie in [0, 9]"
//>   v11 = call res(v5, f)
//>   return v11
//> }

// --- a function parameter applied partially, complex arguments
fn inner(h: fn(c128) -> c128, z: c128) -> c128 { h(z) }
fn outer(h: fn(c128, c128) -> c128, z: c128) -> c128 { inner(h(_, 1), z) }
fn prod(a: c128, b: c128) -> c128 { a*b }
fn f(z: c128) -> c128 { outer(prod, z) + outer(pow, z) }

//> note[ADC0215]: `outer` shadows the built-in of that name
//>   ^ 3:4-3:9 `outer`: this one is used from here on
//> note[ADC0215]: `prod` shadows the built-in of that name
//>   ^ 4:4-4:8 `prod`: this one is used from here on
//> fn prod(a: c128, b: c128) -> c128 {
//>   v0 = mul a, b
//>   return v0
//> }
//>
//> fn f(z: c128) -> c128 {
//>   v0 = call outer.prod(z)
//>   v1 = call outer.pow(z)
//>   v2 = add v0, v1
//>   return v2
//> }
//>
//> fn outer.prod(z: c128) -> c128 {
//>   v0 = c128 (1.0, 0.0)
//>   v1 = call inner.prod(z, v0)
//>   return v1
//> }
//>
//> fn outer.pow(z: c128) -> c128 {
//>   v0 = c128 (1.0, 0.0)
//>   v1 = call inner.pow(z, v0)
//>   return v1
//> }
//>
//> fn inner.prod(z: c128, h: c128) -> c128 {
//>   v0 = call prod(z, h)
//>   return v0
//> }
//>
//> fn inner.pow(z: c128, h: c128) -> c128 {
//>   v0 = pow z, h
//>   return v0
//> }

// --- a built-in takes the declared types
fn apply(f: fn(c128) -> c128, x: f64) -> c128 { f(x) }
fn f(x: f64) -> c128 { apply(sin, x) }

//> fn f(x: f64) -> c128 {
//>   v0 = call apply.sin(x)
//>   return v0
//> }
//>
//> fn apply.sin(x: f64) -> c128 {
//>   v0 = f64 0.0
//>   v1 = complex x, v0
//>   v2 = sin v1
//>   return v2
//> }

// --- functions that take functions as arguments
fn apply(f: fn(f64) -> f64, x: f64) -> f64 { f(x) }
fn both(g: fn(fn(f64) -> f64, f64) -> f64, x: f64) -> f64 { g(sin, x) + g(apply(cos, _), x) }
fn f(x: f64) -> f64 { both(apply, x) }

//> fn f(x: f64) -> f64 {
//>   v0 = call both.apply(x)
//>   return v0
//> }
//>
//> fn both.apply(x: f64) -> f64 {
//>   v0 = call apply.sin(x)
//>   v1 = call apply.apply(x)
//>   v2 = add v0, v1
//>   return v2
//> }
//>
//> fn apply.sin(x: f64) -> f64 {
//>   v0 = sin x
//>   return v0
//> }
//>
//> fn apply.apply(x: f64) -> f64 {
//>   v0 = call apply.cos(x)
//>   return v0
//> }
//>
//> fn apply.cos(x: f64) -> f64 {
//>   v0 = cos x
//>   return v0
//> }

// --- functions given by blocks: each makes a function of the other parameters
fn twice[N](f: fn(f64) -> f64, x: f64[N]) -> f64 { sum(f(f(x[i])) for i) }
fn cube(x: f64) -> f64 { x^3 }
check twice[N = 2] { f = sin; }
check twice[N = 2] { f = cube; x ~ uniform(0, 1); }
bench twice[N = 2] { f = cube; }
check twice { }

//> fn cube(x: f64) -> f64 {
//>   v0 = i64 3
//>   v1 = powi x, v0
//>   return v1
//> }
//>
//> fn twice.sin[N](x: f64[N]) -> f64 {
//>   v0 = call twice.sin.2[N](x)
//>   return v0
//> }
//>
//> fn twice.cube[N](x: f64[N]) -> f64 {
//>   v0 = call twice.cube.2[N](x)
//>   return v0
//> }
//>
//> fn twice.sin.2[D0](x: f64[D0]) -> f64 {
//>   v0 = i64 0
//>   v1 = i64 1
//>   v6 = reduce sum v0, D0, v1 (v2) {
//>     v3 = index x, v2
//>     v4 = sin v3
//>     v5 = sin v4
//>     yield v5
//>   }
//>   return v6
//> }
//>
//> fn twice.cube.2[D0](x: f64[D0]) -> f64 {
//>   v0 = i64 0
//>   v1 = i64 1
//>   v6 = reduce sum v0, D0, v1 (v2) {
//>     v3 = index x, v2
//>     v4 = call cube(v3)
//>     v5 = call cube(v4)
//>     yield v5
//>   }
//>   return v6
//> }
//>
//> check twice.sin dims: [Some(2)], params: [None], wrt: None, nodiff: [], outputs: None, modes: None, points: None, seed: None, edge: false, eps: None, atol: None, rtol: None, fuel: None, memory_limit: None, expect: None
//>
//> check twice.cube dims: [Some(2)], params: [Some(Uniform(0.0, 1.0))], wrt: None, nodiff: [], outputs: None, modes: None, points: None, seed: None, edge: false, eps: None, atol: None, rtol: None, fuel: None, memory_limit: None, expect: None
//>
//> bench twice.cube dims: [Some(2)], params: [None], wrt: None, nodiff: [], modes: ["primal", "jvp", "vjp"], max_ratio: None

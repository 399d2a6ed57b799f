

// --- everything a check block says
fn f(x: f64, z: c128, n: i64, b: bool, w: f64 in (0, 1)) -> (loss: f64, y: c128) { (x*w, z) }
check f {
    x ~ normal(0, 2*PI);
    z ~ disk(2);
    n ~ int(-1, 3);
    b ~ choice(true, false);
    w in [0.25, 0.5];
    wrt x, z;
    nodiff w;
    outputs loss;
    modes slow, fast, forward, gradgrad;
    points 8; seed 3; edge;
    eps 1e-6; atol 1e-5; rtol 1e-3; fuel 1000; memory_limit 65536;
    expect fail;
}

//> fn f(x: f64, z: c128, n: i64, b: bool, w: f64 in (0, 1)) -> (loss: f64, y: c128) {
//>   v0 = mul x, w
//>   return v0, z
//> }
//>
//> check f dims: [], params: [Some(Normal(0.0, 6.283185307179586)), Some(Disk(2.0)), Some(Int(-1, 3)), Some(Choice([Bool(true), Bool(false)])), Some(Uniform(0.25, 0.5))], wrt: Some([0, 1]), nodiff: [4], outputs: Some([0]), modes: Some([Slow, Fast, Forward, Gradgrad]), points: Some(8), seed: Some(3), edge: true, eps: Some(1e-6), atol: Some(1e-5), rtol: Some(0.001), fuel: Some(1000), memory_limit: Some(65536), expect: Some(Fail)

// --- defaults and the other distributions
fn f(a: f64, b: f64, c: f64, z: c64, w: c128, n: i64) -> f64 { a }
check f {
    a ~ uniform(-1, 1); b ~ lognormal(0, 1); c ~ near(1.5, 0.1);
    z ~ annulus(1, 2); w = 1 + 2i; n in (0, 3];
}
check f { a ~ choice(0, 1, 2.5); w in annulus(0, 3); outputs out; }

//> fn f(a: f64, b: f64, c: f64, z: c64, w: c128, n: i64) -> f64 {
//>   return a
//> }
//>
//> check f dims: [], params: [Some(Uniform(-1.0, 1.0)), Some(Lognormal(0.0, 1.0)), Some(Near(F64(1.5), 0.1)), Some(Annulus(1.0, 2.0)), Some(Fixed(C128(Complex { re: 1.0, im: 2.0 }))), Some(Int(1, 3))], wrt: None, nodiff: [], outputs: None, modes: None, points: None, seed: None, edge: false, eps: None, atol: None, rtol: None, fuel: None, memory_limit: None, expect: None
//>
//> check f dims: [], params: [Some(Choice([F64(0.0), F64(1.0), F64(2.5)])), None, None, None, Some(Disk(3.0)), None], wrt: None, nodiff: [], outputs: Some([0]), modes: None, points: None, seed: None, edge: false, eps: None, atol: None, rtol: None, fuel: None, memory_limit: None, expect: None

// --- verdicts by their names
fn f(x: f64) -> f64 { x }
check f { expect out_of_domain; }
check f { expect nondeterministic; }

//> fn f(x: f64) -> f64 {
//>   return x
//> }
//>
//> check f dims: [], params: [None], wrt: None, nodiff: [], outputs: None, modes: None, points: None, seed: None, edge: false, eps: None, atol: None, rtol: None, fuel: None, memory_limit: None, expect: Some(OutOfDomain)
//>
//> check f dims: [], params: [None], wrt: None, nodiff: [], outputs: None, modes: None, points: None, seed: None, edge: false, eps: None, atol: None, rtol: None, fuel: None, memory_limit: None, expect: Some(Nondeterministic)

// --- bench
fn f(x: f64) -> f64 { x }
bench f { x ~ normal(0, 1); modes primal, vjp; max_ratio 3; }
bench f { }

//> fn f(x: f64) -> f64 {
//>   return x
//> }
//>
//> bench f dims: [], params: [Some(Normal(0.0, 1.0))], wrt: None, nodiff: [], modes: ["primal", "vjp"], max_ratio: Some(3.0)
//>
//> bench f dims: [], params: [None], wrt: None, nodiff: [], modes: ["primal", "jvp", "vjp"], max_ratio: None

// --- arrays: dimensions, distributions of entries, fixed arrays
const W: f64[2] = [0.5, 0.25];
fn f[N, D](x: f64[N, D], w: f64[D], z: c128[N], n: i64[N] in [0, 3], s: f64) -> (a: f64[N], b: f64) { (x @ w, s) }
check f[N = 3, D = 2] {
    x ~ normal(0, 1); w = [1, 2.5]; z ~ disk(2); n ~ int(0, 2); s = 0.5;
    wrt x, w; outputs a;
}
check f[3] { x in [-1, 1]; w = 2*W; z = 1i; n = [1, 2, 3]; nodiff x; }
check f { x = ones(4, 2); w ~ choice(1, 2); z ~ near(1 + 1i, 0.1); }
bench f[N = 1_000, D = 10] { x ~ uniform(0, 1); max_ratio 3; }

//> fn f[N, D](x: f64[N, D], w: f64[D], z: c128[N], n: i64[N] in [0, 3], s: f64) -> (a: f64[N], b: f64) {
//>   v0 = matmul x, w
//>   return v0, s
//> }
//>
//> check f dims: [Some(3), Some(2)], params: [Some(Normal(0.0, 1.0)), Some(Array(Array(Array { shape: [2], data: F64([1.0, 2.5]) }))), Some(Disk(2.0)), Some(Int(0, 2)), Some(Fixed(F64(0.5)))], wrt: Some([0, 1]), nodiff: [], outputs: Some([0]), modes: None, points: None, seed: None, edge: false, eps: None, atol: None, rtol: None, fuel: None, memory_limit: None, expect: None
//>
//> check f dims: [Some(3), None], params: [Some(Uniform(-1.0, 1.0)), Some(Array(Array(Array { shape: [2], data: F64([1.0, 0.5]) }))), Some(Fixed(C128(Complex { re: 0.0, im: 1.0 }))), Some(Array(Array(Array { shape: [3], data: I64([1, 2, 3]) }))), None], wrt: None, nodiff: [0], outputs: None, modes: None, points: None, seed: None, edge: false, eps: None, atol: None, rtol: None, fuel: None, memory_limit: None, expect: None
//>
//> check f dims: [None, None], params: [Some(Array(Array(Array { shape: [4, 2], data: F64([1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]) }))), Some(Choice([F64(1.0), F64(2.0)])), Some(Near(C128(Complex { re: 1.0, im: 1.0 }), 0.1)), None, None], wrt: None, nodiff: [], outputs: None, modes: None, points: None, seed: None, edge: false, eps: None, atol: None, rtol: None, fuel: None, memory_limit: None, expect: None
//>
//> bench f dims: [Some(1000), Some(10)], params: [Some(Uniform(0.0, 1.0)), None, None, None, None], wrt: None, nodiff: [], modes: ["primal", "jvp", "vjp"], max_ratio: Some(3.0)

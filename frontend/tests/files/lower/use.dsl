

// --- functions, rules and constants come along, blocks do not
use "a.dsl";
use "b.dsl";
fn f(x: f64) -> f64 { a(x) + b(x) }
check f { x ~ normal(0, 1); }
//== a.dsl
use "c.dsl";
fn a(x: f64) -> f64 { c(x) }
check a { }
//== b.dsl
use "c.dsl";
fn b(x: f64) -> f64 { 2*c(x) }
//== c.dsl
fn c(x: f64) -> f64 { x*x }
rule jvp c(x; dx) { 2*x*dx }

//> fn f(x: f64) -> f64 {
//>   v0 = call a(x)
//>   v1 = call b(x)
//>   v2 = add v0, v1
//>   return v2
//> }
//>
//> fn a(x: f64) -> f64 {
//>   v0 = call c(x)
//>   return v0
//> }
//>
//> #[rule(jvp, c.rule.jvp)]
//> fn c(x: f64) -> f64 {
//>   v0 = mul x, x
//>   return v0
//> }
//>
//> fn b(x: f64) -> f64 {
//>   v0 = f64 2.0
//>   v1 = call c(x)
//>   v2 = mul v0, v1
//>   return v2
//> }
//>
//> fn c.rule.jvp(x: f64, out: f64, dx: f64) -> (out_dot: f64) {
//>   v0 = f64 2.0
//>   v1 = mul v0, x
//>   v2 = mul v1, dx
//>   return v2
//> }
//>
//> check f dims: [], params: [Some(Normal(0.0, 1.0))], wrt: None, nodiff: [], outputs: None, modes: None, points: None, seed: None, edge: false, eps: None, atol: None, rtol: None, fuel: None, memory_limit: None, expect: None

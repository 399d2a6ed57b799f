// `#[nonlinear]` rules: a mistake beside one has to be found. One inside is found by no check, by design: the table says so.

fn clip(x: f64) -> f64 { x }
#[nonlinear]
rule vjp clip(x; g) { clamp(g, -1, 1) }

// beside ------------------------------------------------------------------------
fn doubled(x: f64) -> f64 { exp(x) }
rule vjp doubled(x; g) { 2*g*out }
fn beside_nonlinear_before(x: f64) -> f64 { clip(doubled(x))^2 }
fn beside_nonlinear_behind(x: f64) -> f64 { doubled(clip(x)*x) }

fn exchanged(x: f64, y: f64) -> f64 { x*sin(y) }
rule vjp exchanged(x, y; g) { (g*x*cos(y), g*sin(y)) }
fn beside_nonlinear_argument(x: f64, y: f64) -> f64 { clip(x)*exchanged(clip(x*y), y) }
check beside_nonlinear_argument { x in [0.5, 1.5]; y in [0.5, 1]; }

fn beside_nonlinear_second(x: f64) -> f64 { clip(held(x))*x }
fn held(x: f64) -> f64 { exp(2*x) }
rule jvp held(x; dx) { 2*stop_gradient(out)*dx }
rule vjp held(x; g) { 2*stop_gradient(out)*g }

// inside ------------------------------------------------------------------------
fn nonlinear_sign(x: f64) -> f64 { x }
#[nonlinear]
rule vjp nonlinear_sign(x; g) { -clamp(g, -1, 1) }

fn nonlinear_exchanged(x: f64, y: f64) -> f64 { x*sin(y) }
#[nonlinear]
rule vjp nonlinear_exchanged(x, y; g) {
    let c = clamp(g, -1, 1);
    (c*x*cos(y), c*sin(y))
}

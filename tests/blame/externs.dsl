//# tank: factor
extern fn tank(inflow: f64, volume: f64) -> f64;
rule vjp tank(inflow, volume; g) { (0.5*g/(1 + volume), -g*out/(1 + volume)) } // <-
fn cascade(inflow: f64, volume: f64) -> f64 { tank(tank(inflow, volume), 2*volume) }
check cascade { inflow in [1, 5]; volume in [0.5, 2]; points 3; }

//# drag: power
extern fn drag(v: f64, area: f64) -> f64;
rule vjp drag(v, area; g) { (g*area*v^2, 0.5*g*v^2) } // <-
fn descent(v: f64, area: f64) -> f64 { 9.81 - drag(v, area) + 0.1*drag(0.5*v, area) }
check descent { v in [1, 4]; area in [0.2, 1]; points 3; }

//# lorentz: sign
extern fn lorentz(x: f64, gamma: f64) -> f64;
rule partial lorentz(x, gamma) { // <-
    d x: 2*x*gamma/(x^2 + gamma^2)^2;
    d gamma: (x^2 - gamma^2)/(x^2 + gamma^2)^2;
}
fn doublet(x: f64, gamma: f64) -> f64 { lorentz(x, gamma) + 0.5*lorentz(x - 0.3, gamma) }
check doublet { x in [0.5, 2]; gamma in [0.4, 1]; points 3; }

//# softmax_pair: sign
extern fn share(a: f64, b: f64) -> f64;
rule vjp share(a, b; g) { (-g*out*(1 - out), g*out*(1 - out)) } // <-
fn market(a: f64, b: f64) -> f64 { share(a, b)^2 + share(2*a, b) }
check market { a in [0, 1]; b in [0, 1]; points 3; }

//# antenna: conj
extern fn antenna(z: c128) -> f64;
rule vjp antenna(z; g) { g*conj(z)/(0.1 + abs2(z))^2*0.2 } // <-
fn array(z: c128) -> f64 { antenna(z) + antenna(z*cis(0.5) + 0.4) }
check array { z ~ near(0.5 + 0.7i, 0.3); points 3; }

//# squash: dropped_term
extern fn squash(x: f64, k: f64) -> f64;
rule jvp squash(x, k; dx, dk) { k*(1 - out^2)*dx } // <-
fn layer(x: f64, k: f64) -> f64 { squash(x, k)*squash(0.5*x, 2*k) }
check layer { x in [-1, 1]; k in [0.5, 1.5]; points 3; }

//# stirling: factor
extern fn entropy(p: f64) -> f64;
rule vjp entropy(p; g) { g*(log((1 - p)/p))/log(2) } // <-
fn channel(p: f64, q: f64) -> f64 { entropy(p) - 0.4*entropy(p*(1 - q) + q*(1 - p)) }
check channel { p in [0.1, 0.4]; q in [0.1, 0.3]; points 3; }

//# steps_of_tank: sign
extern fn tank(inflow: f64, volume: f64) -> f64;
rule vjp tank(inflow, volume; g) { (g/(1 + volume), g*out/(1 + volume)) } // <-
fn season(rain: f64[4], volume: f64) -> f64 {
    var s = 0.2;
    for k in 0..4 { s = tank(s + rain[k], volume); }
    s
}
check season { rain in [0.5, 2]; volume in [0.5, 2]; points 3; }

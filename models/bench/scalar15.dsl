// scalar15: a function of three scalars with 15 transcendental ops, the yardstick of single calls.

#[allow(unstable_formula)]
fn scalar15(x: f64, y: f64, z: f64) -> f64 {
    let a = sin(x*y);
    let b = cos(y + z);
    let c = exp(0.3*x - z);
    let xy = x*x + y*y;
    let d = log(1.0 + xy);
    let e = sqrt(xy + z*z + 1.0);
    let g = a*b/(1.0 + e);
    let h = pow(d + 1.5, 2.3);
    let u = sin(c)*exp(-(d*d));
    let v = log(e + exp(z*y));
    let r = pow(e, x);
    let s = cos(g*h)/sqrt(1.0 + u*u);
    g*h + u*v + r*s + log(1.0 + c*c)*sin(v)
}

check scalar15 { x in [0.6, 0.8]; y in [1.2, 1.4]; z in [0.3, 0.5]; modes slow, fast, forward; }
bench scalar15 { x = 0.7; y = 1.3; z = 0.4; modes primal, jvp, vjp; }

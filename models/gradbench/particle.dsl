// GradBench particle: a charge flies between two others, of which one can be moved by w. Which w makes it land on the origin? The force is
// a derivative of the potential, and so is the slope that the descent follows: each is taken forward (f) or in reverse (r).

use "descent.dsl";

#[allow(unstable_formula)]
fn potential(x: f64[2], w: f64) -> f64 {
    1/sqrt((x[0] - 10)^2 + (x[1] - (10 - w))^2) + 1/sqrt((x[0] - 10)^2 + x[1]^2)
}

fn slope_f(x: f64[2], w: f64) -> f64[2] {
    [jvp(potential, wrt = x)(x, w; [1.0, 0.0]), jvp(potential, wrt = x)(x, w; [0.0, 1.0])]
}

fn slope_r(x: f64[2], w: f64) -> f64[2] { grad(potential, wrt = x)(x, w) }

/// The square of where it lands. Steps of Euler's method, the last one shortened.
fn landing(slope: fn(f64[2], f64) -> f64[2], w: f64) -> f64 {
    var x = [0.0, 8.0];
    var v = [0.75, 0.0];
    var landed = 0.0;
    var flying = true;
    while flying {
        let s = slope(x, w);
        x = x + 0.1*v;
        if x[1] <= 0 {
            landed = x[0] - x[1]/v[1]*v[0];
            flying = false;
        } else {
            v = v - 0.1*s;
        }
    }
    landed^2
}

fn landing_f(w: f64[1]) -> f64 { landing(slope_f, w[0]) }
fn landing_r(w: f64[1]) -> f64 { landing(slope_r, w[0]) }

fn forward_f(w: f64[1]) -> f64[1] { [jvp(landing_f)(w; [1.0])] }
fn forward_r(w: f64[1]) -> f64[1] { [jvp(landing_r)(w; [1.0])] }
fn reverse_f(w: f64[1]) -> f64[1] { grad(landing_f)(w) }
fn reverse_r(w: f64[1]) -> f64[1] { grad(landing_r)(w) }

fn ff(w: f64) -> f64 { descend(landing_f, forward_f, [w])[0] }
fn fr(w: f64) -> f64 { descend(landing_r, forward_r, [w])[0] }
fn rf(w: f64) -> f64 { descend(landing_f, reverse_f, [w])[0] }
fn rr(w: f64) -> f64 { descend(landing_r, reverse_r, [w])[0] }

check potential { x ~ near([1.0, 7.0], 0.5); w in [0, 0.4]; }
check landing_f { w ~ near([0.2], 0.05); points 4; }
check landing_r { w ~ near([0.2], 0.05); points 4; }

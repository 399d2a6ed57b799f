// A hanging cable: sag and tensions from span and length. The shape parameter is found by Newton's method, and its
// derivative by what the equation says.

/// The positive x with sinh x = ratio x.
fn half_angle(ratio: f64 in [1.01, 20]) -> f64 {
    var x = sqrt(6*(ratio - 1));
    var move_by = 1.0;
    var turns = 0;
    while abs(move_by) > 1e-13*x && turns < 60 {
        move_by = (sinh(x) - ratio*x)/(cosh(x) - ratio);
        x -= move_by;
        turns += 1;
    }
    x
}
rule jvp half_angle(ratio; dr) { dr*out/(cosh(out) - ratio) }

/// slack is how much longer the cable is than the span, as a part of it; w is the weight per length.
fn cable(span: f64, slack: f64 in [0.02, 10], w: f64) -> (sag: f64, lowest: f64, highest: f64) {
    let x = half_angle(1 + slack);
    let a = 0.5*span/x;
    (a*(cosh(x) - 1), w*a, w*a*cosh(x))
}

check cable { span in [20, 200]; slack in [0.02, 0.5]; w in [5, 20]; }

// A cascade of biquad filters in transposed direct form II, in single precision, as it runs on a microcontroller.

fn section[N](x: f32[N], b: f32[3], a: f32[2]) -> f32[N] {
    var y = x;
    var s1 = 0.0;
    var s2 = 0.0;
    for n in 0..N {
        let v = b[0]*x[n] + s1;
        s1 = b[1]*x[n] - a[0]*v + s2;
        s2 = b[2]*x[n] - a[1]*v;
        y[n] = v;
    }
    y
}

/// Output, its mean power, and the gain at frequency 0.
fn cascade[N, S](x: f32[N], b: f32[S, 3], a: f32[S, 2]) -> (y: f32[N], power: f32, gain: f32) {
    var y = x;
    var gain = 1.0;
    for k in 0..S {
        y = section(y, b[k], a[k]);
        gain *= sum(b[k])/(1 + sum(a[k]));
    }
    (y, mean(y^2), gain)
}

check cascade[N = 12, S = 2] {
    x ~ normal(0, 1);
    b ~ near([[0.2, 0.4, 0.2], [1.0, -1.6, 1.0]], 0.1);
    a ~ near([[-0.9, 0.3], [-1.2, 0.6]], 0.1);
}

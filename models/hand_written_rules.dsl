// Derivatives written by hand, in each of the three forms.

/// The cardioid activation: damps z by the cosine of its phase. Not holomorphic.
fn cardioid(z: c128) -> c128 { 0.5*(1 + re(z)/abs(z))*z }
rule partial cardioid(z) {
    d z: 0.5*(1 + re(z)/abs(z)) + 0.25i*im(z)/abs(z);
    dconj z: -0.25i*im(z)/abs(z)*z/conj(z);
}

/// A layer on top, whose derivative uses the rule.
fn layer(z: c128, w: c128, b: c128) -> f64 { abs2(cardioid(w*z + b)) }

/// log(e^a + e^b), with the softmax as its transposed derivative.
#[allow(unstable_formula)]
fn softmax_of_two(a: f64, b: f64) -> f64 { log(exp(a) + exp(b)) }
rule vjp softmax_of_two(a, b; g) { (g*exp(a - out), g*exp(b - out)) }

/// Length of the hypotenuse, by its tangent.
fn length(x: f64, y: f64) -> f64 { sqrt(x^2 + y^2) }
rule jvp length(x, y; dx, dy) { (x*dx + y*dy)/out }

/// |z|^2 w with both partials of z.
fn intensity(z: c128, w: f64) -> f64 { abs2(z)*w }
rule partial intensity(z, w) {
    dconj z: z*w;
    d w: abs2(z);
}

check cardioid { z ~ near(1 + 1i, 0.4); modes slow, fast, forward, gradgrad; }
check layer {
    z ~ near(1 + 1i, 0.3); w ~ near(1.5 + 0.2i, 0.2); b ~ near(0.5 + 0.5i, 0.2);
    modes slow, fast, forward;
}
check softmax_of_two { a in [0, 1]; b in [0.5, 1.5]; modes slow, fast, forward, gradgrad; }
check length { x in [0.5, 1.5]; y in [0.5, 1.5]; modes slow, fast, forward, gradgrad; }
check intensity { z ~ near(1 + 1i, 0.4); w in [0.5, 1.5]; modes slow, fast, forward, gradgrad; }

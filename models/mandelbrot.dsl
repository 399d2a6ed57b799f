// Six steps of the Mandelbrot iteration, written out, with the derivative of the last iterate.

fn step(z: c128, c: c128) -> c128 { z^2 + c }

/// The sixth iterate from z = 0.
fn iterate(c: c128) -> c128 {
    let z1 = c;
    let z2 = step(z1, c);
    let z3 = step(z2, c);
    let z4 = step(z3, c);
    let z5 = step(z4, c);
    step(z5, c)
}

/// Smooth escape measure log |z6|.
fn escape(c: c128) -> f64 { log(abs(iterate(c))) }

check iterate { c ~ near(0.3 + 0.5i, 0.1); modes slow, fast, forward, gradgrad; }
check escape { c ~ near(0.9 + 0.9i, 0.2); modes slow, fast, forward; }

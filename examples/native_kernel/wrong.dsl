// wrong.dsl
extern fn morse[N](x: f64[N], depth: f64, width: f64) -> f64;
extern fn morse_slopes_wrong[N](
    x: f64[N],
    depth: f64,
    width: f64,
) -> (dx: f64[N], ddepth: f64, dwidth: f64);

rule vjp morse(x, depth, width; g) {
    let (dx, ddepth, dwidth) = morse_slopes_wrong(x, depth, width);
    ([g*dx[i] for i], g*ddepth, g*dwidth)
}

/// How far the energy of a chain, stretched towards its end, is from a measured one.
fn misfit[N](x: f64[N], depth: f64, width: f64, measured: f64) -> f64 {
    let stretched = [x[i]*(1 + 0.1*f64(i)) for i in 0..N];
    (morse(stretched, depth, width) - measured)^2
}

check misfit[N = 4] {
    x ~ near([0, 1, 2, 3], 0.2); depth in [1, 2]; width in [0.5, 1]; measured in [3, 4];
}
check morse[N = 4] { depth in [1, 2]; width in [0.5, 1]; }

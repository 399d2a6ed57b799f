// A galaxy as a gravitational lens: source position, magnification and time delay of an image.

/// Lensing potential of a cored isothermal ellipse of strength b and axis ratio q, with external shear.
fn potential(x: f64, y: f64, b: f64, q: f64, core: f64, shear: f64) -> f64 {
    b*sqrt(core^2 + q^2*x^2 + y^2) + 0.5*shear*(x^2 - y^2)
}

fn image(
    x: f64,
    y: f64,
    b: f64,
    q: f64,
    core: f64,
    shear: f64,
) -> (source: f64[2], magnification: f64, delay: f64, twist: f64) {
    let (px, py) = grad(potential, wrt = (x, y))(x, y, b, q, core, shear);
    let ((xx, xy), (yx, yy)) = hessian(potential, wrt = (x, y))(x, y, b, q, core, shear);
    let area = (1 - xx)*(1 - yy) - xy*yx;
    let delay = 0.5*(px^2 + py^2) - potential(x, y, b, q, core, shear);
    ([x - px, y - py], 1/area, delay, xy - yx)
}

check image {
    x in [1.2, 2]; y in [-0.8, 0.8]; b in [0.8, 1.1]; q in [0.7, 0.95]; core in [0.05, 0.2];
    shear in [-0.1, 0.1];
}

// Derivatives inside a model, functions as parameters, partial application, native code.

use "scalars.dsl";

fn quartic(x: f64, y: f64) -> f64 { x^4 + x*y^2 - sin(x*y) }

fn gradient_norm(a: f64, b: f64) -> f64 {
    let (gx, gy) = grad(quartic)(a, b);
    let g = grad(quartic, wrt = x)(a, b);
    let (v, (hx, _)) = value_and_grad(quartic, wrt = (x, y))(a, b);
    gx^2 + gy^2 + g*hx + v
}

fn curvature(a: f64, b: f64, da: f64) -> f64 {
    let t = jvp(quartic, wrt = x)(a, b; da);
    let (p, q) = value_and_jvp(quartic)(a, b; da, 1);
    let h = hvp(quartic, wrt = (x, y))(a, b; da, 0);
    let (h0, h1) = h;
    t + p*q + h0*h1 + jvp(grad(quartic, wrt = 0))(a, b; da, 0) + grad(grad(sin))(a)
}

fn residual[N](x: f64[N], p: f64) -> f64[N] { [x[i]^3 + p*x[i] - 1 for i] }

fn solve_for[N](f: fn(f64[N]) -> f64[N], x0: f64[N]) -> f64[N] {
    var x = x0;
    for _ in 0..10 {
        let J = jacobian(f, wrt = 0)(x);
        x -= solve(J, f(x));
    }
    x
}

fn root[N](p: f64, x0: f64[N]) -> f64[N] { solve_for(residual(_, p), x0) }

fn apply(f: fn(f64) -> f64, x: f64) -> f64 { f(f(x)) }

fn twice(x: f64) -> f64 { apply(tanh, x) + apply(powers, 1 + x^2) + apply(grad(sin), x) }

fn laplacian[N](x: f64[N]) -> f64 {
    let H = hessian(bowl)(x);
    let d = hess_diag(bowl, wrt = x)(x);
    trace(H) - sum(d) + sum(vjp(residual, wrt = x)(x, 1.0; x)) + sum(grad(bowl[N = N])(x)) + grad(bowl[N])(x)[0]
}

fn bowl[N](x: f64[N]) -> f64 { sum((x[i] - f64(i))^4 for i) }

fn wirtinger(z: c128) -> c128 {
    let (w, cw) = jacobian(skewed)(z);
    w + conj(cw)
}

fn skewed(z: c128) -> c128 { z^2*conj(z) }

extern fn bessel(n: i64, x: f64) -> f64;
rule jvp bessel(n, x; dx) { 0.5*(bessel(n - 1, x) - bessel(n + 1, x))*dx }

extern fn blur[N](x: f64[N], width: f64) -> (smooth: f64[N], mass: f64);

fn uses_native[N](x: f64[N]) -> f64 {
    let (s, m) = blur[N](x, 2.0);
    sum(s) + m + bessel(0, x[0])
}

check gradient_norm {}
check root[N = 2] { p ~ uniform(1, 2); x0 = [0.5, 0.6]; wrt p; }
check uses_native[N = 4] { nodiff x; expect error; }
bench laplacian[N = 50] { x in (-1, 1); modes primal, vjp; }



// --- every operator, one parameter
fn f(x: f64) -> f64 { x^3 }
fn g(x: f64) -> f64 {
    let (v, d) = value_and_grad(f)(x);
    let (w, t) = value_and_jvp(f)(x; 1);
    let (u, c) = value_and_vjp(f)(x; 2);
    grad(f)(x) + v*d + jvp(f)(x; 2*x) + w*t + vjp(f)(x; 1) + u*c + hvp(f)(x; 1) + jacobian(f)(x) + hessian(f)(x) + hess_diag(f)(x)
}

//> fn f(x: f64) -> f64 {
//>   v0 = i64 3
//>   v1 = powi x, v0
//>   return v1
//> }
//>
//> fn g(x: f64) -> f64 {
//>   v0, v1 = call value_and_grad.f(x)
//>   v2 = f64 1.0
//>   v3, v4 = call value_and_jvp.f(x, v2)
//>   v5 = f64 2.0
//>   v6, v7 = call value_and_vjp.f(x, v5)
//>   v8 = call grad.f(x)
//>   v9 = mul v0, v1
//>   v10 = add v8, v9
//>   v11 = f64 2.0
//>   v12 = mul v11, x
//>   v13 = call jvp.f(x, v12)
//>   v14 = add v10, v13
//>   v15 = mul v3, v4
//>   v16 = add v14, v15
//>   v17 = f64 1.0
//>   v18 = call vjp.f(x, v17)
//>   v19 = add v16, v18
//>   v20 = mul v6, v7
//>   v21 = add v19, v20
//>   v22 = f64 1.0
//>   v23 = call hvp.f(x, v22)
//>   v24 = add v21, v23
//>   v25 = call jacobian.f(x)
//>   v26 = add v24, v25
//>   v27 = call hessian.f(x)
//>   v28 = add v26, v27
//>   v29 = call hess_diag.f(x)
//>   v30 = add v28, v29
//>   return v30
//> }
//>
//> derived value_and_grad(f, 0) fn value_and_grad.f(x: f64) -> (out: f64, x_bar: f64)
//>
//> derived value_and_jvp(f, 0) fn value_and_jvp.f(x: f64, x_dot: f64) -> (out: f64, out_dot: f64)
//>
//> derived value_and_vjp(f, 0) fn value_and_vjp.f(x: f64, out_bar: f64) -> (out: f64, x_bar: f64)
//>
//> derived grad(f, 0) fn grad.f(x: f64) -> (x_bar: f64)
//>
//> derived jvp(f, 0) fn jvp.f(x: f64, x_dot: f64) -> (out_dot: f64)
//>
//> derived vjp(f, 0) fn vjp.f(x: f64, out_bar: f64) -> (x_bar: f64)
//>
//> derived hvp(f, 0) fn hvp.f(x: f64, x_dot: f64) -> (x_bar_dot: f64)
//>
//> derived jacobian(f, 0) fn jacobian.f(x: f64) -> (d_out_d_x: f64)
//>
//> derived hessian(f, 0) fn hessian.f(x: f64) -> (hess_x_x: f64)
//>
//> derived hess_diag(f, 0) fn hess_diag.f(x: f64) -> (x_hess_diag: f64)

// --- wrt by name, by position, several, in parameter order; integers, booleans and nodiff are left out
fn q(x: f64, n: i64, y: f64, #[nodiff] s: f64) -> f64 { s*x^n*y }
fn g(a: f64) -> f64 {
    let (gx, gy) = grad(q)(a, 2, 1, 3);
    let ((xx, xy), (yx, yy)) = hessian(q, wrt = (y, x))(a, 2, 1, 3);
    let h = hess_diag(q, wrt = 2)(a, 2, 1, 3);
    gx + gy + xx + xy + yx + yy + h + grad(q, wrt = x)(a, 2, 1, 3)
}

//> fn q(x: f64, n: i64, y: f64, #[nodiff] s: f64) -> f64 {
//>   v0 = powi x, n
//>   v1 = mul s, v0
//>   v2 = mul v1, y
//>   return v2
//> }
//>
//> fn g(a: f64) -> f64 {
//>   v0 = i64 2
//>   v1 = f64 1.0
//>   v2 = f64 3.0
//>   v3, v4 = call grad.q(a, v0, v1, v2)
//>   v5 = i64 2
//>   v6 = f64 1.0
//>   v7 = f64 3.0
//>   v8, v9, v10, v11 = call hessian.q(a, v5, v6, v7)
//>   v12 = i64 2
//>   v13 = f64 1.0
//>   v14 = f64 3.0
//>   v15 = call hess_diag.q(a, v12, v13, v14)
//>   v16 = add v3, v4
//>   v17 = add v16, v8
//>   v18 = add v17, v9
//>   v19 = add v18, v10
//>   v20 = add v19, v11
//>   v21 = add v20, v15
//>   v22 = i64 2
//>   v23 = f64 1.0
//>   v24 = f64 3.0
//>   v25 = call grad.q.2(a, v22, v23, v24)
//>   v26 = add v21, v25
//>   return v26
//> }
//>
//> derived grad(q, 0, 2) fn grad.q(x: f64, n: i64, y: f64, #[nodiff] s: f64) -> (x_bar: f64, y_bar: f64)
//>
//> derived hessian(q, 0, 2) fn hessian.q(x: f64, n: i64, y: f64, #[nodiff] s: f64) -> (hess_x_x: f64, hess_x_y: f64, hess_y_x: f64, hess_y_y: f64)
//>
//> derived hess_diag(q, 2) fn hess_diag.q(x: f64, n: i64, y: f64, #[nodiff] s: f64) -> (y_hess_diag: f64)
//>
//> derived grad(q, 0) fn grad.q.2(x: f64, n: i64, y: f64, #[nodiff] s: f64) -> (x_bar: f64)

// --- several results, complex parameters
fn p(z: c128, k: i64) -> (value: c128, size: f64, k: i64) { (f64(k)*z, abs2(z), k) }
fn g(z: c128) -> f64 {
    let (a, b) = jvp(p)(z, 2; 1i);
    let c = vjp(p)(z, 2; 1, 2.5);
    let ((w, cw), (w2, cw2)) = jacobian(p)(z, 2);
    let ((v, s, k), d) = value_and_vjp(p)(z, 2; z, 1);
    re(a + c + w*cw + w2 + cw2 + v + d) + b + s + f64(k)
}

//> fn p(z: c128, k: i64) -> (value: c128, size: f64, k: i64) {
//>   v0 = to_f64 k
//>   v1 = mul v0, z
//>   v2 = abs2 z
//>   return v1, v2, k
//> }
//>
//> fn g(z: c128) -> f64 {
//>   v0 = i64 2
//>   v1 = c128 (0.0, 1.0)
//>   v2, v3 = call jvp.p(z, v0, v1)
//>   v4 = i64 2
//>   v5 = c128 (1.0, 0.0)
//>   v6 = f64 2.5
//>   v7 = call vjp.p(z, v4, v5, v6)
//>   v8 = i64 2
//>   v9, v10, v11, v12 = call jacobian.p(z, v8)
//>   v13 = i64 2
//>   v14 = f64 1.0
//>   v15, v16, v17, v18 = call value_and_vjp.p(z, v13, z, v14)
//>   v19 = add v2, v7
//>   v20 = mul v9, v10
//>   v21 = add v19, v20
//>   v22 = add v21, v11
//>   v23 = add v22, v12
//>   v24 = add v23, v15
//>   v25 = add v24, v18
//>   v26 = re v25
//>   v27 = add v26, v3
//>   v28 = add v27, v16
//>   v29 = to_f64 v17
//>   v30 = add v28, v29
//>   return v30
//> }
//>
//> derived jvp(p, 0) fn jvp.p(z: c128, k: i64, z_dot: c128) -> (value_dot: c128, size_dot: f64)
//>
//> derived vjp(p, 0) fn vjp.p(z: c128, k: i64, value_bar: c128, size_bar: f64) -> (z_bar: c128)
//>
//> derived jacobian(p, 0) fn jacobian.p(z: c128, k: i64) -> (d_value_d_z: c128, d_value_dconj_z: c128, d_size_d_z: c128, d_size_dconj_z: c128)
//>
//> derived value_and_vjp(p, 0) fn value_and_vjp.p(z: c128, k: i64, value_bar: c128, size_bar: f64) -> (value: c128, size: f64, k: i64, z_bar: c128)

// --- built-ins of one type each; compositions
fn g(x: f64, z: c128, s: f32) -> f64 {
    let h = jvp(sin)(z; 1);
    let q = grad(exp)(s);
    let (m, _) = grad(max)(x, 0);
    grad(grad(sin))(x) + jvp(grad(tanh))(x; 1) + re(h) + f64(q) + grad(pow, wrt = 0)(x, 2)
      + m
}

//> fn g(x: f64, z: c128, s: f32) -> f64 {
//>   v0 = c128 (1.0, 0.0)
//>   v1 = call jvp.sin(z, v0)
//>   v2 = call grad.exp(s)
//>   v3 = f64 0.0
//>   v4, v5 = call grad.max(x, v3)
//>   v6 = call grad.grad.sin(x)
//>   v7 = f64 1.0
//>   v8 = call jvp.grad.tanh(x, v7)
//>   v9 = add v6, v8
//>   v10 = re v1
//>   v11 = add v9, v10
//>   v12 = to_f64 v2
//>   v13 = add v11, v12
//>   v14 = f64 2.0
//>   v15 = call grad.pow(x, v14)
//>   v16 = add v13, v15
//>   v17 = add v16, v4
//>   return v17
//> }
//>
//> derived jvp(sin.fn, 0) fn jvp.sin(x0: c128, x0_dot: c128) -> (out_dot: c128)
//>
//> derived grad(exp.fn, 0) fn grad.exp(x0: f32) -> (x0_bar: f32)
//>
//> derived grad(max.fn, 0, 1) fn grad.max(x0: f64, x1: f64) -> (x0_bar: f64, x1_bar: f64)
//>
//> derived grad(grad.sin, 0) fn grad.grad.sin(x0: f64) -> (x0_bar: f64)
//>
//> derived jvp(grad.tanh, 0) fn jvp.grad.tanh(x0: f64, x0_dot: f64) -> (x0_bar_dot: f64)
//>
//> derived grad(pow.fn, 0) fn grad.pow(x0: f64, x1: f64) -> (x0_bar: f64)
//>
//> #[inline]
//> fn sin.fn(x0: c128) -> c128 {
//>   v0 = sin x0
//>   return v0
//> }
//>
//> #[inline]
//> fn exp.fn(x0: f32) -> f32 {
//>   v0 = exp x0
//>   return v0
//> }
//>
//> #[inline]
//> fn max.fn(x0: f64, x1: f64) -> f64 {
//>   v0 = max x0, x1
//>   return v0
//> }
//>
//> derived grad(sin.fn.2, 0) fn grad.sin(x0: f64) -> (x0_bar: f64)
//>
//> derived grad(tanh.fn, 0) fn grad.tanh(x0: f64) -> (x0_bar: f64)
//>
//> #[inline]
//> fn pow.fn(x0: f64, x1: f64) -> f64 {
//>   v0 = pow x0, x1
//>   return v0
//> }
//>
//> #[inline]
//> fn sin.fn.2(x0: f64) -> f64 {
//>   v0 = sin x0
//>   return v0
//> }
//>
//> #[inline]
//> fn tanh.fn(x0: f64) -> f64 {
//>   v0 = tanh x0
//>   return v0
//> }

// --- as arguments, of function parameters, of partial applications
fn apply(f: fn(f64) -> f64, x: f64) -> f64 { f(f(x)) + grad(f)(x) }
fn newton(f: fn(f64) -> f64, x: f64) -> f64 { x - f(x)/jacobian(f, wrt = 0)(x) }
fn res(x: f64, p: f64) -> f64 { x^3 - p }
fn both(f: fn(f64, f64) -> f64, x: f64) -> f64 { jvp(f)(x, x; 1, x) }
fn g(x: f64, p: f64) -> f64 {
    apply(grad(sin), x) + apply(tanh, x) + newton(res(_, p), x) + newton(grad(res, wrt = x)(_, p), x) + both(jvp(sin), x)
      + grad(newton, wrt = 1)(res(_, p), x) + both(value(_, _, 2), x)
}
fn value(a: f64, b: f64, c: f64) -> f64 { a*b*c }

//> fn res(x: f64, p: f64) -> f64 {
//>   v0 = i64 3
//>   v1 = powi x, v0
//>   v2 = sub v1, p
//>   return v2
//> }
//>
//> fn g(x: f64, p: f64) -> f64 {
//>   v0 = call apply.grad.sin(x)
//>   v1 = call apply.tanh(x)
//>   v2 = add v0, v1
//>   v3 = call newton.res(x, p)
//>   v4 = add v2, v3
//>   v5 = call newton.grad.res(x, p)
//>   v6 = add v4, v5
//>   v7 = call both.jvp.sin(x)
//>   v8 = add v6, v7
//>   v9 = call grad.newton(x, p)
//>   v10 = add v8, v9
//>   v11 = f64 2.0
//>   v12 = call both.value(x, v11)
//>   v13 = add v10, v12
//>   return v13
//> }
//>
//> fn value(a: f64, b: f64, c: f64) -> f64 {
//>   v0 = mul a, b
//>   v1 = mul v0, c
//>   return v1
//> }
//>
//> fn apply.grad.sin(x: f64) -> f64 {
//>   v0 = call grad.sin(x)
//>   v1 = call grad.sin(v0)
//>   v2 = call grad.grad.sin(x)
//>   v3 = add v1, v2
//>   return v3
//> }
//>
//> fn apply.tanh(x: f64) -> f64 {
//>   v0 = tanh x
//>   v1 = tanh v0
//>   v2 = call grad.tanh(x)
//>   v3 = add v1, v2
//>   return v3
//> }
//>
//> fn newton.res(x: f64, f: f64) -> f64 {
//>   v0 = call res(x, f)
//>   v1 = call jacobian.res(x, f)
//>   v2 = div v0, v1
//>   v3 = sub x, v2
//>   return v3
//> }
//>
//> fn newton.grad.res(x: f64, f: f64) -> f64 {
//>   v0 = call grad.res(x, f)
//>   v1 = call jacobian.grad.res(x, f)
//>   v2 = div v0, v1
//>   v3 = sub x, v2
//>   return v3
//> }
//>
//> fn both.jvp.sin(x: f64) -> f64 {
//>   v0 = f64 1.0
//>   v1 = call jvp.jvp.sin(x, x, v0, x)
//>   return v1
//> }
//>
//> derived grad(newton.res, 0) fn grad.newton(x: f64, f: f64) -> (x_bar: f64)
//>
//> fn both.value(x: f64, f: f64) -> f64 {
//>   v0 = f64 1.0
//>   v1 = call jvp.value(x, x, f, v0, x)
//>   return v1
//> }
//>
//> derived grad(sin.fn, 0) fn grad.sin(x0: f64) -> (x0_bar: f64)
//>
//> derived grad(grad.sin, 0) fn grad.grad.sin(x0: f64) -> (x0_bar: f64)
//>
//> derived grad(tanh.fn, 0) fn grad.tanh(x0: f64) -> (x0_bar: f64)
//>
//> derived jacobian(res, 0) fn jacobian.res(x: f64, p: f64) -> (d_out_d_x: f64)
//>
//> derived grad(res, 0) fn grad.res(x: f64, p: f64) -> (x_bar: f64)
//>
//> derived jacobian(grad.res.fn, 0) fn jacobian.grad.res(x0: f64, p0: f64) -> (d_out_d_x0: f64)
//>
//> derived jvp(jvp.sin, 0, 1) fn jvp.jvp.sin(x0: f64, x0_dot: f64, x0_dot.2: f64, x0_dot_dot: f64) -> (out_dot_dot: f64)
//>
//> derived jvp(value, 0, 1) fn jvp.value(a: f64, b: f64, c: f64, a_dot: f64, b_dot: f64) -> (out_dot: f64)
//>
//> #[inline]
//> fn sin.fn(x0: f64) -> f64 {
//>   v0 = sin x0
//>   return v0
//> }
//>
//> #[inline]
//> fn tanh.fn(x0: f64) -> f64 {
//>   v0 = tanh x0
//>   return v0
//> }
//>
//> #[inline]
//> fn grad.res.fn(x0: f64, p0: f64) -> f64 {
//>   v0 = call grad.res(x0, p0)
//>   return v0
//> }
//>
//> derived jvp(sin.fn, 0) fn jvp.sin(x0: f64, x0_dot: f64) -> (out_dot: f64)

// --- the domain of a parameter is guarded where its derivative is called
fn f(x: f64 in (0, 1]) -> f64 { log(x) }
fn g(x: f64) -> f64 { grad(f)(x) + grad(f)(0.5) }

//> fn f(x: f64 in (0, 1]) -> f64 {
//>   v0 = log x
//>   return v0
//> }
//>
//> fn g(x: f64) -> f64 {
//>   v0 = f64 0.0
//>   v1 = f64 1.0
//>   v2 = gt x, v0
//>   v3 = le x, v1
//>   v4 = and v2, v3
//>   assert_domain v4, "`x` of `f` must lie in (0, 1]"
//>   v5 = call grad.f(x)
//>   v6 = f64 0.5
//>   v7 = call grad.f(v6)
//>   v8 = add v5, v7
//>   return v8
//> }
//>
//> derived grad(f, 0) fn grad.f(x: f64 in (0, 1]) -> (x_bar: f64)

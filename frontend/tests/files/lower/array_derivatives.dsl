

// --- sizes of gradients, Jacobians and Hessians
fn f[N](x: f64[N], p: f64) -> f64 { p*sum(x[i]^2 for i) }
fn v[N, M](A: f64[N, M], x: c128[M]) -> c128[N] { A @ x }
fn g[K](x: f64[K], A: f64[K, K], z: c128[K]) -> f64 {
    let d: f64[K] = grad(f, wrt = x)(x, 2);
    let H: f64[K, K] = hessian(f, wrt = x)(x, 2);
    let ((xx, xp), (px, pp)) = hessian(f)(x, 2);
    let a: f64[K] = xp + px;
    let h: f64[K] = hvp(f, wrt = x)(x, 2; d);
    let (JA, (W, CW)) = jacobian(v)(A, z);
    let c: c128[K, K, K] = JA;
    let e: c128[K, K] = W + conj(CW);
    let t: c128[K] = jvp(v)(A, z; A, z);
    let (Ab, zb) = vjp(v)(A, z; t);
    sum(d) + sum(H) + sum(a) + pp + sum(h) + sum(abs2(c)) + sum(abs2(e)) + sum(Ab) + sum(re(zb)) + sum(xx)
}

//> fn f[N](x: f64[N], p: f64) -> f64 {
//>   v0 = i64 0
//>   v1 = i64 1
//>   v5 = reduce sum v0, N, v1 (v2) {
//>     v3 = index x, v2
//>     v4 = square v3
//>     yield v4
//>   }
//>   v6 = mul p, v5
//>   return v6
//> }
//>
//> fn v[N, M](A: f64[N, M], x: c128[M]) -> c128[N] {
//>   v0 = matmul A, x
//>   return v0
//> }
//>
//> fn g[K](x: f64[K], A: f64[K, K], z: c128[K]) -> f64 {
//>   v0 = f64 2.0
//>   v1 = call grad.f[K](x, v0)
//>   v2 = f64 2.0
//>   v3 = call hessian.f[K](x, v2)
//>   v4 = f64 2.0
//>   v5, v6, v7, v8 = call hessian.f.2[K](x, v4)
//>   v13: f64[K] = build (v9) {
//>     v10 = index v6, v9
//>     v11 = index v7, v9
//>     v12 = add v10, v11
//>     yield v12
//>   }
//>   v14 = f64 2.0
//>   v15 = call hvp.f[K](x, v14, v1)
//>   v16, v17, v18 = call jacobian.v[K, K](A, z)
//>   v23: c128[K, K] = build (v19, v20) {
//>     v21 = index v18, v19, v20
//>     v22 = conj v21
//>     yield v22
//>   }
//>   v29: c128[K, K] = build (v24, v25) {
//>     v26 = index v17, v24, v25
//>     v27 = index v23, v24, v25
//>     v28 = add v26, v27
//>     yield v28
//>   }
//>   v30 = call jvp.v[K, K](A, z, A, z)
//>   v31, v32 = call vjp.v[K, K](A, z, v30)
//>   v33 = i64 0
//>   v34 = i64 1
//>   v37 = reduce sum v33, K, v34 (v35) {
//>     v36 = index v1, v35
//>     yield v36
//>   }
//>   v38: f64[K*K] = reshape v3
//>   v39 = i64 0
//>   v40 = size K*K
//>   v41 = i64 1
//>   v44 = reduce sum v39, v40, v41 (v42) {
//>     v43 = index v38, v42
//>     yield v43
//>   }
//>   v45 = add v37, v44
//>   v46 = i64 0
//>   v47 = i64 1
//>   v50 = reduce sum v46, K, v47 (v48) {
//>     v49 = index v13, v48
//>     yield v49
//>   }
//>   v51 = add v45, v50
//>   v52 = add v51, v8
//>   v53 = i64 0
//>   v54 = i64 1
//>   v57 = reduce sum v53, K, v54 (v55) {
//>     v56 = index v15, v55
//>     yield v56
//>   }
//>   v58 = add v52, v57
//>   v64: f64[K, K, K] = build (v59, v60, v61) {
//>     v62 = index v16, v59, v60, v61
//>     v63 = abs2 v62
//>     yield v63
//>   }
//>   v65: f64[K*K*K] = reshape v64
//>   v66 = i64 0
//>   v67 = size K*K*K
//>   v68 = i64 1
//>   v71 = reduce sum v66, v67, v68 (v69) {
//>     v70 = index v65, v69
//>     yield v70
//>   }
//>   v72 = add v58, v71
//>   v77: f64[K, K] = build (v73, v74) {
//>     v75 = index v29, v73, v74
//>     v76 = abs2 v75
//>     yield v76
//>   }
//>   v78: f64[K*K] = reshape v77
//>   v79 = i64 0
//>   v80 = size K*K
//>   v81 = i64 1
//>   v84 = reduce sum v79, v80, v81 (v82) {
//>     v83 = index v78, v82
//>     yield v83
//>   }
//>   v85 = add v72, v84
//>   v86: f64[K*K] = reshape v31
//>   v87 = i64 0
//>   v88 = size K*K
//>   v89 = i64 1
//>   v92 = reduce sum v87, v88, v89 (v90) {
//>     v91 = index v86, v90
//>     yield v91
//>   }
//>   v93 = add v85, v92
//>   v97: f64[K] = build (v94) {
//>     v95 = index v32, v94
//>     v96 = re v95
//>     yield v96
//>   }
//>   v98 = i64 0
//>   v99 = i64 1
//>   v102 = reduce sum v98, K, v99 (v100) {
//>     v101 = index v97, v100
//>     yield v101
//>   }
//>   v103 = add v93, v102
//>   v104: f64[K*K] = reshape v5
//>   v105 = i64 0
//>   v106 = size K*K
//>   v107 = i64 1
//>   v110 = reduce sum v105, v106, v107 (v108) {
//>     v109 = index v104, v108
//>     yield v109
//>   }
//>   v111 = add v103, v110
//>   return v111
//> }
//>
//> derived grad(f, 0) fn grad.f[N](x: f64[N], p: f64) -> (x_bar: f64[N])
//>
//> derived hessian(f, 0) fn hessian.f[N](x: f64[N], p: f64) -> (hess_x_x: f64[N, N])
//>
//> derived hessian(f, 0, 1) fn hessian.f.2[N](x: f64[N], p: f64) -> (hess_x_x: f64[N, N], hess_x_p: f64[N], hess_p_x: f64[N], hess_p_p: f64)
//>
//> derived hvp(f, 0) fn hvp.f[N](x: f64[N], p: f64, x_dot: f64[N]) -> (x_bar_dot: f64[N])
//>
//> derived jacobian(v, 0, 1) fn jacobian.v[N, M](A: f64[N, M], x: c128[M]) -> (d_out_d_A: c128[N, N, M], d_out_d_x: c128[N, M], d_out_dconj_x: c128[N, M])
//>
//> derived jvp(v, 0, 1) fn jvp.v[N, M](A: f64[N, M], x: c128[M], A_dot: f64[N, M], x_dot: c128[M]) -> (out_dot: c128[N])
//>
//> derived vjp(v, 0, 1) fn vjp.v[N, M](A: f64[N, M], x: c128[M], out_bar: c128[N]) -> (A_bar: f64[N, M], x_bar: c128[M])

// --- dimensions given in brackets, numbers for dimensions, built-ins of arrays
fn f[N](x: f64[N]) -> f64 { sum(x) }
fn h[N](s: f64) -> f64[N] { fill(s, N) }
fn g[M](x: f64[M]) -> f64 {
    sum(grad(f[M])(x)) + sum(grad(f[N = 3])([1, 2, 3])) + sum(jacobian(h[M])(1.5)) + sum(grad(norm)(x)) + sum(hessian(logsumexp)(x))
      + sum(grad(sum)(x)) + sum(jvp(exp)(x; x)) + sum(jacobian(softmax)(x)) + sum(jvp(solve)(eye(M), x; eye(M), x))
}

//> fn f[N](x: f64[N]) -> f64 {
//>   v0 = i64 0
//>   v1 = i64 1
//>   v4 = reduce sum v0, N, v1 (v2) {
//>     v3 = index x, v2
//>     yield v3
//>   }
//>   return v4
//> }
//>
//> fn h[N](s: f64) -> f64[N] {
//>   v0: f64[N] = fill s
//>   return v0
//> }
//>
//> fn g[M](x: f64[M]) -> f64 {
//>   v0 = call grad.f[M](x)
//>   v1 = i64 0
//>   v2 = i64 1
//>   v5 = reduce sum v1, M, v2 (v3) {
//>     v4 = index v0, v3
//>     yield v4
//>   }
//>   v6 = f64 1.0
//>   v7 = f64 2.0
//>   v8 = f64 3.0
//>   v9 = pack v6, v7, v8
//>   v10 = i64 3
//>   v11 = call grad.f[v10](v9)
//>   v12 = i64 0
//>   v13 = i64 3
//>   v14 = i64 1
//>   v17 = reduce sum v12, v13, v14 (v15) {
//>     v16 = index v11, v15
//>     yield v16
//>   }
//>   v18 = add v5, v17
//>   v19 = f64 1.5
//>   v20 = call jacobian.h[M](v19)
//>   v21 = i64 0
//>   v22 = i64 1
//>   v25 = reduce sum v21, M, v22 (v23) {
//>     v24 = index v20, v23
//>     yield v24
//>   }
//>   v26 = add v18, v25
//>   v27 = call grad.norm[M](x)
//>   v28 = i64 0
//>   v29 = i64 1
//>   v32 = reduce sum v28, M, v29 (v30) {
//>     v31 = index v27, v30
//>     yield v31
//>   }
//>   v33 = add v26, v32
//>   v34 = call hessian.logsumexp[M](x)
//>   v35: f64[M*M] = reshape v34
//>   v36 = i64 0
//>   v37 = size M*M
//>   v38 = i64 1
//>   v41 = reduce sum v36, v37, v38 (v39) {
//>     v40 = index v35, v39
//>     yield v40
//>   }
//>   v42 = add v33, v41
//>   v43 = call grad.sum[M](x)
//>   v44 = i64 0
//>   v45 = i64 1
//>   v48 = reduce sum v44, M, v45 (v46) {
//>     v47 = index v43, v46
//>     yield v47
//>   }
//>   v49 = add v42, v48
//>   v50 = call jvp.exp[M](x, x)
//>   v51 = i64 0
//>   v52 = i64 1
//>   v55 = reduce sum v51, M, v52 (v53) {
//>     v54 = index v50, v53
//>     yield v54
//>   }
//>   v56 = add v49, v55
//>   v57 = call jacobian.softmax[M](x)
//>   v58: f64[M*M] = reshape v57
//>   v59 = i64 0
//>   v60 = size M*M
//>   v61 = i64 1
//>   v64 = reduce sum v59, v60, v61 (v62) {
//>     v63 = index v58, v62
//>     yield v63
//>   }
//>   v65 = add v56, v64
//>   v66 = f64 1.0
//>   v67 = f64 0.0
//>   v72: f64[M, M] = build (v68, v69) {
//>     v70 = eq v68, v69
//>     v71 = select v70, v66, v67
//>     yield v71
//>   }
//>   v73 = f64 1.0
//>   v74 = f64 0.0
//>   v79: f64[M, M] = build (v75, v76) {
//>     v77 = eq v75, v76
//>     v78 = select v77, v73, v74
//>     yield v78
//>   }
//>   v80 = call jvp.solve[M](v72, x, v79, x)
//>   v81 = i64 0
//>   v82 = i64 1
//>   v85 = reduce sum v81, M, v82 (v83) {
//>     v84 = index v80, v83
//>     yield v84
//>   }
//>   v86 = add v65, v85
//>   return v86
//> }
//>
//> derived grad(f, 0) fn grad.f[N](x: f64[N]) -> (x_bar: f64[N])
//>
//> derived jacobian(h, 0) fn jacobian.h[N](s: f64) -> (d_out_d_s: f64[N])
//>
//> derived grad(norm.fn, 0) fn grad.norm[D0](x0: f64[D0]) -> (x0_bar: f64[D0])
//>
//> derived hessian(logsumexp.fn, 0) fn hessian.logsumexp[D0](x0: f64[D0]) -> (hess_x0_x0: f64[D0, D0])
//>
//> derived grad(sum.fn, 0) fn grad.sum[D0](x0: f64[D0]) -> (x0_bar: f64[D0])
//>
//> derived jvp(exp.fn, 0) fn jvp.exp[D0](x0: f64[D0], x0_dot: f64[D0]) -> (out_dot: f64[D0])
//>
//> derived jacobian(softmax.fn, 0) fn jacobian.softmax[D0](x0: f64[D0]) -> (d_out_d_x0: f64[D0, D0])
//>
//> derived jvp(solve.fn, 0, 1) fn jvp.solve[D0](x0: f64[D0, D0], x1: f64[D0], x0_dot: f64[D0, D0], x1_dot: f64[D0]) -> (out_dot: f64[D0])
//>
//> #[inline]
//> fn norm.fn[D0](x0: f64[D0]) -> f64 {
//>   v0 = i64 0
//>   v1 = i64 1
//>   v5 = reduce sum v0, D0, v1 (v2) {
//>     v3 = index x0, v2
//>     v4 = abs2 v3
//>     yield v4
//>   }
//>   v6 = f64 1e-290
//>   v7 = f64 inf
//>   v8 = gt v5, v6
//>   v9 = lt v5, v7
//>   v10 = and v8, v9
//>   v39 = if v10 {
//>     v11 = sqrt v5
//>     yield v11
//>   } else {
//>     v12 = f64 0.0
//>     v13 = i64 0
//>     v14 = eq D0, v13
//>     v22 = if v14 {
//>       yield v12
//>     } else {
//>       v15 = i64 0
//>       v16 = i64 1
//>       v21 = reduce max v15, D0, v16 (v17) {
//>         v18 = index x0, v17
//>         v19 = stop_gradient v18
//>         v20 = abs v19
//>         yield v20
//>       }
//>       yield v21
//>     }
//>     v23 = stop_gradient v22
//>     v24 = f64 0.0
//>     v25 = f64 inf
//>     v26 = eq v23, v24
//>     v27 = eq v23, v25
//>     v28 = or v26, v27
//>     v38 = if v28 {
//>       yield v23
//>     } else {
//>       v29 = i64 0
//>       v30 = i64 1
//>       v35 = reduce sum v29, D0, v30 (v31) {
//>         v32 = index x0, v31
//>         v33 = div v32, v23
//>         v34 = abs2 v33
//>         yield v34
//>       }
//>       v36 = sqrt v35
//>       v37 = mul v23, v36
//>       yield v37
//>     }
//>     yield v38
//>   }
//>   return v39
//> }
//>
//> #[inline]
//> fn logsumexp.fn[D0](x0: f64[D0]) -> f64 {
//>   v0 = i64 0
//>   v1 = i64 1
//>   v4 = reduce max v0, D0, v1 (v2) {
//>     v3 = index x0, v2
//>     yield v3
//>   }
//>   v5 = stop_gradient v4
//>   v6 = isinf v5
//>   v40 = if v6 {
//>     v7 = i64 0
//>     v8 = i64 1
//>     v18 = reduce sum v7, D0, v8 (v9) {
//>       v10 = index x0, v9
//>       v11 = f64 inf
//>       v12 = lt v5, v11
//>       v13 = eq v10, v11
//>       v14 = or v12, v13
//>       v15 = f64 1.0
//>       v16 = f64 0.0
//>       v17 = select v14, v15, v16
//>       yield v17
//>     }
//>     v19 = i64 0
//>     v20 = i64 1
//>     v29 = reduce sum v19, D0, v20 (v21) {
//>       v22 = index x0, v21
//>       v23 = f64 inf
//>       v24 = lt v5, v23
//>       v25 = eq v22, v23
//>       v26 = or v24, v25
//>       v27 = f64 0.0
//>       v28 = select v26, v22, v27
//>       yield v28
//>     }
//>     v30 = div v29, v18
//>     yield v30
//>   } else {
//>     v31 = i64 0
//>     v32 = i64 1
//>     v37 = reduce sum v31, D0, v32 (v33) {
//>       v34 = index x0, v33
//>       v35 = sub v34, v5
//>       v36 = exp v35
//>       yield v36
//>     }
//>     v38 = log v37
//>     v39 = add v5, v38
//>     yield v39
//>   }
//>   return v40
//> }
//>
//> #[inline]
//> fn sum.fn[D0](x0: f64[D0]) -> f64 {
//>   v0 = i64 0
//>   v1 = i64 1
//>   v4 = reduce sum v0, D0, v1 (v2) {
//>     v3 = index x0, v2
//>     yield v3
//>   }
//>   return v4
//> }
//>
//> #[inline]
//> fn exp.fn[D0](x0: f64[D0]) -> f64[D0] {
//>   v3: f64[D0] = build (v0) {
//>     v1 = index x0, v0
//>     v2 = exp v1
//>     yield v2
//>   }
//>   return v3
//> }
//>
//> #[inline]
//> fn softmax.fn[D0](x0: f64[D0]) -> f64[D0] {
//>   v0 = i64 0
//>   v1 = i64 1
//>   v4 = reduce max v0, D0, v1 (v2) {
//>     v3 = index x0, v2
//>     yield v3
//>   }
//>   v5 = stop_gradient v4
//>   v10: f64[D0] = build (v6) {
//>     v7 = index x0, v6
//>     v8 = sub v7, v5
//>     v9 = exp v8
//>     yield v9
//>   }
//>   v11 = i64 0
//>   v12 = i64 1
//>   v15 = reduce sum v11, D0, v12 (v13) {
//>     v14 = index v10, v13
//>     yield v14
//>   }
//>   v19: f64[D0] = build (v16) {
//>     v17 = index v10, v16
//>     v18 = div v17, v15
//>     yield v18
//>   }
//>   return v19
//> }
//>
//> #[inline]
//> fn solve.fn[D0](x0: f64[D0, D0], x1: f64[D0]) -> f64[D0] {
//>   v0 = solve x0, x1
//>   return v0
//> }

// --- function parameters: one instance for all sizes that are written alike
fn residual[N](x: f64[N], p: f64[N], s: f64) -> f64[N] { [x[i]^3 + p[i]*x[i] - s for i] }
fn newton[N](f: fn(f64[N]) -> f64[N], x0: f64[N]) -> f64[N] {
    var x = x0;
    for _ in 0..10 {
        let J = jacobian(f, wrt = 0)(x);
        x -= solve(J, f(x));
    }
    x
}
fn root[K](p: f64[K], x0: f64[K]) -> f64[K] { newton(residual(_, p, 1), x0) }
fn three(p: f64[3]) -> f64[3] { newton(residual(_, p, 2), p) }
fn fixed(x: f64[3]) -> f64[3] { [x[0], x[1]*x[2], x[2]] }
fn four[M](x: f64[2*M], y: f64[3]) -> f64 { sum(newton(twist, x)) + sum(newton(fixed, y)) }
fn twist[N](x: f64[N]) -> f64[N] { [sin(x[i]) for i] }
fn norms[N](x: f64[N]) -> f64[N] { x }

//> fn residual[N](x: f64[N], p: f64[N], s: f64) -> f64[N] {
//>   v9: f64[N] = build (v0) {
//>     v1 = index x, v0
//>     v2 = i64 3
//>     v3 = powi v1, v2
//>     v4 = index p, v0
//>     v5 = index x, v0
//>     v6 = mul v4, v5
//>     v7 = add v3, v6
//>     v8 = sub v7, s
//>     yield v8
//>   }
//>   return v9
//> }
//>
//> fn root[K](p: f64[K], x0: f64[K]) -> f64[K] {
//>   v0 = f64 1.0
//>   v1 = call newton.residual[K](x0, p, v0)
//>   return v1
//> }
//>
//> fn three(p: f64[3]) -> f64[3] {
//>   v0 = f64 2.0
//>   v1 = call newton.residual.2(p, p, v0)
//>   return v1
//> }
//>
//> fn fixed(x: f64[3]) -> f64[3] {
//>   v0 = i64 0
//>   v1 = index x, v0
//>   v2 = i64 1
//>   v3 = index x, v2
//>   v4 = i64 2
//>   v5 = index x, v4
//>   v6 = mul v3, v5
//>   v7 = i64 2
//>   v8 = index x, v7
//>   v9 = pack v1, v6, v8
//>   return v9
//> }
//>
//> fn four[M](x: f64[2*M], y: f64[3]) -> f64 {
//>   v0 = call newton.twist[M](x)
//>   v1 = i64 0
//>   v2 = size 2*M
//>   v3 = i64 1
//>   v6 = reduce sum v1, v2, v3 (v4) {
//>     v5 = index v0, v4
//>     yield v5
//>   }
//>   v7 = call newton.fixed(y)
//>   v8 = i64 0
//>   v9 = i64 3
//>   v10 = i64 1
//>   v13 = reduce sum v8, v9, v10 (v11) {
//>     v12 = index v7, v11
//>     yield v12
//>   }
//>   v14 = add v6, v13
//>   return v14
//> }
//>
//> fn twist[N](x: f64[N]) -> f64[N] {
//>   v3: f64[N] = build (v0) {
//>     v1 = index x, v0
//>     v2 = sin v1
//>     yield v2
//>   }
//>   return v3
//> }
//>
//> fn norms[N](x: f64[N]) -> f64[N] {
//>   return x
//> }
//>
//> fn newton.residual[D0](x0: f64[D0], f: f64[D0], f.2: f64) -> f64[D0] {
//>   v0 = i64 0
//>   v1 = i64 10
//>   v2 = i64 1
//>   v13 = for v0, v1, v2, x0 (v3, v4) {
//>     v5 = call jacobian.residual[D0](v4, f, f.2)
//>     v6 = call residual[D0](v4, f, f.2)
//>     v7 = solve v5, v6
//>     v12: f64[D0] = build (v8) {
//>       v9 = index v4, v8
//>       v10 = index v7, v8
//>       v11 = sub v9, v10
//>       yield v11
//>     }
//>     yield v12
//>   }
//>   return v13
//> }
//>
//> fn newton.residual.2(x0: f64[3], f: f64[3], f.2: f64) -> f64[3] {
//>   v0 = i64 3
//>   v1 = i64 0
//>   v2 = i64 10
//>   v3 = i64 1
//>   v16 = for v1, v2, v3, x0 (v4, v5) {
//>     v6 = i64 3
//>     v7 = call jacobian.residual[v6](v5, f, f.2)
//>     v8 = i64 3
//>     v9 = call residual[v8](v5, f, f.2)
//>     v10 = solve v7, v9
//>     v15: f64[3] = build (v11) {
//>       v12 = index v5, v11
//>       v13 = index v10, v11
//>       v14 = sub v12, v13
//>       yield v14
//>     }
//>     yield v15
//>   }
//>   return v16
//> }
//>
//> fn newton.twist[D0](x0: f64[2*D0]) -> f64[2*D0] {
//>   v0 = size 2*D0
//>   v1 = i64 0
//>   v2 = i64 10
//>   v3 = i64 1
//>   v16 = for v1, v2, v3, x0 (v4, v5) {
//>     v6 = size 2*D0
//>     v7 = call jacobian.twist[v6](v5)
//>     v8 = size 2*D0
//>     v9 = call twist[v8](v5)
//>     v10 = solve v7, v9
//>     v15: f64[2*D0] = build (v11) {
//>       v12 = index v5, v11
//>       v13 = index v10, v11
//>       v14 = sub v12, v13
//>       yield v14
//>     }
//>     yield v15
//>   }
//>   return v16
//> }
//>
//> fn newton.fixed(x0: f64[3]) -> f64[3] {
//>   v0 = i64 3
//>   v1 = i64 0
//>   v2 = i64 10
//>   v3 = i64 1
//>   v14 = for v1, v2, v3, x0 (v4, v5) {
//>     v6 = call jacobian.fixed(v5)
//>     v7 = call fixed(v5)
//>     v8 = solve v6, v7
//>     v13: f64[3] = build (v9) {
//>       v10 = index v5, v9
//>       v11 = index v8, v9
//>       v12 = sub v10, v11
//>       yield v12
//>     }
//>     yield v13
//>   }
//>   return v14
//> }
//>
//> derived jacobian(residual, 0) fn jacobian.residual[N](x: f64[N], p: f64[N], s: f64) -> (d_out_d_x: f64[N, N])
//>
//> derived jacobian(twist, 0) fn jacobian.twist[N](x: f64[N]) -> (d_out_d_x: f64[N, N])
//>
//> derived jacobian(fixed, 0) fn jacobian.fixed(x: f64[3]) -> (d_out_d_x: f64[3, 3])

// --- functions of functions, quotients, constants that are given
const T: f64[2] = [1, 2];
fn r(x: f64[2], p: f64[2]) -> f64 { dot(x, p) }
fn at(f: fn(f64[2]) -> f64, x: f64[2]) -> f64 { f(x) }
fn apply(f: fn(f64) -> f64, x: f64) -> f64 { f(x) }
fn higher(k: fn(fn(f64) -> f64, f64) -> f64, x: f64) -> f64 { k(sin, x) + grad(k)(cos, x) }
fn half[N](x: f64[N]) -> f64[div(N, 2)] { x[0:div(N, 2)] }
fn halves[N](f: fn(f64[N]) -> f64[div(N, 2)], x: f64[N]) -> f64 { sum(f(x)) }
fn g[N](x: f64[2], s: f64, y: f64[2*N], z: f64[N]) -> f64 {
    at(r(_, T), x) + sum(grad(r(_, T))(x)) + higher(apply, s) + higher(grad(apply), s) + grad(grad(apply))(sin, s)
      + halves(half, y) + halves(half, z) + sum(jacobian(half)(z)) + apply(jvp(sin)(_; 1), s)
}

//> fn r(x: f64[2], p: f64[2]) -> f64 {
//>   v0 = i64 0
//>   v1 = i64 2
//>   v2 = i64 1
//>   v7 = reduce sum v0, v1, v2 (v3) {
//>     v4 = index x, v3
//>     v5 = index p, v3
//>     v6 = mul v4, v5
//>     yield v6
//>   }
//>   return v7
//> }
//>
//> fn half[N, "div(N, 2)" = div(N, 2)](x: f64[N]) -> f64["div(N, 2)"] {
//>   v0 = i64 0
//>   v1: f64["div(N, 2)"] = slice x, v0
//>   return v1
//> }
//>
//> fn g[N](x: f64[2], s: f64, y: f64[2*N], z: f64[N]) -> f64 {
//>   v0 = i64 2
//>   v1 = idiv N, v0
//>   v2 = f64 1.0
//>   v3 = f64 2.0
//>   v4 = pack v2, v3
//>   v5 = call at.r(x, v4)
//>   v6 = call grad.r(x, v4)
//>   v7 = i64 0
//>   v8 = i64 2
//>   v9 = i64 1
//>   v12 = reduce sum v7, v8, v9 (v10) {
//>     v11 = index v6, v10
//>     yield v11
//>   }
//>   v13 = add v5, v12
//>   v14 = call higher.apply(s)
//>   v15 = add v13, v14
//>   v16 = call higher.grad.apply(s)
//>   v17 = add v15, v16
//>   v18 = call grad.grad.apply(s)
//>   v19 = add v17, v18
//>   v20 = call halves.half[N](y)
//>   v21 = add v19, v20
//>   v22 = call halves.half.2[N, v1](z)
//>   v23 = add v21, v22
//>   v24 = call jacobian.half[N, v1](z)
//>   v25: f64[N*v1] = reshape v24
//>   v26 = i64 0
//>   v27 = size N*v1
//>   v28 = i64 1
//>   v31 = reduce sum v26, v27, v28 (v29) {
//>     v30 = index v25, v29
//>     yield v30
//>   }
//>   v32 = add v23, v31
//>   v33 = f64 1.0
//>   v34 = call apply.jvp.sin(s, v33)
//>   v35 = add v32, v34
//>   return v35
//> }
//>
//> fn at.r(x: f64[2], f: f64[2]) -> f64 {
//>   v0 = call r(x, f)
//>   return v0
//> }
//>
//> derived grad(r, 0) fn grad.r(x: f64[2], p: f64[2]) -> (x_bar: f64[2])
//>
//> fn higher.apply(x: f64) -> f64 {
//>   v0 = call apply.sin(x)
//>   v1 = call grad.apply(x)
//>   v2 = add v0, v1
//>   return v2
//> }
//>
//> fn higher.grad.apply(x: f64) -> f64 {
//>   v0 = call grad.apply.2(x)
//>   v1 = call grad.grad.apply.2(x)
//>   v2 = add v0, v1
//>   return v2
//> }
//>
//> derived grad(grad.apply.fn, 0) fn grad.grad.apply(x0: f64) -> (x0_bar: f64)
//>
//> fn halves.half[D0](x: f64[2*D0]) -> f64 {
//>   v0 = size 2*D0
//>   v1 = size 2*D0
//>   v2 = call half[v1, D0](x)
//>   v3 = i64 0
//>   v4 = i64 1
//>   v7 = reduce sum v3, D0, v4 (v5) {
//>     v6 = index v2, v5
//>     yield v6
//>   }
//>   return v7
//> }
//>
//> fn halves.half.2[D0, D1](x: f64[D0]) -> f64 {
//>   v0 = call half[D0, D1](x)
//>   v1 = i64 0
//>   v2 = i64 1
//>   v5 = reduce sum v1, D1, v2 (v3) {
//>     v4 = index v0, v3
//>     yield v4
//>   }
//>   return v5
//> }
//>
//> derived jacobian(half, 0) fn jacobian.half[N, "div(N, 2)" = div(N, 2)](x: f64[N]) -> (d_out_d_x: f64["div(N, 2)", N])
//>
//> fn apply.jvp.sin(x: f64, f: f64) -> f64 {
//>   v0 = call jvp.sin(x, f)
//>   return v0
//> }
//>
//> fn apply.sin(x: f64) -> f64 {
//>   v0 = sin x
//>   return v0
//> }
//>
//> derived grad(apply.cos, 0) fn grad.apply(x: f64) -> (x_bar: f64)
//>
//> derived grad(apply.sin, 0) fn grad.apply.2(x: f64) -> (x_bar: f64)
//>
//> derived grad(grad.apply.fn.2, 0) fn grad.grad.apply.2(x0: f64) -> (x0_bar: f64)
//>
//> #[inline]
//> fn grad.apply.fn(x0: f64) -> f64 {
//>   v0 = call grad.apply.2(x0)
//>   return v0
//> }
//>
//> derived jvp(sin.fn, 0) fn jvp.sin(x0: f64, x0_dot: f64) -> (out_dot: f64)
//>
//> fn apply.cos(x: f64) -> f64 {
//>   v0 = cos x
//>   return v0
//> }
//>
//> #[inline]
//> fn grad.apply.fn.2(x0: f64) -> f64 {
//>   v0 = call grad.apply(x0)
//>   return v0
//> }
//>
//> #[inline]
//> fn sin.fn(x0: f64) -> f64 {
//>   v0 = sin x0
//>   return v0
//> }

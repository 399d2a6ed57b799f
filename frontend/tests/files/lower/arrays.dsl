

// --- reductions, elementwise operations, indices carry the spans of what they come from
fn f[N, M](A: f64[N, M], x: f64[M]) -> f64[N] { [sum(A[i, j]*x[j] for j) for i] }
fn g[N](x: f64[N]) -> f64[N] { 2*x + x^2 }
fn h[N](x: f64[N + 1], i: i64) -> (f64, f64[N]) { (x[i], x[1:]) }

//> fn f[N, M](A: f64[N, M], x: f64[M]) -> f64[N] {
//>   v8: f64[N] = build (v0) {
//>     v1 = i64 0
//>     v2 = i64 1
//>     v7 = reduce sum v1, M, v2 (v3) {
//>       v4 = index A, v0, v3
//>       v5 = index x, v3
//>       v6 = mul v4, v5
//>       yield v6
//>     }
//>     yield v7
//>   }
//>   return v8
//> }
//>
//> fn g[N](x: f64[N]) -> f64[N] {
//>   v0 = f64 2.0
//>   v4: f64[N] = build (v1) {
//>     v2 = index x, v1
//>     v3 = mul v0, v2
//>     yield v3
//>   }
//>   v8: f64[N] = build (v5) {
//>     v6 = index x, v5
//>     v7 = square v6
//>     yield v7
//>   }
//>   v13: f64[N] = build (v9) {
//>     v10 = index v4, v9
//>     v11 = index v8, v9
//>     v12 = add v10, v11
//>     yield v12
//>   }
//>   return v13
//> }
//>
//> fn h[N](x: f64[N+1], i: i64) -> (f64, f64[N]) {
//>   v0 = index x, i
//>   v1 = i64 1
//>   v2: f64[N] = slice x, v1
//>   return v0, v2
//> }

// --- calls give dimensions first
fn inner[K](x: f64[K], y: f64[2*K]) -> f64[K + 1] { [x[0]*y[i] for i in 0..K + 1] }
fn f[N](x: f64[2*N + 2]) -> f64[N + 2] { inner(x[:N + 1], x) }
fn g() -> f64[3] { inner[2]([1.0, 2.0], ones(4)) }

//> fn inner[K](x: f64[K], y: f64[2*K]) -> f64[K+1] {
//>   v5: f64[K+1] = build (v0) {
//>     v1 = i64 0
//>     v2 = index x, v1
//>     v3 = index y, v0
//>     v4 = mul v2, v3
//>     yield v4
//>   }
//>   return v5
//> }
//>
//> fn f[N](x: f64[2*N+2]) -> f64[N+2] {
//>   v0 = i64 0
//>   v1: f64[N+1] = slice x, v0
//>   v2 = size N+1
//>   v3 = call inner[v2](v1, x)
//>   return v3
//> }
//>
//> fn g() -> f64[3] {
//>   v0 = f64 1.0
//>   v1 = f64 2.0
//>   v2 = pack v0, v1
//>   v3 = f64 1.0
//>   v4: f64[4] = fill v3
//>   v5 = i64 2
//>   v6 = call inner[v5](v2, v4)
//>   return v6
//> }

// --- loops carry what they assign
fn f[N](x: f64[N], n: i64) -> (f64, f64[N]) {
    var s = 0;
    var y = x;
    #[checkpoint(revolve, 3)]
    for i in 0..n step 2 {
        let t = x[i];
        s += t;
        if t > 0 { y[i] = 2*t; }
    }
    while s > 1 { s /= 2; }
    (s, y)
}

//> fn f[N](x: f64[N], n: i64) -> (f64, f64[N]) {
//>   v0 = f64 0.0
//>   v1 = i64 0
//>   v2 = i64 2
//>   v14, v15 = for v1, n, v2, v0, x checkpoint revolve 3 (v3, v4, v5) {
//>     v6 = index x, v3
//>     v7 = add v4, v6
//>     v8 = f64 0.0
//>     v9 = gt v6, v8
//>     v13 = if v9 {
//>       v10 = f64 2.0
//>       v11 = mul v10, v6
//>       v12 = update v5, v11, v3
//>       yield v12
//>     } else {
//>       yield v5
//>     }
//>     yield v7, v13
//>   }
//>   v22 = while v14 (v16) {
//>     v17 = f64 1.0
//>     v18 = gt v16, v17
//>     yield v18
//>   } do (v19) {
//>     v20 = f64 2.0
//>     v21 = div v19, v20
//>     yield v21
//>   }
//>   return v22, v15
//> }

// --- quotients are computed once, before everything else
fn f[N](x: f64[N]) -> f64[div(N, 2)] { x[:div(N, 2)] }
fn g[M](x: f64[M]) -> f64 { let y = f(x) + ones(div(M, 2)); sum(y) }
fn h[N, K](x: f64[div(N, K)]) -> f64 { sum(x) }
fn k[N](x: f64[N]) -> f64 { h[2*N, 2](x) }
fn l[N](x: f64[div(div(N, 2) + 1, 3)]) -> f64[div(N, 2) + 1] { zeros(div(N, 2) + 1) }

//> fn f[N, "div(N, 2)" = div(N, 2)](x: f64[N]) -> f64["div(N, 2)"] {
//>   v0 = i64 0
//>   v1: f64["div(N, 2)"] = slice x, v0
//>   return v1
//> }
//>
//> fn g[M](x: f64[M]) -> f64 {
//>   v0 = i64 2
//>   v1 = idiv M, v0
//>   v2 = call f[M, v1](x)
//>   v3 = f64 1.0
//>   v4: f64[v1] = fill v3
//>   v9: f64[v1] = build (v5) {
//>     v6 = index v2, v5
//>     v7 = index v4, v5
//>     v8 = add v6, v7
//>     yield v8
//>   }
//>   v10 = i64 0
//>   v11 = i64 1
//>   v14 = reduce sum v10, v1, v11 (v12) {
//>     v13 = index v9, v12
//>     yield v13
//>   }
//>   return v14
//> }
//>
//> fn h[N, K, "div(N, K)" = div(N, K)](x: f64["div(N, K)"]) -> f64 {
//>   v0 = i64 0
//>   v1 = i64 1
//>   v4 = reduce sum v0, "div(N, K)", v1 (v2) {
//>     v3 = index x, v2
//>     yield v3
//>   }
//>   return v4
//> }
//>
//> fn k[N](x: f64[N]) -> f64 {
//>   v0 = size 2*N
//>   v1 = i64 2
//>   v2 = call h[v0, v1, N](x)
//>   return v2
//> }
//>
//> fn l[N, "div(N, 2)" = div(N, 2), "div(div(N, 2)+1, 3)" = div("div(N, 2)"+1, 3)](x: f64["div(div(N, 2)+1, 3)"]) -> f64["div(N, 2)"+1] {
//>   v0 = f64 0.0
//>   v1: f64["div(N, 2)"+1] = fill v0
//>   return v1
//> }

// --- constants that are arrays stand at the beginning
const T: f64[2, 2] = [[1.0, 2.0], [3.0, 4.0]];
const Z: c64[3] = zeros(3);
fn f(n: i64) -> f64 { sum(T[i, j]*abs(f64(n)) for i, j) }
fn g() -> c64[3] { Z + 1 }

//> fn f(n: i64) -> f64 {
//>   v0 = f64 1.0
//>   v1 = f64 2.0
//>   v2 = f64 3.0
//>   v3 = f64 4.0
//>   v4 = pack v0, v1
//>   v5 = pack v2, v3
//>   v6 = pack v4, v5
//>   v7 = i64 0
//>   v8 = i64 2
//>   v9 = i64 1
//>   v20 = reduce sum v7, v8, v9 (v10) {
//>     v11 = i64 0
//>     v12 = i64 2
//>     v13 = i64 1
//>     v19 = reduce sum v11, v12, v13 (v14) {
//>       v15 = index v6, v10, v14
//>       v16 = to_f64 n
//>       v17 = abs v16
//>       v18 = mul v15, v17
//>       yield v18
//>     }
//>     yield v19
//>   }
//>   return v20
//> }
//>
//> fn g() -> c64[3] {
//>   v0 = c64 (0.0, 0.0)
//>   v1: c64[3] = fill v0
//>   v2 = f32 1.0
//>   v6: c64[3] = build (v3) {
//>     v4 = index v1, v3
//>     v5 = add v4, v2
//>     yield v5
//>   }
//>   return v6
//> }

// --- domains of arrays are checked entry by entry
fn f[N](x: f64[N] in (0, INF)) -> f64 { sum(log(x)) }
fn g[N](x: f64[N]) -> f64 { f(x) }

//> fn f[N](x: f64[N] in (0, INF)) -> f64 {
//>   v3: f64[N] = build (v0) {
//>     v1 = index x, v0
//>     v2 = log v1
//>     yield v2
//>   }
//>   v4 = i64 0
//>   v5 = i64 1
//>   v8 = reduce sum v4, N, v5 (v6) {
//>     v7 = index v3, v6
//>     yield v7
//>   }
//>   return v8
//> }
//>
//> fn g[N](x: f64[N]) -> f64 {
//>   v7: bool[N] = build (v0) {
//>     v1 = index x, v0
//>     v2 = f64 0.0
//>     v3 = f64 inf
//>     v4 = gt v1, v2
//>     v5 = lt v1, v3
//>     v6 = and v4, v5
//>     yield v6
//>   }
//>   v8 = i64 0
//>   v9 = i64 1
//>   v12 = reduce all v8, N, v9 (v10) {
//>     v11 = index v7, v10
//>     yield v11
//>   }
//>   assert_domain v12, "`x` of `f` must lie in (0, INF)"
//>   v13 = call f[N](x)
//>   return v13
//> }

// --- rules of functions of arrays
fn f[N](x: f64[N], A: c128[N, N]) -> (f64, c128[N]) { (sum(x), A @ x) }
rule vjp f(x, A; g) { let (a, b) = g; (a + re(A' @ b), [b[i]*x[j] for i, j]) }

//> #[rule(vjp, f.rule.vjp)]
//> fn f[N](x: f64[N], A: c128[N, N]) -> (f64, c128[N]) {
//>   v0 = i64 0
//>   v1 = i64 1
//>   v4 = reduce sum v0, N, v1 (v2) {
//>     v3 = index x, v2
//>     yield v3
//>   }
//>   v5 = matmul A, x
//>   return v4, v5
//> }
//>
//> fn f.rule.vjp[N](x: f64[N], A: c128[N, N], out.0: f64, out.1: c128[N], g.0: f64, g.1: c128[N]) -> (x_bar: f64[N], A_bar: c128[N, N]) {
//>   v0 = transpose A
//>   v5: c128[N, N] = build (v1, v2) {
//>     v3 = index v0, v1, v2
//>     v4 = conj v3
//>     yield v4
//>   }
//>   v6 = matmul v5, g.1
//>   v10: f64[N] = build (v7) {
//>     v8 = index v6, v7
//>     v9 = re v8
//>     yield v9
//>   }
//>   v14: f64[N] = build (v11) {
//>     v12 = index v10, v11
//>     v13 = add g.0, v12
//>     yield v13
//>   }
//>   v20: c128[N, N] = build (v15, v16) {
//>     v17 = index g.1, v15
//>     v18 = index x, v16
//>     v19 = mul v17, v18
//>     yield v19
//>   }
//>   return v14, v20
//> }

// --- ranges inside ranges
fn f[N](A: f64[N, N], k: i64) -> (f64, f64) { (max(A[i, j] for i, j in 0..i), mean(A[i, 0] for i in 0..N step k)) }

//> fn f[N](A: f64[N, N], k: i64) -> (f64, f64) {
//>   v0 = i64 0
//>   v1 = i64 1
//>   v9 = reduce sum v0, N, v1 (v2) {
//>     v3 = i64 0
//>     v4 = i64 1
//>     v5 = i64 1
//>     v6 = sub v2, v3
//>     v7 = i64 0
//>     v8 = max v6, v7
//>     yield v8
//>   }
//>   v10 = i64 0
//>   v11 = gt v9, v10
//>   v40 = if v11 {
//>     v12 = i64 0
//>     v13 = i64 1
//>     v30 = reduce max v12, N, v13 (v14) {
//>       v15 = i64 0
//>       v16 = i64 1
//>       v17 = i64 1
//>       v18 = sub v14, v15
//>       v19 = i64 0
//>       v20 = max v18, v19
//>       v21 = i64 0
//>       v22 = gt v20, v21
//>       v29 = if v22 {
//>         v23 = i64 0
//>         v24 = i64 1
//>         v27 = reduce max v23, v14, v24 (v25) {
//>           v26 = index A, v14, v25
//>           yield v26
//>         }
//>         yield v27
//>       } else {
//>         v28 = f64 -inf
//>         yield v28
//>       }
//>       yield v29
//>     }
//>     yield v30
//>   } else {
//>     v31 = i64 0
//>     v32 = i64 1
//>     v39 = reduce max v31, N, v32 (v33) {
//>       v34 = i64 0
//>       v35 = i64 1
//>       v38 = reduce max v34, v33, v35 (v36) {
//>         v37 = index A, v33, v36
//>         yield v37
//>       }
//>       yield v38
//>     }
//>     yield v39
//>   }
//>   v41 = i64 0
//>   v42 = i64 1
//>   v43 = ge k, v42
//>   assert v43, "a step is at least 1"
//>   v44 = i64 0
//>   v45 = i64 1
//>   v46 = sub N, v41
//>   v47 = sub k, v45
//>   v48 = add v46, v47
//>   v49 = idiv v48, k
//>   v55 = reduce sum v44, v49, v45 (v50) {
//>     v51 = mul v50, k
//>     v52 = add v41, v51
//>     v53 = i64 0
//>     v54 = index A, v52, v53
//>     yield v54
//>   }
//>   v56 = i64 0
//>   v57 = i64 1
//>   v58 = ge k, v57
//>   assert v58, "a step is at least 1"
//>   v59 = i64 0
//>   v60 = i64 1
//>   v61 = sub N, v56
//>   v62 = sub k, v60
//>   v63 = add v61, v62
//>   v64 = idiv v63, k
//>   v65 = i64 1
//>   v66 = sub v64, v59
//>   v67 = i64 0
//>   v68 = max v66, v67
//>   v69 = i64 0
//>   v70 = gt v68, v69
//>   assert v70, "`mean` needs at least one element"
//>   v71 = to_f64 v68
//>   v72 = div v55, v71
//>   return v40, v72
//> }

// --- parts in the middle
fn f[N](A: f64[N, N, 3]) -> f64[N, N, 3] {
    var B = A;
    B[:, 1, 0:2] = A[0, :, 1:];
    B[0, 1:] += 1;
    B
}

//> fn f[N](A: f64[N, N, 3]) -> f64[N, N, 3] {
//>   v0 = i64 1
//>   v1 = i64 0
//>   v2 = i64 0
//>   v3 = i64 1
//>   v4 = index A, v2
//>   v9: f64[N, 2] = build (v5, v6) {
//>     v7 = add v3, v6
//>     v8 = index v4, v5, v7
//>     yield v8
//>   }
//>   v10 = i64 0
//>   v11 = i64 1
//>   v23 = for v10, N, v11, A (v12, v13) {
//>     v14 = i64 0
//>     v15 = i64 2
//>     v16 = i64 1
//>     v22 = for v14, v15, v16, v13 (v17, v18) {
//>       v19 = add v1, v17
//>       v20 = index v9, v12, v17
//>       v21 = update v18, v20, v12, v0, v19
//>       yield v21
//>     }
//>     yield v22
//>   }
//>   v24 = i64 0
//>   v25 = i64 1
//>   v26 = f64 1.0
//>   v27 = index v23, v24
//>   v28: f64[N-1, 3] = slice v27, v25
//>   v33: f64[N-1, 3] = build (v29, v30) {
//>     v31 = index v28, v29, v30
//>     v32 = add v31, v26
//>     yield v32
//>   }
//>   v34 = index v23, v24
//>   v35 = update_slice v34, v33, v25
//>   v36 = update v23, v35, v24
//>   return v36
//> }

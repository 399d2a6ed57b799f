

// --- real and complex
fn f(x: f64, z: c64) -> (f64, c64) {
    (exp(x) + expm1(x) + log(x) + log2(x) + log10(x) + log1p(x) + sqrt(x) + sin(x) + cos(x) + tan(x) + asin(x) + acos(x)
        + atan(x) + sinh(x) + cosh(x) + tanh(x) + asinh(x) + acosh(x) + atanh(x) + sigmoid(x) + recip(x) + square(x) + sign(x),
    exp(z) + sigmoid(z) + recip(z) + square(z) + sign(z) + pow(z, 0.5))
}

//> fn f(x: f64, z: c64) -> (f64, c64) {
//>   v0 = exp x
//>   v1 = expm1 x
//>   v2 = add v0, v1
//>   v3 = log x
//>   v4 = add v2, v3
//>   v5 = log2 x
//>   v6 = add v4, v5
//>   v7 = log10 x
//>   v8 = add v6, v7
//>   v9 = log1p x
//>   v10 = add v8, v9
//>   v11 = sqrt x
//>   v12 = add v10, v11
//>   v13 = sin x
//>   v14 = add v12, v13
//>   v15 = cos x
//>   v16 = add v14, v15
//>   v17 = tan x
//>   v18 = add v16, v17
//>   v19 = asin x
//>   v20 = add v18, v19
//>   v21 = acos x
//>   v22 = add v20, v21
//>   v23 = atan x
//>   v24 = add v22, v23
//>   v25 = sinh x
//>   v26 = add v24, v25
//>   v27 = cosh x
//>   v28 = add v26, v27
//>   v29 = tanh x
//>   v30 = add v28, v29
//>   v31 = asinh x
//>   v32 = add v30, v31
//>   v33 = acosh x
//>   v34 = add v32, v33
//>   v35 = atanh x
//>   v36 = add v34, v35
//>   v37 = sigmoid x
//>   v38 = add v36, v37
//>   v39 = recip x
//>   v40 = add v38, v39
//>   v41 = square x
//>   v42 = add v40, v41
//>   v43 = sign x
//>   v44 = add v42, v43
//>   v45 = exp z
//>   v46 = sigmoid z
//>   v47 = add v45, v46
//>   v48 = recip z
//>   v49 = add v47, v48
//>   v50 = square z
//>   v51 = add v49, v50
//>   v52 = sign z
//>   v53 = add v51, v52
//>   v54 = f32 0.5
//>   v55 = pow z, v54
//>   v56 = add v53, v55
//>   return v44, v56
//> }

// --- real
fn f(x: f64, y: f64) -> f64 {
    cbrt(x) + hypot(x, y) + atan2(x, y) + min(x, y) + max(x, y) + clamp(x, 0, y) + floor(x) + ceil(x) + round(x) + trunc(x)
        + mod(x, y) + copysign(x, y) + erf(x) + erfc(x) + lgamma(x) + digamma(x) + polygamma(2, x) + softplus(x)
        + log_sigmoid(x) + logaddexp(x, y) + exp2(x) + sinc(x) + gamma(x) + j0(x) + j1(x) + y0(x) + y1(x)
}

//> fn f(x: f64, y: f64) -> f64 {
//>   v0 = cbrt x
//>   v1 = hypot x, y
//>   v2 = add v0, v1
//>   v3 = atan2 x, y
//>   v4 = add v2, v3
//>   v5 = min x, y
//>   v6 = add v4, v5
//>   v7 = max x, y
//>   v8 = add v6, v7
//>   v9 = f64 0.0
//>   v10 = clamp x, v9, y
//>   v11 = add v8, v10
//>   v12 = floor x
//>   v13 = add v11, v12
//>   v14 = ceil x
//>   v15 = add v13, v14
//>   v16 = round x
//>   v17 = add v15, v16
//>   v18 = trunc x
//>   v19 = add v17, v18
//>   v20 = mod x, y
//>   v21 = add v19, v20
//>   v22 = copysign x, y
//>   v23 = add v21, v22
//>   v24 = erf x
//>   v25 = add v23, v24
//>   v26 = erfc x
//>   v27 = add v25, v26
//>   v28 = lgamma x
//>   v29 = add v27, v28
//>   v30 = digamma x
//>   v31 = add v29, v30
//>   v32 = i64 2
//>   v33 = polygamma v32, x
//>   v34 = add v31, v33
//>   v35 = softplus x
//>   v36 = add v34, v35
//>   v37 = log_sigmoid x
//>   v38 = add v36, v37
//>   v39 = logaddexp x, y
//>   v40 = add v38, v39
//>   v41 = exp2 x
//>   v42 = add v40, v41
//>   v43 = sinc x
//>   v44 = add v42, v43
//>   v45 = gamma x
//>   v46 = add v44, v45
//>   v47 = j0 x
//>   v48 = add v46, v47
//>   v49 = j1 x
//>   v50 = add v48, v49
//>   v51 = y0 x
//>   v52 = add v50, v51
//>   v53 = y1 x
//>   v54 = add v52, v53
//>   return v54
//> }

// --- integers
fn f(n: i64, m: i64) -> i64 { abs(n) + sign(n) + min(n, m) + max(n, 1) + clamp(n, 0, m) + mod(n, 3) + div(n, m) - n*m }

//> fn f(n: i64, m: i64) -> i64 {
//>   v0 = abs n
//>   v1 = sign n
//>   v2 = add v0, v1
//>   v3 = min n, m
//>   v4 = add v2, v3
//>   v5 = i64 1
//>   v6 = max n, v5
//>   v7 = add v4, v6
//>   v8 = i64 0
//>   v9 = clamp n, v8, m
//>   v10 = add v7, v9
//>   v11 = i64 3
//>   v12 = mod n, v11
//>   v13 = add v10, v12
//>   v14 = idiv n, m
//>   v15 = add v13, v14
//>   v16 = mul n, m
//>   v17 = sub v15, v16
//>   return v17
//> }

// --- tests, stop_gradient
fn f(x: f64, z: c128, b: bool, n: i64) -> (bool, f64, bool, i64) {
    (isnan(x) || isfinite(z) || isinf(x) || isnan(z), stop_gradient(x), stop_gradient(b), stop_gradient(n))
}

//> fn f(x: f64, z: c128, b: bool, n: i64) -> (bool, f64, bool, i64) {
//>   v0 = isnan x
//>   v3 = if v0 {
//>     v1 = bool true
//>     yield v1
//>   } else {
//>     v2 = isfinite z
//>     yield v2
//>   }
//>   v6 = if v3 {
//>     v4 = bool true
//>     yield v4
//>   } else {
//>     v5 = isinf x
//>     yield v5
//>   }
//>   v9 = if v6 {
//>     v7 = bool true
//>     yield v7
//>   } else {
//>     v8 = isnan z
//>     yield v8
//>   }
//>   v10 = stop_gradient x
//>   v11 = stop_gradient b
//>   v12 = stop_gradient n
//>   return v9, v10, v11, v12
//> }

// --- literals only
fn f() -> f64 { sqrt(2) + exp(1) + max(1, 2) }

//> fn f() -> f64 {
//>   v0 = f64 2.0
//>   v1 = sqrt v0
//>   v2 = f64 1.0
//>   v3 = exp v2
//>   v4 = add v1, v3
//>   v5 = f64 1.0
//>   v6 = f64 2.0
//>   v7 = max v5, v6
//>   v8 = add v4, v7
//>   return v8
//> }

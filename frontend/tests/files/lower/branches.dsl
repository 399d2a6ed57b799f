

// --- values
fn f(x: f64) -> f64 { if x > 0 { sqrt(x) } else { 0 } }

//> fn f(x: f64) -> f64 {
//>   v0 = f64 0.0
//>   v1 = gt x, v0
//>   v4 = if v1 {
//>     v2 = sqrt x
//>     yield v2
//>   } else {
//>     v3 = f64 0.0
//>     yield v3
//>   }
//>   return v4
//> }

// --- chains
fn f(x: f64) -> f64 { if x > 1 { 1 } else if x > 0 { x } else { 0 } }

//> fn f(x: f64) -> f64 {
//>   v0 = f64 1.0
//>   v1 = gt x, v0
//>   v7 = if v1 {
//>     v2 = f64 1.0
//>     yield v2
//>   } else {
//>     v3 = f64 0.0
//>     v4 = gt x, v3
//>     v6 = if v4 {
//>       yield x
//>     } else {
//>       v5 = f64 0.0
//>       yield v5
//>     }
//>     yield v6
//>   }
//>   return v7
//> }

// --- statements yield what they change
fn f(x: f64) -> f64 {
    var a = x;
    var b = 0;
    var c = 1.0;
    if x > 0 { a = 2*a; b = 1; } else { b = 2; }
    if x > 3 { c += a; }
    a + f64(b) + c
}

//> fn f(x: f64) -> f64 {
//>   v0 = i64 0
//>   v1 = f64 1.0
//>   v2 = f64 0.0
//>   v3 = gt x, v2
//>   v8, v9 = if v3 {
//>     v4 = f64 2.0
//>     v5 = mul v4, x
//>     v6 = i64 1
//>     yield v5, v6
//>   } else {
//>     v7 = i64 2
//>     yield x, v7
//>   }
//>   v10 = f64 3.0
//>   v11 = gt x, v10
//>   v13 = if v11 {
//>     v12 = add v1, v8
//>     yield v12
//>   } else {
//>     yield v1
//>   }
//>   v14 = to_f64 v9
//>   v15 = add v8, v14
//>   v16 = add v15, v13
//>   return v16
//> }

// --- variables of a branch end with it
fn f(x: f64) -> f64 {
    var a = x;
    if x > 0 { var t = a; t *= 2; a = t; let a = 5.0; }
    a
}

//> fn f(x: f64) -> f64 {
//>   v0 = f64 0.0
//>   v1 = gt x, v0
//>   v5 = if v1 {
//>     v2 = f64 2.0
//>     v3 = mul x, v2
//>     v4 = f64 5.0
//>     yield v3
//>   } else {
//>     yield x
//>   }
//>   return v5
//> }

// --- nested, with a chain
fn f(x: f64, y: f64) -> f64 {
    var a = x;
    if x > 0 { if y > 0 { a = y; } } else if x < -1 { a += y; } else { a -= 1; }
    a
}

//> fn f(x: f64, y: f64) -> f64 {
//>   v0 = f64 0.0
//>   v1 = gt x, v0
//>   v11 = if v1 {
//>     v2 = f64 0.0
//>     v3 = gt y, v2
//>     v4 = if v3 {
//>       yield y
//>     } else {
//>       yield x
//>     }
//>     yield v4
//>   } else {
//>     v5 = f64 -1.0
//>     v6 = lt x, v5
//>     v10 = if v6 {
//>       v7 = add x, y
//>       yield v7
//>     } else {
//>       v8 = f64 1.0
//>       v9 = sub x, v8
//>       yield v9
//>     }
//>     yield v10
//>   }
//>   return v11
//> }

// --- tuples as values
fn f(x: f64) -> f64 { let (a, b) = if x > 0 { (x, 1) } else { (0, x) }; a - b }

//> fn f(x: f64) -> f64 {
//>   v0 = f64 0.0
//>   v1 = gt x, v0
//>   v4, v5 = if v1 {
//>     v2 = f64 1.0
//>     yield x, v2
//>   } else {
//>     v3 = f64 0.0
//>     yield v3, x
//>   }
//>   v6 = sub v4, v5
//>   return v6
//> }

// --- a branch may change a variable and have a value
fn f(x: f64) -> f64 { var s = x; let y = if x > 0 { s += 1; s } else { 2*s }; s*y }

//> fn f(x: f64) -> f64 {
//>   v0 = f64 0.0
//>   v1 = gt x, v0
//>   v6, v7 = if v1 {
//>     v2 = f64 1.0
//>     v3 = add x, v2
//>     yield v3, v3
//>   } else {
//>     v4 = f64 2.0
//>     v5 = mul v4, x
//>     yield v5, x
//>   }
//>   v8 = mul v7, v6
//>   return v8
//> }

// --- a block as an expression, with shadowing
fn f(x: f64) -> f64 { let y = { let x = x + 1; let x = x*x; x }; x + y }

//> fn f(x: f64) -> f64 {
//>   v0 = f64 1.0
//>   v1 = add x, v0
//>   v2 = mul v1, v1
//>   v3 = add x, v2
//>   return v3
//> }

// --- a block changes what is outside
fn f(x: f64) -> f64 { var s = x; { s = s + 1; } let t = { s *= 2; s }; s + t }

//> fn f(x: f64) -> f64 {
//>   v0 = f64 1.0
//>   v1 = add x, v0
//>   v2 = f64 2.0
//>   v3 = mul v1, v2
//>   v4 = add v3, v3
//>   return v4
//> }

// --- short circuit, with an assignment inside
fn f(x: f64, b: bool) -> f64 { var s = x; let c = b || { s = 1; x > 0 }; if c && !b { s } else { 0 } }

//> fn f(x: f64, b: bool) -> f64 {
//>   v4, v5 = if b {
//>     v0 = bool true
//>     yield v0, x
//>   } else {
//>     v1 = f64 1.0
//>     v2 = f64 0.0
//>     v3 = gt x, v2
//>     yield v3, v1
//>   }
//>   v8 = if v4 {
//>     v6 = not b
//>     yield v6
//>   } else {
//>     v7 = bool false
//>     yield v7
//>   }
//>   v10 = if v8 {
//>     yield v5
//>   } else {
//>     v9 = f64 0.0
//>     yield v9
//>   }
//>   return v10
//> }

// --- order of booleans
fn f(a: bool, b: bool) -> (bool, bool, bool, bool, bool) { (a < b, a <= b, a > b, a >= b, a == b) }

//> fn f(a: bool, b: bool) -> (bool, bool, bool, bool, bool) {
//>   v0 = not a
//>   v1 = and v0, b
//>   v2 = not a
//>   v3 = or v2, b
//>   v4 = not b
//>   v5 = and v4, a
//>   v6 = not b
//>   v7 = or v6, a
//>   v8 = eq a, b
//>   return v1, v3, v5, v7, v8
//> }

// --- an if as the last statement, without values
fn f(x: f64) -> f64 { var s = x; let y = { if x > 0 { s = 1; } else { s = 2; } s }; y }

//> fn f(x: f64) -> f64 {
//>   v0 = f64 0.0
//>   v1 = gt x, v0
//>   v4 = if v1 {
//>     v2 = f64 1.0
//>     yield v2
//>   } else {
//>     v3 = f64 2.0
//>     yield v3
//>   }
//>   return v4
//> }

// --- values of a statement are dropped
fn f(x: f64) -> f64 { var s = x; if x > 0 { s = 2; } else { s = 3; }; s }

//> fn f(x: f64) -> f64 {
//>   v0 = f64 0.0
//>   v1 = gt x, v0
//>   v4 = if v1 {
//>     v2 = f64 2.0
//>     yield v2
//>   } else {
//>     v3 = f64 3.0
//>     yield v3
//>   }
//>   return v4
//> }

// --- tuple variables
fn f(x: f64) -> f64 { var t = (x, 1); if x > 0 { t = (1, x); } let (a, b) = t; a*b }

//> fn f(x: f64) -> f64 {
//>   v0 = f64 1.0
//>   v1 = f64 0.0
//>   v2 = gt x, v1
//>   v4, v5 = if v2 {
//>     v3 = f64 1.0
//>     yield v3, x
//>   } else {
//>     yield x, v0
//>   }
//>   v6 = mul v4, v5
//>   return v6
//> }

// --- assert
fn f(x: f64) -> f64 { assert x > 0, "x must be positive"; assert x < 10; log(x) }

//> fn f(x: f64) -> f64 {
//>   v0 = f64 0.0
//>   v1 = gt x, v0
//>   assert v1, "x must be positive"
//>   v2 = f64 10.0
//>   v3 = lt x, v2
//>   assert v3, "x < 10"
//>   v4 = log x
//>   return v4
//> }



// --- over dimensions
fn prefix[N](x: f64[N]) -> f64 { if N == 0 { 0 } else { x[0] + 0.5*prefix(x[1:]) } }
fn five(x: f64[5]) -> f64 { prefix(x) + prefix[2]([1, 2]) }

//> fn prefix[N](x: f64[N]) -> f64 {
//>   v0 = i64 0
//>   v1 = eq N, v0
//>   v12 = if v1 {
//>     v2 = f64 0.0
//>     yield v2
//>   } else {
//>     v3 = i64 0
//>     v4 = index x, v3
//>     v5 = f64 0.5
//>     v6 = i64 1
//>     v7: f64[N-1] = slice x, v6
//>     v8 = size N-1
//>     v9 = call prefix[v8](v7)
//>     v10 = mul v5, v9
//>     v11 = add v4, v10
//>     yield v11
//>   }
//>   return v12
//> }
//>
//> fn five(x: f64[5]) -> f64 {
//>   v0 = i64 5
//>   v1 = call prefix[v0](x)
//>   v2 = f64 1.0
//>   v3 = f64 2.0
//>   v4 = pack v2, v3
//>   v5 = i64 2
//>   v6 = call prefix[v5](v4)
//>   v7 = add v1, v6
//>   return v7
//> }

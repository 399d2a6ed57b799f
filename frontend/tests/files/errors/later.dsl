

// --- one error for each construct, nothing behind it
fn f[N](x: f64[N]) -> f64 { sum(x) + nonsense }
fn g(x: f64[3], n: i64) -> f64 { x[0] }
fn h(x: f64) -> f64 { f([x]) + g(x, 1) + 1 }
check f[N = 3] { x ~ normal(0, 1); }

//> error[ADC0213]: dimensions are not compiled yet
//>   ^ 2:6-2:7 `N`: reads well, but has no meaning in this version
//>   = help: this version compiles scalar programs; arrays, loops and derivatives inside models come next
//> error[ADC0213]: array types are not compiled yet
//>   ^ 3:9-3:15 `f64[3]`: reads well, but has no meaning in this version
//>   = help: this version compiles scalar programs; arrays, loops and derivatives inside models come next
//> error[ADC0213]: arrays are not compiled yet
//>   ^ 4:25-4:28 `[x]`: reads well, but has no meaning in this version
//>   = help: this version compiles scalar programs; arrays, loops and derivatives inside models come next

// --- expressions
fn f(x: f64) -> f64 {
    let a = [x, 1];
    let b = a[0] + sum(a[i] for i) + max(a);
    let c = [x for i in 0..3];
    let d = a' @ a;
    let e = grad(sin)(x) + jvp(sin)(x; 1);
    let g = zeros(3);
    let h = dot(a, a);
    b + d + e
}

//> error[ADC0213]: arrays are not compiled yet
//>   ^ 3:13-3:19 `[x, 1]`: reads well, but has no meaning in this version
//>   = help: this version compiles scalar programs; arrays, loops and derivatives inside models come next
//> error[ADC0213]: indices are not compiled yet
//>   ^ 4:13-4:17 `a[0]`: reads well, but has no meaning in this version
//>   = help: this version compiles scalar programs; arrays, loops and derivatives inside models come next
//> error[ADC0213]: reductions are not compiled yet
//>   ^ 4:20-4:35 `sum(a[i] for i)`: reads well, but has no meaning in this version
//>   = help: this version compiles scalar programs; arrays, loops and derivatives inside models come next
//> error[ADC0213]: reductions are not compiled yet
//>   ^ 4:38-4:44 `max(a)`: reads well, but has no meaning in this version
//>   = help: this version compiles scalar programs; arrays, loops and derivatives inside models come next
//> error[ADC0213]: comprehensions are not compiled yet
//>   ^ 5:13-5:30 `[x for i in 0..3]`: reads well, but has no meaning in this version
//>   = help: this version compiles scalar programs; arrays, loops and derivatives inside models come next
//> error[ADC0213]: matrix products are not compiled yet
//>   ^ 6:13-6:19 `a' @ a`: reads well, but has no meaning in this version
//>   = help: this version compiles scalar programs; arrays, loops and derivatives inside models come next
//> error[ADC0213]: `zeros` is not compiled yet
//>   ^ 8:13-8:21 `zeros(3)`: reads well, but has no meaning in this version
//>   = help: this version compiles scalar programs; arrays, loops and derivatives inside models come next
//> error[ADC0213]: `dot` is not compiled yet
//>   ^ 9:13-9:22 `dot(a, a)`: reads well, but has no meaning in this version
//>   = help: this version compiles scalar programs; arrays, loops and derivatives inside models come next

// --- loops: what they assign is unknown afterwards
fn f(x: f64) -> f64 {
    var s = 0;
    let h = s/2;
    for i in 0..3 { s += x; }
    while s < 3 { s += 1; }
    s + h
}

//> error[ADC0213]: `for` loops are not compiled yet
//>   ^ 5:5-5:30 `for i in 0..3 { s += x; }`: reads well, but has no meaning in this version
//>   = help: this version compiles scalar programs; arrays, loops and derivatives inside models come next
//> error[ADC0213]: `while` loops are not compiled yet
//>   ^ 6:5-6:28 `while s < 3 { s += 1; }`: reads well, but has no meaning in this version
//>   = help: this version compiles scalar programs; arrays, loops and derivatives inside models come next

// --- entries, annotations, function arguments
fn apply(f: fn(f64) -> f64, x: f64) -> f64 { f(x) }
fn f(x: f64) -> f64 { var y = x; y[0] = 1; let z: f64[2] = y; apply(grad(sin), x) + apply(f[3], x) + f[2](x) }
check apply { }
check f { x = load("x.npy"); }

//> error[ADC0213]: assignments to entries are not compiled yet
//>   ^ 3:34-3:38 `y[0]`: reads well, but has no meaning in this version
//>   = help: this version compiles scalar programs; arrays, loops and derivatives inside models come next
//> error[ADC0213]: array types are not compiled yet
//>   ^ 3:51-3:57 `f64[2]`: reads well, but has no meaning in this version
//>   = help: this version compiles scalar programs; arrays, loops and derivatives inside models come next
//> error[ADC0213]: dimensions are not compiled yet
//>   ^ 3:91-3:95 `f[3]`: reads well, but has no meaning in this version
//>   = help: this version compiles scalar programs; arrays, loops and derivatives inside models come next
//> error[ADC0213]: dimensions are not compiled yet
//>   ^ 3:102-3:109 `f[2](x)`: reads well, but has no meaning in this version
//>   = help: this version compiles scalar programs; arrays, loops and derivatives inside models come next
//> error[ADC0213]: `check` blocks of functions that take functions are not compiled yet
//>   ^ 4:7-4:12 `apply`: reads well, but has no meaning in this version
//>   = help: this version compiles scalar programs; arrays, loops and derivatives inside models come next
//> error[ADC0213]: parameters loaded from files are not compiled yet
//>   ^ 5:11-5:28 `x = load("x.npy")`: reads well, but has no meaning in this version
//>   = help: this version compiles scalar programs; arrays, loops and derivatives inside models come next

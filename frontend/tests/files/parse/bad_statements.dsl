fn f1(x: f64) -> f64 {
    lte a = 3;
    let mut b = 3;
    let c == 3;
    let d := 3;
    let e;
    let f, g = 3;
    let h[0] = 3;
    let i(x) = 3;
    var (j, k) = e;
    let (l) = 3;
    let () = 3;
    f64 m = 1.0;
    val n = 1;
    const o = 3;
    p := 3;
    x += y += 1;
    q = r = 1;
    f(x) = 3;
    (a, b) = x;
    x[0][1] = 2;
    x + 1 = 2;
    x ^= 2;
    x++;
    let in = 3;
    let grad = 3;
    let s = x
    let t = 3;
    y = 4
    z = 5;
    let u = 3 let v = 4;
    return x;
}
fn f2(x: f64) -> f64 {
    if x > 0 { return 1; }
    while true { break; continue; }
    loop { x = 1; }
    do { x = 1; } while x > 0;
    print(x);
    switch x { }
    else { x = 1; }
    whlie x > 0 { x = 1; }
    fro i in 0..3 { x = 1; }
    asert x > 0;
    #[inline] let y = 1;
    #[inline] for i in 0..3 { }
    assert x, y;
    x y;
    pass
    return
}
fn f3(x: f64) -> f64 {
    if x > 0 { 1 } else { 2 } + 1
}
fn f4(x: f64) -> f64 {
    if x = 0 { 1 } else { 2 }
}
fn f5(x: f64) -> f64 {
    if (x > 0) x = 1;
    if x > 0 then 1 else 2;
    if x > 0: 1
    if x > 0 { 1 } elif x < 0 { 2 } else { 3 }
}
fn f6(x: f64) -> f64 {
    for i = 0..3 { s += 1; }
    for (i = 0; i < n; i++) { s += 1; }
    for i, j in 0..3 { s += 1; }
    for i in 0..3, j in 0..3 { s += 1; }
    for i in range(3) { s += 1; }
    for i in range(0, n, 2) { s += 1; }
    for i in x { s += 1; }
    for i in 0..=3 { s += 1; }
    for i in 1:3 { s += 1; }
    for i of x { s += 1; }
    for i in 0.. { s += 1; }
    for i in 0..3: s += 1;
    while x < 3: x += 1;
    x
}
fn f7(x: f64) -> f64 {
    fn inner(y: f64) -> f64 { y }
    inner(x)
}
fn f8(x: f64) -> f64 { if x > 0 { 1 } else { 2
fn f9(x: f64) -> f64 { x }
fn f10(x: f64) -> f64 {
    x +
}
fn f11(x: f64) -> f64 {
    x

//> error[ADC0105] 2:5-2:8 no statement starts with `lte` | did you mean `let`? | help: write `let`
//> error[ADC0106] 3:5-3:12 `mut` is not a keyword | declares nothing that can be assigned | help: write `var b = …;`
//> error[ADC0105] 4:11-4:13 expected `=`, found `==` | a `let` has a single `=` | help: write `let x = e;`
//> error[ADC0105] 5:11-5:13 expected `=`, found `:=` | a `let` has a single `=` | help: write `let x = e;`
//> error[ADC0105] 6:10-6:11 expected `=`, found `;` | a `let` has a value from the start | help: write `var x = 0.0;`, for an array `var x = zeros(N);`
//> error[ADC0105] 7:10-7:11 expected `:` or `=`, found `,` | in a `let`: several names need parentheses | help: write `let (a, b) = e;`
//> error[ADC0105] 8:10-8:11 expected `:` or `=`, found `[` | in a `let`: a whole array is declared at once | help: write `var h = zeros(N);`, then `h[i] = …;`
//> error[ADC0105] 9:10-9:11 expected `:` or `=`, found `(` | in a `let`: functions are items | help: write `fn i(x: f64) -> f64 { … }` outside of functions
//> error[ADC0105] 10:9-10:15 expected one name behind `var` | not a name | help: take the tuple apart with `let (a, b) = e;`, then `var x = a;`
//> error[ADC0113] 11:9-11:12 a pattern with fewer than two parts | takes nothing apart | help: write `let a = e;`
//> error[ADC0113] 12:9-12:11 a pattern with fewer than two parts | takes nothing apart | help: write `let a = e;`
//> error[ADC0106] 13:5-13:10 a type in front of a name | not part of the language | help: write `let m: f64 = …;`, or `var` if it is assigned later
//> error[ADC0106] 14:5-14:8 `val` declares nothing | not part of the language | help: write `let n = …;`
//> error[ADC0112] 15:5-15:10 `const` inside a function | allowed only outside of functions | help: write `let`, or move it out
//> error[ADC0106] 16:7-16:9 `:=` is not an assignment | from another language | help: write `let x = e;` for a new name, `x = e;` for a `var`
//> error[ADC0106] 17:12-17:14 an assignment has no value | a second assignment | help: write one statement for each variable
//> error[ADC0106] 18:11-18:12 an assignment has no value | a second assignment | help: write one statement for each variable
//> error[ADC0207] 19:5-19:9 this cannot be assigned | a call | help: elements are written `x[i]`; a function is declared `fn f(x: f64) -> f64 { … }`
//> error[ADC0207] 20:5-20:11 this cannot be assigned | a tuple | help: write one assignment for each, or `let (a, b) = e;`
//> error[ADC0207] 21:5-21:12 this cannot be assigned | indices of an index | help: write all in one: `x[i, j] = e;`
//> error[ADC0207] 22:5-22:10 this cannot be assigned | not a variable | help: the left side is `x`, `x[i, j]` or `x[a:b]`
//> error[ADC0106] 23:7-23:9 `^=` has no meaning here | not part of the language | help: the assignments are `= += -= *= /=`; write `k = mod(k, 2);`, `x = x^2;`
//> error[ADC0106] 24:7-24:8 `++` is not an operator | not part of the language | help: write `x += 1;`
//> error[ADC0111] 25:9-25:11 `in` is a keyword | cannot be a name | help: choose another name, `in_` for one
//> error[ADC0111] 26:9-26:13 `grad` is a derivative operator | cannot be a name | help: choose another name, `grad_` for one
//> error[ADC0105] 27:13-27:14 expected `;`, found `let` | `;` is missing behind a `let` | help: end it with `;`
//> error[ADC0105] 29:9-29:10 expected `;`, found `z` | `;` is missing behind the assignment | help: end it with `;`
//> error[ADC0105] 31:13-31:14 expected `;`, found `let` | `;` is missing behind a `let` | help: end it with `;`
//> error[ADC0106] 32:5-32:13 `return` is not a statement | there is no `return` | help: the last expression of a block, without `;`, is its value: leave out `return` and the `;`
//> error[ADC0106] 35:16-35:24 `return` is not a statement | there is no `return` | help: a function ends at its end: write `if c { a } else { b }` and put the rest into the branches
//> error[ADC0106] 36:18-36:23 `break` is not a statement | not part of the language | help: there is no `break`: put the condition into `while c { … }`
//> error[ADC0106] 36:25-36:33 `continue` is not a statement | not part of the language | help: there is no `continue`: put the rest of the body into `if c { … }`
//> error[ADC0106] 37:5-37:9 `loop` is not a statement | not part of the language | help: write `while true { … }` with the condition to go on in place of `true`
//> error[ADC0106] 38:5-38:7 `do` is not a statement | not part of the language | help: write `for i in 0..n { … }` or `while c { … }`
//> error[ADC0106] 39:5-39:10 `print` is not a statement | not part of the language | help: nothing is printed from a model: make the value a result of the function
//> error[ADC0106] 40:5-40:11 `switch` is not a statement | not part of the language | help: write `if … { … } else if … { … } else { … }`
//> error[ADC0105] 42:5-42:10 no statement starts with `whlie` | did you mean `while`? | help: write `while`
//> error[ADC0105] 43:5-43:8 no statement starts with `fro` | did you mean `for`? | help: write `for`
//> error[ADC0105] 44:5-44:10 no statement starts with `asert` | did you mean `assert`? | help: write `assert`
//> error[ADC0216] 45:5-45:14 `#[inline]` does not belong here | goes on a function | help: put it right before a function, or remove it
//> error[ADC0216] 46:5-46:14 `#[inline]` does not belong here | goes on a function | help: put it right before a function, or remove it
//> error[ADC0105] 47:15-47:16 expected a string, found `y` | in an `assert` | help: write a string here
//> error[ADC0105] 48:7-48:8 expected an operator or `;`, found `y` | in the expression | help: write an operator or `;` here
//> error[ADC0106] 49:5-49:9 `pass` is not a statement | not part of the language | help: an empty block is `{}`
//> error[ADC0105] 53:31-53:32 expected a statement, found `+` | an `if` at the start of a statement ends with its `}` | help: put the `if` in parentheses to go on with its value: `(if c { a } else { b }) + 1`
//> error[ADC0106] 56:10-56:11 `=` in the condition of an `if` | this assigns, it does not compare | help: compare with `==`
//> error[ADC0105] 59:16-59:17 expected `{`, found `x` | in a branch of an `if` | help: blocks always have braces: `if c { a } else { b }`
//> error[ADC0106] 60:14-60:18 `then` starts no block | a branch of an `if` is a block in braces | help: write `if c { a } else { b }`
//> error[ADC0106] 61:13-61:14 `:` starts no block | a branch of an `if` is a block in braces | help: write `if c { a } else { b }`
//> error[ADC0106] 62:20-62:24 `elif` is not a keyword | not part of the language | help: write `else if`
//> error[ADC0106] 65:11-65:12 `=` in a `for` | `in` belongs here | help: write `for i in 0..n { … }`: indices start at 0, and the range ends before `n`
//> error[ADC0106] 66:5-66:10 a `for` with parentheses | a loop from another language | help: write `for i in 0..n { … }`: one variable, no parentheses, and the range ends before `n`
//> error[ADC0106] 67:10-67:11 a `for` with several variables | a loop has one variable | help: nest the loops: `for i in 0..n { for j in 0..m { … } }`
//> error[ADC0106] 68:18-68:19 a `for` with several ranges | a loop has one variable | help: nest the loops: `for i in 0..n { for j in 0..m { … } }`
//> error[ADC0106] 69:14-69:22 a loop over something that is not a range | loops run over `a..b` | help: write `0..3`
//> error[ADC0106] 70:14-70:28 a loop over something that is not a range | loops run over `a..b` | help: write `0..n step 2`
//> error[ADC0106] 71:14-71:15 a loop over something that is not a range | loops run over `a..b` | help: write `for i in 0..n` and use `x[i]`
//> error[ADC0106] 72:15-72:18 a range with its end included | ranges are half-open | help: write `a..b + 1`
//> error[ADC0106] 73:15-73:16 `:` in a range | a range has `..` | help: write `0..n`: indices start at 0, and the range ends before `n`
//> error[ADC0105] 74:11-74:13 expected `in`, found `of` | in a `for` loop | help: write `in` here
//> error[ADC0105] 75:18-75:19 expected the end of the range, found `{` | in a `for` loop | help: write the end of the range here
//> error[ADC0106] 76:18-76:19 `:` starts no block | the body of a `for` loop is a block in braces | help: write `for i in 0..n { … }`
//> error[ADC0106] 77:16-77:17 `:` starts no block | the body of a `while` loop is a block in braces | help: write `while c { … }`
//> error[ADC0106] 81:5-81:13 a function inside a function | functions do not nest | help: move it out; what it uses from here becomes a parameter
//> error[ADC0110] 84:44-84:45 expected `}`, found `fn` | this block is not closed | also 85:1-85:3 the block should have ended before this | help: add the missing `}`
//> error[ADC0105] 88:1-88:2 expected an expression, found `}` | no expression starts with this | help: write a number, a name, `(…)`, `[…]`, `{ … }` or `if … { … } else { … }`
//> error[ADC0110] 89:23-89:24 expected `}`, found the end of the file | this block is not closed | also 90:5-90:6 the block should have ended before this | help: add the missing `}`

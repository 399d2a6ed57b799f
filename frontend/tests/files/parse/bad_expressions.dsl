fn f1(x: f64) -> f64 {
    let a = x < y < z;
    let b = x == y != z + 1;
    let c = x ** 2;
    let d = +x;
    let e = x % 2 + 1;
    let f = x & y | z;
    let g = x and y or not z;
    let h = x mod 2;
    let i = c ? a : b;
    let j = x.T + 1;
    let k = x.shape;
    let l = x.sum();
    let m = x.0;
    let n = x .* y;
    let o = |x| x + 1;
    let p = lambda x: x + 1;
    let q = fn(x) { x };
    let r = "text";
    let s = 'text';
    let t = [];
    let u = [0.0; 3];
    let v = [1 2 3];
    let w = ();
    let x = (1,);
    let y = (1 2);
    let z = (x[i] for i);
    x
}
fn f2(x: f64) -> f64 {
    let a = x[];
    let b = x[0..3];
    let c = x[::2] + 1;
    let d = x[0:4:2];
    let e = f(x = 3);
    let f = g(1, 2;
    let g = h(1, 2
    let h = [1, 2
    let i = [x[i] for i if x[i] > 0];
    let j = [x[i, j] for i in 0..3 for j in 0..3];
    let k = sum(x, y for i);
    let l = cumprod(x[i] for i);
    let m = [x for i in x];
    let n = sum(x[i] for (i, j) in x);
    let o = _;
    let p = _ + 1;
    let q = x if x > 0 else y;
    let r = x === y;
    let s = let y = 3;
    let t = for i in 0..3 { };
    let u = &x;
    let v = *x;
    let w = x => y;
    let y = (x;
    let z = x);
    x
}
fn f3(x: f64) -> f64 {
    let a = grad;
    let b = grad(f, x)(y);
    let c = grad(f, 0)(y);
    let d = grad(f, wrt = [x, y])(y);
    let e = grad(f, wrt = ())(y);
    let f = grad(f)(x; y);
    let g = jvp(f)(x, y);
    let h = f(x; y);
    let i = grad(f, wrt = "x")(y);
    let j = x[1][N = 3];
    let k = f[1:2](x);
    let l = f[N = 3;
    let m = x -> y;
    let n = x ~ y;
    let o = a::b;
    let p = if x > 0 { 1 };
    let q = 3 + ;
    let r = * 3;
    let s = sum(x[i] for);
    let t = sum(x[i] for i in);
    let u = if x > 0 1 else 2;
    let v = x where y;
    let w = x then y;
    let y = grad(;
    x
}

//> error[ADC0108] 2:13-2:22 comparisons do not chain | `<` compares the result of another comparison | also 2:19-2:20 second comparison | help: write `x < y && y < z`
//> error[ADC0108] 3:13-3:28 comparisons do not chain | `!=` compares the result of another comparison | also 3:20-3:22 second comparison | help: write `x == y && y != z + 1`
//> error[ADC0106] 4:15-4:17 `**` is not an operator | a power in other languages | help: write `^`: `x^2`
//> error[ADC0106] 5:13-5:14 `+` in front of an expression | there is no prefix `+` | help: leave it out
//> error[ADC0106] 6:15-6:16 `%` is not an operator | not part of the language | help: write `mod(a, b)`
//> error[ADC0106] 7:15-7:16 `&` is not an operator | not part of the language | help: write `&&`; integers have no bit operations, the last bit of `n` is `mod(n, 2)`
//> error[ADC0106] 7:19-7:20 `|` is not an operator | not part of the language | help: of booleans write `||`; integers have no bit operations; a density `p(y | m)` is written out: `-0.5*((y - m)/s)^2 - log(s)`
//> error[ADC0106] 8:15-8:18 `and` is not an operator | not part of the language | help: write `&&`
//> error[ADC0106] 8:21-8:23 `or` is not an operator | not part of the language | help: write `||`
//> error[ADC0106] 8:24-8:27 `not` is not an operator | from another language | help: write `!`: `!(a < b)`
//> error[ADC0106] 9:15-9:18 `mod` is not an operator | not part of the language | help: write `mod(a, b)`
//> error[ADC0106] 10:15-10:16 `?` has no meaning here | not part of the language | help: write `if c { a } else { b }`
//> error[ADC0106] 11:13-11:16 there are no fields: `.T` | not part of the language | help: the transpose is `x'`
//> error[ADC0106] 12:13-12:20 there are no fields: `.shape` | not part of the language | help: sizes are dimensions: in `fn f[N](x: f64[N])` the size of `x` is `N`, as a real number `f64(N)`
//> error[ADC0106] 13:13-13:18 there are no methods: `.sum(…)` | not part of the language | help: write `sum(x)`
//> error[ADC0106] 14:14-14:15 `.` has no meaning here | not part of the language | help: parts of a tuple get names: `let (a, b) = t;`; a real is written `0.5`
//> error[ADC0106] 15:15-15:16 `.` has no meaning here | not part of the language | help: operators map over arrays as they are: write `*`
//> error[ADC0106] 16:13-16:14 there are no closures | a function without a name | help: declare it with `fn` and give its name; known arguments are given by partial application, `f(_, p)`
//> error[ADC0106] 17:13-17:19 there are no closures | a function without a name | help: declare it with `fn` and give its name; known arguments are given by partial application, `f(_, p)`
//> error[ADC0106] 18:13-18:15 there are no closures | a function without a name | help: declare it with `fn` and give its name; known arguments are given by partial application, `f(_, p)`
//> error[ADC0112] 19:13-19:19 a string is not a value | a string | help: strings belong in `assert c, "text";`, `use "file.dsl";` and `x = load("x.npy");` of a `check` block
//> error[ADC0106] 20:13-20:14 `'` starts no expression | strings are not written with `'` | help: strings are written with `"`; the transpose `A'` has its `'` behind
//> error[ADC0113] 21:13-21:15 an array literal without elements | no element gives it a type | help: write `zeros(0)`
//> error[ADC0106] 22:17-22:18 `;` in an array literal | separates rows or gives a length in other languages | also 22:13-22:14 opened here | help: rows are nested, `[[1.0, 2.0], [3.0, 4.0]]`; one value repeated is `fill(v, n)`
//> error[ADC0105] 23:16-23:17 expected `,`, found `2` | blanks separate nothing | help: elements are separated by commas: `[1.0, 2.0]`, rows are nested: `[[1.0, 2.0], [3.0, 4.0]]`
//> error[ADC0113] 24:13-24:15 a tuple without parts | nothing inside | help: there is no empty tuple; a tuple has at least two parts
//> error[ADC0113] 25:13-25:17 a tuple of one part | one part | help: leave out the comma: one part is a plain value
//> error[ADC0105] 26:16-26:17 expected an operator, `,` or `)`, found `2` | the parenthesis should go on or end here | also 26:13-26:14 opened here | help: close it with `)`
//> error[ADC0112] 27:13-27:22 a generator in parentheses | makes no value | help: an array is `[e for i in 0..n]`, a sum is `sum(e for i in 0..n)`
//> error[ADC0113] 31:13-31:16 an index without positions | nothing between the brackets | help: write `x[i]`, or `x` for the whole array
//> error[ADC0106] 32:15-32:18 a range as an index | slices are not written with `..` | help: write `x[a:b]`
//> error[ADC0106] 33:15-33:17 a slice with a stride | more than `a:b` | help: write `[x[2*i] for i in 0..n]`
//> error[ADC0106] 34:15-34:19 a slice with a stride | more than `a:b` | help: write `[x[2*i] for i in 0..n]`
//> error[ADC0106] 35:15-35:18 an argument with a name | arguments have no names | help: give the arguments in the order of the parameters
//> error[ADC0105] 36:19-36:20 expected an operator, `,` or `)`, found `;` | the arguments of `g` should go on or end here | also 36:14-36:15 opened here | help: close it with `)`
//> error[ADC0105] 38:5-38:8 expected an operator, `,` or `)`, found `let` | the arguments of `h` should go on or end here | also 37:14-37:15 opened here | help: close it with `)`
//> error[ADC0106] 39:25-39:27 a condition in a generator | generators filter nothing | help: choose inside: `sum(if c { e } else { 0 } for i in 0..n)`
//> error[ADC0106] 40:36-40:39 a second `for` in a generator | one `for` has all variables | help: write `e for i in 0..n, j in 0..m`
//> error[ADC0112] 41:22-41:25 a generator beside other arguments | a generator is the only argument | also 41:13-41:16 of this call | help: write `sum(e for i in 0..n)`, or give an array: `[e for i in 0..n]`
//> error[ADC0112] 42:26-42:29 `cumprod` takes no generator | makes no array by itself | help: give an array, `cumprod([e for i in 0..n])`; generators belong to `sum prod max min argmax argmin any all mean logsumexp norm`
//> error[ADC0106] 43:25-43:26 a loop over something that is not a range | loops run over `a..b` | help: write `for i in 0..n` and use `x[i]`
//> error[ADC0106] 44:26-44:27 a generator with parentheses | each variable has a range of its own | help: write `e for i in 0..n, j in 0..m`
//> error[ADC0112] 45:13-45:14 `_` is not a value | here a value is needed | help: `_` leaves out an argument, `f(_, p)`, or a name, `let (a, _) = e;`
//> error[ADC0112] 46:13-46:14 `_` is not a value | here a value is needed | help: `_` leaves out an argument, `f(_, p)`, or a name, `let (a, _) = e;`
//> error[ADC0106] 47:15-47:17 `if` has no meaning here | not part of the language | help: write `if c { a } else { b }`, the condition first
//> error[ADC0106] 48:15-48:18 `===` is not an operator | not part of the language | help: write `==` or `!=`
//> error[ADC0112] 49:13-49:16 a declaration inside an expression | a statement | help: put it before the expression, or write a block: `{ let a = …; a + 1 }`
//> error[ADC0112] 50:13-50:16 a loop inside an expression | has no value | help: an array is `[e for i in 0..n]`, a sum is `sum(e for i in 0..n)`
//> error[ADC0106] 51:13-51:14 there are no references | a reference | help: leave out the `&`: arrays are values, and copied only where it matters
//> error[ADC0106] 52:13-52:14 there are no pointers | nothing stands left of it | help: a product needs two factors
//> error[ADC0106] 53:15-53:17 `=>` has no meaning here | not part of the language | help: the result type of a function is written `-> f64`; there are no closures
//> error[ADC0105] 54:15-54:16 expected an operator, `,` or `)`, found `;` | the parenthesis should go on or end here | also 54:13-54:14 opened here | help: close it with `)`
//> error[ADC0110] 55:14-55:15 a `)` that closes nothing | no bracket is open here | help: remove it, or look for one that is missing before it
//> error[ADC0111] 59:13-59:17 `grad` is a derivative operator | not followed by `(f)` | help: write `grad(f)(x)` with a function `f`; the name cannot be used otherwise
//> error[ADC0105] 60:21-60:22 expected `wrt = …`, found `x` | `grad` has a function and `wrt` in its first brackets | help: write `grad(f, wrt = x)(…)`; the point follows in brackets of its own: `grad(f)(x)`
//> error[ADC0105] 61:21-61:22 expected `wrt = …`, found `0` | `grad` has a function and `wrt` in its first brackets | help: write `grad(f, wrt = x)(…)`; the point follows in brackets of its own: `grad(f)(x)`
//> error[ADC0105] 62:27-62:28 expected `(`, found `[` | several parameters need parentheses | help: write `wrt = (x, y)`
//> error[ADC0113] 63:27-63:29 `wrt` without parameters | nothing to differentiate with respect to | help: name parameters, or leave out `wrt`: then it is every differentiable one
//> error[ADC0112] 64:22-64:23 `grad` takes no tangents | nothing belongs behind a `;` here | also 64:13-64:17 this operator | help: `jvp` and `hvp` take tangents, `vjp` takes cotangents
//> error[ADC0112] 66:16-66:17 `;` among arguments | only a derivative takes tangents or cotangents | also 66:13-66:14 not a derivative | help: separate arguments by `,`; tangents belong in `jvp(f)(x; dx)`
//> error[ADC0105] 67:27-67:30 expected the name of a parameter, found `"x"` | a string | help: write `wrt = x`
//> error[ADC0112] 68:13-68:24 dimensions of something that is not a function's name | only a function has dimensions | help: compare with `==`; dimensions are given as in `f[N = 3](x)`
//> error[ADC0112] 69:15-69:18 a slice among dimensions | dimensions of `f` are numbers | help: write `f[3](…)` or `f[N = 3](…)`; an array cannot be called
//> error[ADC0105] 70:20-70:21 expected `,` or `]`, found `;` | the index should go on or end here | also 70:14-70:15 opened here | help: close it with `]`
//> error[ADC0106] 71:15-71:17 `->` has no meaning here | not part of the language | help: there are no closures: declare `fn g(t: f64) -> f64 { … }` and give its name; elsewhere `->` belongs before a result type
//> error[ADC0106] 72:15-72:16 `~` has no meaning here | not part of the language | help: there are no distributions in a function: add the log density, `lp += -0.5*((y - mu)/s)^2 - log(s);`, and return `lp`
//> error[ADC0106] 73:14-73:16 `::` has no meaning here | not part of the language | help: there are no modules: write `b(x)`
//> error[ADC0105] 75:17-75:18 expected an expression, found `;` | no expression starts with this | help: write a number, a name, `(…)`, `[…]`, `{ … }` or `if … { … } else { … }`
//> error[ADC0106] 76:13-76:14 there are no pointers | nothing stands left of it | help: a product needs two factors
//> error[ADC0105] 77:25-77:26 expected a loop variable, found `)` | in the generator | help: write a loop variable here
//> error[ADC0105] 78:30-78:31 expected an expression, found `)` | no expression starts with this | help: write a number, a name, `(…)`, `[…]`, `{ … }` or `if … { … } else { … }`
//> error[ADC0105] 79:22-79:23 expected `{`, found `1` | in a branch of an `if` | help: blocks always have braces: `if c { a } else { b }`
//> error[ADC0106] 80:15-80:20 `where` has no meaning here | not part of the language | help: put a `let` before the expression; there are no type parameters
//> error[ADC0106] 81:15-81:19 `then` has no meaning here | not part of the language | help: write `if c { a } else { b }`
//> error[ADC0105] 82:18-82:19 expected an expression, found `;` | no expression starts with this | help: write a number, a name, `(…)`, `[…]`, `{ … }` or `if … { … } else { … }`

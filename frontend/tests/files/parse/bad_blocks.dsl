check f { x ~ normal(0, 1), y ~ normal(0, 1); pionts 3; foo 3; 3; x ~ 3; wrt; wrt x y; expect 3; points; }
check f [N = 3 { x ~ normal(0, 1); }
check f;
check { x ~ normal(0, 1); }
check f {
    x ~ normal 0, 1;
    x in 3;
    x = ;
    x ~ normal(0, 1)
    y ~ normal(0, 1);
    outputs out., loss;
    load("x.npy");
    x = "x.npy";
    x = load("a" "b");
    let z = 3;
check g { }
bench g { modes primal; max_ratoi 3; }
rule f(x; g) { g }
rule vpj f(x; g) { g }
rule vjp f(x) { x }
rule jvp f(x) { x }
rule vjp f(x: f64; g: f64) -> f64 { g }
rule partial f(z; g) { d z: 1; }
rule partial f(z) { 2*z }
rule partial f(z) { d z = 1; let a = 3; dconj z: 2 d a: 3 }
rule partial f(z) { d z: 1;
rule vjp f x { g }
rule vjp (x; g) { g }

//> error[ADC0105] 1:27-1:28 expected `;`, found `,` | lines of a block end with `;` | help: write `;`
//> error[ADC0105] 1:47-1:53 expected a line of a `check` block, found `pionts` | did you mean `points`? | help: write `points`
//> error[ADC0105] 1:57-1:60 expected a line of a `check` block, found `foo` | neither a word of the block nor a parameter with `~`, `in` or `=` | help: parameters are given as `x ~ normal(0, 1);`, `x in [0, 1];`, `x = 0.5;`; the words are wrt, nodiff, outputs, modes, points, seed, edge, eps, atol, rtol, fuel, memory_limit, max_ratio, expect
//> error[ADC0105] 1:64-1:65 expected a line of a `check` block, found `3` | no line starts with this | help: lines start with a parameter or one of wrt, nodiff, outputs, modes, points, seed, edge, eps, atol, rtol, fuel, memory_limit, max_ratio, expect
//> error[ADC0105] 1:71-1:72 expected a distribution, found `3` | in a `~` line | help: for example `x ~ normal(0, 1);`, `x ~ uniform(-1, 1);`
//> error[ADC0105] 1:77-1:78 expected the name of a parameter, found `;` | in `wrt` | help: write the name of a parameter here
//> error[ADC0105] 1:85-1:86 expected an operator or `;`, found `y` | in a line of the block | help: write an operator or `;` here
//> error[ADC0105] 1:95-1:96 expected a verdict, found `3` | in `expect` | help: for example `expect fail;` or `expect kink;`
//> error[ADC0105] 1:104-1:105 expected an expression, found `;` | no expression starts with this | help: write a number, a name, `(…)`, `[…]`, `{ … }` or `if … { … } else { … }`
//> error[ADC0105] 2:16-2:17 expected `,` or `]`, found `{` | the dimensions should go on or end here | also 2:9-2:10 opened here | help: close it with `]`
//> error[ADC0105] 3:8-3:9 expected `{`, found `;` | in a `check` block | help: write `check f { … }`; an empty block takes every default
//> error[ADC0105] 4:7-4:8 expected the name of a function, found `{` | in a `check` block | help: write `check f { … }`
//> error[ADC0110] 5:9-5:10 expected `}`, found `check` | this block is not closed | help: add the missing `}`
//> error[ADC0105] 6:16-6:17 expected `(`, found `0` | in the distribution `normal` | help: write `(` here
//> error[ADC0105] 7:10-7:11 expected an interval, found `3` | in a domain | help: for example `in [0, 1]`, `in (0, INF)`, `in disk(2)`
//> error[ADC0105] 8:9-8:10 expected an expression, found `;` | no expression starts with this | help: write a number, a name, `(…)`, `[…]`, `{ … }` or `if … { … } else { … }`
//> error[ADC0105] 9:20-9:21 expected `;`, found `y` | `;` is missing behind a line of the block | help: end it with `;`
//> error[ADC0105] 11:13-11:17 expected a number behind `.` | names a part of something | help: results without names are `out`, or `out.0`, `out.1`
//> error[ADC0105] 12:5-12:9 expected a line of a `check` block, found `load` | neither a word of the block nor a parameter with `~`, `in` or `=` | help: parameters are given as `x ~ normal(0, 1);`, `x in [0, 1];`, `x = 0.5;`; the words are wrt, nodiff, outputs, modes, points, seed, edge, eps, atol, rtol, fuel, memory_limit, max_ratio, expect
//> error[ADC0112] 13:9-13:16 a string is not a value | a string | help: strings belong in `assert c, "text";`, `use "file.dsl";` and `x = load("x.npy");` of a `check` block
//> error[ADC0105] 14:18-14:21 expected `)`, found `"b"` | `load` should go on or end here | also 14:13-14:14 opened here | help: close it with `)`
//> error[ADC0105] 15:5-15:8 expected a line of a `check` block, found `let` | no line starts with this | help: lines start with a parameter or one of wrt, nodiff, outputs, modes, points, seed, edge, eps, atol, rtol, fuel, memory_limit, max_ratio, expect
//> error[ADC0105] 17:25-17:34 expected a line of a `bench` block, found `max_ratoi` | did you mean `max_ratio`? | help: write `max_ratio`
//> error[ADC0105] 18:6-18:7 expected `jvp`, `vjp` or `partial`, found `f` | in a `rule` | help: write the kind: `rule vjp f(x; g) { … }`, `rule jvp f(x; dx) { … }`
//> error[ADC0105] 19:6-19:9 no rule is called `vpj` | did you mean `vjp`? | help: write `vjp`
//> error[ADC0105] 20:13-20:14 expected `;` and the cotangents, found `)` | the cotangents follow the parameters | help: write `rule vjp f(x; g) { … }`
//> error[ADC0105] 21:13-21:14 expected `;` and the tangents, found `)` | the tangents follow the parameters | help: write `rule jvp f(x; dx) { … }`
//> error[ADC0112] 22:13-22:14 a type in the head of a rule | the types are those of `f` | help: write names alone, and no result: `rule vjp f(x; g) { … }`
//> error[ADC0112] 23:17-23:18 a `rule partial` with tangents | its lines give derivatives, not products with tangents | help: write `rule partial f(z) { d z: …; }`
//> error[ADC0105] 24:21-24:22 expected `d` or `dconj`, found `2` | each line gives the derivative by one parameter | help: write `d x: …;` for each parameter, of a complex one also `dconj x: …;`; a line's value may be a block, `{ let a = …; a*a }`
//> error[ADC0105] 25:25-25:26 expected `:`, found `=` | in a line of a `rule partial` | help: write `d z: …;`
//> error[ADC0105] 25:30-25:33 expected `d` or `dconj`, found `let` | each line gives the derivative by one parameter | help: write `d x: …;` for each parameter, of a complex one also `dconj x: …;`; a line's value may be a block, `{ let a = …; a*a }`
//> error[ADC0105] 25:52-25:53 expected `;`, found `d` | the next line starts here | help: end each line with `;`
//> error[ADC0110] 26:19-26:20 expected `}`, found `rule` | this block is not closed | help: add the missing `}`
//> error[ADC0105] 27:12-27:13 expected `(`, found `x` | in the parameters of a rule of `f` | help: write `(` here
//> error[ADC0105] 28:10-28:11 expected the name of a function, found `(` | in a `rule` | help: write the name of a function here

// test: tree
// What is read of a file with mistakes: the names stay known.
fn f(x: f64 in (0, 1], y: f64 in [0, 1 1), z: f64) -> f64 {
    let a = ];
    let b = a + ;
    if a > { b } else { c }
    let c = 3;
    c
}
fn g(x: f64 in (0, 1]) -> f64 { x }

//> error[ADC0105] 3:40-3:41 expected an operator, `]` or `)`, found `1` | in an interval | help: write an operator, `]` or `)` here
//> error[ADC0105] 4:13-4:14 expected an expression, found `]` | no expression starts with this | help: write a number, a name, `(…)`, `[…]`, `{ … }` or `if … { … } else { … }`
//> error[ADC0105] 5:17-5:18 expected an expression, found `;` | no expression starts with this | help: write a number, a name, `(…)`, `[…]`, `{ … }` or `if … { … } else { … }`
//> error[ADC0105] 6:18-6:22 expected `{`, found `else` | in a branch of an `if` | help: blocks always have braces: `if c { a } else { b }`
//> fn f  3:1-9:2
//>   param x  3:6-3:22
//>     type f64  3:9-3:12
//>     in (lo, hi]  3:16-3:22
//>       int 0  3:17-3:18
//>       int 1  3:20-3:21
//>   param z  3:44-3:50
//>     type f64  3:47-3:50
//>   result  3:55-3:58
//>     type f64  3:55-3:58
//>   body  3:59-9:2
//>     let  4:5-4:10
//>       name a  4:9-4:10
//>       error  4:5-4:8
//>     let  5:5-5:10
//>       name b  5:9-5:10
//>       error  5:5-5:8
//>     let  7:5-7:14
//>       name c  7:9-7:10
//>       int 3  7:13-7:14
//>     value  8:5-8:6
//>       name c  8:5-8:6
//> fn g  10:1-10:36
//>   param x  10:6-10:22
//>     type f64  10:9-10:12
//>     in (lo, hi]  10:16-10:22
//>       int 0  10:17-10:18
//>       int 1  10:20-10:21
//>   result  10:27-10:30
//>     type f64  10:27-10:30
//>   body  10:31-10:36
//>     value  10:33-10:34
//>       name x  10:33-10:34

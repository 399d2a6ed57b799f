fn f1(x) -> f64 { x }
fn f2(f64 x) -> f64 { x }
fn f3(x: f64 = 1, y: f64) -> f64 { x }
fn f4(mut x: f64) -> f64 { x }
fn f5(x: &f64, y: &mut f64) -> f64 { x }
fn f6(x: [f64; 3], y: f64) -> f64 { x }
fn f7(x: Vec<f64>, y: f64) -> f64 { x }
fn f8(x: f64[], y: f64[:], z: f64[_]) -> f64 { x }
fn f9(x: f64[N][M]) -> f64 { x }
fn f10(x: f64 in 3, y: f64) -> f64 { x }
fn f11(x: f64 in (0 1], y: f64) -> f64 { x }
fn f12(x: f64 in (0..1], y: f64) -> f64 { x }
fn f13(x: f64 in [0, 1, y: f64) -> f64 { x }
fn f14(x: f64; y: f64) -> f64 { x }
fn f15(x: f64 y: f64) -> f64 { x }
fn f16(x: f64, let: f64, jvp: f64) -> f64 { x }
fn f17(f: f64 -> f64) -> f64 { x }
fn f18(f: fn f64 -> f64) -> f64 { x }
fn f19(f: fn(f64)) -> f64 { x }
fn f20(x: 3) -> f64 { x }
fn f21(x: f64 in disk) -> f64 { x }
fn f22(x: f64, y: ) -> f64 { x }
fn f23(#[inline] x: f64) -> f64 { x }
fn f24(x: f64
fn f25(x: f64) -> f64 { x }
fn f26(x: f64, ) -> (f64, { x }
fn f27(x: ()) -> f64 { x }

//> error[ADC0105] 1:7-1:8 parameter `x` has no type | no type | help: write `x: f64`; an array is `x: f64[N]`
//> error[ADC0106] 2:7-2:12 a type in front of a name | the name comes first | help: write `x: f64`
//> error[ADC0106] 3:14-3:15 a parameter with a default value | callers give every argument | help: leave it out; a `const` can hold the usual value
//> error[ADC0106] 4:7-4:10 `mut` before a parameter | parameters are never assigned | help: leave it out; copy it with `var y = x;` to assign it
//> error[ADC0106] 5:10-5:11 there are no references | a reference | help: leave out the `&`: arrays are values, `f64[N]`, and copied only where it matters
//> error[ADC0106] 5:19-5:20 there are no references | a reference | help: leave out the `&`: arrays are values, `f64[N]`, and copied only where it matters
//> error[ADC0106] 6:10-6:11 an array type with its brackets in front | not a type | help: write `f64[N]`, `f64[N, 3]`
//> error[ADC0106] 7:13-7:14 a type with `<` | there are no generic types | help: an array type is written `f64[N]`, a matrix `f64[N, M]`
//> error[ADC0105] 8:14-8:15 expected a size, found `]` | an array type names its sizes | help: declare a dimension: `fn f[N](x: f64[N]) -> …`
//> error[ADC0105] 8:24-8:25 expected a size, found `:` | an array type names its sizes | help: declare a dimension: `fn f[N](x: f64[N]) -> …`
//> error[ADC0105] 8:35-8:36 expected a size, found `_` | an array type names its sizes | help: declare a dimension: `fn f[N](x: f64[N]) -> …`
//> error[ADC0106] 9:16-9:17 an array of arrays | second pair of brackets | help: write all sizes in one: `f64[N, M]`
//> error[ADC0105] 10:18-10:19 expected an interval, found `3` | in a domain | help: for example `in [0, 1]`, `in (0, INF)`, `in disk(2)`
//> error[ADC0105] 11:21-11:22 expected `,` and the upper end, found `1` | in an interval | help: write `,` and the upper end here
//> error[ADC0105] 12:20-12:22 expected `,`, found `..` | in an interval | help: write `[a, b]`, with round brackets for open ends
//> error[ADC0105] 13:23-13:24 expected an operator, `]` or `)`, found `,` | in an interval | help: write an operator, `]` or `)` here
//> error[ADC0105] 14:14-14:15 expected `,` or `)`, found `;` | in the parameters of `f14` | also 14:7-14:8 opened here | help: parameters are written `x: f64, y: f64[N]`
//> error[ADC0105] 15:15-15:16 expected `,` or `)`, found `y` | in the parameters of `f15` | also 15:7-15:8 opened here | help: parameters are written `x: f64, y: f64[N]`
//> error[ADC0111] 16:16-16:19 `let` is a keyword | cannot be the name of a parameter | help: choose another name, `let_` for one
//> error[ADC0111] 16:26-16:29 `jvp` is a derivative operator | cannot be the name of a parameter | help: choose another name, `jvp_` for one
//> error[ADC0105] 17:15-17:17 expected `,` or `)`, found `->` | in the parameters of `f17` | help: a function type is written `fn(f64) -> f64`
//> error[ADC0105] 18:14-18:17 expected `(`, found `f64` | in a function type | help: write its parameters and result: `fn(f64) -> f64`
//> error[ADC0105] 19:18-19:19 expected `->` and the result type, found `)` | in a function type | help: write `->` and the result type here
//> error[ADC0105] 20:11-20:12 expected a type, found `3` | in the parameters of `f20` | help: the types are `bool i64 f32 f64 c64 c128`, arrays of them, `f64[N]`, and `fn(f64) -> f64` for parameters
//> error[ADC0105] 21:22-21:23 expected `(`, found `)` | in a domain like `disk(2)` | help: write `(` here
//> error[ADC0105] 22:19-22:20 expected a type, found `)` | in the parameters of `f22` | help: the types are `bool i64 f32 f64 c64 c128`, arrays of them, `f64[N]`, and `fn(f64) -> f64` for parameters
//> error[ADC0216] 23:8-23:17 `#[inline]` does not belong here | goes on a function | help: put it right before a function, or remove it
//> error[ADC0105] 25:1-25:3 expected `,` or `)`, found `fn` | in the parameters of `f24` | also 24:7-24:8 opened here | help: parameters are written `x: f64, y: f64[N]`
//> error[ADC0105] 26:27-26:28 expected a type, found `{` | in the result of `f26` | help: the types are `bool i64 f32 f64 c64 c128`, arrays of them, `f64[N]`, and `fn(f64) -> f64` for parameters
//> error[ADC0113] 27:11-27:13 a tuple type without parts | nothing inside | help: there is no empty tuple; a tuple has at least two parts

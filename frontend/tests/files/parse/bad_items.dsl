fucntion f1(x: f64) -> f64 { x }
def f2(x: f64) -> f64 { x }
nf f3(x: f64) -> f64 { x }
pub fn f4(x: f64) -> f64 { x }
import numpy;
struct P { x: f64 }
f5(x) = x^2
C = 3;
const D = 3;
let e = 3;
for i in 0..3 { }
test f1 { }
}
cosnt F: f64 = 1;
use other;
use "other.dsl"
extern "C" fn f6(x: f64) -> f64;
extern fn f7(x: f64) -> f64 { x }
extern f8(x: f64) -> f64;
fn f9(x: f64) -> f64;
fn f10(x: f64) -> f64 = x^2;
fn f11(x: f64) { x }
fn f12(x: f64): f64 { x }
fn f13(x: f64) => f64 { x }
fn f14 { 1 }
fn 15(x: f64) -> f64 { x }
fn for(x: f64) -> f64 { x }
fn grad(x: f64) -> f64 { x }
fn f16<N>(x: f64[N]) -> f64 { x }
fn f17[N: i64](x: f64[N]) -> f64 { x }
fn f18[](x: f64) -> () { x }
fn f19() -> f64 in [0, 1] { 1 }
+ 1
#inline
fn f20() -> f64 { 1 }
#[inlin] fn f21() -> f64 { 1 }
#[unknown_thing] fn f22() -> f64 { 1 }
#[fp(quick)] fn f23() -> f64 { 1 }
#[nodiff] fn f24() -> f64 { 1 }
#[inline] const G: f64 = 1;
#[check(second_order)] rule vjp f20(x; g) { g }
fn last() -> f64 { 1 }

//> error[ADC0105] 1:1-1:9 no item starts with `fucntion` | did you mean `fn`? | help: write `fn`
//> error[ADC0106] 2:1-2:4 `def` starts no item | not part of the language | help: functions are written `fn name(x: f64) -> f64 { … }`
//> error[ADC0105] 3:1-3:3 no item starts with `nf` | did you mean `fn`? | help: write `fn`
//> error[ADC0106] 4:1-4:4 `pub` starts no item | not part of the language | help: leave it out: items are `fn f(x: f64) -> f64 { … }` and `const K: f64 = …;`, and other files can use all of them
//> error[ADC0106] 5:1-5:7 `import` starts no item | not part of the language | help: leave it out for built-in functions, they are always there; items of another adc file come with `use "other.dsl";`
//> error[ADC0106] 6:1-6:7 `struct` starts no item | not part of the language | help: there are no user-defined types: the types are `bool i64 f32 f64 c64 c128` and arrays of them
//> error[ADC0105] 7:1-7:3 expected an item, found `f5` | a definition starts with a keyword | help: write `fn f5(x: f64) -> f64 { … }`
//> error[ADC0105] 8:1-8:2 expected an item, found `C` | a definition starts with a keyword | help: write `const C: f64 = …;`
//> error[ADC0105] 9:7-9:8 expected `:`, found `=` | this constant has no type | help: write `const D: f64 = …;`
//> error[ADC0112] 10:1-10:4 `let` outside of functions | a statement | help: write `const e: f64 = …;`
//> error[ADC0112] 11:1-11:4 a statement outside of functions | only items belong here | help: move it into a function: `fn f(x: f64) -> f64 { … }`
//> error[ADC0106] 12:1-12:5 `test` starts no item | not part of the language | help: `check f { … }` compares derivatives of `f` with finite differences
//> error[ADC0110] 13:1-13:2 a `}` that closes nothing | no block is open here | help: remove it, or look for a `}` too many before it
//> error[ADC0105] 14:1-14:6 no item starts with `cosnt` | did you mean `const`? | help: write `const`
//> error[ADC0105] 15:5-15:10 expected a string, found `other` | `use` takes the path of a file | help: write `use "other.dsl";`, relative to this file
//> error[ADC0105] 16:15-16:16 expected `;`, found `extern` | `;` is missing behind a `use` | help: end it with `;`
//> error[ADC0106] 17:8-17:11 an `extern` with a calling convention | there is only one convention | help: write `extern fn f(x: f64) -> f64;`
//> error[ADC0112] 18:29-18:30 an `extern fn` with a body | native code is its body | help: end it with `;`, or drop `extern`
//> error[ADC0105] 19:8-19:10 expected `fn`, found `f8` | in an `extern fn` | help: write `fn` here
//> error[ADC0105] 20:21-20:22 expected `{`, found `;` | `f9` has no body | help: write `{ … }`; a function in native code is declared with `extern fn`
//> error[ADC0105] 21:23-21:24 expected `{`, found `=` | the body of `f10` is a block | help: write it in braces, without `=` and `;`: `{ x^2 }`
//> error[ADC0105] 22:14-22:15 expected `->`, found `{` | `f11` has no result type | help: write `-> f64` behind the parameters, or `-> (f64, f64)`
//> error[ADC0105] 23:15-23:16 expected `->`, found `:` | the result type follows an arrow | help: write `-> f64`
//> error[ADC0105] 24:16-24:18 expected `->`, found `=>` | the result type follows an arrow | help: write `-> f64`
//> error[ADC0105] 25:8-25:9 expected `(`, found `{` | in the declaration of `f14` | help: a function is declared `fn f(x: f64) -> f64 { … }`
//> error[ADC0105] 26:4-26:6 expected the name of a function, found `15` | in a function | help: write the name of a function here
//> error[ADC0111] 27:4-27:7 `for` is a keyword | cannot be the name of a function | help: choose another name, `for_` for one
//> error[ADC0111] 28:4-28:8 `grad` is a derivative operator | cannot be the name of a function | help: choose another name, `grad_` for one
//> error[ADC0106] 29:7-29:8 dimensions in angle brackets | there are no type parameters | help: dimensions go in square brackets: `fn f16[N](x: f64[N]) -> …`
//> error[ADC0105] 30:9-30:10 expected `,` or `]`, found `:` | a dimension has a name and nothing else | help: write `[N]`; dimensions are `i64`
//> error[ADC0113] 31:7-31:9 brackets without dimensions | nothing inside | help: leave them out
//> error[ADC0113] 31:21-31:23 a function without a result | nothing inside | help: a function gives at least one value: `-> f64`
//> error[ADC0112] 32:17-32:19 a domain behind a result | only parameters have domains | help: use `assert c, "text";` in the body
//> error[ADC0105] 33:1-33:2 expected an item, found `+` | no item starts with this | help: items start with `fn`, `extern fn`, `const`, `rule`, `check`, `bench` or `use`
//> error[ADC0106] 34:1-34:2 `#` starts no comment | only `#[…]` | help: comments start with `//`; attributes are written `#[inline]`
//> error[ADC0216] 36:3-36:8 unknown attribute `inlin` | did you mean `inline`? | help: write `inline`
//> error[ADC0216] 37:3-37:16 unknown attribute `unknown_thing` | no attribute of this name | help: there are `allow`, `inline`, `fp`, `nodiff`, `check`, `linear`, `nonlinear`, `checkpoint`
//> error[ADC0216] 38:1-38:13 `#[fp]` with wrong arguments | cannot be read | help: write `#[fp(strict)]`, `#[fp(default)]` or `#[fp(fast)]`
//> error[ADC0216] 39:1-39:10 `#[nodiff]` does not belong here | goes on a parameter | help: put it right before a parameter, or remove it
//> error[ADC0216] 40:1-40:10 `#[inline]` does not belong here | goes on a function | help: put it right before a function, or remove it
//> error[ADC0216] 41:1-41:23 `#[check]` with wrong arguments | cannot be read | help: write `#[check(trust)]` or `#[check(first_order)]`

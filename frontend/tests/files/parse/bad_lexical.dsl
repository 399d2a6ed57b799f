fn f(x: f64) -> f64 {
    let a = 0x1F;
    let b = 2x;
    let c = 1e;
    let d = 1.5.2;
    let e = 3j + 2.5im;
    let f = 1.0f64;
    let g = 99999999999999999999;
    let h = 1e999 + 1e999i;
    let i = .5;
    let j = 2.e3;
    let k = a − b × c ÷ d · e;
    let l = a ≤ b ∧ ¬c;
    let m = x²;
    let n = √x;
    let o = a § ¤¤¤ b;
    let p = 1 $ 2;
    let q = 5_;
    assert x > 0, "no end;
    assert x > 0, "bad \q escape \";
    assert x > 0, "bad \q escape";
    let r = 1i2;
    let s = 3_x;
    x
}
/* never closed /* inner */
fn g() -> f64 { 1 }

//> error[ADC0104] 2:13-2:17 `0x1F` is not a number | only decimal numbers exist | help: write the number in decimal
//> error[ADC0104] 3:13-3:15 `2x` is not a number | letters right after a number | help: a product needs its `*`: `2*x`
//> error[ADC0104] 4:13-4:15 `1e` is not a number | the exponent has no digits | help: write it like `1e-3`
//> error[ADC0104] 5:13-5:18 `1.5.2` is not a number | two points in one number | help: write it like `1.5`; a range is written `a..b`
//> error[ADC0104] 6:13-6:15 `3j` is not a number | an imaginary number ends in `i` | help: write `3i`
//> error[ADC0104] 6:18-6:23 `2.5im` is not a number | an imaginary number ends in `i` | help: write `2.5i`
//> error[ADC0104] 7:13-7:19 `1.0f64` is not a number | a number has no suffix | help: the type comes from where the number is used; convert with `f32(…)`
//> error[ADC0104] 8:13-8:33 `99999999999999999999` does not fit in 64 bits | an integer | help: the largest integer is 9223372036854775807; a real number has a decimal point
//> error[ADC0104] 9:13-9:18 `1e999` is too large | no `f64` is as large | help: infinity is written `INF`
//> error[ADC0104] 9:21-9:27 `1e999i` is too large | no `f64` is as large | help: infinity is written `INF`
//> error[ADC0106] 10:13-10:14 a real starts with a digit | starts with a point | help: write `0.5`
//> error[ADC0106] 11:14-11:15 `.` has no meaning here | not part of the language | help: a digit must follow the point: `2.0e3`
//> error[ADC0101] 12:15-12:16 `−` is not part of the language | no token starts with this | help: minus is written `-`
//> error[ADC0101] 12:19-12:20 `×` is not part of the language | no token starts with this | help: a product is written `*`
//> error[ADC0101] 12:23-12:24 `÷` is not part of the language | no token starts with this | help: a quotient is written `/`, of integers `div(a, b)`
//> error[ADC0101] 12:27-12:28 `·` is not part of the language | no token starts with this | help: a product is written `*`
//> error[ADC0101] 13:15-13:16 `≤` is not part of the language | no token starts with this | help: "at most" is written `<=`
//> error[ADC0101] 13:19-13:20 `∧` is not part of the language | no token starts with this | help: "and" is written `&&`
//> error[ADC0101] 13:21-13:22 `¬` is not part of the language | no token starts with this | help: "not" is written `!`
//> error[ADC0101] 14:14-14:15 `²` is not part of the language | no token starts with this | help: a square is written `x^2`
//> error[ADC0101] 15:13-15:14 `√` is not part of the language | no token starts with this | help: the square root is written `sqrt(x)`
//> error[ADC0101] 16:15-16:16 `§` is not part of the language | no token starts with this | help: remove it; names consist of letters, digits and `_`
//> error[ADC0101] 16:17-16:20 `¤¤¤` is not part of the language | no token starts with this | help: remove it; names consist of letters, digits and `_`
//> error[ADC0101] 17:15-17:16 `$` is not part of the language | no token starts with this | help: a name is written with letters, digits and `_`
//> error[ADC0103] 19:19-19:27 this string has no end | no `"` on the rest of the line | help: close it with `"`; a line end inside is written `\n`
//> error[ADC0103] 20:19-20:37 this string has no end | no `"` on the rest of the line | help: close it with `"`; a line end inside is written `\n`
//> error[ADC0109] 20:24-20:26 `\q` is not an escape | in this string | help: the escapes are `\"`, `\\`, `\n`, `\t`; a backslash itself is `\\`
//> error[ADC0109] 21:24-21:26 `\q` is not an escape | in this string | help: the escapes are `\"`, `\\`, `\n`, `\t`; a backslash itself is `\\`
//> error[ADC0104] 22:13-22:16 `1i2` is not a number | cannot be read as a number | help: numbers are written `12`, `1_000`, `1.5`, `2.`, `1e-3`, `2.5i`
//> error[ADC0104] 23:13-23:16 `3_x` is not a number | letters right after a number | help: a product needs its `*`: `3*_x`
//> error[ADC0102] 26:1-26:3 this comment has no end | opened here | help: each `/*` needs its own `*/`, also inside another comment

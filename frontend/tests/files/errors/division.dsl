

// --- literals alone
fn f() -> f64 { let h = 1/2; 1 }

//> error[ADC0206]: `/` between integers
//>   ^ 2:25-2:28 `1/2`: both sides are integers
//>   = help: write `1.0/2` for a real quotient, `div(1, 2)` for its floor

// --- integers
fn f(n: i64, m: i64) -> i64 { let a = n/m; let b = n/2; n /= 2; a }

//> error[ADC0206]: `/` between integers
//>   ^ 2:39-2:42 `n/m`: both sides are integers
//>   = help: write `f64(n)/f64(m)` for a real quotient, `div(n, m)` for its floor
//> error[ADC0206]: `/` between integers
//>   ^ 2:52-2:55 `n/2`: both sides are integers
//>   = help: write `f64(n)/f64(2)` for a real quotient, `div(n, 2)` for its floor
//> error[ADC0207]: `n` cannot be assigned
//>   ^ 2:57-2:58 `n`: assigned here
//>   - 2:6-2:7 `n`: a parameter
//>   = help: copy it to a variable first: `var n = n;`

// --- in an exponent and in a conversion, which unify with nothing
fn f(x: f64) -> f64 { x^(1/2) + f64(1/2)*x }

//> error[ADC0206]: `/` between integers
//>   ^ 2:25-2:30 `(1/2)`: both sides are integers
//>   = help: write `1.0/2` for a real quotient, `div(1, 2)` for its floor
//> error[ADC0206]: `/` between integers
//>   ^ 2:37-2:40 `1/2`: both sides are integers
//>   = help: write `1.0/2` for a real quotient, `div(1, 2)` for its floor

// --- a variable that stays an integer
fn f(x: f64) -> f64 { var s = 1; s /= 2; x }

//> error[ADC0206]: `/` between integers
//>   ^ 2:34-2:40 `s /= 2`: both sides are integers
//>   = help: write `s/2.0` for a real quotient, `div(s, 2)` for its floor

// --- a constant
const H: i64 = 1/2;

//> error[ADC0206]: `/` between integers
//>   ^ 2:16-2:19 `1/2`: both sides are integers
//>   = help: write `1.0/2` for a real quotient, `div(1, 2)` for its floor

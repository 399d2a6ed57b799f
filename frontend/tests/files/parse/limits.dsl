fn f(x: f64) -> f64 {
    ((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((x
}

//> error[ADC0601] 2:132-2:133 nesting is deeper than 128 levels | the limit is reached here | help: give parts of the expression names with `let`, or move them to functions of their own

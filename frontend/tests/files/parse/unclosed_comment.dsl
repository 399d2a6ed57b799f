fn f(x: f64) -> f64 {
    x /* + 1
}

//> error[ADC0102] 2:7-2:9 this comment has no end | opened here | help: each `/*` needs its own `*/`, also inside another comment

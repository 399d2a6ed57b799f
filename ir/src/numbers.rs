//! Numbers as people read them.

/// The shortest decimal that reads back to `x`: with an exponent from 1e16 up and below 1e-5, and without a `.0`.
pub fn real(x: f64) -> String {
    shown(format!("{x:?}"), x.abs() >= 1e-5 && x.abs() < 1e-4, || x.to_string())
}

/// As [`real`], in single precision.
pub fn single(x: f32) -> String {
    shown(format!("{x:?}"), x.abs() >= 1e-5 && x.abs() < 1e-4, || x.to_string())
}

/// The debug form has an exponent below 1e-4.
fn shown(debug: String, plain: bool, decimal: impl Fn() -> String) -> String {
    if plain { decimal() } else { debug.trim_end_matches(".0").to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponents_begin_where_zeros_would_fill_the_line() {
        let cases = [
            (1e15, "1000000000000000"),
            (1e16, "1e16"),
            (1e-4, "0.0001"),
            (1.5e-5, "0.000015"),
            (9e-6, "9e-6"),
            (-1e-30, "-1e-30"),
            (1e300, "1e300"),
            (2.0, "2"),
            (-0.0, "-0"),
            (f64::INFINITY, "inf"),
        ];
        for (x, text) in cases {
            assert_eq!(real(x), text);
            assert!(text == "inf" || text.parse() == Ok(x));
        }
        assert_eq!((single(1e-30), single(0.1)), ("1e-30".to_string(), "0.1".to_string()));
    }
}

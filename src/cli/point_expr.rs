//! Small expressions in points: numbers, `pi`, `+ - * / ^` and parentheses.

use num_complex::Complex64;

/// Deeper expressions are no points.
const MAX_DEPTH: usize = 32;

/// The value of an expression; `None` if it is none.
pub(super) fn value(text: &str) -> Option<Complex64> {
    let mut p = Parser { rest: text.trim(), depth: 0 };
    let z = p.sum()?;
    p.rest.is_empty().then_some(z)
}

struct Parser<'t> {
    rest: &'t str,
    depth: usize,
}

impl Parser<'_> {
    fn eat(&mut self, c: char) -> bool {
        let found = self.rest.strip_prefix(c);
        if let Some(rest) = found {
            self.rest = rest.trim_start();
        }
        found.is_some()
    }

    fn sum(&mut self) -> Option<Complex64> {
        let mut z = self.product()?;
        loop {
            if self.eat('+') {
                z += self.product()?;
            } else if self.eat('-') {
                z -= self.product()?;
            } else {
                return Some(z);
            }
        }
    }

    fn product(&mut self) -> Option<Complex64> {
        let mut z = self.signed()?;
        loop {
            if self.eat('*') {
                z = times(z, self.signed()?);
            } else if self.eat('/') {
                z = over(z, self.signed()?);
            } else {
                return Some(z);
            }
        }
    }

    /// A sign binds less tightly than a power, as in the language.
    fn signed(&mut self) -> Option<Complex64> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return None;
        }
        let z = if self.eat('-') { self.signed().map(|z| -z) } else { self.power() };
        self.depth -= 1;
        z
    }

    fn power(&mut self) -> Option<Complex64> {
        let base = self.atom()?;
        if !self.eat('^') {
            return Some(base);
        }
        let exponent = self.signed()?;
        let real = base.im == 0.0 && exponent.im == 0.0;
        Some(if real { base.re.powf(exponent.re).into() } else { base.powc(exponent) })
    }

    fn atom(&mut self) -> Option<Complex64> {
        if self.eat('(') {
            let z = self.sum()?;
            return self.eat(')').then_some(z);
        }
        let text = self.rest;
        let digits = |c: char| c.is_ascii_digit() || matches!(c, '.' | '_');
        let mut end = text.find(|c| !digits(c)).unwrap_or(text.len());
        if end == 0 {
            let end = text.find(|c: char| !c.is_alphanumeric()).unwrap_or(text.len());
            self.rest = text[end..].trim_start();
            return match &text[..end] {
                "pi" | "PI" | "Pi" | "π" => Some(std::f64::consts::PI.into()),
                "E" => Some(std::f64::consts::E.into()),
                "inf" | "INF" | "Inf" => Some(f64::INFINITY.into()),
                "i" => Some(Complex64::I),
                _ => None,
            };
        }
        // An exponent, with its sign.
        if let Some(after) = text[end..].strip_prefix(['e', 'E']) {
            let digits = after.strip_prefix(['+', '-']).unwrap_or(after);
            let count = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
            if count > 0 {
                end = text.len() - digits.len() + count;
            }
        }
        let x: f64 = text[..end].replace('_', "").parse().ok()?;
        let (z, rest) = match text[end..].strip_prefix('i') {
            Some(rest) => (Complex64::new(0.0, x), rest),
            None => (x.into(), &text[end..]),
        };
        self.rest = rest.trim_start();
        Some(z)
    }
}

/// A real factor leaves the parts apart.
fn times(a: Complex64, b: Complex64) -> Complex64 {
    match (a.im == 0.0, b.im == 0.0) {
        (true, _) => b * a.re,
        (_, true) => a * b.re,
        _ => a * b,
    }
}

fn over(a: Complex64, b: Complex64) -> Complex64 {
    if b.im == 0.0 { a / b.re } else { a / b }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_of_points() {
        let pi = std::f64::consts::PI;
        let cases = [
            ("1/2", (0.5, 0.0)),
            ("pi", (pi, 0.0)),
            ("1e3*2", (2000.0, 0.0)),
            ("-pi/2", (-pi / 2.0, 0.0)),
            ("2*pi*(1 - 1/4)", (1.5 * pi, 0.0)),
            ("-2^2", (-4.0, 0.0)),
            ("2^-1", (0.5, 0.0)),
            ("1 - 1e-3", (0.999, 0.0)),
            ("pi/2 + 1i", (pi / 2.0, 1.0)),
            ("2*(1+i)", (2.0, 2.0)),
            ("1_000", (1000.0, 0.0)),
        ];
        for (text, (re, im)) in cases {
            assert_eq!(value(text), Some(Complex64::new(re, im)), "{text}");
        }
        for text in ["", "x", "1+", "(1", "1)", "2pi", "1//2", "e", &"(".repeat(100), &"-".repeat(100)] {
            assert_eq!(value(text), None, "{text}");
        }
    }
}

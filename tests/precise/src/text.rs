//! Decimal strings.

use crate::big::Big;
use std::fmt;
use std::str::FromStr;

impl fmt::Display for Big {
    /// Scientific notation with as many significant digits as the format's precision, 30 by default.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.is_negative() { "-" } else { "" };
        let Some(exponent) = self.exponent() else {
            let name = if self.is_nan() {
                "NaN"
            } else if self.is_infinite() {
                "inf"
            } else {
                "0"
            };
            return write!(f, "{sign}{name}");
        };
        let digits = f.precision().unwrap_or(30).max(1) as i64;
        let ten = Big::from(10.0);
        let mut power = ((exponent - 1) as f64 * std::f64::consts::LOG10_2).floor() as i64;
        let mut x = self.abs() * ten.powi(-power);
        if x < Big::ONE {
            (x, power) = (x * ten, power - 1);
        }
        x = x + Big::from(5.0) * ten.powi(-digits);
        if x >= ten {
            (x, power) = (x / ten, power + 1);
        }
        let mut text = String::new();
        for _ in 0..digits {
            let digit = x.floor();
            text.push_str(&digit.to_i64().to_string());
            x = (x - digit) * ten;
        }
        text.insert(1, '.');
        write!(f, "{sign}{}e{power}", text.trim_end_matches('0').trim_end_matches('.'))
    }
}

impl fmt::Debug for Big {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A string that is no decimal number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotANumber;

impl FromStr for Big {
    type Err = NotANumber;

    /// Digits with an optional sign, point and exponent; `inf`, `nan`. Right to a few units of the last
    /// place.
    fn from_str(s: &str) -> Result<Big, NotANumber> {
        let (negative, s) = match s.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, s.strip_prefix('+').unwrap_or(s)),
        };
        match s {
            "inf" => return Ok(Big::INFINITY.with_sign(negative)),
            "nan" => return Ok(Big::NAN),
            _ => {}
        }
        let (digits, mut power) = match s.split_once(['e', 'E']) {
            Some((digits, e)) => (digits, e.parse::<i64>().map_err(|_| NotANumber)?),
            None => (s, 0),
        };
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        power -= fraction.len() as i64;
        if whole.len() + fraction.len() == 0 {
            return Err(NotANumber);
        }
        let mut x = Big::ZERO;
        for c in whole.chars().chain(fraction.chars()) {
            let digit = c.to_digit(10).ok_or(NotANumber)?;
            x = x.mul_int(10) + Big::from(digit as i64);
        }
        let ten = Big::from(10.0);
        let x = if power < 0 { x / ten.powi(-power) } else { x * ten.powi(power) };
        Ok(x.with_sign(negative))
    }
}

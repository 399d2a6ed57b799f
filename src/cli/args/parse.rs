//! Values of flags.

use adc_ir::Mode;
use adc_simplify::OptLevel;
use std::hash::{BuildHasher, Hasher, RandomState};

/// The value of `--seed`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Seed {
    pub(crate) number: u64,
    /// Whether it was drawn just now, so that the report has to print it.
    pub(crate) drawn: bool,
}

/// A number, or `random`: a different one each time, short enough to be typed again.
pub(super) fn seed(text: &str) -> Result<Seed, String> {
    match text {
        "random" => Ok(Seed { number: RandomState::new().build_hasher().finish() >> 40, drawn: true }),
        _ => match text.parse() {
            Ok(number) => Ok(Seed { number, drawn: false }),
            Err(_) => Err("expected a number or `random`".to_string()),
        },
    }
}

pub(super) fn mode(text: &str) -> Result<Mode, String> {
    Mode::from_name(text).ok_or_else(|| "expected slow, fast, forward or gradgrad".to_string())
}

pub(super) fn dim(text: &str) -> Result<(String, i64), String> {
    let parsed =
        text.split_once('=').and_then(|(name, n)| Some((name.trim(), n.trim().parse::<i64>().ok()?)));
    match parsed {
        Some((name, n)) if n >= 0 && !name.is_empty() => Ok((name.to_string(), n)),
        _ => Err("expected dimensions like `N=40,D=5`".to_string()),
    }
}

/// `4096`, `64KiB`, `1.5 GiB`
pub(super) fn bytes(text: &str) -> Result<u64, String> {
    const UNITS: [(&str, f64); 7] = [
        ("KiB", 1024.0),
        ("MiB", 1048576.0),
        ("GiB", 1073741824.0),
        ("kB", 1e3),
        ("MB", 1e6),
        ("GB", 1e9),
        ("B", 1.0),
    ];
    let text = text.trim();
    let unit = UNITS.iter().find(|(name, _)| text.ends_with(name));
    let number = unit.map_or(text, |(name, _)| text[..text.len() - name.len()].trim());
    match number.parse::<f64>() {
        Ok(x) if x >= 0.0 && x.is_finite() => Ok((x * unit.map_or(1.0, |(_, size)| *size)) as u64),
        _ => Err("expected a size like `4096`, `64KiB`, `1.5GiB`".to_string()),
    }
}

pub(super) fn opt_level(text: &str) -> Result<OptLevel, String> {
    text.parse().ok().and_then(OptLevel::from_number).ok_or_else(|| "expected 0, 1, 2 or 3".to_string())
}

pub(super) fn positive(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(x) if x > 0.0 && x.is_finite() => Ok(x),
        _ => Err("expected a positive number".to_string()),
    }
}

/// A number that is not negative.
pub(super) fn percent(text: &str) -> Result<f64, String> {
    match text.trim_end_matches('%').parse::<f64>() {
        Ok(x) if x >= 0.0 && x.is_finite() => Ok(x),
        _ => Err("expected a number of percent, as `5`".to_string()),
    }
}

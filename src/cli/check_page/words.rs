//! Numbers and sentences of the page.

use adc_checker::{Entry, Status, StepCurve, Verdict};

/// Four significant digits.
pub(super) fn brief(x: f64) -> String {
    match x.abs() {
        0.0 => "0".to_string(),
        a if (1e-3..1e5).contains(&a) => {
            let digits = (3 - a.log10().floor() as i32).max(0) as usize;
            format!("{x:.digits$}")
        }
        _ if x.is_finite() => format!("{x:.3e}"),
        _ => crate::cli::point::real_text(x),
    }
}

/// An error over its tolerance.
pub(super) fn ratio(x: f64) -> String {
    match x {
        0.0 => "0".to_string(),
        x if (0.01..99.5).contains(&x) => format!("{x:.2}"),
        x if x.is_finite() => format!("{x:.0e}"),
        x => crate::cli::point::real_text(x),
    }
}

/// All digits.
pub(super) fn full(x: Option<f64>) -> String {
    x.map_or("–".to_string(), crate::cli::point::real_text)
}

/// The word of a status, and its style class.
pub(super) fn status(s: Status) -> (&'static str, &'static str) {
    match s {
        Status::Ok => ("ok", "pass"),
        Status::Kink => ("kink", "pass"),
        Status::Warned => ("warn", "warn"),
        Status::Unsure => ("unsure", "warn"),
        Status::Failed => ("FAIL", "fail"),
        Status::Interrupted => ("stop", "warn"),
        Status::Error => ("error", "fail"),
    }
}

/// The description of a step curve.
pub(super) fn about(curve: &StepCurve) -> String {
    let e = &curve.entry;
    let name = e.name(true);
    let (Some(own), Some(fd)) = (wrong(e), e.fd) else {
        return format!("{name}: there is no difference to compare with.");
    };
    let off = brief((own - fd).abs());
    match e.status {
        Verdict::Wrong | Verdict::Inconsistent => format!(
            "As the step shrinks, differences of {name} converge to {} (those in double precision until rounding takes \
             over); adc's derivative, {}, stays {off} away. The derivative is wrong, not the difference.",
            brief(fd),
            brief(own)
        ),
        Verdict::Ok => format!(
            "Differences of {name} converge to {}, and adc's derivative is {off} away from that: within the tolerance, {}.",
            brief(fd),
            brief(e.tol)
        ),
        status => format!("{name} is {}: {}.", status.word(), status.info().meaning),
    }
}

/// The derivative of an entry that is further from the difference.
fn wrong(e: &Entry) -> Option<f64> {
    let off = |x: &f64| e.fd.map_or(0.0, |fd| (x - fd).abs());
    [e.vjp, e.jvp].into_iter().flatten().max_by(|a, b| off(a).total_cmp(&off(b)))
}

//! Offsets at which the slopes of an entry are taken: inside the declared domain.

use crate::coordinates::Part;
use adc_ir::ParamDomain;
use num_complex::Complex64;

/// The widest offset, as a part of the input's scale. A shadow has a relative error of some 2⁻¹⁰⁴, so that steps as small
/// as this leave 60 bits of a slope. Kinks and poles are rarely that near, and truncation is of the order of 2⁻⁸⁰.
pub(crate) const STEP: f64 = 1.0 / (1u64 << 40) as f64;
/// Lower bound of the scale of an input.
const SMALLEST_SCALE: f64 = 1.0 / 1024.0;
/// If the distance to an edge of the domain is less than this part of the step, offsets are one-sided.
const ONE_SIDED: f64 = 1.0 / 64.0;

/// Four offsets, and how to interpret the slopes at them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Offsets {
    pub at: [f64; 4],
    pub aside: bool,
}

/// The scale over which an input of this magnitude varies: a power of two near it.
pub(crate) fn scale(magnitude: f64) -> f64 {
    let x = if magnitude.is_finite() { magnitude.max(SMALLEST_SCALE) } else { 1.0 };
    // The exponent alone.
    f64::from_bits(x.to_bits() & 0x7ff0_0000_0000_0000)
}

/// The same without a lower bound: near a pole or a root, a function may vary over the size of a nonzero number.
pub(crate) fn own_scale(magnitude: f64) -> f64 {
    match magnitude.is_finite() && magnitude > 0.0 {
        true => f64::from_bits(magnitude.max(f64::MIN_POSITIVE).to_bits() & 0x7ff0_0000_0000_0000),
        false => scale(magnitude),
    }
}

/// Offsets +h, −h, +h/4, −h/4; smaller ones near an edge; h, 2h, h/4, h/2 away from it at an edge. `None` if the domain has
/// no points along the part (the rim of a disk).
pub(crate) fn offsets(domain: Option<ParamDomain>, part: Part, z: Complex64, h: f64) -> Option<Offsets> {
    let central = |h: f64| Some(Offsets { at: [h, -h, h / 4.0, -h / 4.0], aside: false });
    let aside = |h: f64| Some(Offsets { at: [h, 2.0 * h, h / 4.0, h / 2.0], aside: true });
    let Some(domain) = domain else { return central(h) };
    let moved = |t: f64| match part {
        Part::Whole | Part::Re => Complex64::new(z.re + t, z.im),
        Part::Im => Complex64::new(z.re, z.im + t),
    };
    // Twice the offset: ends may be open, and displaced points are rounded.
    let inside = |t: f64| domain.contains(moved(2.0 * t));
    if inside(h) && inside(-h) {
        return central(h);
    }
    let mut room = h;
    while room > h * ONE_SIDED {
        room /= 2.0;
        if inside(room) && inside(-room) {
            return central(room);
        }
    }
    match (inside(2.0 * h), inside(-2.0 * h)) {
        (true, _) => aside(h),
        (false, true) => aside(-h),
        (false, false) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_stay_in_the_domain() {
        let unit = Some(ParamDomain::Interval { lo: 0.0, hi: 1.0, lo_closed: false, hi_closed: true });
        let h = 1e-3;
        let at = |x: f64| offsets(unit, Part::Whole, Complex64::new(x, 0.0), h).expect("room");
        assert_eq!(at(0.5), Offsets { at: [h, -h, h / 4.0, -h / 4.0], aside: false });
        assert_eq!(at(1.0), Offsets { at: [-h, -2.0 * h, -h / 4.0, -h / 2.0], aside: true });
        let near = at(5e-4);
        assert!(!near.aside && near.at.iter().all(|t| 5e-4 + t > 0.0), "{near:?}");
        assert!(at(1e-9).aside);
        let disk = Some(ParamDomain::Annulus { r0: 0.0, r1: 1.0 });
        assert_eq!(offsets(disk, Part::Im, Complex64::new(1.0, 0.0), h), None);
        assert!(
            offsets(disk, Part::Re, Complex64::new(1.0, 0.0), h).is_some_and(|o| o.aside && o.at[0] < 0.0)
        );
    }

    #[test]
    fn scales_are_powers_of_two() {
        assert_eq!(
            (scale(0.0), scale(5.0), scale(1e-20), scale(f64::NAN)),
            (1.0 / 1024.0, 4.0, 1.0 / 1024.0, 1.0)
        );
        assert_eq!(
            (own_scale(0.0), own_scale(5.0), own_scale(2f64.powi(-99) * 1.5), own_scale(f64::NAN)),
            (1.0 / 1024.0, 4.0, 2f64.powi(-99), 1.0)
        );
    }
}

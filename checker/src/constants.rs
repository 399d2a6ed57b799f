//! A function with its constants changed by rounding: how much a derivative depends on constants that differentiation
//! computed and rounded, such as 2/√π or an exponent less 1.

use adc_ir::*;

/// Constants with fewer significant bits are exact.
const SHORT: u32 = 24;

/// The ways in which constants are changed: an effect that cancels in one of them does not cancel in all.
pub(crate) const PATTERNS: usize = 3;

/// A version of `f` in which every constant that fills its precision is changed by a unit in the last place, up or down as
/// the pattern says. `None` if there is no such constant.
pub(crate) fn run(m: &mut Module, f: FuncId, pattern: usize) -> Option<FuncId> {
    let versions = m.copy_reachable(f, ".rounded", |g| g.region().is_some());
    let mut changed = Changed { pattern, count: 0 };
    for version in &versions {
        let copy = &mut m.funcs[version.0 as usize];
        copy.rules.clear();
        if let Body::Region(body) = &mut copy.body {
            region(body, &mut changed);
        }
    }
    (changed.count > 0).then(|| versions[0])
}

struct Changed {
    pattern: usize,
    count: usize,
}

impl Changed {
    /// The direction of the next constant: it alternates after one, two or four constants.
    fn next(&mut self) -> f64 {
        self.count += 1;
        if (self.count >> self.pattern).is_multiple_of(2) { 1.0 } else { -1.0 }
    }
}

fn region(region_: &mut Region, changed: &mut Changed) {
    for inst in &mut region_.insts {
        inst.regions.iter_mut().for_each(|r| region(r, changed));
        if let Kind::Const(c) = &mut inst.kind {
            *c = off(*c, changed);
        }
    }
}

/// The constant, changed by a unit in the last place.
fn off(c: Const, changed: &mut Changed) -> Const {
    let ty = c.scalar();
    if !ty.is_float() {
        return c;
    }
    let (epsilon, bits) = if ty.is_single() { (f32::EPSILON as f64, 12) } else { (f64::EPSILON, SHORT) };
    let mut part = |x: f64| {
        if !x.is_finite() || x.to_bits().trailing_zeros() >= 52 - bits {
            return x;
        }
        x * (1.0 + changed.next() * epsilon)
    };
    let z = c.to_c128();
    Const::from_c128(num_complex::Complex64::new(part(z.re), part(z.im)), ty)
}

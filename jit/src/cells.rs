//! The memory format of arguments and results.
//!
//! Cells: `bool i64 f32 f64 c64` take one `u64` (`f32` in the low half; `c64` with the real part low and the
//! imaginary part high; `bool` is 0 or 1), `c128` takes two, real part first. Parameters and results lie in order.
//! An array is the address of its elements, native and row-major. The caller puts the address of where it wants an
//! array into its result's cell, unless only the callee knows the size: then the callee puts it there, and what is at it is
//! valid until the workspace is used again.

use adc_ir::{Const, Scalar, Type};
use num_complex::{Complex32, Complex64};

/// Number of cells a value of type `ty` takes.
#[inline]
pub fn cells_of(ty: Type) -> usize {
    if ty.is_array() {
        return 1;
    }
    match ty.scalar() {
        Scalar::Bool | Scalar::I64 | Scalar::F32 | Scalar::F64 | Scalar::C64 => 1,
        Scalar::C128 => 2,
    }
}

/// Writes the cells of `c` to the first of `cells`, and returns how many there are.
///
/// # Panics
/// If there are fewer.
#[inline]
pub fn write(c: Const, cells: &mut [u64]) -> usize {
    cells[0] = match c {
        Const::Bool(b) => b as u64,
        Const::I64(n) => n as u64,
        Const::F32(x) => x.to_bits() as u64,
        Const::F64(x) => x.to_bits(),
        Const::C64(z) => z.re.to_bits() as u64 | (z.im.to_bits() as u64) << 32,
        Const::C128(z) => {
            cells[1] = z.im.to_bits();
            z.re.to_bits()
        }
    };
    cells_of(Type::Scalar(c.scalar()))
}

/// Appends the cells of `c`.
#[inline]
pub fn encode(c: Const, cells: &mut Vec<u64>) {
    let at = cells.len();
    cells.resize(at + cells_of(Type::Scalar(c.scalar())), 0);
    write(c, &mut cells[at..]);
}

/// The value of type `ty` in the first [`cells_of`] of `cells`.
///
/// # Panics
/// If there are fewer.
#[inline]
pub fn decode(ty: Type, cells: &[u64]) -> Const {
    let low = |x: u64| f32::from_bits(x as u32);
    match ty.scalar() {
        Scalar::Bool => Const::Bool(cells[0] as u8 != 0),
        Scalar::I64 => Const::I64(cells[0] as i64),
        Scalar::F32 => Const::F32(low(cells[0])),
        Scalar::F64 => Const::F64(f64::from_bits(cells[0])),
        Scalar::C64 => Const::C64(Complex32::new(low(cells[0]), low(cells[0] >> 32))),
        Scalar::C128 => Const::C128(Complex64::new(f64::from_bits(cells[0]), f64::from_bits(cells[1]))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_round_trip() {
        let consts = [
            Const::Bool(true),
            Const::I64(i64::MIN),
            Const::F32(-0.0),
            Const::F64(f64::INFINITY),
            Const::C64(Complex32::new(1.5, -2.5)),
            Const::C128(Complex64::new(-0.0, 3.0)),
        ];
        let mut cells = Vec::new();
        for c in consts {
            cells.clear();
            encode(c, &mut cells);
            let ty = Type::Scalar(c.scalar());
            assert_eq!(cells.len(), cells_of(ty));
            assert_eq!(decode(ty, &cells), c);
        }
    }
}

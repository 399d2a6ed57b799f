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

/// Numbers of Rust in their cells.
pub trait Cells: Copy {
    /// How many it takes.
    const COUNT: usize;

    /// Writes it to the first of `cells`.
    ///
    /// # Panics
    /// If there are fewer than [`Self::COUNT`].
    fn write(self, cells: &mut [u64]);

    /// Reads it from the first of `cells`.
    ///
    /// # Panics
    /// If there are fewer than [`Self::COUNT`].
    fn read(cells: &[u64]) -> Self;
}

macro_rules! cells {
    ($($rust:ty, $count:literal, |$x:ident| [$($cell:expr),+], |$c:ident| $value:expr;)*) => {$(
        impl Cells for $rust {
            const COUNT: usize = $count;

            #[inline]
            fn write(self, cells: &mut [u64]) {
                let $x = self;
                cells[..$count].copy_from_slice(&[$($cell),+]);
            }

            #[inline]
            fn read($c: &[u64]) -> $rust {
                $value
            }
        }
    )*};
}

/// A cell for itself. Where two are loaded as a vector that were just stored one by one, the processor waits until both are in its
/// cache, which takes as long as a small function.
#[inline]
fn alone(cell: &u64) -> u64 {
    // SAFETY: it is a reference to a number.
    unsafe { std::ptr::from_ref(cell).read_volatile() }
}

cells! {
    bool, 1, |b| [b as u64], |c| alone(&c[0]) as u8 != 0;
    i64, 1, |n| [n as u64], |c| alone(&c[0]) as i64;
    f32, 1, |x| [x.to_bits() as u64], |c| f32::from_bits(alone(&c[0]) as u32);
    f64, 1, |x| [x.to_bits()], |c| f64::from_bits(alone(&c[0]));
    Complex32, 1, |z| [z.re.to_bits() as u64 | (z.im.to_bits() as u64) << 32], |c| {
        let cell = alone(&c[0]);
        Complex32::new(f32::from_bits(cell as u32), f32::from_bits((cell >> 32) as u32))
    };
    Complex64, 2, |z| [z.re.to_bits(), z.im.to_bits()],
        |c| Complex64::new(f64::from_bits(alone(&c[0])), f64::from_bits(alone(&c[1])));
}

/// Appends the cells of `c`.
#[inline]
pub fn encode(c: Const, cells: &mut Vec<u64>) {
    fn push<T: Cells>(x: T, cells: &mut Vec<u64>) {
        let at = cells.len();
        cells.resize(at + T::COUNT, 0);
        x.write(&mut cells[at..]);
    }
    match c {
        Const::Bool(b) => push(b, cells),
        Const::I64(n) => push(n, cells),
        Const::F32(x) => push(x, cells),
        Const::F64(x) => push(x, cells),
        Const::C64(z) => push(z, cells),
        Const::C128(z) => push(z, cells),
    }
}

/// The value of type `ty` in the first [`cells_of`] of `cells`.
///
/// # Panics
/// If there are fewer.
#[inline]
pub fn decode(ty: Type, cells: &[u64]) -> Const {
    match ty.scalar() {
        Scalar::Bool => Const::Bool(Cells::read(cells)),
        Scalar::I64 => Const::I64(Cells::read(cells)),
        Scalar::F32 => Const::F32(Cells::read(cells)),
        Scalar::F64 => Const::F64(Cells::read(cells)),
        Scalar::C64 => Const::C64(Cells::read(cells)),
        Scalar::C128 => Const::C128(Cells::read(cells)),
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

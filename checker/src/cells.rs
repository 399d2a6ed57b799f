//! Real coordinates among the cells that compiled functions take and return.

use crate::coordinates::{Coordinate, Part};
use adc_ir::{Const, Scalar, Type};
use adc_jit::{cells_of, encode};
use num_complex::Complex64;

/// A real coordinate with its place among the cells of a program's arguments or results.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub coordinate: Coordinate,
    pub cell: usize,
    pub ty: Scalar,
}

/// Where the real coordinates lie among the cells that the values at `positions` take from `start` on.
pub(crate) fn places(
    coordinates: &[Coordinate],
    positions: &[usize],
    types: &[Scalar],
    start: usize,
) -> Vec<Place> {
    let cell = |index: usize| {
        let before = positions.iter().take_while(|p| **p != index);
        start + before.map(|p| cells_of(Type::Scalar(types[*p]))).sum::<usize>()
    };
    coordinates
        .iter()
        .map(|&coordinate| Place { coordinate, cell: cell(coordinate.index), ty: types[coordinate.index] })
        .collect()
}

/// Writes the arguments to the first cells.
pub(crate) fn load(cells: &mut [u64], inputs: &[Const]) {
    let mut at = 0;
    for c in inputs {
        at += put(&mut cells[at..], *c);
    }
}

/// As [`load`], in double precision; returns the number of cells.
pub(crate) fn load_doubles(cells: &mut [u64], inputs: &[Const]) -> usize {
    let mut at = 0;
    for c in inputs {
        at += put(&mut cells[at..], to_double(*c));
    }
    at
}

pub(crate) fn to_double(c: Const) -> Const {
    match c {
        Const::F32(x) => Const::F64(x as f64),
        Const::C64(z) => Const::C128(Complex64::new(z.re as f64, z.im as f64)),
        Const::Bool(_) | Const::I64(_) | Const::F64(_) | Const::C128(_) => c,
    }
}

fn put(cells: &mut [u64], c: Const) -> usize {
    match c {
        Const::F64(x) => {
            cells[0] = x.to_bits();
            1
        }
        Const::C128(z) => {
            cells[..2].copy_from_slice(&[z.re.to_bits(), z.im.to_bits()]);
            2
        }
        Const::Bool(_) | Const::I64(_) | Const::F32(_) | Const::C64(_) => {
            let mut one = Vec::with_capacity(1);
            encode(c, &mut one);
            cells[0] = one[0];
            1
        }
    }
}

/// Sets the values at `places` to zero.
pub(crate) fn clear(cells: &mut [u64], places: &[Place]) {
    for p in places {
        cells[p.cell] = 0;
        if p.ty == Scalar::C128 {
            cells[p.cell + 1] = 0;
        }
    }
}

/// Sets one coordinate.
pub(crate) fn write(cells: &mut [u64], p: &Place, x: f64) {
    let imaginary = p.coordinate.part == Part::Im;
    match p.ty {
        Scalar::F64 => cells[p.cell] = x.to_bits(),
        Scalar::C128 => cells[p.cell + imaginary as usize] = x.to_bits(),
        Scalar::F32 => cells[p.cell] = (x as f32).to_bits() as u64,
        Scalar::C64 => {
            let shift = if imaginary { 32 } else { 0 };
            cells[p.cell] = cells[p.cell] & !(0xffff_ffff << shift) | ((x as f32).to_bits() as u64) << shift;
        }
        Scalar::Bool | Scalar::I64 => unreachable!("has no real coordinate"),
    }
}

/// Reads one coordinate.
pub(crate) fn read(cells: &[u64], p: &Place) -> f64 {
    let imaginary = p.coordinate.part == Part::Im;
    let single = |bits: u64| f32::from_bits(bits as u32) as f64;
    match p.ty {
        Scalar::F64 => f64::from_bits(cells[p.cell]),
        Scalar::C128 => f64::from_bits(cells[p.cell + imaginary as usize]),
        Scalar::F32 => single(cells[p.cell]),
        Scalar::C64 => single(cells[p.cell] >> if imaginary { 32 } else { 0 }),
        Scalar::Bool | Scalar::I64 => unreachable!("has no real coordinate"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_complex::Complex32;

    #[test]
    fn coordinates_in_cells() {
        let types = [Scalar::F32, Scalar::C64, Scalar::C128, Scalar::F64];
        let columns = crate::coordinates::coordinates(&[0, 1, 2, 3], |i| Type::Scalar(types[i]));
        let places = places(&columns, &[0, 1, 2, 3], &types, 1);
        let mut cells = [0u64; 6];
        for (i, p) in places.iter().enumerate() {
            write(&mut cells, p, i as f64 + 0.5);
        }
        let back: Vec<f64> = places.iter().map(|p| read(&cells, p)).collect();
        assert_eq!(back, [0.5, 1.5, 2.5, 3.5, 4.5, 5.5]);
        let mut direct = vec![0];
        for c in [
            Const::F32(0.5),
            Const::C64(Complex32::new(1.5, 2.5)),
            Const::C128(Complex64::new(3.5, 4.5)),
            Const::F64(5.5),
        ] {
            encode(c, &mut direct);
        }
        assert_eq!(direct, cells);
        clear(&mut cells, &places);
        assert_eq!(cells, [0; 6]);
    }
}

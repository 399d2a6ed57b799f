//! Real coordinates in the data that compiled functions take and return.

use crate::coordinates::{Coordinate, Part};
use crate::random::Stream;
use adc_ir::Const;
use adc_ir::datum::{Array, Buffer, Datum};
use num_complex::{Complex32, Complex64};

/// A real coordinate of one of several values.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slot {
    /// Position among the arguments or results of a program.
    pub at: usize,
    /// As in [`Coordinate`].
    pub entry: usize,
    /// As in [`Coordinate`].
    pub part: Part,
}

/// The locations of the coordinates of the values at `positions`, if these lie side by side from `start` on.
pub(crate) fn places(coordinates: &[Coordinate], positions: &[usize], start: usize) -> Vec<Slot> {
    let last = positions.iter().max().map_or(0, |n| n + 1);
    let mut at = vec![usize::MAX; last];
    for (k, index) in positions.iter().enumerate() {
        at[*index] = start + k;
    }
    let place = |c: &Coordinate| Slot { at: at[c.index], entry: c.entry, part: c.part };
    coordinates.iter().map(place).collect()
}

/// Sets the first of `to` to `from`, in place if possible.
pub(crate) fn load(to: &mut [Datum], from: &[Datum]) {
    to.iter_mut().zip(from).for_each(|(to, from)| assign(to, from));
}

/// As [`load`], in double precision.
pub(crate) fn load_doubles(to: &mut [Datum], from: &[Datum]) {
    for (to, from) in to.iter_mut().zip(from) {
        match from {
            Datum::Array(Array { data: Buffer::F32(_) | Buffer::C64(_), .. }) => *to = to_double(from),
            Datum::Scalar(c) => *to = Datum::Scalar(double(*c)),
            _ => assign(to, from),
        }
    }
}

fn assign(to: &mut Datum, from: &Datum) {
    match (to, from) {
        (Datum::Array(to), Datum::Array(from)) if to.shape == from.shape => {
            match (&mut to.data, &from.data) {
                (Buffer::F64(to), Buffer::F64(from)) => to.copy_from_slice(from),
                (Buffer::C128(to), Buffer::C128(from)) => to.copy_from_slice(from),
                (to, from) => to.clone_from(from),
            }
        }
        (to, from) => to.clone_from(from),
    }
}

/// The same numbers in double precision.
pub(crate) fn to_double(x: &Datum) -> Datum {
    let wide = |z: &Complex32| Complex64::new(z.re as f64, z.im as f64);
    match x {
        Datum::Scalar(c) => Datum::Scalar(double(*c)),
        Datum::Array(a) => {
            let data = match &a.data {
                Buffer::F32(x) => Buffer::F64(x.iter().map(|x| *x as f64).collect()),
                Buffer::C64(z) => Buffer::C128(z.iter().map(wide).collect()),
                Buffer::Bool(_) | Buffer::I64(_) | Buffer::F64(_) | Buffer::C128(_) => a.data.clone(),
            };
            Datum::Array(Array { shape: a.shape.clone(), data })
        }
    }
}

fn double(c: Const) -> Const {
    match c {
        Const::F32(x) => Const::F64(x as f64),
        Const::C64(z) => Const::C128(Complex64::new(z.re as f64, z.im as f64)),
        Const::Bool(_) | Const::I64(_) | Const::F64(_) | Const::C128(_) => c,
    }
}

/// Whether every entry is finite.
pub(crate) fn finite(x: &Datum) -> bool {
    let part = |z: &Complex64| z.re.is_finite() && z.im.is_finite();
    match x {
        Datum::Scalar(c) => part(&c.to_c128()),
        Datum::Array(a) => match &a.data {
            Buffer::Bool(_) | Buffer::I64(_) => true,
            Buffer::F32(x) => x.iter().all(|x| x.is_finite()),
            Buffer::F64(x) => x.iter().all(|x| x.is_finite()),
            Buffer::C64(z) => z.iter().all(|z| z.re.is_finite() && z.im.is_finite()),
            Buffer::C128(z) => z.iter().all(part),
        },
    }
}

/// The first entry in which two values differ. All NaNs are equal.
pub(crate) fn first_difference(a: &Datum, b: &Datum) -> Option<usize> {
    (0..a.len().max(b.len())).find(|&i| i >= a.len() || i >= b.len() || !a.get(i).same(b.get(i)))
}

/// Sets every entry to zero.
pub(crate) fn clear(x: &mut Datum) {
    match x {
        Datum::Scalar(c) => *c = Const::zero(c.scalar()),
        Datum::Array(a) => match &mut a.data {
            Buffer::Bool(x) => x.fill(false),
            Buffer::I64(x) => x.fill(0),
            Buffer::F32(x) => x.fill(0.0),
            Buffer::F64(x) => x.fill(0.0),
            Buffer::C64(x) => x.fill(Complex32::ZERO),
            Buffer::C128(x) => x.fill(Complex64::ZERO),
        },
    }
}

/// Sets one coordinate.
pub(crate) fn write(data: &mut [Datum], p: &Slot, x: f64) {
    set(&mut data[p.at], p.entry, p.part, x)
}

/// Another number, a few units in its last place away.
fn otherwise(x: f64, epsilon: f64, ulps: f64) -> f64 {
    x * (1.0 + ulps * epsilon)
}

/// Replaces all numbers of a list so.
pub(crate) fn round_all_otherwise(list: &mut [f64], s: &mut Stream) {
    for some in list.chunks_mut(8) {
        some.iter_mut().zip(s.eight_ulps()).for_each(|(x, ulps)| *x = otherwise(*x, f64::EPSILON, ulps));
    }
}

/// Replaces each part of an entry by another number, a few units in its last place away.
pub(crate) fn round_otherwise(data: &mut Datum, entry: usize, s: &mut Stream) {
    let epsilon = if data.elem().is_single() { f32::EPSILON as f64 } else { f64::EPSILON };
    for part in Part::of(data.elem().into()) {
        let number = get(data, entry, *part);
        set(data, entry, *part, otherwise(number, epsilon, s.ulps()));
    }
}

/// Sets one part of an entry.
pub(crate) fn set(data: &mut Datum, entry: usize, part: Part, x: f64) {
    if let Datum::Array(Array { data: Buffer::F64(data), .. }) = data {
        data[entry] = x;
        return;
    }
    let old = data.get(entry);
    let z = old.to_c128();
    let z = if part == Part::Im { Complex64::new(z.re, x) } else { Complex64::new(x, z.im) };
    data.set(entry, Const::from_c128(z, old.scalar()))
}

/// All numbers of a real value in double precision.
///
/// # Panics
/// If it is something else: values of difference programs are not.
pub(crate) fn doubles(data: &Datum) -> &[f64] {
    match data {
        Datum::Scalar(Const::F64(x)) => std::slice::from_ref(x),
        Datum::Array(Array { data: Buffer::F64(data), .. }) => data,
        _ => panic!("a value in double precision"),
    }
}

/// The same, to be changed.
///
/// # Panics
/// As [`doubles`].
pub(crate) fn doubles_mut(data: &mut Datum) -> &mut [f64] {
    match data {
        Datum::Scalar(Const::F64(x)) => std::slice::from_mut(x),
        Datum::Array(Array { data: Buffer::F64(data), .. }) => data,
        _ => panic!("a value in double precision"),
    }
}

/// Reads one coordinate.
pub(crate) fn read(data: &[Datum], p: &Slot) -> f64 {
    get(&data[p.at], p.entry, p.part)
}

/// Reads one part of an entry.
pub(crate) fn get(data: &Datum, entry: usize, part: Part) -> f64 {
    match data {
        Datum::Scalar(Const::F64(x)) => *x,
        Datum::Array(Array { data: Buffer::F64(data), .. }) => data[entry],
        _ => {
            let z = data.get(entry).to_c128();
            if part == Part::Im { z.im } else { z.re }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use adc_ir::{Scalar, Type};

    #[test]
    fn coordinates_of_data() {
        let types = [Type::Scalar(Scalar::F32), Type::Array(Scalar::C64, 2), Type::Scalar(Scalar::F64)];
        let columns = crate::coordinates::coordinates(&[0, 1, 2], |i| types[i], |i| [1, 2, 1][i]);
        let places = places(&columns, &[0, 1, 2], 1);
        let mut data = vec![Datum::Scalar(Const::Bool(true))];
        data.push(Datum::Scalar(Const::F32(0.0)));
        data.push(Datum::zeros(Scalar::C64, &[2, 1]));
        data.push(Datum::Scalar(Const::F64(0.0)));
        for (i, p) in places.iter().enumerate() {
            write(&mut data, p, i as f64 + 0.5);
        }
        let back: Vec<f64> = places.iter().map(|p| read(&data, p)).collect();
        assert_eq!(back, [0.5, 1.5, 2.5, 3.5, 4.5, 5.5]);
        assert_eq!(data[2].get(1), Const::C64(Complex32::new(3.5, 4.5)));
        assert_eq!(to_double(&data[2]).get(1), Const::C128(Complex64::new(3.5, 4.5)));
        data.iter_mut().for_each(clear);
        assert!(places.iter().all(|p| read(&data, p) == 0.0));
        assert_eq!(first_difference(&data[2], &Datum::zeros(Scalar::C64, &[2, 1])), None);
    }
}

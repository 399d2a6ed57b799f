//! Derivatives along all coordinates of some values: loops over one-hot seeds.
//!
//! Coordinates of several small values, or of one with several axes, are numbered through, so that one loop goes over all of them. It
//! calls the program that is linear in the seeds once, so that inlining makes it a part of the loop: what does not depend on the
//! direction leaves it, and the loop can run in lanes, each with a direction of its own.

use crate::emit::{Emitter, Ex};
use adc_ir::dims::elements;
use adc_ir::{Const, Dim, Loop, Op, Scalar, Value, ValueData};

/// Coordinates that one loop goes over, at most: what is linear in the seeds of larger arrays has lanes of its own.
const TOGETHER: i64 = 64;
/// Numbers that such a loop gives for a direction, at most, if they become columns element by element.
const ELEMENTS: i64 = 128;

/// Where the axes of directions are in what is collected.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Axes {
    /// Before those of what is given for a direction: rows.
    First,
    /// Behind them: columns.
    Last,
}

/// What takes a seed for each input, and of complex ones also i times that, and gives derivatives.
pub(super) type Each<'a> = dyn FnMut(&mut Emitter, &[Vec<Value>]) -> Vec<Value> + 'a;

/// What `each` gives for the unit vectors along every coordinate of `inputs`: by input, arrays with its axes and their own.
pub(super) fn along_all(em: &mut Emitter, inputs: &[Value], axes: Axes, each: &mut Each) -> Vec<Vec<Value>> {
    let data: Vec<ValueData> = inputs.iter().map(|x| em.b.data(*x).clone()).collect();
    let mut found: Vec<Vec<Value>> = vec![Vec::new(); data.len()];
    let mut left: Vec<usize> = (0..data.len()).collect();
    while let Some(first) = left.first() {
        let elem = data[*first].ty.scalar();
        let (group, rest): (Vec<usize>, Vec<usize>) =
            left.iter().partition(|k| data[**k].ty.scalar() == elem);
        left = rest;
        let Some(sizes) = few(&data, &group) else {
            for k in group {
                found[k] = em.collect(&data[k].shape, &mut |em, index| {
                    let ones = units(em, elem);
                    let seeds: Vec<_> =
                        ones.into_iter().map(|one| one_of(em, &data, k, one, index)).collect();
                    each(em, &seeds)
                });
                if axes == Axes::Last {
                    let own = data[k].shape.len();
                    found[k].iter_mut().for_each(|v| *v = turned(em, *v, own));
                }
            }
            continue;
        };
        let all = numbered(em, (&data, axes), &group, &sizes, each);
        let mut from = 0;
        for (k, n) in group.into_iter().zip(sizes) {
            let own = &data[k];
            found[k] = (all.iter())
                .map(|one| match one {
                    Collected::Rows(all) => {
                        let rows = part(em, *all, (from, n), own);
                        if axes == Axes::Last { turned(em, rows, own.shape.len()) } else { rows }
                    }
                    Collected::Elements(shape, all) => {
                        let parts: Vec<Value> = all.iter().map(|v| part(em, *v, (from, n), own)).collect();
                        packed(em, shape, &parts)
                    }
                })
                .collect();
            from += n;
        }
    }
    found
}

/// What is collected of a value over all directions.
enum Collected {
    /// An array with the directions as its first axis.
    Rows(Value),
    /// Of a value of these sizes an array of directions for every element.
    Elements(Vec<i64>, Vec<Value>),
}

/// The array of these sizes whose elements are values or arrays.
fn packed(em: &mut Emitter, shape: &[i64], parts: &[Value]) -> Value {
    let Some((n, inner)) = shape.split_first() else { return parts[0] };
    let rows: Vec<Value> =
        parts.chunks(parts.len() / *n as usize).map(|row| packed(em, inner, row)).collect();
    em.b.pack(&rows)
}

/// All elements of an array of these sizes.
fn elements_of(em: &mut Emitter, x: Value, shape: &[i64]) -> Vec<Value> {
    let mut indices: Vec<Vec<Value>> = vec![Vec::new()];
    for n in shape {
        let axis: Vec<Value> = (0..*n).map(|i| em.constant(Const::I64(i))).collect();
        indices = indices.iter().flat_map(|at| axis.iter().map(|i| [&at[..], &[*i]].concat())).collect();
    }
    indices.iter().map(|index| em.at(x, index)).collect()
}

/// The numbers of coordinates of values that had better be numbered through.
fn few(data: &[ValueData], group: &[usize]) -> Option<Vec<i64>> {
    let count = |k: &usize| elements(&data[*k].shape)?.as_const().filter(|n| (1..=TOGETHER).contains(n));
    let sizes: Vec<i64> = group.iter().map(count).collect::<Option<_>>()?;
    let all: i64 = sizes.iter().sum();
    let rank = group.iter().map(|k| data[*k].shape.len()).max();
    ((2..=TOGETHER).contains(&all) && (group.len() > 1 || rank > Some(1))).then_some(sizes)
}

/// What `each` gives for the coordinates of a group, one after the other.
fn numbered(
    em: &mut Emitter,
    (data, axes): (&[ValueData], Axes),
    group: &[usize],
    sizes: &[i64],
    each: &mut Each,
) -> Vec<Collected> {
    let elem = data[group[0]].ty.scalar();
    let n = Dim::constant(sizes.iter().sum());
    let range = em.range(&n);
    let at = em.open_with(vec![Scalar::I64.into()]);
    let whole = ValueData::array(elem, vec![n]);
    let mut seeds = Vec::new();
    for one in units(em, elem) {
        let unit = em.one_hot(&whole, one, &at);
        let mut list: Vec<Option<Value>> = vec![None; data.len()];
        let mut from = 0;
        for (k, n) in group.iter().zip(sizes) {
            list[*k] = Some(em.map(&data[*k], |em, index| {
                let place = number(em, &data[*k], index, from);
                em.at(unit, &[place])
            }));
            from += n;
        }
        seeds.push(list.into_iter().zip(data).map(|(v, d)| v.unwrap_or_else(|| em.zero(d))).collect());
    }
    let given = each(em, &seeds);
    // Columns are stored element by element: then neighbouring directions are neighbours in memory.
    let numbers = |v: &Value| em.b.data(*v).shape.iter().map(Dim::as_const).collect::<Option<Vec<i64>>>();
    let shapes: Option<Vec<Vec<i64>>> = given.iter().map(numbers).collect();
    let count = |shape: &Vec<i64>| shape.iter().try_fold(1i64, |n, size| n.checked_mul(*size));
    let few = |shapes: &Vec<Vec<i64>>| {
        let all = shapes.iter().try_fold(0i64, |sum, shape| sum.checked_add(count(shape)?));
        all.is_some_and(|n| n <= ELEMENTS) && shapes.iter().all(|shape| count(shape) > Some(0))
    };
    let shapes = shapes.filter(|shapes| axes == Axes::Last && few(shapes));
    let yields = match &shapes {
        Some(shapes) => given.iter().zip(shapes).flat_map(|(v, shape)| elements_of(em, *v, shape)).collect(),
        None => given,
    };
    let count = yields.len();
    let body = em.close(yields);
    let mut collected = em.b.for_of(Loop::collecting(count), range, &[], body).into_iter();
    let Some(shapes) = shapes else { return collected.map(Collected::Rows).collect() };
    (shapes.into_iter())
        .map(|shape| {
            let n = shape.iter().product::<i64>() as usize;
            Collected::Elements(shape, collected.by_ref().take(n).collect())
        })
        .collect()
}

/// The row-major number of an element, counted from `from`.
fn number(em: &mut Emitter, data: &ValueData, index: &[Value], from: i64) -> Value {
    let integer = |em: &mut Emitter, n: i64| em.constant(Const::I64(n));
    let mut sum = index.first().copied();
    for (i, size) in index.iter().zip(&data.shape).skip(1) {
        let size = integer(em, size.as_const().expect("there are few elements"));
        let row = em.op(Op::Mul, &[Ex::Val(sum.expect("the first axis")), Ex::Val(size)]);
        let next = em.op(Op::Add, &[row, Ex::Val(*i)]);
        sum = Some(em.value(next));
    }
    match (sum, from) {
        (Some(sum), 0) => sum,
        (Some(sum), from) => {
            let from = integer(em, from);
            let place = em.op(Op::Add, &[Ex::Val(from), Ex::Val(sum)]);
            em.value(place)
        }
        (None, from) => integer(em, from),
    }
}

/// Of what was collected for a group that for one value.
fn part(em: &mut Emitter, all: Value, (from, n): (i64, i64), of: &ValueData) -> Value {
    let start = em.constant(Const::I64(from));
    if of.shape.is_empty() {
        return em.at(all, &[start]);
    }
    let whole = em.b.data(all).clone();
    let own =
        if whole.shape[0].as_const() == Some(n) { all } else { em.b.slice(all, start, Dim::constant(n)) };
    match of.shape.len() {
        1 => own,
        _ => em.b.reshape(own, of.shape.iter().chain(&whole.shape[1..]).cloned().collect()),
    }
}

/// 1, and of complex numbers i.
fn units(em: &mut Emitter, elem: Scalar) -> Vec<Value> {
    let mut ones = vec![em.constant(Const::real(1.0, elem))];
    if elem.is_complex() {
        ones.push(unit_i(em, elem));
    }
    ones
}

/// The complex number i of type `ty`.
pub(super) fn unit_i(em: &mut Emitter, ty: Scalar) -> Value {
    let i = em.times_i(Ex::Const(Const::real(1.0, ty.real())));
    em.value(i)
}

/// Tangents of inputs: one-hot of input `k`, zero of the others.
pub(super) fn one_of(
    em: &mut Emitter,
    inputs: &[ValueData],
    k: usize,
    one: Value,
    index: &[Value],
) -> Vec<Value> {
    let seed =
        |(j, data): (usize, &ValueData)| if j == k { em.one_hot(data, one, index) } else { em.zero(data) };
    inputs.iter().enumerate().map(seed).collect()
}

/// An array with its first so many axes behind the others.
fn turned(em: &mut Emitter, x: Value, first: usize) -> Value {
    let mut data = em.b.data(x).clone();
    let rows = data.shape.len() - first;
    if first == 0 || rows == 0 {
        return x;
    }
    data.shape.rotate_left(first);
    em.map(&data, |em, index| {
        let (row, column) = index.split_at(rows);
        em.at(x, &[column, row].concat())
    })
}

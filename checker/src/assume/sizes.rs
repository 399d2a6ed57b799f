//! The sizes at which a function may be tried besides the first ones.

use crate::dims::{sizes_are_positive, with_quotients};
use adc_ir::*;

/// Sizes for a lone dimension, in this order: small ones, then those for powers of two and long windows.
const LONE: [i64; 22] = [3, 4, 5, 6, 7, 8, 9, 10, 12, 16, 24, 25, 32, 48, 64, 100, 128, 2, 1, 49, 256, 512];
/// Sizes for each of several dimensions.
const SEVERAL: [i64; 8] = [3, 2, 4, 5, 6, 8, 1, 16];
/// Number of sets of sizes that are tried.
const TRIED: usize = 64;

/// Sets of sizes, best first, in which every size that a caller sees is at least 1. `first` is the one that is tried in any
/// case.
pub(super) fn candidates(func: &Func, first: &[i64], free: &[usize]) -> Vec<Vec<i64>> {
    let with = |numbers: &[i64]| {
        let mut dims = first.to_vec();
        free.iter().zip(numbers).for_each(|(i, n)| dims[*i] = *n);
        with_quotients(func, dims)
    };
    let mut out: Vec<Vec<i64>> = Vec::new();
    let mut add = |numbers: &[i64]| {
        let dims = with(numbers);
        if dims != first && !out.contains(&dims) && sizes_are_positive(func, &dims) {
            out.push(dims);
        }
    };
    match free.len() {
        0 => {}
        1 => (1..=5).map(|more| first[free[0]] + more).chain(LONE).for_each(|n| add(&[n])),
        k => {
            // Larger ones that differ as much; all equal, because a function may find out only at run time that an array
            // has to be square; pairs of equal ones; then one dimension changed at a time, then two.
            let own: Vec<i64> = free.iter().map(|i| first[*i]).collect();
            (1..=3).for_each(|more| add(&own.iter().map(|n| n + more).collect::<Vec<_>>()));
            for n in [3, 4, 2, 8] {
                add(&vec![n; k]);
            }
            for i in 0..k {
                for j in (0..k).filter(|j| *j != i) {
                    let mut numbers = own.clone();
                    numbers[j] = numbers[i];
                    add(&numbers);
                }
            }
            for i in 0..k {
                for n in SEVERAL {
                    let mut numbers = own.clone();
                    numbers[i] = n;
                    add(&numbers);
                }
            }
            for (i, j) in (0..k).flat_map(|i| (0..k).map(move |j| (i, j))).filter(|(i, j)| i < j) {
                for (n, m) in SEVERAL.iter().flat_map(|n| SEVERAL.iter().map(move |m| (*n, *m))) {
                    let mut numbers = own.clone();
                    (numbers[i], numbers[j]) = (n, m);
                    add(&numbers);
                }
            }
        }
    }
    out.truncate(TRIED);
    out
}

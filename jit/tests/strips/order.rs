//! The order in which a strip computes.

use adc_jit::strips::{Access, Bin, Cc, SOp, Step, Stream, Strip, StripBuilder, V};
use adc_runtime::lanes::Lanes as _;

/// The least of so many numbers, and the places of the last and of the first that is so: as the derivative of a minimum has them, behind all
/// numbers.
fn least(n: i32) -> Strip {
    let mut b = StripBuilder::new();
    let terms: Vec<V> = (0..n)
        .map(|k| {
            let s = b.stream(Stream::new(0, k, Step::Const(n), Access::R));
            let x = b.op(SOp::Load(s));
            b.mul(x, x)
        })
        .collect();
    let mut least = vec![b.num(f64::INFINITY)];
    for x in &terms {
        let next = b.op(SOp::Bin(Bin::Min, least[least.len() - 1], *x));
        least.push(next);
    }
    let (mut last, mut first) = (b.num(0.0), b.num(0.0));
    for (k, x) in terms.iter().enumerate() {
        let place = b.num(k as f64);
        for (cc, at) in [(Cc::Le, &mut last), (Cc::Lt, &mut first)] {
            let better = b.op(SOp::Cmp(cc, *x, least[k]));
            *at = b.op(SOp::Select(better, place, *at));
        }
    }
    for (k, x) in [least[least.len() - 1], last, first].into_iter().enumerate() {
        let s = b.stream(Stream::new(1 + k as u8, 0, Step::Unit, Access::W));
        b.op(SOp::Store(s, x));
    }
    b.finish().expect("it is well formed")
}

/// Numbers that are needed at a time, literals aside.
fn pressure(strip: &Strip) -> usize {
    let mut last = vec![0; strip.ops.len()];
    for (v, op) in strip.ops.iter().enumerate() {
        op.operands().for_each(|(x, _)| last[x as usize] = v);
    }
    let is_held = |v: usize| !matches!(strip.ops[v], SOp::Const(_)) && last[v] > 0;
    (0..strip.ops.len())
        .map(|at| (0..at).filter(|v| is_held(*v) && last[*v] >= at).count())
        .max()
        .unwrap_or(0)
}

#[test]
fn places_of_an_extremum_are_found_as_it_is() {
    assert_eq!([10, 20, 40].map(|n| pressure(&least(n))), [6; 3]);
}

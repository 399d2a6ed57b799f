//! Every function of [`BigMath`] against mpmath (see `gen_reference.py`).

use adc_ir::{Elementary, Op};
use adc_precise::{Big, BigMath, CBig, cbig};

/// The table has 60 digits, 199 bits.
const BITS_REQUIRED: i64 = 190;

/// One line of the table.
struct Case {
    op: Op,
    kind: char,
    args: Vec<f64>,
    value: Vec<Big>,
}

fn cases() -> Vec<Case> {
    let parse = |line: &str| {
        let (left, right) = line.split_once(" = ").expect("a value");
        let mut words = left.split(' ');
        let op = Op::from_name(words.next().expect("an op")).expect("a known op");
        let kind = words.next().and_then(|k| k.chars().next()).expect("a kind");
        let args = words.map(|w| w.parse().expect("a double")).collect();
        let value = right.split(' ').map(|w| w.parse().expect("a decimal number")).collect();
        Case { op, kind, args, value }
    };
    include_str!("reference.txt").lines().map(parse).collect()
}

fn evaluate(c: &Case) -> Vec<Big> {
    let big: Vec<Big> = c.args.iter().map(|x| Big::from(*x)).collect();
    let complex: Vec<CBig> = c.args.chunks(2).map(|p| cbig(p[0], p[p.len() - 1])).collect();
    match c.kind {
        'r' => vec![BigMath.real(c.op, &big)],
        'i' => vec![BigMath.real_int(c.op, c.args[0] as i64, &big[1])],
        'c' => {
            let z = BigMath.complex(c.op, &complex);
            vec![z.re, z.im]
        }
        'k' => {
            let z = BigMath.complex_int(c.op, c.args[0] as i64, &cbig(c.args[1], c.args[2]));
            vec![z.re, z.im]
        }
        _ => vec![BigMath.complex_to_real(c.op, &complex[0])],
    }
}

/// Correct bits: those of the number as a whole, parts of a complex one together.
fn correct_bits(got: &[Big], want: &[Big]) -> i64 {
    let size = |v: &[Big]| v.iter().filter_map(|x| x.exponent()).max();
    let error: Vec<Big> = got.iter().zip(want).map(|(a, b)| *a - *b).collect();
    if got.iter().any(|x| !x.is_finite()) {
        return 0;
    }
    match (size(&error), size(want)) {
        (None, _) => i64::MAX,
        (Some(e), Some(v)) => v - e,
        (Some(e), None) => -e,
    }
}

#[test]
fn functions_agree_with_mpmath() {
    let mut failures = Vec::new();
    let mut worst = i64::MAX;
    for c in cases() {
        let got = evaluate(&c);
        let bits = correct_bits(&got, &c.value);
        worst = worst.min(bits);
        if bits < BITS_REQUIRED {
            failures.push(format!("{} {:?}: {bits} bits, {got:?} for {:?}", c.op, c.args, c.value));
        }
    }
    println!("{} values, at least {worst} correct bits", cases().len());
    assert!(failures.is_empty(), "{} failures\n{}", failures.len(), failures.join("\n"));
}

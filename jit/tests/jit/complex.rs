//! Random loops over complex numbers. All vectors, and none, give the interpreter's bits.

use super::nests::agrees_on;
use adc_ir::Const;
use adc_ir::datum::{Array, Datum};
use adc_ir::testing::{Rng, effort};
use num_complex::Complex64;
use std::fmt::Write as _;

/// Elements of the longest axis.
const MOST: usize = 150;

/// The lines of a loop's body, and the values that can be used: real, complex, and truth values.
struct Writer {
    rng: Rng,
    text: String,
    next: usize,
    real: Vec<usize>,
    complex: Vec<usize>,
    truth: Vec<usize>,
}

impl Writer {
    fn line(&mut self, what: String) -> usize {
        self.next += 1;
        writeln!(self.text, "v{} = {what}", self.next).expect("strings grow");
        self.next
    }

    /// A line, with values in the place of `#r`, `#z` and `#m`.
    fn written(&mut self, pattern: &str) -> usize {
        let words = pattern.split(' ').map(|word| {
            let (name, comma) = word.strip_suffix(',').map_or((word, ""), |w| (w, ","));
            let list = match name {
                "#r" => &self.real,
                "#z" => &self.complex,
                "#m" => &self.truth,
                _ => return word.to_string(),
            };
            format!("v{}{comma}", self.rng.pick(list))
        });
        let line = words.collect::<Vec<_>>().join(" ");
        self.line(line)
    }
}

/// v0 to v9 are integers, v10 to v29 what comes from outside; the loop's index is v30, its distance from the end v31.
fn program(seed: u64) -> String {
    let mut w = Writer {
        rng: Rng::new(seed),
        text: String::new(),
        next: 40,
        real: vec![10],
        complex: vec![11, 12],
        truth: Vec::new(),
    };
    const REAL: [&str; 11] = [
        "abs #z",
        "hypot #r, #r",
        "index x, v30",
        "index x, v31",
        "re #z",
        "im #z",
        "abs2 #z",
        "mul #r, #r",
        "fma #r, #r, #r",
        "select #m, #r, #r",
        "tanh #r",
    ];
    const COMPLEX: [&str; 26] = [
        "sign #z",
        "div #z, #z",
        "div #r, #z",
        "recip #z",
        "exp #z",
        "cis #z",
        "cis #r",
        "index z, v30",
        "index z, v31",
        "index Z, v30, v1",
        "index W, v2, v30",
        "complex #r, #r",
        "neg #z",
        "conj #z",
        "square #z",
        "add #z, #z",
        "add #z, #r",
        "add #r, #z",
        "sub #z, #z",
        "sub #r, #z",
        "sub #z, #r",
        "mul #z, #z",
        "mul #r, #z",
        "mul #z, #r",
        "div #z, #r",
        "select #m, #z, #z",
    ];
    const TRUTH: [&str; 3] = ["lt #r, #r", "eq #z, #z", "ne #z, #z"];
    w.real.push(w.next + 1);
    w.written("index x, v30");
    w.complex.push(w.next + 1);
    w.written("index z, v30");
    w.truth.push(w.next + 1);
    w.written("lt #r, #r");
    for _ in 0..2 + w.rng.below(14) {
        match w.rng.below(8) {
            0..2 => {
                let pattern = w.rng.pick(&REAL);
                let v = w.written(pattern);
                w.real.push(v);
            }
            2 => {
                let pattern = w.rng.pick(&TRUTH);
                let v = w.written(pattern);
                w.truth.push(v);
            }
            3 => {
                let (m, a, b) = (w.rng.pick(&w.truth), w.rng.pick(&w.complex), w.rng.pick(&w.complex));
                let inside = w.next + 1;
                let v = w.line(format!(
                    "if v{m} {{ v{} = mul v{a}, v{b} yield v{} }} else {{ yield v{b} }}",
                    inside + 1,
                    inside + 1
                ));
                w.next += 1;
                w.complex.push(v);
            }
            _ => {
                let pattern = w.rng.pick(&COMPLEX);
                let v = w.written(pattern);
                w.complex.push(v);
            }
        }
    }
    let [total, stored, second] = [(); 3].map(|()| w.rng.pick(&w.complex));
    let (sum, row) = (w.rng.pick(&w.real), w.rng.pick(&w.real));
    format!(
        "fn f(n: i64, s: f64, c: c128, x: f64[{MOST}], z: c128[{MOST}], Z: c128[{MOST}, 3], W: c128[3, {MOST}])
             -> (i64, c128, f64, c128[v23], f64[v23], c128[v23, 2], c128) {{
           v0 = i64 0 v1 = i64 1 v2 = i64 2 v3 = i64 {MOST} v4 = i64 {}
           v12 = c128 (0.5, -1.5) v20 = min n, v3 v23 = max v20, v0 v10 = add s, s v11 = mul c, s
           v24, v25, v26, v27, v28 = for v0, v23, v1 sums 2 collects 3 (v30) {{
             v31 = sub v4, v30
             {}
             v39 = pack v{stored}, v{second}
             yield v{total}, v{sum}, v{stored}, v{row}, v39
           }}
           v29 = reduce sum v0, v23, v1 (v35) {{
             v36 = index z, v35
             v37 = mul v36, v11
             yield v37
           }}
           return v23, v24, v25, v26, v27, v28, v29
         }}",
        MOST - 1,
        w.text
    )
}

fn inputs(rng: &mut Rng) -> Vec<Datum> {
    let mut number = move || match rng.below(40) {
        0 => rng.pick(&[f64::INFINITY, f64::NAN, 0.0, -0.0, 1e300, 1e-310]),
        _ => rng.real(-2.0, 2.0),
    };
    let s = Datum::from(Const::F64(number()));
    let c = Datum::from(Const::C128(Complex64::new(number(), number())));
    let x: Vec<f64> = (0..MOST).map(|_| number()).collect();
    let mut complex = |shape: &[usize]| {
        let n = shape.iter().product();
        let data: Vec<Complex64> = (0..n).map(|_| Complex64::new(number(), number())).collect();
        Datum::Array(Array::new(shape.to_vec(), data))
    };
    let arrays = [complex(&[MOST]), complex(&[MOST, 3]), complex(&[3, MOST])];
    [s, c, Datum::Array(Array::new(vec![MOST], x))].into_iter().chain(arrays).collect()
}

#[test]
fn random_loops_keep_the_interpreters_bits() {
    let seeds = 80 * effort() as u64;
    let lanes = (0..seeds).filter(|seed| {
        let mut rng = Rng::new(seed ^ 0xc0c0);
        let arrays = inputs(&mut rng);
        let points = [0, 1, 7, 16, 33, 64, 77, 150].map(|n| {
            let n = Datum::from(Const::I64(n));
            [n].into_iter().chain(arrays.iter().cloned()).collect()
        });
        agrees_on(&program(*seed), &format!("seed {seed}"), &points)
    });
    let lanes = lanes.count() as u64;
    assert!(10 * lanes > 9 * seeds, "{lanes} of {seeds} loops ran in lanes");
}

//! Random loops that read and write elements at indices that are data. All vectors, and none, give the interpreter's bits, and its
//! errors: also where an index is outside its array.

use super::nests::agrees_on;
use adc_ir::datum::{Array, Datum};
use adc_ir::testing::{Rng, effort};
use adc_ir::{Const, FuncId};
use adc_jit::{Externs, Options, Workspace};
use num_complex::Complex64;
use std::fmt::Write as _;

/// Elements of the arrays that are read at indices that are data, and iterations at most.
const ELEMENTS: usize = 40;
const MOST: usize = 300;

/// The text of a loop's body.
struct Writer {
    rng: Rng,
    text: String,
    next: usize,
    integers: Vec<String>,
    numbers: Vec<String>,
    masks: Vec<String>,
    /// The carried arrays as they are here: two of doubles, one of complex numbers, and one with a row for each iteration.
    carried: [String; 4],
    /// Small arrays of an iteration.
    small: Vec<String>,
}

impl Writer {
    fn line(&mut self, what: &str) -> String {
        self.next += 1;
        let v = format!("v{}", self.next);
        writeln!(self.text, "{v} = {what}").expect("strings grow");
        v
    }

    fn pick(&mut self, of: fn(&Self) -> &Vec<String>) -> String {
        let k = self.rng.below(of(self).len());
        of(self)[k].clone()
    }

    /// Some lines; `depth`: branches around.
    fn lines(&mut self, depth: usize, count: usize) {
        for _ in 0..count {
            let (x, y) = (self.pick(|w| &w.numbers), self.pick(|w| &w.numbers));
            let (j, k) = (self.pick(|w| &w.integers), self.pick(|w| &w.integers));
            let mask = self.pick(|w| &w.masks);
            match self.rng.below(20) {
                0 | 1 => {
                    let of = self.rng.pick(&["g", "h"]);
                    let v = self.line(&format!("index {of}, v100"));
                    self.integers.push(v);
                }
                2 => {
                    let op = self.rng.pick(&["add", "sub", "min", "max", "mod"]);
                    let k = if op == "mod" { "v40".to_string() } else { k };
                    let v = self.line(&format!("{op} {j}, {k}"));
                    self.integers.push(v);
                }
                3 => {
                    let v = self.line(&format!("select {mask}, {j}, {k}"));
                    self.integers.push(v);
                }
                4 => {
                    let scaled = self.line(&format!("mul {x}, v51"));
                    let v = self.line(&format!("to_i64 {scaled}"));
                    self.integers.push(v);
                }
                5..8 => {
                    let v = self.line(&format!("index x, {j}"));
                    self.numbers.push(v);
                }
                8 => {
                    let v = self.line("index y, v100");
                    self.numbers.push(v);
                }
                9 => {
                    let (op, k) = (self.rng.pick(&["lt", "eq"]), self.rng.below(ELEMENTS));
                    let m = self.line(&format!("{op} {j}, v{k}"));
                    self.masks.push(m);
                    let v = self.line(&format!("to_f64 {j}"));
                    self.numbers.push(v);
                }
                10 => {
                    let m = match self.rng.below(3) {
                        0 => self.line(&format!("index keep, {j}")),
                        1 => self.line("index given, v100"),
                        _ => self.line(&format!("lt {x}, {y}")),
                    };
                    self.masks.push(m);
                }
                11 => {
                    let z = self.line(&format!("index z, {j}"));
                    let part = self.rng.pick(&["re", "im"]);
                    let v = self.line(&format!("{part} {z}"));
                    self.numbers.push(v);
                }
                12 | 13 => self.write(&x, &y, &j),
                14 if depth < 2 => self.branch(depth, &mask),
                15 => {
                    let v = self.line(&format!("pack {x}, {y}, v50, {x}"));
                    self.small.push(v);
                }
                16 if !self.small.is_empty() => {
                    let (small, j) = (self.pick(|w| &w.small), self.place(&j));
                    if self.rng.one_in(2) {
                        let v = self.line(&format!("index {small}, {j}"));
                        self.numbers.push(v);
                    } else {
                        let kind = self.rng.pick(&["add_at", "update"]);
                        let v = self.line(&format!("{kind} {small}, {x}, {j}"));
                        self.small.push(v);
                    }
                }
                17 => {
                    let j = if self.rng.one_in(2) {
                        self.place(&j)
                    } else {
                        self.rng.pick(&["v0", "v2", "v3"]).into()
                    };
                    self.carried[3] = self.line(&format!("add_at {}, {x}, v100, {j}", self.carried[3]));
                }
                _ => {
                    let op = self.rng.pick(&["add", "mul", "sub", "div", "max"]);
                    let v = self.line(&format!("{op} {x}, {y}"));
                    self.numbers.push(v);
                }
            }
        }
    }

    /// A place in a small array, or seldom none.
    fn place(&mut self, j: &str) -> String {
        let size = if self.rng.one_in(12) { "v5" } else { "v4" };
        self.line(&format!("mod {j}, {size}"))
    }

    /// Adds or writes to a carried array.
    fn write(&mut self, x: &str, y: &str, j: &str) {
        let which = self.rng.below(3);
        let value = match which {
            2 => self.line(&format!("complex {x}, {y}")),
            _ => x.to_string(),
        };
        let (kind, array) = (self.rng.pick(&["add_at", "add_at", "update"]), self.carried[which].clone());
        let index = if self.rng.one_in(8) { "v100" } else { j };
        // Of the iteration's own elements there are as many as of the others.
        let index = if index == "v100" { self.line("mod v100, v40") } else { index.to_string() };
        self.carried[which] = self.line(&format!("{kind} {array}, {value}, {index}"));
    }

    /// An `if` that gives a number, and the carried arrays.
    fn branch(&mut self, depth: usize, mask: &str) {
        let before = self.carried.clone();
        let mut sides = Vec::new();
        for _ in 0..2 {
            let outer = std::mem::take(&mut self.text);
            let known = [self.integers.len(), self.numbers.len(), self.masks.len(), self.small.len()];
            let count = self.rng.below(5);
            self.lines(depth + 1, count);
            let x = self.pick(|w| &w.numbers);
            let [p, q, r, s] = std::mem::replace(&mut self.carried, before.clone());
            let text = std::mem::replace(&mut self.text, outer);
            sides.push(format!("{{\n{text} yield {x}, {p}, {q}, {r}, {s} }}"));
            self.integers.truncate(known[0]);
            self.numbers.truncate(known[1]);
            self.masks.truncate(known[2]);
            self.small.truncate(known[3]);
        }
        let [x, p, q, r, s] = [1, 2, 3, 4, 5].map(|k| format!("v{}", self.next + k));
        self.next += 5;
        writeln!(self.text, "{x}, {p}, {q}, {r}, {s} = if {mask} {} else {}", sides[0], sides[1])
            .expect("strings grow");
        self.numbers.push(x);
        self.carried = [p, q, r, s];
    }
}

/// `f(n, …)`: a loop over `0..min(n, 300)`.
fn program(seed: u64) -> String {
    let name = |k: usize| format!("v{k}");
    let mut w = Writer {
        rng: Rng::new(seed),
        text: String::new(),
        next: 1000,
        integers: vec![name(100), name(1), name(7)],
        numbers: vec![name(50), name(51)],
        masks: vec![name(52)],
        carried: [101, 102, 103, 104].map(name),
        small: Vec::new(),
    };
    let count = 4 + w.rng.below(14);
    w.lines(0, count);
    let (a, b) = (w.pick(|w| &w.numbers), w.pick(|w| &w.numbers));
    // An integer that may be counted by doubles, or may not.
    let (j, k, mask) = (w.pick(|w| &w.integers), w.pick(|w| &w.integers), w.pick(|w| &w.masks));
    let n = match w.rng.below(3) {
        0 => w.line(&format!("select {mask}, v3, v1")),
        1 => w.line(&format!("mod {j}, v7")),
        _ => k,
    };
    let [p, q, r, s] = &w.carried;
    let constants: String = (0..=ELEMENTS).map(|k| format!("v{k} = i64 {k}\n")).collect();
    format!(
        "fn f(n: i64, x: f64[40], y: f64[300], z: c128[40], g: i64[300], h: i64[300], keep: bool[40], given: bool[300])
             -> (i64, f64, i64, f64[v55], f64[40], f64[40], c128[40], f64[300, 4]) {{
           {constants} v50 = f64 0.5 v51 = f64 7.25 v52 = bool true v53 = i64 300 v54 = min n, v53 v55 = max v54, v0
           v56: f64[40] = fill v50 v57: c128[40] = fill v58 v59: f64[300, 4] = fill v51
           v60, v61, v62, v63, v64, v65, v66 = for v0, v55, v1, v56, v56, v57, v59 sums 2 collects 1 (v100, v101, v102, v103, v104) {{
             {}
             yield {p}, {q}, {r}, {s}, {a}, {n}, {b}
           }}
           return v55, v64, v65, v66, v60, v61, v62, v63
         }}",
        w.text
    )
    .replace("v57: c128", "v58 = c128 (1.0, -2.0)\nv57: c128")
}

/// Arguments, of which some indices are outside if that is asked for.
fn point(rng: &mut Rng, n: i64, outside: bool) -> Vec<Datum> {
    let mut reals = |count: usize| -> Vec<f64> { (0..count).map(|_| rng.real(-2.0, 2.0)).collect() };
    let (x, y, re, im) = (reals(ELEMENTS), reals(MOST), reals(ELEMENTS), reals(ELEMENTS));
    let z: Vec<Complex64> = re.into_iter().zip(im).map(|(re, im)| Complex64::new(re, im)).collect();
    let mut places = || -> Vec<i64> {
        let mut places: Vec<i64> = (0..MOST).map(|_| rng.below(ELEMENTS) as i64).collect();
        if outside {
            let at = rng.below(MOST);
            places[at] = rng.pick(&[-1, ELEMENTS as i64, i64::MAX, i64::MIN, (1 << 53) + 1]);
        }
        places
    };
    let (g, h) = (places(), places());
    let mut truths = |count: usize| -> Vec<bool> { (0..count).map(|_| rng.one_in(2)).collect() };
    let (keep, given) = (truths(ELEMENTS), truths(MOST));
    vec![
        Datum::from(Const::I64(n)),
        Datum::Array(Array::new(vec![ELEMENTS], x)),
        Datum::Array(Array::new(vec![MOST], y)),
        Datum::Array(Array::new(vec![ELEMENTS], z)),
        Datum::Array(Array::new(vec![MOST], g)),
        Datum::Array(Array::new(vec![MOST], h)),
        Datum::Array(Array::new(vec![ELEMENTS], keep)),
        Datum::Array(Array::new(vec![MOST], given)),
    ]
}

#[test]
fn random_gathers_keep_the_interpreters_bits() {
    let lanes = |seed: &u64| {
        let mut rng = Rng::new(seed ^ 0x5eed);
        let sizes = [0, 1, 9, 33, 127, 128, 129, 300, 300];
        let points: Vec<_> = (0..).zip(sizes).map(|(k, n)| point(&mut rng, n, k % 3 == 2)).collect();
        agrees_on(&program(*seed), &format!("seed {seed}"), &points)
    };
    let strips = (0..150 * effort() as u64).filter(lanes).count();
    println!("{strips} loops ran in lanes");
    assert!(strips > 40, "{strips} loops ran in lanes");
}

/// A function of many loops fits on a small stack: what they gather lies in one place.
#[test]
fn many_loops_fit_on_a_small_stack() {
    const LOOPS: usize = 300;
    let loops: String = (0..LOOPS)
        .map(|k| {
            let [y, i, j, x, z] = [0, 1, 2, 3, 4].map(|n| 100 + 5*k + n);
            format!("v{y} = reduce sum v0, v1, v2 (v{i}) {{ v{j} = index g, v{i} v{x} = index x, v{j} v{z} = mul v{x}, v{x} yield v{z} }}\n")
        })
        .collect();
    let results: Vec<String> = (0..LOOPS).map(|k| format!("v{}", 100 + 5 * k)).collect();
    let m = super::parse(&format!(
        "fn f(x: f64[40], g: i64[300]) -> ({}) {{ v0 = i64 0 v1 = i64 300 v2 = i64 1\n {loops} return {} }}",
        vec!["f64"; LOOPS].join(", "),
        results.join(", ")
    ));
    let mut options = Options::default();
    (options.strips, options.unit_ops) = (Some(0), 100_000);
    let compiled =
        adc_jit::compile(&m, &[FuncId(0)], &Externs::new(), &options).expect("it compiles").remove(0);
    let x: Vec<f64> = (0..ELEMENTS).map(|k| k as f64).collect();
    let g: Vec<i64> = (0..MOST).map(|k| (k * 7 % ELEMENTS) as i64).collect();
    let sum: f64 = g.iter().map(|k| (*k * *k) as f64).sum();
    let args = [Datum::Array(Array::new(vec![ELEMENTS], x)), Datum::Array(Array::new(vec![MOST], g))];
    let run = move || compiled.call_data(&mut Workspace::new(), &args).expect("no error");
    let thread = std::thread::Builder::new().stack_size(128 << 10).spawn(run).expect("a thread");
    let results = thread.join().expect("it does not overflow");
    assert!(results.iter().all(|y| y.same(&Datum::from(Const::F64(sum)))), "{results:?}");
}

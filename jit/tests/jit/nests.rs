//! Random loop nests: lanes over the outer loop, with loops inside that all lanes turn together. All vectors, and none, give the
//! interpreter's bits.

use super::parse;
use adc_ir::datum::{Array, Datum};
use adc_ir::interp::{Interp, NoExterns, Val};
use adc_ir::testing::{Rng, effort};
use adc_ir::{Const, FuncId};
use adc_jit::{Compiled, Externs, Options, RuntimeMath, Simd, Workspace};
use std::fmt::Write as _;

/// The text of a function `f(n, m, x, y, A)`: a loop over `0..min(n, 150)` with loops inside, of which some make `min(m, 5)` turns.
struct Writer {
    rng: Rng,
    text: String,
    next: usize,
    /// Doubles, truth values, and indices of loops inside with their ends, that can be used here.
    numbers: Vec<String>,
    masks: Vec<String>,
    turns: Vec<(String, i64)>,
    /// Arrays of a lane, by their lengths.
    own: Vec<(String, i64)>,
    /// The sums that are added to here.
    sums: [String; 2],
}

impl Writer {
    fn fresh(&mut self) -> String {
        self.next += 1;
        format!("v{}", self.next)
    }

    fn line(&mut self, what: String) -> String {
        let v = self.fresh();
        writeln!(self.text, "{v} = {what}").expect("strings grow");
        v
    }

    fn number(&mut self) -> String {
        Self::one(&mut self.rng, &self.numbers)
    }

    /// One of a list.
    fn one<T: Clone>(rng: &mut Rng, of: &[T]) -> T {
        of[rng.below(of.len())].clone()
    }

    /// An index below so many: a constant, or a loop's.
    fn below(&mut self, n: i64) -> String {
        let fits: Vec<String> =
            self.turns.iter().filter(|(_, end)| *end <= n).map(|(v, _)| v.clone()).collect();
        if fits.is_empty() || self.rng.one_in(3) {
            let k = self.rng.below(n as usize);
            return format!("c{k}");
        }
        let v = Self::one(&mut self.rng, &fits);
        if self.rng.one_in(3) {
            return self.line(format!("sub c{}, {v}", n - 1));
        }
        v
    }

    /// Some lines; `depth`: loops around.
    fn lines(&mut self, depth: usize, count: usize) {
        for _ in 0..count {
            let (x, y) = (self.number(), self.number());
            let new = match self.rng.below(14) {
                0..3 => {
                    let op = self.rng.pick(&["add", "mul", "sub", "div", "max", "min"]);
                    self.line(format!("{op} {x}, {y}"))
                }
                3 => {
                    let op = self.rng.pick(&["neg", "sqrt", "abs", "sin", "exp", "tanh", "atan"]);
                    self.line(format!("{op} {x}"))
                }
                4 => self.line("index y, i".to_string()),
                5 => {
                    let k = self.below(7);
                    self.line(format!("index x, {k}"))
                }
                6 => {
                    let k = self.below(3);
                    let of = self.rng.pick(&["index A, i, ", "index B, "]);
                    let behind = if of.contains('B') { ", i" } else { "" };
                    self.line(format!("{of}{k}{behind}"))
                }
                7 => {
                    let m = self.line(format!("lt {x}, {y}"));
                    self.masks.push(m);
                    continue;
                }
                8 => {
                    let m = Self::one(&mut self.rng, &self.masks);
                    self.line(format!("select {m}, {x}, {y}"))
                }
                9 if !self.turns.is_empty() => {
                    let (t, _) = Self::one(&mut self.rng, &self.turns);
                    let (cc, k) = (self.rng.pick(&["lt", "eq", "ge"]), self.rng.below(4));
                    let m = self.line(format!("{cc} {t}, c{k}"));
                    self.masks.push(m);
                    self.line(format!("to_f64 {t}"))
                }
                10 if !self.own.is_empty() => {
                    let (own, n) = Self::one(&mut self.rng, &self.own);
                    let k = self.below(n);
                    self.line(format!("index {own}, {k}"))
                }
                11 => {
                    let (which, k) = (self.rng.below(2), self.below(6));
                    let sum = self.sums[which].clone();
                    let at = if which == 0 {
                        format!("{k}, cycle")
                    } else {
                        format!("c{}, {k}, cycle", self.rng.below(2))
                    };
                    self.sums[which] = self.line(format!("add_at {sum}, {x}, {at}"));
                    continue;
                }
                _ if depth < 2 => {
                    self.inner(depth);
                    continue;
                }
                _ => continue,
            };
            self.numbers.push(new);
        }
    }

    /// A loop inside.
    fn inner(&mut self, depth: usize) {
        let known = (self.numbers.clone(), self.masks.clone(), self.own.clone());
        let turns = self.rng.pick(&[1, 3, 5, 7, 16, 19, 33]);
        let (end, most) =
            if self.rng.one_in(4) { ("m5".to_string(), 5) } else { (format!("c{turns}"), turns) };
        let count = 1 + self.rng.below(4);
        let t = self.fresh();
        let mut result = Vec::new();
        match self.rng.below(4) {
            0 | 1 => {
                let carries = self.rng.below(3);
                let (add, collect) = (self.rng.one_in(2) && end != "m5", self.rng.one_in(3) && end != "m5");
                let sums = self.rng.below(2) * usize::from(add);
                let start: Vec<String> = (0..carries).map(|_| self.number()).collect();
                let params: Vec<String> = (0..carries + 2).map(|_| self.fresh()).collect();
                let results: Vec<String> =
                    (0..carries + 2 + sums + usize::from(collect)).map(|_| self.fresh()).collect();
                let inits = [&start[..], &self.sums[..]].concat().join(", ");
                let mut gathers = if sums > 0 { " sums 1".to_string() } else { String::new() };
                gathers += if collect { " collects 1" } else { "" };
                let (all, of) = (results.join(", "), [&[t.clone()][..], &params].concat().join(", "));
                writeln!(self.text, "{all} = for c0, {end}, c1, {inits}{gathers} ({of}) {{")
                    .expect("strings grow");
                self.turns.push((t.clone(), most));
                self.numbers.extend(params[..carries].iter().cloned());
                self.sums = [params[carries].clone(), params[carries + 1].clone()];
                self.lines(depth + 1, count);
                let mut yields: Vec<String> = (0..carries).map(|_| self.number()).collect();
                yields.extend(self.sums.clone());
                yields.extend((0..sums + usize::from(collect)).map(|_| self.number()));
                writeln!(self.text, "yield {}\n}}", yields.join(", ")).expect("strings grow");
                self.sums = [results[carries].clone(), results[carries + 1].clone()];
                (self.numbers, self.masks, self.own) = known.clone();
                self.numbers.extend(results[..carries].iter().cloned());
                self.numbers.extend(results[carries + 2..][..sums].iter().cloned());
                if collect {
                    self.own.push((results[carries + 2 + sums].clone(), most));
                }
            }
            2 => {
                let op = self.rng.pick(&["sum", "max", "min", "prod"]);
                let v = self.fresh();
                let end = if end == "m5" { "c5" } else { &end };
                writeln!(self.text, "{v} = reduce {op} c0, {end}, c1 ({t}) {{").expect("strings grow");
                result.push(v);
            }
            _ => {
                let v = self.fresh();
                let most = if end == "m5" { 5 } else { most };
                writeln!(self.text, "{v}: f64[{most}] = build ({t}) {{").expect("strings grow");
                self.turns.push((t.clone(), most));
                self.pure(depth + 1, count);
                (self.numbers, self.masks, self.own) = known.clone();
                self.own.push((v, most));
                self.turns.pop();
                return;
            }
        }
        if let Some(v) = result.pop() {
            self.turns.push((t, most));
            self.pure(depth + 1, count);
            (self.numbers, self.masks, self.own) = known.clone();
            self.numbers.push(v);
        }
        self.turns.pop();
    }

    /// Lines that add to nothing, and what they yield.
    fn pure(&mut self, depth: usize, count: usize) {
        let (text, sums) = (self.text.clone(), self.sums.clone());
        let known = (self.numbers.clone(), self.masks.clone(), self.own.clone());
        loop {
            self.lines(depth, count);
            if self.sums == sums {
                break;
            }
            (self.text, self.sums) = (text.clone(), sums.clone());
            (self.numbers, self.masks, self.own) = known.clone();
        }
        let y = self.number();
        writeln!(self.text, "yield {y}\n}}").expect("strings grow");
    }
}

/// A random nest, its named values numbered.
fn nest(seed: u64) -> String {
    let mut w = Writer {
        rng: Rng::new(seed),
        text: String::new(),
        next: 1000,
        numbers: vec!["zero".to_string(), "half".to_string()],
        masks: vec!["no".to_string()],
        turns: Vec::new(),
        own: Vec::new(),
        sums: ["p".to_string(), "q".to_string()],
    };
    let count = 3 + w.rng.below(10);
    w.lines(0, count);
    let (a, b) = (w.number(), w.number());
    let [p, q] = &w.sums;
    let constants: String = (0..34).map(|k| format!("c{k} = i64 {k}\n")).collect();
    let text = format!(
        "fn f(n: i64, m: i64, x: f64[7], y: f64[150], A: f64[150, 3], B: f64[3, 150])
             -> (i64, f64, f64[end], f64[6, 8], f64[2, 6, 8]) {{
           {constants} zero = f64 0.0 half = f64 0.5 no = lt half, zero large = i64 150 eight = i64 8 five = i64 5
           end0 = min n, large end = max end0, c0 m0 = min m, five m5 = max m0, c0
           p0: f64[6, 8] = fill zero q0: f64[2, 6, 8] = fill half
           p1, q1, sum, all = for c0, end, c1, p0, q0 sums 1 collects 1 (i, p, q) {{
             cycle = mod i, eight
             {}
             yield {p}, {q}, {a}, {b}
           }}
           return end, sum, all, p1, q1
         }}",
        w.text
    );
    numbered(&text)
}

/// The text with numbers for names.
fn numbered(text: &str) -> String {
    let keep = ["n", "m", "x", "y", "A", "B", "f", "fn"];
    let words =
        ["zero", "half", "no", "large", "eight", "five", "end0", "end", "m0", "m5", "p0", "q0", "p1", "q1"];
    let words = [&words[..], &["sum", "all", "i", "p", "q", "cycle"]].concat();
    let (mut out, mut word) = (String::new(), String::new());
    let flush = |word: &mut String, out: &mut String| {
        let number = word.strip_prefix('c').and_then(|k| k.parse::<usize>().ok());
        let place = words.iter().position(|w| w == word && !keep.contains(w));
        match (number, place) {
            // The kind of reduction.
            _ if word == "sum" && out.ends_with("reduce ") => out.push_str(word),
            (Some(k), _) => write!(out, "v{k}").expect("strings grow"),
            (None, Some(k)) => write!(out, "v{}", 100 + k).expect("strings grow"),
            (None, None) => out.push_str(word),
        }
        word.clear();
    };
    for c in text.chars() {
        if c.is_alphanumeric() || c == '_' {
            word.push(c);
        } else {
            flush(&mut word, &mut out);
            out.push(c);
        }
    }
    flush(&mut word, &mut out);
    out
}

#[test]
fn random_nests_keep_the_interpreters_bits() {
    let mut strips = 0;
    let widest = Options::default().simd;
    for seed in 0..120 * effort() as u64 {
        let text = nest(seed);
        let m = parse(&text);
        let f = FuncId(0);
        let ways = [(None, widest)].into_iter().chain(Simd::all_there().into_iter().map(|s| (Some(0), s)));
        let compiled = ways.map(|(strips, simd)| {
            let mut options = Options::default();
            (options.strips, options.simd) = (strips, simd);
            adc_jit::compile(&m, &[f], &Externs::new(), &options).expect("it compiles").remove(0)
        });
        let compiled: Vec<Compiled> = compiled.collect();
        let count = |c: &Compiled| c.stats().native_functions;
        strips += (count(&compiled[1]) > count(&compiled[0])) as usize;
        let mut rng = Rng::new(seed ^ 0x5eed);
        let mut array = |shape: Vec<usize>| {
            let data: Vec<f64> = (0..shape.iter().product::<usize>()).map(|_| rng.real(-2.0, 2.0)).collect();
            Datum::Array(Array::new(shape, data))
        };
        let arrays = [array(vec![7]), array(vec![150]), array(vec![150, 3]), array(vec![3, 150])];
        for (n, m_turns) in [(0, 3), (1, 0), (9, 5), (16, 1), (33, 2), (64, 4), (77, 5), (150, 3)] {
            let sizes = [n, m_turns].map(|n| Datum::from(Const::I64(n)));
            let args: Vec<Datum> = sizes.into_iter().chain(arrays.iter().cloned()).collect();
            let vals: Vec<Val<f64>> = args.iter().map(Datum::to_val).collect();
            let expected = Interp::new(&m, &RuntimeMath, &NoExterns).call(f, &vals);
            let expected: Result<Vec<Datum>, _> = expected.map(|results| {
                let of = results.iter().zip(&m.func(f).results);
                of.map(|(v, r)| Datum::from_val(v, r.ty.scalar())).collect()
            });
            for compiled in &compiled {
                let got = compiled.call_data(&mut Workspace::new(), &args);
                let agree = match (&expected, &got) {
                    (Ok(a), Ok(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.same(b)),
                    (a, b) => a.as_ref().err() == b.as_ref().err(),
                };
                assert!(agree, "seed {seed}, n {n}, m {m_turns}\n{expected:?}\n{got:?}\n{m}");
            }
        }
    }
    assert!(strips > 30, "{strips} nests ran in lanes");
}

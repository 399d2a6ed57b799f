//! Random loop nests: lanes over the outer loop, with loops inside that all lanes turn together. All vectors, and none, give the
//! interpreter's bits.

use super::parse;
use adc_ir::datum::{Array, Datum};
use adc_ir::interp::{Interp, NoExterns, Val};
use adc_ir::testing::{Rng, effort};
use adc_ir::{Const, FuncId};
use adc_jit::{Compiled, Externs, Options, RuntimeMath, Simd, Workspace};
use std::fmt::Write as _;

/// How many arrays the loop carries.
const CARRIED: usize = 4;

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
    /// Arrays of a lane that are changed, by their lengths and the loops around where they may be.
    changed: Vec<(String, i64, usize)>,
    /// The carried arrays as they are here: sums in cycles, and matrices of which an iteration has a column, or a row.
    carried: [String; CARRIED],
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
            let new = match self.rng.below(20) {
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
                    let sum = self.carried[which].clone();
                    let at = if which == 0 {
                        format!("{k}, cycle")
                    } else {
                        format!("c{}, {k}, cycle", self.rng.below(2))
                    };
                    self.carried[which] = self.line(format!("add_at {sum}, {x}, {at}"));
                    continue;
                }
                16 | 17 => {
                    let (which, k) = (2 + self.rng.below(2), self.below(6));
                    let (array, at) = (self.carried[which].clone(), [format!("{k}, i"), format!("i, {k}")]);
                    let at = &at[which - 2];
                    match self.rng.pick(&["add_at", "update", "index"]) {
                        "index" => self.line(format!("index {array}, {at}")),
                        op => {
                            self.carried[which] = self.line(format!("{op} {array}, {x}, {at}"));
                            continue;
                        }
                    }
                }
                12 => {
                    let n = self.rng.pick(&[3, 6]);
                    let v = self.fresh();
                    writeln!(self.text, "{v}: f64[{n}] = fill {x}").expect("strings grow");
                    self.changed.push((v, n, depth));
                    continue;
                }
                13 if !self.changed.is_empty() => {
                    let (array, n, _) = Self::one(&mut self.rng, &self.changed);
                    let k = self.below(n);
                    self.line(format!("index {array}, {k}"))
                }
                14 | 15 => {
                    let here: Vec<usize> =
                        (0..self.changed.len()).filter(|k| self.changed[*k].2 == depth).collect();
                    if here.is_empty() {
                        continue;
                    }
                    let at = Self::one(&mut self.rng, &here);
                    let (array, n, _) = self.changed[at].clone();
                    let (op, k) = (self.rng.pick(&["add_at", "update"]), self.below(n));
                    self.changed[at].0 = self.line(format!("{op} {array}, {x}, {k}"));
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
        let mut changed = self.changed.clone();
        let turns = self.rng.pick(&[1, 3, 5, 7, 16, 19, 33]);
        let (end, most) =
            if self.rng.one_in(4) { ("m5".to_string(), 5) } else { (format!("c{turns}"), turns) };
        let count = if self.rng.one_in(8) { 24 } else { 1 + self.rng.below(4) };
        let t = self.fresh();
        let mut result = Vec::new();
        match self.rng.below(4) {
            0 | 1 => {
                let carries = self.rng.below(3);
                let (add, collect) = (self.rng.one_in(2) && end != "m5", self.rng.one_in(3) && end != "m5");
                let sums = self.rng.below(2) * usize::from(add);
                let start: Vec<String> = (0..carries).map(|_| self.number()).collect();
                // An array that it changes.
                let array = changed.iter().position(|(_, _, at)| *at == depth).filter(|_| self.rng.one_in(2));
                let all = carries + CARRIED + usize::from(array.is_some());
                let params: Vec<String> = (0..all).map(|_| self.fresh()).collect();
                let results: Vec<String> =
                    (0..all + sums + usize::from(collect)).map(|_| self.fresh()).collect();
                let init: Vec<String> = array.iter().map(|k| changed[*k].0.clone()).collect();
                let inits = [&start[..], &self.carried[..], &init].concat().join(", ");
                let mut gathers = if sums > 0 { " sums 1".to_string() } else { String::new() };
                gathers += if collect { " collects 1" } else { "" };
                let (list, of) = (results.join(", "), [&[t.clone()][..], &params].concat().join(", "));
                writeln!(self.text, "{list} = for c0, {end}, c1, {inits}{gathers} ({of}) {{")
                    .expect("strings grow");
                self.turns.push((t.clone(), most));
                self.numbers.extend(params[..carries].iter().cloned());
                self.carried.clone_from_slice(&params[carries..][..CARRIED]);
                if let Some(k) = array {
                    self.changed[k] = (params[carries + CARRIED].clone(), changed[k].1, depth + 1);
                }
                self.lines(depth + 1, count);
                let mut yields: Vec<String> = (0..carries).map(|_| self.number()).collect();
                yields.extend(self.carried.clone());
                if let Some(k) = array {
                    yields.push(self.changed[k].0.clone());
                    changed[k].0 = results[carries + CARRIED].clone();
                }
                yields.extend((0..sums + usize::from(collect)).map(|_| self.number()));
                writeln!(self.text, "yield {}\n}}", yields.join(", ")).expect("strings grow");
                self.carried.clone_from_slice(&results[carries..][..CARRIED]);
                (self.numbers, self.masks, self.own) = known.clone();
                self.numbers.extend(results[..carries].iter().cloned());
                self.numbers.extend(results[all..][..sums].iter().cloned());
                if collect {
                    self.own.push((results[all + sums].clone(), most));
                }
                self.changed = std::mem::take(&mut changed);
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
                self.changed = changed;
                self.own.push((v, most));
                self.turns.pop();
                return;
            }
        }
        if let Some(v) = result.pop() {
            self.turns.push((t, most));
            self.pure(depth + 1, count);
            (self.numbers, self.masks, self.own) = known.clone();
            self.changed = changed;
            self.numbers.push(v);
        }
        self.turns.pop();
    }

    /// Lines that add to nothing, and what they yield.
    fn pure(&mut self, depth: usize, count: usize) {
        let (text, carried, changed) = (self.text.clone(), self.carried.clone(), self.changed.clone());
        let known = (self.numbers.clone(), self.masks.clone(), self.own.clone());
        loop {
            self.lines(depth, count);
            if self.carried == carried {
                break;
            }
            (self.text, self.carried, self.changed) = (text.clone(), carried.clone(), changed.clone());
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
        changed: Vec::new(),
        carried: ["p", "q", "r", "s"].map(str::to_string),
    };
    let count = 3 + w.rng.below(10);
    w.lines(0, count);
    let (a, b) = (w.number(), w.number());
    let [p, q, r, s] = &w.carried;
    let constants: String = (0..34).map(|k| format!("c{k} = i64 {k}\n")).collect();
    let text = format!(
        "fn f(n: i64, m: i64, x: f64[7], y: f64[150], A: f64[150, 3], B: f64[3, 150])
             -> (i64, f64, f64[end], f64[6, 8], f64[2, 6, 8], f64[6, 150], f64[150, 6]) {{
           {constants} zero = f64 0.0 half = f64 0.5 no = lt half, zero large = i64 150 eight = i64 8 five = i64 5
           end0 = min n, large end = max end0, c0 m0 = min m, five m5 = max m0, c0
           p0: f64[6, 8] = fill zero q0: f64[2, 6, 8] = fill half
           r0: f64[6, 150] = fill half s0: f64[150, 6] = fill zero
           p1, q1, r1, s1, sum, all = for c0, end, c1, p0, q0, r0, s0 sums 1 collects 1 (i, p, q, r, s) {{
             cycle = mod i, eight
             {}
             yield {p}, {q}, {r}, {s}, {a}, {b}
           }}
           return end, sum, all, p1, q1, r1, s1
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
    let words =
        [&words[..], &["sum", "all", "i", "p", "q", "cycle", "r0", "s0", "r1", "s1", "r", "s"]].concat();
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

/// [`agrees_on`] numbers of iterations and of turns, and random arrays.
fn agrees(text: &str, seed: u64) -> bool {
    let mut rng = Rng::new(seed ^ 0x5eed);
    let mut array = |shape: Vec<usize>| {
        let data: Vec<f64> = (0..shape.iter().product::<usize>()).map(|_| rng.real(-2.0, 2.0)).collect();
        Datum::Array(Array::new(shape, data))
    };
    let arrays = [array(vec![7]), array(vec![150]), array(vec![150, 3]), array(vec![3, 150])];
    let sizes = [(0, 3), (1, 0), (9, 5), (16, 1), (33, 2), (64, 4), (77, 5), (150, 3)];
    let points = sizes.map(|(n, turns)| {
        let sizes = [n, turns].map(|n| Datum::from(Const::I64(n)));
        sizes.into_iter().chain(arrays.iter().cloned()).collect()
    });
    agrees_on(text, &format!("seed {seed}"), &points)
}

/// Whether a function gives the interpreter's bits in all vectors and in none; whether it has lanes.
pub fn agrees_on(text: &str, what: &str, points: &[Vec<Datum>]) -> bool {
    let widest = Options::default().simd;
    let m = parse(text);
    let f = FuncId(0);
    let ways = [(None, widest)].into_iter().chain(Simd::all_there().into_iter().map(|s| (Some(0), s)));
    let compiled = ways.map(|(strips, simd)| {
        let mut options = Options::default();
        (options.strips, options.simd) = (strips, simd);
        adc_jit::compile(&m, &[f], &Externs::new(), &options).expect("it compiles").remove(0)
    });
    let compiled: Vec<Compiled> = compiled.collect();
    for args in points {
        let vals: Vec<Val<f64>> = args.iter().map(Datum::to_val).collect();
        let expected = Interp::new(&m, &RuntimeMath, &NoExterns).call(f, &vals);
        let expected: Result<Vec<Datum>, _> = expected.map(|results| {
            let of = results.iter().zip(&m.func(f).results);
            of.map(|(v, r)| Datum::from_val(v, r.ty.scalar())).collect()
        });
        for compiled in &compiled {
            let got = compiled.call_data(&mut Workspace::new(), args);
            let agree = match (&expected, &got) {
                (Ok(a), Ok(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.same(b)),
                (a, b) => a.as_ref().err() == b.as_ref().err(),
            };
            assert!(agree, "{what}\n{args:?}\n{expected:?}\n{got:?}\n{m}");
        }
    }
    let count = |c: &Compiled| c.stats().native_functions;
    count(&compiled[1]) > count(&compiled[0])
}

#[test]
fn random_nests_keep_the_interpreters_bits() {
    let strips = (0..120 * effort() as u64).filter(|seed| agrees(&nest(*seed), *seed)).count();
    println!("{strips} nests ran in lanes");
    assert!(strips > 30, "{strips} nests ran in lanes");
}

/// A loop over the lanes with these lines, which define `v90`.
fn lanes(lines: &str) -> String {
    let constants: String = (0..34).map(|k| format!("v{k} = i64 {k}\n")).collect();
    format!(
        "fn f(n: i64, m: i64, x: f64[7], y: f64[150], A: f64[150, 3], B: f64[3, 150]) -> (i64, f64[v43]) {{
           {constants} v40 = f64 0.0 v41 = f64 1.5 v42 = min n, v33 v43 = max v42, v0
           v44 = for v0, v43, v1 collects 1 (v45) {{
             v46 = index y, v45
             v47 = index B, v2, v45
             v48 = lt v46, v47
             {lines}
             yield v90
           }}
           return v43, v44
         }}"
    )
}

#[test]
fn arrays_of_lanes_go_through_branches_and_loops() {
    let cases = [
        // A list that one branch changes, and one that both do.
        "v50: f64[3] = fill v46
         v53 = if v48 { v51 = add_at v50, v47, v1 v52 = update v51, v46, v2 yield v52 } else { yield v50 }
         v58 = if v48 { v54 = add_at v53, v41, v1 yield v54 } else { v55 = update v53, v41, v0 yield v55 }
         v60 = index v58, v0 v61 = index v58, v1 v62 = index v58, v2 v63 = mul v60, v61 v90 = sub v63, v62",
        // In memory, in a loop.
        "v50 = pack v46, v47, v41
         v60 = for v0, v3, v1, v50 (v51, v52) {
           v53 = index v52, v51
           v54 = mul v53, v53
           v55 = lt v54, v41
           v58 = if v55 { v56 = add_at v52, v54, v51 yield v56 } else { v57 = update v52, v46, v0 yield v57 }
           v59 = add_at v58, v41, v2
           yield v59
         }
         v61 = index v60, v0 v62 = index v60, v1 v63 = index v60, v2 v64 = mul v61, v62 v90 = sub v64, v63",
        // What was before a change is still wanted.
        "v50 = pack v46, v47, v41
         v60 = for v0, v3, v1, v50 (v51, v52) { v53 = add_at v52, v47, v51 yield v53 }
         v62 = for v0, v2, v1, v60 (v63, v64) { v65 = add_at v64, v46, v63 yield v65 }
         v66 = index v60, v1 v67 = index v62, v1 v90 = mul v66, v67",
    ];
    for (k, lines) in cases.into_iter().enumerate() {
        assert!(agrees(&lanes(lines), k as u64), "case {k}");
    }
}

/// Lanes with more arrays of their own than there are arrays outside.
#[test]
fn lanes_with_many_arrays_of_their_own() {
    let turn = |k: usize, from: &str| {
        format!(
            "v{k}0 = pack {from}, v4, {from}
             v{k}9 = for v0, v3, v1, v{k}0 (v{k}1, v{k}2) {{
               v{k}3 = index v{k}2, v{k}1 v{k}4 = mul v{k}3, v4 v{k}5 = add_at v{k}2, v{k}4, v2 yield v{k}5
             }}
             v{k}6 = index v{k}9, v2"
        )
    };
    let text = format!(
        "fn f(n: i64, m: i64, x: f64[7], y: f64[150], A: f64[150, 3], B: f64[3, 150]) -> f64[20] {{
           v0 = i64 0 v1 = i64 1 v2 = i64 2 v3 = i64 3 v4 = f64 1.5 v5 = i64 20
           v6 = for v0, v5, v1 collects 1 (v7) {{
             v8 = index y, v7
             {} {} {} {}
             yield v46
           }}
           return v6
         }}",
        turn(1, "v8"),
        turn(2, "v16"),
        turn(3, "v26"),
        turn(4, "v36")
    );
    assert!(agrees(&text, 1), "they have lanes");
}

/// Arrays that each branch makes for itself, of more elements than a list has.
#[test]
fn branches_that_make_arrays_have_lanes() {
    let text = "fn f(n: i64, m: i64, x: f64[7], y: f64[150], A: f64[150, 3], B: f64[3, 150]) -> f64[100] {
           v0 = i64 0 v1 = i64 1 v2 = i64 70 v3 = i64 100 v4 = f64 0.5
           v30 = for v0, v3, v1 collects 1 (v5) {
             v6 = index y, v5
             v7 = lt v6, v4
             v20, v21 = if v7 {
               v10: f64[70] = build (v8) { v9 = index y, v8 v11 = mul v9, v6 yield v11 }
               yield v6, v10
             } else {
               v15: f64[70] = build (v12) { v13 = index y, v12 v14 = sub v13, v6 yield v14 }
               v16 = sqrt v6
               yield v16, v15
             }
             v25 = reduce max v0, v2, v1 (v22) { v23 = index v21, v22 v24 = mul v23, v20 yield v24 }
             yield v25
           }
           return v30
         }";
    assert!(agrees(text, 1));
    let strips = adc_jit::strips_of(&parse(text), &[FuncId(0)]).expect("it compiles");
    assert!(strips.iter().any(|s| s.loops()), "the outer loop has lanes");
}

/// Two places of an array that a loop writes to, so far from each other: lanes if no iteration comes to where another one was.
#[test]
fn places_that_are_far_apart_have_lanes() {
    for (distance, lanes) in [(1, false), (5, false), (32, false), (33, true), (40, true)] {
        let text = format!(
            "fn f(n: i64, m: i64, x: f64[7], y: f64[150], A: f64[150, 3], B: f64[3, 150]) -> f64[80] {{
               v0 = i64 0 v1 = i64 1 v2 = i64 33 v3 = i64 {distance} v4 = f64 0.0
               v5: f64[80] = fill v4
               v6 = for v0, v2, v1, v5 (v7, v8) {{
                 v9 = index y, v7
                 v10 = mul v9, v9
                 v11 = add_at v8, v10, v7
                 v12 = add v7, v3
                 v13 = update v11, v9, v12
                 yield v13
               }}
               return v6
             }}"
        );
        assert_eq!(agrees(&text, distance), lanes, "{distance} apart");
    }
}

/// What loops inside write to an array that the loop around carries: lanes if each iteration has a row or a column of its own. `t` is the
/// turn, `i` the iteration, `n` the next one, and `s` the sum of turn and iteration. The loops inside carry a number, so that they have
/// none. The second one reads what its third turn adds to before that writes there: what an iteration does to its column keeps its order.
#[test]
fn iterations_with_columns_of_their_own_have_lanes() {
    let cases = [
        ("t, i", "t, i", true),
        ("i, t", "i, t", true),
        ("0, i", "t, i", true),
        ("t, n", "t, n", true),
        ("t, s", "t, s", false),
        ("t, i", "t, n", false),
        ("t, i", "i, t", false),
        ("t, 0", "t, 0", false),
    ];
    for (k, (first, second, lanes)) in cases.into_iter().enumerate() {
        let place = |at: &str, turn: usize| {
            let name = |w: &str| match w {
                "t" => format!("v{turn}"),
                "i" => "v7".to_string(),
                "n" => "v9".to_string(),
                "s" => format!("v{}", turn + 5),
                "2" => "v2".to_string(),
                _ => "v0".to_string(),
            };
            at.split(", ").map(name).collect::<Vec<_>>().join(", ")
        };
        let once = place(&second.replace('t', "2"), 40);
        let (first, second) = (place(first, 30), place(second, 40));
        let text = format!(
            "fn f(n: i64, m: i64, x: f64[7], y: f64[150], A: f64[150, 3], B: f64[3, 150]) -> f64[48, 48] {{
               v0 = i64 0 v1 = i64 1 v2 = i64 2 v3 = i64 6 v4 = f64 0.5 v11 = i64 33
               v5: f64[48, 48] = fill v4
               v6 = for v0, v11, v1, v5 (v7, v8) {{
                 v9 = add v7, v1
                 v10 = index y, v7
                 v39, v38 = for v0, v3, v1, v8, v10 (v30, v31, v37) {{
                   v35 = add v7, v30
                   v32 = index v31, {first}
                   v33 = mul v32, v37
                   v34 = add_at v31, v33, {first}
                   yield v34, v33
                 }}
                 v49, v48 = for v0, v3, v1, v39, v38 (v40, v41, v47) {{
                   v45 = add v7, v40
                   v46 = mul v47, v47
                   v42 = add_at v41, v46, {second}
                   v50 = index v42, {once}
                   v44 = index v42, {second}
                   v43 = update v42, v46, {second}
                   v51 = add v44, v50
                   yield v43, v51
                 }}
                 yield v49
               }}
               return v6
             }}"
        );
        assert_eq!(agrees(&text, k as u64), lanes, "case {k}\n{text}");
    }
}

/// The mean that each of 200 rows has under weights of so many terms, added up, as machine code.
fn sum_of_sums(terms: usize) -> String {
    let text = format!(
        "fn f(x: f64[200], y: f64[{terms}]) -> f64 {{
 v0 = i64 0\n v1 = i64 1\n v2 = i64 200\n v3 = i64 {terms}
 v10 = reduce sum v0, v2, v1 (v4) {{
  v5 = index x, v4
  v9, v13 = for v0, v3, v1 sums 2 (v6) {{
   v7 = index y, v6\n   v8 = sub v7, v5\n   v11 = exp v8\n   v14 = mul v11, v7\n   yield v11, v14
  }}
  v12 = div v13, v9\n  yield v12\n }}
 return v10\n}}"
    );
    adc_jit::emit_asm(&parse(&text), FuncId(0)).expect("it compiles")
}

#[test]
fn sums_of_many_terms_run_in_the_widest_vectors() {
    if Options::default().simd == Simd::Baseline {
        return;
    }
    // Partial sums that a loop carries need sixteen registers; Cranelift's strips are shown in its mnemonics.
    for terms in [25, 32, 40, 100] {
        let text = sum_of_sums(terms);
        let mut strips = text.split("adc-strip:0\n").skip(1);
        assert!(strips.any(|code| code.trim_start().starts_with(".byte")), "{terms} terms: {text}");
    }
}

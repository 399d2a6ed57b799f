//! Neighbours that straight-line code writes one by one, and compiled code writes two at a time.

use super::arrays::{compile_with, interpret, same};
use super::parse;
use adc_ir::datum::{Array, Datum};
use adc_ir::testing::Rng;
use adc_ir::{Const, FuncId};
use adc_jit::{Effort, Options, Workspace};
use std::fmt::Write as _;

/// Vectors of two numbers that are computed and stored: scalars are stored to places that are aligned.
fn stored(text: &str) -> usize {
    let clif = adc_jit::emit_clif(&parse(text), FuncId(0)).unwrap();
    let lines = || clif.lines().map(str::trim);
    let is_computed = |v: &str| {
        let op = lines().find_map(|l| l.strip_prefix(v)?.strip_prefix(" = f"));
        op.is_some_and(|op| ["ma", "add", "sub", "mul"].iter().any(|name| op.starts_with(name)))
    };
    let stores = lines().filter_map(|l| l.strip_prefix("store notrap v")?.split(',').next());
    stores.filter(|v| is_computed(&format!("v{v}"))).count()
}

fn is_there() -> bool {
    cfg!(not(target_arch = "x86_64")) || Options::default().strips.is_some() && fma()
}

#[cfg(target_arch = "x86_64")]
fn fma() -> bool {
    std::arch::is_x86_feature_detected!("avx") && std::arch::is_x86_feature_detected!("fma")
}

#[cfg(not(target_arch = "x86_64"))]
fn fma() -> bool {
    true
}

/// The row of a gradient, from its last element to its first.
const ROW: &str = "fn f(g: f64[5, 4], x: f64[5, 4], k: i64, s: f64) -> f64[5, 4] {
 v0 = i64 0\n v1 = i64 1\n v2 = i64 2\n v3 = i64 3
 v4 = index x, k, v3\n v5 = index g, k, v3\n v6 = fma v4, s, v5\n v7 = update g, v6, k, v3
 v8 = index x, k, v2\n v9 = index v7, k, v2\n v10 = fma v8, s, v9\n v11 = update v7, v10, k, v2
 v12 = index x, k, v1\n v13 = mul v12, s\n v14 = add_at v11, v13, k, v1
 v15 = index x, k, v0\n v16 = mul v15, s\n v17 = add_at v14, v16, k, v0
 return v17\n}";

#[test]
fn a_row_is_written_two_at_a_time() {
    if is_there() {
        // The first write makes a copy of what the caller gave.
        let lines: Vec<&str> = ROW.lines().collect();
        assert_eq!(stored(&lines.join("\n")), 1);
        let owned = ROW.replace(" v4 = ", " v20 = i64 4\n v21 = update g, s, v20, v0\n v4 = ");
        let owned = owned.replace("index g,", "index v21,").replace("update g, v6", "update v21, v6");
        assert_eq!(stored(&owned), 2);
        // Not where something else needs the first.
        let other = owned
            .replace("return v17\n", "v30 = index v7, v0, v0\n v31 = update v17, v30, v0, v0\n return v31\n");
        assert!(stored(&other) < 2, "{other}");
    }
}

/// Where a number is read.
#[derive(Clone, Copy)]
enum Source {
    /// The element of the third array at the place that is written.
    Other,
    /// That of what is written.
    Own,
    /// That of a row of it.
    View,
    /// That of an array as it was when the recipe came up, read then.
    Ahead,
    /// Any element of any version of either array.
    Any,
}

/// How elements are computed and written.
#[derive(Clone, Copy)]
struct Recipe {
    array: usize,
    row: usize,
    /// Columns to the next element.
    step: usize,
    op: usize,
    sources: [Source; 2],
    adds: bool,
    /// Of which array elements are read ahead, and whether by a row of it.
    ahead: usize,
    by_row: bool,
    /// Columns from what is written to what was read ahead for it.
    away: usize,
}

impl Recipe {
    fn new(rng: &mut Rng) -> Recipe {
        use Source::{Ahead, Any, Other, Own, View};
        let all = [Other, Other, Own, Own, Ahead, Ahead, View, Any];
        Recipe {
            array: rng.below(2),
            row: rng.below(4),
            step: rng.pick(&[1, 3]),
            op: rng.below(9),
            sources: [rng.pick(&all), rng.pick(&all)],
            adds: rng.one_in(3),
            ahead: rng.below(2),
            by_row: rng.one_in(3),
            away: rng.below(4),
        }
    }
}

/// Writes to two arrays of what is read from them and a third, most of them to neighbours and alike.
fn program(rng: &mut Rng) -> String {
    let mut text =
        "fn f(a: f64[3, 4], b: f64[3, 4], c: f64[3, 4], k: i64, s: f64) -> (f64[3, 4], f64[3, 4]) {\n"
            .to_string();
    let mut next = 0;
    let mut line = |what: String| {
        writeln!(text, " v{next} = {what}").expect("a string takes all");
        next += 1;
        format!("v{}", next - 1)
    };
    let numbers: Vec<String> = (0..4).map(|n| line(format!("i64 {n}"))).collect();
    let rows: Vec<&str> = ["k"].into_iter().chain(numbers[..3].iter().map(String::as_str)).collect();
    let mut arrays = ["a", "b"].map(|a| vec![line(format!("update {a}, s, {}, {}", numbers[2], numbers[3]))]);
    let mut recipe = Recipe::new(rng);
    let mut ahead: Vec<String> = Vec::new();
    let mut column = rng.below(4);
    for _ in 0..6 + rng.below(8) {
        if rng.one_in(4) || ahead.is_empty() {
            recipe = Recipe::new(rng);
            let (array, row) = (&arrays[recipe.ahead], rows[recipe.row]);
            let array = array.last().expect("it has versions");
            let row =
                if recipe.by_row { line(format!("index {array}, {row}")) } else { format!("{array}, {row}") };
            ahead = numbers.iter().map(|at| line(format!("index {row}, {at}"))).collect();
        }
        column = (column + recipe.step) % 4;
        let (row, at) = (rows[recipe.row], &numbers[column]);
        let newest = arrays[recipe.array].last().expect("it has versions").clone();
        let [x, y] = recipe.sources.map(|source| {
            let place = match source {
                Source::Ahead => return ahead[(column + recipe.away) % 4].clone(),
                Source::Other => format!("c, {row}, {at}"),
                Source::Own => format!("{newest}, {row}, {at}"),
                Source::View => format!("{}, {at}", line(format!("index {newest}, {row}"))),
                Source::Any => {
                    let versions = &arrays[rng.below(2)];
                    format!("{}, {row}, {}", versions[rng.below(versions.len())], numbers[rng.below(4)])
                }
            };
            line(format!("index {place}"))
        });
        let value = line(match recipe.op {
            0 => format!("mul {x}, s"),
            1 => format!("sub {x}, {y}"),
            2 => format!("add {x}, {y}"),
            3 => format!("square {x}"),
            4 => format!("neg {x}"),
            5 => format!("abs {x}"),
            6 => format!("div {x}, {y}"),
            7 => format!("sqrt {x}"),
            _ => format!("fma {x}, s, {y}"),
        });
        let kind = if recipe.adds { "add_at" } else { "update" };
        arrays[recipe.array].push(line(format!("{kind} {newest}, {value}, {row}, {at}")));
    }
    let last = arrays.each_ref().map(|versions| versions[versions.len() - 1].clone());
    writeln!(text, " return {}\n}}", last.join(", ")).expect("a string takes all");
    text
}

#[test]
fn whatever_is_written_has_the_bits_of_the_interpreter() {
    let mut rng = Rng::new(5);
    let mut vectors = 0;
    for _ in 0..400 {
        let text = program(&mut rng);
        let m = parse(&text);
        vectors += stored(&text);
        let mut numbers = || {
            Datum::Array(Array::new(vec![3, 4], (0..12).map(|_| rng.real(-1.0, 1.0)).collect::<Vec<f64>>()))
        };
        let arrays = [(); 3].map(|()| numbers());
        for (k, unit_ops) in [(0, 1 << 20), (2, 1 << 20), (1, 6), (3, 1 << 20)] {
            let numbers = [Datum::Scalar(Const::I64(k)), Datum::Scalar(Const::F64(0.75))];
            let args: Vec<Datum> = arrays.iter().cloned().chain(numbers).collect();
            let how = (unit_ops, Options::default().strips, Effort::Full, Options::default().simd);
            let f = compile_with(&m, FuncId(0), how);
            let expected = interpret(&m, FuncId(0), &args);
            let found = f.call_data(&mut Workspace::new(), &args);
            assert!(same(&expected, &found), "{text}\n{expected:?}\n{found:?}");
        }
    }
    assert!(!is_there() || vectors > 100, "{vectors}");
}

//! What an elementary function costs beside the C library's, in ns a call: of numbers that do not depend on each other, and of a chain in
//! which each call waits for the one before. The least of many batches, all taken in turn. `four`: ns a number where one call takes four.
//! `cargo bench -p adc-runtime --bench functions -- NAME` for functions whose names contain NAME.

use adc_runtime::abi::{Native, quad, real};
use std::ffi::c_double;
use std::hint::black_box;
use std::time::Instant;

macro_rules! c {
    ($($name:ident)*; $($two:ident)*) => {
        mod c {
            use super::c_double;
            // SAFETY: these are functions of C's mathematical library, with their signatures.
            unsafe extern "C" {
                $(pub safe fn $name(x: c_double) -> c_double;)*
                $(pub safe fn $two(a: c_double, b: c_double) -> c_double;)*
            }
        }
        fn one(name: &str) -> Option<extern "C" fn(f64) -> f64> {
            match name {
                $(stringify!($name) => {
                    extern "C" fn call(x: f64) -> f64 { c::$name(x) }
                    Some(call)
                })*
                "gamma" => {
                    extern "C" fn call(x: f64) -> f64 { c::tgamma(x) }
                    Some(call)
                }
                _ => None,
            }
        }
        fn two(name: &str) -> Option<extern "C" fn(f64, f64) -> f64> {
            match name {
                $(stringify!($two) => {
                    extern "C" fn call(a: f64, b: f64) -> f64 { c::$two(a, b) }
                    Some(call)
                })*
                _ => None,
            }
        }
    };
}

c! {
    exp expm1 exp2 log log2 log10 log1p cbrt sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh erf erfc tgamma lgamma j0 j1
    y0 y1; pow hypot atan2
}

const NUMBERS: usize = 512;
const ROUNDS: usize = 60;

/// Where a function is asked.
fn range(name: &str) -> [f64; 2] {
    match name {
        "log" | "log2" | "log10" | "y0" | "y1" => [0.01, 20.0],
        "log1p" => [-0.9, 10.0],
        "asin" | "acos" | "atanh" => [-0.99, 0.99],
        "acosh" => [1.0, 20.0],
        "gamma" | "lgamma" | "digamma" => [0.1, 20.0],
        "pow" => [0.1, 5.0],
        _ => [-10.0, 10.0],
    }
}

fn inputs(name: &str) -> Vec<f64> {
    let [lo, hi] = range(name);
    // The golden ratio's multiples are spread evenly, and no branch predictor learns them.
    let at = |i: usize| (i as f64 * 0.6180339887498949).fract();
    (0..NUMBERS).map(|i| lo + at(i * i + 1) * (hi - lo)).collect()
}

/// A way to call a function: its time and where it is noted.
struct Way<'a> {
    run: Box<dyn FnMut() + 'a>,
    calls: f64,
    best: f64,
}

impl<'a> Way<'a> {
    fn new(calls: usize, run: impl FnMut() + 'a) -> Way<'a> {
        Way { run: Box::new(run), calls: calls as f64, best: f64::INFINITY }
    }
}

fn main() {
    let only: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with('-')).collect();
    let fours = if quad::is_there() { quad::rows() } else { Vec::new() };
    println!(
        "{:14}{:>8}{:>8}{:>8}{:>10}{:>8}{:>8}{:>8}",
        "ns a call", "adc", "C", "ratio", "in chain", "C", "ratio", "four"
    );
    for row in real::ROWS.iter().map(|r| r.direct()) {
        if !only.is_empty() && !only.iter().any(|o| row.name.contains(o.as_str())) {
            continue;
        }
        // By address, as compiled code calls them.
        let boxed = |f: extern "C" fn(f64) -> f64| -> Box<dyn Fn(f64) -> f64> {
            let f = black_box(f);
            Box::new(move |x| f(x))
        };
        let boxed_two = |f: extern "C" fn(f64, f64) -> f64| -> Box<dyn Fn(f64) -> f64> {
            let f = black_box(f);
            Box::new(move |x| f(x, 1.7))
        };
        let (f, reference) = match row.native {
            Native::R1(f) => (boxed(f), one(row.name).map(boxed)),
            Native::R2(f) => (boxed_two(f), two(row.name).map(boxed_two)),
            _ => continue,
        };
        let x = inputs(row.name);
        let each = |g: &dyn Fn(f64) -> f64, x: &[f64]| x.iter().for_each(|x| _ = black_box(g(*x)));
        // The next number, and nothing of the last result but that it had to be there.
        let chain = |g: &dyn Fn(f64) -> f64, x: &[f64]| {
            let mut y = 0.0;
            x.iter().for_each(|x| y = g(x + f64::from_bits(f64::to_bits(y) & black_box(0))));
            black_box(y);
        };
        let mut ways = vec![Way::new(NUMBERS, || each(&f, &x)), Way::new(NUMBERS, || chain(&f, &x))];
        if let Some(g) = &reference {
            ways.push(Way::new(NUMBERS, || each(g, &x)));
            ways.push(Way::new(NUMBERS, || chain(g, &x)));
        }
        let together = fours.iter().find(|r| r.ops.contains(&row.name));
        if let Some(four) = together {
            let at = std::ptr::with_exposed_provenance::<()>(four.address);
            let x = &x;
            let mut out = [0.0; 8];
            let run: Box<dyn FnMut()> = match four.operands {
                1 => {
                    // SAFETY: the row says that this is its signature.
                    let f = unsafe {
                        std::mem::transmute::<*const (), unsafe extern "C" fn(f64, f64, f64, f64, *mut f64)>(
                            at,
                        )
                    };
                    Box::new(move || {
                        x.chunks(4).for_each(|c| {
                            let out = black_box(out.as_mut_ptr());
                            // SAFETY: there is room for both functions' results.
                            unsafe { f(c[0], c[1], c[2], c[3], out) }
                        })
                    })
                }
                _ => {
                    type F = unsafe extern "C" fn(f64, f64, f64, f64, f64, f64, f64, f64, *mut f64);
                    // SAFETY: as above.
                    let f = unsafe { std::mem::transmute::<*const (), F>(at) };
                    Box::new(move || {
                        // SAFETY: as above.
                        x.chunks(4).for_each(|c| unsafe {
                            f(c[0], c[1], c[2], c[3], 1.7, 1.7, 1.7, 1.7, black_box(out.as_mut_ptr()))
                        })
                    })
                }
            };
            ways.push(Way { run, calls: NUMBERS as f64, best: f64::INFINITY });
        }
        for _ in 0..ROUNDS {
            for way in &mut ways {
                let start = Instant::now();
                (way.run)();
                way.best = way.best.min(start.elapsed().as_nanos() as f64 / way.calls);
            }
        }
        let ns: Vec<f64> = ways.iter().map(|w| w.best).collect();
        let four = together.and(ns.last()).map_or_else(String::new, |n| format!("{n:.1}"));
        match reference {
            Some(_) => println!(
                "{:14}{:8.1}{:8.1}{:8.2}{:10.1}{:8.1}{:8.2}{four:>8}",
                row.name,
                ns[0],
                ns[2],
                ns[0] / ns[2],
                ns[1],
                ns[3],
                ns[1] / ns[3]
            ),
            None => println!(
                "{:14}{:8.1}{:>8}{:>8}{:10.1}{:>8}{:>8}{four:>8}",
                row.name, ns[0], "-", "-", ns[1], "-", "-"
            ),
        }
    }
}

//! File tests of the interpreter on whole programs: values, run-time errors, limits.
//!
//! A case has lines `; run f(1.0, [[1, 2], [3, 4]])`, each a call of a function with arguments as its parameters' types
//! say; `; fuel n` and `; bytes n` set limits for the case. A complex number is `(re, im)`.

use adc_ir::interp::{Interp, Limits, NoExterns, Val};
use adc_ir::testing::StdMath;
use adc_ir::testing::filetest::{self, Case};
use adc_ir::text::parse_module;
use adc_ir::verify::assert_valid;
use adc_ir::*;
use num_complex::Complex64;

#[test]
fn programs() {
    filetest::run(format!("{}/tests/files/run", env!("CARGO_MANIFEST_DIR")), ";", |case| {
        let m = parse_module(case.input).unwrap_or_else(|d| {
            panic!("{}: {}\n{}", case.name, d.message, &case.input[d.span().start as usize..])
        });
        assert_valid(&m, case.name);
        let limit = |word: &str, default: u64| {
            words(case, word).next().map_or(default, |n| n.parse().expect("a number"))
        };
        let default = Limits::default();
        let limits = Limits { fuel: limit("fuel", default.fuel), bytes: limit("bytes", default.bytes) };
        words(case, "run").map(|call| outcome(&m, limits, call)).collect::<Vec<_>>().join("\n")
    });
}

/// What follows a word in the comments of a case.
fn words<'a>(case: &Case<'a>, word: &'a str) -> impl Iterator<Item = &'a str> {
    case.input.lines().filter_map(move |l| Some(l.strip_prefix("; ")?.strip_prefix(word)?.trim()))
}

fn outcome(m: &Module, limits: Limits, call: &str) -> String {
    let (name, args) = call.trim_end_matches(')').split_once('(').expect("name(arguments)");
    let f = m.find(name).unwrap_or_else(|| panic!("no function `{name}`"));
    let func = m.func(f);
    let mut rest = args;
    let args: Vec<Val<f64>> =
        func.params.iter().map(|p| value(&mut rest, func.ty(p.value).scalar())).collect();
    assert_eq!(rest.trim(), "", "arguments of {call}");
    if let Err(e) = bind_dims(func, &args) {
        return format!("does not fit: {e}");
    }
    match (Interp { limits, ..Interp::new(m, &StdMath, &NoExterns) }).call(f, &args) {
        Ok(values) => {
            let shown = values.iter().zip(&func.results).map(|(v, r)| show(v, r.ty.scalar()));
            shown.collect::<Vec<_>>().join(", ")
        }
        Err(e) => {
            let d = e.diagnostic();
            format!("{}: {e}", d.code)
        }
    }
}

/// Reads a value, and the comma behind it.
fn value(rest: &mut &str, ty: Scalar) -> Val<f64> {
    let (v, shape) = nested(rest, ty);
    *rest = rest.trim_start().trim_start_matches(',');
    if shape.is_empty() { v.into_iter().next().expect("one element") } else { Val::array(&shape, v) }
}

fn nested(rest: &mut &str, ty: Scalar) -> (Vec<Val<f64>>, Vec<usize>) {
    *rest = rest.trim_start();
    if let Some(inner) = rest.strip_prefix('[') {
        *rest = inner;
        let (mut data, mut count, mut sizes) = (Vec::new(), 0, Vec::new());
        loop {
            *rest = rest.trim_start().trim_start_matches(',').trim_start();
            if let Some(after) = rest.strip_prefix(']') {
                *rest = after;
                return (data, [vec![count], sizes].concat());
            }
            let (part, inner) = nested(rest, ty);
            data.extend(part);
            (count, sizes) = (count + 1, inner);
        }
    }
    let mut part = || -> String {
        *rest = rest.trim_start_matches([' ', ',', '(']);
        let end = rest.find([',', ']', ')', ' ']).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        *rest = after;
        word.into()
    };
    let c = match ty {
        Scalar::Bool => Const::Bool(part() == "true"),
        Scalar::I64 => Const::I64(part().parse().expect("an integer")),
        Scalar::F32 | Scalar::F64 => Const::real(part().parse().expect("a real"), ty),
        Scalar::C64 | Scalar::C128 => {
            let (re, im) = (part().parse().expect("a real"), part().parse().expect("a real"));
            *rest = rest.strip_prefix(')').unwrap_or(rest);
            Const::from_c128(Complex64::new(re, im), ty)
        }
    };
    (vec![Val::from_const(c)], Vec::new())
}

fn show(v: &Val<f64>, ty: Scalar) -> String {
    fn array(shape: &[usize], data: &[Const]) -> String {
        match shape {
            [] => match data[0] {
                Const::Bool(b) => b.to_string(),
                Const::I64(n) => n.to_string(),
                Const::F32(x) => format!("{x:?}"),
                Const::F64(x) => format!("{x:?}"),
                Const::C64(z) => format!("({:?}, {:?})", z.re, z.im),
                Const::C128(z) => format!("({:?}, {:?})", z.re, z.im),
            },
            [n, inner @ ..] => {
                let step = inner.iter().product::<usize>();
                let rows: Vec<String> = (0..*n).map(|i| array(inner, &data[i * step..])).collect();
                format!("[{}]", rows.join(", "))
            }
        }
    }
    let shape: &[usize] = if let Val::Array(a) = v { a.shape() } else { &[] };
    array(shape, &v.to_consts(ty))
}

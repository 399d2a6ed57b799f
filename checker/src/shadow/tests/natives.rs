//! The native double-double functions by 384-bit arithmetic, for the interpreter.

use super::reference::{limit, map, numbers};
use adc_ir::interp::{ExternCalls, Interp, NoExterns, ResultType, Val};
use adc_ir::*;
use adc_jit::RuntimeMath;
use adc_precise::{Big, BigMath};

/// Functions `dd.…` of [`super::super`]; any other name is an error.
pub struct BigNatives;

/// hi + lo, with the zeros of hi.
pub fn sum(hi: f64, lo: f64) -> Big {
    if hi == 0.0 { hi.into() } else { Big::from(hi) + lo.into() }
}

/// A number as hi and lo.
pub fn halves(x: Big) -> (f64, f64) {
    let hi = x.to_f64();
    let lo = if hi.is_finite() { (x - hi.into()).to_f64() } else { 0.0 };
    (hi, lo)
}

/// The value hi + lo.
fn joined(hi: &Val<f64>, lo: &Val<f64>) -> Val<Big> {
    let mut lo = numbers(lo).into_iter();
    map(hi, &mut |hi: &f64| sum(*hi, lo.next().expect("as many as of hi")))
}

/// A function with the single instruction that a name stands for, with operands like these.
fn program(name: &str, args: &[Val<f64>]) -> Option<(Module, FuncId)> {
    let real = matches!(numbers_type(args), Scalar::F64);
    let name = if real { name } else { name.strip_prefix('c').filter(|_| name != "cis")? };
    // Native functions of matrices take their sizes first.
    let sizes = if Op::from_name(name).is_some() { 0 } else { args.iter().take_while(|v| is_int(v)).count() };
    let mut b = Builder::new("one", Span::NONE);
    let mut params = Vec::new();
    let mut rest = &args[sizes..];
    while let Some(v) = rest.first() {
        params.push(b.param(format!("x{}", params.len()), data(v)));
        rest = &rest[if is_int(v) { 1 } else { 2 }..];
    }
    let y = match (Op::from_name(name), LinalgOp::from_name(name)) {
        (Some(op), _) => b.op(op, &params),
        (None, Some(op)) => b.linalg(op, &params),
        (None, None) if name == "matmul" => b.matmul(params[0], params[1]),
        (None, None) => return None,
    };
    let mut m = Module::default();
    let f = m.add(b.finish(vec![("y".to_string(), y)]));
    Some((m, f))
}

fn is_int(v: &Val<f64>) -> bool {
    matches!(v, Val::I64(_))
}

fn data(v: &Val<f64>) -> ValueData {
    match v {
        Val::Bool(_) => Scalar::Bool.into(),
        Val::I64(_) => Scalar::I64.into(),
        Val::Real(_) => Scalar::F64.into(),
        Val::Complex(_) => Scalar::C128.into(),
        Val::Array(a) => {
            let shape = a.shape().iter().map(|n| Dim::constant(*n as i64)).collect();
            // An array without elements counts as real.
            let elem = a.data().first().map_or(Scalar::F64, |v| data(v).ty.scalar());
            ValueData::array(elem, shape)
        }
    }
}

/// The type of the operands that are pairs.
fn numbers_type(args: &[Val<f64>]) -> Scalar {
    args.iter().map(|v| data(v).ty.scalar()).find(|s| s.is_float()).expect("natives take floats")
}

impl ExternCalls<f64> for BigNatives {
    fn call(&self, name: &str, args: &[Val<f64>], results: &[ResultType]) -> Result<Vec<Val<f64>>, i32> {
        if let Some(one) = name.strip_prefix("dd.each_") {
            let one = format!("dd.{one}");
            let [_, hi, lo] = args else { return Err(-1) };
            let mut pairs = Vec::new();
            for (hi, lo) in numbers(hi).into_iter().zip(numbers(lo)) {
                let pair = self.call(&one, &[Val::Real(hi), Val::Real(lo)], results)?;
                pairs.push([numbers(&pair[0])[0], numbers(&pair[1])[0]]);
            }
            let half = |k: usize| {
                let mut pairs = pairs.iter();
                map(hi, &mut |_: &f64| pairs.next().expect("as many as operands")[k])
            };
            return Ok(vec![half(0), half(1)]);
        }
        let (m, f) = name.strip_prefix("dd.").and_then(|name| program(name, args)).ok_or(-1)?;
        let func = m.func(f);
        let (mut his, mut exact) = (Vec::new(), Vec::new());
        let values = func.params.iter().map(|p| 1 + func.ty(p.value).is_differentiable() as usize);
        let mut rest = &args[args.len() - values.sum::<usize>()..];
        for p in &func.params {
            let float = func.ty(p.value).is_differentiable();
            his.push(rest[0].clone());
            exact.push(joined(&rest[0], &rest[float as usize]));
            rest = &rest[1 + float as usize..];
        }
        assert_eq!(results.len(), 2);
        let finite = his.iter().flat_map(numbers).all(f64::is_finite);
        if !finite {
            let plain = Interp::new(&m, &RuntimeMath, &NoExterns).call(f, &his).map_err(|_| 1)?;
            let operands: Vec<Big> = match name {
                "dd.logaddexp" => exact.iter().flat_map(numbers).collect(),
                _ => Vec::new(),
            };
            let half = |lo: bool| {
                map(&plain[0], &mut |y: &f64| {
                    let halves = halves(limit(*y, &operands));
                    if lo { halves.1 } else { halves.0 }
                })
            };
            return Ok(vec![half(false), half(true)]);
        }
        let y = match Interp::new(&m, &BigMath, &NoExterns).call(f, &exact) {
            Ok(y) => y,
            Err(RuntimeError { trap: Trap::Singular, .. }) => return Err(2),
            Err(_) => return Err(1),
        };
        let hi = map(&y[0], &mut |x: &Big| halves(*x).0);
        Ok(vec![hi, map(&y[0], &mut |x: &Big| halves(*x).1)])
    }
}

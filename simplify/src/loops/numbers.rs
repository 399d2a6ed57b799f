//! Integers that a loop carries, as real numbers: lanes have no others. Counts and indices that are chosen, as the loop that finds out
//! which terms attain a minimum carries; they stay far below 2⁵³, so that nothing is rounded.

use super::scan;
use adc_ir::dims::Known;
use adc_ir::{Const, Func, Inst, Kind, Op, Scalar, Type, Value};
use rustc_hash::{FxHashMap, FxHashSet};

/// What the loop may begin with or add in one addition, at most, and how many iterations there may be; additions of one iteration.
const MOST: i64 = 1 << 20;
const ADDITIONS: usize = 1 << 8;

/// If a loop runs a known number of times, and what it carries are real numbers or such integers: what it makes of these integers.
pub(super) fn found(inst: &Inst, f: &Func, known: &Known) -> Option<FxHashSet<Value>> {
    let turns = |k: usize| known.number(inst.args[k]).filter(|n| n.abs() <= MOST);
    (turns(0).is_some() && turns(1).is_some() && known.number(inst.args[2]) == Some(1)).then_some(())?;
    let small = |v: &Value| known.number(*v).is_some_and(|n| n.abs() <= MOST);
    let starts = inst.args[3..].iter().all(|v| match f.ty(*v) {
        Type::F64 => true,
        Type::I64 => small(v),
        _ => false,
    });
    let body = &inst.regions[0];
    let carries = &body.params[1..];
    let integer = |v: &Value| f.ty(*v) == Type::I64;
    let mut made: FxHashSet<Value> = carries.iter().copied().filter(integer).collect();
    let mut additions = 0;
    for inst in &body.insts {
        let mut uses = false;
        scan::uses(inst, f, &mut |v| uses |= made.contains(&v));
        if !uses {
            continue;
        }
        let number = |v: &Value| made.contains(v) || *v == body.params[0] || small(v);
        let fits = match &inst.kind {
            Kind::Op(Op::Select) => inst.args[1..].iter().all(number),
            Kind::Op(Op::Add) => inst.args.iter().any(small),
            _ => false,
        };
        additions += usize::from(inst.kind == Kind::Op(Op::Add));
        (fits && inst.results.iter().all(integer)).then_some(())?;
        made.extend(&inst.results);
    }
    let last = |v: &Value| !integer(v) || made.contains(v) || *v == body.params[0] || small(v);
    let [carried, others] = [&body.yields[..carries.len()], &body.yields[carries.len()..]];
    let fits = carried.iter().all(last) && others.iter().all(|v| f.ty(*v) == Type::F64);
    (starts && fits && additions <= ADDITIONS).then_some(made)
}

/// Makes them real numbers; by each result that was an integer, the number it is now. What the loop begins with is added to `before`.
pub(super) fn make(
    inst: &mut Inst,
    f: &mut Func,
    known: &Known,
    before: &mut Vec<Inst>,
) -> FxHashMap<Value, Value> {
    let integers: Vec<usize> =
        (0..inst.args.len() - 3).filter(|k| f.ty(inst.args[3 + k]) == Type::I64).collect();
    let span = inst.span;
    let mut to: FxHashMap<Value, Value> = FxHashMap::default();
    let body = &mut inst.regions[0];
    let mut head = Vec::new();
    let index = body.params[0];
    to.insert(index, scan::emit(f, Kind::Op(Op::ToF64), &[index], Scalar::F64.into(), span, &mut head));
    for k in &integers {
        let start = known.number(inst.args[3 + k]).expect("it can be one");
        inst.args[3 + k] = scan::constant(f, Const::F64(start as f64), span, before);
        let param = f.fresh(Scalar::F64.into());
        to.insert(std::mem::replace(&mut body.params[1 + k], param), param);
    }
    let mut number = |v: Value, f: &mut Func, to: &mut FxHashMap<Value, Value>| match to.get(&v) {
        Some(x) => *x,
        None => {
            let n = known.number(v).expect("it can be one");
            let x = scan::constant(f, Const::F64(n as f64), span, &mut head);
            to.insert(v, x);
            x
        }
    };
    for inst in &mut body.insts {
        let first = match inst.kind {
            Kind::Op(Op::Select) => 1,
            Kind::Op(Op::Add) => 0,
            _ => continue,
        };
        if !inst.args[first..].iter().any(|v| *v != index && to.contains_key(v) && known.number(*v).is_none())
        {
            continue;
        }
        for v in &mut inst.args[first..] {
            *v = number(*v, f, &mut to);
        }
        let new = f.fresh(Scalar::F64.into());
        to.insert(std::mem::replace(&mut inst.results[0], new), new);
    }
    for k in &integers {
        body.yields[*k] = number(body.yields[*k], f, &mut to);
    }
    head.append(&mut body.insts);
    body.insts = head;
    let mut now = FxHashMap::default();
    for k in integers {
        let new = f.fresh(Scalar::F64.into());
        now.insert(std::mem::replace(&mut inst.results[k], new), new);
    }
    now
}

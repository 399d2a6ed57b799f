//! What both modes need at calls of functions with hand-written rules.

use crate::emit::{Emitter, Ex, Operands};
use crate::formula::Formula;
use crate::rules::Partial;
use adc_ir::{Func, Op, Value};
use smallvec::smallvec;

/// One operand of a `rule partial`.
pub(crate) struct RulePartial {
    /// The parameter's position.
    pub(crate) param: usize,
    pub(crate) partial: Partial,
    /// What the rule returned for it.
    pub(crate) operands: Operands,
}

/// The results of a partial rule of `callee` as rows: D of a real parameter, W and maybe CW of a complex one.
pub(crate) fn partial_rule(callee: &Func, holomorphic: &[bool], found: &[Value]) -> Vec<RulePartial> {
    let complex_result = callee.results[0].ty.scalar().is_complex();
    let real = callee.results[0].ty.scalar().real();
    let mut found = found.iter().map(|v| Ex::Val(*v));
    let mut next = || found.next().expect("the rule has a result for each partial");
    let mut out = Vec::new();
    for (k, param) in callee.differentiable_params().into_iter().enumerate() {
        let (partial, x) = if !callee.param_ty(param).scalar().is_complex() {
            (Partial::D(Formula::X(0)), smallvec![next()])
        } else if holomorphic.get(k).copied().unwrap_or(false) && complex_result {
            (Partial::Holo(Formula::X(0)), smallvec![next()])
        } else {
            let x = smallvec![next(), next()];
            let pair = Partial::Pair { w: Formula::X(0), cw: Formula::X(1) };
            (if complex_result { pair } else { Partial::Grad(2.0 * Formula::X(1)) }, x)
        };
        out.push(RulePartial { param, partial, operands: Operands { x, y: None, real } });
    }
    out
}

/// The arguments of a call as a rule of the callee takes them. A rule knows nothing of `#[nodiff]`, which freezes an
/// argument at every order.
pub(crate) fn frozen(em: &mut Emitter, callee: &Func, args: &[Value]) -> Vec<Value> {
    let freeze =
        |(i, v): (usize, &Value)| match callee.params[i].nodiff && callee.param_ty(i).is_differentiable() {
            true => em.b.op(Op::StopGradient, &[*v]),
            false => *v,
        };
    args.iter().enumerate().map(freeze).collect()
}

/// Which of the parameters of a function its body reads.
pub(crate) fn read_params(func: &Func) -> Vec<bool> {
    let mut read = vec![false; func.values.len()];
    fn region(r: &adc_ir::Region, read: &mut [bool]) {
        for inst in &r.insts {
            inst.args.iter().for_each(|a| read[a.0 as usize] = true);
            inst.regions.iter().for_each(|r| region(r, read));
        }
        r.yields.iter().for_each(|v| read[v.0 as usize] = true);
    }
    match func.region() {
        Some(body) => region(body, &mut read),
        None => read.fill(true),
    }
    func.params.iter().map(|p| read[p.value.0 as usize]).collect()
}

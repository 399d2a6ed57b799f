//! What both modes need at calls of functions with hand-written rules.

use crate::emit::{Emitter, Ex, Operands};
use crate::formula::Formula;
use crate::rules::Partial;
use adc_ir::{Dim, Func, Inst, Value};
use smallvec::smallvec;

/// The arguments of a call, which stand behind the callee's dimensions.
pub(crate) fn arguments<'a>(callee: &Func, call: &'a Inst) -> &'a [Value] {
    &call.args[callee.dims.len()..]
}

/// The dimensions and parameters of a function: the operands of a call that passes them on.
pub(crate) fn entry(func: &Func) -> Vec<Value> {
    func.dims.iter().map(|d| d.value).chain(func.params.iter().map(|p| p.value)).collect()
}

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

/// The operands of a call, dimensions first, as a rule of the callee takes them. A rule knows nothing of `#[nodiff]`,
/// which freezes an argument at every order.
pub(crate) fn frozen(em: &mut Emitter, callee: &Func, operands: &[Value]) -> Vec<Value> {
    let (dims, args) = operands.split_at(callee.dims.len());
    let freeze =
        |(i, v): (usize, &Value)| match callee.params[i].nodiff && callee.param_ty(i).is_differentiable() {
            true => em.stopped(*v),
            false => *v,
        };
    let args: Vec<Value> = args.iter().enumerate().map(freeze).collect();
    [dims, &args].concat()
}

/// Which of the operands of a call a function needs: its dimensions, then of its parameters those that its body or the
/// size of another one reads.
pub(crate) fn read_params(func: &Func) -> Vec<bool> {
    let mut read = vec![false; func.values.len()];
    let shapes = func.params.iter().flat_map(|p| func.shape(p.value));
    let shapes = shapes.chain(func.results.iter().flat_map(|r| &r.shape));
    let sizes = shapes.flat_map(Dim::vars).filter(|v| func.entry_position(*v).is_some());
    sizes.chain(func.dims.iter().map(|d| d.value)).for_each(|v| read[v.0 as usize] = true);
    fn region(func: &Func, r: &adc_ir::Region, read: &mut [bool]) {
        for inst in &r.insts {
            inst.uses(func).for_each(|a| read[a.0 as usize] = true);
            inst.regions.iter().for_each(|r| region(func, r, read));
        }
        r.yields.iter().for_each(|v| read[v.0 as usize] = true);
    }
    match func.region() {
        Some(body) => region(func, body, &mut read),
        None => read.fill(true),
    }
    entry(func).into_iter().map(|v| read[v.0 as usize]).collect()
}

//! A function with one use of a value excluded from its derivative, which is the derivative of a rule that forgets a term.

use adc_ir::*;

/// Limit of the uses that are excluded, one after the other.
const MAX_USES: usize = 24;

/// A use of a value by a scalar op.
#[derive(Clone, Debug)]
struct Use {
    path: Vec<(usize, usize)>,
    at: usize,
    operand: usize,
    span: Span,
}

/// Variants of a function, each with one operand inside a `stop_gradient`.
pub(super) fn variants(m: &mut Module, f: FuncId) -> Vec<FuncId> {
    let func = m.func(f).clone();
    let Some(body) = func.region() else { return Vec::new() };
    let mut uses = Vec::new();
    collect(&func, body, &mut Vec::new(), &mut uses);
    uses.truncate(MAX_USES);
    let mut out = Vec::new();
    for u in uses {
        let mut variant = func.clone();
        variant.name = m.fresh_name(&format!("{} less {}", func.name, out.len()));
        variant.rules.clear();
        let new = Value(variant.values.len() as u32);
        let Body::Region(body) = &mut variant.body else { unreachable!("cloned from one") };
        let region = u.path.iter().fold(body, |r, (inst, k)| &mut r.insts[*inst].regions[*k]);
        let old = std::mem::replace(&mut region.insts[u.at].args[u.operand], new);
        let data = variant.values[old.0 as usize].clone();
        variant.values.push(data);
        let stop = Inst {
            kind: Kind::Op(Op::StopGradient),
            args: [old].into_iter().collect(),
            results: [new].into_iter().collect(),
            regions: Vec::new(),
            span: u.span,
        };
        region.insts.insert(u.at, stop);
        out.push(m.add(variant));
    }
    out
}

fn collect(func: &Func, r: &Region, path: &mut Vec<(usize, usize)>, out: &mut Vec<Use>) {
    for (at, inst) in r.insts.iter().enumerate() {
        if let Kind::Op(_) = inst.kind {
            for (operand, v) in inst.args.iter().enumerate() {
                if func.ty(*v).is_differentiable() {
                    out.push(Use { path: path.clone(), at, operand, span: inst.span });
                }
            }
        }
        for (k, inner) in inst.regions.iter().enumerate() {
            path.push((at, k));
            collect(func, inner, path, out);
            path.pop();
        }
    }
}

/// A copy of a function that calls the second function in place of the first.
pub(super) fn caller(m: &mut Module, func: &Func, (old, new): (FuncId, FuncId)) -> FuncId {
    let mut copy = Func { name: m.fresh_name(&func.name), rules: Vec::new(), ..func.clone() };
    if let Body::Region(body) = &mut copy.body {
        for inst in &mut body.insts {
            if inst.kind == Kind::Call(old) {
                inst.kind = Kind::Call(new);
            }
        }
    }
    m.add(copy)
}

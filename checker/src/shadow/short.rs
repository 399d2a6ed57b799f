//! Short loops written out, where they call native functions inside of longer loops: these can then call the functions for all
//! of their iterations at once ([`super::batches`]). Nothing else is computed.

use super::batches::{FEWEST, MOST, of_arrays};
use adc_ir::dims::Known;
use adc_ir::*;
use rustc_hash::FxHashMap;

/// Instructions that take the place of a loop, at most.
const LONG: usize = 1000;

/// Writes out the short loops of `f`.
pub(super) fn run(m: &mut Module, f: FuncId) {
    if !m.func(f).callees().iter().any(|g| of_arrays(m, *g).is_some()) {
        return;
    }
    let mut func = m.func(f).clone();
    let known = Known::of(&func);
    let Body::Region(body) = &mut func.body else { return };
    let mut body = std::mem::take(body);
    let mut short = Short { m, f: func, known };
    short.region(&mut body, false);
    let mut func = short.f;
    func.body = Body::Region(body);
    m.funcs[f.0 as usize] = func;
}

struct Short<'a> {
    m: &'a Module,
    f: Func,
    known: Known,
}

impl Short<'_> {
    /// `inside`: a loop that could be split.
    fn region(&mut self, r: &mut Region, inside: bool) {
        let mut names: FxHashMap<Value, Value> = FxHashMap::default();
        let mut out = Vec::with_capacity(r.insts.len());
        for mut inst in std::mem::take(&mut r.insts) {
            let count = self.count(&inst);
            let long = count.is_some_and(|n| (FEWEST..=MOST).contains(&n));
            inst.regions.iter_mut().for_each(|r| self.region(r, inside || long));
            match count.filter(|n| inside && (1..FEWEST).contains(n) && self.pays(&inst, *n)) {
                Some(count) => self.written(&inst, count, &mut names, &mut out),
                None => out.push(inst),
            }
        }
        r.insts = out;
        if !names.is_empty() {
            r.rename_uses(&|v| {
                let mut v = v;
                while let Some(new) = names.get(&v) {
                    v = *new;
                }
                v
            });
        }
    }

    /// The number of iterations of a loop that begins at 0, if it is known.
    fn count(&self, inst: &Inst) -> Option<i64> {
        let Kind::For(_) = inst.kind else { return None };
        let [lo, hi, step] = [0, 1, 2].map(|k| self.known.dim(inst.args[k]).as_const());
        hi.filter(|_| (lo, step) == (Some(0), Some(1)))
    }

    fn pays(&self, inst: &Inst, count: i64) -> bool {
        let (body, l) = (&inst.regions[0], inst.kind.as_loop().unwrap_or_default());
        let carries = body.params.len() - 1;
        let number = |v: &Value| !self.f.ty(*v).is_array() && self.f.ty(*v).scalar().is_float();
        let calls = |i: &Inst| matches!(i.kind, Kind::Call(g) if of_arrays(self.m, g).is_some());
        body.insts.iter().any(calls)
            && body.insts.len().saturating_mul(count as usize) <= LONG
            // A size would have to be renamed in what has it, and other sums have another order.
            && inst.results[..carries].iter().all(|v| self.f.ty(*v) != Type::I64)
            && inst.results[carries..carries + l.sums as usize].iter().all(number)
    }

    /// The iterations one after the other; `names` learns what stands for the results.
    fn written(&mut self, inst: &Inst, count: i64, names: &mut FxHashMap<Value, Value>, out: &mut Vec<Inst>) {
        let (body, l) = (&inst.regions[0], inst.kind.as_loop().unwrap_or_default());
        let carries = body.params.len() - 1;
        let mut carried = inst.args[3..].to_vec();
        let mut gathered = vec![Vec::new(); body.yields.len() - carries];
        for k in 0..count {
            let index = self.emit(Kind::Const(Const::I64(k)), &[], Type::I64, inst.span, out);
            let mut copier = Copier::new(&|v| v);
            copier.name(body.params[0], index);
            body.params[1..].iter().zip(&carried).for_each(|(v, now)| copier.name(*v, *now));
            for inst in &body.insts {
                out.push(copier.inst(inst, &mut |names, v| {
                    let data = names.data(self.f.data(v));
                    self.f.fresh(data)
                }));
            }
            let yields: Vec<Value> = body.yields.iter().map(|v| copier.get(*v)).collect();
            carried = yields[..carries].to_vec();
            gathered.iter_mut().zip(&yields[carries..]).for_each(|(list, v)| list.push(*v));
        }
        names.extend(inst.results.iter().copied().zip(carried));
        let (sums, collects) = gathered.split_at(l.sums as usize);
        for (terms, result) in sums.iter().zip(&inst.results[carries..]) {
            let sum = self.sum(terms, inst.span, out);
            names.insert(*result, sum);
        }
        for (elements, result) in collects.iter().zip(&inst.results[carries + sums.len()..]) {
            out.push(Inst::simple(Kind::Pack, elements, *result, inst.span));
        }
    }

    /// In the order of [`ReduceOp::Sum`].
    fn sum(&mut self, terms: &[Value], span: Span, out: &mut Vec<Inst>) -> Value {
        let ty = self.f.ty(terms[0]);
        let zero = self.emit(Kind::Const(Const::zero(ty.scalar())), &[], ty, span, out);
        let add = Kind::Op(Op::Add);
        let mut partial: Vec<Value> =
            terms.iter().map(|term| self.emit(add.clone(), &[zero, *term], ty, span, out)).collect();
        let mut half = PARTIALS / 2;
        while half > 0 {
            for j in half..partial.len().min(2 * half) {
                let both = [partial[j - half], partial[j]];
                partial[j - half] = self.emit(add.clone(), &both, ty, span, out);
            }
            partial.truncate(half);
            half /= 2;
        }
        partial[0]
    }

    fn emit(&mut self, kind: Kind, args: &[Value], ty: Type, span: Span, out: &mut Vec<Inst>) -> Value {
        let v = self.f.fresh(ty.into());
        out.push(Inst::simple(kind, args, v, span));
        v
    }
}

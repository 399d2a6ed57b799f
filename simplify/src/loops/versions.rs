//! A loop of which nearly all iterations take one branch of an `if` gets a version without the other branch, for when all of them do: that
//! is asked before.
//!
//! Such a loop is the reverse of `sum(min(…) for i)`: where no minimum is attained twice, each cotangent goes to one place, and what looks
//! for the other places is out of the way.

use super::scan;
use adc_ir::dims::Known;
use adc_ir::{Const, Func, Inst, Kind, Op, ReduceOp, Region, Type, Value};
use rustc_hash::{FxHashMap, FxHashSet};

/// Iterations, at least, if their number is known.
const MANY: i64 = 32;
/// Instructions of the version without the other branch, and of the condition, at most.
const MOST: usize = 200;
const SHORT: usize = 16;

/// Returns whether there was any.
pub(crate) fn function(f: &mut Func) -> bool {
    let known = Known::of(f);
    let mut any = false;
    scan::edit(f, |body, f| any = Versions { f, known: &known }.region(body));
    any
}

struct Versions<'a> {
    f: &'a mut Func,
    known: &'a Known,
}

/// What nearly all iterations of a loop do.
struct Usual {
    /// The `if`, and the branch that they take.
    at: usize,
    side: usize,
    /// The instructions of the body that its condition needs.
    needs: FxHashSet<usize>,
}

impl Versions<'_> {
    fn region(&mut self, r: &mut Region) -> bool {
        let mut any = false;
        let mut out = Vec::with_capacity(r.insts.len());
        for mut inst in std::mem::take(&mut r.insts) {
            if let Some(usual) = self.usual(&inst) {
                self.versions(inst, &usual, &mut out);
                any = true;
            } else {
                inst.regions.iter_mut().for_each(|r| any |= self.region(r));
                out.push(inst);
            }
        }
        r.insts = out;
        any
    }

    /// The branch that a version of a loop is worth while for: there are fewer loops in it than in the other one.
    fn usual(&self, inst: &Inst) -> Option<Usual> {
        let Kind::For(_) = inst.kind else { return None };
        let [lo, hi] = [0, 1].map(|k| self.known.number(inst.args[k]));
        if lo.zip(hi).is_some_and(|(lo, hi)| hi.saturating_sub(lo) < MANY) {
            return None;
        }
        let body = &inst.regions[0];
        let made: FxHashMap<Value, usize> =
            body.insts.iter().enumerate().flat_map(|(k, i)| i.results.iter().map(move |v| (*v, k))).collect();
        body.insts.iter().enumerate().filter(|(_, i)| i.kind == Kind::If).find_map(|(at, branch)| {
            let side = usize::from(!usually(branch.args[0], body, &made, self.f)?);
            let [usual, other] = [side, 1 - side].map(|k| &branch.regions[k]);
            let fits = scan::size(body) - scan::size(other) <= MOST && depth(usual) < depth(other);
            let needs = self.needs(branch.args[0], body, &made).filter(|_| fits)?;
            Some(Usual { at, side, needs })
        })
    }

    /// The instructions that compute a condition, if they are few and need nothing that the loop carries.
    fn needs(&self, v: Value, body: &Region, made: &FxHashMap<Value, usize>) -> Option<FxHashSet<usize>> {
        let (mut found, mut open) = (FxHashSet::default(), vec![v]);
        while let Some(v) = open.pop() {
            if body.params[1..].contains(&v) {
                return None;
            }
            let Some(k) = made.get(&v) else { continue };
            let inst = &body.insts[*k];
            let scalar = !self.f.ty(v).is_array();
            if !scalar || !matches!(inst.kind, Kind::Const(_) | Kind::Op(_) | Kind::Index) {
                return None;
            }
            if found.insert(*k) {
                open.extend(&inst.args);
            }
        }
        (found.len() <= SHORT).then_some(found)
    }

    /// Both versions, and what decides.
    fn versions(&mut self, inst: Inst, Usual { at, side, needs }: &Usual, out: &mut Vec<Inst>) {
        let span = inst.span;
        let body = &inst.regions[0];
        // How many iterations take the other branch.
        let mut asks: Vec<Inst> =
            (0..body.insts.len()).filter(|k| needs.contains(k)).map(|k| body.insts[k].clone()).collect();
        let [zero, one] = [0.0, 1.0].map(|x| scan::constant(self.f, Const::F64(x), span, &mut asks));
        let cond = body.insts[*at].args[0];
        let args = if *side == 0 { [cond, zero, one] } else { [cond, one, zero] };
        let other = scan::emit(self.f, Kind::Op(Op::Select), &args, Type::F64.into(), span, &mut asks);
        let asks = Region { params: vec![body.params[0]], insts: asks, yields: vec![other] };
        let index = self.f.fresh(self.f.data(body.params[0]).clone());
        let (insts, yields) = scan::copy(&asks, self.f, &[index]);
        let others = self.f.fresh(Type::F64.into());
        out.push(Inst {
            kind: Kind::Reduce(ReduceOp::Sum),
            args: inst.args[..3].into(),
            results: [others].as_slice().into(),
            regions: vec![Region { params: vec![index], insts, yields }],
            span,
        });
        let none = scan::constant(self.f, Const::F64(0.0), span, out);
        let all = scan::emit(self.f, Kind::Op(Op::Eq), &[others, none], Type::BOOL.into(), span, out);

        let fresh = |f: &mut Func, list: &[Value]| -> Vec<Value> {
            list.iter().map(|v| f.fresh(f.data(*v).clone())).collect()
        };
        let params = fresh(self.f, &body.params);
        let (insts, yields) = scan::copy(body, self.f, &params);
        let mut short = Region { params, insts, yields };
        let branch = short.insts.remove(*at);
        let taken = branch.regions.into_iter().nth(*side).expect("an `if` has two branches");
        let to = branch.results.iter().copied().zip(taken.yields).collect();
        short.insts.splice(at..at, taken.insts);
        scan::rename(&mut short, self.f, &to);
        let version = |f: &mut Func, body: Region| {
            let results = fresh(f, &inst.results);
            let again = Inst { results: results.as_slice().into(), regions: vec![body], ..inst.clone() };
            Region { params: Vec::new(), insts: vec![again], yields: results }
        };
        let regions = vec![version(self.f, short), version(self.f, body.clone())];
        out.push(Inst {
            kind: Kind::If,
            args: [all].as_slice().into(),
            results: inst.results.clone(),
            regions,
            span,
        });
    }
}

/// What a truth value nearly always is: numbers are finite, and two integers that were stored, as the first and the last place of an
/// extremum, are equal. NaN may stand for what is missing, and be anywhere.
pub(super) fn usually(v: Value, body: &Region, made: &FxHashMap<Value, usize>, f: &Func) -> Option<bool> {
    let inst = &body.insts[*made.get(&v)?];
    let Kind::Op(op) = inst.kind else { return None };
    let of = |k: usize| usually(inst.args[k], body, made, f);
    let is_stored =
        |v: &Value| f.ty(*v) == Type::I64 && made.get(v).is_some_and(|k| reads(&body.insts[*k], body, made));
    match (op, &inst.args[..]) {
        (Op::IsInf, _) => Some(false),
        (Op::Eq, all) => all.iter().all(is_stored).then_some(true),
        (Op::Not, _) => of(0).map(|x| !x),
        (Op::And, _) => of(0).zip(of(1)).map(|(a, b)| a && b),
        (Op::Or, _) => of(0).zip(of(1)).map(|(a, b)| a || b),
        _ => None,
    }
}

/// Whether an instruction reads an integer, which may be stored as a real number.
fn reads(inst: &Inst, body: &Region, made: &FxHashMap<Value, usize>) -> bool {
    match inst.kind {
        Kind::Index => true,
        Kind::Op(Op::ToI64) => made.get(&inst.args[0]).is_some_and(|k| body.insts[*k].kind == Kind::Index),
        _ => false,
    }
}

/// How deep loops lie in one another.
fn depth(r: &Region) -> usize {
    let of = |i: &Inst| i.regions.iter().map(depth).max().unwrap_or(0) + usize::from(i.kind.is_loop());
    r.insts.iter().map(of).max().unwrap_or(0)
}

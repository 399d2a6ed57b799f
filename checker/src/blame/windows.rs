//! Mistakes that no instruction by itself explains: in the reverse of a region, or in the accumulation of cotangents.
//! Bisection finds the smallest sequence of instructions whose derivative by differences repairs the entry.

use super::mistake;
use super::numeric::{Isolated, rule_value};
use super::outline::{Operands, Window, free_values};
use super::search::{Culprit, Search, name};
use super::trace;
use crate::report::*;
use adc_ir::*;
use rustc_hash::FxHashSet;

impl Search<'_> {
    /// A region, a call, or a value with several uses.
    pub(super) fn several(&mut self) -> Option<Culprit> {
        let m = &self.subject.module;
        let mut w = whole(m, self.subject.func, &[])?;
        let mut found = self.repaired(&w)?;
        loop {
            self.shrink(&mut w, &mut found);
            let inner = match w.len() {
                1 => self.inside(&w),
                _ => Vec::new(),
            };
            let deeper = inner.into_iter().find_map(|w| self.repaired(&w).map(|c| (w, c)));
            match deeper {
                Some((inner, c)) => (w, found) = (inner, c),
                None => return self.describe(w, found),
            }
        }
    }

    fn repaired(&mut self, w: &Window) -> Option<Counterfactual> {
        self.repairs(&[(w.clone(), Operands::Once)])
    }

    /// Drops instructions at either end as long as the rest repairs the entry.
    fn shrink(&mut self, w: &mut Window, found: &mut Counterfactual) {
        for front in [true, false] {
            // How many can be dropped, and how many cannot.
            let (mut can, mut cannot) = (0, w.len());
            while cannot - can > 1 {
                let middle = can + (cannot - can) / 2;
                let mut less = w.clone();
                if front {
                    less.from += middle
                } else {
                    less.to -= middle
                }
                match self.repaired(&less) {
                    Some(c) => (can, *found) = (middle, c),
                    None => cannot = middle,
                }
            }
            if front { w.from += can } else { w.to -= can }
        }
    }

    /// What an instruction runs: its regions, or the function that it calls.
    fn inside(&self, w: &Window) -> Vec<Window> {
        let m = &self.subject.module;
        let inst = &w.insts(m)[0];
        if let Kind::Call(g) = inst.kind {
            let plain = m.func(g).rules.is_empty();
            return whole(m, g, &[]).filter(|_| plain).into_iter().collect();
        }
        let path = |k: usize| [&w.path[..], &[(w.from, k)]].concat();
        (0..inst.regions.len()).filter_map(|k| whole(m, w.func, &path(k))).collect()
    }

    fn describe(&mut self, w: Window, counterfactual: Counterfactual) -> Option<Culprit> {
        let m = &self.subject.module;
        let func = m.func(w.func);
        let insts = w.insts(m);
        let (kind, (called, span), narrow) = match insts {
            [one] if !one.regions.is_empty() => (BlamedKind::Region, (name(m, one), one.span), w.clone()),
            [one] if matches!(one.kind, Kind::Call(_)) => {
                (BlamedKind::Call, (name(m, one), one.span), w.clone())
            }
            [one] if repeated(func, insts).is_empty() => {
                (BlamedKind::Op, (name(m, one), one.span), w.clone())
            }
            _ => {
                // If several values are concerned, the first that is wrong by itself.
                let list = repeated(func, insts);
                let of = |(v, first, last): &(Value, usize, usize)| {
                    let narrow = Window { from: w.from + first, to: w.from + last + 1, ..w.clone() };
                    (*v, narrow)
                };
                let list: Vec<(Value, Window)> = list.iter().map(of).collect();
                let wrong = list.iter().find(|(_, narrow)| self.is_wrong(narrow));
                let (v, own) = wrong.or(list.first())?;
                (BlamedKind::Accumulation, described(func, *v, &own.insts(m)[0]), own.clone())
            }
        };
        let (all, suspect) = self.observed(&narrow)?;
        let mut isolated = Isolated::new(self.ctx, &all, suspect.func, self.request)?;
        let worst = |c: &trace::Reached, isolated: &mut Isolated| isolated.worst(&c.args, self.wanted);
        let (first, entry) =
            suspect.calls.iter().find_map(|c| Some((c.clone(), worst(c, &mut isolated)?)))?;
        let names: Vec<String> =
            (0..isolated.func().params.len()).map(|k| format!("operand {}", k + 1)).collect();
        let reached: Vec<Vec<Datum>> = suspect.calls.iter().map(|c| c.args.clone()).collect();
        let mistake = mistake::find(
            self.ctx,
            &all,
            self.request,
            &mut isolated,
            &reached,
            &names,
            (suspect.func, suspect.func),
        );
        let (rule_value, fd_value) = (rule_value(&entry), entry.fd);
        let (iterations, inputs) = (first.iterations, first.args);
        let op = BlamedOp { kind, name: called, span, iterations, inputs, entry, rule_value, fd_value };
        Some(Culprit { op, counterfactual, mistake, windows: Vec::new() })
    }

    fn observed(&self, w: &Window) -> Option<(Module, trace::Suspect)> {
        let inactive = |f| self.inactive(f);
        let what = vec![(w.clone(), Operands::Once)];
        let mut seen =
            trace::observe(self.subject, what, &self.target.inputs, self.target.externs, &inactive);
        Some((seen.module, seen.suspects.pop()?))
    }

    fn is_wrong(&self, w: &Window) -> bool {
        let Some((all, suspect)) = self.observed(w) else { return false };
        let isolated = Isolated::new(self.ctx, &all, suspect.func, self.request);
        let wrong = |mut i: Isolated| suspect.calls.iter().any(|c| i.worst(&c.args, self.wanted).is_some());
        isolated.is_some_and(wrong)
    }
}

/// All instructions of a region.
fn whole(m: &Module, f: FuncId, path: &[(usize, usize)]) -> Option<Window> {
    m.func(f).region()?;
    let mut w = Window { func: f, path: path.to_vec(), from: 0, to: 0 };
    w.to = w.region(m).insts.len();
    (w.to > 0).then_some(w)
}

/// The values that are used several times, each with its first and last use.
fn repeated(func: &Func, insts: &[Inst]) -> Vec<(Value, usize, usize)> {
    let mut uses: Vec<(Value, usize, usize, usize)> = Vec::new();
    for (k, inst) in insts.iter().enumerate() {
        let mut used: Vec<Value> = inst.args.to_vec();
        let mut captured = Vec::new();
        free_values(func, std::slice::from_ref(inst), &mut FxHashSet::default(), &mut captured);
        captured.retain(|v| !used.contains(v));
        used.extend(captured);
        for v in used.into_iter().filter(|v| func.ty(*v).is_differentiable()) {
            match uses.iter_mut().find(|u| u.0 == v) {
                Some(u) => (u.2, u.3) = (k, u.3 + 1),
                None => uses.push((v, k, k, 1)),
            }
        }
    }
    uses.into_iter().filter(|u| u.3 > 1).map(|(v, first, last, _)| (v, first, last)).collect()
}

/// What a value is called, and where it is used first.
fn described(func: &Func, v: Value, first: &Inst) -> (String, Span) {
    let param = func.params.iter().find(|p| p.value == v);
    (param.map_or("a value".to_string(), |p| format!("`{}`", p.name)), first.span)
}

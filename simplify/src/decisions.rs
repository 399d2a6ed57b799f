//! What decisions depend on: values whose bits choose a branch, an index, or a side of a jump or a cut. They are computed as
//! the input does, because a function and its derivatives are optimised apart and have to decide alike.
//!
//! Through calls, too: what a caller decides by is kept in the function that computes it.
//!
//! Whether a number is infinite or NaN is no such decision: it does not depend on its last bits.

use adc_ir::{Cut, Func, FuncId, Inst, Kind, Module, Op, ReduceOp, Region, Smoothness, Value, ValueData};
use rustc_hash::FxHashSet;

/// The values of every function of a module that decide.
pub(crate) struct Decisions(Vec<Deciding>);

impl Decisions {
    pub fn of(m: &Module) -> Decisions {
        let nothing = |f: &Func| Ports {
            // Nobody knows what native code does.
            params: vec![f.region().is_none(); f.params.len()],
            results: vec![false; f.results.len()],
        };
        let mut ports: Vec<Ports> = m.funcs.iter().map(nothing).collect();
        let mut order = m.callees_first();
        loop {
            let mut found: Vec<Deciding> = m.funcs.iter().map(|_| Deciding::nothing()).collect();
            let mut news = false;
            for &id in &order {
                let f = m.func(id);
                let d = Deciding::of(f, m, &ports);
                for (p, seen) in f.params.iter().zip(&mut ports[id.0 as usize].params) {
                    news |= d.get(p.value) && !std::mem::replace(seen, true);
                }
                if let Some(body) = f.region() {
                    news |= d.asked(body, &mut ports);
                }
                found[id.0 as usize] = d;
            }
            if !news {
                return Decisions(found);
            }
            // Parameters are known callees first, results callers first.
            order.reverse();
        }
    }

    /// Those of a function.
    pub fn within(&self, f: FuncId) -> &Deciding {
        &self.0[f.0 as usize]
    }
}

/// Which of a function's parameters and results decide.
struct Ports {
    params: Vec<bool>,
    results: Vec<bool>,
}

/// The literals ±∞ of a function.
fn infinities(r: &Region, found: &mut FxHashSet<Value>) {
    for inst in &r.insts {
        if let Kind::Const(c) = inst.kind
            && c.scalar().is_real()
            && c.to_c128().re.is_infinite()
        {
            found.insert(inst.results[0]);
        }
        inst.regions.iter().for_each(|r| infinities(r, found));
    }
}

/// The operands of an instruction, and what its region yields, by which it decides something.
fn deciders<'a>(
    inst: &'a Inst,
    values: &'a [ValueData],
    infinities: &FxHashSet<Value>,
) -> impl Iterator<Item = Value> + 'a {
    let float = |v: &Value| values[v.0 as usize].ty.scalar().is_float();
    let complex = |v: &Value| values[v.0 as usize].ty.scalar().is_complex();
    let by_operands = match inst.kind {
        Kind::Op(op) => {
            let jumps = matches!(op.info().smooth, Smoothness::Jump(_)) || op == Op::Copysign;
            // Of real operands a cut is the end of the domain.
            let cut = op.info().cut != Cut::Uncut && (op == Op::Arg || inst.args.iter().any(complex));
            let discrete = !values[inst.results[0].0 as usize].ty.scalar().is_float();
            let compares = matches!(op, Op::Lt | Op::Le | Op::Gt | Op::Ge | Op::Eq | Op::Ne);
            let classifies = matches!(op, Op::IsInf | Op::IsNan | Op::IsFinite)
                || (compares && inst.args.iter().any(|v| infinities.contains(v)));
            (jumps || cut || discrete) && !classifies
        }
        _ => false,
    };
    let by_yields = matches!(inst.kind, Kind::Reduce(ReduceOp::ArgMax | ReduceOp::ArgMin));
    let operands = inst.args.iter().filter(move |_| by_operands);
    let yields = inst.regions.iter().flat_map(|r| &r.yields).filter(move |_| by_yields);
    operands.chain(yields).copied().filter(float).collect::<Vec<_>>().into_iter()
}

/// By [`Value`]: whether a decision depends on its bits.
pub(crate) struct Deciding {
    marks: Vec<bool>,
    infinities: FxHashSet<Value>,
}

impl Deciding {
    fn nothing() -> Deciding {
        Deciding { marks: Vec::new(), infinities: FxHashSet::default() }
    }

    fn of(f: &Func, m: &Module, ports: &[Ports]) -> Deciding {
        let mut d = Deciding { marks: vec![false; f.values.len()], ..Deciding::nothing() };
        let Some(body) = f.region() else { return d };
        infinities(body, &mut d.infinities);
        let own = m.funcs.iter().position(|g| std::ptr::eq(f, g)).expect("it is one of them");
        for (v, _) in body.yields.iter().zip(&ports[own].results).filter(|(_, asked)| **asked) {
            d.mark(*v);
        }
        // What a loop carries may decide in the next iteration.
        while d.region(f, m, ports, body) {}
        d
    }

    /// Values that a pass made decide nothing.
    pub fn get(&self, v: Value) -> bool {
        self.marks.get(v.0 as usize).copied().unwrap_or(false)
    }

    fn mark(&mut self, v: Value) -> bool {
        !std::mem::replace(&mut self.marks[v.0 as usize], true)
    }

    /// Notes the results of calls that decide; whether one was not known to.
    fn asked(&self, r: &Region, ports: &mut [Ports]) -> bool {
        let mut news = false;
        for inst in &r.insts {
            if let Kind::Call(g) = inst.kind {
                for (v, asked) in inst.results.iter().zip(&mut ports[g.0 as usize].results) {
                    news |= self.get(*v) && !std::mem::replace(asked, true);
                }
            }
            news |= inst.regions.iter().fold(false, |news, r| self.asked(r, ports) | news);
        }
        news
    }

    /// Walks backwards; whether something was found that a walk before this place has not seen.
    fn region(&mut self, f: &Func, m: &Module, ports: &[Ports], r: &Region) -> bool {
        let mut again = false;
        for inst in r.insts.iter().rev() {
            for v in deciders(inst, &f.values, &self.infinities) {
                self.mark(v);
            }
            if let Kind::Call(g) = inst.kind {
                let args = &inst.args[m.func(g).dims.len()..];
                for (v, _) in args.iter().zip(&ports[g.0 as usize].params).filter(|(_, decides)| **decides) {
                    self.mark_float(f, *v);
                }
            } else {
                self.sources(f, inst);
            }
            for region in inst.regions.iter().rev() {
                again |= self.region(f, m, ports, region);
                if inst.kind.is_loop() {
                    again |= self.carried(inst, region);
                }
            }
        }
        again
    }

    fn mark_float(&mut self, f: &Func, v: Value) {
        if f.ty(v).scalar().is_float() {
            self.mark(v);
        }
    }

    /// Marks what the deciding results of an instruction are made of.
    fn sources(&mut self, f: &Func, inst: &Inst) {
        let carries = match inst.kind.as_loop() {
            Some(_) => inst.args.len() - inst.kind.first_carry().unwrap_or_default(),
            None => 0,
        };
        for (k, r) in inst.results.iter().enumerate().filter(|(_, r)| f.ty(**r).scalar().is_float()) {
            if !self.get(*r) {
                continue;
            }
            // Behind the carries of a `while` comes the number of its iterations.
            let counted = matches!(inst.kind, Kind::While(_)) && k > carries;
            for region in &inst.regions {
                if let Some(v) = region.yields.get(k - usize::from(counted)) {
                    self.mark_float(f, *v);
                }
            }
            match inst.kind.first_carry() {
                Some(first) if k < carries => self.mark_float(f, inst.args[first + k]),
                Some(_) => {}
                None => inst.args.iter().for_each(|v| self.mark_float(f, *v)),
            }
        }
    }

    /// A carry that decides: so do its first value and the next; whether that is news.
    fn carried(&mut self, inst: &Inst, region: &Region) -> bool {
        let Some(first) = inst.kind.first_carry() else { return false };
        let before_carries = first.min(1);
        let mut news = false;
        for (k, p) in region.params.iter().enumerate().skip(before_carries) {
            if !self.get(*p) {
                continue;
            }
            let k = k - before_carries;
            self.mark(inst.args[first + k]);
            let body = inst.regions.last().expect("a loop has a body");
            news |= self.mark(body.yields[k]);
            // The condition of a `while` has the same carries as its body.
            for other in &inst.regions {
                news |= self.mark(other.params[before_carries + k]);
            }
        }
        news
    }
}

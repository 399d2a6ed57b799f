//! What decisions depend on: values whose bits choose a branch, an index, or a side of a jump or a cut. They are computed as
//! the input does, because a function and its derivatives are optimised apart and have to decide alike.

use adc_ir::{Cut, Func, Inst, Kind, Module, Op, ReduceOp, Region, Smoothness, Value, ValueData};

/// Functions that decide something by a float, or call one that does.
pub(super) struct Callees(Vec<bool>);

impl Callees {
    pub fn of(m: &Module) -> Callees {
        let mut found = vec![false; m.funcs.len()];
        for f in m.callees_first() {
            let func = m.func(f);
            found[f.0 as usize] = func.region().is_none_or(|r| decides(r, &func.values, &found));
        }
        Callees(found)
    }
}

fn decides(r: &Region, values: &[ValueData], callees: &[bool]) -> bool {
    r.insts.iter().any(|i| {
        let called = match i.kind {
            Kind::Call(f) => callees[f.0 as usize],
            _ => false,
        };
        called
            || deciders(i, values).next().is_some()
            || i.regions.iter().any(|r| decides(r, values, callees))
    })
}

/// The operands of an instruction, and what its region yields, by which it decides something.
fn deciders<'a>(inst: &'a Inst, values: &'a [ValueData]) -> impl Iterator<Item = Value> + 'a {
    let float = |v: &Value| values[v.0 as usize].ty.scalar().is_float();
    let complex = |v: &Value| values[v.0 as usize].ty.scalar().is_complex();
    let by_operands = match inst.kind {
        Kind::Op(op) => {
            let jumps = matches!(op.info().smooth, Smoothness::Jump(_)) || op == Op::Copysign;
            // Of real operands a cut is the end of the domain.
            let cut = op.info().cut != Cut::Uncut && (op == Op::Arg || inst.args.iter().any(complex));
            let discrete = !values[inst.results[0].0 as usize].ty.scalar().is_float();
            jumps || cut || discrete
        }
        _ => false,
    };
    let by_yields = matches!(inst.kind, Kind::Reduce(ReduceOp::ArgMax | ReduceOp::ArgMin));
    let operands = inst.args.iter().filter(move |_| by_operands);
    let yields = inst.regions.iter().flat_map(|r| &r.yields).filter(move |_| by_yields);
    operands.chain(yields).copied().filter(float).collect::<Vec<_>>().into_iter()
}

/// By [`Value`]: whether a decision depends on its bits.
pub(super) struct Deciding(Vec<bool>);

impl Deciding {
    pub fn of(callees: &Callees, f: &Func) -> Deciding {
        let mut d = Deciding(vec![false; f.values.len()]);
        let Some(body) = f.region() else { return d };
        // What a loop carries may decide in the next iteration.
        while d.region(callees, f, body) {}
        d
    }

    /// Values that a pass made decide nothing.
    pub fn get(&self, v: Value) -> bool {
        self.0.get(v.0 as usize).copied().unwrap_or(false)
    }

    fn mark(&mut self, v: Value) -> bool {
        !std::mem::replace(&mut self.0[v.0 as usize], true)
    }

    /// Walks backwards; whether something was found that a walk before this place has not seen.
    fn region(&mut self, callees: &Callees, f: &Func, r: &Region) -> bool {
        let mut again = false;
        for inst in r.insts.iter().rev() {
            for v in deciders(inst, &f.values) {
                self.mark(v);
            }
            let called = match inst.kind {
                Kind::Call(g) => callees.0[g.0 as usize],
                _ => false,
            };
            if called || inst.results.iter().any(|v| self.get(*v)) {
                self.sources(f, inst);
            }
            for region in inst.regions.iter().rev() {
                again |= self.region(callees, f, region);
                if inst.kind.is_loop() {
                    again |= self.carried(inst, region);
                }
            }
        }
        again
    }

    /// Marks what the deciding results of an instruction are made of.
    fn sources(&mut self, f: &Func, inst: &Inst) {
        let float = |v: &Value| f.ty(*v).scalar().is_float();
        if inst.kind == Kind::If {
            for (k, r) in inst.results.iter().enumerate() {
                if self.get(*r) {
                    for region in &inst.regions {
                        self.mark(region.yields[k]);
                    }
                }
            }
            return;
        }
        for v in inst.args.iter().filter(|v| float(v)) {
            self.mark(*v);
        }
        for region in &inst.regions {
            for v in region.yields.iter().filter(|v| float(v)) {
                self.mark(*v);
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

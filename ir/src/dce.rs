//! Dead code elimination: removes what no result needs.
//!
//! Every op and every call (extern functions are pure by contract) may go, also one that could fail at run time: a
//! failing operation whose value is not needed may go unreported. Assertions stay, and with them the `if`s that hold one
//! and the calls whose callee, or a callee of it, holds one. An `if` that stays loses the results nobody uses.
//! One backward walk; values that lost their definition keep their entry in [`Func::values`].

use crate::module::*;

/// Which functions hold an assertion, themselves or through those they call.
#[derive(Clone, Debug)]
pub struct Asserting(Vec<bool>);

impl Asserting {
    /// Looks at every function of a module.
    pub fn of(m: &Module) -> Asserting {
        let mut found = Asserting(vec![false; m.funcs.len()]);
        for f in m.callees_first() {
            found.0[f.0 as usize] = m.func(f).region().is_some_and(|r| found.region(r));
        }
        found
    }

    /// Whether running the function may end in a failed assertion.
    pub fn func(&self, f: FuncId) -> bool {
        self.0[f.0 as usize]
    }

    /// Whether running the region may.
    pub fn region(&self, r: &Region) -> bool {
        r.insts.iter().any(|i| self.inst(i))
    }

    /// Whether running the instruction may: then it has to stay where it is.
    pub fn inst(&self, inst: &Inst) -> bool {
        match inst.kind {
            Kind::Assert(_) => true,
            Kind::Call(f) => self.func(f),
            Kind::If => inst.regions.iter().any(|r| self.region(r)),
            Kind::Const(_) | Kind::Op(_) => false,
        }
    }
}

/// Removes the dead code of every function.
pub fn run_module(m: &mut Module) {
    let asserting = Asserting::of(m);
    m.funcs.iter_mut().for_each(|f| run(f, &asserting));
}

/// Removes the dead code of one function of the module that `asserting` was made of.
pub fn run(func: &mut Func, asserting: &Asserting) {
    let mut live = vec![false; func.values.len()];
    if let Body::Region(body) = &mut func.body {
        region(body, &mut live, asserting);
    }
}

fn region(r: &mut Region, live: &mut [bool], asserting: &Asserting) {
    r.yields.iter().for_each(|v| live[v.0 as usize] = true);
    let mut kept: Vec<Inst> = Vec::with_capacity(r.insts.len());
    for mut inst in std::mem::take(&mut r.insts).into_iter().rev() {
        let used: Vec<bool> = inst.results.iter().map(|v| live[v.0 as usize]).collect();
        if !used.contains(&true) && !asserting.inst(&inst) {
            continue;
        }
        match inst.kind {
            Kind::If => {
                let keep = |values: Vec<Value>| {
                    values
                        .into_iter()
                        .zip(&used)
                        .filter(|(_, used)| **used)
                        .map(|(v, _)| v)
                        .collect::<Vec<_>>()
                };
                inst.results = keep(inst.results.to_vec()).into();
                for nested in &mut inst.regions {
                    nested.yields = keep(std::mem::take(&mut nested.yields));
                    region(nested, live, asserting);
                }
            }
            Kind::Const(_) | Kind::Op(_) | Kind::Call(_) | Kind::Assert(_) => {}
        }
        inst.args.iter().for_each(|v| live[v.0 as usize] = true);
        kept.push(inst);
    }
    kept.reverse();
    r.insts = kept;
}

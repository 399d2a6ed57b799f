//! What depends on some parameters of a function, in whatever way.

use crate::activity::{body_of, carried, carries};
use adc_ir::{Func, Inst, Kind, Region, Value};

/// Per value whether it depends on one of the parameters at these positions.
pub(super) fn of(func: &Func, params: &[usize]) -> Vec<bool> {
    let mut taint = Taint { tainted: vec![false; func.values.len()], changed: false };
    for &i in params {
        taint.mark(func.params[i].value, true);
    }
    let Some(body) = func.region() else { return taint.tainted };
    loop {
        taint.changed = false;
        taint.region(body);
        if !taint.changed {
            return taint.tainted;
        }
    }
}

struct Taint {
    tainted: Vec<bool>,
    changed: bool,
}

impl Taint {
    fn is(&self, v: Value) -> bool {
        self.tainted[v.0 as usize]
    }

    fn mark(&mut self, v: Value, tainted: bool) {
        self.changed |= tainted && !self.is(v);
        self.tainted[v.0 as usize] |= tainted;
    }

    fn region(&mut self, region: &Region) {
        for inst in &region.insts {
            let first = inst.args.len() - carries(inst);
            for r in &inst.regions {
                for (k, param) in carried(r, inst).iter().enumerate() {
                    let next = body_of(inst).yields[k];
                    self.mark(*param, self.is(inst.args[first + k]) || self.is(next));
                }
                self.region(r);
            }
            self.results(inst, first);
        }
    }

    fn results(&mut self, inst: &Inst, first: usize) {
        let decided = inst.args[..first].iter().any(|v| self.is(*v));
        let iterations = match inst.kind {
            Kind::While(_) => self.is(inst.regions[0].yields[0]),
            _ => false,
        };
        let skipped = inst.results.len().saturating_sub(inst.regions.last().map_or(0, |r| r.yields.len()));
        for (r, result) in inst.results.iter().enumerate() {
            let mut tainted = decided || iterations;
            for region in &inst.regions {
                // Behind the carries of a `while` stands the number of iterations.
                let place = if r < carries(inst) { r } else { r.saturating_sub(skipped) };
                tainted |= region.yields.get(place).is_some_and(|v| self.is(*v));
            }
            if r < carries(inst) {
                tainted |= self.is(inst.args[first + r]);
            }
            self.mark(*result, tainted);
        }
    }
}

//! Comparisons that only assertions use.

use adc_ir::interp::Location;
use adc_ir::{Func, Kind, Op, Region, Value};
use rustc_hash::FxHashMap;

/// The results so far, by function.
#[derive(Default)]
pub(super) struct Guards(FxHashMap<*const Func, Vec<bool>>);

impl Guards {
    /// Whether an assertion, and nothing else, depends on the result of an instruction.
    pub(super) fn is_guard(&mut self, at: Location<'_>) -> bool {
        let guards = self.0.entry(at.func).or_insert_with(|| guards(at.func));
        guards[at.inst.results[0].0 as usize]
    }
}

/// For each value, whether it is asserted, or part of what is, and used for nothing else.
fn guards(func: &Func) -> Vec<bool> {
    let mut uses = Uses { asserted: vec![false; func.values.len()], other: vec![false; func.values.len()] };
    if let Some(body) = func.region() {
        uses.region(body);
    }
    uses.asserted.iter().zip(&uses.other).map(|(asserted, other)| *asserted && !other).collect()
}

struct Uses {
    asserted: Vec<bool>,
    other: Vec<bool>,
}

impl Uses {
    /// Backwards, so that all uses of a value are known before its operands are visited.
    fn region(&mut self, region: &Region) {
        self.note(&region.yields, false);
        for inst in region.insts.iter().rev() {
            inst.regions.iter().for_each(|r| self.region(r));
            let guard = match inst.kind {
                Kind::Assert(_) => true,
                Kind::Op(Op::And | Op::Or | Op::Not) => {
                    let v = inst.results[0].0 as usize;
                    self.asserted[v] && !self.other[v]
                }
                _ => false,
            };
            self.note(&inst.args, guard);
        }
    }

    fn note(&mut self, values: &[Value], guard: bool) {
        let uses = if guard { &mut self.asserted } else { &mut self.other };
        values.iter().for_each(|v| uses[v.0 as usize] = true);
    }
}

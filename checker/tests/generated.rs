//! Generated programs with arrays and loops: their derivatives are right, so every check passes.

use crate::common;

use adc_checker::*;
use adc_ir::testing::{Knobs, module as generate};
use adc_ir::*;
use adc_jit::Externs;
use adc_simplify::OptLevel;
use common::*;

/// At derivatives of this size, the noise of classic differences exceeds the classic tolerance.
const LARGE: f64 = 1e4;

#[test]
fn generated_programs_pass() {
    let knobs = Knobs { arrays: true, steps: 10, funcs: 2, depth: 2, ..Knobs::smooth() };
    for seed in 0..60 {
        let m = generate(seed, &knobs);
        let f = FuncId(m.funcs.len() as u32 - 1);
        let func = m.func(f);
        let externs = Externs::new();
        let ctx = Context::new(&m, &externs, OptLevel::O1);
        let mut block = CheckBlock::default_for(f, func.params.len(), func.span);
        block.modes = Some(vec![Mode::Slow, Mode::Fast, Mode::Forward, Mode::Gradgrad]);
        block.points = Some(2);
        let r = check(&ctx, &block, &Settings::default());
        let entries = r.worst.iter().flat_map(|p| &p.entries);
        let large = entries.filter_map(|e| e.vjp).any(|x| x.abs() > LARGE);
        assert!(r.status == Status::Ok || large, "seed {seed}: {}\n{m}", describe(&r));
        assert!(r.counts.total.compared() > 0);
    }
}

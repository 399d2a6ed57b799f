//! Checks of random programs: nothing panics, backends agree, everything generated is valid IR, and derivatives
//! of smooth programs pass.

use crate::common;

use adc_checker::*;
use adc_ir::testing::{self, Knobs};
use adc_ir::verify::verify;
use adc_ir::*;
use adc_jit::Externs;
use adc_simplify::OptLevel;
use common::*;

/// The function of a random module that calls the others, with a block of few points.
fn block(m: &Module) -> Option<CheckBlock> {
    let (id, func) = m.iter().last()?;
    if func.differentiable_params().is_empty() || func.differentiable_results().is_empty() {
        return None;
    }
    let mut b = CheckBlock::default_for(id, func.params.len(), Span::NONE);
    b.points = Some(3);
    Some(b)
}

#[test]
fn nothing_panics_and_backends_agree() {
    let externs = Externs::new();
    let mut checked = 0;
    for seed in 0..120 {
        let mut m = testing::module(seed, &Knobs::default());
        let Some(b) = block(&m) else { continue };
        let ctx = Context::new(&m, &externs, OptLevel::O1);
        let r = check(&ctx, &b, &Settings::default());
        assert_ne!(r.status, Status::Error, "seed {seed}: {}\n{m}", describe(&r));
        let disagree =
            r.diagnostics.iter().any(|d| d.code == Code::BackendsDisagree || d.code == Code::Internal);
        assert!(!disagree, "seed {seed}: {}\n{m}", describe(&r));
        checked += (r.counts.total.compared() > 0) as usize;
        let f = m.func(b.func);
        let (wrt, outputs) = (f.differentiable_params(), f.differentiable_results());
        for (mode, _) in Mode::ALL {
            fd_program(&mut m, b.func, *mode, &wrt, &outputs)
                .unwrap_or_else(|d| panic!("seed {seed}: {d:?}"));
        }
        verify(&m).unwrap_or_else(|e| panic!("seed {seed}: {e:?}"));
    }
    assert!(checked > 40, "only {checked} programs could be compared");
}

#[test]
fn smooth_programs_pass() {
    let externs = Externs::new();
    let mut compared = 0;
    for seed in 0..150 {
        let m = testing::module(seed, &Knobs { stop_gradient: seed % 2 == 0, ..Knobs::smooth() });
        let Some(b) = block(&m) else { continue };
        let ctx = Context::new(&m, &externs, OptLevel::O1);
        let r = check(&ctx, &b, &Settings::default());
        compared += r.counts.total.compared();
        // A fixed step cannot distinguish noise from error where values are large: classic tolerances only.
        let wrong = r
            .diagnostics
            .iter()
            .any(|d| matches!(d.code, Code::WrongDerivative | Code::WrongSecondDerivative));
        assert!(!wrong, "seed {seed}: {}\n{m}", describe(&r));
    }
    assert!(compared > 1000, "{compared}");
}

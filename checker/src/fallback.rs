//! Single difference quotients, interpreted: where a compiled program that holds all of them cannot tell.

use crate::cells::to_double;
use crate::coordinates::Coordinate;
use crate::difference::{self, Along};
use crate::freeze::Freezer;
use adc_ir::interp::{ExternCalls, Interp, Val};
use adc_ir::*;
use adc_jit::RuntimeMath;

/// What a program is for: the function, the coordinate it displaces, and how.
pub(crate) type Column = (FuncId, Coordinate, Along);

/// Makes and runs them.
pub(crate) struct Fallback<'a> {
    pub module: &'a mut Module,
    pub freezer: &'a mut Freezer,
    pub externs: &'a dyn ExternCalls<f64>,
    /// Programs made so far; `None` if one cannot be made.
    pub columns: &'a mut Vec<(Column, Option<FuncId>)>,
}

/// One-sided difference quotients of one entry.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Slopes {
    /// `(f(x) − f(x − h)) / h`
    pub left: f64,
    /// `(f(x + h) − f(x)) / h`
    pub right: f64,
}

/// The step of the second pair of one-sided quotients, relative to the first.
const CLOSER: f64 = 0.25;

impl Fallback<'_> {
    /// The quotients of every output coordinate for one coordinate of the inputs; `None` after a run-time error.
    pub(crate) fn column(&mut self, what: Column, outputs: &[usize], args: &[Val<f64>]) -> Option<Vec<f64>> {
        let known = self.columns.iter().find(|(w, _)| *w == what).map(|(_, p)| *p);
        let program = match known {
            Some(program) => program?,
            None => {
                let (f, c, along) = what;
                let made = difference::entries(self.module, self.freezer, f, along, &[c], outputs).ok();
                self.columns.push((what, made));
                made?
            }
        };
        let interp = Interp::new(self.module, &RuntimeMath, self.externs);
        let values = interp.call(program, args).ok()?;
        Some(values.into_iter().map(|v| v.to_const(Scalar::F64).to_c128().re).collect())
    }

    /// The one-sided quotients of an entry if they show a kink: a difference of more than `tol` that neither
    /// shrinks with the step, as that of a smooth function does, nor grows, as at a jump.
    pub(crate) fn kink(
        &mut self,
        (f, c): (FuncId, Coordinate),
        outputs: &[usize],
        row: usize,
        inputs: &[Const],
        (eps, tol): (f64, f64),
    ) -> Option<Slopes> {
        let mut slope = |h: f64| {
            let step = [Const::F64(h)];
            let args: Vec<Val<f64>> =
                inputs.iter().chain(&step).map(|c| Val::from_const(to_double(*c))).collect();
            // −0 reads badly.
            self.column((f, c, Along::OneSided), outputs, &args).map(|v| v[row] + 0.0)
        };
        let wide = Slopes { left: slope(-eps)?, right: slope(eps)? };
        let close = Slopes { left: slope(-eps * CLOSER)?, right: slope(eps * CLOSER)? };
        let (jump, closer) = ((wide.right - wide.left).abs(), (close.right - close.left).abs());
        (jump > tol && closer > jump / 2.0 && closer < jump * 2.0).then_some(wide)
    }
}

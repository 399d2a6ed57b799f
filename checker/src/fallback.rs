//! Single difference quotients: where a program that holds all of them cannot tell.

use crate::cells::{get, to_double};
use crate::coordinates::{Block, Coordinate, Part};
use crate::difference::{self, Along};
use crate::freeze::Freezer;
use crate::runner::{Engine, Runner};
use adc_ir::*;

/// What a program is for: the function, the part of a parameter it displaces, and how.
type What = (FuncId, Block, Along);

/// Makes and runs them.
pub(crate) struct Fallback<'a> {
    pub module: &'a mut Module,
    pub freezer: &'a mut Freezer,
    pub engine: &'a mut Engine,
    /// Programs made so far.
    pub columns: &'a mut Columns,
}

/// Programs for one coordinate each; `None` if one cannot be made.
pub(crate) type Columns = Vec<(What, Option<Runner>)>;

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
    /// The quotients of every output for one coordinate of the inputs, as the program gives them, by steps of `eps`; `None`
    /// after a run-time error.
    pub(crate) fn column(
        &mut self,
        f: FuncId,
        c: Coordinate,
        along: Along,
        outputs: &[usize],
        (inputs, eps): (&[Datum], f64),
    ) -> Option<Vec<Datum>> {
        let what = (f, Block { index: c.index, part: c.part }, along);
        let at = match self.columns.iter().position(|(w, _)| *w == what) {
            Some(at) => at,
            None => {
                let made = self.make(what, outputs);
                self.columns.push((what, made));
                self.columns.len() - 1
            }
        };
        let runner = self.columns[at].1.as_mut()?;
        let last = [Datum::Scalar(Const::F64(eps)), Datum::Scalar(Const::I64(c.entry as i64))];
        runner.inputs = inputs.iter().map(to_double).chain(last).collect();
        runner.run(self.engine).ok()?;
        Some(runner.outputs.clone())
    }

    fn make(&mut self, (f, block, along): What, outputs: &[usize]) -> Option<Runner> {
        let program = difference::of_blocks(self.module, self.freezer, f, along, &[block], outputs).ok()?;
        self.engine.compile(self.module, &[program]).ok()?.pop()
    }

    /// The one-sided quotients of an entry if they show a kink: a difference of more than `tol` that neither
    /// shrinks with the step, as that of a smooth function does, nor grows, as at a jump.
    pub(crate) fn kink(
        &mut self,
        (f, c, row): (FuncId, Coordinate, Coordinate),
        outputs: &[usize],
        inputs: &[Datum],
        (eps, tol): (f64, f64),
    ) -> Option<Slopes> {
        let block = Block { index: row.index, part: row.part };
        let ty = |k: usize| self.module.func(f).results[k].ty;
        let which = crate::coordinates::blocks(outputs, ty).iter().position(|b| *b == block)?;
        let mut slope = |h: f64| {
            let quotients = self.column(f, c, Along::OneSided, outputs, (inputs, h))?;
            // −0 reads badly.
            Some(get(&quotients[which], row.entry, Part::Whole) + 0.0)
        };
        let wide = Slopes { left: slope(-eps)?, right: slope(eps)? };
        let close = Slopes { left: slope(-eps * CLOSER)?, right: slope(eps * CLOSER)? };
        let (jump, closer) = ((wide.right - wide.left).abs(), (close.right - close.left).abs());
        (jump > tol && closer > jump / 2.0 && closer < jump * 2.0).then_some(wide)
    }
}

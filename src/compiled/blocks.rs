//! Blocks of rows: many calls of a function as one call of a loop over them, which runs in lanes where the function's body can. A block
//! has the bits of single calls.
//!
//! Absent on purpose: errors. A block that fails says so and no more; single calls then find the row and say what is wrong.

use super::{Compiled, Instance};
use adc_ir::batch::{Layout, batched};
use adc_jit::{Simd, Stats, Workspace};
use adc_simplify::OptLevel;
use std::collections::BTreeMap;
use std::sync::RwLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Rows of a block: what lanes of any width divide, and so many that a call costs little beside them.
pub(super) const BLOCK: usize = 64;
/// Rows after which code for blocks is made: what is compiled is large where a row takes long, so one number is for all functions.
const WORTH: usize = 20_000;

/// The code for blocks, if enough rows have asked for it.
#[derive(Default)]
pub(super) struct Blocks {
    rows: AtomicUsize,
    /// By layout; nothing where a block would not run in lanes.
    code: RwLock<BTreeMap<Layout, Option<adc_jit::Compiled>>>,
}

impl Blocks {
    /// Counts of each code that was made.
    pub fn stats(&self) -> Vec<Stats> {
        let code = self.code.read().unwrap_or_else(|e| e.into_inner());
        code.values().flatten().map(adc_jit::Compiled::stats).collect()
    }
}

impl Compiled {
    /// The code for blocks of rows, of which there are so many more, if that is faster than single calls.
    pub(super) fn blocks(
        &self,
        instance: &Instance,
        layout: &Layout,
        rows: usize,
    ) -> Option<adc_jit::Compiled> {
        let blocks = &instance.blocks;
        if rows < BLOCK || instance.frugal.load(Ordering::Relaxed) {
            return None;
        }
        let before = blocks.rows.fetch_add(rows, Ordering::Relaxed);
        if before.saturating_add(rows) < WORTH {
            return None;
        }
        let known = blocks.code.read().unwrap_or_else(|e| e.into_inner());
        if let Some(code) = known.get(layout) {
            return code.clone();
        }
        drop(known);
        // Two threads may make the same code; that of the first one is kept.
        let made = self.make_blocks(instance, layout);
        let mut known = blocks.code.write().unwrap_or_else(|e| e.into_inner());
        known.entry(layout.clone()).or_insert(made).clone()
    }

    fn make_blocks(&self, instance: &Instance, layout: &Layout) -> Option<adc_jit::Compiled> {
        let options = &self.shared.options;
        let how = adc_jit::Options::default();
        // Two lanes gain nothing over calls that compute elementary functions in groups of four.
        if options.opt == OptLevel::O0 || how.simd == Simd::Baseline {
            return None;
        }
        let function = match instance.dims.len() {
            0 => self.shared.function.clone(),
            _ => self.shared.function.at_dims(&instance.dims).ok()?,
        };
        let (mut module, f) = function.simplified(options).ok()?;
        // Native code of others runs once for each row, and after an error not again.
        if module.reachable(f).iter().any(|g| module.func(*g).region().is_none()) {
            return None;
        }
        let block = module.add(batched(&module, f, BLOCK as i64, layout)?);
        // Exact rewrites only: the function itself was simplified before.
        adc_simplify::run(&mut module, &[block], OptLevel::O1);
        let code = adc_jit::compile(&module, &[block], &options.externs, &how).ok()?.pop()?;
        (code.stats().lane_loops > 0).then_some(code)
    }
}

/// Rows of arguments and results of doubles.
pub(super) struct Rows<'a> {
    pub count: usize,
    /// With all rows of an argument; or an argument that is the same in all of them, marked `false`.
    pub inputs: Vec<(&'a [f64], bool)>,
    pub outputs: Vec<&'a mut [f64]>,
}

impl<'a> Rows<'a> {
    /// The first `n` rows, and the others.
    pub fn split_at(self, n: usize) -> (Rows<'a>, Rows<'a>) {
        let rows = self.count.max(1);
        let parts = self.inputs.into_iter().map(|(x, over)| match over {
            true => {
                let (head, tail) = x.split_at(x.len() / rows * n);
                ((head, over), (tail, over))
            }
            false => ((x, over), (x, over)),
        });
        let (head, tail) = parts.unzip();
        let results = self.outputs.into_iter().map(|y| {
            let at = y.len() / rows * n;
            y.split_at_mut(at)
        });
        let (first, others) = results.unzip();
        let others = Rows { count: self.count - n, inputs: tail, outputs: others };
        (Rows { count: n, inputs: head, outputs: first }, others)
    }

    /// Calls `code` for every `n` rows, of which there is a multiple; whether all calls succeed.
    pub fn run(self, code: &adc_jit::Compiled, workspace: &mut Workspace, n: usize) -> bool {
        let mut rest = self;
        while rest.count > 0 {
            let (mut now, others) = rest.split_at(n);
            let inputs: Vec<&[f64]> = now.inputs.iter().map(|(x, _)| *x).collect();
            if !matches!(code.call_reals(workspace, &inputs, &mut now.outputs), Some(Ok(()))) {
                return false;
            }
            rest = others;
        }
        true
    }
}

//! A derivative program in double-double: the value of its formula without rounding.

use crate::coordinates::Part;
use crate::oracle::Toolchain;
use crate::promote;
use crate::runner::Runner;
use crate::slots::{Slot, get, set, to_double};
use adc_ir::*;

/// The shadow of a derivative program.
#[derive(Clone)]
pub(crate) struct Exact {
    code: Runner,
    params: usize,
    /// For each parameter and result of the program, where its pair begins.
    params_at: Vec<usize>,
    results_at: Vec<usize>,
}

/// The VJP and the JVP program of a unit in double-double, made when they are first needed.
#[derive(Clone, Default)]
pub(crate) struct Exacts([Option<Option<Exact>>; 2]);

impl Exacts {
    /// One of them; `None` if it cannot be made.
    pub(crate) fn get(&mut self, mode: usize, make: impl FnOnce() -> Option<Exact>) -> Option<&mut Exact> {
        self.0[mode].get_or_insert_with(make).as_mut()
    }
}

impl Exact {
    /// The shadow of `program`; `None` if it cannot be made or compiled.
    pub(crate) fn new(tools: &mut Toolchain, program: FuncId) -> Option<Exact> {
        let wide = promote::run(tools.module, program);
        let shadow = tools.builders.shadows.run(tools.module, wide).ok()?;
        let code = tools.engine.compile_quickly(tools.module, &[shadow.func]).ok()?.pop()?;
        let func = tools.module.func(wide);
        let pairs = |types: Vec<Type>| -> Vec<usize> {
            let start = types.len();
            let mut next = start;
            types
                .into_iter()
                .map(|ty| match ty.scalar().is_float() {
                    true => {
                        next += 2;
                        next - 2
                    }
                    false => usize::MAX,
                })
                .collect()
        };
        let params = pairs((0..func.params.len()).map(|i| func.param_ty(i)).collect());
        let results = pairs(func.results.iter().map(|r| r.ty).collect());
        Some(Exact { code, params: params.len(), params_at: params, results_at: results })
    }

    /// Runs it at these inputs. The other parameters are 0 except for `seeds`. Returns whether the run succeeded.
    pub(crate) fn run(&mut self, tools: &mut Toolchain, inputs: &[Datum], seeds: &[(Slot, f64)]) -> bool {
        for i in 0..self.params {
            let pair = self.params_at[i];
            match inputs.get(i) {
                Some(x) => self.code.inputs[i] = to_double(x),
                None => crate::slots::clear(&mut self.code.inputs[i]),
            }
            if pair != usize::MAX {
                self.code.inputs[pair] = self.code.inputs[i].clone();
                crate::slots::clear(&mut self.code.inputs[pair + 1]);
            }
        }
        for (place, x) in seeds {
            for at in [place.at, self.params_at[place.at]] {
                set(&mut self.code.inputs[at], place.entry, place.part, *x);
            }
        }
        tools.engine.aside(|e| self.code.run(e)).is_ok()
    }

    /// The program's results, rounded; results that are no floats as they are.
    pub(crate) fn results(&self, program: &Func) -> Vec<Datum> {
        let value = |k: usize| {
            let mut x = self.code.outputs[k].clone();
            let part = |at: usize, i: usize| self.code.outputs[at].get(i).to_c128();
            for i in (0..x.len()).filter(|_| self.results_at[k] != usize::MAX) {
                let z = part(self.results_at[k], i) + part(self.results_at[k] + 1, i);
                x.set(i, Const::from_c128(z, x.elem()));
            }
            x
        };
        (0..program.results.len()).map(value).collect()
    }

    /// A coordinate of the program's results, rounded.
    pub(crate) fn read(&self, place: &Slot) -> f64 {
        let at = self.results_at[place.at];
        let part = |at: usize| get(&self.code.outputs[at], place.entry, place.part);
        debug_assert!(place.part != Part::Whole || !self.code.outputs[at].elem().is_complex());
        part(at) + part(at + 1)
    }
}

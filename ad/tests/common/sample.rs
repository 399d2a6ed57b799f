//! A generated program with a point and directions.

use super::{V, big, call, random_like};
use adc_ad::{jvp, vjp};
use adc_ir::specialise::specialise;
use adc_ir::testing::{Rng, array_inputs};
use adc_ir::{FuncId, Module, bind_dims};

/// A module with the entry's differentiable parameters and results, and a point.
pub struct Sample {
    pub seed: u64,
    pub m: Module,
    pub f: FuncId,
    pub wrt: Vec<usize>,
    pub outputs: Vec<usize>,
    pub args: Vec<V>,
    pub rng: Rng,
}

impl Sample {
    /// The entry of a module. Half of them have one parameter less to differentiate, or one output. If its dimensions do
    /// not follow from the sizes of its parameters, or in one case of four, numbers stand for them.
    pub fn new(seed: u64, mut m: Module) -> Sample {
        let f = FuncId(m.funcs.len() as u32 - 1);
        let func = m.func(f);
        let (mut wrt, mut outputs) = (func.differentiable_params(), func.differentiable_results());
        let mut rng = Rng::new(seed ^ 0xad);
        if wrt.len() > 1 && rng.one_in(2) {
            wrt.remove(rng.below(wrt.len()));
        }
        if outputs.len() > 1 && rng.one_in(2) {
            outputs.remove(rng.below(outputs.len()));
        }
        let (dims, args) = array_inputs(&mut rng, func, false);
        let args: Vec<V> = args.iter().map(big).collect();
        let f = match bind_dims(func, &args) {
            Ok(_) if !rng.one_in(4) => f,
            _ => specialise(&mut m, f, &dims).expect("small"),
        };
        Sample { seed, m, f, wrt, outputs, args, rng }
    }

    pub fn tangents(&mut self) -> Vec<V> {
        self.wrt.iter().map(|&i| random_like(&mut self.rng, &self.args[i])).collect()
    }

    pub fn cotangents(&mut self) -> Vec<V> {
        let results = call(&self.m, self.f, &self.args);
        self.outputs.iter().map(|&o| random_like(&mut self.rng, &results[o])).collect()
    }

    /// The JVP along `u`, without the primal results.
    pub fn push(&mut self, u: &[V]) -> Vec<V> {
        let j = jvp(&mut self.m, self.f, &self.wrt).expect("differentiable");
        let n = self.m.func(self.f).results.len();
        call(&self.m, j, &[&self.args, u].concat()).split_off(n)
    }

    pub fn pull(&mut self, v: &[V]) -> Vec<V> {
        let p = vjp(&mut self.m, self.f, &self.wrt, &self.outputs, false).expect("differentiable");
        call(&self.m, p, &[&self.args, v].concat())
    }
}

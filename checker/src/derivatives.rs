//! The derivative programs of a check by themselves: their text before compilation, and their values in double-double. For
//! the self-test, which asks whether a mutant changes them.

use crate::coordinates::sizes;
use crate::differentiated::Differentiated;
use crate::exact::Exact;
use crate::oracle::{Builders, Toolchain};
use crate::passes::Passes;
use crate::points::Sampler;
use crate::random::{Purpose, Stream};
use crate::runner::{Engine, Runner};
use crate::settings::{Context, Settings};
use crate::slots::finite;
use adc_ad::Policy;
use adc_ir::*;
use num_complex::Complex64;

/// The derivative programs of a check.
pub struct Derivatives {
    /// The programs and what they call.
    pub module: Module,
    /// The function that is differentiated.
    pub func: FuncId,
    /// Its VJP and JVP programs.
    pub first: Vec<FuncId>,
    /// The VJP and the JVP program of its VJP program, and the VJP program of its JVP program.
    pub second: Vec<FuncId>,
}

impl Derivatives {
    /// The programs that a check with this block and these settings compares; second-order ones only if `second`.
    ///
    /// # Errors
    /// As those of the check.
    pub fn new(
        ctx: &Context,
        block: &CheckBlock,
        settings: &Settings,
        second: bool,
    ) -> Result<Derivatives, Diagnostic> {
        let Differentiated { mut module, request: r, source, .. } =
            Differentiated::new(ctx, block, settings)?;
        let (m, f) = (&mut module, r.func);
        let vjp = |m: &mut Module, f, about: (&[usize], &[usize]), primal| {
            ctx.passes.vjp(m, f, about, primal, Policy::default())
        };
        let of = (&r.wrt[..], &r.outputs[..]);
        let first = vec![vjp(m, source, of, true)?, ctx.passes.jvp(m, source, &r.wrt)?];
        let mut seconds = Vec::new();
        if second {
            let once = vjp(m, source, of, false)?;
            let (wrt, outputs) = second_order(m, f, once, &r.wrt);
            seconds = vec![vjp(m, once, (&wrt, &outputs), false)?, ctx.passes.jvp(m, once, &wrt)?];
            seconds.push(nested(m, ctx.passes, source, &r.wrt, &r.outputs)?);
        }
        Ok(Derivatives { module, func: f, first, second: seconds })
    }

    /// Simplifies the programs as a check does.
    pub fn simplify(&mut self, ctx: &Context) {
        let all = [&self.first[..], &self.second].concat();
        ctx.passes.simplify(&mut self.module, &all, &ctx.options());
    }

    /// The programs of an order with everything they call, as text.
    pub fn text(&self, second: bool) -> String {
        let programs = if second { &self.second } else { &self.first };
        let reached = self.module.reachable_from(programs);
        let print = |f: FuncId| text::print_func(&self.module, self.module.func(f), &Default::default());
        reached.into_iter().map(print).collect()
    }
}

/// The inputs (x and v) with respect to which F(x, v) = vᵀJ, the VJP program of `f`, is checked, and its outputs (all).
pub(crate) fn second_order(m: &Module, f: FuncId, vjp: FuncId, wrt: &[usize]) -> (Vec<usize>, Vec<usize>) {
    let cotangents = m.func(f).params.len()..m.func(vjp).params.len();
    (wrt.iter().copied().chain(cotangents).collect(), m.func(vjp).differentiable_results())
}

/// The other nesting of the second order: the VJP program of the JVP program of `f`, of the tangents of `outputs`.
pub(crate) fn nested(
    m: &mut Module,
    passes: &dyn Passes,
    f: FuncId,
    wrt: &[usize],
    outputs: &[usize],
) -> Result<FuncId, Diagnostic> {
    let jvp = passes.jvp(m, f, wrt)?;
    let (values, list) = (m.func(f).results.len(), m.func(f).differentiable_results());
    let dot = |k: &usize| list.iter().position(|d| d == k).map(|at| values + at);
    let dots: Vec<usize> = outputs.iter().filter_map(dot).collect();
    passes.vjp(m, jvp, (wrt, &dots), false, Policy::default())
}

/// Derivative programs evaluated in double-double.
pub struct Precise {
    d: Derivatives,
    builders: Builders,
    engine: Engine,
    value: Runner,
    programs: Vec<(FuncId, Exact)>,
}

impl Precise {
    /// The programs of one order; `None` if one has no double-double form.
    pub fn new(mut d: Derivatives, second: bool, ctx: &Context) -> Option<Precise> {
        let list = if second { d.second.clone() } else { d.first.clone() };
        let reached = [&list[..], &[d.func]].concat();
        let externs = ctx.externs.bind(&d.module, &reached).ok()?;
        let mut engine = Engine::new(externs, interp::Limits::default());
        let value = engine.compile_quickly(&d.module, &[d.func]).ok()?.pop()?;
        let mut builders = Builders::default();
        let mut programs = Vec::new();
        for f in list {
            let mut tools = Toolchain { module: &mut d.module, builders: &mut builders, engine: &mut engine };
            programs.push((f, Exact::new(&mut tools, f)?));
        }
        Some(Precise { d, builders, engine, value, programs })
    }

    /// All results of the programs at the check's point number `k`, along directions drawn for it. `None` if the function
    /// has no finite value there, or a program has no value.
    pub fn at(&mut self, block: &CheckBlock, seed: u64, k: u64) -> Option<Vec<f64>> {
        let func = self.d.module.func(self.d.func);
        let inputs = Sampler::new(func, &block.params, seed).draw(k as usize);
        self.engine.arrive();
        let values = self.value.call(&mut self.engine, &inputs).ok()?;
        self.engine.evaluated();
        if !values.iter().all(finite) {
            return None;
        }
        let mut out = Vec::new();
        for (f, exact) in &mut self.programs {
            let func = self.d.module.func(*f).clone();
            let mut args = inputs.clone();
            for (i, p) in func.params.iter().enumerate().skip(inputs.len()) {
                let ty = func.param_ty(i).scalar();
                let mut x = Datum::zeros(ty, &sizes(func.data(p.value))?);
                let mut s = Stream::new(seed, Purpose::Cotangent, [k, i as u64, 1]);
                for at in 0..x.len() {
                    x.set(at, Const::from_c128(Complex64::new(s.normal(), s.normal()), ty));
                }
                args.push(x);
            }
            let mut tools = Toolchain {
                module: &mut self.d.module,
                builders: &mut self.builders,
                engine: &mut self.engine,
            };
            if !exact.run(&mut tools, &args, &[]) {
                return None;
            }
            let results = exact.results(&func);
            let floats = results.iter().filter(|r| r.elem().is_float());
            out.extend(floats.flat_map(|r| r.elements().collect::<Vec<_>>()).flat_map(|c| {
                let z = c.to_c128();
                [z.re, z.im]
            }));
        }
        Some(out)
    }
}

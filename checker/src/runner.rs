//! Compiled programs with room for their arguments and results.

use crate::coordinates::sizes;
use adc_ir::interp::{Interp, Val};
use adc_ir::*;
use adc_jit::{Compiled, Externs, Options, RuntimeMath, Workspace};
use std::sync::Arc;

/// What compiling and running take.
pub(crate) struct Engine {
    pub externs: Externs,
    workspace: Workspace,
}

impl Engine {
    pub(crate) fn new(externs: Externs) -> Engine {
        Engine { externs, workspace: Workspace::new() }
    }

    /// The functions, compiled together.
    pub(crate) fn compile(&self, m: &Module, funcs: &[FuncId]) -> Result<Vec<Runner>, Diagnostic> {
        let code: Vec<Code> = match funcs.iter().all(|f| m.scalar_only(*f).is_ok()) {
            true => {
                let code = adc_jit::compile(m, funcs, &self.externs, &Options::default())?;
                code.into_iter().map(Code::Native).collect()
            }
            false => {
                let m = Arc::new(m.clone());
                funcs.iter().map(|f| Code::Interpreted(m.clone(), *f)).collect()
            }
        };
        let room = |data: &ValueData| {
            Datum::zeros(data.ty.scalar(), &sizes(data).expect("programs have sizes that are numbers"))
        };
        let runner = |(f, code): (&FuncId, Code)| {
            let func = m.func(*f);
            Runner {
                code,
                inputs: func.params.iter().map(|p| room(func.data(p.value))).collect(),
                outputs: func.results.iter().map(|r| room(&r.data())).collect(),
                cells: (Vec::new(), Vec::new()),
            }
        };
        Ok(funcs.iter().zip(code).map(runner).collect())
    }
}

#[derive(Clone)]
enum Code {
    Native(Compiled),
    /// Where native code knows no arrays yet.
    Interpreted(Arc<Module>, FuncId),
}

/// A program with its arguments and results.
#[derive(Clone)]
pub(crate) struct Runner {
    code: Code,
    pub inputs: Vec<Datum>,
    pub outputs: Vec<Datum>,
    cells: (Vec<u64>, Vec<u64>),
}

impl Runner {
    /// From [`Self::inputs`] to [`Self::outputs`].
    pub(crate) fn run(&mut self, engine: &mut Engine) -> Result<(), RuntimeError> {
        match &self.code {
            Code::Native(code) => {
                let (inputs, outputs) = &mut self.cells;
                inputs.clear();
                self.inputs.iter().for_each(|d| adc_jit::encode(d.get(0), inputs));
                outputs.resize(code.output_cells(), 0);
                code.call_cells(&mut engine.workspace, inputs, outputs)?;
                let mut at = 0;
                for (ty, out) in code.outputs().iter().zip(&mut self.outputs) {
                    *out = Datum::Scalar(adc_jit::decode(*ty, &outputs[at..]));
                    at += adc_jit::cells_of(*ty);
                }
            }
            Code::Interpreted(m, f) => {
                let args: Vec<Val<f64>> = self.inputs.iter().map(Datum::to_val).collect();
                let values = Interp::new(m, &RuntimeMath, &engine.externs).call(*f, &args)?;
                for (v, out) in values.iter().zip(&mut self.outputs) {
                    *out = Datum::from_val(v, out.elem());
                }
            }
        }
        Ok(())
    }

    /// The results for these arguments.
    pub(crate) fn call(&mut self, engine: &mut Engine, args: &[Datum]) -> Result<Vec<Datum>, RuntimeError> {
        crate::cells::load(&mut self.inputs, args);
        self.run(engine)?;
        Ok(self.outputs.clone())
    }
}

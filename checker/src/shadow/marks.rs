//! The values that p holds exactly, whatever the parameters are.

use super::ops::{Row, row};
use adc_ir::*;

/// By value; true for values that are no floats. Float parameters never are.
pub(super) fn exact(func: &Func) -> Vec<bool> {
    let discrete = func.values.iter().map(|d| !d.ty.is_differentiable()).collect();
    let mut marks = Marks { func, exact: discrete };
    func.region().into_iter().for_each(|r| marks.region(r));
    marks.exact
}

struct Marks<'a> {
    func: &'a Func,
    exact: Vec<bool>,
}

impl Marks<'_> {
    fn is(&self, v: Value) -> bool {
        self.exact[v.0 as usize]
    }

    fn all(&self, values: &[Value]) -> bool {
        values.iter().all(|v| self.is(*v))
    }

    fn region(&mut self, region: &Region) {
        for inst in &region.insts {
            let rounded = |k: usize| !self.func.ty(inst.results[k]).is_differentiable();
            let exact: Vec<bool> = match &inst.kind {
                Kind::Const(_) | Kind::Size(_) => vec![true],
                Kind::Op(op) => {
                    let scalars: Vec<Scalar> = inst.args.iter().map(|v| self.func.ty(*v).scalar()).collect();
                    vec![match row(*op, &scalars) {
                        Row::Primal => true,
                        Row::Moves(_) => self.all(&inst.args),
                        Row::Rounds(_) | Row::Native => rounded(0),
                    }]
                }
                Kind::Update | Kind::UpdateSlice | kinds!(Read | Form) => vec![self.all(&inst.args)],
                Kind::AddAt | Kind::AddSlice | kinds!(Matrix) => vec![rounded(0)],
                Kind::Call(_) => (0..inst.results.len()).map(rounded).collect(),
                Kind::If | Kind::Build { .. } => {
                    inst.regions.iter().for_each(|r| self.region(r));
                    let yields = |k: usize| inst.regions.iter().all(|r| self.is(r.yields[k]));
                    (0..inst.results.len()).map(yields).collect()
                }
                Kind::Reduce(op) => {
                    self.region(&inst.regions[0]);
                    vec![match op {
                        ReduceOp::Sum | ReduceOp::Prod => rounded(0),
                        ReduceOp::Max | ReduceOp::Min => self.is(inst.regions[0].yields[0]),
                        ReduceOp::Any | ReduceOp::All | ReduceOp::ArgMax | ReduceOp::ArgMin => true,
                    }]
                }
                Kind::For(l) | Kind::While(l) => self.iterations(inst, *l),
                Kind::Assert(_) => Vec::new(),
            };
            for (v, exact) in inst.results.iter().zip(exact) {
                self.exact[v.0 as usize] = exact;
            }
        }
    }

    /// A carry is exact if its initial value is and every iteration keeps it so.
    fn iterations(&mut self, inst: &Inst, l: Loop) -> Vec<bool> {
        let first = inst.kind.first_carry().expect("a loop with carries");
        let count = inst.args.len() - first;
        let body = inst.regions.last().expect("a loop has a body");
        let index = body.params.len() - count;
        let mut carries: Vec<bool> = inst.args[first..].iter().map(|v| self.is(*v)).collect();
        loop {
            for r in &inst.regions {
                for (v, exact) in r.params[index..].iter().zip(&carries) {
                    self.exact[v.0 as usize] = *exact;
                }
            }
            inst.regions.iter().for_each(|r| self.region(r));
            let next: Vec<bool> = carries.iter().zip(&body.yields).map(|(c, y)| *c && self.is(*y)).collect();
            if next == carries {
                break;
            }
            carries = next;
        }
        let (sums, collects) = body.yields[count..].split_at(l.sums as usize);
        let counted = inst.results.len() - body.yields.len();
        let sums = sums.iter().map(|v| !self.func.ty(*v).is_differentiable());
        let collects = collects.iter().map(|v| self.is(*v));
        // A `while` that collects gives the number of iterations before the arrays.
        carries.into_iter().chain(sums).chain((0..counted).map(|_| true)).chain(collects).collect()
    }
}

//! Tangents of instructions on arrays. Most are linear: they do to the tangent what they do to the array.

use super::Forward;
use crate::emit::Ex;
use crate::linear::{Lin, Mask};
use adc_ir::{Inst, Kind, Value, ValueData, kinds};

impl Forward<'_> {
    /// An instruction on arrays without regions.
    pub(super) fn array(&mut self, inst: &Inst, args: &[Value]) {
        let data = self.data(inst.results[0]);
        let y = self.em.b.emit(inst.kind.clone(), args, vec![data.clone()], Vec::new())[0];
        self.define(inst, &[y]);
        if self.is_active(inst.results[0]) {
            self.tangent[inst.results[0].0 as usize] = self.array_tangent(inst, args, y, data);
        }
    }

    fn array_tangent(&mut self, inst: &Inst, args: &[Value], y: Value, data: ValueData) -> Option<Lin> {
        match &inst.kind {
            Kind::Fill | Kind::Reshape | Kind::Transpose | kinds!(Read) => {
                let (dot, mask) = self.full(inst.args[0])?;
                Some(self.linear(inst, [&[dot], &args[1..]].concat(), mask, data))
            }
            Kind::Pack => {
                let (dots, mask) = self.together(&inst.args)?;
                Some(self.linear(inst, dots, mask, data))
            }
            Kind::AddAt | Kind::AddSlice if self.tangent(inst.args[1]).is_none() => {
                self.tangent(inst.args[0]).cloned()
            }
            kinds!(Write) => {
                let (dots, mask) = self.together(&inst.args[..2])?;
                Some(self.linear(inst, [&dots, &args[2..]].concat(), mask, data))
            }
            Kind::MatMul => {
                let left = self.full(inst.args[0]).map(|(dot, mask)| (self.em.b.matmul(dot, args[1]), mask));
                let right = self.full(inst.args[1]).map(|(dot, mask)| (self.em.b.matmul(args[0], dot), mask));
                let terms = [left, right].into_iter().flatten();
                self.em.sum(terms.map(|(x, mask)| Lin { x: Ex::Val(x), mask }).collect())
            }
            Kind::Linalg(op) => self.linalg_tangent(*op, inst, args, y),
            Kind::Const(_)
            | Kind::Op(_)
            | Kind::Call(_)
            | Kind::If
            | Kind::Assert(_)
            | Kind::Size(_)
            | kinds!(Loop) => unreachable!("an instruction on arrays without regions"),
        }
    }

    /// The same instruction on tangents.
    fn linear(&mut self, inst: &Inst, args: Vec<Value>, mask: Mask, data: ValueData) -> Lin {
        let dot = self.em.b.emit(inst.kind.clone(), &args, vec![data], Vec::new())[0];
        Lin { x: Ex::Val(dot), mask }
    }

    /// The tangents of several values, 0 for those without, and the mask they share; `None` if none has one.
    fn together(&mut self, of: &[Value]) -> Option<(Vec<Value>, Mask)> {
        let dots: Vec<Option<Lin>> = of.iter().map(|v| self.tangent(*v).cloned()).collect();
        dots.iter().any(Option::is_some).then(|| {
            let like: Vec<ValueData> = of.iter().map(|v| self.data(*v)).collect();
            self.em.dense_list(&dots, &like)
        })
    }
}

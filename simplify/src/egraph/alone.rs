//! One rewrite by itself: every match in a window becomes the right side, whatever it costs. For the self-test, so that a wrong row
//! shows wherever its left side stands.

use super::language::Data;
use super::matching::{Entry, Match};
use super::window::Input;
use super::{Walk, is_float_op, resolve};
use crate::facts::Facts;
use crate::rules::Term;
use adc_ir::{Inst, Kind, Span, Type, Value, Values};
use egg::Id;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// By class of a window: its value.
type Known = FxHashMap<Id, Value>;

impl Walk<'_> {
    /// The instructions of a window with the matches of one rewrite replaced; what that leaves without a use stays.
    pub(super) fn apply_alone(&mut self, entry: &'static Entry, insts: Vec<Inst>) -> Vec<Inst> {
        if !insts.iter().any(|i| is_float_op(i, &self.values).is_some()) {
            return insts;
        }
        let input = Input::read(self, &insts);
        let matches = entry.matches(&input.graph, self.mode);
        let mut known = Known::default();
        let mut out = Vec::with_capacity(insts.len());
        for (k, inst) in insts.into_iter().enumerate() {
            for (id, v) in input.args[k].iter().zip(&inst.args) {
                known.entry(input.graph.find(*id)).or_insert(*v);
            }
            let Some(id) = input.ids[k].map(|id| input.graph.find(id)) else {
                out.push(inst);
                continue;
            };
            let result = inst.results[0];
            // What decides keeps its bits, as ever.
            match matches.get(&id).filter(|_| !self.deciding.get(result)) {
                Some(found) => {
                    let right = self.term(found.right, found, &known, &input, inst.span, &mut out);
                    self.replaced[result.0 as usize] = right;
                }
                None => out.push(inst),
            }
            known.insert(id, resolve(&self.replaced, result));
        }
        out
    }

    /// The value of a right side's term.
    fn term(
        &mut self,
        t: &Term,
        found: &Match,
        known: &Known,
        input: &Input,
        span: Span,
        out: &mut Vec<Inst>,
    ) -> Value {
        let (kind, args) = match t {
            Term::Var(_) => return known[&input.graph.find(found.operand(t))],
            Term::Num(_) | Term::Int(_) => (Kind::Const(found.literal(t)), Values::new()),
            Term::Op(op, args) => {
                let args = args.iter().map(|a| self.term(a, found, known, input, span, out)).collect();
                (Kind::Op(*op), args)
            }
        };
        let types: SmallVec<[Type; 3]> = args.iter().map(|v: &Value| self.values[v.0 as usize].ty).collect();
        let ty = match &kind {
            Kind::Const(c) => c.scalar(),
            Kind::Op(op) => op.result_type(&types).expect("both sides have types").scalar(),
            other => unreachable!("{other:?} is part of no term"),
        };
        let data = Data { ty, facts: Facts::any(ty), constant: None, pinned: None, source: 0 };
        self.emit_inst(kind, args, None, &data, span, out)
    }
}

//! Which ops of straight-line code share a call: two functions of one operand that the table of native functions
//! pairs ([`crate::math::PAIRS`]).

use super::Emit;
use crate::math::{PAIRS, Row};
use adc_ir::{Inst, Kind, Op, Value};
use rustc_hash::FxHashMap;

/// Two ops of one operand that one call computes.
#[derive(Clone, Copy)]
pub(super) struct Twins {
    pub operand: Value,
    /// In the order of the row's results.
    pub results: [Value; 2],
    pub row: Row,
}

/// By result of the op that comes first: the pair.
pub(super) type Pairs = FxHashMap<Value, Twins>;

impl Emit<'_, '_> {
    /// Takes note of the pairs among instructions that run one after the other, nested ones not included: there a
    /// function would be computed that nobody may need.
    pub(super) fn find_pairs<'i>(&mut self, insts: impl Iterator<Item = &'i Inst>) {
        // By row and operand: the half that is still alone.
        let mut halves: FxHashMap<(usize, Value), (usize, Value)> = FxHashMap::default();
        for inst in insts {
            let Kind::Op(op) = inst.kind else { continue };
            let Some((row, half)) = place(op) else { continue };
            let (operand, result) = (inst.args[0], inst.results[0]);
            if !self.ty(operand).is_real() {
                continue;
            }
            match halves.get(&(row, operand)).copied() {
                Some((other, first)) if other != half => {
                    halves.remove(&(row, operand));
                    let results = if half == 1 { [first, result] } else { [result, first] };
                    self.refs.pairs.insert(first, Twins { operand, results, row: PAIRS[row].row });
                }
                Some(_) => {}
                None => {
                    halves.insert((row, operand), (half, result));
                }
            }
        }
    }
}

/// The row of an op that has a partner, and which of the two it is.
fn place(op: Op) -> Option<(usize, usize)> {
    PAIRS.iter().enumerate().find_map(|(row, p)| Some((row, p.ops.iter().position(|o| *o == op)?)))
}

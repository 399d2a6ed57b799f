//! Contraction: a product that is only added to something becomes an `fma` with it, which rounds once instead of twice.
//!
//! Not where two products, or what has their value but the sign, are added or subtracted: contracting one of them makes `x·v − y·u` depend on the order of its
//! terms, and lets what cancels exactly not cancel. Not with what a loop carries: the carry would wait for the product.
//! Not where bits decide.

use super::decisions::Deciding;
use super::{CONTRACT, Explanation};
use adc_ir::{FuncId, Inst, Kind, Op, Region, Value, ValueData, Values};

/// Contracts in a function's body.
pub(super) fn region(
    body: &mut Region,
    values: &mut Vec<ValueData>,
    deciding: &Deciding,
    func: FuncId,
    explain: Option<&mut Vec<Explanation>>,
) {
    let mut uses = vec![0; values.len()];
    body.count_uses(&mut uses);
    let mut c = Contract {
        values,
        deciding,
        uses,
        product: Vec::new(),
        negated: Vec::new(),
        carried: Vec::new(),
        found: Vec::new(),
        func,
    };
    c.product = vec![None; c.values.len()];
    c.negated = vec![false; c.values.len()];
    c.carried = vec![false; c.values.len()];
    c.region(body, false);
    let found = c.found;
    if let Some(out) = explain {
        out.extend(found);
    }
}

/// What an `fma` costs less than a product and a sum.
pub(super) const SAVED: u64 = 3;

/// Whether an op may be part of an `fma`: its result is real, and nothing depends on its bits.
pub(super) fn fits(values: &[ValueData], deciding: &Deciding, inst: &Inst) -> bool {
    let r = inst.results[0];
    let ty = values[r.0 as usize].ty;
    ty.scalar().is_real() && !ty.is_array() && !deciding.get(r)
}

struct Contract<'a> {
    values: &'a mut Vec<ValueData>,
    deciding: &'a Deciding,
    uses: Vec<u32>,
    /// The factors of a value that is a product of reals.
    product: Vec<Option<[Value; 2]>>,
    /// Whether a value is −p of a product p.
    negated: Vec<bool>,
    carried: Vec<bool>,
    found: Vec<Explanation>,
    func: FuncId,
}

impl Contract<'_> {
    fn region(&mut self, r: &mut Region, carries: bool) {
        if carries {
            r.params.iter().for_each(|p| self.carried[p.0 as usize] = true);
        }
        let mut out: Vec<Inst> = Vec::with_capacity(r.insts.len());
        for mut inst in std::mem::take(&mut r.insts) {
            let carries = inst.kind.first_carry().is_some();
            inst.regions.iter_mut().for_each(|r| self.region(r, carries));
            if let Kind::Op(op) = inst.kind {
                self.op(op, &mut inst, &mut out);
            }
            out.push(inst);
        }
        r.insts = out;
    }

    fn op(&mut self, op: Op, inst: &mut Inst, out: &mut Vec<Inst>) {
        if !fits(self.values, self.deciding, inst) {
            return;
        }
        let r = inst.results[0];
        if op == Op::Mul {
            self.product[r.0 as usize] = Some([inst.args[0], inst.args[1]]);
        }
        if op == Op::Neg {
            self.negated[r.0 as usize] = self.product[inst.args[0].0 as usize].is_some();
        }
        if op != Op::Add && op != Op::Sub {
            return;
        }
        let [a, b] = [inst.args[0], inst.args[1]];
        let lone = |v: Value| self.uses[v.0 as usize] == 1;
        let ([mut x, y], mut other, left) = match [a, b].map(|v| self.product[v.0 as usize]) {
            [Some(p), None] if lone(a) => (p, b, true),
            [None, Some(p)] if lone(b) => (p, a, false),
            [Some(_), _] | [None, _] => return,
        };
        if self.carried[other.0 as usize] || self.negated[other.0 as usize] {
            return;
        }
        if op == Op::Sub && left {
            other = self.negated(other, inst, out);
        } else if op == Op::Sub {
            x = self.negated(x, inst, out);
        }
        inst.kind = Kind::Op(Op::Fma);
        inst.args = Values::from_slice(&[x, y, other]);
        let (func, span) = (self.func, inst.span);
        self.found.push(Explanation { func, rule: CONTRACT, facts: Vec::new(), span, count: 1 });
    }

    /// −v, which costs nothing as an operand of an `fma`.
    fn negated(&mut self, v: Value, like: &Inst, out: &mut Vec<Inst>) -> Value {
        let r = Value(self.values.len() as u32);
        self.values.push(self.values[v.0 as usize].clone());
        self.uses.push(1);
        self.product.push(None);
        self.negated.push(false);
        self.carried.push(false);
        out.push(Inst {
            kind: Kind::Op(Op::Neg),
            args: Values::from_slice(&[v]),
            results: Values::from_slice(&[r]),
            regions: Vec::new(),
            span: like.span,
        });
        r
    }
}

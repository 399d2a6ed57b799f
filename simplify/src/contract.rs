//! Contraction: a product that is only added to something becomes an `fma` with it, which rounds once instead of twice. On the way
//! sums with 0 go that are terms of other sums: they at most change the sign of a zero.
//!
//! Not where two products, or what has their value but the sign, are added or subtracted: contracting one of them makes `x·v − y·u`
//! depend on the order of its terms, and lets what cancels exactly not cancel. Not with what a loop carries: the carry would wait
//! for the product. Not with a product that is computed before a loop. Not where bits decide, and not in strict functions.

use crate::decisions::{Deciding, Decisions};
use crate::explain::{self, CONTRACT, Explanation};
use adc_ir::{Body, FpMode, Func, FuncId, Inst, Kind, Module, Op, Region, Value, ValueData, Values};
use rustc_hash::{FxHashMap, FxHashSet};

/// Contracts in those functions that `which` is true for; whether there was anything.
pub(crate) fn functions(
    m: &mut Module,
    which: &[bool],
    decisions: &Decisions,
    mut explain: Option<&mut Vec<Explanation>>,
) -> bool {
    let mut any = false;
    for (i, f) in m.funcs.iter_mut().enumerate().filter(|(i, _)| which[*i]) {
        if f.mode() == FpMode::Strict {
            continue;
        }
        let id = FuncId(i as u32);
        let (changed, found) = function(f, decisions.within(id), id);
        any |= changed;
        if let Some(out) = explain.as_deref_mut() {
            explain::merge(out, found);
        }
    }
    any
}

/// Whether there was anything, and the contractions.
fn function(f: &mut Func, deciding: &Deciding, func: FuncId) -> (bool, Vec<Explanation>) {
    let Body::Region(body) = &mut f.body else { return (false, Vec::new()) };
    let mut uses = vec![0; f.values.len()];
    body.count_uses(&mut uses);
    let count = f.values.len();
    // Values that are added to something, and nothing else.
    let mut adding = vec![0; count];
    count_sums(body, &mut adding);
    let added =
        (0..count as u32).filter(|v| adding[*v as usize] > 0 && adding[*v as usize] == uses[*v as usize]);
    let added = added.map(Value).collect();
    let mut c = Contract {
        values: &mut f.values,
        deciding,
        uses,
        product: vec![None; count],
        negated: vec![false; count],
        carried: vec![false; count],
        zero: vec![false; count],
        added,
        replaced: FxHashMap::default(),
        loops: 0,
        found: Vec::new(),
        changed: false,
        func,
    };
    c.region(body, 0, false);
    (c.changed, c.found)
}

/// Adds to `adding` how often each value is a term of a sum.
fn count_sums(r: &Region, adding: &mut [u32]) {
    for inst in &r.insts {
        if matches!(inst.kind, Kind::Op(Op::Add | Op::Sub)) {
            inst.args.iter().for_each(|v| adding[v.0 as usize] += 1);
        }
        inst.regions.iter().for_each(|r| count_sums(r, adding));
    }
}

/// What an `fma` costs less than a product and a sum.
pub(crate) const SAVED: u64 = 3;

/// Whether an op may be part of an `fma`: its result is real, and nothing depends on its bits.
pub(crate) fn fits(values: &[ValueData], deciding: &Deciding, inst: &Inst) -> bool {
    let r = inst.results[0];
    let ty = values[r.0 as usize].ty;
    ty.scalar().is_real() && !ty.is_array() && !deciding.get(r)
}

struct Contract<'a> {
    values: &'a mut Vec<ValueData>,
    deciding: &'a Deciding,
    uses: Vec<u32>,
    /// The factors of a value that is a product of reals, and the innermost loop that computes it.
    product: Vec<Option<([Value; 2], usize)>>,
    /// Whether a value is −p of a product p.
    negated: Vec<bool>,
    carried: Vec<bool>,
    /// Whether a value is the literal 0.
    zero: Vec<bool>,
    /// Values that are terms of sums, and nothing else.
    added: FxHashSet<Value>,
    /// What stands for sums with 0.
    replaced: FxHashMap<Value, Value>,
    /// Number of loops so far.
    loops: usize,
    found: Vec<Explanation>,
    /// Whether anything is another than before.
    changed: bool,
    func: FuncId,
}

impl Contract<'_> {
    fn region(&mut self, r: &mut Region, inside: usize, carries: bool) {
        if carries {
            r.params.iter().for_each(|p| self.carried[p.0 as usize] = true);
        }
        let mut out: Vec<Inst> = Vec::with_capacity(r.insts.len());
        for mut inst in std::mem::take(&mut r.insts) {
            inst.args.iter_mut().for_each(|v| *v = self.place(*v));
            let carries = inst.kind.first_carry().is_some();
            for nested in &mut inst.regions {
                self.loops += usize::from(inst.kind.is_loop());
                let inside = if inst.kind.is_loop() { self.loops } else { inside };
                self.region(nested, inside, carries);
            }
            if let Kind::Op(op) = inst.kind
                && self.is_gone(op, &inst)
            {
                continue;
            }
            match inst.kind {
                Kind::Op(op) => self.op(op, inside, &mut inst, &mut out),
                Kind::Const(c) => {
                    self.zero[inst.results[0].0 as usize] = c.scalar().is_real() && c.to_c128().re == 0.0;
                }
                _ => {}
            }
            out.push(inst);
        }
        r.yields.iter_mut().for_each(|v| *v = self.place(*v));
        r.insts = out;
    }

    fn place(&self, v: Value) -> Value {
        self.replaced.get(&v).copied().unwrap_or(v)
    }

    /// Whether it is x + 0 where the sign of a zero makes no difference, because all that is done with it is adding.
    fn is_gone(&mut self, op: Op, inst: &Inst) -> bool {
        let r = inst.results[0];
        let zero = |v: &Value| self.zero.get(v.0 as usize) == Some(&true);
        let x = match (op, &inst.args[..]) {
            (Op::Add, [x, o]) | (Op::Add, [o, x]) if zero(o) && !zero(x) => *x,
            _ => return false,
        };
        let one_type = self.values[x.0 as usize].ty == self.values[r.0 as usize].ty;
        if !self.added.contains(&r) || !one_type || !fits(self.values, self.deciding, inst) {
            return false;
        }
        let uses = self.uses[x.0 as usize] + self.uses[r.0 as usize];
        self.uses[x.0 as usize] = uses - 1;
        self.replaced.insert(r, x);
        self.changed = true;
        true
    }

    fn op(&mut self, op: Op, inside: usize, inst: &mut Inst, out: &mut Vec<Inst>) {
        if !fits(self.values, self.deciding, inst) {
            return;
        }
        let r = inst.results[0];
        if op == Op::Mul {
            self.product[r.0 as usize] = Some(([inst.args[0], inst.args[1]], inside));
        }
        if op == Op::Square {
            self.product[r.0 as usize] = Some(([inst.args[0], inst.args[0]], inside));
        }
        if op == Op::Neg {
            self.negated[r.0 as usize] = self.product[inst.args[0].0 as usize].is_some();
        }
        if op != Op::Add && op != Op::Sub {
            return;
        }
        let [a, b] = [inst.args[0], inst.args[1]];
        let lone = |v: Value| self.uses[v.0 as usize] == 1;
        let (([mut x, y], of), mut other, left) = match [a, b].map(|v| self.product[v.0 as usize]) {
            [Some(p), None] if lone(a) => (p, b, true),
            [None, Some(p)] if lone(b) => (p, a, false),
            [Some(_), _] | [None, _] => return,
        };
        if of != inside || self.carried[other.0 as usize] || self.negated[other.0 as usize] {
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
        self.changed = true;
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
        self.zero.push(false);
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

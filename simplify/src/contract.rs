//! Contraction: a product that is only added to something becomes an `fma` with it, which rounds once instead of twice. On the way
//! sums with 0 go that are terms of other sums: they at most change the sign of a zero. Where that matters, the 0 is added on the way, to a
//! product: `(p·q + x·y) + 0` is `(p·q + 0) + x·y`, underflow aside.
//!
//! Not where one product, or what has its value but the sign, is subtracted from another, or where one has a factor with a minus:
//! contracting one of them makes `x·v − y·u` depend on the order of its terms, and lets what cancels exactly not cancel. But a number
//! times a power of 2 is as exact as a number by itself, and multiples by different literals have no order that matters. Not with what a
//! loop carries, unless the product waits for
//! that anyway: the carry would wait for the product. Not with a product that is computed before a loop. Not where bits decide, and not
//! in strict functions.

use crate::decisions::{Deciding, Decisions};
use crate::explain::{self, CONTRACT, Explanation};
use adc_ir::{Body, Const, FpMode, Func, FuncId, Inst, Kind, Module, Op, Region, Value, ValueData, Values};
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
        negated: vec![None; count],
        minus: vec![false; count],
        carried: vec![false; count],
        carries: 0,
        needs: vec![0; count],
        literal: vec![None; count],
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

/// How many instructions are looked through for the products of a sum.
const NEAR: usize = 64;

/// What an `fma` costs less than a product and a sum.
pub(crate) const SAVED: u64 = 3;

/// Whether an op may be part of an `fma`: its result is real, and nothing depends on its bits.
pub(crate) fn fits(values: &[ValueData], deciding: &Deciding, inst: &Inst) -> bool {
    let r = inst.results[0];
    let ty = values[r.0 as usize].ty;
    ty.scalar().is_real() && !ty.is_array() && !deciding.get(r)
}

/// A product of reals.
#[derive(Clone, Copy)]
struct Product {
    factors: [Value; 2],
    /// A factor that is a literal.
    literal: Option<f64>,
    /// Whether a factor has a minus.
    minus: bool,
    /// The innermost loop that computes it.
    of: usize,
}

impl Product {
    /// Whether it is not rounded: subnormal numbers aside, a number times a power of 2.
    fn is_exact(&self) -> bool {
        self.literal.is_some_and(|x| x.is_normal() && x.to_bits() << 12 == 0)
    }
}

struct Contract<'a> {
    values: &'a mut Vec<ValueData>,
    deciding: &'a Deciding,
    uses: Vec<u32>,
    /// By value: what it is a product of, if it is one of reals.
    product: Vec<Option<Product>>,
    /// By value: what it is the negative of, if that is a product of reals.
    negated: Vec<Option<Product>>,
    /// Whether a value is another one with a minus.
    minus: Vec<bool>,
    carried: Vec<bool>,
    /// Number of carries so far.
    carries: u32,
    /// By value: which carries it is computed from, in the same iteration. They have bits, of which a loop of many uses some again.
    needs: Vec<u64>,
    /// By value: the real literal it is.
    literal: Vec<Option<f64>>,
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
            for p in &r.params {
                self.carried[p.0 as usize] = true;
                self.needs[p.0 as usize] = 1 << (self.carries % u64::BITS);
                self.carries += 1;
            }
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
                && self.is_gone(op, &inst, &mut out)
            {
                continue;
            }
            let of_regions = inst.regions.iter().flat_map(|r| &r.yields);
            let needs = inst.args.iter().chain(of_regions).fold(0, |all, v| all | self.needs[v.0 as usize]);
            inst.results.iter().for_each(|r| self.needs[r.0 as usize] = needs);
            match inst.kind {
                Kind::Op(op) => self.op(op, inside, &mut inst, &mut out),
                Kind::Const(c) if c.scalar().is_real() => {
                    self.literal[inst.results[0].0 as usize] = Some(c.to_c128().re);
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

    /// Whether it is x + 0 where the sign of a zero makes no difference, because all that is done with it is adding, or where a product
    /// in x takes in the 0.
    fn is_gone(&mut self, op: Op, inst: &Inst, out: &mut Vec<Inst>) -> bool {
        let r = inst.results[0];
        let zero = |v: &Value| self.literal[v.0 as usize] == Some(0.0);
        let x = match (op, &inst.args[..]) {
            (Op::Add, [x, o]) | (Op::Add, [o, x]) if zero(o) && !zero(x) => *x,
            _ => return false,
        };
        let one_type = self.values[x.0 as usize].ty == self.values[r.0 as usize].ty;
        if !one_type || !fits(self.values, self.deciding, inst) {
            return false;
        }
        if !self.added.contains(&r) && !self.takes_zero(x, out) {
            return false;
        }
        let uses = self.uses[x.0 as usize] + self.uses[r.0 as usize];
        self.uses[x.0 as usize] = uses - 1;
        self.replaced.insert(r, x);
        self.changed = true;
        true
    }

    /// Adds 0 to the product that a sum of products begins with, if nothing else needs that or the sum.
    fn takes_zero(&mut self, sum: Value, out: &mut Vec<Inst>) -> bool {
        let mut at = sum;
        let near = out.len().saturating_sub(NEAR);
        let first = loop {
            let Some(k) = out[near..].iter().rposition(|i| i.results.contains(&at)) else { return false };
            let k = near + k;
            match out[k].kind {
                _ if self.uses[at.0 as usize] != 1 => return false,
                Kind::Op(Op::Fma) => at = out[k].args[2],
                Kind::Op(Op::Mul | Op::Square) if at != sum && self.product[at.0 as usize].is_some() => {
                    break k;
                }
                _ => return false,
            }
        };
        let ty = self.values[at.0 as usize].ty;
        let zero = self.fresh(ValueData::from(ty), 0);
        let c = Const::real(0.0, ty.scalar());
        let Product { factors: [x, y], .. } = self.product[at.0 as usize].expect("it is one");
        out[first].kind = Kind::Op(Op::Fma);
        out[first].args = Values::from_slice(&[x, y, zero]);
        let span = out[first].span;
        out.insert(first, Inst::simple(Kind::Const(c), &[], zero, span));
        self.product[at.0 as usize] = None;
        true
    }

    fn op(&mut self, op: Op, inside: usize, inst: &mut Inst, out: &mut Vec<Inst>) {
        if !fits(self.values, self.deciding, inst) {
            return;
        }
        let r = inst.results[0];
        let factors = match (op, &inst.args[..]) {
            (Op::Mul, [x, y]) => Some([*x, *y]),
            (Op::Square, [x]) => Some([*x, *x]),
            _ => None,
        };
        self.product[r.0 as usize] = factors.map(|factors| {
            let literal = factors.iter().find_map(|v| self.literal[v.0 as usize]);
            let minus = literal.is_some_and(|x| x < 0.0) || factors.iter().any(|v| self.minus[v.0 as usize]);
            Product { factors, literal, minus, of: inside }
        });
        if op == Op::Neg {
            self.negated[r.0 as usize] = self.product[inst.args[0].0 as usize];
            self.minus[r.0 as usize] = true;
        }
        if op != Op::Add && op != Op::Sub {
            return;
        }
        let [a, b] = [inst.args[0], inst.args[1]];
        let Some(left) = self.chosen(op, [a, b], inside) else { return };
        let (p, mut other) = if left { (a, b) } else { (b, a) };
        let [mut x, y] = self.product[p.0 as usize].expect("it is one").factors;
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

    /// Which of two terms is contracted: whether it is the first.
    fn chosen(&self, op: Op, terms: [Value; 2], inside: usize) -> Option<bool> {
        let value = |v: Value| self.product[v.0 as usize].or(self.negated[v.0 as usize]);
        let products = terms.map(value);
        let exact = products.map(|p| p.is_none_or(|p| p.is_exact()));
        let apart = match products {
            [Some(p), Some(q)] => match [p.literal, q.literal].map(|x| x.map(f64::abs)) {
                [Some(x), Some(y)] => x != y || exact == [true; 2],
                _ => exact != [false; 2] || (op == Op::Add && self.is_plain(terms)),
            },
            _ => true,
        };
        let fits = |k: usize| {
            let (v, other) = (terms[k], terms[1 - k]);
            let Some(p) = self.product[v.0 as usize] else { return false };
            let [needs, carry] = [v, other].map(|v| self.needs[v.0 as usize]);
            let waits = !self.carried[other.0 as usize] || needs & carry != 0;
            self.uses[v.0 as usize] == 1 && p.of == inside && waits
        };
        if !apart {
            return None;
        }
        // What is rounded first.
        let order = if exact[0] { [1, 0] } else { [0, 1] };
        order.into_iter().find(|k| fits(*k)).map(|k| k == 0)
    }

    /// Whether both are products without a minus.
    fn is_plain(&self, terms: [Value; 2]) -> bool {
        terms.iter().all(|v| self.product[v.0 as usize].is_some_and(|p| !p.minus))
    }

    /// A new value that is used once.
    fn fresh(&mut self, data: ValueData, needs: u64) -> Value {
        let r = Value(self.values.len() as u32);
        self.values.push(data);
        self.uses.push(1);
        self.product.push(None);
        self.negated.push(None);
        self.minus.push(false);
        self.carried.push(false);
        self.needs.push(needs);
        self.literal.push(None);
        r
    }

    /// −v, which costs nothing as an operand of an `fma`.
    fn negated(&mut self, v: Value, like: &Inst, out: &mut Vec<Inst>) -> Value {
        let r = self.fresh(self.values[v.0 as usize].clone(), self.needs[v.0 as usize]);
        self.minus[r.0 as usize] = true;
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

//! Multiples of multiples: `2·(100·x)` becomes `200·x`, and `x·(2·y)` becomes `2·(x·y)`, so that products meet the literals and minuses around
//! them. Derivatives are full of them: each square brings a 2.
//!
//! One of two factors that are joined is a power of 2, or −1, so nothing is rounded otherwise, but for subnormal numbers; and what was finite
//! stays so, since only factors of at least 1 are multiplied later than before. Not where bits decide, and not in strict functions.

use crate::contract::fits;
use crate::decisions::Deciding;
use crate::loops::scan;
use adc_ir::{Const, FpMode, Func, Inst, Kind, Op, Region, Value};
use rustc_hash::FxHashMap;

/// Larger powers of 2, and smaller ones than its inverse, stay where they are.
const LARGEST: f64 = 256.0;

/// Returns whether there was any.
pub(crate) fn function(f: &mut Func, deciding: &Deciding) -> bool {
    if f.mode() == FpMode::Strict {
        return false;
    }
    let mut uses = vec![0; f.values.len()];
    if let Some(body) = f.region() {
        body.count_uses(&mut uses);
    }
    let mut any = false;
    scan::edit(f, |body, f| {
        let mut m = Multiples {
            f,
            deciding,
            uses,
            literals: FxHashMap::default(),
            multiples: FxHashMap::default(),
            products: FxHashMap::default(),
            any: false,
        };
        m.region(body);
        any = m.any;
    });
    any
}

struct Multiples<'a> {
    f: &'a mut Func,
    deciding: &'a Deciding,
    uses: Vec<u32>,
    literals: FxHashMap<Value, f64>,
    /// By value: the literal and the number that it is the product of.
    multiples: FxHashMap<Value, (f64, Value)>,
    /// By value: the two numbers, none of them a literal, that it is the product of.
    products: FxHashMap<Value, [Value; 2]>,
    any: bool,
}

impl Multiples<'_> {
    fn region(&mut self, r: &mut Region) {
        let mut out: Vec<Inst> = Vec::with_capacity(r.insts.len());
        for mut inst in std::mem::take(&mut r.insts) {
            inst.regions.iter_mut().for_each(|r| self.region(r));
            match inst.kind {
                Kind::Const(c) if c.scalar().is_real() => {
                    self.literals.insert(inst.results[0], c.to_c128().re);
                }
                Kind::Op(op @ (Op::Mul | Op::Neg)) if fits(&self.f.values, self.deciding, &inst) => {
                    self.product(op, &mut inst, &mut out);
                }
                _ => {}
            }
            out.push(inst);
        }
        r.insts = out;
    }

    /// The literal and the number that a product is of.
    fn multiple(&self, op: Op, inst: &Inst) -> Option<(f64, Value)> {
        match (op, &inst.args[..]) {
            (Op::Neg, [x]) => Some((-1.0, *x)),
            (Op::Mul, [x, y]) => match (self.literals.get(x), self.literals.get(y)) {
                (Some(k), None) => Some((*k, *y)),
                (None, Some(k)) => Some((*k, *x)),
                _ => None,
            },
            _ => None,
        }
    }

    fn product(&mut self, op: Op, inst: &mut Inst, out: &mut Vec<Inst>) {
        let r = inst.results[0];
        if let Some((k, x)) = self.multiple(op, inst) {
            let mut known = (k, x);
            if let Some(args) = self.shared(k, x) {
                // 2·(y·(-0.5·w)) is y·(-w), and −w is the same for all such y.
                let (y, (l, w)) = args;
                let data = self.f.data(r).clone();
                let mut t = Inst::simple(Kind::Op(Op::Neg), &[w], self.f.fresh(data), inst.span);
                self.becomes(&mut t, (k * l, w), out);
                let factor = t.results[0];
                out.push(t);
                (inst.kind, inst.args) = (Kind::Op(Op::Mul), [y, factor].into_iter().collect());
                return;
            }
            if let Some((l, y)) = self.multiples.get(&x).copied()
                && (is_power(k) || is_power(l))
                && (k * l).is_normal()
            {
                known = (k * l, y);
                self.becomes(inst, known, out);
            }
            self.multiples.insert(r, known);
            return;
        }
        self.products.insert(r, [inst.args[0], inst.args[1]]);
        // What is multiplied later: factors of numbers that nothing else needs.
        let (mut factor, mut args) = (1.0, [inst.args[0], inst.args[1]]);
        for v in &mut args {
            if let Some((k, x)) = self.multiples.get(v).copied()
                && is_power(k)
                && k.abs() >= 1.0
                && self.uses.get(v.0 as usize) == Some(&1)
                && (factor * k).abs() <= LARGEST
            {
                (factor, *v) = (factor * k, x);
            }
        }
        if args == [inst.args[0], inst.args[1]] {
            return;
        }
        let data = self.f.data(r).clone();
        let product = scan::emit(self.f, Kind::Op(Op::Mul), &args, data, inst.span, out);
        if factor == 1.0 {
            // Two minuses.
            (inst.args, self.any) = (args.iter().copied().collect(), true);
            out.pop();
            return;
        }
        self.becomes(inst, (factor, product), out);
        self.multiples.insert(r, (factor, product));
    }

    /// The factors of x, if k·x is better off without k: one of them is a multiple of a number, which others share.
    fn shared(&self, k: f64, x: Value) -> Option<(Value, (f64, Value))> {
        let once = self.uses.get(x.0 as usize) == Some(&1);
        let &[a, b] = self.products.get(&x).filter(|_| once && is_power(k))?;
        [[a, b], [b, a]].into_iter().find_map(|[y, m]| {
            let (l, w) = self.multiples.get(&m).copied()?;
            (is_power(l) && (1.0..=LARGEST).contains(&(k * l).abs())).then_some((y, (l, w)))
        })
    }

    /// Makes an instruction a multiple.
    fn becomes(&mut self, inst: &mut Inst, (k, x): (f64, Value), out: &mut Vec<Inst>) {
        self.any = true;
        if k == -1.0 {
            (inst.kind, inst.args) = (Kind::Op(Op::Neg), [x].into_iter().collect());
            return;
        }
        let c = Const::real(k, self.f.ty(inst.results[0]).scalar());
        let literal = scan::constant(self.f, c, inst.span, out);
        self.literals.insert(literal, k);
        (inst.kind, inst.args) = (Kind::Op(Op::Mul), [literal, x].into_iter().collect());
    }
}

/// Whether multiplying by it rounds nothing: a power of 2, of moderate size, or −1 times one.
fn is_power(k: f64) -> bool {
    k.to_bits() << 12 == 0 && (1.0 / LARGEST..=LARGEST).contains(&k.abs())
}

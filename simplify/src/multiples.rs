//! Multiples of multiples: `2·(100·x)` becomes `200·x`, `x·(2·y)` becomes `2·(x·y)`, and `2·x + 2·y` becomes `2·(x + y)`, so that products meet
//! the literals and minuses around them. Derivatives are full of them: each square brings a 2.
//!
//! One of two factors that are joined is a power of 2, or −1, so nothing is rounded otherwise, but for subnormal numbers; and what was finite
//! stays so, since only factors of at least 1 are multiplied later than before. Not where bits decide, and not in strict functions. What is
//! computed before a loop stays there.

use crate::contract::fits;
use crate::decisions::Deciding;
use crate::loops::scan;
use adc_ir::{Const, Func, Inst, Kind, Op, Region, Value};
use rustc_hash::FxHashMap;

/// Larger powers of 2, and smaller ones than its inverse, stay where they are.
const LARGEST: f64 = 256.0;

/// Returns whether there was any.
pub(crate) fn function(f: &mut Func, deciding: &Deciding) -> bool {
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
            loops: 0,
            literals: FxHashMap::default(),
            multiples: FxHashMap::default(),
            products: FxHashMap::default(),
            any: false,
        };
        m.region(body, 0);
        any = m.any;
    });
    any
}

struct Multiples<'a> {
    f: &'a mut Func,
    deciding: &'a Deciding,
    uses: Vec<u32>,
    /// Number of loops so far.
    loops: usize,
    literals: FxHashMap<Value, f64>,
    multiples: FxHashMap<Value, Multiple>,
    /// By value: the two numbers, none of them a literal, that it is the product of, and the innermost loop that computes it.
    products: FxHashMap<Value, ([Value; 2], usize)>,
    any: bool,
}

/// The product of a literal and a number.
#[derive(Clone, Copy)]
struct Multiple {
    factor: f64,
    of: Value,
    /// The innermost loop that computes it.
    inside: usize,
}

impl Multiples<'_> {
    /// `inside`: the innermost loop.
    fn region(&mut self, r: &mut Region, inside: usize) {
        let mut out: Vec<Inst> = Vec::with_capacity(r.insts.len());
        for mut inst in std::mem::take(&mut r.insts) {
            for nested in &mut inst.regions {
                self.loops += usize::from(inst.kind.is_loop());
                let inside = if inst.kind.is_loop() { self.loops } else { inside };
                self.region(nested, inside);
            }
            match inst.kind {
                Kind::Const(c) if c.scalar().is_real() => {
                    self.literals.insert(inst.results[0], c.to_c128().re);
                }
                Kind::Op(op @ (Op::Mul | Op::Neg)) if fits(&self.f.values, self.deciding, &inst) => {
                    self.product(op, &mut inst, inside, &mut out);
                }
                Kind::Op(op @ (Op::Add | Op::Sub)) if fits(&self.f.values, self.deciding, &inst) => {
                    self.sum(op, &mut inst, inside, &mut out);
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

    fn product(&mut self, op: Op, inst: &mut Inst, inside: usize, out: &mut Vec<Inst>) {
        let r = inst.results[0];
        let data = self.f.data(r).clone();
        if let Some((k, x)) = self.multiple(op, inst) {
            if let Some((y, m)) = self.shared(k, x, inside) {
                // 2·(y·(-0.5·w)) is y·(-w), and −w is the same for all such y.
                let mut t = Inst::simple(Kind::Op(Op::Neg), &[m.of], self.f.fresh(data), inst.span);
                self.becomes(&mut t, k * m.factor, m.of, out);
                (inst.kind, inst.args) = (Kind::Op(Op::Mul), [y, t.results[0]].into_iter().collect());
                out.push(t);
                return;
            }
            let mut known = Multiple { factor: k, of: x, inside };
            if let Some(m) = self.multiples.get(&x).copied()
                && (is_power(k) || is_power(m.factor))
                && (k * m.factor).is_normal()
            {
                known = Multiple { factor: k * m.factor, of: m.of, inside };
                self.becomes(inst, known.factor, known.of, out);
            }
            self.multiples.insert(r, known);
            return;
        }
        let factors = [inst.args[0], inst.args[1]];
        self.products.insert(r, (factors, inside));
        // What is multiplied later: factors of numbers that nothing else needs.
        let (mut factor, mut args) = (1.0, factors);
        for v in &mut args {
            if let Some(m) = self.multiples.get(v)
                && is_power(m.factor)
                && m.factor.abs() >= 1.0
                && (factor * m.factor).abs() <= LARGEST
                && self.belongs(*v, m.inside, inside)
            {
                (factor, *v) = (factor * m.factor, m.of);
            }
        }
        if args == factors {
            return;
        }
        if factor == 1.0 {
            // Two minuses.
            (inst.args, self.any) = (args.into_iter().collect(), true);
            return;
        }
        let product = scan::emit(self.f, Kind::Op(Op::Mul), &args, data, inst.span, out);
        self.becomes(inst, factor, product, out);
        self.multiples.insert(r, Multiple { factor, of: product, inside });
    }

    /// A sum of equal multiples, which nothing else needs, is a multiple of the sum.
    fn sum(&mut self, op: Op, inst: &mut Inst, inside: usize, out: &mut Vec<Inst>) {
        let [x, y] = [inst.args[0], inst.args[1]];
        let multiple = |v: Value| {
            let m = self.multiples.get(&v).filter(|m| is_power(m.factor) && m.factor.abs() > 1.0);
            m.filter(|m| self.belongs(v, m.inside, inside)).copied()
        };
        let (Some(a), Some(b)) = (multiple(x), multiple(y)) else { return };
        let op = match (a.factor == b.factor, a.factor == -b.factor, op) {
            (true, _, op) => op,
            (_, true, Op::Add) => Op::Sub,
            (_, true, _) => Op::Add,
            _ => return,
        };
        let data = self.f.data(inst.results[0]).clone();
        let sum = scan::emit(self.f, Kind::Op(op), &[a.of, b.of], data, inst.span, out);
        self.becomes(inst, a.factor, sum, out);
        self.multiples.insert(inst.results[0], Multiple { factor: a.factor, of: sum, inside });
    }

    /// Whether a value is needed in one place only, in the loop that computes it.
    fn belongs(&self, v: Value, computed: usize, inside: usize) -> bool {
        computed == inside && self.uses.get(v.0 as usize) == Some(&1)
    }

    /// The factors of x, if k·x is better off without k: one of them is a multiple of a number, which others share.
    fn shared(&self, k: f64, x: Value, inside: usize) -> Option<(Value, Multiple)> {
        let &([a, b], computed) = self.products.get(&x)?;
        if !is_power(k) || !self.belongs(x, computed, inside) {
            return None;
        }
        [[a, b], [b, a]].into_iter().find_map(|[y, v]| {
            let m = *self.multiples.get(&v)?;
            let fits = is_power(m.factor) && (1.0..=LARGEST).contains(&(k * m.factor).abs());
            (fits && m.inside == inside).then_some((y, m))
        })
    }

    /// Makes an instruction a multiple.
    fn becomes(&mut self, inst: &mut Inst, k: f64, x: Value, out: &mut Vec<Inst>) {
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

/// Whether multiplying by it, or by its inverse, rounds nothing: a power of 2, of moderate size, or −1 times one.
pub(crate) fn is_power(k: f64) -> bool {
    k.to_bits() << 12 == 0 && (1.0 / LARGEST..=LARGEST).contains(&k.abs())
}

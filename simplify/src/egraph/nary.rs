//! Sums and products as what they are, n-ary: under `fp(fast)` a tree of sums, differences, signs and literal factors is a linear
//! combination, a tree of products, quotients and squares a product of powers. Like terms join, what cancels goes, and
//! the rest is written again, in the order of its values, where that is cheaper.
//!
//! Only in fast functions, because the order of floating-point operations is part of what they compute. Trees end at
//! values that are used elsewhere, come from another region, or decide something ([`super::decisions`]).

use crate::cost;
use crate::decisions::Deciding;
use adc_ir::{Const, Func, Inst, Kind, Op, Region, Scalar, Span, Value, ValueData, Values};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Powers beyond are left alone.
const LARGEST_POWER: i32 = 4;

/// Rewrites the sums and products of a fast function.
pub(super) fn function(f: &mut Func, body: &mut Region, deciding: &Deciding) {
    let mut uses = vec![0; f.values.len()];
    body.count_uses(&mut uses);
    let mut n = Nary { values: &mut f.values, uses, deciding, literals: FxHashMap::default() };
    n.region(body);
}

struct Nary<'a> {
    values: &'a mut Vec<ValueData>,
    uses: Vec<u32>,
    deciding: &'a Deciding,
    /// Real literals, of regions around as well.
    literals: FxHashMap<Value, f64>,
}

/// A tree being taken apart.
struct Tree<'a> {
    /// The ops of the region, by result.
    ops: &'a FxHashMap<Value, (Op, Values)>,
    /// Coefficient or exponent by value.
    parts: BTreeMap<Value, f64>,
    /// The literal term or factor.
    literal: f64,
    /// What the ops of the tree cost.
    cost: u64,
}

impl Nary<'_> {
    fn region(&mut self, r: &mut Region) {
        let mut ops: FxHashMap<Value, (Op, Values)> = FxHashMap::default();
        // Ops that stand in a larger tree of their kind.
        let mut inner: FxHashMap<Value, bool> = FxHashMap::default();
        for inst in &mut r.insts {
            inst.regions.iter_mut().for_each(|r| self.region(r));
            match &inst.kind {
                Kind::Const(c @ (Const::F32(_) | Const::F64(_))) => {
                    self.literals.insert(inst.results[0], c.to_c128().re);
                }
                Kind::Op(op) if self.is_real(inst.results[0]) => {
                    ops.insert(inst.results[0], (*op, inst.args.clone()));
                    for v in inst.args.iter().filter(|v| self.lone(**v)) {
                        if let Some((below, _)) = ops.get(v) {
                            let sums = is_sum(*op) && (is_sum(*below) || *below == Op::Mul);
                            inner.insert(*v, sums || (is_product(*op) && is_product(*below)));
                        }
                    }
                }
                _ => {}
            }
        }
        let mut out = Vec::with_capacity(r.insts.len());
        for inst in std::mem::take(&mut r.insts) {
            let root = match inst.kind {
                Kind::Op(op) if (is_sum(op) || is_product(op)) && self.is_real(inst.results[0]) => {
                    let v = inst.results[0];
                    (!self.deciding.get(v) && inner.get(&v) != Some(&true)).then_some(op)
                }
                _ => None,
            };
            match root.and_then(|op| self.rewritten(op, &inst, &ops)) {
                Some(insts) => out.extend(insts),
                None => out.push(inst),
            }
        }
        r.insts = out;
    }

    fn is_real(&self, v: Value) -> bool {
        let ty = self.values[v.0 as usize].ty;
        ty.scalar().is_real() && !ty.is_array()
    }

    fn lone(&self, v: Value) -> bool {
        self.uses.get(v.0 as usize) == Some(&1) && !self.deciding.get(v)
    }

    fn rewritten(&mut self, op: Op, inst: &Inst, ops: &FxHashMap<Value, (Op, Values)>) -> Option<Vec<Inst>> {
        let v = inst.results[0];
        let sum = is_sum(op);
        let literal = if sum { 0.0 } else { 1.0 };
        let mut tree = Tree { ops, parts: BTreeMap::new(), literal, cost: 0 };
        if sum {
            self.sum(v, &mut tree);
        } else {
            self.product(v, &mut tree);
        }
        tree.parts.retain(|_, c| *c != 0.0);
        let powers = tree.parts.values().all(|e| e.abs() <= LARGEST_POWER as f64);
        if !tree.literal.is_finite() || (!sum && (!powers || tree.literal == 0.0)) {
            return None;
        }
        let ty = self.values[v.0 as usize].ty.scalar();
        let mut w = Writer { values: self.values, insts: Vec::new(), cost: 0, ty, span: inst.span };
        let result = if sum { w.sum(&tree) } else { w.product(&tree) };
        if w.cost >= tree.cost {
            return None;
        }
        let mut insts = w.insts;
        match insts.last_mut() {
            Some(last) if last.results[0] == result => last.results[0] = v,
            // It is one of its own parts: the product with 1 stands for it until the canonicaliser comes.
            _ => {
                let mut w = Writer { values: self.values, insts, cost: 0, ty, span: inst.span };
                let one = w.literal(1.0);
                w.op(Op::Mul, &[result, one]);
                insts = w.insts;
                insts.last_mut().expect("it was written").results[0] = v;
            }
        }
        Some(insts)
    }

    /// Takes a linear combination apart.
    fn sum(&self, root: Value, tree: &mut Tree) {
        let mut todo = vec![(root, 1.0)];
        while let Some((v, by)) = todo.pop() {
            if let Some(x) = self.literals.get(&v) {
                tree.literal += by * x;
                continue;
            }
            let op = tree.ops.get(&v).filter(|_| v == root || self.lone(v));
            let before = todo.len();
            if let Some((op, args)) = op {
                let (a, b) = (args[0], *args.last().expect("ops have operands"));
                let factor =
                    [(a, b), (b, a)].into_iter().find_map(|(k, x)| Some((*self.literals.get(&k)?, x)));
                if *op == Op::Add || *op == Op::Sub {
                    todo.extend([(b, if *op == Op::Sub { -by } else { by }), (a, by)]);
                } else if *op == Op::Neg {
                    todo.push((a, -by));
                } else if let (Op::Mul, Some((k, x))) = (*op, factor) {
                    todo.push((x, k * by));
                }
                if todo.len() > before {
                    tree.cost += cost::of(*op, 0, Scalar::F64);
                }
            }
            if todo.len() == before {
                *tree.parts.entry(v).or_default() += by;
            }
        }
    }

    /// Takes a product of powers apart.
    fn product(&self, root: Value, tree: &mut Tree) {
        let mut todo = vec![(root, 1.0)];
        while let Some((v, by)) = todo.pop() {
            if let Some(x) = self.literals.get(&v) {
                tree.literal *= f64::powf(*x, by);
                continue;
            }
            let inside = |op: Op| is_product(op) && (v == root || self.lone(v));
            let Some((op, args)) = tree.ops.get(&v).filter(|(op, _)| inside(*op)) else {
                *tree.parts.entry(v).or_default() += by;
                continue;
            };
            let (a, b) = (args[0], *args.last().expect("ops have operands"));
            if *op == Op::Mul || *op == Op::Div {
                todo.extend([(b, if *op == Op::Div { -by } else { by }), (a, by)]);
            } else {
                todo.push((a, if *op == Op::Recip { -by } else { 2.0 * by }));
            }
            tree.cost += cost::of(*op, 0, Scalar::F64);
        }
    }
}

fn is_sum(op: Op) -> bool {
    matches!(op, Op::Add | Op::Sub | Op::Neg)
}

fn is_product(op: Op) -> bool {
    matches!(op, Op::Mul | Op::Div | Op::Recip | Op::Square)
}

/// Writes instructions, and adds up what they cost.
struct Writer<'a> {
    values: &'a mut Vec<ValueData>,
    insts: Vec<Inst>,
    cost: u64,
    ty: Scalar,
    span: Span,
}

impl Writer<'_> {
    fn op(&mut self, op: Op, args: &[Value]) -> Value {
        self.cost += cost::of(op, 0, self.ty);
        self.inst(Kind::Op(op), args)
    }

    fn literal(&mut self, x: f64) -> Value {
        self.inst(Kind::Const(Const::real(x, self.ty)), &[])
    }

    fn inst(&mut self, kind: Kind, args: &[Value]) -> Value {
        let v = Value(self.values.len() as u32);
        self.values.push(self.ty.into());
        let (args, results) = (Values::from_slice(args), Values::from_slice(&[v]));
        self.insts.push(Inst { kind, args, results, regions: Vec::new(), span: self.span });
        v
    }

    /// A linear combination, positive terms first.
    fn sum(&mut self, tree: &Tree) -> Value {
        let mut sum: Option<Value> = (tree.literal != 0.0).then(|| self.literal(tree.literal));
        for positive in [true, false] {
            for (v, c) in tree.parts.iter().filter(|(_, c)| (**c > 0.0) == positive) {
                let term = match c.abs() {
                    1.0 => *v,
                    c => {
                        let k = self.literal(c);
                        self.op(Op::Mul, &[k, *v])
                    }
                };
                sum = Some(match (sum, positive) {
                    (None, true) => term,
                    (None, false) => self.op(Op::Neg, &[term]),
                    (Some(s), true) => self.op(Op::Add, &[s, term]),
                    (Some(s), false) => self.op(Op::Sub, &[s, term]),
                });
            }
        }
        sum.unwrap_or_else(|| self.literal(0.0))
    }

    /// A product of powers: a quotient of two products.
    fn product(&mut self, tree: &Tree) -> Value {
        let mut above = (tree.literal != 1.0).then(|| self.literal(tree.literal));
        let mut below = None;
        for (v, e) in &tree.parts {
            let square = if e.abs() >= 2.0 { Some(self.op(Op::Square, &[*v])) } else { None };
            let power = match (e.abs() as i32, square) {
                (2, Some(s)) => s,
                (3, Some(s)) => self.op(Op::Mul, &[*v, s]),
                (_, Some(s)) => self.op(Op::Square, &[s]),
                (_, None) => *v,
            };
            let side = if *e > 0.0 { &mut above } else { &mut below };
            *side = Some(match *side {
                Some(p) => self.op(Op::Mul, &[p, power]),
                None => power,
            });
        }
        match (above, below) {
            (Some(a), Some(b)) => self.op(Op::Div, &[a, b]),
            (None, Some(b)) => self.op(Op::Recip, &[b]),
            (Some(a), None) => a,
            (None, None) => self.literal(1.0),
        }
    }
}

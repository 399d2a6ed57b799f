//! Perturbations of the rule table: every partial of every row, by every change that fits its types.

use adc_ad::{Formula, Partial, Row, Rules};
use adc_ir::{Op, Scalar, Type};
use std::sync::{Arc, LazyLock};

/// The rule table with one wrong row.
pub(crate) struct Wrong {
    /// Unique: `sin/c/x/conj`.
    pub name: String,
    /// The wrong partial.
    pub what: String,
    pub op: Op,
    /// Of operands of these types.
    pub operands: Vec<Type>,
    pub rules: Rules,
}

/// Every change of every row.
pub(crate) fn all() -> &'static [Wrong] {
    static ALL: LazyLock<Vec<Wrong>> = LazyLock::new(made);
    &ALL
}

fn made() -> Vec<Wrong> {
    let mut out = Vec::new();
    for op in Op::ALL {
        for signature in signatures(*op) {
            of_row(*op, &signature, &mut out);
        }
    }
    out
}

/// The operand types in double precision with which an op has a float result and a float operand.
pub(crate) fn signatures(op: Op) -> Vec<Vec<Scalar>> {
    const TYPES: [Scalar; 4] = [Scalar::F64, Scalar::C128, Scalar::I64, Scalar::Bool];
    let mut all = vec![vec![]];
    for _ in 0..op.arity() {
        all = all.iter().flat_map(|s: &Vec<Scalar>| TYPES.map(|t| [s.clone(), vec![t]].concat())).collect();
    }
    all.retain(|s| {
        let types: Vec<Type> = s.iter().map(|t| (*t).into()).collect();
        op.result_type(&types).is_some_and(|t| t.scalar().is_float()) && s.iter().any(|t| t.is_float())
    });
    all
}

/// What a formula may read.
struct Around<'a> {
    operands: &'a [Scalar],
    result: Scalar,
}

fn of_row(op: Op, operands: &[Scalar], out: &mut Vec<Wrong>) {
    let types: Vec<Type> = operands.iter().map(|t| (*t).into()).collect();
    let result = op.result_type(&types).expect("a signature of the op").scalar();
    let around = Around { operands, result };
    let letters: String = operands.iter().map(|t| letter(*t)).collect();
    let plain = adc_ad::rule(op, &types);
    for (i, operand) in operands.iter().enumerate().filter(|(_, t)| t.is_float()) {
        let place = if operands.len() == 1 { 'x' } else { char::from(b'a' + i as u8) };
        let mut seen = vec![plain.partial(i).clone()];
        for (what, changed) in changes(plain.partial(i), *operand, &around) {
            if seen.contains(&changed) || !around.fits(&changed, *operand) {
                continue;
            }
            seen.push(changed.clone());
            let mut partials: Vec<Partial> = (0..operands.len()).map(|k| plain.partial(k).clone()).collect();
            let text = changed.text(operands.len());
            partials[i] = changed;
            // One change may be possible in several places of a formula.
            let base = format!("{op}/{letters}/{place}/{what}");
            let number =
                out.iter().filter(|m| m.name == base || m.name.starts_with(&format!("{base}-"))).count();
            let name = if number == 0 { base } else { format!("{base}-{}", number + 1) };
            let rules = Rules::with(op, &types, Row::Partials(partials));
            out.push(Wrong { name, what: text, op, operands: types.clone(), rules });
        }
    }
}

/// What stands for a type in the names of mutants.
pub(crate) fn letter(t: Scalar) -> char {
    match t {
        Scalar::F32 | Scalar::F64 => 'r',
        Scalar::C64 | Scalar::C128 => 'c',
        Scalar::I64 => 'i',
        Scalar::Bool => 'b',
    }
}

fn apply(op: Op, args: &[Formula]) -> Formula {
    Formula::Op(op, args.into())
}

fn masked(cond: Formula, p: Partial, q: Partial) -> Partial {
    Partial::Mask(cond, Box::new(p), Box::new(q))
}

fn times(k: f64, f: &Formula) -> Formula {
    apply(Op::Mul, &[Formula::Num(k), f.clone()])
}

/// The changes of one partial, by name.
fn changes(p: &Partial, operand: Scalar, around: &Around) -> Vec<(&'static str, Partial)> {
    let mut out = Vec::new();
    if p.is_zero() {
        if operand.is_complex() == around.result.is_complex() {
            let one = Formula::Num(1.0);
            out.push(("passed", if operand.is_complex() { Partial::Holo(one) } else { Partial::D(one) }));
        }
        return out;
    }
    out.push(("dropped", Partial::Zero));
    for (name, k) in SCALES {
        out.push((name, mapped(p, &|f| times(*k, f))));
    }
    out.push(("offset", mapped(p, &|f| apply(Op::Add, &[f.clone(), Formula::Num(1e-6)]))));
    if operand.is_complex() || around.result.is_complex() {
        // Of real formulas it would say the same.
        if some(p, &|f| around.ty(f).is_some_and(|t| t.is_complex())) {
            out.push(("conj", mapped(p, &|f| apply(Op::Conj, std::slice::from_ref(f)))));
        }
        out.push(("turned", mapped(p, &|f| apply(Op::Mul, &[Formula::I, f.clone()]))));
        if some(p, &|f| !matches!(f, Formula::Num(x) if *x >= 0.0)) {
            out.push(("modulus", mapped(p, &|f| apply(Op::Abs, std::slice::from_ref(f)))));
        }
    }
    wirtinger(p, &mut out);
    masks(p, &mut |q| out.push(("mask", q)));
    rewritten(p, around, &mut |name, q| out.push((name, q)));
    out
}

/// Wrong factors: small ones are as bad as large ones.
const SCALES: &[(&str, f64)] = &[
    ("twice", 2.0),
    ("half", 0.5),
    ("negated", -1.0),
    ("percent", 1.01),
    ("1e-4", 1.0001),
    ("1e-8", 1.000_000_01),
];

/// The map multiplied on its left.
fn mapped(p: &Partial, f: &dyn Fn(&Formula) -> Formula) -> Partial {
    match p {
        Partial::Zero | Partial::Convert => p.clone(),
        Partial::D(g) => Partial::D(f(g)),
        Partial::Holo(g) => Partial::Holo(f(g)),
        Partial::Pair { w, cw } => {
            let f = |g: &Formula| if *g == Formula::Num(0.0) { g.clone() } else { f(g) };
            Partial::Pair { w: f(w), cw: f(cw) }
        }
        Partial::Grad(g) => Partial::Grad(f(g)),
        Partial::Rank1 { u, v } => Partial::Rank1 { u: f(u), v: v.clone() },
        Partial::Mask(c, a, b) => masked(c.clone(), mapped(a, f), mapped(b, f)),
    }
}

/// Whether a formula that a tangent is multiplied with has a property.
fn some(p: &Partial, has: &dyn Fn(&Formula) -> bool) -> bool {
    match p {
        Partial::Zero | Partial::Convert => false,
        Partial::D(f) | Partial::Holo(f) | Partial::Grad(f) => has(f),
        Partial::Pair { w: a, cw: b } | Partial::Rank1 { u: a, v: b } => has(a) || has(b),
        Partial::Mask(_, a, b) => some(a, has) || some(b, has),
    }
}

/// W and CW exchanged, or one of them dropped.
fn wirtinger(p: &Partial, out: &mut Vec<(&'static str, Partial)>) {
    let nothing = || Formula::Num(0.0);
    match p {
        Partial::Holo(w) => out.push(("exchanged", Partial::Pair { w: nothing(), cw: w.clone() })),
        Partial::Pair { w, cw } => {
            out.push(("exchanged", Partial::Pair { w: cw.clone(), cw: w.clone() }));
            out.push(("no-cw", Partial::Holo(w.clone())));
            out.push(("no-w", Partial::Pair { w: nothing(), cw: cw.clone() }));
        }
        Partial::Rank1 { u, v } => {
            // W = u·conj(v)/2, CW = u·v/2.
            let half = |g: Formula| times(0.5, &apply(Op::Mul, &[u.clone(), g]));
            let w = half(apply(Op::Conj, std::slice::from_ref(v)));
            let cw = half(v.clone());
            out.push(("no-cw", Partial::Holo(w.clone())));
            out.push(("no-w", Partial::Pair { w: nothing(), cw: cw.clone() }));
            out.push(("exchanged", Partial::Pair { w: cw, cw: w }));
        }
        Partial::Mask(c, a, b) => {
            for (at, side) in [a, b].into_iter().enumerate() {
                let mut inner = Vec::new();
                wirtinger(side, &mut inner);
                for (name, q) in inner {
                    let (a, b) = if at == 0 { (q, (**b).clone()) } else { ((**a).clone(), q) };
                    out.push((name, masked(c.clone(), a, b)));
                }
            }
        }
        Partial::Zero | Partial::Convert | Partial::D(_) | Partial::Grad(_) => {}
    }
}

/// A mask inverted, or only one of its sides.
fn masks(p: &Partial, out: &mut dyn FnMut(Partial)) {
    let Partial::Mask(c, a, b) = p else { return };
    out(masked(c.clone(), (**b).clone(), (**a).clone()));
    out((**a).clone());
    out((**b).clone());
    masks(a, &mut |q| out(masked(c.clone(), q, (**b).clone())));
    masks(b, &mut |q| out(masked(c.clone(), (**a).clone(), q)));
}

/// One subformula changed.
fn rewritten(p: &Partial, around: &Around, out: &mut dyn FnMut(&'static str, Partial)) {
    match p {
        Partial::Zero | Partial::Convert => {}
        Partial::D(f) => within(f, around, &mut |n, g| out(n, Partial::D(g))),
        Partial::Holo(f) => within(f, around, &mut |n, g| out(n, Partial::Holo(g))),
        Partial::Grad(f) => within(f, around, &mut |n, g| out(n, Partial::Grad(g))),
        Partial::Pair { w, cw } => {
            within(w, around, &mut |n, g| out(n, Partial::Pair { w: g, cw: cw.clone() }));
            within(cw, around, &mut |n, g| out(n, Partial::Pair { w: w.clone(), cw: g }));
        }
        Partial::Rank1 { u, v } => {
            within(u, around, &mut |n, g| out(n, Partial::Rank1 { u: g, v: v.clone() }));
            within(v, around, &mut |n, g| out(n, Partial::Rank1 { u: u.clone(), v: g }));
        }
        // Of the condition only that it is asked: numbers in it say where which of two formulas is taken.
        Partial::Mask(c, a, b) => {
            rewritten(a, around, &mut |n, q| out(n, masked(c.clone(), q, (**b).clone())));
            rewritten(b, around, &mut |n, q| out(n, masked(c.clone(), (**a).clone(), q)));
        }
    }
}

/// The formula with one of its subformulas, or itself, changed.
fn within(f: &Formula, around: &Around, out: &mut dyn FnMut(&'static str, Formula)) {
    let ty = around.ty(f);
    here(f, &mut |name, g| {
        let new = around.ty(&g);
        let narrower = ty.is_some_and(|t| t.is_complex()) && new.is_some_and(|t| t.is_float());
        if new.is_some() && (new == ty || narrower) {
            out(name, g);
        }
    });
    match f {
        Formula::Real(x) => within(x, around, &mut |n, g| out(n, Formula::Real(Arc::new(g)))),
        Formula::If(parts) => {
            for k in 1..3 {
                within(&parts[k], around, &mut |n, g| {
                    let mut parts = (**parts).clone();
                    parts[k] = g;
                    out(n, Formula::If(Arc::new(parts)));
                });
            }
        }
        Formula::Op(op, args) => {
            let first = usize::from(*op == Op::Select);
            for k in first..args.len() {
                within(&args[k], around, &mut |n, g| {
                    let mut args = args.to_vec();
                    args[k] = g;
                    out(n, apply(*op, &args));
                });
            }
        }
        Formula::X(_) | Formula::Y | Formula::Num(_) | Formula::Int(_) | Formula::I | Formula::Smallest => {}
    }
}

/// What a mistake makes of the top of a formula.
fn here(f: &Formula, out: &mut dyn FnMut(&'static str, Formula)) {
    match f {
        Formula::X(0) => out("operand", Formula::X(1)),
        Formula::X(_) => out("operand", Formula::X(0)),
        Formula::Y => out("result", Formula::X(0)),
        // At the ends of the range stand bounds against overflow, which no point comes near.
        Formula::Int(n) if n.unsigned_abs() < 1 << 62 => out("index", Formula::Int(n + 1)),
        Formula::Op(op, args) => {
            if let Some(other) = exchanged(*op) {
                out("function", apply(other, args));
            }
            match (op, &args[..]) {
                (Op::Add | Op::Sub, [a, b]) => {
                    out("term", a.clone());
                    out("term", b.clone());
                }
                (Op::Mul | Op::Div, [a, b]) => {
                    out("factor", a.clone());
                    out("factor", b.clone());
                }
                (Op::Recip | Op::Sqrt, [a]) => out("factor", a.clone()),
                (Op::Square, [a]) => {
                    out("power", a.clone());
                    out("power", apply(Op::Mul, &[a.clone(), f.clone()]));
                }
                (Op::Powi, [a, n]) => {
                    out(
                        "power",
                        apply(Op::Powi, &[a.clone(), apply(Op::Add, &[n.clone(), Formula::Int(1)])]),
                    );
                }
                (Op::Pow, [a, b]) => {
                    out(
                        "power",
                        apply(Op::Pow, &[a.clone(), apply(Op::Add, &[b.clone(), Formula::Num(1.0)])]),
                    );
                }
                _ => {}
            }
        }
        Formula::Num(_)
        | Formula::Int(_)
        | Formula::I
        | Formula::Smallest
        | Formula::Real(_)
        | Formula::If(_) => {}
    }
}

/// A function that is easily taken for another.
fn exchanged(op: Op) -> Option<Op> {
    Some(match op {
        Op::Sin => Op::Cos,
        Op::Cos => Op::Sin,
        Op::Sinh => Op::Cosh,
        Op::Cosh => Op::Sinh,
        Op::Exp => Op::Expm1,
        Op::Tanh => Op::Sech2,
        Op::Sech2 => Op::Tanh,
        Op::Sigmoid => Op::DSigmoid,
        Op::DSigmoid => Op::Sigmoid,
        Op::Add => Op::Sub,
        Op::Sub => Op::Add,
        Op::Re => Op::Im,
        Op::Im => Op::Re,
        Op::Digamma => Op::Lgamma,
        _ => return None,
    })
}

impl Around<'_> {
    /// The type of a formula, if it has one.
    fn ty(&self, f: &Formula) -> Option<Scalar> {
        match f {
            Formula::X(i) => self.operands.get(*i).copied(),
            Formula::Y => Some(self.result),
            Formula::Num(_) | Formula::Smallest => Some(Scalar::F64),
            Formula::Int(_) => Some(Scalar::I64),
            Formula::I => Some(Scalar::C128),
            Formula::Real(x) => (self.ty(x)? == Scalar::I64).then_some(Scalar::F64),
            Formula::If(parts) => {
                let [cond, a, b] = [0, 1, 2].map(|k| self.ty(&parts[k]));
                (cond? == Scalar::Bool && a? == b?).then_some(a?)
            }
            Formula::Op(op, args) => {
                let mut types = args.iter().map(|a| self.ty(a)).collect::<Option<Vec<_>>>()?;
                if matches!(op, Op::Eq | Op::Ne | Op::Select) {
                    // Literals take the type of the other operand.
                    let complex = types.iter().copied().find(|t| t.is_complex());
                    for (t, a) in types.iter_mut().zip(&args[..]) {
                        if let (Some(complex), Formula::Num(_)) = (complex, a) {
                            *t = complex;
                        }
                    }
                }
                let types: Vec<Type> = types.into_iter().map(Type::from).collect();
                op.result_type(&types).map(|t| t.scalar())
            }
        }
    }

    /// Whether a partial has the form that operand and result ask for, and formulas that have a type.
    fn fits(&self, p: &Partial, operand: Scalar) -> bool {
        let float = |f: &Formula| self.ty(f).is_some_and(|t| t.is_float());
        let no_more_than = |f: &Formula, t: Scalar| {
            self.ty(f).is_some_and(|u| u.is_float() && (t.is_complex() || u.is_real()))
        };
        match p {
            Partial::Zero | Partial::Convert => true,
            Partial::D(f) => operand.is_real() && no_more_than(f, self.result),
            Partial::Holo(f) => operand.is_complex() && self.result.is_complex() && float(f),
            Partial::Pair { w: a, cw: b } | Partial::Rank1 { u: a, v: b } => {
                operand.is_complex() && self.result.is_complex() && float(a) && float(b)
            }
            Partial::Grad(f) => operand.is_complex() && self.result.is_real() && float(f),
            Partial::Mask(c, a, b) => {
                self.ty(c) == Some(Scalar::Bool) && self.fits(a, operand) && self.fits(b, operand)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustc_hash::FxHashSet;

    /// Every op that has a derivative somewhere is perturbed, and nothing is what it was.
    #[test]
    fn every_rule_is_perturbed() {
        let mut names = FxHashSet::default();
        assert!(all().iter().all(|w| names.insert(w.name.as_str())));
        for op in Op::ALL {
            for s in signatures(*op) {
                let types: Vec<Type> = s.iter().map(|t| (*t).into()).collect();
                let row = adc_ad::rule(*op, &types);
                let moves = (0..s.len()).any(|i| s[i].is_float() && !row.partial(i).is_zero());
                let found = all().iter().any(|w| w.op == *op && w.operands == types);
                assert!(!moves || found, "{op} {s:?}");
            }
        }
        assert!(all().len() > 500, "{}", all().len());
    }
}

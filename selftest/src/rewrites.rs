//! Perturbations of the rewrite tables: guards that are forgotten, right sides that are wrong, and rewrites that hold for real
//! numbers only.

use adc_ir::{Op, Scalar, Type};
use adc_simplify::rules::{Class, Domain, Rule, Sort, Term, all as rules, find};
use std::sync::LazyLock;

/// A wrong rewrite.
pub(crate) struct Wrong {
    /// Unique: `factor/unguarded`.
    pub name: String,
    pub what: String,
    /// The place of the row in whose place it stands.
    pub row: usize,
    pub rule: &'static Rule,
}

impl Wrong {
    /// The name of the row that it is a form of.
    pub fn base(&self) -> &'static str {
        self.rule.name.split('/').next().unwrap_or(self.rule.name)
    }
}

/// Every change of every row, then rewrites that are no rows.
pub(crate) fn all() -> &'static [Wrong] {
    static ALL: LazyLock<Vec<Wrong>> = LazyLock::new(made);
    &ALL
}

fn made() -> Vec<Wrong> {
    let mut out: Vec<Wrong> = Vec::new();
    for (row, rule) in rules().iter().enumerate() {
        let (_, right) = rule.terms();
        if !rule.guards.is_empty() {
            out.push(mutant(row, Rule { guards: &[], ..*rule }, "unguarded"));
        }
        let mut seen = vec![right.clone()];
        for (what, wrong) in changes(rule, &right) {
            if seen.contains(&wrong) || ty(&wrong) != ty(&right) {
                continue;
            }
            seen.push(wrong.clone());
            // One of each kind.
            let name = format!("{}/{what}", rule.name);
            if out.iter().all(|m| m.name != name) {
                out.push(mutant(row, Rule { rhs: String::leak(wrong.to_string()), ..*rule }, what));
            }
        }
    }
    for (name, lhs, rhs) in INVALID {
        // In the place of a row of the same family that says nothing about these operands.
        let row = rules().iter().position(|r| r.name == "conj-conj").expect("a row of the table");
        let class = Class::Refining;
        let rule = Rule { name, class, domain: Domain::Complex, lhs, rhs, guards: &[], ..rules()[row] };
        let (name, what) = ((*name).into(), format!("{lhs} becomes {rhs}"));
        out.push(Wrong { name, what, row, rule: Box::leak(Box::new(rule)) });
    }
    debug_assert!(find("complex-sqrt-square").is_some(), "√(z²) → z is that row without its guards");
    out
}

/// Rewrites that hold for real or positive numbers, and not for complex ones.
const INVALID: &[(&str, &str, &str)] = &[
    ("complex-log-product", "(add (log z) (log w))", "(log (mul z w))"),
    ("complex-power-of-power", "(pow (pow z a) b)", "(pow z (mul a b))"),
    ("complex-modulus-as-square", "(mul z (conj z))", "(square z)"),
    ("complex-exp-of-log-multiple", "(log (square z))", "(mul 2 (log z))"),
];

fn mutant(row: usize, rule: Rule, what: &str) -> Wrong {
    let name = format!("{}/{what}", rule.name);
    let text = match rule.guards.is_empty() && what == "unguarded" {
        true => format!("{} becomes {} without its guards", rule.lhs, rule.rhs),
        false => format!("{} becomes {}", rule.lhs, rule.rhs),
    };
    let rule = Rule { name: String::leak(name.clone()), ..rule };
    Wrong { name, what: text, row, rule: Box::leak(Box::new(rule)) }
}

fn changes(rule: &Rule, right: &Term) -> Vec<(&'static str, Term)> {
    let (left, _) = rule.terms();
    let mut out = vec![("negated", Term::Op(Op::Neg, vec![right.clone()]))];
    if let Term::Op(Op::Neg, args) = right {
        out.push(("sign", args[0].clone()));
    }
    within(right, &mut |what, t| out.push((what, t)));
    // What costs least: one of the operands.
    let vars = left.vars().into_iter().map(Term::Var).filter(|v| v != right);
    out.extend(vars.map(|v| ("operand", v)));
    out
}

/// The term with one of its subterms changed.
fn within(t: &Term, out: &mut dyn FnMut(&'static str, Term)) {
    match t {
        Term::Num(x) if *x != 0.0 => out("literal", Term::Num(x * 1.000_000_01)),
        Term::Num(_) => out("literal", Term::Num(1e-8)),
        Term::Int(n) => out("literal", Term::Int(n + 1)),
        Term::Var(_) => {}
        Term::Op(op, args) => {
            if let Some(other) = exchanged(*op) {
                out("function", Term::Op(other, args.clone()));
            }
            if matches!(op, Op::Sub | Op::Div | Op::Pow) {
                out("swapped", Term::Op(*op, args.iter().rev().cloned().collect()));
            }
            for (k, arg) in args.iter().enumerate() {
                out("lost", arg.clone());
                within(arg, &mut |what, t| {
                    let mut args = args.clone();
                    args[k] = t;
                    out(what, Term::Op(*op, args));
                });
            }
        }
    }
}

/// A function of about the same cost.
fn exchanged(op: Op) -> Option<Op> {
    Some(match op {
        Op::Sin => Op::Cos,
        Op::Cos => Op::Sin,
        Op::Sinh => Op::Cosh,
        Op::Cosh => Op::Sinh,
        Op::Tan => Op::Sin,
        Op::Tanh => Op::Atan,
        Op::Atan => Op::Tanh,
        Op::Erf => Op::Tanh,
        Op::Exp => Op::Expm1,
        Op::Expm1 => Op::Exp,
        Op::Log => Op::Log1p,
        Op::Log1p => Op::Log,
        Op::Sech2 => Op::DSigmoid,
        Op::DSigmoid => Op::Sech2,
        Op::Sigmoid => Op::Softplus,
        Op::Softplus => Op::Sigmoid,
        Op::LogSigmoid => Op::Softplus,
        Op::Add => Op::Sub,
        Op::Sub => Op::Add,
        Op::Mul => Op::Add,
        Op::Div => Op::Mul,
        Op::Recip => Op::Square,
        Op::Square => Op::Abs,
        Op::Abs => Op::Square,
        Op::Sqrt => Op::Square,
        Op::Re => Op::Im,
        Op::Im => Op::Re,
        _ => return None,
    })
}

/// The type of a term in double precision.
fn ty(t: &Term) -> Option<Scalar> {
    match t {
        Term::Num(_) => Some(Scalar::F64),
        Term::Int(_) => Some(Scalar::I64),
        Term::Var(v) => Some(match Sort::of(*v) {
            Sort::Real | Sort::Literal => Scalar::F64,
            Sort::Complex => Scalar::C128,
            Sort::Integer => Scalar::I64,
        }),
        Term::Op(op, args) => {
            let types: Option<Vec<Type>> = args.iter().map(|a| ty(a).map(Type::from)).collect();
            op.result_type(&types?).map(|t| t.scalar())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustc_hash::FxHashSet;

    #[test]
    fn every_row_is_perturbed() {
        let mut names = FxHashSet::default();
        assert!(all().iter().all(|w| names.insert(w.name.as_str())));
        for (k, rule) in rules().iter().enumerate() {
            assert!(all().iter().any(|w| w.row == k), "{}", rule.name);
        }
        for w in all() {
            let (left, right) = w.rule.terms();
            assert!(right.vars().iter().all(|v| left.vars().contains(v)), "{}", w.name);
        }
    }
}

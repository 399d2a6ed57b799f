//! Functions made of the tables: one for every row of the rule table, one or two for every rewrite.

use crate::corpus::Subject;
use adc_ir::interp::{Interp, Val};
use adc_ir::{
    Builder, CheckBlock, Const, Datum, Distribution, Domain, FpMode, FuncId, Module, Op, ParamDomain, Scalar,
    Span, Value,
};
use adc_jit::{Externs, RuntimeMath};
use adc_simplify::OptLevel;
use adc_simplify::rules::{self, Class, Guard, Rule, Sort, Term};
use num_complex::Complex64;
use std::sync::Arc;

/// t·op(x, …) for every op and complexness of its operands: the derivative has the op in it, and so its derivative has the op's
/// partials.
pub(super) fn of_rules() -> Vec<Subject> {
    let mut out = Vec::new();
    for op in Op::ALL {
        for operands in crate::rows::signatures(*op) {
            out.push(of_rule(*op, &operands));
        }
    }
    out
}

fn of_rule(op: Op, operands: &[Scalar]) -> Subject {
    let letters: String = operands.iter().map(|t| crate::rows::letter(*t)).collect();
    let name = format!("{op}/{letters}");
    let mut b = Builder::new(name.clone(), Span::NONE);
    let (mut args, mut lines) = (Vec::new(), Vec::new());
    for (i, t) in operands.iter().enumerate() {
        match t {
            // An exponent, or the order of a function.
            Scalar::I64 => args.push(b.constant(Const::I64(if op == Op::Powi { 3 } else { 1 }))),
            Scalar::Bool => args.push(b.constant(Const::Bool(true))),
            Scalar::F32 | Scalar::F64 | Scalar::C64 | Scalar::C128 => {
                args.push(b.param(["x", "y", "z"][i], *t));
                lines.push(Some(line(op, i, *t)));
            }
        }
    }
    if op == Op::Select {
        // By an operand, so that either side is taken.
        let part = if operands[1].is_complex() { b.op(Op::Re, &args[1..2]) } else { args[1] };
        let zero = b.num(0.0, Scalar::F64);
        args[0] = b.op(Op::Gt, &[part, zero]);
    }
    let y = b.op(op, &args);
    let ty = b.ty(y).scalar();
    let t = b.param("t", ty);
    lines.push(Some(factor(ty)));
    let out = b.op(Op::Mul, &[t, y]);
    let mut module = Module::default();
    let func = module.add(b.finish(vec![("out".into(), out)]));
    let block = CheckBlock { params: lines, ..CheckBlock::default_for(func, 0, Span::NONE) };
    Subject::new(name, Arc::new(module), block, OptLevel::O2)
}

/// Where the number is drawn that the rest is multiplied with.
fn factor(ty: Scalar) -> Distribution {
    if ty.is_complex() { Distribution::Annulus(0.5, 2.0) } else { Distribution::Uniform(0.5, 2.0) }
}

/// Where an op's operand is drawn.
fn line(op: Op, operand: usize, t: Scalar) -> Distribution {
    if t.is_complex() {
        return Distribution::Annulus(0.2, 1.5);
    }
    match (op, op.info().domain) {
        // Of the factors of a quotient, the divisor keeps away from 0.
        (Op::Mod, _) if operand == 1 => Distribution::Uniform(0.7, 1.3),
        (Op::Pow, _) if operand == 0 => Distribution::Uniform(0.2, 2.0),
        (_, Domain::Open(lo, hi)) => {
            let lo = if lo.is_finite() { lo } else { -2.0 };
            let hi = if hi.is_finite() { hi } else { lo.max(0.0) + 2.0 };
            Distribution::Uniform(lo + 0.05 * (hi - lo), hi - 0.05 * (hi - lo))
        }
        (_, Domain::NotPole) => Distribution::Uniform(0.3, 3.0),
        (_, Domain::NonZero | Domain::All | Domain::Special) => Distribution::Uniform(-2.0, 2.0),
    }
}

/// The left side of every rewrite times a number, so that its derivative has it, too: with operands of any sign, and with declared
/// ones that prove its guards.
pub(super) fn of_rewrites() -> Vec<Subject> {
    let mut out = Vec::new();
    for rule in rules::all() {
        let (left, _) = rule.terms();
        out.extend(of_term(&format!("{}/any", rule.name), &left, rule, false));
        out.extend(of_term(&format!("{}/positive", rule.name), &left, rule, true));
    }
    // Those that stand in the place of another row.
    for wrong in crate::rewrites::all().iter().filter(|w| rules::find(w.base()).is_none()) {
        let (left, _) = wrong.rule.terms();
        out.extend(of_term(&format!("{}/any", wrong.name), &left, wrong.rule, false));
    }
    out
}

/// Operands of any sign.
const ANY: Distribution = Distribution::Uniform(-2.0, 2.0);

fn of_term(name: &str, term: &Term, rule: &Rule, positive: bool) -> [Subject; 2] {
    let parts_known =
        |v: char| positive && rule.guards.iter().any(|g| *g == Guard::Strip(v) || *g == Guard::RightHalf(v));
    let mut b = Builder::new(name, Span::NONE);
    let (mut vars, mut lines) = (Vec::new(), Vec::new());
    for (i, v) in term.vars().into_iter().enumerate() {
        let value = match Sort::of(v) {
            // Guards of literals hold of these, or do not.
            Sort::Literal => b.constant(Const::F64(if positive { 1.5 } else { 0.75 } + i as f64)),
            Sort::Integer => b.constant(Const::I64(if positive { 3 } else { -2 })),
            Sort::Real => {
                let x = b.param(v.to_string(), Scalar::F64);
                if positive {
                    let (lo, hi) = (0.25, 2.0);
                    b.last_param().domain =
                        Some(ParamDomain::Interval { lo, hi, lo_closed: true, hi_closed: true });
                }
                lines.push(Some(if positive { Distribution::Uniform(0.25, 2.0) } else { ANY }));
                x
            }
            Sort::Complex if parts_known(v) => {
                let parts = [("re", (0.25, 2.0)), ("im", (-0.75, 1.5))].map(|(part, (lo, hi))| {
                    let x = b.param(format!("{v}_{part}"), Scalar::F64);
                    b.last_param().domain =
                        Some(ParamDomain::Interval { lo, hi, lo_closed: true, hi_closed: true });
                    lines.push(Some(Distribution::Uniform(lo, hi)));
                    x
                });
                b.op(Op::Complex, &parts)
            }
            Sort::Complex => {
                let z = b.param(v.to_string(), Scalar::C128);
                if positive {
                    b.last_param().domain = Some(ParamDomain::Annulus { r0: 0.0, r1: 2.5 });
                }
                let near = Distribution::Near(Const::C128(Complex64::new(1.2, 0.4)), 1.0);
                lines.push(Some(if positive { near } else { Distribution::Annulus(0.2, 2.0) }));
                z
            }
        };
        vars.push((v, value));
    }
    let left = emitted(&mut b, term, &vars);
    let ty = b.ty(left).scalar();
    let t = b.param("t", ty);
    let factor_at = lines.len();
    lines.push(Some(factor(ty)));
    let out = b.op(Op::Mul, &[t, left]);
    let mut func = b.finish(vec![("out".into(), out)]);
    if rule.class == Class::Fast {
        func.fp = Some(FpMode::Fast);
    }
    let mut module = Module::default();
    let func = module.add(func);
    if !is_mostly_finite(&module, func) {
        // Left sides that have no values elsewhere; nothing is declared.
        for line in lines.iter_mut().flatten().filter(|d| **d == ANY) {
            *line = Distribution::Uniform(0.25, 2.0);
        }
    }
    let block = CheckBlock { params: lines, ..CheckBlock::default_for(func, 0, Span::NONE) };
    let module = Arc::new(module);
    // With respect to the factor alone: the derivative is the left side itself, on which nothing of its own derivative depends.
    let alone = CheckBlock { wrt: Some(vec![factor_at]), ..block.clone() };
    let of_factor = Subject::new(format!("{name}/factor"), module.clone(), alone, OptLevel::O3);
    [Subject::new(name.into(), module, block, OptLevel::O3), of_factor]
}

/// Whether a function has finite values at three quarters of the points with operands of either sign.
fn is_mostly_finite(module: &Module, f: FuncId) -> bool {
    const SOME: [f64; 4] = [-1.3, -0.45, 0.55, 1.4];
    let params = &module.func(f).params;
    let (externs, points) = (Externs::default(), SOME.len().pow(params.len() as u32));
    let interp = Interp::new(module, &RuntimeMath, &externs);
    let finite = |k: &usize| {
        let mut rest = *k;
        let args = (0..params.len()).map(|i| {
            let x = SOME[rest % SOME.len()];
            rest /= SOME.len();
            let c = Const::from_c128(Complex64::new(x, 0.7), module.func(f).param_ty(i).scalar());
            Datum::Scalar(c).to_val()
        });
        let args: Vec<Val<f64>> = args.collect();
        interp.call(f, &args).is_ok_and(|values| {
            let z = Datum::from_val(&values[0], module.func(f).results[0].ty.scalar()).get(0).to_c128();
            z.re.is_finite() && z.im.is_finite()
        })
    };
    4 * (0..points).filter(finite).count() >= 3 * points
}

fn emitted(b: &mut Builder, t: &Term, vars: &[(char, Value)]) -> Value {
    match t {
        Term::Var(v) => vars.iter().find(|(w, _)| w == v).expect("of the term").1,
        Term::Num(x) => b.num(*x, Scalar::F64),
        Term::Int(n) => b.constant(Const::I64(*n)),
        Term::Op(op, args) => {
            let args: Vec<Value> = args.iter().map(|a| emitted(b, a, vars)).collect();
            b.op(*op, &args)
        }
    }
}

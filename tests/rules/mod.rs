//! Every derivative rule against finite differences taken in 384-bit arithmetic.
//!
//! Each op of the table becomes a function of its own, for every choice of operand types; its JVP,
//! its VJP and the four second-order programs made of them run in the interpreter and compiled, and every number
//! they return has to agree with differences of the *primal* to 8ε(1 + κ), where κ is the derivative's condition
//! number, measured by perturbing the inputs. No derivative is known to this test otherwise.

mod corpus;
mod jet;
mod points;
mod programs;
mod verify;

use adc_ir::{Builder, Const, FuncId, Module, Op, Scalar, Span, Type};
use points::Random;
use programs::Programs;
use verify::{Case, Point, Report, Verifier};

/// Lists of operand types that an op takes and carries derivatives for.
fn operand_types(op: Op) -> Vec<Vec<Scalar>> {
    let mut lists: Vec<Vec<Scalar>> = vec![Vec::new()];
    for _ in 0..op.arity() {
        lists = lists.iter().flat_map(|l| Scalar::all().map(|s| [l.clone(), vec![s]].concat())).collect();
    }
    let carries = |l: &Vec<Scalar>| {
        let tys: Vec<Type> = l.iter().map(|s| Type::from(*s)).collect();
        op.result_type(&tys).is_some_and(|t| t.is_differentiable()) && l.iter().any(|s| s.is_float())
    };
    lists.retain(carries);
    lists
}

/// A function that is one op.
fn one_op(m: &mut Module, op: Op, tys: &[Scalar]) -> FuncId {
    let names = tys.iter().map(|t| t.name()).collect::<Vec<_>>().join("_");
    let mut b = Builder::new(format!("{op}.{names}"), Span::NONE);
    let args: Vec<_> = tys.iter().enumerate().map(|(i, t)| b.param(format!("x{i}"), *t)).collect();
    let y = b.op(op, &args);
    m.add(b.finish(vec![("out".into(), y)]))
}

fn run(module: &Module, cases: &[Case]) {
    let verifier = Verifier::new(module, cases);
    let mut total = Report::default();
    let mut by_case: Vec<(f64, String)> = Vec::new();
    let mut failures = Vec::new();
    for case in cases {
        let report = verifier.check(case);
        by_case.push(report.worst.clone());
        if report.entries == 0 {
            failures.push(format!("nothing was compared of {}", case.name));
        }
        if let [first, ..] = report.failures.as_slice() {
            failures.push(format!("{} of {}: {first}", report.failures.len(), case.name));
        }
        total.add(report);
    }
    by_case.sort_by(|a, b| b.0.total_cmp(&a.0));
    println!("{} functions, {} points, {} derivatives compared", cases.len(), total.points, total.entries);
    println!("{} points have κ > 100, {} of them needed it", total.ill_conditioned, total.needed);
    println!("{} derivatives over- or underflow the type", total.out_of_range);
    println!("largest errors, as multiples of 8ε(1 + κ):");
    for (ratio, place) in by_case.iter().take(10) {
        println!("  {ratio:.3}  {place}");
    }
    assert!(failures.is_empty(), "{} failures\n{}", total.failures.len(), failures.join("\n"));
}

#[test]
fn every_op_agrees_with_differences() {
    let mut module = Module::default();
    let mut cases = Vec::new();
    let mut random = Random(1);
    for &op in Op::ALL {
        // The one op whose derivative is not that of its values.
        if op == Op::StopGradient {
            continue;
        }
        for tys in operand_types(op) {
            let f = one_op(&mut module, op, &tys);
            let programs = match Programs::build(&mut module, f) {
                Ok(programs) => programs,
                Err(d) => panic!("{op} of {tys:?}: {}", d.message),
            };
            let points = points::points(op, &tys, &mut random);
            cases.push(Case { name: module.func(f).name.clone(), programs, points, composition: false });
        }
    }
    cases.push(constant_exponents(&mut module));
    run(&module, &cases);
}

/// Powers whose exponent carries no derivative, where the base may be negative or 0.
fn constant_exponents(m: &mut Module) -> Case {
    let mut b = Builder::new("pow.constant_exponent", Span::NONE);
    let a = b.param("a", Scalar::F64);
    let n = b.param("n", Scalar::F64);
    b.last_param().nodiff = true;
    let y = b.op(Op::Pow, &[a, n]);
    let f = m.add(b.finish(vec![("out".into(), y)]));
    let programs = Programs::build(m, f).unwrap_or_else(|d| panic!("{}", d.message));
    let pairs = [
        (-3.0, 2.0),
        (-1.5, -3.0),
        (-0.25, 5.0),
        (0.0, 1.0),
        (0.0, 2.0),
        (0.0, 3.0),
        (-2.0, 0.0),
        (1e-100, 1.5),
    ];
    let points = pairs.map(|(a, n)| Point::at(vec![Const::F64(a), Const::F64(n)])).to_vec();
    Case { name: "pow.constant_exponent".into(), programs, points, composition: false }
}

#[test]
fn corpus_agrees_with_differences() {
    let mut module = corpus::module();
    let functions: Vec<FuncId> = module.iter().map(|(id, _)| id).collect();
    assert_eq!(functions.len(), 108);
    let mut random = Random(2);
    let mut cases = Vec::new();
    for f in functions {
        let name = module.func(f).name.clone();
        let points = corpus::points(module.func(f), &mut random);
        let programs = match Programs::build(&mut module, f) {
            Ok(programs) => programs,
            Err(d) => panic!("{name}: {}", d.message),
        };
        cases.push(Case { name, programs, points, composition: true });
    }
    run(&module, &cases);
}

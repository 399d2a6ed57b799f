//! Solutions of linear equations that share the factors of their matrix.
//!
//! [`split`] makes two instructions of each `solve`: the factorisation, which the canonicaliser shares and hoisting takes out of
//! loops like any other value, and the substitution. [`join`] undoes it where nothing came of that. Both keep bits: `solve` is
//! defined as the two.
//!
//! A pullback of `solve` solves with the adjoint of the same matrix (`solve_adjoint`), so it shares the factors, too. Factors have
//! no derivative: they are made only after differentiation.

use super::scan;
use adc_ir::{
    Const, Dim, Func, Inst, Kind, LinalgOp, Op, Region, Scalar, Shape, Type, Value, ValueData, Values,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// Takes the factorisations out of solutions. Where the matrix is real and the right-hand side complex, the factors are those of the
/// matrix among the complex ones, which is made first, and shared likewise. Returns whether there was any.
pub(crate) fn split(f: &mut Func) -> bool {
    let mut any = false;
    each_region(f, |r, f| any |= split_region(r, f));
    any
}

/// Puts solutions together again that have their factors for themselves. Returns whether there was any.
pub(crate) fn join(f: &mut Func) -> bool {
    let mut uses: FxHashMap<Value, usize> = FxHashMap::default();
    let Some(body) = f.region() else { return false };
    if !has(body, LinalgOp::Lu) {
        return false;
    }
    let mut count = |v: Value| *uses.entry(v).or_default() += 1;
    body.yields.iter().copied().for_each(&mut count);
    body.insts.iter().for_each(|i| scan::uses(i, f, &mut count));
    let mut zeros: FxHashSet<Value> = FxHashSet::default();
    let mut note = |i: &Inst| match i.kind {
        Kind::Const(c) if c.bits() == Const::zero(c.scalar()).bits() => drop(zeros.insert(i.results[0])),
        _ => {}
    };
    body.insts.iter().for_each(|i| scan::each(i, &mut note));
    let mut any = false;
    each_region(f, |r, _| any |= join_region(r, &uses, &zeros));
    any
}

fn each_region(f: &mut Func, mut change: impl FnMut(&mut Region, &mut Func)) {
    fn walk(r: &mut Region, f: &mut Func, change: &mut impl FnMut(&mut Region, &mut Func)) {
        r.insts.iter_mut().flat_map(|i| &mut i.regions).for_each(|r| walk(r, f, change));
        change(r, f);
    }
    scan::edit(f, |body, f| walk(body, f, &mut change));
}

/// Whether there is such an operation.
fn has(r: &Region, op: LinalgOp) -> bool {
    r.insts.iter().any(|i| i.kind == Kind::Linalg(op) || i.regions.iter().any(|r| has(r, op)))
}

/// The operation on factors that gives what an operation on the matrix gives.
fn of_factors(op: LinalgOp) -> Option<LinalgOp> {
    match op {
        LinalgOp::Solve => Some(LinalgOp::LuSolve),
        LinalgOp::SolveAdjoint => Some(LinalgOp::LuSolveAdjoint),
        LinalgOp::Cholesky
        | LinalgOp::Inv
        | LinalgOp::Det
        | LinalgOp::LogDet
        | LinalgOp::EighValues
        | LinalgOp::EighVectors
        | LinalgOp::QrQ
        | LinalgOp::SvdValues
        | LinalgOp::SvdVectors
        | LinalgOp::Lu
        | LinalgOp::LuSolve
        | LinalgOp::LuSolveAdjoint => None,
    }
}

fn split_region(r: &mut Region, f: &mut Func) -> bool {
    let solves = |i: &Inst| matches!(i.kind, Kind::Linalg(op) if of_factors(op).is_some());
    if !r.insts.iter().any(solves) {
        return false;
    }
    let before = f.values.len();
    for mut inst in std::mem::take(&mut r.insts) {
        if let Kind::Linalg(op) = inst.kind
            && let Some(op) = of_factors(op)
            && let Some((a, data)) = factors(f, &inst, &mut r.insts)
        {
            let lu = f.fresh(data);
            r.insts.push(Inst {
                kind: Kind::Linalg(LinalgOp::Lu),
                args: Values::from_slice(&[a]),
                results: Values::from_slice(&[lu]),
                regions: Vec::new(),
                span: inst.span,
            });
            inst.kind = Kind::Linalg(op);
            inst.args[0] = lu;
        }
        r.insts.push(inst);
    }
    f.values.len() > before
}

/// The matrix that a solution is one of, in the type it is solved in, and the array of its factors. `None` if the two differ in
/// precision.
fn factors(f: &mut Func, inst: &Inst, out: &mut Vec<Inst>) -> Option<(Value, ValueData)> {
    let a = f.data(inst.args[0]).clone();
    let rows = a.shape[1].add(&Dim::constant(1))?;
    let ty = f.ty(inst.results[0]).scalar();
    if ty.is_single() != a.ty.scalar().is_single() {
        return None;
    }
    let columns = a.shape[1].clone();
    let matrix = if ty == a.ty.scalar() { inst.args[0] } else { complex(f, inst, a.shape, ty, out) };
    Some((matrix, ValueData::array(ty, vec![rows, columns])))
}

/// Makes a complex matrix of a solution's real one.
fn complex(f: &mut Func, solution: &Inst, shape: Shape, ty: Scalar, out: &mut Vec<Inst>) -> Value {
    let (a, span) = (solution.args[0], solution.span);
    let [i, j] = [(); 2].map(|()| f.fresh(Type::I64.into()));
    let element = f.fresh(Type::Scalar(f.ty(a).scalar()).into());
    let zero = Const::zero(f.ty(a).scalar());
    let none = f.fresh(Type::Scalar(zero.scalar()).into());
    let wide = f.fresh(Type::Scalar(ty).into());
    let result = f.fresh(ValueData::array(ty, shape));
    let inst = |kind, args: &[Value], result, regions| {
        let (args, results) = (Values::from_slice(args), Values::from_slice(&[result]));
        Inst { kind, args, results, regions, span }
    };
    let insts = vec![
        inst(Kind::Index, &[a, i, j], element, Vec::new()),
        inst(Kind::Const(zero), &[], none, Vec::new()),
        inst(Kind::Op(Op::Complex), &[element, none], wide, Vec::new()),
    ];
    let body = Region { params: vec![i, j], insts, yields: vec![wide] };
    out.push(inst(Kind::Build { rank: 2 }, &[], result, vec![body]));
    result
}

/// The real matrix that an instruction makes a complex one of, as [`complex`] writes it; `zeros` are the literals 0.
fn real_of(inst: &Inst, zeros: &FxHashSet<Value>) -> Option<Value> {
    let [body] = &inst.regions[..] else { return None };
    let mut insts = body.insts.iter().filter(|i| !matches!(i.kind, Kind::Const(_)));
    let (Some(index), Some(wide), None) = (insts.next(), insts.next(), insts.next()) else { return None };
    let element = index.kind == Kind::Index && index.args[1..] == body.params[..];
    let widened = wide.kind == Kind::Op(Op::Complex)
        && wide.args[..1] == index.results[..]
        && zeros.contains(&wide.args[1]);
    let all =
        inst.kind == Kind::Build { rank: 2 } && element && widened && body.yields[..] == wide.results[..];
    all.then(|| index.args[0])
}

fn join_region(r: &mut Region, uses: &FxHashMap<Value, usize>, zeros: &FxHashSet<Value>) -> bool {
    // Factors used once, with their matrix, which nothing has been written into since.
    let mut alone: Vec<(Value, Value)> = Vec::new();
    let mut joined: Vec<Value> = Vec::new();
    // Complex matrices with the real ones they are made of.
    let mut made: Vec<(Value, Value)> = Vec::new();
    for inst in &mut r.insts {
        match inst.kind {
            Kind::Linalg(LinalgOp::Lu) if uses.get(&inst.results[0]) == Some(&1) => {
                alone.push((inst.results[0], inst.args[0]));
            }
            Kind::Linalg(op) if op.is_of_factors() => {
                if let Some((lu, a)) = alone.iter().find(|(lu, _)| *lu == inst.args[0]) {
                    let whole = [LinalgOp::Solve, LinalgOp::SolveAdjoint];
                    let whole = whole.into_iter().find(|w| of_factors(*w) == Some(op));
                    inst.kind = Kind::Linalg(whole.expect("each is of one"));
                    let real = made.iter().find(|(c, _)| c == a).filter(|_| uses.get(a) == Some(&1));
                    inst.args[0] = real.map_or(*a, |(_, real)| *real);
                    joined.push(*lu);
                }
            }
            _ => {
                alone.retain(|(_, a)| !scan::consumed(inst, &[*a]));
                made.retain(|(_, a)| !scan::consumed(inst, &[*a]));
                made.extend(real_of(inst, zeros).map(|a| (inst.results[0], a)));
            }
        }
    }
    r.insts.retain(|i| i.results.is_empty() || !joined.contains(&i.results[0]));
    !joined.is_empty()
}

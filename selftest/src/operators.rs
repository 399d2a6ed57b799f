//! The mistakes that are made in derivative programs after they were made, as one table: an operator looks at one instruction and
//! says what it might become.

use crate::edit::{Edit, New};
use crate::look::Look;
use adc_ir::{Const, Func, Inst, Kind, LinalgOp, Op, ReduceOp, Scalar, Value};

/// A kind of mistake.
pub(crate) struct Operator {
    pub name: &'static str,
    /// In the words of the kill table.
    pub family: &'static str,
    pub what: &'static str,
    at: At,
}

/// Where an operator looks.
enum At {
    /// At instructions that take part in tangents or cotangents.
    Inst(fn(&Look, &Inst) -> Vec<Edit>),
    /// At the derivatives that the program returns.
    End(fn(&Look, Value) -> Option<New>),
}

macro_rules! operators {
    ($($family:literal { $($name:literal $what:literal $at:ident($f:expr);)* })*) => {
        /// Every operator.
        pub(crate) static OPERATORS: &[Operator] =
            &[$($(Operator { name: $name, family: $family, what: $what, at: At::$at($f) },)*)*];
    };
}

#[rustfmt::skip]
operators! {
    "linear" {
        "conj-dropped" "a conjugate is left out" Inst(conj);
        "part-exchanged" "the imaginary part for the real one, or the other way round" Inst(part);
        "negation-dropped" "a sign is left out" Inst(negation);
        "difference-as-sum" "a − b for a + b, or the other way round" Inst(sign);
        "operands-exchanged" "b − a for a − b, b/a for a/b" Inst(exchanged);
        "factor-dropped" "a factor or divisor is left out" Inst(factor);
        "factor-twice" "a factor counts twice" Inst(twice);
        "product-for-quotient" "a·b for a/b" Inst(quotient);
        "literal-doubled" "2c for a literal c" Inst(|l, i| literal(l, i, 2.0));
        "literal-nudged" "c(1 + 1e-8) for a literal c" Inst(|l, i| literal(l, i, 1.000_000_01));
        "residual-replaced" "another value that was kept, of the same type" Inst(residual);
        "offset" "1e-8 is added to a derivative, or to its first element" End(offset);
        "result-zeroed" "a derivative is 0" End(|_, v| Some(New::Zero(v)));
        "fma-sign" "a·b − c for a·b + c" Inst(fma);
    }
    "accumulation" {
        "addend-dropped" "of two contributions one is left out: = for +=" Inst(addend);
        "element-overwritten" "a contribution to an element or a part replaces what is there: = for +=" Inst(overwritten);
        "contribution-lost" "a contribution to an element or a part is left out, or nothing is cleared" Inst(lost);
        "mask-dropped" "what a condition excludes counts, too" Inst(mask);
        "sides-exchanged" "the sides of a selection are exchanged" Inst(sides);
        "bound-shifted" "i < n for i ≤ n, or the other way round" Inst(bound);
    }
    "array" {
        "index-first" "element 0, or the part that begins there, for another one" Inst(index_first);
        "index-before" "the element before, or the part that begins there" Inst(index_before);
        "indices-exchanged" "element (j, i) for (i, j) of a square array" Inst(indices);
        "build-exchanged" "a square array is made with its indices exchanged" Inst(build);
        "elements-reversed" "the elements of a list come in reverse order" Inst(pack);
        "array-zeroed" "what is moved, filled or reshaped is 0" Inst(moved);
    }
    "matrix" {
        "transpose-dropped" "a square matrix for its transpose" Inst(transpose);
        "product-exchanged" "B A for A B, A x for x A" Inst(product);
        "matrix-dropped" "one of two square matrices is no factor" Inst(matrix);
        "adjoint-forgotten" "a solution with A for one with its adjoint, or the other way round" Inst(adjoint);
    }
    "loop" {
        "loop-forwards" "the iterations of a loop are reversed in forward order" Inst(forwards);
        "loop-short" "the last iteration of a loop is left out" Inst(short);
        "loop-once" "only the first iteration of a loop is made" Inst(once);
        "loop-start" "a loop begins at 0" Inst(start);
        "carry-reset" "a tangent or cotangent that a loop begins with is 0" Inst(reset);
        "carry-kept" "an iteration passes on what it got" Inst(kept);
        "term-zeroed" "what an iteration adds to a sum, or collects, is 0" Inst(term);
        "term-doubled" "what an iteration adds to a sum, or collects, counts twice" Inst(term_doubled);
    }
    "branch" {
        "branches-exchanged" "the branches of an `if` are exchanged" Inst(branches);
        "branch-zeroed" "what a branch gives is 0" Inst(branch);
    }
    "call" {
        "arguments-exchanged" "two arguments of a call are exchanged" Inst(arguments);
        "results-exchanged" "two results of a call, loop or `if` are exchanged" Inst(results);
        "argument-doubled" "a call gets twice a tangent or cotangent" Inst(doubled);
        "argument-zeroed" "a call gets 0 for a tangent or cotangent" Inst(zeroed);
    }
}

/// What an operator may do to a program: the number of an instruction, and the edit. `seeds`: where the parameters with tangents or
/// cotangents begin, of a derivative program; else everything in it may be changed.
pub(crate) fn sites(operator: &Operator, func: &Func, seeds: Option<usize>) -> Vec<(usize, Edit)> {
    let mut out = Vec::new();
    let mut look = Look::new(func, seeds);
    let yields = func.region().map_or(&[][..], |r| &r.yields);
    look.walk(&mut |look, at, inst| match (&operator.at, inst) {
        (At::Inst(f), Some(inst)) => out.extend(f(look, inst).into_iter().map(|edit| (at, edit))),
        (At::End(f), None) => {
            for (k, v) in yields.iter().enumerate().filter(|(_, v)| look.linear(**v)) {
                out.extend(f(look, *v).map(|new| (at, Edit::Yield(0, k, new))));
            }
        }
        (At::Inst(_), None) | (At::End(_), Some(_)) => {}
    });
    out
}

/// Edits of an op of scalars.
fn op(inst: &Inst) -> Option<(Op, &[Value])> {
    match inst.kind {
        Kind::Op(op) => Some((op, &inst.args)),
        _ => None,
    }
}

fn number(x: f64, like: Value) -> New {
    New::Number(x, like)
}

fn as_op(op: Op, inst: &Inst) -> Vec<Edit> {
    vec![Edit::Kind(Kind::Op(op), (0..inst.args.len()).collect())]
}

fn conj(look: &Look, inst: &Inst) -> Vec<Edit> {
    match op(inst) {
        Some((Op::Conj, [x])) if look.matters(inst.results[0]) => vec![Edit::Forward(*x)],
        _ => vec![],
    }
}

fn part(look: &Look, inst: &Inst) -> Vec<Edit> {
    match op(inst) {
        Some((Op::Re, [x])) if look.is_linear(inst) && look.func.ty(*x).scalar().is_complex() => {
            as_op(Op::Im, inst)
        }
        Some((Op::Im, [x])) if look.is_linear(inst) && look.func.ty(*x).scalar().is_complex() => {
            as_op(Op::Re, inst)
        }
        _ => vec![],
    }
}

fn negation(look: &Look, inst: &Inst) -> Vec<Edit> {
    match op(inst) {
        Some((Op::Neg, [x])) if look.is_linear(inst) => vec![Edit::Forward(*x)],
        _ => vec![],
    }
}

fn sign(look: &Look, inst: &Inst) -> Vec<Edit> {
    match op(inst) {
        Some((Op::Add, _)) if look.is_linear(inst) => as_op(Op::Sub, inst),
        Some((Op::Sub, _)) if look.is_linear(inst) => as_op(Op::Add, inst),
        _ => vec![],
    }
}

fn exchanged(look: &Look, inst: &Inst) -> Vec<Edit> {
    match op(inst) {
        Some((Op::Sub | Op::Div, [a, b])) if look.is_linear(inst) && look.same(*a, *b) => {
            vec![Edit::Kind(inst.kind.clone(), vec![1, 0])]
        }
        _ => vec![],
    }
}

/// The operands that an op may be replaced by.
fn forwards_to(look: &Look, inst: &Inst, among: &[Value]) -> Vec<Edit> {
    let result = inst.results[0];
    let fits = |v: &&Value| look.linear(**v) && look.func.data(**v) == look.func.data(result);
    among.iter().filter(fits).map(|v| Edit::Forward(*v)).collect()
}

fn factor(look: &Look, inst: &Inst) -> Vec<Edit> {
    match op(inst) {
        Some((Op::Mul, [a, b])) if look.is_linear(inst) => forwards_to(look, inst, &[*a, *b]),
        Some((Op::Div, [a, _])) if look.is_linear(inst) => forwards_to(look, inst, &[*a]),
        _ => vec![],
    }
}

fn twice(look: &Look, inst: &Inst) -> Vec<Edit> {
    let Some((Op::Mul | Op::Div, [a, b])) = op(inst) else { return vec![] };
    if !look.is_linear(inst) || !look.same(*a, *b) {
        return vec![];
    }
    let again = |k: usize, other: Value| {
        let (Kind::Op(op), v) = (&inst.kind, inst.args[k]) else { unreachable!("it is one") };
        Edit::Operand(k, New::Op(*op, vec![New::Is(v), New::Is(other)]))
    };
    match inst.kind {
        Kind::Op(Op::Mul) if !look.linear(*a) => vec![again(1, *a)],
        _ => vec![again(0, *b)],
    }
}

fn quotient(look: &Look, inst: &Inst) -> Vec<Edit> {
    match op(inst) {
        Some((Op::Div, _)) if look.is_linear(inst) => as_op(Op::Mul, inst),
        _ => vec![],
    }
}

fn literal(look: &Look, inst: &Inst, by: f64) -> Vec<Edit> {
    match inst.kind {
        Kind::Const(c) if c.scalar().is_float() && look.matters(inst.results[0]) => {
            let z = c.to_c128();
            let is_number = z.norm_sqr() > 0.0 && z.norm_sqr().is_finite();
            let edit = || Edit::Kind(Kind::Const(Const::from_c128(z * by, c.scalar())), vec![]);
            is_number.then(edit).into_iter().collect()
        }
        _ => vec![],
    }
}

fn residual(look: &Look, inst: &Inst) -> Vec<Edit> {
    let reads = matches!(inst.kind, Kind::Op(Op::Mul | Op::Div) | Kind::MatMul | Kind::Index);
    if !reads || !inst.results.iter().any(|v| look.matters(*v)) {
        return vec![];
    }
    let replaced = |k: usize| {
        let v = inst.args[k];
        let is_kept = look.is_float(v) && !look.linear(v) && look.literal(v).is_none();
        let other = look.other(v).filter(|_| is_kept)?;
        look.literal(other).is_none().then(|| Edit::Operand(k, New::Is(other)))
    };
    (0..inst.args.len()).filter_map(replaced).collect()
}

fn offset(look: &Look, v: Value) -> Option<New> {
    const BY: f64 = 1e-8;
    match look.rank(v) {
        0 => Some(New::Op(Op::Add, vec![New::Is(v), number(BY, v)])),
        _ => Some(New::Raised(v, BY)),
    }
}

fn fma(look: &Look, inst: &Inst) -> Vec<Edit> {
    match op(inst) {
        Some((Op::Fma, [_, _, c])) if look.is_linear(inst) => {
            vec![Edit::Operand(2, New::Op(Op::Neg, vec![New::Is(*c)]))]
        }
        _ => vec![],
    }
}

fn addend(look: &Look, inst: &Inst) -> Vec<Edit> {
    match op(inst) {
        Some((Op::Add | Op::Sub, args)) if look.is_linear(inst) && args.iter().all(|v| look.linear(*v)) => {
            forwards_to(look, inst, args)
        }
        _ => vec![],
    }
}

fn overwritten(look: &Look, inst: &Inst) -> Vec<Edit> {
    let kind = match inst.kind {
        Kind::AddAt => Kind::Update,
        Kind::AddSlice => Kind::UpdateSlice,
        _ => return vec![],
    };
    if look.is_linear(inst) { vec![Edit::Kind(kind, (0..inst.args.len()).collect())] } else { vec![] }
}

fn lost(look: &Look, inst: &Inst) -> Vec<Edit> {
    match inst.kind {
        Kind::AddAt | Kind::AddSlice | Kind::Update | Kind::UpdateSlice if look.is_linear(inst) => {
            vec![Edit::Forward(inst.args[0])]
        }
        _ => vec![],
    }
}

fn mask(look: &Look, inst: &Inst) -> Vec<Edit> {
    match op(inst) {
        Some((Op::Select, [_, a, b])) if look.is_linear(inst) && look.linear(*a) != look.linear(*b) => {
            forwards_to(look, inst, &[*a, *b])
        }
        Some((Op::Select, [_, a, b])) if look.is_linear(inst) => {
            let is_zero = |v: Value| look.literal(v).is_some_and(|c| c.to_c128().norm_sqr() == 0.0);
            let kept = [*a, *b].into_iter().filter(|v| !is_zero(*v)).collect::<Vec<_>>();
            if kept.len() == 1 { forwards_to(look, inst, &kept) } else { vec![] }
        }
        _ => vec![],
    }
}

fn sides(look: &Look, inst: &Inst) -> Vec<Edit> {
    match op(inst) {
        Some((Op::Select, [_, a, b])) if look.matters(inst.results[0]) && look.same(*a, *b) => {
            vec![Edit::Kind(inst.kind.clone(), vec![0, 2, 1])]
        }
        _ => vec![],
    }
}

fn bound(look: &Look, inst: &Inst) -> Vec<Edit> {
    let Some((op, [a, _])) = op(inst) else { return vec![] };
    let shifted = match op {
        Op::Lt => Op::Le,
        Op::Le => Op::Lt,
        Op::Gt => Op::Ge,
        Op::Ge => Op::Gt,
        _ => return vec![],
    };
    // Of floats it would say something else at ties only.
    let of_integers = look.func.ty(*a).scalar() == Scalar::I64;
    if of_integers && look.matters(inst.results[0]) { as_op(shifted, inst) } else { vec![] }
}

/// The positions of an instruction's indices, or of the start of a part.
fn indices_of(look: &Look, inst: &Inst) -> std::ops::Range<usize> {
    let reads = || inst.results.iter().any(|v| look.matters(*v));
    match inst.kind {
        Kind::Index | Kind::Slice if reads() => 1..inst.args.len(),
        Kind::Update | Kind::AddAt | Kind::UpdateSlice | Kind::AddSlice if look.is_linear(inst) => {
            2..inst.args.len()
        }
        _ => 0..0,
    }
}

fn index_first(look: &Look, inst: &Inst) -> Vec<Edit> {
    let is_zero = |v: Value| matches!(look.literal(v), Some(Const::I64(0)));
    let moved = indices_of(look, inst).filter(|k| !is_zero(inst.args[*k]));
    moved.map(|k| Edit::Operand(k, number(0.0, inst.args[k]))).collect()
}

fn index_before(look: &Look, inst: &Inst) -> Vec<Edit> {
    let is_zero = |v: Value| matches!(look.literal(v), Some(Const::I64(0)));
    let moved = indices_of(look, inst).filter(|k| !is_zero(inst.args[*k]));
    let before = |v: Value| New::Op(Op::Sub, vec![New::Is(v), number(1.0, v)]);
    moved
        .map(|k| {
            let v = inst.args[k];
            Edit::Operand(k, New::Op(Op::Max, vec![before(v), number(0.0, v)]))
        })
        .collect()
}

fn indices(look: &Look, inst: &Inst) -> Vec<Edit> {
    let list = indices_of(look, inst);
    let (first, of_parts) =
        (list.start, matches!(inst.kind, Kind::Slice | Kind::AddSlice | Kind::UpdateSlice));
    if list.len() < 2 || of_parts || !look.is_square(inst.args[0]) || inst.args[first] == inst.args[first + 1]
    {
        return vec![];
    }
    let mut order: Vec<usize> = (0..inst.args.len()).collect();
    order.swap(first, first + 1);
    vec![Edit::Kind(inst.kind.clone(), order)]
}

fn build(look: &Look, inst: &Inst) -> Vec<Edit> {
    match inst.kind {
        Kind::Build { rank: 2.. } if look.matters(inst.results[0]) && look.is_square(inst.results[0]) => {
            vec![Edit::Params]
        }
        _ => vec![],
    }
}

fn pack(look: &Look, inst: &Inst) -> Vec<Edit> {
    match inst.kind {
        Kind::Pack if look.matters(inst.results[0]) && inst.args.len() > 1 => {
            vec![Edit::Kind(Kind::Pack, (0..inst.args.len()).rev().collect())]
        }
        _ => vec![],
    }
}

fn moved(look: &Look, inst: &Inst) -> Vec<Edit> {
    let moves = matches!(
        inst.kind,
        Kind::Fill | Kind::Reshape | Kind::Transpose | Kind::Slice | Kind::Pack | Kind::Index
    );
    let zeroed = (0..inst.args.len()).filter(|k| moves && look.linear(inst.args[*k]));
    zeroed.map(|k| Edit::Operand(k, New::Zero(inst.args[k]))).collect()
}

fn transpose(look: &Look, inst: &Inst) -> Vec<Edit> {
    match inst.kind {
        Kind::Transpose if look.matters(inst.results[0]) && look.is_square(inst.args[0]) => {
            vec![Edit::Forward(inst.args[0])]
        }
        _ => vec![],
    }
}

fn product(look: &Look, inst: &Inst) -> Vec<Edit> {
    let exchanged = || vec![Edit::Kind(Kind::MatMul, vec![1, 0])];
    match inst.kind {
        Kind::MatMul if look.is_linear(inst) && inst.args[0] != inst.args[1] => {
            let [a, b] = [inst.args[0], inst.args[1]];
            let types = look.func.ty(a).scalar() == look.func.ty(b).scalar();
            match [look.rank(a), look.rank(b)] {
                [2, 2] if look.same(a, b) && look.is_square(a) => exchanged(),
                [1, 2] if look.is_square(b) && types => exchanged(),
                [2, 1] if look.is_square(a) && types => exchanged(),
                _ => vec![],
            }
        }
        _ => vec![],
    }
}

fn matrix(look: &Look, inst: &Inst) -> Vec<Edit> {
    match inst.kind {
        Kind::MatMul if look.is_linear(inst) => forwards_to(look, inst, &inst.args),
        Kind::Linalg(LinalgOp::Solve | LinalgOp::SolveAdjoint) if look.is_linear(inst) => {
            forwards_to(look, inst, &inst.args[1..])
        }
        _ => vec![],
    }
}

fn adjoint(look: &Look, inst: &Inst) -> Vec<Edit> {
    let Kind::Linalg(op) = inst.kind else { return vec![] };
    let other = match op {
        LinalgOp::Solve => LinalgOp::SolveAdjoint,
        LinalgOp::SolveAdjoint => LinalgOp::Solve,
        LinalgOp::LuSolve => LinalgOp::LuSolveAdjoint,
        LinalgOp::LuSolveAdjoint => LinalgOp::LuSolve,
        LinalgOp::Cholesky
        | LinalgOp::Inv
        | LinalgOp::Det
        | LinalgOp::LogDet
        | LinalgOp::EighValues
        | LinalgOp::EighVectors
        | LinalgOp::QrQ
        | LinalgOp::SvdValues
        | LinalgOp::SvdVectors
        | LinalgOp::Lu => return vec![],
    };
    if look.is_linear(inst) { vec![Edit::Kind(Kind::Linalg(other), vec![0, 1])] } else { vec![] }
}

fn forwards(look: &Look, inst: &Inst) -> Vec<Edit> {
    match op(inst) {
        Some((Op::Sub, [_, t])) if look.is_turn(*t) && look.matters(inst.results[0]) => {
            let is_free = !look.is_size(inst.results[0]);
            is_free.then_some(Edit::Forward(*t)).into_iter().collect()
        }
        _ => vec![],
    }
}

/// Whether a loop gives tangents or cotangents, and its bounds are nobody's sizes.
fn bounded(look: &Look, inst: &Inst) -> bool {
    let plain = match inst.kind {
        Kind::For(l) => l.collects == 0,
        Kind::Reduce(ReduceOp::Sum) => true,
        _ => false,
    };
    plain && look.is_linear(inst)
}

fn short(look: &Look, inst: &Inst) -> Vec<Edit> {
    if !bounded(look, inst) {
        return vec![];
    }
    let hi = inst.args[1];
    vec![Edit::Operand(1, New::Op(Op::Sub, vec![New::Is(hi), number(1.0, hi)]))]
}

fn once(look: &Look, inst: &Inst) -> Vec<Edit> {
    if !bounded(look, inst) {
        return vec![];
    }
    let lo = inst.args[0];
    vec![Edit::Operand(1, New::Op(Op::Add, vec![New::Is(lo), number(1.0, lo)]))]
}

fn start(look: &Look, inst: &Inst) -> Vec<Edit> {
    if !bounded(look, inst) || look.literal(inst.args[0]).is_some() {
        return vec![];
    }
    vec![Edit::Operand(0, number(0.0, inst.args[0]))]
}

fn reset(look: &Look, inst: &Inst) -> Vec<Edit> {
    let first = inst.kind.first_carry().unwrap_or(inst.args.len());
    let carried = (first..inst.args.len()).filter(|k| look.linear(inst.args[*k]));
    carried.map(|k| Edit::Operand(k, New::Zero(inst.args[k]))).collect()
}

fn kept(look: &Look, inst: &Inst) -> Vec<Edit> {
    let Some(first) = inst.kind.first_carry() else { return vec![] };
    let (at, count) = (inst.regions.len() - 1, inst.args.len() - first);
    let body = &inst.regions[at];
    let params = &body.params[body.params.len() - count..];
    let changed = params.iter().enumerate().filter(|(k, p)| look.linear(**p) && body.yields[*k] != **p);
    changed.map(|(k, p)| Edit::Yield(at, k, New::Is(*p))).collect()
}

/// Where a loop yields what it adds to sums or collects, with the region and the position.
fn terms(look: &Look, inst: &Inst) -> Vec<(usize, usize, Value)> {
    if !inst.kind.is_loop() {
        return vec![];
    }
    let (at, carries) = (inst.regions.len() - 1, inst.kind.first_carry().map_or(0, |f| inst.args.len() - f));
    let yields = inst.regions[at].yields.iter().enumerate().skip(carries);
    let extremum = matches!(inst.kind, Kind::Reduce(op) if op != ReduceOp::Sum);
    yields.filter(|(_, v)| look.linear(**v) && !extremum).map(|(k, v)| (at, k, *v)).collect()
}

fn term(look: &Look, inst: &Inst) -> Vec<Edit> {
    terms(look, inst).into_iter().map(|(at, k, v)| Edit::Yield(at, k, New::Zero(v))).collect()
}

fn term_doubled(look: &Look, inst: &Inst) -> Vec<Edit> {
    let scalars = terms(look, inst).into_iter().filter(|(.., v)| look.rank(*v) == 0);
    scalars.map(|(at, k, v)| Edit::Yield(at, k, doubled_value(v))).collect()
}

fn doubled_value(v: Value) -> New {
    New::Op(Op::Add, vec![New::Is(v), New::Is(v)])
}

fn branches(look: &Look, inst: &Inst) -> Vec<Edit> {
    let changes = inst.kind == Kind::If && inst.results.iter().any(|v| look.matters(*v));
    if changes { vec![Edit::Regions] } else { vec![] }
}

fn branch(look: &Look, inst: &Inst) -> Vec<Edit> {
    if inst.kind != Kind::If {
        return vec![];
    }
    let sides = [0, 1]
        .into_iter()
        .flat_map(|side| inst.regions[side].yields.iter().enumerate().map(move |y| (side, y)));
    let zeroed = sides.filter(|(_, (_, v))| look.linear(**v));
    zeroed.map(|(side, (k, v))| Edit::Yield(side, k, New::Zero(*v))).collect()
}

fn is_call(inst: &Inst) -> bool {
    matches!(inst.kind, Kind::Call(_))
}

/// The first two positions of values that may be taken for each other, of which one carries a derivative.
fn alike(look: &Look, list: &[Value]) -> Option<(usize, usize)> {
    let pairs = (0..list.len()).flat_map(|j| (0..j).map(move |i| (i, j)));
    let fits = |(i, j): &(usize, usize)| {
        look.same(list[*i], list[*j]) && (look.linear(list[*i]) || look.linear(list[*j]))
    };
    pairs.into_iter().find(fits)
}

fn arguments(look: &Look, inst: &Inst) -> Vec<Edit> {
    let Some((i, j)) = alike(look, &inst.args).filter(|_| is_call(inst)) else { return vec![] };
    let mut order: Vec<usize> = (0..inst.args.len()).collect();
    order.swap(i, j);
    vec![Edit::Kind(inst.kind.clone(), order)]
}

fn results(look: &Look, inst: &Inst) -> Vec<Edit> {
    alike(look, &inst.results).map(|(i, j)| Edit::Results(i, j)).into_iter().collect()
}

fn doubled(look: &Look, inst: &Inst) -> Vec<Edit> {
    let seeds = (0..inst.args.len()).filter(|k| is_call(inst) && look.linear(inst.args[*k]));
    let scalars = seeds.filter(|k| look.rank(inst.args[*k]) == 0);
    scalars.map(|k| Edit::Operand(k, doubled_value(inst.args[k]))).collect()
}

fn zeroed(look: &Look, inst: &Inst) -> Vec<Edit> {
    let seeds = (0..inst.args.len()).filter(|k| is_call(inst) && look.linear(inst.args[*k]));
    seeds.map(|k| Edit::Operand(k, New::Zero(inst.args[k]))).collect()
}

//! Questions about instructions with everything nested in them, and what passes write often.

use adc_ir::{
    Body, Const, Copier, Dim, Func, Inst, Kind, Op, PARTIALS, Region, Scalar, Smoothness, Span, Type, Value,
    ValueData, Values, kinds,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// Changes the body of a function, which has none meanwhile.
pub(crate) fn edit(f: &mut Func, change: impl FnOnce(&mut Region, &mut Func)) {
    let Body::Region(body) = &mut f.body else { return };
    let mut body = std::mem::take(body);
    change(&mut body, f);
    f.body = Body::Region(body);
}

/// Instructions that do not use any of `late`, even through others, and those that do, each in order.
pub(super) fn apart(insts: impl IntoIterator<Item = Inst>, f: &Func, late: &[Value]) -> [Vec<Inst>; 2] {
    let mut late: FxHashSet<Value> = late.iter().copied().collect();
    let [mut before, mut behind] = [Vec::new(), Vec::new()];
    for inst in insts {
        let mut needs = false;
        uses(&inst, f, &mut |v| needs |= late.contains(&v));
        if needs {
            late.extend(inst.results.iter().copied());
            behind.push(inst);
        } else {
            before.push(inst);
        }
    }
    [before, behind]
}

/// Calls `see` with every value the instruction or something nested in it uses, sizes included.
pub(crate) fn uses(inst: &Inst, func: &Func, see: &mut impl FnMut(Value)) {
    inst.uses(func).for_each(&mut *see);
    for r in &inst.regions {
        r.params.iter().flat_map(|v| func.shape(*v)).flat_map(Dim::vars).for_each(&mut *see);
        r.insts.iter().for_each(|i| uses(i, func, see));
        r.yields.iter().copied().for_each(&mut *see);
    }
}

/// Calls `see` with every instruction nested in it, and itself.
pub(super) fn each<'a>(inst: &'a Inst, see: &mut impl FnMut(&'a Inst)) {
    see(inst);
    inst.regions.iter().flat_map(|r| &r.insts).for_each(|i| each(i, see));
}

/// Whether it holds an assertion, or a call, behind which there may be one.
pub(super) fn asserts(inst: &Inst) -> bool {
    let mut found = false;
    each(inst, &mut |i| found |= matches!(i.kind, Kind::Assert(_) | Kind::Call(_)));
    found
}

/// Whether an array among `values` may be updated in place in the instruction, if nobody needs it afterwards.
pub(super) fn consumed(inst: &Inst, values: &[Value]) -> bool {
    let mut found = false;
    each_consumed(inst, &mut |v| found |= values.contains(&v));
    found
}

/// Calls `see` with every value that may be updated in place in the instruction, if nobody needs it afterwards.
pub(crate) fn each_consumed(inst: &Inst, see: &mut impl FnMut(Value)) {
    each(inst, &mut |i| match &i.kind {
        Kind::Reshape | kinds!(Write) => see(i.args[0]),
        Kind::For(_) => i.args.iter().skip(3).for_each(|v| see(*v)),
        Kind::While(_) | Kind::Call(_) => i.args.iter().for_each(|v| see(*v)),
        Kind::If => i.regions.iter().flat_map(|r| &r.yields).for_each(|v| see(*v)),
        Kind::Const(_)
        | Kind::Op(_)
        | Kind::Assert(_)
        | Kind::Size(_)
        | Kind::Fill
        | Kind::Pack
        | Kind::Build { .. }
        | Kind::Reduce(_)
        | Kind::Transpose
        | kinds!(Read | Matrix) => {}
    });
}

/// Whether computing it again costs about what reading it costs.
pub(super) fn cheap(region: &Region, func: &Func) -> bool {
    region.insts.len() <= 4
        && region.insts.iter().all(|i| match &i.kind {
            Kind::Const(_) | Kind::Size(_) | Kind::Index => true,
            Kind::Op(op) => {
                let small = func.ty(i.results[0]).scalar() != Scalar::C128;
                small && (op.info().smooth == Smoothness::Linear || [Op::Mul, Op::Select].contains(op))
            }
            Kind::Call(_)
            | Kind::If
            | Kind::Assert(_)
            | Kind::Slice
            | kinds!(Write | Form | Matrix | Loop) => false,
        })
}

/// Whether an operation is done again rather than that its result is stored: no quotient, no function.
pub(super) fn is_cheap(op: Op) -> bool {
    /// Cycles of latency.
    const MOST: u32 = 8;
    op.info().cycles <= MOST
}

/// Whether a region holds a loop.
pub(super) fn has_loop(region: &Region) -> bool {
    let mut found = false;
    region.insts.iter().for_each(|i| each(i, &mut |i| found |= i.kind.is_loop()));
    found
}

/// Whether a region has a loop that the data say how often to run.
pub(super) fn has_data_loop(region: &Region) -> bool {
    let (mut data, mut found) = (FxHashSet::<Value>::default(), false);
    region.insts.iter().for_each(|i| {
        each(i, &mut |i| {
            found |= matches!(i.kind, Kind::For(_) | Kind::Reduce(_))
                && i.args[..2].iter().any(|v| data.contains(v));
            let moves = matches!(i.kind, Kind::Const(_) | Kind::Op(Op::Add | Op::Sub | Op::Mul | Op::Neg));
            if !moves || i.args.iter().any(|v| data.contains(v)) {
                data.extend(&i.results);
            }
        })
    });
    found
}

/// Number of instructions of a region.
pub(super) fn size(region: &Region) -> usize {
    let mut n = 0;
    region.insts.iter().for_each(|i| each(i, &mut |_| n += 1));
    n
}

/// Puts other values in the place of some, everywhere in a region, and in the sizes of what it defines.
pub(super) fn rename(r: &mut Region, func: &mut Func, to: &FxHashMap<Value, Value>) {
    let place = |v: Value| to.get(&v).copied().unwrap_or(v);
    let resize = |v: Value, func: &mut Func| {
        for dim in &mut func.values[v.0 as usize].shape {
            if dim.vars().any(|v| to.contains_key(&v)) {
                *dim = dim.rename(place);
            }
        }
    };
    r.params.iter().for_each(|v| resize(*v, func));
    for inst in &mut r.insts {
        inst.args.iter_mut().for_each(|v| *v = place(*v));
        if let Kind::Size(dim) = &mut inst.kind {
            **dim = dim.rename(place);
        }
        inst.results.iter().for_each(|v| resize(*v, func));
        inst.regions.iter_mut().for_each(|r| rename(r, func, to));
    }
    r.yields.iter_mut().for_each(|v| *v = place(*v));
}

/// A list with others in the place of one.
pub(super) fn splice(list: &[Value], at: usize, by: &[Value]) -> Values {
    [&list[..at], by, &list[at + 1..]].concat().into()
}

/// Adds an instruction without regions; what it gives.
pub(crate) fn emit(
    f: &mut Func,
    kind: Kind,
    args: &[Value],
    data: ValueData,
    span: Span,
    out: &mut Vec<Inst>,
) -> Value {
    let v = f.fresh(data);
    out.push(Inst::simple(kind, args, v, span));
    v
}

/// Adds a literal.
pub(crate) fn constant(f: &mut Func, c: Const, span: Span, out: &mut Vec<Inst>) -> Value {
    emit(f, Kind::Const(c), &[], c.scalar().into(), span, out)
}

/// Adds up terms in the order that [`PARTIALS`] says.
pub(super) fn sum(f: &mut Func, mut partial: Vec<Value>, ty: Type, span: Span, out: &mut Vec<Inst>) -> Value {
    let mut half = PARTIALS / 2;
    while half > 0 {
        for j in half..partial.len().min(2 * half) {
            let args = [partial[j - half], partial[j]];
            partial[j - half] = emit(f, Kind::Op(Op::Add), &args, ty.into(), span, out);
        }
        partial.truncate(half);
        half /= 2;
    }
    // Partial sums begin with +0, which makes −0 + −0 differ: once is enough.
    let zero = constant(f, Const::zero(ty.scalar()), span, out);
    emit(f, Kind::Op(Op::Add), &[partial[0], zero], ty.into(), span, out)
}

/// A copy of a region's instructions and what it yields, its parameters being `args`.
pub(super) fn copy(r: &Region, func: &mut Func, args: &[Value]) -> (Vec<Inst>, Vec<Value>) {
    let mut copier = Copier::new(&|v| v);
    r.params.iter().zip(args).for_each(|(p, arg)| copier.name(*p, *arg));
    let body = copier.body(r, &mut |names, v| func.fresh(names.data(func.data(v))));
    (body.insts, body.yields)
}

//! Products as loops: reverse mode needs the product of the terms before each one, and so divides by none.

use adc_ir::{
    Body, Const, Func, Inst, Kind, Loop, Op, ReduceOp, Region, Scalar, Type, Value, ValueData, Values,
};

/// Writes every reduction by a product of real or complex numbers as the loop that it stands for.
pub(crate) fn run(func: &mut Func) {
    let Body::Region(body) = &mut func.body else { return };
    let mut body = std::mem::take(body);
    region(func, &mut body);
    func.body = Body::Region(body);
}

fn region(func: &mut Func, r: &mut Region) {
    let insts = std::mem::take(&mut r.insts);
    for mut inst in insts {
        inst.regions.iter_mut().for_each(|r| region(func, r));
        let product = inst.kind == Kind::Reduce(ReduceOp::Prod);
        if product && func.ty(inst.results[0]).is_differentiable() {
            written_out(func, inst, &mut r.insts);
        } else {
            r.insts.push(inst);
        }
    }
}

fn written_out(func: &mut Func, inst: Inst, out: &mut Vec<Inst>) {
    let data = func.data(inst.results[0]).clone();
    let elem = data.ty.scalar();
    let span = inst.span;
    let emit = |func: &mut Func,
                out: &mut Vec<Inst>,
                kind: Kind,
                args: &[Value],
                data: ValueData,
                regions: Vec<Region>| {
        let v = func.fresh(data);
        out.push(Inst { kind, args: args.into(), results: Values::from_slice(&[v]), regions, span });
        v
    };
    let mut one = emit(func, out, Kind::Const(Const::real(1.0, elem)), &[], elem.into(), Vec::new());
    if data.ty.is_array() {
        one = emit(func, out, Kind::Fill, &[one], data.clone(), Vec::new());
    }
    let carry = func.fresh(data.clone());
    let mut body = inst.regions.into_iter().next().expect("a reduction has a region");
    body.params.push(carry);
    let term = body.yields[0];
    let next = match data.ty {
        Type::Scalar(_) => emit(func, &mut body.insts, Kind::Op(Op::Mul), &[carry, term], data, Vec::new()),
        Type::Array(_, rank) => {
            let mut inner = Region::default();
            for _ in 0..rank {
                inner.params.push(func.fresh(Scalar::I64.into()));
            }
            let at = |x: Value| -> Vec<Value> { [&[x], &inner.params[..]].concat() };
            let (a, b) = (at(carry), at(term));
            let a = emit(func, &mut inner.insts, Kind::Index, &a, elem.into(), Vec::new());
            let b = emit(func, &mut inner.insts, Kind::Index, &b, elem.into(), Vec::new());
            let y = emit(func, &mut inner.insts, Kind::Op(Op::Mul), &[a, b], elem.into(), Vec::new());
            inner.yields.push(y);
            emit(func, &mut body.insts, Kind::Build { rank }, &[], data, vec![inner])
        }
    };
    body.yields = vec![next];
    let args = [&inst.args[..], &[one]].concat();
    let (kind, results) = (Kind::For(Loop::default()), inst.results);
    out.push(Inst { kind, args: args.into(), results, regions: vec![body], span });
}

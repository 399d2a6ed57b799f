//! The double-precision version of single-precision functions.
//!
//! Differences of `f32` values lose half of seven digits, so a function that computes in single precision is differenced in
//! its `f64` version: every `f32` becomes `f64`, every `c64` `c128`. Native functions keep their types; values are
//! converted around their calls.

use adc_ir::*;
use rustc_hash::FxHashMap;

/// The double-precision version of `f`; `f` itself if nothing it reaches is of single precision.
pub(crate) fn run(m: &mut Module, f: FuncId) -> FuncId {
    let reached = m.reachable(f);
    if !reached.iter().any(|g| m.func(*g).values.iter().any(|v| v.ty.scalar().is_single())) {
        return f;
    }
    let versions = m.copy_reachable(f, ".f64", |g| g.region().is_some());
    for version in &versions {
        let mut func = m.func(*version).clone();
        func.rules.clear();
        promote(m, &mut func);
        m.funcs[version.0 as usize] = func;
    }
    versions[0]
}

/// The double-precision type of the same kind.
pub(crate) fn double(ty: Type) -> Type {
    let elem = match ty.scalar() {
        Scalar::F32 => Scalar::F64,
        Scalar::C64 => Scalar::C128,
        s @ (Scalar::Bool | Scalar::I64 | Scalar::F64 | Scalar::C128) => s,
    };
    Type::of_rank(elem, ty.rank())
}

fn promote(m: &Module, func: &mut Func) {
    let old: Vec<Type> = func.values.iter().map(|v| v.ty).collect();
    func.values.iter_mut().for_each(|v| v.ty = double(v.ty));
    func.results.iter_mut().for_each(|r| r.ty = double(r.ty));
    let Body::Region(mut body) = std::mem::replace(&mut func.body, Body::Region(Region::default())) else {
        unreachable!("native functions have no double-precision version")
    };
    let mut pass = Pass { m, func, old, alias: FxHashMap::default() };
    pass.region(&mut body);
    func.body = Body::Region(body);
}

struct Pass<'a> {
    m: &'a Module,
    func: &'a mut Func,
    /// The types before promotion.
    old: Vec<Type>,
    /// Values that became copies of others: conversions between the complex precisions.
    alias: FxHashMap<Value, Value>,
}

impl Pass<'_> {
    fn region(&mut self, region: &mut Region) {
        let insts = std::mem::take(&mut region.insts);
        for mut inst in insts {
            for arg in inst.args.iter_mut() {
                *arg = self.resolve(*arg);
            }
            inst.regions.iter_mut().for_each(|r| self.region(r));
            match &inst.kind {
                Kind::Const(c) => {
                    let c = *c;
                    inst.kind =
                        Kind::Const(Const::from_c128(c.to_c128(), self.func.ty(inst.results[0]).scalar()));
                    // Integers are not converted through a double.
                    if let Const::I64(_) = c {
                        inst.kind = Kind::Const(c);
                    }
                    region.insts.push(inst);
                }
                Kind::Op(Op::ToF32) => {
                    inst.kind = Kind::Op(Op::ToF64);
                    region.insts.push(inst);
                }
                Kind::Op(Op::ToC) => {
                    self.alias.insert(inst.results[0], inst.args[0]);
                }
                Kind::Call(g) if self.m.func(*g).region().is_none() => self.native_call(*g, inst, region),
                Kind::Op(_)
                | Kind::Call(_)
                | Kind::If
                | Kind::Assert(_)
                | Kind::Size(_)
                | kinds!(Array | Loop) => region.insts.push(inst),
            }
        }
        for v in &mut region.yields {
            *v = self.resolve(*v);
        }
    }

    fn resolve(&self, v: Value) -> Value {
        self.alias.get(&v).copied().unwrap_or(v)
    }

    /// A call of native code: arguments are converted to its types, results back.
    fn native_call(&mut self, g: FuncId, mut inst: Inst, region: &mut Region) {
        let callee = self.m.func(g);
        let dims = callee.dims.len();
        for (i, arg) in inst.args[dims..].iter_mut().enumerate() {
            let elem = callee.param_ty(i).scalar();
            if elem.is_single() {
                let data = self.like(*arg, elem);
                let narrow = self.func.fresh(data);
                self.convert(*arg, narrow, inst.span, region);
                *arg = narrow;
            }
        }
        let mut after = Vec::new();
        for result in inst.results.iter_mut() {
            let elem = self.old[result.0 as usize].scalar();
            if elem.is_single() {
                let data = self.like(*result, elem);
                let narrow = self.func.fresh(data);
                after.push((narrow, std::mem::replace(result, narrow)));
            }
        }
        let span = inst.span;
        region.insts.push(inst);
        for (narrow, wide) in after {
            self.convert(narrow, wide, span, region);
        }
    }

    /// The shape of a value, with another element type.
    fn like(&self, v: Value, elem: Scalar) -> ValueData {
        ValueData::array(elem, self.func.shape(v).clone())
    }

    /// Converts to `to`, which has the other precision, element by element.
    fn convert(&mut self, from: Value, to: Value, span: Span, region: &mut Region) {
        let inst = |kind, args: &[Value], results: &[Value], regions| Inst {
            kind,
            args: args.into(),
            results: results.into(),
            regions,
            span,
        };
        let (source, elem) = (self.func.ty(from).scalar(), self.func.ty(to).scalar());
        let op = Kind::Op(conversion(elem));
        let rank = self.func.ty(to).rank();
        if rank == 0 {
            region.insts.push(inst(op, &[from], &[to], Vec::new()));
            return;
        }
        let params: Vec<Value> = (0..rank).map(|_| self.func.fresh(Scalar::I64.into())).collect();
        let (x, y) = (self.func.fresh(source.into()), self.func.fresh(elem.into()));
        let index: Vec<Value> = [from].into_iter().chain(params.iter().copied()).collect();
        let insts = vec![inst(Kind::Index, &index, &[x], Vec::new()), inst(op, &[x], &[y], Vec::new())];
        let body = Region { params, insts, yields: vec![y] };
        region.insts.push(inst(Kind::Build { rank: rank as u8 }, &[], &[to], vec![body]));
    }
}

/// The op that converts a number of the other precision to `elem`.
fn conversion(elem: Scalar) -> Op {
    match elem {
        Scalar::F32 => Op::ToF32,
        Scalar::F64 => Op::ToF64,
        Scalar::C64 | Scalar::C128 => Op::ToC,
        Scalar::Bool | Scalar::I64 => unreachable!("only real and complex values are converted"),
    }
}

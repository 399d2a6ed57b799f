//! Products of a vector and a conjugated matrix: x·conj(A) = conj(conj(x)·A), so that only vectors are conjugated, and no copy of the
//! matrix is made. Adjoints of products of complex matrices have them.
//!
//! Zeros may have another sign.

use crate::decisions::Deciding;
use adc_ir::dims::Known;
use adc_ir::{Body, Func, Inst, Kind, Op, Region, Scalar, Span, Value, Values};
use rustc_hash::FxHashMap;

pub(super) fn function(f: &mut Func, deciding: &Deciding) {
    let known = Known::of(f);
    let mut uses = vec![0; f.values.len()];
    let Body::Region(body) = &mut f.body else { return };
    let mut body = std::mem::take(body);
    body.count_uses(&mut uses);
    Conjugates { f, known: &known, deciding, uses }.region(&mut body);
    f.body = Body::Region(body);
}

struct Conjugates<'a> {
    f: &'a mut Func,
    known: &'a Known,
    deciding: &'a Deciding,
    /// By value.
    uses: Vec<u32>,
}

impl Conjugates<'_> {
    fn region(&mut self, r: &mut Region) {
        let mut conjugated: FxHashMap<Value, Value> = FxHashMap::default();
        let mut out = Vec::with_capacity(r.insts.len());
        for mut inst in std::mem::take(&mut r.insts) {
            inst.regions.iter_mut().for_each(|r| self.region(r));
            if let Some(matrix) = self.conjugate_of(&inst) {
                conjugated.insert(inst.results[0], matrix);
            }
            match self.product(&inst, &conjugated) {
                Some(args) => self.written(args, &inst, &mut out),
                None => out.push(inst),
            }
        }
        r.insts = out;
    }

    /// The matrix that a comprehension conjugates: `build (i, j) { conj (index matrix, i, j) }`, for one product alone.
    fn conjugate_of(&self, inst: &Inst) -> Option<Value> {
        let (Kind::Build { rank: 2 }, [r]) = (&inst.kind, inst.regions.as_slice()) else { return None };
        let [read, conj] = r.insts.as_slice() else { return None };
        let (matrix, result) = (*read.args.first()?, inst.results[0]);
        let all = read.kind == Kind::Index && read.args[1..] == r.params[..];
        let element = conj.kind == Kind::Op(Op::Conj) && conj.args[..] == read.results[..];
        let whole = self.known.same_shape(self.f.shape(matrix), self.f.shape(result));
        (all && element && conj.results[..] == r.yields[..] && whole && self.uses[result.0 as usize] == 1)
            .then_some(matrix)
    }

    /// The factors of a product of a vector and a conjugated matrix, the matrix not conjugated, and which of them is the vector.
    fn product(&self, inst: &Inst, conjugated: &FxHashMap<Value, Value>) -> Option<([Value; 2], usize)> {
        if inst.kind != Kind::MatMul || self.deciding.get(inst.results[0]) {
            return None;
        }
        let args = [inst.args[0], inst.args[1]];
        let vector = args.iter().position(|v| self.f.ty(*v).rank() == 1)?;
        let matrix = conjugated.get(&args[1 - vector])?;
        Some((if vector == 0 { [args[0], *matrix] } else { [*matrix, args[1]] }, vector))
    }

    fn written(&mut self, (mut args, vector): ([Value; 2], usize), inst: &Inst, out: &mut Vec<Inst>) {
        let span = inst.span;
        if self.f.ty(args[vector]).scalar().is_complex() {
            let data = self.f.data(args[vector]).clone();
            let to = self.f.fresh(data);
            out.push(self.conjugate(args[vector], to, span));
            args[vector] = to;
        }
        let data = self.f.data(inst.results[0]).clone();
        let product = self.f.fresh(data);
        let results = Values::from_slice(&[product]);
        out.push(Inst {
            kind: Kind::MatMul,
            args: args.as_slice().into(),
            results,
            regions: Vec::new(),
            span,
        });
        out.push(self.conjugate(product, inst.results[0], span));
    }

    /// `to = conj(v)`, of vectors.
    fn conjugate(&mut self, v: Value, to: Value, span: Span) -> Inst {
        let element = self.f.data(v).inner(1);
        let index = self.f.fresh(Scalar::I64.into());
        let [x, y] = [(); 2].map(|()| self.f.fresh(element.clone()));
        let insts = vec![
            Inst::simple(Kind::Index, &[v, index], x, span),
            Inst::simple(Kind::Op(Op::Conj), &[x], y, span),
        ];
        let region = Region { params: vec![index], insts, yields: vec![y] };
        Inst { regions: vec![region], ..Inst::simple(Kind::Build { rank: 1 }, &[], to, span) }
    }
}

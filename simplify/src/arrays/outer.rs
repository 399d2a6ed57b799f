//! Products with outer products in them: A (u vᵀ) B = (A u) (vᵀ B), two vectors, where the matrix between would cost two
//! products of matrices. Adjoints of products of a matrix and a vector are outer products, so derivatives have them.

use super::chain::{self, Factor, Orders, cheaper};
use super::contract::{Flat, Rewrite, product_type};
use adc_ir::dims::Known;
use adc_ir::{Dim, Func, Inst, Kind, Op, Region, Scalar, Span, Value, ValueData, Values};
use std::ops::Range;

/// The two vectors whose outer product a comprehension is: `build (i, j) { mul (index u, i), (index v, j) }`.
pub(super) fn of(inst: &Inst, f: &Func, known: &Known) -> Option<(Value, Value)> {
    let (Kind::Build { rank: 2 }, [r]) = (&inst.kind, inst.regions.as_slice()) else { return None };
    let ([a, b, product], [i, j]) = (r.insts.as_slice(), r.params.as_slice()) else { return None };
    // An assertion has no result.
    let (&[a_value], &[b_value], [value]) = (&a.results[..], &b.results[..], &product.results[..]) else {
        return None;
    };
    let factors = [a_value, b_value];
    let mul = product.kind == Kind::Op(Op::Mul) && *value == r.yields[0];
    let both = factors.iter().all(|v| product.args.contains(v));
    let read = |by: Value| {
        let reads = |x: &&Inst| x.kind == Kind::Index && x.args.len() == 2 && x.args[1] == by;
        [a, b].into_iter().find(reads).map(|x| x.args[0])
    };
    let (u, v) = (read(*i)?, read(*j)?);
    let (x, y) = (f.shape(u), f.shape(v));
    let whole = known.same_shape(&[x.as_slice(), y.as_slice()].concat(), f.shape(inst.results[0]));
    (mul && both && x.len() == 1 && whole && f.ty(r.yields[0]).is_differentiable()).then_some((u, v))
}

/// A part of the product between two outer products: a vector, or a number in the middle.
struct Segment<'a> {
    factors: &'a [Factor],
    cuts: Vec<(Range<usize>, usize)>,
}

impl Segment<'_> {
    /// Whether it is a row times a column, perhaps with matrices between.
    fn is_number(&self) -> bool {
        matches!(self.factors, [first, .., last] if first.vector && last.vector)
    }
}

/// Writes a product in which there are outer products, if that is cheaper.
pub(super) fn product(w: &mut Rewrite, root: Value, flat: &Flat, span: Span) -> Option<()> {
    let n = flat.factors.len();
    let ends = flat.outer.iter().copied().chain([n]);
    let starts = [0].into_iter().chain(flat.outer.iter().copied());
    let segments: Vec<Segment> = (starts.zip(ends))
        .map(|(from, to)| {
            let inside = flat.cuts.iter().filter(|(r, _)| from <= r.start && r.end <= to);
            let cuts = inside.map(|(r, cut)| (r.start - from..r.end - from, cut - from)).collect();
            Segment { factors: &flat.factors[from..to], cuts }
        })
        .collect();
    let runs = w.runs.clone();
    let mut orders = Vec::new();
    let (first, last) = (&flat.factors[0], &flat.factors[n - 1]);
    // A vector is multiplied by the numbers, then by the other vector.
    let (one, all) = (Dim::constant(1), [flat.factors.as_slice(); 2]);
    let numbers = Dim::constant(segments.iter().filter(|s| s.is_number()).count() as i64);
    let scaled = if first.rows == one { &last.columns } else { &first.rows };
    let mut cost = chain::products(&runs, all, [scaled, &numbers, &one])?;
    if first.rows != one && last.columns != one {
        cost = cost.add(&chain::products(&runs, all, [&first.rows, &one, &last.columns])?)?;
    }
    for s in &segments {
        let all = Orders::of(s.factors, s.factors.len(), &runs, &s.cuts)?;
        cost = cost.add(all.cost(all.part(0..s.factors.len(), false)))?;
        orders.push(all);
    }
    if !cheaper(&cost, &w.written(flat)?) {
        return None;
    }
    let mut numbers: Vec<Value> = Vec::new();
    let mut vectors: Vec<Value> = Vec::new();
    for (s, orders) in segments.iter().zip(orders) {
        let part = orders.part(0..s.factors.len(), false);
        let v = w.make(&orders.plan(), s.factors, part, None, span);
        if w.f.ty(v).is_array() { vectors.push(v) } else { numbers.push(v) }
    }
    if let ([u, v], [_, ..]) = (vectors.as_slice(), numbers.as_slice()) {
        let scaled = w.scaled(&numbers, &[*u], None, span);
        w.scaled(&[], &[scaled, *v], Some(root), span);
    } else {
        w.scaled(&numbers, &vectors, Some(root), span);
    }
    Some(())
}

impl Rewrite<'_> {
    /// The outer product of two vectors, or one vector, or a number, times numbers.
    fn scaled(&mut self, numbers: &[Value], vectors: &[Value], result: Option<Value>, span: Span) -> Value {
        let index: Vec<Value> = vectors.iter().map(|_| self.f.fresh(Scalar::I64.into())).collect();
        let outer = std::mem::take(&mut self.out);
        let mut terms = numbers.to_vec();
        for (v, i) in vectors.iter().zip(&index) {
            let data = self.f.data(*v).inner(1);
            terms.push(self.emit(Kind::Index, &[*v, *i], data, None, span));
        }
        let mut product = terms[0];
        for (k, x) in terms.iter().enumerate().skip(1) {
            let [a, b] = [product, *x].map(|v| self.f.ty(v).scalar());
            // A number is the result itself.
            let result = result.filter(|_| vectors.is_empty() && k + 1 == terms.len());
            product = self.emit(Kind::Op(Op::Mul), &[product, *x], product_type(a, b).into(), result, span);
        }
        let insts = std::mem::replace(&mut self.out, outer);
        if vectors.is_empty() {
            self.out.extend(insts);
            return product;
        }
        let shape: Vec<Dim> = vectors.iter().flat_map(|v| self.f.shape(*v).clone()).collect();
        let data = ValueData::array(self.f.ty(product).scalar(), shape);
        let r = result.unwrap_or_else(|| self.f.fresh(data));
        self.out.push(Inst {
            kind: Kind::Build { rank: vectors.len() as u8 },
            args: Values::new(),
            results: Values::from_slice(&[r]),
            regions: vec![Region { params: index, insts, yields: vec![product] }],
            span,
        });
        r
    }
}

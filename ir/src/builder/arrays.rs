//! Instructions on arrays, and structured loops.
//!
//! The loops take closures that emit the body into the builder they are given. Where a closure does not fit, open a
//! region with [`Builder::open_with`], close it and give it to [`Builder::infer`] or [`Builder::emit`].

use super::Builder;
use crate::dims::{Dim, Shape};
use crate::module::*;
use crate::shape::Cx;
use crate::types::{Scalar, Type};

impl Builder {
    /// Appends an instruction whose results follow from operands and regions.
    ///
    /// # Panics
    /// If it does not take such operands: a bug of the caller.
    pub fn infer(&mut self, kind: Kind, args: &[Value], regions: Vec<Region>) -> Values {
        let module = Module::default();
        let cx = Cx { module: &module, values: &self.func.values, known: &self.known };
        let Some(data) = cx.infer(&kind, args, &regions) else {
            let found: Vec<&ValueData> = args.iter().map(|v| self.data(*v)).collect();
            panic!("{kind:?} does not take {found:?} (in `{}`)", self.func.name)
        };
        self.emit(kind, args, data, regions)
    }

    /// A size as a value; a variable is itself.
    pub fn size(&mut self, dim: &Dim) -> Value {
        match (dim.as_var(), dim.as_const()) {
            (Some(v), _) => v,
            (None, Some(n)) => self.constant(Const::I64(n)),
            (None, None) => self.infer(Kind::Size(Box::new(dim.clone())), &[], Vec::new())[0],
        }
    }

    /// An array of these sizes, each element being `v`, which may be an array itself.
    pub fn fill(&mut self, v: Value, sizes: &[Dim]) -> Value {
        let data = self.data(v).outer(sizes);
        self.emit(Kind::Fill, &[v], vec![data], Vec::new())[0]
    }

    /// The array of values of one type.
    pub fn pack(&mut self, values: &[Value]) -> Value {
        self.infer(Kind::Pack, values, Vec::new())[0]
    }

    /// `x[i, …]`
    pub fn index(&mut self, x: Value, index: &[Value]) -> Value {
        self.infer(Kind::Index, &[&[x], index].concat(), Vec::new())[0]
    }

    /// `x` with `x[i, …] = v`.
    pub fn update(&mut self, x: Value, v: Value, index: &[Value]) -> Value {
        self.infer(Kind::Update, &[&[x, v], index].concat(), Vec::new())[0]
    }

    /// `x` with `x[i, …] += v`.
    pub fn add_at(&mut self, x: Value, v: Value, index: &[Value]) -> Value {
        self.infer(Kind::AddAt, &[&[x, v], index].concat(), Vec::new())[0]
    }

    /// `x` with `part` added to its elements from `start` on.
    pub fn add_slice(&mut self, x: Value, part: Value, start: Value) -> Value {
        self.infer(Kind::AddSlice, &[x, part, start], Vec::new())[0]
    }

    /// `x[start .. start + len]`
    pub fn slice(&mut self, x: Value, start: Value, len: Dim) -> Value {
        let data = self.data(x).inner(1).outer(&[len]);
        self.emit(Kind::Slice, &[x, start], vec![data], Vec::new())[0]
    }

    /// `x` with `part` over its elements from `start` on.
    pub fn update_slice(&mut self, x: Value, part: Value, start: Value) -> Value {
        self.infer(Kind::UpdateSlice, &[x, part, start], Vec::new())[0]
    }

    /// The elements of `x` under another shape.
    pub fn reshape(&mut self, x: Value, shape: Shape) -> Value {
        let data = ValueData::array(self.ty(x).scalar(), shape);
        self.emit(Kind::Reshape, &[x], vec![data], Vec::new())[0]
    }

    /// A product of matrices or vectors.
    pub fn matmul(&mut self, a: Value, b: Value) -> Value {
        self.infer(Kind::MatMul, &[a, b], Vec::new())[0]
    }

    /// A matrix with its axes swapped.
    pub fn transpose(&mut self, x: Value) -> Value {
        self.infer(Kind::Transpose, &[x], Vec::new())[0]
    }

    /// Linear algebra.
    pub fn linalg(&mut self, op: LinalgOp, args: &[Value]) -> Value {
        self.infer(Kind::Linalg(op), args, Vec::new())[0]
    }

    /// Opens a region with parameters and returns them.
    pub fn open_with(&mut self, params: Vec<ValueData>) -> Vec<Value> {
        let params: Vec<Value> = params.into_iter().map(|d| self.fresh(d)).collect();
        self.open.push(Region { params: params.clone(), ..Region::default() });
        params
    }

    /// An `if` whose branches are emitted by closures that return what they yield.
    pub fn if_else(
        &mut self,
        cond: Value,
        then: impl FnOnce(&mut Builder) -> Vec<Value>,
        other: impl FnOnce(&mut Builder) -> Vec<Value>,
    ) -> Values {
        let then = self.region(Vec::new(), |b, _| then(b));
        let other = self.region(Vec::new(), |b, _| other(b));
        self.if_(cond, then, other)
    }

    /// `[element(i, …) for i in 0..n, …]`
    pub fn build(&mut self, sizes: &[Dim], element: impl FnOnce(&mut Builder, &[Value]) -> Value) -> Value {
        let index = vec![ValueData::scalar(Scalar::I64); sizes.len()];
        let body = self.region(index, |b, i| vec![element(b, i)]);
        self.build_of(sizes, body)
    }

    /// [`Self::build`] of a closed region.
    pub fn build_of(&mut self, sizes: &[Dim], body: Region) -> Value {
        let yielded = self.data(body.yields[0]);
        let inner = ValueData { ty: yielded.ty, shape: self.known.resolve_shape(&yielded.shape) };
        let kind = Kind::Build { rank: sizes.len() as u8 };
        self.emit(kind, &[], vec![inner.outer(sizes)], vec![body])[0]
    }

    /// `op(term(i) for i in lo..hi step s)`; `range` is lo, hi, s.
    pub fn reduce(
        &mut self,
        op: ReduceOp,
        range: [Value; 3],
        term: impl FnOnce(&mut Builder, Value) -> Value,
    ) -> Value {
        let body = self.region(vec![Type::I64.into()], |b, i| vec![term(b, i[0])]);
        self.infer(Kind::Reduce(op), &range, vec![body])[0]
    }

    /// The elementwise extremum of what a region yields for each of `0..n`: an array of reductions. Each is over what its element
    /// is computed from, where that can be told, so that derivatives leave out the elements that lose.
    pub fn extremum(&mut self, op: ReduceOp, n: &Dim, mut terms: Region) -> Value {
        let data = self.data(terms.yields[0]);
        if data.shape.is_empty() {
            let range = self.range(n);
            return self.infer(Kind::Reduce(op), &range, vec![terms])[0];
        }
        let shape = self.known.resolve_shape(&data.shape);
        match terms.insts.split_last_mut() {
            Some((last, before))
                if last.results[..] == terms.yields[..]
                    && matches!(last.kind, Kind::Build { .. })
                    && before.iter().all(|i| i.kind.is_small()) =>
            {
                let element = last.regions.remove(0);
                terms.insts.pop();
                terms.insts.extend(element.insts);
                terms.yields = element.yields;
                let sizes = &shape[..element.params.len()];
                self.open.push(Region { params: element.params, ..Region::default() });
                let v = self.extremum(op, n, terms);
                let body = self.close(vec![v]);
                self.build_of(sizes, body)
            }
            _ => {
                let terms = self.build_of(std::slice::from_ref(n), terms);
                let range = self.range(n);
                self.build(&shape, |b, index| {
                    let index = index.to_vec();
                    b.reduce(op, range, |b, t| b.index(terms, &[&[t], &index[..]].concat()))
                })
            }
        }
    }

    /// `for i in lo..hi step s` with carried values; `range` is lo, hi, s; the body gets i and the carries.
    pub fn for_(
        &mut self,
        range: [Value; 3],
        init: &[Value],
        body: impl FnOnce(&mut Builder, Value, &[Value]) -> Vec<Value>,
    ) -> Values {
        let index = std::iter::once(Type::I64.into());
        let params = index.chain(init.iter().map(|v| self.data(*v).clone())).collect();
        let body = self.region(params, |b, p| body(b, p[0], &p[1..]));
        self.infer(Kind::For(Loop::default()), &[&range, init].concat(), vec![body])
    }

    /// A `for` that sums and collects, of a closed region with parameters i and carries; `range` is lo, hi, step.
    pub fn for_of(&mut self, l: Loop, range: [Value; 3], init: &[Value], body: Region) -> Values {
        self.infer(Kind::For(l), &[&range, init].concat(), vec![body])
    }

    /// A `while` that collects, of closed regions: its carries, then the number of iterations and the arrays if there are
    /// any.
    pub fn while_of(&mut self, l: Loop, init: &[Value], cond: Region, body: Region) -> Values {
        if l.collects == 0 {
            return self.infer(Kind::While(l), init, vec![cond, body]);
        }
        let carries: Vec<ValueData> = init.iter().map(|v| self.data(*v).clone()).collect();
        let mut results: Values = carries.into_iter().map(|d| self.fresh(d)).collect();
        let n = self.fresh(Type::I64);
        results.push(n);
        for v in &body.yields[init.len()..] {
            let data = self.data(*v);
            let inner = ValueData { ty: data.ty, shape: self.known.resolve_shape(&data.shape) };
            results.push(self.fresh(inner.outer(&[Dim::var(n)])));
        }
        let (kind, args, span) = (Kind::While(l), init.into(), self.span());
        self.push(Inst { kind, args, results: results.clone(), regions: vec![cond, body], span });
        results
    }

    /// `while cond(carries)` with carried values.
    pub fn while_(
        &mut self,
        init: &[Value],
        cond: impl FnOnce(&mut Builder, &[Value]) -> Value,
        body: impl FnOnce(&mut Builder, &[Value]) -> Vec<Value>,
    ) -> Values {
        let params: Vec<ValueData> = init.iter().map(|v| self.data(*v).clone()).collect();
        let cond = self.region(params.clone(), |b, p| vec![cond(b, p)]);
        let body = self.region(params, body);
        self.infer(Kind::While(Loop::default()), init, vec![cond, body])
    }

    /// lo, hi, step of `0..n`.
    pub fn range(&mut self, n: &Dim) -> [Value; 3] {
        let lo = self.constant(Const::I64(0));
        let hi = self.size(n);
        [lo, hi, self.constant(Const::I64(1))]
    }

    fn region(
        &mut self,
        params: Vec<ValueData>,
        body: impl FnOnce(&mut Builder, &[Value]) -> Vec<Value>,
    ) -> Region {
        let params = self.open_with(params);
        let yields = body(self, &params);
        self.close(yields)
    }
}

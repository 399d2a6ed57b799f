//! Pairs of arrays: hi and lo are arrays of the same sizes as p.

use super::Pair;
use super::body::Twins;
use super::natives::{Native, declared};
use adc_ir::*;

impl Twins<'_> {
    /// A kind that rearranges elements, for p and for each part of the pair.
    pub(super) fn moved(&mut self, inst: &Inst) {
        self.copy(inst);
        let v = inst.results[0];
        let data = self.data(v);
        // Operands of the element type are rearranged; others are indices.
        let elem = data.ty.scalar();
        let (mut his, mut los) = (Vec::new(), Vec::new());
        for arg in &inst.args {
            let (hi, lo) = match self.func.ty(*arg).scalar() == elem {
                true => self.full(*arg),
                false => (self.p(*arg), self.p(*arg)),
            };
            his.push(hi);
            los.push(lo);
        }
        let [hi, lo] =
            [his, los].map(|args| self.a.b.emit(inst.kind.clone(), &args, vec![data.clone()], Vec::new())[0]);
        self.set_pair(v, Pair { hi, lo: Some(lo) });
    }

    /// Nested loops around `body`, one for each size, that collect its yields for all indices.
    pub(super) fn nest(
        &mut self,
        sizes: &[Dim],
        index: &mut Vec<Value>,
        body: &mut dyn FnMut(&mut Self, &[Value]) -> Vec<Value>,
    ) -> Values {
        let Some((first, rest)) = sizes.split_first() else { return body(self, index).into() };
        let range = self.a.b.range(first);
        let i = self.a.b.open_with(vec![Scalar::I64.into()])[0];
        index.push(i);
        let yields = self.nest(rest, index, body);
        index.pop();
        let region = self.a.b.close(yields.to_vec());
        self.a.b.for_of(Loop::collecting(yields.len()), range, &[], region)
    }

    /// The pair of arrays with these pairs as elements.
    pub(super) fn elements(
        &mut self,
        shape: &[Dim],
        mut element: impl FnMut(&mut Self, &[Value]) -> Pair,
    ) -> Pair {
        let outs = self.nest(shape, &mut Vec::new(), &mut |h, i| {
            let pair = element(h, i);
            let (hi, lo) = h.materialised(pair);
            vec![hi, lo]
        });
        Pair { hi: outs[0], lo: Some(outs[1]) }
    }

    /// An element of a pair.
    pub(super) fn element(&mut self, x: Pair, i: &[Value]) -> Pair {
        self.a.each(x, |b, v| b.index(v, i))
    }

    /// a + c, element by element if they are arrays.
    pub(super) fn added(&mut self, a: Pair, c: Pair) -> Pair {
        self.combined(a, c, |h, a, c| h.a.sum(Op::Add, a, c))
    }

    /// `f` of the elements of two pairs of the same shape.
    pub(super) fn combined(
        &mut self,
        a: Pair,
        c: Pair,
        mut f: impl FnMut(&mut Self, Pair, Pair) -> Pair,
    ) -> Pair {
        let shape = self.a.b.data(a.hi).shape.clone();
        if shape.is_empty() {
            return f(self, a, c);
        }
        self.elements(&shape, |h, i| {
            let (a, c) = (h.element(a, i), h.element(c, i));
            f(h, a, c)
        })
    }

    /// The old part is read, added to, and written back.
    pub(super) fn add_at(&mut self, inst: &Inst) {
        self.copy(inst);
        let [x, value, index @ ..] = inst.args.as_slice() else { unreachable!("the verifier saw it") };
        let index = self.all_p(index);
        let (hi, lo) = self.full(*x);
        let old = Pair { hi: self.a.b.index(hi, &index), lo: Some(self.a.b.index(lo, &index)) };
        let new = self.pair(*value);
        let sum = self.added(old, new);
        let (new_hi, new_lo) = self.materialised(sum);
        let hi = self.a.b.update(hi, new_hi, &index);
        let lo = self.a.b.update(lo, new_lo, &index);
        self.set_pair(inst.results[0], Pair { hi, lo: Some(lo) });
    }

    pub(super) fn add_slice(&mut self, inst: &Inst) {
        self.copy(inst);
        let [x, part, start] = [0, 1, 2].map(|k| inst.args[k]);
        let start = self.p(start);
        let (hi, lo) = self.full(x);
        let len = self.data(part).shape[0].clone();
        let old =
            Pair { hi: self.a.b.slice(hi, start, len.clone()), lo: Some(self.a.b.slice(lo, start, len)) };
        let new = self.pair(part);
        let sum = self.added(old, new);
        let (new_hi, new_lo) = self.materialised(sum);
        let hi = self.a.b.update_slice(hi, new_hi, start);
        let lo = self.a.b.update_slice(lo, new_lo, start);
        self.set_pair(inst.results[0], Pair { hi, lo: Some(lo) });
    }

    /// By the native function of matrices.
    pub(super) fn matmul(&mut self, inst: &Inst) {
        self.copy(inst);
        let [x, y] = [inst.args[0], inst.args[1]];
        let result = self.data(inst.results[0]);
        let elem = result.ty.scalar();
        let (left, right) = (self.data(x).shape, self.data(y).shape);
        let one = Dim::constant(1);
        let (rows, inner) = match left.as_slice() {
            [k] => (one.clone(), k.clone()),
            [n, k] => (n.clone(), k.clone()),
            _ => unreachable!("the verifier saw it"),
        };
        let columns = right.get(1).cloned().unwrap_or(one);
        let a = self.matrix(x, elem, [&rows, &inner]);
        let c = self.matrix(y, elem, [&inner, &columns]);
        let sizes = [rows, inner, columns];
        let pair = self.native_matrices("matmul", &sizes, &[(a, [0, 1]), (c, [1, 2])], elem, &[0, 2]);
        let pair = self.reshaped(pair, &result.shape);
        self.set_pair(inst.results[0], pair);
    }

    pub(super) fn linalg(&mut self, op: LinalgOp, inst: &Inst) {
        self.copy(inst);
        let result = self.data(inst.results[0]);
        let matrix = self.data(inst.args[0]);
        // Factors have one more row than columns.
        let n = matrix.shape.last().expect("the verifier saw it").clone();
        // The larger type of matrix and right-hand side.
        let elem = if op.has_rhs() { result.ty.scalar() } else { matrix.ty.scalar() };
        let rows = if op.is_rectangular() { &matrix.shape[0] } else { &n };
        let a = match op.is_of_factors() {
            true => self.behind_factors(inst.args[0], &n),
            false => self.matrix(inst.args[0], elem, [rows, &n]),
        };
        let pair = match op {
            LinalgOp::Lu => self.for_factors(a, &n),
            LinalgOp::Solve | LinalgOp::SolveAdjoint | LinalgOp::LuSolve | LinalgOp::LuSolveAdjoint => {
                let adjoint = matches!(op, LinalgOp::SolveAdjoint | LinalgOp::LuSolveAdjoint);
                let columns = result.shape.get(1).cloned().unwrap_or(Dim::constant(1));
                let c = self.matrix(inst.args[1], elem, [&n, &columns]);
                let name = if adjoint { LinalgOp::SolveAdjoint } else { LinalgOp::Solve }.name();
                self.native_matrices(name, &[n, columns], &[(a, [0, 0]), (c, [0, 1])], elem, &[0, 1])
            }
            LinalgOp::Cholesky | LinalgOp::Inv | LinalgOp::EighVectors => {
                self.native_matrices(op.name(), &[n], &[(a, [0, 0])], elem, &[0, 0])
            }
            LinalgOp::QrQ => {
                self.native_matrices(op.name(), &[rows.clone(), n], &[(a, [0, 1])], elem, &[0, 1])
            }
            LinalgOp::SvdValues => {
                self.native_matrices(op.name(), &[rows.clone(), n], &[(a, [0, 1])], result.ty.scalar(), &[1])
            }
            LinalgOp::SvdVectors => {
                let sizes = [rows.clone(), n, result.shape[0].clone()];
                self.native_matrices(op.name(), &sizes, &[(a, [0, 1])], elem, &[2, 1])
            }
            LinalgOp::Det | LinalgOp::LogDet => {
                self.native_matrices(op.name(), &[n], &[(a, [0, 0])], result.ty.scalar(), &[])
            }
            LinalgOp::EighValues => {
                self.native_matrices(op.name(), &[n], &[(a, [0, 0])], result.ty.scalar(), &[0])
            }
        };
        let pair = self.reshaped(pair, &result.shape);
        self.set_pair(inst.results[0], pair);
    }

    /// The matrix in place of its factors, with its last row repeated so that it has their sizes.
    fn for_factors(&mut self, a: Pair, n: &Dim) -> Pair {
        let rows = n.add(&Dim::constant(1)).expect("the verifier saw it");
        let last = n.add(&Dim::constant(-1)).expect("the verifier saw it");
        let last = self.a.b.size(&last);
        self.elements(&[rows, n.clone()], |h, i| {
            let row = h.a.b.op(Op::Min, &[i[0], last]);
            h.element(a, &[row, i[1]])
        })
    }

    /// The matrix in place of its factors.
    fn behind_factors(&mut self, factors: Value, n: &Dim) -> Pair {
        let (hi, lo) = self.full(factors);
        let pair = Pair { hi, lo: Some(lo) };
        self.elements(&[n.clone(), n.clone()], |h, i| h.element(pair, i))
    }

    /// A vector or matrix as a matrix of these sizes and elements.
    fn matrix(&mut self, v: Value, elem: Scalar, sizes: [&Dim; 2]) -> Pair {
        let (hi, lo) = self.full(v);
        let pair = Pair { hi, lo: Some(lo) };
        let pair = match self.func.ty(v).scalar() == elem {
            true => pair,
            false => {
                let shape = self.data(v).shape;
                self.elements(&shape, |h, i| {
                    let x = h.element(pair, i);
                    h.a.widened(x)
                })
            }
        };
        self.reshaped(pair, &sizes.map(Dim::clone))
    }

    /// The same elements with another shape; a single element, itself.
    fn reshaped(&mut self, x: Pair, shape: &[Dim]) -> Pair {
        if self.a.b.data(x.hi).shape == shape {
            return x;
        }
        if shape.is_empty() {
            let zero = self.a.b.constant(Const::I64(0));
            return self.element(x, &[zero, zero]);
        }
        self.a.each(x, |b, v| b.reshape(v, shape.to_vec()))
    }

    /// A native function of matrices; sizes of operands and result by position in `sizes`.
    fn native_matrices(
        &mut self,
        name: &str,
        sizes: &[Dim],
        operands: &[(Pair, [usize; 2])],
        result: Scalar,
        shape: &[usize],
    ) -> Pair {
        let mut args: Vec<Value> = sizes.iter().map(|d| self.a.b.size(d)).collect();
        let mut params = Vec::new();
        for (k, (pair, at)) in operands.iter().enumerate() {
            let (hi, lo) = self.materialised(*pair);
            let elem = self.a.b.ty(hi).scalar();
            for (part, v) in [("hi", hi), ("lo", lo)] {
                args.push(v);
                params.push((format!("{}.{part}", ["a", "b"][k]), elem, at.to_vec()));
            }
        }
        let complex = params.iter().any(|(_, elem, _)| elem.is_complex());
        let symbol = format!("dd.{}{name}", if complex { "c" } else { "" });
        let dims = match (sizes.len(), name) {
            (3, _) => &["M", "K", "N"][..],
            (2, _) => &["N", "R"],
            _ => &["N"],
        };
        let results = [(result, shape.to_vec()), (result, shape.to_vec())];
        let f = declared(self.m, Native { symbol: &symbol, dims, params, results });
        let data = ValueData::array(result, shape.iter().map(|k| sizes[*k].clone()).collect());
        let outs = self.a.b.emit(Kind::Call(f), &args, vec![data.clone(), data], Vec::new());
        Pair { hi: outs[0], lo: Some(outs[1]) }
    }
}

//! The value of a document: what its mathematics means.

use crate::expr::{Doc, Expr, Item, Iterations, Sym, Symbol};
use adc_ir::interp::{Val, eval};

use adc_ir::{Op, ReduceOp, Scalar};
use adc_jit::RuntimeMath;
use num_complex::Complex64;
use std::collections::BTreeMap;

type V = Val<f64>;

/// Evaluates with values for named symbols. `None`: no value (a function of linear algebra, a native one, an error).
pub(super) struct Eval<'a> {
    pub(super) doc: &'a Doc,
    pub(super) named: BTreeMap<Sym, V>,
    pub(super) indices: BTreeMap<Sym, i64>,
    /// Values of items at their indices; for loops the carries by iteration.
    pub(super) defs: BTreeMap<(usize, Vec<i64>), V>,
    pub(super) loops: BTreeMap<(usize, Vec<i64>), Vec<Vec<V>>>,
}

impl Eval<'_> {
    pub(super) fn expr(&mut self, e: &Expr) -> Option<V> {
        Some(match e {
            Expr::Num(c) => V::from_const(*c),
            Expr::Pi => V::Real(std::f64::consts::PI),
            Expr::Imaginary => V::Complex(Complex64::I),
            Expr::Sym(s) => match self.doc.syms[*s] {
                Symbol::Named(..) => self.named[s].clone(),
                Symbol::Index(_) => V::I64(self.indices[s]),
            },
            Expr::Def(item) => {
                let key = (*item, self.at(*item));
                if let Some(v) = self.defs.get(&key) {
                    return Some(v.clone());
                }
                let Item::Def { body, .. } = &self.doc.items[*item] else { panic!("a definition") };
                let v = self.expr(body)?;
                self.defs.insert(key, v.clone());
                v
            }
            Expr::Carry { item, place, iterations } => {
                let n = self.expr(iterations)?.i64() as usize;
                self.carries(*item, n)?[*place].clone()
            }
            Expr::Iterations(item) => {
                let Item::Loop { index, iterations: Iterations::While(condition), .. } =
                    &self.doc.items[*item]
                else {
                    panic!("a loop with a condition")
                };
                let old = self.indices.get(index).copied();
                let mut n = 0;
                loop {
                    self.indices.insert(*index, n);
                    if !self.expr(condition)?.bool() {
                        break;
                    }
                    n += 1;
                    if n > 10_000 {
                        return None;
                    }
                }
                self.restore(*index, old);
                V::I64(n)
            }
            Expr::Sum(terms) => {
                let mut sum = None;
                for (minus, e) in terms {
                    let v = self.expr(e)?;
                    sum = Some(match (sum, minus) {
                        (None, false) => v,
                        (None, true) => apply(Op::Neg, &[v])?,
                        (Some(s), false) => add(&s, &v)?,
                        (Some(s), true) => apply(Op::Sub, &[s, v])?,
                    });
                }
                sum?
            }
            Expr::Product(list) => {
                let mut product = V::I64(1);
                for e in list {
                    product = apply(Op::Mul, &[product, self.expr(e)?])?;
                }
                product
            }
            Expr::Frac(a, b) => apply(Op::Div, &[real(self.expr(a)?), real(self.expr(b)?)])?,
            Expr::Power(a, b) => {
                let (a, b) = (self.expr(a)?, self.expr(b)?);
                let op = if matches!(b, V::I64(_)) { Op::Powi } else { Op::Pow };
                apply(op, &[a, b])?
            }
            Expr::Apply(op, args) => {
                let args: Option<Vec<V>> = args.iter().map(|e| self.expr(e)).collect();
                apply(*op, &args?)?
            }
            Expr::Iverson(c) => V::I64(self.expr(c)?.bool() as i64),
            Expr::Cases(cases, other) => {
                for (e, c) in cases {
                    if self.expr(c)?.bool() {
                        return self.expr(e);
                    }
                }
                self.expr(other)?
            }
            Expr::Reduce { op, index, lo, hi, body } => {
                let (lo, hi) = (self.expr(lo)?.i64(), self.expr(hi)?.i64());
                let values = self.each(*index, lo, hi, body)?;
                reduce(*op, lo, values)?
            }
            Expr::Build(axes, body) => self.build(axes, body)?,
            Expr::Pack(list) => {
                let values: Option<Vec<V>> = list.iter().map(|e| self.expr(e)).collect();
                stack(values?)
            }
            Expr::Index(a, at) => {
                let mut a = self.expr(a)?;
                for i in at {
                    a = element(&a, self.expr(i)?.i64())?;
                }
                a
            }
            Expr::Update(add, a, v, at) => {
                let (a, v) = (self.expr(a)?, self.expr(v)?);
                let at: Option<Vec<i64>> = at.iter().map(|i| Some(self.expr(i)?.i64())).collect();
                replace(&a, &v, &at?, *add)?
            }
            Expr::MatMul(a, b) => matmul(&self.expr(a)?, &self.expr(b)?)?,
            Expr::Transpose(a) => {
                let a = self.expr(a)?;
                let V::Array(a) = &a else { return None };
                let [n, m] = [a.shape()[0], a.shape()[1]];
                let data = (0..n * m).map(|k| a.data()[k % n * m + k / n].clone());
                V::array(&[m, n], data.collect())
            }
            Expr::Norm(x) => {
                let V::Array(x) = self.expr(x)? else { return None };
                let square = |v: &V| match v {
                    V::Real(x) => x * x,
                    V::Complex(z) => z.norm_sqr(),
                    V::Bool(_) | V::I64(_) | V::Array(_) => f64::NAN,
                };
                V::Real(x.data().iter().map(square).sum::<f64>().sqrt())
            }
            Expr::Linalg(..) | Expr::Call(..) => return None,
        })
    }

    fn at(&self, item: usize) -> Vec<i64> {
        self.doc.items[item].params().iter().map(|s| self.indices[s]).collect()
    }

    fn restore(&mut self, index: Sym, old: Option<i64>) {
        match old {
            Some(n) => self.indices.insert(index, n),
            None => self.indices.remove(&index),
        };
    }

    fn carries(&mut self, item: usize, n: usize) -> Option<Vec<V>> {
        let Item::Loop { index, init, next, .. } = &self.doc.items[item] else { panic!("a loop") };
        let key = (item, self.at(item));
        if !self.loops.contains_key(&key) {
            let first: Option<Vec<V>> = init.iter().map(|e| self.expr(e)).collect();
            self.loops.insert(key.clone(), vec![first?]);
        }
        let old = self.indices.get(index).copied();
        while self.loops[&key].len() <= n {
            self.indices.insert(*index, self.loops[&key].len() as i64 - 1);
            let list: Option<Vec<V>> = next.iter().map(|e| self.expr(e)).collect();
            self.loops.get_mut(&key).expect("it is there").push(list?);
        }
        self.restore(*index, old);
        Some(self.loops[&key][n].clone())
    }

    fn each(&mut self, index: Sym, lo: i64, hi: i64, body: &Expr) -> Option<Vec<V>> {
        let old = self.indices.get(&index).copied();
        let mut out = Vec::new();
        for i in lo..hi {
            self.indices.insert(index, i);
            out.push(self.expr(body)?);
        }
        self.restore(index, old);
        Some(out)
    }

    fn build(&mut self, axes: &[(Sym, Expr)], body: &Expr) -> Option<V> {
        let Some(((index, n), rest)) = axes.split_first() else { return self.expr(body) };
        let n = self.expr(n)?.i64();
        let old = self.indices.get(index).copied();
        let mut out = Vec::new();
        for i in 0..n {
            self.indices.insert(*index, i);
            out.push(self.build(rest, body)?);
        }
        self.restore(*index, old);
        if out.is_empty() { None } else { Some(stack(out)) }
    }
}

fn real(v: V) -> V {
    if let V::I64(n) = v { V::Real(n as f64) } else { v }
}

/// An op on numbers of any types.
fn apply(op: Op, args: &[V]) -> Option<V> {
    let keeps = matches!(op, Op::Powi | Op::Polygamma | Op::DSinc);
    let all_int = args.iter().all(|v| matches!(v, V::I64(_)));
    let bools = args.iter().any(|v| matches!(v, V::Bool(_)));
    let args: Vec<V> =
        (args.iter().cloned()).map(|v| if keeps || all_int || bools { v } else { real(v) }).collect();
    // A conversion to real numbers is not written.
    let of_real = matches!(op, Op::Polygamma | Op::DSinc);
    let float = matches!(op, Op::Conj | Op::Re | Op::Im | Op::Abs2 | Op::Sqrt | Op::Exp);
    let mut args = args;
    if of_real || float {
        let last = args.pop().expect("an operand");
        args.push(real(last));
    }
    let scalar = |v: &V| match v {
        V::Bool(_) => Some(Scalar::Bool),
        V::I64(_) => Some(Scalar::I64),
        V::Real(_) => Some(Scalar::F64),
        V::Complex(_) => Some(Scalar::C128),
        // One of them is an array, the other the 0 of an empty sum of arrays.
        V::Array(_) => None,
    };
    let types: Option<Vec<adc_ir::Type>> = args.iter().map(|v| scalar(v).map(Into::into)).collect();
    let ty = op.result_type(&types?)?;
    let args: Vec<&V> = args.iter().collect();
    eval(&RuntimeMath, op, &args, ty.scalar()).ok()
}

fn add(a: &V, b: &V) -> Option<V> {
    let (V::Array(x), V::Array(y)) = (a, b) else { return apply(Op::Add, &[a.clone(), b.clone()]) };
    let data: Option<Vec<V>> = x.data().iter().zip(y.data()).map(|(a, b)| add(a, b)).collect();
    Some(V::array(x.shape(), data?))
}

fn reduce(op: ReduceOp, lo: i64, values: Vec<V>) -> Option<V> {
    let fold = |op: Op, first: Option<V>| {
        let mut values = values.iter().cloned();
        let first = first.or_else(|| values.next())?;
        values.try_fold(first, |a, b| apply(op, &[a, b]))
    };
    match op {
        ReduceOp::Sum => {
            let mut values = values.iter().cloned();
            let Some(first) = values.next() else { return Some(V::I64(0)) };
            values.try_fold(first, |a, b| add(&a, &b))
        }
        ReduceOp::Prod => fold(Op::Mul, Some(V::I64(1))),
        ReduceOp::Max => fold(Op::Max, None),
        ReduceOp::Min => fold(Op::Min, None),
        ReduceOp::Any => Some(V::Bool(values.iter().any(|v| v.bool()))),
        ReduceOp::All => Some(V::Bool(values.iter().all(|v| v.bool()))),
        ReduceOp::ArgMax | ReduceOp::ArgMin => {
            let best = if op == ReduceOp::ArgMax { fold(Op::Max, None)? } else { fold(Op::Min, None)? };
            Some(V::I64(lo + values.iter().position(|v| *v == best)? as i64))
        }
    }
}

/// An array by its elements along the first axis, of one type: literals of another type are converted.
fn stack(values: Vec<V>) -> V {
    let mut shape = vec![values.len()];
    let mut data = Vec::new();
    for v in &values {
        match v {
            V::Array(a) => {
                shape.truncate(1);
                shape.extend(a.shape());
                data.extend_from_slice(a.data());
            }
            v => data.push(v.clone()),
        }
    }
    V::array(&shape, data)
}

fn element(a: &V, i: i64) -> Option<V> {
    let V::Array(a) = a else { return None };
    let n = *a.shape().first()?;
    let i = usize::try_from(i).ok().filter(|i| *i < n)?;
    let size = a.data().len() / n;
    let part = &a.data()[i * size..][..size];
    Some(if a.shape().len() == 1 { part[0].clone() } else { V::array(&a.shape()[1..], part.to_vec()) })
}

fn replace(a: &V, v: &V, at: &[i64], plus: bool) -> Option<V> {
    let Some((i, rest)) = at.split_first() else { return if plus { add(a, v) } else { Some(v.clone()) } };
    let V::Array(array) = a else { return None };
    let n = *array.shape().first()? as i64;
    let parts: Option<Vec<V>> = (0..n)
        .map(|k| {
            let part = element(a, k)?;
            if k == *i { replace(&part, v, rest, plus) } else { Some(part) }
        })
        .collect();
    Some(stack(parts?))
}

fn matmul(a: &V, b: &V) -> Option<V> {
    let (V::Array(x), V::Array(y)) = (a, b) else { return None };
    let inner = *y.shape().first()?;
    let columns = y.data().len() / inner.max(1);
    let rows = x.data().len() / inner.max(1);
    let mut data = Vec::new();
    for r in 0..rows {
        for c in 0..columns {
            let terms = (0..inner).map(|k| {
                apply(Op::Mul, &[x.data()[r * inner + k].clone(), y.data()[k * columns + c].clone()])
            });
            let terms: Option<Vec<V>> = terms.collect();
            data.push(reduce(ReduceOp::Sum, 0, terms?)?);
        }
    }
    let shape = [&x.shape()[..x.shape().len() - 1], &y.shape()[1..]].concat();
    Some(if shape.is_empty() { data.remove(0) } else { V::array(&shape, data) })
}

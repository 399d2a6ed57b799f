//! Types and sizes of instructions: what an instruction gives for its operands, what its regions get.
//!
//! The one place that knows; verifier, printer, parser and builder ask it.

use crate::dims::{Dim, Known, elements};
use crate::module::*;
use crate::ops::Op;
use crate::types::{Scalar, Type};

/// Where the facts about values come from.
#[derive(Clone, Copy)]
pub(crate) struct Cx<'a> {
    /// The signatures of callees.
    pub module: &'a Module,
    /// Types and sizes, by [`Value`].
    pub values: &'a [ValueData],
    /// What is known of integers.
    pub known: &'a Known,
}

/// Why operands or results do not fit.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Problem {
    /// The operands should be these.
    Takes(Vec<ValueData>),
    /// There is nothing it gives for such operands.
    Refused,
    /// It takes the operands, but does not give such a result.
    Gives,
    /// In words.
    Text(&'static str),
}

type Results = Result<Option<Vec<ValueData>>, Problem>;

fn i64() -> ValueData {
    ValueData::scalar(Scalar::I64)
}

fn one(data: ValueData) -> Results {
    Ok(Some(vec![data]))
}

impl<'a> Cx<'a> {
    /// What values are; `None` if one is not in the table.
    pub fn data(&self, values: &[Value]) -> Option<Vec<&'a ValueData>> {
        values.iter().map(|v| self.values.get(v.0 as usize)).collect()
    }

    /// Whether two values are of one type and size.
    pub fn same(&self, a: &ValueData, b: &ValueData) -> bool {
        a.ty == b.ty && self.known.same_shape(&a.shape, &b.shape)
    }

    fn all_same<'b>(&self, a: &[&ValueData], b: impl ExactSizeIterator<Item = &'b ValueData>) -> bool {
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| self.same(a, b))
    }

    /// The results as far as a reader can tell them without being told; arguments of calls are not looked at.
    pub fn infer(&self, kind: &Kind, args: &[Value], regions: &[Region]) -> Option<Vec<ValueData>> {
        let yielded = || -> Option<Vec<ValueData>> {
            let data = self.data(&regions.first()?.yields)?;
            // What a size in the region is known to be may be visible outside where its value is not.
            Some(data.into_iter().map(|d| self.resolved(d)).collect())
        };
        match kind {
            Kind::Call(callee) => self.call_results(*callee, args, None),
            Kind::If => yielded(),
            Kind::For(l) if (l.sums, l.collects) != (0, 0) => {
                let carries = args.len().checked_sub(3)?;
                let n = self.known.dim(args[1]);
                let yielded = yielded()?;
                let gathered = yielded.get(carries..)?.iter().enumerate();
                let sums = l.sums as usize;
                let gathered = gathered
                    .map(|(k, d)| if k < sums { d.clone() } else { d.outer(std::slice::from_ref(&n)) });
                let carries = self.data(&args[3..])?.into_iter().cloned();
                Some(carries.chain(gathered).collect())
            }
            Kind::Reduce(op) => {
                let yielded = yielded()?;
                let [y] = yielded.as_slice() else { return None };
                let ty = op.result_type(y.ty)?;
                Some(vec![if ty.is_array() { y.clone() } else { ty.into() }])
            }
            _ if kind.has_own_shape() => None,
            _ => self.results(kind, args, &[], None).ok().flatten(),
        }
    }

    fn resolved(&self, d: &ValueData) -> ValueData {
        ValueData { ty: d.ty, shape: self.known.resolve_shape(&d.shape) }
    }

    /// What an instruction gives; `None` if only its regions say, or only `declared`, which is what it is said to give.
    /// `results` are the values it defines.
    pub fn results(
        &self,
        kind: &Kind,
        args: &[Value],
        results: &[Value],
        declared: Option<&[ValueData]>,
    ) -> Results {
        let found = self.data(args).ok_or(Problem::Refused)?;
        let takes = |wanted: Vec<ValueData>| match self.all_same(&found, wanted.iter()) {
            true => Ok(()),
            false => Err(Problem::Takes(wanted)),
        };
        match kind {
            Kind::Const(c) => {
                takes(Vec::new())?;
                one(c.scalar().into())
            }
            Kind::Op(op) => {
                let tys: Vec<Type> = found.iter().map(|d| d.ty).collect();
                one(op.result_type(&tys).ok_or(Problem::Refused)?.into())
            }
            Kind::Call(callee) => {
                let f = self.callee(*callee).ok_or(Problem::Text("calls a function that does not exist"))?;
                let dims = std::iter::repeat_n(i64(), f.dims.len());
                // Without its dimensions nothing can be said of a call's sizes.
                if found.len() < f.dims.len() {
                    return Err(Problem::Takes(dims.collect()));
                }
                let params: Option<Vec<ValueData>> = (f.params.iter())
                    .map(|p| self.at_call(f, f.values.get(p.value.0 as usize)?, args, None))
                    .collect();
                let Some(params) = params else { return Ok(None) };
                takes(dims.chain(params).collect())?;
                Ok(self.call_results(*callee, args, Some(results)))
            }
            Kind::If => {
                takes(vec![Type::BOOL.into()])?;
                Ok(None)
            }
            Kind::Assert(_) => {
                takes(vec![Type::BOOL.into()])?;
                Ok(Some(Vec::new()))
            }
            Kind::Size(_) => {
                takes(Vec::new())?;
                one(i64())
            }
            Kind::Build { .. } => {
                takes(Vec::new())?;
                Ok(None)
            }
            Kind::Reduce(_) => {
                takes(vec![i64(); 3])?;
                match self.known.dim(args[2]).as_const() {
                    Some(1..) => Ok(None),
                    _ => Err(Problem::Text("its step is not a literal of at least 1")),
                }
            }
            Kind::For(l) => {
                let carries = found.get(3..).ok_or(Problem::Takes(vec![i64(); 3]))?;
                let carries: Vec<ValueData> = carries.iter().copied().cloned().collect();
                takes([vec![i64(); 3], carries.clone()].concat())?;
                let number = |k: usize| self.known.dim(args[k]).as_const();
                if l.collects > 0 && (number(0), number(2)) != (Some(0), Some(1)) {
                    return Err(Problem::Text("collects, but does not count from 0 in steps of 1"));
                }
                self.gathered(*l, carries, None, self.known.dim(args[1]), declared)
            }
            Kind::While(l) => {
                if l.sums > 0 {
                    return Err(Problem::Text("is a `while` with sums"));
                }
                let carries: Vec<ValueData> = found.into_iter().cloned().collect();
                let count = results.get(carries.len()).map(|v| Dim::var(*v));
                let iterations = (l.collects > 0).then(i64);
                self.gathered(*l, carries, iterations, count.unwrap_or_else(|| Dim::constant(0)), declared)
            }
            kinds!(Array) => {
                let declared = match declared {
                    Some([one]) => Some(one),
                    _ => None,
                };
                Ok(self.array(kind, &found, declared)?.map(|d| vec![d]))
            }
        }
    }

    /// The results of a loop with carries; sums and what is collected only `declared` says.
    fn gathered(
        &self,
        l: Loop,
        carries: Vec<ValueData>,
        iterations: Option<ValueData>,
        n: Dim,
        declared: Option<&[ValueData]>,
    ) -> Results {
        let mut all: Vec<ValueData> = carries.into_iter().chain(iterations).collect();
        if l.sums == 0 && l.collects == 0 {
            return Ok(Some(all));
        }
        let Some(declared) = declared else { return Ok(None) };
        let (sums, collects) = (l.sums as usize, l.collects as usize);
        if declared.len() != all.len() + sums + collects {
            return Err(Problem::Text(
                "does not give as many results as it has carries, sums and collected arrays",
            ));
        }
        let (sums, collects) = declared[all.len()..].split_at(sums);
        if sums.iter().any(|d| d.ty.scalar() == Scalar::Bool) {
            return Err(Problem::Text("sums booleans"));
        }
        if collects.iter().any(|d| d.shape.is_empty()) {
            return Err(Problem::Text("collects what is no array"));
        }
        all.extend(sums.iter().cloned());
        all.extend(collects.iter().map(|d| d.inner(1).outer(std::slice::from_ref(&n))));
        Ok(Some(all))
    }

    /// Kinds on arrays, without regions.
    fn array(
        &self,
        kind: &Kind,
        args: &[&ValueData],
        declared: Option<&ValueData>,
    ) -> Result<Option<ValueData>, Problem> {
        let same = |a: &[Dim], b: &[Dim]| self.known.same_shape(a, b);
        let fits = |ok: bool| if ok { Ok(()) } else { Err(Problem::Refused) };
        // For kinds whose own sizes are those of their result.
        let gives = |ok: &dyn Fn(&ValueData) -> bool| match declared {
            None => Ok(None),
            Some(d) if ok(d) => Ok(Some(d.clone())),
            Some(_) => Err(Problem::Gives),
        };
        match (kind, args) {
            (Kind::Fill, [x]) => gives(&|d| {
                let leading = d.shape.len().checked_sub(x.shape.len());
                d.ty.scalar() == x.ty.scalar()
                    && leading.is_some_and(|n| n > 0 && same(&d.shape[n..], &x.shape))
            }),
            (Kind::Pack, [first, rest @ ..]) => {
                fits(rest.iter().all(|d| self.same(d, first)))?;
                Ok(Some(first.outer(&[Dim::constant(args.len() as i64)])))
            }
            (Kind::Index, [x, index @ ..]) => {
                fits(is_index(x, index))?;
                Ok(Some(x.inner(index.len())))
            }
            (Kind::Update | Kind::AddAt, [x, value, index @ ..]) => {
                fits(*kind == Kind::Update || x.ty.scalar() != Scalar::Bool)?;
                fits(is_index(x, index) && self.same(value, &x.inner(index.len())))?;
                Ok(Some((*x).clone()))
            }
            (Kind::Slice, [x, start]) => {
                fits(x.ty.is_array() && start.ty == Type::I64)?;
                gives(&|d| d.ty == x.ty && same(&d.shape[1..], &x.shape[1..]))
            }
            (Kind::UpdateSlice | Kind::AddSlice, [x, part, start]) => {
                fits(*kind == Kind::UpdateSlice || x.ty.scalar() != Scalar::Bool)?;
                fits(x.ty.is_array() && part.ty == x.ty && start.ty == Type::I64)?;
                fits(same(&part.shape[1..], &x.shape[1..]))?;
                Ok(Some((*x).clone()))
            }
            (Kind::Reshape, [x]) => {
                fits(x.ty.is_array())?;
                let count = |s: &[Dim]| elements(&self.known.resolve_shape(s));
                let found = count(&x.shape).ok_or(Problem::Refused)?;
                gives(&|d| {
                    let sizes = d.ty.is_array() && d.ty.scalar() == x.ty.scalar();
                    sizes && count(&d.shape).is_some_and(|n| n == found)
                })
            }
            (Kind::MatMul, [a, b]) => {
                let mul = Op::Mul.result_type(&[a.ty.scalar().into(), b.ty.scalar().into()]);
                let elem = mul.filter(|t| t.is_differentiable()).ok_or(Problem::Refused)?.scalar();
                let inner = match (a.shape.as_slice(), b.shape.as_slice()) {
                    ([.., k], [l] | [l, _]) if a.shape.len() <= 2 => self.known.same(k, l),
                    _ => false,
                };
                fits(inner)?;
                let rows = &a.shape[..a.shape.len() - 1];
                Ok(Some(ValueData::array(elem, [rows, &b.shape[1..]].concat())))
            }
            (Kind::Transpose, [x]) => match x.shape.as_slice() {
                [n, m] => Ok(Some(ValueData::array(x.ty.scalar(), vec![m.clone(), n.clone()]))),
                _ => Err(Problem::Refused),
            },
            (Kind::Linalg(op), [a, rest @ ..]) => {
                let elem = a.ty.scalar();
                let [rows, n] = a.shape.as_slice() else { return Err(Problem::Refused) };
                let sized = match op.is_of_factors() {
                    true => self.known.same(rows, &n.add(&Dim::constant(1)).ok_or(Problem::Refused)?),
                    // A matrix with fewer rows than columns may be behind an assertion that fails.
                    false => op.is_rectangular() || self.known.same(rows, n),
                };
                fits(sized && elem.is_float())?;
                match (op, rest) {
                    (op, [b]) if op.has_rhs() => {
                        let div = Op::Div.result_type(&[b.ty.scalar().into(), elem.into()]);
                        fits(matches!(b.shape.as_slice(), [k] | [k, _] if self.known.same(k, n)))?;
                        let quotient = div.ok_or(Problem::Refused)?.scalar();
                        // Factors are those of the type that is computed in.
                        fits(quotient == elem || !op.is_of_factors())?;
                        Ok(Some(ValueData::array(quotient, b.shape.clone())))
                    }
                    (LinalgOp::Lu, []) => {
                        let rows = n.add(&Dim::constant(1)).ok_or(Problem::Refused)?;
                        Ok(Some(ValueData::array(elem, vec![rows, n.clone()])))
                    }
                    (LinalgOp::Cholesky | LinalgOp::Inv | LinalgOp::EighVectors | LinalgOp::QrQ, []) => {
                        Ok(Some((*a).clone()))
                    }
                    (LinalgOp::SvdVectors, []) => {
                        let both = n.add(rows).ok_or(Problem::Refused)?;
                        Ok(Some(ValueData::array(elem, vec![both, n.clone()])))
                    }
                    (LinalgOp::EighValues | LinalgOp::SvdValues, []) => {
                        Ok(Some(ValueData::array(elem.real(), vec![n.clone()])))
                    }
                    (LinalgOp::Det, []) => Ok(Some(elem.into())),
                    (LinalgOp::LogDet, []) => Ok(Some(elem.real().into())),
                    _ => Err(Problem::Refused),
                }
            }
            _ => Err(Problem::Refused),
        }
    }

    fn callee(&self, f: FuncId) -> Option<&'a Func> {
        self.module.funcs.get(f.0 as usize)
    }

    fn call_results(
        &self,
        callee: FuncId,
        args: &[Value],
        results: Option<&[Value]>,
    ) -> Option<Vec<ValueData>> {
        let f = self.callee(callee)?;
        f.results.iter().map(|r| self.at_call(f, &r.data(), args, results)).collect()
    }

    /// A type of the callee's with the caller's sizes in it. `results`: the caller's values of the callee's results.
    fn at_call(
        &self,
        f: &Func,
        d: &ValueData,
        args: &[Value],
        results: Option<&[Value]>,
    ) -> Option<ValueData> {
        let caller = |v: Value| -> Option<Dim> {
            match f.entry_position(v) {
                Some(i) => args.get(i).map(|a| self.known.dim(*a)),
                None => {
                    let i = f.region()?.yields.iter().position(|y| *y == v)?;
                    results?.get(i).map(|r| Dim::var(*r))
                }
            }
        };
        if !d.shape.iter().flat_map(Dim::vars).all(|v| caller(v).is_some()) {
            return None;
        }
        let place = |dim: &Dim| dim.substitute(|v| caller(v).expect("checked above"));
        Some(ValueData { ty: d.ty, shape: d.shape.iter().map(place).collect::<Option<_>>()? })
    }
}

fn is_index(x: &ValueData, index: &[&ValueData]) -> bool {
    (1..=x.shape.len()).contains(&index.len()) && index.iter().all(|i| i.ty == Type::I64)
}

/// The parameters of an instruction's regions for operands that it takes.
pub(crate) fn region_params(kind: &Kind, args: &[&ValueData]) -> Vec<ValueData> {
    let carries = |from: usize| args.iter().skip(from).copied().cloned();
    match kind {
        Kind::Build { rank } => vec![i64(); *rank as usize],
        Kind::Reduce(_) => vec![i64()],
        Kind::For(_) => std::iter::once(i64()).chain(carries(3)).collect(),
        Kind::While(_) => carries(0).collect(),
        _ => Vec::new(),
    }
}

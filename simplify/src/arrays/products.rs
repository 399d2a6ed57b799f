//! Sums of products that are elements of a product of matrices become that product: `[sum(a[i, k]*b[k, j] for k) for i, j]` is `a @ b`.
//!
//! A product of matrices reads each of them a few times, not once for each element, and its derivative consists of such products.
//! A factor may be any expression of one row or column index and the index of the sum; its values are put into a matrix first.
//! Arrays of more axes are products of their parts: `[sum(a[b, i, k]*b[b, k, j] for k) for b, i, j]`.
//! With one index only, `[sum(a[k, i]*x[k] for k) for i]`, a sum over columns becomes `x @ a`. One over rows, `[sum(a[i, k]*x[k] for k) for i]`,
//! becomes `a @ x` if it is short, and in a loop, as in a recurrent network: a long one is as fast as it is, and reads the matrix together
//! with what comes next.
//!
//! In functions of the model, that is before differentiation: derivatives are made of products then. Not where a matrix would take
//! much memory that was not needed before: a product that is no array otherwise, or values of expressions that read no matrix as large.

use crate::decisions::Deciding;
use crate::loops::{merge, scan, total};
use adc_ir::dims::Known;
use adc_ir::ranges::Ranges;
use adc_ir::{Dim, Func, Inst, Kind, Loop, Op, ReduceOp, Region, Scalar, Span, Type, Value, ValueData};
use rustc_hash::{FxHashMap, FxHashSet};

/// The least a size has to be, if it is known.
const FEWEST: i64 = 8;
/// Terms of sums over rows: shorter ones are written out, and longer ones read each row once with what comes next.
const LONG: i64 = 17;
const LONGEST: i64 = 160;
/// Elements, at most, of a matrix that would be the only array of its size.
const MOST: i64 = 1 << 16;

/// Returns whether there was any.
pub(crate) fn function(f: &mut Func, deciding: &Deciding) -> bool {
    if f.origin.is_some() {
        return false;
    }
    let (known, ranges) = (Known::of(f), Ranges::of(f));
    let mut any = false;
    scan::edit(f, |body, f| {
        let mut p = Products { f, deciding, known: &known, ranges: &ranges, inside: false, any: false };
        p.region(body);
        any = p.any;
    });
    any
}

struct Products<'a> {
    f: &'a mut Func,
    deciding: &'a Deciding,
    known: &'a Known,
    ranges: &'a Ranges,
    /// Whether there is a loop around.
    inside: bool,
    any: bool,
}

/// A loop that runs over 0, 1, …: its index, how often, and whether it makes an array or writes to one.
#[derive(Clone)]
struct Axis {
    index: Value,
    size: Dim,
    stores: bool,
}

/// An array whose elements are what indices say, or the part of one at some first indices.
struct Whole {
    array: Value,
    part: Vec<Value>,
    /// Whether by the indices in order; else by the same the other way round.
    straight: bool,
}

/// Which indices a value depends on: of rows, of columns, of the sum.
type Deps = u8;
const ROW: Deps = 1;
const COLUMN: Deps = 2;
const TERM: Deps = 4;

/// A sum in loops over rows and columns, or in one over columns.
struct Nest<'r> {
    /// The loops from outside in, and the sum.
    insts: Vec<&'r Inst>,
    axes: Vec<Axis>,
    term: Axis,
    /// What is defined in them, by what defines it.
    made: FxHashMap<Value, &'r Inst>,
    /// What values depend on; nothing if they cannot be computed elsewhere.
    deps: FxHashMap<Value, Option<Deps>>,
}

impl<'r> Nest<'r> {
    fn new(insts: Vec<&'r Inst>, axes: Vec<Axis>, term: Axis) -> Nest<'r> {
        let mut deps: FxHashMap<Value, Option<Deps>> =
            insts.iter().flat_map(|i| &i.regions[0].params).map(|v| (*v, None)).collect();
        let bits = if axes.len() == 2 { &[ROW, COLUMN][..] } else { &[COLUMN] };
        deps.extend(axes.iter().zip(bits).map(|(axis, bit)| (axis.index, Some(*bit))));
        deps.insert(term.index, Some(TERM));
        let bodies = insts.iter().flat_map(|i| &i.regions[0].insts);
        let made = bodies.flat_map(|i| i.results.iter().map(move |v| (*v, i))).collect();
        Nest { insts, axes, term, made, deps }
    }

    fn sum(&self) -> &'r Inst {
        self.insts.last().expect("a sum")
    }

    /// The factors of the terms.
    fn factors(&self) -> Vec<Value> {
        let body = &self.sum().regions[0];
        let (mut factors, mut open) = (Vec::new(), vec![body.yields[0]]);
        while let Some(v) = open.pop() {
            match body.insts.iter().find(|i| i.results[..] == [v]) {
                Some(i) if i.kind == Kind::Op(Op::Mul) => open.extend(i.args.iter().rev()),
                _ => factors.push(v),
            }
        }
        factors
    }
}

impl Products<'_> {
    fn region(&mut self, r: &mut Region) {
        let mut out = Vec::with_capacity(r.insts.len());
        for mut inst in std::mem::take(&mut r.insts) {
            if inst.kind == (Kind::Build { rank: 3 })
                && let Some(nested) = self.in_batches(&inst)
            {
                self.any = true;
                out.push(nested);
                continue;
            }
            let mut elements = Vec::new();
            for path in self.sums(&inst) {
                if let Some(element) = self.element(&inst, &path, &mut out) {
                    elements.push((path, element));
                }
            }
            for (path, element) in elements {
                let (last, loops) = path.split_last().expect("a place");
                let body = loops.iter().fold(&mut inst.regions[0], |r, k| &mut r.insts[*k].regions[0]);
                body.insts[*last] = element;
                self.any = true;
            }
            let around = self.inside;
            self.inside |= inst.kind.is_loop();
            inst.regions.iter_mut().for_each(|r| self.region(r));
            self.inside = around;
            out.push(inst);
        }
        r.insts = out;
    }

    /// A comprehension over three axes as one over the first, of one over the others, if there is a product in that.
    fn in_batches(&mut self, inst: &Inst) -> Option<Inst> {
        let body = &inst.regions[0];
        let data = self.f.data(inst.results[0]);
        let matrix = ValueData::array(data.ty.scalar(), data.shape[1..].to_vec());
        let matrix = self.f.fresh(matrix);
        let region = Region { params: body.params[1..].to_vec(), ..body.clone() };
        let kind = Kind::Build { rank: 2 };
        let mut outer = Region {
            params: vec![body.params[0]],
            insts: vec![Inst { regions: vec![region], ..Inst::simple(kind, &[], matrix, inst.span) }],
            yields: vec![matrix],
        };
        let (any, around) = (std::mem::take(&mut self.any), std::mem::replace(&mut self.inside, true));
        self.region(&mut outer);
        self.inside = around;
        let found = std::mem::replace(&mut self.any, any);
        let inst = Inst { kind: Kind::Build { rank: 1 }, regions: vec![outer], ..inst.clone() };
        found.then_some(inst)
    }

    /// The places of sums in a loop, and in loops in it.
    fn sums(&self, inst: &Inst) -> Vec<Vec<usize>> {
        let is_sum = |i: &Inst| i.kind == Kind::Reduce(ReduceOp::Sum);
        let mut found = Vec::new();
        let Some(axes) = self.axes(inst) else { return found };
        for (k, inner) in inst.regions[0].insts.iter().enumerate() {
            if is_sum(inner) {
                found.push(vec![k]);
            }
            if axes.len() == 1 && self.axes(inner).is_some_and(|more| more.len() == 1) {
                let insts = inner.regions[0].insts.iter().enumerate();
                found.extend(insts.filter(|(_, i)| is_sum(i)).map(|(l, _)| vec![k, l]));
            }
        }
        found
    }

    /// The axes of a loop, if it is one over all of them.
    fn axes(&self, inst: &Inst) -> Option<Vec<Axis>> {
        if let Kind::Build { rank: 2 } = inst.kind {
            let shape = self.known.resolve_shape(self.f.shape(inst.results[0]));
            let indices = inst.regions[0].params.iter().zip(shape);
            return Some(indices.map(|(i, size)| Axis { index: *i, size, stores: true }).collect());
        }
        let stores = match inst.kind {
            Kind::Build { rank: 1 } => true,
            Kind::For(Loop { collects, .. }) => {
                collects > 0 || inst.args[3..].iter().any(|v| self.f.ty(*v).is_array())
            }
            Kind::Reduce(ReduceOp::Sum) => false,
            _ => return None,
        };
        let [lo, size, step] = merge::range(inst, self.f, self.known)?;
        let counts = (lo.as_const(), step.as_const()) == (Some(0), Some(1));
        counts.then(|| vec![Axis { index: inst.regions[0].params[0], size, stores }])
    }

    /// The element of a product that the sum at this place is. The product goes in front of the outermost loop.
    fn element(&mut self, outer: &Inst, path: &[usize], before: &mut Vec<Inst>) -> Option<Inst> {
        let (mut insts, mut axes) = (vec![outer], self.axes(outer)?);
        for (n, k) in path.iter().enumerate() {
            let inner = &insts[n].regions[0].insts[*k];
            axes.extend(self.axes(inner)?);
            insts.push(inner);
        }
        let term = axes.pop().expect("that of the sum");
        let mut nest = Nest::new(insts, axes, term);
        let (y, ty) = (nest.sum().results[0], self.f.ty(nest.sum().results[0]));
        let size = |a: &Axis| a.size.as_const();
        let outside = |v: Value| !nest.made.contains_key(&v) && !nest.deps.contains_key(&v);
        let own = |v: Value| self.f.dims.iter().any(|d| d.value == v);
        // A loop may run over less than nothing, and does nothing then. There is no such array.
        let natural = |a: &Axis| self.ranges.dim(&a.size).0 >= 0 || a.size.as_var().is_some_and(own);
        let fixed = nest.axes.iter().chain([&nest.term]).all(|a| natural(a) && a.size.vars().all(outside));
        let large = nest.axes.iter().chain([&nest.term]).all(|a| size(a).is_none_or(|n| n >= FEWEST));
        let fits = nest.axes.iter().all(|a| a.stores) || is_small(&nest.axes);
        let number = matches!(ty, Type::F64 | Type::C128) && !self.deciding.get(y);
        (fixed && large && fits && number).then_some(())?;

        let (mut left, mut right) = (Vec::new(), Vec::new());
        let (mut on_left, mut on_right) = (0, 0);
        for v in nest.factors() {
            let on = self.depends(v, &mut nest)?;
            match on & COLUMN {
                0 => (left.push(v), on_left |= on),
                _ => (right.push(v), on_right |= on),
            };
        }
        // Real factors of complex terms come last in a product.
        for side in [&mut left, &mut right] {
            side.sort_by_key(|v| self.f.ty(*v) != ty);
            (side.first().map(|v| self.f.ty(*v)) == Some(ty)).then_some(())?;
        }
        let Nest { axes, term, .. } = &nest;
        let (rows, column) = axes.split_at(axes.len() - 1);
        let apart = on_right & (ROW | TERM) == TERM && on_right & COLUMN != 0 && on_left & TERM != 0;
        (apart && (rows.is_empty() || on_left & ROW != 0)).then_some(())?;
        // Of a vector, if the matrix is there.
        let columns = [term, &column[0]];
        let matrix = self.whole(&right, &columns, &nest);
        let is_better = match term.size.as_const() {
            Some(n) => n >= LONG && (self.inside || n < LONGEST),
            None => self.inside,
        };
        match matrix {
            None if rows.is_empty() => return None,
            Some(Whole { straight: false, .. }) if rows.is_empty() && !is_better => return None,
            _ => {}
        }
        let left_axes: Vec<&Axis> = rows.iter().chain([term]).collect();
        let span = nest.sum().span;
        (self.fits(&left, &left_axes, &nest) && self.fits(&right, &columns, &nest)).then_some(())?;
        let a = self.operand(&left, &left_axes, ty, &nest, before);
        let (a, b, shape) = match matrix {
            Some(of @ Whole { straight: false, .. }) if rows.is_empty() => {
                let matrix = self.part(of, span, before);
                (matrix, a, self.f.shape(matrix)[..1].to_vec())
            }
            _ => {
                let b = self.operand(&right, &columns, ty, &nest, before);
                (a, b, [&self.f.shape(a)[..rows.len()], &self.f.shape(b)[1..]].concat())
            }
        };
        let data = ValueData::array(ty.scalar(), shape);
        let product = scan::emit(self.f, Kind::MatMul, &[a, b], data, span, before);
        let args: Vec<Value> = std::iter::once(product).chain(axes.iter().map(|a| a.index)).collect();
        Some(Inst::simple(Kind::Index, &args, y, span))
    }

    /// What a value depends on; nothing if it cannot be computed elsewhere.
    fn depends(&self, v: Value, nest: &mut Nest) -> Option<Deps> {
        if let Some(known) = nest.deps.get(&v) {
            return *known;
        }
        let mut all = Some(0);
        if let Some(inst) = nest.made.get(&v).copied() {
            let simple = matches!(inst.kind, Kind::Const(_) | Kind::Op(_) | Kind::Index | Kind::Size(_));
            let certain = simple && total::inst(inst, self.f, self.ranges);
            all = all.filter(|_| certain);
            let mut used = Vec::new();
            scan::uses(inst, self.f, &mut |v| used.push(v));
            for v in used {
                all = all.and_then(|all| Some(all | self.depends(v, nest)?));
            }
        }
        nest.deps.insert(v, all);
        all
    }

    /// The array from outside whose elements the factors are, or the part of one.
    fn whole(&self, factors: &[Value], axes: &[&Axis], nest: &Nest) -> Option<Whole> {
        let [v] = factors else { return None };
        let inst = nest.made.get(v).filter(|i| i.kind == Kind::Index)?;
        let (array, index) = inst.args.split_first()?;
        let (before, index) = index.split_at(index.len().checked_sub(axes.len())?);
        // Or from the loops around, whose values depend on nothing in here.
        let outside =
            |v: &Value| !nest.made.contains_key(v) && nest.deps.get(v).is_none_or(|d| *d == Some(0));
        let (places, shape) = self.f.shape(*array).split_at(before.len());
        let there = before.iter().chain([array]).all(outside) && self.ranges.inside(places, before);
        (there && shape.len() == axes.len()).then_some(())?;
        let is = |k: usize, axis: &Axis| index[k] == axis.index && self.known.same(&shape[k], &axis.size);
        let last = axes.len() - 1;
        let straight = axes.iter().enumerate().all(|(k, axis)| is(k, axis));
        let turned = axes.iter().enumerate().all(|(k, axis)| is(last - k, axis));
        (straight || turned).then(|| Whole { array: *array, part: before.to_vec(), straight })
    }

    /// The part of an array that is a matrix or vector.
    fn part(&mut self, of: Whole, span: Span, out: &mut Vec<Inst>) -> Value {
        if of.part.is_empty() {
            return of.array;
        }
        let data = self.f.data(of.array).clone();
        let data = ValueData::array(data.ty.scalar(), data.shape[of.part.len()..].to_vec());
        scan::emit(self.f, Kind::Index, &[&[of.array], &of.part[..]].concat(), data, span, out)
    }

    /// Whether the values of factors by these indices take no more memory than what they read, or little.
    fn fits(&self, factors: &[Value], axes: &[&Axis], nest: &Nest) -> bool {
        let reads = |v: &Value| {
            let inst = nest.made[v];
            inst.kind == Kind::Index && axes.iter().all(|a| inst.args[1..].contains(&a.index))
        };
        is_small(axes.iter().copied()) || needed(factors, nest, self.f).iter().any(reads)
    }

    /// The array of a product of factors, by these indices.
    fn operand(
        &mut self,
        factors: &[Value],
        axes: &[&Axis],
        ty: Type,
        nest: &Nest,
        out: &mut Vec<Inst>,
    ) -> Value {
        let span = nest.sum().span;
        if let Some(of) = self.whole(factors, axes, nest) {
            let straight = of.straight;
            let array = self.part(of, span, out);
            if !straight {
                let shape = self.f.shape(array).iter().rev().cloned().collect();
                let data = ValueData::array(ty.scalar(), shape);
                return scan::emit(self.f, Kind::Transpose, &[array], data, span, out);
            }
            return array;
        }
        let needed = needed(factors, nest, self.f);
        let params: Vec<Value> = axes.iter().map(|_| self.f.fresh(Scalar::I64.into())).collect();
        let mut names: FxHashMap<Value, Value> =
            axes.iter().map(|a| a.index).zip(params.iter().copied()).collect();
        let mut insts = Vec::new();
        for inst in nest.insts.iter().flat_map(|i| &i.regions[0].insts) {
            let Some(v) = inst.results.first().filter(|v| needed.contains(v)) else { continue };
            let name = |v: Value| names.get(&v).copied().unwrap_or(v);
            let args: Vec<Value> = inst.args.iter().map(|v| name(*v)).collect();
            let kind = match &inst.kind {
                Kind::Size(size) => Kind::Size(Box::new(size.rename(name))),
                kind => kind.clone(),
            };
            let data = self.f.data(*v).clone();
            let copy = scan::emit(self.f, kind, &args, data, inst.span, &mut insts);
            names.insert(*v, copy);
        }
        let mut values = factors.iter().map(|v| names.get(v).copied().unwrap_or(*v));
        let first = values.next().expect("a factor");
        let y = values.fold(first, |product, v| {
            scan::emit(self.f, Kind::Op(Op::Mul), &[product, v], ty.into(), span, &mut insts)
        });
        let shape: Vec<Dim> = axes.iter().map(|a| a.size.clone()).collect();
        let array = self.f.fresh(ValueData::array(ty.scalar(), shape));
        let kind = Kind::Build { rank: axes.len() as u8 };
        let regions = vec![Region { params, insts, yields: vec![y] }];
        out.push(Inst { regions, ..Inst::simple(kind, &[], array, span) });
        array
    }
}

/// Whether so many elements take little memory.
fn is_small<'a>(axes: impl IntoIterator<Item = &'a Axis>) -> bool {
    let elements = axes.into_iter().try_fold(1i64, |n, a| n.checked_mul(a.size.as_const()?));
    elements.is_some_and(|n| n <= MOST)
}

/// What factors are computed from, and they themselves.
fn needed(factors: &[Value], nest: &Nest, f: &Func) -> FxHashSet<Value> {
    let mut found: FxHashSet<Value> = FxHashSet::default();
    let mut open = factors.to_vec();
    while let Some(v) = open.pop() {
        if let Some(inst) = nest.made.get(&v).filter(|_| found.insert(v)) {
            scan::uses(inst, f, &mut |v| open.push(v));
        }
    }
    found
}

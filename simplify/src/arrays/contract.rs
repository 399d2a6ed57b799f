//! The products of a function, each as the list of its factors, and what they become.

use super::chain::{self, Factor, How, MOST, Orders, Part, Plan};
use super::{outer, trace};
use crate::decisions::Deciding;
use adc_ir::dims::{Known, elements};
use adc_ir::{Body, Const, Dim, Func, Inst, Kind, Op, Region, Scalar, Span, Type, Value, ValueData, Values};
use rustc_hash::FxHashMap;
use std::ops::Range;

pub(super) fn function(f: &mut Func, deciding: &Deciding) {
    let known = Known::of(f);
    let mut products = Products::of(f, &known);
    if products.defs.is_empty() {
        return;
    }
    let Body::Region(body) = &mut f.body else { return };
    let mut body = std::mem::take(body);
    let depth = vec![0; f.values.len()];
    let runs = vec![Dim::constant(1)];
    let mut w = Rewrite { f, known, products: &mut products, deciding, out: Vec::new(), depth, runs };
    w.region(&mut body);
    f.body = Body::Region(body);
}

/// A product or a transposed matrix.
#[derive(Clone, Copy)]
pub(super) enum Def {
    Product(Value, Value),
    /// Of two vectors, a matrix.
    Outer(Value, Value),
    Turned(Value),
}

/// What a function's products are made of.
pub(super) struct Products {
    defs: FxHashMap<Value, Def>,
    /// By value: how often it is used.
    uses: Vec<u32>,
    /// Products that are a part of another one and nothing else, and what is transposed between the two.
    inner: Vec<bool>,
    /// Products of which only the trace is needed.
    traced: Vec<bool>,
}

/// A value that is a product, in which region, and of how many factors.
struct Size {
    region: usize,
    factors: usize,
}

impl Products {
    fn of(f: &Func, known: &Known) -> Products {
        let n = f.values.len();
        let mut p = Products {
            defs: FxHashMap::default(),
            uses: vec![0; n],
            inner: vec![false; n],
            traced: vec![false; n],
        };
        if let Some(body) = f.region() {
            p.count(body, f, known);
            p.region(body, f, &mut 0, &mut FxHashMap::default());
        }
        p
    }

    fn count(&mut self, r: &Region, f: &Func, known: &Known) {
        for inst in &r.insts {
            inst.args.iter().for_each(|v| self.uses[v.0 as usize] += 1);
            inst.regions.iter().for_each(|r| self.count(r, f, known));
            match inst.kind {
                Kind::MatMul => {
                    self.defs.insert(inst.results[0], Def::Product(inst.args[0], inst.args[1]));
                }
                Kind::Transpose => {
                    self.defs.insert(inst.results[0], Def::Turned(inst.args[0]));
                }
                Kind::Build { .. } => {
                    if let Some((u, v)) = outer::of(inst, f, known) {
                        self.defs.insert(inst.results[0], Def::Outer(u, v));
                    }
                }
                _ => {}
            }
        }
        r.yields.iter().for_each(|v| self.uses[v.0 as usize] += 1);
    }

    /// Finds the products that are parts of others in the same region.
    fn region(&mut self, r: &Region, f: &Func, last: &mut usize, sizes: &mut FxHashMap<Value, Size>) {
        let region = *last;
        for inst in &r.insts {
            for nested in &inst.regions {
                *last += 1;
                self.region(nested, f, last, sizes);
            }
            match inst.kind {
                Kind::MatMul => {
                    let mut factors = 0;
                    for v in &inst.args {
                        let found = self.inside(*v, region, sizes);
                        // One factor is left for the other operand.
                        let (n, path) = found.filter(|(n, _)| factors + n < MOST).unwrap_or((1, Vec::new()));
                        factors += n;
                        path.into_iter().for_each(|v| self.inner[v.0 as usize] = true);
                    }
                    sizes.insert(inst.results[0], Size { region, factors });
                }
                Kind::Transpose => {
                    sizes.insert(inst.results[0], Size { region, factors: 1 });
                    // What is transposed is a product in the other order.
                    if let Some((_, path)) = self.inside(inst.args[0], region, sizes) {
                        path.into_iter().for_each(|v| self.inner[v.0 as usize] = true);
                    }
                }
                Kind::Reduce(_) => {
                    if let Some(p) = trace::of(inst, f)
                        && let Some((_, path)) = self.inside(p, region, sizes)
                        && path == [p]
                    {
                        self.traced[p.0 as usize] = true;
                    }
                }
                _ => {}
            }
        }
    }

    /// How many factors the product has that a value is, or is the transposed of; and that product with what is
    /// between, if nobody else needs them.
    fn inside(&self, v: Value, region: usize, sizes: &FxHashMap<Value, Size>) -> Option<(usize, Vec<Value>)> {
        let (mut v, mut path) = (v, Vec::new());
        loop {
            let def = self.defs.get(&v)?;
            if let Def::Outer(..) = def {
                // Two vectors, which are there whoever else needs the matrix.
                return Some((2, path));
            }
            let size = sizes.get(&v).filter(|s| s.region == region && self.uses[v.0 as usize] == 1)?;
            path.push(v);
            match def {
                Def::Product(..) => return Some((size.factors, path)),
                Def::Outer(..) => unreachable!("looked at above"),
                Def::Turned(x) => v = *x,
            }
        }
    }

    /// Whether it is a product under transpositions.
    fn is_product(&self, v: Value) -> bool {
        match self.defs.get(&v) {
            Some(Def::Product(..)) => true,
            Some(Def::Turned(x)) => self.is_product(*x),
            Some(Def::Outer(..)) | None => false,
        }
    }
}

/// A product as the list of its factors, with its parts and where they are cut.
#[derive(Default)]
pub(super) struct Flat {
    pub(super) factors: Vec<Factor>,
    pub(super) cuts: Vec<(Range<usize>, usize)>,
    /// Where the second vector of an outer product stands.
    pub(super) outer: Vec<usize>,
    /// What is transposed as it is written.
    moved: Vec<Value>,
}

/// The walk over a function.
pub(super) struct Rewrite<'a> {
    pub(super) f: &'a mut Func,
    known: Known,
    products: &'a mut Products,
    deciding: &'a Deciding,
    /// The region being written.
    pub(super) out: Vec<Inst>,
    /// By value: how many loops it is in.
    depth: Vec<usize>,
    /// How often the innermost of so many loops runs, beginning with none.
    pub(super) runs: Vec<Dim>,
}

impl Rewrite<'_> {
    fn region(&mut self, r: &mut Region) {
        let outer = std::mem::take(&mut self.out);
        self.define(&r.params);
        for mut inst in std::mem::take(&mut r.insts) {
            let runs = self.runs.len();
            if inst.kind.is_loop() {
                let iterations = self.iterations(&inst);
                let all = iterations.mul(&self.runs[runs - 1]);
                self.runs.push(all.unwrap_or(iterations));
            }
            for nested in &mut inst.regions {
                self.region(nested);
            }
            self.runs.truncate(runs);
            self.define(&inst.results);
            if !self.rewritten(&inst) {
                self.out.push(inst);
            }
        }
        r.insts = std::mem::replace(&mut self.out, outer);
    }

    fn define(&mut self, values: &[Value]) {
        self.depth.resize(self.f.values.len(), 0);
        values.iter().for_each(|v| self.depth[v.0 as usize] = self.runs.len() - 1);
    }

    /// How many iterations a loop has; where nobody knows, a variable that stands for nothing else.
    fn iterations(&self, inst: &Inst) -> Dim {
        let known = || match &inst.kind {
            Kind::Build { rank } => {
                elements(&self.known.resolve_shape(&self.f.shape(inst.results[0])[..*rank as usize]))
            }
            Kind::Reduce(_) | Kind::For(_) => {
                let [lo, hi, step] = [0, 1, 2].map(|k| self.number(inst.args[k]));
                let all = hi.sub(&lo)?;
                match (all.as_const(), step.as_const()?) {
                    (_, 1) => Some(all),
                    (Some(n), step) if step > 0 => Some(Dim::constant(n.max(0) / step + 1)),
                    _ => None,
                }
            }
            _ => None,
        };
        known().unwrap_or_else(|| Dim::var(Value(u32::MAX - self.runs.len() as u32)))
    }

    /// Writes something better in the place of an instruction, if there is something.
    fn rewritten(&mut self, inst: &Inst) -> bool {
        if inst.results.iter().any(|r| self.deciding.get(*r)) {
            return false;
        }
        match &inst.kind {
            Kind::MatMul | Kind::Transpose => {
                let root = inst.results[0];
                let p = &self.products;
                // The trace looks at its product itself, unless there are outer products in it.
                let traced = || p.traced[root.0 as usize] && self.flat(root).outer.is_empty();
                !p.inner[root.0 as usize] && !traced() && self.product(inst, root).is_some()
            }
            Kind::Reduce(_) => match trace::of(inst, self.f) {
                Some(p) if self.products.traced[p.0 as usize] => trace::rewrite(self, inst, p).is_some(),
                _ => false,
            },
            _ => false,
        }
    }

    fn product(&mut self, inst: &Inst, root: Value) -> Option<()> {
        let flat = self.flat(root);
        if flat.factors.len() < 2 {
            return None;
        }
        if !flat.outer.is_empty() {
            return outer::product(self, root, &flat, inst.span);
        }
        let all = 0..flat.factors.len();
        let orders = Orders::of(&flat.factors, all.end, &self.runs, &flat.cuts)?;
        let whole = orders.part(all, false);
        if !chain::cheaper(orders.cost(whole), &self.written(&flat)?) {
            return None;
        }
        let plan = orders.plan();
        self.make(&plan, &flat.factors, whole, Some(root), inst.span);
        Some(())
    }

    /// The factors of a product.
    pub(super) fn flat(&self, root: Value) -> Flat {
        let mut flat = Flat::default();
        let column = match self.products.defs.get(&root) {
            // What a product of a vector and a matrix gives is a row.
            Some(Def::Product(a, b)) => self.f.ty(*a).rank() > 1 || self.f.ty(*b).rank() == 1,
            _ => true,
        };
        self.flatten(root, true, !column, true, &mut flat);
        flat
    }

    /// Adds the factors of `v`, or of its transposed if it is `transposed`. A vector is a column, if it is `transposed` a row. `own`:
    /// nobody else needs what it is for.
    fn flatten(&self, v: Value, root: bool, transposed: bool, own: bool, flat: &mut Flat) {
        let p = &self.products;
        let own = own && (root || p.uses[v.0 as usize] == 1);
        match p.defs.get(&v) {
            // A transposed matrix may be needed by others, too, unless it is of a product, which would be made twice.
            Some(Def::Turned(x)) if root || p.inner[v.0 as usize] || !p.is_product(*x) => {
                flat.moved.push(v);
                self.flatten(*x, false, !transposed, own, flat);
            }
            Some(Def::Product(a, b)) if root || p.inner[v.0 as usize] => {
                let rank = |v: Value| self.f.ty(v).rank();
                let from = flat.factors.len();
                // A vector on the left stands as a row: then the product is a row that is asked for as a column, or not.
                let (first, second, iteration) = match (rank(*a), rank(*b)) {
                    (1, 2) if transposed => (*a, *b, false),
                    (1, 2) => (*b, *a, true),
                    _ if transposed => (*b, *a, true),
                    _ => (*a, *b, false),
                };
                let as_row = |v: Value, left: bool| if rank(v) == 1 { left } else { iteration };
                self.flatten(first, false, as_row(first, true), own, flat);
                let cut = flat.factors.len();
                self.flatten(second, false, as_row(second, false), own, flat);
                flat.cuts.push((from..flat.factors.len(), cut));
            }
            Some(Def::Outer(a, b)) => {
                let (a, b) = if transposed { (*b, *a) } else { (*a, *b) };
                let from = flat.factors.len();
                flat.factors.push(self.factor(a, false));
                flat.factors.push(self.factor(b, true));
                flat.outer.push(from + 1);
                if own {
                    flat.cuts.push((from..from + 2, from + 1));
                }
            }
            _ => flat.factors.push(self.factor(v, transposed)),
        }
    }

    fn factor(&self, v: Value, transposed: bool) -> Factor {
        let data = self.f.data(v);
        let shape: Vec<Dim> = self.known.resolve_shape(&data.shape);
        let (rows, columns) = match shape.as_slice() {
            [n] => (n.clone(), Dim::constant(1)),
            [n, m] => (n.clone(), m.clone()),
            _ => unreachable!("products are of vectors and matrices"),
        };
        let (rows, columns) = if transposed { (columns, rows) } else { (rows, columns) };
        let vector = shape.len() == 1;
        Factor {
            value: v,
            transposed: transposed && !vector,
            rows,
            columns,
            vector,
            elem: data.ty.scalar(),
            depth: self.depth[v.0 as usize],
        }
    }

    /// What a product costs as it is written.
    pub(super) fn written(&self, flat: &Flat) -> Option<Dim> {
        let mut cost = Dim::constant(0);
        for (range, cut) in &flat.cuts {
            cost = cost.add(&chain::multiply(&self.runs, &flat.factors, range.clone(), *cut)?)?;
        }
        for v in &flat.moved {
            let shape = self.known.resolve_shape(self.f.shape(*v));
            let users = self.products.uses[v.0 as usize].max(1);
            let moved = chain::moved(&shape[0], &shape[1], users)?;
            cost = cost.add(&moved.mul(&self.runs[self.depth[v.0 as usize]])?)?;
        }
        Some(cost)
    }

    /// Writes the instructions that make a part, of which the last gives `result`.
    pub(super) fn make(
        &mut self,
        plan: &Plan,
        factors: &[Factor],
        part: Part,
        result: Option<Value>,
        span: Span,
    ) -> Value {
        match plan.how(part) {
            How::Factor => factors[part.from].value,
            How::Iteration => {
                let other = Part { transposed: !part.transposed, ..part };
                let x = self.make(plan, factors, other, None, span);
                let mut shape = self.f.shape(x).clone();
                shape.reverse();
                let data = ValueData::array(self.f.ty(x).scalar(), shape);
                self.emit(Kind::Transpose, &[x], data, result, span)
            }
            How::Product(a, b) => {
                let a = self.make(plan, factors, a, None, span);
                let b = self.make(plan, factors, b, None, span);
                let (x, y) = (self.f.data(a), self.f.data(b));
                let elem = product_type(x.ty.scalar(), y.ty.scalar());
                let shape = [&x.shape[..x.shape.len() - 1], &y.shape[1..]].concat();
                self.emit(Kind::MatMul, &[a, b], ValueData::array(elem, shape), result, span)
            }
        }
    }

    /// An integer as the number or polynomial that is known of it.
    pub(super) fn number(&self, v: Value) -> Dim {
        self.known.dim(v)
    }

    /// Appends an instruction.
    pub(super) fn emit(
        &mut self,
        kind: Kind,
        args: &[Value],
        data: ValueData,
        result: Option<Value>,
        span: Span,
    ) -> Value {
        let r = result.unwrap_or_else(|| self.f.fresh(data));
        let results = Values::from_slice(&[r]);
        self.out.push(Inst { kind, args: args.into(), results, regions: Vec::new(), span });
        r
    }

    /// Appends a sum over 0 ≤ i < n of what `term` writes for i.
    pub(super) fn sum(
        &mut self,
        n: &Dim,
        result: Option<Value>,
        span: Span,
        term: impl FnOnce(&mut Self, Value) -> Value,
    ) -> Value {
        let lo = self.int(0, span);
        let hi = match (n.as_const(), n.as_var()) {
            (Some(n), _) => self.int(n, span),
            (_, Some(v)) => v,
            (None, None) => self.emit(Kind::Size(Box::new(n.clone())), &[], Scalar::I64.into(), None, span),
        };
        let step = self.int(1, span);
        let i = self.f.fresh(Scalar::I64.into());
        let outer = std::mem::take(&mut self.out);
        let y = term(self, i);
        let insts = std::mem::replace(&mut self.out, outer);
        let r = result.unwrap_or_else(|| self.f.fresh(self.f.data(y).clone()));
        self.out.push(Inst {
            kind: Kind::Reduce(adc_ir::ReduceOp::Sum),
            args: Values::from_slice(&[lo, hi, step]),
            results: Values::from_slice(&[r]),
            regions: vec![Region { params: vec![i], insts, yields: vec![y] }],
            span,
        });
        r
    }

    fn int(&mut self, n: i64, span: Span) -> Value {
        self.emit(Kind::Const(Const::I64(n)), &[], Scalar::I64.into(), None, span)
    }
}

/// The type of a product of numbers of two types.
pub(super) fn product_type(a: Scalar, b: Scalar) -> Scalar {
    let ty = Op::Mul.result_type(&[Type::Scalar(a), Type::Scalar(b)]);
    ty.expect("a product of the two is there").scalar()
}

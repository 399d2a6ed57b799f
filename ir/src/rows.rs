//! Functions that are sums over rows, block by block.
//!
//! [`by_rows`] proves that a function is a sum over the leading axis of some parameters, each term of one row alone, plus terms that
//! depend on no row, times factors that depend on no row; and makes the function of a block of rows whose values add up to it. Two
//! parameters say where a block belongs: how many rows there are in all, and whether it is the first, which has the terms that
//! depend on no row. What is not such a sum is refused, at the instruction that stands in the way.

use crate::codes::Code;
use crate::diag::{Diagnostic, Span};
use crate::dims::Dim;
use crate::module::*;
use crate::ops::Op;
use crate::types::{Scalar, Type};
use rustc_hash::FxHashMap;

/// The parameter that says how many rows there are in all.
pub const TOTAL: &str = "rows_total";
/// The parameter that says whether a block is the first.
pub const FIRST: &str = "rows_first";

/// The function of a block of rows. `rows` are the parameters with a row each along their first axis. Calls were inlined as far as
/// possible.
///
/// # Errors
/// [`Code::NotASum`]
pub fn by_rows(f: &Func, rows: &[usize]) -> Result<Func, Diagnostic> {
    let sized = |i: usize| f.shape(f.params[i].value).first().and_then(Dim::as_var);
    let refuse = |span: Span, what: String| refusal(span, what);
    let Some(first) = rows.first() else {
        return Err(refuse(f.span, "no parameter is said to have rows".into()));
    };
    let dim = sized(*first).and_then(|v| f.dims.iter().find(|d| d.value == v));
    let Some(dim) = dim else {
        let p = &f.params[*first];
        return Err(refuse(
            p.span,
            format!("the first size of `{}` is no dimension of the function", p.name),
        ));
    };
    let n = dim.value;
    let mut out = f.clone();
    let (name, class, literals) = (dim.name.clone(), FxHashMap::default(), FxHashMap::default());
    let (counts, sizes, values) = (vec![n], FxHashMap::default(), Vec::new());
    let mut pass = Pass { n, name, class, total: n, first: n, literals, counts, sizes, flat: None, values };
    for (i, p) in f.params.iter().enumerate() {
        let shape = f.shape(p.value);
        let marked = rows.contains(&i);
        if marked && (sized(i) != Some(n) || shape[1..].iter().any(|d| d.vars().any(|v| v == n))) {
            return Err(refuse(
                p.span,
                format!("the rows of `{}` are not counted by `{}`", p.name, dim.name),
            ));
        }
        if !marked && shape.iter().any(|d| d.vars().any(|v| v == n)) {
            let what = format!("`{}` has `{}` entries, too, but is not among the rows", p.name, dim.name);
            return Err(refuse(p.span, what));
        }
        pass.class.insert(p.value, if marked { Class::Rows(0) } else { Class::Whole });
    }
    for (name, ty) in [(TOTAL, Scalar::I64), (FIRST, Scalar::Bool)] {
        if out.params.iter().any(|p| p.name == name) {
            return Err(refuse(f.span, format!("a parameter is called `{name}`")));
        }
        let value = out.fresh(ValueData::scalar(ty));
        let param = Param {
            value,
            name: name.into(),
            role: None,
            nodiff: false,
            linear: false,
            domain: None,
            span: f.span,
        };
        out.params.push(param);
    }
    let [.., total, is_first] = &out.params[..] else { unreachable!("two were pushed") };
    (pass.total, pass.first) = (total.value, is_first.value);
    let Body::Region(mut region) = std::mem::replace(&mut out.body, Body::Region(Region::default())) else {
        return Err(refuse(f.span, "it is no function of the model itself".into()));
    };
    pass.values = std::mem::take(&mut out.values);
    pass.region(&mut region, false)?;
    // The results: sums as they are, the rest in the first block only.
    let yields = std::mem::take(&mut region.yields);
    let mut insts = Vec::new();
    for (v, r) in yields.iter().zip(&f.results) {
        let class = pass.of(*v);
        let what = |what: &str| refuse(f.span, format!("result `{}` {what}", r.name));
        region.yields.push(match class {
            Class::Sum => *v,
            Class::Whole if r.ty.is_differentiable() => pass.in_first(*v, &mut insts, f.span),
            Class::Whole => return Err(what("is discrete and cannot be added up")),
            Class::Rows(_) | Class::Flat => return Err(what("has an entry for each row")),
            Class::Local | Class::Index => unreachable!("nothing inside of a loop is a result"),
        });
    }
    region.insts.append(&mut insts);
    out.values = pass.values;
    out.body = Body::Region(region);
    out.rules.clear();
    Ok(out)
}

fn refusal(span: Span, what: String) -> Diagnostic {
    Diagnostic::error(Code::NotASum, format!("this is not a sum over rows: {what}"))
        .label(span, "here")
        .help("each term may look at one row only; sums over rows may be added, and multiplied by what depends on no row")
}

/// How a value depends on the rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    /// On none of them, at most on their number: the same in each block.
    Whole,
    /// An array with an entry for each row along this axis, which depends on that row.
    Rows(usize),
    /// The entries of such an array of several axes, one after the other.
    Flat,
    /// Inside of a loop over rows: on the row at hand.
    Local,
    /// The number of the row at hand.
    Index,
    /// A sum over all rows, of which a block has its part.
    Sum,
}

struct Pass {
    /// The number of rows, and its name.
    n: Value,
    name: String,
    class: FxHashMap<Value, Class>,
    total: Value,
    first: Value,
    /// Integer literals.
    literals: FxHashMap<Value, i64>,
    /// The number of rows by other names.
    counts: Vec<Value>,
    /// Sizes made of the number of rows.
    sizes: FxHashMap<Value, Dim>,
    /// In a loop over flat entries, how many there are.
    flat: Option<Dim>,
    /// Of the function.
    values: Vec<ValueData>,
}

impl Pass {
    fn of(&self, v: Value) -> Class {
        self.class.get(&v).copied().unwrap_or(Class::Whole)
    }

    fn shape(&self, v: Value) -> &[Dim] {
        &self.values[v.0 as usize].shape
    }

    /// The axis of an array that counts rows; `None` if there is none.
    fn row_axis(&self, v: Value, span: Span) -> Result<Option<usize>, Diagnostic> {
        let with = |d: &Dim| d.vars().any(|v| v == self.n);
        let axes: Vec<usize> = (0..self.shape(v).len()).filter(|a| with(&self.shape(v)[*a])).collect();
        match axes[..] {
            [] => Ok(None),
            [a] if self.shape(v)[a].as_var() == Some(self.n) => Ok(Some(a)),
            _ => Err(refusal(
                span,
                format!("an array has a size made of `{}` that is not just that", self.name),
            )),
        }
    }

    /// In the first block a value, in others 0.
    fn in_first(&mut self, v: Value, insts: &mut Vec<Inst>, span: Span) -> Value {
        let data = self.values[v.0 as usize].clone();
        let mut push = |pass: &mut Pass, kind: Kind, args: &[Value], data: ValueData| {
            pass.values.push(data);
            let new = Value(pass.values.len() as u32 - 1);
            insts.push(Inst {
                kind,
                args: args.into(),
                results: [new][..].into(),
                regions: Vec::new(),
                span,
            });
            new
        };
        let elem = data.ty.scalar();
        let zero = push(self, Kind::Const(Const::zero(elem)), &[], ValueData::scalar(elem));
        let new = match data.ty {
            Type::Scalar(_) => push(self, Kind::Op(Op::Select), &[self.first, v, zero], data),
            Type::Array(..) => {
                // A branch each: the array as it is, or one of zeros.
                let filled = push(self, Kind::Fill, &[zero], data.clone());
                let yields = |v: Value| Region { yields: vec![v], ..Region::default() };
                self.values.push(data);
                let new = Value(self.values.len() as u32 - 1);
                let regions = vec![yields(v), yields(filled)];
                insts.push(Inst {
                    kind: Kind::If,
                    args: [self.first][..].into(),
                    results: [new][..].into(),
                    regions,
                    span,
                });
                new
            }
        };
        self.class.insert(new, Class::Sum);
        new
    }

    /// Runs over a region. `inside` is whether it is in a loop over rows.
    fn region(&mut self, region: &mut Region, inside: bool) -> Result<(), Diagnostic> {
        for mut inst in std::mem::take(&mut region.insts) {
            let mut before = Vec::new();
            match &inst.kind {
                Kind::Const(Const::I64(k)) => drop(self.literals.insert(inst.results[0], *k)),
                Kind::Size(dim) if dim.as_var() == Some(self.n) => self.counts.push(inst.results[0]),
                Kind::Size(dim) if dim.vars().any(|v| v == self.n) => {
                    self.sizes.insert(inst.results[0], (**dim).clone());
                }
                _ => {}
            }
            let class = match inside {
                true => self.local(&mut inst)?,
                false => self.outer(&mut inst, &mut before)?,
            };
            for v in inst.results.iter() {
                self.class.insert(*v, class);
            }
            region.insts.append(&mut before);
            region.insts.push(inst);
        }
        Ok(())
    }

    /// Numbers of rows that are used as numbers are those of all rows.
    fn number(&self, inst: &mut Inst) {
        let to = |v: Value| if v == self.n { self.total } else { v };
        inst.args.iter_mut().for_each(|v| *v = to(*v));
        if let Kind::Size(dim) = &mut inst.kind {
            **dim = dim.rename(to);
        }
    }

    /// Whether a loop counts rows: from 0 to their number in steps of 1.
    fn counts_rows(&self, inst: &Inst) -> bool {
        let literal = |k: usize| self.literals.get(&inst.args[k]).copied();
        let is_loop = matches!(inst.kind, Kind::Reduce(_) | Kind::For(_));
        let counted = |v: &Value| self.counts.contains(v) || self.sizes.contains_key(v);
        is_loop && counted(&inst.args[1]) && (literal(0), literal(2)) == (Some(0), Some(1))
    }

    /// The classes in the regions, as they are with the parameters of these classes.
    fn nested(&mut self, inst: &mut Inst, params: Class, inside: bool) -> Result<Vec<Class>, Diagnostic> {
        let mut yields = Vec::new();
        for r in &mut inst.regions {
            r.params.iter().for_each(|p| {
                self.class.insert(*p, params);
            });
            self.region(r, inside)?;
            yields.extend(r.yields.iter().map(|v| self.of(*v)));
        }
        Ok(yields)
    }

    /// In a loop over rows.
    fn local(&mut self, inst: &mut Inst) -> Result<Class, Diagnostic> {
        let (span, mut class) = (inst.span, Class::Whole);
        let row = |k: usize| {
            format!("operand {} looks at rows in another way than by the number of the row at hand", k + 1)
        };
        if inst.kind == Kind::Index && self.of(inst.args[0]) == Class::Flat {
            let own = self.flat.is_some() && self.flat.as_ref() == self.shape(inst.args[0]).first();
            if !own || self.of(inst.args[1]) != Class::Index {
                return Err(refusal(span, "a term looks at other entries than its own".into()));
            }
            return Ok(Class::Local);
        }
        if inst.kind == Kind::Index
            && self.flat.is_none()
            && let Class::Rows(axis) = self.of(inst.args[0])
        {
            let indices = &inst.args[1..];
            if indices.get(axis).is_none_or(|i| self.of(*i) != Class::Index) {
                return Err(refusal(span, "a term looks at other rows than its own".into()));
            }
            let others = indices.iter().enumerate().filter(|(a, _)| *a != axis);
            if let Some((k, _)) =
                others.into_iter().find(|(_, i)| !matches!(self.of(**i), Class::Whole | Class::Local))
            {
                return Err(refusal(span, row(k)));
            }
            return Ok(Class::Local);
        }
        for (k, v) in inst.args.iter().enumerate() {
            match self.of(*v) {
                Class::Whole => {}
                Class::Local => class = Class::Local,
                Class::Index => return Err(refusal(span, "the number of a row is used as a number".into())),
                Class::Rows(_) | Class::Flat => return Err(refusal(span, row(k))),
                Class::Sum => return Err(refusal(span, "a term looks at a sum over all rows".into())),
            }
        }
        for v in inst.results.iter() {
            if self.row_axis(*v, span)?.is_some() {
                return Err(refusal(span, "a term makes an array with an entry for each row".into()));
            }
        }
        self.number(inst);
        let params =
            if class == Class::Local || !inst.regions.is_empty() { Class::Local } else { Class::Whole };
        let yields = self.nested(inst, params, true)?;
        match yields.iter().find(|y| !matches!(y, Class::Whole | Class::Local)) {
            Some(Class::Sum | Class::Rows(_) | Class::Flat) => {
                Err(refusal(span, "a term looks at more than its own row".into()))
            }
            Some(_) => Err(refusal(span, "the number of a row is used as a number".into())),
            None if yields.is_empty() => Ok(class),
            None => Ok(Class::Local),
        }
    }

    /// Whether rows, or sums over them, are used in regions.
    fn touches(&self, regions: &[Region]) -> bool {
        let touched = |v: &Value| self.of(*v) != Class::Whole;
        regions.iter().any(|r| {
            r.yields.iter().any(touched)
                || r.insts.iter().any(|i| i.args.iter().any(touched) || self.touches(&i.regions))
        })
    }

    /// Outside of loops over rows.
    fn outer(&mut self, inst: &mut Inst, before: &mut Vec<Inst>) -> Result<Class, Diagnostic> {
        let span = inst.span;
        if inst.kind == Kind::Reshape && self.of(inst.args[0]) == Class::Rows(0) {
            let shape = self.shape(inst.results[0]);
            if shape.len() == 1 && shape[0].as_var() != Some(self.n) {
                return Ok(Class::Flat);
            }
        }
        let mut axis = None;
        for v in inst.results.iter() {
            axis = axis.or(self.row_axis(*v, span)?);
        }
        let args: Vec<Class> = inst.args.iter().map(|v| self.of(*v)).collect();
        let whole = args.iter().all(|c| *c == Class::Whole) && !self.touches(&inst.regions);
        if whole && axis.is_none() && !self.counts_rows(inst) {
            self.number(inst);
            return Ok(Class::Whole);
        }
        let no = |what: &str| Err(refusal(span, what.into()));
        if args.contains(&Class::Flat) {
            return no("entries of several rows are looked at by other numbers than those of rows");
        }
        match &inst.kind {
            Kind::Build { rank } => {
                let rank = *rank as usize;
                let (params, row) = (inst.regions[0].params.clone(), axis.filter(|a| *a < rank));
                for (a, p) in params.iter().enumerate() {
                    self.class.insert(*p, if Some(a) == row { Class::Index } else { Class::Whole });
                }
                let region = &mut inst.regions[0];
                self.region(region, row.is_some())?;
                match (self.of(region.yields[0]), row) {
                    (Class::Whole | Class::Local, Some(axis)) => Ok(Class::Rows(axis)),
                    (Class::Index, _) => no("the number of a row is used as a number"),
                    (_, Some(_)) => no("an entry for a row looks at more than that row"),
                    (Class::Rows(axis), None) => Ok(Class::Rows(axis + rank)),
                    (class, None) => Ok(class),
                }
            }
            Kind::Reduce(_) | Kind::For(_) if self.counts_rows(inst) => self.over_rows(inst, whole, before),
            Kind::Reduce(ReduceOp::Sum) => {
                self.number(inst);
                match self.nested(inst, Class::Whole, false)?[..] {
                    [Class::Index | Class::Local] | [] => {
                        unreachable!("nothing here is inside of a loop over rows")
                    }
                    [class, ..] => Ok(class),
                }
            }
            Kind::For(l) if inst.args.len() == 3 && l.collects == 0 => {
                self.number(inst);
                let yields = self.nested(inst, Class::Whole, false)?;
                if yields.contains(&Class::Sum) {
                    // What is not a sum yet is in the first block only.
                    let mut insts = Vec::new();
                    let region = &mut inst.regions[0];
                    for (v, class) in region.yields.iter_mut().zip(&yields) {
                        match class {
                            Class::Whole => *v = self.in_first(*v, &mut insts, span),
                            Class::Sum => {}
                            Class::Rows(_) | Class::Flat | Class::Local | Class::Index => {
                                return no("sums of different kinds are made in one loop");
                            }
                        }
                    }
                    region.insts.append(&mut insts);
                    return Ok(Class::Sum);
                }
                match yields.iter().all(|c| *c == yields[0]) {
                    true => Ok(yields[0]),
                    false => no("sums of different kinds are made in one loop"),
                }
            }
            Kind::Reduce(_) => no("something else than a sum is made of sums over rows"),
            Kind::For(_) | Kind::While(_) => {
                no("a loop carries what depends on rows from one iteration to the next")
            }
            Kind::If => {
                if args[0] != Class::Whole {
                    return no("a branch is decided by rows");
                }
                let yields = self.nested(inst, Class::Whole, false)?;
                let rows = yields.iter().find(|c| matches!(c, Class::Rows(_)));
                if let Some(rows) = rows {
                    let fits = |c: &Class| c == rows;
                    return if yields.iter().all(fits) {
                        Ok(*rows)
                    } else {
                        no("a branch makes rows, and another one a sum")
                    };
                }
                for r in &mut inst.regions {
                    let mut insts = Vec::new();
                    for v in &mut r.yields {
                        if self.of(*v) == Class::Whole {
                            *v = self.in_first(*v, &mut insts, span);
                        }
                    }
                    r.insts.append(&mut insts);
                }
                Ok(Class::Sum)
            }
            Kind::Op(op) => self.op(*op, inst, &args, before),
            Kind::Fill => match (args[0], axis) {
                (Class::Whole, Some(axis)) => Ok(Class::Rows(axis)),
                (Class::Sum, None) => Ok(Class::Sum),
                (Class::Rows(a), None) => {
                    Ok(Class::Rows(a + self.shape(inst.results[0]).len() - self.shape(inst.args[0]).len()))
                }
                _ => no("an array repeats what depends on rows for each row"),
            },
            Kind::Pack => match args.iter().find(|c| matches!(c, Class::Rows(_))) {
                Some(Class::Rows(a)) if args.iter().all(|c| *c == Class::Rows(*a)) => Ok(Class::Rows(a + 1)),
                Some(_) => no("rows are put together with something else"),
                None => self.linear(inst, &args, before, |_| true),
            },
            Kind::Index => match args[0] {
                Class::Rows(a)
                    if inst.args.len() <= a + 1 && args[1..].iter().all(|c| *c == Class::Whole) =>
                {
                    self.number(inst);
                    Ok(Class::Rows(a + 1 - inst.args.len()))
                }
                Class::Rows(_) => no("a single row is looked at"),
                _ => self.linear(inst, &args, before, |k| k == 0),
            },
            Kind::Slice => match args[0] {
                Class::Rows(0) => no("only some of the rows are looked at"),
                Class::Rows(a) if args[1] == Class::Whole => Ok(Class::Rows(a)),
                _ => self.linear(inst, &args, before, |k| k == 0),
            },
            Kind::Update | Kind::AddAt => self.linear(inst, &args, before, |k| k < 2),
            Kind::UpdateSlice | Kind::AddSlice => self.linear(inst, &args, before, |k| k < 2),
            Kind::Reshape => match (args[0], axis) {
                (Class::Rows(0), Some(0)) => Ok(Class::Rows(0)),
                (Class::Sum, None) => Ok(Class::Sum),
                _ => no("rows are put in another order"),
            },
            Kind::Transpose => match args[0] {
                Class::Rows(a) => Ok(Class::Rows(1 - a)),
                class => Ok(class),
            },
            Kind::MatMul => {
                let last = self.shape(inst.args[0]).len() - 1;
                match (args[0], args[1]) {
                    (Class::Rows(a), Class::Rows(0)) if a == last => Ok(Class::Sum),
                    (Class::Rows(a), Class::Whole) if a != last => Ok(Class::Rows(a)),
                    (Class::Whole, Class::Rows(1)) => Ok(Class::Rows(last)),
                    (Class::Sum, Class::Whole) | (Class::Whole, Class::Sum) => Ok(Class::Sum),
                    (Class::Sum, Class::Sum) => no("two sums over rows are multiplied"),
                    _ => no("a product of matrices brings rows together that are not its own"),
                }
            }
            Kind::Linalg(op) => match (op, &args[..]) {
                (LinalgOp::Solve | LinalgOp::SolveAdjoint, [Class::Whole, Class::Sum]) => Ok(Class::Sum),
                _ => no("linear algebra is done with rows or sums over them"),
            },
            Kind::Assert(_) => no("an assertion is made of sums over rows"),
            Kind::Call(_) => no("a function that is not inlined is called with rows or sums over them"),
            Kind::Const(_) | Kind::Size(_) => unreachable!("it has no operands"),
        }
    }

    /// A loop over rows.
    fn over_rows(
        &mut self,
        inst: &mut Inst,
        whole: bool,
        before: &mut Vec<Inst>,
    ) -> Result<Class, Diagnostic> {
        let span = inst.span;
        if whole {
            // It looks at no row, but may look at its number: it is run for all of them.
            self.number(inst);
            return Ok(Class::Whole);
        }
        match &inst.kind {
            Kind::Reduce(ReduceOp::Sum) => {}
            Kind::For(l) if inst.args.len() == 3 && l.collects == 0 => {}
            Kind::Reduce(op) => {
                let what = format!("the rows are brought together by `{}`", op.name());
                return Err(refusal(span, what));
            }
            _ => {
                return Err(refusal(
                    span,
                    "a loop over rows carries something from one row to the next".into(),
                ));
            }
        }
        if inst.args.iter().any(|v| self.of(*v) != Class::Whole) {
            return Err(refusal(span, "the loop over rows is counted in another way".into()));
        }
        self.flat = self.sizes.get(&inst.args[1]).cloned();
        inst.args[1] = match &self.flat {
            None => self.n,
            // That of the block: the value that was there is made of the number of all rows.
            Some(dim) => {
                self.values.push(ValueData::scalar(Scalar::I64));
                let own = Value(self.values.len() as u32 - 1);
                let (kind, args, results) =
                    (Kind::Size(Box::new(dim.clone())), [][..].into(), [own][..].into());
                before.push(Inst { kind, args, results, regions: Vec::new(), span });
                own
            }
        };
        let yields = self.nested(inst, Class::Index, true);
        self.flat = None;
        match yields?.iter().find(|c| !matches!(c, Class::Whole | Class::Local)) {
            Some(Class::Index) => Err(refusal(span, "the number of a row is used as a number".into())),
            Some(_) => Err(refusal(span, "a term looks at more than its own row".into())),
            None => Ok(Class::Sum),
        }
    }

    /// An op on numbers that are sums over rows.
    fn op(
        &mut self,
        op: Op,
        inst: &mut Inst,
        args: &[Class],
        before: &mut Vec<Inst>,
    ) -> Result<Class, Diagnostic> {
        let sums = args.iter().filter(|c| **c == Class::Sum).count();
        match op {
            Op::Add | Op::Sub | Op::Complex => self.linear(inst, args, before, |_| true),
            Op::Neg | Op::Conj | Op::Re | Op::Im => Ok(Class::Sum),
            Op::Mul if sums == 1 => self.linear(inst, args, before, |k| args[k] == Class::Sum),
            Op::Div if args[1] == Class::Whole => self.linear(inst, args, before, |k| k == 0),
            Op::Select if args[0] == Class::Whole => self.linear(inst, args, before, |k| k > 0),
            _ => Err(refusal(inst.span, format!("`{op}` of a sum over rows is no such sum"))),
        }
    }

    /// An instruction that is linear in some operands, all of them together: those that depend on no row are in the first block
    /// only. The others must not depend on rows.
    fn linear(
        &mut self,
        inst: &mut Inst,
        args: &[Class],
        before: &mut Vec<Inst>,
        linear: impl Fn(usize) -> bool,
    ) -> Result<Class, Diagnostic> {
        self.number(inst);
        for (k, class) in args.iter().enumerate() {
            match class {
                Class::Sum if linear(k) => {}
                Class::Whole if linear(k) => inst.args[k] = self.in_first(inst.args[k], before, inst.span),
                Class::Whole => {}
                Class::Sum => {
                    return Err(refusal(inst.span, "a sum over rows decides which element is taken".into()));
                }
                Class::Rows(_) | Class::Flat => {
                    return Err(refusal(inst.span, "rows are used together with a sum over them".into()));
                }
                Class::Local | Class::Index => unreachable!("this is not inside of a loop over rows"),
            }
        }
        Ok(Class::Sum)
    }
}

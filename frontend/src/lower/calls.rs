//! Calls, and functions compiled once for each combination of functions they are given.

use super::fn_vals::{Canon, FnKey, FnSlot, FnVal, Target};
use super::{Lower, Slot, arrays};
use crate::sema::ctx::Ctx;
use crate::sema::hir::*;
use crate::sema::items::FnItem;
use crate::sema::types::Ty;
use adc_ir::{Diagnostic, Dim, FuncId, Kind, Operator, Span, Value, ValueData, Values};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// What a function of the module is made from.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Key {
    /// A function of the program, with functions for its function-typed parameters if it has some.
    Item(FnIx, Option<Generic>),
    /// A function value as a function, with so many dimensions: what is open, then what it was given.
    Wrapper(FnKey, usize),
    /// A derivative of a function, by position among its parameters.
    Derived(Operator, Box<Key>, Vec<usize>),
}

/// What a function with function-typed parameters is compiled for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Generic {
    /// The number of dimensions of the instance.
    pub count: usize,
    /// The dimensions of the function and the quotients in its signature, in those of the instance.
    pub dims: Vec<Dim>,
    /// In the order of the function-typed parameters.
    pub fns: Vec<FnKey>,
}

impl Key {
    /// A function without function-typed parameters.
    pub fn plain(f: FnIx) -> Key {
        Key::Item(f, None)
    }
}

/// The functions of the module to be: every one asked for has an id at once and is lowered in its iteration, so
/// long call chains need no stack.
pub(super) struct Instances<'a> {
    fns: Vec<&'a str>,
    ids: FxHashMap<Key, FuncId>,
    names: Vec<String>,
    /// How often a name was wanted.
    taken: FxHashMap<String, usize>,
    queue: VecDeque<(FuncId, Key)>,
}

impl<'a> Instances<'a> {
    pub fn new(ctx: &Ctx<'a>) -> Self {
        Instances {
            fns: ctx.items.fn_names().collect(),
            ids: FxHashMap::default(),
            names: Vec::new(),
            taken: FxHashMap::default(),
            queue: VecDeque::new(),
        }
    }

    /// The number of functions so far.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    pub fn name(&self, id: FuncId) -> &str {
        &self.names[id.0 as usize]
    }

    /// The next function to lower.
    pub fn next(&mut self) -> Option<(FuncId, Key)> {
        self.queue.pop_front()
    }

    /// An id for a function lowered elsewhere; a name that is taken gets a suffix.
    pub fn reserve(&mut self, name: String) -> FuncId {
        let mut count = self.taken.get(&name).copied().unwrap_or(0);
        let unique = loop {
            count += 1;
            let unique = if count == 1 { name.clone() } else { format!("{name}.{count}") };
            if count == 1 || !self.taken.contains_key(&unique) {
                break unique;
            }
        };
        if unique != name {
            self.taken.insert(unique.clone(), 1);
        }
        self.taken.insert(name, count);
        self.names.push(unique);
        FuncId(self.names.len() as u32 - 1)
    }

    /// The id of an instance, which is queued when it is new.
    pub fn get(&mut self, key: Key) -> FuncId {
        if let Some(id) = self.ids.get(&key) {
            return *id;
        }
        let name = match &key {
            Key::Item(f, generic) => {
                let fns = generic.iter().flat_map(|g| &g.fns);
                fns.fold(self.fns[f.0].to_string(), |name, f| format!("{name}.{}", self.name_of(f)))
            }
            Key::Wrapper(f, _) => format!("{}.fn", self.name_of(f)),
            Key::Derived(op, of, _) => format!("{}.{}", op.name(), self.key_name(of)),
        };
        let id = self.reserve(name);
        self.ids.insert(key.clone(), id);
        self.queue.push_back((id, key));
        id
    }

    fn name_of(&self, f: &FnKey) -> String {
        match &f.target {
            Target::Item(ix, _) => self.fns[ix.0].into(),
            Target::Builtin(f, _, _) => f.name(),
            Target::Derived(op, of, _) => format!("{}.{}", op.name(), self.name_of(of)),
        }
    }

    fn key_name(&self, key: &Key) -> String {
        match key {
            Key::Item(f, _) => self.fns[f.0].into(),
            Key::Wrapper(f, _) => self.name_of(f),
            Key::Derived(op, of, _) => format!("{}.{}", op.name(), self.key_name(of)),
        }
    }
}

/// An argument that is lowered.
#[derive(Clone)]
pub(super) enum Given {
    Value(Value, Span),
    Fn(FnVal),
}

impl<'l, 'a> Lower<'l, 'a> {
    pub(super) fn call_item(&mut self, c: &'l Call<'a>, ty: &Ty, span: Span) -> Result<Values, Diagnostic> {
        let slots = vec![FnSlot::Hole; c.args.len()];
        let f = FnVal { target: Target::Item(c.f, self.dims(&c.dims)), slots };
        self.call_value(f, &c.args, ty, span)
    }

    pub(super) fn call_local(
        &mut self,
        id: LocalId,
        args: &'l [Arg<'a>],
        ty: &Ty,
        span: Span,
    ) -> Result<Values, Diagnostic> {
        let f = self.fn_local(id);
        self.call_value(f, args, ty, span)
    }

    /// A call of a derivative.
    pub(super) fn call_fn(
        &mut self,
        f: &'l FnRef<'a>,
        args: &'l [Arg<'a>],
        ty: &Ty,
        span: Span,
    ) -> Result<Values, Diagnostic> {
        let f = self.fn_value(f)?;
        self.call_value(f, args, ty, span)
    }

    /// `ty` is the type of the call.
    fn call_value(
        &mut self,
        f: FnVal,
        args: &'l [Arg<'a>],
        ty: &Ty,
        span: Span,
    ) -> Result<Values, Diagnostic> {
        let open = self.open_data(&f);
        let mut given = Vec::new();
        for (a, data) in args.iter().zip(open) {
            given.push(self.argument(a, data)?);
        }
        // With facts, the sizes of the call's type may be written in another way than the function gives them.
        let learned = self.body.types.syms.learned();
        let results = if learned { self.result_data(&f) } else { self.data(ty) };
        Ok(self.apply(f, given, results, span))
    }

    /// Calls a function value with all that is open; `results` are what it gives.
    pub(super) fn apply(
        &mut self,
        f: FnVal,
        given: Vec<Given>,
        results: Vec<ValueData>,
        span: Span,
    ) -> Values {
        let mut given = given.into_iter();
        let all: Vec<Given> = f
            .slots
            .into_iter()
            .map(|s| match s {
                FnSlot::Hole => given.next().expect("the number of arguments was checked"),
                FnSlot::Value(v, _) => Given::Value(v.expect("instances have all their parameters"), span),
                FnSlot::Fn(f) => Given::Fn(f),
            })
            .collect();
        match f.target {
            Target::Item(ix, dims) => self.call_function(ix, dims, all, results, span),
            Target::Derived(op, of, wrt) => self.call_derived(op, *of, &wrt, all, results, span),
            Target::Builtin(f, _, _) => {
                let values: Vec<Value> = all
                    .iter()
                    .map(|a| match a {
                        Given::Value(v, _) => *v,
                        Given::Fn(_) => unreachable!("built-ins take no functions"),
                    })
                    .collect();
                self.builder.set_span(span);
                let v = match f {
                    BuiltinFn::Array(f) => return self.array_values(f, &values, &results),
                    BuiltinFn::Op(op) => self.map(&values, |l, p| l.builder.op(op, p)),
                    BuiltinFn::Reduce(op) => self.reduce_value(op, values[0]),
                };
                Values::from_slice(&[v])
            }
        }
    }

    /// The types of what is open, `None` for functions.
    pub(super) fn open_data(&self, f: &FnVal) -> Vec<Option<ValueData>> {
        let all = self.param_data(&f.target);
        f.holes_at().into_iter().map(|i| all[i].clone()).collect()
    }

    /// The types of the parameters of a target, `None` for functions.
    fn param_data(&self, target: &Target<FnVal>) -> Vec<Option<ValueData>> {
        match target {
            Target::Item(ix, dims) => {
                let item = self.ctx.items.func(*ix);
                item.params.iter().map(|p| declared(item, dims, &p.ty)).collect()
            }
            Target::Builtin(_, params, _) => params.iter().cloned().map(Some).collect(),
            Target::Derived(op, of, wrt) => {
                let mut open = self.open_data(of);
                let seeds: Vec<Option<ValueData>> = match op {
                    Operator::Jvp | Operator::ValueAndJvp | Operator::Hvp => {
                        wrt.iter().map(|&i| open[i].clone()).collect()
                    }
                    Operator::Vjp | Operator::ValueAndVjp => {
                        let results = self.result_data(of).into_iter();
                        results.filter(|d| d.ty.is_differentiable()).map(Some).collect()
                    }
                    Operator::Grad
                    | Operator::ValueAndGrad
                    | Operator::Jacobian
                    | Operator::Hessian
                    | Operator::HessDiag => Vec::new(),
                };
                open.extend(seeds);
                open
            }
        }
    }

    /// The types of the results of a function value.
    pub(super) fn result_data(&self, f: &FnVal) -> Vec<ValueData> {
        let (op, of, wrt) = match &f.target {
            Target::Item(ix, dims) => {
                let item = self.ctx.items.func(*ix);
                return item.results.iter().filter_map(|(_, t)| declared(item, dims, t)).collect();
            }
            Target::Builtin(_, _, result) => return vec![result.clone()],
            Target::Derived(op, of, wrt) => (*op, of, wrt),
        };
        let values = self.result_data(of);
        let open = self.open_data(of);
        let inputs: Vec<ValueData> = wrt.iter().filter_map(|&i| open[i].clone()).collect();
        let outputs: Vec<ValueData> = values.iter().filter(|d| d.ty.is_differentiable()).cloned().collect();
        let mut all = if op.has_value() { values } else { Vec::new() };
        match op {
            Operator::Jvp | Operator::ValueAndJvp => all.extend(outputs),
            Operator::Grad
            | Operator::ValueAndGrad
            | Operator::Vjp
            | Operator::ValueAndVjp
            | Operator::Hvp
            | Operator::HessDiag => all.extend(inputs),
            Operator::Jacobian => {
                for y in &outputs {
                    for x in &inputs {
                        let elem = y.ty.scalar();
                        let complex = x.ty.scalar().is_complex();
                        let elem = elem.complex().filter(|_| complex).unwrap_or(elem);
                        let d = ValueData::array(elem, [y.shape.clone(), x.shape.clone()].concat());
                        all.extend(std::iter::repeat_n(d, 1 + usize::from(complex)));
                    }
                }
            }
            Operator::Hessian => {
                for y in &inputs {
                    all.extend(inputs.iter().map(|x| x.outer(&y.shape)));
                }
            }
        }
        all
    }

    fn argument(&mut self, a: &'l Arg<'a>, data: Option<ValueData>) -> Result<Given, Diagnostic> {
        Ok(match a {
            Arg::Value(e) => {
                let v = match data {
                    Some(d) => {
                        let v = self.expr_elem(e, d.ty.scalar())?;
                        arrays::sized(&mut self.builder, v, &d.shape)
                    }
                    None => self.expr(e)?[0],
                };
                Given::Value(v, e.span)
            }
            Arg::Fn(f) => Given::Fn(self.fn_value(f)?),
        })
    }

    fn fn_local(&self, id: LocalId) -> FnVal {
        match &self.env[id.0].slot {
            Slot::Fn(f) => f.clone(),
            Slot::Unset | Slot::Values(_) => unreachable!("a function parameter is bound to a function"),
        }
    }

    fn fn_value(&mut self, f: &'l FnRef<'a>) -> Result<FnVal, Diagnostic> {
        Ok(match f {
            FnRef::Item(ix, dims) => {
                let slots = vec![FnSlot::Hole; self.ctx.items.func(*ix).params.len()];
                FnVal { target: Target::Item(*ix, self.dims(dims)), slots }
            }
            FnRef::Builtin(f, params, result) => {
                let params: Vec<ValueData> = params.iter().flat_map(|t| self.data(t)).collect();
                let slots = vec![FnSlot::Hole; params.len()];
                let result = self.data(result).remove(0);
                FnVal { target: Target::Builtin(*f, params, result), slots }
            }
            FnRef::Local(id) => self.fn_local(*id),
            FnRef::Derived(op, of, wrt) => {
                let of = Box::new(self.fn_value(of)?);
                let target = Target::Derived(*op, of, wrt.clone());
                let slots = vec![FnSlot::Hole; self.param_data(&target).len()];
                FnVal { target, slots }
            }
            FnRef::Partial(f, given) => {
                let mut f = self.fn_value(f)?;
                let open = self.open_data(&f);
                for ((i, a), data) in f.holes_at().into_iter().zip(given).zip(open) {
                    if let Some(a) = a {
                        f.slots[i] = match self.argument(a, data.clone())? {
                            // Its sizes are said as the function says them: in those of the caller.
                            Given::Value(v, _) => {
                                let data = data.unwrap_or_else(|| self.builder.data(v).clone());
                                FnSlot::Value(Some(v), data)
                            }
                            Given::Fn(f) => FnSlot::Fn(f),
                        };
                    }
                }
                f
            }
            FnRef::Error => unreachable!("a program with errors is not lowered"),
        })
    }

    fn call_function(
        &mut self,
        ix: FnIx,
        dims: Vec<Dim>,
        args: Vec<Given>,
        results: Vec<ValueData>,
        span: Span,
    ) -> Values {
        let ctx = self.ctx;
        let item = ctx.items.func(ix);
        let mut values = Vec::new();
        for (a, p) in args.iter().zip(&item.params) {
            if let Given::Value(v, at) = a {
                if let Some(domain) = p.domain {
                    self.guard(*v, domain, p.name, item.name, *at);
                }
                values.push(*v);
            }
        }
        self.builder.set_span(span);
        let slot = |a: Given| match a {
            Given::Value(..) => FnSlot::Hole,
            Given::Fn(f) => FnSlot::Fn(f),
        };
        let target = Target::Item(ix, dims.clone());
        let f = FnVal { target, slots: args.into_iter().map(slot).collect() };
        let (key, mut operands, captured) = self.callee(&f);
        operands.extend(values);
        operands.extend(captured);
        let id = self.instances.get(key);
        self.builder.emit(Kind::Call(id), &operands, results, Vec::new())
    }

    /// The function of the module that a function value is: its dimensions here, and what it was given, which comes
    /// after what is open.
    fn callee(&mut self, f: &FnVal) -> (Key, Vec<Value>, Vec<Value>) {
        let mut captured = Vec::new();
        f.values(&mut captured);
        let mut canon = Canon::default();
        if !f.is_plain() {
            let key = f.key(&mut canon);
            return (Key::Wrapper(key, canon.0.len()), canon.0, captured);
        }
        match &f.target {
            Target::Item(ix, dims) if f.fns().next().is_none() => {
                let sizes = dims.iter().map(|d| self.builder.size(d)).collect();
                (Key::plain(*ix), sizes, captured)
            }
            Target::Item(ix, dims) => {
                let dims = dims.iter().map(|d| canon.dim(d)).collect();
                let fns = f.fns().map(|f| f.key(&mut canon)).collect();
                (Key::Item(*ix, Some(Generic { count: canon.0.len(), dims, fns })), canon.0, captured)
            }
            Target::Derived(op, of, wrt) => {
                let (key, dims, captured) = self.callee(of);
                (Key::Derived(*op, Box::new(key), wrt.clone()), dims, captured)
            }
            Target::Builtin(..) => unreachable!("a built-in is not plain"),
        }
    }

    /// Calls a derivative of `of` with what is open in it and the seeds.
    fn call_derived(
        &mut self,
        op: Operator,
        mut of: FnVal,
        wrt: &[usize],
        args: Vec<Given>,
        results: Vec<ValueData>,
        span: Span,
    ) -> Values {
        let holes = of.holes_at();
        let (mut values, mut seeds) = (Vec::new(), Vec::new());
        // Positions of the open parameters among those that are values.
        let mut places = Vec::new();
        for (k, a) in args.into_iter().enumerate() {
            places.push(values.len());
            match (a, holes.get(k)) {
                (Given::Value(v, at), Some(&i)) => {
                    self.guard_open(&of, i, v, at);
                    values.push(v);
                }
                (Given::Value(v, _), None) => seeds.push(v),
                (Given::Fn(f), Some(&i)) => of.slots[i] = FnSlot::Fn(f),
                (Given::Fn(_), None) => unreachable!("seeds are values"),
            }
        }
        self.builder.set_span(span);
        let (key, mut operands, captured) = self.callee(&of);
        operands.extend(values);
        operands.extend(captured);
        operands.extend(seeds);
        let wrt = wrt.iter().map(|&i| places[i]).collect();
        let id = self.instances.get(Key::Derived(op, Box::new(key), wrt));
        self.builder.emit(Kind::Call(id), &operands, results, Vec::new())
    }

    /// Guards the domain of a parameter of a function value, which its derivative does not do itself.
    fn guard_open(&mut self, f: &FnVal, slot: usize, v: Value, span: Span) {
        match &f.target {
            Target::Item(ix, _) => {
                let item = self.ctx.items.func(*ix);
                let p = &item.params[slot];
                if let Some(domain) = p.domain {
                    self.guard(v, domain, p.name, item.name, span);
                }
            }
            Target::Builtin(..) => {}
            Target::Derived(_, of, _) => {
                if let Some(&inner) = of.holes_at().get(slot) {
                    self.guard_open(of, inner, v, span);
                }
            }
        }
    }
}

/// A type of a function's signature where `dims` are its dimensions and the quotients in its signature.
fn declared(item: &FnItem, dims: &[Dim], ty: &Ty) -> Option<ValueData> {
    let quotients = item.quotients();
    let size = |v: Value| {
        let quotient = quotients.iter().position(|q| *q == v).map(|i| item.dims.len() + i);
        dims[quotient.unwrap_or(v.0 as usize)].clone()
    };
    let place = |d: &Dim| d.substitute(size).expect("within the bounds, as in the caller's words");
    Some(ValueData::array(ty.declared_elem()?, ty.shape().iter().map(place).collect()))
}

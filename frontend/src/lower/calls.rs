//! Calls, and functions compiled once for each combination of functions they are given.

use super::fn_vals::{FnKey, FnSlot, FnVal, SlotKey, Target};
use super::{Lower, Slot};
use crate::sema::ctx::Ctx;
use crate::sema::hir::*;
use crate::sema::types::Ty;
use adc_ir::{Diagnostic, FuncId, Kind, Operator, Scalar, Span, Type, Value, ValueData, Values};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// What a function of the module is made from.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Key {
    /// A function of the program with a function for each function-typed parameter, in order.
    Item(FnIx, Vec<FnKey>),
    /// A function value as a function: what is open, then what it was given.
    Wrapper(FnKey),
    /// A derivative of a function value as a function, by position among its parameters there.
    Derived(Operator, FnKey, Vec<usize>),
}

impl Key {
    /// A function without function-typed parameters.
    pub fn plain(f: FnIx) -> Key {
        Key::Item(f, Vec::new())
    }

    /// A function value as a function: what is open, then what it was given.
    pub fn of(f: FnKey) -> Key {
        if !f.is_plain() {
            return Key::Wrapper(f);
        }
        let FnKey { target, slots } = f;
        match target {
            Target::Item(ix) => {
                let fns = slots.into_iter().filter_map(|s| match s {
                    SlotKey::Fn(f) => Some(f),
                    SlotKey::Hole | SlotKey::Value(_) => None,
                });
                Key::Item(ix, fns.collect())
            }
            Target::Derived(op, of, wrt) => Key::Derived(op, *of, wrt),
            Target::Op(..) => unreachable!("an op is not plain"),
        }
    }
}

/// The functions of the module to be: every one asked for has an id at once and is lowered in its turn, so
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
            Key::Item(f, fns) => {
                fns.iter().fold(self.fns[f.0].to_string(), |name, f| format!("{name}.{}", self.name_of(f)))
            }
            Key::Wrapper(f) => format!("{}.fn", self.name_of(f)),
            Key::Derived(op, f, _) => format!("{}.{}", op.name(), self.name_of(f)),
        };
        let id = self.reserve(name);
        self.ids.insert(key.clone(), id);
        self.queue.push_back((id, key));
        id
    }

    fn name_of(&self, f: &FnKey) -> String {
        match &f.target {
            Target::Item(ix) => self.fns[ix.0].into(),
            Target::Op(op, _) => op.name().into(),
            Target::Derived(op, of, _) => format!("{}.{}", op.name(), self.name_of(of)),
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
        let ctx = self.ctx;
        let types = ctx.items.func(c.f).params.iter().map(|p| p.ty.declared_elem());
        let given = (c.args.iter().zip(types))
            .map(|(a, ty)| self.argument(a, ty))
            .collect::<Result<Vec<Given>, Diagnostic>>()?;
        self.builder.set_span(span);
        let dims = self.dims(&c.dims);
        let dims: Vec<Value> = dims.iter().map(|d| self.builder.size(d)).collect();
        let wanted = Some(self.data(ty));
        Ok(self.call_target(Target::Item(c.f), &dims, given, wanted, span))
    }

    pub(super) fn call_local(
        &mut self,
        id: LocalId,
        args: &'l [Arg<'a>],
        ty: &Ty,
        span: Span,
    ) -> Result<Values, Diagnostic> {
        let f = self.fn_local(id);
        let wanted = self.data(ty);
        self.call_value(f, args, wanted, span)
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
        let wanted = self.data(ty);
        self.call_value(f, args, wanted, span)
    }

    /// `wanted` are the types and sizes of the results.
    fn call_value(
        &mut self,
        f: FnVal,
        args: &'l [Arg<'a>],
        wanted: Vec<ValueData>,
        span: Span,
    ) -> Result<Values, Diagnostic> {
        let open = self.open_types(&f);
        let mut given = Vec::new();
        for (a, ty) in args.iter().zip(open) {
            given.push(self.argument(a, ty)?);
        }
        Ok(self.apply(f, given, Some(wanted), span))
    }

    /// Calls a function value with all that is open. `wanted` are the types and sizes of the results; left out, they are
    /// scalars.
    pub(super) fn apply(
        &mut self,
        f: FnVal,
        given: Vec<Given>,
        wanted: Option<Vec<ValueData>>,
        span: Span,
    ) -> Values {
        let mut given = given.into_iter();
        let all = f
            .slots
            .into_iter()
            .map(|s| match s {
                FnSlot::Hole => given.next().expect("the number of arguments was checked"),
                FnSlot::Value(v, _) => Given::Value(v.expect("instances have all their parameters"), span),
                FnSlot::Fn(f) => Given::Fn(f),
            })
            .collect();
        self.call_target(f.target, &[], all, wanted, span)
    }

    /// The types of what is open, `None` for functions.
    pub(super) fn open_types(&self, f: &FnVal) -> Vec<Option<Scalar>> {
        let all = self.param_types(&f.target);
        f.holes_at().into_iter().map(|i| all[i]).collect()
    }

    /// The types of the parameters of a target, `None` for functions.
    fn param_types(&self, target: &Target<FnVal>) -> Vec<Option<Scalar>> {
        match target {
            Target::Item(ix) => {
                self.ctx.items.func(*ix).params.iter().map(|p| p.ty.declared_elem()).collect()
            }
            Target::Op(_, types) => types.iter().copied().map(Some).collect(),
            Target::Derived(op, of, wrt) => {
                let mut types = self.open_types(of);
                let seeds = match op {
                    Operator::Jvp | Operator::ValueAndJvp | Operator::Hvp => {
                        wrt.iter().map(|&i| types[i]).collect()
                    }
                    Operator::Vjp | Operator::ValueAndVjp => {
                        let results = self.result_types(of).into_iter();
                        results.filter(|s| s.is_float()).map(Some).collect()
                    }
                    Operator::Grad
                    | Operator::ValueAndGrad
                    | Operator::Jacobian
                    | Operator::Hessian
                    | Operator::HessDiag => Vec::new(),
                };
                types.extend(seeds);
                types
            }
        }
    }

    /// The types of the results of a function value.
    fn result_types(&self, f: &FnVal) -> Vec<Scalar> {
        let (op, of, wrt) = match &f.target {
            Target::Item(ix) => {
                return self.ctx.items.func(*ix).results.iter().filter_map(|(_, t)| t.declared()).collect();
            }
            Target::Op(op, types) => {
                let types: Vec<Type> = types.iter().copied().map(Type::Scalar).collect();
                return op.result_type(&types).map(Type::scalar).into_iter().collect();
            }
            Target::Derived(op, of, wrt) => (*op, of, wrt),
        };
        let values = self.result_types(of);
        let open = self.open_types(of);
        let inputs = || wrt.iter().filter_map(|&i| open[i]);
        let outputs: Vec<Scalar> = values.iter().copied().filter(|s| s.is_float()).collect();
        let mut all = if op.has_value() { values } else { Vec::new() };
        match op {
            Operator::Jvp | Operator::ValueAndJvp => all.extend(outputs),
            Operator::Grad
            | Operator::ValueAndGrad
            | Operator::Vjp
            | Operator::ValueAndVjp
            | Operator::Hvp
            | Operator::HessDiag => all.extend(inputs()),
            Operator::Jacobian => {
                for y in outputs {
                    for x in inputs() {
                        let complex = y.complex().filter(|_| x.is_complex());
                        all.extend(std::iter::repeat_n(
                            complex.unwrap_or(y),
                            1 + usize::from(x.is_complex()),
                        ));
                    }
                }
            }
            Operator::Hessian => all.extend(inputs().flat_map(|_| inputs())),
        }
        all
    }

    fn argument(&mut self, a: &'l Arg<'a>, ty: Option<Scalar>) -> Result<Given, Diagnostic> {
        Ok(match a {
            Arg::Value(e) => {
                let v = match ty {
                    Some(s) => self.expr_as(e, &crate::sema::types::Types::fixed(s))?[0],
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
            FnRef::Item(ix) => {
                let slots = vec![FnSlot::Hole; self.ctx.items.func(*ix).params.len()];
                FnVal { target: Target::Item(*ix), slots }
            }
            FnRef::Builtin(op, types) => {
                let types = types.iter().map(|t| self.scalar(t)).collect();
                FnVal { target: Target::Op(*op, types), slots: vec![FnSlot::Hole; op.arity()] }
            }
            FnRef::Local(id) => self.fn_local(*id),
            FnRef::Derived(op, of, wrt) => {
                let of = Box::new(self.fn_value(of)?);
                let target = Target::Derived(*op, of, wrt.clone());
                let slots = vec![FnSlot::Hole; self.param_types(&target).len()];
                FnVal { target, slots }
            }
            FnRef::Partial(f, given) => {
                let mut f = self.fn_value(f)?;
                let types = self.open_types(&f);
                for ((i, a), ty) in f.holes_at().into_iter().zip(given).zip(types) {
                    if let Some(a) = a {
                        f.slots[i] = match self.argument(a, ty)? {
                            Given::Value(v, _) => FnSlot::Value(Some(v), self.builder.ty(v)),
                            Given::Fn(f) => FnSlot::Fn(f),
                        };
                    }
                }
                f
            }
            FnRef::Error => unreachable!("a program with errors is not lowered"),
        })
    }

    /// `wanted` as for [`Self::apply`].
    fn call_target(
        &mut self,
        target: Target<FnVal>,
        dims: &[Value],
        args: Vec<Given>,
        wanted: Option<Vec<ValueData>>,
        span: Span,
    ) -> Values {
        let ix = match target {
            Target::Item(ix) => ix,
            Target::Derived(op, of, wrt) => return self.call_derived(op, *of, &wrt, args, span),
            Target::Op(op, _) => {
                let values: Vec<Value> = args
                    .iter()
                    .map(|a| match a {
                        Given::Value(v, _) => *v,
                        Given::Fn(_) => unreachable!("built-ins take no functions"),
                    })
                    .collect();
                self.builder.set_span(span);
                return Values::from_slice(&[self.builder.op(op, &values)]);
            }
        };
        let ctx = self.ctx;
        let item = ctx.items.func(ix);
        let (mut values, mut captured, mut fns) = (dims.to_vec(), Vec::new(), Vec::new());
        for (a, p) in args.iter().zip(&item.params) {
            match a {
                Given::Value(v, at) => {
                    if let Some(domain) = p.domain {
                        self.guard(*v, domain, p.name, item.name, *at);
                    }
                    values.push(*v);
                }
                Given::Fn(f) => {
                    f.values(&mut captured);
                    fns.push(f.key());
                }
            }
        }
        values.extend(captured);
        let id = self.instances.get(Key::Item(ix, fns));
        let wanted = wanted.unwrap_or_else(|| {
            item.results.iter().filter_map(|(_, t)| t.declared().map(ValueData::scalar)).collect()
        });
        self.builder.set_span(span);
        self.call_results(item, Kind::Call(id), &values, wanted)
    }

    /// Calls a derivative of `of` with what is open in it and the seeds.
    fn call_derived(
        &mut self,
        op: Operator,
        mut of: FnVal,
        wrt: &[usize],
        args: Vec<Given>,
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
        let wrt = wrt.iter().map(|&i| places[i]).collect();
        let target = Target::Derived(op, Box::new(of), wrt);
        let f = FnVal { slots: vec![FnSlot::Hole; values.len() + seeds.len()], target };
        let results: Vec<Type> = self.result_types(&f).into_iter().map(Type::Scalar).collect();
        let Target::Derived(_, of, wrt) = f.target else { unreachable!("made above") };
        of.values(&mut values);
        values.extend(seeds);
        let id = self.instances.get(Key::Derived(op, of.key(), wrt));
        self.builder.set_span(span);
        self.builder.call(id, &values, &results)
    }

    /// Guards the domain of a parameter of a function value, which its derivative does not do itself.
    fn guard_open(&mut self, f: &FnVal, slot: usize, v: Value, span: Span) {
        match &f.target {
            Target::Item(ix) => {
                let item = self.ctx.items.func(*ix);
                let p = &item.params[slot];
                if let Some(domain) = p.domain {
                    self.guard(v, domain, p.name, item.name, span);
                }
            }
            Target::Op(..) => {}
            Target::Derived(_, of, _) => {
                if let Some(&inner) = of.holes_at().get(slot) {
                    self.guard_open(of, inner, v, span);
                }
            }
        }
    }
}

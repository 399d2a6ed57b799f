//! Calls, and functions compiled once for each combination of functions they are given.

use super::{Lower, Slot};
use crate::sema::ctx::Ctx;
use crate::sema::hir::*;
use adc_ir::{Diagnostic, FuncId, Op, Scalar, Span, Type, Value, Values};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// What is behind a function value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Target {
    /// A function of the program.
    Item(FnIx),
    /// A built-in with operands of these types.
    Op(Op, Vec<Scalar>),
}

/// A function value while a body is lowered: which function, and what it was given already.
#[derive(Clone, Debug)]
pub(super) struct FnVal {
    target: Target,
    /// One per parameter of the target.
    slots: Vec<FnSlot>,
}

#[derive(Clone, Debug)]
enum FnSlot {
    /// To come with the call.
    Hole,
    /// A value, `None` while its parameter in an instance is not made yet.
    Value(Option<Value>, Type),
    Fn(FnVal),
}

/// A function value without its run-time part: what an instance depends on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct FnKey {
    target: Target,
    slots: Vec<SlotKey>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum SlotKey {
    Hole,
    Value(Type),
    Fn(FnKey),
}

/// What a function is compiled for: itself, and a function for each function-typed parameter.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Key {
    /// The function.
    pub f: FnIx,
    /// In the order of its function-typed parameters.
    pub fns: Vec<FnKey>,
}

impl Key {
    /// A function without function-typed parameters.
    pub fn plain(f: FnIx) -> Key {
        Key { f, fns: Vec::new() }
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
        let mut name = self.fns[key.f.0].to_string();
        for f in &key.fns {
            name.push('.');
            name.push_str(match &f.target {
                Target::Item(ix) => self.fns[ix.0],
                Target::Op(op, _) => op.name(),
            });
        }
        let id = self.reserve(name);
        self.ids.insert(key.clone(), id);
        self.queue.push_back((id, key));
        id
    }
}

impl FnVal {
    /// The function value an instance's parameter stands for; [`Self::fill`] makes the parameters for what it
    /// was given.
    pub fn holes(key: &FnKey) -> FnVal {
        let slot = |s: &SlotKey| match s {
            SlotKey::Hole => FnSlot::Hole,
            SlotKey::Value(ty) => FnSlot::Value(None, *ty),
            SlotKey::Fn(f) => FnSlot::Fn(FnVal::holes(f)),
        };
        FnVal { target: key.target.clone(), slots: key.slots.iter().map(slot).collect() }
    }

    /// Gives every value that is not there yet a parameter, in order.
    pub fn fill(&mut self, param: &mut dyn FnMut(Type) -> Value) {
        for s in &mut self.slots {
            match s {
                FnSlot::Value(v @ None, ty) => *v = Some(param(*ty)),
                FnSlot::Fn(f) => f.fill(param),
                FnSlot::Hole | FnSlot::Value(..) => {}
            }
        }
    }

    pub fn key(&self) -> FnKey {
        let slot = |s: &FnSlot| match s {
            FnSlot::Hole => SlotKey::Hole,
            FnSlot::Value(_, ty) => SlotKey::Value(*ty),
            FnSlot::Fn(f) => SlotKey::Fn(f.key()),
        };
        FnKey { target: self.target.clone(), slots: self.slots.iter().map(slot).collect() }
    }

    /// The values it was given, in the order of [`Self::fill`].
    fn values(&self, out: &mut Vec<Value>) {
        for s in &self.slots {
            match s {
                FnSlot::Hole => {}
                FnSlot::Value(v, _) => out.extend(*v),
                FnSlot::Fn(f) => f.values(out),
            }
        }
    }
}

/// An argument that is lowered.
#[derive(Clone)]
enum Given {
    Value(Value, Span),
    Fn(FnVal),
}

impl<'l, 'a> Lower<'l, 'a> {
    pub(super) fn call_item(
        &mut self,
        f: FnIx,
        args: &'l [Arg<'a>],
        span: Span,
    ) -> Result<Values, Diagnostic> {
        let ctx = self.ctx;
        let types = ctx.items.func(f).params.iter().map(|p| p.ty.declared());
        let given = args
            .iter()
            .zip(types)
            .map(|(a, ty)| self.argument(a, ty))
            .collect::<Result<Vec<Given>, Diagnostic>>()?;
        Ok(self.call_target(Target::Item(f), given, span))
    }

    pub(super) fn call_local(
        &mut self,
        id: LocalId,
        args: &'l [Arg<'a>],
        span: Span,
    ) -> Result<Values, Diagnostic> {
        let f = self.fn_local(id);
        let open = self.open_types(&f);
        let mut given = Vec::new();
        for (a, ty) in args.iter().zip(open) {
            given.push(self.argument(a, ty)?);
        }
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
        Ok(self.call_target(f.target, all, span))
    }

    /// The types of what is open, `None` for functions.
    fn open_types(&self, f: &FnVal) -> Vec<Option<Scalar>> {
        let all: Vec<Option<Scalar>> = match &f.target {
            Target::Item(ix) => self.ctx.items.func(*ix).params.iter().map(|p| p.ty.declared()).collect(),
            Target::Op(_, types) => types.iter().copied().map(Some).collect(),
        };
        let open = f.slots.iter().zip(all).filter(|(s, _)| matches!(s, FnSlot::Hole));
        open.map(|(_, ty)| ty).collect()
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
                FnVal { target: Target::Op(*op, types.clone()), slots: vec![FnSlot::Hole; op.arity()] }
            }
            FnRef::Local(id) => self.fn_local(*id),
            FnRef::Partial(f, given) => {
                let mut f = self.fn_value(f)?;
                let types = self.open_types(&f);
                let holes: Vec<usize> =
                    (0..f.slots.len()).filter(|&i| matches!(f.slots[i], FnSlot::Hole)).collect();
                for ((i, a), ty) in holes.into_iter().zip(given).zip(types) {
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

    fn call_target(&mut self, target: Target, args: Vec<Given>, span: Span) -> Values {
        let ix = match target {
            Target::Item(ix) => ix,
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
        let (mut values, mut captured, mut fns) = (Vec::new(), Vec::new(), Vec::new());
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
        let id = self.instances.get(Key { f: ix, fns });
        let results: Vec<Type> =
            item.results.iter().filter_map(|(_, t)| t.declared().map(Type::Scalar)).collect();
        self.builder.set_span(span);
        self.builder.call(id, &values, &results)
    }
}

//! What passes that change programs share: copies of instructions, copies of functions with what they call, other names for
//! values.

use crate::Builder;
use crate::diag::Span;
use crate::module::*;
use crate::origin::{Derivation, Origin};
use rustc_hash::FxHashMap;

/// Copies instructions, in their function or into another one: what is defined in them gets new values.
pub struct Copier<'a> {
    /// What stands for a value that is defined in what is copied.
    names: FxHashMap<Value, Value>,
    /// What stands for others.
    outside: &'a dyn Fn(Value) -> Value,
}

/// Makes a new value in place of one: with its type, and [sizes](Copier::data) by their new names.
pub type Fresh<'a> = dyn FnMut(&Copier, Value) -> Value + 'a;

impl<'a> Copier<'a> {
    /// A copier of what is defined around by these names.
    pub fn new(outside: &'a dyn Fn(Value) -> Value) -> Copier<'a> {
        Copier { names: FxHashMap::default(), outside }
    }

    /// Says what stands for a value from here on.
    pub fn name(&mut self, v: Value, new: Value) {
        self.names.insert(v, new);
    }

    /// Whether something was said of a value.
    pub fn has(&self, v: Value) -> bool {
        self.names.contains_key(&v)
    }

    /// What stands for a value.
    pub fn get(&self, v: Value) -> Value {
        self.names.get(&v).copied().unwrap_or_else(|| (self.outside)(v))
    }

    /// Type and sizes of what stands for a value of these.
    pub fn data(&self, data: &ValueData) -> ValueData {
        ValueData { ty: data.ty, shape: data.shape.iter().map(|d| d.rename(|v| self.get(v))).collect() }
    }

    /// The instruction with everything in it. A result may be a size of those after it.
    pub fn inst(&mut self, inst: &Inst, fresh: &mut Fresh) -> Inst {
        let args = inst.args.iter().map(|v| self.get(*v)).collect();
        let kind = match &inst.kind {
            Kind::Size(dim) => Kind::Size(Box::new(dim.rename(|v| self.get(v)))),
            kind => kind.clone(),
        };
        let regions = inst.regions.iter().map(|r| self.region(r, fresh)).collect();
        let results = self.define(&inst.results, fresh).into();
        Inst { kind, args, results, regions, span: inst.span }
    }

    /// The region with its parameters.
    pub fn region(&mut self, r: &Region, fresh: &mut Fresh) -> Region {
        let params = self.define(&r.params, fresh);
        Region { params, ..self.body(r, fresh) }
    }

    /// The region's instructions and what it yields; its parameters have names.
    pub fn body(&mut self, r: &Region, fresh: &mut Fresh) -> Region {
        let insts = r.insts.iter().map(|i| self.inst(i, fresh)).collect();
        Region { params: Vec::new(), insts, yields: r.yields.iter().map(|v| self.get(*v)).collect() }
    }

    fn define(&mut self, values: &[Value], fresh: &mut Fresh) -> Vec<Value> {
        let mut one = |v: &Value| {
            let new = fresh(&*self, *v);
            self.names.insert(*v, new);
            new
        };
        values.iter().map(&mut one).collect()
    }
}

impl Region {
    /// Puts other values in the place of those that instructions and regions name as an operand, in a `size` or as what they
    /// yield. The sizes of what is defined stand elsewhere ([`Func::values`]).
    pub fn rename_uses(&mut self, to: &impl Fn(Value) -> Value) {
        for inst in &mut self.insts {
            inst.args.iter_mut().for_each(|v| *v = to(*v));
            if let Kind::Size(dim) = &mut inst.kind {
                **dim = dim.rename(to);
            }
            inst.regions.iter_mut().for_each(|r| r.rename_uses(to));
        }
        self.yields.iter_mut().for_each(|v| *v = to(*v));
    }

    /// Calls go to other functions.
    fn redirect(&mut self, to: &impl Fn(FuncId) -> FuncId) {
        for inst in &mut self.insts {
            if let Kind::Call(g) = &mut inst.kind {
                *g = to(*g);
            }
            inst.regions.iter_mut().for_each(|r| r.redirect(to));
        }
    }
}

impl Func {
    /// Gives the functions that it calls, is made of, or has as rules other numbers.
    fn redirect(&mut self, to: &impl Fn(FuncId) -> FuncId) {
        self.rules.iter_mut().for_each(|r| r.func = to(r.func));
        self.origin.iter_mut().for_each(|o| o.of = to(o.of));
        match &mut self.body {
            Body::Region(body) => body.redirect(to),
            Body::Derived(d) => d.of = to(d.of),
            Body::Extern(_) => {}
        }
    }
}

impl Module {
    /// Copies of a function and of what it calls, directly or not, as far as `which` says; they call each other, and have the names
    /// of what they are copies of with a suffix. The copy of the function is the first; there is none if it is not to be copied.
    pub fn copy_reachable(&mut self, f: FuncId, suffix: &str, which: impl Fn(&Func) -> bool) -> Vec<FuncId> {
        let mut copies: FxHashMap<FuncId, FuncId> = FxHashMap::default();
        let (mut order, mut open) = (Vec::new(), std::collections::VecDeque::from([f]));
        // Numbers first, calls second: a call needs the number of its callee's copy only.
        while let Some(g) = open.pop_front() {
            if which(self.func(g)) && !copies.contains_key(&g) {
                let mut copy = self.func(g).clone();
                open.extend(copy.callees());
                copy.name = self.fresh_name(&format!("{}{suffix}", copy.name));
                copy.origin = Some(Origin { of: g, program: Derivation::Copy });
                order.push(self.add(copy));
                copies.insert(g, order[order.len() - 1]);
            }
        }
        for copy in &order {
            if let Body::Region(body) = &mut self.funcs[copy.0 as usize].body {
                body.redirect(&|g| copies.get(&g).copied().unwrap_or(g));
            }
        }
        order
    }

    /// By function: whether another one needs it, being called by it or what it is derived of, as a hand-written derivative, or
    /// by what it needs.
    pub fn needed(&self, root: FuncId) -> Vec<bool> {
        let mut needed = vec![false; self.funcs.len()];
        let mut open = vec![root];
        while let Some(f) = open.pop() {
            if !std::mem::replace(&mut needed[f.0 as usize], true) {
                open.extend(self.func(f).callees());
                open.extend(self.func(f).rules.iter().map(|r| r.func));
            }
        }
        needed
    }

    /// A module of what a function needs, and the function's number in it, in the order that they have here. Whatever is done to
    /// every function of a module, or to a copy of it, then costs what the function is, not what stands beside it.
    pub fn needed_by(&self, root: FuncId) -> (Module, FuncId) {
        let mut needed = self.needed(root);
        // What they were made of says what they are.
        while let Some(of) = self
            .iter()
            .filter(|(f, _)| needed[f.0 as usize])
            .find_map(|(_, func)| func.origin.map(|o| o.of).filter(|of| !needed[of.0 as usize]))
        {
            needed.iter_mut().zip(self.needed(of)).for_each(|(all, more)| *all |= more);
        }
        let kept: Vec<FuncId> = self.iter().map(|(f, _)| f).filter(|f| needed[f.0 as usize]).collect();
        let numbers: FxHashMap<FuncId, FuncId> =
            kept.iter().enumerate().map(|(k, f)| (*f, FuncId(k as u32))).collect();
        let mut funcs: Vec<Func> = kept.iter().map(|f| self.func(*f).clone()).collect();
        funcs.iter_mut().for_each(|func| func.redirect(&|g| numbers[&g]));
        (Module { funcs }, numbers[&root])
    }

    /// The module with nothing in the functions that one does not need: they cost nothing, and numbers stay what they are.
    pub fn emptied_but(&self, root: FuncId) -> Module {
        let needed = self.needed(root);
        let unused = |k: usize, origin: Option<Origin>| {
            let nothing = Builder::new(format!("unused {k}"), Span::NONE).finish(Vec::new());
            Func { origin, ..nothing }
        };
        let of = |(k, func): (usize, &Func)| if needed[k] { func.clone() } else { unused(k, func.origin) };
        Module { funcs: self.funcs.iter().enumerate().map(of).collect() }
    }
}

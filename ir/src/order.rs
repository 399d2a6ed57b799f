//! Walks over a function: the order in which it defines its values, renumbering by it, whom it calls and in which
//! order functions can be processed.

use crate::dims::Dim;
use crate::module::*;
use rustc_hash::FxHashSet;

impl Func {
    /// Every value in order of definition: dimensions, parameters, then instruction by instruction what its regions
    /// define (their parameters first), then its results. A value defined twice (a malformed function) comes twice.
    pub fn definitions(&self) -> Vec<Value> {
        fn region(r: &Region, out: &mut Vec<Value>) {
            out.extend(&r.params);
            for inst in &r.insts {
                inst.regions.iter().for_each(|r| region(r, out));
                out.extend(&inst.results);
            }
        }
        let mut out: Vec<Value> =
            self.dims.iter().map(|d| d.value).chain(self.params.iter().map(|p| p.value)).collect();
        if let Some(body) = self.region() {
            region(body, &mut out);
        }
        out
    }

    /// The functions it calls, or is derived of, each once, in order of the first call.
    pub fn callees(&self) -> Vec<FuncId> {
        fn region(r: &Region, out: &mut Vec<FuncId>) {
            for inst in &r.insts {
                if let Kind::Call(f) = inst.kind {
                    out.push(f);
                }
                inst.regions.iter().for_each(|r| region(r, out));
            }
        }
        let mut out = Vec::new();
        self.region().into_iter().for_each(|r| region(r, &mut out));
        if let Body::Derived(d) = &self.body {
            out.push(d.of);
        }
        let mut seen = FxHashSet::default();
        out.retain(|f| seen.insert(*f));
        out
    }

    /// Numbers the values in order of definition and drops those that nothing defines, which is how
    /// [`crate::text::parse_module`] numbers them.
    ///
    /// # Panics
    /// If a value is defined twice, or used but not defined.
    pub fn renumber(&mut self) {
        const UNDEFINED: Value = Value(u32::MAX);
        let order = self.definitions();
        let mut new = vec![UNDEFINED; self.values.len()];
        for (i, v) in order.iter().enumerate() {
            assert_eq!(new[v.0 as usize], UNDEFINED, "v{} of `{}` is defined twice", v.0, self.name);
            new[v.0 as usize] = Value(i as u32);
        }
        let name = &self.name;
        let rename = |v: &mut Value| {
            *v = new[v.0 as usize];
            assert_ne!(*v, UNDEFINED, "`{name}` uses a value that nothing defines");
        };
        let mut values: Vec<ValueData> = order.iter().map(|v| self.values[v.0 as usize].clone()).collect();
        let shapes =
            values.iter_mut().map(|d| &mut d.shape).chain(self.results.iter_mut().map(|r| &mut r.shape));
        shapes.flatten().for_each(|dim| rename_dim(dim, &rename));
        self.values = values;
        self.dims.iter_mut().for_each(|d| rename(&mut d.value));
        self.params.iter_mut().for_each(|p| rename(&mut p.value));
        if let Body::Region(body) = &mut self.body {
            body.for_each_value(&rename);
        }
    }
}

impl Module {
    /// A function and everything it calls, directly or not, each once, the function first.
    pub fn reachable(&self, root: FuncId) -> Vec<FuncId> {
        self.reachable_from(&[root])
    }

    /// Functions and everything they call, directly or not, each once, `roots` first.
    pub fn reachable_from(&self, roots: &[FuncId]) -> Vec<FuncId> {
        let mut seen = vec![false; self.funcs.len()];
        let mut new = |g: &FuncId| !std::mem::replace(&mut seen[g.0 as usize], true);
        let mut order: Vec<FuncId> = roots.iter().copied().filter(&mut new).collect();
        let mut next = 0;
        while let Some(&f) = order.get(next) {
            order.extend(self.func(f).callees().into_iter().filter(&mut new));
            next += 1;
        }
        order
    }

    /// Every function, callees before their callers; otherwise in order of their ids.
    ///
    /// Where functions with dimensions call each other in a cycle, some callers come first.
    pub fn callees_first(&self) -> Vec<FuncId> {
        let mut order = Vec::with_capacity(self.funcs.len());
        let mut seen = vec![false; self.funcs.len()];
        // Functions whose callees are being visited, with those still to visit, last first.
        let mut path: Vec<(FuncId, Vec<FuncId>)> = Vec::new();
        let open = |f: FuncId| (f, self.func(f).callees().into_iter().rev().collect());
        for (root, _) in self.iter() {
            if !std::mem::replace(&mut seen[root.0 as usize], true) {
                path.push(open(root));
            }
            while let Some((f, rest)) = path.last_mut() {
                match rest.pop() {
                    Some(callee) if !std::mem::replace(&mut seen[callee.0 as usize], true) => {
                        path.push(open(callee))
                    }
                    Some(_) => {}
                    None => {
                        order.push(*f);
                        path.pop();
                    }
                }
            }
        }
        order
    }
}

impl Region {
    /// Adds to `uses`, by [`Value`], how often instructions and regions name each as an operand, in a `size` or as what they yield.
    pub fn count_uses(&self, uses: &mut [u32]) {
        for inst in &self.insts {
            inst.args.iter().for_each(|v| uses[v.0 as usize] += 1);
            if let Kind::Size(dim) = &inst.kind {
                dim.vars().for_each(|v| uses[v.0 as usize] += 1);
            }
            inst.regions.iter().for_each(|r| r.count_uses(uses));
        }
        self.yields.iter().for_each(|v| uses[v.0 as usize] += 1);
    }

    /// Applies `f` to every value the region names, nested ones included: parameters, operands, values in a `size`,
    /// results, yields. The shapes of values are in [`Func::values`], and not its business.
    pub fn for_each_value(&mut self, f: &impl Fn(&mut Value)) {
        self.params.iter_mut().for_each(f);
        for inst in &mut self.insts {
            inst.args.iter_mut().for_each(f);
            if let Kind::Size(dim) = &mut inst.kind {
                rename_dim(dim, f);
            }
            inst.regions.iter_mut().for_each(|r| r.for_each_value(f));
            inst.results.iter_mut().for_each(f);
        }
        self.yields.iter_mut().for_each(f);
    }
}

/// Applies `f` to the values in a size.
fn rename_dim(dim: &mut Dim, f: &impl Fn(&mut Value)) {
    *dim = dim.rename(|mut v| {
        f(&mut v);
        v
    });
}

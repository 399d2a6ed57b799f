//! Walks over a function: the order in which it defines its values, renumbering by it, whom it calls and in which
//! order functions can be processed.

use crate::Type;
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
        let count = self.values.len();
        let mut n =
            Numbering { new: vec![UNDEFINED; count], order: Vec::with_capacity(count), name: &self.name };
        self.dims.iter_mut().for_each(|d| n.define(&mut d.value));
        self.params.iter_mut().for_each(|p| n.define(&mut p.value));
        if let Body::Region(body) = &mut self.body {
            n.region(body);
        }
        let Numbering { new, order, name } = n;
        let mut values: Vec<ValueData> = order
            .iter()
            .map(|v| std::mem::replace(&mut self.values[v.0 as usize], Type::BOOL.into()))
            .collect();
        let shapes =
            values.iter_mut().map(|d| &mut d.shape).chain(self.results.iter_mut().map(|r| &mut r.shape));
        shapes.flatten().for_each(|dim| rename_dim(dim, &|v| *v = renamed(*v, &new, name)));
        self.values = values;
    }
}

/// The new number of a value that has none yet.
const UNDEFINED: Value = Value(u32::MAX);

/// The walk of [`Func::renumber`]: what is used was defined before.
struct Numbering<'a> {
    new: Vec<Value>,
    /// The values defined so far, by their old numbers.
    order: Vec<Value>,
    name: &'a str,
}

impl Numbering<'_> {
    fn region(&mut self, r: &mut Region) {
        r.params.iter_mut().for_each(|v| self.define(v));
        for inst in &mut r.insts {
            inst.args.iter_mut().for_each(|v| *v = renamed(*v, &self.new, self.name));
            if let Kind::Size(dim) = &mut inst.kind {
                rename_dim(dim, &|v| *v = renamed(*v, &self.new, self.name));
            }
            inst.regions.iter_mut().for_each(|r| self.region(r));
            inst.results.iter_mut().for_each(|v| self.define(v));
        }
        r.yields.iter_mut().for_each(|v| *v = renamed(*v, &self.new, self.name));
    }

    fn define(&mut self, v: &mut Value) {
        let new = &mut self.new[v.0 as usize];
        assert_eq!(*new, UNDEFINED, "v{} of `{}` is defined twice", v.0, self.name);
        *new = Value(self.order.len() as u32);
        self.order.push(std::mem::replace(v, *new));
    }
}

fn renamed(v: Value, new: &[Value], name: &str) -> Value {
    let v = new[v.0 as usize];
    assert_ne!(v, UNDEFINED, "`{name}` uses a value that nothing defines before");
    v
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
}

/// Applies `f` to the values in a size.
fn rename_dim(dim: &mut Dim, f: &impl Fn(&mut Value)) {
    *dim = dim.rename(|mut v| {
        f(&mut v);
        v
    });
}

#[cfg(all(test, feature = "testing"))]
mod tests {
    use crate::module::*;
    use crate::text::parse_module;

    #[test]
    fn a_module_of_what_a_function_needs() {
        let text = "fn alone(x: f64) -> f64 {
  v0 = sin x
  return v0
}

fn inner(x: f64) -> f64 {
  v0 = square x
  return v0
}

fn slope(x: f64, out: f64, g: f64) -> f64 {
  v0 = call inner(g)
  return v0
}

fn outer(x: f64) -> f64 {
  v0 = call inner(x)
  v1 = call alone(v0)
  return v1
}

#[rule(vjp, slope)]
fn wanted(x: f64) -> f64 {
  v0 = call inner(x)
  return v0
}
";
        let m = parse_module(text).unwrap_or_else(|d| panic!("{}", d.message));
        let id = |m: &Module, name: &str| m.find(name).expect("it is there");
        let wanted = id(&m, "wanted");
        let (needed, f) = m.needed_by(wanted);
        let names: Vec<&str> = needed.funcs.iter().map(|f| f.name.as_str()).collect();
        assert_eq!(names, ["inner", "slope", "wanted"]);
        assert_eq!((f, needed.func(f).rules[0].func), (FuncId(2), FuncId(1)));
        assert_eq!(needed.func(f).callees(), [FuncId(0)]);
        assert_eq!(crate::verify::verify(&needed), Ok(()), "{needed}");
        assert_eq!(m.needed_by(id(&m, "outer")).0.funcs.len(), 3);
    }
}

//! Specialisation: numbers in place of dimensions.
//!
//! An *instance* of a function has no dimensions. Sizes, integers and booleans that follow from the numbers are folded,
//! an `if` on one of them is decided first and only the branch taken is looked at, so recursion over dimensions
//! ends. Calls go to instances of the callees; a call whose dimensions are not numbers even then stays as it is. Nothing
//! else changes, and no run-time error is lost: results and errors are those of the symbolic program.
//!
//! The instance of an extern function calls it with the numbers.
//!
//! Instances are named after function and numbers, `f[N=3]`, and made once per module; a function without dimensions
//! that calls one with dimensions has an instance `g[]`. Their rules are instances of the function's rules.

use crate::codes::Code;
use crate::diag::{Diagnostic, Span};
use crate::dims::{Dim, Shape};
use crate::interp::fold;
use crate::module::*;
use crate::ops::Op;
use crate::types::{Scalar, Type};
use rustc_hash::{FxHashMap, FxHashSet};

/// Instances one call of [`specialise`] makes at most.
pub const MAX_INSTANCES: usize = 1024;
/// Instructions at most of instances beside the first of each function.
pub const MAX_REPEATED: usize = 500_000;
/// Bytes of an array at most.
pub const MAX_ARRAY_BYTES: i64 = 1 << 36;

/// The instance of a function for these dimensions: made if it is not there yet, with those of everything it calls. The
/// function itself if neither it nor what it calls has dimensions.
///
/// An error (and the module as it was) if there would be more than [`MAX_INSTANCES`] or [`MAX_REPEATED`], an array of more than
/// [`MAX_ARRAY_BYTES`], or a call of an instance by itself.
///
/// # Panics
/// If the number of dimensions is wrong.
pub fn specialise(m: &mut Module, f: FuncId, dims: &[i64]) -> Result<FuncId, Diagnostic> {
    let before = m.funcs.len();
    let symbolic = symbolic(m);
    let (made, functions) = (FxHashMap::default(), FxHashSet::default());
    let mut s = Specialiser { m, symbolic, made, queue: Vec::new(), functions, repeated: 0 };
    let result = s.instance(f, dims.to_vec(), Span::NONE).and_then(|instance| {
        while let Some((f, dims, instance)) = s.queue.pop() {
            let func = s.function(f, &dims)?;
            s.count(f, &func)?;
            s.m.funcs[instance.0 as usize] = func;
        }
        ends(s.m, before)?;
        Ok(instance)
    });
    if result.is_err() {
        m.funcs.truncate(before);
    }
    result
}

fn again_and_again(d: Diagnostic, func: &Func) -> Diagnostic {
    d.also(func.span, "made again and again for other dimensions")
        .help("end the recursion with an `if` on a dimension, halve the dimension, or make it smaller")
}

/// Refuses recursion with the same numbers again among the functions from `first` on.
fn ends(m: &Module, first: usize) -> Result<(), Diagnostic> {
    // 0: not seen, 1: on the path, 2: done.
    let mut state = vec![0u8; m.funcs.len()];
    for start in first..m.funcs.len() {
        let mut path = vec![(start, m.funcs[start].callees())];
        if std::mem::replace(&mut state[start], 1) != 0 {
            state[start] = 2;
            continue;
        }
        while let Some((at, open)) = path.last_mut() {
            let at = *at;
            let Some(FuncId(callee)) = open.pop() else {
                state[at] = 2;
                path.pop();
                continue;
            };
            let callee = callee as usize;
            match state[callee] {
                0 => {
                    state[callee] = 1;
                    path.push((callee, m.funcs[callee].callees()));
                }
                1 => {
                    let f = &m.funcs[callee];
                    return Err(Diagnostic::error(Code::Recursion, format!("`{}` calls itself", f.name))
                        .label(f.span, "with the same dimensions again")
                        .help("make the dimension smaller in the call, and end with an `if` on it"));
                }
                _ => {}
            }
        }
    }
    Ok(())
}

/// By function: whether it has dimensions, or calls one that has, or its rules do.
fn symbolic(m: &Module) -> Vec<bool> {
    let mut symbolic: Vec<bool> = m.funcs.iter().map(|f| !f.dims.is_empty()).collect();
    let order = m.callees_first();
    loop {
        let before = symbolic.clone();
        for f in &order {
            let func = m.func(*f);
            let mut needed = func.callees().into_iter().chain(func.rules.iter().map(|r| r.func));
            symbolic[f.0 as usize] |= needed.any(|g| symbolic[g.0 as usize]);
        }
        if symbolic == before {
            return symbolic;
        }
    }
}

struct Specialiser<'m> {
    m: &'m mut Module,
    /// [`symbolic`] of the module as it was.
    symbolic: Vec<bool>,
    made: FxHashMap<(FuncId, Vec<i64>), FuncId>,
    /// Instances whose bodies are still to be made: function, numbers, instance.
    queue: Vec<(FuncId, Vec<i64>, FuncId)>,
    /// Those of which an instance has been made.
    functions: FxHashSet<FuncId>,
    /// Instructions of further instances of them.
    repeated: usize,
}

impl Specialiser<'_> {
    /// The instance's id; its body comes later. `span` is who asks.
    fn instance(&mut self, f: FuncId, dims: Vec<i64>, span: Span) -> Result<FuncId, Diagnostic> {
        // A function made by an earlier specialisation is an instance already.
        if !self.symbolic.get(f.0 as usize).is_some_and(|s| *s) {
            return Ok(f);
        }
        if let Some(instance) = self.made.get(&(f, dims.clone())) {
            return Ok(*instance);
        }
        let func = self.m.func(f);
        assert_eq!(dims.len(), func.dims.len(), "`{}` takes {} dimensions", func.name, func.dims.len());
        let numbers: Vec<String> =
            func.dims.iter().zip(&dims).map(|(d, n)| format!("{}={n}", d.name)).collect();
        let name = format!("{}[{}]", func.name, numbers.join(", "));
        let instance = match self.m.find(&name) {
            Some(instance) => instance,
            None if self.made.len() >= MAX_INSTANCES => {
                let message = format!("`{}` needs more than {MAX_INSTANCES} functions", func.name);
                let d = Diagnostic::error(Code::TooMuchCode, message);
                return Err(again_and_again(d.label(span, format!("`{name}` would be one more")), func));
            }
            None => {
                let body = Body::Region(Region::default());
                let placeholder = Func { name, body, rules: Vec::new(), ..Self::signature(func) };
                self.m.funcs.push(placeholder);
                let instance = FuncId(self.m.funcs.len() as u32 - 1);
                self.queue.push((f, dims.clone(), instance));
                instance
            }
        };
        self.made.insert((f, dims), instance);
        Ok(instance)
    }

    /// Counts what an instance adds.
    fn count(&mut self, f: FuncId, instance: &Func) -> Result<(), Diagnostic> {
        if self.functions.insert(f) {
            return Ok(());
        }
        self.repeated += instance.inst_count();
        if self.repeated > MAX_REPEATED {
            let message = format!("`{}` takes more than {MAX_REPEATED} operations", instance.name);
            return Err(again_and_again(Diagnostic::error(Code::TooMuchCode, message), self.m.func(f)));
        }
        Ok(())
    }

    /// A function without what takes time to copy.
    fn signature(func: &Func) -> Func {
        Func {
            name: String::new(),
            dims: Vec::new(),
            params: Vec::new(),
            results: Vec::new(),
            body: Body::Region(Region::default()),
            values: Vec::new(),
            rules: Vec::new(),
            origin: func.origin,
            of_rule: func.of_rule,
            inline: func.inline,
            fp: func.fp,
            span: func.span,
        }
    }

    /// The instance itself.
    fn function(&mut self, f: FuncId, dims: &[i64]) -> Result<Func, Diagnostic> {
        let source = self.m.func(f).clone();
        let name = self.made.get(&(f, dims.to_vec())).map(|i| self.m.func(*i).name.clone());
        let mut func = Func { name: name.expect("it is being made"), ..source };
        for rule in &mut func.rules {
            rule.func = self.instance(rule.func, dims.to_vec(), rule.span)?;
        }
        let count = func.values.len();
        let mut folder = Folder {
            values: std::mem::take(&mut func.values),
            known: vec![None; count],
            to: (0..count as u32).map(Value).collect(),
            s: self,
        };
        let mut insts = Vec::new();
        let dim_values: Vec<Value> = func.dims.iter().map(|d| d.value).collect();
        let yields = func.region().map_or(Vec::new(), |r| r.yields.clone());
        for (d, n) in std::mem::take(&mut func.dims).into_iter().zip(dims) {
            folder.known[d.value.0 as usize] = Some(Const::I64(*n));
            insts.push(literal(d.value, Const::I64(*n), d.span));
        }
        for p in &func.params {
            folder.sizes(&[p.value], p.span)?;
        }
        let mut body = std::mem::replace(&mut func.body, Body::Region(Region::default()));
        if let Body::Derived(d) = &mut body {
            d.of = folder.s.instance(d.of, dims.to_vec(), func.span)?;
        }
        if let Body::Region(r) = &mut body {
            let (numbers, mut rest) = (std::mem::take(&mut insts), Vec::new());
            r.yields = folder.region(std::mem::take(r), &mut rest)?;
            r.insts = numbers;
            r.insts.retain(|i| uses(&rest, &r.yields, i.results[0]));
            r.insts.extend(rest);
        }
        // Callers know a size that is a result by that result, whatever its number turns out to be.
        let entry: Vec<Value> = dim_values.into_iter().chain(func.params.iter().map(|p| p.value)).collect();
        for r in &mut func.results {
            let told = |v: Value| yields.contains(&v) && !entry.contains(&v);
            let shape = r.shape.iter().map(|d| folder.dim_but(d, told).ok_or_else(|| too_large(func.span)));
            r.shape = shape.collect::<Result<_, _>>()?;
        }
        if let Body::Extern(_) = body {
            // Native code gets its dimensions as arguments, in a call of the function itself.
            let args =
                insts.iter().map(|i| i.results[0]).chain(func.params.iter().map(|p| p.value)).collect();
            let first = folder.values.len() as u32;
            folder.values.extend(func.results.iter().map(ResultDecl::data));
            let yields: Vec<Value> = (first..folder.values.len() as u32).map(Value).collect();
            let (kind, results, regions) = (Kind::Call(f), Values::from_slice(&yields), Vec::new());
            insts.push(Inst { kind, args, results, regions, span: func.span });
            body = Body::Region(Region { params: Vec::new(), insts, yields });
        }
        func.body = body;
        func.values = folder.values;
        func.renumber();
        Ok(func)
    }
}

fn literal(v: Value, c: Const, span: Span) -> Inst {
    Inst {
        kind: Kind::Const(c),
        args: Values::new(),
        results: Values::from_slice(&[v]),
        regions: Vec::new(),
        span,
    }
}

fn uses(insts: &[Inst], yields: &[Value], v: Value) -> bool {
    let nested = |r: &Region| uses(&r.insts, &r.yields, v);
    yields.contains(&v) || insts.iter().any(|i| i.args.contains(&v) || i.regions.iter().any(nested))
}

/// A body being copied with what is known put in.
struct Folder<'s, 'm> {
    s: &'s mut Specialiser<'m>,
    values: Vec<ValueData>,
    /// Integers and booleans, by [`Value`].
    known: Vec<Option<Const>>,
    /// By value: itself, or the value that a decided `if` yields for it.
    to: Vec<Value>,
}

impl Folder<'_, '_> {
    /// Emits the region's instructions and gives what it yields.
    fn region(&mut self, r: Region, out: &mut Vec<Inst>) -> Result<Vec<Value>, Diagnostic> {
        for inst in r.insts {
            self.inst(inst, out)?;
        }
        Ok(r.yields.into_iter().map(|v| self.to[v.0 as usize]).collect())
    }

    fn inst(&mut self, mut inst: Inst, out: &mut Vec<Inst>) -> Result<(), Diagnostic> {
        inst.args.iter_mut().for_each(|v| *v = self.to[v.0 as usize]);
        let known = match &inst.kind {
            Kind::If => match self.known[inst.args[0].0 as usize] {
                Some(Const::Bool(cond)) => {
                    let taken = inst.regions.swap_remove(!cond as usize);
                    let yields = self.region(taken, out)?;
                    for (v, y) in inst.results.iter().zip(yields) {
                        self.to[v.0 as usize] = y;
                    }
                    return Ok(());
                }
                _ => None,
            },
            Kind::Size(dim) => {
                let dim = self.dim(dim);
                let n = dim.as_ref().and_then(Dim::as_const);
                // A size out of range stays, to end the run where it is needed.
                inst.kind = dim.map_or(inst.kind, |dim| Kind::Size(Box::new(dim)));
                n.map(Const::I64)
            }
            Kind::Const(c) if matches!(c, Const::I64(_) | Const::Bool(_)) => Some(*c),
            Kind::Op(op) => self.fold(*op, &inst),
            Kind::Call(callee) => {
                let callee = *callee;
                let dims = self.s.m.func(callee).dims.len();
                let numbers: Option<Vec<i64>> = (inst.args[..dims].iter())
                    .map(|v| match self.known[v.0 as usize] {
                        Some(Const::I64(n)) => Some(n),
                        _ => None,
                    })
                    .collect();
                if let Some(numbers) = numbers {
                    inst.kind = Kind::Call(self.s.instance(callee, numbers, inst.span)?);
                    inst.args = Values::from_slice(&inst.args[dims..]);
                }
                None
            }
            _ => None,
        };
        if let Some(c) = known {
            let v = inst.results[0];
            self.known[v.0 as usize] = Some(c);
            inst = literal(v, c, inst.span);
        }
        for r in &mut inst.regions {
            self.sizes(&r.params, inst.span)?;
            let mut insts = Vec::new();
            let params = std::mem::take(&mut r.params);
            let yields = self.region(std::mem::take(r), &mut insts)?;
            *r = Region { params, insts, yields };
        }
        self.sizes(&inst.results, inst.span)?;
        out.push(inst);
        Ok(())
    }

    /// The result of an op on known integers and booleans, if it is one and the op does not fail.
    fn fold(&self, op: Op, inst: &Inst) -> Option<Const> {
        let ty = self.values[inst.results[0].0 as usize].ty.scalar();
        if !matches!(ty, Scalar::Bool | Scalar::I64) {
            return None;
        }
        let args: Option<Vec<Const>> = inst.args.iter().map(|v| self.known[v.0 as usize]).collect();
        fold(op, &args?)
    }

    /// Puts what is known into the sizes of values, and checks that they are not too large.
    fn sizes(&mut self, values: &[Value], span: Span) -> Result<(), Diagnostic> {
        for v in values {
            let data = &self.values[v.0 as usize];
            if !data.ty.is_array() {
                continue;
            }
            let shape = self.shape(&data.shape, span)?;
            if is_too_large(data.ty, &shape) {
                return Err(too_large(span));
            }
            self.values[v.0 as usize].shape = shape;
        }
        Ok(())
    }

    fn shape(&self, shape: &[Dim], span: Span) -> Result<Shape, Diagnostic> {
        shape.iter().map(|d| self.dim(d).ok_or_else(|| too_large(span))).collect()
    }

    /// The size with what is known in it; `None` if that is out of range.
    fn dim(&self, dim: &Dim) -> Option<Dim> {
        self.dim_but(dim, |_| false)
    }

    /// The same where some variables stay.
    fn dim_but(&self, dim: &Dim, stays: impl Fn(Value) -> bool) -> Option<Dim> {
        dim.substitute(|v| {
            let stay = stays(v);
            let v = self.to[v.0 as usize];
            match self.known[v.0 as usize] {
                Some(Const::I64(n)) if !stay => Dim::constant(n),
                _ => Dim::var(v),
            }
        })
    }
}

/// Whether an array has more than [`MAX_ARRAY_BYTES`], or would have if no axis were empty, as far as its sizes are numbers.
fn is_too_large(ty: Type, shape: &[Dim]) -> bool {
    let Some(sizes) = shape.iter().map(Dim::as_const).collect::<Option<Vec<i64>>>() else { return false };
    // A negative size is a run-time error where the array is made. One that is 0 does not make the others small: whoever multiplies
    // some of them, in any order, relies on this.
    let bytes = sizes.iter().try_fold(ty.scalar().bytes() as i64, |b, n| b.checked_mul((*n).max(1)));
    bytes.is_none_or(|b| b > MAX_ARRAY_BYTES)
}

/// Refuses arrays whose sizes are numbers, in functions as they were written: later passes multiply sizes without asking.
///
/// # Errors
/// An array of more than [`MAX_ARRAY_BYTES`].
pub fn check_sizes(m: &Module) -> Result<(), Diagnostic> {
    for (_, f) in m.iter() {
        let large = |v: Value| f.ty(v).is_array() && is_too_large(f.ty(v), f.shape(v));
        if let Some(p) = f.params.iter().find(|p| large(p.value)) {
            return Err(too_large(p.span));
        }
        if let Some(span) = f.region().and_then(|r| made_too_large(r, &large)) {
            return Err(too_large(span));
        }
        if f.results.iter().any(|r| r.ty.is_array() && is_too_large(r.ty, &r.shape)) {
            return Err(too_large(f.span));
        }
    }
    Ok(())
}

/// Where a region makes an array that is too large.
fn made_too_large(region: &Region, large: &impl Fn(Value) -> bool) -> Option<Span> {
    region.insts.iter().find_map(|inst| {
        let own = inst.results.iter().any(|v| large(*v)).then_some(inst.span);
        own.or_else(|| inst.regions.iter().find_map(|r| made_too_large(r, large)))
    })
}

fn too_large(span: Span) -> Diagnostic {
    Diagnostic::error(Code::ArrayTooLarge, format!("an array of more than {MAX_ARRAY_BYTES} bytes"))
        .label(span, "with these dimensions")
        .help("make the dimensions smaller")
}

//! Parameters of programs that are built around a function: the same as its own, without their attributes.

use adc_ir::*;

/// The dimensions and parameters declared so far, by position in the function they are taken from.
pub(crate) struct Entry {
    pub dims: Vec<Value>,
    pub params: Vec<Value>,
}

impl Entry {
    /// Declares the function's dimensions and parameters in a builder that has none, with types as `ty` says.
    pub(crate) fn declare(b: &mut Builder, func: &Func, ty: fn(Type) -> Type) -> Entry {
        let mut entry = Entry { dims: Vec::new(), params: Vec::new() };
        for d in &func.dims {
            b.set_span(d.span);
            entry.dims.push(b.dim(d.name.clone()));
        }
        // Values are numbered in order, so sizes may refer to parameters that come later.
        let first = b.func().values.len() as u32;
        entry.params = (first..).map(Value).take(func.params.len()).collect();
        for p in &func.params {
            b.set_span(p.span);
            let data = entry.data(func, p.value, ty);
            b.param(p.name.clone(), data);
        }
        b.set_span(func.span);
        entry
    }

    /// Type and sizes of a parameter, in the builder's terms.
    pub(crate) fn data(&self, func: &Func, v: Value, ty: fn(Type) -> Type) -> ValueData {
        let here = |v: Value| {
            let i = func.entry_position(v).expect("sizes of parameters are made of entry values");
            match i.checked_sub(self.dims.len()) {
                None => self.dims[i],
                Some(i) => self.params[i],
            }
        };
        let data = func.data(v);
        ValueData { ty: ty(data.ty), shape: data.shape.iter().map(|d| d.rename(here)).collect() }
    }
}

/// `base`, or `base` with a number if a parameter has that name.
pub(crate) fn fresh_param(b: &Builder, base: String) -> String {
    let f = b.func();
    let taken = |n: &String| f.params.iter().any(|p| p.name == *n) || f.dims.iter().any(|d| d.name == *n);
    (1..)
        .map(|i| if i == 1 { base.clone() } else { format!("{base}.{i}") })
        .find(|n| !taken(n))
        .expect("infinitely many names")
}

/// `op(a, c)`, entry by entry if they are arrays.
pub(crate) fn elementwise(b: &mut Builder, op: Op, a: Value, c: Value) -> Value {
    let shape = b.data(a).shape.clone();
    if shape.is_empty() {
        return b.op(op, &[a, c]);
    }
    b.build(&shape, |b, i| {
        let (x, y) = (b.index(a, i), b.index(c, i));
        b.op(op, &[x, y])
    })
}

//! The function whose results are sums over those of another one: the relative-error form differentiates it unless every
//! entry is to be compared.

use adc_ir::*;

/// `f` with its real and complex arrays added up; `f` itself if it returns none.
pub(crate) fn of(m: &mut Module, f: FuncId) -> FuncId {
    let func = m.func(f);
    let array = |r: &ResultDecl| r.ty.is_array() && r.ty.is_differentiable();
    let fits = |r: &ResultDecl| dims::elements(&r.shape).is_some();
    if !func.results.iter().any(array) || !func.results.iter().filter(|r| array(r)).all(fits) {
        return f;
    }
    let (mut b, params) = Builder::like(func, m.fresh_name(&format!("{}.sums", func.name)));
    let dims: Vec<Value> = b.func().dims.iter().map(|d| d.value).collect();
    let values = b.call_of(m, f, &[dims, params].concat());
    let mut results = Vec::new();
    for (r, v) in func.results.iter().zip(values) {
        let mut v = v;
        if array(r) {
            let n = dims::elements(&b.data(v).shape.clone()).expect("checked above");
            if b.ty(v).rank() > 1 {
                v = b.reshape(v, vec![n.clone()]);
            }
            let range = b.range(&n);
            v = b.reduce(ReduceOp::Sum, range, |b, i| b.index(v, &[i]));
        }
        results.push((r.name.clone(), v));
    }
    let sums = b.finish(results);
    m.add(sums)
}

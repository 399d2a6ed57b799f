//! Bound calls allocate nothing in the steady state. Alone in its process, so that every allocation counted is its own.

use adc::{C128, Model, Options, Value, Workspace, Wrt};
use ndarray::{Array1, Array2};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use std::alloc::System;

#[global_allocator]
static GLOBAL: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

#[test]
fn bound_calls_allocate_nothing() {
    let source = "fn f[N, M](A: f64[M, N], x: f64[N], k: f64 in [0, 10]) -> f64 {
        var s = 0.0;
        for i in 0..20 { s = sin(s + k*sum(tanh((A @ x)[j])^2 for j)); }
        s
    }";
    let model = Model::parse("f.dsl", source).unwrap_or_else(|d| panic!("{d}"));
    let f = model.function("f").unwrap().value_and_grad(Wrt::All).unwrap();
    let f = f.compile(&Options::default()).unwrap();
    let (a, x) = (Array2::<f64>::ones((3, 4)), Array1::<f64>::from_elem(4, 0.1));
    let mut workspace = Workspace::default();
    let mut bound = f.bind(&mut workspace);
    let mut out = vec![Value::Bool(false); 4];
    bound.call_into(&[(&a).into(), (&x).into(), 0.5.into()], &mut out).unwrap();
    let (mut value, mut da, mut dx, mut dk) = (0.0, a.clone(), x.clone(), 0.0);
    let (x_slice, mut da_slice, mut dx_slice) = ([0.1; 4], [0.0; 12], vec![0.0; 4]);
    let mut fixed = f.fixed(&[(&a).into(), (&x).into(), 0.5.into()]).unwrap();
    let source = "fn g(x: f64, n: i64 in [0, 3]) -> (f64, c128) { (x^n, cis(x)) }";
    let direct = Model::parse("g.dsl", source).unwrap().function("g").unwrap().compile(&Options::default());
    let mut direct = direct.unwrap().direct::<(f64, i64), (f64, C128)>().unwrap();
    fixed.call().unwrap();
    let plain = Model::parse("h.dsl", "fn h(t: f64, y: f64[2]) -> f64[2] { [t*y[0], y[1]] }").unwrap();
    let plain = plain.function("h").unwrap().compile(&Options::default()).unwrap();
    let (mut workspace, mut slope) = (Workspace::default(), [0.0; 2]);
    let mut plain = plain.bind(&mut workspace);
    plain.call_reals(&[&[2.0], &[3.0, 4.0]], &mut [&mut slope]).unwrap();
    let region = Region::new(GLOBAL);
    for _ in 0..10 {
        fixed.input_mut::<f64>(1).unwrap().copy_from_slice(x.as_slice().unwrap());
        fixed.call().unwrap();
        assert_eq!(direct.call((2.0, 3)).unwrap().0, 8.0);
        plain.call_reals(&[&[2.0], &[3.0, 4.0]], &mut [&mut slope]).unwrap();
        assert_eq!(slope, [6.0, 4.0]);
        let inputs = [(&a).into(), x.view().into(), 0.5.into()];
        bound.call_into(&inputs, &mut out).unwrap();
        let mut places = [(&mut value).into(), (&mut da).into(), dx.view_mut().into(), (&mut dk).into()];
        bound.call_to(&inputs, &mut places).unwrap();
        // Slices likewise: of a matrix row by row.
        let inputs = [(&a).into(), (&x_slice).into(), 0.5.into()];
        let mut places =
            [(&mut value).into(), (&mut da_slice).into(), dx_slice.as_mut_slice().into(), (&mut dk).into()];
        bound.call_to(&inputs, &mut places).unwrap();
    }
    let change = region.change();
    assert_eq!((change.allocations, change.reallocations), (0, 0), "{change:?}");
    assert_eq!(fixed.output::<f64>(1).unwrap(), da_slice);
    assert_eq!(out, [value.into(), (&da).into(), (&dx).into(), dk.into()]);
    assert_eq!((da.as_slice(), dx.as_slice()), (Some(&da_slice[..]), Some(&dx_slice[..])));
}

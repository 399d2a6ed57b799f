//! Derivatives are in the floating-point mode of their primal.

use adc_ir::text::parse_module;
use adc_ir::{FpMode, FuncId};

#[test]
fn derivatives_inherit_the_mode() {
    for mode in FpMode::all() {
        let text = format!("#[fp({mode})]\nfn f(x: f64) -> f64 {{\n  v0 = sin x\n  return v0\n}}");
        let mut m = parse_module(&text).expect("it is IR");
        let f = FuncId(0);
        let vjp = adc_ad::vjp(&mut m, f, &[0], &[0], true).expect("differentiable");
        let jvp = adc_ad::jvp(&mut m, vjp, &[0]).expect("differentiable");
        let hvp = adc_ad::hvp(&mut m, f, &[0], 0).expect("differentiable");
        assert_eq!([vjp, jvp, hvp].map(|g| m.func(g).fp), [Some(mode); 3]);
    }
}

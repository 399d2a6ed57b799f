//! Programs with arrays and loops are refused with a diagnostic, in whatever way they are reached.

use adc_ad::{jvp, linearize, vjp};
use adc_ir::Code;
use adc_ir::text::parse_module;

#[test]
fn arrays_are_refused() {
    let text = "fn same[N](x: f64[N]) -> f64[N] {\n  return x\n}\n";
    let mut m = parse_module(text).expect("it is in the text form");
    let f = m.find("same").expect("it is there");
    let refused = [
        jvp(&mut m, f, &[0]),
        vjp(&mut m, f, &[0], &[0], true),
        linearize(&mut m, f, &[0], &[0]).map(|l| l.forward),
    ];
    for result in refused {
        assert_eq!(result.expect_err("arrays are not differentiated yet").code, Code::ArraysLater);
    }
}

//! Makes a Rust module of the function `loss` in `loss.dsl` and of its derivatives.

fn main() {
    script().run();
}

pub fn script() -> adc::build::Script {
    adc::build::Script::new("loss.dsl", "loss").with_dims([("N", 4)]).with_wrt("a")
}

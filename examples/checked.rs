//! A check of a model among the tests of a program: `cargo test --example checked`, or `cargo run --example checked`.

use adc::{Error, Model, Options};

/// The softplus function; its rule avoids an overflow that differentiation would bring.
pub const MODEL: &str = "
fn softplus(x: f64) -> f64 { log1p(exp(x)) }
rule vjp softplus(x; g) { g/(1 + exp(-x)) }
check softplus { x in [-20, 20]; }";

/// The slope of the softplus function.
pub fn slope(x: f64) -> Result<f64, Error> {
    let slope = Model::parse("softplus.dsl", MODEL)?.function("softplus")?.grad("x")?;
    Ok(slope.compile(&Options::default())?.call(&[x.into()])?.remove(0).try_into()?)
}

fn main() -> Result<(), Error> {
    println!("{}", slope(0.0)?);
    Ok(())
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_rule_is_right() {
        adc::assert_gradients!(source: super::MODEL);
    }

    #[test]
    fn a_model_of_the_library() {
        adc::assert_gradients!("models/normal.dsl", adc::CheckOptions::default().with_points(4));
    }
}

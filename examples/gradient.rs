//! A gradient in 15 lines: `cargo run --example gradient`.

use adc::{Error, Model, Options, Value, Wrt};

/// Value and gradient of Rosenbrock's function at (0, 1).
pub fn rosenbrock() -> Result<Vec<Value<'static>>, Error> {
    let model = Model::parse("banana.dsl", "fn f(x: f64, y: f64) -> f64 { (1 - x)^2 + 100*(y - x^2)^2 }")?;
    let program = model.function("f")?.value_and_grad(Wrt::All)?.compile(&Options::default())?;
    program.call_named([("x", 0.0.into()), ("y", 1.0.into())])
}

fn main() -> Result<(), Error> {
    println!("f, ∂f/∂x, ∂f/∂y: {:?}", rosenbrock()?);
    Ok(())
}

//! A model that calls a Rust closure, with a derivative written by hand: `cargo run --example closure`.

use adc::{CheckOptions, Error, Externs, Model, Options};

const MODEL: &str = "
// The volume of a tank at a height, from a table; its derivative is the area there.
extern fn volume(height: f64) -> f64;
extern fn area(height: f64) -> f64;
rule vjp volume(height; g) { g*area(height) }

fn misfit(height: f64, measured: f64) -> f64 { (volume(height) - measured)^2 }
// Away from the knots of the table, where the area jumps.
check misfit { height in [1.1, 1.9]; measured in [1, 5]; }
check volume { height in [2.1, 2.9]; }";

/// Areas between heights 0, 1, 2, …
const AREAS: [f64; 4] = [1.0, 2.0, 2.5, 1.5];

fn externs() -> Externs {
    let area = |height: f64| AREAS[(height.max(0.0) as usize).min(AREAS.len() - 1)];
    let mut externs = Externs::new();
    externs.define_real("area", move |[height]| area(height));
    externs.define_real("volume", move |[height]| {
        let full: f64 = AREAS.iter().take(height as usize).sum();
        full + area(height) * height.fract()
    });
    externs
}

/// Whether the checker agrees with the rule; the misfit and its derivative with respect to the height.
pub fn misfit() -> Result<(bool, f64, f64), Error> {
    let model = Model::parse("tank.dsl", MODEL)?;
    let report = adc::check(&model, &CheckOptions::default().with_externs(externs()));
    let options = Options::default().with_externs(externs());
    let program = model.function("misfit")?.value_and_grad("height")?.compile(&options)?;
    let found = program.call(&[1.5.into(), 3.0.into()])?;
    Ok((report.passed(), found[0].clone().try_into()?, found[1].clone().try_into()?))
}

fn main() -> Result<(), Error> {
    let (passed, value, slope) = misfit()?;
    println!("the rule {}", if passed { "is right" } else { "is wrong" });
    println!("misfit {value}, its slope {slope}");
    Ok(())
}

//! Minimisation by L-BFGS, with the crate `argmin`: `cargo run --example lbfgs`.

use adc::{Compiled, Model, Options};
use argmin::core::{CostFunction, Error, Executor, Gradient, State};
use argmin::solver::linesearch::MoreThuenteLineSearch;
use argmin::solver::quasinewton::LBFGS;

const MODEL: &str = "
// Rosenbrock's function of N variables: its minimum, 0, is where all of them are 1.
fn valley[N](x: f64[N]) -> f64 { sum((1 - x[i])^2 + 100*(x[i + 1] - x[i]^2)^2 for i in 0..N - 1) }";

/// A function of one vector, with its gradient.
struct Problem {
    value: Compiled,
    gradient: Compiled,
}

impl Problem {
    fn new() -> Result<Problem, adc::Error> {
        let f = Model::parse("valley.dsl", MODEL)?.function("valley")?;
        let options = Options::default();
        Ok(Problem { value: f.compile(&options)?, gradient: f.grad("x")?.compile(&options)? })
    }
}

impl CostFunction for Problem {
    type Param = Vec<f64>;
    type Output = f64;

    fn cost(&self, x: &Vec<f64>) -> Result<f64, Error> {
        Ok(self.value.call(&[x.into()])?.remove(0).try_into()?)
    }
}

impl Gradient for Problem {
    type Param = Vec<f64>;
    type Gradient = Vec<f64>;

    fn gradient(&self, x: &Vec<f64>) -> Result<Vec<f64>, Error> {
        Ok(self.gradient.call(&[x.into()])?.remove(0).try_into()?)
    }
}

/// Where the minimum was found, and the value there.
pub fn minimum() -> Result<(Vec<f64>, f64), Error> {
    let solver = LBFGS::new(MoreThuenteLineSearch::new(), 7);
    let start = vec![-1.2, 1.0, -1.2, 1.0, -1.2];
    let executor = Executor::new(Problem::new()?, solver);
    let found = executor.configure(|state| state.param(start).max_iters(200)).run()?;
    let state = found.state();
    let x = state.get_best_param().cloned().unwrap_or_default();
    Ok((x, state.get_best_cost()))
}

fn main() -> Result<(), Error> {
    let (x, value) = minimum()?;
    println!("{value:e} at {x:?}");
    Ok(())
}

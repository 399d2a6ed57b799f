//! Least squares with ndarray: the Gauss-Newton method on the Jacobian of the residuals. `cargo run --example least_squares`

use adc::{Error, Model, Options, Workspace};
use ndarray::{Array1, Array2, array};

const MODEL: &str = "
// What an exponential decay is off the measurements y at times t; p is amplitude and rate.
fn residual[N](t: f64[N], y: f64[N], p: f64[2]) -> f64[N] {
    [p[0]*exp(-p[1]*t[i]) - y[i] for i]
}";

/// Amplitude and rate of a decay, from measurements without noise of 2.5·exp(−0.8 t).
pub fn fit() -> Result<Array1<f64>, Error> {
    let t = Array1::linspace(0.0, 4.0, 20);
    let y = t.mapv(|t| 2.5 * f64::exp(-0.8 * t));
    let program = Model::parse("decay.dsl", MODEL)?.function("residual")?.jacobian("p")?;
    let program = program.compile(&Options::default())?;

    // Results are written where they are wanted, iteration by iteration.
    let (mut r, mut j) = (Array1::<f64>::zeros(t.len()), Array2::<f64>::zeros((t.len(), 2)));
    let mut workspace = Workspace::default();
    let mut bound = program.bind(&mut workspace);
    let mut p = array![2.0, 0.5];
    for _ in 0..10 {
        bound.call_to(&[(&t).into(), (&y).into(), (&p).into()], &mut [(&mut r).into(), (&mut j).into()])?;
        p -= &solve(&j.t().dot(&j), &j.t().dot(&r));
    }
    Ok(p)
}

/// Solves a system of two equations by Cramer's rule.
fn solve(a: &Array2<f64>, b: &Array1<f64>) -> Array1<f64> {
    let det = a[[0, 0]] * a[[1, 1]] - a[[0, 1]] * a[[1, 0]];
    array![a[[1, 1]] * b[0] - a[[0, 1]] * b[1], a[[0, 0]] * b[1] - a[[1, 0]] * b[0]] / det
}

fn main() -> Result<(), Error> {
    println!("amplitude and rate: {}", fit()?);
    Ok(())
}

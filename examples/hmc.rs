//! Hamiltonian Monte Carlo: samples of a density, by the gradient of its logarithm. `cargo run --example hmc`

use adc::{Error, Model, Options, Workspace};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

const MODEL: &str = "
// Minus the logarithm of a normal density: mean (1, -1), variances 1 and 0.36, correlation 0.8.
fn energy(q: f64[2]) -> f64 {
    let x = q[0] - 1;
    let y = (q[1] + 1)/0.6;
    (x^2 - 1.6*x*y + y^2)/(2*0.36)
}";

const SAMPLES: usize = 20_000;
const STEPS: usize = 8;
const STEP: f64 = 0.25;

/// Means and variances of the samples.
pub fn moments() -> Result<([f64; 2], [f64; 2]), Error> {
    let program = Model::parse("normal.dsl", MODEL)?.function("energy")?.value_and_grad("q")?;
    let program = program.compile(&Options::default())?;
    let mut workspace = Workspace::default();
    let mut bound = program.bind(&mut workspace);
    // Value and gradient without allocation.
    let mut energy = |q: &[f64; 2]| -> Result<(f64, [f64; 2]), Error> {
        let (mut value, mut slope) = (0.0, [0.0; 2]);
        bound.call_to(&[q.into()], &mut [(&mut value).into(), (&mut slope).into()])?;
        Ok((value, slope))
    };

    let mut rng = StdRng::seed_from_u64(1);
    let mut q = [0.0; 2];
    let (mut sums, mut squares) = ([0.0; 2], [0.0; 2]);
    for _ in 0..SAMPLES {
        let mut p = normals(&mut rng);
        let (start, mut slope) = energy(&q)?;
        let before = start + kinetic(&p);
        let (mut at, mut end) = (q, start);
        for _ in 0..STEPS {
            p = [p[0] - 0.5 * STEP * slope[0], p[1] - 0.5 * STEP * slope[1]];
            at = [at[0] + STEP * p[0], at[1] + STEP * p[1]];
            (end, slope) = energy(&at)?;
            p = [p[0] - 0.5 * STEP * slope[0], p[1] - 0.5 * STEP * slope[1]];
        }
        // The error of the integration is made up for by accepting only some of the samples.
        if rng.random_range(0.0..1.0) < (before - end - kinetic(&p)).exp() {
            q = at;
        }
        for k in 0..2 {
            sums[k] += q[k];
            squares[k] += q[k] * q[k];
        }
    }
    let mean = sums.map(|s| s / SAMPLES as f64);
    let variance = [0, 1].map(|k| squares[k] / SAMPLES as f64 - mean[k] * mean[k]);
    Ok((mean, variance))
}

fn kinetic(p: &[f64; 2]) -> f64 {
    0.5 * (p[0] * p[0] + p[1] * p[1])
}

/// Two standard normal numbers, by the formula of Box and Muller.
fn normals(rng: &mut StdRng) -> [f64; 2] {
    let (u, v): (f64, f64) = (1.0 - rng.random_range(0.0..1.0), rng.random_range(0.0..1.0));
    let (r, angle) = ((-2.0 * u.ln()).sqrt(), std::f64::consts::TAU * v);
    [r * angle.cos(), r * angle.sin()]
}

fn main() -> Result<(), Error> {
    let (mean, variance) = moments()?;
    println!("mean {mean:.3?}, variance {variance:.3?}");
    Ok(())
}

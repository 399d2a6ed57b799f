//! Phase retrieval: complex amplitudes from the intensities of their images. `cargo run --example phase_retrieval`

use adc::{C128, Error, Model, Options, Workspace};
use ndarray::{Array1, Array2};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

const MODEL: &str = "
fn loss[M, N](A: c128[M, N], z: c128[N], b: f64[M]) -> f64 {
    let u = A @ z;
    sum((abs2(u[m]) - b[m])^2 for m)/(2*f64(M))
}";

/// The loss after steepest descent, and how far the amplitudes found are from the true ones. Intensities say nothing of a phase
/// that all have in common, so that is left out.
pub fn retrieve() -> Result<(f64, f64), Error> {
    let mut rng = StdRng::seed_from_u64(1);
    let mut number = |scale: f64| C128::new(rng.random_range(-scale..scale), rng.random_range(-scale..scale));
    let a = Array2::from_shape_simple_fn((40, 5), || number(1.0));
    let truth = Array1::from_shape_simple_fn(5, || number(1.0));
    let b = a.dot(&truth).mapv(|u| u.norm_sqr());
    let mut z = truth.mapv(|z| z + number(0.2));

    let program = Model::parse("phase.dsl", MODEL)?.function("loss")?.value_and_grad("z")?;
    let program = program.compile(&Options::default())?;
    let (mut value, mut gradient) = (0.0, z.clone());
    let mut workspace = Workspace::default();
    let mut bound = program.bind(&mut workspace);
    for _ in 0..1000 {
        let inputs = [(&a).into(), (&z).into(), (&b).into()];
        bound.call_to(&inputs, &mut [(&mut value).into(), (&mut gradient).into()])?;
        // ∂L/∂x + i ∂L/∂y is the direction of steepest ascent.
        z = z - gradient.mapv(|g| 0.1 * g);
    }
    let overlap: C128 = z.iter().zip(&truth).map(|(z, t)| z.conj() * t).sum();
    let turned = z.mapv(|z| z * overlap / overlap.norm());
    let error = (turned - truth).mapv(|d| d.norm_sqr()).sum().sqrt();
    Ok((value, error))
}

fn main() -> Result<(), Error> {
    let (loss, error) = retrieve()?;
    println!("loss {loss:e}, error of the amplitudes {error:e}");
    Ok(())
}

//! A sparse Jacobian: the heat equation with a source on 10⁵ points. Three tangents give all of its entries.
//!
//! `cargo run --release --example sparse_heat` also prints what that costs beside one tangent.

use adc::{Model, Options, Value};
use std::time::{Duration, Instant};

const SOURCE: &str = "
fn heat[N](u: f64[N]) -> f64[N] {
    [(if i > 0 { u[i - 1] } else { 0.0 }) - 2*u[i] + (if i < N - 1 { u[i + 1] } else { 0.0 }) + u[i]^2*exp(-u[i]) for i in 0..N]
}";

/// The least of some measurements.
fn least(mut run: impl FnMut() -> Result<(), adc::Error>) -> Result<Duration, adc::Error> {
    let mut best = Duration::MAX;
    for _ in 0..20 {
        let start = Instant::now();
        run()?;
        best = best.min(start.elapsed());
    }
    Ok(best)
}

fn main() -> Result<(), adc::Error> {
    let n = 100_000;
    let f = Model::parse("heat.dsl", SOURCE)?.function("heat")?;
    let u: Vec<f64> = (0..n).map(|i| (i as f64 / n as f64).sin()).collect();
    let inputs = [Value::from(&u)];

    let sparse = f.sparse_jacobian("u", &Options::default())?;
    let start = Instant::now();
    let (_, blocks) = sparse.call(&inputs)?;
    let first = start.elapsed();
    let jacobian = &blocks[0];
    println!("{} entries in {} × {}, {} colours", jacobian.value.len(), n, n, sparse.colours());
    assert_eq!((jacobian.value.len(), sparse.colours()), (3 * n - 2, 3));
    // On the diagonal, ∂/∂u of -2u + u² e^-u.
    let diagonal =
        (jacobian.row.iter().zip(&*jacobian.col).zip(&jacobian.value)).filter(|((i, j), _)| i == j);
    for ((i, _), value) in diagonal {
        let x = u[*i as usize];
        assert!((value - (-2.0 + (2.0 * x - x * x) * (-x).exp())).abs() < 1e-12);
    }

    let mut tangent = f.jvp("u")?.compile(&Options::default())?.caller();
    let (seed, mut value, mut out) = (vec![1.0; n], vec![0.0; n], vec![0.0; n]);
    let of_tangent = least(|| {
        tangent.call_to(&[(&u).into(), (&seed).into()], &mut [(&mut value[..]).into(), (&mut out[..]).into()])
    })?;
    let of_jacobian = least(|| sparse.call(&inputs).map(drop))?;
    let ratio = of_jacobian.as_secs_f64() / of_tangent.as_secs_f64();
    println!(
        "one tangent {of_tangent:?}, the Jacobian {of_jacobian:?}: {ratio:.2} tangents (at first {first:?})"
    );
    Ok(())
}

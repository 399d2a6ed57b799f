//! A model whose functions in Rust come with a tangent and an adjoint, also in Rust: `cargo run --example adjoint`. The folder
//! `native_adjoint` beside this file shows the same in C.

use adc::{CheckOptions, Error, Externs, Model, Options, Scalar, Slice, SliceMut, Type};

const MODEL: &str = "
// A moving average over a ring, whose weight is a parameter.
extern fn smooth[N](x: f64[N], w: f64) -> f64[N];
extern fn smooth_tangent[N](x: f64[N], w: f64, #[linear] dx: f64[N], #[linear] dw: f64) -> f64[N];
extern fn smooth_adjoint[N](x: f64[N], w: f64, #[linear] g: f64[N]) -> (x_bar: f64[N], w_bar: f64);
rule jvp smooth(x, w; dx, dw) { smooth_tangent(x, w, dx, dw) }
rule vjp smooth(x, w; g) { smooth_adjoint(x, w, g) }

fn roughness[N](x: f64[N], w: f64) -> f64 { norm(x - smooth(smooth(x, w), w))^2 }
check roughness[N = 5] { w in [0.1, 0.4]; }
check smooth[N = 5] { w in [0.1, 0.4]; }";

/// Its neighbours' mean minus itself.
fn bend(x: &[f64], i: usize) -> f64 {
    let n = x.len();
    (x[(i + n - 1) % n] + x[(i + 1) % n]) / 2.0 - x[i]
}

/// The three functions; in the wrong ones the adjoint forgets one of the neighbours.
fn externs(wrong: bool) -> Externs {
    let (vector, number) = (Type::Array(Scalar::F64, 1), Type::F64);
    let mut externs = Externs::new();
    externs.define("smooth", &[vector, number], &[vector], |_, args, results| {
        let ([Slice::F64(x), Slice::F64(w)], [SliceMut::F64(y)]) = (args, results) else { unreachable!() };
        (0..x.len()).for_each(|i| y[i] = x[i] + w[0] * bend(x, i));
        Ok(())
    });
    let given = [vector, number, vector, number];
    externs.define("smooth_tangent", &given, &[vector], |_, args, results| {
        let ([Slice::F64(x), Slice::F64(w), Slice::F64(dx), Slice::F64(dw)], [SliceMut::F64(dy)]) =
            (args, results)
        else {
            unreachable!()
        };
        (0..x.len()).for_each(|i| dy[i] = dx[i] + w[0] * bend(dx, i) + dw[0] * bend(x, i));
        Ok(())
    });
    let given = [vector, number, vector];
    externs.define("smooth_adjoint", &given, &[vector, number], move |_, args, results| {
        let ([Slice::F64(x), Slice::F64(w), Slice::F64(g)], [SliceMut::F64(x_bar), SliceMut::F64(w_bar)]) =
            (args, results)
        else {
            unreachable!()
        };
        let n = x.len();
        for i in 0..n {
            x_bar[i] += (1.0 - w[0]) * g[i];
            x_bar[(i + 1) % n] += w[0] * g[i] / 2.0;
            if !wrong {
                x_bar[(i + n - 1) % n] += w[0] * g[i] / 2.0;
            }
            w_bar[0] += g[i] * bend(x, i);
        }
        Ok(())
    });
    externs
}

/// The messages of the checker.
pub fn messages(wrong: bool) -> Result<Vec<String>, Error> {
    let model = Model::parse("smooth.dsl", MODEL)?;
    let report = adc::check(&model, &CheckOptions::default().with_externs(externs(wrong)));
    assert_eq!(report.passed(), !wrong);
    let messages = report.reports.iter().flat_map(|r| &r.diagnostics).map(|d| d.message.clone());
    Ok(messages.collect())
}

/// How the roughness changes with the weight: by reverse and by forward mode.
pub fn slopes() -> Result<(f64, f64), Error> {
    let model = Model::parse("smooth.dsl", MODEL)?;
    let options = Options::default().with_externs(externs(false));
    let (x, w): (Vec<f64>, f64) = (vec![1.0, 3.0, 2.0, 5.0], 0.25);
    let roughness = model.function("roughness")?;
    let reverse = roughness.grad("w")?.compile(&options)?.call(&[x.clone().into(), w.into()])?;
    let forward = roughness.jvp("w")?.compile(&options)?.call(&[x.into(), w.into(), 1.0.into()])?;
    Ok((reverse[0].clone().try_into()?, forward[1].clone().try_into()?))
}

fn main() -> Result<(), Error> {
    println!("right: {:?}", messages(false)?);
    println!("wrong: {:#?}", messages(true)?);
    let (reverse, forward) = slopes()?;
    println!("slope {reverse} by reverse mode, {forward} by forward mode");
    Ok(())
}

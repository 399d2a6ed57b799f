//! Difference quotients of fixed steps: `(f(x + eps) − f(x − eps)) / (2·eps)`. Next to the edge of a declared domain, steps
//! are smaller or one-sided.
//!
//! Functions of single precision are differenced in double precision ([`crate::promote`]). What the derivative holds fixed
//! is held fixed here, too ([`crate::freeze`]).

use crate::coordinates::{Coordinate, Part, Stretch, blocks, coordinates, sizes, stretches};
use crate::derivatives::second_order;
use crate::oracle::{self, Along, Builders, Version};
use crate::runner::{Engine, Runner};
use crate::slots::{Slot, get, load_doubles, set, write};
use adc_ir::*;
use num_complex::Complex64;

/// If the distance to an edge is less than this part of the step, the difference is one-sided.
const ONE_SIDED: f64 = 1.0 / 64.0;
/// The step of the second pair of one-sided quotients, relative to the first.
const CLOSER: f64 = 0.25;

/// The difference program of `f` for fixed steps in `mode`, as a program of the module.
///
/// `wrt` and `outputs` are positions of parameters and results that carry derivatives. The program's parameters are those
/// of `f`; in fast mode the parts of a direction, shaped like the displaced inputs; then the two offsets t and s of each
/// quotient `(f(x + t·u) − f(x + s·u)) / (t − s)`: an array for each part of each input, two numbers for each of its
/// entries, in fast mode one array. Its results are the quotients, by part of each input, by part of each output; arrays
/// are vectors of their entries in row-major order.
///
/// For [`Mode::Gradgrad`] the differenced function is F(x, v) = vᵀJ, the VJP program of `f`, with respect to x and v.
///
/// # Errors
/// A function that has no derivative program; arrays with too many axes of unknown size.
pub fn fd_program(
    m: &mut Module,
    f: FuncId,
    mode: Mode,
    wrt: &[usize],
    outputs: &[usize],
) -> Result<FuncId, Diagnostic> {
    adc_ad::expand_for(m, f)?;
    let program = |m: &mut Module, f: FuncId, along: Along, wrt: &[usize], outputs: &[usize]| {
        let inputs = blocks(wrt, |i| m.func(f).param_ty(i));
        let made = oracle::build(m, &mut Builders::default(), f, (along, Version::Plain), &inputs, outputs);
        made.map(|p| p.func)
    };
    match mode {
        Mode::Slow | Mode::Forward => program(m, f, Along::Coordinates, wrt, outputs),
        Mode::Fast => program(m, f, Along::Directions, wrt, outputs),
        Mode::Gradgrad => {
            let vjp = adc_ad::vjp(m, f, wrt, outputs, false)?;
            let (wrt, outputs) = second_order(m, f, vjp, wrt);
            program(m, vjp, Along::Coordinates, &wrt, &outputs)
        }
    }
}

/// The difference programs of a function, compiled.
#[derive(Clone)]
pub(crate) struct FixedSteps {
    columns: Vec<Coordinate>,
    /// Parts of inputs and outputs, in the order of the programs.
    inputs: Vec<Stretch>,
    outputs: Vec<Stretch>,
    /// The declared domains of the parameters.
    domains: Vec<Option<ParamDomain>>,
    /// Quotients of all columns at once.
    entries: Option<Runner>,
    /// Quotients along a direction. By column, the location of its component in the arguments.
    along: Option<Runner>,
    directions: Vec<Slot>,
    /// The quotients along the last direction, by row.
    pub slopes: Vec<f64>,
}

/// One-sided difference quotients of one entry.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Slopes {
    /// `(f(x) − f(x − h)) / h`
    pub left: f64,
    /// `(f(x + h) − f(x)) / h`
    pub right: f64,
}

impl FixedSteps {
    /// The quotients of `f`, from its compiled programs ([`oracle::programs`]).
    pub(crate) fn new(
        func: &Func,
        wrt: &[usize],
        outputs: &[usize],
        (entries, along): (Option<Runner>, Option<Runner>),
    ) -> FixedSteps {
        let len = |d: &ValueData| sizes(d).expect("checked by the request").iter().product::<usize>();
        let input_len = |i: usize| len(func.data(func.params[i].value));
        let output_len = |k: usize| len(&func.results[k].data());
        let inputs = stretches(wrt, |i| func.param_ty(i), input_len);
        let outputs = stretches(outputs, |k| func.results[k].ty, output_len);
        let columns = coordinates(wrt, |i| func.param_ty(i), input_len);
        let mut directions = vec![Slot { at: 0, entry: 0, part: Part::Whole }; columns.len()];
        for (k, block) in inputs.iter().enumerate() {
            for entry in 0..block.len {
                directions[block.at(entry)] = Slot { at: func.params.len() + k, entry, part: Part::Whole };
            }
        }
        let rows = outputs.iter().map(|block| block.len).sum();
        let domains = func.params.iter().map(|p| p.domain).collect();
        let slopes = vec![f64::NAN; rows];
        FixedSteps { columns, inputs, outputs, domains, entries, along, directions, slopes }
    }

    /// As [`Self::new`], along directions only.
    pub(crate) fn along_directions(
        (m, builders, engine): (&mut Module, &mut Builders, &Engine),
        f: FuncId,
        (wrt, outputs): (&[usize], &[usize]),
    ) -> Result<FixedSteps, Diagnostic> {
        let programs = oracle::programs(m, builders, f, (wrt, outputs), (false, true), Version::Plain)?;
        let mut code = engine.compile(m, programs.along.as_slice())?;
        Ok(FixedSteps::new(m.func(f), wrt, outputs, (None, code.pop())))
    }

    /// Passes the quotients of all entries to `keep`, by row and column; NaN where there is none. The error is that of the
    /// first displaced point that ended in one.
    pub(crate) fn run(
        &mut self,
        engine: &mut Engine,
        inputs: &[Datum],
        eps: f64,
        mut keep: impl FnMut(usize, usize, f64),
    ) -> Result<(), RuntimeError> {
        let mut done = Ok(());
        if let Some(mut code) = self.entries.take() {
            load_doubles(&mut code.inputs, inputs);
            for (k, columns) in self.inputs.iter().enumerate() {
                for i in 0..columns.len {
                    let offsets = self.offsets(inputs, &[(columns.at(i), 1.0)], eps);
                    put_offsets(&mut code.inputs[inputs.len() + k], i, offsets);
                }
            }
            done = engine.aside_for(2 * self.columns.len(), |e| code.run(e));
            if done.is_ok() {
                let mut results = code.outputs.iter();
                for columns in &self.inputs {
                    for rows in &self.outputs {
                        let quotients = results.next().expect("a result for every pair of blocks");
                        for i in 0..columns.len {
                            for j in 0..rows.len {
                                keep(
                                    rows.at(j),
                                    columns.at(i),
                                    get(quotients, i * rows.len + j, Part::Whole),
                                );
                            }
                        }
                    }
                }
            }
            self.entries = Some(code);
            if done.is_ok() || self.along.is_none() {
                return done;
            }
        }
        // A run-time error at one displaced point ended the whole program, so each column is computed separately.
        for column in 0..self.columns.len() {
            let moves = [(column, 1.0)];
            let one = self.run_along(engine, inputs, &moves, self.offsets(inputs, &moves, eps));
            (self.slopes.iter().enumerate()).for_each(|(row, x)| keep(row, column, *x));
            done = done.and(one);
        }
        done
    }

    /// Fills [`Self::slopes`] along the direction that displaces some columns, each by its component; with NaN after a
    /// run-time error.
    pub(crate) fn run_along(
        &mut self,
        engine: &mut Engine,
        inputs: &[Datum],
        moves: &[(usize, f64)],
        offsets: [f64; 2],
    ) -> Result<(), RuntimeError> {
        self.slopes.fill(f64::NAN);
        let Some(code) = &mut self.along else { return Ok(()) };
        load_doubles(&mut code.inputs, inputs);
        let last = code.inputs.len() - 1;
        moves.iter().for_each(|(column, u)| write(&mut code.inputs, &self.directions[*column], *u));
        put_offsets(&mut code.inputs[last], 0, offsets);
        let done = engine.aside_for(2, |e| code.run(e));
        moves.iter().for_each(|(column, _)| write(&mut code.inputs, &self.directions[*column], 0.0));
        done?;
        for (rows, quotients) in self.outputs.iter().zip(&code.outputs) {
            (0..rows.len).for_each(|j| self.slopes[rows.at(j)] = get(quotients, j, Part::Whole));
        }
        Ok(())
    }

    /// The offsets of a central quotient that displaces some columns, each by a component u ≥ 0: ±eps; less where that
    /// would leave a declared domain; one-sided next to its edge; none if no displaced point lies in it (on the rim of a
    /// disk, along the rim).
    pub(crate) fn offsets(&self, inputs: &[Datum], moves: &[(usize, f64)], eps: f64) -> [f64; 2] {
        let (mut up, mut down): (f64, f64) = (eps, eps);
        for &(column, u) in moves.iter().filter(|(_, u)| *u != 0.0) {
            let c = self.columns[column];
            let Some(domain) = self.domains[c.index] else { continue };
            let z = inputs[c.index].get(c.entry).to_c128();
            match domain {
                // Half the distance, so that rounding does not leave the domain. Open ends are treated as closed ones.
                ParamDomain::Interval { lo, hi, .. } => {
                    up = up.min(0.5 * (hi - z.re) / u);
                    down = down.min(0.5 * (z.re - lo) / u);
                }
                ParamDomain::Annulus { .. } => {
                    let step = if c.part == Part::Im { Complex64::I } else { Complex64::ONE } * (eps * u);
                    up = if domain.contains(z + step) { up } else { 0.0 };
                    down = if domain.contains(z - step) { down } else { 0.0 };
                }
            }
        }
        let small = up.min(down);
        if small >= ONE_SIDED * eps { [small, -small] } else { [up, -down] }
    }

    /// The one-sided quotients of an entry if they show a kink: a difference of more than `tol` that neither shrinks with
    /// the step, as for a smooth function, nor grows, as at a jump.
    pub(crate) fn kink(
        &mut self,
        engine: &mut Engine,
        inputs: &[Datum],
        (row, column): (usize, usize),
        (eps, tol): (f64, f64),
    ) -> Option<Slopes> {
        let mut slope = |h: f64| {
            self.run_along(engine, inputs, &[(column, 1.0)], [h, 0.0]).ok()?;
            // −0 would be confusing.
            Some(self.slopes.get(row)? + 0.0)
        };
        let wide = Slopes { left: slope(-eps)?, right: slope(eps)? };
        let close = Slopes { left: slope(-eps * CLOSER)?, right: slope(eps * CLOSER)? };
        let (jump, closer) = ((wide.right - wide.left).abs(), (close.right - close.left).abs());
        (jump > tol && closer > jump / 2.0 && closer < jump * 2.0).then_some(wide)
    }
}

/// Sets the two offsets of an entry.
fn put_offsets(to: &mut Datum, entry: usize, offsets: [f64; 2]) {
    (offsets.iter().enumerate()).for_each(|(k, t)| set(to, 2 * entry + k, Part::Whole, *t));
}

#[cfg(test)]
mod tests {
    use super::*;
    use adc_ir::text::parse_module;

    #[test]
    fn offsets_stay_in_the_domain() {
        let m = parse_module("fn f(x: f64[3] in [0, 1], z: c128 in disk(1)) -> f64[3] { return x }")
            .expect("it is IR");
        let x = [0.0, 1.0 - 1e-7, 0.5];
        let fixed = FixedSteps::new(m.func(FuncId(0)), &[0, 1], &[0], (None, None));
        let inputs =
            [Datum::from(Array::new(vec![3], x.to_vec())), Const::C128(Complex64::new(1.0, 0.0)).into()];
        let at = |moves: &[(usize, f64)]| fixed.offsets(&inputs, moves, 1e-6);
        assert_eq!(at(&[(2, 1.0)]), [1e-6, -1e-6]);
        assert_eq!(at(&[(0, 1.0)]), [1e-6, 0.0]);
        let [up, down] = at(&[(1, 1.0)]);
        assert!(up == -down && (4.9e-8..5.1e-8).contains(&up), "{up} {down}");
        // Along a direction the smallest distance counts, for each entry relative to its component.
        let [up, down] = at(&[(1, 0.5), (2, 1.0)]);
        assert!(up == -down && (9.9e-8..10.1e-8).contains(&up), "{up} {down}");
        assert_eq!(at(&[(0, 0.0), (2, 1.0)]), [1e-6, -1e-6]);
        // On the rim of a disk: inwards; along the rim there is no step.
        assert_eq!([at(&[(3, 1.0)]), at(&[(4, 1.0)])], [[0.0, -1e-6], [0.0, 0.0]]);
    }
}

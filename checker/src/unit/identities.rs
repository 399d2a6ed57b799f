//! Identities of derivative programs that need no differences: adjoint, linearity, zero seed.

use super::Unit;
use crate::exact::Exact;
use crate::judge::Precision;
use crate::oracle::Toolchain;
use crate::random::{Purpose, Stream};
use crate::report::IdentityKind;
use crate::runner::{Engine, Runner};
use crate::running::{Rounding, Running};
use crate::slots::{Slot, clear, load, read, write};
use crate::verdict::Verdict;
use adc_ir::*;

/// Allowed rounding of an identity, in units of the last place of the sum of its terms' magnitudes. Beyond it, the identity
/// is evaluated in double-double, and the programs are compared with their formulas.
const ULPS: f64 = 64.0;
/// The same in double-double, whose sums are taken in doubles.
const PAIR_ULPS: f64 = 8.0;
/// How many times its bound a compiled program may be from its formula: it adds in another order.
const BEYOND: f64 = 4.0;

/// The rounding of a number of which nothing is known: products with it are numbers.
const UNKNOWN: f64 = 1e300;

const WHERE: &str = "asked for where the program is";

/// One identity at the current point.
#[derive(Clone, Copy, Debug)]
pub(crate) struct IdentityData {
    pub kind: IdentityKind,
    /// The two sides; if there are several numbers, those that are furthest apart.
    pub sides: (f64, f64),
    /// The largest difference that rounding explains.
    pub tol: f64,
    pub status: Verdict,
}

/// An identity before the verdict.
struct Claim<'a> {
    kind: IdentityKind,
    sides: (f64, f64),
    tol: f64,
    /// The magnitude of its terms.
    scale: f64,
    /// The runs that it concerns.
    runs: &'a [Ran<'a>],
}

/// A run of one of a unit's programs at the current point.
enum Ran<'a> {
    /// The VJP program with this seed.
    Vjp(&'a [f64]),
    /// The JVP program with this seed.
    Jvp(&'a [f64]),
    /// The other nesting with these arguments.
    Nested(&'a [Datum]),
    /// The function's results, which a program returned with these arguments, as they were.
    Value(FuncId, &'a [Datum], &'a [f64]),
}

/// The results of a run: compiled, in double-double, and how far rounding takes the program from the latter.
struct Exactly {
    compiled: Vec<f64>,
    values: Vec<f64>,
    rounding: Vec<Rounding>,
}

impl Exactly {
    /// The values in double-double, any number for those of which nothing is known. Where a program divides by nothing but rounding,
    /// that may be 0 in double-double, and the quotient no number.
    fn known_values(&self) -> Vec<f64> {
        let values = self.values.iter().zip(&self.rounding);
        values.map(|(x, r)| if r.is_unknown() { 0.0 } else { *x }).collect()
    }

    /// Whether the compiled results have errors that rounding does not explain.
    fn strays(&self, epsilon: f64, underflow: f64) -> bool {
        let mut all = self.compiled.iter().zip(&self.values).zip(&self.rounding);
        all.any(|((c, x), r)| {
            let allowed = BEYOND * r.total() + ULPS * epsilon * x.abs() + underflow;
            let error = (c - x).abs();
            error.is_nan() || error > allowed
        })
    }
}

impl Unit {
    /// Fills [`Self::identities`]. Both programs are linear: J(u + 2w) = J(u) + 2 J(w) and likewise for the VJP, both are 0 for
    /// 0, and ⟨v, J u⟩ = ⟨VJP(v), u⟩. `results` are the function's, if they are known.
    pub(crate) fn run_identities(
        &mut self,
        inputs: &[Datum],
        (seed, number): (u64, u64),
        results: Option<&[Datum]>,
        tools: &mut Toolchain,
    ) -> Result<(), RuntimeError> {
        let mut s = Stream::new(seed, Purpose::Weights, [number, 0, self.order as u64]);
        let mut normal = |n: usize| -> Vec<f64> { (0..n).map(|_| s.short()).collect() };
        let (rows, columns) = (self.rows.len(), self.columns.len());
        let (v, w, x) = (normal(rows), normal(rows), normal(columns));
        // The adjoint identity weights an entry with v and u; with ±1 in both, blocks of errors would cancel too easily.
        let u: Vec<f64> = (0..columns).map(|_| if s.below(2) == 0 { 1.0 } else { -1.0 }).collect();
        let vjp = match self.vjp.is_some() {
            true => Some(self.linear([&v, &w], true, inputs, tools)?),
            false => None,
        };
        let jvp = match self.jvp.is_some() {
            true => Some(self.linear([&u, &x], false, inputs, tools)?),
            false => None,
        };
        match results {
            Some(results) => self.returns(results, inputs, tools),
            None if self.jvp.is_some() => self.returns_gradient(inputs, tools)?,
            None => {}
        }
        if self.has_hessian && self.jvp.is_some() {
            self.hessian([&u[..rows], &x[..rows]], inputs, tools)?;
        }
        let (Some(g), Some(d)) = (vjp, jvp) else { return Ok(()) };
        let ((left, a), (right, b)) = (dot(&v, &d), dot(&g, &u));
        let count = (rows.max(columns) as f64).sqrt();
        let tol = ULPS * self.epsilon() * count * (a + b) + self.underflow();
        let (kind, runs) = (IdentityKind::Adjoint, &[Ran::Vjp(&v), Ran::Jvp(&u)]);
        self.judge_identity(
            Claim { kind, sides: (left, right), tol, scale: a + b, runs },
            inputs,
            |values, bounds| {
                let (g, d) = (&values[0], &values[1]);
                let ((left, a), (right, b)) = (dot(&v, d), dot(g, &u));
                let unknown = dot(&v, &bounds[1]).1 + dot(&u, &bounds[0]).1;
                (left - right).abs() <= PAIR_ULPS * f64::EPSILON * count * (a + b) + unknown
            },
            tools,
        );
        Ok(())
    }

    /// The results that derivative programs return beside their derivatives are the function's.
    fn returns(&mut self, results: &[Datum], inputs: &[Datum], tools: &mut Toolchain) {
        let own: Vec<f64> = self.values.iter().map(|p| read(results, p)).collect();
        let programs = [(&self.vjp, self.programs.vjp), (&self.jvp, self.programs.jvp)];
        let of_programs = programs.map(|(code, program)| {
            let outputs = &code.as_ref()?.outputs;
            Some((self.values.iter().map(|p| read(outputs, p)).collect::<Vec<f64>>(), program?))
        });
        for (mode, (values, program)) in
            of_programs.into_iter().enumerate().filter_map(|(k, p)| Some((k, p?)))
        {
            let args = self.seeded_arguments(mode, inputs, &[]);
            let runs = [Ran::Value(self.programs.func, inputs, &own), Ran::Value(program, &args, &values)];
            let kind = [IdentityKind::ValueVjp, IdentityKind::ValueJvp][mode];
            self.same_values(kind, [&own, &values], &runs, inputs, tools);
        }
    }

    /// F(x, v) = vᵀJ is linear in v: its derivative along v is F itself, which the JVP program returns.
    fn returns_gradient(&mut self, inputs: &[Datum], tools: &mut Toolchain) -> Result<(), RuntimeError> {
        let columns = self.columns.iter().zip(&self.tangents);
        let along = columns.map(|(c, p)| match c.index < self.own {
            true => 0.0,
            false => read(inputs, &Slot { at: c.index, ..*p }),
        });
        let along: Vec<f64> = along.collect();
        let derivative = self.seeded(&along, false, inputs, tools.engine)?;
        let (Some(code), Some(program)) = (&self.jvp, self.programs.jvp) else { return Ok(()) };
        let values: Vec<f64> = self.values.iter().map(|p| read(&code.outputs, p)).collect();
        let args = self.seeded_arguments(1, inputs, &[]);
        let runs = [Ran::Jvp(&along), Ran::Value(program, &args, &values)];
        self.same_values(IdentityKind::ValueJvp, [&derivative, &values], &runs, inputs, tools);
        Ok(())
    }

    fn same_values(
        &mut self,
        kind: IdentityKind,
        [a, b]: [&[f64]; 2],
        runs: &[Ran],
        inputs: &[Datum],
        tools: &mut Toolchain,
    ) {
        // ∞ is ∞, and what has no value has none in both.
        let alike = |a: f64, b: f64| !a.is_finite() && (a == b || (a.is_nan() && b.is_nan()));
        let pairs = a.iter().zip(b).filter(|(a, b)| !alike(**a, **b));
        let (left, right): (Vec<f64>, Vec<f64>) = pairs.unzip();
        let sides = furthest(&left, &right);
        let scale = left.iter().chain(&right).map(|x| x.abs()).fold(0.0, f64::max);
        let tol = ULPS * self.epsilon() * scale + self.underflow();
        self.judge_identity(Claim { kind, sides, tol, scale, runs }, inputs, are_close, tools);
    }

    /// Identities of the Hessian H of vᵀf, which is F's derivative with respect to x: it is symmetric, and differentiating
    /// forward over reverse gives the same as reverse over forward. The results of F are the cotangents of its first
    /// parameters, so that rows are the first columns.
    fn hessian(
        &mut self,
        [u, w]: [&[f64]; 2],
        inputs: &[Datum],
        tools: &mut Toolchain,
    ) -> Result<(), RuntimeError> {
        let columns = self.columns.len();
        let padded = |a: &[f64]| -> Vec<f64> {
            a.iter().copied().chain(std::iter::repeat(0.0)).take(columns).collect()
        };
        let (pu, pw) = (padded(u), padded(w));
        let hu = self.seeded(&pu, false, inputs, tools.engine)?;
        let hw = self.seeded(&pw, false, inputs, tools.engine)?;
        let ((left, a), (right, b)) = (dot(w, &hu), dot(u, &hw));
        let count = (u.len() as f64).sqrt();
        let tol = ULPS * self.epsilon() * count * (a + b) + self.underflow();
        let (kind, runs) = (IdentityKind::Symmetry, &[Ran::Jvp(&pu), Ran::Jvp(&pw)]);
        self.judge_identity(
            Claim { kind, sides: (left, right), tol, scale: a + b, runs },
            inputs,
            |values, bounds| {
                let ((left, a), (right, b)) = (dot(w, &values[0]), dot(u, &values[1]));
                let unknown = dot(w, &bounds[0]).1 + dot(u, &bounds[1]).1;
                (left - right).abs() <= PAIR_ULPS * f64::EPSILON * count * (a + b) + unknown
            },
            tools,
        );
        let Some(mut nested) = self.nested.take() else { return Ok(()) };
        let args = nested.arguments(u, inputs);
        let done = nested.code.call(tools.engine, &args);
        let other = done.map(|values| nested.results.iter().map(|p| read(&values, p)).collect::<Vec<f64>>());
        self.nested = Some(nested);
        let other = other?;
        let sides = furthest(&hu, &other);
        let scale = hu.iter().chain(&other).map(|x| x.abs()).fold(0.0, f64::max);
        let tol = ULPS * self.epsilon() * count * scale + self.underflow();
        let (kind, runs) = (IdentityKind::Nesting, &[Ran::Jvp(&pu), Ran::Nested(&args)]);
        self.judge_identity(Claim { kind, sides, tol, scale, runs }, inputs, are_close, tools);
        Ok(())
    }

    /// Zero seed and linearity of one program; returns its results for the first seed.
    fn linear(
        &mut self,
        [a, b]: [&[f64]; 2],
        reverse: bool,
        inputs: &[Datum],
        tools: &mut Toolchain,
    ) -> Result<Vec<f64>, RuntimeError> {
        let zeros = vec![0.0; a.len()];
        let mixed: Vec<f64> = a.iter().zip(b).map(|(a, b)| a + 2.0 * b).collect();
        let of_zero = self.seeded(&zeros, reverse, inputs, tools.engine)?;
        let of_a = self.seeded_again(a, reverse, tools.engine)?;
        let again = self.seeded_again(a, reverse, tools.engine)?;
        self.same_bits(&of_a, &again);
        let of_b = self.seeded_again(b, reverse, tools.engine)?;
        let of_mixed = self.seeded_again(&mixed, reverse, tools.engine)?;
        let finite = of_a.iter().chain(&of_b).all(|x| x.is_finite());
        if !finite {
            // Entries report it.
            return Ok(of_a);
        }
        let (zero, linear) = match reverse {
            true => (IdentityKind::ZeroVjp, IdentityKind::LinearVjp),
            false => (IdentityKind::ZeroJvp, IdentityKind::LinearJvp),
        };
        let worst = of_zero.iter().copied().find(|x| *x != 0.0).unwrap_or(0.0);
        let claim = Claim { kind: zero, sides: (worst, 0.0), tol: 0.0, scale: 0.0, runs: &[] };
        self.judge_identity(claim, inputs, |_, _| false, tools);
        // The entry with the largest error relative to its terms; a sum over many entries may cancel in single ones.
        let scale = of_a.iter().zip(&of_b).map(|(a, b)| a.abs() + 2.0 * b.abs()).fold(0.0, f64::max);
        let sum: Vec<f64> = of_a.iter().zip(&of_b).map(|(a, b)| a + 2.0 * b).collect();
        let sides = furthest(&of_mixed, &sum);
        let tol = ULPS * self.epsilon() * (a.len() as f64).sqrt() * scale + self.underflow();
        let ran = if reverse { Ran::Vjp } else { Ran::Jvp };
        self.judge_identity(
            Claim { kind: linear, sides, tol, scale, runs: &[ran(&mixed), ran(a), ran(b)] },
            inputs,
            |values, bounds| {
                (0..values[0].len()).all(|i| {
                    let (m, a, b) = (values[0][i], values[1][i], values[2][i]);
                    let unknown = bounds[0][i] + bounds[1][i] + 2.0 * bounds[2][i];
                    let terms = m.abs() + a.abs() + 2.0 * b.abs();
                    (m - (a + 2.0 * b)).abs() <= PAIR_ULPS * f64::EPSILON * terms + unknown
                })
            },
            tools,
        );
        Ok(of_a)
    }

    /// Whether two runs of one program at one point gave the same numbers. All NaNs are equal.
    pub(crate) fn same_bits(&mut self, a: &[f64], b: &[f64]) {
        let same = |(a, b): &(&f64, &f64)| a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan());
        if let Some((a, b)) = a.iter().zip(b).find(|pair| !same(pair)) {
            let (kind, status) = (IdentityKind::Rerun, Verdict::Nondeterministic);
            self.identities.push(IdentityData { kind, sides: (*a, *b), tol: 0.0, status });
        }
    }

    /// The results of a program for a seed: VJP by column, JVP by row.
    pub(super) fn seeded(
        &mut self,
        seed: &[f64],
        reverse: bool,
        inputs: &[Datum],
        engine: &mut Engine,
    ) -> Result<Vec<f64>, RuntimeError> {
        let program = if reverse { &mut self.vjp } else { &mut self.jvp };
        load(&mut program.as_mut().expect(WHERE).inputs, inputs);
        self.seeded_again(seed, reverse, engine)
    }

    /// As [`Self::seeded`], at the inputs of the run before.
    fn seeded_again(
        &mut self,
        seed: &[f64],
        reverse: bool,
        engine: &mut Engine,
    ) -> Result<Vec<f64>, RuntimeError> {
        let (program, into, from) = match reverse {
            true => (&mut self.vjp, &self.cotangents, &self.gradients),
            false => (&mut self.jvp, &self.tangents, &self.dots),
        };
        let code = program.as_mut().expect(WHERE);
        code.inputs[self.param_types.len()..].iter_mut().for_each(clear);
        into.iter().zip(seed).for_each(|(place, x)| write(&mut code.inputs, place, *x));
        code.run(engine)?;
        Ok(from.iter().map(|place| read(&code.outputs, place)).collect())
    }

    /// Keeps an identity with its verdict. `holds` tells whether it holds without rounding: from the results of the runs in
    /// double-double, and their rounding. If it does, the remaining difference is rounding as far as rounding explains it.
    /// Beyond that, the compiled program is not the one that differentiation made.
    fn judge_identity(
        &mut self,
        claim: Claim,
        inputs: &[Datum],
        holds: impl FnOnce(&[Vec<f64>], &[Vec<f64>]) -> bool,
        tools: &mut Toolchain,
    ) {
        let Claim { kind, sides, tol, scale, runs } = claim;
        let apart = (sides.0 - sides.1).abs();
        let status = if apart <= tol {
            Verdict::Ok
        } else if !apart.is_finite() {
            // Values beyond the range of doubles are inconclusive.
            Verdict::Unchecked
        } else {
            let known: Option<Vec<Exactly>> =
                runs.iter().map(|run| self.exactly(run, inputs, tools)).collect();
            match known.filter(|k| !k.is_empty()) {
                None => Verdict::Inconsistent,
                Some(runs) => {
                    let values: Vec<Vec<f64>> = runs.iter().map(Exactly::known_values).collect();
                    // Values are of programs simplified differently: constants of one may be rounded to doubles.
                    let of_values = matches!(kind, IdentityKind::ValueVjp | IdentityKind::ValueJvp);
                    let bound = |x: &Rounding| if of_values { x.total() } else { x.of_pair() };
                    let of_run = |r: &Exactly| r.rounding.iter().map(|x| bound(x).min(UNKNOWN)).collect();
                    let bounds: Vec<Vec<f64>> = runs.iter().map(of_run).collect();
                    if !holds(&values, &bounds) {
                        Verdict::Inconsistent
                    } else if runs.iter().any(|r| r.rounding.iter().any(Rounding::is_unknown)) {
                        Verdict::Unchecked
                    } else if runs.iter().any(|r| r.strays(self.epsilon(), self.underflow())) {
                        Precision::of(self.single()).loses(apart, scale)
                    } else {
                        Verdict::Ok
                    }
                }
            }
        };
        self.identities.push(IdentityData { kind, sides, tol, status });
    }

    /// The results of a run compiled and in double-double, and their rounding. `None` if it fails.
    #[cold]
    fn exactly(&mut self, run: &Ran, inputs: &[Datum], tools: &mut Toolchain) -> Option<Exactly> {
        let (mode, seed) = match *run {
            Ran::Vjp(seed) => (0, seed),
            Ran::Jvp(seed) => (1, seed),
            Ran::Value(program, args, compiled) => {
                let places = self.values.clone();
                let mut exact = Exact::new(tools, program)?;
                if !exact.run(tools, args, &[]) {
                    return None;
                }
                return Some(Exactly {
                    compiled: compiled.to_vec(),
                    values: places.iter().map(|p| exact.read(p)).collect(),
                    rounding: self.rounding_of(program, args, &places, tools),
                });
            }
            Ran::Nested(args) => {
                let nested = self.nested.as_mut()?;
                let (program, places) = (nested.program, nested.results.clone());
                let compiled = tools.engine.aside(|e| nested.code.call(e, args)).ok()?;
                let mut exact = Exact::new(tools, program)?;
                if !exact.run(tools, args, &[]) {
                    return None;
                }
                return Some(Exactly {
                    compiled: places.iter().map(|p| read(&compiled, p)).collect(),
                    values: places.iter().map(|p| exact.read(p)).collect(),
                    rounding: self.rounding_of(program, args, &places, tools),
                });
            }
        };
        let compiled = tools.engine.aside(|e| self.seeded(seed, mode == 0, inputs, e)).ok()?;
        let program = [self.programs.vjp, self.programs.jvp][mode]?;
        let (into, from) = match mode {
            0 => (&self.cotangents, &self.gradients),
            _ => (&self.tangents, &self.dots),
        };
        let (seeds, places): (Vec<(Slot, f64)>, _) =
            (into.iter().copied().zip(seed.iter().copied()).collect(), from.clone());
        let args = self.seeded_arguments(mode, inputs, &seeds);
        let exact = self.automatic.as_mut()?.exactly(mode, Some(program), None, tools)?;
        if !exact.run(tools, inputs, &seeds) {
            return None;
        }
        let values = places.iter().map(|p| exact.read(p)).collect();
        Some(Exactly { compiled, values, rounding: self.rounding_of(program, &args, &places, tools) })
    }

    /// The rounding of a program's results; `None` if the analysis fails.
    fn rounding_of(
        &mut self,
        program: FuncId,
        args: &[Datum],
        places: &[Slot],
        tools: &mut Toolchain,
    ) -> Vec<Rounding> {
        let running = self.automatic.as_mut().and_then(|auto| {
            let steps = auto.steps(tools.module, self.programs.source);
            Running::of((tools.module, &tools.engine.externs), program, steps, args)
        });
        let known = |r: &Running| places.iter().map(|p| r.at(p)).collect();
        running.as_ref().map_or_else(|| vec![Rounding::default(); places.len()], known)
    }

    fn epsilon(&self) -> f64 {
        if self.single() { f32::EPSILON as f64 } else { f64::EPSILON }
    }

    /// The error that underflow may cause in sums over rows and columns.
    fn underflow(&self) -> f64 {
        Precision::of(self.single()).underflow() * (self.rows.len() + self.columns.len()) as f64
    }
}

/// The product of two vectors, and that of their magnitudes.
fn dot(a: &[f64], b: &[f64]) -> (f64, f64) {
    let terms = a.iter().zip(b).map(|(a, b)| a * b);
    terms.fold((0.0, 0.0), |(sum, size), t| (sum + t, size + t.abs()))
}

/// Whether two runs gave the same numbers within their bounds, and rounding of double-double.
fn are_close(values: &[Vec<f64>], bounds: &[Vec<f64>]) -> bool {
    let mut pairs = values[0].iter().zip(&values[1]).zip(bounds[0].iter().zip(&bounds[1]));
    pairs.all(|((a, b), (x, y))| (a - b).abs() <= PAIR_ULPS * f64::EPSILON * (a.abs() + b.abs()) + x + y)
}

/// The entries of two vectors that are furthest apart; NaN is further away than anything.
fn furthest(a: &[f64], b: &[f64]) -> (f64, f64) {
    let apart = |s: (f64, f64)| (s.0 - s.1).abs();
    let mut worst = (0.0, 0.0);
    for pair in a.iter().copied().zip(b.iter().copied()) {
        if apart(pair) > apart(worst) || apart(pair).is_nan() {
            worst = pair;
        }
    }
    worst
}

/// The VJP of the JVP program: ∇ₓ⟨v, J u⟩ from x, u and v.
#[derive(Clone)]
pub(crate) struct Nested {
    pub program: FuncId,
    pub code: Runner,
    /// The function's parameters.
    pub params: usize,
    /// The tangents u among the parameters, by row of F's Jacobian, and zeros of their shapes.
    pub tangents: Vec<Slot>,
    pub zeros: Vec<Datum>,
    pub results: Vec<Slot>,
}

impl Nested {
    /// x and v are side by side in F's arguments.
    fn arguments(&self, u: &[f64], inputs: &[Datum]) -> Vec<Datum> {
        let (x, v) = inputs.split_at(self.params);
        let mut args: Vec<Datum> = x.iter().chain(&self.zeros).chain(v).cloned().collect();
        self.tangents.iter().zip(u).for_each(|(place, u)| write(&mut args, place, *u));
        args
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prepare::Prepared;
    use crate::settings::{Context, Settings};
    use adc_frontend::Loader;
    use adc_jit::{Externs, RuntimeMath};
    use adc_simplify::OptLevel;

    struct NoFiles;

    impl Loader for NoFiles {
        fn load(&mut self, _: &str, _: &str) -> Result<(String, String), String> {
            Err("no files here".into())
        }
    }

    /// The adjoint identity of `f` with the compiled VJP program of `other`.
    fn adjoint(source: &str, other: &str, inputs: &[f64], opt: OptLevel) -> IdentityData {
        let program = adc_frontend::compile("test", source, &mut NoFiles, &RuntimeMath).expect("it compiles");
        let (m, externs) = (&program.module, &Externs::new());
        let prepared = |name: &str| {
            let f = m.find(name).expect("a function");
            let block = CheckBlock::default_for(f, inputs.len(), Span::NONE);
            let settings = Settings { backends: crate::Backends::None, ..Settings::default() };
            Prepared::new(&Context::new(m, externs, opt), &block, &settings).expect("it is prepared")
        };
        let mut p = prepared("f");
        p.units[0].vjp = prepared(other).units[0].vjp.take();
        let inputs: Vec<Datum> = inputs.iter().map(|x| Const::F64(*x).into()).collect();
        p.run_point(&inputs, 1).expect("no run-time error");
        let found = p.units[0].identities.iter().find(|i| i.kind == IdentityKind::Adjoint);
        *found.expect("both programs are there")
    }

    /// Where the determinant is 0, its factors are rounding. The derivatives divide by them, in double-double by 0: identities are
    /// not known to fail, nor to hold.
    #[test]
    fn quotients_by_rounding_show_nothing() {
        let at = |source: &str| {
            let program =
                adc_frontend::compile("test", source, &mut NoFiles, &RuntimeMath).expect("it compiles");
            let (m, externs) = (&program.module, &Externs::new());
            let f = m.find("f").expect("a function");
            let block = CheckBlock::default_for(f, 1, Span::NONE);
            let settings = Settings { backends: crate::Backends::None, ..Settings::default() };
            let mut p = Prepared::new(&Context::new(m, externs, OptLevel::O2), &block, &settings)
                .expect("it is prepared");
            let mut of_points = |point: [f64; 3]| {
                let mut x = Datum::zeros(Scalar::F64, &[3]);
                point.iter().enumerate().for_each(|(k, v)| x.set(k, Const::F64(*v)));
                p.run_point(&[x], 1).expect("no run-time error");
                p.units.iter().flat_map(|u| &u.identities).map(|i| i.status).collect::<Vec<_>>()
            };
            [[-1.00278, 0.436897, -0.60976], [0.3, -0.7, 1.1], [0.123, 2.7, -0.31]]
                .map(&mut of_points)
                .concat()
        };
        let singular = at("fn f(x: f64[3]) -> f64 { det(outer(x, [x[i] - 1 for i])) }");
        assert!(!singular.contains(&Verdict::Inconsistent), "{singular:?}");
        assert!(singular.contains(&Verdict::Unchecked), "{singular:?}");
        let regular = at("fn f(x: f64[3]) -> f64 { det(outer(x, [x[i] - 1 for i]) + eye(3)) }");
        assert!(regular.iter().all(|v| *v == Verdict::Ok), "{regular:?}");
    }

    /// The program that differentiation made is right, so both sides agree without rounding: that is no excuse for another
    /// program.
    #[test]
    fn rounding_excuses_rounding_only() {
        let source = "fn f(x: f64, y: f64) -> f64 { sin(x)*y }
            fn little(x: f64, y: f64) -> f64 { 1.00000001*sin(x)*y }
            fn more(x: f64, y: f64) -> f64 { 1.001*sin(x)*y }";
        for opt in [OptLevel::O0, OptLevel::O2, OptLevel::O3] {
            let of = |other: &str| adjoint(source, other, &[0.7, 1.3], opt).status;
            let verdicts = [of("f"), of("little"), of("more")];
            assert_eq!(verdicts, [Verdict::Ok, Verdict::Imprecise, Verdict::Unstable], "{opt:?}");
        }
        // Digits that the formula itself loses.
        let loses = "fn f(x: f64) -> f64 { tanh(x) }
            rule vjp f(x; g) { let t = tanh(x); g*(1 - t*t) }  rule jvp f(x; dx) { let c = cosh(x); dx/(c*c) }
            fn wrong(x: f64) -> f64 { 1.001*f(x) }";
        for opt in [OptLevel::O0, OptLevel::O2, OptLevel::O3] {
            let [f, wrong] = ["f", "wrong"].map(|other| adjoint(loses, other, &[12.3], opt));
            assert!((f.sides.0 - f.sides.1).abs() > f.tol && f.status == Verdict::Ok, "{opt:?}: {f:?}");
            assert_eq!(wrong.status, Verdict::Unstable, "{opt:?}: {wrong:?}");
        }
    }
}

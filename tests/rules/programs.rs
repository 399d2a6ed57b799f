//! The derivative programs of a function, and which derivative each of their results is.

use adc_ir::{Const, Diagnostic, FuncId, Module, Scalar};
use num_complex::Complex64;

/// An entry of the jet: a partial derivative of an output coordinate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Entry {
    /// ∂f_k/∂x_j
    First(usize, usize),
    /// ∂²f_k/∂x_j∂x_l
    Second(usize, usize, usize),
}

/// A number that a derivative program returns: one entry of the jet for each of its parts.
pub type Expected = Vec<Entry>;

/// A call of a derivative program, beside the primal's own arguments, and what its results should be
/// (`None`: not a derivative, or checked elsewhere).
pub struct Call {
    /// Of which program.
    pub func: FuncId,
    /// For messages: `jvp of vjp`.
    pub mode: &'static str,
    /// Tangents and cotangents.
    pub extra: Vec<Const>,
    /// By result.
    pub results: Vec<Option<Expected>>,
}

/// All derivative programs of a function to second order.
pub struct Programs {
    /// The primal.
    pub f: FuncId,
    /// Positions of its differentiable parameters.
    pub wrt: Vec<usize>,
    /// Every call there is to make at a point.
    pub calls: Vec<Call>,
    /// The number that each coordinate of the inputs belongs to.
    inputs: Vec<usize>,
    /// The number that each coordinate of the outputs belongs to.
    outputs: Vec<usize>,
}

impl Programs {
    /// Asks `ad` for the programs.
    pub fn build(m: &mut Module, f: FuncId) -> Result<Programs, Diagnostic> {
        let func = m.func(f);
        let (wrt, outputs) = (func.differentiable_params(), func.differentiable_results());
        let x = Space::new(wrt.iter().map(|&p| func.param_ty(p).scalar()));
        let y = Space::new(outputs.iter().map(|&r| func.results[r].ty.scalar()));
        let (params, results) = (func.params.len(), func.results.len());

        let jvp = adc_ad::jvp(m, f, &wrt)?;
        let vjp = adc_ad::vjp(m, f, &wrt, &outputs, false)?;
        let with_seeds = |n: usize| -> Vec<usize> { wrt.iter().copied().chain(params..params + n).collect() };
        let jvp_wrt = with_seeds(wrt.len());
        let vjp_wrt = with_seeds(outputs.len());
        let tangents: Vec<usize> = (results..results + outputs.len()).collect();
        let cotangents: Vec<usize> = (0..wrt.len()).collect();
        let jvp_jvp = adc_ad::jvp(m, jvp, &jvp_wrt)?;
        let vjp_jvp = adc_ad::vjp(m, jvp, &jvp_wrt, &tangents, false)?;
        let jvp_vjp = adc_ad::jvp(m, vjp, &vjp_wrt)?;
        let vjp_vjp = adc_ad::vjp(m, vjp, &vjp_wrt, &cotangents, false)?;

        let mut calls = Vec::new();
        let mut add = |func: FuncId, mode, extra: &[&[Const]], skip: usize, derived: &[Vec<Expected>]| {
            let results = vec![None; skip].into_iter().chain(derived.concat().into_iter().map(Some));
            calls.push(Call { func, mode, extra: extra.concat(), results: results.collect() });
        };
        // Tangents of the outputs along x_j, cotangents of the inputs for ȳ = e_k, and their derivatives.
        let tangent = |j: usize| y.numbers(|k| Entry::First(j, k));
        let cotangent = |k: usize| x.numbers(|j| Entry::First(j, k));
        let (no_x, no_y) = (x.none(), y.none());
        for j in 0..x.len() {
            let e = x.unit(j);
            add(jvp, "jvp", &[&e], results, &[tangent(j)]);
            // Along the tangent, in which the JVP is linear, beside another tangent.
            let other = x.unit((j + 1) % x.len());
            let skip = results + 2 * outputs.len();
            add(jvp_jvp, "jvp of jvp", &[&other, &no_x, &e], skip, &[tangent(j)]);
            for l in 0..x.len() {
                let second = y.numbers(|k| Entry::Second(j, l, k));
                let skip = results + outputs.len();
                add(jvp_jvp, "jvp of jvp", &[&e, &x.unit(l), &no_x], skip, &[tangent(l), second]);
            }
            for k in 0..y.len() {
                let v = y.unit(k);
                let second = x.numbers(|l| Entry::Second(j, l, k));
                add(jvp_vjp, "jvp of vjp", &[&v, &e, &no_y], wrt.len(), std::slice::from_ref(&second));
                add(vjp_jvp, "vjp of jvp", &[&e, &v], 0, &[second.clone(), cotangent(k)]);
                add(vjp_vjp, "vjp of vjp", &[&v, &e], 0, &[second, tangent(j)]);
            }
        }
        for k in 0..y.len() {
            let v = y.unit(k);
            add(vjp, "vjp", &[&v], 0, &[cotangent(k)]);
            let other = y.unit((k + 1) % y.len());
            add(jvp_vjp, "jvp of vjp", &[&other, &no_x, &v], wrt.len(), &[cotangent(k)]);
        }
        Ok(Programs { f, wrt, calls, inputs: x.owners(), outputs: y.owners() })
    }

    /// All parts of the derivative that `entry` is a part of: of the number D = ∂f/∂x for a real parameter, of the
    /// pair W, CW for a complex one.
    pub fn whole(&self, entry: Entry) -> Vec<Entry> {
        let beside = |owners: &[usize], c: usize| -> Vec<usize> {
            (0..owners.len()).filter(|&d| owners[d] == owners[c]).collect()
        };
        let mut out = Vec::new();
        match entry {
            Entry::First(j, k) => {
                for j in beside(&self.inputs, j) {
                    out.extend(beside(&self.outputs, k).into_iter().map(|k| Entry::First(j, k)));
                }
            }
            Entry::Second(j, l, k) => {
                for j in beside(&self.inputs, j) {
                    for l in beside(&self.inputs, l) {
                        out.extend(beside(&self.outputs, k).into_iter().map(|k| Entry::Second(j, l, k)));
                    }
                }
            }
        }
        out
    }

    /// Every function to compile.
    pub fn entries(&self) -> Vec<FuncId> {
        let mut entries: Vec<FuncId> = self.calls.iter().map(|c| c.func).collect();
        entries.sort();
        entries.dedup();
        entries
    }
}

/// Numbers, real and complex, and their real coordinates.
struct Space {
    types: Vec<Scalar>,
}

impl Space {
    fn new(types: impl Iterator<Item = Scalar>) -> Space {
        Space { types: types.collect() }
    }

    /// Number of real coordinates.
    fn len(&self) -> usize {
        self.types.iter().map(|t| t.coordinates()).sum()
    }

    /// By coordinate: which number it belongs to.
    fn owners(&self) -> Vec<usize> {
        self.types.iter().enumerate().flat_map(|(i, t)| vec![i; t.coordinates()]).collect()
    }

    /// For each number the entries of its coordinates.
    fn numbers(&self, entry: impl Fn(usize) -> Entry) -> Vec<Expected> {
        let mut next = 0;
        let mut number = |t: &Scalar| {
            let coordinates = next..next + t.coordinates();
            next = coordinates.end;
            coordinates.map(&entry).collect()
        };
        self.types.iter().map(&mut number).collect()
    }

    /// 1 (or i) in one coordinate, 0 elsewhere.
    fn unit(&self, coordinate: usize) -> Vec<Const> {
        let mut next = 0;
        let mut number = |t: &Scalar| {
            let parts: Vec<f64> =
                (next..next + t.coordinates()).map(|c| f64::from(c == coordinate)).collect();
            next += t.coordinates();
            Const::from_c128(Complex64::new(parts[0], parts.get(1).copied().unwrap_or(0.0)), *t)
        };
        self.types.iter().map(&mut number).collect()
    }

    /// All zero.
    fn none(&self) -> Vec<Const> {
        self.types.iter().map(|t| Const::zero(*t)).collect()
    }
}

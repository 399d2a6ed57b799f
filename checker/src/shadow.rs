//! The shadow of a function: the same program with a double-double beside every real and complex value.
//!
//! Every float value v becomes a [`Shadowed`]: p, the original instruction to the bit, and a pair hi + lo of values of the same
//! type and shape, with a relative error of about 1e-31. Differences of the pair have the accuracy that differences of p
//! lose.
//!
//! * All decisions (comparisons, conditions, indices, loop counts, rounding to integers, signs, the operand of an extremum)
//!   are made by p; at a tie of p (equal operands, zero) the pair decides. So a caller that gives p the centre and the pair
//!   a displaced point gets the centre's branches at the displaced point.
//! * A value that p holds exactly (literals, conversions of integers, results of rounding to integers) has no pair: it is
//!   p. Where such values meet others in carries, yields or calls, the pair is p and 0.
//! * Arithmetic is inline ([`pair`], [`complex`]); every other function is a native `dd.…` that adc-jit provides
//!   ([`natives`]). Native functions of a model have no such form: they are opaque calls, at the rounded arguments, with a
//!   lo of some units in the last place, and are listed as *holes*.
//! * Regions run once for p and pair: a `build` becomes a `for` that collects, a `reduce` a `for` that carries. Where natives
//!   are called in every iteration, loops are split, and call natives of whole arrays ([`batches`]).
//! * Below about 2⁻⁹⁶⁹ the last bits of products, quotients and roots are not representable: accuracy falls to that of p
//!   there, and nothing becomes NaN because of it.
//!
//! Absent on purpose: derivatives (a shadow is run, not differentiated), rules (a function that has them is shadowed by its
//! body), single precision ([`crate::promote`] comes before) and recursion (dimensions are numbers).

mod arrays;
mod batches;
mod body;
mod complex;
mod loops;
mod marks;
mod natives;
mod ops;
mod pair;
mod short;
#[cfg(test)]
mod tests;

use adc_ir::*;
use rustc_hash::FxHashMap;

/// Instructions of a shadow that goes into its callers, at most: so many that loops see what functions of a few operations call.
const SMALL: usize = 128;

/// The shadow of a function.
pub(crate) struct Shadow {
    pub func: FuncId,
    /// Natives without a double-double form that the function reaches: name and span of each call.
    pub holes: Vec<(String, Span)>,
}

/// Makes shadows of a module's functions, each once.
#[derive(Clone, Default)]
pub(crate) struct Shadows {
    versions: FxHashMap<FuncId, FuncId>,
    /// By version: the opaque calls that it reaches.
    holes: FxHashMap<FuncId, Vec<(String, Span)>>,
    /// Versions that have a name but no body yet.
    open: Vec<(FuncId, FuncId)>,
}

impl Shadows {
    /// The shadow of `f`, which has double precision and no derivative that is still to be expanded.
    ///
    /// Parameters: those of `f`, then `NAME.hi` and `NAME.lo` of each float one, in order; results likewise.
    pub(crate) fn run(&mut self, m: &mut Module, f: FuncId) -> Result<Shadow, Diagnostic> {
        let (func, made, asserting) = self.written(m, f);
        for version in made {
            short::run(m, version);
            batches::run(m, version, &asserting);
            m.funcs[version.0 as usize].renumber();
        }
        let holes = self.holes[&func].clone();
        Ok(Shadow { func, holes })
    }

    /// The shadow of `f` with loops as `f` has them, and all versions that are new, which `asserting` knows.
    fn written(&mut self, m: &mut Module, f: FuncId) -> (FuncId, Vec<FuncId>, dce::Asserting) {
        let func = self.version(m, f);
        let mut made = Vec::new();
        while let Some((g, version)) = self.open.pop() {
            let (func, holes) = body::build(self, m, g, version);
            m.funcs[version.0 as usize] = func;
            self.holes.insert(version, holes);
            made.push(version);
        }
        // Before calls become the instructions of their callees.
        for version in &made {
            let mut holes: Vec<(String, Span)> = Vec::new();
            for hole in m.reachable(*version).iter().filter_map(|g| self.holes.get(g)).flatten() {
                if !holes.contains(hole) {
                    holes.push(hole.clone());
                }
            }
            self.holes.insert(*version, holes);
        }
        let mut which = vec![false; m.funcs.len()];
        made.iter().for_each(|version| which[version.0 as usize] = true);
        adc_simplify::inline_into(m, &which, SMALL);
        let asserting = dce::Asserting::of(m);
        for version in &made {
            dce::run(&mut m.funcs[version.0 as usize], &asserting);
        }
        (func, made, asserting)
    }

    /// The function of a version; if it is new, the loop of [`Self::written`] writes its body.
    fn version(&mut self, m: &mut Module, f: FuncId) -> FuncId {
        if let Some(version) = self.versions.get(&f) {
            return *version;
        }
        let name = m.fresh_name(&format!("{}.shadow", m.func(f).name));
        let version = m.add(Builder::new(name, m.func(f).span).finish(Vec::new()));
        self.versions.insert(f, version);
        self.open.push((f, version));
        version
    }
}

/// hi + lo. Either both are finite numbers with |lo| at most half a unit in the last place of hi, or hi is the result in
/// doubles and not finite, and lo is 0. For complex values each part is such a pair.
#[derive(Clone, Copy, Debug)]
struct Pair {
    hi: Value,
    /// `None`: 0.
    lo: Option<Value>,
}

/// A float value with its shadow.
#[derive(Clone, Copy, Debug)]
struct Shadowed {
    p: Value,
    /// `None`: p itself, exactly.
    pair: Option<Pair>,
}

impl Shadowed {
    /// Its pair.
    fn pair(self) -> Pair {
        self.pair.unwrap_or(Pair { hi: self.p, lo: None })
    }
}

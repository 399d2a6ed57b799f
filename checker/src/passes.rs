//! What makes the derivative programs that a check compares, and what simplifies them, as a value: checks do not care who did. The
//! self-test puts something else in the place of adc's own passes, and so does the search for what of them is to blame.

use adc_ad::{Method, Policy};
use adc_ir::{Diagnostic, FuncId, Module, Span};
use adc_simplify::{Done, Options};
use std::sync::Mutex;

/// The passes between a function and the derivative programs that are compiled: adc's own, where nothing else is said.
pub trait Passes: Sync {
    /// As [`adc_ad::vjp_with`].
    ///
    /// # Errors
    /// As there.
    fn vjp(
        &self,
        m: &mut Module,
        f: FuncId,
        (wrt, outputs): (&[usize], &[usize]),
        primal: bool,
        policy: Policy,
    ) -> Result<FuncId, Diagnostic> {
        Method { policy, ..Method::default() }.vjp(m, f, wrt, outputs, primal)
    }

    /// As [`adc_ad::jvp`].
    ///
    /// # Errors
    /// As there.
    fn jvp(&self, m: &mut Module, f: FuncId, wrt: &[usize]) -> Result<FuncId, Diagnostic> {
        Method::default().jvp(m, f, wrt)
    }

    /// As [`adc_ad::linearize`].
    ///
    /// # Errors
    /// As there.
    fn linearize(
        &self,
        m: &mut Module,
        f: FuncId,
        wrt: &[usize],
        outputs: &[usize],
    ) -> Result<adc_ad::Linearized, Diagnostic> {
        Method::default().linearize(m, f, wrt, outputs)
    }

    /// How derivative programs become code.
    fn code(&self) -> adc_jit::Options {
        adc_jit::Options::default()
    }

    /// As [`adc_simplify::prepare_with`].
    fn prepare(&self, m: &mut Module, roots: &[FuncId], options: &Options) -> Done {
        adc_simplify::prepare_with(m, roots, options)
    }

    /// As [`adc_simplify::run_with`].
    fn simplify(&self, m: &mut Module, roots: &[FuncId], options: &Options) -> Done {
        adc_simplify::run_with(m, roots, options)
    }
}

/// adc's own passes.
#[derive(Clone, Copy, Debug)]
pub struct Own;

impl Passes for Own {}

/// Passes without some of what simplifies, which note the identities that were used.
pub(crate) struct Without<'a> {
    passes: &'a dyn Passes,
    names: &'a [&'a str],
    used: Mutex<Vec<(String, Span)>>,
}

impl<'a> Without<'a> {
    pub(crate) fn new(passes: &'a dyn Passes, names: &'a [&'a str]) -> Without<'a> {
        Without { passes, names, used: Mutex::default() }
    }

    /// The identities that were used, each with its expressions.
    pub(crate) fn used(self) -> Vec<(String, Span)> {
        self.used.into_inner().expect("nobody panics with it")
    }

    fn run(&self, options: &Options, run: impl FnOnce(&Options) -> Done) -> Done {
        let names = [options.without, self.names].concat();
        let done = run(&Options { without: &names, explain: true, ..*options });
        let mut used = self.used.lock().expect("nobody panics with it");
        for new in &done.identities {
            if !used.contains(new) {
                used.push(new.clone());
            }
        }
        done
    }
}

impl Passes for Without<'_> {
    fn vjp(
        &self,
        m: &mut Module,
        f: FuncId,
        about: (&[usize], &[usize]),
        primal: bool,
        policy: Policy,
    ) -> Result<FuncId, Diagnostic> {
        self.passes.vjp(m, f, about, primal, policy)
    }

    fn jvp(&self, m: &mut Module, f: FuncId, wrt: &[usize]) -> Result<FuncId, Diagnostic> {
        self.passes.jvp(m, f, wrt)
    }

    fn linearize(
        &self,
        m: &mut Module,
        f: FuncId,
        wrt: &[usize],
        outputs: &[usize],
    ) -> Result<adc_ad::Linearized, Diagnostic> {
        self.passes.linearize(m, f, wrt, outputs)
    }

    fn code(&self) -> adc_jit::Options {
        self.passes.code()
    }

    fn prepare(&self, m: &mut Module, roots: &[FuncId], options: &Options) -> Done {
        self.run(options, |options| self.passes.prepare(m, roots, options))
    }

    fn simplify(&self, m: &mut Module, roots: &[FuncId], options: &Options) -> Done {
        self.run(options, |options| self.passes.simplify(m, roots, options))
    }
}

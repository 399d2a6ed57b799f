//! Mutants: mistakes that can be planted into simplification, so that a checker can be shown to find them. Every row of the rewrite
//! tables is perturbed ([`rewrites`]); passes have places that ask whether a [`Fault`] is planted.
//!
//! As in `adc_ad`, a mutant is planted for the length of a call on the thread that makes it.

mod faults;
mod rewrites;

pub use faults::Fault;

use crate::rules::Rule;
use adc_ir::mutants::{When, derivative_order};
use rustc_hash::FxHashSet;
use std::cell::{Cell, RefCell};
use std::sync::LazyLock;

/// A place that a mutant changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Site {
    /// A row of [`crate::rules::all`], by its place there.
    Rewrite(usize),
    /// A place in code.
    Fault(Fault),
}

/// One mistake.
#[derive(Clone, Debug)]
pub struct Mutant {
    /// Unique: `factor/unguarded`, `neg-dropped`.
    pub name: String,
    /// What is wrong.
    pub what: String,
    /// Where.
    pub site: Site,
    /// The wrong rewrite, if it is a row.
    pub(crate) rule: Option<&'static Rule>,
}

impl Mutant {
    /// The rewrite that is planted, if it is one.
    pub fn rewrite(&self) -> Option<&'static Rule> {
        self.rule
    }
}

/// Every mutant: of every row of the rewrite tables, then of every [`Fault`].
pub fn mutants() -> &'static [Mutant] {
    static ALL: LazyLock<Vec<Mutant>> = LazyLock::new(|| {
        let faults = Fault::ALL.iter().map(|(fault, name, what)| Mutant {
            name: (*name).into(),
            what: (*what).into(),
            site: Site::Fault(*fault),
            rule: None,
        });
        rewrites::all().into_iter().chain(faults).collect()
    });
    &ALL
}

/// The mutant of a name.
pub fn mutant(name: &str) -> Option<&'static Mutant> {
    mutants().iter().find(|m| m.name == name)
}

thread_local! {
    static PLANTED: Cell<Option<(&'static Mutant, When)>> = const { Cell::new(None) };
    /// Whether the function being worked on is a derivative of a derivative.
    static SECOND: Cell<bool> = const { Cell::new(false) };
    static SEEN: RefCell<Option<[FxHashSet<Fault>; 2]>> = const { RefCell::new(None) };
}

/// Puts back what was there, also when unwinding.
struct Restored(Option<(&'static Mutant, When)>);

impl Drop for Restored {
    fn drop(&mut self) {
        PLANTED.set(self.0);
    }
}

/// Runs `f` with a mutant planted, or none.
pub fn planted<R>(mutant: Option<(&'static Mutant, When)>, f: impl FnOnce() -> R) -> R {
    let _restored = Restored(PLANTED.replace(mutant));
    f()
}

/// Runs `f` and says which places with a [`Fault`] it came by: in functions and first derivatives, and in derivatives of
/// derivatives. Not to be nested.
pub fn observed<R>(f: impl FnOnce() -> R) -> (R, [FxHashSet<Fault>; 2]) {
    SEEN.set(Some(Default::default()));
    let result = f();
    (result, SEEN.take().unwrap_or_default())
}

/// What follows is about the function of that name.
pub(crate) fn working_on(name: &str) {
    if PLANTED.get().is_some() || SEEN.with_borrow(Option::is_some) {
        SECOND.set(derivative_order(name) > 1);
    }
}

fn acting() -> Option<&'static Mutant> {
    PLANTED.get().filter(|(_, when)| *when == When::Always || SECOND.get()).map(|(m, _)| m)
}

/// Whether a fault is planted here.
pub(crate) fn faulty(fault: Fault) -> bool {
    SEEN.with_borrow_mut(|seen| {
        if let Some(seen) = seen {
            seen[usize::from(SECOND.get())].insert(fault);
        }
    });
    acting().is_some_and(|m| m.site == Site::Fault(fault))
}

/// The planted rewrite, with the place of the row that it replaces.
pub(crate) fn planted_rewrite() -> Option<(usize, &'static Rule)> {
    let mutant = acting()?;
    match mutant.site {
        Site::Rewrite(row) => Some((row, mutant.rule?)),
        Site::Fault(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules;

    #[test]
    fn every_row_is_perturbed() {
        let mut names = FxHashSet::default();
        let found: FxHashSet<Site> = mutants().iter().map(|m| m.site).collect();
        assert!(mutants().iter().all(|m| names.insert(m.name.as_str())));
        for (k, rule) in rules::all().iter().enumerate() {
            assert!(found.contains(&Site::Rewrite(k)), "{}", rule.name);
        }
        for m in mutants() {
            let Some(rule) = m.rule else { continue };
            let (left, right) = rule.terms();
            assert!(right.vars().iter().all(|v| left.vars().contains(v)), "{}", m.name);
        }
    }
}

//! Mutants: mistakes that can be planted into simplification, so that a checker can be shown to find them. Every row of the rewrite
//! tables is perturbed (`rewrites`); passes have places that ask whether a [`Fault`] is planted.
//!
//! As in `adc_ad`, a mutant is planted for the length of a call on the thread that makes it.

mod faults;
mod rewrites;

pub use faults::Fault;

use crate::rules::Rule;
use adc_ir::mutants::{When, derivative_order, scoped};
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
    static ALONE: Cell<Option<Alone>> = const { Cell::new(None) };
    /// Whether the function being worked on is a derivative of a derivative.
    static SECOND: Cell<bool> = const { Cell::new(false) };
    static SEEN: RefCell<Option<[FxHashSet<Fault>; 2]>> = const { RefCell::new(None) };
}

/// Runs `f` with a mutant planted, or none.
pub fn planted<R>(mutant: Option<(&'static Mutant, When)>, f: impl FnOnce() -> R) -> R {
    scoped(&PLANTED, mutant, f)
}

/// Simplification that is one rewrite.
#[derive(Clone, Copy, Debug)]
pub struct Alone {
    /// The place of the row that it is, or stands for, and the rewrite; none: nothing is rewritten.
    pub rewrite: Option<(usize, &'static Rule)>,
    /// In which functions.
    pub when: When,
}

impl Alone {
    /// The rewrite, if it is applied in the function of that name.
    pub(crate) fn within(&self, name: &str) -> Option<(usize, &'static Rule)> {
        self.rewrite.filter(|_| self.when == When::Always || derivative_order(name) > 1)
    }
}

/// Runs `f` with simplification that makes every match of one rewrite its right side, whatever that costs, and does nothing else but
/// what the canonicaliser does to the result. In a whole pipeline a row may be hard to come by: what it matches is rewritten
/// before, or its right side is not the cheapest.
pub fn alone<R>(what: Option<Alone>, f: impl FnOnce() -> R) -> R {
    scoped(&ALONE, what, f)
}

/// See [`alone`].
pub(crate) fn by_itself() -> Option<Alone> {
    ALONE.get()
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

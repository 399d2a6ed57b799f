//! Mutants: mistakes that can be planted into differentiation, so that a checker can be shown to find them. Rows of the rule
//! table are perturbed systematically ([`rows`]); everything that is code has places that ask whether a [`Fault`] is planted.
//!
//! A mutant is planted for the length of a call, on the thread that makes it ([`planted`]); nothing is planted otherwise, and
//! a question then costs a look at two thread-local flags. Derivatives that a module has already are not made again, so a
//! mutant shows in a module that was made without it, or in a copy of one.

mod faults;
mod rows;

pub use faults::Fault;
pub use rows::signatures;

use crate::rules::{Row, Shape};
use adc_ir::Op;
use adc_ir::mutants::{When, scoped};
use rustc_hash::FxHashSet;
use std::cell::{Cell, RefCell};
use std::sync::LazyLock;

/// What kind of mistake a mutant is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Family {
    /// A partial derivative in the rule table.
    Rule,
    /// How partials are applied to tangents and cotangents, conjugates and real parts.
    Linear,
    /// Contributions that meet: sums of them, masks of selections.
    Accumulation,
    /// The transposes of what moves elements of arrays.
    Array,
    /// Products of matrices and linear algebra.
    Matrix,
    /// The reverse of loops, reductions and comprehensions.
    Loop,
    /// The reverse of `if`, `max` and `min`.
    Branch,
    /// Calls and hand-written rules.
    Call,
}

impl Family {
    /// Every family with its word.
    pub const ALL: [(Family, &'static str); 8] = [
        (Family::Rule, "rule"),
        (Family::Linear, "linear"),
        (Family::Accumulation, "accumulation"),
        (Family::Array, "array"),
        (Family::Matrix, "matrix"),
        (Family::Loop, "loop"),
        (Family::Branch, "branch"),
        (Family::Call, "call"),
    ];

    /// Its word.
    pub fn word(self) -> &'static str {
        Self::ALL[self as usize].1
    }
}

/// A place that a mutant changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Site {
    /// The row of an op for operands of which the first, second, third … is complex if that bit is set.
    Row(Op, u8),
    /// A place in code.
    Fault(Fault),
}

/// One mistake.
#[derive(Clone, Debug)]
pub struct Mutant {
    /// Unique: `sin/c/x/conj`, `loop-forwards`.
    pub name: String,
    /// What kind it is.
    pub family: Family,
    /// What is wrong.
    pub what: String,
    /// Where.
    pub site: Site,
    /// The wrong row, if it is one of the table.
    row: Option<Row>,
}

/// Every mutant: of every row of the rule table, then of every [`Fault`].
pub fn mutants() -> &'static [Mutant] {
    static ALL: LazyLock<Vec<Mutant>> = LazyLock::new(|| {
        let faults = Fault::ALL.iter().map(|(fault, family, name, what)| Mutant {
            name: (*name).into(),
            family: *family,
            what: (*what).into(),
            site: Site::Fault(*fault),
            row: None,
        });
        rows::all().into_iter().chain(faults).collect()
    });
    &ALL
}

/// The mutant of a name.
pub fn mutant(name: &str) -> Option<&'static Mutant> {
    mutants().iter().find(|m| m.name == name)
}

/// The sites that differentiation came by: those of functions, and those of derivative programs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Coverage {
    /// In derivatives of functions.
    pub first: FxHashSet<Site>,
    /// In derivatives of derivative programs.
    pub second: FxHashSet<Site>,
}

thread_local! {
    static PLANTED: Cell<Option<(&'static Mutant, When)>> = const { Cell::new(None) };
    /// What acts on the program being made.
    static ACTING: Cell<Option<&'static Mutant>> = const { Cell::new(None) };
    /// Whether the program being made is a derivative of a derivative, while sites are being recorded.
    static RECORDING: Cell<Option<bool>> = const { Cell::new(None) };
    static SEEN: RefCell<Option<Coverage>> = const { RefCell::new(None) };
}

/// Runs `f` with a mutant planted, or none.
pub fn planted<R>(mutant: Option<(&'static Mutant, When)>, f: impl FnOnce() -> R) -> R {
    scoped(&PLANTED, mutant, f)
}

/// Runs `f` and says by which sites it came. Not to be nested.
pub fn observed<R>(f: impl FnOnce() -> R) -> (R, Coverage) {
    SEEN.set(Some(Coverage::default()));
    let result = f();
    (result, SEEN.take().unwrap_or_default())
}

/// What acts while one program is made.
pub(crate) struct Making(Option<&'static Mutant>, Option<bool>);

/// Until the result is dropped a program is made, a derivative of a derivative program if `second`.
pub(crate) fn making(second: bool) -> Making {
    let acting = PLANTED.get().filter(|(_, when)| *when == When::Always || second).map(|(m, _)| m);
    let recording = SEEN.with_borrow(Option::is_some).then_some(second);
    Making(ACTING.replace(acting), RECORDING.replace(recording))
}

impl Drop for Making {
    fn drop(&mut self) {
        ACTING.set(self.0);
        RECORDING.set(self.1);
    }
}

fn record(site: Site) {
    let Some(second) = RECORDING.get() else { return };
    SEEN.with_borrow_mut(|seen| {
        if let Some(seen) = seen {
            let seen = if second { &mut seen.second } else { &mut seen.first };
            seen.insert(site);
        }
    });
}

/// Whether a fault is planted here.
pub(crate) fn faulty(fault: Fault) -> bool {
    record(Site::Fault(fault));
    ACTING.get().is_some_and(|m| m.site == Site::Fault(fault))
}

/// The planted row of an op, if there is one.
pub(crate) fn planted_row(op: Op, shape: Shape) -> Option<&'static Row> {
    let site = Site::Row(op, shape.bits());
    record(site);
    ACTING.get().filter(|m| m.site == site).and_then(|m| m.row.as_ref())
}

#[cfg(test)]
mod tests {
    use super::*;
    use adc_ir::{Builder, Module, Scalar, Span};

    #[test]
    fn names_are_unique_and_nothing_is_what_it_was() {
        let mut names = FxHashSet::default();
        for m in mutants() {
            assert!(names.insert(m.name.as_str()), "{} is there twice", m.name);
            if let (Site::Row(op, bits), Some(row)) = (m.site, &m.row) {
                assert_ne!(row, crate::rules::row_of(op, Shape::nth(bits.into())), "{}", m.name);
            }
        }
    }

    /// A mutant is gone with its call, and in first derivatives only where it is wanted there.
    #[test]
    fn a_mutant_acts_as_long_as_its_call() {
        let mut m = Module::default();
        let mut b = Builder::new("f", Span::NONE);
        let params = ["x", "y"].map(|name| b.param(name, Scalar::F64));
        let product = b.op(Op::Mul, &params);
        let f = m.add(b.finish(vec![("out".into(), product)]));
        let derived = |mutant: Option<(&'static Mutant, When)>| {
            let mut m = m.clone();
            let vjp = planted(mutant, || crate::vjp(&mut m, f, &[0, 1], &[0], false)).expect("it is one");
            let first = m.to_string();
            planted(mutant, || crate::vjp(&mut m, vjp, &[0, 1], &[0], false)).expect("it is one");
            (first, m.to_string())
        };
        let plain = derived(None);
        let twice = mutant("mul/rr/a/twice").expect("there is a product rule");
        assert_ne!(plain.0, derived(Some((twice, When::Always))).0);
        let second = derived(Some((twice, When::Derivatives)));
        assert_eq!(plain.0, second.0);
        assert_ne!(plain.1, second.1);
        assert_eq!(plain, derived(None));
    }

    #[test]
    fn what_was_come_by() {
        let mut m = Module::default();
        let mut b = Builder::new("f", Span::NONE);
        let x = b.param("x", Scalar::F64);
        let sine = b.op(Op::Sin, &[x]);
        let f = m.add(b.finish(vec![("out".into(), sine)]));
        let (vjp, seen) = observed(|| crate::vjp(&mut m, f, &[0], &[0], false).expect("it is one"));
        assert!(seen.first.contains(&Site::Row(Op::Sin, 0)) && seen.second.is_empty());
        let (_, seen) = observed(|| crate::vjp(&mut m, vjp, &[0], &[0], false).expect("it is one"));
        assert!(seen.first.is_empty() && seen.second.contains(&Site::Row(Op::Cos, 0)));
    }
}

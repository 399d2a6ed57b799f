//! Simplification with something left out, so that it can be found out what of it changes a result: passes, exact identities by the
//! op they are about, rewrites of the e-graph pass.
//!
//! What is left out is so for the length of a call, on the thread that makes it. A program simplified without something computes the
//! same, at a higher cost.

use crate::rules;
use adc_ir::{Op, Span};
use rustc_hash::FxHashSet;
use std::cell::{Cell, RefCell};

/// Passes that can be left out: name and what it does.
pub const PASSES: [(&str, &str); 13] = [
    ("canonicalise", "hash-consing, constants, exact identities, dead code"),
    ("identities", "exact identities of scalar ops"),
    ("twins", "what is computed already is not computed again"),
    ("inline", "calls of small functions become their bodies"),
    ("contractions", "products of matrices in another order"),
    ("unroll", "small loops are written out"),
    ("scalars", "small arrays become their elements"),
    ("inline_build", "an element is computed where it is read"),
    ("merge", "loops over one range become one"),
    ("hoist", "what does not change leaves its loop"),
    ("arms", "what both branches of an `if` compute is computed before"),
    ("egraph", "rewrites of the e-graph pass"),
    ("fma", "a product that is only added to something becomes an `fma`"),
];

thread_local! {
    static OUT: RefCell<Option<FxHashSet<String>>> = const { RefCell::new(None) };
    static ANY: Cell<bool> = const { Cell::new(false) };
    static USED: RefCell<Option<Vec<(String, Span)>>> = const { RefCell::new(None) };
}

/// Puts back what was there, also when unwinding.
struct Restored(Option<FxHashSet<String>>);

impl Drop for Restored {
    fn drop(&mut self) {
        ANY.set(self.0.is_some());
        OUT.set(self.0.take());
    }
}

/// Runs `f` without the passes, identities (`identities of mul`) and rewrites of these names.
pub fn without<R>(names: &[&str], f: impl FnOnce() -> R) -> R {
    let set = names.iter().map(|n| (*n).to_string()).collect();
    let _restored = Restored(OUT.replace(Some(set)));
    ANY.set(true);
    f()
}

/// Runs `f` and says which identities it used, with the expressions they were used on. Not to be nested.
pub fn identities_used<R>(f: impl FnOnce() -> R) -> (R, Vec<(String, Span)>) {
    USED.set(Some(Vec::new()));
    let result = f();
    (result, USED.take().unwrap_or_default())
}

/// Whether what has this name is left out.
pub(crate) fn is_out(name: &str) -> bool {
    ANY.get() && OUT.with_borrow(|out| out.as_ref().is_some_and(|set| set.contains(name)))
}

/// Whether the identities of an op are left out.
pub(crate) fn identities_are_out(op: Op) -> bool {
    ANY.get() && (is_out("identities") || is_out(&identities_of(op)))
}

/// The name of the identities of an op.
pub(crate) fn identities_of(op: Op) -> String {
    format!("identities of {}", op.name())
}

/// An identity of an op is used.
pub(crate) fn used(op: Op, span: Span) {
    USED.with_borrow_mut(|used| {
        if let Some(used) = used {
            let new = (identities_of(op), span);
            if !used.contains(&new) {
                used.push(new);
            }
        }
    });
}

/// Every name of a rewrite of the e-graph pass.
pub fn rewrites() -> impl Iterator<Item = &'static str> {
    rules::all().iter().map(|r| r.name)
}

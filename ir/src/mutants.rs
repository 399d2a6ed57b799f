//! What the crates that mutants are planted into have in common: see `adc_ad::planted` and `adc_simplify::planted`.

use std::cell::Cell;
use std::thread::LocalKey;

/// Runs `f` with another value of a thread's cell; puts back what was there, also when unwinding.
pub fn scoped<T: Copy, R>(cell: &'static LocalKey<Cell<T>>, value: T, f: impl FnOnce() -> R) -> R {
    struct Restored<T: Copy + 'static>(&'static LocalKey<Cell<T>>, T);
    impl<T: Copy> Drop for Restored<T> {
        fn drop(&mut self) {
            self.0.set(self.1);
        }
    }
    let _restored = Restored(cell, cell.replace(value));
    f()
}

/// When a planted mutant acts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum When {
    /// Always.
    Always,
    /// In derivatives of derivative programs only: first derivatives are right.
    Derivatives,
}

/// What derivative a function is by its name: 0 of a function of the model, 1 of `f.vjp`, 2 of `f.vjp.jvp`. A hand-written rule
/// is a derivative.
pub fn derivative_order(name: &str) -> usize {
    const OPERATORS: [&str; 10] = [
        "jvp",
        "vjp",
        "value_and_vjp",
        "fwd",
        "bwd",
        "linearize",
        "pullback",
        "transpose",
        "grad",
        "value_and_grad",
    ];
    name.split('.').filter(|part| OPERATORS.contains(part)).count()
}

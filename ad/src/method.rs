//! How derivative programs are made, as a value: what tests and experiments want otherwise is said here, and nowhere else.

use crate::rules::{Rules, TABLE};
use crate::storage::Policy;

/// By which rules derivative programs are made, and what their reverse sweeps store.
#[derive(Clone, Copy, Debug)]
pub struct Method<'r> {
    /// The partial derivatives of ops.
    pub rules: &'r Rules,
    /// What is stored and what is computed again.
    pub policy: Policy,
}

impl Default for Method<'static> {
    /// The rule table, and the default policy.
    fn default() -> Method<'static> {
        Method { rules: &TABLE, policy: Policy::default() }
    }
}

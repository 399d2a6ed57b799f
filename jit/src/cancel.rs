//! Ending runs from outside.

use crate::context::Shell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

/// Ends the runs of all workspaces that know it, from any thread: those that are running at the next loop that counts its
/// iterations, and those that would begin later. They end as runs without fuel do. Clones are one and the same.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    cancelled: AtomicBool,
    known: Mutex<Vec<Weak<Shell>>>,
}

/// Generated code loads its fuel, subtracts, and stores it: what is stored in between is lost. So fuel is taken as often as this until
/// nothing runs any more.
const AGAIN: Duration = Duration::from_millis(1);

impl Cancel {
    /// One that has not been used.
    pub fn new() -> Cancel {
        Cancel::default()
    }

    /// Ends runs from here on.
    pub fn cancel(&self) {
        self.0.cancelled.store(true, Ordering::SeqCst);
        let cancel = self.clone();
        let take = move || {
            while cancel.take_fuel() {
                std::thread::sleep(AGAIN);
            }
        };
        if self.take_fuel() && std::thread::Builder::new().spawn(take.clone()).is_err() {
            take();
        }
    }

    /// Takes the fuel of whatever runs; whether anything does.
    fn take_fuel(&self) -> bool {
        let known = self.known();
        let running = known.iter().filter_map(Weak::upgrade).filter(|shell| shell.is_running());
        running.map(|shell| shell.exhaust()).count() > 0
    }

    /// Whether [`Self::cancel`] was called.
    #[inline]
    pub fn is_cancelled(&self) -> bool {
        self.0.cancelled.load(Ordering::SeqCst)
    }

    pub(crate) fn watch(&self, shell: &Arc<Shell>) {
        let mut known = self.known();
        known.retain(|s| s.strong_count() > 0);
        known.push(Arc::downgrade(shell));
    }

    /// When this is back, the shell is not touched any more.
    pub(crate) fn forget(&self, shell: &Arc<Shell>) {
        self.known().retain(|s| s.as_ptr() != Arc::as_ptr(shell));
    }

    fn known(&self) -> MutexGuard<'_, Vec<Weak<Shell>>> {
        self.0.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

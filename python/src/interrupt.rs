//! Ctrl-C during a run.
//!
//! Python's own handler only notes the signal: what it means is decided when Python code runs again. So a run in the main thread
//! puts a handler in front of it, which also wakes a thread that cancels the run.

use adc::Cancel;
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;

/// Runs `work` without the interpreter lock, until it is done or Ctrl-C cancels it; `cancel` is what ends it.
pub(crate) fn run<R: Send>(py: Python<'_>, cancel: &Cancel, work: impl FnOnce() -> R + Send) -> PyResult<R> {
    let watch = signals::Watch::begin(cancel);
    let done = py.detach(work);
    if watch.end() {
        py.check_signals()?;
        // A handler of the program's own may not raise anything, but the run is over.
        return Err(PyKeyboardInterrupt::new_err(()));
    }
    Ok(done)
}

#[cfg(target_os = "linux")]
mod signals {
    #![allow(unsafe_code)] // Signal handlers are the system's business.

    use adc::Cancel;
    use std::mem::MaybeUninit;
    use std::ptr;
    use std::sync::atomic::{AtomicBool, AtomicI32, AtomicUsize, Ordering};
    use std::sync::{Mutex, MutexGuard, Once, PoisonError};

    /// The handler that was there.
    static BEFORE: AtomicUsize = AtomicUsize::new(libc::SIG_DFL);
    /// Whether it takes three arguments.
    static DETAILED: AtomicBool = AtomicBool::new(false);
    /// Whether the signal came during this run.
    static CAME: AtomicBool = AtomicBool::new(false);
    /// The end of a pipe that wakes the thread.
    static WAKE: AtomicI32 = AtomicI32::new(-1);
    /// The run in the main thread.
    static RUNNING: Mutex<Option<Cancel>> = Mutex::new(None);

    fn running() -> MutexGuard<'static, Option<Cancel>> {
        RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
    }

    extern "C" fn handle(signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
        CAME.store(true, Ordering::SeqCst);
        // SAFETY: `write` is safe in handlers; the byte is there; a closed or full pipe is an error that is of no interest.
        unsafe {
            let saved = *libc::__errno_location();
            libc::write(WAKE.load(Ordering::SeqCst), [0u8].as_ptr().cast(), 1);
            *libc::__errno_location() = saved;
        }
        let before = BEFORE.load(Ordering::SeqCst);
        // SAFETY: `begin` stored the address of a handler that the system would have called in the same way.
        unsafe {
            if DETAILED.load(Ordering::SeqCst) {
                let handler: extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void) =
                    std::mem::transmute(before);
                handler(signal, info, context);
            } else {
                let handler: extern "C" fn(libc::c_int) = std::mem::transmute(before);
                handler(signal);
            }
        }
    }

    /// Starts the thread that cancels runs, once. In a process that was forked later Ctrl-C waits for the run to end.
    fn start() {
        static STARTED: Once = Once::new();
        STARTED.call_once(|| {
            let mut ends = [-1; 2];
            // SAFETY: there is room for two descriptors.
            if unsafe { libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) } != 0 {
                return;
            }
            let wait = move || {
                let mut byte = 0u8;
                // SAFETY: there is room for one byte.
                while unsafe { libc::read(ends[0], ptr::from_mut(&mut byte).cast(), 1) } == 1 {
                    if let (true, Some(cancel)) = (CAME.load(Ordering::SeqCst), &*running()) {
                        cancel.cancel();
                    }
                }
            };
            if std::thread::Builder::new().name("adc-interrupt".into()).spawn(wait).is_ok() {
                WAKE.store(ends[1], Ordering::SeqCst);
            }
        });
    }

    /// Whether this is the thread in which Python handles signals.
    fn is_main() -> bool {
        thread_local!(static MAIN: bool = {
            // SAFETY: these calls have no conditions.
            unsafe { libc::getpid() == libc::gettid() }
        });
        MAIN.with(|m| *m)
    }

    /// A run that Ctrl-C cancels. If the main thread is not this one, it does not.
    pub(super) struct Watch(Option<libc::sigaction>);

    impl Watch {
        pub(super) fn begin(cancel: &Cancel) -> Watch {
            if !is_main() {
                return Watch(None);
            }
            start();
            CAME.store(false, Ordering::SeqCst);
            *running() = Some(cancel.clone());
            let mut before = MaybeUninit::<libc::sigaction>::uninit();
            // SAFETY: `handle` is a handler of three arguments that only does what handlers may; `before` is written if the call
            // succeeds. Between the two calls a signal meets whichever handler is there.
            let before = unsafe {
                if libc::sigaction(libc::SIGINT, ptr::null(), before.as_mut_ptr()) != 0 {
                    return Watch(None);
                }
                before.assume_init()
            };
            if before.sa_sigaction == libc::SIG_DFL || before.sa_sigaction == libc::SIG_IGN {
                return Watch(None);
            }
            BEFORE.store(before.sa_sigaction, Ordering::SeqCst);
            DETAILED.store(before.sa_flags & libc::SA_SIGINFO != 0, Ordering::SeqCst);
            let mut own = before;
            own.sa_sigaction = handle as *const () as usize;
            own.sa_flags |= libc::SA_SIGINFO;
            // SAFETY: as above.
            match unsafe { libc::sigaction(libc::SIGINT, &own, ptr::null_mut()) } {
                0 => Watch(Some(before)),
                _ => Watch(None),
            }
        }

        /// Ends it, and says whether the signal came.
        pub(super) fn end(mut self) -> bool {
            self.restore();
            is_main() && CAME.swap(false, Ordering::SeqCst)
        }

        fn restore(&mut self) {
            if let Some(before) = self.0.take() {
                // SAFETY: it is what the system had.
                unsafe { libc::sigaction(libc::SIGINT, &before, ptr::null_mut()) };
            }
            if is_main() {
                *running() = None;
            }
        }
    }

    impl Drop for Watch {
        fn drop(&mut self) {
            self.restore();
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod signals {
    use adc::Cancel;

    /// Elsewhere Ctrl-C waits for the run to end.
    pub(super) struct Watch;

    impl Watch {
        pub(super) fn begin(_: &Cancel) -> Watch {
            Watch
        }

        pub(super) fn end(self) -> bool {
            false
        }
    }
}

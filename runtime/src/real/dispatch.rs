//! Lane programs on one number, compiled for machines with a fused multiply-add; where there is none, the
//! correctly rounded function of the C library stands in, slowly.

#[cfg(target_arch = "x86_64")]
use std::sync::atomic::AtomicBool;
#[cfg(target_arch = "x86_64")]
pub(crate) use std::sync::atomic::Ordering;

/// Whether the machine is known to have a fused multiply-add.
#[cfg(target_arch = "x86_64")]
pub(crate) static FUSED: AtomicBool = AtomicBool::new(false);

#[cfg(target_arch = "x86_64")]
pub(crate) fn detect() -> bool {
    let has = std::arch::is_x86_feature_detected!("fma");
    FUSED.store(has, Ordering::Relaxed);
    has
}

/// Functions of [`crate::real`] that evaluate a function of [`crate::lanes`]. `direct` finds their forms for machines with a fused
/// multiply-add, which may be called where `detect` has found one.
macro_rules! scalar {
    ($($(#[$doc:meta])* $name:ident($($x:ident),*) -> $t:ty = $body:expr;)*) => {
        $($(#[$doc])*
        #[inline]
        pub fn $name($($x: f64),*) -> $t {
            #[cfg(target_arch = "x86_64")]
            {
                #[cold]
                #[inline(never)]
                fn unsure($($x: f64),*) -> $t {
                    if !detect() {
                        return $body;
                    }
                    // SAFETY: the machine has the feature the function was compiled for.
                    unsafe { fused::$name($($x),*) }
                }
                if cfg!(target_feature = "fma") || FUSED.load(Ordering::Relaxed) {
                    // SAFETY: as above; only `detect` sets the flag.
                    return unsafe { fused::$name($($x),*) };
                }
                unsure($($x),*)
            }
            #[cfg(not(target_arch = "x86_64"))]
            $body
        })*

        #[cfg(target_arch = "x86_64")]
        mod fused {
            use super::*;
            $(#[target_feature(enable = "fma")]
            #[inline]
            pub extern "C" fn $name($($x: f64),*) -> $t {
                $body
            })*
        }

        #[cfg(target_arch = "x86_64")]
        pub(crate) fn direct(name: &str) -> Option<*const ()> {
            match name {
                $(stringify!($name) => Some(fused::$name as *const ()),)*
                _ => None,
            }
        }
    };
}
pub(crate) use scalar;

//! Where adc keeps what it can do without.

use std::path::PathBuf;

/// Where checks that passed are kept: `ADC_CACHE_DIR`, or a folder for adc where the system keeps such files. `ADC_CACHE_DIR=` with nothing behind
/// it turns the cache off.
pub fn cache_directory() -> Option<PathBuf> {
    match std::env::var_os("ADC_CACHE_DIR") {
        Some(dir) if dir.is_empty() => None,
        Some(dir) => Some(dir.into()),
        None => dirs::cache_dir().map(|d| d.join("adc")),
    }
}

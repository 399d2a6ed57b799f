//! Where adc keeps what it can do without.

use etcetera::BaseStrategy as _;
use std::path::PathBuf;

/// Where checks that passed are kept: `ADC_CACHE_DIR`, or a folder for adc where the system keeps such files. `ADC_CACHE_DIR=` with nothing behind
/// it turns the cache off.
pub fn cache_directory() -> Option<PathBuf> {
    match std::env::var_os("ADC_CACHE_DIR") {
        Some(dir) if dir.is_empty() => None,
        Some(dir) => Some(dir.into()),
        None => Some(etcetera::choose_base_strategy().ok()?.cache_dir().join("adc")),
    }
}

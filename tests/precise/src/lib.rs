//! Test-only: high-precision numbers for the reference interpreter

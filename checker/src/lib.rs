//! adc's gradient checker: difference programs as IR, modes, verdicts

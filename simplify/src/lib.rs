//! adc's simplifier

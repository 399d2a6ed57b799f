//! adc

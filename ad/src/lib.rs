//! adc's derivative passes: one rule table, JVP and VJP

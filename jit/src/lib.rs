//! adc's code generator: IR to native code through Cranelift

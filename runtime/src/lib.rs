//! Native kernels called by adc's compiled code: special and complex functions

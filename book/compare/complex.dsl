fn misfit(z: c128, c: c128) -> f64 { abs2(z^2 - c) }
check misfit { wrt z; }

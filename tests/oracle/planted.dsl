// Identities with a derivative that is off by 1e-8 in one direction, to put around functions.

fn off_real(x: f64) -> f64 { x }
rule partial off_real(x) { d x: 1 + 1e-8; }

fn off_re(z: c128) -> c128 { z }
rule jvp off_re(z; dz) { c128((1 + 1e-8)*re(dz), im(dz)) }

fn off_im(z: c128) -> c128 { z }
rule jvp off_im(z; dz) { c128(re(dz), (1 + 1e-8)*im(dz)) }

// --- version 1
// A file says what it is written in.
language 1;
fn f(x: f64) -> f64 { x }

// --- language 2
language 2;
fn f(x: f64) -> f64 { x }

// --- no version
language 1.5;
fn language(x: f64) -> f64 { let language = 1; x }

// --- too late
fn f(x: f64) -> f64 { x }
language 1;
fn g(x: f64) -> f64 { x }

// --- no semicolon
language 1
fn f(x: f64) -> f64 { x }

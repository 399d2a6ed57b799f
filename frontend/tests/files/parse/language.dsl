

// --- version 1
// A file says what it is written in.
language 1;
fn f(x: f64) -> f64 { x }

//> language  3:1-3:12
//> fn f  4:1-4:26
//>   param x  4:6-4:12
//>     type f64  4:9-4:12
//>   result  4:17-4:20
//>     type f64  4:17-4:20
//>   body  4:21-4:26
//>     value  4:23-4:24
//>       name x  4:23-4:24

// --- language 2
language 2;
fn f(x: f64) -> f64 { x }

//> error[ADC0114] 2:10-2:11 this adc does not know version 2 of the language | unknown | help: a newer adc may know it; this one reads `language 1;`

// --- no version
language 1.5;
fn language(x: f64) -> f64 { let language = 1; x }

//> error[ADC0114] 2:10-2:13 this adc does not know version 1.5 of the language | unknown | help: a newer adc may know it; this one reads `language 1;`

// --- too late
fn f(x: f64) -> f64 { x }
language 1;
fn g(x: f64) -> f64 { x }

//> error[ADC0112] 3:1-3:11 the version of the language is not at the start | belongs before every item | help: move it to the first line of the file

// --- no semicolon
language 1
fn f(x: f64) -> f64 { x }

//> error[ADC0105] 2:10-2:11 expected `;`, found `fn` | `;` is missing behind the version of the language | help: end it with `;`

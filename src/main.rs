//! The command line `adc`.

use adc::cli::{Streams, run};
use std::io::{IsTerminal, Write};
use std::process::ExitCode;

fn main() -> ExitCode {
    let (mut out, mut err) = (std::io::stdout().lock(), std::io::stderr().lock());
    let (out_tty, err_tty) = (std::io::stdout().is_terminal(), std::io::stderr().is_terminal());
    let mut streams =
        Streams { stdin: &mut std::io::stdin().lock(), out: &mut out, err: &mut err, out_tty, err_tty };
    let code = run(std::env::args_os(), &mut streams);
    let _ = out.flush();
    ExitCode::from(code)
}

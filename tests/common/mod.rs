//! Running the command line inside the test process.
#![allow(dead_code)]

use adc::cli::{Streams, run};
use std::ffi::OsString;

/// What a command printed and how it ended.
pub struct Run {
    pub code: u8,
    pub out: String,
    pub err: String,
}

/// `adc` with these arguments and nothing on standard input.
pub fn adc<S: Into<OsString>>(args: impl IntoIterator<Item = S>) -> Run {
    adc_with_stdin(args, "")
}

/// `adc` with these arguments and this standard input.
pub fn adc_with_stdin<S: Into<OsString>>(args: impl IntoIterator<Item = S>, stdin: &str) -> Run {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let args = std::iter::once("adc".into()).chain(args.into_iter().map(Into::into));
    let code = run(
        args,
        &mut Streams {
            stdin: &mut stdin.as_bytes(),
            out: &mut out,
            err: &mut err,
            out_tty: false,
            err_tty: false,
            cache: None,
            on_interrupt: &mut |_| {},
        },
    );
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("the output is UTF-8");
    Run { code, out: text(out), err: text(err) }
}

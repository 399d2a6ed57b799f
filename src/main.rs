//! The command line `adc`.

use adc::Cancel;
use adc::cli::{Exit, Streams, cache_directory, run};
use std::io::{IsTerminal, Write};
use std::process::ExitCode;

/// Threads at most: starting tens of thousands takes minutes, and no machine that adc runs on has as many cores.
const MAX_THREADS: usize = 256;

fn main() -> ExitCode {
    adc::cli::complete();
    bound_threads();
    if let Err(why) = adc_jit::Simd::chosen() {
        eprintln!("error: `{}`: {why}", adc_jit::Simd::VARIABLE);
        return ExitCode::from(Exit::Request as u8);
    }
    // Standard error is shared with the progress line, the others with the threads of the language server.
    let (mut out, mut err) = (std::io::stdout(), std::io::stderr());
    let (out_tty, err_tty) = (std::io::stdout().is_terminal(), err.is_terminal());
    let mut streams = Streams {
        stdin: &mut std::io::stdin(),
        out: &mut out,
        err: &mut err,
        out_tty,
        err_tty,
        on_interrupt: &mut on_interrupt,
        cache: cache_directory(),
    };
    let code = run(std::env::args_os(), &mut streams);
    let _ = out.flush();
    ExitCode::from(code)
}

/// Keeps to [`MAX_THREADS`], whatever `RAYON_NUM_THREADS` says.
fn bound_threads() {
    let wanted = std::env::var("RAYON_NUM_THREADS").ok().and_then(|n| n.parse::<u64>().ok());
    if wanted.is_some_and(|n| n > MAX_THREADS as u64) {
        // An error says that there are threads already: there are none yet.
        let _ = rayon::ThreadPoolBuilder::new().num_threads(MAX_THREADS).build_global();
    }
}

/// The first interruption cancels; the second one ends the process immediately. Without a handler the first one does.
fn on_interrupt(cancel: &Cancel) {
    let cancel = cancel.clone();
    let _ = ctrlc::set_handler(move || {
        if cancel.is_cancelled() {
            std::process::exit(Exit::Interrupted as i32);
        }
        cancel.cancel();
    });
}

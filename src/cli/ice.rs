//! Internal errors: a bug in adc is distinguished from everything a user can do wrong.

use super::{Exit, Streams};
use std::any::Any;
use std::ffi::OsString;
use std::path::PathBuf;

/// Writes what is known about the panic to a directory, and prints where.
pub(super) fn report(panic: &(dyn Any + Send), args: &[OsString], streams: &mut Streams) -> Exit {
    let message = message(panic);
    let _ = writeln!(streams.err, "adc internal error: {message}");
    let _ = match bundle(message, args) {
        Ok(dir) => writeln!(
            streams.err,
            "This is a bug in adc, not in your model. Details and input were written to\n  {}/   (review it before sharing)",
            dir.display()
        ),
        Err(e) => writeln!(
            streams.err,
            "This is a bug in adc, not in your model. Details could not be written ({e})."
        ),
    };
    Exit::Internal
}

/// What a panic says.
pub(super) fn message(panic: &(dyn Any + Send)) -> &str {
    panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("a panic without a message")
}

/// The directory's name depends on the message and the arguments only: the same bug overwrites its bundle.
fn bundle(message: &str, args: &[OsString]) -> std::io::Result<PathBuf> {
    let line = args.iter().map(|a| a.to_string_lossy()).collect::<Vec<_>>().join(" ");
    let hash = format!("{message}\n{line}")
        .bytes()
        .fold(0x811c_9dc5_u32, |h, b| (h ^ u32::from(b)).wrapping_mul(0x0100_0193));
    let dir = PathBuf::from(format!("adc-ice-{hash:08x}"));
    std::fs::create_dir_all(&dir)?;
    std::fs::write(
        dir.join("report.txt"),
        format!("adc {}\ncommand: {line}\nerror: {message}\n", env!("CARGO_PKG_VERSION")),
    )?;
    for (i, arg) in args.iter().enumerate().skip(1) {
        let path = std::path::Path::new(arg);
        if path.is_file() && path.extension().is_some_and(|e| e == "dsl") {
            std::fs::copy(path, dir.join(format!("input{i}.dsl")))?;
        }
    }
    Ok(dir)
}

//! `adc init`: files to start with.

use super::args::InitArgs;
use super::{Exit, Session, Stop, input};
use adc_ir::{Code, Diagnostic};
use std::io::Write;
use std::path::Path;

/// Path, contents, whether it is a program.
const FILES: [(&str, &str, bool); 3] = [
    ("model.dsl", include_str!("init/model.dsl"), false),
    (".github/workflows/adc.yml", include_str!("init/adc.yml"), false),
    (".githooks/pre-commit", include_str!("init/pre-commit"), true),
];

pub(super) fn run(session: &mut Session, args: &InitArgs) -> Result<Exit, Stop> {
    let there: Vec<String> = (FILES.iter().map(|(path, ..)| args.dir.join(path)))
        .filter(|path| path.symlink_metadata().is_ok())
        .map(|path| format!("`{}`", path.display()))
        .collect();
    if !there.is_empty() {
        let (is, it) = if there.len() == 1 { ("is", "it") } else { ("are", "them") };
        return Err(Diagnostic::error(Code::BadUsage, format!("{} {is} there already", there.join(", ")))
            .help(format!("nothing was written; move {it} away, or choose another directory: adc init DIR"))
            .into());
    }
    for (path, text, program) in FILES {
        let path = args.dir.join(path);
        write(&path, text, program).map_err(|e| input::write_error(&path.to_string_lossy(), &e))?;
        writeln!(session.io.out, "wrote {}", path.display())?;
    }
    let model = args.dir.join(FILES[0].0);
    writeln!(
        session.io.out,
        "\nnext:  adc check {}\n       git config core.hooksPath .githooks     checks models before each commit",
        model.display()
    )?;
    Ok(Exit::Ok)
}

/// A new file: one that appears meanwhile stays as it is.
fn write(path: &Path, text: &str, program: bool) -> std::io::Result<()> {
    if let Some(dir) = path.parent() {
        std::fs::create_dir_all(dir)?;
    }
    let mut file = std::fs::File::create_new(path)?;
    file.write_all(text.as_bytes())?;
    #[cfg(unix)]
    if program {
        use std::os::unix::fs::PermissionsExt;
        file.set_permissions(std::fs::Permissions::from_mode(0o755))?;
    }
    let _ = program;
    Ok(())
}

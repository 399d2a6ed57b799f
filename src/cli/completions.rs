//! `adc completions`: a script that makes a shell ask adc what can follow.

use super::args::{Cli, CompletionsArgs};
use super::candidates::VARIABLE;
use super::{Exit, Session, Stop};
use clap::CommandFactory;
use clap_complete::env::Shells;

pub(crate) fn run(session: &mut Session, args: &CompletionsArgs) -> Result<Exit, Stop> {
    let name = args.shell.to_string();
    match Shells::builtins().completer(&name) {
        Some(shell) => shell.write_registration(VARIABLE, "adc", "adc", "adc", &mut session.io.out)?,
        // A shell that cannot ask gets all there is to say in advance.
        None => {
            let mut script = Vec::new();
            clap_complete::generate(args.shell, &mut Cli::command(), "adc", &mut script);
            session.io.out.write_all(&script)?;
        }
    }
    Ok(Exit::Ok)
}

//! `adc man`: a manual page for every command.

use super::args::{Cli, ManArgs};
use super::{Exit, Session, Stop, input};
use clap::CommandFactory;

pub(super) fn run(session: &mut Session, args: &ManArgs) -> Result<Exit, Stop> {
    let name = args.dir.to_string_lossy();
    let written =
        std::fs::create_dir_all(&args.dir).and_then(|()| clap_mangen::generate_to(Cli::command(), &args.dir));
    written.map_err(|e| input::write_error(&name, &e))?;
    writeln!(session.io.out, "manual pages are in {name}")?;
    Ok(Exit::Ok)
}

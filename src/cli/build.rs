//! `adc build`: an object file and a C header.

use super::args::{BuildArgs, BuildMode, Format, TargetCpu};
use super::{Exit, Session, Stop, input};
use crate::build::{Build, Cpu, Program, runtime_archive};
use crate::files;
use crate::wrt::Wrt;
use adc_ir::interp::Limits;
use adc_ir::{Code, Diagnostic};
use serde_json::json;
use std::io::Write as _;
use std::path::{Path, PathBuf};

pub(crate) fn run(session: &mut Session, args: &BuildArgs) -> Result<Exit, Stop> {
    input::dims_once(&args.dims)?;
    let model = input::model(session, &args.file)?;
    let function = input::function(&model, args.function.as_deref())?;
    let dims = || args.dims.iter().map(|(name, n)| (name.as_str(), *n));
    let function = function.with_dims(dims())?;
    let object = args.out.clone().unwrap_or_else(|| {
        let stem = args.file.file_stem().filter(|_| args.file != Path::new("-"));
        PathBuf::from(stem.unwrap_or("model".as_ref())).with_added_extension("o")
    });
    let header = args.header.clone().unwrap_or_else(|| object.with_extension("h"));
    let Some(stem) = object.file_stem().map(|s| s.to_string_lossy().into_owned()) else {
        let d = Diagnostic::error(Code::BadUsage, format!("`{}` names no file", object.display()));
        return Err(d.help("write `-o DIR/NAME.o`").into());
    };
    if header == object {
        let d = Diagnostic::error(Code::BadUsage, "the object file and its header have the same name");
        return Err(d.help("write `-o NAME.o`, or name the header with --header").into());
    }
    let limits = Limits::default();
    let limits =
        Limits { fuel: args.fuel.unwrap_or(limits.fuel), bytes: args.memory_limit.unwrap_or(limits.bytes) };
    let cpu = match args.target_cpu {
        TargetCpu::Baseline => Cpu::Baseline,
        TargetCpu::Host => Cpu::Host,
    };
    let mut build = Build::new(&function, &stem).with_dims(dims()).with_wrt(Wrt::listed(&args.wrt));
    build = build
        .with_cpu(cpu)
        .with_opt(args.opt)
        .with_limits(limits)
        .with_shared_runtime(args.runtime.is_some());
    if let Some(mode) = args.fp {
        build = build.with_fp(mode.into());
    }
    if !args.modes.is_empty() {
        build = build.with_programs(args.modes.iter().map(|m| match m {
            BuildMode::Primal => Program::Primal,
            BuildMode::Jvp => Program::Jvp,
            BuildMode::Vjp => Program::Vjp,
        }));
    }
    let built = build.run()?;
    let runtime = match &args.runtime {
        Some(dir) => Some((dir.join("libadc_runtime.a"), runtime_archive()?)),
        None => None,
    };
    write(&object, &built.object)?;
    write(&header, built.header().as_bytes())?;
    if let Some((path, bytes)) = &runtime {
        write(path, bytes)?;
    }
    let name = |path: &Path| path.display().to_string();
    if session.format == Format::Json {
        let doc = json!({
            "schema": "adc.build/1",
            "function": function.name(),
            "object": name(&object),
            "header": name(&header),
            "runtime": runtime.as_ref().map(|(path, _)| name(path)),
            "symbols": built.symbols(),
            "externs": built.externs(),
        });
        writeln!(session.io.out, "{doc:#}")?;
    } else if !session.quiet {
        let symbols: Vec<String> = built.symbols().iter().map(|s| format!("`{s}`")).collect();
        writeln!(session.io.out, "{}: {}", name(&object), symbols.join(", "))?;
        writeln!(session.io.out, "{}: how to call them", name(&header))?;
        let mut link = name(&object);
        if let Some((path, _)) = &runtime {
            writeln!(session.io.out, "{}: adc's numeric functions", name(path))?;
            link.push(' ');
            link.push_str(&name(path));
        }
        for symbol in built.externs() {
            writeln!(session.io.out, "to be defined: `{symbol}`, an extern function of the model")?;
        }
        writeln!(session.io.out, "link with: {link} -lm")?;
    }
    Ok(Exit::Ok)
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), Stop> {
    let directory = path.parent().filter(|d| !d.as_os_str().is_empty());
    directory
        .map_or(Ok(()), std::fs::create_dir_all)
        .and_then(|()| files::replace(path, |file| file.write_all(bytes)))
        .map_err(|e| Diagnostic::error(Code::Io, format!("cannot write `{}`: {e}", path.display())).into())
}

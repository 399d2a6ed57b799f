//! `adc run`: the value of a function at a point.

use super::args::{Format, RunArgs};
use super::{Exit, Session, Stop, input, show};
use crate::cli::point;
use crate::port::Port;
use crate::value::Value;
use adc_ir::Const;
use serde_json::json;

pub(crate) fn run(session: &mut Session, args: &RunArgs) -> Result<Exit, Stop> {
    let (f, options, at) = input::point_args(session, &args.at)?;
    if args.trap_nan
        && let Some(d) = f.first_nonfinite(&options, &at)?
    {
        return Err(d.into());
    }
    let values = if args.interp { f.interpret(&options, &at)? } else { f.compile(&options)?.call(&at)? };
    let outputs = f.outputs();
    if let Some(path) = &args.at.out {
        let named: Vec<(&str, &Value)> = outputs.iter().map(|o| o.name.as_str()).zip(&values).collect();
        show::files(session, path, &named)?;
    }
    match session.format == Format::Json {
        true => {
            let doc = json!({"schema": "adc.run/1", "function": f.name(), "outputs": show::outputs(outputs, &values)});
            writeln!(session.io.out, "{doc:#}")?;
        }
        false => {
            let single = outputs.len() == 1 && outputs[0].name == "out";
            let name = |o: &Port| if single { f.name().to_string() } else { o.name.clone() };
            let text =
                |v: &Value| if args.hex { show::mapped(v, hex) } else { show::text(v, session.verbose) };
            let lines: Vec<(String, show::Text)> =
                outputs.iter().zip(&values).map(|(o, v)| (name(o), text(v))).collect();
            show::lines(session, lines)?;
        }
    }
    Ok(Exit::Ok)
}

/// The bits of each part.
fn hex(c: Const) -> String {
    match c {
        Const::Bool(_) => point::text(c),
        Const::I64(n) => format!("{n:#018x}"),
        Const::F32(x) => format!("{:#010x}", x.to_bits()),
        Const::F64(x) => format!("{:#018x}", x.to_bits()),
        Const::C64(z) => format!("{:#010x} {:#010x}", z.re.to_bits(), z.im.to_bits()),
        Const::C128(z) => format!("{:#018x} {:#018x}", z.re.to_bits(), z.im.to_bits()),
    }
}

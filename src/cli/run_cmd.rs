//! `adc run`: the value of a function at a point.

use super::args::{Format, RunArgs};
use super::{Exit, Session, Stop, input, padded};
use crate::{json, point};
use adc_ir::Const;
use serde_json::json;

pub(crate) fn run(session: &mut Session, args: &RunArgs) -> Result<Exit, Stop> {
    let (f, options, at) = input::point_args(session, &args.at)?;
    let values = if args.interp { f.interpret(&options, &at)? } else { f.compile(&options)?.call(&at)? };
    let outputs = f.outputs();
    match session.format {
        Format::Json => {
            let list: Vec<_> = outputs
                .iter()
                .zip(&values)
                .map(|(o, v)| json!({"name": o.name, "type": o.ty.to_string(), "value": json::value(*v)}))
                .collect();
            let doc = json!({"schema": "adc.run/1", "function": f.name(), "outputs": list});
            writeln!(session.io.out, "{doc:#}")?;
        }
        Format::Text => {
            let single = outputs.len() == 1 && outputs[0].name == "out";
            let names: Vec<&str> =
                outputs.iter().map(|o| if single { f.name() } else { o.name.as_str() }).collect();
            let width = names.iter().map(|n| n.chars().count()).max().unwrap_or(0);
            for (name, value) in names.iter().zip(&values) {
                let text = if args.hex { hex(*value) } else { point::text(*value) };
                writeln!(session.io.out, "{} = {text}", padded(name, width))?;
            }
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

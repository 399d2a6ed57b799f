//! `adc gradbench`: the tool's side of the GradBench protocol, JSON messages and answers, one a line.
//!
//! The models are part of the program. [`problems`] says which function of which model answers a message.

mod problems;

use super::{Exit, Session, Stop, ice};
use crate::error::Error;
use crate::value::Value;
use crate::{Options, Workspace};
use problems::{Problem, problem, problems_of};
use serde_json::{Value as Json, json};
use std::io::{BufRead, BufReader, Read};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

/// A message may have this many bytes.
const MAX_MESSAGE: u64 = 1 << 30;

pub(crate) fn run(session: &mut Session) -> Result<Exit, Stop> {
    let Session { io, .. } = session;
    let mut lines = BufReader::new(&mut *io.stdin);
    let mut line = Vec::new();
    loop {
        line.clear();
        if lines.by_ref().take(MAX_MESSAGE).read_until(b'\n', &mut line)? == 0 {
            return Ok(Exit::Ok);
        }
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        let answer = match serde_json::from_slice(&line) {
            Ok(message) => answer(&message),
            Err(e) => refusal(Json::Null, &format!("not a message in JSON: {e}")),
        };
        writeln!(io.out, "{answer}")?;
        io.out.flush()?;
    }
}

/// The answer to a message. Each has one, if only with the message's number.
fn answer(message: &Json) -> Json {
    let id = message.get("id").cloned().unwrap_or(Json::Null);
    let text = |key: &str| message.get(key).and_then(Json::as_str);
    match text("kind") {
        Some("start") => json!({"id": id, "tool": "adc"}),
        Some("define") => match text("module") {
            Some(module) if problems_of(module).next().is_some() => json!({"id": id, "success": true}),
            Some(module) => refusal(id, &format!("there is no module `{module}`")),
            None => refusal(id, "the message names no module"),
        },
        Some("evaluate") => {
            let (Some(module), Some(function)) = (text("module"), text("function")) else {
                return refusal(id, "the message names no module and function");
            };
            let Some(problem) = problem(module, function) else {
                let what = match problems_of(module).next() {
                    Some(_) => format!("module `{module}` has no function `{function}`"),
                    None => format!("there is no module `{module}`"),
                };
                return refusal(id, &what);
            };
            let input = message.get("input").unwrap_or(&Json::Null);
            let run = || evaluate(problem, input);
            match catch_unwind(AssertUnwindSafe(run)) {
                Ok(Ok((output, timings))) => {
                    json!({"id": id, "success": true, "output": output, "timings": timings})
                }
                Ok(Err(why)) => refusal(id, &why),
                Err(panic) => refusal(id, &format!("a bug in adc: {}", ice::message(&*panic))),
            }
        }
        // The result of an analysis, and whatever a later version of the protocol says.
        Some(_) => json!({"id": id}),
        None => refusal(id, "the message has no kind"),
    }
}

fn refusal(id: Json, why: &str) -> Json {
    json!({"id": id, "success": false, "error": why.trim_end()})
}

/// Runs a function as often as the input says; its result, and how long everything took.
fn evaluate(problem: &Problem, input: &Json) -> Result<(Json, Vec<Json>), String> {
    let number = |key: &str| input.get(key).filter(|v| !v.is_null());
    let min_runs = match number("min_runs") {
        None => 1,
        Some(n) => n.as_u64().ok_or_else(|| format!("`min_runs` is {n}, no number of runs"))?,
    };
    let min_seconds = match number("min_seconds") {
        None => 0.0,
        Some(s) => s.as_f64().ok_or_else(|| format!("`min_seconds` is {s}, no time"))?,
    };
    let text = |e: Error| e.to_string();
    let start = Instant::now();
    let (function, inputs) = (problem.prepare)(input)?;
    let function = function.compile(&Options::default()).map_err(text)?;
    let mut workspace = Workspace::default();
    let mut bound = function.bind(&mut workspace);
    let mut outputs = vec![Value::Bool(false); function.outputs().len()];
    // What depends on the sizes is compiled now.
    bound.call_into(&inputs, &mut outputs).map_err(text)?;
    let timing = |name: &str, time: Duration| json!({"name": name, "nanoseconds": time.as_nanos() as u64});
    let mut timings = vec![timing("prepare", start.elapsed())];
    let (mut runs, mut total) = (0, Duration::ZERO);
    while runs < min_runs.max(1) || total.as_secs_f64() < min_seconds {
        let start = Instant::now();
        bound.call_into(&inputs, &mut outputs).map_err(text)?;
        let time = start.elapsed();
        timings.push(timing("evaluate", time));
        (runs, total) = (runs + 1, total + time);
    }
    Ok(((problem.output)(&outputs, input), timings))
}

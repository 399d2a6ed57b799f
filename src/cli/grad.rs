//! `adc grad`: value and derivatives of a function at a point.

use super::args::{Format, GradArgs, GradMode};
use super::point;
use super::{Exit, Session, Stop, input, show};
use crate::function::Function;
use crate::port::Port;
use crate::value::Value;
use crate::wrt::Wrt;
use crate::{Options, json};
use adc_ir::{Code, Const, Datum, Diagnostic, Scalar, Type};
use num_complex::Complex64;
use serde_json::{Map, Value as Json, json};

pub(crate) fn run(session: &mut Session, args: &GradArgs) -> Result<Exit, Stop> {
    refuse_unused(args)?;
    let (f, options, at) = input::point_args(session, &args.at)?;
    let f = f.with_convention(args.convention.into());
    let wrt = Wrt::listed(&args.wrt);
    let job = Job { f, options, at, wrt, args };
    if args.sparse {
        return job.sparse(session);
    }
    let answer = match args.mode {
        _ if args.hessian => job.hessian()?,
        _ if args.hvp.is_some() => job.hvp(session)?,
        _ if args.jacobian => job.jacobian()?,
        GradMode::Vjp => job.vjp(session)?,
        GradMode::Jvp => job.jvp(session)?,
        GradMode::Fd => job.fd()?,
    };
    answer.print(session, &job)?;
    Ok(Exit::Ok)
}

/// Flags that would have no effect are mistakes.
fn refuse_unused(args: &GradArgs) -> Result<(), Stop> {
    let other = args.jacobian || args.hessian || args.hvp.is_some();
    let mode = |m: GradMode| !other && args.mode == m;
    let rules = [
        (args.tangent.is_some() && !mode(GradMode::Jvp), "--tangent", "--mode jvp"),
        (args.cotangent.is_some() && !mode(GradMode::Vjp), "--cotangent", "--mode vjp"),
        (args.sparse && !(args.jacobian || args.hessian), "--sparse", "--jacobian and --hessian"),
        (args.delta.is_some() && !mode(GradMode::Fd), "--delta", "--mode fd"),
        (other && args.mode != GradMode::Vjp, "--mode", "gradients, not to --jacobian, --hessian and --hvp"),
        (
            args.wirtinger && (other || mode(GradMode::Jvp)),
            "--wirtinger",
            "gradients; --jacobian shows both partials",
        ),
    ];
    match rules.iter().find(|(unused, ..)| *unused) {
        Some((_, flag, owner)) => {
            Err(Diagnostic::error(Code::BadUsage, format!("`{flag}` belongs to {owner}")).into())
        }
        None => Ok(()),
    }
}

struct Job<'a> {
    f: Function,
    options: Options,
    at: Vec<Value<'static>>,
    wrt: Wrt,
    args: &'a GradArgs,
}

/// The output: text lines `label = value`, and the document's fields.
struct Answer {
    values: Vec<Value<'static>>,
    mode: &'static str,
    lines: Vec<Line>,
    field: &'static str,
    data: Json,
}

/// A derivative: its label in text, its name in a file's name.
struct Line {
    label: String,
    file: String,
    value: Value<'static>,
}

fn line(label: String, file: impl Into<String>, value: Value<'static>) -> Line {
    Line { label, file: file.into(), value }
}

impl Job<'_> {
    fn wrt_ports(&self) -> Result<Vec<Port>, Stop> {
        let inputs = self.f.inputs();
        Ok(self.f.params(&self.wrt)?.into_iter().map(|i| inputs[i].clone()).collect())
    }

    /// Positions of the results to differentiate: `--output`, else all.
    fn results(&self) -> Result<Vec<usize>, Stop> {
        Ok(match &self.args.output {
            Some(name) => vec![self.f.result(name)?],
            None => self.f.ir().differentiable_results(),
        })
    }

    /// The results to differentiate.
    fn result_ports(&self) -> Result<Vec<Port>, Stop> {
        Ok(self.results()?.into_iter().map(|i| self.f.outputs()[i].clone()).collect())
    }

    fn vjp(&self, session: &mut Session) -> Result<Answer, Stop> {
        let (wrt, results) = (self.wrt_ports()?, self.result_ports()?);
        let cotangents = match &self.args.cotangent {
            Some(text) => {
                let text = input::indirect(session, text)?;
                let all = point::parse_json_list(&text, self.f.outputs())?;
                self.results()?.into_iter().map(|i| all[i].clone()).collect()
            }
            None => vec![unit_cotangent(&self.f, &results)?.into()],
        };
        let program = self.f.vjp_of(&self.wrt, self.results()?)?.compile(&self.options)?;
        let mut values = program.call(&[&self.at[..], &cotangents].concat())?;
        let gradients = values.split_off(self.f.outputs().len());
        Ok(self.gradient_answer(values, "vjp", &wrt, gradients))
    }

    fn fd(&self) -> Result<Answer, Stop> {
        let (wrt, results) = (self.wrt_ports()?, self.result_ports()?);
        unit_cotangent(&self.f, &results)?;
        let step = self.args.delta.map_or(crate::Fd::default(), |delta| crate::Fd::Central { delta });
        // If the function itself has no value, that is the message.
        let values = self.f.compile(&self.options)?.call(&self.at)?;
        let gradients = wrt
            .iter()
            .map(|w| self.f.numerical_gradient_with(&self.options, &self.at, &w.name, &results[0].name, step))
            .collect::<Result<Vec<_>, _>>()?;
        Ok(self.gradient_answer(values, "fd", &wrt, gradients))
    }

    fn gradient_answer(
        &self,
        values: Vec<Value<'static>>,
        mode: &'static str,
        wrt: &[Port],
        gradients: Vec<Value<'static>>,
    ) -> Answer {
        let mut lines = Vec::new();
        let mut data = Map::new();
        for (w, g) in wrt.iter().zip(gradients) {
            if self.args.wirtinger && w.ty.scalar().is_complex() {
                // The cotangent is 2 ∂L/∂z*; a real L has ∂L/∂z = conj(∂L/∂z*).
                let jax = self.args.convention.is_jax();
                let half = |z: Complex64| 0.5 * if jax { z.conj() } else { z };
                let (dz, dconj) = (each(&g, |z| half(z).conj()), each(&g, half));
                let name = &w.name;
                data.insert(name.clone(), json!({"d": json::value(&dz), "dconj": json::value(&dconj)}));
                lines.push(line(format!("∂/∂{name}"), name, dz));
                lines.push(line(format!("∂/∂{name}*"), format!("{name}.conj"), dconj));
            } else {
                data.insert(w.name.clone(), json::value(&g));
                lines.push(line(format!("∂/∂{}", w.name), &w.name, g));
            }
        }
        Answer { values, mode, lines, field: "gradients", data: data.into() }
    }

    fn jvp(&self, session: &mut Session) -> Result<Answer, Stop> {
        let wrt = self.wrt_ports()?;
        let Some(text) = &self.args.tangent else {
            return Err(Diagnostic::error(Code::BadUsage, "forward mode needs a direction")
                .help("give it with --tangent 'x=1,y=0' (missing parameters are zero)")
                .into());
        };
        let tangents = input::direction(session, text, &wrt)?;
        let f = self.one_output()?;
        let outputs = f.outputs();
        let program = f.jvp(self.wrt.clone())?.compile(&self.options)?;
        let (values, tangents) =
            self.split(program.call(&[&self.at[..], &tangents].concat())?, outputs.len())?;
        let mut lines = Vec::new();
        let mut data = Vec::new();
        let mut next = tangents.into_iter();
        for o in outputs {
            let t = if o.ty.is_differentiable() {
                next.next().expect("a tangent for each differentiable result")
            } else {
                Datum::zeros(Scalar::F64, &o.sizes().unwrap_or_default()).into()
            };
            data.push(json::value(&t));
            lines.push(line(format!("d {}", self.output_label(o)), &o.name, t));
        }
        Ok(Answer { values, mode: "jvp", lines, field: "tangents", data: data.into() })
    }

    fn jacobian(&self) -> Result<Answer, Stop> {
        let (wrt, f) = (self.wrt_ports()?, self.one_output()?);
        let (outputs, results) = (f.outputs(), f.ir().differentiable_results());
        let program = f.jacobian(self.wrt.clone())?.compile(&self.options)?;
        let (values, rest) = self.split(program.call(&self.at)?, outputs.len())?;
        let mut rest = rest.into_iter();
        let mut lines = Vec::new();
        let mut rows = Vec::new();
        for o in results {
            let mut row = Map::new();
            for w in &wrt {
                let label = self.output_label(&outputs[o]);
                let mut take = || rest.next().expect("as many values as the Jacobian's blocks have");
                let entry = match adc_ad::Block::of(w.ty) {
                    adc_ad::Block::D => {
                        let d = take();
                        let entry = json::value(&d);
                        lines.push(line(format!("∂{label}/∂{}", w.name), format!("{label}.{}", w.name), d));
                        entry
                    }
                    adc_ad::Block::Wirtinger => {
                        let (dz, dconj) = (take(), take());
                        let entry = json!({"w": json::value(&dz), "cw": json::value(&dconj)});
                        let file = format!("{label}.{}", w.name);
                        lines.push(line(format!("∂{label}/∂{}*", w.name), format!("{file}.conj"), dconj));
                        lines.insert(lines.len() - 1, line(format!("∂{label}/∂{}", w.name), file, dz));
                        entry
                    }
                };
                row.insert(w.name.clone(), entry);
            }
            rows.push(Json::Object(row));
        }
        let data = if rows.len() == 1 { rows.remove(0) } else { rows.into() };
        Ok(Answer { values, mode: "jacobian", lines, field: "jacobian", data })
    }

    fn hessian(&self) -> Result<Answer, Stop> {
        let wrt = self.wrt_ports()?;
        let f = self.one_output()?;
        let program = f.hessian(self.wrt.clone())?.compile(&self.options)?;
        let (values, entries) = self.split(program.call(&self.at)?, f.outputs().len())?;
        let mut entries = entries.into_iter();
        let mut lines = Vec::new();
        let mut data = Map::new();
        for a in &wrt {
            let mut row = Map::new();
            for (b, entry) in wrt.iter().zip(&mut entries) {
                row.insert(b.name.clone(), json::value(&entry));
                let file = format!("{}.{}", a.name, b.name);
                lines.push(line(format!("∂²/∂{}∂{}", a.name, b.name), file, entry));
            }
            data.insert(a.name.clone(), row.into());
        }
        Ok(Answer { values, mode: "hessian", lines, field: "hessian", data: data.into() })
    }

    fn hvp(&self, session: &mut Session) -> Result<Answer, Stop> {
        let wrt = self.wrt_ports()?;
        let text = self.args.hvp.as_deref().unwrap_or_default();
        let direction = input::direction(session, text, &wrt)?;
        let f = self.one_output()?;
        let program = f.hvp(self.wrt.clone())?.compile(&self.options)?;
        let products = program.call(&[&self.at[..], &direction].concat())?;
        let (values, _) = self.split(Vec::new(), 0)?;
        let data: Map<String, Json> =
            wrt.iter().zip(&products).map(|(w, v)| (w.name.clone(), json::value(v))).collect();
        let lines = wrt.iter().zip(products);
        let lines = lines.map(|(w, v)| line(format!("(Hv)[{}]", w.name), &w.name, v)).collect();
        Ok(Answer { values, mode: "hvp", lines, field: "hvp", data: data.into() })
    }

    /// Prints the entries that can be different from zero.
    fn sparse(&self, session: &mut Session) -> Result<Exit, Stop> {
        let f = self.one_output()?;
        let (program, mode) = match self.args.hessian {
            true => (f.sparse_hessian(self.wrt.clone(), &self.options)?, "hessian"),
            false => (f.sparse_jacobian(self.wrt.clone(), &self.options)?, "jacobian"),
        };
        let (values, blocks) = program.call(&self.at)?;
        let (values, _) = match values.len() == self.f.outputs().len() {
            true => (values, Vec::new()),
            false => self.split(Vec::new(), 0)?,
        };
        if let Some(path) = &self.args.at.out {
            show::npz(session, path, &blocks)?;
        }
        if session.format == Format::Json {
            // Of a Hessian one row for each parameter, of a Jacobian one for each result.
            let mut rows: Vec<(String, Map<String, Json>)> = Vec::new();
            for b in &blocks {
                if rows.last().is_none_or(|(name, _)| *name != b.row_name) {
                    rows.push((b.row_name.clone(), Map::new()));
                }
                let entries = json!({
                    "format": "coo", "shape": b.shape, "row": *b.row, "col": *b.col,
                    "value": b.value.iter().map(|x| json::number(*x)).collect::<Vec<_>>(),
                });
                rows.last_mut().expect("one was pushed").1.insert(b.column_name.clone(), entries);
            }
            let data: Json = match (self.args.hessian, rows.len()) {
                (true, _) => Json::Object(rows.into_iter().map(|(name, row)| (name, row.into())).collect()),
                (false, 1) => rows.remove(0).1.into(),
                (false, _) => rows.into_iter().map(|(_, row)| Json::from(row)).collect(),
            };
            let mut doc = json!({
                "schema": "adc.grad/1", "function": self.f.name(), "mode": mode,
                "convention": self.args.convention.formula(), "outputs": show::outputs(self.f.outputs(), &values),
            });
            doc[mode] = data;
            writeln!(session.io.out, "{doc:#}")?;
            return Ok(Exit::Ok);
        }
        if self.args.at.out.is_some() {
            return Ok(Exit::Ok);
        }
        for b in &blocks {
            if blocks.len() > 1 {
                let [m, n] = b.shape;
                let row = if b.row_name == "out" { self.f.name() } else { &b.row_name };
                let label = if self.args.hessian {
                    format!("∂²/∂{row}∂{}", b.column_name)
                } else {
                    format!("∂{row}/∂{}", b.column_name)
                };
                writeln!(session.io.out, "{label}: {} of {m} × {n} entries", b.value.len())?;
            }
            for ((i, j), x) in b.row.iter().zip(&*b.col).zip(&b.value) {
                let x = self.args.precision.map_or(*x, |digits| {
                    let rounded = rounded(&Value::F64(*x), digits);
                    rounded.scalar().map_or(*x, |c| c.to_c128().re)
                });
                writeln!(session.io.out, "{i} {j} {}", point::real_text(x))?;
            }
        }
        Ok(Exit::Ok)
    }

    /// The values of all results, and the program's results after the first `outputs`.
    fn split(&self, mut values: Values, outputs: usize) -> Result<(Values, Values), Stop> {
        let rest = values.split_off(outputs);
        // A program for one result, or for none, does not compute the others.
        let known = outputs == self.f.outputs().len();
        Ok((if known { values } else { self.f.compile(&self.options)?.call(&self.at)? }, rest))
    }

    /// The function with `--output` as its gradient's result.
    fn one_output(&self) -> Result<Function, Stop> {
        Ok(match &self.args.output {
            Some(name) => self.f.with_outputs([name.as_str()])?,
            None => self.f.clone(),
        })
    }

    /// A result's name in labels: the function's for the single unnamed one.
    fn output_label(&self, o: &Port) -> String {
        if o.name == "out" { self.f.name().to_string() } else { o.name.clone() }
    }
}

/// The results of a program.
type Values = Vec<Value<'static>>;

/// A complex value with a function applied to every number.
fn each(v: &Value, f: impl Fn(Complex64) -> Complex64) -> Value<'static> {
    let mut out = v.to_datum();
    for i in 0..out.len() {
        out.set(i, Const::from_c128(f(out.get(i).to_c128()), out.elem()));
    }
    out.into()
}

/// The cotangent 1 of the one real result; anything else requires a flag.
fn unit_cotangent(f: &Function, results: &[Port]) -> Result<Const, Stop> {
    let refuse = |message: String, help: &str| {
        let d = Diagnostic::error(Code::NeedsScalar, message).label(f.header(), "declared here").help(help);
        Err(Stop::from(crate::Diagnostics::new(f.files(), d)))
    };
    match results {
        [one] if one.ty.scalar().is_real() && !one.ty.is_array() => Ok(Const::real(1.0, one.ty.scalar())),
        [one] if one.ty.is_differentiable() => refuse(
            format!("{} is {}, but a gradient needs one real number", result(f, one), one.describe()),
            "give --cotangent, or ask for --jacobian",
        ),
        [one] => refuse(
            format!("{} is {} and carries no derivative", result(f, one), one.describe()),
            "choose a real or complex result",
        ),
        [] => refuse(
            format!("`{}` has no result to differentiate", f.name()),
            "return a real or complex number",
        ),
        _ => refuse(
            format!("`{}` has several results, but a gradient needs one", f.name()),
            "choose one with --output, give --cotangent, or ask for --jacobian",
        ),
    }
}

/// A result in messages.
fn result(f: &Function, port: &Port) -> String {
    if port.name == "out" { format!("the result of `{}`", f.name()) } else { format!("`{}`", port.name) }
}

impl Answer {
    fn print(self, session: &mut Session, job: &Job) -> Result<(), Stop> {
        let outputs = job.f.outputs();
        if let Some(path) = &job.args.at.out {
            let named: Vec<(&str, &Value)> = self.lines.iter().map(|l| (l.file.as_str(), &l.value)).collect();
            show::files(session, path, &named)?;
        }
        match session.format == Format::Json {
            true => {
                let mut doc = json!({
                    "schema": "adc.grad/1", "function": job.f.name(), "mode": self.mode,
                    "convention": job.args.convention.formula(),
                    "outputs": show::outputs(outputs, &self.values),
                });
                doc[self.field] = self.data;
                writeln!(session.io.out, "{doc:#}")?;
            }
            false => {
                let digits = job.args.precision;
                let all = session.verbose;
                let text = |v: &Value| match digits {
                    Some(digits) => show::text(&rounded(v, digits), all),
                    None => show::text(v, all),
                };
                let plain = session.out_style.ascii;
                let label = |l: String| if plain { l.replace('∂', "d").replace('²', "2") } else { l };
                let values = outputs.iter().zip(&self.values).map(|(o, v)| (job.output_label(o), text(v)));
                let derivatives = self.lines.iter().map(|l| (l.label.clone(), text(&l.value)));
                let lines = values.chain(derivatives).map(|(l, v)| (label(l), v)).collect();
                show::lines(session, lines)?;
            }
        }
        Ok(())
    }
}

/// A value with a number of significant digits.
fn rounded(v: &Value, digits: u8) -> Value<'static> {
    let round = |x: f64| {
        if x.is_finite() { format!("{:.*e}", usize::from(digits) - 1, x).parse().unwrap_or(x) } else { x }
    };
    if !Type::Scalar(v.elem()).is_differentiable() {
        return v.clone().into_owned();
    }
    // In double precision: a single-precision number may not have the digits asked for.
    let double = if v.elem().is_complex() { Scalar::C128 } else { Scalar::F64 };
    let mut out = Datum::zeros(double, v.shape());
    for (i, c) in v.consts().enumerate() {
        let z = c.to_c128();
        out.set(i, Const::from_c128(Complex64::new(round(z.re), round(z.im)), double));
    }
    out.into()
}

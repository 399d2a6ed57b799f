//! `adc emit`: the intermediate stages of a model.

use super::args::{EmitArgs, Stage};
use super::{Exit, Session, Stop, input, residuals};
use crate::files;
use crate::function::Function;
use crate::port::Port;
use crate::render::place;
use crate::wrt::Wrt;
use crate::{Model, Options};
use adc_ir::text::{PrintOptions, print_func};
use adc_ir::{Code, Diagnostic, FuncId, Module};
use adc_notation::{Derivative, Style};
use adc_simplify::OptLevel;
use similar::{ChangeTag, TextDiff};
use std::fmt::Write as _;
use std::io::Write as _;

pub(crate) fn run(session: &mut Session, args: &EmitArgs) -> Result<Exit, Stop> {
    let (name, source) = input::source(session, &args.file)?;
    // The syntax tree exists also for sources with type errors.
    let syntax_only = args.diff.is_empty() && args.emit.iter().all(|s| *s == Stage::Ast);
    let model = if syntax_only { None } else { Some(Model::parse(&name, &source)?) };
    let functions = match &model {
        Some(model) => {
            input::warnings(session, model);
            match &args.function {
                Some(name) => vec![input::function(model, Some(name))?],
                None => model.functions().collect(),
            }
        }
        None => Vec::new(),
    };
    input::dims_once(&args.dims)?;
    let functions = at_dims(functions, &args.dims)?;
    match args.diff[..] {
        [] => {}
        [before, after] => return differences(session, &functions, (before, after), args),
        _ => {
            let d = Diagnostic::error(Code::BadUsage, "`--diff` takes two stages");
            return Err(d.help("write `--diff=vjp,opt`").into());
        }
    }
    for (i, &stage) in args.emit.iter().enumerate() {
        let mut text = String::new();
        if stage == Stage::Ast {
            text = ast(&name, &source)?;
        }
        for f in &functions {
            if stage != Stage::Ast && (has(f, stage) || args.function.is_some()) {
                if !text.is_empty() {
                    text.push('\n');
                }
                text.push_str(&emit(f, stage, level(stage, args), args)?);
            }
        }
        match &args.out {
            None => {
                if args.emit.len() > 1 {
                    let blank = if i > 0 { "\n" } else { "" };
                    writeln!(session.io.out, "{blank}// {}", stage.extension())?;
                }
                session.io.out.write_all(text.as_bytes())?;
            }
            Some(dir) => {
                let stem =
                    std::path::Path::new(&name).file_stem().map_or("model".into(), |s| s.to_string_lossy());
                let path = dir.join(format!("{}.{}", stem.trim_matches(['<', '>']), stage.extension()));
                std::fs::create_dir_all(dir)
                    .and_then(|()| files::replace(&path, |file| file.write_all(text.as_bytes())))
                    .map_err(|e| {
                        Diagnostic::error(Code::Io, format!("cannot write `{}`: {e}", path.display()))
                    })?;
            }
        }
    }
    Ok(Exit::Ok)
}

fn ast(name: &str, text: &str) -> Result<String, Stop> {
    let (file, diagnostics) = adc_frontend::syntax::parse(adc_ir::FileId(0), text);
    if diagnostics.has_errors() {
        let files = vec![crate::SourceFile { name: name.to_string(), text: text.to_string() }];
        return Err(crate::Diagnostics { files, items: diagnostics.0 }.into());
    }
    Ok(adc_frontend::syntax::dump::dump(&file, text))
}

/// Whether a function has the stage.
fn has(f: &Function, stage: Stage) -> bool {
    let smooth = |ports: &[Port]| ports.iter().any(|p| p.ty.is_differentiable());
    matches!(stage, Stage::Ir | Stage::Latex | Stage::Math) || (smooth(f.inputs()) && smooth(f.outputs()))
}

/// The optimisation level of a stage.
fn level(stage: Stage, args: &EmitArgs) -> OptLevel {
    let far = stage == Stage::Opt || args.explain;
    args.opt.unwrap_or(if far { OptLevel::O3 } else { OptLevel::default() })
}

/// How a stage is compiled at a level.
fn options(opt: OptLevel, args: &EmitArgs) -> Options {
    Options { fp: args.fp.map(Into::into), ..Options::default().with_opt(opt) }
}

/// Two stages of every function, before and after.
fn differences(
    session: &mut Session,
    functions: &[Function],
    (before, after): (Stage, Stage),
    args: &EmitArgs,
) -> Result<Exit, Stop> {
    for stage in [before, after] {
        if !matches!(stage, Stage::Ir | Stage::Jvp | Stage::Vjp | Stage::Opt) {
            let d =
                Diagnostic::error(Code::BadUsage, format!("`--diff` does not compare `{}`", stage.name()));
            return Err(d.help("it compares `ir`, `jvp`, `vjp` and `opt`").into());
        }
    }
    let of = |f: &Function, stage: Stage| match stage {
        Stage::Opt => emit(f, stage, level(stage, args), args),
        _ => emit(f, stage, OptLevel::O0, args),
    };
    for f in functions.iter().filter(|f| args.function.is_some() || (has(f, before) && has(f, after))) {
        let (old, new) = (of(f, before)?, of(f, after)?);
        for change in TextDiff::from_lines(&old, &new).iter_all_changes() {
            let sign = match change.tag() {
                ChangeTag::Delete => '-',
                ChangeTag::Insert => '+',
                ChangeTag::Equal => ' ',
            };
            write!(session.io.out, "{sign}{change}")?;
        }
    }
    Ok(Exit::Ok)
}

/// One stage of one function. Every stage is an arm: a new one cannot be forgotten.
fn emit(f: &Function, stage: Stage, opt: OptLevel, args: &EmitArgs) -> Result<String, Stop> {
    let wrt = || Wrt::listed(&args.wrt);
    let options = &options(opt, args);
    match stage {
        Stage::Ast => unreachable!("printed from the source"),
        Stage::Ir => simplified(f, options, args),
        Stage::Jvp => simplified(&f.jvp(wrt())?, options, args),
        Stage::Vjp | Stage::Opt => simplified(&f.vjp(wrt())?, options, args),
        Stage::Fd => simplified(&f.difference_program(args.mode, wrt())?, options, args),
        Stage::Residuals => {
            let (module, id) = f.vjp(wrt())?.simplified(options)?;
            Ok(residuals::print(&module, id, f.files()))
        }
        Stage::Latex => mathematics(f, Style::Latex, options, wrt()),
        Stage::Math => mathematics(f, Style::Plain, options, wrt()),
        Stage::Clif | Stage::Asm => {
            if let Some((dim, _)) = f.dims().iter().find(|(_, n)| n.is_none()) {
                let d = Diagnostic::error(
                    Code::BadUsage,
                    format!("`{}` is compiled for fixed sizes, and dimension `{dim}` has no value", f.name()),
                );
                return Err(d.help(format!("give it one: `--dims {dim}=8`")).into());
            }
            let (module, id) = f.vjp(wrt())?.simplified(options)?;
            let print = if stage == Stage::Clif { adc_jit::emit_clif } else { adc_jit::emit_asm };
            print(&module, id).map_err(|d| crate::Diagnostics::new(f.files(), d).into())
        }
    }
}

/// A function and its derivative as mathematics: the gradient for one real result, else cotangents.
fn mathematics(f: &Function, style: Style, options: &Options, wrt: Wrt) -> Result<String, Stop> {
    let report = |d: Diagnostic| -> Stop { crate::Diagnostics::new(f.files(), d).into() };
    let (module, id) = prepared(f, options)?;
    let mut text = adc_notation::primal(&module, id, style).map_err(report)?;
    let differentiable = |list: &[usize]| !list.is_empty();
    if !differentiable(&f.ir().differentiable_params()) || !differentiable(&f.ir().differentiable_results()) {
        return Ok(text);
    }
    let names: Vec<String> = f.params(&wrt)?.into_iter().map(|k| f.inputs()[k].name.clone()).collect();
    let gradient =
        f.outputs().len() == 1 && f.outputs()[0].ty.scalar().is_real() && !f.outputs()[0].ty.is_array();
    let (program, kind) = match gradient {
        true => (f.grad(wrt)?, (Derivative::Gradient, 0)),
        false => (f.vjp(wrt)?, (Derivative::Cotangents, f.outputs().len())),
    };
    let (module, id) = prepared(&program, options)?;
    text.push('\n');
    text += &adc_notation::derivative((&module, id), f.name(), &names, kind, style).map_err(report)?;
    Ok(text)
}

/// The derivative of a function as plain mathematics, if that is how it can be printed; without the function itself.
pub(super) fn formula(f: &Function) -> Option<String> {
    let text = mathematics(f, Style::Plain, &Options::default(), Wrt::All).ok()?;
    let own = text.find("\n\n").map(|i| text[i..].trim_start_matches('\n').to_string());
    own.or(Some(text))
}

/// The reverse program of a function, simplified, as text.
///
/// # Errors
/// It has no derivative.
pub(super) fn reverse_program(f: &Function) -> Result<String, crate::Diagnostics> {
    let program = f.vjp(Wrt::All).map_err(Stop::from).map_err(|Stop(d)| *d)?;
    let (module, id) = program.simplified(&Options::default()).map_err(Stop::from).map_err(|Stop(d)| *d)?;
    let texts = printed(&module, id)
        .into_iter()
        .map(|c| print_func(&module, module.func(c), &PrintOptions::default()));
    Ok(texts.collect::<Vec<_>>().join("\n"))
}

/// The functions with the dimensions of `--dims`, which has to apply to at least one.
fn at_dims(functions: Vec<Function>, dims: &[(String, i64)]) -> Result<Vec<Function>, Stop> {
    let has = |f: &Function, name: &str| f.dims().iter().any(|(d, _)| d == name);
    for (name, _) in dims {
        if !functions.iter().any(|f| has(f, name)) {
            let d = Diagnostic::error(Code::BadUsage, format!("no function has a dimension called `{name}`"));
            let names = functions.iter().flat_map(Function::dims);
            let mut known: Vec<String> = names.map(|(d, _)| format!("`{d}`")).collect();
            known.sort();
            known.dedup();
            return Err(match known.is_empty() {
                true => d.help("the functions have no dimensions"),
                false => d.help(format!("the dimensions are {}", known.join(", "))),
            }
            .into());
        }
    }
    let mut out = Vec::new();
    for f in functions {
        let own = dims.iter().filter(|(name, _)| has(&f, name)).map(|(name, n)| (name.as_str(), *n));
        out.push(f.with_dims(own)?);
    }
    Ok(out)
}

/// The function as it is written, simplified: for readers, who want to see the loops of a derivative, which compiled code
/// does not have, products and sums apart, and products of matrices in the order of the source.
fn prepared(f: &Function, options: &Options) -> Result<(Module, FuncId), Stop> {
    let mut module = f.expanded()?;
    options.fp.into_iter().for_each(|mode| module.limit_fp(mode));
    // Left out: what rounds otherwise, but sums of one term and rewrites of expressions, and what only lanes are better off with.
    let for_readers = |pass: &&str| ["units", "egraph"].contains(pass);
    let rounding = adc_simplify::ROUNDING.into_iter().filter(|pass| !for_readers(pass));
    let without: Vec<&str> = rounding.chain(["seeds", "slices", "gathered"]).collect();
    let simplified = adc_simplify::Options { level: options.opt, without: &without, ..Default::default() };
    adc_simplify::run_with(&mut module, &[f.id], &simplified);
    Ok((module, f.id))
}

/// The function and everything it still calls, as text; then, if requested, the rewrites that were applied.
fn simplified(f: &Function, options: &Options, args: &EmitArgs) -> Result<String, Stop> {
    let (mut module, id) = f.at_level(options)?;
    let rewrites = adc_simplify::run_explained(&mut module, &[id], options.opt);
    let files: Vec<(&str, &str)> = f.files().iter().map(|s| (s.name.as_str(), s.text.as_str())).collect();
    let options =
        PrintOptions { sources: if args.with_spans { &files } else { &[] }, ..PrintOptions::default() };
    let mut text = String::new();
    for callee in printed(&module, id) {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&print_func(&module, module.func(callee), &options));
    }
    if args.explain {
        for r in &rewrites {
            let times = if r.count > 1 { format!(" {} times", r.count) } else { String::new() };
            let facts = if r.facts.is_empty() { String::new() } else { format!(": {}", r.facts.join(", ")) };
            let _ = writeln!(text, "// {}{times}{}{facts}", r.rule, place(f.files(), r.span));
        }
        if rewrites.is_empty() {
            text.push_str("// no rewrites\n");
        }
    }
    Ok(text)
}

/// What the text of a function mentions: the functions it calls, their hand-written rules, and the functions that those
/// call.
fn printed(module: &Module, id: FuncId) -> Vec<FuncId> {
    let mut list = module.reachable(id);
    let mut next = 0;
    while next < list.len() {
        for rule in &module.func(list[next]).rules {
            let new: Vec<FuncId> =
                module.reachable(rule.func).into_iter().filter(|f| !list.contains(f)).collect();
            list.extend(new);
        }
        next += 1;
    }
    list
}

//! adc's front end: source text to typed IR.
//!
//! [`compile`] reads a file and what it uses, resolves names, infers types, evaluates constants and lowers
//! every function to IR; [`syntax::parse`] is the first step alone. Absent on purpose: files (a [`Loader`]
//! brings them), rendering of diagnostics, derivatives, optimisation.

pub mod editor;
pub mod format;
mod function_values;
mod lint;
mod lower;
mod sema;
mod source;
pub mod symbols;
pub mod syntax;
mod words;

pub use function_values::{FnValues, Generic};
pub use sema::blocks::distributions;
pub use sema::builtins::{BUILTINS, Builtin, Means, NAMED, Named};
pub use source::{Loader, NoFiles, SourceFile};

/// What to write in place of a word of another language; `None` if it is none that is known.
pub fn instead(word: &str) -> Option<String> {
    let found = words::function(word).or_else(|| words::value(word)).or_else(|| words::field(word));
    match found {
        Some(words::Instead::Name(ours)) => Some(format!("write `{ours}`")),
        Some(words::Instead::Write(help)) => Some(help.to_string()),
        None => words::scalar(word).map(|s| format!("write `{s}`")),
    }
}

/// The documented limits; going over one is a coded error.
pub mod limits {
    pub use crate::lower::{MAX_COPIES, MAX_INSTANCES, MAX_INSTS, MAX_REGIONS, MAX_WORK};
    pub use crate::sema::consts::MAX_ENTRIES;
    pub use crate::sema::ctx::MAX_ERRORS;
    pub use crate::sema::files::{MAX_BYTES, MAX_FILES, MAX_USE_DEPTH};
    pub use crate::sema::types::MAX_PARTS;
    pub use crate::syntax::MAX_FILE;
    pub use crate::syntax::ast::{MAX_HEIGHT, MAX_NESTING};
    pub use adc_ir::MAX_RANK;
}

use adc_ir::{BenchBlock, CheckBlock, Diagnostics, Elementary, FuncId, Module, Severity};
use sema::ctx::Ctx;
use sema::hir::{Body, FnIx};
use sema::items::Items;
use std::cell::{Cell, RefCell};

/// A program that was understood.
#[derive(Clone, Debug)]
pub struct Program {
    /// Every function, rules and specialisations included.
    pub module: Module,
    /// The main file and what it uses.
    pub files: Vec<SourceFile>,
    /// The main file's own functions in source order: no rules, no extern functions, none that take functions; behind them
    /// those that take functions, with the values that blocks or the caller give, as `h.sin`.
    pub functions: Vec<FuncId>,
    /// The main file's functions that take functions.
    pub generics: Vec<Generic>,
    /// The main file's `check` blocks.
    pub checks: Vec<CheckBlock>,
    /// The main file's `bench` blocks.
    pub benches: Vec<BenchBlock>,
    /// Notes and warnings.
    pub warnings: Diagnostics,
    /// What [lints](syntax::ast::Lint) say of the main file.
    pub lints: Diagnostics,
}

/// A program that was not understood.
#[derive(Clone, Debug)]
pub struct Failure {
    /// As far as they could be read.
    pub files: Vec<SourceFile>,
    /// By position, at least one of them an error.
    pub diagnostics: Diagnostics,
}

/// Compiles the file `name` with contents `text`. `math` evaluates constants.
pub fn compile(
    name: &str,
    text: &str,
    loader: &mut dyn Loader,
    math: &dyn Elementary<f64>,
) -> Result<Program, Failure> {
    compile_with(name, text, loader, math, &[])
}

/// As [`compile`], with functions for parameters that are functions.
pub fn compile_with(
    name: &str,
    text: &str,
    loader: &mut dyn Loader,
    math: &dyn Elementary<f64>,
    given: &[FnValues],
) -> Result<Program, Failure> {
    let Analysis { files, diagnostics, program, .. } = understand(name, text, loader, math, given, None);
    match program {
        Some(program) => Ok(Program { files, warnings: diagnostics, ..program }),
        None => Err(Failure { files, diagnostics }),
    }
}

/// Everything that is known of a program, also of one with errors. For editors.
#[derive(Clone, Debug)]
pub struct Analysis {
    /// The main file and what it uses.
    pub files: Vec<SourceFile>,
    /// Their trees, as far as they could be read.
    pub trees: Vec<syntax::ast::File>,
    /// The file that each `use` names, by the place of its path.
    pub uses: Vec<(adc_ir::Span, adc_ir::FileId)>,
    /// By position.
    pub diagnostics: Diagnostics,
    /// Types, in the words of the source: of variables at the places of their names, and of expressions.
    pub types: Vec<(adc_ir::Span, String)>,
    /// The program, if there are no errors; without its files and warnings, which are here.
    pub program: Option<Program>,
}

/// The files of a program, read and not understood.
#[derive(Clone, Debug)]
pub struct Sources {
    /// The main file and what it uses.
    pub files: Vec<SourceFile>,
    /// Their trees, as far as they could be read.
    pub trees: Vec<syntax::ast::File>,
}

/// Reads the file `name` with contents `text`, and what it uses, as far as that can be read.
pub fn read(name: &str, text: &str, loader: &mut dyn Loader) -> Sources {
    let sema::files::Files { sources: files, trees, .. } = sema::files::load(name, text, loader);
    Sources { files, trees }
}

/// As [`compile`], with everything that was found on the way.
pub fn analyse(name: &str, text: &str, loader: &mut dyn Loader, math: &dyn Elementary<f64>) -> Analysis {
    let types = RefCell::default();
    let mut analysis = understand(name, text, loader, math, &[], Some(&types));
    let lints = analysis.program.as_ref().map(|p| p.lints.0.clone());
    analysis.diagnostics.0.extend(lints.unwrap_or_default());
    Analysis { types: types.into_inner(), ..analysis }
}

/// Types by place.
type Types = RefCell<Vec<(adc_ir::Span, String)>>;

fn understand(
    name: &str,
    text: &str,
    loader: &mut dyn Loader,
    math: &dyn Elementary<f64>,
    given: &[FnValues],
    types: Option<&Types>,
) -> Analysis {
    let mut files = sema::files::load(name, text, loader);
    let found = RefCell::new(files.diagnostics.0);
    let holes = found.borrow().iter().filter(|d| d.severity == Severity::Error).map(|d| d.span()).collect();
    let starts = files.trees.iter().flat_map(|t| &t.items).map(|i| (i.span.file, i.span.start)).collect();
    let generics = function_values::generics(&files.trees, text);
    function_values::bind(&mut files.trees, given);
    let (sources, items) = (&files.sources, Items::default());
    let main = files.trees.first().map_or(&[][..], |t| &t.items);
    let paths = sema::block_arrays::loads(main.iter());
    let arrays = paths.into_iter().map(|path| (path.to_string(), loader.array(name, path))).collect();
    let errors = Cell::new(0);
    let mut ctx = Ctx { sources, items, math, diagnostics: found, errors, holes, arrays, starts };
    let lowered = lowered(&mut ctx, &files.trees, types);
    let diagnostics = sorted(ctx.diagnostics.take());
    let program = lowered.filter(|_| !diagnostics.has_errors()).map(|parts| Program { generics, ..parts });
    let sema::files::Files { sources: files, trees, uses, .. } = files;
    Analysis { files, trees, uses, diagnostics, types: Vec::new(), program }
}

/// Notes the types in a body.
fn note_types(types: Option<&Types>, body: &Body) {
    let Some(types) = types else { return };
    let mut types = types.borrow_mut();
    types.extend(body.locals.iter().map(|l| (l.span, body.types.show(&l.ty))));
    for (value, _) in &body.values {
        sema::visit::expr(value, &mut |node| {
            if let sema::visit::Node::Expr(e) = node {
                types.push((e.span, body.types.show(&e.ty)));
            }
        });
    }
}

/// Everything behind parsing; reports to `ctx`. `None` after errors.
fn lowered<'a>(ctx: &mut Ctx<'a>, trees: &'a [syntax::ast::File], types: Option<&Types>) -> Option<Program> {
    sema::collect::collect(ctx, trees);
    sema::decl::constants(ctx);
    sema::consts::evaluate(ctx);
    sema::decl::signatures(ctx);
    sema::decl::domains(ctx);
    let ctx = &*ctx;
    let bodies: Vec<Option<Body>> = (0..ctx.items.fns.len())
        .map(|i| {
            let f = &ctx.items.fns[i];
            f.body
                .filter(|b| !f.broken && !ctx.damaged(b.span) && !ctx.is_full())
                .map(|b| sema::infer::Infer::function(ctx, FnIx(i), b))
        })
        .collect();
    let rules = sema::rules::check(ctx);
    let rule_bodies = rules.iter().map(|r| &r.body);
    bodies.iter().flatten().chain(rule_bodies).for_each(|body| note_types(types, body));
    sema::recursion::check(ctx, &bodies);
    let checks = sema::blocks::checks(ctx);
    let benches = sema::blocks::benches(ctx);
    if !ctx.holes.is_empty() || ctx.errors() > 0 {
        return None;
    }
    let lowered = match lower::program(ctx, &bodies, &rules) {
        Ok(lowered) => lowered,
        Err(d) => {
            ctx.report(d);
            return None;
        }
    };
    if cfg!(debug_assertions)
        && let Err(errors) = adc_ir::verify::verify(&lowered.module)
    {
        panic!("the front end made IR that does not verify: {errors:?}");
    }
    let lints = Diagnostics(lint::lints(ctx, trees, &bodies, &rules));
    let id = |f: FnIx| lowered.ids[f.0];
    // A function with values for its functions has a point in its name.
    let own = |f: FnIx| ctx.items.in_main(f) || ctx.items.func(f).name.contains('.');
    let mine = |f: &FnIx| own(*f) && ctx.items.func(*f).body.is_some();
    Some(Program {
        functions: (0..lowered.ids.len()).map(FnIx).filter(mine).filter_map(id).collect(),
        checks: checks.into_iter().filter_map(|(f, c)| Some(CheckBlock { func: id(f)?, ..c })).collect(),
        benches: benches.into_iter().filter_map(|(f, b)| Some(BenchBlock { func: id(f)?, ..b })).collect(),
        module: lowered.module,
        files: Vec::new(),
        generics: Vec::new(),
        warnings: Diagnostics::default(),
        lints,
    })
}

/// By position; the same message at the same place once.
fn sorted(mut all: Vec<adc_ir::Diagnostic>) -> Diagnostics {
    all.sort_by_key(|d| (d.span(), d.severity, d.code as u16));
    all.dedup();
    Diagnostics(all)
}

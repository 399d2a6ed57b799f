//! `adc explain`: a diagnostic code, an op, a rewrite, a topic or a word of the language, from the tables.

use super::args::ExplainArgs;
use super::lexicon;
use super::topics::{self, TOPICS};
use super::{Exit, Session, Stop};
use adc_ir::{Code, Cut, Diagnostic, Domain, Op, Smoothness, Type};
use adc_simplify::rules::{self, Class, Rule};

pub(crate) fn run(session: &mut Session, args: &ExplainArgs) -> Result<Exit, Stop> {
    if args.list {
        for code in Code::ALL {
            writeln!(session.io.out, "{code}  {}", code.title())?;
        }
        for op in Op::ALL {
            writeln!(session.io.out, "{:<13} {}", op.name(), op.info().formula)?;
        }
        for rule in rules::all() {
            writeln!(session.io.out, "{:<32} {} => {}", rule.name, rule.lhs, rule.rhs)?;
        }
        for (name, title, _) in TOPICS {
            writeln!(session.io.out, "{name:<13} {title}")?;
        }
        for (word, meaning) in lexicon::list() {
            writeln!(session.io.out, "{word:<13} {meaning}")?;
        }
        return Ok(Exit::Ok);
    }
    let topic = args.topic.as_deref().unwrap_or_default();
    let code = Code::ALL.iter().find(|c| c.to_string().eq_ignore_ascii_case(topic));
    let page = TOPICS.iter().find(|(name, ..)| *name == topic);
    let op = Op::from_name(topic);
    let rule = rules::find(topic);
    if let Some(code) = code {
        writeln!(session.io.out, "{code}: {}\n\n{}", code.title(), code.explain())?;
        return Ok(Exit::Ok);
    }
    let known = page.is_some() || op.is_some() || rule.is_some();
    let word = lexicon::page(topic).or_else(|| lexicon::foreign(topic).filter(|_| !known));
    if !known && word.is_none() {
        return Err(Diagnostic::error(
            Code::BadUsage,
            format!("no code, op, rewrite, topic or word is called `{topic}`"),
        )
        .help("`adc explain --list` shows every code, op, rewrite, topic and word")
        .into());
    }
    if let Some((_, title, page)) = page {
        let verdicts = if topic == "check" { topics::verdicts() } else { String::new() };
        let text = format!("{topic}: {title}\n\n{page}{verdicts}");
        let text = if session.out_style.ascii { super::check_text::ascii(&text) } else { text };
        // One word may be both: the type constructor is also an op.
        write!(session.io.out, "{text}{}", if op.is_some() || word.is_some() { "\n" } else { "" })?;
    }
    if let Some(word) = &word {
        let text = if session.out_style.ascii { super::check_text::ascii(word) } else { word.clone() };
        write!(session.io.out, "{text}{}", if op.is_some() || rule.is_some() { "\n" } else { "" })?;
    }
    if let Some(op) = op {
        write!(session.io.out, "{}", op_page(op))?;
    }
    if let Some(rule) = rule {
        explain_rule(session, rule)?;
    }
    Ok(Exit::Ok)
}

/// What is known of an op: formula, where it is smooth, derivatives.
pub(super) fn op_page(op: Op) -> String {
    let info = op.info();
    let mut out = format!("{}: {}\n", op.name(), info.formula);
    match info.smooth {
        Smoothness::Linear => out += "  linear\n",
        Smoothness::Smooth => {}
        Smoothness::Kink(place) => out += &format!("  not smooth at {place}\n"),
        Smoothness::Jump(place) => out += &format!("  discontinuous at {place}\n"),
        Smoothness::Discrete => out += "  carries no derivative\n",
    }
    match info.domain {
        Domain::All | Domain::Special => {}
        Domain::NonZero => out += "  not defined at 0\n",
        Domain::Open(lo, hi) => out += &format!("  smooth for real operands in ({lo}, {hi})\n"),
        Domain::NotPole => out += "  not defined at 0, -1, -2, …\n",
    }
    if info.cut != Cut::Uncut {
        let of = if op.arity() > 1 { " of a" } else { "" };
        out += &format!("  branch cut {}{of}\n", info.cut);
    }
    for (form, operands) in forms(op) {
        let adc_ad::Row::Partials(partials) = adc_ad::rule(op, &operands) else { continue };
        let names = if op.arity() == 1 { ["x", "", ""] } else { ["a", "b", "c"] };
        for (i, partial) in partials.iter().enumerate().filter(|(i, _)| operands[*i].is_differentiable()) {
            out += &format!("  {form}, along {}: {}\n", names[i], partial.text(op.arity()));
        }
    }
    out
}

fn explain_rule(session: &mut Session, rule: &Rule) -> Result<(), Stop> {
    let out = &mut session.io.out;
    writeln!(out, "{}: {} => {}", rule.name, rule.lhs, rule.rhs)?;
    writeln!(
        out,
        "  family {}, {} operands, {}: {}",
        rule.family,
        rule.domain,
        rule.class,
        promise(rule.class)
    )?;
    for guard in rule.guards {
        writeln!(out, "  where it is known that {guard}")?;
    }
    writeln!(out, "  {}", rule.reason)?;
    Ok(())
}

/// The promise of a class of rewrites.
fn promise(class: Class) -> &'static str {
    match class {
        Class::Exact => "results are the same to the last bit",
        Class::Refining => "the bound of the rounding error does not grow",
        Class::Guarded => "where its facts are known, the bound of the rounding error does not grow",
        Class::Fast => "true of real numbers, for `#[fp(fast)]` only",
    }
}

/// The operand types the op's rule is shown for: all real, all complex.
fn forms(op: Op) -> Vec<(&'static str, Vec<Type>)> {
    let of = |t: Type| -> Vec<Type> {
        // Integer and boolean operands are used where no real or complex one fits.
        let choices = |i: usize| if i == 0 { vec![t, Type::I64, Type::BOOL] } else { vec![t, Type::I64] };
        let mut lists: Vec<Vec<Type>> = vec![Vec::new()];
        for i in 0..op.arity() {
            lists = choices(i)
                .into_iter()
                .flat_map(|c| lists.iter().map(move |l| [&l[..], &[c]].concat()))
                .collect();
        }
        lists.into_iter().find(|l| op.result_type(l).is_some()).unwrap_or_default()
    };
    [("real", of(Type::F64)), ("complex", of(Type::C128))]
        .into_iter()
        .filter(|(_, l)| l.iter().any(|t| t.is_differentiable()))
        .collect()
}

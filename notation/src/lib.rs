//! Functions and their derivatives as mathematics: LaTeX and plain text.
//!
//! [`build`] makes expressions from simplified IR, [`print`] writes them in the notations of [`table`].

mod build;
mod constants;
mod expr;
mod names;
mod norms;
mod print;
mod table;
#[cfg(test)]
mod tests;

pub use print::Style;

use adc_ir::{Diagnostic, FuncId, Module};
use expr::{Doc, Expr, Item, Iterations};
use names::Names;
use print::Printer;

/// The results of a derivative program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Derivative {
    /// The gradient: for a real parameter ∂f/∂x, for a complex one 2 ∂f/∂z*.
    Gradient,
    /// Cotangents of parameters, from those of the results.
    Cotangents,
}

/// `f(x) = …`
///
/// # Errors
/// [`adc_ir::Code::NoNotation`]
pub fn primal(module: &Module, id: FuncId, style: Style) -> Result<String, Diagnostic> {
    let doc = build::run(module, id, 0..module.func(id).results.len())?;
    let several = doc.results.len() > 1;
    Ok(layout(&doc, style, |p, k| {
        let (name, ..) = &doc.results[k];
        let params: Vec<&str> = doc.params.iter().map(|s| p.names.syms[*s].as_str()).collect();
        let params = p.parens(&params.join(", "));
        let which = name.strip_prefix("out.").unwrap_or(name);
        match (several, style) {
            (false, _) => format!("{}{params}", p.names.function),
            (true, Style::Latex) => {
                format!(r"\left({}\right)_{{{}}}{params}", p.names.function, names::tex(which, false))
            }
            (true, Style::Plain) => format!("{}[{which}]{params}", p.names.function),
        }
    }))
}

/// The results from number `first` on of the derivative program of the function `name`.
///
/// # Errors
/// [`adc_ir::Code::NoNotation`]
pub fn derivative(
    (module, id): (&Module, FuncId),
    name: &str,
    wrt: &[String],
    (kind, first): (Derivative, usize),
    style: Style,
) -> Result<String, Diagnostic> {
    let mut doc = build::run(module, id, first..module.func(id).results.len())?;
    doc.name = name.to_string();
    let complex = doc.syms.iter().any(|s| matches!(s, expr::Symbol::Named(_, true)));
    let text = layout(&doc, style, |p, k| {
        let (result, complex, _) = &doc.results[k];
        let of = wrt[k].as_str();
        let is_param = |s: &&usize| matches!(&doc.syms[**s], expr::Symbol::Named(n, _) if n == of);
        let param = doc.params.iter().find(is_param).map(|s| p.names.syms[*s].clone());
        let param = param.unwrap_or_else(|| of.to_string());
        let f = &p.names.function;
        match (kind, style) {
            (Derivative::Cotangents, Style::Latex) => names::tex(result, *complex),
            (Derivative::Cotangents, Style::Plain) => result.clone(),
            (Derivative::Gradient, Style::Latex) if *complex => {
                format!(r"2 \frac{{\partial {f}}}{{\partial \overline{{{param}}}}}")
            }
            (Derivative::Gradient, Style::Latex) => {
                format!(r"\frac{{\partial {f}}}{{\partial {param}}}")
            }
            (Derivative::Gradient, Style::Plain) if *complex => format!("2 ∂{f}/∂conj({param})"),
            (Derivative::Gradient, Style::Plain) => format!("∂{f}/∂{param}"),
        }
    });
    Ok(match (complex, kind) {
        (false, _) => text,
        (true, _) => convention(style) + &text,
    })
}

/// The definition of the derivative with respect to a complex number.
fn convention(style: Style) -> String {
    match style {
        Style::Latex => "2 \\frac{\\partial L}{\\partial \\overline{z}} = \\frac{\\partial L}{\\partial \
             \\operatorname{Re} z} + \\mathrm{i} \\frac{\\partial L}{\\partial \\operatorname{Im} z}\n\n"
            .to_string(),
        Style::Plain => "2 ∂L/∂conj(z) = ∂L/∂Re(z) + ⅈ·∂L/∂Im(z)\n\n".to_string(),
    }
}

/// The lines of a document; `left` gives the left-hand side of a result.
fn layout(doc: &Doc, style: Style, left: impl Fn(&Printer<'_>, usize) -> String) -> String {
    let p = Printer { doc, style, names: Names::new(doc, style) };
    let mut lines: Vec<(String, String)> = Vec::new();
    for (n, item) in doc.items.iter().enumerate() {
        match item {
            Item::Def { params, body, condition } => {
                let name = p.at(p.item(&p.names.def, p.number(n)), params);
                let sign = if *condition { p.either(r"\iff ", "⇔ ") } else { "= " };
                lines.push((
                    name,
                    format!("{sign}{}", p.expr(body, if *condition { table::LOGIC } else { 0 })),
                ));
            }
            Item::Loop { params, index, init, next, iterations } => {
                for (place, (a, b)) in init.iter().zip(next).enumerate() {
                    let at = |iteration: &str| p.carry_at(n, place, iteration);
                    lines.push((at("0"), format!("= {}", p.expr(a, 0))));
                    let i = &p.names.syms[*index];
                    let range = match iterations {
                        Iterations::Count(n) => {
                            p.either(r", \quad ", ",  ").to_string() + &p.range(*index, &Expr::int(0), n)
                        }
                        Iterations::While(_) => String::new(),
                    };
                    lines.push((at(&format!("{i}+1")), format!("= {}{range}", p.expr(b, 0))));
                }
                if let Iterations::While(condition) = iterations {
                    let name = p.at(p.item(&p.names.iterations, p.number(n)), params);
                    let i = &p.names.syms[*index];
                    let condition = p.expr(condition, table::ATOM);
                    lines.push((
                        name,
                        match style {
                            Style::Latex => format!(r"= \min\left\{{{i} \ge 0 : \lnot {condition}\right\}}"),
                            Style::Plain => format!("= min{{{i} ≥ 0 : ¬{condition}}}"),
                        },
                    ));
                }
            }
        }
    }
    for (k, (.., e)) in doc.results.iter().enumerate() {
        lines.push((left(&p, k), format!("= {}", p.expr(e, 0))));
    }
    let width: usize = lines.iter().map(|(a, b)| a.len() + b.len()).sum();
    match style {
        Style::Plain => lines.iter().map(|(a, b)| format!("{a} {b}\n")).collect(),
        Style::Latex if doc.items.is_empty() && width < 160 => {
            let lines: Vec<String> = lines.iter().map(|(a, b)| format!("{a} {b}")).collect();
            lines.join(r", \qquad ") + "\n"
        }
        Style::Latex => {
            let lines: Vec<String> = lines.iter().map(|(a, b)| format!("{a} &{b}")).collect();
            format!("\\begin{{aligned}}\n{}\n\\end{{aligned}}\n", lines.join(" \\\\\n"))
        }
    }
}

//! Values of parameters that are functions, given by name from outside: on the command line, in points, in blocks. A function
//! with such values becomes an item of its own that takes the other parameters and calls it: `h` with `f = sin` is `h.sin`.

use crate::syntax::ast::{
    Block, Check, CheckLine, CheckLineKind, DimArg, Expr, ExprKind, File, Item, ItemKind, Name, Param,
    Signature, TypeKind,
};
use adc_ir::Span;

/// Functions given for the parameters of a function.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FnValues {
    /// The function that takes functions.
    pub function: String,
    /// Parameter and name of a function or built-in.
    pub values: Vec<(String, String)>,
}

impl FnValues {
    /// The values behind the name of a function they make, `h.sin`.
    pub fn of_name(name: &str, generics: &[Generic]) -> Option<FnValues> {
        generics.iter().find_map(|g| {
            let rest = name.strip_prefix(&g.name)?.strip_prefix('.')?;
            let fns: Vec<&str> = rest.split('.').collect();
            let values = g.params.iter().zip(&fns).map(|((p, _), f)| (p.clone(), f.to_string())).collect();
            (fns.len() == g.params.len()).then(|| FnValues { function: g.name.clone(), values })
        })
    }

    /// The function they make: `h.sin`, values in the order of the parameters.
    pub fn name(&self) -> String {
        self.values.iter().fold(self.function.clone(), |name, (_, f)| format!("{name}.{f}"))
    }
}

/// A function that cannot run without values for parameters that are functions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Generic {
    /// Its name.
    pub name: String,
    /// The parameters that are functions, with their types as declared.
    pub params: Vec<(String, String)>,
    /// Where it is declared.
    pub span: Span,
}

/// The names of the parameters that are functions.
fn functions(sig: &Signature) -> impl Iterator<Item = &Name> {
    sig.params.iter().filter(|p| is_function(p)).map(|p| &p.name)
}

fn is_function(p: &Param) -> bool {
    matches!(p.ty.kind, TypeKind::Fn { .. })
}

fn signature(item: &Item) -> Option<&Signature> {
    match &item.kind {
        ItemKind::Fn(sig, _) => Some(sig),
        _ => None,
    }
}

fn find<'t>(trees: &'t [File], name: &str) -> Option<(&'t Item, &'t Signature)> {
    let all = trees.iter().flat_map(|t| &t.items);
    all.filter_map(|i| Some((i, signature(i)?))).find(|(_, s)| s.name.text == name)
}

/// The functions of the main file that take functions. `text` is its source.
pub fn generics(trees: &[File], text: &str) -> Vec<Generic> {
    let items = trees.first().map_or(&[][..], |t| &t.items);
    let source = |s: Span| text.get(s.start as usize..s.end as usize).unwrap_or("fn(…) -> …").to_string();
    let generic = |s: &Signature| {
        let params = s.params.iter().filter(|p| is_function(p));
        Generic {
            name: s.name.text.clone(),
            params: params.map(|p| (p.name.text.clone(), source(p.ty.span))).collect(),
            span: s.span,
        }
    };
    items.iter().filter_map(signature).map(generic).filter(|g| !g.params.is_empty()).collect()
}

/// Makes the functions that `given` and the blocks of the main file ask for; the blocks are about them then. A block without a
/// value for a function is left out.
pub fn bind(trees: &mut [File], given: &[FnValues]) {
    let mut made = Vec::new();
    for v in given {
        let spans: Vec<(String, Expr)> = v
            .values
            .iter()
            .filter_map(|(p, f)| {
                let (_, sig) = find(trees, &v.function)?;
                let span = sig.params.iter().find(|q| q.name.text == *p)?.span;
                Some((p.clone(), named(f, span)))
            })
            .collect();
        make(trees, &v.function, &spans, None, &mut made);
    }
    let main = trees.first().map_or(0, |t| t.items.len());
    let mut dropped = Vec::new();
    for k in 0..main {
        let (ItemKind::Check(block) | ItemKind::Bench(block)) = &trees[0].items[k].kind else { continue };
        let Some((_, sig)) = find(trees, &block.target.text) else { continue };
        let wanted: Vec<&str> = functions(sig).map(|n| n.text.as_str()).collect();
        if wanted.is_empty() {
            continue;
        }
        let values: Vec<Option<(String, Expr)>> = wanted.iter().map(|p| value(block, p)).collect();
        let lines = block.lines.iter().any(|l| fixed(l).is_some_and(|(n, _)| wanted.contains(&n)));
        match values.into_iter().collect::<Option<Vec<_>>>() {
            Some(values) => {
                let (function, span) = (block.target.text.clone(), block.target.span);
                let taken: Vec<String> = wanted.iter().map(|w| w.to_string()).collect();
                let Some(name) = make(trees, &function, &values, Some(span), &mut made) else { continue };
                let (ItemKind::Check(block) | ItemKind::Bench(block)) = &mut trees[0].items[k].kind else {
                    continue;
                };
                block.target.text = name;
                block.lines.retain(|l| fixed(l).is_none_or(|(n, _)| taken.iter().all(|t| t != n)));
            }
            // What is given, but not by name, is reported.
            None if !lines => dropped.push(k),
            None => {}
        }
    }
    let Some(main) = trees.first_mut() else { return };
    for k in dropped.into_iter().rev() {
        main.items.remove(k);
    }
    main.items.append(&mut made);
}

/// `f = sin;`
fn fixed(line: &CheckLine) -> Option<(&str, &Expr)> {
    match &line.kind {
        CheckLineKind::Fixed { param, value } => Some((&param.text, value)),
        _ => None,
    }
}

/// The function a block gives for a parameter.
fn value(block: &Check, param: &str) -> Option<(String, Expr)> {
    let (_, value) = block.lines.iter().filter_map(fixed).find(|(n, _)| *n == param)?;
    matches!(value.kind, ExprKind::Name(_)).then(|| (param.to_string(), value.clone()))
}

fn named(text: &str, span: Span) -> Expr {
    Expr::new(ExprKind::Name(Name { text: text.to_string(), span }), span)
}

/// The item that calls `function` with these functions, unless it is there already. Gives its name.
fn make(
    trees: &[File],
    function: &str,
    values: &[(String, Expr)],
    asked: Option<Span>,
    made: &mut Vec<Item>,
) -> Option<String> {
    let (item, sig) = find(trees, function)?;
    let text = |e: &Expr| match &e.kind {
        ExprKind::Name(n) => n.text.clone(),
        _ => String::new(),
    };
    let by_name = |p: &Param| values.iter().find(|(n, _)| *n == p.name.text).map(|(_, e)| e.clone());
    let given: Vec<Expr> =
        sig.params.iter().filter(|p| is_function(p)).map(by_name).collect::<Option<_>>()?;
    let name = given.iter().fold(function.to_string(), |name, e| format!("{name}.{}", text(e)));
    if made.iter().any(|i| signature(i).is_some_and(|s| s.name.text == name)) {
        return Some(name);
    }
    let span = asked.unwrap_or(sig.name.span);
    let args = sig.params.iter().map(|p| by_name(p).unwrap_or_else(|| named(&p.name.text, p.name.span)));
    let call = ExprKind::Call {
        callee: Box::new(named(function, span)),
        dims: sig.dims.iter().map(|d| DimArg { name: None, value: named(&d.text, d.span) }).collect(),
        args: args.collect(),
        seeds: Vec::new(),
    };
    let value = Some(Box::new(Expr::new(call, span)));
    let head = Signature {
        name: Name { text: name.clone(), span: sig.name.span },
        params: sig.params.iter().filter(|p| !is_function(p)).cloned().collect(),
        ..sig.clone()
    };
    let body = Block { stmts: Vec::new(), value, span: sig.span };
    let kind = ItemKind::Fn(head, body);
    made.push(Item { kind, doc: String::new(), attrs: item.attrs.clone(), span: item.span });
    Some(name)
}

//! `adc emit --emit=residuals`: what the loops of a derivative keep of each iteration, and the expressions of these values.

use crate::SourceFile;
use crate::render::place;
use adc_ir::dims::Known;
use adc_ir::{Func, FuncId, Inst, Kind, Module, Region, Span, Value};
use std::fmt::Write;

/// Characters of an expression that are shown.
const SHOWN: usize = 48;

/// The loops of a program and of everything it calls.
pub(crate) fn print(module: &Module, id: FuncId, files: &[SourceFile]) -> String {
    let mut out = format!("// {}: what its loops store for each iteration\n", module.func(id).name);
    for f in module.reachable(id) {
        let func = module.func(f);
        let mut page = Page { func, known: Known::of(func), files, out: String::new() };
        if let Some(region) = func.region() {
            page.region(region, 0);
        }
        if f != id && !page.out.is_empty() {
            let _ = writeln!(out, "in {}:", func.name);
        }
        out += &page.out;
    }
    if out.lines().count() == 1 {
        out += "nothing: no loop stores a value\n";
    }
    out
}

struct Page<'a> {
    func: &'a Func,
    known: Known,
    files: &'a [SourceFile],
    out: String,
}

impl Page<'_> {
    fn region(&mut self, region: &Region, depth: usize) {
        for inst in &region.insts {
            let inner = match inst.kind {
                Kind::For(_) | Kind::While(_) => {
                    let kept = self.kept(inst, depth);
                    depth + usize::from(kept)
                }
                _ => depth,
            };
            inst.regions.iter().for_each(|r| self.region(r, inner));
        }
    }

    /// Lists what a loop collects; whether it collects anything.
    fn kept(&mut self, inst: &Inst, depth: usize) -> bool {
        let (l, word) = match inst.kind {
            Kind::For(l) => (l, "for"),
            Kind::While(l) => (l, "while"),
            _ => return false,
        };
        let body = inst.regions.last().expect("a loop has a body");
        let count = l.collects as usize;
        if count == 0 {
            return false;
        }
        let kept = &body.yields[body.yields.len() - count..];
        let bytes: Vec<String> = kept.iter().map(|v| self.bytes(*v)).collect();
        let sum = bytes.iter().try_fold(0u64, |sum, b| b.parse::<u64>().ok().map(|n| sum + n));
        let total = sum.map_or(bytes.join(" + "), |n| n.to_string());
        let indent = "  ".repeat(depth);
        let at = place(self.files, inst.span);
        let _ = writeln!(self.out, "{indent}{word} loop{at}: {total} bytes per iteration");
        let rows: Vec<[String; 4]> = kept
            .iter()
            .zip(&bytes)
            .map(|(v, bytes)| {
                let span = self.definition(body, *v);
                [self.ty(*v), format!("{bytes} bytes"), self.source(span), place(self.files, span)]
            })
            .collect();
        let width = |i: usize| rows.iter().map(|r| r[i].chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..3).map(width).collect();
        for [ty, bytes, source, place] in rows {
            let line = format!(
                "{indent}  {}  {}  {}{place}",
                super::padded(&ty, widths[0]),
                super::padded(&bytes, widths[1]),
                super::padded(&source, if place.is_empty() { 0 } else { widths[2] })
            );
            let _ = writeln!(self.out, "{}", line.trim_end());
        }
        true
    }

    fn sizes(&self, v: Value) -> Vec<adc_ir::Dim> {
        self.known.resolve_shape(self.func.shape(v))
    }

    fn name(&self, v: Value) -> String {
        match self.func.entry_position(v) {
            Some(i) if i < self.func.dims.len() => self.func.dims[i].name.clone(),
            Some(i) => self.func.params[i - self.func.dims.len()].name.clone(),
            None => "n".to_string(),
        }
    }

    fn ty(&self, v: Value) -> String {
        let sizes: Vec<String> = self.sizes(v).iter().map(|d| d.display(|v| self.name(v))).collect();
        let elem = self.func.ty(v).scalar();
        if sizes.is_empty() { elem.to_string() } else { format!("{elem}[{}]", sizes.join(", ")) }
    }

    fn bytes(&self, v: Value) -> String {
        let elem = adc_ir::Dim::constant(self.func.ty(v).scalar().bytes() as i64);
        let all = self.sizes(v).iter().try_fold(elem, |n, d| n.mul(d));
        all.map_or("many".to_string(), |n| n.display(|v| self.name(v)))
    }

    /// The source of a value that a region yields.
    fn definition(&self, region: &Region, v: Value) -> Span {
        fn find(region: &Region, v: Value) -> Option<Span> {
            region.insts.iter().find_map(|i| {
                let own = i.results.contains(&v).then_some(i.span);
                own.or_else(|| i.regions.iter().find_map(|r| find(r, v)))
            })
        }
        match find(region, v) {
            Some(span) => span,
            None => self.func.params.iter().find(|p| p.value == v).map_or(Span::NONE, |p| p.span),
        }
    }

    /// The first line of the expression.
    fn source(&self, span: Span) -> String {
        let Some(file) = self.files.get(span.file.0 as usize) else { return "a variable of the loop".into() };
        let text = file.text.get(span.start as usize..span.end as usize).unwrap_or_default();
        let line = text.lines().next().unwrap_or_default();
        match line.char_indices().nth(SHOWN) {
            Some((end, _)) => format!("{}…", &line[..end]),
            None => line.to_string(),
        }
    }
}

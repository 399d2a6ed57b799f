//! Dimensions of `check` and `bench` blocks, and parameters that are given as arrays.

use super::blocks::Reader;
use super::consts;
use super::decl::plural;
use super::dims::Sym;
use super::items::Constant;
use super::types::Types;
use crate::syntax::ast;
use crate::syntax::suggest::nearest;
use adc_ir::datum::{Array, Buffer, Datum};
use adc_ir::{Code, Const, Diagnostic, Dim, Distribution, Scalar, Span, Value};
use num_complex::Complex64;

impl<'a> Reader<'_, 'a> {
    /// `[N = 8, D = 3]`, by position or by name.
    pub(super) fn dims(&self, given: &'a [ast::DimArg]) -> Vec<Option<i64>> {
        let names: Vec<&str> = self.f.dims.iter().map(|n| n.text.as_str()).collect();
        let mut out = vec![None; names.len()];
        for (position, d) in given.iter().enumerate() {
            let found = match &d.name {
                Some(name) => names.iter().position(|n| *n == name.text),
                None => Some(position).filter(|i| *i < names.len()),
            };
            let at = d.name.as_ref().map_or(d.value.span, |n| n.span);
            let Some(i) = found else {
                let message = match &d.name {
                    Some(n) => format!("`{}` has no dimension `{}`", self.f.name, n.text),
                    None => format!("`{}` has {} dimension{}", self.f.name, names.len(), plural(names.len())),
                };
                let label = match d.name.as_ref().and_then(|n| nearest(&n.text, names.iter().copied())) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None if d.name.is_none() => "one too many".into(),
                    None => "unknown".into(),
                };
                let help = match names.as_slice() {
                    [] => "it is declared without dimensions: leave out the brackets".into(),
                    _ => format!("its dimensions are {}", names.join(", ")),
                };
                self.bad(message, at, &label, &help);
                continue;
            };
            let Some(Const::I64(n)) =
                consts::number(self.ctx, &d.value, &Types::fixed(Scalar::I64), "a dimension")
            else {
                continue;
            };
            if n < 0 {
                self.bad(format!("`{}` is {n}", names[i]), d.value.span, "negative", "sizes are at least 0");
            } else if out[i].replace(n).is_some() {
                self.bad(format!("`{}` is given twice", names[i]), at, "the second one", "keep one of them");
            }
        }
        out
    }

    /// `x = 0.1`, `x = [1.0, 2.0]`: a number for an array is that of every entry.
    pub(super) fn fixed(&self, i: usize, value: &'a ast::Expr, dims: &[Option<i64>]) -> Option<Distribution> {
        let p = &self.f.params[i];
        let elem = p.ty.declared_elem()?;
        let Constant { shape, data } = consts::value(self.ctx, value, p.ty.elem(), p.name)?;
        if shape.is_empty() {
            return data.first().copied().map(Distribution::Fixed);
        }
        self.fits(i, &shape, dims, value.span)?;
        let mut buffer = Buffer::zeros(elem, data.len());
        data.into_iter().enumerate().for_each(|(k, c)| buffer.set(k, c));
        Some(Distribution::Array(Datum::Array(Array { shape, data: buffer })))
    }

    /// `x = load("x.npy")`
    pub(super) fn load(&self, i: usize, path: &ast::Str, dims: &[Option<i64>]) -> Option<Distribution> {
        let p = &self.f.params[i];
        let elem = p.ty.declared_elem()?;
        let datum = match self.ctx.arrays.get(&path.text) {
            Some(Ok(datum)) => datum,
            Some(Err(why)) => {
                let d = Diagnostic::error(Code::Io, format!("cannot load `{}`: {why}", path.text));
                self.ctx.report(d.label(path.span, "this file").help("the path is relative to this file"));
                return None;
            }
            None => return None,
        };
        self.fits(i, datum.shape(), dims, path.span)?;
        let Some(datum) = widened(datum, elem) else {
            let message = format!("`{}` is {elem}, but the file holds {}", p.name, datum.elem());
            self.bad(message, path.span, "wrong type", "convert the file, or change the parameter");
            return None;
        };
        Some(match datum {
            Datum::Scalar(c) => Distribution::Fixed(c),
            array => Distribution::Array(array),
        })
    }

    /// Whether an array has sizes that its parameter takes.
    fn fits(&self, i: usize, shape: &[usize], dims: &[Option<i64>], span: Span) -> Option<()> {
        let p = &self.f.params[i];
        let shown = |s: &[usize]| s.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
        let declared = || {
            let sizes: Vec<String> = p.ty.shape().iter().map(|d| self.f.syms.show(d)).collect();
            sizes.join(", ")
        };
        let axes = |n: usize| format!("{n} ax{}", if n == 1 { "is" } else { "es" });
        if shape.len() != p.ty.shape().len() {
            let message = match p.ty.shape().len() {
                0 => format!("`{}` is a number, but this is an array", p.name),
                n => format!("`{}` has {}, but this has {}", p.name, axes(n), axes(shape.len())),
            };
            let label = format!("of sizes [{}]", shown(shape));
            self.bad(
                message,
                span,
                &label,
                &format!("`{}` is declared {}", p.name, self.ctx.text(p.ty_span)),
            );
            return None;
        }
        for (axis, (d, n)) in p.ty.shape().iter().zip(shape).enumerate() {
            let want = self.number(d, dims);
            if want.is_some_and(|w| w != *n as i64) {
                let want = want.unwrap_or(0);
                let message = format!("axis {axis} of `{}` has size {want}, but {n} here", p.name);
                let help = format!("`{}` is declared with the sizes [{}]", p.name, declared());
                self.bad(message, span, &format!("of sizes [{}]", shown(shape)), &help);
                return None;
            }
        }
        Some(())
    }

    /// A size of the function, as far as the block says it.
    fn number(&self, d: &Dim, dims: &[Option<i64>]) -> Option<i64> {
        let of = |v: Value| match self.f.syms.get(v) {
            Some(Sym::Name(_)) => dims.get(v.0 as usize).copied().flatten(),
            _ => None,
        };
        d.vars().all(|v| of(v).is_some()).then(|| d.eval(|v| of(v).unwrap_or(0)))?
    }
}

/// The numbers as another type that holds them exactly.
fn widened(d: &Datum, elem: Scalar) -> Option<Datum> {
    if d.elem() == elem {
        return Some(d.clone());
    }
    let one = |c: Const| -> Option<Const> {
        let z: Complex64 = match c {
            Const::Bool(_) => return None,
            Const::I64(n) if n.unsigned_abs() > 1 << 53 => return None,
            c => c.to_c128(),
        };
        let out = match elem {
            Scalar::F32 | Scalar::F64 | Scalar::C64 | Scalar::C128 => Const::from_c128(z, elem),
            Scalar::Bool | Scalar::I64 => return None,
        };
        let same = |a: f64, b: f64| a == b || (a.is_nan() && b.is_nan());
        let back = out.to_c128();
        (same(back.re, z.re) && same(back.im, z.im)).then_some(out)
    };
    match d {
        Datum::Scalar(c) => one(*c).map(Datum::Scalar),
        Datum::Array(a) => {
            let mut data = Buffer::zeros(elem, a.data.len());
            for k in 0..a.data.len() {
                data.set(k, one(a.data.get(k))?);
            }
            Some(Datum::Array(Array { shape: a.shape.clone(), data }))
        }
    }
}

/// The paths of all `load(…)` of blocks.
pub fn loads<'a>(items: impl Iterator<Item = &'a ast::Item>) -> Vec<&'a str> {
    let blocks = items.filter_map(|i| match &i.kind {
        ast::ItemKind::Check(c) | ast::ItemKind::Bench(c) => Some(c),
        _ => None,
    });
    let lines = blocks.flat_map(|c| &c.lines);
    lines
        .filter_map(|l| match &l.kind {
            ast::CheckLineKind::Load { path, .. } => Some(path.text.as_str()),
            _ => None,
        })
        .collect()
}

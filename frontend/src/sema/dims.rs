//! Sizes as the front end knows them: polynomials over the dimensions of one function and over quotients of such
//! polynomials, in normal form. A [`Dim`] here is one over *symbols*, the numbers of a [`Syms`] table.

use super::hir::LocalId;
use adc_ir::{Dim, Value};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// What a variable of a [`Dim`] stands for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Sym {
    /// A dimension of the function.
    Name(Rc<str>),
    /// `div(a, b)` that is no polynomial.
    Div(Dim, Dim),
    /// An integer variable that does not change; in differences only, never in the size of an array.
    Local(LocalId, Rc<str>),
}

/// The symbols of one function; its dimensions come first.
#[derive(Clone, Debug, Default)]
pub struct Syms {
    list: Vec<Sym>,
    ids: FxHashMap<Sym, u32>,
    /// Those in the size of an array, which have to be computed.
    used: FxHashSet<u32>,
    /// Whether a size of a callee left the bounds, or divided by 0, with the caller's sizes in it.
    failed: bool,
}

/// The size that nothing is known of, because something was reported; equal to every other.
pub fn unknown() -> Dim {
    Dim::var(Value(u32::MAX))
}

/// Whether nothing is known of a size.
pub fn is_unknown(d: &Dim) -> bool {
    d.vars().any(|v| v == Value(u32::MAX))
}

/// Whether two sizes are equal, as far as they are known.
pub fn same(a: &Dim, b: &Dim) -> bool {
    a == b || is_unknown(a) || is_unknown(b)
}

/// Whether two shapes are equal, as far as they are known.
pub fn same_shape(a: &[Dim], b: &[Dim]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
}

impl Syms {
    /// A symbol as a size; the same symbol gives the same size.
    pub fn intern(&mut self, sym: Sym) -> Dim {
        let next = self.list.len() as u32;
        let id = *self.ids.entry(sym.clone()).or_insert(next);
        if id == next {
            self.list.push(sym);
        }
        Dim::var(Value(id))
    }

    /// Every symbol in order, and whether the size of an array is made of it.
    pub fn iter(&self) -> impl Iterator<Item = (&Sym, bool)> {
        self.list.iter().zip(0..).map(|(s, i)| (s, self.used.contains(&i)))
    }

    /// Notes that a size is that of an array.
    pub fn mark(&mut self, d: &Dim) {
        for v in d.vars() {
            if self.used.insert(v.0)
                && let Some(Sym::Div(a, b)) = self.get(v).cloned()
            {
                self.mark(&a);
                self.mark(&b);
            }
        }
    }

    /// The symbol of a variable.
    pub fn get(&self, v: Value) -> Option<&Sym> {
        self.list.get(v.0 as usize)
    }

    /// `div(a, b)`; `None` if `b` is 0 or the quotient leaves `i64`.
    pub fn div(&mut self, a: &Dim, b: &Dim) -> Option<Dim> {
        if is_unknown(a) || is_unknown(b) {
            return Some(unknown());
        }
        match (a.as_const(), b.as_const()) {
            (_, Some(0)) => None,
            (Some(a), Some(b)) => {
                let q = a.checked_div(b)?;
                Some(Dim::constant(if a % b != 0 && (a < 0) != (b < 0) { q - 1 } else { q }))
            }
            (_, Some(1)) => Some(a.clone()),
            (_, Some(n)) if a.terms().all(|(_, c)| c % n == 0) => {
                let mut sum = Dim::constant(0);
                for (vars, c) in a.terms() {
                    let start = Dim::constant(c.checked_div(n)?);
                    let term = vars.iter().try_fold(start, |p, v| p.mul(&Dim::var(*v)))?;
                    sum = sum.add(&term)?;
                }
                Some(sum)
            }
            _ => Some(self.intern(Sym::Div(a.clone(), b.clone()))),
        }
    }

    /// The name of a variable in it that is known at run time only; the size of an array has none.
    pub fn run_time(&self, d: &Dim) -> Option<Rc<str>> {
        d.vars().find_map(|v| match self.get(v) {
            Some(Sym::Local(_, name)) => Some(name.clone()),
            Some(Sym::Div(a, b)) => self.run_time(a).or_else(|| self.run_time(b)),
            Some(Sym::Name(_)) | None => None,
        })
    }

    /// In the words of the source.
    pub fn show(&self, d: &Dim) -> String {
        d.display(|v| match self.get(v) {
            Some(Sym::Name(n) | Sym::Local(_, n)) => n.to_string(),
            Some(Sym::Div(a, b)) => format!("div({}, {})", self.show(a), self.show(b)),
            None => "?".into(),
        })
    }

    /// A size of a callee with `dims` for its dimensions; `None` if one of those in it has none, or beyond the bounds.
    pub fn import(&mut self, from: &Syms, d: &Dim, dims: &[Option<Dim>]) -> Option<Dim> {
        let known = |d: &Option<Dim>| d.as_ref().is_some_and(|d| !is_unknown(d));
        let found = self.place(from, d, dims);
        self.failed |= found.is_none() && dims.iter().all(known);
        found
    }

    /// Whether [`Self::import`] failed for numbers since the last time.
    pub fn take_failed(&mut self) -> bool {
        std::mem::take(&mut self.failed)
    }

    fn place(&mut self, from: &Syms, d: &Dim, dims: &[Option<Dim>]) -> Option<Dim> {
        let mut parts: FxHashMap<Value, Dim> = FxHashMap::default();
        for v in d.vars() {
            let part = match from.get(v) {
                Some(Sym::Name(_)) => dims.get(v.0 as usize)?.clone()?,
                Some(Sym::Div(a, b)) => {
                    let (a, b) = (self.place(from, a, dims)?, self.place(from, b, dims)?);
                    self.div(&a, &b)?
                }
                Some(Sym::Local(..)) | None => unknown(),
            };
            parts.insert(v, part);
        }
        let d = d.substitute(|v| parts[&v].clone())?;
        self.mark(&d);
        Some(d)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotients_are_floors_and_equal_ones_are_one() {
        let mut s = Syms::default();
        let n = s.intern(Sym::Name("N".into()));
        let two = Dim::constant(2);
        let (a, b) = (s.div(&n, &two).unwrap(), s.div(&n, &two).unwrap());
        assert_eq!(a, b);
        assert_eq!(s.show(&a.add(&n).unwrap()), "N+div(N, 2)");
        assert_eq!(s.div(&n.mul(&two).unwrap(), &two), Some(n.clone()));
        assert_eq!(s.div(&Dim::constant(-7), &two), Some(Dim::constant(-4)));
        assert_eq!(s.div(&n, &Dim::constant(0)), None);
    }

    #[test]
    fn a_callees_sizes_in_the_callers_words() {
        let (mut caller, mut callee) = (Syms::default(), Syms::default());
        let m = caller.intern(Sym::Name("M".into()));
        let n = callee.intern(Sym::Name("N".into()));
        let half = callee.div(&n, &Dim::constant(2)).unwrap().add(&Dim::constant(1)).unwrap();
        let got = caller.import(&callee, &half, &[m.mul(&Dim::constant(2))]).unwrap();
        assert_eq!(caller.show(&got), "M+1");
        assert_eq!(caller.import(&callee, &half, &[None]), None);
    }
}

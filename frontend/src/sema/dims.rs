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

/// Most steps to a normal form: a size that takes more is left as it is, and equals less than it could.
const MAX_STEPS: usize = 256;

/// What an `assert` at the start of a block says of sizes: `factor·product = value`.
#[derive(Clone, Debug)]
struct Fact {
    /// Positive.
    factor: i64,
    /// The product, sorted.
    vars: Vec<Value>,
    /// Of products that come before this one.
    value: Dim,
}

/// The symbols of one function; its dimensions come first.
#[derive(Clone, Debug, Default)]
pub struct Syms {
    list: Vec<Sym>,
    ids: FxHashMap<Sym, u32>,
    /// What holds here, the innermost block last.
    facts: Vec<Fact>,
    /// Whether there ever was a fact.
    learned: bool,
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

/// Whether a size is at most another one, whatever its dimensions are.
pub fn at_most(a: &Dim, b: &Dim) -> bool {
    // None of them is negative.
    b.sub(a).is_some_and(|d| d.terms().all(|(_, c)| c >= 0))
}

/// Whether a matrix has more columns than rows, or at least as many and not always the same.
pub fn is_wide(rows: &Dim, columns: &Dim) -> bool {
    rows != columns && at_most(rows, columns)
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
            (_, Some(0)) => return None,
            (Some(a), Some(b)) => {
                let q = a.checked_div(b)?;
                return Some(Dim::constant(if a % b != 0 && (a < 0) != (b < 0) { q - 1 } else { q }));
            }
            (_, Some(1)) => return Some(a.clone()),
            (_, Some(n)) if n > 0 || a.terms().all(|(_, c)| c % n == 0) => {
                let solved = self.facts.iter().filter_map(|f| f.solve(a));
                let found = std::iter::once(a.clone()).chain(solved).find_map(|a| by_number(&a, n));
                if let Some(q) = found {
                    return Some(self.normal(&q));
                }
            }
            _ => {}
        }
        Some(self.intern(Sym::Div(a.clone(), b.clone())))
    }

    /// Takes it as a fact that a size is 0, until [`Self::forget`]; the equation is solved for its greatest product.
    pub fn learn(&mut self, zero: &Dim) {
        let Some(zero) = (!is_unknown(zero)).then(|| self.normal(zero)) else { return };
        let order = |vars: &[Value]| {
            let mut vars = vars.to_vec();
            vars.sort_unstable_by(|a, b| b.cmp(a));
            vars
        };
        let greatest = zero.terms().filter(|(vars, _)| !vars.is_empty()).max_by_key(|(vars, _)| order(vars));
        let Some((vars, c)) = greatest else { return };
        let common = zero.terms().fold(0, |n, (_, c)| gcd(n, c.unsigned_abs()));
        let Some(zero) = i64::try_from(common).ok().and_then(|n| by_number(&zero, n)) else { return };
        let c = c / common as i64;
        let value = product(c, vars).and_then(|lead| if c > 0 { lead.sub(&zero) } else { zero.sub(&lead) });
        if let (Some(factor), Some(value)) = (c.checked_abs(), value) {
            self.facts.push(Fact { factor, vars: vars.to_vec(), value });
            self.learned = true;
        }
    }

    /// A variable that is `div(a, b)`: it, `a` and `b`.
    pub fn quotient(&self, v: Value) -> Option<(Dim, &Dim, &Dim)> {
        match self.get(v) {
            Some(Sym::Div(a, b)) => Some((Dim::var(v), a, b)),
            _ => None,
        }
    }

    /// The number of facts that hold.
    pub fn facts(&self) -> usize {
        self.facts.len()
    }

    /// Ends all but the first `facts` facts, with their block.
    pub fn forget(&mut self, facts: usize) {
        self.facts.truncate(facts);
    }

    /// Whether sizes that are the same may have been written in different ways, because of facts.
    pub fn learned(&self) -> bool {
        self.learned
    }

    /// A size as the facts make it: sizes that they make the same have one form.
    pub fn normal(&self, d: &Dim) -> Dim {
        let mut d = d.clone();
        if !self.facts.is_empty() && !is_unknown(&d) {
            for _ in 0..MAX_STEPS {
                let Some(next) = self.facts.iter().find_map(|f| f.apply(&d)) else { break };
                d = next;
            }
        }
        d
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
        let d = self.normal(&d.substitute(|v| parts[&v].clone())?);
        self.mark(&d);
        Some(d)
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// `c·vars`
fn product(c: i64, vars: &[Value]) -> Option<Dim> {
    vars.iter().try_fold(Dim::constant(c), |p, v| p.mul(&Dim::var(*v)))
}

/// `div(a, n)`, if that is a polynomial. All that varies in `a` is a multiple of `n` then.
fn by_number(a: &Dim, n: i64) -> Option<Dim> {
    let mut sum = Dim::constant(0);
    for (vars, c) in a.terms() {
        if c % n != 0 && !vars.is_empty() {
            return None;
        }
        sum = sum.add(&product(if vars.is_empty() { c.div_euclid(n) } else { c.checked_div(n)? }, vars)?)?;
    }
    Some(sum)
}

impl Fact {
    /// A size with one of its terms replaced; `None` if none is.
    fn apply(&self, d: &Dim) -> Option<Dim> {
        d.terms().find_map(|(vars, c)| {
            let mut rest = vars.to_vec();
            for v in &self.vars {
                rest.remove(rest.iter().position(|r| r == v)?);
            }
            let times = c.div_euclid(self.factor);
            if times == 0 {
                return None;
            }
            let old = product(times.checked_mul(self.factor)?, vars)?;
            d.sub(&old)?.add(&product(times, &rest)?.mul(&self.value)?)
        })
    }

    /// A size with the fact solved for a variable of `value` in place of that.
    fn solve(&self, d: &Dim) -> Option<Dim> {
        let lead = product(self.factor, &self.vars)?;
        let alone = |v: Value| self.value.vars().filter(|w| *w == v).count() == 1 && !self.vars.contains(&v);
        let linear = |(vars, c): (&[Value], i64)| match vars {
            [v] if c.checked_abs() == Some(1) && alone(*v) && d.vars().any(|w| w == *v) => Some((*v, c)),
            _ => None,
        };
        let (v, c) = self.value.terms().find_map(linear)?;
        // c·v = lead - (value - c·v)
        let rest = lead.sub(&self.value.sub(&product(c, &[v])?)?)?;
        let solution = if c == 1 { rest } else { rest.neg()? };
        d.substitute(|w| if w == v { solution.clone() } else { Dim::var(w) })
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

    #[test]
    fn facts_make_sizes_the_same() {
        let mut s = Syms::default();
        let n = s.intern(Sym::Name("N".into()));
        let number = Dim::constant;
        let div = |s: &mut Syms, d: &Dim, k: i64| s.div(d, &number(k)).unwrap();
        let fact = |s: &mut Syms, d: &Dim, k: i64, rest: i64| {
            let q = div(s, d, k);
            let zero = q.mul(&number(k)).unwrap().add(&number(rest)).unwrap().sub(d).unwrap();
            s.learn(&zero);
        };
        let h = div(&mut s, &n, 2);
        assert_ne!(s.normal(&h.add(&h).unwrap()), n);
        fact(&mut s, &n, 2, 0);
        assert_eq!(s.normal(&h.add(&h).unwrap()), n);
        assert_eq!(s.normal(&n.sub(&h).unwrap()), h);
        assert_eq!(s.show(&s.normal(&h.mul(&h).unwrap().mul(&number(6)).unwrap())), "N*N+N*div(N, 2)");
        // The number of 0, 2, … below N, and of 1, 3, ….
        let up = n.add(&number(1)).unwrap();
        assert_eq!(div(&mut s, &up, 2), h);
        assert_eq!(div(&mut s, &n, 2), h);
        s.forget(0);
        assert_ne!(s.normal(&h.add(&h).unwrap()), n);
        // Of a multiple of 4, also the half is even.
        fact(&mut s, &n, 4, 0);
        let quarter = div(&mut s, &n, 4);
        assert_eq!(div(&mut s, &n, 2), quarter.add(&quarter).unwrap());
        s.forget(0);
        fact(&mut s, &n, 2, 1);
        assert_eq!(s.normal(&h.add(&h).unwrap()), n.sub(&number(1)).unwrap());
        // Two dimensions that are equal, and one in terms of another.
        let m = s.intern(Sym::Name("M".into()));
        s.learn(&m.sub(&n).unwrap());
        assert_eq!(s.normal(&m), n);
        s.learn(&number(3));
        assert_eq!(s.normal(&m), n);
        let k = s.intern(Sym::Name("K".into()));
        s.learn(&k.mul(&number(-4)).unwrap().add(&n.mul(&number(8)).unwrap()).unwrap());
        assert_eq!(s.normal(&k), n.mul(&number(2)).unwrap());
    }
}

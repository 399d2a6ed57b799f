//! Sizes of arrays: polynomials over `i64` values, in normal form.
//!
//! Two sizes are equal when their normal forms are. A size that is no polynomial (`div(N, 2)`) is a variable:
//! the value of the instruction that computes it. Coefficients, degree and number of terms are bounded, so that every
//! operation here is cheap; beyond the bounds there is no [`Dim`], and the size has to be a variable, too.
//!
//! A size uses the values in it. Whoever removes, copies or renames values must do so in sizes as well: in
//! [`Func::values`], in the shapes of results, and in [`Kind::Size`].

use crate::kind::Kind;
use crate::module::{Const, Func, Inst, Region, Value, ValueData};
use crate::ops::Op;
use crate::types::Type;
use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};
use std::cmp::Ordering;

/// Terms a polynomial may have.
pub const MAX_TERMS: usize = 64;
/// Factors a product may have.
pub const MAX_DEGREE: usize = 16;

/// The sizes of an array, outermost first; empty for a scalar.
pub type Shape = Vec<Dim>;

/// A product of values: sorted, a power by repetition; empty for the constant term.
type Monomial = SmallVec<[Value; 2]>;

/// A size: a polynomial with `i64` coefficients over `i64` values of one function.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Dim {
    /// Ordered by [`compare`], without coefficients that are 0.
    terms: SmallVec<[(Monomial, i64); 1]>,
}

/// Higher degree first, then by the values.
fn compare(a: &Monomial, b: &Monomial) -> Ordering {
    b.len().cmp(&a.len()).then_with(|| a.cmp(b))
}

impl Dim {
    /// A number.
    pub fn constant(n: i64) -> Dim {
        Dim { terms: if n == 0 { smallvec![] } else { smallvec![(smallvec![], n)] } }
    }

    /// An `i64` value.
    pub fn var(v: Value) -> Dim {
        Dim { terms: smallvec![(smallvec![v], 1)] }
    }

    /// The number, if it is one.
    pub fn as_const(&self) -> Option<i64> {
        match self.terms.as_slice() {
            [] => Some(0),
            [(m, n)] if m.is_empty() => Some(*n),
            _ => None,
        }
    }

    /// The value, if the polynomial is nothing but that.
    pub fn as_var(&self) -> Option<Value> {
        match self.terms.as_slice() {
            [(m, 1)] if m.len() == 1 => Some(m[0]),
            _ => None,
        }
    }

    /// Every value it is made of; one that stands in several terms comes several times.
    pub fn vars(&self) -> impl Iterator<Item = Value> + '_ {
        self.terms.iter().flat_map(|(m, _)| m.iter().copied())
    }

    /// The terms with their coefficients, highest degree first.
    pub fn terms(&self) -> impl Iterator<Item = (&[Value], i64)> {
        self.terms.iter().map(|(m, c)| (m.as_slice(), *c))
    }

    /// `self + o`, if it is within the bounds.
    pub fn add(&self, o: &Dim) -> Option<Dim> {
        let (mut a, mut b) = (self.terms.iter().peekable(), o.terms.iter().peekable());
        let mut terms: SmallVec<[(Monomial, i64); 1]> = smallvec![];
        loop {
            let order = match (a.peek(), b.peek()) {
                (None, None) => break,
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some((m, _)), Some((n, _))) => compare(m, n),
            };
            let (m, c) = match order {
                Ordering::Less => a.next().cloned()?,
                Ordering::Greater => b.next().cloned()?,
                Ordering::Equal => {
                    let (m, c) = a.next()?;
                    (m.clone(), c.checked_add(b.next()?.1)?)
                }
            };
            if c != 0 {
                terms.push((m, c));
            }
        }
        (terms.len() <= MAX_TERMS).then_some(Dim { terms })
    }

    /// `-self`
    pub fn neg(&self) -> Option<Dim> {
        self.mul(&Dim::constant(-1))
    }

    /// `self - o`, if it is within the bounds.
    pub fn sub(&self, o: &Dim) -> Option<Dim> {
        self.add(&o.neg()?)
    }

    /// `self · o`, if it is within the bounds.
    pub fn mul(&self, o: &Dim) -> Option<Dim> {
        let mut sum = Dim::constant(0);
        for (m, c) in &self.terms {
            let mut row = Dim::constant(0);
            for (n, d) in &o.terms {
                let mut product = m.clone();
                product.extend_from_slice(n);
                product.sort_unstable();
                if product.len() > MAX_DEGREE {
                    return None;
                }
                let term = Dim { terms: smallvec![(product, c.checked_mul(*d)?)] };
                row = row.add(&term)?;
            }
            sum = sum.add(&row)?;
        }
        Some(sum)
    }

    /// Its number where `value` gives the number of each variable; `None` if it is outside `i64`.
    pub fn eval(&self, value: impl Fn(Value) -> i64) -> Option<i64> {
        let mut sum = 0i128;
        for (m, c) in &self.terms {
            let mut product = *c as i128;
            for v in m {
                product = product.checked_mul(value(*v) as i128)?;
            }
            sum = sum.checked_add(product)?;
        }
        i64::try_from(sum).ok()
    }

    /// The polynomial with polynomials in place of its variables.
    pub fn substitute(&self, with: impl Fn(Value) -> Dim) -> Option<Dim> {
        let mut sum = Dim::constant(0);
        for (m, c) in &self.terms {
            let mut product = Dim::constant(*c);
            for v in m {
                product = product.mul(&with(*v))?;
            }
            sum = sum.add(&product)?;
        }
        Some(sum)
    }

    /// The polynomial with other variables.
    ///
    /// # Panics
    /// If variables become one and the sum of their coefficients is outside `i64`.
    pub fn rename(&self, to: impl Fn(Value) -> Value) -> Dim {
        self.substitute(|v| Dim::var(to(v))).expect("renaming keeps coefficients")
    }

    /// As text, `2*N*N-M+1`, by the names of the variables.
    pub fn display<S: AsRef<str>>(&self, name: impl Fn(Value) -> S) -> String {
        let mut out = String::new();
        for (m, c) in &self.terms {
            if *c < 0 {
                out.push('-');
            } else if !out.is_empty() {
                out.push('+');
            }
            let size = c.unsigned_abs();
            if m.is_empty() || size != 1 {
                out += &size.to_string();
            }
            for (i, v) in m.iter().enumerate() {
                out.push_str(if i > 0 || size != 1 { "*" } else { "" });
                out.push_str(name(*v).as_ref());
            }
        }
        if out.is_empty() { "0".into() } else { out }
    }
}

impl From<i64> for Dim {
    fn from(n: i64) -> Dim {
        Dim::constant(n)
    }
}

/// What is known of `i64` values as sizes: the numbers and polynomials that instructions compute.
///
/// Two sizes that are written with different values are equal if what is known of the values makes them so; so a pass
/// may fold the instruction behind a size without touching the types that mention it.
#[derive(Clone, Debug, Default)]
pub struct Known(FxHashMap<Value, Dim>);

impl Known {
    /// Everything that a function's instructions say.
    pub fn of(func: &Func) -> Known {
        fn region(r: &Region, func: &Func, known: &mut Known) {
            for inst in &r.insts {
                known.note(inst, &func.values);
                inst.regions.iter().for_each(|r| region(r, func, known));
            }
        }
        let mut known = Known::default();
        func.region().into_iter().for_each(|r| region(r, func, &mut known));
        known
    }

    /// Learns from an instruction whose operands are known as far as they can be.
    pub fn note(&mut self, inst: &Inst, values: &[ValueData]) {
        /// Arithmetic that gives more terms is not looked into: the verifier is to stay linear.
        const SMALL: usize = 16;
        let [result] = inst.results.as_slice() else { return };
        if values.get(result.0 as usize).is_none_or(|d| d.ty != Type::I64) {
            return;
        }
        let args = || -> Option<[Dim; 2]> {
            let [a, b] = inst.args.as_slice() else { return None };
            let (a, b) = (self.dim(*a), self.dim(*b));
            (a.terms.len() * b.terms.len() <= SMALL && a.terms.len() + b.terms.len() <= SMALL)
                .then_some([a, b])
        };
        let dim = match &inst.kind {
            Kind::Const(Const::I64(n)) => Some(Dim::constant(*n)),
            Kind::Size(dim) => Some(self.resolve(dim)),
            Kind::Op(Op::Add) => args().and_then(|[a, b]| a.add(&b)),
            Kind::Op(Op::Sub) => args().and_then(|[a, b]| a.sub(&b)),
            Kind::Op(Op::Mul) => args().and_then(|[a, b]| a.mul(&b)),
            _ => None,
        };
        if let Some(dim) = dim {
            self.0.insert(*result, dim);
        }
    }

    /// A value as a size: the number or polynomial it is known to be, else itself.
    pub fn dim(&self, v: Value) -> Dim {
        self.0.get(&v).cloned().unwrap_or_else(|| Dim::var(v))
    }

    /// The number that a value is known to be.
    pub fn number(&self, v: Value) -> Option<i64> {
        self.0.get(&v)?.as_const()
    }

    /// A size over the values that nothing more is known of.
    pub fn resolve(&self, dim: &Dim) -> Dim {
        if !dim.vars().any(|v| self.0.contains_key(&v)) {
            return dim.clone();
        }
        dim.substitute(|v| self.dim(v)).unwrap_or_else(|| dim.clone())
    }

    /// [`Self::resolve`] of every size.
    pub fn resolve_shape(&self, shape: &[Dim]) -> Shape {
        shape.iter().map(|d| self.resolve(d)).collect()
    }

    /// Whether two sizes are equal.
    pub fn same(&self, a: &Dim, b: &Dim) -> bool {
        a == b || self.resolve(a) == self.resolve(b)
    }

    /// Whether two shapes are equal.
    pub fn same_shape(&self, a: &[Dim], b: &[Dim]) -> bool {
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| self.same(a, b))
    }
}

/// The number of elements of a shape as a polynomial.
pub fn elements(shape: &[Dim]) -> Option<Dim> {
    shape.iter().try_fold(Dim::constant(1), |n, d| n.mul(d))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn v(i: u32) -> Dim {
        Dim::var(Value(i))
    }

    fn show(d: &Dim) -> String {
        d.display(|v| ["N", "M", "K"][v.0 as usize])
    }

    #[test]
    fn normal_form() {
        let n2 = v(0).mul(&v(0)).unwrap();
        let p = v(1).add(&v(0)).unwrap().add(&Dim::constant(-1)).unwrap();
        assert_eq!(show(&p), "N+M-1");
        assert_eq!(show(&p.mul(&p).unwrap()), "N*N+2*N*M+M*M-2*N-2*M+1");
        assert_eq!(v(0).add(&v(1)), v(1).add(&v(0)));
        assert_eq!(v(0).sub(&v(0)), Some(Dim::constant(0)));
        assert_eq!(show(&v(0).neg().unwrap()), "-N");
        assert_eq!(show(&Dim::constant(0)), "0");
        assert_eq!(n2.eval(|_| 3), Some(9));
        assert_eq!(n2.eval(|_| i64::MAX), None);
        assert_eq!(p.substitute(|w| if w == Value(0) { n2.clone() } else { 2.into() }), {
            n2.add(&Dim::constant(1))
        });
        assert_eq!((v(2).as_var(), v(2).as_const()), (Some(Value(2)), None));
        assert_eq!((Dim::constant(7).as_var(), Dim::constant(7).as_const()), (None, Some(7)));
    }

    #[test]
    fn bounds() {
        assert_eq!(Dim::constant(i64::MAX).add(&Dim::constant(1)), None);
        assert_eq!(Dim::constant(i64::MIN).neg(), None);
        assert_eq!(Dim::constant(i64::MAX).mul(&Dim::constant(2)), None);
        let mut power = v(0);
        for _ in 1..MAX_DEGREE {
            power = power.mul(&v(0)).unwrap();
        }
        assert_eq!(power.mul(&v(0)), None);
        let mut sum = Dim::constant(0);
        for i in 0..MAX_TERMS as u32 {
            sum = sum.add(&v(i)).unwrap();
        }
        assert_eq!(sum.add(&v(1000)), None);
    }
}

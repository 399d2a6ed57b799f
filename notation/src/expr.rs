//! Mathematical expressions, made from IR and printed.
//!
//! Only this tree is printed; `tests.rs` evaluates it.

use crate::table::{Form, form};
use adc_ir::{Const, LinalgOp, Op, ReduceOp};

/// A symbol of [`Doc::syms`].
pub(super) type Sym = usize;

/// An expression. Sums and products are flat; a difference is a sum with negative terms.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Expr {
    /// A literal that is neither negative nor complex.
    Num(Const),
    /// π
    Pi,
    /// The imaginary unit.
    Imaginary,
    /// A parameter, a dimension or an index.
    Sym(Sym),
    /// [`Item::Def`] at this position of [`Doc::items`], at the current indices.
    Def(usize),
    /// Carry number `place` of [`Item::Loop`] number `item` after `iterations` iterations.
    Carry { item: usize, place: usize, iterations: Box<Expr> },
    /// The number of iterations of the [`Item::Loop`] at this position, a `while`.
    Iterations(usize),
    /// Terms; true: subtracted. One term is always subtracted.
    Sum(Vec<(bool, Expr)>),
    /// At least two factors, none of which is a negative number.
    Product(Vec<Expr>),
    /// A quotient.
    Frac(Box<Expr>, Box<Expr>),
    /// Base and exponent.
    Power(Box<Expr>, Box<Expr>),
    /// An op by its notation in [`crate::table`].
    Apply(Op, Vec<Expr>),
    /// 1 where the condition holds, else 0.
    Iverson(Box<Expr>),
    /// Values with their conditions, of which the first that holds counts; and the value otherwise.
    Cases(Vec<(Expr, Expr)>, Box<Expr>),
    /// A reduction over `index` from `lo` to below `hi`.
    Reduce { op: ReduceOp, index: Sym, lo: Box<Expr>, hi: Box<Expr>, body: Box<Expr> },
    /// An array by its elements; each index runs from 0 to below the size beside it.
    Build(Vec<(Sym, Expr)>, Box<Expr>),
    /// An array by the list of its elements along the first axis.
    Pack(Vec<Expr>),
    /// An array's element or sub-array.
    Index(Box<Expr>, Vec<Expr>),
    /// An array with another element or sub-array (array, value, indices); true: with the value added to it.
    Update(bool, Box<Expr>, Box<Expr>, Vec<Expr>),
    /// A matrix product.
    MatMul(Box<Expr>, Box<Expr>),
    /// A transposed matrix.
    Transpose(Box<Expr>),
    /// The length of a vector.
    Norm(Box<Expr>),
    /// Linear algebra.
    Linalg(LinalgOp, Vec<Expr>),
    /// A function of the model or a native one; if it has several results, the position of one.
    Call(String, Vec<Expr>, Option<usize>),
}

/// The meaning of a symbol.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Symbol {
    /// A name of the source; whether its value is complex.
    Named(String, bool),
    /// The index of a loop at this depth.
    Index(usize),
}

/// A line of its own before the results.
#[derive(Clone, Debug)]
pub(super) enum Item {
    /// A named value, which depends on these indices.
    Def { params: Vec<Sym>, body: Expr, condition: bool },
    /// A recurrence, inside these indices. `index` counts the iterations from 0.
    Loop { params: Vec<Sym>, index: Sym, init: Vec<Expr>, next: Vec<Expr>, iterations: Iterations },
}

/// The number of iterations of a loop.
#[derive(Clone, Debug)]
pub(super) enum Iterations {
    /// The value of the expression.
    Count(Expr),
    /// As long as the condition, over the loop's index, holds.
    While(Expr),
}

/// A function as mathematics.
#[derive(Clone, Debug, Default)]
pub(super) struct Doc {
    /// Symbols.
    pub(super) syms: Vec<Symbol>,
    /// Lines in order; only a recurrence refers to later lines.
    pub(super) items: Vec<Item>,
    /// The function's name.
    pub(super) name: String,
    /// Its parameters.
    pub(super) params: Vec<Sym>,
    /// Its results: name, whether it is complex, and value.
    pub(super) results: Vec<(String, bool, Expr)>,
}

impl Expr {
    pub(super) fn int(n: i64) -> Expr {
        Expr::literal(Const::I64(n))
    }

    /// A literal of any type; a boolean is 1 or 0.
    pub(super) fn literal(c: Const) -> Expr {
        let z = c.to_c128();
        match c {
            Const::I64(n) if n < 0 && n > i64::MIN => Expr::Num(Const::I64(-n)).neg(),
            Const::I64(_) | Const::Bool(_) => Expr::Num(c),
            Const::F32(_) | Const::F64(_) | Const::C64(_) | Const::C128(_) => {
                let part = |x| Expr::real(Const::real(x, c.scalar().real()));
                if z.im == 0.0 {
                    return part(z.re);
                }
                let im = Expr::product([part(z.im), Expr::Imaginary]);
                if z.re == 0.0 { im } else { part(z.re).plus(im) }
            }
        }
    }

    fn real(c: Const) -> Expr {
        let x = c.to_c128().re;
        let of_pi = x / std::f64::consts::PI;
        if x < 0.0 {
            Expr::real(Const::real(-x, c.scalar())).neg()
        } else if x == 0.0 {
            Expr::Num(Const::zero(c.scalar()))
        } else if x == std::f64::consts::PI {
            Expr::Pi
        } else if of_pi > 1.0 && of_pi <= 16.0 && of_pi.fract() == 0.0 && of_pi * std::f64::consts::PI == x {
            Expr::Product(vec![Expr::Num(Const::F64(of_pi)), Expr::Pi])
        } else {
            // In single precision a number has too few digits to tell.
            let double = matches!(c, Const::F64(_));
            double.then(|| crate::constants::known(x)).flatten().unwrap_or(Expr::Num(c))
        }
    }

    /// Whether it is the literal `x`.
    pub(super) fn is(&self, x: f64) -> bool {
        matches!(self, Expr::Num(c) if *c != Const::Bool(true) && c.to_c128().re == x)
    }

    pub(super) fn neg(self) -> Expr {
        Expr::sum([(true, self)])
    }

    /// The sum of terms; true: subtracted. Literal zeros are left out.
    pub(super) fn sum(terms: impl IntoIterator<Item = (bool, Expr)>) -> Expr {
        let mut out = Vec::new();
        for (minus, term) in terms {
            match term {
                Expr::Sum(inner) => out.extend(inner.into_iter().map(|(m, e)| (m != minus, e))),
                e if e.is(0.0) => {}
                e => out.push((minus, e)),
            }
        }
        // Integers are added up, so there is no `3 - 1`.
        let integer = |(minus, e): &(bool, Expr)| match e {
            Expr::Num(Const::I64(n)) if *n >= 0 => Some(if *minus { -*n } else { *n }),
            _ => None,
        };
        let integers: Vec<i64> = out.iter().filter_map(integer).collect();
        let total = integers.iter().try_fold(0i64, |a, b| a.checked_add(*b));
        if let Some(n) = total.filter(|n| integers.len() > 1 && *n > i64::MIN) {
            out.retain(|t| integer(t).is_none());
            if n != 0 {
                out.push((n < 0, Expr::Num(Const::I64(n.abs()))));
            }
        }
        match out.as_slice() {
            [] => Expr::Num(Const::I64(0)),
            [(false, _)] => out.remove(0).1,
            _ => Expr::Sum(out),
        }
    }

    pub(super) fn plus(self, o: Expr) -> Expr {
        Expr::sum([(false, self), (false, o)])
    }

    /// The sign, and the rest.
    fn unsigned(self) -> (bool, Expr) {
        match self {
            Expr::Sum(mut terms) if terms.len() == 1 => {
                let (minus, e) = terms.remove(0);
                (minus, e)
            }
            e => (false, e),
        }
    }

    /// The product of scalars, numbers first, without factors 1; 0 if one of them is.
    pub(super) fn product(factors: impl IntoIterator<Item = Expr>) -> Expr {
        let (mut minus, mut out) = (false, Vec::new());
        for factor in factors {
            let (m, e) = factor.unsigned();
            minus ^= m;
            match e {
                Expr::Product(inner) => out.extend(inner),
                e if e.is(1.0) => {}
                e if e.is(0.0) => return Expr::int(0),
                e => out.push(e),
            }
        }
        // A fraction takes the other factors in.
        if out.iter().any(|e| matches!(e, Expr::Frac(..))) {
            let (mut above, mut below) = (Vec::new(), Vec::new());
            for e in out {
                match e {
                    Expr::Frac(a, b) => {
                        above.push(*a);
                        below.push(*b);
                    }
                    e => above.push(e),
                }
            }
            let e = Expr::frac(Expr::product(above), Expr::product(below));
            return if minus { e.neg() } else { e };
        }
        let out = &mut with_one_number(out);
        out.sort_by_key(|e| match e {
            Expr::Num(_) => 0,
            Expr::Pi => 1,
            Expr::Imaginary => 2,
            // In last position it needs no parentheses.
            Expr::Apply(op, _) if matches!(form(*op), Form::Function(..)) => 4,
            Expr::Apply(op, args) if args.len() == 1 && matches!(form(*op), Form::Named) => 4,
            _ => 3,
        });
        let e = match out.len() {
            0 => Expr::Num(Const::I64(1)),
            1 => out.remove(0),
            _ => Expr::Product(std::mem::take(out)),
        };
        if minus { e.neg() } else { e }
    }

    /// The quotient of scalars, without fractions in it: nothing is over 1, 0 over anything but 0 is 0, and whole numbers have no
    /// common divisor.
    pub(super) fn frac(a: Expr, b: Expr) -> Expr {
        let ((m, a), (n, b)) = (a.unsigned(), b.unsigned());
        let signed = |e: Expr| if m != n { e.neg() } else { e };
        let (a, b) = match (a, b) {
            (Expr::Frac(p, q), b) => return signed(Expr::frac(*p, Expr::product([*q, b]))),
            (a, Expr::Frac(p, q)) => return signed(Expr::frac(Expr::product([a, *q]), *p)),
            (a, b) => (a, b),
        };
        if a.is(0.0) && !b.is(0.0) {
            return Expr::int(0);
        }
        let ((p, above), (q, below)) = (a.clone().whole_factor(), b.clone().whole_factor());
        let common = if p > 0 && q > 0 { gcd(p, q) } else { 1 };
        let (a, b) = match common {
            1 => (a, b),
            _ => (above.times(p / common), below.times(q / common)),
        };
        signed(if b.is(1.0) { a } else { Expr::Frac(Box::new(a), Box::new(b)) })
    }

    /// The whole number that a product starts with, 1 if there is none, and the rest.
    fn whole_factor(self) -> (i64, Expr) {
        let number = |e: &Expr| match e {
            Expr::Num(Const::I64(n)) => Some(*n),
            Expr::Num(Const::F64(x)) if x.fract() == 0.0 && x.abs() < 9007199254740992.0 => Some(*x as i64),
            _ => None,
        };
        match self {
            Expr::Product(mut factors) => match factors.first().and_then(number) {
                Some(n) => {
                    factors.remove(0);
                    let rest = if factors.len() == 1 { factors.remove(0) } else { Expr::Product(factors) };
                    (n, rest)
                }
                None => (1, Expr::Product(factors)),
            },
            e => match number(&e) {
                Some(n) => (n, Expr::int(1)),
                None => (1, e),
            },
        }
    }

    /// As a factor behind a whole number.
    fn times(self, n: i64) -> Expr {
        Expr::product([Expr::int(n), self])
    }

    /// A power: `x^1` is `x`, `x^0` is 1.
    pub(super) fn power(a: Expr, b: Expr) -> Expr {
        match &b {
            b if b.is(1.0) => a,
            b if b.is(0.0) => Expr::int(1),
            _ => Expr::Power(Box::new(a), Box::new(b)),
        }
    }

    /// Its direct operands.
    pub(super) fn parts(&self) -> Vec<&Expr> {
        match self {
            Expr::Num(_) | Expr::Pi | Expr::Imaginary | Expr::Sym(_) | Expr::Def(_) | Expr::Iterations(_) => {
                Vec::new()
            }
            Expr::Carry { iterations, .. } => vec![iterations],
            Expr::Sum(terms) => terms.iter().map(|(_, e)| e).collect(),
            Expr::Product(list)
            | Expr::Apply(_, list)
            | Expr::Pack(list)
            | Expr::Linalg(_, list)
            | Expr::Call(_, list, _) => list.iter().collect(),
            Expr::Frac(a, b) | Expr::Power(a, b) | Expr::MatMul(a, b) => vec![a, b],
            Expr::Iverson(e) | Expr::Transpose(e) | Expr::Norm(e) => vec![e],
            Expr::Cases(cases, other) => {
                cases.iter().flat_map(|(e, c)| [e, c]).chain([other.as_ref()]).collect()
            }
            Expr::Reduce { lo, hi, body, .. } => vec![lo, hi, body],
            Expr::Build(axes, body) => axes.iter().map(|(_, n)| n).chain([body.as_ref()]).collect(),
            Expr::Index(a, at) => [a.as_ref()].into_iter().chain(at).collect(),
            Expr::Update(_, a, v, at) => [a.as_ref(), v.as_ref()].into_iter().chain(at).collect(),
        }
    }

    /// The same, to change them.
    fn parts_mut(&mut self) -> Vec<&mut Expr> {
        match self {
            Expr::Num(_) | Expr::Pi | Expr::Imaginary | Expr::Sym(_) | Expr::Def(_) | Expr::Iterations(_) => {
                Vec::new()
            }
            Expr::Carry { iterations, .. } => vec![iterations],
            Expr::Sum(terms) => terms.iter_mut().map(|(_, e)| e).collect(),
            Expr::Product(list)
            | Expr::Apply(_, list)
            | Expr::Pack(list)
            | Expr::Linalg(_, list)
            | Expr::Call(_, list, _) => list.iter_mut().collect(),
            Expr::Frac(a, b) | Expr::Power(a, b) | Expr::MatMul(a, b) => vec![a, b],
            Expr::Iverson(e) | Expr::Transpose(e) | Expr::Norm(e) => vec![e],
            Expr::Cases(cases, other) => {
                cases.iter_mut().flat_map(|(e, c)| [e, c]).chain([other.as_mut()]).collect()
            }
            Expr::Reduce { lo, hi, body, .. } => vec![lo, hi, body],
            Expr::Build(axes, body) => axes.iter_mut().map(|(_, n)| n).chain([body.as_mut()]).collect(),
            Expr::Index(a, at) => [a.as_mut()].into_iter().chain(at).collect(),
            Expr::Update(_, a, v, at) => [a.as_mut(), v.as_mut()].into_iter().chain(at).collect(),
        }
    }

    /// The item it refers to itself.
    fn item(&mut self) -> Option<&mut usize> {
        match self {
            Expr::Def(item) | Expr::Iterations(item) | Expr::Carry { item, .. } => Some(item),
            _ => None,
        }
    }

    /// Calls `f` on every reference to an item in it.
    fn items(&mut self, f: &mut dyn FnMut(&mut usize)) {
        self.item().into_iter().for_each(&mut *f);
        self.parts_mut().into_iter().for_each(|e| e.items(f));
    }

    /// Number of nodes.
    pub(super) fn size(&self) -> usize {
        1 + self.parts().into_iter().map(Expr::size).sum::<usize>()
    }

    /// Whether it is made of numbers: `√2/2`.
    fn is_constant(&self) -> bool {
        let plain = match self {
            Expr::Num(_) | Expr::Pi | Expr::Product(_) | Expr::Frac(..) => true,
            Expr::Apply(op, _) => matches!(op, Op::Sqrt | Op::Log),
            _ => false,
        };
        plain && self.parts().into_iter().all(Expr::is_constant)
    }

    /// Whether it may be repeated at each use.
    pub(super) fn is_trivial(&self) -> bool {
        match self {
            Expr::Index(a, at) => {
                matches!(**a, Expr::Sym(_) | Expr::Def(_)) && at.iter().all(|e| e.size() <= 4)
            }
            Expr::Carry { iterations, .. } => iterations.size() <= 2,
            Expr::Sum(terms) => terms.len() == 1 && terms[0].1.is_trivial(),
            e => {
                e.parts().is_empty()
                    || e.is_constant() && e.size() <= 6
                    || matches!(e, Expr::Product(f) if f.iter().all(|e| e.parts().is_empty() && !matches!(e, Expr::Sym(_) | Expr::Def(_))))
            }
        }
    }
}

/// The factors with their whole numbers multiplied, and those of decimal numbers that have an exact product.
fn with_one_number(factors: Vec<Expr>) -> Vec<Expr> {
    let number = |e: &Expr| match e {
        Expr::Num(Const::I64(n)) => Some(*n as f64),
        Expr::Num(Const::F64(x)) => Some(*x),
        _ => None,
    };
    let exact = |x: f64| x.abs() <= 9007199254740992.0 && (x * 1024.0).fract() == 0.0;
    let numbers: Vec<f64> = factors.iter().filter_map(number).collect();
    let product: f64 = numbers.iter().product();
    if numbers.len() < 2 || !numbers.iter().all(|x| exact(*x)) || !exact(product) {
        return factors;
    }
    let whole = product.fract() == 0.0;
    let one = if whole { Expr::int(product as i64) } else { Expr::Num(Const::F64(product)) };
    let rest = factors.into_iter().filter(|e| number(e).is_none());
    if one.is(1.0) { rest.collect() } else { [one].into_iter().chain(rest).collect() }
}

/// The greatest common divisor.
pub(super) fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

impl Doc {
    /// Adds the indices `e` depends on to `out`.
    pub(super) fn free(&self, e: &Expr, out: &mut Vec<Sym>) {
        let note = |list: &[Sym], out: &mut Vec<Sym>| {
            for s in list {
                if matches!(self.syms[*s], Symbol::Index(_)) && !out.contains(s) {
                    out.push(*s);
                }
            }
        };
        let bound: Vec<Sym> = match e {
            Expr::Reduce { index, .. } => vec![*index],
            Expr::Build(axes, _) => axes.iter().map(|(s, _)| *s).collect(),
            Expr::Sym(s) => {
                note(&[*s], out);
                Vec::new()
            }
            Expr::Def(item) | Expr::Iterations(item) | Expr::Carry { item, .. } => {
                note(self.items[*item].params(), out);
                Vec::new()
            }
            _ => Vec::new(),
        };
        let mut inner = Vec::new();
        e.parts().into_iter().for_each(|p| self.free(p, &mut inner));
        inner.retain(|s| !bound.contains(s));
        note(&inner, out);
    }
}

impl Doc {
    /// Removes the lines that nothing refers to.
    pub(super) fn remove_unused(&mut self) {
        let mut used = vec![false; self.items.len()];
        let mut todo = Vec::new();
        self.results.iter_mut().for_each(|(.., e)| e.items(&mut |i| todo.push(*i)));
        while let Some(i) = todo.pop() {
            if !std::mem::replace(&mut used[i], true) {
                self.items[i].exprs().into_iter().for_each(|e| e.items(&mut |i| todo.push(*i)));
            }
        }
        let place = |i: usize| used[..i].iter().filter(|u| **u).count();
        let mut renumber = |e: &mut Expr| e.items(&mut |i| *i = place(*i));
        self.items.iter_mut().flat_map(Item::exprs).for_each(&mut renumber);
        self.results.iter_mut().for_each(|(.., e)| renumber(e));
        let mut keep = used.iter();
        self.items.retain(|_| *keep.next().expect("one for each"));
    }
}

impl Item {
    /// Its expressions.
    fn exprs(&mut self) -> Vec<&mut Expr> {
        match self {
            Item::Def { body, .. } => vec![body],
            Item::Loop { init, next, iterations, .. } => {
                let end = match iterations {
                    Iterations::Count(e) | Iterations::While(e) => e,
                };
                init.iter_mut().chain(next).chain([end]).collect()
            }
        }
    }

    /// The indices it depends on.
    pub(super) fn params(&self) -> &[Sym] {
        match self {
            Item::Def { params, .. } | Item::Loop { params, .. } => params,
        }
    }
}

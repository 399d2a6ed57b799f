//! The one registry of rewrites: rows in tables by family. The e-graph, the property test, `adc explain` and the reference
//! pages read [`all`]; nothing else knows a rule.
//!
//! A row says what becomes what, as terms in prefix form over the names of the op table: `(add (mul a b) (mul a c))`. A letter
//! is an operand: `a b c x y` real, `u v w z` complex, `k l` real literals, `m n` literal integers. Numbers are real
//! literals of the operands' precision, `2i` an integer. Operands of sums and products match in either order.
//!
//! A row's [`Class`] is its promise, which `tests/rules.rs` holds it to on its domain, with ±0, ∞, NaN, subnormal and huge
//! operands and both sides of each cut.

mod complex;
mod division;
mod exp_log;
mod factoring;
mod power;
mod sign;
mod term;
mod trig;

pub use term::{Sort, Term};

use adc_ir::words;
use std::fmt;
use std::sync::OnceLock;

words! {
    /// What a rewrite promises.
    Class {
        /// Bit-identical, NaN = NaN.
        Exact "exact",
        /// The first-order running-error bound does not grow; what is finite stays finite, what is no number does not become one.
        /// Where sums or differences are exactly 0, the sign of that zero may change.
        Refining "refining",
        /// As refining, where the facts hold that its guards ask for. They are known or the rule does not apply.
        Guarded "guarded",
        /// True of real numbers: only under `fp(fast)`.
        Fast "fast",
    }
}

words! {
    /// The numbers a rewrite is about.
    Domain {
        /// Real operands.
        Real "real",
        /// At least one complex operand or intermediate.
        Complex "complex",
    }
}

words! {
    /// A table of rewrites.
    Family {
        /// Signs are pulled out of products and into sums.
        Sign "sign",
        /// Quotients.
        Division "division",
        /// Common factors and divisors, literal factors.
        Factoring "factoring",
        /// Squares, roots and powers.
        Power "power",
        /// Circular, hyperbolic and logistic functions.
        Trig "trig",
        /// Exponentials and logarithms.
        ExpLog "exp-log",
        /// Complex numbers and their parts.
        Complex "complex",
    }
}

/// A fact that a rewrite needs of an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Guard {
    /// Neither infinite nor NaN, in both parts.
    Finite(char),
    /// Not 0.
    NonZero(char),
    /// ≥ 0 or NaN.
    NonNegative(char),
    /// Not −0.
    NotMinusZero(char),
    /// |x| ≤ 2¹⁰²²: the sum of two such numbers is finite.
    HalfRange(char),
    /// 2⁻⁵⁰⁰ ≤ |x| ≤ 2⁵⁰⁰, a product of two of which is normal.
    Moderate(char),
    /// |x| ≥ 1.
    AtLeastOne(char),
    /// 1 ≤ n ≤ 1000, an integer.
    SmallPower(char),
    /// The imaginary part lies between −3 and 3.
    Strip(char),
    /// The real part is positive.
    RightHalf(char),
}

impl Guard {
    /// The operand it is about.
    pub fn operand(self) -> char {
        match self {
            Guard::Finite(v)
            | Guard::NonZero(v)
            | Guard::NonNegative(v)
            | Guard::NotMinusZero(v)
            | Guard::HalfRange(v)
            | Guard::Moderate(v)
            | Guard::AtLeastOne(v)
            | Guard::SmallPower(v)
            | Guard::Strip(v)
            | Guard::RightHalf(v) => v,
        }
    }
}

impl fmt::Display for Guard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Guard::Finite(v) => write!(f, "{v} is finite"),
            Guard::NonZero(v) => write!(f, "{v} is not 0"),
            Guard::NonNegative(v) => write!(f, "{v} is not negative"),
            Guard::NotMinusZero(v) => write!(f, "{v} is not -0"),
            Guard::HalfRange(v) => write!(f, "|{v}| is at most half of the largest number"),
            Guard::Moderate(v) => write!(f, "|{v}| lies between 2^-500 and 2^500"),
            Guard::AtLeastOne(v) => write!(f, "|{v}| is at least 1"),
            Guard::SmallPower(v) => write!(f, "1 <= {v} <= 1000"),
            Guard::Strip(v) => write!(f, "the imaginary part of {v} lies between -3 and 3"),
            Guard::RightHalf(v) => write!(f, "the real part of {v} is positive"),
        }
    }
}

/// One row.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// In kebab-case; unique.
    pub name: &'static str,
    /// The table it is in.
    pub family: Family,
    /// Its promise.
    pub class: Class,
    /// What it is about.
    pub domain: Domain,
    /// What it matches.
    pub lhs: &'static str,
    /// What that becomes.
    pub rhs: &'static str,
    /// What has to be proved first; empty unless the class is [`Class::Guarded`].
    pub guards: &'static [Guard],
    /// Why it holds.
    pub reason: &'static str,
}

impl Rule {
    /// Both sides.
    pub fn terms(&self) -> (Term, Term) {
        (Term::parse(self.lhs), Term::parse(self.rhs))
    }
}

/// Every rule, by family.
pub fn all() -> &'static [Rule] {
    static ALL: OnceLock<Vec<Rule>> = OnceLock::new();
    ALL.get_or_init(|| {
        [
            (Family::Sign, sign::ROWS),
            (Family::Division, division::ROWS),
            (Family::Factoring, factoring::ROWS),
            (Family::Power, power::ROWS),
            (Family::Trig, trig::ROWS),
            (Family::ExpLog, exp_log::ROWS),
            (Family::Complex, complex::ROWS),
        ]
        .into_iter()
        .flat_map(|(family, rows)| rows.iter().map(move |row| row.rule(family)))
        .collect()
    })
}

/// The rule of a name.
pub fn find(name: &str) -> Option<&'static Rule> {
    all().iter().find(|r| r.name == name)
}

/// A row as the tables have it: name, left, right, guards, reason.
struct Row(Class, &'static str, &'static str, &'static str, &'static [Guard], &'static str);

impl Row {
    fn rule(&self, family: Family) -> Rule {
        let Row(class, name, lhs, rhs, guards, reason) = *self;
        let complex = Term::parse(lhs).has_complex() || Term::parse(rhs).has_complex();
        let domain = if complex { Domain::Complex } else { Domain::Real };
        Rule { name, family, class, domain, lhs, rhs, guards, reason }
    }
}

const fn exact(name: &'static str, lhs: &'static str, rhs: &'static str, reason: &'static str) -> Row {
    Row(Class::Exact, name, lhs, rhs, &[], reason)
}

const fn refining(name: &'static str, lhs: &'static str, rhs: &'static str, reason: &'static str) -> Row {
    Row(Class::Refining, name, lhs, rhs, &[], reason)
}

const fn guarded(
    name: &'static str,
    lhs: &'static str,
    rhs: &'static str,
    guards: &'static [Guard],
    reason: &'static str,
) -> Row {
    Row(Class::Guarded, name, lhs, rhs, guards, reason)
}

const fn fast(name: &'static str, lhs: &'static str, rhs: &'static str, reason: &'static str) -> Row {
    Row(Class::Fast, name, lhs, rhs, &[], reason)
}

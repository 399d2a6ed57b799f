//! Terms of the tables.

use adc_ir::Op;
use std::fmt;

/// A side of a rewrite.
#[derive(Clone, Debug, PartialEq)]
pub enum Term {
    /// An operand, by its letter.
    Var(char),
    /// A real literal.
    Num(f64),
    /// An integer literal.
    Int(i64),
    /// An op and its operands.
    Op(Op, Vec<Term>),
}

/// What an operand stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    /// Any real number.
    Real,
    /// A real literal.
    Literal,
    /// Any complex number.
    Complex,
    /// An integer literal.
    Integer,
}

impl Sort {
    /// What a letter stands for; see [`crate::rules`].
    pub fn of(letter: char) -> Sort {
        match letter {
            'k' | 'l' => Sort::Literal,
            'u' | 'v' | 'w' | 'z' => Sort::Complex,
            'm' | 'n' => Sort::Integer,
            _ => Sort::Real,
        }
    }
}

impl Term {
    /// Reads a term.
    ///
    /// # Panics
    /// If it is none: the tables are wrong then.
    pub fn parse(text: &str) -> Term {
        let spaced = text.replace('(', " ( ").replace(')', " ) ");
        let mut words = spaced.split_whitespace();
        let term = Term::read(&mut words, text);
        assert!(words.next().is_none(), "`{text}` goes on after its end");
        term
    }

    fn read<'a>(words: &mut impl Iterator<Item = &'a str>, text: &str) -> Term {
        let word = words.next().unwrap_or_else(|| panic!("`{text}` ends early"));
        if word == "(" {
            let name = words.next().unwrap_or_default();
            let op = Op::from_name(name).unwrap_or_else(|| panic!("no op is called `{name}` in `{text}`"));
            let args = (0..op.arity()).map(|_| Term::read(words, text)).collect();
            assert_eq!(words.next(), Some(")"), "`{name}` takes {} operands in `{text}`", op.arity());
            return Term::Op(op, args);
        }
        let int = word.strip_suffix('i').and_then(|w| w.parse().ok());
        match (int, word.parse(), word.chars().next()) {
            (Some(n), ..) => Term::Int(n),
            (None, Ok(x), _) => Term::Num(x),
            (None, Err(_), Some(v)) if word.len() == 1 && v.is_ascii_lowercase() => Term::Var(v),
            _ => panic!("`{word}` is no operand in `{text}`"),
        }
    }

    /// The operands, each once, in order of appearance.
    pub fn vars(&self) -> Vec<char> {
        let mut vars = Vec::new();
        self.each(&mut |t| {
            if let Term::Var(v) = t
                && !vars.contains(v)
            {
                vars.push(*v);
            }
        });
        vars
    }

    /// Calls `f` with every subterm, operands first.
    pub fn each(&self, f: &mut dyn FnMut(&Term)) {
        if let Term::Op(_, args) = self {
            args.iter().for_each(|a| a.each(f));
        }
        f(self);
    }

    /// Whether a complex number is involved.
    pub(super) fn has_complex(&self) -> bool {
        let mut found = false;
        self.each(&mut |t| {
            found |= match t {
                Term::Var(v) => Sort::of(*v) == Sort::Complex,
                Term::Op(op, _) => matches!(op, Op::Complex | Op::Cis),
                Term::Num(_) | Term::Int(_) => false,
            }
        });
        found
    }

    /// The term with the operands of its sums and products in every order; equal ones, up to names, once.
    pub(crate) fn orders(&self) -> Vec<Term> {
        let mut found: Vec<(Term, String)> = Vec::new();
        for t in self.reordered() {
            let shape = t.shape();
            if found.iter().all(|(_, s)| *s != shape) {
                found.push((t, shape));
            }
        }
        found.into_iter().map(|(t, _)| t).collect()
    }

    fn reordered(&self) -> Vec<Term> {
        let Term::Op(op, args) = self else { return vec![self.clone()] };
        let mut lists = vec![Vec::new()];
        for arg in args {
            let forms = arg.reordered();
            let longer = |l: &Vec<Term>| {
                forms.iter().map(|f| [l.clone(), vec![f.clone()]].concat()).collect::<Vec<_>>()
            };
            lists = lists.iter().flat_map(longer).collect();
        }
        if matches!(op, Op::Add | Op::Mul) {
            let swapped: Vec<Vec<Term>> = lists.iter().map(|l| vec![l[1].clone(), l[0].clone()]).collect();
            lists.extend(swapped);
        }
        lists.into_iter().map(|l| Term::Op(*op, l)).collect()
    }

    /// The term with its operands numbered by first appearance (their sorts kept).
    fn shape(&self) -> String {
        let vars = self.vars();
        let name = |v: char| format!("{:?}{}", Sort::of(v), vars.iter().position(|w| *w == v).unwrap_or(0));
        let mut out = String::new();
        self.write(&mut out, &name);
        out
    }

    fn write(&self, out: &mut String, name: &dyn Fn(char) -> String) {
        match self {
            Term::Var(v) => *out += &name(*v),
            Term::Num(x) => *out += &x.to_string(),
            Term::Int(n) => *out += &format!("{n}i"),
            Term::Op(op, args) => {
                *out += &format!("({op}");
                for a in args {
                    out.push(' ');
                    a.write(out, name);
                }
                out.push(')');
            }
        }
    }
}

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = String::new();
        self.write(&mut out, &|v| v.to_string());
        f.write_str(&out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_print_as_they_read() {
        for rule in crate::rules::all() {
            for text in [rule.lhs, rule.rhs] {
                assert_eq!(Term::parse(text).to_string(), text);
            }
        }
    }

    #[test]
    fn sums_and_products_match_in_every_order() {
        let orders = |t: &str| Term::parse(t).orders().len();
        assert_eq!(orders("(sub a b)"), 1);
        assert_eq!(orders("(add a b)"), 1);
        assert_eq!(orders("(add a (neg b))"), 2);
        assert_eq!(orders("(add (mul a b) (mul a c))"), 4);
    }
}

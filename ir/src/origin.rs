//! What functions were made of: as data for passes, and in names (`loss.vjp`, `kept.0`) for people. The text form has the names
//! only, and here is the one place that reads them.

use crate::derived::Operator;
use crate::module::*;

/// What a function was made of, and as what.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Origin {
    /// The function that it was made of.
    pub of: FuncId,
    /// What it is of that.
    pub program: Derivation,
}

/// What can be made of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Derivation {
    /// A function of the same meaning, for another purpose.
    Copy,
    /// A hand-written derivative.
    Rule(RuleKind),
    /// What a derivative operator stands for.
    Operator(Operator),
    /// Its results, then residuals for the pullback of a call.
    Forward,
    /// The pullback of a call.
    Backward,
    /// Its results, then all residuals.
    Linearize,
    /// The pullback of [`Derivation::Linearize`].
    Pullback,
    /// The transpose of a rule.
    Transpose,
}

/// Those that have a word, beside operators.
const WORDS: [(Derivation, &str); 5] = [
    (Derivation::Forward, "fwd"),
    (Derivation::Backward, "bwd"),
    (Derivation::Linearize, "linearize"),
    (Derivation::Pullback, "pullback"),
    (Derivation::Transpose, "transpose"),
];

impl Derivation {
    /// What stands for it in the name of a function, behind that of what it was made of.
    pub fn word(self) -> &'static str {
        match self {
            Derivation::Copy => "copy",
            Derivation::Rule(_) => "rule",
            Derivation::Operator(operator) => operator.name(),
            named => WORDS.iter().find(|(d, _)| *d == named).expect("every other one is in the table").1,
        }
    }

    fn from_word(word: &str) -> Option<Derivation> {
        let named = WORDS.iter().find(|(_, w)| *w == word).map(|(d, _)| *d);
        named.or_else(|| Operator::from_name(word).map(Derivation::Operator))
    }

    /// How many derivatives it takes.
    fn order(self) -> usize {
        match self {
            Derivation::Copy => 0,
            Derivation::Operator(Operator::Hvp | Operator::Hessian | Operator::HessDiag) => 2,
            Derivation::Rule(_)
            | Derivation::Operator(_)
            | Derivation::Forward
            | Derivation::Backward
            | Derivation::Linearize
            | Derivation::Pullback
            | Derivation::Transpose => 1,
        }
    }
}

/// What a parameter of a pullback is for: where the caller has it from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// The argument of the call at this position.
    Arg(usize),
    /// The result at this position.
    Result(usize),
    /// What the forward function returns behind its results, counted from 0.
    Kept(usize),
}

impl Role {
    /// The parameter's name.
    pub fn name(self) -> String {
        match self {
            Role::Arg(i) => format!("arg.{i}"),
            Role::Result(i) => format!("result.{i}"),
            Role::Kept(i) => format!("kept.{i}"),
        }
    }

    pub(crate) fn from_name(name: &str) -> Option<Role> {
        let (_, i) = name.split_once('.')?;
        let i = i.parse().ok()?;
        [Role::Arg(i), Role::Result(i), Role::Kept(i)].into_iter().find(|role| role.name() == name)
    }
}

impl Origin {
    /// The origin of a function by its name, `f.vjp` or `f.vjp.w0.o1`; `find` knows the functions there are.
    pub(crate) fn from_name(name: &str, find: impl Fn(&str) -> Option<FuncId>) -> Option<Origin> {
        name.rmatch_indices('.').find_map(|(dot, _)| {
            let word = name[dot + 1..].split('.').next().unwrap_or_default();
            Some(Origin { of: find(&name[..dot])?, program: Derivation::from_word(word)? })
        })
    }
}

impl Module {
    /// The origin of a function, that of what it was made of, and so on.
    pub fn origins(&self, f: FuncId) -> impl Iterator<Item = Origin> + '_ {
        std::iter::successors(self.func(f).origin, |o| self.func(o.of).origin)
    }

    /// Which derivative a function is: 0 of one of the model, 1 of its VJP program, 2 of the JVP program of that. A hand-written
    /// rule is a derivative.
    pub fn derivative_order(&self, f: FuncId) -> usize {
        self.origins(f).map(|o| o.program.order()).sum()
    }

    /// The function that one is a copy of; itself if it is none.
    pub fn original(&self, f: FuncId) -> FuncId {
        self.origins(f).take_while(|o| o.program == Derivation::Copy).last().map_or(f, |o| o.of)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_what_functions_were_made_of() {
        let known = |name: &str| ["f", "f.vjp"].iter().position(|n| *n == name).map(|i| FuncId(i as u32));
        let origin = |name: &str| Origin::from_name(name, known).map(|o| (o.of.0, o.program));
        assert_eq!(origin("f.vjp"), Some((0, Derivation::Operator(Operator::Vjp))));
        assert_eq!(origin("f.vjp.w0_2.o1.sqrt"), Some((0, Derivation::Operator(Operator::Vjp))));
        assert_eq!(origin("f.vjp.jvp"), Some((1, Derivation::Operator(Operator::Jvp))));
        assert_eq!(origin("f.bwd"), Some((0, Derivation::Backward)));
        assert_eq!((origin("f"), origin("g.vjp"), origin("f.simplified")), (None, None, None));
        assert_eq!(Role::from_name("kept.3"), Some(Role::Kept(3)));
        assert_eq!((Role::from_name("kept"), Role::from_name("x.3")), (None, None));
    }

    #[test]
    fn orders_add_up() {
        let mut m = Module::default();
        let mut made = |name: &str, origin: Option<(u32, Derivation)>| {
            let mut func = crate::Builder::new(name, crate::Span::NONE).finish(Vec::new());
            func.origin = origin.map(|(of, program)| Origin { of: FuncId(of), program });
            m.add(func)
        };
        let f = made("f", None);
        let copy = made("a", Some((0, Derivation::Copy)));
        let vjp = made("b", Some((1, Derivation::Operator(Operator::Vjp))));
        let second = made("c", Some((2, Derivation::Forward)));
        assert_eq!([f, copy, vjp, second].map(|f| m.derivative_order(f)), [0, 0, 1, 2]);
        assert_eq!([f, copy, vjp].map(|g| m.original(g)), [f, f, vjp]);
    }
}

//! The results of a comparison: the one table of verdicts.

use adc_ir::{Code, Expect};

/// The result of one comparison, or of a check, in order of increasing weight.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// Derivative and difference agree within the tolerance.
    Ok,
    /// The one-sided slopes differ, and the derivative lies between them: a subgradient.
    Kink,
    /// The derivative's formula is right, but its rounding costs more digits than the function's own; less than 1e-6.
    Imprecise,
    /// The difference could not be evaluated: a run-time error or a non-finite value at a displaced point, or a step too
    /// small to change the input. Counted, never a pass.
    Unchecked,
    /// The function has no value on one side of the point.
    OutOfDomain,
    /// Differences at all steps contradict each other, or have too few digits.
    Unsure,
    /// They disagree.
    Wrong,
    /// One of forward and reverse mode disagrees, the other does not.
    Inconsistent,
    /// The one-sided slopes differ, and the derivative does not lie between them.
    BadKink,
    /// The function's value jumps at the point.
    Discontinuous,
    /// The derivative's formula is right, but rounding leaves it fewer than six digits.
    Unstable,
    /// Running the same code again gave different bits.
    Nondeterministic,
    /// The derivative is NaN or infinite.
    NonFinite,
}

/// How a verdict counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Everything is right.
    Pass,
    /// A pass that is worth mentioning.
    Warning,
    /// Neither a pass nor a failure; a failure with `--strict`.
    Unsure,
    /// A failure.
    Failure,
}

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub struct VerdictInfo {
    /// The verdict's word in `check` blocks, reports and JSON.
    pub word: &'static str,
    /// What the command line shows for it.
    pub shown: &'static str,
    /// How it counts.
    pub severity: Severity,
    /// Its meaning, in one line.
    pub meaning: &'static str,
    /// The code of the message about it.
    pub code: Option<Code>,
    /// The word of a `check` block that expects it.
    pub expect: Expect,
}

impl Verdict {
    /// Every verdict, in order.
    pub const ALL: [Verdict; 13] = [
        Verdict::Ok,
        Verdict::Kink,
        Verdict::Imprecise,
        Verdict::Unchecked,
        Verdict::OutOfDomain,
        Verdict::Unsure,
        Verdict::Wrong,
        Verdict::Inconsistent,
        Verdict::BadKink,
        Verdict::Discontinuous,
        Verdict::Unstable,
        Verdict::Nondeterministic,
        Verdict::NonFinite,
    ];

    /// The verdict's row.
    pub fn info(self) -> VerdictInfo {
        use Severity::*;
        let (severity, shown) = match self {
            Verdict::Ok => (Pass, "ok"),
            Verdict::Kink => (Pass, "kink"),
            Verdict::Imprecise => (Warning, "warn"),
            Verdict::Unchecked | Verdict::OutOfDomain | Verdict::Unsure => (Unsure, "unsure"),
            Verdict::Wrong
            | Verdict::Inconsistent
            | Verdict::BadKink
            | Verdict::Discontinuous
            | Verdict::Unstable
            | Verdict::Nondeterministic
            | Verdict::NonFinite => (Failure, "FAIL"),
        };
        let (expect, code, meaning) = match self {
            Verdict::Ok => (Expect::Ok, None, "derivative and difference agree"),
            Verdict::Kink => (
                Expect::Kink,
                Some(Code::Kink),
                "not differentiable; the derivative lies between the one-sided slopes",
            ),
            Verdict::Imprecise => (
                Expect::Imprecise,
                Some(Code::LosesDigits),
                "the formula is right, but loses digits to rounding: relative error up to 1e-6",
            ),
            Verdict::Unchecked => {
                (Expect::Unchecked, Some(Code::Unchecked), "there is no difference to compare with")
            }
            Verdict::OutOfDomain => (
                Expect::OutOfDomain,
                Some(Code::OutOfDomain),
                "the function has no value on one side of the point",
            ),
            Verdict::Unsure => {
                (Expect::Unsure, Some(Code::Unsure), "the differences have too few digits to tell")
            }
            Verdict::Wrong => {
                (Expect::Wrong, Some(Code::WrongDerivative), "derivative and difference disagree")
            }
            Verdict::Inconsistent => {
                (Expect::Inconsistent, Some(Code::Inconsistent), "one of forward and reverse mode is wrong")
            }
            Verdict::BadKink => (
                Expect::BadKink,
                Some(Code::BadKink),
                "the derivative does not lie between the one-sided slopes",
            ),
            Verdict::Discontinuous => {
                (Expect::Discontinuous, Some(Code::Discontinuous), "the function jumps at the point")
            }
            Verdict::Unstable => (
                Expect::Unstable,
                Some(Code::LosesDigits),
                "the formula is right, but loses digits to rounding: relative error above 1e-6",
            ),
            Verdict::Nondeterministic => (
                Expect::Nondeterministic,
                Some(Code::Nondeterministic),
                "the same code gave different results for the same inputs",
            ),
            Verdict::NonFinite => {
                (Expect::Nan, Some(Code::NonFinite), "the derivative is NaN or infinite, the value is not")
            }
        };
        VerdictInfo { word: expect.name(), shown, severity, meaning, code, expect }
    }

    /// Its word.
    pub fn word(self) -> &'static str {
        self.info().word
    }

    /// Whether it is a failure.
    pub fn failing(self) -> bool {
        self.info().severity == Severity::Failure
    }

    /// Whether something was compared.
    pub fn compared(self) -> bool {
        self != Verdict::Unchecked
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_order_and_its_words_are_apart() {
        for (i, v) in Verdict::ALL.iter().enumerate() {
            assert_eq!(*v as usize, i);
            assert!(Verdict::ALL[..i].iter().all(|w| w.word() != v.word()));
            assert!(Verdict::ALL[..i].iter().all(|w| w.info().severity <= v.info().severity));
        }
    }
}

//! The results of a comparison: the one table of verdicts.

use adc_ir::{Code, Expect};

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

/// What a verdict speaks of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum About {
    /// Nothing is wrong.
    Agreement,
    /// An op of the function decides it.
    Op,
    /// Digits that rounding takes.
    Digits,
    /// The derivative itself.
    Derivative,
    /// That code does not do the same twice.
    Run,
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
    /// What it speaks of.
    pub about: About,
    /// Its meaning, in one line.
    pub meaning: &'static str,
    /// The code of the message about it.
    pub code: Option<Code>,
    /// The word of a `check` block that expects it.
    pub expect: Expect,
}

macro_rules! verdicts {
    ($($(#[$doc:meta])* $name:ident $expect:ident $severity:ident $shown:literal $about:ident, $code:expr, $meaning:literal;)*) => {
        /// The result of one comparison, or of a check, in order of increasing weight.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Verdict { $($(#[$doc])* $name,)* }

        impl Verdict {
            /// Every verdict, in order.
            pub const ALL: &'static [Verdict] = &[$(Verdict::$name),*];

            /// The verdict's row.
            pub fn info(self) -> VerdictInfo {
                match self {
                    $(Verdict::$name => VerdictInfo {
                        word: Expect::$expect.name(),
                        shown: $shown,
                        severity: Severity::$severity,
                        about: About::$about,
                        meaning: $meaning,
                        code: $code,
                        expect: Expect::$expect,
                    },)*
                }
            }
        }
    };
}

#[rustfmt::skip]
verdicts! {
    /// Derivative and difference agree within the tolerance.
    Ok Ok Pass "ok" Agreement, None, "derivative and difference agree";
    /// The one-sided slopes differ, and the derivative lies between them: a subgradient.
    Kink Kink Pass "kink" Op, Some(Code::Kink), "not differentiable; the derivative lies between the one-sided slopes";
    /// The derivative's formula is right, but its rounding costs more digits than the function's own; less than 1e-6.
    Imprecise Imprecise Warning "warn" Digits, Some(Code::LosesDigits), "the formula is right, but loses digits to rounding: relative error up to 1e-6";
    /// The difference could not be evaluated: a run-time error or a non-finite value at a displaced point, or a step too
    /// small to change the input. Counted, never a pass.
    Unchecked Unchecked Unsure "unsure" Op, Some(Code::Unchecked), "there is no difference to compare with";
    /// The function has no value on one side of the point.
    OutOfDomain OutOfDomain Unsure "unsure" Op, Some(Code::OutOfDomain), "the function has no value on one side of the point";
    /// Differences at all steps contradict each other, or have too few digits.
    Unsure Unsure Unsure "unsure" Op, Some(Code::Unsure), "the differences have too few digits to tell";
    /// They disagree.
    Wrong Wrong Failure "FAIL" Derivative, Some(Code::WrongDerivative), "derivative and difference disagree";
    /// One of forward and reverse mode disagrees, the other does not.
    Inconsistent Inconsistent Failure "FAIL" Derivative, Some(Code::Inconsistent), "one of forward and reverse mode is wrong";
    /// The one-sided slopes differ, and the derivative does not lie between them.
    BadKink BadKink Failure "FAIL" Op, Some(Code::BadKink), "the derivative does not lie between the one-sided slopes";
    /// The function's value jumps at the point.
    Discontinuous Discontinuous Failure "FAIL" Op, Some(Code::Discontinuous), "the function jumps at the point";
    /// The derivative's formula is right, but rounding leaves it fewer than six digits.
    Unstable Unstable Failure "FAIL" Digits, Some(Code::LosesDigits), "the formula is right, but loses digits to rounding: relative error above 1e-6";
    /// Running the same code again gave different bits.
    Nondeterministic Nondeterministic Failure "FAIL" Run, Some(Code::Nondeterministic), "the same code gave different results for the same inputs";
    /// The derivative is NaN or infinite.
    NonFinite Nan Failure "FAIL" Derivative, Some(Code::NonFinite), "the derivative is NaN or infinite, the value is not";
}

impl Verdict {
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
            assert!(Verdict::ALL[..i].iter().all(|w| w.word() != v.word()));
            assert!(Verdict::ALL[..i].iter().all(|w| w.info().severity <= v.info().severity));
        }
    }
}

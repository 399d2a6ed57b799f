//! What a comparison can come to: the one table of verdicts.

/// What became of one comparison, or of a check: the later in this list, the more it says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// Derivative and difference agree within the tolerance.
    Ok,
    /// The one-sided slopes differ, and the derivative lies between them: a subgradient.
    Kink,
    /// The derivative's formula is right, but its rounding costs more digits than the function's own; less than 1e-6.
    Imprecise,
    /// The difference could not be evaluated: a run-time error or a non-finite value at a displaced point,
    /// or a step too small to move the input. Counted, never a pass.
    Unchecked,
    /// The function has no value on one side of the point.
    OutOfDomain,
    /// Differences at all steps contradict each other, or know too few digits to say anything.
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
    /// Running the same code again gave other bits.
    Nondeterministic,
    /// The derivative is NaN or infinite.
    NonFinite,
}

/// How a verdict counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Everything is as it should be.
    Pass,
    /// Worth saying, but a pass.
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
    /// What it says, in one line.
    pub meaning: &'static str,
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
    pub const fn info(self) -> VerdictInfo {
        use Severity::*;
        let (word, shown, severity, meaning) = match self {
            Verdict::Ok => ("ok", "ok", Pass, "derivative and difference agree"),
            Verdict::Kink => ("kink", "kink", Pass, "the derivative lies between the one-sided slopes"),
            Verdict::Imprecise => {
                ("imprecise", "warn", Warning, "rounding costs the derivative more digits than it need")
            }
            Verdict::Unchecked => ("unchecked", "unsure", Unsure, "there is no difference to compare with"),
            Verdict::OutOfDomain => {
                ("out_of_domain", "unsure", Unsure, "the function has no value on one side of the point")
            }
            Verdict::Unsure => ("unsure", "unsure", Unsure, "differences know too few digits here"),
            Verdict::Wrong => ("wrong", "FAIL", Failure, "derivative and difference disagree"),
            Verdict::Inconsistent => {
                ("inconsistent", "FAIL", Failure, "one of forward and reverse mode is wrong")
            }
            Verdict::BadKink => {
                ("bad_kink", "FAIL", Failure, "the derivative does not lie between the one-sided slopes")
            }
            Verdict::Discontinuous => ("discontinuous", "FAIL", Failure, "the function jumps at the point"),
            Verdict::Unstable => {
                ("unstable", "FAIL", Failure, "rounding leaves the derivative too few digits")
            }
            Verdict::Nondeterministic => {
                ("nondeterministic", "FAIL", Failure, "the same code gave other bits when run again")
            }
            Verdict::NonFinite => ("nan", "FAIL", Failure, "the derivative is NaN or infinite"),
        };
        VerdictInfo { word, shown, severity, meaning }
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

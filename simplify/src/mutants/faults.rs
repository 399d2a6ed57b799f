//! Places in the code of the passes that a mutant may change.

macro_rules! faults {
    ($($variant:ident $name:literal $what:literal;)*) => {
        /// A mistake at a place that is no row of the rewrite tables.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Fault {
            $(#[doc = $what] $variant,)*
        }

        impl Fault {
            /// Every one with its name and what is wrong.
            pub const ALL: &'static [(Fault, &'static str, &'static str)] =
                &[$((Fault::$variant, $name, $what)),*];
        }
    };
}

#[rustfmt::skip]
faults! {
    TermSign "term-sign" "a + (-b) is a + b";
    DifferenceSign "difference-sign" "a - (-b) is a - b";
    FactorSign "factor-sign" "a factor -1 is dropped";
    Cube "cube" "a cube is a square";
    ImaginarySign "imaginary-sign" "the imaginary part of a conjugate has no sign";
    ConjSign "conj-sign" "the conjugate of a pair is the pair";
    Literals "literals" "literals are one if they agree to nine digits";
    Commuted "commuted" "a difference is that of its operands in any order";
    BranchNot "branch-not" "the branches of an `if` on a negated condition stay as they are";
    Reshaped "reshaped" "the element of a reshaped array is counted column by column";
    PartOfPart "part-of-part" "a part of a part begins where the inner one does";
    Written "written" "an element that is written is not";
    InlineArguments "inline-arguments" "the first two arguments of an inlined call are exchanged";
    UnrollOrder "unroll-order" "a loop is written out from its last iteration";
    UnrollSum "unroll-sum" "a sum that is written out misses its last term";
    ScalarsOrder "scalars-order" "an array that is taken apart is put together backwards";
    BuildIndex "build-index" "an element of a comprehension is computed at its indices exchanged";
    MergeSums "merge-sums" "the sums of two merged loops are exchanged";
    HoistGuard "hoist-guard" "what leaves a loop is computed where the loop has no iterations";
    TraceTransposed "trace-transposed" "tr(A Bᵀ) for tr(A B)";
    ContractSign "contract-sign" "a difference becomes an `fma` without its sign";
    NarySign "nary-sign" "a difference is a sum in a linear combination";
    NaryPower "nary-power" "a quotient is a product in a product of powers";
}

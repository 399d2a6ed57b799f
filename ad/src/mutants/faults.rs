//! Places in the code of differentiation that a mutant may change.

use super::Family;

macro_rules! faults {
    ($($variant:ident $family:ident $name:literal $what:literal;)*) => {
        /// A mistake at a place that is no row of the rule table.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Fault {
            $(#[doc = $what] $variant,)*
        }

        impl Fault {
            /// Every one with its family, its name and what is wrong.
            pub const ALL: &'static [(Fault, Family, &'static str, &'static str)] =
                &[$((Fault::$variant, Family::$family, $name, $what)),*];
        }
    };
}

#[rustfmt::skip]
faults! {
    // Linear maps.
    HoloConj Linear "holo-conj" "the adjoint of a holomorphic partial multiplies with W, not with conj(W)";
    PairConj Linear "pair-conj" "CW multiplies the cotangent, not its conjugate";
    ForwardConj Linear "forward-conj" "CW multiplies the tangent, not its conjugate";
    DotRealOnly Linear "dot-real-only" "Re(conj(f) t) forgets the product of imaginary parts";
    DotSign Linear "dot-sign" "Re(conj(i g) t) has the sign of its second product wrong";
    FactorTwice Linear "factor-twice" "a product applies its first factor twice";
    Affine Linear "affine" "1e-9 is added to the cotangent of a parameter";
    LinearSub Linear "linear-sub" "the tangent of a difference is that of the sum";

    // Accumulation.
    SumOverwrites Accumulation "sum-overwrites" "contributions to a scalar replace each other: = for +=";
    AliasedOperand Accumulation "aliased-operand" "an op whose operands are one value contributes once";
    MaskSides Accumulation "mask-sides" "the sides of a selection of contributions are exchanged";
    MaskIgnored Accumulation "mask-ignored" "a contribution is taken where its condition does not hold";
    WholeOverwrites Accumulation "whole-overwrites" "contributions to an array replace each other";
    ElementOverwrites Accumulation "element-overwrites" "a contribution to an element replaces what is there: = for +=";
    PartOverwrites Accumulation "part-overwrites" "a contribution to a part replaces what is there: = for +=";
    ElementOnce Accumulation "element-once" "of several contributions to one element only the first counts";
    GuardInverted Accumulation "guard-inverted" "a contribution to an element is made where its guard does not hold";

    // Elements of arrays.
    FillOnce Array "fill-once" "the cotangent of what fills an array is that of one element";
    PackFirst Array "pack-first" "every element of a list gets the cotangent of the first";
    IndexFirst Array "index-first" "the cotangent of an element that is read goes to element 0";
    UpdateKept Array "update-kept" "the cotangent of what an update overwrites is not cleared";
    UpdateLost Array "update-lost" "the cotangent of a new element is lost";
    AddAtLost Array "add-at-lost" "the cotangent of what is added to an element is lost";
    SliceStart Array "slice-start" "the cotangent of a part goes to the beginning of the array";
    UpdateSliceKept Array "update-slice-kept" "the cotangent of the part that is overwritten is not cleared";
    UpdateSliceStart Array "update-slice-start" "the cotangent of a new part is read from the beginning";
    AddSliceLost Array "add-slice-lost" "the cotangent of what is added to a part is lost";
    ReshapeLost Array "reshape-lost" "the cotangent of a reshaped array is lost";
    TransposeForgotten Array "transpose-forgotten" "the cotangent of a transpose is not transposed, of square matrices";

    // Matrices.
    MatmulLeft Matrix "matmul-left" "Ȳ B for Ȳ Bᴴ, of square matrices";
    MatmulRight Matrix "matmul-right" "A Ȳ for Aᴴ Ȳ, of square matrices";
    MatmulOuter Matrix "matmul-outer" "b yᵀ for y bᵀ, of square matrices";
    MatmulVector Matrix "matmul-vector" "A ȳ for Aᵀ ȳ, of square matrices";
    MatmulConj Matrix "matmul-conj" "transposes for adjoints of complex matrices";
    MatmulForward Matrix "matmul-forward" "the tangent of a product forgets its second term";
    SolveAdjoint Matrix "solve-adjoint" "b̄ solves with A, not with Aᴴ";
    SolveSign Matrix "solve-sign" "Ā of a solution has the sign wrong";
    SolveOuter Matrix "solve-outer" "Ā of a solution is transposed";
    SolveForward Matrix "solve-forward" "A ẋ = ḃ + Ȧ x";
    InvFactor Matrix "inv-factor" "−Yᴴ Ȳ for −Yᴴ Ȳ Yᴴ";
    InvForward Matrix "inv-forward" "+Y Ȧ Y for −Y Ȧ Y";
    LogDetTranspose Matrix "logdet-transpose" "A⁻¹ for A⁻ᴴ";
    LogDetForward Matrix "logdet-forward" "tr(A⁻ᵀ Ȧ) for tr(A⁻¹ Ȧ)";
    DetTranspose Matrix "det-transpose" "det A · A⁻¹ for det A · A⁻ᵀ";
    DetSign Matrix "det-sign" "the minors of a singular matrix have no signs";
    DetForward Matrix "det-forward" "the tangent of a determinant forgets its factor det A";
    CholeskyDiagonal Matrix "cholesky-diagonal" "the diagonal of Lᴴ L̄ is not halved";
    CholeskyUpper Matrix "cholesky-upper" "the triangle above the diagonal of L̄ is not cut off";
    CholeskySolve Matrix "cholesky-solve" "the second solution takes L for Lᴴ";
    CholeskyForward Matrix "cholesky-forward" "Φ leaves a matrix as it is";

    // Loops.
    LoopForwards Loop "loop-forwards" "the iterations of a loop are reversed in forward order";
    LoopShort Loop "loop-short" "the first iteration of a loop is not reversed";
    LoopCarry Loop "loop-carry" "an iteration passes the cotangent of its carry on unchanged";
    LoopReset Loop "loop-reset" "the cotangent that a loop begins with is lost: 0 for the carry";
    LoopResidual Loop "loop-residual" "an iteration reads what the one before it stored";
    LoopInitial Loop "loop-initial" "the cotangent of what an added-to carry begins with is lost";
    LoopSums Loop "loop-sums" "the cotangents of a loop's sums are lost";
    LoopCollected Loop "loop-collected" "every iteration takes the cotangent of the first collected element";
    LoopTotal Loop "loop-total" "what the iterations contribute to a value from outside replaces each other";
    LoopStart Loop "loop-start" "what iterations contribute to a part of an array goes to its beginning";
    LoopAccumulator Loop "loop-accumulator" "the adjoint of an array does not enter a loop that adds to it";
    LoopBlock Loop "loop-block" "a block runs again from the first snapshot";
    LoopTangent Loop "loop-tangent" "the tangents of what a loop begins with are 0";
    BuildTransposed Loop "build-transposed" "the indices of a square comprehension are exchanged";
    SumHalf Loop "sum-half" "a sum gives its terms half of its cotangent";
    ProductTerm Loop "product-term" "the tangent of a product forgets the tangents of earlier factors";
    ProductStart Loop "product-start" "the factor 1 that a product begins with is 2";

    // Branches.
    BranchSwapped Branch "branch-swapped" "the reverse of an `if` takes the other branch";
    BranchLost Branch "branch-lost" "what the second branch contributes is lost";
    BranchOutside Branch "branch-outside" "what one branch of an `if` contributes counts where the other one ran";
    ExtremumShared Branch "extremum-shared" "terms that attain an extremum together get all of its cotangent each";
    ExtremumFirst Branch "extremum-first" "the first term is taken for the one that attains the extremum";
    ExtremumMask Branch "extremum-mask" "of arrays, what does not attain the extremum gets its cotangent";
    ExtremumForward Branch "extremum-forward" "the tangent of an extremum is a sum, not a mean";

    // Calls.
    CallSwapped Call "call-swapped" "the first two cotangents of a call are exchanged";
    CallSeed Call "call-seed" "a callee's pullback gets twice the cotangent";
    RuleSwapped Call "rule-swapped" "the first two cotangents of a hand-written rule are exchanged";
    MapOnce Call "map-once" "the sum of the partials of a map along a scalar is halved";
    CallTangent Call "call-tangent" "the first tangent of a call is 0";
    RuleTangent Call "rule-tangent" "the first tangent of a hand-written rule is 0";
}

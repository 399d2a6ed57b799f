//! What a function's author allows the optimiser to do to rounding.

words! {
    /// The floating-point mode of a function, from the least permissive to the most.
    ///
    /// It is a permission, so that code may always be treated as if its mode were a stricter one: a callee is inlined
    /// into callers that are at most as permissive as itself. Derivatives inherit the mode of their primal.
    #[derive(Default)]
    FpMode {
        /// Results keep their bits.
        Strict "strict",
        /// Results stay within the rounding error that the program as written may have.
        #[default]
        Default "default",
        /// Whatever holds for real numbers is allowed.
        Fast "fast",
    }
}

//! The one table of diagnostic codes. A row is `Variant = number, "title", "explanation"`; the enum,
//! its text form and the pages of the user book come from it.

use std::fmt;

macro_rules! codes {
    ($($(#[$m:meta])* $name:ident = $num:literal, $title:literal, $explain:literal;)*) => {
        /// A diagnostic code; `Display` prints `ADCnnnn`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Code { $($(#[$m])* #[doc = $title] $name = $num,)* }

        impl Code {
            /// Every code, by number.
            pub const ALL: &'static [Code] = &[$(Code::$name),*];

            /// What the code stands for, in a few words.
            pub fn title(self) -> &'static str { match self { $(Code::$name => $title,)* } }

            /// Cause and remedy, in full sentences.
            pub fn explain(self) -> &'static str { match self { $(Code::$name => $explain,)* } }
        }
    };
}

codes! {
    // 01xx: tokens and grammar.
    UnknownToken = 101, "a character that starts no token",
        "The source holds a character that no token of the language starts with. Remove it or, inside a name, use letters, digits and `_`.";
    UnterminatedComment = 102, "a block comment that never ends",
        "`/*` opens a comment that nests; each one needs its own `*/`.";
    UnterminatedString = 103, "a string that never ends",
        "A string starts and ends with `\"` on one line.";
    BadNumber = 104, "a number that cannot be read",
        "Integers must fit 64 bits signed; reals are written `1.5`, `2.`, `1e-3`; an `i` right behind makes them imaginary.";
    Expected = 105, "an unexpected token",
        "The grammar needs another token here. The label says which.";
    NotInLanguage = 106, "a construct of another language",
        "`return`, `break`, `continue`, `mut` and the like do not exist; the help line shows the adc way to write it.";
    IrSyntax = 107, "IR text that cannot be read",
        "The text form of the IR is what `adc emit` prints; the label says what was expected at this place.";
    ChainedComparison = 108, "a comparison of a comparison",
        "Comparisons do not chain: `a < b < c` is written `a < b && b < c`.";
    BadEscape = 109, "an unknown escape in a string",
        "The escapes are `\\\"`, `\\\\`, `\\n` and `\\t`.";
    Unclosed = 110, "an unclosed block",
        "Every `{` needs its `}`. The label shows the brace that has no partner.";
    ReservedName = 111, "a reserved word used as a name",
        "Keywords and the derivative operators (`grad`, `value_and_grad`, `jvp`, `value_and_jvp`, `vjp`, `value_and_vjp`, `hvp`, `jacobian`, `hessian`, `hess_diag`) name nothing else.";
    Misplaced = 112, "a construct in the wrong place",
        "The construct exists, but not here: generators belong in reductions and comprehensions, strings in `assert`, `use` and `load`, statements inside functions, items outside.";
    EmptyList = 113, "an empty list",
        "Tuples have at least two parts, array literals at least one element (`zeros(0)` is an empty array), indices at least one position.";
    UnknownVersion = 114, "a version of the language that this adc does not know",
        "`language 1;` at the start of a file says what the file is written in. This adc reads version 1; a later one is read by a newer adc. A file without the line is read as the newest version that adc knows.";
    // 02xx: names and types.
    UnknownName = 201, "an unknown name",
        "No variable, function, constant or built-in of that name is visible here.";
    DuplicateName = 202, "a name that is defined twice",
        "Two items of one file (also through `use`), two parameters, or two rules of one kind share a name. Rename one.";
    WrongArity = 203, "a wrong number of arguments",
        "A call takes exactly one argument for each parameter.";
    TypeMismatch = 204, "mismatched types",
        "The only implicit conversion is from real to complex of the same precision. Convert with `f64(…)`, `f32(…)`, `i64(…)`, `c128(…)`.";
    UnknownType = 205, "an unknown type",
        "The types are `bool i64 f32 f64 c64 c128` and arrays of them.";
    IntegerDivision = 206, "`/` between integers",
        "`/` is for real and complex operands. Write `div(a, b)` for the floor of the quotient, or make one side real: `1.0/2`.";
    NotAVariable = 207, "an assignment to something that is not a `var`",
        "Only names declared with `var` can be assigned; `let` names cannot, and inside a comprehension nothing outside can.";
    MissingElse = 208, "an `if` used as a value without `else`",
        "An `if` that gives a value needs both branches.";
    NotAFunction = 209, "something that is not a function is called",
        "Only functions and built-ins can be called.";
    ConstNotConstant = 210, "a `const` whose value is not known at compile time",
        "A constant may use literals, other constants and built-in functions of them.";
    Recursion = 211, "a function that calls itself",
        "Recursion is allowed over dimensions only.";
    BadExponent = 212, "an integer to a negative power",
        "An integer has no integer value at a negative power; make the base real: `f64(n)^-1`.";
    UseFailed = 214, "a file named by `use` cannot be read",
        "The path is relative to the file that holds the `use`; cycles are an error.";
    Shadows = 215, "an item that shadows a built-in",
        "A file's own items shadow built-ins of the same name. That is allowed; the note points it out.";
    BadAttribute = 216, "an attribute that does not belong here",
        "`#[inline]` and `#[fp(…)]` go on functions, `#[checkpoint(…)]` on loops, `#[nodiff]` on parameters, `#[linear]` on those of extern functions, `#[check(trust)]` and `#[check(first_order)]` on rules, `#[nonlinear]` on `vjp` rules.";
    BadDomain = 217, "an invalid domain",
        "A domain is an interval of constants `in [a, b]` (round brackets for open ends) for reals and integers, or `disk(r)`, `annulus(r0, r1)` for complex parameters.";
    BadCheck = 218, "a `check` or `bench` block that cannot be carried out",
        "The block names something the function does not have, or gives a parameter a distribution of another type.";
    ShapeMismatch = 219, "mismatched sizes",
        "Two sizes are equal if their normal forms are: `N` and `M` do not match, even when both are 40. Give both arrays the same dimension, or write a comprehension.";
    NotADimension = 220, "a size that is not a dimension expression",
        "Sizes of arrays, ranges of comprehensions and slices are made of the function's dimensions, integers, `+ - *` and `div(a, b)`. Make a run-time value a dimension: `fn f[n](…)`, called `f[n = …](…)`.";
    UnboundDimension = 221, "a dimension that cannot be inferred",
        "A call infers a dimension from an argument whose parameter has it as a bare size. Any other must be given: `f[N = 3](…)`.";
    BadIndex = 222, "a wrong index for an array",
        "An array of n axes takes at most n indices, each an `i64` or a slice. Indices are 0-based and end before the size; negative ones do not count from the end.";
    NoRange = 223, "a generator whose range cannot be inferred",
        "`for i` without a range takes the size of the arrays that have exactly `i` as an index. Write one: `for i in 0..N`.";
    BadRank = 224, "a wrong number of axes",
        "Arrays have at most 8 axes; `@` and `'` are for vectors and matrices.";
    // 03xx: verdicts of the checker.
    WrongDerivative = 301, "a derivative that disagrees with finite differences",
        "The compiled derivative and the finite difference of the compiled function differ by more than the tolerance at the point shown. The derivative rule named (or the hand-written `rule`) is the first suspect.";
    NothingChecked = 302, "nothing was compared",
        "No point could be evaluated, or no entry was left to compare; a check without comparisons is not a pass.";
    RulesDisagree = 303, "two hand-written rules of one function disagree",
        "A function's `jvp`, `vjp` and `partial` rules must describe the same derivative.";
    ExpectationFailed = 304, "an `expect` that was not met",
        "The block says what should happen, and something else did.";
    NotChecked = 305, "a function no `check` block reaches",
        "In a file with `check` blocks, functions that none of them reaches are listed once.";
    WrongSecondDerivative = 306, "a second derivative that disagrees with finite differences",
        "The derivative of the compiled VJP program and the finite difference of that program differ.";
    BackendsDisagree = 307, "interpreter and compiled code disagree",
        "The same program gave different bits in the reference interpreter and in compiled code. That is a bug in adc.";
    TooMuchWork = 309, "a derivative that does more work than its `bench` block allows",
        "`max_ratio` bounds the work of a derivative as a multiple of the function's. Work is counted: one for each operation, ten for each transcendental function.";
    Inconsistent = 310, "forward and reverse mode disagree",
        "One of the two derivative programs agrees with the differences, the other does not; or the adjoint identity ⟨v, J u⟩ = ⟨VJP(v), u⟩, which needs no differences, fails. Where two hand-written rules describe one derivative, one of them is wrong; otherwise that is a bug in adc.";
    IdentityFails = 311, "a derivative program that lacks a required property",
        "JVP and VJP are linear and give 0 for 0, a Hessian is symmetric, and forward over reverse mode is reverse over forward mode. None of that needs differences. A hand-written rule is the first suspect, adc the second.";
    Nondeterministic = 312, "different results for the same inputs",
        "The same compiled code gave different results for the same arguments. adc's own code cannot do that; a native function that keeps state can. Such a derivative cannot be checked.";
    NotLinear = 313, "a function that is not linear in its `#[linear]` parameters",
        "`#[linear]` says that an extern function is linear over the reals in the marked parameters, in all of them together: its tangent is the function itself at their tangents, and 0 gives 0. Differences, or f(u + 2w) = f(u) + 2 f(w), say otherwise. A constant, a limit, a product of two of them, or a value of the last call that is not cleared are the usual reasons. Correct the native code, or remove the attribute.";
    // 04xx: points where a function is not smooth, and what rounding does.
    Kink = 401, "a point where the function is not differentiable",
        "The slopes to the left and to the right differ, and the derivative lies between them: a subgradient, which is accepted. `max` and `min` share a tie equally, `abs` gives 0 at 0, an `if` gives the derivative of the branch that is taken.";
    NonFinite = 402, "a derivative that is not finite although the value is",
        "The function's value is finite at the point, the derivative is NaN or infinite. The expression shown is the first whose derivative (or value, in the derivative program) is not finite although everything it is computed from is; if the result is NaN, the second label is where an infinity met a 0 or another infinity. `x*sqrt(x)` is such a function at 0: the derivative of the root is infinite there, and 0 times that is NaN. Where another way to write the function is known that has a derivative there, a help line says so. An untaken branch never causes this.";
    BadKink = 403, "a derivative that does not lie between the one-sided slopes",
        "The slopes to the left and to the right differ, and the derivative is neither of them nor between them. Or the function is smooth although its parts are not (`max(x, 0) - max(-x, 0)`), and what the parts give at their kinks does not add up to its derivative.";
    Discontinuous = 404, "a function that jumps",
        "The function's value jumps at the point, so it has no derivative there. The op named decides which side is taken. Choose other points, or accept it with `expect discontinuous`.";
    OutOfDomain = 405, "a function without a value on one side of the point",
        "At displaced points on one side the function is NaN, infinite, or ends in an error, so there is nothing to compare on that side. With a declared domain (`x: f64 in [0, INF)`) all differences are taken inside it.";
    Unsure = 406, "a derivative that differences cannot judge",
        "Differences at different steps contradict each other, or have too few digits: the resolution printed is the smallest relative error they would have seen. Neither a pass nor a failure; with `--strict` a failure. Choose other points or, for native functions, `--classic`.";
    LosesDigits = 407, "a derivative that loses digits to rounding",
        "The derivative's formula is right: evaluated in double-double it agrees with the differences. In double precision it is off by more than rounding of its inputs explains. Off by more than 1e-6 it is a failure (`unstable`), by less a warning (`imprecise`). Subtracting nearly equal numbers is the usual reason: `1 - tanh(x)^2` for large x is `1/cosh(x)^2`.";
    Unchecked = 408, "a derivative without a difference to compare it with",
        "The function ends in an error or is not finite at all displaced points, or those points round to the point itself. Such entries are counted, and do not pass.";
    // 05xx: run-time errors of models.
    IntegerOverflow = 501, "integer overflow",
        "An `i64` operation left the range of 64-bit signed integers.";
    DivisionByZero = 502, "integer division by zero",
        "`div` and `mod` of integers need a divisor that is not 0.";
    BadConversion = 503, "a conversion to `i64` that has no value",
        "`i64(x)` needs a finite real inside the range of 64-bit signed integers.";
    DomainError = 504, "an argument outside its declared domain",
        "A parameter declared `x: f64 in …` was given a value outside.";
    AssertFailed = 505, "an `assert` that failed",
        "The condition of an `assert` statement was false.";
    ExternFailed = 506, "an extern function that reported failure",
        "The native code returned a status that is not 0.";
    IndexOutOfRange = 507, "an index outside its array",
        "Indices are 0-based: the last one is the size minus 1. Negative indices do not count from the end.";
    EmptyReduction = 508, "a maximum or minimum of nothing",
        "`max`, `min`, `argmax` and `argmin` over an empty range have no value; `sum` is 0 there, `prod` 1, `any` false, `all` true.";
    BadStep = 509, "a loop whose step is not positive",
        "`for i in a..b step s` counts upwards; `s` must be at least 1.";
    Singular = 510, "a singular matrix",
        "`solve` and `inv` need a matrix that is not exactly singular, `cholesky` one that is positive definite.";
    OutOfFuel = 511, "a run that did not end within its limit",
        "Every `for`, `while`, reduction and comprehension counts its iterations. The limit ends runs that would not stop.";
    OutOfMemory = 512, "a run that needs more memory than allowed",
        "The arrays alive at one time have a memory limit.";
    NegativeSize = 513, "an array of negative size",
        "A size such as `N - 1` is negative for the dimensions of this run.";
    NotFinite = 514, "an operation that gives NaN or an infinity",
        "`--trap-nan` stops at the first operation that gives NaN or an infinity although everything it reads is finite.";
    // 06xx: limits.
    TooDeep = 601, "nesting that is too deep",
        "Expressions, blocks and types may nest to a documented depth. Name parts with `let`.";
    TooLarge = 602, "a source file that is too large",
        "A file and the files it uses have a documented size limit.";
    TooMuchCode = 603, "a program that expands to too much code or work",
        "Calls of calls multiply, and so do derivatives of derivatives and functions made for one size after the other. The work of one call, and what is made of a program, have documented limits.";
    ArrayTooLarge = 604, "an array that is too large",
        "With these dimensions an array has more bytes than the documented limit.";
    // 07xx: differentiation.
    NotDifferentiable = 701, "a derivative with respect to something discrete",
        "Integers and booleans carry no derivative. Make the parameter real, or leave it out of `wrt`.";
    NoRule = 702, "an extern function without a derivative",
        "Native code cannot be differentiated: write `rule vjp`, `rule jvp` or `rule partial` for it, or take the parameter out with `nodiff`.";
    NonLinearRule = 703, "a rule that is not linear",
        "A tangent or cotangent may only be added, negated, scaled by values that do not depend on it, conjugated, or split in `re` and `im`.";
    BadRule = 704, "a rule that does not match its function",
        "The rule's parameters, tangents or results do not match the function's.";
    NoOutput = 705, "nothing to differentiate",
        "The function has no result that could carry a derivative.";
    NeedsScalar = 706, "a gradient of something that is not one real scalar",
        "`grad` wants one real scalar result. Choose one with `--output`, give `--cotangent`, or ask for `--jacobian`.";
    BadWrt = 707, "a `wrt` that does not match its function",
        "`wrt` names parameters of the function that is differentiated, each once, or gives positions from 0, which is the only way for a function parameter.";
    NoPattern = 708, "a sparsity pattern that cannot be seen from the program",
        "Which entries of a Jacobian can be different from zero follows from the dimensions and the integer inputs, unless the size of an array or the number of results of a loop depends on real numbers.";
    NotASum = 709, "a function that is not a sum over rows",
        "Blocks of rows can be worked on one by one if the function is a sum over the rows, each term of one row alone, plus terms that do not depend on the rows, times factors that depend on no row but maybe on their number. The label shows what stands in the way.";
    // 08xx: the world outside.
    Io = 801, "a file that cannot be read or written",
        "Check the path and the permissions.";
    BadUsage = 802, "an invalid request",
        "A flag, point or option does not fit the model.";
    Library = 803, "a native library that cannot be used",
        "The file named by `--lib` could not be loaded, or lacks a function the model declares `extern`.";
    BadPoint = 804, "a point that cannot be read",
        "A point is `x=1.5,z=0.3+0.4i,v=[1,2],A=@a.npy`, or JSON in a file (`@file.json`) or on standard input (`-`).";
    BadShape = 805, "an argument of the wrong size",
        "In a call, a dimension has one value: every argument must have the sizes of its parameter's type. A dimension that no argument has as a size is given with `--dims N=3`, or `with_dims` in the library.";
    NoNotation = 806, "a program without a mathematical notation",
        "`adc emit --emit=latex` and `--emit=math` refuse a program for which there is no notation yet. The label shows what lacks one.";
    // 09xx: bugs in adc.
    Internal = 901, "a bug in adc",
        "An internal check failed, which no input should cause. Please report it.";
    Unsupported = 902, "a program the code generator cannot compile",
        "The native code generator refused the program.";
    // 10xx: lints. They never change an exit code.
    UnusedVariable = 1001, "a variable that nothing reads",
        "A `let` or `var` whose value is never used is a leftover, or another name was used by mistake. Remove it, or write `_` in its place; a name that starts with `_` is not reported. `#[allow(unused_variable)]` on the statement or function, or `--allow unused_variable`, accepts it.";
    UnusedParameter = 1002, "a parameter that nothing reads",
        "The function's value does not depend on the parameter, so every derivative with respect to it is 0. Remove it, or start its name with `_`. Not reported: parameters of extern functions and of rules, those that give a dimension its value, and those of functions that are passed as arguments, since these must have a given type. `#[allow(unused_parameter)]` accepts it.";
    UnusedFunction = 1003, "a function that nothing uses",
        "In a file with `check` or `bench` blocks, the function is called by nothing that they or the models of the file reach, and is no model itself: it has no real or complex parameter and result, or it takes a function. Remove it, or write a `check` block for a function that calls it. A function that could be checked or run on its own is never reported. `#[allow(unused_function)]` accepts it.";
    Shadowing = 1004, "a variable that hides another one",
        "From here to the end of the block the name means another value than before. That is allowed, and a `let` whose value uses the old one, as in `let x = x/2;`, is not reported; otherwise it may be a mistake, since what follows cannot see the first variable. Rename one of them. `#[allow(shadowing)]` accepts it.";
    ConstantCondition = 1005, "a condition that is always true or always false",
        "One side of the branch can never run. A condition of literals, or one that compares something with itself, is a leftover or a mistake. (Conditions on named constants and on dimensions are not reported: they are what such names are for.) `#[allow(constant_condition)]` accepts it.";
    FloatEquality = 1006, "an exact comparison of real or complex numbers",
        "Rounding makes computed numbers differ that are equal in mathematics, so `==` is seldom true where it is meant to be. Where it is true, the derivative is that of the branch taken, at this one point only: `if g == 1 { log(c) } else { … }` has the derivative 0 with respect to `g` at 1. Compare with a tolerance, `abs(a - b) <= 1e-9`; make labels and counts `i64`; test for NaN with `isnan(x)`. Comparisons with 0 and infinities are not reported. `#[allow(float_equality)]` accepts it.";
    UnstableFormula = 1007, "a formula with a more accurate form",
        "The formula loses digits, overflows, or has a derivative that is NaN, where a built-in function has the right value and derivative: `log(1 + x)` is `log1p(x)`, `exp(x) - 1` is `expm1(x)`, `1/(1 + exp(-x))` is `sigmoid(x)`, `log(1 + exp(x))` is `softplus(x)`, `sqrt(x^2 + y^2)` is `hypot(x, y)`, `sqrt(sum(x[i]^2 for i))` is `norm(x[i] for i)`, `log(sum(exp(x)))` is `logsumexp(x)`, `1 - cos(x)` is `2*sin(x/2)^2`, `1 - erf(x)` is `erfc(x)`, `log(det(A))` is `logdet(A)`, `inv(A) @ b` is `solve(A, b)`, and some more. `adc check --fix` writes the forms that are the same function. `#[allow(unstable_formula)]` accepts it.";
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ADC{:04}", *self as u16)
    }
}

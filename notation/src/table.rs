//! The notation of every op, and how tightly each binds.

use adc_ir::{Op, ops};

/// How tightly an expression binds. A place that requires more puts delimiters around it.
pub(super) type Level = u8;
/// Anything: the place is delimited.
pub(super) const ANY: Level = 0;
/// `a ∧ b`
pub(super) const LOGIC: Level = 1;
/// `a < b`, also `a mod b`
pub(super) const COMPARE: Level = 2;
/// `a + b`, `-a`
pub(super) const SUM: Level = 3;
/// `a b`
pub(super) const PRODUCT: Level = 4;
/// `sin x`: the last factor of a product, or alone.
pub(super) const APPLY: Level = 5;
/// `x²`: any factor of a product.
pub(super) const POWER: Level = 6;
/// `x`: what may be a base.
pub(super) const ATOM: Level = 7;

/// How an op is written.
pub(super) enum Form {
    /// Sums, products, quotients, powers and conversions: [`crate::build`] makes other expressions of them.
    Structure,
    /// A function by the op's own name.
    Named,
    /// A named function of one operand, in LaTeX and in plain text.
    Function(&'static str, &'static str),
    /// Anything else, in LaTeX and in plain text, each with its level. `#01` is operand 0 at level 1.
    Template(&'static str, Level, &'static str, Level),
}

/// The one table of notations.
#[rustfmt::skip]
pub(super) fn form(op: Op) -> Form {
    use Form::{Function, Named, Structure, Template};
    match op {
        Op::Neg | Op::Add | Op::Sub | Op::Mul | Op::Div | Op::Fma | Op::Recip | Op::Square | Op::Powi | Op::Pow
        | Op::Complex | Op::Cis | Op::Select | Op::ToF64 | Op::ToF32 | Op::ToC => Structure,
        Op::Idiv => Template(r"\left\lfloor \frac{#00}{#10} \right\rfloor", ATOM, "⌊#04/#16⌋", ATOM),
        Op::Mod => Template(r"#06 \bmod #16", COMPARE, "#06 mod #16", COMPARE),
        Op::Exp => Template(r"\mathrm{e}^{#00}", POWER, "exp(#00)", ATOM),
        Op::Expm1 => Template(r"\mathrm{e}^{#00} - 1", SUM, "exp(#00) - 1", SUM),
        Op::Exp2 => Template("2^{#00}", POWER, "2^#07", POWER),
        Op::Log => Function(r"\ln", "ln"),
        Op::Log2 => Function(r"\log_{2}", "log₂"),
        Op::Log10 => Function(r"\log_{10}", "log₁₀"),
        Op::Log1p => Template(r"\ln\left(1 + #04\right)", POWER, "ln(1 + #04)", ATOM),
        Op::Sqrt => Template(r"\sqrt{#00}", POWER, "√(#00)", POWER),
        Op::Cbrt => Template(r"\sqrt[3]{#00}", POWER, "∛(#00)", POWER),
        Op::Sin => Function(r"\sin", "sin"),
        Op::Cos => Function(r"\cos", "cos"),
        Op::Tan => Function(r"\tan", "tan"),
        Op::Asin => Function(r"\arcsin", "arcsin"),
        Op::Acos => Function(r"\arccos", "arccos"),
        Op::Atan => Function(r"\arctan", "arctan"),
        Op::Sinh => Function(r"\sinh", "sinh"),
        Op::Cosh => Function(r"\cosh", "cosh"),
        Op::Tanh => Function(r"\tanh", "tanh"),
        Op::Asinh => Function(r"\operatorname{arsinh}", "arsinh"),
        Op::Acosh => Function(r"\operatorname{arcosh}", "arcosh"),
        Op::Atanh => Function(r"\operatorname{artanh}", "artanh"),
        Op::Sigmoid => Template(r"\frac{1}{1 + \mathrm{e}^{-#04}}", POWER, "1/(1 + exp(-#04))", PRODUCT),
        Op::Softplus => Template(r"\ln\left(1 + \mathrm{e}^{#00}\right)", POWER, "ln(1 + exp(#00))", ATOM),
        Op::LogSigmoid => Template(r"-\ln\left(1 + \mathrm{e}^{-#04}\right)", SUM, "-ln(1 + exp(-#04))", SUM),
        Op::Logaddexp => Template(
            r"\ln\left(\mathrm{e}^{#00} + \mathrm{e}^{#10}\right)", POWER, "ln(exp(#00) + exp(#10))", ATOM),
        Op::Gamma => Function(r"\Gamma", "Γ"),
        Op::J0 => Function("J_{0}", "J₀"),
        Op::J1 => Function("J_{1}", "J₁"),
        Op::Y0 => Function("Y_{0}", "Y₀"),
        Op::Y1 => Function("Y_{1}", "Y₁"),
        Op::Jn => Template(r"J_{#00}\left(#10\right)", POWER, "jn(#00, #10)", ATOM),
        Op::Yn => Template(r"Y_{#00}\left(#10\right)", POWER, "yn(#00, #10)", ATOM),
        Op::Lgamma => Template(r"\ln\left|\Gamma\left(#00\right)\right|", POWER, "ln|Γ(#00)|", POWER),
        Op::Digamma => Template(r"\psi^{(0)}\left(#00\right)", POWER, "ψ⁽⁰⁾(#00)", ATOM),
        Op::Polygamma => Template(r"\psi^{\left(#00\right)}\left(#10\right)", POWER, "polygamma(#00, #10)", ATOM),
        Op::Hypot => Template(r"\sqrt{#07^{2} + #17^{2}}", POWER, "√(#07² + #17²)", POWER),
        Op::Min => Template(r"\min\left(#00, #10\right)", POWER, "min(#00, #10)", ATOM),
        Op::Max => Template(r"\max\left(#00, #10\right)", POWER, "max(#00, #10)", ATOM),
        Op::Clamp => Template(
            r"\min\left(\max\left(#00, #10\right), #20\right)", POWER, "min(max(#00, #10), #20)", ATOM),
        Op::Floor => Template(r"\left\lfloor #00 \right\rfloor", ATOM, "⌊#00⌋", ATOM),
        Op::Ceil => Template(r"\left\lceil #00 \right\rceil", ATOM, "⌈#00⌉", ATOM),
        Op::Trunc | Op::ToI64 => Function(r"\operatorname{trunc}", "trunc"),
        Op::Abs => Template(r"\left|#00\right|", ATOM, "abs(#00)", ATOM),
        Op::Sign => Function(r"\operatorname{sgn}", "sgn"),
        Op::Abs2 => Template(r"\left|#00\right|^{2}", POWER, "abs(#00)²", POWER),
        Op::Conj => Template(r"\overline{#00}", POWER, "conj(#00)", ATOM),
        Op::Re => Function(r"\operatorname{Re}", "Re"),
        Op::Im => Function(r"\operatorname{Im}", "Im"),
        Op::Arg => Function(r"\arg", "arg"),
        Op::Lt => Template("#03 < #13", COMPARE, "#03 < #13", COMPARE),
        Op::Le => Template(r"#03 \le #13", COMPARE, "#03 ≤ #13", COMPARE),
        Op::Gt => Template("#03 > #13", COMPARE, "#03 > #13", COMPARE),
        Op::Ge => Template(r"#03 \ge #13", COMPARE, "#03 ≥ #13", COMPARE),
        Op::Eq => Template("#03 = #13", COMPARE, "#03 = #13", COMPARE),
        Op::Ne => Template(r"#03 \ne #13", COMPARE, "#03 ≠ #13", COMPARE),
        Op::And => Template(r"#02 \land #12", LOGIC, "#02 ∧ #12", LOGIC),
        Op::Or => Template(r"#02 \lor #12", LOGIC, "#02 ∨ #12", LOGIC),
        Op::Not => Template(r"\lnot #07", LOGIC, "¬#07", LOGIC),
        Op::Sech2 => Template(r"\operatorname{sech}^{2}\left(#00\right)", POWER, "sech(#00)²", POWER),
        Op::DSigmoid => Template(
            r"\frac{1}{4 \cosh^{2}\left(\frac{#00}{2}\right)}", POWER, "1/(4·cosh(#04/2)²)", PRODUCT),
        Op::DSinc => Template(
            r"\operatorname{sinc}^{\left(#00\right)}\left(#10\right)", POWER, "dsinc(#00, #10)", ATOM),
        Op::StopGradient => Function(r"\operatorname{sg}", "sg"),
        ops!(Elementary) | ops!(ElementaryInt) | ops!(Order) | ops!(Test) => Named,
    }
}

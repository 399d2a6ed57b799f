//! What `adc explain` says of the words of the language: of each a meaning and an example, which a test runs.

use super::topics::TOPICS;
use crate::Model;
use adc_frontend::{BUILTINS, Builtin, NAMED};

/// Words with a syntax of their own: what they mean, and a program that uses them.
#[rustfmt::skip]
const WORDS: &[(&[&str], &str, &str)] = &[
    (&["fn"], "a function: dimensions, parameters with their types, the type of the result, a body whose last expression is its value",
        "fn mean_square[N](x: f64[N]) -> f64 { sum(x[i]^2 for i)/f64(N) }"),
    (&["let"], "a name for a value; `let (a, b) = e;` takes a tuple apart",
        "fn f(x: f64) -> f64 { let y = x^2; y + 1 }"),
    (&["var"], "a variable, which can be assigned; it has a value from the start",
        "fn f[N](x: f64[N]) -> f64 { var s = 0.0; for i in 0..N { s += x[i]; } s }"),
    (&["const"], "a constant, evaluated when the file is compiled", "const G: f64 = 9.81;\nfn weight(m: f64) -> f64 { m*G }"),
    (&["if", "else"], "a choice; the branch not taken has no effect on the value or on any derivative. For arrays: `select`",
        "fn f(x: f64) -> f64 { if x > 0 { x } else if x < -1 { -1.0 } else { 0.0 } }"),
    (&["for", "in", "step"], "a loop over `a..b`, without `b`; as a generator, the terms of a reduction or the entries of an array",
        "fn f[N](x: f64[N]) -> f64 { var s = 0.0; for i in 0..N step 2 { s += x[i]; } s + sum(x[i]^2 for i) }"),
    (&["while"], "a loop as long as a condition holds; the run limit ends one that does not stop",
        "fn f(x: f64) -> f64 { var y = x; while y < 10 { y = 2*y + 1; } y }"),
    (&["use"], "takes the items of another file, whose path is relative to this one", "fn f(x: f64) -> f64 { x }\n// use \"other.dsl\";"),
    (&["extern"], "a function in native code, from `--lib` or the host program", "extern fn tank(level: f64) -> f64;\nfn f(x: f64) -> f64 { x }"),
    (&["true", "false"], "the values of type `bool`", "fn f(x: f64) -> bool { if x > 0 { true } else { false } }"),
    (&["assert"], "ends the run with a message if its condition is false; also in derivatives. At the start of a block `assert mod(N, 2) == 0;` is a fact about sizes, too",
        "fn f(x: f64) -> f64 { assert x > 0, \"x must be positive\"; log(x) }\nfn swap[N](x: f64[N]) -> f64[N] { assert mod(N, 2) == 0; let h = div(N, 2); concat(x[h:], x[:h]) }"),
    (&["^"], "a power, of arrays entry by entry: the product of a matrix with itself is `A @ A`, its inverse `inv(A)`, its transpose `A'`",
        "fn f[N](A: f64[N, N], x: f64[N]) -> f64 { sum(A^2) + sum(A @ A @ x) }"),
    (&["@"], "the product of matrices and vectors, without conjugation; `*` multiplies entry by entry",
        "fn f[N, M](A: f64[N, M], x: f64[M]) -> f64[N] { A @ x }"),
    (&["axis"], "the axis along which a reduction, `softmax`, `cumsum` or `cumprod` works; the first one is 0",
        "fn f[N, M](A: f64[N, M]) -> f64[N] { sum(A, axis = 1) }"),
    (&["rule", "out"], "a derivative written by hand: `rule vjp` (times the cotangent `g`), `rule jvp` (times the tangents) or `rule partial`; `out` is the value",
        "fn logistic(t: f64) -> f64 { 1/(1 + exp(-t)) }\nrule vjp logistic(t; g) { g*out*(1 - out) }"),
    (&["partial", "d", "dconj"], "the partial derivatives of a scalar function: `d x`, of a complex parameter also `dconj z`",
        "fn modulus2(z: c128) -> f64 { abs2(z) }\nrule partial modulus2(z) { d z: conj(z); }"),
    (&["check"], "what `adc check` does with a function: its inputs, and how they are compared",
        "fn f(x: f64, a: f64) -> f64 { a*sin(x) }\ncheck f { x ~ normal(0, 1); a = 2; points 8; }"),
    (&["bench", "max_ratio", "primal"], "what `adc bench` measures; `max_ratio` bounds the work of a derivative over that of the function",
        "fn f[N](x: f64[N]) -> f64 { sum(x^2) }\nbench f[N = 1000] { x ~ normal(0, 1); modes primal, vjp; max_ratio 4; }"),
    (&["wrt"], "the parameters that are differentiated", "fn f(x: f64, a: f64) -> f64 { a*x^2 }\nfn slope(x: f64, a: f64) -> f64 { grad(f, wrt = x)(x, a) }\ncheck f { wrt x; }"),
    (&["nodiff"], "a parameter that is not differentiated: `#[nodiff]` in front of it, or a line of a block",
        "fn f(x: f64, #[nodiff] a: f64) -> f64 { a*x^2 }\ncheck f { nodiff a; }"),
    (&["outputs"], "the results that a `check` block compares", "fn f(x: f64) -> (a: f64, b: f64) { (x, x^2) }\ncheck f { outputs b; }"),
    (&["modes", "slow", "fast", "forward", "gradgrad"], "what is compared: every entry, random directions, forward mode, second derivatives",
        "fn f(x: f64) -> f64 { x^2 }\ncheck f { modes slow, fast, forward, gradgrad; }"),
    (&["points", "seed", "edge"], "how many points are drawn, from which seed, and whether bounds, ±0 and ties are among them",
        "fn f(x: f64) -> f64 { x^2 }\ncheck f { points 8; seed 1; edge; }"),
    (&["eps", "atol", "rtol"], "step and tolerances in the classic manner; without them they are automatic",
        "fn f(x: f64) -> f64 { x^2 }\ncheck f { eps 1e-6; atol 1e-5; rtol 1e-3; }"),
    (&["fuel", "memory_limit"], "limits of a run: iterations, and bytes", "fn f(x: f64) -> f64 { x^2 }\ncheck f { fuel 100000; memory_limit 1000000; }"),
    (&["expect"], "the verdict a `check` block is fine with: `expect fail;`, `expect kink;`, …", "fn f(x: f64) -> f64 { abs(x) }\ncheck f { x = 0; expect kink; }"),
    (&["normal", "uniform", "lognormal", "near"], "distributions of real inputs: of complex ones, real and imaginary part each are normal",
        "fn f(x: f64, y: f64, z: f64, w: f64) -> f64 { x*y*z*w }\ncheck f { x ~ normal(0, 1); y ~ uniform(-1, 1); z ~ lognormal(0, 1); w ~ near(1, 0.1); }"),
    (&["int", "choice"], "distributions of integers (bounds included), and of listed values",
        "fn f(x: f64, n: i64) -> f64 { x^n }\ncheck f { n ~ int(1, 3); x ~ choice(0.5, 2.0); }"),
    (&["disk", "annulus"], "complex numbers up to a radius, and between two radii",
        "fn f(z: c128 in disk(2), w: c128) -> f64 { abs2(z*w) }\ncheck f { w ~ annulus(1, 2); }"),
    (&["load"], "an input of a block from a file in NumPy's format", "fn f[N](x: f64[N]) -> f64 { sum(x) }\n// check f { x = load(\"x.npy\"); }"),
    (&["inline"], "an attribute of functions: calls are replaced by the body", "#[inline]\nfn f(x: f64) -> f64 { x^2 }"),
    (&["fp", "strict", "default"], "an attribute of functions: what may be done with floating-point operations",
        "#[fp(strict)]\nfn f(x: f64) -> f64 { x + 1 - 1 }"),
    (&["checkpoint", "revolve", "none"], "an attribute of loops: what the reverse sweep stores",
        "fn f(x: f64) -> f64 { var y = x; #[checkpoint(revolve, 10)] for i in 0..100 { y = sin(y); } y }"),
    (&["trust", "first_order"], "arguments of `#[check(…)]` on a rule: it is used but not compared, or not compared to second order",
        "fn f(x: f64) -> f64 { x^2 }\n#[check(trust)]\nrule jvp f(x; dx) { 2*x*dx }"),
    (&["linear"], "an attribute of parameters of extern functions: the results are linear over the reals in all of them together, so rules may pass tangents and cotangents",
        "extern fn tank(x: f64) -> f64;\nextern fn tank_adjoint(x: f64, #[linear] g: f64) -> f64;\nrule vjp tank(x; g) { tank_adjoint(x, g) }"),
    (&["nonlinear"], "an attribute of `vjp` rules that are not linear in the cotangent, such as gradient clipping; not compared, reverse mode only",
        "fn clip(x: f64) -> f64 { x }\n#[nonlinear]\nrule vjp clip(x; g) { clamp(g, -1, 1) }"),
    (&["bool", "i64", "f32", "f64", "c64", "c128"], "the types of scalars; as functions they convert; arrays have their sizes in brackets",
        "fn f[N](n: i64, x: f64[N], z: c128) -> f64 { f64(n)*sum(x) + re(z) }"),
    (&["grad", "value_and_grad"], "the gradient of a function with one real result, as a function",
        "fn f(x: f64) -> f64 { x^3 }\nfn slope(x: f64) -> f64 { grad(f)(x) }\nfn both(x: f64) -> (f64, f64) { value_and_grad(f)(x) }"),
    (&["jvp", "value_and_jvp"], "the derivative along tangents, which follow `;`. Also a kind of rule",
        "fn f(x: f64) -> f64 { x^3 }\nfn along(x: f64, v: f64) -> f64 { jvp(f)(x; v) }"),
    (&["vjp", "value_and_vjp"], "cotangents of the parameters for those of the results, which follow `;`. Also a kind of rule",
        "fn f(x: f64) -> f64 { x^3 }\nfn back(x: f64, g: f64) -> f64 { vjp(f)(x; g) }"),
    (&["hvp"], "the derivative of the gradient along a direction", "fn f(x: f64) -> f64 { x^3 }\nfn g(x: f64, v: f64) -> f64 { hvp(f)(x; v) }"),
    (&["jacobian"], "all derivatives of all results", "fn f[N](x: f64[N]) -> f64[N] { x^2 }\nfn g[N](x: f64[N]) -> f64[N, N] { jacobian(f)(x) }"),
    (&["hessian", "hess_diag"], "the second derivatives of a function with one real result, or their diagonal",
        "fn f[N](x: f64[N]) -> f64 { sum(x^3) }\nfn h[N](x: f64[N]) -> f64[N, N] { hessian(f)(x) }\nfn g[N](x: f64[N]) -> f64[N] { hess_diag(f)(x) }"),
    (&["stop_gradient"], "the identity, with derivative zero", "fn f(x: f64) -> f64 { x*stop_gradient(x) }"),
];

/// An example of each built-in: the type of its value, and the expression.
#[rustfmt::skip]
const EXAMPLES: &[(&[&str], &str, &str)] = &[
    (&["conj", "cis"], "c128", "{}(1 + 2i)"),
    (&["re", "im", "arg"], "f64", "{}(1 + 2i)"),
    (&["isnan", "isfinite", "isinf"], "bool", "{}(0.5)"),
    (&["acosh"], "f64", "{}(1.5)"),
    (&["hypot", "atan2", "copysign", "logaddexp", "mod", "pow", "min", "max"], "f64", "{}(3.0, 2.0)"),
    (&["div"], "i64", "{}(7, 2)"),
    (&["clamp", "fma"], "f64", "{}(1.5, 0.0, 1.0)"),
    (&["select"], "f64", "{}(1 > 2, 3.0, 4.0)"),
    (&["polygamma"], "f64", "{}(1, 0.5)"),
    (&["sum", "prod", "mean", "norm", "logsumexp"], "f64", "{}([1.0, 2.0, 3.0])"),
    (&["argmax", "argmin"], "i64", "{}([1.0, 3.0, 2.0])"),
    (&["any", "all"], "bool", "{}([true, false])"),
    (&["zeros", "ones", "eye"], "f64[2, 2]", "{}(2, 2)"),
    (&["fill"], "f64[2]", "{}(1.5, 2)"),
    (&["iota"], "i64[3]", "{}(3)"),
    (&["slice"], "f64[2]", "{}([1.0, 2.0, 3.0], 1, 2)"),
    (&["softmax", "cumsum", "cumprod", "flip", "sort"], "f64[3]", "{}([1.0, 3.0, 2.0])"),
    (&["argsort"], "i64[3]", "{}([1.0, 3.0, 2.0])"),
    (&["transpose", "inv", "cholesky"], "f64[2, 2]", "{}([[2.0, 1.0], [1.0, 2.0]])"),
    (&["trace", "det", "logdet"], "f64", "{}([[2.0, 1.0], [1.0, 2.0]])"),
    (&["reshape"], "f64[2, 2]", "{}([1.0, 2.0, 3.0, 4.0], 2, 2)"),
    (&["concat"], "f64[3]", "{}([1.0], [2.0, 3.0])"),
    (&["stack"], "f64[2, 2]", "{}([1.0, 2.0], [3.0, 4.0])"),
    (&["gather"], "f64[2]", "{}([1.0, 2.0, 3.0], [2, 0])"),
    (&["diag"], "f64[2, 2]", "{}([1.0, 2.0])"),
    (&["outer"], "f64[2, 2]", "{}([1.0, 2.0], [3.0, 4.0])"),
    (&["dot"], "f64", "{}([1.0, 2.0], [3.0, 4.0])"),
    (&["eigh"], "(f64[2], f64[2, 2])", "{}([[2.0, 1.0], [1.0, 2.0]])"),
    (&["eigvalsh"], "f64[2]", "{}([[2.0, 1.0], [1.0, 2.0]])"),
    (&["qr"], "(f64[2, 2], f64[2, 2])", "{}([[3.0, 0.0], [4.0, 5.0]])"),
    (&["svd"], "(f64[2, 2], f64[2], f64[2, 2])", "{}([[3.0, 0.0], [4.0, 5.0]])"),
    (&["svdvals"], "f64[2]", "{}([[3.0, 0.0], [4.0, 5.0]])"),
    (&["solve"], "f64[2]", "{}([[2.0, 1.0], [1.0, 2.0]], [1.0, 0.0])"),
];

/// The example of a built-in: type and expression.
fn example(name: &str) -> (&'static str, String) {
    let row = EXAMPLES.iter().find(|(names, ..)| names.contains(&name));
    // Most take one real number.
    let (_, ty, form) = row.copied().unwrap_or((&[], "f64", "{}(0.5)"));
    // The identity matrix has one size.
    let form = if name == "eye" { "{}(2)" } else { form };
    (ty, form.replace("{}", name))
}

/// What is known of a word of the language.
pub(super) fn page(word: &str) -> Option<String> {
    let mut out = String::new();
    if let Some((_, meaning, program)) = WORDS.iter().find(|(words, ..)| words.contains(&word)) {
        out += &format!("{word}: {meaning}\n");
        program.lines().for_each(|line| out += &format!("\n    {line}"));
        out += "\n";
    }
    if let Some(b) = Builtin::find(word) {
        let (ty, expression) = example(word);
        out += &format!("{word}, a built-in function: {}\n  {expression}{}\n", b.doc, value(ty, &expression));
    }
    if let Some((_, named)) = NAMED.iter().find(|(name, _)| *name == word) {
        out += &format!("{word}, a constant: {}\n", adc_ir::numbers::real(named.value(false)));
    }
    (!out.is_empty()).then_some(out)
}

/// What a word of the language means, in one line.
pub(super) fn meaning(word: &str) -> Option<&'static str> {
    let row = WORDS.iter().find(|(words, ..)| words.contains(&word));
    row.map(|(_, meaning, _)| *meaning).or_else(|| Builtin::find(word).map(|b| b.doc))
}

/// What to write in place of a word of another language.
pub(super) fn foreign(word: &str) -> Option<String> {
    Some(format!("{word}: not part of the language; {}\n", adc_frontend::instead(word)?))
}

/// ` = 0.479425538604203`, with the interpreter's value.
fn value(ty: &str, expression: &str) -> String {
    let run = || {
        let model = Model::parse("example.dsl", &format!("fn example() -> {ty} {{ {expression} }}")).ok()?;
        let values = model.function("example").ok()?.interpret(&crate::Options::default(), &[]).ok()?;
        values.first().map(super::point::value_text)
    };
    run().map_or_else(String::new, |v| format!(" = {v}"))
}

/// Every word with a page, in order, with a short line.
pub(super) fn list() -> Vec<(&'static str, &'static str)> {
    let words = WORDS.iter().flat_map(|(words, meaning, _)| words.iter().map(move |w| (*w, *meaning)));
    let builtins = BUILTINS.iter().map(|b| (b.name, b.doc));
    let mut all: Vec<_> =
        words.chain(builtins).filter(|(w, _)| TOPICS.iter().all(|(t, ..)| t != w)).collect();
    all.sort_unstable();
    all.dedup_by_key(|(w, _)| *w);
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_has_an_example_that_runs() {
        for (words, _, program) in WORDS {
            if let Err(e) = Model::parse("example.dsl", program) {
                panic!("{words:?}: {e}");
            }
            // The example shows them.
            let shown = |w: &&str| program.contains(*w) || matches!(*w, "true" | "default" | "first_order");
            let named = words.iter().any(shown);
            assert!(named, "{words:?}");
        }
    }

    #[test]
    fn every_built_in_has_an_example_that_runs() {
        for b in BUILTINS.iter() {
            let (ty, expression) = example(b.name);
            assert!(!value(ty, &expression).is_empty(), "{expression}");
            assert!(page(b.name).is_some());
        }
    }

    #[test]
    fn every_keyword_of_the_language_page_is_known() {
        let book = include_str!("../../book/src/language.md");
        let line = book.lines().find(|l| l.contains("eywords")).expect("the page lists the keywords");
        let words = line.split('`').skip(1).step_by(2).flat_map(str::split_whitespace);
        let unknown: Vec<&str> =
            words.filter(|w| w.chars().all(|c| c.is_ascii_lowercase()) && page(w).is_none()).collect();
        assert!(unknown.is_empty(), "{unknown:?}");
    }
}

//! Where functions are checked: what default points find, and that the line under a failure repeats it to the last digit.

use crate::common;

use common::{Run, adc, adc_with_stdin};
use std::path::Path;
use std::process::Command;

/// A model in a file of its own.
fn file(name: &str, source: &str) -> String {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("points_{name}.dsl"));
    std::fs::write(&path, source).expect("a file");
    path.to_str().expect("a UTF-8 path").to_string()
}

/// Mistakes that hide from few points, or from points in general position.
const MISTAKES: [(&str, &str); 7] = [
    (
        "far from 0 only",
        "fn f(z: c128) -> f64 { abs2(z) }
rule vjp f(z; g) { if abs(z) > 1.8 { 2*g*z*1.001 } else { 2*g*z } }",
    ),
    (
        "on one side of a cut only",
        "fn f(z: c128) -> c128 { acosh(z) }
rule vjp f(z; g) { g*conj(1/sqrt(z*z - 1)) }",
    ),
    (
        "right on the real axis",
        "fn f(z: c128) -> c128 { z*z*z }
rule vjp f(z; g) { 3*g*re(z)^2 }",
    ),
    (
        "where inputs are equal",
        "fn f(x: f64, y: f64) -> f64 { x*x*y }
rule vjp f(x, y; g) { if x == y { (3*g*x*x, 0) } else { (2*g*x*y, g*x*x) } }",
    ),
    (
        "where entries are equal",
        "fn f[N](x: f64[N]) -> f64 { sum(x[i]^3 for i in 0..N) }
rule vjp f(x; g) { [if i > 0 && x[i] == x[0] { 0 } else { 3*g*x[i]^2 } for i in 0..N] }",
    ),
    (
        "at 1 only",
        "fn f(x: f64) -> f64 { exp(x) }
rule vjp f(x; g) { if x == 1 { g } else { g*exp(x) } }",
    ),
    (
        "at 0 only, in a loop whose bounds of rounding explode",
        "fn f(x: f64) -> f64 { var y = 0.3; for _ in 0..40 { y = 2.5*y*(1 - y) + 0.01*bump(x); } y }
fn bump(x: f64) -> f64 { sin(x) }
rule vjp bump(x; g) { if x == 0 { 0.5*g } else { g*cos(x) } }
check f {}",
    ),
];

#[test]
fn default_points_find_what_hides() {
    for (what, source) in MISTAKES {
        for seed in ["1", "2", "3"] {
            let run = adc_with_stdin(["check", "-", "--seed", seed], source);
            assert_eq!(run.code, 1, "{what}, seed {seed}:\n{}", run.out);
            assert!(run.out.contains("ADC0301"), "{what}, seed {seed}:\n{}", run.out);
        }
    }
}

/// At 0 the root has no derivative, but it loses to the others: elements, and elements of arrays.
#[test]
fn what_loses_a_comparison_has_no_part_in_the_gradient() {
    let cases = [
        ("f64[N]", "let y = -sqrt(x*2); min(y) + max(3*sqrt(x))", "[0,4,1]", "[0, 0.39644660940672627, 0]"),
        (
            "f64[2, N]",
            "let y = [sqrt(x[k]) for k in 0..2]; sum(max(exp(y[k]) for k in 0..2))",
            "[[0,4],[1,0]]",
            "[[0, 1.8472640247326626], [1.3591409142295225, 0]]",
        ),
    ];
    for (ty, body, at, expected) in cases {
        let run = adc_with_stdin(
            ["grad", "-", "--at", &format!("x={at}")],
            &format!("fn f[N](x: {ty}) -> f64 {{ {body} }}"),
        );
        let found = run.out.split_once("∂/∂x").map(|(_, after)| after.replace(['\n', ' '], ""));
        assert_eq!(found, Some(format!("={}", expected.replace(' ', ""))), "{}{}", run.out, run.err);
    }
}

/// A loop without iterations does not solve what has no solution, nor does its derivative, though that is moved out of the loop.
#[test]
fn what_no_iteration_computes_does_not_fail() {
    let source = "fn f[N](n: i64, a: f64[N, N], x: f64[N]) -> f64 {
        var s = sum(x);
        for i in 0..n { s = s + solve(a, x)[0]*f64(i + 1); }
        s
    }";
    let run =
        |n: usize| adc_with_stdin(["grad", "-", "--at", &format!("n={n},a=[[0,0],[0,0]],x=[1,2]")], source);
    let (none, some) = (run(0), run(1));
    assert!(none.code == 0 && none.out.ends_with("∂/∂x = [1, 1]\n"), "{}{}", none.out, none.err);
    assert!(some.code != 0 && some.err.contains("singular"), "{}{}", some.out, some.err);
}

/// A function whose Jacobian is so much work that it is compared whole at the first point only; `rule` is that of one term.
fn large(rule: &str) -> String {
    format!(
        "fn term(x: f64) -> f64 {{ x^3 }}
rule vjp term(x; g) {{ {rule} }}
fn f[N](x: f64[N]) -> f64 {{
    var u = x;
    for k in 0..2000 {{ u = [0.75*u[i] + 0.25*x[mod(i + k, N)] for i in 0..N]; }}
    term(x[0]) + sum(u[i]^2 for i)
}}
check f[N = 40] {{ x ~ normal(0, 1); points 6; }}"
    )
}

#[test]
fn large_models_are_compared_everywhere() {
    let run = adc_with_stdin(["check", "-", "--fn", "f", "--special", "0"], &large("3*g*x^2"));
    assert_eq!(run.code, 0, "{}", run.out);
    assert!(run.out.contains("every entry at 1 point"), "{}", run.out);
    // One of these is right at the first point.
    for wrong in ["if x > 0 { 3.003*g*x^2 } else { 3*g*x^2 }", "if x < 0 { 3.003*g*x^2 } else { 3*g*x^2 }"] {
        let run = adc_with_stdin(
            ["check", "-", "--fn", "f", "--special", "0", "--no-blame", "--shrink", "0"],
            &large(wrong),
        );
        assert_eq!(run.code, 1, "{wrong}\n{}", run.out);
        assert!(run.out.contains("ADC0301") && run.out.contains("x[0]"), "{wrong}\n{}", run.out);
    }
    // What is asked for by name is done everywhere.
    let run =
        adc_with_stdin(["check", "-", "--fn", "f", "--mode", "slow", "--points", "2"], &large("3*g*x^2"));
    assert!(run.code == 0 && !run.out.contains("every entry at"), "{}", run.out);
}

/// Functions with kinks, poles and edges at special values, where nothing is wrong.
#[test]
fn special_points_raise_no_alarm() {
    let right = [
        "fn f(x: f64) -> f64 { abs(x) }",
        "fn f(x: f64, y: f64) -> f64 { sqrt(x*x + y*y) }",
        "fn f(x: f64 in (0, INF)) -> f64 { log(x) + 1/x + sqrt(x) }",
        "fn f(x: f64 in [0, 1]) -> f64 { sqrt(x)*asin(x) }",
        "fn f(x: f64, y: f64) -> f64 { max(x, y)*min(x, y) + x/y }",
        "fn f(z: c128) -> c128 { log(z)*sqrt(z) + acosh(z)/z }",
        "fn f(z: c128) -> f64 { abs(z) + arg(z) }",
        "fn f[N](x: f64[N]) -> f64 { max(x[i] for i in 0..N) }",
        "fn f[N](x: f64[N]) -> f64 { log(sum(exp(x[i]) for i in 0..N)) }",
        "fn f(x: f64) -> f64 { if x == 0 { 1 } else { sin(x)/x } }",
    ];
    for source in right {
        for seed in ["1", "2"] {
            let run = adc_with_stdin(["check", "-", "--special", "100", "--seed", seed], source);
            assert_eq!(run.code, 0, "{source}\n{}{}", run.out, run.err);
            assert!(run.out.contains(" special"), "{}", run.out);
        }
    }
}

/// Where the value is fine and the function smooth, a derivative that ends in a run-time error is a mistake.
#[test]
fn derivatives_that_end_are_found() {
    let exp = "fn f(x: f64) -> f64 { exp(x) }
rule vjp f(x; g) { assert x != 1, \"x is 1\"; g*exp(x) }";
    let sine = "fn f(x: f64) -> f64 { sin(x) }  rule vjp f(x; g) { g*c(x) }
fn c(x: f64) -> f64 { cos(x) }  rule vjp c(x; g) { assert x != 1, \"x is 1\"; -g*sin(x) }";
    let cube = "fn f[N](x: f64[N]) -> f64 { sum(x[i]^3 for i in 0..N) }
rule vjp f(x; g) { assert x[0] != x[1], \"equal\"; [3*g*x[i]^2 for i in 0..N] }";
    let large = "fn f(x: f64) -> f64 { exp(x) }
rule vjp f(x; g) { assert x < 2.8, \"large\"; g*exp(x) }
check f { x in [0, 3]; points 3; }";
    let special = ["--special", "100"];
    let cases: [(&str, &[&str], &str, &str); 6] = [
        (exp, &special, "a derivative", "special point"),
        (exp, &["--special", "100", "--mode", "fast"], "a derivative", "special point"),
        (sine, &special, "a second derivative", "special point"),
        (cube, &special, "a derivative", "special point"),
        (cube, &["--special", "100", "--mode", "fast"], "a derivative", "special point"),
        (large, &["--special", "0", "--search", "100"], "a derivative", "search point"),
    ];
    for (k, (source, flags, what, origin)) in cases.into_iter().enumerate() {
        let path = file(&format!("ends_{k}"), source);
        let run = adc(["check", &path, "--fn", "f"].into_iter().chain(flags.iter().copied()));
        assert_eq!(run.code, 1, "{source}\n{}{}", run.out, run.err);
        assert!(title(&run).starts_with("error[ADC0505]: assertion failed"), "{}", run.out);
        assert!(run.out.contains(&format!("= in {what} of `f`")) && run.out.contains(origin), "{}", run.out);
        let once_more = again(&run);
        assert_eq!((once_more.code, title(&once_more)), (1, title(&run)), "{}", once_more.out);
    }
}

/// A derivative may refuse to say anything where there is none: at a kink, at an edge, or where differences say too little.
#[test]
fn derivatives_that_end_where_there_is_none() {
    let right = [
        "fn f(x: f64) -> f64 { abs(x) }
rule vjp f(x; g) { assert x != 0, \"a kink\"; if x > 0 { g } else { -g } }",
        "fn f(x: f64, y: f64) -> f64 { max(x, y) }
rule vjp f(x, y; g) { assert x != y, \"a kink\"; if x > y { (g, 0) } else { (0, g) } }",
        "fn f(x: f64 in [0, 1]) -> f64 { sqrt(x) }
rule vjp f(x; g) { assert x > 0, \"an edge\"; g/(2*sqrt(x)) }",
        "fn f(z: c128) -> f64 { arg(z) }
rule vjp f(z; g) { assert im(z) != 0 || re(z) > 0, \"a cut\"; 1i*g*z/abs2(z) }",
        // Smooth as a program, but steep beyond the range of doubles.
        "fn f(x: f64) -> f64 { cbrt(x) }
rule vjp f(x; g) { assert abs(x) > 1e-200, \"steep\"; g*cbrt(x)/(3*x) }",
    ];
    for source in right {
        for flags in [["--mode", "slow,forward,gradgrad"], ["--mode", "fast,forward"]] {
            let args = ["check", "-", "--special", "100", "--search", "50"].into_iter().chain(flags);
            let run = adc_with_stdin(args, source);
            assert_eq!(run.code, 0, "{source}\n{}{}", run.out, run.err);
        }
    }
}

#[test]
fn special_points_can_be_left_out() {
    let source = MISTAKES[3].1;
    let run = adc_with_stdin(["check", "-", "--special", "0"], source);
    assert_eq!(run.code, 0, "{}", run.out);
    // Fixed tolerances cannot tell a kink from a mistake.
    let run = adc_with_stdin(["check", "-", "--classic"], "fn f(x: f64) -> f64 { abs(x) }");
    assert!(run.code == 0 && !run.out.contains("special"), "{}", run.out);
}

#[test]
fn searches_find_where_digits_are_lost() {
    let source = "fn f(a: f64, b: f64, c: f64) -> f64 { tanh(a + b + c) }
rule vjp f(a, b, c; g) { let d = g*(1 - tanh(a + b + c)^2); (d, d, d) }
check f { a in [0, 2.9]; b in [0, 2.9]; c in [0, 2.9]; }
fn right(x: f64, y: f64) -> f64 { exp(x)*sin(y)/(1 + x^2) }
check right { x in [-3, 3]; y in [-3, 3]; }";
    for seed in ["1", "2", "3"] {
        let path = file(&format!("search_{seed}"), source);
        let run = adc(["check", &path, "--special", "0", "--seed", seed, "--strict"]);
        assert!(run.code == 0 && !run.out.contains("warn"), "{}", run.out);
        let run = adc(["check", &path, "--special", "0", "--seed", seed, "--strict", "--search", "400"]);
        let said = run.out.split_once("(search point ").expect(&run.out).1;
        let (step, _) = said.split_once(&format!(", seed {seed})")).expect(&run.out);
        // It is the last one: the failure ends the search.
        let found = run.out.lines().any(|l| l.contains(&format!(" + {step} searched")));
        assert!(found, "{}", run.out);
        assert!(
            run.out.lines().any(|l| l.starts_with("    ok     right ") && l.contains(" searched")),
            "{}",
            run.out
        );
        let title =
            |run: &Run| run.out.lines().find(|l| l.starts_with("warning[ADC0407]")).map(str::to_string);
        assert_eq!(title(&run).expect("a warning"), title(&again(&run)).expect("the same"));
    }
}

#[test]
fn a_random_seed_is_told() {
    let source = "fn f(x: f64) -> f64 { x*x }";
    let run = adc_with_stdin(["check", "-", "--seed", "random"], source);
    let seed = run.err.strip_prefix("seed ").and_then(|s| s.split(':').next()).expect("the seed").to_string();
    let again = adc_with_stdin(["check", "-", "--seed", &seed], source);
    assert_eq!((run.code, &run.out), (0, &again.out), "{}", again.err);
    assert!(again.err.is_empty());
}

/// The command of the first `= reproduce:` line, carried out as a shell would.
fn again(run: &Run) -> Run {
    carried_out(run.out.lines().find_map(|l| l.trim().strip_prefix("= reproduce: adc ")).expect(&run.out))
}

/// A command without its `adc`, as a shell would take it.
fn carried_out(line: &str) -> Run {
    let words = Command::new("sh").arg("-c").arg(format!("printf '%s\\0' {line}")).output().expect("a shell");
    let words = String::from_utf8(words.stdout).expect("UTF-8");
    adc(words.split_terminator('\0'))
}

/// From the first table to its `= reproduce:` line: every number of the failing block.
fn block(run: &Run) -> &str {
    let start = run.out.find("\n    f at ").or_else(|| run.out.find("\n    g at ")).expect(&run.out);
    let end = run.out[start..].find("= reproduce:").expect(&run.out) + start;
    let end = run.out[end..].find('\n').expect(&run.out) + end;
    &run.out[start..end]
}

/// The first message.
fn title(run: &Run) -> &str {
    run.out.lines().find(|l| l.starts_with("error")).expect(&run.out)
}

#[test]
fn the_line_under_a_failure_repeats_it() {
    let square = "fn f(x: f64, y: f64) -> f64 { x*x*y }  rule vjp f(x, y; g) { (g*x*y, g*x*x) }";
    let second = "fn g(x: f64) -> f64 { f(x)*x }  fn f(x: f64) -> f64 { sin(x) }
rule vjp f(x; g) { g*c(x) }  fn c(x: f64) -> f64 { cos(x) }  rule vjp c(x; g) { g*sin(x) }";
    let array = "fn f[N, M](W: f64[N, M], x: f64[M]) -> f64[N] { [sum(W[i, j]*x[j] for j in 0..M) for i in 0..N] }
rule vjp f(W, x; g) { ([g[i]*x[j] for i in 0..N, j in 0..M], [sum(W[i, j]*g[0] for i in 0..N) for j in 0..M]) }";
    let open = "fn f[N](x: f64, y: f64[2*N]) -> f64 { x*sum(y[i]^2 for i in 0..2*N) }
rule vjp f(x, y; g) { (g*x, [2*g*x*y[i] for i in 0..2*N]) }";
    let complex = "fn f(z: c128, a: f64) -> c128 { a*exp(z) }  rule vjp f(z, a; g) { (a*g*exp(z), re(conj(exp(z))*g)) }";
    let block_ = "fn f(x: f64, y: f64) -> f64 { x*x*y }  rule vjp f(x, y; g) { (g*x*y, g*x*x) }
check f { x in [1, 2]; y ~ normal(5, 0.1); points 3; seed 9; }";
    let large = "fn f[N](x: f64[N]) -> f64 { sum(x[i]^2 for i in 0..N) }
rule vjp f(x; g) { [if i == 7 { 0 } else { 2*g*x[i] } for i in 0..N] }";
    let cases: [(&str, &str, &[&str]); 14] = [
        ("first", square, &[]),
        ("seed", square, &["--seed", "77", "--opt", "0"]),
        ("level", square, &["--opt", "3", "--convention", "jax"]),
        ("wrt", square, &["--wrt", "x"]),
        ("fast", square, &["--mode", "fast"]),
        ("forward", square, &["--mode", "forward,slow"]),
        ("classic", square, &["--classic"]),
        ("relative", square, &["--max-relative-error", "0.005"]),
        ("second", second, &["--fn", "g"]),
        ("array", array, &["--dims", "N=3"]),
        ("open", open, &["--dims", "N=2"]),
        ("complex", complex, &["--seed", "3"]),
        ("block", block_, &[]),
        ("large", large, &["--dims", "N=100"]),
    ];
    for (name, source, flags) in cases {
        let path = file(name, source);
        let run = adc(["check", &path].into_iter().chain(flags.iter().copied()));
        assert_eq!(run.code, 1, "{name}:\n{}{}", run.out, run.err);
        let once_more = again(&run);
        assert_eq!(once_more.code, 1, "{name}:\n{}{}", once_more.out, once_more.err);
        assert_eq!(title(&run), title(&once_more), "{name}");
        assert_eq!(block(&run), block(&once_more), "{name}");
    }
}

/// The command of the first `= minimal:` line, carried out.
fn small(run: &Run) -> Option<(String, Run)> {
    let line = run.out.lines().find_map(|l| l.trim().strip_prefix("= minimal: "))?;
    let (what, command) = line.split_once(": adc ").expect(line);
    Some((what.to_string(), carried_out(command)))
}

#[test]
fn failing_points_are_made_small() {
    let cases = [
        ("fn f(x: f64, y: f64) -> f64 { x*x*y }  rule vjp f(x, y; g) { (g*x*y, g*x*x) }", "x=1,y=1"),
        ("fn f(x: f64) -> f64 { exp(x) }  rule vjp f(x; g) { if x > 1.5 { g } else { g*exp(x) } }", "x=2"),
        (
            "fn f[N](x: f64[N]) -> f64 { sum(x[i]^2 for i in 0..N) }
rule vjp f(x; g) { [if i == 0 { g*x[0] } else { 2*g*x[i] } for i in 0..N] }",
            "x=[1]",
        ),
        ("fn f(z: c128) -> f64 { abs2(z) }  rule vjp f(z; g) { 2*g*conj(z) }", "z=0+1i"),
    ];
    for (k, (source, point)) in cases.into_iter().enumerate() {
        let path = file(&format!("small_{k}"), source);
        let run = adc(["check", &path]);
        let (what, again) = small(&run).unwrap_or_else(|| panic!("{}", run.out));
        assert!(what.ends_with(&format!("also fails at {point}")), "{what}");
        assert_eq!(again.code, 1, "{}", again.out);
        // The same kind of failure, and nothing further to make small.
        assert_eq!(code(&run), code(&again));
        assert!(!again.out.contains("= minimal:"), "{}", again.out);
        let run = adc(["check", &path, "--shrink", "0"]);
        assert!(run.code == 1 && !run.out.contains("= minimal:"), "{}", run.out);
    }
}

fn code(run: &Run) -> &str {
    title(run).split(':').next().expect("a code")
}

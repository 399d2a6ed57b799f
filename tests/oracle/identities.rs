//! Derivatives that are 0 by construction: terms of any size cancel in them, and rounding leaves something of that.

use crate::oracle::survey::{Survey, check, every_mode, model};
use adc_ir::testing::{Rng, cases};
use std::fmt::Write;

/// What does not depend on x and y, of positive expressions `p`, `q` and any `e`, `g`.
const IDENTITIES: [&str; 24] = [
    "sin(e)^2 + cos(e)^2",
    "sum(softmax([e, g, p]))",
    "norm([e, p, q]/norm([e, p, q]))",
    "e*p/p",
    "p/(p + q) + q/(p + q)",
    "exp(log(p)) - p",
    "log(p*q) - log(p) - log(q)",
    "(e + g)^2 - e^2 - 2*e*g - g^2",
    "cosh(e)^2 - sinh(e)^2",
    "tan(e)*cos(e) - sin(e)",
    "sqrt(p)^2 - p",
    "det([[cos(e), -sin(e)], [sin(e), cos(e)]])",
    "sum([e, g, p] - mean([e, g, p]))",
    "logsumexp([e, g] + p) - logsumexp([e, g]) - p",
    "sum(inv([[3 + p, sin(e)], [cos(g), 3 + q]]) @ [[3 + p, sin(e)], [cos(g), 3 + q]])",
    "atan2(p, q) + atan2(q, p)",
    "sigmoid(e) + sigmoid(-e)",
    "erf(e) + erfc(e)",
    "re(z*conj(z)) - e^2 - g^2",
    "im(z*conj(z))",
    "abs(exp(e*1i))",
    "im(dot([z, 1], [[p, z], [conj(z), q]] @ [z, 1]))",
    "log(exp(e)) - e",
    "dot([e, g, p], [g*q - p*1, p*e - e*q, e*1 - g*e])*0 + sum([e, g] + [g, e]) - 2*(e + g)",
];

/// A positive expression of x and y.
fn positive(rng: &mut Rng, depth: u32) -> String {
    match (depth, rng.below(7)) {
        (0, k) | (_, k @ 0..2) => ["x", "y"][k % 2].to_string(),
        (_, 2) => format!("exp(0.5*{})", any(rng, depth - 1)),
        (_, 3) => format!("(1 + {}^2)", any(rng, depth - 1)),
        (_, 4) => format!("({} + {})", positive(rng, depth - 1), positive(rng, depth - 1)),
        (_, 5) => format!("{}*{}", positive(rng, depth - 1), positive(rng, depth - 1)),
        _ => format!("sqrt({})", positive(rng, depth - 1)),
    }
}

/// An expression of x and y.
fn any(rng: &mut Rng, depth: u32) -> String {
    match (depth, rng.below(6)) {
        (0, k) => ["x", "y", "(x - y)"][k % 3].to_string(),
        (_, 0) => format!("log({})", positive(rng, depth - 1)),
        (_, 1) => format!("sin({})", any(rng, depth - 1)),
        (_, 2) => format!("({} - {})", any(rng, depth - 1), any(rng, depth - 1)),
        (_, 3) => format!("{}*{}", positive(rng, depth - 1), any(rng, depth - 1)),
        (_, 4) => format!("tanh({})", any(rng, depth - 1)),
        _ => positive(rng, depth),
    }
}

/// A function with an identity in it, at any magnitude; what it is beside that depends on t only.
fn instance(rng: &mut Rng, name: &str) -> String {
    let [p, q] = [2, 1].map(|depth| positive(rng, depth));
    let [e, g] = [2, 1].map(|depth| any(rng, depth));
    let identity = rng.pick(&IDENTITIES);
    let factor = ["1", "1", "1e-6", "3e5", "0.7*t"][rng.below(5)];
    let rest = ["", "", " + t", " - 1", " + 1e3*t^2"][rng.below(5)];
    format!(
        "fn {name}(x: f64, y: f64, t: f64) -> f64 {{\n    let p = {p}; let q = {q}; let e = {e}; let g = {g};\n    \
         let z = e + g*1i;\n    {factor}*({identity}){rest}\n}}\n\
         check {name} {{ x in [0.2, 3]; y in [0.2, 3]; t in [-2, 2]; }}\n"
    )
}

#[test]
fn derivatives_that_are_zero() {
    const TOGETHER: usize = 20;
    let (mut survey, mut rng) = (Survey::default(), Rng::new(14));
    let mut options = every_mode();
    options.settings.points = Some(2);
    options.settings.special = Some(0);
    for _ in 0..cases(100).div_ceil(TOGETHER) {
        let names: Vec<String> = (0..TOGETHER).map(|k| format!("f{k}")).collect();
        let mut source = String::new();
        names.iter().for_each(|name| writeln!(source, "{}", instance(&mut rng, name)).expect("it fits"));
        let model = model("identities.dsl", &source);
        for name in &names {
            let reports = check(&model, name, &options);
            let before = survey.alarms.len();
            reports.iter().for_each(|r| survey.add(r));
            if survey.alarms.len() > before {
                println!(
                    "{}",
                    source.split("\n\n").find(|f| f.starts_with(&format!("fn {name}("))).unwrap_or("")
                );
            }
        }
    }
    println!("identities: {}", survey.line());
    assert!(
        survey.alarms.is_empty(),
        "{} alarms: {:#?}",
        survey.alarms.len(),
        &survey.alarms[..survey.alarms.len().min(20)]
    );
}

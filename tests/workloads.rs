//! The bench models on their committed inputs: value, norm and weighted sum of the gradient are those that independent
//! hand-written code in C++ gives.

use adc::{FileLoader, Model, Options, Value, npy};
use num_complex::Complex64;

/// A workload and what the hand-written code printed for it.
struct Workload {
    model: &'static str,
    function: &'static str,
    /// Files of the arguments, `data/*.npy`, or numbers.
    args: &'static [Arg],
    /// Parameters of the gradient, in the order in which the entries are counted.
    wrt: &'static [&'static str],
    value: f64,
    /// √Σ g²
    norm: f64,
    /// Σ (1 + i mod 7) gᵢ
    sum: f64,
}

enum Arg {
    File(&'static str),
    Int(i64),
}
use Arg::{File, Int};

const WORKLOADS: &[Workload] = &[
    Workload {
        model: "rosenbrock",
        function: "rosenbrock",
        args: &[File("rosenbrock_x")],
        wrt: &["x"],
        value: 193253.49550232856,
        norm: 25686.978326829063,
        sum: -656054.7683642829,
    },
    Workload {
        model: "helmholtz",
        function: "helmholtz",
        args: &[File("helmholtz_x"), File("helmholtz_b"), File("helmholtz_A")],
        wrt: &["x"],
        value: -3.038764718389857,
        norm: 32.40224036896265,
        sum: -1249.0629553757112,
    },
    Workload {
        model: "mlp",
        function: "mlp",
        args: &[
            File("mlp_W1"),
            File("mlp_b1"),
            File("mlp_W2"),
            File("mlp_b2"),
            File("mlp_X"),
            File("mlp_label"),
        ],
        wrt: &["W1", "b1", "W2", "b2"],
        value: 2.7532988226640662,
        norm: 1.1226016145897058,
        sum: 4.957463311165784,
    },
    Workload {
        model: "gmm_adbench",
        function: "gmm_adbench",
        args: &[File("gmm_10_25_alpha"), File("gmm_10_25_mu"), File("gmm_10_25_icf"), File("gmm_10_25_x")],
        wrt: &["alpha", "mu", "icf"],
        value: -25714.624187379795,
        norm: 2290.00596200481,
        sum: -77360.77203687302,
    },
    Workload {
        model: "gmm_adbench",
        function: "gmm_adbench",
        args: &[File("gmm_2_5_alpha"), File("gmm_2_5_mu"), File("gmm_2_5_icf"), File("gmm_2_5_x")],
        wrt: &["alpha", "mu", "icf"],
        value: -4375.427143988161,
        norm: 1121.9045085414507,
        sum: -8627.926153753815,
    },
    Workload {
        model: "lstm",
        function: "lstm",
        args: &[File("lstm_main"), File("lstm_extra"), File("lstm_state"), File("lstm_seq")],
        wrt: &["main", "extra"],
        value: 1.3404081800004972,
        norm: 0.0485833725990662,
        sum: 0.012365849985927772,
    },
    Workload {
        model: "lotka",
        function: "lotka",
        args: &[File("lotka_param"), File("lotka_y0"), Int(1000)],
        wrt: &["p", "y0"],
        value: 192.3885727836468,
        norm: 2707.3597062566137,
        sum: -2063.9874248904594,
    },
    Workload {
        model: "cquad",
        function: "cquad",
        args: &[File("cquad_A"), File("cquad_z")],
        wrt: &["z"],
        value: 5.870724811014984,
        norm: 13.036135763488023,
        sum: 23.52593205723499,
    },
];

const TOLERANCE: f64 = 1e-9;

fn folder() -> String {
    concat!(env!("CARGO_MANIFEST_DIR"), "/models/bench").into()
}

fn model(name: &str) -> Model {
    let path = format!("{}/{name}.dsl", folder());
    let source = std::fs::read_to_string(&path).unwrap();
    Model::parse_with(&path, &source, &mut FileLoader).unwrap_or_else(|d| panic!("{d}"))
}

fn load(name: &str) -> Value<'static> {
    npy::read(format!("{}/data/{name}.npy", folder())).unwrap_or_else(|d| panic!("{d:?}"))
}

fn arg(a: &Arg) -> Value<'static> {
    match a {
        File(name) => load(name),
        Int(n) => Value::I64(*n),
    }
}

/// The numbers of a gradient: of a complex array the real parts, then the imaginary ones.
fn numbers(v: &Value, out: &mut Vec<f64>) {
    let all: Vec<Complex64> = v.consts().map(|c| c.to_c128()).collect();
    out.extend(all.iter().map(|z| z.re));
    if v.elem().is_complex() {
        out.extend(all.iter().map(|z| z.im));
    }
}

fn near(what: &str, found: f64, expected: f64) {
    let error = (found - expected).abs() / expected.abs();
    assert!(error <= TOLERANCE, "{what}: {found:e} instead of {expected:e}");
}

fn compare(what: &str, value: f64, gradient: &[f64], w: (f64, f64, f64)) {
    near(&format!("{what}, value"), value, w.0);
    let norm = gradient.iter().map(|g| g * g).sum::<f64>().sqrt();
    near(&format!("{what}, norm of the gradient"), norm, w.1);
    let sum = gradient.iter().enumerate().map(|(i, g)| g * (1 + i % 7) as f64).sum();
    near(&format!("{what}, weighted sum of the gradient"), sum, w.2);
}

#[test]
fn gradients_are_those_of_hand_written_code() {
    for w in WORKLOADS {
        let f = model(w.model).function(w.function).unwrap();
        let args: Vec<Value> = w.args.iter().map(arg).collect();
        let f = if w.model == "lstm" { f.with_dims([("L", 2)]).unwrap() } else { f };
        let g = f.value_and_grad(w.wrt).unwrap().compile(&Options::default()).unwrap();
        let found = g.call(&args).unwrap_or_else(|e| panic!("{}: {e}", w.model));
        let value = found[0].scalar().unwrap().to_c128().re;
        let mut gradient = Vec::new();
        found[1..].iter().for_each(|v| numbers(v, &mut gradient));
        compare(w.model, value, &gradient, (w.value, w.norm, w.sum));
    }
}

/// 2 × 15 Jacobians of 10 000 residuals, taken inside the model.
#[test]
fn jacobians_are_those_of_hand_written_code() {
    let model = model("ba");
    let args = ["ba_cam", "ba_X", "ba_w", "ba_feat"].map(load);
    let f = model.function("jacobians").unwrap().compile(&Options::default()).unwrap();
    let found = f.call(&args).unwrap_or_else(|e| panic!("{e}"));
    let mut entries = Vec::new();
    numbers(&found[0], &mut entries);
    // The residual of the last observation.
    let row = |v: &Value, n: usize| -> Vec<f64> {
        let all: Vec<f64> = v.consts().map(|c| c.to_c128().re).collect();
        all[all.len() - n..].to_vec()
    };
    let last = [
        Value::array(&[11], row(&args[0], 11)).unwrap(),
        Value::array(&[3], row(&args[1], 3)).unwrap(),
        Value::F64(row(&args[2], 1)[0]),
        Value::array(&[2], row(&args[3], 2)).unwrap(),
    ];
    let residual = model.function("residual").unwrap().compile(&Options::default()).unwrap();
    let residual = residual.call(&last).unwrap();
    let value = residual[0].consts().map(|c| c.to_c128().re).sum();
    compare("ba", value, &entries, (-2.0091966938555146, 244808.97981329446, 755887.0062216813));
}

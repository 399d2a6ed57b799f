//! Derivatives at points where derivative compilers fail: masked branches, kinks, powers of zero, complex
//! numbers at and near their singular points. First derivatives by JVP and VJP; where the case gives second
//! derivatives, by all four nestings.

use adc_ad::{jvp, vjp};
use adc_ir::interp::{Interp, NoExterns, Val};
use adc_ir::testing::StdMath;
use adc_ir::text::parse_module;
use adc_ir::verify::assert_valid;
use adc_ir::{Const, FuncId, Module, Scalar};
use num_complex::Complex64;

const NAN: f64 = f64::NAN;
const INF: f64 = f64::INFINITY;
/// The functions of [`StdMath`] that these cases use are good to this.
const TOLERANCE: f64 = 1e-11;

/// A function of real parameters with one real result.
struct Real {
    name: &'static str,
    /// A module with the function `f`.
    ir: &'static str,
    /// Points with the gradient and, if not empty, the diagonal of the Hessian.
    at: &'static [(&'static [f64], &'static [f64], &'static [f64])],
}

macro_rules! f1 {
    ($body:literal) => {
        concat!("fn f(x: f64) -> f64 {\n  zero = f64 0.0\n", $body, "\n}\n")
    };
}

macro_rules! f2 {
    ($body:literal) => {
        concat!("fn f(a: f64, b: f64) -> f64 {\n  zero = f64 0.0\n", $body, "\n}\n")
    };
}

/// Where the value is NaN, and where its parts leave the range before it does.
const NUMBERS: &[Real] = &[
    Real {
        name: "max of NaN",
        ir: f1!("r = max x, zero\nreturn r"),
        at: &[(&[NAN], &[NAN], &[]), (&[0.0], &[0.5], &[0.0]), (&[INF], &[1.0], &[0.0])],
    },
    Real {
        name: "min of two",
        ir: f2!("r = min a, b\nreturn r"),
        at: &[
            (&[NAN, 1.0], &[NAN, NAN], &[]),
            (&[1.0, NAN], &[NAN, NAN], &[]),
            (&[INF, INF], &[0.5, 0.5], &[]),
        ],
    },
    Real {
        name: "clamp of NaN",
        ir: f1!("one = f64 1.0\nr = clamp x, zero, one\nreturn r"),
        at: &[
            (&[NAN], &[NAN], &[]),
            (&[1.0], &[0.5], &[0.0]),
            (&[INF], &[0.0], &[0.0]),
            (&[0.25], &[1.0], &[0.0]),
        ],
    },
    Real {
        name: "clamp between NaN",
        ir: f2!("k = f64 3.0\nr = clamp k, a, b\nreturn r"),
        at: &[
            (&[NAN, 1.0], &[NAN, NAN], &[]),
            (&[1.0, NAN], &[NAN, NAN], &[]),
            (&[1.0, 2.0], &[0.0, 1.0], &[]),
            (&[4.0, 5.0], &[1.0, 0.0], &[]),
        ],
    },
    Real {
        name: "abs of NaN",
        ir: f1!("r = abs x\nreturn r"),
        at: &[(&[NAN], &[NAN], &[]), (&[-2.0], &[-1.0], &[0.0]), (&[INF], &[1.0], &[0.0])],
    },
    Real {
        name: "copysign of NaN",
        ir: f1!("one = f64 1.0\nr = copysign x, one\nreturn r"),
        at: &[(&[NAN], &[NAN], &[]), (&[-2.0], &[-1.0], &[0.0])],
    },
    Real {
        name: "mod of what has no remainder",
        ir: f2!("r = mod a, b\nreturn r"),
        at: &[
            (&[NAN, 1.0], &[NAN, NAN], &[]),
            (&[INF, 1.0], &[NAN, NAN], &[]),
            (&[7.5, 2.0], &[1.0, -3.0], &[]),
        ],
    },
    Real {
        name: "x^0.5 where the second derivative overflows",
        ir: f1!("k = f64 0.5\nr = pow x, k\nreturn r"),
        at: &[(&[1e-210], &[5e104], &[-INF]), (&[1e-200], &[5e99], &[-2.5e299])],
    },
    Real {
        name: "x^-3 where the first derivative overflows",
        ir: f1!("k = f64 -3.0\nr = pow x, k\nreturn r"),
        at: &[(&[1e-100], &[-INF], &[INF])],
    },
];

const MASKED: &[Real] = &[
    Real {
        name: "B1: the branch not taken is singular",
        ir: f1!("c = lt zero, x\nr = if c {\ns = sqrt x\nyield s\n} else {\nyield zero\n}\nreturn r"),
        at: &[(&[-3.0], &[0.0], &[0.0]), (&[0.0], &[0.0], &[0.0]), (&[4.0], &[0.25], &[-1.0 / 32.0])],
    },
    Real {
        name: "B1 with the root outside the branch",
        ir: f1!("c = lt zero, x\ns = sqrt x\nr = if c {\nyield s\n} else {\nyield zero\n}\nreturn r"),
        at: &[(&[-3.0], &[0.0], &[0.0]), (&[0.0], &[0.0], &[0.0]), (&[4.0], &[0.25], &[-1.0 / 32.0])],
    },
    Real {
        name: "B1 as a selection",
        ir: f1!("c = lt zero, x\ns = sqrt x\nr = select c, s, zero\nreturn r"),
        at: &[(&[-3.0], &[0.0], &[0.0]), (&[0.0], &[0.0], &[0.0]), (&[4.0], &[0.25], &[-1.0 / 32.0])],
    },
    Real {
        name: "B1 as a selection of something selected, scaled and shifted",
        ir: f1!("c = lt zero, x\nl = log x\ns = select c, l, zero\nt = square s\nu = add t, s\nv = exp u\n\
             r = select c, v, zero\nreturn r"),
        at: &[(&[-3.0], &[0.0], &[0.0]), (&[0.0], &[0.0], &[0.0]), (&[1.0], &[1.0], &[2.0])],
    },
    Real {
        name: "a masked value in two places",
        ir: f1!(
            "one = f64 1.0\ns = sqrt x\nc = lt one, x\nd = lt zero, x\np = select c, s, zero\nq = select d, s, zero\n\
             r = add p, q\nreturn r"
        ),
        at: &[(&[0.0], &[0.0], &[0.0]), (&[0.25], &[1.0], &[-2.0]), (&[4.0], &[0.5], &[-1.0 / 16.0])],
    },
    Real {
        name: "a masked zero into a singular function",
        ir: f1!("c = lt zero, x\ns = select c, x, zero\nr = sqrt s\nreturn r"),
        at: &[(&[-1.0], &[0.0], &[0.0]), (&[4.0], &[0.25], &[-1.0 / 32.0])],
    },
    Real {
        name: "B2: overflow in the branch not taken",
        ir: "fn f(a: f32) -> f32 {\n  zero = f32 0.0\n  one = f32 1.0\n  c = le a, zero\n  e = exp a\n  s = add one, a\n  \
             r = select c, e, s\n  return r\n}\n",
        at: &[(&[100.0], &[1.0], &[0.0])],
    },
    Real {
        name: "B3: 10^exp(a) beside a",
        ir: f1!(
            "k = f64 15.0\nten = f64 10.0\nc = lt x, k\ne = exp x\np = pow ten, e\nr = select c, x, p\nreturn r"
        ),
        at: &[(&[10.0], &[1.0], &[0.0])],
    },
    Real {
        name: "B4: sqrt(-x) beside x",
        ir: f1!("c = le zero, x\nr = if c {\nyield x\n} else {\nn = neg x\ns = sqrt n\nyield s\n}\nreturn r"),
        at: &[(&[1.0], &[1.0], &[0.0]), (&[0.0], &[1.0], &[0.0])],
    },
    Real {
        name: "B6: atan2 at the origin in the branch not taken",
        ir: f1!(
            "h = f64 0.5\nc = lt h, x\nr = if c {\nt = atan2 x, x\nyield t\n} else {\nyield zero\n}\nreturn r"
        ),
        at: &[(&[0.0], &[0.0], &[0.0])],
    },
    Real {
        name: "B7: an infinite constant behind a test",
        ir: f1!(
            "a = f64 inf\ny = square x\ni = isinf a\nr = if i {\nyield y\n} else {\np = mul a, y\ns = add y, p\n\
             yield s\n}\nreturn r"
        ),
        at: &[(&[0.0], &[0.0], &[2.0])],
    },
    Real {
        name: "B8: a quotient behind a test",
        ir: f2!(
            "k = f64 1.0\nc = lt k, b\nr = if c {\nq = div a, b\nyield q\n} else {\nyield zero\n}\nreturn r"
        ),
        at: &[(&[1.0, 1.0], &[0.0, 0.0], &[0.0, 0.0]), (&[1.0, 2.0], &[0.5, -0.25], &[0.0, 0.25])],
    },
    Real {
        name: "B9: nested branches, both inner ones singular",
        ir: f1!(
            "one = f64 1.0\nc = lt zero, x\nr = if c {\nd = lt one, x\ns = if d {\nm = sub x, one\nq = sqrt m\nyield q\n\
             } else {\nl = log x\nyield l\n}\nt = mul s, x\nyield t\n} else {\ni = recip x\nj = isinf i\nk = if j {\n\
             yield zero\n} else {\nn = neg x\no = sqrt n\nyield o\n}\nyield k\n}\nreturn r"
        ),
        at: &[(&[0.0], &[0.0], &[0.0]), (&[1.0], &[1.0], &[1.0]), (&[2.0], &[2.0], &[0.5])],
    },
    Real {
        name: "B10: x sqrt(x) is singular, x^1.5 is not",
        ir: f1!("s = sqrt x\nr = mul x, s\nreturn r"),
        at: &[(&[0.0], &[NAN], &[])],
    },
    Real {
        name: "B10: x^1.5",
        ir: f1!("k = f64 1.5\nr = pow x, k\nreturn r"),
        at: &[(&[0.0], &[0.0], &[INF]), (&[4.0], &[3.0], &[0.375])],
    },
    Real {
        name: "B11: a constant branch",
        ir: f1!("c = le zero, x\nr = if c {\nyield x\n} else {\nyield zero\n}\nreturn r"),
        at: &[(&[2.0], &[1.0], &[0.0]), (&[-2.0], &[0.0], &[0.0])],
    },
    Real {
        name: "the larger of x and a root at 0",
        ir: f2!("s = sqrt b\nr = max a, s\nreturn r"),
        at: &[(&[1.0, 0.0], &[1.0, 0.0], &[0.0, 0.0])],
    },
];

const KINKS: &[Real] = &[
    Real {
        name: "K1: abs",
        ir: f1!("r = abs x\nreturn r"),
        at: &[(&[0.0], &[0.0], &[0.0]), (&[-0.0], &[0.0], &[0.0]), (&[-2.0], &[-1.0], &[0.0])],
    },
    Real { name: "K2: max(x, x)", ir: f1!("r = max x, x\nreturn r"), at: &[(&[1.0], &[1.0], &[0.0])] },
    Real {
        name: "K2: max",
        ir: f2!("r = max a, b\nreturn r"),
        at: &[
            (&[1.0, 1.0], &[0.5, 0.5], &[0.0, 0.0]),
            (&[1.0, 2.0], &[0.0, 1.0], &[0.0, 0.0]),
            (&[0.0, -0.0], &[0.5, 0.5], &[0.0, 0.0]),
        ],
    },
    Real {
        name: "K2: min",
        ir: f2!("r = min a, b\nreturn r"),
        at: &[(&[1.0, 1.0], &[0.5, 0.5], &[0.0, 0.0]), (&[1.0, 2.0], &[1.0, 0.0], &[0.0, 0.0])],
    },
    Real {
        name: "K5: relu as max(x, 0)",
        ir: f1!("r = max x, zero\nreturn r"),
        at: &[(&[0.0], &[0.5], &[0.0]), (&[1.0], &[1.0], &[0.0]), (&[-1.0], &[0.0], &[0.0])],
    },
    Real {
        name: "K5: relu as max(0, x)",
        ir: f1!("r = max zero, x\nreturn r"),
        at: &[(&[0.0], &[0.5], &[0.0])],
    },
    Real {
        name: "K5: relu as clamp",
        ir: f1!("k = f64 inf\nr = clamp x, zero, k\nreturn r"),
        at: &[(&[0.0], &[0.5], &[0.0]), (&[1.0], &[1.0], &[0.0]), (&[-1.0], &[0.0], &[0.0])],
    },
    Real {
        name: "B14: clamp and its bounds",
        ir: "fn f(x: f64, lo: f64, hi: f64) -> f64 {\n  r = clamp x, lo, hi\n  return r\n}\n",
        at: &[
            (&[0.5, 0.0, 1.0], &[1.0, 0.0, 0.0], &[0.0, 0.0, 0.0]),
            (&[0.0, 0.0, 1.0], &[0.5, 0.5, 0.0], &[]),
            (&[1.0, 0.0, 1.0], &[0.5, 0.0, 0.5], &[]),
            (&[-1.0, 0.0, 1.0], &[0.0, 1.0, 0.0], &[]),
            (&[2.0, 0.0, 1.0], &[0.0, 0.0, 1.0], &[]),
            (&[1.0, 1.0, 1.0], &[0.25, 0.25, 0.5], &[]),
            (&[0.0, 2.0, 1.0], &[0.0, 0.0, 1.0], &[]),
            (&[0.0, 1.0, 1.0], &[0.0, 0.5, 0.5], &[]),
        ],
    },
    Real {
        name: "K7: hypot",
        ir: f2!("r = hypot a, b\nreturn r"),
        at: &[
            (&[0.0, 0.0], &[0.0, 0.0], &[0.0, 0.0]),
            (&[3.0, -4.0], &[0.6, -0.8], &[0.128, 0.072]),
            (&[0.0, 2.0], &[0.0, 1.0], &[0.5, 0.0]),
        ],
    },
    Real {
        name: "K8: atan2",
        ir: f2!("r = atan2 a, b\nreturn r"),
        at: &[
            (&[0.0, 0.0], &[0.0, 0.0], &[0.0, 0.0]),
            (&[1.0, 2.0], &[0.4, -0.2], &[-0.16, 0.16]),
            (&[1e-200, 1e-200], &[5e199, -5e199], &[]),
        ],
    },
    Real {
        name: "K9: steps",
        ir: f1!(
            "a = floor x\nb = ceil x\nc = round x\nd = trunc x\ne = sign x\np = add a, b\nq = add p, c\ns = add q, d\n\
             r = add s, e\nreturn r"
        ),
        at: &[(&[0.0], &[0.0], &[0.0]), (&[1.5], &[0.0], &[0.0])],
    },
    Real {
        name: "K10: mod",
        ir: f2!("r = mod a, b\nreturn r"),
        at: &[
            (&[7.0, 2.0], &[1.0, -3.0], &[0.0, 0.0]),
            (&[-7.0, 2.0], &[1.0, 4.0], &[0.0, 0.0]),
            (&[6.0, 2.0], &[1.0, -3.0], &[0.0, 0.0]),
        ],
    },
    Real {
        name: "copysign",
        ir: f2!("r = copysign a, b\nreturn r"),
        at: &[
            (&[2.0, -1.0], &[-1.0, 0.0], &[0.0, 0.0]),
            (&[-2.0, -1.0], &[1.0, 0.0], &[0.0, 0.0]),
            (&[0.0, 1.0], &[0.0, 0.0], &[0.0, 0.0]),
        ],
    },
    Real {
        name: "a nodiff parameter is frozen at every order",
        ir: "fn g(a: f64, #[nodiff] b: f64) -> f64 {\n  r = mul a, b\n  return r\n}\n\
             fn f(x: f64) -> f64 {\n  s = square x\n  y = call g(x, s)\n  return y\n}\n",
        at: &[(&[3.0], &[9.0], &[0.0])],
    },
    Real {
        name: "a nodiff parameter of a function with a rule is frozen at every order",
        ir: "#[rule(vjp, g.rule.vjp)]\nfn g(a: f64, #[nodiff] b: f64) -> f64 {\n  r = mul a, b\n  return r\n}\n\
             fn g.rule.vjp(a: f64, b: f64, o: f64, bar: f64) -> f64 {\n  r = mul b, bar\n  return r\n}\n\
             fn f(x: f64) -> f64 {\n  s = square x\n  y = call g(x, s)\n  return y\n}\n",
        at: &[(&[3.0], &[9.0], &[0.0])],
    },
    Real {
        name: "A12: x stop_gradient(x)",
        ir: f1!("s = stop_gradient x\nr = mul x, s\nreturn r"),
        at: &[(&[3.0], &[3.0], &[0.0])],
    },
];

const POWERS: &[Real] = &[
    Real {
        name: "P1, P2: pow at a = 0",
        ir: f2!("r = pow a, b\nreturn r"),
        at: &[
            (&[0.0, 2.0], &[0.0, 0.0], &[2.0, 0.0]),
            (&[0.0, 1.5], &[0.0, 0.0], &[INF, 0.0]),
            (&[0.0, 1.0], &[1.0, 0.0], &[0.0, 0.0]),
            (&[0.0, 0.5], &[INF, 0.0], &[-INF, 0.0]),
            (&[0.0, 0.0], &[0.0, 0.0], &[0.0, 0.0]),
            (&[0.0, -1.0], &[-INF, -INF], &[INF, INF]),
            (&[2.0, 0.0], &[0.0, std::f64::consts::LN_2], &[0.0, 0.4804530139182014]),
            (&[2.0, 3.0], &[12.0, 5.545177444479562], &[12.0, 3.843624111345611]),
            (&[-2.0, 3.0], &[12.0, NAN], &[-12.0, NAN]),
        ],
    },
    Real {
        name: "P4: an inactive exponent never takes a logarithm",
        ir: f1!("k = f64 3.0\nr = pow x, k\nreturn r"),
        at: &[(&[-2.0], &[12.0], &[-12.0]), (&[0.0], &[0.0], &[0.0])],
    },
    Real {
        name: "P2: x^2 as a product",
        ir: f1!("r = mul x, x\nreturn r"),
        at: &[(&[0.0], &[0.0], &[2.0]), (&[-3.0], &[-6.0], &[2.0])],
    },
    Real {
        name: "P2: x^2 as a square",
        ir: f1!("r = square x\nreturn r"),
        at: &[(&[0.0], &[0.0], &[2.0]), (&[-3.0], &[-6.0], &[2.0])],
    },
    Real {
        name: "P2: x^2 as pow",
        ir: f1!("k = f64 2.0\nr = pow x, k\nreturn r"),
        at: &[(&[0.0], &[0.0], &[2.0]), (&[-3.0], &[-6.0], &[2.0])],
    },
    Real {
        name: "P2: x^2 as powi",
        ir: f1!("k = i64 2\nr = powi x, k\nreturn r"),
        at: &[(&[0.0], &[0.0], &[2.0]), (&[-3.0], &[-6.0], &[2.0])],
    },
    Real {
        name: "P3: x^0",
        ir: f1!("k = i64 0\nl = f64 0.0\np = powi x, k\nq = pow x, l\nr = add p, q\nreturn r"),
        at: &[(&[0.0], &[0.0], &[0.0]), (&[2.0], &[0.0], &[0.0])],
    },
    Real {
        name: "powi with an exponent known at run time only",
        ir: f1!("k = to_i64 x\nl = powi x, k\nreturn l"),
        at: &[(&[0.0], &[0.0], &[0.0]), (&[3.0], &[27.0], &[18.0]), (&[-2.0], &[0.25], &[0.375])],
    },
    Real {
        name: "P5: sqrt and cbrt at 0",
        ir: f2!("p = sqrt a\nq = cbrt b\nr = add p, q\nreturn r"),
        at: &[(&[0.0, 0.0], &[INF, INF], &[-INF]), (&[-0.0, -0.0], &[INF, INF], &[])],
    },
    Real {
        name: "P6: logarithms and 1/x at their poles",
        ir: "fn f(a: f64, b: f64, c: f64) -> f64 {\n  p = log a\n  q = log1p b\n  r = recip c\n  s = add p, q\n  t = add s, r\n  \
             return t\n}\n",
        at: &[(&[0.0, -1.0, 0.0], &[INF, INF, -INF], &[-INF, -INF, INF])],
    },
    Real {
        name: "P6: inverse functions at the ends of their domains",
        ir: "fn f(a: f64, b: f64, c: f64) -> f64 {\n  p = asin a\n  q = acosh b\n  r = atanh c\n  s = add p, q\n  t = add s, r\n  \
             return t\n}\n",
        at: &[(&[1.0, 1.0, 1.0], &[INF, INF, INF], &[]), (&[-1.0, 1.0, -1.0], &[INF, INF, INF], &[])],
    },
    Real {
        name: "P7: saturation",
        ir: "fn f(a: f64, b: f64, c: f64) -> f64 {\n  p = sigmoid a\n  q = softplus b\n  r = tanh c\n  s = add p, q\n  t = add s, r\n  \
             return t\n}\n",
        at: &[
            (&[800.0, 800.0, 400.0], &[0.0, 1.0, 0.0], &[0.0, 0.0, 0.0]),
            (&[-800.0, -800.0, -400.0], &[0.0, 0.0, 0.0], &[0.0, 0.0, 0.0]),
        ],
    },
    Real {
        name: "P11: cbrt of a negative number",
        ir: f1!("r = cbrt x\nreturn r"),
        at: &[(&[-8.0], &[1.0 / 12.0], &[1.0 / 144.0])],
    },
];

/// Names on the left of `=` become `v0`, `v1`, …, which is what the IR's text form calls values.
fn numbered(ir: &str) -> String {
    let words = |line: &str, names: &[&str]| -> String {
        let mut out = String::new();
        for piece in line.split_inclusive(|c: char| !c.is_alphanumeric() && c != '_' && c != '.') {
            let word = piece.trim_end_matches(|c: char| !c.is_alphanumeric());
            match names.iter().position(|n| *n == word) {
                Some(i) => out += &format!("v{i}{}", &piece[word.len()..]),
                None => out += piece,
            }
        }
        out + "\n"
    };
    let names: Vec<&str> =
        ir.lines().filter_map(|l| l.split_once(" = ").map(|(name, _)| name.trim())).collect();
    ir.lines().map(|line| words(line, &names)).collect()
}

fn module(ir: &str) -> (Module, FuncId) {
    let ir = numbered(ir);
    let m = parse_module(&ir).unwrap_or_else(|d| panic!("{d:?}\n{ir}"));
    assert_valid(&m, "the input");
    let f = m.find("f").expect("a function `f`");
    (m, f)
}

fn run(m: &Module, f: FuncId, args: &[Complex64]) -> Vec<Complex64> {
    let func = m.func(f);
    let value = |(i, z): (usize, &Complex64)| {
        let ty = func.param_ty(i).scalar();
        Val::from_const(if ty == Scalar::I64 { Const::I64(z.re as i64) } else { Const::from_c128(*z, ty) })
    };
    let args: Vec<Val<f64>> = args.iter().enumerate().map(value).collect();
    let out = Interp::new(m, &StdMath, &NoExterns).call(f, &args).expect("no run-time error");
    out.iter().zip(&func.results).map(|(v, r)| v.to_const(r.ty.scalar()).to_c128()).collect()
}

fn same(a: Complex64, b: Complex64) -> bool {
    let part = |a: f64, b: f64| {
        a == b
            || (a.is_nan() && b.is_nan())
            || (a - b).abs() <= TOLERANCE * a.abs().max(b.abs()).min(f64::MAX)
    };
    let close = (a - b).norm() <= TOLERANCE * a.norm();
    close || (part(a.re, b.re) && part(a.im, b.im))
}

fn real(x: &[f64]) -> Vec<Complex64> {
    x.iter().map(|x| (*x).into()).collect()
}

fn unit(n: usize, i: usize) -> Vec<Complex64> {
    (0..n).map(|j| f64::from(i == j).into()).collect()
}

fn check_real(cases: &[Real]) {
    let mut failures = String::new();
    for case in cases {
        let (mut m, f) = module(case.ir);
        let n = m.func(f).params.len();
        let all: Vec<usize> = (0..n).collect();
        let j = jvp(&mut m, f, &all).unwrap();
        let p = vjp(&mut m, f, &all, &[0], false).unwrap();
        let second = [
            ("jvp of jvp", jvp(&mut m, j, &all).unwrap()),
            ("vjp of jvp", vjp(&mut m, j, &all, &[1], false).unwrap()),
            ("jvp of vjp", jvp(&mut m, p, &all).unwrap()),
            ("vjp of vjp", vjp(&mut m, p, &all, &all, false).unwrap()),
        ];
        for (x, gradient, curvature) in case.at {
            let x = real(x);
            let one = real(&[1.0]);
            let mut expect = |mode: &str, found: Complex64, expected: f64| {
                if !same(found, expected.into()) {
                    failures += &format!("{} at {x:?}, {mode}: {found} instead of {expected}\n", case.name);
                }
            };
            let pulled = run(&m, p, &[&x[..], &one].concat());
            for i in 0..n {
                // An active operand beside a singular one has derivatives of its own only if it is asked for alone.
                let alone = jvp(&mut m, f, &[i]).unwrap();
                expect("jvp", run(&m, alone, &[&x[..], &one].concat())[1], gradient[i]);
                expect("vjp", pulled[i], gradient[i]);
            }
            for (i, &expected) in curvature.iter().enumerate() {
                let (e, x) = (unit(n, i), &x[..]);
                // Other directions are inactive: 0·∞ along them is not what is asked for.
                for (mode, program) in second {
                    let out = match mode {
                        "jvp of jvp" => run(&m, program, &[x, &e, &e].concat())[3],
                        "vjp of jvp" => run(&m, program, &[x, &e, &one].concat())[i],
                        "jvp of vjp" => run(&m, program, &[x, &one, &e].concat())[n + i],
                        _ => run(&m, program, &[x, &one, &e].concat())[i],
                    };
                    if n == 1 {
                        expect(mode, out, expected);
                    }
                }
                let alone = jvp(&mut m, f, &[i]).unwrap();
                let twice = jvp(&mut m, alone, &[i]).unwrap();
                expect("jvp of jvp alone", run(&m, twice, &[x, &one, &one].concat())[3], expected);
                let alone = vjp(&mut m, f, &[i], &[0], false).unwrap();
                let twice = vjp(&mut m, alone, &[i], &[0], false).unwrap();
                expect("vjp of vjp alone", run(&m, twice, &[x, &one, &one].concat())[0], expected);
            }
        }
    }
    assert!(failures.is_empty(), "{failures}");
}

#[test]
fn masked_branches() {
    check_real(MASKED);
    check_real(NUMBERS);
}

#[test]
fn kinks() {
    check_real(KINKS);
}

#[test]
fn powers_and_poles() {
    check_real(POWERS);
}

/// A function of one complex parameter, the cotangent of its result, and the cotangent of the parameter.
struct Complex {
    name: &'static str,
    op: &'static str,
    result: &'static str,
    z: (f64, f64),
    bar: (f64, f64),
    cotangent: (f64, f64),
}

const fn c(
    name: &'static str,
    op: &'static str,
    result: &'static str,
    z: (f64, f64),
    bar: (f64, f64),
    cotangent: (f64, f64),
) -> Complex {
    Complex { name, op, result, z, bar, cotangent }
}

const ONE: (f64, f64) = (1.0, 0.0);

const COMPLEX: &[Complex] = &[
    c("C1: z^2 at 1+i", "square", "c128", (1.0, 1.0), ONE, (2.0, -2.0)),
    c("C2: |z| at i", "abs", "f64", (0.0, 1.0), ONE, (0.0, 1.0)),
    c("C4: |z|^2", "abs2", "f64", (1.0, 2.0), ONE, (2.0, 4.0)),
    c("C4: re", "re", "f64", (1.0, 2.0), ONE, (1.0, 0.0)),
    c("C4: im", "im", "f64", (1.0, 2.0), ONE, (0.0, 1.0)),
    c("C4: conj", "conj", "c128", (1.0, 2.0), (3.0, 4.0), (3.0, -4.0)),
    c("C5: |z| at 0", "abs", "f64", (0.0, 0.0), ONE, (0.0, 0.0)),
    c(
        "C5: |z| at 1e-200(1+i)",
        "abs",
        "f64",
        (1e-200, 1e-200),
        ONE,
        (std::f64::consts::FRAC_1_SQRT_2, std::f64::consts::FRAC_1_SQRT_2),
    ),
    c("arg at 0", "arg", "f64", (0.0, 0.0), ONE, (0.0, 0.0)),
    c("sign at 0", "sign", "c128", (0.0, 0.0), ONE, (0.0, 0.0)),
    c("sign turns only", "sign", "c128", (0.0, 2.0), ONE, (0.5, 0.0)),
    c("sign does not move along itself", "sign", "c128", (0.0, 2.0), (0.0, 1.0), (0.0, 0.0)),
    c("C6: arg near 0", "arg", "f64", (5.6843e-14, 1e-13), ONE, (-7557935363543.506, 4296157198699.035)),
    c("arg where |z|^2 underflows", "arg", "f64", (1e-170, 1e-170), ONE, (-5e169, 5e169)),
    c("C8: sqrt above the cut", "sqrt", "c128", (-1.0, 0.0), ONE, (0.0, 0.5)),
    c("C8: sqrt below the cut", "sqrt", "c128", (-1.0, -0.0), ONE, (0.0, -0.5)),
    c("C11: acosh left of 0", "acosh", "c128", (-0.7, 0.3), ONE, (-0.35129638593088913, 1.114440390254363)),
    c("tan far from the real axis", "tan", "c128", (0.0, 30.0), ONE, (3.502604305078608e-26, 0.0)),
];

#[test]
fn complex_points() {
    let mut failures = String::new();
    for case in COMPLEX {
        let ir = format!("fn f(z: c128) -> {} {{\n  r = {} z\n  return r\n}}\n", case.result, case.op);
        let (mut m, f) = module(&ir);
        let p = vjp(&mut m, f, &[0], &[0], false).unwrap();
        let j = jvp(&mut m, f, &[0]).unwrap();
        let number = |(re, im): (f64, f64)| Complex64::new(re, im);
        let (z, bar, expected) = (number(case.z), number(case.bar), number(case.cotangent));
        let found = run(&m, p, &[z, bar])[0];
        if !same(found, expected) {
            failures += &format!("{}: {found} instead of {expected}\n", case.name);
        }
        // The adjoint identity along 1 and i.
        for (u, wanted) in [(Complex64::new(1.0, 0.0), expected.re), (Complex64::new(0.0, 1.0), expected.im)]
        {
            let dot = run(&m, j, &[z, u])[1];
            let along = (bar.conj() * dot).re;
            if (along - wanted).abs() > TOLERANCE * expected.norm() {
                failures += &format!("{}, jvp along {u}: {along} instead of {wanted}\n", case.name);
            }
        }
    }
    assert!(failures.is_empty(), "{failures}");
}

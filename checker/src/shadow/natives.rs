//! Calls of native functions: the double-double ones of adc-jit that give most ops their pairs, and opaque calls of those
//! of models, which have no pairs.

use super::body::Twins;
use super::{Pair, Shadowed};
use adc_ir::*;

/// The lo of an opaque call, relative to hi and in units of its precision: ±8 ε hi. So the comparison of p with hi + lo
/// shows some rounding, as of a function with an error of some units in the last place.
const HOLE: f64 = 8.0;
/// Multiplication by this number has a rounding error of either sign. The number has no special meaning: digits of √2 − 1.
const SCATTER: f64 = 0.414_213_562_373_095_05;

/// A native function to be declared: names and types of its dimensions, parameters and results.
pub(super) struct Native<'a> {
    pub symbol: &'a str,
    pub dims: &'a [&'a str],
    /// Shapes by position in `dims`.
    pub params: Vec<(String, Scalar, Vec<usize>)>,
    pub results: [(Scalar, Vec<usize>); 2],
}

/// The declaration of a native function in the module.
pub(super) fn declared(m: &mut Module, native: Native<'_>) -> FuncId {
    if let Some(f) = m.find(native.symbol) {
        return f;
    }
    let mut b = Builder::new(native.symbol, Span::NONE);
    let dims: Vec<Dim> = native.dims.iter().map(|name| Dim::var(b.dim(*name))).collect();
    let shape = |at: &[usize]| at.iter().map(|i| dims[*i].clone()).collect();
    for (name, elem, at) in native.params {
        b.param(name, ValueData::array(elem, shape(&at)));
    }
    let results = (["hi", "lo"].iter().zip(&native.results))
        .map(|(name, (elem, at))| ResultDecl::new(*name, ValueData::array(*elem, shape(at))))
        .collect();
    let body = Body::Extern(native.symbol.to_string());
    m.add(Func { results, body, ..b.finish(Vec::new()) })
}

impl Twins<'_> {
    /// The pair of an op by its native function.
    pub(super) fn native_op(&mut self, op: Op, x: &[Shadowed], result: Scalar) -> Pair {
        let elem = |h: &Self, x: &Shadowed| h.a.b.ty(x.p).scalar();
        let complex = x.iter().any(|x| elem(self, x).is_complex());
        let integer = x.get(1).filter(|_| op == Op::Powi).and_then(|n| self.a.literals.get(&n.p)).copied();
        match (op, integer) {
            // e^(ix); the native function only takes real x.
            (Op::Cis, _) if complex => {
                let turned = self.a.times_i(x[0].pair());
                return self.native_pair("dd.cexp", &[(None, Some(turned))], result);
            }
            (Op::Powi, Some(Const::I64(1))) => return x[0].pair(),
            (Op::Powi, Some(Const::I64(2))) => return self.a.square(x[0].pair()),
            (Op::Powi, Some(Const::I64(3))) if !complex => {
                let square = self.a.square(x[0].pair());
                return self.a.mul(square, x[0].pair());
            }
            _ => {}
        }
        let mut operands = Vec::new();
        for x in x {
            operands.push(match elem(self, x) {
                Scalar::I64 => (Some(x.p), None),
                _ if complex => (None, Some(self.a.widened(x.pair()))),
                _ => (None, Some(x.pair())),
            });
        }
        let symbol = format!("dd.{}{}", if complex { "c" } else { "" }, op.name());
        self.native_pair(&symbol, &operands, result)
    }

    /// A call on scalars, each an integer or a pair.
    fn native_pair(&mut self, symbol: &str, x: &[(Option<Value>, Option<Pair>)], result: Scalar) -> Pair {
        let (mut args, mut params) = (Vec::new(), Vec::new());
        for (i, (integer, pair)) in x.iter().enumerate() {
            let name = ["x", "y"][i];
            if let Some(n) = integer {
                args.push(*n);
                params.push((name.to_string(), Scalar::I64, Vec::new()));
            }
            if let Some(pair) = pair {
                let elem = self.a.b.ty(pair.hi).scalar();
                for (part, v) in [("hi", pair.hi), ("lo", self.a.lo(*pair))] {
                    args.push(v);
                    params.push((format!("{name}.{part}"), elem, Vec::new()));
                }
            }
        }
        let results = [(result, Vec::new()), (result, Vec::new())];
        let f = declared(self.m, Native { symbol, dims: &[], params, results });
        let outs = self.a.b.call(f, &args, &[result.into(), result.into()]);
        Pair { hi: outs[0], lo: Some(outs[1]) }
    }

    /// A call of a native function of the model: at p, and again at the rounded pairs.
    pub(super) fn hole(&mut self, g: FuncId, inst: &Inst) {
        let hole = (self.m.func(g).name.clone(), inst.span);
        if !self.holes.contains(&hole) {
            self.holes.push(hole);
        }
        self.copy(inst);
        let args: Vec<Value> = inst.args.iter().map(|v| self.pair(*v).hi).collect();
        let same = inst.args.iter().zip(&args).all(|(v, hi)| self.p(*v) == *hi);
        let outs: Vec<Value> = match same {
            true => inst.results.iter().map(|v| self.p(*v)).collect(),
            false => {
                let data = inst.results.iter().map(|v| self.data(*v)).collect();
                self.a.b.emit(inst.kind.clone(), &args, data, Vec::new()).to_vec()
            }
        };
        for (v, out) in inst.results.iter().zip(outs) {
            if self.has_pair(*v) {
                let pair = self.scattered(out);
                self.set_pair(*v, pair);
            }
        }
    }

    /// A result of an opaque call, with a lo of some units in the last place.
    fn scattered(&mut self, hi: Value) -> Pair {
        let shape = self.a.b.data(hi).shape.clone();
        if shape.is_empty() {
            return self.scattered_scalar(hi);
        }
        self.elements(&shape, |h, i| {
            let x = h.a.b.index(hi, i);
            h.scattered_scalar(x)
        })
    }

    fn scattered_scalar(&mut self, hi: Value) -> Pair {
        let a = &mut self.a;
        match a.b.ty(hi).scalar() {
            Scalar::F64 => {
                let lo = scatter(a, hi, f64::EPSILON);
                a.normalised(hi, lo)
            }
            Scalar::C128 => {
                let (re, im) = a.parts(Pair { hi, lo: None });
                let (re_lo, im_lo) = (scatter(a, re.hi, f64::EPSILON), scatter(a, im.hi, f64::EPSILON));
                let (re, im) = (a.normalised(re.hi, re_lo), a.normalised(im.hi, im_lo));
                a.complex(re, im)
            }
            Scalar::F32 => {
                let x = a.one(Op::ToF64, hi);
                let lo = scatter(a, x, f32::EPSILON.into());
                Pair { hi, lo: Some(a.one(Op::ToF32, lo)) }
            }
            Scalar::C64 => {
                let z = a.one(Op::ToC, hi);
                let (re, im) = a.parts(Pair { hi: z, lo: None });
                let parts = (scatter(a, re.hi, f32::EPSILON.into()), scatter(a, im.hi, f32::EPSILON.into()));
                let lo = a.two(Op::Complex, parts.0, parts.1);
                Pair { hi, lo: Some(a.one(Op::ToC, lo)) }
            }
            Scalar::Bool | Scalar::I64 => unreachable!("only floats have pairs"),
        }
    }
}

/// ±8 ε |x| with the sign of the rounding error of x times a number: the last bits of x determine it.
fn scatter(a: &mut super::pair::Arith, x: Value, epsilon: f64) -> Value {
    let by = a.num(SCATTER);
    let product = a.two(Op::Mul, x, by);
    let minus = a.one(Op::Neg, product);
    let error = a.three(Op::Fma, x, by, minus);
    let size = a.num(HOLE * epsilon);
    let size = a.two(Op::Mul, size, x);
    a.two(Op::Copysign, size, error)
}

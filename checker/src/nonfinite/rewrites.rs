//! Other ways to write expressions whose derivative is not finite: one table of patterns.

use super::{How, Root};
use adc_ir::*;

/// The place where a pattern is matched.
struct At<'a> {
    f: &'a Func,
    body: &'a Region,
    /// The expression with the infinity, and the one where it became a NaN.
    born: Span,
    met: Option<Span>,
}

/// The replacement for a pattern, if it matches.
type Row = fn(&At) -> Option<String>;

/// Each has the same values where they are finite, and a finite derivative at the point; the last says that there is none.
const TABLE: [Row; 8] = [
    |at| {
        let product = at.op_at(at.met?, Op::Mul)?;
        let root =
            |k: usize| at.op_of(product.args[k], Op::Sqrt).filter(|i| i.args[0] == product.args[1 - k]);
        let x = at.name(root(0).or(root(1))?.args[0], "x");
        Some(format!("`{x}*sqrt({x})` is `{x}^1.5`, which has derivative 0 here"))
    },
    |at| {
        let sum = at.op_of(at.op_at(at.born, Op::Sqrt)?.args[0], Op::Add)?;
        let [x, y] = [(0, "x"), (1, "y")].map(|(k, other)| Some(at.name(at.square(sum.args[k])?, other)));
        let (x, y) = (x?, y?);
        Some(format!("`sqrt({x}^2 + {y}^2)` is `hypot({x}, {y})`, which has derivative 0 here"))
    },
    |at| {
        let x = at.name(at.square(at.op_at(at.born, Op::Sqrt)?.args[0])?, "x");
        Some(format!("`sqrt({x}^2)` is `abs({x})`, which has derivative 0 here"))
    },
    |at| {
        let z = at.name(at.op_of(at.op_at(at.born, Op::Sqrt)?.args[0], Op::Abs2)?.args[0], "z");
        Some(format!("`sqrt(abs2({z}))` is `abs({z})`, which has derivative 0 here"))
    },
    |at| {
        let sum = at.def(at.op_at(at.born, Op::Sqrt)?.args[0])?;
        let term = match (&sum.kind, sum.regions.as_slice()) {
            (Kind::Reduce(ReduceOp::Sum), [r]) => r.yields[0],
            _ => return None,
        };
        at.square(term)?;
        Some("`sqrt(sum(x^2))` is `norm(x)`, which has derivative 0 here".to_string())
    },
    |at| {
        let exp = at.op_at(at.born, Op::Exp)?;
        let logistic = |i: &Inst| {
            let denominator = match i.kind {
                Kind::Op(Op::Recip) => i.args[0],
                Kind::Op(Op::Div) if at.literal(i.args[0]) == Some(1.0) => i.args[1],
                _ => return false,
            };
            let sum = at.op_of(denominator, Op::Add);
            sum.is_some_and(|s| {
                let one = s.args.iter().any(|v| at.literal(*v) == Some(1.0));
                one && s.args.contains(&exp.results[0])
            })
        };
        at.find(&logistic)?;
        let x = at.name(at.op_of(exp.args[0], Op::Neg)?.args[0], "x");
        Some(format!("`1/(1 + exp(-{x}))` is `sigmoid({x})`, which does not overflow"))
    },
    |at| {
        at.find(&|i| i.span == at.born && i.kind == Kind::Linalg(LinalgOp::EighVectors))?;
        let why = "eigenvectors have no derivative where their eigenvalue is equal to another";
        Some(format!("{why}: use the eigenvalues alone, or the vectors of other ones"))
    },
    |at| {
        at.find(&|i| i.span == at.born && i.kind == Kind::Linalg(LinalgOp::SvdVectors))?;
        let why = "singular vectors have no derivative where their singular value is 0 or equal to another";
        Some(format!("{why}: use the singular values alone, or the vectors of other ones"))
    },
];

/// The known replacement for the place where a derivative became not finite.
pub(super) fn find(m: &Module, f: FuncId, root: &Root) -> Option<String> {
    let (born, met) = (root.born.span, root.met.as_ref());
    let met = met.filter(|b| b.how == How::Mul || b.how == How::Fma).map(|b| b.span);
    m.reachable_from(&[f]).into_iter().find_map(|f| {
        let f = m.func(f);
        let at = At { f, body: f.region()?, born, met };
        TABLE.iter().find_map(|row| row(&at))
    })
}

impl<'a> At<'a> {
    fn find(&self, wanted: &dyn Fn(&Inst) -> bool) -> Option<&'a Inst> {
        fn walk<'a>(r: &'a Region, wanted: &dyn Fn(&Inst) -> bool) -> Option<&'a Inst> {
            r.insts.iter().find_map(|i| match wanted(i) {
                true => Some(i),
                false => i.regions.iter().find_map(|r| walk(r, wanted)),
            })
        }
        walk(self.body, wanted)
    }

    fn def(&self, v: Value) -> Option<&'a Inst> {
        self.find(&|i| i.results.contains(&v))
    }

    /// The op at an expression.
    fn op_at(&self, span: Span, op: Op) -> Option<&'a Inst> {
        self.find(&|i| i.span == span && i.kind == Kind::Op(op))
    }

    /// The instruction that defines a value, if it is this op.
    fn op_of(&self, v: Value, op: Op) -> Option<&'a Inst> {
        self.def(v).filter(|i| i.kind == Kind::Op(op))
    }

    fn literal(&self, v: Value) -> Option<f64> {
        match self.def(v)?.kind {
            Kind::Const(c) => Some(c.to_c128().re),
            _ => None,
        }
    }

    /// The value whose square this is.
    fn square(&self, v: Value) -> Option<Value> {
        let i = self.def(v)?;
        match i.kind {
            Kind::Op(Op::Square) => Some(i.args[0]),
            Kind::Op(Op::Mul) if i.args[0] == i.args[1] => Some(i.args[0]),
            _ => None,
        }
    }

    /// The name of a value in the source, or `other`.
    fn name(&self, v: Value, other: &str) -> String {
        let param = self.f.params.iter().find(|p| p.value == v);
        param.map_or(other.to_string(), |p| p.name.clone())
    }
}

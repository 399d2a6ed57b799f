//! Norms in programs. The front end writes one as a branch: the root of a sum of squares, or the same with a scale where that sum
//! overflows or vanishes. As mathematics there is nothing to decide.

use adc_ir::{Const, Func, Inst, Kind, Op, Region, Value};
use rustc_hash::FxHashMap;

/// What defines each value.
pub(super) struct Norms<'a> {
    defs: FxHashMap<Value, &'a Inst>,
}

impl<'a> Norms<'a> {
    pub(super) fn of(func: &'a Func) -> Norms<'a> {
        let mut defs = FxHashMap::default();
        fn region<'a>(r: &'a Region, defs: &mut FxHashMap<Value, &'a Inst>) {
            for inst in &r.insts {
                defs.extend(inst.results.iter().map(|v| (*v, inst)));
                inst.regions.iter().for_each(|r| region(r, defs));
            }
        }
        if let Some(r) = func.region() {
            region(r, &mut defs);
        }
        Norms { defs }
    }

    fn op(&self, v: Value) -> Option<(Op, &'a [Value])> {
        match self.defs.get(&v)? {
            Inst { kind: Kind::Op(op), args, .. } => Some((*op, args)),
            _ => None,
        }
    }

    fn constant(&self, v: Value) -> Option<f64> {
        match self.defs.get(&v)?.kind {
            Kind::Const(c @ (Const::F32(_) | Const::F64(_))) => Some(c.to_c128().re),
            _ => None,
        }
    }

    /// Whether an `if` asks whether a sum of squares is neither tiny nor infinite: as mathematics its first side is the value.
    pub(super) fn is_plain(&self, inst: &Inst) -> bool {
        let Some((Op::And, sides)) = (inst.kind == Kind::If).then(|| self.op(inst.args[0])).flatten() else {
            return false;
        };
        // `s > 1e-290 && s < inf`, in any order.
        let bound = |v: Value| -> Option<(Value, f64)> {
            let (op, args) = self.op(v)?;
            let (a, b) = (args[0], *args.get(1)?);
            match op {
                Op::Gt => self.constant(b).map(|x| (a, x)),
                Op::Lt => match self.constant(b) {
                    Some(x) => Some((a, x)),
                    None => self.constant(a).map(|x| (b, x)),
                },
                _ => None,
            }
        };
        let (Some((s, x)), Some((t, y))) = (bound(sides[0]), bound(sides[1])) else { return false };
        let is_low = |x: f64| x == 1e-290 || x == f64::from(1e-30f32);
        s == t && (is_low(x) && y == f64::INFINITY || is_low(y) && x == f64::INFINITY)
    }
}

//! Run-time checks of declared domains, before calls inside the program.

use super::{Lower, arrays};
use crate::sema::domains::integer_ends;
use adc_ir::{Const, Guard, Op, ParamDomain, ReduceOp, Scalar, Span, Value};

impl Lower<'_, '_> {
    /// Asserts that an argument lies in the domain of its parameter; says nothing for literals that do.
    pub(super) fn guard(&mut self, v: Value, domain: ParamDomain, param: &str, func: &str, span: Span) {
        if self.consts.get(&v).is_some_and(|c| domain.contains(c.to_c128())) {
            return;
        }
        let before = self.builder.set_span(span);
        let cond = if self.builder.ty(v).is_array() {
            let each = self.map(&[v], |l, x| l.lies_in(x[0], domain));
            arrays::reduce(&mut self.builder, ReduceOp::All, each)
        } else {
            self.lies_in(v, domain)
        };
        self.builder.assert(Guard::Domain(format!("`{param}` of `{func}` must lie in {domain}")), cond);
        self.builder.set_span(before);
    }

    fn lies_in(&mut self, v: Value, domain: ParamDomain) -> Value {
        match domain {
            ParamDomain::Interval { lo, hi, lo_closed, hi_closed } => match self.builder.ty(v).scalar() {
                Scalar::I64 => {
                    let (first, last) = integer_ends(lo, hi, lo_closed, hi_closed);
                    self.between(v, Const::I64(first), Const::I64(last), Op::Ge, Op::Le)
                }
                ty => {
                    let low = if lo_closed { Op::Ge } else { Op::Gt };
                    let high = if hi_closed { Op::Le } else { Op::Lt };
                    self.between(v, Const::real(lo, ty), Const::real(hi, ty), low, high)
                }
            },
            ParamDomain::Annulus { r0, r1 } => {
                // In double precision, as the host side does it.
                let z = self.convert(v, Scalar::C128);
                let r = self.builder.op(Op::Abs, &[z]);
                if r0 == 0.0 {
                    let outer = self.constant(Const::F64(r1));
                    self.builder.op(Op::Le, &[r, outer])
                } else {
                    self.between(r, Const::F64(r0), Const::F64(r1), Op::Ge, Op::Le)
                }
            }
        }
    }

    fn between(&mut self, v: Value, lo: Const, hi: Const, low: Op, high: Op) -> Value {
        let (lo, hi) = (self.constant(lo), self.constant(hi));
        let above = self.builder.op(low, &[v, lo]);
        let below = self.builder.op(high, &[v, hi]);
        self.builder.op(Op::And, &[above, below])
    }
}

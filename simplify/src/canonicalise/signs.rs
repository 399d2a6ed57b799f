//! Signs of products. (−a)·b is −(a·b) to the bit, and so are quotients and inverses: a sign inside a product, which nothing
//! else uses, cancels one that the product gets, or makes a difference of a sum.

use super::{Canon, Made, NO_OPERAND};
use adc_ir::{Op, Span, Value, Values};

/// How many factors deep a sign is looked for.
const DEEPEST: usize = 4;

/// Whether a sign of an operand is one of the result.
fn is_product(op: Op) -> bool {
    matches!(op, Op::Mul | Op::Div | Op::Recip)
}

impl Canon<'_> {
    /// `x` if the value is −x of a float. A product is computed again, without the sign in it.
    pub(super) fn negated(&mut self, v: Value, span: Span) -> Option<Value> {
        self.is_negated(v).then(|| self.without_sign(v, span))
    }

    /// Whether [`Canon::negated`] gives something.
    pub(super) fn is_negated(&self, v: Value) -> bool {
        self.has_sign(v, DEEPEST)
    }

    fn has_sign(&self, v: Value, depth: usize) -> bool {
        let fact = &self.facts[v.0 as usize];
        if fact.sign == 0 || fact.sign as usize > depth {
            return false;
        }
        let Some((_, factors)) = self.factors(v) else { return fact.scalar.is_float() };
        // Complex products are sums, in which a zero could have the other sign. What is used elsewhere is computed in
        // any case, and what stands outside of a loop is computed once.
        let alone = self.uses[v.0 as usize] == 1 && fact.depth == self.depth;
        fact.scalar.is_real() && alone && factors.iter().any(|f| self.has_sign(*f, depth - 1))
    }

    /// How deep the nearest sign is in the value of an op: what [`Canon::has_sign`] need not look for every time.
    pub(super) fn sign_of(&self, op: Op, operands: [u32; 3]) -> u8 {
        if op == Op::Neg {
            return 1;
        }
        if !is_product(op) {
            return 0;
        }
        let factors = operands.into_iter().take_while(|v| *v != NO_OPERAND);
        let nearest = factors.map(|v| self.facts[v as usize].sign).filter(|sign| *sign > 0).min();
        nearest.filter(|sign| (*sign as usize) < DEEPEST).map_or(0, |sign| sign + 1)
    }

    /// A product or quotient, with its operands.
    fn factors(&self, v: Value) -> Option<(Op, Values)> {
        let fact = &self.facts[v.0 as usize];
        match fact.made {
            Made::Op(op) if is_product(op) => {
                let factors = fact.args.into_iter().take_while(|v| *v != NO_OPERAND);
                Some((op, factors.map(Value).collect()))
            }
            Made::Op(_) | Made::Literal | Made::Opaque => None,
        }
    }

    fn without_sign(&mut self, v: Value, span: Span) -> Value {
        if let Some(x) = self.operand_of(v, Op::Neg) {
            return x;
        }
        let (op, mut factors) = self.factors(v).expect("there is a sign in it");
        // The nearest sign.
        let nearest = (1..=DEEPEST).find_map(|depth| factors.iter().position(|f| self.has_sign(*f, depth)));
        let k = nearest.expect("there is a sign in it");
        factors[k] = self.without_sign(factors[k], span);
        self.op(op, factors, None, span)
    }
}

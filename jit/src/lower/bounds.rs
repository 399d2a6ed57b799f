//! What integers can be: bounds that make checks of indices and of overflow unnecessary.
//!
//! Numbers are `adc_ir`'s business ([`Ranges`]). Beside them there are polynomials over other integers: the parameter of a
//! loop over `0..n` is at most `n - 1`, whatever n is, so it is an index into an axis of size n, and so is `n - 1 - i`.

use adc_ir::dims::{Dim, Known};
use adc_ir::ranges::Ranges;
use adc_ir::{Func, Inst, Kind, Op, Region, Type, Value};
use rustc_hash::FxHashMap;

/// What is known of one function's integers.
pub(crate) struct Bounds {
    /// Of a function without loops and arrays nobody asks.
    numbers: Option<Ranges>,
    known: Known,
    /// The least and the largest an integer can be, as far as that depends on other ones.
    symbolic: FxHashMap<Value, (Option<Dim>, Option<Dim>)>,
    /// By value that is `max(n, 0)`: n.
    clamps: FxHashMap<Value, Value>,
    /// Of the index of a loop from 0 to one: the largest it can be, by n, because in the loop n is not negative.
    clamped: FxHashMap<Value, Dim>,
}

impl Bounds {
    pub fn of(func: &Func) -> Bounds {
        if func.is_scalar() {
            let (known, symbolic, clamps, clamped) = Default::default();
            return Bounds { numbers: None, known, symbolic, clamps, clamped };
        }
        let mut bounds = Bounds {
            numbers: Some(Ranges::of(func)),
            known: Known::of(func),
            symbolic: FxHashMap::default(),
            clamps: FxHashMap::default(),
            clamped: FxHashMap::default(),
        };
        if let Some(body) = func.region() {
            bounds.region(func, body);
        }
        bounds
    }

    /// The least and the largest it can be.
    pub fn range(&self, v: Value) -> (i64, i64) {
        self.numbers.as_ref().map_or((i64::MIN, i64::MAX), |n| n.get(v))
    }

    /// Whether a real number is known to be an integer.
    pub fn is_whole(&self, v: Value) -> bool {
        self.numbers.as_ref().is_some_and(|n| n.is_whole(v))
    }

    /// The number, if it can be only one.
    pub fn number(&self, v: Value) -> Option<i64> {
        let (lo, hi) = self.range(v);
        (lo == hi).then_some(lo)
    }

    /// Whether it is at least 0.
    pub fn is_natural(&self, v: Value) -> bool {
        self.range(v).0 >= 0
    }

    /// Whether it is at least 0 and below a size.
    pub fn is_index(&self, v: Value, size: &Dim) -> bool {
        let least = self.symbolic.get(&v).and_then(|s| s.0.as_ref()).and_then(Dim::as_const);
        (self.is_natural(v) || least.is_some_and(|n| n >= 0)) && self.is_below(v, size)
    }

    /// Whether it is below a size.
    pub fn is_below(&self, v: Value, size: &Dim) -> bool {
        let most = self.symbolic.get(&v).and_then(|s| s.1.as_ref());
        let below = |most: Option<&Dim>| {
            let gap = most.and_then(|most| size.sub(most)).and_then(|d| d.as_const());
            gap.is_some_and(|gap| gap >= 1)
        };
        size.as_const().is_some_and(|n| self.range(v).1 < n) || below(most) || below(self.clamped.get(&v))
    }

    /// Whether the `+`, `−` or `×` of an instruction cannot overflow.
    pub fn is_exact(&self, op: Op, inst: &Inst) -> bool {
        let [a, b] = inst.args[..] else { return false };
        let ends = |v: Value| {
            let (lo, hi) = self.range(v);
            [lo as i128, hi as i128]
        };
        let fits = |f: fn(i128, i128) -> i128| {
            let inside = |x: i128| (i64::MIN as i128..=i64::MAX as i128).contains(&x);
            ends(a).iter().all(|x| ends(b).iter().all(|y| inside(f(*x, *y))))
        };
        (op == Op::Add && fits(|x, y| x + y))
            || (op == Op::Sub && fits(|x, y| x - y))
            || (op == Op::Mul && fits(|x, y| x * y))
    }

    fn region(&mut self, func: &Func, r: &Region) {
        for inst in &r.insts {
            self.inst(func, inst);
            inst.regions.iter().for_each(|r| self.region(func, r));
        }
    }

    fn inst(&mut self, func: &Func, inst: &Inst) {
        let one = Dim::constant(1);
        if let Kind::Build { rank } = inst.kind {
            let shape = self.known.resolve_shape(func.shape(inst.results[0]));
            for (v, size) in inst.regions[0].params.iter().zip(shape).take(rank as usize) {
                self.symbolic.insert(*v, (Some(Dim::constant(0)), size.sub(&one)));
            }
        } else if matches!(inst.kind, Kind::Reduce(_) | Kind::For(_)) {
            let (lo, hi) = (self.ends(inst.args[0]).0, self.ends(inst.args[1]).1);
            let n = hi.as_ref().and_then(Dim::as_var).and_then(|v| self.clamps.get(&v));
            if lo.as_ref().and_then(Dim::as_const).is_some_and(|n| n >= 0)
                && let Some(most) = n.and_then(|n| self.known.dim(*n).sub(&one))
            {
                self.clamped.insert(inst.regions[0].params[0], most);
            }
            self.symbolic.insert(inst.regions[0].params[0], (lo, hi.and_then(|d| d.sub(&one))));
        } else if inst.kind == Kind::Op(Op::Max) && func.ty(inst.results[0]) == Type::I64 {
            let negative = |v: Value| self.number(v).is_some_and(|n| n <= 0);
            match inst.args[..] {
                [n, zero] | [zero, n] if negative(zero) => drop(self.clamps.insert(inst.results[0], n)),
                _ => {}
            }
        } else if let Kind::Op(op @ (Op::Add | Op::Sub)) = inst.kind
            && func.ty(inst.results[0]) == Type::I64
        {
            let ((alo, ahi), (blo, bhi)) = (self.ends(inst.args[0]), self.ends(inst.args[1]));
            let with = |f: fn(&Dim, &Dim) -> Option<Dim>, x: Option<Dim>, y: Option<Dim>| f(&x?, &y?);
            let ends = match op {
                Op::Add => (with(Dim::add, alo, blo), with(Dim::add, ahi, bhi)),
                _ => (with(Dim::sub, alo, bhi), with(Dim::sub, ahi, blo)),
            };
            self.symbolic.insert(inst.results[0], ends);
        }
    }

    /// Bounds, the integer itself where there are no others.
    fn ends(&self, v: Value) -> (Option<Dim>, Option<Dim>) {
        let own = self.known.dim(v);
        let (lo, hi) = self.symbolic.get(&v).cloned().unwrap_or_default();
        (lo.or(Some(own.clone())), hi.or(Some(own)))
    }
}

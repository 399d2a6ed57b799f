//! Between which numbers integers lie: enough to see that an index is inside its array. Real numbers that were integers before, as lanes
//! have no others, are followed, and so are elements of arrays that a loop makes.
//!
//! Nothing is known of what comes from outside, so of a function with dimensions only what its literals and loops over
//! them say. Arithmetic that may overflow is an error at run time, so that its result, where there is one, lies in the
//! exact range.

use crate::Type;
use crate::dims::Dim;
use crate::module::*;
use crate::ops::Op;

/// The smallest and the largest number an integer may be.
pub type Range = (i64, i64);

const ANY: Range = (i64::MIN, i64::MAX);
/// Integers of at most this size are real numbers, too.
const EXACT: i64 = 1 << 53;

/// Ranges of the integers of a function, by [`Value`].
#[derive(Clone, Debug)]
pub struct Ranges(Vec<Range>);

impl Ranges {
    /// Looks at a whole function, once.
    pub fn of(func: &Func) -> Ranges {
        let mut ranges = Ranges(vec![ANY; func.values.len()]);
        if let Some(body) = func.region() {
            ranges.region(func, body);
        }
        ranges
    }

    /// The range of an integer; an empty one (the first number larger than the second) where no run comes by. Nothing is known of values
    /// that were made since.
    pub fn get(&self, v: Value) -> Range {
        self.0.get(v.0 as usize).copied().unwrap_or(ANY)
    }

    /// Whether a real number is known to be an integer.
    pub fn is_whole(&self, v: Value) -> bool {
        let (lo, hi) = self.get(v);
        -EXACT <= lo && hi <= EXACT
    }

    /// The range of a size.
    pub fn dim(&self, dim: &Dim) -> Range {
        let mut sum = (0i128, 0i128);
        for (vars, c) in dim.terms() {
            let mut product = (c as i128, c as i128);
            for v in vars {
                let (lo, hi) = self.get(*v);
                let ends = [product.0, product.1]
                    .map(|p| [p.saturating_mul(lo as i128), p.saturating_mul(hi as i128)]);
                product = hull(ends.into_iter().flatten());
            }
            sum = (sum.0.saturating_add(product.0), sum.1.saturating_add(product.1));
        }
        narrow(sum)
    }

    /// Whether every one of the indices lies inside the axis it stands for.
    pub fn inside(&self, shape: &[Dim], index: &[Value]) -> bool {
        shape.iter().zip(index).all(|(size, i)| {
            let (lo, hi) = self.get(*i);
            lo >= 0 && (lo > hi || hi < self.dim(size).0)
        })
    }

    fn set(&mut self, v: Value, range: Range) {
        self.0[v.0 as usize] = range;
    }

    fn region(&mut self, func: &Func, r: &Region) {
        for inst in &r.insts {
            self.inst(func, inst);
        }
    }

    fn inst(&mut self, func: &Func, inst: &Inst) {
        match &inst.kind {
            Kind::Const(Const::I64(n)) => self.set(inst.results[0], (*n, *n)),
            Kind::Const(Const::F64(x)) if x.fract() == 0.0 && x.abs() <= EXACT as f64 => {
                self.set(inst.results[0], (*x as i64, *x as i64));
            }
            Kind::Size(dim) => {
                let range = self.dim(dim);
                self.set(inst.results[0], range);
            }
            Kind::Op(op) => {
                let [from, to] = [inst.args[0], inst.results[0]].map(|v| func.ty(v));
                let range = match op {
                    Op::ToF64 if from == Type::I64 => Some(self.get(inst.args[0])),
                    Op::ToI64 if from == Type::F64 => {
                        self.is_whole(inst.args[0]).then(|| self.get(inst.args[0]))
                    }
                    Op::Select | Op::StopGradient => self.op(*op, &inst.args),
                    Op::Add | Op::Sub if inst.args.iter().all(|v| self.is_whole(*v)) => {
                        self.op(*op, &inst.args)
                    }
                    _ if to == Type::I64 => self.op(*op, &inst.args),
                    _ => None,
                };
                let exact = |r: &Range| to == Type::I64 || (-EXACT <= r.0 && r.1 <= EXACT);
                if let Some(range) = range.filter(exact) {
                    self.set(inst.results[0], range);
                }
            }
            kinds!(Read) => {
                let range = self.get(inst.args[0]);
                self.set(inst.results[0], range);
            }
            Kind::Build { rank } => {
                let shape = func.shape(inst.results[0]);
                for (i, size) in inst.regions[0].params.iter().zip(&shape[..*rank as usize]) {
                    self.set(*i, (0, self.dim(size).1.saturating_sub(1)));
                }
            }
            Kind::Reduce(_) | Kind::For(_) => {
                let [lo, hi] = [0, 1].map(|k| self.get(inst.args[k]));
                let range = (lo.0, hi.1.saturating_sub(1));
                self.set(inst.regions[0].params[0], range);
                if matches!(inst.kind, Kind::Reduce(ReduceOp::ArgMax | ReduceOp::ArgMin)) {
                    self.set(inst.results[0], range);
                }
            }
            // A number of iterations is not negative.
            Kind::While(l) if l.collects > 0 => self.set(inst.results[inst.args.len()], (0, i64::MAX)),
            Kind::Const(_)
            | Kind::Call(_)
            | Kind::If
            | Kind::Assert(_)
            | Kind::While(_)
            | kinds!(Write | Form | Matrix) => {}
        }
        inst.regions.iter().for_each(|r| self.region(func, r));
        let made = match inst.kind {
            Kind::Build { .. } => 1,
            Kind::For(l) => l.collects as usize,
            _ => 0,
        };
        for k in 1..=made {
            let range = self.get(inst.regions[0].yields[inst.regions[0].yields.len() - k]);
            self.set(inst.results[inst.results.len() - k], range);
        }
        if inst.kind == Kind::If {
            for (k, v) in inst.results.iter().enumerate() {
                let [a, b] = [0, 1].map(|side| self.get(inst.regions[side].yields[k]));
                self.set(*v, (a.0.min(b.0), a.1.max(b.1)));
            }
        }
    }

    /// The range of an op's result; `None` if nothing is known of it.
    fn op(&self, op: Op, args: &[Value]) -> Option<Range> {
        let at = |k: usize| {
            let (lo, hi) = self.get(args[k]);
            (lo as i128, hi as i128)
        };
        let corners = |f: &dyn Fn(i128, i128) -> i128| {
            let ((a, b), (c, d)) = (at(0), at(1));
            hull([f(a, c), f(a, d), f(b, c), f(b, d)])
        };
        // Of the many ops few give integers that indices are made of.
        let range = if op == Op::Add {
            corners(&|x, y| x + y)
        } else if op == Op::Sub {
            corners(&|x, y| x - y)
        } else if op == Op::Mul {
            corners(&|x, y| x * y)
        } else if op == Op::Min {
            let ((a, b), (c, d)) = (at(0), at(1));
            (a.min(c), b.min(d))
        } else if op == Op::Max {
            let ((a, b), (c, d)) = (at(0), at(1));
            (a.max(c), b.max(d))
        } else if op == Op::Neg {
            let (a, b) = at(0);
            (-b, -a)
        } else if op == Op::Idiv && at(1).0 > 0 {
            corners(&|x, y| x.div_euclid(y))
        } else if op == Op::Mod && at(1).0 > 0 {
            let ((a, b), (_, d)) = (at(0), at(1));
            if 0 <= a && b < at(1).0 { (a, b) } else { (0, d - 1) }
        } else if op == Op::Select {
            let ((a, b), (c, d)) = (at(1), at(2));
            (a.min(c), b.max(d))
        } else if op == Op::StopGradient {
            at(0)
        } else {
            return None;
        };
        Some(narrow(range))
    }
}

fn hull(ends: impl IntoIterator<Item = i128>) -> (i128, i128) {
    ends.into_iter().fold((i128::MAX, i128::MIN), |(lo, hi), x| (lo.min(x), hi.max(x)))
}

fn narrow((lo, hi): (i128, i128)) -> Range {
    let end = |x: i128| x.clamp(i64::MIN as i128, i64::MAX as i128) as i64;
    (end(lo), end(hi))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::parse_module;

    #[test]
    fn indices_of_loops() {
        let m = parse_module(
            "fn f(x: f64[8], k: i64) -> f64 {
               v0 = i64 0  v1 = i64 8  v2 = i64 1  v3 = f64 0.0
               v4 = for v0, v1, v2, v3 (v5, v6) {
                 v7 = sub v1, v2
                 v8 = sub v7, v5
                 v9 = add v5, v2
                 v10 = mod k, v1
                 v11 = i64 2
                 v12 = idiv v5, v11
                 yield v6
               }
               return v4
             }",
        )
        .unwrap();
        let f = &m.funcs[0];
        let ranges = Ranges::of(f);
        let Some(Inst { regions, .. }) = f.region().unwrap().insts.iter().find(|i| !i.regions.is_empty())
        else {
            panic!("there is a loop")
        };
        let range = |k: usize| ranges.get(regions[0].insts[k].results[0]);
        assert_eq!(ranges.get(regions[0].params[0]), (0, 7));
        assert_eq!([0, 1, 2, 3, 5].map(range), [(7, 7), (0, 7), (1, 8), (0, 7), (0, 3)]);
        let shape = f.shape(f.params[0].value);
        let inside = |k: usize| ranges.inside(shape, &[regions[0].insts[k].results[0]]);
        assert_eq!([1, 2, 3].map(inside), [true, false, true]);
    }

    #[test]
    fn integers_as_real_numbers() {
        let m = parse_module(
            "fn f(x: f64[8]) -> i64 {
               v0 = i64 0  v1 = i64 8  v2 = i64 1  v3 = f64 0.5  v4 = f64 -0.0
               v5, v6 = for v0, v1, v2 collects 2 (v7) {
                 v8 = index x, v7
                 v9 = lt v8, v3
                 v10 = to_f64 v7
                 v11 = select v9, v10, v4
                 v12 = add v11, v11
                 v13 = select v9, v8, v4
                 yield v12, v13
               }
               v14 = index v5, v2
               v15 = to_i64 v14
               v16 = index v6, v2
               v17 = to_i64 v16
               v18 = add v15, v17
               return v18
             }",
        )
        .unwrap();
        let f = &m.funcs[0];
        let ranges = Ranges::of(f);
        let made = |name: Op| {
            let all = f.region().unwrap().insts.iter().filter(move |i| i.kind == Kind::Op(name));
            all.map(|i| (ranges.get(i.results[0]), ranges.is_whole(i.args[0]))).collect::<Vec<_>>()
        };
        assert_eq!(made(Op::ToI64), [((0, 14), true), (ANY, false)]);
    }
}

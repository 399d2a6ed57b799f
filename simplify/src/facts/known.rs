//! What is known where: a walk through a function learns facts from its instructions, and from conditions where they hold.

use super::{Facts, Range};
use adc_ir::ranges::Ranges;
use adc_ir::{Const, Func, Inst, Kind, Op, Scalar, Value, ValueData, Values};
use smallvec::SmallVec;

/// The facts of a walk, in the order of execution. Those of an array are of all its elements. Of what is carried by loops, nothing but the
/// type is known, and of integers their range.
pub(crate) struct Known<'a> {
    /// By value.
    facts: Vec<Facts>,
    /// Ops that conditions are made of, by value.
    defs: Vec<Option<(Op, Values)>>,
    ranges: &'a Ranges,
    /// What was known before the conditions that hold here.
    assumed: Vec<(Value, Facts)>,
}

impl<'a> Known<'a> {
    /// At the beginning of a function: domains of its parameters.
    pub fn of(f: &Func, ranges: &'a Ranges) -> Known<'a> {
        let mut facts: Vec<Facts> = f.values.iter().map(|d| Facts::any(d.ty.scalar())).collect();
        for p in &f.params {
            if let Some(domain) = p.domain {
                facts[p.value.0 as usize] = Facts::declared(domain, f.ty(p.value).scalar());
            }
        }
        Known { defs: vec![None; facts.len()], facts, ranges, assumed: Vec::new() }
    }

    pub fn get(&self, v: Value) -> Facts {
        self.facts[v.0 as usize]
    }

    /// Of the next value, which the walk makes.
    pub fn add(&mut self, facts: Facts) {
        self.facts.push(facts);
        self.defs.push(None);
    }

    /// At the beginning of a region of an instruction: ranges of its parameters, and in a branch its condition.
    pub fn enter(&mut self, inst: &Inst, region: usize, values: &[ValueData]) {
        inst.regions[region].params.iter().for_each(|p| self.note_integer(*p, values));
        if inst.kind == Kind::If {
            self.assume(inst.args[0], region == 0, values);
        }
    }

    /// The conditions that hold now, for [`Known::forget`].
    pub fn mark(&self) -> usize {
        self.assumed.len()
    }

    /// Forgets the conditions since.
    pub fn forget(&mut self, mark: usize) {
        for (v, before) in self.assumed.split_off(mark).into_iter().rev() {
            self.facts[v.0 as usize] = before;
        }
    }

    /// What a comparison or classification gives, if its operands settle it.
    pub fn decided(&self, inst: &Inst, values: &[ValueData]) -> Option<bool> {
        let Kind::Op(op) = inst.kind else { return None };
        let ty = |v: &Value| values[v.0 as usize].ty;
        let real =
            |v: &Value| !ty(v).is_array() && !ty(v).scalar().is_complex() && ty(v).scalar() != Scalar::Bool;
        if ty(&inst.results[0]).scalar() != Scalar::Bool || !inst.args.iter().all(real) {
            return None;
        }
        let args: SmallVec<[Facts; 2]> = inst.args.iter().map(|v| self.get(*v)).collect();
        Facts::decided(op, &args)
    }

    /// Notes what is known of an instruction's results.
    pub fn learn(&mut self, inst: &Inst, values: &[ValueData]) {
        let Some(r) = inst.results.first().map(|r| r.0 as usize) else { return };
        match &inst.kind {
            Kind::Const(c) => self.facts[r] = Facts::literal(*c),
            Kind::Op(op) => {
                let ty = values[r].ty.scalar();
                let args: SmallVec<[Facts; 3]> = inst.args.iter().map(|v| self.facts[v.0 as usize]).collect();
                self.facts[r] = match (op, &inst.args[..]) {
                    (Op::Mul, [x, y]) if x == y => Facts::of(Op::Square, &args[..1], ty),
                    (Op::Fma, [x, y, _]) if x == y => {
                        let square = Facts::of(Op::Square, &args[..1], ty);
                        Facts::of(Op::Fma, &[square, Facts::literal(Const::F64(1.0)), args[2]], ty)
                    }
                    _ => Facts::of(*op, &args, ty),
                };
                if ty == Scalar::Bool {
                    self.defs[r] = Some((*op, inst.args.clone()));
                }
            }
            Kind::Index => self.facts[r] = self.facts[inst.args[0].0 as usize],
            Kind::If => {
                for (k, v) in inst.results.iter().enumerate() {
                    let [a, b] = [0, 1].map(|s| inst.regions[s].yields[k]);
                    let joined = self.facts[a.0 as usize].join(&self.facts[b.0 as usize]);
                    self.facts[v.0 as usize] = joined;
                }
            }
            _ => {}
        }
        inst.results.iter().for_each(|v| self.note_integer(*v, values));
    }

    /// From here to the end of the region the condition has this value.
    pub fn assume(&mut self, cond: Value, truth: bool, values: &[ValueData]) {
        let Some((op, args)) = self.defs[cond.0 as usize].clone() else { return };
        let (x, y) = (args[0], *args.last().expect("ops have operands"));
        let ty = values[x.0 as usize].ty.scalar();
        let [fx, fy] = [x, y].map(|v| self.facts[v.0 as usize]);
        let ordered = !ty.is_complex() && ty != Scalar::Bool;
        // Comparisons with the operands exchanged.
        const FLIPPED: [(Op, Op); 4] =
            [(Op::Lt, Op::Gt), (Op::Le, Op::Ge), (Op::Gt, Op::Lt), (Op::Ge, Op::Le)];
        if op == Op::Not {
            self.assume(x, !truth, values);
        } else if (op == Op::And && truth) || (op == Op::Or && !truth) {
            self.assume(x, truth, values);
            self.assume(y, truth, values);
        } else if let Some((_, flipped)) = FLIPPED.iter().find(|(o, _)| *o == op) {
            self.know(x, fx.where_compared(op, &fy, truth));
            self.know(y, fy.where_compared(*flipped, &fx, truth));
        } else if ordered && ((op == Op::Eq && truth) || (op == Op::Ne && !truth)) {
            self.know(x, fx.where_compared(Op::Eq, &fy, true));
            self.know(y, fy.where_compared(Op::Eq, &fx, true));
        } else if ordered && (op == Op::Eq || op == Op::Ne) {
            let zero = |f: &Facts| f.re.lo == 0.0 && f.re.hi == 0.0 && !f.re.nan;
            if zero(&fy) {
                self.know(x, fx.where_nonzero());
            }
            if zero(&fx) {
                self.know(y, fy.where_nonzero());
            }
        } else if op == Op::IsFinite && truth {
            self.know(x, fx.where_finite(ty));
        } else if op == Op::IsNan && !truth && ordered {
            self.know(x, Facts { re: Range { nan: false, ..fx.re }, im: fx.im });
        }
    }

    fn note_integer(&mut self, v: Value, values: &[ValueData]) {
        let ty = values[v.0 as usize].ty;
        if !ty.is_array() && ty.scalar() == Scalar::I64 {
            let (lo, hi) = self.ranges.get(v);
            if lo <= hi {
                self.facts[v.0 as usize] = Facts::integer(lo, hi);
            }
        }
    }

    fn know(&mut self, v: Value, facts: Facts) {
        let place = &mut self.facts[v.0 as usize];
        self.assumed.push((v, std::mem::replace(place, facts)));
    }
}

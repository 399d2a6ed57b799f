//! What a branch adds to a carried sum or writes to an element is chosen in the branch, and added or written behind it:
//! `if c { s += e; }` becomes `s += if c { e } else { -0.0 };`.
//!
//! So a sum of which some terms are left out is still a sum, and an element that is written on a condition is one that is
//! written. All bits are kept: x + (−0.0) is x for every x, zeros included.
//!
//! Additions to elements are brought behind their branch only in what comes from the model. What a derivative adds on a condition
//! it often adds rarely, or in one iteration: the reverse of a minimum, or of a first element that is another expression. But it is
//! brought there if the condition compares integers and holds for most of what they can be, as one that keeps an index inside an array.
//! Nor are sums, where the loop carries other numbers: it does not become one that adds up.

use super::{scan, total};
use adc_ir::dims::Known;
use adc_ir::ranges::Ranges;
use adc_ir::{Const, Func, Inst, Kind, Op, Region, Scalar, Type, Value, Values};
use num_complex::Complex64;
use rustc_hash::{FxHashMap, FxHashSet};

/// Returns whether there was any.
pub(crate) fn function(f: &mut Func) -> bool {
    let adds = f.origin.is_none();
    let (known, ranges) = (Known::of(f), Ranges::of(f));
    let mut any = false;
    scan::edit(f, |body, f| {
        let mut uses = vec![0; f.values.len()];
        body.count_uses(&mut uses);
        let mut conditions = FxHashMap::default();
        let mut see = |i: &Inst| {
            if let [v] = i.results[..]
                && f.ty(v) == Type::BOOL
            {
                conditions.insert(v, i.clone());
            }
        };
        body.insts.iter().for_each(|i| scan::each(i, &mut see));
        let mut c = Conditional { f, known, ranges, uses, adds, conditions, any: false };
        c.region(body, &[]);
        any = c.any;
    });
    any
}

struct Conditional<'a> {
    f: &'a mut Func,
    known: Known,
    ranges: Ranges,
    /// By value.
    uses: Vec<u32>,
    /// What makes truth values.
    conditions: FxHashMap<Value, Inst>,
    /// Whether additions to elements are brought behind their branch.
    adds: bool,
    any: bool,
}

/// What a branch does to a sum or an array: it adds a term, or writes an element.
#[derive(Clone, PartialEq)]
struct Step {
    kind: Kind,
    value: Value,
    index: Values,
}

impl Conditional<'_> {
    /// `carried`: what the loop around carries.
    fn region(&mut self, r: &mut Region, carried: &[Value]) {
        let mut out: Vec<Inst> = Vec::with_capacity(r.insts.len());
        for mut inst in std::mem::take(&mut r.insts) {
            let is_if = inst.kind == Kind::If;
            for r in &mut inst.regions {
                // Of a `for`, behind the index.
                let own = r.params.get(1..).unwrap_or_default().to_vec();
                self.region(r, if is_if { carried } else { &own });
                if is_if {
                    self.indices(r, &mut out);
                }
            }
            let mut behind = Vec::new();
            for k in (0..if is_if { inst.results.len() } else { 0 }).rev() {
                if let Some((from, steps)) = self.steps(&inst, k, carried) {
                    self.chosen(&mut inst, k, from, steps, &mut behind);
                    self.any = true;
                }
            }
            out.push(inst);
            out.append(&mut behind);
        }
        r.insts = out;
    }

    /// Moves what computes indices of writes out of a branch.
    fn indices(&self, arm: &mut Region, before: &mut Vec<Inst>) {
        let writes = arm.insts.iter().filter(|i| matches!(i.kind, Kind::Update | Kind::AddAt));
        let mut wanted: FxHashSet<Value> = writes.flat_map(|i| i.args[2..].iter().copied()).collect();
        for inst in arm.insts.iter().rev().filter(|i| matches!(i.kind, Kind::Op(_) | Kind::Size(_))) {
            if wanted.contains(&inst.results[0]) {
                scan::uses(inst, self.f, &mut |v| {
                    wanted.insert(v);
                });
            }
        }
        let mut inside: FxHashSet<Value> = arm.insts.iter().flat_map(|i| i.results.iter().copied()).collect();
        let mut moves = |inst: &Inst| {
            let mut free = true;
            scan::uses(inst, self.f, &mut |v| free &= !inside.contains(&v));
            let simple = matches!(inst.kind, Kind::Const(_) | Kind::Op(_) | Kind::Size(_));
            let integer = simple && self.f.ty(inst.results[0]) == Scalar::I64.into();
            let goes = integer
                && free
                && wanted.contains(&inst.results[0])
                && total::inst(inst, self.f, &self.ranges);
            if goes {
                inside.remove(&inst.results[0]);
            }
            goes
        };
        let [gone, stay]: [Vec<Inst>; 2] =
            std::mem::take(&mut arm.insts).into_iter().fold(Default::default(), |[mut a, mut b], i| {
                if moves(&i) {
                    a.push(i)
                } else {
                    b.push(i)
                }
                [a, b]
            });
        arm.insts = stay;
        before.extend(gone);
    }

    /// What the branches do to one value to get result `k`, and that value; they do something, and nothing else needs what they get.
    fn steps(&self, inst: &Inst, k: usize, carried: &[Value]) -> Option<(Value, [Vec<Step>; 2])> {
        let ty = self.f.ty(inst.results[k]);
        (ty.scalar().is_float() || ty == Scalar::I64.into()).then_some(())?;
        let arms = [&inst.regions[0], &inst.regions[1]];
        let found = if ty.is_array() {
            let [(a, first), (b, second)] = [self.writes(arms[0], k)?, self.writes(arms[1], k)?];
            (a == b).then_some((a, [first, second]))?
        } else {
            let adds_up = |v: &Value| {
                let ty = self.f.ty(*v);
                // A counter that is used may be an index.
                let counts = ty == Scalar::I64.into() && self.uses.get(v.0 as usize).is_some_and(|n| *n <= 2);
                ty.is_array() || ty.scalar().is_float() || counts
            };
            carried.iter().all(adds_up).then_some(())?;
            let alike = carried.iter().filter(|v| self.f.ty(**v) == ty);
            let mut all =
                alike.map(|s| Some((*s, [self.terms(arms[0], k, *s)?, self.terms(arms[1], k, *s)?])));
            all.find_map(|found| found)?
        };
        let [a, b] = &found.1;
        let writes = |s: &Step| s.kind == Kind::Update;
        let fits = match (&a[..], &b[..]) {
            ([], []) => false,
            // Of one element, in one branch or both.
            ([one], []) | ([], [one]) if writes(one) => true,
            ([a], [b]) if writes(a) && writes(b) => a.index == b.index,
            _ if ty.is_array() && !self.adds && !(b.is_empty() && self.is_usual(inst.args[0])) => false,
            _ => !a.iter().chain(b).any(writes),
        };
        fits.then_some(found)
    }

    /// Whether a condition compares integers, and holds for most of what their difference can be.
    fn is_usual(&self, cond: Value) -> bool {
        let Some(inst) = self.conditions.get(&cond) else { return false };
        let (op, &[a, b]) = (&inst.kind, &inst.args[..]) else {
            // `a && b`, where `b` is asked for only behind `a`.
            let [then, other] = &inst.regions[..] else { return false };
            let no = self.conditions.get(&other.yields[0]).map(|i| &i.kind);
            return no == Some(&Kind::Const(Const::Bool(false)))
                && self.is_usual(inst.args[0])
                && self.is_usual(then.yields[0]);
        };
        let (Kind::Op(op), Type::I64 | Type::BOOL) = (op, self.f.ty(a)) else { return false };
        if *op == Op::And {
            return self.is_usual(a) && self.is_usual(b);
        }
        let [a, b] = [a, b].map(|v| self.known.dim(v));
        let more = match op {
            Op::Ge | Op::Gt => a.sub(&b),
            Op::Le | Op::Lt => b.sub(&a),
            _ => None,
        };
        // Not for most of an empty range, nor if nothing is known.
        let (least, most) = more.map_or((0, -1), |more| self.ranges.dim(&more));
        least <= most && most > 0 && most < 1 << 40 && least.saturating_neg() < most
    }

    /// What a branch writes to an array from outside, one element after the other.
    fn writes(&self, arm: &Region, k: usize) -> Option<(Value, Vec<Step>)> {
        let outside = |v: &Value| arm.insts.iter().all(|i| !i.results.contains(v));
        let (mut array, mut steps) = (arm.yields[k], Vec::new());
        while let Some(inst) = arm.insts.iter().find(|i| i.results[..] == [array]) {
            let (Kind::Update | Kind::AddAt, [before, value, index @ ..]) = (&inst.kind, &inst.args[..])
            else {
                return None;
            };
            let number = !self.f.ty(*value).is_array();
            let inside = index.iter().all(outside) && self.ranges.inside(self.f.shape(array), index);
            (number && inside && self.is_used_once(array)).then_some(())?;
            steps.push(Step { kind: inst.kind.clone(), value: *value, index: index.into() });
            array = *before;
        }
        steps.reverse();
        outside(&array).then_some((array, steps))
    }

    /// What a branch adds to a sum from outside.
    fn terms(&self, arm: &Region, k: usize, sum: Value) -> Option<Vec<Step>> {
        let ty = self.f.ty(sum);
        let (mut y, mut steps) = (arm.yields[k], Vec::new());
        while y != sum {
            let inst = arm.insts.iter().find(|i| i.results[..] == [y]).filter(|_| self.is_used_once(y))?;
            let (before, value) = match (&inst.kind, &inst.args[..]) {
                (Kind::Op(Op::Add), [a, b]) if *b == sum => (*b, *a),
                (Kind::Op(Op::Add), [a, b]) => (*a, *b),
                // The negative of an integer may overflow.
                (Kind::Op(Op::Sub), [a, b]) if ty.scalar().is_float() => (*a, *b),
                _ => return None,
            };
            (self.f.ty(value) == ty).then_some(())?;
            steps.push(Step { kind: inst.kind.clone(), value, index: Values::new() });
            y = before;
        }
        steps.reverse();
        Some(steps)
    }

    fn is_used_once(&self, v: Value) -> bool {
        self.uses.get(v.0 as usize) == Some(&1)
    }

    /// Lets the branches yield what they add or write, and does it behind them.
    fn chosen(
        &mut self,
        inst: &mut Inst,
        k: usize,
        from: Value,
        [first, second]: [Vec<Step>; 2],
        behind: &mut Vec<Inst>,
    ) {
        let span = inst.span;
        let mut results = inst.results.to_vec();
        let result = results.remove(k);
        for arm in &mut inst.regions {
            arm.yields.remove(k);
        }
        let writes = first.iter().chain(&second).any(|s| s.kind == Kind::Update);
        let steps: Vec<[Option<Step>; 2]> = match writes {
            true => vec![[first.first().cloned(), second.first().cloned()]],
            false => {
                let first = first.into_iter().map(|s| [Some(s), None]);
                first.chain(second.into_iter().map(|s| [None, Some(s)])).collect()
            }
        };
        let mut now = from;
        for both in steps {
            let Step { kind, value, index } = both.iter().flatten().next().expect("one of both").clone();
            let data = self.f.data(value).clone();
            let place = [&[from], &index[..]].concat();
            for (arm, step) in inst.regions.iter_mut().zip(&both) {
                let out = &mut arm.insts;
                let y = match step {
                    Some(s) if s.kind == Kind::Op(Op::Sub) => {
                        scan::emit(self.f, Kind::Op(Op::Neg), &[s.value], data.clone(), span, out)
                    }
                    Some(s) => s.value,
                    None if writes => scan::emit(self.f, Kind::Index, &place, data.clone(), span, out),
                    None => scan::constant(self.f, nothing(data.ty.scalar()), span, out),
                };
                arm.yields.push(y);
            }
            let chosen = self.f.fresh(data);
            results.push(chosen);
            let kind = if matches!(kind, Kind::Op(_)) { Kind::Op(Op::Add) } else { kind };
            let data = self.f.data(now).clone();
            now = scan::emit(self.f, kind, &[&[now, chosen], &index[..]].concat(), data, span, behind);
        }
        behind.last_mut().expect("a step").results[0] = result;
        inst.results = results.into();
    }
}

/// What changes no number that it is added to.
fn nothing(scalar: Scalar) -> Const {
    match scalar {
        Scalar::I64 => Const::I64(0),
        _ => Const::from_c128(Complex64::new(-0.0, -0.0), scalar),
    }
}

//! What iterations that are taken together multiply by the same numbers, and add to the same element, is added up first:
//! A·v + A·w = A·(v + w).
//!
//! No term is rounded more often than the first one was: it is added to the other one instead of to the element. What is not multiplied by
//! anything is not added up first, because a difference of two such terms may be exact. Nothing becomes infinite that was finite: half of
//! each of two terms is added up, a fourth of each of four, and what is added to the element is so many times as much. That is exact but
//! for numbers near the end of the range. Not in strict functions, and not where bits decide.

use super::scan;
use crate::contract;
use crate::decisions::Deciding;
use adc_ir::{Const, Func, Inst, Kind, Op, Region, Scalar, Span, Type, Value};
use rustc_hash::{FxHashMap, FxHashSet};

/// Operations that are saved in a loop, at least.
const WORTH: usize = 2;

/// Returns whether there was any.
pub(crate) fn function(f: &mut Func, deciding: &Deciding) -> bool {
    let mut any = false;
    scan::edit(f, |body, f| any = region(body, f, deciding, &mut FxHashSet::default()));
    any
}

/// `literals`: those so far.
fn region(r: &mut Region, f: &mut Func, deciding: &Deciding, literals: &mut FxHashSet<Value>) -> bool {
    let mut any = false;
    for inst in &mut r.insts {
        if let Kind::Const(_) = inst.kind {
            literals.extend(&inst.results);
        }
        inst.regions.iter_mut().for_each(|r| any |= region(r, f, deciding, literals));
    }
    let Some(new) = Factors::of(r, f, deciding, literals).insts() else { return any };
    r.insts = new;
    true
}

/// Additions to one element, by place in the region, in order.
type Element = Vec<usize>;

/// What is added to an element, and the instructions that compute it.
struct Sum {
    insts: Vec<Inst>,
    value: Value,
}

/// Parts of so many terms, a power of 2, of which one of each is no more than the largest term together.
fn parts(terms: usize) -> f64 {
    terms.next_power_of_two() as f64
}

struct Factors<'a> {
    r: &'a Region,
    f: &'a mut Func,
    deciding: &'a Deciding,
    literals: &'a FxHashSet<Value>,
    /// By value: the operation that it is.
    made: FxHashMap<Value, usize>,
    uses: FxHashMap<Value, usize>,
    /// By values that are added up: their sum, if they are products, and if they are multiplied by something.
    products: FxHashMap<Vec<Value>, Value>,
    factors: FxHashMap<Vec<Value>, Value>,
    /// What the sums are computed by.
    new: Vec<Inst>,
    /// The literals among that, by their bits.
    scales: FxHashMap<u64, Value>,
}

impl<'a> Factors<'a> {
    fn of(
        r: &'a Region,
        f: &'a mut Func,
        deciding: &'a Deciding,
        literals: &'a FxHashSet<Value>,
    ) -> Factors<'a> {
        let mut made = FxHashMap::default();
        let mut uses: FxHashMap<Value, usize> = FxHashMap::default();
        for (at, inst) in r.insts.iter().enumerate() {
            if let Kind::Op(_) = inst.kind {
                made.insert(inst.results[0], at);
            }
            scan::uses(inst, f, &mut |v| *uses.entry(v).or_default() += 1);
        }
        r.yields.iter().for_each(|v| *uses.entry(*v).or_default() += 1);
        let (products, factors, scales) = Default::default();
        Factors { r, f, deciding, literals, made, uses, products, factors, new: Vec::new(), scales }
    }

    /// The instructions, if they become fewer.
    fn insts(mut self) -> Option<Vec<Inst>> {
        let elements = self.elements();
        // By place of the last addition to an element.
        let mut sums: FxHashMap<usize, Sum> = FxHashMap::default();
        let mut gone: FxHashSet<usize> = FxHashSet::default();
        for element in elements {
            let terms: Vec<Value> = element.iter().map(|at| self.r.insts[*at].args[1]).collect();
            let Some(sum) = self.product(&terms) else { continue };
            let span = self.r.insts[element[0]].span;
            let whole = self.scale(parts(terms.len()), span);
            let value = self.emit(Op::Mul, &[sum, whole], span);
            let (last, others) = element.split_last().expect("there are several");
            gone.extend(others);
            sums.insert(*last, Sum { insts: std::mem::take(&mut self.new), value });
        }
        let is_op = |i: &&Inst| matches!(i.kind, Kind::Op(_));
        let added = sums.values().flat_map(|s| &s.insts).filter(is_op).count();
        (self.dead(&gone, &sums) >= added + WORTH).then(|| self.with(&gone, sums))
    }

    /// The elements that several numbers are added to, by the place of the last addition.
    fn elements(&self) -> Vec<Element> {
        let insts = &self.r.insts;
        // By array: the first of those that it was before, each of them only added to.
        let mut first: FxHashMap<Value, Value> = FxHashMap::default();
        let mut by_index: FxHashMap<(Value, &[Value]), Element> = FxHashMap::default();
        for (at, inst) in insts.iter().enumerate() {
            if inst.kind != Kind::AddAt || self.deciding.get(inst.results[0]) {
                continue;
            }
            let [array, term, index @ ..] = &inst.args[..] else { continue };
            let array = first.get(array).copied().filter(|_| self.is_used_once(*array)).unwrap_or(*array);
            first.insert(inst.results[0], array);
            if self.f.ty(*term) == Type::F64 {
                by_index.entry((array, index)).or_default().push(at);
            }
        }
        let mut elements: Vec<Element> = by_index.into_values().filter(|e| e.len() > 1).collect();
        elements.sort_unstable_by_key(|e| e.last().copied());
        elements
    }

    fn is_used_once(&self, v: Value) -> bool {
        self.uses.get(&v) == Some(&1)
    }

    /// The sum of so many parts of values that are all products with the same factors, or sums of such products.
    fn product(&mut self, values: &[Value]) -> Option<Value> {
        if let Some(sum) = self.products.get(values) {
            return Some(*sum);
        }
        let insts: Option<Vec<&Inst>> =
            values.iter().map(|v| self.made.get(v).map(|at| &self.r.insts[*at])).collect();
        let insts = insts?;
        let Kind::Op(op) = insts[0].kind else { return None };
        let fits = |i: &&Inst| i.kind == insts[0].kind && contract::fits(&self.f.values, self.deciding, i);
        if !insts.iter().all(fits) {
            return None;
        }
        let span = insts[0].span;
        let operand = |k: usize| -> Vec<Value> { insts.iter().map(|i| i.args[k]).collect() };
        let mut args = Vec::new();
        if [Op::Mul, Op::Fma].contains(&op) {
            let (factor, others) = self.common_factor(&insts)?;
            args.extend([factor, self.factor(&others, span)]);
        } else if op == Op::Div {
            let divisors = operand(1);
            self.is_factor(divisors[0]).then_some(())?;
            divisors.iter().all(|v| *v == divisors[0]).then_some(())?;
            args.extend([self.factor(&operand(0), span), divisors[0]]);
        } else if ![Op::Add, Op::Sub, Op::Neg].contains(&op) {
            return None;
        }
        for k in args.len()..insts[0].args.len() {
            args.push(self.product(&operand(k))?);
        }
        let sum = self.emit(op, &args, span);
        self.products.insert(values.to_vec(), sum);
        Some(sum)
    }

    /// A factor that several products have in common, and the other one of each.
    fn common_factor(&self, products: &[&Inst]) -> Option<(Value, Vec<Value>)> {
        products[0].args[..2].iter().filter(|v| self.is_factor(**v)).find_map(|factor| {
            let other = |i: &&Inst| {
                let at = i.args[..2].iter().position(|v| v == factor)?;
                Some(i.args[1 - at])
            };
            Some((*factor, products.iter().map(other).collect::<Option<_>>()?))
        })
    }

    /// Whether a product with it is one that is rounded.
    fn is_factor(&self, v: Value) -> bool {
        !self.literals.contains(&v)
    }

    /// The sum of so many parts of what is multiplied by one number.
    fn factor(&mut self, values: &[Value], span: Span) -> Value {
        if values.iter().all(|v| self.is_used_once(*v))
            && let Some(sum) = self.product(values)
        {
            return sum;
        }
        if let Some(sum) = self.factors.get(values) {
            return *sum;
        }
        let part = self.scale(1.0 / parts(values.len()), span);
        let add = |pair: &[Value]| {
            let last = self.emit(Op::Mul, &[pair[pair.len() - 1], part], span);
            if pair.len() == 1 { last } else { self.emit(Op::Fma, &[pair[0], part, last], span) }
        };
        let mut terms: Vec<Value> = values.chunks(2).map(add).collect();
        while terms.len() > 1 {
            let add = |pair: &[Value]| match pair {
                [a, b] => self.emit(Op::Add, &[*a, *b], span),
                one => one[0],
            };
            terms = terms.chunks(2).map(add).collect();
        }
        self.factors.insert(values.to_vec(), terms[0]);
        terms[0]
    }

    fn scale(&mut self, x: f64, span: Span) -> Value {
        let (f, new) = (&mut *self.f, &mut self.new);
        *self.scales.entry(x.to_bits()).or_insert_with(|| scan::constant(f, Const::F64(x), span, new))
    }

    fn emit(&mut self, op: Op, args: &[Value], span: Span) -> Value {
        scan::emit(self.f, Kind::Op(op), args, Scalar::F64.into(), span, &mut self.new)
    }

    /// How many instructions nobody needs if the additions that are `gone` are, and others add these sums.
    fn dead(&self, gone: &FxHashSet<usize>, sums: &FxHashMap<usize, Sum>) -> usize {
        let mut uses = self.uses.clone();
        for v in sums.values().flat_map(|s| &s.insts).flat_map(|i| &i.args) {
            *uses.entry(*v).or_default() += 1;
        }
        let mut dead = 0;
        for (at, inst) in self.r.insts.iter().enumerate().rev() {
            let needless = |v: &Value| uses.get(v).is_none_or(|n| *n == 0);
            let args = if gone.contains(&at) || matches!(inst.kind, Kind::Op(_)) && needless(&inst.results[0])
            {
                dead += 1;
                &inst.args[..]
            } else if sums.contains_key(&at) {
                &inst.args[1..2]
            } else {
                &[]
            };
            args.iter().for_each(|v| *uses.get_mut(v).expect("it is counted") -= 1);
        }
        dead
    }

    /// The instructions, without the additions that are `gone`, others adding these sums.
    fn with(&self, gone: &FxHashSet<usize>, mut sums: FxHashMap<usize, Sum>) -> Vec<Inst> {
        let mut out = Vec::with_capacity(self.r.insts.len());
        // What an array is that nothing was added to.
        let mut to: FxHashMap<Value, Value> = FxHashMap::default();
        for (at, inst) in self.r.insts.iter().enumerate() {
            let mut inst = inst.clone();
            if inst.kind == Kind::AddAt {
                inst.args[0] = to.get(&inst.args[0]).copied().unwrap_or(inst.args[0]);
            }
            if gone.contains(&at) {
                to.insert(inst.results[0], inst.args[0]);
                continue;
            }
            if let Some(Sum { insts, value }) = sums.remove(&at) {
                out.extend(insts);
                inst.args[1] = value;
            }
            out.push(inst);
        }
        out
    }
}

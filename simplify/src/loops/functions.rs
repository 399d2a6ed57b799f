//! A function that only a sum waits for leaves a loop that does not run in lanes, because loops inside it do. The loop collects what the
//! function is applied to, and one behind it, which can run in lanes, adds up what the function gives, with what else the iteration adds: each term is what it was.
//!
//! The likelihood of a mixture is such a loop: each point has sums over the components, and adds the logarithm of one to the result. A
//! logarithm in one branch of an `if` is that of 1 in the other one: what is added there is nothing.
//!
//! Sums are taken in another order: not in strict functions, and not what decides.

use super::{jam, scan, sums};
use crate::contract;
use crate::decisions::Deciding;
use adc_ir::dims::Known;
use adc_ir::{Class, Const, Dim, Func, Inst, Kind, Loop, Op, Region, Scalar, Type, Value, ValueData};

/// Iterations, at least and at most: their numbers are stored.
const FEWEST: i64 = 32;
const MOST: i64 = 1 << 16;
/// Cycles of a function that is worth a number that is stored for it.
const WORTH: u32 = 50;

/// Returns whether there was any.
pub(crate) fn function(f: &mut Func, deciding: &Deciding) -> bool {
    let known = Known::of(f);
    let mut any = false;
    scan::edit(f, |body, f| {
        let mut uses = vec![0; f.values.len()];
        body.count_uses(&mut uses);
        any = Functions { f, deciding, known: &known, uses }.region(body);
    });
    any
}

struct Functions<'a> {
    f: &'a mut Func,
    deciding: &'a Deciding,
    known: &'a Known,
    /// By value.
    uses: Vec<u32>,
}

/// A function of one number, which is added to a sum.
struct Term {
    /// The sum, by place among the results of the loop.
    sum: usize,
    op: Op,
    /// Whether it is subtracted.
    minus: bool,
    /// What is added in its place, and changes nothing.
    nothing: f64,
    /// Its place in the body.
    at: usize,
    /// Its place in a branch of the `if` that is there.
    branch: Option<(usize, usize)>,
}

/// A term of a sum.
struct Added {
    /// Its place in the region.
    at: usize,
    value: Value,
    minus: bool,
    nothing: f64,
}

impl Functions<'_> {
    fn region(&mut self, r: &mut Region) -> bool {
        let mut any = false;
        let mut out = Vec::with_capacity(r.insts.len());
        for mut inst in std::mem::take(&mut r.insts) {
            let terms = self.terms(&inst);
            let mut behind = Vec::new();
            if terms.is_empty() {
                inst.regions.iter_mut().for_each(|r| any |= self.region(r));
            } else {
                self.take_out(&mut inst, &terms, &mut behind);
                any = true;
            }
            out.push(inst);
            out.append(&mut behind);
        }
        r.insts = out;
        any
    }

    /// The terms that can leave a loop.
    fn terms(&self, inst: &Inst) -> Vec<Term> {
        let mut terms = Vec::new();
        let Kind::For(Loop { sums: 1.., checkpoint: None, .. }) = inst.kind else { return terms };
        let [lo, hi, step] = [0, 1, 2].map(|k| self.known.number(inst.args[k]));
        let many = hi.is_some_and(|n| (FEWEST..=MOST).contains(&n));
        if (lo, step) != (Some(0), Some(1))
            || !many
            || !jam::is_around(inst, self.f, self.known, self.deciding)
        {
            return terms;
        }
        let body = &inst.regions[0];
        let Loop { sums, .. } = gathers(inst);
        let carries = inst.args.len() - 3;
        for sum in (carries..carries + sums as usize).filter(|k| !self.deciding.get(inst.results[*k])) {
            for Added { at, value, minus, nothing } in self.added(body, body.yields[sum]) {
                let inst = &body.insts[at];
                if let Some(op) = self.function(inst) {
                    terms.push(Term { sum, op, minus, nothing, at, branch: None });
                } else if inst.kind == Kind::If {
                    let result = inst.results.iter().position(|r| *r == value).expect("it is a result");
                    for (branch, r) in inst.regions.iter().enumerate() {
                        for inner in self.added(r, r.yields[result]) {
                            // Whose logarithm of 1 is 0.
                            if let Some(op @ (Op::Log | Op::Log2 | Op::Log10)) =
                                self.function(&r.insts[inner.at])
                            {
                                let (minus, branch) = (minus != inner.minus, Some((branch, inner.at)));
                                terms.push(Term { sum, op, minus, nothing: inner.nothing, at, branch });
                            }
                        }
                    }
                }
            }
        }
        terms
    }

    /// What is added up to a value, and used for nothing else.
    fn added(&self, r: &Region, sum: Value) -> Vec<Added> {
        // x + (−0) and x − 0 are x.
        let (mut open, mut found) = (vec![(sum, false, -0.0)], Vec::new());
        while let Some((value, minus, nothing)) = open.pop() {
            let at = r.insts.iter().position(|i| i.results.contains(&value));
            let Some(at) = at.filter(|_| self.uses.get(value.0 as usize) == Some(&1)) else { continue };
            let inst = &r.insts[at];
            match inst.kind {
                Kind::Op(Op::Add) => open.extend(inst.args.iter().map(|v| (*v, minus, -0.0))),
                Kind::Op(Op::Sub) => open.extend([(inst.args[0], minus, -0.0), (inst.args[1], !minus, 0.0)]),
                Kind::Op(Op::Neg) => open.push((inst.args[0], !minus, -0.0)),
                _ => found.push(Added { at, value, minus, nothing }),
            }
        }
        found
    }

    /// An elementary function of one number.
    fn function(&self, inst: &Inst) -> Option<Op> {
        let (Kind::Op(op), [x]) = (&inst.kind, &inst.args[..]) else { return None };
        let info = op.info();
        let fits = info.class == Class::Elementary
            && info.cycles >= WORTH
            && [*x, inst.results[0]].iter().all(|v| self.f.ty(*v) == Type::F64)
            && contract::fits(&self.f.values, self.deciding, inst);
        fits.then_some(*op)
    }

    /// Lets the loop collect what the functions are applied to and what else it adds to their sums, which a loop behind takes.
    fn take_out(&mut self, inst: &mut Inst, terms: &[Term], behind: &mut Vec<Inst>) {
        let (mut l, span) = (gathers(inst), inst.span);
        let count = self.known.number(inst.args[1]).expect("it is known how often it runs");
        let data = ValueData::array(Scalar::F64, vec![Dim::constant(count)]);
        let index = self.f.fresh(Scalar::I64.into());
        let mut turn = Region { params: vec![index], ..Region::default() };
        let (mut results, mut yields) = (inst.results.to_vec(), Vec::new());
        let mut gone = Vec::new();
        for terms in terms.chunk_by(|a, b| a.sum == b.sum) {
            // What else is added to the sum, and what the functions are applied to.
            let mut stored = vec![inst.regions[0].yields[terms[0].sum]];
            stored.extend(terms.iter().map(|t| self.operand(&mut inst.regions[0], t)));
            let arrays: Vec<Value> = stored.iter().map(|_| self.f.fresh(data.clone())).collect();
            let mut emit = |kind, args: &[Value]| {
                scan::emit(self.f, kind, args, Scalar::F64.into(), span, &mut turn.insts)
            };
            let mut sum = emit(Kind::Index, &[arrays[0], index]);
            for (term, array) in terms.iter().zip(&arrays[1..]) {
                let x = emit(Kind::Index, &[*array, index]);
                let y = emit(Kind::Op(term.op), &[x]);
                sum = emit(Kind::Op(if term.minus { Op::Sub } else { Op::Add }), &[sum, y]);
            }
            turn.yields.push(sum);
            gone.push(terms[0].sum);
            yields.extend(stored);
            results.extend(arrays);
        }
        let [lo, hi, step] = [0, count, 1].map(|n| scan::constant(self.f, Const::I64(n), span, behind));
        let of_functions = Loop { sums: gone.len() as u32, ..Loop::default() };
        behind.push(Inst {
            kind: sums::kind(of_functions, 0, true),
            args: [lo, hi, step].into_iter().collect(),
            results: gone.iter().map(|k| results[*k]).collect(),
            regions: vec![turn],
            span,
        });
        l.sums -= gone.len() as u32;
        l.collects += yields.len() as u32;
        inst.regions[0].yields.extend(yields);
        for k in gone.into_iter().rev() {
            results.remove(k);
            inst.regions[0].yields.remove(k);
        }
        inst.kind = Kind::For(l);
        inst.results = results.into();
    }

    /// What the function is applied to, where the iteration ends. Nothing is added in its place.
    fn operand(&mut self, body: &mut Region, term: &Term) -> Value {
        let nothing = |inst: &mut Inst| {
            inst.kind = Kind::Const(Const::F64(term.nothing));
            std::mem::take(&mut inst.args)[0]
        };
        let inst = &mut body.insts[term.at];
        let Some((branch, at)) = term.branch else { return nothing(inst) };
        for (k, r) in inst.regions.iter_mut().enumerate() {
            let x = match k == branch {
                true => nothing(&mut r.insts[at]),
                false => scan::constant(self.f, Const::F64(1.0), inst.span, &mut r.insts),
            };
            r.yields.push(x);
        }
        let x = self.f.fresh(Scalar::F64.into());
        inst.results = inst.results.iter().copied().chain([x]).collect();
        x
    }
}

/// What a loop gathers.
fn gathers(inst: &Inst) -> Loop {
    match inst.kind {
        Kind::For(l) => l,
        _ => unreachable!("only such loops are looked at"),
    }
}

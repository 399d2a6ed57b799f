//! Kinds whose regions run more than once.

use super::array::{Maker, push};
use super::frame::{Frame, Role, sizes};
use super::gather::{Gather, Sum};
use super::val::{ArrayVal, Val};
use super::watch::Location;
use super::{Run, Step};
use crate::module::*;
use crate::num::Real;
use crate::ops::Op;
use crate::trap::Trap;
use std::sync::Arc;

/// How many i there are in lo, lo + step, … below hi.
fn iterations(lo: i64, hi: i64, step: i64) -> u64 {
    if lo >= hi { 0 } else { (hi.wrapping_sub(lo) as u64).div_ceil(step as u64) }
}

impl<'r, R: Real> Run<'r, R> {
    /// Begins a loop: opens its region, or ends it at once.
    pub(super) fn enter(&mut self, frame: &mut Frame<'r, R>, inst: &'r Inst) -> Result<(), Trap> {
        match &inst.kind {
            Kind::Build { rank } => {
                let result = inst.results[0];
                let shape = frame.sizes(result)?;
                let extents = &shape[..*rank as usize];
                let maker = self.maker(frame.func.ty(result).scalar());
                let (count, charge) = maker.reserve(&shape)?;
                if extents.contains(&0) {
                    let (shape, data) = (shape, Vec::new());
                    frame.deliver_one(Val::Array(Arc::new(ArrayVal { shape, data, _charge: charge })));
                    return Ok(());
                }
                // Rows of no elements are not paid for by memory.
                let iterations = extents.iter().try_fold(1u64, |n, s| n.checked_mul(*s as u64));
                self.meter.burn(iterations.ok_or(Trap::OutOfFuel)?)?;
                let index = vec![0; *rank as usize];
                let params = index.iter().map(|i| Val::I64(*i)).collect();
                let role = Role::Build { shape, index, data: Vec::with_capacity(count), charge };
                frame.enter(inst, 0, params, role);
            }
            Kind::Reduce(op) => {
                let [lo, hi, step] = [0, 1, 2].map(|k| frame.get(inst.args[k]).i64());
                let left = iterations(lo, hi, step);
                self.meter.burn(left)?;
                let result = inst.results[0];
                if *op == ReduceOp::Sum {
                    let zero = self.empty(frame, *op, result)?.expect("a sum of nothing is 0");
                    let acc = Sum::new(zero);
                    let Some(left) = left.checked_sub(1) else {
                        let sum = acc.finish(&self.maker(frame.func.ty(result).scalar()))?;
                        frame.deliver_one(sum);
                        return Ok(());
                    };
                    frame.enter(inst, 0, vec![Val::I64(lo)], Role::Sum { i: lo, step, left, acc });
                    return Ok(());
                }
                let acc = self.empty(frame, *op, result)?;
                match (left.checked_sub(1), acc) {
                    (None, None) => return Err(Trap::EmptyReduction),
                    (None, Some(acc)) => frame.deliver_one(acc),
                    (Some(left), acc) => {
                        let terms = Vec::new();
                        let role = Role::Reduce { op: *op, i: lo, step, left, acc, best: lo, terms };
                        frame.enter(inst, 0, vec![Val::I64(lo)], role);
                    }
                }
            }
            Kind::For(l) => {
                let [lo, hi, step] = [0, 1, 2].map(|k| frame.get(inst.args[k]).i64());
                if step <= 0 {
                    return Err(Trap::BadStep(step));
                }
                let left = iterations(lo, hi, step);
                self.meter.burn(left)?;
                if l.collects > 0 && hi < 0 {
                    return Err(Trap::NegativeSize(hi));
                }
                let gather = self.gather(frame, inst, *l, Some(left as usize))?;
                let carries = frame.operands(inst).into_iter().skip(3);
                match left.checked_sub(1) {
                    None => {
                        let carries = carries.collect();
                        self.gathered(frame, carries, gather, false)?;
                    }
                    Some(left) => {
                        let params = std::iter::once(Val::I64(lo)).chain(carries).collect();
                        frame.enter(inst, 0, params, Role::For { i: lo, step, left, gather });
                    }
                }
            }
            Kind::While(l) => {
                let gather = self.gather(frame, inst, *l, None)?;
                let carries: Vec<Val<R>> = frame.operands(inst).into_iter().collect();
                frame.enter(inst, 0, carries.clone(), Role::Condition { iteration: 0, carries, gather });
            }
            kind => unreachable!("{kind:?} is no loop"),
        }
        Ok(())
    }

    /// Ends the innermost region: another iteration, or the end of the instruction or the call.
    pub(super) fn close(&mut self, frame: &mut Frame<'r, R>) -> Result<Step<'r, R>, Trap> {
        let (mut yields, role) = frame.leave();
        let Some(inst) = frame.next() else { return Ok(Step::Return(yields)) };
        match role {
            Role::Once => frame.deliver(yields),
            Role::Build { shape, mut index, mut data, charge } => {
                push(&mut data, yields.remove(0));
                if advance(&mut index, &shape) {
                    let params = index.iter().map(|i| Val::I64(*i)).collect();
                    frame.enter(inst, 0, params, Role::Build { shape, index, data, charge });
                } else {
                    frame.deliver_one(Val::Array(Arc::new(ArrayVal { shape, data, _charge: charge })));
                }
            }
            Role::Reduce { op, i, step, left, mut acc, mut best, mut terms } => {
                let y = yields.remove(0);
                if self.watch.is_some() && op.needs_element() {
                    terms.push(y.clone());
                }
                let elem = frame.func.ty(inst.regions[0].yields[0]).scalar();
                let maker = self.maker(elem);
                if combine(&maker, op, &mut acc, y)? {
                    best = i;
                }
                match left.checked_sub(1) {
                    Some(left) => {
                        let i = i + step;
                        let role = Role::Reduce { op, i, step, left, acc, best, terms };
                        frame.enter(inst, 0, vec![Val::I64(i)], role);
                    }
                    None => {
                        if let (Some(watch), false) = (self.watch, terms.is_empty()) {
                            watch.extremum(Location { func: frame.func, inst }, op, &terms);
                        }
                        frame.deliver_one(match op {
                            ReduceOp::ArgMax | ReduceOp::ArgMin => Val::I64(best),
                            _ => acc.expect("a term was there"),
                        });
                    }
                }
            }
            Role::Sum { i, step, left, mut acc } => {
                let maker = self.maker(frame.func.ty(inst.results[0]).scalar());
                acc.add(&maker, &yields[0])?;
                match left.checked_sub(1) {
                    Some(left) => {
                        let i = i + step;
                        frame.enter(inst, 0, vec![Val::I64(i)], Role::Sum { i, step, left, acc });
                    }
                    None => frame.deliver_one(acc.finish(&maker)?),
                }
            }
            Role::For { i, step, left, mut gather } => {
                self.iteration(inst, &mut yields, &mut gather)?;
                match left.checked_sub(1) {
                    Some(left) => {
                        let i = i + step;
                        yields.insert(0, Val::I64(i));
                        frame.enter(inst, 0, yields, Role::For { i, step, left, gather });
                    }
                    None => self.gathered(frame, yields, gather, false)?,
                }
            }
            Role::Condition { iteration, carries, gather } => {
                frame.forget_params(&inst.regions[0]);
                if yields[0].bool() {
                    self.meter.burn(1)?;
                    frame.enter(inst, 1, carries, Role::Iteration { iteration, gather });
                } else {
                    self.gathered(frame, carries, gather, true)?;
                }
            }
            Role::Iteration { iteration, mut gather } => {
                self.iteration(inst, &mut yields, &mut gather)?;
                let carries = yields.clone();
                frame.enter(inst, 0, yields, Role::Condition { iteration: iteration + 1, carries, gather });
            }
        }
        Ok(Step::Next)
    }

    /// What a loop gathers, before its first iteration; `None` if it does not. `iterations`: how many there are, if that is known.
    fn gather(
        &self,
        frame: &Frame<'r, R>,
        inst: &Inst,
        l: Loop,
        iterations: Option<usize>,
    ) -> Result<Option<Box<Gather<R>>>, Trap> {
        let (sums, collects) = (l.sums as usize, l.collects as usize);
        if sums + collects == 0 {
            return Ok(None);
        }
        let (sums, collects) = inst.results[inst.results.len() - sums - collects..].split_at(sums);
        let elem = |v: &Value| frame.func.ty(*v).scalar();
        let zero = |v: &Value| {
            let zero = self.empty(frame, ReduceOp::Sum, *v)?.expect("a sum of nothing is 0");
            Ok((zero, elem(v)))
        };
        let mut gather = Gather::new(sums.iter().map(zero).collect::<Result<_, Trap>>()?);
        for v in collects {
            // The leading size of a `while` is not there yet.
            let inner = sizes(&frame.func.shape(*v)[1..], |v| frame.get(v).i64())?;
            gather.collect(&self.maker(elem(v)), inner, iterations)?;
        }
        Ok(Some(Box::new(gather)))
    }

    /// Takes what an iteration yields beside the carries, and leaves those.
    fn iteration(
        &self,
        inst: &Inst,
        yields: &mut Vec<Val<R>>,
        gather: &mut Option<Box<Gather<R>>>,
    ) -> Result<(), Trap> {
        let Some(gather) = gather else { return Ok(()) };
        let carries = inst.args.len() - inst.kind.first_carry().expect("a loop with carries");
        gather.iteration(&self.meter, self.math, yields.drain(carries..))
    }

    /// The end of a loop with carries.
    fn gathered(
        &self,
        frame: &mut Frame<'r, R>,
        mut results: Vec<Val<R>>,
        gather: Option<Box<Gather<R>>>,
        counts: bool,
    ) -> Result<(), Trap> {
        if let Some(gather) = gather {
            if counts && gather.collects() {
                results.push(Val::I64(gather.iterations() as i64));
            }
            results.extend(gather.finish(&self.meter, self.math)?);
        }
        frame.deliver(results);
        Ok(())
    }

    /// What a reduction over nothing gives.
    fn empty(&self, frame: &Frame<'r, R>, op: ReduceOp, result: Value) -> Result<Option<Val<R>>, Trap> {
        let elem = frame.func.ty(result).scalar();
        let (maker, start) = (self.maker(elem), op.of_nothing(elem).map(Val::from_const));
        let Some(start) = start else { return Ok(None) };
        if !frame.func.ty(result).is_array() {
            return Ok(Some(start));
        }
        let fill = |data: &mut Vec<Val<R>>, count| {
            data.resize(count, start);
            Ok(())
        };
        maker.array(frame.sizes(result)?, fill).map(Some)
    }
}

/// Takes one term in; whether it is the best so far, for reductions that look for one.
fn combine<R: Real>(
    maker: &Maker<'_, R>,
    op: ReduceOp,
    acc: &mut Option<Val<R>>,
    y: Val<R>,
) -> Result<bool, Trap> {
    let Some(acc) = acc else {
        *acc = Some(y);
        return Ok(true);
    };
    match op {
        ReduceOp::Sum => unreachable!("sums have partial sums"),
        ReduceOp::Prod => maker.accumulate(Op::Mul, acc, &y)?,
        ReduceOp::Max => maker.accumulate(Op::Max, acc, &y)?,
        ReduceOp::Min => maker.accumulate(Op::Min, acc, &y)?,
        ReduceOp::Any => maker.accumulate(Op::Or, acc, &y)?,
        ReduceOp::All => maker.accumulate(Op::And, acc, &y)?,
        ReduceOp::ArgMax | ReduceOp::ArgMin => {
            let better = if op == ReduceOp::ArgMax { Op::Gt } else { Op::Lt };
            // The first NaN is the extremum, as in `max`.
            if !is_nan(acc) && (is_nan(&y) || maker.op(better, &[&y, acc])?.bool()) {
                *acc = y;
                return Ok(true);
            }
        }
    }
    Ok(false)
}

fn is_nan<R: Real>(v: &Val<R>) -> bool {
    matches!(v, Val::Real(x) if x.is_nan())
}

/// The next index in row-major order, if there is one.
fn advance(index: &mut [i64], shape: &[usize]) -> bool {
    for (i, size) in index.iter_mut().zip(shape).rev() {
        *i += 1;
        if (*i as usize) < *size {
            return true;
        }
        *i = 0;
    }
    false
}

//! A loop that carries numbers waits: an iteration begins with what the one before ends with, so it takes as long as the longest chain of
//! operations in between, whatever else the processor could do. In products of three with a literal, as `y + 0.5·h·(y·w)` of a
//! Runge-Kutta step, the factor that is there last is multiplied last, and the literal with the other one, beside the chain.
//!
//! Two roundings are two roundings. Nothing becomes infinite that was finite, for the literal is at most 1. It is no smaller than
//! [`SMALLEST`], so that only numbers near the end of the range lose digits. Not where bits decide, and not in strict functions.

use super::scan;
use crate::decisions::Deciding;
use adc_ir::{Func, Inst, Kind, Op, Region, Value, Values};
use rustc_hash::FxHashMap;

/// Literals of smaller size stay where they are.
const SMALLEST: f64 = 1.0 / (1u64 << 32) as f64;
/// Chains that are so many cycles shorter than the longest count as longest: those before them get shorter, too.
const MARGIN: u32 = 8;

/// Returns whether there was any.
pub(crate) fn function(f: &mut Func, deciding: &Deciding) -> bool {
    let mut any = false;
    scan::edit(f, |body, f| {
        let mut w = Waiting { f, deciding, literals: FxHashMap::default(), any: false };
        w.region(body);
        any = w.any;
    });
    any
}

struct Waiting<'a> {
    f: &'a mut Func,
    deciding: &'a Deciding,
    literals: FxHashMap<Value, f64>,
    any: bool,
}

/// A product of a literal and two numbers.
struct Triple {
    literal: Value,
    early: Value,
    late: Value,
}

impl Waiting<'_> {
    fn region(&mut self, r: &mut Region) {
        for inst in &mut r.insts {
            if let Kind::Const(c) = inst.kind
                && c.scalar().is_real()
            {
                self.literals.insert(inst.results[0], c.to_c128().re);
            }
            inst.regions.iter_mut().for_each(|r| self.region(r));
            let (true, Some(first)) = (inst.kind.is_loop(), inst.kind.first_carry()) else { continue };
            let carries = inst.args.len() - first;
            let body = inst.regions.last_mut().expect("a loop has a body");
            self.body(body, carries);
        }
    }

    /// The body of a loop with so many carries.
    fn body(&mut self, body: &mut Region, carries: usize) {
        let real = |v: &&Value| self.f.ty(**v).scalar().is_real() && !self.f.ty(**v).is_array();
        let params: Vec<Value> =
            body.params[body.params.len() - carries..].iter().filter(real).copied().collect();
        if params.is_empty() || body.insts.iter().any(|i| !i.regions.is_empty()) {
            return;
        }
        // By value that depends on a carry: the cycle in which it is there.
        let mut there: FxHashMap<Value, u32> = params.into_iter().map(|p| (p, 0)).collect();
        for inst in &body.insts {
            note(inst, &mut there);
        }
        let longest = body.yields[..carries].iter().filter_map(|y| there.get(y)).max().copied().unwrap_or(0);
        // By value: how many cycles the carries need from there on.
        let mut left: FxHashMap<Value, u32> = body.yields[..carries].iter().map(|y| (*y, 0)).collect();
        for inst in body.insts.iter().rev() {
            let Some(after) = inst.results.iter().filter_map(|r| left.get(r)).max().copied() else {
                continue;
            };
            for v in &inst.args {
                let n = left.entry(*v).or_insert(0);
                *n = (*n).max(after + cycles(inst));
            }
        }
        there.retain(|v, _| body.params.contains(v));
        let mut products: FxHashMap<Value, [Value; 2]> = FxHashMap::default();
        let mut made: FxHashMap<[Value; 2], Value> = FxHashMap::default();
        let mut out = Vec::with_capacity(body.insts.len());
        for mut inst in std::mem::take(&mut body.insts) {
            let result = inst.results.first().copied();
            let after = result.and_then(|r| left.get(&r)).copied();
            if let Some(after) = after
                && let Some((rest, triple)) = self.triple(&inst, &products, &there)
                && there[&triple.late] + 2 * MUL + after + MARGIN >= longest
            {
                let Triple { literal, early, late } = triple;
                let scaled = *made.entry([literal, early]).or_insert_with(|| {
                    let data = self.f.values[late.0 as usize].clone();
                    let r = self.f.fresh(data);
                    let new = Inst::simple(Kind::Op(Op::Mul), &[literal, early], r, inst.span);
                    note(&new, &mut there);
                    out.push(new);
                    r
                });
                inst.args = [scaled, late].into_iter().chain(rest).collect::<Values>();
                self.any = true;
            }
            if inst.kind == Kind::Op(Op::Mul) && self.fits(&inst) {
                products.insert(inst.results[0], [inst.args[0], inst.args[1]]);
            }
            note(&inst, &mut there);
            out.push(inst);
        }
        body.insts = out;
    }

    fn fits(&self, inst: &Inst) -> bool {
        crate::contract::fits(&self.f.values, self.deciding, inst)
    }

    /// The product that an instruction is, or adds to something, if it is of three, one of them a literal, and takes less time in another
    /// order; and what it is added to.
    fn triple(
        &self,
        inst: &Inst,
        products: &FxHashMap<Value, [Value; 2]>,
        there: &FxHashMap<Value, u32>,
    ) -> Option<(Option<Value>, Triple)> {
        let rest = match inst.kind {
            Kind::Op(Op::Mul) => None,
            Kind::Op(Op::Fma) => Some(inst.args[2]),
            _ => return None,
        };
        if !self.fits(inst) {
            return None;
        }
        let scale = |v: &Value| self.literals.get(v).is_some_and(|x| (SMALLEST..=1.0).contains(&x.abs()));
        let at = |v: Value| there.get(&v).copied();
        [[0, 1], [1, 0]].into_iter().find_map(|[one, other]| {
            let (x, product) = (inst.args[one], inst.args[other]);
            let [y, z] = *products.get(&product)?;
            let (literal, [u, v]) = match [x, y, z] {
                [k, u, v] if scale(&k) => (k, [u, v]),
                [u, k, v] if scale(&k) => (k, [u, v]),
                [u, v, k] if scale(&k) => (k, [u, v]),
                _ => return None,
            };
            let (early, late) = if at(u) > at(v) { (v, u) } else { (u, v) };
            let scaled = at(early).map_or(0, |t| t + MUL);
            let sooner = at(late)? >= scaled && at(product).max(at(x))? > at(late)?;
            sooner.then_some((rest, Triple { literal, early, late }))
        })
    }
}

/// What a product takes.
const MUL: u32 = 4;

fn cycles(inst: &Inst) -> u32 {
    match inst.kind {
        Kind::Op(op) => op.info().cycles,
        _ => 0,
    }
}

/// Notes when the results of an instruction are there, if they depend on a carry.
fn note(inst: &Inst, there: &mut FxHashMap<Value, u32>) {
    let Some(last) = inst.args.iter().filter_map(|v| there.get(v)).max().copied() else { return };
    there.extend(inst.results.iter().map(|r| (*r, last + cycles(inst))));
}

//! Arrays that one loop collects to be added to the same part of an array, one after the other, are added up in the loop, which collects
//! one array of sums.
//!
//! The reverse of `[sum(p[j]*v[j, d] for j in 0..n) for d in 0..8]` has one for each d. What was in the array is the last thing to be
//! added, no longer the first: not in strict functions, and not where bits decide.

use super::scan;
use crate::decisions::Deciding;
use adc_ir::{Func, Kind, Op, Region, Value};
use rustc_hash::FxHashMap;

/// Returns whether there was any.
pub(crate) fn function(f: &mut Func, deciding: &Deciding) -> bool {
    let mut any = false;
    scan::edit(f, |body, f| {
        let mut uses = vec![0; f.values.len()];
        body.count_uses(&mut uses);
        any = Terms { f, deciding, uses }.region(body);
    });
    any
}

struct Terms<'a> {
    f: &'a mut Func,
    deciding: &'a Deciding,
    /// By value.
    uses: Vec<u32>,
}

/// Additions of arrays of one loop to one part.
struct Chain {
    /// The loop.
    at: usize,
    /// The additions, and the places among what the loop makes of what they add.
    adds: Vec<usize>,
    collected: Vec<usize>,
}

impl Terms<'_> {
    fn region(&mut self, r: &mut Region) -> bool {
        let mut any = false;
        for inst in &mut r.insts {
            inst.regions.iter_mut().for_each(|r| any |= self.region(r));
        }
        let made: FxHashMap<Value, usize> =
            r.insts.iter().enumerate().flat_map(|(k, i)| i.results.iter().map(move |v| (*v, k))).collect();
        let mut gone = vec![false; r.insts.len()];
        for last in (0..r.insts.len()).rev() {
            let chain = if gone[last] { None } else { self.chain(r, last, &made) };
            if let Some(chain) = chain {
                chain.adds[..chain.adds.len() - 1].iter().for_each(|k| gone[*k] = true);
                self.add_up(r, &chain);
                any = true;
            }
        }
        let mut gone = gone.into_iter();
        r.insts.retain(|_| !gone.next().expect("one each"));
        any
    }

    /// Two additions or more, of which this one is the last.
    fn chain(&self, r: &Region, last: usize, made: &FxHashMap<Value, usize>) -> Option<Chain> {
        let start = r.insts[last].args.get(2)?;
        let mut chain = Chain { at: 0, adds: Vec::new(), collected: Vec::new() };
        let mut add = last;
        while let Some((at, collected)) = self.of_loop(r, add, *start, made) {
            if !chain.adds.is_empty() && (at != chain.at || !self.is_used_once(r.insts[add].results[0])) {
                break;
            }
            chain.at = at;
            chain.adds.push(add);
            chain.collected.push(collected);
            let Some(before) = made.get(&r.insts[add].args[0]).filter(|k| **k > at) else { break };
            add = *before;
        }
        chain.adds.reverse();
        chain.collected.reverse();
        (chain.adds.len() > 1).then_some(chain)
    }

    /// The loop that collects what is added to a part that begins there, and its place among what the loop makes.
    fn of_loop(
        &self,
        r: &Region,
        add: usize,
        start: Value,
        made: &FxHashMap<Value, usize>,
    ) -> Option<(usize, usize)> {
        let inst = &r.insts[add];
        let (Kind::AddSlice, &[_, terms, from]) = (&inst.kind, &inst.args[..]) else { return None };
        let at = *made.get(&terms)?;
        let Kind::For(l) = r.insts[at].kind else { return None };
        let collected = r.insts[at].results.iter().position(|v| *v == terms)?;
        let carries = r.insts[at].args.len() - 3;
        let term = self.f.ty(r.insts[at].regions[0].yields[collected]);
        let free =
            self.is_used_once(terms) && !self.deciding.get(terms) && !self.deciding.get(inst.results[0]);
        let scalar = !term.is_array() && term.scalar().is_float();
        (from == start && collected >= carries + l.sums as usize && scalar && free).then_some((at, collected))
    }

    fn is_used_once(&self, v: Value) -> bool {
        self.uses.get(v.0 as usize) == Some(&1)
    }

    /// Lets the loop add up the terms, and the last addition add the sums.
    fn add_up(&mut self, r: &mut Region, Chain { at, adds, collected }: &Chain) {
        let inst = &mut r.insts[*at];
        let span = inst.span;
        let body = &mut inst.regions[0];
        let mut terms = collected.iter().map(|k| body.yields[*k]);
        let first = terms.next().expect("there are two");
        let terms: Vec<Value> = terms.collect();
        let sum = terms.into_iter().fold(first, |sum, term| {
            let data = self.f.data(sum).clone();
            scan::emit(self.f, Kind::Op(Op::Add), &[sum, term], data, span, &mut body.insts)
        });
        body.yields[collected[0]] = sum;
        let sums = inst.results[collected[0]];
        let mut others = collected[1..].to_vec();
        others.sort_unstable();
        let mut results = inst.results.to_vec();
        for k in others.into_iter().rev() {
            body.yields.remove(k);
            results.remove(k);
            let Kind::For(l) = &mut inst.kind else { unreachable!("it is a loop") };
            l.collects -= 1;
        }
        inst.results = results.into();
        let array = r.insts[adds[0]].args[0];
        let last = &mut r.insts[*adds.last().expect("there are two")];
        last.args[0] = array;
        last.args[1] = sums;
    }
}

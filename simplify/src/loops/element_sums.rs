//! What a loop adds to one element of an array is summed up first: `for j { y[i] += e; }`, where nothing in the loop reads `y`.
//!
//! As of sums that a loop carries ([`super::sums`]): a sum of terms has sixteen partial sums, which run side by side, and a loop that
//! carries an array no longer is one. What the loop adds to other elements comes first, so that the order of additions changes where
//! they are the same. Not in strict functions, and not what decides something. Nor over a window, whose two ends move: it has few
//! terms, which are added sooner one by one.

use super::{scan, sums};
use crate::decisions::Deciding;
use adc_ir::ranges::Ranges;
use adc_ir::{Func, Inst, Kind, Loop, Region, Value, Values};
use rustc_hash::{FxHashMap, FxHashSet};

/// Returns whether there was any.
pub(crate) fn function(f: &mut Func, deciding: &Deciding) -> bool {
    let ranges = Ranges::of(f);
    let mut any = false;
    scan::edit(f, |body, f| {
        let mut uses = vec![0; f.values.len()];
        body.count_uses(&mut uses);
        let mut s = Sums { f, deciding, ranges, uses, any: false };
        s.region(body);
        any = s.any;
    });
    any
}

struct Sums<'a> {
    f: &'a mut Func,
    deciding: &'a Deciding,
    ranges: Ranges,
    /// By value.
    uses: Vec<u32>,
    any: bool,
}

impl Sums<'_> {
    fn region(&mut self, r: &mut Region) {
        let mut out: Vec<Inst> = Vec::with_capacity(r.insts.len());
        for mut inst in std::mem::take(&mut r.insts) {
            inst.regions.iter_mut().for_each(|r| self.region(r));
            match inst.kind {
                Kind::For(l) => self.converted(l, inst, &mut out),
                _ => out.push(inst),
            }
        }
        r.insts = out;
    }

    /// Writes a loop without the additions to elements that are the same in all iterations, and behind it those of their sums.
    fn converted(&mut self, mut l: Loop, mut inst: Inst, out: &mut Vec<Inst>) {
        let mut behind = Vec::new();
        let window = inst.args[..2].iter().all(|v| self.moves(*v));
        let mut results = inst.results.to_vec();
        for k in (0..inst.args.len() - 3).rev() {
            let fixed = self.fixed(&inst.regions[0], k, results[k]);
            if fixed.is_empty() || window {
                continue;
            }
            let (body, first_sum) = (&mut inst.regions[0], inst.args.len() - 3);
            // What an addition gave: the array without it.
            let mut to: FxHashMap<Value, Value> = FxHashMap::default();
            let mut sums = Vec::new();
            for at in fixed {
                let add = &body.insts[at];
                let (array, term) = (add.args[0], add.args[1]);
                to.insert(add.results[0], to.get(&array).copied().unwrap_or(array));
                let sum = self.f.fresh(self.f.data(term).clone());
                let at = first_sum + sums.len();
                body.yields.insert(at, term);
                results.insert(at, sum);
                sums.push((sum, Values::from_slice(&add.args[2..]), add.span));
            }
            body.insts.retain(|i| i.results.first().is_none_or(|v| !to.contains_key(v)));
            scan::rename(body, self.f, &to);
            let (result, init) = (results[k], inst.args[3 + k]);
            let mut array = self.f.fresh(self.f.data(result).clone());
            results[k] = array;
            if body.yields[k] == body.params[1 + k] {
                // Nothing else is added.
                let to = FxHashMap::from_iter([(body.params.remove(1 + k), init)]);
                body.yields.remove(k);
                scan::rename(body, self.f, &to);
                results.remove(k);
                inst.args =
                    inst.args.iter().enumerate().filter(|(at, _)| *at != 3 + k).map(|(_, v)| *v).collect();
                array = init;
            }
            for (sum, index, span) in &sums {
                let args = [&[array, *sum], &index[..]].concat();
                let data = self.f.data(result).clone();
                array = scan::emit(self.f, Kind::AddAt, &args, data, *span, &mut behind);
            }
            behind.last_mut().expect("an addition").results[0] = result;
            l.sums += sums.len() as u32;
        }
        self.any |= !behind.is_empty();
        (inst.kind, inst.results) =
            (sums::kind(l, inst.args.len() - 3, self.ranges.get(inst.args[2]).0 > 0), results.into());
        out.push(inst);
        out.append(&mut behind);
    }

    /// Whether an end of a loop is neither a number nor a size.
    fn moves(&self, v: Value) -> bool {
        let (least, most) = self.ranges.get(v);
        least != most && self.f.dims.iter().all(|d| d.value != v)
    }

    /// The instructions of a loop's body that add to elements of carry `k` which are the same in all iterations, if the loop does nothing but
    /// add to it.
    fn fixed(&self, body: &Region, k: usize, result: Value) -> Vec<usize> {
        let p = body.params[1 + k];
        let number = self.f.ty(p).is_array() && self.f.ty(p).scalar().is_float();
        if !number || self.deciding.get(p) || self.deciding.get(result) {
            return Vec::new();
        }
        let own: FxHashSet<Value> =
            body.params.iter().chain(body.insts.iter().flat_map(|i| &i.results)).copied().collect();
        let mut found = Vec::new();
        let mut array = p;
        for (at, inst) in body.insts.iter().enumerate() {
            if self.uses.get(array.0 as usize) != Some(&1) {
                return Vec::new();
            }
            match (&inst.kind, &inst.args[..]) {
                (Kind::AddAt, [x, term, index @ ..]) if *x == array => {
                    let same = index.iter().all(|v| !own.contains(v));
                    let inside = self.ranges.inside(self.f.shape(p), index);
                    if same && inside && !self.f.ty(*term).is_array() {
                        found.push(at);
                    }
                    array = inst.results[0];
                }
                _ if inst.args.contains(&array) => return Vec::new(),
                _ => {}
            }
        }
        if array == body.yields[k] { found } else { Vec::new() }
    }
}

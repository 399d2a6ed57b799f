//! In a product of three, the factor that a carry of the loop enters is multiplied last. What the other two give does not wait for the
//! iteration before, and the reverse of a loop, whose cotangents are carried, can take it from memory.
//!
//! Two roundings are two roundings. One of the two factors is known to be at most [`MOST`] in size, so only numbers near the end of the range
//! become infinite or lose digits. Not where bits decide, and not in strict functions.

use super::scan;
use crate::contract;
use crate::decisions::Deciding;
use crate::facts::{Facts, Known};
use adc_ir::ranges::Ranges;
use adc_ir::{Func, Inst, Kind, Op, Region, Value};
use rustc_hash::{FxHashMap, FxHashSet};

/// What is no larger counts as small.
const MOST: f64 = 2.0;

/// Returns whether there was any.
pub(crate) fn function(f: &mut Func, deciding: &Deciding) -> bool {
    let ranges = Ranges::of(f);
    let mut any = false;
    scan::edit(f, |body, f| {
        let mut uses = vec![0; f.values.len()];
        body.count_uses(&mut uses);
        let known = Known::of(f, &ranges);
        let mut late = Late {
            known,
            f,
            deciding,
            uses,
            late: FxHashSet::default(),
            products: FxHashMap::default(),
            any,
        };
        late.region(body);
        any = late.any;
    });
    any
}

struct Late<'a> {
    known: Known<'a>,
    f: &'a mut Func,
    deciding: &'a Deciding,
    /// How often each value is used.
    uses: Vec<u32>,
    /// What carries of the loops around enter.
    late: FxHashSet<Value>,
    /// Factors of products that are used once: the late one last.
    products: FxHashMap<Value, [Value; 2]>,
    any: bool,
}

impl Late<'_> {
    fn region(&mut self, r: &mut Region) {
        let mark = self.known.mark();
        // What is outside is computed less often as it is.
        let outside = std::mem::take(&mut self.products);
        let mut out = Vec::with_capacity(r.insts.len());
        for mut inst in std::mem::take(&mut r.insts) {
            // Whether carries of loops around it enter; its own come to an end with it.
            let mut late = false;
            scan::uses(&inst, self.f, &mut |v| late |= self.late.contains(&v));
            self.inside(&mut inst);
            self.product(&mut inst, &mut out);
            if late {
                self.late.extend(&inst.results);
            }
            self.known.learn(&inst, &self.f.values);
            out.push(inst);
        }
        r.insts = out;
        self.products = outside;
        self.known.forget(mark);
    }

    fn inside(&mut self, inst: &mut Inst) {
        for k in 0..inst.regions.len() {
            let mark = self.known.mark();
            self.known.enter(inst, k, &self.f.values);
            if let Some(first) = inst.kind.first_carry() {
                let carries = inst.args.len() - first;
                let params = &inst.regions[k].params;
                self.late.extend(&params[params.len() - carries..]);
            }
            let mut region = std::mem::take(&mut inst.regions[k]);
            self.region(&mut region);
            inst.regions[k] = region;
            self.known.forget(mark);
        }
    }

    /// Brings the late factor of a product of three behind the others.
    fn product(&mut self, inst: &mut Inst, out: &mut Vec<Inst>) {
        if inst.kind != Kind::Op(Op::Mul) || !contract::fits(&self.f.values, self.deciding, inst) {
            return;
        }
        let args = [inst.args[0], inst.args[1]];
        let found = [args, [args[1], args[0]]].into_iter().find_map(|[x, product]| {
            let [y, z] = *self.products.get(&product)?;
            let small = |v: Value| {
                let range = self.known.get(v).re;
                -MOST <= range.lo && range.hi <= MOST
            };
            (!self.late.contains(&x) && (small(x) || small(y))).then_some([x, y, z])
        });
        if let Some([x, y, z]) = found {
            let early = self.f.fresh(self.f.data(inst.results[0]).clone());
            let new = Inst::simple(Kind::Op(Op::Mul), &[x, y], early, inst.span);
            self.known.add(Facts::any(self.f.ty(early).scalar()));
            self.known.learn(&new, &self.f.values);
            out.push(new);
            inst.args[0] = early;
            inst.args[1] = z;
            self.any = true;
        }
        let [x, y] = [inst.args[0], inst.args[1]];
        let [a, b] = [x, y].map(|v| self.late.contains(&v));
        if a != b && self.uses[inst.results[0].0 as usize] == 1 {
            self.products.insert(inst.results[0], if a { [y, x] } else { [x, y] });
        }
    }
}

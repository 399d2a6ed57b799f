//! Factors that a loop does not change come together: `2·(x·s)`, where the loop changes x only, becomes `x·(2·s)`, and `2·s` is computed
//! before the loop. What a derivative is multiplied by from outside, its cotangent, is such an s, and each square brings a literal.
//!
//! Two roundings are two roundings. The literal's size is between [`SMALLEST`] and its inverse, so that only numbers near the ends of the
//! range lose digits, or become infinite. Not where bits decide, and not in strict functions.

use crate::contract::fits;
use crate::decisions::Deciding;
use crate::loops::scan;
use adc_ir::{Func, Inst, Kind, Op, Region, Value};
use rustc_hash::FxHashMap;

/// Smaller literals, and larger ones than its inverse, stay where they are.
const SMALLEST: f64 = 1.0 / 256.0;

/// Returns whether there was any.
pub(crate) fn function(f: &mut Func, deciding: &Deciding) -> bool {
    let mut uses = vec![0; f.values.len()];
    if let Some(body) = f.region() {
        body.count_uses(&mut uses);
    }
    let mut any = false;
    scan::edit(f, |body, f| {
        let mut depths = vec![0; f.values.len()];
        depths_of(body, 0, &mut depths);
        let (literals, products) = Default::default();
        let mut i = Invariants { f, deciding, uses, depths, literals, products, any: false };
        i.region(body, 0);
        any = i.any;
    });
    any
}

/// Sets how many loops there are around each value.
fn depths_of(r: &Region, depth: usize, depths: &mut [usize]) {
    r.params.iter().for_each(|p| depths[p.0 as usize] = depth);
    for inst in &r.insts {
        inst.results.iter().for_each(|v| depths[v.0 as usize] = depth);
        let depth = depth + usize::from(inst.kind.is_loop());
        inst.regions.iter().for_each(|r| depths_of(r, depth, depths));
    }
}

struct Invariants<'a> {
    f: &'a mut Func,
    deciding: &'a Deciding,
    uses: Vec<u32>,
    /// By value: how many loops there are around it.
    depths: Vec<usize>,
    /// The literals, by value.
    literals: FxHashMap<Value, Inst>,
    /// By value that is used once: what it is the product of.
    products: FxHashMap<Value, [Value; 2]>,
    any: bool,
}

impl Invariants<'_> {
    /// Returns what is to be computed before the loop around, by how many loops are around that.
    fn region(&mut self, r: &mut Region, depth: usize) -> Vec<(usize, Inst)> {
        let mut before = Vec::new();
        let mut out: Vec<Inst> = Vec::with_capacity(r.insts.len());
        for mut inst in std::mem::take(&mut r.insts) {
            let inside = depth + usize::from(inst.kind.is_loop());
            for nested in &mut inst.regions {
                for (at, new) in self.region(nested, inside) {
                    match inside > depth && at == depth {
                        true => out.push(new),
                        false => before.push((at, new)),
                    }
                }
            }
            match inst.kind {
                Kind::Const(c) if c.scalar().is_real() => {
                    self.literals.insert(inst.results[0], inst.clone());
                }
                Kind::Op(op @ (Op::Mul | Op::Fma)) if fits(&self.f.values, self.deciding, &inst) => {
                    self.product(op, &mut inst, depth, &mut before);
                }
                _ => {}
            }
            out.push(inst);
        }
        r.insts = out;
        before
    }

    fn product(&mut self, op: Op, inst: &mut Inst, depth: usize, before: &mut Vec<(usize, Inst)>) {
        let factors = [inst.args[0], inst.args[1]];
        let found = [factors, [factors[1], factors[0]]].into_iter().find_map(|[literal, product]| {
            let constant = self.literals.get(&literal).filter(|c| is_moderate(c))?;
            let [x, y] = *self.products.get(&product).filter(|_| self.depth(product) == depth)?;
            let [a, b] = [x, y].map(|v| self.depth(v));
            match (a == depth, b == depth) {
                (true, false) => Some((constant, x, y)),
                (false, true) => Some((constant, y, x)),
                _ => None,
            }
        });
        if let Some((constant, x, invariant)) = found {
            let at = self.depth(invariant);
            let mut literal = constant.clone();
            let [c, scaled] =
                [literal.results[0], inst.results[0]].map(|v| self.f.fresh(self.f.data(v).clone()));
            literal.results = [c].into_iter().collect();
            let product = Inst::simple(Kind::Op(Op::Mul), &[c, invariant], scaled, inst.span);
            before.extend([literal, product].map(|new| (at, new)));
            (inst.args[0], inst.args[1]) = (x, scaled);
            self.any = true;
        } else if op == Op::Mul
            && self.uses[inst.results[0].0 as usize] == 1
            && !factors.iter().any(|v| self.literals.contains_key(v))
        {
            self.products.insert(inst.results[0], factors);
        }
    }

    fn depth(&self, v: Value) -> usize {
        self.depths[v.0 as usize]
    }
}

fn is_moderate(literal: &Inst) -> bool {
    let Kind::Const(c) = literal.kind else { unreachable!("it is a literal") };
    (SMALLEST..=1.0 / SMALLEST).contains(&c.to_c128().re.abs())
}

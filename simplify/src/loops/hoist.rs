//! What does not change in a loop is computed before it: ops that cannot fail, and reads inside their arrays.
//!
//! Only what every turn computes anyway leaves, never what stands in a branch.

use adc_ir::ranges::Ranges;
use adc_ir::{Body, Func, Inst, Kind, Region, Scalar, Value};

pub(super) fn function(f: &mut Func) {
    let ranges = Ranges::of(f);
    let Body::Region(body) = &mut f.body else { return };
    let mut body = std::mem::take(body);
    let mut level = vec![0; f.values.len()];
    let mut h = Hoist { f, ranges: &ranges, level: &mut level };
    h.region(&mut body, 0);
    f.body = Body::Region(body);
}

struct Hoist<'a> {
    f: &'a Func,
    ranges: &'a Ranges,
    /// By value: the nesting of the region that defines it.
    level: &'a mut Vec<u32>,
}

impl Hoist<'_> {
    /// Goes over a region at a nesting; what leaves it is left in front of the instruction it leaves.
    fn region(&mut self, r: &mut Region, level: u32) {
        r.params.iter().for_each(|v| self.level[v.0 as usize] = level);
        let mut out: Vec<Inst> = Vec::with_capacity(r.insts.len());
        for mut inst in std::mem::take(&mut r.insts) {
            let leaves = matches!(inst.kind, Kind::Build { .. } | Kind::Reduce(_) | Kind::For(_));
            for nested in &mut inst.regions {
                self.region(nested, level + 1);
                if leaves {
                    let left = self.leaving(nested, level);
                    left.iter().flat_map(|i| &i.results).for_each(|v| self.level[v.0 as usize] = level);
                    out.extend(left);
                }
            }
            inst.results.iter().for_each(|v| self.level[v.0 as usize] = level);
            out.push(inst);
        }
        r.insts = out;
    }

    /// Takes what can be computed at a lower nesting out of the region.
    fn leaving(&mut self, r: &mut Region, level: u32) -> Vec<Inst> {
        let mut left = Vec::new();
        for inst in std::mem::take(&mut r.insts) {
            let outside = |v: Value| self.level[v.0 as usize] <= level;
            if self.total(&inst) && inst.uses(self.f).all(outside) {
                inst.results.iter().for_each(|v| self.level[v.0 as usize] = level);
                left.push(inst);
            } else {
                r.insts.push(inst);
            }
        }
        left
    }

    /// Whether it gives a scalar whatever its operands are.
    fn total(&self, inst: &Inst) -> bool {
        match &inst.kind {
            Kind::Const(_) => true,
            // Integers overflow, and what is converted to one may be out of range.
            Kind::Op(_) => self.f.ty(inst.results[0]).scalar() != Scalar::I64,
            Kind::Index => {
                let (x, index) = (inst.args[0], &inst.args[1..]);
                !self.f.ty(inst.results[0]).is_array() && self.ranges.inside(self.f.shape(x), index)
            }
            Kind::Call(_)
            | Kind::If
            | Kind::Assert(_)
            | Kind::Size(_)
            | Kind::Fill
            | Kind::Pack
            | Kind::Update
            | Kind::AddAt
            | Kind::Slice
            | Kind::UpdateSlice
            | Kind::AddSlice
            | Kind::Reshape
            | Kind::Build { .. }
            | Kind::Reduce(_)
            | Kind::For(_)
            | Kind::While(_)
            | Kind::MatMul
            | Kind::Transpose
            | Kind::Linalg(_) => false,
        }
    }
}

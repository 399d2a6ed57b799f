//! The reverse of a loop that has snapshots of its carries: before the last iteration of a block is reversed the block runs
//! again and gives what its iterations need. The loop is otherwise the one that reads what every iteration stored.

use super::Pullback;
use crate::activity::{body_of, carried};
use crate::plan::Blocked;
use crate::storage::{Blocks, WHILE_BLOCK};
use adc_ir::{Const, Dim, Inst, Kind, Loop, Op, Scalar, Type, Value, ValueData};

impl<'a> Pullback<'a> {
    /// Before the reverse of a loop that has snapshots: the length of its blocks; arrays for what the iterations of one give,
    /// which are carries.
    pub(super) fn open_blocks(&mut self, inst: &Inst, n: Value, init: &mut Vec<Value>) -> Option<Value> {
        let plan = self.sw.plan;
        let blocked = plan.exits(inst)?.blocks.as_ref()?;
        let length = match inst.kind {
            Kind::While(_) => self.sw.int(WHILE_BLOCK),
            _ => self.sw.block_length(n, blocked.blocks),
        };
        let size = match starts_over(inst, blocked) {
            true => Dim::constant(1),
            false => self.sw.em.b.dim_of(length),
        };
        for v in &blocked.stored {
            let data = match plan.ty(self.sw.func(), *v) {
                Type::Scalar(s) => s.into(),
                Type::Array(..) => self.sw.data(*v),
            };
            init.push(self.sw.em.zero(&data.outer(std::slice::from_ref(&size))));
        }
        Some(length)
    }

    /// What an iteration needs, from `arrays` with what the iterations of its block give. Before its last iteration is reversed a block
    /// runs again from its snapshot. The arrays from then on.
    pub(super) fn arrive_block(
        &mut self,
        inst: &'a Inst,
        n: Value,
        iteration: Value,
        length: Value,
        arrays: &[Value],
    ) -> Vec<Value> {
        let plan = self.sw.plan;
        let blocked = plan.exits(inst).and_then(|e| e.blocks.as_ref()).expect("the loop has blocks");
        let snapshots: Vec<(usize, Value)> =
            blocked.snapshots.iter().map(|(k, e)| (*k, self.sw.value(*e))).collect();
        let [zero, one] = [0, 1].map(|n| self.sw.int(n));
        let b = &mut self.sw.em.b;
        let (place, block) = (b.op(Op::Mod, &[iteration, length]), b.op(Op::Idiv, &[iteration, length]));
        let (last, end) = (b.op(Op::Sub, &[length, one]), b.op(Op::Sub, &[n, one]));
        let (before, early) = (b.op(Op::Ne, &[place, last]), b.op(Op::Ne, &[iteration, end]));
        let mut ready = b.op(Op::And, &[before, early]);
        let over = starts_over(inst, blocked);
        if over {
            ready = self.sw.em.constant(Const::Bool(false));
        }

        // The block comes second: behind its writes nobody needs the arrays as they were.
        self.sw.open(Vec::new());
        let kept = self.sw.close(arrays.to_vec());
        self.sw.open(Vec::new());
        let b = &mut self.sw.em.b;
        let first_iteration = b.op(Op::Mul, &[block, length]);
        let iterations = b.op(Op::Add, &[place, one]);
        let start: Vec<Value> = snapshots.iter().map(|(_, e)| b.index(*e, &[block])).collect();
        let init = [&start[..], arrays].concat();
        let mut data: Vec<ValueData> = vec![Scalar::I64.into()];
        data.extend(init.iter().map(|v| self.sw.em.visible(*v)));
        let params = self.sw.open(data);
        let body = body_of(inst);
        if inst.regions.len() == 1 {
            let t = self.sw.em.b.op(Op::Add, &[first_iteration, params[0]]);
            let i = self.sw.index(inst, t);
            self.sw.define(&body.params[..1], &[i]);
        }
        let own = carried(body, inst);
        let own: Vec<Value> = snapshots.iter().map(|(k, _)| own[*k]).collect();
        self.sw.define(&own, &params[1..]);
        self.sw.copy(body, Some(blocked.live));
        self.sw.em.begin(inst.span);
        let mut yields: Vec<Value> = snapshots.iter().map(|(k, _)| self.sw.value(body.yields[*k])).collect();
        for (v, array) in blocked.stored.iter().zip(&params[1 + start.len()..]) {
            let x = self.sw.value(*v);
            let at = if over { zero } else { params[0] };
            yields.push(self.sw.em.b.update(*array, x, &[at]));
        }
        let region = self.sw.close(yields);
        let found = self.sw.em.b.for_of(Loop::default(), [zero, iterations, one], &init, region);
        let again = self.sw.close(found[start.len()..].to_vec());
        let arrays = self.sw.em.b.if_(ready, kept, again).to_vec();
        let place = if over { zero } else { place };
        for (v, array) in blocked.stored.iter().zip(&arrays) {
            let x = self.sw.em.b.index(*array, &[place]);
            self.sw.define(&[*v], &[x]);
        }
        arrays
    }
}

/// Whether a loop begins anew for each iteration that is reversed.
fn starts_over(inst: &Inst, blocked: &Blocked) -> bool {
    blocked.blocks == Blocks::Initial && matches!(inst.kind, Kind::For(_))
}

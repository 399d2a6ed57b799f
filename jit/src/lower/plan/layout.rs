//! The second stage of a plan: which values have homes, and where.

use super::{Cut, Dest, Event, Home, Item, NOWHERE, Plan, Unit};
use crate::cells::cells_of;
use crate::lower::bounds::Bounds;
use crate::lower::memory::{BufferId, LINE, Memory};
use crate::lower::superwords::Superwords;
use adc_ir::{Const, Dim, Func, Inst, Kind, Module, Value, Values, kinds};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// What is found out about values on the way.
pub(super) struct Layout<'a> {
    func: &'a Func,
    homes: Vec<Option<Home>>,
    unit_of: Vec<u32>,
    consts: Vec<Option<Const>>,
    /// By value: the last event that uses it; at first, the one that defines it.
    last: Vec<u32>,
    /// By value: whether another unit uses it.
    travels: Vec<bool>,
    /// By value: the event that defines it.
    defined: Vec<u32>,
}

/// Values that are defined, and get memory if they need it, together at one event.
struct Block {
    values: Values,
    event: u32,
    /// In memory whether they travel or not: others than the defining unit write them.
    always: bool,
}

impl<'a> Layout<'a> {
    pub(super) fn of(
        module: &Module,
        func: &'a Func,
        cut: Cut<'a>,
        memory: Memory,
        bounds: Bounds,
    ) -> Plan<'a> {
        let n = func.values.len();
        let mut l = Layout {
            func,
            homes: vec![None; n],
            unit_of: vec![NOWHERE; n],
            consts: vec![None; n],
            last: vec![0; n],
            travels: vec![false; n],
            defined: vec![0; n],
        };
        let mut loops: Vec<(u32, u32)> = Vec::new();
        let mut open = Vec::new();
        let mut rows: Vec<BufferId> = Vec::new();
        let mut at = 0;
        for p in &func.params {
            l.homes[p.value.0 as usize] = Some(Home::Input(at));
            at += 8 * cells_of(func.ty(p.value)) as u32;
        }
        let mut blocks = Vec::new();
        let mut arguments = 0;
        for (event, what) in cut.order.iter().enumerate() {
            let event = event as u32;
            match what {
                Event::Unit(id) => {
                    let Unit::Straight(items) = &cut.units[*id as usize] else {
                        unreachable!("drivers are no events")
                    };
                    let mut scan = Scan {
                        l: &mut l,
                        unit: *id,
                        event,
                        blocks: &mut blocks,
                        arguments,
                        module,
                        memory: &memory,
                    };
                    for item in items {
                        match item {
                            Item::Inst(inst) => scan.inst(inst),
                            Item::Yield { value, to } => {
                                scan.used(*value);
                                match to {
                                    Dest::Output(..) => scan.freed(&memory.frees_at_end),
                                    Dest::Branch(inst, i, k) => {
                                        scan.used(inst.results[*k]);
                                        scan.freed(memory.frees_in(inst, *i));
                                    }
                                }
                            }
                        }
                    }
                    arguments = scan.arguments;
                }
                Event::Branch(inst) => {
                    l.drives(inst, &memory, event);
                    l.driven(&inst.results, event, &mut blocks);
                }
                Event::Loop(inst) => {
                    open.push(event);
                    l.drives(inst, &memory, event);
                    for (i, r) in inst.regions.iter().enumerate() {
                        l.driven(&r.params, event, &mut blocks);
                        rows.extend((0..r.yields.len()).filter_map(|k| memory.row(inst, i, k)));
                    }
                }
                Event::EndLoop(inst) => {
                    loops.push((open.pop().expect("the loop began"), event));
                    for (i, r) in inst.regions.iter().enumerate() {
                        let freed = memory.frees_in(inst, i).iter().map(|b| memory.buffer(*b).value);
                        for v in r.params.iter().chain(&r.yields).copied().chain(freed) {
                            l.reads(v, &memory, event);
                        }
                    }
                    l.driven(&inst.results, event, &mut blocks);
                    memory
                        .frees_after(inst)
                        .iter()
                        .for_each(|b| l.reads(memory.buffer(*b).value, &memory, event));
                }
                // The arms write the results, used or not.
                Event::Join(inst) => {
                    let freed = memory.frees_after(inst).iter().map(|b| memory.buffer(*b).value);
                    for v in inst.results.iter().copied().chain(freed) {
                        l.last[v.0 as usize] = event;
                        l.travels[v.0 as usize] = true;
                    }
                }
            }
        }
        // What a loop uses from outside it uses in every iteration; inner loops come first.
        for (start, end) in loops {
            for (last, defined) in l.last.iter_mut().zip(&l.defined) {
                if *defined < start && (start..end).contains(last) {
                    *last = end;
                }
            }
        }
        let homes = l.allocate(blocks, cut.order.len());
        let place = |(i, b): (usize, BufferId)| (b, homes as u32 + 8 * i as u32);
        let rows: FxHashMap<BufferId, u32> = rows.into_iter().enumerate().map(place).collect();
        let frame = homes + 8 * rows.len() as u64;
        let arrays = (frame + 8 * arguments as u64).next_multiple_of(LINE);
        Plan {
            func,
            units: cut.units,
            homes: l.homes,
            superwords: Superwords::of(func, &memory, &l.consts, &l.unit_of),
            unit_of: l.unit_of,
            consts: l.consts,
            arguments: frame as u32,
            arrays,
            rows,
            frame: arrays + memory.frame,
            memory,
            bounds,
        }
    }

    /// A driver needs the operands of what it drives, and makes room for the results.
    fn drives(&mut self, inst: &Inst, memory: &Memory, event: u32) {
        inst.args.iter().for_each(|v| self.reads(*v, memory, event));
        let sizes = inst.results.iter().flat_map(|v| memory.shape(*v)).flat_map(Dim::vars);
        sizes.for_each(|v| self.reads(v, memory, event));
    }

    /// A driver uses a value.
    fn reads(&mut self, v: Value, memory: &Memory, event: u32) {
        for v in memory.shape(v).iter().flat_map(Dim::vars).chain([v]) {
            self.last[v.0 as usize] = event;
            self.travels[v.0 as usize] = true;
        }
    }

    /// Values that a driver defines, used or not.
    fn driven(&mut self, values: &[Value], event: u32, blocks: &mut Vec<Block>) {
        for v in values {
            blocks.push(Block { values: [*v].into_iter().collect(), event, always: true });
            (self.last[v.0 as usize], self.defined[v.0 as usize]) = (event, event);
        }
    }

    /// Gives each block memory that no live value occupies; returns the bytes used.
    fn allocate(&mut self, blocks: Vec<Block>, events: usize) -> u64 {
        let mut free: BTreeMap<u32, Vec<u64>> = BTreeMap::new();
        let mut ending: Vec<Vec<(u32, u64)>> = vec![Vec::new(); events];
        let mut end = 0u64;
        let mut now = 0;
        let travels = |b: &Block| b.always || b.values.iter().any(|v| self.travels[v.0 as usize]);
        let blocks: Vec<Block> = blocks.into_iter().filter(travels).collect();
        for block in blocks {
            // What ended before this event is free again.
            while now < block.event {
                for (cells, at) in std::mem::take(&mut ending[now as usize]) {
                    free.entry(cells).or_default().push(at);
                }
                now += 1;
            }
            let cells: u32 = block.values.iter().map(|v| cells_of(self.func.ty(*v)) as u32).sum();
            let start = free.get_mut(&cells).and_then(Vec::pop).unwrap_or_else(|| {
                end += 8 * cells as u64;
                end - 8 * cells as u64
            });
            let mut at = start;
            let mut last = block.event;
            for v in &block.values {
                self.homes[v.0 as usize] = Some(Home::Frame(at as u32));
                at += 8 * cells_of(self.func.ty(*v)) as u64;
                last = last.max(self.last[v.0 as usize]);
            }
            ending[last as usize].push((cells, start));
        }
        end
    }
}

/// One pass over the instructions of a unit.
struct Scan<'s, 'a> {
    l: &'s mut Layout<'a>,
    unit: u32,
    event: u32,
    blocks: &'s mut Vec<Block>,
    arguments: u32,
    module: &'s Module,
    memory: &'s Memory,
}

impl Scan<'_, '_> {
    fn inst(&mut self, inst: &Inst) {
        inst.args.iter().for_each(|v| self.used(*v));
        for v in &inst.results {
            self.sizes(*v);
            let row = self.memory.made(*v).and_then(|b| self.memory.row_results.get(&b));
            row.into_iter().for_each(|v| self.used(*v));
        }
        if let Kind::Size(dim) = &inst.kind {
            dim.vars().for_each(|v| self.used(v));
        }
        for (i, r) in inst.regions.iter().enumerate() {
            for v in &r.params {
                self.defines(*v);
            }
            self.freed(self.memory.frees_in(inst, i));
            r.insts.iter().for_each(|i| self.inst(i));
            r.yields.iter().for_each(|v| self.used(*v));
        }
        inst.results.iter().for_each(|v| self.defines(*v));
        match &inst.kind {
            Kind::Const(c) => self.l.consts[inst.results[0].0 as usize] = Some(*c),
            Kind::Call(callee) => {
                // The callee writes its results right where they stay.
                self.blocks.push(Block { values: inst.results.clone(), event: self.event, always: true });
                if self.module.func(*callee).region().is_some() {
                    let cells: usize = inst.args.iter().map(|v| cells_of(self.l.func.ty(*v))).sum();
                    self.arguments = self.arguments.max(cells as u32);
                }
            }
            Kind::Op(_) | Kind::If | Kind::Assert(_) | Kind::Size(_) | kinds!(Array | Loop) => {
                for v in &inst.results {
                    let values = [*v].into_iter().collect();
                    self.blocks.push(Block { values, event: self.event, always: false });
                }
            }
        }
        self.freed(self.memory.frees_after(inst));
    }

    fn defines(&mut self, v: Value) {
        let i = v.0 as usize;
        self.l.unit_of[i] = self.unit;
        (self.l.last[i], self.l.defined[i]) = (self.event, self.event);
    }

    /// Heap memory is given back by its address.
    fn freed(&mut self, buffers: &[BufferId]) {
        buffers.iter().for_each(|b| self.used(self.memory.buffer(*b).value));
    }

    /// The values in an array's sizes, which are computed where they are needed.
    fn sizes(&mut self, v: Value) {
        for n in self.memory.shape(v).iter().flat_map(Dim::vars) {
            self.used(n);
        }
    }

    fn used(&mut self, v: Value) {
        if self.l.func.ty(v).is_array() {
            self.sizes(v);
        }
        let i = v.0 as usize;
        self.l.last[i] = self.event;
        if self.l.unit_of[i] != self.unit {
            self.l.travels[i] = true;
        }
    }
}

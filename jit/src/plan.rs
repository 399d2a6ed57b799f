//! Where a function is cut into native functions ("units"), and where its values live in memory.
//!
//! Register allocation is quadratic in the number of values that are live together, so no unit gets more than a
//! bounded amount of code, however long a straight line is. A value that is used in another unit than its own
//! has a *home* in the function's frame, a piece of the workspace: it is stored once, where it is defined, and
//! loaded where it is needed. Small functions are one unit and keep everything in registers. With the default
//! size, a gradient of 270 000 operations whose operands come from anywhere compiles at 4 µs an operation and
//! needs 1.5 KB of native stack, so values that are far from their uses inside one unit are left to Cranelift.
//!
//! Invariants:
//! * Units run in the order of their numbers, each at most once per call or turn of a loop. A unit is either straight-line
//!   code (with the `if`s and loops that fit into it) or a driver, which runs other units in sequence, decides the `if`s
//!   that do not fit and counts the loops whose bodies do not. The last unit is the function's entry.
//! * A home is reused only in units after the last one that uses its value, so loads in one unit never race
//!   with stores of the same unit to another value.
//! * Everything in memory has the cell format of [`crate::call`].
//!
//! Absent on purpose: machine code, Cranelift.

use crate::bounds::Bounds;
use crate::call::cells_of;
use crate::memory::{BufferId, LINE, Memory};
use adc_ir::{Body, Const, Dim, Func, Inst, Kind, Module, Region, Scalar, Value, Values};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// What a function becomes.
pub(crate) struct Plan<'a> {
    pub func: &'a Func,
    /// In order of execution; the last one is the entry. Empty for extern functions.
    pub units: Vec<Unit<'a>>,
    /// By value: where it is in memory, if it is.
    pub homes: Vec<Option<Home>>,
    /// By value: the unit that defines it, [`NOWHERE`] for parameters and for results of `if`s a driver decides.
    pub unit_of: Vec<u32>,
    /// By value: the literal it is. Literals are emitted anew in each unit and have no home.
    pub consts: Vec<Option<Const>>,
    /// Byte offset in the frame of the arguments of calls.
    pub arguments: u32,
    /// Byte offset in the frame of the arrays.
    pub arrays: u64,
    /// Byte offsets in the frame of the addresses of rows that the units of a loop make.
    pub rows: FxHashMap<BufferId, u32>,
    /// Where arrays are.
    pub memory: Memory,
    /// What is known of integers.
    pub bounds: Bounds,
    /// Bytes of the frame, callees not included.
    pub frame: u64,
}

/// Not inside a unit.
pub(crate) const NOWHERE: u32 = u32::MAX;

/// A place in memory, in bytes from the start of its area.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Home {
    /// Among the arguments.
    Input(u32),
    /// In the function's own frame.
    Frame(u32),
}

/// One native function.
pub(crate) enum Unit<'a> {
    /// Instructions in order.
    Straight(Vec<Item<'a>>),
    /// Other units in order.
    Driver(Vec<Step<'a>>),
}

/// A part of straight-line code.
pub(crate) enum Item<'a> {
    /// An instruction with everything nested in it.
    Inst(&'a Inst),
    /// A yielded value, to be stored where the region's results go.
    Yield { value: Value, to: Dest<'a> },
}

/// Where a yielded value goes.
#[derive(Clone, Copy)]
pub(crate) enum Dest<'a> {
    /// The function's results: number, byte offset.
    Output(usize, u32),
    /// The home of a result of the enclosing `if`: instruction, branch, number of the result.
    Branch(&'a Inst, usize, usize),
}

/// A part of a driver.
pub(crate) enum Step<'a> {
    /// Runs a unit.
    Run(u32),
    /// Runs one of two sequences, the branches of an `if`.
    Branch { inst: &'a Inst, arms: [Vec<Step<'a>>; 2] },
    /// Runs sequences in turns, for each region of a loop one.
    Loop { inst: &'a Inst, bodies: Vec<Vec<Step<'a>>> },
}

/// Steps of one driver.
const STEPS: usize = 64;

/// Plans one function; units get about `limit` ops at most.
pub(crate) fn plan<'a>(module: &Module, func: &'a Func, limit: usize) -> Plan<'a> {
    let memory = Memory::of(module, func);
    let bounds = Bounds::of(func);
    let Body::Region(body) = &func.body else {
        return Plan {
            func,
            units: Vec::new(),
            homes: Vec::new(),
            unit_of: Vec::new(),
            consts: Vec::new(),
            arguments: 0,
            arrays: 0,
            rows: FxHashMap::default(),
            memory,
            bounds,
            frame: 0,
        };
    };
    let mut cut = Cut { func, limit: limit.max(1), units: Vec::new(), order: Vec::new() };
    cut.function(body);
    Layout::of(module, func, cut, memory, bounds)
}

/// The first stage: what goes into which unit.
struct Cut<'a> {
    func: &'a Func,
    limit: usize,
    units: Vec<Unit<'a>>,
    /// Straight units and branches of drivers as they come in program order.
    order: Vec<Event<'a>>,
}

enum Event<'a> {
    Unit(u32),
    /// An `if` of a driver; its arms follow.
    Branch(&'a Inst),
    /// The end of both arms.
    Join(&'a Inst),
    /// A loop of a driver; its regions follow.
    Loop(&'a Inst),
    /// Their end.
    EndLoop(&'a Inst),
}

impl<'a> Cut<'a> {
    fn function(&mut self, body: &'a Region) {
        let mut at = 0;
        let mut dests = Vec::with_capacity(self.func.results.len());
        for (k, r) in self.func.results.iter().enumerate() {
            dests.push(Dest::Output(k, at));
            at += 8 * cells_of(r.ty) as u32;
        }
        // A function a little above the limit is better whole than as a pair of units.
        let limit = std::mem::replace(&mut self.limit, usize::MAX);
        if region_weight(self.func, body, 2 * limit) > 2 * limit {
            self.limit = limit;
        }
        let steps = self.region(body, &dests);
        if !matches!(steps[..], [Step::Run(last)] if last as usize == self.units.len() - 1) {
            self.units.push(Unit::Driver(steps));
        }
    }

    /// Cuts a region into units and says how to run them; at least one step, and not many.
    fn region(&mut self, region: &'a Region, dests: &[Dest<'a>]) -> Vec<Step<'a>> {
        let mut steps = Vec::new();
        let mut items = Vec::new();
        let mut room = self.limit;
        for inst in &region.insts {
            let weight = inst_weight(self.func, inst, self.limit);
            if matches!(inst.kind, Kind::If) && weight > self.limit / 2 {
                self.close(&mut items, &mut steps);
                room = self.limit;
                self.order.push(Event::Branch(inst));
                let dests = |i: usize| (0..inst.results.len()).map(|k| Dest::Branch(inst, i, k)).collect();
                let arms = [0, 1].map(|i| {
                    let dests: Vec<Dest> = dests(i);
                    self.region(&inst.regions[i], &dests)
                });
                self.order.push(Event::Join(inst));
                steps.push(Step::Branch { inst, arms });
                continue;
            }
            if inst.kind.is_loop() && self.is_large(inst) {
                self.close(&mut items, &mut steps);
                room = self.limit;
                self.order.push(Event::Loop(inst));
                let bodies = inst.regions.iter().map(|r| self.region(r, &[])).collect();
                self.order.push(Event::EndLoop(inst));
                steps.push(Step::Loop { inst, bodies });
                continue;
            }
            if weight > room {
                self.close(&mut items, &mut steps);
                room = self.limit;
            }
            room = room.saturating_sub(weight);
            items.push(Item::Inst(inst));
        }
        for (&value, &to) in region.yields.iter().zip(dests) {
            if room == 0 {
                self.close(&mut items, &mut steps);
                room = self.limit;
            }
            room -= 1;
            items.push(Item::Yield { value, to });
        }
        if steps.is_empty() || !items.is_empty() {
            self.open(items, &mut steps);
        }
        self.pack(steps)
    }

    /// Whether a loop is too much code for one unit: what is common to its cuts goes through memory in every turn.
    fn is_large(&self, inst: &Inst) -> bool {
        let enough = self.limit.saturating_mul(2);
        inst.regions.iter().any(|r| region_weight(self.func, r, enough) > enough)
    }

    /// Ends the unit being filled, if there is something in it.
    fn close(&mut self, items: &mut Vec<Item<'a>>, steps: &mut Vec<Step<'a>>) {
        if !items.is_empty() {
            self.open(std::mem::take(items), steps);
        }
    }

    fn open(&mut self, items: Vec<Item<'a>>, steps: &mut Vec<Step<'a>>) {
        let id = self.units.len() as u32;
        self.units.push(Unit::Straight(items));
        self.order.push(Event::Unit(id));
        steps.push(Step::Run(id));
    }

    /// Bundles a long sequence of steps into drivers of drivers.
    fn pack(&mut self, mut steps: Vec<Step<'a>>) -> Vec<Step<'a>> {
        while steps.iter().map(step_weight).sum::<usize>() > STEPS {
            let mut bundles = Vec::new();
            let mut bundle = Vec::new();
            let mut weight = 0;
            for step in steps {
                let w = step_weight(&step);
                if weight + w > STEPS && !bundle.is_empty() {
                    bundles.push(self.driver(std::mem::take(&mut bundle)));
                    weight = 0;
                }
                weight += w;
                bundle.push(step);
            }
            bundles.push(self.driver(bundle));
            steps = bundles;
        }
        steps
    }

    fn driver(&mut self, steps: Vec<Step<'a>>) -> Step<'a> {
        self.units.push(Unit::Driver(steps));
        Step::Run(self.units.len() as u32 - 1)
    }
}

fn step_weight(step: &Step) -> usize {
    match step {
        Step::Run(_) => 1,
        Step::Branch { arms, .. } => 1 + arms.iter().flatten().map(step_weight).sum::<usize>(),
        Step::Loop { bodies, .. } => 1 + bodies.iter().flatten().map(step_weight).sum::<usize>(),
    }
}

/// About how many machine-independent instructions an instruction becomes. Stops counting above `enough`.
fn inst_weight(func: &Func, inst: &Inst, enough: usize) -> usize {
    match &inst.kind {
        Kind::Const(_) => 0,
        Kind::Op(_) => {
            let scalar = |v: &Value| func.ty(*v).scalar();
            let of = |s: Scalar| match s {
                Scalar::Bool | Scalar::F32 | Scalar::F64 => 1,
                Scalar::I64 => 3,
                Scalar::C64 | Scalar::C128 => 5,
            };
            inst.args.iter().chain(&inst.results).map(|v| of(scalar(v))).max().unwrap_or(1)
        }
        Kind::Call(_) => 4 + 2 * (inst.args.len() + inst.results.len()),
        Kind::Assert(_) => 3,
        Kind::If => {
            let mut weight = 4 + inst.results.len();
            for r in &inst.regions {
                if weight <= enough {
                    weight += region_weight(func, r, enough - weight);
                }
            }
            weight
        }
        Kind::Build { .. } | Kind::Reduce(_) | Kind::For(_) | Kind::While(_) => {
            let mut weight = 20 + 4 * inst.results.len();
            for r in &inst.regions {
                if weight <= enough {
                    weight += region_weight(func, r, enough - weight);
                }
            }
            weight
        }
        Kind::Size(_) => 4,
        Kind::Pack | Kind::Index | Kind::Update | Kind::AddAt => 4 + 4 * inst.args.len(),
        Kind::Fill
        | Kind::Slice
        | Kind::UpdateSlice
        | Kind::AddSlice
        | Kind::Reshape
        | Kind::MatMul
        | Kind::Transpose
        | Kind::Linalg(_) => 12,
    }
}

fn region_weight(func: &Func, region: &Region, enough: usize) -> usize {
    let mut weight = region.yields.len();
    for inst in &region.insts {
        if weight > enough {
            break;
        }
        weight += inst_weight(func, inst, enough - weight);
    }
    weight
}

/// The second stage: homes.
struct Layout<'a> {
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
    fn of(module: &Module, func: &'a Func, cut: Cut<'a>, memory: Memory, bounds: Bounds) -> Plan<'a> {
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
        // What a loop uses from outside it uses in every turn; inner loops come first.
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
            Kind::Op(_)
            | Kind::If
            | Kind::Assert(_)
            | Kind::Size(_)
            | Kind::Fill
            | Kind::Pack
            | Kind::Index
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
            | Kind::Linalg(_) => {
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

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
//! * Units run in the order of their numbers, each at most once per call or iteration of a loop. A unit is either straight-line
//!   code (with the `if`s and loops that fit into it) or a driver, which runs other units in sequence, decides the `if`s
//!   that do not fit and counts the loops whose bodies do not. The last unit is the function's entry.
//! * A home is reused only in units after the last one that uses its value, so loads in one unit never race
//!   with stores of the same unit to another value.
//! * Everything in memory has the cell format of [`crate::cells`].
//!
//! Absent on purpose: machine code, Cranelift.

mod layout;

use crate::cells::cells_of;
use crate::lower::bounds::Bounds;
use crate::lower::memory::{BufferId, Memory};
use crate::lower::superwords::Superwords;
use adc_ir::{Body, Const, Func, Inst, Kind, Module, Region, Scalar, Value, kinds};
use rustc_hash::FxHashMap;

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
    /// What is done for two neighbours at once.
    pub superwords: Superwords<'a>,
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
    /// Runs sequences in iterations, for each region of a loop one.
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
            superwords: Superwords::default(),
            frame: 0,
        };
    };
    let mut cut = Cut { func, limit: limit.max(1), units: Vec::new(), order: Vec::new() };
    cut.function(body);
    layout::Layout::of(module, func, cut, memory, bounds)
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

    /// Whether a loop is too much code for one unit: what is common to its cuts goes through memory in every iteration.
    fn is_large(&self, inst: &Inst) -> bool {
        let enough = self.limit.saturating_mul(3);
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
        kinds!(Loop) => {
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
        | Kind::Transpose
        | kinds!(Matrix) => 12,
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

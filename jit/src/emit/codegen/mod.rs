//! One unit of a [`Plan`] as a Cranelift function.
//!
//! Every generated function has the signature [`crate::context::Entry`]. Complex values are pairs of Cranelift
//! values. A value of another unit is loaded from its home when it is first used. Nothing generated here
//! traps: what can fail is tested first and leaves the function with a status.

mod arrays;
mod calls;
mod carried;
mod complex;
mod control;
mod groups;
mod int;
mod loops;
mod memory;
mod real;
mod reduce;
mod scalar;
mod sizes;
mod strips;
mod superwords;

pub(crate) use calls::extern_entry;

use crate::emit::linker::{Linker, Refusal};
use crate::lower::memory::BufferId;
use crate::lower::plan::{Dest, Home, Item, Plan, Step, Unit};
use adc_ir::{
    Const, Dim, FuncId, Inst, Kind, Module, Region, RuntimeError, Scalar, Span, Trap, Type, Value, kinds,
};
use cranelift::prelude::{FunctionBuilder, FunctionBuilderContext, InstBuilder};
use cranelift_codegen::ir::{self as clif, MemFlagsData, types};
use cranelift_codegen::isa::TargetFrontendConfig;
use cranelift_module::{FuncId as NativeId, Module as _};
use rustc_hash::FxHashMap;

/// Generates unit `index` of the function `plan` is for.
pub(crate) fn unit(
    target: Target,
    module: &Module,
    linker: &mut Linker,
    plan: &Plan,
    of: FuncId,
    (index, convention): (u32, Convention),
) -> Result<(), Refusal> {
    let (func, context, slots) = target;
    slots.start(plan.func.values.len());
    let config = linker.code.module().target_config();
    let mut b = FunctionBuilder::new(func, context);
    let (areas, arguments) = Areas::open(&mut b);
    let mut emit = Emit::new((b, slots), module, linker, plan, of, index, areas);
    if convention == Convention::Registers {
        for (p, x) in plan.func.params.iter().zip(arguments) {
            emit.slots.enter(p.value, Val::One(x));
        }
    }
    match &plan.units[index as usize] {
        Unit::Straight(items) => {
            // What is yielded comes last.
            emit.straight(items.iter().filter_map(|item| match item {
                Item::Inst(inst) => Some(*inst),
                Item::Yield { .. } => None,
            }))?;
            for item in items {
                if let Item::Yield { value, to } = item {
                    emit.yielded(*value, *to)?;
                }
            }
            emit.give_at_end(items)?;
        }
        Unit::Driver(steps) => emit.steps(steps)?,
    }
    emit.end(config);
    Ok(())
}

/// How a function takes its arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Convention {
    /// In cells, by [`crate::context::Entry`].
    Cells,
    /// Doubles, each for itself behind the addresses: by the ABI of C the first eight are in registers. There are no cells then.
    Registers,
}

/// What a unit is generated into, and the memory reused from one unit to the next.
pub(crate) type Target<'t> = (&'t mut clif::Function, &'t mut FunctionBuilderContext, &'t mut Slots);

/// A value in registers.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Val {
    /// Everything but complex numbers.
    One(clif::Value),
    /// Real and imaginary part.
    Two(clif::Value, clif::Value),
}

impl Val {
    /// The value that is not complex.
    fn one(self) -> clif::Value {
        match self {
            Val::One(x) => x,
            Val::Two(..) => panic!("a complex value where a single one belongs"),
        }
    }

    fn parts(self) -> impl Iterator<Item = clif::Value> {
        let (a, b) = match self {
            Val::One(x) => (x, None),
            Val::Two(re, im) => (re, Some(im)),
        };
        [a].into_iter().chain(b)
    }
}

/// Which values of the IR function are in registers at the point of generation.
#[derive(Default)]
pub(crate) struct Slots {
    /// By value.
    vals: Vec<Option<Val>>,
    /// What has been entered, in order: a region's values are forgotten at its end, because they do not dominate
    /// what follows.
    log: Vec<Value>,
    /// Indices that are checked, and the sizes that they are within; with the length of the log then.
    checked: Vec<(Value, Dim, usize)>,
}

impl Slots {
    fn start(&mut self, values: usize) {
        self.forget(0);
        if self.vals.len() < values {
            self.vals.resize(values, None);
        }
    }

    fn enter(&mut self, v: Value, val: Val) {
        self.vals[v.0 as usize] = Some(val);
        self.log.push(v);
    }

    fn forget(&mut self, mark: usize) {
        for v in self.log.drain(mark..) {
            self.vals[v.0 as usize] = None;
        }
        while self.checked.pop_if(|(.., at)| *at >= mark).is_some() {}
    }

    /// Whether an index is known to be within a size; it is from now on.
    fn is_checked(&mut self, index: Value, size: &Dim) -> bool {
        let known = self.checked.iter().any(|(v, n, _)| *v == index && n == size);
        if !known {
            self.checked.push((index, size.clone(), self.log.len()));
        }
        known
    }
}

/// The parameters of every generated function.
#[derive(Clone, Copy)]
struct Areas {
    context: clif::Value,
    input: clif::Value,
    output: clif::Value,
    frame: clif::Value,
}

impl Areas {
    /// The areas, and what is passed behind them.
    fn open(b: &mut FunctionBuilder) -> (Areas, Vec<clif::Value>) {
        let block = b.create_block();
        b.append_block_params_for_function_params(block);
        b.switch_to_block(block);
        let [context, input, output, frame, ref arguments @ ..] = *b.block_params(block) else {
            unreachable!("the signature has four parameters at least")
        };
        (Areas { context, input, output, frame }, arguments.to_vec())
    }
}

/// Things a function needs at most one of.
#[derive(Default)]
struct Refs {
    functions: FxHashMap<NativeId, clif::FuncRef>,
    /// Returns its parameter.
    exit: Option<clif::Block>,
    /// Where native functions write complex numbers or integers.
    scratch: Option<clif::StackSlot>,
    /// What strips gather and scatter.
    columns: Option<clif::StackSlot>,
    /// By value: where the call of a group left it on the native stack.
    left: FxHashMap<Value, (clif::StackSlot, i32)>,
}

/// The state of generating one unit.
struct Emit<'e, 'b> {
    b: FunctionBuilder<'b>,
    module: &'e Module,
    linker: &'e mut Linker,
    plan: &'e Plan<'e>,
    of: FuncId,
    unit: u32,
    slots: &'e mut Slots,
    areas: Areas,
    refs: Refs,
    /// Addresses of the rows being made.
    rows: FxHashMap<BufferId, clif::Value>,
    /// By the body's parameter: a spare place for a carry.
    aside: FxHashMap<Value, clif::Value>,
    /// Regions of loops that are units of their own.
    bodies: FxHashMap<*const Region, &'e [Step<'e>]>,
    /// Where to go on, and with what, instead of failing.
    instead: Option<(clif::Block, clif::Value)>,
}

impl<'e, 'b> Emit<'e, 'b> {
    fn new(
        (b, slots): (FunctionBuilder<'b>, &'e mut Slots),
        module: &'e Module,
        linker: &'e mut Linker,
        plan: &'e Plan<'e>,
        of: FuncId,
        unit: u32,
        areas: Areas,
    ) -> Emit<'e, 'b> {
        let (refs, rows, aside, bodies, instead) = Default::default();
        Emit { b, module, linker, plan, of, unit, slots, areas, refs, rows, aside, bodies, instead }
    }
}

impl Emit<'_, '_> {
    fn inst(&mut self, inst: &Inst) -> Result<(), Refusal> {
        let plan = self.plan;
        match plan.superwords.role(inst).filter(|_| self.linker.strips.is_some()) {
            Some(role) => self.superword(inst, role)?,
            None => self.one_inst(inst)?,
        }
        self.give_after(inst)
    }

    fn one_inst(&mut self, inst: &Inst) -> Result<(), Refusal> {
        match &inst.kind {
            // Emitted where it is used.
            Kind::Const(_) => Ok(()),
            Kind::Op(op) => {
                let val = self.op(*op, inst)?;
                self.define(inst.results[0], val);
                Ok(())
            }
            Kind::Call(callee) => self.call(*callee, inst),
            Kind::If => self.branch(inst),
            Kind::Assert(guard) => {
                let ok = self.val(inst.args[0]).one();
                let trap = match &**guard {
                    adc_ir::Guard::Assert(text) => Trap::Assert(text.clone()),
                    adc_ir::Guard::Domain(text) => Trap::Domain(text.clone()),
                };
                self.require(ok, trap, inst.span);
                Ok(())
            }
            Kind::Size(dim) => {
                let n = self.checked_dim(dim, inst.span);
                let n = self.one_i64(n);
                self.define(inst.results[0], n);
                Ok(())
            }
            Kind::Build { rank } => self.build(inst, *rank as usize),
            Kind::Reduce(op) => self.reduce(inst, *op),
            Kind::For(l) => self.for_loop(inst, *l),
            Kind::While(l) => self.while_loop(inst, *l),
            kinds!(Array) => self.array(inst),
        }
    }

    /// Returns success, and fills the block for statuses of callees.
    fn end(mut self, config: TargetFrontendConfig) {
        let zero = self.b.ins().iconst(types::I32, 0);
        self.b.ins().return_(&[zero]);
        if let Some(exit) = self.refs.exit {
            self.b.switch_to_block(exit);
            let status = self.b.block_params(exit)[0];
            self.b.ins().return_(&[status]);
        }
        self.b.seal_all_blocks();
        self.b.finalize(config);
    }

    fn ty(&self, v: Value) -> Scalar {
        self.plan.func.ty(v).scalar()
    }

    /// The value in registers; loads it if it is not there.
    fn val(&mut self, v: Value) -> Val {
        let i = v.0 as usize;
        if let Some(val) = self.slots.vals[i] {
            return val;
        }
        // Where it is, it need not be kept through other calls.
        if let Some(val) = self.left(v) {
            return val;
        }
        let val = match (self.plan.consts[i], self.plan.homes[i]) {
            (Some(c), _) => self.literal(c),
            (None, Some(home)) => {
                // Nothing writes the home while straight-line code runs, unless the value is defined in it. What
                // a driver runs may write anywhere.
                let fixed = match self.plan.units.get(self.unit as usize) {
                    Some(Unit::Straight(_)) => self.plan.unit_of[i] != self.unit,
                    Some(Unit::Driver(_)) | None => false,
                };
                let flags = MemFlagsData::trusted();
                let flags = if fixed { flags.with_readonly().with_can_move() } else { flags };
                let (base, at) = self.place(home);
                self.load(self.plan.func.ty(v), flags, base, at)
            }
            (None, None) => panic!("v{i} of `{}` is used in a unit it cannot reach", self.plan.func.name),
        };
        self.slots.enter(v, val);
        val
    }

    /// Takes note of a value just computed, and stores it if other units use it.
    fn define(&mut self, v: Value, val: Val) {
        self.slots.enter(v, val);
        if let Some(home) = self.plan.homes[v.0 as usize] {
            let (base, at) = self.place(home);
            self.store(self.plan.func.ty(v), val, base, at);
        }
    }

    fn yielded(&mut self, v: Value, to: Dest) -> Result<(), Refusal> {
        let ty = self.plan.func.ty(v);
        match to {
            Dest::Output(k, at) if ty.is_array() => {
                let fixed = self.plan.func.results[k].shape.iter().all(|d| d.as_const().is_some());
                if !fixed {
                    let place = self.hand_over(k, v)?;
                    self.store(ty, Val::One(place), self.areas.output, at);
                } else if !self.plan.memory.direct_results[k] {
                    let flags = MemFlagsData::trusted().with_readonly().with_can_move();
                    let place = self.b.ins().load(types::I64, flags, self.areas.output, at as i32);
                    self.copy_array(place, v)?;
                }
            }
            Dest::Output(_, at) => {
                let val = self.val(v);
                self.store(ty, val, self.areas.output, at);
            }
            Dest::Branch(inst, branch, k) => {
                let result = inst.results[k];
                if ty.is_array() && self.plan.memory.made(result).is_some() {
                    if !self.plan.memory.is_direct(inst, branch, k) {
                        let place = self.val(result).one();
                        self.copy_array(place, v)?;
                    }
                    return Ok(());
                }
                let val = self.val(v);
                let home = self.plan.homes[result.0 as usize].expect("results of a driver's `if` have homes");
                let (base, at) = self.place(home);
                self.store(ty, val, base, at);
            }
        }
        Ok(())
    }

    /// Gives heap memory back once the last value of a function or a branch of a driver is yielded.
    fn give_at_end(&mut self, items: &[Item]) -> Result<(), Refusal> {
        let plan = self.plan;
        match items.last() {
            Some(Item::Yield { to: Dest::Output(k, _), .. }) if k + 1 == plan.func.results.len() => {
                self.give(&plan.memory.frees_at_end)
            }
            Some(Item::Yield { to: Dest::Branch(inst, branch, k), .. }) if k + 1 == inst.results.len() => {
                self.give(plan.memory.frees_in(inst, *branch))
            }
            _ => Ok(()),
        }
    }

    fn place(&self, home: Home) -> (clif::Value, u32) {
        match home {
            Home::Input(at) => (self.areas.input, at),
            Home::Frame(at) => (self.areas.frame, at),
        }
    }

    /// Loads from cells.
    fn load(&mut self, ty: Type, flags: MemFlagsData, base: clif::Value, at: u32) -> Val {
        let at = at as i32;
        let mut part = |ty, at| self.b.ins().load(ty, flags, base, at);
        if ty.is_array() {
            return Val::One(part(types::I64, at));
        }
        match ty.scalar() {
            Scalar::Bool => {
                // Native code may say true with any number.
                let byte = part(types::I8, at);
                Val::One(self.b.ins().icmp_imm_u(clif::condcodes::IntCC::NotEqual, byte, 0))
            }
            Scalar::I64 => Val::One(part(types::I64, at)),
            Scalar::F32 => Val::One(part(types::F32, at)),
            Scalar::F64 => Val::One(part(types::F64, at)),
            Scalar::C64 => Val::Two(part(types::F32, at), part(types::F32, at + 4)),
            Scalar::C128 => Val::Two(part(types::F64, at), part(types::F64, at + 8)),
        }
    }

    /// Stores to cells, all bits of them.
    fn store(&mut self, ty: Type, val: Val, base: clif::Value, at: u32) {
        let at = at as i32;
        let mut part = |x, at| {
            self.b.ins().store(MemFlagsData::trusted(), x, base, at);
        };
        match (ty.scalar(), val) {
            (_, Val::One(address)) if ty.is_array() => part(address, at),
            (Scalar::Bool, Val::One(x)) => {
                let wide = self.b.ins().uextend(types::I64, x);
                self.b.ins().store(MemFlagsData::trusted(), wide, base, at);
            }
            (Scalar::F32, Val::One(x)) => {
                part(x, at);
                let zero = self.b.ins().iconst(types::I32, 0);
                self.b.ins().store(MemFlagsData::trusted(), zero, base, at + 4);
            }
            (Scalar::I64 | Scalar::F64, Val::One(x)) => part(x, at),
            (Scalar::C64, Val::Two(re, im)) => {
                part(re, at);
                part(im, at + 4);
            }
            (Scalar::C128, Val::Two(re, im)) => {
                part(re, at);
                part(im, at + 8);
            }
            (ty, val) => panic!("{val:?} is not a value of type {ty}"),
        }
    }

    fn literal(&mut self, c: Const) -> Val {
        let ins = self.b.ins();
        match c {
            Const::Bool(x) => Val::One(ins.iconst(types::I8, x as i64)),
            Const::I64(n) => Val::One(ins.iconst(types::I64, n)),
            Const::F32(x) => Val::One(ins.f32const(x)),
            Const::F64(x) => Val::One(ins.f64const(x)),
            Const::C64(z) => {
                let re = ins.f32const(z.re);
                Val::Two(re, self.b.ins().f32const(z.im))
            }
            Const::C128(z) => {
                let re = ins.f64const(z.re);
                Val::Two(re, self.b.ins().f64const(z.im))
            }
        }
    }

    /// Leaves the function with an error unless `ok` holds.
    fn require(&mut self, ok: clif::Value, trap: Trap, span: Span) {
        let (next, fail) = (self.b.create_block(), self.b.create_block());
        self.b.ins().brif(ok, next, &[], fail, &[]);
        self.fail(fail, trap, span);
        self.b.switch_to_block(next);
    }

    /// Leaves the function with an error if `bad` holds.
    fn refuse(&mut self, bad: clif::Value, trap: Trap, span: Span) {
        let (next, fail) = (self.b.create_block(), self.b.create_block());
        self.b.ins().brif(bad, fail, &[], next, &[]);
        self.fail(fail, trap, span);
        self.b.switch_to_block(next);
    }

    /// Fills the block that reports an error.
    fn fail(&mut self, block: clif::Block, trap: Trap, span: Span) {
        self.b.set_cold_block(block);
        self.b.switch_to_block(block);
        if let Some((instead, with)) = self.instead {
            self.b.ins().jump(instead, &[with.into()]);
            return;
        }
        let status = self.linker.status(RuntimeError { trap, span });
        let status = self.b.ins().iconst(types::I32, status);
        self.b.ins().return_(&[status]);
    }

    /// Leaves the function with `status` unless it is 0.
    fn propagate(&mut self, status: clif::Value) {
        let exit = *self.refs.exit.get_or_insert_with(|| {
            let exit = self.b.create_block();
            self.b.append_block_param(exit, types::I32);
            self.b.set_cold_block(exit);
            exit
        });
        let next = self.b.create_block();
        self.b.ins().brif(status, exit, &[status.into()], next, &[]);
        self.b.switch_to_block(next);
    }

    /// A function of the module being generated, or an import, as something this unit can call.
    fn function(&mut self, id: NativeId) -> clif::FuncRef {
        *self.refs.functions.entry(id).or_insert_with(|| {
            let f = self.linker.code.module().declare_func_in_func(id, self.b.func);
            // Executable memory comes in pieces that may lie further apart than a relative call reaches.
            self.b.func.dfg.ext_funcs[f].colocated = false;
            f
        })
    }
}

/// The Cranelift type of a scalar, or of each part of a complex number.
fn part_type(s: Scalar) -> clif::Type {
    match s {
        Scalar::Bool => types::I8,
        Scalar::I64 => types::I64,
        Scalar::F32 | Scalar::C64 => types::F32,
        Scalar::F64 | Scalar::C128 => types::F64,
    }
}

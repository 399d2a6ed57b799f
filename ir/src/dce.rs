//! Dead code elimination: removes what no result needs.
//!
//! Every op and every call (extern functions are pure by contract) may go, also one that could fail at run time, and a
//! loop that might not end: a failing operation whose value is not needed may go unreported. Assertions stay, and with
//! them the region kinds that hold one and the calls whose callee, or a callee of it, holds one. An `if` that stays loses
//! the results nobody uses, a loop the carries that neither a result nor the loop itself needs.
//! Values are needed by operands, yields and the sizes of needed values. One walk backwards marks, one removes; values that
//! lost their definition keep their entry in [`Func::values`].

use crate::module::*;
use smallvec::SmallVec;

/// Which functions hold an assertion, themselves or through those they call.
#[derive(Clone, Debug)]
pub struct Asserting(Vec<bool>);

impl Asserting {
    /// Looks at every function of a module.
    pub fn of(m: &Module) -> Asserting {
        let mut found = Asserting(vec![false; m.funcs.len()]);
        let order = m.callees_first();
        // Once, and once more for what functions with dimensions, which may call each other in cycles, change.
        loop {
            let before = found.0.clone();
            for f in &order {
                found.0[f.0 as usize] = m.func(*f).region().is_some_and(|r| found.region(r));
            }
            if found.0 == before {
                return found;
            }
        }
    }

    /// Whether running the function may end in a failed assertion.
    pub fn func(&self, f: FuncId) -> bool {
        self.0[f.0 as usize]
    }

    /// Whether running the region may.
    pub fn region(&self, r: &Region) -> bool {
        r.insts.iter().any(|i| self.inst(i))
    }

    /// Whether running the instruction may: then it has to stay where it is.
    pub fn inst(&self, inst: &Inst) -> bool {
        match inst.kind {
            Kind::Assert(_) => true,
            Kind::Call(f) => self.func(f),
            _ => inst.regions.iter().any(|r| self.region(r)),
        }
    }
}

/// Removes the dead code of every function.
pub fn run_module(m: &mut Module) {
    let asserting = Asserting::of(m);
    m.funcs.iter_mut().for_each(|f| run(f, &asserting));
}

/// Removes the dead code of one function of the module that `asserting` was made of.
pub fn run(func: &mut Func, asserting: &Asserting) {
    let Body::Region(body) = &mut func.body else { return };
    let mut body = std::mem::take(body);
    let mut marks = Marks {
        func,
        insts: Vec::with_capacity(body.insts.len()),
        defined: vec![Definition::NOWHERE; func.values.len()],
        needed: Vec::new(),
        live: vec![false; func.values.len()],
        work: Vec::new(),
    };
    let mut roots = Vec::new();
    marks.collect(&body, NONE, asserting, &mut roots);
    marks.needed = vec![false; marks.insts.len()];
    roots.into_iter().for_each(|i| marks.need(i));
    body.yields.iter().for_each(|v| marks.mark(*v));
    func.results.iter().flat_map(|r| r.shape.iter()).flat_map(|d| d.vars()).for_each(|v| marks.mark(v));
    marks.drain();
    marks.backwards();
    let Marks { needed, live, .. } = marks;
    sweep(&mut body, &live, &mut needed.into_iter());
    func.body = Body::Region(body);
}

/// No instruction.
const NONE: u32 = u32::MAX;

/// What is needed so far. Instructions are numbered as they stand, an instruction before those of its regions.
///
/// What the body of the function computes is needed by what comes behind it only, so one walk backwards sees every use before
/// the definition. In nested regions a carry may be needed because of the next iteration: their values wait in `work`.
struct Marks<'a> {
    func: &'a Func,
    /// Every instruction with the one whose region it stands in.
    insts: Vec<(&'a Inst, u32)>,
    /// By value.
    defined: Vec<Definition>,
    needed: Vec<bool>,
    live: Vec<bool>,
    /// Live values of nested regions, and of the function's head, whose definition has not been looked at.
    work: Vec<Value>,
}

/// The instruction that defines a value, and as what.
#[derive(Clone, Copy)]
struct Definition {
    inst: u32,
    /// Four times the position; one more for parameters of regions, two more in nested regions.
    place: u32,
}

#[derive(Clone, Copy)]
enum Place {
    Result(usize),
    Param(usize),
}

impl Definition {
    const NOWHERE: Definition = Definition { inst: NONE, place: 2 };

    fn result(inst: u32, k: usize, nested: bool) -> Definition {
        Definition { inst, place: 4 * k as u32 + 2 * nested as u32 }
    }

    fn param(inst: u32, k: usize) -> Definition {
        Definition { inst, place: 4 * k as u32 + 3 }
    }

    fn place(self) -> Place {
        let k = (self.place / 4) as usize;
        if self.place & 1 == 1 { Place::Param(k) } else { Place::Result(k) }
    }

    /// Whether the body of the function defines it, as a result.
    fn is_in_body(self) -> bool {
        self.place & 3 == 0
    }
}

impl<'a> Marks<'a> {
    fn collect(&mut self, r: &'a Region, parent: u32, asserting: &Asserting, roots: &mut Vec<u32>) {
        for inst in &r.insts {
            let i = self.insts.len() as u32;
            self.insts.push((inst, parent));
            if asserting.inst(inst) {
                roots.push(i);
            }
            for (k, v) in inst.results.iter().enumerate() {
                self.defined[v.0 as usize] = Definition::result(i, k, parent != NONE);
            }
            for nested in &inst.regions {
                for (k, v) in nested.params.iter().enumerate() {
                    self.defined[v.0 as usize] = Definition::param(i, k);
                }
                self.collect(nested, i, asserting, roots);
            }
        }
    }

    fn mark(&mut self, v: Value) {
        if std::mem::replace(&mut self.live[v.0 as usize], true) {
            return;
        }
        // What is in the body comes later.
        if !self.defined[v.0 as usize].is_in_body() {
            self.work.push(v);
        }
    }

    fn drain(&mut self) {
        while let Some(v) = self.work.pop() {
            let at = self.defined[v.0 as usize];
            self.reach(v, at.inst, at.place());
        }
    }

    /// Looks at the instructions of the function's body, the last one first.
    fn backwards(&mut self) {
        for i in (0..self.insts.len() as u32).rev() {
            let (inst, parent) = self.insts[i as usize];
            if parent != NONE {
                continue;
            }
            // Most are scalars, which have no sizes.
            if let (Kind::Op(_) | Kind::Const(_), [v]) = (&inst.kind, inst.results.as_slice()) {
                if self.live[v.0 as usize] {
                    self.need(i);
                    self.drain();
                }
                continue;
            }
            // It may turn out to need another one of its results.
            let mut seen: SmallVec<[bool; 4]> = SmallVec::from_elem(false, inst.results.len());
            let mut again = true;
            while std::mem::take(&mut again) {
                for (k, v) in inst.results.iter().enumerate() {
                    if self.live[v.0 as usize] && !std::mem::replace(&mut seen[k], true) {
                        self.reach(*v, i, Place::Result(k));
                        self.drain();
                        again = inst.results.len() > 1;
                    }
                }
            }
        }
    }

    /// A live value, defined in this place: what is live because of it.
    fn reach(&mut self, v: Value, i: u32, place: Place) {
        let func = self.func;
        func.shape(v).iter().flat_map(|d| d.vars()).for_each(|v| self.mark(v));
        if i == NONE {
            return;
        }
        self.need(i);
        let inst = self.insts[i as usize].0;
        match (inst.kind.first_carry(), place) {
            (None, Place::Result(k)) if inst.kind == Kind::If => {
                inst.regions.iter().for_each(|r| self.mark(r.yields[k]));
            }
            (None, _) => {}
            (Some(first), Place::Result(k)) => self.loop_result(inst, first, k),
            (Some(first), Place::Param(k)) => {
                // Of a `for` the first parameter is the index.
                if let Some(k) = k.checked_sub(carry_params(&inst.kind)) {
                    self.carry(inst, first, k);
                }
            }
        }
    }

    /// Result `k` of a loop with carries: one of them, a sum, the number of iterations or a collected array.
    fn loop_result(&mut self, inst: &Inst, first: usize, k: usize) {
        let carries = inst.args.len() - first;
        if k < carries {
            return self.carry(inst, first, k);
        }
        let body = inst.regions.last().expect("loops have a body");
        match (counts(inst), k == carries) {
            // Without an array there would be no number.
            (true, true) => self.mark(inst.results[carries + 1]),
            (true, false) => self.mark(body.yields[k - 1]),
            (false, _) => self.mark(body.yields[k]),
        }
    }

    /// Carry `k` of a loop: where it starts and how it goes on. Its result stays where one of them does.
    fn carry(&mut self, inst: &Inst, first: usize, k: usize) {
        self.mark(inst.args[first + k]);
        let body = inst.regions.last().expect("loops have a body");
        self.mark(body.yields[k]);
        self.mark(inst.results[k]);
    }

    /// An instruction that stays: what it needs whichever of its results are used.
    fn need(&mut self, i: u32) {
        let mut next = i;
        while next != NONE {
            if std::mem::replace(&mut self.needed[next as usize], true) {
                return;
            }
            let (inst, parent) = self.insts[next as usize];
            next = parent;
            let always = inst.kind.first_carry().unwrap_or(inst.args.len());
            inst.args[..always].iter().for_each(|v| self.mark(*v));
            if let Kind::Size(dim) = &inst.kind {
                dim.vars().for_each(|v| self.mark(v));
            }
            match inst.kind {
                Kind::While(_) | Kind::Build { .. } | Kind::Reduce(_) => {
                    inst.regions[0].yields.iter().for_each(|v| self.mark(*v));
                }
                _ => {}
            }
            if !matches!(inst.kind, Kind::If | Kind::For(_) | Kind::While(_)) {
                // These have all their results or none, and a result's size stands in the table of values.
                inst.results.iter().for_each(|v| self.mark(*v));
            }
        }
    }
}

/// Parameters of a loop's body before its carries.
fn carry_params(kind: &Kind) -> usize {
    matches!(kind, Kind::For(_)) as usize
}

/// Whether the first result behind the carries is the number of iterations.
fn counts(inst: &Inst) -> bool {
    matches!(inst.kind, Kind::While(l) if l.collects > 0)
}

/// Removes what is not needed; `needed` says so of each instruction from here on.
fn sweep(r: &mut Region, live: &[bool], needed: &mut impl Iterator<Item = bool>) {
    r.insts.retain_mut(|inst| {
        let stays = needed.next().expect("every instruction is marked");
        inst.regions.iter_mut().for_each(|r| sweep(r, live, needed));
        if stays && matches!(inst.kind, Kind::If | Kind::For(_) | Kind::While(_)) {
            drop_results(inst, live);
        }
        stays
    });
}

/// Removes the results nobody uses with what yields and carries them.
fn drop_results(inst: &mut Inst, live: &[bool]) {
    let used: Vec<bool> = inst.results.iter().map(|v| live[v.0 as usize]).collect();
    let keep = |values: &[Value], used: &[bool], before: usize| -> Vec<Value> {
        let kept = values[before..].iter().zip(used).filter(|(_, used)| **used).map(|(v, _)| *v);
        values[..before].iter().copied().chain(kept).collect()
    };
    let mut yielded = used.clone();
    if let (Some(l), Some(first)) = (inst.kind.as_loop(), inst.kind.first_carry()) {
        let carries = inst.args.len() - first;
        if counts(inst) {
            yielded.remove(carries);
        }
        let (sums, collects) = yielded[carries..].split_at(l.sums as usize);
        let count = |used: &[bool]| used.iter().filter(|u| **u).count() as u32;
        let l = Loop { sums: count(sums), collects: count(collects), ..l };
        inst.kind = if matches!(inst.kind, Kind::For(_)) { Kind::For(l) } else { Kind::While(l) };
    }
    inst.results = keep(&inst.results, &used, 0).into();
    if let Some(first) = inst.kind.first_carry() {
        inst.args = keep(&inst.args, &used, first).into();
        let before = carry_params(&inst.kind);
        inst.regions.iter_mut().for_each(|r| r.params = keep(&r.params, &used, before));
    }
    // What a `while` asks for is no carry.
    let condition = matches!(inst.kind, Kind::While(_)) as usize;
    inst.regions[condition..].iter_mut().for_each(|r| r.yields = keep(&r.yields, &yielded, 0));
}

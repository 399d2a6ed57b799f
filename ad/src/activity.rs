//! Activity: which values carry a derivative that somebody wants. A value is *varied* if it depends
//! differentiably on an input of interest, *useful* if an output of interest depends differentiably on it, and
//! *active* if both. Everything else has structurally no tangent and no cotangent. An array is one value: it is active
//! as a whole. A carried value is what it was initially or what an iteration yields, in the loop and behind it.

use crate::rules::Rules;
use adc_ir::{Code, Diagnostic, Func, FuncId, Inst, Kind, Module, Region, Type, Value, kinds};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use std::rc::Rc;

/// A set of parameter positions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Positions(SmallVec<[u64; 1]>);

impl Positions {
    pub(crate) fn insert(&mut self, i: usize) {
        if self.0.len() <= i / 64 {
            self.0.resize(i / 64 + 1, 0);
        }
        self.0[i / 64] |= 1 << (i % 64);
    }

    /// Adds those of another set; whether that changed anything.
    fn union(&mut self, other: &Positions) -> bool {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        let mut changed = false;
        for (a, b) in self.0.iter_mut().zip(&other.0) {
            changed |= b & !*a != 0;
            *a |= b;
        }
        changed
    }

    pub(crate) fn contains(&self, i: usize) -> bool {
        self.0.get(i / 64).is_some_and(|word| word >> (i % 64) & 1 == 1)
    }
}

/// Per result of a function: the parameters it depends on differentiably.
pub(crate) type Dependence = Rc<Vec<Positions>>;

/// The dependences of the functions looked at so far, and the number of parameters of each.
pub(crate) struct Dependences<'r> {
    rules: &'r Rules,
    known: FxHashMap<FuncId, (Dependence, usize)>,
}

impl<'r> Dependences<'r> {
    /// None yet, by the partial derivatives of these rules.
    pub(crate) fn new(rules: &'r Rules) -> Dependences<'r> {
        Dependences { rules, known: FxHashMap::default() }
    }

    /// The dependence of `f`, which [`Self::require`] was asked for.
    pub(crate) fn of(&self, f: FuncId) -> &[Positions] {
        &self.known[&f].0
    }

    fn params(&self, f: FuncId) -> usize {
        self.known[&f].1
    }

    /// Computes the dependences of everything that `func` calls, callees first.
    ///
    /// # Errors
    /// [`Code::Recursion`] at a function that calls itself: it can be differentiated once its dimensions are numbers.
    pub(crate) fn require(&mut self, m: &Module, func: &Func) -> Result<(), Diagnostic> {
        let mut stack: Vec<(FuncId, bool)> = func.callees().into_iter().map(|f| (f, false)).collect();
        let mut entered = FxHashSet::default();
        while let Some((f, callees_done)) = stack.pop() {
            if self.known.contains_key(&f) {
                continue;
            }
            let func = m.func(f);
            if callees_done || own_derivative(func) {
                let dependence = Rc::new(self.compute(func));
                self.known.insert(f, (dependence, func.params.len()));
                entered.remove(&f);
            } else if entered.insert(f) {
                stack.push((f, true));
                stack.extend(func.callees().into_iter().map(|c| (c, false)));
            } else {
                return Err(recursive(func));
            }
        }
        Ok(())
    }

    fn compute(&self, func: &Func) -> Vec<Positions> {
        if own_derivative(func) {
            let mut all = Positions::default();
            func.differentiable_params().into_iter().for_each(|i| all.insert(i));
            let of = |ty: Type| if ty.is_differentiable() { all.clone() } else { Positions::default() };
            return func.results.iter().map(|r| of(r.ty)).collect();
        }
        let mut sets = vec![Positions::default(); func.values.len()];
        for i in func.differentiable_params() {
            sets[func.params[i].value.0 as usize].insert(i);
        }
        let edges = Edges::of(func, self);
        edges.settle(edges.list.iter(), |from, to| {
            let from = sets[from.0 as usize].clone();
            sets[to.0 as usize].union(&from)
        });
        let body = func.region().expect("an extern function has its own derivative");
        body.yields.iter().map(|v| sets[v.0 as usize].clone()).collect()
    }
}

/// The error for a function that calls itself.
pub(crate) fn recursive(func: &Func) -> Diagnostic {
    Diagnostic::error(
        Code::Recursion,
        format!("`{}` calls itself, and its dimensions have no values yet", func.name),
    )
    .label(func.span, "differentiated before its dimensions are known")
    .help(format!("give its dimensions: `{}[{}]`", func.name, {
        let dims: Vec<String> = func.dims.iter().map(|d| format!("{} = 3", d.name)).collect();
        dims.join(", ")
    }))
}

/// Whether a function's body is never differentiated: it has rules, or no body.
pub(crate) fn own_derivative(func: &Func) -> bool {
    !func.rules.is_empty() || func.region().is_none()
}

/// From which values to which a derivative flows directly.
struct Edges {
    /// In program order; those to the parameters of a loop body stand behind what the body does.
    list: Vec<(Value, Value)>,
    /// Whether there are such.
    loops: bool,
}

impl Edges {
    fn of(func: &Func, callees: &Dependences) -> Edges {
        let mut edges = Edges { list: Vec::new(), loops: false };
        edges.region(func, func.region().expect("a function with a body"), callees);
        edges
    }

    /// Takes every edge in the order given, and again as long as one of them `changes` something and there are loops.
    fn settle<'a>(
        &self,
        order: impl Iterator<Item = &'a (Value, Value)> + Clone,
        mut changes: impl FnMut(Value, Value) -> bool,
    ) {
        loop {
            let mut changed = false;
            for (from, to) in order.clone() {
                changed |= changes(*from, *to);
            }
            if !changed || !self.loops {
                return;
            }
        }
    }

    fn add(&mut self, func: &Func, from: Value, to: Value) {
        if func.ty(from).is_differentiable() && func.ty(to).is_differentiable() {
            self.list.push((from, to));
        }
    }

    fn region(&mut self, func: &Func, region: &Region, callees: &Dependences) {
        for inst in &region.insts {
            self.enter(func, inst);
            inst.regions.iter().for_each(|r| self.region(func, r, callees));
            self.iteration(func, inst);
            for (r, result) in inst.results.iter().enumerate() {
                sources(func, inst, r, callees, |v| self.add(func, v, *result));
            }
        }
    }

    /// From initial carries to the parameters that hold them.
    fn enter(&mut self, func: &Func, inst: &Inst) {
        let Some(first) = inst.kind.first_carry() else { return };
        for region in &inst.regions {
            for (init, param) in inst.args[first..].iter().zip(carried(region, inst)) {
                self.add(func, *init, *param);
            }
        }
    }

    /// From what an iteration yields to the parameters of the next.
    fn iteration(&mut self, func: &Func, inst: &Inst) {
        if inst.kind.first_carry().is_none() {
            return;
        }
        let body = body_of(inst);
        for region in &inst.regions {
            for (next, param) in body.yields.iter().zip(carried(region, inst)) {
                self.add(func, *next, *param);
                self.loops = true;
            }
        }
    }
}

/// Number of carries of a loop.
pub(crate) fn carries(inst: &Inst) -> usize {
    inst.kind.first_carry().map_or(0, |first| inst.args.len() - first)
}

/// The parameters of a loop's region that hold carries.
pub(crate) fn carried<'a>(region: &'a Region, inst: &Inst) -> &'a [Value] {
    &region.params[region.params.len() - carries(inst)..]
}

/// The region that an instruction with one of them runs repeatedly.
pub(crate) fn body_of(inst: &Inst) -> &Region {
    inst.regions.last().expect("it has a region")
}

/// Calls `each` for the values that result `r` of an instruction depends on differentiably and directly; of a
/// region instruction those are what its regions yield, and initial carries.
fn sources(func: &Func, inst: &Inst, r: usize, callees: &Dependences, mut each: impl FnMut(Value)) {
    if !func.ty(inst.results[r]).is_differentiable() {
        return;
    }
    match &inst.kind {
        Kind::Const(_) | Kind::Assert(_) | Kind::Size(_) => {}
        Kind::Op(op) => {
            let types: SmallVec<[Type; 3]> = inst.args.iter().map(|a| func.ty(*a)).collect();
            let row = callees.rules.row(*op, &types);
            for (i, arg) in inst.args.iter().enumerate() {
                if types[i].is_differentiable() && !row.partial(i).is_zero() {
                    each(*arg);
                }
            }
        }
        Kind::Call(f) => {
            let set = &callees.of(*f)[r];
            // Before the arguments stand the callee's dimensions.
            let dims = inst.args.len() - callees.params(*f);
            let args = inst.args[dims..].iter().enumerate();
            args.filter(|(i, _)| set.contains(*i)).for_each(|(_, arg)| each(*arg));
        }
        kinds!(Array) => inst.args.iter().for_each(|arg| each(*arg)),
        Kind::If | Kind::Build { .. } | Kind::Reduce(_) => {
            inst.regions.iter().for_each(|region| each(region.yields[r]));
        }
        Kind::For(_) | Kind::While(_) => {
            let first = inst.kind.first_carry().expect("a loop with carries");
            let mut place = r;
            if r < carries(inst) {
                each(inst.args[first + r]);
            } else if matches!(inst.kind, Kind::While(_)) {
                // The number of iterations of a `while` stands before what it collects.
                place -= 1;
            }
            each(body_of(inst).yields[place]);
        }
    }
}

/// Which values of a function are varied and useful for some inputs and outputs.
pub(crate) struct Activity {
    varied: Vec<bool>,
    useful: Vec<bool>,
}

impl Activity {
    /// The activity of `func` for parameters `wrt` and results `outputs`; `callees` has been
    /// [required](Dependences::require).
    pub(crate) fn new(func: &Func, wrt: &[usize], outputs: &[usize], callees: &Dependences) -> Activity {
        let body = func.region().expect("a function with a body");
        let mut varied = vec![false; func.values.len()];
        let mut useful = varied.clone();
        for &i in wrt {
            varied[func.params[i].value.0 as usize] = true;
        }
        for &o in outputs {
            useful[body.yields[o].0 as usize] = true;
        }
        let edges = Edges::of(func, callees);
        edges.settle(edges.list.iter(), |from, to| mark(&mut varied, from, to));
        edges.settle(edges.list.iter().rev(), |from, to| mark(&mut useful, to, from));
        Activity { varied, useful }
    }

    /// Whether the value is varied and an output of interest depends on it.
    pub(crate) fn is_active(&self, v: Value) -> bool {
        self.varied[v.0 as usize] && self.useful[v.0 as usize]
    }

    /// Whether carry `k` of a loop has a tangent, and a cotangent: it is active in the loop or behind it.
    pub(crate) fn is_active_carry(&self, inst: &Inst, k: usize) -> bool {
        self.is_active(inst.results[k]) || self.is_active(carried(body_of(inst), inst)[k])
    }
}

/// Marks `to` if `from` is; whether that is new.
fn mark(marks: &mut [bool], from: Value, to: Value) -> bool {
    let new = marks[from.0 as usize] && !marks[to.0 as usize];
    marks[to.0 as usize] |= new;
    new
}

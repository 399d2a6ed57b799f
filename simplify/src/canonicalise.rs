//! The canonicaliser: one forward walk over each function, then dead code elimination. Linear in the size of the
//! program.
//!
//! * Hash-consing: an op, literal, call or loop whose duplicate dominates it is the duplicate (calls are pure by contract). Duplicates of
//!   commutative ops may have their operands swapped; the values in loops may have other names. The first one's span stays.
//!   Calls with a `#[nonlinear]` derivative stay apart: the derivative of one call for the sum of two cotangents is another.
//!   Results of an `if` that are the same in both branches are one, unless something writes into them.
//! * Constant folding of what IEEE arithmetic defines to the bit ([`adc_ir::interp::fold`]), never of something that fails
//!   at run time.
//! * Exact identities ([`identities`]).
//! * An `if` on a known condition becomes the branch taken; one that only chooses between values known outside becomes a
//!   `select`. A condition is known inside its own branches, and behind an assertion of it. An assertion of something
//!   known to be true is dropped.
//!
//! Invariants: operands are never moved before their guards (nothing moves up); facts and duplicates of a region are forgotten
//! at its end; values are renumbered in order of definition.

mod arrays;
mod identities;
mod in_place;
mod merged;
mod moves;
mod signs;
mod table;
mod twins;

use crate::duplicates::{Around, Key};
use adc_ir::interp::fold;
use adc_ir::{
    Body, Const, Func, FuncId, Inst, Kind, Module, Op, Region, RuleCheck, Scalar, Span, Type, Value,
    ValueData, Values, dce, kinds,
};
use identities::{Simpler, simpler};
use in_place::InPlace;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use table::{OpKey, Table};

/// Puts every function of a module into canonical form.
pub fn canonicalise(m: &mut Module) {
    let all = vec![true; m.funcs.len()];
    functions(m, &all, &mut Choice::default());
}

/// What of the canonicaliser is done, and what it says about it.
pub(crate) struct Choice {
    /// Whether what is computed already is not computed again.
    pub duplicates: bool,
    /// Ops whose identities are left out.
    pub without: Vec<Op>,
    /// Functions whose calls are not shared, by id: their derivative is not linear, so two calls are not one call twice.
    pub apart: Vec<bool>,
    /// The ops of identities that were used, with their expressions, if they are wanted.
    pub used: Option<Vec<(Op, Span)>>,
}

impl Choice {
    fn is_apart(&self, f: FuncId) -> bool {
        self.apart.get(f.0 as usize).copied().unwrap_or(false)
    }

    fn is_apart_in(&self, inst: &Inst) -> bool {
        let own = matches!(inst.kind, Kind::Call(f) if self.is_apart(f));
        own || inst.regions.iter().flat_map(|r| &r.insts).any(|i| self.is_apart_in(i))
    }
}

/// The functions whose calls are not shared: those with a `#[nonlinear]` rule, and those that call them.
pub(crate) fn apart(m: &Module) -> Vec<bool> {
    let own = |f: &Func| f.rules.iter().any(|r| r.check == RuleCheck::Nonlinear);
    if !m.funcs.iter().any(own) {
        return Vec::new();
    }
    m.iter().map(|(f, _)| m.reachable(f).into_iter().any(|g| own(m.func(g)))).collect()
}

impl Default for Choice {
    fn default() -> Choice {
        Choice { duplicates: true, without: Vec::new(), apart: Vec::new(), used: None }
    }
}

/// Puts those functions into canonical form that `which` is true for.
pub(crate) fn functions(m: &mut Module, which: &[bool], choice: &mut Choice) {
    let chosen = || which.iter().enumerate().filter(|(_, w)| **w).map(|(i, _)| i);
    chosen().for_each(|i| function(&mut m.funcs[i], choice));
    let asserting = dce::Asserting::of(m);
    for i in chosen() {
        dce::run(&mut m.funcs[i], &asserting);
        m.funcs[i].renumber();
    }
    merged::results(m);
}

fn function(f: &mut Func, choice: &mut Choice) {
    let Body::Region(body) = &mut f.body else { return };
    let body = std::mem::take(body);
    let values = std::mem::take(&mut f.values);
    let count = values.len();
    let mut uses = vec![0; count];
    body.count_uses(&mut uses);
    let mut c = Canon {
        choice,
        replaced: (0..count as u32).map(Value).collect(),
        facts: values.iter().map(|d| Fact::opaque(d.ty.scalar(), 0)).collect(),
        literals: Vec::new(),
        values,
        uses,
        table: Table::for_values(count),
        made: FxHashMap::default(),
        depth: 0,
        in_place: InPlace::default(),
        assumed: Vec::new(),
        written: twins::written(&body),
    };
    let body = c.region(body);
    let Canon { mut values, replaced, .. } = c;
    let shapes = values.iter_mut().map(|d| &mut d.shape).chain(f.results.iter_mut().map(|r| &mut r.shape));
    shapes.flatten().for_each(|dim| *dim = dim.rename(|v| replaced[v.0 as usize]));
    f.body = Body::Region(body);
    f.values = values;
}

/// What is known about a value. Small, because operands' facts are what the walk reads all over.
#[derive(Clone, Copy)]
struct Fact {
    made: Made,
    /// The value of a condition here.
    known: Option<bool>,
    /// How deep in it, as a product, the nearest sign is: 1 of a negative, 0 if none is near ([`signs`]).
    sign: u8,
    scalar: Scalar,
    /// Nesting of the region that defines it.
    depth: u32,
    /// The operands of an op, [`NO_OPERAND`] after the last; of a literal first its place in [`Canon::literals`].
    args: [u32; 3],
}

const NO_OPERAND: u32 = u32::MAX;

/// What defines a value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Made {
    Literal,
    Op(Op),
    Opaque,
}

impl Fact {
    fn opaque(scalar: Scalar, depth: u32) -> Fact {
        Fact { made: Made::Opaque, known: None, sign: 0, scalar, depth, args: [NO_OPERAND; 3] }
    }

    /// The first operands of an op, the first one again where there is no second.
    fn operands(&self) -> [Value; 2] {
        let [x, y, _] = self.args;
        [x, if y == NO_OPERAND { x } else { y }].map(Value)
    }
}

/// How a value is defined, as far as identities look.
#[derive(Clone, Copy)]
enum Def {
    Const(Const),
    /// With its first operands, the first one again where there is no second.
    Op(Op, [Value; 2]),
    Opaque,
}

impl Around for Canon<'_> {
    fn resolve(&self, v: Value) -> Value {
        self.replaced[v.0 as usize]
    }

    fn literal(&self, v: Value) -> Option<Const> {
        match self.def(v) {
            Def::Const(c) => Some(c),
            Def::Op(..) | Def::Opaque => None,
        }
    }
}

/// The walk over one function.
struct Canon<'c> {
    choice: &'c mut Choice,
    values: Vec<ValueData>,
    /// What stands for a value of the original program.
    replaced: Vec<Value>,
    facts: Vec<Fact>,
    literals: Vec<Const>,
    /// How often instructions use a value, of the original program and so far as it has taken the place of others.
    uses: Vec<u32>,
    table: Table,
    /// Arrays that are parts or rearrangements of others.
    made: FxHashMap<Value, (Kind, Values)>,
    depth: u32,
    /// The region being rewritten.
    in_place: InPlace,
    /// Conditions that are known, with what was known before, to be undone at the end of their region.
    assumed: Vec<(Value, Option<bool>)>,
    /// Arrays of the original program that something may write into: they have no second name.
    written: FxHashSet<Value>,
}

impl Canon<'_> {
    fn region(&mut self, r: Region) -> Region {
        r.params.iter().for_each(|v| self.facts[v.0 as usize].depth = self.depth);
        let outer = std::mem::replace(&mut self.in_place, InPlace::of(r.insts));
        while let Some(inst) = self.in_place.next() {
            self.inst(inst);
        }
        let in_place = std::mem::replace(&mut self.in_place, outer);
        Region {
            params: r.params,
            insts: in_place.finish(),
            yields: r.yields.iter().map(|v| self.resolve(*v)).collect(),
        }
    }

    fn inst(&mut self, mut inst: Inst) {
        inst.args.iter_mut().for_each(|v| *v = self.resolve(*v));
        match &inst.kind {
            Kind::Const(c) => {
                let r = inst.results[0];
                self.replaced[r.0 as usize] = self.constant(*c, Some(r), inst.span);
            }
            Kind::Op(op) => {
                let r = inst.results[0];
                let v = self.op(*op, inst.args, Some(r), inst.span);
                if v != r {
                    self.replaced[r.0 as usize] = v;
                    self.uses[v.0 as usize] += self.uses[r.0 as usize];
                }
            }
            Kind::Call(f) if self.choice.is_apart(*f) => self.emit(inst),
            Kind::Call(f) => match self.table.call(*f, &inst.args) {
                Some(duplicate) => self.replace(&inst.results, &duplicate),
                None => {
                    self.table.add_call(*f, inst.args.clone(), inst.results.clone());
                    self.emit(inst);
                }
            },
            Kind::If => self.branch(inst),
            Kind::Assert(_) => {
                let cond = inst.args[0];
                if self.bool(cond) != Some(true) {
                    self.emit(inst);
                    self.assume(cond, true);
                }
            }
            Kind::Size(dim) => {
                let dim = dim.rename(|v| self.resolve(v));
                let r = inst.results[0];
                match (dim.as_const(), dim.as_var()) {
                    (Some(n), _) => {
                        self.replaced[r.0 as usize] = self.constant(Const::I64(n), Some(r), inst.span);
                    }
                    (_, Some(v)) => self.replaced[r.0 as usize] = v,
                    (None, None) => {
                        inst.kind = Kind::Size(Box::new(dim));
                        let key = (inst.kind.clone(), Values::new(), Vec::new());
                        match self.table.array(&key) {
                            Some(duplicate) => self.replaced[r.0 as usize] = duplicate,
                            None => {
                                self.table.add_array(key, r);
                                self.emit(inst);
                            }
                        }
                    }
                }
            }
            kinds!(Loop) => {
                let own = self.constant_carries(&mut inst);
                for region in &mut inst.regions {
                    self.nested(region, None);
                }
                if let Some(x) = self.copied(&inst) {
                    self.replaced[inst.results[0].0 as usize] = x;
                    return;
                }
                if let (false, Some(body)) = (own.is_empty(), inst.regions.last_mut()) {
                    // Of a `while`, whose parameters are its carries.
                    let carries = body.params.iter().zip(&mut body.yields);
                    carries.filter(|(param, _)| own.contains(param)).for_each(|(param, y)| *y = *param);
                }
                let twins = self.twins(&mut inst);
                self.looped(inst);
                // The loop may be one that is there already.
                for (twin, r) in twins {
                    self.replaced[twin.0 as usize] = self.resolve(r);
                }
            }
            Kind::Pack | Kind::Reshape | Kind::Transpose | kinds!(Read | Matrix) => self.array(inst),
            Kind::Fill => self.fill(inst),
            Kind::Update | Kind::AddAt => self.write(inst),
            // Large ones are written to in place where they stay apart.
            Kind::UpdateSlice | Kind::AddSlice => self.write_slice(inst),
        }
    }

    /// A loop whose regions are in canonical form.
    fn looped(&mut self, inst: Inst) {
        if !self.choice.apart.is_empty() && self.choice.is_apart_in(&inst) {
            return self.emit(inst);
        }
        let Some(key) = Key::of(&inst, &self.values, self) else { return self.emit(inst) };
        match self.table.looped(&key) {
            Some(duplicate) => self.replace(&inst.results, &duplicate),
            None => {
                self.table.add_loop(key, inst.results.clone());
                self.emit(inst);
            }
        }
    }

    fn branch(&mut self, mut inst: Inst) {
        let mut cond = inst.args[0];
        if let Some(not) = self.operand_of(cond, Op::Not) {
            cond = not;
            inst.regions.swap(0, 1);
        }
        if let Some(taken) = self.bool(cond) {
            let region = inst.regions.swap_remove(if taken { 0 } else { 1 });
            region.insts.into_iter().for_each(|inst| self.inst(inst));
            let yields: Values = region.yields.iter().map(|v| self.resolve(*v)).collect();
            return self.replace(&inst.results, &yields);
        }
        inst.args[0] = cond;
        for (region, truth) in inst.regions.iter_mut().zip([true, false]) {
            self.nested(region, Some((cond, truth)));
        }
        let arms: Vec<(Value, Value)> =
            inst.regions[0].yields.iter().copied().zip(inst.regions[1].yields.iter().copied()).collect();
        let (results, span) = (inst.results.clone(), inst.span);
        // Numbers become selections, which have duplicates of their own.
        match results.iter().any(|r| self.values[r.0 as usize].ty.is_array()) {
            true => self.looped(inst),
            false => self.emit(inst),
        }
        if results.first().is_some_and(|r| self.resolve(*r) != *r) {
            return;
        }
        let mut first: FxHashMap<(Value, Value), Value> = FxHashMap::default();
        for (r, (a, b)) in results.into_iter().zip(arms) {
            if let Some(v) = self.choice(cond, a, b, span) {
                self.replaced[r.0 as usize] = v;
            } else if self.choice.duplicates && !self.written.contains(&r) {
                // Results that are the same in both branches are one.
                let same = *first.entry((a, b)).or_insert(r);
                if same != r {
                    self.replaced[r.0 as usize] = same;
                    self.uses[same.0 as usize] += self.uses[r.0 as usize];
                }
            }
        }
    }

    /// A region of an instruction, in which a condition may be known.
    fn nested(&mut self, region: &mut Region, known: Option<(Value, bool)>) {
        let (mark, assumed) = (self.table.open(), self.assumed.len());
        self.depth += 1;
        if let Some((cond, truth)) = known {
            self.assume(cond, truth);
        }
        *region = self.region(std::mem::take(region));
        self.depth -= 1;
        self.table.close(mark, &self.facts);
        for (v, before) in self.assumed.split_off(assumed).into_iter().rev() {
            self.facts[v.0 as usize].known = before;
        }
    }

    /// What an `if` gives that yields `a` if true and `b` if false, where that is known without it.
    fn choice(&mut self, cond: Value, a: Value, b: Value, span: Span) -> Option<Value> {
        let a = self.outside(a, span)?;
        let b = self.outside(b, span)?;
        if self.values[a.0 as usize].ty.is_array() {
            return (a == b).then_some(a);
        }
        Some(self.op(Op::Select, Values::from_slice(&[cond, a, b]), None, span))
    }

    /// The value itself if it is visible here; literals of an inner region are repeated.
    fn outside(&mut self, v: Value, span: Span) -> Option<Value> {
        match self.def(v) {
            _ if self.facts[v.0 as usize].depth <= self.depth => Some(v),
            Def::Const(c) => Some(self.constant(c, None, span)),
            Def::Op(..) | Def::Opaque => None,
        }
    }

    /// An op, simplified; `result` is the value it defined in the original program.
    fn op(&mut self, op: Op, args: Values, result: Option<Value>, span: Span) -> Value {
        let (mut op, mut args) = (op, args);
        loop {
            if let Some(c) = self.folded(op, &args) {
                return self.constant(c, result, span);
            }
            let simple = match self.choice.without.contains(&op) {
                true => Simpler::Keep,
                false => simpler(self, op, &args, span),
            };
            if let (Some(used), false) = (&mut self.choice.used, matches!(simple, Simpler::Keep)) {
                used.push((op, span));
            }
            match simple {
                Simpler::Keep => break,
                Simpler::Value(v) => return v,
                Simpler::Const(c) => return self.constant(c, result, span),
                Simpler::Op(o, a) => (op, args) = (o, a),
            }
        }
        let new = result.unwrap_or(Value(self.values.len() as u32));
        let duplicates = self.choice.duplicates;
        let at = |i: usize| args.get(i).map_or(NO_OPERAND, |v| v.0);
        let operands = [at(0), at(1), at(2)];
        if let Some(duplicate) = self.table.op(OpKey::new(op, operands), new, duplicates, &self.facts) {
            self.uses[duplicate.0 as usize] += result.is_none() as u32;
            return duplicate;
        }
        let r = result.unwrap_or_else(|| {
            let tys: Vec<Type> = args.iter().map(|v| self.values[v.0 as usize].ty).collect();
            let ty = op.result_type(&tys).unwrap_or_else(|| panic!("`{op}` does not take {tys:?}"));
            self.fresh(ty.into())
        });
        let sign = self.sign_of(op, operands);
        let fact = &mut self.facts[r.0 as usize];
        (fact.made, fact.args, fact.sign) = (Made::Op(op), operands, sign);
        self.emit(Inst {
            kind: Kind::Op(op),
            args,
            results: Values::from_slice(&[r]),
            regions: Vec::new(),
            span,
        });
        r
    }

    /// The literal that an op of literals is.
    fn folded(&self, op: Op, args: &[Value]) -> Option<Const> {
        let mut literals = SmallVec::<[Const; 3]>::new();
        for v in args {
            literals.push(self.literal(*v)?);
        }
        fold(op, &literals)
    }

    fn constant(&mut self, c: Const, result: Option<Value>, span: Span) -> Value {
        if let Some(duplicate) = self.table.constant(c).filter(|_| self.choice.duplicates) {
            return duplicate;
        }
        let r = result.unwrap_or_else(|| self.fresh(Type::from(c.scalar()).into()));
        self.table.add_constant(c, r);
        let results = Values::from_slice(&[r]);
        self.emit(Inst { kind: Kind::Const(c), args: Values::new(), results, regions: Vec::new(), span });
        self.facts[r.0 as usize].made = Made::Literal;
        self.facts[r.0 as usize].args[0] = self.literals.len() as u32;
        self.literals.push(c);
        r
    }

    fn emit(&mut self, inst: Inst) {
        for r in &inst.results {
            self.facts[r.0 as usize].depth = self.depth;
        }
        self.in_place.write(inst);
    }

    fn fresh(&mut self, data: ValueData) -> Value {
        let v = Value(self.values.len() as u32);
        self.facts.push(Fact::opaque(data.ty.scalar(), self.depth));
        self.values.push(data);
        self.replaced.push(v);
        self.uses.push(1);
        v
    }

    fn replace(&mut self, results: &[Value], by: &[Value]) {
        for (r, v) in results.iter().zip(by) {
            self.replaced[r.0 as usize] = *v;
        }
    }

    fn resolve(&self, v: Value) -> Value {
        self.replaced[v.0 as usize]
    }

    /// From here to the end of the region the condition has this value.
    fn assume(&mut self, cond: Value, truth: bool) {
        let fact = &mut self.facts[cond.0 as usize];
        self.assumed.push((cond, fact.known));
        fact.known = Some(truth);
        match (self.def(cond), truth) {
            (Def::Op(Op::Not, [x, _]), _) => self.assume(x, !truth),
            (Def::Op(Op::And, [a, b]), true) | (Def::Op(Op::Or, [a, b]), false) => {
                self.assume(a, truth);
                self.assume(b, truth);
            }
            (Def::Op(..) | Def::Const(_) | Def::Opaque, _) => {}
        }
    }

    fn scalar(&self, v: Value) -> Scalar {
        self.facts[v.0 as usize].scalar
    }

    fn def(&self, v: Value) -> Def {
        let fact = &self.facts[v.0 as usize];
        match fact.made {
            Made::Literal => Def::Const(self.literals[fact.args[0] as usize]),
            Made::Op(op) => Def::Op(op, fact.operands()),
            Made::Opaque => Def::Opaque,
        }
    }

    /// The literal a value is, or is known to be here.
    fn literal(&self, v: Value) -> Option<Const> {
        let Fact { made, known, args, .. } = self.facts[v.0 as usize];
        match made {
            Made::Literal => Some(self.literals[args[0] as usize]),
            Made::Op(_) | Made::Opaque => known.map(Const::Bool),
        }
    }

    fn bool(&self, v: Value) -> Option<bool> {
        match self.literal(v)? {
            Const::Bool(b) => Some(b),
            Const::I64(_) | Const::F32(_) | Const::F64(_) | Const::C64(_) | Const::C128(_) => None,
        }
    }

    /// `x` if the value is `op(x)`.
    fn operand_of(&self, v: Value, op: Op) -> Option<Value> {
        let fact = &self.facts[v.0 as usize];
        (fact.made == Made::Op(op)).then_some(Value(fact.args[0]))
    }

    /// Both operands if the value is `op(x, y)`.
    fn operands_of(&self, v: Value, op: Op) -> Option<[Value; 2]> {
        let fact = &self.facts[v.0 as usize];
        (fact.made == Made::Op(op)).then(|| fact.operands())
    }
}

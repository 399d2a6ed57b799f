//! Neighbours in a row that straight-line code writes one by one, such as the row of a gradient whose loop was written out: where what comes
//! to two of them is computed alike, both are computed and written at once, as a vector (a *superword*: Larsen and Amarasinghe, *Exploiting
//! superword level parallelism with multimedia instruction sets*, 2000). Each half is what scalar code computes.
//!
//! Both are computed where the second one is written, so elements are read later than they were: nobody may write to them meanwhile.

use super::memory::Memory;
use adc_ir::{Const, Func, Inst, Kind, Op, Region, Scalar, Type, Value, kinds};
use rustc_hash::{FxHashMap, FxHashSet};

/// Operations of a pair, at most.
const LONGEST: usize = 64;

/// Two numbers.
pub(crate) enum Two<'a> {
    /// One number, twice.
    Same(Value),
    /// Numbers that are computed for themselves.
    Apart(Value, Value),
    /// Neighbours in an array.
    Elements(Elements<'a>),
    /// An operation of other pairs, and an instruction that does it for one of the numbers.
    Op(Op, &'a Inst, Vec<Two<'a>>),
}

/// Two neighbours, by the first.
#[derive(Clone, Copy)]
pub(crate) struct Elements<'a> {
    pub array: Value,
    pub index: &'a [Value],
}

/// What becomes of an instruction.
pub(crate) enum Role<'a> {
    /// It is a part of a pair. Nothing is left of it but the checks of its indices.
    Part,
    /// It is the second of two writes, and does both; if these are additions, it adds both values.
    Both { to: Elements<'a>, value: Two<'a> },
}

/// The roles of instructions, by what they define.
#[derive(Default)]
pub(crate) struct Superwords<'a>(FxHashMap<Value, Role<'a>>);

impl<'a> Superwords<'a> {
    /// Those of a function; `unit_of`: by value, where it is computed.
    pub fn of(func: &'a Func, memory: &Memory, consts: &[Option<Const>], unit_of: &[u32]) -> Superwords<'a> {
        let Some(body) = func.region().filter(|_| func.has_arrays()) else { return Superwords::default() };
        let (uses, views) = (vec![0; func.values.len()], FxHashSet::default());
        let mut search = Search { func, memory, consts, unit_of, uses, views, pairs: Superwords::default() };
        search.survey(body);
        search.region(body);
        search.pairs
    }

    /// That of an instruction, if it has one.
    pub fn role(&self, inst: &Inst) -> Option<&Role<'a>> {
        self.0.get(inst.results.first()?)
    }
}

struct Search<'a, 's> {
    func: &'a Func,
    memory: &'s Memory,
    consts: &'s [Option<Const>],
    unit_of: &'s [u32],
    /// By value: how often it is used.
    uses: Vec<u32>,
    /// Arrays that are parts of others.
    views: FxHashSet<Value>,
    pairs: Superwords<'a>,
}

/// Straight-line code up to the second write.
struct Code<'a, 'r> {
    insts: &'a [Inst],
    /// By value: where it is defined.
    at: &'r FxHashMap<Value, usize>,
    /// Behind the last instruction that may write anything.
    start: usize,
    first: usize,
    second: usize,
}

impl<'a> Code<'a, '_> {
    fn first(&self) -> &'a Inst {
        &self.insts[self.first]
    }

    fn second(&self) -> &'a Inst {
        &self.insts[self.second]
    }
}

/// What a pair is made of.
#[derive(Default)]
struct Parts {
    of: Vec<Value>,
    ops: usize,
    elements: usize,
    apart: usize,
}

impl<'a> Search<'a, '_> {
    fn survey(&mut self, r: &Region) {
        for inst in &r.insts {
            inst.uses(self.func).for_each(|v| self.uses[v.0 as usize] += 1);
            if matches!(inst.kind, Kind::Index | Kind::Slice | Kind::Reshape) {
                self.views.extend(&inst.results);
            }
            inst.regions.iter().for_each(|r| self.survey(r));
        }
        r.yields.iter().for_each(|v| self.uses[v.0 as usize] += 1);
    }

    fn region(&mut self, r: &'a Region) {
        let mut at = FxHashMap::default();
        let mut start = 0;
        for (i, inst) in r.insts.iter().enumerate() {
            let is_write = matches!(inst.kind, Kind::Update | Kind::AddAt);
            if is_write && self.is_in_place(inst) {
                if let Some(&first) = at.get(&inst.args[0]).filter(|first| **first >= start) {
                    self.writes(&Code { insts: &r.insts, at: &at, start, first, second: i });
                }
            } else if !matches!(inst.kind, Kind::Const(_) | Kind::Op(_) | Kind::Index | Kind::Size(_)) {
                inst.regions.iter().for_each(|r| self.region(r));
                start = i + 1;
            }
            at.extend(inst.results.iter().map(|v| (*v, i)));
        }
    }

    /// Whether it writes a double into the array it is given.
    fn is_in_place(&self, write: &Inst) -> bool {
        self.func.ty(write.args[1]) == Type::F64
            && self.func.ty(write.args[0]).scalar() == Scalar::F64
            && self.memory.made(write.results[0]).is_none()
    }

    /// Two writes to an array, the second of what the first made of it.
    fn writes(&mut self, code: &Code<'a, '_>) {
        let (first, second) = (code.first(), code.second());
        let alike = first.kind == second.kind && self.is_in_place(first) && self.is_free(first, code);
        let (a, b) = (&first.args[2..], &second.args[2..]);
        let (lower, upper) = match (self.follow(a, b), self.follow(b, a)) {
            (true, _) => (first, second),
            (_, true) => (second, first),
            (false, false) => return,
        };
        if !alike {
            return;
        }
        let to = Elements { array: first.args[0], index: &lower.args[2..] };
        let mut parts = Parts::default();
        let Some(value) = self.two(code, lower.args[1], upper.args[1], &mut parts) else { return };
        if first.kind == Kind::AddAt {
            parts.ops += 1;
            parts.elements += 1;
        }
        let made = first.results[0];
        let readers = parts.of.iter().filter(|v| code.insts[code.at[v]].args[0] == made).count();
        let is_used_up = self.uses[made.0 as usize] as usize == readers + 1;
        let saved = parts.ops + parts.elements;
        if is_used_up && saved > 2 * parts.apart {
            self.pairs.0.extend(parts.of.into_iter().map(|v| (v, Role::Part)));
            self.pairs.0.insert(made, Role::Part);
            self.pairs.0.insert(second.results[0], Role::Both { to, value });
        }
    }

    /// Whether it is in no pair yet, in the unit of the second write, and nothing is given back behind it.
    fn is_free(&self, inst: &Inst, code: &Code) -> bool {
        let unit = |i: &Inst| self.unit_of[i.results[0].0 as usize];
        self.pairs.role(inst).is_none()
            && unit(inst) == unit(code.second())
            && self.memory.frees_after(inst).is_empty()
    }

    fn number(&self, v: Value) -> Option<Const> {
        self.consts[v.0 as usize]
    }

    fn is_same(&self, a: Value, b: Value) -> bool {
        let bits = |v: Value| self.number(v).map(Const::bits);
        a == b || (bits(a).is_some() && bits(a) == bits(b))
    }

    /// Whether the second indices are those of the next element in a row.
    fn follow(&self, a: &[Value], b: &[Value]) -> bool {
        let (Some((i, row)), Some((j, other))) = (a.split_last(), b.split_last()) else { return false };
        let next = match (self.number(*i), self.number(*j)) {
            (Some(Const::I64(i)), Some(Const::I64(j))) => i.checked_add(1) == Some(j),
            _ => false,
        };
        next && self.are_same(row, other)
    }

    fn are_same(&self, a: &[Value], b: &[Value]) -> bool {
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| self.is_same(*a, *b))
    }

    /// What computes two numbers at once.
    fn two(&self, code: &Code<'a, '_>, a: Value, b: Value, parts: &mut Parts) -> Option<Two<'a>> {
        if parts.ops + parts.elements + parts.apart > LONGEST {
            return None;
        }
        if self.is_same(a, b) {
            return Some(Two::Same(a));
        }
        if let (Some(x), Some(y)) = (self.part(code, a), self.part(code, b)) {
            match (&x.kind, &y.kind) {
                (Kind::Op(op), Kind::Op(other)) if op == other && has_vectors(*op) => {
                    parts.of.extend([a, b]);
                    parts.ops += 1;
                    let args = x.args.iter().zip(&y.args).map(|(a, b)| self.two(code, *a, *b, parts));
                    return Some(Two::Op(*op, x, args.collect::<Option<_>>()?));
                }
                (Kind::Index, Kind::Index) => {
                    if let Some(elements) = self.elements(code, x, y) {
                        parts.of.extend([a, b]);
                        parts.elements += 1;
                        return Some(Two::Elements(elements));
                    }
                }
                _ => {}
            }
        }
        parts.apart += 1;
        Some(Two::Apart(a, b))
    }

    /// The instruction that computes a number of others or reads it, if it is used once, and here.
    fn part(&self, code: &Code<'a, '_>, v: Value) -> Option<&'a Inst> {
        let inst = &code.insts[*code.at.get(&v)?];
        let once = self.uses[v.0 as usize] == 1 && self.is_free(inst, code);
        let real = |v: &Value| matches!(self.func.ty(*v).scalar(), Scalar::F64 | Scalar::I64);
        (once && self.func.ty(v) == Type::F64 && inst.args.iter().all(real)).then_some(inst)
    }

    /// The neighbours that two instructions read, if they may be read as late as the second write.
    fn elements(&self, code: &Code<'a, '_>, x: &'a Inst, y: &'a Inst) -> Option<Elements<'a>> {
        let (first, second) = (code.first(), code.second());
        let (a, b) = (&x.args[1..], &y.args[1..]);
        if !self.follow(a, b) {
            return None;
        }
        let arrays = [x.args[0], y.args[0]];
        let written = [first.args[0], first.results[0]];
        if arrays.iter().any(|v| written.contains(v)) {
            // Of what is written, each reads what is replaced by what it is a part of.
            let upwards = self.follow(&first.args[2..], &second.args[2..]);
            let (of_first, of_second) = if upwards { (x, y) } else { (y, x) };
            let own = |x: &Inst, write: &Inst| self.are_same(&x.args[1..], &write.args[2..]);
            let rightly = of_first.args[0] == written[0] && written.contains(&of_second.args[0]);
            let rightly = rightly && own(of_first, first) && own(of_second, second);
            return rightly.then_some(Elements { array: written[0], index: a });
        }
        let since = code.at[&x.results[0]].min(code.at[&y.results[0]]);
        let is_written = |i: &Inst| matches!(i.kind, kinds!(Write)) && i.args[0] == arrays[0];
        let is_there = since >= code.start && !code.insts[since..code.second].iter().any(is_written);
        let is_known = arrays[0] == arrays[1] && !self.views.contains(&arrays[0]);
        (is_known && is_there).then_some(Elements { array: arrays[0], index: a })
    }
}

/// Whether an op of doubles is one instruction, which does the same to vectors.
fn has_vectors(op: Op) -> bool {
    [Op::Neg, Op::Abs, Op::Add, Op::Sub, Op::Mul, Op::Div, Op::Square, Op::Sqrt, Op::Fma].contains(&op)
}

//! Which numbers of the reverse a loop computes: both are numbered by what they are, with one number for what is the same.

use super::survey::Node;
use super::turns_of;
use adc_ir::dims::Known;
use adc_ir::{Dim, Func, Inst, Kind, Op, Region, Value};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

type Numbers = SmallVec<[u32; 4]>;

pub(super) struct Numbering<'a> {
    f: &'a Func,
    known: &'a Known,
    by: FxHashMap<Value, u32>,
    table: FxHashMap<(Kind, Numbers), u32>,
    /// By array that an inner loop collects: the indices that it is collected along, and the element.
    elements: FxHashMap<u32, (Numbers, u32)>,
    /// Indices of inner loops by depth and number of iterations.
    indices: FxHashMap<(usize, Dim), u32>,
    next: u32,
    /// The place in the loop's body of what is numbered, and by number that of what computes it first.
    place: Option<usize>,
    places: FxHashMap<u32, usize>,
}

impl<'a> Numbering<'a> {
    /// Of what a loop computes.
    pub(super) fn of(forward: &Inst, f: &'a Func, known: &'a Known) -> Numbering<'a> {
        let mut n = Numbering {
            f,
            known,
            by: FxHashMap::default(),
            table: FxHashMap::default(),
            elements: FxHashMap::default(),
            indices: FxHashMap::default(),
            next: 0,
            place: None,
            places: FxHashMap::default(),
        };
        n.region(&forward.regions[0], 0);
        n.place = None;
        n
    }

    fn region(&mut self, r: &Region, depth: usize) {
        for (place, inst) in r.insts.iter().enumerate() {
            if depth == 0 {
                self.place = Some(place);
            }
            if let Some(turns) = turns_of(inst, self.f, self.known) {
                let body = &inst.regions[0];
                let along: Numbers = (depth..).zip(&turns).map(|(depth, n)| self.index(depth, n)).collect();
                self.by.extend(body.params.iter().copied().zip(along.iter().copied()));
                self.region(body, depth + turns.len());
                let collects = match inst.kind {
                    Kind::For(l) => l.collects as usize,
                    Kind::Build { .. } => 1,
                    _ => 0,
                };
                let first = inst.results.len() - collects;
                for (array, element) in inst.results.iter().zip(&body.yields).skip(first) {
                    let (array, element) = (self.number(*array), self.number(*element));
                    self.elements.insert(array, (along.clone(), element));
                }
                continue;
            }
            self.inst(inst, None);
        }
    }

    fn fresh(&mut self) -> u32 {
        self.next += 1;
        self.next
    }

    fn index(&mut self, depth: usize, n: &Dim) -> u32 {
        let next = self.fresh();
        *self.indices.entry((depth, n.clone())).or_insert(next)
    }

    fn number(&mut self, v: Value) -> u32 {
        let next = self.fresh();
        *self.by.entry(v).or_insert(next)
    }

    /// Numbers an instruction's result. Of one that reads an array at an iteration, `iteration` is what the loop calls what it reads there.
    /// Whether it was there.
    fn inst(&mut self, inst: &Inst, iteration: Option<Value>) -> bool {
        if !matches!(inst.kind, Kind::Op(_) | Kind::Index | Kind::Const(_)) {
            return false;
        }
        let mut args: Numbers = match iteration {
            Some(v) => [v].iter().chain(&inst.args[2..]).map(|v| self.number(*v)).collect(),
            None => inst.args.iter().map(|v| self.number(*v)).collect(),
        };
        if inst.kind == Kind::Index {
            while let Some((along, element)) = self.elements.get(&args[0])
                && args[1..].starts_with(along)
            {
                let rest = &args[1 + along.len()..];
                args = [&[*element], rest].concat().into();
            }
            if let [element] = args[..] {
                self.by.insert(inst.results[0], element);
                return true;
            }
        }
        if matches!(inst.kind, Kind::Op(op) if op.commutes()) {
            args[..2].sort_unstable();
        }
        let next = self.fresh();
        let number = *self.table.entry((inst.kind.clone(), args)).or_insert(next);
        self.by.insert(inst.results[0], number);
        if let Some(place) = self.place {
            self.places.entry(number).or_insert(place);
        }
        number != next
    }

    /// The place of the instruction in the loop's body that computes a number, or has in it what does.
    pub(super) fn place(&self, v: Value) -> Option<usize> {
        self.places.get(self.by.get(&v)?).copied()
    }

    /// Numbers a number of the reverse; whether the loop, or the reverse before, computes it.
    pub(super) fn node(&mut self, node: &Node, kept: &FxHashMap<Value, Value>, turn: Option<Value>) -> bool {
        for axis in &node.axes {
            let index = self.index(axis.depth, &axis.n);
            self.by.insert(axis.index, index);
        }
        if let Some(index) = turn {
            let number = self.number(index);
            self.by.insert(node.inst.results[0], number);
            return true;
        }
        self.inst(node.inst, node.array.map(|a| kept[&a]))
    }

    /// Whether a function of a number is computed.
    pub(super) fn has(&mut self, op: Op, x: Value) -> bool {
        let x = self.number(x);
        self.table.contains_key(&(Kind::Op(op), [x].into_iter().collect()))
    }
}

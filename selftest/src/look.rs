//! What operators have to know of a program: which values carry tangents or cotangents, what defines a value, what is visible.

use adc_ir::{Func, Inst, Kind, Region, Value};
use rustc_hash::FxHashSet;

/// A program that is looked at.
pub(crate) struct Look<'a> {
    pub func: &'a Func,
    /// By value: whether it depends on a seed.
    linear: Vec<bool>,
    /// By value: whether a linear one depends on it, and it on no seed.
    needed: Vec<bool>,
    /// By value: what defines it.
    defs: Vec<Option<&'a Inst>>,
    /// Values in sizes: they are numbers that others rely on.
    sizes: FxHashSet<Value>,
    /// First parameters of loops.
    iterations: FxHashSet<Value>,
    /// What is visible at the instruction that is looked at, in order of definition.
    visible: Vec<Value>,
}

impl<'a> Look<'a> {
    /// Of a derivative program; its seeds are the parameters from `seeds` on. Without, every float counts as one that carries a
    /// derivative.
    pub fn new(func: &'a Func, seeds: Option<usize>) -> Look<'a> {
        let count = func.values.len();
        let mut look = Look {
            func,
            linear: vec![false; count],
            needed: vec![false; count],
            defs: vec![None; count],
            sizes: FxHashSet::default(),
            iterations: FxHashSet::default(),
            visible: Vec::new(),
        };
        let Some(body) = func.region() else { return look };
        let shapes = func.values.iter().map(|d| &d.shape).chain(func.results.iter().map(|r| &r.shape));
        look.sizes.extend(shapes.flatten().flat_map(|d| d.vars()));
        look.define(body);
        match seeds {
            Some(first) => {
                for p in &func.params[first..] {
                    look.linear[p.value.0 as usize] = true;
                }
                while look.spread(body) {}
                while look.require(body) {}
            }
            None => {
                let floats = func.values.iter().map(|d| d.ty.scalar().is_float());
                look.linear = floats.collect();
                look.needed = vec![true; count];
            }
        }
        look
    }

    fn define(&mut self, r: &'a Region) {
        for inst in &r.insts {
            for v in &inst.results {
                self.defs[v.0 as usize] = Some(inst);
            }
            if inst.kind.is_loop() {
                self.iterations.extend(inst.regions.iter().flat_map(|r| r.params.first()));
            }
            inst.regions.iter().for_each(|r| self.define(r));
        }
    }

    fn mark(&mut self, v: Value) -> bool {
        let at = v.0 as usize;
        let new = !self.linear[at] && self.func.ty(v).scalar().is_float();
        self.linear[at] |= new;
        new
    }

    /// Marks what depends on what is linear; whether there was any.
    fn spread(&mut self, r: &Region) -> bool {
        let mut any = false;
        for inst in &r.insts {
            inst.regions.iter().for_each(|r| any |= self.spread(r));
            if inst.regions.is_empty() {
                if inst.args.iter().any(|v| self.linear(*v)) {
                    inst.results.iter().for_each(|v| any |= self.mark(*v));
                }
                continue;
            }
            let first = inst.kind.first_carry().unwrap_or(inst.args.len());
            let carries = inst.args.len() - first;
            for region in &inst.regions {
                let params = &region.params[region.params.len() - carries..];
                for (k, p) in params.iter().enumerate() {
                    if self.linear(inst.args[first + k]) || self.linear(inst.results[k]) {
                        any |= self.mark(*p);
                        any |= self.mark(inst.results[k]);
                    }
                }
            }
            let yields = &inst.regions[inst.regions.len() - 1].yields;
            // The number of iterations of a `while` stands before what it collects.
            let gap = inst.results.len() - yields.len().min(inst.results.len());
            for (k, y) in yields.iter().enumerate() {
                let to = if k < carries || inst.kind == Kind::If { k } else { k + gap };
                let other = inst.kind == Kind::If && self.linear(inst.regions[0].yields[k]);
                if self.linear(*y) || other {
                    any |= self.mark(inst.results[to]);
                }
            }
        }
        any
    }

    /// Marks what linear instructions need; whether there was any.
    fn require(&mut self, r: &Region) -> bool {
        let mut any = false;
        for inst in r.insts.iter().rev() {
            inst.regions.iter().for_each(|r| any |= self.require(r));
            if !inst.results.iter().any(|v| self.linear(*v) || self.needed[v.0 as usize]) {
                continue;
            }
            let yields = inst.regions.iter().flat_map(|r| &r.yields);
            for v in inst.args.iter().chain(yields).copied().collect::<Vec<_>>() {
                let new = !self.linear(v) && !self.needed[v.0 as usize];
                self.needed[v.0 as usize] |= new;
                any |= new;
            }
        }
        any
    }

    /// Whether a value carries a tangent or a cotangent.
    pub fn linear(&self, v: Value) -> bool {
        self.linear[v.0 as usize]
    }

    /// Whether an instruction gives a tangent or a cotangent.
    pub fn is_linear(&self, inst: &Inst) -> bool {
        inst.results.iter().any(|v| self.linear(*v))
    }

    /// Whether a value takes part in a tangent or a cotangent.
    pub fn matters(&self, v: Value) -> bool {
        self.linear(v) || self.needed[v.0 as usize]
    }

    /// The literal that a value is.
    pub fn literal(&self, v: Value) -> Option<adc_ir::Const> {
        match self.defs[v.0 as usize]?.kind {
            Kind::Const(c) => Some(c),
            _ => None,
        }
    }

    /// Whether two values may be taken for each other.
    pub fn same(&self, a: Value, b: Value) -> bool {
        a != b && self.func.data(a) == self.func.data(b)
    }

    pub fn is_float(&self, v: Value) -> bool {
        self.func.ty(v).scalar().is_float()
    }

    pub fn rank(&self, v: Value) -> usize {
        self.func.ty(v).rank()
    }

    /// Whether the first two axes of an array are as long.
    pub fn is_square(&self, v: Value) -> bool {
        matches!(&self.func.shape(v)[..], [a, b, ..] if a == b)
    }

    /// Whether other values rely on this number.
    pub fn is_size(&self, v: Value) -> bool {
        self.sizes.contains(&v)
    }

    /// Whether a value is the first parameter of a loop.
    pub fn is_turn(&self, v: Value) -> bool {
        self.iterations.contains(&v)
    }

    /// Another value like this one that is visible and no tangent or cotangent: the one defined last.
    pub fn other(&self, v: Value) -> Option<Value> {
        let fits = |w: &&Value| self.same(v, **w) && !self.linear(**w);
        self.visible.iter().rev().find(fits).copied()
    }

    /// Calls `each` for every instruction with its number, and for the end of the body.
    pub fn walk(&mut self, each: &mut dyn FnMut(&Look, usize, Option<&'a Inst>)) {
        let Some(body) = self.func.region() else { return };
        self.visible = self.func.params.iter().map(|p| p.value).collect();
        let mut next = 0;
        self.visit(body, &mut next, each);
        each(self, next, None);
    }

    fn visit(
        &mut self,
        r: &'a Region,
        next: &mut usize,
        each: &mut dyn FnMut(&Look, usize, Option<&'a Inst>),
    ) {
        for inst in &r.insts {
            each(self, *next, Some(inst));
            *next += 1;
            for region in &inst.regions {
                let outside = self.visible.len();
                self.visible.extend(&region.params);
                self.visit(region, next, each);
                self.visible.truncate(outside);
            }
            self.visible.extend(&inst.results);
        }
    }
}

//! When arrays are defined and used.
//!
//! Instructions are numbered in program order; one with regions has a first and a last number.

use crate::lower::products::are_beside;
use adc_ir::{Func, Inst, Kind, Region, Value};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// A use: when, and in which region. One in a loop of an array from outside is the loop's.
#[derive(Clone, Copy, Debug)]
pub(super) struct Use {
    pub at: u32,
    pub region: u32,
}

/// A region of the function; the body is number 0.
pub(super) struct RegionInfo {
    pub parent: u32,
    depth: u32,
    /// Number of the instruction it belongs to, first and last.
    inst: (u32, u32),
    is_branch: bool,
    is_loop: bool,
    /// The end, where it yields.
    pub end: u32,
}

/// An instruction.
pub(super) struct Span {
    pub start: u32,
    pub end: u32,
    pub regions: SmallVec<[u32; 2]>,
}

pub(super) struct Scan<'a> {
    func: &'a Func,
    pub regions: Vec<RegionInfo>,
    spans: FxHashMap<*const Inst, Span>,
    /// By value, arrays only.
    pub uses: Vec<SmallVec<[Use; 2]>>,
    /// By value: the region that defines it.
    home: Vec<u32>,
    now: u32,
}

impl<'a> Scan<'a> {
    pub fn of(func: &'a Func, body: &Region) -> Scan<'a> {
        let n = func.values.len();
        let mut scan = Scan {
            func,
            regions: Vec::new(),
            spans: FxHashMap::default(),
            uses: vec![SmallVec::new(); n],
            home: vec![0; n],
            now: 0,
        };
        scan.region(body, 0, 0, (false, false));
        scan.settle();
        scan.conditions(body);
        scan
    }

    pub fn span(&self, inst: &Inst) -> &Span {
        &self.spans[&std::ptr::from_ref(inst)]
    }

    /// The region that defines a value.
    pub fn home(&self, v: Value) -> u32 {
        self.home[v.0 as usize]
    }

    /// The last use, the loop's end if that is in a loop.
    pub fn last_use(&self, v: Value) -> u32 {
        self.uses[v.0 as usize].iter().map(|u| u.at).max().unwrap_or(0)
    }

    /// Whether two regions are different branches of one `if`, or lie in such.
    pub fn exclusive(&self, mut a: u32, mut b: u32) -> bool {
        let region = |r: u32| &self.regions[r as usize];
        while region(a).depth > region(b).depth {
            a = region(a).parent;
        }
        while region(b).depth > region(a).depth {
            b = region(b).parent;
        }
        while a != b {
            if region(a).inst == region(b).inst {
                return region(a).is_branch;
            }
            (a, b) = (region(a).parent, region(b).parent);
        }
        false
    }

    fn region(&mut self, r: &Region, parent: u32, start: u32, (is_branch, is_loop): (bool, bool)) -> u32 {
        let id = self.regions.len() as u32;
        let depth = if id == 0 { 0 } else { self.regions[parent as usize].depth + 1 };
        self.regions.push(RegionInfo { parent, depth, inst: (start, 0), is_branch, is_loop, end: 0 });
        r.params.iter().for_each(|v| self.home[v.0 as usize] = id);
        let mut last: Option<&Inst> = None;
        for inst in &r.insts {
            self.inst(inst, id);
            if let Some(first) = last.filter(|first| are_beside(first, inst, self.func)) {
                let now = self.now;
                first.args.iter().chain(&first.results).for_each(|v| self.used(*v, now, id));
            }
            last = Some(inst);
        }
        self.now += 1;
        self.regions[id as usize].end = self.now;
        r.yields.iter().for_each(|v| self.used(*v, self.now, id));
        id
    }

    fn inst(&mut self, inst: &Inst, region: u32) {
        self.now += 1;
        let start = self.now;
        inst.args.iter().for_each(|v| self.used(*v, start, region));
        let what = (matches!(inst.kind, Kind::If), inst.kind.is_loop());
        let regions: SmallVec<[u32; 2]> =
            inst.regions.iter().map(|r| self.region(r, region, start, what)).collect();
        self.now += !regions.is_empty() as u32;
        for r in &regions {
            self.regions[*r as usize].inst.1 = self.now;
        }
        inst.results.iter().for_each(|v| self.home[v.0 as usize] = region);
        self.spans.insert(std::ptr::from_ref(inst), Span { start, end: self.now, regions });
    }

    fn used(&mut self, v: Value, at: u32, region: u32) {
        if self.func.ty(v).is_array() {
            self.uses[v.0 as usize].push(Use { at, region });
        }
    }

    /// Extends uses in loops.
    fn settle(&mut self) {
        for (uses, home) in self.uses.iter_mut().zip(&self.home) {
            for u in uses {
                let mut r = u.region;
                while r != *home {
                    let info = &self.regions[r as usize];
                    if info.is_loop {
                        *u = Use { at: info.inst.1, region: info.parent };
                    }
                    r = info.parent;
                }
            }
        }
    }

    /// What the condition of a `while` gets is needed after it, by the iteration or as the result.
    fn conditions(&mut self, r: &Region) {
        for inst in &r.insts {
            if matches!(inst.kind, Kind::While(_)) {
                let span = &self.spans[&std::ptr::from_ref(inst)];
                let after = Use { at: span.end, region: span.regions[0] };
                inst.regions[0].params.iter().for_each(|v| self.uses[v.0 as usize].push(after));
            }
            inst.regions.iter().for_each(|r| self.conditions(r));
        }
    }
}

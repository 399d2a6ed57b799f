//! Which arrays share memory: one walk in program order.

use super::scan::Scan;
use super::{Buffer, BufferId, LARGE, LINE, Store, Yield, bytes, padded};
use adc_ir::{Func, Inst, Kind, Module, Region, Shape, Value, kinds};
use rustc_hash::FxHashMap;

/// What [`share`] finds out; see [`super::Memory`].
pub(super) struct Shared {
    pub buffers: Vec<Buffer>,
    pub made: Vec<Option<BufferId>>,
    pub root: Vec<u32>,
    pub direct: FxHashMap<Yield, Option<BufferId>>,
    pub direct_results: Vec<bool>,
    pub row_results: FxHashMap<BufferId, Value>,
    /// By array: its class, to be looked up with [`Self::find`].
    class: Vec<u32>,
    parent: Vec<u32>,
    pub classes: Vec<Class>,
}

/// Arrays that may lie in the same memory.
#[derive(Default)]
pub(super) struct Class {
    members: Vec<Value>,
    /// Those that are used after the place the walk is at.
    live: Vec<Value>,
    pub buffers: Vec<BufferId>,
    read_only: bool,
    /// When the last use of a member ends.
    pub last: u32,
}

impl Shared {
    pub fn find(&self, v: Value) -> usize {
        let mut c = self.class[v.0 as usize];
        while self.parent[c as usize] != c {
            c = self.parent[c as usize];
        }
        c as usize
    }

    /// The one buffer an array is in for certain, from its first byte on.
    pub fn whole(&self, v: Value) -> Option<BufferId> {
        let [b] = self.classes[self.find(v)].buffers[..] else { return None };
        let of = self.buffers[b.0 as usize].value;
        (self.root[of.0 as usize] == self.root[v.0 as usize]).then_some(b)
    }
}

impl Shared {
    /// Whether an array begins where a buffer of the frame does, or, if it takes turns, where one of two does.
    pub fn is_framed(&self, v: Value) -> bool {
        if self.class[v.0 as usize] == NONE {
            return false;
        }
        let class = &self.classes[self.find(v)];
        let in_frame =
            |b: &BufferId| matches!(self.buffers[b.0 as usize].store, Store::Frame(_) | Store::Turn);
        let in_turns = self.made[v.0 as usize].is_some_and(|b| self.buffers[b.0 as usize].value == v);
        let first = match class.buffers[..] {
            [b] => self.root[self.buffers[b.0 as usize].value.0 as usize] == self.root[v.0 as usize],
            [_, _] => in_turns,
            _ => false,
        };
        first && !class.read_only && class.buffers.iter().all(in_frame)
    }
}

struct Share<'a> {
    module: &'a Module,
    func: &'a Func,
    scan: &'a Scan<'a>,
    shapes: &'a [Shape],
    out: Shared,
}

const NONE: u32 = u32::MAX;

/// Walks over the body.
pub(super) fn share(module: &Module, func: &Func, body: &Region, scan: &Scan, shapes: &[Shape]) -> Shared {
    let n = func.values.len();
    let out = Shared {
        buffers: Vec::new(),
        made: vec![None; n],
        root: vec![NONE; n],
        direct: FxHashMap::default(),
        direct_results: vec![false; func.results.len()],
        row_results: FxHashMap::default(),
        class: vec![NONE; n],
        parent: Vec::new(),
        classes: Vec::new(),
    };
    let mut walk = Share { module, func, scan, shapes, out };
    for p in &func.params {
        if walk.is_array(p.value) {
            walk.fresh(p.value);
            let class = walk.out.find(p.value);
            walk.out.classes[class].read_only = true;
        }
    }
    walk.region(body, 0);
    let mut offset = 0;
    for (k, (r, y)) in func.results.iter().zip(&body.yields).enumerate() {
        let fixed = r.shape.iter().all(|d| d.as_const().is_some());
        if fixed && walk.is_array(*y) {
            walk.out.direct_results[k] = walk.forward(*y, 0, *y, Store::Output(offset));
        }
        offset += 8 * crate::cells::cells_of(r.ty) as u32;
    }
    walk.out
}

impl Share<'_> {
    fn is_array(&self, v: Value) -> bool {
        self.func.ty(v).is_array()
    }

    /// A class of its own.
    fn fresh(&mut self, v: Value) {
        let c = self.out.classes.len() as u32;
        let last = self.scan.last_use(v);
        self.out.classes.push(Class { members: vec![v], live: vec![v], last, ..Class::default() });
        self.out.parent.push(c);
        self.out.class[v.0 as usize] = c;
        self.out.root[v.0 as usize] = v.0;
    }

    /// In the class of another array; `at`: at its address.
    fn joins(&mut self, v: Value, other: Value, same_address: bool) {
        let class = self.out.find(other);
        self.out.class[v.0 as usize] = class as u32;
        let last = self.scan.last_use(v);
        let c = &mut self.out.classes[class];
        c.members.push(v);
        c.live.push(v);
        c.last = c.last.max(last);
        self.out.root[v.0 as usize] = if same_address { self.out.root[other.0 as usize] } else { v.0 };
    }

    fn merge(&mut self, a: Value, b: Value) {
        let (a, b) = (self.out.find(a), self.out.find(b));
        if a != b {
            let gone = std::mem::take(&mut self.out.classes[b]);
            self.out.parent[b] = a as u32;
            let c = &mut self.out.classes[a];
            c.members.extend(gone.members);
            c.live.extend(gone.live);
            c.buffers.extend(gone.buffers);
            c.read_only |= gone.read_only;
            c.last = c.last.max(gone.last);
        }
    }

    /// Keeps the memory of an array until then.
    fn keep(&mut self, v: Value, until: u32) {
        let class = self.out.find(v);
        let last = &mut self.out.classes[class].last;
        *last = (*last).max(until);
    }

    fn buffer(&mut self, v: Value, region: u32, start: u32, store: Store) -> BufferId {
        let bytes = bytes(&self.shapes[v.0 as usize], self.func.ty(v).scalar().bytes()).map(padded);
        let store = match (store, bytes) {
            (Store::Given, _) => store,
            (_, Some(n)) if (0..=LARGE).contains(&n) => store,
            _ => Store::Heap,
        };
        self.out.buffers.push(Buffer { value: v, bytes, store, region, start });
        BufferId(self.out.buffers.len() as u32 - 1)
    }

    /// An array in memory of its own.
    fn make_in(&mut self, v: Value, inst: &Inst, region: u32, store: Store) {
        self.fresh(v);
        let span = self.scan.span(inst);
        let b = self.buffer(v, region, span.start, store);
        self.out.made[v.0 as usize] = Some(b);
        let class = self.out.find(v);
        self.out.classes[class].buffers.push(b);
        self.keep(v, span.end);
    }

    fn make(&mut self, v: Value, inst: &Inst, region: u32) {
        self.make_in(v, inst, region, Store::Frame(0));
    }

    /// Whether an array may be written over by an instruction, which is the last to need it.
    fn may_write(&mut self, v: Value, inst: &Inst, position: usize, region: u32) -> bool {
        let class = self.out.find(v);
        let other =
            |(i, a): (usize, &Value)| i != position && self.is_array(*a) && self.out.find(*a) == class;
        if self.out.classes[class].read_only || inst.args.iter().enumerate().any(other) {
            return false;
        }
        let at = self.scan.span(inst).start;
        let scan = self.scan;
        let live = &mut self.out.classes[class].live;
        live.retain(|m| *m == v || scan.last_use(*m) > at);
        let later = |u: &super::scan::Use| u.at > at && !scan.exclusive(u.region, region);
        !live.iter().any(|m| scan.uses[m.0 as usize].iter().any(later))
    }

    /// Places what makes an array right where the array is copied to, if it lies whole in a buffer of this region, after which
    /// nobody needs that; `like`: an array of the size of the place.
    fn forward(&mut self, v: Value, region: u32, like: Value, store: Store) -> bool {
        let Some(b) = self.out.whole(v) else { return false };
        let buffer = &self.out.buffers[b.0 as usize];
        let free = matches!(buffer.store, Store::Frame(_) | Store::Heap);
        let same = |a: Value, b: Value| self.shapes[a.0 as usize] == self.shapes[b.0 as usize];
        let fixed = bytes(&self.shapes[like.0 as usize], 1).is_some();
        let size = same(buffer.value, like) || (fixed && self.bytes_equal(buffer.value, like));
        // Else an `if` has a result there: the place may be gone before that.
        let ends = self.out.classes[self.out.find(v)].last <= self.scan.regions[region as usize].end;
        if free && buffer.region == region && size && ends {
            self.out.buffers[b.0 as usize].store = store;
            return true;
        }
        false
    }

    /// Takes note that a yielded array is where it belongs.
    fn arrives(&mut self, inst: &Inst, region: usize, k: usize) {
        let row = self.out.whole(inst.regions[region].yields[k]);
        let row = row.filter(|b| self.out.buffers[b.0 as usize].store.is_row());
        self.out.direct.insert((std::ptr::from_ref(inst), region, k), row);
    }

    fn bytes_equal(&self, a: Value, b: Value) -> bool {
        let size = |v: Value| bytes(&self.shapes[v.0 as usize], self.func.ty(v).scalar().bytes());
        size(a).is_some() && size(a) == size(b)
    }

    fn region(&mut self, r: &Region, id: u32) {
        for inst in &r.insts {
            self.inst(inst, id);
        }
    }

    fn inst(&mut self, inst: &Inst, region: u32) {
        match &inst.kind {
            Kind::Const(_) | Kind::Op(_) | Kind::Assert(_) | Kind::Size(_) => {}
            Kind::Call(callee) => {
                let callee = self.module.func(*callee);
                for (v, r) in inst.results.iter().zip(&callee.results) {
                    if r.ty.is_array() {
                        // Native code writes where it is told.
                        let fixed =
                            callee.region().is_none() || r.shape.iter().all(|d| d.as_const().is_some());
                        let store = if fixed { Store::Frame(0) } else { Store::Given };
                        self.make_in(*v, inst, region, store);
                    }
                }
            }
            Kind::If => self.branches(inst, region),
            Kind::Reshape => self.joins(inst.results[0], inst.args[0], true),
            Kind::Index | Kind::Slice => {
                if self.is_array(inst.results[0]) {
                    self.joins(inst.results[0], inst.args[0], false);
                }
            }
            kinds!(Write) => {
                let (v, a) = (inst.results[0], inst.args[0]);
                if self.may_write(a, inst, 0, region) {
                    self.joins(v, a, true);
                } else {
                    self.make(v, inst, region);
                }
            }
            Kind::Fill | Kind::Pack | Kind::Transpose | kinds!(Matrix) => {
                if self.is_array(inst.results[0]) {
                    self.make(inst.results[0], inst, region);
                }
            }
            Kind::Build { .. } | Kind::Reduce(_) => {
                let v = inst.results[0];
                if self.is_array(v) {
                    self.make(v, inst, region);
                }
                let body = self.scan.span(inst).regions[0];
                self.region(&inst.regions[0], body);
                let y = inst.regions[0].yields[0];
                let rows = self.is_array(y) && matches!(inst.kind, Kind::Build { .. });
                if rows && self.forward(y, body, y, Store::Row) {
                    self.arrives(inst, 0, 0);
                }
            }
            Kind::For(l) => {
                let gathered = inst.results.len() - (l.sums + l.collects) as usize;
                self.looping(inst, region, 3, gathered, l.collects as usize);
            }
            Kind::While(l) => {
                let gathered = inst.results.len() - l.collects as usize;
                self.looping(inst, region, 0, gathered, l.collects as usize);
            }
        }
    }

    /// An `if`: its result is what the branch taken yields, wherever that is. Where that may be on the heap and of the
    /// branch alone, or was placed in the memory of another result, the result has memory of its own; so has one of unknown
    /// size, unless both branches yield the same memory, written over or not.
    fn branches(&mut self, inst: &Inst, region: u32) {
        let ids = self.scan.span(inst).regions.clone();
        for (r, id) in inst.regions.iter().zip(&ids) {
            self.region(r, *id);
        }
        let start = self.scan.span(inst).start;
        for (k, v) in inst.results.iter().enumerate() {
            if !self.is_array(*v) {
                continue;
            }
            let yields: Vec<Value> = inst.regions.iter().map(|r| r.yields[k]).collect();
            let fleeting = |y: &Value| {
                let class = &self.out.classes[self.out.find(*y)];
                let buffers = class.buffers.iter().map(|b| &self.out.buffers[b.0 as usize]);
                let elsewhere = |b: &Buffer| b.store.on_heap() || b.store.is_row();
                buffers.into_iter().any(|b| elsewhere(b) && b.start > start)
            };
            let same = self.out.root[yields[0].0 as usize] == self.out.root[yields[1].0 as usize];
            let stays = same || bytes(&self.shapes[v.0 as usize], 1).is_some();
            if !stays || yields.iter().any(fleeting) {
                self.make(*v, inst, region);
                for (i, (y, id)) in yields.iter().zip(&ids).enumerate() {
                    if self.forward(*y, *id, *v, Store::Row) {
                        let row = self.out.whole(*y).expect("it was just placed");
                        self.out.row_results.insert(row, *v);
                        self.arrives(inst, i, k);
                    }
                }
                continue;
            }
            self.merge(yields[0], yields[1]);
            self.joins(*v, yields[0], same);
        }
    }

    /// A loop with carries from operand `first` on; results from `gathered` on are sums, then collected arrays.
    fn looping(&mut self, inst: &Inst, region: u32, first: usize, gathered: usize, collects: usize) {
        let span = self.scan.span(inst);
        let (start, end, ids) = (span.start, span.end, span.regions.clone());
        let carries: Vec<usize> =
            (0..inst.args.len() - first).filter(|k| self.is_array(inst.args[first + k])).collect();
        // The last region is the body, whose parameters end with the carries.
        let body = inst.regions.len() - 1;
        let param = |r: usize, k: usize| {
            let params = &inst.regions[r].params;
            params[params.len() - (inst.args.len() - first) + k]
        };
        for &k in &carries {
            let (init, v) = (inst.args[first + k], inst.results[k]);
            if self.may_write(init, inst, first + k, region) {
                self.joins(v, init, true);
            } else {
                self.make(v, inst, region);
            }
            self.keep(v, end);
            (0..inst.regions.len()).for_each(|r| self.joins(param(r, k), v, true));
            // The result is not there while the iterations run.
            let class = self.out.find(v);
            self.out.classes[class].live.retain(|m| *m != v);
        }
        for v in &inst.results[gathered..] {
            if self.is_array(*v) {
                let grows = matches!(inst.kind, Kind::While(_));
                self.make_in(*v, inst, region, if grows { Store::Given } else { Store::Frame(0) });
            }
        }
        for (r, id) in inst.regions.iter().zip(&ids) {
            self.region(r, *id);
        }
        for &k in &carries {
            let class = self.out.find(inst.results[k]);
            self.out.classes[class].live.push(inst.results[k]);
        }
        let yields = &inst.regions[body].yields;
        let in_rows = |walk: &mut Self, is_next: bool| {
            for (k, y) in yields.iter().enumerate().skip(yields.len() - collects) {
                let next = carries.iter().any(|k| yields[*k] == *y) && walk.is_small(*y);
                if walk.is_array(*y) && next == is_next && walk.forward(*y, ids[body], *y, Store::Row) {
                    walk.arrives(inst, body, k);
                }
            }
        };
        // The next iteration waits for what is carried, but nothing in it for what is collected: what is both is made where it is carried,
        // if it can be, and copied to its row.
        in_rows(self, false);
        for &k in &carries {
            let (p, y) = (param(body, k), yields[k]);
            if self.out.root[p.0 as usize] == self.out.root[y.0 as usize] {
                self.arrives(inst, body, k);
                continue;
            }
            // What makes the next carry may do so in the place of the old one, if that is not needed any more by then.
            let begins = self.out.whole(y).map(|b| self.out.buffers[b.0 as usize].start);
            let free = begins.is_some_and(|at| self.dead_after(p, at));
            if free && self.forward(y, ids[body], y, Store::Carry(p)) {
                self.arrives(inst, body, k);
                continue;
            }
            // What is collected is carried from row to row.
            let collected = yields.iter().skip(yields.len() - collects).position(|v| *v == p);
            if let (Some(j), Kind::For(_)) = (collected, &inst.kind)
                && self.forward(y, ids[body], p, Store::Row)
            {
                self.arrives(inst, body, k);
                let row = (std::ptr::from_ref(inst), body, yields.len() - collects + j);
                self.out.direct.insert(row, None);
                continue;
            }
            if matches!(inst.kind, Kind::For(_)) && self.takes_turns(p, y, ids[body]) {
                let spare = self.buffer(p, region, start, Store::Frame(0));
                self.out.made[p.0 as usize] = Some(spare);
                // The loop's result is in one of the two, so not for certain where the carry began.
                let v = inst.results[k];
                let class = self.out.find(v);
                self.out.classes[class].buffers.push(spare);
                self.out.root[v.0 as usize] = v.0;
                self.arrives(inst, body, k);
                continue;
            }
            // What lies in another carry's place has to be read before that is written.
            let (from, other) = (self.out.find(y), |j: &&usize| **j != k);
            if carries.iter().filter(other).any(|j| self.out.find(param(body, *j)) == from) {
                let b = self.buffer(p, region, start, Store::Frame(0));
                self.out.made[p.0 as usize] = Some(b);
                // A class of its own keeps it to the loop.
                self.out.classes.push(Class { buffers: vec![b], last: end, ..Class::default() });
                self.out.parent.push(self.out.classes.len() as u32 - 1);
            }
        }
        in_rows(self, true);
    }

    /// Whether an array is small enough for the frame.
    fn is_small(&self, v: Value) -> bool {
        bytes(&self.shapes[v.0 as usize], self.func.ty(v).scalar().bytes()).is_some_and(|n| n <= LARGE)
    }

    /// Makes the next carry `y` beside the old one `p`, which is still needed by then: two places take turns. Both are in the frame. Less
    /// than a vector is copied.
    fn takes_turns(&mut self, p: Value, y: Value, body: u32) -> bool {
        let size = bytes(&self.shapes[p.0 as usize], self.func.ty(p).scalar().bytes());
        let class = self.out.find(p);
        let mut stores = self.out.classes[class].buffers.iter().map(|b| self.out.buffers[b.0 as usize].store);
        size.is_some_and(|n| (LINE..=LARGE).contains(&n))
            && stores.all(|s| !s.on_heap())
            && class != self.out.find(y)
            && self.forward(y, body, p, Store::Turn)
    }

    /// Whether no array of the class of a carry is needed in an iteration once the instruction of this number begins.
    fn dead_after(&self, p: Value, at: u32) -> bool {
        let class = self.out.find(p);
        let body = self.scan.home(p);
        let end = self.scan.regions[body as usize].end;
        self.out.classes[class].members.iter().all(|m| {
            let uses = &self.scan.uses[m.0 as usize];
            uses.iter().all(|u| u.at < at || u.at > end)
        })
    }
}

//! What was computed already, on the path from the function's start to here.

use super::{Fact, Made};
use crate::duplicates::Key;
use adc_ir::{Const, FuncId, Kind, Op, Scalar, Shape, Value, Values};
use hashbrown::HashTable;
use hashbrown::hash_table::Entry as Slot;
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::hash::{BuildHasher, Hash, Hasher};

/// An op with its operands, equal for ops that give the same bits.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct OpKey(Op, [u32; 3]);

impl Hash for OpKey {
    /// Two words: what is derived would hash the length of the operands, too, and each byte by byte.
    fn hash<H: Hasher>(&self, h: &mut H) {
        let OpKey(op, [a, b, c]) = *self;
        h.write_u64((a as u64) << 32 | b as u64);
        h.write_u64((c as u64) << 32 | op as u64);
    }
}

impl OpKey {
    /// Of an op with its operands, as in [`Fact`]s.
    pub(super) fn new(op: Op, [a, b, c]: [u32; 3]) -> OpKey {
        match op {
            // a > b is b < a.
            Op::Gt => OpKey(Op::Lt, [b, a, c]),
            Op::Ge => OpKey(Op::Le, [b, a, c]),
            op if op.commutes() => OpKey(op, [a.min(b), a.max(b), c]),
            op => OpKey(op, [a, b, c]),
        }
    }
}

fn hash(key: OpKey) -> u64 {
    FxBuildHasher.hash_one(key)
}

/// The key of a value that an op defines.
fn key_of(facts: &[Fact], v: Value) -> OpKey {
    let fact = &facts[v.0 as usize];
    match fact.made {
        Made::Op(op) => OpKey::new(op, fact.args),
        Made::Literal | Made::Opaque => unreachable!("an op"),
    }
}

type ConstKey = (Scalar, u64, u64);
type CallKey = (FuncId, Values);
/// An array kind with its operands, and the sizes of its result where these are part of what it does.
type ArrayKey = (Kind, Values, Shape);

fn key(c: Const) -> ConstKey {
    c.bits()
}

/// Duplicates by scope: what a nested region adds is forgotten when it closes.
#[derive(Default)]
pub(super) struct Table {
    /// The ops by their keys, which the facts of the values tell: what is looked up most is small.
    ops: HashTable<Value>,
    consts: FxHashMap<ConstKey, Value>,
    calls: FxHashMap<CallKey, Values>,
    arrays: FxHashMap<ArrayKey, Value>,
    loops: FxHashMap<Key, Values>,
    /// What to forget; nothing is written down outside nested regions.
    log: Vec<Entry>,
    nesting: usize,
}

enum Entry {
    Op(OpKey),
    Const(ConstKey),
    Call(CallKey),
    Array(ArrayKey),
    Loop(Key),
}

/// Where a region began.
pub(super) struct Mark(usize);

impl Table {
    /// A table with room for a function of `values` values.
    pub(super) fn for_values(values: usize) -> Table {
        let mut table = Table::default();
        table.ops.reserve(values, |_| unreachable!("nothing is in it"));
        table
    }

    pub(super) fn open(&mut self) -> Mark {
        self.nesting += 1;
        Mark(self.log.len())
    }

    pub(super) fn close(&mut self, mark: Mark, facts: &[Fact]) {
        self.nesting -= 1;
        for entry in self.log.drain(mark.0..) {
            match entry {
                Entry::Op(key) => {
                    let found = self.ops.find_entry(hash(key), |v| key_of(facts, *v) == key);
                    drop(found.map(|entry| entry.remove()));
                }
                Entry::Const(key) => drop(self.consts.remove(&key)),
                Entry::Call(key) => drop(self.calls.remove(&key)),
                Entry::Array(key) => drop(self.arrays.remove(&key)),
                Entry::Loop(key) => drop(self.loops.remove(&key)),
            }
        }
    }

    /// The duplicate of an op, if `duplicates` may be taken; else it is `v` from here on.
    pub(super) fn op(&mut self, key: OpKey, v: Value, duplicates: bool, facts: &[Fact]) -> Option<Value> {
        let same = |w: &Value| key_of(facts, *w) == key;
        match self.ops.entry(hash(key), same, |w| hash(key_of(facts, *w))) {
            Slot::Occupied(slot) if duplicates => return Some(*slot.get()),
            Slot::Occupied(mut slot) => *slot.get_mut() = v,
            Slot::Vacant(slot) => drop(slot.insert(v)),
        }
        if self.nesting > 0 {
            self.log.push(Entry::Op(key));
        }
        None
    }

    pub(super) fn constant(&self, c: Const) -> Option<Value> {
        self.consts.get(&key(c)).copied()
    }

    pub(super) fn add_constant(&mut self, c: Const, v: Value) {
        self.consts.insert(key(c), v);
        if self.nesting > 0 {
            self.log.push(Entry::Const(key(c)));
        }
    }

    pub(super) fn call(&self, f: FuncId, args: &Values) -> Option<Values> {
        if self.calls.is_empty() { None } else { self.calls.get(&(f, args.clone())).cloned() }
    }

    pub(super) fn add_call(&mut self, f: FuncId, args: Values, results: Values) {
        if self.nesting > 0 {
            self.log.push(Entry::Call((f, args.clone())));
        }
        self.calls.insert((f, args), results);
    }

    pub(super) fn array(&self, key: &ArrayKey) -> Option<Value> {
        self.arrays.get(key).copied()
    }

    pub(super) fn add_array(&mut self, key: ArrayKey, v: Value) {
        if self.nesting > 0 {
            self.log.push(Entry::Array(key.clone()));
        }
        self.arrays.insert(key, v);
    }

    pub(super) fn looped(&self, key: &Key) -> Option<Values> {
        self.loops.get(key).cloned()
    }

    pub(super) fn add_loop(&mut self, key: Key, results: Values) {
        if self.nesting > 0 {
            self.log.push(Entry::Loop(key.clone()));
        }
        self.loops.insert(key, results);
    }
}

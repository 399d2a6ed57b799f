//! The memory plan: where the arrays of a function live, which of them share memory, when it is free again.
//!
//! An array is a pointer to its elements, native and row-major. A *class* is a set of arrays that may lie in the same
//! memory: a reshaped array, a part (`x[i]`, a slice), an `if`'s result and what its branches yield, a loop's carry and what
//! it begins as. An `update` writes into its operand if no array of the class is needed afterwards, and into a copy else;
//! so do loop carries. A *buffer* is memory that some instruction asks for.
//!
//! Invariants:
//! * What an instruction writes is read by nobody who is entitled to the old contents: every array of the class had its
//!   last use. A use inside a loop of something defined outside lasts until the loop's end.
//! * Parameters are never written.
//! * Two buffers in the frame overlap only if one's class is dead before the other's first instruction begins.
//!
//! Absent on purpose: machine code, Cranelift, cutting.

mod scan;
mod share;
mod stores;

use adc_ir::dims::{Known, elements};
use adc_ir::{Dim, Func, Inst, Module, Shape, Value};
use rustc_hash::FxHashMap;

/// Rows of cache: what arrays of the compiler's own are aligned to, and their length rounded up to.
pub(crate) const LINE: u64 = 64;

/// Up to so many bytes are copied or cleared by instructions instead of a call.
pub(crate) const INLINE: u64 = 128;

/// Arrays of more bytes are not in the frame but taken from the heap when they are made; all of them where the heap guards its blocks.
const LARGE: u64 = if cfg!(feature = "guard") { 0 } else { 1 << 24 };

/// By position in [`Memory::buffers`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct BufferId(pub u32);

/// Where a buffer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Store {
    /// In the function's frame, at this offset of its arrays.
    Frame(u64),
    /// Taken from the heap when the array is made.
    Heap,
    /// Taken from the heap by a callee or a growing loop, which alone knows its size.
    Given,
    /// The caller's memory for a result; its address is in the result cell at this offset.
    Output(u32),
    /// A row of the array that the enclosing loop or `if` makes; of a carry, the next row of those that it is collected in.
    Row,
    /// Of a carry, the one of its two places that does not hold the old one.
    Turn,
    /// Where the carry is that this region parameter stands for.
    Carry(Value),
}

impl Store {
    pub fn on_heap(self) -> bool {
        matches!(self, Store::Heap | Store::Given)
    }

    /// Whether the loop or `if` around says where it is.
    pub fn is_row(self) -> bool {
        matches!(self, Store::Row | Store::Turn)
    }
}

/// Memory for an array.
#[derive(Clone, Debug)]
pub(crate) struct Buffer {
    /// The array it is made for.
    pub value: Value,
    /// Its size if it is known, rounded up.
    pub bytes: Option<u64>,
    pub store: Store,
    /// The region it is made in.
    region: u32,
    /// When the instruction that makes it begins.
    start: u32,
}

/// One of the values a region yields: instruction, number of the region, number of the value.
type Yield = (*const Inst, usize, usize);

/// What is known of one function's arrays.
#[derive(Default)]
pub(crate) struct Memory {
    pub buffers: Vec<Buffer>,
    /// By value: sizes, with what is known put in.
    pub shapes: Vec<Shape>,
    /// By array: the buffer its instruction makes for it, if it does not share its operand's memory. Of the parameter of a
    /// loop that stands for a carry: a place to put the next one aside, or, if the region yields a row, to make it in turns.
    made: Vec<Option<BufferId>>,
    /// Arrays that are yielded where they have to be already, with the buffer if that is a row. A carry that has one takes turns if it has
    /// a second place, too ([`Self::made`]); else it is collected: it is in the row of its iteration, and the next one is made in the next
    /// row.
    direct: FxHashMap<Yield, Option<BufferId>>,
    /// By array: whether it begins where a buffer of the frame does, and nothing else is in that up to the end of its last line.
    framed: Vec<bool>,
    /// By result of the function: whether it is in the caller's memory already.
    pub direct_results: Vec<bool>,
    /// By row that an `if` makes: the result it is.
    pub row_results: FxHashMap<BufferId, Value>,
    /// Heap memory to give back after an instruction, by its address.
    frees: FxHashMap<*const Inst, Vec<BufferId>>,
    /// The same at the end of the function.
    pub frees_at_end: Vec<BufferId>,
    /// The same at the end of regions of an instruction, by its address and the number of the region.
    frees_in: FxHashMap<(*const Inst, usize), Vec<BufferId>>,
    /// By result of the function: whether its memory becomes the caller's.
    pub handed_over: Vec<bool>,
    /// Bytes of arrays in the frame.
    pub frame: u64,
}

impl Memory {
    /// The plan for a function whose body is a region.
    pub fn of(module: &Module, func: &Func) -> Memory {
        let n = func.values.len();
        let Some(body) = func.region().filter(|_| func.has_arrays()) else {
            let nothing = vec![None; n];
            let no = vec![false; func.results.len()];
            let (handed_over, direct_results) = (no.clone(), no);
            let shapes = vec![Shape::new(); n];
            return Memory { shapes, made: nothing, handed_over, direct_results, ..Memory::default() };
        };
        let known = Known::of(func);
        let shapes: Vec<Shape> = func.values.iter().map(|d| known.resolve_shape(&d.shape)).collect();
        let scan = scan::Scan::of(func, body);
        let shared = share::share(module, func, body, &scan, &shapes);
        stores::stores(func, body, &scan, shared, shapes)
    }

    /// The memory an array is made in; `None`: it is its operand's.
    pub fn made(&self, v: Value) -> Option<BufferId> {
        self.made[v.0 as usize]
    }

    pub fn buffer(&self, b: BufferId) -> &Buffer {
        &self.buffers[b.0 as usize]
    }

    /// Whether an array begins where a buffer of the frame does: what is behind its last element, up to the end of a line, is nobody's.
    pub fn is_framed(&self, v: Value) -> bool {
        self.framed.get(v.0 as usize).copied().unwrap_or(false)
    }

    pub fn shape(&self, v: Value) -> &Shape {
        &self.shapes[v.0 as usize]
    }

    /// Whether the array that a region yields as its value `k` is where it has to be already.
    pub fn is_direct(&self, inst: &Inst, region: usize, k: usize) -> bool {
        self.direct.contains_key(&(std::ptr::from_ref(inst), region, k))
    }

    /// The buffer of the array that a region yields as its value `k`, if that is a row.
    pub fn row(&self, inst: &Inst, region: usize, k: usize) -> Option<BufferId> {
        self.direct.get(&(std::ptr::from_ref(inst), region, k)).copied().flatten()
    }

    /// Heap memory that is free after an instruction.
    pub fn frees_after(&self, inst: &Inst) -> &[BufferId] {
        self.frees.get(&std::ptr::from_ref(inst)).map_or(&[], Vec::as_slice)
    }

    /// Heap memory that is free at the end of a region.
    pub fn frees_in(&self, inst: &Inst, region: usize) -> &[BufferId] {
        self.frees_in.get(&(std::ptr::from_ref(inst), region)).map_or(&[], Vec::as_slice)
    }
}

/// The number of bytes an array takes, if its sizes are numbers; sizes below 0 end the run elsewhere.
pub(crate) fn bytes(shape: &[Dim], elem: usize) -> Option<u64> {
    if shape.iter().any(|d| d.as_const().is_some_and(|n| n <= 0)) {
        return Some(0);
    }
    let count = elements(shape)?.as_const()?;
    u64::try_from(count).ok()?.checked_mul(elem as u64)
}

/// A length rounded up to whole lines; at least one.
pub(crate) fn padded(bytes: u64) -> u64 {
    bytes.max(1).next_multiple_of(LINE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use adc_ir::{Kind, Region};

    /// How many of the arrays that are written into, carried, or yielded by branches are copied.
    fn copies(text: &str) -> usize {
        fn count(r: &Region, memory: &Memory) -> usize {
            let of = |i: &Inst| -> usize {
                let nested: usize = i.regions.iter().map(|r| count(r, memory)).sum();
                let writes = match i.kind {
                    adc_ir::kinds!(Write) => &i.results[..],
                    Kind::For(_) => &i.results[..i.args.len() - 3],
                    Kind::If => &i.results[..],
                    _ => &[],
                };
                nested + writes.iter().filter(|v| memory.made(**v).is_some()).count()
            };
            r.insts.iter().map(of).sum()
        }
        let m = adc_ir::text::parse_module(text).unwrap_or_else(|d| panic!("{d:?}\n{text}"));
        let func = m.funcs.last().expect("there is a function");
        let memory = Memory::of(&m, func);
        count(func.region().expect("it has a body"), &memory)
    }

    /// Of a loop with the carries v7 and v8, which collects what it yields besides the next ones: how each of those gets to its place.
    fn moves(body: &str) -> [&'static str; 2] {
        let yields = body.rsplit("yield").next().unwrap_or_default();
        let [rows, collected, collects, result] = match yields.split(',').count() {
            2 => [""; 4],
            _ => [", f64[9, 40]", ", v5: f64[9, 40]", "collects 1", ", v5"],
        };
        let text = format!(
            "fn f(x: f64[40], y: f64[40]) -> (f64[40], f64[40]{rows}) {{
               v0 = i64 0 v1 = i64 9 v2 = i64 1
               v3, v4{collected} = for v0, v1, v2, x, y {collects} (v6, v7, v8) {{
                 v9: f64[40] = build (v10) {{ v11 = index v7, v2 yield v11 }}
                 {body}
               }}
               return v3, v4{result}
             }}"
        );
        let m = adc_ir::text::parse_module(&text).unwrap_or_else(|d| panic!("{d:?}\n{text}"));
        let func = m.funcs.last().expect("there is a function");
        let memory = Memory::of(&m, func);
        let inst = func.region().and_then(|r| r.insts.last()).expect("there is a loop");
        let spare = |k: usize| memory.made(inst.regions[0].params[1 + k]).is_some();
        [0, 1].map(|k| match memory.row(inst, 0, k) {
            Some(_) if spare(k) => "turns",
            Some(_) => "rows",
            None => "no",
        })
    }

    #[test]
    fn in_turns() {
        assert_eq!(moves("yield v9, v8"), ["turns", "no"]);
        // One array is made, for two carries.
        assert_eq!(moves("yield v9, v9"), ["turns", "no"]);
        // It is made in the place of a carry that nobody needs.
        assert_eq!(moves("yield v7, v9"), ["no", "no"]);
        assert_eq!(moves("yield v8, v9"), ["no", "turns"]);
        assert_eq!(moves("v12 = f64 1.0 v13 = update v7, v12, v0 yield v13, v8"), ["no", "no"]);
    }

    #[test]
    fn in_rows() {
        assert_eq!(moves("yield v9, v8, v7"), ["rows", "no"]);
        // One array is made, for two carries.
        assert_eq!(moves("yield v9, v9, v7"), ["rows", "no"]);
        // The new one is collected, as a copy.
        assert_eq!(moves("yield v9, v8, v9"), ["turns", "no"]);
        // It becomes the other carry.
        assert_eq!(moves("yield v8, v9, v7"), ["no", "turns"]);
        assert_eq!(moves("v12 = f64 1.0 v13 = update v7, v12, v0 yield v13, v8, v7"), ["rows", "no"]);
    }

    /// The last vector of 12 numbers is cut short, but there is room behind them.
    #[test]
    fn short_arrays() {
        let text = "fn f(x: f64[12]) -> (f64[12], f64[9, 12]) {
            v0 = i64 0 v1 = i64 9 v2 = i64 1
            v3, v4 = for v0, v1, v2, x collects 1 (v5, v6) {
              v7: f64[12] = build (v8) { v9 = index v6, v8 yield v9 }
              v10: f64[12] = build (v11) { v12 = index v7, v0 yield v12 }
              yield v7, v10
            }
            return v3, v4
          }";
        let m = adc_ir::text::parse_module(text).unwrap_or_else(|d| panic!("{d:?}"));
        let func = m.funcs.last().expect("there is a function");
        let memory = Memory::of(&m, func);
        let inst = func.region().and_then(|r| r.insts.last()).expect("there is a loop");
        let (old, yields) = (inst.regions[0].params[1], &inst.regions[0].yields);
        assert!(memory.row(inst, 0, 0).is_some() && memory.made(old).is_some(), "they take turns");
        assert!(memory.is_framed(old) && memory.is_framed(yields[0]));
        // Behind a row there is the next one.
        assert!(!memory.is_framed(yields[1]) && !memory.is_framed(func.params[0].value));
    }

    #[test]
    fn in_place() {
        // The parameter stays; the copy is updated from then on, through loop and branches.
        let text = "fn f(x: f64[8], c: bool) -> f64[8] {
            v0 = i64 0 v1 = i64 8 v2 = i64 1 v3 = f64 2.0
            v4 = update x, v3, v0
            v5 = for v0, v1, v2, v4 (v6, v7) {
              v8 = index v7, v6
              v9 = if c {
                v10 = add_at v7, v8, v0
                yield v10
              } else {
                yield v7
              }
              v11 = update v9, v3, v6
              yield v11
            }
            v12 = update v5, v3, v2
            return v12
          }";
        assert_eq!(copies(text), 1);
        // Arrays whose size only the run knows, in a branch that is taken now and then: snapshots, and a block that runs again.
        let text = "fn f(n: i64, x: f64) -> f64 {
            v0 = i64 0 v1 = i64 1 v2 = i64 8
            v3: f64[n] = fill x
            v4 = for v0, n, v1, v3 (v5, v6) {
              v7 = mod v5, v2 v8 = eq v7, v0
              v9 = if v8 {
                v10 = update v6, x, v5
                yield v10
              } else {
                yield v6
              }
              v11 = if v8 {
                v12 = for v0, n, v1, v9 (v13, v14) {
                  v15 = update v14, x, v13
                  yield v15
                }
                yield v12
              } else {
                yield v9
              }
              yield v11
            }
            v16 = index v4, v0
            return v16
          }";
        assert_eq!(copies(text), 0);
        // The array from before the `if` is needed after it.
        let text = "fn f(n: i64, x: f64, c: bool) -> (f64, f64) {
            v0 = i64 0
            v1: f64[n] = fill x
            v2 = if c {
              v3 = update v1, x, v0
              yield v3
            } else {
              yield v1
            }
            v4 = index v1, v0
            v5 = index v2, v0
            return v4, v5
          }";
        assert_eq!(copies(text), 2);
        // The old array is needed after it was updated.
        let text = "fn f(x: f64) -> (f64[3], f64[3]) {
            v0 = i64 0
            v1: f64[3] = fill x
            v2 = update v1, x, v0
            return v1, v2
          }";
        assert_eq!(copies(text), 1);
    }
}

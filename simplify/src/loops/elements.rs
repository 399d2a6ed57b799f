//! Elements that are written and read at once: `x[i] += e` is an addition to an element of an array, and what was just written to an element
//! is not read back.
//!
//! An addition changes nothing that its reverse has to know: the cotangent of the array stays as it is. Of a read, an addition and a
//! write, the write makes the cotangent of the element zero, and the read adds it again. Iterations that only add to an array, and do
//! not read it, can run in lanes besides. Bits are the same: a − b is a + (−b).

use super::scan;
use adc_ir::ranges::Ranges;
use adc_ir::{Func, Inst, Kind, Op, Region, Span, Value};
use rustc_hash::FxHashMap;

/// Returns whether there was any.
pub(crate) fn function(f: &mut Func) -> bool {
    let ranges = Ranges::of(f);
    let mut any = false;
    scan::edit(f, |body, f| {
        let mut uses = vec![0; f.values.len()];
        body.count_uses(&mut uses);
        let mut e = Elements { f, ranges, uses, written: FxHashMap::default(), any: false };
        e.region(body);
        any = e.any;
    });
    any
}

/// What an array is: another one with `value` at `index`.
struct Written {
    array: Value,
    value: Value,
    index: Vec<Value>,
}

struct Elements<'a> {
    f: &'a mut Func,
    ranges: Ranges,
    /// By value.
    uses: Vec<u32>,
    written: FxHashMap<Value, Written>,
    any: bool,
}

impl Elements<'_> {
    fn region(&mut self, r: &mut Region) {
        self.read_back(r);
        let mut made = Made::default();
        for mut inst in std::mem::take(&mut r.insts) {
            inst.regions.iter_mut().for_each(|r| self.region(r));
            match inst.kind {
                Kind::Update => self.write(inst, &mut made),
                _ => made.push(inst),
            }
        }
        r.insts = made.insts;
    }

    /// Puts what was written into the place of what reads it. Elsewhere the read would be an error that nothing else reports.
    fn read_back(&mut self, r: &mut Region) {
        let mut to: FxHashMap<Value, Value> = FxHashMap::default();
        let now = |to: &FxHashMap<Value, Value>, v: &Value| to.get(v).copied().unwrap_or(*v);
        for inst in &r.insts {
            match (&inst.kind, &inst.args[..]) {
                (Kind::Update, [array, value, index @ ..]) if !self.f.ty(*value).is_array() => {
                    let (value, index) = (now(&to, value), index.to_vec());
                    self.written.insert(inst.results[0], Written { array: *array, value, index });
                }
                (Kind::Index, [array, index @ ..]) => {
                    let Some(w) = self.written.get(array).filter(|w| w.index == index) else { continue };
                    if self.ranges.inside(self.f.shape(*array), index) {
                        to.insert(inst.results[0], w.value);
                        self.uses[w.value.0 as usize] += self.uses[inst.results[0].0 as usize];
                        self.uses[array.0 as usize] -= 1;
                    }
                }
                _ => {}
            }
        }
        if !to.is_empty() {
            r.insts.retain(|i| i.results.first().is_none_or(|v| !to.contains_key(v)));
            scan::rename(r, self.f, &to);
            for w in self.written.values_mut() {
                w.index.iter_mut().for_each(|v| *v = now(&to, v));
            }
            self.any = true;
        }
    }

    /// A write of an element: of one that is written again, the last time; as additions, if the value is a sum with what was there.
    fn write(&mut self, mut inst: Inst, made: &mut Made) {
        let again = |w: &&Written| self.uses[inst.args[0].0 as usize] == 1 && w.index == inst.args[2..];
        if let Some(w) = self.written.get(&inst.args[0]).filter(again) {
            let (array, value) = (w.array, w.value);
            self.uses[inst.args[0].0 as usize] = 0;
            self.uses[value.0 as usize] -= 1;
            inst.args[0] = array;
            // The one before that it writes again, too, was left out already.
            self.written.entry(inst.results[0]).and_modify(|w| w.array = array);
            self.any = true;
        }
        let (array, value, index) = (inst.args[0], inst.args[1], inst.args[2..].to_vec());
        let mut terms = self.terms(value, &[&[array], &index[..]].concat(), made).unwrap_or_default();
        let Some(last) = terms.pop() else { return made.push(inst) };
        let mut sum = array;
        for term in terms {
            let args = [&[sum, self.added(term, made)], &index[..]].concat();
            let data = self.f.data(array).clone();
            sum = scan::emit(self.f, Kind::AddAt, &args, data, inst.span, &mut made.insts);
        }
        inst.kind = Kind::AddAt;
        inst.args = [&[sum, self.added(last, made)], &index[..]].concat().into();
        made.push(inst);
        self.any = true;
    }

    /// The number that a term adds.
    fn added(&mut self, term: Term, made: &mut Made) -> Value {
        let Term { value, subtracted, span } = term;
        if !subtracted {
            return value;
        }
        let data = self.f.data(value).clone();
        scan::emit(self.f, Kind::Op(Op::Neg), &[value], data, span, &mut made.insts)
    }

    /// What is added to the element at `place` (an array and indices), in order, if `sum` is the element with that added, and nothing else needs it
    /// or a sum on the way.
    fn terms(&self, mut sum: Value, place: &[Value], made: &Made) -> Option<Vec<Term>> {
        let ty = self.f.ty(sum);
        (!ty.is_array() && ty.scalar().is_float()).then_some(())?;
        let is_element = |v: Value| made.of(v).is_some_and(|i| i.kind == Kind::Index && i.args[..] == *place);
        let mut found = Vec::new();
        loop {
            (self.uses.get(sum.0 as usize) == Some(&1)).then_some(())?;
            if is_element(sum) {
                found.reverse();
                return Some(found);
            }
            let inst = made.of(sum)?;
            let (rest, value, subtracted) = match (&inst.kind, &inst.args[..]) {
                (Kind::Op(Op::Add), [a, b]) if is_element(*b) => (*b, *a, false),
                (Kind::Op(Op::Add), [a, b]) => (*a, *b, false),
                (Kind::Op(Op::Sub), [a, b]) => (*a, *b, true),
                _ => return None,
            };
            (self.f.ty(rest) == ty && self.f.ty(value) == ty).then_some(())?;
            found.push(Term { value, subtracted, span: inst.span });
            sum = rest;
        }
    }
}

/// What is added to an element.
struct Term {
    value: Value,
    subtracted: bool,
    span: Span,
}

/// The instructions of a region so far.
#[derive(Default)]
struct Made {
    insts: Vec<Inst>,
    /// By result: where it is made.
    at: FxHashMap<Value, usize>,
}

impl Made {
    fn push(&mut self, inst: Inst) {
        if let [r] = inst.results[..] {
            self.at.insert(r, self.insts.len());
        }
        self.insts.push(inst);
    }

    fn of(&self, v: Value) -> Option<&Inst> {
        Some(&self.insts[*self.at.get(&v)?])
    }
}

//! Small matrices that an inner loop reads or adds to by columns, again and again, are transposed once before the outer loop, and sums after
//! it: then the elements of neighbouring iterations are neighbours in memory, and the inner loop runs in lanes. Their rows are padded
//! to whole lines of cache: a vector that lies in two lines takes twice as long. If each iteration of the outer loop has a column of its
//! own there is nothing to gain: this loop may run in lanes itself.
//!
//! Nothing is computed otherwise, so results keep their bits.

use super::scan;
use adc_ir::{Const, Dim, Func, Inst, Kind, Region, Span, Type, Value, ValueData};
use rustc_hash::{FxHashMap, FxHashSet};

/// Elements of a matrix, at most: it stays in the second-level cache.
const ELEMENTS: i64 = 1 << 17;
/// Iterations of the inner loop, at least, if they are known: fewer are no lanes.
const FEWEST: i64 = 8;
/// Doubles of a line of cache.
const LINE: i64 = 8;

pub(crate) fn function(f: &mut Func) {
    scan::edit(f, |body, f| Transposer { f }.region(body));
}

struct Transposer<'a> {
    f: &'a mut Func,
}

/// A sum of matrices: carry of the outer loop, the inner loop's place among the outer one's instructions, and carry of it.
struct Sum {
    outer: usize,
    inst: usize,
    inner: usize,
}

impl Transposer<'_> {
    fn region(&mut self, r: &mut Region) {
        let mut out = Vec::with_capacity(r.insts.len());
        for mut inst in std::mem::take(&mut r.insts) {
            let mut behind = Vec::new();
            if inst.kind.is_loop() {
                self.reads(&mut inst, &mut out);
                self.sums(&mut inst, &mut out, &mut behind);
            }
            // Outer loops first: what is transposed before them is transposed once.
            inst.regions.iter_mut().for_each(|r| self.region(r));
            out.push(inst);
            out.extend(behind);
        }
        r.insts = out;
    }

    /// Whether it is a matrix of doubles that is small, and its columns are longer than one element apart.
    fn is_small(&self, v: Value) -> bool {
        let data = &self.f.values[v.0 as usize];
        let sizes: Option<Vec<i64>> = data.shape.iter().map(|d| d.as_const()).collect();
        let small = |s: Vec<i64>| s.len() == 2 && s[1] > 1 && s.iter().product::<i64>() <= ELEMENTS;
        data.ty.is_array() && Type::Scalar(data.ty.scalar()) == Type::F64 && sizes.is_some_and(small)
    }

    /// Whether a loop may run in lanes: it has no loops inside, and enough iterations.
    fn is_inner(&self, inst: &Inst) -> bool {
        let mut loops = 0;
        scan::each(inst, &mut |i| loops += i.kind.is_loop() as u32);
        let size = match inst.kind {
            Kind::Build { rank: 1 } => self.f.shape(inst.results[0])[0].as_const(),
            Kind::For(_) | Kind::Reduce(_) => None,
            _ => return false,
        };
        loops == 1 && size.is_none_or(|n| n >= FEWEST)
    }

    /// Matrices from outside a loop that inner loops read by columns.
    fn reads(&mut self, outer: &mut Inst, before: &mut Vec<Inst>) {
        let mut inside = FxHashSet::default();
        defined(outer, &mut inside);
        let mut found: Vec<Value> = Vec::new();
        let mut loops = Vec::new();
        inner_loops(outer, &mut loops);
        for (around, inner) in loops.into_iter().filter(|(_, i)| self.is_inner(i)) {
            by_columns(inner, &mut |inst| {
                let x = inst.args[0];
                if !is_own(inst.args[2], around) && !inside.contains(&x) && !found.contains(&x) {
                    found.push(x);
                }
            });
        }
        found.retain(|x| self.is_small(*x));
        if found.is_empty() {
            return;
        }
        let to: FxHashMap<Value, Value> =
            found.into_iter().map(|x| (x, self.transpose(x, outer.span, before))).collect();
        let this = &*self;
        fn visit(r: &mut Region, this: &Transposer, to: &FxHashMap<Value, Value>) {
            for inst in &mut r.insts {
                if inst.kind.is_loop() && this.is_inner(inst) {
                    let columns = columns_of(inst, |i| to.contains_key(&i.args[0]));
                    swap(inst, &columns, to);
                } else {
                    inst.regions.iter_mut().for_each(|r| visit(r, this, to));
                }
            }
        }
        outer.regions.iter_mut().for_each(|r| visit(r, this, &to));
    }

    /// Matrices that a loop carries and that one inner loop alone adds to, by columns.
    fn sums(&mut self, outer: &mut Inst, before: &mut Vec<Inst>, behind: &mut Vec<Inst>) {
        if !matches!(outer.kind, Kind::For(_)) {
            return;
        }
        for sum in self.candidates(outer) {
            let span = outer.span;
            let (result, init) = (outer.results[sum.outer], outer.args[3 + sum.outer]);
            outer.args[3 + sum.outer] = self.transpose(init, span, before);
            let turned = self.f.fresh(self.turned(result));
            outer.results[sum.outer] = turned;
            self.turn_back(turned, result, span, behind);
            let body = &mut outer.regions[0];
            let inner = &mut body.insts[sum.inst];
            let mut at = inner.regions[0].params[1 + sum.inner];
            for v in [body.params[1 + sum.outer], inner.results[sum.inner], at] {
                self.turn(v);
            }
            for inst in &mut inner.regions[0].insts {
                if inst.kind == Kind::AddAt && inst.args[0] == at {
                    inst.args.swap(2, 3);
                    at = inst.results[0];
                    self.turn(at);
                }
            }
        }
    }

    fn candidates(&self, outer: &Inst) -> Vec<Sum> {
        let mut uses: FxHashMap<Value, u32> = FxHashMap::default();
        scan::uses(outer, self.f, &mut |v| *uses.entry(v).or_default() += 1);
        let once = |v: Value| uses.get(&v) == Some(&1);
        let body = &outer.regions[0];
        let mut sums = Vec::new();
        for k in 0..outer.args.len() - 3 {
            let param = body.params[1 + k];
            if !self.is_small(param) || !once(param) {
                continue;
            }
            let is_sum = |(at, inner): (usize, &Inst)| {
                if !matches!(inner.kind, Kind::For(_)) || !self.is_inner(inner) {
                    return None;
                }
                let j = inner.args[3..].iter().position(|v| *v == param)?;
                let (inside, index) = (&inner.regions[0], inner.regions[0].params[0]);
                let mut own = FxHashSet::default();
                defined(inner, &mut own);
                let mut v = inside.params[1 + j];
                for inst in &inside.insts {
                    if inst.args.contains(&v) {
                        let shared = |column| !own.contains(&column) && !is_own(column, outer);
                        let column = inst.kind == Kind::AddAt
                            && inst.args[0] == v
                            && entry(inst).is_some_and(|(row, column)| row == index && shared(column));
                        if !column || !once(v) {
                            return None;
                        }
                        v = inst.results[0];
                    }
                }
                let leaves = inside.yields[j] == v && once(v) && body.yields[k] == inner.results[j];
                (leaves && once(inner.results[j]) && v != inside.params[1 + j]).then_some(Sum {
                    outer: k,
                    inst: at,
                    inner: j,
                })
            };
            sums.extend(body.insts.iter().enumerate().find_map(is_sum));
        }
        sums
    }

    /// What a matrix is with as many rows more as make whole lines.
    fn padded(&self, x: Value) -> ValueData {
        let mut data = self.f.data(x).clone();
        let rows = data.shape[0].as_const().expect("small matrices have known sizes");
        if rows > LINE {
            data.shape[0] = Dim::constant((rows + LINE - 1) / LINE * LINE);
        }
        data
    }

    /// What it is then transposed.
    fn turned(&self, x: Value) -> ValueData {
        let mut data = self.padded(x);
        data.shape.reverse();
        data
    }

    fn turn(&mut self, v: Value) {
        self.f.values[v.0 as usize] = self.turned(v);
    }

    fn transpose(&mut self, x: Value, span: Span, out: &mut Vec<Inst>) -> Value {
        let (padded, turned) = (self.padded(x), self.turned(x));
        let mut rows = x;
        if padded.shape != *self.f.shape(x) {
            let zero = scan::constant(self.f, Const::F64(0.0), span, out);
            let zeros = scan::emit(self.f, Kind::Fill, &[zero], padded.clone(), span, out);
            let first = scan::constant(self.f, Const::I64(0), span, out);
            rows = scan::emit(self.f, Kind::UpdateSlice, &[zeros, x, first], padded, span, out);
        }
        scan::emit(self.f, Kind::Transpose, &[rows], turned, span, out)
    }

    /// The result of the outer loop, of what it carries now.
    fn turn_back(&mut self, turned: Value, result: Value, span: Span, out: &mut Vec<Inst>) {
        let padded = self.padded(result);
        if padded.shape == *self.f.shape(result) {
            return out.push(Inst::simple(Kind::Transpose, &[turned], result, span));
        }
        let rows = scan::emit(self.f, Kind::Transpose, &[turned], padded, span, out);
        let first = scan::constant(self.f, Const::I64(0), span, out);
        out.push(Inst::simple(Kind::Slice, &[rows, first], result, span));
    }
}

/// Everything that is defined in the regions of an instruction.
fn defined(inst: &Inst, set: &mut FxHashSet<Value>) {
    for r in &inst.regions {
        set.extend(&r.params);
        for inst in &r.insts {
            set.extend(&inst.results);
            defined(inst, set);
        }
    }
}

/// The loops in a loop, each with the one around it.
fn inner_loops<'a>(outer: &'a Inst, loops: &mut Vec<(&'a Inst, &'a Inst)>) {
    fn region<'a>(r: &'a Region, around: &'a Inst, loops: &mut Vec<(&'a Inst, &'a Inst)>) {
        for inst in &r.insts {
            if inst.kind.is_loop() {
                loops.push((around, inst));
                inner_loops(inst, loops);
            } else {
                inst.regions.iter().for_each(|r| region(r, around, loops));
            }
        }
    }
    outer.regions.iter().for_each(|r| region(r, outer, loops));
}

/// Whether a column is that of the iteration of the loop around: no other iteration has it, and the elements of neighbouring
/// iterations are neighbours in memory, so that the loop around may run in lanes as it is.
fn is_own(column: Value, around: &Inst) -> bool {
    match around.kind {
        Kind::Build { rank } => rank == 1 && around.regions[0].params[0] == column,
        Kind::For(_) | Kind::Reduce(_) => around.regions[0].params[0] == column,
        _ => false,
    }
}

/// Whether a loop inside reads or changes the columns of a matrix, each iteration its own.
pub(super) fn has_columns(outer: &Inst) -> bool {
    let mut loops = Vec::new();
    inner_loops(outer, &mut loops);
    loops.into_iter().filter(|(around, _)| std::ptr::eq(*around, outer)).any(|(_, inner)| {
        let index = inner.regions[0].params.first();
        let mut found = false;
        scan::each(inner, &mut |i| {
            found |= entry(i).is_some_and(|(row, column)| Some(&row) == index && is_own(column, outer));
        });
        found
    })
}

/// Row and column of the element of a matrix that an instruction reads or changes.
fn entry(inst: &Inst) -> Option<(Value, Value)> {
    match (&inst.kind, &inst.args[..]) {
        (Kind::Index, [_, row, column]) | (Kind::AddAt | Kind::Update, [_, _, row, column]) => {
            Some((*row, *column))
        }
        _ => None,
    }
}

/// The reads of an inner loop whose row is its index, and whose column is the same in all iterations.
fn by_columns<'a>(inner: &'a Inst, see: &mut impl FnMut(&'a Inst)) {
    let mut own = FxHashSet::default();
    defined(inner, &mut own);
    let index = inner.regions[0].params[0];
    let constant = |v: &Value| {
        let mut found = false;
        scan::each(inner, &mut |i| found |= matches!(i.kind, Kind::Const(_)) && i.results[0] == *v);
        found
    };
    scan::each(inner, &mut |inst| {
        if inst.kind == Kind::Index
            && let Some((row, column)) = entry(inst)
            && row == index
            && (!own.contains(&column) || constant(&column))
        {
            see(inst);
        }
    });
}

/// Results of the instructions read by columns that are asked for.
fn columns_of(inner: &Inst, is: impl Fn(&Inst) -> bool) -> FxHashSet<Value> {
    let mut list = FxHashSet::default();
    by_columns(inner, &mut |inst| {
        if is(inst) {
            list.insert(inst.results[0]);
        }
    });
    list
}

/// Reads transposed matrices in place of others.
fn swap(inst: &mut Inst, results: &FxHashSet<Value>, to: &FxHashMap<Value, Value>) {
    for r in &mut inst.regions {
        for inst in &mut r.insts {
            if inst.kind == Kind::Index && results.contains(&inst.results[0]) {
                inst.args[0] = to[&inst.args[0]];
                inst.args.swap(1, 2);
            }
            swap(inst, results, to);
        }
    }
}

//! Small loops with a known number of iterations are written out, so that small arrays with known indices become values. A loop
//! without iterations, as inner ones of triangles are, becomes what it begins with, and one with a single iteration its body,
//! however large.
//!
//! Sums are added up in the order [`adc_ir::PARTIALS`] says: results keep their bits.

use super::scan;
use adc_ir::dims::Known;
use adc_ir::{Const, Func, Inst, Kind, Op, PARTIALS, ReduceOp, Region, Smoothness, Span, Type, Value, kinds};
use rustc_hash::FxHashSet;

/// Iterations of a loop that is written out, at most.
const ELEMENTS: usize = PARTIALS;
/// The same of one with elementary functions, which are better off in lanes, unless the loop around may run in lanes.
const TURNS: usize = 7;
/// Iterations of the loop around, at least: fewer are no lanes.
const LANES: i64 = 16;
/// Elements of an array that is made in a loop and written out, at most: there it stands in the way of lanes.
const ROWS: usize = 64;
/// Instructions that it becomes, at most.
const SIZE: usize = 512;

/// `extrema`: also `max` and `min`, whose derivative is that of one iteration as long as they are reductions.
pub(crate) fn function(f: &mut Func, extrema: bool) {
    let known = Known::of(f);
    scan::edit(f, |body, f| {
        let mut whole = FxHashSet::default();
        for inst in &body.insts {
            scan::each(inst, &mut |i| {
                if i.kind != Kind::Index {
                    whole.extend(&i.args);
                }
            });
        }
        let long = FxHashSet::default();
        Unroller { f, known: &known, extrema, loops: 0, lanes: false, whole, long }.region(body);
    });
}

struct Unroller<'a> {
    f: &'a mut Func,
    known: &'a Known,
    extrema: bool,
    /// Loops around.
    loops: u32,
    /// Whether the loop around may run in lanes.
    lanes: bool,
    /// What is used otherwise than element by element, or as what a loop makes.
    whole: FxHashSet<Value>,
    /// Iterations of loops with elementary functions in the loop around, which stay loops: so do others of as many iterations, which may
    /// become one with them.
    long: FxHashSet<i64>,
}

impl Unroller<'_> {
    fn region(&mut self, r: &mut Region) {
        let long = if self.loops > 0 && !self.lanes { self.long(r) } else { FxHashSet::default() };
        let long_around = std::mem::replace(&mut self.long, long);
        let mut out = Vec::with_capacity(r.insts.len());
        for mut inst in std::mem::take(&mut r.insts) {
            // Inner loops first: they may be what makes this one small.
            let is_loop = matches!(inst.kind, kinds!(Loop)) as u32;
            let lanes = if is_loop == 1 { self.has_lanes(&inst) } else { self.lanes };
            let before = std::mem::replace(&mut self.lanes, lanes);
            self.loops += is_loop;
            inst.regions.iter_mut().for_each(|r| self.region(r));
            self.loops -= is_loop;
            self.lanes = before;
            match self.iterations(&inst) {
                Some(iterations) => self.unroll(inst, &iterations, &mut out),
                None => out.push(inst),
            }
        }
        r.insts = out;
        self.long = long_around;
    }

    /// The numbers of iterations of loops in a region that have elementary functions, if they are too many to be written out.
    fn long(&self, r: &Region) -> FxHashSet<i64> {
        let mut found = FxHashSet::default();
        let elementary =
            |r: &Region| r.insts.iter().any(|i| matches!(i.kind, Kind::Op(op) if is_elementary(op)));
        for inst in &r.insts {
            scan::each(inst, &mut |i| {
                if i.kind.is_loop() && elementary(&i.regions[0]) {
                    found.extend(self.turns(i).filter(|n| *n > TURNS as i64));
                }
            });
        }
        found
    }

    /// The number of iterations of a loop, of the innermost axis of an array that it makes.
    fn turns(&self, inst: &Inst) -> Option<i64> {
        let number = |v: Value| self.known.number(v);
        match &inst.kind {
            Kind::Build { rank } => {
                self.known.resolve(&self.f.shape(inst.results[0])[*rank as usize - 1]).as_const()
            }
            Kind::Reduce(_) | Kind::For(_) => {
                number(inst.args[0]).zip(number(inst.args[1])).map(|(lo, hi)| hi.saturating_sub(lo))
            }
            _ => None,
        }
    }

    /// The indices of each iteration of a loop that is to be written out.
    fn iterations(&self, inst: &Inst) -> Option<Vec<Vec<i64>>> {
        let number = |v: Value| self.known.number(v);
        if !self.extrema && matches!(inst.kind, Kind::Reduce(ReduceOp::Max | ReduceOp::Min)) {
            return None;
        }
        // Elements of sums of arrays.
        let mut added = 0;
        let mut empty = false;
        let iterations: Vec<Vec<i64>> = match &inst.kind {
            Kind::Build { rank } => {
                let mut iterations = vec![Vec::new()];
                for size in &self.f.shape(inst.results[0])[..*rank as usize] {
                    let few = |n: &i64| (1..=ELEMENTS as i64).contains(n);
                    let n = self.known.resolve(size).as_const().filter(few)?;
                    iterations =
                        iterations.iter().flat_map(|t| (0..n).map(|i| [&t[..], &[i]].concat())).collect();
                }
                iterations
            }
            Kind::Reduce(op) if combining(*op).is_some() && !self.f.ty(inst.results[0]).is_array() => {
                // What is the largest of nothing is for the loop to say.
                empty = !op.needs_element();
                range(inst, number)?
            }
            Kind::For(l) => {
                let n = inst.args.len() - 3;
                let sums = &inst.results[n..n + l.sums as usize];
                empty = !sums.iter().any(|v| self.f.ty(*v).is_array());
                for v in sums {
                    added += self.elements(*v)?;
                }
                range(inst, number)?
            }
            _ => return None,
        };
        match iterations.len() {
            0 => return empty.then_some(iterations),
            1 if added == 0 => return Some(iterations),
            _ => {}
        }
        let size = scan::size(&inst.regions[0]).max(1) + added;
        let mut elementary = false;
        scan::each(inst, &mut |i| elementary |= matches!(i.kind, Kind::Op(op) if is_elementary(op)));
        let most = match inst.kind {
            _ if elementary && !self.lanes => TURNS,
            Kind::Build { .. } if self.loops > 0 && !self.whole.contains(&inst.results[0]) => ROWS,
            _ => ELEMENTS,
        };
        let stays = !elementary && self.turns(inst).is_some_and(|n| self.long.contains(&n));
        (iterations.len() <= most && iterations.len() * size <= SIZE && !stays).then_some(iterations)
    }

    /// Whether the iterations of a loop are many, and do not depend on each other but for sums.
    fn has_lanes(&self, inst: &Inst) -> bool {
        if !matches!(inst.kind, Kind::Build { .. } | Kind::Reduce(_) | Kind::For(_)) {
            return false;
        }
        let size = self.turns(inst);
        let carried = if matches!(inst.kind, Kind::For(_)) { &inst.regions[0].params[1..] } else { &[] };
        let mut sums: FxHashSet<Value> = carried.iter().copied().collect();
        size.is_none_or(|n| n >= LANES)
            && carried.iter().all(|v| self.f.ty(*v).is_array())
            && is_added_to(&inst.regions[0], &mut sums)
    }

    /// The number of elements of an array, if there are few; 0 for a scalar.
    fn elements(&self, v: Value) -> Option<usize> {
        if !self.f.ty(v).is_array() {
            return Some(0);
        }
        let sizes: Option<Vec<i64>> =
            self.f.shape(v).iter().map(|d| self.known.resolve(d).as_const()).collect();
        let n: i64 = sizes.filter(|s| s.iter().all(|n| (1..=ELEMENTS as i64).contains(n)))?.iter().product();
        (n <= ELEMENTS as i64).then_some(n as usize)
    }

    /// The sum of arrays, one after the other from +0, element by element.
    fn array_sum(&mut self, terms: &[Value], span: Span, out: &mut Vec<Inst>) -> Value {
        let data = self.f.data(terms[0]).clone();
        let elem = Type::Scalar(data.ty.scalar());
        let axes: Vec<usize> = (data.shape.iter())
            .map(|d| self.known.resolve(d).as_const().expect("looked at before") as usize)
            .collect();
        let mut index = vec![0; axes.len()];
        let mut sums = Vec::new();
        loop {
            let at: Vec<Value> =
                index.iter().map(|i| scan::constant(self.f, Const::I64(*i as i64), span, out)).collect();
            let mut sum = scan::constant(self.f, Const::zero(elem.scalar()), span, out);
            for v in terms {
                let element = [&[*v], at.as_slice()].concat();
                let element = scan::emit(self.f, Kind::Index, &element, elem.into(), span, out);
                sum = self.op(Op::Add, sum, element, elem, span, out);
            }
            sums.push(sum);
            let Some(k) = (0..axes.len()).rev().find(|k| index[*k] + 1 < axes[*k]) else { break };
            index[k] += 1;
            index[k + 1..].fill(0);
        }
        self.pack(&sums, &axes, span, out)
    }

    fn unroll(&mut self, inst: Inst, iterations: &[Vec<i64>], out: &mut Vec<Inst>) {
        let Inst { kind, args, results, regions, span } = inst;
        let body = &regions[0];
        let mut carries: Vec<Value> = args.get(3..).unwrap_or_default().to_vec();
        let mut yields: Vec<Vec<Value>> = vec![Vec::new(); body.yields.len()];
        for iteration in iterations {
            let index = iteration.iter().map(|i| scan::constant(self.f, Const::I64(*i), span, out));
            let params: Vec<Value> =
                index.collect::<Vec<_>>().into_iter().chain(carries.iter().copied()).collect();
            let (insts, found) = scan::copy(body, self.f, &params);
            out.extend(insts);
            let n = carries.len();
            carries.copy_from_slice(&found[..n]);
            yields.iter_mut().zip(found).for_each(|(all, v)| all.push(v));
        }
        let gathered = yields.split_off(carries.len());
        let made: Vec<Value> = match &kind {
            Kind::Build { .. } => {
                let axes: Vec<usize> = (0..iterations[0].len())
                    .map(|k| iterations.iter().map(|t| t[k]).max().expect("there are turns") as usize + 1)
                    .collect();
                vec![self.pack(&gathered[0], &axes, span, out)]
            }
            Kind::Reduce(op) => {
                let ty = self.f.ty(results[0]);
                vec![self.reduce(*op, &gathered[0], ty, span, out)]
            }
            Kind::For(l) => {
                let mut made = carries;
                for (k, terms) in gathered.iter().enumerate() {
                    let result = results[made.len()];
                    made.push(match k < l.sums as usize {
                        sum if terms.is_empty() => {
                            let data = self.f.data(result).clone();
                            let zero = scan::constant(self.f, Const::zero(data.ty.scalar()), span, out);
                            if sum { zero } else { scan::emit(self.f, Kind::Fill, &[zero], data, span, out) }
                        }
                        true if self.f.ty(terms[0]).is_array() => self.array_sum(terms, span, out),
                        true => self.reduce(ReduceOp::Sum, terms, self.f.ty(result), span, out),
                        false => self.pack(terms, &[terms.len()], span, out),
                    });
                }
                made
            }
            kind => unreachable!("{kind:?} is not written out"),
        };
        // The results keep their names.
        for (r, v) in results.into_iter().zip(made) {
            self.rename(r, v, span, out);
        }
    }

    /// Defines `r` as what `v` is: the instruction that defined `v` does, or it is the branch always taken.
    fn rename(&mut self, r: Value, v: Value, span: Span, out: &mut Vec<Inst>) {
        let truth = scan::constant(self.f, Const::Bool(true), span, out);
        let branch = || Region { params: Vec::new(), insts: Vec::new(), yields: vec![v] };
        let (args, results) = ([truth].as_slice().into(), [r].as_slice().into());
        out.push(Inst { kind: Kind::If, args, results, regions: vec![branch(), branch()], span });
    }

    /// The array of `values`, row-major.
    fn pack(&mut self, values: &[Value], axes: &[usize], span: Span, out: &mut Vec<Inst>) -> Value {
        let (first, rest) = axes.split_first().expect("an array has an axis");
        if rest.is_empty() {
            let data = self.f.data(values[0]).outer(&[(values.len() as i64).into()]);
            return scan::emit(self.f, Kind::Pack, values, data, span, out);
        }
        let rows = values.chunks(values.len() / first).map(|row| self.pack(row, rest, span, out));
        let rows: Vec<Value> = rows.collect::<Vec<_>>();
        let data = self.f.data(rows[0]).outer(&[(rows.len() as i64).into()]);
        scan::emit(self.f, Kind::Pack, &rows, data, span, out)
    }

    fn reduce(&mut self, op: ReduceOp, terms: &[Value], ty: Type, span: Span, out: &mut Vec<Inst>) -> Value {
        let with = combining(op).expect("looked at before");
        if terms.is_empty() {
            let nothing = op.of_nothing(ty.scalar()).expect("one that needs an element stays a loop");
            return scan::constant(self.f, nothing, span, out);
        }
        if op == ReduceOp::Prod && ty.scalar().is_complex() {
            // 1·z is not z, part by part: a part times 0 may be −0 or NaN.
            let one = Const::real(1.0, ty.scalar());
            let one = scan::constant(self.f, one, span, out);
            return terms.iter().fold(one, |acc, v| self.op(with, acc, *v, ty, span, out));
        }
        if op != ReduceOp::Sum || ty == Type::I64 {
            return terms[1..].iter().fold(terms[0], |acc, v| self.op(with, acc, *v, ty, span, out));
        }
        scan::sum(self.f, terms.to_vec(), ty, span, out)
    }

    fn op(&mut self, op: Op, a: Value, b: Value, ty: Type, span: Span, out: &mut Vec<Inst>) -> Value {
        scan::emit(self.f, Kind::Op(op), &[a, b], ty.into(), span, out)
    }
}

/// Whether an op is a function that takes a program of its own.
fn is_elementary(op: Op) -> bool {
    const PLAIN: [Op; 7] = [Op::Mul, Op::Div, Op::Powi, Op::Recip, Op::Square, Op::Sqrt, Op::Abs2];
    op.info().smooth == Smoothness::Smooth && !PLAIN.contains(&op)
}

/// Whether a region adds to these arrays, and does nothing else with them. What they become is taken in.
fn is_added_to(r: &Region, sums: &mut FxHashSet<Value>) -> bool {
    r.insts.iter().all(|inst| {
        let uses = inst.args.iter().filter(|v| sums.contains(v)).count();
        match inst.kind {
            Kind::AddAt | Kind::AddSlice if uses == 1 && sums.contains(&inst.args[0]) => {
                sums.insert(inst.results[0]);
                true
            }
            Kind::For(_) => {
                let body = &inst.regions[0];
                for (k, init) in inst.args[3..].iter().enumerate() {
                    if sums.contains(init) {
                        sums.extend([body.params[1 + k], inst.results[k]]);
                    }
                }
                !inst.args[..3].iter().any(|v| sums.contains(v)) && is_added_to(body, sums)
            }
            _ if uses > 0 => false,
            _ => {
                let inside = inst.regions.iter().all(|r| is_added_to(r, sums));
                for r in inst.regions.iter().filter(|_| inst.kind == Kind::If) {
                    let yielded = inst.results.iter().zip(&r.yields).filter(|(_, v)| sums.contains(v));
                    let yielded: Vec<Value> = yielded.map(|(y, _)| *y).collect();
                    sums.extend(yielded);
                }
                inside
            }
        }
    })
}

/// The indices of a loop from lo to hi.
fn range(inst: &Inst, number: impl Fn(Value) -> Option<i64>) -> Option<Vec<Vec<i64>>> {
    let [lo, hi, step] = [0, 1, 2].map(|k| number(inst.args[k]));
    let (lo, hi, step) = (lo?, hi?, step?);
    let near = hi.checked_sub(lo).is_some_and(|n| n <= step.saturating_mul(ELEMENTS as i64));
    (step > 0 && near).then(|| (lo..hi).step_by(step as usize).map(|i| vec![i]).collect())
}

/// The op that a reduction of scalars repeats.
fn combining(op: ReduceOp) -> Option<Op> {
    match op {
        ReduceOp::Sum => Some(Op::Add),
        ReduceOp::Prod => Some(Op::Mul),
        ReduceOp::Max => Some(Op::Max),
        ReduceOp::Min => Some(Op::Min),
        ReduceOp::Any => Some(Op::Or),
        ReduceOp::All => Some(Op::And),
        ReduceOp::ArgMax | ReduceOp::ArgMin => None,
    }
}

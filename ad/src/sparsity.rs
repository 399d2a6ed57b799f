//! Which entries of a Jacobian can be different from zero.
//!
//! The program is run on dependences: each number is replaced by the set of input elements that its derivative depends on. Integers
//! and truth values that do not depend on real numbers are run as they are, so indices, trip counts and branches are known; where
//! one is not known, everything that could happen is joined. So the pattern contains every entry that can be different from zero,
//! and depends on the dimensions and the discrete inputs only.
//!
//! A set is a node of a graph of unions, made in one step whatever its size; only the sets of results are written out.

use adc_ir::interp::fold;
use adc_ir::{
    Body, Code, Const, Datum, Diagnostic, Dim, Func, FuncId, Inst, Kind, Module, Op, ReduceOp, Region,
    RuleKind, Span, Type, Value, ops,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// A matrix by its entries that can be different from zero, row by row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pattern {
    /// Number of columns.
    pub columns: usize,
    /// Where each row's entries begin in [`Self::entries`], and where the last one's end.
    pub starts: Vec<usize>,
    /// The columns of the entries, ascending in each row.
    pub entries: Vec<u32>,
}

impl Pattern {
    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// The columns of a row's entries.
    pub fn row(&self, i: usize) -> &[u32] {
        &self.entries[self.starts[i]..self.starts[i + 1]]
    }

    /// The pattern of the transposed matrix.
    pub fn transposed(&self) -> Pattern {
        let mut starts = vec![0; self.columns + 1];
        self.entries.iter().for_each(|j| starts[*j as usize + 1] += 1);
        (0..self.columns).for_each(|j| starts[j + 1] += starts[j]);
        let (mut next, mut entries) = (starts.clone(), vec![0; self.entries.len()]);
        for i in 0..self.rows() {
            for j in self.row(i) {
                entries[next[*j as usize]] = i as u32;
                next[*j as usize] += 1;
            }
        }
        Pattern { columns: self.rows(), starts, entries }
    }

    /// The smallest symmetric pattern that contains this square one.
    pub fn symmetrised(&self) -> Pattern {
        let other = self.transposed();
        let (mut starts, mut entries) = (vec![0], Vec::with_capacity(self.entries.len()));
        for i in 0..self.rows() {
            let first = entries.len();
            entries.extend_from_slice(self.row(i));
            entries.extend_from_slice(other.row(i));
            entries[first..].sort_unstable();
            let mut last = first;
            for k in first..entries.len() {
                if k == first || entries[k] != entries[last - 1] {
                    entries[last] = entries[k];
                    last += 1;
                }
            }
            entries.truncate(last);
            starts.push(entries.len());
        }
        Pattern { columns: self.columns, starts, entries }
    }
}

/// Operations that a run on dependences may take, and nodes that it may make.
const LIMIT: u64 = 1 << 28;

/// Joins of an iteration with the ones before, after which everything is joined with everything.
const JOINS: usize = 24;

/// The pattern of ∂(`results`)/∂(`wrt`) of a function without dimensions: rows are the elements of the results one after the other,
/// row-major, columns those of the parameters. `inputs` has the values of integer and boolean parameters; of others only the sizes
/// count.
///
/// # Errors
/// [`Code::NoPattern`]: a size that only a run with numbers tells; [`Code::TooMuchCode`]: more steps than the limit.
pub fn sparsity(
    module: &Module,
    func: FuncId,
    wrt: &[usize],
    results: &[usize],
    inputs: &[Datum],
) -> Result<Pattern, Diagnostic> {
    let f = module.func(func);
    let mut run = Run { module, nodes: vec![(LEAF, LEAF)], steps: 0, plans: FxHashMap::default(), all: None };
    let mut columns = 0;
    let mut args = Vec::new();
    for (i, (param, input)) in f.params.iter().zip(inputs).enumerate() {
        let count = input.len();
        let active = wrt.contains(&i);
        args.push(run.input(f.ty(param.value), input, active.then_some(columns as u32)));
        columns += if active { count } else { 0 };
    }
    let values = run.call(func, &args)?;
    let (mut starts, mut entries) = (vec![0], Vec::new());
    let (mut seen, mut row) = (vec![u32::MAX; run.nodes.len()], 0);
    for r in results {
        for set in values[*r].sets() {
            let first = entries.len();
            run.write_out(set, row, &mut seen, &mut entries);
            entries[first..].sort_unstable();
            starts.push(entries.len());
            row += 1;
        }
    }
    Ok(Pattern { columns, starts, entries })
}

/// A set of input elements: a node. 0 is the empty one.
type Set = u32;

/// The left half of a node that is an input element; the right half is its number.
const LEAF: u32 = u32::MAX;

/// What is known of a scalar.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Num {
    /// An integer or truth value, if it is known.
    Known(Option<Const>),
    /// What a real or complex number depends on.
    On(Set),
}

/// What is known of a value.
#[derive(Clone, Debug)]
enum Abs {
    One(Num),
    Array(Rc<Array>),
}

#[derive(Clone, Debug)]
struct Array {
    shape: Vec<usize>,
    data: Vec<Num>,
}

impl Abs {
    fn array(shape: Vec<usize>, data: Vec<Num>) -> Abs {
        debug_assert_eq!(shape.iter().product::<usize>(), data.len());
        Abs::Array(Rc::new(Array { shape, data }))
    }

    /// A number if there are no axes.
    fn of(shape: Vec<usize>, data: Vec<Num>) -> Abs {
        if shape.is_empty() { Abs::One(data[0]) } else { Abs::array(shape, data) }
    }

    fn nums(&self) -> &[Num] {
        match self {
            Abs::One(n) => std::slice::from_ref(n),
            Abs::Array(a) => &a.data,
        }
    }

    fn shape(&self) -> &[usize] {
        match self {
            Abs::One(_) => &[],
            Abs::Array(a) => &a.shape,
        }
    }

    fn int(&self) -> Option<i64> {
        match self {
            Abs::One(Num::Known(Some(Const::I64(n)))) => Some(*n),
            _ => None,
        }
    }

    fn bool(&self) -> Option<bool> {
        match self {
            Abs::One(Num::Known(Some(Const::Bool(b)))) => Some(*b),
            _ => None,
        }
    }

    fn sets(&self) -> impl Iterator<Item = Set> + '_ {
        self.nums().iter().map(|n| n.set())
    }
}

impl Num {
    fn set(self) -> Set {
        match self {
            Num::On(s) => s,
            Num::Known(_) => 0,
        }
    }
}

/// A place of an array.
enum Place {
    /// These elements, from the first one on.
    At(usize, usize),
    /// One of such parts; which one is not known.
    Any(usize),
    /// Outside: nothing is there.
    None,
}

/// Which operands of a region's instructions are used there for the last time: arrays among them are changed in place.
struct Plan {
    last: Vec<Vec<bool>>,
    nested: Vec<Vec<Plan>>,
}

/// A run on dependences.
struct Run<'m> {
    module: &'m Module,
    nodes: Vec<(u32, u32)>,
    steps: u64,
    plans: FxHashMap<FuncId, Rc<Plan>>,
    /// What an array depends on as a whole, for the array that was asked for last.
    all: Option<(Rc<Array>, Set)>,
}

type Frame = Vec<Option<Abs>>;

impl<'m> Run<'m> {
    /// An argument. Elements of an active one are numbered from `first` on.
    fn input(&mut self, ty: Type, input: &Datum, first: Option<u32>) -> Abs {
        let num = |(k, c): (usize, Const)| match (ty.is_differentiable(), first) {
            (false, _) => Num::Known(Some(c)),
            (true, None) => Num::On(0),
            (true, Some(first)) => {
                self.nodes.push((LEAF, first + k as u32));
                Num::On(self.nodes.len() as u32 - 1)
            }
        };
        let data = (0..input.len()).map(|k| input.get(k)).enumerate().map(num).collect();
        let shape = match input {
            Datum::Scalar(_) => Vec::new(),
            Datum::Array(a) => a.shape.clone(),
        };
        Abs::of(shape, data)
    }

    fn union(&mut self, a: Set, b: Set) -> Set {
        if a == b || b == 0 {
            return a;
        }
        if a == 0 || self.nodes.last() == Some(&(a, b)) {
            return if a == 0 { b } else { self.nodes.len() as u32 - 1 };
        }
        self.nodes.push((a, b));
        self.nodes.len() as u32 - 1
    }

    fn union_of(&mut self, nums: impl IntoIterator<Item = Num>) -> Set {
        nums.into_iter().fold(0, |s, n| self.union(s, n.set()))
    }

    /// What an array depends on as a whole.
    fn whole(&mut self, a: &Abs) -> Set {
        let Abs::Array(array) = a else { return self.union_of(a.nums().iter().copied()) };
        if let Some((known, set)) = &self.all
            && Rc::ptr_eq(known, array)
        {
            return *set;
        }
        let set = self.union_of(array.data.iter().copied());
        self.all = Some((array.clone(), set));
        set
    }

    /// Appends the elements of a set that were not seen in this row.
    fn write_out(&self, set: Set, row: u32, seen: &mut [u32], out: &mut Vec<u32>) {
        let mut open = vec![set];
        while let Some(at) = open.pop() {
            if at == 0 || std::mem::replace(&mut seen[at as usize], row) == row {
                continue;
            }
            match self.nodes[at as usize] {
                (LEAF, element) => out.push(element),
                (a, b) => open.extend([a, b]),
            }
        }
    }

    /// The elements of the sets, to compare what they were with what they are.
    fn elements(&self, values: &[Abs]) -> Vec<Vec<u32>> {
        let mut seen = FxHashSet::default();
        let write = |set: Set| {
            let (mut open, mut out) = (vec![set], Vec::new());
            seen.clear();
            while let Some(at) = open.pop() {
                if at != 0 && seen.insert(at) {
                    match self.nodes[at as usize] {
                        (LEAF, element) => out.push(element),
                        (a, b) => open.extend([a, b]),
                    }
                }
            }
            out.sort_unstable();
            out
        };
        values.iter().flat_map(Abs::sets).map(write).collect()
    }

    /// One or the other.
    fn join(&mut self, a: &Abs, b: &Abs) -> Abs {
        let both = a.nums().iter().zip(b.nums());
        let joined = both.map(|(a, b)| match (*a, *b) {
            (Num::On(a), Num::On(b)) => Num::On(self.union(a, b)),
            (a, b) if a == b => a,
            (_, _) => Num::Known(None),
        });
        let data = joined.collect();
        Abs::of(a.shape().to_vec(), data)
    }

    fn call(&mut self, id: FuncId, args: &[Abs]) -> Result<Vec<Abs>, Diagnostic> {
        let f = self.module.func(id);
        // A rule says what the derivative is, whatever the body does.
        let ruled = f.rules.iter().any(|r| r.kind == RuleKind::Partial);
        let opaque = !f.rules.is_empty() || f.region().is_none();
        let results = match &f.body {
            Body::Region(region) => {
                let mut frame: Frame = vec![None; f.values.len()];
                for (v, a) in f.dims.iter().map(|d| d.value).chain(f.params.iter().map(|p| p.value)).zip(args)
                {
                    frame[v.0 as usize] = Some(a.clone());
                }
                for p in f.params.iter().filter(|p| p.nodiff) {
                    let still = frame[p.value.0 as usize].as_ref().map(constant);
                    frame[p.value.0 as usize] = still;
                }
                let plan = match self.plans.get(&id) {
                    Some(plan) => plan.clone(),
                    None => {
                        let plan = Rc::new(Plan::new(f, region, f.params.iter().map(|p| p.value)));
                        self.plans.entry(id).or_insert(plan).clone()
                    }
                };
                self.region(f, region, &plan, &mut frame)?
            }
            Body::Extern(_) | Body::Derived(_) => self.unknown_results(f, args)?,
        };
        if !opaque {
            return Ok(results);
        }
        let params = f.params.iter().zip(&args[f.dims.len()..]);
        let active: Vec<&Abs> = params.filter(|(p, _)| !p.nodiff).map(|(_, a)| a).collect();
        let mut whole = 0;
        for a in &active {
            let set = self.whole(a);
            whole = self.union(whole, set);
        }
        let mut all = Vec::new();
        for r in &results {
            let num = |run: &mut Run, k: usize, n: Num| match n {
                Num::Known(_) => n,
                Num::On(_) if !ruled => Num::On(whole),
                // Element by element.
                Num::On(_) => Num::On(active.iter().fold(0, |set, a| {
                    let own = if a.shape() == r.shape() { a.nums()[k].set() } else { run.whole(a) };
                    run.union(set, own)
                })),
            };
            let data = r.nums().iter().enumerate().map(|(k, n)| num(self, k, *n)).collect();
            all.push(Abs::of(r.shape().to_vec(), data));
        }
        Ok(all)
    }

    /// Results of native code, by their types and sizes.
    fn unknown_results(&mut self, f: &Func, args: &[Abs]) -> Result<Vec<Abs>, Diagnostic> {
        let number = |v: Value| f.entry_position(v).and_then(|i| args[i].int());
        f.results
            .iter()
            .map(|r| {
                let shape = sizes(&r.shape, number, f.span)?;
                let num = if r.ty.is_differentiable() { Num::On(0) } else { Num::Known(None) };
                Ok(Abs::of(shape.clone(), vec![num; shape.iter().product()]))
            })
            .collect()
    }

    fn step(&mut self, n: u64, span: Span) -> Result<(), Diagnostic> {
        self.steps += n;
        if self.steps > LIMIT || self.nodes.len() as u64 > LIMIT {
            let message = "the sparsity pattern takes too many steps to find";
            let d = Diagnostic::error(Code::TooMuchCode, message)
                .label(span, "while this was run on dependences");
            return Err(d.help("ask for the dense matrix, or for products (`jvp`, `vjp`, `hvp`)"));
        }
        Ok(())
    }

    fn region(
        &mut self,
        f: &Func,
        region: &Region,
        plan: &Plan,
        frame: &mut Frame,
    ) -> Result<Vec<Abs>, Diagnostic> {
        for (i, inst) in region.insts.iter().enumerate() {
            self.step(1, inst.span)?;
            let mut args = Vec::with_capacity(inst.args.len());
            for (v, last) in inst.args.iter().zip(&plan.last[i]) {
                let slot = &mut frame[v.0 as usize];
                let taken = if *last { slot.take() } else { slot.clone() };
                args.push(taken.expect("a value is defined before it is used"));
            }
            let results = self.inst(f, inst, args, &plan.nested[i], frame)?;
            for (v, r) in inst.results.iter().zip(results) {
                frame[v.0 as usize] = Some(r);
            }
        }
        // Captured values are yielded again by the next iteration.
        let yields = region.yields.iter().map(|v| frame[v.0 as usize].clone());
        let yields = yields.map(|y| y.expect("a value is defined before it is yielded")).collect();
        for inst in &region.insts {
            inst.results.iter().for_each(|v| frame[v.0 as usize] = None);
        }
        Ok(yields)
    }

    /// The sizes of a value.
    fn shape(&self, f: &Func, v: Value, frame: &Frame, span: Span) -> Result<Vec<usize>, Diagnostic> {
        sizes(f.shape(v), |v| frame[v.0 as usize].as_ref().and_then(Abs::int), span)
    }

    fn inst(
        &mut self,
        f: &Func,
        inst: &Inst,
        mut args: Vec<Abs>,
        nested: &[Plan],
        frame: &mut Frame,
    ) -> Result<Vec<Abs>, Diagnostic> {
        let one = |abs: Abs| Ok(vec![abs]);
        match &inst.kind {
            Kind::Const(c) => {
                one(Abs::One(if c.scalar().is_float() { Num::On(0) } else { Num::Known(Some(*c)) }))
            }
            Kind::Op(op) => {
                let nums: Vec<Num> = args.iter().map(|a| a.nums()[0]).collect();
                one(Abs::One(self.op(*op, f.ty(inst.results[0]), &nums)))
            }
            Kind::Call(id) => self.call(*id, &args),
            Kind::If => match args[0].bool() {
                Some(yes) => {
                    let side = usize::from(!yes);
                    self.region(f, &inst.regions[side], &nested[side], frame)
                }
                None => {
                    let a = self.region(f, &inst.regions[0], &nested[0], frame)?;
                    let b = self.region(f, &inst.regions[1], &nested[1], frame)?;
                    Ok(a.iter().zip(&b).map(|(a, b)| self.join(a, b)).collect())
                }
            },
            Kind::Assert(_) => Ok(Vec::new()),
            Kind::Size(dim) => {
                let n = dim_value(dim, |v| frame[v.0 as usize].as_ref().and_then(Abs::int));
                one(Abs::One(Num::Known(n.map(Const::I64))))
            }
            Kind::Build { rank } => {
                let shape = self.shape(f, inst.results[0], frame, inst.span)?;
                let outer = &shape[..*rank as usize];
                let mut data = Vec::with_capacity(shape.iter().product());
                let (region, mut index) = (&inst.regions[0], vec![0usize; outer.len()]);
                for _ in 0..outer.iter().product::<usize>() {
                    for (p, i) in region.params.iter().zip(&index) {
                        frame[p.0 as usize] = Some(Abs::One(Num::Known(Some(Const::I64(*i as i64)))));
                    }
                    let y = self.region(f, region, &nested[0], frame)?;
                    data.extend_from_slice(y[0].nums());
                    advance(&mut index, outer);
                }
                one(Abs::of(shape, data))
            }
            Kind::Reduce(op) => self.reduce(f, inst, *op, &args, nested, frame),
            Kind::For(_) => self.for_loop(f, inst, args, nested, frame),
            Kind::While(_) => self.while_loop(f, inst, args, nested, frame),
            Kind::Fill => {
                let shape = self.shape(f, inst.results[0], frame, inst.span)?;
                let part = args[0].nums();
                let count = shape.iter().product::<usize>();
                one(Abs::of(shape, part.iter().copied().cycle().take(count).collect()))
            }
            Kind::Pack => {
                let shape = [&[args.len()][..], args[0].shape()].concat();
                one(Abs::of(shape, args.iter().flat_map(|a| a.nums().iter().copied()).collect()))
            }
            Kind::Index => {
                let place = place(args[0].shape(), &args[1..]);
                let inner = args[0].shape()[args.len() - 1..].to_vec();
                let data = match place {
                    Place::At(start, len) => args[0].nums()[start..start + len].to_vec(),
                    Place::None => constants(inner.iter().product(), f.ty(inst.results[0])),
                    Place::Any(len) if f.ty(inst.results[0]).is_differentiable() => {
                        vec![Num::On(self.whole(&args[0])); len]
                    }
                    Place::Any(len) => vec![Num::Known(None); len],
                };
                one(Abs::of(inner, data))
            }
            Kind::Update | Kind::AddAt => {
                let indices = args.split_off(2);
                let (value, array) = (args.remove(1), args.remove(0));
                let place = place(array.shape(), &indices);
                one(self.written(array, place, &value, inst.kind == Kind::AddAt))
            }
            Kind::Slice => {
                let shape = self.shape(f, inst.results[0], frame, inst.span)?;
                let inner = shape[1..].iter().product::<usize>();
                let data = match rows(args[0].shape(), &args[1], shape.first().copied().unwrap_or(0)) {
                    Place::At(start, len) => args[0].nums()[start * inner..(start + len) * inner].to_vec(),
                    Place::None => constants(shape.iter().product(), f.ty(inst.results[0])),
                    Place::Any(_) if f.ty(inst.results[0]).is_differentiable() => {
                        vec![Num::On(self.whole(&args[0])); shape.iter().product()]
                    }
                    Place::Any(_) => vec![Num::Known(None); shape.iter().product()],
                };
                one(Abs::of(shape, data))
            }
            Kind::UpdateSlice | Kind::AddSlice => {
                let (start, part, array) = (args.remove(2), args.remove(1), args.remove(0));
                let inner = array.shape()[1..].iter().product::<usize>();
                let place = match rows(array.shape(), &start, part.shape()[0]) {
                    Place::At(start, len) => Place::At(start * inner, len * inner),
                    Place::Any(len) => Place::Any(len * inner),
                    Place::None => Place::None,
                };
                one(self.written(array, place, &part, inst.kind == Kind::AddSlice))
            }
            Kind::Reshape => {
                let shape = self.shape(f, inst.results[0], frame, inst.span)?;
                one(Abs::of(shape, args[0].nums().to_vec()))
            }
            Kind::Transpose => {
                let [m, n] = [args[0].shape()[0], args[0].shape()[1]];
                let data = (0..n).flat_map(|j| (0..m).map(move |i| i * n + j)).map(|k| args[0].nums()[k]);
                one(Abs::of(vec![n, m], data.collect()))
            }
            Kind::MatMul => one(self.matmul(&args[0], &args[1], inst.span)?),
            Kind::Linalg(_) => {
                let shape = self.shape(f, inst.results[0], frame, inst.span)?;
                let mut set = 0;
                for a in &args {
                    let whole = self.whole(a);
                    set = self.union(set, whole);
                }
                one(Abs::of(shape.clone(), vec![Num::On(set); shape.iter().product()]))
            }
        }
    }

    fn op(&mut self, op: Op, result: Type, nums: &[Num]) -> Num {
        if !result.is_differentiable() {
            let known: Option<Vec<Const>> =
                nums.iter().map(|n| if let Num::Known(c) = n { *c } else { None }).collect();
            return Num::Known(known.and_then(|all| fold(op, &all)));
        }
        let complex = result.scalar().is_complex();
        match op {
            Op::Select => match nums[0] {
                Num::Known(Some(Const::Bool(yes))) => nums[if yes { 1 } else { 2 }],
                _ => Num::On(self.union(nums[1].set(), nums[2].set())),
            },
            // Their derivative is 0.
            Op::StopGradient | Op::Floor | Op::Ceil | Op::Round | Op::Trunc => Num::On(0),
            Op::Sign if !complex => Num::On(0),
            ops!(Arith) | ops!(Elementary) | ops!(ElementaryInt) | ops!(Order) | ops!(Part) => {
                Num::On(self.union_of(nums.iter().copied()))
            }
            ops!(Convert) => Num::On(self.union_of(nums.iter().copied())),
            ops!(Test) | ops!(Logic) => Num::On(0),
        }
    }

    /// An array with a part replaced, or added to.
    fn written(&mut self, mut array: Abs, place: Place, part: &Abs, add: bool) -> Abs {
        self.all = None;
        let Abs::Array(rc) = &mut array else { unreachable!("a number has no parts") };
        let data = &mut Rc::make_mut(rc).data;
        match place {
            Place::At(start, len) => {
                for (old, new) in data[start..start + len].iter_mut().zip(part.nums()) {
                    *old = match (*old, *new) {
                        (Num::On(a), Num::On(b)) if add => Num::On(self.union(a, b)),
                        (Num::Known(Some(a)), Num::Known(Some(b))) if add => {
                            Num::Known(fold(Op::Add, &[a, b]))
                        }
                        (_, _) if add => Num::Known(None),
                        (_, new) => new,
                    };
                }
            }
            // Any element may have been written, or not.
            Place::Any(_) => {
                for (old, new) in data.iter_mut().zip(part.nums().iter().cycle()) {
                    *old = match (*old, *new) {
                        (Num::On(a), Num::On(b)) => Num::On(self.union(a, b)),
                        (a, b) if a == b && !add => a,
                        (_, _) => Num::Known(None),
                    };
                }
            }
            Place::None => {}
        }
        array
    }

    fn matmul(&mut self, a: &Abs, b: &Abs, span: Span) -> Result<Abs, Diagnostic> {
        let (sa, sb) = (a.shape(), b.shape());
        let (m, k) = if sa.len() == 1 { (1, sa[0]) } else { (sa[0], sa[1]) };
        let n = if sb.len() == 1 { 1 } else { sb[1] };
        self.step((m as u64).saturating_mul(n as u64).saturating_mul(k as u64), span)?;
        // A row of the left and a column of the right stand for themselves.
        let left: Vec<Set> =
            (0..m).map(|i| self.union_of(a.nums()[i * k..(i + 1) * k].iter().copied())).collect();
        let right: Vec<Set> = (0..n).map(|j| self.union_of((0..k).map(|l| b.nums()[l * n + j]))).collect();
        let mut data = Vec::with_capacity(m * n);
        for l in &left {
            for r in &right {
                data.push(Num::On(self.union(*l, *r)));
            }
        }
        let shape = [&sa[..sa.len() - 1], &sb[1..]].concat();
        Ok(Abs::of(shape, data))
    }

    fn reduce(
        &mut self,
        f: &Func,
        inst: &Inst,
        op: ReduceOp,
        args: &[Abs],
        nested: &[Plan],
        frame: &mut Frame,
    ) -> Result<Vec<Abs>, Diagnostic> {
        let ty = f.ty(inst.results[0]);
        let shape = self.shape(f, inst.results[0], frame, inst.span)?;
        let count = shape.iter().product::<usize>();
        let (region, i) = (&inst.regions[0], inst.regions[0].params[0]);
        let (Some(lo), Some(hi), Some(step)) = (args[0].int(), args[1].int(), args[2].int()) else {
            return self.joined(
                f,
                inst,
                vec![Abs::of(shape, constants(count, ty))],
                region,
                &nested[0],
                frame,
                1,
            );
        };
        let mut acc: Option<Vec<Num>> = None;
        let mut at = lo;
        while at < hi {
            frame[i.0 as usize] = Some(Abs::One(Num::Known(Some(Const::I64(at)))));
            let y = self.region(f, region, &nested[0], frame)?.remove(0);
            acc = Some(match acc {
                None => y.nums().to_vec(),
                Some(mut acc) => {
                    for (a, b) in acc.iter_mut().zip(y.nums()) {
                        *a = match (*a, *b) {
                            (Num::On(a), Num::On(b)) => Num::On(self.union(a, b)),
                            (Num::Known(Some(a)), Num::Known(Some(b))) => Num::Known(combined(op, a, b)),
                            (_, _) => Num::Known(None),
                        };
                    }
                    acc
                }
            });
            at = at.saturating_add(step.max(1));
        }
        let data = match (op, acc) {
            (ReduceOp::ArgMax | ReduceOp::ArgMin, _) => vec![Num::Known(None); count],
            (_, Some(acc)) => acc,
            (_, None) if ty.is_differentiable() => vec![Num::On(0); count],
            (op, None) => vec![Num::Known(op.of_nothing(ty.scalar())); count],
        };
        Ok(vec![Abs::of(shape, data)])
    }

    /// The zeros of a loop's sums, and what it collects so far.
    fn sums(&self, f: &Func, inst: &Inst, frame: &Frame) -> Result<Vec<Abs>, Diagnostic> {
        let l = inst.kind.as_loop().expect("it is a loop with carries");
        let first = inst.results.len() - (l.sums + l.collects) as usize;
        inst.results[first..first + l.sums as usize]
            .iter()
            .map(|v| {
                let (shape, ty) = (self.shape(f, *v, frame, inst.span)?, f.ty(*v));
                let zero = if ty.is_differentiable() {
                    Num::On(0)
                } else {
                    Num::Known(Some(Const::zero(ty.scalar())))
                };
                Ok(Abs::of(shape.clone(), vec![zero; shape.iter().product()]))
            })
            .collect()
    }

    fn for_loop(
        &mut self,
        f: &Func,
        inst: &Inst,
        mut args: Vec<Abs>,
        nested: &[Plan],
        frame: &mut Frame,
    ) -> Result<Vec<Abs>, Diagnostic> {
        let l = inst.kind.as_loop().expect("it is a loop with carries");
        let mut carries = args.split_off(3);
        let (region, count) = (&inst.regions[0], carries.len());
        let mut sums = self.sums(f, inst, frame)?;
        let (Some(lo), Some(hi), Some(step)) = (args[0].int(), args[1].int(), args[2].int()) else {
            if l.collects > 0 {
                return Err(no_pattern(inst.span));
            }
            carries.append(&mut sums);
            return self.joined(f, inst, carries, region, &nested[0], frame, 1);
        };
        let mut collected: Vec<Vec<Num>> = vec![Vec::new(); l.collects as usize];
        let mut at = lo;
        while at < hi {
            frame[region.params[0].0 as usize] = Some(Abs::One(Num::Known(Some(Const::I64(at)))));
            for (p, c) in region.params[1..].iter().zip(carries.drain(..)) {
                frame[p.0 as usize] = Some(c);
            }
            let mut yields = self.region(f, region, &nested[0], frame)?;
            let gathered = yields.split_off(count + sums.len());
            let terms = yields.split_off(count);
            region.params.iter().for_each(|p| frame[p.0 as usize] = None);
            carries = yields;
            for (s, t) in sums.iter_mut().zip(&terms) {
                *s = self.added(s, t);
            }
            collected.iter_mut().zip(&gathered).for_each(|(c, g)| c.extend_from_slice(g.nums()));
            at = at.saturating_add(step.max(1));
        }
        let mut results = carries;
        results.append(&mut sums);
        for (data, v) in collected.into_iter().zip(&inst.results[results.len()..]) {
            results.push(Abs::of(self.shape(f, *v, frame, inst.span)?, data));
        }
        Ok(results)
    }

    fn added(&mut self, a: &Abs, b: &Abs) -> Abs {
        let both = a.nums().iter().zip(b.nums());
        let sum = both.map(|(a, b)| match (*a, *b) {
            (Num::On(a), Num::On(b)) => Num::On(self.union(a, b)),
            (Num::Known(Some(a)), Num::Known(Some(b))) => Num::Known(fold(Op::Add, &[a, b])),
            (_, _) => Num::Known(None),
        });
        let data = sum.collect();
        Abs::of(a.shape().to_vec(), data)
    }

    fn while_loop(
        &mut self,
        f: &Func,
        inst: &Inst,
        mut carries: Vec<Abs>,
        nested: &[Plan],
        frame: &mut Frame,
    ) -> Result<Vec<Abs>, Diagnostic> {
        let l = inst.kind.as_loop().expect("it is a loop with carries");
        let (condition, body) = (&inst.regions[0], &inst.regions[1]);
        let mut collected: Vec<Vec<Num>> = vec![Vec::new(); l.collects as usize];
        let mut trips = 0;
        loop {
            for (p, c) in condition.params.iter().zip(&carries) {
                frame[p.0 as usize] = Some(c.clone());
            }
            let go = self.region(f, condition, &nested[0], frame)?[0].bool();
            condition.params.iter().for_each(|p| frame[p.0 as usize] = None);
            match go {
                Some(true) => {}
                Some(false) => break,
                None if l.collects > 0 => return Err(no_pattern(inst.span)),
                None => return self.joined(f, inst, carries, body, &nested[1], frame, 0),
            }
            let count = carries.len();
            for (p, c) in body.params.iter().zip(carries.drain(..)) {
                frame[p.0 as usize] = Some(c);
            }
            let mut yields = self.region(f, body, &nested[1], frame)?;
            body.params.iter().for_each(|p| frame[p.0 as usize] = None);
            let gathered = yields.split_off(count);
            carries = yields;
            collected.iter_mut().zip(&gathered).for_each(|(c, g)| c.extend_from_slice(g.nums()));
            trips += 1;
        }
        let mut results = carries;
        if l.collects > 0 {
            results.push(Abs::One(Num::Known(Some(Const::I64(trips)))));
            frame[inst.results[results.len() - 1].0 as usize] = results.last().cloned();
            for (data, v) in collected.into_iter().zip(&inst.results[results.len()..]) {
                results.push(Abs::of(self.shape(f, *v, frame, inst.span)?, data));
            }
        }
        Ok(results)
    }

    /// A loop that ends after any number of iterations: what was there before is joined with what an iteration makes of it, until
    /// nothing is added. The region has `indices` parameters before the carries.
    #[allow(clippy::too_many_arguments)] // All of a loop.
    fn joined(
        &mut self,
        f: &Func,
        inst: &Inst,
        mut state: Vec<Abs>,
        region: &Region,
        plan: &Plan,
        frame: &mut Frame,
        indices: usize,
    ) -> Result<Vec<Abs>, Diagnostic> {
        let mut before = self.elements(&state);
        for round in 0.. {
            for p in &region.params[..indices] {
                frame[p.0 as usize] = Some(Abs::One(Num::Known(None)));
            }
            for (p, c) in region.params[indices..].iter().zip(&state) {
                frame[p.0 as usize] = Some(c.clone());
            }
            let yields = self.region(f, region, plan, frame)?;
            region.params.iter().for_each(|p| frame[p.0 as usize] = None);
            let known: Vec<Num> = state.iter().flat_map(|s| s.nums().iter().copied()).collect();
            for (s, y) in state.iter_mut().zip(&yields) {
                *s = self.join(s, y);
            }
            if round >= JOINS {
                let mut whole = 0;
                for s in &state {
                    let set = self.union_of(s.nums().iter().copied());
                    whole = self.union(whole, set);
                }
                for s in &mut state {
                    let data = s
                        .nums()
                        .iter()
                        .map(|n| if let Num::On(_) = n { Num::On(whole) } else { Num::Known(None) });
                    *s = Abs::of(s.shape().to_vec(), data.collect());
                }
            }
            let after = self.elements(&state);
            let discrete = |n: &Num| if let Num::Known(c) = n { Some(*c) } else { None };
            let same = known.iter().map(discrete).eq(state.iter().flat_map(|s| s.nums()).map(discrete));
            if same && after == before {
                break;
            }
            before = after;
            self.step(1 + before.iter().map(|b| b.len() as u64).sum::<u64>(), inst.span)?;
        }
        Ok(state)
    }
}

impl Plan {
    /// Of a region whose parameters are its own.
    fn new(f: &Func, region: &Region, params: impl Iterator<Item = Value>) -> Plan {
        let mut own: FxHashSet<Value> = params.collect();
        own.extend(region.insts.iter().flat_map(|i| i.results.iter().copied()));
        let mut later: FxHashSet<Value> = region.yields.iter().copied().collect();
        let mut last = Vec::with_capacity(region.insts.len());
        for inst in region.insts.iter().rev() {
            let mut inside = FxHashSet::default();
            inst.regions.iter().for_each(|r| uses(f, r, &mut inside));
            let mut flags = vec![false; inst.args.len()];
            for (k, v) in inst.args.iter().enumerate() {
                let again = inst.args[k + 1..].contains(v) || later.contains(v) || inside.contains(v);
                flags[k] = own.contains(v) && !again && f.ty(*v).is_array();
            }
            last.push(flags);
            later.extend(inst.uses(f));
            later.extend(inside);
        }
        last.reverse();
        let nested =
            |inst: &Inst| inst.regions.iter().map(|r| Plan::new(f, r, r.params.iter().copied())).collect();
        Plan { last, nested: region.insts.iter().map(nested).collect() }
    }
}

/// Everything that a region uses.
fn uses(f: &Func, region: &Region, out: &mut FxHashSet<Value>) {
    out.extend(region.yields.iter().copied());
    for inst in &region.insts {
        out.extend(inst.uses(f));
        inst.regions.iter().for_each(|r| uses(f, r, out));
    }
}

/// The same without dependences.
fn constant(a: &Abs) -> Abs {
    let data = a.nums().iter().map(|n| if let Num::On(_) = n { Num::On(0) } else { *n }).collect();
    Abs::of(a.shape().to_vec(), data)
}

/// Numbers of which nothing is known, and which depend on nothing.
fn constants(count: usize, ty: Type) -> Vec<Num> {
    vec![if ty.is_differentiable() { Num::On(0) } else { Num::Known(None) }; count]
}

fn dim_value(dim: &Dim, number: impl Fn(Value) -> Option<i64>) -> Option<i64> {
    dim.vars().all(|v| number(v).is_some()).then(|| dim.eval(|v| number(v).unwrap_or(0))).flatten()
}

fn sizes(shape: &[Dim], number: impl Fn(Value) -> Option<i64>, span: Span) -> Result<Vec<usize>, Diagnostic> {
    let size = |d: &Dim| dim_value(d, &number).and_then(|n| usize::try_from(n).ok());
    shape.iter().map(|d| size(d).ok_or_else(|| no_pattern(span))).collect()
}

fn no_pattern(span: Span) -> Diagnostic {
    Diagnostic::error(Code::NoPattern, "the sparsity pattern cannot be seen from the program")
        .label(span, "only a run with numbers tells how large this is, or how often it runs")
        .help("ask for the dense matrix, or for products (`jvp`, `vjp`, `hvp`)")
}

/// Two integers or truth values in a reduction.
fn combined(op: ReduceOp, a: Const, b: Const) -> Option<Const> {
    let op = match op {
        ReduceOp::Sum => Op::Add,
        ReduceOp::Prod => Op::Mul,
        ReduceOp::Max => Op::Max,
        ReduceOp::Min => Op::Min,
        ReduceOp::Any => Op::Or,
        ReduceOp::All => Op::And,
        ReduceOp::ArgMax | ReduceOp::ArgMin => return None,
    };
    fold(op, &[a, b])
}

/// The part of an array behind indices.
fn place(shape: &[usize], indices: &[Abs]) -> Place {
    let inner: usize = shape[indices.len()..].iter().product();
    let mut at = 0;
    for (i, n) in indices.iter().zip(shape) {
        match i.int() {
            None => return Place::Any(inner),
            Some(i) => match usize::try_from(i).ok().filter(|i| i < n) {
                Some(i) => at = at * n + i,
                None => return Place::None,
            },
        }
    }
    Place::At(at * inner, inner)
}

/// Rows of an array from a start on, counted in rows.
fn rows(shape: &[usize], start: &Abs, count: usize) -> Place {
    match start.int() {
        None => Place::Any(count),
        Some(start) => match usize::try_from(start).ok().filter(|s| s + count <= shape[0]) {
            Some(start) => Place::At(start, count),
            None => Place::None,
        },
    }
}

/// The next index, the last axis first.
fn advance(index: &mut [usize], shape: &[usize]) {
    for (i, n) in index.iter_mut().zip(shape).rev() {
        *i += 1;
        if *i < *n {
            return;
        }
        *i = 0;
    }
}

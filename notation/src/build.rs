//! From instructions to expressions.
//!
//! Values that are used once are written where they are used, others get a line of their own; so the text is linear in the
//! program. An instruction without notation is an error.

use crate::expr::{Doc, Expr, Item, Iterations, Sym, Symbol};
use crate::norms::Norms;
use adc_ir::{
    Body, Code, Const, Diagnostic, Dim, Func, FuncId, Inst, Kind, LinalgOp, Module, Op, ReduceOp, Region,
    Value, ops,
};

/// Nodes of an expression beyond which it gets a line of its own.
const LONG: usize = 40;

/// A function as mathematics, restricted to the results `wanted`.
///
/// # Errors
/// [`Code::NoNotation`]
pub(super) fn run(module: &Module, id: FuncId, wanted: std::ops::Range<usize>) -> Result<Doc, Diagnostic> {
    let func = module.func(id);
    let Body::Region(region) = &func.body else {
        return Err(none(&format!("the native function `{}`", func.name)).label(func.span, "declared here"));
    };
    let mut doc = Doc { name: func.name.clone(), ..Doc::default() };
    let mut value = vec![None; func.values.len()];
    let entry =
        (func.dims.iter().map(|d| (d.value, &d.name))).chain(func.params.iter().map(|p| (p.value, &p.name)));
    for (v, name) in entry {
        value[v.0 as usize] = Some(Expr::Sym(doc.syms.len()));
        if func.params.iter().any(|p| p.value == v) {
            doc.params.push(doc.syms.len());
        }
        doc.syms.push(Symbol::Named(name.clone(), func.ty(v).scalar().is_complex()));
    }
    let (uses, norms) = (vec![0; func.values.len()], Norms::of(func));
    let mut b = Builder { module, func, norms, doc, value, uses, scope: Vec::new() };
    let yields: Vec<Value> = region.yields[wanted.clone()].to_vec();
    b.count(region, &yields);
    b.region(region)?;
    for (v, decl) in yields.iter().zip(&func.results[wanted]) {
        let e = b.get(*v);
        b.doc.results.push((decl.name.clone(), decl.ty.scalar().is_complex(), e));
    }
    b.doc.remove_unused();
    Ok(b.doc)
}

fn none(what: &str) -> Diagnostic {
    Diagnostic::error(Code::NoNotation, format!("{what} has no mathematical notation"))
        .help("`--emit=ir` and `--emit=vjp` print every program")
}

struct Builder<'a> {
    module: &'a Module,
    func: &'a Func,
    norms: Norms<'a>,
    doc: Doc,
    /// By value.
    value: Vec<Option<Expr>>,
    /// By value: how often it is written.
    uses: Vec<u32>,
    /// The indices of the enclosing loops.
    scope: Vec<Sym>,
}

impl Builder<'_> {
    /// Counts the uses of everything that `yields` need.
    fn count(&mut self, region: &Region, yields: &[Value]) {
        for v in yields {
            self.uses[v.0 as usize] += 1;
        }
        for inst in region.insts.iter().rev() {
            let needed = inst.results.iter().filter(|v| self.uses[v.0 as usize] > 0).count();
            if needed == 0 {
                continue;
            }
            // Of a norm one side is the value.
            let plain = self.norms.is_plain(inst);
            for r in inst.regions.iter().take(if plain { 1 } else { inst.regions.len() }).rev() {
                // For a branch only the needed results; the carries of a loop may need each other.
                let is_needed = |k: usize| inst.kind != Kind::If || self.uses[inst.results[k].0 as usize] > 0;
                let yields: Vec<Value> =
                    (r.yields.iter().enumerate()).filter(|(k, _)| is_needed(*k)).map(|(_, v)| *v).collect();
                self.count(r, &yields);
            }
            // A branch is written once for each result, with its condition; so are a call's arguments.
            let times = if matches!(inst.kind, Kind::If | Kind::Call(_)) { needed as u32 } else { 1 };
            for v in inst.uses(self.func).filter(|_| !plain) {
                self.uses[v.0 as usize] += times;
            }
        }
    }

    fn get(&self, v: Value) -> Expr {
        self.value[v.0 as usize].clone().expect("values are defined before they are used")
    }

    fn args(&self, inst: &Inst) -> Vec<Expr> {
        inst.args.iter().map(|v| self.get(*v)).collect()
    }

    fn region(&mut self, region: &Region) -> Result<(), Diagnostic> {
        for inst in &region.insts {
            if inst.results.iter().any(|v| self.uses[v.0 as usize] > 0) {
                self.inst(inst)
                    .map_err(|d| if d.labels.is_empty() { d.label(inst.span, "here") } else { d })?;
            }
        }
        Ok(())
    }

    /// The value of an instruction's result.
    fn set(&mut self, v: Value, e: Expr) {
        let uses = self.uses[v.0 as usize];
        let named = uses > 0 && !e.is_trivial() && (uses > 1 || e.size() > LONG);
        let condition = self.func.ty(v) == adc_ir::Type::BOOL;
        let e = if named { self.define(e, condition) } else { e };
        self.value[v.0 as usize] = Some(e);
    }

    /// A name for an expression.
    fn define(&mut self, body: Expr, condition: bool) -> Expr {
        let mut free = Vec::new();
        self.doc.free(&body, &mut free);
        let params = self.scope.iter().copied().filter(|s| free.contains(s)).collect();
        self.doc.items.push(Item::Def { params, body, condition });
        Expr::Def(self.doc.items.len() - 1)
    }

    /// The expression if it is a name, else a name for it.
    fn name(&mut self, e: Expr) -> Expr {
        if e.is_trivial() { e } else { self.define(e, false) }
    }

    fn index(&mut self, depth: usize) -> Sym {
        self.doc.syms.push(Symbol::Index(self.scope.len() + depth));
        self.doc.syms.len() - 1
    }

    fn dim(&self, dim: &Dim) -> Expr {
        let terms = dim.terms().map(|(m, c)| {
            let number = Expr::Num(Const::I64(c.saturating_abs()));
            (c < 0, Expr::product([number].into_iter().chain(m.iter().map(|v| self.get(*v)))))
        });
        Expr::sum(terms.collect::<Vec<_>>())
    }

    fn inst(&mut self, inst: &Inst) -> Result<(), Diagnostic> {
        if self.norms.is_plain(inst) {
            self.region(&inst.regions[0])?;
            for (v, from) in inst.results.iter().zip(&inst.regions[0].yields) {
                if self.uses[v.0 as usize] > 0 {
                    self.set(*v, self.get(*from));
                }
            }
            return Ok(());
        }
        let args = self.args(inst);
        let e = match &inst.kind {
            Kind::Const(c) => Expr::literal(*c),
            Kind::Op(Op::Sqrt) if let Some(x) = self.vector(&args[0]) => Expr::Norm(Box::new(x)),
            Kind::Op(op) => self.op(*op, inst, args),
            Kind::Call(f) => return self.call(*f, inst, args),
            Kind::If => return self.branch(inst, &args[0]),
            Kind::Assert(_) => return Ok(()),
            Kind::Size(dim) => self.dim(dim),
            Kind::Fill => {
                let axes = self.axes(inst, self.rank(inst.results[0]) - self.rank(inst.args[0]));
                Expr::Build(axes, Box::new(args.into_iter().next().expect("what fills it")))
            }
            Kind::Pack => Expr::Pack(args),
            Kind::Index if let Some(e) = self.same_everywhere(&args[0], args.len() - 1) => e,
            Kind::Index => element(self.name(args[0].clone()), args[1..].to_vec()),
            Kind::Update | Kind::AddAt => {
                let mut args = args.into_iter();
                let (a, v) = (args.next().expect("an array"), args.next().expect("a value"));
                let add = inst.kind == Kind::AddAt;
                let a = if add { a } else { self.name(a) };
                Expr::Update(add, Box::new(a), Box::new(v), args.collect())
            }
            Kind::Slice => {
                let axes = self.axes(inst, 1);
                let a = self.name(args[0].clone());
                let at = args[1].clone().plus(Expr::Sym(axes[0].0));
                Expr::Build(axes, Box::new(element(a, [at])))
            }
            Kind::UpdateSlice | Kind::AddSlice => self.part(inst, args),
            Kind::Reshape => return Err(none("giving an array another shape")),
            Kind::Build { rank } => {
                let region = &inst.regions[0];
                let axes = self.axes(inst, *rank as usize);
                let indices: Vec<Sym> = axes.iter().map(|(s, _)| *s).collect();
                let body = self.inside(&indices, region)?;
                Expr::Build(axes, Box::new(body))
            }
            Kind::Reduce(op) => self.reduce(*op, inst, args)?,
            Kind::For(_) => return self.counted(inst, args),
            Kind::While(_) => return self.conditional(inst, args),
            Kind::MatMul => {
                let [a, b] = <[Expr; 2]>::try_from(args).expect("two factors");
                Expr::MatMul(Box::new(a), Box::new(b))
            }
            Kind::Transpose => Expr::Transpose(Box::new(args.into_iter().next().expect("a matrix"))),
            // The matrix is written in place of its factors.
            Kind::Linalg(LinalgOp::Lu) => args.into_iter().next().expect("a matrix"),
            // The adjoint of a real matrix is its transpose.
            Kind::Linalg(LinalgOp::SolveAdjoint | LinalgOp::LuSolveAdjoint)
                if self.func.ty(inst.args[0]).scalar().is_real() =>
            {
                let mut args = args;
                args[0] = Expr::Transpose(Box::new(args[0].clone()));
                Expr::Linalg(LinalgOp::Solve, args)
            }
            Kind::Linalg(op) => Expr::Linalg(*op, args),
        };
        self.set(inst.results[0], e);
        Ok(())
    }

    /// An array with another one written over, or added to, a part of it: by its elements.
    fn part(&mut self, inst: &Inst, args: Vec<Expr>) -> Expr {
        let n = self.dim(&self.func.shape(inst.args[1])[0]);
        let [a, b] = [0, 1].map(|k| self.name(args[k].clone()));
        let axes = self.axes(inst, 1);
        let (i, start) = (Expr::Sym(axes[0].0), args[2].clone());
        let old = element(a, [i.clone()]);
        let at = Expr::sum([(false, i.clone()), (true, start.clone())]);
        let new = element(b, [at]);
        let new = if inst.kind == Kind::AddSlice { old.clone().plus(new) } else { new };
        let within = [(Op::Le, start.clone(), i.clone()), (Op::Lt, i, start.plus(n))];
        let within = within.map(|(op, a, b)| Expr::Apply(op, vec![a, b]));
        Expr::Build(axes, Box::new(choice(Expr::Apply(Op::And, within.to_vec()), new, old)))
    }

    fn rank(&self, v: Value) -> usize {
        self.func.ty(v).rank()
    }

    /// Indices for the leading axes of the result.
    fn axes(&mut self, inst: &Inst, n: usize) -> Vec<(Sym, Expr)> {
        let shape = self.func.shape(inst.results[0]).clone();
        let sizes: Vec<Expr> = shape[..n].iter().map(|d| self.dim(d)).collect();
        sizes.into_iter().enumerate().map(|(k, size)| (self.index(k), size)).collect()
    }

    /// The yields of a region whose parameters are indices.
    fn inside(&mut self, indices: &[Sym], region: &Region) -> Result<Expr, Diagnostic> {
        for (p, s) in region.params.iter().zip(indices) {
            self.value[p.0 as usize] = Some(Expr::Sym(*s));
        }
        self.scope.extend(indices);
        self.region(region)?;
        self.scope.truncate(self.scope.len() - indices.len());
        Ok(self.get(region.yields[0]))
    }

    /// The vector of which this is the sum of the squared absolute values, all of them.
    fn vector(&self, sum: &Expr) -> Option<Expr> {
        let Expr::Reduce { op: ReduceOp::Sum, index, lo, hi, body } = sum else { return None };
        let (e, real) = match &**body {
            Expr::Power(e, n) if n.is(2.0) => (&**e, true),
            Expr::Apply(Op::Abs2, args) => (&args[0], false),
            _ => return None,
        };
        let Expr::Index(array, at) = e else { return None };
        let (Expr::Sym(s), [Expr::Sym(i)]) = (&**array, &at[..]) else { return None };
        let param =
            self.func.params.iter().find(|p| self.value[p.value.0 as usize] == Some(Expr::Sym(*s)))?;
        let shape = self.func.shape(param.value);
        // The square of a complex number is no length.
        let fits = (!real || self.func.ty(param.value).scalar().is_real()) && shape.len() == 1;
        (fits && i == index && lo.is(0.0) && **hi == self.dim(&shape[0])).then(|| (**array).clone())
    }

    /// The elements of an array that are one number, by all of its indices.
    fn same_everywhere(&self, array: &Expr, indices: usize) -> Option<Expr> {
        let built = match array {
            Expr::Def(item) => match &self.doc.items[*item] {
                Item::Def { body, .. } => body,
                Item::Loop { .. } => return None,
            },
            e => e,
        };
        match built {
            Expr::Build(axes, e) if axes.len() == indices && matches!(**e, Expr::Num(_)) => {
                Some((**e).clone())
            }
            _ => None,
        }
    }

    fn op(&mut self, op: Op, inst: &Inst, args: Vec<Expr>) -> Expr {
        let mut list = args.into_iter();
        let mut next = || list.next().expect("operands");
        match op {
            Op::Neg => next().neg(),
            Op::Add => next().plus(next()),
            Op::Sub => Expr::sum([(false, next()), (true, next())]),
            Op::Mul => Expr::product([next(), next()]),
            Op::Div => Expr::frac(next(), next()),
            Op::Fma => Expr::product([next(), next()]).plus(next()),
            Op::Recip => Expr::frac(Expr::int(1), next()),
            Op::Square => Expr::power(next(), Expr::int(2)),
            Op::Powi | Op::Pow => Expr::power(next(), next()),
            Op::Complex => {
                let re = next();
                re.plus(Expr::product([Expr::Imaginary, next()]))
            }
            Op::Cis => Expr::Apply(Op::Exp, vec![Expr::product([Expr::Imaginary, next()])]),
            Op::Select => {
                let (c, a, b) = (next(), next(), next());
                choice(c, a, b)
            }
            Op::ToF64 | Op::ToF32 | Op::ToI64 if self.func.ty(inst.args[0]) == adc_ir::Type::BOOL => {
                Expr::Iverson(Box::new(next()))
            }
            Op::ToF64 | Op::ToF32 | Op::ToC => next(),
            ops!(Elementary)
            | ops!(ElementaryInt)
            | ops!(Order)
            | ops!(Part)
            | ops!(Test)
            | ops!(Barrier)
            | Op::Idiv
            | Op::Mod
            | Op::Sqrt
            | Op::And
            | Op::Or
            | Op::Not
            | Op::ToI64 => Expr::Apply(op, list.collect()),
        }
    }

    fn call(&mut self, f: FuncId, inst: &Inst, args: Vec<Expr>) -> Result<(), Diagnostic> {
        let callee = self.module.func(f);
        if callee.name.contains('.') {
            return Err(none(&format!("a call of the derivative program `{}`", callee.name)));
        }
        let args: Vec<Expr> = args.into_iter().skip(callee.dims.len()).collect();
        for (k, v) in inst.results.iter().enumerate() {
            let which = (inst.results.len() > 1).then_some(k);
            self.set(*v, Expr::Call(callee.name.clone(), args.clone(), which));
        }
        Ok(())
    }

    fn branch(&mut self, inst: &Inst, condition: &Expr) -> Result<(), Diagnostic> {
        inst.regions.iter().try_for_each(|r| self.region(r))?;
        for (k, v) in inst.results.iter().enumerate() {
            if self.uses[v.0 as usize] > 0 {
                let [a, b] = [0, 1].map(|r| self.get(inst.regions[r].yields[k]));
                self.set(*v, choice(condition.clone(), a, b));
            }
        }
        Ok(())
    }

    fn reduce(&mut self, op: ReduceOp, inst: &Inst, args: Vec<Expr>) -> Result<Expr, Diagnostic> {
        let array = self.rank(inst.results[0]) > 0;
        match op {
            ReduceOp::Prod if array => return Err(none("an elementwise product of arrays")),
            ReduceOp::Sum
            | ReduceOp::Prod
            | ReduceOp::Max
            | ReduceOp::Min
            | ReduceOp::Any
            | ReduceOp::All => {}
            ReduceOp::ArgMax | ReduceOp::ArgMin => {}
        }
        if !args[2].is(1.0) {
            return Err(none("a reduction in steps greater than 1"));
        }
        let index = self.index(0);
        let body = self.inside(&[index], &inst.regions[0])?;
        let mut args = args.into_iter().map(Box::new);
        let (lo, hi) = (args.next().expect("lo"), args.next().expect("hi"));
        if op == ReduceOp::Sum && !array && body.is(0.0) {
            return Ok(body);
        }
        Ok(Expr::Reduce { op, index, lo, hi, body: Box::new(body) })
    }

    /// A `for` with carries: a recurrence over the iterations k, with sums over them.
    fn counted(&mut self, inst: &Inst, args: Vec<Expr>) -> Result<(), Diagnostic> {
        let region = &inst.regions[0];
        let [lo, hi, step] = [0, 1, 2].map(|k| args[k].clone());
        if !step.is(1.0) {
            return Err(none("a loop in steps other than 1"));
        }
        let plain = lo.is(0.0) && self.is_size(inst.args[1]);
        let iterations = match plain {
            true => hi,
            false => {
                let n = Expr::sum([(false, hi), (true, lo.clone())]);
                Expr::Apply(Op::Max, vec![Expr::int(0), n])
            }
        };
        let iterations = self.name(iterations);
        let k = self.index(0);
        self.value[region.params[0].0 as usize] = Some(lo.plus(Expr::Sym(k)));
        let init = args[3..].to_vec();
        let carries = init.len();
        let item = self.open(k, init, Iterations::Count(iterations.clone()));
        self.body(region, 1, item, k)?;
        for (r, v) in inst.results.iter().enumerate() {
            if self.uses[v.0 as usize] == 0 {
                continue;
            }
            let e = if r < carries {
                Expr::Carry { item, place: r, iterations: Box::new(iterations.clone()) }
            } else {
                let body = Box::new(self.get(region.yields[r]));
                let sums = inst.kind.as_loop().map_or(0, |l| l.sums as usize);
                if r < carries + sums {
                    let lo = Box::new(Expr::int(0));
                    Expr::Reduce { op: ReduceOp::Sum, index: k, lo, hi: Box::new(iterations.clone()), body }
                } else {
                    Expr::Build(vec![(k, iterations.clone())], body)
                }
            };
            self.set(*v, e);
        }
        self.close(item, region, carries);
        Ok(())
    }

    /// Whether a value is a size, which is never negative.
    fn is_size(&self, v: Value) -> bool {
        match self.value[v.0 as usize] {
            Some(Expr::Num(_)) => true,
            Some(Expr::Sym(_)) => self.func.dims.iter().any(|d| d.value == v),
            _ => false,
        }
    }

    /// A recurrence whose next carries are not known yet.
    fn open(&mut self, index: Sym, init: Vec<Expr>, iterations: Iterations) -> usize {
        let item = Item::Loop { params: self.scope.clone(), index, init, next: Vec::new(), iterations };
        self.doc.items.push(item);
        self.doc.items.len() - 1
    }

    fn body(&mut self, region: &Region, first: usize, item: usize, k: Sym) -> Result<(), Diagnostic> {
        for (place, p) in region.params[first..].iter().enumerate() {
            let iterations = Box::new(Expr::Sym(k));
            self.value[p.0 as usize] = Some(Expr::Carry { item, place, iterations });
        }
        self.scope.push(k);
        let done = self.region(region);
        self.scope.pop();
        done
    }

    fn close(&mut self, item: usize, region: &Region, carries: usize) {
        let list: Vec<Expr> = region.yields[..carries].iter().map(|v| self.get(*v)).collect();
        if let Item::Loop { next, .. } = &mut self.doc.items[item] {
            *next = list;
        }
    }

    fn conditional(&mut self, inst: &Inst, args: Vec<Expr>) -> Result<(), Diagnostic> {
        let [test, body] = [&inst.regions[0], &inst.regions[1]];
        let carries = args.len();
        let k = self.index(0);
        let item = self.open(k, args, Iterations::Count(Expr::int(0)));
        self.body(test, 0, item, k)?;
        let condition = self.get(test.yields[0]);
        if let Item::Loop { iterations, .. } = &mut self.doc.items[item] {
            *iterations = Iterations::While(condition);
        }
        self.body(body, 0, item, k)?;
        for (r, v) in inst.results.iter().enumerate() {
            let iterations = || Expr::Iterations(item);
            let e = if r < carries {
                Expr::Carry { item, place: r, iterations: Box::new(iterations()) }
            } else if r == carries {
                iterations()
            } else {
                Expr::Build(vec![(k, iterations())], Box::new(self.get(body.yields[r - 1])))
            };
            self.set(*v, e);
        }
        self.close(item, body, carries);
        Ok(())
    }
}

/// One of two values.
fn choice(condition: Expr, yes: Expr, no: Expr) -> Expr {
    match no {
        no if no == yes => no,
        Expr::Cases(mut cases, other) => {
            cases.insert(0, (yes, condition));
            Expr::Cases(cases, other)
        }
        no => Expr::Cases(vec![(yes, condition)], Box::new(no)),
    }
}

/// An element of an array that has a name, or is one of an array itself.
fn element(array: Expr, indices: impl IntoIterator<Item = Expr>) -> Expr {
    let (array, mut at) = match array {
        Expr::Index(array, at) => (array, at),
        array => (Box::new(array), Vec::new()),
    };
    at.extend(indices);
    Expr::Index(array, at)
}

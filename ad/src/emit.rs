//! Emission of ops and formulas: a builder that knows which operands are literals and does not emit the same op
//! twice for one primal instruction.

use crate::fold;
use crate::formula::Formula;
use adc_ir::{
    Body, Builder, Const, Func, Inst, Kind, Known, Op, Region, Scalar, Span, Type, Value, ValueData, Values,
};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// An operand: a literal that nothing has been emitted for yet, or a value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Ex {
    Const(Const),
    Val(Value),
}

impl Ex {
    pub(crate) fn literal(self) -> Option<Const> {
        match self {
            Ex::Const(c) => Some(c),
            Ex::Val(_) => None,
        }
    }

    /// Whether it is the real or integer literal `x`.
    pub(crate) fn is(self, x: f64) -> bool {
        match self {
            Ex::Const(Const::F32(v)) => f64::from(v) == x,
            Ex::Const(Const::F64(v)) => v == x,
            Ex::Const(Const::I64(n)) => n as f64 == x,
            Ex::Const(Const::Bool(_) | Const::C64(_) | Const::C128(_)) | Ex::Val(_) => false,
        }
    }
}

/// What the formulas of one op's row stand on.
pub(crate) struct Operands {
    pub(crate) x: SmallVec<[Ex; 3]>,
    /// The result; absent where no formula can read it.
    pub(crate) y: Option<Ex>,
    /// The real type of the op's precision, which its literals have.
    pub(crate) real: Scalar,
}

/// How many of an instruction's ops are looked through for one that is there already: more than a row has, and few
/// enough for the sum of many contributions.
const REMEMBERED: usize = 32;

/// A [`Builder`] that emits a literal once per region and remembers the ops of one primal instruction.
pub(crate) struct Emitter {
    pub(crate) b: Builder,
    emitted: Vec<(Op, SmallVec<[Ex; 3]>, Ex)>,
    /// How many of them there were when each open region was opened.
    emitted_outside: Vec<usize>,
    /// The literals of each open region.
    literals: Vec<FxHashMap<Const, Value>>,
    /// The names of the parameters.
    names: FxHashSet<String>,
    /// Results of emitted `if`s that are 0 unless the condition has that truth.
    zero_unless: FxHashMap<Value, (Value, bool)>,
}

impl Emitter {
    pub(crate) fn new(b: Builder) -> Emitter {
        let names = b.func().params.iter().map(|p| p.name.clone()).collect();
        Emitter {
            b,
            emitted: Vec::new(),
            emitted_outside: Vec::new(),
            literals: vec![FxHashMap::default()],
            names,
            zero_unless: FxHashMap::default(),
        }
    }

    /// Starts a function with the parameters of `func`, whose values are returned.
    pub(crate) fn like(func: &Func, name: String) -> (Emitter, Vec<Value>) {
        let (b, params) = Builder::like(func, name);
        (Emitter::new(b), params)
    }

    /// Adds a parameter named `name`, or `name2`, … if that is taken.
    pub(crate) fn param(&mut self, name: &str, data: ValueData) -> Value {
        let name = unique(name, &mut self.names);
        self.b.param(name, data)
    }

    /// Ends the function, a derivative of `primal`; result names that are taken get a number.
    pub(crate) fn finish(self, primal: &Func, results: Vec<(String, Value)>) -> Func {
        let mut names = FxHashSet::default();
        let named = results.into_iter().map(|(name, value)| (unique(&name, &mut names), value)).collect();
        let mut func = self.b.finish(named);
        func.inline = primal.inline;
        settle_results(&mut func);
        func
    }

    /// What follows belongs to another primal instruction.
    pub(crate) fn begin(&mut self, span: Span) {
        self.b.set_span(span);
        self.emitted.clear();
        self.emitted_outside.fill(0);
    }

    pub(crate) fn open(&mut self) {
        self.open_with(Vec::new());
    }

    /// Opens a region with parameters, whose values are returned.
    pub(crate) fn open_with(&mut self, params: Vec<ValueData>) -> Vec<Value> {
        self.emitted_outside.push(self.emitted.len());
        self.literals.push(FxHashMap::default());
        self.b.open_with(params)
    }

    pub(crate) fn close(&mut self, yields: Vec<Value>) -> Region {
        let outside = self.emitted_outside.pop().expect("a region is open");
        self.emitted.truncate(outside);
        self.literals.pop();
        self.b.close(yields)
    }

    pub(crate) fn constant(&mut self, c: Const) -> Value {
        if let Some(known) = self.literals.iter().find_map(|region| region.get(&c)) {
            return *known;
        }
        let value = self.b.constant(c);
        self.literals.last_mut().expect("the body is open").insert(c, value);
        value
    }

    /// Notes that a value is 0 unless `cond` has that truth.
    pub(crate) fn note_zero_unless(&mut self, v: Value, cond: Value, truth: bool) {
        self.zero_unless.insert(v, (cond, truth));
    }

    /// Whether `x` is known to be 0 where the condition does not hold.
    pub(crate) fn is_zero_unless(&self, x: Ex, condition: (Value, bool)) -> bool {
        matches!(x, Ex::Val(v) if self.zero_unless.get(&v) == Some(&condition))
    }

    /// A zero at the end of a region that is closed already.
    pub(crate) fn zero_in(&mut self, insts: &mut Vec<Inst>, data: &ValueData) -> Value {
        let span = self.b.span();
        let mut push = |data: ValueData, kind: Kind, args: &[Value]| {
            let zero = self.b.fresh(data);
            let results = Values::from_slice(&[zero]);
            insts.push(Inst { kind, args: args.into(), results, regions: Vec::new(), span });
            zero
        };
        let scalar = data.ty.scalar();
        let zero = push(scalar.into(), Kind::Const(Const::zero(scalar)), &[]);
        if data.ty.is_array() { push(data.clone(), Kind::Fill, &[zero]) } else { zero }
    }

    pub(crate) fn scalar(&self, x: Ex) -> Scalar {
        match x {
            Ex::Const(c) => c.scalar(),
            Ex::Val(v) => self.b.ty(v).scalar(),
        }
    }

    pub(crate) fn is_complex(&self, x: Ex) -> bool {
        self.scalar(x).is_complex()
    }

    /// The operand as a value.
    pub(crate) fn value(&mut self, x: Ex) -> Value {
        match x {
            Ex::Const(c) => self.constant(c),
            Ex::Val(v) => v,
        }
    }

    pub(crate) fn op(&mut self, op: Op, args: &[Ex]) -> Ex {
        if let Some(shorter) = fold::simplified(op, args, self.scalar(args[0])) {
            return match shorter {
                fold::Shorter::Is(x) => x,
                fold::Shorter::Op(op, x) => self.op(op, &[x]),
            };
        }
        let mut recent = self.emitted.iter().rev().take(REMEMBERED);
        if let Some((.., known)) = recent.find(|(o, a, _)| *o == op && a[..] == *args) {
            return *known;
        }
        let values: SmallVec<[Value; 3]> = args.iter().map(|a| self.value(*a)).collect();
        let result = Ex::Val(self.b.op(op, &values));
        self.emitted.push((op, args.into(), result));
        result
    }

    /// `x` in the type `ty`, which is its own or, for a scalar, the complex one of its precision.
    pub(crate) fn promoted(&mut self, x: Ex, ty: Type) -> Value {
        let scalar = ty.scalar();
        if scalar == self.scalar(x) {
            return self.value(x);
        }
        if let Ex::Const(c) = x {
            return self.constant(Const::from_c128(c.to_c128(), scalar));
        }
        let zero = Ex::Const(Const::zero(scalar.real()));
        let complex = self.op(Op::Complex, &[x, zero]);
        self.value(complex)
    }

    /// The value of a formula.
    pub(crate) fn formula(&mut self, f: &Formula, on: &Operands) -> Ex {
        match f {
            Formula::X(i) => on.x[*i],
            Formula::Y => on.y.expect("a row that reads the result is used where it is kept"),
            Formula::Num(x) => Ex::Const(Const::real(*x, on.real)),
            Formula::Int(n) => Ex::Const(Const::I64(*n)),
            Formula::I => self.times_i(Ex::Const(Const::real(1.0, on.real))),
            Formula::Smallest if on.real == Scalar::F32 => Ex::Const(Const::F32(f32::MIN_POSITIVE)),
            Formula::Smallest => Ex::Const(Const::F64(f64::MIN_POSITIVE)),
            Formula::If(parts) => self.either(parts, on),
            Formula::Real(f) => {
                let n = self.formula(f, on);
                self.op(if on.real == Scalar::F32 { Op::ToF32 } else { Op::ToF64 }, &[n])
            }
            Formula::Op(Op::Mul, args) if args[0] == Formula::I => {
                let x = self.formula(&args[1], on);
                self.times_i(x)
            }
            Formula::Op(op, args) => {
                let mut args: SmallVec<[Ex; 3]> = args.iter().map(|a| self.formula(a, on)).collect();
                if matches!(op, Op::Eq | Op::Ne | Op::Select) {
                    self.literals_of_one_type(&mut args);
                }
                self.op(*op, &args)
            }
        }
    }

    fn either(&mut self, [cond, then, other]: &[Formula; 3], on: &Operands) -> Ex {
        let cond = self.formula(cond, on);
        if let Some(known) = fold::truth(cond) {
            return self.formula(if known { then } else { other }, on);
        }
        let cond = self.value(cond);
        let mut side = |f: &Formula| {
            self.open();
            let x = self.formula(f, on);
            let yields = vec![self.value(x)];
            self.close(yields)
        };
        let (then, other) = (side(then), side(other));
        Ex::Val(self.b.if_(cond, then, other)[0])
    }

    /// i·x by exchanging the parts.
    pub(crate) fn times_i(&mut self, x: Ex) -> Ex {
        let scalar = self.scalar(x);
        if !scalar.is_complex() {
            return self.op(Op::Complex, &[Ex::Const(Const::zero(scalar)), x]);
        }
        let (re, im) = (self.op(Op::Re, &[x]), self.op(Op::Im, &[x]));
        let minus_im = self.op(Op::Neg, &[im]);
        self.op(Op::Complex, &[minus_im, re])
    }

    /// Comparison and selection want operands of one type: a literal takes that of the other.
    fn literals_of_one_type(&self, args: &mut [Ex]) {
        let complex = args.iter().map(|a| self.scalar(*a)).find(|s| s.is_complex());
        for a in args {
            if let (Some(ty), Ex::Const(c)) = (complex, *a)
                && c.scalar().is_real()
            {
                *a = Ex::Const(Const::from_c128(c.to_c128(), ty));
            }
        }
    }
}

/// Writes the sizes of a function's results by what callers know: its entry and other results.
fn settle_results(func: &mut Func) {
    if !func.results.iter().any(|r| matches!(r.ty, Type::Array(..))) {
        return;
    }
    let known = Known::of(func);
    let Body::Region(_) = &func.body else { return };
    for r in &mut func.results {
        r.shape = known.resolve_shape(&r.shape);
    }
}

/// `base`, or the first of `base2`, `base3`, … that is not taken; it is taken from then on.
fn unique(base: &str, taken: &mut FxHashSet<String>) -> String {
    let mut candidates = std::iter::once(base.to_string()).chain((2..).map(|i| format!("{base}{i}")));
    candidates.find(|name| taken.insert(name.clone())).expect("infinitely many names")
}

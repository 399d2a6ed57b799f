//! Modules, functions, regions and instructions.
//!
//! A [`Func`] is typed SSA with nested [`Region`]s and no control-flow graph. Values are numbered per
//! function; a region may use every value defined before it in the regions that enclose it.
//! Everything prints and parses back ([`crate::text`]) and is checked by [`crate::verify`].

use crate::diag::Span;
use crate::dims::{Dim, Shape};
use crate::fp::FpMode;
use crate::origin::{Derivation, Origin, Role};
use crate::types::{Scalar, Type};
use num_complex::{Complex32, Complex64};
use std::fmt;

pub use crate::derived::{Derived, Operator};
pub use crate::kind::{Checkpoint, Guard, Kind, LinalgOp, Loop, PARTIALS, ReduceOp};
pub use crate::values::Values;

/// A function of a [`Module`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FuncId(pub u32);

/// An SSA value of one function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Value(pub u32);

/// A literal. Equality is equality of bits: `-0.0` is not `0.0`, a NaN equals itself.
#[derive(Clone, Copy, Debug)]
pub enum Const {
    /// `bool`
    Bool(bool),
    /// `i64`
    I64(i64),
    /// `f32`
    F32(f32),
    /// `f64`
    F64(f64),
    /// `c64`
    C64(Complex32),
    /// `c128`
    C128(Complex64),
}

impl Const {
    /// The literal's type.
    pub fn scalar(self) -> Scalar {
        match self {
            Const::Bool(_) => Scalar::Bool,
            Const::I64(_) => Scalar::I64,
            Const::F32(_) => Scalar::F32,
            Const::F64(_) => Scalar::F64,
            Const::C64(_) => Scalar::C64,
            Const::C128(_) => Scalar::C128,
        }
    }

    /// `x` as a literal of a real or complex type (rounded to its precision), of `i64` or `bool`
    /// (`x` must be an integer then).
    pub fn real(x: f64, ty: Scalar) -> Const {
        match ty {
            Scalar::Bool => Const::Bool(x != 0.0),
            Scalar::I64 => Const::I64(x as i64),
            Scalar::F32 => Const::F32(x as f32),
            Scalar::F64 => Const::F64(x),
            Scalar::C64 => Const::C64(Complex32::new(x as f32, 0.0)),
            Scalar::C128 => Const::C128(Complex64::new(x, 0.0)),
        }
    }

    /// The zero (`false`) of a type.
    pub fn zero(ty: Scalar) -> Const {
        Const::real(0.0, ty)
    }

    /// The number as a complex double (booleans as 0 and 1, integers rounded).
    pub fn to_c128(self) -> Complex64 {
        match self {
            Const::Bool(b) => Complex64::new(b as u8 as f64, 0.0),
            Const::I64(n) => Complex64::new(n as f64, 0.0),
            Const::F32(x) => Complex64::new(x as f64, 0.0),
            Const::F64(x) => Complex64::new(x, 0.0),
            Const::C64(z) => Complex64::new(z.re as f64, z.im as f64),
            Const::C128(z) => z,
        }
    }

    /// A literal of type `ty` with the parts of `z`; the imaginary part is dropped for real types.
    pub fn from_c128(z: Complex64, ty: Scalar) -> Const {
        match ty {
            Scalar::C64 => Const::C64(Complex32::new(z.re as f32, z.im as f32)),
            Scalar::C128 => Const::C128(z),
            Scalar::Bool | Scalar::I64 | Scalar::F32 | Scalar::F64 => Const::real(z.re, ty),
        }
    }

    /// Type and bits; NaNs of one type and payload are equal.
    pub fn bits(self) -> (Scalar, u64, u64) {
        let (a, b) = match self {
            Const::Bool(b) => (b as u64, 0),
            Const::I64(n) => (n as u64, 0),
            Const::F32(x) => (x.to_bits() as u64, 0),
            Const::F64(x) => (x.to_bits(), 0),
            Const::C64(z) => (z.re.to_bits() as u64, z.im.to_bits() as u64),
            Const::C128(z) => (z.re.to_bits(), z.im.to_bits()),
        };
        (self.scalar(), a, b)
    }

    /// Equality that takes every NaN for equal to every other: what "interpreter and compiled code agree
    /// bitwise" means.
    pub fn same(self, other: Const) -> bool {
        let part = |a: f64, b: f64| a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan());
        match (self, other) {
            (Const::I64(a), Const::I64(b)) => a == b,
            _ => {
                let (a, b) = (self.to_c128(), other.to_c128());
                self.scalar() == other.scalar() && part(a.re, b.re) && part(a.im, b.im)
            }
        }
    }
}

macro_rules! const_from {
    ($($rust:ty => $variant:ident;)*) => {
        $(impl From<$rust> for Const {
            fn from(x: $rust) -> Const { Const::$variant(x) }
        })*
    };
}

const_from! {
    bool => Bool;
    i64 => I64;
    f32 => F32;
    f64 => F64;
    Complex32 => C64;
    Complex64 => C128;
}

impl PartialEq for Const {
    fn eq(&self, o: &Const) -> bool {
        self.bits() == o.bits()
    }
}

impl Eq for Const {}

impl std::hash::Hash for Const {
    fn hash<H: std::hash::Hasher>(&self, h: &mut H) {
        self.bits().hash(h)
    }
}

/// An instruction.
#[derive(Clone, Debug, PartialEq)]
pub struct Inst {
    /// What it does.
    pub kind: Kind,
    /// Operands.
    pub args: Values,
    /// Results, each with its type in [`Func::values`].
    pub results: Values,
    /// Nested regions; empty but for region kinds.
    pub regions: Vec<Region>,
    /// The source expression it comes from; derivative instructions carry the primal's.
    pub span: Span,
}

/// A list of instructions with parameters and yielded values.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Region {
    /// Values the enclosing instruction defines on entry (none for `if`): indices, carries.
    pub params: Vec<Value>,
    /// In order.
    pub insts: Vec<Inst>,
    /// What the region gives to the enclosing instruction, or the function returns.
    pub yields: Vec<Value>,
}

/// Facts about a value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ValueData {
    /// Its type.
    pub ty: Type,
    /// Its sizes, as many as the type's rank. They are made of `i64` values that are visible where it is defined.
    pub shape: Shape,
}

impl ValueData {
    /// A scalar.
    pub fn scalar(ty: Scalar) -> ValueData {
        ValueData { ty: Type::Scalar(ty), shape: Vec::new() }
    }

    /// An array of these sizes; a scalar if there are none.
    pub fn array(elem: Scalar, shape: Shape) -> ValueData {
        ValueData { ty: Type::of_rank(elem, shape.len()), shape }
    }

    /// The element or sub-array behind the first `axes` indices.
    pub fn inner(&self, axes: usize) -> ValueData {
        ValueData::array(self.ty.scalar(), self.shape[axes.min(self.shape.len())..].to_vec())
    }

    /// The array whose elements are such values, with these sizes before its own.
    pub fn outer(&self, sizes: &[Dim]) -> ValueData {
        ValueData::array(self.ty.scalar(), [sizes, &self.shape].concat())
    }
}

impl From<Scalar> for ValueData {
    fn from(ty: Scalar) -> ValueData {
        ValueData::scalar(ty)
    }
}

/// The value of a scalar type.
///
/// # Panics
/// If it is an array: its sizes are missing.
impl From<Type> for ValueData {
    fn from(ty: Type) -> ValueData {
        match ty {
            Type::Scalar(s) => ValueData::scalar(s),
            Type::Array(..) => panic!("{ty} has sizes: say which"),
        }
    }
}

/// A declared domain of a parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ParamDomain {
    /// Between `lo` and `hi`; the flags say whether the end itself belongs to it. For real and integer parameters.
    Interval {
        /// Lower end, maybe −∞.
        lo: f64,
        /// Upper end, maybe ∞.
        hi: f64,
        /// `[`
        lo_closed: bool,
        /// `]`
        hi_closed: bool,
    },
    /// `r0 ≤ |z| ≤ r1` (a disk has `r0 = 0`). For complex parameters.
    Annulus {
        /// Inner radius.
        r0: f64,
        /// Outer radius.
        r1: f64,
    },
}

impl ParamDomain {
    /// Whether `x` lies in it (NaN does not).
    pub fn contains(self, x: Complex64) -> bool {
        match self {
            ParamDomain::Interval { lo, hi, lo_closed, hi_closed } => {
                (x.re > lo || (lo_closed && x.re == lo)) && (x.re < hi || (hi_closed && x.re == hi))
            }
            ParamDomain::Annulus { r0, r1 } => {
                let r = x.re.hypot(x.im);
                r0 <= r && r <= r1
            }
        }
    }

    /// Whether all of these real numbers lie in it. Calls ask this of every array, so it is a loop that computes in lanes.
    pub fn contains_all(self, mut numbers: impl ExactSizeIterator<Item = f64>) -> bool {
        let (lo, hi) = match self {
            // An open end is a closed one beside it; declared intervals are not empty.
            ParamDomain::Interval { lo, hi, lo_closed, hi_closed } => {
                (if lo_closed { lo } else { lo.next_up() }, if hi_closed { hi } else { hi.next_down() })
            }
            ParamDomain::Annulus { .. } => return numbers.all(|x| self.contains(x.into())),
        };
        let count = numbers.len() as u64;
        numbers.map(|x| u64::from((lo <= x) & (x <= hi))).sum::<u64>() == count
    }

    /// The same of complex numbers.
    pub fn contains_all_complex(self, numbers: &[Complex64]) -> bool {
        let ParamDomain::Annulus { r0, r1 } = self else {
            return numbers.iter().all(|z| self.contains(*z));
        };
        // Squares tell, but of numbers at the edge or whose squares leave the range: `hypot` takes longer.
        let lo = if r0 == 0.0 { 0.0 } else { (r0 * r0 * (1.0 + 1e-14)).max(1e-290) };
        let hi = (r1 * r1 * (1.0 - 1e-14)).min(1e300);
        let clear = |z: &Complex64| hi > 1e-290 && (lo..=hi).contains(&z.norm_sqr());
        numbers.iter().all(|z| clear(z) || self.contains(*z))
    }
}

/// As in the source: `[0, 1)`, `disk(2)`, `annulus(1, 2)`.
impl fmt::Display for ParamDomain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let end = |x: f64| match x {
            f64::INFINITY => "INF".to_string(),
            f64::NEG_INFINITY => "-INF".to_string(),
            _ => crate::numbers::real(x),
        };
        match *self {
            ParamDomain::Interval { lo, hi, lo_closed, hi_closed } => {
                let (open, close) = (if lo_closed { '[' } else { '(' }, if hi_closed { ']' } else { ')' });
                write!(f, "{open}{}, {}{close}", end(lo), end(hi))
            }
            ParamDomain::Annulus { r0: 0.0, r1 } => write!(f, "disk({})", end(r1)),
            ParamDomain::Annulus { r0, r1 } => write!(f, "annulus({}, {})", end(r0), end(r1)),
        }
    }
}

/// A dimension of a function: an `i64` value at entry.
#[derive(Clone, Debug, PartialEq)]
pub struct DimParam {
    /// The value it defines.
    pub value: Value,
    /// Its name in the source.
    pub name: String,
    /// The floor of a quotient of sizes that it always is, if it is no free one: entry calls compute it, others give it.
    /// The variables in it are positions of dimensions before this one.
    pub quotient: Option<(Dim, Dim)>,
    /// Where it is declared.
    pub span: Span,
}

/// A parameter of a function.
#[derive(Clone, Debug, PartialEq)]
pub struct Param {
    /// The value it defines.
    pub value: Value,
    /// Its name in the source.
    pub name: String,
    /// Of the residuals of a pullback.
    pub role: Option<Role>,
    /// `#[nodiff]`: taken out of differentiation.
    pub nodiff: bool,
    /// `#[linear]`, of an extern function, or of one that only calls it with numbers for its dimensions: its results are linear over
    /// the reals in all such parameters together.
    pub linear: bool,
    /// The declared domain, a fact about the value in the function's body.
    pub domain: Option<ParamDomain>,
    /// Where it is declared.
    pub span: Span,
}

/// A result of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResultDecl {
    /// Its name: as declared, else `out` or `out.0`, `out.1`.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// Its sizes, made of dimensions, `i64` parameters, and values that are results themselves.
    pub shape: Shape,
}

impl ResultDecl {
    /// A result like a value.
    pub fn new(name: impl Into<String>, data: impl Into<ValueData>) -> ResultDecl {
        let ValueData { ty, shape } = data.into();
        ResultDecl { name: name.into(), ty, shape }
    }

    /// Type and sizes.
    pub fn data(&self) -> ValueData {
        ValueData { ty: self.ty, shape: self.shape.clone() }
    }
}

words! {
    /// The form of a hand-written derivative.
    RuleKind {
        /// Parameters: the function's, then its results (`out`), then one tangent per differentiable parameter.
        /// Results: one tangent per differentiable result.
        Jvp "jvp",
        /// Parameters: the function's, then its results (`out`), then one cotangent per differentiable result.
        /// Results: one cotangent per differentiable parameter.
        Vjp "vjp",
        /// Parameters: the function's, then its results (`out`). Results: for each differentiable parameter of a
        /// function with one result the partials ∂f/∂x (real parameter, of the result's complexness), or W then CW
        /// (complex parameter, complex). A complex parameter's structurally absent CW is said by [`Rule::holomorphic`].
        /// Of an array they are arrays of its sizes: each element depends on that element of array parameters, which have
        /// the same sizes, and on scalar ones.
        Partial "partial",
    }
}

/// What a check makes of a hand-written rule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RuleCheck {
    /// It is compared with the function that it belongs to, and so are second derivatives through it.
    #[default]
    Every,
    /// `#[check(first_order)]`: it is compared, second derivatives through it are not.
    FirstOrder,
    /// `#[check(trust)]`: it is used, and not compared.
    Trust,
    /// `#[nonlinear]`, of a `vjp` rule: it is used, is not linear in the cotangent, and has no counterpart in forward mode. A
    /// check uses the derivative of the body in its place.
    Nonlinear,
}

impl RuleCheck {
    /// Every value that is not the default, with its word in sources and IR text.
    pub const WORDS: [(&'static str, RuleCheck); 3] = [
        ("first_order", RuleCheck::FirstOrder),
        ("trust", RuleCheck::Trust),
        ("nonlinear", RuleCheck::Nonlinear),
    ];

    /// Its word; the default has none.
    pub fn word(self) -> Option<&'static str> {
        RuleCheck::WORDS.iter().find(|(_, c)| *c == self).map(|(w, _)| *w)
    }

    /// Whether the rule is used without being compared with its function.
    pub fn is_trusted(self) -> bool {
        matches!(self, RuleCheck::Trust | RuleCheck::Nonlinear)
    }

    /// What a word stands for.
    pub fn from_word(word: &str) -> Option<RuleCheck> {
        RuleCheck::WORDS.iter().find(|(w, _)| *w == word).map(|(_, c)| *c)
    }
}

/// A hand-written derivative of a function.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    /// Its form.
    pub kind: RuleKind,
    /// The function that computes it.
    pub func: FuncId,
    /// What a check compares it with.
    pub check: RuleCheck,
    /// For `Partial`: per differentiable parameter whether `dconj` was left out of a complex-valued
    /// function (CW is structurally zero, and its slot in the results is not there).
    pub holomorphic: Vec<bool>,
    /// The whole rule in the source.
    pub span: Span,
}

/// What a function is made of.
#[derive(Clone, Debug, PartialEq)]
pub enum Body {
    /// Instructions.
    Region(Region),
    /// Native code bound by this name at run time. Pure and deterministic by contract.
    Extern(String),
    /// A derivative that is still to be written, by adc-ad's `expand`; nothing runs before.
    Derived(Derived),
}

/// A function.
#[derive(Clone, Debug, PartialEq)]
pub struct Func {
    /// Unique in its module. Generated functions have a dotted suffix: `loss.vjp`.
    pub name: String,
    /// In order. A call gives them before its arguments.
    pub dims: Vec<DimParam>,
    /// In order.
    pub params: Vec<Param>,
    /// In order.
    pub results: Vec<ResultDecl>,
    /// Instructions or an extern symbol.
    pub body: Body,
    /// Type and sizes of every value, indexed by [`Value`].
    pub values: Vec<ValueData>,
    /// Hand-written derivatives.
    pub rules: Vec<Rule>,
    /// What it was made of, unless it comes from the model.
    pub origin: Option<Origin>,
    /// Of the body of a rule, and of derivatives of it, what a check makes of the rule.
    pub of_rule: Option<RuleCheck>,
    /// `#[inline]`
    pub inline: bool,
    /// `#[fp(…)]`, if it says so. See [`Func::mode`].
    pub fp: Option<FpMode>,
    /// The whole item in the source.
    pub span: Span,
}

impl Func {
    /// The floating-point mode: what its author allows the optimiser to do to rounding.
    pub fn mode(&self) -> FpMode {
        self.fp.unwrap_or_default()
    }

    /// The type of a value.
    pub fn ty(&self, v: Value) -> Type {
        self.values[v.0 as usize].ty
    }

    /// A new value that nothing defines yet.
    pub fn fresh(&mut self, data: ValueData) -> Value {
        self.values.push(data);
        Value(self.values.len() as u32 - 1)
    }

    /// The position of a dimension or parameter among the operands of a call.
    pub fn entry_position(&self, v: Value) -> Option<usize> {
        let entry = self.dims.iter().map(|d| d.value).chain(self.params.iter().map(|p| p.value));
        entry.enumerate().find(|(_, e)| *e == v).map(|(i, _)| i)
    }

    /// The sizes of a value; none if it is a scalar.
    pub fn shape(&self, v: Value) -> &Shape {
        &self.values[v.0 as usize].shape
    }

    /// Type and sizes of a value.
    pub fn data(&self, v: Value) -> &ValueData {
        &self.values[v.0 as usize]
    }

    /// Whether one of its values is an array.
    pub fn has_arrays(&self) -> bool {
        self.values.iter().any(|d| d.ty.rank() > 0)
    }

    /// Whether it has neither dimensions nor arrays nor loops (its callees are not looked at).
    pub fn is_scalar(&self) -> bool {
        fn region(r: &Region) -> bool {
            r.insts.iter().all(|i| i.kind.is_scalar() && i.regions.iter().all(region))
        }
        self.dims.is_empty() && !self.has_arrays() && self.region().is_none_or(region)
    }

    /// The body's region; `None` for extern functions.
    pub fn region(&self) -> Option<&Region> {
        match &self.body {
            Body::Region(r) => Some(r),
            Body::Extern(_) | Body::Derived(_) => None,
        }
    }

    /// The type of parameter `i`.
    pub fn param_ty(&self, i: usize) -> Type {
        self.ty(self.params[i].value)
    }

    /// Positions of the parameters that carry derivatives: real or complex, not `#[nodiff]`.
    pub fn differentiable_params(&self) -> Vec<usize> {
        (0..self.params.len())
            .filter(|&i| !self.params[i].nodiff && self.param_ty(i).is_differentiable())
            .collect()
    }

    /// Positions of the parameters in which it is linear: those marked `#[linear]`.
    pub fn linear_params(&self) -> Vec<usize> {
        (0..self.params.len()).filter(|&i| self.params[i].linear).collect()
    }

    /// Whether all that is known of its derivative is what `#[linear]` says.
    pub fn is_only_linear(&self) -> bool {
        self.rules.is_empty() && self.params.iter().any(|p| p.linear)
    }

    /// Positions of the results that carry derivatives.
    pub fn differentiable_results(&self) -> Vec<usize> {
        (0..self.results.len()).filter(|&i| self.results[i].ty.is_differentiable()).collect()
    }

    /// The rule of a kind, if there is one.
    pub fn rule(&self, kind: RuleKind) -> Option<&Rule> {
        self.rules.iter().find(|r| r.kind == kind)
    }

    /// Number of instructions, nested ones included.
    pub fn inst_count(&self) -> usize {
        fn count(r: &Region) -> usize {
            r.insts.iter().map(|i| 1 + i.regions.iter().map(count).sum::<usize>()).sum()
        }
        self.region().map_or(0, count)
    }
}

/// A set of functions that call each other. Calls never form a cycle.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Module {
    /// Indexed by [`FuncId`].
    pub funcs: Vec<Func>,
}

impl Module {
    /// Gives the functions that do not say how they may be rounded this floating-point mode. None allows more than that.
    pub fn limit_fp(&mut self, mode: FpMode) {
        self.funcs.iter_mut().for_each(|f| f.fp = Some(f.fp.unwrap_or(mode).min(mode)));
    }

    /// Whether these functions and all that they call are strict.
    pub fn is_strict(&self, roots: &[FuncId]) -> bool {
        self.reachable_from(roots).into_iter().all(|f| self.func(f).mode() == FpMode::Strict)
    }
}

impl Inst {
    /// An instruction with one result and no regions.
    pub fn simple(kind: Kind, args: &[Value], result: Value, span: Span) -> Inst {
        let results = Values::from_slice(&[result]);
        Inst { kind, args: args.into(), results, regions: Vec::new(), span }
    }

    /// The values the instruction itself needs: operands, and those in the sizes it mentions, be it as a `size` or as
    /// the shape of a result. Not what its nested regions use.
    pub fn uses<'a>(&'a self, func: &'a Func) -> impl Iterator<Item = Value> + 'a {
        let own = match &self.kind {
            Kind::Size(dim) => Some(&**dim),
            _ => None,
        };
        let shapes = self.results.iter().flat_map(|v| func.shape(*v));
        self.args.iter().copied().chain(own.into_iter().chain(shapes).flat_map(Dim::vars))
    }
}

impl Module {
    /// A function.
    pub fn func(&self, id: FuncId) -> &Func {
        &self.funcs[id.0 as usize]
    }

    /// The function of a name.
    pub fn find(&self, name: &str) -> Option<FuncId> {
        self.funcs.iter().position(|f| f.name == name).map(|i| FuncId(i as u32))
    }

    /// Adds a function.
    ///
    /// # Panics
    /// If the name is taken.
    pub fn add(&mut self, func: Func) -> FuncId {
        assert!(self.find(&func.name).is_none(), "function `{}` is defined twice", func.name);
        self.funcs.push(func);
        FuncId(self.funcs.len() as u32 - 1)
    }

    /// Gives a function a rule, whose own function is then known to be the body of one.
    pub fn attach(&mut self, f: FuncId, rule: Rule) {
        let body = &mut self.funcs[rule.func.0 as usize];
        body.of_rule = Some(rule.check);
        body.origin = Some(Origin { of: f, program: Derivation::Rule(rule.kind) });
        self.funcs[f.0 as usize].rules.push(rule);
    }

    /// A name that is not taken: `base`, else `base.2`, `base.3`, …
    pub fn fresh_name(&self, base: &str) -> String {
        (1..)
            .map(|i| if i == 1 { base.to_string() } else { format!("{base}.{i}") })
            .find(|n| self.find(n).is_none())
            .expect("infinitely many names")
    }

    /// Every function with its id.
    pub fn iter(&self) -> impl Iterator<Item = (FuncId, &Func)> {
        self.funcs.iter().enumerate().map(|(i, f)| (FuncId(i as u32), f))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_numbers_of_an_annulus_are_asked_like_one() {
        let radii = [0.0, 5e-324, 1e-200, 1e-160, 0.1, 1.0, 3.0, 1e150, 1e160, f64::MAX];
        let near = |x: f64| [x, x.next_up(), x.next_down(), 0.6 * x, 1.5 * x];
        let mut numbers = vec![Complex64::new(f64::NAN, 0.0), Complex64::new(f64::INFINITY, 0.0)];
        for x in radii.into_iter().flat_map(near) {
            numbers.extend([(x, 0.0), (0.0, -x), (0.6 * x, 0.8 * x)].map(|(re, im)| Complex64::new(re, im)));
        }
        for (k, r0) in radii.into_iter().enumerate() {
            for r1 in radii[k..].iter().copied() {
                let domain = ParamDomain::Annulus { r0, r1 };
                for z in &numbers {
                    assert_eq!(domain.contains_all_complex(&[*z]), domain.contains(*z), "{z:e} in {domain}");
                }
                let inside: Vec<Complex64> =
                    numbers.iter().copied().filter(|z| domain.contains(*z)).collect();
                assert!(domain.contains_all_complex(&inside));
                assert!(!domain.contains_all_complex(&numbers));
            }
        }
    }

    #[test]
    fn all_numbers_of_an_interval_are_asked_like_one() {
        let ends = [f64::NEG_INFINITY, -1.0, -0.0, 0.0, 5e-324, 1.0, f64::MAX, f64::INFINITY];
        let mut numbers = ends.to_vec();
        numbers.extend(ends.iter().flat_map(|x| [x.next_up(), x.next_down()]));
        numbers.push(f64::NAN);
        for (k, lo) in ends.iter().enumerate() {
            for hi in &ends[k..] {
                for (lo_closed, hi_closed) in [(true, true), (true, false), (false, true), (false, false)] {
                    if lo == hi && !(lo_closed && hi_closed) {
                        continue;
                    }
                    let domain = ParamDomain::Interval { lo: *lo, hi: *hi, lo_closed, hi_closed };
                    for x in &numbers {
                        let inside = (lo + 1.0).min(*hi).max(*lo);
                        let with = domain.contains_all([*x; 3].into_iter());
                        assert_eq!(with, domain.contains((*x).into()), "{x:e} in {domain}");
                        if domain.contains(inside.into()) {
                            let among = domain.contains_all([inside, *x, inside].into_iter());
                            assert_eq!(among, with, "{x:e} in {domain}");
                        }
                    }
                    assert!(domain.contains_all([].into_iter()));
                }
            }
        }
    }
}

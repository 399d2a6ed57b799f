//! The program after names and types are known: what the inference produces and the lowering reads.
//! Types are terms of the body's [`Types`] table and are final once that is solved.

use super::builtins::{ArrayFn, Named};
use super::types::{Ty, Types};
use crate::syntax::ast::{self, ReduceOp};
use adc_ir::{Checkpoint, Dim, Op, Operator, RuleCheck, Scalar, Span};

/// A function of the program, an index into [`Items::fns`](super::items::Items::fns).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FnIx(pub usize);

/// A constant of the program, an index into [`Items::consts`](super::items::Items::consts).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ConstIx(pub usize);

/// A variable of one body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LocalId(pub usize);

/// A variable or parameter.
#[derive(Debug)]
pub struct Local<'a> {
    /// As written.
    pub name: &'a str,
    /// Its type.
    pub ty: Ty,
    /// How it came to be.
    pub kind: LocalKind,
    /// Its name where it is declared.
    pub span: Span,
    /// Its declared type in the source.
    pub declared: Option<Span>,
    /// The dimension expression it stands for, if it is one and never changes.
    pub dim: Option<Dim>,
    /// Where its value is made with one size, as by `zeros(N)`: in other languages that is a matrix.
    pub sized_once: Option<Span>,
}

/// How a variable came to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LocalKind {
    /// A parameter.
    Param,
    /// A dimension of the function.
    Dim,
    /// `let`
    Let,
    /// The variable of a `for` loop or a generator.
    Index,
    /// `var`
    Var,
}

/// A body with everything known about it.
pub struct Body<'a> {
    /// The solved types.
    pub types: Types,
    /// Every variable, parameters first.
    pub locals: Vec<Local<'a>>,
    /// The dimensions of the function among them.
    pub dims: Vec<LocalId>,
    /// What it computes, each to be converted to the type beside it: one entry for functions and the
    /// other rules, one per slot for `rule partial`.
    pub values: Vec<(Expr<'a>, Ty)>,
    /// The functions it names, with the place of the first mention of each.
    pub mentions: Vec<Mention>,
}

/// An expression.
#[derive(Debug)]
pub struct Expr<'a> {
    /// Which one.
    pub kind: ExprKind<'a>,
    /// Its type.
    pub ty: Ty,
    /// All of it.
    pub span: Span,
}

/// The kinds of expressions.
#[derive(Debug)]
pub enum ExprKind<'a> {
    /// Something wrong was reported.
    Error,
    /// An integer literal, of any number type.
    Int(i64),
    /// A real literal.
    Real(f64),
    /// An imaginary literal.
    Imag(f64),
    /// `true`, `false`
    Bool(bool),
    /// `PI` and the like.
    Named(Named),
    /// A constant of the program.
    Const(ConstIx, &'a str),
    /// A variable.
    Local(LocalId),
    /// A size as an integer; not written.
    Size(Dim),
    /// An op of the table; `name` is the built-in it was written as, empty for operators.
    Prim {
        /// The op.
        op: Op,
        /// The built-in's name.
        name: &'static str,
        /// Its operands.
        args: Vec<Expr<'a>>,
    },
    /// `a < b` and the like of booleans, which have no ops of their own.
    BoolOrder {
        /// `Lt`, `Le`, `Gt` or `Ge`.
        op: Op,
        /// Both sides.
        args: Box<(Expr<'a>, Expr<'a>)>,
    },
    /// `x^2`, `x^-1`, `x^2.0`: a literal integral exponent.
    PowerInt(Box<Expr<'a>>, i64),
    /// `x^y`, `pow(x, y)`; the types decide whether it is an integer power.
    Power(Box<(Expr<'a>, Expr<'a>)>),
    /// `a && b` (`and`) or `a || b`
    Lazy {
        /// `&&`
        and: bool,
        /// Both sides.
        args: Box<(Expr<'a>, Expr<'a>)>,
    },
    /// `f64(x)`, `c128(re, im)`
    Convert(Scalar, Vec<Expr<'a>>),
    /// A call of a function of the program.
    Call(Box<Call<'a>>),
    /// A call of a function parameter; the types of its parameters and result are declared.
    CallLocal(LocalId, &'a str, Vec<Arg<'a>>),
    /// A call of a derivative, with its operator's name; tangents and cotangents are the last arguments.
    CallFn(Box<FnRef<'a>>, &'a str, Vec<Arg<'a>>),
    /// `if`; without `otherwise` it has no value.
    If {
        /// Conditions and blocks.
        branches: Vec<(Expr<'a>, Block<'a>)>,
        /// `else`
        otherwise: Option<Block<'a>>,
    },
    /// A block.
    Block(Box<Block<'a>>),
    /// `(a, b)`
    Tuple(Vec<Expr<'a>>),
    /// `[a, b]`: values of one type, arrays too.
    Array(Vec<Expr<'a>>),
    /// `x[i, a:b]`: at most as many as `x` has axes.
    Index(Box<Expr<'a>>, Vec<At<'a>>),
    /// `[e for i in a..b]`; the axes of `e` follow.
    Build {
        /// At least one; each with the size of its axis.
        gens: Vec<Gen<'a>>,
        /// The element.
        body: Box<Expr<'a>>,
    },
    /// `sum(e for i in a..b)`
    Reduce {
        /// Which one.
        op: ReduceOp,
        /// At least one.
        gens: Vec<Gen<'a>>,
        /// The term.
        body: Box<Expr<'a>>,
    },
    /// `sum(x)`: over all entries of an array.
    ReduceAll(ReduceOp, Box<Expr<'a>>),
    /// `a @ b`
    MatMul(Box<(Expr<'a>, Expr<'a>)>),
    /// `A'`: a matrix, a vector or a scalar.
    Adjoint(Box<Expr<'a>>),
    /// A built-in of arrays. The sizes of its result are in its type.
    ArrayFn(ArrayFn, Vec<Expr<'a>>),
    /// `sum(x, axis = 0)`: of each vector along that axis.
    Along(Along, Box<Expr<'a>>, usize),
}

/// What can be done along an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Along {
    /// A reduction, which takes the axis away.
    Reduce(ReduceOp),
    /// `softmax` of each vector,
    Softmax,
    /// the running sums,
    Cumsum,
    /// the running products.
    Cumprod,
}

/// A function that a body names.
#[derive(Clone, Copy, Debug)]
pub struct Mention {
    /// Which one.
    pub f: FnIx,
    /// Where.
    pub span: Span,
    /// Passed or differentiated, not called.
    pub value: bool,
}

/// A call of a function of the program.
#[derive(Debug)]
pub struct Call<'a> {
    /// Which one.
    pub f: FnIx,
    /// Its name.
    pub name: &'a str,
    /// Its dimensions, in sizes of the caller; then the quotients in its signature.
    pub dims: Vec<Dim>,
    /// In order.
    pub args: Vec<Arg<'a>>,
}

/// A position inside `x[…]`.
#[derive(Debug)]
pub enum At<'a> {
    /// `i`
    At(Expr<'a>),
    /// `a:b`
    Slice {
        /// The first index, 0 if it is left out.
        lo: Option<Expr<'a>>,
        /// The number of indices.
        len: Dim,
    },
}

/// A generator.
#[derive(Debug)]
pub struct Gen<'a> {
    /// Its variable.
    pub var: LocalId,
    /// What it runs over: a range, or 0 up to `len`.
    pub range: Option<Range<'a>>,
    /// The number of its values: known of bare ones and in comprehensions.
    pub len: Option<Dim>,
    /// All of it.
    pub span: Span,
}

/// `lo..hi step s`
#[derive(Debug)]
pub struct Range<'a> {
    /// First value.
    pub lo: Expr<'a>,
    /// One past the last.
    pub hi: Expr<'a>,
    /// Step, 1 if left out.
    pub step: Option<Expr<'a>>,
}

/// An argument of a call.
#[derive(Debug)]
pub enum Arg<'a> {
    /// A value, to be converted to the parameter's type.
    Value(Expr<'a>),
    /// A function.
    Fn(FnRef<'a>),
}

/// A function given as an argument.
#[derive(Debug)]
pub enum FnRef<'a> {
    /// Something wrong was reported.
    Error,
    /// A function of the program with its dimensions, then the quotients in its signature.
    Item(FnIx, Vec<Dim>),
    /// A built-in with the types of its operands and its result.
    Builtin(BuiltinFn, Vec<Ty>, Ty),
    /// A derivative of a function with respect to the parameters of it that are open, by position.
    Derived(Operator, Box<FnRef<'a>>, Vec<usize>),
    /// A function parameter.
    Local(LocalId),
    /// `f(_, p)`: given arguments, `None` for the holes.
    Partial(Box<FnRef<'a>>, Vec<Option<Arg<'a>>>),
}

/// A built-in as a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BuiltinFn {
    /// An op of the table, of the elements of arrays.
    Op(Op),
    /// A reduction of a whole array.
    Reduce(ReduceOp),
    /// Something else of arrays.
    Array(ArrayFn),
}

impl BuiltinFn {
    /// Its name in the IR.
    pub fn name(self) -> String {
        match self {
            BuiltinFn::Op(op) => op.name().into(),
            BuiltinFn::Reduce(op) => op.text().into(),
            BuiltinFn::Array(f) => format!("{f:?}").to_lowercase(),
        }
    }
}

/// A block.
#[derive(Debug)]
pub struct Block<'a> {
    /// In order.
    pub stmts: Vec<Stmt<'a>>,
    /// The expression at the end.
    pub value: Option<Box<Expr<'a>>>,
    /// Its type: the value's, or [`Ty::Unit`].
    pub ty: Ty,
    /// With its braces.
    pub span: Span,
    /// The last statement, if it is an expression with a `;` that could be the value; those of its branches if it
    /// is an `if`.
    pub dropped: Vec<Span>,
}

/// A statement.
#[derive(Debug)]
pub enum Stmt<'a> {
    /// `let`, `var`: the value is converted to the pattern's types.
    Bind(Pat, Expr<'a>),
    /// `x = e`, `x += e` with the operation spelled out.
    Assign(LocalId, Expr<'a>),
    /// `x[i] = e`, `x[i] += e`
    AssignAt(Box<AssignAt<'a>>),
    /// `for i in a..b { … }`
    For(Box<For<'a>>),
    /// `while c { … }`
    While(Box<While<'a>>),
    /// `if`, a block.
    Expr(Expr<'a>),
    /// `assert`, with its text.
    Assert(Expr<'a>, String),
}

/// `x[i] = e`, `x[i] += e`
#[derive(Debug)]
pub struct AssignAt<'a> {
    /// The variable.
    pub var: LocalId,
    /// Where; at least one.
    pub at: Vec<At<'a>>,
    /// What combines the old value and the right side; nothing for `=`.
    pub op: Option<Op>,
    /// The right side.
    pub value: Expr<'a>,
    /// The type of the part assigned.
    pub part: Ty,
    /// All of it.
    pub span: Span,
}

/// `for i in a..b { … }`
#[derive(Debug)]
pub struct For<'a> {
    /// Its variable.
    pub var: LocalId,
    /// What it runs over.
    pub range: Range<'a>,
    /// Without a value.
    pub body: Block<'a>,
    /// `#[checkpoint(…)]`
    pub checkpoint: Option<Checkpoint>,
    /// All of it.
    pub span: Span,
}

/// `while c { … }`
#[derive(Debug)]
pub struct While<'a> {
    /// The condition, which assigns nothing.
    pub cond: Expr<'a>,
    /// Without a value.
    pub body: Block<'a>,
    /// `#[checkpoint(…)]`
    pub checkpoint: Option<Checkpoint>,
    /// All of it.
    pub span: Span,
}

/// What a value is bound to.
#[derive(Debug)]
pub enum Pat {
    /// A variable.
    Local(LocalId),
    /// Nothing; the type says how many values are skipped.
    Wild(Ty),
    /// A tuple.
    Tuple(Vec<Pat>),
}

impl Expr<'_> {
    /// The node that stands for what was reported.
    pub fn error(span: Span) -> Self {
        Expr { kind: ExprKind::Error, ty: Ty::Error, span }
    }
}

/// A rule that fits its function.
pub struct CheckedRule<'a> {
    /// The function.
    pub target: FnIx,
    /// The rule in the source.
    pub rule: &'a ast::Rule,
    /// The whole item.
    pub span: Span,
    /// What a check makes of it.
    pub check: RuleCheck,
    /// Its results.
    pub results: Vec<RuleResult>,
    /// See [`adc_ir::Rule::holomorphic`].
    pub holomorphic: Vec<bool>,
    /// Its body.
    pub body: Body<'a>,
}

/// A result of a rule.
pub struct RuleResult {
    /// Its name.
    pub name: String,
    /// Which of the body's values it is, counted through.
    pub value: usize,
    /// Its conjugate: the other half of a Wirtinger pair of a real function, which is not written.
    pub conj: bool,
}

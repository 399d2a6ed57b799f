//! The syntax tree of the whole language.
//!
//! Every node carries the [`Span`] of all the text it stands for; the span of a parenthesised
//! expression includes its parentheses, and there is no node for them. Absent on purpose: types, resolved
//! names and built-ins (`sum` is a reduction because of its generator, `exp` is a plain name), comments.
//!
//! A tree has bounded depth: blocks, brackets, types and chains of `else if` nest at most [`MAX_NESTING`] deep, and no
//! expression is higher than [`MAX_HEIGHT`] (a chain `a + b + c + …` of n operators has height n).

use adc_ir::{FileId, RuleCheck, RuleKind, Span};

pub use adc_ir::FpMode;

pub use super::ops::{AssignOp, BinaryOp, DerivOp, Lint, ReduceOp, Setting, UnaryOp};

/// Deepest nesting of blocks, brackets and types. Each `else if` of a chain counts as a level too.
pub const MAX_NESTING: usize = 128;

/// Height of the highest expression.
pub const MAX_HEIGHT: usize = 500;

/// A source file.
#[derive(Clone, Debug, PartialEq)]
pub struct File {
    /// Which one.
    pub file: FileId,
    /// `language 1;` at its start.
    pub language: Option<Span>,
    /// In source order.
    pub items: Vec<Item>,
}

/// A name where it stands. `_` only as a parameter, a loop variable or in [`PatternKind::Wild`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// As written.
    pub text: String,
    /// Where.
    pub span: Span,
}

/// A string literal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Str {
    /// Its value, escapes resolved.
    pub text: String,
    /// With its quotes.
    pub span: Span,
}

/// An item of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// What it is.
    pub kind: ItemKind,
    /// `///` lines before it, joined by line ends; empty if there are none.
    pub doc: String,
    /// `#[inline]`, `#[fp(…)]` on functions, `#[check(…)]` and `#[nonlinear]` on rules, `#[allow(…)]` on both; the parser has
    /// refused all others.
    pub attrs: Vec<Attr>,
    /// From the first keyword to the closing `}` or `;`, attributes and documentation not included.
    pub span: Span,
}

/// The kinds of items.
#[derive(Clone, Debug, PartialEq)]
pub enum ItemKind {
    /// `fn NAME[dims](params) -> result { … }`
    Fn(Signature, Block),
    /// `extern fn NAME[dims](params) -> result;`
    ExternFn(Signature),
    /// `const NAME: type = expr;`
    Const(Const),
    /// `rule jvp|vjp|partial NAME(…) …`
    Rule(Rule),
    /// `check NAME[dims] { … }`
    Check(Check),
    /// `bench NAME[dims] { … }`; its lines are those of a `check` block, `max_ratio` besides.
    Bench(Check),
    /// `use "other.dsl";`
    Use(Str),
}

/// What a function shows to its callers.
#[derive(Clone, Debug, PartialEq)]
pub struct Signature {
    /// Its name.
    pub name: Name,
    /// Dimension parameters, `[N, D]`.
    pub dims: Vec<Name>,
    /// Parameters.
    pub params: Vec<Param>,
    /// Results.
    pub results: Results,
    /// From the keyword (`fn`, `extern`) to the end of the result type.
    pub span: Span,
}

/// `name: type in domain`
#[derive(Clone, Debug, PartialEq)]
pub struct Param {
    /// Its name.
    pub name: Name,
    /// Its type.
    pub ty: Type,
    /// Its declared domain.
    pub domain: Option<Domain>,
    /// `#[nodiff]`, `#[linear]` and `#[allow(…)]` only; the parser has refused all others.
    pub attrs: Vec<Attr>,
    /// Name, type and domain.
    pub span: Span,
}

/// A result type: `t`, `(t1, t2)`, `(a: t1, b: t2)` or `(a: t)`.
#[derive(Clone, Debug, PartialEq)]
pub struct Results {
    /// At least one; the function's value is a tuple if there are several.
    pub items: Vec<ResultItem>,
    /// All of it.
    pub span: Span,
}

/// One result.
#[derive(Clone, Debug, PartialEq)]
pub struct ResultItem {
    /// Its name, if given.
    pub name: Option<Name>,
    /// Its type.
    pub ty: Type,
    /// Name and type.
    pub span: Span,
}

/// A set of values.
#[derive(Clone, Debug, PartialEq)]
pub struct Domain {
    /// Which set.
    pub kind: DomainKind,
    /// The interval with its brackets, or the call.
    pub span: Span,
}

/// The kinds of domains. Bounds are expressions that must be constant.
#[derive(Clone, Debug, PartialEq)]
pub enum DomainKind {
    /// `[lo, hi]`, with round brackets for open ends.
    Interval {
        /// Lower end.
        lo: Expr,
        /// Upper end.
        hi: Expr,
        /// `[`
        lo_closed: bool,
        /// `]`
        hi_closed: bool,
    },
    /// `disk(r)`, `annulus(r0, r1)`; other names and wrong counts are not refused here.
    Call {
        /// `disk` or `annulus`, or what else was written.
        name: Name,
        /// Arguments.
        args: Vec<Expr>,
    },
}

/// `const NAME: type = expr;`
#[derive(Clone, Debug, PartialEq)]
pub struct Const {
    /// Its name.
    pub name: Name,
    /// Its type.
    pub ty: Type,
    /// Its value.
    pub value: Expr,
}

/// A hand-written derivative.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    /// `jvp`, `vjp` or `partial`.
    pub kind: RuleKind,
    /// The function it belongs to.
    pub target: Name,
    /// The rule's own names for the function's parameters.
    pub params: Vec<Name>,
    /// Tangents or cotangents, after the `;`. None for `partial`.
    pub linear: Vec<Name>,
    /// The body: a block for `jvp` and `vjp`, partials for `partial`.
    pub body: RuleBody,
}

/// The body of a rule.
#[derive(Clone, Debug, PartialEq)]
pub enum RuleBody {
    /// Of `jvp` and `vjp`.
    Block(Block),
    /// Of `partial`.
    Partials(Vec<Partial>),
}

/// `d z: e;` or `dconj z: e;`
#[derive(Clone, Debug, PartialEq)]
pub struct Partial {
    /// `dconj`
    pub conj: bool,
    /// The parameter.
    pub param: Name,
    /// The derivative.
    pub value: Expr,
    /// Without the `;`.
    pub span: Span,
}

/// An attribute whose name, arguments and place are right.
#[derive(Clone, Debug, PartialEq)]
pub struct Attr {
    /// Which one.
    pub kind: AttrKind,
    /// `#[…]`
    pub span: Span,
}

/// The attributes.
#[derive(Clone, Debug, PartialEq)]
pub enum AttrKind {
    /// `#[allow(…)]` on a function, rule, parameter, `let`, `var` or loop: at least one lint.
    Allow(Vec<Lint>),
    /// `#[inline]` on a function.
    Inline,
    /// `#[linear]` on a parameter of an extern function.
    Linear,
    /// `#[nonlinear]` on a `vjp` rule.
    Nonlinear,
    /// `#[nodiff]` on a parameter.
    Nodiff,
    /// `#[check(…)]` on a rule.
    Check(RuleCheck),
    /// `#[fp(…)]` on a function.
    Fp(FpMode),
    /// `#[checkpoint(…)]` on a loop.
    Checkpoint(Checkpoint),
}

/// How a loop stores what its derivative needs.
#[derive(Clone, Debug, PartialEq)]
pub enum Checkpoint {
    /// About √n states.
    Sqrt,
    /// Binomial checkpointing with so many states.
    Revolve(Expr),
    /// Everything is stored.
    All,
    /// Nothing is stored.
    None,
}

/// A type.
#[derive(Clone, Debug, PartialEq)]
pub struct Type {
    /// Which one.
    pub kind: TypeKind,
    /// All of it.
    pub span: Span,
}

/// The kinds of types.
#[derive(Clone, Debug, PartialEq)]
pub enum TypeKind {
    /// `f64`, … ; unknown names are not refused here.
    Scalar(Name),
    /// `f64[N, 3]`
    Array {
        /// The element type's name.
        elem: Name,
        /// At least one size; any expression, of which only dimension expressions are allowed.
        dims: Vec<Expr>,
    },
    /// `(t1, t2)`, at least two.
    Tuple(Vec<Type>),
    /// `fn(t1, t2) -> t`
    Fn {
        /// Parameter types.
        params: Vec<Type>,
        /// Result type.
        result: Box<Type>,
    },
    /// Something that could not be read and has been reported.
    Error,
}

/// `{ … }`
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// In order.
    pub stmts: Vec<Stmt>,
    /// The expression at the end without `;`. An `if` without `;` at the end is here if one of its
    /// branches has a value (also if others have none, or `else` is missing), else in `stmts`.
    pub value: Option<Box<Expr>>,
    /// With its braces.
    pub span: Span,
}

/// A statement.
#[derive(Clone, Debug, PartialEq)]
pub struct Stmt {
    /// What it does.
    pub kind: StmtKind,
    /// `#[checkpoint(…)]` on a loop, `#[allow(…)]` on a loop, `let` or `var`; the parser has refused all others.
    pub attrs: Vec<Attr>,
    /// Without the `;`.
    pub span: Span,
}

/// The kinds of statements.
#[derive(Clone, Debug, PartialEq)]
pub enum StmtKind {
    /// `let pattern: type = value;`
    Let {
        /// What is bound.
        pattern: Pattern,
        /// The declared type.
        ty: Option<Type>,
        /// The value; [`ExprKind::Error`] if it could not be read.
        value: Expr,
    },
    /// `var name: type = value;`
    Var {
        /// The variable.
        name: Name,
        /// The declared type.
        ty: Option<Type>,
        /// The value; [`ExprKind::Error`] if it could not be read.
        value: Expr,
    },
    /// `target op value;`
    Assign {
        /// What is assigned.
        target: Place,
        /// `=`, `+=`, …
        op: AssignOp,
        /// The right side.
        value: Expr,
    },
    /// `for name in range { … }`
    For {
        /// The loop variable; may be `_`.
        var: Name,
        /// What it runs over.
        range: Range,
        /// The body.
        body: Block,
    },
    /// `while cond { … }`
    While {
        /// The condition.
        cond: Expr,
        /// The body.
        body: Block,
    },
    /// `if …` at the start of a statement (see [`Block::value`] for the last one of a block). Its branches
    /// may have values, which nothing uses.
    If(If),
    /// `assert cond, "text";`
    Assert {
        /// The condition.
        cond: Expr,
        /// The text, if given.
        text: Option<Str>,
    },
    /// `{ … }` without a value at the start of a statement.
    Block(Block),
    /// `expr;`, which does nothing: the language has no such statement. Not refused here, because the
    /// remedy differs: at the end of a block the `;` has to go.
    Expr(Expr),
}

/// What `let` binds.
#[derive(Clone, Debug, PartialEq)]
pub struct Pattern {
    /// Its form.
    pub kind: PatternKind,
    /// All of it.
    pub span: Span,
}

/// The forms of patterns.
#[derive(Clone, Debug, PartialEq)]
pub enum PatternKind {
    /// A name.
    Name(Name),
    /// `_`
    Wild,
    /// `(p1, p2)`, at least two.
    Tuple(Vec<Pattern>),
}

/// The left side of an assignment: `x`, `x[i, j]`, `x[a:b]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    /// The variable.
    pub name: Name,
    /// Indices; none means the whole variable.
    pub indices: Vec<Index>,
    /// All of it.
    pub span: Span,
}

/// `lo..hi step s`
#[derive(Clone, Debug, PartialEq)]
pub struct Range {
    /// First value.
    pub lo: Expr,
    /// One past the last.
    pub hi: Expr,
    /// Step, 1 if left out.
    pub step: Option<Expr>,
    /// All of it.
    pub span: Span,
}

/// `if c { … } else if d { … } else { … }`
#[derive(Clone, Debug, PartialEq)]
pub struct If {
    /// Conditions with their blocks, at least one.
    pub branches: Vec<(Expr, Block)>,
    /// The block of the last `else`.
    pub otherwise: Option<Block>,
    /// All of it.
    pub span: Span,
}

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    /// Which one.
    pub kind: ExprKind,
    /// All of it, with the parentheses around it.
    pub span: Span,
    /// Longest way down to a leaf, at most [`MAX_HEIGHT`]. [`Expr::new`] computes it.
    pub(super) height: u32,
}

/// The kinds of expressions.
#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    /// `12`; `-9223372036854775808` is one literal too.
    Int(i64),
    /// `1.5`
    Real(f64),
    /// `2.5i`, as the imaginary part.
    Imag(f64),
    /// `true`, `false`
    Bool(bool),
    /// A variable, dimension, constant, function or built-in.
    Name(Name),
    /// `-x`, `!x`
    Unary {
        /// The operator.
        op: UnaryOp,
        /// Where it stands.
        op_span: Span,
        /// Its operand.
        operand: Box<Expr>,
    },
    /// `x + y`
    Binary {
        /// The operator.
        op: BinaryOp,
        /// Where it stands.
        op_span: Span,
        /// Left operand.
        lhs: Box<Expr>,
        /// Right operand.
        rhs: Box<Expr>,
    },
    /// `A'`
    Transpose(Box<Expr>),
    /// `x[i, a:b]`; may also be a function with explicit dimensions, `f[3]`, used as an argument.
    Index {
        /// What is indexed.
        base: Box<Expr>,
        /// At least one.
        indices: Vec<Index>,
    },
    /// `f[N = 3]` without a call: a function with explicit dimensions by name.
    WithDims {
        /// The function.
        func: Name,
        /// At least one.
        dims: Vec<DimArg>,
    },
    /// `f(x, y)`, `f[N = 3](x)`, `grad(f)(x)`, `jvp(f)(x; dx)`; with a [`Hole`](ExprKind::Hole) among the
    /// arguments a function (partial application).
    Call {
        /// A [`Name`](ExprKind::Name), a [`Derivative`](ExprKind::Derivative), or another expression, which
        /// is not refused here.
        callee: Box<Expr>,
        /// Explicit dimensions; only behind a name.
        dims: Vec<DimArg>,
        /// Arguments.
        args: Vec<Expr>,
        /// Tangents or cotangents, behind the `;`. Only if the callee is a derivative.
        seeds: Vec<Expr>,
    },
    /// `sum(x, axis = 0)`: a call with an axis.
    Along {
        /// The call.
        call: Box<Expr>,
        /// The axis.
        axis: Box<Expr>,
    },
    /// `grad(f, wrt = x)`: a function.
    Derivative {
        /// The operator.
        op: DerivOp,
        /// Its name in the source.
        op_span: Span,
        /// The function: a name, a name with dimensions ([`Index`](ExprKind::Index) or
        /// [`WithDims`](ExprKind::WithDims)), a derivative, a partial application; others are not refused here.
        func: Box<Expr>,
        /// `wrt = …`, empty if left out.
        wrt: Vec<Wrt>,
    },
    /// `sum(e for i in a..b)`
    Reduction {
        /// The reduction.
        op: ReduceOp,
        /// Its name in the source.
        op_span: Span,
        /// The expression before `for`.
        body: Box<Expr>,
        /// At least one.
        generators: Vec<Generator>,
    },
    /// `[e for i in a..b]`
    Comprehension {
        /// The expression before `for`.
        body: Box<Expr>,
        /// At least one.
        generators: Vec<Generator>,
    },
    /// `[a, b]`, at least one element.
    Array(Vec<Expr>),
    /// `(a, b)`, at least two.
    Tuple(Vec<Expr>),
    /// `if c { a } else { b }`
    If(Box<If>),
    /// `{ let a = 1; a + 1 }`
    Block(Box<Block>),
    /// `_`, only as a direct argument of a call.
    Hole,
    /// Something that could not be read and has been reported; say nothing more of it.
    Error,
}

/// One position inside `x[…]`.
#[derive(Clone, Debug, PartialEq)]
pub enum Index {
    /// `i`
    At(Expr),
    /// `lo:hi`, either may be left out.
    Slice {
        /// First index.
        lo: Option<Expr>,
        /// One past the last.
        hi: Option<Expr>,
        /// All of it.
        span: Span,
    },
}

/// A dimension given explicitly: `3` or `N = 3`.
#[derive(Clone, Debug, PartialEq)]
pub struct DimArg {
    /// Its name, if given.
    pub name: Option<Name>,
    /// Its value.
    pub value: Expr,
}

/// A parameter a derivative is taken with respect to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wrt {
    /// By name.
    Name(Name),
    /// By position, from 0.
    Position(i64, Span),
}

/// `i in a..b` or a bare `i`.
#[derive(Clone, Debug, PartialEq)]
pub struct Generator {
    /// The variable; may be `_` if there is a range.
    pub var: Name,
    /// Its range; without one it takes the size of the arrays it indexes.
    pub range: Option<Range>,
    /// All of it.
    pub span: Span,
}

/// A `check` or `bench` block.
#[derive(Clone, Debug, PartialEq)]
pub struct Check {
    /// The function.
    pub target: Name,
    /// `[N = 8, D = 3]`
    pub dims: Vec<DimArg>,
    /// In order.
    pub lines: Vec<CheckLine>,
}

/// A line of a block.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckLine {
    /// What it says.
    pub kind: CheckLineKind,
    /// Without the `;`.
    pub span: Span,
}

/// The kinds of lines.
#[derive(Clone, Debug, PartialEq)]
pub enum CheckLineKind {
    /// `x ~ normal(0, 1);`
    Sample {
        /// The parameter.
        param: Name,
        /// The distribution; unknown ones are not refused here.
        dist: Name,
        /// Its arguments.
        args: Vec<Expr>,
    },
    /// `x in [-2, 2];`
    In {
        /// The parameter.
        param: Name,
        /// The interval or set.
        domain: Domain,
    },
    /// `x = 0.1;`
    Fixed {
        /// The parameter.
        param: Name,
        /// Its value.
        value: Expr,
    },
    /// `x = load("x.npy");`
    Load {
        /// The parameter.
        param: Name,
        /// The file.
        path: Str,
    },
    /// `wrt x, y;`
    Wrt(Vec<Name>),
    /// `nodiff x;`
    Nodiff(Vec<Name>),
    /// `outputs loss, out.1;` (a dotted name is one name)
    Outputs(Vec<Name>),
    /// `modes slow, fast;`; unknown words are not refused here.
    Modes(Vec<Name>),
    /// `points 8;`, `seed 1;`, `eps 1e-6;` …
    Setting {
        /// Which one.
        setting: Setting,
        /// Its name in the source.
        name: Name,
        /// Its value.
        value: Expr,
    },
    /// `edge;`
    Edge,
    /// `expect fail;`; unknown words are not refused here.
    Expect(Name),
}

impl Expr {
    /// A node; its height comes from its parts.
    pub fn new(kind: ExprKind, span: Span) -> Expr {
        let mut below = 0;
        super::walk::parts(&kind, &mut |e| below = below.max(e.height));
        Expr { kind, span, height: below + 1 }
    }

    /// The node that stands for what could not be read.
    pub fn error(span: Span) -> Expr {
        Expr { kind: ExprKind::Error, span, height: 1 }
    }
}

impl Index {
    /// All of it.
    pub fn span(&self) -> Span {
        match self {
            Index::At(e) => e.span,
            Index::Slice { span, .. } => *span,
        }
    }
}

impl Wrt {
    /// Where it stands.
    pub fn span(&self) -> Span {
        match self {
            Wrt::Name(n) => n.span,
            Wrt::Position(_, span) => *span,
        }
    }
}

//! The words of type errors.

use super::Infer;
use crate::sema::builtins::ArrayFn;
use crate::sema::dims;
use crate::sema::hir::*;
use crate::sema::types::{Class, Ty};
use adc_ir::{Certainty, Code, Diagnostic, Dim, Edit, Scalar, Span};

/// Who wants a value of a type.
#[derive(Clone, Copy, Debug)]
pub enum Demand<'a> {
    /// `let x: t`, `var x: t`
    Declared(LocalId),
    /// `x = e`
    Assigned(LocalId),
    /// A parameter of a function.
    Argument(FnIx, usize),
    /// A parameter of a function parameter.
    ArgumentOf(&'a str),
    /// A function's result.
    Returned(FnIx),
    /// The value of a rule.
    Rule(&'static str, FnIx),
    /// A partial derivative with respect to this parameter.
    Partial(&'a str),
    /// The condition of `if`, `&&`, `assert`, …
    Condition(&'static str),
    /// `x[i] = e`
    AssignedAt(LocalId),
    /// An integer: an index, an end of a range.
    Integer(&'static str),
    /// A constant expression: what it is, and where that is declared.
    Constant(&'a str, Option<Span>),
}

/// An expression as messages speak of it.
#[derive(Clone, Debug)]
pub struct Operand<'a> {
    /// Its type.
    pub ty: Ty,
    /// All of it.
    pub span: Span,
    /// What it is.
    pub what: What<'a>,
    /// Where it is made with one size, as by `ones(N)`.
    sized_once: Option<Span>,
    /// The expression with a `;` that could have been its value.
    dropped: Vec<Span>,
}

/// What an operand is.
#[derive(Clone, Copy, Debug)]
pub enum What<'a> {
    /// The result of a function.
    Call(&'a str),
    /// A variable.
    Local(LocalId),
    /// A constant.
    Named(&'a str),
    /// Something else.
    This,
}

impl<'a> Infer<'_, 'a> {
    /// What messages say of an expression.
    pub(super) fn operand(&self, e: &Expr<'a>) -> Operand<'a> {
        let (what, dropped) = match &e.kind {
            ExprKind::Call(c) => (What::Call(c.name), Vec::new()),
            ExprKind::CallLocal(_, name, _) => (What::Call(name), Vec::new()),
            ExprKind::CallFn(_, name, _) => (What::Call(name), Vec::new()),
            ExprKind::Prim { name, .. } if !name.is_empty() => (What::Call(name), Vec::new()),
            ExprKind::Reduce { op, .. } | ExprKind::ReduceAll(op, _) => (What::Call(op.text()), Vec::new()),
            ExprKind::Along(Along::Reduce(op), ..) => (What::Call(op.text()), Vec::new()),
            ExprKind::Convert(to, _) => (What::Call(to.name()), Vec::new()),
            ExprKind::Local(id) => (What::Local(*id), Vec::new()),
            ExprKind::Const(_, name) => (What::Named(name), Vec::new()),
            ExprKind::Block(b) => (What::This, b.dropped.clone()),
            _ => (What::This, Vec::new()),
        };
        Operand { ty: e.ty.clone(), span: e.span, what, sized_once: self.sized_once(e), dropped }
    }

    /// Where a vector is made with one size, `zeros(N)`, `ones(N)` or `fill(v, N)`, as an operand of arithmetic or by itself.
    pub(super) fn sized_once(&self, e: &Expr<'a>) -> Option<Span> {
        if e.ty.shape().len() != 1 {
            return None;
        }
        match &e.kind {
            ExprKind::ArrayFn(ArrayFn::Zeros | ArrayFn::Ones | ArrayFn::Fill, _) => Some(e.span),
            ExprKind::Local(id) => self.locals[id.0].sized_once,
            ExprKind::Prim { args, .. } => args.iter().find_map(|a| self.sized_once(a)),
            ExprKind::MatMul(pair) => self.sized_once(&pair.0).or_else(|| self.sized_once(&pair.1)),
            _ => None,
        }
    }

    /// What to write where a matrix is needed, of these sizes if they are known, and one size was given.
    pub(super) fn matrix_help(&self, v: &Operand<'a>, sizes: Option<&[Dim]>) -> Option<String> {
        let made = self.ctx.quote(v.sized_once?, "ones(N)");
        let (name, given) = made.strip_suffix(')')?.split_once('(')?;
        // The value of `fill` comes first.
        let (value, size) = match name {
            "fill" => given.rsplit_once(',').map(|(v, n)| (format!("{v}, "), n.trim()))?,
            _ => (String::new(), given),
        };
        let (shown, square) = match sizes.filter(|s| !s.iter().any(dims::is_unknown)) {
            Some(s) => (self.types.show_shape(s), dims::same(&s[0], &s[1])),
            None => (format!("{size}, {size}"), true),
        };
        let identity = match name == "ones" && square {
            true => format!(", the identity `eye({})`", shown.split(',').next()?),
            false => String::new(),
        };
        Some(format!("`{made}` is a vector; a matrix is `{name}({value}{shown})`{identity}"))
    }

    fn show(&self, ty: &Ty) -> String {
        self.types.show(ty)
    }

    /// "`abs` returns f64", "`x` is f64", "this is f64".
    pub(super) fn describe(&self, v: &Operand<'a>) -> String {
        let ty = self.show(&v.ty);
        match v.what {
            What::Call(name) => format!("`{name}` returns {ty}"),
            What::Local(id) => format!("`{}` is {ty}", self.locals[id.0].name),
            What::Named(name) => format!("`{name}` is {ty}"),
            What::This => format!("this is {ty}"),
        }
    }

    /// A value that does not fit a place.
    pub(super) fn mismatch(&mut self, v: &Operand<'a>, to: &Ty, demand: Demand<'a>) {
        if matches!(v.ty, Ty::Unit) {
            return self.no_value(v, to, demand);
        }
        let (want, place) = self.demanded(to, demand);
        let message = format!("{}, but {want}", self.describe(v));
        let shapes = !dims::same_shape(v.ty.shape(), to.shape());
        let code = if shapes { Code::ShapeMismatch } else { Code::TypeMismatch };
        let mut d = Diagnostic::error(code, message).label(v.span, self.show(&v.ty));
        if let Some(place) = place {
            d = d.also(place, "declared here");
        }
        if let Some(help) = self.rule_help(v, to, demand) {
            return self.ctx.report(d.help(help));
        }
        if shapes {
            return self.ctx.report(d.help(self.shape_help(v, to)));
        }
        let clash = match (v.ty.num(), to.num()) {
            (Some(a), Some(b)) => self.types.class_of(a.class) != self.types.class_of(b.class),
            _ => true,
        };
        if clash {
            d = self.explain(d, v);
        }
        if let Some(mut help) = self.conversion(v, to) {
            if let Demand::Declared(id) = demand
                && let Some(ty) = self.locals[id.0].declared
            {
                help += &format!(", or drop `: {}`", self.ctx.text(ty));
            }
            d = d.help(help);
        }
        self.ctx.report(d);
    }

    /// What a rule gives, if it is another number of values or another shape.
    fn rule_help(&self, v: &Operand<'a>, to: &Ty, demand: Demand<'a>) -> Option<String> {
        let Demand::Rule(kind, f) = demand else { return None };
        let item = self.ctx.items.func(f);
        let names: Vec<&str> = item.differentiable().into_iter().map(|i| item.params[i].name).collect();
        let dots = |n: usize| vec!["…"; n].join(", ");
        match (kind, &v.ty, to) {
            ("vjp", _, Ty::Tuple(ts)) => Some(format!(
                "one cotangent for each of {}, as a tuple: `({})`",
                names.join(", "),
                dots(ts.len())
            )),
            ("vjp", Ty::Tuple(_), _) => {
                Some(format!("one cotangent, for `{}`: the others are not differentiated", names.join(", ")))
            }
            ("vjp", _, Ty::Array(..)) if v.ty.shape().is_empty() => {
                Some(format!("the cotangent of `{}` has its shape: a value for each entry", names.join(", ")))
            }
            ("jvp", _, Ty::Tuple(ts)) => {
                Some(format!("one tangent for each result, as a tuple: `({})`", dots(ts.len())))
            }
            _ => None,
        }
    }

    /// Who wants what, and where that is declared.
    fn demanded(&self, to: &Ty, demand: Demand<'a>) -> (String, Option<Span>) {
        let ty = self.show(to);
        match demand {
            Demand::Declared(id) => {
                let local = &self.locals[id.0];
                (format!("`{}` is declared {ty}", local.name), local.declared)
            }
            Demand::Assigned(id) => {
                let local = &self.locals[id.0];
                (format!("`{}` is {ty}", local.name), Some(local.declared.unwrap_or(local.span)))
            }
            Demand::Argument(f, i) => {
                let f = self.ctx.items.func(f);
                let p = &f.params[i];
                // What is not known is not shown.
                let ty = if to.shape().iter().any(dims::is_unknown) { self.ctx.text(p.ty_span) } else { &ty };
                (format!("parameter `{}` of `{}` is {ty}", p.name, f.name), Some(p.ty_span))
            }
            Demand::ArgumentOf(f) => (format!("`{f}` takes {ty} here"), None),
            Demand::Returned(f) => {
                let f = self.ctx.items.func(f);
                (format!("`{}` returns {ty}", f.name), Some(f.sig.results.span))
            }
            Demand::Rule(kind, f) => {
                let name = self.ctx.items.func(f).name;
                (format!("the {kind} rule of `{name}` gives {ty}"), None)
            }
            Demand::Partial(p) => (format!("the derivative with respect to `{p}` is {ty}"), None),
            Demand::Condition(of) => (format!("{of} needs a bool"), None),
            Demand::AssignedAt(id) => {
                let local = &self.locals[id.0];
                (format!("this part of `{}` is {ty}", local.name), Some(local.declared.unwrap_or(local.span)))
            }
            Demand::Integer(what) => (format!("{what} is an i64"), None),
            Demand::Constant(words, place) => (format!("{} is {ty}", words_of(words)), place),
        }
    }

    /// A block that ends without a value.
    fn no_value(&mut self, v: &Operand<'a>, to: &Ty, demand: Demand<'a>) {
        let want = self.demanded(to, demand).0;
        let d = Diagnostic::error(Code::TypeMismatch, format!("this block has no value, but {want}"));
        self.ctx.report(match v.dropped.first().copied() {
            Some(at) => {
                let d = v.dropped[1..]
                    .iter()
                    .fold(d.label(at, "this would be the value"), |d, o| d.also(*o, "and this"));
                self.without_semicolons(d, &v.dropped)
            }
            None => {
                // The closing brace: that is where the value is missing.
                let end = v.span.end as usize;
                let brace = Span::new(v.span.file, end.saturating_sub(1), end);
                d.label(brace, "a value is missing before this")
                    .help("end the block with an expression, without `;`")
            }
        });
    }

    /// Suggests to remove the semicolons behind these expressions.
    fn without_semicolons(&self, d: Diagnostic, values: &[Span]) -> Diagnostic {
        let behind = |at: &Span| {
            let rest = self.ctx.sources.get(at.file.0 as usize)?.text.get(at.end as usize..)?;
            let end = at.end as usize + (rest.len() - rest.trim_start().len());
            let span = Span::new(at.file, end, end + 1);
            rest.trim_start().starts_with(';').then(|| Edit { span, text: String::new() })
        };
        let d = d.help("remove the `;` behind it");
        match values.iter().map(behind).collect() {
            Some(edits) => d.suggest("remove the `;`", edits, Certainty::Certain),
            None => d,
        }
    }

    /// An operand that `what` does not take.
    pub(super) fn not_taken(&mut self, v: &Operand<'a>, what: &str, takes: &str) {
        if matches!(v.ty, Ty::Unit) {
            let d = Diagnostic::error(Code::TypeMismatch, format!("`{what}` needs a value"));
            return self.ctx.report(match v.dropped.first().copied() {
                Some(at) => self.without_semicolons(d.label(at, "this would be the value"), &v.dropped),
                None => d.label(v.span, "has no value"),
            });
        }
        let message = format!("`{what}` takes {takes}, but {}", self.describe(v));
        let mut d = Diagnostic::error(Code::TypeMismatch, message).label(v.span, self.show(&v.ty));
        let src = self.ctx.quote(v.span, "x");
        let complex = v.ty.num().is_some_and(|n| self.types.is_complex(n.cx));
        if !complex {
            d = self.explain(d, v);
        }
        let help = match v.ty.elem() {
            Ty::Bool => Some(format!("convert it: `f64({src})` is 0 or 1")),
            Ty::Num(_) if takes == "booleans" => Some(format!("compare it: `{src} != 0`")),
            Ty::Num(_) if complex => Some(format!("take `re({src})`, `im({src})` or `abs({src})`")),
            Ty::Num(n) if self.types.class_of(n.class) == Class::Int => {
                Some(format!("convert it: `f64({src})`"))
            }
            Ty::Num(_) => {
                Some(format!("`i64({src})` truncates; `round` or `floor` it first if you mean that"))
            }
            Ty::Tuple(_) => Some("take it apart: `let (a, b) = …;`".into()),
            Ty::Fn(_) => Some(format!("call it: `{src}(…)`")),
            Ty::Error | Ty::Unit | Ty::Array(..) => None,
        };
        if let Some(help) = help {
            d = d.help(help);
        }
        self.ctx.report(d);
    }

    /// Two operands of one operator that cannot be one type.
    pub(super) fn clash(&mut self, op: &str, a: &Operand<'a>, b: &Operand<'a>, span: Span) {
        let (ta, tb) = (self.show(&a.ty), self.show(&b.ty));
        let mut d = Diagnostic::error(Code::TypeMismatch, format!("`{op}` cannot take {ta} and {tb}"))
            .label(span, "there is no implicit conversion")
            .also(a.span, ta)
            .also(b.span, tb);
        d = self.explain(d, a);
        d = self.explain(d, b);
        let (from, to) = if self.widens(a, b) { (a, b) } else { (b, a) };
        if let Some(help) = self.widening(from, to) {
            d = d.help(help);
        }
        self.ctx.report(d);
    }

    /// How to bring `v` to the class of `to`, real or complex as it is.
    fn widening(&self, v: &Operand<'a>, to: &Operand<'a>) -> Option<String> {
        let src = self.ctx.quote(v.span, "…");
        let (Some(n), Some(t)) = (v.ty.num(), to.ty.num()) else { return self.conversion(v, &to.ty) };
        let real = if self.types.class_of(t.class) == Class::Single { Scalar::F32 } else { Scalar::F64 };
        let want = if self.types.is_complex(n.cx) { real.complex()? } else { real };
        Some(format!("write `{want}({src})`"))
    }

    /// Whether converting `a` to `b`'s type loses less than the other way round.
    fn widens(&self, a: &Operand<'a>, b: &Operand<'a>) -> bool {
        let rank = |t: &Ty| match t.elem() {
            Ty::Bool => 0,
            Ty::Num(n) => match self.types.class_of(n.class) {
                Class::Open | Class::Int => 1,
                Class::Single => 2,
                Class::Any | Class::Float | Class::Double => 3,
            },
            Ty::Error | Ty::Unit | Ty::Array(..) | Ty::Tuple(_) | Ty::Fn(_) => 4,
        };
        rank(&a.ty) < rank(&b.ty)
    }

    /// Says what decided the type of a variable that was open.
    fn explain(&self, d: Diagnostic, v: &Operand<'a>) -> Diagnostic {
        let (What::Local(id), Some(n)) = (v.what, v.ty.num()) else { return d };
        match self.types.because(n.class) {
            Some(at) if self.locals[id.0].declared.is_none() && at != v.span => {
                let ty = self.show(&v.ty);
                d.also(at, format!("this makes `{}` {ty}", self.locals[id.0].name))
            }
            _ => d,
        }
    }

    /// How to turn a value into a type.
    fn conversion(&self, v: &Operand<'a>, to: &Ty) -> Option<String> {
        let src = self.ctx.quote(v.span, "…");
        let want = self.show(to.elem());
        let int = |t: &Ty| t.num().is_some_and(|n| !self.types.class_of(n.class).is_float());
        let complex = |t: &Ty| t.num().is_some_and(|n| self.types.is_complex(n.cx));
        match (v.ty.elem(), to.elem()) {
            (Ty::Num(_), Ty::Bool) => Some(format!("compare it: `{src} != 0`")),
            (Ty::Num(_), Ty::Num(_)) if complex(&v.ty) && !complex(to) => {
                Some(format!("take `re({src})`, `im({src})` or `abs({src})`"))
            }
            (Ty::Num(_), Ty::Num(_)) if int(to) => {
                Some(format!("`i64({src})` truncates; `round` or `floor` it first if you mean that"))
            }
            (Ty::Num(_) | Ty::Bool, Ty::Num(_)) => Some(format!("write `{want}({src})`")),
            _ => None,
        }
    }

    /// `/` between integers.
    pub(super) fn integer_division(&mut self, a: &Operand<'a>, b: &Operand<'a>, span: Span) {
        let (x, y) = (self.ctx.quote(a.span, "a"), self.ctx.quote(b.span, "b"));
        let literal = |s: &str| s.bytes().all(|c| c.is_ascii_digit() || c == b'_');
        let real = match (literal(&x), literal(&y)) {
            (true, _) => format!("{x}.0/{y}"),
            (_, true) => format!("{x}/{y}.0"),
            _ => format!("f64({x})/{y}"),
        };
        // `n/2.0` is no remedy for a typed `n`.
        let typed = |v: &Operand| {
            v.ty.num().is_some_and(|n| self.types.class_of(n.class) == Class::Int)
                && !matches!(v.what, What::This)
        };
        let real = if typed(a) || typed(b) { format!("f64({x})/f64({y})") } else { real };
        let d = Diagnostic::error(Code::IntegerDivision, "`/` between integers")
            .label(span, "both sides are integers")
            .help(format!("write `{real}` for a real quotient, `div({x}, {y})` for its floor"));
        let d = self.explain(d, a);
        let d = self.explain(d, b);
        self.ctx.report(d);
    }

    /// An integer to a negative power.
    pub(super) fn negative_power(&mut self, base: &Operand<'a>, exponent: i64, span: Span) {
        let x = self.ctx.quote(base.span, "n");
        let real = if x.bytes().all(|c| c.is_ascii_digit()) { format!("{x}.0") } else { format!("f64({x})") };
        let d = Diagnostic::error(Code::BadExponent, "an integer to a negative power")
            .label(span, "has no integer value")
            .help(format!("make the base real: `{real}^{exponent}`"));
        self.ctx.report(self.explain(d, base));
    }
}

/// A constant as messages name it: a name in quotes, a phrase as it is.
pub(super) fn words_of(words: &str) -> String {
    if words.contains(' ') { words.to_string() } else { format!("`{words}`") }
}

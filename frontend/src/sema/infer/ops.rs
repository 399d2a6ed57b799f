//! Operators, built-ins and conversions: the types each op takes, from its row of the op table.

use super::errors::{Demand, Operand};
use super::{Deferred, Infer, Power};
use crate::sema::builtins;
use crate::sema::hir::*;
use crate::sema::types::{Class, CxId, Num, Ty, Types};
use crate::syntax::ast::{self, UnaryOp};
use adc_ir::{Code, Diagnostic, Op, Scalar, Sig, Span};

/// Largest real literal exponent that counts as an integer.
const MAX_EXACT: f64 = 9007199254740992.0;

impl<'a> Infer<'_, 'a> {
    /// An op applied to operands. `name` is the built-in it was written as (empty for operators), `what` the
    /// name or operator for messages. The number of operands is right.
    pub(super) fn prim(
        &mut self,
        op: Op,
        name: &'static str,
        what: &'static str,
        args: Vec<Expr<'a>>,
        span: Span,
    ) -> Expr<'a> {
        let Some(shape) = self.common_shape(what, &args, span) else {
            args.iter().for_each(|a| self.types.taint(&a.ty));
            return Expr::error(span);
        };
        if matches!(op.info().sig, Sig::Compare) && args.iter().all(|a| matches!(a.ty.elem(), Ty::Bool)) {
            let args: [Expr; 2] = args.try_into().expect("comparisons have two operands");
            let args = Box::new(args.into());
            return Expr { kind: ExprKind::BoolOrder { op, args }, ty: Ty::array(Ty::Bool, shape), span };
        }
        let ty = self.prim_type(op, what, &args, span).unwrap_or(Ty::Error);
        let ty = if matches!(ty, Ty::Error) { ty } else { Ty::array(ty, shape) };
        Self::prim_expr(op, name, args, ty, span)
    }

    /// The type of the result, or of its elements; `None` if something was reported, or an operand's type is an error.
    pub(super) fn prim_type(
        &mut self,
        op: Op,
        what: &'static str,
        args: &[Expr<'a>],
        span: Span,
    ) -> Option<Ty> {
        let sig = op.info().sig;
        let takes = builtins::takes(sig);
        Some(match sig {
            Sig::Num1 => Ty::Num(self.number(&args[0], what, takes)?),
            Sig::Abs => {
                let n = self.number(&args[0], what, takes)?;
                self.real_of(n)
            }
            Sig::Float1 => Ty::Num(self.number_of(&args[0], Class::Float, what, takes)?),
            Sig::ToReal => {
                let n = self.number_of(&args[0], Class::Float, what, takes)?;
                self.real_of(n)
            }
            Sig::ToComplex => {
                let n = self.number_of(&args[0], Class::Float, what, takes)?;
                self.complex_of(n)
            }
            Sig::FloatTest => {
                self.number_of(&args[0], Class::Float, what, takes)?;
                Ty::Bool
            }
            Sig::RealTest => {
                self.reals(args, Class::Float, what, takes, span)?;
                Ty::Bool
            }
            Sig::Real1 | Sig::Real2 | Sig::Real3 => self.reals(args, Class::Float, what, takes, span)?,
            Sig::Ord2 | Sig::Ord3 => self.reals(args, Class::Open, what, takes, span)?,
            Sig::Int2 => self.reals(args, Class::Int, what, takes, span)?,
            Sig::IntReal => {
                let n = self.number_of(&args[0], Class::Int, what, "an integer first")?;
                self.real_only(n, &args[0], what, takes);
                self.reals(&args[1..], Class::Float, what, takes, span)?
            }
            Sig::Compare | Sig::Equal if self.bool_and_number(args) => {
                let (a, b) = (self.operand(&args[0]), self.operand(&args[1]));
                self.clash(what, &a, &b, span);
                return None;
            }
            Sig::Compare => {
                self.reals(args, Class::Open, what, takes, span)?;
                Ty::Bool
            }
            Sig::Arith2 => Ty::Num(self.numbers(args, what, span)?),
            Sig::Field2 => return self.division(what, args, span),
            Sig::Equal => {
                if !matches!((args[0].ty.elem(), args[1].ty.elem()), (Ty::Bool, Ty::Bool)) {
                    self.numbers(args, what, span)?;
                }
                Ty::Bool
            }
            Sig::Bool1 | Sig::Bool2 => {
                for a in args {
                    self.boolean(a, what)?;
                }
                Ty::Bool
            }
            Sig::Select => return self.select(what, args, span),
            Sig::Any1 => match args[0].ty.elem() {
                Ty::Bool => Ty::Bool,
                _ => Ty::Num(self.number(&args[0], what, takes)?),
            },
            // Built by the lowering, never written.
            Sig::IntPower | Sig::IntFloat | Sig::Pair | Sig::ToF64 | Sig::ToF32 | Sig::ToI64 | Sig::ToC => {
                Ty::Error
            }
        })
    }

    fn bool_and_number(&self, args: &[Expr<'a>]) -> bool {
        matches!((args[0].ty.elem(), args[1].ty.elem()), (Ty::Bool, Ty::Num(_)) | (Ty::Num(_), Ty::Bool))
    }

    fn boolean(&mut self, e: &Expr<'a>, what: &'static str) -> Option<()> {
        match e.ty.elem() {
            Ty::Bool => Some(()),
            Ty::Error => None,
            _ => {
                let value = self.operand(e);
                self.not_taken(&value, what, "booleans");
                None
            }
        }
    }

    /// Real (or integer) operands of one class; the result is of their type.
    fn reals(
        &mut self,
        args: &[Expr<'a>],
        class: Class,
        what: &'static str,
        takes: &str,
        span: Span,
    ) -> Option<Ty> {
        let numbers: Vec<Option<Num>> = args.iter().map(|a| self.number_of(a, class, what, takes)).collect();
        let numbers = self.all_or_taint(args, numbers)?;
        for (a, n) in args.iter().zip(&numbers) {
            self.real_only(*n, a, what, takes);
        }
        let mut open = true;
        for (a, n) in args.iter().zip(&numbers) {
            if !self.agree(what, (&args[0], numbers[0]), (a, *n), span) {
                return None;
            }
            open &= self.types.real_like(n.cx) == CxId::OPEN;
        }
        let cx = if open { CxId::OPEN } else { CxId::REAL };
        Some(Ty::Num(Num { class: numbers[0].class, cx }))
    }

    /// Two numbers of one class, in any mixture of real and complex.
    fn numbers(&mut self, args: &[Expr<'a>], what: &'static str, span: Span) -> Option<Num> {
        let found = args.iter().map(|a| self.number(a, what, "numbers")).collect();
        let found = self.all_or_taint(args, found)?;
        let (a, b) = (found[0], found[1]);
        if !self.agree(what, (&args[0], a), (&args[1], b), span) {
            return None;
        }
        Some(Num { class: a.class, cx: self.types.either(a.cx, b.cx) })
    }

    fn division(&mut self, what: &'static str, args: &[Expr<'a>], span: Span) -> Option<Ty> {
        let num = self.numbers(args, what, span)?;
        let (left, right) = (self.operand(&args[0]), self.operand(&args[1]));
        match self.types.class_of(num.class) {
            Class::Int => {
                self.integer_division(&left, &right, span);
                return None;
            }
            Class::Open => self.deferred.push(Deferred::Division { num, left, right, span }),
            Class::Any | Class::Float | Class::Single | Class::Double => {}
        }
        Some(Ty::Num(num))
    }

    fn select(&mut self, what: &'static str, args: &[Expr<'a>], span: Span) -> Option<Ty> {
        if !matches!(&args[0].ty, Ty::Array(elem, _) if matches!(**elem, Ty::Bool)) {
            self.flow(&args[0], &Ty::Bool, Demand::Condition("`select`"));
        }
        for a in &args[1..] {
            if !matches!(a.ty.elem(), Ty::Bool) {
                self.number(a, what, "scalars")?;
            }
        }
        let joined = self.join((args[1].ty.elem(), args[1].span), (args[2].ty.elem(), args[2].span));
        if joined.is_none() {
            let (a, b) = (self.operand(&args[1]), self.operand(&args[2]));
            self.clash(what, &a, &b, span);
        }
        joined
    }

    /// `base ^ exponent`.
    pub(super) fn power(
        &mut self,
        what: &'static str,
        base: &'a ast::Expr,
        exponent: &'a ast::Expr,
        span: Span,
    ) -> Expr<'a> {
        let x = self.expr(base);
        match literal_exponent(exponent) {
            Some(Literal::Int(n)) => {
                let Some(num) = self.number(&x, what, "numbers") else { return Expr::error(span) };
                if n < 0 {
                    let base = self.operand(&x);
                    self.deferred.push(Deferred::NegativePower { num, base, exponent: n, span });
                }
                let ty = Ty::array(Ty::Num(num), x.ty.shape().to_vec());
                Expr { ty, kind: ExprKind::PowerInt(Box::new(x), n), span }
            }
            Some(Literal::Real(v)) if v.fract() == 0.0 && v.abs() <= MAX_EXACT => {
                let Some(num) = self.number(&x, what, "numbers") else { return Expr::error(span) };
                if self.types.narrow(num.class, Class::Float, exponent.span).is_err() {
                    let base = self.operand(&x);
                    self.real_exponent(&base, exponent.span, span);
                    return Expr::error(span);
                }
                let ty = Ty::array(Ty::Num(num), x.ty.shape().to_vec());
                Expr { ty, kind: ExprKind::PowerInt(Box::new(x), v as i64), span }
            }
            _ => {
                let y = self.expr(exponent);
                let pair = [x, y];
                let shape = self.common_shape(what, &pair, span);
                let [x, y] = pair;
                let Some(shape) = shape else {
                    self.types.taint(&x.ty);
                    self.types.taint(&y.ty);
                    return Expr::error(span);
                };
                let (a, b) = (self.number(&x, what, "numbers"), self.number(&y, what, "numbers"));
                let (Some(base_num), Some(exponent_num)) = (a, b) else {
                    self.types.taint(&x.ty);
                    self.types.taint(&y.ty);
                    return Expr::error(span);
                };
                let p = Power {
                    base: self.operand(&x),
                    exponent: self.operand(&y),
                    base_num,
                    exponent_num,
                    span,
                };
                match self.types.class_of(exponent_num.class) {
                    Class::Int => {}
                    Class::Open => self.powers.push(p),
                    Class::Any | Class::Float | Class::Single | Class::Double => {
                        if !self.unify_power(&p) {
                            return Expr::error(span);
                        }
                    }
                }
                // Only a real exponent can be complex, and then base and exponent are of one class.
                let cx = self.types.either(base_num.cx, exponent_num.cx);
                let ty = Ty::array(Ty::Num(Num { class: base_num.class, cx }), shape);
                Expr { kind: ExprKind::Power(Box::new((x, y))), ty, span }
            }
        }
    }

    /// A real or complex exponent: base and exponent are of one class.
    pub(super) fn unify_power(&mut self, p: &Power<'a>) -> bool {
        let (b, e) = (p.base_num.class, p.exponent_num.class);
        if self.types.unify(b, e, p.base.span, p.exponent.span).is_ok() {
            return true;
        }
        if self.types.class_of(b) == Class::Int {
            self.real_exponent(&p.base, p.exponent.span, p.span);
        } else {
            self.clash("^", &p.base, &p.exponent, p.span);
        }
        false
    }

    /// An integer base with an exponent that is not an integer.
    fn real_exponent(&mut self, base: &Operand<'a>, exponent: Span, span: Span) {
        let x = self.ctx.quote(base.span, "n");
        let e = self.ctx.quote(exponent, "y");
        self.ctx.report(
            Diagnostic::error(Code::TypeMismatch, "an integer to a real power")
                .label(span, "there is no implicit conversion")
                .also(base.span, "i64")
                .also(exponent, "not an integer")
                .help(match e.strip_suffix(".0") {
                    Some(n) => format!("write `{x}^{n}`"),
                    None => format!("write `f64({x})^{e}`"),
                }),
        );
    }

    /// `f64(x)`, `c128(re, im)`: the arguments unify with nothing.
    pub(super) fn convert(&mut self, to: Scalar, args: &'a [ast::Expr], span: Span) -> Expr<'a> {
        let args: Vec<Expr> = args.iter().map(|a| self.expr(a)).collect();
        let what = to.name();
        if to == Scalar::Bool {
            let x = args.first().map_or("x".into(), |a| self.ctx.quote(a.span, "x"));
            self.ctx.report(
                Diagnostic::error(Code::TypeMismatch, "nothing converts to bool")
                    .label(span, "not a conversion")
                    .help(format!("compare: `{x} != 0`")),
            );
            return Expr::error(span);
        }
        if args.is_empty() || args.len() > 1 + usize::from(to.is_complex()) {
            let form = if to.is_complex() { "one number, or real and imaginary part" } else { "one number" };
            self.ctx.report(
                Diagnostic::error(Code::WrongArity, format!("`{what}` takes {form}"))
                    .label(span, format!("{} arguments", args.len()))
                    .help(if to.is_complex() {
                        format!("write `{what}(re, im)`")
                    } else {
                        format!("write `{what}(x)`")
                    }),
            );
            return Expr { kind: ExprKind::Error, ty: Types::fixed(to), span };
        }
        let parts = args.len() == 2;
        let Some(shape) = self.common_shape(what, &args, span) else { return Expr::error(span) };
        for a in &args {
            if matches!(a.ty.elem(), Ty::Bool) {
                continue;
            }
            if let Some(n) = self.number(a, what, "numbers and booleans")
                && (parts || !to.is_complex())
            {
                self.real_only(n, a, what, "real numbers");
            }
        }
        Expr { kind: ExprKind::Convert(to, args), ty: Ty::array(Types::fixed(to), shape), span }
    }
}

/// A literal with its signs.
enum Literal {
    Int(i64),
    Real(f64),
}

fn literal_exponent(e: &ast::Expr) -> Option<Literal> {
    let mut negative = false;
    let mut e = e;
    while let ast::ExprKind::Unary { op: UnaryOp::Neg, operand, .. } = &e.kind {
        negative = !negative;
        e = operand;
    }
    match e.kind {
        ast::ExprKind::Int(n) if negative => n.checked_neg().map(Literal::Int),
        ast::ExprKind::Int(n) => Some(Literal::Int(n)),
        ast::ExprKind::Real(x) => Some(Literal::Real(if negative { -x } else { x })),
        _ => None,
    }
}

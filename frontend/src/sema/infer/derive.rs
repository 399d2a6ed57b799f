//! Derivative operators: `grad(f, wrt = x)(a, b)` and its kin. A derivative is a function like any other: its
//! parameters are those of what it differentiates, then tangents or cotangents.

use super::Infer;
use super::fn_refs::{FnParam, FnSig, Hint};
use crate::sema::hir::*;
use crate::sema::items::tuple_or_plain;
use crate::sema::types::Ty;
use crate::syntax::ast::{self, DerivOp, Wrt};
use crate::syntax::suggest::nearest;
use adc_ir::{Code, Diagnostic, Operator, Span};

impl<'a> Infer<'_, 'a> {
    /// `grad(f)(x, y)`
    pub(super) fn call_derivative(
        &mut self,
        callee: &'a ast::Expr,
        op: DerivOp,
        args: &'a [ast::Expr],
        seeds: &'a [ast::Expr],
        span: Span,
    ) -> Expr<'a> {
        if !self.calls_allowed(op.text(), span) {
            return self.failed(args, span);
        }
        // Built-ins take the types of what they are given, and dimensions follow from sizes, so that is looked at first.
        let all = || args.iter().chain(seeds);
        let values: Vec<Option<Expr>> =
            all().map(|a| if self.is_function(a) { None } else { Some(self.expr(a)) }).collect();
        let given = values.iter().map(|v| v.as_ref().map(|v| (v.ty.clone(), v.span))).collect();
        let hint = Hint { given, plain: args.len(), want: None };
        let Some(sig) = self.fn_sig(callee, &hint) else {
            values.iter().flatten().for_each(|v| self.types.taint(&v.ty));
            return Expr::error(span);
        };
        if !self.derivative_arity(&sig, op, args, seeds, span) {
            return Expr::error(span);
        }
        let args: Vec<Arg> =
            all().zip(values).zip(&sig.params).map(|((a, v), p)| self.given(a, v, p, callee)).collect();
        Expr { kind: ExprKind::CallFn(Box::new(sig.f), op.text(), args), ty: sig.result, span }
    }

    /// Whether a call gives as many arguments and tangents as the derivative takes.
    fn derivative_arity(
        &mut self,
        sig: &FnSig<'a>,
        op: DerivOp,
        args: &[ast::Expr],
        seeds: &[ast::Expr],
        span: Span,
    ) -> bool {
        let plain = sig.params.len() - sig.seeds;
        if args.len() == plain && seeds.len() == sig.seeds {
            return true;
        }
        if args.len() == plain + sig.seeds && seeds.is_empty() {
            let quote = |a: &ast::Expr| self.ctx.quote(a.span, "…");
            let (at, along) = args.split_at(plain);
            let list = |es: &[ast::Expr]| es.iter().map(quote).collect::<Vec<_>>().join(", ");
            let d = Diagnostic::error(
                Code::WrongArity,
                format!("`{}` takes its tangents behind a `;`", sig.name),
            )
            .label(span, "only commas")
            .help(format!("write `{}({}; {})`", sig.name, list(at), list(along)));
            self.ctx.report(d);
            return false;
        }
        if args.len() != plain {
            self.wrong_count(&sig.name, plain, args.len(), span, sig.place);
            return false;
        }
        let what = match op {
            DerivOp::Vjp | DerivOp::ValueAndVjp => "cotangent",
            _ => "tangent",
        };
        let (want, got) = (sig.seeds, seeds.len());
        let names: Vec<String> =
            (0..want).map(|i| if want == 1 { "v".into() } else { format!("v{i}") }).collect();
        let at = match seeds {
            [first, .., last] => first.span.to(last.span),
            [one] => one.span,
            [] => span,
        };
        let each = match op {
            DerivOp::Vjp | DerivOp::ValueAndVjp => "one for each real or complex result",
            _ => "one for each parameter in `wrt`",
        };
        self.ctx.report(
            Diagnostic::error(
                Code::WrongArity,
                format!(
                    "`{}` takes {want} {what}{}, but {} given",
                    sig.name,
                    crate::sema::decl::plural(want),
                    super::call::are(got)
                ),
            )
            .label(at, format!("{got} behind the `;`"))
            .help(format!("{each}: `{}(…; {})`", sig.name, names.join(", "))),
        );
        false
    }

    /// `grad(f, wrt = x)` as a function. `None`: reported.
    pub(super) fn derivative(
        &mut self,
        op: DerivOp,
        op_span: Span,
        func: &'a ast::Expr,
        wrt: &'a [Wrt],
        hint: &Hint,
        span: Span,
    ) -> Option<FnSig<'a>> {
        let of = self.fn_sig(func, hint)?;
        let wrt = self.active(op, func, &of, wrt)?;
        let leaves = leaves(&of.result);
        if leaves.iter().any(|t| matches!(t, Ty::Error)) {
            return None;
        }
        let outputs: Vec<Ty> = leaves.into_iter().filter(|t| self.carries(t)).collect();
        self.check_result(op, op_span, func, &of)?;
        if outputs.is_empty() {
            self.ctx.report(
                Diagnostic::error(
                    Code::NoOutput,
                    format!("`{}` has no result that carries a derivative", of.name),
                )
                .label(func.span, format!("returns {}", self.types.show(&of.result)))
                .help("differentiate a function with a real or complex result"),
            );
            return None;
        }
        let inputs: Vec<Ty> = wrt.iter().map(|&i| of.params[i].ty.clone()).collect();
        let all = || tuple_or_plain(inputs.clone());
        let tangents = || tuple_or_plain(outputs.clone());
        let with_value = |derivative: Ty| Ty::Tuple(vec![of.result.clone(), derivative]);
        let (seeds, result) = match op {
            DerivOp::Grad | DerivOp::HessDiag => (Vec::new(), all()),
            DerivOp::ValueAndGrad => (Vec::new(), with_value(all())),
            DerivOp::Jvp => (inputs.clone(), tangents()),
            DerivOp::ValueAndJvp => (inputs.clone(), with_value(tangents())),
            DerivOp::Vjp => (outputs.clone(), all()),
            DerivOp::ValueAndVjp => (outputs.clone(), with_value(all())),
            DerivOp::Hvp => (inputs.clone(), all()),
            DerivOp::Jacobian => {
                let mut rows = Vec::new();
                for y in &outputs {
                    rows.push(tuple_or_plain(inputs.iter().map(|x| self.jacobian_of(y, x, span)).collect()));
                }
                (Vec::new(), tuple_or_plain(rows))
            }
            DerivOp::Hessian => {
                let mut rows = Vec::new();
                for y in &inputs {
                    rows.push(tuple_or_plain(
                        inputs.iter().map(|x| self.partial_of(y, x, false, span)).collect(),
                    ));
                }
                (Vec::new(), tuple_or_plain(rows))
            }
        };
        let count = seeds.len();
        let params = of.params.iter().cloned().chain(seeds.into_iter().map(FnParam::plain)).collect();
        let f = FnRef::Derived(operator(op), Box::new(of.f), wrt);
        let name = self.ctx.quote(span, op.text());
        Some(FnSig { f, name, params, seeds: count, result, place: of.place })
    }

    /// Whether values of a type have derivatives.
    fn carries(&self, ty: &Ty) -> bool {
        ty.num().is_some_and(|n| self.types.class_of(n.class).is_float())
    }

    fn is_complex(&self, ty: &Ty) -> bool {
        ty.num().is_some_and(|n| self.types.is_complex(n.cx))
    }

    /// ∂y/∂x, or the pair of derivatives with respect to a complex x.
    fn jacobian_of(&mut self, y: &Ty, x: &Ty, span: Span) -> Ty {
        if self.is_complex(x) {
            return Ty::Tuple(vec![self.partial_of(y, x, true, span); 2]);
        }
        self.partial_of(y, x, self.is_complex(y), span)
    }

    /// An array with the axes of `y`, then of `x`.
    fn partial_of(&mut self, y: &Ty, x: &Ty, complex: bool, span: Span) -> Ty {
        let Some(n) = y.num() else { return Ty::Error };
        let elem = if complex { self.complex_of(n) } else { self.real_of(n) };
        self.array_of(elem, y.shape().iter().chain(x.shape()).cloned().collect(), span)
    }

    /// The positions `wrt` stands for, in parameter order.
    fn active(
        &mut self,
        op: DerivOp,
        func: &'a ast::Expr,
        of: &FnSig<'a>,
        wrt: &'a [Wrt],
    ) -> Option<Vec<usize>> {
        if wrt.is_empty() {
            let active: Vec<usize> = (0..of.params.len())
                .filter(|&i| !of.params[i].nodiff && self.carries(&of.params[i].ty))
                .collect();
            if active.is_empty() {
                if of.params.iter().all(|p| !matches!(p.ty, Ty::Error)) {
                    self.ctx.report(
                        Diagnostic::error(
                            Code::NotDifferentiable,
                            format!("`{}` has no parameter to differentiate with respect to", of.name),
                        )
                        .label(func.span, "no real or complex parameter")
                        .help("make a parameter `f64`, or remove its `#[nodiff]`"),
                    );
                }
                return None;
            }
            let real = active.iter().all(|&i| self.is_real_enough(op, of, i, func.span));
            return real.then_some(active);
        }
        let mut found: Vec<(usize, Span)> = Vec::new();
        let mut fine = true;
        for w in wrt {
            let Some(i) = self.wrt_position(func, of, w) else {
                fine = false;
                continue;
            };
            if let Some((_, first)) = found.iter().find(|(j, _)| *j == i) {
                let d = Diagnostic::error(Code::BadWrt, "a parameter is in `wrt` twice");
                self.ctx.report(
                    d.label(w.span(), "the second time").also(*first, "the first time").help("keep one"),
                );
                fine = false;
                continue;
            }
            found.push((i, w.span()));
            fine &= self.is_differentiable(of, i, w.span()) && self.is_real_enough(op, of, i, w.span());
        }
        let mut active: Vec<usize> = found.into_iter().map(|(i, _)| i).collect();
        active.sort_unstable();
        fine.then_some(active)
    }

    fn wrt_position(&mut self, func: &ast::Expr, of: &FnSig<'a>, w: &Wrt) -> Option<usize> {
        let count = of.params.len();
        let bad = |message: String, label: String, help: String| {
            let mut d = Diagnostic::error(Code::BadWrt, message).label(w.span(), label);
            if let Some(place) = of.place {
                d = d.also(place, "the function");
            }
            self.ctx.report(d.help(help));
            None
        };
        let names: Vec<&str> = of.params.iter().filter_map(|p| p.name).collect();
        match w {
            Wrt::Position(n, _) => match usize::try_from(*n) {
                Ok(i) if i < count => Some(i),
                _ => bad(
                    format!("`{}` has {count} parameter{}", of.name, crate::sema::decl::plural(count)),
                    "no such position".into(),
                    format!(
                        "positions begin with 0{}",
                        match count {
                            0 | 1 => String::new(),
                            _ => format!(" and end with {}", count - 1),
                        }
                    ),
                ),
            },
            Wrt::Name(name) => {
                if let Some(i) = of.params.iter().position(|p| p.name == Some(&name.text)) {
                    return Some(i);
                }
                let message = format!("`{}` has no parameter `{}`", of.name, name.text);
                if names.is_empty() {
                    let func = self.ctx.quote(func.span, "f");
                    let help = format!("give its position: `wrt = 0` is the first parameter of `{func}`");
                    return bad(message, "its parameters have no names".into(), help);
                }
                let label = match nearest(&name.text, names.iter().copied()) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => "unknown".into(),
                };
                let shown: Vec<String> = names.iter().map(|n| format!("`{n}`")).collect();
                bad(message, label, format!("its parameters are {}", shown.join(", ")))
            }
        }
    }

    fn is_differentiable(&self, of: &FnSig<'a>, i: usize, span: Span) -> bool {
        let p = &of.params[i];
        if matches!(p.ty, Ty::Error) {
            return false;
        }
        let name = p.name.map_or_else(|| format!("parameter {i}"), |n| format!("`{n}`"));
        let (why, help) = if !self.carries(&p.ty) {
            let ty = self.types.show(&p.ty);
            let help = match p.ty {
                Ty::Fn(_) => format!("leave {name} out of `wrt`"),
                _ => format!("declare {name} `f64`, or leave it out of `wrt`"),
            };
            (format!("{name} of `{}` is {ty}", of.name), help)
        } else if p.nodiff {
            let help = format!("remove the `#[nodiff]`, or leave {name} out of `wrt`");
            (format!("{name} of `{}` is `#[nodiff]`", of.name), help)
        } else {
            return true;
        };
        let d = Diagnostic::error(Code::NotDifferentiable, format!("{why} and carries no derivative"));
        let d = d.label(span, "cannot be in `wrt`");
        let d = match p.of {
            Some((ix, i)) => d.also(self.ctx.items.func(ix).params[i].span, "declared here"),
            None => d,
        };
        self.ctx.report(d.help(help));
        false
    }

    /// `hessian` and `hess_diag` are of real parameters.
    fn is_real_enough(&self, op: DerivOp, of: &FnSig<'a>, i: usize, span: Span) -> bool {
        let p = &of.params[i];
        if !matches!(op, DerivOp::Hessian | DerivOp::HessDiag) || !self.is_complex(&p.ty) {
            return true;
        }
        let name = p.name.map_or_else(|| format!("parameter {i}"), |n| format!("`{n}`"));
        let ty = self.types.show(&p.ty);
        self.ctx.report(
            Diagnostic::error(
                Code::NeedsScalar,
                format!("`{}` needs real parameters, but {name} is {ty}", op.text()),
            )
            .label(span, "complex")
            .help(format!("write `hvp({})(…; v)`: the derivative of the gradient along `v`", of.name)),
        );
        false
    }

    /// What `grad` and its kin differentiate is one real scalar.
    fn check_result(&self, op: DerivOp, op_span: Span, func: &ast::Expr, of: &FnSig<'a>) -> Option<()> {
        match op {
            DerivOp::Grad | DerivOp::ValueAndGrad | DerivOp::Hvp | DerivOp::Hessian | DerivOp::HessDiag => {}
            DerivOp::Jvp | DerivOp::ValueAndJvp | DerivOp::Vjp | DerivOp::ValueAndVjp | DerivOp::Jacobian => {
                return Some(());
            }
        }
        let word = op.text();
        let f = self.ctx.quote(func.span, "f");
        let help = match &of.result {
            Ty::Array(..) => format!(
                "reduce it to a number in a function of its own, or ask for `vjp({f})(…; g)` or `jacobian({f})(…)`"
            ),
            Ty::Num(_) if self.is_complex(&of.result) => format!(
                "make it real, with `re` or `abs2` in a function of its own, or ask for `vjp({f})(…; g)`"
            ),
            Ty::Tuple(_) => format!(
                "write a function that returns the part you mean, or ask for `vjp({f})(…; g)` with a cotangent for each part"
            ),
            Ty::Num(_) if self.carries(&of.result) => return Some(()),
            Ty::Num(_) | Ty::Bool => "make the result real: `f64(…)` of it has derivative 0".into(),
            Ty::Error => return None,
            Ty::Unit | Ty::Fn(_) => "differentiate a function with a real result".into(),
        };
        let message = format!(
            "`{word}` needs one real scalar, but `{}` returns {}",
            of.name,
            self.types.show(&of.result)
        );
        let d = Diagnostic::error(Code::NeedsScalar, message).label(func.span, self.types.show(&of.result));
        self.ctx.report(d.also(op_span, "this operator").help(help));
        None
    }
}

/// The operator in the IR.
fn operator(op: DerivOp) -> Operator {
    match op {
        DerivOp::Grad => Operator::Grad,
        DerivOp::ValueAndGrad => Operator::ValueAndGrad,
        DerivOp::Jvp => Operator::Jvp,
        DerivOp::ValueAndJvp => Operator::ValueAndJvp,
        DerivOp::Vjp => Operator::Vjp,
        DerivOp::ValueAndVjp => Operator::ValueAndVjp,
        DerivOp::Hvp => Operator::Hvp,
        DerivOp::Jacobian => Operator::Jacobian,
        DerivOp::Hessian => Operator::Hessian,
        DerivOp::HessDiag => Operator::HessDiag,
    }
}

/// The parts of a value, tuples taken apart.
fn leaves(ty: &Ty) -> Vec<Ty> {
    match ty {
        Ty::Tuple(ts) => ts.iter().flat_map(leaves).collect(),
        _ => vec![ty.clone()],
    }
}

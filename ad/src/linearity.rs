//! Whether a rule is linear over the reals in its tangents or cotangents: the condition for transposing it, and
//! for the derivative to mean anything.

mod taint;

use crate::activity::{body_of, carried, carries};
use crate::calls::arguments;
use crate::rules::rule;
use adc_ir::{
    Body, Code, Const, Derivation, Diagnostic, Func, FuncId, Inst, Kind, Module, Op, Origin, ReduceOp,
    Region, RuleKind, Sig, Smoothness, Span, Type, Value, kinds,
};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// How a value depends on the linear parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    /// Not at all.
    Fixed,
    /// Not at all, and it is the literal 0.
    Zero,
    /// Linearly.
    Linear,
}

/// What is wrong with a result that tangents or cotangents do not enter.
const ABSENT: &str = "does not enter this result, which is not 0 either";

/// A use of a tangent or cotangent that is not linear.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Violation {
    /// The use.
    pub(crate) span: Span,
    /// What is wrong with it, as the end of a sentence about a tangent or cotangent.
    pub(crate) what: String,
    /// The use inside the function that `span` calls.
    pub(crate) inner: Option<Span>,
}

/// What is wrong with an instruction, before its span is added.
struct Wrong {
    what: String,
    inner: Option<Span>,
}

impl From<&str> for Wrong {
    fn from(what: &str) -> Wrong {
        what.to_string().into()
    }
}

impl From<String> for Wrong {
    fn from(what: String) -> Wrong {
        Wrong { what, inner: None }
    }
}

/// A function with the positions of its linear parameters.
type Query = (FuncId, Vec<usize>);

/// Per result whether it is linear (else it does not depend on the linear parameters).
type Answer = Result<Vec<Class>, Violation>;

/// Answers so far.
#[derive(Default)]
pub(crate) struct Linearity(FxHashMap<Query, Answer>);

impl Linearity {
    /// Checks the rule `f`, which is to be linear in its parameters from `fixed` on, and in nothing but them.
    pub(crate) fn check(&mut self, m: &Module, f: FuncId, fixed: usize) -> Result<(), Violation> {
        let func = m.func(f);
        let linear: Vec<usize> = (fixed..func.params.len()).collect();
        let classes = self.answer(m, (f, linear))?;
        match classes.iter().position(|c| *c == Class::Fixed) {
            None => Ok(()),
            Some(r) => Err(Violation { span: definition_span(func, r), what: ABSENT.into(), inner: None }),
        }
    }

    /// The classes of a function's results. Callees are looked at first, by a list instead of recursion.
    fn answer(&mut self, m: &Module, query: Query) -> Answer {
        let mut stack = vec![query.clone()];
        while let Some(q) = stack.last().cloned() {
            if self.0.contains_key(&q) {
                stack.pop();
                continue;
            }
            let mut walk = Walk::new(m, m.func(q.0), &self.0);
            let answer = walk.run(&q.1);
            if walk.missing.is_empty() {
                self.0.insert(q, answer);
                stack.pop();
            } else {
                stack.append(&mut walk.missing);
            }
        }
        self.0[&query].clone()
    }
}

/// The error for a rule that is not linear; `transposing` if it is about to be used in the other mode, which a rule
/// of the other kind would make unnecessary.
pub(crate) fn diagnostic(m: &Module, rule: FuncId, violation: &Violation, transposing: bool) -> Diagnostic {
    let Some(Origin { of, program: Derivation::Rule(kind) }) = m.func(rule).origin else {
        unreachable!("`{}` is no rule", m.func(rule).name)
    };
    let (function, word) = (&m.func(of).name, kind.name());
    let (input, other) = if kind == RuleKind::Vjp { ("cotangent", "jvp") } else { ("tangent", "vjp") };
    let d =
        Diagnostic::error(Code::NonLinearRule, format!("the `{word}` rule of `{function}` is not linear"))
            .label(violation.span, format!("a {input} {}", violation.what))
            .also(m.func(rule).span, "in this rule");
    let d = match violation.inner {
        Some(span) => d.also(span, "here"),
        None => d,
    };
    let d = d.note(format!(
        "a {input} may be added to another, negated, conjugated, split by `re` and `im`, and scaled by values that do \
         not depend on it"
    ));
    if transposing {
        d.note("the derivative asked for needs the other mode, so the rule has to be transposed")
            .help(format!("write `rule {other} {function}(…)`, or make this rule linear"))
    } else if violation.what == ABSENT {
        let name = m.func(rule).params.last().map_or("it", |p| p.name.as_str());
        d.help(format!("a rule gives the derivative times its {input}: multiply this by `{name}`"))
    } else {
        d.help("make the rule linear")
    }
}

/// The span of the instruction that defines result `r`, or the function's.
fn definition_span(func: &Func, r: usize) -> Span {
    let Some(body) = func.region() else { return func.span };
    let v = body.yields[r];
    body.insts.iter().find(|i| i.results.contains(&v)).map_or(func.span, |i| i.span)
}

/// A walk over one function; answers of callees it lacks are collected, and taken for linear meanwhile.
struct Walk<'a> {
    m: &'a Module,
    func: &'a Func,
    known: &'a FxHashMap<Query, Answer>,
    missing: Vec<Query>,
    class: Vec<Class>,
    /// Whether a value depends on a linear parameter in any way.
    tainted: Vec<bool>,
}

impl<'a> Walk<'a> {
    fn new(m: &'a Module, func: &'a Func, known: &'a FxHashMap<Query, Answer>) -> Walk<'a> {
        Walk { m, func, known, missing: Vec::new(), class: Vec::new(), tainted: Vec::new() }
    }

    fn run(&mut self, linear: &[usize]) -> Answer {
        self.class = vec![Class::Fixed; self.func.values.len()];
        for &i in linear {
            self.class[self.func.params[i].value.0 as usize] = Class::Linear;
        }
        self.tainted = taint::of(self.func, linear);
        match self.func.region() {
            Some(body) => {
                self.region(body)?;
                Ok(body.yields.iter().map(|v| self.of(*v)).collect())
            }
            // Whoever passes something else for another one was told.
            None if !linear.is_empty() && linear.iter().all(|&i| declared(self.m, self.func, i)) => {
                let values = match &self.func.body {
                    Body::Derived(d) if d.operator.has_value() => self.m.func(d.of).results.len(),
                    _ => 0,
                };
                let class = |r| if r < values { Class::Fixed } else { Class::Linear };
                Ok((0..self.func.results.len()).map(class).collect())
            }
            None => {
                Err(Violation { span: self.func.span, what: unknown(self.m, self.func, linear), inner: None })
            }
        }
    }

    fn of(&self, v: Value) -> Class {
        self.class[v.0 as usize]
    }

    fn is_linear(&self, v: Value) -> bool {
        self.of(v) == Class::Linear
    }

    fn region(&mut self, region: &Region) -> Result<(), Violation> {
        for inst in &region.insts {
            self.enter(inst);
            for r in &inst.regions {
                self.region(r)?;
            }
            let classes = self.inst(inst).map_err(|Wrong { what, inner }| Violation {
                span: inst.span,
                what,
                inner,
            })?;
            for (v, class) in inst.results.iter().zip(classes) {
                self.class[v.0 as usize] = class;
            }
        }
        Ok(())
    }

    /// The classes of the carries in a loop. One that starts at 0 is linear if what is added to it is.
    fn enter(&mut self, inst: &Inst) {
        let first = inst.args.len() - carries(inst);
        for region in &inst.regions {
            for (k, param) in carried(region, inst).iter().enumerate() {
                let class = match self.of(inst.args[first + k]) {
                    Class::Zero if self.tainted[param.0 as usize] => Class::Linear,
                    Class::Zero | Class::Fixed => Class::Fixed,
                    Class::Linear => Class::Linear,
                };
                self.class[param.0 as usize] = class;
            }
        }
    }

    /// The classes of an instruction's results; or what is wrong with it.
    fn inst(&mut self, inst: &Inst) -> Result<SmallVec<[Class; 1]>, Wrong> {
        let touched = inst.args.iter().any(|a| self.is_linear(*a));
        let all = |class: Class| inst.results.iter().map(|_| class).collect();
        match &inst.kind {
            Kind::Const(c) => Ok(all(if is_zero(*c) { Class::Zero } else { Class::Fixed })),
            Kind::If if touched => Err("decides a branch here".into()),
            Kind::If => (0..inst.results.len())
                .map(|k| {
                    let sides: SmallVec<[Class; 2]> =
                        inst.regions.iter().map(|r| self.of(r.yields[k])).collect();
                    joined(&sides).ok_or_else(|| "is used in one branch, and the other is not 0".into())
                })
                .collect(),
            Kind::Assert(_) if touched => Err("decides an `assert` here".into()),
            Kind::Assert(_) | Kind::Op(_) | Kind::Call(_) | kinds!(Matrix) if !touched => {
                Ok(all(Class::Fixed))
            }
            Kind::Size(_) => Ok(all(Class::Fixed)),
            Kind::Assert(_) => unreachable!("touched or not"),
            Kind::Op(op) => self.op(*op, inst).map(|class| SmallVec::from_elem(class, 1)),
            Kind::Call(f) => self.call(*f, inst),
            kinds!(Read | Write | Form) => {
                let data = inst.args.iter().filter(|a| self.func.ty(**a) != Type::I64);
                let classes: SmallVec<[Class; 3]> = data.map(|a| self.of(*a)).collect();
                let class = joined(&classes).ok_or("is put into one array with something that is not 0")?;
                Ok(all(class))
            }
            Kind::MatMul => match inst.args.iter().all(|a| self.is_linear(*a)) {
                true => Err("is multiplied by another here".into()),
                false => Ok(all(Class::Linear)),
            },
            Kind::Linalg(op) if op.has_rhs() && !self.is_linear(inst.args[0]) => Ok(all(Class::Linear)),
            Kind::Linalg(op) => Err(format!("is the matrix of `{op}` here").into()),
            Kind::Build { .. } | Kind::Reduce(ReduceOp::Sum) => Ok(all(self.of(body_of(inst).yields[0]))),
            Kind::Reduce(op) => match self.is_linear(body_of(inst).yields[0]) {
                true => Err(format!("is reduced by `{op}` here").into()),
                false => Ok(all(Class::Fixed)),
            },
            Kind::For(_) | Kind::While(_) => self.iterations(inst),
        }
    }

    /// The classes of a loop's results.
    fn iterations(&self, inst: &Inst) -> Result<SmallVec<[Class; 1]>, Wrong> {
        let (body, count) = (body_of(inst), carries(inst));
        let mut classes = SmallVec::new();
        for (param, next) in carried(body, inst).iter().zip(&body.yields) {
            let both = [self.of(*param), self.of(*next)];
            classes.push(
                joined(&both)
                    .ok_or("is carried in one iteration, and what is carried in another is not 0")?,
            );
        }
        if inst.results.len() > body.yields.len() {
            // The number of iterations of a `while`.
            classes.push(Class::Fixed);
        }
        classes.extend(body.yields[count..].iter().map(|v| self.of(*v)));
        Ok(classes)
    }

    fn call(&mut self, f: FuncId, inst: &Inst) -> Result<SmallVec<[Class; 1]>, Wrong> {
        let args = arguments(self.m.func(f), inst);
        let linear: Vec<usize> = (0..args.len()).filter(|&i| self.is_linear(args[i])).collect();
        let callee = self.m.func(f);
        let apart = |i: &usize| declared(self.m, callee, *i) && self.of(args[*i]) == Class::Fixed;
        if linear.iter().all(|&i| declared(self.m, callee, i))
            && let Some(i) = (0..args.len()).find(apart)
        {
            let kind = match callee.body {
                Body::Derived(_) => "seeds",
                Body::Region(_) | Body::Extern(_) => "`#[linear]` parameters",
            };
            return Err(format!(
                "enters `{}`, which is linear in all its {kind} together, and what is given for `{}` is not 0",
                callee.name, callee.params[i].name
            )
            .into());
        }
        let query = (f, linear);
        match self.known.get(&query) {
            Some(Ok(classes)) => Ok(classes.iter().copied().collect()),
            Some(Err(v)) => {
                let what = format!("enters `{}`, where it {}", self.m.func(f).name, v.what);
                Err(Wrong { what, inner: Some(v.inner.unwrap_or(v.span)) })
            }
            None => {
                self.missing.push(query);
                Ok(inst.results.iter().map(|_| Class::Linear).collect())
            }
        }
    }

    /// An op with at least one linear operand.
    fn op(&self, op: Op, inst: &Inst) -> Result<Class, Wrong> {
        let args = &inst.args;
        let classes: SmallVec<[Class; 3]> = args.iter().map(|a| self.of(*a)).collect();
        let ok = |linear: bool, what: &str| if linear { Ok(Class::Linear) } else { Err(what.into()) };
        if op == Op::Select {
            return match classes[0] {
                Class::Linear => Err("decides a selection here".into()),
                _ => joined(&classes[1..])
                    .ok_or_else(|| "is selected here, and the other value is not 0".into()),
            };
        }
        if op == Op::Mul {
            return ok(
                classes.iter().filter(|c| **c == Class::Linear).count() == 1,
                "is multiplied by another here",
            );
        }
        if op == Op::Div {
            return ok(classes[1] != Class::Linear, "is in a denominator here");
        }
        if op.info().smooth != Smoothness::Linear || !self.flows(op, inst) {
            let compares = matches!(op.info().sig, Sig::Compare | Sig::Equal);
            return Err(if compares {
                "is compared here".into()
            } else {
                format!("enters `{op}` here").into()
            });
        }
        ok(!classes.contains(&Class::Fixed), "is added to something that is not one")
    }

    /// Whether every linear operand has a derivative (`im` of a real has none, and no part in the result either).
    fn flows(&self, op: Op, inst: &Inst) -> bool {
        let types: SmallVec<[Type; 3]> = inst.args.iter().map(|a| self.func.ty(*a)).collect();
        let row = rule(op, &types);
        (0..inst.args.len()).all(|i| {
            let zero = row.partial(i).is_zero();
            !self.is_linear(inst.args[i]) || !zero || (op == Op::Im && !types[i].scalar().is_complex())
        })
    }
}

/// Whether a function without instructions is linear in this parameter, together with others like it: in `#[linear]` ones, and a
/// derivative that is still to be written in its tangents, cotangents or directions, which come last.
fn declared(m: &Module, func: &Func, i: usize) -> bool {
    match &func.body {
        Body::Region(_) => false,
        Body::Extern(_) => func.params[i].linear,
        Body::Derived(d) => i >= m.func(d.of).params.len(),
    }
}

/// Why a function without instructions is not linear in these parameters, as far as anybody knows.
fn unknown(m: &Module, func: &Func, linear: &[usize]) -> String {
    let other = linear.iter().find(|&&i| !declared(m, func, i)).map(|&i| &func.params[i].name);
    match (&func.body, other) {
        (Body::Derived(d), Some(name)) => {
            let of = &m.func(d.of).name;
            format!("is the argument `{name}` at which `{of}` is differentiated, which need not be linear")
        }
        (_, Some(name)) if !func.linear_params().is_empty() => format!(
            "is given to the extern function `{}`, which may not be linear in `{name}`, which is not marked `#[linear]`",
            func.name
        ),
        _ => format!("is given to the extern function `{}`, which may not be linear", func.name),
    }
}

/// The class of a value that is one of these.
fn joined(sides: &[Class]) -> Option<Class> {
    let linear = sides.contains(&Class::Linear);
    let fixed = sides.contains(&Class::Fixed);
    match (linear, fixed) {
        (true, true) => None,
        (true, false) => Some(Class::Linear),
        (false, true) => Some(Class::Fixed),
        (false, false) => Some(Class::Zero),
    }
}

fn is_zero(c: Const) -> bool {
    c.scalar().is_float() && c.to_c128().norm_sqr() == 0.0 && !c.to_c128().re.is_nan()
}

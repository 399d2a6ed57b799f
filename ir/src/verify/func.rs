//! Checks one function but for its rules.

use super::{MAX_DEPTH, VerifyError, about};
use crate::module::*;
use crate::text::Names;
use crate::types::Type;
use rustc_hash::FxHashSet;

/// Every error of the function's signature and body.
pub(super) fn check(module: &Module, func: &Func) -> Vec<VerifyError> {
    let mut c =
        Checker { module, func, state: vec![State::Undefined; func.values.len()], errors: Vec::new() };
    c.signature();
    if let Some(body) = func.region() {
        c.region(body, 0);
        c.yields(None, &body.yields, &func.results.iter().map(|r| r.ty).collect::<Vec<_>>(), "the body");
    }
    let Checker { errors, .. } = c;
    if errors.is_empty() {
        return Vec::new();
    }
    let names = Names::new(module, func);
    let place = |Found { inst, value, message }: Found| {
        let message = match value {
            Some(v) => format!("`{}` {message}", names.value(v)),
            None => message,
        };
        match inst {
            None => about(func, message),
            Some(i) => VerifyError { func: func.name.clone(), inst: names.inst(i), message, span: i.span },
        }
    };
    errors.into_iter().map(place).collect()
}

/// How far the walk is with a value.
#[derive(Clone, Copy, PartialEq)]
enum State {
    Undefined,
    Visible,
    /// Its region is closed.
    OutOfScope,
}

/// An error before it is put into words: values get their names only once there is something to report.
struct Found<'a> {
    /// The instruction; `None`: the function itself.
    inst: Option<&'a Inst>,
    /// The subject of the message, if it is a value.
    value: Option<Value>,
    message: String,
}

struct Checker<'a> {
    module: &'a Module,
    func: &'a Func,
    state: Vec<State>,
    errors: Vec<Found<'a>>,
}

impl<'a> Checker<'a> {
    fn error(&mut self, inst: Option<&'a Inst>, message: impl Into<String>) {
        self.errors.push(Found { inst, value: None, message: message.into() });
    }

    fn value_error(&mut self, inst: Option<&'a Inst>, value: Value, message: &str) {
        self.errors.push(Found { inst, value: Some(value), message: message.into() });
    }

    fn signature(&mut self) {
        let func = self.func;
        let mut names = FxHashSet::default();
        for p in &func.params {
            if !names.insert(p.name.as_str()) {
                self.error(None, format!("two parameters are called `{}`", p.name));
            }
            self.define(None, p.value);
            if let (Some(domain), Some(ty)) = (p.domain, self.ty(p.value)) {
                let (fits, ordered) = match domain {
                    ParamDomain::Interval { lo, hi, .. } => {
                        (ty.scalar().is_real() || ty == Type::I64, lo <= hi)
                    }
                    ParamDomain::Annulus { r0, r1 } => (ty.scalar().is_complex(), 0.0 <= r0 && r0 <= r1),
                };
                if !fits || !ordered {
                    self.error(None, format!("parameter `{}: {ty}` cannot lie in `{domain}`", p.name));
                }
            }
        }
    }

    fn ty(&self, v: Value) -> Option<Type> {
        self.func.values.get(v.0 as usize).map(|d| d.ty)
    }

    fn define(&mut self, inst: Option<&'a Inst>, v: Value) {
        match self.state.get(v.0 as usize) {
            Some(State::Undefined) => self.state[v.0 as usize] = State::Visible,
            Some(State::Visible | State::OutOfScope) => self.value_error(inst, v, "is defined a second time"),
            None => self.value_error(inst, v, "is not in the table of values"),
        }
    }

    /// The types of used values, or `None` after reporting what is wrong with them.
    fn used(&mut self, inst: Option<&'a Inst>, values: &[Value]) -> Option<Vec<Type>> {
        let before = self.errors.len();
        for v in values {
            match self.state.get(v.0 as usize) {
                Some(State::Visible) => {}
                Some(State::OutOfScope) => {
                    self.error(inst, "uses a value outside the region that defines it")
                }
                Some(State::Undefined) | None => self.error(inst, "uses a value that is not defined before"),
            }
        }
        if self.errors.len() > before { None } else { values.iter().map(|v| self.ty(*v)).collect() }
    }

    /// Walks a region; its values are out of scope afterwards, its yields are the caller's business before that.
    fn region(&mut self, r: &'a Region, depth: usize) {
        if depth > MAX_DEPTH {
            return self.error(None, format!("regions nest deeper than {MAX_DEPTH}"));
        }
        for inst in &r.insts {
            self.inst(inst, depth);
        }
    }

    fn inst(&mut self, inst: &'a Inst, depth: usize) {
        let args = self.used(Some(inst), &inst.args);
        let declared: Vec<Option<Type>> = inst.results.iter().map(|v| self.ty(*v)).collect();
        let expected = match args {
            Some(args) => self.result_types(inst, &args),
            None => None,
        };
        if let Some(expected) = &expected {
            if expected.len() != declared.len() {
                let (want, got) = (expected.len(), declared.len());
                self.error(Some(inst), format!("gives {want} results, but {got} are named"));
            } else if let Some((want, Some(got))) =
                expected.iter().zip(&declared).find(|(want, got)| got.is_some_and(|got| got != **want))
            {
                self.error(Some(inst), format!("gives a value of type {want}, not {got}"));
            }
        }
        self.regions(inst, depth);
        for v in &inst.results {
            self.define(Some(inst), *v);
        }
    }

    /// The types an instruction gives for operands of these types; `None` if that cannot be told or was an error.
    fn result_types(&mut self, inst: &'a Inst, args: &[Type]) -> Option<Vec<Type>> {
        match &inst.kind {
            Kind::Const(c) => {
                self.operands(inst, args, &[])?;
                Some(vec![c.scalar().into()])
            }
            Kind::Op(op) => match op.result_type(args) {
                Some(ty) => Some(vec![ty]),
                None => {
                    let tys: Vec<String> = args.iter().map(Type::to_string).collect();
                    self.error(Some(inst), format!("`{op}` does not take ({})", tys.join(", ")));
                    None
                }
            },
            Kind::Call(callee) => match self.module.funcs.get(callee.0 as usize) {
                Some(callee) => {
                    let params: Option<Vec<Type>> = callee
                        .params
                        .iter()
                        .map(|p| Some(callee.values.get(p.value.0 as usize)?.ty))
                        .collect();
                    self.operands(inst, args, &params?)?;
                    Some(callee.results.iter().map(|r| r.ty).collect())
                }
                None => {
                    self.error(Some(inst), "calls a function that does not exist");
                    None
                }
            },
            Kind::If => {
                self.operands(inst, args, &[Type::BOOL])?;
                None
            }
            Kind::Assert(_) => {
                self.operands(inst, args, &[Type::BOOL])?;
                Some(Vec::new())
            }
        }
    }

    fn operands(&mut self, inst: &'a Inst, found: &[Type], wanted: &[Type]) -> Option<()> {
        if found == wanted {
            return Some(());
        }
        let list = |tys: &[Type]| tys.iter().map(Type::to_string).collect::<Vec<_>>().join(", ");
        self.error(Some(inst), format!("takes ({}), found ({})", list(wanted), list(found)));
        None
    }

    /// The nested regions: as many as the kind has, without parameters, yielding the results.
    fn regions(&mut self, inst: &'a Inst, depth: usize) {
        let wanted = match inst.kind {
            Kind::If => 2,
            Kind::Const(_) | Kind::Op(_) | Kind::Call(_) | Kind::Assert(_) => 0,
        };
        if inst.regions.len() != wanted {
            let found = inst.regions.len();
            self.error(Some(inst), format!("has {found} regions, not {wanted}"));
        }
        let results: Option<Vec<Type>> = inst.results.iter().map(|v| self.ty(*v)).collect();
        for r in &inst.regions {
            if !r.params.is_empty() {
                self.error(Some(inst), "has a region with parameters");
            }
            self.region(r, depth + 1);
            if let Some(results) = &results {
                self.yields(Some(inst), &r.yields, results, "a region");
            }
            self.close(r);
        }
    }

    fn yields(&mut self, inst: Option<&'a Inst>, yields: &[Value], wanted: &[Type], what: &str) {
        let Some(found) = self.used(inst, yields) else { return };
        if found != wanted {
            let list = |tys: &[Type]| tys.iter().map(Type::to_string).collect::<Vec<_>>().join(", ");
            self.error(inst, format!("{what} yields ({}), not ({})", list(&found), list(wanted)));
        }
    }

    /// Takes a region's own values out of scope (those of regions inside it are already).
    fn close(&mut self, r: &Region) {
        for v in r.params.iter().chain(r.insts.iter().flat_map(|i| &i.results)) {
            if let Some(state) = self.state.get_mut(v.0 as usize) {
                *state = State::OutOfScope;
            }
        }
    }
}

//! Builds functions instruction by instruction.

use crate::diag::Span;
use crate::module::*;
use crate::ops::Op;
use crate::types::{Scalar, Type};

/// Builds one [`Func`]. Instructions go to the innermost open region.
pub struct Builder {
    func: Func,
    /// Open regions, the function's body first.
    open: Vec<Region>,
    span: Span,
}

impl Builder {
    /// Starts a function without parameters or results.
    pub fn new(name: impl Into<String>, span: Span) -> Builder {
        let func = Func {
            name: name.into(),
            params: Vec::new(),
            results: Vec::new(),
            body: Body::Region(Region::default()),
            values: Vec::new(),
            rules: Vec::new(),
            inline: false,
            span,
        };
        Builder { func, open: vec![Region::default()], span }
    }

    /// Starts a function with the parameters of another one (names, types, attributes, spans) and returns their
    /// values: what a wrapper around `func` begins with.
    pub fn like(func: &Func, name: impl Into<String>) -> (Builder, Vec<Value>) {
        let mut b = Builder::new(name, func.span);
        let params = func.params.iter().map(|p| {
            let value = b.fresh(func.ty(p.value));
            b.func.params.push(Param { value, ..p.clone() });
            value
        });
        let params = params.collect();
        (b, params)
    }

    /// The function so far (its body is not filled in before [`Self::finish`]).
    pub fn func(&self) -> &Func {
        &self.func
    }

    /// Instructions from here on carry this span; returns the previous one.
    pub fn set_span(&mut self, span: Span) -> Span {
        std::mem::replace(&mut self.span, span)
    }

    /// The span instructions carry now.
    pub fn span(&self) -> Span {
        self.span
    }

    /// The type of a value.
    pub fn ty(&self, v: Value) -> Type {
        self.func.ty(v)
    }

    /// A new value of type `ty` that no instruction defines yet.
    pub fn fresh(&mut self, ty: Type) -> Value {
        self.func.values.push(ValueData { ty });
        Value(self.func.values.len() as u32 - 1)
    }

    /// Adds a parameter.
    pub fn param(&mut self, name: impl Into<String>, ty: impl Into<Type>) -> Value {
        let value = self.fresh(ty.into());
        let span = self.span;
        self.func.params.push(Param { value, name: name.into(), nodiff: false, domain: None, span });
        value
    }

    /// The last parameter added, to set its attributes.
    pub fn last_param(&mut self) -> &mut Param {
        self.func.params.last_mut().expect("a parameter was added")
    }

    /// Appends an instruction whose results have types `tys`.
    pub fn inst(&mut self, kind: Kind, args: &[Value], tys: &[Type], regions: Vec<Region>) -> Values {
        let results: Values = tys.iter().map(|t| self.fresh(*t)).collect();
        self.push(Inst { kind, args: args.into(), results: results.clone(), regions, span: self.span });
        results
    }

    /// Appends an instruction that is complete, its results being [`Self::fresh`] values.
    pub fn push(&mut self, inst: Inst) {
        self.open.last_mut().expect("a region is open").insts.push(inst);
    }

    /// A literal.
    pub fn constant(&mut self, c: Const) -> Value {
        self.inst(Kind::Const(c), &[], &[Type::Scalar(c.scalar())], Vec::new())[0]
    }

    /// The literal `x` of type `ty`.
    pub fn num(&mut self, x: f64, ty: Scalar) -> Value {
        self.constant(Const::real(x, ty))
    }

    /// An op of the table.
    ///
    /// # Panics
    /// If the op does not take operands of these types: a bug of the caller.
    pub fn op(&mut self, op: Op, args: &[Value]) -> Value {
        let tys: Vec<Type> = args.iter().map(|a| self.ty(*a)).collect();
        let Some(ty) = op.result_type(&tys) else {
            panic!("`{op}` does not take {tys:?} (in `{}`)", self.func.name)
        };
        self.inst(Kind::Op(op), args, &[ty], Vec::new())[0]
    }

    /// A call; `results` are the callee's result types.
    pub fn call(&mut self, callee: FuncId, args: &[Value], results: &[Type]) -> Values {
        self.inst(Kind::Call(callee), args, results, Vec::new())
    }

    /// A call of a function of `m`.
    pub fn call_of(&mut self, m: &Module, callee: FuncId, args: &[Value]) -> Values {
        let results: Vec<Type> = m.func(callee).results.iter().map(|r| r.ty).collect();
        self.call(callee, args, &results)
    }

    /// A run-time check.
    pub fn assert(&mut self, guard: Guard, cond: Value) {
        self.inst(Kind::Assert(guard), &[cond], &[], Vec::new());
    }

    /// Opens a region; instructions go there until [`Self::close`].
    pub fn open(&mut self) {
        self.open.push(Region::default());
    }

    /// Closes the innermost region with what it yields.
    pub fn close(&mut self, yields: Vec<Value>) -> Region {
        assert!(self.open.len() > 1, "the body is closed by `finish`");
        let mut r = self.open.pop().expect("checked above");
        r.yields = yields;
        r
    }

    /// An `if` of two closed regions that yield the same types.
    pub fn if_(&mut self, cond: Value, then: Region, other: Region) -> Values {
        let tys: Vec<Type> = then.yields.iter().map(|v| self.ty(*v)).collect();
        self.inst(Kind::If, &[cond], &tys, vec![then, other])
    }

    /// The innermost open region, to look at or patch what was emitted.
    pub fn current(&mut self) -> &mut Region {
        self.open.last_mut().expect("a region is open")
    }

    /// Ends the function, which returns `results` under these names.
    pub fn finish(mut self, results: Vec<(String, Value)>) -> Func {
        assert_eq!(self.open.len(), 1, "a region was left open in `{}`", self.func.name);
        let mut body = self.open.pop().expect("checked above");
        body.yields = results.iter().map(|(_, v)| *v).collect();
        self.func.results =
            results.into_iter().map(|(name, v)| ResultDecl { name, ty: self.func.ty(v) }).collect();
        self.func.body = Body::Region(body);
        self.func
    }
}

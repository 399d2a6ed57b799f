//! Builds functions instruction by instruction.

mod arrays;

use crate::diag::Span;
use crate::dims::{Dim, Known};
use crate::module::*;
use crate::ops::Op;
use crate::shape::Cx;
use crate::types::{Scalar, Type};

/// Builds one [`Func`]. Instructions go to the innermost open region.
pub struct Builder {
    func: Func,
    /// Open regions, the function's body first.
    open: Vec<Region>,
    known: Known,
    span: Span,
}

impl Builder {
    /// Starts a function without parameters or results.
    pub fn new(name: impl Into<String>, span: Span) -> Builder {
        let func = Func {
            name: name.into(),
            dims: Vec::new(),
            params: Vec::new(),
            results: Vec::new(),
            body: Body::Region(Region::default()),
            values: Vec::new(),
            rules: Vec::new(),
            origin: None,
            of_rule: None,
            inline: false,
            fp: None,
            span,
        };
        Builder { func, open: vec![Region::default()], known: Known::default(), span }
    }

    /// Starts a function with the dimensions, parameters (names, types, attributes, spans) and floating-point mode of another
    /// one and returns the parameters' values: what a wrapper around `func` begins with.
    pub fn like(func: &Func, name: impl Into<String>) -> (Builder, Vec<Value>) {
        let mut b = Builder::new(name, func.span);
        b.func.fp = func.fp;
        for d in &func.dims {
            let value = b.fresh(Type::I64);
            b.func.dims.push(DimParam { value, ..d.clone() });
        }
        let first = b.func.values.len() as u32;
        let params: Vec<Value> = (first..).map(Value).take(func.params.len()).collect();
        let entry: Vec<Value> = b.func.dims.iter().map(|d| d.value).chain(params.clone()).collect();
        let here = |v| entry[func.entry_position(v).expect("sizes of parameters are made of entry values")];
        for p in &func.params {
            let data = func.data(p.value);
            let shape = data.shape.iter().map(|d| d.rename(here)).collect();
            let value = b.fresh(ValueData { ty: data.ty, shape });
            b.func.params.push(Param { value, ..p.clone() });
        }
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

    /// Type and sizes of a value.
    pub fn data(&self, v: Value) -> &ValueData {
        self.func.data(v)
    }

    /// An `i64` value as a size: the number or polynomial it is known to be, else itself.
    pub fn dim_of(&self, v: Value) -> Dim {
        self.known.dim(v)
    }

    /// A new value that no instruction defines yet: of a scalar type, or as its [`ValueData`] says.
    pub fn fresh(&mut self, data: impl Into<ValueData>) -> Value {
        self.func.fresh(data.into())
    }

    /// Adds a dimension.
    pub fn dim(&mut self, name: impl Into<String>) -> Value {
        let value = self.fresh(Type::I64);
        self.func.dims.push(DimParam { value, name: name.into(), quotient: None, span: self.span });
        value
    }

    /// Adds a dimension that is the floor of a quotient; see [`DimParam::quotient`].
    pub fn quotient(&mut self, name: impl Into<String>, quotient: (Dim, Dim)) -> Value {
        let value = self.dim(name);
        self.func.dims.last_mut().expect("just added").quotient = Some(quotient);
        value
    }

    /// Adds a parameter: of a scalar type, or as its [`ValueData`] says.
    pub fn param(&mut self, name: impl Into<String>, data: impl Into<ValueData>) -> Value {
        let value = self.fresh(data);
        let span = self.span;
        self.func.params.push(Param {
            value,
            name: name.into(),
            role: None,
            nodiff: false,
            linear: false,
            domain: None,
            span,
        });
        value
    }

    /// The last parameter added, to set its attributes.
    pub fn last_param(&mut self) -> &mut Param {
        self.func.params.last_mut().expect("a parameter was added")
    }

    /// Appends an instruction whose results have scalar types `tys`.
    pub fn inst(&mut self, kind: Kind, args: &[Value], tys: &[Type], regions: Vec<Region>) -> Values {
        let data = tys.iter().map(|ty| ValueData::from(*ty)).collect();
        self.emit(kind, args, data, regions)
    }

    /// Appends an instruction whose results are `data`.
    pub fn emit(&mut self, kind: Kind, args: &[Value], data: Vec<ValueData>, regions: Vec<Region>) -> Values {
        let results: Values = data.into_iter().map(|d| self.fresh(d)).collect();
        self.push(Inst { kind, args: args.into(), results: results.clone(), regions, span: self.span });
        results
    }

    /// Appends an instruction that is complete, its results being [`Self::fresh`] values.
    pub fn push(&mut self, inst: Inst) {
        self.known.note(&inst, &self.func.values);
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

    /// A call without arrays; `results` are the callee's result types.
    pub fn call(&mut self, callee: FuncId, args: &[Value], results: &[Type]) -> Values {
        self.inst(Kind::Call(callee), args, results, Vec::new())
    }

    /// A call of a function of `m`; `args` are its dimensions, then its arguments.
    ///
    /// # Panics
    /// If the function does not take them: a bug of the caller.
    pub fn call_of(&mut self, m: &Module, callee: FuncId, args: &[Value]) -> Values {
        let f = m.func(callee);
        let results: Values = f.results.iter().map(|_| self.fresh(Type::I64)).collect();
        let cx = Cx { module: m, values: &self.func.values, known: &self.known };
        let Ok(Some(data)) = cx.results(&Kind::Call(callee), args, &results, None) else {
            panic!("`{}` does not take {args:?} (in `{}`)", f.name, self.func.name)
        };
        for (v, d) in results.iter().zip(data) {
            self.func.values[v.0 as usize] = d;
        }
        let kind = Kind::Call(callee);
        let (args, span) = (args.into(), self.span);
        self.push(Inst { kind, args, results: results.clone(), regions: Vec::new(), span });
        results
    }

    /// A run-time check.
    pub fn assert(&mut self, guard: Guard, cond: Value) {
        self.inst(Kind::Assert(Box::new(guard)), &[cond], &[], Vec::new());
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
        self.infer(Kind::If, &[cond], vec![then, other])
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
            results.into_iter().map(|(name, v)| ResultDecl::new(name, self.func.data(v).clone())).collect();
        self.func.body = Body::Region(body);
        self.func
    }
}

//! Changes of programs: what one instruction becomes, with everything that has to follow for the program to stay well-formed.

use adc_ir::{Body, Const, Func, Inst, Kind, Module, Op, Region, Value, ValueData, Values};

/// A value that an edit puts in the place of another one. What it computes stands in front of its use.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum New {
    /// One that is there and visible.
    Is(Value),
    /// A zero like this value.
    Zero(Value),
    /// A literal of the scalar type of this value.
    Number(f64, Value),
    /// An op of scalars.
    Op(Op, Vec<New>),
    /// An array with a number added to its first element.
    Raised(Value, f64),
}

/// What becomes of one instruction.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Edit {
    /// It is of this kind, with the operands at these positions.
    Kind(Kind, Vec<usize>),
    /// Who reads its first result reads this value instead.
    Forward(Value),
    /// Two of its results are taken for each other.
    Results(usize, usize),
    /// An operand is another value.
    Operand(usize, New),
    /// Its regions are exchanged.
    Regions,
    /// The first two parameters of its region are taken for each other.
    Params,
    /// A region yields something else at a position. Of the body of the function if there is no instruction.
    Yield(usize, usize, New),
}

/// Makes an edit of the instruction with this number, in order, those of regions behind the one they belong to; the number behind
/// the last is the body's own.
///
/// # Panics
/// If the program is malformed afterwards: a bug of the operator that asked for it.
pub(crate) fn apply(m: &mut Module, program: adc_ir::FuncId, at: usize, edit: &Edit) {
    let func = &mut m.funcs[program.0 as usize];
    let before = func.clone();
    let Body::Region(body) = &mut func.body else { return };
    let mut body = std::mem::take(body);
    let mut maker = Maker { func, at, edit, next: 0, renamed: Vec::new() };
    maker.region(&mut body);
    if let (true, Edit::Yield(_, k, new)) = (maker.next == at, edit) {
        let v = maker.made(new, &mut body.insts);
        body.yields[*k] = v;
    }
    let renamed = std::mem::take(&mut maker.renamed);
    rename(&mut body, &|v| renamed.iter().find(|(from, _)| *from == v).map_or(v, |(_, to)| *to));
    func.body = Body::Region(body);
    if let Err(errors) = adc_ir::verify::verify_func(m, m.func(program)) {
        let text = adc_ir::text::print_func(m, &before, &Default::default());
        panic!("{edit:?} of instruction {at} is malformed: {}\n{text}", errors[0]);
    }
}

struct Maker<'a> {
    func: &'a mut Func,
    at: usize,
    edit: &'a Edit,
    next: usize,
    renamed: Vec<(Value, Value)>,
}

impl Maker<'_> {
    fn region(&mut self, r: &mut Region) {
        let mut out = Vec::with_capacity(r.insts.len() + 2);
        for mut inst in std::mem::take(&mut r.insts) {
            let here = self.next == self.at;
            self.next += 1;
            inst.regions.iter_mut().for_each(|r| self.region(r));
            if here {
                self.change(&mut inst, &mut out);
            }
            out.push(inst);
        }
        r.insts = out;
    }

    fn change(&mut self, inst: &mut Inst, out: &mut Vec<Inst>) {
        match self.edit {
            Edit::Kind(kind, operands) => {
                inst.kind = kind.clone();
                inst.args = operands.iter().map(|k| inst.args[*k]).collect();
            }
            Edit::Forward(v) => self.renamed.push((inst.results[0], *v)),
            Edit::Results(a, b) => inst.results.swap(*a, *b),
            Edit::Operand(k, new) => inst.args[*k] = self.made(new, out),
            Edit::Regions => inst.regions.swap(0, 1),
            Edit::Params => inst.regions[0].params.swap(0, 1),
            Edit::Yield(region, k, new) => {
                let mut insts = std::mem::take(&mut inst.regions[*region].insts);
                let v = self.made(new, &mut insts);
                inst.regions[*region].insts = insts;
                inst.regions[*region].yields[*k] = v;
            }
        }
    }

    fn push(&mut self, kind: Kind, args: Values, data: ValueData, out: &mut Vec<Inst>) -> Value {
        let v = Value(self.func.values.len() as u32);
        self.func.values.push(data);
        let (results, span) = (Values::from_slice(&[v]), self.func.span);
        out.push(Inst { kind, args, results, regions: Vec::new(), span });
        v
    }

    fn made(&mut self, new: &New, out: &mut Vec<Inst>) -> Value {
        match new {
            New::Is(v) => *v,
            New::Zero(like) => {
                let data = self.func.data(*like).clone();
                let zero = self.made(&New::Number(0.0, *like), out);
                if data.shape.is_empty() { zero } else { self.push(Kind::Fill, [zero][..].into(), data, out) }
            }
            New::Number(x, like) => {
                let ty = self.func.ty(*like).scalar();
                self.push(Kind::Const(Const::real(*x, ty)), Values::new(), ty.into(), out)
            }
            New::Op(op, args) => {
                let args: Values = args.iter().map(|a| self.made(a, out)).collect();
                let types: Vec<_> = args.iter().map(|v| self.func.ty(*v)).collect();
                let ty = op.result_type(&types).expect("the operator looked at the types");
                self.push(Kind::Op(*op), args, ty.into(), out)
            }
            New::Raised(array, by) => {
                let data = self.func.data(*array).clone();
                let more = self.made(&New::Number(*by, *array), out);
                let zero =
                    self.push(Kind::Const(Const::I64(0)), Values::new(), adc_ir::Scalar::I64.into(), out);
                let args = [*array, more].into_iter().chain(data.shape.iter().map(|_| zero)).collect();
                self.push(Kind::AddAt, args, data, out)
            }
        }
    }
}

fn rename(r: &mut Region, to: &dyn Fn(Value) -> Value) {
    for inst in &mut r.insts {
        inst.args.iter_mut().for_each(|v| *v = to(*v));
        inst.regions.iter_mut().for_each(|r| rename(r, to));
    }
    r.yields.iter_mut().for_each(|v| *v = to(*v));
}

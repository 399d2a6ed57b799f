//! Instructions as functions of their own. So an instruction can be checked, traced and given another derivative, as
//! functions can.

use crate::coordinates::sizes;
use adc_ir::*;
use rustc_hash::{FxHashMap, FxHashSet};

/// Consecutive instructions of one region of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Window {
    pub func: FuncId,
    /// The path to the region: instruction and region in it, from the body down.
    pub path: Vec<(usize, usize)>,
    pub from: usize,
    pub to: usize,
}

impl Window {
    /// One instruction.
    pub(super) fn one(func: FuncId, path: &[(usize, usize)], at: usize) -> Window {
        Window { func, path: path.to_vec(), from: at, to: at + 1 }
    }

    pub(super) fn len(&self) -> usize {
        self.to - self.from
    }

    pub(super) fn region<'m>(&self, m: &'m Module) -> &'m Region {
        let body = m.func(self.func).region().expect("windows are of functions with instructions");
        self.path.iter().fold(body, |r, (inst, region)| &r.insts[*inst].regions[*region])
    }

    pub(super) fn insts<'m>(&self, m: &'m Module) -> &'m [Inst] {
        &self.region(m).insts[self.from..self.to]
    }
}

/// How operands become parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operands {
    /// Each by itself: the derivative of the instruction alone.
    Each,
    /// Each value once: contributions of its uses are added up inside.
    Once,
}

/// Moves the instructions into a new function and puts a call of it where they were. `None` if sizes in it depend on
/// values, or nothing in it carries a derivative. `inactive`: values that do not depend on what is differentiated.
pub(super) fn outline(
    m: &mut Module,
    w: &Window,
    operands: Operands,
    inactive: &FxHashSet<Value>,
) -> Option<FuncId> {
    let func = m.func(w.func);
    let insts = w.insts(m).to_vec();
    let constants = constants(func);
    let mut names = Copier::new(&|v| v);
    let mut values: Vec<ValueData> = Vec::new();
    let mut fresh = |data: ValueData| {
        values.push(data);
        Value(values.len() as u32 - 1)
    };
    let mut params = Vec::new();
    let mut outer = Vec::new();
    let mut head = Vec::new();
    // Separate operands are possible for a single instruction; a value used in regions or sizes is passed once in any case.
    let each = operands == Operands::Each && insts.len() == 1;
    let mut slots: Vec<Value> = Vec::new();
    if each {
        slots = insts[0].args.to_vec();
    }
    let mut free = Vec::new();
    free_values(func, &insts, &mut FxHashSet::default(), &mut free);
    let mut arg_names: Vec<Option<Value>> = Vec::new();
    let mut param = |fresh: &mut dyn FnMut(ValueData) -> Value, v: Value| -> Option<Value> {
        if let Some(c) = constants.get(&v) {
            let new = fresh(ValueData::scalar(c.scalar()));
            let kind = Kind::Const(*c);
            head.push(Inst {
                kind,
                args: Values::new(),
                results: [new].into_iter().collect(),
                regions: vec![],
                span: func.span,
            });
            return Some(new);
        }
        let data = func.data(v);
        sizes(data)?;
        let new = fresh(data.clone());
        let nodiff = inactive.contains(&v) && data.ty.is_differentiable();
        params.push(Param {
            value: new,
            name: format!("x{}", params.len()),
            role: None,
            nodiff,
            linear: false,
            domain: None,
            span: Span::NONE,
        });
        outer.push(v);
        Some(new)
    };
    for v in &slots {
        arg_names.push(Some(param(&mut fresh, *v)?));
    }
    // What else is used: for a single instruction not its operands again, unless regions or sizes use them.
    let needed: Vec<Value> = if each {
        let mut own = Vec::new();
        let mut bare = insts[0].clone();
        bare.args = Values::new();
        free_values(func, std::slice::from_ref(&bare), &mut FxHashSet::default(), &mut own);
        own
    } else {
        free
    };
    for v in needed {
        if !names.has(v) {
            let new = param(&mut fresh, v)?;
            names.name(v, new);
        }
    }
    let used = used_after(m, w);
    let func = m.func(w.func);
    // Literals are included, too: steps of loops have to be literals.
    let literal = |i: &&Inst| matches!(i.kind, Kind::Const(_));
    let literals: Vec<Inst> =
        insts.iter().filter(literal).filter(|i| used.contains(&i.results[0])).cloned().collect();
    let results: Vec<Value> = insts
        .iter()
        .filter(|i| !literal(i))
        .flat_map(|i| i.results.iter().copied())
        .filter(|v| used.contains(v) || (each && insts[0].results.len() == 1))
        .collect();
    let mut body = Region::default();
    for (k, inst) in insts.iter().enumerate() {
        let mut new = names.inst(inst, &mut |names, v| fresh(names.data(func.data(v))));
        if each && k == 0 {
            new.args = arg_names.iter().map(|v| v.expect("named above")).collect();
        }
        body.insts.push(new);
    }
    body.insts.splice(0..0, head);
    body.yields = results.iter().map(|v| names.get(*v)).collect();
    let mut decls = Vec::new();
    for (k, v) in results.iter().enumerate() {
        sizes(func.data(*v))?;
        decls.push(ResultDecl::new(format!("y{k}"), func.data(*v).clone()));
    }
    let carries = |ty: Type| ty.is_differentiable();
    let active = params.iter().any(|p| !p.nodiff && carries(values[p.value.0 as usize].ty));
    if !active || !decls.iter().any(|d| carries(d.ty)) {
        return None;
    }
    let span = insts.last()?.span;
    let new = Func {
        name: m.fresh_name(&format!("outlined {}", func.name)),
        dims: Vec::new(),
        params,
        results: decls,
        body: Body::Region(body),
        values,
        rules: Vec::new(),
        origin: func.origin,
        of_rule: func.of_rule,
        inline: false,
        fp: func.fp,
        span,
    };
    let id = m.add(new);
    let call = Inst {
        kind: Kind::Call(id),
        args: outer.into_iter().collect(),
        results: results.into_iter().collect(),
        regions: Vec::new(),
        span,
    };
    let Body::Region(body) = &mut m.funcs[w.func.0 as usize].body else { unreachable!("has instructions") };
    let region = w.path.iter().fold(body, |r, (inst, k)| &mut r.insts[*inst].regions[*k]);
    region.insts.splice(w.from..w.to, literals.into_iter().chain([call]));
    Some(id)
}

/// The literals of a function.
fn constants(func: &Func) -> FxHashMap<Value, Const> {
    fn region(r: &Region, out: &mut FxHashMap<Value, Const>) {
        for inst in &r.insts {
            if let Kind::Const(c) = inst.kind {
                out.insert(inst.results[0], c);
            }
            inst.regions.iter().for_each(|r| region(r, out));
        }
    }
    let mut out = FxHashMap::default();
    func.region().into_iter().for_each(|r| region(r, &mut out));
    out
}

/// The values that instructions use but do not define, in order of their first use.
pub(super) fn free_values(func: &Func, insts: &[Inst], defined: &mut FxHashSet<Value>, out: &mut Vec<Value>) {
    let note = |v: Value, defined: &FxHashSet<Value>, out: &mut Vec<Value>| {
        if !defined.contains(&v) && !out.contains(&v) {
            out.push(v);
        }
    };
    for inst in insts {
        inst.uses(func).for_each(|v| note(v, defined, out));
        for r in &inst.regions {
            for v in &r.params {
                func.shape(*v).iter().flat_map(Dim::vars).for_each(|v| note(v, defined, out));
            }
            defined.extend(r.params.iter().copied());
            free_values(func, &r.insts, defined, out);
            r.yields.iter().for_each(|v| note(*v, defined, out));
        }
        defined.extend(inst.results.iter().copied());
    }
}

/// What is used after a window.
fn used_after(m: &Module, w: &Window) -> FxHashSet<Value> {
    let region = w.region(m);
    let mut out = Vec::new();
    free_values(m.func(w.func), &region.insts[w.to..], &mut FxHashSet::default(), &mut out);
    out.into_iter().chain(region.yields.iter().copied()).collect()
}

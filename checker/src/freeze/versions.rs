//! Frozen versions, instruction by instruction.

use super::marks::{self, Marks};
use super::{Freezer, Parameters, Within, is_linear, linearised};
use adc_ir::*;

/// Which of the two versions of a value.
#[derive(Clone, Copy, PartialEq)]
enum Version {
    Centre,
    Displaced,
}

/// Builds one frozen version.
pub(super) struct FrozenVersions<'a> {
    freezer: &'a mut Freezer,
    m: &'a mut Module,
    func: Func,
    within: Within,
    b: Builder,
    marks: Marks,
    centre: Vec<Option<Value>>,
    displaced: Vec<Option<Value>>,
}

impl<'a> FrozenVersions<'a> {
    pub(super) fn build(
        freezer: &'a mut Freezer,
        m: &'a mut Module,
        (f, within): (FuncId, Within),
        moving: &[bool],
    ) -> Result<Func, Diagnostic> {
        let func = m.func(f).clone();
        let n = func.values.len();
        let version = freezer.versions[&(f, within, moving.to_vec())];
        let mut b = Builder::new(m.func(version).name.clone(), func.span);
        let p = Parameters::declare(&mut b, &func, moving);
        let marks = marks::of(m, (&func, within), moving, &|g| freezer.splits(within, m.func(g), g));
        let (centre, displaced) = (vec![None; n], vec![None; n]);
        let mut h = FrozenVersions { freezer, m, within, b, marks, centre, displaced, func: func.clone() };
        for (d, new) in func.dims.iter().zip(&p.dims) {
            h.displaced[d.value.0 as usize] = Some(*new);
        }
        for (i, param) in func.params.iter().enumerate() {
            h.centre[param.value.0 as usize] = Some(p.centre[i]);
            h.displaced[param.value.0 as usize] = Some(p.displaced[i]);
        }
        let body = func.region().expect("native functions freeze nothing");
        h.region(body)?;
        let outs: Vec<Value> = body.yields.iter().map(|v| h.moved(*v)).collect();
        let names = func.results.iter().map(|r| r.name.clone());
        let b = h.b;
        Ok(b.finish(names.zip(outs).collect()))
    }

    fn moves(&self, v: Value) -> bool {
        self.marks.moves[v.0 as usize]
    }

    fn at_centre(&self, v: Value) -> Value {
        if self.moves(v) { self.centre[v.0 as usize].expect("marked as needed") } else { self.moved(v) }
    }

    fn moved(&self, v: Value) -> Value {
        self.displaced[v.0 as usize].expect("defined before its use")
    }

    fn half(&self, v: Value, half: Version) -> Value {
        match half {
            Version::Centre => self.at_centre(v),
            Version::Displaced => self.moved(v),
        }
    }

    fn halves(&self, values: &[Value], half: Version) -> Vec<Value> {
        values.iter().map(|v| self.half(*v, half)).collect()
    }

    /// A size, in values of the new function.
    fn dim(&self, d: &Dim, half: Version) -> Dim {
        let centre =
            |v: Value| self.centre[v.0 as usize].filter(|_| half == Version::Centre && self.moves(v));
        d.rename(|v| centre(v).unwrap_or_else(|| self.moved(v)))
    }

    fn data(&self, v: Value, half: Version) -> ValueData {
        let data = self.func.data(v);
        ValueData { ty: data.ty, shape: data.shape.iter().map(|d| self.dim(d, half)).collect() }
    }

    fn kind(&self, kind: &Kind, half: Version) -> Kind {
        match kind {
            Kind::Size(d) => Kind::Size(Box::new(self.dim(d, half))),
            other => other.clone(),
        }
    }

    /// Appends an instruction with the results of `inst` in one version. A result may be the size of those after it.
    fn emit(&mut self, inst: &Inst, kind: Kind, args: &[Value], regions: Vec<Region>, half: Version) {
        let mut results = Values::new();
        for v in &inst.results {
            let data = self.data(*v, half);
            let new = self.b.fresh(data);
            self.define(*v, new, half);
            results.push(new);
        }
        self.b.push(Inst { kind, args: args.into(), results, regions, span: inst.span });
    }

    fn define(&mut self, v: Value, new: Value, half: Version) {
        let list = if half == Version::Centre { &mut self.centre } else { &mut self.displaced };
        list[v.0 as usize] = Some(new);
    }

    fn region(&mut self, region: &Region) -> Result<(), Diagnostic> {
        for inst in &region.insts {
            self.b.set_span(inst.span);
            self.inst(inst)?;
        }
        Ok(())
    }

    fn inst(&mut self, inst: &Inst) -> Result<(), Diagnostic> {
        let needed = inst.results.iter().any(|v| self.moves(*v) && self.marks.needed[v.0 as usize]);
        match &inst.kind {
            Kind::Op(Op::StopGradient) if self.within == Within::Function => {
                let frozen = self.at_centre(inst.args[0]);
                self.define(inst.results[0], frozen, Version::Displaced);
            }
            Kind::Const(_) | Kind::Op(_) | Kind::Size(_) | kinds!(Array) => {
                let halves =
                    if needed { &[Version::Centre, Version::Displaced][..] } else { &[Version::Displaced] };
                for &half in halves {
                    let args = self.halves(&inst.args, half);
                    let kind = self.kind(&inst.kind, half);
                    self.emit(inst, kind, &args, Vec::new(), half);
                }
            }
            Kind::Call(g) => self.call(*g, inst, needed)?,
            Kind::If | Kind::Build { .. } | Kind::Reduce(_) => {
                if needed {
                    self.copy(inst);
                }
                let args = self.halves(&inst.args, Version::Displaced);
                let mut regions = Vec::new();
                for r in &inst.regions {
                    self.open(&r.params);
                    self.region(r)?;
                    let yields = self.halves(&r.yields, Version::Displaced);
                    regions.push(self.b.close(yields));
                }
                self.b.set_span(inst.span);
                self.emit(inst, inst.kind.clone(), &args, regions, Version::Displaced);
            }
            Kind::For(_) | Kind::While(_) => {
                if needed {
                    self.copy(inst);
                }
                self.side_by_side(inst)?;
            }
            Kind::Assert(guard) => {
                let cond = self.moved(inst.args[0]);
                self.b.assert((**guard).clone(), cond);
            }
        }
        Ok(())
    }

    /// Opens a region with parameters.
    fn open(&mut self, params: &[Value]) {
        let data = params.iter().map(|v| self.data(*v, Version::Displaced)).collect();
        let new = self.b.open_with(data);
        params.iter().zip(new).for_each(|(v, new)| self.define(*v, new, Version::Displaced));
    }

    /// A loop that carries the values at the centre, where they are needed in it, after the displaced ones.
    fn side_by_side(&mut self, inst: &Inst) -> Result<(), Diagnostic> {
        let first = inst.kind.first_carry().expect("a loop with carries");
        let count = inst.args.len() - first;
        // In `for`, the index comes before the carries.
        let index = inst.regions[0].params.len() - count;
        let carry = |k: usize| inst.regions.iter().map(move |r| r.params[index + k]);
        let both: Vec<usize> = (0..count)
            .filter(|&k| carry(k).any(|v| self.moves(v) && self.marks.needed[v.0 as usize]))
            .collect();
        let mut args = self.halves(&inst.args, Version::Displaced);
        args.extend(both.iter().map(|&k| self.at_centre(inst.args[first + k])));
        let mut regions = Vec::new();
        for (i, r) in inst.regions.iter().enumerate() {
            let mut data: Vec<ValueData> =
                r.params.iter().map(|v| self.data(*v, Version::Displaced)).collect();
            data.extend(both.iter().map(|&k| self.data(r.params[index + k], Version::Centre)));
            let new = self.b.open_with(data);
            for (v, new) in r.params.iter().zip(&new) {
                self.define(*v, *new, Version::Displaced);
            }
            for (k, new) in both.iter().zip(&new[r.params.len()..]) {
                self.define(r.params[index + k], *new, Version::Centre);
            }
            self.region(r)?;
            let mut yields = self.halves(&r.yields, Version::Displaced);
            let body = i + 1 == inst.regions.len();
            if body {
                let centre: Vec<Value> = both.iter().map(|&k| self.at_centre(r.yields[k])).collect();
                yields.splice(count..count, centre);
            }
            regions.push(self.b.close(yields));
        }
        self.b.set_span(inst.span);
        let mut results = Values::new();
        for (k, v) in inst.results.iter().enumerate() {
            if k == count {
                self.unused(&both, inst, &mut results);
            }
            let data = self.data(*v, Version::Displaced);
            let new = self.b.fresh(data);
            self.define(*v, new, Version::Displaced);
            results.push(new);
        }
        if inst.results.len() == count {
            self.unused(&both, inst, &mut results);
        }
        let kind = inst.kind.clone();
        self.b.push(Inst { kind, args: args.into(), results, regions, span: inst.span });
        Ok(())
    }

    /// The last values at the centre: an instruction that needs them has a loop of its own ([`Self::copy`]).
    fn unused(&mut self, carries: &[usize], inst: &Inst, results: &mut Values) {
        for &k in carries {
            let data = self.data(inst.results[k], Version::Centre);
            results.push(self.b.fresh(data));
        }
    }

    fn call(&mut self, g: FuncId, inst: &Inst, needed: bool) -> Result<(), Diagnostic> {
        let callee = self.m.func(g);
        let (linear, inside) = (is_linear(callee), self.within.enter(callee));
        let splits = self.freezer.splits(self.within, callee, g);
        let frozen = |p: &Param| p.nodiff && self.within == Within::Function;
        let nodiff: Vec<bool> = callee.params.iter().map(frozen).collect();
        let (dims, params) = inst.args.split_at(callee.dims.len());
        let dims = self.halves(dims, Version::Displaced);
        let displaced: Vec<Value> = (params.iter().zip(&nodiff))
            .map(|(v, frozen)| if *frozen { self.at_centre(*v) } else { self.moved(*v) })
            .collect();
        let centre = match needed || splits {
            true => self.halves(params, Version::Centre),
            false => Vec::new(),
        };
        if needed {
            self.emit(inst, inst.kind.clone(), &[&dims[..], &centre].concat(), Vec::new(), Version::Centre);
        }
        if linear {
            let outs = linearised(self.m, &mut self.b, g, &dims, &centre, &displaced)?;
            inst.results.iter().zip(outs).for_each(|(v, new)| self.define(*v, new, Version::Displaced));
        } else if splits && centre != displaced {
            let moving: Vec<bool> = centre.iter().zip(&displaced).map(|(c, d)| c != d).collect();
            let mut args = [&dims[..], &centre].concat();
            args.extend(displaced.iter().zip(&moving).filter(|(_, moves)| **moves).map(|(d, _)| *d));
            let version = self.freezer.version(self.m, (g, inside, moving));
            self.emit(inst, Kind::Call(version), &args, Vec::new(), Version::Displaced);
        } else {
            let args = [&dims[..], &displaced].concat();
            self.emit(inst, Kind::Call(g), &args, Vec::new(), Version::Displaced);
        }
        Ok(())
    }

    /// The instruction with its regions, at the centre, without assertions.
    fn copy(&mut self, inst: &Inst) {
        let FrozenVersions { b, func, marks, centre, displaced, .. } = self;
        // Of a value that does not move both are one, and sizes may do without the centre.
        let outside = |v: Value| {
            let v = v.0 as usize;
            centre[v].filter(|_| marks.moves[v]).or(displaced[v]).expect("defined before its use")
        };
        let mut copier = Copier::new(&outside);
        let new = copier.inst(&without_assertions(inst), &mut |names, v| b.fresh(names.data(func.data(v))));
        b.push(new.clone());
        for (v, new) in inst.results.iter().zip(&new.results) {
            self.define(*v, *new, Version::Centre);
        }
    }
}

fn without_assertions(inst: &Inst) -> Inst {
    fn region(r: &Region) -> Region {
        let stays = |i: &&Inst| !matches!(i.kind, Kind::Assert(_));
        Region { insts: r.insts.iter().filter(stays).map(without_assertions).collect(), ..r.clone() }
    }
    Inst { regions: inst.regions.iter().map(region).collect(), ..inst.clone() }
}

//! What differs between centre and displaced point, and what is needed at the centre.

use super::{Within, is_linear};
use adc_ir::*;
use rustc_hash::FxHashSet;

/// By value of a function.
pub(super) struct Marks {
    /// Whether it differs between centre and displaced point.
    pub moves: Vec<bool>,
    /// Whether it is needed at the centre, too. Only meaningful for values that differ.
    pub needed: Vec<bool>,
}

/// `moving` are the displaced parameters; `splits` says whether calls of a function take both centre and displaced
/// arguments.
pub(super) fn of(
    m: &Module,
    (func, within): (&Func, Within),
    moving: &[bool],
    splits: &dyn Fn(FuncId) -> bool,
) -> Marks {
    let n = func.values.len();
    let marks = Marks { moves: vec![false; n], needed: vec![false; n] };
    let mut marker = Marker { m, splits, within, marks };
    for (p, moves) in func.params.iter().zip(moving) {
        marker.marks.moves[p.value.0 as usize] = *moves;
    }
    if let Some(body) = func.region() {
        marker.moving(body);
        marker.needed(body);
    }
    marker.marks
}

struct Marker<'a> {
    m: &'a Module,
    splits: &'a dyn Fn(FuncId) -> bool,
    within: Within,
    marks: Marks,
}

impl Marker<'_> {
    fn moves(&self, v: Value) -> bool {
        self.marks.moves[v.0 as usize]
    }

    fn any_moves(&self, values: &[Value]) -> bool {
        values.iter().any(|v| self.moves(*v))
    }

    fn moving(&mut self, region: &Region) {
        for inst in &region.insts {
            let any = self.any_moves(&inst.args);
            let all: Vec<bool> = match &inst.kind {
                Kind::Const(_) => vec![false],
                Kind::Op(Op::StopGradient) => vec![any && self.within == Within::Rule],
                Kind::Size(d) => vec![d.vars().any(|v| self.moves(v))],
                Kind::Op(_) | kinds!(Array) => vec![any],
                Kind::Call(g) => {
                    let callee = self.m.func(*g);
                    let (dims, args) = inst.args.split_at(callee.dims.len());
                    let freezes = |p: &Param| p.nodiff && self.within == Within::Function;
                    let mut args = args.iter().zip(&callee.params).filter(|(_, p)| !freezes(p));
                    let any = self.any_moves(dims) || args.any(|(a, _)| self.moves(*a));
                    let discrete = is_linear(callee);
                    callee.results.iter().map(|r| any && (!discrete || r.ty.is_differentiable())).collect()
                }
                Kind::If | Kind::Build { .. } | Kind::Reduce(_) => {
                    inst.regions.iter().for_each(|r| self.moving(r));
                    let yields = |k: usize| inst.regions.iter().any(|r| self.moves(r.yields[k]));
                    (0..inst.results.len()).map(|k| any || yields(k)).collect()
                }
                Kind::For(_) | Kind::While(_) => self.moving_loop(inst),
                Kind::Assert(_) => Vec::new(),
            };
            for (v, moves) in inst.results.iter().zip(all) {
                self.marks.moves[v.0 as usize] = moves;
            }
        }
    }

    /// The carries differ if their initial values do, or if an iteration makes them differ.
    fn moving_loop(&mut self, inst: &Inst) -> Vec<bool> {
        let first = inst.kind.first_carry().expect("a loop with carries");
        let count = inst.args.len() - first;
        let body = inst.regions.last().expect("a loop has a body");
        let index = body.params.len() - count;
        let mut carries: Vec<bool> = inst.args[first..].iter().map(|v| self.moves(*v)).collect();
        loop {
            for r in &inst.regions {
                for (v, moves) in r.params[index..].iter().zip(&carries) {
                    self.marks.moves[v.0 as usize] = *moves;
                }
            }
            inst.regions.iter().for_each(|r| self.moving(r));
            let next: Vec<bool> =
                carries.iter().zip(&body.yields).map(|(c, y)| *c || self.moves(*y)).collect();
            if next == carries {
                break;
            }
            carries = next;
        }
        // Whether the number of iterations may differ.
        let iterations = match inst.kind {
            Kind::While(_) => self.moves(inst.regions[0].yields[0]),
            _ => self.any_moves(&inst.args[..first]),
        };
        let counted = inst.results.len() - body.yields.len();
        let others = body.yields[count..].iter().map(|y| iterations || self.moves(*y));
        let carries = carries.into_iter().map(|c| iterations || c);
        // A `while` that collects also gives the number of iterations.
        carries.chain((0..counted).map(|_| iterations)).chain(others).collect()
    }

    /// Backwards.
    fn needed(&mut self, region: &Region) {
        for inst in region.insts.iter().rev() {
            let result_needed = inst.results.iter().any(|v| self.marks.needed[v.0 as usize]);
            match &inst.kind {
                Kind::Op(Op::StopGradient) if self.within == Within::Function => self.need(&inst.args),
                Kind::Size(d) => {
                    if result_needed {
                        self.need(&d.vars().collect::<Vec<_>>());
                    }
                }
                Kind::Op(_) | kinds!(Array) => {
                    if result_needed {
                        self.need(&inst.args);
                    }
                }
                Kind::Call(g) => {
                    let callee = self.m.func(*g);
                    if result_needed || (self.splits)(*g) {
                        self.need(&inst.args);
                    } else if self.within == Within::Function {
                        let args = inst.args[callee.dims.len()..].iter().zip(&callee.params);
                        let nodiff: Vec<Value> = args.filter(|(_, p)| p.nodiff).map(|(a, _)| *a).collect();
                        self.need(&nodiff);
                    }
                }
                Kind::If | kinds!(Loop) => {
                    if result_needed {
                        self.need(&inst.args);
                        inst.regions.iter().for_each(|r| self.captured(r, &mut FxHashSet::default()));
                    }
                    match inst.kind.first_carry() {
                        Some(first) => self.needed_in_loop(inst, first),
                        None => inst.regions.iter().for_each(|r| self.needed(r)),
                    }
                }
                Kind::Const(_) | Kind::Assert(_) => {}
            }
        }
    }

    /// A carry that is needed at the centre in one iteration is needed in all of them, and initially.
    fn needed_in_loop(&mut self, inst: &Inst, first: usize) {
        let count = inst.args.len() - first;
        let body = inst.regions.last().expect("a loop has a body");
        let index = body.params.len() - count;
        loop {
            inst.regions.iter().rev().for_each(|r| self.needed(r));
            let mut changed = false;
            for k in 0..count {
                let params: Vec<Value> = inst.regions.iter().map(|r| r.params[index + k]).collect();
                let wanted = params.iter().any(|v| self.marks.needed[v.0 as usize]);
                if wanted && self.moves(params[0]) && !self.marks.needed[body.yields[k].0 as usize] {
                    self.need(&[body.yields[k]]);
                    changed = true;
                }
                if wanted {
                    self.need(&params);
                    self.need(&[inst.args[first + k]]);
                }
            }
            if !changed {
                return;
            }
        }
    }

    fn need(&mut self, values: &[Value]) {
        for v in values {
            self.marks.needed[v.0 as usize] = true;
        }
    }

    /// The captured values of a region: its copy at the centre is made as a whole.
    fn captured(&mut self, region: &Region, inside: &mut FxHashSet<Value>) {
        inside.extend(&region.params);
        for inst in &region.insts {
            inst.args.iter().for_each(|v| self.outer(*v, inside));
            if let Kind::Size(d) = &inst.kind {
                d.vars().for_each(|v| self.outer(v, inside));
            }
            inst.regions.iter().for_each(|r| self.captured(r, inside));
            inside.extend(&inst.results);
        }
        region.yields.iter().for_each(|v| self.outer(*v, inside));
    }

    fn outer(&mut self, v: Value, inside: &FxHashSet<Value>) {
        if !inside.contains(&v) {
            self.marks.needed[v.0 as usize] = true;
        }
    }
}

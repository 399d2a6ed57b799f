//! Numbers that the reverse of a loop gets are computed and collected in the loop.

use super::numbering::Numbering;
use super::survey::{Axis, Survey, turns};
use super::{Sizes, merge, scan};
use adc_ir::{Copier, Func, Inst, Kind, Loop, Region, Span, Value, Values};
use rustc_hash::FxHashMap;

/// Numbers that one nest of loops inside the first loop computes.
pub(super) struct Group {
    /// Before which instruction of that loop: where all it reads is there, and behind what computes parts of it already.
    at: usize,
    axes: Vec<Axis>,
    /// What they are computed from, and they, in order.
    parts: Vec<Part>,
    /// Each with a value of the reverse that is the iteration.
    numbers: Vec<(Value, Value)>,
}

/// An instruction of the reverse.
struct Part {
    inst: Inst,
    /// In how many loops of the nest it has to be.
    depth: usize,
    from: From,
}

enum From {
    /// The iteration itself.
    Index,
    /// What it reads at an iteration of an array is this, in the loop.
    Kept(Value),
    /// Other numbers.
    Numbers,
}

/// Where the numbers are computed that the reverse does not read from whole arrays anyway. Nothing if that would read an array behind the
/// place where it is updated, or if there are none.
pub(super) fn groups(
    survey: &Survey,
    stored: &[Value],
    forward: &Inst,
    numbering: &Numbering,
    f: &Func,
) -> Option<Vec<Group>> {
    let body = &forward.regions[0];
    let mut made: FxHashMap<Value, usize> = FxHashMap::default();
    for (k, inst) in body.insts.iter().enumerate() {
        made.extend(inst.results.iter().map(|v| (*v, k + 1)));
    }
    // By array: how many numbers of it are read.
    let mut read: FxHashMap<Value, u64> = FxHashMap::default();
    for node in stored.iter().map(|v| &survey.nodes[v]) {
        if let Some(array) = node.array {
            *read.entry(array).or_default() += node.turns();
        }
    }
    let whole = |a: &Value| survey.pinned.contains(a) || read[a] >= turns(&f.shape(*a)[1..]);
    let mut groups: Vec<Group> = Vec::new();
    for v in stored {
        let node = &survey.nodes[v];
        if node.array.is_some_and(|a| whole(&a)) {
            continue;
        }
        let cone = survey.cone(&[*v]);
        let arrays: Vec<Value> =
            cone.iter().filter_map(|v| survey.nodes[v].array).map(|a| survey.kept[&a]).collect();
        let place = |v: &Value| made.get(v).copied().unwrap_or(0);
        let computed = cone.iter().filter_map(|v| Some(numbering.place(*v)? + 1));
        let at = arrays.iter().map(place).chain(computed).max().unwrap_or(0);
        let first = arrays.iter().map(place).min().unwrap_or(0);
        if body.insts[first..at].iter().any(|i| scan::consumed(i, &arrays)) {
            return None;
        }
        let turn = cone.iter().find_map(|v| match survey.nodes[v].array {
            Some(_) => Some(survey.nodes[v].inst.args[1]),
            None => survey.is_turn(*v).then_some(*v),
        })?;
        match groups.iter_mut().find(|g| g.at == at && g.axes == node.axes) {
            Some(group) => group.numbers.push((*v, turn)),
            None => {
                let (axes, numbers) = (node.axes.clone(), vec![(*v, turn)]);
                groups.push(Group { at, axes, parts: Vec::new(), numbers });
            }
        }
    }
    for group in &mut groups {
        let numbers: Vec<Value> = group.numbers.iter().map(|(v, _)| *v).collect();
        group.parts = survey.cone(&numbers).into_iter().map(|v| part(survey, v, &group.axes)).collect();
    }
    groups.sort_by_key(|g| g.at);
    (!groups.is_empty()).then_some(groups)
}

fn part(survey: &Survey, v: Value, axes: &[Axis]) -> Part {
    let node = &survey.nodes[&v];
    let depth = axes.iter().rposition(|a| node.axes.contains(a)).map_or(0, |k| k + 1);
    let from = match node.array {
        Some(array) => From::Kept(survey.kept[&array]),
        None if survey.is_turn(v) => From::Index,
        None => From::Numbers,
    };
    Part { inst: node.inst.clone(), depth, from }
}

/// Lets the first loop collect numbers, and its reverse read them.
pub(super) fn apply(
    r: &mut Region,
    [first, second]: [usize; 2],
    groups: Vec<Group>,
    f: &mut Func,
    sizes: &Sizes,
) {
    let forward = &mut r.insts[first];
    let Kind::For(l) = forward.kind else { unreachable!("it is a loop") };
    let n = f.shape(*forward.results.last().expect("it collects"))[0].clone();
    let body = &mut forward.regions[0];
    let mut rest = std::mem::take(&mut body.insts).into_iter();
    let mut at = 0;
    let mut reads: FxHashMap<Value, Values> = FxHashMap::default();
    for group in groups {
        body.insts.extend(rest.by_ref().take(group.at - at));
        at = group.at;
        // A loop that computes parts of it already computes the rest, too.
        let before = body.insts.last().filter(|i| matches!(i.kind, Kind::For(_)));
        let range = before.map(|i| [0, 1, 2].map(|k| i.args[k]));
        let mut make = Make { group: &group, index: body.params[0], f, span: forward.span, sizes, range };
        let made = make.nest(0, &mut Copier::new(&|v| v), &mut body.insts);
        let loops = body.insts.len();
        if range.is_some() && group.axes.len() == 1 {
            merge::pair(body, [loops - 2, loops - 1], f, &sizes.known, sizes.asserting);
        }
        for (v, (number, turn)) in made.into_iter().zip(&group.numbers) {
            let array = f.fresh(f.data(v).outer(std::slice::from_ref(&n)));
            body.yields.push(v);
            forward.results.push(array);
            let indices = group.axes.iter().map(|a| a.index);
            reads.insert(*number, [array, *turn].into_iter().chain(indices).collect());
        }
    }
    body.insts.extend(rest);
    forward.kind = Kind::For(Loop { collects: l.collects + reads.len() as u32, ..l });
    read(&mut r.insts[second].regions[0], &reads);
}

/// Reads numbers in the place of computing them.
fn read(r: &mut Region, reads: &FxHashMap<Value, Values>) {
    for inst in &mut r.insts {
        if let Some(args) = inst.results.first().and_then(|v| reads.get(v)) {
            (inst.kind, inst.args) = (Kind::Index, args.clone());
        }
        inst.regions.iter_mut().for_each(|r| read(r, reads));
    }
}

/// Writes a group.
struct Make<'a> {
    group: &'a Group,
    /// Of the first loop.
    index: Value,
    f: &'a mut Func,
    span: Span,
    sizes: &'a Sizes<'a>,
    /// Of the loop before it.
    range: Option<[Value; 3]>,
}

impl Make<'_> {
    /// What is in so many loops of the nest, and the rest in loops; the numbers, as arrays along those.
    fn nest(&mut self, depth: usize, copier: &mut Copier, out: &mut Vec<Inst>) -> Vec<Value> {
        for part in self.group.parts.iter().filter(|p| p.depth == depth) {
            self.part(part, copier, out);
        }
        let Some(axis) = self.group.axes.get(depth) else {
            return self.group.numbers.iter().map(|(v, _)| copier.get(*v)).collect();
        };
        let range = [0.into(), axis.n.clone(), 1.into()];
        let near = self.range.filter(|near| near.map(|v| self.sizes.known.dim(v)) == range);
        let range = near.unwrap_or_else(|| range.map(|d| merge::number(&d, self.f, out, self.span)));
        let index = self.f.fresh(self.f.data(axis.index).clone());
        copier.name(axis.index, index);
        let mut insts = Vec::new();
        let yields = self.nest(depth + 1, copier, &mut insts);
        let array = |v: &Value| self.f.fresh(self.f.data(*v).outer(std::slice::from_ref(&axis.n)));
        let results: Values = yields.iter().map(array).collect();
        let kind = Kind::For(Loop::collecting(yields.len()));
        let regions = vec![Region { params: vec![index], insts, yields }];
        out.push(Inst {
            kind,
            args: range.into_iter().collect(),
            results: results.clone(),
            regions,
            span: self.span,
        });
        results.to_vec()
    }

    fn part(&mut self, part: &Part, copier: &mut Copier, out: &mut Vec<Inst>) {
        let v = part.inst.results[0];
        let mut inst = part.inst.clone();
        match part.from {
            From::Index => return copier.name(v, self.index),
            From::Kept(kept) if inst.args.len() == 2 => return copier.name(v, kept),
            From::Kept(kept) => {
                inst.args.remove(1);
                inst.args[0] = kept;
            }
            From::Numbers => {}
        }
        let f = &mut *self.f;
        out.push(copier.inst(&inst, &mut |names, v| f.fresh(names.data(f.data(v)))));
    }
}

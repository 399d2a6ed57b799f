//! Tangents and cotangents: values that may be structurally absent, also depending on a condition at run time,
//! and the linear maps that the rule table makes of them.
//!
//! A selection makes a contribution that exists on one side only. It is kept as the value together with its
//! [`Mask`], and the linear maps that follow act on the value alone; the zero of the other side is put in where
//! contributions meet that do not share the mask, or where the value leaves. So the side not taken has no
//! effect, not even 0·∞ = NaN from a partial that is infinite there.

use crate::emit::{Emitter, Ex, Operands};
use crate::fold;
use crate::formula::Formula;
use crate::rules::Partial;
use adc_ir::{Const, Op, Type, Value, ValueData};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Conditions under which a value is there, sorted, each with the truth it must have. Empty: always.
pub(crate) type Mask = SmallVec<[(Value, bool); 2]>;

/// A tangent or cotangent. It may be of real type where its primal is a complex scalar: its imaginary part is
/// structurally zero then. Those of an array have the array's type.
#[derive(Clone, Debug)]
pub(crate) struct Lin {
    pub(crate) x: Ex,
    pub(crate) mask: Mask,
}

/// More conditions than this on one value are joined into one, so that a long chain of selections stays linear.
const LONGEST_MASK: usize = 4;

/// Complementary masks are looked for among this many groups of contributions: the two sides of a selection,
/// of one or two operands.
const GROUPS_TO_PAIR: usize = 6;

impl Lin {
    pub(crate) fn always(x: Ex) -> Lin {
        Lin { x, mask: Mask::new() }
    }
}

impl Emitter {
    /// The linear map of `partial` applied to a tangent of its operand: the contribution to that of the result.
    pub(crate) fn push_forward(
        &mut self,
        partial: &Partial,
        on: &Operands,
        result: Type,
        t: &Lin,
    ) -> Option<Lin> {
        self.mapped(partial, on, t, &mut |em, p, x| match p {
            Partial::Convert => Some(em.converted(x, result)),
            Partial::D(f) | Partial::Holo(f) => em.times(f, x, on, false),
            Partial::Pair { w, cw } => {
                let straight = em.times(w, x, on, false);
                let conj = em.conj(x);
                let turned = em.times(cw, conj, on, false);
                em.sum_of(straight, turned)
            }
            Partial::Grad(g) => em.dot(g, x, on),
            Partial::Rank1 { u, v } => {
                let along = em.dot(v, x, on)?;
                em.times(u, along, on, false)
            }
            Partial::Zero | Partial::Mask(..) => unreachable!("taken apart by `mapped`"),
        })
    }

    /// The adjoint map applied to a cotangent of the result: the contribution to that of the operand.
    pub(crate) fn pull_back(
        &mut self,
        partial: &Partial,
        on: &Operands,
        operand: Type,
        g: &Lin,
    ) -> Option<Lin> {
        self.mapped(partial, on, g, &mut |em, p, y| match p {
            Partial::Convert => Some(em.converted(y, operand)),
            Partial::D(f) => em.dot(f, y, on),
            Partial::Holo(f) => em.times(f, y, on, true),
            Partial::Pair { w, cw } => {
                let straight = em.times(w, y, on, true);
                let conj = em.conj(y);
                let turned = em.times(cw, conj, on, false);
                em.sum_of(straight, turned)
            }
            Partial::Grad(g) => em.times(g, y, on, false),
            Partial::Rank1 { u, v } => {
                let along = em.dot(u, y, on)?;
                em.times(v, along, on, false)
            }
            Partial::Zero | Partial::Mask(..) => unreachable!("taken apart by `mapped`"),
        })
    }

    /// Applies `leaf` to the alternatives of a masked partial and selects between the products.
    fn mapped(
        &mut self,
        partial: &Partial,
        on: &Operands,
        t: &Lin,
        leaf: &mut dyn FnMut(&mut Emitter, &Partial, Ex) -> Option<Ex>,
    ) -> Option<Lin> {
        match partial {
            Partial::Zero => None,
            Partial::Mask(cond, p, q) => {
                let cond = self.formula(cond, on);
                if let Some(known) = fold::truth(cond) {
                    return self.mapped(if known { p } else { q }, on, t, leaf);
                }
                let bare = Lin::always(t.x);
                let (p, q) = (self.mapped(p, on, &bare, leaf), self.mapped(q, on, &bare, leaf));
                let cond = self.value(cond);
                let sides = [(p, true), (q, false)];
                let sides =
                    sides.into_iter().filter_map(|(side, truth)| self.masked(side?, &[(cond, truth)]));
                let sides = sides.collect();
                let lin = self.sum(sides)?;
                self.masked(lin, &t.mask)
            }
            Partial::Convert
            | Partial::D(_)
            | Partial::Holo(_)
            | Partial::Pair { .. }
            | Partial::Grad(_)
            | Partial::Rank1 { .. } => Some(Lin { x: leaf(self, partial, t.x)?, mask: t.mask.clone() }),
        }
    }

    /// f·t, or conj(f)·t. The tangent is pulled into products and quotients, which saves a division and keeps
    /// intermediate results in range: 1/b is t/b, y² is y·(y·t).
    fn times(&mut self, f: &Formula, t: Ex, on: &Operands, conj: bool) -> Option<Ex> {
        Some(match f {
            Formula::Num(0.0) => return None,
            Formula::I => {
                let turned = self.times_i(t);
                if conj { self.op(Op::Neg, &[turned]) } else { turned }
            }
            Formula::Op(Op::Neg, args) => {
                let t = self.times(&args[0], t, on, conj)?;
                self.op(Op::Neg, &[t])
            }
            Formula::Op(Op::Mul, args) => {
                let t = self.times(&args[1], t, on, conj)?;
                self.times(&args[0], t, on, conj)?
            }
            Formula::Op(Op::Recip, args) => {
                let d = self.formula(&args[0], on);
                let d = if conj { self.conj(d) } else { d };
                self.op(Op::Div, &[t, d])
            }
            Formula::X(_)
            | Formula::Y
            | Formula::Num(_)
            | Formula::Int(_)
            | Formula::Smallest
            | Formula::Real(_)
            | Formula::If(_)
            | Formula::Op(..) => {
                let f = self.formula(f, on);
                let f = if conj { self.conj(f) } else { f };
                self.op(Op::Mul, &[f, t])
            }
        })
    }

    /// Re(conj(f)·t), of which nothing else is computed; absent if it is structurally zero.
    fn dot(&mut self, f: &Formula, t: Ex, on: &Operands) -> Option<Ex> {
        if !self.is_complex(t) && !matches!(f, Formula::I) {
            let x = self.times(f, t, on, false)?;
            return Some(if self.is_complex(x) { self.op(Op::Re, &[x]) } else { x });
        }
        match f {
            // Re(conj(i)·t) = Im t
            Formula::I => self.is_complex(t).then(|| self.op(Op::Im, &[t])),
            Formula::Op(Op::Neg, args) => {
                let x = self.dot(&args[0], t, on)?;
                Some(self.op(Op::Neg, &[x]))
            }
            // Re(conj(i·g)·t) = Im(conj(g)·t)
            Formula::Op(Op::Mul, args) if args[0] == Formula::I => {
                let g = self.formula(&args[1], on);
                let (gr, tr, ti) = (self.op(Op::Re, &[g]), self.op(Op::Re, &[t]), self.op(Op::Im, &[t]));
                let cross = self.op(Op::Mul, &[gr, ti]);
                if !self.is_complex(g) {
                    return Some(cross);
                }
                let gi = self.op(Op::Im, &[g]);
                let other = self.op(Op::Mul, &[gi, tr]);
                Some(self.op(Op::Sub, &[cross, other]))
            }
            _ => {
                let g = self.formula(f, on);
                let (tr, ti) = (self.op(Op::Re, &[t]), self.op(Op::Im, &[t]));
                if !self.is_complex(g) {
                    return Some(self.op(Op::Mul, &[g, tr]));
                }
                let (gr, gi) = (self.op(Op::Re, &[g]), self.op(Op::Im, &[g]));
                let (a, b) = (self.op(Op::Mul, &[gr, tr]), self.op(Op::Mul, &[gi, ti]));
                Some(self.op(Op::Add, &[a, b]))
            }
        }
    }

    pub(crate) fn conj(&mut self, x: Ex) -> Ex {
        if self.is_complex(x) { self.op(Op::Conj, &[x]) } else { x }
    }

    fn sum_of(&mut self, a: Option<Ex>, b: Option<Ex>) -> Option<Ex> {
        match (a, b) {
            (Some(a), Some(b)) => Some(self.add(a, b)),
            (a, b) => a.or(b),
        }
    }

    /// A tangent in the precision of `like`; a real one of a complex primal stays real.
    fn converted(&mut self, x: Ex, like: Type) -> Ex {
        let (from, to) = (self.scalar(x), like.scalar());
        match (from.is_single(), to.is_single()) {
            (a, b) if a == b => x,
            _ if from.is_complex() => self.op(Op::ToC, &[x]),
            (false, true) => self.op(Op::ToF32, &[x]),
            _ => self.op(Op::ToF64, &[x]),
        }
    }

    /// The sum of contributions. Those that share a mask are added under it; the two sides of a condition become
    /// one selection; what is left of different masks is summed with explicit zeros, and is there where one of
    /// them is.
    pub(crate) fn sum(&mut self, terms: Vec<Lin>) -> Option<Lin> {
        let mut groups = self.grouped(terms);
        self.join_sides(&mut groups);
        if groups.len() < 2 {
            return groups.pop();
        }
        let mut common = groups[0].mask.clone();
        common.retain(|c| groups.iter().all(|g| g.mask.contains(c)));
        let mut present: Option<Ex> = None;
        let always = groups.iter().any(|g| g.mask == common);
        let mut total: Option<Ex> = None;
        for group in groups {
            if !always {
                let extra: Mask = group.mask.iter().copied().filter(|c| !common.contains(c)).collect();
                let all = self.conjunction(&extra);
                present = Some(match present {
                    Some(p) => self.op(Op::Or, &[p, all]),
                    None => all,
                });
            }
            let x = self.resolved(&group, &common);
            total = self.sum_of(total, Some(x));
        }
        let lin = Lin { x: total?, mask: common };
        match present {
            Some(p) => {
                let p = self.value(p);
                self.masked(lin, &[(p, true)])
            }
            None => Some(lin),
        }
    }

    /// The terms added up by mask, in order of first appearance.
    fn grouped(&mut self, terms: Vec<Lin>) -> Vec<Lin> {
        let mut groups: Vec<Lin> = Vec::new();
        let mut index: FxHashMap<Mask, usize> = FxHashMap::default();
        for term in terms {
            match index.get(&term.mask) {
                Some(&i) => groups[i].x = self.add(groups[i].x, term.x),
                None => {
                    index.insert(term.mask.clone(), groups.len());
                    groups.push(term);
                }
            }
        }
        groups
    }

    /// Merges pairs of groups whose masks differ in the truth of one condition only.
    fn join_sides(&mut self, groups: &mut Vec<Lin>) {
        if groups.len() > GROUPS_TO_PAIR {
            return;
        }
        let pair = |groups: &[Lin]| {
            (0..groups.len()).find_map(|j| {
                (0..j).find_map(|i| complementary(&groups[i].mask, &groups[j].mask).map(|cond| (i, j, cond)))
            })
        };
        while let Some((i, j, cond)) = pair(groups) {
            let other = groups.remove(j);
            let at = groups[i].mask.iter().position(|(c, _)| *c == cond).expect("the mask has the condition");
            let (_, truth) = groups[i].mask.remove(at);
            let (mut yes, mut no) = if truth { (groups[i].x, other.x) } else { (other.x, groups[i].x) };
            (yes, no) = self.of_one_type(yes, no);
            groups[i].x = self.selected(cond, Some(yes), Some(no));
            if let Some(k) = (0..groups.len()).find(|&k| k != i && groups[k].mask == groups[i].mask) {
                let (low, high) = (i.min(k), i.max(k));
                let term = groups.remove(high);
                groups[low].x = self.add(groups[low].x, term.x);
            }
        }
    }

    /// Both operands complex if one is.
    fn of_one_type(&mut self, a: Ex, b: Ex) -> (Ex, Ex) {
        let complex = [a, b].into_iter().map(|x| self.scalar(x)).find(|s| s.is_complex());
        match complex {
            Some(s) => {
                let ty = Type::Scalar(s);
                (Ex::Val(self.promoted(a, ty)), Ex::Val(self.promoted(b, ty)))
            }
            None => (a, b),
        }
    }

    /// A result of an `if` on `cond` that has a contribution in some of its branches and 0 in the others.
    pub(crate) fn joined_branches(
        &mut self,
        x: Value,
        mask: &Mask,
        cond: Value,
        present: [bool; 2],
    ) -> Option<Lin> {
        let lin = Lin { x: Ex::Val(x), mask: mask.clone() };
        match present {
            [false, false] => None,
            [true, true] => Some(lin),
            [truth, _] => {
                self.note_zero_unless(x, cond, truth);
                self.masked(lin, &[(cond, truth)])
            }
        }
    }

    /// The same value under further conditions; `None` if they contradict those it has.
    pub(crate) fn masked(&mut self, mut lin: Lin, conditions: &[(Value, bool)]) -> Option<Lin> {
        for &(cond, truth) in conditions {
            if lin.mask.contains(&(cond, !truth)) {
                return None;
            }
            if let Err(at) = lin.mask.binary_search(&(cond, truth)) {
                lin.mask.insert(at, (cond, truth));
            }
        }
        if lin.mask.len() > LONGEST_MASK {
            let all = self.conjunction(&lin.mask.clone());
            lin.mask = Mask::from_slice(&[(self.value(all), true)]);
        }
        Some(lin)
    }

    /// Whether all conditions hold.
    pub(crate) fn conjunction(&mut self, mask: &[(Value, bool)]) -> Ex {
        let mut all = Ex::Const(Const::Bool(true));
        for &(cond, truth) in mask {
            let c = if truth { Ex::Val(cond) } else { self.op(Op::Not, &[Ex::Val(cond)]) };
            all = self.op(Op::And, &[all, c]);
        }
        all
    }

    /// The value with zeros put in for the conditions that are not in `keep`.
    pub(crate) fn resolved(&mut self, lin: &Lin, keep: &[(Value, bool)]) -> Ex {
        let mut x = lin.x;
        for &(cond, truth) in lin.mask.iter().filter(|c| !keep.contains(c)) {
            if self.is_zero_unless(x, (cond, truth)) {
                continue;
            }
            let (yes, no) = if truth { (Some(x), None) } else { (None, Some(x)) };
            x = self.selected(cond, yes, no);
        }
        x
    }

    /// The tangent or cotangent as such a value, zero where it is absent.
    pub(crate) fn dense(&mut self, lin: Option<&Lin>, data: &ValueData) -> Value {
        match lin {
            None => self.zero(data),
            Some(lin) => {
                let x = self.resolved(lin, &[]);
                self.promoted(x, data.ty)
            }
        }
    }

    /// Several of them for a callee or a region, which take no masks: as such values, and the mask that all of them have
    /// in common and the outcome therefore has.
    pub(crate) fn dense_list(&mut self, lins: &[Option<Lin>], like: &[ValueData]) -> (Vec<Value>, Mask) {
        let mut common: Option<Mask> = None;
        for lin in lins.iter().flatten() {
            match &mut common {
                None => common = Some(lin.mask.clone()),
                Some(common) => common.retain(|c| lin.mask.contains(c)),
            }
        }
        let common = common.unwrap_or_default();
        let values = lins
            .iter()
            .zip(like)
            .map(|(lin, data)| match lin {
                None => self.zero(data),
                Some(lin) => {
                    let x = self.resolved(lin, &common);
                    self.promoted(x, data.ty)
                }
            })
            .collect();
        (values, common)
    }
}

/// The condition in whose truth alone two masks differ.
fn complementary(a: &Mask, b: &Mask) -> Option<Value> {
    if a.len() != b.len() {
        return None;
    }
    let mut differing = a.iter().zip(b).filter(|(x, y)| x != y);
    match (differing.next(), differing.next()) {
        (Some(((c, s), (d, t))), None) if c == d && s != t => Some(*c),
        _ => None,
    }
}

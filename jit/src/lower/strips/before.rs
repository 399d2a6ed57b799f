//! Values that others have for the element before: what stencils compute for an element and for its neighbour.
//!
//! A back end may take them from the vector before, so that nothing is computed twice (predictive commoning: O'Brien, *Predictive
//! commoning: a method of optimizing loops containing references to consecutive array elements*, 1990).

use super::strip::*;
use rustc_hash::FxHashMap;

/// Largest strip that is looked at.
const LONGEST: usize = 400;
/// Operations that a value has to save, at least: to take it from the vector before is a shuffle and a copy, which wait for neither products nor
/// memory.
const LEAST: usize = 2;
/// What a division counts as, or a square root.
const SLOW: usize = 8;

/// A strip, and what in it is had from the element before.
#[derive(Clone, Debug)]
pub(crate) struct Before {
    /// The strip in an order in which a value comes behind the one that it is taken from.
    pub strip: Strip,
    /// Values, and those that they are for the element before, in order.
    pub of: Vec<(V, V)>,
    /// By operation: whether something needs it where those are taken from the element before.
    pub needed: Vec<bool>,
    /// By operation: whether it computes such a value of the first element.
    pub first: Vec<bool>,
}

impl Strip {
    /// At most so many values that are better taken from the element before; `None` if there are none.
    pub(crate) fn before(&self, most: usize) -> Option<Before> {
        if self.ops.len() > LONGEST || self.loops() || self.exits() || most == 0 {
            return None;
        }
        let nothing = vec![None; self.ops.len()];
        let mut pairs = self.pairs();
        loop {
            let needed = self.needed(&pairs, self.ends());
            // What each of them saves over computing all of it.
            let mut taken: Vec<(usize, usize)> = Vec::new();
            for v in (0..self.ops.len()).filter(|v| needed[*v] && pairs[*v].is_some()) {
                let all = self.needed(&nothing, vec![v as V]);
                let others: Vec<Option<V>> =
                    pairs.iter().zip(all).map(|(u, own)| u.filter(|_| !own)).collect();
                let more = self.weight(&others, &self.needed(&others, self.ends()));
                taken.push((more.saturating_sub(self.weight(&pairs, &needed)), v));
            }
            let (saves, v) = taken.iter().copied().min()?;
            if saves >= LEAST && taken.len() <= most {
                let of = taken.iter().filter_map(|(_, v)| Some((*v as V, pairs[*v]?))).collect();
                return Some(self.in_order_of(of));
            }
            pairs[v] = None;
        }
    }

    /// What nothing takes, but is to be computed.
    fn ends(&self) -> Vec<V> {
        let ends = (0..self.ops.len()).filter(|v| self.ops[*v].class() == Class::Nothing);
        ends.map(|v| v as V).chain(self.reds.iter().map(|r| r.val)).collect()
    }

    /// By operation: the one of which it is the value for the element before, if it is an operation of numbers.
    fn pairs(&self) -> Vec<Option<V>> {
        let is_pure = |op: &SOp| {
            matches!(
                op,
                SOp::Un(..)
                    | SOp::Bin(..)
                    | SOp::Fma { .. }
                    | SOp::Cmp(..)
                    | SOp::Mask(..)
                    | SOp::Not(_)
                    | SOp::Select(..)
            )
        };
        // Elements of arrays that are only read.
        let element = |op: &SOp| match op {
            SOp::Load(s) => {
                let s = &self.streams[*s as usize];
                let written = self
                    .streams
                    .iter()
                    .any(|t| t.base == s.base && t.access != Access::R && t.step != Step::Own);
                let next = s.access == Access::R && s.step == Step::Unit && !written;
                next.then_some((s.base, s.off))
            }
            _ => None,
        };
        let mut places = FxHashMap::default();
        let mut elements = FxHashMap::default();
        for (v, op) in self.ops.iter().enumerate().rev() {
            if is_pure(op) {
                places.insert(*op, v as V);
            }
            elements.extend(element(op).map(|e| (e, v as V)));
        }
        // Also of what is the same for all elements: itself.
        let mut before: Vec<Option<V>> = Vec::with_capacity(self.ops.len());
        for (v, op) in self.ops.iter().enumerate() {
            let fixed = |s: &Stream| s.access == Access::R && s.step == Step::Const(0);
            let found = match op {
                SOp::Const(_) | SOp::Scal(_) => Some(v as V),
                SOp::Load(s) if fixed(&self.streams[*s as usize]) => Some(v as V),
                SOp::Load(_) => {
                    element(op).and_then(|(base, off)| elements.get(&(base, off.checked_add(1)?)).copied())
                }
                op if is_pure(op) && op.operands().all(|(x, _)| before[x as usize].is_some()) => {
                    let moved = op.map(|x| before[x as usize].expect("looked at"));
                    places.get(&moved).copied()
                }
                _ => None,
            };
            before.push(found);
        }
        let is_own = |(v, u): (usize, &Option<V>)| {
            let number = is_pure(&self.ops[v]) && self.ops[v].class() == Class::Number;
            u.filter(|u| number && *u != v as V)
        };
        before.iter().enumerate().map(is_own).collect()
    }

    /// By operation: whether one of these needs it, where some are taken from those of the element before.
    fn needed(&self, pairs: &[Option<V>], mut open: Vec<V>) -> Vec<bool> {
        let mut needed = vec![false; self.ops.len()];
        while let Some(v) = open.pop() {
            if !std::mem::replace(&mut needed[v as usize], true) {
                match pairs[v as usize] {
                    Some(u) => open.push(u),
                    None => open.extend(self.ops[v as usize].operands().map(|(x, _)| x)),
                }
            }
        }
        needed
    }

    /// What operations cost that are needed and not taken from elsewhere.
    fn weight(&self, pairs: &[Option<V>], needed: &[bool]) -> usize {
        let weight = |v: usize| match self.ops[v] {
            SOp::Const(_) | SOp::Scal(_) => 0,
            SOp::Un(Un::Sqrt, _) | SOp::Bin(Bin::Div, ..) => SLOW,
            _ => 1,
        };
        (0..self.ops.len()).filter(|v| needed[*v] && pairs[*v].is_none()).map(weight).sum()
    }

    /// The strip in an order in which what these are taken from comes first: it reads what nobody writes, so it may.
    fn in_order_of(&self, of: Vec<(V, V)>) -> Before {
        let mut pairs = vec![None; self.ops.len()];
        of.iter().for_each(|(v, u)| pairs[*v as usize] = Some(*u));
        let mut order: Vec<V> = Vec::with_capacity(self.ops.len());
        let mut names: Vec<Option<V>> = vec![None; self.ops.len()];
        for v in 0..self.ops.len() as V {
            let mut open = vec![v];
            while let Some(v) = open.last().copied() {
                let operands = self.ops[v as usize].operands().map(|(x, _)| x).chain(pairs[v as usize]);
                let missing: Vec<V> = operands.filter(|x| names[*x as usize].is_none()).collect();
                if missing.is_empty() {
                    open.pop();
                    if names[v as usize].is_none() {
                        names[v as usize] = Some(order.len() as V);
                        order.push(v);
                    }
                }
                open.extend(missing);
            }
        }
        let name = |v: V| names[v as usize].expect("all have a place");
        let ops = order.iter().map(|v| self.ops[*v as usize].map(name)).collect();
        let reds = self.reds.iter().map(|r| Red { val: name(r.val), ..*r }).collect();
        let strip = Strip { ops, reds, ..self.clone() };
        let mut of: Vec<(V, V)> = of.into_iter().map(|(v, u)| (name(v), name(u))).collect();
        of.sort_unstable();
        let mut pairs = vec![None; strip.ops.len()];
        of.iter().for_each(|(v, u)| pairs[*v as usize] = Some(*u));
        let needed = strip.needed(&pairs, strip.ends());
        let nothing = vec![None; strip.ops.len()];
        let first = strip.needed(&nothing, of.iter().map(|(v, _)| *v).collect());
        Before { strip, of, needed, first }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// y[i] = t(x[i], x[i + 1]) − t(x[i − 1], x[i]), where t divides.
    const STENCIL: &str = "strip 0\nstream 0 -1 unit f64 r\nstream 0 0 unit f64 r\nstream 0 1 unit f64 r\n\
        stream 1 0 unit f64 w\nv0 = load 0\nv1 = load 1\nv2 = load 2\nv3 = mul v1 v1\nv4 = sub v2 v3\n\
        v5 = div v4 v1\nv6 = mul v0 v0\nv7 = sub v1 v6\nv8 = div v7 v0\nv9 = sub v5 v8\nv10 = store 3 v9\n";

    #[test]
    fn a_stencil_computes_its_terms_once() {
        let strip: Strip = STENCIL.parse().expect("it is well formed");
        let before = strip.before(4).expect("one term is that of the element before");
        assert_eq!(before.of.len(), 1);
        let left = before.needed.iter().filter(|needed| **needed).count();
        assert_eq!(left, strip.ops.len() - 3);
        assert!(strip.before(0).is_none());
    }
}

//! The order of operations: such that few values are needed at a time, because registers are few and the code of a strip is made in this
//! order.
//!
//! Between the beginnings and ends of loops, operations are computed when something needs them. What is stored comes in its order, but
//! first what needs nothing else that is still to be computed and that others need as well: so stretches of many stores alternate with
//! those of few, which a processor does not see far enough ahead to do. As soon as they can, those come that are the last to need
//! something, if they do not leave more than they find, and those that do the same to an element as one that was just computed.
//! No result depends on the order, as long as what touches one place in memory keeps its own.

use super::strip::*;
use std::cmp::Reverse;
use std::collections::BTreeSet;

impl Strip {
    /// Puts the operations in this order.
    pub(super) fn put_in_order(&mut self) {
        let mut order: Vec<usize> = Vec::with_capacity(self.ops.len());
        let mut from = 0;
        while from < self.ops.len() {
            let to = (from..self.ops.len()).find(|v| is_frame(self.ops[*v])).unwrap_or(self.ops.len());
            Run::of(self, from, to).order(&mut order);
            order.extend((to < self.ops.len()).then_some(to));
            from = to + 1;
        }
        *self = self.in_order(&order);
    }

    /// The same operations in this order.
    pub(super) fn in_order(&self, order: &[usize]) -> Strip {
        let mut names = vec![0; self.ops.len()];
        order.iter().enumerate().for_each(|(k, v)| names[*v] = k as V);
        let ops = order.iter().map(|v| self.ops[*v].map(|x| names[x as usize])).collect();
        let reds = self.reds.iter().map(|r| Red { val: names[r.val as usize], ..*r }).collect();
        Strip { ops, reds, ..self.clone() }
    }

    /// Whether a value is in no register: it is an operand in memory wherever it is used.
    pub(super) fn is_free(&self, v: usize) -> bool {
        match self.ops[v] {
            SOp::Const(_) | SOp::Scal(_) => true,
            SOp::Load(s) => {
                let s = &self.streams[s as usize];
                s.access == Access::R && matches!(s.step, Step::Unit | Step::Const(0))
            }
            _ => false,
        }
    }
}

/// Operations that need one value, at most, for them to come together.
const GROUP: usize = 4;

/// Whether an operation says where loops are.
fn is_frame(op: SOp) -> bool {
    matches!(op, SOp::Loop(_) | SOp::Carried(_) | SOp::Next(..) | SOp::End | SOp::Last(_))
}

/// Operations in a line.
struct Run<'s> {
    strip: &'s Strip,
    from: usize,
    to: usize,
    /// By operation: those that take its value, or come behind it in memory.
    users: Vec<Vec<V>>,
    /// By operation: what comes before it, for what they do to memory.
    before: Vec<Vec<V>>,
    /// By operation: how many registers it takes to compute it, about.
    needs: Vec<usize>,
    /// Whether the value is needed behind the line, or beside it.
    kept: Vec<bool>,
    /// Whether several operations take the value.
    shared: Vec<bool>,
    done: Vec<bool>,
    /// By operation: how many of those that come before it are neither done nor at hand.
    waits: Vec<usize>,
    /// Whether an operation is done, or can be without one that is for others as well.
    at_hand: Vec<bool>,
    /// What has to be computed for itself, is at hand, and is not done.
    ready: BTreeSet<usize>,
}

impl Run<'_> {
    fn of(strip: &Strip, from: usize, to: usize) -> Run<'_> {
        let n = to - from;
        let mut run = Run {
            strip,
            from,
            to,
            users: vec![Vec::new(); n],
            before: vec![Vec::new(); n],
            needs: vec![0; n],
            kept: vec![false; n],
            shared: Vec::new(),
            done: vec![false; n],
            waits: vec![0; n],
            at_hand: vec![false; n],
            ready: BTreeSet::new(),
        };
        let own = |x: V| (from..to).contains(&(x as usize)).then(|| x as usize - from);
        for (v, op) in strip.ops.iter().enumerate() {
            let inside = own(v as V).is_some();
            for x in op.operands().filter_map(|(x, _)| own(x)) {
                if !inside {
                    run.kept[x] = true;
                } else if !run.users[x].contains(&(v as V)) {
                    run.users[x].push(v as V);
                }
            }
        }
        strip.reds.iter().filter_map(|r| own(r.val)).for_each(|x| run.kept[x] = true);
        run.shared = run.users.iter().map(|u| u.len() > 1).collect();
        run.order_of_memory();
        run.carry_on_last();
        for v in from..to {
            let mut needs: Vec<usize> =
                strip.ops[v].operands().filter_map(|(x, _)| own(x)).map(|x| run.needs[x]).collect();
            needs.sort_unstable_by_key(|n| Reverse(*n));
            let most = needs.iter().enumerate().map(|(k, n)| n + k).max().unwrap_or(0);
            run.needs[v - from] = most.max(usize::from(!run.strip.is_free(v)));
        }
        run
    }

    /// What touches the same place keeps its order, and nothing is written before the last exit.
    fn order_of_memory(&mut self) {
        // By place: what wrote there last, and what has read there since.
        let mut places: Vec<(Place, Option<usize>, Vec<usize>)> = Vec::new();
        let mut exits = Vec::new();
        for v in self.from..self.to {
            let (stream, writes) = match self.strip.ops[v] {
                SOp::Load(s) => (s, false),
                SOp::Store(s, _) | SOp::AddTo(s, _) => (s, true),
                SOp::Exit(_) => {
                    exits.push(v);
                    continue;
                }
                _ => continue,
            };
            let s = &self.strip.streams[stream as usize];
            if s.access == Access::R && s.step != Step::Own {
                continue;
            }
            let place = Place::of(s, self.strip);
            let known = places.iter().position(|(p, ..)| *p == place).unwrap_or_else(|| {
                places.push((place, None, Vec::new()));
                places.len() - 1
            });
            let (_, written, read) = &mut places[known];
            let mut before: Vec<usize> = written.iter().copied().collect();
            if writes {
                before.append(read);
                before.extend(&exits);
                *written = Some(v);
            } else {
                read.push(v);
            }
            for b in before {
                self.before[v - self.from].push(b as V);
                if !self.users[b - self.from].contains(&(v as V)) {
                    self.users[b - self.from].push(v as V);
                }
            }
        }
    }

    /// What a loop carries into its next turn comes behind what uses the value of this turn: then both can be in one register.
    fn carry_on_last(&mut self) {
        let next = self.strip.ops[self.to..].iter().map_while(|op| match op {
            SOp::Next(c, x) => Some((*c, *x as usize)),
            _ => None,
        });
        for (c, x) in next.filter(|(_, x)| (self.from..self.to).contains(x)) {
            let behind = self.all_behind(x);
            let uses = |u: &usize| self.strip.ops[*u].operands().any(|(y, _)| y == c);
            for u in (self.from..self.to).filter(uses).filter(|u| !behind[u - self.from]) {
                if !self.users[u - self.from].contains(&(x as V)) {
                    self.before[x - self.from].push(u as V);
                    self.users[u - self.from].push(x as V);
                }
            }
        }
    }

    /// By operation: whether it is this one, or has to come behind it.
    fn all_behind(&self, first: usize) -> Vec<bool> {
        let mut behind = vec![false; self.to - self.from];
        let mut open = vec![first];
        while let Some(at) = open.pop() {
            if !std::mem::replace(&mut behind[at - self.from], true) {
                open.extend(self.users[at - self.from].iter().map(|u| *u as usize));
            }
        }
        behind
    }

    /// What has to be computed before an operation, as far as it is not.
    fn missing(&self, v: usize) -> Vec<usize> {
        let operands = self.strip.ops[v].operands().map(|(x, _)| x);
        let all = operands.chain(self.before[v - self.from].iter().copied());
        let own = all.map(|x| x as usize).filter(|x| (self.from..self.to).contains(x));
        own.filter(|x| !self.done[x - self.from]).collect()
    }

    /// The same but for literals.
    fn waits_for(&self, v: usize) -> Vec<usize> {
        let mut missing = self.missing(v);
        missing.retain(|x| !matches!(self.strip.ops[*x], SOp::Const(_) | SOp::Scal(_)));
        missing
    }

    /// Whether it is computed for itself.
    fn is_root(&self, v: usize) -> bool {
        self.strip.ops[v].class() == Class::Nothing || self.kept[v - self.from]
    }

    /// Notes what is at hand once these operations are done, or are at hand themselves.
    fn note(&mut self, mut news: Vec<usize>) {
        while let Some(v) = news.pop() {
            if std::mem::replace(&mut self.at_hand[v - self.from], true) {
                continue;
            }
            for u in self.users[v - self.from].clone() {
                let u = u as usize;
                self.waits[u - self.from] -= 1;
                if self.waits[u - self.from] == 0 {
                    news.extend(self.comes(u));
                }
            }
        }
    }

    /// The operation, if nothing keeps it from being at hand, all before it being so.
    fn comes(&mut self, v: usize) -> Option<usize> {
        if self.is_root(v) && !self.done[v - self.from] {
            self.ready.insert(v);
        }
        (!self.shared[v - self.from] || self.strip.is_free(v)).then_some(v)
    }

    /// Whether it is an element that is in memory wherever it is used.
    fn is_element(&self, v: usize) -> bool {
        (self.from..self.to).contains(&v)
            && matches!(self.strip.ops[v], SOp::Load(_))
            && self.strip.is_free(v)
    }

    fn order(mut self, out: &mut Vec<usize>) {
        for v in self.from..self.to {
            for u in self.users[v - self.from].clone() {
                self.waits[u as usize - self.from] += 1;
            }
        }
        for v in self.from..self.to {
            if self.waits[v - self.from] == 0 {
                let news = self.comes(v);
                self.note(news.into_iter().collect());
            }
        }
        let mut roots = self.from..self.to;
        while let Some(root) = self.ready.pop_first().or_else(|| roots.find(|v| self.is_root(*v))) {
            let mut open = vec![root];
            while let Some(v) = open.last().copied() {
                if self.done[v - self.from] {
                    open.pop();
                    continue;
                }
                let mut missing = self.missing(v);
                if missing.is_empty() {
                    open.pop();
                    self.compute(v, out);
                    continue;
                }
                // What needs most comes first, so last onto the stack.
                missing.sort_by_key(|x| (self.needs[x - self.from], Reverse(*x)));
                open.extend(missing);
            }
        }
        debug_assert!(self.done.iter().all(|done| *done), "what nothing needs is left out before");
    }

    /// Computes an operation, and what should come now that it is there.
    fn compute(&mut self, v: usize, out: &mut Vec<usize>) {
        let mut next = BTreeSet::from([v]);
        while let Some(v) = next.pop_first() {
            // Literals come when they are used.
            for x in self.missing(v).into_iter().chain([v]) {
                self.done[x - self.from] = true;
                self.note(vec![x]);
                out.push(x);
            }
            let mut candidates = self.users[v - self.from].clone();
            for (x, _) in self.strip.ops[v].operands() {
                candidates.extend(self.last_user(x as usize));
            }
            next.extend(self.twins(v));
            let all = self.relief_of(v);
            for u in candidates.into_iter().map(|u| u as usize) {
                let comes = !self.done[u - self.from] && self.waits_for(u).is_empty();
                if comes && (self.is_relief(u) || all.contains(&(u as V))) {
                    next.insert(u);
                }
            }
        }
    }

    /// What does the same as an operation to elements that it reads, and can come, as those of iterations that were taken together: the
    /// elements are then loaded for both.
    fn twins(&self, v: usize) -> Vec<usize> {
        let kind = std::mem::discriminant(&self.strip.ops[v]);
        let elements = self.strip.ops[v].operands().map(|(x, _)| x as usize).filter(|x| self.is_element(*x));
        let users = elements.map(|x| self.left(x)).filter(|u| u.len() < GROUP).flatten().map(|u| u as usize);
        let comes = |u: &usize| self.waits_for(*u).iter().all(|x| self.strip.is_free(*x));
        users.filter(|u| std::mem::discriminant(&self.strip.ops[*u]) == kind).filter(comes).collect()
    }

    /// The operations that still need a value, if they can all come and leave no more numbers than they find: masks are in registers of
    /// their own.
    fn relief_of(&self, v: usize) -> Vec<V> {
        let is_number = |x: usize| self.strip.ops[x].class() == Class::Number;
        let all = self.left(v);
        let few = !self.kept[v - self.from] && all.len() <= GROUP;
        if !few || !all.iter().all(|u| self.waits_for(*u as usize).is_empty()) {
            return Vec::new();
        }
        let operands = all.iter().flat_map(|u| self.strip.ops[*u as usize].operands());
        let operands: BTreeSet<usize> = operands.map(|(x, _)| x as usize).collect();
        let is_freed =
            |x: &usize| is_number(*x) && self.is_held(*x) && self.left(*x).iter().all(|u| all.contains(u));
        let freed = operands.iter().filter(|x| is_freed(x)).count();
        let made = all.iter().filter(|u| is_number(**u as usize)).count();
        if made <= freed { all } else { Vec::new() }
    }

    /// The only operation that still needs a value of a register.
    fn last_user(&self, x: usize) -> Option<V> {
        match self.is_held(x).then(|| self.left(x)).as_deref() {
            Some([only]) => Some(*only),
            _ => None,
        }
    }

    /// Whether a register holds it until the last operation of the line that needs it.
    fn is_held(&self, x: usize) -> bool {
        (self.from..self.to).contains(&x) && !self.strip.is_free(x) && !self.kept[x - self.from]
    }

    /// The operations that still need a value.
    fn left(&self, x: usize) -> Vec<V> {
        self.users[x - self.from].iter().copied().filter(|u| !self.done[*u as usize - self.from]).collect()
    }

    /// Whether an operation leaves no more values than it finds: it is the last one to need something.
    fn is_relief(&self, v: usize) -> bool {
        self.strip.ops[v].operands().any(|(x, _)| self.last_user(x as usize) == Some(v as V))
    }
}

/// Where streams may meet: the same elements, or, of what elements have for themselves and of cycles, one array.
#[derive(PartialEq, Eq)]
enum Place {
    Own(u8),
    Cycles(u8),
    Elements(u8, i32, Step),
    /// Several that may have elements in common.
    Added(u8),
}

impl Place {
    fn of(s: &Stream, strip: &Strip) -> Place {
        let turning = |t: &Stream| t.base == s.base && t.is_written_in_turns();
        match s.step {
            _ if s.added => Place::Added(s.base),
            Step::Own => Place::Own(s.base),
            Step::Cycle => Place::Cycles(s.base),
            Step::Unit | Step::Const(_) | Step::Scal(_) if strip.streams.iter().any(turning) => {
                Place::Added(s.base)
            }
            Step::Unit | Step::Const(_) | Step::Scal(_) => Place::Elements(s.base, s.off, s.step),
        }
    }
}

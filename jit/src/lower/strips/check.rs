//! What back ends rely on.

use super::strip::*;

/// A region of a strip: all of it, or a loop's.
struct Block {
    around: usize,
    /// The highest number of turns, if that is known.
    turns: Option<u32>,
    /// What it carries, and whether the next turn's is known.
    carried: Vec<(V, bool)>,
}

impl Strip {
    /// Whether all that back ends rely on holds: operands exist, are of the right class and of a region around, slots and streams
    /// exist and are used as declared, slots hold either numbers or integers, and no stream that is written overlaps another.
    pub fn check(&self) -> Result<(), Malformed> {
        if self.serial && (self.exits() || self.adds_up() || !self.reds.is_empty()) {
            return fail("elements one by one are neither reduced nor left".to_string());
        }
        self.check_streams()?;
        self.check_ops()?;
        self.check_added()?;
        for (k, red) in self.reds.iter().enumerate() {
            let number = self.ops.get(red.val as usize).is_some_and(|op| op.class() == Class::Number);
            let sum = red.op == RedOp::Sum;
            let place = match sum {
                true => self.streams.iter().all(|s| s.step == Step::Own || s.base as u16 != red.out),
                false => red.out < self.scalars && !self.is_integer(red.out),
            };
            let twice = self.reds[..k].iter().any(|r| r.out == red.out && (r.op == RedOp::Sum) == sum);
            if !number || !place || twice {
                let place = if sum { "base" } else { "slot" };
                return fail(format!("reduction {k} of v{} into {place} {}", red.val, red.out));
            }
        }
        Ok(())
    }

    fn check_streams(&self) -> Result<(), Malformed> {
        for (k, s) in self.streams.iter().enumerate() {
            let written = s.access != Access::R;
            match s.step {
                Step::Scal(slot) if slot >= self.scalars => {
                    return fail(format!("stream {k} strides by no slot"));
                }
                Step::Const(0) if written => return fail(format!("stream {k} writes one place")),
                step if s.added && (step != Step::Unit || s.access != Access::RW) => {
                    return fail(format!("stream {k} is not added to"));
                }
                Step::Cycle => {
                    let whole = [s.off, s.turns[0], s.turns[1]].iter().all(|d| d % CYCLE as i32 == 0);
                    if !whole || s.access != Access::RW {
                        return fail(format!("stream {k} is no cycle"));
                    }
                }
                Step::Own if s.base as usize >= self.own.len() => {
                    return fail(format!("stream {k} is of no array"));
                }
                Step::Unit | Step::Const(_) | Step::Scal(_) if s.is_written_in_turns() && !s.apart => {
                    return fail(format!("stream {k} is written in turns"));
                }
                Step::Unit | Step::Const(_) | Step::Scal(_) | Step::Own => {}
            }
        }
        for (k, a) in self.streams.iter().enumerate() {
            for (l, b) in self.streams.iter().enumerate().take(k) {
                let written = a.access != Access::R || b.access != Access::R;
                let shared = a.base == b.base && a.step != Step::Own && b.step != Step::Own;
                if shared && written && !a.is_apart(b) {
                    return fail(format!("streams {l} and {k} overlap"));
                }
            }
        }
        Ok(())
    }

    /// What may meet is read, added to and written one stream after the other, the one farthest on first.
    fn check_added(&self) -> Result<(), Malformed> {
        // By base: the stream that is at hand, and whether it has been read only.
        let mut last: Vec<(u8, u16, bool)> = Vec::new();
        for (v, op) in self.ops.iter().enumerate() {
            let (k, reads) = match *op {
                SOp::Load(k) => (k, true),
                SOp::Store(k, _) => (k, false),
                _ => continue,
            };
            let Some(s) = self.streams.get(k as usize).filter(|s| s.added) else { continue };
            let known = last.iter_mut().find(|(base, ..)| *base == s.base);
            let follows = match &known {
                None => reads,
                Some((_, before, read)) if *read => !reads && *before == k,
                Some((_, before, _)) => reads && self.streams[*before as usize].off > s.off,
            };
            if !follows {
                return fail(format!("v{v} is no addition in its order"));
            }
            match known {
                Some(known) => *known = (s.base, k, reads),
                None => last.push((s.base, k, reads)),
            }
        }
        match last.iter().any(|(.., read)| *read) {
            true => fail("an addition has no end".to_string()),
            false => Ok(()),
        }
    }

    fn check_ops(&self) -> Result<(), Malformed> {
        let mut blocks = vec![Block { around: 0, turns: Some(1), carried: Vec::new() }];
        // By operation: the block it is in.
        let mut home: Vec<usize> = Vec::with_capacity(self.ops.len());
        let mut open = vec![0];
        let mut stored = None;
        for (v, op) in self.ops.iter().enumerate() {
            let here = *open.last().expect("all of it is open");
            let last = if let SOp::Last(c) = *op { Some(c) } else { None };
            for (x, class) in op.operands() {
                let known = self.ops[..v].get(x as usize).is_some_and(|op| op.class() == class);
                let closed = |x: V| {
                    let carried = matches!(self.ops[x as usize], SOp::Carried(_));
                    let of = home[x as usize];
                    carried && blocks[of].around == here && !open.contains(&of)
                };
                let seen = |x: V| if last.is_some() { closed(x) } else { open.contains(&home[x as usize]) };
                if !known || !seen(x) {
                    return fail(format!("v{v} takes v{x} as a {class:?}"));
                }
            }
            let before = v.checked_sub(1).map(|u| self.ops[u]);
            let access = |k: u16| self.streams.get(k as usize).map(|s| s.access);
            match *op {
                SOp::Scal(slot) if slot >= self.scalars || self.is_integer(slot) => {
                    return fail(format!("v{v} reads slot {slot}, which is no number"));
                }
                SOp::Load(k) if !matches!(access(k), Some(Access::R | Access::RW)) || self.is_cycle(k) => {
                    return fail(format!("v{v} reads stream {k}"));
                }
                SOp::Store(k, _)
                    if !matches!(access(k), Some(Access::W | Access::RW)) || self.is_cycle(k) =>
                {
                    return fail(format!("v{v} writes stream {k}"));
                }
                SOp::AddTo(k, _) if !self.is_cycle(k) => {
                    return fail(format!("v{v} adds to stream {k}"));
                }
                SOp::Exit(_) if here != 0 => return fail(format!("v{v} leaves a loop")),
                SOp::Turn(level) if level as usize + 1 >= open.len() => {
                    return fail(format!("v{v} is the turn of no loop"));
                }
                SOp::Loop(turns) => {
                    if open.len() > LEVELS {
                        return fail(format!("v{v} is one loop too many"));
                    }
                    if matches!(turns, Turns::Scal(slot) if slot >= self.scalars) {
                        return fail(format!("v{v} turns by no slot"));
                    }
                    let turns = if let Turns::Const(n) = turns { Some(n) } else { None };
                    blocks.push(Block { around: here, turns, carried: Vec::new() });
                    open.push(blocks.len() - 1);
                }
                SOp::Carried(_) => {
                    if !matches!(before, Some(SOp::Loop(_) | SOp::Carried(_))) {
                        return fail(format!("v{v} begins in the middle"));
                    }
                    blocks[here].carried.push((v as V, false));
                }
                SOp::Next(c, _) => match blocks[here].carried.iter_mut().find(|(x, _)| *x == c) {
                    Some((_, known @ false)) => *known = true,
                    _ => return fail(format!("v{v} is the next of v{c}")),
                },
                SOp::End => {
                    if here == 0 || blocks[here].carried.iter().any(|(_, known)| !known) {
                        return fail(format!("v{v} ends nothing"));
                    }
                    open.pop();
                }
                _ => {}
            }
            if matches!(before, Some(SOp::Next(..))) && !matches!(op, SOp::Next(..) | SOp::End) {
                return fail(format!("v{v} comes behind the last of a turn"));
            }
            if let SOp::Load(k) | SOp::Store(k, _) | SOp::AddTo(k, _) = *op {
                self.check_access(v, &self.streams[k as usize], &open[1..], &blocks)?;
            }
            match op {
                SOp::Store(..) | SOp::AddTo(..) => stored = stored.or(Some(v)),
                SOp::Exit(_) => {
                    if let Some(at) = stored {
                        return fail(format!("an exit after v{at}, which stores"));
                    }
                }
                _ => {}
            }
            // What a loop carries is the loop's, and so is what ends it.
            home.push(if matches!(op, SOp::Loop(_)) { *open.last().expect("just opened") } else { here });
        }
        if open.len() > 1 {
            return fail("a loop without end".to_string());
        }
        let outside = |r: &Red| home.get(r.val as usize).is_some_and(|b| *b != 0);
        match self.reds.iter().position(outside) {
            Some(k) => fail(format!("reduction {k} of what a loop computes")),
            None => Ok(()),
        }
    }

    fn is_cycle(&self, k: u16) -> bool {
        self.streams.get(k as usize).is_some_and(|s| s.step == Step::Cycle)
    }

    /// Whether a stream moves with loops around only, and one of an own array stays in it.
    fn check_access(&self, v: usize, s: &Stream, open: &[usize], blocks: &[Block]) -> Result<(), Malformed> {
        let (mut least, mut most) = (s.off as i64, s.off as i64);
        for (level, by) in s.turns.iter().enumerate().filter(|(_, by)| **by != 0) {
            let Some(block) = open.get(level) else {
                return fail(format!("v{v} moves with no loop"));
            };
            if s.step != Step::Own {
                continue;
            }
            let Some(turns) = blocks[*block].turns else {
                return fail(format!("v{v} may leave its array"));
            };
            let far = *by as i64 * (turns.max(1) - 1) as i64;
            least += far.min(0);
            most += far.max(0);
        }
        if s.step == Step::Own && !(least >= 0 && most < self.own[s.base as usize] as i64) {
            return fail(format!("v{v} leaves its array"));
        }
        Ok(())
    }
}

fn fail<T>(what: String) -> Result<T, Malformed> {
    Err(Malformed(what))
}

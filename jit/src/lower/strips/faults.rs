//! Mistakes in strips, as the code that forms them could make them: the self-test plants them, and checks have to find them.
//!
//! Each leaves a strip that reads and writes the places of the right one, or fewer, so that wrong code stays within its arrays.

use super::strip::*;

/// A kind of mistake.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Fault {
    /// An element is read from another stream.
    Stream,
    /// A number from outside is another one.
    Slot,
    /// A result goes to the place of another one, too.
    Results,
    /// A write under a condition is done whatever the condition says.
    Guard,
    /// Elements that scalar code has to do are done in lanes.
    Exit,
    /// A maximum is a minimum, a minimum a maximum.
    Extreme,
    /// Two sums get each other's terms.
    Terms,
    /// What a loop inside carries stays what it was before the turn.
    Carry,
    /// Two numbers that a loop inside carries begin as each other do.
    Begin,
    /// What is added to an element is added to another one, too.
    Additions,
}

impl Fault {
    /// All of them.
    pub const ALL: [Fault; 10] = [
        Fault::Stream,
        Fault::Slot,
        Fault::Results,
        Fault::Guard,
        Fault::Exit,
        Fault::Extreme,
        Fault::Terms,
        Fault::Carry,
        Fault::Begin,
        Fault::Additions,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Fault::Stream => "stream-exchanged",
            Fault::Slot => "slot-exchanged",
            Fault::Results => "result-repeated",
            Fault::Guard => "guard-dropped",
            Fault::Exit => "exit-dropped",
            Fault::Extreme => "extreme-exchanged",
            Fault::Terms => "terms-exchanged",
            Fault::Carry => "carry-unchanged",
            Fault::Begin => "beginning-exchanged",
            Fault::Additions => "addition-repeated",
        }
    }

    /// What is wrong.
    pub fn what(self) -> &'static str {
        match self {
            Fault::Stream => "a loop in lanes reads another array",
            Fault::Slot => "a loop in lanes takes another number from outside",
            Fault::Results => "a loop in lanes stores one result in the place of another, too",
            Fault::Guard => "a loop in lanes writes where a condition says that it must not",
            Fault::Exit => "a loop in lanes does iterations that scalar code has to do",
            Fault::Extreme => "a loop in lanes takes a minimum for a maximum",
            Fault::Terms => "a loop in lanes adds terms to each other's sums",
            Fault::Carry => "a loop inside a loop in lanes never changes what it carries",
            Fault::Begin => "a loop inside a loop in lanes begins with another number",
            Fault::Additions => "a loop in lanes adds to one element what it adds to another",
        }
    }

    /// How often it can be made in a strip.
    pub fn places(self, strip: &Strip) -> usize {
        self.planted(strip).len()
    }

    /// The strip with the mistake in one of its places; as it is if there is none.
    pub fn plant(self, strip: Strip, number: usize) -> Strip {
        let mut all = self.planted(&strip);
        match all.len() {
            0 => strip,
            n => all.swap_remove(number % n),
        }
    }

    /// The strip with each of the mistakes that can be made.
    fn planted(self, strip: &Strip) -> Vec<Strip> {
        let with = |edit: &dyn Fn(&mut Strip)| {
            let mut wrong = strip.clone();
            edit(&mut wrong);
            wrong
        };
        let ops = || strip.ops.iter().enumerate();
        let mut all: Vec<Strip> = Vec::new();
        match self {
            Fault::Stream => {
                for (v, op) in ops() {
                    let SOp::Load(s) = *op else { continue };
                    let other = (0..strip.streams.len() as u16).rev().find(|o| self.may_read(strip, s, *o));
                    all.extend(other.map(|o| with(&|w| w.ops[v] = SOp::Load(o))));
                }
            }
            Fault::Slot => {
                let numbers: Vec<u16> = ops().filter_map(|(_, op)| slot(op)).collect();
                for (v, op) in ops() {
                    let Some(k) = slot(op) else { continue };
                    let other = numbers.iter().find(|o| **o != k);
                    all.extend(other.map(|o| with(&|w| w.ops[v] = SOp::Scal(*o))));
                }
            }
            Fault::Results => all.extend(repeated(strip, |op| match op {
                SOp::Store(_, x) => Some(*x),
                _ => None,
            })),
            Fault::Additions => all.extend(repeated(strip, |op| match op {
                SOp::AddTo(_, x) => Some(*x),
                _ => None,
            })),
            Fault::Guard => {
                for (v, op) in ops() {
                    let SOp::Store(s, x) = *op else { continue };
                    let SOp::Select(_, new, old) = strip.ops[x as usize] else { continue };
                    if strip.ops[old as usize] == SOp::Load(s) {
                        all.push(with(&|w| w.ops[v] = SOp::Store(s, new)));
                    }
                }
            }
            Fault::Exit => {
                for (v, op) in ops() {
                    let SOp::Exit(mask) = *op else { continue };
                    // Anything that does nothing.
                    all.push(with(&|w| w.ops[v] = SOp::Not(mask)));
                }
            }
            Fault::Extreme => {
                for (k, red) in strip.reds.iter().enumerate() {
                    let op = match red.op {
                        RedOp::Max => RedOp::Min,
                        RedOp::Min => RedOp::Max,
                        RedOp::Sum => continue,
                    };
                    all.push(with(&|w| w.reds[k].op = op));
                }
            }
            Fault::Terms => {
                for k in 1..strip.reds.len() {
                    let (a, b) = (strip.reds[k - 1], strip.reds[k]);
                    if (a.op, b.op) == (RedOp::Sum, RedOp::Sum) && a.val != b.val {
                        all.push(with(&|w| (w.reds[k - 1].val, w.reds[k].val) = (b.val, a.val)));
                    }
                }
            }
            Fault::Carry => {
                for (v, op) in ops() {
                    let SOp::Next(c, x) = *op else { continue };
                    if x != c {
                        all.push(with(&|w| w.ops[v] = SOp::Next(c, c)));
                    }
                }
            }
            Fault::Begin => {
                for v in 1..strip.ops.len() {
                    let (SOp::Carried(a), SOp::Carried(b)) = (strip.ops[v - 1], strip.ops[v]) else {
                        continue;
                    };
                    if a != b {
                        all.push(with(&|w| (w.ops[v - 1], w.ops[v]) = (SOp::Carried(b), SOp::Carried(a))));
                    }
                }
            }
        }
        all.retain(|wrong| wrong.check().is_ok());
        all
    }

    /// Whether a stream may be read where another one is: at all elements, and in all turns.
    fn may_read(self, strip: &Strip, s: u16, other: u16) -> bool {
        let (a, b) = (strip.streams[s as usize], strip.streams[other as usize]);
        let plain = |s: Stream| s.access == Access::R && matches!(s.step, Step::Unit | Step::Const(_));
        s != other
            && plain(a)
            && plain(b)
            && (b.turns == [0; LEVELS] || b.turns == a.turns && b.base == a.base)
    }
}

/// The slot of an operation, if it is a number from outside.
fn slot(op: &SOp) -> Option<u16> {
    if let SOp::Scal(k) = op { Some(*k) } else { None }
}

/// Strips in which an operation that writes has the value of the one before it.
fn repeated(strip: &Strip, of: impl Fn(&SOp) -> Option<V>) -> Vec<Strip> {
    let writes: Vec<(usize, V)> =
        strip.ops.iter().enumerate().filter_map(|(at, op)| Some((at, of(op)?))).collect();
    let wrong = |pair: &[(usize, V)]| {
        let ((_, x), (at, y)) = (pair[0], pair[1]);
        let mut wrong = strip.clone();
        wrong.ops[at] = wrong.ops[at].map(|_| x);
        (x != y).then_some(wrong)
    };
    writes.windows(2).filter_map(wrong).collect()
}

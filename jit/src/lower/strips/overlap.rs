//! Chains that do not need each other, one beside the other: a processor looks only so many operations ahead of one that waits, and a
//! function of a number is a chain of dozens.

use super::strip::*;

/// Operations that can begin before the result of one is there.
const LATENCY: usize = 6;
/// The same of a division or a square root.
const SLOW: usize = 4 * LATENCY;
/// Operations, in their order, of which one may come next.
const AHEAD: usize = 160;

impl Strip {
    /// The same operations in another order, of a strip without loops: what would wait comes later, as long as no more numbers than these
    /// are needed at a time. Where they are, operations keep their order.
    pub(crate) fn overlapped(&self, numbers: usize) -> Strip {
        let before = self.needs_before();
        let mut uses = vec![0; self.ops.len()];
        self.ops.iter().flat_map(|op| op.operands()).for_each(|(x, _)| uses[x as usize] += 1);
        self.reds.iter().for_each(|r| uses[r.val as usize] += 1);
        // By operation: when its value is there, once it has begun.
        let mut there: Vec<Option<usize>> = vec![None; self.ops.len()];
        let mut left: Vec<usize> = (0..self.ops.len()).collect();
        let mut order = Vec::with_capacity(left.len());
        let (mut now, mut held) = (0, 0);
        while !left.is_empty() {
            let ahead = if held >= numbers { 1 } else { AHEAD };
            let begins = |v: usize| {
                let mut needed = before[v].iter().map(|x| there[*x]);
                needed.try_fold(now, |begin, t| Some(begin.max(t?)))
            };
            let (mut at, mut begin) = (0, usize::MAX);
            for (k, v) in left.iter().enumerate().take(ahead) {
                if let Some(when) = begins(*v).filter(|when| *when < begin) {
                    (at, begin) = (k, when);
                }
                if begin == now {
                    break;
                }
            }
            let v = left.remove(at);
            there[v] = Some(begin + self.latency(v));
            now = if self.is_free(v) { now } else { begin + 1 };
            held += usize::from(self.is_held(v));
            for (x, _) in self.ops[v].operands() {
                uses[x as usize] -= 1;
                held -= usize::from(uses[x as usize] == 0 && self.is_held(x as usize));
            }
            order.push(v);
        }
        self.in_order(&order)
    }

    /// By operation: what has to come before it. What touches memory that is written keeps its order.
    fn needs_before(&self) -> Vec<Vec<usize>> {
        let mut last = None;
        let needs = |(v, op): (usize, &SOp)| {
            let mut all: Vec<usize> = op.operands().map(|(x, _)| x as usize).collect();
            let moves = match *op {
                SOp::Load(s) => self.streams[s as usize].access == Access::R,
                op => op.class() != Class::Nothing,
            };
            all.extend((!moves).then(|| last.replace(v)).flatten());
            all
        };
        self.ops.iter().enumerate().map(needs).collect()
    }

    fn latency(&self, v: usize) -> usize {
        match self.ops[v] {
            SOp::Bin(Bin::Div, ..) | SOp::Un(Un::Sqrt, _) => SLOW,
            _ if self.is_free(v) => 0,
            _ => LATENCY,
        }
    }

    /// Whether a value is a number that takes a register.
    fn is_held(&self, v: usize) -> bool {
        self.ops[v].class() == Class::Number && !self.is_free(v)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two chains of so many operations, one behind the other.
    fn chains(length: usize) -> Strip {
        let mut text =
            "strip 0\nstream 0 0 unit f64 r\nstream 1 0 unit f64 w\nstream 2 0 unit f64 w\nv0 = load 0\n"
                .to_string();
        let mut v = 0;
        for store in 1..3 {
            text += &format!("v{} = add v0 v0\n", v + 1);
            for k in v + 1..v + length {
                text += &format!("v{} = mul v{k} v{k}\n", k + 1);
            }
            v += length + 1;
            text += &format!("v{v} = store {store} v{}\n", v - 1);
        }
        text.parse().expect("it is well formed")
    }

    /// How often an operation comes right behind one that it needs.
    fn waits(strip: &Strip) -> usize {
        let needs = |(v, op): (usize, &SOp)| op.operands().any(|(x, _)| x as usize + 1 == v);
        strip.ops.iter().enumerate().filter(|(v, op)| needs((*v, op))).count()
    }

    #[test]
    fn chains_come_beside_each_other() {
        let strip = chains(20);
        let overlapped = strip.overlapped(12);
        assert_eq!(overlapped.check(), Ok(()));
        assert_eq!(overlapped.ops.len(), strip.ops.len());
        assert!(waits(&strip) > 40 && waits(&overlapped) < 6, "{overlapped}");
        // There is no register for the second one.
        assert_eq!(strip.overlapped(1), strip);
    }
}

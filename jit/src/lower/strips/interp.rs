//! The meaning of strips: one element after the other, one operation after the other.

use super::strip::*;
use super::{StripBackend, StripCode};
use crate::math::{self, Native};
use adc_ir::Diagnostic;
use adc_runtime::lanes::{Lanes, Scalar, pow};

/// Runs strips as they are.
#[derive(Clone, Copy, Debug, Default)]
pub struct Interp;

impl StripBackend for Interp {
    fn supports(&self, strip: &Strip) -> bool {
        strip.check().is_ok()
    }

    fn begins_anywhere(&self, _: &Strip) -> bool {
        true
    }

    fn compile(&mut self, strip: &Strip) -> Result<Box<dyn StripCode>, Diagnostic> {
        Ok(Box::new(strip.clone()))
    }
}

/// A number, or a mask.
#[derive(Clone, Copy)]
enum Lane {
    Number(f64),
    Mask(bool),
    Nothing,
}

impl StripCode for Strip {
    unsafe fn run(&self, bases: *const *mut u8, scalars: *mut f64, from: usize, to: usize) -> usize {
        let mut run = Run {
            strip: self,
            bases,
            scalars,
            own: self.own.iter().map(|len| vec![0.0; *len as usize]).collect(),
            turns: Vec::new(),
        };
        let checked = self.ops.iter().rposition(|op| matches!(op, SOp::Exit(_))).map_or(0, |v| v + 1);
        let mut lanes = vec![Lane::Nothing; self.ops.len()];
        for first in (from..to).step_by(2) {
            let pair = first..to.min(first + 2);
            // SAFETY: the caller's promise; what comes before the last exit stores nothing.
            if pair.clone().any(|i| unsafe { run.exits(&self.ops[..checked], i, &mut lanes) }) {
                return first;
            }
            for i in pair {
                // SAFETY: the caller's promise.
                unsafe {
                    run.exits(&self.ops, i, &mut lanes);
                    run.reduce(i, &lanes);
                }
            }
        }
        to
    }
}

/// A strip and what it is run on.
struct Run<'s> {
    strip: &'s Strip,
    bases: *const *mut u8,
    scalars: *mut f64,
    /// The arrays of the element at hand.
    own: Vec<Vec<f64>>,
    /// Of the loops that are open.
    turns: Vec<Turning>,
}

/// A loop that is running.
struct Turning {
    /// Its first operation that is run in every turn.
    body: usize,
    turn: u64,
    turns: u64,
    /// What it carries in the next turn.
    next: Vec<(V, Lane)>,
}

impl Run<'_> {
    /// The element of a stream.
    ///
    /// # Safety
    /// As for [`StripCode::run`].
    unsafe fn place(&mut self, k: u16, i: usize) -> *mut f64 {
        let s = self.strip.streams[k as usize];
        let turned: isize = self.turns.iter().zip(s.turns).map(|(t, by)| t.turn as isize * by as isize).sum();
        let first = s.off as isize + turned;
        let step = match s.step {
            Step::Unit => 1,
            Step::Const(step) => step as isize,
            // SAFETY: a slot of the strip.
            Step::Scal(slot) => unsafe { *self.scalars.add(slot as usize) }.to_bits() as isize,
            Step::Cycle => {
                // SAFETY: a base of the strip.
                let base = unsafe { *self.bases.add(s.base as usize) }.cast::<f64>();
                return base.wrapping_offset(first + (i % CYCLE) as isize);
            }
            Step::Own => return &raw mut self.own[s.base as usize][first as usize],
        };
        // SAFETY: a base of the strip.
        let base = unsafe { *self.bases.add(s.base as usize) }.cast::<f64>();
        base.wrapping_offset(first + i as isize * step)
    }

    /// Computes operations for element `i`. Whether one of them exits.
    ///
    /// # Safety
    /// As for [`StripCode::run`].
    unsafe fn exits(&mut self, ops: &[SOp], i: usize, lanes: &mut [Lane]) -> bool {
        let mut exits = false;
        let mut v = 0;
        while v < ops.len() {
            // SAFETY: the caller's promise.
            v = unsafe { self.op(ops, v, i, lanes, &mut exits) };
        }
        exits
    }

    /// Computes an operation, and says which is the next one.
    ///
    /// # Safety
    /// As for [`StripCode::run`].
    unsafe fn op(&mut self, ops: &[SOp], v: usize, i: usize, lanes: &mut [Lane], exits: &mut bool) -> usize {
        let x = |v: V| match lanes[v as usize] {
            Lane::Number(x) => x,
            Lane::Mask(_) | Lane::Nothing => unreachable!("checked strips are well typed"),
        };
        let m = |v: V| matches!(lanes[v as usize], Lane::Mask(true));
        let lane = match ops[v] {
            SOp::Const(bits) => Lane::Number(f64::from_bits(bits)),
            // SAFETY: a slot of the strip.
            SOp::Scal(k) => Lane::Number(unsafe { *self.scalars.add(k as usize) }),
            SOp::Index => Lane::Number(i as f64),
            SOp::Turn(level) => Lane::Number(self.turns[level as usize].turn as f64),
            // SAFETY: the caller promises the elements of all streams.
            SOp::Load(k) => Lane::Number(unsafe { *self.place(k, i) }),
            SOp::Store(k, a) => {
                // SAFETY: as above.
                unsafe { *self.place(k, i) = x(a) };
                Lane::Nothing
            }
            SOp::AddTo(k, a) => {
                // SAFETY: as above.
                unsafe { *self.place(k, i) += x(a) };
                Lane::Nothing
            }
            SOp::Loop(turns) => {
                let turns = match turns {
                    Turns::Const(n) => n as u64,
                    // SAFETY: a slot of the strip.
                    Turns::Scal(slot) => unsafe { *self.scalars.add(slot as usize) }.to_bits(),
                };
                let carried = |op: &&SOp| matches!(op, SOp::Carried(_));
                let body = v + 1 + ops[v + 1..].iter().take_while(carried).count();
                for c in v + 1..body {
                    if let SOp::Carried(init) = ops[c] {
                        lanes[c] = lanes[init as usize];
                    }
                }
                if turns == 0 {
                    return end(ops, v) + 1;
                }
                self.turns.push(Turning { body, turn: 0, turns, next: Vec::new() });
                return body;
            }
            SOp::Carried(_) => unreachable!("it begins with its loop"),
            SOp::Next(c, a) => {
                let of = self.turns.last_mut().expect("checked strips are well formed");
                of.next.push((c, lanes[a as usize]));
                Lane::Nothing
            }
            SOp::End => {
                let of = self.turns.last_mut().expect("checked strips are well formed");
                of.next.drain(..).for_each(|(c, lane)| lanes[c as usize] = lane);
                of.turn += 1;
                if of.turn < of.turns {
                    return of.body;
                }
                self.turns.pop();
                Lane::Nothing
            }
            SOp::Last(c) => lanes[c as usize],
            SOp::Exit(a) => {
                *exits |= m(a);
                Lane::Nothing
            }
            SOp::Un(op, a) => Lane::Number(unary(op, x(a))),
            SOp::Bin(op, a, b) => Lane::Number(binary(op, x(a), x(b))),
            SOp::Fma { neg_a, neg_c, a, b, c } => {
                let (a, c) = (if neg_a { -x(a) } else { x(a) }, if neg_c { -x(c) } else { x(c) });
                Lane::Number(a.mul_add(x(b), c))
            }
            SOp::Cmp(cc, a, b) => Lane::Mask(match cc {
                Cc::Lt => x(a) < x(b),
                Cc::Le => x(a) <= x(b),
                Cc::Eq => x(a) == x(b),
                Cc::Ne => x(a) != x(b),
            }),
            SOp::Mask(op, a, b) => Lane::Mask(match op {
                MaskOp::And => m(a) & m(b),
                MaskOp::Or => m(a) | m(b),
                MaskOp::Xor => m(a) ^ m(b),
            }),
            SOp::Not(a) => Lane::Mask(!m(a)),
            SOp::Select(c, a, b) => Lane::Number(if m(c) { x(a) } else { x(b) }),
            SOp::Call(g, a, b) => Lane::Number(call(g, x(a), b.map(x))),
            SOp::Entry(column, a) => Lane::Number(column.entry(x(a).to_bits())),
            SOp::Rare { mask, f, x: a, z, y } => {
                Lane::Number(if m(mask) { call(f, x(a), z.map(x)) } else { x(y) })
            }
        };
        lanes[v] = lane;
        v + 1
    }

    /// Takes element `i` into the reductions.
    ///
    /// # Safety
    /// As for [`StripCode::run`].
    unsafe fn reduce(&self, i: usize, lanes: &[Lane]) {
        for red in &self.strip.reds {
            let Lane::Number(x) = lanes[red.val as usize] else {
                unreachable!("checked strips are well typed")
            };
            // SAFETY: a base of 16 partials, or a slot.
            unsafe {
                match red.op {
                    RedOp::Sum => {
                        *(*self.bases.add(red.out as usize)).cast::<f64>().add(i % PARTIALS) += x;
                    }
                    RedOp::Max | RedOp::Min => {
                        let slot = &mut *self.scalars.add(red.out as usize);
                        *slot = extreme(*slot, x, red.op == RedOp::Max);
                    }
                }
            }
        }
    }
}

/// The end of the loop that begins at an operation.
fn end(ops: &[SOp], begin: usize) -> usize {
    let mut depth = 0;
    for (v, op) in ops.iter().enumerate().skip(begin) {
        match op {
            SOp::Loop(_) => depth += 1,
            SOp::End => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return v;
        }
    }
    unreachable!("checked strips are well formed")
}

fn extreme(a: f64, b: f64, larger: bool) -> f64 {
    if a.is_nan() || b.is_nan() {
        return f64::NAN;
    }
    let below = a < b || (a == b && a.is_sign_negative());
    if below == larger { b } else { a }
}

fn unary(op: Un, a: f64) -> f64 {
    match op {
        Un::Neg => -a,
        Un::Abs => a.abs(),
        Un::Sqrt => a.sqrt(),
        Un::Rint => a.round_ties_even(),
        Un::Floor => a.floor(),
        Un::Ceil => a.ceil(),
        Un::Trunc => a.trunc(),
        Un::Pow2 => Scalar.pow2(a),
        Un::GetExp => Scalar.get_exp(a),
        Un::GetMant => Scalar.get_mant(a),
        Un::Place => f64::from_bits(pow::place(a)),
    }
}

fn binary(op: Bin, a: f64, b: f64) -> f64 {
    match op {
        Bin::Add => a + b,
        Bin::Sub => a - b,
        Bin::Mul => a * b,
        Bin::Div => a / b,
        Bin::MinX => Scalar.min_x(a, b),
        Bin::MaxX => Scalar.max_x(a, b),
        Bin::Min => extreme(a, b, false),
        Bin::Max => extreme(a, b, true),
        Bin::Copysign => a.copysign(b),
        Bin::Ldexp => Scalar.ldexp(a, b),
        Bin::Raise => pow::raise(a, b),
    }
}

fn call(f: Callee, a: f64, b: Option<f64>) -> f64 {
    match (math::real_row(f.0).map(|r| r.native), b) {
        (Some(Native::R1(f)), None) => f(a),
        (Some(Native::R2(f)), Some(b)) => f(a, b),
        _ => unreachable!("`{}` is no native function of so many numbers", f.0),
    }
}

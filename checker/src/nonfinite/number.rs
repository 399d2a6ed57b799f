//! Numbers that record where they became NaN, infinite or zero. The interpreter computes with them as with doubles, and the
//! origin is passed on through arrays, loops, calls and selections.

use super::root::{How, Zero};
use adc_ir::interp::{ExternCalls, Iteration, ResultType, Val};
use adc_ir::{Elementary, Op, Real, Scalar, Span};
use adc_jit::{Externs, RuntimeMath};
use num_complex::{Complex, Complex64};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::cell::RefCell;
use std::cmp::Ordering;

/// Events of one run that are kept.
const MAX_EVENTS: usize = 1 << 16;
/// Marks the number of a zero, as opposed to an event.
const ZERO: u32 = 1 << 31;

/// A double and its origin: the event for a NaN or an infinity, the place for a zero; 0 if unknown.
#[derive(Clone, Copy, Debug)]
pub(super) struct Traced {
    pub x: f64,
    pub from: u32,
}

/// An op of the function that was executed at a place, its operands, and how often one was.
pub(super) type Primal = (Op, SmallVec<[Complex64; 3]>, usize);

/// An operation that gave a NaN or an infinity although its operands were none, or a NaN although they were infinite.
#[derive(Clone, Debug)]
pub(super) struct Event {
    pub how: How,
    pub operands: SmallVec<[Traced; 3]>,
    pub result: f64,
    pub span: Span,
    pub iterations: Vec<Iteration>,
    /// The last execution at this place of the function.
    pub primal: Option<Primal>,
}

/// The record of a run.
pub(super) struct Log {
    /// The event numbered k is at k − 1.
    pub events: Vec<Event>,
    pub zeros: Vec<Zero>,
    places: FxHashMap<Span, u32>,
    /// The instruction being executed.
    pub span: Span,
    /// The first event that has not been processed yet.
    pub told: usize,
}

thread_local! {
    /// The operations of a number type have no other way to know which instruction they belong to.
    static LOG: RefCell<Log> = RefCell::new(Log::new());
}

/// Applies `f` to the log of this thread.
pub(super) fn log<T>(f: impl FnOnce(&mut Log) -> T) -> T {
    LOG.with_borrow_mut(f)
}

impl Log {
    pub fn new() -> Log {
        Log { events: Vec::new(), zeros: Vec::new(), places: FxHashMap::default(), span: Span::NONE, told: 0 }
    }

    fn made(&mut self, how: How, result: f64, operands: &[Traced]) -> u32 {
        let none = self.span.is_none();
        if result == 0.0 {
            let zero = operands.iter().find(|a| a.x == 0.0 && a.from != 0);
            return match (how, zero) {
                (How::Mul, Some(a)) => a.from,
                _ if none => 0,
                _ => self.zero(Zero::At(self.span)),
            };
        }
        let nan = operands.iter().find(|a| a.x.is_nan());
        let infinite = operands.iter().find(|a| a.x.is_infinite());
        if let Some(a) = nan.or(infinite.filter(|_| result.is_infinite())) {
            return a.from;
        }
        if self.events.len() == MAX_EVENTS {
            return 0;
        }
        let operands = operands.iter().copied().collect();
        let (span, iterations) = (self.span, Vec::new());
        self.events.push(Event { how, operands, result, span, iterations, primal: None });
        self.events.len() as u32
    }

    fn zero(&mut self, zero: Zero) -> u32 {
        let zeros = &mut self.zeros;
        let mut add = |zero| {
            zeros.push(zero);
            ZERO | (zeros.len() - 1) as u32
        };
        match zero {
            Zero::At(span) => *self.places.entry(span).or_insert_with(|| add(zero)),
            Zero::Input(_) => add(zero),
        }
    }

    /// The event that a number comes from.
    pub fn event(&self, x: Traced) -> Option<&Event> {
        let known = !x.x.is_finite() && x.from & ZERO == 0;
        self.events.get((x.from as usize).wrapping_sub(1)).filter(|_| known)
    }

    /// Where a number became zero.
    pub fn zero_of(&self, x: Traced) -> Option<Zero> {
        let known = x.x == 0.0 && x.from & ZERO != 0;
        self.zeros.get((x.from & !ZERO) as usize).filter(|_| known).copied()
    }
}

fn made(how: How, x: f64, operands: &[Traced]) -> Traced {
    // Most numbers are neither.
    if x.is_finite() && x != 0.0 {
        return Traced { x, from: 0 };
    }
    Traced { x, from: log(|l| l.made(how, x, operands)) }
}

/// An argument: the parameter with this number.
pub(super) fn input(x: f64, param: usize) -> Traced {
    let from = match x {
        0.0 => log(|l| l.zero(Zero::Input(param))),
        x if x.is_finite() => 0,
        x => log(|l| l.made(How::Input, x, &[])),
    };
    Traced { x, from }
}

impl Real for Traced {
    fn from_f64(x: f64) -> Traced {
        match x.is_finite() {
            true => Traced { x, from: 0 },
            false => made(How::Literal, x, &[]),
        }
    }
    fn to_f64(&self) -> f64 {
        self.x
    }
    fn from_i64(n: i64) -> Traced {
        Traced { x: n as f64, from: 0 }
    }
    fn add(&self, o: &Traced) -> Traced {
        made(How::Add, self.x + o.x, &[*self, *o])
    }
    fn sub(&self, o: &Traced) -> Traced {
        made(How::Sub, self.x - o.x, &[*self, *o])
    }
    fn mul(&self, o: &Traced) -> Traced {
        made(How::Mul, self.x * o.x, &[*self, *o])
    }
    fn div(&self, o: &Traced) -> Traced {
        made(How::Div, self.x / o.x, &[*self, *o])
    }
    fn mul_add(&self, a: &Traced, b: &Traced, to: Scalar) -> Traced {
        made(How::Fma, Real::mul_add(&self.x, &a.x, &b.x, to), &[*self, *a, *b])
    }
    fn neg(&self) -> Traced {
        Traced { x: -self.x, from: self.from }
    }
    fn sqrt(&self) -> Traced {
        made(How::Function(Op::Sqrt), self.x.sqrt(), &[*self])
    }
    fn compare(&self, o: &Traced) -> Option<Ordering> {
        self.x.partial_cmp(&o.x)
    }
    fn is_nan(&self) -> bool {
        self.x.is_nan()
    }
    fn is_finite(&self) -> bool {
        self.x.is_finite()
    }
    fn is_sign_negative(&self) -> bool {
        self.x.is_sign_negative()
    }
    fn floor(&self) -> Traced {
        made(How::Function(Op::Floor), self.x.floor(), &[*self])
    }
    fn round_even(&self) -> Traced {
        made(How::Function(Op::Round), self.x.round_ties_even(), &[*self])
    }
    fn stored(&self, to: Scalar) -> Traced {
        let x = Real::stored(&self.x, to);
        match x.to_bits() == self.x.to_bits() || self.x.is_nan() {
            true => Traced { x, ..*self },
            false => made(How::Stored, x, &[*self]),
        }
    }
}

/// The functions of compiled code.
pub(super) struct Math;

fn parts(z: &[Complex<Traced>]) -> SmallVec<[Traced; 4]> {
    z.iter().flat_map(|z| [z.re, z.im]).collect()
}

fn plain(z: &Complex<Traced>) -> Complex64 {
    Complex64::new(z.re.x, z.im.x)
}

fn complex(op: Op, y: Complex64, z: &[Complex<Traced>]) -> Complex<Traced> {
    let operands = parts(z);
    Complex::new(made(How::Function(op), y.re, &operands), made(How::Function(op), y.im, &operands))
}

impl Elementary<Traced> for Math {
    fn real(&self, op: Op, x: &[Traced]) -> Traced {
        let plain: SmallVec<[f64; 3]> = x.iter().map(|x| x.x).collect();
        made(How::Function(op), RuntimeMath.real(op, &plain), x)
    }
    fn real_int(&self, op: Op, n: i64, x: &Traced) -> Traced {
        made(How::Function(op), RuntimeMath.real_int(op, n, &x.x), &[*x])
    }
    fn complex(&self, op: Op, z: &[Complex<Traced>]) -> Complex<Traced> {
        let args: SmallVec<[Complex64; 2]> = z.iter().map(plain).collect();
        complex(op, RuntimeMath.complex(op, &args), z)
    }
    fn complex_int(&self, op: Op, n: i64, z: &Complex<Traced>) -> Complex<Traced> {
        complex(op, RuntimeMath.complex_int(op, n, &plain(z)), std::slice::from_ref(z))
    }
    fn complex_to_real(&self, op: Op, z: &Complex<Traced>) -> Traced {
        made(How::Function(op), RuntimeMath.complex_to_real(op, &plain(z)), &parts(std::slice::from_ref(z)))
    }
}

/// Native functions, whose inside is unknown. A result that is not finite comes from an argument that is not, if there is
/// one.
pub(super) struct Natives<'a>(pub &'a Externs);

impl ExternCalls<Traced> for Natives<'_> {
    fn call(
        &self,
        name: &str,
        args: &[Val<Traced>],
        results: &[ResultType],
    ) -> Result<Vec<Val<Traced>>, i32> {
        let plain: Vec<Val<f64>> = args.iter().map(|v| v.map(&mut |x| x.x)).collect();
        let out = self.0.call(name, &plain, results)?;
        let mut operands: Vec<Traced> = Vec::new();
        args.iter().for_each(|v| v.each(&mut |x| operands.push(*x)));
        Ok(out.iter().map(|v| v.map(&mut |x| made(How::Native, *x, &operands))).collect())
    }
}

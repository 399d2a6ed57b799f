//! Random strips give the same bits in every back end, for every number of elements.

use adc_ir::Op;
use adc_ir::testing::{Rng, effort};
use adc_jit::strips::*;
use adc_jit::{CraneliftX2, X86};

/// Bases of streams a random strip has, and of sums.
pub const BASES: usize = 7;
/// Elements of cycles, in base 5.
pub const CYCLES: usize = 24 * CYCLE;
pub const SUMS: usize = 3;

/// A loop that is open: its number of turns, what it carries, and what was known outside.
struct Open {
    turns: Turns,
    carried: Vec<V>,
    numbers: Vec<V>,
    masks: Vec<V>,
}

/// How often it turns, at most.
fn most(turns: Turns) -> i32 {
    match turns {
        Turns::Const(n) => n as i32,
        Turns::Scal(_) => 3,
    }
}

/// A stream that moves with the turns of loops that are open, and stays within so many elements of where it is.
fn moving(rng: &mut Rng, s: Stream, open: &[Open], room: i32, unit: i32) -> Stream {
    let (mut least, mut most_far) = (0, 0);
    let mut turns = [0; LEVELS];
    for (by, of) in turns.iter_mut().zip(open) {
        *by = rng.pick(&[0, 1, 1, 2, -1]);
        let far = *by * (most(of.turns).max(1) - 1);
        if least + far.min(0) + room <= most_far + far.max(0) {
            *by = 0;
            continue;
        }
        least += far.min(0);
        most_far += far.max(0);
    }
    let off = rng.below((room - (most_far - least)) as usize) as i32 - least;
    Stream { off: s.off + unit * off, turns: turns.map(|by| unit * by), ..s }
}

/// Elements of a row of base 6, at most, and how far apart rows are.
const WIDEST: i32 = 13;

/// Loads of elements side by side in rows at a distance, in any order, some of them left out.
fn row(rng: &mut Rng, b: &mut StripBuilder, open: &[Open], numbers: &mut Vec<V>) {
    let (width, step) = (3 + rng.below(9) as i32, 5 + rng.below(9) as i32);
    let first = moving(rng, Stream::new(6, 0, Step::Const(step), Access::R), open, 6, 1);
    let mut columns: Vec<i32> = (0..width.min(step)).collect();
    let first_loaded = rng.below(columns.len());
    columns.rotate_left(first_loaded);
    if rng.one_in(3) {
        columns.pop();
    }
    for k in columns {
        let s = b.stream(Stream { off: first.off + k, ..first });
        numbers.push(b.op(SOp::Load(s)));
    }
}

/// A random strip of about so many operations. Bases 0 and 1 are read, 2 is written, 3 is read and written, 4 is strided, 5 has cycles, 6 has
/// rows. One of three exits; one of two has loops inside.
pub fn random(rng: &mut Rng, ops: usize) -> Strip {
    let mut b = StripBuilder::new();
    let (param, stride) = (b.slot(), b.slot());
    let stream = Stream::new;
    let reads = [
        b.stream(stream(0, 0, Step::Unit, Access::R)),
        b.stream(stream(0, 2, Step::Unit, Access::R)),
        b.stream(stream(1, 3, Step::Const(-1), Access::R)),
        b.stream(stream(4, 0, Step::Scal(stride), Access::R)),
        b.stream(stream(4, 1, Step::Const(0), Access::R)),
    ];
    let shared = b.stream(stream(3, 1, Step::Unit, Access::RW));
    let written = b.stream(stream(2, 0, rng.pick(&[Step::Unit, Step::Const(2)]), Access::W));
    let mut numbers = vec![b.op(SOp::Load(reads[0]))];
    let mut masks = vec![b.op(SOp::Cmp(Cc::Lt, numbers[0], numbers[0]))];
    if rng.one_in(3) {
        let (index, end) = (b.op(SOp::Index), b.op(SOp::Const((rng.below(80) as f64).to_bits())));
        let m = b.op(SOp::Cmp(rng.pick(&[Cc::Le, Cc::Eq]), end, index));
        b.op(SOp::Exit(m));
    }
    let loops = rng.one_in(2);
    let turns = b.slot();
    let mut open: Vec<Open> = Vec::new();
    let mut own = Vec::new();
    if rng.one_in(3) {
        row(rng, &mut b, &open, &mut numbers);
    }
    while b.len() < ops || !open.is_empty() {
        if loops && (rng.one_in(8) || b.len() >= ops) {
            if open.len() < LEVELS && b.len() < ops && rng.one_in(2) {
                let turns =
                    rng.pick(&[Turns::Scal(turns), Turns::Const(0), Turns::Const(1), Turns::Const(3)]);
                let start: Vec<V> = (0..rng.below(4)).map(|_| rng.pick(&numbers)).collect();
                let (outer, masked) = (numbers.clone(), masks.clone());
                let carried = b.begin(turns, &start);
                numbers.extend(&carried);
                open.push(Open { turns, carried, numbers: outer, masks: masked });
            } else if let Some(of) = open.pop() {
                let next: Vec<(V, V)> = of.carried.iter().map(|c| (*c, rng.pick(&numbers))).collect();
                let last = b.end(&next);
                (numbers, masks) = (of.numbers, of.masks);
                own.retain(|(_, level)| *level <= open.len());
                numbers.extend(last);
            }
            continue;
        }
        if loops && rng.one_in(6) {
            match rng.below(5) {
                4 => row(rng, &mut b, &open, &mut numbers),
                0 => {
                    let s = moving(rng, stream(5, 0, Step::Cycle, Access::RW), &open, 24, CYCLE as i32);
                    let s = b.stream(s);
                    b.op(SOp::AddTo(s, rng.pick(&numbers)));
                }
                1 => {
                    let s = stream(0, 0, rng.pick(&[Step::Unit, Step::Const(0), Step::Const(3)]), Access::R);
                    let s = moving(rng, s, &open, 6, 1);
                    let s = b.stream(s);
                    numbers.push(b.op(SOp::Load(s)));
                }
                2 => {
                    // All of an array is written before it is read.
                    let array = b.own(6).expect("there are few");
                    let x = rng.pick(&numbers);
                    for k in 0..6 {
                        let s = b.stream(stream(array, k, Step::Own, Access::RW));
                        b.op(SOp::Store(s, x));
                    }
                    own.push((array, open.len()));
                }
                _ if !own.is_empty() => {
                    let (array, _) = rng.pick(&own);
                    let s = moving(rng, stream(array, 0, Step::Own, Access::RW), &open, 6, 1);
                    // How often a slot says is anybody's guess.
                    if open.iter().zip(s.turns).any(|(o, by)| matches!(o.turns, Turns::Scal(_)) && by != 0) {
                        continue;
                    }
                    let s = b.stream(s);
                    if rng.one_in(2) {
                        b.op(SOp::Store(s, rng.pick(&numbers)));
                    } else {
                        numbers.push(b.op(SOp::Load(s)));
                    }
                }
                _ => {}
            }
            continue;
        }
        let (x, y, z) = (rng.pick(&numbers), rng.pick(&numbers), rng.pick(&numbers));
        let (m, k) = (rng.pick(&masks), rng.pick(&masks));
        let op = match rng.below(24) {
            0 => SOp::Const(number(rng).to_bits()),
            1 => SOp::Scal(param),
            2 if !open.is_empty() => SOp::Turn(rng.below(open.len()) as u8),
            2 => SOp::Index,
            3..6 => SOp::Load(rng.pick(&reads)),
            6 => SOp::Load(shared),
            7 => SOp::Store(shared, x),
            8..10 => {
                SOp::Un(rng.pick(&[Un::Neg, Un::Abs, Un::Sqrt, Un::Rint, Un::Floor, Un::Ceil, Un::Trunc]), x)
            }
            10 => match rng.pick(&[Un::Pow2, Un::GetExp, Un::GetMant, Un::Place]) {
                op @ (Un::Pow2 | Un::Place) => SOp::Un(op, ordered(&mut b, x)),
                op => SOp::Un(op, x),
            },
            11..15 => SOp::Bin(rng.pick(&[Bin::Add, Bin::Sub, Bin::Mul, Bin::Div]), x, y),
            15 => match rng.pick(&[Bin::MinX, Bin::MaxX, Bin::Min, Bin::Max, Bin::Copysign]) {
                Bin::Copysign => SOp::Bin(Bin::Copysign, x, ordered(&mut b, y)),
                op => SOp::Bin(op, x, y),
            },
            16 => match rng.below(4) {
                0 => SOp::Bin(Bin::Raise, ordered(&mut b, x), ordered(&mut b, y)),
                1 => {
                    let place = ordered(&mut b, y);
                    let columns = rng.pick(&Column::ALL).table();
                    let (last, others) =
                        columns[rng.below(columns.len())..].split_last().expect("there is one");
                    numbers.extend(others.iter().map(|c| b.op(SOp::Entry(*c, place))));
                    SOp::Entry(*last, place)
                }
                _ => scaled(&mut b, x, y),
            },
            17..19 => SOp::Fma { neg_a: rng.one_in(2), neg_c: rng.one_in(2), a: x, b: y, c: z },
            19 => SOp::Cmp(rng.pick(&[Cc::Lt, Cc::Le, Cc::Eq, Cc::Ne]), x, y),
            20 => SOp::Mask(rng.pick(&[MaskOp::And, MaskOp::Or, MaskOp::Xor]), m, k),
            21 => SOp::Not(m),
            22 => SOp::Select(m, x, y),
            _ if rng.one_in(6) => SOp::Rare { mask: m, f: Callee(Op::Sin), x, z: None, y },
            _ if rng.one_in(6) => SOp::Rare { mask: m, f: Callee(Op::Pow), x, z: Some(z), y },
            _ if rng.one_in(4) => SOp::Call(Callee(Op::Atan2), x, Some(y)),
            _ if rng.one_in(4) => SOp::Call(Callee(Op::Atan), x, None),
            _ => continue,
        };
        let v = b.op(op);
        match op.class() {
            Class::Number => numbers.push(v),
            Class::Mask => masks.push(v),
            Class::Nothing => {}
        }
    }
    let last = *numbers.last().expect("one at least");
    b.op(SOp::Store(written, last));
    for k in 0..rng.below(SUMS + 1) {
        let op = rng.pick(&[RedOp::Sum, RedOp::Sum, RedOp::Max, RedOp::Min]);
        let out = if op == RedOp::Sum { (BASES + k) as u16 } else { b.slot() };
        b.reduce(op, rng.pick(&numbers), out);
    }
    b.finish().expect("it is well formed")
}

/// The strip of a seed, and what draws its numbers.
pub fn of_seed(seed: u64) -> (Rng, Strip) {
    let mut rng = Rng::new(seed);
    let ops = rng.pick(&[8, 15, 30, 60, 120, 250]);
    let strip = random(&mut rng, ops);
    (rng, strip)
}

/// The number, or another one for NaN, whose bits are anybody's.
fn ordered(b: &mut StripBuilder, x: V) -> V {
    let large = b.op(SOp::Const(1e300f64.to_bits()));
    b.op(SOp::Bin(Bin::MinX, x, large))
}

/// The mantissa of `x`, scaled by the nearest integer to `y`, or one far beyond all exponents.
fn scaled(b: &mut StripBuilder, x: V, y: V) -> SOp {
    let mantissa = b.op(SOp::Un(Un::GetMant, x));
    let [least, most] = [-1e4f64, 1e4].map(|x| b.op(SOp::Const(x.to_bits())));
    let y = b.op(SOp::Bin(Bin::MinX, y, most));
    let y = b.op(SOp::Bin(Bin::MaxX, y, least));
    let n = b.op(SOp::Un(Un::Rint, y));
    SOp::Bin(Bin::Ldexp, mantissa, n)
}

/// A number of any kind.
pub fn number(rng: &mut Rng) -> f64 {
    match rng.below(12) {
        0 => f64::from_bits(rng.bits()),
        1 => rng.pick(&[f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.0, -0.0, f64::MAX, f64::MIN_POSITIVE]),
        2 => f64::from_bits(rng.bits() >> 12 | (rng.bits() & 1 << 63)),
        3 => rng.below(4000) as f64 - 2000.0,
        4 => rng.pick(&[0.5, -0.5, 1.5, 2.5, 1e18, -1e18, 1e300, 1e-300]),
        _ => rng.real(-4.0, 4.0),
    }
}

/// A strip that computes the same for elements and for their neighbours: what may be taken from the vector before.
fn stencil(seed: u64) -> (Rng, Strip) {
    let mut rng = Rng::new(seed);
    let mut b = StripBuilder::new();
    b.slot();
    let term = |b: &mut StripBuilder, first: i32| {
        let mut rng = Rng::new(seed);
        let reads = [0, 1].map(|k| b.stream(Stream::new(0, first + k, Step::Unit, Access::R)));
        let mut values = reads.map(|s| b.op(SOp::Load(s))).to_vec();
        values.push(b.op(SOp::Scal(0)));
        for _ in 0..3 + rng.below(4) {
            let (x, y, z) = (rng.pick(&values), rng.pick(&values), *values.last().expect("there are some"));
            let op = match rng.below(4) {
                0 => SOp::Fma { neg_a: rng.one_in(2), neg_c: false, a: x, b: y, c: z },
                1 => SOp::Bin(Bin::Sub, x, z),
                2 => SOp::Bin(Bin::Div, z, y),
                _ => SOp::Bin(Bin::Mul, z, x),
            };
            values.push(b.op(op));
        }
        values.pop().expect("there are some")
    };
    let mut firsts = vec![0, 1, 2];
    firsts.rotate_left(rng.below(3));
    firsts.truncate(2 + rng.below(2));
    let mut all = b.op(SOp::Const(0.5f64.to_bits()));
    let terms: Vec<V> = firsts.into_iter().map(|first| term(&mut b, first)).collect();
    // Terms of terms, too.
    let twice = terms.windows(2).map(|t| b.op(SOp::Bin(Bin::Sub, t[0], t[1]))).collect::<Vec<_>>();
    for (k, t) in terms.into_iter().chain(twice).enumerate() {
        all = b.op(if k % 2 == 0 { SOp::Bin(Bin::Sub, t, all) } else { SOp::Bin(Bin::Mul, all, t) });
    }
    let out = b.stream(Stream::new(2, 0, Step::Unit, Access::W));
    b.op(SOp::Store(out, all));
    for k in 0..rng.below(SUMS + 1) {
        b.reduce(RedOp::Sum, all, (BASES + k) as u16);
    }
    b.slot();
    b.slot();
    (rng, b.finish().expect("it is well formed"))
}

/// A strip that adds to an element and its neighbours.
fn meeting(seed: u64) -> (Rng, Strip) {
    let mut rng = Rng::new(seed);
    let mut b = StripBuilder::new();
    b.slot();
    let reads = [0, 1, 2].map(|k| b.stream(Stream::new(0, k, Step::Unit, Access::R)));
    let mut values = reads.map(|s| b.op(SOp::Load(s))).to_vec();
    for _ in 0..rng.below(5) {
        let (x, y) = (rng.pick(&values), rng.pick(&values));
        let op = rng.pick(&[Bin::Mul, Bin::Sub, Bin::Max]);
        values.push(b.op(SOp::Bin(op, x, y)));
    }
    let mask = b.op(SOp::Cmp(Cc::Lt, rng.pick(&values), rng.pick(&values)));
    let mut farthest = 3;
    while farthest >= 0 {
        let stream = Stream { added: true, ..Stream::new(3, farthest, Step::Unit, Access::RW) };
        let s = b.stream(stream);
        let old = b.op(SOp::Load(s));
        let mut new = b.op(SOp::Bin(Bin::Add, old, rng.pick(&values)));
        if rng.one_in(3) {
            new = b.op(SOp::Select(mask, new, old));
        }
        b.op(SOp::Store(s, new));
        farthest -= 1 + rng.below(2) as i32;
    }
    for k in 0..rng.below(SUMS + 1) {
        b.reduce(RedOp::Sum, rng.pick(&values), (BASES + k) as u16);
    }
    b.slot();
    b.slot();
    (rng, b.finish().expect("it is well formed"))
}

/// Memory of a run: what the bases point into, and the slots.
#[derive(Clone, Debug)]
pub struct Memory {
    pub bases: Vec<Vec<f64>>,
    pub slots: Vec<f64>,
}

impl Memory {
    pub fn new(rng: &mut Rng, strip: &Strip, n: usize, mut number: impl FnMut(&mut Rng) -> f64) -> Memory {
        let (stride, turns) = (rng.below(4) as u64, rng.below(4) as u64);
        let mut list = |rng: &mut Rng, len| (0..len).map(|_| number(rng)).collect::<Vec<f64>>();
        let len = |k| match k {
            5 => CYCLES,
            6 => WIDEST as usize * (n + 2),
            _ if k < BASES => 4 * n + 8,
            _ => PARTIALS,
        };
        let bases = (0..BASES + SUMS).map(|k| list(rng, len(k))).collect();
        let mut slots = list(rng, strip.scalars as usize);
        slots[1] = f64::from_bits(stride);
        slots[2] = f64::from_bits(turns);
        Memory { bases, slots }
    }

    pub fn run(&mut self, code: &dyn StripCode, from: usize, n: usize) -> usize {
        let mut pointers: Vec<*mut u8> = self.bases.iter_mut().map(|b| b.as_mut_ptr().cast()).collect();
        // The stream of base 1 runs backwards.
        pointers[1] = self.bases[1][n..].as_mut_ptr().cast();
        // SAFETY: every stream is within its base: strides are at most 3, offsets at most 3.
        unsafe { code.run(pointers.as_ptr(), self.slots.as_mut_ptr(), from, n) }
    }
}

/// The same bits; any NaN for NaN.
pub fn same(a: &[f64], b: &[f64]) -> bool {
    a.len() == b.len()
        && a.iter().zip(b).all(|(a, b)| a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan()))
}

/// The back ends that this machine can run.
pub fn back_ends() -> Vec<Box<dyn StripBackend>> {
    let nothing = StripBuilder::new().finish().expect("nothing is well formed");
    let all: [Box<dyn StripBackend>; 3] =
        [Box::new(CraneliftX2 { verify: true }), Box::new(X86::Avx2), Box::new(X86::Avx512)];
    all.into_iter().filter(|b| b.supports(&nothing)).collect()
}

#[test]
fn back_ends_agree() {
    back_ends().iter_mut().for_each(|b| agrees(&mut **b, of_seed));
}

/// The first one adds to one place twice, in so many operations that vectors go in pairs.
#[test]
fn back_ends_agree_on_additions_to_one_place() {
    back_ends().iter_mut().for_each(|b| agrees(&mut **b, |seed| of_seed(2247 + seed)));
}

#[test]
fn back_ends_agree_on_additions_that_meet() {
    back_ends().iter_mut().for_each(|b| agrees(&mut **b, meeting));
}

#[test]
fn back_ends_agree_on_stencils() {
    back_ends().iter_mut().for_each(|b| agrees(&mut **b, stencil));
}

#[test]
fn back_ends_agree_on_arrays_with_room_behind_them() {
    back_ends().iter_mut().for_each(|b| agrees(&mut **b, roomy));
}

#[test]
fn back_ends_agree_where_few_elements_are_left() {
    back_ends().iter_mut().for_each(|b| agrees(&mut **b, few));
}

/// A random strip whose last elements may be computed in half a vector if they are four or fewer; if they are more, in two.
fn few(seed: u64) -> (Rng, Strip) {
    let used = |strip: &Strip, s: usize| {
        let of =
            |op: &SOp| matches!(op, SOp::Load(k) | SOp::Store(k, _) | SOp::AddTo(k, _) if *k as usize == s);
        strip.ops.iter().any(of)
    };
    let near = |s: &Stream| matches!(s.step, Step::Unit | Step::Const(0));
    let plain = |(_, strip): &(Rng, Strip)| {
        let mut streams = strip.streams.iter().enumerate();
        let mut ops = strip.ops.iter();
        !strip.loops()
            && !strip.exits()
            && !ops.any(|op| matches!(op, SOp::Entry(..)))
            && streams.all(|(k, s)| near(s) || !used(strip, k))
    };
    let one = if seed.is_multiple_of(2) { roomy } else { of_seed };
    let seeds = (0..1000).map(|k| seed.wrapping_mul(1000) + k);
    let (rng, mut strip) = seeds.map(one).find(plain).expect("one of so many is plain");
    for s in strip.streams.iter_mut().filter(|s| !near(s)) {
        *s = Stream::new(4, 1, Step::Const(0), Access::R);
    }
    strip.reds.clear();
    strip.few_left = true;
    (rng, strip)
}

#[test]
fn back_ends_agree_on_loops_whose_iterations_need_each_other() {
    back_ends().iter_mut().for_each(|b| agrees(&mut **b, serial));
}

/// A random strip that is run for one element: any that may be, or one whose loop stands for iterations that need each other.
pub fn serial(seed: u64) -> (Rng, Strip) {
    let adds = |strip: &Strip| strip.ops.iter().any(|op| matches!(op, SOp::AddTo(..)));
    let (rng, mut strip) = match seed % 3 {
        0 => {
            let mut seeds = (0..1000).map(|k| of_seed(seed.wrapping_mul(1000) + k));
            seeds
                .find(|(_, strip)| !strip.exits() && !adds(strip))
                .expect("one of so many neither exits nor adds")
        }
        _ => iterations(seed),
    };
    strip
        .streams
        .iter_mut()
        .filter(|s| s.step == Step::Cycle)
        .for_each(|s| *s = Stream::new(4, 0, Step::Unit, s.access));
    strip.reds.clear();
    strip.serial = true;
    strip.check().expect("it is well formed");
    (rng, strip)
}

/// A loop that carries numbers, reads an element in each turn, forwards or backwards, and writes some.
fn iterations(seed: u64) -> (Rng, Strip) {
    let mut rng = Rng::new(seed);
    let mut b = StripBuilder::new();
    let (param, _, turns) = (b.slot(), b.slot(), b.slot());
    let scalar = b.op(SOp::Scal(param));
    let start: Vec<V> = (0..1 + rng.below(7))
        .map(|k| if k == 0 { scalar } else { b.op(SOp::Const(number(&mut rng).to_bits())) })
        .collect();
    let turns = rng.pick(&[Turns::Scal(turns), Turns::Const(3)]);
    let carried = b.begin(turns, &start);
    let mut numbers = [&carried[..], &start[..]].concat();
    for (base, off, by) in [(0, 0, 1), (4, 2, -1)] {
        let stream = Stream::new(base, off, Step::Const(0), Access::R);
        let s = b.stream(Stream { turns: [by, 0], ..stream });
        numbers.push(b.op(SOp::Load(s)));
    }
    for _ in 0..rng.pick(&[5, 30, 80, 200]) {
        let (x, y, z) = (rng.pick(&numbers), rng.pick(&numbers), rng.pick(&numbers));
        let op = match rng.below(8) {
            0 => SOp::Bin(rng.pick(&[Bin::Div, Bin::Min, Bin::Max]), x, y),
            1 => SOp::Un(rng.pick(&[Un::Neg, Un::Abs, Un::Sqrt]), x),
            2 => {
                let m = b.op(SOp::Cmp(rng.pick(&[Cc::Lt, Cc::Eq]), x, y));
                SOp::Select(m, y, z)
            }
            3 => SOp::Turn(0),
            4 | 5 => SOp::Bin(rng.pick(&[Bin::Add, Bin::Sub, Bin::Mul]), x, y),
            _ => SOp::Fma { neg_a: rng.one_in(2), neg_c: rng.one_in(2), a: x, b: y, c: z },
        };
        numbers.push(b.op(op));
    }
    // Those made last need the others.
    let late = |rng: &mut Rng, numbers: &[V]| numbers[numbers.len() - 1 - rng.below(numbers.len() / 2)];
    let next: Vec<(V, V)> = carried.iter().map(|c| (*c, late(&mut rng, &numbers))).collect();
    let write = |b: &mut StripBuilder, base: u8, off: i32, by: i32, x: V| {
        let stream = Stream::new(base, off, Step::Unit, Access::W);
        let s = b.stream(Stream { turns: [by, 0], apart: true, ..stream });
        b.op(SOp::Store(s, x));
    };
    let row = 1 + rng.below(2) as i32;
    for k in 0..row {
        write(&mut b, 2, k, row, late(&mut rng, &numbers));
    }
    for (k, x) in b.end(&next).into_iter().enumerate() {
        write(&mut b, 3, k as i32, 0, x);
    }
    (rng, b.finish().expect("it is well formed"))
}

/// A random strip whose arrays have room for a whole vector behind their last elements.
fn roomy(seed: u64) -> (Rng, Strip) {
    let (rng, mut strip) = of_seed(seed);
    // What is behind the last iteration is not behind the array otherwise.
    let whole = !strip.exits();
    for s in strip.streams.iter_mut().filter(|s| whole && s.step == Step::Unit && s.off == 0) {
        if [0, 2].contains(&s.base) && s.turns == [0; LEVELS] {
            s.room = if seed.is_multiple_of(2) { Room::Read } else { Room::Write };
        }
    }
    (rng, strip)
}

fn agrees(back_end: &mut dyn StripBackend, of_seed: fn(u64) -> (Rng, Strip)) {
    let (mut refused, seeds) = (0, 150 * effort() as u64);
    for seed in 0..seeds {
        let (mut rng, strip) = of_seed(seed);
        // Loops may carry more than there are registers.
        if !back_end.supports(&strip) {
            refused += 1;
            continue;
        }
        let (meaning, code) = (Interp.compile(&strip).unwrap(), back_end.compile(&strip).unwrap());
        for n in (0..20).chain([31, 32, 33, 47, 64, 73, 74, 95, 96, 103, 127, 159]) {
            let mut want = Memory::new(&mut rng, &strip, n, number);
            let mut got = want.clone();
            let from = match back_end.begins_anywhere(&strip) && rng.one_in(2) {
                _ if strip.serial => n.saturating_sub(1),
                _ if strip.streams.iter().any(|s| s.room != Room::None) => 0,
                true => rng.below(n + 1),
                false => rng.pick(&[0, 0, 0, 16, 32]).min(n / PARTIALS * PARTIALS),
            };
            let reached = [want.run(&*meaning, from, n), got.run(&*code, from, n)];
            // Behind an array with room to be written there may be anything.
            let padded =
                |k: usize| strip.streams.iter().any(|s| s.room == Room::Write && s.base as usize == k);
            let ends = |k: usize, all: &[f64]| if padded(k) { n } else { all.len() };
            let bases = want.bases.iter().zip(&got.bases).enumerate();
            let agree = reached[0] == reached[1]
                && bases.into_iter().all(|(k, (a, b))| same(&a[..ends(k, a)], &b[..ends(k, b)]))
                && same(&want.slots, &got.slots);
            assert!(agree, "seed {seed}, {from} to {n}: {reached:?}\n{strip}\n{want:?}\n{got:?}");
        }
    }
    assert!(100 * refused <= seeds, "{refused} of {seeds} strips were refused");
}

/// So many values live at once that they fill more than a page of the stack.
pub fn many_spilled() -> Strip {
    let mut b = StripBuilder::new();
    let s = b.stream(Stream::new(0, 0, Step::Unit, Access::R));
    let out = b.stream(Stream::new(1, 0, Step::Unit, Access::W));
    let x = b.op(SOp::Load(s));
    let values: Vec<V> = (0..200)
        .map(|k| {
            let c = b.op(SOp::Const((k as f64).to_bits()));
            let y = b.op(SOp::Bin(Bin::Mul, x, c));
            b.op(SOp::Bin(Bin::Add, y, x))
        })
        .collect();
    let sum = values.iter().copied().reduce(|a, v| b.op(SOp::Bin(Bin::Sub, v, a))).expect("there are some");
    let all = values.iter().rev().fold(sum, |a, v| b.op(SOp::Bin(Bin::Div, a, *v)));
    b.op(SOp::Store(out, all));
    b.finish().expect("it is well formed")
}

#[test]
fn many_spilled_values() {
    let strip = many_spilled();
    for mut back_end in back_ends() {
        let code = back_end.compile(&strip).expect("it compiles");
        let x: Vec<f64> = (1..30).map(f64::from).collect();
        let run = |code: &dyn StripCode| {
            let mut y = vec![0.0; x.len()];
            let bases = [x.as_ptr().cast_mut().cast(), y.as_mut_ptr().cast()];
            // SAFETY: both bases have that many elements, and only the second is written.
            unsafe { code.run(bases.as_ptr(), [].as_mut_ptr(), 0, x.len()) };
            y
        };
        assert!(same(&run(&*code), &run(&strip)));
    }
}

/// Rows of many elements, some of which are one value, in any order.
#[test]
fn rows_that_are_stored() {
    for (width, step) in [(8, 8), (11, 11), (9, 12), (16, 16), (30, 30), (17, 40)] {
        let mut b = StripBuilder::new();
        let s = b.stream(Stream::new(0, 0, Step::Unit, Access::R));
        let x = b.op(SOp::Load(s));
        let mut order: Vec<i32> = (0..width).collect();
        order.rotate_left(3);
        order.swap(0, 5);
        let mut before = x;
        for k in order {
            let c = b.op(SOp::Const((0.5 + f64::from(k)).to_bits()));
            let y = b.op(SOp::Bin(Bin::Mul, x, c));
            let value = match k % 5 {
                0 => before,
                1 => b.op(SOp::Bin(Bin::Sub, y, before)),
                4 => c,
                _ => y,
            };
            before = y;
            let out = b.stream(Stream::new(1, k, Step::Const(step), Access::W));
            b.op(SOp::Store(out, value));
        }
        let strip = b.finish().expect("it is well formed");
        for n in [0, 1, 7, 8, 9, 16, 31, 40] {
            let x: Vec<f64> = (0..n).map(|k| 0.25 + f64::from(k)).collect();
            let run = |code: &dyn StripCode| {
                let mut y = vec![-1.0; n as usize * step as usize];
                let bases = [x.as_ptr().cast_mut().cast(), y.as_mut_ptr().cast()];
                // SAFETY: the first base has n elements, the second n rows; only the second is written.
                unsafe { code.run(bases.as_ptr(), [].as_mut_ptr(), 0, x.len()) };
                y
            };
            let expected = run(&*Interp.compile(&strip).expect("it runs anything"));
            for mut back_end in back_ends() {
                let code = back_end.compile(&strip).expect("it compiles");
                assert_eq!(run(&*code), expected, "{n} rows of {width} at {step}");
            }
        }
    }
}

/// Rows of numbers that are the same for all elements, of which as many as possible are in registers throughout.
#[test]
fn rows_of_what_is_the_same_for_all() {
    const WIDTH: i32 = 16;
    let mut b = StripBuilder::new();
    let s = b.stream(Stream::new(0, 0, Step::Unit, Access::R));
    let mut x = b.op(SOp::Load(s));
    let slots: Vec<V> = (0..WIDTH)
        .map(|_| {
            let k = b.slot();
            b.op(SOp::Scal(k))
        })
        .collect();
    for k in 0..24 {
        let c = b.op(SOp::Const((1.0 + 0.25 * f64::from(k)).to_bits()));
        x = b.op(SOp::Bin(Bin::Mul, x, c));
        x = b.op(SOp::Bin(Bin::Sub, c, x));
    }
    let out = b.stream(Stream::new(1, 0, Step::Unit, Access::W));
    b.op(SOp::Store(out, x));
    for (k, slot) in (0..).zip(slots) {
        let out = b.stream(Stream::new(2, k, Step::Const(WIDTH), Access::W));
        b.op(SOp::Store(out, slot));
    }
    let strip = b.finish().expect("it is well formed");
    let run = |code: &dyn StripCode| {
        const N: usize = 40;
        let x: Vec<f64> = (1..=N).map(|k| 1.0 / k as f64).collect();
        let (mut y, mut rows) = (vec![0.0; N], vec![0.0; N * WIDTH as usize]);
        let mut slots: Vec<f64> = (0..WIDTH).map(f64::from).collect();
        let bases = [x.as_ptr().cast_mut().cast(), y.as_mut_ptr().cast(), rows.as_mut_ptr().cast()];
        // SAFETY: the bases have N elements and N rows, and the slots are as many as the strip has; the first is only read.
        unsafe { code.run(bases.as_ptr(), slots.as_mut_ptr(), 0, N) };
        [y, rows].concat()
    };
    let expected = run(&*Interp.compile(&strip).expect("it runs anything"));
    for mut back_end in back_ends() {
        assert!(same(&run(&*back_end.compile(&strip).expect("it compiles")), &expected));
    }
}

/// Elements at a distance, and the same one for all lanes, that turns move alike: each time from the array's beginning.
#[test]
fn turns_move_places_alike() {
    let mut b = StripBuilder::new();
    let far = b.stream(Stream { turns: [1, 0], ..Stream::new(0, 0, Step::Const(3), Access::R) });
    let one = b.stream(Stream { turns: [1, 0], ..Stream::new(0, 0, Step::Const(0), Access::R) });
    let out = b.stream(Stream::new(1, 0, Step::Unit, Access::W));
    let zero = b.op(SOp::Const(0));
    let carried = b.begin(Turns::Const(3), &[zero]);
    let sum = [far, one].into_iter().fold(carried[0], |sum, s| {
        let x = b.op(SOp::Load(s));
        b.op(SOp::Bin(Bin::Add, sum, x))
    });
    let last = b.end(&[(carried[0], sum)]);
    b.op(SOp::Store(out, last[0]));
    let strip = b.finish().expect("it is well formed");
    let x: Vec<f64> = (0..3 * 77 + 3).map(|k| 0.01 * f64::from(k)).collect();
    let run = |code: &dyn StripCode| {
        let mut y = vec![0.0; 77];
        let bases = [x.as_ptr().cast_mut().cast(), y.as_mut_ptr().cast()];
        // SAFETY: the bases have as many elements as the streams reach, and only the second is written.
        unsafe { code.run(bases.as_ptr(), [].as_mut_ptr(), 0, y.len()) };
        y
    };
    for mut back_end in back_ends().into_iter().filter(|b| b.supports(&strip)) {
        let code = back_end.compile(&strip).expect("it compiles");
        assert!(same(&run(&*code), &run(&strip)));
    }
}

/// Loops in a loop find registers for what they carry, however much of what is outside is used in both.
#[test]
fn loops_that_carry_much() {
    let mut b = StripBuilder::new();
    let s = b.stream(Stream::new(0, 0, Step::Unit, Access::R));
    let out = b.stream(Stream::new(1, 0, Step::Unit, Access::W));
    let x = b.op(SOp::Load(s));
    let outside: Vec<V> = (0..24)
        .map(|k| {
            let c = b.op(SOp::Const((0.1 * k as f64).to_bits()));
            b.op(SOp::Bin(Bin::Sub, x, c))
        })
        .collect();
    let fma = |a, b, c| SOp::Fma { neg_a: false, neg_c: false, a, b, c };
    let outer = b.begin(Turns::Const(3), &[x, outside[1]]);
    let sum = outside.iter().fold(outer[0], |sum, v| b.op(fma(sum, *v, outer[1])));
    let inner = b.begin(Turns::Const(2), &outside[2..7]);
    let next: Vec<(V, V)> = (0..5)
        .map(|k| {
            let y = b.op(fma(inner[k], outside[k + 7], inner[(k + 1) % 5]));
            let scaled = scaled(&mut b, y, inner[k]);
            (inner[k], b.op(scaled))
        })
        .collect();
    let last = b.end(&next);
    let all = last.iter().fold(sum, |sum, v| b.op(SOp::Bin(Bin::MinX, sum, *v)));
    let last = b.end(&[(outer[0], all), (outer[1], last[0])]);
    b.op(SOp::Store(out, last[0]));
    let strip = b.finish().expect("it is well formed");
    let x: Vec<f64> = (0..77).map(|k| 0.01 * f64::from(k)).collect();
    let run = |code: &dyn StripCode| {
        let mut y = vec![0.0; x.len()];
        let bases = [x.as_ptr().cast_mut().cast(), y.as_mut_ptr().cast()];
        // SAFETY: both bases have that many elements, and only the second is written.
        unsafe { code.run(bases.as_ptr(), [].as_mut_ptr(), 0, x.len()) };
        y
    };
    for mut back_end in back_ends() {
        let code = back_end.compile(&strip).expect("it compiles");
        assert!(same(&run(&*code), &run(&strip)));
    }
}

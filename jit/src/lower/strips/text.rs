//! The text of a strip, for tests and listings: one line per stream, operation and reduction.

use super::strip::*;
use adc_ir::Op;
use std::fmt;

const UN: &[(Un, &str)] = &[
    (Un::Neg, "neg"),
    (Un::Abs, "abs"),
    (Un::Sqrt, "sqrt"),
    (Un::Rint, "rint"),
    (Un::Floor, "floor"),
    (Un::Ceil, "ceil"),
    (Un::Trunc, "trunc"),
    (Un::Pow2, "pow2"),
    (Un::GetExp, "get_exp"),
    (Un::GetMant, "get_mant"),
    (Un::Place, "place"),
];
const BIN: &[(Bin, &str)] = &[
    (Bin::Add, "add"),
    (Bin::Sub, "sub"),
    (Bin::Mul, "mul"),
    (Bin::Div, "div"),
    (Bin::MinX, "min_x"),
    (Bin::MaxX, "max_x"),
    (Bin::Min, "min"),
    (Bin::Max, "max"),
    (Bin::Copysign, "copysign"),
    (Bin::Ldexp, "ldexp"),
    (Bin::Raise, "raise"),
];
const COLUMN: &[(Column, &str)] = &[
    (Column::Inverse, "inverse"),
    (Column::Log, "log"),
    (Column::LogLow, "log_low"),
    (Column::Power, "power"),
    (Column::PowerLow, "power_low"),
];
const CMP: &[(Cc, &str)] = &[(Cc::Lt, "lt"), (Cc::Le, "le"), (Cc::Eq, "eq"), (Cc::Ne, "ne")];
const MASK: &[(MaskOp, &str)] = &[(MaskOp::And, "and"), (MaskOp::Or, "or"), (MaskOp::Xor, "xor")];
const RED: &[(RedOp, &str)] = &[(RedOp::Sum, "sum"), (RedOp::Max, "max"), (RedOp::Min, "min")];
const ACCESS: &[(Access, &str)] = &[(Access::R, "r"), (Access::W, "w"), (Access::RW, "rw")];

fn name<T: PartialEq>(table: &[(T, &'static str)], of: T) -> &'static str {
    table.iter().find(|(t, _)| *t == of).map_or("?", |(_, name)| name)
}

fn named<T: Copy>(table: &[(T, &'static str)], text: &str) -> Option<T> {
    table.iter().find(|(_, name)| *name == text).map(|(t, _)| *t)
}

/// Prints what [`parse`] reads.
pub(super) fn print(s: &Strip, f: &mut fmt::Formatter) -> fmt::Result {
    writeln!(f, "strip {}", s.scalars)?;
    for len in &s.own {
        writeln!(f, "own {len}")?;
    }
    for t in &s.streams {
        write!(f, "stream {} {} ", t.base, t.off)?;
        match t.step {
            Step::Unit => write!(f, "unit")?,
            Step::Const(k) => write!(f, "step {k}")?,
            Step::Scal(k) => write!(f, "step s{k}")?,
            Step::Cycle => write!(f, "cycle")?,
            Step::Own => write!(f, "own")?,
        }
        if t.turns != [0; LEVELS] {
            write!(f, " turns {} {}", t.turns[0], t.turns[1])?;
        }
        let elem = match t.elem {
            Elem::F64 => "f64",
        };
        let room = match t.room {
            Room::None => "",
            Room::Read => " readable",
            Room::Write => " padded",
        };
        let said = [(t.apart, " apart"), (t.added, " added")];
        let said: String = said.into_iter().filter(|(is, _)| *is).map(|(_, word)| word).collect();
        writeln!(f, " {elem} {}{room}{said}", name(ACCESS, t.access))?;
    }
    for (v, op) in s.ops.iter().enumerate() {
        write!(f, "v{v} = ")?;
        match *op {
            SOp::Const(bits) => write!(f, "const {bits:x}")?,
            SOp::Scal(k) => write!(f, "scal {k}")?,
            SOp::Index => write!(f, "index")?,
            SOp::Load(k) => write!(f, "load {k}")?,
            SOp::Store(k, a) => write!(f, "store {k} v{a}")?,
            SOp::AddTo(k, a) => write!(f, "add_to {k} v{a}")?,
            SOp::Loop(Turns::Const(n)) => write!(f, "loop {n}")?,
            SOp::Loop(Turns::Scal(k)) => write!(f, "loop s{k}")?,
            SOp::Carried(a) => write!(f, "carried v{a}")?,
            SOp::Next(a, b) => write!(f, "next v{a} v{b}")?,
            SOp::End => write!(f, "end")?,
            SOp::Last(a) => write!(f, "last v{a}")?,
            SOp::Turn(k) => write!(f, "turn {k}")?,
            SOp::Exit(m) => write!(f, "exit v{m}")?,
            SOp::Un(op, a) => write!(f, "{} v{a}", name(UN, op))?,
            SOp::Bin(op, a, b) => write!(f, "{} v{a} v{b}", name(BIN, op))?,
            SOp::Fma { neg_a, neg_c, a, b, c } => {
                let sign = |n| if n { '-' } else { '+' };
                write!(f, "fma {} v{a} v{b} {} v{c}", sign(neg_a), sign(neg_c))?;
            }
            SOp::Cmp(cc, a, b) => write!(f, "{} v{a} v{b}", name(CMP, cc))?,
            SOp::Mask(op, a, b) => write!(f, "{} v{a} v{b}", name(MASK, op))?,
            SOp::Not(a) => write!(f, "not v{a}")?,
            SOp::Select(m, a, b) => write!(f, "select v{m} v{a} v{b}")?,
            SOp::Call(g, a, None) => write!(f, "call {} v{a}", g.0)?,
            SOp::Call(g, a, Some(b)) => write!(f, "call {} v{a} v{b}", g.0)?,
            SOp::Entry(c, a) => write!(f, "entry {} v{a}", name(COLUMN, c))?,
            SOp::Rare { mask, f: g, x, z: None, y } => write!(f, "rare v{mask} {} v{x} v{y}", g.0)?,
            SOp::Rare { mask, f: g, x, z: Some(z), y } => write!(f, "rare v{mask} {} v{x} v{z} v{y}", g.0)?,
        }
        writeln!(f)?;
    }
    for r in &s.reds {
        writeln!(f, "{} v{} to {}", name(RED, r.op), r.val, r.out)?;
    }
    if s.few_left {
        writeln!(f, "few left")?;
    }
    if s.serial {
        writeln!(f, "serial")?;
    }
    Ok(())
}

/// Reads what [`print`] prints.
pub(super) fn parse(text: &str) -> Result<Strip, Malformed> {
    let mut strip = Strip::default();
    for (n, line) in text.lines().enumerate() {
        let words: Vec<&str> = line.split_whitespace().collect();
        if !words.is_empty() && !words[0].starts_with("//") {
            read(&mut strip, &words).ok_or_else(|| Malformed(format!("line {}: {line}", n + 1)))?;
        }
    }
    strip.check()?;
    Ok(strip)
}

fn value(word: &str) -> Option<V> {
    word.strip_prefix('v')?.parse().ok()
}

fn callee(word: &str) -> Option<Callee> {
    Op::from_name(word).map(Callee)
}

fn read(strip: &mut Strip, words: &[&str]) -> Option<()> {
    match words {
        ["strip", scalars] => strip.scalars = scalars.parse().ok()?,
        ["own", len] => strip.own.push(len.parse().ok()?),
        ["stream", base, off, rest @ ..] => {
            let (step, rest) = match rest {
                ["unit", rest @ ..] => (Step::Unit, rest),
                ["cycle", rest @ ..] => (Step::Cycle, rest),
                ["own", rest @ ..] => (Step::Own, rest),
                ["step", k, rest @ ..] => match k.strip_prefix('s') {
                    Some(slot) => (Step::Scal(slot.parse().ok()?), rest),
                    None => (Step::Const(k.parse().ok()?), rest),
                },
                _ => return None,
            };
            let (turns, rest) = match rest {
                ["turns", a, b, rest @ ..] => ([a.parse().ok()?, b.parse().ok()?], rest),
                rest => ([0; LEVELS], rest),
            };
            let ["f64", access, said @ ..] = rest else { return None };
            let words = ["readable", "padded", "apart", "added"].map(|word| said.contains(&word));
            let [readable, padded, apart, added] = words;
            let room = match (readable, padded) {
                (false, false) => Room::None,
                (true, _) => Room::Read,
                (_, true) => Room::Write,
            };
            if words.iter().filter(|said| **said).count() != said.len() {
                return None;
            }
            strip.streams.push(Stream {
                base: base.parse().ok()?,
                off: off.parse().ok()?,
                step,
                turns,
                elem: Elem::F64,
                access: named(ACCESS, access)?,
                room,
                apart,
                added,
            });
        }
        [v, "=", op @ ..] => {
            if value(v)? as usize != strip.ops.len() {
                return None;
            }
            strip.ops.push(operation(op)?);
        }
        ["few", "left"] => strip.few_left = true,
        ["serial"] => strip.serial = true,
        [op, v, "to", out] => {
            strip.reds.push(Red { op: named(RED, op)?, val: value(v)?, out: out.parse().ok()? });
        }
        _ => return None,
    }
    Some(())
}

fn operation(words: &[&str]) -> Option<SOp> {
    Some(match words {
        ["const", bits] => SOp::Const(u64::from_str_radix(bits, 16).ok()?),
        ["scal", k] => SOp::Scal(k.parse().ok()?),
        ["index"] => SOp::Index,
        ["load", k] => SOp::Load(k.parse().ok()?),
        ["store", k, a] => SOp::Store(k.parse().ok()?, value(a)?),
        ["add_to", k, a] => SOp::AddTo(k.parse().ok()?, value(a)?),
        ["loop", n] => SOp::Loop(match n.strip_prefix('s') {
            Some(slot) => Turns::Scal(slot.parse().ok()?),
            None => Turns::Const(n.parse().ok()?),
        }),
        ["carried", a] => SOp::Carried(value(a)?),
        ["next", a, b] => SOp::Next(value(a)?, value(b)?),
        ["end"] => SOp::End,
        ["last", a] => SOp::Last(value(a)?),
        ["turn", k] => SOp::Turn(k.parse().ok()?),
        ["fma", neg_a, a, b, neg_c, c] => {
            let minus = |sign: &str| match sign {
                "-" => Some(true),
                "+" => Some(false),
                _ => None,
            };
            let (neg_a, neg_c) = (minus(neg_a)?, minus(neg_c)?);
            SOp::Fma { neg_a, neg_c, a: value(a)?, b: value(b)?, c: value(c)? }
        }
        ["not", a] => SOp::Not(value(a)?),
        ["exit", m] => SOp::Exit(value(m)?),
        ["select", m, a, b] => SOp::Select(value(m)?, value(a)?, value(b)?),
        ["call", g, a] => SOp::Call(callee(g)?, value(a)?, None),
        ["call", g, a, b] => SOp::Call(callee(g)?, value(a)?, Some(value(b)?)),
        ["entry", c, a] => SOp::Entry(named(COLUMN, c)?, value(a)?),
        ["rare", m, g, x, rest @ ..] => {
            let (z, y) = match rest {
                [y] => (None, y),
                [z, y] => (Some(value(z)?), y),
                _ => return None,
            };
            SOp::Rare { mask: value(m)?, f: callee(g)?, x: value(x)?, z, y: value(y)? }
        }
        [op, a] => SOp::Un(named(UN, op)?, value(a)?),
        [op, a, b] => {
            let (a, b) = (value(a)?, value(b)?);
            match (named(BIN, op), named(CMP, op), named(MASK, op)) {
                (Some(op), ..) => SOp::Bin(op, a, b),
                (_, Some(cc), _) => SOp::Cmp(cc, a, b),
                (_, _, Some(op)) => SOp::Mask(op, a, b),
                (None, None, None) => return None,
            }
        }
        _ => return None,
    })
}

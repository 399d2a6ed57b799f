//! Parts of arrays: reading and writing them.

use super::{Lower, Slot, arrays};
use crate::sema::hir::*;
use adc_ir::{Const, Diagnostic, Dim, Op, Scalar, Span, Value, ValueData, Values};

/// A position that is computed.
#[derive(Clone)]
enum Pos {
    At(Value),
    /// The first index (`None`: 0) and the number of indices.
    Slice(Option<Value>, Dim),
}

impl<'l, 'a> Lower<'l, 'a> {
    /// `x[i, a:b]`
    pub(super) fn part(&mut self, x: Value, at: &'l [At<'a>], span: Span) -> Result<Value, Diagnostic> {
        let at = self.positions(at)?;
        self.builder.set_span(span);
        Ok(self.read(x, &at))
    }

    fn positions(&mut self, at: &'l [At<'a>]) -> Result<Vec<Pos>, Diagnostic> {
        at.iter()
            .map(|a| match a {
                At::At(e) => Ok(Pos::At(self.expr(e)?[0])),
                At::Slice { lo, len, .. } => {
                    let start = match lo {
                        Some(e) => Some(self.expr(e)?[0]),
                        None => None,
                    };
                    Ok(Pos::Slice(start, self.dim(len)))
                }
            })
            .collect()
    }

    fn read(&mut self, x: Value, at: &[Pos]) -> Value {
        let (first, rest) = leading(at);
        let x = if first.is_empty() { x } else { self.builder.index(x, &first) };
        let shape = self.builder.data(x).shape.clone();
        let whole = |p: &Pos, size: &Dim| matches!(p, Pos::Slice(None, len) if len == size);
        let full = rest.iter().zip(&shape).rev().take_while(|(p, n)| whole(p, n)).count();
        let rest = &rest[..rest.len() - full];
        match rest {
            [] => x,
            [Pos::Slice(start, len)] => {
                let start = self.start(*start);
                self.builder.slice(x, start, len.clone())
            }
            _ => {
                let sizes = lengths(rest);
                let index = vec![ValueData::scalar(Scalar::I64); sizes.len()];
                let iteration = self.builder.open_with(index);
                let index = self.places(rest, &iteration);
                let v = self.builder.index(x, &index);
                let region = self.builder.close(vec![v]);
                self.builder.build_of(&sizes, region)
            }
        }
    }

    fn start(&mut self, start: Option<Value>) -> Value {
        match start {
            Some(v) => v,
            None => self.constant(Const::I64(0)),
        }
    }

    /// The indices at one iteration of a loop over the slices.
    fn places(&mut self, at: &[Pos], iteration: &[Value]) -> Vec<Value> {
        let mut iteration = iteration.iter();
        at.iter()
            .map(|p| match p {
                Pos::At(i) => *i,
                Pos::Slice(start, _) => {
                    let t = *iteration.next().expect("one iteration for each slice");
                    match start {
                        Some(s) => self.builder.op(Op::Add, &[*s, t]),
                        None => t,
                    }
                }
            })
            .collect()
    }

    /// `x[i] = e`, `x[i] += e`
    pub(super) fn assign_at(&mut self, a: &'l AssignAt<'a>) -> Result<(), Diagnostic> {
        let AssignAt { var, at, op, value, part, span } = a;
        let elem = self.scalar(part.elem());
        let at = self.positions(at)?;
        let value = match op {
            Some(_) => self.expr(value)?[0],
            None => self.expr_elem(value, elem)?,
        };
        self.builder.set_span(*span);
        let Slot::Values(now) = &self.env[var.0].slot else { unreachable!("assigned before it is bound") };
        let x = now[0];
        let shape = self.dims(part.shape());
        // The part as the variable has it, which may be older than a fact.
        let behind = self.builder.data(x).shape[at.len()..].to_vec();
        let own = [lengths(&at), behind].concat();
        if let Some(x) = self.add(x, &at, *op, value, &own) {
            self.assign(*var, Values::from_slice(&[x]));
            return Ok(());
        }
        let new = match op {
            Some(op) => {
                let old = self.read(x, &at);
                let old = arrays::sized(&mut self.builder, old, &shape);
                let new = arrays::map_op(&mut self.builder, *op, &[old, value]);
                self.coerce(new, elem)
            }
            None if !shape.is_empty() && !self.builder.ty(value).is_array() => {
                self.builder.fill(value, &shape)
            }
            None => value,
        };
        let new = arrays::sized(&mut self.builder, new, &own);
        let x = self.write(x, &at, new);
        self.assign(*var, Values::from_slice(&[x]));
        Ok(())
    }

    /// `x` with an array added to a part of it, or subtracted, if that is one operation. Additions to numbers become one where they are
    /// simplified, as all that are written in other words do.
    fn add(&mut self, x: Value, at: &[Pos], op: Option<Op>, value: Value, shape: &[Dim]) -> Option<Value> {
        let alike = self.builder.ty(value).is_array()
            && self.builder.ty(x).scalar() == self.builder.ty(value).scalar();
        (alike && self.builder.ty(x).scalar().is_float()).then_some(())?;
        let (first, rest) = leading(at);
        let term = match op? {
            Op::Add => value,
            Op::Sub => arrays::map_op(&mut self.builder, Op::Neg, &[value]),
            _ => return None,
        };
        let term = arrays::sized(&mut self.builder, term, shape);
        match rest {
            [] => Some(self.builder.add_at(x, term, &first)),
            [Pos::Slice(start, _)] if first.is_empty() => {
                let start = self.start(*start);
                Some(self.builder.add_slice(x, term, start))
            }
            _ => None,
        }
    }

    /// `x` with `new` at the positions.
    fn write(&mut self, x: Value, at: &[Pos], new: Value) -> Value {
        let (first, rest) = leading(at);
        match rest {
            [] => self.builder.update(x, new, &first),
            [Pos::Slice(start, _)] => {
                let start = self.start(*start);
                if first.is_empty() {
                    return self.builder.update_slice(x, new, start);
                }
                let row = self.builder.index(x, &first);
                let row = self.builder.update_slice(row, new, start);
                self.builder.update(x, row, &first)
            }
            _ => self.write_each(x, at, new, &mut Vec::new()),
        }
    }

    /// One loop for each slice.
    fn write_each(&mut self, x: Value, at: &[Pos], new: Value, iteration: &mut Vec<Value>) -> Value {
        let sizes = lengths(at);
        let Some(n) = sizes.get(iteration.len()) else {
            let index = self.places(at, iteration);
            let v = self.builder.index(new, iteration);
            return self.builder.update(x, v, &index);
        };
        let range = self.builder.range(n);
        let data = self.builder.data(x).clone();
        let params = self.builder.open_with(vec![ValueData::scalar(Scalar::I64), data]);
        iteration.push(params[0]);
        let next = self.write_each(params[1], at, new, iteration);
        iteration.pop();
        let region = self.builder.close(vec![next]);
        self.builder.for_of(adc_ir::Loop::default(), range, &[x], region)[0]
    }
}

/// The indices in front of the first slice, and what is behind them.
fn leading(at: &[Pos]) -> (Vec<Value>, &[Pos]) {
    let n = at.iter().take_while(|p| matches!(p, Pos::At(_))).count();
    let first = at[..n].iter().filter_map(|p| if let Pos::At(v) = p { Some(*v) } else { None });
    (first.collect(), &at[n..])
}

/// The sizes of the slices.
fn lengths(at: &[Pos]) -> Vec<Dim> {
    at.iter().filter_map(|p| if let Pos::Slice(_, n) = p { Some(n.clone()) } else { None }).collect()
}

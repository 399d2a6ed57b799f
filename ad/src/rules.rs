//! The rule table: for every op and operand the Wirtinger pair W = ∂f/∂z, CW = ∂f/∂z*, as data. Both modes of
//! differentiation, what each of them has to keep of the primal, and the documentation come from it.
//!
//! * JVP `ẏ = Σ W·ż + CW·conj(ż)`, VJP `z̄ = conj(W)·ȳ + CW·conj(ȳ)`; of a real operand the real part.
//! * A row never holds the number 0 for a derivative that is structurally zero: it says [`Partial::Zero`].
//! * A selection masks the *product* of partial and tangent, never the partial: no 0·∞ can come of it.
//! * The formulas are sound at the edges of their domains, and so are *their* derivatives: a row is chosen so
//!   that differentiating it again cancels nothing either.

mod rows;
mod sensitivity;
mod table;

pub use sensitivity::sensitivities;

use crate::formula::{Formula, Reads};
use adc_ir::{Op, Type};
use std::sync::LazyLock;

/// The partial derivative of an op's result along one operand.
#[derive(Clone, Debug, PartialEq)]
pub enum Partial {
    /// None: the result does not depend on the operand, or only piecewise constantly.
    Zero,
    /// The op converts between precisions, and so does its derivative, back and forth.
    Convert,
    /// Real operand: ∂f/∂x, complex if the result is.
    D(Formula),
    /// Complex operand and result: W, with CW structurally zero.
    Holo(Formula),
    /// Complex operand and result: W and CW.
    Pair {
        /// ∂f/∂z
        w: Formula,
        /// ∂f/∂z*
        cw: Formula,
    },
    /// Real result of a complex operand: 2·CW, the gradient; W = conj(CW).
    Grad(Formula),
    /// Complex operand and result, ẏ = u·Re(conj(v)·ż): W = u·conj(v)/2, CW = u·v/2.
    Rank1 {
        /// The direction in which the result moves.
        u: Formula,
        /// The direction along which it is moved.
        v: Formula,
    },
    /// The first if the condition holds, else the second.
    Mask(Formula, Box<Partial>, Box<Partial>),
}

impl Partial {
    /// `p` if `cond` holds, else `q`.
    pub(crate) fn mask(cond: Formula, p: Partial, q: Partial) -> Partial {
        Partial::Mask(cond, Box::new(p), Box::new(q))
    }

    /// Whether no derivative flows along the operand.
    pub fn is_zero(&self) -> bool {
        match self {
            Partial::Zero => true,
            Partial::Mask(_, p, q) => p.is_zero() && q.is_zero(),
            Partial::Convert
            | Partial::D(_)
            | Partial::Holo(_)
            | Partial::Pair { .. }
            | Partial::Grad(_)
            | Partial::Rank1 { .. } => false,
        }
    }

    /// What of the operands and the result the derivative along this operand reads.
    pub fn reads(&self) -> Reads {
        let mut reads = Reads::default();
        self.add_reads(&mut reads);
        reads
    }

    fn add_reads(&self, reads: &mut Reads) {
        match self {
            Partial::Zero | Partial::Convert => {}
            Partial::D(f) | Partial::Holo(f) | Partial::Grad(f) => f.reads(reads),
            Partial::Pair { w: a, cw: b } | Partial::Rank1 { u: a, v: b } => {
                a.reads(reads);
                b.reads(reads);
            }
            Partial::Mask(cond, p, q) => {
                cond.reads(reads);
                p.add_reads(reads);
                q.add_reads(reads);
            }
        }
    }

    /// The partial in words, for reports and the generated reference: `D = cos(x)`, `W = …, CW = …`.
    pub fn text(&self, arity: usize) -> String {
        let t = |f: &Formula| f.text(arity);
        match self {
            Partial::Zero => "0".into(),
            Partial::Convert => "conversion of the tangent".into(),
            Partial::D(f) => format!("D = {}", t(f)),
            Partial::Holo(f) => format!("W = {}", t(f)),
            Partial::Pair { w, cw } => format!("W = {}, CW = {}", t(w), t(cw)),
            Partial::Grad(f) => format!("2 CW = {}", t(f)),
            Partial::Rank1 { u, v } => format!("dy = ({}) re(conj({}) dx)", t(u), t(v)),
            Partial::Mask(cond, p, q) => {
                format!("{} if {}, else {}", p.text(arity), t(cond), q.text(arity))
            }
        }
    }
}

/// The derivatives of one op for operands of given complexness.
#[derive(Clone, Debug, PartialEq)]
pub enum Row {
    /// The result carries no derivative, or the op stops derivatives.
    Discrete,
    /// One partial per operand. (Those of integer and boolean operands are [`Partial::Zero`].)
    Partials(Vec<Partial>),
}

impl Row {
    /// The partial along operand `i`.
    pub fn partial(&self, i: usize) -> &Partial {
        match self {
            Row::Discrete => &Partial::Zero,
            Row::Partials(p) => &p[i],
        }
    }
}

/// Which operands of an op are complex.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape([bool; 3]);

impl Shape {
    const COUNT: usize = 8;

    pub(crate) fn of(operands: impl Iterator<Item = bool>) -> Shape {
        let mut shape = Shape([false; 3]);
        operands.zip(&mut shape.0).for_each(|(complex, slot)| *slot = complex);
        shape
    }

    fn of_types(operands: &[Type]) -> Shape {
        Shape::of(operands.iter().map(|t| t.scalar().is_complex()))
    }

    fn index(self) -> usize {
        self.0.iter().enumerate().map(|(i, c)| usize::from(*c) << i).sum()
    }

    pub(crate) fn nth(index: usize) -> Shape {
        Shape::of((0..3).map(|i| index >> i & 1 == 1))
    }

    /// Whether operand `i` is complex.
    pub(crate) fn complex(self, i: usize) -> bool {
        self.0[i]
    }
}

/// The row of `op` for operands of types `operands`.
pub fn rule(op: Op, operands: &[Type]) -> &'static Row {
    row_of(op, Shape::of_types(operands))
}

/// The rows that differentiation goes by: the table, in which one row may be another one.
#[derive(Clone, Debug)]
pub struct Rules(Option<(Op, Shape, Row)>);

/// The table as it is.
pub(crate) static TABLE: Rules = Rules(None);

impl Rules {
    /// The table with another row for an op of operands of these types, of whatever precision.
    pub fn with(op: Op, operands: &[Type], row: Row) -> Rules {
        Rules(Some((op, Shape::of_types(operands), row)))
    }

    /// The row of `op` for operands of types `operands`.
    pub(crate) fn row(&self, op: Op, operands: &[Type]) -> &Row {
        let shape = Shape::of_types(operands);
        match &self.0 {
            Some((other, of, row)) if *other == op && *of == shape => row,
            Some(_) | None => row_of(op, shape),
        }
    }
}

/// The row as it is in the table.
pub(crate) fn row_of(op: Op, shape: Shape) -> &'static Row {
    static ROWS: LazyLock<Vec<Row>> = LazyLock::new(|| {
        let shapes = || (0..Shape::COUNT).map(Shape::nth);
        Op::ALL.iter().flat_map(|op| shapes().map(|s| table::row(*op, s))).collect()
    });
    &ROWS[op as usize * Shape::COUNT + shape.index()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use adc_ir::{Scalar, Smoothness};

    /// Every combination of operand types an op takes.
    fn signatures(op: Op) -> Vec<Vec<Type>> {
        let mut all = vec![vec![]];
        for _ in 0..op.arity() {
            all = all
                .into_iter()
                .flat_map(|s: Vec<Type>| Scalar::all().map(move |t| [s.clone(), vec![t.into()]].concat()))
                .collect();
        }
        all.retain(|s| op.result_type(s).is_some());
        all
    }

    #[test]
    fn a_partial_has_the_form_its_operand_and_result_ask_for() {
        fn fits(p: &Partial, operand: Scalar, result: Scalar) -> bool {
            match p {
                Partial::Zero => true,
                Partial::Mask(_, p, q) => fits(p, operand, result) && fits(q, operand, result),
                Partial::D(_) => operand.is_real(),
                Partial::Holo(_) | Partial::Pair { .. } | Partial::Rank1 { .. } => {
                    operand.is_complex() && result.is_complex()
                }
                Partial::Grad(_) => operand.is_complex() && result.is_real(),
                Partial::Convert => operand.is_complex() == result.is_complex(),
            }
        }
        for op in Op::ALL {
            for s in signatures(*op) {
                let result = op.result_type(&s).expect("filtered").scalar();
                if !result.is_float() {
                    continue;
                }
                for (i, t) in s.iter().enumerate().filter(|(_, t)| t.is_differentiable()) {
                    let p = rule(*op, &s).partial(i);
                    assert!(fits(p, t.scalar(), result), "{op} {s:?}, operand {i}: {p:?}");
                }
            }
        }
    }

    #[test]
    fn discrete_rows_are_those_the_op_table_calls_discrete() {
        for op in Op::ALL {
            let discrete = op.info().smooth == Smoothness::Discrete;
            for s in signatures(*op) {
                assert_eq!(*rule(*op, &s) == Row::Discrete, discrete, "{op}");
            }
        }
    }
}

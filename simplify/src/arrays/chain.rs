//! The cheapest order of a product of several matrices, by dynamic programming over its parts.
//!
//! Every part of the product can be made as it stands or transposed, (A B)ᵀ = Bᵀ Aᵀ, so that a transposition is done where
//! it costs least, and not at all where another order of operands does without: Aᵀ x = x A for a vector x. Costs are
//! polynomials in the sizes. One order is taken for better than another only if it is at most as expensive for all sizes of 1
//! and more, so with open dimensions the given order often stays.
//!
//! In a loop a part of factors that no iteration changes costs nothing but its first time: it will be moved out of the loop.

use adc_ir::{Dim, Scalar, Value};
use std::ops::Range;

/// Factors of one product, at most: an order of n is found in n³ steps.
pub(super) const MOST: usize = 16;

/// What moving an element of a transposed matrix costs, in floating-point operations.
const MOVE: i64 = 4;

/// A matrix of a product, or the vector at one of its ends.
#[derive(Clone, Debug)]
pub(super) struct Factor {
    /// Where it comes from.
    pub(super) value: Value,
    /// Whether the transposed of it is meant.
    pub(super) transposed: bool,
    /// Rows and columns as it stands in the product. A vector is a row on the left, a column on the right.
    pub(super) rows: Dim,
    pub(super) columns: Dim,
    pub(super) vector: bool,
    pub(super) elem: Scalar,
    /// How many loops it is in.
    pub(super) depth: usize,
}

/// Factors `from..to`, as they stand or transposed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) transposed: bool,
}

/// How a part is made.
#[derive(Clone, Copy, Debug)]
pub(super) enum How {
    /// It is the factor.
    Factor,
    /// The other orientation, transposed.
    Iteration,
    /// The product of two parts.
    Product(Part, Part),
}

#[derive(Clone, Debug)]
struct Best {
    cost: Dim,
    how: How,
}

/// The best way to make each part of a product.
pub(super) struct Orders<'a> {
    factors: &'a [Factor],
    runs: &'a [Dim],
    /// Two for each first and last factor; nothing for parts that are too long.
    cells: Vec<Option<Best>>,
}

impl<'a> Orders<'a> {
    /// Looks at all parts of up to `longest` factors. `runs`: how often so many loops run. `given`: the parts of the product as it is written, each with where it
    /// is cut, which stay where nothing is better for all sizes. `None` if the costs are too large for polynomials, or the
    /// factors are of several precisions.
    pub(super) fn of(
        factors: &'a [Factor],
        longest: usize,
        runs: &'a [Dim],
        given: &[(Range<usize>, usize)],
    ) -> Option<Orders<'a>> {
        if factors.iter().any(|f| f.elem.is_single() != factors[0].elem.is_single()) {
            return None;
        }
        let mut orders = Orders { factors, runs, cells: vec![None; 2 * factors.len() * factors.len()] };
        for from in 0..factors.len() {
            orders.factor(from)?;
        }
        for len in 2..=longest {
            for from in 0..=factors.len() - len {
                let range = from..from + len;
                let first = given.iter().find(|(r, _)| *r == range).map(|(_, cut)| *cut);
                orders.product(range, first)?;
            }
        }
        Some(orders)
    }

    /// What making a part costs.
    pub(super) fn cost(&self, part: Part) -> &Dim {
        &self.cell(part).cost
    }

    /// How the parts are made.
    pub(super) fn plan(self) -> Plan {
        let how = self.cells.into_iter().map(|c| c.map(|c| c.how)).collect();
        Plan { factors: self.factors.len(), how }
    }

    /// Factors as a part. A vector is the same in both orientations.
    pub(super) fn part(&self, range: Range<usize>, transposed: bool) -> Part {
        Part { from: range.start, to: range.end, transposed: transposed && !is_vector(&self.factors[range]) }
    }

    fn cell(&self, p: Part) -> &Best {
        self.cells[place(p, self.factors.len())].as_ref().expect("shorter parts come first")
    }

    fn set(&mut self, p: Part, cost: Dim, how: How) {
        self.cells[place(p, self.factors.len())] = Some(Best { cost, how });
    }

    fn factor(&mut self, at: usize) -> Option<()> {
        let f = &self.factors[at];
        let straight = self.part(at..at + 1, f.transposed);
        self.set(straight, Dim::constant(0), How::Factor);
        if !f.vector {
            let cost = moved(&f.rows, &f.columns, 1)?.mul(&self.runs[f.depth])?;
            self.set(self.part(at..at + 1, !f.transposed), cost, How::Iteration);
        }
        Some(())
    }

    fn product(&mut self, range: Range<usize>, first: Option<usize>) -> Option<()> {
        let vector = is_vector(&self.factors[range.clone()]);
        let others = (range.start + 1..range.end).filter(|cut| Some(*cut) != first);
        let cuts: Vec<usize> = first.into_iter().chain(others).collect();
        let mut best: [Option<Best>; 2] = [None, None];
        for cut in cuts {
            let multiply = multiply(self.runs, self.factors, range.clone(), cut)?;
            for transposed in [false, true] {
                // (A B)ᵀ = Bᵀ Aᵀ
                let (a, b) = (self.part(range.start..cut, transposed), self.part(cut..range.end, transposed));
                let (a, b) = if transposed { (b, a) } else { (a, b) };
                let cost = self.cost(a).add(self.cost(b))?.add(&multiply)?;
                let best = &mut best[(transposed && !vector) as usize];
                if best.as_ref().is_none_or(|c| cheaper(&cost, &c.cost)) {
                    *best = Some(Best { cost, how: How::Product(a, b) });
                }
            }
        }
        let iteration = moved(&self.factors[range.start].rows, &self.factors[range.end - 1].columns, 1)?;
        let iteration = iteration.mul(&self.runs[depth(&self.factors[range.clone()])])?;
        for transposed in [false, true] {
            let Some(cell) = &best[transposed as usize] else { continue };
            let part = self.part(range.clone(), transposed);
            self.set(part, cell.cost.clone(), cell.how);
            if let Some(other) = &best[!transposed as usize] {
                let cost = other.cost.add(&iteration)?;
                if cheaper(&cost, &cell.cost) {
                    self.set(part, cost, How::Iteration);
                }
            }
        }
        Some(())
    }
}

/// What the last multiplication of a product costs that is cut there, in all iterations of the loops that it is in.
pub(super) fn multiply(runs: &[Dim], factors: &[Factor], range: Range<usize>, cut: usize) -> Option<Dim> {
    let (a, b) = (&factors[range.start..cut], &factors[cut..range.end]);
    products(runs, [a, b], [&a[0].rows, &b[0].rows, &b[b.len() - 1].columns])
}

/// What the product of an n × k and a k × m matrix costs, each made of some factors, in all iterations of their loops.
pub(super) fn products(runs: &[Dim], parts: [&[Factor]; 2], size: [&Dim; 3]) -> Option<Dim> {
    let complex = parts.iter().filter(|p| p.iter().any(|f| f.elem.is_complex())).count();
    let once = size.into_iter().try_fold(Dim::constant([2, 4, 8][complex]), |n, d| n.mul(d))?;
    let [a, b] = parts.map(depth);
    once.mul(&runs[a.max(b)])
}

/// How many loops it is in what is made of these factors.
fn depth(factors: &[Factor]) -> usize {
    factors.iter().map(|f| f.depth).max().unwrap_or(0)
}

/// How the parts of a product are made.
pub(super) struct Plan {
    factors: usize,
    how: Vec<Option<How>>,
}

impl Plan {
    /// How a part is made.
    pub(super) fn how(&self, part: Part) -> How {
        self.how[place(part, self.factors)].expect("all parts that are needed are planned")
    }
}

fn place(p: Part, factors: usize) -> usize {
    2 * (p.from * factors + p.to - 1) + p.transposed as usize
}

/// What it costs to transpose a matrix, as the share of one of its users.
pub(super) fn moved(rows: &Dim, columns: &Dim, users: u32) -> Option<Dim> {
    rows.mul(columns)?.mul(&Dim::constant(MOVE / users as i64))
}

fn is_vector(factors: &[Factor]) -> bool {
    factors[0].vector || factors[factors.len() - 1].vector
}

/// Whether `a` is less than `b`, or no more for all values of what the sizes are made of that are 1 or more, and not the same.
pub(super) fn cheaper(a: &Dim, b: &Dim) -> bool {
    let saved = |n: &Dim| n.terms().all(|(_, c)| c >= 0);
    let more = |v: Value| Dim::var(v).add(&Dim::constant(1)).expect("two terms");
    a != b && b.sub(a).and_then(|d| d.substitute(more)).is_some_and(|d| saved(&d))
}

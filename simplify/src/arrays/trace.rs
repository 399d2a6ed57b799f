//! The trace of a product: tr(X Y) = Σ Xᵢⱼ Yⱼᵢ costs n² operations where the product costs n³. tr(X Y) = tr(Y X), so the
//! product is taken round in a circle, and cut where its two parts cost least.

use super::chain::{Orders, Part, cheaper, products};
use super::contract::{Rewrite, product_type};
use adc_ir::{Dim, Func, Inst, Kind, Op, PARTIALS, ReduceOp, Value, ValueData};

/// Factors of a product that is taken round, at most.
const MOST: usize = 8;

/// The matrix whose trace a sum is: Σ index(x, i, i).
pub(super) fn of(inst: &Inst, f: &Func) -> Option<Value> {
    if inst.kind != Kind::Reduce(ReduceOp::Sum) {
        return None;
    }
    let r = &inst.regions[0];
    let ([read], [i], [y]) = (r.insts.as_slice(), r.params.as_slice(), r.yields.as_slice()) else {
        return None;
    };
    let is_element = read.kind == Kind::Index && read.results[0] == *y && read.args[1..] == [*i, *i];
    (is_element && f.ty(*y).is_differentiable() && !f.ty(*y).is_array()).then(|| read.args[0])
}

/// Writes the trace of the product `x` without its last multiplication, if it is a sum over the whole diagonal.
pub(super) fn rewrite(w: &mut Rewrite, inst: &Inst, x: Value) -> Option<()> {
    let flat = w.flat(x);
    let n = flat.factors.len();
    let [lo, hi, step] = [0, 1, 2].map(|k| w.number(inst.args[k]));
    let whole = lo == Dim::constant(0) && step == Dim::constant(1) && hi == flat.factors[0].rows;
    if !(2..=MOST).contains(&n) || !whole || !flat.outer.is_empty() {
        return None;
    }
    let mut round = flat.factors.clone();
    round.extend_from_slice(&flat.factors[..n - 1]);
    let orders = Orders::of(&round, n - 1, &w.runs, &flat.cuts)?;
    // The last product first: it stays where no other cut is better for all sizes.
    let last = flat.cuts.iter().find(|(r, _)| *r == (0..n)).map_or(n - 1, |(_, cut)| *cut);
    let others = (0..n).flat_map(|p| (p + 1..n).map(move |q| (p, q)));
    let mut best: Option<(Dim, [Part; 2])> = None;
    for (p, q) in std::iter::once((0, last)).chain(others) {
        let parts = [cheapest(&orders, p, q), cheapest(&orders, q, p + n)];
        let size = [&round[p].rows, &round[q].rows, &Dim::constant(1)];
        let partial = partial_sums(if parts[0].transposed { size[1] } else { size[0] });
        let last = products(&w.runs, [&round[p..q], &round[q..p + n]], size)?.add(&partial)?;
        let cost = orders.cost(parts[0]).add(orders.cost(parts[1]))?.add(&last)?;
        if best.as_ref().is_none_or(|(c, _)| cheaper(&cost, c)) {
            best = Some((cost, parts));
        }
    }
    let (cost, [left, right]) = best?;
    if !cheaper(&cost, &w.written(&flat)?) {
        return None;
    }
    let (span, plan) = (inst.span, orders.plan());
    let x = w.make(&plan, &round, left, None, span);
    let y = w.make(&plan, &round, right, None, span);
    // X is read row by row.
    let sizes = w.f.shape(x).clone();
    w.sum(&sizes[0], Some(inst.results[0]), span, |w, i| {
        w.sum(&sizes[1], None, span, |w, j| {
            // Xᵢⱼ of the left part goes with Yⱼᵢ.
            let at = if left.transposed == right.transposed { [j, i] } else { [i, j] };
            let (a, b) = (w.element(x, [i, j], span), w.element(y, at, span));
            let [s, t] = [a, b].map(|v| w.f.ty(v).scalar());
            w.emit(Kind::Op(Op::Mul), &[a, b], ValueData::scalar(product_type(s, t)), None, span)
        })
    });
    Some(())
}

/// What adding up the partial sums of so many rows costs. Of open sizes it is nothing: it is of no account where they are large,
/// and where they are not, all is cheap.
fn partial_sums(rows: &Dim) -> Dim {
    let all = |n: i64| n.checked_mul(PARTIALS as i64);
    Dim::constant(rows.as_const().and_then(all).unwrap_or(0))
}

/// The orientation of a part that costs less.
fn cheapest(orders: &Orders, from: usize, to: usize) -> Part {
    let [straight, transposed] = [false, true].map(|transposed| orders.part(from..to, transposed));
    if cheaper(orders.cost(transposed), orders.cost(straight)) { transposed } else { straight }
}

impl Rewrite<'_> {
    /// `x[i, j]`
    fn element(&mut self, x: Value, [i, j]: [Value; 2], span: adc_ir::Span) -> Value {
        let data = self.f.data(x).inner(2);
        self.emit(Kind::Index, &[x, i, j], data, None, span)
    }
}

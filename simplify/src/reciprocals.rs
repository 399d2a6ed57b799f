//! Divisions by one number become products with its reciprocal: where several are by the same number, and where one in a loop is by a
//! number from outside. A division takes as long as four products or more, and vectors have to wait for all of their lanes.
//!
//! Only where bounds say that the divisor is not near 0, so that what was finite stays finite, and not where it is an integer: of those,
//! users know what quotients are exact. A product is off by an ulp and a half where a quotient was by half a one, so only in functions that
//! may be rounded freely (`fp(fast)`), and not where bits decide.

use crate::contract::fits;
use crate::decisions::Deciding;
use crate::facts::Known;
use crate::loops::scan;
use crate::multiples::is_power;
use adc_ir::ranges::Ranges;
use adc_ir::{Const, Func, Inst, Kind, Op, Region, Scalar, Span, Type, Value};
use rustc_hash::{FxHashMap, FxHashSet};

/// The least divisor, which leaves room for products.
const LEAST: f64 = 1e-300;
/// Divisions by one number, at least.
const SHARED: usize = 2;

/// Returns whether there was any.
pub(crate) fn function(f: &mut Func, deciding: &Deciding) -> bool {
    let ranges = Ranges::of(f);
    let mut wanted = FxHashSet::default();
    scan::edit(f, |body, f| {
        let mut look = Look {
            known: Known::of(f, &ranges),
            f,
            deciding,
            place: Place { loops: 0, region: 0 },
            regions: 0,
            loops: 0,
            defined: FxHashMap::default(),
            multiples: FxHashMap::default(),
            literals: FxHashMap::default(),
            shared: FxHashMap::default(),
            wanted: FxHashSet::default(),
        };
        look.f.params.iter().for_each(|p| look.define(p.value));
        look.region(body);
        let Look { wanted: mut found, shared, multiples, .. } = look;
        found.extend(shared.into_iter().filter(|(_, (n, here))| *n >= SHARED && *here).map(|(d, _)| d));
        if !found.is_empty() {
            let params: Vec<Value> = f.params.iter().map(|p| p.value).collect();
            let mut change = Change {
                f,
                deciding,
                wanted: &found,
                multiples: &multiples,
                reciprocals: FxHashMap::default(),
            };
            change.region(body, &params);
        }
        wanted = found;
    });
    !wanted.is_empty()
}

/// The innermost loop and region of an instruction, by number.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Place {
    loops: usize,
    region: usize,
}

struct Look<'a> {
    f: &'a Func,
    deciding: &'a Deciding,
    known: Known<'a>,
    place: Place,
    regions: usize,
    loops: usize,
    defined: FxHashMap<Value, Place>,
    literals: FxHashMap<Value, f64>,
    /// By value: the power of 2 and the number that it is the product of.
    multiples: FxHashMap<Value, (f64, Value)>,
    /// By divisor: how many divisions are in its loop, and whether one is in its own region.
    shared: FxHashMap<Value, (usize, bool)>,
    /// Divisors from outside of a loop.
    wanted: FxHashSet<Value>,
}

impl Look<'_> {
    fn define(&mut self, v: Value) {
        self.defined.insert(v, self.place);
    }

    fn region(&mut self, r: &Region) {
        let mark = self.known.mark();
        for inst in &r.insts {
            for (k, nested) in inst.regions.iter().enumerate() {
                let (mark, around) = (self.known.mark(), self.place);
                self.regions += 1;
                self.loops += usize::from(inst.kind.is_loop());
                let loops = if inst.kind.is_loop() { self.loops } else { around.loops };
                self.place = Place { loops, region: self.regions };
                nested.params.iter().for_each(|v| self.define(*v));
                self.known.enter(inst, k, &self.f.values);
                self.region(nested);
                self.known.forget(mark);
                self.place = around;
            }
            self.inst(inst);
            self.known.learn(inst, &self.f.values);
            inst.results.iter().for_each(|v| self.define(*v));
        }
        self.known.forget(mark);
    }

    fn inst(&mut self, inst: &Inst) {
        match (&inst.kind, &inst.args[..]) {
            (Kind::Const(Const::F64(x)), _) => drop(self.literals.insert(inst.results[0], *x)),
            (Kind::Op(Op::Mul), [a, b]) => {
                for (k, d) in [(a, b), (b, a)] {
                    if let Some(k) = self.literals.get(k).filter(|k| is_power(**k)) {
                        self.multiples.insert(inst.results[0], (*k, *d));
                    }
                }
            }
            (Kind::Op(Op::Div), [_, d]) if is_real(self.f, self.deciding, inst) => {
                let d = self.multiples.get(d).map_or(*d, |(_, d)| *d);
                let range = self.known.get(d).re;
                let far = range.lo >= LEAST || range.hi <= -LEAST;
                let fits = far && !range.integer && !self.literals.contains_key(&d);
                let Some(place) = self.defined.get(&d).filter(|_| fits) else { return };
                if place.loops != self.place.loops {
                    self.wanted.insert(d);
                } else {
                    let (n, here) = self.shared.entry(d).or_default();
                    *n += 1;
                    *here |= *place == self.place;
                }
            }
            _ => {}
        }
    }
}

/// Whether a division is of doubles, and nothing depends on its bits.
fn is_real(f: &Func, deciding: &Deciding, inst: &Inst) -> bool {
    f.ty(inst.results[0]) == Type::F64 && fits(&f.values, deciding, inst)
}

struct Change<'a> {
    f: &'a mut Func,
    deciding: &'a Deciding,
    wanted: &'a FxHashSet<Value>,
    multiples: &'a FxHashMap<Value, (f64, Value)>,
    reciprocals: FxHashMap<Value, Value>,
}

impl Change<'_> {
    fn region(&mut self, r: &mut Region, params: &[Value]) {
        let mut out = Vec::with_capacity(r.insts.len());
        params.iter().for_each(|v| self.reciprocal(*v, None, &mut out));
        for mut inst in std::mem::take(&mut r.insts) {
            for nested in &mut inst.regions {
                let params = nested.params.clone();
                self.region(nested, &params);
            }
            if inst.kind == Kind::Op(Op::Div) && is_real(self.f, self.deciding, &inst) {
                self.division(&mut inst, &mut out);
            }
            let (results, span) = (inst.results.clone(), inst.span);
            out.push(inst);
            results.iter().for_each(|v| self.reciprocal(*v, Some(span), &mut out));
        }
        r.insts = out;
    }

    /// Computes the reciprocal of a divisor as soon as that is known.
    fn reciprocal(&mut self, d: Value, span: Option<Span>, out: &mut Vec<Inst>) {
        if self.wanted.contains(&d) {
            let span = span.unwrap_or(Span::NONE);
            let one = scan::constant(self.f, Const::F64(1.0), span, out);
            let r = scan::emit(self.f, Kind::Op(Op::Div), &[one, d], Scalar::F64.into(), span, out);
            self.reciprocals.insert(d, r);
        }
    }

    fn division(&mut self, inst: &mut Inst, out: &mut Vec<Inst>) {
        let [x, d] = [inst.args[0], inst.args[1]];
        let (k, base) = self.multiples.get(&d).copied().unwrap_or((1.0, d));
        let Some(r) = self.reciprocals.get(&base).copied() else { return };
        inst.kind = Kind::Op(Op::Mul);
        inst.args = [x, r].into_iter().collect();
        if k != 1.0 {
            let y = scan::emit(self.f, Kind::Op(Op::Mul), &[x, r], Scalar::F64.into(), inst.span, out);
            let k = scan::constant(self.f, Const::F64(1.0 / k), inst.span, out);
            inst.args = [k, y].into_iter().collect();
        }
    }
}

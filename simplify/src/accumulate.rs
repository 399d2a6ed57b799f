//! A product that is only added to an element of an array becomes an `fma` with that element, which rounds once instead of twice.
//!
//! Contraction ([`crate::contract`]) of sums in memory. It comes last, because passes over loops look for additions to elements. Copies of
//! arrays for lanes ([`crate::loops::cycles`]) are left alone, as code for lanes adds to them in its own way, and so are elements at
//! indices that are data: what comes to those is added behind the lanes that compute it. Not where bits decide, and not in strict
//! functions.

use crate::contract::fits;
use crate::decisions::Deciding;
use crate::loops::scan;
use adc_ir::{Func, Inst, Kind, Op, Region, Scalar, Value, ValueData, Values};
use rustc_hash::{FxHashMap, FxHashSet};

/// Returns whether there was any.
pub(crate) fn function(f: &mut Func, deciding: &Deciding) -> bool {
    let mut uses = vec![0; f.values.len()];
    if let Some(body) = f.region() {
        body.count_uses(&mut uses);
    }
    let mut any = false;
    scan::edit(f, |body, f| any = region(body, f, deciding, &uses, &mut Places::default()));
    any
}

/// Integers, of whichever region.
#[derive(Default)]
struct Places {
    /// Places in copies of an array.
    copies: FxHashSet<Value>,
    /// What is data, or computed from such.
    data: FxHashSet<Value>,
}

fn region(r: &mut Region, f: &mut Func, deciding: &Deciding, uses: &[u32], places: &mut Places) -> bool {
    let mut any = false;
    let mut products: FxHashMap<Value, [Value; 2]> = FxHashMap::default();
    // Products that nothing needs any more.
    let mut gone: FxHashSet<Value> = FxHashSet::default();
    let mut out = Vec::with_capacity(r.insts.len());
    for mut inst in std::mem::take(&mut r.insts) {
        inst.regions.iter_mut().for_each(|r| any |= region(r, f, deciding, uses, places));
        let Places { copies, data } = &mut *places;
        let is_data = match inst.kind {
            Kind::Index | Kind::Op(Op::ToI64) => true,
            Kind::Op(_) => inst.args.iter().any(|v| data.contains(v)),
            _ => false,
        };
        let results = inst.results.iter().filter(|v| f.ty(**v) == Scalar::I64.into());
        data.extend(results.filter(|_| is_data));
        match inst.kind {
            Kind::Op(Op::Mod) => drop(copies.insert(inst.results[0])),
            Kind::Op(Op::Mul) => {
                let r = inst.results[0];
                let once = uses.get(r.0 as usize) == Some(&1) && f.ty(r) == Scalar::F64.into();
                if once && fits(&f.values, deciding, &inst) {
                    products.insert(r, [inst.args[0], inst.args[1]]);
                }
            }
            Kind::AddAt if !deciding.get(inst.results[0]) => {
                let (array, at) = (inst.args[0], &inst.args[2..]);
                let own =
                    at.last().is_some_and(|v| !copies.contains(v)) && !at.iter().any(|v| data.contains(v));
                if let Some([x, y]) = products.get(&inst.args[1]).filter(|_| own) {
                    gone.insert(inst.args[1]);
                    let number = || ValueData::scalar(Scalar::F64);
                    let place: Vec<Value> = [array].iter().chain(at).copied().collect();
                    let old = scan::emit(f, Kind::Index, &place, number(), inst.span, &mut out);
                    let sum = scan::emit(f, Kind::Op(Op::Fma), &[*x, *y, old], number(), inst.span, &mut out);
                    let args: Values = [array, sum].iter().chain(at).copied().collect();
                    (inst.kind, inst.args, any) = (Kind::Update, args, true);
                }
            }
            _ => {}
        }
        out.push(inst);
    }
    out.retain(|i: &Inst| i.results.first().is_none_or(|v| !gone.contains(v)));
    r.insts = out;
    any
}

//! Instructions that compute the same, with everything nested in them: they differ in the names of what their regions define,
//! in spans, and in nothing else.

use crate::canonicalise::commutes;
use adc_ir::{Dim, Inst, Kind, Region, Shape, Value, ValueData, Values};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Longer ones are not compared: each is looked at once for every loop around it.
const MOST: usize = 400;

/// An instruction as it reads whatever the values in it are called, equal for those that give the same bits.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Key(Vec<Line>);

/// An instruction, or the end of a region with what it yields. What regions define is counted downwards from the last number.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Line {
    Inst { kind: Kind, args: Values, shapes: SmallVec<[Shape; 1]> },
    Yields(Vec<Value>),
}

impl Key {
    /// The key of an instruction with everything in it; `resolve` gives what stands for a value. `None` if it is too long.
    pub(crate) fn of(inst: &Inst, values: &[ValueData], resolve: &dyn Fn(Value) -> Value) -> Option<Key> {
        let mut keys = Keys { values, resolve, names: FxHashMap::default(), key: Key::default() };
        keys.inst(inst)?;
        Some(keys.key)
    }
}

struct Keys<'a> {
    values: &'a [ValueData],
    resolve: &'a dyn Fn(Value) -> Value,
    /// What the values are called that are defined in it.
    names: FxHashMap<Value, Value>,
    key: Key,
}

impl Keys<'_> {
    fn inst(&mut self, inst: &Inst) -> Option<()> {
        if self.key.0.len() > MOST {
            return None;
        }
        let mut args: Values = inst.args.iter().map(|v| self.name(*v)).collect();
        if matches!(inst.kind, Kind::Op(op) if commutes(op)) {
            args[..2].sort_unstable();
        }
        let kind = match &inst.kind {
            Kind::Size(dim) => Kind::Size(self.dim(dim)),
            kind => kind.clone(),
        };
        let shapes = match inst.kind.has_own_shape() {
            true => inst.results.iter().map(|v| self.shape(*v)).collect(),
            false => SmallVec::new(),
        };
        self.key.0.push(Line::Inst { kind, args, shapes });
        inst.regions.iter().try_for_each(|r| self.region(r))?;
        inst.results.iter().for_each(|v| self.define(*v));
        Some(())
    }

    fn region(&mut self, r: &Region) -> Option<()> {
        r.params.iter().for_each(|v| self.define(*v));
        r.insts.iter().try_for_each(|i| self.inst(i))?;
        let yields = r.yields.iter().map(|v| self.name(*v)).collect();
        self.key.0.push(Line::Yields(yields));
        Some(())
    }

    fn define(&mut self, v: Value) {
        self.names.insert(v, Value(u32::MAX - self.names.len() as u32));
    }

    fn name(&self, v: Value) -> Value {
        let v = (self.resolve)(v);
        self.names.get(&v).copied().unwrap_or(v)
    }

    fn dim(&self, dim: &Dim) -> Dim {
        dim.rename(|v| self.name(v))
    }

    fn shape(&self, v: Value) -> Shape {
        self.values[v.0 as usize].shape.iter().map(|d| self.dim(d)).collect()
    }
}

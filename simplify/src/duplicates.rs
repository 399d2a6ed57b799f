//! Instructions that compute the same, with everything nested in them: they differ in the names of what their regions define,
//! in spans, and in nothing else.

use adc_ir::{Const, Dim, Inst, Kind, Region, Shape, Value, ValueData};
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
    Inst { kind: Kind, args: SmallVec<[Name; 3]>, shapes: SmallVec<[Shape; 1]> },
    Yields(Vec<Name>),
}

/// What a value is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Name {
    Value(Value),
    /// Wherever it is defined.
    Literal(Const),
}

impl Name {
    fn order(self) -> (bool, u32, u64, u64) {
        match self {
            Name::Value(v) => (false, v.0, 0, 0),
            Name::Literal(c) => {
                let (ty, a, b) = c.bits();
                (true, ty as u32, a, b)
            }
        }
    }
}

/// What is known of the values around.
pub(crate) trait Around {
    /// What stands for a value.
    fn resolve(&self, v: Value) -> Value;
    /// The literal that it is, if that is known.
    fn literal(&self, v: Value) -> Option<Const>;
}

impl Key {
    /// The key of an instruction with everything in it. `None` if it is too long.
    pub(crate) fn of(inst: &Inst, values: &[ValueData], around: &dyn Around) -> Option<Key> {
        let mut lines = 0;
        count(inst, &mut lines)?;
        let names = FxHashMap::with_capacity_and_hasher(lines, Default::default());
        let mut keys = Keys { values, around, names, defined: 0, key: Key(Vec::with_capacity(lines)) };
        keys.inst(inst);
        Some(keys.key)
    }
}

/// Adds the lines of an instruction; `None` if there are too many.
fn count(inst: &Inst, lines: &mut usize) -> Option<()> {
    *lines += 1 + inst.regions.len();
    if *lines > MOST {
        return None;
    }
    let mut nested = inst.regions.iter().flat_map(|r| &r.insts);
    nested.try_for_each(|i| if matches!(i.kind, Kind::Const(_)) { Some(()) } else { count(i, lines) })
}

struct Keys<'a> {
    values: &'a [ValueData],
    around: &'a dyn Around,
    /// What the values are called that are defined in it.
    names: FxHashMap<Value, Name>,
    /// How many of them are no literals.
    defined: u32,
    key: Key,
}

impl Keys<'_> {
    fn inst(&mut self, inst: &Inst) {
        let mut args: SmallVec<[Name; 3]> = inst.args.iter().map(|v| self.name(*v)).collect();
        if matches!(inst.kind, Kind::Op(op) if op.commutes()) {
            args[..2].sort_unstable_by_key(|n| n.order());
        }
        let kind = match &inst.kind {
            Kind::Size(dim) => Kind::Size(Box::new(self.dim(dim))),
            kind => kind.clone(),
        };
        let shapes = match inst.kind.has_own_shape() {
            true => inst.results.iter().map(|v| self.shape(*v)).collect(),
            false => SmallVec::new(),
        };
        self.key.0.push(Line::Inst { kind, args, shapes });
        inst.regions.iter().for_each(|r| self.region(r));
        inst.results.iter().for_each(|v| self.define(*v));
    }

    fn region(&mut self, r: &Region) {
        r.params.iter().for_each(|v| self.define(*v));
        for inst in &r.insts {
            match &inst.kind {
                Kind::Const(c) => drop(self.names.insert(inst.results[0], Name::Literal(*c))),
                _ => self.inst(inst),
            }
        }
        let yields = r.yields.iter().map(|v| self.name(*v)).collect();
        self.key.0.push(Line::Yields(yields));
    }

    fn define(&mut self, v: Value) {
        self.names.insert(v, Name::Value(Value(u32::MAX - self.defined)));
        self.defined += 1;
    }

    fn name(&self, v: Value) -> Name {
        if let Some(name) = self.names.get(&v) {
            return *name;
        }
        let v = self.around.resolve(v);
        self.around.literal(v).map_or(Name::Value(v), Name::Literal)
    }

    fn dim(&self, dim: &Dim) -> Dim {
        let number = |v: Value| match self.name(v) {
            Name::Literal(Const::I64(n)) => Dim::constant(n),
            Name::Literal(_) => Dim::var(v),
            Name::Value(v) => Dim::var(v),
        };
        dim.substitute(number).unwrap_or_else(|| dim.clone())
    }

    fn shape(&self, v: Value) -> Shape {
        self.values[v.0 as usize].shape.iter().map(|d| self.dim(d)).collect()
    }
}

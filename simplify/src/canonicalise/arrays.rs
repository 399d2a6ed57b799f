//! Arrays and loops: duplicates, elements of rearranged arrays, small arrays as the list of their elements, carries that do not
//! change.

use super::Canon;
use adc_ir::{Const, Inst, Kind, Op, Shape, Span, Value, Values};

/// Elements of an array that is taken apart, at most.
const SMALL: i64 = 16;

/// What an `index` comes down to.
enum Element {
    Keep,
    /// A value that is there.
    Value(Value),
    /// Another `index`, with these operands.
    Index(Values),
}

impl Canon<'_> {
    /// Finds the carries that no iteration changes: they are what they begin with, in the regions of the loop and behind it.
    ///
    /// Behind a `while` that holds only if the loop ends. So its results stay its own as long as anything uses them: otherwise a
    /// loop without end would be removed, as one whose results nobody needs. What comes back are the parameters of such
    /// carries, which have to go on yielding themselves.
    pub(super) fn constant_carries(&mut self, inst: &mut Inst) -> Values {
        let mut own = Values::new();
        let Some(first) = inst.kind.first_carry() else { return own };
        // Of a `for` the first parameter is the index.
        let before = matches!(inst.kind, Kind::For(_)) as usize;
        for k in (0..inst.args.len() - first).rev() {
            let body = inst.regions.last().expect("a loop has a body");
            let param = body.params[before + k];
            if body.yields[k] != param {
                continue;
            }
            let (init, result) = (inst.args[first + k], inst.results[k]);
            if matches!(inst.kind, Kind::While(_)) {
                let array = self.values[result.0 as usize].ty.is_array();
                if !array {
                    inst.regions.iter().for_each(|r| self.replaced[r.params[k].0 as usize] = init);
                    own.push(param);
                }
                // Of an array, two names would be two copies. Uses of scalars as sizes are not counted.
                if !array || self.uses[result.0 as usize] > 0 {
                    continue;
                }
            }
            inst.args.remove(first + k);
            for r in &mut inst.regions {
                self.replaced[r.params.remove(before + k).0 as usize] = init;
            }
            inst.regions.last_mut().expect("a loop has a body").yields.remove(k);
            self.replaced[inst.results.remove(k).0 as usize] = init;
        }
        own
    }

    /// A kind on arrays that gives the same for the same operands.
    pub(super) fn array(&mut self, mut inst: Inst) {
        let r = inst.results[0];
        if inst.kind == Kind::Index {
            match self.element(&inst.args, inst.span) {
                Element::Value(v) => {
                    self.replaced[r.0 as usize] = v;
                    return;
                }
                Element::Index(args) => inst.args = args,
                Element::Keep => {}
            }
        }
        if let Some(v) = self.moved(&mut inst) {
            self.replaced[r.0 as usize] = v;
            return;
        }
        let own = inst.kind.has_own_shape();
        let shape = if own { self.values[r.0 as usize].shape.clone() } else { Shape::new() };
        let shape = shape.iter().map(|d| d.rename(|v| self.resolve(v))).collect();
        let key = (inst.kind.clone(), inst.args.clone(), shape);
        match self.table.array(&key) {
            Some(duplicate) => self.replaced[r.0 as usize] = duplicate,
            None => {
                self.table.add_array(key, r);
                self.made.insert(r, (inst.kind.clone(), inst.args.clone()));
                self.emit(inst);
            }
        }
    }

    /// A small array of one value is that of its elements, which may be replaced one by one.
    pub(super) fn fill(&mut self, inst: Inst) {
        let r = inst.results[0];
        let rank = self.values[r.0 as usize].shape.len() - self.values[inst.args[0].0 as usize].shape.len();
        let sizes: Option<Vec<i64>> =
            self.values[r.0 as usize].shape[..rank].iter().map(adc_ir::Dim::as_const).collect();
        let Some(sizes) = sizes.filter(|s| s.iter().all(|n| *n > 0) && s.iter().product::<i64>() <= SMALL)
        else {
            return self.emit(inst);
        };
        let mut v = inst.args[0];
        for n in sizes.into_iter().rev() {
            v = self.pack(std::iter::repeat_n(v, n as usize).collect(), inst.span);
        }
        self.replaced[r.0 as usize] = v;
    }

    /// An array made of its elements.
    fn pack(&mut self, args: Values, span: Span) -> Value {
        let v = self.fresh(self.values[args[0].0 as usize].outer(&[(args.len() as i64).into()]));
        let results = Values::from_slice(&[v]);
        self.array(Inst { kind: Kind::Pack, args, results, regions: Vec::new(), span });
        self.resolve(v)
    }

    /// A write of an element: where all are known, the array of them with another one.
    pub(super) fn write(&mut self, inst: Inst) {
        let (x, v) = (inst.args[0], inst.args[1]);
        let index: Option<Vec<usize>> = (inst.args[2..].iter())
            .map(|i| match self.literal(*i) {
                Some(Const::I64(i)) => usize::try_from(i).ok(),
                _ => None,
            })
            .collect();
        let written = index.and_then(|index| self.written(x, v, &index, inst.kind == Kind::AddAt, inst.span));
        match (written, self.made.get(&v)) {
            (Some(y), _) => self.replaced[inst.results[0].0 as usize] = y,
            (None, Some((Kind::Pack, terms))) if inst.kind == Kind::AddAt => {
                let terms = terms.clone();
                self.add_each(inst, &terms);
            }
            _ => self.emit(inst),
        }
    }

    /// An addition of a small array, as those of its elements.
    fn add_each(&mut self, inst: Inst, terms: &[Value]) {
        let Inst { args, results, span, .. } = inst;
        let mut array = args[0];
        for (k, term) in terms.iter().enumerate() {
            let result = match k + 1 == terms.len() {
                true => results[0],
                false => self.fresh(self.values[results[0].0 as usize].clone()),
            };
            let at = self.constant(Const::I64(k as i64), None, span);
            let args = [&[array, *term], &args[2..], &[at]].concat().into();
            let results = Values::from_slice(&[result]);
            self.write(Inst { kind: Kind::AddAt, args, results, regions: Vec::new(), span });
            array = result;
        }
    }

    /// A write of a part: where all elements are known, the array of them with others in that place.
    pub(super) fn write_slice(&mut self, inst: Inst) {
        let (x, part) = (inst.args[0], inst.args[1]);
        let start = match self.literal(inst.args[2]) {
            Some(Const::I64(start)) => usize::try_from(start).ok(),
            _ => None,
        };
        let add = inst.kind == Kind::AddSlice;
        let written = start.and_then(|start| {
            let (mut all, part) = (self.elements(x)?, self.elements(part)?);
            for (at, v) in all.get_mut(start..start.checked_add(part.len())?)?.iter_mut().zip(&part) {
                *at = if add { self.added(*at, *v, inst.span)? } else { *v };
            }
            Some(self.pack(all, inst.span))
        });
        match written {
            Some(y) => self.replaced[inst.results[0].0 as usize] = y,
            None => self.emit(inst),
        }
    }

    /// The elements of a small array, if they are known.
    fn elements(&self, x: Value) -> Option<Values> {
        match self.made.get(&x) {
            Some((Kind::Pack, args)) if args.len() <= SMALL as usize => Some(args.clone()),
            _ => None,
        }
    }

    /// `x` with `v` at `index`, or added there.
    fn written(&mut self, x: Value, v: Value, index: &[usize], add: bool, span: Span) -> Option<Value> {
        let Some((i, rest)) = index.split_first() else {
            if !add {
                return Some(v);
            }
            return self.added(x, v, span);
        };
        let mut args = self.elements(x)?;
        let element = *args.get(*i)?;
        args[*i] = self.written(element, v, rest, add, span)?;
        Some(self.pack(args, span))
    }

    /// The sum of two scalars, or of two small arrays whose elements are known.
    fn added(&mut self, x: Value, v: Value, span: Span) -> Option<Value> {
        if !self.values[x.0 as usize].ty.is_array() {
            return Some(self.op(Op::Add, Values::from_slice(&[x, v]), None, span));
        }
        let sizes: Option<Vec<i64>> =
            self.values[x.0 as usize].shape.iter().map(adc_ir::Dim::as_const).collect();
        sizes.filter(|s| s.iter().product::<i64>() <= SMALL)?;
        let (x, v) = (self.elements(x)?, self.elements(v)?);
        let sums: Option<Values> = x.iter().zip(&v).map(|(x, v)| self.added(*x, *v, span)).collect();
        Some(self.pack(sums?, span))
    }

    /// What an element of an array is, whose array is made of others.
    fn element(&mut self, args: &[Value], span: Span) -> Element {
        let (x, mut index) = (args[0], args[1..].to_vec());
        let (mut from, mut found) = (x, None);
        while let Some((kind, of)) = self.made.get(&from).cloned() {
            match kind {
                Kind::Reshape => match self.reshaped(from, of[0], &index, span) {
                    Some(at) => index = at,
                    None => break,
                },
                Kind::Index => index = [&of[1..], &index].concat(),
                Kind::Transpose if index.len() >= 2 => index.swap(0, 1),
                Kind::Pack => {
                    let Some(Const::I64(i)) = self.literal(index[0]) else { break };
                    let Some(v) = usize::try_from(i).ok().and_then(|i| of.get(i)) else { break };
                    index.remove(0);
                    if index.is_empty() {
                        return Element::Value(*v);
                    }
                    from = *v;
                    found = Some(from);
                    continue;
                }
                _ => break,
            }
            from = of[0];
            found = Some(from);
        }
        match found {
            Some(from) => Element::Index([&[from], index.as_slice()].concat().into()),
            None => Element::Keep,
        }
    }
}

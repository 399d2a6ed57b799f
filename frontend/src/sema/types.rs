//! Types while they are being inferred.
//!
//! A number's type has two halves that are solved separately, which is what makes the outcome
//! independent of the order of visiting:
//!
//! * its [`Class`] — undecided, integer, or floating point of undecided, single or double precision —
//!   is *unified* (union-find): the sides of `+`, of an assignment, of a call's argument agree in it;
//! * whether it is *complex* is a least fixed point over the flow of values: `r = a + b` is complex if
//!   `a` or `b` is, a `var` that started with an open literal is complex if something complex is ever
//!   assigned. Nothing flows backwards, so a literal beside a complex operand stays real.
//!
//! Arrays have such a type for their elements and sizes beside it ([`super::dims`]). Ranks and sizes are known when an
//! expression is looked at, so nothing is solved for them.

use super::dims::Syms;
use adc_ir::{Scalar, Shape, Span};
use std::rc::Rc;

/// The type of an expression.
#[derive(Clone, Debug)]
pub enum Ty {
    /// Something wrong was reported; agrees with everything, so that one mistake gives one message.
    Error,
    /// The type of a block without a value.
    Unit,
    /// `bool`
    Bool,
    /// A number.
    Num(Num),
    /// An array of booleans or numbers (or of what was reported), with at least one size.
    Array(Box<Ty>, Shape),
    /// Two or more values, or results.
    Tuple(Vec<Ty>),
    /// A function passed as a parameter.
    Fn(Rc<FnTy>),
}

/// The type of a function-typed parameter.
#[derive(Debug)]
pub struct FnTy {
    /// In order.
    pub params: Vec<Ty>,
    /// A value or a tuple.
    pub result: Ty,
}

/// A number's type: both halves.
#[derive(Clone, Copy, Debug)]
pub struct Num {
    /// Integer or floating point, and which precision.
    pub class: ClassId,
    /// Real or complex.
    pub cx: CxId,
}

/// A node of the union-find forest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClassId(u32);

/// A node of the flow graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CxId(u32);

impl CxId {
    /// Real, whatever else is found.
    pub const REAL: CxId = CxId(0);
    /// Complex.
    pub const COMPLEX: CxId = CxId(1);
    /// A real literal: real itself, but a `var` that starts with it may become complex.
    pub const OPEN: CxId = CxId(2);
}

impl ClassId {
    /// The class of `i64`.
    pub const INT: ClassId = ClassId(0);
    /// The class of `f32` and `c64`.
    pub const SINGLE: ClassId = ClassId(1);
    /// The class of `f64` and `c128`.
    pub const DOUBLE: ClassId = ClassId(2);
}

/// What is known of a number's representation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Nothing: an integer literal that met nothing yet. Ends as [`Class::Int`].
    Open,
    /// Nothing: an array such as `zeros(3)` that met nothing yet. Ends as [`Class::Double`].
    Any,
    /// `i64`
    Int,
    /// Real or complex of a precision not known yet. Ends as [`Class::Double`].
    Float,
    /// `f32` or `c64`
    Single,
    /// `f64` or `c128`
    Double,
}

impl Class {
    /// The class both belong to, or `None`.
    fn meet(self, o: Class) -> Option<Class> {
        use Class::*;
        match (self, o) {
            (a, b) if a == b => Some(a),
            (Open, x) | (x, Open) => Some(x),
            (Any, x) | (x, Any) => Some(x),
            (Float, x @ (Single | Double)) | (x @ (Single | Double), Float) => Some(x),
            _ => None,
        }
    }

    /// Whether it is known to be real or complex.
    pub fn is_float(self) -> bool {
        matches!(self, Class::Float | Class::Single | Class::Double)
    }
}

/// Two number types that cannot be one.
#[derive(Clone, Copy, Debug)]
pub struct Clash;

struct ClassNode {
    parent: u32,
    size: u32,
    class: Class,
    /// What decided the class, if it was open before: set when this root is hung under another, or
    /// when its class is narrowed.
    because: Option<Span>,
    /// It met something that was reported, so nobody knows what it would have become.
    tainted: bool,
}

struct CxNode {
    complex: bool,
    /// Whether assignments may still make it complex.
    raisable: bool,
}

/// The values that a tuple consists of, with those of tuples in it, at most: each has to be named and moved by itself.
pub const MAX_PARTS: usize = 4096;

impl Ty {
    /// How many values a tuple consists of, with those of tuples in it.
    pub fn parts(&self) -> usize {
        match self {
            Ty::Tuple(ts) => ts.iter().map(Ty::parts).sum(),
            _ => 1,
        }
    }

    /// An array of these sizes; the element itself if there are none, or it was reported.
    pub fn array(elem: Ty, shape: Shape) -> Ty {
        if shape.is_empty() || matches!(elem, Ty::Error) { elem } else { Ty::Array(Box::new(elem), shape) }
    }

    /// The type of the elements of an array; any other type is its own.
    pub fn elem(&self) -> &Ty {
        match self {
            Ty::Array(elem, _) => elem,
            _ => self,
        }
    }

    /// The sizes of an array; none of others.
    pub fn shape(&self) -> &[adc_ir::Dim] {
        match self {
            Ty::Array(_, shape) => shape,
            _ => &[],
        }
    }

    /// The number type of a number, or of the elements of an array.
    pub fn num(&self) -> Option<Num> {
        match self.elem() {
            Ty::Num(n) => Some(*n),
            _ => None,
        }
    }

    /// Whether the type, or that of the elements, was reported.
    pub fn is_error(&self) -> bool {
        matches!(self.elem(), Ty::Error)
    }

    /// The declared type of a scalar, or of the elements of an array.
    pub fn declared_elem(&self) -> Option<Scalar> {
        self.elem().declared()
    }

    /// The type of a declared scalar.
    pub fn declared(&self) -> Option<Scalar> {
        match self {
            Ty::Bool => Some(Scalar::Bool),
            Ty::Num(n) => {
                let real = match n.class {
                    ClassId::INT => Scalar::I64,
                    ClassId::SINGLE => Scalar::F32,
                    ClassId::DOUBLE => Scalar::F64,
                    _ => return None,
                };
                if n.cx == CxId::COMPLEX { real.complex() } else { Some(real) }
            }
            Ty::Error | Ty::Unit | Ty::Array(..) | Ty::Tuple(_) | Ty::Fn(_) => None,
        }
    }
}

/// One value of those a type consists of.
#[derive(Clone, Debug)]
pub struct Flat {
    /// Its type, or that of its elements.
    pub elem: Scalar,
    /// The sizes of an array.
    pub shape: Shape,
}

/// The types of one function body.
pub struct Types {
    /// What its sizes are made of.
    pub syms: Syms,
    classes: Vec<ClassNode>,
    cxs: Vec<CxNode>,
    flows: Vec<(CxId, CxId)>,
}

impl Types {
    /// Nothing but the fixed types.
    pub fn new(syms: Syms) -> Types {
        let class = |i: usize, class| ClassNode {
            parent: i as u32,
            size: 1 << 30,
            class,
            because: None,
            tainted: false,
        };
        Types {
            syms,
            classes: vec![class(0, Class::Int), class(1, Class::Single), class(2, Class::Double)],
            cxs: vec![
                CxNode { complex: false, raisable: false },
                CxNode { complex: true, raisable: false },
                CxNode { complex: false, raisable: true },
            ],
            flows: Vec::new(),
        }
    }

    /// A declared type.
    pub fn fixed(s: Scalar) -> Ty {
        let class = match s {
            Scalar::Bool => return Ty::Bool,
            Scalar::I64 => ClassId::INT,
            Scalar::F32 | Scalar::C64 => ClassId::SINGLE,
            Scalar::F64 | Scalar::C128 => ClassId::DOUBLE,
        };
        Ty::Num(Num { class, cx: if s.is_complex() { CxId::COMPLEX } else { CxId::REAL } })
    }

    /// A new class.
    pub fn class(&mut self, class: Class) -> ClassId {
        let i = self.classes.len() as u32;
        self.classes.push(ClassNode { parent: i, size: 1, class, because: None, tainted: false });
        ClassId(i)
    }

    /// The type of a literal of this class.
    pub fn literal(&mut self, class: Class, complex: bool) -> Ty {
        let cx = if complex { CxId::COMPLEX } else { CxId::OPEN };
        Ty::Num(Num { class: self.class(class), cx })
    }

    fn root(&self, c: ClassId) -> usize {
        let mut i = c.0 as usize;
        // No path compression: unions are by size, so paths are short, and every node on the way keeps
        // its own `because`.
        while self.classes[i].parent as usize != i {
            i = self.classes[i].parent as usize;
        }
        i
    }

    /// What is known of a class now.
    pub fn class_of(&self, c: ClassId) -> Class {
        self.classes[self.root(c)].class
    }

    /// Makes two classes one; `because_a` is the place that speaks for `a`, shown when a class that was
    /// open clashes later.
    pub fn unify(&mut self, a: ClassId, b: ClassId, because_a: Span, because_b: Span) -> Result<(), Clash> {
        let (ra, rb) = (self.root(a), self.root(b));
        if ra == rb {
            return Ok(());
        }
        let (ca, cb) = (self.classes[ra].class, self.classes[rb].class);
        let class = ca.meet(cb).ok_or(Clash)?;
        if class != ca {
            self.classes[ra].because.get_or_insert(because_b);
        }
        if class != cb {
            self.classes[rb].because.get_or_insert(because_a);
        }
        let (low, high) = if self.classes[ra].size < self.classes[rb].size { (ra, rb) } else { (rb, ra) };
        self.classes[low].parent = high as u32;
        self.classes[high].size = self.classes[high].size.saturating_add(self.classes[low].size);
        self.classes[high].class = class;
        self.classes[high].tainted |= self.classes[low].tainted;
        Ok(())
    }

    /// Notes that an open number met something that was reported: it is not judged then.
    pub fn taint(&mut self, ty: &Ty) {
        match ty {
            Ty::Num(n) => {
                let r = self.root(n.class);
                self.classes[r].tainted |=
                    matches!(self.classes[r].class, Class::Open | Class::Any | Class::Float);
            }
            Ty::Array(elem, _) => self.taint(elem),
            Ty::Tuple(ts) => ts.iter().for_each(|t| self.taint(t)),
            Ty::Error | Ty::Unit | Ty::Bool | Ty::Fn(_) => {}
        }
    }

    /// Whether the class ended as an integer for certain.
    pub fn is_integer(&self, c: ClassId) -> bool {
        let node = &self.classes[self.root(c)];
        matches!(node.class, Class::Open | Class::Int) && !node.tainted
    }

    /// Narrows a class to one that is known, for a demand made at `because`.
    pub fn narrow(&mut self, c: ClassId, to: Class, because: Span) -> Result<(), Clash> {
        let r = self.root(c);
        let class = self.classes[r].class.meet(to).ok_or(Clash)?;
        if class != self.classes[r].class {
            self.classes[r].because.get_or_insert(because);
            self.classes[r].class = class;
        }
        Ok(())
    }

    /// The place that decided a class which was open once.
    pub fn because(&self, c: ClassId) -> Option<Span> {
        let mut i = c.0 as usize;
        loop {
            let node = &self.classes[i];
            if node.because.is_some() || node.parent as usize == i {
                return node.because;
            }
            i = node.parent as usize;
        }
    }

    /// Complex if one of both is.
    pub fn either(&mut self, a: CxId, b: CxId) -> CxId {
        use CxId as C;
        match (a, b) {
            _ if a == b => a,
            (C::COMPLEX, _) | (_, C::COMPLEX) => C::COMPLEX,
            (C::REAL, C::OPEN) | (C::OPEN, C::REAL) => C::REAL,
            (x, C::OPEN) | (C::OPEN, x) => x,
            _ => {
                let raisable = self.raisable(a) && self.raisable(b);
                let r = self.cx(raisable);
                self.flows.push((a, r));
                self.flows.push((b, r));
                r
            }
        }
    }

    fn cx(&mut self, raisable: bool) -> CxId {
        self.cxs.push(CxNode { complex: false, raisable });
        CxId(self.cxs.len() as u32 - 1)
    }

    fn raisable(&self, c: CxId) -> bool {
        self.cxs[c.0 as usize].raisable
    }

    /// The real half of a result computed from `c`: still open if `c` is.
    pub fn real_like(&self, c: CxId) -> CxId {
        if self.raisable(c) { CxId::OPEN } else { CxId::REAL }
    }

    /// The type of a `var` that starts with a value of type `ty`: open literals leave it open.
    pub fn slot(&mut self, ty: &Ty) -> Ty {
        match ty {
            Ty::Num(n) if self.raisable(n.cx) => {
                let cx = self.cx(true);
                self.flows.push((n.cx, cx));
                Ty::Num(Num { class: n.class, cx })
            }
            Ty::Array(elem, shape) => Ty::Array(Box::new(self.slot(elem)), shape.clone()),
            Ty::Tuple(ts) => Ty::Tuple(ts.iter().map(|t| self.slot(t)).collect()),
            _ => ty.clone(),
        }
    }

    /// A value flows into a place. `None`: the place takes it (or grows to); `Some`: the pair has to be
    /// looked at with [`Self::is_complex`] after [`Self::solve`].
    pub fn flow(&mut self, from: CxId, to: CxId) -> Option<(CxId, CxId)> {
        if from == to || to == CxId::COMPLEX || from == CxId::REAL || from == CxId::OPEN {
            None
        } else if self.raisable(to) {
            self.flows.push((from, to));
            None
        } else {
            Some((from, to))
        }
    }

    /// Decides what is complex.
    pub fn solve(&mut self) {
        let mut next: Vec<Vec<CxId>> = vec![Vec::new(); self.cxs.len()];
        for (from, to) in &self.flows {
            next[from.0 as usize].push(*to);
        }
        let mut todo: Vec<usize> = (0..self.cxs.len()).filter(|&i| self.cxs[i].complex).collect();
        while let Some(i) = todo.pop() {
            for to in std::mem::take(&mut next[i]) {
                let node = &mut self.cxs[to.0 as usize];
                if !node.complex {
                    node.complex = true;
                    todo.push(to.0 as usize);
                }
            }
        }
    }

    /// Whether it is complex; final after [`Self::solve`].
    pub fn is_complex(&self, c: CxId) -> bool {
        self.cxs[c.0 as usize].complex
    }

    /// The element type; what is still open takes its default. Final after [`Self::solve`].
    pub fn scalar(&self, n: Num) -> Scalar {
        match (self.class_of(n.class), self.is_complex(n.cx)) {
            (Class::Open | Class::Int, _) => Scalar::I64,
            (Class::Single, false) => Scalar::F32,
            (Class::Single, true) => Scalar::C64,
            (Class::Any | Class::Float | Class::Double, false) => Scalar::F64,
            (Class::Any | Class::Float | Class::Double, true) => Scalar::C128,
        }
    }

    /// The type in the words of the source; what is open shows its default.
    pub fn show(&self, ty: &Ty) -> String {
        match ty {
            Ty::Error => "unknown".into(),
            Ty::Unit => "no value".into(),
            Ty::Bool => "bool".into(),
            Ty::Num(n) => self.scalar(*n).name().into(),
            Ty::Array(elem, shape) => format!("{}[{}]", self.show(elem), self.show_shape(shape)),
            Ty::Tuple(ts) => self.show_list(ts),
            Ty::Fn(f) => self.show_fn(f),
        }
    }

    /// Sizes in the words of the source: `N, 3`.
    pub fn show_shape(&self, shape: &[adc_ir::Dim]) -> String {
        shape.iter().map(|d| self.syms.show(d)).collect::<Vec<_>>().join(", ")
    }

    /// A function type in the words of the source.
    pub fn show_fn(&self, f: &FnTy) -> String {
        format!("fn{} -> {}", self.show_list(&f.params), self.show(&f.result))
    }

    fn show_list(&self, ts: &[Ty]) -> String {
        let parts: Vec<String> = ts.iter().map(|t| self.show(t)).collect();
        format!("({})", parts.join(", "))
    }

    /// The values a type consists of, in order; none for functions and errors.
    pub fn flatten(&self, ty: &Ty) -> Vec<Flat> {
        fn go(types: &Types, ty: &Ty, out: &mut Vec<Flat>) {
            let elem = match ty.elem() {
                Ty::Error | Ty::Unit | Ty::Fn(_) | Ty::Array(..) => return,
                Ty::Tuple(ts) => return ts.iter().for_each(|t| go(types, t, out)),
                Ty::Bool => Scalar::Bool,
                Ty::Num(n) => types.scalar(*n),
            };
            out.push(Flat { elem, shape: ty.shape().to_vec() });
        }
        let mut out = Vec::new();
        go(self, ty, &mut out);
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn num(ty: Ty) -> Num {
        let Ty::Num(n) = ty else { panic!("not a number: {ty:?}") };
        n
    }

    #[test]
    fn open_literals_take_what_they_meet_and_stay_real() {
        let mut t = Types::new(Syms::default());
        let a = num(t.literal(Class::Open, false));
        let z = num(Types::fixed(Scalar::C128));
        t.unify(a.class, z.class, Span::NONE, Span::NONE).unwrap();
        let r = Num { class: a.class, cx: t.either(a.cx, z.cx) };
        t.solve();
        assert_eq!((t.scalar(a), t.scalar(r)), (Scalar::F64, Scalar::C128));
    }

    #[test]
    fn a_var_grows_complex_only_if_it_started_open() {
        for (start, grows) in [(None, true), (Some(Scalar::F64), false)] {
            let mut t = Types::new(Syms::default());
            let init = start.map_or_else(|| t.literal(Class::Open, false), Types::fixed);
            let s = num(t.slot(&init));
            let z = num(Types::fixed(Scalar::C64));
            let clash = t.unify(s.class, z.class, Span::NONE, Span::NONE).is_err();
            assert_eq!(clash, !grows);
            let pending = t.flow(z.cx, s.cx);
            t.solve();
            assert_eq!(pending.is_none(), grows);
            assert_eq!(t.is_complex(s.cx), grows);
        }
    }

    #[test]
    fn defaults_of_what_stays_open() {
        let mut t = Types::new(Syms::default());
        let (i, r, z) =
            (t.literal(Class::Open, false), t.literal(Class::Float, false), t.literal(Class::Float, true));
        let shown: Vec<String> = [i, r, z].iter().map(|x| t.show(x)).collect();
        assert_eq!(shown, ["i64", "f64", "c128"]);
    }

    #[test]
    fn integers_and_reals_clash_and_the_reason_is_kept() {
        let mut t = Types::new(Syms::default());
        let here = Span::new(adc_ir::FileId(0), 3, 4);
        let a = num(t.literal(Class::Open, false));
        t.unify(a.class, ClassId::INT, Span::NONE, here).unwrap();
        assert!(t.unify(a.class, ClassId::DOUBLE, Span::NONE, Span::NONE).is_err());
        assert_eq!(t.because(a.class), Some(here));
    }
}

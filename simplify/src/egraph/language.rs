//! The language of the e-graph: ops of the table over leaves, and what is known of each class.

use crate::facts::Facts;
use adc_ir::interp::fold;
use adc_ir::{Const, Op, Scalar, Type};
use egg::{Analysis, DidMerge, EGraph, Id, Language};
use smallvec::SmallVec;
use std::cmp::Ordering;
use std::hash::{Hash, Hasher};

/// What a node is, its operands left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Head {
    /// A value from outside, by its place in [`Known::leaves`].
    Leaf(u32),
    /// A literal: type and bits.
    Const(Scalar, u64, u64),
    /// An op.
    Op(Op),
}

/// Where a node comes from. No part of what it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Origin {
    /// The application of a rule that made it, by its place in [`Known::steps`]; [`Origin::INPUT`] for none, or if nobody asks.
    pub step: u32,
    /// The instruction of the window whose span it has.
    pub source: u32,
}

impl Origin {
    /// What was there before.
    pub const INPUT: u32 = u32::MAX;
}

/// An application of a rule.
#[derive(Clone, Debug)]
pub(super) struct Step {
    /// Its place among the rules.
    pub rule: u16,
    /// The instruction of the window whose span it has.
    pub source: u32,
    /// The applications that made what it matched.
    pub premises: SmallVec<[u32; 2]>,
    /// The instruction of the window that it says something else for, if what it matched begins with one.
    pub replaced: Option<u32>,
}

/// A node of the e-graph.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub head: Head,
    pub args: SmallVec<[Id; 3]>,
    pub origin: Origin,
}

impl Node {
    pub fn leaf(index: u32, source: u32) -> Node {
        Node {
            head: Head::Leaf(index),
            args: SmallVec::new(),
            origin: Origin { step: Origin::INPUT, source },
        }
    }

    pub fn constant(c: Const, origin: Origin) -> Node {
        let (ty, a, b) = c.bits();
        Node { head: Head::Const(ty, a, b), args: SmallVec::new(), origin }
    }

    /// An op; operands of sums and products in the order of their classes, so that either order is one node.
    pub fn op(op: Op, mut args: SmallVec<[Id; 3]>, origin: Origin) -> Node {
        if commutes(op) {
            args.sort_unstable();
        }
        Node { head: Head::Op(op), args, origin }
    }
}

/// Whether operands have no order.
pub(super) fn commutes(op: Op) -> bool {
    matches!(op, Op::Add | Op::Mul)
}

impl PartialEq for Node {
    fn eq(&self, o: &Node) -> bool {
        self.head == o.head && self.args == o.args
    }
}

impl Eq for Node {}

impl Hash for Node {
    fn hash<H: Hasher>(&self, h: &mut H) {
        self.head.hash(h);
        self.args.hash(h);
    }
}

impl PartialOrd for Node {
    fn partial_cmp(&self, o: &Node) -> Option<Ordering> {
        Some(self.cmp(o))
    }
}

impl Ord for Node {
    fn cmp(&self, o: &Node) -> Ordering {
        self.head.cmp(&o.head).then_with(|| self.args.cmp(&o.args))
    }
}

impl Language for Node {
    type Discriminant = Head;

    fn discriminant(&self) -> Head {
        self.head
    }

    fn matches(&self, o: &Node) -> bool {
        self.head == o.head
    }

    fn children(&self) -> &[Id] {
        &self.args
    }

    fn children_mut(&mut self) -> &mut [Id] {
        &mut self.args
    }
}

/// What is known of a class: what holds of every one of its nodes as computed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Data {
    pub ty: Scalar,
    pub facts: Facts,
    /// The literal it equals.
    pub constant: Option<Const>,
    /// The instruction of the window that has to compute it, because a decision depends on its bits.
    pub pinned: Option<u32>,
    /// The first instruction of the window that it belongs to.
    pub source: u32,
}

impl Data {
    /// Facts of what is going to be computed: a literal is always the cheapest form.
    pub fn facts(&self) -> Facts {
        match self.constant {
            Some(c) => Facts::literal(c),
            None => self.facts,
        }
    }
}

/// The analysis.
#[derive(Debug, Default)]
pub(super) struct Known {
    pub leaves: Vec<(Scalar, Facts)>,
    /// Every application of a rule, in order, if it is asked for.
    pub steps: Option<Vec<Step>>,
    /// Applications that made nothing new, with the class they were about.
    pub merges: Vec<(Id, u32)>,
    /// Two values whose bits decide something were found to be equal: as real numbers, perhaps not to the bit.
    pub conflict: bool,
}

pub(super) type Graph = EGraph<Node, Known>;

impl Analysis<Node> for Known {
    type Data = Data;

    fn make(graph: &mut Graph, node: &Node, _: Id) -> Data {
        let source = node.origin.source;
        match node.head {
            Head::Leaf(i) => {
                let (ty, facts) = graph.analysis.leaves[i as usize];
                Data { ty, facts, constant: None, pinned: None, source }
            }
            Head::Const(ty, a, b) => {
                let c = constant(ty, a, b);
                Data { ty, facts: Facts::literal(c), constant: Some(c), pinned: None, source }
            }
            Head::Op(op) => {
                let args: SmallVec<[Data; 3]> = node.args.iter().map(|a| graph[*a].data).collect();
                let tys: SmallVec<[Type; 3]> = args.iter().map(|d| Type::Scalar(d.ty)).collect();
                let ty = op.result_type(&tys).unwrap_or_else(|| panic!("`{op}` does not take {tys:?}"));
                let ty = ty.scalar();
                let literals: Option<SmallVec<[Const; 3]>> = args.iter().map(|d| d.constant).collect();
                let constant = literals.and_then(|l| fold(op, &l)).filter(|c| finite(*c));
                let known: SmallVec<[Facts; 3]> = args.iter().map(Data::facts).collect();
                Data { ty, facts: Facts::of(op, &known, ty), constant, pinned: None, source }
            }
        }
    }

    fn merge(&mut self, a: &mut Data, b: Data) -> DidMerge {
        assert_eq!(a.ty, b.ty, "values of one class have one type");
        let facts = a.facts.widen(&b.facts);
        let constant = match (a.constant, b.constant) {
            (Some(x), Some(y)) => Some(if x.bits() <= y.bits() { x } else { y }),
            (x, y) => x.or(y),
        };
        let pinned = match (a.pinned, b.pinned) {
            (Some(x), Some(y)) => {
                self.conflict |= x != y;
                Some(x.min(y))
            }
            (x, y) => x.or(y),
        };
        let merged = Data { ty: a.ty, facts, constant, pinned, source: a.source.min(b.source) };
        let differs =
            |d: &Data| d.facts != merged.facts || d.constant != merged.constant || d.pinned != merged.pinned;
        let did = DidMerge(differs(a), differs(&b));
        *a = merged;
        did
    }

    fn modify(graph: &mut Graph, id: Id) {
        let data = graph[id].data;
        let Some(c) = data.constant else { return };
        let (ty, a, b) = c.bits();
        let head = Head::Const(ty, a, b);
        if graph[id].nodes.iter().all(|n| n.head != head) {
            let origin = Origin { step: Origin::INPUT, source: data.source };
            let literal = graph.add(Node::constant(c, origin));
            graph.union(id, literal);
        }
    }
}

/// The literal of these bits.
pub(super) fn constant(ty: Scalar, a: u64, b: u64) -> Const {
    use num_complex::Complex;
    let single = |bits: u64| f32::from_bits(bits as u32);
    match ty {
        Scalar::Bool => Const::Bool(a != 0),
        Scalar::I64 => Const::I64(a as i64),
        Scalar::F32 => Const::F32(single(a)),
        Scalar::F64 => Const::F64(f64::from_bits(a)),
        Scalar::C64 => Const::C64(Complex::new(single(a), single(b))),
        Scalar::C128 => Const::C128(Complex::new(f64::from_bits(a), f64::from_bits(b))),
    }
}

/// Infinities and NaN stay ops: where they come from is worth seeing.
fn finite(c: Const) -> bool {
    match c {
        Const::Bool(_) | Const::I64(_) => true,
        Const::F32(_) | Const::F64(_) | Const::C64(_) | Const::C128(_) => {
            let z = c.to_c128();
            z.re.is_finite() && z.im.is_finite()
        }
    }
}

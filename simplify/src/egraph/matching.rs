//! Rules as patterns of the e-graph, and the saturation loop: everything in it is bounded by counts, nothing by time, so that the
//! same program gives the same code everywhere.

use super::language::{Graph, Head, Node, Origin, Step};
use crate::pipeline::Options;
use crate::rules::{Class, Domain, Guard, Rule, Sort, Term, all};
use adc_ir::{Const, FpMode, Op, Scalar};
use egg::{ENodeOrVar, Id, Pattern, PatternAst, Searcher, Subst, Var};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::sync::{LazyLock, Mutex, OnceLock};

/// How far a window is explored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Rounds of matching every rule.
    pub rounds: usize,
    /// Nodes ever made, for each op of the window.
    pub nodes_per_op: usize,
    /// Nodes ever made beyond those of the input.
    pub nodes: usize,
    /// Matches of one rule in one round.
    pub matches: usize,
    /// Improving steps of the extraction.
    pub moves: usize,
}

/// A rule, and its patterns once they are needed: most programs have the ops of few rules.
pub(super) struct Entry {
    index: u16,
    rule: &'static Rule,
    left: Term,
    right: Term,
    /// Ops of the left side.
    ops: Vec<Head>,
    forms: OnceLock<Vec<Compiled>>,
}

/// A rule in one precision and one order of operands.
struct Compiled {
    /// Its place in [`all`].
    index: u16,
    rule: &'static Rule,
    pattern: Pattern<Node>,
    left: Term,
    right: &'static Term,
    vars: Vec<char>,
    /// The precision of its literals, if it has some.
    single: Option<bool>,
}

fn entries() -> &'static [Entry] {
    static ALL: OnceLock<Vec<Entry>> = OnceLock::new();
    ALL.get_or_init(|| all().iter().enumerate().map(|(index, rule)| Entry::of(index, rule)).collect())
}

impl Entry {
    fn of(index: usize, rule: &'static Rule) -> Entry {
        let (left, right) = rule.terms();
        let mut ops = Vec::new();
        left.each(&mut |t| {
            if let Term::Op(op, _) = t {
                ops.push(Head::Op(*op));
            }
        });
        Entry { index: index as u16, rule, left, right, ops, forms: OnceLock::new() }
    }

    /// Every form of the rule.
    fn forms(&'static self) -> &'static [Compiled] {
        self.forms.get_or_init(|| {
            let precisions: &[Option<bool>] = match has_literal(&self.left) || has_literal(&self.right) {
                true => &[Some(false), Some(true)],
                false => &[None],
            };
            let orders = self.left.orders();
            let form = |single: Option<bool>, left: &Term| {
                let vars = left.vars();
                let mut ast = PatternAst::default();
                write(left, &vars, single, &mut ast);
                let pattern = Pattern::new(ast);
                let left = left.clone();
                Compiled {
                    index: self.index,
                    rule: self.rule,
                    pattern,
                    left,
                    right: &self.right,
                    vars,
                    single,
                }
            };
            let orders = &orders;
            precisions.iter().flat_map(|s| orders.iter().map(move |l| form(*s, l))).collect()
        })
    }

    fn allowed(&self, mode: FpMode) -> bool {
        match self.rule.class {
            Class::Exact => true,
            Class::Refining | Class::Guarded => mode >= FpMode::Default,
            Class::Fast => mode == FpMode::Fast,
        }
    }
}

/// The rewrites that the pass goes by: those of the tables, or not all of them, or another one in the place of a row.
pub(crate) struct Rewrites {
    list: Vec<&'static Entry>,
    /// Whether products and sums become `fma`s later.
    pub(super) fma: bool,
}

impl Rewrites {
    pub(crate) fn new(options: &Options) -> Rewrites {
        let is_in = |name: &str| !options.without.contains(&name);
        let rows = entries().iter().filter(|e| is_in(e.rule.name));
        let list = rows.map(|e| match options.rewrite {
            Some((row, rule)) if row == usize::from(e.index) => entry(row, rule),
            Some(_) | None => e,
        });
        Rewrites { list: list.collect(), fma: is_in("fma") }
    }
}

/// A rule of the table, or one that stands in the place of a row.
pub(super) fn entry(row: usize, rule: &'static Rule) -> &'static Entry {
    static MADE: LazyLock<Mutex<FxHashMap<&'static str, &'static Entry>>> = LazyLock::new(Mutex::default);
    if entries()[row].rule.name == rule.name {
        return &entries()[row];
    }
    let mut made = MADE.lock().expect("nobody panics with it");
    // As many as tests have of them, each once.
    made.entry(rule.name).or_insert_with(|| Box::leak(Box::new(Entry::of(row, rule))))
}

/// A place where a rule applies.
pub(super) struct Match {
    compiled: &'static Compiled,
    subst: Subst,
    /// The right side.
    pub right: &'static Term,
}

impl Match {
    /// The class of an operand of the rule.
    pub fn operand(&self, t: &Term) -> Id {
        let Term::Var(v) = t else { panic!("{t} is no operand") };
        let place = self.compiled.vars.iter().position(|w| w == v);
        let place = place.expect("right sides have operands of left sides");
        self.subst[Var::from_u32(place as u32)]
    }

    /// A literal of the right side.
    pub fn literal(&self, t: &Term) -> Const {
        literal(t, self.compiled.single).expect("it is one")
    }
}

impl Entry {
    /// By class: where the rule applies. Of several ways the first.
    pub(super) fn matches(&'static self, graph: &Graph, mode: FpMode) -> FxHashMap<Id, Match> {
        let mut found = FxHashMap::default();
        if !self.allowed(mode) {
            return found;
        }
        for compiled in self.forms() {
            for m in compiled.pattern.search(graph) {
                let class = graph.find(m.eclass);
                for subst in m.substs {
                    if !found.contains_key(&class) && compiled.applies(graph, class, &subst) {
                        found.insert(class, Match { compiled, subst, right: compiled.right });
                    }
                }
            }
        }
        found
    }
}

fn has_literal(t: &Term) -> bool {
    let mut found = false;
    t.each(&mut |t| found |= matches!(t, Term::Num(_)));
    found
}

fn literal(t: &Term, single: Option<bool>) -> Option<Const> {
    match t {
        Term::Num(x) => {
            let ty = if single == Some(true) { Scalar::F32 } else { Scalar::F64 };
            Some(Const::real(*x, ty))
        }
        Term::Int(n) => Some(Const::I64(*n)),
        Term::Var(_) | Term::Op(..) => None,
    }
}

impl Compiled {
    /// Whether the operands are what the rule is about, and its guards are proved.
    fn applies(&self, graph: &Graph, root: Id, subst: &Subst) -> bool {
        // What is known needs no rules. Products of literals in another order are other numbers, and literals that are taken to be
        // equal would make everything equal.
        let known = graph[root].data.constant.is_some();
        if known || self.single.is_some_and(|s| graph[root].data.ty.is_single() != s) {
            return false;
        }
        let of = |v: char| {
            let place = self.vars.iter().position(|w| *w == v).expect("guards are about operands");
            &graph[*subst.get(Var::from_u32(place as u32)).expect("operands are bound")].data
        };
        let sorts = self.vars.iter().all(|v| {
            let data = of(*v);
            match Sort::of(*v) {
                Sort::Real => data.ty.is_real(),
                Sort::Literal => data.ty.is_real() && data.constant.is_some(),
                Sort::Complex => data.ty.is_complex(),
                Sort::Integer => data.ty == Scalar::I64 && data.constant.is_some(),
            }
        });
        sorts && self.rule.guards.iter().all(|g| proved(*g, &of(g.operand()).facts(), of(g.operand()).ty))
    }
}

impl Compiled {
    /// The application to what was matched.
    fn step(&self, graph: &Graph, root: Id, subst: &Subst, source: u32) -> Step {
        let nodes = self.matched(graph, &self.left, root, subst).unwrap_or_default();
        let made = |n: &Origin| n.step != Origin::INPUT;
        let mut premises: SmallVec<[u32; 2]> = nodes.iter().filter(|n| made(n)).map(|n| n.step).collect();
        premises.sort_unstable();
        premises.dedup();
        let replaced = nodes.first().filter(|n| !made(n)).map(|n| n.source);
        Step { rule: self.index, source, premises, replaced }
    }

    /// Where the nodes of a class come from that are a term, and why they are in the class, the outermost op first: of several
    /// the earliest.
    fn matched(&self, graph: &Graph, t: &Term, class: Id, subst: &Subst) -> Option<Vec<Origin>> {
        let class = graph.find(class);
        match t {
            Term::Var(v) => {
                let place = self.vars.iter().position(|w| w == v)?;
                let bound = subst.get(Var::from_u32(place as u32))?;
                (graph.find(*bound) == class).then(Vec::new)
            }
            Term::Num(_) | Term::Int(_) => {
                let c = literal(t, self.single)?;
                graph[class].data.constant.is_some_and(|d| d.bits() == c.bits()).then(Vec::new)
            }
            Term::Op(op, args) => {
                let candidates = graph[class].nodes.iter().filter(|n| n.head == Head::Op(*op));
                let found = candidates.filter_map(|n| {
                    let mut origins = vec![n.origin];
                    origins.extend(merged_with(graph, class, n.origin));
                    for (a, id) in args.iter().zip(&n.args) {
                        origins.extend(self.matched(graph, a, *id, subst)?);
                    }
                    Some(origins)
                });
                // The input's number is the largest.
                found.min_by_key(|o| o.iter().map(|n| n.step.wrapping_add(1)).max())
            }
        }
    }
}

/// The applications that found other instructions to be the one of this origin.
fn merged_with(graph: &Graph, class: Id, of: Origin) -> Vec<Origin> {
    let known = &graph.analysis;
    let (Some(steps), Origin::INPUT) = (&known.steps, of.step) else { return Vec::new() };
    let here = known.merges.iter().filter(|(root, _)| graph.find(*root) == class).map(|(_, step)| *step);
    let other = here.filter(|step| steps[*step as usize].replaced.is_some_and(|k| k != of.source));
    other.map(|step| Origin { step, source: of.source }).collect()
}

/// Whether a fact is known.
fn proved(guard: Guard, facts: &crate::facts::Facts, ty: Scalar) -> bool {
    let (re, im) = (facts.re, facts.im);
    let (half, largest, smallest) = match ty.is_single() {
        true => (f32::MAX as f64 / 2.0, 2f64.powi(60), 2f64.powi(-60)),
        false => (f64::MAX / 2.0, 2f64.powi(500), 2f64.powi(-500)),
    };
    match guard {
        Guard::Finite(_) => re.finite() && im.finite(),
        Guard::NonZero(_) => re.nonzero() || (ty.is_complex() && im.nonzero()),
        Guard::NonNegative(_) => re.nonnegative(),
        Guard::NotMinusZero(_) => re.not_minus_zero(),
        Guard::HalfRange(_) => re.magnitude() <= half,
        Guard::Moderate(_) => re.at_least() >= smallest && re.magnitude() <= largest,
        Guard::AtLeastOne(_) => re.at_least() >= 1.0,
        Guard::SmallPower(_) => re.lo >= 1.0 && re.hi <= 1000.0,
        Guard::Strip(_) => im.lo >= -3.0 && im.hi <= 3.0 && im.finite() && re.finite(),
        Guard::RightHalf(_) => re.lo > 0.0,
    }
}

fn write(t: &Term, vars: &[char], single: Option<bool>, ast: &mut PatternAst<Node>) -> Id {
    let origin = Origin { step: Origin::INPUT, source: 0 };
    let node = match t {
        Term::Var(v) => {
            let place = vars.iter().position(|w| w == v).expect("it is one of them");
            ENodeOrVar::Var(Var::from_u32(place as u32))
        }
        Term::Num(_) | Term::Int(_) => {
            ENodeOrVar::ENode(Node::constant(literal(t, single).expect("a literal"), origin))
        }
        Term::Op(op, args) => {
            let args = args.iter().map(|a| write(a, vars, single, ast)).collect();
            ENodeOrVar::ENode(Node { head: Head::Op(*op), args, origin })
        }
    };
    ast.add(node)
}

/// Applies rules until nothing is new or a limit is reached. `ops` is the size of the input.
pub(super) fn saturate(
    graph: &mut Graph,
    rewrites: &Rewrites,
    mode: FpMode,
    limits: Limits,
    ops: usize,
    small: bool,
) {
    let most = graph.nodes().len() + (limits.nodes_per_op * ops).min(limits.nodes);
    let has_complex = graph.analysis.leaves.iter().any(|(ty, _)| ty.is_complex())
        || [Op::Complex, Op::Cis].iter().any(|op| graph.classes_for_op(&Head::Op(*op)).is_some());
    let rules: Vec<&'static Entry> = rewrites
        .list
        .iter()
        .copied()
        .filter(|e| e.allowed(mode) && (e.ops.len() <= 2 || !small))
        .filter(|e| has_complex || e.rule.domain == Domain::Real)
        .collect();
    for _ in 0..limits.rounds {
        let mut found = Vec::new();
        for e in &rules {
            let here = |h: &Head| graph.classes_for_op(h).is_some_and(|mut ids| ids.next().is_some());
            if !e.ops.iter().all(here) {
                continue;
            }
            for c in e.forms() {
                let matches = c.pattern.search_with_limit(graph, limits.matches);
                if !matches.is_empty() {
                    found.push((c, matches));
                }
            }
        }
        let before = (graph.nodes().len(), graph.number_of_classes());
        'apply: for (c, matches) in found {
            for m in matches {
                for subst in &m.substs {
                    if graph.nodes().len() >= most {
                        break 'apply;
                    }
                    apply(graph, c, m.eclass, subst);
                }
            }
        }
        graph.rebuild();
        if before == (graph.nodes().len(), graph.number_of_classes()) || graph.nodes().len() >= most {
            break;
        }
    }
}

fn apply(graph: &mut Graph, c: &Compiled, root: Id, subst: &Subst) {
    if !c.applies(graph, root, subst) {
        return;
    }
    let source = graph[root].data.source;
    let mut step = Origin::INPUT;
    if graph.analysis.steps.is_some() {
        let found = c.step(graph, root, subst, source);
        let steps = graph.analysis.steps.get_or_insert_default();
        step = steps.len() as u32;
        steps.push(found);
    }
    let count = graph.nodes().len();
    let new = instantiate(graph, c, c.right, subst, Origin { step, source });
    let made = graph.nodes().len() > count;
    let (old, new) = (graph.find(root), graph.find(new));
    if old == new {
        return;
    }
    let (a, b) = (graph[old].data, graph[new].data);
    // Facts were used already, perhaps, and stay true of whatever is chosen; and what decides keeps its bits.
    let keeps = c.rule.class == Class::Exact || a.facts().implied_by(&b.facts());
    let pins = a.pinned.is_some() && b.pinned.is_some();
    if keeps && !pins {
        graph.union(old, new);
        if step != Origin::INPUT && !made {
            graph.analysis.merges.push((root, step));
        }
    }
}

fn instantiate(graph: &mut Graph, c: &Compiled, t: &Term, subst: &Subst, origin: Origin) -> Id {
    match t {
        Term::Var(v) => {
            let place = c.vars.iter().position(|w| w == v).expect("right sides have operands of left sides");
            subst[Var::from_u32(place as u32)]
        }
        Term::Num(_) | Term::Int(_) => {
            graph.add(Node::constant(literal(t, c.single).expect("a literal"), origin))
        }
        Term::Op(op, args) => {
            let args: SmallVec<[Id; 3]> = args
                .iter()
                .map(|a| {
                    let id = instantiate(graph, c, a, subst, origin);
                    graph.find(id)
                })
                .collect();
            graph.add(Node::op(*op, args, origin))
        }
    }
}

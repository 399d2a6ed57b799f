//! Which op, rule or loop makes an entry wrong: the first whose own derivative is wrong at the values that reach it, and
//! whose derivative by differences repairs the entry.

use super::copy::Subject;
use super::mistake;
use super::numeric::{Isolated, rule_value};
use super::outline::{Operands, Window};
use super::trace::{self, Reached, Suspect};
use super::trial::Target;
use crate::report::Entry;
use crate::report::*;
use crate::rules;
use crate::settings::{Context, Request};
use crate::text::base_name;
use crate::verdict::Verdict;
use adc_ir::*;
use rustc_hash::{FxHashMap, FxHashSet};

/// Number of outlined functions that are checked by themselves.
const MAX_CHECKED: usize = 96;
/// Instructions of their checks' programs, together.
const MAX_INSTRUCTIONS: usize = 1 << 15;
/// Number of experiments with the whole derivative.
const MAX_TRIALS: usize = 48;

/// The result of the search: op and experiment, and what is needed to guess the mistake.
pub(super) struct Culprit {
    pub op: BlamedOp,
    pub counterfactual: Counterfactual,
    pub mistake: Option<Mistake>,
    /// The instructions that were replaced, if each was replaced separately.
    pub windows: Vec<Window>,
}

pub(super) struct Search<'a> {
    pub ctx: &'a Context<'a>,
    pub subject: &'a Subject,
    pub target: &'a Target<'a>,
    pub request: &'a Request,
    pub wanted: &'a dyn Fn(Verdict) -> bool,
    pub trials: usize,
}

/// A suspect that is wrong by itself.
struct Wrong {
    suspect: Suspect,
    first: Reached,
    entry: Entry,
    isolated: usize,
}

impl Search<'_> {
    pub(super) fn inactive(&self, f: FuncId) -> FxHashSet<Value> {
        match f == self.subject.func {
            true => trace::independent(&self.subject.module, f, self.target.wrt),
            false => FxHashSet::default(),
        }
    }

    /// The entry with derivatives by differences at these places, if it can be computed.
    pub(super) fn trial(&mut self, windows: &[(Window, Operands)]) -> Option<f64> {
        self.trials = self.trials.checked_sub(1)?;
        let inactive = |f| self.inactive(f);
        self.target.counterfactual(self.ctx, self.subject, windows, &inactive, self.request)
    }

    pub(super) fn repairs(&mut self, windows: &[(Window, Operands)]) -> Option<Counterfactual> {
        let value = self.trial(windows)?;
        self.target.is_right(value).then_some(Counterfactual { value, passes: true })
    }

    /// A single instruction of those in `among`, or several of one kind.
    pub(super) fn single(&mut self, among: Vec<Window>) -> Option<Culprit> {
        let inactive = |f| self.inactive(f);
        let places = among.into_iter().map(|w| (w, Operands::Each)).collect();
        let observed =
            trace::observe(self.subject, places, &self.target.inputs, self.target.externs, &inactive);
        // The same instruction with operands of the same types is checked once.
        let mut checked: Vec<Option<Isolated>> = Vec::new();
        let mut keys: FxHashMap<String, usize> = FxHashMap::default();
        let (mut wrong, mut instructions): (Vec<Wrong>, usize) = (Vec::new(), 0);
        for suspect in &observed.suspects {
            let key = key(&observed.module, suspect.func);
            let at = match keys.get(&key) {
                Some(at) => *at,
                None if checked.len() >= MAX_CHECKED || instructions >= MAX_INSTRUCTIONS => continue,
                None => {
                    let isolated = Isolated::new(self.ctx, &observed.module, suspect.func, self.request);
                    instructions += isolated.as_ref().map_or(0, Isolated::instructions);
                    checked.push(isolated);
                    keys.insert(key, checked.len() - 1);
                    checked.len() - 1
                }
            };
            let Some(isolated) = checked[at].as_mut() else { continue };
            let found =
                suspect.calls.iter().find_map(|c| Some((c.clone(), isolated.worst(&c.args, self.wanted)?)));
            if let Some((first, entry)) = found {
                wrong.push(Wrong { suspect: suspect.clone(), first, entry, isolated: at });
            }
        }
        let (at, counterfactual, windows) = self.first_that_repairs(&wrong)?;
        let w = wrong.swap_remove(at);
        let isolated = checked[w.isolated].take()?;
        Some(Culprit { windows, ..self.culprit(&observed.module, w, counterfactual, isolated) })
    }

    /// The first that repairs the entry: alone, together with all of its kind, or together with all others.
    fn first_that_repairs(&mut self, wrong: &[Wrong]) -> Option<(usize, Counterfactual, Vec<Window>)> {
        let place = |w: &Wrong| (w.suspect.window.clone(), Operands::Each);
        for (k, w) in wrong.iter().enumerate().take(MAX_TRIALS / 3) {
            if let Some(c) = self.repairs(&[place(w)]) {
                return Some((k, c, vec![w.suspect.window.clone()]));
            }
        }
        let windows = |list: &[(Window, Operands)]| list.iter().map(|(w, _)| w.clone()).collect();
        let inner = |list: Vec<&Wrong>| -> Vec<(Window, Operands)> {
            // A window inside another one is replaced with it.
            let within = |a: &Window, b: &Window| {
                a.func == b.func
                    && a.path.len() > b.path.len()
                    && a.path[..b.path.len()] == b.path
                    && a.path[b.path.len()].0 == b.from
            };
            let contains = |w: &&Wrong| !list.iter().any(|o| within(&o.suspect.window, &w.suspect.window));
            list.iter().copied().filter(contains).map(place).collect()
        };
        let mut kinds: Vec<String> = Vec::new();
        for (k, w) in wrong.iter().enumerate() {
            let name = self.name(&w.suspect.window);
            if kinds.contains(&name) {
                continue;
            }
            let same: Vec<&Wrong> = wrong.iter().filter(|o| self.name(&o.suspect.window) == name).collect();
            if same.len() > 1 {
                let list = inner(same);
                if let Some(c) = self.repairs(&list) {
                    return Some((k, c, windows(&list)));
                }
            }
            kinds.push(name);
        }
        if kinds.len() > 1 {
            let list = inner(wrong.iter().collect());
            return Some((0, self.repairs(&list)?, windows(&list)));
        }
        None
    }

    fn inst(&self, w: &Window) -> &Inst {
        &w.insts(&self.subject.module)[0]
    }

    /// What an instruction is called.
    fn name(&self, w: &Window) -> String {
        name(&self.subject.module, self.inst(w))
    }

    fn culprit(
        &self,
        all: &Module,
        w: Wrong,
        counterfactual: Counterfactual,
        mut isolated: Isolated,
    ) -> Culprit {
        let m = &self.subject.module;
        let inst = self.inst(&w.suspect.window);
        let rule = match inst.kind {
            Kind::Call(g) => rules::used(m.func(g), &w.entry).map(|r| (r.kind, r.span)),
            _ => None,
        };
        let kind = match (rule, &inst.kind) {
            (Some((kind, _)), _) => BlamedKind::Rule(kind),
            (None, Kind::Call(_)) => BlamedKind::Call,
            (None, _) if !inst.regions.is_empty() => BlamedKind::Region,
            (None, _) => BlamedKind::Op,
        };
        let (rule_value, fd_value) = (rule_value(&w.entry), w.entry.fd);
        let others = w.suspect.calls.into_iter().map(|c| c.args);
        let mut reached = vec![w.first.args.clone()];
        reached.extend(others.filter(|a| *a != w.first.args));
        let op = BlamedOp {
            kind,
            name: self.name(&w.suspect.window),
            span: rule.map_or(inst.span, |(_, span)| span),
            iterations: w.first.iterations.clone(),
            inputs: w.first.args,
            entry: named(m, inst, w.entry),
            rule_value,
            fd_value,
        };
        // The terms of a rule are in the function that it belongs to; those of anything else in the instructions
        // themselves.
        let body = match (kind, &inst.kind) {
            (BlamedKind::Rule(_), Kind::Call(g)) => *g,
            _ => w.suspect.func,
        };
        let names = names(m, inst, isolated.func());
        let mistake = mistake::find(
            self.ctx,
            all,
            self.request,
            &mut isolated,
            &reached,
            &names,
            (w.suspect.func, body),
        );
        Culprit { op, counterfactual, mistake, windows: Vec::new() }
    }
}

/// What the parameters of an outlined instruction are called.
fn names(m: &Module, inst: &Inst, outlined: &Func) -> Vec<String> {
    let own = |k: usize| match inst.kind {
        Kind::Call(g) if m.func(g).params.len() == outlined.params.len() => {
            Some(m.func(g).params[k].name.clone())
        }
        _ if inst.regions.is_empty() && outlined.params.len() == 1 => Some("x".to_string()),
        _ if inst.regions.is_empty() => ["a", "b", "c"].get(k).map(|n| n.to_string()),
        _ => None,
    };
    (0..outlined.params.len()).map(|k| own(k).unwrap_or_else(|| format!("operand {}", k + 1))).collect()
}

/// An entry of an instruction's own Jacobian under meaningful names: for a call, those of the callee's parameters.
fn named(m: &Module, inst: &Inst, mut e: Entry) -> Entry {
    if let Kind::Call(g) = inst.kind {
        let func = m.func(g);
        // Literals are not parameters of the outlined call.
        if let Some(p) = func.params.get(e.parameter).filter(|_| inst.args.len() == func.params.len()) {
            e.input = p.name.clone();
        }
        if let Some(r) = func.results.get(e.result) {
            e.output = r.name.clone();
        }
        return e;
    }
    if inst.regions.is_empty() {
        const NAMES: [&str; 3] = ["a", "b", "c"];
        if let Some(name) = NAMES.get(e.parameter).filter(|_| inst.args.len() > 1) {
            e.input = (*name).to_string();
        } else if inst.args.len() == 1 {
            e.input = "x".into();
        }
        e.output = "out".into();
    }
    e
}

/// What an instruction is called in reports.
pub(super) fn name(m: &Module, inst: &Inst) -> String {
    match &inst.kind {
        Kind::Op(op) => op.name().to_string(),
        Kind::Call(g) => base_name(&m.func(m.original(*g)).name).to_string(),
        Kind::If => "if".into(),
        Kind::Build { .. } => "comprehension".into(),
        Kind::Reduce(op) => op.name().to_string(),
        Kind::For(_) | Kind::While(_) => "loop".into(),
        kind => Kind::PLAIN.iter().find(|(_, k)| k == kind).map_or("op", |(name, _)| name).to_string(),
    }
}

/// What a function computes, as text: functions with the same text have the same derivative.
fn key(m: &Module, f: FuncId) -> String {
    let mut func = m.func(f).clone();
    func.name = "f".into();
    format!("{:?}", (&func.values, &func.params.iter().map(|p| p.nodiff).collect::<Vec<_>>(), bare(&func)))
}

/// Instructions without spans.
fn bare(func: &Func) -> Vec<String> {
    fn region(r: &Region, out: &mut Vec<String>) {
        for inst in &r.insts {
            out.push(format!("{:?} {:?} {:?}", inst.kind, inst.args, inst.results));
            inst.regions.iter().for_each(|r| region(r, out));
        }
        out.push(format!("{:?} {:?}", r.params, r.yields));
    }
    let mut out = Vec::new();
    func.region().into_iter().for_each(|r| region(r, &mut out));
    out
}

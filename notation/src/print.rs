//! Expressions as LaTeX or plain text.

use crate::expr::{Doc, Expr, Item};
use crate::names::Names;
use crate::table::*;
use adc_ir::{Const, LinalgOp, ReduceOp};

/// A form of output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// LaTeX, for mathematics mode.
    Latex,
    /// One line of Unicode text for each equation.
    Plain,
}

pub(super) struct Printer<'a> {
    pub(super) doc: &'a Doc,
    pub(super) style: Style,
    pub(super) names: Names,
}

/// An expression without symbols.
#[cfg(test)]
pub(super) fn text(e: &Expr, style: Style) -> String {
    let doc = Doc::default();
    Printer { doc: &doc, style, names: Names::new(&doc, style) }.expr(e, ANY)
}

impl Printer<'_> {
    fn latex(&self) -> bool {
        self.style == Style::Latex
    }

    pub(super) fn either<'s>(&self, latex: &'s str, plain: &'s str) -> &'s str {
        if self.latex() { latex } else { plain }
    }

    pub(super) fn parens(&self, text: &str) -> String {
        match self.style {
            Style::Latex => format!(r"\left({text}\right)"),
            Style::Plain => format!("({text})"),
        }
    }

    pub(super) fn list(&self, items: &[Expr]) -> String {
        items.iter().map(|e| self.expr(e, ANY)).collect::<Vec<_>>().join(", ")
    }

    /// `name` followed by its index list, if there is one.
    pub(super) fn at(&self, name: String, indices: &[usize]) -> String {
        if indices.is_empty() {
            return name;
        }
        let list: Vec<&str> = indices.iter().map(|s| self.names.syms[*s].as_str()).collect();
        name + &self.parens(&list.join(", "))
    }

    /// The name of an item: `t_3`; for a loop that of a carry.
    pub(super) fn item(&self, letter: &str, n: usize) -> String {
        match self.style {
            Style::Latex => format!("{letter}_{{{n}}}"),
            Style::Plain => format!("{letter}_{n}"),
        }
    }

    /// The number of an item among those of its kind, from 1.
    pub(super) fn number(&self, item: usize) -> usize {
        let is_def = |i: &Item| matches!(i, Item::Def { .. });
        let kind = is_def(&self.doc.items[item]);
        self.doc.items[..=item].iter().filter(|i| is_def(i) == kind).count()
    }

    /// The name of a carry, without the iteration.
    pub(super) fn carry(&self, item: usize, place: usize) -> String {
        let Item::Loop { init, .. } = &self.doc.items[item] else { unreachable!("carries are of loops") };
        let n = self.number(item);
        match (init.len(), self.style) {
            (1, _) => self.item(&self.names.carry, n),
            (_, Style::Latex) => format!("{}_{{{n},{}}}", self.names.carry, place + 1),
            (_, Style::Plain) => format!("{}_{n},{}", self.names.carry, place + 1),
        }
    }

    pub(super) fn carry_at(&self, item: usize, place: usize, iteration: &str) -> String {
        let name = self.carry(item, place);
        let name = match self.style {
            Style::Latex => format!(r"{name}^{{({iteration})}}"),
            Style::Plain => format!("{name}^({iteration})"),
        };
        self.at(name, self.doc.items[item].params())
    }

    fn number_text(&self, c: Const) -> (String, Level) {
        let real = |x: f64| {
            if x.is_nan() {
                return (self.either(r"\mathrm{NaN}", "NaN").to_string(), ATOM);
            }
            if x.is_infinite() {
                return (self.either(r"\infty", "∞").to_string(), ATOM);
            }
            if x != 0.0 && !(1e-5..1e16).contains(&x) {
                let text = if let Const::F32(x) = c { format!("{x:e}") } else { format!("{x:e}") };
                let (digits, power) = text.split_once('e').expect("an exponent");
                let power = match self.style {
                    Style::Latex => format!("10^{{{power}}}"),
                    Style::Plain if power.starts_with('-') => format!("10^({power})"),
                    Style::Plain => format!("10^{power}"),
                };
                return match digits {
                    "1" => (power, POWER),
                    _ => (format!("{digits}{}{power}", self.either(r" \cdot ", "·")), PRODUCT),
                };
            }
            (if let Const::F32(x) = c { x.to_string() } else { x.to_string() }, ATOM)
        };
        match c {
            Const::Bool(true) => (self.either(r"\mathrm{true}", "true").to_string(), ATOM),
            Const::Bool(false) => (self.either(r"\mathrm{false}", "false").to_string(), ATOM),
            Const::I64(n) => (n.to_string(), if n < 0 { SUM } else { ATOM }),
            Const::F32(x) => real(x as f64),
            Const::F64(x) => real(x),
            Const::C64(_) | Const::C128(_) => unreachable!("complex literals are sums"),
        }
    }

    /// The text of an expression at a place that requires level `least`.
    pub(super) fn expr(&self, e: &Expr, least: Level) -> String {
        let (text, level) = self.bare(e, least);
        if level < least { self.parens(&text) } else { text }
    }

    fn bare(&self, e: &Expr, least: Level) -> (String, Level) {
        let latex = self.latex();
        match e {
            Expr::Num(c) => self.number_text(*c),
            Expr::Pi => (self.either(r"\pi", "π").into(), ATOM),
            Expr::Imaginary => (self.either(r"\mathrm{i}", "ⅈ").into(), ATOM),
            Expr::Sym(s) => (self.names.syms[*s].clone(), ATOM),
            Expr::Def(item) => {
                let params = self.doc.items[*item].params();
                let level = if params.is_empty() { ATOM } else { POWER };
                (self.at(self.item(&self.names.def, self.number(*item)), params), level)
            }
            Expr::Iterations(item) => {
                let params = self.doc.items[*item].params();
                (
                    self.at(self.item(&self.names.iterations, self.number(*item)), params),
                    if params.is_empty() { ATOM } else { POWER },
                )
            }
            Expr::Carry { item, place, iterations } => {
                (self.carry_at(*item, *place, &self.expr(iterations, ANY)), POWER)
            }
            Expr::Sum(terms) => {
                let mut out = String::new();
                for (k, (minus, e)) in terms.iter().enumerate() {
                    out.push_str(match (k, minus) {
                        (0, false) => "",
                        (0, true) => "-",
                        (_, false) => " + ",
                        (_, true) => " - ",
                    });
                    out.push_str(&self.expr(e, PRODUCT));
                }
                (out, SUM)
            }
            Expr::Product(factors) => (self.product(factors), PRODUCT),
            Expr::Frac(a, b) if latex => {
                (format!(r"\frac{{{}}}{{{}}}", self.expr(a, ANY), self.expr(b, ANY)), POWER)
            }
            Expr::Frac(a, b) => (format!("{}/{}", self.expr(a, POWER), self.expr(b, POWER)), PRODUCT),
            Expr::Power(a, b) if latex => {
                (format!("{}^{{{}}}", self.expr(a, ATOM), self.expr(b, ANY)), POWER)
            }
            Expr::Power(a, b) => {
                let base = self.expr(a, ATOM);
                let text = match **b {
                    Expr::Num(Const::I64(n)) if n >= 0 => base + &superscript(n),
                    _ => format!("{base}^{}", self.expr(b, ATOM)),
                };
                (text, POWER)
            }
            Expr::Apply(op, args) => self.apply(*op, args, least),
            Expr::Iverson(c) if latex => (format!(r"\left[{}\right]", self.expr(c, ANY)), ATOM),
            Expr::Iverson(c) => (format!("[{}]", self.expr(c, ANY)), ATOM),
            Expr::Cases(cases, other) => self.cases(cases, other),
            Expr::Reduce { op, index, lo, hi, body } => self.reduce(*op, *index, lo, hi, body),
            Expr::Build(axes, body) => {
                let mut out = self.parens(&self.expr(body, ANY));
                let ranges: Vec<String> =
                    axes.iter().map(|(s, n)| self.range(*s, &Expr::int(0), n)).collect();
                out = match self.style {
                    // One range may be written as limits; several need their indices.
                    Style::Latex => match axes.as_slice() {
                        [(s, n)] => {
                            let last = self.expr(&n.clone().plus(Expr::int(-1)), ANY);
                            format!("{out}_{{{}=0}}^{{{last}}}", self.names.syms[*s])
                        }
                        _ => format!("{out}_{{{}}}", ranges.join(r",\; ")),
                    },
                    Style::Plain => format!("{out}[{}]", ranges.join(", ")),
                };
                (out, POWER)
            }
            Expr::Pack(items) => (self.parens(&self.list(items)), ATOM),
            Expr::Index(a, at) => {
                let base = match **a {
                    // A second subscript would follow the first.
                    Expr::Sym(s) if !latex || !self.names.syms[s].contains('_') => self.expr(a, ATOM),
                    Expr::Sym(_) | Expr::Def(_) if latex => self.parens(&self.expr(a, ANY)),
                    _ => self.expr(a, ATOM),
                };
                match self.style {
                    Style::Latex => (format!("{base}_{{{}}}", self.list(at)), ATOM),
                    Style::Plain => (format!("{base}[{}]", self.list(at)), ATOM),
                }
            }
            Expr::Update(add, a, v, at) => {
                let at = self.list(at);
                if *add {
                    let unit = match self.style {
                        Style::Latex => format!(r"\mathbf{{e}}_{{{at}}}"),
                        Style::Plain => format!("e[{at}]"),
                    };
                    let times = self.either(r" \otimes ", " ⊗ ");
                    (format!("{} + {}{times}{unit}", self.expr(a, SUM), self.expr(v, POWER)), SUM)
                } else {
                    let (base, v) = (self.expr(a, ATOM), self.expr(v, ANY));
                    match self.style {
                        Style::Latex => (format!(r"{base}\left[{at} \mapsto {v}\right]"), POWER),
                        Style::Plain => (format!("{base}[{at} ↦ {v}]"), POWER),
                    }
                }
            }
            Expr::MatMul(a, b) => {
                let b = match **b {
                    Expr::MatMul(..) => self.parens(&self.expr(b, ANY)),
                    _ => self.expr(b, POWER),
                };
                let a = match **a {
                    Expr::MatMul(..) => self.expr(a, PRODUCT),
                    _ => self.expr(a, POWER),
                };
                (format!("{a}{}{b}", self.either(r" \, ", " ")), PRODUCT)
            }
            Expr::Transpose(a) => {
                (format!("{}{}", self.expr(a, ATOM), self.either(r"^{\mathsf{T}}", "ᵀ")), POWER)
            }
            Expr::Norm(x) if latex => (format!(r"\left\|{}\right\|", self.expr(x, ANY)), ATOM),
            Expr::Norm(x) => (format!("‖{}‖", self.expr(x, ANY)), ATOM),
            Expr::Linalg(op, args) => self.linalg(*op, args),
            Expr::Call(name, args, which) => {
                let name = crate::names::function(name, self.style);
                let name = match (which, self.style) {
                    (None, _) => name,
                    (Some(k), Style::Latex) => format!("{}_{{{k}}}", self.parens(&name)),
                    (Some(k), Style::Plain) => format!("{name}[{k}]"),
                };
                (format!("{name}{}", self.parens(&self.list(args))), POWER)
            }
        }
    }

    fn product(&self, factors: &[Expr]) -> String {
        let mut out = String::new();
        for (k, e) in factors.iter().enumerate() {
            let last = k + 1 == factors.len();
            let text = self.expr(e, if last && self.latex() { APPLY } else { POWER });
            if k > 0 {
                let digit = text.starts_with(|c: char| c.is_ascii_digit());
                // A product of a name and something in parentheses would look like a function of it.
                let call = text.starts_with(r"\left(")
                    && matches!(factors[k - 1], Expr::Sym(_) | Expr::Def(_) | Expr::Index(..));
                out.push_str(match self.style {
                    Style::Plain => "·",
                    Style::Latex if digit || call => r" \cdot ",
                    Style::Latex => " ",
                });
            }
            out.push_str(&text);
        }
        out
    }

    fn apply(&self, op: adc_ir::Op, args: &[Expr], least: Level) -> (String, Level) {
        match (form(op), self.style) {
            (Form::Structure, _) => unreachable!("`{op}` has become another expression"),
            (Form::Function(name, _), Style::Latex) => self.named(name, args, least),
            (Form::Named, Style::Latex) => {
                self.named(&format!(r"\operatorname{{{}}}", op.name().replace('_', r"\_")), args, least)
            }
            (Form::Function(_, name), Style::Plain) => (format!("{name}({})", self.list(args)), ATOM),
            (Form::Named, Style::Plain) => (format!("{op}({})", self.list(args)), ATOM),
            (Form::Template(text, level, ..), Style::Latex) => (self.fill(text, args), level),
            (Form::Template(.., text, level), Style::Plain) => (self.fill(text, args), level),
        }
    }

    /// A function of one operand, without parentheses where it needs none, or of several.
    fn named(&self, name: &str, args: &[Expr], least: Level) -> (String, Level) {
        if let [arg] = args {
            let (arg, level) = self.bare(arg, ATOM);
            if level >= ATOM && least <= APPLY && !arg.starts_with(r"\left") {
                return (format!("{name} {arg}"), APPLY);
            }
        }
        (format!("{name}{}", self.parens(&self.list(args))), POWER)
    }

    /// A template with its operands.
    fn fill(&self, template: &str, args: &[Expr]) -> String {
        let mut pieces = template.split('#');
        let mut out = pieces.next().unwrap_or_default().to_string();
        for piece in pieces {
            let digit = |k: usize| piece.as_bytes()[k] - b'0';
            out.push_str(&self.expr(&args[digit(0) as usize], digit(1)));
            out.push_str(&piece[2..]);
        }
        out
    }

    fn cases(&self, cases: &[(Expr, Expr)], other: &Expr) -> (String, Level) {
        match self.style {
            Style::Latex => {
                let mut out = String::from(r"\begin{cases} ");
                for (e, c) in cases {
                    out.push_str(&format!(r"{} & \text{{if }} {} \\ ", self.expr(e, ANY), self.expr(c, ANY)));
                }
                out.push_str(&format!(r"{} & \text{{otherwise}} \end{{cases}}", self.expr(other, ANY)));
                // Nothing else closes its brace.
                (out, LOGIC)
            }
            Style::Plain => {
                let list: Vec<String> = (cases.iter())
                    .map(|(e, c)| format!("{} if {}", self.expr(e, ANY), self.expr(c, ANY)))
                    .collect();
                (format!("{{{}; {} otherwise}}", list.join("; "), self.expr(other, ANY)), ATOM)
            }
        }
    }

    /// `i = lo … hi - 1`
    pub(super) fn range(&self, index: usize, lo: &Expr, hi: &Expr) -> String {
        let last = self.expr(&hi.clone().plus(Expr::int(-1)), ANY);
        let (index, lo) = (&self.names.syms[index], self.expr(lo, ANY));
        match self.style {
            Style::Latex => format!(r"{index} = {lo}, \dots, {last}"),
            Style::Plain => format!("{index} = {lo}…{last}"),
        }
    }

    fn reduce(&self, op: ReduceOp, index: usize, lo: &Expr, hi: &Expr, body: &Expr) -> (String, Level) {
        let name = &self.names.syms[index];
        let words = match op {
            ReduceOp::Sum => (r"\sum", "∑"),
            ReduceOp::Prod => (r"\prod", "∏"),
            ReduceOp::Max => (r"\max", "max"),
            ReduceOp::Min => (r"\min", "min"),
            ReduceOp::Any => (r"\bigvee", "⋁"),
            ReduceOp::All => (r"\bigwedge", "⋀"),
            ReduceOp::ArgMax => (r"\operatorname{arg\,max}", "argmax"),
            ReduceOp::ArgMin => (r"\operatorname{arg\,min}", "argmin"),
        };
        match self.style {
            Style::Plain => {
                (format!("{}[{}]({})", words.1, self.range(index, lo, hi), self.expr(body, ANY)), ATOM)
            }
            Style::Latex => {
                let last = self.expr(&hi.clone().plus(Expr::int(-1)), ANY);
                let lo = self.expr(lo, ANY);
                let sign = match op {
                    ReduceOp::Sum | ReduceOp::Prod | ReduceOp::Any | ReduceOp::All => {
                        format!("{}_{{{name}={lo}}}^{{{last}}}", words.0)
                    }
                    ReduceOp::Max | ReduceOp::Min | ReduceOp::ArgMax | ReduceOp::ArgMin => {
                        format!(r"{}_{{{lo} \le {name} \le {last}}}", words.0)
                    }
                };
                let is_sum = |e: &Expr| matches!(e, Expr::Reduce { op: ReduceOp::Sum, .. });
                let least = match op {
                    ReduceOp::Sum if is_sum(body) => SUM,
                    ReduceOp::Sum => PRODUCT,
                    ReduceOp::Prod
                    | ReduceOp::Max
                    | ReduceOp::Min
                    | ReduceOp::Any
                    | ReduceOp::All
                    | ReduceOp::ArgMax
                    | ReduceOp::ArgMin => POWER,
                };
                // It extends as far as a product: it may be the last term, and nothing may follow it.
                (format!("{sign} {}", self.expr(body, least)), SUM)
            }
        }
    }

    fn linalg(&self, op: LinalgOp, args: &[Expr]) -> (String, Level) {
        let function = |latex: &str, plain: &str| {
            (format!("{}{}", self.either(latex, plain), self.parens(&self.expr(&args[0], ANY))), POWER)
        };
        let inverse = || format!("{}{}", self.expr(&args[0], ATOM), self.either("^{-1}", "⁻¹"));
        let adjoint = || format!("{}{}", self.expr(&args[0], ATOM), self.either(r"^{-\mathsf{H}}", "⁻ᴴ"));
        match op {
            LinalgOp::Lu => unreachable!("written as the matrix itself"),
            LinalgOp::Solve | LinalgOp::SolveAdjoint | LinalgOp::LuSolve | LinalgOp::LuSolveAdjoint => {
                let inverse = match op {
                    LinalgOp::SolveAdjoint | LinalgOp::LuSolveAdjoint => adjoint(),
                    _ => inverse(),
                };
                let b = match args[1] {
                    Expr::MatMul(..) => self.parens(&self.expr(&args[1], ANY)),
                    _ => self.expr(&args[1], POWER),
                };
                (format!("{inverse}{}{b}", self.either(r" \, ", " ")), PRODUCT)
            }
            LinalgOp::Inv => (inverse(), POWER),
            LinalgOp::Cholesky => function(r"\operatorname{chol}", "chol"),
            LinalgOp::EighValues => function(r"\operatorname{eigvalsh}", "eigvalsh"),
            LinalgOp::EighVectors => function(r"\operatorname{eigvecsh}", "eigvecsh"),
            LinalgOp::QrQ => function(r"\operatorname{qr}_Q", "qr_Q"),
            LinalgOp::SvdValues => function(r"\operatorname{svdvals}", "svdvals"),
            LinalgOp::SvdVectors => function(r"\operatorname{svdvecs}", "svdvecs"),
            LinalgOp::Det => function(r"\det", "det"),
            LinalgOp::LogDet => match self.style {
                Style::Latex => {
                    (format!(r"\ln\left|\det{}\right|", self.parens(&self.expr(&args[0], ANY))), POWER)
                }
                Style::Plain => (format!("ln|det({})|", self.expr(&args[0], ANY)), POWER),
            },
        }
    }
}

/// Digits set high.
fn superscript(n: i64) -> String {
    let high = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    n.to_string().bytes().map(|b| high[(b - b'0') as usize]).collect()
}

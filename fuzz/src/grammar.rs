//! Sources by grammar: whole programs of the model language, every expression written for the type that is wanted there.
//!
//! Most of them type-check; now and then an expression of another type is written, so that messages are met deep inside of programs, too.
//! Derivatives in them are right by construction: rules of a function differentiate another function with the same body. So whatever
//! verdict says that a derivative is wrong is a finding.

use adc_ir::testing::Rng;

/// A size of an array: what a declaration says.
type Size = &'static str;

/// Sizes, all of at least 2.
const SIZES: [Size; 4] = ["N", "M", "2", "3"];

/// A type of the language.
#[derive(Clone, Copy, PartialEq)]
enum Ty {
    Bool,
    Int,
    Real,
    Complex,
    /// Of reals, or of complex numbers.
    Vector(bool, Size),
    Matrix(bool, Size, Size),
}

/// A function that later ones may call.
struct Sig {
    name: String,
    params: Vec<Ty>,
    result: Ty,
    /// The dimensions to give in a call, which its arguments need not have.
    dims: &'static str,
}

/// What is written so far, and what may be used in the place that is written.
struct Gen {
    rng: Rng,
    /// Names and types of values.
    scope: Vec<(String, Ty)>,
    /// Names of `var`s that may be assigned, with their types.
    vars: Vec<(String, Ty)>,
    /// Indices, and the size they stay below.
    indices: Vec<(String, Size)>,
    sigs: Vec<Sig>,
    names: usize,
    /// Whether `stop_gradient` may be used: what is called by a rule has none, since a difference of the rule's function is not to hold
    /// anything still.
    stops: bool,
    real: &'static str,
    complex: &'static str,
}

/// The program of a seed.
pub fn source(seed: u64) -> String {
    program(seed, false)
}

/// The program of a seed that calls the functions of [`crate::native`].
pub fn native(seed: u64) -> String {
    program(seed, true)
}

fn program(seed: u64, native: bool) -> String {
    let mut rng = Rng::new(seed);
    let (real, complex) = if rng.one_in(5) && !native { ("f32", "c64") } else { ("f64", "c128") };
    let mut g = Gen {
        rng,
        scope: Vec::new(),
        vars: Vec::new(),
        indices: Vec::new(),
        sigs: Vec::new(),
        names: 0,
        stops: false,
        real,
        complex,
    };
    let mut text = if native { g.natives() } else { String::new() };
    let helpers = g.rng.below(4);
    text.extend((0..helpers).map(|_| g.helper()));
    g.stops = true;
    text += &g.function(true);
    if g.rng.one_in(2) {
        text += &g.block();
    }
    text
}

impl Gen {
    fn name(&mut self, start: &str) -> String {
        self.names += 1;
        format!("{start}{}", self.names)
    }

    fn size(&mut self) -> Size {
        self.rng.pick(&SIZES)
    }

    fn written(&self, ty: Ty) -> String {
        let element = |complex| if complex { self.complex } else { self.real };
        match ty {
            Ty::Bool => "bool".to_string(),
            Ty::Int => "i64".to_string(),
            Ty::Real => self.real.to_string(),
            Ty::Complex => self.complex.to_string(),
            Ty::Vector(c, n) => format!("{}[{n}]", element(c)),
            Ty::Matrix(c, n, m) => format!("{}[{n}, {m}]", element(c)),
        }
    }

    fn param_type(&mut self) -> Ty {
        match self.rng.below(16) {
            0 => Ty::Int,
            1 => Ty::Bool,
            2..=3 => Ty::Complex,
            4..=7 => Ty::Vector(self.rng.one_in(5), self.size()),
            8..=9 => Ty::Matrix(self.rng.one_in(6), self.size(), self.size()),
            _ => Ty::Real,
        }
    }

    /// Declarations of native functions, with rules that differentiate a function of the same value.
    fn natives(&mut self) -> String {
        let vector = Ty::Vector(false, "N");
        let mut sig = |name: &str, params: &[Ty], result: Ty, dims: &'static str| {
            self.sigs.push(Sig { name: name.into(), params: params.to_vec(), result, dims });
        };
        sig("native_real", &[Ty::Real, Ty::Real], Ty::Real, "");
        sig("native_complex", &[Ty::Complex], Ty::Complex, "");
        sig("native_linear", &[Ty::Real, Ty::Real], Ty::Real, "");
        sig("native_array", &[vector, Ty::Real], vector, "[N, M]");
        let mut text = crate::native::DECLARED.to_string();
        for (name, dims, params) in crate::native::RULES {
            let tangents = params.split(", ").map(|p| format!("d{p}")).collect::<Vec<_>>().join(", ");
            text += &match self.rng.one_in(2) {
                true => format!("rule vjp {name}({params}; g) {{ vjp({name}_core{dims})({params}; g) }}\n"),
                false => format!(
                    "rule jvp {name}({params}; {tangents}) {{ jvp({name}_core{dims})({params}; {tangents}) }}\n"
                ),
            };
        }
        text
    }

    /// A function that others call, sometimes with rules.
    fn helper(&mut self) -> String {
        if self.rng.one_in(8) {
            let real = self.real;
            let text = format!("fn twice(f: fn({real}) -> {real}, x: {real}) -> {real} {{ f(f(x)) }}\n");
            let callee = self
                .sigs
                .iter()
                .find(|s| s.params == [Ty::Real] && s.result == Ty::Real && s.dims.is_empty());
            let Some(callee) = callee.map(|s| s.name.clone()) else { return String::new() };
            let name = self.name("composed");
            self.sigs.push(Sig { name: name.clone(), params: vec![Ty::Real], result: Ty::Real, dims: "" });
            return format!("{text}fn {name}(x: {real}) -> {real} {{ twice({callee}, x) }}\n");
        }
        self.function(false)
    }

    /// A function; a last one has a scalar result more often.
    fn function(&mut self, last: bool) -> String {
        let name = if last { "f".to_string() } else { self.name("h") };
        let params: Vec<Ty> = match self.rng.below(3) {
            0 if !last => vec![Ty::Real],
            _ => (0..1 + self.rng.below(3)).map(|_| self.param_type()).collect(),
        };
        let result = match self.rng.below(8) {
            0 => Ty::Complex,
            1 => Ty::Vector(self.rng.one_in(4), self.size()),
            2 if last => Ty::Matrix(false, self.size(), self.size()),
            _ => Ty::Real,
        };
        let names: Vec<String> = (0..params.len()).map(|i| format!("x{i}")).collect();
        self.scope = names.iter().cloned().zip(params.iter().copied()).collect();
        (self.vars, self.indices) = Default::default();
        let depth = 2 + self.rng.below(4);
        let mut body = String::new();
        for _ in 0..self.rng.below(3) {
            body += &self.statement(depth);
        }
        body += &self.expr(result, depth);
        let (list, given): (Vec<String>, _) =
            (names.iter().zip(&params).map(|(n, t)| self.param(n, *t, last)).collect(), names.join(", "));
        let scalars = params == [Ty::Real] && result == Ty::Real && !uses_sizes(&body);
        let dims = if scalars { "" } else { "[N, M]" };
        let (list, result_type) = (list.join(", "), self.written(result));
        let mut text = format!("fn {name}{dims}({list}) -> {result_type} {{ {body} }}\n");
        let real = matches!(result, Ty::Real | Ty::Vector(false, _) | Ty::Matrix(false, ..));
        if !last && real && params.iter().all(|t| !matches!(t, Ty::Int | Ty::Bool)) && self.rng.one_in(3) {
            let call = format!("{name}_core{dims}");
            text = text.replacen(&format!("fn {name}"), &format!("fn {name}_core"), 1);
            text += &format!("fn {name}{dims}({list}) -> {result_type} {{ {call}({given}) }}\n");
            if self.rng.one_in(2) {
                text += &format!("rule vjp {name}({given}; g) {{ vjp({call})({given}; g) }}\n");
            } else {
                let tangents = names.iter().map(|n| format!("d{n}")).collect::<Vec<_>>().join(", ");
                text +=
                    &format!("rule jvp {name}({given}; {tangents}) {{ jvp({call})({given}; {tangents}) }}\n");
            }
        }
        self.sigs.push(Sig { name, params, result, dims });
        text
    }

    fn param(&mut self, name: &str, ty: Ty, last: bool) -> String {
        let domain = match ty {
            Ty::Real | Ty::Vector(false, _) if last && self.rng.one_in(6) => {
                self.rng.pick(&[" in [0.5, 2]", " in (0, 1]", " in [-1, 1]", " in (0, INF)"])
            }
            Ty::Complex if last && self.rng.one_in(8) => " in disk(2)",
            Ty::Int => " in [0, 3]",
            _ => "",
        };
        format!("{name}: {}{domain}", self.written(ty))
    }

    /// A block for the last function.
    fn block(&mut self) -> String {
        let settings = [
            "",
            "points 3;",
            "modes slow;",
            "modes fast, gradgrad;",
            "edge;",
            "seed 7;",
            "wrt x0;",
            "points 2; modes forward;",
        ];
        format!(
            "check f[N = {}, M = {}] {{ {} }}\n",
            2 + self.rng.below(3),
            2 + self.rng.below(3),
            self.rng.pick(&settings)
        )
    }

    /// A statement of a body, with what it declares put in scope.
    fn statement(&mut self, depth: usize) -> String {
        let ty = self.param_type();
        let e = self.expr(ty, depth);
        match self.rng.below(6) {
            0..=2 => {
                let name = self.name("a");
                self.scope.push((name.clone(), ty));
                format!("let {name} = {e}; ")
            }
            3 => {
                let (name, other) = (self.name("v"), self.expr(ty, depth / 2));
                let written = self.written(ty);
                self.scope.push((name.clone(), ty));
                let condition = self.expr(Ty::Bool, depth / 2);
                format!("var {name}: {written} = {e}; if {condition} {{ {name} = {other}; }} ")
            }
            4 => {
                let (a, b) = (self.name("a"), self.name("a"));
                let second = self.expr(Ty::Real, depth / 2);
                self.scope.extend([(a.clone(), ty), (b.clone(), Ty::Real)]);
                format!("let ({a}, {b}) = ({e}, {second}); ")
            }
            _ => {
                let n = self.size();
                let name = self.name("v");
                let start = self.expr(Ty::Vector(false, n), depth / 2);
                let written = self.written(Ty::Vector(false, n));
                self.scope.push((name.clone(), Ty::Vector(false, n)));
                let i = self.name("i");
                self.indices.push((i.clone(), n));
                let value = self.expr(Ty::Real, depth / 2);
                self.indices.pop();
                let sign = self.rng.pick(&["=", "+=", "-=", "*="]);
                format!(
                    "var {name}: {written} = {start}; for {i} in 0..{n} {{ {name}[{i}] {sign} {value}; }} "
                )
            }
        }
    }

    /// What a scope has of a type, or the plainest expression of it.
    fn leaf(&mut self, ty: Ty) -> String {
        let found: Vec<String> =
            self.scope.iter().filter(|(_, t)| *t == ty).map(|(n, _)| n.clone()).collect();
        if !found.is_empty() && !self.rng.one_in(6) {
            return found[self.rng.below(found.len())].clone();
        }
        match ty {
            Ty::Bool => self.rng.pick(&["true", "false"]).to_string(),
            Ty::Int => match self.indices.last() {
                Some((i, _)) if !self.rng.one_in(3) => i.clone(),
                _ => self.rng.pick(&["0", "1", "2", "3", "N", "M"]).to_string(),
            },
            Ty::Real => {
                self.rng.pick(&["0.5", "1.0", "2.0", "0.25", "1.5", "PI", "0.0", "3.0", "1e-3"]).to_string()
            }
            Ty::Complex => format!(
                "{}({}, {})",
                self.complex,
                self.rng.pick(&["0.5", "1.0", "0.0"]),
                self.rng.pick(&["0.5", "2.0", "-1.0"])
            ),
            Ty::Vector(..) | Ty::Matrix(..) => self.array(ty, 0),
        }
    }

    fn expr(&mut self, ty: Ty, depth: usize) -> String {
        let ty = if self.rng.one_in(300) { self.param_type() } else { ty };
        if depth == 0 {
            return self.leaf(ty);
        }
        let depth = depth - 1;
        match self.rng.below(14) {
            0 => return self.leaf(ty),
            1 => {
                let c = self.expr(Ty::Bool, depth);
                let (a, b) = (self.expr(ty, depth), self.expr(ty, depth));
                return format!("(if {c} {{ {a} }} else {{ {b} }})");
            }
            2 => {
                let (scope, bound) = (self.scope.len(), self.param_type());
                let (name, value) = (self.name("a"), self.expr(bound, depth));
                self.scope.push((name.clone(), bound));
                let body = self.expr(ty, depth);
                self.scope.truncate(scope);
                return format!("{{ let {name} = {value}; {body} }}");
            }
            3 => return self.repeated(ty, depth),
            4 => {
                if let Some(call) = self.call(ty, depth) {
                    return call;
                }
            }
            5 if self.stops && !matches!(ty, Ty::Bool | Ty::Int) && self.rng.one_in(3) => {
                return format!("stop_gradient({})", self.expr(ty, depth));
            }
            _ => {}
        }
        match ty {
            Ty::Bool => self.condition(depth),
            Ty::Int => self.integer(depth),
            Ty::Real => self.scalar(depth),
            Ty::Complex => self.complex(depth),
            Ty::Vector(..) | Ty::Matrix(..) => self.array(ty, depth),
        }
    }

    /// A `for` or `while` loop that carries a value, as a block.
    fn repeated(&mut self, ty: Ty, depth: usize) -> String {
        let (scope, name) = (self.scope.len(), self.name("v"));
        let (start, written) = (self.expr(ty, depth / 2), self.written(ty));
        self.scope.push((name.clone(), ty));
        let i = self.name("i");
        let text = if self.rng.one_in(4) {
            self.scope.push((i.clone(), Ty::Int));
            let step = self.expr(ty, depth / 2);
            let turns = self.rng.below(4);
            format!(
                "var {name}: {written} = {start}; var {i} = 0; while {i} < {turns} {{ {name} = {step}; {i} += 1; }} {name}"
            )
        } else {
            let n = self.size();
            self.indices.push((i.clone(), n));
            let step = self.expr(ty, depth / 2);
            self.indices.pop();
            let from = self.rng.pick(&["0", "0", "1", "2"]);
            format!("var {name}: {written} = {start}; for {i} in {from}..{n} {{ {name} = {step}; }} {name}")
        };
        self.scope.truncate(scope);
        format!("{{ {text} }}")
    }

    /// A call of an earlier function, or of a derivative of one, with a result of this type.
    fn call(&mut self, ty: Ty, depth: usize) -> Option<String> {
        let of_type = |s: &&Sig| s.result == ty && s.name != "f";
        let count = self.sigs.iter().filter(of_type).count();
        if count > 0 && !self.rng.one_in(3) {
            let k = self.rng.below(count);
            let sig = self.sigs.iter().filter(of_type).nth(k)?;
            let (start, params) = (format!("{}{}", sig.name, sig.dims), sig.params.clone());
            let args: Vec<String> = params.iter().map(|p| self.expr(*p, depth / 2)).collect();
            return Some(format!("{start}({})", args.join(", ")));
        }
        // The gradient has the type of the parameter.
        let with = |s: &&Sig| s.result == Ty::Real && s.name != "f" && s.params.contains(&ty);
        if matches!(ty, Ty::Bool | Ty::Int) {
            return None;
        }
        let sig = self.sigs.iter().rev().find(with)?;
        let (name, params) = (format!("{}{}", sig.name, sig.dims), sig.params.clone());
        let at = params.iter().position(|p| *p == ty)?;
        let args: Vec<String> = params.iter().map(|p| self.expr(*p, depth / 2)).collect();
        let args = args.join(", ");
        Some(match self.rng.below(4) {
            0 => format!("hvp({name}, wrt = {at})({args}; {})", self.expr(ty, depth / 2)),
            1 if ty == Ty::Real => format!("grad(grad({name}, wrt = {at}), wrt = {at})({args})"),
            2 if ty == Ty::Real => format!("jvp({name}, wrt = {at})({args}; {})", self.expr(ty, depth / 2)),
            3 => format!("vjp({name}, wrt = {at})({args}; {})", self.expr(Ty::Real, depth / 2)),
            _ => format!("grad({name}, wrt = {at})({args})"),
        })
    }

    fn condition(&mut self, depth: usize) -> String {
        match self.rng.below(6) {
            0 => format!("({} && {})", self.expr(Ty::Bool, depth), self.expr(Ty::Bool, depth)),
            1 => format!("!({})", self.expr(Ty::Bool, depth)),
            2 => format!("{} == {}", self.integer_atom(depth), self.integer_atom(depth)),
            3 => {
                let (n, which) = (self.size(), self.rng.pick(&["any", "all"]));
                self.over(n, depth, |g, i| format!("{which}({} for {i} in 0..{n})", g.expr(Ty::Bool, depth)))
            }
            _ => {
                let sign = self.rng.pick(&["<", ">", "<=", ">="]);
                format!("({}) {sign} ({})", self.expr(Ty::Real, depth), self.expr(Ty::Real, depth))
            }
        }
    }

    fn integer_atom(&mut self, depth: usize) -> String {
        format!("({})", self.expr(Ty::Int, depth))
    }

    fn integer(&mut self, depth: usize) -> String {
        let n = self.size();
        match self.rng.below(7) {
            0 => format!("mod({} + 1, {n})", self.integer_atom(depth)),
            1 => format!("div({}, 2)", self.integer_atom(depth)),
            2 => format!("min({}, {})", self.integer_atom(depth), self.integer_atom(depth)),
            3 => format!("i64({})", self.expr(Ty::Bool, depth)),
            4 => format!("argmax({})", self.expr(Ty::Vector(false, n), depth)),
            5 => format!("({} + {})", self.integer_atom(depth), self.integer_atom(depth)),
            _ => self.leaf(Ty::Int),
        }
    }

    /// What `inside` writes with an index below `n` in scope.
    fn over(&mut self, n: Size, _depth: usize, inside: impl FnOnce(&mut Gen, &str) -> String) -> String {
        let i = self.name("i");
        self.indices.push((i.clone(), n));
        let text = inside(self, &i);
        self.indices.pop();
        text
    }

    /// An index into an axis of this size.
    fn index(&mut self, n: Size, depth: usize) -> String {
        let known: Vec<String> =
            self.indices.iter().filter(|(_, m)| *m == n).map(|(i, _)| i.clone()).collect();
        match self.rng.below(8) {
            0..=4 if !known.is_empty() => known[self.rng.below(known.len())].clone(),
            5 if depth > 0 => format!("mod({}, {n})", self.expr(Ty::Int, depth - 1)),
            6 => format!("{n} - 1"),
            _ => self.rng.pick(&["0", "1"]).to_string(),
        }
    }

    fn scalar(&mut self, depth: usize) -> String {
        let real = |g: &mut Gen| g.expr(Ty::Real, depth);
        let n = self.size();
        match self.rng.below(24) {
            0..=4 => {
                let sign = self.rng.pick(&["+", "-", "*", "*"]);
                format!("({} {sign} {})", real(self), real(self))
            }
            5 => format!("({})/({} + 2.5)", real(self), real(self)),
            6..=8 => {
                let f = self.rng.pick(&[
                    "sin", "cos", "exp", "tanh", "abs", "sqrt", "log", "atan", "sigmoid", "erf", "cbrt",
                    "log1p", "expm1", "softplus", "square", "recip", "sinh", "asinh", "acos", "sinc",
                    "lgamma", "floor", "sign", "tan", "exp2",
                ]);
                format!("{f}({})", real(self))
            }
            9 => format!(
                "({})^{}",
                real(self),
                self.rng.pick(&["2", "3", "-1", "-2", "0", "2.0", "0.5", "x0"])
            ),
            10..=11 => {
                let f =
                    self.rng.pick(&["max", "min", "hypot", "atan2", "logaddexp", "copysign", "mod", "pow"]);
                format!("{f}({}, {})", real(self), real(self))
            }
            12 => {
                let c = self.expr(Ty::Bool, depth);
                format!("select({c}, {}, {})", real(self), real(self))
            }
            13..=14 => {
                let f = self.rng.pick(&["sum", "sum", "prod", "max", "min", "mean", "logsumexp", "norm"]);
                self.over(n, depth, |g, i| format!("{f}({} for {i} in 0..{n})", g.expr(Ty::Real, depth)))
            }
            15 => match self.indices.last().cloned() {
                Some((outer, _)) => self.over(n, depth, |g, i| {
                    format!("sum({} for {i} in 0..min({outer}, {n}))", g.expr(Ty::Real, depth))
                }),
                None => format!("sum({}[{}:])", self.array_name(n), self.rng.pick(&["0", "1"])),
            },
            16..=17 => {
                let (v, i) = (self.array_name(n), self.index(n, depth));
                format!("{v}[{i}]")
            }
            18..=19 => {
                let f = self.rng.pick(&["sum", "norm", "mean", "max", "min", "prod", "logsumexp"]);
                format!("{f}({})", self.expr(Ty::Vector(false, n), depth))
            }
            20 => {
                let v = Ty::Vector(false, n);
                format!("dot({}, {})", self.expr(v, depth), self.expr(v, depth))
            }
            21 => format!(
                "{}({})",
                self.rng.pick(&["re", "im", "abs", "abs2", "arg"]),
                self.expr(Ty::Complex, depth)
            ),
            22 => {
                let m = self.expr(Ty::Matrix(false, n, n), depth);
                match self.rng.below(3) {
                    0 => format!("trace({m})"),
                    1 => format!("logdet({m} + 4*eye({n}))"),
                    _ => format!("det({m})"),
                }
            }
            _ => {
                let n = self.expr(Ty::Int, depth);
                format!("{}({n})", self.real)
            }
        }
    }

    fn complex(&mut self, depth: usize) -> String {
        let number = |g: &mut Gen| g.expr(Ty::Complex, depth);
        match self.rng.below(10) {
            0..=3 => {
                let sign = self.rng.pick(&["+", "-", "*", "*"]);
                format!("({} {sign} {})", number(self), number(self))
            }
            4 => format!("({})/({} + 2.5)", number(self), number(self)),
            5 => {
                let f = self
                    .rng
                    .pick(&["exp", "sin", "conj", "sqrt", "log", "tanh", "square", "recip", "cos", "sign"]);
                format!("{f}({})", number(self))
            }
            6 => {
                let (re, im) = (self.expr(Ty::Real, depth), self.expr(Ty::Real, depth));
                format!("{}({re}, {im})", self.complex)
            }
            7 => format!("cis({})", self.expr(Ty::Real, depth)),
            8 => format!("({} * {})", self.expr(Ty::Real, depth), number(self)),
            _ => {
                let n = self.size();
                self.over(n, depth, |g, i| format!("sum({} for {i} in 0..{n})", g.expr(Ty::Complex, depth)))
            }
        }
    }

    /// A real vector of this size, in parentheses where it is no name.
    fn array_name(&mut self, n: Size) -> String {
        let ty = Ty::Vector(false, n);
        let found = self.scope.iter().rev().find(|(_, t)| *t == ty).map(|(n, _)| n.clone());
        found.unwrap_or_else(|| format!("({})", self.array(ty, 0)))
    }

    fn element(complex: bool) -> Ty {
        if complex { Ty::Complex } else { Ty::Real }
    }

    fn array(&mut self, ty: Ty, depth: usize) -> String {
        let (complex, n, m) = match ty {
            Ty::Vector(c, n) => (c, n, None),
            Ty::Matrix(c, n, m) => (c, n, Some(m)),
            _ => return self.leaf(ty),
        };
        let less = depth.saturating_sub(1);
        let each = |g: &mut Gen| {
            g.over(n, depth, |g, i| match m {
                Some(m) => {
                    let row = i.to_string();
                    g.over(m, depth, |g, j| {
                        format!(
                            "[{} for {row} in 0..{n}, {j} in 0..{m}]",
                            g.expr(Gen::element(complex), less)
                        )
                    })
                }
                None => format!("[{} for {i} in 0..{n}]", g.expr(Gen::element(complex), less)),
            })
        };
        if depth == 0 || self.rng.one_in(4) {
            return each(self);
        }
        match self.rng.below(8) {
            0..=2 => {
                let sign = self.rng.pick(&["+", "-", "*"]);
                format!("({} {sign} {})", self.expr(ty, less), self.expr(ty, less))
            }
            3 => format!("({} * {})", self.expr(Ty::Real, less), self.expr(ty, less)),
            4 => format!(
                "{}({})",
                self.rng
                    .pick(&["sin", "exp", "tanh", "abs2", "square"])
                    .replace("abs2", if complex { "conj" } else { "abs" }),
                self.expr(ty, less)
            ),
            _ => match (m, complex) {
                (None, false) => self.vector(n, less),
                (None, true) => match self.rng.below(2) {
                    0 => format!(
                        "({} @ {})",
                        self.expr(Ty::Matrix(true, n, "2"), less),
                        self.expr(Ty::Vector(true, "2"), less)
                    ),
                    _ => format!("cumsum({})", self.expr(ty, less)),
                },
                (Some(m), _) => self.matrix(complex, n, m, less),
            },
        }
    }

    fn vector(&mut self, n: Size, depth: usize) -> String {
        let (ty, k) = (Ty::Vector(false, n), self.size());
        match self.rng.below(9) {
            0..=1 => format!(
                "({} @ {})",
                self.expr(Ty::Matrix(false, n, k), depth),
                self.expr(Ty::Vector(false, k), depth)
            ),
            2 => format!(
                "{}({})",
                self.rng.pick(&["softmax", "cumsum", "cumprod", "flip", "sort"]),
                self.expr(ty, depth)
            ),
            3 => {
                let i = self.index(k, depth);
                format!("({})[{i}]", self.expr(Ty::Matrix(false, k, n), depth))
            }
            4 => {
                let i = self.index(k, depth);
                format!("({})[:, {i}]", self.expr(Ty::Matrix(false, n, k), depth))
            }
            5 => {
                let (name, i) = (self.name("v"), self.index(n, depth));
                format!(
                    "{{ var {name} = {}; {name}[{i}] = {}; {name} }}",
                    self.expr(ty, depth),
                    self.expr(Ty::Real, depth)
                )
            }
            6 => format!(
                "solve({} + 4*eye({n}), {})",
                self.expr(Ty::Matrix(false, n, n), depth),
                self.expr(ty, depth)
            ),
            7 => format!("concat({v}[1:], {v}[:1])", v = self.array_name(n)),
            _ => format!("diag({})", self.expr(Ty::Matrix(false, n, n), depth)),
        }
    }

    fn matrix(&mut self, complex: bool, n: Size, m: Size, depth: usize) -> String {
        let k = self.size();
        match self.rng.below(5) {
            0..=1 => format!(
                "({} @ {})",
                self.expr(Ty::Matrix(complex, n, k), depth),
                self.expr(Ty::Matrix(complex, k, m), depth)
            ),
            2 => format!("({})'", self.expr(Ty::Matrix(complex, m, n), depth)),
            3 if !complex => {
                format!(
                    "outer({}, {})",
                    self.expr(Ty::Vector(false, n), depth),
                    self.expr(Ty::Vector(false, m), depth)
                )
            }
            _ if n == m && !complex => {
                format!("inv({} + 4*eye({n}))", self.expr(Ty::Matrix(false, n, n), depth))
            }
            _ => self.leaf(Ty::Matrix(complex, n, m)),
        }
    }
}

/// Whether a body names a dimension.
fn uses_sizes(body: &str) -> bool {
    let word = |c: char| c.is_alphanumeric() || c == '_';
    body.split(|c| !word(c)).any(|w| w == "N" || w == "M")
}

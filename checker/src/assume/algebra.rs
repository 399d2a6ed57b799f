//! The linear algebra of a program, counted before it runs: compiled code counts iterations of loops only.

use adc_ir::*;
use rustc_hash::FxHashMap;

/// Products that one call of a function adds to sums in products of matrices and in decompositions. A loop whose number of
/// iterations is not a number in the program counts once.
pub(super) fn products(m: &Module, f: FuncId, known: &mut FxHashMap<FuncId, u64>) -> u64 {
    if let Some(n) = known.get(&f) {
        return *n;
    }
    let func = m.func(f);
    let n = func.region().map_or(0, |r| Walk { m, func, known, numbers: FxHashMap::default() }.region(r));
    known.insert(f, n);
    n
}

struct Walk<'a> {
    m: &'a Module,
    func: &'a Func,
    known: &'a mut FxHashMap<FuncId, u64>,
    /// Integers.
    numbers: FxHashMap<Value, i64>,
}

impl Walk<'_> {
    fn region(&mut self, r: &Region) -> u64 {
        r.insts.iter().fold(0, |n, inst| n.saturating_add(self.inst(inst)))
    }

    fn inst(&mut self, inst: &Inst) -> u64 {
        if let Kind::Const(Const::I64(n)) = inst.kind {
            self.numbers.insert(inst.results[0], n);
        }
        let size = |v: Value, axis: usize| self.func.shape(v).get(axis).and_then(Dim::as_const);
        let length = |v: Value, axis: usize| size(v, axis).map_or(1, |n| n.max(0) as u64);
        let inside = |w: &mut Self| inst.regions.iter().fold(0u64, |n, r| n.saturating_add(w.region(r)));
        match inst.kind {
            Kind::Call(g) => products(self.m, g, self.known),
            Kind::MatMul => {
                let [a, b] = [inst.args[0], inst.args[1]];
                let rows = if self.func.ty(a).rank() == 2 { length(a, 0) } else { 1 };
                rows.saturating_mul(length(b, 0)).saturating_mul(length(b, 1))
            }
            Kind::Linalg(op) => {
                let a = inst.args[0];
                let beside = inst.args.get(1).map_or(length(a, 0), |b| length(*b, 1));
                op.products([length(a, 1), beside])
            }
            Kind::Build { rank } => {
                let x = inst.results[0];
                let times = (0..rank as usize).fold(1u64, |n, axis| n.saturating_mul(length(x, axis)));
                times.saturating_mul(inside(self))
            }
            Kind::Reduce(_) | Kind::For(_) => {
                let number = |k: usize| self.numbers.get(&inst.args[k]).copied();
                let times = match (number(0), number(1), number(2)) {
                    (Some(lo), Some(hi), Some(step)) if step > 0 && lo < hi => {
                        hi.abs_diff(lo).div_ceil(step as u64)
                    }
                    _ => 1,
                };
                times.saturating_mul(inside(self))
            }
            Kind::If | Kind::While(_) => inside(self),
            Kind::Const(_) | Kind::Op(_) | Kind::Assert(_) | Kind::Size(_) | kinds!(Read | Write | Form) => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use adc_jit::RuntimeMath;

    struct NoFiles;

    impl adc_frontend::Loader for NoFiles {
        fn load(&mut self, _: &str, _: &str) -> Result<(String, String), String> {
            Err("no files here".into())
        }
    }

    #[test]
    fn loops_and_calls_multiply() {
        let source = "
            fn minor(A: f64[6, 6]) -> f64 { det(A) }
            fn minors(A: f64[6, 6], n: i64) -> f64 { sum(sum([minor(A) for i in 0..4]) for j in 0..10 step 3) + sum(minor(A) for i in 0..n) }
            fn product(A: f64[2, 3], B: f64[3, 5], x: f64[3]) -> f64 { sum(A @ B) + sum(A @ x) + dot(x, x) }";
        let program = adc_frontend::compile("test", source, &mut NoFiles, &RuntimeMath).expect("it compiles");
        let m = &program.module;
        let of = |name: &str| products(m, m.find(name).expect("a function"), &mut FxHashMap::default());
        assert_eq!(of("minor"), 72);
        assert_eq!(of("minors"), (4 * 4 + 1) * 72);
        assert_eq!(of("product"), 30 + 6);
    }
}

//! The 108 functions of `corpus.dsl`, at random points of their domains and at the points each is known for.

use crate::rules::points::Random;
use crate::rules::verify::Point;
use adc_ir::{Const, Func, Module, ParamDomain};
use num_complex::Complex64;

/// Random points for each function.
const RANDOM: usize = 24;

/// The functions as IR, without optimisation.
pub fn module() -> Module {
    struct NoFiles;
    impl adc_frontend::Loader for NoFiles {
        fn load(&mut self, _: &str, path: &str) -> Result<(String, String), String> {
            Err(format!("the corpus is one file, without `{path}`"))
        }
    }
    let text = include_str!("corpus.dsl");
    match adc_frontend::compile("corpus.dsl", text, &mut NoFiles, &adc_jit::RuntimeMath) {
        Ok(program) => program.module,
        Err(failure) => panic!("{:?}", failure.diagnostics),
    }
}

/// Where a function is tested.
pub fn points(f: &Func, random: &mut Random) -> Vec<Point> {
    let mut out = Vec::new();
    for _ in 0..RANDOM {
        let args = f.params.iter().map(|p| {
            let ty = f.ty(p.value).scalar();
            Const::from_c128(sample(p.domain.expect("every parameter has a domain"), random), ty)
        });
        out.push(Point::at(args.collect()));
    }
    let number = &f.name[..4];
    for (_, numbers) in SPECIAL.iter().filter(|row| row.0 == number) {
        let types: Vec<_> = f.params.iter().map(|p| f.ty(p.value).scalar()).collect();
        let mut rest = numbers.iter().copied();
        let mut next = || rest.next().unwrap_or(0.0);
        let args = types.iter().map(|t| {
            let re = next();
            let im = if t.is_complex() { next() } else { 0.0 };
            Const::from_c128(Complex64::new(re, im), *t)
        });
        out.push(Point::at(args.collect()));
    }
    out
}

fn sample(domain: ParamDomain, random: &mut Random) -> Complex64 {
    match domain {
        ParamDomain::Interval { lo, hi, .. } => random.uniform(lo, hi).into(),
        ParamDomain::Annulus { r0, r1 } => {
            Complex64::from_polar(random.uniform(r0.max(0.05), r1), random.uniform(-3.1, 3.1))
        }
    }
}

/// Function and arguments, the parts of complex ones in turn.
const SPECIAL: &[(&str, &[f64])] = &[
    ("f001", &[700.0]),
    ("f001", &[-700.0]),
    ("f002", &[-40.0]),
    ("f003", &[1000.0]),
    ("f004", &[1e-300]),
    ("f005", &[1e-17]),
    ("f005", &[-1.0 + 1e-9]),
    ("f009", &[1e-6]),
    ("f009", &[1e-200]),
    ("f010", &[1e5]),
    ("f010", &[1e22]),
    ("f011", &[std::f64::consts::PI]),
    ("f013", &[1.0 - 1e-9]),
    ("f013", &[-1.0 + 1e-9]),
    ("f014", &[1.0 - 1e-9]),
    ("f014", &[-1.0 + 1e-9]),
    ("f015", &[1e12]),
    ("f016", &[700.0]),
    ("f017", &[0.0]),
    ("f018", &[20.0]),
    ("f018", &[-19.0]),
    ("f019", &[1e100]),
    ("f020", &[1.0 + 1e-9]),
    ("f021", &[1.0 - 1e-9]),
    ("f022", &[37.43]),
    ("f022", &[-37.43]),
    ("f022", &[-700.0]),
    ("f023", &[0.0]),
    ("f024", &[6.0]),
    ("f024", &[-6.0]),
    ("f025", &[-8.0]),
    ("f026", &[1e-9]),
    ("f026", &[1.4616]),
    ("f028", &[1e-9]),
    ("f029", &[1e-9]),
    ("f036", &[1e150, 1e150]),
    ("f037", &[1e-9, -1.0]),
    ("f038", &[1.5, 1.5]),
    ("f038", &[-700.0, -699.0]),
    ("f042", &[1.0, 1.0]),
    ("f043", &[0.0, 2.0, 3.0]),
    ("f043", &[0.0, 0.0, 3.0]),
    ("f044", &[1.0, 2.0, 2.0, 4.0]),
    ("f045", &[1.0, 1e5]),
    ("f046", &[-1.0, 1e-7]),
    ("f046", &[-1.0, -1e-7]),
    ("f049", &[1e-8, 0.0]),
    ("f049", &[-1.0, 1e-9]),
    ("f051", &[1e-100, 1e-100]),
    ("f059", &[1.0, 20.0]),
    ("f062", &[20.0, 1.0]),
    ("f062", &[1e-3, 1.5625]),
    ("f067", &[-0.7, 0.3]),
    ("f067", &[-0.7, -0.3]),
    ("f069", &[1e-3, 3.125]),
    ("f081", &[5e-7, 5e-7]),
    ("f081", &[1e-150, 1e-150]),
    ("f085", &[5.6843e-14, 1e-13]),
    ("f085", &[1e-100, -2e-100]),
    ("f086", &[1e100, 2e100]),
    ("f105", &[1e-9]),
    ("f105", &[-2.5]),
    ("f106", &[1e-3]),
    ("f106", &[1e4]),
    ("f107", &[0.5, 3.0, 0.25, -3.0]),
    ("f108", &[0.0, 0.0]),
];

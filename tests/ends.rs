//! How `adc check` ends: in order, before its time, with nobody to read what it says, where loops do not.

use crate::common;

use adc::Cancel;
use adc::cli::{Streams, run};
use common::adc_with_stdin;
use std::cell::RefCell;
use std::io::{Error, ErrorKind, Write};
use std::rc::Rc;

/// Where a check writes to, and what happens meanwhile.
#[derive(Clone, Default)]
struct Reader {
    heard: Rc<RefCell<Vec<String>>>,
    /// How many bytes it takes, and what it says then.
    limit: Option<(usize, ErrorKind)>,
    /// What it cancels once it has read this.
    cancel: Rc<RefCell<Option<Cancel>>>,
    until: Option<&'static str>,
}

impl Write for Reader {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let text = String::from_utf8(bytes.to_vec()).expect("whole lines");
        let before: usize = self.heard.borrow().iter().map(String::len).sum();
        if let Some((_, kind)) = self.limit.filter(|(most, _)| before + text.len() > *most) {
            return Err(Error::from(kind));
        }
        if self.until.is_some_and(|what| text.contains(what)) {
            self.cancel.borrow().iter().for_each(Cancel::cancel);
        }
        self.heard.borrow_mut().push(text);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// `adc check - FLAGS` on a model: exit code, what was read, standard error.
fn check(reader: &Reader, flags: &[&str], model: &str) -> (u8, String, String) {
    let (mut out, mut err) = (reader.clone(), Vec::new());
    let cancel = reader.cancel.clone();
    let args = ["adc", "check", "-"].iter().chain(flags).map(Into::into);
    let code = run(
        args,
        &mut Streams {
            stdin: &mut model.as_bytes(),
            out: &mut out,
            err: &mut err,
            out_tty: false,
            err_tty: false,
            cache: None,
            on_interrupt: &mut |c| *cancel.borrow_mut() = Some(c.clone()),
        },
    );
    let heard = reader.heard.borrow().concat();
    (code, heard, String::from_utf8(err).expect("text"))
}

/// Functions that take a while, the last of them wrong.
fn model(functions: usize) -> String {
    let f = |k: usize| {
        format!("fn f{k}(x: f64) -> f64 {{ var y = x; for i in 0..40 {{ y = sin(y) + {k}; }} y }}\n")
    };
    let wrong = "fn wrong(x: f64) -> f64 { x^2 } rule vjp wrong(x; g) { 3*g*x }\n";
    (0..functions).map(f).collect::<String>() + wrong
}

const FORMATS: [&str; 6] = ["text", "json", "json-lines", "sarif", "junit", "github"];

#[test]
fn functions_are_told_in_order_as_they_are_done() {
    let reader = Reader::default();
    let (code, out, err) = check(&reader, &[], &model(12));
    assert_eq!((code, err.as_str()), (1, ""));
    let rows = out
        .lines()
        .filter(|l| l.starts_with("    "))
        .filter_map(|l| l.split_whitespace().nth(1).filter(|w| w.starts_with('f')));
    assert_eq!(rows.collect::<Vec<_>>(), (0..12).map(|k| format!("f{k}")).collect::<Vec<_>>());
    // The rest of the file is said behind its functions, and not all at once.
    let pieces = reader.heard.borrow().len();
    assert!(pieces > 2, "{pieces}\n{out}");
    assert_eq!(out, adc_with_stdin(["check", "-"], &model(12)).out);
}

#[test]
fn a_verdict_that_nobody_reads_is_the_same() {
    for format in FORMATS {
        let flags = ["--format", format];
        for (functions, kind) in [(0, ErrorKind::BrokenPipe), (6, ErrorKind::StorageFull)] {
            let whole = check(&Reader::default(), &flags, &model(functions));
            for most in [0, 40, whole.1.len() - 1] {
                let reader = Reader { limit: Some((most, kind)), ..Reader::default() };
                let (code, out, err) = check(&reader, &flags, &model(functions));
                assert_eq!(code, 1, "{format} {most}\n{out}\n{err}");
                assert!(out.len() <= most && whole.1.starts_with(&out), "{format} {most}\n{out}");
                // A reader that has gone knows; a full disk is to be told of.
                assert_eq!(err.contains("ADC0801"), kind == ErrorKind::StorageFull, "{format}\n{err}");
            }
        }
    }
    let reader = Reader { limit: Some((0, ErrorKind::StorageFull)), ..Reader::default() };
    assert_eq!(check(&reader, &[], "fn f(x: f64) -> f64 { x }").0, 0);
}

#[test]
fn an_interrupted_check_says_what_it_knows() {
    // Before anything is known.
    for format in FORMATS {
        let (cancel, heard) = (Cancel::new(), Reader::default());
        cancel.cancel();
        let (mut out, mut err) = (heard.clone(), Vec::new());
        let code = run(
            ["adc", "check", "-", "--format", format].map(Into::into),
            &mut Streams {
                stdin: &mut model(3).as_bytes(),
                out: &mut out,
                err: &mut err,
                out_tty: false,
                err_tty: false,
                cache: None,
                on_interrupt: &mut |c| c.cancel(),
            },
        );
        let out = heard.heard.borrow().concat();
        assert_eq!((code, err.len()), (130, 0), "{format}");
        assert_eq!(out.contains("interrupted"), format != "junit", "{format}\n{out}");
    }
    // When the first function is done: some of the others are missing, those that are there are told in order.
    for (format, until) in [("text", " f0 "), ("json-lines", "\"function\":\"f0\"")] {
        let reader = Reader { until: Some(until), ..Reader::default() };
        let (code, out, err) = check(&reader, &["--format", format], &model(200));
        assert_eq!((code, err.as_str()), (130, ""), "{out}");
        assert!(out.contains("f0") && out.contains("interrupted") && !out.contains("f199"), "{out}");
    }
    let reader = Reader { until: Some(" f0 "), ..Reader::default() };
    let (_, out, _) = check(&reader, &[], &model(200));
    let names: Vec<usize> =
        (out.lines()).filter_map(|l| l.split_whitespace().nth(1)?.strip_prefix('f')?.parse().ok()).collect();
    assert!(names.is_sorted() && names.first() == Some(&0), "{out}");
    let functions = 201 - names.len();
    assert!(out.ends_with(&format!("\n{functions} functions not checked\n")), "{functions}\n{out}");
}

#[test]
fn long_runs_are_interrupted_too() {
    // One evaluation would take hours.
    let endless = "fn f(x: f64) -> f64 { var y = x; while y == y { y = 0.5*y; } y }";
    let reader = Reader::default();
    let cancel = reader.cancel.clone();
    let (mut out, mut err) = (reader.clone(), Vec::new());
    let code = run(
        ["adc", "check", "-", "--fuel", "1000000000000000"].map(Into::into),
        &mut Streams {
            stdin: &mut endless.as_bytes(),
            out: &mut out,
            err: &mut err,
            out_tty: false,
            err_tty: false,
            cache: None,
            on_interrupt: &mut |c| {
                let c = c.clone();
                *cancel.borrow_mut() = Some(c.clone());
                std::thread::spawn(move || {
                    std::thread::sleep(std::time::Duration::from_millis(300));
                    c.cancel();
                });
            },
        },
    );
    let out = reader.heard.borrow().concat();
    assert_eq!((code, out.contains("interrupted")), (130, true), "{out}");
}

/// Loops that do not end at some points: how many are given up, and which are left, is the same on any number of threads.
#[test]
fn points_are_given_up_alike_on_any_number_of_threads() {
    let source = "fn f(x: f64, y: f64) -> f64 { var z = x; while z > 0.5 { z = z*1.0; } z*y }
        fn g(x: f64) -> f64 { var z = x; while z == z { z = 0.5*z; } z }
        check f { x in [0, 1]; } check g { points 3; }";
    let model = adc::Model::parse("f.dsl", source).expect("a model");
    let mut options = adc::CheckOptions::default();
    options.settings.every_point = true;
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(|| adc::check(&model, &options)).reports
    };
    let (one, several) = (on(1), on(4));
    for (a, b) in one.iter().zip(&several) {
        let points =
            |r: &adc::Report| r.points.iter().map(|p| (p.origin, p.inputs.clone())).collect::<Vec<_>>();
        assert_eq!((&a.counts, a.given_up_by), (&b.counts, b.given_up_by));
        assert_eq!(format!("{:?}", points(a)), format!("{:?}", points(b)));
    }
    let [f, g] = &one[..] else { panic!("{one:#?}") };
    assert_eq!((f.status, f.counts.points), (adc::Status::Ok, 16));
    assert!((8..=16).contains(&f.counts.given_up), "{:?}", f.counts);
    // The loop that is told is the `while`.
    let span = f.given_up_by.expect("a loop").span;
    assert!(source[span.start as usize..].starts_with("while z > 0.5"));
    assert_eq!((g.status, g.counts.points, g.counts.given_up), (adc::Status::Failed, 0, 4));
    assert_eq!(g.diagnostics[0].code, adc_ir::Code::OutOfFuel);
}

#[test]
fn fuel_is_what_one_evaluation_takes() {
    let source = "fn f(x: f64) -> f64 { var y = x; var k = 0; while k < 50 { y = sin(y); k = k + 1; } y }";
    let given_up = |block: &str, fuel: Option<u64>| {
        let model = adc::Model::parse("f.dsl", &format!("{source} check f {{ points 2; {block} }}"));
        let mut options = adc::CheckOptions::default();
        options.settings.fuel = fuel;
        let report = &adc::check(&model.expect("a model"), &options).reports[0];
        (report.status == adc::Status::Ok, report.counts.given_up)
    };
    assert_eq!(given_up("", None), (true, 0));
    assert_eq!(given_up("fuel 50;", None), (true, 0));
    assert_eq!(given_up("fuel 49;", None), (false, 3));
    assert_eq!(given_up("fuel 49;", Some(50)), (true, 0));
    assert_eq!(given_up("", Some(49)), (false, 3));
    let array = "fn f(n: i64) -> f64 { sum([1.0 for i in 0..1000]) } check f { memory_limit 100; }";
    let model =
        adc::Model::parse("f.dsl", &array.replace("(n: i64)", "(x: f64)").replace("1.0 for", "x*x for"));
    let report = adc::check(&model.expect("a model"), &adc::CheckOptions::default()).reports.remove(0);
    assert_eq!((report.counts.points, report.diagnostics[0].code), (0, adc_ir::Code::NothingChecked));
}

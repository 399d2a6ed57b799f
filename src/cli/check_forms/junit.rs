//! JUnit XML, for test reports: a file is a suite, a function a case; what is unsure counts as skipped.

use crate::cli::args::CheckArgs;
use crate::cli::check_files::Checked;
use crate::cli::{Exit, Stop, check_text};
use crate::render::Style;
use adc_checker::{Report, Status};
use adc_ir::{Code, Diagnostic};
use quick_junit::{NonSuccessKind, Report as Document, TestCase, TestCaseStatus, TestSuite};

pub(crate) fn document(checked: &[Checked], args: &CheckArgs, exit: Exit) -> Result<String, Stop> {
    let mut document = Document::new("adc check");
    for file in checked {
        let (files, cases) = match file {
            Checked::Refused(d) => {
                let text = d.render(Style::default());
                (&d.files, vec![case("model", "", broken(d.items.first(), &text))])
            }
            Checked::Done(f) => {
                let name = f.files.first().map_or("", |s| s.name.as_str());
                let cases = f.rows().into_iter().map(|r| {
                    let text = check_text::plain(f, &r, args);
                    case(&r.name, name, status(&r, &text, args.strict))
                });
                (&f.files, cases.collect())
            }
        };
        let mut suite = TestSuite::new(files.first().map_or("", |s| s.name.as_str()));
        suite.add_test_cases(cases);
        if exit == Exit::Interrupted {
            suite.add_property(("interrupted", "true"));
        }
        document.add_test_suite(suite);
    }
    document.to_string().map_err(|e| {
        Stop::from(Diagnostic::error(Code::Io, format!("the report cannot be written as XML: {e}")))
    })
}

fn case(name: &str, class: &str, status: TestCaseStatus) -> TestCase {
    let mut case = TestCase::new(name, status);
    if !class.is_empty() {
        case.set_classname(class);
    }
    case
}

/// A file that could not be checked.
fn broken(first: Option<&Diagnostic>, text: &str) -> TestCaseStatus {
    told(TestCaseStatus::non_success(NonSuccessKind::Error), first, text)
}

fn status(r: &Report, text: &str, strict: bool) -> TestCaseStatus {
    let first = r.diagnostics.first();
    match r.status {
        _ if r.status.passes(strict) && !r.passes(strict) => {
            let words = r.assumed.as_ref().map_or("", |a| a.words.as_str());
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
            status.set_message(format!("assumed {words}"));
            status
        }
        Status::Ok | Status::Kink | Status::Warned => TestCaseStatus::success(),
        Status::Unsure if !strict => told(TestCaseStatus::skipped(), first, text),
        Status::Error => broken(first, text),
        Status::Interrupted => {
            let mut skipped = told(TestCaseStatus::skipped(), first, text);
            skipped.set_message("the check was interrupted");
            skipped
        }
        Status::Unsure | Status::Failed => {
            told(TestCaseStatus::non_success(NonSuccessKind::Failure), first, text)
        }
    }
}

fn told(mut status: TestCaseStatus, first: Option<&Diagnostic>, text: &str) -> TestCaseStatus {
    if let Some(d) = first {
        status.set_message(d.message.as_str()).set_type(d.code.to_string());
    }
    status.set_description(text);
    status
}
